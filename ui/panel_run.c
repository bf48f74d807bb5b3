/* panel_run.c: sections, texts that are never cut through a number, bits, events, series. */
#include "panel_run.h"
#include "glyph.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

struct rect run_take(struct rect *rest, int rows)
{
    if (rows < 0)
        rows = 0;
    if (rows > rest->rows)
        rows = rest->rows > 0 ? rest->rows : 0;
    struct rect top = rect_make(rest->row, rest->col, rows, rest->cols);
    rest->row += rows;
    rest->rows -= rows;
    return top;
}

/* Bytes of the longest start of a text that ends at a word's end and takes at most `cols` columns. */
static size_t words_that_fit(const char *text, int cols)
{
    size_t best = 0;
    int width = 0;
    const char *at = text;
    for (;;) {
        const char *here = at;
        uint32_t glyph = glyph_decode(&at);
        if ((glyph == 0 || glyph == ' ') && here > text && here[-1] != ' ')
            best = (size_t)(here - text);
        if (glyph == 0)
            return best;
        width += glyph_width(glyph_safe(glyph));
        if (width > cols)
            return best;
    }
}

/* A title that is cut between words, too. */
static const char *title_fit(const char *title, int cols, char out[TEXT_LINE + 8])
{
    if (glyph_text_width(title) <= cols)
        return title;
    size_t bytes = words_that_fit(title, cols - 2);
    snprintf(out, TEXT_LINE + 8, "%.*s …", (int)(bytes < TEXT_LINE ? bytes : TEXT_LINE), title);
    return out;
}

struct rect run_section(struct grid *g, struct rect r, const char *title, bool boxed)
{
    char cut[TEXT_LINE + 8];
    title = title_fit(title, r.cols - 6, cut);
    if (boxed)
        return rect_inset(grid_box(g, r, title), 0, 1);
    if (!rect_empty(r))
        grid_rule(g, r.row, r.col, r.cols, title);
    return rect_make(r.row + 1, r.col + 1, r.rows > 1 ? r.rows - 1 : 0, r.cols > 2 ? r.cols - 2 : 0);
}

static int text_bytes(struct grid *g, int row, int col, enum role role, const char *text, size_t bytes)
{
    char part[TEXT_LINE + 1];
    if (bytes >= sizeof part)
        bytes = sizeof part - 1;
    memcpy(part, text, bytes);
    part[bytes] = '\0';
    return grid_text(g, row, col, role, part);
}

int run_words(struct grid *g, int row, int col, int cols, enum role role, const char *text)
{
    if (cols <= 0)
        return 0;
    if (glyph_text_width(text) <= cols)
        return grid_text(g, row, col, role, text);
    size_t bytes = words_that_fit(text, cols - 2);
    if (bytes == 0) /* not even one word: a part of it says more than nothing */
        return grid_text_fit(g, row, col, cols, role, text);
    int used = text_bytes(g, row, col, role, text, bytes);
    if (used > 0 && used + 1 < cols)
        used++;
    return used + grid_put(g, row, col + used, role, 0x2026);
}

int run_wrap(struct grid *g, struct rect r, enum role role, const char *text)
{
    int line = 0;
    while (line < r.rows && r.cols > 0) {
        text += strspn(text, " ");
        if (*text == '\0')
            break;
        size_t bytes = words_that_fit(text, r.cols);
        if (line == r.rows - 1 || bytes == 0) { /* the last line, or a word that is too long, ends in … */
            run_words(g, r.row + line, r.col, r.cols, role, text);
            return line + 1;
        }
        text_bytes(g, r.row + line, r.col, role, text, bytes);
        text += bytes;
        line++;
    }
    return line;
}

int run_bits(struct grid *g, int row, int col, const char *sign, const char *exponent, const char *trailing)
{
    int at = col;
    at += grid_text(g, row, at, ROLE_SIGN, sign) + 1;
    at += grid_text(g, row, at, ROLE_EXPONENT, exponent) + 1;
    at += grid_text(g, row, at, ROLE_SIGNIFICAND, trailing);
    return at - col;
}

/* Colour and, for those who see none, a letter. */
static const struct {
    enum role role;
    uint32_t glyph;
} event_look[] = {
    [EVENT_OVERFLOW] = {ROLE_WARNING, 'x'},          /* as on the timeline of the scale */
    [EVENT_GROWTH] = {ROLE_GOOD, 0x2191},            /* ↑ */
    [EVENT_FLUSHED] = {ROLE_WARNING, 0x2193},        /* ↓ */
    [EVENT_NAN] = {ROLE_ERROR, 'N'},                 /* ≠ is ! in ASCII */
    [EVENT_LOST] = {ROLE_WARNING, '='},              /* the weight stays as it is */
    [EVENT_NOTE] = {ROLE_DIM, 0xb7},                 /* · */
    [EVENT_FIRST_DIFFERENCE] = {ROLE_FOCUS, 0x2260}, /* ≠ */
};
enum { EVENT_LOOKS = sizeof event_look / sizeof *event_look };

static bool event_shown(const struct event_view *e, unsigned kinds)
{
    return (unsigned)e->kind < EVENT_LOOKS && (kinds >> (unsigned)e->kind & 1) != 0;
}

