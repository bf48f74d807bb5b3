/* Panel Train: phases, losses, the tensor table, the watched weight, events, at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "panel_fixture.h"
#include "panel_train.h"

static const struct view view;

static void shows_all_at_80_by_20(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    struct view v = {.tensor = tensor_named(s, "fc2.weight.grad"), .element = 32 * 3 + 17};
    char *text = fixture_text(panel_train_draw, s, &v, 20, 80, false), line[1024];
    assert_string_equal(fixture_line(text, 0, line),
                        " ✓cast ✓forward ✓loss ✓scale ▸backward  check  unscale  update  sync  rescale");
    assert_non_null(strstr(fixture_line(text, 1, line), " next  linear fc2 backward: dw = xT dy"));
    assert_non_null(strstr(fixture_line(text, 2, line), "── loss, accuracy ──"));
    assert_non_null(strstr(line, "fc2.weight.grad[3,17]"));
    assert_non_null(strstr(fixture_line(text, 9, line), " 0 O2          0.1829 0.981"));
    assert_non_null(strstr(fixture_line(text, 11, line), " 2 bf16-pure   0.7012 0.981"));
    assert_true(fixture_find(text, "▸  fc2.weight.grad   fp16   0.2 %  6.0 %") > 2);
    assert_int_equal(fixture_find(text, "── watch  fc2.weight[3,17]  in O2 · L next lane ──"), 12);
    assert_string_equal(fixture_line(text, 13, line),
                        " master            fp32 0 01111011 10011001100110011001101  0.100000001490116");
    assert_string_equal(fixture_line(text, 15, line),
                        " gradient × 2^17   fp16 1 10001 0111010001                  −5.81640625");
    assert_string_equal(fixture_line(text, 19, line),
                        " cast              fp16 0 01011 1001101011  moved 5 ulp     0.10028076171875");
    free(text);
    free(s);
}

static void shows_more_at_120_by_34(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    char *text = fixture_text(panel_train_draw, s, &view, 34, 120, false), line[1024];
    assert_string_equal(
        fixture_line(text, 0, line),
        " step 413   ✓cast → ✓forward → ✓loss → ✓scale → ▸backward →  check →  unscale →  update →  sync →  "
        "rescale");
    assert_string_equal(fixture_line(text, 2, line), "       writes fc2.weight.grad, fc2.bias.grad, h1.grad");
    assert_true(fixture_find(text, "name              as   shape    zero flushed  subn.  inf  NaN   lost") >
                0);
    assert_true(fixture_find(text, "loss accuracy   lost") > 0);
    assert_true(fixture_find(text, "0x2e6b      0.10028076171875  moved 5 ulp") > 0);
    assert_true(fixture_find(text, "0xb83a2000  −0.0000443756580352783203125") > 0);
    assert_true(fixture_find(text, "x step 341  overflow") == 33);
    free(text);
    free(s);
}

static void the_strip_follows_the_step(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    struct grid *g = grid_create(20, 80);
    for (int p = 0; p < PHASE_COUNT; p++) {
        s->next_phase = (enum phase)p;
        s->in_step = p > 0;
        grid_clear(g);
        panel_train_draw(g, grid_bounds(g), &view, s);
        int done = 0, next = 0, col = 0;
        for (int i = 0; i < 80; i++) {
            done += grid_at(g, 0, i)->glyph == 0x2713;
            if (grid_at(g, 0, i)->glyph == 0x25b8) {
                next++;
                col = i + 1;
            }
        }
        assert_int_equal(done, p);
        assert_int_equal(next, 1);
        assert_int_equal(grid_at(g, 0, col)->glyph, (unsigned char)phase_name((enum phase)p)[0]);
        assert_int_equal(grid_at(g, 0, col)->role, ROLE_FOCUS);
        assert_true(grid_at(g, 0, col)->attributes & ATTR_REVERSE);
    }
    grid_free(g);
    char *text = fixture_text(panel_train_draw, s, &view, 20, 60, false), line[1024];
    assert_string_equal(fixture_line(text, 0, line), " ▸rescale 10 of 10"); /* no room for all */
    free(text);
    free(s);
}

