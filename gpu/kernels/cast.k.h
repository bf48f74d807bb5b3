/* cast.k.h: conversions between FP32 and the storage formats. */
#ifndef ULPSCOPE_KERNELS_CAST
#define ULPSCOPE_KERNELS_CAST

#include "store.k.h"

/* FP32 values to a format, as a conversion of given numbers (typed NaNs keep their payload); nothing is
 * counted. */
K_FN void convert_to(const struct cast_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    const float *from = (const float *)a->from + first;
    K_LANES (i, n)
        k_store_bits(a->to, first + i, k_convert(from[i], format), format);
}

/* A format's values to FP32, as a conversion of given numbers: exact, typed NaNs keep their payload and
 * become quiet. */
K_FN void convert_from(const struct cast_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    float *to = (float *)a->to + first;
    K_LANES (i, n) {
        uint32_t bits = k_bits(k_load(a->from, first + i, format));
        to[i] = k_float((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x00400000u : bits);
    }
}

/* FP32 values that the training step computed, to a format, with counters. */
K_FN void cast_to(const struct cast_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    k_store(a->to, first, (const float *)a->from + first, k_part(a->n, first, K_FLAT), format, a->counters);
}

/* A format's values to FP32: exact. */
K_FN void cast_from(const struct cast_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    float values[K_FLAT];
    K_LANES (i, n)
        values[i] = k_load(a->from, first + i, format);
    k_store(a->to, first, values, n, FORMAT_FP32, a->counters);
}

K_EACH_FORMAT(convert_to, cast_args, k_tile_count(a->n, K_FLAT))
K_EACH_FORMAT(convert_from, cast_args, k_tile_count(a->n, K_FLAT))
K_EACH_FORMAT(cast_to, cast_args, k_tile_count(a->n, K_FLAT))
K_EACH_FORMAT(cast_from, cast_args, k_tile_count(a->n, K_FLAT))

#endif
