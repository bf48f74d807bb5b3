/* panel_scaler.c: the loss scale over the steps, and the scaler as an automaton. */
#include "panel_scaler.h"
#include "glyph.h"
#include "panel_run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS = 24 };

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

static void timeline_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    const struct series *scale = &s->scale.log2_scale;
    double low = INFINITY, high = -INFINITY;
    int count = scale->count < SERIES_POINTS ? scale->count : SERIES_POINTS;
    for (int i = 0; i < count; i++)
        if (isfinite(scale->value[i])) {
            low = fmin(low, (double)scale->value[i]);
            high = fmax(high, (double)scale->value[i]);
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
    axes.x_format = run_step_number;
    axes.x_count = plot_ticks(0, axes.x_max, r.cols / 12, x_ticks, TICKS);
    struct rect in = plot_frame(g, r, &axes);
    struct run_points p;
    run_points_of(scale, &p);
    plot_line(g, in, &axes,
              &(struct plot_series){
                  .x = p.x, .y = p.y, .count = (size_t)p.count, .role = ROLE_LANE_0, .step = true});
    const unsigned events = 1u << EVENT_GROWTH | 1u << EVENT_FLUSHED | 1u << EVENT_NAN;
    run_event_marks(g, in, &axes, s, &p, events);
    for (int i = 0; i < count; i++) /* on top, and all of them: events are only the latest */
        if (scale->mark[i])
            plot_mark(g, in, &axes, p.x[i], p.y[i], 'x', ROLE_WARNING);
}

enum { STATE_LABEL = 17 };

/* Bytes up to the last comma within `cols` columns, that comma included; 0 if there is none. */
static size_t clause_that_fits(const char *text, int cols)
{
    size_t best = 0;
    for (const char *comma = text; (comma = strstr(comma, ", ")) != NULL; comma++) {
        char start[TEXT_SHORT];
        size_t bytes = (size_t)(comma - text) + 1;
        snprintf(start, sizeof start, "%.*s", (int)bytes, text);
        if (bytes < sizeof start && glyph_text_width(start) <= cols)
            best = bytes;
    }
    return best;
}

/* "label   text", with the text broken after its commas where it is long; returns the rows it takes. */
static int state_line(struct grid *g, struct rect r, const char *label, enum role role, const char *text)
{
    if (text[0] == '\0')
        return 0;
    grid_text(g, r.row, r.col, ROLE_DIM, label);
    struct rect value = rect_make(r.row, r.col + STATE_LABEL, r.rows, r.cols - STATE_LABEL);
    int lines = 0;
    for (size_t bytes; glyph_text_width(text) > value.cols && value.rows > 1 &&
                       (bytes = clause_that_fits(text, value.cols)) > 0;) {
        grid_printf(g, value.row, value.col, role, "%.*s", (int)bytes, text);
        text += bytes + 1;
        run_take(&value, 1);
        lines++;
    }
    lines += run_wrap(g, value, role, text);
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

void scaler_draw(struct grid *g, struct rect r, const struct snapshot *s)
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
    timeline_draw(g, left, s);
    state_draw(g, boxed ? run_section(g, right, "state", true) : right, v);
}
