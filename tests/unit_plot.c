/* Plots: what they look like, and that no size or value harms them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "export.h"
#include "plot.h"
#include <float.h>
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

static void ticks_are_round(void **state)
{
    (void)state;
    struct plot_tick ticks[16];
    assert_int_equal(plot_ticks(0, 400, 4, ticks, 16), 5);
    assert_true(ticks[1].at == 100 && ticks[4].at == 400);
    assert_int_equal(plot_ticks(-0.3, 0.31, 3, ticks, 16), 3);
    assert_true(fabs(ticks[0].at + 0.2) < 1e-12 && ticks[1].at == 0);
    assert_int_equal(plot_ticks(0, 1, 100, ticks, 16), 16);
    assert_int_equal(plot_ticks(1, 1, 4, ticks, 16), 0);
    assert_int_equal(plot_ticks(0, NAN, 4, ticks, 16), 0);
    assert_int_equal(plot_ticks(-DBL_MAX, DBL_MAX, 4, ticks, 16), 0);
    assert_true(plot_ticks(0, DBL_MIN, 4, ticks, 16) <= 16);
    assert_true(plot_ticks(1e15, 1e15 + 0.25, 40, ticks, 16) <= 16);
}

static const struct plot_tick y_ticks[] = {{16, "2^16"}, {17, "2^17"}, {18, "2^18"}};
static const struct plot_tick x_ticks[] = {{0, NULL}, {10, NULL}, {20, NULL}};
static const double scale[] = {16, 16, 16, 16, 16, 17, 17, 17, 17, 17, 18,
                               18, 17, 17, 17, 17, 17, 18, 18, 18, 18};

static void draw_scale(struct grid *g)
{
    struct plot_axes axes = {.x_min = 0,
                             .x_max = 20,
                             .y_min = 16,
                             .y_max = 18,
                             .y_ticks = y_ticks,
                             .y_count = 3,
                             .x_ticks = x_ticks,
                             .x_count = 3,
                             .x_name = "step"};
    struct rect in = plot_frame(g, grid_bounds(g), &axes);
    struct plot_series series = {.y = scale, .count = 21, .role = ROLE_LANE_0, .step = true};
    plot_line(g, in, &axes, &series);
    plot_mark(g, in, &axes, 11, 18, 'x', ROLE_WARNING);
    plot_mark(g, in, &axes, 99, 18, 'x', ROLE_WARNING);
    plot_mark(g, in, &axes, NAN, INFINITY, 'x', ROLE_WARNING);
}

/* What has not happened yet is not drawn: a staircase ends at its last point, not at the plot's edge. */
static void a_staircase_ends_with_its_data(void **state)
{
    (void)state;
    for (int braille = 0; braille < 2; braille++) {
        struct grid *g = grid_create(3, 21);
        struct plot_axes axes = {.x_max = 20, .y_min = 16, .y_max = 18};
        struct plot_series series = {.y = scale, .count = 5, .role = ROLE_LANE_0, .step = true};
        g->braille = braille;
        plot_line(g, grid_bounds(g), &axes, &series);
        for (int col = 0; col < 21; col++)
            assert_int_equal(grid_at(g, 2, col)->role == ROLE_LANE_0, col <= 4);
        grid_free(g);
    }
}

static void staircase_in_strokes(void **state)
{
    (void)state;
    struct grid *g = grid_create(5, 36);
    draw_scale(g);
    assert_screen(g, "2^18 ┤           ╭x╮     ╭───\n"
                     "2^17 ┤      ╭────╯ ╰─────╯\n"
                     "2^16 ┤──────╯\n"
                     "     └┬──────────┬──────────┬\n"
                     "      0         10         20 step\n");
    grid_free(g);
}

static void staircase_in_ascii(void **state)
{
    (void)state;
    struct grid *g = grid_create(5, 36);
    g->ascii = true;
    draw_scale(g);
    assert_screen(g, "2^18 +           .x.     .---\n"
                     "2^17 +      .----' '-----'\n"
                     "2^16 +------'\n"
                     "     ++----------+----------+\n"
                     "      0         10         20 step\n");
    grid_free(g);
}

