/* tanh.k.h: the activation, forward and backward. */
#ifndef ULPSCOPE_KERNELS_TANH_OP
#define ULPSCOPE_KERNELS_TANH_OP

#include "math.k.h"
#include "store.k.h"

K_FN void tanh_forward(const struct tanh_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    float y[K_FLAT];
    K_LANES (i, n)
        y[i] = k_tanh(k_load(a->x, first + i, format));
    k_store(a->y, first, y, n, format, a->counters);
}

/* 1 - y^2 by one fmaf: near saturation the square must not be rounded before the subtraction. */
K_FN void tanh_backward(const struct tanh_args *a, long tile, enum format_id format)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    float dx[K_FLAT];
    K_LANES (i, n) {
        float y = k_load(a->y, first + i, format);
        dx[i] = k_load(a->dy, first + i, format) * fmaf(-y, y, 1.0f);
    }
    k_store(a->dx, first, dx, n, format, a->counters);
}

K_EACH_FORMAT(tanh_forward, tanh_args, k_tile_count(a->n, K_FLAT))
K_EACH_FORMAT(tanh_backward, tanh_args, k_tile_count(a->n, K_FLAT))

#endif
