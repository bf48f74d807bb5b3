/* plot_line.c: series as braille dots or as strokes. */
#include "plot.h"
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { BRAILLE = 0x2800, UP_ARROW = 0x2191, DOWN_ARROW = 0x2193 };

/* The area in finer or equal units, and the map into it: u = (x - x_min) * x_scale, downwards v = (y_max - y)
 * * y_scale. Values at the limits fall on the first and the last unit's middle. */
struct canvas {
    struct grid *g;
    struct rect in;
    double width, height; /* units - 1 */
    double x_min, x_scale, y_max, y_scale;
    enum role role;
};

struct point {
    double u, v;
};

static struct point canvas_map(const struct canvas *c, double x, double y)
{
    return (struct point){(x - c->x_min) * c->x_scale, (c->y_max - y) * c->y_scale};
}

static double series_x(const struct plot_series *s, size_t i)
{
    return s->x ? s->x[i] : (double)i;
}

static bool canvas_make(struct canvas *c, struct grid *g, struct rect in, const struct plot_axes *axes,
                        int per_col, int per_row)
{
    double x_span = axes->x_max - axes->x_min, y_span = axes->y_max - axes->y_min;
    const int far = 1 << 20;
    if (in.rows > far || in.cols > far || abs(in.row / 2) > far || abs(in.col / 2) > far)
        return false;
    if (rect_empty(in) || !isfinite(x_span) || !isfinite(y_span) || x_span <= 0 || y_span <= 0)
        return false;
    *c = (struct canvas){.g = g, .in = in, .x_min = axes->x_min, .y_max = axes->y_max};
    c->width = (double)in.cols * per_col - 1;
    c->height = (double)in.rows * per_row - 1;
    c->x_scale = c->width / x_span;
    c->y_scale = c->height / y_span;
    return isfinite(c->x_scale) && isfinite(c->y_scale);
}

/* An arrow at the upper or lower edge where a series is infinite. */
static void mark_infinities(struct canvas *c, const struct plot_axes *axes, const struct plot_series *s)
{
    for (size_t i = 0; i < s->count; i++) {
        int col;
        if (!isinf(s->y[i]) || !plot_col(c->in, axes, series_x(s, i), &col) ||
            !rect_has(c->in, c->in.row, col))
            continue;
        bool up = s->y[i] > 0;
        grid_put(c->g, up ? c->in.row : c->in.row + c->in.rows - 1, col, s->role, up ? UP_ARROW : DOWN_ARROW);
    }
}

/* --- braille: 2 × 4 dots a cell --- */

static void dot(struct canvas *c, int u, int v)
{
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int row = c->in.row + v / 4, col = c->in.col + u / 2;
    const struct cell *cell = grid_at(c->g, row, col);
    uint32_t dots = cell && cell->glyph > BRAILLE && cell->glyph <= BRAILLE + 0xff ? cell->glyph : BRAILLE;
    grid_put(c->g, row, col, c->role, dots | bit[v % 4][u % 2]); /* dots of other series in the cell stay */
}

/* Cuts the line a + t (b - a) to 0 <= coordinate <= limit; false when nothing is left. */
static bool cut(double a, double b, double limit, double *t0, double *t1)
{
    double d = b - a;
    if (d == 0)
        return a >= -0.5 && a <= limit + 0.5;
    double enter = (-0.5 - a) / d, leave = (limit + 0.5 - a) / d;
    if (enter > leave) {
        double swap = enter;
        enter = leave;
        leave = swap;
    }
    *t0 = enter > *t0 ? enter : *t0;
    *t1 = leave < *t1 ? leave : *t1;
    return *t0 <= *t1;
}

static int held(double x, double limit)
{
    return (int)(x <= 0 ? 0 : x >= limit ? limit : floor(x + 0.5));
}

static void segment(struct canvas *c, struct point a, struct point b)
{
    double t0 = 0, t1 = 1;
    if (!isfinite(a.u + a.v + b.u + b.v) || !isfinite(b.u - a.u) || !isfinite(b.v - a.v))
        return;
    if (!cut(a.u, b.u, c->width, &t0, &t1) || !cut(a.v, b.v, c->height, &t0, &t1))
        return;
    double u0 = a.u + t0 * (b.u - a.u), v0 = a.v + t0 * (b.v - a.v);
    double u1 = a.u + t1 * (b.u - a.u), v1 = a.v + t1 * (b.v - a.v);
    double longest = fmax(fabs(u1 - u0), fabs(v1 - v0));
    int steps = longest >= 1 ? (int)ceil(longest) : 1;
    for (int i = 0; i <= steps; i++) {
        double t = (double)i / steps;
        dot(c, held(u0 + t * (u1 - u0), c->width), held(v0 + t * (v1 - v0), c->height));
    }
}

