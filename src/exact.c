/* exact.c: exact values as sums of terms: their life and arithmetic. */
#include "exact_internal.h"

#include <stdlib.h>
#include <string.h>

/* IEEE 754-2019 table 3.5 */
const struct format exact_binary64 = {
    .name = "fp64",
    .title = "binary64",
    .aliases = "float64 double binary64 f64",
    .width = 64,
    .exponent_bits = 11,
    .trailing_bits = 52,
    .precision = 53,
    .bias = 1023,
    .emax = 1023,
    .emin = -1022,
    .specials = FORMAT_INF_NAN,
    .key = -1,
};

struct exact *exact_new(void)
{
    struct exact *x = calloc(1, sizeof *x);
    if (x) {
        x->kind = EXACT_FINITE;
    }
    return x;
}

void exact_free(struct exact *x)
{
    if (x) {
        for (int i = 0; i < x->count; i++) {
            exact_term_clear(&x->term[i]);
        }
        free(x);
    }
}

struct exact *exact_copy(const struct exact *x)
{
    struct exact *copy = malloc(sizeof *copy);
    if (copy) {
        *copy = *x;
        for (int i = 0; i < x->count; i++) {
            exact_term_init(&copy->term[i]);
            exact_term_set(&copy->term[i], &x->term[i]);
        }
    }
    return copy;
}

enum exact_kind exact_kind(const struct exact *x)
{
    return x->kind;
}

int exact_sign(const struct exact *x)
{
    return x->count ? mpz_sgn(x->term[0].n) < 0 : x->sign;
}

bool exact_is_zero(const struct exact *x)
{
    return x->kind == EXACT_FINITE && x->count == 0;
}

bool exact_typed_bits(const struct exact *x, const struct format **f, uint64_t *bits)
{
    if (x->typed) {
        *f = x->typed_format;
        *bits = x->typed_bits;
    }
    return x->typed;
}

bool exact_typed_subnormal(const struct exact *x)
{
    const struct format *f = x->typed_format ? x->typed_format : &exact_binary64;
    return x->typed && format_classify(f, x->typed_bits) == CLASS_SUBNORMAL;
}

uint64_t exact_nan_payload(const struct exact *x)
{
    return x->payload;
}

int exact_tail_sign(const struct exact *x)
{
    return x->count < 2 ? 0 : mpz_sgn(x->term[0].n) * mpz_sgn(x->term[1].n);
}

static void remove_term(struct exact *x, int i)
{
    exact_term_clear(&x->term[i]);
    x->count--;
    memmove(&x->term[i], &x->term[i + 1], (size_t)(x->count - i) * sizeof x->term[0]);
}

/* Where a term far from all others belongs in the falling order. */
static int place_of(const struct exact *x, const struct exact_term *t)
{
    mpz_t exponent, other;
    mpz_inits(exponent, other, NULL);
    exact_term_top(t, 0, exponent);
    int place = x->count;
    while (place > 0) {
        exact_term_top(&x->term[place - 1], 0, other);
        if (mpz_cmp(other, exponent) > 0) {
            break;
        }
        place--;
    }
    mpz_clears(exponent, other, NULL);
    return place;
}

/* x += t, in place; t is used up.  False, and x of no use but to be freed, if the sum is too large. */
static bool insert(struct exact *x, struct exact_term *t)
{
    bool ok = exact_term_normalise(t);
    for (int i = 0; ok && i < x->count && mpz_sgn(t->n) != 0;) {
        enum exact_relation relation = exact_term_relation(&x->term[i], t);
        if (relation == RELATION_NEAR) {
            ok = exact_term_add(t, t, &x->term[i]);
            remove_term(x, i);
            i = 0; /* the sum may now be near to a term that t was far from */
        } else {
            ok = relation == RELATION_FAR;
            i++;
        }
    }
    if (!ok || mpz_sgn(t->n) == 0 || x->count == EXACT_TERMS) {
        ok = ok && mpz_sgn(t->n) == 0;
        exact_term_clear(t);
        return ok;
    }
    int place = x->count ? place_of(x, t) : 0;
    memmove(&x->term[place + 1], &x->term[place], (size_t)(x->count - place) * sizeof x->term[0]);
    x->term[place] = *t;
    x->count++;
    return true;
}

struct exact *exact_from_term(const struct exact_term *t)
{
    struct exact *x = exact_new();
    struct exact_term copy;
    if (!x) {
        return NULL;
    }
    exact_term_init(&copy);
    exact_term_set(&copy, t);
    if (!insert(x, &copy)) {
        exact_free(x);
        return NULL;
    }
    return x;
}

struct exact *exact_negate(const struct exact *a)
{
    struct exact *x = exact_copy(a);
    if (x) {
        x->typed = false;
        x->sign = !x->sign;
        for (int i = 0; i < x->count; i++) {
            mpz_neg(x->term[i].n, x->term[i].n);
        }
    }
    return x;
}

static bool both_finite(const struct exact *a, const struct exact *b)
{
    return a->kind == EXACT_FINITE && b->kind == EXACT_FINITE;
}

/* a + b or a - b.  Zeros that arithmetic makes are positive, as in roundTiesToEven. */
static struct exact *sum(const struct exact *a, const struct exact *b, bool subtract)
{
    struct exact *x = both_finite(a, b) ? exact_new() : NULL;
    bool ok = x != NULL;
    for (int i = 0; ok && i < a->count + b->count; i++) {
        bool first = i < a->count;
        struct exact_term t;
        exact_term_init(&t);
        exact_term_set(&t, first ? &a->term[i] : &b->term[i - a->count]);
        if (!first && subtract) {
            mpz_neg(t.n, t.n);
        }
        ok = insert(x, &t);
    }
    if (!ok) {
        exact_free(x);
        return NULL;
    }
    return x;
}

