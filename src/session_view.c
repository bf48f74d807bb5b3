/* session_view.c: a snapshot of everything that panels show. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lanes ---- */

static bool view_lane(struct session *s, int index, struct lane_view *v)
{
    struct lane *lane = &s->lanes[index];
    double share, norm;
    text_format(v->recipe, sizeof v->recipe, "%s", lane->name);
    v->loss_curve = lane->loss_curve;
    text_share(v->lost, sizeof v->lost, lane->lost, lane->updates);
    text_share(v->lost_total, sizeof v->lost_total, lane->lost_total, lane->updates_total);
    text_format(v->loss, sizeof v->loss, "–");
    text_format(v->accuracy, sizeof v->accuracy, "–");
    if (trainer_steps(lane->trainer) > 0 || session_reached(lane, PHASE_LOSS)) {
        text_float(v->loss, sizeof v->loss, lane->state.loss, 6);
        if (!trainer_accuracy(lane->trainer, &share))
            return session_fail(s);
        text_format(v->accuracy, sizeof v->accuracy, "%.3f", share);
    }
    if (session_drift(s, index, &norm))
        text_double(v->drift, sizeof v->drift, norm, 4);
    return !s->failed;
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

static void view_tensor(const struct lane *lane, int index, struct tensor_row *row)
{
    const struct tensor *x = trainer_tensor(lane->trainer, index);
    enum phase phase = store_phase(lane, x);
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
    row->touched = phase != PHASE_COUNT && session_reached(lane, phase);
    if (row->touched)
        fill_counts(lane, x, row);
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
    return session_view_watch(s, &out->watch) && session_view_scale(s, out);
}

struct snapshot *session_snapshot(struct session *s)
{
    struct snapshot *out = calloc(1, sizeof *out);
    if (!out)
        return NULL;
    out->generation = ++s->generation;
    if (!s->failed)
        view_all(s, out);
    view_setup(s, out);
    view_progress(s, out);
    view_focus(s, out);
    view_events(s, out);
    out->tensor_count = trainer_tensor_count(s->lanes[0].trainer);
    for (int i = 0; i < out->tensor_count; i++)
        view_tensor(&s->lanes[0], i, &out->tensors[i]);
    out->failed = s->failed;
    snprintf(out->message, sizeof out->message, "%s", s->message);
    out->message_is_error = s->message_is_error;
    return out;
}

void snapshot_free(struct snapshot *snapshot)
{
    free(snapshot);
}
