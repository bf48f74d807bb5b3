/* panel_scaler.h: the lower half of panel Scale. */
#ifndef ULPSCOPE_UI_PANEL_SCALER_H
#define ULPSCOPE_UI_PANEL_SCALER_H

#include "cell.h"
#include "snapshot.h"

/* The loss scale's timeline and state; where the recipe has no scaler, how to get one. */
void scaler_draw(struct grid *g, struct rect r, const struct snapshot *s);

#endif
