/* probe_update.c: what repeated updates do to one weight, in every scheme. */
#include "kernels/number.k.h"
#include "probe.h"
#include "probe_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct update_scheme update_scheme_table[UPDATE_SCHEMES] = {
    {"fp32", FORMAT_FP32, UPDATE_PLAIN},         {"fp16", FORMAT_FP16, UPDATE_PLAIN},
    {"bf16", FORMAT_BF16, UPDATE_PLAIN},         {"fp16+master", FORMAT_FP16, UPDATE_MASTER},
    {"bf16+master", FORMAT_BF16, UPDATE_MASTER}, {"fp16+sr", FORMAT_FP16, UPDATE_STOCHASTIC},
    {"bf16+sr", FORMAT_BF16, UPDATE_STOCHASTIC}, {"fp16+kahan", FORMAT_FP16, UPDATE_KAHAN},
    {"bf16+kahan", FORMAT_BF16, UPDATE_KAHAN},
};

int update_scheme_find(const char *name)
{
    for (int i = 0; i < UPDATE_SCHEMES; i++)
        if (strcmp(name, update_scheme_table[i].name) == 0)
            return i;
    return -1;
}

/* The neighbour of the start on the side to which w moves, on the grid that goes on beyond the largest finite
 * value. */
static struct exact *neighbour(const struct format *f, uint32_t start, bool down)
{
    uint32_t sign = 1u << (f->width - 1), magnitude = start & ~sign;
    bool towards_zero = magnitude != 0 && down == !(start & sign);
    bool negative = magnitude == 0 ? down : (start & sign) != 0;
    struct exact *value = probe_grid_value(f, towards_zero ? magnitude - 1 : magnitude + 1);
    struct exact *zero = value && negative ? exact_from_bits(f, 0) : NULL;
    if (!zero)
        return value;
    struct exact *mirrored = exact_subtract(zero, value);
    exact_free(zero);
    exact_free(value);
    return mirrored;
}

/* Spacing and threshold: the distance to the neighbour, and half of it with the sign of delta. */
static bool measure(struct update_result *r)
{
    const struct format *f = r->held;
    enum format_class class = format_classify(f, r->start);
    if (class != CLASS_ZERO && class != CLASS_SUBNORMAL && class != CLASS_NORMAL)
        return true;
    bool down = !(k_bits(r->delta) >> 31);
    struct exact *w = exact_from_bits(f, r->start), *next = neighbour(f, r->start, down);
    struct exact *distance = w && next ? exact_subtract(w, next) : NULL; /* has delta's sign */
    r->spacing = !distance ? NULL : down ? exact_copy(distance) : exact_subtract(next, w);
    r->threshold = distance && r->scheme->kind != UPDATE_STOCHASTIC ? exact_scale(distance, -1) : NULL;
    bool done = distance && r->spacing && (r->threshold || r->scheme->kind == UPDATE_STOCHASTIC);
    struct exact *delta = done ? exact_from_bits(&format_table[FORMAT_FP32], k_bits(r->delta)) : NULL;
    if (delta)
        r->delta_ulp = exact_ratio(delta, r->spacing);
    done = delta != NULL;
    exact_free(w);
    exact_free(next);
    exact_free(distance);
    exact_free(delta);
    return done;
}

static void bind_update(void *args, const void *in, void *out)
{
    struct update_probe_args *a = args;
    a->cases = in;
    a->outcomes = out;
}

