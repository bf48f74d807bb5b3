/* panel_map.c: a tensor as a map.
 *
 * A cell of the map is a shade for its exponent, or a letter for what has none; two columns wide where there
 * is room, so that it is about square. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include "probe_text.h"
#include <stdio.h>
#include <string.h>

enum { SHADES = 4, LEGEND = 13 };

static const uint32_t shades[SHADES] = {0x2591, 0x2592, 0x2593, 0x2588}; /* ░ ▒ ▓ █ */

static const struct {
    uint32_t glyph;
    enum role role;
    const char *name;
} classes[] = {[HEAT_ZERO] = {0xb7, ROLE_DIM, "zero"},
               [HEAT_SUBNORMAL] = {'s', ROLE_LANE_1, "subnormal"},
               [HEAT_NORMAL] = {0, ROLE_GOOD, "normal"},
               [HEAT_INFINITE] = {'I', ROLE_ERROR, "infinite"},
               [HEAT_NAN] = {'N', ROLE_ERROR, "NaN"}};

static int bounded(int x, int low, int high)
{
    return x > high ? (high < low ? low : high) : x < low ? low : x;
}

/* The exponents from which a shade is used; the first after the last is highest + 1. */
static int shade_from(const struct heat_view *h, int shade)
{
    return h->lowest + (h->highest - h->lowest + 1) * shade / SHADES;
}

static int shade_of(const struct heat_view *h, int exponent)
{
    int shade = SHADES - 1;
    while (shade > 0 && exponent < shade_from(h, shade))
        shade--;
    return shade;
}

static uint32_t cell_look(const struct heat_view *h, int row, int col, enum role *role)
{
    unsigned class = h->class[row][col] <= HEAT_NAN ? h->class[row][col] : HEAT_NAN;
    *role = classes[class].role;
    return class == HEAT_NORMAL ? shades[shade_of(h, h->exponent[row][col])] : classes[class].glyph;
}

/* The part of the map that is shown, and where the selected element is in it. */
struct window {
    int first_row, first_col, rows, cols, wide;
    int row, col; /* of the map; -1: the selected tensor is another one */
};

static struct window window_of(struct rect in, const struct heat_view *h, int row, int col)
{
    struct window w = {.row = row, .col = col};
    w.wide = 2 * h->cols <= in.cols ? 2 : 1;
    w.rows = h->rows < in.rows ? h->rows : in.rows;
    w.cols = h->cols * w.wide <= in.cols ? h->cols : in.cols / w.wide;
    w.first_row = bounded(row - w.rows / 2, 0, h->rows - w.rows);
    w.first_col = bounded(col - w.cols / 2, 0, h->cols - w.cols);
    return w;
}

static void cells_draw(struct grid *g, struct rect in, const struct heat_view *h, const struct window *w)
{
    for (int i = 0; i < w->rows; i++)
        for (int k = 0; k < w->cols; k++) {
            int row = w->first_row + i, col = w->first_col + k;
            struct rect cell = rect_make(in.row + i, in.col + k * w->wide, 1, w->wide);
            enum role role;
            uint32_t glyph = cell_look(h, row, col, &role);
            grid_fill(g, cell, role, glyph);
            if (row != w->row || col != w->col)
                continue;
            grid_put(g, cell.row, cell.col, ROLE_FOCUS, w->wide > 1 ? 0x25b8 : '+'); /* ▸ */
            if (w->wide > 1)
                grid_put(g, cell.row, cell.col + 1, ROLE_FOCUS, 0x25c2); /* ◂ */
            grid_add_attributes(g, cell, ATTR_REVERSE);
            grid_cursor(g, cell.row, cell.col, false);
        }
}

static void legend_draw(struct grid *g, struct rect r, const struct heat_view *h)
{
    for (int shade = SHADES - 1; shade >= 0 && h->lowest <= h->highest && r.rows > 0; shade--) {
        int from = shade_from(h, shade), end = shade_from(h, shade + 1);
        if (from == end)
            continue;
        struct rect line = run_take(&r, 1);
        grid_put(g, line.row, line.col, ROLE_GOOD, shades[shade]);
        if (end - from > 1)
            grid_printf(g, line.row, line.col + 2, ROLE_TEXT, "2^%d…2^%d", from, end - 1);
        else
            grid_printf(g, line.row, line.col + 2, ROLE_TEXT, "2^%d", from);
    }
    for (int class = HEAT_ZERO; class <= HEAT_NAN && r.rows > 0; class ++) {
        if (class == HEAT_NORMAL)
            continue;
        struct rect line = run_take(&r, 1);
        grid_put(g, line.row, line.col, classes[class].role, classes[class].glyph);
        grid_text(g, line.row, line.col + 2, ROLE_DIM, classes[class].name);
    }
}

