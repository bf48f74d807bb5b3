/* table_device.h: a device that runs a table of CPU kernels built with tile sizes of the test's choice. */
#ifndef ULPSCOPE_TESTS_TABLE_DEVICE_H
#define ULPSCOPE_TESTS_TABLE_DEVICE_H

#include "cpu.h"
#include "device.h"

/* cpu_isa.c once more, with tile sizes that CMakeLists.txt sets: all 1 (as CUDA's), odd ones, wide ones. */
extern const struct cpu_kernel cpu_kernels_tiles_one[KERNEL_COUNT];
extern const struct cpu_kernel cpu_kernels_tiles_odd[KERNEL_COUNT];
extern const struct cpu_kernel cpu_kernels_tiles_wide[KERNEL_COUNT];

enum { TILES_COUNT = 3 };
extern const struct tiles {
    const char *name;
    const struct cpu_kernel *kernels;
} tiles_table[TILES_COUNT];

/* Runs tiles last to first, so that an order which matters shows.  NULL if memory is out. */
struct device *table_device_open(const struct tiles *tiles);

#endif
