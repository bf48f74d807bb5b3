/* panel_bits.c: one value in every format: fields, error, neighbours, and why it rounds as it does. */
#include "glyph.h"
#include "panel_numbers.h"
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
    COL_FOLDED = 22, /* the value in a format's one line */
    HEADER_ROWS = 3,
    FULL_ROWS = 3,    /* so many formats are shown in full; of more only the selected one */
    ROOMY_BLOCK = 28, /* rows from which a block has blank lines */
    WIDE = 116        /* columns from which the second line of a format has room for everything */
};

struct columns {
    int exponent, trailing; /* where the exponents end, where the significands begin */
    int hex, class, scientific;
    int value, error, relative, ulp, tie; /* of a format's second line; relative 0: not shown */
};

static struct columns columns_of(int cols, const struct bits_answer *a)
{
    int exponent = 8, trailing = 10; /* room for the titles at least */
    for (int i = 0; i < a->count; i++) {
        const struct format *f = a->rows[i].format;
        exponent = f->exponent_bits > exponent ? f->exponent_bits : exponent;
        trailing = f->trailing_bits > trailing ? f->trailing_bits : trailing;
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
    if (bit == f->width - 1 && format_has_sign(f))
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
    bool lost = strstr(row->tie, "overflow") || row->class == CLASS_INFINITE;
    if (c->tie + glyph_text_width(text) > p->cols && colon)
        snprintf(text, sizeof text, "%.*s", lost ? 20 : (int)(colon - text), lost ? "overflows" : row->tie);
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

/* The selected row, or NULL. */
static const struct bits_row *selected_row(const struct view *v, const struct snapshot *s)
{
    int last = s->bits.count - 1, i = v->format > last ? last : v->format;
    return last >= 0 && s->bits.rows[i < 0 ? 0 : i].format ? &s->bits.rows[i < 0 ? 0 : i] : NULL;
}

static void draw_header(struct page *p, const struct view *v, const struct snapshot *s)
{
    const struct bits_answer *a = &s->bits;
    const struct bits_row *row = selected_row(v, s);
    bool wide = p->cols >= WIDE, calc = s->calc.shown, live = s->live && !calc;
    int side = p->col + (wide ? 58 : 50), value_cols = side - p->col - 4;
    page_field(p, p->col + 2, calc ? p->cols - 4 : value_cols,
               calc   ? "calc    "
               : live ? "live    "
                      : "value   ",
               live ? ROLE_FOCUS : ROLE_TITLE,
               calc   ? s->calc.text
               : live ? s->focus
                      : a->input);
    if (a->binade[0] && !calc)
        page_field(p, side, 28, "lies in   ", ROLE_TEXT, a->binade);
    p->row++;
    int right = wide ? side : p->col + p->cols - 2;
    int ratio = calc && *s->calc.ratio ? glyph_text_width(s->calc.ratio) + 3 : 0;
    if (ratio)
        grid_printf(p->g, p->row, p->col + 10, ROLE_TEXT, "%s = ", s->calc.ratio);
    grid_text(p->g, p->row, p->col + 2, ROLE_DIM, "exact");
    page_field(p, p->col + 10 + ratio, right - p->col - 12 - ratio, "", ROLE_TEXT,
               !calc                             ? a->exact
               : strcmp(s->calc.exact, "–") == 0 ? "– (irrational, not finite, or too large)"
                                                 : s->calc.exact);
    if (wide)
        grid_text(p->g, p->row, side, live ? ROLE_FOCUS : ROLE_DIM,
                  calc   ? "each operation rounded once · Esc: the value"
                  : live ? "a live weight"
                         : "typed · w: a live weight · c: a calculation · b: a block");
    p->row++;
    int at = p->col + 2 + grid_text(p->g, p->row, p->col + 2, ROLE_DIM, "policy  ");
    int room = p->col + p->cols - 1 - at;
    if (row)
        grid_text_fit(p->g, p->row, at, room, ROLE_TEXT,
                      glyph_text_width(row->policy) <= room ? row->policy : row->policy_brief);
    p->row++;
}

static bool is_folded(const struct snapshot *s)
{
    return s->bits.count > FULL_ROWS;
}

int panel_bits_selected_row(const struct view *v, const struct snapshot *s)
{
    return s->calc.shown || is_folded(s) ? HEADER_ROWS + v->format : 0;
}

static void draw_name(struct page *p, const struct bits_row *row, bool here)
{
    if (here)
        grid_text(p->g, p->row, p->col + COL_MARK, ROLE_FOCUS, "▸");
    grid_text(p->g, p->row, p->col + COL_NAME, here ? ROLE_FOCUS : ROLE_TITLE, row->format->name);
    if (*row->reason)
        grid_text_fit(p->g, p->row, p->col + COL_SIGN, p->cols - COL_SIGN - 2, ROLE_DIM, row->reason);
}

/* A format in one line: encoding, value, error in ulp, tie class. */
static void draw_folded(struct page *p, const struct columns *c, const struct bits_row *row)
{
    char value[TEXT_VALUE];
    int end = c->relative ? c->error : c->ulp;
    draw_name(p, row, false);
    if (!*row->reason) {
        bool ordinary = row->class == CLASS_NORMAL || row->class == CLASS_ZERO;
        grid_text(p->g, p->row, p->col + COL_SIGN, ROLE_TEXT, row->hex);
        panel_number(row->value, end - COL_FOLDED - 2, value);
        grid_text(p->g, p->row, p->col + COL_FOLDED, ordinary ? ROLE_TEXT : ROLE_WARNING, value);
        if (c->relative) {
            int at = p->col + c->error + grid_text(p->g, p->row, p->col + c->error, ROLE_DIM, "error ");
            grid_text(p->g, p->row, at, ROLE_TEXT, row->error);
        }
        grid_text(p->g, p->row, p->col + c->ulp, ROLE_TEXT, row->error_ulp);
        draw_tie(p, c, row);
    }
    p->row++;
}

/* A format in full: the cells, and what they are worth. */
static void draw_full(struct page *p, const struct columns *c, const struct bits_row *row, int selected)
{
    draw_name(p, row, selected >= 0);
    if (*row->reason) {
        p->row += 2;
        return;
    }
    draw_cells(p, c, row, selected);
    draw_class(p, c, row);
    p->row++;
    draw_error(p, c, row);
    p->row++;
}

/* In a roomy page each format has its ruler; else the selected one's stands above them all, and of many
 * formats above the one that is shown in full. */
static void draw_formats(struct page *p, const struct view *v, const struct snapshot *s)
{
    struct columns c = columns_of(p->cols, &s->bits);
    const struct bits_row *selected = selected_row(v, s);
    bool folded = is_folded(s);
    if (p->roomy) {
        page_rule(p, "formats");
    } else if (!folded && selected) {
        draw_ruler(p, &c, selected->format, v->bit);
        grid_text(p->g, p->row, p->col + COL_NAME, ROLE_DIM, "bit");
        grid_text(p->g, p->row, p->col + c.hex, ROLE_DIM, "encoding");
        grid_text(p->g, p->row++, p->col + c.class, ROLE_DIM, "class");
    }
    for (int i = 0; i < s->bits.count; i++) {
        const struct bits_row *row = &s->bits.rows[i];
        bool here = row == selected;
        if (!row->format)
            continue;
        if (folded && !here) {
            draw_folded(p, &c, row);
            continue;
        }
        if (p->roomy || folded) {
            if (!*row->reason)
                draw_ruler(p, &c, row->format, here ? v->bit : -1);
            p->row++;
        }
        draw_full(p, &c, row, here ? v->bit : -1);
    }
}

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

static void draw_interval(struct page *p, const struct bits_row *row, enum round_mode mode)
{
    char text[TEXT_LINE];
    bool many = row->interval[0] == '[' || row->interval[0] == '(';
    bool chance = many && mode == ROUND_SR;
    snprintf(text, sizeof text, "%s%s %sround%s to %s %s", many ? "all reals in " : "", row->interval,
             chance ? "can " : "", many ? "" : "s", row->format->name, row->hex);
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
    char text[3 * TEXT_LINE + TEXT_VALUE] = "", chance[TEXT_VALUE] = "";
    if (*row->more.chance)
        snprintf(chance, sizeof chance, "The probability to go away from zero is %s = %s.", row->more.chance,
                 row->more.percent);
    const char *parts[] = {row->why[0], row->why[1], row->why[2], chance};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t used = strlen(text);
        if (*parts[i])
            snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", parts[i]);
    }
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
static void draw_row(struct page *p, const struct view *v, const struct snapshot *s,
                     const struct bits_row *row)
{
    if (*row->reason) {
        page_rule(p, "why");
        page_paragraph(p, ROLE_TEXT, row->reason);
        return;
    }
    if (!p->roomy)
        draw_bit(p, v, row);
    char title[TEXT_VALUE], chance[TEXT_SHORT * 3] = "";
    if (*row->more.chance)
        snprintf(chance, sizeof chance, " · p(away) %s",
                 row->more.percent); /* the fraction: in the reasons */
    snprintf(title, sizeof title, "number line · %s around %s%s", row->format->name, row->line.exact, chance);
    page_rule(p, row->line.valid ? title : "number line");
    page_number_line(p, &row->line, s->mode, "exact");
    if (!p->roomy)
        draw_why(p, row);
    page_paragraph(p, ROLE_DIM, row->line.text);
    draw_interval(p, row, s->mode);
    if (p->roomy) {
        draw_why(p, row);
        draw_bit(p, v, row);
    }
}

/* `whole`: with what is nice to have, which may have to be scrolled to. */
static int layout(struct page *p, const struct view *v, const struct snapshot *s, int rows, bool whole)
{
    int first = p->row;
    const struct bits_row *row = selected_row(v, s);
    if (s->block.shown) {
        panel_block(p, v, s, rows);
        return p->row - first;
    }
    draw_header(p, v, s);
    if (s->calc.shown) {
        panel_calc(p, v, s);
        return p->row - first;
    }
    draw_formats(p, v, s);
    if (!row)
        return p->row - first;
    draw_row(p, v, s, row);
    if (whole && !*row->reason) {
        panel_explain(p, row);
        if (p->roomy)
            draw_flips(p, v, row, rows - (p->row - first));
    }
    return p->row - first;
}

/* Whether what matters fits into the rows in sight with blank lines between. */
static bool is_roomy(int cols, int rows, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = cols, .roomy = true};
    if (s->block.shown)
        return rows >= ROOMY_BLOCK;
    return layout(&p, v, s, 0, false) <= (v->rows ? v->rows : rows);
}

int panel_bits_height(int cols, const struct view *v, const struct snapshot *s)
{
    struct grid none = {0};
    if (s->block.shown)
        return 0; /* its table has as many rows as there is room for */
    struct page p = {.g = &none, .cols = cols, .roomy = is_roomy(cols, 0, v, s)};
    return layout(&p, v, s, 0, true);
}

void panel_bits_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    struct page p = {.g = g,
                     .col = area.col,
                     .cols = area.cols,
                     .row = area.row,
                     .roomy = is_roomy(area.cols, area.rows, v, s)};
    struct rect old = grid_clip(g, area);
    layout(&p, v, s, area.rows, true);
    if (v->stale)
        grid_set_role(g, area, ROLE_STALE);
    grid_unclip(g, old);
}
