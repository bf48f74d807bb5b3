/* Rounding to every format: against the list of all its values, and against published numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "probe.h"
#include "probe_device.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a rounder that searches ---- */

/* Magnitudes of a small format and one more, where its grid would go on. */
struct grid {
    const struct format *f;
    int count; /* of finite magnitudes */
    double value[260];
};

static struct grid grid_of(const struct format *f)
{
    struct grid g = {.f = f, .count = (int)format_max(f) + 1};
    for (int i = 0; i < g.count; i++) {
        struct exact *x = exact_from_bits(f, (uint64_t)i);
        g.value[i] = exact_to_double(x);
        exact_free(x);
    }
    g.value[g.count] = 2 * g.value[g.count - 1] - g.value[g.count - 2];
    if (f->specials == FORMAT_SCALE)
        g.value[g.count] = 2 * g.value[g.count - 1];
    return g;
}

struct expectation {
    uint32_t bits, flags;
};

/* |x| of the grid's range, rounded: code i or i + 1. */
static int search(const struct grid *g, double x, int mode, bool negative, bool *inexact)
{
    int low = 0;
    while (low < g->count && g->value[low + 1] <= x)
        low++;
    double a = g->value[low], b = low < g->count ? g->value[low + 1] : INFINITY;
    *inexact = x != a;
    if (x <= a || low >= g->count) /* below the first value of a scale, or beyond everything */
        return low;
    double middle = a + (b - a) / 2;
    bool away = mode == ROUND_RNE   ? x > middle || (x == middle && (low & 1))
                : mode == ROUND_RNA ? x >= middle
                : mode == ROUND_RUP ? !negative
                : mode == ROUND_RDN ? negative
                                    : false;
    return low + away;
}

static struct expectation expect(const struct grid *g, double x, int mode, bool saturate)
{
    const struct format *f = g->f;
    bool negative = signbit(x), inexact;
    struct expectation want = {0, 0};
    int code = search(g, fabs(x), mode, negative, &inexact);
    bool infinite = mode == ROUND_RUP ? !negative : mode == ROUND_RDN ? negative : mode != ROUND_RTZ;
    want.flags = inexact ? FLAG_INEXACT : 0;
    if (code >= g->count) {
        want.flags = FLAG_INEXACT | FLAG_OVERFLOW;
        bool beyond = infinite && !saturate && (format_has_infinity(f) || f->specials == FORMAT_NAN_ONLY);
        code = g->count - !beyond;
    }
    want.bits = (uint32_t)code | (negative ? (uint32_t)format_sign_bit(f) : 0);
    return want;
}

static uint32_t round_double(const struct format *f, double x, const struct probe_policy *policy,
                             uint32_t *flags)
{
    struct exact *value = exact_from_double(x);
    struct round_input in = probe_input(value);
    struct round_output out;
    struct round_rule rule = probe_rule(f, policy);
    struct exact_error error;
    assert_true(probe_round_inputs(device, &in, &out, 1, &rule, &error));
    exact_free(value);
    *flags = out.flags;
    return out.bits;
}

static void check(const struct grid *g, double x, int mode, bool saturate)
{
    if (x <= 0 && !format_has_sign(g->f))
        return;
    struct probe_policy policy = {.mode = (enum round_mode)mode, .saturate = saturate};
    uint32_t flags, bits = round_double(g->f, x, &policy, &flags);
    struct expectation want = expect(g, x, mode, saturate);
    /* Tininess is tested in unit_probe. */
    if (bits != want.bits || (flags & ~(uint32_t)FLAG_UNDERFLOW) != want.flags)
        fail_msg("%s %a mode %d: 0x%x, not 0x%x (flags %u, not %u)", g->f->name, x, mode, bits, want.bits,
                 flags, want.flags);
}

/* Six places between each pair of neighbours, and beyond the end, in each mode. */
static void between_all_neighbours(void **state)
{
    (void)state;
    for (int id = FORMAT_E5M2; id < FORMAT_COUNT; id++) {
        struct grid g = grid_of(&format_table[id]);
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++)
            for (int i = 0; i < g.count; i++) {
                double a = g.value[i], step = g.value[i + 1] - a;
                static const double places[] = {0,   0x1p-40,       0.25,       0.5 - 0x1p-30,
                                                0.5, 0.5 + 0x1p-30, 1 - 0x1p-40};
                for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
                    check(&g, a + places[p] * step, mode, (i + mode) & 1);
                    check(&g, -(a + places[p] * step), mode, (i + mode) & 1);
                }
            }
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++)
            for (double x = g.value[g.count]; x < 1e300; x *= 37) {
                check(&g, x, mode, false);
                check(&g, -x, mode, true);
            }
    }
}

/* ---- published numbers ---- */

static struct bits_result round_text(const char *text, const char *format, const struct probe_policy *policy)
{
    struct exact_error error;
    struct bits_result r;
    struct exact *x = exact_parse(text, &error);
    assert_non_null(x);
    assert_true(probe_round(device, &x, 1, format_find(format), policy, &r, &error));
    exact_free(x);
    return r;
}

