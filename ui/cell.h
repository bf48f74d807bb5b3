/* cell.h: a grid of styled cells, the surface that every panel draws on.
 *
 * The same grid goes to the terminal, to a test's golden screen and to text, ANSI or SVG files.  Rows and
 * columns count from 0 at the top left.  Every call clips: to the grid and to the current clip rectangle; any
 * coordinate and any size, negative ones too, are safe, and what falls outside is simply not drawn.  A panel
 * author's whole kit:
 *
 *     struct rect old = grid_clip(g, area);            nothing leaves the panel's area
 *     grid_rule(g, row, area.col, area.cols, "why");   ── why ─────────
 *     col += grid_text(g, row, col, ROLE_SIGN, "0");   returns the columns, so that texts can follow one another
 *     grid_printf(g, row, col, ROLE_TEXT, "%u of %u", done, all);
 *     grid_unclip(g, old);
 *
 * Text is UTF-8.  A wide glyph takes two cells, and is left out where only one is there.  Combining marks are
 * left out.  Control characters are shown as a replacement character and never reach a terminal. */
#ifndef ULPSCOPE_UI_CELL_H
#define ULPSCOPE_UI_CELL_H

#include "theme.h"
#include <stdbool.h>
#include <stdint.h>

struct cell {
    uint32_t glyph;     /* a Unicode code point; 0 in the second cell of a wide glyph */
    uint8_t role;       /* enum role */
    uint8_t attributes; /* enum attribute */
};

struct rect {
    int row, col, rows, cols; /* empty when rows or cols is not positive */
};

/* What a click means: a command line, carried out as if it had been typed. */
enum { GRID_LINKS = 512, GRID_LINK_TEXT = 64 };
struct grid_link {
    struct rect where;
    char command[GRID_LINK_TEXT];
};

struct grid {
    int rows, cols;
    struct cell *cells; /* row by row */
    struct rect clip;   /* set by grid_clip */
    bool ascii;         /* draw ASCII stand-ins for all other glyphs (glyph.h) */
    bool braille;       /* plots may use braille dots: not every font has them */
    int cursor_row, cursor_col;
    bool cursor_shown; /* a text field wants the cursor seen; it is placed in any case, for screen readers */
    int link_count;
    struct grid_link links[GRID_LINKS]; /* set by grid_link */
};

/* A cleared grid; sizes below 0 are taken as 0.  NULL when there is no memory for it. */
struct grid *grid_create(int rows, int cols);
void grid_free(struct grid *g); /* NULL is allowed */

/* Gives the grid a new size and clears it.  False, with the grid as it was, when there is no memory. */
bool grid_resize(struct grid *g, int rows, int cols);

/* Blanks everything and takes the clip rectangle and the cursor back. */
void grid_clear(struct grid *g);

/* The cell at a place, or NULL outside the grid. */
const struct cell *grid_at(const struct grid *g, int row, int col);

bool cell_equal(const struct cell *a, const struct cell *b);

/* How a cell looks: its role's style, less what would not show (a blank has no colour) or would blur (a
 * role's underline under lines and dots). */
struct style cell_style(const struct cell *cell, enum depth depth);

/* --- rectangles --- */

struct rect rect_make(int row, int col, int rows, int cols);
struct rect rect_intersect(struct rect a, struct rect b);
struct rect rect_inset(struct rect r, int rows,
                       int cols); /* smaller by that much on each side; empty at worst */
bool rect_empty(struct rect r);
bool rect_has(struct rect r, int row, int col);
struct rect grid_bounds(const struct grid *g);

/* Narrows the clip rectangle to its common part with r; returns what it was, for grid_unclip. */
struct rect grid_clip(struct grid *g, struct rect r);
void grid_unclip(struct grid *g, struct rect old);

/* --- drawing --- */

/* One glyph; returns its width. */
int grid_put(struct grid *g, int row, int col, enum role role, uint32_t glyph);

/* A text from (row, col) on; returns the columns that it takes, drawn or clipped. */
int grid_text(struct grid *g, int row, int col, enum role role, const char *utf8);
int grid_printf(struct grid *g, int row, int col, enum role role, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* A text in at most `cols` columns, with … at its end when it had to be cut; returns the columns taken. */
int grid_text_fit(struct grid *g, int row, int col, int cols, enum role role, const char *utf8);

/* A text that ends before column `end`, for columns of numbers; returns the columns that it takes. */
int grid_text_right(struct grid *g, int row, int end, enum role role, const char *utf8);

/* Every cell of r becomes this (narrow) glyph. */
void grid_fill(struct grid *g, struct rect r, enum role role, uint32_t glyph);

/* Gives the cells of r another role (ROLE_STALE dims an old answer), or more attributes (ATTR_REVERSE: the
 * cursor). */
void grid_set_role(struct grid *g, struct rect r, enum role role);
void grid_add_attributes(struct grid *g, struct rect r, unsigned attributes);

/* A horizontal rule of `cols` columns: ── title ─────.  The title may be NULL. */
void grid_rule(struct grid *g, int row, int col, int cols, const char *title);

/* A box with round corners and a title (or NULL) in its upper edge; returns the area inside. */
struct rect grid_box(struct grid *g, struct rect r, const char *title);

/* Where the terminal's cursor belongs: on what has the focus. */
void grid_cursor(struct grid *g, int row, int col, bool shown);

/* A click into what is visible of r means this command line, until the grid is cleared.  A later link lies
 * above an earlier one (app.c looks them up); one that is too long, or one too many, is left out. */
void grid_link(struct grid *g, struct rect r, const char *command);

#endif
