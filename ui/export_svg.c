/* export_svg.c: the grid as a picture.
 *
 * A cell is 10 × 20 units, drawn at 0.84 of that size; the font size makes common monospaced fonts (advance
 * 0.6 em) fill a cell, and textLength holds the others to it.  Renderers that do not know textLength still
 * start every word at its column. */
#include "export.h"
#include "glyph.h"

enum { CELL_W = 10, CELL_H = 20, MARGIN = 10, BASELINE = 15 };

/* Strokes of a box-drawing glyph, from the middle of its cell. */
enum { LEFT = 1, RIGHT = 2, UP = 4, DOWN = 8, ROUND = 16, DASHED = 32 };

static const struct {
    uint32_t glyph;
    unsigned strokes;
} boxes[] = {
    {0x2500, LEFT | RIGHT},
    {0x2502, UP | DOWN},
    {0x2504, LEFT | RIGHT | DASHED},
    {0x2506, UP | DOWN | DASHED},
    {0x250a, UP | DOWN | DASHED},
    {0x250c, RIGHT | DOWN},
    {0x2510, LEFT | DOWN},
    {0x2514, RIGHT | UP},
    {0x2518, LEFT | UP},
    {0x251c, RIGHT | UP | DOWN},
    {0x2524, LEFT | UP | DOWN},
    {0x252c, LEFT | RIGHT | DOWN},
    {0x2534, LEFT | RIGHT | UP},
    {0x253c, LEFT | RIGHT | UP | DOWN},
    {0x254c, LEFT | RIGHT | DASHED},
    {0x254e, UP | DOWN | DASHED},
    {0x256d, RIGHT | DOWN | ROUND},
    {0x256e, LEFT | DOWN | ROUND},
    {0x256f, LEFT | UP | ROUND},
    {0x2570, RIGHT | UP | ROUND},
};

static unsigned box_strokes(uint32_t glyph)
{
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++)
        if (boxes[i].glyph == glyph)
            return boxes[i].strokes;
    return 0;
}

static bool is_block(uint32_t glyph)
{
    return glyph >= 0x2580 && glyph <= 0x2593 && glyph != 0x2590;
}

static bool is_braille(uint32_t glyph)
{
    return glyph >= 0x2800 && glyph <= 0x28ff;
}

static bool is_shape(uint32_t glyph)
{
    return box_strokes(glyph) != 0 || is_block(glyph) || is_braille(glyph);
}

struct look {
    uint32_t color;
    unsigned attributes;
};

static struct look cell_look(const struct cell *cell, bool light)
{
    enum role role = (enum role)cell->role;
    unsigned attributes = theme_style(role, cell->attributes, DEPTH_TRUE).attributes;
    bool reverse = attributes & ATTR_REVERSE;
    return (struct look){reverse ? theme_background(light) : theme_rgb(role, light), attributes};
}

static bool look_equal(struct look a, struct look b)
{
    return a.color == b.color && a.attributes == b.attributes;
}

static void put_box(unsigned strokes, int x, int y, FILE *file)
{
    int mx = x + CELL_W / 2, my = y + CELL_H / 2;
    if (strokes & ROUND) {
        int from_x = strokes & LEFT ? x : x + CELL_W, to_y = strokes & UP ? y : y + CELL_H;
        fprintf(file, "M%d %dQ%d %d %d %dV%d", from_x, my, mx, my, mx, strokes & UP ? my - 5 : my + 5, to_y);
    } else if (strokes & DASHED) {
        bool level = strokes & LEFT;
        for (int i = 0; i < 2; i++)
            fprintf(file, level ? "M%d %dh3" : "M%d %dv6", level ? x + 1 + 5 * i : mx,
                    level ? my : y + 2 + 10 * i);
    } else {
        if (strokes & (LEFT | RIGHT))
            fprintf(file, "M%d %dH%d", strokes & LEFT ? x : mx, my, strokes & RIGHT ? x + CELL_W : mx);
        if (strokes & (UP | DOWN))
            fprintf(file, "M%d %dV%d", mx, strokes & UP ? y : my, strokes & DOWN ? y + CELL_H : my);
    }
}

