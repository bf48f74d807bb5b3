/* The probe kernels and what is made of their answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "kernels/random.k.h"
#include "kernels/sum.k.h"
#include "probe.h"
#include "probe_device.h"
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- round_wide against MPFR, for formats of every size ---- */

struct expectation {
    uint32_t bits, flags;
};

/* Splits |x| / 2^place into whole and fraction. */
static void split(mpfr_t x, long place, mpfr_t whole, mpfr_t fraction)
{
    mpfr_mul_2si(fraction, x, -place, MPFR_RNDN);
    mpfr_floor(whole, fraction);
    mpfr_sub(fraction, fraction, whole, MPFR_RNDN);
}

static bool away(mpfr_t whole, mpfr_t fraction, int mode, int sign, uint32_t random)
{
    int half = mpfr_cmp_d(fraction, 0.5);
    bool inexact = !mpfr_zero_p(fraction);
    switch (mode) {
    case ROUND_RNE:
        return half > 0 || (half == 0 && (mpfr_get_ui(whole, MPFR_RNDN) & 1));
    case ROUND_RNA:
        return half >= 0;
    case ROUND_RUP:
        return inexact && !sign;
    case ROUND_RDN:
        return inexact && sign;
    case ROUND_SR: {
        mpfr_t scaled;
        mpfr_init2(scaled, 512);
        mpfr_mul_2ui(scaled, fraction, 32, MPFR_RNDN);
        bool result = mpfr_cmp_ui(scaled, random) > 0;
        mpfr_clear(scaled);
        return result;
    }
    default:
        return false;
    }
}

static struct expectation expect(const struct round_input *in, int e, int t, int mode, bool saturate)
{
    mpfr_t x, whole, fraction, limit;
    mpfr_inits2(512, x, whole, fraction, limit, (mpfr_ptr)0);
    long emax = (1L << (e - 1)) - 1, emin = 1 - emax, exponent = (long)in->exponent + 63;
    mpfr_set_uj(x, in->significand, MPFR_RNDN);
    mpfr_mul_2si(x, x, in->exponent, MPFR_RNDN);
    long base = exponent > emin ? exponent : emin;
    struct expectation want = {0, 0};

    split(x, base - t, whole, fraction);
    if (!mpfr_zero_p(fraction))
        want.flags = FLAG_INEXACT;
    if (away(whole, fraction, mode, in->sign, in->random))
        mpfr_add_ui(whole, whole, 1, MPFR_RNDN);
    mpfr_mul_2si(whole, whole, base - t, MPFR_RNDN); /* the rounded value, exponents unbounded above */

    mpfr_set_ui_2exp(limit, 1, emax + 1, MPFR_RNDN);
    uint32_t infinity = ((1u << e) - 1) << t;
    if (mpfr_cmp(whole, limit) >= 0) {
        bool to_infinity = mode == ROUND_RTZ   ? false
                           : mode == ROUND_RUP ? !in->sign
                           : mode == ROUND_RDN ? in->sign
                                               : true;
        want.bits = to_infinity && !saturate ? infinity : infinity - 1;
        want.flags = FLAG_INEXACT | FLAG_OVERFLOW;
    } else if (!mpfr_zero_p(whole)) {
        long at = (long)mpfr_get_exp(whole) - 1;
        long biased = at >= emin ? at - emin + 1 : 0;
        mpfr_mul_2si(limit, whole, t - (at > emin ? at : emin), MPFR_RNDN);
        uint32_t significand = (uint32_t)mpfr_get_ui(limit, MPFR_RNDN);
        want.bits = ((uint32_t)biased << t) + (significand & ((1u << t) - 1));
    }
    /* Tiny after rounding: to the same precision without a bound on exponents. */
    split(x, exponent - t, whole, fraction);
    if (away(whole, fraction, mode, in->sign, in->random))
        mpfr_add_ui(whole, whole, 1, MPFR_RNDN);
    mpfr_mul_2si(whole, whole, exponent - t, MPFR_RNDN);
    mpfr_set_ui_2exp(limit, 1, emin, MPFR_RNDN);
    if (want.flags == FLAG_INEXACT && mpfr_cmp(whole, limit) < 0)
        want.flags |= FLAG_UNDERFLOW;
    if (in->sign)
        want.bits |= 1u << (e + t);
    mpfr_clears(x, whole, fraction, limit, (mpfr_ptr)0);
    return want;
}

enum { INPUTS = 600 };

