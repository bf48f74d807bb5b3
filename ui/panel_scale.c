/* panel_scale.c: the gradients' exponents with the format's window under them, and the loss scale over time.
 *
 * Bars, windows and ticks share one map from exponents to columns, so that a limit of the format stands
 * exactly under the bar it cuts. */
#include "glyph.h"
#include "panel.h"
#include "panel_run.h"
#include "panel_scaler.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    RANGE_STEP =
        8, /* the axis begins and ends at such exponents, so that it stands still while values drift */
    RANGE_FIRST = -48,
    RANGE_END = 0, /* of an axis without data */
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
    int low = columns ? h->first_exponent : RANGE_FIRST;
    int high = columns ? h->first_exponent + columns : RANGE_END;
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
        const char *share = share_of(w, (enum part)i);
        grid_text_right(g, row.row, col + room, ROLE_TEXT, share[0] ? share : "–");
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
    for (int i = 0; i < count; i++)
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
    scaler_draw(g, at, s);
    const unsigned kinds = 1u << EVENT_OVERFLOW | 1u << EVENT_GROWTH | 1u << EVENT_FLUSHED | 1u << EVENT_NAN;
    const char *none = "No overflow, no growth yet.";
    if (rest.rows >= 2)
        rest = run_section(g, rest, "events", false);
    run_events(g, rest, s, kinds, none);
    grid_cursor(g, at.row, area.col, false);
    grid_unclip(g, old);
}
