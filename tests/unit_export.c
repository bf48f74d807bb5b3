/* Text, ANSI and SVG of a grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT, ANSI, SVG };

static char *export_of(const struct grid *g, int kind, enum depth depth, const struct export_svg *options)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    bool done = kind == TEXT   ? export_text(g, file)
                : kind == ANSI ? export_ansi(g, file, depth)
                               : export_svg(g, file, options);
    assert_true(done);
    fclose(file);
    return text;
}

static void assert_export(const struct grid *g, int kind, enum depth depth, const char *wanted)
{
    char *text = export_of(g, kind, depth, NULL);
    assert_string_equal(text, wanted);
    free(text);
}

/* Well-formed, as far as what we write goes: one root, tags closed in order, attributes quoted, the five
 * entities. */
static const char *svg_fault(const char *s)
{
    char open[64][16];
    int depth = 0, roots = 0;
    while (*s) {
        if (*s == '&' && strncmp(s, "&lt;", 4) != 0 && strncmp(s, "&gt;", 4) != 0 &&
            strncmp(s, "&amp;", 5) != 0 && strncmp(s, "&quot;", 6) != 0)
            return s;
        if ((unsigned char)*s < ' ' && *s != '\n')
            return s;
        if (*s != '<') {
            if (depth == 0 && *s != '\n')
                return s;
            s++;
            continue;
        }
        bool closes = s[1] == '/';
        const char *name = s + 1 + closes;
        size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz");
        if (length == 0 || length > 15)
            return s;
        const char *end = name + length;
        while (*end == ' ') { /* attributes */
            end += 1 + strspn(end + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-:");
            if (end[0] != '=' || end[1] != '"')
                return end;
            size_t value = strcspn(end + 2, "\"<");
            if (end[2 + value] != '"')
                return end;
            end += 3 + value;
        }
        bool alone = *end == '/';
        if (end[alone] != '>')
            return end;
        if (closes &&
            (depth == 0 || strlen(open[depth - 1]) != length || strncmp(open[depth - 1], name, length) != 0))
            return s;
        depth -= closes;
        if (!closes && !alone) {
            if (depth == 64 || (depth == 0 && ++roots > 1))
                return s;
            snprintf(open[depth++], sizeof open[0], "%.*s", (int)length, name);
        }
        s = end + alone + 1;
    }
    return depth == 0 && roots == 1 ? NULL : s;
}

static void assert_svg(const struct grid *g, const struct export_svg *options)
{
    char *svg = export_of(g, SVG, DEPTH_TRUE, options);
    const char *fault = svg_fault(svg);
    if (fault)
        fail_msg("not well-formed at: %.60s", fault);
    free(svg);
}

static void text_has_no_trailing_blanks(void **state)
{
    (void)state;
    struct grid *g = grid_create(3, 10);
    grid_text(g, 0, 1, ROLE_SIGN, "a 世 ");
    grid_text(g, 2, 0, ROLE_SIGN, "z");
    assert_export(g, TEXT, DEPTH_MONO, " a 世\n\nz\n");
    grid_free(g);
}

static void ansi_names_roles_at_every_depth(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 12);
    int col = grid_text(g, 0, 0, ROLE_SIGN, "0");
    col += grid_text(g, 0, col + 1, ROLE_EXPONENT, "01") + 1;
    grid_text(g, 0, col + 1, ROLE_TEXT, "x");
    assert_export(g, ANSI, DEPTH_TRUE, "\033[0;38;2;188;79;140m0 \033[0;38;2;0;135;98m01 \033[0mx\n\n");
    assert_export(g, ANSI, DEPTH_256, "\033[0;38;5;132m0 \033[0;38;5;29m01 \033[0mx\n\n");
    assert_export(g, ANSI, DEPTH_8, "\033[0;35m0 \033[0;32m01 \033[0mx\n\n");
    assert_export(g, ANSI, DEPTH_MONO, "\033[0;1;4m0\033[0m \033[0;4m01\033[0m x\n\n");
    grid_clear(g);
    grid_text(g, 0, 0, ROLE_DIM, "d");
    assert_export(g, ANSI, DEPTH_16, "\033[0;90md\033[0m\n\n");
    grid_free(g);
}

