/* Exact values against a plain rounder on wide integers: published cases, all encodings, ties, overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The five directions of IEEE 754-2019 clause 4.3. */
enum direction { RNE, RNA, RTZ, RUP, RDN };

static const struct {
    const char *value;
    int format;
    enum direction direction;
    uint64_t bits;
} published[] = {
    {"1.4901162082026128889687591176485489397376143775948511e-07", FORMAT_FP16, RNE, 0x0003},
    {"1+2^-11+2^-22", FORMAT_FP16, RNE, 0x3c01},
    {"fp32:0x33000001", FORMAT_FP16, RNE, 0x0001},
    {"fp32:0x34200000", FORMAT_FP16, RNE, 0x0002},
    {"fp32:0x34200001", FORMAT_FP16, RNE, 0x0003},
    {"fp32:0x34600000", FORMAT_FP16, RNE, 0x0004},
    {"fp64:0x3e60000000000001", FORMAT_FP16, RNE, 0x0001},
    {"2.98023223876953125e-8", FORMAT_FP16, RNE, 0x0000},
    {"5*2^-25", FORMAT_FP16, RNE, 0x0002},
    {"33*2^-25", FORMAT_FP16, RNE, 0x0010},
    {"3*2^-25", FORMAT_FP16, RNE, 0x0002},
    {"656e2", FORMAT_FP16, RNE, 0x7c00},
    {"65519", FORMAT_FP16, RNE, 0x7bff},
    {"65520", FORMAT_FP16, RNE, 0x7c00},
    {"65519.999999999999999999999", FORMAT_FP16, RNE, 0x7bff},
    {"65536", FORMAT_FP16, RNE, 0x7c00},
    {"65504", FORMAT_FP16, RNE, 0x7bff},
    {"65505", FORMAT_FP16, RNE, 0x7bff},
    {"fp32:0x39587fff", FORMAT_FP16, RNE, 0x0ac4},
    {"fp32:0x39588000", FORMAT_FP16, RNE, 0x0ac4},
    {"fp32:0x39588000", FORMAT_FP16, RTZ, 0x0ac4},
    {"fp32:0x39588001", FORMAT_FP16, RNE, 0x0ac4},
    {"fp32:0x39586fff", FORMAT_FP16, RNE, 0x0ac3},
    {"fp32:0x39587000", FORMAT_FP16, RNE, 0x0ac4},
    {"fp32:0x39587000", FORMAT_FP16, RTZ, 0x0ac3},
    {"0x1p-25", FORMAT_FP16, RNE, 0x0000},
    {"0x1p-25", FORMAT_FP16, RDN, 0x0000},
    {"-0x1p-25", FORMAT_FP16, RNE, 0x8000},
    {"-0x1p-25", FORMAT_FP16, RUP, 0x8000},
    {"-0x1p-25", FORMAT_FP16, RDN, 0x8001},
    {"-0x1p-25", FORMAT_FP16, RTZ, 0x8000},
    {"65536", FORMAT_FP16, RDN, 0x7bff},
    {"-65536", FORMAT_FP16, RNE, 0xfc00},
    {"-65536", FORMAT_FP16, RTZ, 0xfbff},
    {"-32767", FORMAT_FP16, RNE, 0xf800},
    {"3e-5", FORMAT_FP16, RNE, 0x01f7},
    {"1.00048828125", FORMAT_FP16, RNE, 0x3c00},
    {"0x8a4.d047p-140", FORMAT_FP32, RNE, 0x001149a1},
    {"1.1754942e-38", FORMAT_FP32, RNE, 0x007fffff},
    {"fp64:0x3690000000000000", FORMAT_FP32, RNE, 0x00000000},
    {"fp32:0x7f7fffff", FORMAT_BF16, RNE, 0x7f80},
    {"fp32:0x7f7f8000", FORMAT_BF16, RNE, 0x7f80},
    {"0x01010001", FORMAT_BF16, RNE, 0x4b81},
    {"1e-8", FORMAT_BF16, RNE, 0x322c},
    {"3.14", FORMAT_BF16, RTZ, 0x4048},
    {"fp32:0x3fffffff", FORMAT_BF16, RNE, 0x4000},
    {"fp32:0x00018000", FORMAT_BF16, RNE, 0x0002},
    {"256+2", FORMAT_BF16, RNE, 0x4381},
    {"6.6461399789245764e+35", FORMAT_BF16, RTZ, 0x7aff},
    {"6.6461399789245764e+35", FORMAT_BF16, RNE, 0x7b00},
    {"1e-5", FORMAT_FP32, RNE, 0x3727c5ac},
    {"1e-5", FORMAT_FP16, RNE, 0x00a8},
    {"1-1e-5", FORMAT_FP16, RNE, 0x3c00},
    {"1-1e-5", FORMAT_BF16, RNE, 0x3f80},
    {"2.98023223876953125e-8*65536", FORMAT_FP16, RNE, 0x1800},
    {"1e-7*65536", FORMAT_FP16, RNE, 0x1eb6},
    {"2048+1", FORMAT_FP16, RNE, 0x6800},
    {"2048+3", FORMAT_FP16, RNE, 0x6802},
    {"0.1", FORMAT_FP32, RNE, 0x3dcccccd},
    {"0.1", FORMAT_FP32, RUP, 0x3dcccccd},
    {"0.1", FORMAT_FP32, RTZ, 0x3dcccccc},
    {"1.3", FORMAT_FP32, RNE, 0x3fa66666},
    {"1.3", FORMAT_FP32, RUP, 0x3fa66667},
    {"1/3", FORMAT_FP32, RNE, 0x3eaaaaab},
    {"1.9999999999999998", FORMAT_FP16, RTZ, 0x3fff},
    {"2047.9999999999998", FORMAT_FP16, RTZ, 0x67ff},
    {"1-2^-12-2^-60", FORMAT_FP16, RNE, 0x3bff},
    {"1+2^-11+2^-60", FORMAT_FP16, RNE, 0x3c01},
    {"1+2^-8", FORMAT_BF16, RNE, 0x3f80},
    {"1+2^-8+2^-60", FORMAT_BF16, RNE, 0x3f81},
    {"1-2^-25", FORMAT_FP32, RNE, 0x3f800000},
    {"1+2^-24", FORMAT_FP32, RNE, 0x3f800000},
    {"0.99975*65536", FORMAT_FP16, RNE, 0x7bff},
    {"0.9998*65536", FORMAT_FP16, RNE, 0x7c00},
};

