/* The debugger in panel Train: done and next, why, breakpoints, the slider, differences, maps, history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "panel_fixture.h"
#include "panel_train.h"

static const struct view view;

static void at_80_by_20_nothing_is_crowded_out(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    s->in_step = false; /* as a breakpoint leaves it */
    s->next_phase = PHASE_CAST;
    s->phase_launch = 1;
    char *text = fixture_text(panel_train_draw, s, &view, 20, 80, false), line[1024];
    assert_int_equal(fixture_find(text, " why "), 2);
    assert_string_equal(fixture_line(text, 2, line),
                        " why   fc2.weight.grad[3,17]: 65536 × 1.0003 = 65555.7 ≥ "
                        "65520 → inf in fp16");
    assert_string_equal(fixture_line(text, 3, line), "       (backward); step skipped, scale 65536 → 32768");
    assert_string_equal(fixture_line(text, 4, line),
                        " breaks 1 overflow ×3   2 loss <0.5   (3 underflow h2.grad ×1 off)");
    assert_non_null(strstr(fixture_line(text, 5, line), "── loss · step 300 of 412 ──"));
    assert_int_equal(fixture_find(text, "── watch  fc2.weight[3,17]  in O2 · L next lane ──"), 12);
    assert_string_equal(fixture_line(text, 19, line),
                        " cast              fp16 0 01011 1001101011  moved 5 ulp     0.10028076171875");
    free(text);
    s->why_here = false; /* the run went on: that line is no longer about this place */
    text = fixture_text(panel_train_draw, s, &view, 20, 80, false);
    assert_int_equal(fixture_find(text, " why "), -1);
    free(text);
    free(s);
}

static void launches_are_told(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    s->why_here = false;
    char *text = fixture_text(panel_train_draw, s, &view, 20, 80, false), line[1024];
    assert_string_equal(fixture_line(text, 0, line),
                        "✓cast ✓forward ✓loss ✓scale ▸backward 3/9  check  unscale  update  sync  rescale");
    assert_string_equal(fixture_line(text, 1, line), " done  linear fc3 backward: h2.grad = dy wT in fp16");
    assert_string_equal(fixture_line(text, 2, line), " next  linear fc2 backward: dw = xT dy in fp16");
    free(text);
    text = fixture_text(panel_train_draw, s, &view, 32, 120, false);
    assert_non_null(strstr(fixture_line(text, 0, line), "▸backward 3/9 →  check"));
    assert_non_null(strstr(fixture_line(text, 3, line), " phase launch 3 of 9 in backward: linear fc2"));
    free(text);
    s->phase_launches = 1000; /* no room to tell at 80 columns */
    text = fixture_text(panel_train_draw, s, &view, 20, 80, false);
    assert_string_equal(fixture_line(text, 0, line),
                        " ✓cast ✓forward ✓loss ✓scale ▸backward  check  unscale  update  sync  rescale");
    free(text);
    free(s);
}

static void breakpoints_are_a_list_where_there_is_room(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    char *text = fixture_text(panel_train_draw, s, &view, 34, 120, false), line[1024];
    assert_true(fixture_find(text, "── breakpoints ──") > 20);
    fixture_line(text, fixture_find(text, " 1 ● overflow "), line);
    assert_string_equal(line + strlen(line) - 7, " 3 hits");
    assert_true(fixture_find(text, " 2 ● loss <0.5") > 0);
    fixture_line(text, fixture_find(text, " 3 ○ underflow h2.grad "), line);
    assert_string_equal(line + strlen(line) - 4, " off");
    assert_int_equal(fixture_find(text, " breaks 1"), -1);
    free(text);
    s->break_count = SNAPSHOT_BREAKS;
    for (int i = 0; i < SNAPSHOT_BREAKS; i++) {
        s->breaks[i] = (struct break_view){.number = i + 1, .enabled = true};
        SET(s->breaks[i].text, "underflow fc2.weight.grad");
    }
    text = fixture_text(panel_train_draw, s, &view, 60, 120, false);
    assert_true(fixture_find(text, " more") > 0);
    free(text);
    text = fixture_text(panel_train_draw, s, &view, 34, 120, false); /* too few rows for a list */
    assert_true(fixture_find(text, " breaks 1 underflow fc2.weight.grad   2 underflow") > 0);
    free(text);
    s->in_step = false;
    s->why_here = false;
    text = fixture_text(panel_train_draw, s, &view, 20, 80, false);
    assert_true(
        fixture_find(text, " breaks 1 underflow fc2.weight.grad   2 underflow fc2.weight.grad   +14 …") > 0);
    free(text);
    free(s);
}

