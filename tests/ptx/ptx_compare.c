/* ptx_compare.c: the PTX that nvcc made of the kernels against the CPU device, bit for bit: every kernel on
 * random and edge inputs, and whole training steps of both tasks under every recipe.
 *
 *   ptx_compare FILE.ptx LABEL [--seed N] [--order N] [--races] [--spiral STEPS] [--xor STEPS]
 *
 * Exit status: 0 no bit differs, 1 some do, or an operation is open to contraction, or a launch failed. */
#include "proof/compare.h"
#include "ptx_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *path, *label;
    uint64_t seed, order;
    bool races;
    long spiral_steps, xor_steps;
};

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.seed = 1, .spiral_steps = 2, .xor_steps = 20};
    if (argc < 3)
        return false;
    o->path = argv[1];
    o->label = argv[2];
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--races") == 0) {
            o->races = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        long n = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = (uint64_t)n;
        else if (strcmp(argv[i], "--order") == 0)
            o->order = (uint64_t)n;
        else if (strcmp(argv[i], "--spiral") == 0)
            o->spiral_steps = n;
        else if (strcmp(argv[i], "--xor") == 0)
            o->xor_steps = n;
        else
            return false;
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options o;
    char error[DEVICE_TEXT];
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: ptx_compare FILE.ptx LABEL [--seed N] [--order N] [--races] [--spiral STEPS] "
                        "[--xor STEPS]\n");
        return 2;
    }
    struct device *cpu = device_open_cpu(NULL, 1, error);
    struct device *ptx = cpu ? ptx_device_open(o.path, o.order, o.races, error) : NULL;
    if (!ptx) {
        fprintf(stderr, "%s: %s\n", o.label, error);
        return 1;
    }
    struct tally tally = {0};
    compare_kernels(cpu, ptx, o.seed, &tally);
    compare_runs(cpu, ptx, o.spiral_steps, o.xor_steps, &tally);
    bool equal = compare_report(o.label, &tally);
    uint64_t contractable = ptx_device_contractable(ptx);
    if (contractable)
        fprintf(stderr, "%s: %llu operations that ptxas may fuse\n", o.label,
                (unsigned long long)contractable);
    device_close(ptx);
    device_close(cpu);
    return equal && contractable == 0 ? 0 : 1;
}