/* Deterministic 64-bit numbers (splitmix64's constants). */
static uint64_t random_bits(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool rounds_away(enum direction direction, int sign, bool odd, int against_half, bool inexact)
{
    switch (direction) {
    case RNE:
        return against_half > 0 || (against_half == 0 && odd);
    case RNA:
        return against_half >= 0;
    case RTZ:
        return false;
    case RUP:
        return inexact && !sign;
    case RDN:
        return inexact && sign;
    }
    return false;
}

/* IEEE 754-2019 clause 7.4: which directions carry an overflow to infinity. */
static bool overflows_to_infinity(enum direction direction, int sign)
{
    return direction == RNE || direction == RNA || (direction == RUP && !sign) || (direction == RDN && sign);
}

static uint64_t round_wide(const struct format *f, struct exact_wide wide, enum direction direction)
{
    uint64_t sign_bit = (uint64_t)wide.sign << (f->width - 1);
    if (wide.significand == 0) {
        return sign_bit;
    }
    int exponent = wide.exponent + 63;
    int last = (exponent > f->emin ? exponent : f->emin) - f->trailing_bits;
    int shift = last - wide.exponent;
    /* significand = kept x 2^shift + rest, judged in 128 bits so that no shift is special up to 127. */
    shift = shift > 100 ? 100 : shift;
    unsigned __int128 wide_significand = wide.significand, half = (unsigned __int128)1 << (shift - 1);
    unsigned __int128 rest = wide_significand & (half * 2 - 1);
    uint64_t kept = (uint64_t)(wide_significand >> shift);
    int against_half = (rest > half) - (rest < half);
    kept += rounds_away(direction, wide.sign, kept & 1, against_half, rest != 0);
    if (kept >> f->precision) {
        kept >>= 1;
        last++;
    }
    if (kept >> f->trailing_bits == 0) {
        return sign_bit | kept;
    }
    int biased = last + f->trailing_bits + f->bias;
    if (biased > 2 * f->bias) {
        return sign_bit | (overflows_to_infinity(direction, wide.sign) ? format_infinity(f) : format_max(f));
    }
    return sign_bit | (uint64_t)biased << f->trailing_bits | format_trailing(f, kept);
}

static uint64_t round_text(const char *text, const struct format *f, enum direction direction)
{
    struct exact *x = parse(text);
    uint64_t bits = round_wide(f, exact_to_wide(x), direction);
    exact_free(x);
    return bits;
}

static void test_published(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof published / sizeof published[0]; i++) {
        uint64_t bits =
            round_text(published[i].value, &format_table[published[i].format], published[i].direction);
        if (bits != published[i].bits) {
            fail_msg("%s: 0x%" PRIx64 ", not 0x%" PRIx64, published[i].value, bits, published[i].bits);
        }
    }
}

