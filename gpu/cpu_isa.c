/* cpu_isa.c: the kernels for one instruction set.  It is compiled once for each, with K_ISA naming it; the
 * kernel text itself is the same for all and for CUDA. */
#include "cpu.h"
#include "kernels/all.k.h"

#define CONCAT_(a, b) a##b
#define CONCAT(a, b)  CONCAT_(a, b)

#define RUN_DEFINE(name, args)                                                                               \
    static long name##_count(const void *a)                                                                  \
    {                                                                                                        \
        return name##_tiles((const struct args *)a);                                                         \
    }
KERNEL_TABLE(RUN_DEFINE)

#define ROW(name, args) {name, name##_count},
const struct cpu_kernel CONCAT(cpu_kernels_, K_ISA)[KERNEL_COUNT] = {KERNEL_TABLE(ROW)};