static void line_in_braille_keeps_the_dots_of_others(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 4);
    g->braille = true;
    struct plot_axes axes = {.x_min = 0, .x_max = 7, .y_min = 0, .y_max = 7};
    double up[] = {0, 7}, down[] = {7, 0}, at[] = {0, 7};
    plot_line(g, grid_bounds(g), &axes,
              &(struct plot_series){.x = at, .y = up, .count = 2, .role = ROLE_LANE_0});
    assert_screen(g, "  ⡠⠊\n⡠⠊\n");
    plot_line(g, grid_bounds(g), &axes,
              &(struct plot_series){.x = at, .y = down, .count = 2, .role = ROLE_LANE_1});
    assert_screen(g, "⠑⢄⡠⠊\n⡠⠊⠑⢄\n");
    assert_int_equal(grid_at(g, 0, 3)->role, ROLE_LANE_0);
    assert_int_equal(grid_at(g, 0, 0)->role, ROLE_LANE_1);
    grid_free(g);
}

static void gaps_and_infinities(void **state)
{
    (void)state;
    struct grid *g = grid_create(3, 9);
    struct plot_axes axes = {.x_min = 0, .x_max = 8, .y_min = 0, .y_max = 2};
    double y[] = {1, 1, NAN, 1, INFINITY, 1, -INFINITY, 1, 1e300};
    plot_line(g, grid_bounds(g), &axes, &(struct plot_series){.y = y, .count = 9});
    assert_screen(g, "    ↑   │\n── ─ ─ ─╯\n      ↓\n");
    grid_free(g);
}

static void a_spike_between_columns_shows(void **state)
{
    (void)state;
    struct grid *g = grid_create(3, 5);
    double y[100] = {0};
    y[51] = 2;
    struct plot_axes axes = {.x_min = 0, .x_max = 99, .y_min = 0, .y_max = 2};
    plot_line(g, grid_bounds(g), &axes, &(struct plot_series){.y = y, .count = 100});
    assert_screen(g, "  │\n  │\n─────\n");
    grid_free(g);
}

static void bars_in_eighths(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 9);
    double value[] = {0, 1, 2, 3, 8, 16, 1e-9, NAN, INFINITY};
    struct plot_bars bars = {.value = value, .count = 9, .max = 16, .role = ROLE_GOOD};
    plot_bars(g, grid_bounds(g), &bars);
    assert_screen(g, "     █  █\n ▁▂▃██▁ █\n");
    grid_clear(g);
    bars.count = 3;
    bars.max = 2;
    plot_bars(g, grid_bounds(g), &bars);
    assert_screen(g, "      ██\n   ██ ██\n");
    struct grid *narrow = grid_create(1, 3);
    bars.count = 9;
    bars.max = 8;
    plot_bars(narrow, grid_bounds(narrow), &bars);
    assert_screen(narrow, "▂██\n");
    grid_free(narrow);
    grid_free(g);
}

static void a_window_has_its_labels_where_they_fit(void **state)
{
    (void)state;
    struct grid *g = grid_create(2, 40);
    static const struct plot_segment segments[] = {
        {-INFINITY, -25, 0xb7, 0, "flushed", ROLE_WARNING},
        {-25, -14, 0x2591, 0, "subnormal", ROLE_DIM},
        {-14, 16, 0x2592, 0, "normal", ROLE_GOOD},
        {16, INFINITY, ' ', 0x2502, "inf", ROLE_ERROR},
    };
    struct plot_axes axes = {.x_min = -40, .x_max = 24};
    plot_window(g, rect_make(0, 0, 1, 40), &axes, segments, 4);
    axes.x_max = 17;
    plot_window(g, rect_make(1, 0, 1, 40), &axes, segments, 4);
    assert_screen(g, "·flushed·░░░░░░░▒normal▒▒▒▒▒▒▒▒▒▒▒│inf\n"
                     "·flushed··░░░░░░░░▒normal▒▒▒▒▒▒▒▒▒▒▒▒▒│\n");
    grid_free(g);
}

static void progress_is_held_to_its_columns(void **state)
{
    (void)state;
    struct grid *g = grid_create(4, 8);
    plot_progress(g, 0, 0, 8, 0.5, ROLE_FOCUS);
    plot_progress(g, 1, 0, 8, NAN, ROLE_FOCUS);
    plot_progress(g, 2, 0, 8, 1e300, ROLE_FOCUS);
    plot_progress(g, 3, 0, -8, 0.5, ROLE_FOCUS);
    assert_screen(g, "▓▓▓▓░░░░\n░░░░░░░░\n▓▓▓▓▓▓▓▓\n\n");
    grid_free(g);
}

