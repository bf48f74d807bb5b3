/* The arithmetic kernel against MPFR: all pairs of small formats, structured and random operands of larger
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device.h"
#include "device_test.h"
#include "kernels/random.k.h"
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1 << 16, EXACT_BITS = 700 };
static const char *const op_names[] = {"+", "-", "*", "/", "fma", "sqrt"};

static struct round_rule rule_of(const struct format *f, int mode, bool saturate)
{
    return (struct round_rule){.exponent_bits = f->exponent_bits,
                               .trailing_bits = f->trailing_bits,
                               .specials = (int32_t)f->specials,
                               .mode = mode,
                               .saturate = saturate};
}

/* ---- the reference ---- */

/* The value of an encoding; NaN as MPFR's. */
static void set_bits(mpfr_t x, const struct format *f, uint32_t bits)
{
    uint64_t t = format_trailing(f, bits);
    int e = format_biased_exponent(f, bits);
    bool normal = e > 0 || !format_has_zero(f);
    switch (format_classify(f, bits)) {
    case CLASS_QUIET_NAN:
    case CLASS_SIGNALING_NAN:
        mpfr_set_nan(x);
        return;
    case CLASS_INFINITE:
        mpfr_set_inf(x, 1);
        break;
    default:
        mpfr_set_ui_2exp(x, (unsigned long)(normal ? t | UINT64_C(1) << f->trailing_bits : t),
                         (normal ? e - f->bias : f->emin) - f->trailing_bits, MPFR_RNDN);
    }
    mpfr_setsign(x, x, format_sign(f, bits), MPFR_RNDN);
}

/* The operation in enough bits to be exact, but for division and root, which MPFR rounds toward zero: then
 * *inexact. */
static void operate(mpfr_t r, int op, mpfr_t a, mpfr_t b, mpfr_t c, bool down, bool *inexact)
{
    /* A sum that is zero takes its sign from the direction. */
    mpfr_rnd_t direction = down ? MPFR_RNDD : MPFR_RNDN;
    int ternary = 0;
    switch (op) {
    case ARITHMETIC_ADD:
        ternary = mpfr_add(r, a, b, direction);
        break;
    case ARITHMETIC_SUBTRACT:
        ternary = mpfr_sub(r, a, b, direction);
        break;
    case ARITHMETIC_MULTIPLY:
        ternary = mpfr_mul(r, a, b, direction);
        break;
    case ARITHMETIC_FMA:
        ternary = mpfr_fma(r, a, b, c, direction);
        break;
    case ARITHMETIC_DIVIDE:
        *inexact = mpfr_div(r, a, b, MPFR_RNDZ) != 0;
        return;
    default:
        *inexact = mpfr_sqrt(r, a, MPFR_RNDZ) != 0;
        return;
    }
    assert_int_equal(ternary, 0);
    *inexact = false;
}

/* Whether |x| = (whole + fraction) units goes to whole + 1. */
static bool away(mpfr_t fraction, bool more, bool odd, int mode, bool negative)
{
    int half = mpfr_cmp_d(fraction, 0.5);
    switch (mode) {
    case ROUND_RNE:
        return half > 0 || (half == 0 && (more || odd));
    case ROUND_RNA:
        return half >= 0;
    case ROUND_RTZ:
        return false;
    default:
        return (!mpfr_zero_p(fraction) || more) && (mode == ROUND_RUP) != negative;
    }
}

/* |x| x 2^-place into whole and fraction. */
static void split(mpfr_t x, long place, mpfr_t whole, mpfr_t fraction)
{
    mpfr_mul_2si(fraction, x, -place, MPFR_RNDN);
    mpfr_abs(fraction, fraction, MPFR_RNDN);
    mpfr_rint_floor(whole, fraction, MPFR_RNDN);
    mpfr_sub(fraction, fraction, whole, MPFR_RNDN);
}

