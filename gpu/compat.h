/* compat.h: what the kernel text needs to compile as C11 for the CPU and as CUDA C++ for a GPU.
 *
 * The text under kernels/ is written once, in the subset that both languages share.  A body computes one
 * tile: on the CPU K_FLAT elements of an array, or K_ROWS rows x K_WIDTH columns of a matrix, so that the
 * loops over lanes become vector code; on CUDA each of these is 1 and a thread is a tile.  The order of every
 * sum is independent of them.
 *
 *   K_FN               a function that kernels call (K_HOST: one that the host calls, K_BOTH: either)
 *   K_LANES(i, n)      loops i over 0..n-1 in any order: nothing may depend on it
 *   K_KERNEL(NAME, A)  defines kernel NAME with arguments `const struct A *a` and the tile's number `long tile`
 *   K_TILES(NAME, A)   defines how many tiles NAME has for the arguments *a (host code)
 *   K_ADD(p, v)        adds to an integer counter in device memory; the order of additions never matters
 *   K_SET(p, v)        sets a flag in device memory that several tiles may set */
#ifndef ULPSCOPE_GPU_COMPAT_H
#define ULPSCOPE_GPU_COMPAT_H

#if defined K_ISA_AVX2 || defined K_ISA_AVX512
#include <immintrin.h>
#endif
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__

#define K_FLAT        1
#define K_ROWS        1
#define K_WIDTH       1
#define K_DEPTH       1
#define K_BLOCK       1
#define K_NARROW      1
#define K_FN          static __device__ __forceinline__
#define K_HOST        static inline
#define K_BOTH        static inline __host__ __device__
#define K_LANES(i, n) for (int i = 0; i < (n); i++)
#define K_KERNEL(NAME, A)                                                                                    \
    K_FN void NAME##_tile(const struct A *a, long tile);                                                     \
    extern "C" __global__ void __launch_bounds__(128) NAME(struct A args, long tiles)                        \
    {                                                                                                        \
        long tile = (long)blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (tile < tiles)                                                                                    \
            NAME##_tile(&args, tile);                                                                        \
    }                                                                                                        \
    K_FN void NAME##_tile(const struct A *a, long tile)
#define K_ADD(p, v)                                                                                          \
    do {                                                                                                     \
        uint32_t k_add_value = (v);                                                                          \
        if (k_add_value)                                                                                     \
            atomicAdd((p), k_add_value);                                                                     \
    } while (0)
#define K_SET(p, v) (void)atomicExch((p), (v))

#else

/* Tile sizes; tests override them to show that no bit depends on them.  A matrix tile is computed in blocks
 * of K_BLOCK rows whose sums live in registers, K_DEPTH terms at a time. */
#ifndef K_FLAT
#define K_FLAT  256
#define K_ROWS  64
#define K_DEPTH 64
#define K_WIDTH 32
#if defined K_ISA_AVX512
#define K_BLOCK  8
#define K_NARROW 16 /* floats in a register */
#elif defined K_ISA_AVX2
#define K_BLOCK  2
#define K_NARROW 8
#else
#define K_BLOCK  1
#define K_NARROW 4
#endif
#endif
#define K_FN          static inline __attribute__((always_inline))
#define K_HOST        static inline
#define K_BOTH        static inline
#define K_PRAGMA(x)   _Pragma(#x)
#define K_LANES(i, n) K_PRAGMA(omp simd) for (int i = 0; i < (n); i++)
#define K_KERNEL(NAME, A)                                                                                    \
    K_FN void NAME##_tile(const struct A *a, long tile);                                                     \
    static void NAME(const void *args, long begin, long end)                                                 \
    {                                                                                                        \
        for (long tile = begin; tile < end; tile++)                                                          \
            NAME##_tile((const struct A *)args, tile);                                                       \
    }                                                                                                        \
    K_FN void NAME##_tile(const struct A *a, long tile)
#define K_ADD(p, v)                                                                                          \
    do {                                                                                                     \
        uint32_t k_add_value = (v);                                                                          \
        if (k_add_value)                                                                                     \
            __atomic_fetch_add((p), k_add_value, __ATOMIC_RELAXED);                                          \
    } while (0)
#define K_SET(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)

#endif

/* Defines how many tiles kernel NAME has for arguments *a. */
#define K_TILES(NAME, A) K_HOST long NAME##_tiles(const struct A *a)

/* Defines kernel NAME with its number of tiles; `text` is the call that does a tile. */
#define K_DEFINE(NAME, A, tiles, text)                                                                       \
    K_TILES(NAME, A)                                                                                         \
    {                                                                                                        \
        (void)a;                                                                                             \
        return (tiles);                                                                                      \
    }                                                                                                        \
    K_KERNEL(NAME, A)                                                                                        \
    {                                                                                                        \
        (void)a, (void)tile;                                                                                 \
        text;                                                                                                \
    }

/* Defines NAME_fp32, NAME_fp16 and NAME_bf16 from one function NAME(a, tile, format). */
#define K_EACH_FORMAT(NAME, A, tiles)                                                                        \
    K_DEFINE(NAME##_fp32, A, tiles, NAME(a, tile, FORMAT_FP32))                                              \
    K_DEFINE(NAME##_fp16, A, tiles, NAME(a, tile, FORMAT_FP16))                                              \
    K_DEFINE(NAME##_bf16, A, tiles, NAME(a, tile, FORMAT_BF16))

/* How many tiles of `size` cover n elements, and how many elements tile `first` of them really has. */
K_BOTH long k_tile_count(long n, long size)
{
    return (n + size - 1) / size;
}

K_FN int k_part(long n, long first, int size)
{
    return n - first < size ? (int)(n - first) : size;
}

/* k_vector: K_NARROW floats that matrix products keep in a register, and all that is done with them. */
#if defined __CUDACC__
typedef float k_vector;
K_FN k_vector k_vector_zero(void)
{
    return 0.0f;
}
K_FN k_vector k_vector_load(const float *p)
{
    return *p;
}
K_FN void k_vector_store(float *p, k_vector v)
{
    *p = v;
}
K_FN k_vector k_vector_fma(float x, k_vector y, k_vector sum)
{
    return fmaf(x, y, sum);
}
#else
typedef float k_vector __attribute__((vector_size(K_NARROW * sizeof(float))));
K_FN k_vector k_vector_zero(void)
{
    k_vector v = {0};
    return v;
}
K_FN k_vector k_vector_load(const float *p)
{
    k_vector v;
    memcpy(&v, p, sizeof v);
    return v;
}
K_FN void k_vector_store(float *p, k_vector v)
{
    memcpy(p, &v, sizeof v);
}
K_FN k_vector k_vector_fma(float x, k_vector y, k_vector sum)
{
#if defined K_ISA_AVX512
    return (k_vector)_mm512_fmadd_ps(_mm512_set1_ps(x), (__m512)y, (__m512)sum);
#elif defined K_ISA_AVX2
    return (k_vector)_mm256_fmadd_ps(_mm256_set1_ps(x), (__m256)y, (__m256)sum);
#else
    for (int i = 0; i < K_NARROW; i++)
        sum[i] = fmaf(x, y[i], sum[i]);
    return sum;
#endif
}
#endif

/* Bits of a float and back; memcpy is the one way that is defined in C, C++ and CUDA, and compiles to
 * nothing. */
K_FN uint32_t k_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

K_FN float k_float(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
