/* block_screen.h: what a screen says about a block: its shared scale and how that was chosen, and every
 * element as bits, as a value and with its error.  Plain data, as the answers of probe.h. */
#ifndef ULPSCOPE_SRC_BLOCK_SCREEN_H
#define ULPSCOPE_SRC_BLOCK_SCREEN_H

#include "block.h"

enum {
    BLOCK_MOST = 32, /* elements of the largest block */
    BLOCK_TEXT = 960 /* of "KIND V…" */
};

struct block_row {
    char input[TEXT_SHORT]; /* as typed where that is short, else its first digits */
    char scaled[TEXT_SHORT]; /* input / scale, which the element format rounds; "–" where the scale is zero */
    struct field_view element;
    char stands[TEXT_SHORT]; /* element x scale: what the block holds in the value's place */
    char error[TEXT_SHORT];  /* stands - input */
    char class[TEXT_SHORT];  /* "normal", "subnormal", "zero"; "became 0", "saturated" */
    bool lost;               /* it became 0, or saturated */
    struct number_line line; /* input / scale between its neighbours in the element format */
    char why[2][TEXT_LINE];  /* the value in full and the division; what the element format made of it */
};

struct block_screen {
    bool shown;
    char text[BLOCK_TEXT]; /* "mxfp4 1 2.5 -3" */
    const struct block_format *format;
    char what[TEXT_LINE]; /* "MXFP4 (E2M1): 32 elements e2m1 share a scale e8m0 · 4 given" */
    char policy_brief[TEXT_LINE];
    char policy[TEXT_LINE]; /* how elements are rounded */
    enum round_mode mode;
    struct field_view scale;
    char scale_value[TEXT_SHORT], scale_name[TEXT_SHORT]; /* "2^-1 = 0.5", "2^-1" */
    char largest[TEXT_SHORT];                             /* max |x| */
    char scale_why[TEXT_LINE];
    int count, zeros, saturated; /* elements; of them, those that became 0, and those beyond the largest */
    int worst;                   /* the element with the largest error; -1: all are exact */
    char summary[TEXT_VALUE];    /* "largest error 0.1 at [3] · 1 of 4 became 0 · none saturated" */
    struct block_row rows[BLOCK_MOST];
};

/* "KIND V…" taken apart.  Values are separated by blanks, as on the command line; blanks within parentheses
 * belong to a value: "mxfp4 1 (1 - 1e-5)". */
struct block_input {
    const struct block_format *format;
    size_t count;
    char *texts[BLOCK_MOST];
    struct exact *values[BLOCK_MOST]; /* finite */
};
/* False with a line for the person in error[160]; *out holds nothing to clear then. */
bool block_read(const char *text, struct block_input *out, char *error);
void block_input_clear(struct block_input *in);

/* Fills the answer from the text.  False with *error filled for a text that is no block and where the device
 * fails. */
bool block_screen(struct device *d, const char *text, const struct probe_policy *policy,
                  struct block_screen *out, struct exact_error *error);

#endif
