/* Formats as data: the table, names, fields, classes, landmarks and neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct format *const fp32 = &format_table[FORMAT_FP32];
static const struct format *const fp16 = &format_table[FORMAT_FP16];
static const struct format *const bf16 = &format_table[FORMAT_BF16];

/* The value by definition, in a double, which holds every value of these formats. */
static double value_of(const struct format *f, uint64_t bits)
{
    int e = format_biased_exponent(f, bits);
    double t = ldexp((double)format_trailing(f, bits), -f->trailing_bits);
    double magnitude = ldexp(e ? 1 + t : t, e ? e - f->bias : f->emin);
    return format_sign(f, bits) ? -magnitude : magnitude;
}

static void test_parameters(void **state)
{
    (void)state;
    /* IEEE 754-2019 table 3.5; bfloat16 has binary32's exponent field. */
    static const struct {
        int id, width, p, bias, emax, emin;
    } rows[] = {
        {FORMAT_FP32, 32, 24, 127, 127, -126},
        {FORMAT_FP16, 16, 11, 15, 15, -14},
        {FORMAT_BF16, 16, 8, 127, 127, -126},
        {FORMAT_TF32, 19, 11, 127, 127, -126},
        /* OCP OFP8 and MX v1.0 */
        {FORMAT_E5M2, 8, 3, 15, 15, -14},
        {FORMAT_E4M3, 8, 4, 7, 8, -6},
        {FORMAT_E3M2, 6, 3, 3, 4, -2},
        {FORMAT_E2M3, 6, 4, 1, 2, 0},
        {FORMAT_E2M1, 4, 2, 1, 2, 0},
        {FORMAT_E8M0, 8, 1, 127, 127, -127},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct format *f = &format_table[rows[i].id];
        assert_int_equal(f->width, rows[i].width);
        assert_int_equal(f->precision, rows[i].p);
        assert_int_equal(f->bias, rows[i].bias);
        assert_int_equal(f->emax, rows[i].emax);
        assert_int_equal(f->emin, rows[i].emin);
    }
    for (int i = 0; i < FORMAT_COUNT; i++) {
        const struct format *f = &format_table[i];
        assert_int_equal(f->width, format_has_sign(f) + f->exponent_bits + f->trailing_bits);
        assert_int_equal(f->precision, f->trailing_bits + 1);
        assert_int_equal(f->key, i);
        if (f->specials == FORMAT_INF_NAN)
            assert_int_equal(f->emin, 1 - f->emax);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int id;
    } rows[] = {
        {"fp32", FORMAT_FP32},     {"FP32", FORMAT_FP32},     {"float32", FORMAT_FP32},
        {"single", FORMAT_FP32},   {"f32", FORMAT_FP32},      {"fp16", FORMAT_FP16},
        {"Half", FORMAT_FP16},     {"float16", FORMAT_FP16},  {"f16", FORMAT_FP16},
        {"binary16", FORMAT_FP16}, {"bfloat16", FORMAT_BF16}, {"BRAIN16", FORMAT_BF16},
        {"bf16", FORMAT_BF16},     {"e4m3fn", FORMAT_E4M3},   {"E5M2", FORMAT_E5M2},
        {"fp4", FORMAT_E2M1},      {"ue8m0", FORMAT_E8M0},    {"e2m1", FORMAT_E2M1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_ptr_equal(format_find(rows[i].name), &format_table[rows[i].id]);
    }
    static const char *const wrong[] = {"",      " ",     "fp",   "fp1", "fp160", "float32 float",
                                        "half ", " half", "fp64", "16",  "e9m1",  "e1m5",
                                        "e5m24", "e5m0",  "e5m",  "fp8"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_null(format_find(wrong[i]));
    }
    /* No name or alias means two formats. */
    for (int i = 0; i < FORMAT_COUNT; i++) {
        char aliases[128];
        strncpy(aliases, format_table[i].aliases, sizeof aliases - 1);
        aliases[sizeof aliases - 1] = '\0';
        for (char *word = strtok(aliases, " "); word; word = strtok(NULL, " ")) {
            assert_ptr_equal(format_find(word), &format_table[i]);
        }
        assert_ptr_equal(format_find(format_table[i].name), &format_table[i]);
    }
}

static void test_fields(void **state)
{
    (void)state;
    assert_int_equal(format_sign(fp16, 0xb266), 1);
    assert_int_equal(format_biased_exponent(fp16, 0x2e66), 11);
    assert_int_equal(format_trailing(fp16, 0x2e66), 0x266);
    assert_int_equal(format_biased_exponent(fp32, 0xff800001), 255);
    assert_int_equal(format_trailing(fp32, 0xff800001), 1);
    assert_int_equal(format_trailing(bf16, 0xffff), 0x7f);
    for (uint64_t bits = 0; bits < 1 << 16; bits++) {
        uint64_t again = (uint64_t)format_sign(bf16, bits) << 15 |
                         (uint64_t)format_biased_exponent(bf16, bits) << 7 | format_trailing(bf16, bits);
        assert_int_equal(again, bits);
    }
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        uint64_t bits;
        const char *name;
    } rows[] = {
        {0x0000, "zero"},      {0x8000, "zero"},      {0x0001, "subnormal"},     {0x83ff, "subnormal"},
        {0x0400, "normal"},    {0xfbff, "normal"},    {0x7c00, "infinite"},      {0xfc00, "infinite"},
        {0x7e00, "quiet_nan"}, {0xffff, "quiet_nan"}, {0x7c01, "signaling_nan"}, {0xfdff, "signaling_nan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(format_class_name(format_classify(fp16, rows[i].bits)), rows[i].name);
    }
    int count[6] = {0};
    for (uint64_t bits = 0; bits < 1 << 16; bits++) {
        count[format_classify(bf16, bits)]++;
    }
    assert_int_equal(count[CLASS_ZERO], 2);
    assert_int_equal(count[CLASS_SUBNORMAL], 2 * 127);
    assert_int_equal(count[CLASS_NORMAL], 2 * 254 * 128);
    assert_int_equal(count[CLASS_INFINITE], 2);
    assert_int_equal(count[CLASS_QUIET_NAN], 2 * 64);
    assert_int_equal(count[CLASS_SIGNALING_NAN], 2 * 63);
}

static void test_landmarks(void **state)
{
    (void)state;
    assert_int_equal(format_max(fp16), 0x7bff);
    assert_int_equal(format_min_normal(fp16), 0x0400);
    assert_int_equal(format_min_subnormal(fp16), 1);
    assert_int_equal(format_infinity(fp16), 0x7c00);
    assert_int_equal(format_quiet_nan(fp16), 0x7e00);
    assert_int_equal(format_max(fp32), 0x7f7fffff);
    assert_int_equal(format_min_normal(fp32), 0x00800000);
    assert_int_equal(format_quiet_nan(fp32), 0x7fc00000);
    assert_int_equal(format_max(bf16), 0x7f7f);
    assert_int_equal(format_infinity(bf16), 0x7f80);
    assert_int_equal(format_quiet_nan(bf16), 0x7fc0);
}

/* From -inf upwards every value of a 16-bit format is met once, the zeros counting as one step. */
static void check_chain(const struct format *f)
{
    uint64_t bits = format_infinity(f) | UINT64_C(0x8000), next = 0;
    size_t steps = 0;
    double last = -INFINITY;
    assert_false(format_next_down(f, bits, &next));
    while (format_next_up(f, bits, &next)) {
        uint64_t back;
        assert_true(format_next_down(f, next, &back));
        /* -0 and +0 are one value; down from the smallest subnormal comes +0. */
        assert_int_equal(back, bits == 0x8000 ? 0 : bits);
        if (next != format_infinity(f)) {
            assert_true(value_of(f, next) > last);
            last = value_of(f, next);
        }
        bits = next;
        steps++;
        assert_true(steps < 1 << 17);
    }
    assert_int_equal(bits, format_infinity(f));
    assert_int_equal(steps, 2 * format_infinity(f));
}

static void test_neighbours(void **state)
{
    (void)state;
    static const struct {
        uint64_t bits;
        int64_t up, down; /* -1: none */
    } rows[] = {
        {0x0000, 0x0001, 0x8001}, {0x8000, 0x0001, 0x8001}, {0x0001, 0x0002, 0x0000},
        {0x8001, 0x8000, 0x8002}, {0x3c00, 0x3c01, 0x3bff}, {0xbc00, 0xbbff, 0xbc01},
        {0x7bff, 0x7c00, 0x7bfe}, {0xfbff, 0xfbfe, 0xfc00}, {0x7c00, -1, 0x7bff},
        {0xfc00, 0xfbff, -1},     {0x7e00, -1, -1},         {0xfc01, -1, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t out = 0xdead;
        assert_int_equal(format_next_up(fp16, rows[i].bits, &out), rows[i].up >= 0);
        assert_int_equal(out, rows[i].up >= 0 ? rows[i].up : 0xdead);
        out = 0xdead;
        assert_int_equal(format_next_down(fp16, rows[i].bits, &out), rows[i].down >= 0);
        assert_int_equal(out, rows[i].down >= 0 ? rows[i].down : 0xdead);
    }
    check_chain(fp16);
    check_chain(bf16);
    for (uint64_t bits = 0; bits < UINT64_C(0x7f800000);
         bits += 65521) { /* nextafterf is another implementation */
        uint64_t up;
        assert_true(format_next_up(fp32, bits, &up));
        assert_true(value_of(fp32, up) == nextafterf((float)value_of(fp32, bits), INFINITY));
    }
}

static void check_values(const struct format *f, double max, double min_normal, double min_subnormal)
{
    assert_true(value_of(f, format_max(f)) == max);
    assert_true(value_of(f, format_min_normal(f)) == min_normal);
    assert_true(value_of(f, format_min_subnormal(f)) == min_subnormal);
}

/* The numbers of OCP's tables; what the codes at the top are. */
static void test_small_formats(void **state)
{
    (void)state;
    const struct format *e5m2 = format_find("e5m2"), *e4m3 = format_find("e4m3"), *e8m0 = format_find("e8m0");
    check_values(e5m2, 57344, 0x1p-14, 0x1p-16);
    check_values(e4m3, 448, 0x1p-6, 0x1p-9);
    check_values(format_find("e3m2"), 28, 0.25, 0.0625);
    check_values(format_find("e2m3"), 7.5, 1, 0.125);
    check_values(format_find("e2m1"), 6, 1, 0.5);
    assert_int_equal(format_classify(e5m2, 0x7c), CLASS_INFINITE);
    assert_int_equal(format_classify(e5m2, 0x7d), CLASS_SIGNALING_NAN);
    int count[6] = {0};
    for (uint64_t bits = 0; bits < 256; bits++)
        count[format_classify(e4m3, bits)]++;
    assert_int_equal(count[CLASS_QUIET_NAN], 2);
    assert_int_equal(count[CLASS_INFINITE] + count[CLASS_SIGNALING_NAN], 0);
    assert_int_equal(count[CLASS_SUBNORMAL], 14);
    assert_int_equal(format_quiet_nan(e4m3), 0x7f);
    assert_int_equal(format_quiet_nan(e8m0), 0xff);
    assert_int_equal(format_classify(e8m0, 0), CLASS_NORMAL);
    assert_int_equal(format_sign(e8m0, 0xff), 0);
    for (const char *const *name = (const char *const[]){"e3m2", "e2m3", "e2m1", NULL}; *name; name++) {
        const struct format *f = format_find(*name);
        for (uint64_t bits = 0; bits >> f->width == 0; bits++)
            assert_true(format_classify(f, bits) <= CLASS_NORMAL);
    }
}

/* Where values end: no neighbour beyond, and every other one counted once. */
static void test_ends(void **state)
{
    (void)state;
    for (int i = FORMAT_E4M3; i < FORMAT_COUNT; i++) {
        const struct format *f = &format_table[i];
        uint64_t bits = format_max(f) | format_sign_bit(f), next, steps = 0;
        if (format_has_infinity(f))
            continue;
        if (!format_has_sign(f))
            bits = 0;
        assert_false(format_next_down(f, bits, &next));
        for (; format_next_up(f, bits, &next); bits = next, steps++)
            assert_true(steps < 300);
        assert_int_equal(bits, format_max(f));
        assert_int_equal(steps, format_has_sign(f) ? 2 * format_max(f) : format_max(f));
    }
}

/* Custom formats: constant data, whatever the case of the name. */
static void test_custom(void **state)
{
    (void)state;
    const struct format *f = format_find("E6M9");
    assert_non_null(f);
    assert_ptr_equal(f, format_find("e6m9"));
    assert_string_equal(f->name, "e6m9");
    assert_int_equal(f->width, 16);
    assert_int_equal(f->emin, -30);
    for (int e = 2; e <= 8; e++)
        for (int t = 1; t <= 23; t++) {
            char name[16];
            snprintf(name, sizeof name, "e%dm%d", e, t);
            f = format_find(name);
            assert_non_null(f);
            assert_int_equal(f->exponent_bits * 100 + f->trailing_bits, e * 100 + t);
        }
    assert_int_equal(format_find("e2m1")->specials, FORMAT_FINITE); /* the table's own */
    assert_int_equal(format_find("e4m4")->specials, FORMAT_INF_NAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parameters),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_fields),        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_landmarks),     cmocka_unit_test(test_neighbours),
        cmocka_unit_test(test_small_formats), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_custom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
