/* session_events.c: what is kept of every step: totals, curves, and what happened. */
#include "probe_text.h"
#include "session_internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- curves ---- */

bool series_keeps(const struct series *c, int64_t step)
{
    return c->count == 0 || (step - c->first) % c->stride == 0;
}

void series_add(struct series *c, int64_t step, double value, bool mark)
{
    if (c->count == 0) {
        c->first = step;
        c->stride = 1;
    }
    if (!series_keeps(c, step)) { /* between two points: the next one carries the mark */
        c->pending = c->pending || mark;
        return;
    }
    if (c->count == SERIES_POINTS) {
        for (int i = 0; i < SERIES_POINTS / 2; i++) {
            c->value[i] = c->value[2 * i];
            c->mark[i] = c->mark[2 * i] || (i > 0 && c->mark[2 * i - 1]);
        }
        c->pending = c->pending || c->mark[SERIES_POINTS - 1];
        c->count = SERIES_POINTS / 2;
        c->stride *=
            2; /* the step is SERIES_POINTS x the old stride from the first: a point of the new one, too */
    }
    c->value[c->count] = (float)value;
    c->mark[c->count++] = mark || c->pending;
    c->pending = false;
}

/* ---- events ---- */

void session_event(struct session *s, enum event_kind kind, const char *format, ...)
{
    if (s->event_count == SNAPSHOT_EVENTS)
        memmove(&s->events[0], &s->events[1], sizeof s->events[0] * (size_t)--s->event_count);
    struct event *e = &s->events[s->event_count++];
    e->step = trainer_steps(s->lanes[0].trainer);
    e->kind = kind;
    va_list list;
    va_start(list, format);
    char text[2 * TEXT_VALUE];
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    text_format(e->text, sizeof e->text, "%s", text);
}

void session_forget(struct session *s)
{
    memset(&s->log2_scale, 0, sizeof s->log2_scale);
    memset(&s->told, 0, sizeof s->told);
    memset(s->differences, 0, sizeof s->differences);
    s->event_count = 0;
    s->overflow_tensor[0] = '\0';
    s->injected = false;
    s->why[0] = '\0';
    s->stopped = false;
    s->train_kernels[0] = '\0';
    if (s->live)
        s->bits_fresh = s->update_fresh = false;
}

/* Where the first infinity or NaN of the step was stored, and why. */
static void overflow_place(struct session *s, char *to, size_t size)
{
    struct incident in;
    bool exact = s->lanes[0].state.found_inf && !s->injected;
    text_format(to, size, "a gradient was not finite");
    if (!incident_in_place(s->lanes[0].trainer, INCIDENT_NOT_FINITE, NULL, exact, &in)) {
        session_fail(s);
        return;
    }
    if (!in.found)
        return;
    text_format(s->overflow_tensor, sizeof s->overflow_tensor, "%s", in.tensor);
    char text[TEXT_VALUE];
    incident_short(&in, text, sizeof text);
    text_format(to, size, "%s%s", s->injected ? "put in: " : "", text);
}

static uint64_t gradient_sum(const struct lane *lane, enum counter counter)
{
    uint64_t sum = 0;
    for (int i = 0; i < trainer_tensor_count(lane->trainer); i++)
        if (trainer_tensor(lane->trainer, i)->is_gradient_store)
            sum += lane->counts[i].word[counter];
    return sum;
}

static void tell_scale(struct session *s)
{
    const struct run_state *state = &s->lanes[0].state;
    char place[TEXT_VALUE], from[TEXT_SHORT], to[TEXT_SHORT];
    text_scale(from, sizeof from, state->used_scale);
    text_scale(to, sizeof to, state->scale);
    if (state->found_inf) {
        overflow_place(s, place, sizeof place);
        if (state->action == ACTION_BACKOFF)
            session_event(s, EVENT_OVERFLOW, "%s · step skipped, scale %s → %s", place, from, to);
        else
            session_event(s, EVENT_OVERFLOW, "%s · step skipped, scale stays %s", place, to);
    } else if (state->action == ACTION_GROW) {
        session_event(s, EVENT_GROWTH, "%d clean steps · scale %s → %s", (int)s->setup.scaler.window, from,
                      to);
    } else if (!s->told.unchecked_overflow && gradient_sum(&s->lanes[0], COUNTER_OVERFLOWED)) {
        s->told.unchecked_overflow = true;
        overflow_place(s, place, sizeof place);
        session_event(s, EVENT_OVERFLOW, "%s · nothing checks for it, the update takes it", place);
    }
}

/* Tensors that lose values to zero for the first time; one event a step names them. */
static void tell_flushed(struct session *s)
{
    const struct lane *lane = &s->lanes[0];
    const char *first = NULL;
    uint32_t lost = 0;
    int more = 0;
    for (int i = 0; i < trainer_tensor_count(lane->trainer); i++) {
        uint32_t flushed = lane->counts[i].word[COUNTER_FLUSHED];
        if (!flushed || s->told.flushed[i])
            continue;
        s->told.flushed[i] = true;
        if (first) {
            more++;
            continue;
        }
        first = trainer_tensor(lane->trainer, i)->name;
        lost = flushed;
    }
    if (first && more)
        session_event(s, EVENT_FLUSHED, "%s: %u nonzero values became 0, and in %d more tensor%s", first,
                      lost, more, more > 1 ? "s" : "");
    else if (first)
        session_event(s, EVENT_FLUSHED, "%s: %u nonzero value%s became 0", first, lost, lost > 1 ? "s" : "");
}

static void tell_updates(struct session *s)
{
    const struct lane *lane = &s->lanes[0];
    if (lane->lost && lane->lost == lane->updates && !s->told.lost_all) {
        s->told.lost_all = s->told.lost_some = true;
        session_event(s, EVENT_LOST, "all %llu updates left their weights as they were",
                      (unsigned long long)lane->updates);
    } else if (lane->lost && !s->told.lost_some) {
        s->told.lost_some = true;
        session_event(s, EVENT_LOST, "%llu of %llu updates left their weights as they were",
                      (unsigned long long)lane->lost, (unsigned long long)lane->updates);
    }
    if (isnan(lane->state.loss) && !s->told.nan_loss) {
        s->told.nan_loss = true;
        session_event(s, EVENT_NAN, "the loss is NaN");
    }
}

static void lane_account(struct lane *lane)
{
    int64_t step = trainer_steps(lane->trainer);
    lane->updates = lane->lost = 0;
    for (int i = 0; i < trainer_tensor_count(lane->trainer); i++) {
        lane->updates += lane->counts[i].word[COUNTER_UPDATED];
        lane->lost += lane->counts[i].word[COUNTER_LOST];
    }
    lane->updates_total += lane->updates;
    lane->lost_total += lane->lost;
    lane->skipped += lane->state.found_inf != 0;
    if (step == 1)
        lane->first_loss = lane->state.loss;
    series_add(&lane->loss_curve, step, (double)lane->state.loss, lane->state.found_inf != 0);
}

void session_after_step(struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        lane_account(&s->lanes[i]);
    if (!session_add_timelines(s))
        return;
    const struct run_state *state = &s->lanes[0].state;
    series_add(&s->log2_scale, trainer_steps(s->lanes[0].trainer), log2((double)state->used_scale),
               state->found_inf != 0);
    session_differences(s);
    tell_flushed(s);
    tell_scale(s);
    tell_updates(s);
    s->injected = false;
}