static void ansi_shows_reversed_blanks(void **state)
{
    (void)state;
    struct grid *g = grid_create(1, 6);
    grid_text(g, 0, 0, ROLE_SELECTION, "a  ");
    grid_add_attributes(g, rect_make(0, 4, 1, 1), ATTR_UNDERLINE);
    assert_export(g, ANSI, DEPTH_MONO, "\033[0;7ma  \033[0m \033[0;4m \033[0m\n");
    grid_clear(g);
    grid_text(g, 0, 0, ROLE_TEXT, "plain");
    assert_export(g, ANSI, DEPTH_256, "plain\n");
    grid_free(g);
}

static void svg_places_words_and_draws_lines(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 12);
    grid_text(g, 0, 1, ROLE_TEXT, "a<b &\"c\"");
    grid_text(g, 1, 0, ROLE_RULE, "──┤");
    grid_text(g, 1, 4, ROLE_GOOD, "▄▄⠑");
    struct export_svg options = {.title = "Bits & <more>"};
    char *svg = export_of(g, SVG, DEPTH_TRUE, &options);
    assert_null(svg_fault(svg));
    assert_non_null(strstr(svg, "<title>Bits &amp; &lt;more&gt;</title>"));
    assert_non_null(strstr(svg, "<tspan x=\"20\" textLength=\"30\" lengthAdjust=\"spacingAndGlyphs\" "
                                "fill=\"#e6e6e6\">a&lt;b</tspan> <tspan x=\"60\""));
    assert_non_null(strstr(svg, "d=\"M10 40H20M20 40H30M30 40H35M35 30V50\""));
    assert_non_null(strstr(svg, "x=\"50\" y=\"40\" width=\"20\" height=\"10\" fill=\"#1fb58a\"/>"));
    assert_non_null(strstr(svg, "class=\"d\""));
    assert_null(strstr(svg, "─"));
    free(svg);
    grid_free(g);
}

/* Every glyph that is drawn as a shape, every role and attribute. */
static void draw_everything(struct grid *g)
{
    uint32_t glyph = 0x2500;
    for (int row = -1; row <= g->rows; row++)
        for (int col = -1; col <= g->cols; col++) {
            int k = (row + 1) * 7 + col + 1;
            glyph = glyph == 0x25a0 ? 0x2800 : glyph == 0x2900 ? 0x4e00 : glyph == 0x4e03 ? '!' : glyph + 1;
            grid_put(g, row, col, (enum role)(k % ROLE_COUNT), k % 5 ? glyph : '<');
            grid_add_attributes(g, rect_make(row, col, 1, 1), (unsigned)k % 16);
        }
}

static void every_size_exports(void **state)
{
    (void)state;
    struct export_svg light = {.light_background = true};
    for (int rows = 0; rows <= 40; rows += rows < 8 ? 1 : 4)
        for (int cols = 0; cols <= 40; cols++) {
            struct grid *g = grid_create(rows, cols);
            g->ascii = cols % 7 == 6;
            draw_everything(g);
            free(export_of(g, TEXT, DEPTH_MONO, NULL));
            free(export_of(g, ANSI, (enum depth)(cols % DEPTH_COUNT), NULL));
            assert_svg(g, cols % 2 ? &light : NULL);
            grid_free(g);
        }
}

static void a_huge_grid_exports(void **state)
{
    (void)state;
    struct grid *g = grid_create(500, 2100);
    draw_everything(g);
    free(export_of(g, ANSI, DEPTH_256, NULL));
    assert_svg(g, NULL);
    grid_free(g);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct grid *g = grid_create(3, 3);
    assert_false(export_text(g, full));
    assert_false(export_ansi(g, full, DEPTH_8));
    assert_false(export_svg(g, full, NULL));
    fclose(full);
    grid_free(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_has_no_trailing_blanks), cmocka_unit_test(ansi_names_roles_at_every_depth),
        cmocka_unit_test(ansi_shows_reversed_blanks),  cmocka_unit_test(svg_places_words_and_draws_lines),
        cmocka_unit_test(every_size_exports),          cmocka_unit_test(a_huge_grid_exports),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
