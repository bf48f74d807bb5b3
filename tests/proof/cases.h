/* cases.h: for every kernel, launches with random and edge inputs, so that two devices can be compared bit
 * for bit.
 *
 * A case is a kernel, the number of a variant (sizes, flavours of values, modes) and a seed.  Running it on
 * any device makes the same inputs there, launches once and brings back every buffer that the launch could
 * touch. */
#ifndef ULPSCOPE_TESTS_CASES_H
#define ULPSCOPE_TESTS_CASES_H

#include "device.h"

enum { CASE_BUFFERS = 20 };

struct case_result {
    struct {
        unsigned char *bytes;
        long count;
        int size; /* bytes of an element */
    } buffers[CASE_BUFFERS];
    int count;
    long values; /* elements in all buffers */
};

/* How many variants there are of a kernel; 0 for a kernel that nobody has written cases for. */
int case_variants(enum kernel_id kernel);

/* Runs one case.  False, with the device's error set, if the device failed. */
bool case_run(struct device *d, enum kernel_id kernel, int variant, uint64_t seed,
              struct case_result *result);
void case_free(struct case_result *result);

/* How many elements differ; the first difference goes to text[size]. */
long case_compare(const struct case_result *a, const struct case_result *b, char *text, size_t size);

#endif
