/* session_move.c: through a run, forwards and backwards.
 *
 * Where the run is decides everything: going back restores the nearest image and computes the rest again,
 * with the commands that changed the run at their places.  The last step before the place is always computed,
 * never restored, so that activations, counters and accounts are those of the first visit. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdlib.h>
#include <string.h>

/* ---- places ---- */

struct position session_position(const struct session *s)
{
    const struct trainer *t = s->lanes[0].trainer;
    return (struct position){trainer_steps(t), trainer_next_launch(t)};
}

bool session_in_step_of(const struct lane *lane)
{
    return trainer_next_launch(lane->trainer) != 0;
}

bool session_in_step(const struct session *s)
{
    return session_in_step_of(&s->lanes[0]);
}

bool session_reached(const struct lane *lane, enum phase p)
{
    if (session_in_step_of(lane))
        return trainer_next_phase(lane->trainer) > p;
    return trainer_steps(lane->trainer) > 0;
}

struct position session_phase_end(const struct session *s)
{
    const struct trainer *t = s->lanes[0].trainer;
    struct position p = session_position(s);
    enum phase phase = trainer_next_phase(t);
    while (p.launch < trainer_launch_count(t) && trainer_launch_phase(t, p.launch) == phase)
        p.launch++;
    return p.launch < trainer_launch_count(t) ? p : (struct position){p.step + 1, 0};
}

struct position session_phase_start(const struct session *s)
{
    const struct trainer *t = s->lanes[0].trainer;
    struct position p = session_position(s);
    if (p.launch == 0 && p.step > 0)
        p = (struct position){p.step - 1, trainer_launch_count(t)};
    enum phase phase = trainer_launch_phase(t, p.launch > 0 ? p.launch - 1 : 0);
    while (p.launch > 0 && trainer_launch_phase(t, p.launch - 1) == phase)
        p.launch--;
    return p;
}

/* ---- accounts ---- */

static struct ledger *ledger_take(const struct session *s)
{
    struct ledger *l = malloc(sizeof *l + (size_t)s->lane_count * sizeof *s->lanes);
    if (!l)
        return NULL;
    l->told = s->told;
    memcpy(l->differences, s->differences, sizeof l->differences);
    memcpy(l->overflow_tensor, s->overflow_tensor, sizeof l->overflow_tensor);
    l->event_count = s->event_count;
    memcpy(l->events, s->events, (size_t)s->event_count * sizeof *s->events);
    l->log2_scale = s->log2_scale;
    l->lr = s->setup.lr;
    memcpy(l->lr_text, s->setup.lr_text, sizeof l->lr_text);
    l->lane_count = s->lane_count;
    memcpy(l->lanes, s->lanes, (size_t)s->lane_count * sizeof *s->lanes);
    return l;
}

static void ledger_put(struct session *s, const struct ledger *l)
{
    s->told = l->told;
    memcpy(s->differences, l->differences, sizeof l->differences);
    memcpy(s->overflow_tensor, l->overflow_tensor, sizeof l->overflow_tensor);
    s->event_count = l->event_count;
    memcpy(s->events, l->events, (size_t)l->event_count * sizeof *s->events);
    s->log2_scale = l->log2_scale;
    s->setup.lr = l->lr;
    memcpy(s->setup.lr_text, l->lr_text, sizeof l->lr_text);
    for (int i = 0; i < l->lane_count; i++) {
        struct trainer *trainer = s->lanes[i].trainer;
        struct device *device = s->lanes[i].device;
        s->lanes[i] = l->lanes[i];
        s->lanes[i].trainer = trainer;
        s->lanes[i].device = device;
    }
}

static void drop_images(struct checkpoint *c)
{
    for (int i = 0; i < HISTORY_LANES; i++) {
        free(c->lanes[i]);
        c->lanes[i] = NULL;
    }
}

/* An image of every lane, and from it what lanes show of their last launches: one download a lane for all. */
static bool take_images(struct session *s, struct checkpoint *c)
{
    *c = (struct checkpoint){.step = session_position(s).step};
    c->bytes = sizeof(struct ledger) + (size_t)s->lane_count * sizeof(struct lane);
    for (int i = 0; i < s->lane_count; i++) {
        struct lane *lane = &s->lanes[i];
        c->lanes[i] = trainer_save(lane->trainer);
        if (!c->lanes[i]) {
            drop_images(c);
            return false;
        }
        c->bytes += c->lanes[i]->bytes;
        trainer_image_read(lane->trainer, c->lanes[i], &lane->state, lane->counts);
    }
    return true;
}

