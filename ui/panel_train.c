/* panel_train.c: the step as a strip of phases, the lanes' losses, the tensors, one weight's journey, and
 * what happened. */
#include "panel_train.h"
#include "glyph.h"
#include "panel.h"
#include "panel_parts.h"
#include "panel_run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS = 16 };

/* --- phases --- */

/* Every phase keeps its place; a mark before it says done (a tick) or next (an arrow). */
static void strip_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    int names = 0;
    for (int p = 0; p < PHASE_COUNT; p++)
        names += glyph_text_width(phase_name((enum phase)p));
    char step[40];
    int step_width = snprintf(step, sizeof step, "step %lld", (long long)s->step + 1) + 3;
    int tight = names + 2 * PHASE_COUNT - 1, wide = names + 4 * PHASE_COUNT - 3;
    bool arrows = r.cols >= wide, fits = r.cols >= tight;
    int at = r.col;
    if (arrows ? r.cols >= wide + step_width : r.cols >= tight + step_width)
        at += grid_text(g, r.row, at, ROLE_DIM, step) - (int)strlen(step) + step_width;
    for (int p = 0; p < PHASE_COUNT; p++) {
        bool next = p == (int)s->next_phase, done = s->in_step && p < (int)s->next_phase;
        if (!fits && !next) /* no room for all: the one that matters */
            continue;
        enum role role = next ? ROLE_FOCUS : done ? ROLE_GOOD : ROLE_DIM;
        grid_put(g, r.row, at, role, next ? 0x25b8 : done ? 0x2713 : ' ');
        at++;
        int width = grid_text(g, r.row, at, role, phase_name((enum phase)p));
        if (next)
            grid_add_attributes(g, rect_make(r.row, at, 1, width), ATTR_REVERSE);
        at += width;
        if (arrows && p + 1 < PHASE_COUNT)
            grid_text(g, r.row, at, ROLE_RULE, " → ");
        at += arrows ? 3 : 1;
    }
    if (!fits)
        grid_printf(g, r.row, at, ROLE_DIM, "%d of %d", (int)s->next_phase + 1, (int)PHASE_COUNT);
}

static void next_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    if (r.rows < 1)
        return;
    grid_text(g, r.row, r.col + 1, ROLE_DIM, "next");
    for (int i = 0; i < 2 && i < r.rows; i++)
        run_words(g, r.row + i, r.col + 7, r.cols - 7, ROLE_TEXT, s->next_text[i]);
}

/* --- loss --- */

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
        run_series(g, in, axes, curve, (struct plot_series){.y = y, .role = role, .mark = lane_marks[lane]});
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
    for (int lane = lanes_of(s) - 1; lane >= 0; lane--) /* the first lane lies on top */
        lane_draw(g, in, &axes, s, lane, logarithmic, false);
    for (int lane = 0; lane < lanes_of(s); lane++)
        lane_draw(g, in, &axes, s, lane, logarithmic, true);
}

/* The legend is a table: columns that find no room are left out whole. */
static const struct {
    const char *head;
    int width;
} lane_columns[] = {{"loss", 8}, {"accuracy", 5}, {"lost", 6}, {"lost, all", 9}, {"drift", 10}};
enum { LANE_COLUMNS = sizeof lane_columns / sizeof *lane_columns };

static const char *lane_text(const struct lane_view *lane, int column)
{
    const char *const texts[LANE_COLUMNS] = {lane->loss, lane->accuracy, lane->lost, lane->lost_total,
                                             lane->drift};
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

static void legend_draw(struct grid *g, struct rect r, const struct snapshot *s, bool head)
{
    /* The loss is there in any case; where there is little room, a long name gives way to the accuracy, too. */
    int name = 4, room = r.cols - 3 - lane_column_width(s, 0, head);
    room -= head ? 0 : 1 + lane_column_width(s, 1, head);
    for (int lane = 0; lane < lanes_of(s); lane++) {
        int width = glyph_text_width(s->lanes[lane].recipe);
        name = width > name ? width : name;
    }
    name = name > room ? room : name;
    int row = r.row + head, end = r.col + r.cols, first = r.col + 2 + name;
    for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++) {
        enum role role = theme_lane((unsigned)lane);
        grid_put(g, row + lane, r.col, role, (uint32_t)('1' + lane));
        run_words(g, row + lane, r.col + 2, name, role, s->lanes[lane].recipe);
    }
    for (int column = 0; column < (head ? LANE_COLUMNS : 2); column++) {
        first += 1 + lane_column_width(s, column, head);
        if (first > end)
            return;
        if (head)
            grid_text_right(g, r.row, first, ROLE_DIM, lane_columns[column].head);
        for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++)
            grid_text_right(g, row + lane, first,
                            column == 0 && lane_failed(&s->lanes[lane]) ? ROLE_WARNING : ROLE_TEXT,
                            lane_text(&s->lanes[lane], column));
    }
}

static void loss_draw(struct grid *g, struct rect r, const struct snapshot *s, bool boxed)
{
    bool head = r.rows >= 13;
    double low, high, end;
    char title[48];
    bool logarithmic = loss_limits(s, &low, &high, &end) && loss_logarithmic(low, high);
    snprintf(title, sizeof title, "loss%s%s", logarithmic ? " (log)" : "", head ? "" : ", accuracy");
    struct rect in = run_section(g, r, title, boxed);
    int legend = lanes_of(s) + head;
    curves_draw(g, run_take(&in, in.rows - legend), s);
    legend_draw(g, in, s, head);
}

