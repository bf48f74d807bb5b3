/* panel_curve.c: what the lanes have come through, over the steps: loss, flushed gradients, lost updates, scale,
 * norm of the gradients, or the watched weight; with events as marks, and the place where the person is. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS = 16 };

static const struct {
    const char *name, *title;
    int timeline; /* or -1 */
    bool spreads; /* logarithmic where it goes over more than two powers of ten */
    const char *none;
} curves[CURVE_COUNT] = {
    [CURVE_LOSS] = {"loss", "loss", -1, true, "No loss of this run is finite."},
    [CURVE_FLUSHED] = {"flushed", "gradients flushed to 0", TIMELINE_FLUSHED, false,
                       "No gradient was stored yet."},
    [CURVE_LOST] = {"lost", "updates lost", TIMELINE_LOST, false, "No update was made yet."},
    [CURVE_SCALE] = {"scale", "loss scale", TIMELINE_SCALE, false,
                     "No lane has a loss scale. To see one at work: :scaler pytorch, or :recipe O2"},
    [CURVE_NORM] = {"norm", "norm of the gradients", TIMELINE_NORM, true, "No norm of this run is finite."},
    [CURVE_WEIGHT] = {"weight", "", -1, false, "The watched weight was never finite."},
};

const char *curve_name(enum train_curve curve)
{
    return (unsigned)curve < CURVE_COUNT ? curves[curve].name : "";
}

static int lanes_of(const struct snapshot *s)
{
    return s->lane_count < 0 ? 0 : s->lane_count > SNAPSHOT_LANES ? SNAPSHOT_LANES : s->lane_count;
}

/* --- points and limits --- */

static void points_of(const struct snapshot *s, int lane, enum train_curve curve, struct run_points *p)
{
    const struct lane_view *v = &s->lanes[lane];
    if (curve != CURVE_WEIGHT) {
        run_points_of(curves[curve].timeline < 0 ? &v->loss_curve : &v->timelines[curves[curve].timeline], p);
        for (int i = 0; curve == CURVE_NORM && i < p->count;
             i++) /* its arrow would look like a growth's mark */
            p->y[i] = isfinite(p->y[i]) ? p->y[i] : (double)NAN;
        return;
    }
    p->count = s->watch_count < 0 ? 0 : s->watch_count > WATCH_POINTS ? WATCH_POINTS : s->watch_count;
    for (int i = 0; i < p->count; i++) {
        p->x[i] = (double)s->watch_history[i].step;
        p->y[i] = s->watch_history[i].value[lane];
    }
}

struct limits {
    double low, high, end; /* of all finite points; low > high: none */
    bool begun, logarithmic;
};

static struct limits limits_of(const struct snapshot *s, enum train_curve curve)
{
    struct limits l = {INFINITY, -INFINITY, 10, false, false}; /* a young run grows into the plot */
    struct run_points p;
    for (int lane = 0; lane < lanes_of(s); lane++) {
        points_of(s, lane, curve, &p);
        l.begun = l.begun || p.count > (curve == CURVE_WEIGHT); /* a weight is there before the first step */
        for (int i = 0; i < p.count; i++) {
            l.end = fmax(l.end, p.x[i]);
            if (isfinite(p.y[i])) {
                l.low = fmin(l.low, p.y[i]);
                l.high = fmax(l.high, p.y[i]);
            }
        }
    }
    l.logarithmic = curves[curve].spreads && l.low > 0 && l.high / l.low > 100;
    return l;
}

void curve_title(enum train_curve curve, const struct snapshot *s, char *to, size_t size)
{
    if ((unsigned)curve >= CURVE_COUNT)
        to[0] = '\0';
    else if (curve == CURVE_WEIGHT)
        snprintf(to, size, "%s", s->watch.name);
    else
        snprintf(to, size, "%s%s", curves[curve].title, limits_of(s, curve).logarithmic ? " (log)" : "");
}

/* --- axes --- */

static void power_of_ten(double exponent, char *text, void *context)
{
    plot_number(pow(10, exponent), text, context);
}

