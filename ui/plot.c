/* plot.c: axes, marks, bars, windows, progress.  Lines are in plot_line.c. */
#include "plot.h"
#include "glyph.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>

enum {
    H_LINE = 0x2500,
    V_LINE = 0x2502,
    CORNER = 0x2514,
    Y_TICK = 0x2524,
    X_TICK = 0x252c,
    FULL_BLOCK = 0x2588,
    LOWER_EIGHTHS = 0x2580, /* + 1…8 */
    LIGHT_SHADE = 0x2591,
    DARK_SHADE = 0x2593
};

void plot_number(double value, char *text, void *context)
{
    (void)context;
    snprintf(text, PLOT_LABEL, "%.3g", value == 0 ? 0.0 : value); /* no -0 on an axis */
}

size_t plot_ticks(double min, double max, int wanted, struct plot_tick *ticks, size_t room)
{
    double span = max - min;
    if (!isfinite(span) || span <= 0 || wanted < 1)
        return 0;
    double power = pow(10, floor(log10(span / wanted)));
    if (power == 0 || !isfinite(power))
        return 0;
    double lead = span / wanted / power;
    double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    double first = ceil(min / step - 1e-9);
    size_t count = 0;
    for (; count < room && (first + (double)count) * step <= max + step * 1e-9; count++)
        ticks[count] = (struct plot_tick){(first + (double)count) * step, NULL};
    return count;
}

/* One way of cutting the axis: a tick every `rows_each` rows, `step` apart. */
struct fit {
    double bottom, top, step, waste;
    int rows_each;
};

/* Three ticks where there are rows for them, or two; labels in every row only where that is far better. */
static void fit_try(struct fit *best, double min, double max, int gaps, double step)
{
    int most = gaps >= 4 ? gaps / 2 : gaps;
    double bottom = floor(min / step + 1e-9) * step;
    for (int each = 1; each <= most; each++) {
        double top = bottom + gaps * step / each, waste = (top - bottom) / (max - min);
        waste *= each == 1 && gaps > 4 ? 1.3 : 1;
        if (top < max - (max - min) * 1e-9 || waste >= best->waste)
            continue;
        *best = (struct fit){bottom, top, step, waste, each};
    }
}

size_t plot_fit(double *min, double *max, int gaps, double least, struct plot_tick *ticks, size_t room)
{
    static const double leads[] = {1, 2, 5};
    double span = *max - *min;
    struct fit best = {.waste = INFINITY};
    if (!isfinite(span) || span <= 0 || gaps < 1 || gaps > 1000)
        return 0;
    double power = pow(10, floor(log10(span / gaps)));
    if (power == 0 || !isfinite(power * 1000))
        return 0;
    for (int i = 0; i < 4; i++, power *= 10)
        for (int k = 0; k < 3; k++)
            if (leads[k] * power >= least)
                fit_try(&best, *min, *max, gaps, leads[k] * power);
    if (best.rows_each == 0)
        return 0;
    *min = best.bottom;
    *max = best.top;
    double first = floor(best.bottom / best.step + 0.5);
    size_t count = 0;
    for (; count < room && (int)count * best.rows_each <= gaps; count++)
        ticks[count] = (struct plot_tick){(first + (double)count) * best.step, NULL};
    return count;
}

/* Where a value lies between two limits: 0 at the first cell, cells - 1 at the last. */
static bool place(double value, double min, double max, int cells, int *at)
{
    if (cells <= 0 || !isfinite(value) || !isfinite(max - min) || max - min <= 0)
        return false;
    double cell = (value - min) / (max - min) * (cells - 1);
    if (!(fabs(cell) < 1e9)) /* far outside; also an overflow */
        return false;
    *at = (int)floor(cell + 0.5);
    return true;
}

static int add(int a, int b)
{
    int64_t sum = (int64_t)a + b;
    return sum > INT_MAX ? INT_MAX : sum < INT_MIN ? INT_MIN : (int)sum;
}

bool plot_row(struct rect in, const struct plot_axes *axes, double y, int *row)
{
    int up;
    if (!place(y, axes->y_min, axes->y_max, axes->y_edges && in.rows > 0 ? add(in.rows, 1) : in.rows, &up))
        return false;
    *row = add(in.row, axes->y_edges ? in.rows - up : in.rows - 1 - up);
    return true;
}

