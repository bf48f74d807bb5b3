/* The app without a terminal: keys, fields, panels, narration, sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_test.h"
#include "command.h"
#include "glyph.h"
#include "panel_parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct bits_row *fp16_row(struct headless *h)
{
    return &app_snapshot(h->app)->bits.rows[FORMAT_FP16];
}

/* --- Bits --- */

static void flipping_bits(void **state)
{
    struct headless *h = *state;
    assert_string_equal(fp16_row(h)->hex, "0x3c00");
    press(h, "Home");
    assert_int_equal(app_view(h->app)->bit, 15);
    press(h, "x");
    assert_string_equal(fp16_row(h)->hex, "0xbc00");
    press(h, "x End Left Left x");
    assert_int_equal(app_view(h->app)->bit, 2);
    assert_string_equal(fp16_row(h)->hex, "0x3c04");
    press(h, "Right Right Right Right x");
    assert_int_equal(app_view(h->app)->bit, 0);
    assert_string_equal(fp16_row(h)->hex, "0x3c05");
}

static void moving_over_formats_and_values(void **state)
{
    struct headless *h = *state;
    press(h, "] ]");
    assert_string_equal(fp16_row(h)->hex, "0x3c02");
    press(h, "[ [ [");
    assert_string_equal(fp16_row(h)->hex, "0x3bff");
    press(h, "Up Home");
    assert_int_equal(app_view(h->app)->format, FORMAT_FP32);
    assert_int_equal(app_view(h->app)->bit, 31);
    press(h, "j");
    assert_int_equal(app_view(h->app)->format, FORMAT_FP16);
    assert_int_equal(app_view(h->app)->bit, 15); /* the bit stays within the format */
    press(h, "j j j");
    assert_int_equal(app_view(h->app)->format, FORMAT_BF16);
    assert_int_equal(app_snapshot(h->app)->mode, ROUND_RNE);
    press(h, "m");
    assert_int_equal(app_snapshot(h->app)->mode, ROUND_RNA);
}

static void walking_over_many_formats(void **state)
{
    struct headless *h = *state;
    char error[APP_ERROR];
    assert_true(app_execute(h->app, "formats all", error));
    assert_shows(h, "tf32   0x1fc00     1 ");
    press(h, "End Down Down");
    const struct bits_row *row = &app_snapshot(h->app)->bits.rows[app_view(h->app)->format];
    assert_string_equal(row->format->name, "tf32");
    press(h, "x");
    assert_string_equal(app_snapshot(h->app)->bits.rows[FORMAT_TF32].hex, "0x1fc01");
    assert_shows(h, "bit 0 of tf32");
    press(h, "j j j j j j j j ]");
    assert_string_equal(app_snapshot(h->app)->bits.rows[FORMAT_E8M0].hex, "0x80");
    free(screen(h, 80, 24));
    press(h, "PgDn PgDn PgDn");
    assert_true(app_view(h->app)->scroll[PANEL_BITS] > 14);
    press(h, "k"); /* scrolls back until the format is in sight */
    assert_int_equal(app_view(h->app)->scroll[PANEL_BITS], 3 + FORMAT_E2M1);
    assert_true(app_execute(h->app, "formats fp16", error)); /* the selection stays within the list */
    assert_int_equal(app_view(h->app)->format, 0);
    press(h, "PgUp PgUp PgUp");
}