/* Without memory for it there is no checkpoint here: going back takes longer then. */
static void keep_images(struct session *s, struct checkpoint *c)
{
    c->ledger = ledger_take(s);
    if (c->ledger)
        history_add(&s->history, c);
    else
        drop_images(c);
}

void session_start_history(struct session *s)
{
    history_clear(&s->history);
    s->future.behind = false;
    s->accounted = 0;
    s->last_launch = -1;
    struct checkpoint c;
    if (take_images(s, &c))
        keep_images(s, &c);
    else if (*device_error(s->device))
        session_fail(s);
}

/* ---- forwards ---- */

bool session_lanes_refresh(struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_read_state(s->lanes[i].trainer, &s->lanes[i].state) ||
            !trainer_read_counts(s->lanes[i].trainer, s->lanes[i].counts))
            return session_fail(s);
    return true;
}

/* Repeats the commands that were given at this place. */
static bool repeat_changes(struct session *s)
{
    const struct change *c;
    char error[160];
    while ((c = history_due(&s->history, session_position(s)))) {
        s->history.applied++;
        if (!session_apply(s, c->command, c->argument, error) && s->failed)
            return false;
    }
    return true;
}

/* The run has got to the end of a step. */
static bool arrive(struct session *s)
{
    struct checkpoint c;
    bool is_new =
        !s->history.off && !history_has(&s->history, session_position(s).step) && take_images(s, &c);
    if (!is_new && !session_lanes_refresh(s))
        return false;
    s->accounted = session_position(s).step;
    session_after_step(s);
    if (is_new && s->failed) /* these accounts are not whole */
        drop_images(&c);
    else if (is_new)
        keep_images(s, &c);
    return !s->failed;
}

/* How many launches of its next phase a lane has done. */
static int done_in_phase(const struct trainer *t)
{
    int done = 0;
    for (int i = trainer_next_launch(t); i > 0 && trainer_launch_phase(t, i - 1) == trainer_next_phase(t);
         i--)
        done++;
    return done;
}

/* The other lanes, as far as lane 0 has got: its phase, and in that phase as many launches. */
static bool follow(struct session *s)
{
    const struct trainer *first = s->lanes[0].trainer;
    bool done = trainer_next_launch(first) == 0;
    enum phase phase = trainer_next_phase(first);
    int launches = done_in_phase(first);
    for (int i = 1; i < s->lane_count; i++) {
        struct trainer *t = s->lanes[i].trainer;
        while (trainer_steps(t) < trainer_steps(first) ||
               (!done && (trainer_next_phase(t) < phase ||
                          (trainer_next_phase(t) == phase && done_in_phase(t) < launches))))
            if (!trainer_launch(t))
                return session_fail(s);
    }
    return true;
}

bool session_into(struct session *s)
{
    s->last_launch = trainer_next_launch(s->lanes[0].trainer);
    if (!trainer_launch(s->lanes[0].trainer))
        return session_fail(s);
    if (!follow(s))
        return false;
    if (!session_in_step(s) && !arrive(s))
        return false;
    return repeat_changes(s);
}

bool session_whole_step(struct session *s)
{
    struct position p = session_position(s);
    if (p.launch > 0 || history_waits(&s->history, p.step)) {
        do
            if (!session_into(s))
                return false;
        while (session_in_step(s));
        return true;
    }
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_step(s->lanes[i].trainer))
            return session_fail(s);
    s->last_launch = trainer_launch_count(s->lanes[0].trainer) - 1;
    return arrive(s) && repeat_changes(s);
}

static void reach_frontier(struct session *s)
{
    if (s->looking || position_order(session_position(s), s->history.frontier) < 0)
        return;
    s->history.frontier = session_position(s);
    s->future.behind = false;
}

/* Between two steps, whoever turns the session may want to show how far it is, or to end the way here. */
static bool goes_on(struct session *s, struct position to)
{
    struct way *w = &s->way;
    if (!w->ask || w->asking || s->looking || session_in_step(s))
        return true;
    if (s->live)
        s->bits_fresh = s->update_fresh = false;
    w->asking = true;
    w->cut = w->cut || !w->ask(w->context, session_position(s).step, w->goal ? w->goal : to.step);
    w->asking = false;
    return !w->cut && !s->failed;
}