static const struct format *format_of(const char *name)
{
    for (int i = 0; i < FORMAT_STORED_COUNT; i++)
        if (strcmp(format_table[i].name, name) == 0)
            return &format_table[i];
    return NULL;
}

/* The element under the cursor: its bits, its value and its class. */
static void element_draw(struct grid *g, struct rect r, const struct heat_view *h, const struct tensor_row *t,
                         const struct window *w)
{
    const struct format *f = format_of(h->format);
    if (r.rows < 1 || w->row < 0 || !f || t->cols < 1) {
        if (r.rows > 0)
            run_words(g, r.row, r.col, r.cols, ROLE_DIM, "the map of the selected tensor is on its way");
        return;
    }
    int element = h->element[w->row][w->col], class = bounded(h->class[w->row][w->col], 0, HEAT_NAN);
    char hex[TEXT_HEX], value[TEXT_SHORT], where[TENSOR_NAME + 48], text[TEXT_LINE], block[48] = "";
    text_hex(hex, sizeof hex, f, h->bits[w->row][w->col]);
    text_bits_value(value, sizeof value, f, h->bits[w->row][w->col], 12);
    snprintf(where, sizeof where, "%s[%ld,%ld]", h->name, element / t->cols, element % t->cols);
    if (h->row_step > 1 || h->col_step > 1)
        snprintf(block, sizeof block, ", largest of %d×%d", h->row_step, h->col_step);
    int at = r.col + grid_text(g, r.row, r.col, ROLE_FOCUS, "▸") + 1;
    at += grid_text(g, r.row, at, ROLE_FOCUS, where) + 2;
    snprintf(text, sizeof text, "%s %s  %s  %s%s", h->format, hex, value, classes[class].name, block);
    at += run_words(g, r.row, at, r.col + r.cols - at, ROLE_TEXT, text);
    static const char keys[] = "Enter in Bits   PgUp PgDn tensor   H away";
    if (at + 3 + (int)sizeof keys - 1 <= r.col + r.cols)
        grid_text_right(g, r.row, r.col + r.cols, ROLE_DIM, keys);
}

static bool heat_sound(const struct heat_view *h)
{
    return h->valid && h->rows > 0 && h->cols > 0 && h->rows <= HEAT_SIDE && h->cols <= HEAT_SIDE &&
           h->row_step > 0 && h->col_step > 0;
}

void map_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s)
{
    const struct heat_view *h = &s->heat;
    const struct tensor_row *t =
        v->tensor >= 0 && v->tensor < s->tensor_count && v->tensor < TRAINER_MAX_TENSORS
            ? &s->tensors[v->tensor]
            : NULL;
    if (!heat_sound(h) || r.rows < 1)
        return;
    bool selected = t && t->cols > 0 && strcmp(t->name, h->name) == 0 && v->element >= 0;
    int row = selected ? (int)(v->element / t->cols / h->row_step) : -1;
    int col = selected ? (int)(v->element % t->cols / h->col_step) : -1;
    if (row >= h->rows)
        row = col = -1;
    char title[160], part[64] = "", block[48] = "";
    struct rect in = rect_make(r.row + 1, r.col + 1, r.rows - 2, r.cols - 2); /* below: the element's line */
    struct rect map = rect_make(in.row, in.col, in.rows, in.cols - LEGEND - 1);
    struct window w = window_of(map, h, row, col);
    if (w.rows < h->rows && w.rows > 0)
        snprintf(part, sizeof part, " · rows %d–%d of %d", w.first_row, w.first_row + w.rows - 1, h->rows);
    if (h->row_step > 1 || h->col_step > 1)
        snprintf(block, sizeof block, " · a cell is %d×%d", h->row_step, h->col_step);
    snprintf(title, sizeof title, "map of %s  %s %s · exponents%s%s", h->name, h->format, h->shape, block,
             part);
    run_section(g, r, title, false);
    cells_draw(g, map, h, &w);
    int legend = w.cols * w.wide + 2, last = in.cols - LEGEND;
    legend_draw(g, rect_make(in.row, in.col + (legend < last ? legend : last), in.rows, LEGEND), h);
    if (t && in.rows > 0)
        element_draw(g, rect_make(in.row + in.rows, in.col, 1, in.cols), h, t, &w);
}
