/* compare.h: two devices against each other: every kernel, and training steps of every run. */
#ifndef ULPSCOPE_TESTS_COMPARE_H
#define ULPSCOPE_TESTS_COMPARE_H

#include "device.h"

struct tally {
    long kernels, cases, values, runs, steps, differing;
    bool failed; /* a launch failed, or a kernel has no cases */
};

/* Differences are reported on standard error as they are found. */
void compare_kernels(struct device *a, struct device *b, uint64_t seed, struct tally *tally);

/* Every tensor, the counters and the run's state after each step. */
void compare_runs(struct device *a, struct device *b, long spiral_steps, long xor_steps, struct tally *tally);

/* "kernels 64, cases …, differing 0", on standard output; whether nothing differs and nothing is left out. */
bool compare_report(const char *label, const struct tally *tally);

#endif
