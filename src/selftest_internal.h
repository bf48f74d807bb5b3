/* selftest_internal.h: what the checks (selftest_checks.c) and the threads that run them (selftest.c) share.
 */
#ifndef ULPSCOPE_SRC_SELFTEST_INTERNAL_H
#define ULPSCOPE_SRC_SELFTEST_INTERNAL_H

#include "selftest.h"

/* Inputs are taken in chunks of CHUNK, of consecutive encodings or with one operand in common. */
enum { CHUNK = 1 << 16, CHUNKS = 1 << 16 };

/* What a thread works with: a device of its own, and room for a chunk (and one value more) there and here. */
struct selftest_arrays {
    struct device *device;
    float *in;
    void *out, *wide_in, *wide_out; /* wide: 24 bytes a value */
    uint32_t *host_in;
    void *host_out, *host_wide_in, *host_wide_out;
};

struct check {
    char name[72];
    bool (*run)(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                struct selftest_result *r);
    enum format_id format;
    enum round_mode mode;
    bool saturate;
    int function;    /* enum math_function, enum arithmetic_op */
    uint32_t chunks; /* in the exhaustive tier; the quick one takes one in SELFTEST_QUICK_STRIDE */
};

enum { CHECKS_MAX = 96, SELFTEST_QUICK_STRIDE = 257 };

/* Fills in the list of all checks; their number. */
int selftest_checks(struct check list[CHECKS_MAX]);

#endif
