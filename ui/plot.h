/* plot.h: lines, steps, bars, windows and progress on a grid.
 *
 * A plot is made of calls on one rectangle.  The axes say which values its edges stand for; plot_frame draws
 * them and returns the area inside, and everything else draws into that area:
 *
 *     struct plot_axes axes = {.x_min = 0, .x_max = 400, .y_min = 16, .y_max = 19, .y_ticks = ticks, .y_count
 * = 4}; struct rect in = plot_frame(g, area, &axes); plot_line(g, in, &axes, &scale); plot_mark(g, in, &axes,
 * 131, 18, 'x', ROLE_WARNING);
 *
 * A logarithmic axis is the caller's: give values and limits already mapped, and labels that say so.  Points
 * that are NaN are gaps; infinite ones are gaps with an arrow at the edge.  What lies outside the limits is
 * cut off.  Equal or reversed limits draw nothing.  Every rectangle is safe (what is beyond 2^20 cells is not
 * drawn).
 *
 * Lines are braille dots where the grid allows braille, else box-drawing strokes, else ASCII. */
#ifndef ULPSCOPE_UI_PLOT_H
#define ULPSCOPE_UI_PLOT_H

#include "cell.h"
#include <stddef.h>

enum { PLOT_LABEL = 24 }; /* size of a label's buffer */

struct plot_tick {
    double at;
    const char *label; /* NULL: the axis's format function writes it; "" for a tick without one */
};

/* Writes the label of a value to text[PLOT_LABEL]. */
typedef void plot_format(double value, char *text, void *context);

struct plot_axes {
    double x_min, x_max, y_min, y_max;
    const struct plot_tick *x_ticks, *y_ticks;
    size_t x_count, y_count;
    plot_format *x_format, *y_format; /* for ticks without a label; NULL: plot_number */
    void *context;                    /* handed to them */
    const char *x_name; /* written behind the last x label, in a margin of its own; NULL: none */
    int y_width;        /* least width of the y labels: lines up the plots of a column */
    bool
        y_edges; /* for bars: the tick of a value stands in the row that a bar of it fills to the top, that of
                           y_min beside the x axis */
};

/* A value as short as it can be read on an axis: 3 significant digits. */
void plot_number(double value, char *text, void *context);

/* At most `room` round values (1, 2 or 5 times a power of ten) from min to max, about `wanted` of them;
 * returns how many.  For limits that are not finite or not ascending: none. */
size_t plot_ticks(double min, double max, int wanted, struct plot_tick *ticks, size_t room);

/* Limits that hold *min and *max, and 1, 2 or 5 times a power of ten (`least` at the smallest) between ticks, so
 * that every tick stands exactly on a row: `gaps` are the rows between the limits, one less than there are rows
 * for lines, as many for bars.  Returns how many ticks; where there are none, the limits stay. */
size_t plot_fit(double *min, double *max, int gaps, double least, struct plot_tick *ticks, size_t room);

/* Draws the axes and their labels along the left and the bottom of r; returns the area for the data.  Where r
 * is small the x axis goes first, then the y axis.  Labels that would meet the one before them are left out.
 */
struct rect plot_frame(struct grid *g, struct rect r, const struct plot_axes *axes);

/* The row and column of a value in the area, which may lie outside it; false when there is none (not finite,
 * empty). */
bool plot_row(struct rect in, const struct plot_axes *axes, double y, int *row);
bool plot_col(struct rect in, const struct plot_axes *axes, double x, int *col);

struct plot_series {
    const double *x; /* ascending; NULL: 0, 1, 2, … */
    const double *y;
    size_t count;
    enum role role;
    bool step;     /* each y holds until the next x, the last one for itself alone: a staircase */
    uint32_t mark; /* 0, or the letter that draws this series' level stretches in ASCII, so that it can be
                      told apart */
};

/* One series. */
void plot_line(struct grid *g, struct rect in, const struct plot_axes *axes,
               const struct plot_series *series);

/* One glyph at (x, y); nothing outside the area. */
void plot_mark(struct grid *g, struct rect in, const struct plot_axes *axes, double x, double y,
               uint32_t glyph, enum role role);

struct plot_bars {
    const double *value; /* from 0 up; NaN and less than 0 draw nothing */
    size_t count;
    double max; /* the value that fills the height; infinite values do so too */
    enum role role;
    const uint8_t *roles; /* a role for each bar instead, or NULL */
};

/* Bars side by side over the whole width, in eighths of a row; any value above 0 shows at least an eighth.
 * Bars of three columns or more leave one blank.  With more bars than columns a column shows the largest of
 * its bars. */
void plot_bars(struct grid *g, struct rect in, const struct plot_bars *bars);

struct plot_segment {
    double from, to;   /* on the x axis */
    uint32_t fill;     /* ░ ▒ · … */
    uint32_t edge;     /* drawn at `from` instead of the fill, or 0 */
    const char *label; /* written into the segment where it fits, or NULL */
    enum role role;
};

/* One row of shaded segments along the x axis: a format's window.  ·flushed··░subnormal░▒normal▒▒│inf */
void plot_window(struct grid *g, struct rect in, const struct plot_axes *axes,
                 const struct plot_segment *segments, size_t count);

/* A progress bar of `cols` columns: ▓▓▓▓▓░░░.  The fraction is held to 0…1; NaN is 0. */
void plot_progress(struct grid *g, int row, int col, int cols, double fraction, enum role role);

#endif
