/* exact_view.c: what rounding asks of an exact value: leading bits, order, tie class, ulp, nearest doubles.
 */
#include "exact_internal.h"

#include <math.h>
#include <stdint.h>

#include <mpfr.h>

enum { WIDE_EXPONENT_LIMIT = 1000000 };

/* floor(log2 |x|) and the significand that goes with it. */
static uint64_t top(const struct exact *x, mpz_t exponent)
{
    uint64_t significand = exact_term_top(&x->term[0], exact_tail_sign(x), exponent);
    mpz_add_ui(exponent, exponent, 63);
    return significand;
}

static int64_t clamp(const mpz_t z, int64_t limit)
{
    if (mpz_cmpabs_ui(z, (unsigned long)limit) > 0) {
        return mpz_sgn(z) < 0 ? -limit : limit;
    }
    return mpz_get_si(z);
}

struct exact_wide exact_to_wide(const struct exact *x)
{
    struct exact_wide wide = {exact_sign(x), 0, 0};
    if (x->count) {
        mpz_t exponent;
        mpz_init(exponent);
        wide.significand = top(x, exponent);
        mpz_sub_ui(exponent, exponent, 63);
        wide.exponent = (int32_t)clamp(exponent, WIDE_EXPONENT_LIMIT);
        mpz_clear(exponent);
    }
    return wide;
}

int64_t exact_exponent(const struct exact *x)
{
    mpz_t exponent;
    int64_t e = 0;
    mpz_init(exponent);
    if (x->count) {
        top(x, exponent);
        e = clamp(exponent, INT64_C(1) << 40);
    }
    mpz_clear(exponent);
    return e;
}

/* Of magnitudes; both finite and nonzero. */
static int compare_exponents(const struct exact *a, const struct exact *b)
{
    mpz_t ea, eb;
    mpz_inits(ea, eb, NULL);
    uint64_t sa = top(a, ea), sb = top(b, eb);
    int order = mpz_cmp(ea, eb);
    if (order == 0) {
        order = (sa > sb) - (sa < sb);
    }
    mpz_clears(ea, eb, NULL);
    return (order > 0) - (order < 0);
}

int exact_compare(const struct exact *a, const struct exact *b)
{
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN) {
        return 0;
    }
    int sa = exact_is_zero(a) ? 0 : exact_sign(a) ? -1 : 1;
    int sb = exact_is_zero(b) ? 0 : exact_sign(b) ? -1 : 1;
    if (sa != sb || sa == 0) {
        return (sa > sb) - (sa < sb);
    }
    if (a->kind == EXACT_INFINITE || b->kind == EXACT_INFINITE) {
        return sa * ((a->kind == EXACT_INFINITE) - (b->kind == EXACT_INFINITE));
    }
    int order = compare_exponents(a, b);
    if (order != 0) {
        return sa * order; /* rounding to odd is monotonic */
    }
    struct exact *difference = exact_subtract(a, b);
    order = !difference || exact_is_zero(difference) ? 0 : exact_sign(difference) ? -1 : 1;
    exact_free(difference);
    return order;
}

/* The exponent of the last place of the format around |x|. */
static void quantum(const struct exact *x, const struct format *f, mpz_t exponent)
{
    mpz_set_si(exponent, f->emin);
    if (x->count) {
        mpz_t e;
        mpz_init(e);
        top(x, e);
        if (mpz_cmp(e, exponent) > 0) {
            mpz_set(exponent, e);
        }
        mpz_clear(e);
    }
    mpz_sub_ui(exponent, exponent, (unsigned long)f->precision - 1);
}

enum exact_tie exact_tie_wide(struct exact_wide wide, const struct format *f)
{
    if (wide.significand == 0) {
        return TIE_EXACT;
    }
    int64_t exponent = (int64_t)wide.exponent + 63, place = exponent > f->emin ? exponent : f->emin;
    int64_t shift =
        place - (f->precision - 1) - wide.exponent; /* bits of the significand below the last place */
    if (shift > 64) {
        return TIE_BELOW; /* under half of the smallest subnormal */
    }
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t rest = shift == 64 ? wide.significand : wide.significand & (half * 2 - 1);
    if (rest == 0) {
        return TIE_EXACT;
    }
    return rest < half ? TIE_BELOW : rest == half ? TIE_TIE : TIE_ABOVE;
}

enum exact_tie exact_tie(const struct exact *x, const struct format *f)
{
    return exact_tie_wide(exact_to_wide(x), f);
}

