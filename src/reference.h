/* reference.h: rounding in plain wide-integer arithmetic, independent of the kernels: what selftest checks
 * them against. */
#ifndef ULPSCOPE_SRC_REFERENCE_H
#define ULPSCOPE_SRC_REFERENCE_H

#include "format.h"
#include "kernels.h"
#include <stdbool.h>
#include <stdint.h>

/* A format and a policy: one of the five IEEE modes, saturating or not. */
struct reference {
    enum round_mode mode;
    int width, trailing_bits, emin;
    uint32_t max, beyond,
        nan;          /* encodings: largest finite; what overflow and infinities become; a quiet NaN */
    bool has_payload; /* NaNs keep their top payload bits */
};

/* Overflow is IEEE 754-2019 clause 7.4: where a format has no infinity, its NaN with the value's sign, or its
 * largest finite value if it has no NaN either; saturating, always the largest finite value.  The format has
 * a sign. */
struct reference reference_make(const struct format *f, enum round_mode mode, bool saturate);

/* (-1)^sign x significand x 2^exponent, significand not 0, rounded once: an encoding. */
uint32_t reference_round(const struct reference *r, int sign, uint64_t significand, int exponent);

/* The same for an FP32 encoding, infinities and NaNs included (a NaN keeps its sign). */
uint32_t reference_round_fp32(const struct reference *r, uint32_t fp32);

/* The same for n FP32 encodings from `first` on: the way to go through all of them. */
void reference_round_range(const struct reference *r, uint32_t first, uint32_t n, uint32_t *out);

/* The same for a double, computed from exact operands; `beyond` is 1 if the true result is a little further
 * from zero than x, -1 if a little nearer, 0 if x is exact. */
uint32_t reference_round_double(const struct reference *r, double x, int beyond);

#endif
