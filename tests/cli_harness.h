/* cli_harness.h: calls the command line in process and looks at what it printed. */
#ifndef ULPSCOPE_TESTS_CLI_HARNESS_H
#define ULPSCOPE_TESTS_CLI_HARNESS_H

#include "cli.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one call printed; valid until the next one. */
static struct {
    int status;
    char *out, *err;
} called;

static const struct cli_hooks no_hooks;

static inline void call_with(const struct cli_hooks *hooks, const char *input, size_t input_size, char **argv)
{
    size_t out_size, err_size;
    int argc = 0;
    while (argv[argc])
        argc++;
    free(called.out);
    free(called.err);
    called.out = called.err = NULL;
    FILE *in = input_size ? fmemopen((void *)(uintptr_t)input, input_size, "r") : fopen("/dev/null", "r");
    FILE *out = open_memstream(&called.out, &out_size), *err = open_memstream(&called.err, &err_size);
    assert_true(in && out && err);
    called.status = cli_run(argc, argv, hooks, in, out, err);
    fclose(in);
    fclose(out);
    fclose(err);
}

#define ARGV(...)                                                                                            \
    (char *[])                                                                                               \
    {                                                                                                        \
        "ulpscope", __VA_ARGS__, NULL                                                                        \
    }
#define CALL(...)              call_with(&no_hooks, NULL, 0, ARGV(__VA_ARGS__))
#define CALL_INPUT(input, ...) call_with(&no_hooks, input, sizeof input - 1, ARGV(__VA_ARGS__))

/* The call failed with this status and this one line, and nothing on standard output. */
static inline void check_error(int status, const char *line)
{
    assert_string_equal(called.err, line);
    assert_int_equal(called.status, status);
    assert_string_equal(called.out, "");
}

static inline json_t *output(void)
{
    json_error_t error;
    assert_int_equal(called.status, 0);
    assert_string_equal(called.err, "");
    json_t *root = json_loads(called.out, 0, &error);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "schema")), 1);
    return root;
}

/* Member `key` of the entry of a list whose `by` is `name`. */
static inline json_t *entry(json_t *list, const char *by, const char *name)
{
    size_t i;
    json_t *value;
    json_array_foreach(list, i, value)
    {
        if (strcmp(json_string_value(json_object_get(value, by)), name) == 0)
            return value;
    }
    fail();
    return NULL;
}

static inline json_t *bits_of(json_t *root, size_t value, const char *format)
{
    json_t *values = json_object_get(root, "values");
    return entry(json_object_get(json_array_get(values, value), "formats"), "format", format);
}

static inline void check_string(json_t *object, const char *key, const char *want)
{
    json_t *value = json_object_get(object, key);
    assert_non_null(value);
    if (want)
        assert_string_equal(json_string_value(value), want);
    else
        assert_true(json_is_null(value));
}

static inline void check_flags(json_t *result, const char *want)
{
    char text[64] = "";
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(result, "flags"), i, flag)
    {
        strcat(strcat(text, i ? " " : ""), json_string_value(flag));
    }
    assert_string_equal(text, want);
}

static inline int cli_teardown(void **state)
{
    (void)state;
    free(called.out);
    free(called.err);
    return 0;
}

#endif
