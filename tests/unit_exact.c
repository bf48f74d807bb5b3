/* Exact values: grammar, arithmetic against GMP's rationals, texts, errors, and texts that ask for too much.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact_test.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_values(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"0.1", "0.1"},
        {"1e-5", "0.00001"},
        {"1E5", "100000"},
        {".5", "0.5"},
        {"5.", "5"},
        {"007", "7"},
        {"1-1e-5", "0.99999"},
        {" 1\t+ 2 * 3 ", "7"},
        {"(1+2)*3", "9"},
        {"1/3", "1/3"},
        {"-2/6", "-1/3"},
        {"10/4", "2.5"},
        {"1/3+1/6", "0.5"},
        {"7/3*2^5*5^-2", "224/75"},
        {"1/3/3", "1/9"},
        {"8-3-2", "3"},
        {"2^-24", "0.000000059604644775390625"},
        {"-2^2", "-4"},
        {"(-2)^2", "4"},
        {"(-2)^3", "-8"},
        {"2^-(3)", "0.125"},
        {"2^3^2", "512"},
        {"2^-2^2", "0.0625"},
        {"(2/3)^-2", "2.25"},
        {"0^0", "1"},
        {"0^5", "0"},
        {"--5", "5"},
        {"-+-+5", "5"},
        {"2*-3", "-6"},
        {"2--3", "5"},
        {"0x1.8p-3", "0.1875"},
        {"0X1.8P-3", "0.1875"},
        {"0x1.8", "1.5"},
        {"0xff", "255"},
        {"0xd047p-16", "0.8135833740234375"},
        {"0x.8p1", "1"},
        {"fp16:0x3c00", "1"},
        {"FP16:0X3C00", "1"},
        {"half:0xc000", "-2"},
        {"-fp16:0x3c00", "-1"},
        {"fp16:0x1", "0.000000059604644775390625"},
        {"bf16:0b0011111110000000", "1"},
        {"bfloat16:0b11111110000000", "1"},
        {"fp32:0x3fc00000", "1.5"},
        {"fp64:0x3ff8000000000000", "1.5"},
        {"double:0xc000000000000000", "-2"},
        {"fp16.max", "65504"},
        {"FP16.MAX+1", "65505"},
        {"bf16.min_normal*2^126", "1"},
        {"fp16.min_subnormal*2^24", "1"},
        {"fp16.ulp_1", "0.0009765625"},
        {"fp32.ulp_1*2^23", "1"},
        {"fp64.ulp_1*2^52", "1"},
        {"fp64.min_subnormal*2^1074", "1"},
        {"float32.max*2^-104", "16777215"},
        {"0", "0"},
        {"-0", "-0"},
        {"-0.0", "-0"},
        {"- 0e5", "-0"},
        {"--0", "0"},
        {"-0x0p0", "-0"},
        {"fp16:0x8000", "-0"},
        {"-fp16:0x8000", "0"},
        {"-0+0", "0"},
        {"1*-0", "0"},
        {"-(1-1)", "0"},
        {"-0/5", "0"},
        {"inf", "inf"},
        {"-Infinity", "-inf"},
        {"+INF", "inf"},
        {"nan", "nan"},
        {"-NaN", "nan"},
        {"fp16:0xfc00", "-inf"},
        {"-fp16:0xfc00", "inf"},
        {"fp16:0x7e00", "nan"},
        {"1e999999999/1e999999998", "10"},
        {"1e999999999-1e999999999", "0"},
        {"1e999999999*1e-999999999", "1"},
        {"(10^(10^9)+10^(10^9))/10^(10^9)", "2"},
        {"(1+1e-999999999-1)*1e999999999", "1"},
        {"1e99999999999999999999/1e99999999999999999998", "10"},
        {"0e99999999999999999999", "0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exact *x = parse(rows[i][0]);
        check_text(x, rows[i][1], rows[i][0]);
        exact_free(x);
    }
}

static void test_errors(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        size_t column;
    } rows[] = {
        {"", "empty", 0},
        {" \t", "empty", 2},
        {"0.1x", "not a number", 3},
        {"x", "not a number", 0},
        {"-x", "not a number", 1},
        {"1 + y", "not a number", 4},
        {"1,5", "not a number", 1},
        {"1.2.3", "not a number", 3},
        {"1e", "not a number", 1},
        {"1e+", "not a number", 1},
        {"0x", "not a number", 2},
        {"0xg", "not a number", 2},
        {"0x1p", "not a number", 3},
        {".", "not a number", 0},
        {"0b11", "not a number", 1},
        {"\xc2\xbd", "not a number", 0},
        {"1\xe2\x88\x92"
         "2",
         "not a number", 1},
        {"infinite", "not a number", 0},
        {"1/0", "division by zero", 2},
        {"1/(2-2)", "division by zero", 2},
        {"1/-0", "division by zero", 2},
        {"0^-1", "division by zero", 2},
        {"2^0.5", "the exponent is not an integer", 2},
        {"2^(1/3)", "the exponent is not an integer", 2},
        {"2^1e-999999999", "the exponent is not an integer", 2},
        {"1+", "a value is missing", 2},
        {"-", "a value is missing", 1},
        {"1+*2", "a value is missing", 2},
        {"()", "a value is missing", 1},
        {"2^", "a value is missing", 2},
        {"1 2", "an operator is missing", 2},
        {"2(3)", "an operator is missing", 1},
        {"(2)3", "an operator is missing", 3},
        {"(1+2", "unbalanced parenthesis", 0},
        {"3*(1+(2)", "unbalanced parenthesis", 2},
        {"1)", "unbalanced parenthesis", 1},
        {"(1x)", "not a number", 2},
        {"fp16:0x10000", "too wide for fp16", 5},
        {"bf16:0b10000000000000000", "too wide for bf16", 5},
        {"fp64:0x10000000000000000", "too wide for fp64", 5},
        {"fp64:0xfffffffffffffffffffffffffffffffff", "too wide for fp64", 5},
        {"fp16:1", "bits begin with 0x or 0b", 5},
        {"fp16:", "bits begin with 0x or 0b", 5},
        {"fp16:0x", "not a number", 7},
        {"fp16:0b2", "not a number", 7},
        {"fp16:0x3c0g", "not a number", 10},
        {"1+fp17:0x3c00", "unknown format 'fp17'", 2},
        {"fp16.maximum", "unknown constant (max, min_normal, min_subnormal, ulp_1)", 5},
        {"inf-inf", "no arithmetic on inf and nan", 0},
        {"1/inf", "no arithmetic on inf and nan", 2},
        {"(nan)", "no arithmetic on inf and nan", 1},
        {"2*fp16:0x7c00", "no arithmetic on inf and nan", 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exact_error error;
        assert_null(exact_parse(rows[i].text, &error));
        if (strcmp(error.message, rows[i].message) != 0 || error.column != rows[i].column) {
            fail_msg("'%s': %s at %zu", rows[i].text, error.message, error.column);
        }
    }
}

static void test_typed_bits(void **state)
{
    (void)state;
    const struct format *f;
    uint64_t bits;
    struct exact *x = parse(" bf16:0x7f81 ");
    assert_true(exact_typed_bits(x, &f, &bits));
    assert_ptr_equal(f, &format_table[FORMAT_BF16]);
    assert_int_equal(bits, 0x7f81);
    assert_int_equal(exact_kind(x), EXACT_NAN);
    assert_true(exact_nan_payload(x) == UINT64_C(1) << 57);
    struct exact *copy = exact_copy(x);
    exact_free(x);
    assert_true(exact_typed_bits(copy, &f, &bits) && bits == 0x7f81);
    exact_free(copy);

    x = parse("fp64:0xfff4000000000000");
    assert_true(exact_typed_bits(x, &f, &bits));
    assert_null(f);
    assert_true(bits == UINT64_C(0xfff4000000000000));
    assert_int_equal(exact_sign(x), 1);
    assert_true(exact_nan_payload(x) == UINT64_C(1) << 62);
    exact_free(x);

    static const char *const untyped[] = {"1",        "-fp16:0x3c00", "fp16:0x3c00+0", "(fp16:0x3c00)",
                                          "fp16.max", "nan"};
    for (size_t i = 0; i < sizeof untyped / sizeof untyped[0]; i++) {
        x = parse(untyped[i]);
        assert_false(exact_typed_bits(x, &f, &bits));
        exact_free(x);
    }
    x = parse("-nan");
    assert_int_equal(exact_sign(x), 1);
    assert_true(exact_nan_payload(x) == UINT64_C(1) << 63);
    exact_free(x);
}

/* The exact value of a text of the contract, by GMP alone. */
static void text_to_mpq(const char *text, mpq_t q)
{
    char digits[4096];
    size_t n = 0, decimals = 0;
    const char *point = strchr(text, '.');
    if (strchr(text, '/') || !point) {
        assert_int_equal(mpq_set_str(q, text, 10), 0);
        return;
    }
    assert_true(strlen(text) < sizeof digits);
    for (const char *c = text; *c; c++) {
        if (*c != '.') {
            digits[n++] = *c;
        }
    }
    digits[n] = '\0';
    decimals = strlen(point + 1);
    assert_true(decimals > 0 && text[strlen(text) - 1] != '0');
    assert_int_equal(mpz_set_str(mpq_numref(q), digits, 10), 0);
    mpz_ui_pow_ui(mpq_denref(q), 10, decimals);
    mpq_canonicalize(q);
}