bool plot_col(struct rect in, const struct plot_axes *axes, double x, int *col)
{
    int along;
    if (!place(x, axes->x_min, axes->x_max, in.cols, &along))
        return false;
    *col = add(in.col, along);
    return true;
}

static const char *tick_label(const struct plot_tick *tick, plot_format *format, void *context, char *buffer)
{
    if (tick->label)
        return tick->label;
    (format ? format : plot_number)(tick->at, buffer, context);
    return buffer;
}

static void x_axis(struct grid *g, struct rect in, const struct plot_axes *axes, int right)
{
    int row = in.row + in.rows, next = in.col - 1, end = in.col;
    grid_fill(g, rect_make(row, in.col, 1, in.cols), ROLE_RULE, H_LINE);
    for (size_t i = 0; i < axes->x_count; i++) {
        char buffer[PLOT_LABEL];
        int col;
        if (!plot_col(in, axes, axes->x_ticks[i].at, &col) || !rect_has(in, in.row, col))
            continue;
        grid_put(g, row, col, ROLE_RULE, X_TICK);
        const char *label = tick_label(&axes->x_ticks[i], axes->x_format, axes->context, buffer);
        int width = glyph_text_width(label), from = col - width / 2;
        if (from + width > right) /* the last label may lean left */
            from = right - width;
        if (from < in.col - 1)
            from = in.col - 1;
        if (width == 0 || from < next)
            continue;
        grid_text(g, row + 1, from, ROLE_DIM, label);
        end = from + width;
        next = end + 1;
    }
    if (axes->x_name && end + 1 + glyph_text_width(axes->x_name) <= right)
        grid_text(g, row + 1, end + 1, ROLE_DIM, axes->x_name);
}

static void y_axis(struct grid *g, struct rect in, const struct plot_axes *axes, int left, bool corner)
{
    int line = in.col - 1, last = INT_MIN;
    grid_fill(g, rect_make(in.row, line, in.rows, 1), ROLE_RULE, V_LINE);
    if (corner)
        grid_put(g, in.row + in.rows, line, ROLE_RULE, CORNER);
    for (size_t i = 0; i < axes->y_count; i++) {
        char buffer[PLOT_LABEL];
        int row;
        if (!plot_row(in, axes, axes->y_ticks[i].at, &row) || row == last)
            continue;
        bool on_axis = corner && axes->y_edges && row == in.row + in.rows;
        if (!on_axis && !rect_has(in, row, in.col))
            continue;
        last = row;
        if (!on_axis)
            grid_put(g, row, line, ROLE_RULE, Y_TICK);
        const char *label = tick_label(&axes->y_ticks[i], axes->y_format, axes->context, buffer);
        if (glyph_text_width(label) < line - left)
            grid_text_right(g, row, line - 1, ROLE_DIM, label);
    }
}

struct rect plot_frame(struct grid *g, struct rect r, const struct plot_axes *axes)
{
    r = rect_intersect(r, g->clip); /* from here on every sum is small */
    struct rect old = grid_clip(g, r);
    int labels = axes->y_width > 0 ? axes->y_width : 0;
    for (size_t i = 0; i < axes->y_count; i++) {
        char buffer[PLOT_LABEL];
        int width = glyph_text_width(tick_label(&axes->y_ticks[i], axes->y_format, axes->context, buffer));
        labels = width > labels ? width : labels;
    }
    struct rect in = r;
    bool has_x = r.rows >= 4 && r.cols >= 4;
    bool has_y = r.rows >= 2 && r.cols >= 4 && labels < r.cols / 2;
    if (has_x)
        in.rows -= 2;
    if (has_y) {
        in.col += labels + 2;
        in.cols -= labels + 2;
        y_axis(g, in, axes, r.col, has_x);
    }
    if (has_x) {
        int name = axes->x_name ? glyph_text_width(axes->x_name) + 3 : 0;
        if (name < in.cols / 3) /* a margin, in which the name can follow the last label */
            in.cols -= name;
        x_axis(g, in, axes, r.col + r.cols);
    }
    grid_unclip(g, old);
    return in;
}

void plot_mark(struct grid *g, struct rect in, const struct plot_axes *axes, double x, double y,
               uint32_t glyph, enum role role)
{
    int row, col;
    if (plot_row(in, axes, y, &row) && plot_col(in, axes, x, &col) && rect_has(in, row, col))
        grid_put(g, row, col, role, glyph);
}

