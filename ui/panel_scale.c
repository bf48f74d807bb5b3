/* panel_scale.c: the gradients' exponents with the format's window under them, and the loss scale over time.
 *
 * Bars, windows and ticks share one map from exponents to columns, so that a limit of the format stands
 * exactly under the bar it cuts. */
#include "glyph.h"
#include "panel.h"
#include "panel_run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    RANGE_STEP =
        8, /* the axis begins and ends at such exponents, so that it stands still while values drift */
    RANGE_FIRST = -48,
    RANGE_END = 16, /* of an axis without data */
    TICKS = 24
};

/* What a format does to a magnitude, in the order of the axis. */
enum part { PART_FLUSHED, PART_SUBNORMAL, PART_NORMAL, PART_OVERFLOWED, PART_COUNT };
static const struct {
    const char *window, *words;
    uint32_t fill, edge;
    enum role role;
} parts[PART_COUNT] = {
    [PART_FLUSHED] = {"flushed", "flushed", 0xb7, 0, ROLE_WARNING},
    [PART_SUBNORMAL] = {"subnormal", "subnormal", 0x2591, 0, ROLE_LANE_1},
    [PART_NORMAL] = {"normal", "normal", 0x2592, 0, ROLE_GOOD},
    [PART_OVERFLOWED] = {"inf", "overflowed", ' ', 0x2502, ROLE_WARNING},
};

static const char *share_of(const struct window_view *w, enum part part)
{
    const char *const shares[PART_COUNT] = {w->flushed, w->subnormal, w->normal, w->overflowed};
    return shares[part];
}

static bool window_valid(const struct window_view *w)
{
    return w->title[0] != '\0' && w->overflow_from > w->flush_below;
}

static bool windows_differ(const struct histogram_view *h)
{
    return window_valid(&h->scaled) &&
           (!window_valid(&h->unscaled) || strcmp(h->scaled.title, h->unscaled.title) != 0);
}

/* The window that is in force: bars have its colours. */
static const struct window_view *window_now(const struct histogram_view *h)
{
    return window_valid(&h->scaled) ? &h->scaled : &h->unscaled;
}

/* --- the axis of exponents --- */

struct binades {
    int first, end; /* exponents first … end - 1 */
    int per_col;    /* exponents a column stands for; 1 where cols_each > 1 */
    int cols_each;  /* columns of one exponent */
    int cols;       /* columns of them all */
};

static int floor_to(int x, int step)
{
    int rest = x % step;
    return x - (rest < 0 ? rest + step : rest);
}

static void include(int *first, int *end, double exponent)
{
    if (!(fabs(exponent) < 10000))
        return;
    int e = (int)floor(exponent);
    *first = e < *first ? e : *first;
    *end = e + 1 > *end ? e + 1 : *end;
}

static int histogram_columns(const struct histogram_view *h)
{
    return h->columns < 0 ? 0 : h->columns > HISTOGRAM_COLUMNS ? HISTOGRAM_COLUMNS : h->columns;
}

/* Takes in all bars that there are, and those limits of the windows that lie near them. */
static struct binades binades_make(const struct histogram_view *h, int room)
{
    int columns = histogram_columns(h), first = RANGE_END, end = RANGE_FIRST;
    int low = columns ? h->first_exponent : RANGE_FIRST - 16,
        high = columns ? h->first_exponent + columns : RANGE_END + 16;
    for (int i = 0; i < columns; i++)
        if (h->height[i] > 0)
            include(&first, &end, h->first_exponent + i);
    const struct window_view *const windows[] = {&h->unscaled, &h->scaled};
    for (int i = 0; i < 2; i++) {
        if (!window_valid(windows[i]))
            continue;
        const double limits[] = {windows[i]->flush_below, windows[i]->subnormal_below,
                                 windows[i]->overflow_from};
        for (int k = 0; k < 3; k++)
            if (limits[k] > low && limits[k] < high)
                include(&first, &end, k == 0 ? limits[k] - 1 : limits[k]);
    }
    if (first >= end) {
        first = RANGE_FIRST;
        end = RANGE_END;
    }
    struct binades b = {floor_to(first, RANGE_STEP), -floor_to(-end, RANGE_STEP), 1, 1, 0};
    int count = b.end - b.first;
    room = room < 1 ? 1 : room;
    if (count <= room)
        b.cols_each = room / count;
    else
        b.per_col = (count + room - 1) / room;
    b.cols = b.per_col > 1 ? (count + b.per_col - 1) / b.per_col : count * b.cols_each;
    return b;
}

/* Axes on which an exponent falls on the first column of its bar. */
static struct plot_axes binades_axes(const struct binades *b)
{
    double width = (double)(b->cols - 1) * b->per_col / b->cols_each;
    return (struct plot_axes){.x_min = b->first, .x_max = b->first + (width > 0 ? width : 1)};
}

