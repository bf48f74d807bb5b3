/* session_view.c: a snapshot of everything that panels show. */
#include "probe_text.h"
#include "session_internal.h"
#include "trace.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lanes ---- */

static void view_drifts(struct session *s, int index, struct lane_view *v)
{
    double norms[TRAINER_MAX_TENSORS];
    int n = trainer_param_count(s->lanes[index].trainer);
    if (!session_drift_of(s, index, norms))
        return;
    v->drift_count = n < SNAPSHOT_DRIFTS ? n : SNAPSHOT_DRIFTS;
    for (int p = 0; p < v->drift_count; p++) {
        const struct tensor *x = trainer_param_tensor(s->lanes[index].trainer, p, TENSOR_WEIGHT);
        text_format(v->drifts[p].name, sizeof v->drifts[p].name, "%s", x->name);
        text_double(v->drifts[p].text, sizeof v->drifts[p].text, norms[p], 4);
    }
}

static bool view_lane(struct session *s, int index, struct lane_view *v)
{
    struct lane *lane = &s->lanes[index];
    double share, norm;
    text_format(v->recipe, sizeof v->recipe, "%s", lane->name);
    v->loss_curve = s->future.behind ? s->future.loss[index] : lane->loss_curve;
    text_share(v->lost, sizeof v->lost, lane->lost, lane->updates);
    text_share(v->lost_total, sizeof v->lost_total, lane->lost_total, lane->updates_total);
    text_format(v->loss, sizeof v->loss, "–");
    text_format(v->accuracy, sizeof v->accuracy, "–");
    if (trainer_steps(lane->trainer) > 0 || session_reached(lane, PHASE_LOSS)) {
        text_float(v->loss, sizeof v->loss, lane->state.loss, lane->state.loss < 0.01f ? 4 : 6);
        if (!trainer_accuracy(lane->trainer, &share))
            return session_fail(s);
        text_format(v->accuracy, sizeof v->accuracy, "%.3f", share);
    }
    text_format(v->device, sizeof v->device, "%s", lane->device->name);
    if (session_drift(s, index, &norm)) {
        text_double(v->drift, sizeof v->drift, norm, 4);
        view_drifts(s, index, v);
    }
    return !s->failed && session_view_timelines(s, index, v);
}

static void view_differences(const struct session *s, struct snapshot *out)
{
    for (int b = 1; b < s->lane_count; b++)
        for (int a = 0; a < b; a++) {
            const struct difference *d = &s->differences[session_pair(a, b)];
            struct difference_view *v = &out->differences[out->difference_count++];
            *v = (struct difference_view){
                .a = a, .b = b, .found = d->found, .step = d->step, .phase = d->phase};
            if (!d->found)
                continue;
            incident_element(v->element, sizeof v->element, d->name, d->row, d->col, false);
            text_hex(v->hex_a, sizeof v->hex_a, &format_table[d->format_a], d->bits_a);
            text_hex(v->hex_b, sizeof v->hex_b, &format_table[d->format_b], d->bits_b);
        }
}

/* ---- tensors ---- */

/* The phase that stores a tensor and counts as it does; PHASE_COUNT where nothing is counted. */
static enum phase store_phase(const struct lane *lane, const struct tensor *x)
{
    const struct recipe *r = &trainer_config(lane->trainer)->recipe;
    switch (x->role) {
    case TENSOR_COPY:
        return PHASE_CAST;
    case TENSOR_ACTIVATION:
        return strcmp(x->name, "loss.work") == 0 ? PHASE_LOSS : PHASE_FORWARD;
    case TENSOR_GRADIENT:
    case TENSOR_ACTIVATION_GRADIENT:
        return PHASE_BACKWARD;
    case TENSOR_UNSCALED:
        return PHASE_UNSCALE;
    case TENSOR_MASTER:
        return PHASE_UPDATE;
    case TENSOR_WEIGHT:
        return recipe_has_master(r) ? PHASE_SYNC : PHASE_UPDATE;
    case TENSOR_DATA:
        return x->format == FORMAT_FP32 ? PHASE_COUNT : PHASE_CAST;
    default:
        return PHASE_COUNT;
    }
}

