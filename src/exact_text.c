/* exact_text.c: exact values and encodings as text, independent of the locale. */
#include "exact_internal.h"

#include <inttypes.h>
#include <mpfr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_EXPONENT_LIMIT = 20000, SHORT_DIGITS_MAX = 1000 };
static const int64_t exponent10_limit = INT64_C(1000000000000000000);

static char *duplicate(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}

/* Texts of the values that are no sum of terms; NULL for those that are. */
static const char *special(const struct exact *x)
{
    if (x->kind == EXACT_NAN) {
        return "nan";
    }
    if (x->kind == EXACT_INFINITE) {
        return x->sign ? "-inf" : "inf";
    }
    return x->count ? NULL : x->sign ? "-0" : "0";
}

/* "-" digits, with a point before the last `decimals` of them. */
static char *with_point(const mpz_t digits, bool negative, size_t decimals)
{
    size_t capacity = mpz_sizeinbase(digits, 10) + decimals + 4;
    char *text = malloc(capacity), *raw = malloc(capacity);
    if (text && raw) {
        mpz_get_str(raw, 10, digits);
        size_t count = strlen(raw), whole = count > decimals ? count - decimals : 0, n = 0;
        if (negative) {
            text[n++] = '-';
        }
        if (whole == 0) {
            text[n++] = '0';
        }
        memcpy(text + n, raw, whole);
        n += whole;
        if (decimals) {
            text[n++] = '.';
            memset(text + n, '0', decimals - (count - whole));
            n += decimals - (count - whole);
            memcpy(text + n, raw + whole, count - whole);
            n += count - whole;
        }
        text[n] = '\0';
    }
    free(raw);
    return text;
}

/* n x 2^e2 x 5^e5 is an integer over 10^decimals for the least `decimals` that lifts both exponents to 0. */
static char *decimal_text(const struct exact_term *t)
{
    mpz_t lift, p, q;
    struct exact_term scaled;
    mpz_inits(lift, p, q, NULL);
    exact_term_init(&scaled);
    exact_term_set(&scaled, t);
    mpz_set(lift, mpz_cmp(t->e2, t->e5) < 0 ? t->e2 : t->e5);
    mpz_neg(lift, lift);
    if (mpz_sgn(lift) < 0) {
        mpz_set_ui(lift, 0);
    }
    mpz_add(scaled.e2, scaled.e2, lift);
    mpz_add(scaled.e5, scaled.e5, lift);
    char *text = NULL;
    if (mpz_cmp_ui(lift, EXACT_SIZE_LIMIT) <= 0 && exact_term_fraction(&scaled, p, q)) {
        text = with_point(p, mpz_sgn(t->n) < 0, mpz_get_ui(lift));
    }
    exact_term_clear(&scaled);
    mpz_clears(lift, p, q, NULL);
    return text;
}

static char *fraction_text(const struct exact_term *t)
{
    mpz_t p, q;
    mpz_inits(p, q, NULL);
    char *text = NULL;
    if (exact_term_fraction(t, p, q)) {
        char *numerator = with_point(p, mpz_sgn(t->n) < 0, 0), *denominator = with_point(q, false, 0);
        if (numerator && denominator) {
            size_t size = strlen(numerator) + strlen(denominator) + 2;
            text = malloc(size);
            if (text) {
                snprintf(text, size, "%s/%s", numerator, denominator);
            }
        }
        free(numerator);
        free(denominator);
    }
    mpz_clears(p, q, NULL);
    return text;
}

static bool in_text_range(const struct exact *x)
{
    int64_t e = exact_exponent(x);
    if (e == TEXT_EXPONENT_LIMIT) {
        struct exact_wide wide = exact_to_wide(x);
        return wide.significand == UINT64_C(1) << 63;
    }
    return e < TEXT_EXPONENT_LIMIT && e >= -TEXT_EXPONENT_LIMIT;
}

char *exact_text(const struct exact *x)
{
    const char *word = special(x);
    if (word) {
        return duplicate(word);
    }
    if (x->count > 1 || !in_text_range(x)) {
        return NULL;
    }
    const struct exact_term *t = &x->term[0];
    return mpz_cmp_ui(t->d, 1) == 0 ? decimal_text(t) : fraction_text(t);
}

/* Leading decimal digits of |x|: d.ddd x 10^exponent.  `exact` if there are no more; trailing zeros are then
 * off. */
struct leading {
    char digits[SHORT_DIGITS_MAX + 2];
    int64_t exponent;
    bool exact;
};

/* floor(log10 |x|) or one less; false if that does not fit. */
static bool guess_exponent10(const struct exact *x, int64_t *exponent)
{
    int64_t e2 = exact_exponent(x);
    if (e2 > -(1 << 20) && e2 < 1 << 20) {
        /* floor(2^40 log10(2)), or one more where that makes the product smaller */
        int64_t product = e2 * (e2 < 0 ? INT64_C(330985980542) : INT64_C(330985980541));
        *exponent = (product - (product < 0 ? (INT64_C(1) << 40) - 1 : 0)) / (INT64_C(1) << 40);
        return true;
    }
    mpz_t e;
    mpfr_t log;
    mpz_init(e);
    exact_term_top(&x->term[0], exact_tail_sign(x), e);
    mpz_add_ui(e, e, 63);
    mpfr_init2(log, 256);
    mpfr_set_ui(log, 2, MPFR_RNDN);
    mpfr_log10(log, log, MPFR_RNDN);
    mpfr_mul_z(log, log, e, MPFR_RNDN);
    mpfr_get_z(e, log, MPFR_RNDD);
    mpfr_clear(log);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE);
    bool fits = mpz_cmpabs_ui(e, (unsigned long)exponent10_limit) < 0;
    *exponent = fits ? mpz_get_si(e) : mpz_sgn(e) * exponent10_limit;
    mpz_clear(e);
    return fits;
}

