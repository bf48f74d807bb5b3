/* Train's plots: every curve with its marks and its slider, and a tensor's histogram. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "panel_fixture.h"
#include "panel_train.h"

/* Timelines to the run of the fixture: what they show is told apart by their heights. */
static void fill_timelines(struct snapshot *s)
{
    for (int lane = 0; lane < s->lane_count; lane++)
        for (int t = 0; t < TIMELINES; t++) {
            struct series *series = &s->lanes[lane].timelines[t];
            series->first = series->stride = 1;
            series->count = 412;
            for (int i = 0; i < series->count; i++)
                series->value[i] = t == TIMELINE_SCALE  ? (lane ? NAN : (float)(16 + i / 100))
                                   : t == TIMELINE_NORM ? (i == 130 ? INFINITY : 0.5f)
                                                        : (float)(10 * lane + t);
            SET(s->lanes[lane].now[t], t == TIMELINE_SCALE ? "2^17" : "12.5 %");
            SET(s->lanes[lane].weight, "0.25");
        }
}

static char *train_text(const struct snapshot *s, enum train_curve curve, int rows, int cols, bool ascii)
{
    struct view v = {.curve = curve};
    return fixture_text(panel_train_draw, s, &v, rows, cols, ascii);
}

static void every_curve_has_its_title_axis_and_column(void **state)
{
    (void)state;
    static const struct {
        enum train_curve curve;
        const char *title, *head, *tick;
    } all[] = {{CURVE_LOSS, "╭─ loss", "loss accuracy", "0.5 ┤"},
               {CURVE_FLUSHED, "╭─ gradients flushed to 0", "flushed accuracy", "10 % ┤"},
               {CURVE_LOST, "╭─ updates lost", "loss accuracy", "20 % ┤"},
               {CURVE_SCALE, "╭─ loss scale", "scale accuracy", "2^16 ┤"},
               {CURVE_NORM, "╭─ norm of the gradients", "norm accuracy", "0.2 ┤"},
               {CURVE_WEIGHT, "╭─ fc2.weight[3,17]", "weight accuracy", "0.14 ┤"}};
    struct snapshot *s = fixture_debugged();
    fill_timelines(s);
    s->behind = s->why_here = false;
    s->break_count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *text = train_text(s, all[i].curve, 34, 120, false);
        if (fixture_find(text, all[i].title) < 0 || fixture_find(text, all[i].head) < 0 ||
            fixture_find(text, all[i].tick) < 0)
            fail_msg("%s:\n%s", curve_name(all[i].curve), text);
        free(text);
    }
    free(s);
}

/* Where on the plot's rows a glyph of that role stands. */
static bool finds(const struct grid *g, int row, int col, uint32_t glyph)
{
    return grid_at(g, row, col)->glyph == glyph;
}

static void marks_stand_at_their_steps(void **state)
{
    (void)state;
    static const struct {
        enum event_kind kind;
        int64_t step;
        uint32_t glyph;
    } events[] = {{EVENT_FLUSHED, 40, 0x2193},           {EVENT_LOST, 100, '='}, {EVENT_GROWTH, 160, 0x2191},
                  {EVENT_FIRST_DIFFERENCE, 220, 0x2260}, {EVENT_NAN, 280, 'N'},  {EVENT_OVERFLOW, 340, 'x'}};
    enum { EVENTS = sizeof events / sizeof *events };
    struct snapshot *s = fixture_run();
    s->event_count = 0;
    s->lane_count = 1;
    for (int i = 0; i < EVENTS; i++)
        fixture_event(s, events[i].step, events[i].kind, "event", "");
    s->lanes[0].loss_curve.mark[199] = 1; /* a skip whose event is no longer there */
    for (int i = 0; i < s->lanes[0].loss_curve.count; i++)
        s->lanes[0].loss_curve.value[i] = i >= 279 ? NAN : 1; /* from the NaN on it has no height */
    fill_timelines(s);
    for (int curve = CURVE_LOSS; curve <= CURVE_NORM; curve++) {
        struct grid *g = grid_create(20, 100);
        curve_draw(g, grid_bounds(g), s, (enum train_curve)curve);
        int left = 0, right = 99, found[EVENTS + 1] = {0};
        while (!finds(g, 17, left, 0x2514)) /* └ */
            left++;
        while (!finds(g, 17, right, 0x2500) && !finds(g, 17, right, 0x252c))
            right--;
        for (int i = 0; i <= EVENTS; i++) {
            int64_t step = i < EVENTS ? events[i].step : 200;
            int col = left + 1 + (int)floor((double)step / 412 * (right - left - 1) + 0.5);
            for (int row = 0; row < 17; row++)
                found[i] += finds(g, row, col, i < EVENTS ? events[i].glyph : 'x');
            if (found[i] != 1)
                fail_msg("%s: event %d of step %d: %d times", curve_name((enum train_curve)curve), i,
                         (int)step, found[i]);
        }
        grid_free(g);
    }
    struct view v = {0};
    char *text = fixture_text(panel_train_draw, s, &v, 34, 160, false);
    assert_true(fixture_find(text, "x overflow  ↑ growth  ↓ underflow  = lost  N NaN  ≠ differs") > 0);
    free(text);
    text = fixture_text(panel_train_draw, s, &v, 34, 160, true);
    assert_true(fixture_find(text, "x overflow  ^ growth  v underflow  = lost  N NaN  ! differs") > 0);
    free(text);
    free(s);
}

