/* panel_train.h: the parts of panel Train. */
#ifndef ULPSCOPE_UI_PANEL_TRAIN_H
#define ULPSCOPE_UI_PANEL_TRAIN_H

#include "panel.h"

/* The tensors in the order of the table: weights and gradients first, as they tell most.  Fills order[] with
 * indices into s->tensors; returns their number. */
int tensors_order(const struct snapshot *s, int order[TRAINER_MAX_TENSORS]);

/* The tensor that lies `down` rows below `tensor` in the table (above, if negative), held to its ends.  The
 * app's up and down move view.tensor, an index into s->tensors, with it. */
int tensors_move(const struct snapshot *s, int tensor, int down);

/* Columns that the whole table takes. */
int tensors_cols(const struct snapshot *s);

void tensors_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s, bool boxed);

/* panel_loss.c: a curve of all lanes, and what they came to. */
void loss_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s, bool boxed);

/* panel_curve.c: that curve: "flushed" on command lines; a title for it; the curve itself, with a row for its
 * marks where there is one to spare; and the watched weight's, as a section of its own. */
const char *curve_name(enum train_curve curve);
void curve_title(enum train_curve curve, const struct snapshot *s, char *to, size_t size);
void curve_draw(struct grid *g, struct rect r, const struct snapshot *s, enum train_curve curve);
void history_draw(struct grid *g, struct rect r, const struct snapshot *s);

/* panel_debug.c: rows that say what was done and what comes (in `rows` or fewer), why the run stopped, and
 * the breakpoints, folded into one line or as a list. */
int progress_rows(const struct snapshot *s, bool tall);
void progress_draw(struct grid *g, struct rect r, const struct snapshot *s);
int why_rows(const struct snapshot *s, int cols);
void why_draw(struct grid *g, struct rect r, const struct snapshot *s);
void breaks_line(struct grid *g, struct rect r, const struct snapshot *s);
void breaks_list(struct grid *g, struct rect r, const struct snapshot *s);

/* panel_map.c: a tensor as a map of exponents, with the selected element and a legend. */
void map_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s);

/* panel_histogram.c: a tensor's exponents as bars, and what has none. */
void tensor_histogram_draw(struct grid *g, struct rect r, const struct snapshot *s);

#endif