static void labels_come_from_a_format_too(void **state)
{
    (void)state;
    struct grid *g = grid_create(6, 20);
    struct plot_tick ticks[4];
    struct plot_axes axes = {
        .x_min = 0, .x_max = 10, .y_min = 0, .y_max = 0.5, .y_ticks = ticks, .y_width = 5};
    axes.y_count = plot_ticks(0, 0.5, 2, ticks, 4);
    struct rect in = plot_frame(g, grid_bounds(g), &axes);
    assert_int_equal(in.col, 7);
    assert_int_equal(in.rows, 4);
    assert_screen(g, "      │\n  0.4 ┤\n  0.2 ┤\n    0 ┤\n      └─────────────\n\n");
    int row;
    assert_true(plot_row(in, &axes, 0.5, &row) && row == 0);
    assert_false(plot_row(in, &axes, NAN, &row));
    assert_false(plot_row(in, &axes, 1e300, &row));
    grid_free(g);
}

static void draw_all(struct grid *g, struct rect r, const double *y, size_t count, double min, double max)
{
    struct plot_tick ticks[8] = {
        {0, NULL}, {min, "a long label"}, {max, ""}, {NAN, NULL}, {(min + max) / 2, NULL}};
    struct plot_axes axes = {.x_min = 0,
                             .x_max = (double)count,
                             .y_min = min,
                             .y_max = max,
                             .y_ticks = ticks,
                             .y_count = 5,
                             .x_ticks = ticks,
                             .x_count = 5,
                             .x_name = "step"};
    struct rect in = plot_frame(g, r, &axes);
    struct plot_series series = {.y = y, .count = count, .role = ROLE_LANE_1, .mark = 'b'};
    struct plot_segment segments[] = {{NAN, 3, '.', '|', "label", ROLE_DIM},
                                      {1, INFINITY, 0x2592, 0, NULL, ROLE_DIM}};
    struct plot_bars bars = {.value = y, .count = count, .max = max};
    for (int way = 0; way < 4; way++) {
        g->braille = way & 1;
        series.step = way & 2;
        plot_line(g, in, &axes, &series);
    }
    plot_mark(g, in, &axes, 1, y[0], 'x', ROLE_WARNING);
    plot_bars(g, in, &bars);
    plot_window(g, in, &axes, segments, 2);
    plot_progress(g, in.row, in.col, in.cols, y[0], ROLE_GOOD);
}

static void any_size_and_value_is_safe(void **state)
{
    (void)state;
    static const double y[] = {0,      1, -1, NAN, INFINITY, -INFINITY, 1e308, -1e308,
                               5e-324, 3, 2,  1e9, 7,        0.5,       1,     1};
    enum { COUNT = sizeof y / sizeof *y };
    static const double limits[][2] = {{0, 3},     {-1, 1},         {1, 1},      {3, 0},         {NAN, 1},
                                       {0, 1e308}, {-1e308, 1e308}, {0, 5e-324}, {-INFINITY, 0}, {0, 1e-300}};
    for (int rows = 0; rows <= 40; rows++)
        for (int cols = 0; cols <= 40; cols++) {
            struct grid *g = grid_create(rows, cols);
            const double *limit = limits[(rows + cols) % (int)(sizeof limits / sizeof *limits)];
            g->ascii = rows % 4 == 3;
            draw_all(g, grid_bounds(g), y, COUNT, limit[0], limit[1]);
            draw_all(g, rect_make(-2, -3, rows + 5, cols + 5), y, COUNT, 0, 3);
            draw_all(g, rect_make(rows / 2, cols / 2, rows, cols), y, 1, -1, 1);
            grid_free(g);
        }
    struct grid *g = grid_create(20, 60);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        draw_all(g, grid_bounds(g), y, COUNT, limits[i][0], limits[i][1]);
        draw_all(g, rect_make(INT_MIN, INT_MIN, INT_MAX, INT_MAX), y, COUNT, limits[i][0], limits[i][1]);
        draw_all(g, rect_make(INT_MAX, INT_MAX, INT_MAX, INT_MAX), y, COUNT, limits[i][0], limits[i][1]);
        draw_all(g, rect_make(-5, -5, INT_MAX, INT_MAX), y, COUNT, limits[i][0], limits[i][1]);
        draw_all(g, rect_make(3, 3, -7, 9), y, COUNT, limits[i][0], limits[i][1]);
    }
    /* without plot_frame, which narrows to the grid */
    struct plot_axes axes = {.x_min = 0, .x_max = 15, .y_min = 0, .y_max = 3};
    struct plot_series series = {.y = y, .count = COUNT};
    plot_line(g, rect_make(-7, -9, INT_MAX, INT_MAX), &axes, &series);
    plot_line(g, rect_make(INT_MIN, INT_MIN, 9, 9), &axes, &series);
    plot_line(g, rect_make(-7, -9, 60, 100), &axes, &series);
    grid_free(g);
}