/* Inputs near everything that matters for a format: ties, its ends, subnormals, and plain random ones. */
static void make_inputs(struct round_input *in, int e, int t, uint32_t salt)
{
    long emax = (1L << (e - 1)) - 1, emin = 1 - emax;
    for (uint32_t i = 0; i < INPUTS; i++) {
        uint32_t r = k_random(99, salt, 0, 4 * i), s = k_random(99, salt, 0, 4 * i + 1);
        uint64_t significand = (uint64_t)r << 32 | s;
        uint32_t kind = k_random(99, salt, 0, 4 * i + 2);
        if (kind & 1) /* few bits around the last place: ties and values that are exact */
            significand &= ~((UINT64_C(1) << (61 - t)) - 1);
        if (kind & 2)
            significand |= kind & 4 ? 1 : 0;
        if (kind & 8) /* all ones: carries into the next binade */
            significand |= ~((UINT64_C(1) << (62 - t)) - 1);
        long span = emax - emin + 2 * t + 8;
        long exponent = emin - t - 4 + (long)(k_random(99, salt, 0, 4 * i + 3) % (uint32_t)span);
        in[i].significand = significand | UINT64_C(1) << 63;
        in[i].exponent = (int32_t)(exponent - 63);
        in[i].sign = (int32_t)(kind >> 8 & 1);
        in[i].kind = ROUND_FINITE;
        in[i].random = (kind & 0x600) == 0 ? 0 : (kind & 0x600) == 0x200 ? 0xffffffffu : kind;
    }
}

static void rounds_like_mpfr(void **state)
{
    (void)state;
    static struct round_input in[INPUTS];
    static struct round_output out[INPUTS];
    static const int trailing[] = {1, 2, 3, 7, 10, 22, 23};
    struct exact_error error;
    for (int e = 2; e <= 8; e++)
        for (size_t i = 0; i < sizeof trailing / sizeof *trailing; i++)
            for (int mode = 0; mode < ROUND_MODE_COUNT; mode++) {
                int t = trailing[i];
                bool saturate = (e + t + mode) % 3 == 0;
                struct round_rule rule = {.exponent_bits = e,
                                          .trailing_bits = t,
                                          .specials = FORMAT_INF_NAN,
                                          .mode = mode,
                                          .saturate = saturate};
                make_inputs(in, e, t, (uint32_t)(e * 100 + t * 7 + mode));
                assert_true(probe_round_inputs(device, in, out, INPUTS, &rule, &error));
                for (int n = 0; n < INPUTS; n++) {
                    struct expectation want = expect(&in[n], e, t, mode, saturate);
                    if (want.bits != out[n].bits || want.flags != out[n].flags)
                        printf("e%dm%d mode %d: 0x%016llx x 2^%d\n", e, t, mode,
                               (unsigned long long)in[n].significand, in[n].exponent);
                    assert_int_equal(out[n].bits, want.bits);
                    assert_int_equal(out[n].flags, want.flags);
                }
            }
}

/* FP32 inputs through round_wide and through the trainer's conversion give the same bits. */
static void agrees_with_the_cast(void **state)
{
    (void)state;
    enum { N = 20000 };
    static float values[N];
    static uint16_t converted[N];
    static struct round_input in[N];
    static struct round_output out[N];
    struct exact_error error;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t bits = k_random(3, 4, 5, i);
        if (i % 4 == 0)
            bits = (bits & 0x807fffffu) | 0x7f800000u; /* infinities and NaNs of every payload */
        if (i % 4 == 1)
            bits = (bits & 0xe0ffe000u) | 0x20000000u | (i & 8 ? 0x1000u : 0u);
        values[i] = k_float(bits);
        struct exact *x = exact_from_bits(&format_table[FORMAT_FP32], bits);
        in[i] = probe_input(x);
        exact_free(x);
    }
    for (enum format_id f = FORMAT_FP16; f <= FORMAT_BF16; f++) {
        struct cast_args args = {values, converted, N, NULL};
        assert_true(device_launch(device, KERNEL_FOR(convert_to, f), &args));
        struct probe_policy policy = {.mode = ROUND_RNE};
        struct round_rule rule = probe_rule(&format_table[f], &policy);
        assert_true(probe_round_inputs(device, in, out, N, &rule, &error));
        for (int i = 0; i < N; i++)
            assert_int_equal(out[i].bits, converted[i]);
    }
}

/* ---- published cases ---- */

