/* exact_term.c: arithmetic on terms n/d x 2^e2 x 5^e5, and their leading bits. */
#include "exact_internal.h"

#include <mpfr.h>

enum { FAR_GAP = 4096, FAR_SLACK = 256, TOP_BITS = 192, TOP_BITS_MAX = FAR_GAP / 2 };

void exact_term_init(struct exact_term *t)
{
    mpz_inits(t->n, t->d, t->e2, t->e5, NULL);
    mpz_set_ui(t->d, 1);
}

void exact_term_clear(struct exact_term *t)
{
    mpz_clears(t->n, t->d, t->e2, t->e5, NULL);
}

void exact_term_set(struct exact_term *t, const struct exact_term *from)
{
    mpz_set(t->n, from->n);
    mpz_set(t->d, from->d);
    mpz_set(t->e2, from->e2);
    mpz_set(t->e5, from->e5);
}

static int64_t bits_of(const mpz_t z)
{
    return (int64_t)mpz_sizeinbase(z, 2);
}

/* |z| as an integer, clamped so that a few of them can be added. */
static int64_t clamped_abs(const mpz_t z)
{
    if (bits_of(z) > 58) {
        return INT64_C(1) << 58;
    }
    int64_t v = mpz_get_si(z);
    return v < 0 ? -v : v;
}

/* Bits of 5^count, from above. */
static int64_t fives(int64_t count)
{
    return count * 7 / 3 + 1;
}

int64_t exact_term_size(const struct exact_term *t)
{
    return bits_of(t->n) + bits_of(t->d) + fives(clamped_abs(t->e5));
}

static bool is_one(const mpz_t z)
{
    return mpz_cmp_ui(z, 1) == 0;
}

/* Moves the powers of 2 and 5 out of z; `direction` is +1 for a numerator and -1 for a denominator. */
static void strip(mpz_t z, mpz_t e2, mpz_t e5, int direction)
{
    mp_bitcnt_t twos = mpz_scan1(z, 0);
    if (twos) {
        mpz_tdiv_q_2exp(z, z, twos);
    }
    mp_bitcnt_t count = 0;
    if (mpz_divisible_ui_p(z, 5)) {
        mpz_t five;
        mpz_init_set_ui(five, 5);
        count = mpz_remove(z, z, five);
        mpz_clear(five);
    }
    if (direction > 0) {
        mpz_add_ui(e2, e2, twos);
        mpz_add_ui(e5, e5, count);
    } else {
        mpz_sub_ui(e2, e2, twos);
        mpz_sub_ui(e5, e5, count);
    }
}

bool exact_term_normalise(struct exact_term *t)
{
    if (mpz_sgn(t->n) == 0) {
        mpz_set_ui(t->d, 1);
        mpz_set_ui(t->e2, 0);
        mpz_set_ui(t->e5, 0);
        return true;
    }
    strip(t->n, t->e2, t->e5, 1);
    if (!is_one(t->d)) {
        strip(t->d, t->e2, t->e5, -1);
    }
    return bits_of(t->n) + bits_of(t->d) <= EXACT_SIZE_LIMIT && bits_of(t->e2) <= EXACT_E2_BITS &&
           bits_of(t->e5) <= EXACT_E5_BITS;
}

static bool gcd_affordable(const mpz_t a, const mpz_t b)
{
    return bits_of(a) <= EXACT_GCD_LIMIT || bits_of(b) <= EXACT_GCD_LIMIT || mpz_cmpabs(a, b) == 0;
}

bool exact_term_multiply(struct exact_term *r, const struct exact_term *a, const struct exact_term *b)
{
    if (bits_of(a->n) + bits_of(b->n) + bits_of(a->d) + bits_of(b->d) > EXACT_SIZE_LIMIT * INT64_C(2) ||
        !gcd_affordable(a->n, b->d) || !gcd_affordable(b->n, a->d)) {
        return false;
    }
    mpz_t g, h, n, d;
    mpz_inits(g, h, n, d, NULL);
    mpz_gcd(g, a->n, b->d);
    mpz_gcd(h, b->n, a->d);
    mpz_divexact(n, a->n, g);
    mpz_divexact(d, b->n, h);
    mpz_mul(n, n, d);
    mpz_divexact(d, a->d, h);
    mpz_divexact(g, b->d, g);
    mpz_mul(d, d, g);
    mpz_add(r->e2, a->e2, b->e2);
    mpz_add(r->e5, a->e5, b->e5);
    mpz_swap(r->n, n);
    mpz_swap(r->d, d);
    mpz_clears(g, h, n, d, NULL);
    return exact_term_normalise(r);
}