static void calculating(void **state)
{
    struct headless *h = *state;
    const char *prompt;
    press(h, "c");
    assert_string_equal(app_field(h->app, &prompt), "");
    assert_string_equal(prompt, "calc");
    type(h, "1.0 + (-1e-5)");
    press(h, "Enter");
    assert_true(app_snapshot(h->app)->calc.shown);
    assert_shows(h, "− |b|      0.00000000000│0000010101000");
    assert_shows(h, "guard 1  round 1  sticky 1");
    press(h, "x");
    assert_shows(h, "Esc leads back to the value");
    press(h, "Down");
    assert_shows(h, "in bf16, on the blackboard");
    press(h, "c");
    assert_string_equal(app_field(h->app, NULL), "1.0 + (-1e-5)");
    press(h, "Esc Esc");
    assert_false(app_snapshot(h->app)->calc.shown);
    assert_shows(h, "number line");
    press(h, "c");
    type(h, "1 +");
    press(h, "Enter");
    assert_string_equal(app_field(h->app, NULL), "1 +"); /* to be mended */
    press(h, "Esc");
}

static void typing_a_value(void **state)
{
    struct headless *h = *state;
    const char *prompt;
    press(h, "Enter");
    assert_string_equal(app_field(h->app, &prompt), "1 - 1e-5"); /* what is there now, selected */
    assert_string_equal(prompt, "value");
    type(h, "65520");
    assert_string_equal(app_field(h->app, NULL), "65520");
    press(h, "Enter");
    assert_null(app_field(h->app, NULL));
    assert_string_equal(fp16_row(h)->hex, "0x7c00");
    assert_shows(h, "0x7c00");
    assert_shows(h, "infinite");
}

static void a_bad_value_stays_to_be_mended(void **state)
{
    struct headless *h = *state;
    press(h, "=");
    type(h, "0.1x");
    press(h, "Enter");
    assert_string_equal(app_field(h->app, NULL), "0.1x");
    assert_non_null(strstr(app_message(h->app), "not a number"));
    assert_string_equal(fp16_row(h)->hex, "0x3c00");
    press(h, "Backspace");
    assert_string_equal(app_message(h->app), "");
    press(h, "Enter");
    assert_null(app_field(h->app, NULL));
    assert_string_equal(fp16_row(h)->hex, "0x2e66");
    press(h, "= Esc");
    assert_null(app_field(h->app, NULL));
    assert_string_equal(fp16_row(h)->hex, "0x2e66");
}

static void letters_are_text_in_a_field(void **state)
{
    struct headless *h = *state;
    press(h, "=");
    type(h, "q?1x");
    assert_string_equal(app_field(h->app, NULL), "q?1x");
    assert_false(app_done(h->app));
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    press(h, "Esc");
}

static void pasting(void **state)
{
    struct headless *h = *state;
    struct term_key key = {.name = "Paste", .text = "1/3\n:quit\n"};
    app_key(h->app, &key); /* outside a field it is no keys */
    assert_false(app_done(h->app));
    assert_string_equal(app_snapshot(h->app)->bits.input, "1 - 1e-5");
    press(h, "=");
    app_key(h->app, &key);
    assert_string_equal(app_field(h->app, NULL), "1/3");
    press(h, "Enter");
    assert_string_equal(app_snapshot(h->app)->bits.input, "1/3");
}

/* --- the command line --- */

static void commands_and_completion(void **state)
{
    struct headless *h = *state;
    press(h, ":");
    type(h, "pa");
    press(h, "Tab");
    assert_string_equal(app_field(h->app, NULL), "pause");
    press(h, "Tab Tab");
    assert_string_equal(app_field(h->app, NULL), "page-up");
    press(h, "C-u");
    type(h, "panel up");
    press(h, "Tab");
    assert_string_equal(app_field(h->app, NULL), "panel update");
    press(h, "Enter");
    assert_int_equal(app_view(h->app)->panel, PANEL_UPDATE);
    press(h, ": Up"); /* history */
    assert_string_equal(app_field(h->app, NULL), "panel update");
    press(h, "Esc :");
    type(h, "panle bits");
    press(h, "Enter");
    assert_non_null(strstr(app_message(h->app), "no command 'panle'"));
    assert_non_null(app_field(h->app, NULL));
    press(h, "Esc");
}

