/* exact.h: exact values (GMP/MPFR), the truth that every rounding is judged against.
 *
 * A `struct exact` is a value as typed: a rational number held exactly, an infinity, a NaN or a signed zero.
 * It is never squeezed through a double.  Exponents may be huge (1e999999999): such numbers are kept
 * factored, and every function here runs in bounded time and memory. */
#ifndef ULPSCOPE_SRC_EXACT_H
#define ULPSCOPE_SRC_EXACT_H

#include "format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exact; /* opaque */

/* Where and why a text is not a value; `column` is the byte offset of the offending character. */
struct exact_error {
    size_t column;
    char message[160]; /* "not a number", "division by zero", "too wide for fp16", … */
};

/* What a kernel needs to round a finite nonzero value once: value = (-1)^sign x significand x 2^exponent,
 * where the significand's top bit (2^63) is set and, when the value has more than 64 bits, its lowest bit is
 * a sticky bit (rounded to odd).  Exponents beyond +-1,000,000 are clamped there, which no format of format.h
 * can tell. */
struct exact_wide {
    int sign;
    uint64_t significand;
    int32_t exponent;
};

enum exact_kind { EXACT_FINITE, EXACT_INFINITE, EXACT_NAN };

/* Parses and evaluates a VALUE (see the command line's grammar) exactly.  Returns NULL and fills *error for
 * text that is not a value.  Bits typed with their format keep it: see exact_typed_bits. */
struct exact *exact_parse(const char *text, struct exact_error *error);
struct exact *exact_copy(const struct exact *x);
void exact_free(struct exact *x); /* NULL is allowed */

enum exact_kind exact_kind(const struct exact *x);
int exact_sign(const struct exact *x); /* 0 or 1; the sign bit, also of zeros and NaNs */
bool exact_is_zero(const struct exact *x);

/* If the whole text was bits in a format ("fp16:0x3c00"), true and what was typed.  The format may be one
 * that is an input only (fp64): then *f is NULL.  The way to show signaling NaNs and payloads unconverted. */
bool exact_typed_bits(const struct exact *x, const struct format **f, uint64_t *bits);

/* Whether the text was bits of a subnormal value in its format: what DAZ takes as zero. */
bool exact_typed_subnormal(const struct exact *x);

/* The NaN's payload as a left-aligned trailing significand (bit 63 is the quiet bit), for EXACT_NAN only. */
uint64_t exact_nan_payload(const struct exact *x);

/* The value of an encoding. */
struct exact *exact_from_bits(const struct format *f, uint64_t bits);
struct exact *exact_from_double(double value);

/* Arithmetic on finite values; NULL if an operand is not finite, for a division by zero, and for a result
 * that is too large to hold.  The sum or difference of a parsed value and a value of a format can always be
 * held.  A zero that arithmetic makes is +0. */
struct exact *exact_add(const struct exact *a, const struct exact *b);
struct exact *exact_subtract(const struct exact *a, const struct exact *b);
struct exact *exact_multiply(const struct exact *a, const struct exact *b);
struct exact *exact_divide(const struct exact *a, const struct exact *b);
struct exact *exact_scale(const struct exact *a, int64_t power_of_two); /* a x 2^power */

/* The square root of a finite value, where it is rational; NULL elsewhere. */
struct exact *exact_sqrt(const struct exact *a);

/* -1, 0, 1 for finite or infinite values (zeros are equal; 0 for NaNs, which have no order). */
int exact_compare(const struct exact *a, const struct exact *b);

/* The kernel's view of a finite nonzero value.  For a zero the significand is 0. */
struct exact_wide exact_to_wide(const struct exact *x);

/* The same of the square root of a finite value that is not negative; right where that is irrational too, if
 * x has at most 64 bits. */
struct exact_wide exact_sqrt_wide(const struct exact *x);

/* floor(log2 |x|) of a finite nonzero value, clamped to +-2^40. */
int64_t exact_exponent(const struct exact *x);

/* Where a finite |x| lies among the values of a format, the grid taken to go on beyond the largest finite
 * value. */
enum exact_tie { TIE_EXACT, TIE_BELOW, TIE_TIE, TIE_ABOVE };
enum exact_tie exact_tie(const struct exact *x, const struct format *f);
enum exact_tie exact_tie_wide(struct exact_wide wide, const struct format *f); /* of a kernel's view */
const char *exact_tie_name(enum exact_tie t); /* "exact", "below", "tie", "above" */

/* ulp of x in a format: 2^(max(e, emin) - p + 1), e the exponent of x; the smallest subnormal for 0; NULL for
 * infinities and NaNs. */
struct exact *exact_ulp(const struct exact *x, const struct format *f);

/* x, and a / b, as the nearest double, for values on axes and *_approx keys; infinities and NaN as such, a
 * nonzero value over 0 is infinite and 0/0 NaN. */
float exact_to_float(const struct exact *x); /* roundTiesToEven, once */
double exact_to_double(const struct exact *x);
double exact_ratio(const struct exact *a, const struct exact *b);

/* The contract's number strings: the exact decimal expansion in plain notation ("-0" for a negative zero),
 * "p/q" in lowest terms where none is finite, "inf", "-inf", "nan".  NULL when the value is beyond 2^+-20000,
 * or has more digits than anyone reads (some 250,000 are always written).  Free the result with free(). */
char *exact_text(const struct exact *x);

/* For people: exact if it fits in `digits` significant digits (at most 1000), else the value's first digits,
 * cut and not rounded, and an ellipsis ("…", or "..." when ascii).  Plain from 0.0001 up to as many digits
 * before the point as may be shown, and where a short fraction fits in them with its leading zeros; else
 * scientific: "1.5e-9", "3.40282346638…e38".  Exponents beyond +-10^18 print as a bound,
 * ">1e1000000000000000000".  Free with free(). */
char *exact_text_short(const struct exact *x, int digits, bool ascii);

/* C99 hexadecimal floating text of an encoding: "0x1.998p-4", subnormals as "0x0.004p-14"; "inf", "-inf",
 * "nan". Free with free(). */
char *exact_hexfloat(const struct format *f, uint64_t bits);

#endif
