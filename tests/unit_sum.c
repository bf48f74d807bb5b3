/* The update's additions against MPFR: every sum is computed exactly there and rounded once by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/random.k.h"
#include "kernels/sum.k.h"
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDE = 700 }; /* bits: holds any sum of two FP32 numbers */

static const struct {
    enum format_id id;
    int trailing, emin, emax;
} formats[] = {{FORMAT_FP16, 10, -14, 15}, {FORMAT_BF16, 7, -126, 127}};

/* The distance of |x| from the next value of the format below, in units of their distance, goes to
 * `fraction`; the encoding of that value below is returned (the grid goes on beyond the largest finite
 * value). */
static uint32_t floor_encoding(mpfr_t x, int trailing, int emin, mpfr_t fraction)
{
    mpfr_t scaled, whole;
    mpfr_inits2(WIDE, scaled, whole, (mpfr_ptr)0);
    long e = mpfr_zero_p(x) ? emin : (long)mpfr_get_exp(x) - 1;
    e = e < emin ? emin : e;
    mpfr_abs(scaled, x, MPFR_RNDN);
    mpfr_mul_2si(scaled, scaled, trailing - e, MPFR_RNDN);
    mpfr_floor(whole, scaled);
    mpfr_sub(fraction, scaled, whole, MPFR_RNDN);
    uint32_t significand = (uint32_t)mpfr_get_ui(whole, MPFR_RNDZ);
    mpfr_clears(scaled, whole, (mpfr_ptr)0);
    return significand + ((uint32_t)(e - emin) << trailing);
}

static uint32_t clamp_to_infinity(uint32_t encoding, int trailing, int emax, int emin)
{
    uint32_t infinity = (uint32_t)(emax - emin + 2) << trailing;
    return encoding > infinity ? infinity : encoding;
}

static uint32_t expect_sum(float a, float b, int f, bool stochastic, uint32_t random)
{
    mpfr_t x, y, fraction;
    mpfr_inits2(WIDE, x, y, fraction, (mpfr_ptr)0);
    mpfr_set_flt(x, a, MPFR_RNDN);
    mpfr_set_flt(y, b, MPFR_RNDN);
    assert_int_equal(mpfr_add(x, x, y, MPFR_RNDN), 0);
    uint32_t encoding = floor_encoding(x, formats[f].trailing, formats[f].emin, fraction);
    bool away;
    if (stochastic) {
        mpfr_mul_2ui(fraction, fraction, 32, MPFR_RNDN);
        away = mpfr_cmp_ui(fraction, random) > 0;
    } else {
        int half = mpfr_cmp_d(fraction, 0.5);
        away = half > 0 || (half == 0 && (encoding & 1u));
    }
    encoding = clamp_to_infinity(encoding + away, formats[f].trailing, formats[f].emax, formats[f].emin);
    bool negative = mpfr_signbit(x) != 0;
    mpfr_clears(x, y, fraction, (mpfr_ptr)0);
    return encoding | (negative ? 0x8000u : 0u);
}

static uint32_t draw(uint32_t *state)
{
    return k_random(7, 1, 2, (*state)++);
}

static float draw_near(uint32_t *state, float a)
{
    uint32_t bits = draw(state);
    uint32_t exponent = k_bits(a) >> 23 & 0xffu;
    int shift = (int)(draw(state) % 60u) - 50; /* mostly smaller, sometimes larger */
    int wanted = (int)exponent + shift;
    wanted = wanted < 0 ? 0 : wanted > 254 ? 254 : wanted;
    return k_float((bits & 0x807fffffu) | (uint32_t)wanted << 23);
}

static const uint32_t edges[] = {
    0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x33000000,
    0x33000001, 0x32ffffff, 0x38800000, 0x387fffff, 0x3f800000, 0x3f7fffff, 0x3f800001,
    0xbf800000, 0x39800000, 0x39800001, 0xb9800000, 0x3b000000, 0x3a800000, 0xba000000,
    0x477fe000, 0x477fefff, 0x477ff000, 0x41800000, 0x47800000, 0x7f7fffff, 0xff7fffff,
    0x73000000, 0xf3000000, 0x7f000000, 0x7f7f0000, 0x7f7f8000, 0x73800000, 0x3727c5ac,
    0xb727c5ac, 0x34000000, 0xb4000000, 0x2b8cbccc, 0x7e800000, 0xfe800000,
};
enum { EDGES = sizeof edges / sizeof *edges };

static void check_pair(float a, float b, uint32_t random)
{
    float s = a + b;
    for (int f = 0; f < 2; f++) {
        uint32_t got = k_round_sum(a, b, formats[f].id);
        uint32_t expected = expect_sum(a, b, f, false, 0);
        if (s == 0)
            expected = k_bits(s) >> 16;
        if (got != expected)
            printf("%a + %a\n", (double)a, (double)b);
        assert_int_equal(got, expected);
        if ((k_bits(s) & 0x7fffffffu) >= 0x7f800000u)
            continue;
        got = k_round_sum_stochastic(a, b, formats[f].id, random);
        expected = s == 0 ? k_bits(s) >> 16 : expect_sum(a, b, f, true, random);
        if (got != expected)
            printf("%a + %a, random 0x%08x, format %d\n", (double)a, (double)b, random, f);
        assert_int_equal(got, expected);
        got = k_encode_stochastic(a, formats[f].id, random);
        assert_int_equal(got, a == 0 ? k_bits(a) >> 16 : expect_sum(a, 0, f, true, random));
    }
}

