/* panel_run.h: what the panels of the run, Scale and Train, are put together from.
 *
 * All of it places texts that the snapshot brings, and clips like the grid: any rectangle is safe. */
#ifndef ULPSCOPE_UI_PANEL_RUN_H
#define ULPSCOPE_UI_PANEL_RUN_H

#include "cell.h"
#include "plot.h"
#include "snapshot.h"

/* The upper rows of *rest, which then starts below them; at most what is there. */
struct rect run_take(struct rect *rest, int rows);

/* A titled section: a box, or where rows are short only a rule above.  Returns the area inside. */
struct rect run_section(struct grid *g, struct rect r, const char *title, bool boxed);

/* A text in at most `cols` columns, cut between words with … behind: never through a number.  Returns the
 * columns taken. */
int run_words(struct grid *g, int row, int col, int cols, enum role role, const char *text);

/* A text broken between words into at most r.rows lines of r.cols columns; returns the lines. */
int run_wrap(struct grid *g, struct rect r, enum role role, const char *text);

/* An encoding's fields as cells in their roles, with a blank between the fields; returns the columns taken.
 */
int run_bits(struct grid *g, int row, int col, const char *sign, const char *exponent, const char *trailing);

/* The newest events that fit into r, the newest last.  `kinds` has bit 1 << kind for each kind to show;
 * `none` is said where there is not one. */
void run_events(struct grid *g, struct rect r, const struct snapshot *s, unsigned kinds, const char *none);
enum { RUN_ALL_EVENTS = ~0u >> 1 };

/* How an event is marked. */
uint32_t run_event_glyph(enum event_kind kind, enum role *role);

/* The points of a curve: x ascending; y may be NaN for a gap. */
struct run_points {
    int count;
    double x[SERIES_POINTS], y[SERIES_POINTS];
};
void run_points_of(const struct series *series, struct run_points *p);

/* The events as marks on a curve.  Where it has no height, at that of the last point before that has one. */
void run_event_marks(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                     const struct run_points *p, unsigned kinds);
/* The same at one step; at the top where the curve has no height up to there. */
void run_mark(struct grid *g, struct rect in, const struct plot_axes *axes, const struct run_points *p,
              double step, uint32_t glyph, enum role role);

/* Places of a series: its x at point i, and its last x (0 for an empty one). */
double run_series_x(const struct series *series, int i);
double run_series_end(const struct series *series);

/* Labels of an axis of steps, all their digits; a plot_format. */
void run_step_number(double step, char *text, void *context);

/* Labels of counts, "12,345"; a plot_format. */
void run_count(double count, char *text, void *context);

/* Labels "2^k" for plots whose axis holds exponents; a plot_format. */
void run_power_of_two(double exponent, char *text, void *context);

#endif