void exact_term_invert(struct exact_term *t)
{
    mpz_swap(t->n, t->d);
    if (mpz_sgn(t->d) < 0) {
        mpz_neg(t->d, t->d);
        mpz_neg(t->n, t->n);
    }
    mpz_neg(t->e2, t->e2);
    mpz_neg(t->e5, t->e5);
}

/* r = z^k, for k >= 0. */
static bool integer_power(mpz_t r, const mpz_t z, const mpz_t k)
{
    if (mpz_cmpabs_ui(z, 1) == 0) {
        mpz_set_si(r, mpz_sgn(z) < 0 && mpz_odd_p(k) ? -1 : 1);
        return true;
    }
    int64_t count = clamped_abs(k);
    if (count > EXACT_SIZE_LIMIT || bits_of(z) * count > EXACT_SIZE_LIMIT + count) {
        return false;
    }
    mpz_pow_ui(r, z, (unsigned long)count);
    return true;
}

bool exact_term_power(struct exact_term *r, const struct exact_term *a, const mpz_t k)
{
    mpz_t count;
    mpz_init(count);
    mpz_abs(count, k);
    /* Powers of coprime numbers are coprime, so nothing has to be reduced. */
    bool ok = integer_power(r->n, a->n, count) && integer_power(r->d, a->d, count);
    if (ok) {
        mpz_mul(r->e2, a->e2, count);
        mpz_mul(r->e5, a->e5, count);
        if (mpz_sgn(k) < 0) {
            exact_term_invert(r);
        }
        ok = exact_term_normalise(r);
    }
    mpz_clear(count);
    return ok;
}

/* z x 5^count */
static void multiply_fives(mpz_t z, int64_t count)
{
    if (count > 0) {
        mpz_t power;
        mpz_init(power);
        mpz_ui_pow_ui(power, 5, (unsigned long)count);
        mpz_mul(z, z, power);
        mpz_clear(power);
    }
}

/* n = t's numerator when its exponents are lowered to e2 and e5, which are not greater than its own. */
static void lowered(mpz_t n, const struct exact_term *t, const mpz_t e2, const mpz_t e5)
{
    mpz_t difference;
    mpz_init(difference);
    mpz_sub(difference, t->e5, e5);
    mpz_set(n, t->n);
    multiply_fives(n, mpz_get_si(difference));
    mpz_sub(difference, t->e2, e2);
    mpz_mul_2exp(n, n, mpz_get_ui(difference));
    mpz_clear(difference);
}

bool exact_term_add(struct exact_term *r, const struct exact_term *a, const struct exact_term *b)
{
    if (!gcd_affordable(a->d, b->d)) {
        return false;
    }
    mpq_t x, y;
    mpz_t e2, e5;
    mpq_inits(x, y, NULL);
    mpz_init_set(e2, mpz_cmp(a->e2, b->e2) < 0 ? a->e2 : b->e2);
    mpz_init_set(e5, mpz_cmp(a->e5, b->e5) < 0 ? a->e5 : b->e5);
    lowered(mpq_numref(x), a, e2, e5);
    lowered(mpq_numref(y), b, e2, e5);
    mpz_set(mpq_denref(x), a->d);
    mpz_set(mpq_denref(y), b->d);
    mpq_add(x, x, y); /* denominators are free of 2 and 5, so both fractions are in lowest terms */
    mpz_swap(r->n, mpq_numref(x));
    mpz_swap(r->d, mpq_denref(x));
    mpz_swap(r->e2, e2);
    mpz_swap(r->e5, e5);
    mpz_clears(e2, e5, NULL);
    mpq_clears(x, y, NULL);
    return exact_term_normalise(r);
}

int64_t exact_term_far_gap(const struct exact_term *lead)
{
    /* A fraction of so many bits is at least 2^-gap of itself away from any 65-bit number that it is not, so
     * a smaller tail cannot cross one.  A lead with a 5^e5 too large to multiply out is no such number, and
     * its leading bits settle every question long before FAR_GAP. */
    int64_t size = exact_term_size(lead);
    return size > EXACT_SIZE_LIMIT || size + FAR_SLACK < FAR_GAP ? FAR_GAP : size + FAR_SLACK;
}

