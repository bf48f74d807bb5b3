/* Exact values as text: where there is one, short forms, hex floats, and no locale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact_test.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void test_text_range(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool text;
    } rows[] = {
        {"2^20000", true},    {"2^20000+1", false},         {"2^20000-1/3", true},       {"-2^20001", false},
        {"2^-20000", true},   {"2^-20000-2^-30000", false}, {"1e-6020", true},           {"1e-6021", false},
        {"1+2^-99999", true}, {"1+1e-999999999", false},    {"2^-20000+2^-20001", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exact *x = parse(rows[i].value);
        char *text = exact_text(x);
        if ((text != NULL) != rows[i].text) {
            fail_msg("%s", rows[i].value);
        }
        free(text);
        exact_free(x);
    }
}

static void test_short_text(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int digits;
        const char *ascii;
    } rows[] = {
        {"0", 6, "0"},
        {"-0", 6, "-0"},
        {"inf", 6, "inf"},
        {"-inf", 6, "-inf"},
        {"nan", 6, "nan"},
        {"1", 1, "1"},
        {"0.1", 6, "0.1"},
        {"-0.99999", 6, "-0.99999"},
        {"1/3", 6, "0.333333..."},
        {"2/3", 3, "0.666..."},
        {"65504", 5, "65504"},
        {"65504", 4, "6.550...e4"},
        {"65519.99999", 5, "65519...."},
        {"65519.99999", 8, "65519.999..."},
        {"1200", 4, "1200"},
        {"12000", 4, "1.2e4"},
        {"9.9999", 2, "9.9..."},
        {"99999", 4, "9.999...e4"},
        {"0.0009765625", 12, "0.0009765625"},
        {"1e-5", 6, "0.00001"},
        {"1e-5", 4, "1e-5"},
        {"fp32:0x3727c5ac", 12, "9.99999974737...e-6"},
        {"2^-24", 6, "5.96046...e-8"},
        {"2^-24", 20, "5.9604644775390625e-8"},
        {"2^-24", 24, "0.000000059604644775390625"},
        {"fp32.max", 12, "3.40282346638...e38"},
        {"1e999999999", 6, "1e999999999"},
        {"-2e-999999999", 6, "-2e-999999999"},
        {"1+1e-999999999", 4, "1.000..."},
        {"1-1e-999999999", 4, "0.9999..."},
        {"1e99999999999999999999", 4, ">1e1000000000000000000"},
        {"-1e99999999999999999999", 4, "<-1e1000000000000000000"},
        {"1e-99999999999999999999", 4, "<1e-1000000000000000000"},
        {"-1e-99999999999999999999", 4, ">-1e-1000000000000000000"},
        {"7", 0, "7"},
        {"1/7", -3, "0.1..."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exact *x = parse(rows[i].value);
        char *text = exact_text_short(x, rows[i].digits, true);
        assert_string_equal(text, rows[i].ascii);
        free(text);
        exact_free(x);
    }
    struct exact *x = parse("1/3");
    char *text = exact_text_short(x, 4, false);
    assert_string_equal(text, "0.3333\xe2\x80\xa6");
    free(text);
    text = exact_text_short(x, 1000000, true);
    assert_int_equal(strlen(text), 2 + 1000 + 3);
    free(text);
    exact_free(x);
}

static void test_hexfloat(void **state)
{
    (void)state;
    static const struct {
        int format;
        uint64_t bits;
        const char *text;
    } rows[] = {
        {FORMAT_FP16, 0x2e66, "0x1.998p-4"},
        {FORMAT_FP16, 0x0001, "0x0.004p-14"},
        {FORMAT_FP16, 0x3c00, "0x1p+0"},
        {FORMAT_FP16, 0xbe00, "-0x1.8p+0"},
        {FORMAT_FP16, 0x0000, "0x0p+0"},
        {FORMAT_FP16, 0x8000, "-0x0p+0"},
        {FORMAT_FP16, 0x7c00, "inf"},
        {FORMAT_FP16, 0xfc00, "-inf"},
        {FORMAT_FP16, 0xfe01, "nan"},
        {FORMAT_FP16, 0x7bff, "0x1.ffcp+15"},
        {FORMAT_FP32, 1, "0x0.000002p-126"},
        {FORMAT_BF16, 0x3f81, "0x1.02p+0"},
        {FORMAT_FP32, 0x7f7fffff, "0x1.fffffep+127"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = exact_hexfloat(&format_table[rows[i].format], rows[i].bits);
        assert_string_equal(text, rows[i].text);
        free(text);
    }
    for (uint64_t bits = 0; bits < UINT64_C(0x7f800000); bits += 1234567) { /* the text reads back */
        char *text = exact_hexfloat(&format_table[FORMAT_FP32], bits);
        struct exact *x = parse(text), *y = exact_from_bits(&format_table[FORMAT_FP32], bits);
        assert_int_equal(exact_compare(x, y), 0);
        free(text);
        exact_free(x);
        exact_free(y);
    }
}

static void test_locale(void **state)
{
    (void)state;
    /* A locale with a decimal comma, if the machine has one; C otherwise. */
    setlocale(LC_ALL, "de_DE.UTF-8");
    struct exact *x = parse("1.5");
    check_text(x, "1.5", "1.5");
    char *text = exact_text_short(x, 3, true);
    assert_string_equal(text, "1.5");
    free(text);
    exact_free(x);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_range),
        cmocka_unit_test(test_short_text),
        cmocka_unit_test(test_hexfloat),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
