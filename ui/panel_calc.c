/* panel_calc.c: a calculation: its result in every format, its steps, the last addition as on a blackboard.
 */
#include "glyph.h"
#include "panel_numbers.h"
#include <stdio.h>
#include <string.h>

enum {
    COL_LABEL = 2,
    COL_DIGITS = 12,
    CUT = 0x2502 /* │: what is right of it is rounded off */
};

/* ---- the results ---- */

static void draw_result(struct page *p, const struct calc_row *row, bool here)
{
    bool wide = p->cols >= 100;
    int value = p->col + 22, error = p->col + (wide ? 50 : 42), flags = p->col + (wide ? 72 : 61);
    char text[TEXT_VALUE];
    if (here)
        grid_text(p->g, p->row, p->col + 1, ROLE_FOCUS, "▸");
    grid_text(p->g, p->row, p->col + 3, here ? ROLE_FOCUS : ROLE_TITLE, row->format->name);
    if (*row->reason) {
        grid_text_fit(p->g, p->row++, p->col + 10, p->cols - 12, ROLE_DIM, row->reason);
        return;
    }
    grid_text(p->g, p->row, p->col + 10, ROLE_TEXT, row->hex);
    panel_number(row->value, error - value - 2, text);
    grid_text(p->g, p->row, value, ROLE_TEXT, text);
    int at = error + grid_text(p->g, p->row, error, ROLE_DIM, "error ");
    grid_text(p->g, p->row, at, ROLE_TEXT, row->error);
    bool lost = strstr(row->flags, "overflow") || strstr(row->flags, "invalid");
    grid_text_fit(p->g, p->row++, flags, p->col + p->cols - flags, lost ? ROLE_WARNING : ROLE_DIM,
                  row->flags);
}

/* ---- the blackboard ---- */

struct board {
    const struct calc_answer *a;
    int columns; /* of digits that fit */
    int cut;     /* digits before the cut; 0: nothing is below the last place that is shown */
};

static struct board board_of(const struct page *p, const struct calc_answer *a)
{
    int length = (int)strlen(a->larger), room = p->cols - COL_DIGITS - 5;
    struct board b = {.a = a, .columns = length < room ? length : room};
    if (a->last >= 0 && a->last + 1 < b.columns)
        b.cut = a->last + 1;
    return b;
}

/* Where digit i stands: the point is behind the larger operand's first digit, the cut behind the last place.
 */
static int digit_col(const struct page *p, const struct board *b, int i)
{
    return p->col + COL_DIGITS + i + (i > 1) + (b->cut && i >= b->cut);
}

/* Which columns hold a significand: the rest of its row is filled up with zeros. */
struct window {
    int first, last;
};

/* The smaller operand's last place is the last column, or beyond the row; both are p digits wide. */
static struct window window_of(const struct calc_answer *a, bool second)
{
    int length = (int)strlen(a->larger), p = a->format->precision;
    int last = a->more ? p : length - 1 - a->shift; /* of the larger one */
    if (!second)
        return (struct window){0, last};
    return (struct window){last + a->shift - p + 1, last + a->shift};
}

static const struct window everything = {0, CALC_DIGITS};

static enum role digit_role(const struct board *b, int i)
{
    if (!b->cut || i < b->cut)
        return ROLE_SIGNIFICAND;
    return i == b->cut ? ROLE_FOCUS : i == b->cut + 1 ? ROLE_WARNING : ROLE_EXPONENT;
}

/* A row of digits; a zero in the carry's column is left blank.  `decides`: what is cut off has colours. */
static void draw_digits(struct page *p, const struct board *b, const char *label, const char *digits,
                        struct window own, bool decides)
{
    int count = (int)strlen(digits);
    grid_text(p->g, p->row, p->col + COL_LABEL, ROLE_DIM, label);
    count = count < b->columns ? count : b->columns;
    for (int i = digits[0] == '0'; i < count; i++) {
        enum role role = i < own.first || i > own.last ? ROLE_DIM : decides ? digit_role(b, i) : ROLE_TEXT;
        grid_put(p->g, p->row, digit_col(p, b, i), role, (uint32_t)digits[i]);
    }
    if (count > 2)
        grid_put(p->g, p->row, p->col + COL_DIGITS + 2, ROLE_TEXT, '.');
    if (b->cut && count >= b->cut)
        grid_put(p->g, p->row, digit_col(p, b, b->cut) - 1, ROLE_RULE, CUT);
    bool stored = digits == b->a->kept, goes_on = b->a->more || (int)strlen(b->a->larger) > b->columns;
    if (count == b->columns && (stored ? strchr(digits + count, '1') != NULL : goes_on))
        grid_text(p->g, p->row, digit_col(p, b, count), ROLE_DIM, "…");
    p->row++;
}