enum exact_relation exact_term_relation(const struct exact_term *a, const struct exact_term *b)
{
    mpz_t difference, exponent_a, exponent_b;
    mpz_inits(difference, exponent_a, exponent_b, NULL);
    mpz_sub(difference, a->e2, b->e2);
    int64_t shift = clamped_abs(difference);
    mpz_sub(difference, a->e5, b->e5);
    shift += fives(clamped_abs(difference));
    int64_t left = bits_of(a->n) + bits_of(b->d), right = bits_of(b->n) + bits_of(a->d);
    int64_t size = shift + (left > right ? left : right) + bits_of(a->d) + bits_of(b->d);
    enum exact_relation relation = RELATION_NEAR;
    if (shift > EXACT_SHIFT_LIMIT || size > EXACT_SIZE_LIMIT) {
        exact_term_top(a, 0, exponent_a);
        exact_term_top(b, 0, exponent_b);
        mpz_sub(difference, exponent_a, exponent_b);
        if (clamped_abs(difference) >= exact_term_far_gap(mpz_sgn(difference) > 0 ? a : b)) {
            relation = RELATION_FAR;
        } else if (size > 2 * EXACT_SIZE_LIMIT) { /* an upper bound: what is left may still fit */
            relation = RELATION_HOPELESS;
        }
    }
    mpz_clears(difference, exponent_a, exponent_b, NULL);
    return relation;
}

/* 64 bits of |z| (bit length at least 66) rounded to odd; adds the bits dropped to the exponent. */
static uint64_t top_of(const mpz_t z, bool inexact, mpz_t exponent)
{
    mp_bitcnt_t drop = mpz_sizeinbase(z, 2) - 64;
    mpz_t top;
    mpz_init(top);
    mpz_tdiv_q_2exp(top, z, drop);
    uint64_t significand = mpz_get_ui(top);
    mpz_clear(top);
    mpz_add_ui(exponent, exponent, drop);
    return significand | (uint64_t)(inexact || mpz_scan1(z, 0) < drop);
}

/* lo x 2^exponent < |t| < (lo + width) x 2^exponent, lo of about `bits` bits; never multiplies 5^e5 out. */
enum { BRACKET_WIDTH = 32 };
static void bracket(const struct exact_term *t, mpfr_prec_t bits, mpz_t lo, mpz_t exponent)
{
    mpfr_t m, l;
    mpz_t k;
    mpz_init(k);
    mpfr_init2(m, bits);
    mpfr_init2(l, (mpfr_prec_t)bits_of(t->e5) + bits + 64);
    mpfr_set_z(m, t->n, MPFR_RNDN);
    mpfr_abs(m, m, MPFR_RNDN);
    mpz_set(exponent, t->e2);
    if (mpz_sgn(t->e5) != 0) {
        /* 5^e5 = 2^k x 2^fraction.  The precision leaves the fraction right to bits + 60 places. */
        mpfr_set_ui(l, 5, MPFR_RNDN);
        mpfr_log2(l, l, MPFR_RNDN);
        mpfr_mul_z(l, l, t->e5, MPFR_RNDN);
        mpfr_get_z(k, l, MPFR_RNDD);
        mpfr_sub_z(l, l, k, MPFR_RNDN);
        mpz_add(exponent, exponent, k);
        mpfr_t power;
        mpfr_init2(power, bits);
        mpfr_exp2(power, l, MPFR_RNDN);
        mpfr_mul(m, m, power, MPFR_RNDN);
        mpfr_clear(power);
    }
    mpfr_div_z(m, m, t->d, MPFR_RNDN);
    /* At most four roundings of half an ulp each: |error| < 5 units of lo. */
    mpfr_exp_t e = mpfr_get_z_2exp(lo, m);
    mpz_set_si(k, e);
    mpz_add(exponent, exponent, k);
    mpz_sub_ui(lo, lo, BRACKET_WIDTH / 2);
    mpfr_clears(m, l, (mpfr_ptr)0);
    mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); /* rare path; threads come and go */
    mpz_clear(k);
}

/* Whether 5^e5 can be multiplied out. */
static bool is_small(const struct exact_term *t, int64_t limit)
{
    return exact_term_size(t) <= limit;
}

