/* panel_update.c: w - lr x g in every scheme side by side, and what many of them come to. */
#include "glyph.h"
#include "panel.h"
#include "panel_parts.h"
#include "plot.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GAP = 2, PLOT_ROWS = 8, EXACT_WIDTH = 16, LETTER_MAX = UPDATE_SCHEMES };

/* "1,000" */
static void thousands(int64_t n, char *out, size_t size)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

static void draw_header(struct page *p, const struct snapshot *s)
{
    const struct update_answer *a = &s->update;
    char steps[32], after[TEXT_SHORT];
    int left = p->col + 2, middle = p->col + p->cols * 3 / 10 + 2, right = p->col + p->cols * 3 / 5 + 1;
    int left_room = middle - left - GAP, middle_room = right - middle - GAP,
        right_room = p->col + p->cols - right - 1;
    page_field(p, left, left_room, s->live ? "live " : "w    ", s->live ? ROLE_FOCUS : ROLE_TITLE,
               s->live ? s->focus : a->w);
    if (s->update_lr[0])
        page_field(p, middle, middle_room, "lr   ", ROLE_TITLE, s->update_lr);
    if (s->update_grad[0])
        page_field(p, right, right_room, "g ", ROLE_TITLE, s->update_grad);
    if (s->live)
        page_field(p, middle, p->col + p->cols - middle - 1, "w    ", ROLE_TITLE, a->w);
    else if (!s->update_lr[0])
        grid_text(p->g, p->row, middle, ROLE_DIM, "Δ as typed");
    p->row++;
    thousands(a->steps, steps, sizeof steps);
    snprintf(after, sizeof after, "after %s ", steps);
    page_field(p, left, left_room, "Δ    ", ROLE_TEXT, a->delta);
    page_field(p, middle, middle_room, "w−Δ  ", ROLE_TEXT, a->target);
    page_field(p, right, right_room, after, ROLE_TEXT, a->exact);
    p->row++;
}

/* --- the table of schemes --- */

struct cell_text {
    char text[TEXT_SHORT + TEXT_SHORT];
    enum role role;
};

static enum role verdict_role(enum update_verdict v)
{
    switch (v) {
    case VERDICT_LOST:
        return ROLE_WARNING;
    case VERDICT_MOVED:
    case VERDICT_MASTER_MOVED:
        return ROLE_GOOD;
    default:
        return ROLE_TEXT;
    }
}

static void get_delta(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->delta);
}

static void get_ulps(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->delta_ulp);
}

static void get_threshold(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->threshold);
}

static void get_hex(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->after_hex);
}

static void get_after(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->after);
}

static void get_verdict(const struct update_row *r, struct cell_text *out)
{
    snprintf(out->text, sizeof out->text, "%s", r->verdict_text);
    out->role = verdict_role(r->verdict);
}

static void get_count(const struct update_row *r, struct cell_text *out)
{
    char moved[32];
    thousands(r->moved, moved, sizeof moved);
    snprintf(out->text, sizeof out->text, "%s", r->moved ? moved : "none");
    out->role = r->moved ? ROLE_TEXT : ROLE_WARNING;
}

/* In the order of the screen; those with the highest `drop` go first where there is no room. */
static const struct table_column {
    const char *title;
    void (*get)(const struct update_row *r, struct cell_text *out);
    int drop;
} table_columns[] = {
    {"Δ in the format", get_delta, 2},
    {"Δ in ulps of w", get_ulps, 0},
    {"moves w beyond", get_threshold, 0},
    {"w after", get_hex, 1},
    {"", get_after, 3},
    {"", get_verdict, 0},
    {"moves", get_count, 4},
};
enum { COLUMNS = sizeof table_columns / sizeof *table_columns, COL_SCHEME = 3, SCHEME_WIDTH = 12 };

static int column_width(const struct table_column *c, const struct update_answer *a)
{
    int width = glyph_text_width(c->title);
    for (size_t i = 0; i < a->count; i++) {
        struct cell_text cell = {.role = ROLE_TEXT};
        c->get(&a->rows[i], &cell);
        int w = glyph_text_width(cell.text);
        width = w > width ? w : width;
    }
    return width;
}

