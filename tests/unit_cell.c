/* Glyphs, cells and the theme. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cell.h"
#include "export.h"
#include "glyph.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_screen(const struct grid *g, const char *wanted)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_true(export_text(g, file));
    fclose(file);
    assert_string_equal(text, wanted);
    free(text);
}

/* Half of a wide glyph must never stand alone. */
static void assert_halves_paired(const struct grid *g)
{
    for (int row = 0; row < g->rows; row++)
        for (int col = 0; col < g->cols; col++) {
            bool second = grid_at(g, row, col)->glyph == 0;
            bool wide_before = col > 0 && glyph_width(grid_at(g, row, col - 1)->glyph) == 2;
            assert_int_equal(second, wide_before && grid_at(g, row, col - 1)->glyph != 0);
        }
}

static void decodes_only_well_formed_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint32_t glyphs[5];
    } cases[] = {
        {"a\xc3\xa9\xe2\x94\x80\xf0\x9f\x98\x80", {'a', 0xe9, 0x2500, 0x1f600, 0}},
        {"\xc0\xaf", {0xfffd, 0xfffd, 0}},             /* overlong */
        {"\xe0\x80\xaf", {0xfffd, 0xfffd, 0xfffd, 0}}, /* overlong */
        {"\xed\xa0\x80", {0xfffd, 0xfffd, 0xfffd, 0}}, /* surrogate */
        {"\xf4\x90\x80\x80", {0xfffd, 0xfffd, 0xfffd, 0xfffd, 0}},
        {"\xe2\x94", {0xfffd, 0xfffd, 0}}, /* cut off */
        {"\xffz", {0xfffd, 'z', 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].bytes;
        for (size_t k = 0; k < 5; k++) {
            assert_int_equal(glyph_decode(&at), cases[i].glyphs[k]);
            if (cases[i].glyphs[k] == 0)
                break;
        }
        assert_int_equal(*at, 0);
    }
}

static void encoding_inverts_decoding(void **state)
{
    (void)state;
    for (uint32_t glyph = 1; glyph <= 0x10ffff; glyph++) {
        if (glyph >= 0xd800 && glyph <= 0xdfff)
            continue;
        char utf8[GLYPH_UTF8_MAX];
        const char *at = utf8;
        size_t length = glyph_encode(glyph, utf8);
        if (glyph_decode(&at) != glyph || (size_t)(at - utf8) != length || *at != 0)
            fail_msg("U+%04X", (unsigned)glyph);
    }
}

static void knows_widths(void **state)
{
    (void)state;
    assert_int_equal(glyph_width('a'), 1);
    assert_int_equal(glyph_width(0x2500), 1);
    assert_int_equal(glyph_width(0x28ff), 1);
    assert_int_equal(glyph_width(0x4e16), 2);
    assert_int_equal(glyph_width(0xff01), 2);
    assert_int_equal(glyph_width(0x1f600), 2);
    assert_int_equal(glyph_width(0x0301), 0);
    assert_int_equal(glyph_width(0x200d), 0);
    assert_int_equal(glyph_text_width("世界 e\xcc\x81"), 6);
}

static void every_glyph_of_the_screens_has_ascii(void **state)
{
    (void)state;
    static const char used[] = "─│┼├┤┬┴┌┐└┘╭╮╰╯═┆▸◂●○·×≥≤≈−–—…▁▂▃▄▅▆▇█▓▒░‖←→↑↓✓Δβᵀ∂²⁻₀≠√°±µ⠲⣤";
    static const char wanted[] = "-|+++++++++..''=:><*o.x><~---~...:::##%=:=<>^vvDbTd2-0!vo~u**";
    const char *at = used;
    for (size_t i = 0; i < sizeof wanted - 1; i++) {
        uint32_t glyph = glyph_decode(&at);
        if (glyph_ascii(glyph) != wanted[i])
            fail_msg("U+%04X: %c, not %c", (unsigned)glyph, glyph_ascii(glyph), wanted[i]);
    }
    assert_int_equal(*at, 0);
    assert_int_equal(glyph_ascii(0x4e16), '?');
    for (uint32_t glyph = 0; glyph < 0x11000; glyph++) {
        char c = glyph_ascii(glyph);
        assert_true(c >= ' ' && c <= '~');
    }
}

