/* A run's digest is a constant: for every instruction set, for one thread and two, and stepping by phase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "proof/digests.h"
#include <stdlib.h>
#include <string.h>

/* The baseline is compiled for any machine, and slow: there spiral goes only as far as the early digest. */
static void check_all(const char *isa, int threads, bool by_phase)
{
    char error[DEVICE_TEXT];
    struct device *d = device_open_cpu(isa, threads, error);
    if (!d) {
        print_message("%s\n", error);
        return;
    }
    bool fast = strncmp(d->description, "avx", 3) == 0;
    int differing = 0;
    for (int i = 0; i < RUN_COUNT; i++) {
        int steps = fast || run_table[i].task[0] == 'x' ? DIGEST_LATE : DIGEST_EARLY;
        struct digests got;
        char name[RUN_NAME];
        run_name(&run_table[i], name);
        assert_true(digests_of(d, &run_table[i], steps, by_phase, &got));
        if (!digests_match(&got, i)) {
            print_error("%s: %s differs from the constant\n", d->description, name);
            differing++;
        }
    }
    device_close(d);
    assert_int_equal(differing, 0);
}

static void test_best(void **state)
{
    (void)state;
    check_all(NULL, 1, false);
}

static void test_avx2(void **state)
{
    (void)state;
    check_all("avx2", 1, false);
}

static void test_baseline(void **state)
{
    (void)state;
    check_all("baseline", 1, false);
}

static void test_threads(void **state)
{
    (void)state;
    check_all(NULL, 2, false);
}

static void test_phases(void **state)
{
    (void)state;
    check_all(NULL, 1, true);
}

/* The driver reads ULPSCOPE_THREADS and ULPSCOPE_CPU_ISA: they choose speed, not bits. */
static void test_environment(void **state)
{
    (void)state;
    char error[DEVICE_TEXT];
    struct digests got;
    setenv("ULPSCOPE_THREADS", "2", 1);
    setenv("ULPSCOPE_CPU_ISA", "baseline", 1);
    struct device *d = device_open("cpu", error);
    assert_non_null(d);
    assert_string_equal(d->description, "baseline, 2 threads");
    assert_true(digests_of(d, &run_table[0], DIGEST_EARLY, false, &got));
    assert_true(digests_match(&got, 0));
    device_close(d);
    unsetenv("ULPSCOPE_THREADS");
    unsetenv("ULPSCOPE_CPU_ISA");
}

/* Recipes that are the same arithmetic under two names, and so reach the same weights: autocast with FP32
 * weights and a low model with an FP32 master; O1 without a master, and fp16-pure. */
static const struct {
    const char *a, *b;
    bool same_state;
} same_weights[] = {
    {"spiral O1", "spiral O2", false},
    {"xor O1", "xor O2", false},
    {"spiral bf16", "spiral bf16-pure master=on", false},
    {"xor bf16", "xor bf16-pure master=on", false},
    {"spiral bf16", "spiral bf16 master=on", true},
    {"xor bf16", "xor bf16 master=on", true},
    {"spiral bf16-pure master=on", "spiral bf16 master=on", false},
    {"xor bf16-pure master=on", "xor bf16 master=on", false},
    {"spiral fp16-pure rounding=sr", "spiral O1 master=off rounding=sr", true},
    {"xor fp16-pure rounding=sr", "xor O1 master=off rounding=sr", true},
};

/* All other pairs differ: the digests tell recipes, roundings, optimizers and scalers apart. */
static void test_distinct(void **state)
{
    (void)state;
    for (int i = 0; i < RUN_COUNT; i++)
        for (int j = 0; j < i; j++) {
            char a[RUN_NAME], b[RUN_NAME];
            run_name(&run_table[j], a);
            run_name(&run_table[i], b);
            bool weights = false, whole = false;
            for (size_t k = 0; k < sizeof same_weights / sizeof *same_weights; k++)
                if (strcmp(a, same_weights[k].a) == 0 && strcmp(b, same_weights[k].b) == 0) {
                    weights = true;
                    whole = same_weights[k].same_state;
                }
            if ((digest_table[i].late == digest_table[j].late) != weights ||
                (digest_table[i].late_state == digest_table[j].late_state) != whole)
                fail_msg("'%s' and '%s': same weights %d, same state %d", a, b,
                         digest_table[i].late == digest_table[j].late,
                         digest_table[i].late_state == digest_table[j].late_state);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_best),     cmocka_unit_test(test_avx2),   cmocka_unit_test(test_baseline),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_phases), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