static void percent(double share, char *text, void *context)
{
    (void)context;
    snprintf(text, PLOT_LABEL, "%.3g %%", share == 0 ? 0.0 : share);
}

/* As many digits as tell neighbouring ticks apart. */
static void digits(double value, char *text, void *context)
{
    snprintf(text, PLOT_LABEL, "%.*g", *(const int *)context, value == 0 ? 0.0 : value);
}

static int digits_of(const struct plot_axes *axes)
{
    double most = fmax(fabs(axes->y_min), fabs(axes->y_max));
    double step = axes->y_count > 1 ? axes->y_ticks[1].at - axes->y_ticks[0].at : most;
    double count = floor(log10(most)) - floor(log10(step)) + 1;
    return count >= 3 && count < 12 ? (int)count : 3;
}

/* The y axis for `rows` rows of data; *context lives as long as the axes. */
static void y_axis_make(struct plot_axes *axes, const struct limits *l, enum train_curve curve, int rows,
                        struct plot_tick *ticks, int *context)
{
    double low = l->low, high = l->high, least = 0;
    if (curve == CURVE_SCALE) { /* whole powers, with room above and below where there are rows for it */
        low = floor(low);
        high = ceil(high);
        int margin = low == high || high - low + 2 <= rows - 1;
        low -= margin;
        high += margin;
        least = 1;
        axes->y_format = run_power_of_two;
    } else if (curve == CURVE_WEIGHT) {
        double margin =
            low == high ? (low != 0 ? fabs(low) / 64 : 1) : 0; /* it has not moved: in the middle */
        low -= margin;
        high += margin;
        axes->y_format = digits;
    } else if (l->logarithmic) {
        low = floor(log10(low));
        high = log10(high);
        least = 1;
        axes->y_format = power_of_ten;
    } else {
        low = fmin(low, 0);
        high = high > low ? high : low + 1;
        axes->y_format = curves[curve].timeline >= 0 && curve != CURVE_NORM ? percent : NULL;
    }
    axes->y_min = low;
    axes->y_max = high;
    axes->y_ticks = ticks;
    axes->y_count = plot_fit(&axes->y_min, &axes->y_max, rows - 1, least, ticks, TICKS);
    *context = digits_of(axes);
    axes->context = context;
}

/* --- drawing --- */

static const uint32_t lane_marks[SNAPSHOT_LANES] = {'-', '=', '.', '~'};

static void mapped(const struct limits *l, struct run_points *p)
{
    for (int i = 0; l->logarithmic && i < p->count; i++)
        p->y[i] = p->y[i] > 0 ? log10(p->y[i]) : (double)NAN;
}

static void line_draw(struct grid *g, struct rect in, const struct plot_axes *axes,
                      const struct run_points *p, enum role role, int lane, bool step)
{
    plot_line(g, in, axes,
              &(struct plot_series){.x = p->x,
                                    .y = p->y,
                                    .count = (size_t)p->count,
                                    .role = role,
                                    .step = step,
                                    .mark = lane_marks[lane]});
}

/* What comes is known, where the person has gone back: dimmed, from the last point that is past. */
static void lane_draw(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                      int lane, enum train_curve curve, const struct limits *l)
{
    struct run_points past, future;
    points_of(s, lane, curve, &past);
    mapped(l, &past);
    future = past;
    for (int i = 0; s->behind && i < past.count; i++) {
        if (past.x[i] > (double)s->step)
            past.y[i] = NAN;
        if (i + 1 < past.count && past.x[i + 1] <= (double)s->step)
            future.y[i] = NAN;
    }
    if (s->behind)
        line_draw(g, in, axes, &future, ROLE_STALE, lane, curve == CURVE_SCALE);
    line_draw(g, in, axes, &past, theme_lane((unsigned)lane), lane, curve == CURVE_SCALE);
}

/* A lane's number here and there on its curve, at other places for each lane, so that lines that meet can be told
 * apart. */
