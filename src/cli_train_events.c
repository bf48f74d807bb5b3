/* cli_train_events.c: what happened in a step, and why, for `train --json`.
 *
 * The step is made again from its start where a number must be found: the digests go on as they were. */
#include "cli_train.h"
#include "incident.h"
#include "probe_text.h"
#include "scaler.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool train_events_begin(struct train_run *r)
{
    if (!cli_flag(r->c, "--json"))
        return true;
    r->events = r->events ? r->events : json_array();
    for (int i = 0; i < r->order->lane_count; i++)
        if (!r->lanes[i].start && !(r->lanes[i].start = trainer_save(r->lanes[i].trainer)))
            return false;
    return r->events != NULL;
}

static bool rewind_step(void *context)
{
    struct train_lane *lane = context;
    return trainer_restore(lane->trainer, lane->start);
}

static bool launch(void *context)
{
    return trainer_launch(((struct train_lane *)context)->trainer);
}

static bool find(struct train_lane *lane, enum incident_kind kind, const char *tensor, struct incident *in)
{
    struct incident_walk walk = {lane, rewind_step, launch};
    struct trainer *t = lane->trainer;
    if (kind == INCIDENT_LOST) /* the end of the step tells */
        return incident_lost(t, in);
    return incident_find(t, &walk, kind, tensor, trainer_launch_count(t), in) &&
           (trainer_next_launch(t) == 0 || trainer_step(t)); /* and on to the end of the step */
}

enum { EVENTS_MAX = 1000 }; /* between two lines */

/* Every event says its step: with --every K a line brings those of K steps. */
static void append(struct train_run *r, json_t *event)
{
    json_object_set_new(event, "step", json_integer(trainer_steps(r->lanes[0].trainer)));
    if (json_array_size(r->events) < EVENTS_MAX)
        json_array_append_new(r->events, event);
    else
        json_decref(event);
}

static void add(struct train_run *r, int lane, const char *event, const char *why)
{
    append(r, json_pack("{s:i,s:s,s:s}", "lane", lane, "event", event, "why", why));
}

static const char *event_name(const struct incident *in)
{
    return in->kind == INCIDENT_FLUSHED                           ? "underflow"
           : in->kind == INCIDENT_LOST                            ? "lost"
           : format_trailing(&format_table[in->format], in->bits) ? "nan"
                                                                  : "overflow";
}

static bool add_incident(struct train_run *r, int index, enum incident_kind kind, const char *tensor)
{
    struct train_lane *lane = &r->lanes[index];
    struct incident in;
    struct run_state after;
    char why[TEXT_LINE], phase[16];
    if (!find(lane, kind, tensor, &in) || !trainer_read_state(lane->trainer, &after))
        return false;
    if (!in.found)
        return true;
    incident_text(&in, why, sizeof why);
    incident_outcome(&after, OUTCOME_PAST, why, sizeof why);
    if (kind == INCIDENT_LOST)
        text_append(why, sizeof why, "; %llu of %llu updates left their weights as they were",
                    (unsigned long long)lane->report.lost, (unsigned long long)lane->report.updates);
    const struct format *f = &format_table[in.format];
    text_format(phase, sizeof phase, "%s", phase_name(in.phase));
    json_t *e = json_pack("{s:i,s:s,s:s,s:s,s:[I,I],s:o,s:s}", "lane", index, "event", event_name(&in),
                          "phase", phase, "tensor", in.tensor, "index", (json_int_t)in.row,
                          (json_int_t)in.col, "bits", report_bits(f, in.bits), "why", why);
    uint32_t before;
    memcpy(&before, &in.before, sizeof before);
    if (e && in.has_before)
        json_object_set_new(e, "before", report_bits_value(&format_table[FORMAT_FP32], before));
    append(r, e);
    return e != NULL;
}

static void add_scale(struct train_run *r, int index, const struct run_state *state)
{
    char why[TEXT_VALUE];
    if (state->action != ACTION_GROW && state->action != ACTION_BACKOFF)
        return;
    text_format(why, sizeof why, "scale %.9g → %.9g (%s)", (double)state->used_scale, (double)state->scale,
                scaler_action_name(state->action));
    add(r, index, "scale", why);
}

/* Of every tensor, once a run, the first value that became 0; in the order in which the step stores them. */
static bool add_flushed(struct train_run *r, int index)
{
    struct train_lane *lane = &r->lanes[index];
    struct trainer *t = lane->trainer;
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    int outputs[TRAINER_MAX_TENSORS];
    if (!trainer_read_counts(t, counts))
        return false;
    for (int l = 0; l < trainer_launch_count(t); l++) {
        int n = trace_outputs(t, l, outputs);
        for (int i = 0; i < n; i++) {
            int x = outputs[i];
            if (!counts[x].word[COUNTER_FLUSHED] || lane->told.flushed[x])
                continue;
            lane->told.flushed[x] = true;
            if (!add_incident(r, index, INCIDENT_FLUSHED, trainer_tensor(t, x)->name))
                return false;
        }
    }
    return true;
}

/* Infinities of the optimizer are in no counter of gradients: the image of the step's end shows them. */
static bool lane_events(struct train_run *r, int index, const struct trainer_image *after)
{
    struct train_lane *lane = &r->lanes[index];
    const struct trainer_report *report = &lane->report;
    struct run_state state;
    bool not_finite = report->overflow || report->overflowed || report->nan || isnan(report->loss) ||
                      (!lane->told.not_finite && incident_in_image(lane->trainer, after));
    if (!trainer_read_state(lane->trainer, &state))
        return false;
    if (not_finite && (report->overflow || !lane->told.not_finite)) {
        if (!add_incident(r, index, INCIDENT_NOT_FINITE, NULL))
            return false;
        lane->told.not_finite = true;
    }
    if (!add_flushed(r, index))
        return false;
    if (report->lost && !lane->told.lost) {
        lane->told.lost = true;
        if (!add_incident(r, index, INCIDENT_LOST, NULL))
            return false;
    }
    add_scale(r, index, &state);
    return true;
}

static void difference_events(struct train_run *r, int64_t step)
{
    for (int b = 1; b < r->order->lane_count; b++)
        for (int a = 0; a < b; a++) {
            const struct difference *d = &r->differences[b * (b - 1) / 2 + a];
            if (!d->found || d->step != step)
                continue;
            json_t *e = train_difference_json(d);
            json_object_set_new(e, "event", json_string("difference"));
            json_object_set_new(e, "lanes", json_pack("[i,i]", a, b));
            append(r, e);
        }
}

bool train_events_end(struct train_run *r, int64_t step)
{
    if (!r->events)
        return true;
    for (int i = 0; i < r->order->lane_count; i++) {
        struct trainer_image *after = trainer_save(r->lanes[i].trainer);
        bool ok = after && lane_events(r, i, after);
        free(r->lanes[i].start);
        r->lanes[i].start = after;
        if (!ok)
            return false;
    }
    difference_events(r, step);
    return true;
}
