/* selftest.h: proves the kernels on the machine at hand.
 *
 * Every check launches kernels and compares what they stored, bit by bit, with something independent of them:
 * a plain integer rounder, glibc and MPFR, another instruction set, or the same numbers taken another way.
 * The quick tier samples; the exhaustive one takes every FP32 input there is, on all cores.
 *
 * Digests.  Each check has a 64-bit digest of the result bits that the kernels stored.  A chunk's hash is
 * FNV-1a over its number and the results as little-endian words of 64 bits (the last one filled up with
 * zeros), with h ^= h >> 32 after every multiplication; word i goes into the hash i mod 4, and the four are
 * hashed together at the end.  The digest of a check is the sum of its chunks' hashes mod 2^64, and that of a
 * whole run the sum of the checks' digests, each hashed with its name: neither depends on the number of
 * threads, on the order of work, on the device or on its instruction set. */
#ifndef ULPSCOPE_SRC_SELFTEST_H
#define ULPSCOPE_SRC_SELFTEST_H

#include "device.h"
#include <stdbool.h>
#include <stdint.h>

struct selftest_result {
    const char *name;   /* "fp32 to fp16, roundTiesToEven, against an integer rounder" */
    uint64_t checked;   /* inputs; results, where an input gives several */
    uint64_t differing; /* of them */
    char first[160];    /* the first that differs, as "0x38800001: 0x0400, not 0x0401"; "" for none */
    double worst_ulp;   /* mathematical functions: the largest error found; else 0 */
    double seconds;
    uint64_t digest; /* of the result bits, see above */
};

/* How far a run is. */
struct selftest_progress {
    const char *name;    /* of the current check */
    int index, count;    /* its number from 0, and how many there are */
    double share;        /* of the current check that is done */
    double total;        /* of the whole run that is done, by estimated cost */
    double seconds_left; /* of the whole run, about */
};

struct selftest_options {
    const char *device; /* "cpu", "cuda" */
    bool exhaustive;
    const char *only;    /* checks whose name holds this text; NULL for all */
    const char *vectors; /* a file of published cases to be checked, too (see selftest_vectors); NULL: none */
    int threads;         /* 0: one for every core */
    /* All may be NULL.  `start` is called once, with what is to come and the time it will take here, about. */
    void (*start)(void *context, int checks, int threads, double seconds);
    /* Called after each check, and, with result NULL, once a second while one runs (from any thread, one at a
     * time). */
    void (*report)(void *context, const struct selftest_progress *progress,
                   const struct selftest_result *result);
    void *context;
};

/* Runs every check.  The number that found a difference, or -1 with a message in error[DEVICE_TEXT] if the
 * device failed or the vectors cannot be read.  *digest (if not NULL) gets that of the run. */
int selftest_run(const struct selftest_options *options, uint64_t *digest, char *error);

#endif