static void known_values(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format;
        bool saturate;
        uint32_t bits;
    } rows[] = {
        {"448", "e4m3", false, 0x7e},
        {"449", "e4m3", false, 0x7e},
        {"450", "e4m3", false, 0x7e},
        {"464", "e4m3", false, 0x7e},
        {"464 + 1e-30", "e4m3", false, 0x7f},
        {"465", "e4m3", false, 0x7f},
        {"-465", "e4m3", false, 0xff},
        {"465", "e4m3", true, 0x7e},
        {"-448.0001", "e4m3", false, 0xfe},
        {"inf", "e4m3", false, 0x7f},
        {"-inf", "e4m3", false, 0xff},
        {"-inf", "e4m3", true, 0xfe},
        {"nan", "e4m3", true, 0x7f},
        {"1000", "e3m2", false, 0x1f},
        {"-1000", "e2m3", false, 0x3f},
        {"-inf", "e2m1", false, 0xf},
        {"0.25", "e2m1", false, 0},
        {"0.75", "e2m1", false, 2},
        {"1.25", "e2m1", false, 2},
        {"1.75", "e2m1", false, 4},
        {"2.5", "e2m1", false, 4},
        {"3.5", "e2m1", false, 6},
        {"5", "e2m1", false, 6},
        {"5.0000001", "e2m1", false, 7},
        {"-0", "e2m1", false, 8},
        {"61439", "e5m2", false, 0x7b},
        {"61440", "e5m2", false, 0x7c},
        {"61440", "e5m2", true, 0x7b},
        {"4.25", "e4m3", false, 0x48},
        {"1.5", "e8m0", false, 0x80},
        {"3", "e8m0", false, 0x80},
        {"2.9", "e8m0", false, 0x80},
        {"2^-127", "e8m0", false, 0},
        {"2^-200", "e8m0", false, 0},
        {"2^127", "e8m0", false, 0xfe},
        {"2^130", "e8m0", false, 0xfe},
        {"inf", "e8m0", false, 0xfe},
        {"nan", "e8m0", false, 0xff},
        {"1 + 2^-10", "tf32", false, 0x1fc01},
        {"1/3", "tf32", false, 0x1f555},
        {"1.0001", "e2m23", false, 0x800347},
        {"e4m3:0xff", "fp16", false, 0xfe00},
        {"e5m2:0x7d", "fp16", false, 0x7f00},
        {"e4m3.max", "fp16", false, 0x5f00},
        {"e2m1.max", "e4m3", false, 0x4c},
        {"e8m0:0xff", "fp32", false, 0x7fc00000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_policy policy = {.saturate = rows[i].saturate};
        struct bits_result r = round_text(rows[i].text, rows[i].format, &policy);
        if (r.bits != rows[i].bits)
            fail_msg("%s %s: 0x%x, not 0x%x", rows[i].format, rows[i].text, r.bits, rows[i].bits);
        bits_result_clear(&r);
    }
}

/* Four encodings of a NaN and what CUDA and F16C make of them. */
static void nan_rules(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t fp16[NAN_RULE_COUNT], bf16[NAN_RULE_COUNT];
    } rows[] = {
        {"fp32:0x7f800001", {0x7e00, 0x7fff, 0x7e00}, {0x7fc0, 0x7fff, 0x7fc0}},
        {"fp32:0xffc00000", {0xfe00, 0x7fff, 0xfe00}, {0xffc0, 0x7fff, 0xffc0}},
        {"fp32:0x7fffffff", {0x7fff, 0x7fff, 0x7fff}, {0x7fff, 0x7fff, 0x7fff}},
        {"fp32:0xffffffff", {0xffff, 0x7fff, 0xffff}, {0xffff, 0x7fff, 0xffff}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int rule = 0; rule < NAN_RULE_COUNT; rule++) {
            struct probe_policy policy = {.nan = (enum nan_rule)rule};
            struct bits_result r = round_text(rows[i].text, "fp16", &policy);
            assert_int_equal(r.bits, rows[i].fp16[rule]);
            bits_result_clear(&r);
            r = round_text(rows[i].text, "bf16", &policy);
            assert_int_equal(r.bits, rows[i].bf16[rule]);
            bits_result_clear(&r);
        }
    struct probe_policy cuda = {.nan = NAN_RULE_CUDA};
    struct bits_result r = round_text("fp32:0xffc00000", "e4m3", &cuda);
    assert_int_equal(r.bits, 0x7f);
    bits_result_clear(&r);
    r = round_text("-nan", "e5m2", &cuda);
    assert_int_equal(r.bits, 0x7f);
    bits_result_clear(&r);
}

static void what_does_not_fit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format, *message;
    } rows[] = {{"nan", "e2m1", "e2m1 has no NaN"},
                {"fp32:0x7f800001", "e3m2", "e3m2 has no NaN"},
                {"0", "e8m0", "e8m0 has no zero"},
                {"-0", "e8m0", "e8m0 has no zero"},
                {"-1", "e8m0", "e8m0 has no negative values"},
                {"-inf", "e8m0", "e8m0 has no negative values"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_policy policy = {.mode = ROUND_RNE};
        struct exact_error error;
        struct bits_result r;
        struct exact *x = exact_parse(rows[i].text, &error);
        assert_false(probe_round(device, &x, 1, format_find(rows[i].format), &policy, &r, &error));
        assert_string_equal(error.message, rows[i].message);
        exact_free(x);
    }
}

