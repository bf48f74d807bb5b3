/* Shortest decimals, certain digits, and the intervals of encodings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "kernels/random.k.h"
#include "probe.h"
#include "probe_device.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t read_back(const struct exact *x, const struct format *f)
{
    uint32_t bits;
    struct exact_error error;
    assert_true(probe_round_one(device, x, f, ROUND_RNE, &bits, &error));
    return bits;
}

/* Significant digits of a plain decimal. */
static int digits_of(const struct exact *x)
{
    char *text = exact_text(x);
    int count = 0, zeros = 0;
    for (const char *c = text; *c; c++)
        if (*c >= '0' && *c <= '9' && (count || *c != '0')) {
            count++;
            zeros = *c == '0' ? zeros + 1 : 0;
        }
    free(text);
    return count - zeros;
}

/* The shortest decimal reads back, and the nearest decimal with a digit less does not. */
static void check_shortest(const struct format *f, uint32_t bits)
{
    struct exact *x = exact_from_bits(f, bits), *s = probe_shortest(f, bits);
    struct exact_error error;
    char text[64];
    assert_non_null(s);
    if (read_back(s, f) != bits)
        fail_msg("%s 0x%x", f->name, bits);
    int digits = digits_of(s);
    if (digits > 1) {
        snprintf(text, sizeof text, "%.*e", digits - 2, exact_to_double(x));
        struct exact *shorter = exact_parse(text, &error);
        if (read_back(shorter, f) == bits)
            fail_msg("%s 0x%x: %s is shorter", f->name, bits, text);
        exact_free(shorter);
    }
    exact_free(x);
    exact_free(s);
}

static void shortest_decimals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format, *shortest;
    } rows[] = {
        {"65504", "fp16", "65500"},
        {"fp16.min_subnormal", "fp16", "0.00000006"},
        {"1/3", "fp16", "0.3333"},
        {"17568", "fp16", "17570"},
        {"-0.1", "fp32", "-0.1"},
        {"0.3", "bf16", "0.3"},
        {"16777216", "fp32", "16777216"},
        {"9.5367431640625e-7", "fp32", "0.0000009536743"},
        {"448", "e4m3", "450"},
        {"5.5", "e2m3", "5.5"},
        {"6", "e2m1", "6"},
        {"28", "e3m2", "30"}, /* everything from 26 on is 28 there */
        {"0.5", "e8m0", "0.5"},
        {"0", "fp16", "0"},
        {"-0", "fp16", "-0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct exact_error error;
        const struct format *f = format_find(rows[i].format);
        struct exact *x = exact_parse(rows[i].text, &error), *s = probe_shortest(f, read_back(x, f));
        char *text = exact_text(s);
        if (strcmp(text, rows[i].shortest) != 0)
            fail_msg("%s %s: %s", rows[i].format, rows[i].text, text);
        free(text);
        exact_free(x);
        exact_free(s);
    }
    assert_null(probe_shortest(format_find("fp16"), 0x7c00));
    assert_null(probe_shortest(format_find("e4m3"), 0x7f));
    const struct format *fp16 = format_find("fp16"), *fp32 = format_find("fp32"), *e4m3 = format_find("e4m3");
    for (uint32_t bits = 1; bits < 0x7c00; bits += 3)
        check_shortest(fp16, bits);
    for (uint32_t bits = 1; bits < 0x7f; bits++)
        check_shortest(e4m3, bits | (bits & 1 ? 0x80 : 0));
    for (uint32_t i = 0; i < 3000; i++)
        check_shortest(fp32, k_random(8, 8, 8, i) % 0x7f7fffff + 1);
}

static int certain(const char *text, const char *format)
{
    struct exact_error error;
    const struct format *f = format_find(format);
    struct exact *x = exact_parse(text, &error);
    int count = probe_certain_digits(f, read_back(x, f));
    exact_free(x);
    return count;
}

