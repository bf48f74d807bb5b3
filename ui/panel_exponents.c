/* panel_exponents.c: bars by exponents over an axis, and windows of formats under it.
 *
 * Bars, windows and ticks share one map from exponents to columns, so that a limit of the format stands
 * exactly under the bar it cuts. */
#include "panel_exponents.h"
#include "panel_run.h"
#include <math.h>
#include <string.h>

enum {
    RANGE_STEP =
        8, /* the axis begins and ends at such exponents, so that it stands still while values drift */
    RANGE_FIRST = -48,
    RANGE_END = 0, /* of an axis without data */
    TICKS = 24
};

const struct exponent_part exponent_parts[PART_COUNT] = {
    [PART_FLUSHED] = {"flushed", "flushed", 0xb7, 0, ROLE_WARNING},
    [PART_SUBNORMAL] = {"subnormal", "subnormal", 0x2591, 0, ROLE_LANE_1},
    [PART_NORMAL] = {"normal", "normal", 0x2592, 0, ROLE_GOOD},
    [PART_OVERFLOWED] = {"inf", "overflowed", ' ', 0x2502, ROLE_WARNING},
};

bool exponents_window_valid(const struct window_view *w)
{
    return w->title[0] != '\0' && w->overflow_from > w->flush_below;
}

const struct window_view *exponents_window(const struct histogram_view *h, int index)
{
    const struct window_view *found[2];
    int count = 0;
    if (exponents_window_valid(&h->unscaled))
        found[count++] = &h->unscaled;
    if (exponents_window_valid(&h->scaled) && (count == 0 || strcmp(h->scaled.title, h->unscaled.title) != 0))
        found[count++] = &h->scaled;
    return index >= 0 && index < count ? found[index] : NULL;
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
        if (!exponents_window_valid(windows[i]))
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

/* --- bars --- */

enum { ROOM = 2 * HISTOGRAM_COLUMNS + 4 * RANGE_STEP };

/* The bars as they are drawn: where a column stands for several exponents, it has all of their values. */
struct bars {
    double value[ROOM];
    uint8_t roles[ROOM];
    size_t count;
    double highest;
};

static void bars_fill(struct bars *bars, const struct binades *b, const struct histogram_view *h,
                      const struct window_view *now)
{
    size_t each = (size_t)(b->per_col > 1 ? b->per_col : 1);
    size_t count = b->per_col > 1 ? (size_t)b->cols : (size_t)(b->end - b->first);
    *bars = (struct bars){.count = count > ROOM ? 0 : count};
    int columns = histogram_columns(h);
    for (size_t i = 0; i < bars->count * each; i++) {
        int exponent = b->first + (int)i, column = exponent - h->first_exponent;
        if (column >= 0 && column < columns)
            bars->value[i / each] += h->height[column];
        bars->highest = fmax(bars->highest, bars->value[i / each]);
        bars->roles[i / each] =
            (uint8_t)(exponents_window_valid(now) ? exponent_parts[part_of(now, exponent + 0.5)].role
                                                  : ROLE_LANE_0);
    }
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

static void window_draw(struct grid *g, struct rect row, int col, const struct binades *b,
                        const struct window_view *w)
{
    grid_text(g, row.row, row.col, ROLE_TITLE, w->title);
    const double from[PART_COUNT + 1] = {-INFINITY, w->flush_below, w->subnormal_below, w->overflow_from,
                                         INFINITY};
    struct plot_segment segments[PART_COUNT];
    for (int i = 0; i < PART_COUNT; i++)
        segments[i] = (struct plot_segment){from[i],
                                            from[i + 1],
                                            exponent_parts[i].fill,
                                            exponent_parts[i].edge,
                                            exponent_parts[i].window,
                                            exponent_parts[i].role};
    struct plot_axes axes = binades_axes(b);
    plot_window(g, rect_make(row.row, col, 1, b->cols), &axes, segments, PART_COUNT);
}

struct rect exponents_draw(struct grid *g, struct rect *rest, int rows, int labels,
                           const struct histogram_view *h, const struct window_view *now)
{
    struct plot_tick x_ticks[TICKS], y_ticks[TICKS];
    struct rect plot = run_take(rest, (rows > 1 ? rows : 1) + 2);
    struct binades b = binades_make(h, plot.cols - labels - 2);
    struct bars bars;
    bars_fill(&bars, &b, h, now);
    struct plot_axes axes = binades_axes(&b);
    axes.y_max = bars.highest > 0 ? bars.highest : 1;
    axes.x_ticks = x_ticks;
    axes.x_count = exponent_ticks(&b, x_ticks);
    axes.x_format = run_power_of_two;
    axes.y_ticks = y_ticks;
    axes.y_edges = true;
    axes.y_format = run_count;
    if (h->valid && bars.highest > 0)
        axes.y_count = plot_fit(&axes.y_min, &axes.y_max, plot.rows - 2, 1, y_ticks, TICKS);
    axes.y_width = labels;
    plot.cols =
        plot.cols < labels + 2 + b.cols ? plot.cols : labels + 2 + b.cols; /* no wider than the bars */
    struct rect data = plot_frame(g, plot, &axes), in = data;
    in.cols = b.cols;
    if (h->valid)
        plot_bars(g, in,
                  &(struct plot_bars){
                      .value = bars.value, .count = bars.count, .max = axes.y_max, .roles = bars.roles});
    const struct window_view *w;
    for (int i = 0; (w = exponents_window(h, i)) != NULL; i++)
        window_draw(g, run_take(rest, 1), data.col, &b, w);
    return data;
}
