/* ptx_device.h: a device that executes the PTX which nvcc made of gpu/cuda.cu, on the CPU, through ptxrun.
 *
 * It launches as cuda.cu does: a thread is a tile, 128 threads are a block, and the kernel gets its arguments
 * and the number of tiles.  Memory is the host's, and ptxrun checks every access against the buffers
 * allocated here. */
#ifndef ULPSCOPE_TESTS_PTX_DEVICE_H
#define ULPSCOPE_TESTS_PTX_DEVICE_H

#include "device.h"

/* `order`: 0 for a fixed order of warps and blocks, else the seed of a random one.  `races`: report unordered
 * accesses to shared memory.  Fails unless the file holds exactly the kernels of KERNEL_TABLE with their
 * arguments.  NULL and a reason in error[DEVICE_TEXT] on failure. */
struct device *ptx_device_open(const char *path, uint64_t order, bool races, char *error);

/* Launched operations that ptxas might fuse: must stay 0. */
uint64_t ptx_device_contractable(const struct device *d);

#endif