static void control_characters_do_not_pass(void **state)
{
    (void)state;
    struct grid *g = grid_create(1, 8);
    grid_text(g, 0, 0, ROLE_TEXT, "a\033[31m\n");
    for (int col = 0; col < 8; col++)
        assert_true(grid_at(g, 0, col)->glyph >= ' ');
    assert_screen(g, "a\xef\xbf\xbd[31m\xef\xbf\xbd\n");
    grid_put(g, 0, 0, ROLE_TEXT, 0x9b); /* the one-byte CSI */
    assert_int_equal(grid_at(g, 0, 0)->glyph, GLYPH_REPLACEMENT);
    grid_free(g);
}

static void text_clips_and_tells_its_width(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 6);
    assert_int_equal(grid_text(g, 0, -2, ROLE_SIGN, "abcdef"), 6);
    assert_int_equal(grid_printf(g, 1, 4, ROLE_TEXT, "%d%s", 12, "34"), 4);
    assert_int_equal(grid_text(g, 9, 0, ROLE_TEXT, "abc"), 3);
    assert_screen(g, "cdef\n    12\n");
    assert_int_equal(grid_at(g, 0, 0)->role, ROLE_SIGN);
    assert_int_equal(grid_at(g, 0, 4)->role, ROLE_TEXT);
    char longer[600];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(grid_printf(g, 0, 0, ROLE_TEXT, "%s", longer), 599);
    grid_free(g);
}

static void fits_and_aligns_text(void **state)
{
    (void)state;
    struct grid *g = grid_create(5, 8);
    assert_int_equal(grid_text_fit(g, 0, 0, 8, ROLE_TEXT, "12345678"), 8);
    assert_int_equal(grid_text_fit(g, 1, 0, 8, ROLE_TEXT, "123456789"), 8);
    assert_int_equal(grid_text_fit(g, 2, 0, 4, ROLE_TEXT, "世界世界"), 3);
    assert_int_equal(grid_text_fit(g, 3, 0, 0, ROLE_TEXT, "abc"), 0);
    assert_int_equal(grid_text_right(g, 4, 8, ROLE_TEXT, "1.5"), 3);
    assert_screen(g, "12345678\n1234567…\n世…\n\n     1.5\n");
    grid_free(g);
}

static void wide_glyphs_stay_whole(void **state)
{
    (void)state;
    struct grid *g = grid_create(1, 5);
    assert_int_equal(grid_text(g, 0, 0, ROLE_TEXT, "世界世"), 6); /* the third has one column left */
    assert_screen(g, "世界\n");
    assert_halves_paired(g);
    grid_put(g, 0, 1, ROLE_TEXT, 'x'); /* over a second half */
    assert_screen(g, " x界\n");
    grid_put(g, 0, 2, ROLE_TEXT, 'y'); /* over a first half */
    assert_screen(g, " xy\n");
    grid_text(g, 0, 0, ROLE_TEXT, "世界");
    grid_put(g, 0, 1, ROLE_TEXT, 0x4e16); /* over two halves */
    assert_screen(g, " 世\n");
    assert_halves_paired(g);
    grid_text(g, 0, -1, ROLE_TEXT, "世a");
    assert_int_equal(grid_at(g, 0, 0)->glyph, ' ');
    assert_int_equal(grid_at(g, 0, 1)->glyph, 'a');
    assert_halves_paired(g);
    grid_text(g, 0, 0, ROLE_TEXT, "e\xcc\x81z"); /* the accent is left out */
    assert_int_equal(grid_at(g, 0, 1)->glyph, 'z');
    grid_free(g);
}

static void clips_to_nested_rectangles(void **state)
{
    (void)state;
    struct grid *g = grid_create(4, 8);
    struct rect outer = grid_clip(g, rect_make(1, 2, 2, 4));
    struct rect inner = grid_clip(g, rect_make(0, 4, 9, 9));
    grid_fill(g, grid_bounds(g), ROLE_TEXT, '#');
    grid_unclip(g, inner);
    grid_text(g, 2, 0, ROLE_TEXT, "abc");
    grid_unclip(g, outer);
    grid_text(g, 3, 0, ROLE_TEXT, "z");
    assert_screen(g, "\n    ##\n  c ##\nz\n");
    grid_set_role(g, rect_make(1, 0, 1, 99), ROLE_STALE);
    grid_add_attributes(g, rect_make(1, 4, 1, 1), ATTR_REVERSE);
    assert_int_equal(grid_at(g, 1, 7)->role, ROLE_STALE);
    assert_int_equal(grid_at(g, 1, 4)->attributes, ATTR_REVERSE);
    assert_int_equal(grid_at(g, 1, 5)->attributes, 0);
    grid_free(g);
}

