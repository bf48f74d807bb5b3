/* incident.c: walks a step launch by launch to the first number that went wrong, and says why. */
#include "incident.h"
#include "compare.h"
#include "probe_text.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void incident_element(char *to, size_t size, const char *name, long row, long col, bool one_row)
{
    if (one_row)
        text_format(to, size, "%s[%ld]", name, col);
    else
        text_format(to, size, "%s[%ld,%ld]", name, row, col);
}

/* ---- finding ---- */

static long first_not_finite(const struct tensor *x, const void *data)
{
    uint32_t infinity = (uint32_t)format_infinity(&format_table[x->format]);
    long n = x->rows * x->cols;
    for (long i = 0; i < n; i++)
        if ((trace_element(x, data, i) & infinity) == infinity)
            return i;
    return -1;
}

static long first_flushed(const struct tensor *x, const void *data, const float *before)
{
    uint32_t sign = UINT32_C(1) << (format_table[x->format].width - 1);
    long n = x->rows * x->cols;
    for (long i = 0; i < n; i++)
        if (before[i] != 0.0f && (trace_element(x, data, i) & ~sign) == 0)
            return i;
    return -1;
}

static void note(struct incident *out, const struct tensor *x, const void *data, const float *before, long at)
{
    out->found = true;
    text_format(out->tensor, sizeof out->tensor, "%s", x->name);
    out->role = x->role;
    out->format = x->format;
    out->index = at;
    out->row = at / x->cols;
    out->col = at % x->cols;
    out->one_row = x->rows == 1;
    out->bits = trace_element(x, data, at);
    out->has_before = before != NULL;
    if (before)
        out->before = before[at];
}

/* Looks at one tensor that a launch has stored; `exact`: its operands are still there. */
static bool look(struct trainer *t, int launch, const struct tensor *x, bool exact, struct incident *out)
{
    bool flushed = out->kind == INCIDENT_FLUSHED;
    void *data = trace_download(t, x);
    if (!data)
        return false;
    long at = flushed ? -1 : first_not_finite(x, data);
    float *before = NULL;
    bool ok = true;
    if ((flushed || at >= 0) && exact && trace_can_tell(t, launch, x)) {
        before = malloc((size_t)(x->rows * x->cols) * sizeof *before);
        ok = before && trace_before(t, launch, x, before);
    }
    if (ok && flushed && before)
        at = first_flushed(x, data, before);
    if (ok && at >= 0) {
        note(out, x, data, before, at);
        out->launch = launch;
        out->phase = trainer_launch_phase(t, launch);
    }
    free(before);
    free(data);
    return ok;
}

/* A tensor can be passed over where its counters say that nothing was flushed. */
static bool passes(const struct trainer_counts *counts, int tensor, enum incident_kind kind)
{
    return kind == INCIDENT_FLUSHED && counts[tensor].word[COUNTER_FLUSHED] == 0;
}

static bool look_at_launch(struct trainer *t, int launch, const char *tensor, bool exact,
                           struct incident *out)
{
    int outputs[TRAINER_MAX_TENSORS];
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    int n = trace_outputs(t, launch, outputs);
    if (n > 0 && !trainer_read_counts(t, counts))
        return false;
    for (int i = 0; i < n && !out->found; i++) {
        const struct tensor *x = trainer_tensor(t, outputs[i]);
        if ((tensor && strcmp(x->name, tensor) != 0) || passes(counts, outputs[i], out->kind))
            continue;
        if (!look(t, launch, x, exact, out))
            return false;
    }
    return true;
}

bool incident_find(struct trainer *t, const struct incident_walk *walk, enum incident_kind kind,
                   const char *tensor, int launches, struct incident *out)
{
    struct run_state state;
    *out = (struct incident){.kind = kind};
    if (!walk->rewind(walk->context))
        return false;
    out->step = trainer_steps(t) + 1;
    for (int i = 0; i < launches && !out->found; i++) {
        if (!walk->launch(walk->context) || !look_at_launch(t, i, tensor, true, out))
            return false;
    }
    if (!trainer_read_state(t, &state))
        return false;
    out->scale = state.used_scale;
    return true;
}

