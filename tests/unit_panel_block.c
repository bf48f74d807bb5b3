/* The Block view of Bits: keys, the table that follows the focus, and that nothing is cut at 80 columns. */
#include "app_test.h"

#include "glyph.h"

static bool shows(struct headless *h, int cols, int rows, const char *what)
{
    char *text = screen(h, cols, rows);
    bool found = strstr(text, what) != NULL;
    free(text);
    return found;
}

static void execute(struct headless *h, const char *line)
{
    char error[APP_ERROR];
    if (!app_execute(h->app, line, error))
        fail_msg("%s: %s", line, error);
}

static void typed_and_left(void **state)
{
    struct headless *h = *state;
    press(h, "b");
    assert_string_equal(app_field(h->app, NULL), "");
    type(h, "nv");
    press(h, "Tab"); /* kinds complete */
    assert_string_equal(app_field(h->app, NULL), "nvfp4");
    press(h, "Esc b");
    type(h, "mxfp4 1 2.5 -3 0.1");
    press(h, "Enter");
    assert_true(app_snapshot(h->app)->block.shown);
    assert_true(shows(h, 80, 24, "▸  0 1"));
    press(h, "b"); /* the field starts with what is shown */
    assert_string_equal(app_field(h->app, NULL), "mxfp4 1 2.5 -3 0.1");
    press(h, "Esc");
    press(h, "Down Down");
    assert_int_equal(app_view(h->app)->block, 2);
    assert_true(shows(h, 80, 24, "▸  2 -3"));
    assert_true(shows(h, 80, 24, "element 2 · -3"));
    press(h, "End");
    assert_int_equal(app_view(h->app)->block, 3);
    assert_true(
        shows(h, 80, 24, "in e2m1 below the tie: 0 (0x0), which stands for 0 × 2^-1 = 0; error −0.1"));
    press(h, "Home");
    assert_int_equal(app_view(h->app)->block, 0);
    press(h, "Up");
    assert_int_equal(app_view(h->app)->block, 0);
    press(h, "x");
    assert_string_equal(app_message(h->app), "a block is shown: Esc leads back to the value");
    press(h, "Esc");
    assert_false(app_snapshot(h->app)->block.shown);
}

/* Hints name what the keys do here. */
static void hints(void **state)
{
    struct headless *h = *state;
    assert_true(shows(h, 120, 36, "x flip") && shows(h, 120, 36, "[ ] previous/next"));
    assert_false(shows(h, 120, 36, "Esc value"));
    execute(h, "block mxfp4 1");
    assert_true(shows(h, 80, 24, "↑↓ element") && shows(h, 80, 24, "Esc value"));
    assert_false(shows(h, 120, 36, "x flip") || shows(h, 120, 36, "[ ] previous/next"));
    execute(h, "calc 1+1");
    assert_true(shows(h, 80, 24, "↑↓ format") && shows(h, 80, 24, "Esc value"));
    assert_false(shows(h, 120, 36, "x flip") || shows(h, 120, 36, "←→ bit"));
    press(h, "Esc");
    assert_true(shows(h, 120, 36, "x flip"));
}

/* Every element can be seen at every size, with its row and what is said of it. */
static void every_element(void **state)
{
    struct headless *h = *state;
    char line[512] = "block mxfp6e2m3", row[40], title[40];
    for (int i = 0; i < 32; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " %d.125", i);
    execute(h, line);
    static const struct {
        int cols, rows;
    } sizes[] = {{80, 24}, {100, 30}, {120, 36}, {160, 60}};
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        press(h, "Home");
        for (int i = 0; i < 32; i++) {
            snprintf(row, sizeof row, "▸ %2d %d.125", i, i);
            snprintf(title, sizeof title, "element %d · %d.125", i, i);
            if (!shows(h, sizes[size].cols, sizes[size].rows, row) ||
                !shows(h, sizes[size].cols, sizes[size].rows, title))
                fail_msg("%s at %dx%d", row, sizes[size].cols, sizes[size].rows);
            press(h, "Down");
        }
    }
    press(h, "Home PgDn");
    assert_int_equal(app_view(h->app)->block, 8);
    press(h, "PgUp PgUp");
    assert_int_equal(app_view(h->app)->block, 0);
    press(h, "End");
    execute(h, "block mxfp4 1 2"); /* fewer: the focus stays among them */
    assert_int_equal(app_view(h->app)->block, 1);
    press(h, "Esc");
}

/* The kinds with the widest fields and numbers: columns do not run into each other. */
static void columns_stay_apart(void **state)
{
    struct headless *h = *state;
    static const char *const lines[] = {
        "block mxfp8e4m3 1/3 -1/3 1e-30 -448.123456789012345 1e30",
        "block mxfp8e5m2 57344 -1/7 1.23456789012345678e-7",
        "block mxfp6e3m2 -1e300 1e-300",
        "block nvfp4 2/3 -1e-10 2687.999999999",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        execute(h, lines[i]);
        for (int cols = 80; cols <= 130; cols += 10) {
            char *text = screen(h, cols, 36);
            bool wide = cols >= 112;
            const int starts[] = {6,
                                  wide ? 25 : 19,
                                  wide ? 44 : 32,
                                  wide ? 56 : 43,
                                  wide ? 77 : 48,
                                  wide ? 96 : 61,
                                  wide ? 108 : 71};
            for (char *rest = text, *row; (row = strtok_r(rest, "\n", &rest)) != NULL;) {
                int at = 0;
                const char *next = row, *cell = row;
                bool is_row = strstr(row, "normal") || strstr(row, "saturated") || strstr(row, "became 0");
                if (!is_row || strstr(row, "policy") || strstr(row, "errors"))
                    continue;
                for (uint32_t glyph; (glyph = glyph_decode(&next)) != 0;
                     at += glyph_width(glyph), cell = next)
                    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
                        if (at == starts[k] - 1 && *cell != ' ')
                            fail_msg("%d columns: %s", cols, row);
            }
            free(text);
        }
    }
    press(h, "Esc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(typed_and_left, reset),
        cmocka_unit_test_setup(hints, reset),
        cmocka_unit_test_setup(every_element, reset),
        cmocka_unit_test_setup(columns_stay_apart, reset),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