static void lane_digits(struct grid *g, struct rect in, const struct plot_axes *axes,
                        const struct snapshot *s, int lane, enum train_curve curve, const struct limits *l)
{
    enum { ROUNDS = 2 };
    struct run_points p;
    points_of(s, lane, curve, &p);
    mapped(l, &p);
    for (int k = 0; k < ROUNDS && p.count > 4 * ROUNDS; k++) {
        double from = p.x[0], to = p.x[p.count - 1];
        double x = from + (to - from) * (2 * (k * lanes_of(s) + lane) + 1) / (2 * ROUNDS * lanes_of(s));
        int i = 0;
        while (i + 1 < p.count && p.x[i + 1] <= x)
            i++;
        plot_mark(g, in, axes, p.x[i], p.y[i], (uint32_t)('0' + lane), theme_lane((unsigned)lane));
    }
}

/* The slider: where the person is between the start and the furthest step. */
static void slider_draw(struct grid *g, struct rect in, const struct plot_axes *axes,
                        const struct snapshot *s)
{
    int col;
    if (!s->behind || rect_empty(in) || !plot_col(in, axes, (double)s->step, &col))
        return;
    for (int row = in.row; row < in.row + in.rows; row++)
        grid_put(g, row, col, ROLE_FOCUS, 0x2506);          /* ┆ */
    grid_put(g, in.row + in.rows, col, ROLE_FOCUS, 0x25b2); /* ▲ on the axis */
}

/* A click goes to the step below it, as far as the run is known. */
static void links_draw(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s)
{
    for (int col = 0; col < in.cols; col++) {
        char line[32];
        double step = floor(axes->x_max * (col + 0.5) / in.cols);
        if (step > (double)s->last_step)
            return;
        snprintf(line, sizeof line, "goto %.0f", step);
        grid_link(g, rect_make(in.row, in.col + col, in.rows + 1, 1), line);
    }
}

/* Events of lane 0, and all steps that it skipped: the events are only the latest. */
static const unsigned marked = 1u << EVENT_OVERFLOW | 1u << EVENT_GROWTH | 1u << EVENT_NAN |
                               1u << EVENT_FLUSHED | 1u << EVENT_LOST | 1u << EVENT_FIRST_DIFFERENCE;

static bool step_marked(const struct snapshot *s, const struct series *loss, int i)
{
    return loss->mark[i] && (!s->behind || run_series_x(loss, i) <= (double)s->step);
}

/* Whether skips stand so close that marks on the curve would hide it. */
static bool marks_crowd(struct rect in, const struct plot_axes *axes, const struct snapshot *s)
{
    const struct series *loss = &s->lanes[0].loss_curve;
    int columns = 0, last = -1, col;
    for (int i = 0; i < loss->count && i < SERIES_POINTS; i++)
        if (step_marked(s, loss, i) && plot_col(in, axes, run_series_x(loss, i), &col) && col != last) {
            columns++;
            last = col;
        }
    return columns > in.cols / 4;
}

static void marks_draw(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                       enum train_curve curve, const struct limits *l)
{
    struct run_points p;
    const struct series *loss = &s->lanes[0].loss_curve;
    points_of(s, 0, curve, &p);
    mapped(l, &p);
    bool crowd = marks_crowd(in, axes, s);
    for (int i = 0; crowd && i < p.count; i++)
        p.y[i] = axes->y_max; /* along the top instead */
    run_event_marks(g, in, axes, s, &p, marked);
    enum role role;
    uint32_t glyph = run_event_glyph(EVENT_OVERFLOW, &role);
    for (int i = 0; i < loss->count && i < SERIES_POINTS; i++)
        if (step_marked(s, loss, i))
            run_mark(g, in, axes, &p, run_series_x(loss, i), glyph, role);
}

