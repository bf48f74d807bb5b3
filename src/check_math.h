/* check_math.h: are the kernels' exp, log, tanh, sin and cos right?
 *
 * The functions of gpu/kernels/math.k.h are part of every digest, so they are judged over all 2^32 inputs.
 * The caller computes results on a device, in ranges of consecutive encodings; check_math_range compares them
 * with the C library's functions in double (worst_ulp is good to 2^-28), and with MPFR where the double
 * cannot decide whether an error is above 1 ulp.  Nothing here computes a number that a run uses. */
#ifndef ULPSCOPE_SRC_CHECK_MATH_H
#define ULPSCOPE_SRC_CHECK_MATH_H

#include <stdbool.h>
#include <stdint.h>

enum check_math_function {
    CHECK_MATH_EXP,
    CHECK_MATH_LOG,
    CHECK_MATH_TANH,
    CHECK_MATH_SIN,
    CHECK_MATH_COS,
    CHECK_MATH_COUNT
};

/* What was found, summed over any number of calls.  Start from all zeros (`= {0}`). */
struct check_math_result {
    uint64_t checked;       /* inputs */
    uint64_t over_one_ulp;  /* results further than 1 ulp from the true value */
    uint64_t wrong_special; /* exact cases, signs, infinities, NaNs, bounds (|tanh| <= 1) that do not hold */
    uint64_t violations_of_order; /* neighbours x < x' with f(x) > f(x'), for exp, log and tanh */
    uint64_t wrong;               /* inputs that any of these three counts, and the first of them */
    uint32_t first_wrong_bits;
    double worst_ulp; /* the largest error (specials have none), and its input */
    uint32_t worst_bits;
    bool has_previous; /* the last input and its result, so that the order holds across ranges as well */
    uint32_t previous_bits;
    float previous;
};

/* "exp", "log", "tanh", "sin", "cos". */
const char *check_math_name(enum check_math_function f);

/* The distance of y from f(x) in ulps of f(x), by MPFR, for finite x and y in f's domain.  An ulp of v is
 * 2^(max(e, -126) - 23) with e the exponent of v: the definition of the command line's error_ulp. */
double check_math_error_ulp(enum check_math_function f, float x, float y);

/* Compares results[i], what a device computed for the input with encoding first + i, for i = 0 to last -
 * first.  Adds to *r, and returns whether nothing in this range is wrong: every error at most 1 ulp, exact
 * and special cases as they must be, no step in the wrong direction.  Ranges that follow each other are
 * compared across their seam too. */
bool check_math_range(enum check_math_function f, uint32_t first, uint32_t last, const float *results,
                      struct check_math_result *r);

#endif
