/* The dynamic loss scale with all its edges, as PyTorch's GradScaler has them: by the rescale kernel alone,
 * and in runs whose gradients overflow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "trainer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the kernels alone ---- */

struct rule {
    struct run_state *state;
    struct run_settings *settings;
    struct run_settings host;
};

static struct rule start(float scale, int32_t interval)
{
    struct rule r = {device_alloc(device, sizeof(struct run_state)),
                     device_alloc(device, sizeof(struct run_settings)),
                     {.scaler = SCALER_DYNAMIC, .growth = 2.0, .backoff = 0.5, .growth_interval = interval}};
    struct run_state s = {.scale = scale, .beta1_power = 1, .beta2_power = 1};
    assert_true(r.state && r.settings && device_upload(device, r.state, &s, sizeof s) &&
                device_upload(device, r.settings, &r.host, sizeof r.host));
    return r;
}

static void finish(struct rule *r)
{
    device_release(device, r->state);
    device_release(device, r->settings);
}

/* One step: begin, find an overflow or not, rescale. */
static struct run_state turn(struct rule *r, bool overflow)
{
    uint32_t counters[COUNTER_COUNT];
    struct step_args args = {r->state, r->settings, counters, COUNTER_COUNT, 1};
    struct run_state s;
    uint32_t *memory = device_alloc(device, sizeof counters);
    args.counters = memory;
    assert_true(memory && device_launch(device, KERNEL_begin_step, &args));
    assert_true(device_download(device, &s, r->state, sizeof s));
    s.found_inf = overflow;
    assert_true(device_upload(device, r->state, &s, sizeof s) &&
                device_launch(device, KERNEL_rescale, &args));
    assert_true(device_download(device, &s, r->state, sizeof s));
    device_release(device, memory);
    return s;
}

static void test_growth(void **state)
{
    (void)state;
    struct rule r = start(65536, 2000);
    for (int i = 1; i <= 4001; i++) {
        struct run_state s = turn(&r, false);
        assert_int_equal(s.tracker, i % 2000);
        assert_int_equal(s.action, i % 2000 ? ACTION_HOLD : ACTION_GROW);
        assert_true(s.scale == ldexpf(65536, i / 2000));
        assert_true(s.used_scale ==
                    ldexpf(65536, (i - 1) / 2000)); /* the step itself still used the old one */
        assert_int_equal(s.updates, i);
    }
    finish(&r);
}

static void test_cap(void **state)
{
    (void)state;
    struct rule r = start(65536, 1);
    for (int i = 1; i <= 111; i++) {
        struct run_state s = turn(&r, false);
        assert_int_equal(s.action, ACTION_GROW);
        assert_true(s.scale == ldexpf(1, 16 + i));
    }
    for (int i = 0; i < 3; i++) { /* refused at infinity: stays, and counts from 0 again */
        struct run_state s = turn(&r, false);
        assert_int_equal(s.action, ACTION_REFUSE);
        assert_true(s.scale == 0x1p127f);
        assert_int_equal(s.tracker, 0);
    }
    for (int i = 1; i <= 111; i++)
        assert_true(turn(&r, true).scale == ldexpf(1, 127 - i));
    finish(&r);
}

static void test_floor(void **state)
{
    (void)state;
    struct rule r = start(65536, 2000);
    for (int i = 1; i <= 170; i++) {
        struct run_state s = turn(&r, true);
        assert_int_equal(s.action, ACTION_BACKOFF);
        assert_int_equal(s.tracker, 0);
        assert_int_equal(s.updates, 0);
        assert_true(s.beta1_power == 1.0);
        assert_true((s.scale < 1) == (i >= 17));
        assert_true((s.scale == 0) == (i >= 166));
        if (i == 144)
            assert_true(s.scale == 0x1p-128f);
        assert_true((isinf(s.inverse_scale) != 0) == (i >= 145)); /* of the scale that the step used */
    }
    finish(&r);
}

