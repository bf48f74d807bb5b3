/* panel_loss.c: the lanes' losses over the steps, with the place where the person is; what each lane came to,
 * and where they first differ. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS = 16 };

static int lanes_of(const struct snapshot *s)
{
    return s->lane_count < 0 ? 0 : s->lane_count > SNAPSHOT_LANES ? SNAPSHOT_LANES : s->lane_count;
}

static const uint32_t lane_marks[SNAPSHOT_LANES] = {'-', '=', '.', '~'};

/* Limits of all finite losses; false if there are none. */
static bool loss_limits(const struct snapshot *s, double *low, double *high, double *end)
{
    *low = INFINITY;
    *high = -INFINITY;
    *end = 10; /* a young run grows into the plot */
    for (int lane = 0; lane < lanes_of(s); lane++) {
        const struct series *curve = &s->lanes[lane].loss_curve;
        *end = fmax(*end, run_series_end(curve));
        for (int i = 0; i < curve->count && i < SERIES_POINTS; i++)
            if (isfinite(curve->value[i])) {
                *low = fmin(*low, curve->value[i]);
                *high = fmax(*high, curve->value[i]);
            }
    }
    return *low <= *high;
}

static bool loss_logarithmic(double low, double high)
{
    return low > 0 && high / low > 100;
}

/* Points up to the place where the person is: those behind it become gaps. */
static void past_only(const struct snapshot *s, const struct series *curve, double *y)
{
    for (int i = 0; s->behind && i < curve->count && i < SERIES_POINTS; i++)
        if (run_series_x(curve, i) > (double)s->step)
            y[i] = NAN;
}

/* What comes is known: dimmed, from the last point that is past. */
static void future_draw(struct grid *g, struct rect in, const struct plot_axes *axes,
                        const struct snapshot *s, const struct series *curve, struct plot_series look)
{
    double y[SERIES_POINTS];
    for (int i = 0; s->behind && i < curve->count && i < SERIES_POINTS; i++)
        y[i] = run_series_x(curve, i) + (double)curve->stride > (double)s->step ? look.y[i] : NAN;
    look.y = y;
    look.role = ROLE_STALE;
    if (s->behind)
        run_series(g, in, axes, curve, look);
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

static void marks_draw(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                       bool logarithmic)
{
    const unsigned kinds = 1u << EVENT_OVERFLOW | 1u << EVENT_NAN | 1u << EVENT_FLUSHED | 1u << EVENT_LOST |
                           1u << EVENT_FIRST_DIFFERENCE;
    const struct series *curve = &s->lanes[0].loss_curve;
    double y[SERIES_POINTS];
    for (int i = 0; i < curve->count && i < SERIES_POINTS; i++)
        y[i] = logarithmic ? log10(curve->value[i]) : curve->value[i];
    if (lanes_of(s) > 0 && in.rows > 3) /* lower curves would be hidden */
        run_event_marks(g, in, axes, s, curve, y, kinds);
}

/* A lane's curve, or its digits: here and there on the curve, at other places for each lane, so that lines
 * that meet can be told apart. */
static void lane_draw(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                      int lane, bool logarithmic, bool digits)
{
    enum { ROUNDS = 2 };
    const struct series *curve = &s->lanes[lane].loss_curve;
    enum role role = theme_lane((unsigned)lane);
    double y[SERIES_POINTS];
    for (int i = 0; i < curve->count && i < SERIES_POINTS; i++)
        y[i] = logarithmic ? log10(curve->value[i]) : curve->value[i];
    if (!digits) {
        struct plot_series look = {.y = y, .role = role, .mark = lane_marks[lane]};
        future_draw(g, in, axes, s, curve, look);
        past_only(s, curve, y);
        run_series(g, in, axes, curve, look);
        return;
    }
    for (int k = 0; k < ROUNDS && curve->count > 4 * ROUNDS; k++) {
        int i = (int)((long)curve->count * (2 * (k * lanes_of(s) + lane) + 1) / (2 * ROUNDS * lanes_of(s)));
        if (i < curve->count && i < SERIES_POINTS)
            plot_mark(g, in, axes, run_series_x(curve, i), y[i], (uint32_t)('1' + lane), role);
    }
}

static void power_of_ten(double exponent, char *text, void *context)
{
    plot_number(pow(10, exponent), text, context);
}

/* Ticks of the loss axis: round values, or whole powers of ten. */
static size_t loss_ticks(const struct plot_axes *axes, bool logarithmic, int rows, struct plot_tick *ticks)
{
    if (!logarithmic)
        return plot_ticks(axes->y_min, axes->y_max, rows / 3 > 2 ? rows / 3 : 2, ticks, TICKS);
    size_t count = 0;
    double every = fmax(1, ceil((axes->y_max - axes->y_min) / (rows > 2 ? rows - 1 : 1)));
    for (double at = ceil(axes->y_min); at <= axes->y_max && count < TICKS; at += every)
        ticks[count++] = (struct plot_tick){at, NULL};
    return count;
}

static void curves_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    double low, high, end;
    if (!loss_limits(s, &low, &high, &end)) {
        bool begun = lanes_of(s) > 0 && s->lanes[0].loss_curve.count > 0;
        run_wrap(g, rect_inset(r, r.rows > 3 ? 1 : 0, 1), begun ? ROLE_WARNING : ROLE_TEXT,
                 begun ? "No loss of this run is finite."
                       : "No step yet: s makes one, p one phase of it, Space runs.");
        return;
    }
    bool logarithmic = loss_logarithmic(low, high);
    struct plot_tick x_ticks[TICKS], y_ticks[TICKS];
    struct plot_axes axes = {
        .x_max = end, .x_name = "step", .y_max = high > 0 ? high : 1, .x_ticks = x_ticks};
    axes.y_min = low < 0 ? low : 0;
    if (logarithmic) {
        axes.y_min = floor(log10(low));
        axes.y_max = log10(high);
        axes.y_format = power_of_ten;
    }
    axes.x_format = run_step_number;
    axes.x_count = plot_ticks(0, end, r.cols / 14 > 1 ? r.cols / 14 : 1, x_ticks, TICKS);
    axes.y_count = loss_ticks(&axes, logarithmic, r.rows - 2, y_ticks);
    axes.y_ticks = y_ticks;
    struct rect in = plot_frame(g, r, &axes);
    slider_draw(g, in, &axes, s);
    for (int lane = lanes_of(s) - 1; lane >= 0; lane--) /* the first lane lies on top */
        lane_draw(g, in, &axes, s, lane, logarithmic, false);
    marks_draw(g, in, &axes, s, logarithmic);
    for (int lane = 0; lane < lanes_of(s); lane++)
        lane_draw(g, in, &axes, s, lane, logarithmic, true);
}

