/* panel_exponents.h: values by exponents as bars, with formats' windows under them: Scale's gradients, and any
 * tensor. */
#ifndef ULPSCOPE_UI_PANEL_EXPONENTS_H
#define ULPSCOPE_UI_PANEL_EXPONENTS_H

#include "cell.h"
#include "plot.h"
#include "snapshot.h"

/* What a format does to a magnitude, in the order of the axis. */
enum part { PART_FLUSHED, PART_SUBNORMAL, PART_NORMAL, PART_OVERFLOWED, PART_COUNT };
struct exponent_part {
    const char *window, *words; /* in a window; in words */
    uint32_t fill, edge;
    enum role role;
};
extern const struct exponent_part exponent_parts[PART_COUNT];

bool exponents_window_valid(const struct window_view *w);
/* The windows that differ, in their order: of a histogram's two, the index-th, or NULL beyond. */
const struct window_view *exponents_window(const struct histogram_view *h, int index);

/* Takes from *rest `rows` rows of bars, two for the axis and one for each window, and draws them.  Labels of the
 * counts and titles of the windows share `labels` columns; bars have the colours of the window `now`.  Returns the
 * area of the bars. */
struct rect exponents_draw(struct grid *g, struct rect *rest, int rows, int labels,
                           const struct histogram_view *h, const struct window_view *now);

#endif