bool incident_in_place(struct trainer *t, enum incident_kind kind, const char *tensor, bool exact,
                       struct incident *out)
{
    struct run_state state;
    *out = (struct incident){.kind = kind, .step = trainer_steps(t)};
    for (int i = 0; i < trainer_launch_count(t) && !out->found; i++)
        if (!look_at_launch(t, i, tensor, exact, out))
            return false;
    if (!trainer_read_state(t, &state))
        return false;
    out->scale = state.used_scale;
    return true;
}

bool incident_is_there(struct trainer *t, int launches, bool *there)
{
    struct incident in = {.kind = INCIDENT_NOT_FINITE};
    for (int i = 0; i < launches && !in.found; i++)
        if (!look_at_launch(t, i, NULL, false, &in))
            return false;
    *there = in.found;
    return true;
}

bool incident_in_image(const struct trainer *t, const struct trainer_image *image)
{
    for (int i = 0; i < trainer_tensor_count(t); i++) {
        const struct tensor *x = trainer_tensor(t, i);
        bool carried = x->role == TENSOR_WEIGHT || x->role == TENSOR_MASTER || x->role == TENSOR_MOMENT1 ||
                       x->role == TENSOR_MOMENT2 || x->role == TENSOR_COMPENSATION;
        if (carried && first_not_finite(x, image->data + trainer_image_offset(t, x, 0)) >= 0)
            return true;
    }
    return false;
}

/* ---- lost updates ---- */

/* The first element of a parameter whose Delta is not 0 and whose bits are those of before; -1 for none. */
static long first_lost(const struct tensor *x, const void *weights, const void *previous, const float *delta)
{
    for (long i = 0; i < x->rows * x->cols; i++)
        if (delta[i] != 0.0f && trace_element(x, weights, i) == trace_element(x, previous, i))
            return i;
    return -1;
}

static bool look_for_lost(struct trainer *t, int param, struct incident *out)
{
    const struct tensor *x = trainer_param_tensor(t, param, TENSOR_MASTER);
    x = x ? x : trainer_param_tensor(t, param, TENSOR_WEIGHT);
    void *weights = trace_download(t, x);
    void *previous = trace_download(t, trainer_param_tensor(t, param, TENSOR_PREVIOUS));
    float *delta = trace_download(t, trainer_param_tensor(t, param, TENSOR_DELTA));
    bool ok = weights && previous && delta;
    long at = ok ? first_lost(x, weights, previous, delta) : -1;
    if (at >= 0) {
        note(out, x, weights, NULL, at);
        out->delta = delta[at];
        if (trainer_config(t)->recipe.rounding == UPDATE_RNE)
            out->exactly = compare_decode(x->format, out->bits) - (double)out->delta;
    }
    free(weights);
    free(previous);
    free(delta);
    return ok;
}

bool incident_lost(struct trainer *t, struct incident *out)
{
    struct run_state state;
    *out = (struct incident){
        .kind = INCIDENT_LOST, .step = trainer_steps(t), .phase = PHASE_UPDATE, .exactly = NAN};
    if (!trainer_read_state(t, &state))
        return false;
    for (int p = 0; p < trainer_param_count(t) && !out->found && !state.found_inf; p++)
        if (!look_for_lost(t, p, out))
            return false;
    return true;
}

/* ---- saying why ---- */

/* From here on numbers round beyond the largest: its value and half an ulp more. */
static double overflow_from(const struct format *f)
{
    return ldexp(2.0 - ldexp(1.0, -f->precision), f->emax);
}

static void number(char *to, size_t size, double x, int digits)
{
    if (isnan(x))
        text_format(to, size, "NaN");
    else if (isinf(x))
        text_format(to, size, x < 0 ? "-inf" : "inf");
    else
        text_double(to, size, x, digits);
}

