/* No bit depends on the instruction set, on the threads or on the tile sizes: every kernel and a few steps of
 * every training run, compared with the best CPU version that the machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proof/compare.h"
#include "proof/table_device.h"

static struct device *reference(void)
{
    char error[DEVICE_TEXT];
    struct device *d = device_open_cpu(NULL, 1, error);
    assert_non_null(d);
    return d;
}

static void compare(struct device *d)
{
    struct device *base = reference();
    struct tally tally = {0};
    compare_kernels(base, d, 7, &tally);
    compare_runs(base, d, 2, 30, &tally);
    assert_true(compare_report(d->description, &tally));
    device_close(base);
}

static void test_instruction_sets(void **state)
{
    (void)state;
    static const char *const names[] = {"baseline", "avx2", "avx512"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char error[DEVICE_TEXT];
        struct device *d = device_open_cpu(names[i], 1, error);
        if (!d) {
            print_message("%s\n", error);
            continue;
        }
        compare(d);
        device_close(d);
    }
}

static void test_threads(void **state)
{
    (void)state;
    char error[DEVICE_TEXT];
    struct device *d = device_open_cpu(NULL, 2, error);
    assert_non_null(d);
    compare(d);
    device_close(d);
}

static void test_tile_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < TILES_COUNT; i++) {
        struct device *d = table_device_open(&tiles_table[i]);
        assert_non_null(d);
        compare(d);
        device_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instruction_sets),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_tile_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