/* Text, leading bits and sign of x against q. */
static void check_against_mpq(const struct exact *x, const mpq_t q)
{
    mpq_t back;
    mpq_init(back);
    char *text = exact_text(x);
    assert_non_null(text);
    text_to_mpq(text, back);
    assert_true(mpq_equal(back, q));
    if (strchr(text, '/')) { /* lowest terms, and only where no decimal expansion ends */
        char *expected = mpq_get_str(NULL, 10, q);
        assert_string_equal(text, expected);
        free(expected);
        mpz_t d, factor;
        mpz_init_set(d, mpq_denref(q));
        for (unsigned long prime = 2; prime <= 5; prime += 3) {
            mpz_init_set_ui(factor, prime);
            mpz_remove(d, d, factor);
            mpz_clear(factor);
        }
        assert_true(mpz_cmp_ui(d, 1) > 0);
        mpz_clear(d);
    }
    free(text);
    if (mpq_sgn(q) == 0) {
        assert_true(exact_is_zero(x) && exact_sign(x) == 0);
    } else {
        struct exact_wide wide = exact_to_wide(x);
        assert_int_equal(wide.sign, mpq_sgn(q) < 0);
        assert_true(wide.significand >> 63);
        assert_int_equal(exact_exponent(x), wide.exponent + 63);
        mpq_abs(back, q);
        if (wide.exponent < 0) {
            mpq_mul_2exp(back, back, (mp_bitcnt_t)-wide.exponent);
        } else {
            mpq_div_2exp(back, back, (mp_bitcnt_t)wide.exponent);
        }
        bool inexact = mpz_cmp_ui(mpq_denref(back), 1) != 0;
        mpz_fdiv_q(mpq_numref(back), mpq_numref(back), mpq_denref(back));
        assert_true((mpz_get_ui(mpq_numref(back)) | inexact) == wide.significand);
    }
    mpq_clear(back);
}