/* One launch for all cases: each scheme's run, and one step with the threshold itself as delta. */
static bool run_cases(struct device *d, const struct update_question *q, struct update_result *results,
                      size_t n, struct exact_error *error)
{
    struct update_case *cases = calloc(2 * n, sizeof *cases);
    struct update_outcome *outcomes = calloc(2 * n, sizeof *outcomes);
    bool done = cases && outcomes;
    for (size_t i = 0; done && i < n; i++) {
        struct update_result *r = &results[i];
        uint32_t threshold = 0;
        struct update_case c = {
            (int32_t)r->scheme->format, (int32_t)r->scheme->kind, r->start, r->delta, q->steps, q->seed};
        cases[i] = cases[n + i] = c;
        cases[n + i].steps = 1;
        if (r->threshold) {
            if (!probe_round_one(d, r->threshold, &format_table[FORMAT_FP32], ROUND_RNE, &threshold, error)) {
                free(cases);
                free(outcomes);
                return false;
            }
            cases[n + i].delta = k_float(threshold);
        }
    }
    if (done) {
        struct update_probe_args args = {.n = (long)(2 * n)};
        struct probe_launch launch = {
            bind_update, &args, cases, outcomes, 2 * n * sizeof *cases, 2 * n * sizeof *outcomes};
        done = probe_launch(d, KERNEL_update_probe, &launch, error);
    } else {
        probe_fail(error, "out of memory");
    }
    for (size_t i = 0; done && i < n; i++) {
        results[i].outcome = outcomes[i];
        /* From an even weight the tie goes back to it, if only in value: from 0 it goes to -0. */
        results[i].threshold_moves =
            results[i].threshold && (results[i].start & 1u) && outcomes[n + i].moved != 0;
    }
    free(cases);
    free(outcomes);
    return done;
}

static bool start_scheme(struct device *d, const struct update_question *q, uint32_t delta,
                         struct update_result *r, struct exact_error *error)
{
    r->held = &format_table[r->scheme->kind == UPDATE_MASTER ? FORMAT_FP32 : r->scheme->format];
    r->delta = k_float(delta);
    struct exact *held_delta = exact_from_bits(&format_table[FORMAT_FP32], delta);
    bool done = held_delta ? probe_round_one(d, held_delta, r->held, ROUND_RNE, &r->delta_in_format, error) &&
                                 probe_round_one(d, q->w, r->held, ROUND_RNE, &r->start, error)
                           : probe_fail(error, "out of memory");
    exact_free(held_delta);
    return done && (measure(r) || probe_fail(error, "out of memory"));
}

bool probe_update(struct device *d, const struct update_question *q, struct update_result *out, size_t *count,
                  struct exact_error *error)
{
    uint32_t delta;
    size_t n = 0;
    bool done = probe_round_one(d, q->delta, &format_table[FORMAT_FP32], ROUND_RNE, &delta, error);
    for (int i = 0; done && i < UPDATE_SCHEMES; i++) {
        if (!(q->schemes >> i & 1u))
            continue;
        out[n] = (struct update_result){.scheme = &update_scheme_table[i]};
        done = start_scheme(d, q, delta, &out[n++], error);
    }
    done = done && run_cases(d, q, out, n, error);
    for (size_t i = 0; i < n && !done; i++)
        update_result_clear(&out[i]);
    *count = n;
    return done;
}

void update_result_clear(struct update_result *r)
{
    exact_free(r->threshold);
    exact_free(r->spacing);
    r->threshold = r->spacing = NULL;
}

static bool read_finite(const char *text, const char *name, struct exact **x, struct exact_error *error,
                        const char **which)
{
    *which = name;
    *x = exact_parse(text, error);
    if (*x && exact_kind(*x) != EXACT_FINITE) {
        exact_free(*x);
        *x = NULL;
        error->column = 0;
        snprintf(error->message, sizeof error->message, "not a finite number");
    }
    return *x != NULL;
}

bool probe_update_read(const struct update_texts *texts, struct exact **w, struct exact **delta,
                       struct exact_error *error, const char **which)
{
    struct exact *lr = NULL, *grad = NULL;
    *w = *delta = NULL;
    bool done = read_finite(texts->w, "w", w, error, which);
    if (done && texts->delta) {
        done = read_finite(texts->delta, "delta", delta, error, which);
    } else if (done) {
        done = read_finite(texts->lr, "lr", &lr, error, which) &&
               read_finite(texts->grad, "grad", &grad, error, which);
        *delta = done ? exact_multiply(lr, grad) : NULL;
        if (done && !*delta) {
            error->column = 0;
            snprintf(error->message, sizeof error->message, "lr x grad is too large");
            done = false;
        }
    }
    exact_free(lr);
    exact_free(grad);
    if (!done) {
        exact_free(*w);
        exact_free(*delta);
        *w = *delta = NULL;
    }
    return done;
}
