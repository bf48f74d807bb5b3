/* cell.c: the grid of styled cells. */
#include "cell.h"
#include "glyph.h"
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct cell blank = {' ', ROLE_TEXT, 0};

/* --- rectangles: 64-bit sums, for any int may be given --- */

static int clamp(int64_t x)
{
    return x < INT_MIN ? INT_MIN : x > INT_MAX ? INT_MAX : (int)x;
}

struct rect rect_make(int row, int col, int rows, int cols)
{
    return (struct rect){row, col, rows, cols};
}

bool rect_empty(struct rect r)
{
    return r.rows <= 0 || r.cols <= 0;
}

struct rect rect_intersect(struct rect a, struct rect b)
{
    int row = a.row > b.row ? a.row : b.row;
    int col = a.col > b.col ? a.col : b.col;
    int64_t end_a = (int64_t)a.row + a.rows, end_b = (int64_t)b.row + b.rows;
    int64_t right_a = (int64_t)a.col + a.cols, right_b = (int64_t)b.col + b.cols;
    int64_t rows = (end_a < end_b ? end_a : end_b) - row;
    int64_t cols = (right_a < right_b ? right_a : right_b) - col;
    return (struct rect){row, col, rows > 0 ? clamp(rows) : 0, cols > 0 ? clamp(cols) : 0};
}

struct rect rect_inset(struct rect r, int rows, int cols)
{
    int64_t inner_rows = (int64_t)r.rows - 2 * (int64_t)rows,
            inner_cols = (int64_t)r.cols - 2 * (int64_t)cols;
    return (struct rect){clamp((int64_t)r.row + rows), clamp((int64_t)r.col + cols),
                         inner_rows > 0 ? clamp(inner_rows) : 0, inner_cols > 0 ? clamp(inner_cols) : 0};
}

bool rect_has(struct rect r, int row, int col)
{
    return row >= r.row && col >= r.col && (int64_t)row - r.row < r.rows && (int64_t)col - r.col < r.cols;
}

struct rect grid_bounds(const struct grid *g)
{
    return (struct rect){0, 0, g->rows, g->cols};
}

/* --- the grid --- */

bool grid_resize(struct grid *g, int rows, int cols)
{
    rows = rows < 0 ? 0 : rows;
    cols = cols < 0 ? 0 : cols;
    if (cols > 0 && (size_t)rows > SIZE_MAX / sizeof(struct cell) / (size_t)cols)
        return false;
    size_t count = (size_t)rows * (size_t)cols;
    struct cell *cells = malloc(count ? count * sizeof *cells : 1);
    if (!cells)
        return false;
    free(g->cells);
    g->cells = cells;
    g->rows = rows;
    g->cols = cols;
    grid_clear(g);
    return true;
}

struct grid *grid_create(int rows, int cols)
{
    struct grid *g = calloc(1, sizeof *g);
    if (g && !grid_resize(g, rows, cols)) {
        free(g);
        return NULL;
    }
    return g;
}

void grid_free(struct grid *g)
{
    if (g)
        free(g->cells);
    free(g);
}

void grid_clear(struct grid *g)
{
    size_t count = (size_t)g->rows * (size_t)g->cols;
    for (size_t i = 0; i < count; i++)
        g->cells[i] = blank;
    g->clip = grid_bounds(g);
    g->cursor_row = g->cursor_col = 0;
    g->cursor_shown = false;
    g->link_count = 0;
}

static struct cell *cell_of(const struct grid *g, int row, int col)
{
    return &g->cells[(size_t)row * (size_t)g->cols + (size_t)col];
}

const struct cell *grid_at(const struct grid *g, int row, int col)
{
    return rect_has(grid_bounds(g), row, col) ? cell_of(g, row, col) : NULL;
}

bool cell_equal(const struct cell *a, const struct cell *b)
{
    return a->glyph == b->glyph && a->role == b->role && a->attributes == b->attributes;
}