/* What an operand is, at the right of its digits: as much of it as there is room for. */
static void draw_note(struct page *p, const struct board *b, bool is_b, int shift)
{
    const struct calc_answer *a = b->a;
    char texts[3][TEXT_VALUE], moved[TEXT_SHORT] = "";
    int at = digit_col(p, b, b->columns) + 3;
    if (shift > 0)
        snprintf(moved, sizeof moved, "→ %d place%s", shift, shift == 1 ? "" : "s");
    const char *name = is_b ? "b" : "a", *value = is_b ? a->b : a->a;
    snprintf(texts[0], sizeof texts[0], "%s = %s  %s  %s", name, value, is_b ? a->b_hex : a->a_hex, moved);
    snprintf(texts[1], sizeof texts[1], "%s = %s  %s", name, value, moved);
    snprintf(texts[2], sizeof texts[2], "%s", moved);
    for (int i = 0; i < 3; i++)
        if (at + glyph_text_width(texts[i]) <= p->col + p->cols) {
            grid_text(p->g, p->row, at, ROLE_DIM, texts[i]);
            return;
        }
}

static void draw_operand(struct page *p, const struct board *b, bool second, const char *digits)
{
    const struct calc_answer *a = b->a;
    bool is_b = second != a->swapped;
    char label[16];
    snprintf(label, sizeof label, "%s |%s|", second ? (a->subtracts ? "−" : "+") : " ", is_b ? "b" : "a");
    draw_note(p, b, is_b, second ? a->shift : 0);
    draw_digits(p, b, label, digits, window_of(a, second), false);
}

static void draw_sum_line(struct page *p, const struct board *b)
{
    int from = p->col + COL_DIGITS, end = digit_col(p, b, b->columns);
    grid_fill(p->g, rect_make(p->row, from, 1, end - from), ROLE_RULE, 0x2500);
    if (b->cut)
        grid_put(p->g, p->row, digit_col(p, b, b->cut) - 1, ROLE_RULE, 0x253c);
    p->row++;
}

/* G and R below the bits that decide, S below all that only says whether anything is left. */
static void draw_marks(struct page *p, const struct board *b)
{
    if (!b->cut)
        return;
    for (int i = b->cut; i < b->columns; i++) {
        int place = i - b->cut;
        grid_put(p->g, p->row, digit_col(p, b, i), digit_role(b, i),
                 place == 0   ? 'G'
                 : place == 1 ? 'R'
                              : 'S');
    }
    grid_printf(p->g, p->row, p->col + COL_LABEL, ROLE_DIM, "%s", b->a->carry ? "carry" : "");
    int at = digit_col(p, b, b->columns) + 3;
    if (at + 28 <= p->col + p->cols)
        grid_printf(p->g, p->row, at, ROLE_DIM, "guard %d  round %d  sticky %d", b->a->guard, b->a->round,
                    b->a->sticky);
    p->row++;
}

static void draw_board(struct page *p, const struct calc_answer *a)
{
    char title[TEXT_VALUE], text[TEXT_VALUE];
    struct board b = board_of(p, a);
    bool negative = a->b[0] == '-';
    snprintf(title, sizeof title, "%s %s %s%s%s in %s, on the blackboard · digits × 2^%d", a->a,
             a->op == '+' ? "+" : "−", negative ? "(" : "", a->b, negative ? ")" : "", a->format->name,
             a->top - 1);
    page_rule(p, title);
    draw_operand(p, &b, false, a->larger);
    draw_operand(p, &b, true, a->smaller);
    draw_sum_line(p, &b);
    int at = digit_col(p, &b, b.columns) + 3, room = p->col + p->cols - at - 3;
    if (room >= 16) {
        panel_number(a->exact_text, room, text);
        grid_printf(p->g, p->row, at, ROLE_DIM, "= %s", text);
    }
    draw_digits(p, &b, "  exact", a->exact, everything, true);
    draw_marks(p, &b);
    snprintf(text, sizeof text, "= %s  %s", a->result, a->result_hex);
    if (at + glyph_text_width(text) <= p->col + p->cols - 1)
        grid_text(p->g, p->row, at, ROLE_TEXT, text);
    draw_digits(p, &b, "  stored", a->kept, everything, false);
    page_paragraph(p, ROLE_TEXT, a->text);
}

/* ---- the steps ---- */

/* Where rounding twice would give something else, or, if `always`, that it would not. */
static void draw_via(struct page *p, int at, const struct calc_line *line, bool always)
{
    if (line->via_differs)
        grid_printf(p->g, p->row++, at, ROLE_WARNING, "rounding twice differs, %s", line->via);
    else if (always && *line->via)
        grid_printf(p->g, p->row++, at, ROLE_DIM, "rounding twice, %s", line->via);
}