static void errors_are_messages(void **state)
{
    struct headless *h = *state;
    char error[APP_ERROR];
    assert_false(app_execute(h->app, "", error));
    assert_false(app_execute(h->app, "panel", error));
    assert_non_null(strstr(error, "missing"));
    assert_false(app_execute(h->app, "panel ops", error));
    assert_false(app_execute(h->app, "quit now", error));
    assert_false(app_execute(h->app, "say hello", error));
    assert_false(app_execute(h->app, "edit step-up", error));
    assert_false(app_execute(h->app, "export /tmp/x.png", error));
    char fifo[] = "/tmp/ulpscope-XXXXXX", line[64];
    assert_non_null(mkdtemp(fifo));
    snprintf(line, sizeof line, "%s/fifo.txt", fifo);
    assert_int_equal(mkfifo(line, 0600), 0);
    snprintf(line, sizeof line, "export %s/fifo.txt", fifo);
    assert_false(app_execute(h->app, line, error)); /* and nobody waits for a reader */
    unlink(line + strlen("export "));
    rmdir(fifo);
    assert_false(app_execute(h->app, "play /no/such.demo", error));
    assert_false(app_done(h->app));
}

/* --- panels --- */

static void changing_panels(void **state)
{
    struct headless *h = *state;
    for (int i = 0; i < PANEL_COUNT; i++) {
        char key[8], tab[40];
        snprintf(key, sizeof key, "%d", i + 1);
        press(h, key);
        assert_int_equal(app_view(h->app)->panel, i);
        snprintf(tab, sizeof tab, "[%d %s]", i + 1, panel_table[i].title);
        assert_shows(h, tab);
    }
    press(h, "Tab");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    press(h, "S-Tab");
    assert_int_equal(app_view(h->app)->panel, PANEL_TRAIN);
}

static void updates(void **state)
{
    struct headless *h = *state;
    press(h, "2 =");
    /* The weight that stands there, not the value in Bits. */
    assert_string_equal(app_field(h->app, NULL), app_snapshot(h->app)->update.w);
    type(h, "1");
    press(h, "Tab");
    const char *prompt;
    assert_string_equal(app_field(h->app, &prompt), "0.001");
    assert_string_equal(prompt, "step-size");
    type(h, "2");
    press(h, "Tab");
    type(h, "2^-11");
    press(h, "Enter r");
    type(h, "10");
    press(h, "Enter");
    const struct update_answer *a = &app_snapshot(h->app)->update;
    assert_string_equal(a->exact, "0.990234375");
    assert_int_equal(a->steps, 10);
    assert_shows(h, "after 10 0.990234375");
    press(h, "Home Down");
    assert_int_equal(app_view(h->app)->scheme, 1);
    press(h, "/");
    type(h, "kahan");
    press(h, "Enter");
    assert_string_equal(a->rows[app_view(h->app)->scheme].scheme->name, "fp16+kahan");
    press(h, "n");
    assert_string_equal(a->rows[app_view(h->app)->scheme].scheme->name, "bf16+kahan");
    press(h, "N Enter");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    assert_int_equal(app_view(h->app)->format, FORMAT_FP16);
    assert_string_equal(app_snapshot(h->app)->bits.exact, "0.9990234375"); /* 1 - 2 x 2^-11 */
}

static void one_session_for_all(void **state)
{
    struct headless *h = *state;
    int64_t before = app_snapshot(h->app)->step;
    press(h, "s 2 s 3 s 4 s");
    assert_int_equal(app_snapshot(h->app)->step, before + 4);
    press(h, "4");
    press(h, ":");
    type(h, "search fc2.weight");
    press(h, "Enter Right Right Enter");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    assert_true(app_snapshot(h->app)->live);
    assert_string_equal(app_snapshot(h->app)->focus, "fc2.weight[0,2]");
    assert_shows(h, "fc2.weight[0,2]");
    press(h, "2");
    assert_shows(h, "fc2.weight[0,2]");
}