static void sums_of_edges(void **state)
{
    (void)state;
    static const uint32_t randoms[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};
    for (int i = 0; i < EDGES; i++)
        for (int j = 0; j < EDGES; j++)
            for (int r = 0; r < 6; r++)
                check_pair(k_float(edges[i]), k_float(edges[j]), randoms[r]);
}

static void sums_at_random(void **state)
{
    (void)state;
    uint32_t counter = 0;
    for (int i = 0; i < 60000; i++) {
        uint32_t bits = draw(&counter);
        if (i & 1) /* half of them inside fp16's range */
            bits = (bits & 0x807fffffu) | (100u + (bits >> 23 & 0xffu) % 45u) << 23;
        float a = k_float(bits);
        if (!k_is_finite(a))
            continue;
        if (i % 3 == 0) /* a weight as it is stored */
            a = k_decode(k_encode(a, FORMAT_BF16), FORMAT_BF16);
        if (!k_is_finite(a))
            continue;
        check_pair(a, draw_near(&counter, a), draw(&counter));
    }
}

static void infinities_and_nans(void **state)
{
    (void)state;
    float infinity = k_float(0x7f800000), nan = k_float(0xffc12345);
    for (int f = 0; f < 2; f++) {
        enum format_id id = formats[f].id;
        uint32_t inf = k_infinity(id), quiet = inf | k_min_normal(id) >> 1;
        assert_int_equal(k_round_sum(infinity, 1, id), inf);
        assert_int_equal(k_round_sum(-1, -infinity, id), inf | 0x8000u);
        assert_int_equal(k_round_sum(infinity, -infinity, id), quiet);
        assert_int_equal(k_round_sum(nan, 1, id), quiet);
        assert_int_equal(k_round_sum_stochastic(infinity, 1, id, 0), inf);
        assert_int_equal(k_round_sum_stochastic(nan, 1, id, 0), quiet);
        assert_int_equal(k_encode_stochastic(nan, id, 0), quiet);
        assert_int_equal(k_encode_stochastic(-infinity, id, 0), inf | 0x8000u);
        assert_int_equal(k_encode_stochastic(k_float(0x7f7fffff), id, 0), inf);
    }
    assert_int_equal(k_round_sum(nan, 1, FORMAT_FP32), 0x7fc00000);
}

/* Counts over all words of a coarse comb instead of sampling: p = 1e-5 / 2^-8 for bf16 just below 1. */
static void stochastic_share_is_the_fraction(void **state)
{
    (void)state;
    float delta = k_float(0x3727c5ac);
    uint32_t down = 0;
    double fraction = (double)delta * 256;
    for (uint32_t i = 0; i < 1u << 20; i++)
        down += k_round_sum_stochastic(1, -delta, FORMAT_BF16, i << 12) == 0x3f7f;
    /* magnitude just below 1: away from zero is "stay at 1" */
    assert_int_equal(down, (uint32_t)(fraction * (1 << 20)));
    /* 2^-25 in fp16 goes up for exactly half of the words */
    assert_int_equal(k_encode_stochastic(k_float(0x33000000), FORMAT_FP16, 0x7fffffff), 1);
    assert_int_equal(k_encode_stochastic(k_float(0x33000000), FORMAT_FP16, 0x80000000), 0);
    /* values of the format never move */
    for (uint32_t bits = 0; bits < 0x7c00; bits++)
        assert_int_equal(k_encode_stochastic(k_decode(bits, FORMAT_FP16), FORMAT_FP16, 0), bits);
    for (uint32_t bits = 0; bits < 0x7f80; bits++)
        assert_int_equal(k_encode_stochastic(k_decode(bits, FORMAT_BF16), FORMAT_BF16, 0), bits);
}

static int kahan_run(enum format_id id, int steps, float *value)
{
    uint32_t w = k_encode(1, id), c = 0;
    int first = 0;
    for (int i = 1; i <= steps; i++) {
        uint32_t before = w;
        k_kahan(&w, &c, k_float(0x3727c5ac), id);
        if (w != before && !first)
            first = i;
    }
    *value = k_decode(w, id);
    return first;
}

static void kahan_keeps_small_updates(void **state)
{
    (void)state;
    float value;
    assert_int_equal(kahan_run(FORMAT_BF16, 1000, &value), 222);
    assert_true(value == 0.9921875f);
    assert_int_equal(kahan_run(FORMAT_FP16, 1000, &value), 25);
    assert_true(value == 0.98974609375f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_edges),
        cmocka_unit_test(sums_at_random),
        cmocka_unit_test(infinities_and_nans),
        cmocka_unit_test(stochastic_share_is_the_fraction),
        cmocka_unit_test(kahan_keeps_small_updates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
