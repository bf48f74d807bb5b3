/* compat.h: what the kernel text needs to compile as C11 for the CPU and as CUDA C++ for a GPU.
 *
 * The text under kernels/ is written once, in the subset that both languages share.  A body computes one tile of
 * K_ROWS rows x K_WIDTH lanes: wide on the CPU, where the lanes of a loop become vector registers, and 1 x 1 on CUDA,
 * where each thread is a tile.  The order of every sum is independent of both sizes.
 *
 *   K_FN               a function that kernels call
 *   K_LANES(w)         loops w over the lanes of a tile, in any order: nothing may depend on it
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

#define K_WIDTH 1
#define K_ROWS  1
#define K_FN    static __device__ __forceinline__
#define K_HOST  static inline
#define K_LANES(w) for (int w = 0; w < 1; w++)
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

/* Tile sizes: multiples of the vector width; tests override them to show that no bit depends on them. */
#ifndef K_WIDTH
#if defined K_ISA_AVX512
#define K_WIDTH 32
#define K_ROWS  8
#elif defined K_ISA_AVX2
#define K_WIDTH 16
#define K_ROWS  4
#else
#define K_WIDTH 16
#define K_ROWS  4
#endif
#endif
#define K_FN   static inline __attribute__((always_inline))
#define K_HOST static inline
#define K_PRAGMA(x) _Pragma(#x)
#define K_LANES(w) K_PRAGMA(omp simd) for (int w = 0; w < K_WIDTH; w++)
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

#define K_TILES(NAME, A) K_HOST long NAME##_tiles(const struct A *a)

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