/* Flushed exactly where the result, rounded to the precision without a least exponent, is below 2^emin. */
static void flush_to_zero(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum round_mode mode;
        uint32_t bits, flags;
    } rows[] = {
        {"2^-14", ROUND_RNE, 0x0400, 0},
        {"2^-24", ROUND_RNE, 0, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"-2^-15", ROUND_RNE, 0x8000, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"2^-24", ROUND_RUP, 0, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"2^-14 - 2^-26", ROUND_RNE, 0x0400, FLAG_INEXACT}, /* the tie between 1 - 2^-11 and 1, x 2^-14 */
        {"2^-14 - 2^-26 - 1e-30", ROUND_RNE, 0, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"2^-14 - 1e-30", ROUND_RTZ, 0, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"2^-14 - 2^-25", ROUND_RUP, 0, FLAG_INEXACT | FLAG_UNDERFLOW},
        {"2^-14 - 2^-25 + 1e-30", ROUND_RUP, 0x0400, FLAG_INEXACT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct probe_policy policy = {.mode = rows[i].mode, .ftz = true};
        struct bits_result r = round_text(rows[i].text, "fp16", &policy);
        if (r.bits != rows[i].bits || r.flags != rows[i].flags)
            fail_msg("%s mode %d: 0x%x flags %u", rows[i].text, rows[i].mode, r.bits, r.flags);
        bits_result_clear(&r);
    }
    struct probe_policy daz = {.daz = true};
    struct bits_result r = round_text("fp16:0x8001", "fp32", &daz);
    assert_int_equal(r.bits, 0x80000000u);
    bits_result_clear(&r);
    r = round_text("fp64:0x000fffffffffffff", "fp32", &daz);
    assert_int_equal(r.bits, 0);
    bits_result_clear(&r);
    r = round_text("fp16:0x0400", "fp32", &daz);
    assert_int_equal(r.bits, 0x38800000u);
    bits_result_clear(&r);
}

/* ---- stochastic rounding: all words ---- */

/* How many of the 2^bits words round away from zero. */
static uint32_t count_away(const char *text, const char *format, int bits, uint32_t towards)
{
    struct exact_error error;
    struct exact *x = exact_parse(text, &error);
    uint32_t n = 1u << bits, count = 0;
    struct round_input *in = malloc(n * sizeof *in);
    struct round_output *out = malloc(n * sizeof *out);
    assert_true(x && in && out);
    for (uint32_t word = 0; word < n; word++) {
        in[word] = probe_input(x);
        in[word].random = word;
    }
    struct probe_policy policy = {.mode = ROUND_SR, .random_bits = bits};
    struct round_rule rule = probe_rule(format_find(format), &policy);
    assert_true(probe_round_inputs(device, in, out, n, &rule, &error));
    for (uint32_t word = 0; word < n; word++) {
        assert_true(out[word].bits == towards || out[word].bits == towards + 1);
        count += out[word].bits != towards;
    }
    assert_int_equal(probe_words_away(x, format_find(format), bits), count);
    exact_free(x);
    free(in);
    free(out);
    return count;
}

static void stochastic_words(void **state)
{
    (void)state;
    assert_int_equal(count_away("2^-25", "fp16", 16, 0), 1 << 15);
    assert_int_equal(count_away("-2^-25", "fp16", 8, 0x8000), 1 << 7);
    assert_int_equal(count_away("1", "fp16", 16, 0x3c00), 0);
    assert_int_equal(count_away("fp16.min_subnormal", "fp16", 16, 1), 0);
    assert_int_equal(count_away("1 + 3*2^-13", "fp16", 10, 0x3c00), 3 << 7); /* 3/8 of an ulp */
    assert_int_equal(count_away("1 + 2^-13", "fp16", 1, 0x3c00), 1); /* below 1/2: rounded up to one word */
    assert_int_equal(count_away("65504 + 8", "fp16", 12, 0x7bff), 1 << 10); /* overflow in a quarter */
    assert_int_equal(count_away("448 + 16", "e4m3", 8, 0x7e), 1 << 7);
    assert_int_equal(count_away("0.75", "e2m1", 8, 1), 1 << 7);
    assert_int_equal(count_away("3", "e8m0", 8, 0x80), 1 << 7);
    assert_int_equal(count_away("2^-200", "fp16", 4, 0), 1);
    assert_int_equal(count_away("1/3 * 2^-24", "fp16", 12, 0), 1366);
    assert_int_equal(count_away("1/3", "e2m1", 16, 0), 43691); /* 2/3 x 2^16, rounded up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_all_neighbours),
        cmocka_unit_test(known_values),
        cmocka_unit_test(nan_rules),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(flush_to_zero),
        cmocka_unit_test(stochastic_words),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