static uint64_t top_exact(const struct exact_term *t, int tail, mpz_t exponent)
{
    mpz_t n, d, r;
    mpz_inits(n, r, NULL);
    mpz_abs(n, t->n);
    mpz_init_set(d, t->d);
    int64_t e5 = mpz_get_si(t->e5);
    multiply_fives(e5 > 0 ? n : d, e5 > 0 ? e5 : -e5);
    int64_t shift = bits_of(n) - bits_of(d) - 67; /* the quotient gets 67 or 68 bits */
    if (shift > 0) {
        mpz_mul_2exp(d, d, (mp_bitcnt_t)shift);
    } else {
        mpz_mul_2exp(n, n, (mp_bitcnt_t)-shift);
    }
    mpz_tdiv_qr(n, r, n, d);
    bool inexact = mpz_sgn(r) != 0 || tail != 0;
    if (mpz_sgn(r) == 0 && tail < 0) {
        mpz_sub_ui(n, n, 1);
    }
    mpz_set_si(r, shift);
    mpz_add(exponent, t->e2, r);
    uint64_t significand = top_of(n, inexact, exponent);
    mpz_clears(n, d, r, NULL);
    return significand;
}

uint64_t exact_term_top(const struct exact_term *t, int tail, mpz_t exponent)
{
    if (is_small(t, 4096)) {
        return top_exact(t, tail, exponent);
    }
    mpz_t lo, hi;
    mpz_inits(lo, hi, NULL);
    uint64_t significand = 0;
    for (mpfr_prec_t bits = TOP_BITS;; bits *= 2) {
        bracket(t, bits, lo, exponent);
        mpz_add_ui(hi, lo, BRACKET_WIDTH);
        mp_bitcnt_t drop = mpz_sizeinbase(lo, 2) - 64;
        mpz_tdiv_q_2exp(hi, hi, drop);
        significand = top_of(lo, true, exponent);
        mpz_tdiv_q_2exp(lo, lo, drop);
        /* Equal top bits of both ends mean that the value lies strictly between two 64-bit numbers. */
        if (mpz_cmp(lo, hi) == 0) {
            break;
        }
        if (is_small(t, EXACT_SIZE_LIMIT * INT64_C(2))) {
            significand = top_exact(t, tail, exponent);
            break;
        }
        if (bits >= TOP_BITS_MAX) {
            break; /* 2000 equal bits after the 64th of a power of 5: does not happen */
        }
    }
    mpz_clears(lo, hi, NULL);
    return significand;
}

bool exact_term_fraction(const struct exact_term *t, mpz_t p, mpz_t q)
{
    int64_t e2 = clamped_abs(t->e2), e5 = clamped_abs(t->e5);
    if (bits_of(t->n) + bits_of(t->d) + e2 + fives(e5) > 2 * EXACT_SIZE_LIMIT) {
        return false;
    }
    mpz_abs(p, t->n);
    mpz_set(q, t->d);
    multiply_fives(mpz_sgn(t->e5) > 0 ? p : q, e5);
    if (mpz_sgn(t->e2) > 0) {
        mpz_mul_2exp(p, p, (mp_bitcnt_t)e2);
    } else {
        mpz_mul_2exp(q, q, (mp_bitcnt_t)e2);
    }
    return true;
}

/* floor(z x 2^exponent), for a result below 2^100000 */
static void floor_scaled(mpz_t r, const mpz_t z, const mpz_t exponent)
{
    int64_t e = clamped_abs(exponent);
    if (mpz_sgn(exponent) >= 0) {
        mpz_mul_2exp(r, z, (mp_bitcnt_t)e);
    } else {
        mpz_fdiv_q_2exp(r, z, (mp_bitcnt_t)e);
    }
}

bool exact_term_floor(const struct exact_term *t, int tail, mpz_t floor)
{
    mpz_t a, b, exponent;
    mpz_inits(a, b, exponent, NULL);
    bool exact = false;
    if (exact_term_fraction(t, a, b)) {
        mpz_fdiv_qr(floor, a, a, b);
        exact = mpz_sgn(a) == 0 && tail == 0;
        if (mpz_sgn(a) == 0 && tail < 0) {
            mpz_sub_ui(floor, floor, 1);
        }
    } else {
        for (mpfr_prec_t bits = TOP_BITS;; bits *= 2) {
            bracket(t, bits, a, exponent);
            mpz_add_ui(b, a, BRACKET_WIDTH);
            floor_scaled(floor, a, exponent);
            floor_scaled(b, b, exponent);
            if (mpz_cmp(floor, b) == 0 || bits > (1 << 17)) {
                break;
            }
        }
    }
    mpz_clears(a, b, exponent, NULL);
    return exact;
}