static void the_slider_stands_at_the_step(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    struct grid *g = grid_create(34, 120);
    panel_train_draw(g, grid_bounds(g), &view, s);
    int at = -1, dimmed_before = 0, dimmed_after = 0, axis = 0;
    for (int row = 0; row < 34; row++)
        for (int col = 0; col < 50; col++)
            if (grid_at(g, row, col)->glyph == 0x25b2) {
                at = col;
                axis = row;
            }
    assert_true(at > 10 && at < 40);
    for (int row = 0; row < axis; row++)
        for (int col = 0; col < 50; col++)
            if (grid_at(g, row, col)->role == ROLE_STALE)
                *(col < at ? &dimmed_before : &dimmed_after) += 1;
    assert_int_equal(dimmed_before, 0);
    assert_true(dimmed_after > 3);
    s->behind = false;
    grid_clear(g);
    panel_train_draw(g, grid_bounds(g), &view, s);
    for (int row = 0; row < 34; row++)
        for (int col = 0; col < 120; col++) {
            assert_int_not_equal(grid_at(g, row, col)->glyph, 0x25b2);
            assert_int_not_equal(grid_at(g, row, col)->role, ROLE_STALE);
        }
    grid_free(g);
    free(s);
}

static void first_differences_stand_below_the_losses(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    char *text = fixture_text(panel_train_draw, s, &view, 40, 120, false);
    assert_true(fixture_find(text, "0≠1 step 207 h2.grad[511,4] 0x0001 …") > 0);
    assert_true(fixture_find(text, "0=2 no bit differed before this step") > 0);
    assert_true(fixture_find(text, "1≠2") > 0); /* every two lanes */
    free(text);
    text = fixture_text(panel_train_draw, s, &view, 34, 120, false);
    assert_true(fixture_find(text, "0=2") > 0); /* with less room, each and the first */
    assert_int_equal(fixture_find(text, "1≠2"), -1);
    free(text);
    s->in_step = false;
    text = fixture_text(panel_train_draw, s, &view, 40, 120, false);
    assert_true(fixture_find(text, "0=2 no bit differs so far") > 0);
    free(text);
    free(s);
}