static bool leading_digits(const struct exact *x, int count, struct leading *out)
{
    if (!guess_exponent10(x, &out->exponent)) {
        return false;
    }
    struct exact_term t;
    mpz_t digits, shift;
    exact_term_init(&t);
    mpz_inits(digits, shift, NULL);
    for (;; out->exponent++) {
        mpz_set_si(shift, count - 1 - out->exponent);
        exact_term_set(&t, &x->term[0]);
        mpz_add(t.e2, t.e2, shift);
        mpz_add(t.e5, t.e5, shift);
        out->exact = exact_term_floor(&t, exact_tail_sign(x), digits);
        mpz_ui_pow_ui(shift, 10, (unsigned long)count);
        if (mpz_cmp(digits, shift) < 0) {
            break;
        }
    }
    mpz_get_str(out->digits, 10, digits);
    if (out->exact) {
        size_t n = strlen(out->digits);
        while (n > 1 && out->digits[n - 1] == '0') {
            out->digits[--n] = '\0';
        }
    }
    exact_term_clear(&t);
    mpz_clears(digits, shift, NULL);
    return true;
}

static void plain(char *text, size_t size, const struct leading *l, const char *sign, const char *more)
{
    int n = (int)strlen(l->digits), whole = (int)l->exponent + 1;
    if (whole <= 0) {
        snprintf(text, size, "%s0.%.*s%s%s", sign, -whole, "0000000000000000000000000000000000", l->digits,
                 more);
    } else if (whole < n || *more) {
        snprintf(text, size, "%s%.*s.%s%s", sign, whole, l->digits, l->digits + whole, more);
    } else {
        int used = snprintf(text, size, "%s%s", sign, l->digits);
        for (int i = n; i < whole; i++) {
            text[used++] = '0';
        }
        text[used] = '\0';
    }
}

char *exact_text_short(const struct exact *x, int digits, bool ascii)
{
    const char *word = special(x);
    if (word) {
        return duplicate(word);
    }
    const char *sign = exact_sign(x) ? "-" : "";
    const char *more = ascii ? "..." : "\xe2\x80\xa6"; /* U+2026 */
    struct leading l;
    char text[2 * SHORT_DIGITS_MAX + 64];
    digits = digits < 1 ? 1 : digits > SHORT_DIGITS_MAX ? SHORT_DIGITS_MAX : digits;
    if (!leading_digits(x, digits, &l)) {
        bool above = (l.exponent > 0) != (*sign != '\0');
        snprintf(text, sizeof text, "%c%s1e%" PRId64, above ? '>' : '<', sign, l.exponent);
        return duplicate(text);
    }
    more = l.exact ? "" : more;
    int count = (int)strlen(l.digits);
    bool short_fraction = l.exact && l.exponent < 0 && l.exponent >= -32 && count - l.exponent - 1 <= digits;
    if ((l.exponent >= -4 && l.exponent < digits) || short_fraction) {
        plain(text, sizeof text, &l, sign, more);
    } else {
        snprintf(text, sizeof text, "%s%c%s%s%se%" PRId64, sign, l.digits[0], count > 1 || *more ? "." : "",
                 l.digits + 1, more, l.exponent);
    }
    return duplicate(text);
}

char *exact_hexfloat(const struct format *f, uint64_t bits)
{
    char text[64];
    const char *sign = format_sign(f, bits) ? "-" : "";
    int exponent = format_biased_exponent(f, bits);
    int hex_digits = (f->trailing_bits + 3) / 4;
    uint64_t trailing = format_trailing(f, bits) << (4 * hex_digits - f->trailing_bits);
    switch (format_classify(f, bits)) {
    case CLASS_QUIET_NAN:
    case CLASS_SIGNALING_NAN:
        return duplicate("nan");
    case CLASS_INFINITE:
        snprintf(text, sizeof text, "%sinf", sign);
        return duplicate(text);
    case CLASS_ZERO:
        snprintf(text, sizeof text, "%s0x0p+0", sign);
        return duplicate(text);
    case CLASS_SUBNORMAL:
    case CLASS_NORMAL:
        break;
    }
    for (; hex_digits > 0 && (trailing & 15) == 0; hex_digits--) {
        trailing >>= 4;
    }
    bool normal = exponent || !format_has_zero(f);
    int power = normal ? exponent - f->bias : f->emin;
    if (hex_digits > 0) {
        snprintf(text, sizeof text, "%s0x%d.%0*" PRIx64 "p%+d", sign, normal, hex_digits, trailing, power);
    } else {
        snprintf(text, sizeof text, "%s0x%dp%+d", sign, normal, power);
    }
    return duplicate(text);
}
