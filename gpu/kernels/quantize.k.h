/* quantize.k.h: arrays of FP32 values rounded to any binary format at memory speed: in place (to FP32 values
 * that the format has) or packed (to its encodings, in 8 or 16 bits), in every rounding mode, saturating or
 * not.
 *
 * The format is data, so one text serves all of them; the mode is a constant where the loops are, so that
 * they hold no branch.  Integer arithmetic throughout: the significand is shifted to the format's last place
 * at the value (clamped at emin, where subnormals begin), and what is cut off decides whether it goes up by
 * one. */
#ifndef ULPSCOPE_KERNELS_QUANTIZE
#define ULPSCOPE_KERNELS_QUANTIZE

#include "number.k.h"
#include "random.k.h"

enum { STREAM_QUANTIZE = 3 };

/* A magnitude on the format's grid: `units` of the last place in the binade whose FP32 exponent field is
 * `exponent`. */
struct k_rounded {
    uint32_t units, exponent;
};

/* |x| of FP32 bits `magnitude`, finite, to the grid, which is taken to go on beyond the largest finite value.
 * `shift` is 1..22: how many bits of FP32's trailing significand the format lacks. */
K_FN struct k_rounded k_round_magnitude(const struct quantize_args *a, uint32_t magnitude, uint32_t negative,
                                        uint32_t random, int mode)
{
    struct k_rounded r;
    uint32_t field = magnitude >> 23;
    uint32_t held = field > 1u ? field : 1u;
    uint32_t significand = (magnitude & 0x7fffffu) | (held - field == 0u ? 0x800000u : 0u);
    r.exponent = held > a->emin_field ? held : a->emin_field;
    uint32_t all = a->shift + r.exponent - held; /* bits to cut off */
    uint32_t drop = all < 31u ? all : 31u; /* of 24: beyond 25, nothing changes but the stochastic odds */
    uint32_t whole = significand >> drop;
    uint32_t rest = significand << (31u - drop) << 1; /* in units of 2^-32 */
    uint32_t away = mode == ROUND_RUP ? !negative : negative;
    switch (mode) {
    case ROUND_RNE:
        r.units = (significand + (1u << drop >> 1) - 1u + (whole & 1u)) >> drop;
        break;
    case ROUND_RNA:
        r.units = (significand + (1u << drop >> 1)) >> drop;
        break;
    case ROUND_RUP:
    case ROUND_RDN:
        r.units = whole + (rest != 0u ? away : 0u);
        break;
    case ROUND_SR: {
        uint32_t far = all < 63u ? all - 32u : 31u;
        r.units = whole + (random < (all > 31u ? significand >> (far & 31u) : rest) ? 1u : 0u);
        break;
    }
    default: /* ROUND_RTZ */
        r.units = whole;
    }
    return r;
}

/* The same as an FP32 magnitude.  A normal result is its fields put together: the leading bit of `units`
 * counts for the exponent.  Subnormals of formats with a smaller range than FP32's are normal there, and made
 * by a multiplication. */
K_FN uint32_t k_rounded_value(const struct quantize_args *a, struct k_rounded r)
{
    uint32_t normal = ((r.exponent - 1u) << 23) + (r.units << a->shift);
    uint32_t subnormal = k_bits((float)(int32_t)r.units * a->smallest);
    return a->emin_field > 1u && r.units < a->hidden ? subnormal : normal;
}

/* roundTiesToEven, the mode that matters most, in fewer operations.  FP32's own range: add half a place (less one for ties
 * to even) to the encoding and cut.  A narrower one: add a power of two whose last place is the format's last place at the
 * value, so that the addition's own rounding does it, and leaves the significand as an integer in the low bits. */
K_FN uint32_t k_nearest_wide(const struct quantize_args *a, uint32_t magnitude)
{
    return (magnitude + (1u << a->shift >> 1) - 1u + (magnitude >> a->shift & 1u)) >> a->shift;
}

/* The binade of a magnitude, clamped to the format's: beyond its range everything is far above max anyway. */
K_FN uint32_t k_nearest_binade(const struct quantize_args *a, uint32_t magnitude)
{
    uint32_t top = a->max & 0x7f800000u, bottom = a->emin_field << 23, binade = magnitude & 0x7f800000u;
    binade = binade < bottom ? bottom : binade;
    return binade < top ? binade : top;
}

K_FN uint32_t k_nearest_value(const struct quantize_args *a, uint32_t magnitude, bool narrow)
{
    float scale = k_float(k_nearest_binade(a, magnitude) + (a->shift << 23));
    return narrow ? k_bits((k_float(magnitude) + scale) - scale) : k_nearest_wide(a, magnitude) << a->shift;
}

