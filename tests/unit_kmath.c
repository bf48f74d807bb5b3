/* The kernels' exp, log, tanh, sin and cos: exact and special cases, errors and order on samples of every
 * exponent and on dense intervals at the seams, the bits that must never change, and whether the checker sees
 * mistakes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_math.h"
#include "kernels/math.k.h"

#define CHUNK 2048

static void evaluate(enum check_math_function f, uint32_t first, uint32_t count, float *results)
{
    for (uint32_t i = 0; i < count; i++) {
        float x = k_float(first + i);
        switch (f) {
        case CHECK_MATH_EXP:
            results[i] = k_exp(x);
            break;
        case CHECK_MATH_LOG:
            results[i] = k_log(x);
            break;
        case CHECK_MATH_TANH:
            results[i] = k_tanh(x);
            break;
        case CHECK_MATH_SIN:
            results[i] = k_sin(x);
            break;
        default:
            results[i] = k_cos(x);
            break;
        }
    }
}

/* Checks `count` consecutive encodings, continuing *r. */
static void check(enum check_math_function f, uint32_t first, uint32_t count, struct check_math_result *r)
{
    float results[CHUNK];
    for (uint32_t done = 0; done < count; done += CHUNK) {
        uint32_t n = count - done < CHUNK ? count - done : CHUNK;
        evaluate(f, first + done, n, results);
        check_math_range(f, first + done, first + done + n - 1, results, r);
    }
}

static void assert_right(enum check_math_function f, const struct check_math_result *r, double worst_allowed)
{
    if (r->wrong != 0 || r->worst_ulp > worst_allowed)
        print_error("%s: %llu wrong, first 0x%08x; worst %.6f ulp at 0x%08x\n", check_math_name(f),
                    (unsigned long long)r->wrong, r->first_wrong_bits, r->worst_ulp, r->worst_bits);
    assert_true(r->checked > 0);
    assert_true(r->wrong == 0);
    assert_true(r->worst_ulp <= worst_allowed);
}

/* The largest error over all inputs, as the exhaustive check found it. */
static const double worst_of[CHECK_MATH_COUNT] = {0.775, 0.500001, 0.59, 0.500001, 0.500001};

static void test_exact_cases(void **state)
{
    (void)state;
    assert_int_equal(k_bits(k_exp(0.0f)), 0x3f800000);
    assert_int_equal(k_bits(k_exp(-0.0f)), 0x3f800000);
    assert_int_equal(k_bits(k_log(1.0f)), 0);
    assert_int_equal(k_bits(k_tanh(0.0f)), 0);
    assert_int_equal(k_bits(k_tanh(-0.0f)), 0x80000000);
    assert_int_equal(k_bits(k_sin(0.0f)), 0);
    assert_int_equal(k_bits(k_sin(-0.0f)), 0x80000000);
    assert_int_equal(k_bits(k_cos(0.0f)), 0x3f800000);
    assert_int_equal(k_bits(k_cos(-0.0f)), 0x3f800000);
}

static void test_specials(void **state)
{
    (void)state;
    const float inf = INFINITY;
    assert_true(k_exp(inf) == inf && k_bits(k_exp(-inf)) == 0);
    assert_true(k_log(inf) == inf && k_log(0.0f) == -inf && k_log(-0.0f) == -inf);
    assert_true(k_tanh(inf) == 1.0f && k_tanh(-inf) == -1.0f);
    assert_true(isnan(k_log(-inf)) && isnan(k_log(-1.0f)) && isnan(k_log(-0x1p-149f)));
    assert_true(isnan(k_sin(inf)) && isnan(k_sin(-inf)) && isnan(k_cos(inf)) && isnan(k_cos(-inf)));
    static const uint32_t nans[] = {0x7f800001, 0x7fbfffff, 0x7fc00000, 0x7fffffff,
                                    0xff800001, 0xffbfffff, 0xffc00000, 0xffffffff};
    for (size_t i = 0; i < sizeof nans / sizeof *nans; i++) {
        float x = k_float(nans[i]), y[CHECK_MATH_COUNT];
        y[0] = k_exp(x), y[1] = k_log(x), y[2] = k_tanh(x), y[3] = k_sin(x), y[4] = k_cos(x);
        for (int f = 0; f < CHECK_MATH_COUNT; f++)
            assert_true(isnan(y[f]));
    }
}

/* Where exp overflows, becomes subnormal and becomes zero: the inputs between which e^x crosses 2^128, 2^-126
 * and 2^-150, and e^x there, rounded once. */