static void published_cases(void **state)
{
    (void)state;
    FILE *file = fopen(TESTS_DIR "/data/rounding.tsv", "r");
    char line[1024];
    int count = 0;
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    while (fgets(line, sizeof line, file)) {
        char *save = NULL;
        const char *input = strtok_r(line, "\t", &save), *name = strtok_r(NULL, "\t", &save);
        const char *mode = strtok_r(NULL, "\t", &save), *saturate = strtok_r(NULL, "\t", &save);
        const char *bits = strtok_r(NULL, "\t", &save);
        struct probe_policy policy = {.saturate = strcmp(saturate, "-") != 0};
        struct exact_error error;
        struct bits_result r;
        struct exact *x = exact_parse(input, &error);
        assert_non_null(x);
        assert_true(round_mode_find(mode, &policy.mode));
        assert_true(probe_round(device, &x, 1, format_find(name), &policy, &r, &error));
        if (r.bits != strtoul(bits, NULL, 16))
            printf("%s %s %s\n", input, name, mode);
        assert_int_equal(r.bits, strtoul(bits, NULL, 16));
        bits_result_clear(&r);
        exact_free(x);
        count++;
    }
    fclose(file);
    assert_int_equal(count, 74);
}

/* ---- updates ---- */

static struct update_result update_one(const char *scheme, const char *w, const char *delta, int64_t steps,
                                       uint64_t seed)
{
    struct exact_error error;
    struct exact *x = exact_parse(w, &error), *d = exact_parse(delta, &error);
    struct update_question q = {x, d, steps, seed, 1u << update_scheme_find(scheme)};
    struct update_result r[UPDATE_SCHEMES];
    size_t count = 0;
    assert_non_null(x);
    assert_non_null(d);
    assert_true(probe_update(device, &q, r, &count, &error));
    assert_int_equal(count, 1);
    exact_free(x);
    exact_free(d);
    return r[0];
}

static void check_threshold(const char *scheme, const char *w, const char *delta, const char *threshold,
                            bool moves)
{
    struct update_result r = update_one(scheme, w, delta, 1, 0);
    char *text = exact_text(r.threshold);
    assert_non_null(text);
    if (threshold)
        assert_string_equal(text, threshold);
    assert_int_equal(r.threshold_moves, moves);
    free(text);
    update_result_clear(&r);
}

static bool moves(const char *scheme, const char *w, const char *delta)
{
    struct update_result r = update_one(scheme, w, delta, 1, 0);
    bool moved = r.outcome.moved == 1;
    assert_int_equal(r.outcome.moved + r.outcome.lost, 1);
    assert_int_equal(r.outcome.first_move, moved);
    update_result_clear(&r);
    return moved;
}

static void thresholds(void **state)
{
    (void)state;
    check_threshold("fp16", "1", "1e-5", "0.000244140625", false);
    check_threshold("fp16", "1", "-1e-5", "-0.00048828125", false);
    check_threshold("bf16", "1", "1e-5", "0.001953125", false);
    check_threshold("fp32", "1", "1e-5", "0.0000000298023223876953125", false);
    check_threshold("fp16+master", "1", "1e-5", "0.0000000298023223876953125", false);
    check_threshold("fp16+kahan", "1", "1e-5", "0.000244140625", false);
    check_threshold("fp16", "fp16:0x3c01", "1e-5", "0.00048828125", true);
    check_threshold("fp16", "-1", "-1e-5", "-0.000244140625", false);
    check_threshold("fp16", "fp16.max", "-1", "-16", true); /* the tie to infinity */
    check_threshold("fp16", "-fp16.max", "1", "16", true);
    check_threshold("fp16", "fp16.min_subnormal", "1e-9", "0.0000000298023223876953125", true);
    check_threshold("fp16", "0", "1e-9", "0.0000000298023223876953125", false);
    check_threshold("fp32", "0", "-1e-9", NULL, false);
    assert_false(moves("fp16", "1", "2^-12"));
    assert_true(moves("fp16", "1", "fp32:0x39800001"));
    assert_false(moves("fp16", "1", "-2^-11"));
    assert_true(moves("fp16", "1", "-fp32:0x3a000001"));
    assert_false(moves("bf16", "1", "2^-9"));
    assert_true(moves("bf16", "1", "fp32:0x3b000001"));
    /* Once only: through FP32 this would become the tie, and stay. */
    assert_true(moves("fp16", "1", "2^-12 + 2^-35"));
    struct update_result r = update_one("bf16+sr", "1", "1e-5", 1, 0);
    assert_null(r.threshold);
    update_result_clear(&r);
    r = update_one("fp16", "1e6", "1", 1, 0); /* infinite at the start */
    assert_null(r.threshold);
    assert_null(r.spacing);
    update_result_clear(&r);
}

