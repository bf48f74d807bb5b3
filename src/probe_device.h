/* probe_device.h: shared by the files of probe: one launch with its memory, and rounding on a device. */
#ifndef ULPSCOPE_SRC_PROBE_DEVICE_H
#define ULPSCOPE_SRC_PROBE_DEVICE_H

#include "probe.h"

/* A kernel that reads one array and writes one. */
struct probe_launch {
    void (*bind)(void *args, const void *in, void *out); /* puts the device's addresses into the arguments */
    void *args;
    const void *in;
    void *out;
    size_t in_bytes, out_bytes;
};
bool probe_launch(struct device *d, enum kernel_id kernel, struct probe_launch *l, struct exact_error *error);

/* Fills *error (column 0) and returns false. */
bool probe_fail(struct exact_error *error, const char *message);

/* What round_wide needs to know about a value; the random word is left 0. */
struct round_input probe_input(const struct exact *x);
struct round_rule probe_rule(const struct format *f, const struct probe_policy *policy);
bool probe_round_inputs(struct device *d, const struct round_input *in, struct round_output *out, size_t n,
                        const struct round_rule *rule, struct exact_error *error);

/* One value to one format; not saturating, and no random bits. */
bool probe_round_one(struct device *d, const struct exact *x, const struct format *f, enum round_mode mode,
                     uint32_t *bits, struct exact_error *error);

/* ---- probe_line.c ---- */

/* The value of a magnitude (an encoding without its sign) on the format's grid, which goes on beyond the
 * largest finite value: the code after it (format_limit) counts as that value plus an ulp.  NULL when memory
 * runs out. */
struct exact *probe_grid_value(const struct format *f, uint32_t magnitude);

/* Places an exact value between its neighbours; `stored` is the encoding that it became by `mode`, `label` what
 * to call the value (NULL: its digits).  One of the format's values gets the step whose reals round to it. */
bool probe_line(struct device *d, const struct exact *x, const char *label, const struct format *f,
                enum round_mode mode, uint32_t stored, struct number_line *out, struct exact_error *error);

/* The value half way between two of the grid's; NULL when memory runs out. */
struct exact *probe_middle(const struct exact *a, const struct exact *b);

/* ---- probe_interval.c ---- */

/* One end of an interval of magnitudes; value NULL: infinite. */
struct probe_end {
    struct exact *value;
    bool closed;
};

/* The magnitudes of all reals that round to an encoding under a policy; any: whether there are any. */
struct probe_bounds {
    bool any, negative;
    struct probe_end inner, outer; /* seen from zero */
};
bool probe_bounds(const struct format *f, uint32_t bits, const struct probe_policy *policy,
                  struct probe_bounds *out);
void probe_bounds_clear(struct probe_bounds *b);

/* The text of all reals that round to an encoding under a policy. */
bool probe_interval(const struct format *f, uint32_t bits, const struct probe_policy *policy, char *out,
                    size_t size);

/* ---- probe_why.c ---- */

/* Why the row is what it is, in at most three sentences; `input` is the expression as typed. */
bool probe_why(struct device *d, const char *input, const struct exact *x, const struct bits_result *r,
               const struct probe_policy *policy, struct bits_row *row, struct exact_error *error);

#endif
