/* cpu.h: shared by the files of the CPU device. */
#ifndef ULPSCOPE_GPU_CPU_H
#define ULPSCOPE_GPU_CPU_H

#include "kernels.h"

struct cpu_kernel {
    void (*run)(const void *args, long begin, long end); /* the tiles begin..end-1 */
    long (*tiles)(const void *args);
};

/* One table per instruction set, made by cpu_isa.c. */
extern const struct cpu_kernel cpu_kernels_baseline[KERNEL_COUNT];
extern const struct cpu_kernel cpu_kernels_avx2[KERNEL_COUNT];
extern const struct cpu_kernel cpu_kernels_avx512[KERNEL_COUNT];

/* A pool of threads that share a launch.  Which thread runs a tile decides no bit. */
struct cpu_threads;
struct cpu_threads *cpu_threads_start(int count); /* NULL on failure */
void cpu_threads_stop(struct cpu_threads *pool);
void cpu_threads_run(struct cpu_threads *pool, const struct cpu_kernel *kernel, const void *args, long tiles);

#endif
