/* selftest_internal.h: what the checks (selftest_*.c) and the threads that run them (selftest.c) share. */
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
    float *values; /* of every encoding of the check's format, if that has at most 16 bits: selftest_values */
};

struct check {
    char name[72];
    bool (*run)(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                struct selftest_result *r);
    const struct format *format;
    enum format_id id; /* of formats that tensors are stored in: kernels are named by it */
    enum round_mode mode;
    bool saturate;
    bool structured; /* operands of an fma that cancel, tie or lie at the ends; else at random */
    int function;    /* enum math_function, enum arithmetic_op */
    uint32_t chunks; /* in the exhaustive tier; the quick one takes one in SELFTEST_QUICK_STRIDE */
    double cost;     /* of a chunk, in microseconds of one core: for estimates only */
};

enum { CHECKS_MAX = 128, SELFTEST_QUICK_STRIDE = 257 };

/* Fills in the list of all checks; their number. */
int selftest_checks(struct check list[CHECKS_MAX]);

/* Adds the results of a chunk to a check's digest. */
void selftest_digest(struct selftest_result *r, uint32_t chunk, const void *results, size_t bytes);

/* The values of a format's encodings as FP32, filled in at the first call of a thread; a->values. */
const float *selftest_values(struct selftest_arrays *a, const struct format *f);

/* selftest_arrays.c: conversions and arithmetic.  One chunk each; false if the device failed. */
bool check_convert(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                   struct selftest_result *r);
bool check_casts_agree(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                       struct selftest_result *r);
bool check_round_trip(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                      struct selftest_result *r);
bool check_packed(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                  struct selftest_result *r);
bool check_in_place(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                    struct selftest_result *r);
bool check_arithmetic(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                      struct selftest_result *r);
bool check_function(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                    struct selftest_result *r);

/* selftest_parse.c: texts, parsed and rounded by the product and by MPFR. */
enum { PARSE_TEXTS = 256, PARSE_DIGITS = 1000, PARSE_CHUNKS = 288 }; /* a chunk; a text, at most */
bool check_parse(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                 struct selftest_result *r);

/* selftest_vectors.c: published cases: lines of tab-separated input, format, mode, saturate ("-" for no),
 * bits and source, after a line of these words.  False with a message in error[DEVICE_TEXT] if the file cannot
 * be read or a line is damaged. */
bool selftest_vectors(const char *device, const char *file, struct selftest_result *r, char *error);

#endif
