/* exact_test.h: exact values in unit tests: from texts, and as texts. */
#ifndef ULPSCOPE_TESTS_EXACT_TEST_H
#define ULPSCOPE_TESTS_EXACT_TEST_H

#include "exact.h"
#include <stdlib.h>
#include <string.h>

/* The value of a text that must be one. */
static inline struct exact *parse(const char *text)
{
    struct exact_error error;
    struct exact *x = exact_parse(text, &error);
    if (!x)
        fail_msg("%s: %s at %zu", text, error.message, error.column);
    return x;
}

/* Its exact text must be `expected` (NULL: it has none); `what` says of which value. */
static inline void check_text(const struct exact *x, const char *expected, const char *what)
{
    char *text = exact_text(x);
    if (!text || !expected ? text != expected : strcmp(text, expected) != 0)
        fail_msg("%s: %s, not %s", what, text ? text : "(none)", expected ? expected : "(none)");
    free(text);
}

#endif