static void random_operand(gmp_randstate_t random, char *text, size_t size, mpq_t q)
{
    unsigned long kind = gmp_urandomm_ui(random, 4), p = gmp_urandomb_ui(random, 40),
                  e = gmp_urandomm_ui(random, 60);
    unsigned long d = 1 + gmp_urandomb_ui(random, kind == 0 ? 30 : 5);
    mpq_set_ui(q, p, kind < 2 ? d : 1);
    mpq_canonicalize(q);
    if (kind < 2) {
        snprintf(text, size, "(%lu/%lu)", p, d);
    } else if (kind == 2) {
        snprintf(text, size, "%lue-%lu", p, e);
        mpz_ui_pow_ui(mpq_denref(q), 10, e);
        mpq_canonicalize(q);
    } else {
        snprintf(text, size, "0x%lxp%lu", p, e);
        mpq_mul_2exp(q, q, e);
    }
}

static void test_arithmetic(void **state)
{
    (void)state;
    gmp_randstate_t random;
    gmp_randinit_default(random);
    mpq_t a, b, q;
    mpq_inits(a, b, q, NULL);
    for (int i = 0; i < 4000; i++) {
        char left[64], right[64], text[160];
        random_operand(random, left, sizeof left, a);
        random_operand(random, right, sizeof right, b);
        char op = "+-*/"[i % 4];
        if (op == '/' && mpq_sgn(b) == 0) {
            continue;
        }
        (op == '+' ? mpq_add : op == '-' ? mpq_sub : op == '*' ? mpq_mul : mpq_div)(q, a, b);
        snprintf(text, sizeof text, "%s%c%s", left, op, right);
        struct exact *x = parse(text), *l = parse(left), *r = parse(right);
        check_against_mpq(x, q);
        int order = mpq_cmp(a, b);
        assert_int_equal(exact_compare(l, r), (order > 0) - (order < 0));
        if (mpq_sgn(b) != 0) {
            mpq_div(q, a, b);
            double ratio = exact_ratio(l, r), truncated = mpq_get_d(q);
            assert_true(ratio == truncated || ratio == nextafter(truncated, INFINITY));
        }
        exact_free(x);
        exact_free(l);
        exact_free(r);
    }
    mpq_clears(a, b, q, NULL);
    gmp_randclear(random);
}