struct exact *exact_add(const struct exact *a, const struct exact *b)
{
    return sum(a, b, false);
}

struct exact *exact_subtract(const struct exact *a, const struct exact *b)
{
    return sum(a, b, true);
}

struct exact *exact_multiply(const struct exact *a, const struct exact *b)
{
    struct exact *x = both_finite(a, b) ? exact_new() : NULL;
    bool ok = x != NULL;
    for (int i = 0; ok && i < a->count; i++) {
        for (int j = 0; ok && j < b->count; j++) {
            struct exact_term t;
            exact_term_init(&t);
            ok = exact_term_multiply(&t, &a->term[i], &b->term[j]);
            if (ok) {
                ok = insert(x, &t);
            } else {
                exact_term_clear(&t);
            }
        }
    }
    if (!ok) {
        exact_free(x);
        return NULL;
    }
    return x;
}

struct exact *exact_divide(const struct exact *a, const struct exact *b)
{
    if (!both_finite(a, b) || b->count != 1) {
        return NULL; /* also: 1/(1 + 1e-999999999) has no sum of a few terms */
    }
    struct exact *inverse = exact_copy(b);
    if (!inverse) {
        return NULL;
    }
    exact_term_invert(&inverse->term[0]);
    struct exact *x = exact_multiply(a, inverse);
    exact_free(inverse);
    return x;
}

struct exact *exact_scale(const struct exact *a, int64_t power_of_two)
{
    struct exact_term two;
    exact_term_init(&two);
    mpz_set_ui(two.n, 1);
    mpz_set_si(two.e2, power_of_two);
    struct exact *factor = exact_from_term(&two);
    struct exact *x = factor ? exact_multiply(a, factor) : NULL;
    exact_free(factor);
    exact_term_clear(&two);
    return x;
}

static bool is_even(const mpz_t z)
{
    return mpz_even_p(z) != 0;
}

struct exact *exact_sqrt(const struct exact *a)
{
    const struct exact_term *t = &a->term[0];
    if (a->kind != EXACT_FINITE || a->count == 0) {
        return a->kind == EXACT_FINITE ? exact_copy(a) : NULL;
    }
    /* In lowest terms and without factors 2 and 5: a square has squares in every part. */
    if (a->count > 1 || !mpz_perfect_square_p(t->n) || !mpz_perfect_square_p(t->d) || !is_even(t->e2) ||
        !is_even(t->e5)) {
        return NULL;
    }
    struct exact_term root;
    exact_term_init(&root);
    mpz_sqrt(root.n, t->n);
    mpz_sqrt(root.d, t->d);
    mpz_divexact_ui(root.e2, t->e2, 2);
    mpz_divexact_ui(root.e5, t->e5, 2);
    struct exact *x = exact_from_term(&root);
    exact_term_clear(&root);
    return x;
}

struct exact *exact_power(const struct exact *a, const mpz_t k)
{
    struct exact *x = exact_new();
    struct exact_term t;
    if (!x || a->count > 1) {
        /* Several terms: repeated multiplication, as far as their number allows. */
        unsigned long count = mpz_sgn(k) >= 0 && mpz_cmp_ui(k, EXACT_TERMS) < 0 ? mpz_get_ui(k) : 0;
        exact_free(x);
        x = count || mpz_sgn(k) == 0 ? exact_from_double(1) : NULL;
        for (unsigned long i = 0; x && i < count; i++) {
            struct exact *product = exact_multiply(x, a);
            exact_free(x);
            x = product;
        }
        return x;
    }
    if (a->count == 0 && mpz_sgn(k) != 0) {
        return x;
    }
    exact_term_init(&t);
    mpz_set_ui(t.n, 1);
    bool ok = a->count == 0 || exact_term_power(&t, &a->term[0], k);
    if (ok) {
        ok = insert(x, &t);
    } else {
        exact_term_clear(&t);
    }
    if (!ok) {
        exact_free(x);
        return NULL;
    }
    return x;
}

struct exact *exact_decode(const struct format *f, uint64_t bits)
{
    struct exact *x = exact_new();
    if (!x) {
        return NULL;
    }
    uint64_t trailing = format_trailing(f, bits);
    int biased = format_biased_exponent(f, bits);
    x->sign = format_sign(f, bits);
    switch (format_classify(f, bits)) {
    case CLASS_ZERO:
        return x;
    case CLASS_INFINITE:
        x->kind = EXACT_INFINITE;
        return x;
    case CLASS_QUIET_NAN:
    case CLASS_SIGNALING_NAN:
        x->kind = EXACT_NAN;
        /* The one NaN of a format that has no other carries nothing. */
        x->payload = format_has_infinity(f) ? trailing << (64 - f->trailing_bits) : UINT64_C(1) << 63;
        return x;
    case CLASS_SUBNORMAL:
    case CLASS_NORMAL:
        break;
    }
    struct exact_term t;
    exact_term_init(&t);
    bool normal = biased || !format_has_zero(f);
    mpz_set_ui(t.n, normal ? trailing | UINT64_C(1) << f->trailing_bits : trailing);
    mpz_set_si(t.e2, (normal ? biased - f->bias : f->emin) - f->trailing_bits);
    if (x->sign) {
        mpz_neg(t.n, t.n);
    }
    x->sign = 0;   /* the term has it */
    insert(x, &t); /* one small term always fits */
    return x;
}

struct exact *exact_from_bits(const struct format *f, uint64_t bits)
{
    return exact_decode(f, bits);
}

struct exact *exact_from_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return exact_decode(&exact_binary64, bits);
}