uint32_t run_event_glyph(enum event_kind kind, enum role *role)
{
    bool known = (unsigned)kind < EVENT_LOOKS;
    *role = known ? event_look[kind].role : ROLE_DIM;
    return known ? event_look[kind].glyph : '?';
}

void run_points_of(const struct series *series, struct run_points *p)
{
    p->count = series->count < 0 ? 0 : series->count > SERIES_POINTS ? SERIES_POINTS : series->count;
    for (int i = 0; i < p->count; i++) {
        p->x[i] = run_series_x(series, i);
        p->y[i] = (double)series->value[i];
    }
}

/* Whether a mark stands in a cell already: curves have other roles, the slider another glyph. */
static bool is_mark(const struct cell *c)
{
    bool slider = c->glyph == 0x2506 || c->glyph == ':' || c->glyph == '|';
    return c->role == ROLE_WARNING || c->role == ROLE_GOOD || c->role == ROLE_ERROR ||
           (c->role == ROLE_FOCUS && !slider);
}

void run_mark(struct grid *g, struct rect in, const struct plot_axes *axes, const struct run_points *p,
              double step, uint32_t glyph, enum role role)
{
    double y = axes->y_max;
    int row, col;
    for (int i = 0; i < p->count && p->x[i] <= step; i++)
        y = isfinite(p->y[i]) ? p->y[i] : y;
    if (!plot_row(in, axes, y, &row) || !plot_col(in, axes, step, &col) || !rect_has(in, row, col))
        return;
    const uint32_t shown = g->ascii ? (unsigned char)glyph_ascii(glyph) : glyph;
    const int aside[] = {0, -1, 1};
    for (int i = 0; i < 3; i++) { /* beside another one that stands there already: neither hides the other */
        const struct cell *c = rect_has(in, row + aside[i], col) ? grid_at(g, row + aside[i], col) : NULL;
        if (!c || (is_mark(c) && c->glyph != shown))
            continue;
        grid_put(g, row + aside[i], col, role, glyph);
        return;
    }
    grid_put(g, row, col, role, glyph);
}

void run_event_marks(struct grid *g, struct rect in, const struct plot_axes *axes, const struct snapshot *s,
                     const struct run_points *p, unsigned kinds)
{
    int count = s->event_count < SNAPSHOT_EVENTS ? s->event_count : SNAPSHOT_EVENTS;
    for (int i = 0; i < count && p->count > 0; i++) {
        const struct event_view *e = &s->events[i];
        if (!event_shown(e, kinds) || (double)e->step < p->x[0])
            continue;
        enum role role;
        uint32_t glyph = run_event_glyph(e->kind, &role);
        run_mark(g, in, axes, p, (double)e->step, glyph, role);
    }
}

void run_events(struct grid *g, struct rect r, const struct snapshot *s, unsigned kinds, const char *none)
{
    int first = s->event_count < SNAPSHOT_EVENTS ? s->event_count : SNAPSHOT_EVENTS, lines = 0, end = first;
    int step_width = 1, name_width = 0;
    while (first > 0 && lines < r.rows) {
        const struct event_view *e = &s->events[--first];
        if (!event_shown(e, kinds))
            continue;
        char number[24];
        int width = snprintf(number, sizeof number, "%lld", (long long)e->step);
        step_width = width > step_width ? width : step_width;
        width = glyph_text_width(e->name);
        name_width = width > name_width ? width : name_width;
        lines++;
    }
    if (lines == 0 && r.rows > 0)
        run_words(g, r.row, r.col, r.cols, ROLE_DIM, none);
    int row = r.row;
    for (int i = first; i < end && row < r.row + r.rows; i++) {
        const struct event_view *e = &s->events[i];
        if (!event_shown(e, kinds))
            continue;
        enum role role = event_look[e->kind].role;
        int at = r.col;
        grid_put(g, row, at, role, event_look[e->kind].glyph);
        at += 2;
        at += grid_printf(g, row, at, ROLE_DIM, "step %*lld", step_width, (long long)e->step) + 2;
        grid_text(g, row, at, role, e->name);
        at += name_width + 2;
        run_words(g, row, at, r.col + r.cols - at, ROLE_TEXT, e->text);
        row++;
    }
}

double run_series_x(const struct series *series, int i)
{
    return (double)(series->first + i * series->stride);
}

double run_series_end(const struct series *series)
{
    return series->count > 0 ? run_series_x(series, series->count - 1) : 0;
}

void run_step_number(double step, char *text, void *context)
{
    (void)context;
    snprintf(text, PLOT_LABEL, "%.0f", step);
}

void run_count(double count, char *text, void *context)
{
    char digits[PLOT_LABEL];
    (void)context;
    int length = snprintf(digits, sizeof digits, "%.0f", count), used = 0;
    for (int i = 0; i < length && used + 2 < PLOT_LABEL; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
}

void run_power_of_two(double exponent, char *text, void *context)
{
    (void)context;
    snprintf(text, PLOT_LABEL, "2^%.0f", exponent == 0 ? 0.0 : exponent);
}