/* The run of equal blocks from col on is one shape: ▀, ▁…█ from below, ▉…▏ from the left, ░▒▓ as opacity.
 * Returns where it ends. */
static int put_blocks(const struct grid *g, int row, int col, bool light, FILE *file)
{
    const struct cell *cell = grid_at(g, row, col);
    uint32_t glyph = cell->glyph;
    struct look look = cell_look(cell, light);
    bool partial = glyph > 0x2588 && glyph < 0x2590;
    int end = col + 1;
    while (!partial && end < g->cols && grid_at(g, row, end)->glyph == glyph &&
           look_equal(cell_look(grid_at(g, row, end), light), look))
        end++;
    double top = 0, height = CELL_H, width = (end - col) * CELL_W, opacity = 1;
    if (glyph == 0x2580)
        height = CELL_H / 2.0;
    else if (glyph <= 0x2588)
        height = CELL_H * (double)(glyph - 0x2580) / 8;
    else if (partial)
        width = CELL_W * (double)(0x2590 - glyph) / 8;
    else
        opacity = 0.25 * (double)(glyph - 0x2590);
    if (glyph > 0x2580 && glyph <= 0x2588)
        top = CELL_H - height;
    fprintf(file, "<rect class=\"k\" x=\"%d\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"#%06x\"",
            MARGIN + col * CELL_W, MARGIN + row * CELL_H + top, width, height, (unsigned)look.color);
    fprintf(file, opacity < 1 ? " fill-opacity=\"%g\"/>\n" : "/>\n", opacity);
    return end;
}

static void put_braille(uint32_t glyph, int x, int y, FILE *file)
{
    static const struct {
        unsigned char dx, dy;
    } dots[8] = {{2, 2}, {2, 7}, {2, 12}, {7, 2}, {7, 7}, {7, 12}, {2, 17}, {7, 17}};
    for (int i = 0; i < 8; i++)
        if (glyph >> i & 1)
            fprintf(file, "M%d %dh0", x + dots[i].dx, y + dots[i].dy);
}

static void put_escaped(uint32_t glyph, FILE *file)
{
    char utf8[GLYPH_UTF8_MAX];
    if (glyph == '<')
        fputs("&lt;", file);
    else if (glyph == '>')
        fputs("&gt;", file);
    else if (glyph == '&')
        fputs("&amp;", file);
    else if (glyph == '"')
        fputs("&quot;", file);
    else if (glyph_encode(glyph_safe(glyph), utf8) > 0)
        fputs(utf8, file);
}

/* The end of the run of cells from col on that are drawn alike: blanks between words do not end a line of
 * text, but a run never starts with them, so that a font of another width shifts no more than a word. */
static int word_end(const struct grid *g, int row, int col, bool light)
{
    struct look look = cell_look(grid_at(g, row, col), light);
    int end = col;
    for (; end < g->cols; end++) {
        const struct cell *cell = grid_at(g, row, end);
        if (cell->glyph == ' ' || is_shape(cell->glyph) || !look_equal(cell_look(cell, light), look))
            break;
    }
    return end;
}

/* The background and underline of cells, which blanks have too. */
static void put_row_under(const struct grid *g, int row, bool light, FILE *file)
{
    for (int col = 0; col < g->cols;) {
        const struct cell *cell = grid_at(g, row, col);
        unsigned wanted = cell_look(cell, light).attributes & (ATTR_REVERSE | ATTR_UNDERLINE);
        int from = col;
        for (col++; col < g->cols; col++) {
            const struct cell *next = grid_at(g, row, col);
            if ((cell_look(next, light).attributes & (ATTR_REVERSE | ATTR_UNDERLINE)) != wanted ||
                next->role != cell->role)
                break;
        }
        unsigned color = (unsigned)theme_rgb((enum role)cell->role, light);
        int x = MARGIN + from * CELL_W, y = MARGIN + row * CELL_H, width = (col - from) * CELL_W;
        if (wanted & ATTR_REVERSE)
            fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n", x, y,
                    width, CELL_H, color);
        if (wanted & ATTR_UNDERLINE)
            fprintf(file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"1\" fill=\"#%06x\"/>\n", x,
                    y + BASELINE + 2, width,
                    wanted & ATTR_REVERSE ? (unsigned)theme_background(light) : color);
    }
}

