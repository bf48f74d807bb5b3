/* Panel Scale: what it shows and where, with and without a scaler, at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "glyph.h"
#include "panel_fixture.h"

static const struct view view;

/* Screen column at which a word begins in a line. */
static int column_of(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    assert_non_null(at);
    char before[1024];
    snprintf(before, sizeof before, "%.*s", (int)(at - line), line);
    return glyph_text_width(before);
}

static const struct cell *cell_below(struct grid *g, const struct snapshot *s, int row, int col)
{
    grid_clear(g);
    panel_scale_draw(g, grid_bounds(g), &view, s);
    return grid_at(g, row, col);
}

static void shows_all_at_80_by_20(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    char *text = fixture_text(panel_scale_draw, s, &view, 20, 80, false), line[1024];
    assert_int_equal(fixture_find(text, "gradients of this step · log2 |g| of 1,251 values"), 0);
    assert_non_null(
        strstr(fixture_line(text, 6, line), "2^-48  2^-40   2^-32   2^-24   2^-16   2^-8     2^0     2^8"));
    assert_string_equal(fixture_line(text, 9, line),
                        " S = 1     flushed 92.3 %  subnormal  7.7 %  normal  0.0 %  overflowed  0.0 %");
    assert_string_equal(fixture_line(text, 10, line),
                        " S = 2^17  flushed  0.5 %  subnormal 46.4 %  normal 53.1 %  overflowed  0.0 %");
    assert_int_equal(
        fixture_find(text, "── loss scale · pytorch:window=50   init 65536   growth ×2 every 50"), 11);
    assert_int_equal(column_of(fixture_line(text, 12, line), "scale            131072 = 2^17"), 33);
    assert_non_null(strstr(fixture_line(text, 13, line), "clean in a row   36 of 50  ▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░░"));
    assert_non_null(strstr(fixture_line(text, 14, line), "next clean step  tracker → 37"));
    assert_non_null(strstr(fixture_line(text, 15, line), "an overflow now  scale → 65536, tracker → 0,"));
    assert_int_equal(column_of(fixture_line(text, 16, line), "step skipped"), 50);
    assert_non_null(strstr(fixture_line(text, 17, line), "x skipped        4 of 412"));
    assert_non_null(
        strstr(fixture_line(text, 19, line), "x step 341  overflow  fc1.weight.grad [0,31] → inf"));
    free(text);
    free(s);
}

/* Every limit of a window stands at the left edge of the bar of its exponent. */
static void windows_stand_under_the_bars(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    for (int cols = 80; cols <= 200; cols += 1) {
        char *text = fixture_text(panel_scale_draw, s, &view, 20, cols, false), bars[1024], ticks[1024],
             windows[1024];
        fixture_line(text, 6, ticks);
        fixture_line(text, 5, bars);
        fixture_line(text, 8, windows);
        /* The range is 2^-48 to 2^16 in columns of one width; 2^-48 is the first. */
        int first = column_of(bars, "┬"), each = 0;
        assert_int_equal(first, column_of(windows, "·"));
        for (int w = 1; w < 4; w++)
            if (64 * w <= cols - 1 - first && 64 * (w + 1) > cols - 1 - first)
                each = w;
        assert_true(each > 0);
        assert_int_equal(column_of(windows, "░"), first + 6 * each);  /* 2^-42 */
        assert_int_equal(column_of(windows, "▒"), first + 17 * each); /* 2^-31 */
        assert_int_equal(column_of(windows, "│"), first + 47 * each); /* 2^-1 */
        free(text);
    }
    free(s);
}

/* A bar has the role of what the scale in force makes of it. */
static void bars_have_the_windows_roles(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    memset(s->histogram.height, 0, sizeof s->histogram.height);
    for (int e = -44; e < 4; e++)
        s->histogram.height[e + 60] = 10;
    s->histogram.highest = 10;
    struct grid *g = grid_create(20, 80);
    int first = 11;
    assert_int_equal(cell_below(g, s, 4, first + 5)->role, ROLE_WARNING);  /* 2^-43 is flushed */
    assert_int_equal(cell_below(g, s, 4, first + 6)->role, ROLE_LANE_1);   /* 2^-42 is not */
    assert_int_equal(cell_below(g, s, 4, first + 17)->role, ROLE_GOOD);    /* 2^-31: the smallest normal */
    assert_int_equal(cell_below(g, s, 4, first + 46)->role, ROLE_GOOD);    /* 2^-2 */
    assert_int_equal(cell_below(g, s, 4, first + 47)->role, ROLE_WARNING); /* 2^-1 overflows */
    assert_int_equal(cell_below(g, s, 4, first + 3)->glyph, ' ');
    grid_free(g);
    free(s);
}

static void skips_are_marked_on_the_timeline(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    char *text = fixture_text(panel_scale_draw, s, &view, 34, 120, false);
    int marks = 0, top = fixture_find(text, "── loss scale"), bottom = fixture_find(text, "── events");
    struct grid *g = grid_create(34, 120);
    panel_scale_draw(g, grid_bounds(g), &view, s);
    for (int row = top + 1; row < bottom; row++)
        for (int col = 0; col < 60; col++)
            marks += grid_at(g, row, col)->glyph == 'x' && grid_at(g, row, col)->role == ROLE_WARNING;
    grid_free(g);
    assert_int_equal(marks, 4);
    assert_true(fixture_find(text, "─ state ─") == top + 1);
    assert_true(fixture_find(text, "x step 131  overflow  fc3.weight.grad [17,2]") == bottom + 1);
    assert_true(fixture_find(text, "↑ step 181  growth    50 clean steps   scale 2^17 → 2^18") == bottom + 2);
    assert_true(fixture_find(text, "≠ step 207") < 0); /* that is Train's */
    free(text);
    free(s);
}