/* The legend is a table: columns that find no room are left out whole. */
static const struct {
    const char *head;
    int width;
} lane_columns[] = {{"loss", 8}, {"accuracy", 5}, {"lost", 6}, {"drift", 8}, {"lost, all", 9}};
enum { LANE_COLUMNS = sizeof lane_columns / sizeof *lane_columns };

static const char *lane_text(const struct lane_view *lane, int column)
{
    const char *const texts[LANE_COLUMNS] = {lane->loss, lane->accuracy, lane->lost, lane->drift,
                                             lane->lost_total};
    return texts[column];
}

static bool lane_failed(const struct lane_view *lane)
{
    return strstr(lane->loss, "nan") || strstr(lane->loss, "inf");
}

static int lane_column_width(const struct snapshot *s, int column, bool head)
{
    int width = lane_columns[column].width, label = glyph_text_width(lane_columns[column].head);
    width = head && label > width ? label : width;
    for (int lane = 0; lane < lanes_of(s); lane++) {
        int own = glyph_text_width(lane_text(&s->lanes[lane], column));
        width = own > width ? own : width;
    }
    return width;
}

/* Columns that names get, and how many of the others there is room for.  Long names are cut to their first
 * words where that makes room. */
static int legend_columns(const struct snapshot *s, int cols, bool head, int *name)
{
    int full = 4, word = 10, all = 0, shown = 0, last = head ? LANE_COLUMNS : 2;
    for (int lane = 0; lane < lanes_of(s); lane++) {
        const char *recipe = s->lanes[lane].recipe;
        int width = glyph_text_width(recipe), first = (int)strcspn(recipe, " ") + 2;
        full = width > full ? width : full;
        word = width > word && first > word ? first : word;
    }
    for (int column = 0; column < last; column++)
        all += 1 + lane_column_width(s, column, head);
    /* The loss is there in any case; where there is little room, a long name gives way to the accuracy, too. */
    int room = cols - 3 - lane_column_width(s, 0, head);
    room -= head ? 0 : 1 + lane_column_width(s, 1, head);
    *name = full > word && 2 + full + all > cols ? word : full;
    *name = *name > room ? room : *name;
    int end = 2 + *name;
    while (shown < last && (end += 1 + lane_column_width(s, shown, head)) <= cols)
        shown++;
    return shown;
}

