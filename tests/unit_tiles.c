/* No bit depends on the instruction set, on the threads or on the tile sizes: every kernel and a few steps of
 * every training run, compared with the best CPU version that the machine has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proof/cases.h"
#include "proof/runs.h"
#include "proof/table_device.h"
#include <stdio.h>

static struct device *reference(void)
{
    char error[DEVICE_TEXT];
    struct device *d = device_open_cpu(NULL, 1, error);
    assert_non_null(d);
    return d;
}

static void compare_kernels(struct device *d)
{
    struct device *base = reference();
    long values = 0, differing = 0;
    for (int k = 0; k < KERNEL_COUNT; k++) {
        assert_true(case_variants((enum kernel_id)k) > 0); /* no kernel is left out */
        for (int v = 0; v < case_variants((enum kernel_id)k); v++) {
            struct case_result a, b;
            char text[160] = "";
            assert_true(case_run(base, (enum kernel_id)k, v, 7, &a));
            assert_true(case_run(d, (enum kernel_id)k, v, 7, &b));
            long n = case_compare(&a, &b, text, sizeof text);
            if (n)
                print_error("%s, variant %d, %s: %ld differ; %s\n", kernel_table[k].name, v, d->description,
                            n, text);
            values += a.values;
            differing += n;
            case_free(&a);
            case_free(&b);
        }
    }
    print_message("%s against %s: %d kernels, %ld values, %ld differ\n", d->description, base->description,
                  KERNEL_COUNT, values, differing);
    assert_int_equal(differing, 0);
    device_close(base);
}

static void compare_steps(struct device *d)
{
    struct device *base = reference();
    for (int r = 0; r < RUN_COUNT; r++) {
        struct trainer *a = run_create(base, &run_table[r]), *b = run_create(d, &run_table[r]);
        assert_true(a && b);
        int steps = run_table[r].task[0] == 'x' ? 30 : 2;
        for (int s = 0; s < steps; s++) {
            uint64_t digest[2], state[2];
            assert_true(trainer_step(a) && trainer_step(b));
            assert_true(trainer_digest(a, &digest[0], &state[0]) && trainer_digest(b, &digest[1], &state[1]));
            if (digest[0] != digest[1] || state[0] != state[1])
                fail_msg("%s %s differs at step %d on %s", run_table[r].task, run_table[r].recipe, s,
                         d->description);
        }
        trainer_free(a);
        trainer_free(b);
    }
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
        compare_kernels(d);
        compare_steps(d);
        device_close(d);
    }
}

static void test_threads(void **state)
{
    (void)state;
    char error[DEVICE_TEXT];
    struct device *d = device_open_cpu(NULL, 2, error);
    assert_non_null(d);
    compare_kernels(d);
    compare_steps(d);
    device_close(d);
}

static void test_tile_sizes(void **state)
{
    (void)state;
    for (int i = 0; i < TILES_COUNT; i++) {
        struct device *d = table_device_open(&tiles_table[i]);
        assert_non_null(d);
        compare_kernels(d);
        compare_steps(d);
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