/* A finite nonzero x to the format; the sign is the caller's. */
static struct round_output round_finite(mpfr_t x, bool more, const struct format *f, int mode)
{
    struct round_output out = {0, 0};
    bool negative = mpfr_signbit(x), scale = f->specials == FORMAT_SCALE;
    long exponent = (long)mpfr_get_exp(x) - 1, last = exponent > f->emin ? exponent : f->emin;
    mpfr_t whole, fraction;
    mpfr_inits2(EXACT_BITS + 64, whole, fraction, (mpfr_ptr)0);
    split(x, last - f->trailing_bits, whole, fraction);
    out.flags = !mpfr_zero_p(fraction) || more ? FLAG_INEXACT : 0;
    uint64_t code =
        (uint64_t)mpfr_get_ui(whole, MPFR_RNDN) + ((uint64_t)(last - f->emin) << f->trailing_bits);
    bool clamped = scale && mpfr_zero_p(whole);
    code -= scale && !clamped;
    code += !clamped && away(fraction, more, code & 1, mode, negative);
    if (exponent < f->emin && out.flags) { /* tiny, unless it rounds up to 2^emin with unbounded exponents */
        split(x, exponent - f->trailing_bits, whole, fraction);
        bool up = away(fraction, more, mpfr_get_ui(whole, MPFR_RNDN) & 1, mode, negative);
        mpfr_add_ui(whole, whole, up, MPFR_RNDN);
        mpfr_mul_2si(whole, whole, exponent - f->trailing_bits, MPFR_RNDN);
        if (clamped || mpfr_cmp_ui_2exp(whole, 1, f->emin) < 0)
            out.flags |= FLAG_UNDERFLOW;
    }
    if (code >= format_limit(f)) {
        bool infinite = mode == ROUND_RUP ? !negative : mode == ROUND_RDN ? negative : mode != ROUND_RTZ;
        bool stands = f->specials == FORMAT_INF_NAN || f->specials == FORMAT_NAN_ONLY;
        code = infinite && stands ? format_limit(f) : format_max(f);
        out.flags |= FLAG_INEXACT | FLAG_OVERFLOW;
    }
    out.bits = (uint32_t)code;
    mpfr_clears(whole, fraction, (mpfr_ptr)0);
    return out;
}

static bool signaling(const struct format *f, uint32_t bits)
{
    return format_classify(f, bits) == CLASS_SIGNALING_NAN;
}

struct reference {
    mpfr_t a, b, c, r;
};

static struct round_output expect(struct reference *m, const struct format *f, int op, int mode,
                                  const struct arithmetic_input *in)
{
    struct round_output out = {0, 0};
    bool more, stands = f->specials == FORMAT_INF_NAN || f->specials == FORMAT_NAN_ONLY;
    set_bits(m->a, f, in->a);
    set_bits(m->b, f, op == ARITHMETIC_SQRT ? in->a : in->b);
    set_bits(m->c, f, op == ARITHMETIC_FMA ? in->c : in->a);
    operate(m->r, op, m->a, m->b, m->c, mode == ROUND_RDN, &more);
    bool nan_operand = mpfr_nan_p(m->a) || mpfr_nan_p(m->b) || mpfr_nan_p(m->c);
    if (mpfr_nan_p(m->r)) {
        bool quiet = nan_operand && !signaling(f, in->a) && !(op != ARITHMETIC_SQRT && signaling(f, in->b)) &&
                     !(op == ARITHMETIC_FMA && signaling(f, in->c));
        out.flags = (quiet ? 0 : FLAG_INVALID) | (format_has_nan(f) ? 0 : FLAG_NO_VALUE);
        out.bits = format_has_nan(f) ? (uint32_t)format_quiet_nan(f) : 0;
        return out;
    }
    if (mpfr_inf_p(m->r)) {
        out.bits = (uint32_t)(stands ? format_limit(f) : format_max(f));
        out.flags = op == ARITHMETIC_DIVIDE && !mpfr_inf_p(m->a) ? FLAG_DIVIDE_BY_ZERO : 0;
    } else if (!mpfr_zero_p(m->r)) {
        out = round_finite(m->r, more, f, mode);
    }
    if (mpfr_signbit(m->r))
        out.bits |= (uint32_t)format_sign_bit(f);
    if (!format_has_sign(f) && (mpfr_signbit(m->r) || mpfr_zero_p(m->r)))
        out.flags |= FLAG_NO_VALUE;
    return out;
}

