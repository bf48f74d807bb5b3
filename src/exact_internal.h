/* exact_internal.h: how an exact value is held; for the exact*.c files only.
 *
 * A finite value is a sum of at most EXACT_TERMS terms.  A term is n/d x 2^e2 x 5^e5 with n and d free of
 * common factors and of 2 and 5, so 1e999999999 costs a few bytes and 1e999999999/1e999999998 is 10.  Nearly
 * every value has one term; 1 + 1e-999999999 has two, since no memory holds their sum as a fraction.  Terms
 * of one value stand in falling magnitude, so far apart that the first decides every rounding, but for the
 * sign of the second where the first is exactly on a representable value or a tie. */
#ifndef ULPSCOPE_SRC_EXACT_INTERNAL_H
#define ULPSCOPE_SRC_EXACT_INTERNAL_H

#include "exact.h"
#include <gmp.h>

enum {
    EXACT_TERMS = 8,
    /* Bits of n and d together, and of 2^e2 x 5^e5 where they are multiplied out: keeps one operation to some
     * tens of milliseconds. */
    EXACT_SIZE_LIMIT = 1 << 21,
    /* Greatest common divisors cost most. */
    EXACT_GCD_LIMIT = 1 << 19,
    /* Terms whose exponents differ by fewer bits than this are always added up. */
    EXACT_SHIFT_LIMIT = 1 << 18,
    /* Bits of the exponents themselves.  log2(5) is computed to the bits of e5; e2 only has to hold
       2^2^65536. */
    EXACT_E2_BITS = 1 << 17,
    EXACT_E5_BITS = 1 << 11,
};

struct exact_term {
    mpz_t n; /* signed, never 0 in a value */
    mpz_t d; /* positive */
    mpz_t e2, e5;
};

struct exact {
    enum exact_kind kind;
    int sign; /* of zeros, infinities and NaNs; terms have their own */
    uint64_t payload;
    bool typed; /* the text was bits in a format, kept below */
    const struct format *typed_format;
    uint64_t typed_bits;
    int count;
    struct exact_term term[EXACT_TERMS];
};

/* binary64, which is an input only. */
extern const struct format exact_binary64;

void exact_term_init(struct exact_term *t); /* 0/1 */
void exact_term_clear(struct exact_term *t);
void exact_term_set(struct exact_term *t, const struct exact_term *from);

/* Bits that n, d and 5^|e5| take when multiplied out, at most INT64_MAX / 4. */
int64_t exact_term_size(const struct exact_term *t);

/* Moves factors 2 and 5 of n and d into the exponents.  False if the limits above are exceeded. */
bool exact_term_normalise(struct exact_term *t);

bool exact_term_multiply(struct exact_term *r, const struct exact_term *a, const struct exact_term *b);
void exact_term_invert(struct exact_term *t);
bool exact_term_power(struct exact_term *r, const struct exact_term *a, const mpz_t k);
bool exact_term_add(struct exact_term *r, const struct exact_term *a, const struct exact_term *b);

/* What adding two terms needs: to be added up, to be kept side by side, or more than can be had. */
enum exact_relation { RELATION_NEAR, RELATION_FAR, RELATION_HOPELESS };
enum exact_relation exact_term_relation(const struct exact_term *a, const struct exact_term *b);

/* By how many powers of two a term must be below `lead` to be its tail. */
int64_t exact_term_far_gap(const struct exact_term *lead);

/* |t| + tail, where `tail` (-1, 0, 1) is an infinitesimal, rounded to odd: significand x 2^exponent, with the
 * top bit of the significand set. */
uint64_t exact_term_top(const struct exact_term *t, int tail, mpz_t exponent);

/* floor(|t| + tail), for |t| below 2^100000; true if that is the value itself. */
bool exact_term_floor(const struct exact_term *t, int tail, mpz_t floor);

/* p = |n| x 2^.. x 5^.. and q = d x 2^.. x 5^.. with every exponent multiplied out.  False if too large. */
bool exact_term_fraction(const struct exact_term *t, mpz_t p, mpz_t q);

/* Allocates a finite zero; NULL without memory. */
struct exact *exact_new(void);
struct exact *exact_from_term(const struct exact_term *t); /* NULL if over the limits */
int exact_tail_sign(const struct exact *x);        /* of the second term as seen by the first: -1, 0, 1 */
struct exact *exact_negate(const struct exact *a); /* of any kind; a zero changes its sign */

/* a^k; NULL if too large.  The caller sees to 0^k for k < 0. */
struct exact *exact_power(const struct exact *a, const mpz_t k);

/* The encoding's value for any format, binary64 too. */
struct exact *exact_decode(const struct format *f, uint64_t bits);

#endif
