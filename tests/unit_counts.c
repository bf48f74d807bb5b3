/* The counters, and the stored values themselves, against a second implementation: whole steps of spiral
 * computed on the host from downloaded tensors, each store rounded by a plain rounder and counted there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "device_test.h"
#include "kernels/math.k.h"
#include "trainer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- formats, once more ---- */

/* roundTiesToEven in double: an FP32 value over a power of two is exact there, and rint rounds to even. */
static float round_to(float x, const struct format *f)
{
    if (x == 0 || !isfinite(x) || f == &format_table[FORMAT_FP32])
        return x;
    int e = ilogbf(x) > f->emin ? ilogbf(x) : f->emin;
    double ulp = ldexp(1, e - f->trailing_bits);
    double y = rint((double)x / ulp) * ulp;
    return fabs(y) >= ldexp(1, f->emax + 1) ? copysignf(INFINITY, x) : (float)y;
}

static float value_of(const struct format *f, uint32_t bits)
{
    int e = format_biased_exponent(f, bits);
    double t = (double)format_trailing(f, bits), sign = format_sign(f, bits) ? -1 : 1;
    if (e == (1 << f->exponent_bits) - 1)
        return t == 0 ? (float)sign * INFINITY : NAN;
    return (float)(sign *
                   ldexp(e ? t + ldexp(1, f->trailing_bits) : t, (e ? e : 1) - f->bias - f->trailing_bits));
}

/* ---- tensors by name ---- */

struct step {
    struct trainer *t;
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    struct run_state state;
    struct trainer_report report;
    /* what the stores of gradients add up to, counted here */
    uint64_t gradients, zero, flushed, subnormal, overflowed, nan;
    int compared;
};

static int find(struct step *s, const char *name)
{
    for (int i = 0; i < trainer_tensor_count(s->t); i++)
        if (strcmp(trainer_tensor(s->t, i)->name, name) == 0)
            return i;
    return -1;
}

/* NAME of the layer with a suffix, as values; NULL if the recipe has no such tensor. */
static float *fetch(struct step *s, const char *name, const char *suffix)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    int i = find(s, full);
    if (i < 0)
        return NULL;
    const struct tensor *x = trainer_tensor(s->t, i);
    const struct format *f = &format_table[x->format];
    long n = x->rows * x->cols;
    float *values = malloc(sizeof(float) * (size_t)n);
    void *raw = malloc((size_t)n * 4);
    assert_true(values && raw && trainer_read(s->t, x, 0, n, raw));
    for (long k = 0; k < n; k++)
        values[k] = value_of(f, f->width == 32 ? ((uint32_t *)raw)[k] : (uint32_t)((uint16_t *)raw)[k]);
    free(raw);
    return values;
}

/* The first of a list of suffixes that is there. */
static float *fetch_any(struct step *s, const char *name, const char *const *suffixes)
{
    for (; *suffixes; suffixes++) {
        float *values = fetch(s, name, *suffixes);
        if (values)
            return values;
    }
    fail_msg("no tensor %s", name);
    return NULL;
}

/* What a layer reads: the cast of an activation if there is one; the copy of a weight if there is one. */
static const char *const as_input[] = {".fp16", ".bf16", "", NULL};

