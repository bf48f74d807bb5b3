/* compare.c: two runs, gradient by gradient.
 *
 * Loss scaling by powers of two changes no bit of a run unless a rounding met a limit of the exponent's
 * range, so the first difference between two scales is the first damaged value. */
#include "compare.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double compare_decode(enum format_id format, uint32_t bits)
{
    const struct format *f = &format_table[format];
    int biased = format_biased_exponent(f, bits);
    double trailing = (double)format_trailing(f, bits);
    double sign = format_sign(f, bits) ? -1.0 : 1.0;
    if (biased == 2 * f->bias + 1)
        return trailing != 0.0 ? (double)NAN : sign * (double)INFINITY;
    double significand = biased ? ldexp(1.0, f->trailing_bits) + trailing : trailing;
    return sign * ldexp(significand, (biased ? biased - f->bias : f->emin) - f->trailing_bits);
}

static size_t element_size(const struct tensor *x)
{
    return x->format == FORMAT_FP32 ? 4 : 2;
}

static uint32_t element(const struct tensor *x, const void *data, long i)
{
    uint16_t narrow;
    uint32_t wide;
    if (x->format == FORMAT_FP32)
        memcpy(&wide, (const char *)data + i * 4, 4);
    else {
        memcpy(&narrow, (const char *)data + i * 2, 2);
        wide = narrow;
    }
    return wide;
}

/* A value in true units; all NaNs are one. */
static uint64_t key(const struct tensor *x, uint32_t bits, double unit)
{
    double value = compare_decode(x->format, bits) / unit;
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return isnan(value) ? UINT64_C(0x7ff8000000000000) : word;
}

static void note(struct difference *out, const struct tensor *x, const struct tensor *y, long i, uint32_t a,
                 uint32_t b)
{
    out->found = true;
    snprintf(out->name, sizeof out->name, "%s", x->name);
    out->index = i;
    out->row = i / x->cols;
    out->col = i % x->cols;
    out->format_a = x->format;
    out->format_b = y->format;
    out->bits_a = a;
    out->bits_b = b;
}

static bool compare_tensors(struct trainer *a, const struct tensor *x, double unit_a, struct trainer *b,
                            const struct tensor *y, double unit_b, struct difference *out)
{
    long n = x->rows * x->cols;
    size_t bytes = (size_t)n * element_size(x);
    if (n != y->rows * y->cols)
        return false;
    void *left = malloc(bytes), *right = malloc((size_t)n * element_size(y));
    bool ok = left && right && trainer_read(a, x, 0, n, left) && trainer_read(b, y, 0, n, right);
    bool same = ok && x->format == y->format && unit_a == unit_b && memcmp(left, right, bytes) == 0;
    for (long i = 0; ok && !same && !out->found && i < n; i++) {
        uint32_t p = element(x, left, i), q = element(y, right, i);
        if (key(x, p, unit_a) != key(y, q, unit_b))
            note(out, x, y, i, p, q);
    }
    free(left);
    free(right);
    return ok;
}

/* What a gradient must be divided by: the scale is gone again from the gradients of a low optimizer, which
 * are written back after unscaling. */
static double gradient_unit(const struct trainer *t, const struct tensor *x, const struct run_state *state)
{
    const struct trainer_config *c = trainer_config(t);
    bool written_back =
        c->recipe.low_optimizer && x->role == TENSOR_GRADIENT && trainer_next_phase(t) == PHASE_CAST;
    return (double)c->loss_weight * (written_back ? 1.0 : (double)state->used_scale);
}

/* Outputs of the forward pass, by their names: recipes that cast elsewhere have other tensors in between. */
static bool compare_activations(struct trainer *a, struct trainer *b, struct difference *out)
{
    for (int i = 0; i < trainer_tensor_count(a) && !out->found; i++) {
        const struct tensor *x = trainer_tensor(a, i), *y = NULL;
        for (int k = 0; x->role == TENSOR_ACTIVATION && !y && k < trainer_tensor_count(b); k++)
            if (strcmp(trainer_tensor(b, k)->name, x->name) == 0)
                y = trainer_tensor(b, k);
        if (y && !compare_tensors(a, x, 1.0, b, y, 1.0, out))
            return false;
    }
    return true;
}

static const struct tensor *held(const struct trainer *t, int param)
{
    const struct tensor *master = trainer_param_tensor(t, param, TENSOR_MASTER);
    return master ? master : trainer_param_tensor(t, param, TENSOR_WEIGHT);
}

/* The gradient of the same name; recipes that cast elsewhere store others in between. */
static const struct tensor *same_gradient(const struct trainer *b, const struct tensor *x, int index)
{
    if (index < trainer_gradient_count(b) && strcmp(trainer_gradient(b, index)->name, x->name) == 0)
        return trainer_gradient(b, index);
    for (int i = 0; i < trainer_gradient_count(b); i++)
        if (strcmp(trainer_gradient(b, i)->name, x->name) == 0)
            return trainer_gradient(b, i);
    return NULL;
}

bool compare_first_difference(struct trainer *a, struct trainer *b, struct difference *out)
{
    struct run_state state_a, state_b;
    *out = (struct difference){.step = trainer_steps(a)};
    if (trainer_config(a)->task != trainer_config(b)->task || !trainer_read_state(a, &state_a) ||
        !trainer_read_state(b, &state_b))
        return false;
    out->scale_a = state_a.used_scale * trainer_config(a)->loss_weight;
    out->scale_b = state_b.used_scale * trainer_config(b)->loss_weight;
    out->phase = PHASE_FORWARD;
    if (!compare_activations(a, b, out) || out->found)
        return out->found;
    out->is_gradient = true;
    out->phase = PHASE_BACKWARD;
    for (int i = 0; i < trainer_gradient_count(a); i++) {
        const struct tensor *x = trainer_gradient(a, i), *y = same_gradient(b, x, i);
        if (y &&
            !compare_tensors(a, x, gradient_unit(a, x, &state_a), b, y, gradient_unit(b, y, &state_b), out))
            return false;
        if (out->found)
            return true;
    }
    out->is_gradient = false;
    out->phase = PHASE_UPDATE;
    for (int p = 0; p < trainer_param_count(a) && !out->found; p++)
        if (!compare_tensors(a, held(a, p), 1.0, b, held(b, p), 1.0, out))
            return false;
    return true;
}
