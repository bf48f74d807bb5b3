/* number.k.h: encodings of the storage formats and back, branch-free.
 *
 * `format` is a constant wherever these are called, so each call compiles to the code of that one format.  A
 * NaN that a kernel computed is stored as the format's canonical quiet NaN (positive, only the quiet bit
 * set), whatever NaN the hardware made; converting a NaN that was given keeps its sign and top payload bits
 * and makes it quiet, as x86's F16C and the compilers' _Float16 do. */
#ifndef ULPSCOPE_KERNELS_NUMBER
#define ULPSCOPE_KERNELS_NUMBER

#include "../compat.h"
#include "../format.h"

/* Landmarks of a format's encodings without the sign: infinity and the smallest normal number. */
K_FN uint32_t k_infinity(enum format_id format)
{
    switch (format) {
#define CASE(id, name, title, e, t, ...)                                                                     \
    case FORMAT_##id:                                                                                        \
        return ((1u << (e)) - 1) << (t);
        FORMAT_STORED_TABLE(CASE)
#undef CASE
    default:
        return 0;
    }
}

K_FN uint32_t k_min_normal(enum format_id format)
{
    switch (format) {
#define CASE(id, name, title, e, t, ...)                                                                     \
    case FORMAT_##id:                                                                                        \
        return 1u << (t);
        FORMAT_STORED_TABLE(CASE)
#undef CASE
    default:
        return 0;
    }
}

K_FN uint32_t k_sign_bit(enum format_id format)
{
    return format == FORMAT_FP32 ? 0x80000000u : 0x8000u;
}

K_FN bool k_is_nan(float x)
{
    return (k_bits(x) & 0x7fffffffu) > 0x7f800000u;
}

K_FN bool k_is_finite(float x)
{
    return (k_bits(x) & 0x7f800000u) != 0x7f800000u;
}

/* roundTiesToEven of |x| to a significand of 11 bits.  `scale` is the power of two whose last place in FP32
 * is the last place of fp16 at |x| (its exponent clamped at emin = -14, so that subnormals round at 2^-24):
 * adding it rounds, by the FP32 addition itself, and leaves the significand as an integer in the low bits of
 * the sum. */
K_FN uint32_t k_encode_fp16_magnitude(uint32_t magnitude)
{
    uint32_t clamped = magnitude < 0x38800000u ? 0x38800000u : magnitude;
    uint32_t binade = clamped & 0x7f800000u;
    uint32_t scale = binade + (13u << 23);
    uint32_t significand = k_bits(k_float(magnitude) + k_float(scale)) - scale;
    uint32_t encoding = significand + ((binade - 0x38800000u) >> 13);
    return magnitude >= 0x47800000u ? 0x7c00u : encoding; /* 2^16 and beyond; 65520 carries to it by itself */
}

K_FN uint32_t k_encode_bf16_magnitude(uint32_t magnitude)
{
    return (magnitude + 0x7fffu + (magnitude >> 16 & 1u)) >> 16;
}

/* The encoding of x, rounded by roundTiesToEven.  `nan` is what a NaN becomes. */
K_FN uint32_t k_encode_with_nan(float x, enum format_id format, uint32_t nan)
{
    uint32_t bits = k_bits(x);
    uint32_t magnitude = bits & 0x7fffffffu;
    bool is_nan = magnitude > 0x7f800000u;
    if (format == FORMAT_FP32)
        return is_nan ? nan : bits;
    uint32_t encoding =
        format == FORMAT_FP16 ? k_encode_fp16_magnitude(magnitude) : k_encode_bf16_magnitude(magnitude);
    return is_nan ? nan : encoding | (bits >> 16 & 0x8000u);
}

/* For values that a kernel computed. */
K_FN uint32_t k_encode(float x, enum format_id format)
{
    uint32_t quiet = k_infinity(format) | k_min_normal(format) >> 1;
    return k_encode_with_nan(x, format, quiet);
}

/* An FP32 value that a kernel computed, as it may be stored: hardware differs in a NaN's sign and payload. */
K_FN float k_canonical(float x)
{
    return k_float(k_encode(x, FORMAT_FP32));
}

/* For values that were given: convertFormat of IEEE 754-2019 clause 5.4.2, NaN payloads kept from the top. */
K_FN uint32_t k_convert(float x, enum format_id format)
{
    uint32_t bits = k_bits(x) | 0x00400000u; /* quiet */
    uint32_t nan = format == FORMAT_FP32   ? bits
                   : format == FORMAT_FP16 ? (bits >> 16 & 0x8000u) | 0x7c00u | (bits >> 13 & 0x3ffu)
                                           : bits >> 16;
    return k_encode_with_nan(x, format, nan);
}

/* The value of an encoding; exact.  An fp16 significand is put at the bottom of FP32's exponent range and
 * scaled up by 2^112 (the difference of the biases), which normalises subnormals on the way. */
K_FN float k_decode(uint32_t encoding, enum format_id format)
{
    if (format == FORMAT_FP32)
        return k_float(encoding);
    if (format == FORMAT_BF16)
        return k_float(encoding << 16);
    uint32_t moved = (uint32_t)(int32_t)(int16_t)encoding << 13 & 0x8fffe000u;
    uint32_t value = k_bits(k_float(moved) * k_float(0x77800000u));
    return k_float((moved & 0x0f800000u) == 0x0f800000u ? moved | 0x7f800000u : value);
}

/* Element i of an array in a storage format. */
K_FN float k_load(const void *array, long i, enum format_id format)
{
    return format == FORMAT_FP32 ? ((const float *)array)[i] : k_decode(((const uint16_t *)array)[i], format);
}

K_FN uint32_t k_load_bits(const void *array, long i, enum format_id format)
{
    return format == FORMAT_FP32 ? k_bits(((const float *)array)[i]) : ((const uint16_t *)array)[i];
}

K_FN void k_store_bits(void *array, long i, uint32_t bits, enum format_id format)
{
    if (format == FORMAT_FP32)
        ((float *)array)[i] = k_float(bits);
    else
        ((uint16_t *)array)[i] = (uint16_t)bits;
}

#endif
