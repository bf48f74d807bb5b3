/* panel_parts.h: what panels share: a page that is filled from top to bottom, paragraphs, numbers that are
 * shortened without becoming others, and the picture of a number line.
 *
 * A page can be laid out on an empty grid (0 x 0) to learn how many rows it takes: drawing and measuring are
 * one code. */
#ifndef ULPSCOPE_UI_PANEL_PARTS_H
#define ULPSCOPE_UI_PANEL_PARTS_H

#include "cell.h"
#include "snapshot.h"

struct page {
    struct grid *g;
    int col, cols; /* of the whole page */
    int row;       /* the next free one */
    bool roomy;    /* there are rows for blank lines and for what is nice to have */
};

/* A rule with a title; in a roomy page a blank row goes before it. */
void page_rule(struct page *p, const char *title);

/* A paragraph with a margin of two columns, broken at blanks; an empty text takes no row. */
void page_paragraph(struct page *p, enum role role, const char *text);

/* "label   value", the value shortened to `cols` columns in all; returns the column after it. */
int page_field(struct page *p, int col, int cols, const char *label, enum role role, const char *value);

/* A number's text in at most `width` columns (12 at least; out holds TEXT_VALUE): digits are left out at the
 * end of its fraction, and an ellipsis says so.  What is before the point is never cut: a number too long for
 * that is written with an exponent.  Other texts are cut at the end, with an ellipsis. */
void panel_number(const char *text, int width, char *out);

/* A picture of two neighbours and where the exact value falls between them: three rows, four with the
 * encodings, from p->row on.  `mode` decides which part of the line rounds to the stored value (it is drawn
 * heavy).  `name` is what the mark is called: "exact", "target". */
void page_number_line(struct page *p, const struct number_line *line, enum round_mode mode, const char *name);

#endif