static void help_lists_every_command(void **state)
{
    struct headless *h = *state;
    press(h, "?");
    char *text = screen(h, 120, 250);
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (command_table[i].scope != SCOPE_DEMO && !strstr(text, command_table[i].help))
            fail_msg("the help does not say '%s'", command_table[i].help);
    free(text);
    free(screen(h, 80, 24));
    press(h, "/");
    type(h, "twin");
    press(h, "Enter");
    char *found = screen(h, 80, 24);
    assert_non_null(strstr(found, "▸"));
    free(found);
    press(h, "Esc");
    assert_shows(h, "number line");
}

/* --- narration --- */

static void a_demo_plays(void **state)
{
    struct headless *h = *state;
    char path[] = "/tmp/ulpscope-demo-XXXXXX", error[APP_ERROR];
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(file);
    fputs("panel update\nw 2\nsay First words, which are long enough to need more than one row of a screen "
          "that is no "
          "wider than eighty columns are, and so they are wrapped.\n"
          "w 3\nexpect update.fp32 == lost\npanel bits\nsay Last words.\nvalue 7\n",
          file);
    fclose(file);
    assert_true(app_play(h->app, path, error));
    assert_true(app_playing(h->app));
    assert_int_equal(app_view(h->app)->panel, PANEL_UPDATE);
    assert_string_equal(app_snapshot(h->app)->update.w, "2");
    assert_shows(h, "1 of 2");
    char *small = screen(h, 80, 24);
    assert_non_null(strstr(small, "First words"));
    assert_non_null(strstr(small, "they are wrapped."));
    assert_non_null(strstr(small, "q quit"));
    free(small);
    press(h, "3"); /* looking around */
    assert_shows(h, "First words");
    press(h, "Space");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    assert_shows(h, "Last words.");
    press(h, "Enter");
    assert_false(app_playing(h->app));
    assert_string_equal(app_snapshot(h->app)->bits.exact, "7");
    assert_true(app_play(h->app, path, error));
    press(h, "Esc");
    assert_false(app_playing(h->app));
    remove(path);
}

/* --- sizes --- */

static void too_small_says_so(void **state)
{
    struct headless *h = *state;
    char *text = screen(h, 79, 24);
    assert_non_null(strstr(text, "needs 80x24, has 79x24"));
    free(text);
    text = screen(h, 80, 24);
    assert_null(strstr(text, "needs 80x24"));
    assert_non_null(strstr(text, "[1 Bits]"));
    assert_non_null(strstr(text, "q quit"));
    free(text);
}

static void every_size_is_safe(void **state)
{
    struct headless *h = *state;
    struct grid *g = grid_create(0, 0);
    for (int panel = 0; panel < PANEL_COUNT; panel++) {
        char key[8];
        snprintf(key, sizeof key, "%d", panel + 1);
        press(h, key);
        for (int rows = 1; rows <= 45; rows++)
            for (int cols = 1; cols <= 130; cols++) {
                assert_true(grid_resize(g, rows, cols));
                app_draw(h->app, g);
            }
    }
    assert_true(grid_resize(g, 300, 500));
    app_draw(h->app, g);
    grid_free(g);
}

static void bits_fits_every_size(void **state)
{
    struct headless *h = *state;
    static const char *const lines[] = {"formats all",        "value nan",        "calc 1 - 1e-5",
                                        "calc 1 + 2^-140",    "calc 65504+65504", "calc sqrt(2)*3 - 1/7",
                                        "calc 2^-24 - 2^-25", "calc 0 - 0"};
    char error[APP_ERROR];
    struct grid *g = grid_create(0, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(app_execute(h->app, lines[i], error));
        for (int rows = 24; rows <= 72; rows += 6)
            for (int cols = 80; cols <= 200; cols += 5) {
                assert_true(grid_resize(g, rows, cols));
                press(h, i & 1 ? "j" : "PgDn");
                app_draw(h->app, g);
                for (int row = 2; row < g->rows - 2; row++) {
                    uint32_t last = grid_at(g, row, g->cols - 1)->glyph;
                    if (last >= '0' && last <= '9')
                        fail_msg("%s, %dx%d: a number is cut in row %d", lines[i], cols, rows, row);
                }
            }
        press(h, "PgUp PgUp PgUp PgUp PgUp");
    }
    grid_free(g);
}

