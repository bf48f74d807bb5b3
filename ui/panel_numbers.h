/* panel_numbers.h: the parts of Bits that have a file of their own. */
#ifndef ULPSCOPE_UI_PANEL_NUMBERS_H
#define ULPSCOPE_UI_PANEL_NUMBERS_H

#include "panel.h"
#include "panel_parts.h"

/* What else is worth knowing about the stored value: digits, raw bits, other formats and back. */
void panel_explain(struct page *p, const struct bits_row *row);

/* The calculation in every format, and that of the selected one step by step, its addition as on a
 * blackboard. */
void panel_calc(struct page *p, const struct view *v, const struct snapshot *s);

/* A block in at most `rows` rows: the shared scale, the elements around the focused one, and that in full. */
void panel_block(struct page *p, const struct view *v, const struct snapshot *s, int rows);

#endif