/* Which kinds of marks there are, as bits. */
static unsigned kinds_of(const struct snapshot *s)
{
    const struct series *loss = &s->lanes[0].loss_curve;
    unsigned kinds = 0;
    for (int i = 0; i < s->event_count && i < SNAPSHOT_EVENTS; i++)
        if ((unsigned)s->events[i].kind < 31 && s->events[i].step > 0)
            kinds |= 1u << (unsigned)s->events[i].kind;
    for (int i = 0; lanes_of(s) > 0 && i < loss->count && i < SERIES_POINTS; i++)
        if (step_marked(s, loss, i))
            kinds |= 1u << EVENT_OVERFLOW;
    return kinds & marked;
}

/* "x overflow  ↑ growth", as many as there is room for. */
static void legend_draw(struct grid *g, struct rect r, unsigned kinds)
{
    static const struct {
        enum event_kind kind;
        const char *name;
    } names[] = {{EVENT_OVERFLOW, "overflow"}, {EVENT_GROWTH, "growth"}, {EVENT_FLUSHED, "underflow"},
                 {EVENT_LOST, "lost"},         {EVENT_NAN, "NaN"},       {EVENT_FIRST_DIFFERENCE, "differs"}};
    int at = r.col, end = r.col + r.cols;
    for (size_t i = 0; i < sizeof names / sizeof *names && r.rows > 0; i++) {
        enum role role;
        uint32_t glyph = run_event_glyph(names[i].kind, &role);
        if (!(kinds >> (unsigned)names[i].kind & 1) || at + 2 + glyph_text_width(names[i].name) > end)
            continue;
        at += grid_put(g, r.row, at, role, glyph) + 1;
        at += grid_text(g, r.row, at, ROLE_DIM, names[i].name) + 2;
    }
}

void curve_draw(struct grid *g, struct rect r, const struct snapshot *s, enum train_curve curve)
{
    enum { LEAST = 6 }; /* rows of a plot beside a legend */
    if ((unsigned)curve >= CURVE_COUNT)
        return;
    struct limits l = limits_of(s, curve);
    if (l.low > l.high || !l.begun) {
        const char *young = s->in_step ? "The first step is under way: s ends it."
                                       : "No step yet: s makes one, p one phase of it, Space runs.";
        run_wrap(g, rect_inset(r, r.rows > 3 ? 1 : 0, 1),
                 l.begun && curve == CURVE_LOSS ? ROLE_WARNING : ROLE_TEXT,
                 l.begun ? curves[curve].none : young);
        return;
    }
    unsigned kinds = curve == CURVE_WEIGHT ? 0 : kinds_of(s);
    struct rect plot = r;
    plot.rows -= kinds && r.rows > LEAST;
    struct plot_tick x_ticks[TICKS], y_ticks[TICKS];
    struct plot_axes axes = {
        .x_max = l.end, .x_name = "step", .x_ticks = x_ticks, .x_format = run_step_number};
    int context;
    axes.x_count = plot_ticks(0, l.end, r.cols / 12 > 1 ? r.cols / 12 : 1, x_ticks, TICKS);
    y_axis_make(&axes, &l, curve, plot.rows >= 4 ? plot.rows - 2 : plot.rows, y_ticks, &context);
    struct rect in = plot_frame(g, plot, &axes);
    slider_draw(g, in, &axes, s);
    links_draw(g, in, &axes, s);
    for (int lane = lanes_of(s) - 1; lane >= 0; lane--) /* the first lane lies on top */
        lane_draw(g, in, &axes, s, lane, curve, &l);
    for (int lane = 0; lane < lanes_of(s); lane++)
        lane_digits(g, in, &axes, s, lane, curve, &l);
    if (kinds && in.rows > 2) /* lower curves would be hidden */
        marks_draw(g, in, &axes, s, curve, &l);
    if (plot.rows < r.rows)
        legend_draw(g, rect_make(r.row + r.rows - 1, in.col, 1, r.col + r.cols - in.col), kinds);
}

void history_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    char title[TENSOR_NAME + 64];
    snprintf(title, sizeof title, "history of %s%s", s->watch.name,
             s->lane_count > 1 ? " in every lane" : "");
    curve_draw(g, run_section(g, r, title, false), s, CURVE_WEIGHT);
}