/* Eighths of a row that a bar takes. */
static int bar_height(const struct plot_bars *bars, double value, int rows)
{
    if (!(value > 0) || !(bars->max > 0))
        return 0;
    double eighths = value >= bars->max ? 8.0 * rows : floor(value / bars->max * 8.0 * rows + 0.5);
    return eighths < 1 ? 1 : (int)eighths;
}

static void draw_bar(struct grid *g, struct rect in, int col, int cols, int eighths, enum role role)
{
    int full = eighths / 8, part = eighths % 8, bottom = in.row + in.rows - 1;
    uint32_t block = g->ascii ? '#' : FULL_BLOCK;
    grid_fill(g, rect_make(bottom - full + 1, col, full, cols), role, block);
    if (part > 0)
        grid_fill(g, rect_make(bottom - full, col, 1, cols), role, LOWER_EIGHTHS + (uint32_t)part);
}

void plot_bars(struct grid *g, struct rect in, const struct plot_bars *bars)
{
    in = rect_intersect(in, g->clip);
    if (rect_empty(in) || bars->count == 0)
        return;
    in.rows = in.rows > INT_MAX / 16 ? INT_MAX / 16 : in.rows;
    size_t cols = (size_t)in.cols;
    if (bars->count >= cols) {
        for (size_t col = 0; col < cols; col++) {
            size_t first = col * bars->count / cols, end = (col + 1) * bars->count / cols, best = first;
            for (size_t i = first; i < end; i++)
                if (bars->value[i] > bars->value[best] || isnan(bars->value[best]))
                    best = i;
            enum role role = bars->roles ? (enum role)bars->roles[best] : bars->role;
            draw_bar(g, in, in.col + (int)col, 1, bar_height(bars, bars->value[best], in.rows), role);
        }
        return;
    }
    for (size_t i = 0; i < bars->count; i++) {
        int first = (int)(i * cols / bars->count), end = (int)((i + 1) * cols / bars->count);
        int gap = cols / bars->count >= 3;
        enum role role = bars->roles ? (enum role)bars->roles[i] : bars->role;
        draw_bar(g, in, in.col + first, end - first - gap, bar_height(bars, bars->value[i], in.rows), role);
    }
}

/* The column where a segment's limit lies; infinite limits are the ends of the row. */
static int window_col(struct rect in, const struct plot_axes *axes, double x)
{
    if (isnan(x) || x <= axes->x_min)
        return in.col;
    if (x >= axes->x_max)
        return in.col + in.cols;
    int col;
    return plot_col(in, axes, x, &col) ? col : in.col;
}

void plot_window(struct grid *g, struct rect in, const struct plot_axes *axes,
                 const struct plot_segment *segments, size_t count)
{
    int visible = add(in.col, in.cols);
    if (rect_empty(in) || visible == INT_MAX || !(axes->x_max > axes->x_min))
        return;
    in.rows = 1;
    struct rect old = grid_clip(g, in);
    for (size_t i = 0; i < count; i++) {
        const struct plot_segment *s = &segments[i];
        int from = window_col(in, axes, s->from), end = window_col(in, axes, s->to);
        if (end <= from)
            continue;
        grid_fill(g, rect_make(in.row, from, 1, end - from), s->role, s->fill);
        if (s->edge)
            grid_put(g, in.row, from, s->role, s->edge);
        int width = s->label ? glyph_text_width(s->label) : 0;
        int before =
            s->edge || width < end - from; /* shows the fill or the edge first, where there is room */
        if (width > 0 && width + before <= end - from)
            grid_text(g, in.row, from + before, s->role, s->label);
    }
    grid_unclip(g, old);
}

void plot_progress(struct grid *g, int row, int col, int cols, double fraction, enum role role)
{
    if (cols <= 0)
        return;
    fraction = fraction > 0 ? (fraction < 1 ? fraction : 1) : 0;
    int done = (int)floor(fraction * cols + 0.5);
    grid_fill(g, rect_make(row, col, 1, done), role, DARK_SHADE);
    grid_fill(g, rect_make(row, add(col, done), 1, cols - done), ROLE_RULE, LIGHT_SHADE);
}