/* Two events of neighbouring steps fall into one column: both are seen. */
static void no_mark_hides_another(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    s->event_count = 0;
    s->lane_count = 1;
    fixture_event(s, 180, EVENT_GROWTH, "growth", "");
    fixture_event(s, 181, EVENT_OVERFLOW, "overflow", "");
    s->lanes[0].loss_curve.mark[180] = 1; /* the same skip */
    for (int ascii = 0; ascii < 2; ascii++) {
        struct grid *g = grid_create(16, 60);
        g->ascii = ascii;
        curve_draw(g, grid_bounds(g), s, CURVE_LOSS);
        int growths = 0, overflows = 0;
        for (int row = 0; row < 13; row++)
            for (int col = 8; col < 60; col++) {
                growths += finds(g, row, col, ascii ? '^' : 0x2191);
                overflows += finds(g, row, col, 'x');
            }
        assert_int_equal(growths, 1);
        assert_int_equal(overflows, 1);
        grid_free(g);
    }
    free(s);
}

static void the_future_is_dimmed_on_every_curve(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged(); /* at step 300 of 412 */
    fill_timelines(s);
    s->event_count = 0;
    for (int curve = 0; curve < CURVE_COUNT; curve++) {
        struct grid *g = grid_create(16, 80);
        curve_draw(g, grid_bounds(g), s, (enum train_curve)curve);
        int slider = -1, before = 0, after = 0;
        for (int row = 0; row < 16; row++)
            for (int col = 0; col < 80; col++)
                if (finds(g, row, col, 0x25b2))
                    slider = col;
        assert_true(slider > 40);
        for (int row = 0; row < 14; row++)
            for (int col = 0; col < 80; col++)
                if (grid_at(g, row, col)->role == ROLE_STALE)
                    *(col < slider ? &before : &after) += 1;
        assert_int_equal(before, 0);
        assert_true(after > 2);
        grid_free(g);
    }
    free(s);
}

static void curves_without_a_point_say_why(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    fill_timelines(s);
    for (int i = 0; i < 412; i++)
        s->lanes[0].timelines[TIMELINE_SCALE].value[i] = NAN;
    char *text = train_text(s, CURVE_SCALE, 34, 120, false);
    assert_true(fixture_find(text, "No lane has a loss scale.") > 0);
    free(text);
    struct snapshot *young = fixture_start("O2");
    young->lane_count = 1;
    for (int curve = 0; curve < CURVE_COUNT; curve++) {
        text = train_text(young, (enum train_curve)curve, 34, 120, false);
        assert_true(fixture_find(text, "No step yet: s makes one") > 0);
        free(text);
    }
    free(young);
    for (int curve = 0; curve < CURVE_COUNT; curve++) {
        struct view v = {.curve = (enum train_curve)curve};
        assert_true(fixture_sizes(panel_train_draw, s, &v));
    }
    free(s);
}

static void fill_histogram(struct snapshot *s)
{
    struct tensor_histogram *h = &s->tensor_histogram;
    h->valid = true;
    SET(h->name, "fc2.weight.grad");
    SET(h->format, "fp16");
    SET(h->shape, "32×32");
    fixture_histogram(&h->bars);
    h->bars.scaled.title[0] = '\0';
    SET(h->bars.unscaled.title, "fp16");
    h->bars.total = 1024;
    h->normal = 980;
    h->subnormal = 20;
    h->zeros = 21;
    h->infinite = 2;
    h->nan = 1;
    SET(h->normal_share, "95.7 %");
    SET(h->subnormal_share, "2.0 %");
    SET(h->zero_share, "2.1 %");
    SET(h->infinite_share, "0.2 %");
    SET(h->nan_share, "<0.1 %");
}

static void a_histogram_counts_apart_what_has_no_exponent(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    fill_histogram(s);
    for (int i = 0; i < s->tensor_count; i++)
        if (strcmp(s->tensors[i].name, "fc2.weight.grad") == 0)
            s->tensors[i].count[COUNTER_FLUSHED] = 3;
    for (int ascii = 0; ascii < 2; ascii++)
        for (int wide = 0; wide < 2; wide++) {
            char *text = train_text(s, CURVE_LOSS, wide ? 34 : 20, wide ? 120 : 80, ascii), line[1024];
            assert_true(fixture_find(text, "histogram of fc2.weight.grad  fp16 32") > 0);
            assert_true(fixture_find(text, "log2 |x| of 1,024 values") > 0);
            assert_true(fixture_find(text, "normal         980  95.7 %") > 0);
            assert_true(fixture_find(text, "subnormal       20   2.0 %") > 0);
            assert_true(fixture_find(text, "zero            21   2.1 %") > 0);
            assert_true(fixture_find(text, "  flushed        3   0.2 %") > 0);
            assert_true(fixture_find(text, "infinite         2   0.2 %") > 0);
            assert_true(fixture_find(text, "NaN              1  <0.1 %") > 0);
            assert_true(fixture_find(text, "PgUp PgDn tensor") > 0);
            fixture_line(text, fixture_find(text, " fp16   "), line);
            assert_true(strstr(line, "flushed") &&
                        (!wide || (strstr(line, "subnormal") && strstr(line, "normal"))));
            free(text);
        }
    s->tensor_count = 0; /* its counters are not there */
    char *text = train_text(s, CURVE_LOSS, 20, 80, false);
    assert_true(fixture_find(text, "  flushed        ·") > 0);
    free(text);
    struct view v = {0};
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    s->tensor_histogram.bars = (struct histogram_view){.valid = true, .total = 12};
    text = train_text(s, CURVE_LOSS, 20, 80, false);
    assert_true(fixture_find(text, "Nothing here has") > 0);
    free(text);
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_curve_has_its_title_axis_and_column),
        cmocka_unit_test(marks_stand_at_their_steps),
        cmocka_unit_test(no_mark_hides_another),
        cmocka_unit_test(the_future_is_dimmed_on_every_curve),
        cmocka_unit_test(curves_without_a_point_say_why),
        cmocka_unit_test(a_histogram_counts_apart_what_has_no_exponent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
