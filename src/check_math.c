#include "check_math.h"
#include <math.h>
#include <mpfr.h>
#include <stddef.h>
#include <string.h>

struct special {
    uint32_t input, output;
};

struct function {
    const char *name;
    double (*reference)(double);                    /* within 1 ulp of a double */
    int (*exact)(mpfr_t, const mpfr_t, mpfr_rnd_t); /* the truth */
    bool monotone;                                  /* non-decreasing on its whole domain */
    bool bounded;                                   /* |f| <= 1 */
    size_t specials;                                /* inputs whose result has one right encoding */
    struct special special[4];
};

#define ZERO     0x00000000u
#define ONE      0x3f800000u
#define INFINITE 0x7f800000u
#define NEGATIVE 0x80000000u

static const struct function functions[CHECK_MATH_COUNT] = {
    [CHECK_MATH_EXP] =
        {"exp",
         exp,
         mpfr_exp,
         true,
         false,
         4,
         {{ZERO, ONE}, {NEGATIVE | ZERO, ONE}, {INFINITE, INFINITE}, {NEGATIVE | INFINITE, ZERO}}},
    [CHECK_MATH_LOG] = {"log",
                        log,
                        mpfr_log,
                        true,
                        false,
                        4,
                        {{ZERO, NEGATIVE | INFINITE},
                         {NEGATIVE | ZERO, NEGATIVE | INFINITE},
                         {ONE, ZERO},
                         {INFINITE, INFINITE}}},
    [CHECK_MATH_TANH] = {"tanh",
                         tanh,
                         mpfr_tanh,
                         true,
                         true,
                         4,
                         {{ZERO, ZERO},
                          {NEGATIVE | ZERO, NEGATIVE | ZERO},
                          {INFINITE, ONE},
                          {NEGATIVE | INFINITE, NEGATIVE | ONE}}},
    [CHECK_MATH_SIN] =
        {"sin", sin, mpfr_sin, false, true, 2, {{ZERO, ZERO}, {NEGATIVE | ZERO, NEGATIVE | ZERO}}},
    [CHECK_MATH_COS] = {"cos", cos, mpfr_cos, false, true, 2, {{ZERO, ONE}, {NEGATIVE | ZERO, ONE}}},
};

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* 1 / ulp(v) in FP32, for finite v; the exponent is read from the double's encoding. */
static double ulps_per_unit(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent < -126)
        exponent = -126;
    bits = (uint64_t)(1023 + 23 - exponent) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

const char *check_math_name(enum check_math_function f)
{
    return functions[f].name;
}

double check_math_error_ulp(enum check_math_function f, float x, float y)
{
    mpfr_t argument, value;
    mpfr_init2(argument, 24);
    mpfr_init2(value, 200);
    mpfr_set_flt(argument, x, MPFR_RNDN);
    functions[f].exact(value, argument, MPFR_RNDN);
    long exponent =
        mpfr_zero_p(value) ? -126 : (long)mpfr_get_exp(value) - 1; /* MPFR: 1/2 <= significand < 1 */
    if (exponent < -126)
        exponent = -126;
    mpfr_sub_d(value, value, (double)y, MPFR_RNDN);
    mpfr_mul_2si(value, value, 23 - exponent, MPFR_RNDN);
    double error = fabs(mpfr_get_d(value, MPFR_RNDA));
    mpfr_clear(argument);
    mpfr_clear(value);
    return error;
}

/* A double of glibc is within 2^-29 of an ulp of FP32, so it decides unless the error is this near to 1. */
#define UNDECIDED_FROM 0.999999

/* The error of a finite or overflowed result in ulps; infinite for one that no rounding could give. */
static double error_of(enum check_math_function f, float x, float y)
{
    double v = functions[f].reference((double)x);
    double v_limited = fmin(fabs(v), 0x1p128); /* on the grid, taken to go on, infinity stands for 2^128 */
    if (isnan(y) || (!isinf(y) && v_limited == 0x1p128))
        return INFINITY;
    if (isinf(y))
        return signbit(v) == signbit(y) ? (0x1p128 - v_limited) * 0x1p-104 : INFINITY;
    double error = fabs((double)y - v) * ulps_per_unit(v);
    if (error > UNDECIDED_FROM && error < 2)
        error = check_math_error_ulp(f, x, y);
    return error;
}

static bool must_be_nan(enum check_math_function f, float x)
{
    if (isnan(x))
        return true;
    if (f == CHECK_MATH_LOG)
        return x < 0;
    return (f == CHECK_MATH_SIN || f == CHECK_MATH_COS) && isinf(x);
}

/* Whether the input is an exact or special case, and if so whether the result is the one right encoding. */
static bool is_special(const struct function *f, uint32_t input, float y, bool *right)
{
    for (size_t i = 0; i < f->specials; i++) {
        if (f->special[i].input == input) {
            *right = f->special[i].output == bits_of(y);
            return true;
        }
    }
    return false;
}

/* Results never have the other sign, not even as zeros: exp x > 0, and tanh and sin of tiny x keep x's sign.
 */
static bool sign_holds(enum check_math_function f, float x, float y)
{
    if (f == CHECK_MATH_EXP)
        return !signbit(y);
    if (f == CHECK_MATH_TANH || (f == CHECK_MATH_SIN && fabsf(x) < 1))
        return signbit(y) == signbit(x);
    return true;
}

/* Judges one result and counts what is wrong with it; returns whether nothing is. */
static bool check_one(enum check_math_function f, uint32_t bits, float y, struct check_math_result *r)
{
    float x = float_of(bits);
    bool right = true;
    if (must_be_nan(f, x)) {
        right = isnan(y);
    } else if (!is_special(&functions[f], bits, y, &right)) {
        double error = error_of(f, x, y);
        if (error > r->worst_ulp) {
            r->worst_ulp = error;
            r->worst_bits = bits;
        }
        if (error > 1) {
            r->over_one_ulp++;
            return false;
        }
        right = sign_holds(f, x, y) && !(functions[f].bounded && fabsf(y) > 1);
    }
    if (!right)
        r->wrong_special++;
    return right;
}

/* Whether the step from the previous input is in the right direction: as encodings count up, positive values
 * rise and negative ones fall. */
static bool order_holds(enum check_math_function f, uint32_t bits, float y, struct check_math_result *r)
{
    bool neighbours = r->has_previous && r->previous_bits + 1 == bits && bits != NEGATIVE;
    bool wrong = neighbours && functions[f].monotone && (bits < NEGATIVE ? y < r->previous : y > r->previous);
    r->has_previous = true;
    r->previous_bits = bits;
    r->previous = y;
    if (wrong)
        r->violations_of_order++;
    return !wrong; /* a NaN compares false: it has no place in the order */
}

bool check_math_range(enum check_math_function f, uint32_t first, uint32_t last, const float *results,
                      struct check_math_result *r)
{
    bool all = true;
    uint64_t count = (uint64_t)last - first + 1;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits = first + (uint32_t)i;
        bool right = check_one(f, bits, results[i], r);
        bool ordered = order_holds(f, bits, results[i], r);
        if (right && ordered)
            continue;
        if (r->wrong == 0)
            r->first_wrong_bits = bits;
        r->wrong++;
        all = false;
    }
    r->checked += count;
    return all;
}