/* `from`: where the way began, if breakpoints may end it; or NULL. */
static bool forward(struct session *s, struct position to, const struct position *from)
{
    while (position_order(session_position(s), to) < 0) {
        if (!goes_on(s, to))
            return false;
        memcpy(s->launches_before, s->device->launches, sizeof s->launches_before);
        bool ok = from && session_watches(s)           ? session_stop_in_step(s, *from, to)
                  : session_position(s).step < to.step ? session_whole_step(s)
                                                       : session_into(s);
        if (!ok)
            return false;
        reach_frontier(s);
        if (from && s->stopped)
            return true;
    }
    return true;
}

/* ---- backwards ---- */

static void remember_future(struct session *s)
{
    if (s->future.behind || s->looking)
        return;
    s->future.behind = true;
    s->future.log2_scale = s->log2_scale;
    for (int i = 0; i < s->lane_count; i++) {
        s->future.loss[i] = s->lanes[i].loss_curve;
        memcpy(s->future.timelines[i], s->lanes[i].timelines, sizeof s->future.timelines[i]);
    }
}

/* The image from which a place is computed again: a step earlier at least. */
static bool back(struct session *s, struct position to)
{
    const struct checkpoint *c = history_find(&s->history, to.step > 0 ? to.step - 1 : 0);
    if (!c)
        return false;
    remember_future(s);
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_restore(s->lanes[i].trainer, c->lanes[i]))
            return session_fail(s);
    ledger_put(s, c->ledger);
    s->accounted = c->step;
    s->last_launch = c->step > 0 ? trainer_launch_count(s->lanes[0].trainer) - 1 : -1;
    history_rewind(&s->history, c->step);
    s->injected = false;
    return session_lanes_refresh(s) && repeat_changes(s);
}

/* Whether an image that is on the way saves some of it. */
static bool has_shortcut(const struct session *s, struct position to)
{
    const struct checkpoint *c = history_find(&s->history, to.step > 0 ? to.step - 1 : 0);
    return c && c->step > session_position(s).step;
}

static bool travel(struct session *s, struct position to, const struct position *from)
{
    bool backwards = position_order(to, session_position(s)) < 0;
    bool ok = !(backwards || (!from && has_shortcut(s, to))) || back(s, to);
    ok = ok && forward(s, to, from);
    s->looking = false;
    if (ok && session_in_step(s) && !s->stopped) /* a stop has looked at all */
        ok = session_lanes_refresh(s);
    return ok;
}

bool session_return(struct session *s, struct position to)
{
    return back(s, to) && forward(s, to, NULL);
}

/* The way once more, on the cpu; breakpoints up to its start are not met again. */
static bool travel_rescued(struct session *s, struct position to, const struct position *from)
{
    char message[TEXT_VALUE];
    if (!session_rescue(s))
        return false;
    text_format(message, sizeof message, "%s", s->message);
    if (!travel(s, to, from))
        return false;
    session_note_rescue(s);        /* going back in the run has taken that with it */
    session_say(s, message, true); /* where it stopped, if it did, is told by the why line */
    return true;
}

bool session_travel(struct session *s, struct position to, bool stops)
{
    struct position from = session_position(s);
    if (s->failed)
        return false;
    s->stopped = false;
    bool ok = travel(s, to, stops ? &from : NULL);
    if (!ok && s->failed)
        ok = travel_rescued(s, to, stops ? &from : NULL);
    if (!ok && s->way.cut && !s->failed) {
        text_format(s->message, sizeof s->message, "stopped at step %lld, on the way to step %lld",
                    (long long)session_position(s).step, (long long)to.step);
        ok = true;
    }
    if (!ok)
        return false;
    text_kernels(s->train_kernels, sizeof s->train_kernels, s->device, s->launches_before);
    if (s->live)
        s->bits_fresh = s->update_fresh = false;
    return true;
}

bool session_phase(struct session *s)
{
    return !s->failed && session_travel(s, session_phase_end(s), true);
}

bool session_advance(struct session *s, long steps)
{
    struct position to = {session_position(s).step + steps, 0};
    return !s->failed && (steps <= 0 || session_travel(s, to, true));
}
