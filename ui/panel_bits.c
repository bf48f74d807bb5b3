/* panel_bits.c: one value in every format: fields, error, neighbours, and why it rounds as it does. */
#include "glyph.h"
#include "panel.h"
#include "panel_parts.h"
#include <stdio.h>
#include <string.h>

/* Columns of the table of formats, from the page's left edge.  The exponents end and the trailing
 * significands begin in one column, so that bits of the same weight stand below each other. */
enum {
    COL_MARK = 1,
    COL_NAME = 3,
    COL_SIGN = 10,
    COL_EXPONENT = 13,
    FIELD_GAP = 2,
    WIDE = 116 /* columns from which the second line of a format has room for everything */
};

struct columns {
    int exponent, trailing; /* where the exponents end, where the significands begin */
    int hex, class, scientific;
    int value, error, relative, ulp, tie; /* of a format's second line; relative 0: not shown */
};

static struct columns columns_of(int cols)
{
    int exponent = 0, trailing = 0;
    for (int i = 0; i < FORMAT_STORED_COUNT; i++) {
        exponent = format_table[i].exponent_bits > exponent ? format_table[i].exponent_bits : exponent;
        trailing = format_table[i].trailing_bits > trailing ? format_table[i].trailing_bits : trailing;
    }
    struct columns c = {.exponent = COL_EXPONENT + exponent, .value = COL_SIGN};
    c.trailing = c.exponent + FIELD_GAP;
    c.hex = c.trailing + trailing + 3;
    c.class = c.hex + 12;
    c.scientific = c.class + 15;
    bool wide = cols >= WIDE;
    int spare = wide ? cols - WIDE : 0;
    spare = spare > 40 ? 40 : spare;
    c.error = wide ? 40 + spare : 32;
    c.relative = wide ? c.error + 17 : 0;
    c.ulp = wide ? c.relative + 15 : c.error + 18;
    c.tie = c.ulp + 15;
    return c;
}

/* Where bit `bit` of a format stands. */
static int bit_col(const struct columns *c, const struct format *f, int bit)
{
    if (bit == f->width - 1)
        return COL_SIGN;
    if (bit >= f->trailing_bits)
        return c->exponent - 1 - (bit - f->trailing_bits);
    return c->trailing + f->trailing_bits - 1 - bit;
}

/* Bit numbers above the cells: the ends of the fields, every eighth, and the selected one before all others.
 */
static void draw_ruler(struct page *p, const struct columns *c, const struct format *f, int selected)
{
    bool taken[128] = {false};
    for (int pass = 0; pass < 3; pass++)
        for (int bit = f->width - 1; bit >= 0; bit--) {
            bool end =
                bit >= f->width - 2 || bit == f->trailing_bits || bit == f->trailing_bits - 1 || bit == 0;
            bool chosen = pass == 0 ? bit == selected : pass == 1 ? end : bit % 8 == 0;
            int at = bit_col(c, f, bit);
            char number[8];
            int width = snprintf(number, sizeof number, "%d", bit);
            if (!chosen || at < 1 || at + width + 1 > (int)sizeof taken)
                continue;
            bool is_free = true;
            for (int i = at - 1; i <= at + width; i++)
                is_free = is_free && !taken[i];
            if (!is_free)
                continue;
            memset(&taken[at], true, (size_t)width);
            grid_text(p->g, p->row, p->col + at, pass == 0 ? ROLE_FOCUS : ROLE_DIM, number);
        }
}

static void draw_cells(struct page *p, const struct columns *c, const struct bits_row *row, int selected)
{
    const struct format *f = row->format;
    grid_text(p->g, p->row, p->col + COL_SIGN, ROLE_SIGN, row->sign);
    grid_text_right(p->g, p->row, p->col + c->exponent, ROLE_EXPONENT, row->exponent);
    grid_text(p->g, p->row, p->col + c->trailing, ROLE_SIGNIFICAND, row->trailing);
    if (selected < 0)
        return;
    int at = p->col + bit_col(c, f, selected);
    grid_add_attributes(p->g, rect_make(p->row, at, 1, 1), ATTR_REVERSE | ATTR_BOLD);
    grid_cursor(p->g, p->row, at, false);
}

static void draw_class(struct page *p, const struct columns *c, const struct bits_row *row)
{
    bool ordinary = row->class == CLASS_NORMAL || row->class == CLASS_ZERO;
    grid_text(p->g, p->row, p->col + c->hex, ROLE_TEXT, row->hex);
    grid_text(p->g, p->row, p->col + c->class, ordinary ? ROLE_DIM : ROLE_WARNING, row->class_text);
    if (p->col + c->scientific + glyph_text_width(row->scientific) <= p->col + p->cols)
        grid_text(p->g, p->row, p->col + c->scientific, ROLE_TEXT, row->scientific);
}