/* The tracker is compared for equality: an interval lowered below it is never met again, until an overflow.
 */
static void test_lowered_interval(void **state)
{
    (void)state;
    struct rule r = start(65536, 2000);
    for (int i = 0; i < 1500; i++)
        turn(&r, false);
    r.host.growth_interval = 1000;
    assert_true(device_upload(device, r.settings, &r.host, sizeof r.host));
    struct run_state s = {0};
    for (int i = 0; i < 3000; i++)
        s = turn(&r, false);
    assert_true(s.scale == 65536);
    assert_int_equal(s.tracker, 4500);
    turn(&r, true);
    for (int i = 0; i < 1000; i++)
        s = turn(&r, false);
    assert_true(s.scale == 65536); /* half, and grown once */
    finish(&r);
}

/* Overflows at steps 0, 3, …, 27, interval 10, 30 steps: PyTorch ends at 2^6. */
static void test_trace(void **state)
{
    (void)state;
    struct rule r = start(65536, 10);
    struct run_state s = {0};
    for (int i = 0; i < 30; i++)
        s = turn(&r, i % 3 == 0);
    assert_true(s.scale == 64);
    assert_int_equal(s.updates, 20);
    finish(&r);
}

/* Factors multiply in double and are rounded once to FP32; random traces against the rule written out. */
static void test_factors(void **state)
{
    (void)state;
    uint32_t random = 12345;
    struct rule r = start(3.1f, 3);
    r.host.growth = 1.7;
    r.host.backoff = 0.3;
    assert_true(device_upload(device, r.settings, &r.host, sizeof r.host));
    float scale = 3.1f;
    int tracker = 0;
    for (int i = 0; i < 2000; i++) {
        random = random * 1664525u + 1013904223u;
        bool overflow = random >> 29 == 0;
        if (overflow) {
            scale = (float)((double)scale * 0.3);
            tracker = 0;
        } else if (++tracker == 3) {
            float grown = (float)((double)scale * 1.7);
            scale = isfinite(grown) ? grown : scale;
            tracker = 0;
        }
        struct run_state s = turn(&r, overflow);
        assert_true(s.scale == scale);
        assert_int_equal(s.tracker, tracker);
    }
    finish(&r);
}

static void test_fixed(void **state)
{
    (void)state;
    struct rule r = start(1024, 1);
    r.host.scaler = SCALER_FIXED;
    assert_true(device_upload(device, r.settings, &r.host, sizeof r.host));
    for (int i = 0; i < 8; i++) {
        struct run_state s = turn(&r, i % 2 != 0);
        assert_true(s.scale == 1024 && s.used_scale == 1024 && s.inverse_scale == 0x1p-10f);
        assert_int_equal(s.action, ACTION_HOLD);
        assert_int_equal(s.updates, i / 2 + 1);
    }
    finish(&r);
}

/* ---- in a run ---- */

static struct trainer *create(const char *task, const char *recipe, const char *scaler,
                              enum optimizer optimizer)
{
    char error[DEVICE_TEXT];
    size_t column;
    struct trainer_config c = trainer_defaults(task_find(task), recipe_find(recipe));
    assert_true(scaler_parse(scaler, &c.scaler, error, &column));
    c.optimizer = optimizer;
    struct trainer *t = trainer_create(device, &c, error);
    assert_non_null(t);
    return t;
}

static void step_with_overflow(struct trainer *t)
{
    while (trainer_next_phase(t) != PHASE_CHECK)
        assert_true(trainer_phase(t));
    assert_true(trainer_inject_overflow(t) && trainer_step(t));
}

