/* export.c: the grid as text and as ANSI escapes.  SVG is in export_svg.c. */
#include "export.h"
#include "glyph.h"

static void put_glyph(uint32_t glyph, FILE *file)
{
    char utf8[GLYPH_UTF8_MAX];
    glyph_encode(glyph, utf8);
    fputs(utf8, file);
}

bool export_text(const struct grid *g, FILE *file)
{
    for (int row = 0; row < g->rows; row++) {
        int end = g->cols;
        while (end > 0 && grid_at(g, row, end - 1)->glyph == ' ')
            end--;
        for (int col = 0; col < end; col++) {
            uint32_t glyph = grid_at(g, row, col)->glyph;
            if (glyph != 0)
                put_glyph(glyph, file);
        }
        putc('\n', file);
    }
    return fflush(file) == 0 && !ferror(file);
}

static bool style_equal(struct style a, struct style b)
{
    return a.color == b.color && a.attributes == b.attributes;
}

/* SGR, ECMA-48 8.3.117; 38;5 and 38;2 as in ITU-T T.416, with the semicolons that terminals agree on. */
static void put_sgr(struct style style, enum depth depth, FILE *file)
{
    fputs("\033[0", file);
    if (style.attributes & ATTR_BOLD)
        fputs(";1", file);
    if (style.attributes & ATTR_DIM)
        fputs(";2", file);
    if (style.attributes & ATTR_UNDERLINE)
        fputs(";4", file);
    if (style.attributes & ATTR_REVERSE)
        fputs(";7", file);
    unsigned color = (unsigned)style.color;
    if (style.color < 0)
        ; /* the default */
    else if (depth == DEPTH_TRUE)
        fprintf(file, ";38;2;%u;%u;%u", color >> 16 & 255, color >> 8 & 255, color & 255);
    else if (depth == DEPTH_256)
        fprintf(file, ";38;5;%u", color);
    else
        fprintf(file, ";%u", color < 8 ? 30 + color : 82 + color);
    putc('m', file);
}

bool export_ansi(const struct grid *g, FILE *file, enum depth depth)
{
    const struct style plain = {-1, 0};
    for (int row = 0; row < g->rows; row++) {
        int end = g->cols;
        while (end > 0 && grid_at(g, row, end - 1)->glyph == ' ' &&
               style_equal(cell_style(grid_at(g, row, end - 1), depth), plain))
            end--;
        struct style now = plain;
        for (int col = 0; col < end; col++) {
            const struct cell *cell = grid_at(g, row, col);
            if (cell->glyph == 0)
                continue;
            struct style style = cell_style(cell, depth);
            if (!style_equal(style, now) &&
                (cell->glyph != ' ' || !style_equal(style, plain) || now.attributes))
                put_sgr(now = style, depth, file);
            put_glyph(cell->glyph, file);
        }
        if (!style_equal(now, plain))
            fputs("\033[0m", file);
        putc('\n', file);
    }
    return fflush(file) == 0 && !ferror(file);
}
