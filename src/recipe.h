/* recipe.h: precision recipes as data: which format each thing is stored and computed in.
 *
 * The named presets are rows of one table; each can be changed field by field.  What the levels mean is
 * Apex's O0-O3 and torch.autocast: see the table's own comments. */
#ifndef ULPSCOPE_SRC_RECIPE_H
#define ULPSCOPE_SRC_RECIPE_H

#include "format.h"
#include "kernels.h"
#include "op.h"
#include <stdbool.h>
#include <stddef.h>

struct recipe {
    const char *name;
    const char *summary;
    enum format_id low;  /* the low format; FP32 for none */
    bool autocast;       /* casts op by op, by their class; else the whole model computes in the low format */
    bool low_parameters; /* parameters at rest in the low format; else FP32, which then is the master */
    bool master;         /* an FP32 copy that the optimizer updates, where parameters are low */
    bool low_optimizer;  /* optimizer state and every operation of it in the low format */
    enum update_rounding rounding; /* how a weight takes its update */
    const char *scaler;            /* default loss scaler, as in scaler.h */
};

enum { RECIPE_COUNT = 7 };
extern const struct recipe recipe_table[RECIPE_COUNT];

/* By name; "O0" is fp32.  NULL if there is none. */
const struct recipe *recipe_find(const char *name);

/* A preset, and what differs from it, in short: "bf16-pure+kahan", "O2-master+sr"; and such a text read, false
 * where it is none. */
void recipe_text(const struct recipe *r, char *to, size_t size);
bool recipe_read(const char *text, struct recipe *out);

/* The preset with master weights switched on or off, however they were before.  Off: weights are kept in the
 * low format only, whatever the preset says; on: an FP32 copy is kept and updated (and then the optimizer works
 * in FP32), or FP32 weights are what there is (autocast). */
struct recipe recipe_with_master(struct recipe r, bool master);

/* "on" or "off" where recipe_with_master made of the preset what it is not by itself, else "". */
const char *recipe_master_word(const struct recipe *r);

/* What an operation of that class computes in, given its input's format. */
enum format_id recipe_compute_format(const struct recipe *r, const struct op *op, enum format_id input);

/* Format of parameters at rest, and whether an FP32 master stands beside them. */
enum format_id recipe_parameter_format(const struct recipe *r);
bool recipe_has_master(const struct recipe *r);

/* "rne", "sr", "kahan" */
const char *update_rounding_name(enum update_rounding r);
bool update_rounding_find(const char *name, enum update_rounding *out);

/* "sgd", "momentum", "adam" */
const char *optimizer_name(enum optimizer o);
bool optimizer_find(const char *name, enum optimizer *out);

#endif
