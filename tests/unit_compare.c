/* The first difference of two runs: powers of two change nothing until a rounding meets the end of the
 * exponents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare.h"
#include "device_test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Momentum at lr 0.2 x 2^k and loss weight 2^-k. */
static struct trainer *make(const char *recipe, const char *rule, int k)
{
    struct trainer_config c = trainer_defaults(task_find("spiral"), recipe_find(recipe));
    char error[DEVICE_TEXT];
    size_t column;
    assert_true(scaler_parse(rule, &c.scaler, error, &column));
    c.optimizer = OPTIMIZER_MOMENTUM;
    c.lr = ldexpf(0.2f, k);
    c.loss_weight = ldexpf(1.0f, -k);
    struct trainer *t = trainer_create(device, &c, error);
    assert_non_null(t);
    return t;
}

static struct difference step_and_compare(struct trainer *a, struct trainer *b, int steps)
{
    struct difference d = {0};
    for (int i = 0; i < steps && !d.found; i++) {
        assert_true(trainer_step(a));
        assert_true(trainer_step(b));
        assert_true(compare_first_difference(a, b, &d));
    }
    return d;
}

static struct difference compare_pair(const char *recipe, const char *rule_a, int k_a, const char *rule_b,
                                      int k_b, int steps)
{
    struct trainer *a = make(recipe, rule_a, k_a), *b = make(recipe, rule_b, k_b);
    struct difference d = step_and_compare(a, b, steps);
    trainer_free(a);
    trainer_free(b);
    return d;
}

static void decoding_knows_every_encoding(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 0x10000; bits++) {
        uint32_t wide = bits << 16; /* a BF16 encoding is the upper half of its value in FP32 */
        float value;
        memcpy(&value, &wide, sizeof value);
        double found = compare_decode(FORMAT_BF16, bits);
        assert_true(isnan(value) ? isnan(found) : found == (double)value);
    }
    assert_true(compare_decode(FORMAT_FP16, 0x0001) == ldexp(1.0, -24));
    assert_true(compare_decode(FORMAT_FP16, 0x83ff) == -ldexp(1023.0, -24));
    assert_true(compare_decode(FORMAT_FP16, 0x7bff) == 65504.0);
    assert_true(isinf(compare_decode(FORMAT_FP16, 0xfc00)));
    assert_true(signbit(compare_decode(FORMAT_FP16, 0x8000)));
    assert_true(compare_decode(FORMAT_FP32, 0x00000001) == ldexp(1.0, -149));
}

static void fp32_and_bf16_do_not_see_powers_of_two(void **state)
{
    (void)state;
    static const char *const recipes[] = {"fp32", "bf16", "bf16-pure"};
    for (int r = 0; r < 3; r++) {
        assert_false(compare_pair(recipes[r], "none", 0, "none", 16, 20).found);
        assert_false(compare_pair(recipes[r], "none", 0, "fixed:65536", 0, 20).found);
    }
}

static void fp16_loses_bits_at_scale_1(void **state)
{
    (void)state;
    struct difference d = compare_pair("O2", "fixed:1", 0, "fixed:65536", 0, 5);
    assert_true(d.found);
    assert_int_equal(d.step, 1);
    assert_true(d.is_gradient);
    assert_true(d.scale_a == 1.0f && d.scale_b == 65536.0f);
    double a = compare_decode(d.format_a, d.bits_a) / (double)d.scale_a;
    double b = compare_decode(d.format_b, d.bits_b) / (double)d.scale_b;
    assert_true(a != b);
    /* What differs lies below FP16's normal numbers at S = 1, and is what rounding the better one gives, give
     * or take the last place: nothing before it differed. */
    assert_true(fabs(a) < ldexp(1.0, -14));
    assert_true(fabs(a - b) <= ldexp(1.0, -24));
}

static void the_same_true_scale_is_the_same_run(void **state)
{
    (void)state;
    assert_false(compare_pair("O2", "fixed:65536", 0, "fixed:65536", 0, 5).found);
    /* S x loss weight is what counts. */
    assert_false(compare_pair("O2", "fixed:1", 0, "fixed:65536", 16, 20).found);
}

/* Looks for the difference the plain way, and must find the same one. */
static void the_first_difference_is_the_first(void **state)
{
    (void)state;
    struct trainer *a = make("fp16-pure", "fixed:4", 0), *b = make("fp16-pure", "fixed:65536", 0);
    struct difference d = step_and_compare(a, b, 50);
    assert_true(d.found);
    bool seen = false;
    for (int i = 0; i < trainer_gradient_count(a) && !seen; i++) {
        const struct tensor *x = trainer_gradient(a, i), *y = trainer_gradient(b, i);
        long n = x->rows * x->cols;
        for (long k = 0; k < n && !seen; k++) {
            uint32_t p = 0, q = 0; /* the machine is little-endian, as all that this runs on */
            assert_true(trainer_read(a, x, k, 1, &p));
            assert_true(trainer_read(b, y, k, 1, &q));
            seen = compare_decode(x->format, p) / 4.0 != compare_decode(y->format, q) / 65536.0;
            if (!seen)
                continue;
            assert_string_equal(d.name, x->name);
            assert_int_equal(d.index, k);
            assert_int_equal(d.row * x->cols + d.col, k);
            assert_int_equal(d.bits_a, p);
            assert_int_equal(d.bits_b, q);
        }
    }
    assert_true(seen);
    trainer_free(a);
    trainer_free(b);
}

static void weights_are_compared_last(void **state)
{
    (void)state;
    struct trainer *a = make("fp32", "none", 0), *b = make("fp32", "none", 0);
    struct difference d;
    assert_true(trainer_set_lr(b, 0.25f));
    d = step_and_compare(a, b, 1);
    assert_true(d.found);
    assert_false(d.is_gradient);
    assert_string_equal(d.name, "fc1.weight");
    assert_int_equal(d.index, 0);
    trainer_free(a);
    trainer_free(b);
}

static void gradients_come_in_the_order_of_the_backward_pass(void **state)
{
    (void)state;
    static const char *const order[] = {"logits.fp32.grad", "logits.grad",     "h2.grad",
                                        "fc3.weight.grad",  "fc3.bias.grad",   "z2.grad",
                                        "h1.grad",          "fc2.weight.grad", "fc2.bias.grad",
                                        "z1.grad",          "fc1.weight.grad", "fc1.bias.grad"};
    struct trainer *t = make("O2", "none", 0);
    assert_int_equal(trainer_gradient_count(t), 12);
    for (int i = 0; i < 12; i++)
        assert_string_equal(trainer_gradient(t, i)->name, order[i]);
    trainer_free(t);
}

static void different_tasks_cannot_be_compared(void **state)
{
    (void)state;
    struct trainer_config c = trainer_defaults(task_find("xor"), NULL);
    char error[DEVICE_TEXT];
    struct trainer *a = make("bf16", "none", 0), *b = trainer_create(device, &c, error);
    struct difference d;
    assert_false(compare_first_difference(a, b, &d));
    trainer_free(a);
    trainer_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoding_knows_every_encoding),
        cmocka_unit_test(fp32_and_bf16_do_not_see_powers_of_two),
        cmocka_unit_test(fp16_loses_bits_at_scale_1),
        cmocka_unit_test(the_same_true_scale_is_the_same_run),
        cmocka_unit_test(the_first_difference_is_the_first),
        cmocka_unit_test(weights_are_compared_last),
        cmocka_unit_test(gradients_come_in_the_order_of_the_backward_pass),
        cmocka_unit_test(different_tasks_cannot_be_compared),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