/* "65536 × 1.0003 = 65555.7", or the number alone. */
static void before_text(const struct incident *in, char *to, size_t size)
{
    bool scaled = in->role == TENSOR_GRADIENT || in->role == TENSOR_ACTIVATION_GRADIENT;
    char scale[TEXT_SHORT], value[TEXT_SHORT], whole[TEXT_SHORT];
    number(whole, sizeof whole, (double)in->before, 6);
    if (!scaled || in->scale == 1.0f || !isfinite(in->before)) {
        text_format(to, size, "%s", whole);
        return;
    }
    number(scale, sizeof scale, (double)in->scale, 9);
    number(value, sizeof value, (double)in->before / (double)in->scale, 5);
    text_format(to, size, "%s × %s = %s", scale, value, whole);
}

/* "fc1.weight[0,2]: 0.7109375 - 0.0003 = 0.7106375 → 0.7109375 in bf16 (update)" */
static void lost_text(const struct incident *in, const char *weight, char *to, size_t size)
{
    char delta[TEXT_SHORT], exactly[TEXT_SHORT];
    number(delta, sizeof delta, fabs((double)in->delta), 6);
    text_append(to, size, ": %s %c %s", weight, in->delta < 0 ? '+' : '-', delta);
    if (!isnan(in->exactly)) {
        number(exactly, sizeof exactly, in->exactly, 9);
        text_append(to, size, " = %s", exactly);
    }
    text_append(to, size, " → %s in %s (update)", weight, format_table[in->format].name);
}

void incident_text(const struct incident *in, char *to, size_t size)
{
    const struct format *f = &format_table[in->format];
    char element[TENSOR_NAME + 48], before[TEXT_VALUE], after[TEXT_SHORT], limit[TEXT_SHORT];
    incident_element(element, sizeof element, in->tensor, in->row, in->col, in->one_row);
    text_bits_value(after, sizeof after, f, in->bits, 9);
    text_format(to, size, "%s", element);
    if (in->kind == INCIDENT_LOST) {
        lost_text(in, after, to, size);
        return;
    }
    if (!in->has_before) {
        text_append(to, size, " became %s in %s (%s)", after, f->name, phase_name(in->phase));
        return;
    }
    before_text(in, before, sizeof before);
    text_append(to, size, ": %s", before);
    if (in->kind == INCIDENT_FLUSHED) {
        /* half the smallest subnormal: the tie goes to 0 */
        text_append(to, size, in->before < 0 ? " ≥ -2^%d" : " ≤ 2^%d", f->emin - f->trailing_bits - 1);
    } else if (isfinite(in->before)) {
        number(limit, sizeof limit, overflow_from(f), 6);
        text_append(to, size, in->before < 0 ? " ≤ -%s" : " ≥ %s", limit);
    } else {
        text_append(to, size, " already in fp32");
    }
    text_append(to, size, " → %s in %s (%s)", after, f->name, phase_name(in->phase));
}

void incident_short(const struct incident *in, char *to, size_t size)
{
    const struct format *f = &format_table[in->format];
    char element[TENSOR_NAME + 48], before[TEXT_SHORT], after[TEXT_SHORT];
    incident_element(element, sizeof element, in->tensor, in->row, in->col, in->one_row);
    text_bits_value(after, sizeof after, f, in->bits, 9);
    number(before, sizeof before, (double)in->before, 6);
    if (in->has_before && isfinite(in->before))
        text_format(to, size, "%s: %s → %s in %s", element, before, after, f->name);
    else
        text_format(to, size, "%s became %s in %s", element, after, f->name);
}

void incident_outcome(const struct run_state *after, enum incident_tense tense, char *to, size_t size)
{
    static const char *const steps[] = {"step skipped", "the step will be skipped", "step skipped"};
    char from[TEXT_SHORT], next[TEXT_SHORT];
    bool moves = after->scale != after->used_scale;
    if (!after->found_inf)
        return;
    number(from, sizeof from, (double)after->used_scale, 9);
    number(next, sizeof next, (double)after->scale, 9);
    text_append(to, size, "; %s, scale ", steps[tense]);
    if (moves)
        text_append(to, size, "%s%s → %s", tense == OUTCOME_SKIPPED ? "will go " : "", from, next);
    else
        text_append(to, size, "stays %s", from);
}
