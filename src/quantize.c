/* quantize.c: a format and a policy as the numbers that the kernels' loops use. */
#include "quantize.h"
#include <math.h>
#include <string.h>

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* FP32 bits of a finite positive encoding; every format here has a smaller range and fewer bits, so this is
 * exact. */
static uint32_t value_bits(const struct format *f, uint64_t code)
{
    uint64_t trailing = format_trailing(f, code);
    int exponent = format_biased_exponent(f, code);
    uint64_t significand = exponent ? trailing | UINT64_C(1) << f->trailing_bits : trailing;
    return float_bits(
        ldexpf((float)significand, (exponent ? exponent - f->bias : f->emin) - f->trailing_bits));
}

void quantize_set(struct quantize_args *args, const struct format *f, enum round_mode mode, bool saturate)
{
    uint32_t max_code = (uint32_t)format_max(f), max = value_bits(f, max_code);
    bool has_infinity = f->specials == FORMAT_INF_NAN;
    uint32_t nan_code = (uint32_t)format_quiet_nan(f);
    uint32_t beyond = saturate ? max : has_infinity ? 0x7f800000u : nan_code ? 0x7fc00000u : max;
    uint32_t beyond_code = saturate       ? max_code
                           : has_infinity ? (uint32_t)format_infinity(f)
                           : nan_code     ? nan_code
                                          : max_code;
    args->mode = (int32_t)mode;
    args->shift = (uint32_t)(23 - f->trailing_bits);
    args->hidden = 1u << f->trailing_bits;
    args->emin_field = (uint32_t)(127 + f->emin);
    /* Not used where subnormals are FP32's own, and slow to multiply by: see k_rounded_value. */
    args->smallest = f->emin == -126 ? 0.0f : ldexpf(1.0f, f->emin - f->trailing_bits);
    args->max = max;
    args->max_code = max_code;
    args->infinity = beyond;
    args->infinity_code = beyond_code;
    args->nan_code = nan_code;
    args->payload_mask = has_infinity ? args->hidden - 1u : 0u;
    args->sign_code = 1u << (f->width - 1);
    /* Rounding towards zero, and away from the value's side, stops at the largest finite value (IEEE 754-2019
     * clause 7.4). */
    for (int negative = 0; negative < 2; negative++) {
        bool inwards = mode == ROUND_RTZ || mode == (negative ? ROUND_RUP : ROUND_RDN);
        args->over[negative] = inwards ? max : beyond;
        args->over_code[negative] = inwards ? max_code : beyond_code;
    }
}