static void check_run(const char *scheme, uint32_t last, int64_t moved, int64_t first_move)
{
    struct update_result r = update_one(scheme, "1", "1e-5", 1000, 0);
    assert_int_equal(r.outcome.last, last);
    if (moved >= 0)
        assert_int_equal(r.outcome.moved, moved);
    assert_int_equal(r.outcome.moved + r.outcome.lost, 1000);
    assert_int_equal(r.outcome.first_move, first_move);
    update_result_clear(&r);
}

static void a_thousand_small_updates(void **state)
{
    (void)state;
    check_run("fp32", 0x3f7d6fc0, 1000, 1);
    check_run("fp16", 0x3c00, 0, 0);
    check_run("bf16", 0x3f80, 0, 0);
    check_run("fp16+master", 0x3beb, 1000, 1);
    check_run("bf16+master", 0x3f7d, 1000, 1);
    check_run("fp16+kahan", 0x3beb, -1, 25); /* 0.98974609375 */
    check_run("bf16+kahan", 0x3f7e, 2, 222); /* 0.9921875 */
}

/* Samples are the values after update ceil((i + 1) N / 256), also where N is small or no multiple. */
static void samples_follow_the_steps(void **state)
{
    (void)state;
    static const int64_t steps[] = {1, 5, 255, 256, 257, 1000};
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        struct update_result r = update_one("fp32", "0", "-1", steps[s], 0);
        for (int i = 0; i < UPDATE_SAMPLES; i++)
            assert_int_equal((int64_t)r.outcome.samples[i],
                             ((i + 1) * steps[s] + UPDATE_SAMPLES - 1) / UPDATE_SAMPLES);
        update_result_clear(&r);
    }
}

/* From 1 down by 2^-12 in bf16 (spacing 2^-8): p = 1/16, whatever the seed. */
static void stochastic_updates_move_by_chance(void **state)
{
    (void)state;
    int moved = 0;
    double sum = 0;
    for (uint64_t seed = 0; seed < 4096; seed++) {
        struct update_result r = update_one("bf16+sr", "1", "2^-12", 1, seed);
        moved += r.outcome.moved != 0;
        update_result_clear(&r);
    }
    assert_in_range(moved, 256 - 80, 256 + 80); /* five standard deviations */
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct update_result r = update_one("bf16+sr", "1", "2^-24 / 3", 30000, seed);
        sum += (double)k_decode(r.outcome.last, FORMAT_BF16);
        update_result_clear(&r);
    }
    /* Drift far below FP32's own last place at 1 is kept on average: 30000 x 2^-24 / 3, sd about 1.5e-3 / 8.
     */
    assert_true(sum / 64 > 1 - 0.000596 - 0.00075 && sum / 64 < 1 - 0.000596 + 0.00075);
}

/* ---- answers ---- */

static struct bits_answer *answer_bits(const char *text, enum round_mode mode, bool saturate)
{
    static struct bits_answer a;
    struct probe_policy policy = {.mode = mode, .saturate = saturate};
    struct exact_error error;
    assert_true(probe_bits(device, text, &policy, &a, &error));
    return &a;
}