/* --- the watched weight --- */

static enum role note_role(const char *note)
{
    return strstr(note, "lost") || strstr(note, "skip") || strstr(note, "flush") || strstr(note, "inf")
               ? ROLE_WARNING
           : strstr(note, "moved") ? ROLE_GOOD
                                   : ROLE_TEXT;
}

enum { WATCH_LABEL = 18, WATCH_FORMAT = 5, WATCH_BITS = 34, WATCH_HEX = 10 };

/* The note stands behind the value; where it finds no room there, between short bits and the value, or else
 * in the value's place: it is what the row is about. */
static void watch_value(struct grid *g, int row, int col, int end, int gap, const struct watch_row *w)
{
    int note = glyph_text_width(w->note), value = glyph_text_width(w->value);
    enum role role = note_role(w->note);
    if (note > 0 && col + value + 2 + note <= end) {
        grid_text(g, row, col + value + 2, role, w->note);
    } else if (note > 0 && gap + note + 1 <= col) {
        grid_text(g, row, gap, role, w->note);
    } else if (note > 0) {
        run_words(g, row, col, end - col, role, w->note);
        return;
    }
    char number[TEXT_VALUE];
    panel_number(w->value, end - col, number);
    if (glyph_text_width(number) <= end - col) /* never through a number */
        grid_text(g, row, col, ROLE_TEXT, number);
}

static void watch_row_draw(struct grid *g, struct rect r, int row, const struct watch_row *w)
{
    bool has_hex = r.cols >= WATCH_LABEL + WATCH_FORMAT + WATCH_BITS + WATCH_HEX + 28;
    int at = r.col;
    run_words(g, row, at, WATCH_LABEL - 1, w->valid ? ROLE_TEXT : ROLE_DIM, w->label);
    at += WATCH_LABEL;
    grid_text(g, row, at, ROLE_DIM, w->format ? w->format->name : "");
    at += WATCH_FORMAT;
    if (!w->valid) { /* the step has not got there */
        grid_text(g, row, at, ROLE_DIM, "·");
        return;
    }
    int gap = at + run_bits(g, row, at, w->sign, w->exponent, w->trailing) + 2;
    at += WATCH_BITS + 2;
    if (has_hex) {
        grid_text(g, row, at, ROLE_TEXT, w->hex);
        at += WATCH_HEX + 2;
    }
    watch_value(g, row, at, r.col + r.cols, gap, w);
}

static int watch_count(const struct snapshot *s)
{
    return s->watch.count < 0 ? 0 : s->watch.count > SNAPSHOT_WATCH ? SNAPSHOT_WATCH : s->watch.count;
}

static void watch_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    char title[TENSOR_NAME + 48];
    snprintf(title, sizeof title, "watch  %s", s->watch.name);
    struct rect in = run_section(g, r, title, false);
    if (watch_count(s) == 0)
        run_wrap(
            g, in, ROLE_DIM,
            "No weight is watched: choose a tensor and press Enter or w to follow one through the step.");
    for (int i = 0; i < watch_count(s) && i < in.rows; i++)
        watch_row_draw(g, in, in.row + i, &s->watch.rows[i]);
}

/* --- all of it --- */

/* The rows of the parts.  From 20 rows up everything that matters is there; what is folded away first are the
 * events. */
struct rows {
    int next, body, watch, events;
};

static struct rows rows_share(int rows, int watched)
{
    struct rows r = {.next = rows >= 24 ? 2 : 1, .watch = 1 + (watched > 0 ? watched : 1)};
    int left = rows - 1 - r.next - r.watch;
    if (left < 7) { /* less than 20 rows: the watched weight goes, then what is below */
        left += r.watch;
        r.watch = 0;
    }
    if (left >= 12)
        r.events = 2 + (left - 12) / 3;
    else
        r.events = left == 11;
    r.body = left - r.events;
    return r;
}

void panel_train_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    struct rect old = grid_clip(g, area), rest = area;
    struct rows rows = rows_share(area.rows, watch_count(s));
    strip_draw(g, run_take(&rest, 1), s);
    next_draw(g, run_take(&rest, rows.next), s);
    struct rect body = run_take(&rest, rows.body);
    bool boxed = body.rows >= 14 && body.cols >= 100;
    int table = tensors_cols(s) + (boxed ? 4 : 2), least = body.cols * (boxed ? 43 : 45) / 120;
    table = table < body.cols - least - 1 ? table : body.cols - least - 1;
    loss_draw(g, rect_make(body.row, body.col, body.rows, body.cols - table - 1), s, boxed);
    tensors_draw(g, rect_make(body.row, body.col + body.cols - table, body.rows, table), v, s, boxed);
    if (rows.watch > 0)
        watch_draw(g, run_take(&rest, rows.watch), s);
    if (rest.rows >= 2)
        rest = run_section(g, rest, "events", false);
    if (rows.events > 0)
        run_events(g, rest, s, RUN_ALL_EVENTS, "Nothing has happened yet.");
    grid_unclip(g, old);
}