static enum part part_of(const struct window_view *w, double exponent)
{
    return exponent < w->flush_below       ? PART_FLUSHED
           : exponent < w->subnormal_below ? PART_SUBNORMAL
           : exponent < w->overflow_from   ? PART_NORMAL
                                           : PART_OVERFLOWED;
}

/* --- histogram --- */

static void bars_draw(struct grid *g, struct rect in, const struct binades *b, const struct histogram_view *h)
{
    enum { ROOM = 2 * HISTOGRAM_COLUMNS + 4 * RANGE_STEP };
    double value[ROOM] = {0};
    uint8_t roles[ROOM] = {0};
    size_t count = (size_t)(b->per_col > 1 ? b->cols * b->per_col : b->end - b->first);
    if (count > ROOM)
        return;
    const struct window_view *now = window_now(h);
    int columns = histogram_columns(h);
    for (size_t i = 0; i < count; i++) {
        int exponent = b->first + (int)i, column = exponent - h->first_exponent;
        value[i] = column >= 0 && column < columns ? h->height[column] : 0;
        roles[i] = (uint8_t)(window_valid(now) ? parts[part_of(now, exponent + 0.5)].role : ROLE_LANE_0);
    }
    in.cols = b->cols;
    plot_bars(g, in, &(struct plot_bars){.value = value, .count = count, .max = h->highest, .roles = roles});
}

/* Ticks at round exponents, as close together as their labels allow. */
static size_t exponent_ticks(const struct binades *b, struct plot_tick *ticks)
{
    int every = RANGE_STEP;
    while (every < 1024 && every * b->cols_each / b->per_col < 7)
        every *= 2;
    if (every == RANGE_STEP && 4 * b->cols_each >= 8)
        every = 4;
    size_t count = 0;
    for (int e = floor_to(b->first + every - 1, every); e < b->end && count < TICKS; e += every)
        ticks[count++] = (struct plot_tick){e, NULL};
    return count;
}

static size_t count_ticks(uint32_t highest, int rows, struct plot_tick *ticks)
{
    if (highest == 0)
        return 0;
    if (highest >= 10)
        return plot_ticks(0, highest, rows / 3 > 2 ? rows / 3 : 2, ticks, TICKS);
    ticks[0] = (struct plot_tick){0, NULL};
    ticks[1] = (struct plot_tick){highest, NULL};
    return 2;
}

static void window_draw(struct grid *g, struct rect row, int col, const struct binades *b,
                        const struct window_view *w)
{
    grid_text(g, row.row, row.col, ROLE_TITLE, w->title);
    const double from[PART_COUNT + 1] = {-INFINITY, w->flush_below, w->subnormal_below, w->overflow_from,
                                         INFINITY};
    struct plot_segment segments[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++)
        segments[i] = (struct plot_segment){from[i],       from[i + 1],     parts[i].fill,
                                            parts[i].edge, parts[i].window, parts[i].role};
    struct plot_axes axes = binades_axes(b);
    plot_window(g, rect_make(row.row, col, 1, b->cols), &axes, segments, PART_COUNT);
}

enum { SHARE = 7 }; /* columns of a share: " 92.3 %" */

static void shares_draw(struct grid *g, struct rect row, int col, const struct window_view *w)
{
    grid_text(g, row.row, row.col, ROLE_TITLE, w->title);
    int end = row.col + row.cols, words = 0;
    for (int i = 0; i < PART_COUNT; i++)
        words += glyph_text_width(parts[i].words) + SHARE;
    int gap = (end - col - words) / 3;
    gap = gap > 3 ? 3 : gap;
    for (int i = 0; i < PART_COUNT; i++) {
        const char *word = gap < 1 ? parts[i].window : parts[i].words;
        int room = glyph_text_width(word) + SHARE;
        if (col + room > end)
            return;
        grid_text(g, row.row, col, parts[i].role, word);
        grid_text_right(g, row.row, col + room, ROLE_TEXT, share_of(w, (enum part)i));
        col += room + (gap < 1 ? 1 : gap);
    }
}

static int title_margin(const struct histogram_view *h)
{
    int a = glyph_text_width(h->unscaled.title), b = glyph_text_width(h->scaled.title);
    return a > b ? a : b;
}

/* Rows beside the bars: the rule, the axis, windows and shares. */
static int histogram_rows(const struct histogram_view *h)
{
    int windows = window_valid(&h->unscaled) + windows_differ(h);
    return 3 + 2 * windows;
}

static void no_gradients_draw(struct grid *g, struct rect in)
{
    run_wrap(g, rect_inset(in, in.rows > 4 ? in.rows / 2 - 1 : 0, 2), ROLE_TEXT,
             "No gradients yet: s makes one step, Space runs.");
}

