/* The debugger's keys: steps and launches forwards and backwards, scrubbing, breakpoints, why, maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "app_test.h"

static void keys_step_forwards_and_backwards(void **state)
{
    struct headless *h = *state;
    command(h, "restart");
    press(h, "4 s s s");
    assert_int_equal(app_snapshot(h->app)->step, 3);
    press(h, "i i");
    assert_int_equal(app_snapshot(h->app)->launch, 2);
    assert_true(app_snapshot(h->app)->in_step);
    press(h, "I");
    assert_int_equal(app_snapshot(h->app)->launch, 1);
    press(h, "p p");
    enum phase phase = app_snapshot(h->app)->next_phase;
    press(h, "P");
    assert_int_equal(app_snapshot(h->app)->next_phase, phase - 1);
    press(h, "O");
    assert_int_equal(app_snapshot(h->app)->step, 4);
    assert_false(app_snapshot(h->app)->in_step);
    press(h, "b b");
    assert_int_equal(app_snapshot(h->app)->step, 2);
    assert_true(app_snapshot(h->app)->behind);
    assert_shows(h, "step 2 of 4");
    const char *prompt;
    press(h, "g");
    assert_string_equal(app_field(h->app, &prompt), "2");
    assert_string_equal(prompt, "goto");
    type(h, "4");
    press(h, "Enter");
    assert_int_equal(app_snapshot(h->app)->step, 4);
}

static void scrubbing_along_the_run(void **state)
{
    struct headless *h = *state;
    command(h, "restart");
    press(h, "4 <");
    assert_non_null(strstr(app_message(h->app), "no run yet"));
    command(h, "step 250");
    press(h, "<");
    assert_int_equal(app_snapshot(h->app)->step, 248); /* 1 % of 250 */
    press(h, "< >");
    assert_int_equal(app_snapshot(h->app)->step, 248);
    assert_int_equal(app_snapshot(h->app)->last_step, 250);
    command(h, "scrub -100");
    assert_int_equal(app_snapshot(h->app)->step, 0);
    press(h, "<");
    assert_non_null(strstr(app_message(h->app), "where the run begins"));
    command(h, "scrub 100");
    assert_int_equal(app_snapshot(h->app)->step, 250);
    press(h, ">");
    assert_non_null(strstr(app_message(h->app), "as far as the run has been"));
    char error[APP_ERROR];
    assert_false(app_execute(h->app, "scrub x", error));
    assert_false(app_execute(h->app, "scrub 1000", error));
}

static void breakpoints_and_why(void **state)
{
    struct headless *h = *state;
    const char *prompt;
    command(h, "recipe O2");
    command(h, "scaler pytorch:init=2^24");
    press(h, "4 B");
    assert_non_null(app_field(h->app, &prompt));
    assert_string_equal(prompt, "break");
    type(h, "ov");
    press(h, "Tab");
    assert_string_equal(app_field(h->app, NULL), "overflow");
    press(h, "Enter");
    assert_int_equal(app_snapshot(h->app)->break_count, 1);
    assert_shows(h, "1 ● overflow");
    press(h, "s");
    assert_true(app_snapshot(h->app)->stopped && app_snapshot(h->app)->why_here);
    assert_shows(h, " why   fc3.weight.grad[0,0]");
    press(h, "y");
    assert_true(app_snapshot(h->app)->in_step && app_snapshot(h->app)->why_here);
    assert_int_equal(app_snapshot(h->app)->next_phase, PHASE_BACKWARD);
    press(h, "i");
    assert_false(app_snapshot(h->app)->why_here);
    command(h, "break-delete all");
    press(h, "O");
    command(h, "set fc2.weight[3,17] = inf");
    assert_shows(h, "O2 injected");
    char *small = screen(h, 80, 24);
    assert_non_null(strstr(small, "injected"));
    free(small);
    command(h, "recipe bf16-pure");
    command(h, "scaler none");
    small = screen(h, 80, 24);
    assert_null(strstr(small, "injected"));
    free(small);
}

