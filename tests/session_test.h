/* session_test.h: what the tests of sessions share. */
#ifndef ULPSCOPE_TESTS_SESSION_TEST_H
#define ULPSCOPE_TESTS_SESSION_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline int start(void **state)
{
    struct session_options options = {"cpu", true};
    char error[DEVICE_TEXT];
    *state = session_open(&options, error);
    return *state ? 0 : -1;
}

static inline int stop(void **state)
{
    session_close(*state);
    return 0;
}

/* A command line that must succeed. */
static inline void run(struct session *s, const char *line)
{
    char copy[256], error[160], *argument;
    snprintf(copy, sizeof copy, "%s", line);
    enum command_id id = command_parse(copy, &argument, error);
    assert_int_not_equal(id, COMMAND_COUNT);
    if (!session_command(s, id, argument, error))
        fail_msg("%s: %s", line, error);
}

/* One that must fail, with that in its message. */
static inline void refuse(struct session *s, const char *line, const char *message)
{
    char copy[256], error[160], *argument;
    snprintf(copy, sizeof copy, "%s", line);
    enum command_id id = command_parse(copy, &argument, error);
    assert_int_not_equal(id, COMMAND_COUNT);
    assert_false(session_command(s, id, argument, error));
    if (!strstr(error, message))
        fail_msg("%s: '%s' does not say '%s'", line, error, message);
}

static inline const char *fact(struct session *s, const char *name)
{
    static char text[4][TEXT_LINE];
    static int turn;
    char *to = text[turn++ % 4];
    if (!session_fact(s, name, to, TEXT_LINE))
        fail_msg("no fact '%s'", name);
    return to;
}

static inline void expect(struct session *s, const char *claim)
{
    char found[TEXT_LINE];
    if (!session_expect(s, claim, found))
        fail_msg("%s: %s", claim, found);
}

#endif