static void fill_counts(const struct lane *lane, const struct tensor *x, struct tensor_row *row)
{
    uint64_t n = (uint64_t)(x->rows * x->cols);
    const uint32_t *c = row->count;
    bool is_held = (x->role == TENSOR_MASTER || x->role == TENSOR_WEIGHT) && c[COUNTER_UPDATED];
    /* Stochastic and compensated stores of weights are not counted one by one. */
    bool counted =
        store_phase(lane, x) != PHASE_UPDATE || trainer_config(lane->trainer)->recipe.rounding == UPDATE_RNE;
    if (counted) {
        text_share(row->zero, sizeof row->zero, c[COUNTER_ZERO], n);
        text_share(row->flushed, sizeof row->flushed, c[COUNTER_FLUSHED], n - c[COUNTER_ZERO]);
        text_share(row->subnormal, sizeof row->subnormal, c[COUNTER_SUBNORMAL], n - c[COUNTER_ZERO]);
        text_share(row->overflowed, sizeof row->overflowed, c[COUNTER_OVERFLOWED], n - c[COUNTER_ZERO]);
        text_share(row->nan, sizeof row->nan, c[COUNTER_NAN], n);
    }
    if (is_held)
        text_share(row->lost, sizeof row->lost, c[COUNTER_LOST], c[COUNTER_UPDATED]);
}

/* Whether a tensor is among those that the last launch stored, or the launches of its phase before it. */
static bool is_fresh(const struct session *s, int index)
{
    const struct trainer *t = s->lanes[0].trainer;
    int outputs[TRAINER_MAX_TENSORS];
    for (int l = s->last_launch; l >= 0; l--) {
        if (trainer_launch_phase(t, l) != trainer_launch_phase(t, s->last_launch))
            return false;
        for (int n = trace_outputs(t, l, outputs); n > 0; n--)
            if (outputs[n - 1] == index)
                return true;
    }
    return false;
}

/* In a step, what launches have stored so far; between two steps, what the last one has. */
static bool is_touched(const struct lane *lane, int index)
{
    int store = trace_first_store(lane->trainer, index);
    if (store < 0)
        return false;
    return session_in_step_of(lane) ? store < trainer_next_launch(lane->trainer)
                                    : trainer_steps(lane->trainer) > 0;
}

static void view_tensor(const struct session *s, int index, struct tensor_row *row)
{
    const struct lane *lane = &s->lanes[0];
    const struct tensor *x = trainer_tensor(lane->trainer, index);
    snprintf(row->name, sizeof row->name, "%s", x->name);
    snprintf(row->format, sizeof row->format, "%s", format_table[x->format].name);
    row->role = x->role;
    row->param = x->param;
    row->rows = x->rows;
    row->cols = x->cols;
    row->is_gradient_store = x->is_gradient_store;
    if (x->rows == 1)
        text_format(row->shape, sizeof row->shape, "%ld", x->cols);
    else
        text_format(row->shape, sizeof row->shape, "%ld×%ld", x->rows, x->cols);
    memcpy(row->count, lane->counts[index].word, sizeof row->count);
    row->touched = store_phase(lane, x) != PHASE_COUNT && is_touched(lane, index);
    row->fresh = is_fresh(s, index);
    if (row->touched)
        fill_counts(lane, x, row);
}

/* What the launches left of the next phase, or within a phase the next launch, read and write. */
static void view_next(const struct session *s, struct snapshot *out)
{
    const struct trainer *t = s->lanes[0].trainer;
    int found[TRAINER_MAX_TENSORS];
    for (int l = out->launch; l < out->launch_count && trainer_launch_phase(t, l) == out->next_phase; l++) {
        for (int n = trace_inputs(t, l, found); n > 0; n--)
            out->tensors[found[n - 1]].is_read = true;
        for (int n = trace_outputs(t, l, found); n > 0; n--)
            out->tensors[found[n - 1]].is_written = true;
        if (out->phase_launch > 1)
            return;
    }
}

/* ---- the whole ---- */

