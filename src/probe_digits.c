/* probe_digits.c: what an encoding says about decimal digits, and what else is worth knowing about it. */
#include "probe_device.h"
#include "probe_text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <mpfr.h>

enum { DIGITS_MAX = 20 }; /* 9 tell any two values with 24 bits apart, 17 with 53 */

/* |value| of a finite nonzero encoding. */
static void set_magnitude(mpfr_t x, const struct format *f, uint32_t bits)
{
    int biased = format_biased_exponent(f, bits);
    bool normal = biased || !format_has_zero(f);
    uint64_t t = format_trailing(f, bits);
    mpfr_set_ui_2exp(x, (unsigned long)(normal ? t | UINT64_C(1) << f->trailing_bits : t),
                     (normal ? biased - f->bias : f->emin) - f->trailing_bits, MPFR_RNDN);
}

/* |x| cut or rounded up to n digits, as an exact value. */
static struct exact *decimal(mpfr_t x, size_t n, mpfr_rnd_t direction)
{
    char digits[DIGITS_MAX + 2], text[2 * DIGITS_MAX + 16];
    mpfr_exp_t exponent;
    struct exact_error ignored;
    if (n == 1) { /* MPFR gives two digits at least: one is the first of them, or the next */
        mpfr_get_str(digits, &exponent, 10, 2, x, MPFR_RNDZ);
        snprintf(text, sizeof text, "%ce%ld", digits[0], (long)exponent - 1);
        struct exact *low = exact_parse(text, &ignored);
        if (direction == MPFR_RNDZ || !low)
            return low;
        exact_free(low);
        snprintf(text, sizeof text, "%de%ld", digits[0] - '0' + 1, (long)exponent - 1);
        return exact_parse(text, &ignored);
    }
    mpfr_get_str(digits, &exponent, 10, n, x, direction);
    snprintf(text, sizeof text, "0.%se%ld", digits, (long)exponent);
    return exact_parse(text, &ignored);
}

/* Whether a magnitude lies within the bounds. */
static bool inside(const struct exact *m, const struct probe_bounds *b)
{
    int above = exact_compare(m, b->inner.value);
    int below = b->outer.value ? exact_compare(m, b->outer.value) : -1;
    return (above > 0 || (above == 0 && b->inner.closed)) && (below < 0 || (below == 0 && b->outer.closed));
}

/* Of two decimals around x the one that reads back as x; the nearer one if both do. */
static struct exact *choose(const struct exact *x, struct exact *low, struct exact *high,
                            const struct probe_bounds *b)
{
    bool take_low = low && inside(low, b), take_high = high && inside(high, b);
    if (take_low && take_high) {
        struct exact *below = exact_subtract(x, low), *above = exact_subtract(high, x);
        take_low = below && above && exact_compare(below, above) <= 0;
        exact_free(below);
        exact_free(above);
    }
    exact_free(take_low ? high : low);
    if (take_low)
        return low;
    if (take_high)
        return high;
    exact_free(high);
    return NULL;
}

struct exact *probe_shortest(const struct format *f, uint32_t bits)
{
    const struct probe_policy nearest = {.mode = ROUND_RNE};
    struct exact *found = NULL;
    struct probe_bounds bounds;
    if (format_classify(f, bits) >= CLASS_INFINITE)
        return NULL;
    if (format_classify(f, bits) == CLASS_ZERO)
        return exact_from_bits(f, bits);
    uint32_t magnitude = bits & ~(uint32_t)format_sign_bit(f);
    struct exact *x = exact_from_bits(f, magnitude), *zero = exact_from_double(0);
    mpfr_t value;
    mpfr_init2(value, 64);
    set_magnitude(value, f, bits);
    if (x && zero && probe_bounds(f, magnitude, &nearest, &bounds)) {
        for (size_t n = 1; n <= DIGITS_MAX && !found; n++)
            found = choose(x, decimal(value, n, MPFR_RNDZ), decimal(value, n, MPFR_RNDA), &bounds);
        probe_bounds_clear(&bounds);
    }
    if (found && format_sign(f, bits)) {
        struct exact *negative = exact_subtract(zero, found);
        exact_free(found);
        found = negative;
    }
    mpfr_clear(value);
    exact_free(x);
    exact_free(zero);
    return found;
}

int probe_certain_digits(const struct format *f, uint32_t bits)
{
    if (format_classify(f, bits) != CLASS_SUBNORMAL && format_classify(f, bits) != CLASS_NORMAL)
        return 0;
    char digits[8], text[32];
    mpfr_exp_t exponent; /* of 0.d x 10^exponent */
    mpfr_t value;
    struct exact_error ignored;
    mpfr_init2(value, 64);
    set_magnitude(value, f, bits);
    mpfr_get_str(digits, &exponent, 10, 2, value, MPFR_RNDZ);
    mpfr_clear(value);
    struct exact *x = exact_from_bits(f, bits), *ulp = x ? exact_ulp(x, f) : NULL;
    int count = 0;
    for (bool coarse = ulp != NULL; coarse; count += coarse) {
        snprintf(text, sizeof text, "1e%ld", (long)exponent - 1 - count);
        struct exact *unit = exact_parse(text, &ignored);
        coarse = unit && exact_compare(unit, ulp) >= 0;
        exact_free(unit);
    }
    exact_free(x);
    exact_free(ulp);
    return count;
}