static void test_exp_range(void **state)
{
    (void)state;
    assert_int_equal(k_bits(k_exp(k_float(0x42b17217))), 0x7f7fff84); /* 88.7228317 */
    assert_true(isinf(k_exp(k_float(0x42b17218))));
    assert_true(k_exp(k_float(0xc2aeac4f)) >= 0x1p-126f); /* -87.33654 */
    assert_true(k_exp(k_float(0xc2aeac50)) < 0x1p-126f);
    assert_int_equal(k_bits(k_exp(k_float(0xc2cff1b4))), 1); /* -103.972076: just above 2^-150 */
    assert_int_equal(k_bits(k_exp(k_float(0xc2cff1b5))), 0);
}

static void test_odd_and_even(void **state)
{
    (void)state;
    for (uint32_t u = 0; u < 0x7f800000u; u += 20011) {
        assert_int_equal(k_bits(k_tanh(k_float(u))) ^ 0x80000000u, k_bits(k_tanh(k_float(u ^ 0x80000000u))));
        assert_int_equal(k_bits(k_sin(k_float(u))) ^ 0x80000000u, k_bits(k_sin(k_float(u ^ 0x80000000u))));
        assert_int_equal(k_bits(k_cos(k_float(u))), k_bits(k_cos(k_float(u ^ 0x80000000u))));
    }
}

/* 128 consecutive inputs in each of 4096 strata: every sign and exponent, NaNs and infinities too. */
static void test_every_stratum(void **state)
{
    (void)state;
    for (enum check_math_function f = 0; f < CHECK_MATH_COUNT; f++) {
        struct check_math_result r = {0};
        for (uint32_t i = 0; i < 4096; i++)
            check(f, (i << 20) + (i * 2654435761u >> 12) % ((1u << 20) - 128), 128, &r);
        assert_right(f, &r, worst_of[f]);
    }
}

/* Encodings around which a formula, a select or a reduction changes. */
static void test_seams(void **state)
{
    static const struct {
        enum check_math_function f;
        uint32_t bits;
    } seams[] = {
        {CHECK_MATH_EXP, 0x00000000},  {CHECK_MATH_EXP, 0x80000000},  {CHECK_MATH_EXP, 0x3eb17218},
        {CHECK_MATH_EXP, 0x3f851592},  {CHECK_MATH_EXP, 0xbeb17218},  {CHECK_MATH_EXP, 0x42b17218},
        {CHECK_MATH_EXP, 0x42b20000},  {CHECK_MATH_EXP, 0xc2aeac50},  {CHECK_MATH_EXP, 0xc2cff1b5},
        {CHECK_MATH_EXP, 0xc2d00000},  {CHECK_MATH_LOG, 0x00800000},  {CHECK_MATH_LOG, 0x00000000},
        {CHECK_MATH_LOG, 0x3f3504f3},  {CHECK_MATH_LOG, 0x3f800000},  {CHECK_MATH_LOG, 0x3fb504f3},
        {CHECK_MATH_LOG, 0x7f7fffff},  {CHECK_MATH_TANH, 0x3eb33333}, {CHECK_MATH_TANH, 0xbeb33333},
        {CHECK_MATH_TANH, 0x3f051592}, {CHECK_MATH_TANH, 0x3f5dce9f}, {CHECK_MATH_TANH, 0x3f9b43d5},
        {CHECK_MATH_TANH, 0x41102cb4}, {CHECK_MATH_TANH, 0x41200000}, {CHECK_MATH_SIN, 0x3f490fda},
        {CHECK_MATH_SIN, 0x40490fdb},  {CHECK_MATH_COS, 0x3f490fda},  {CHECK_MATH_COS, 0x3fc90fdb},
        {CHECK_MATH_COS, 0x7f7fffff},
    };
    (void)state;
    for (size_t i = 0; i < sizeof seams / sizeof *seams; i++) {
        struct check_math_result r = {0};
        uint32_t distance_to_end = ~seams[i].bits;
        uint32_t below = (seams[i].bits & 0x7fffffffu) < 8192 ? seams[i].bits & 0x7fffffffu : 8192;
        check(seams[i].f, seams[i].bits - below, below + (distance_to_end < 8192 ? distance_to_end : 8192),
              &r);
        assert_right(seams[i].f, &r, worst_of[seams[i].f]);
    }
}

/* 16367173 x 2^72 and 10741887 x 2^11, the two floats nearest to a multiple of pi/2, where the reduction
 * loses most; the inputs with the largest errors; the largest. */
static void test_huge_arguments(void **state)
{
    static const uint32_t hard[] = {0x6f79be45, 0x50a3e87f, 0x7c8aaf58, 0x6f611333, 0x7f7fffff};
    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        struct check_math_result sine = {0}, cosine = {0};
        check(CHECK_MATH_SIN, hard[i], 1, &sine);
        check(CHECK_MATH_COS, hard[i], 1, &cosine);
        assert_right(CHECK_MATH_SIN, &sine, 0.500001);
        assert_right(CHECK_MATH_COS, &cosine, 0.500001);
    }
}

