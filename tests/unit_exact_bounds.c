/* Texts that ask for too much: every one ends soon, with the right value or one clear error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exact.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* `count` copies of `part` between two other texts. */
static char *repeat(const char *before, const char *part, size_t count, const char *after)
{
    size_t size = strlen(before) + strlen(part) * count + strlen(after) + 1, n = strlen(before);
    char *text = malloc(size);
    assert_non_null(text);
    memcpy(text, before, n);
    for (size_t i = 0; i < count; i++, n += strlen(part)) {
        memcpy(text + n, part, strlen(part));
    }
    memcpy(text + n, after, strlen(after) + 1);
    return text;
}

/* Everything that a screen or a verb asks of a text, in processor time that stays bounded.  The bound is 100
 * ms on an idle machine; a sanitizer or a busy machine is given ten times that. */
static void check_bounded(const char *text, const char *message)
{
    clock_t start = clock();
    struct exact_error error = {0};
    struct exact *x = exact_parse(text, &error);
    if (x) {
        char *full = exact_text(x), *brief = exact_text_short(x, 12, true);
        assert_non_null(brief);
        for (int i = 0; i < FORMAT_COUNT; i++) {
            exact_tie(x, &format_table[i]);
            struct exact *max = exact_from_bits(&format_table[i], format_max(&format_table[i]));
            struct exact *error_of_max = exact_subtract(max, x); /* always to be had */
            assert_non_null(error_of_max);
            exact_free(error_of_max);
            exact_free(max);
        }
        free(full);
        free(brief);
        exact_free(x);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if ((message == NULL) != (x != NULL) || (message && strcmp(message, error.message) != 0) || seconds > 1) {
        fail_msg("%.60s: %s, %.3f s", text, error.message, seconds);
    }
}

static void test_bounded(void **state)
{
    (void)state;
    static const char too_large[] = "too large to evaluate exactly", too_deep[] = "nested too deeply";
    static const struct {
        const char *before, *part;
        size_t count;
        const char *after, *message;
    } rows[] = {
        {"1e999999999", "", 0, "", NULL},
        {"1e99999999999999999999", "", 0, "", NULL},
        {"10^(10^9)", "", 0, "", NULL},
        {"2^2^2^2^2^2", "", 0, "", NULL},
        {"2^2^2^2^2^2^2", "", 0, "", too_large},
        {"(1/3)^1000000", "", 0, "", NULL},
        {"-(2/3)^1000000-1", "", 0, "", NULL},
        {"3^10000000", "", 0, "", too_large},
        {"3^(10^9)", "", 0, "", too_large},
        {"1e1000000000/2^3321928094", "", 0, "", too_large},
        {"1e1000000000/2^3321900000", "", 0, "", NULL},
        {"1e1000000+1", "", 0, "", NULL},
        {"5^500000+1", "", 0, "", NULL},
        {"(1/3)^150000+(1/7)^100000", "", 0, "", NULL},
        {"0.", "1234567890", 1000, "", NULL},
        {"", "1", 600000, "", NULL},
        {"", "1", 2000000, "", too_large},
        {"0x", "f", 500000, "", NULL},
        {"0.", "0", 2000000, "1", NULL},
        {"1e", "9", 300, "", NULL},
        {"1e", "9", 100000, "", too_large},
        {"0e", "9", 100000, "", NULL},
        {"", "(", 100000, "", too_deep},
        {"", "(", 1000, "1", "unbalanced parenthesis"},
        {"", "-", 100000, "1", NULL},
        {"", "2^", 100000, "1", too_deep},
        {"", "2^-", 900, "1", "the exponent is not an integer"},
        {"1", "+1", 1000000, "", too_large},
        {"1", "/3+1", 100000, "", too_large},
        {"1e1000000", "+1", 100000, "", too_large},
        {"1e99999999999999999999999999999", "+1/3", 100000, "", too_large},
        {"1", "*1.1", 100000, "", too_large},
        {"", " ", 1000000, "1", NULL},
        {"", "a", 1000000, ":0x1", "unknown format 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'"},
        {"fp16:0x", "0", 1000000, "1", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = repeat(rows[i].before, rows[i].part, rows[i].count, rows[i].after);
        check_bounded(text, rows[i].message);
        free(text);
    }
}

/* Random strings of the grammar's pieces: no crash, and an error always points into the text. */
static void test_random_texts(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "1",    "0",    "2.5",      "1e9", "e",   "0x",  "f",  ".",   "-",
        "+",    "*",    "/",        "^",   "(",   ")",   " ",  "inf", "nan",
        "fp16", ":",    "0b",       "p-3", "max", "1/3", "^2", "-1",  "1e-999999999",
        "x",    "\xff", "fp64:0x1", "(2)"};
    uint64_t seed = 4;
    size_t values = 0;
    for (int i = 0; i < 20000; i++) {
        char text[256] = "";
        struct exact_error error;
        for (int n = i % 12; n >= 0; n--) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            strcat(text, pieces[(seed >> 33) % (sizeof pieces / sizeof pieces[0])]);
        }
        struct exact *x = exact_parse(text, &error);
        if (x) {
            char *full = exact_text(x), *brief = exact_text_short(x, 9, true);
            assert_non_null(brief);
            assert_true(exact_kind(x) == EXACT_NAN || exact_compare(x, x) == 0);
            values++;
            free(full);
            free(brief);
            exact_free(x);
        } else {
            assert_true(error.message[0] != '\0');
            assert_in_range(error.column, 0, strlen(text));
        }
    }
    assert_true(values > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounded),
        cmocka_unit_test(test_random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
