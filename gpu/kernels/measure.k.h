/* measure.k.h: kernels that look at a run without taking part in it. */
#ifndef ULPSCOPE_KERNELS_MEASURE
#define ULPSCOPE_KERNELS_MEASURE

#include "math.k.h"
#include "params.k.h"

K_FN void count_classes_body(const struct accuracy_args *a, long row)
{
    long best = 0;
    for (long c = 1; c < a->cols; c++)
        best = a->output[row * a->cols + c] > a->output[row * a->cols + best] ? c : best;
    K_ADD(a->correct, best == a->labels[row] ? 1u : 0u);
}

K_FN void count_signs_body(const struct accuracy_args *a, long row)
{
    uint32_t right = 1;
    for (long c = row * a->cols; c < (row + 1) * a->cols; c++)
        right &= (a->output[c] > 0.0f) == (a->targets[c] > 0.0f) && !k_is_nan(a->output[c]);
    K_ADD(a->correct, right);
}

/* floor(log2 |x|) of a finite nonzero x, subnormals included. */
K_FN int k_exponent(float x)
{
    uint32_t magnitude = k_bits(x) & 0x7fffffffu;
    if (magnitude < 0x00800000u) /* 2^23 times a subnormal is normal */
        return (int)(k_bits(k_float(magnitude) * 8388608.0f) >> 23) - 127 - 23;
    return (int)(magnitude >> 23) - 127;
}

K_FN int k_histogram_bin(float x)
{
    if (x == 0.0f)
        return HISTOGRAM_ZERO;
    if (k_is_nan(x))
        return HISTOGRAM_NAN;
    return k_is_finite(x) ? HISTOGRAM_FIRST + k_exponent(x) - HISTOGRAM_EMIN : HISTOGRAM_INF;
}

K_FN void histogram_body(const struct histogram_args *a, long tile)
{
    struct k_params p = k_params_of(a->blocks, tile);
    for (int i = 0; i < p.n; i++)
        K_ADD(&a->bins[k_histogram_bin(a->from[p.first + i])], 1u);
}

K_FN void window(const struct window_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    float values[K_PARAM];
    K_LANES (i, p.n)
        values[i] = a->from[p.first + i] * a->factor;
    k_store(a->to, p.first, values, p.n, format, a->counters);
}

/* Through integers: compilers drop a floating-point selection of NaN for NaN, as if all NaNs were one. */
K_FN double k_canonical_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bool is_nan = (bits & UINT64_C(0x7fffffffffffffff)) > UINT64_C(0x7ff0000000000000);
    bits = is_nan ? UINT64_C(0x7ff8000000000000) : bits;
    memcpy(&x, &bits, sizeof x);
    return x;
}

K_FN void drift(const struct drift_args *a, long tile, enum format_id format)
{
    double sum = 0.0;
    for (int64_t i = a->ranges[tile].first; i < a->ranges[tile].first + a->ranges[tile].count; i++) {
        double difference = (double)k_load(a->a, (long)i, format) - (double)a->b[i];
        sum += difference * difference;
    }
    a->norms[tile] = k_canonical_double(sqrt(sum));
}

K_FN float k_math(float x, int function)
{
    switch (function) {
    case MATH_EXP:
        return k_exp(x);
    case MATH_LOG:
        return k_log(x);
    case MATH_TANH:
        return k_tanh(x);
    case MATH_SIN:
        return k_sin(x);
    default:
        return k_cos(x);
    }
}

K_FN void math_map_body(const struct math_args *a, long tile)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    for (int i = 0; i < n; i++)
        a->to[first + i] = k_canonical(k_math(a->from[first + i], a->function));
}

K_DEFINE(count_classes, accuracy_args, a->rows, count_classes_body(a, tile))
K_DEFINE(count_signs, accuracy_args, a->rows, count_signs_body(a, tile))
K_DEFINE(histogram, histogram_args, k_param_tiles(a->block_count), histogram_body(a, tile))
K_EACH_FORMAT(window, window_args, k_param_tiles(a->block_count))
K_EACH_FORMAT(drift, drift_args, a->n)
K_DEFINE(math_map, math_args, k_tile_count(a->n, K_FLAT), math_map_body(a, tile))

#endif
