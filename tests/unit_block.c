/* Blocks: scales by the rule's own words, and elements against a search in doubles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "block.h"
#include "device_test.h"
#include "kernels/random.k.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number(const struct exact *x)
{
    return exact_to_double(x);
}

/* The value nearest to x, ties to the even code, the largest for all beyond it. */
static double nearest(const struct format *f, double x)
{
    double best = 0, distance = INFINITY;
    for (uint64_t code = 0; code <= format_max(f); code++) {
        struct exact *e = exact_from_bits(f, code);
        double v = number(e), d = fabs(fabs(x) - v);
        exact_free(e);
        if (d < distance || (d == distance && code % 2 == 0)) {
            best = v;
            distance = d;
        }
    }
    return copysign(best, x);
}

static double scale_of(const struct block_format *b, double largest)
{
    const struct format *element = &format_table[b->element];
    if (b->rule == BLOCK_NV)
        return nearest(&format_table[FORMAT_E4M3], largest / 6);
    int e;
    frexp(largest, &e); /* largest = m x 2^e, m from 1/2 to 1 */
    return ldexp(1, e - 1 - element->emax);
}

static void against_doubles(void **state)
{
    (void)state;
    for (uint32_t trial = 0; trial < 600; trial++) {
        const struct block_format *b = &block_format_table[trial % BLOCK_FORMATS];
        size_t n = 1 + k_random(1, 2, trial, 999) % (uint32_t)b->size;
        struct exact *x[32];
        double v[32], largest = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t r = k_random(1, 2, trial, (uint32_t)i);
            v[i] =
                ldexp((double)(r >> 8 & 0xfff) - 2048, (int)(r & 7) - 8); /* few bits: quotients stay exact */
            if (b->rule == BLOCK_NV)
                v[i] = ldexp((double)(r >> 8 & 15) - 8, (int)(r & 3));
            x[i] = exact_from_double(v[i]);
            largest = fmax(largest, fabs(v[i]));
        }
        struct probe_policy policy = {.mode = ROUND_RNE};
        struct block_result out;
        struct exact_error error;
        assert_true(block_round(device, b, x, n, &policy, &out, &error));
        assert_true(number(out.largest) == largest);
        if (largest > 0) {
            double scale = scale_of(b, largest);
            assert_true(number(out.scale) == scale);
            for (size_t i = 0; i < n; i++) {
                double want = nearest(&format_table[b->element], v[i] / scale);
                assert_true(number(out.elements[i].element) == want);
                assert_true(number(out.elements[i].value) == want * scale);
                assert_true(number(out.elements[i].error) == want * scale - v[i]);
            }
        }
        block_clear(&out);
        for (size_t i = 0; i < n; i++)
            exact_free(x[i]);
    }
}

static void scales_at_the_ends(void **state)
{
    (void)state;
    static const struct {
        const char *block, *value;
        uint32_t scale, element;
    } rows[] = {
        {"mxfp4", "0", 0x00, 0x0},      {"mxfp4", "-0", 0x00, 0x8},    {"mxfp4", "2^-140", 0x00, 0x0},
        {"mxfp4", "2^-128", 0x00, 0x1}, /* half of the least scale */
        {"mxfp4", "2^129", 0xfe, 0x6},  {"mxfp4", "1e999", 0xfe, 0x7}, {"mxfp8e5m2", "2^127", 0xef, 0x78},
        {"nvfp4", "1e9", 0x7e, 0x7},    {"nvfp4", "1e-9", 0x00, 0x0}, /* the scale rounds to zero */
        {"nvfp4", "-0.01", 0x01, 0xf},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct exact_error error;
        struct exact *x = exact_parse(rows[i].value, &error);
        struct probe_policy policy = {.mode = ROUND_RNE};
        struct block_result out;
        assert_true(block_round(device, block_find(rows[i].block), &x, 1, &policy, &out, &error));
        if (out.scale_bits != rows[i].scale || out.elements[0].bits != rows[i].element)
            fail_msg("%s %s: scale 0x%x element 0x%x", rows[i].block, rows[i].value, out.scale_bits,
                     out.elements[0].bits);
        block_clear(&out);
        exact_free(x);
    }
    assert_null(block_find(""));
    assert_null(block_find("mx"));
    assert_ptr_equal(block_find("mxfp8"), block_find("mxfp8e4m3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_doubles),
        cmocka_unit_test(scales_at_the_ends),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
