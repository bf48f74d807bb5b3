/* session_why.c: where in the run a number first went wrong. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- a step once more, launch by launch ---- */

struct again {
    struct session *s;
    int64_t step; /* whole steps done at its start */
};

static bool rewind_step(void *context)
{
    struct again *a = context;
    return session_return(a->s, (struct position){a->step, 0});
}

static bool launch(void *context)
{
    return session_into(((struct again *)context)->s);
}

static bool find_in_step(struct session *s, int64_t step, int launches, enum incident_kind kind,
                         const char *tensor, struct incident *out)
{
    struct again a = {s, step};
    struct incident_walk walk = {&a, rewind_step, launch};
    return incident_find(s->lanes[0].trainer, &walk, kind, tensor, launches, out);
}

/* Whether a command put something in, in the step that begins at `step` and before that launch was done. */
static bool by_hand(const struct session *s, int64_t step, int launch_done)
{
    for (int i = 0; i < s->history.applied; i++) {
        const struct change *c = &s->history.changes[i];
        if (c->command != COMMAND_LR && c->at.step == step && c->at.launch <= launch_done + 1)
            return true;
    }
    return false;
}

static void say_why(struct session *s, struct incident *in, const struct run_state *after,
                    enum incident_tense tense, char *to, size_t size)
{
    char text[TEXT_LINE];
    if (!in->found) {
        text_format(to, size,
                    after && after->found_inf ? "put in by hand" : "nothing of that kind is left to see");
        if (after)
            incident_outcome(after, tense, to, size);
        return;
    }
    bool hand = by_hand(s, in->step - 1, in->launch);
    if (hand && in->has_before && in->kind == INCIDENT_NOT_FINITE && in->before - in->before == 0)
        in->has_before = false; /* what the launch stored was overwritten */
    incident_text(in, text, sizeof text);
    text_format(to, size, "%s%s", hand ? "after a change by hand: " : "", text);
    if (after)
        incident_outcome(after, tense, to, size);
}

bool session_why_here(struct session *s, enum incident_kind kind, const char *tensor,
                      enum incident_tense tense, char *to, size_t size)
{
    struct incident in;
    struct run_state after = s->lanes[0].state;
    struct position at = session_position(s);
    int launches = trainer_launch_count(s->lanes[0].trainer);
    *to = '\0';
    if (after.found_inf && kind == INCIDENT_NOT_FINITE) { /* skipped: all is as its launches found it */
        bool exact = !by_hand(s, at.step - 1, launches);
        if (!incident_in_place(s->lanes[0].trainer, kind, tensor, exact, &in))
            return session_fail(s);
    } else if (!find_in_step(s, at.step - 1, launches, kind, tensor, &in) || !session_return(s, at)) {
        return false;
    }
    say_why(s, &in, &after, tense, to, size);
    return true;
}

/* ---- the first cause ---- */

/* As the run got to the step that it stands at, before commands given there. */
static bool came_clean(struct session *s, bool *clean)
{
    struct trainer *t = s->lanes[0].trainer;
    const struct checkpoint *c = history_find(&s->history, session_position(s).step);
    if (c && c->step == session_position(s).step) {
        *clean = !incident_in_image(t, c->lanes[0]);
        return true;
    }
    struct trainer_image *image = trainer_save(t);
    if (!image)
        return session_fail(s);
    *clean = !incident_in_image(t, image);
    free(image);
    return true;
}

/* The step, up to `step`, at whose start weights and optimizer state were whole for the last time. */
static bool last_clean_start(struct session *s, int64_t step, int64_t *clean)
{
    const struct trainer *t = s->lanes[0].trainer;
    const struct checkpoint *c = history_find(&s->history, step);
    while (c && c->step > 0 && incident_in_image(t, c->lanes[0]))
        c = history_find(&s->history, c->step - 1);
    if (!c)
        return false;
    *clean = c->step;
    if (!session_return(s, (struct position){c->step, 0}))
        return false;
    for (int64_t next = *clean + 1; next <= step; next++) {
        bool is_clean = false;
        if (!session_travel(s, (struct position){next, 0}, false) || !came_clean(s, &is_clean))
            return false;
        if (!is_clean)
            return true;
        *clean = next;
    }
    return true;
}

/* What the person asks about: the step that is shown, or the last one that an event tells of. */
struct question {
    int64_t step; /* whole steps done at its start */
    int launches;
    enum incident_kind kind;
    const char *tensor;
};

static bool any_flushed(const struct session *s)
{
    for (int i = 0; i < trainer_tensor_count(s->lanes[0].trainer); i++)
        if (s->lanes[0].counts[i].word[COUNTER_FLUSHED])
            return true;
    return false;
}

static bool from_events(const struct session *s, struct question *q)
{
    for (int i = s->event_count - 1; i >= 0; i--) {
        const struct event *e = &s->events[i];
        if ((e->kind != EVENT_OVERFLOW && e->kind != EVENT_NAN) || e->step > session_position(s).step)
            continue;
        q->step = e->step - 1;
        q->launches = trainer_launch_count(s->lanes[0].trainer);
        q->kind = INCIDENT_NOT_FINITE;
        return true;
    }
    return false;
}

static bool ask(struct session *s, struct question *q, char *error)
{
    struct trainer *t = s->lanes[0].trainer;
    struct position at = session_position(s);
    bool there = false;
    *q = (struct question){.step = at.launch ? at.step : at.step - 1,
                           .launches = at.launch ? at.launch : trainer_launch_count(t)};
    if (at.step > 0 || at.launch > 0) {
        if (!incident_is_there(t, q->launches, &there)) {
            session_fail(s);
            return session_device_failed(s, error);
        }
        bool asked = s->stopped && s->hit == BREAK_UNDERFLOW;
        if (there && !asked)
            return true;
        if (asked) {
            q->kind = INCIDENT_FLUSHED;
            q->tensor = *s->hit_tensor ? s->hit_tensor : NULL;
            return true;
        }
        if (from_events(s, q))
            return true;
        q->kind = INCIDENT_FLUSHED;
        if (any_flushed(s))
            return true;
    }
    return session_refuse(error, "nothing went wrong up to here: no infinity, no NaN, nothing flushed to 0");
}

bool session_why_command(struct session *s, const char *argument, char *error)
{
    struct question q;
    struct incident in;
    struct position at = session_position(s);
    struct run_state after = s->lanes[0].state;
    (void)argument;
    s->running = false;
    if (!ask(s, &q, error))
        return false;
    int64_t step = q.step;
    bool ok = q.kind == INCIDENT_FLUSHED || last_clean_start(s, q.step, &step);
    int launches = step == q.step ? q.launches : trainer_launch_count(s->lanes[0].trainer);
    ok = ok && find_in_step(s, step, launches, q.kind, q.tensor, &in) && session_lanes_refresh(s);
    if (!ok)
        return session_went(s, false, error);
    bool whole = step == at.step - 1 && at.launch == 0; /* the step that was shown, at its end */
    bool known = at.launch && s->stopped && s->hit_step == at.step && step == at.step;
    after = known ? s->hit_after : after;
    say_why(s, &in, whole || known ? &after : NULL, known ? OUTCOME_AHEAD : OUTCOME_PAST, s->why,
            sizeof s->why);
    s->why_at = session_position(s);
    s->bits_fresh = s->update_fresh = false;
    text_format(s->message, sizeof s->message, "%s", s->why);
    return true;
}
