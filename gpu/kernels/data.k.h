/* data.k.h: training data and initial weights, made by kernels so that they have the same bits everywhere. */
#ifndef ULPSCOPE_KERNELS_DATA
#define ULPSCOPE_KERNELS_DATA

#include "math.k.h"
#include "number.k.h"
#include "random.k.h"

enum { STREAM_SPIRAL = 2, STREAM_WEIGHTS = 16 /* and the following, one a tensor */ };

/* N(0,1) by Box and Muller (1958): two words of 23 bits, the first kept off 0 so that its logarithm is
 * finite. */
K_FN float k_normal(struct k_random_key key, uint32_t index)
{
    float u = ((float)(k_random_word(key, 2 * index) >> 9) + 0.5f) * k_float(0x34000000u); /* x 2^-23 */
    float v = (float)(k_random_word(key, 2 * index + 1) >> 9) * k_float(0x34000000u);
    return sqrtf(-2.0f * k_log(u)) * k_cos(6.2831853f * v);
}

K_FN void fill_normal_body(const struct fill_normal_args *a, long tile)
{
    long first = tile * K_FLAT;
    int n = k_part(a->n, first, K_FLAT);
    struct k_random_key key = k_random_key(a->seed, a->stream, 0);
    float spread = sqrtf((float)a->fan_in);
    for (int i = 0; i < n; i++)
        a->to[first + i] = k_normal(key, (uint32_t)(first + i)) / spread;
}

/* Arm c, point i: r = 0.05 + 0.95 i/(per_arm-1), angle 2 pi c/arms + 3.5 i/(per_arm-1) + 0.1 N(0,1). */
K_FN void spiral_points_body(const struct spiral_args *a, long tile)
{
    long arm = tile / a->per_arm, i = tile % a->per_arm;
    float t = (float)i / (float)(a->per_arm - 1);
    float radius = 0.05f + 0.95f * t;
    float noise = 0.1f * k_normal(k_random_key(a->seed, STREAM_SPIRAL, 0), (uint32_t)tile);
    float angle = 6.2831853f * (float)arm / (float)a->arms + 3.5f * t + noise;
    a->points[2 * tile] = radius * k_sin(angle);
    a->points[2 * tile + 1] = radius * k_cos(angle);
    a->labels[tile] = (int32_t)arm;
}

K_DEFINE(fill_normal, fill_normal_args, k_tile_count(a->n, K_FLAT), fill_normal_body(a, tile))
K_DEFINE(spiral_points, spiral_args, a->arms * a->per_arm, spiral_points_body(a, tile))

#endif