static void test_specials(void **state)
{
    (void)state;
    struct exact *inf = parse("inf"), *minus = parse("-inf"), *nan = parse("nan"), *zero = parse("0"),
                 *minus_zero = parse("-0"), *two = parse("2"), *far = parse("1e999999999");
    assert_null(exact_add(inf, two));
    assert_null(exact_multiply(two, nan));
    assert_null(exact_divide(two, zero));
    assert_null(exact_ulp(inf, &format_table[FORMAT_FP16]));
    assert_int_equal(exact_compare(inf, far), 1);
    assert_int_equal(exact_compare(minus, inf), -1);
    assert_int_equal(exact_compare(inf, inf), 0);
    assert_int_equal(exact_compare(zero, minus_zero), 0);
    assert_int_equal(exact_compare(minus_zero, two), -1);
    assert_int_equal(exact_compare(far, two), 1);
    assert_true(isinf(exact_to_double(minus)) && exact_to_double(minus) < 0);
    assert_true(isnan(exact_to_double(nan)) && isnan(exact_ratio(zero, zero)) &&
                isnan(exact_ratio(inf, inf)));
    assert_true(exact_ratio(two, minus_zero) == -INFINITY);
    assert_true(exact_ratio(two, minus) == 0 && signbit(exact_ratio(two, minus)));
    assert_true(signbit(exact_to_double(minus_zero)));
    assert_true(exact_ratio(far, far) == 1);
    assert_true(exact_is_zero(minus_zero) && exact_sign(minus_zero) == 1);
    struct exact *scaled = exact_scale(two, -10);
    check_text(scaled, "0.001953125", "2 x 2^-10");
    exact_free(scaled);
    scaled = exact_scale(two, INT64_MIN);
    assert_int_equal(exact_exponent(scaled), -(INT64_C(1) << 40));
    exact_free(scaled);
    struct exact *all[] = {inf, minus, nan, zero, minus_zero, two, far};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        exact_free(all[i]);
    }
    exact_free(NULL);
}

static void test_ulp(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int format;
        const char *ulp;
    } rows[] = {
        {"1", FORMAT_FP16, "0.0009765625"},
        {"1-1e-999999999", FORMAT_FP16, "0.00048828125"},
        {"-0.1", FORMAT_FP16, "0.00006103515625"},
        {"0", FORMAT_FP16, "0.000000059604644775390625"},
        {"1e-999999999", FORMAT_FP16, "0.000000059604644775390625"},
        {"1e-5", FORMAT_FP16, "0.000000059604644775390625"},
        {"65520", FORMAT_FP16, "32"},
        {"65536", FORMAT_FP16, "64"},
        {"2^19000", FORMAT_BF16, NULL},
        {"256", FORMAT_BF16, "2"},
        {"16777216", FORMAT_FP32, "2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct exact *x = parse(rows[i].value), *ulp = exact_ulp(x, &format_table[rows[i].format]);
        if (rows[i].ulp) {
            check_text(ulp, rows[i].ulp, rows[i].value);
        } else {
            assert_int_equal(exact_exponent(ulp), 19000 - 7);
        }
        exact_free(x);
        exact_free(ulp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_errors),   cmocka_unit_test(test_typed_bits),
        cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_specials), cmocka_unit_test(test_ulp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
