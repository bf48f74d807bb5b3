/* selftest.h: proves the kernels on the machine at hand.
 *
 * Every check launches kernels and compares what they stored, bit by bit, with something independent of them:
 * a plain integer rounder, glibc and MPFR, another instruction set, or the same numbers taken another way.
 * The quick tier samples; the exhaustive one takes every FP32 input there is, on all cores. */
#ifndef ULPSCOPE_SRC_SELFTEST_H
#define ULPSCOPE_SRC_SELFTEST_H

#include "device.h"
#include <stdbool.h>
#include <stdint.h>

struct selftest_result {
    const char *name;   /* "fp32 to fp16, roundTiesToEven, against an integer rounder" */
    uint64_t checked;   /* inputs */
    uint64_t differing; /* of them */
    char first[64];     /* the first that differs, as "0x38800001: 0x0400, not 0x0401"; "" for none */
    double worst_ulp;   /* mathematical functions: the largest error found; else 0 */
    double seconds;
};

struct selftest_options {
    const char *device; /* "cpu", "cuda" */
    bool exhaustive;
    const char *only; /* checks whose name holds this text; NULL for all */
    /* Called after each check, and, with result NULL, now and then with the share done of the current one. */
    void (*report)(void *context, const char *name, double share, const struct selftest_result *result);
    void *context;
};

/* Runs every check.  The number that found a difference, or -1 with a message in error[DEVICE_TEXT] if the
 * device failed. */
int selftest_run(const struct selftest_options *options, char *error);

#endif
