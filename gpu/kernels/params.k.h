/* params.k.h: kernels over parameter arenas, and what they share: how a tile finds its block. */
#ifndef ULPSCOPE_KERNELS_PARAMS
#define ULPSCOPE_KERNELS_PARAMS

#include "store.k.h"

#ifdef __CUDACC__
#define K_PARAM 1
#elif !defined K_PARAM
#define K_PARAM PARAM_BLOCK
#endif

/* The elements of one tile of an arena: n of them (0 in the padding) from `first` on, all of parameter
 * `param`. */
struct k_params {
    long first;
    int n, param;
};

K_FN struct k_params k_params_of(const struct param_block *blocks, long tile)
{
    struct k_params p;
    long block = tile * K_PARAM / PARAM_BLOCK;
    int start = (int)(tile * K_PARAM % PARAM_BLOCK);
    int left = blocks[block].count - start;
    p.first = tile * K_PARAM;
    p.n = left < 0 ? 0 : left < K_PARAM ? left : K_PARAM;
    p.param = blocks[block].param;
    return p;
}

K_HOST long k_param_tiles(long block_count)
{
    return block_count * (PARAM_BLOCK / K_PARAM);
}

K_FN void cast_params(const struct param_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    k_store(a->to, p.first, (const float *)a->from + p.first, p.n, format,
            a->counters + p.param * COUNTER_COUNT);
}

/* Finiteness is tested before the multiplication by 1/S, as GradScaler's kernel does. */
K_FN void check(const struct param_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    uint32_t bad = 0;
    for (int i = 0; i < p.n; i++)
        bad |= (k_load_bits(a->from, p.first + i, format) & k_infinity(format)) == k_infinity(format);
    if (bad)
        K_SET(&a->state->found_inf, 1u);
}

/* PyTorch leaves a gradient alone when 1/S is 1, so that even a NaN keeps its bits. */
K_FN void unscale(const struct param_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    float inverse = a->state->inverse_scale;
    float values[K_PARAM];
    K_LANES (i, p.n)
        values[i] = k_load(a->from, p.first + i, format);
    if (inverse != 1.0f)
        K_LANES (i, p.n)
            values[i] *= inverse;
    k_store(a->to, p.first, values, p.n, FORMAT_FP32, a->counters + p.param * COUNTER_COUNT);
}

K_EACH_FORMAT(cast_params, param_args, k_param_tiles(a->block_count))
K_EACH_FORMAT(check, param_args, k_param_tiles(a->block_count))
K_EACH_FORMAT(unscale, param_args, k_param_tiles(a->block_count))

#endif