K_FN uint32_t k_nearest_code(const struct quantize_args *a, uint32_t magnitude, bool narrow)
{
    uint32_t binade = k_nearest_binade(a, magnitude), scale = binade + (a->shift << 23);
    uint32_t units = k_bits(k_float(magnitude) + k_float(scale)) - scale;
    return narrow ? units + ((binade - (a->emin_field << 23)) >> a->shift) : k_nearest_wide(a, magnitude);
}

K_FN uint32_t k_quantize_one(const struct quantize_args *a, uint32_t bits, uint32_t random, int mode,
                             bool narrow)
{
    uint32_t magnitude = bits & 0x7fffffffu, negative = bits >> 31;
    uint32_t value = mode == ROUND_RNE
                         ? k_nearest_value(a, magnitude, narrow)
                         : k_rounded_value(a, k_round_magnitude(a, magnitude, negative, random, mode));
    value = value > a->max ? (negative ? a->over[1] : a->over[0]) : value;
    value = magnitude == 0x7f800000u ? a->infinity : value;
    value = magnitude > 0x7f800000u ? magnitude | 0x00400000u : value;
    return value | (bits & 0x80000000u);
}

/* The encoding.  A NaN keeps its sign and top payload bits and becomes quiet, in formats whose NaNs have a
 * payload. */
K_FN uint32_t k_pack_one(const struct quantize_args *a, uint32_t bits, uint32_t random, int mode, bool narrow)
{
    uint32_t magnitude = bits & 0x7fffffffu, negative = bits >> 31, code;
    if (mode == ROUND_RNE) {
        code = k_nearest_code(a, magnitude, narrow);
    } else {
        struct k_rounded r = k_round_magnitude(a, magnitude, negative, random, mode);
        code = (r.exponent - a->emin_field) * a->hidden + r.units;
    }
    /* The sum of k_nearest_code is no code where the magnitude is beyond the format's binades. */
    code = narrow && magnitude > (a->max | 0x007fffffu) ? 0xffffffffu : code;
    code = code > a->max_code ? (negative ? a->over_code[1] : a->over_code[0]) : code;
    code = magnitude == 0x7f800000u ? a->infinity_code : code;
    code = magnitude > 0x7f800000u ? a->nan_code | ((magnitude & 0x7fffffu) >> a->shift & a->payload_mask)
                                   : code;
    return code | (negative ? a->sign_code : 0u);
}

/* Bytes a value takes where it is stored: 4 (in place), 2 or 1 (packed). */
K_FN void k_quantize_tile(const struct quantize_args *a, long tile, int mode, int size, bool narrow)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    const float *from = a->from + first;
    struct k_random_key key = k_random_key(a->seed, STREAM_QUANTIZE, a->step);
    struct quantize_args local = *a; /* by value: nothing that is stored can change it */
    K_LANES (i, n) {
        uint32_t random = mode == ROUND_SR ? k_random_word(key, (uint32_t)(first + i)) : 0u;
        uint32_t bits = k_bits(from[i]);
        if (size == 4)
            ((float *)local.to)[first + i] = k_float(k_quantize_one(&local, bits, random, mode, narrow));
        else if (size == 2)
            ((uint16_t *)local.to)[first + i] = (uint16_t)k_pack_one(&local, bits, random, mode, narrow);
        else
            ((uint8_t *)local.to)[first + i] = (uint8_t)k_pack_one(&local, bits, random, mode, narrow);
    }
}

K_FN void k_quantize_mode(const struct quantize_args *a, long tile, int size)
{
    switch (a->mode) {
    case ROUND_RNE:
        if (a->emin_field > 1u)
            k_quantize_tile(a, tile, ROUND_RNE, size, true);
        else
            k_quantize_tile(a, tile, ROUND_RNE, size, false);
        break;
    case ROUND_RNA:
        k_quantize_tile(a, tile, ROUND_RNA, size, false);
        break;
    case ROUND_RTZ:
        k_quantize_tile(a, tile, ROUND_RTZ, size, false);
        break;
    case ROUND_RUP:
        k_quantize_tile(a, tile, ROUND_RUP, size, false);
        break;
    case ROUND_RDN:
        k_quantize_tile(a, tile, ROUND_RDN, size, false);
        break;
    default:
        k_quantize_tile(a, tile, ROUND_SR, size, false);
    }
}

K_DEFINE(quantize, quantize_args, k_tile_count(a->n, K_FLAT), k_quantize_mode(a, tile, 4))
K_DEFINE(pack16, quantize_args, k_tile_count(a->n, K_FLAT), k_quantize_mode(a, tile, 2))
K_DEFINE(pack8, quantize_args, k_tile_count(a->n, K_FLAT), k_quantize_mode(a, tile, 1))

#endif
