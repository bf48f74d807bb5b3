/* The random words: balance, avalanche and independence, as bounds that a good generator keeps with room to
 * spare. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/random.k.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 1 << 16 };

enum axis { BY_INDEX, BY_STEP, BY_STREAM, BY_SEED, AXES };

/* The words met when one part of the key runs and the others stand still. */
static uint32_t word(enum axis axis, uint32_t i)
{
    switch (axis) {
    case BY_INDEX:
        return k_random(1, 2, 3, i);
    case BY_STEP:
        return k_random(1, 2, i, 3);
    case BY_STREAM:
        return k_random(1, i, 2, 3);
    default:
        return k_random(i, 1, 2, 3);
    }
}

static int ones(uint32_t x)
{
    return __builtin_popcount(x);
}

/* |count - n/2| in standard deviations of a fair coin. */
static double deviations(double count, double n)
{
    return fabs(count - n / 2) / (sqrt(n) / 2);
}

static void bits_are_balanced(void **state)
{
    (void)state;
    for (enum axis axis = 0; axis < AXES; axis++) {
        uint32_t count[32] = {0};
        for (uint32_t i = 0; i < WORDS; i++)
            for (int b = 0; b < 32; b++)
                count[b] += word(axis, i) >> b & 1u;
        for (int b = 0; b < 32; b++)
            assert_true(deviations(count[b], WORDS) < 5);
    }
}

/* Chi-squared of the top and of the bottom 8 bits: 255 degrees of freedom, mean 255, standard deviation 22.6.
 */
static void bytes_are_equidistributed(void **state)
{
    (void)state;
    for (enum axis axis = 0; axis < AXES; axis++) {
        for (int shift = 0; shift <= 24; shift += 8) {
            uint32_t count[256] = {0};
            for (uint32_t i = 0; i < WORDS; i++)
                count[word(axis, i) >> shift & 0xffu]++;
            double chi = 0, mean = WORDS / 256.0;
            for (int b = 0; b < 256; b++)
                chi += (count[b] - mean) * (count[b] - mean) / mean;
            assert_true(chi > 255 - 5 * 22.6 && chi < 255 + 5 * 22.6);
        }
    }
}

/* Pairs of neighbours in a 64 x 64 grid of their top bits: 4095 degrees of freedom, standard deviation 90.5.
 */
static void neighbours_are_independent(void **state)
{
    (void)state;
    static uint32_t count[4096];
    for (enum axis axis = 0; axis < AXES; axis++) {
        for (int low = 0; low < 2; low++) {
            for (int i = 0; i < 4096; i++)
                count[i] = 0;
            for (uint32_t i = 0; i < WORDS; i++) {
                uint32_t a = word(axis, i), b = word(axis, i + 1);
                count[low ? (a & 63u) << 6 | (b & 63u) : a >> 26 << 6 | b >> 26]++;
            }
            double chi = 0, mean = WORDS / 4096.0;
            for (int i = 0; i < 4096; i++)
                chi += (count[i] - mean) * (count[i] - mean) / mean;
            assert_true(chi > 4095 - 5 * 90.5 && chi < 4095 + 5 * 90.5);
        }
    }
}

/* A step of one, and a flip of any bit, changes every output bit half of the time. */
static void avalanche(void **state)
{
    (void)state;
    for (enum axis axis = 0; axis < AXES; axis++) {
        for (int in = 0; in < 32; in++) {
            uint32_t changed[32] = {0};
            enum { TRIES = 4096 };
            for (uint32_t i = 0; i < TRIES; i++) {
                uint32_t at = i * 2654435769u;
                uint32_t difference = word(axis, at) ^ word(axis, at ^ 1u << in);
                for (int b = 0; b < 32; b++)
                    changed[b] += difference >> b & 1u;
            }
            for (int b = 0; b < 32; b++)
                assert_true(deviations(changed[b], TRIES) < 6);
        }
    }
}

/* Words at the same index of different keys agree in half of their bits. */
static void keys_are_unrelated(void **state)
{
    (void)state;
    for (int which = 0; which < 3; which++) {
        double same = 0;
        for (uint32_t i = 0; i < WORDS; i++) {
            uint32_t other = which == 0   ? k_random(5, 1, 10, i)
                             : which == 1 ? k_random(4, 2, 10, i)
                                          : k_random(4, 1, 11, i);
            same += 32 - ones(k_random(4, 1, 10, i) ^ other);
        }
        assert_true(deviations(same, 32.0 * WORDS) < 5);
    }
}

/* Lagged correlation of the words as numbers in [0, 1), also at lags that tensors have as strides. */
static void no_serial_correlation(void **state)
{
    (void)state;
    static const uint32_t lags[] = {1, 2, 3, 16, 32, 64, 256, 1024, 4096, 65536};
    for (enum axis axis = 0; axis < AXES; axis++) {
        for (size_t l = 0; l < sizeof lags / sizeof *lags; l++) {
            double sum = 0;
            for (uint32_t i = 0; i < WORDS; i++) {
                double a = word(axis, i) * 0x1p-32 - 0.5, b = word(axis, i + lags[l]) * 0x1p-32 - 0.5;
                sum += a * b;
            }
            assert_true(fabs(sum / WORDS * 12) < 5 / sqrt(WORDS));
        }
    }
}

/* Held constant: a change here changes every run with stochastic rounding. */
static void words_are_fixed(void **state)
{
    (void)state;
    assert_int_equal(k_random(0, 0, 0, 0), 0x6c404db0u);
    assert_int_equal(k_random(1, 2, 3, 4), 0x9d2d3ba5u);
    assert_int_equal(k_random(UINT64_MAX, UINT32_MAX, UINT64_MAX, UINT32_MAX), 0x76b73d9bu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_balanced),
        cmocka_unit_test(bytes_are_equidistributed),
        cmocka_unit_test(neighbours_are_independent),
        cmocka_unit_test(avalanche),
        cmocka_unit_test(keys_are_unrelated),
        cmocka_unit_test(no_serial_correlation),
        cmocka_unit_test(words_are_fixed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