static void view_setup(const struct session *s, struct snapshot *out)
{
    const struct setup *setup = &s->setup;
    snprintf(out->device, sizeof out->device, "%s", s->device->name);
    snprintf(out->device_text, sizeof out->device_text, "%s", s->device_text);
    snprintf(out->task, sizeof out->task, "%s", setup->task->name);
    snprintf(out->recipe, sizeof out->recipe, "%s", setup->recipe.name);
    scaler_text(&setup->scaler, out->scaler, sizeof out->scaler);
    snprintf(out->optimizer, sizeof out->optimizer, "%s", optimizer_name(setup->optimizer));
    snprintf(out->lr, sizeof out->lr, "%s", setup->lr_text);
    snprintf(out->loss_weight, sizeof out->loss_weight, "%s", setup->loss_weight_text);
    snprintf(out->seed, sizeof out->seed, "%llu", (unsigned long long)setup->seed);
    snprintf(out->update_rounding, sizeof out->update_rounding, "%s",
             update_rounding_name(setup->recipe.rounding));
    out->master = recipe_has_master(&setup->recipe);
}

/* What the launch that ended a phase came to, where a number says it. */
static void append_outcome(const struct session *s, enum phase phase, char *to, size_t size)
{
    const struct run_state *state = &s->lanes[0].state;
    char from[TEXT_SHORT], next[TEXT_SHORT];
    switch (phase) {
    case PHASE_LOSS:
        text_float(from, sizeof from, state->loss, 9);
        text_append(to, size, ": %s", from);
        return;
    case PHASE_SCALE:
        text_scale(from, sizeof from, state->used_scale);
        text_append(to, size, "; S = %s", from);
        return;
    case PHASE_CHECK:
        text_append(to, size, state->found_inf ? " no: the step will be skipped" : " yes");
        return;
    case PHASE_UPDATE:
        if (state->found_inf)
            text_format(to, size, "skipped: weights and optimizer state are as they were");
        return;
    case PHASE_RESCALE:
        if (s->setup.scaler.kind == SCALER_NONE)
            return;
        text_scale(from, sizeof from, state->used_scale);
        text_scale(next, sizeof next, state->scale);
        text_append(to, size, ": scale %s → %s (%s)", from, next, scaler_action_name(state->action));
        return;
    default:
        return;
    }
}

/* From the check on it is known what becomes of the update. */
static void view_skip(const struct session *s, struct snapshot *out)
{
    if (out->next_phase != PHASE_UPDATE || !s->lanes[0].state.found_inf)
        return;
    text_format(out->next_text[0], sizeof out->next_text[0],
                "skip: gradients are not finite; weights and optimizer state stay as they are");
    out->next_text[1][0] = '\0';
    text_format(out->next_launch, sizeof out->next_launch, "%s", out->next_text[0]);
}

static void view_progress(const struct session *s, struct snapshot *out)
{
    struct trainer *t = s->lanes[0].trainer;
    out->step = trainer_steps(t);
    out->running = s->running;
    out->next_phase = trainer_next_phase(t);
    out->in_step = session_in_step(s);
    for (int i = 0; i < 2; i++) {
        const char *what = trainer_describe(t, out->next_phase, i);
        text_format(out->next_text[i], sizeof out->next_text[i], "%s", what ? what : "");
    }
    snprintf(out->rate, sizeof out->rate, "–");
    out->launch = trainer_next_launch(t);
    out->launch_count = trainer_launch_count(t);
    for (int i = 0; i < out->launch_count; i++)
        if (trainer_launch_phase(t, i) == out->next_phase) {
            out->phase_launches++;
            out->phase_launch += i <= out->launch;
        }
    text_format(out->next_launch, sizeof out->next_launch, "%s", trainer_launch_text(t, out->launch));
    out->done_phase = s->last_launch >= 0 ? trainer_launch_phase(t, s->last_launch) : PHASE_COUNT;
    if (s->last_launch >= 0)
        text_format(out->done_text, sizeof out->done_text, "%s", trainer_launch_text(t, s->last_launch));
    if (out->done_phase != PHASE_COUNT && out->done_phase != out->next_phase)
        append_outcome(s, out->done_phase, out->done_text, sizeof out->done_text);
    view_skip(s, out);
    out->last_step = s->history.frontier.step;
    out->behind = s->future.behind;
    out->injected = session_injected(s);
    text_format(out->history, sizeof out->history, "history %d image%s, %.1f of %.0f MB", s->history.count,
                s->history.count == 1 ? "" : "s", (double)s->history.used / 1048576,
                (double)s->history.budget / 1048576);
}