/* Training digests hold these bits: a change here is a change of every one of them. */
static void test_bits_never_change(void **state)
{
    static const uint64_t expected[CHECK_MATH_COUNT] = {
        0x6202da874f2dd255, 0x8ea99e6309774b13, 0x3e3e209b30a16289, 0x14ab1ea355448ab0, 0xab4f0867d525ccd9};
    (void)state;
    for (enum check_math_function f = 0; f < CHECK_MATH_COUNT; f++) {
        uint64_t hash = 0;
        for (uint64_t u = 0; u <= 0xffffffffu; u += 65521) {
            float y;
            evaluate(f, (uint32_t)u, 1, &y);
            hash = (hash ^ (isnan(y) ? 0x7fc00000u : k_bits(y))) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
        if (hash != expected[f])
            print_error("%s: 0x%016llx\n", check_math_name(f), (unsigned long long)hash);
        assert_true(hash == expected[f]);
    }
}

/* The checker on results that are wrong on purpose. */
static void test_checker_sees_mistakes(void **state)
{
    (void)state;
    float y[64];
    struct check_math_result r = {0};
    evaluate(CHECK_MATH_EXP, 0x3f000000, 64, y);
    assert_true(check_math_range(CHECK_MATH_EXP, 0x3f000000, 0x3f00003f, y, &r));
    assert_int_equal(r.checked, 64);

    y[20] = k_float(k_bits(y[20]) + 2); /* 2 ulp off, and above its neighbours */
    r = (struct check_math_result){0};
    assert_false(check_math_range(CHECK_MATH_EXP, 0x3f000000, 0x3f00003f, y, &r));
    assert_true(r.over_one_ulp == 1 && r.violations_of_order == 1 && r.wrong == 2);
    assert_int_equal(r.first_wrong_bits, 0x3f000014);
    assert_int_equal(r.worst_bits, 0x3f000014);
    assert_true(r.worst_ulp > 1.4 && r.worst_ulp < 2.6);

    const struct {
        enum check_math_function f;
        float x, y;
    } wrong[] = {
        {CHECK_MATH_EXP, 0.0f, 0x1.000002p0f},
        {CHECK_MATH_EXP, -200.0f, -0.0f},
        {CHECK_MATH_EXP, 100.0f, 0x1.fffffep127f},
        {CHECK_MATH_EXP, 88.0f, INFINITY},
        {CHECK_MATH_EXP, NAN, 1.0f},
        {CHECK_MATH_LOG, 1.0f, -0.0f},
        {CHECK_MATH_LOG, -1.0f, 0.0f},
        {CHECK_MATH_LOG, 0.0f, -0x1.fffffep127f},
        {CHECK_MATH_TANH, 20.0f, 0x1.000002p0f},
        {CHECK_MATH_TANH, -0.0f, 0.0f},
        {CHECK_MATH_SIN, INFINITY, 1.0f},
        {CHECK_MATH_SIN, 1.0f, NAN},
        {CHECK_MATH_COS, 0.0f, 0x1.fffffep-1f},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        r = (struct check_math_result){0};
        assert_false(check_math_range(wrong[i].f, k_bits(wrong[i].x), k_bits(wrong[i].x), &wrong[i].y, &r));
        assert_int_equal(r.wrong, 1);
    }
}

/* Order is also checked between the last input of one range and the first of the next. */
static void test_checker_joins_ranges(void **state)
{
    (void)state;
    struct check_math_result r = {0};
    float up = 0x1.000002p0f, down = 1.0f; /* both within 1 ulp of e^0 */
    assert_true(check_math_range(CHECK_MATH_EXP, 1, 1, &up, &r));
    assert_false(check_math_range(CHECK_MATH_EXP, 2, 2, &down, &r));
    assert_int_equal(r.violations_of_order, 1);
}

static void test_error_by_mpfr(void **state)
{
    (void)state;
    assert_true(fabs(check_math_error_ulp(CHECK_MATH_EXP, 0.0f, 1.0f)) == 0);
    assert_true(fabs(check_math_error_ulp(CHECK_MATH_EXP, 0.0f, 0x1.000002p0f) - 1) < 1e-12);
    assert_true(fabs(check_math_error_ulp(CHECK_MATH_COS, 0.0f, 0x1.fffffep-1f) - 0.5) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_cases),
        cmocka_unit_test(test_specials),
        cmocka_unit_test(test_exp_range),
        cmocka_unit_test(test_odd_and_even),
        cmocka_unit_test(test_every_stratum),
        cmocka_unit_test(test_seams),
        cmocka_unit_test(test_huge_arguments),
        cmocka_unit_test(test_bits_never_change),
        cmocka_unit_test(test_checker_sees_mistakes),
        cmocka_unit_test(test_checker_joins_ranges),
        cmocka_unit_test(test_error_by_mpfr),
    };
    return cmocka_run_group_tests_name("kmath", tests, NULL, NULL);
}