/* The tie class: the whole sentence where it fits, else what stands before its colon. */
static void draw_tie(struct page *p, const struct columns *c, const struct bits_row *row)
{
    char text[TEXT_SHORT];
    snprintf(text, sizeof text, "%s", row->tie);
    char *colon = strchr(text, ':');
    if (c->tie + glyph_text_width(text) > p->cols && colon)
        *colon = '\0';
    bool lost = strstr(row->tie, "overflow") || row->class == CLASS_INFINITE;
    grid_text_fit(p->g, p->row, p->col + c->tie, p->cols - c->tie, lost ? ROLE_WARNING : ROLE_DIM, text);
}

static void draw_error(struct page *p, const struct columns *c, const struct bits_row *row)
{
    char value[TEXT_VALUE];
    int at = p->col + c->value;
    at += grid_text(p->g, p->row, at, ROLE_DIM, "= ");
    panel_number(row->value, c->error - c->value - 4, value);
    grid_text(p->g, p->row, at, ROLE_TEXT, value);
    at = p->col + c->error;
    at += grid_text(p->g, p->row, at, ROLE_DIM, "error ");
    grid_text(p->g, p->row, at, ROLE_TEXT, row->error);
    if (c->relative) {
        at = p->col + c->relative;
        at += grid_text(p->g, p->row, at, ROLE_DIM, "rel ");
        grid_text(p->g, p->row, at, ROLE_TEXT, row->relative_error);
    }
    grid_text(p->g, p->row, p->col + c->ulp, ROLE_TEXT, row->error_ulp);
    draw_tie(p, c, row);
}

static void draw_header(struct page *p, const struct snapshot *s)
{
    const struct bits_answer *a = &s->bits;
    bool wide = p->cols >= WIDE;
    int side = p->col + (wide ? 58 : 50), value_cols = side - p->col - 4;
    page_field(p, p->col + 2, value_cols, s->live ? "live    " : "value   ",
               s->live ? ROLE_FOCUS : ROLE_TITLE, s->live ? s->focus : a->input);
    int at = page_field(p, side, 27, "rounding  ", ROLE_TEXT, a->rounding);
    if (wide)
        grid_text(p->g, p->row, at + 4, ROLE_DIM, a->overflow);
    p->row++;
    page_field(p, p->col + 2, value_cols, "exact   ", ROLE_TEXT, a->exact);
    at = side;
    if (a->binade[0])
        at = page_field(p, side, 28, "lies in   ", ROLE_TEXT, a->binade);
    if (wide) {
        at = at < side + 26 ? side + 26 : at;
        grid_text(p->g, p->row, at + 4, s->live ? ROLE_FOCUS : ROLE_DIM,
                  s->live ? "a live weight" : "typed · w: a live weight");
    }
    p->row++;
}

/* In a roomy page each format has its ruler; else the selected one's stands above them all. */
static void draw_formats(struct page *p, const struct view *v, const struct snapshot *s)
{
    struct columns c = columns_of(p->cols);
    const struct format *selected = &format_table[v->format];
    if (p->roomy) {
        page_rule(p, "formats");
    } else {
        draw_ruler(p, &c, selected, v->bit);
        grid_text(p->g, p->row, p->col + COL_NAME, ROLE_DIM, "bit");
        grid_text(p->g, p->row, p->col + c.hex, ROLE_DIM, "encoding");
        grid_text(p->g, p->row++, p->col + c.class, ROLE_DIM, "class");
    }
    for (int i = 0; i < FORMAT_STORED_COUNT; i++) {
        const struct bits_row *row = &s->bits.rows[i];
        bool here = i == v->format;
        if (!row->format)
            continue;
        if (p->roomy)
            draw_ruler(p, &c, row->format, here ? v->bit : -1), p->row++;
        if (here)
            grid_text(p->g, p->row, p->col + COL_MARK, ROLE_FOCUS, "▸");
        grid_text(p->g, p->row, p->col + COL_NAME, here ? ROLE_FOCUS : ROLE_TITLE, row->format->name);
        draw_cells(p, &c, row, here ? v->bit : -1);
        draw_class(p, &c, row);
        p->row++;
        draw_error(p, &c, row);
        p->row++;
    }
}

/* "label 0x3c01 = 1.0009765625", up to column `end`. */
static void draw_neighbour(struct page *p, int col, int end, const char *label, const char *hex,
                           const char *value)
{
    char number[TEXT_VALUE];
    col += grid_text(p->g, p->row, col, ROLE_DIM, label);
    if (!hex[0]) {
        grid_text(p->g, p->row, col, ROLE_DIM, "none");
        return;
    }
    col += grid_text(p->g, p->row, col, ROLE_TEXT, hex);
    col += grid_text(p->g, p->row, col, ROLE_DIM, " = ");
    panel_number(value, end - col, number);
    grid_text(p->g, p->row, col, ROLE_TEXT, number);
}