/* Whatever the value: no row of Bits or Update is cut at the right edge without an ellipsis, so the last
 * column is never a digit. */
static void numbers_are_never_cut(void **state)
{
    struct headless *h = *state;
    static const char *const values[] = {"0.1",
                                         "-1e-45",
                                         "3.4028234663852886e38",
                                         "65519.999999999999999999999",
                                         "1e39",
                                         "nan",
                                         "-inf",
                                         "fp32:0x80000001",
                                         "-0",
                                         "1/3",
                                         "2^-149*3",
                                         "123456789.123456789"};
    static const int sizes[][2] = {{80, 24}, {80, 60}, {100, 30}, {120, 36}, {200, 60}};
    char error[APP_ERROR], line[96];
    struct grid *g = grid_create(0, 0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(line, sizeof line, "value %s", values[i]);
        assert_true(app_execute(h->app, line, error));
        for (int panel = 0; panel < 2; panel++)
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                press(h, panel ? "2" : "1");
                assert_true(grid_resize(g, sizes[k][1], sizes[k][0]));
                app_draw(h->app, g);
                for (int row = 2; row < g->rows - 2; row++) {
                    uint32_t last = grid_at(g, row, g->cols - 1)->glyph;
                    if (last >= '0' && last <= '9')
                        fail_msg("%s, panel %d, %dx%d: a number is cut in row %d", values[i], panel, g->cols,
                                 g->rows, row);
                }
            }
    }
    grid_free(g);
}

static void shortened_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int width;
        const char *want;
    } cases[] = {
        {"1.5", 12, "1.5"},
        {"0.99975585937512", 12, "0.999755859…"},
        {"0.9997558593…", 12, "0.999755859…"},
        {"-340282346638528859811704183484516925440", 14, "-3.40282346…e38"},
        {"100000000000000000000", 12, "1e20"},
        {"3.40282346638528859811704…e38", 16, "3.4028234663…e38"},
        {"0.00000000000000012345678901234", 12, "1.23456…e-16"},
        {"−0.123456789012345", 12, "−0.12345678…"},
        {"step skipped and more", 14, "step skipped…"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[TEXT_VALUE];
        panel_number(cases[i].text, cases[i].width, out);
        assert_true(glyph_text_width(out) <= (cases[i].width < 12 ? 12 : cases[i].width));
        if (i != 3)
            assert_string_equal(out, cases[i].want);
    }
}

static void quitting(void **state)
{
    struct headless h;
    char error[APP_ERROR];
    (void)state;
    assert_true(headless_open(&h, "cpu", error));
    press(&h, "?");
    press(&h, "q");
    assert_true(app_done(h.app));
    headless_close(&h);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(flipping_bits),
        TEST(moving_over_formats_and_values),
        TEST(walking_over_many_formats),
        TEST(calculating),
        TEST(typing_a_value),
        TEST(a_bad_value_stays_to_be_mended),
        TEST(letters_are_text_in_a_field),
        TEST(pasting),
        TEST(commands_and_completion),
        TEST(errors_are_messages),
        TEST(changing_panels),
        TEST(updates),
        TEST(one_session_for_all),
        TEST(help_lists_every_command),
        TEST(a_demo_plays),
        TEST(too_small_says_so),
        TEST(every_size_is_safe),
        TEST(numbers_are_never_cut),
        TEST(bits_fits_every_size),
        cmocka_unit_test(shortened_numbers),
        cmocka_unit_test(quitting),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_session, close_session);
}