/* The windows under the bars, then what they mean in words. */
static void windows_draw(struct grid *g, struct rect rest, struct rect data, const struct binades *b,
                         const struct histogram_view *h)
{
    const struct window_view *windows[2];
    int count = 0;
    if (window_valid(&h->unscaled))
        windows[count++] = &h->unscaled;
    if (windows_differ(h))
        windows[count++] = &h->scaled;
    for (int i = 0; i < count; i++)
        window_draw(g, run_take(&rest, 1), data.col, b, windows[i]);
    for (int i = 0; i < count && h->valid; i++)
        shares_draw(g, run_take(&rest, 1), data.col, windows[i]);
}

static void histogram_draw(struct grid *g, struct rect r, const struct histogram_view *h)
{
    struct rect in = run_section(g, r, h->valid ? h->title : "gradients · log2 |g|", false);
    int bars = r.rows - histogram_rows(h), margin = title_margin(h), labels = margin > 5 ? margin : 5;
    struct rect plot = run_take(&in, (bars > 1 ? bars : 1) + 2);
    struct plot_tick x_ticks[TICKS], y_ticks[TICKS];
    struct binades b = binades_make(h, in.cols - labels - 2);
    struct plot_axes axes = binades_axes(&b);
    axes.y_max = h->highest > 0 ? h->highest : 1;
    axes.x_ticks = x_ticks;
    axes.x_count = exponent_ticks(&b, x_ticks);
    axes.x_format = run_power_of_two;
    axes.y_ticks = y_ticks;
    axes.y_count = h->valid ? count_ticks(h->highest, bars, y_ticks) : 0;
    axes.y_width = labels;
    plot.cols =
        plot.cols < labels + 2 + b.cols ? plot.cols : labels + 2 + b.cols; /* no wider than the bars */
    struct rect data = plot_frame(g, plot, &axes);
    if (h->valid)
        bars_draw(g, data, &b, h);
    else
        no_gradients_draw(g, data);
    windows_draw(g, in, data, &b, h);
}

/* --- the loss scale --- */

/* An axis of powers of two on which every tick stands on a row of its own, at equal distances. */
static void power_axis(struct plot_axes *axes, double low, double high, int rows, struct plot_tick *ticks)
{
    double every = 1, steps = rows > 2 ? rows - 1 : 1;
    while ((high - floor(low / every) * every) / every > steps && every < 1e6)
        every *= 2;
    axes->y_min = floor(low / every) * every;
    double rows_each = fmax(1, floor(steps * every / (high - axes->y_min)));
    axes->y_max = axes->y_min + steps * every / rows_each;
    for (double at = axes->y_min; at <= axes->y_max && axes->y_count < TICKS; at += every)
        ticks[axes->y_count++] = (struct plot_tick){at, NULL};
}

static void timeline_draw(struct grid *g, struct rect r, const struct series *scale)
{
    double low = INFINITY, high = -INFINITY;
    int count = scale->count < SERIES_POINTS ? scale->count : SERIES_POINTS;
    for (int i = 0; i < count; i++)
        if (isfinite(scale->value[i])) {
            low = fmin(low, scale->value[i]);
            high = fmax(high, scale->value[i]);
        }
    if (low > high) {
        run_wrap(g, r, ROLE_DIM, "The scale over the steps: none yet.");
        return;
    }
    struct plot_tick x_ticks[TICKS], y_ticks[TICKS];
    struct plot_axes axes = {.x_name = "step", .y_width = 5};
    axes.x_max = fmax(run_series_end(scale), 10); /* a young run grows into the plot */
    low = floor(low);
    high = ceil(high);
    int margin = low == high || high - low + 2 < r.rows - 2; /* where there are rows for it */
    power_axis(&axes, low - margin, high + margin, r.rows - 2, y_ticks);
    axes.y_ticks = y_ticks;
    axes.y_format = run_power_of_two;
    axes.x_ticks = x_ticks;
    axes.x_count = plot_ticks(0, axes.x_max, r.cols / 12, x_ticks, TICKS);
    struct rect in = plot_frame(g, r, &axes);
    run_series(g, in, &axes, scale, (struct plot_series){.role = ROLE_LANE_0, .step = true});
    for (int i = 0; i < count; i++)
        if (scale->mark[i])
            plot_mark(g, in, &axes, run_series_x(scale, i), scale->value[i], 'x', ROLE_WARNING);
}

enum { STATE_LABEL = 17 };

/* "label   text", with the text broken after its commas where it is long; returns the rows it takes. */
static int state_line(struct grid *g, struct rect r, const char *label, enum role role, const char *text)
{
    if (text[0] == '\0')
        return 0;
    grid_text(g, r.row, r.col, ROLE_DIM, label);
    struct rect value = rect_make(r.row, r.col + STATE_LABEL, r.rows, r.cols - STATE_LABEL);
    int lines = run_wrap(g, value, role, text);
    return lines > 0 ? lines : 1;
}