static void draws_rules_and_boxes(void **state)
{
    (void)state;
    struct grid *g = grid_create(5, 16);
    grid_rule(g, 0, 0, 16, "why");
    struct rect in = grid_box(g, rect_make(1, 1, 4, 12), "loss scale");
    assert_int_equal(in.row, 2);
    assert_int_equal(in.cols, 10);
    assert_screen(g, "── why ─────────\n ╭─ loss … ─╮\n │          │\n │          │\n ╰──────────╯\n");
    grid_free(g);
}

static void ascii_grids_hold_ascii_only(void **state)
{
    (void)state;
    struct grid *g = grid_create(3, 14);
    g->ascii = true;
    grid_box(g, grid_bounds(g), "a·b");
    assert_int_equal(grid_text(g, 1, 1, ROLE_TEXT, "世→−0 ‖"), 7);
    assert_screen(g, ".- a.b ------.\n|? >-0 =     |\n'------------'\n");
    grid_free(g);
}

static void every_call(struct grid *g, int row, int col, int rows, int cols)
{
    struct rect r = rect_make(row, col, rows, cols);
    grid_put(g, row, col, ROLE_TEXT, 0x4e16);
    grid_text(g, row, col, ROLE_TEXT, "a世\xff界…");
    grid_text_fit(g, row, col, cols, ROLE_TEXT, "a世\xff界…");
    grid_text_right(g, row, col, ROLE_TEXT, "a世");
    grid_rule(g, row, col, cols, "世界 title");
    grid_box(g, r, "世界 title");
    grid_fill(g, r, ROLE_DIM, 0x2591);
    grid_set_role(g, r, ROLE_ERROR);
    grid_add_attributes(g, r, ATTR_BOLD);
    grid_cursor(g, row, col, true);
    struct rect old = grid_clip(g, r);
    grid_text(g, row, col, ROLE_TEXT, "世界");
    grid_unclip(g, old);
    rect_inset(r, rows, cols);
}

static void any_size_and_place_is_safe(void **state)
{
    (void)state;
    static const int edge[] = {INT_MIN, INT_MIN + 1, -3, -1, 0, 1, 2, 39, 40, 41, INT_MAX - 1, INT_MAX};
    enum { EDGES = sizeof edge / sizeof *edge };
    for (int rows = 0; rows <= 40; rows++)
        for (int cols = 0; cols <= 40; cols++) {
            struct grid *g = grid_create(rows, cols);
            assert_non_null(g);
            g->ascii = (rows + cols) % 5 == 0;
            for (int k = 0; k < 8; k++)
                every_call(g, k - 2, cols - k, rows - k, k + 1);
            if (!g->ascii)
                assert_halves_paired(g);
            grid_free(g);
        }
    struct grid *g = grid_create(3, 40);
    for (int a = 0; a < EDGES * EDGES; a++)
        for (int b = 0; b < EDGES * EDGES; b += 5)
            every_call(g, edge[a / EDGES], edge[a % EDGES], edge[b / EDGES], edge[b % EDGES]);
    assert_halves_paired(g);
    grid_free(g);
}

static void holds_a_huge_terminal(void **state)
{
    (void)state;
    struct grid *g = grid_create(1, 1);
    assert_true(grid_resize(g, 500, 2100));
    every_call(g, 0, 0, 500, 2100);
    assert_int_equal(grid_at(g, 499, 2099)->role, ROLE_ERROR);
    assert_null(grid_at(g, 500, 0));
    assert_null(grid_at(g, 0, -1));
    grid_free(g);
    g = grid_create(-5, -5);
    assert_int_equal(g->rows, 0);
    grid_clear(g);
    grid_free(g);
    grid_free(NULL);
}

/* --- theme: contrast as WCAG 2.1 defines it --- */

