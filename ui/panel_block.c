/* panel_block.c: a block: its shared scale and how that came about, its elements as bits, and the focused one
 * in full.  The table shows as many rows as there are, and follows the focus. */
#include "glyph.h"
#include "panel_numbers.h"
#include <stdio.h>
#include <string.h>

enum {
    WIDE = 112,    /* columns from which the element's own value has room */
    FEWEST = 10,   /* rows of the table before a picture gets any */
    FIELD_GAP = 1, /* between the sign, the exponent and the significand */
    NUMBER_GAP = 2 /* between two columns */
};

/* Columns of the table, from the page's left edge; element 0: not shown. */
struct columns {
    int input, scaled, bits, hex, element, stands, error, class;
    int number; /* width of a number */
};

static struct columns columns_of(int cols)
{
    if (cols >= WIDE)
        return (struct columns){6, 25, 44, 56, 63, 77, 96, 108, 17};
    return (struct columns){6, 19, 32, 43, 0, 48, 61, 71, 12};
}

/* ---- what is above the table ---- */

static void draw_line(struct page *p, const char *label, enum role role, const char *text)
{
    int at = p->col + 2 + grid_text(p->g, p->row, p->col + 2, ROLE_DIM, label);
    grid_text_fit(p->g, p->row++, at, p->col + p->cols - 1 - at, role, text);
}

/* The fields of an encoding, a blank between them; returns the column behind. */
static int draw_bits(struct page *p, int at, const struct field_view *f)
{
    if (f->sign[0])
        at += grid_text(p->g, p->row, at, ROLE_SIGN, f->sign) + FIELD_GAP;
    at += grid_text(p->g, p->row, at, ROLE_EXPONENT, f->exponent);
    if (f->trailing[0])
        at += FIELD_GAP + grid_text(p->g, p->row, at + FIELD_GAP, ROLE_SIGNIFICAND, f->trailing);
    return at;
}

static void draw_scale(struct page *p, const struct block_screen *b)
{
    char title[TEXT_SHORT];
    snprintf(title, sizeof title, "shared scale · %s", b->scale.format->name);
    page_rule(p, title);
    int at = draw_bits(p, p->col + 2, &b->scale) + NUMBER_GAP;
    at += grid_text(p->g, p->row, at, ROLE_TEXT, b->scale.hex);
    at += grid_text(p->g, p->row, at, ROLE_DIM, " = ");
    at += grid_text(p->g, p->row, at, ROLE_TITLE, b->scale_value) + 4;
    at += grid_text(p->g, p->row, at, ROLE_DIM, "largest magnitude ");
    grid_text(p->g, p->row++, at, ROLE_TEXT, b->largest);
    page_paragraph(p, ROLE_TEXT, b->scale_why);
}

static void draw_top(struct page *p, const struct block_screen *b)
{
    draw_line(p, "block   ", ROLE_TEXT, b->text);
    draw_line(p, "is      ", ROLE_TEXT, b->what);
    bool fits = glyph_text_width(b->policy) + 11 <= p->cols;
    draw_line(p, "policy  ", ROLE_TEXT, fits ? b->policy : b->policy_brief);
    draw_line(p, "errors  ", b->zeros || b->saturated ? ROLE_WARNING : ROLE_TEXT, b->summary);
    draw_scale(p, b);
}

/* ---- the table ---- */

static void draw_titles(struct page *p, const struct columns *c)
{
    const struct {
        int col;
        const char *text;
    } titles[] = {{c->input, "value"}, {c->scaled, "÷ scale"},  {c->bits, "bits"},
                  {c->hex, "code"},    {c->element, "element"}, {c->stands, "stands for"},
                  {c->error, "error"}, {c->class, "class"}};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles[i].col)
            grid_text(p->g, p->row, p->col + titles[i].col, ROLE_DIM, titles[i].text);
    p->row++;
}

