/* panel_explain.c: what else is worth knowing about a stored value. */
#include "glyph.h"
#include "panel_numbers.h"
#include <stdio.h>

enum { LABEL = 11 }; /* columns of a label */

static void pair(struct page *p, int at, int end, const char *label, const char *hex, const char *value)
{
    char text[TEXT_VALUE];
    grid_text(p->g, p->row, at, ROLE_DIM, label);
    at += LABEL;
    if (!*hex) {
        grid_text(p->g, p->row, at, ROLE_DIM, "none");
        return;
    }
    at += grid_text(p->g, p->row, at, ROLE_TEXT, hex);
    at += grid_text(p->g, p->row, at, ROLE_DIM, " = ");
    panel_number(value, end - at, text);
    grid_text(p->g, p->row, at, ROLE_TEXT, text);
}

/* The encoding as an integer +-1 beside the neighbours in value: they part at zero and among negatives. */
static void draw_neighbours(struct page *p, const struct bits_row *row)
{
    int left = p->col + 2, right = p->col + p->cols / 2 + 2, end = p->col + p->cols - 1;
    pair(p, left, right - 2, "bits + 1", row->more.plus_hex, row->more.plus);
    pair(p, right, end, "next up", row->up_hex, row->up);
    p->row++;
    pair(p, left, right - 2, "bits − 1", row->more.minus_hex, row->more.minus);
    pair(p, right, end, "next down", row->down_hex, row->down);
    p->row++;
}

static void draw_digits(struct page *p, const struct bits_row *row)
{
    const struct bits_more *m = &row->more;
    if (!*m->shortest)
        return;
    page_field(p, p->col + 2, p->cols / 2 - 2, "shortest   ", ROLE_TEXT, m->shortest);
    page_field(p, p->col + p->cols / 2 + 2, p->cols / 2 - 4, "certain decimal digits  ", ROLE_TEXT,
               m->digits);
    p->row++;
}

static void draw_roundings(struct page *p, const struct bits_row *row)
{
    static const char *const wide[] = {"through FP32 first, rounding twice: ",
                                       "through FP64 first, rounding twice: "};
    for (int i = 0; i < 2; i++)
        if (*row->more.via[i]) {
            int at = p->col + 2 + grid_text(p->g, p->row, p->col + 2, ROLE_WARNING, wide[i]);
            grid_text(p->g, p->row++, at, ROLE_TEXT, row->more.via[i]);
        }
}

static void draw_through(struct page *p, const struct bits_through *t)
{
    int value = p->col + 24, back = p->col + (p->cols < 100 ? 41 : 54), end = p->col + p->cols - 1;
    char text[TEXT_VALUE];
    grid_text(p->g, p->row, p->col + 2, ROLE_DIM, "in");
    grid_text(p->g, p->row, p->col + 5, ROLE_TITLE, t->name);
    if (*t->reason) {
        grid_text_fit(p->g, p->row++, p->col + 13, p->cols - 14, ROLE_DIM, t->reason);
        return;
    }
    grid_text(p->g, p->row, p->col + 13, ROLE_TEXT, t->there_hex);
    panel_number(t->there, back - value - 2, text);
    grid_text(p->g, p->row, value, ROLE_TEXT, text);
    int at =
        back + grid_text(p->g, p->row, back, ROLE_DIM, t->unchanged ? "and back unchanged" : "and back ");
    if (!t->unchanged) {
        int lost = *t->lost ? glyph_text_width(t->lost) + 6 : 0;
        panel_number(t->back, end - at - lost, text);
        at += grid_text(p->g, p->row, at, ROLE_TEXT, text);
        if (lost && at + lost <= end)
            grid_printf(p->g, p->row, at, ROLE_WARNING, " lost %s", t->lost);
    }
    p->row++;
}

/* One value under every policy: as many to a row as there is room for, the mode in force in colour. */
static void draw_policies(struct page *p, const struct bits_row *row)
{
    enum { GROUP = 16, NAME = 5 };
    const struct bits_policies *all = &row->more.policies;
    int columns = p->cols < 100 ? 2 : 3, width = (p->cols - 3 - GROUP) / columns;
    char title[TEXT_SHORT * 2], text[TEXT_VALUE];
    snprintf(title, sizeof title, "policies side by side · %s", row->format->name);
    page_rule(p, title);
    for (int g = 0; g < all->count; g++)
        for (int i = 0; i < all->groups[g].count; i++) {
            const struct policy_cell *cell = &all->groups[g].cells[i];
            int at = p->col + 2 + GROUP + i % columns * width, end = at + width - 2;
            if (i == 0)
                grid_text(p->g, p->row, p->col + 2, ROLE_DIM, all->groups[g].label);
            grid_text(p->g, p->row, at, cell->chosen ? ROLE_FOCUS : ROLE_DIM, cell->name);
            at += NAME;
            at += grid_text(p->g, p->row, at, ROLE_TEXT, cell->hex);
            at += grid_text(p->g, p->row, at, ROLE_DIM, " = ");
            panel_number(cell->value, end - at, text);
            grid_text(p->g, p->row, at, ROLE_TEXT, text);
            if (i % columns == columns - 1 || i + 1 == all->groups[g].count)
                p->row++;
        }
    page_paragraph(p, ROLE_DIM, all->note);
}

void panel_explain(struct page *p, const struct bits_row *row)
{
    char title[TEXT_SHORT * 2];
    snprintf(title, sizeof title, "explain · %s %s", row->format->name, row->hex);
    page_rule(p, title);
    page_paragraph(p, ROLE_TEXT, row->more.class_why);
    draw_digits(p, row);
    draw_neighbours(p, row);
    draw_roundings(p, row);
    for (int i = 0; i < row->more.through_count; i++)
        draw_through(p, &row->more.through[i]);
    draw_policies(p, row);
}