/* Widths of the columns shown, 0 for those left out; returns the blanks between two. */
static int fit_columns(const struct update_answer *a, int cols, int *widths)
{
    int total = COL_SCHEME + SCHEME_WIDTH, shown = COLUMNS;
    for (int i = 0; i < COLUMNS; i++)
        total += widths[i] = column_width(&table_columns[i], a);
    for (int drop = 4; drop > 0 && total + shown * GAP > cols; drop--)
        for (int i = 0; i < COLUMNS; i++)
            if (table_columns[i].drop == drop) {
                total -= widths[i];
                widths[i] = 0;
                shown--;
            }
    int gap = shown > 0 ? (cols - total) / shown : GAP;
    return gap < GAP ? GAP : gap > GAP + 2 ? GAP + 2 : gap;
}

static void draw_table(struct page *p, const struct view *v, const struct update_answer *a)
{
    int widths[COLUMNS], gap = fit_columns(a, p->cols - 1, widths);
    int at = p->col + COL_SCHEME + SCHEME_WIDTH + gap;
    grid_text(p->g, p->row, p->col + COL_SCHEME, ROLE_DIM, "scheme");
    for (int c = 0; c < COLUMNS; c++) {
        if (widths[c] == 0)
            continue;
        grid_text(p->g, p->row, at, ROLE_DIM, table_columns[c].title);
        at += widths[c] + gap;
    }
    p->row++;
    for (size_t i = 0; i < a->count; i++, p->row++) {
        const struct update_row *r = &a->rows[i];
        bool here = (int)i == v->scheme;
        if (here) {
            grid_text(p->g, p->row, p->col + 1, ROLE_FOCUS, "▸");
            grid_cursor(p->g, p->row, p->col + 1, false);
        }
        grid_text(p->g, p->row, p->col + COL_SCHEME, here ? ROLE_FOCUS : ROLE_TITLE, r->scheme->name);
        at = p->col + COL_SCHEME + SCHEME_WIDTH + gap;
        for (int c = 0; c < COLUMNS; c++) {
            struct cell_text cell = {.role = ROLE_TEXT};
            if (widths[c] == 0)
                continue;
            table_columns[c].get(r, &cell);
            grid_text(p->g, p->row, at, cell.role, cell.text);
            at += widths[c] + gap;
        }
    }
}

/* --- drift --- */

/* Schemes whose weights went the same way share a curve and its letter. */
struct curve {
    const struct update_row *row;
    char names[TEXT_VALUE];
    int members;
    bool selected;
};

static int gather_curves(const struct update_answer *a, int selected, struct curve *curves)
{
    int count = 0;
    for (size_t i = 0; i < a->count; i++) {
        const struct update_row *r = &a->rows[i];
        int c = 0;
        while (c < count && memcmp(curves[c].row->drift, r->drift, sizeof r->drift) != 0)
            c++;
        if (c == count)
            curves[count++] = (struct curve){.row = r};
        size_t used = strlen(curves[c].names);
        snprintf(curves[c].names + used, sizeof curves[c].names - used, "%s%s", curves[c].members ? ", " : "",
                 r->scheme->name);
        curves[c].members++;
        curves[c].selected = curves[c].selected || (int)i == selected;
    }
    return count;
}