static void line_braille(struct canvas *c, const struct plot_series *s)
{
    bool before = false;
    struct point last = {0, 0};
    for (size_t i = 0; i < s->count; i++) {
        double x = series_x(s, i), y = s->y[i];
        if (!isfinite(x) || !isfinite(y)) {
            before = false;
            continue;
        }
        struct point here = canvas_map(c, x, y);
        if (before && s->step) {
            struct point corner = {here.u, last.v};
            segment(c, last, corner);
            segment(c, corner, here);
        } else {
            segment(c, before ? last : here, here);
        }
        before = true;
        last = here;
    }
}

/* --- strokes: one level a column, joined by corners --- */

/* What a series does within one column: the level at its end, and how far it goes in between.  NaN: nothing.
 */
struct column {
    double last, high, low;
};

static void column_add(struct column *column, double v)
{
    column->last = v;
    column->high = !(column->high <= v) ? v : column->high; /* rows count downwards: high is the least v */
    column->low = !(column->low >= v) ? v : column->low;
}

/* Fills in the columns between two points along the line that joins them. */
static void columns_join(struct column *columns, int count, struct point a, struct point b, bool step)
{
    double first = fmax(ceil(a.u), 0), end = fmin(b.u, count - 1);
    for (double u = first; u <= end; u++) {
        double v = step || b.u == a.u ? a.v : a.v + (u - a.u) / (b.u - a.u) * (b.v - a.v);
        if (isfinite(v))
            column_add(&columns[(int)u], v);
    }
}

static struct column *columns_make(const struct canvas *c, const struct plot_series *s)
{
    int count = c->in.cols;
    struct column *columns = malloc((size_t)count * sizeof *columns);
    if (!columns)
        return NULL;
    for (int i = 0; i < count; i++)
        columns[i] = (struct column){NAN, NAN, NAN};
    bool before = false;
    struct point last = {0, 0};
    for (size_t i = 0; i < s->count; i++) {
        double x = series_x(s, i), y = s->y[i];
        if (!isfinite(x) || !isfinite(y)) {
            before = false;
            continue;
        }
        struct point here = canvas_map(c, x, y);
        if (before)
            columns_join(columns, count, last, here, s->step);
        double u = floor(here.u + 0.5);
        if (u >= 0 && u < count && isfinite(here.v))
            column_add(&columns[(int)u], here.v);
        before = true;
        last = here;
    }
    return columns;
}

/* A level as a row, held one row outside the area so that far values stay small. */
static int level_row(const struct canvas *c, double v)
{
    return v < -0.5 ? -1 : v >= c->height + 0.5 ? (int)c->height + 1 : (int)floor(v + 0.5);
}

static void stroke(struct canvas *c, int row, int col, uint32_t glyph)
{
    if (row >= 0 && row <= (int)c->height)
        grid_put(c->g, c->in.row + row, c->in.col + col, c->role, glyph);
}

static void line_strokes(struct canvas *c, const struct plot_series *s)
{
    struct column *columns = columns_make(c, s);
    if (!columns)
        return;
    uint32_t level = c->g->ascii && s->mark ? s->mark : 0x2500;
    bool before = false;
    int from = 0;
    for (int col = 0; col < c->in.cols; col++) {
        if (isnan(columns[col].last)) {
            before = false;
            continue;
        }
        int to = level_row(c, columns[col].last);
        int high = level_row(c, columns[col].high), low = level_row(c, columns[col].low);
        if (!before)
            from = to;
        int top = from < to ? from : to, bottom = from < to ? to : from;
        for (int row = high < top ? high : top; row <= low || row <= bottom; row++)
            stroke(c, row, col, 0x2502);
        if (from == to) {
            stroke(c, to, col, level);
        } else { /* ╮ and ╰ fall, ╯ and ╭ rise */
            stroke(c, from, col, from < to ? 0x256e : 0x256f);
            stroke(c, to, col, from < to ? 0x2570 : 0x256d);
        }
        from = to;
        before = true;
    }
    free(columns);
}

void plot_line(struct grid *g, struct rect in, const struct plot_axes *axes, const struct plot_series *series)
{
    bool braille = g->braille && !g->ascii;
    struct canvas c;
    if (!canvas_make(&c, g, in, axes, braille ? 2 : 1, braille ? 4 : 1))
        return;
    c.role = series->role;
    struct rect old = grid_clip(g, in);
    if (!rect_empty(g->clip)) {
        if (braille)
            line_braille(&c, series);
        else
            line_strokes(&c, series);
        mark_infinities(&c, axes, series);
    }
    grid_unclip(g, old);
}