/* Every encoding decodes to a value that any direction rounds back to it. */
static void check_round_trip(const struct format *f, uint64_t bits)
{
    struct exact *x = exact_from_bits(f, bits);
    assert_non_null(x);
    assert_int_equal(exact_sign(x), format_sign(f, bits));
    switch (format_classify(f, bits)) {
    case CLASS_INFINITE:
        assert_int_equal(exact_kind(x), EXACT_INFINITE);
        break;
    case CLASS_QUIET_NAN:
    case CLASS_SIGNALING_NAN:
        assert_int_equal(exact_kind(x), EXACT_NAN);
        assert_true(exact_nan_payload(x) >> (64 - f->trailing_bits) == format_trailing(f, bits));
        break;
    default:
        assert_int_equal(exact_kind(x), EXACT_FINITE);
        assert_int_equal(exact_tie(x, f), TIE_EXACT);
        for (int direction = RNE; direction <= RDN; direction++) {
            assert_true(round_wide(f, exact_to_wide(x), (enum direction)direction) == bits);
        }
    }
    exact_free(x);
}

static void test_round_trips(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint64_t bits = 0; bits < 1 << 16; bits++) {
        check_round_trip(&format_table[FORMAT_FP16], bits);
        check_round_trip(&format_table[FORMAT_BF16], bits);
        if (bits % 8 == 0) {
            check_round_trip(&format_table[FORMAT_FP32], random_bits(&seed) >> 32);
        }
    }
}

/* Rounds x, which lies between the encodings low and low + 1 (sign apart), in every direction. */
static void check_between(const struct exact *x, const struct format *f, uint64_t low, enum exact_tie tie)
{
    int sign = exact_sign(x);
    uint64_t sign_bit = (uint64_t)sign << (f->width - 1), high = low + 1;
    /* Beyond the largest finite value the truncating directions stay there, and infinity is `high`. */
    uint64_t nearest = tie == TIE_BELOW ? low : tie == TIE_ABOVE ? high : low & 1 ? high : low;
    uint64_t expected[] = {
        [RNE] = nearest,
        [RNA] = tie == TIE_BELOW ? low : high,
        [RTZ] = low,
        [RUP] = sign ? low : high,
        [RDN] = sign ? high : low,
    };
    assert_int_equal(exact_tie(x, f), tie);
    for (int direction = RNE; direction <= RDN; direction++) {
        uint64_t bits = round_wide(f, exact_to_wide(x), (enum direction)direction);
        if (bits != (expected[direction] | sign_bit)) {
            fail_msg("%s 0x%" PRIx64 " tie class %s direction %d: 0x%" PRIx64, f->name, low,
                     exact_tie_name(tie), direction, bits);
        }
    }
}

/* The point halfway above `low`, the same moved by less than any 64-bit significand could show, and by much
 * less. */
static void check_tie(const struct format *f, uint64_t low, int sign)
{
    static const char *const offsets[] = {"1/3*2^-300", "1e-400", "2^-70000", "1e-999999999"};
    int biased = format_biased_exponent(f, low);
    uint64_t significand = format_trailing(f, low) | (biased ? UINT64_C(1) << f->trailing_bits : 0);
    int last = (biased ? biased - f->bias : f->emin) - f->trailing_bits;
    char text[128];
    snprintf(text, sizeof text, "%s%" PRIu64 "*2^%d", sign ? "-" : "", 2 * significand + 1, last - 1);
    struct exact *middle = parse(text);
    check_between(middle, f, low, TIE_TIE);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct exact *offset = parse(offsets[i]);
        struct exact *up = exact_add(middle, offset), *down = exact_subtract(middle, offset);
        assert_true(exact_compare(up, middle) == 1 && exact_compare(middle, down) == 1);
        check_between(up, f, low, sign ? TIE_BELOW : TIE_ABOVE);
        check_between(down, f, low, sign ? TIE_ABOVE : TIE_BELOW);
        struct exact *back = exact_subtract(up, offset);
        assert_int_equal(exact_compare(back, middle), 0);
        exact_free(back);
        exact_free(offset);
        exact_free(up);
        exact_free(down);
    }
    exact_free(middle);
}