static void draw_number(struct page *p, int col, int width, enum role role, const char *text)
{
    char number[TEXT_VALUE];
    panel_number(text, width, number);
    grid_text_fit(p->g, p->row, p->col + col, width, role, number); /* exponents can be longer than that */
}

static void draw_row(struct page *p, const struct columns *c, const struct block_row *row, int i, bool here)
{
    enum role fate = row->lost ? ROLE_WARNING : strcmp(row->class, "normal") == 0 ? ROLE_DIM : ROLE_TEXT;
    if (here)
        grid_text(p->g, p->row, p->col + 1, ROLE_FOCUS, "▸");
    grid_printf(p->g, p->row, p->col + 3, here ? ROLE_FOCUS : ROLE_DIM, "%2d", i);
    draw_number(p, c->input, c->number, here ? ROLE_FOCUS : ROLE_TEXT, row->input);
    draw_number(p, c->scaled, c->number, ROLE_TEXT, row->scaled);
    draw_bits(p, p->col + c->bits, &row->element);
    grid_text(p->g, p->row, p->col + c->hex, ROLE_TEXT, row->element.hex);
    if (c->element)
        draw_number(p, c->element, 12, ROLE_TEXT, row->element.value);
    draw_number(p, c->stands, c->number, row->lost ? ROLE_WARNING : ROLE_TEXT, row->stands);
    grid_text(p->g, p->row, p->col + c->error, ROLE_TEXT, row->error);
    if (c->error + glyph_text_width(row->error) < c->class) /* an error that long says enough */
        grid_text(p->g, p->row, p->col + c->class, fate, row->class);
    if (here)
        grid_cursor(p->g, p->row, p->col + c->input, false);
    p->row++;
}

static void draw_table(struct page *p, const struct block_screen *b, int focus, int rows)
{
    struct columns c = columns_of(p->cols);
    char title[TEXT_SHORT * 2];
    rows = rows > b->count ? b->count : rows < 1 ? 1 : rows;
    int first = focus - rows / 2, last = b->count - rows;
    first = first > last ? last : first;
    first = first < 0 ? 0 : first;
    snprintf(title, sizeof title, "elements · %s · %d–%d of %d", b->rows[0].element.format->name, first,
             first + rows - 1, b->count);
    if (rows == b->count)
        snprintf(title, sizeof title, "elements · %s", b->rows[0].element.format->name);
    page_rule(p, title);
    draw_titles(p, &c);
    for (int i = first; i < first + rows; i++)
        draw_row(p, &c, &b->rows[i], i, i == focus);
}

/* ---- the focused element ---- */

static void draw_element(struct page *p, const struct block_screen *b, int i, bool picture)
{
    const struct block_row *row = &b->rows[i];
    char title[TEXT_SHORT * 2];
    snprintf(title, sizeof title, "element %d · %s", i, row->input);
    page_rule(p, title);
    page_paragraph(p, ROLE_TEXT, row->why[0]);
    page_paragraph(p, ROLE_TEXT, row->why[1]);
    if (picture && row->line.valid)
        page_number_line(p, &row->line, b->mode, "÷ scale");
}

/* ---- the whole ---- */

void panel_block(struct page *p, const struct view *v, const struct snapshot *s, int rows)
{
    const struct block_screen *b = &s->block;
    struct grid none = {0};
    int focus = v->block < 0 ? 0 : v->block >= b->count ? b->count - 1 : v->block;
    struct page rest = {.g = &none, .cols = p->cols, .roomy = p->roomy};
    int table = 2 + p->roomy, picture = 4;
    draw_top(&rest, b);
    draw_element(&rest, b, focus, false);
    int room = rows - rest.row - table;
    bool pictured = room - picture >= (b->count < FEWEST ? b->count : FEWEST);
    draw_top(p, b);
    draw_table(p, b, focus, room - (pictured ? picture : 0));
    draw_element(p, b, focus, pictured);
}