static void an_answer_in_words(void **state)
{
    (void)state;
    const struct bits_answer *a = answer_bits("1 - 1e-5", ROUND_RNE, false);
    const struct bits_row *r = &a->rows[FORMAT_FP16];
    assert_string_equal(a->exact, "0.99999");
    assert_string_equal(a->binade, "[2^-1, 2^0)");
    assert_string_equal(r->hex, "0x3c00");
    assert_string_equal(r->exponent, "01111");
    assert_string_equal(r->scientific, "2^0 × 1");
    assert_string_equal(r->error, "+1e-5");
    assert_string_equal(r->error_ulp, "+0.0205 ulp");
    assert_string_equal(r->tie, "above the tie: rounds up");
    assert_string_equal(r->interval, "[0.999755859375, 1.00048828125]");
    assert_string_equal(r->up, "1.0009765625");
    assert_string_equal(r->down_hex, "0x3bff");
    assert_string_equal(r->flips[9].hex, "0x3e00");
    assert_string_equal(r->flips[9].role, "weight 2^-1");
    assert_string_equal(r->flips[9].value, "1.5");
    assert_string_equal(r->line.low, "0.99951171875");
    assert_string_equal(r->line.high_hex, "0x3c00");
    assert_int_equal(r->line.stored, 1);
    assert_true(r->line.position > 0.979 && r->line.position < 0.98);
    assert_string_equal(r->line.text,
                        "one step of fp16 here is 2^-11 = 0.00048828125 below 1 and 2^-10 above it; "
                        "0.99999 lies 98 % of the way up");
    assert_non_null(strstr(r->why[0], "168 × 2^-24"));
    assert_string_equal(r->why[1],
                        "The subtraction loses it: the exact 0.99999 is nearer to 1 than to the next lower "
                        "value, 0.99951171875.");
    assert_non_null(strstr(r->why[2], "exceeds 2^-12 = 0.000244140625"));
    assert_string_equal(a->rows[FORMAT_FP32].scientific, "2^-1 × 1.99997997283935546875");
    assert_string_equal(a->rows[FORMAT_FP32].error, "−1.358e-8");
}

static void check_interval(const char *text, enum round_mode mode, bool saturate, const char *interval)
{
    assert_string_equal(answer_bits(text, mode, saturate)->rows[FORMAT_FP16].interval, interval);
}

static void intervals(void **state)
{
    (void)state;
    check_interval("fp16:0x3c01", ROUND_RNE, false, "(1.00048828125, 1.00146484375)");
    check_interval("1", ROUND_RNA, false, "[0.999755859375, 1.00048828125)");
    check_interval("-1", ROUND_RTZ, false, "(-1.0009765625, -1]");
    check_interval("-1", ROUND_RDN, false, "[-1, -0.99951171875)");
    check_interval("1", ROUND_RUP, false, "(0.99951171875, 1]");
    check_interval("1", ROUND_SR, false, "(0.99951171875, 1.0009765625)");
    check_interval("fp16.max", ROUND_RNE, false, "(65488, 65520)");
    check_interval("fp16.max", ROUND_RNE, true, "(65488, ∞)");
    check_interval("65520", ROUND_RNE, false, "[65520, ∞)");
    check_interval("inf", ROUND_RTZ, false, "no real number");
    check_interval("0", ROUND_RUP, false, "0 alone");
    check_interval("nan", ROUND_RNE, false, "no real number");
}

