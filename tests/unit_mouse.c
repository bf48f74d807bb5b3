/* The mouse: what is drawn says what a click on it does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A click on the first place where the screen shows the text. */
static void click(struct headless *h, const char *text)
{
    char *shown = screen(h, 120, 36);
    struct term_key key = {.name = "Click"};
    size_t i = 0, length = strlen(text);
    for (; shown[i] && strncmp(shown + i, text, length) != 0; i++) {
        key.row += shown[i] == '\n';
        key.col = shown[i] == '\n' ? 0 : key.col + (((unsigned char)shown[i] & 0xc0) != 0x80);
    }
    bool there = shown[i] != '\0';
    free(shown);
    assert_true(there);
    app_key(h->app, &key);
}

static void tabs(void **state)
{
    struct headless *h = *state;
    static const struct {
        const char *text;
        enum panel_id panel;
    } tabs[] = {{"3 Scale", PANEL_SCALE},
                {"2 Update", PANEL_UPDATE},
                {"4 Train", PANEL_TRAIN},
                {"1 Bits", PANEL_BITS}};
    for (size_t i = 0; i < sizeof tabs / sizeof *tabs; i++) {
        click(h, tabs[i].text);
        assert_int_equal(app_view(h->app)->panel, tabs[i].panel);
    }
}

static void hints(void **state)
{
    struct headless *h = *state;
    click(h, "4 Train");
    click(h, "s step");
    assert_int_equal(app_snapshot(h->app)->step, 1);
    click(h, "? help");
    assert_shows(h, "keys in Train");
    click(h, "Esc back");
    click(h, "q quit");
    assert_true(app_done(h->app));
}

static void a_click_on_the_curve_goes_there(void **state)
{
    struct headless *h = *state;
    command(h, "panel train");
    command(h, "restart");
    command(h, "step 40");
    free(screen(h, 120, 36));
    struct term_key key = {.name = "Click", .row = 12, .col = 16};
    app_key(h->app, &key);
    int64_t step = app_snapshot(h->app)->step;
    assert_in_range(step, 1, 39);
    free(screen(h, 120, 36));
    key.col++; /* to the right of it is later */
    app_key(h->app, &key);
    assert_true(app_snapshot(h->app)->step > step);
    command(h, "restart");
}

static void nothing_there(void **state)
{
    struct headless *h = *state;
    const struct term_key outside[] = {{.name = "Click", .row = 1, .col = 5},
                                       {.name = "Click", .row = -1, .col = -1},
                                       {.name = "Click", .row = 30000, .col = 30000}};
    free(screen(h, 120, 36));
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        app_key(h->app, &outside[i]);
        assert_string_equal(app_message(h->app), "");
    }
    press(h, "=");
    click(h, "3 Scale"); /* a field is open: it keeps the focus */
    assert_non_null(app_field(h->app, NULL));
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    press(h, "Esc");
}

static void the_wheel(void **state)
{
    struct headless *h = *state;
    int format = app_view(h->app)->format;
    press(h, "WheelDown");
    assert_int_equal(app_view(h->app)->format, format + 1);
    press(h, "WheelUp");
    assert_int_equal(app_view(h->app)->format, format);
}

static void off_and_on(void **state)
{
    struct headless *h = *state;
    char error[APP_ERROR];
    assert_true(app_execute(h->app, "mouse on", error));
    assert_true(app_mouse(h->app));
    assert_true(app_execute(h->app, "mouse off", error));
    assert_false(app_mouse(h->app));
    assert_false(app_execute(h->app, "mouse sometimes", error));
    assert_string_equal(error, "mouse: on or off");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(tabs, reset),
        cmocka_unit_test_setup(a_click_on_the_curve_goes_there, reset),
        cmocka_unit_test_setup(nothing_there, reset),
        cmocka_unit_test_setup(the_wheel, reset),
        cmocka_unit_test_setup(off_and_on, reset),
        cmocka_unit_test_setup(hints, reset), /* the last: it quits */
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