/* A run of box strokes or of braille cells that look alike is one path; returns where it ends. */
static int put_strokes(const struct grid *g, int row, int col, bool light, FILE *file)
{
    struct look look = cell_look(grid_at(g, row, col), light);
    bool braille = is_braille(grid_at(g, row, col)->glyph);
    fprintf(file, "<path class=\"%s\" stroke=\"#%06x\" d=\"", braille ? "d" : "l", (unsigned)look.color);
    for (; col < g->cols; col++) {
        const struct cell *cell = grid_at(g, row, col);
        unsigned strokes = box_strokes(cell->glyph);
        if ((braille ? !is_braille(cell->glyph) : strokes == 0) || !look_equal(cell_look(cell, light), look))
            break;
        int x = MARGIN + col * CELL_W, y = MARGIN + row * CELL_H;
        if (braille)
            put_braille(cell->glyph, x, y, file);
        else
            put_box(strokes, x, y, file);
    }
    fputs("\"/>\n", file);
    return col;
}

static int put_word(const struct grid *g, int row, int col, bool light, FILE *file)
{
    struct look look = cell_look(grid_at(g, row, col), light);
    int end = word_end(g, row, col, light);
    fprintf(file, "<tspan x=\"%d\" textLength=\"%d\" lengthAdjust=\"spacingAndGlyphs\" fill=\"#%06x\"",
            MARGIN + col * CELL_W, (end - col) * CELL_W, (unsigned)look.color);
    fputs(look.attributes & ATTR_BOLD ? " class=\"b\">" : ">", file);
    for (; col < end; col++)
        if (grid_at(g, row, col)->glyph != 0)
            put_escaped(grid_at(g, row, col)->glyph, file);
    fputs("</tspan>", file);
    if (end < g->cols && grid_at(g, row, end)->glyph == ' ')
        putc(' ', file); /* so that copied words stay apart */
    return end;
}

static void put_row(const struct grid *g, int row, bool light, FILE *file)
{
    bool text = false;
    put_row_under(g, row, light, file);
    for (int col = 0; col < g->cols;) {
        const struct cell *cell = grid_at(g, row, col);
        text = text || (cell->glyph != ' ' && cell->glyph != 0 && !is_shape(cell->glyph));
        if (is_block(cell->glyph))
            col = put_blocks(g, row, col, light, file);
        else
            col = is_shape(cell->glyph) ? put_strokes(g, row, col, light, file) : col + 1;
    }
    if (!text)
        return;
    fprintf(file, "<text y=\"%d\">", MARGIN + row * CELL_H + BASELINE);
    for (int col = 0; col < g->cols;) {
        uint32_t glyph = grid_at(g, row, col)->glyph;
        col = glyph == ' ' || glyph == 0 || is_shape(glyph) ? col + 1 : put_word(g, row, col, light, file);
    }
    fputs("</text>\n", file);
}

bool export_svg(const struct grid *g, FILE *file, const struct export_svg *options)
{
    bool light = options && options->light_background;
    const char *title = options && options->title ? options->title : "ulpscope";
    int width = g->cols * CELL_W + 2 * MARGIN, height = g->rows * CELL_H + 2 * MARGIN;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %d %d\" "
            "role=\"img\">\n<title>",
            width * 0.84, height * 0.84, width, height);
    for (uint32_t glyph; (glyph = glyph_decode(&title)) != 0;)
        put_escaped(glyph, file);
    fprintf(file,
            "</title>\n<style>text{font:16.6px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;"
            "white-space:pre}.b{font-weight:bold}.l{fill:none;stroke-width:1.3}.k{shape-rendering:crispEdges}"
            ".d{fill:none;stroke-width:3.2;stroke-linecap:round}</style>\n"
            "<rect width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#%06x\"/>\n",
            width, height, (unsigned)theme_background(light));
    for (int row = 0; row < g->rows; row++)
        put_row(g, row, light, file);
    fputs("</svg>\n", file);
    return fflush(file) == 0 && !ferror(file);
}