static void without_a_scaler_it_says_what_to_do(void **state)
{
    (void)state;
    struct snapshot *s = fixture_start("bf16-pure");
    fixture_histogram(&s->histogram);
    char *text = fixture_text(panel_scale_draw, s, &view, 20, 80, false);
    assert_int_equal(fixture_find(text, "── loss scale · none ──"), 11);
    assert_int_equal(fixture_find(text, "bf16-pure runs without a loss scale"), 12);
    assert_true(fixture_find(text, ":scaler pytorch ") > 12);
    assert_true(fixture_find(text, ":recipe O2") > 12);
    assert_true(fixture_find(text, "flushed 92.3 %") == 9); /* the histogram is there all the same */
    free(text);
    SET(s->recipe, "O2");
    text = fixture_text(panel_scale_draw, s, &view, 20, 80, false);
    assert_true(fixture_find(text, ":recipe O2") < 0);
    free(text);
    free(s);
}

static void a_fixed_scale_has_no_progress(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    SET(s->scale.tracker, "–");
    for (int i = 0; i < s->scale.log2_scale.count; i++)
        s->scale.log2_scale.value[i] = 10;
    char *text = fixture_text(panel_scale_draw, s, &view, 20, 80, false);
    assert_true(fixture_find(text, "▓") < 0);
    assert_true(fixture_find(text, "2^10 ┤") > 0);
    free(text);
    free(s);
}

static void step_0_says_how_to_begin(void **state)
{
    (void)state;
    struct snapshot *s = fixture_start("O2");
    s->scale.active = true;
    char *text = fixture_text(panel_scale_draw, s, &view, 20, 80, false);
    assert_true(fixture_find(text, "No gradients yet: s makes one step, Space") > 0);
    assert_true(fixture_find(text, "The scale over the steps:") > 0);
    assert_true(fixture_find(text, "No overflow, no growth yet.") == 19);
    free(text);
    free(s);
}

static void long_answers_break_after_commas(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    for (int cols = 80; cols <= 130; cols++) {
        char *text = fixture_text(panel_scale_draw, s, &view, 20, cols, false);
        assert_true(fixture_find(text, "tracker → 0,") == 15);
        assert_true(fixture_find(text, "step skipped") >= 15); /* in one piece */
        free(text);
    }
    free(s);
}

static void steps_are_whole_numbers(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    s->scale.log2_scale.stride = 8;
    char *text = fixture_text(panel_scale_draw, s, &view, 20, 120, false), line[1024];
    assert_non_null(strstr(fixture_line(text, 18, line), "1000"));
    assert_null(strstr(line, "e+"));
    free(text);
    free(s);
}

static void strange_values_harm_nothing(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    s->histogram.first_exponent = -149;
    s->histogram.columns = 1000;
    for (int i = 0; i < HISTOGRAM_COLUMNS; i++)
        s->histogram.height[i] = UINT32_MAX;
    s->histogram.highest = UINT32_MAX;
    s->histogram.unscaled.flush_below = -INFINITY;
    s->histogram.unscaled.overflow_from = INFINITY;
    s->histogram.scaled.flush_below = NAN;
    s->histogram.scaled.overflow_from = NAN;
    for (int i = 0; i < s->scale.log2_scale.count; i += 3)
        s->scale.log2_scale.value[i] = i % 2 ? NAN : -INFINITY;
    s->scale.progress = NAN;
    assert_true(fixture_sizes(panel_scale_draw, s, &view));
    free(s);
}

static void all_sizes_are_safe(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    assert_true(fixture_sizes(panel_scale_draw, s, &view));
    s->scale.active = false;
    assert_true(fixture_sizes(panel_scale_draw, s, &view));
    free(s);
    s = fixture_start("O2");
    assert_true(fixture_sizes(panel_scale_draw, s, &view));
    free(s);
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    char *text = fixture_text(panel_scale_draw, s, &view, 34, 120, true);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
    assert_true(fixture_find(text, "next clean step  tracker > 37") > 0);
    free(text);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_all_at_80_by_20),
        cmocka_unit_test(windows_stand_under_the_bars),
        cmocka_unit_test(bars_have_the_windows_roles),
        cmocka_unit_test(skips_are_marked_on_the_timeline),
        cmocka_unit_test(without_a_scaler_it_says_what_to_do),
        cmocka_unit_test(a_fixed_scale_has_no_progress),
        cmocka_unit_test(step_0_says_how_to_begin),
        cmocka_unit_test(long_answers_break_after_commas),
        cmocka_unit_test(steps_are_whole_numbers),
        cmocka_unit_test(strange_values_harm_nothing),
        cmocka_unit_test(all_sizes_are_safe),
        cmocka_unit_test(ascii_is_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
