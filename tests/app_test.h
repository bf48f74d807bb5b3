/* app_test.h: what the tests of the app share: one session, keys, and the screen as text. */
#ifndef ULPSCOPE_TESTS_APP_TEST_H
#define ULPSCOPE_TESTS_APP_TEST_H

#include "export.h"
#include "headless.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct headless shared; /* one session for all tests: opening one takes its time */

static inline int open_session(void **state)
{
    char error[APP_ERROR];
    *state = &shared;
    return headless_open(&shared, "cpu", error) ? 0 : -1;
}

static inline int close_session(void **state)
{
    headless_close(*state);
    return 0;
}

/* Every test starts from the same place. */
static inline int reset(void **state)
{
    struct headless *h = *state;
    static const char *const lines[] = {"value 1 - 1e-5", "step-size 0.001", "gradient 0.01",
                                        "repeats 1000",   "rounding rne",    "formats",
                                        "panel bits",     "search fp16",     "end"};
    char error[APP_ERROR];
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!app_execute(h->app, lines[i], error))
            return -1;
    return 0;
}

static inline void press(struct headless *h, const char *keys)
{
    char copy[512];
    snprintf(copy, sizeof copy, "%s", keys);
    for (char *rest = copy, *name; (name = strtok_r(rest, " ", &rest)) != NULL;) {
        struct term_key key = {0};
        snprintf(key.name, sizeof key.name, "%s", name);
        app_key(h->app, &key);
    }
}

static inline void type(struct headless *h, const char *text)
{
    for (; *text; text++) {
        char name[8];
        snprintf(name, sizeof name, *text == ' ' ? "Space" : "%c", *text);
        press(h, name);
    }
}

/* The screen as text; free it. */
static inline char *screen(struct headless *h, int cols, int rows)
{
    char *text = NULL;
    size_t size;
    struct grid *g = grid_create(rows, cols);
    FILE *file = open_memstream(&text, &size);
    assert_true(g && file);
    app_draw(h->app, g);
    assert_true(export_text(g, file));
    fclose(file);
    grid_free(g);
    return text;
}

static inline void assert_shows(struct headless *h, const char *what)
{
    char *text = screen(h, 120, 36);
    if (!strstr(text, what))
        fail_msg("'%s' is not on the screen:\n%s", what, text);
    free(text);
}

/* A command line that must succeed. */
static inline void command(struct headless *h, const char *line)
{
    char error[APP_ERROR];
    if (!app_execute(h->app, line, error))
        fail_msg("%s: %s", line, error);
}

#endif
