/* Demo scripts: reading them, and that the lessons shipped say nothing untrue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "demo.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char script[] = "/tmp/ulpscope-demo-XXXXXX";

static void write_script(const char *text)
{
    FILE *out = fopen(script, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
}

static struct session *open_session(void)
{
    struct session_options options = {"cpu", true};
    char error[DEVICE_TEXT];
    struct session *s = session_open(&options, error);
    assert_non_null(s);
    return s;
}

/* Characters, not bytes. */
static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void shipped_demos_hold(void **state)
{
    (void)state;
    static const char *const names[] = {"lost-update",   "underflow",          "loss-scale",
                                        "first-bad-bit", "lost-update-bisect", "overflow-why",
                                        "frozen-weight", "rounding",           "blocks"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[512], error[TEXT_LINE];
        struct demo d;
        struct session *s = open_session();
        int claims = 0, says = 0;
        snprintf(file, sizeof file, "%s/../demos/%s.demo", TESTS_DIR, names[i]);
        if (!demo_load(file, &d, error))
            fail_msg("%s", error);
        for (int k = 0; k < d.count; k++) {
            claims += d.lines[k].command == COMMAND_EXPECT;
            says += d.lines[k].command == COMMAND_SAY;
            assert_true(d.lines[k].command != COMMAND_SAY || characters(d.lines[k].argument) <= 150);
        }
        if (says < 6 || claims <= says)
            fail_msg("%s: %d claims for %d says", names[i], claims, says);
        assert_int_equal(demo_check(&d, s, stdout, error), 0);
        demo_free(&d);
        session_close(s);
    }
}

static void lines_keep_their_numbers(void **state)
{
    (void)state;
    struct demo d;
    char error[TEXT_LINE];
    write_script("# a comment\n\n  step 2\r\nsay  Two steps.  \nexpect step == 2");
    assert_true(demo_load(script, &d, error));
    assert_int_equal(d.count, 3);
    assert_int_equal(d.lines[0].number, 3);
    assert_int_equal(d.lines[0].command, COMMAND_STEP);
    assert_string_equal(d.lines[0].argument, "2");
    assert_int_equal(d.lines[1].number, 4);
    assert_string_equal(d.lines[1].argument, "Two steps.");
    assert_int_equal(d.lines[2].command, COMMAND_EXPECT);
    demo_free(&d);
}

static void mistakes_are_found_before_anything_runs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"step\nfly\n", "line 2: no command 'fly'"},
        {"run fast\n", "line 1: run takes no argument"},
        {"\n\nsay\n", "line 3: say: TEXT is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct demo d;
        char error[TEXT_LINE];
        write_script(cases[i].text);
        assert_false(demo_load(script, &d, error));
        assert_non_null(strstr(error, cases[i].message));
        assert_null(d.lines);
    }
    struct demo d;
    char error[TEXT_LINE];
    assert_false(demo_load("/nonexistent/x.demo", &d, error));
    assert_non_null(strstr(error, "/nonexistent/x.demo"));
}

/* None of them may keep the reader waiting, or fill its memory. */
static void only_files_are_scripts(void **state)
{
    (void)state;
    static const char *const names[] = {"/", "/dev/zero", "/dev/null", "/dev/tty", NULL};
    char fifo[] = "/tmp/ulpscope-fifo-XXXXXX", error[TEXT_LINE];
    assert_non_null(mkdtemp(fifo));
    assert_int_equal(rmdir(fifo), 0);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    for (int i = 0; i < 5; i++) {
        struct demo d;
        const char *name = names[i] ? names[i] : fifo;
        assert_false(demo_load(name, &d, error));
        assert_memory_equal(error, name, strlen(name));
        assert_null(d.lines);
    }
    unlink(fifo);
}

static int check(const char *text, char *error)
{
    struct demo d;
    struct session *s = open_session();
    write_script(text);
    assert_true(demo_load(script, &d, error));
    int failed = demo_check(&d, s, NULL, error);
    demo_free(&d);
    session_close(s);
    return failed;
}

static void false_claims_are_counted(void **state)
{
    (void)state;
    char error[TEXT_LINE];
    assert_int_equal(
        check("step\nexpect step == 2\nexpect step == 1\nexpect nonsense == 1\nexpect step\n", error), 3);
    assert_string_equal(error, "line 2: step == 2 (step is 1)");
}

static void screen_commands_are_passed_over_and_quit_ends(void **state)
{
    (void)state;
    char error[TEXT_LINE];
    assert_int_equal(check("panel bits\nhelp\nexpect step == 0\nquit\nexpect step == 1\n", error), 0);
}

static void a_command_that_fails_ends_the_check(void **state)
{
    (void)state;
    char error[TEXT_LINE];
    assert_int_equal(check("step\nrecipe O9\n", error), -1);
    assert_non_null(strstr(error, "line 2: recipe: no recipe 'O9'"));
}

static int make_file(void **state)
{
    (void)state;
    int fd = mkstemp(script);
    if (fd >= 0)
        close(fd);
    return fd >= 0 ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_demos_hold),
        cmocka_unit_test(lines_keep_their_numbers),
        cmocka_unit_test(mistakes_are_found_before_anything_runs),
        cmocka_unit_test(only_files_are_scripts),
        cmocka_unit_test(false_claims_are_counted),
        cmocka_unit_test(screen_commands_are_passed_over_and_quit_ends),
        cmocka_unit_test(a_command_that_fails_ends_the_check),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