static void view_breaks(const struct session *s, struct snapshot *out)
{
    text_format(out->why, sizeof out->why, "%s", s->why);
    out->why_here = *s->why && position_order(session_position(s), s->why_at) == 0;
    out->stopped = s->stopped;
    out->break_count = s->break_count;
    for (int i = 0; i < s->break_count; i++) {
        const struct breakpoint *b = &s->breaks[i];
        out->breaks[i] = (struct break_view){.number = b->number, .hits = b->hits, .enabled = b->enabled};
        text_format(out->breaks[i].text, sizeof out->breaks[i].text, "%s", b->text);
    }
}

static void view_events(const struct session *s, struct snapshot *out)
{
    static const char *const names[] = {[EVENT_OVERFLOW] = "overflow",
                                        [EVENT_GROWTH] = "growth",
                                        [EVENT_FLUSHED] = "underflow",
                                        [EVENT_NAN] = "NaN",
                                        [EVENT_LOST] = "lost",
                                        [EVENT_NOTE] = "note",
                                        [EVENT_FIRST_DIFFERENCE] = "difference"};
    out->event_count = s->event_count;
    for (int i = 0; i < s->event_count; i++) {
        out->events[i].step = s->events[i].step;
        out->events[i].kind = s->events[i].kind;
        snprintf(out->events[i].name, sizeof out->events[i].name, "%s", names[s->events[i].kind]);
        snprintf(out->events[i].text, sizeof out->events[i].text, "%s", s->events[i].text);
    }
}

static void view_focus(const struct session *s, struct snapshot *out)
{
    out->live = s->live;
    out->mode = s->mode;
    if (s->live)
        session_weight_name(s, out->focus, sizeof out->focus);
    else
        text_format(out->focus, sizeof out->focus, "%s", s->value);
    out->bits = s->bits;
    session_view_numbers(s, out);
    if (s->live)
        text_format(out->bits.input, sizeof out->bits.input, "%s", out->focus);
    out->update_valid = s->update_valid;
    out->update = s->update;
    if (!s->live && !s->delta) {
        text_format(out->update_lr, sizeof out->update_lr, "%s", s->lr);
        text_format(out->update_grad, sizeof out->update_grad, "%s", s->grad);
    }
    snprintf(out->kernels[0], sizeof out->kernels[0], "%s", s->bits_kernels);
    snprintf(out->kernels[1], sizeof out->kernels[1], "%s", s->update_kernels);
    snprintf(out->kernels[3], sizeof out->kernels[3], "%s", s->train_kernels);
}

static bool view_all(struct session *s, struct snapshot *out)
{
    if (!session_answer(s))
        return false;
    out->lane_count = s->lane_count;
    for (int i = 0; i < s->lane_count; i++)
        if (!view_lane(s, i, &out->lanes[i]))
            return false;
    session_view_watch_history(s, out);
    return session_view_watch(s, &out->watch) && session_view_scale(s, out) &&
           session_view_heat(s, &out->heat) && session_view_histogram(s, &out->tensor_histogram);
}

struct snapshot *session_snapshot(struct session *s)
{
    struct snapshot *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    struct position at = session_position(s);
    out->generation = ++s->generation;
    if (!s->failed && !view_all(s, out) && s->failed && session_rescue_at(s, at)) {
        memset(out, 0, sizeof *out);
        out->generation = s->generation;
        view_all(s, out);
    }
    view_setup(s, out);
    view_progress(s, out);
    view_focus(s, out);
    view_events(s, out);
    view_breaks(s, out);
    view_differences(s, out);
    out->tensor_count = trainer_tensor_count(s->lanes[0].trainer);
    for (int i = 0; i < out->tensor_count; i++)
        view_tensor(s, i, &out->tensors[i]);
    view_next(s, out);
    out->failed = s->failed;
    snprintf(out->message, sizeof out->message, "%s", s->message);
    out->message_is_error = s->message_is_error;
    return out;
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot);
}
