/* block.h: blocks of values that share a scale: OCP Microscaling (MX) v1.0, and NVFP4. */
#ifndef ULPSCOPE_SRC_BLOCK_H
#define ULPSCOPE_SRC_BLOCK_H

#include "probe.h"

/* BLOCK_MX: the scale is 2^(floor(log2 max|v|) - emax of the element format) as e8m0 (MX v1.0 clause 6.3),
 * clamped to its range.  BLOCK_NV: it is max|v| / the largest element, rounded to nearest even in e4m3,
 * saturating; the second scale that NVFP4 has for a whole tensor is taken as 1. */
enum block_rule { BLOCK_MX, BLOCK_NV };

struct block_format {
    const char *name;    /* "mxfp4" */
    const char *title;   /* "MXFP4" */
    const char *aliases; /* separated by spaces */
    enum format_id element, scale;
    size_t size; /* elements that share a scale */
    enum block_rule rule;
};
enum { BLOCK_FORMATS = 6 };
extern const struct block_format block_format_table[BLOCK_FORMATS];
const struct block_format *block_find(const char *name); /* or NULL */

struct block_element {
    uint32_t bits, flags;  /* of v / scale in the element format, overflow saturating */
    struct exact *element; /* value of the encoding */
    struct exact *value;   /* element x scale */
    struct exact *error;   /* value - v */
};

struct block_result {
    uint32_t scale_bits;
    struct exact *scale;
    struct exact *largest; /* max|v| */
    size_t count;
    struct block_element *elements;
};

/* Quantises one block of n values, 1..size of them and all finite.  The policy's mode and seed are those of
 * the elements.  On false, *out holds nothing to clear. */
bool block_round(struct device *d, const struct block_format *b, struct exact *const *x, size_t n,
                 const struct probe_policy *policy, struct block_result *out, struct exact_error *error);
void block_clear(struct block_result *r);

#endif