static void reasons(void **state)
{
    (void)state;
    const struct bits_row *r = &answer_bits("65520", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_string_equal(r->why[1],
                        "From 65520 on in magnitude, half a step beyond it, values round to infinity.");
    assert_string_equal(r->tie, "tie: overflows to infinity");
    r = &answer_bits("2^-25", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_non_null(strstr(r->why[0], "exactly half way between 0 and"));
    assert_non_null(strstr(r->why[1], "flushed to zero"));
    r = &answer_bits("1e-5", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_non_null(strstr(r->why[1], "168 × 2^-24, 8 significant bits of 11"));
    r = &answer_bits("0x1e-5", ROUND_RNE, false)->rows[FORMAT_FP16]; /* 30 - 5, nothing lost */
    assert_string_equal(r->why[0], "fp16 holds 25 exactly.");
    r = &answer_bits("fp16:0x7c01", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_int_equal(r->bits, 0x7c01);
    assert_string_equal(r->class_text, "signaling NaN");
    r = &answer_bits("65536", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_non_null(strstr(r->line.text, "lies beyond its values"));
    r = &answer_bits("1", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_string_equal(r->why[1], "An update of it by up to 2^-11 = 0.00048828125 upwards, or 2^-12 = "
                                   "0.000244140625 downwards, is lost.");
    r = &answer_bits("1.0009765625", ROUND_RNE, false)->rows[FORMAT_FP16];
    assert_string_equal(r->why[1], "An update of it by less than 2^-11 = 0.00048828125 is lost.");
}

/* Near the stored end of the line reals do round to the stored value, in every mode that decides. */
static void the_line_shows_the_side_that_rounds(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",     "-0",     "1",    "-1",       "1/3",      "-1/3",
                                        "2^-24", "-2^-24", "1000", "fp16.max", "-fp16.max"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int mode = 0; mode < ROUND_MODE_COUNT; mode++) {
            const struct bits_row *r =
                &answer_bits(texts[i], (enum round_mode)mode, false)->rows[FORMAT_FP16];
            char near_it[128], low[24], high[24];
            uint32_t stored = r->bits;
            bool from_low = r->line.stored == 0;
            if (mode == ROUND_SR || r->line.alone || strcmp(r->line.low, "-inf") == 0 ||
                strcmp(r->line.high, "inf") == 0)
                continue;
            assert_true(r->line.stored >= 0);
            snprintf(low, sizeof low, "%.16s", r->line.low_hex);
            snprintf(high, sizeof high, "%.16s", r->line.high_hex);
            snprintf(near_it, sizeof near_it, "fp16:%s + (fp16:%s - fp16:%s) * %d/8", low, high, low,
                     from_low ? 1 : 7);
            r = &answer_bits(near_it, (enum round_mode)mode, false)->rows[FORMAT_FP16];
            assert_int_equal(r->bits, stored);
        }
}

/* No text is cut and no number is missing for odd inputs; what does not exist is empty. */
static void odd_values_have_answers(void **state)
{
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "inf",
                                        "-inf",
                                        "nan",
                                        "1e999999999",
                                        "-1e-999999999",
                                        "1/3",
                                        "-1/3",
                                        "fp16.max",
                                        "-fp32.max",
                                        "bf16.min_subnormal",
                                        "fp32:0xffffffff",
                                        "2^-149",
                                        "2^-150",
                                        "65520 - 2^-1000",
                                        "-(1+1e-30)",
                                        "1e5-1e5"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int mode = 0; mode < ROUND_MODE_COUNT; mode++) {
            const struct bits_answer *a = answer_bits(texts[i], (enum round_mode)mode, i & 1);
            for (int f = 0; f < FORMAT_STORED_COUNT; f++) {
                const struct bits_row *r = &a->rows[f];
                assert_true(*r->value && *r->hex && *r->interval && *r->tie && *r->why[0] &&
                            *r->flips[0].value);
                assert_true(r->line.position >= 0 && r->line.position <= 1);
                assert_null(strchr(r->why[0], '?'));
            }
        }
}

static void an_update_in_words(void **state)
{
    (void)state;
    static struct update_answer a;
    struct update_texts texts = {"1", NULL, "0.001", "0.01", 1000, 0, (1u << UPDATE_SCHEMES) - 1};
    struct exact_error error;
    const char *which;
    assert_true(probe_update_answer(device, &texts, &a, &error, &which));
    assert_int_equal(a.count, UPDATE_SCHEMES);
    assert_string_equal(a.delta, "0.00001");
    assert_string_equal(a.exact, "0.99");
    assert_string_equal(a.rows[0].delta, "9.99999975e-6");
    assert_string_equal(a.rows[0].delta_ulp, "168 (down)");
    assert_string_equal(a.rows[0].threshold, "2^-25  2.98e-8");
    assert_int_equal(a.rows[0].verdict, VERDICT_MOVED);
    assert_string_equal(a.rows[1].delta, "1.00135803e-5");
    assert_int_equal(a.rows[1].verdict, VERDICT_LOST);
    assert_string_equal(a.rows[1].line.exact, "0.99999");
    assert_string_equal(a.rows[1].drift_text, "1  never moved");
    assert_int_equal(a.rows[3].verdict, VERDICT_MASTER_MOVED);
    assert_string_equal(a.rows[3].delta_ulp, "168 (in fp32)");
    assert_string_equal(a.rows[6].threshold, "p = 0.00256");
    assert_string_equal(a.rows[6].verdict_text, "moves 1 in 391");
    assert_int_equal(a.rows[8].verdict, VERDICT_KEPT);
    assert_string_equal(a.rows[8].last, "0.9921875");
    texts.lr = "0.001x";
    assert_false(probe_update_answer(device, &texts, &a, &error, &which));
    assert_string_equal(which, "lr");
    assert_int_equal(error.column, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_like_mpfr),
        cmocka_unit_test(agrees_with_the_cast),
        cmocka_unit_test(published_cases),
        cmocka_unit_test(thresholds),
        cmocka_unit_test(a_thousand_small_updates),
        cmocka_unit_test(samples_follow_the_steps),
        cmocka_unit_test(stochastic_updates_move_by_chance),
        cmocka_unit_test(an_answer_in_words),
        cmocka_unit_test(intervals),
        cmocka_unit_test(reasons),
        cmocka_unit_test(the_line_shows_the_side_that_rounds),
        cmocka_unit_test(odd_values_have_answers),
        cmocka_unit_test(an_update_in_words),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