/* ---- the kernel ---- */

static struct {
    struct arithmetic_input in[BATCH];
    struct round_output out[BATCH];
    void *device_in, *device_out;
    long n;
} batch;

static void check_batch(struct reference *m, const struct format *f, int op, int mode)
{
    struct arithmetic_args args = {.in = batch.device_in,
                                   .out = batch.device_out,
                                   .n = batch.n,
                                   .rule = rule_of(f, mode, false),
                                   .op = op};
    assert_true(device_upload(device, batch.device_in, batch.in, (size_t)batch.n * sizeof batch.in[0]));
    assert_true(device_launch(device, KERNEL_arithmetic, &args));
    assert_true(device_download(device, batch.out, batch.device_out, (size_t)batch.n * sizeof batch.out[0]));
    for (long i = 0; i < batch.n; i++) {
        struct round_output want = expect(m, f, op, mode, &batch.in[i]), got = batch.out[i];
        bool same_bits = got.bits == want.bits || (want.flags & FLAG_NO_VALUE);
        if (!same_bits || got.flags != want.flags)
            fail_msg("%s %s mode %d: 0x%x 0x%x 0x%x -> 0x%x, not 0x%x (flags %u, not %u)", f->name,
                     op_names[op], mode, batch.in[i].a, batch.in[i].b, batch.in[i].c, got.bits, want.bits,
                     got.flags, want.flags);
    }
    batch.n = 0;
}

static void begin(struct reference *m)
{
    mpfr_inits2(EXACT_BITS, m->a, m->b, m->c, m->r, (mpfr_ptr)0);
    batch.device_in = device_alloc(device, sizeof batch.in);
    batch.device_out = device_alloc(device, sizeof batch.out);
    assert_true(batch.device_in && batch.device_out);
}

static void end(struct reference *m)
{
    mpfr_clears(m->a, m->b, m->c, m->r, (mpfr_ptr)0);
    device_release(device, batch.device_in);
    device_release(device, batch.device_out);
}

/* Every pair of operands; the third of fma walks through all codes too. */
static void all_pairs(void **state)
{
    (void)state;
    static const char *const names[] = {"e5m2", "e4m3", "e3m2", "e2m3", "e2m1", "e8m0", "e3m4", "e2m2"};
    struct reference m;
    begin(&m);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int op = 0; op < ARITHMETIC_OP_COUNT; op++)
            for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++) {
                const struct format *f = format_find(names[i]);
                uint32_t codes = 1u << f->width;
                /* Two modes of the large ones in full, a quarter of the others: MPFR takes its time. */
                uint32_t step = f->width == 8 && mode > ROUND_RNA ? 3 : 1;
                for (uint32_t a = 0; a < codes; a++)
                    for (uint32_t b = op == ARITHMETIC_SQRT ? codes - 1 : (a + (uint32_t)mode) % step;
                         b < codes; b += step)
                        batch.in[batch.n++] =
                            (struct arithmetic_input){a, b, (a * 7 + b * 31 + 5) & (codes - 1), 0};
                check_batch(&m, f, op, mode);
            }
    end(&m);
}

/* fma over all triples of the smallest format. */
static void all_triples(void **state)
{
    (void)state;
    struct reference m;
    begin(&m);
    for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++)
        for (const char *const *name = (const char *const[]){"e2m1", "e2m2", NULL}; *name; name++) {
            const struct format *f = format_find(*name);
            for (uint32_t i = 0; i >> (3 * f->width) == 0; i++) {
                uint32_t mask = (1u << f->width) - 1;
                batch.in[batch.n++] =
                    (struct arithmetic_input){i & mask, i >> f->width & mask, i >> (2 * f->width) & mask, 0};
                if (batch.n == BATCH)
                    check_batch(&m, f, ARITHMETIC_FMA, mode);
            }
            check_batch(&m, f, ARITHMETIC_FMA, mode);
        }
    end(&m);
}

