/* panel_train.c: the step as a strip of phases, one weight's journey, and how the panel's parts share its
 * rows. */
#include "panel_train.h"
#include "glyph.h"
#include "panel.h"
#include "panel_parts.h"
#include "panel_run.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- phases --- */

/* Every phase keeps its place; a mark before it says done (a tick) or next (an arrow). */
/* Starts a column in, as all rows do, where it can. */
static void strip_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    int names = 0;
    for (int p = 0; p < PHASE_COUNT; p++)
        names += glyph_text_width(phase_name((enum phase)p));
    char step[40];
    int step_width = snprintf(step, sizeof step, "step %lld", (long long)s->step + 1) + 3;
    char launch[32] = ""; /* "3/6": the launch of its phase that comes next, where there is room to tell */
    if (s->in_step && s->phase_launches > 1)
        snprintf(launch, sizeof launch, " %d/%d", s->phase_launch, s->phase_launches);
    int tight = names + 2 * PHASE_COUNT - 1, wide = names + 4 * PHASE_COUNT - 3;
    if (tight + (int)strlen(launch) > r.cols)
        launch[0] = '\0';
    tight += (int)strlen(launch);
    if (r.cols != tight) {
        r.col++;
        r.cols--;
    }
    wide += (int)strlen(launch);
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
            width += grid_text(g, r.row, at + width, role, launch);
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
    char title[TENSOR_NAME + 96];
    int used = snprintf(title, sizeof title, "watch  %s", s->watch.name), lane = s->watch.lane;
    if (s->lane_count > 1 && lane >= 0 && lane < SNAPSHOT_LANES && used > 0 && used < (int)sizeof title)
        snprintf(title + used, sizeof title - (size_t)used, "  in %s · L next lane", s->lanes[lane].recipe);
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
 * events, then the line of breakpoints. */
struct rows {
    int progress, why, breaks, body, watch, history, events;
    bool list; /* the breakpoints stand beside the events */
};

static struct rows rows_share(struct rect area, const struct view *v, const struct snapshot *s)
{
    bool tall = area.rows >= 24;
    int watched = watch_count(s);
    struct rows r = {.progress = progress_rows(s, tall), .why = why_rows(s, area.cols)};
    r.watch = 1 + (watched > 0 ? watched : 1);
    r.breaks = s->break_count > 0;
    int left = area.rows - 1 - r.progress - r.why - r.breaks - r.watch;
    if (left < 7 && r.breaks) { /* with 20 rows: why says the most */
        left += r.breaks;
        r.breaks = 0;
    }
    if (left < 6) { /* less than 20 rows: the watched weight goes, then what is below */
        left += r.watch;
        r.watch = 0;
    }
    if (left >= 26 && s->watch_count > 1 && v->curve != CURVE_WEIGHT) {
        r.history = 9;
        left -= r.history;
    }
    if (left >= 12)
        r.events = 2 + (left - 12) / 3;
    else
        r.events = left >= 10 + (s->lane_count > 2 ? s->lane_count - 2 : 0); /* curves keep their rows */
    bool whole = r.events - 1 >= s->break_count || r.events - 1 >= 4; /* rows for all of them, or many */
    if (r.breaks && whole && r.events >= 3 && area.cols >= 110) {
        r.list = true;
        left++;
        r.breaks = 0;
    }
    r.body = left - r.events;
    return r;
}

static void body_draw(struct grid *g, struct rect body, const struct view *v, const struct snapshot *s)
{
    bool boxed = body.rows >= 14 && body.cols >= 100;
    int table = tensors_cols(s) + (boxed ? 4 : 2), least = body.cols * (boxed ? 43 : 45) / 120;
    table = table < body.cols - least - 1 ? table : body.cols - least - 1;
    loss_draw(g, rect_make(body.row, body.col, body.rows, body.cols - table - 1), v, s, boxed);
    tensors_draw(g, rect_make(body.row, body.col + body.cols - table, body.rows, table), v, s, boxed);
}

static void events_draw(struct grid *g, struct rect r, const struct snapshot *s, bool list)
{
    enum { LIST = 36 };
    if (list) {
        struct rect right = rect_make(r.row, r.col + r.cols - LIST, r.rows, LIST);
        breaks_list(g, run_section(g, right, "breakpoints", false), s);
        r.cols -= LIST + 1;
    }
    if (r.rows >= 2)
        r = run_section(g, r, "events", false);
    else
        r = rect_inset(r, 0, 1);
    struct rect old = grid_clip(g, rect_intersect(r, g->clip));
    run_events(g, r, s, RUN_ALL_EVENTS, "Nothing has happened yet.");
    grid_unclip(g, old);
}

void panel_train_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    struct rect old = grid_clip(g, area), rest = area;
    struct rows rows = rows_share(area, v, s);
    strip_draw(g, run_take(&rest, 1), s);
    progress_draw(g, run_take(&rest, rows.progress), s);
    why_draw(g, run_take(&rest, rows.why), s);
    breaks_line(g, run_take(&rest, rows.breaks), s);
    if (s->heat.valid) {
        map_draw(g, run_take(&rest, rows.body + rows.watch + rows.history), v, s);
    } else if (s->tensor_histogram.valid) {
        tensor_histogram_draw(g, run_take(&rest, rows.body + rows.watch + rows.history), s);
    } else {
        body_draw(g, run_take(&rest, rows.body), v, s);
        if (rows.watch > 0)
            watch_draw(g, run_take(&rest, rows.watch), s);
        if (rows.history > 0)
            history_draw(g, run_take(&rest, rows.history), s);
    }
    if (rows.events > 0)
        events_draw(g, rest, s, rows.list);
    grid_unclip(g, old);
}