static void draws_a_huge_plot(void **state)
{
    (void)state;
    enum { COUNT = 20000 };
    double *y = malloc(COUNT * sizeof *y);
    for (int i = 0; i < COUNT; i++)
        y[i] = i % 1000;
    struct grid *g = grid_create(500, 2100);
    draw_all(g, grid_bounds(g), y, COUNT, 0, 1000);
    grid_free(g);
    free(y);
}

/* Every tick stands on a row of its own, at equal distances, whatever the limits. */
static void fitted_ticks_stand_on_rows(void **state)
{
    (void)state;
    static const double lows[] = {0, -1, 0.3, -0.1735, 1e-9, -48, 1e6, 5},
                        spans[] = {1, 2.2, 345, 1e-4, 7e9, 0.11, 3};
    for (size_t i = 0; i < sizeof lows / sizeof *lows; i++)
        for (size_t k = 0; k < sizeof spans / sizeof *spans; k++)
            for (int gaps = 2; gaps <= 30; gaps++) {
                struct plot_tick ticks[64];
                double low = lows[i], high = lows[i] + spans[k];
                size_t count = plot_fit(&low, &high, gaps, 0, ticks, 64);
                double slack = spans[k] * 1e-6 + fabs(lows[i]) * 1e-12;
                if (!(count >= 2 && low <= lows[i] + slack && high >= lows[i] + spans[k] - slack))
                    fail_msg("%g + %g in %d: %zu ticks, %g to %g", lows[i], spans[k], gaps, count, low, high);
                assert_true(count >= 2 && low <= lows[i] + slack && high >= lows[i] + spans[k] - slack);
                assert_true(high - low <= 5 * spans[k] + 1e-9 * fabs(lows[i]));
                struct rect lines = rect_make(3, 0, gaps + 1, 10), bars = rect_make(3, 0, gaps, 10);
                struct plot_axes axes = {.y_min = low, .y_max = high},
                                 edges = {.y_min = low, .y_max = high, .y_edges = true};
                int last = 0, distance = 0, row, other;
                for (size_t t = 0; t < count; t++) {
                    assert_true(plot_row(lines, &axes, ticks[t].at, &row) &&
                                plot_row(bars, &edges, ticks[t].at, &other));
                    assert_int_equal(row, other); /* for bars the lowest is the axis */
                    assert_true(row >= 3 && row <= 3 + gaps);
                    assert_true(fabs((ticks[t].at - low) / (high - low) * gaps - (3 + gaps - row)) < 1e-3);
                    assert_true(t == 0 ? row == 3 + gaps : last - row >= 1);
                    assert_true(t < 2 || last - row == distance);
                    distance = last - row;
                    last = row;
                }
            }
    struct plot_tick ticks[8];
    double low = 14.2, high = 24;
    assert_true(plot_fit(&low, &high, 5, 1, ticks, 8) >= 2 && low == floor(low)); /* whole powers only */
    assert_true(ticks[1].at - ticks[0].at >= 1);
    low = high = 3;
    assert_int_equal(plot_fit(&low, &high, 5, 0, ticks, 8), 0);
    high = INFINITY;
    assert_int_equal(plot_fit(&low, &high, 5, 0, ticks, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(staircase_in_strokes),
        cmocka_unit_test(a_staircase_ends_with_its_data),
        cmocka_unit_test(staircase_in_ascii),
        cmocka_unit_test(line_in_braille_keeps_the_dots_of_others),
        cmocka_unit_test(gaps_and_infinities),
        cmocka_unit_test(a_spike_between_columns_shows),
        cmocka_unit_test(bars_in_eighths),
        cmocka_unit_test(a_window_has_its_labels_where_they_fit),
        cmocka_unit_test(progress_is_held_to_its_columns),
        cmocka_unit_test(labels_come_from_a_format_too),
        cmocka_unit_test(any_size_and_value_is_safe),
        cmocka_unit_test(draws_a_huge_plot),
        cmocka_unit_test(fitted_ticks_stand_on_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