static struct exact *with_sign(const struct exact *magnitude, bool negative)
{
    struct exact *zero = exact_from_double(0);
    struct exact *x = !zero ? NULL : negative ? exact_subtract(zero, magnitude) : exact_copy(magnitude);
    exact_free(zero);
    return x;
}

bool probe_explain(const struct format *f, uint32_t bits, const struct probe_policy *policy,
                   struct bits_explanation *out)
{
    struct probe_bounds b;
    uint32_t all = (uint32_t)((UINT64_C(1) << f->width) - 1);
    *out = (struct bits_explanation){.raw_plus_one = (bits + 1) & all, .raw_minus_one = (bits - 1) & all};
    out->shortest = probe_shortest(f, bits);
    out->certain_digits = probe_certain_digits(f, bits);
    bool done = probe_bounds(f, bits, policy, &b);
    if (done && b.any) {
        const struct probe_end *low = b.negative ? &b.outer : &b.inner,
                               *high = b.negative ? &b.inner : &b.outer;
        out->has_interval = true;
        out->low = low->value ? with_sign(low->value, b.negative) : NULL;
        out->high = high->value ? with_sign(high->value, b.negative) : NULL;
        out->low_closed = low->closed;
        out->high_closed = high->closed;
        done = (!low->value || out->low) && (!high->value || out->high);
    }
    probe_bounds_clear(&b);
    return done;
}

void bits_explanation_clear(struct bits_explanation *e)
{
    exact_free(e->shortest);
    exact_free(e->low);
    exact_free(e->high);
    e->shortest = e->low = e->high = NULL;
}

/* Takes over x. */
static bool round_taken(struct device *d, struct exact *x, const struct format *f,
                        const struct probe_policy *policy, uint32_t *bits, struct exact_error *error)
{
    struct bits_result r;
    bool done = x ? probe_round(d, &x, 1, f, policy, &r, error) : probe_fail(error, "out of memory");
    if (done) {
        *bits = r.bits;
        bits_result_clear(&r);
    }
    exact_free(x);
    return done;
}

bool probe_via(struct device *d, const struct exact *x, const struct format *f,
               const struct probe_policy *policy, uint32_t *through_fp32, uint32_t *through_fp64,
               struct exact_error *error)
{
    const struct format *fp32 = &format_table[FORMAT_FP32];
    uint32_t first;
    return probe_round_one(d, x, fp32, ROUND_RNE, &first, error) &&
           round_taken(d, exact_from_bits(fp32, first), f, policy, through_fp32, error) &&
           round_taken(d, exact_from_double(exact_to_double(x)), f, policy, through_fp64, error);
}

bool probe_through(struct device *d, const struct format *f, uint32_t bits, const struct format *g,
                   const struct probe_policy *policy, uint32_t *there, uint32_t *back,
                   struct exact_error *error)
{
    return round_taken(d, exact_from_bits(f, bits), g, policy, there, error) &&
           round_taken(d, exact_from_bits(g, *there), f, policy, back, error);
}

uint64_t probe_words_away(const struct exact *x, const struct format *f, int bits)
{
    struct exact_wide wide = exact_to_wide(x);
    int64_t exponent = (int64_t)wide.exponent + 63, place = exponent > f->emin ? exponent : f->emin;
    int64_t below =
        place - f->trailing_bits - wide.exponent; /* bits of the significand below the last place */
    if (wide.significand == 0 || (exponent < f->emin && !format_has_zero(f)))
        return 0; /* exact, or clamped */
    if (below - bits >= 64)
        return 1; /* less than one word, but some */
    uint64_t rest = below >= 64 ? wide.significand : wide.significand & ((UINT64_C(1) << below) - 1);
    if (below <= bits)
        return rest << (bits - below);
    uint64_t unit = UINT64_C(1) << (below - bits);
    return rest / unit + (rest % unit != 0);
}

void probe_class_why(const struct format *f, uint32_t bits, char *to, size_t size)
{
    int e = format_biased_exponent(f, bits);
    const char *ones = "the biased exponent is all ones";
    switch (format_classify(f, bits)) {
    case CLASS_ZERO:
        text_format(to, size, "biased exponent and trailing significand are 0");
        break;
    case CLASS_SUBNORMAL:
        text_format(to, size, "the biased exponent is 0: no leading 1, and the exponent stays at emin = %d",
                    f->emin);
        break;
    case CLASS_NORMAL:
        if (format_has_zero(f))
            text_format(to, size, "the biased exponent %d - bias %d = %d is the exponent, with a leading 1",
                        e, f->bias, e - f->bias);
        else
            text_format(to, size, "a power of two: code %d - bias %d = %d is its exponent", e, f->bias,
                        e - f->bias);
        break;
    case CLASS_INFINITE:
        text_format(to, size, "%s and the trailing significand is 0", ones);
        break;
    case CLASS_SIGNALING_NAN:
        text_format(to, size, "%s, the trailing significand is not 0, and its first bit is 0", ones);
        break;
    case CLASS_QUIET_NAN:
        if (format_has_infinity(f))
            text_format(to, size, "%s, and the first bit of the trailing significand is 1", ones);
        else
            text_format(to, size, "all bits%s are ones: the one code that %s keeps for NaN",
                        format_has_sign(f) ? " but the sign" : "", f->name);
        break;
    }
}