/* The automaton: where it stands, and both ways on. */
static void state_draw(struct grid *g, struct rect r, const struct scale_view *v)
{
    struct rect old = grid_clip(g, r);
    run_take(&r, state_line(g, r, "scale", ROLE_TITLE, v->scale));
    if (v->tracker[0]) {
        int at = STATE_LABEL + glyph_text_width(v->tracker) + 2, room = r.cols - at;
        state_line(g, r, "clean in a row", ROLE_TEXT, v->tracker);
        if (strcmp(v->tracker, "–") != 0)
            plot_progress(g, r.row, r.col + at, room < 20 ? room : 20, v->progress, ROLE_GOOD);
        run_take(&r, 1);
    }
    run_take(&r, state_line(g, r, "next clean step", ROLE_TEXT, v->next_clean));
    run_take(&r, state_line(g, r, "an overflow now", ROLE_TEXT, v->next_overflow));
    if (v->skipped[0] && r.rows > 0) {
        grid_put(g, r.row, r.col, ROLE_WARNING, 'x');
        grid_text(g, r.row, r.col + 2, ROLE_DIM, "skipped");
        run_words(g, r.row, r.col + STATE_LABEL, r.cols - STATE_LABEL, ROLE_TEXT, v->skipped);
    }
    grid_unclip(g, old);
}

static void no_scaler_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    static const struct {
        const char *command, *what;
    } ways[] = {
        {":scaler pytorch", "dynamic: grows while clean, halves at an overflow"},
        {":scaler fixed:65536", "one scale for the whole run"},
        {":recipe O2", "FP16 model, FP32 master weights, dynamic scale"},
    };
    char line[TEXT_LINE];
    snprintf(line, sizeof line,
             "%s runs without a loss scale: gradients are stored as they are, S = 1 at every step. To see "
             "one at work:",
             s->recipe[0] ? s->recipe : "This recipe");
    run_take(&r, run_wrap(g, r, ROLE_TEXT, line));
    if (r.rows > 4)
        run_take(&r, 1);
    for (size_t i = 0; i < sizeof ways / sizeof *ways && r.rows > 0; i++) {
        if (s->recipe[0] && strstr(ways[i].command, s->recipe))
            continue; /* it is what runs */
        grid_text(g, r.row, r.col + 2, ROLE_KEY, ways[i].command);
        run_words(g, r.row, r.col + 24, r.cols - 24, ROLE_HINT, ways[i].what);
        run_take(&r, 1);
    }
    if (r.rows > 1)
        run_take(&r, 1);
    run_wrap(g, r, ROLE_DIM, "It lifts small gradients into the narrow range of FP16 (5 exponent bits).");
}

static void scale_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    const struct scale_view *v = &s->scale;
    char title[TEXT_SHORT + TEXT_LINE + 32];
    if (!v->active) {
        struct rect in = run_section(g, r, "loss scale · none", false);
        no_scaler_draw(g, in, s);
        return;
    }
    snprintf(title, sizeof title, "loss scale · %s%s%s", v->rule, v->summary[0] ? "   " : "", v->summary);
    struct rect in = run_section(g, r, title, false);
    int state = in.cols * 3 / 5 < 50 ? in.cols * 3 / 5 : 50;
    bool boxed = in.rows >= 10 && in.cols >= 100;
    struct rect left = rect_make(in.row, in.col, in.rows, in.cols - state - 2);
    struct rect right = rect_make(in.row, in.col + in.cols - state, in.rows, state);
    timeline_draw(g, left, &v->log2_scale);
    state_draw(g, boxed ? run_section(g, right, "state", true) : right, v);
}

void panel_scale_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    enum { SMALL = 20 };
    (void)v;
    struct rect old = grid_clip(g, area);
    /* What 20 rows hold, and how rows beyond that are shared out. */
    int spare = area.rows > SMALL ? area.rows - SMALL - 1 : 0, more_state = spare / 4 < 5 ? spare / 4 : 5;
    int state = 8 + more_state, bars = 11 + spare / 2;
    struct rect rest = area;
    histogram_draw(g, run_take(&rest, bars), &s->histogram);
    struct rect at = run_take(&rest, state);
    scale_draw(g, at, s);
    const unsigned kinds = 1u << EVENT_OVERFLOW | 1u << EVENT_GROWTH | 1u << EVENT_FLUSHED | 1u << EVENT_NAN;
    const char *none = "No overflow, no growth yet.";
    if (rest.rows >= 2)
        rest = run_section(g, rest, "events", false);
    run_events(g, rest, s, kinds, none);
    grid_cursor(g, at.row, area.col, false);
    grid_unclip(g, old);
}