static void certain_digits(void **state)
{
    (void)state;
    assert_int_equal(certain("1", "fp16"), 4); /* 0.001 >= 2^-10 */
    assert_int_equal(certain("0.1", "fp16"), 3);
    assert_int_equal(certain("2047", "fp16"), 4);
    assert_int_equal(certain("2048", "fp16"), 3);
    assert_int_equal(certain("1", "fp32"), 7);
    assert_int_equal(certain("8192", "fp32"), 7);
    assert_int_equal(certain("1", "bf16"), 3);
    assert_int_equal(certain("9", "bf16"), 2);
    assert_int_equal(certain("fp16.min_subnormal", "fp16"), 0);
    assert_int_equal(certain("1", "e8m0"), 1);
    /* What is claimed: every decimal of so many digits near 0.1 survives in fp16. */
    for (int i = 63; i < 125; i++) { /* 0.063 to 0.124: one binade and three decimal places */
        char text[16], again[16];
        struct exact_error error;
        snprintf(text, sizeof text, i < 100 ? "%.4f" : "%.3f", i / 1000.0);
        struct exact *x = exact_parse(text, &error);
        struct exact *stored = exact_from_bits(format_find("fp16"), read_back(x, format_find("fp16")));
        snprintf(again, sizeof again, i < 100 ? "%.4f" : "%.3f", exact_to_double(stored));
        assert_string_equal(text, again);
        exact_free(x);
        exact_free(stored);
    }
}

/* For every encoding of small formats and every mode: the ends of its interval, and points just inside and
 * outside, round as the interval says. */
static void check_end(const struct format *f, uint32_t bits, const struct probe_policy *policy,
                      const struct exact *end, bool closed, int outwards)
{
    struct exact_error error;
    struct exact *tiny = exact_parse("1e-80", &error);
    struct exact *in = outwards < 0 ? exact_add(end, tiny) : exact_subtract(end, tiny);
    struct exact *out = outwards < 0 ? exact_subtract(end, tiny) : exact_add(end, tiny);
    struct round_rule rule = probe_rule(f, policy);
    struct round_input inputs[] = {probe_input(end), probe_input(in), probe_input(out)};
    struct round_output results[3];
    assert_true(probe_round_inputs(device, inputs, results, 3, &rule, &error));
    bool without_zero = exact_is_zero(end) && !format_has_zero(f); /* the open end of a scale */
    if (!without_zero &&
        ((results[0].bits == bits) != closed || results[1].bits != bits || results[2].bits == bits))
        fail_msg("%s 0x%x mode %d %s end: 0x%x 0x%x 0x%x, %s", f->name, bits, policy->mode,
                 outwards < 0 ? "low" : "high", results[0].bits, results[1].bits, results[2].bits,
                 closed ? "closed" : "open");
    exact_free(tiny);
    exact_free(in);
    exact_free(out);
}

static void intervals_hold(void **state)
{
    (void)state;
    static const char *const names[] = {"e5m2", "e4m3", "e3m2", "e2m3", "e2m1", "e8m0", "e3m4"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++)
            for (uint32_t bits = 0; bits >> format_find(names[n])->width == 0; bits++)
                for (int variant = 0; variant < 3; variant++) {
                    const struct format *f = format_find(names[n]);
                    struct probe_policy policy = {.mode = (enum round_mode)mode,
                                                  .saturate = variant == 1,
                                                  .ftz = variant == 2 && format_has_zero(f)};
                    struct bits_explanation e;
                    assert_true(probe_explain(f, bits, &policy, &e));
                    if (e.has_interval && e.low && (!e.high || exact_compare(e.low, e.high) != 0))
                        check_end(f, bits, &policy, e.low, e.low_closed, -1);
                    if (e.has_interval && e.high && (!e.low || exact_compare(e.low, e.high) != 0))
                        check_end(f, bits, &policy, e.high, e.high_closed, 1);
                    bits_explanation_clear(&e);
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortest_decimals),
        cmocka_unit_test(certain_digits),
        cmocka_unit_test(intervals_hold),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
