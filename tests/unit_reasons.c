/* The reasons of a rounding, and numbers beside a tie that must not look like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "probe.h"
#include "probe_text.h"
#include <stdio.h>
#include <string.h>

/* Beyond the largest finite value there is no neighbour to be near to, and yet there is a reason: for every
 * format, in every mode, also where the next encoding is a NaN or there is none. */
static void reasons_beyond_the_largest(void **state)
{
    (void)state;
    static struct bits_answer a;
    struct exact_error error;
    assert_true(probe_bits(device, "65519.99", &(struct probe_policy){.mode = ROUND_RNE}, &a, &error));
    const struct bits_row *r = &a.rows[FORMAT_FP16];
    assert_string_equal(r->why[0], "65519.99 lies less than half a step beyond 65504, the largest finite "
                                   "value of fp16, and rounds to it.");
    assert_non_null(strstr(r->why[1], "From 65520 on"));
    assert_string_equal(r->error_ulp, "−0.4997 ulp"); /* no half: no tie */
    assert_null(strstr(r->line.text, "lies 50 %"));
    for (int f = 0; f < FORMAT_COUNT; f++)
        for (int mode = 0; mode < ROUND_MODE_COUNT; mode++)
            for (int negative = 0; negative <= format_has_sign(&format_table[f]); negative++) {
                char text[96];
                snprintf(text, sizeof text, "%s(%s.max + (%s.max - %s:0x%llx) / 100)", negative ? "-" : "",
                         format_table[f].name, format_table[f].name, format_table[f].name,
                         (unsigned long long)format_max(&format_table[f]) - 1);
                struct bits_row row;
                struct exact *x = exact_parse(text, &error);
                assert_non_null(x);
                assert_true(probe_bits_row(device, text, x, &format_table[f],
                                           &(struct probe_policy){.mode = (enum round_mode)mode}, &row,
                                           &error));
                assert_true(*row.why[0] != '\0');
                assert_null(strstr(row.why[0], "nearer"));
                exact_free(x);
            }
}

/* What is no half never looks like one. */
static void shares_of_a_step(void **state)
{
    (void)state;
    char text[32];
    text_not_half(text, sizeof text, 0.5, 0.5, 3);
    assert_string_equal(text, "0.5");
    text_not_half(text, sizeof text, 0.49969, 0.5, 3);
    assert_string_equal(text, "0.4997");
    text_not_half(text, sizeof text, 0.5000019, 0.5, 3);
    assert_string_equal(text, "0.500002");
    text_not_half(text, sizeof text, 0.5 - 1e-12, 0.5, 3);
    assert_string_equal(text, "<0.5");
    text_not_half(text, sizeof text, 0.0205, 0.5, 3);
    assert_string_equal(text, "0.0205");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_beyond_the_largest),
        cmocka_unit_test(shares_of_a_step),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