static void the_map_has_a_legend_and_a_cursor(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    fixture_map(s);
    s->why_here = false;
    s->break_count = 0;
    s->in_step = false;
    struct view v = {.tensor = tensor_named(s, "fc2.weight.grad"), .element = 32 * 3 + 17};
    struct grid *g = grid_create(20, 80);
    panel_train_draw(g, grid_bounds(g), &v, s);
    assert_int_equal(g->cursor_row, 3 + 3);
    assert_int_equal(g->cursor_col, 1 + 2 * 17);
    assert_true(grid_at(g, g->cursor_row, g->cursor_col)->attributes & ATTR_REVERSE);
    assert_int_equal(grid_at(g, 3, 1)->glyph, 0x2591);          /* -24: the lowest shade */
    assert_int_equal(grid_at(g, 3, 1 + 2 * 17)->glyph, 0x2588); /* 15: the highest */
    assert_int_equal(grid_at(g, 3, 1 + 2 * 5)->glyph, 0xb7);    /* zero */
    assert_int_equal(grid_at(g, 3, 1 + 2 * 6)->glyph, 's');
    assert_int_equal(grid_at(g, 3, 2 + 2 * 9)->glyph, 'I');
    grid_free(g);
    char *text = fixture_text(panel_train_draw, s, &v, 20, 80, false);
    assert_true(fixture_find(text, "── map of fc2.weight.grad  fp16 32×32 · exponents · rows 0–15 of 32 ──") >
                0);
    assert_true(fixture_find(text, "█ 2^6…2^15") > 0);
    assert_true(fixture_find(text, "░ 2^-24…2^-15") > 0);
    assert_true(fixture_find(text, "N NaN") > 0);
    assert_int_equal(fixture_find(text, " ▸ fc2.weight.grad[3,17]  fp16 0x2e66  0.0999755859375  normal"),
                     19);
    free(text);
    s->heat.row_step = 24; /* as of 768 x 32 */
    s->heat.element[0][17] = 32 * 5 + 17;
    text = fixture_text(panel_train_draw, s, &v, 20, 80, false);
    assert_true(fixture_find(text, "a cell is 24×1") > 0);
    assert_true(
        fixture_find(text, "▸ fc2.weight.grad[5,17]  fp16 0x2e66  0.0999755859375  normal, largest of 24×1") >
        0);
    free(text);
    free(s);
}

static void the_weight_has_a_history_on_a_tall_screen(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    char *text = fixture_text(panel_train_draw, s, &view, 48, 120, false);
    assert_true(fixture_find(text, "── history of fc2.weight[3,17] in every lane ──") > 20);
    free(text);
    text = fixture_text(panel_train_draw, s, &view, 32, 120, false);
    assert_int_equal(fixture_find(text, "history of"), -1);
    free(text);
    for (int i = 0; i < s->watch_count; i++) /* never moved, or not finite */
        for (int lane = 0; lane < SNAPSHOT_LANES; lane++)
            s->watch_history[i].value[lane] = lane ? (double)INFINITY : 0.125;
    assert_true(fixture_sizes(panel_train_draw, s, &view));
    free(s);
}

static void all_sizes_are_safe(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    struct view v = {.tensor = tensor_named(s, "fc2.weight.grad"), .element = 1023};
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    fixture_map(s);
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    v.element = 5000000; /* nonsense stays inside, too */
    s->break_count = s->difference_count = s->watch_count = s->lane_count = 999;
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    v.tensor = -7;
    v.element = -7;
    s->heat.lowest = INT16_MAX;
    s->heat.highest = INT16_MIN;
    memset(s->heat.class, 0xff, sizeof s->heat.class);
    s->break_count = s->difference_count = s->watch_count = s->lane_count = -1;
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    s->heat.rows = 65;
    assert_true(fixture_sizes(panel_train_draw, s, &v));
    free(s);
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    struct snapshot *s = fixture_debugged();
    for (int map = 0; map < 2; map++) {
        char *text = fixture_text(panel_train_draw, s, &view, 48, 120, true);
        for (const char *c = text; *c; c++)
            assert_true(*c == '\n' || (*c >= ' ' && *c < 127));
        assert_null(strstr(text, "?")); /* every glyph has a stand-in */
        free(text);
        fixture_map(s);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_80_by_20_nothing_is_crowded_out),
        cmocka_unit_test(launches_are_told),
        cmocka_unit_test(breakpoints_are_a_list_where_there_is_room),
        cmocka_unit_test(the_slider_stands_at_the_step),
        cmocka_unit_test(first_differences_stand_below_the_losses),
        cmocka_unit_test(the_map_has_a_legend_and_a_cursor),
        cmocka_unit_test(the_weight_has_a_history_on_a_tall_screen),
        cmocka_unit_test(all_sizes_are_safe),
        cmocka_unit_test(ascii_is_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
