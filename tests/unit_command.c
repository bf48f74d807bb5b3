/* The table of commands, and reading command lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "command.h"
#include <stdio.h>
#include <string.h>

static void every_command_is_found_by_its_name(void **state)
{
    (void)state;
    for (int i = 0; i < COMMAND_COUNT; i++) {
        char line[80], error[160], *argument;
        snprintf(line, sizeof line, "  %s \t a b  ", command_table[i].name);
        assert_int_equal(command_parse(line, &argument, error), i);
        assert_string_equal(argument, "a b");
        assert_true(strlen(command_table[i].help) > 3);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(command_table[i].name, command_table[k].name);
    }
}

static void an_argument_keeps_its_blanks(void **state)
{
    (void)state;
    char line[] = "value 1 -  1e-5\r\n", error[160], *argument;
    assert_int_equal(command_parse(line, &argument, error), COMMAND_VALUE);
    assert_string_equal(argument, "1 -  1e-5");
    char bare[] = "run";
    assert_int_equal(command_parse(bare, &argument, error), COMMAND_RUN);
    assert_string_equal(argument, "");
}

static void unknown_names_are_refused_with_a_hint(void **state)
{
    (void)state;
    char line[] = "reci O2", error[160], *argument;
    assert_int_equal(command_parse(line, &argument, error), COMMAND_COUNT);
    assert_string_equal(error, "no command 'reci'; is it 'recipe'?");
    char other[] = "xyzzy";
    assert_int_equal(command_parse(other, &argument, error), COMMAND_COUNT);
    assert_string_equal(error, "no command 'xyzzy'");
    char empty[] = "   ";
    assert_int_equal(command_parse(empty, &argument, error), COMMAND_COUNT);
    char upper[] = "RUN";
    assert_int_equal(command_parse(upper, &argument, error), COMMAND_COUNT);
}

static void arguments_are_checked_against_the_table(void **state)
{
    (void)state;
    char error[160];
    assert_false(command_check(COMMAND_RUN, "now", error));
    assert_string_equal(error, "run takes no argument ('now')");
    assert_false(command_check(COMMAND_RECIPE, "", error));
    assert_string_equal(error, "recipe: NAME is missing");
    assert_true(command_check(COMMAND_STEP, "", error));
    assert_true(command_check(COMMAND_STEP, "10", error));
    assert_true(command_check(COMMAND_RUN, "", error));
}

static void completion_lists_all_names_with_a_prefix(void **state)
{
    (void)state;
    assert_int_equal(command_complete("up", 0), COMMAND_ROUNDING_UPD);
    assert_int_equal(command_complete("up", 1), COMMAND_UP);
    assert_int_equal(command_complete("up", 2), COMMAND_COUNT);
    assert_int_equal(command_complete("zz", 0), COMMAND_COUNT);
    int all = 0;
    while (command_complete("", all) != COMMAND_COUNT)
        all++;
    assert_int_equal(all, COMMAND_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_found_by_its_name),
        cmocka_unit_test(an_argument_keeps_its_blanks),
        cmocka_unit_test(unknown_names_are_refused_with_a_hint),
        cmocka_unit_test(arguments_are_checked_against_the_table),
        cmocka_unit_test(completion_lists_all_names_with_a_prefix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