static void a_tensor_as_a_map(void **state)
{
    struct headless *h = *state;
    command(h, "restart");
    command(h, "step 2");
    command(h, "panel train");
    command(h, "search fc2.weight");
    press(h, "H");
    assert_true(app_snapshot(h->app)->heat.valid);
    assert_string_equal(app_snapshot(h->app)->heat.name, "fc2.weight");
    assert_shows(h, "── map of fc2.weight  bf16 32×32");
    command(h, "home");
    assert_string_equal(app_snapshot(h->app)->heat.name, "fc1.weight"); /* the map follows the selection */
    press(h, "PgDn");
    assert_string_equal(app_snapshot(h->app)->heat.name, "fc2.weight");
    int from = app_view(h->app)->element;
    press(h, "Down Down Right");
    assert_int_equal(app_view(h->app)->element, from + 2 * 32 + 1);
    char focus[64];
    snprintf(focus, sizeof focus, "fc2.weight[%d,%d]", (from + 65) / 32, (from + 65) % 32);
    assert_shows(h, focus);
    press(h, "Enter");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    assert_string_equal(app_snapshot(h->app)->focus, focus);
    command(h, "panel train");
    command(h, "heat h2"); /* the selection follows a command line */
    assert_string_equal(app_snapshot(h->app)->tensors[app_view(h->app)->tensor].name, "h2");
    assert_int_equal(app_snapshot(h->app)->heat.row_step, 12);
    const struct heat_view *map = &app_snapshot(h->app)->heat;
    uint32_t bits = map->bits[app_view(h->app)->element / 32 / 12][app_view(h->app)->element % 32];
    press(h, "Enter");
    assert_int_equal(app_view(h->app)->panel, PANEL_BITS);
    assert_int_equal(app_snapshot(h->app)->bits.rows[FORMAT_BF16].bits, bits);
    assert_int_equal(app_view(h->app)->format, FORMAT_BF16);
    press(h, "4 H");
    assert_false(app_snapshot(h->app)->heat.valid);
}

static void a_tensor_as_a_histogram(void **state)
{
    struct headless *h = *state;
    command(h, "restart");
    command(h, "step 2");
    command(h, "panel train");
    command(h, "home");
    press(h, "h");
    assert_true(app_snapshot(h->app)->tensor_histogram.valid);
    assert_shows(h, "── histogram of fc1.weight  bf16 2×32 · log2 |x| of 64 values");
    press(h, "PgDn");
    assert_shows(h, "── histogram of fc2.weight  bf16 32×32 · log2 |x| of 1,024 values");
    press(h, "Down");
    assert_string_equal(app_snapshot(h->app)->tensor_histogram.name, "fc3.weight");
    command(h, "histogram h2"); /* the selection follows a command line */
    assert_string_equal(app_snapshot(h->app)->tensors[app_view(h->app)->tensor].name, "h2");
    press(h, "H"); /* the same tensor as a map, and back */
    assert_string_equal(app_snapshot(h->app)->heat.name, "h2");
    assert_false(app_snapshot(h->app)->tensor_histogram.valid);
    press(h, "h");
    assert_string_equal(app_snapshot(h->app)->tensor_histogram.name, "h2");
    press(h, "Esc");
    assert_false(app_snapshot(h->app)->tensor_histogram.valid);
    press(h, "H Esc");
    assert_false(app_snapshot(h->app)->heat.valid);
    press(h, "h h");
    assert_false(app_snapshot(h->app)->tensor_histogram.valid);
}

static void curves_take_turns(void **state)
{
    struct headless *h = *state;
    static const char *const titles[] = {"─ gradients flushed to 0", "─ updates lost",     "─ loss scale",
                                         "─ norm of the gradients",  "─ fc2.weight[3,17]", "─ loss"};
    char error[APP_ERROR];
    command(h, "restart");
    command(h, "step 60");
    command(h, "panel train");
    command(h, "weight fc2.weight[3,17]");
    command(h, "panel train");
    command(h, "curve loss");
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) {
        press(h, "C");
        assert_shows(h, titles[i]);
    }
    command(h, "curve norm");
    assert_shows(h, "─ norm of the gradients");
    assert_false(app_execute(h->app, "curve speed", error));
    assert_non_null(strstr(error, "'speed' is not loss, flushed"));
    command(h, "curve scale");
    assert_shows(h, "No lane has a loss scale.");
    command(h, "curve loss");
    press(h, "{");
    assert_int_equal(app_snapshot(h->app)->step, 54); /* a tenth of the way */
    assert_shows(h, "step 54 of 60 · < > scrub");
    assert_shows(h, " < > { } scrub  Space run");
    press(h, "} }");
    assert_int_equal(app_snapshot(h->app)->step, 60);
}

static void what_a_phase_is_about_stands_on_top(void **state)
{
    struct headless *h = *state;
    command(h, "recipe O2");
    command(h, "panel train");
    command(h, "home");
    command(h, "step 2");
    command(h, "phase 6"); /* unscale comes */
    char *text = screen(h, 120, 36);
    assert_non_null(strstr(text, "· • stored, r w next"));
    assert_non_null(strstr(text, " r fc1.weight.grad "));
    assert_non_null(strstr(text, " w fc1.weight.unscaled "));
    assert_non_null(strstr(text, "▸  ")); /* the selected row is in sight, too */
    free(text);
    press(h, "G");
    assert_shows(h, "▸  x.fp16 "); /* who moves in the table sees where */
    command(h, "recipe bf16-pure");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(keys_step_forwards_and_backwards),
        TEST(scrubbing_along_the_run),
        TEST(breakpoints_and_why),
        TEST(a_tensor_as_a_map),
        TEST(a_tensor_as_a_histogram),
        TEST(curves_take_turns),
        TEST(what_a_phase_is_about_stands_on_top),
    };
#undef TEST
    return cmocka_run_group_tests(tests, open_session, close_session);
}