struct style cell_style(const struct cell *cell, enum depth depth)
{
    struct style style = theme_style((enum role)cell->role, cell->attributes, depth);
    if (cell->glyph >= 0x2500 && cell->glyph <= 0x28ff && !(cell->attributes & ATTR_UNDERLINE))
        style.attributes &= (uint8_t)~ATTR_UNDERLINE;
    if (cell->glyph == ' ' && !(style.attributes & (ATTR_REVERSE | ATTR_UNDERLINE)))
        return (struct style){-1, 0};
    return style;
}

struct rect grid_clip(struct grid *g, struct rect r)
{
    struct rect old = g->clip;
    g->clip = rect_intersect(old, r);
    return old;
}

void grid_unclip(struct grid *g, struct rect old)
{
    g->clip = rect_intersect(old, grid_bounds(g));
}

void grid_cursor(struct grid *g, int row, int col, bool shown)
{
    if (!rect_has(grid_bounds(g), row, col))
        return;
    g->cursor_row = row;
    g->cursor_col = col;
    g->cursor_shown = shown;
}

/* --- drawing --- */

/* Writes one cell of the grid.  A wide glyph of which this cell was a half is blanked, for half of it cannot
 * stay. */
static void cell_set(struct grid *g, int row, int col, struct cell cell)
{
    struct cell *at = cell_of(g, row, col);
    if (at->glyph == 0 && col > 0)
        at[-1].glyph = ' ';
    if (col + 1 < g->cols && at[1].glyph == 0)
        at[1].glyph = ' ';
    *at = cell;
}

int grid_put(struct grid *g, int row, int col, enum role role, uint32_t glyph)
{
    glyph = glyph_safe(glyph);
    int width = glyph_width(glyph);
    if (width == 0)
        return 0;
    if (g->ascii) /* the stand-in takes the columns of the original, so that both screens have one layout */
        glyph = (unsigned char)glyph_ascii(glyph);
    bool left = rect_has(g->clip, row, col);
    bool right = width == 2 && col < INT_MAX && rect_has(g->clip, row, col + 1);
    struct cell cell = {glyph, (uint8_t)role, 0};
    if (width == 2 && !(left && right)) /* half a glyph cannot be shown */
        cell.glyph = ' ';
    if (left)
        cell_set(g, row, col, cell);
    if (right) {
        cell.glyph = left && !g->ascii ? 0 : ' ';
        if (cell.glyph == ' ')
            cell_set(g, row, col + 1, cell);
        else { /* cell_set would take the glyph for an old one and blank its first half */
            cell_set(g, row, col + 1, blank);
            *cell_of(g, row, col + 1) = cell;
        }
    }
    return width;
}

int grid_text(struct grid *g, int row, int col, enum role role, const char *utf8)
{
    int64_t used = 0;
    for (uint32_t glyph; used < INT_MAX / 2 && (glyph = glyph_decode(&utf8)) != 0;) {
        int64_t at = col + used;
        used += at >= INT_MIN && at <= INT_MAX ? grid_put(g, row, (int)at, role, glyph) : 1;
    }
    return (int)used;
}

int grid_printf(struct grid *g, int row, int col, enum role role, const char *format, ...)
{
    char text[256], *longer = NULL;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= (int)sizeof text && (longer = malloc((size_t)length + 1)) != NULL) {
        va_start(args, format);
        vsnprintf(longer, (size_t)length + 1, format, args);
        va_end(args);
    }
    int used = length < 0 ? 0 : grid_text(g, row, col, role, longer ? longer : text);
    free(longer);
    return used;
}

int grid_text_fit(struct grid *g, int row, int col, int cols, enum role role, const char *utf8)
{
    if (cols <= 0)
        return 0;
    int width = glyph_text_width(utf8);
    if (width <= cols)
        return grid_text(g, row, col, role, utf8);
    int used = 0;
    for (uint32_t glyph; (glyph = glyph_decode(&utf8)) != 0;) {
        if (used + glyph_width(glyph_safe(glyph)) > cols - 1)
            break;
        used += grid_put(g, row, clamp((int64_t)col + used), role, glyph);
    }
    return used + grid_put(g, row, clamp((int64_t)col + used), role, 0x2026);
}