/* FNV-1a over all parameter tensors in a role. */
static uint64_t hash_role(struct trainer *t, enum tensor_role role)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int p = 0; p < trainer_param_count(t); p++) {
        const struct tensor *x = trainer_param_tensor(t, p, role);
        unsigned char bytes[8192];
        size_t size = (size_t)(x->rows * x->cols) * (x->format == FORMAT_FP32 ? 4 : 2);
        assert_true(size <= sizeof bytes && trainer_read(t, x, 0, x->rows * x->cols, bytes));
        for (size_t i = 0; i < size; i++)
            hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* Whether a NaN (or an infinity) is among the values of all parameter tensors in a role. */
static bool any_of(struct trainer *t, enum tensor_role role, bool nan)
{
    for (int p = 0; p < trainer_param_count(t); p++) {
        const struct tensor *x = trainer_param_tensor(t, p, role);
        float values[2048];
        assert_true(x->format == FORMAT_FP32 && trainer_read(t, x, 0, x->rows * x->cols, values));
        for (long i = 0; i < x->rows * x->cols; i++)
            if (nan ? isnan(values[i]) : isinf(values[i]))
                return true;
    }
    return false;
}

static bool any_nan(struct trainer *t, enum tensor_role role)
{
    return any_of(t, role, true);
}

/* A skipped step leaves weights, master, moments, their powers and the step count of the optimizer as they
 * were. */
static void test_skip(void **state)
{
    (void)state;
    static const char *const tasks[] = {"xor", "spiral"};
    for (int i = 0; i < 2; i++) {
        struct trainer *t = create(tasks[i], "O2", "pytorch:init=256", OPTIMIZER_ADAM);
        struct run_state before, after;
        struct trainer_report report;
        static const enum tensor_role roles[] = {TENSOR_MASTER, TENSOR_WEIGHT, TENSOR_MOMENT1,
                                                 TENSOR_MOMENT2};
        uint64_t hash[4];
        for (int s = 0; s < 3; s++)
            assert_true(trainer_step(t));
        assert_true(trainer_read_state(t, &before));
        assert_int_equal(before.updates, 3);
        assert_int_equal(before.tracker, 3);
        for (int r = 0; r < 4; r++)
            hash[r] = hash_role(t, roles[r]);
        step_with_overflow(t);
        assert_true(trainer_read_state(t, &after) && trainer_report(t, &report));
        for (int r = 0; r < 4; r++)
            assert_true(hash[r] == hash_role(t, roles[r]));
        assert_int_equal(after.found_inf, 1);
        assert_int_equal(after.updates, 3);
        assert_int_equal(after.steps, 4);
        assert_int_equal(after.tracker, 0);
        assert_int_equal(after.action, ACTION_BACKOFF);
        assert_true(after.scale == 128 && after.used_scale == 256);
        assert_true(after.beta1_power == before.beta1_power && after.beta2_power == before.beta2_power);
        assert_true(report.overflow && report.skipped);
        assert_int_equal(report.updates, 0);
        assert_int_equal(report.lost, 0);
        /* and the next step goes on */
        assert_true(trainer_step(t) && trainer_report(t, &report));
        assert_true(!report.skipped && report.updates > 0 && report.scale == 128);
        assert_true(hash[0] != hash_role(t, TENSOR_MASTER));
        trainer_free(t);
    }
}

/* Whether the optimizer has skipped shows in nothing but the steps that it made: a run with skipped steps
 * ends with the weights of a run without them, where scales are powers of two and nothing leaves the format.
 */
static void test_skips_leave_no_trace(void **state)
{
    (void)state;
    struct trainer *a = create("xor", "bf16-pure", "fixed:64", OPTIMIZER_ADAM);
    struct trainer *b = create("xor", "bf16-pure", "fixed:64", OPTIMIZER_ADAM);
    uint64_t x = 0, y = 1, state_digest;
    for (int s = 0; s < 20; s++) {
        assert_true(trainer_step(a) && trainer_step(b));
        if (s % 4 == 0)
            step_with_overflow(b);
    }
    assert_true(trainer_digest(a, &x, &state_digest) && trainer_digest(b, &y, &state_digest));
    assert_true(x == y);
    assert_int_equal(trainer_steps(b), 25);
    trainer_free(a);
    trainer_free(b);
}

/* Too high a start costs one skip for each halving.  spiral's largest scaled gradient decides how many. */
static void test_start_too_high(void **state)
{
    (void)state;
    struct trainer *t = create("spiral", "O2", "pytorch:init=2^32,window=25", OPTIMIZER_SGD);
    struct run_state s;
    bool clean = false;
    int skips = 0;
    for (int i = 0; i < 40; i++) {
        assert_true(trainer_step(t) && trainer_read_state(t, &s));
        assert_true(!clean || !s.found_inf || i > 25); /* all skips first, then none until it grows */
        clean |= !s.found_inf;
        skips += s.found_inf != 0;
    }
    print_message("spiral, S from 2^32: %d skips, then S = 2^%d\n", skips, (int)log2f(s.used_scale));
    assert_in_range(skips, 8, 20);
    assert_int_equal(s.updates, 40 - skips);
    trainer_free(t);
}

/* At S = 2^-128 its inverse is infinite: the check passes, and what the optimizer gets is no number any more.
 */
static void test_inverse_infinite(void **state)
{
    (void)state;
    struct trainer *t = create("xor", "O2", "pytorch:init=2^-128", OPTIMIZER_SGD);
    struct run_state s;
    assert_true(trainer_step(t) && trainer_read_state(t, &s));
    assert_true(isinf(s.inverse_scale));
    assert_int_equal(s.found_inf, 0);
    assert_int_equal(s.updates, 1);
    assert_true(any_nan(t, TENSOR_UNSCALED) && any_nan(t, TENSOR_MASTER));
    trainer_free(t);
}

/* Overflow for ever: below 1 after 17 steps, 0 after 166; then zero gradients times infinity pass the check
 * as NaN. */
static void test_scale_zero(void **state)
{
    (void)state;
    struct trainer *t = create("xor", "O2", "pytorch", OPTIMIZER_SGD);
    struct run_state s;
    uint64_t first = hash_role(t, TENSOR_MASTER);
    for (int i = 1; i <= 166; i++) {
        step_with_overflow(t);
        assert_true(trainer_read_state(t, &s));
        assert_true((s.scale < 1) == (i >= 17) && (s.scale == 0) == (i == 166));
    }
    assert_true(first == hash_role(t, TENSOR_MASTER));
    assert_true(!any_nan(t, TENSOR_MASTER));
    assert_true(trainer_step(t) && trainer_read_state(t, &s));
    assert_int_equal(s.found_inf, 0);
    assert_int_equal(s.updates, 1);
    assert_true(any_nan(t, TENSOR_MASTER));
    trainer_free(t);
}

/* Without the check (Apex O3) the infinity goes into the weights. */
static void test_no_check(void **state)
{
    (void)state;
    struct trainer *t = create("xor", "O1", "fixed:1,check=off", OPTIMIZER_SGD);
    struct run_state s;
    while (trainer_next_phase(t) != PHASE_UNSCALE) {
        assert_int_not_equal(trainer_next_phase(t), PHASE_CHECK);
        assert_true(trainer_phase(t));
    }
    assert_true(trainer_inject_overflow(t) && trainer_step(t) && trainer_read_state(t, &s));
    assert_int_equal(s.found_inf, 0);
    assert_int_equal(s.updates, 1);
    assert_true(any_of(t, TENSOR_WEIGHT, false));
    trainer_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_growth),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_floor),
        cmocka_unit_test(test_lowered_interval),
        cmocka_unit_test(test_trace),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_skips_leave_no_trace),
        cmocka_unit_test(test_start_too_high),
        cmocka_unit_test(test_inverse_infinite),
        cmocka_unit_test(test_scale_zero),
        cmocka_unit_test(test_no_check),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
