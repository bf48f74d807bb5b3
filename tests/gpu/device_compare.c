/* device_compare.c: a device against the CPU device, bit for bit: every kernel on random and edge inputs, and
 * training steps of both tasks under every recipe.
 *
 *   device_compare NAME [SPIRAL_STEPS XOR_STEPS [SEED]]
 *
 * Exit status: 0 no bit differs, 1 some do, 4 there is no such device (says why). */
#include "proof/compare.h"
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char error[DEVICE_TEXT];
    if (argc != 2 && argc != 4 && argc != 5) {
        fprintf(stderr, "usage: device_compare NAME [SPIRAL_STEPS XOR_STEPS [SEED]]\n");
        return 2;
    }
    struct device *d = device_open(argv[1], error);
    if (!d) {
        fprintf(stderr, "%s\n", error);
        return 4;
    }
    struct device *cpu = device_open_cpu(NULL, 1, error);
    if (!cpu) {
        fprintf(stderr, "%s\n", error);
        device_close(d);
        return 4;
    }
    struct tally tally = {0};
    compare_kernels(cpu, d, argc > 4 ? strtoull(argv[4], NULL, 10) : 1, &tally);
    compare_runs(cpu, d, argc > 2 ? strtol(argv[2], NULL, 10) : 10,
                 argc > 2 ? strtol(argv[3], NULL, 10) : 100, &tally);
    bool equal = compare_report(d->description, &tally);
    device_close(cpu);
    device_close(d);
    return equal ? 0 : 1;
}