/* Operands with few bits set, all set, at the ends of the range, near each other's magnitude, or random. */
static uint32_t operand(const struct format *f, uint32_t r, uint32_t s, uint32_t near)
{
    uint32_t all = (uint32_t)((UINT64_C(1) << f->width) - 1), t = (1u << f->trailing_bits) - 1;
    uint32_t bits = r & all;
    switch (s & 7) {
    case 0: /* few trailing bits */
        return bits & ~t;
    case 1:
        return (bits & ~t) | 1;
    case 2:
        return bits | t;
    case 3: /* an exponent within a few steps of the other operand's: cancellation */
        return ((near & ~t) + ((s >> 8 & 7) << f->trailing_bits) - (3u << f->trailing_bits) + (bits & t)) &
               all;
    case 4: /* subnormal or tiny */
        return (bits & (t | (uint32_t)format_sign_bit(f))) | (s >> 8 & 1) << f->trailing_bits;
    case 5: { /* the landmarks */
        const uint64_t marks[] = {0,
                                  1,
                                  format_min_normal(f),
                                  format_max(f),
                                  format_infinity(f),
                                  format_quiet_nan(f),
                                  format_infinity(f) | 1,
                                  (uint64_t)f->bias << f->trailing_bits};
        return (uint32_t)marks[s >> 8 & 7] | (s & 0x1000 ? (uint32_t)format_sign_bit(f) : 0);
    }
    case 6: /* half a last place of the other operand away */
        return ((near & ~t) - ((uint32_t)f->precision << f->trailing_bits) + (s & 0x100)) & all;
    default:
        return bits;
    }
}

static void structured_and_random(void **state)
{
    (void)state;
    static const char *const names[] = {"fp16", "bf16", "tf32", "fp32", "e8m23", "e2m23", "e5m12", "e8m1"};
    struct reference m;
    begin(&m);
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int op = 0; op < ARITHMETIC_OP_COUNT; op++)
            for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++) {
                const struct format *f = format_find(names[i]);
                long n = i < 2 ? 36000 : 8000; /* fp16 and bf16: more than 10^6 each */
                struct k_random_key key = k_random_key(7, i, (uint64_t)(op * 8 + mode));
                while (batch.n < n) {
                    uint32_t at = (uint32_t)batch.n * 8, w[6];
                    for (uint32_t k = 0; k < 6; k++)
                        w[k] = k_random_word(key, at + k);
                    uint32_t a = operand(f, w[0], w[1], w[2]);
                    uint32_t b = operand(f, w[2], w[3], a);
                    batch.in[batch.n++] = (struct arithmetic_input){a, b, operand(f, w[4], w[5], a), 0};
                }
                check_batch(&m, f, op, mode);
            }
    end(&m);
}

/* With DAZ subnormal operands are zeros; with FTZ tiny results are. */
static void flushing(void **state)
{
    (void)state;
    struct reference m;
    begin(&m);
    const struct format *f = format_find("fp16");
    batch.in[0] = (struct arithmetic_input){0x3c00, 0x8001, 0, 0};
    batch.in[1] = (struct arithmetic_input){0x0400, 0x0001, 0, 0};
    batch.n = 2;
    struct arithmetic_args args = {
        batch.device_in, batch.device_out, 2, rule_of(f, ROUND_RNE, false), ARITHMETIC_DIVIDE, 1};
    assert_true(device_upload(device, batch.device_in, batch.in, 2 * sizeof batch.in[0]));
    assert_true(device_launch(device, KERNEL_arithmetic, &args));
    assert_true(device_download(device, batch.out, batch.device_out, 2 * sizeof batch.out[0]));
    assert_int_equal(batch.out[0].bits, 0xfc00);
    assert_int_equal(batch.out[0].flags, FLAG_DIVIDE_BY_ZERO);
    args.op = ARITHMETIC_SUBTRACT;
    args.operands_are_zero = 0;
    args.rule.flush = 1;
    assert_true(device_launch(device, KERNEL_arithmetic, &args));
    assert_true(device_download(device, batch.out, batch.device_out, 2 * sizeof batch.out[0]));
    assert_int_equal(batch.out[1].bits, 0);
    assert_int_equal(batch.out[1].flags, FLAG_INEXACT | FLAG_UNDERFLOW);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_pairs),
        cmocka_unit_test(all_triples),
        cmocka_unit_test(structured_and_random),
        cmocka_unit_test(flushing),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
