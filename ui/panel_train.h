/* panel_train.h: the tensor table of panel Train, which has an order of its own. */
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

#endif
