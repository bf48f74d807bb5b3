/* compat.h: what the kernel text needs to compile as C11 for the CPU and as CUDA C++ for a GPU.
 *
 * The text under kernels/ is written once, in the subset that both languages share.  A body computes one tile: on the
 * CPU K_FLAT elements of an array, or K_ROWS rows x K_WIDTH columns of a matrix, so that the loops over lanes become
 * vector code; on CUDA each of these is 1 and a thread is a tile.  The order of every sum is independent of them.
 *
 *   K_FN               a function that kernels call
 *   K_LANES(i, n)      loops i over 0..n-1 in any order: nothing may depend on it
 *   K_KERNEL(NAME, A)  defines kernel NAME with arguments `const struct A *a` and the tile's number `long tile`
 *   K_TILES(NAME, A)   defines how many tiles NAME has for the arguments *a (host code)
 *   K_ADD(p, v)        adds to an integer counter in device memory; the order of additions never matters */
#ifndef ULPSCOPE_GPU_COMPAT_H
#define ULPSCOPE_GPU_COMPAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__

#define K_FLAT  1
#define K_ROWS  1
#define K_WIDTH 1
#define K_DEPTH 1
#define K_FN    static __device__ __forceinline__
#define K_HOST  static inline
#define K_LANES(i, n) for (int i = 0; i < (n); i++)
#define K_KERNEL(NAME, A)                                                                                     \
    K_FN void NAME##_tile(const struct A *a, long tile);                                                      \
    extern "C" __global__ void __launch_bounds__(128) NAME(struct A args, long tiles)                         \
    {                                                                                                         \
        long tile = (long)blockIdx.x * blockDim.x + threadIdx.x;                                              \
        if (tile < tiles)                                                                                     \
            NAME##_tile(&args, tile);                                                                         \
    }                                                                                                         \
    K_FN void NAME##_tile(const struct A *a, long tile)
#define K_ADD(p, v)                                                                                           \
    do {                                                                                                      \
        uint32_t k_add_value = (v);                                                                           \
        if (k_add_value)                                                                                      \
            atomicAdd((p), k_add_value);                                                                      \
    } while (0)

#else

/* Tile sizes; tests override them to show that no bit depends on them.  A matrix tile is computed in blocks of K_BLOCK
 * rows whose sums live in registers, K_DEPTH terms at a time. */
#ifndef K_FLAT
#define K_FLAT  256
#define K_ROWS  64
#define K_DEPTH 64
#if defined K_ISA_AVX512
#define K_WIDTH 32
#define K_BLOCK 8
#else
#define K_WIDTH 16
#define K_BLOCK 4
#endif
#endif
#define K_FN   static inline __attribute__((always_inline))
#define K_HOST static inline
#define K_PRAGMA(x) _Pragma(#x)
#define K_LANES(i, n) K_PRAGMA(omp simd) for (int i = 0; i < (n); i++)
#define K_KERNEL(NAME, A)                                                                                     \
    K_FN void NAME##_tile(const struct A *a, long tile);                                                      \
    static void NAME(const void *args, long begin, long end)                                                  \
    {                                                                                                         \
        for (long tile = begin; tile < end; tile++)                                                           \
            NAME##_tile((const struct A *)args, tile);                                                        \
    }                                                                                                         \
    K_FN void NAME##_tile(const struct A *a, long tile)
#define K_ADD(p, v)                                                                                           \
    do {                                                                                                      \
        uint32_t k_add_value = (v);                                                                           \
        if (k_add_value)                                                                                      \
            __atomic_fetch_add((p), k_add_value, __ATOMIC_RELAXED);                                           \
    } while (0)

#endif

/* Defines how many tiles kernel NAME has for arguments *a. */
#define K_TILES(NAME, A) K_HOST long NAME##_tiles(const struct A *a)

/* Defines kernel NAME with its number of tiles; `text` is the call that does a tile. */
#define K_DEFINE(NAME, A, tiles, text)                                                                        \
    K_TILES(NAME, A)                                                                                          \
    {                                                                                                         \
        return (tiles);                                                                                       \
    }                                                                                                         \
    K_KERNEL(NAME, A)                                                                                         \
    {                                                                                                         \
        text;                                                                                                 \
    }

/* Defines NAME_fp32, NAME_fp16 and NAME_bf16 from one function NAME(a, tile, format). */
#define K_EACH_FORMAT(NAME, A, tiles)                                                                         \
    K_DEFINE(NAME##_fp32, A, tiles, NAME(a, tile, FORMAT_FP32))                                               \
    K_DEFINE(NAME##_fp16, A, tiles, NAME(a, tile, FORMAT_FP16))                                               \
    K_DEFINE(NAME##_bf16, A, tiles, NAME(a, tile, FORMAT_BF16))

/* How many tiles of `size` cover n elements, and how many elements tile `first` of them really has. */
K_HOST long k_tiles(long n, long size)
{
    return (n + size - 1) / size;
}

K_FN int k_part(long n, long first, int size)
{
    return n - first < size ? (int)(n - first) : size;
}

/* Bits of a float and back; memcpy is the one way that is defined in C, C++ and CUDA, and compiles to nothing. */
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