static void draw_bit(struct page *p, const struct view *v, const struct bits_row *row)
{
    const struct bits_flip *flip = &row->flips[v->bit];
    char title[TEXT_SHORT * 2];
    snprintf(title, sizeof title, "bit %d of %s · %s", v->bit, row->format->name, flip->role);
    page_rule(p, title);
    int left = p->col + 2, right = p->col + p->cols / 2 + 2;
    draw_neighbour(p, left, right - 2, "flip       ", flip->hex, flip->value);
    draw_neighbour(p, right, p->col + p->cols - 1, "next up    ", row->up_hex, row->up);
    p->row++;
    grid_printf(p->g, p->row, left, ROLE_DIM, "hex float  ");
    grid_text(p->g, p->row, left + 11, ROLE_TEXT, row->hexfloat);
    draw_neighbour(p, right, p->col + p->cols - 1, "next down  ", row->down_hex, row->down);
    p->row++;
}

static void draw_interval(struct page *p, const struct bits_row *row)
{
    char text[TEXT_LINE];
    bool many = row->interval[0] == '[' || row->interval[0] == '(';
    snprintf(text, sizeof text, "%s%s round%s to %s %s", many ? "all reals in " : "", row->interval,
             many ? "" : "s", row->format->name, row->hex);
    char *infinity = strstr(text, "∞");
    if (infinity && p->g->ascii) { /* no ASCII character stands for it; its three bytes do */
        infinity[0] = 'i';
        infinity[1] = 'n';
        infinity[2] = 'f';
    }
    if (row->interval[0])
        page_paragraph(p, ROLE_TEXT, text);
}

static void draw_why(struct page *p, const struct bits_row *row)
{
    char text[3 * TEXT_LINE];
    snprintf(text, sizeof text, "%s %s %s", row->why[0], row->why[1], row->why[2]);
    page_rule(p, "why");
    page_paragraph(p, ROLE_TEXT, text);
}

/* Where there are rows to spare: what every bit is worth, and what flipping it gives; in as many columns as
 * there is room for. */
static void draw_flips(struct page *p, const struct view *v, const struct bits_row *row, int spare)
{
    enum { BIT_COLS = 58 };
    int columns = p->cols / BIT_COLS, width = row->format->width, rows = (width + columns - 1) / columns;
    char title[TEXT_SHORT];
    if (spare < rows + 2)
        return;
    snprintf(title, sizeof title, "every bit of %s", row->format->name);
    page_rule(p, title);
    int first = p->row;
    for (int i = 0; i < width; i++) {
        int bit = width - 1 - i, at = p->col + 2 + i / rows * BIT_COLS;
        p->row = first + i % rows;
        const struct bits_flip *flip = &row->flips[bit];
        grid_printf(p->g, p->row, at, bit == v->bit ? ROLE_FOCUS : ROLE_DIM, "%s%2d",
                    bit == v->bit ? "▸ " : "  ", bit);
        grid_text(p->g, p->row, at + 6, ROLE_DIM, flip->role);
        draw_neighbour(p, at + 26, at + BIT_COLS - 2, "", flip->hex, flip->value);
    }
    p->row = first + rows;
}

/* A page with few rows keeps what is asked most often at the top: bits, the bit, the picture, the reasons. */
static int layout(struct page *p, const struct view *v, const struct snapshot *s, int rows)
{
    int first = p->row;
    const struct bits_row *row = &s->bits.rows[v->format];
    draw_header(p, s);
    draw_formats(p, v, s);
    if (!row->format)
        return p->row - first;
    if (!p->roomy)
        draw_bit(p, v, row);
    char title[TEXT_SHORT * 2];
    snprintf(title, sizeof title, "number line · %s around %s", row->format->name, row->line.exact);
    page_rule(p, row->line.valid ? title : "number line");
    page_number_line(p, &row->line, s->mode, "exact");
    if (!p->roomy)
        draw_why(p, row);
    page_paragraph(p, ROLE_DIM, row->line.text);
    draw_interval(p, row);
    if (p->roomy) {
        draw_why(p, row);
        draw_bit(p, v, row);
        draw_flips(p, v, row, rows - (p->row - first));
    }
    return p->row - first;
}

int panel_bits_height(int cols, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = cols};
    return layout(&p, v, s, 0);
}

void panel_bits_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = area.cols, .roomy = true};
    bool roomy = layout(&p, v, s, 0) <= area.rows;
    p = (struct page){.g = g, .col = area.col, .cols = area.cols, .row = area.row, .roomy = roomy};
    struct rect old = grid_clip(g, area);
    layout(&p, v, s, area.rows);
    if (v->stale)
        grid_set_role(g, area, ROLE_STALE);
    grid_unclip(g, old);
}