static bool same_value(float a, float b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

/* Compares a tensor and its counters with values computed here, before they are rounded.  Frees them. */
static void compare(struct step *s, const char *name, const char *suffix, float *before, bool is_gradient)
{
    char full[64];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    int index = find(s, full);
    assert_true(index >= 0);
    const struct tensor *x = trainer_tensor(s->t, index);
    const struct format *f = &format_table[x->format];
    float *stored = fetch(s, full, "");
    uint32_t want[5] = {0};
    const uint32_t *got = s->counts[index].word;
    for (long i = 0; i < x->rows * x->cols; i++) {
        float after = round_to(before[i], f);
        if (!same_value(after, stored[i]))
            fail_msg("%s[%ld]: %a rounds to %a, stored is %a", full, i, (double)before[i], (double)after,
                     (double)stored[i]);
        want[COUNTER_ZERO] += before[i] == 0;
        want[COUNTER_FLUSHED] += before[i] != 0 && after == 0;
        want[COUNTER_SUBNORMAL] += after != 0 && fabs((double)after) < ldexp(1, f->emin);
        want[COUNTER_OVERFLOWED] += isfinite(before[i]) && isinf(after);
        want[COUNTER_NAN] += isnan(after) ? 1u : 0u;
    }
    for (int c = 0; c < 5; c++)
        if (got[c] != want[c])
            fail_msg("%s: counter %d is %u, not %u", full, c, got[c], want[c]);
    if (is_gradient) {
        s->gradients += (uint64_t)(x->rows * x->cols) - want[COUNTER_ZERO];
        s->zero += want[COUNTER_ZERO];
        s->flushed += want[COUNTER_FLUSHED];
        s->subnormal += want[COUNTER_SUBNORMAL];
        s->overflowed += want[COUNTER_OVERFLOWED];
        s->nan += want[COUNTER_NAN];
    }
    s->compared++;
    free(stored);
    free(before);
}

/* ---- the model ---- */

enum { ROWS = 768 };
static const struct layer {
    const char *name, *input, *output, *activation;
    long in, out;
} layers[] = {
    {"fc1", "x", "z1", "h1", 2, 32}, {"fc2", "h1", "z2", "h2", 32, 32}, {"fc3", "h2", "logits", NULL, 32, 3}};

static float *numbers(long n)
{
    float *p = calloc((size_t)n, sizeof *p);
    assert_non_null(p);
    return p;
}

static void check_forward(struct step *s, const struct layer *l)
{
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", l->name);
    snprintf(bias, sizeof bias, "%s.bias", l->name);
    float *x = fetch_any(s, l->input, as_input), *z = numbers(ROWS * l->out);
    /* The step has updated the weights since; what it read is the copy, or `previous`, or its rounding. */
    bool updated = s->state.found_inf == 0;
    int copy = find(s, weight);
    const struct format *f = &format_table[trainer_tensor(s->t, copy)->format];
    const char *const before[] = {".copy", updated ? ".previous" : "", NULL};
    float *w = fetch_any(s, weight, before), *b = fetch_any(s, bias, before);
    for (long r = 0; r < ROWS; r++)
        for (long c = 0; c < l->out; c++) {
            float sum = 0;
            for (long k = 0; k < l->in; k++)
                sum = fmaf(x[r * l->in + k], round_to(w[k * l->out + c], f), sum);
            z[r * l->out + c] = sum + round_to(b[c], f);
        }
    compare(s, l->output, "", z, false);
    if (l->activation) {
        float *stored = fetch(s, l->output, ""), *h = numbers(ROWS * l->out);
        for (long i = 0; i < ROWS * l->out; i++)
            h[i] = k_tanh(stored[i]);
        compare(s, l->activation, "", h, false);
        free(stored);
    }
    free(x);
    free(w);
    free(b);
}

/* (p - onehot) x d(scaled loss)/d(row loss), and, where the logits were cast, that gradient rounded at the
 * cast. */
static void check_loss_gradient(struct step *s)
{
    float *p = fetch(s, "loss.work", ""), *dy = numbers(ROWS * 3);
    for (long i = 0; i < ROWS * 3; i++)
        dy[i] = (p[i] - (i / 3 / 256 == i % 3 ? 1.0f : 0.0f)) * s->state.loss_gradient;
    if (find(s, "logits.fp32") >= 0) {
        float *again = numbers(ROWS * 3);
        memcpy(again, dy, sizeof(float) * ROWS * 3);
        compare(s, "logits.fp32", ".grad", again, false);
    }
    compare(s, "logits", ".grad", dy, true);
    free(p);
}

static void check_backward(struct step *s, const struct layer *l)
{
    char weight[32], bias[32];
    snprintf(weight, sizeof weight, "%s.weight", l->name);
    snprintf(bias, sizeof bias, "%s.bias", l->name);
    bool updated = s->state.found_inf == 0;
    const struct format *f = &format_table[trainer_tensor(s->t, find(s, weight))->format];
    const char *const before[] = {".copy", updated ? ".previous" : "", NULL};
    float *dy = fetch(s, l->output, ".grad"), *x = fetch_any(s, l->input, as_input),
          *w = fetch_any(s, weight, before);
    float *dw = numbers(l->in * l->out), *db = numbers(l->out), *dx = numbers(ROWS * l->in);
    for (long r = 0; r < ROWS; r++) /* ascending rows for each sum */
        for (long c = 0; c < l->out; c++) {
            for (long k = 0; k < l->in; k++)
                dw[k * l->out + c] = fmaf(x[r * l->in + k], dy[r * l->out + c], dw[k * l->out + c]);
            db[c] += dy[r * l->out + c];
        }
    compare(s, weight, ".grad", dw, true);
    compare(s, bias, ".grad", db, true);
    if (strcmp(l->name, "fc1") != 0) {
        for (long r = 0; r < ROWS; r++)
            for (long k = 0; k < l->in; k++)
                for (long c = 0; c < l->out; c++)
                    dx[r * l->in + k] =
                        fmaf(dy[r * l->out + c], round_to(w[k * l->out + c], f), dx[r * l->in + k]);
        float *h = fetch(s, l->input, ""), *dz = numbers(ROWS * l->in);
        compare(s, l->input, ".grad", dx, true);
        float *stored = fetch(s, l->input, ".grad");
        for (long i = 0; i < ROWS * l->in; i++)
            dz[i] = stored[i] * fmaf(-h[i], h[i], 1.0f);
        compare(s, l[-1].output, ".grad", dz, true);
        free(stored);
        free(h);
    } else
        free(dx);
    free(dy);
    free(x);
    free(w);
}

/* Casts of weights, unscaled gradients, the update's own counters and the master's cast back. */
static void check_parameters(struct step *s, uint64_t *updates, uint64_t *lost)
{
    bool skipped = s->state.found_inf != 0;
    for (int p = 0; p < trainer_param_count(s->t); p++) {
        const struct tensor *base = trainer_param_tensor(s->t, p, TENSOR_WEIGHT);
        const struct tensor *master = trainer_param_tensor(s->t, p, TENSOR_MASTER);
        long n = base->rows * base->cols;
        const char *name = base->name;
        if (trainer_param_tensor(s->t, p, TENSOR_COPY))
            compare(s, name, ".copy", fetch(s, name, skipped ? "" : ".previous"), false);
        if (master)
            compare(s, name, "", fetch(s, name, ".master"), false);
        float *g = fetch(s, name, ".grad");
        for (long i = 0; i < n; i++)
            g[i] = s->state.inverse_scale == 1 ? g[i] : g[i] * s->state.inverse_scale;
        compare(s, name, ".unscaled", g, false);

        const struct tensor *held = master ? master : base;
        const uint32_t *got = s->counts[find(s, held->name)].word;
        float *now = fetch(s, held->name, ""), *before = fetch(s, name, ".previous"),
              *delta = fetch(s, name, ".delta");
        uint32_t updated = 0, unmoved = 0;
        for (long i = 0; i < n && !skipped; i++) {
            updated += delta[i] != 0;
            unmoved += delta[i] != 0 && memcmp(&now[i], &before[i], sizeof(float)) == 0;
        }
        assert_int_equal(got[COUNTER_UPDATED], updated);
        assert_int_equal(got[COUNTER_LOST], unmoved);
        *updates += updated;
        *lost += unmoved;
        free(now);
        free(before);
        free(delta);
    }
}

static void check_step(struct trainer *t)
{
    struct step s = {.t = t};
    uint64_t updates = 0, lost = 0;
    assert_true(trainer_step(t) && trainer_read_counts(t, s.counts) && trainer_read_state(t, &s.state) &&
                trainer_report(t, &s.report));
    for (int i = 0; i < 3; i++)
        check_forward(&s, &layers[i]);
    check_loss_gradient(&s);
    for (int i = 2; i >= 0; i--)
        check_backward(&s, &layers[i]);
    check_parameters(&s, &updates, &lost);
    assert_int_equal(s.report.gradients, s.gradients);
    assert_int_equal(s.report.zero, s.zero);
    assert_int_equal(s.report.flushed, s.flushed);
    assert_int_equal(s.report.subnormal, s.subnormal);
    assert_int_equal(s.report.overflowed, s.overflowed);
    assert_int_equal(s.report.nan, s.nan);
    assert_int_equal(s.report.updates, updates);
    assert_int_equal(s.report.lost, lost);
    print_message(
        "step %ld: %d tensors; gradients %llu, flushed %llu, subnormal %llu, overflowed %llu, NaN %llu; "
        "updates %llu, lost %llu\n",
        trainer_steps(t), s.compared, (unsigned long long)s.gradients, (unsigned long long)s.flushed,
        (unsigned long long)s.subnormal, (unsigned long long)s.overflowed, (unsigned long long)s.nan,
        (unsigned long long)updates, (unsigned long long)lost);
}

static const struct {
    const char *recipe, *scaler;
    enum update_rounding rounding;
    enum optimizer optimizer;
    int k; /* loss weight 2^-k, lr x 2^k */
} runs[] = {
    {"fp32", "none", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"fp32", "none", UPDATE_RNE, OPTIMIZER_SGD, 120}, /* FP32 itself has subnormal gradients */
    {"O1", "pytorch", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"O1", "fixed:2^24", UPDATE_RNE, OPTIMIZER_ADAM, 0}, /* overflows, skips */
    {"O1", "fixed:2^24,check=off", UPDATE_RNE, OPTIMIZER_SGD, 0},
    {"O2", "pytorch", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"O2", "none", UPDATE_RNE, OPTIMIZER_MOMENTUM, 16}, /* flushes everything */
    {"O2", "none", UPDATE_RNE, OPTIMIZER_MOMENTUM, 10}, /* flushes some */
    {"O2", "fixed:2^24", UPDATE_RNE, OPTIMIZER_MOMENTUM, 0},
    {"bf16", "none", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"bf16-pure", "none", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"bf16-pure", "none", UPDATE_SR, OPTIMIZER_ADAM, 0},
    {"bf16-pure", "none", UPDATE_COMPENSATED, OPTIMIZER_ADAM, 0},
    {"fp16-pure", "pytorch", UPDATE_RNE, OPTIMIZER_ADAM, 0},
    {"fp16-pure", "fixed:2^24", UPDATE_RNE, OPTIMIZER_ADAM, 0},
};

static void test_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char error[DEVICE_TEXT];
        size_t column;
        struct trainer_config c = trainer_defaults(task_find("spiral"), recipe_find(runs[i].recipe));
        assert_true(scaler_parse(runs[i].scaler, &c.scaler, error, &column));
        c.recipe.rounding = runs[i].rounding;
        c.optimizer = runs[i].optimizer;
        c.loss_weight = ldexpf(1, -runs[i].k);
        c.lr = runs[i].optimizer == OPTIMIZER_ADAM ? c.lr : ldexpf(0.2f, runs[i].k);
        print_message("%s, %s, %s\n", runs[i].recipe, runs[i].scaler, update_rounding_name(runs[i].rounding));
        struct trainer *t = trainer_create(device, &c, error);
        assert_non_null(t);
        for (int s = 0; s < 3; s++)
            check_step(t);
        trainer_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts)};
    return cmocka_run_group_tests(tests, open_device, close_device);
}