static void widen(double value, double *low, double *high)
{
    if (!isfinite(value))
        return;
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* Limits that hold every curve, with a little air. */
static bool limits(const struct update_answer *a, struct plot_axes *axes)
{
    double low = INFINITY, high = -INFINITY;
    widen(a->start, &low, &high);
    widen(a->end, &low, &high);
    for (size_t i = 0; i < a->count; i++)
        for (int k = 0; k < UPDATE_SAMPLES; k++)
            widen(a->rows[i].drift[k], &low, &high);
    double air = (high - low) * 0.04;
    if (!(air > 0)) /* nothing moved at all: still a picture, with the line in its middle */
        air = fabs(high) > 0 ? fabs(high) * 0.001 : 1;
    if (!isfinite(low) || !isfinite(high) || !isfinite(air))
        return false;
    axes->y_min = low - air;
    axes->y_max = high + air;
    axes->x_max = (double)a->steps;
    return true;
}

static void label_steps(double value, char *text, void *context)
{
    (void)context;
    thousands((int64_t)floor(value + 0.5), text, PLOT_LABEL);
}

/* Enough digits to tell the labels of a narrow axis apart. */
static void label_weight(double value, char *text, void *context)
{
    const double *step = context;
    int digits = 3;
    if (*step > 0 && value != 0)
        digits = (int)ceil(log10(fabs(value) / *step)) + 2;
    digits = digits < 3 ? 3 : digits > 12 ? 12 : digits;
    snprintf(text, PLOT_LABEL, "%.*g", digits, fabs(value) < *step * 1e-6 ? 0.0 : value);
}

static enum role curve_role(const struct curve *c, int index)
{
    static const enum role others[] = {ROLE_LANE_0, ROLE_LANE_2,
                                       ROLE_LANE_3}; /* ROLE_LANE_1 looks like the focus */
    return c->selected ? ROLE_FOCUS : others[index % 3];
}

static void draw_curve(struct grid *g, struct rect in, const struct plot_axes *axes,
                       const struct update_answer *a, const struct curve *c, int index)
{
    double x[UPDATE_SAMPLES + 1], y[UPDATE_SAMPLES + 1];
    x[0] = 0;
    y[0] = a->start;
    for (int k = 0; k < UPDATE_SAMPLES; k++) {
        x[k + 1] = ceil((k + 1) * (double)a->steps / UPDATE_SAMPLES);
        y[k + 1] = c->row->drift[k];
    }
    struct plot_series series = {.x = x,
                                 .y = y,
                                 .count = UPDATE_SAMPLES + 1,
                                 .role = curve_role(c, index),
                                 .mark = (uint32_t)('a' + index)};
    plot_line(g, in, axes, &series);
}

/* The letter of a curve stands on it, each at a place of its own along the axis. */
static void draw_letters(struct grid *g, struct rect in, const struct plot_axes *axes,
                         const struct curve *curves, int count)
{
    for (int i = 0; i < count; i++) {
        int at = UPDATE_SAMPLES * (2 * i + 3) / (2 * count + 4);
        plot_mark(g, in, axes, axes->x_max * (at + 1) / UPDATE_SAMPLES, curves[i].row->drift[at],
                  (uint32_t)('a' + i), curve_role(&curves[i], i));
    }
}

/* Columns of the longest names and of the longest values. */
static void legend_widths(const struct update_answer *a, const struct curve *curves, int count, int *names,
                          int *values)
{
    char exact[TEXT_VALUE];
    panel_number(a->exact, EXACT_WIDTH, exact);
    *names = 5;
    *values = glyph_text_width(exact);
    for (int i = 0; i < count; i++) {
        int width = glyph_text_width(curves[i].names), value = glyph_text_width(curves[i].row->drift_text);
        *names = width > *names ? width : *names;
        *values = value > *values ? value : *values;
    }
}

static void draw_legend(struct grid *g, struct rect r, const struct update_answer *a,
                        const struct curve *curves, int count)
{
    int names, values;
    legend_widths(a, curves, count, &names, &values);
    names = names > r.cols - 4 - values ? r.cols - 4 - values : names;
    for (int i = 0; i <= count && i < r.rows; i++) {
        bool exact = i == count;
        enum role role = exact ? ROLE_DIM : curve_role(&curves[i], i);
        int row = r.row + i;
        grid_put(g, row, r.col, role, exact ? 0x2504 : (uint32_t)('a' + i)); /* ┄ */
        grid_text_fit(g, row, r.col + 2, names, role, exact ? "exact" : curves[i].names);
        char value[TEXT_VALUE];
        panel_number(exact ? a->exact : curves[i].row->drift_text, exact ? EXACT_WIDTH : TEXT_SHORT, value);
        grid_text(g, row, r.col + 4 + names, exact ? ROLE_DIM : ROLE_TEXT, value);
    }
}

static void draw_drift(struct page *p, const struct view *v, const struct update_answer *a, int rows)
{
    struct curve curves[LETTER_MAX] = {0};
    struct plot_axes axes = {.x_format = label_steps, .y_format = label_weight, .x_name = "updates"};
    struct plot_tick x_ticks[8], y_ticks[8];
    int count = gather_curves(a, v->scheme, curves);
    int names, values;
    legend_widths(a, curves, count, &names, &values);
    int width = 4 + names + values;
    bool beside = width + 45 < p->cols;
    int plot_cols = beside ? p->cols - width - 4 : p->cols - 2;
    int legend_rows = count + 1;
    int plot_rows = beside ? rows : rows - legend_rows;
    plot_rows = plot_rows < PLOT_ROWS ? PLOT_ROWS : plot_rows;
    if (limits(a, &axes)) {
        axes.x_ticks = x_ticks;
        axes.y_ticks = y_ticks;
        axes.x_count = plot_ticks(0, axes.x_max, plot_cols / 16, x_ticks, 8);
        axes.y_count = plot_ticks(axes.y_min, axes.y_max, plot_rows / 3 + 1, y_ticks, 8);
        double step = axes.y_count > 1 ? y_ticks[1].at - y_ticks[0].at : 0;
        axes.context = &step;
        struct rect in = plot_frame(p->g, rect_make(p->row, p->col + 1, plot_rows, plot_cols), &axes);
        double line[2] = {a->start, a->end}, ends[2] = {0, (double)a->steps};
        struct plot_series exact = {.x = ends, .y = line, .count = 2, .role = ROLE_DIM};
        plot_line(p->g, in, &axes, &exact);
        for (int i = 0; i < count; i++)
            if (!curves[i].selected)
                draw_curve(p->g, in, &axes, a, &curves[i], i);
        for (int i = 0; i < count; i++)
            if (curves[i].selected)
                draw_curve(p->g, in, &axes, a, &curves[i], i);
        draw_letters(p->g, in, &axes, curves, count);
    }
    struct rect legend = beside ? rect_make(p->row, p->col + p->cols - width - 2, plot_rows, width + 1)
                                : rect_make(p->row + plot_rows, p->col + 3, legend_rows, p->cols - 6);
    draw_legend(p->g, legend, a, curves, count);
    p->row += beside ? (plot_rows > legend_rows ? plot_rows : legend_rows) : plot_rows + legend_rows;
}

/* --- the page --- */

static int layout(struct page *p, const struct view *v, const struct snapshot *s, int rows)
{
    int first = p->row;
    const struct update_answer *a = &s->update;
    if (!s->update_valid) {
        page_paragraph(p, ROLE_DIM, "The live weight has had no update yet. Press s for one step.");
        return p->row - first;
    }
    draw_header(p, s);
    page_rule(p, "one update · w ← w − Δ, rounded once");
    draw_table(p, v, a);
    const struct update_row *r = (size_t)v->scheme < a->count ? &a->rows[v->scheme] : NULL;
    char title[TEXT_SHORT * 2], steps[32];
    if (r) {
        snprintf(title, sizeof title, "%s · where the exact target falls", r->scheme->name);
        page_rule(p, title);
        page_number_line(p, &r->line, r->scheme->kind == UPDATE_STOCHASTIC ? ROUND_SR : ROUND_RNE, "w − Δ =");
    }
    thousands(a->steps, steps, sizeof steps);
    snprintf(title, sizeof title, "drift over %s updates", steps);
    page_rule(p, title);
    draw_drift(p, v, a, rows - (p->row - first));
    return p->row - first;
}

int panel_update_height(int cols, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = cols};
    return layout(&p, v, s, 0);
}

void panel_update_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = area.cols, .roomy = true};
    bool roomy = layout(&p, v, s, 0) + 2 <= area.rows;
    p = (struct page){.g = g, .col = area.col, .cols = area.cols, .row = area.row, .roomy = roomy};
    struct rect old = grid_clip(g, area);
    layout(&p, v, s, area.rows);
    if (v->stale)
        grid_set_role(g, area, ROLE_STALE);
    grid_unclip(g, old);
}