static double luminance(uint32_t rgb)
{
    double sum = 0;
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
        double c = (double)(rgb >> (16 - 8 * i) & 255) / 255;
        sum += weight[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(uint32_t a, uint32_t b)
{
    double la = luminance(a), lb = luminance(b);
    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

static uint32_t xterm_rgb(int index)
{
    if (index >= 232)
        return (uint32_t)(8 + 10 * (index - 232)) * 0x10101;
    index -= 16;
    uint32_t rgb = 0;
    for (int divisor = 36; divisor > 0; divisor /= 6)
        rgb = rgb << 8 | (uint32_t)(index / divisor % 6 ? 55 + 40 * (index / divisor % 6) : 0);
    return rgb;
}

static void colours_are_legible(void **state)
{
    (void)state;
    for (int i = 0; i < ROLE_COUNT; i++) {
        enum role role = (enum role)i;
        for (int light = 0; light < 2; light++)
            if (contrast(theme_rgb(role, light), theme_background(light)) < 4.4)
                fail_msg("%s on %s", theme_role_name(role), light ? "light" : "dark");
        struct style best = theme_style(role, 0, DEPTH_TRUE), indexed = theme_style(role, 0, DEPTH_256);
        if (best.color >= 0 &&
            (contrast((uint32_t)best.color, 0) < 4.5 || contrast((uint32_t)best.color, 0xffffff) < 4.5))
            fail_msg("%s on black or white", theme_role_name(role));
        if (indexed.color >= 0 &&
            (contrast(xterm_rgb(indexed.color), 0) < 3 || contrast(xterm_rgb(indexed.color), 0xffffff) < 3))
            fail_msg("%s of 256 on black or white", theme_role_name(role));
        assert_int_not_equal(theme_style(role, 0, DEPTH_8).color, 4); /* blue on black */
    }
}

static void colour_never_stands_alone(void **state)
{
    (void)state;
    for (int i = 0; i < ROLE_COUNT; i++) {
        struct style colour = theme_style((enum role)i, 0, DEPTH_TRUE),
                     mono = theme_style((enum role)i, 0, DEPTH_MONO);
        assert_int_equal(mono.color, -1);
        if (colour.color >= 0 && mono.attributes == 0)
            fail_msg("%s", theme_role_name((enum role)i));
    }
    unsigned sign = theme_style(ROLE_SIGN, 0, DEPTH_MONO).attributes;
    unsigned exponent = theme_style(ROLE_EXPONENT, 0, DEPTH_MONO).attributes;
    unsigned significand = theme_style(ROLE_SIGNIFICAND, 0, DEPTH_MONO).attributes;
    assert_true(sign != exponent && exponent != significand && sign != significand);
    assert_int_equal(theme_style(ROLE_TEXT, ATTR_REVERSE, DEPTH_8).attributes, ATTR_REVERSE);
}

static void styles_show_only_where_they_can(void **state)
{
    (void)state;
    struct cell letter = {'a', ROLE_LANE_1, 0}, dots = {0x28ff, ROLE_LANE_1, 0},
                blank = {' ', ROLE_LANE_1, 0};
    assert_int_equal(cell_style(&letter, DEPTH_256).color, 136);
    assert_int_equal(cell_style(&letter, DEPTH_MONO).attributes, ATTR_UNDERLINE);
    assert_int_equal(cell_style(&dots, DEPTH_MONO).attributes, 0);
    assert_int_equal(cell_style(&blank, DEPTH_256).color, -1);
    blank.attributes = ATTR_REVERSE;
    assert_int_equal(cell_style(&blank, DEPTH_256).color, 136);
}

static void chooses_the_depth(void **state)
{
    (void)state;
    assert_int_equal(theme_depth(COLOR_AUTO, NULL, 256), DEPTH_256);
    assert_int_equal(theme_depth(COLOR_AUTO, "", 8), DEPTH_8);
    assert_int_equal(theme_depth(COLOR_AUTO, "1", 256), DEPTH_MONO);
    assert_int_equal(theme_depth(COLOR_ALWAYS, "1", 256), DEPTH_256);
    assert_int_equal(theme_depth(COLOR_ALWAYS, NULL, 0), DEPTH_8);
    assert_int_equal(theme_depth(COLOR_NEVER, NULL, 1L << 24), DEPTH_MONO);
    assert_int_equal(theme_depth(COLOR_AUTO, NULL, 1L << 24), DEPTH_TRUE);
    assert_int_equal(theme_lane(5), ROLE_LANE_1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_only_well_formed_utf8),
        cmocka_unit_test(encoding_inverts_decoding),
        cmocka_unit_test(knows_widths),
        cmocka_unit_test(every_glyph_of_the_screens_has_ascii),
        cmocka_unit_test(control_characters_do_not_pass),
        cmocka_unit_test(text_clips_and_tells_its_width),
        cmocka_unit_test(fits_and_aligns_text),
        cmocka_unit_test(wide_glyphs_stay_whole),
        cmocka_unit_test(clips_to_nested_rectangles),
        cmocka_unit_test(draws_rules_and_boxes),
        cmocka_unit_test(ascii_grids_hold_ascii_only),
        cmocka_unit_test(any_size_and_place_is_safe),
        cmocka_unit_test(holds_a_huge_terminal),
        cmocka_unit_test(colours_are_legible),
        cmocka_unit_test(colour_never_stands_alone),
        cmocka_unit_test(styles_show_only_where_they_can),
        cmocka_unit_test(chooses_the_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