static void test_ties(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int id = 0; id < FORMAT_COUNT; id++) {
        const struct format *f = &format_table[id];
        if (f->specials != FORMAT_INF_NAN)
            continue; /* the rounder above knows IEEE formats; unit_formats tests the others */
        uint64_t edges[] = {
            0, 1, 2, format_min_normal(f) - 1, format_min_normal(f), format_max(f) - 1, format_max(f)};
        for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
            check_tie(f, edges[i], 0);
            check_tie(f, edges[i], 1);
        }
        for (int i = 0; i < 300; i++) {
            check_tie(f, random_bits(&seed) % format_infinity(f), i & 1);
        }
    }
}

static void test_overflow(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        uint64_t bits[5]; /* RNE RNA RTZ RUP RDN */
    } rows[] = {
        {"65504", {0x7bff, 0x7bff, 0x7bff, 0x7bff, 0x7bff}},
        {"65504.0000001", {0x7bff, 0x7bff, 0x7bff, 0x7c00, 0x7bff}},
        {"65519.999999999999999999999", {0x7bff, 0x7bff, 0x7bff, 0x7c00, 0x7bff}},
        {"65520-1e-999999999", {0x7bff, 0x7bff, 0x7bff, 0x7c00, 0x7bff}},
        {"65520", {0x7c00, 0x7c00, 0x7bff, 0x7c00, 0x7bff}},
        {"-65519", {0xfbff, 0xfbff, 0xfbff, 0xfbff, 0xfc00}},
        {"-65520", {0xfc00, 0xfc00, 0xfbff, 0xfbff, 0xfc00}},
        {"1e999999999", {0x7c00, 0x7c00, 0x7bff, 0x7c00, 0x7bff}},
        {"-1e99999999999999999999", {0xfc00, 0xfc00, 0xfbff, 0xfbff, 0xfc00}},
        {"2^2^2^2^2^2", {0x7c00, 0x7c00, 0x7bff, 0x7c00, 0x7bff}},
        {"1e-999999999", {0x0000, 0x0000, 0x0000, 0x0001, 0x0000}},
        {"-(1/3)^1000000", {0x8000, 0x8000, 0x8000, 0x8000, 0x8001}},
        {"2^-25", {0x0000, 0x0001, 0x0000, 0x0001, 0x0000}},
        {"-2^-25", {0x8000, 0x8001, 0x8000, 0x8000, 0x8001}},
        {"3*2^-25", {0x0002, 0x0002, 0x0001, 0x0002, 0x0001}},
        {"2^-14-2^-26", {0x0400, 0x0400, 0x03ff, 0x0400, 0x03ff}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int direction = RNE; direction <= RDN; direction++) {
            uint64_t bits = round_text(rows[i].value, &format_table[FORMAT_FP16], (enum direction)direction);
            if (bits != rows[i].bits[direction]) {
                fail_msg("%s direction %d: 0x%" PRIx64, rows[i].value, direction, bits);
            }
        }
    }
}

/* The compiler's conversions round to nearest even: doubles to FP32, integers and decimals to doubles. */
static void test_against_compiler(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 20000; i++) {
        union {
            double d;
            uint64_t u;
        } from = {.u = random_bits(&seed)};
        if (i & 1) { /* exponents that FP32 has */
            from.u = (from.u & UINT64_C(0x800fffffffffffff)) | (uint64_t)(1023 - 160 + i % 300) << 52;
        }
        union {
            float f;
            uint32_t u;
        } to = {.f = (float)from.d};
        struct exact *x = exact_from_double(from.d);
        if (from.d == from.d && exact_kind(x) == EXACT_FINITE) {
            assert_int_equal(round_wide(&format_table[FORMAT_FP32], exact_to_wide(x), RNE), to.u);
            assert_true(exact_to_double(x) == from.d);
        }
        exact_free(x);
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 "e%d", random_bits(&seed), i % 700 - 370);
        x = parse(text);
        assert_true(exact_to_double(x) == strtod(text, NULL)); /* glibc's strtod rounds correctly */
        exact_free(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published),
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_against_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