struct exact_wide exact_sqrt_wide(const struct exact *x)
{
    struct exact_wide wide = exact_to_wide(x);
    if (wide.significand == 0) {
        return wide;
    }
    mpfr_t root;
    mpz_t significand;
    mpfr_init2(root, 64);
    mpz_init(significand);
    mpfr_set_uj_2exp(root, wide.significand, wide.exponent, MPFR_RNDN);
    bool inexact = mpfr_sqrt(root, root, MPFR_RNDZ) != 0;
    wide.exponent = (int32_t)mpfr_get_z_2exp(significand, root);
    wide.significand =
        mpz_get_ui(significand) | (uint64_t)inexact; /* 64 bits: MPFR's significands are normal */
    mpz_clear(significand);
    mpfr_clear(root);
    return wide;
}

const char *exact_tie_name(enum exact_tie t)
{
    static const char *const names[] = {"exact", "below", "tie", "above"};
    return names[t];
}

struct exact *exact_ulp(const struct exact *x, const struct format *f)
{
    if (x->kind != EXACT_FINITE) {
        return NULL;
    }
    struct exact_term t;
    exact_term_init(&t);
    mpz_set_ui(t.n, 1);
    quantum(x, f, t.e2);
    struct exact *ulp = exact_from_term(&t);
    exact_term_clear(&t);
    return ulp;
}

/* significand / 2^shift to the nearest integer, ties to even; 1 <= shift <= 64. */
static uint64_t round_shift(uint64_t significand, int shift)
{
    uint64_t half = UINT64_C(1) << (shift - 1);
    uint64_t kept = shift == 64 ? 0 : significand >> shift;
    uint64_t rest = shift == 64 ? significand : significand & (half * 2 - 1);
    return kept + (uint64_t)(rest > half || (rest == half && (kept & 1)));
}

static double wide_to_double(struct exact_wide wide)
{
    int top_exponent = wide.exponent + 63;
    double magnitude = 0;
    if (top_exponent > 1023) {
        magnitude = INFINITY;
    } else if (top_exponent >= -1075) {
        int last = top_exponent >= -1022 ? top_exponent - 52 : -1074;
        magnitude = ldexp((double)round_shift(wide.significand, last - wide.exponent), last);
    }
    return wide.sign ? -magnitude : magnitude;
}

double exact_to_double(const struct exact *x)
{
    switch (x->kind) {
    case EXACT_NAN:
        return NAN;
    case EXACT_INFINITE:
        return x->sign ? -INFINITY : INFINITY;
    case EXACT_FINITE:
        break;
    }
    return wide_to_double(exact_to_wide(x));
}

/* |x| rounded to 24 bits, or to the multiple of 2^-149 below 2^-126, with the wide significand's sticky bit
 * deciding. */
static float wide_to_float(struct exact_wide wide)
{
    int64_t exponent = (int64_t)wide.exponent + 63;
    int64_t keep = exponent >= -126 ? 24 : 24 - (-126 - exponent);
    uint64_t kept = 0;
    if (exponent > 127)
        return wide.sign ? -INFINITY : INFINITY;
    if (keep == 0)
        kept = wide.significand > UINT64_C(1) << 63;
    if (keep > 0) {
        uint64_t rest = wide.significand << keep, half = UINT64_C(1) << 63;
        kept = wide.significand >> (64 - keep);
        kept += rest > half || (rest == half && (kept & 1));
    }
    float magnitude = ldexpf((float)kept, (int)(keep > 0 ? exponent - keep + 1 : -149));
    return wide.sign ? -magnitude : magnitude;
}

float exact_to_float(const struct exact *x)
{
    if (x->kind != EXACT_FINITE || exact_is_zero(x))
        return (float)exact_to_double(x);
    return wide_to_float(exact_to_wide(x));
}

double exact_ratio(const struct exact *a, const struct exact *b)
{
    int negative = exact_sign(a) != exact_sign(b);
    if (a->kind == EXACT_NAN || b->kind == EXACT_NAN || (exact_is_zero(a) && exact_is_zero(b)) ||
        (a->kind == EXACT_INFINITE && b->kind == EXACT_INFINITE)) {
        return NAN;
    }
    if (exact_is_zero(a) || b->kind == EXACT_INFINITE) {
        return negative ? -0.0 : 0.0;
    }
    if (exact_is_zero(b) || a->kind == EXACT_INFINITE) {
        return negative ? -INFINITY : INFINITY;
    }
    /* Leading terms: what follows is thousands of bits below. */
    struct exact *p = exact_from_term(&a->term[0]), *q = exact_from_term(&b->term[0]);
    struct exact *quotient = p && q ? exact_divide(p, q) : NULL;
    double ratio = 0;
    if (quotient) {
        ratio = exact_to_double(quotient);
    } else {
        struct exact_wide wa = exact_to_wide(a), wb = exact_to_wide(b);
        ratio = ldexp((double)wa.significand / (double)wb.significand, wa.exponent - wb.exponent);
        ratio = negative ? -ratio : ratio;
    }
    exact_free(quotient);
    exact_free(p);
    exact_free(q);
    return ratio;
}