static void legend_draw(struct grid *g, struct rect r, const struct snapshot *s, bool head)
{
    int name, columns = legend_columns(s, r.cols, head, &name);
    int row = r.row + head, first = r.col + 2 + name;
    for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++) {
        enum role role = theme_lane((unsigned)lane);
        grid_put(g, row + lane, r.col, role, (uint32_t)('1' + lane));
        run_words(g, row + lane, r.col + 2, name, role, s->lanes[lane].recipe);
    }
    for (int column = 0; column < columns; column++) {
        first += 1 + lane_column_width(s, column, head);
        if (head)
            grid_text_right(g, r.row, first, ROLE_DIM, lane_columns[column].head);
        for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++)
            grid_text_right(g, row + lane, first,
                            column == 0 && lane_failed(&s->lanes[lane]) ? ROLE_WARNING : ROLE_TEXT,
                            lane_text(&s->lanes[lane], column));
    }
}

/* Where every lane first differs from the first one: "1≠2  step 1  h1[0,3]  0x2e66  0x2e65". */
static int differences_of(const struct snapshot *s)
{
    int count = 0;
    for (int i = 0; i < s->difference_count && i < SNAPSHOT_PAIRS; i++)
        count += s->differences[i].a == 0;
    return s->step > 0 || s->in_step ? count : 0;
}

static void differences_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    int row = r.row;
    for (int i = 0; i < s->difference_count && i < SNAPSHOT_PAIRS && row < r.row + r.rows; i++) {
        const struct difference_view *d = &s->differences[i];
        char text[TEXT_VALUE];
        if (d->a != 0)
            continue;
        int at = r.col + grid_printf(g, row, r.col, theme_lane((unsigned)d->b), "%d%s%d", d->a + 1,
                                     d->found ? "≠" : "=", d->b + 1);
        if (d->found)
            snprintf(text, sizeof text, "step %lld %s %s %s %s", (long long)d->step, d->element, d->hex_a,
                     d->hex_b, phase_name(d->phase));
        else
            snprintf(text, sizeof text, "no bit differs so far");
        run_words(g, row, at + 1, r.col + r.cols - at - 1, ROLE_DIM, text);
        row++;
    }
}

void loss_draw(struct grid *g, struct rect r, const struct snapshot *s, bool boxed)
{
    bool head = r.rows >= 13;
    double low, high, end;
    char title[160], place[48] = "", drift[TEXT_SHORT + 16] = "";
    bool logarithmic = loss_limits(s, &low, &high, &end) && loss_logarithmic(low, high);
    int name, columns = legend_columns(s, r.cols - (boxed ? 4 : 2), head, &name);
    if (s->behind)
        snprintf(place, sizeof place, " · step %lld of %lld", (long long)s->step, (long long)s->last_step);
    if (head && columns < LANE_COLUMNS - 1 && lanes_of(s) > 0 && s->lanes[0].drift[0])
        snprintf(drift, sizeof drift, " · drift %s", s->lanes[0].drift); /* its column found no room */
    snprintf(title, sizeof title, "loss%s%s%s%s", logarithmic ? " (log)" : "",
             head || s->behind ? "" : ", accuracy", place, drift);
    struct rect in = run_section(g, r, title, boxed);
    int legend = lanes_of(s) + head, differences = head ? differences_of(s) : 0;
    if (in.rows - legend - differences < 6)
        differences = 0;
    curves_draw(g, run_take(&in, in.rows - legend - differences), s);
    legend_draw(g, run_take(&in, legend), s, head);
    differences_draw(g, in, s);
}
