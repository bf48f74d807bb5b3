/* The table of keys: nothing twice, every line a command, hints that fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"
#include "glyph.h"
#include "keymap.h"
#include <stdio.h>
#include <string.h>

static void no_key_twice(void **state)
{
    (void)state;
    for (int i = 0; i < keymap_count; i++)
        for (int j = 0; j < i; j++) {
            bool same = keymap_table[i].context == keymap_table[j].context &&
                        strcmp(keymap_table[i].key, keymap_table[j].key) == 0;
            if (same)
                fail_msg("'%s' is twice in context %d", keymap_table[i].key, keymap_table[i].context);
        }
}

static void every_line_is_a_command(void **state)
{
    (void)state;
    for (int i = 0; i < keymap_count; i++) {
        char line[64], *argument, error[160] = "";
        snprintf(line, sizeof line, "%s", keymap_table[i].line);
        enum command_id id = command_parse(line, &argument, error);
        if (id == COMMAND_COUNT || command_table[id].scope == SCOPE_DEMO ||
            !command_check(id, argument, error))
            fail_msg("'%s': %s: %s", keymap_table[i].key, keymap_table[i].line, error);
        if (id == COMMAND_EDIT) {
            char edited[64];
            snprintf(edited, sizeof edited, "%s", argument);
            assert_int_not_equal(command_parse(edited, &argument, error), COMMAND_COUNT);
        }
    }
}

static void every_panel_has_its_digit(void **state)
{
    (void)state;
    for (int i = 0; i < PANEL_COUNT; i++) {
        char key[16], line[32];
        snprintf(key, sizeof key, "%d", i + 1);
        snprintf(line, sizeof line, "panel %s", panel_table[i].name);
        const struct key_binding *b = keymap_find(PANEL_BITS, key);
        assert_non_null(b);
        assert_string_equal(b->line, line);
    }
}

static void a_panel_goes_first(void **state)
{
    (void)state;
    assert_string_equal(keymap_find(PANEL_TRAIN, "l")->line, "edit lr");
    assert_string_equal(keymap_find(PANEL_BITS, "l")->line, "right");
    assert_string_equal(keymap_find(PANEL_BITS, "q")->line, "quit");
    assert_null(keymap_find(PANEL_BITS, "F9"));
}

static bool shows(const struct key_binding **hints, int count, const char *key)
{
    for (int i = 0; i < count; i++)
        if (strcmp(hints[i]->key, key) == 0)
            return true;
    return false;
}

static void hints_fit_and_keep_help_and_quit(void **state)
{
    (void)state;
    for (int panel = 0; panel < PANEL_COUNT; panel++)
        for (int cols = 20; cols <= 200; cols++) {
            const struct key_binding *hints[32];
            enum bits_shown shown = cols % 3 == 0 ? BITS_VALUE : cols % 3 == 1 ? BITS_CALC : BITS_BLOCK;
            int count = keymap_hints((enum panel_id)panel, shown, cols, hints, 32), width = 0;
            for (int i = 0; i < count; i++)
                width += keymap_hint_width(hints[i], shown);
            assert_true(width <= cols);
            assert_true(shows(hints, count, "?") && shows(hints, count, "q"));
            if (cols >= 80)
                assert_in_range(count, 5, 15);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_key_twice),
        cmocka_unit_test(every_line_is_a_command),
        cmocka_unit_test(every_panel_has_its_digit),
        cmocka_unit_test(a_panel_goes_first),
        cmocka_unit_test(hints_fit_and_keep_help_and_quit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