int grid_text_right(struct grid *g, int row, int end, enum role role, const char *utf8)
{
    int width = glyph_text_width(utf8);
    return grid_text(g, row, clamp((int64_t)end - width), role, utf8);
}

void grid_fill(struct grid *g, struct rect r, enum role role, uint32_t glyph)
{
    if (glyph_width(glyph_safe(glyph)) != 1)
        glyph = GLYPH_REPLACEMENT;
    struct rect in = rect_intersect(g->clip, r);
    for (int row = in.row; row < in.row + in.rows; row++)
        for (int col = in.col; col < in.col + in.cols; col++)
            grid_put(g, row, col, role, glyph);
}

void grid_set_role(struct grid *g, struct rect r, enum role role)
{
    struct rect in = rect_intersect(g->clip, r);
    for (int row = in.row; row < in.row + in.rows; row++)
        for (int col = in.col; col < in.col + in.cols; col++)
            cell_of(g, row, col)->role = (uint8_t)role;
}

void grid_add_attributes(struct grid *g, struct rect r, unsigned attributes)
{
    struct rect in = rect_intersect(g->clip, r);
    for (int row = in.row; row < in.row + in.rows; row++)
        for (int col = in.col; col < in.col + in.cols; col++) {
            struct cell *at = cell_of(g, row, col);
            at->attributes = (uint8_t)(at->attributes | attributes);
        }
}

/* "─ title ─" with the title cut to what fits between two columns on either side. */
static void edge_title(struct grid *g, int row, int col, int cols, const char *title)
{
    int room = cols - 4;
    if (!title || title[0] == '\0' || room < 1)
        return;
    grid_put(g, row, clamp((int64_t)col + 1), ROLE_RULE, ' ');
    int used = grid_text_fit(g, row, clamp((int64_t)col + 2), room, ROLE_TITLE, title);
    grid_put(g, row, clamp((int64_t)col + 2 + used), ROLE_RULE, ' ');
}

void grid_rule(struct grid *g, int row, int col, int cols, const char *title)
{
    grid_fill(g, rect_make(row, col, 1, cols), ROLE_RULE, 0x2500);
    if (cols > 2)
        edge_title(g, row, clamp((int64_t)col + 1), cols - 2, title);
}

struct rect grid_box(struct grid *g, struct rect r, const char *title)
{
    if (rect_empty(r))
        return rect_inset(r, 1, 1);
    int bottom = clamp((int64_t)r.row + r.rows - 1), right = clamp((int64_t)r.col + r.cols - 1);
    grid_fill(g, rect_make(r.row, r.col, 1, r.cols), ROLE_RULE, 0x2500);
    grid_fill(g, rect_make(bottom, r.col, 1, r.cols), ROLE_RULE, 0x2500);
    grid_fill(g, rect_make(r.row, r.col, r.rows, 1), ROLE_RULE, 0x2502);
    grid_fill(g, rect_make(r.row, right, r.rows, 1), ROLE_RULE, 0x2502);
    grid_put(g, r.row, r.col, ROLE_RULE, 0x256d);
    grid_put(g, r.row, right, ROLE_RULE, 0x256e);
    grid_put(g, bottom, r.col, ROLE_RULE, 0x2570);
    grid_put(g, bottom, right, ROLE_RULE, 0x256f);
    if (r.cols > 2)
        edge_title(g, r.row, clamp((int64_t)r.col + 1), r.cols - 2, title);
    return rect_inset(r, 1, 1);
}

void grid_link(struct grid *g, struct rect r, const char *command)
{
    r = rect_intersect(r, g->clip);
    if (g->link_count == GRID_LINKS || rect_empty(r) || strlen(command) >= GRID_LINK_TEXT)
        return;
    struct grid_link *link = &g->links[g->link_count];
    link->where = r;
    snprintf(link->command, sizeof link->command, "%s", command);
    g->link_count++;
}