static void the_table_has_weights_and_gradients_first(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    int order[TRAINER_MAX_TENSORS];
    assert_int_equal(tensors_order(s, order), s->tensor_count);
    static const char *const first[] = {"fc1.weight",       "fc2.weight",      "fc3.weight",
                                        "fc1.weight.grad",  "fc2.weight.grad", "fc3.weight.grad",
                                        "fc1.weight.master"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        assert_string_equal(s->tensors[order[i]].name, first[i]);
    assert_string_equal(s->tensors[order[s->tensor_count - 1]].name, "points.fp16");
    assert_int_equal(tensors_move(s, order[3], 1), order[4]);
    assert_int_equal(tensors_move(s, order[3], -100), order[0]);
    assert_int_equal(tensors_move(s, order[3], 100), order[s->tensor_count - 1]);
    assert_int_equal(tensors_move(s, -5, 0), order[0]);
    free(s);
}

static void the_selected_row_is_in_sight(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    struct grid *g = grid_create(20, 80);
    for (int tensor = 0; tensor < s->tensor_count; tensor++) {
        struct view v = {.tensor = tensor};
        grid_clear(g);
        panel_train_draw(g, grid_bounds(g), &v, s);
        int row = g->cursor_row, col = g->cursor_col;
        assert_int_equal(grid_at(g, row, col)->glyph, 0x25b8);
        for (int i = 0; s->tensors[tensor].name[i]; i++)
            assert_int_equal(grid_at(g, row, col + 3 + i)->glyph, s->tensors[tensor].name[i]);
        assert_true(row > 3 && row < 12);
    }
    grid_free(g);
    free(s);
}

static void untouched_tensors_show_dots(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    struct view v = {.tensor = tensor_named(s, "fc1.weight.grad")};
    s->tensors[v.tensor].touched = false;
    char *text = fixture_text(panel_train_draw, s, &v, 34, 120, false);
    assert_true(fixture_find(text, "▸  fc1.weight.grad   fp16 2×32        ·       ·      ·    ·    ·") > 0);
    free(text);
    free(s);
}

static void alarms_keep_their_columns(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    int tensor = tensor_named(s, "fc1.weight.grad");
    struct view v = {.tensor = tensor};
    char *text = fixture_text(panel_train_draw, s, &v, 20, 80, false);
    assert_true(fixture_find(text, "NaN") < 0);
    free(text);
    s->tensors[tensor].count[COUNTER_NAN] = 64;
    SET(s->tensors[tensor].nan, "100 %");
    text = fixture_text(panel_train_draw, s, &v, 20, 80, false);
    assert_true(fixture_find(text, "NaN") == 3);
    assert_true(fixture_find(text, "▸  fc1.weight.grad   fp16   0.2 % 100 %") > 3);
    free(text);
    free(s);
}

static void losses_that_are_not_finite(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    SET(s->lanes[0].loss, "nan");
    for (int i = 0; i < s->lanes[0].loss_curve.count; i++)
        s->lanes[0].loss_curve.value[i] = i > 100 ? NAN : 1;
    char *text = fixture_text(panel_train_draw, s, &view, 34, 120, false);
    assert_true(fixture_find(text, "0 O2             nan    0.981") > 0);
    free(text);
    for (int lane = 0; lane < s->lane_count; lane++)
        for (int i = 0; i < s->lanes[lane].loss_curve.count; i++)
            s->lanes[lane].loss_curve.value[i] = i % 2 ? NAN : INFINITY;
    text = fixture_text(panel_train_draw, s, &view, 34, 120, false);
    assert_true(fixture_find(text, "No loss of this run is finite.") > 0);
    free(text);
    assert_true(fixture_sizes(panel_train_draw, s, &view));
    free(s);
}

static void wide_losses_get_a_logarithmic_axis(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    for (int i = 0; i < s->lanes[0].loss_curve.count; i++)
        s->lanes[0].loss_curve.value[i] = (float)pow(10, -i / 100.0);
    char *text = fixture_text(panel_train_draw, s, &view, 34, 120, false);
    assert_true(fixture_find(text, "─ loss (log)") > 0);
    assert_true(fixture_find(text, "0.01 ┤") > 0);
    free(text);
    free(s);
}

static void step_0_says_how_to_begin(void **state)
{
    (void)state;
    struct snapshot *s = fixture_start("bf16-pure");
    s->lane_count = 1;
    SET(s->lanes[0].recipe, "bf16-pure");
    SET(s->lanes[0].loss, "–");
    char *text = fixture_text(panel_train_draw, s, &view, 20, 80, false), line[1024];
    assert_string_equal(fixture_line(text, 0, line),
                        " ▸cast  forward  loss  scale  backward  check  unscale  update  sync  rescale");
    assert_true(fixture_find(text, "No step yet: s makes one") > 0);
    assert_true(fixture_find(text, "No weight is watched") > 0);
    assert_true(fixture_find(text, "Nothing has happened yet.") > 0);
    free(text);
    assert_true(fixture_sizes(panel_train_draw, s, &view));
    free(s);
}

static void four_lanes(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    fixture_lane(s, "fp16-pure fixed:1048576", "0.4321", 0.4, 40);
    char *text = fixture_text(panel_train_draw, s, &view, 20, 80, false);
    assert_true(fixture_find(text, " 3 fp16-pure …   0.4321 0.981") > 0); /* the name gives way */
    free(text);
    text = fixture_text(panel_train_draw, s, &view, 34, 120, false);
    assert_true(fixture_find(text, "3 fp16-pure …   0.4321    0.981") > 0);
    for (char digit = '0'; digit <= '3';
         digit++) { /* each curve has its digit, at least once inside the plot */
        int found = 0;
        char line[1024];
        for (int row = 4; row < 14; row++) {
            fixture_line(text, row, line);
            char *end = strstr(line, "│ │");
            for (char *c = strstr(line, "┤") ? strstr(line, "┤") : line; c < (end ? end : line); c++)
                found += *c == digit;
        }
        assert_true(found >= 1);
    }
    free(text);
    assert_true(fixture_sizes(panel_train_draw, s, &view));
    free(s);
}

static void all_sizes_are_safe(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    struct view v = {.tensor = 7, .element = 5000000, .search = "fc2"};
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    v.tensor = INT32_MAX;
    v.element = -1;
    s->lane_count = 99;
    s->event_count = 99;
    s->watch.count = 99;
    s->tensor_count = 999;
    s->next_phase = (enum phase)77;
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    free(s);
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    struct snapshot *s = fixture_run();
    char *text = fixture_text(panel_train_draw, s, &view, 34, 120, true);
    for (const char *c = text; *c; c++)
        assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
    assert_true(fixture_find(text, "vcast > vforward > vloss > vscale > >backward") == 0);
    free(text);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_all_at_80_by_20),
        cmocka_unit_test(shows_more_at_120_by_34),
        cmocka_unit_test(the_strip_follows_the_step),
        cmocka_unit_test(the_table_has_weights_and_gradients_first),
        cmocka_unit_test(the_selected_row_is_in_sight),
        cmocka_unit_test(untouched_tensors_show_dots),
        cmocka_unit_test(alarms_keep_their_columns),
        cmocka_unit_test(losses_that_are_not_finite),
        cmocka_unit_test(wide_losses_get_a_logarithmic_axis),
        cmocka_unit_test(step_0_says_how_to_begin),
        cmocka_unit_test(four_lanes),
        cmocka_unit_test(all_sizes_are_safe),
        cmocka_unit_test(ascii_is_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