static void draw_step(struct page *p, int number, const struct calc_line *line)
{
    char text[TEXT_VALUE];
    int at = p->col + 6, end = p->col + p->cols - 1;
    grid_printf(p->g, p->row, p->col + 2, ROLE_DIM, "%2d", number);
    grid_text_fit(p->g, p->row++, at, end - at, ROLE_TEXT, line->operation);
    int tie = *line->tie ? glyph_text_width(line->tie) + 2 : 0;
    at += grid_text(p->g, p->row, at, ROLE_DIM, "exact ");
    if (*line->ratio)
        at += grid_printf(p->g, p->row, at, ROLE_TEXT, "%s = ", line->ratio);
    panel_number(line->exact, p->col + 46 - at - tie, text);
    at += grid_text(p->g, p->row, at, ROLE_TEXT, text);
    if (tie)
        grid_printf(p->g, p->row, at, ROLE_DIM, ", %s", line->tie);
    at = p->col + 48;
    at += grid_text(p->g, p->row, at, ROLE_DIM, "→ ");
    at += grid_text(p->g, p->row, at, ROLE_TEXT, line->value);
    at += grid_printf(p->g, p->row, at, ROLE_DIM, " (%s)", line->hex);
    if (*line->flags && at + 2 + glyph_text_width(line->flags) <= end)
        grid_printf(p->g, p->row, at + 2, ROLE_DIM, "%s", line->flags);
    p->row++;
    draw_via(p, p->col + 6, line, false);
}

static void draw_steps(struct page *p, const struct calc_row *row)
{
    char title[TEXT_SHORT * 2];
    int shown = row->steps < CALC_SCREEN_STEPS ? row->steps : CALC_SCREEN_STEPS;
    snprintf(title, sizeof title, "%d step%s in %s, %srounded once", row->steps, row->steps == 1 ? "" : "s",
             row->format->name, row->steps == 1 ? "" : "each ");
    page_rule(p, title);
    for (int i = 0; i < shown; i++)
        draw_step(p, i + 1, &row->lines[i]);
    if (row->steps > shown)
        grid_printf(p->g, p->row++, p->col + 6, ROLE_DIM, "and %d more", row->steps - shown);
}

/* ---- fields ---- */

/* The last step's operands and result, bits of the same weight below each other. */
static void draw_fields(struct page *p, const struct calc_row *row)
{
    char title[TEXT_SHORT * 2], number[TEXT_VALUE];
    const struct format *f = row->format;
    int exponent = p->col + 13, trailing = exponent + f->exponent_bits + 2;
    int hex = trailing + f->trailing_bits + 3, class = hex + 12, value = class + 12;
    snprintf(title, sizeof title, "operands and result%s in %s", row->steps > 1 ? " of the last step" : "",
             f->name);
    page_rule(p, title);
    for (int i = 0; i < row->field_count; i++, p->row++) {
        const struct field_view *v = &row->fields[i].field;
        grid_text(p->g, p->row, p->col + COL_LABEL, ROLE_DIM, row->fields[i].name);
        grid_text(p->g, p->row, p->col + 10, ROLE_SIGN, v->sign);
        grid_text(p->g, p->row, exponent, ROLE_EXPONENT, v->exponent);
        grid_text(p->g, p->row, trailing, ROLE_SIGNIFICAND, v->trailing);
        grid_text(p->g, p->row, hex, ROLE_TEXT, v->hex);
        grid_text(p->g, p->row, class, ROLE_DIM, row->fields[i].class);
        if (value + 12 > p->col + p->cols)
            continue;
        panel_number(v->value, p->col + p->cols - 1 - value, number);
        grid_text(p->g, p->row, value, ROLE_TEXT, number);
    }
}

/* A single addition is its blackboard; anything else is its steps first. */
void panel_calc(struct page *p, const struct view *v, const struct snapshot *s)
{
    const struct calc_screen *c = &s->calc;
    for (int i = 0; i < c->count; i++)
        draw_result(p, &c->rows[i], i == v->format);
    if (v->format < 0 || v->format >= c->count)
        return;
    const struct calc_row *row = &c->rows[v->format];
    if (*row->reason) {
        page_rule(p, "no result");
        page_paragraph(p, ROLE_TEXT, row->reason);
        return;
    }
    bool board_only = row->steps == 1 && row->board.valid;
    if (row->steps && !board_only)
        draw_steps(p, row);
    else if (!row->steps)
        page_paragraph(p, ROLE_DIM, "a single operand: nothing is calculated");
    if (row->board.valid)
        draw_board(p, &row->board);
    if (row->steps == 1 && (board_only || !row->lines[0].via_differs)) /* draw_steps told the other */
        draw_via(p, p->col + 2, &row->lines[0], p->roomy);
    if (row->field_count)
        draw_fields(p, row);
}
