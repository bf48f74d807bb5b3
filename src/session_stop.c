/* session_stop.c: where in a step breakpoints stop.
 *
 * Steps are run whole, and conditions looked at behind them.  Where one came true the run goes back, and on by
 * phases to the end of the one in which it did: that far, and no further, the person has been.  What follows is
 * known all the same, and is told.
 *
 * The place of a condition in a step is a matter of that step alone, and only places behind the start of a way
 * end it: so nothing stops twice where it has stopped, and what comes later in the step still does.  Whoever
 * goes back and forwards again stops again, and that counts as another hit. */
#include "probe_text.h"
#include "session_internal.h"

enum { NO_PLACE = 0 }; /* no condition comes true before the first launch */

/* By breakpoint: how many launches of the step are done where it stops; NO_PLACE where it does not. */
struct places {
    int launch[BREAKPOINTS];
};

bool session_watches(const struct session *s)
{
    for (int i = 0; i < s->break_count; i++)
        if (s->breaks[i].enabled)
            return s->history.count > 0; /* without an image there is no way back into a step */
    return false;
}

/* ---- places ---- */

static int phase_end(const struct trainer *t, enum phase phase)
{
    int launch = 0;
    while (launch < trainer_launch_count(t) && trainer_launch_phase(t, launch) <= phase)
        launch++;
    return launch;
}

static struct position place(const struct session *s, int64_t step, int launch)
{
    if (launch < trainer_launch_count(s->lanes[0].trainer))
        return (struct position){step, launch};
    return (struct position){step + 1, 0};
}

/* Behind the step: which conditions came true in it, and the last phase in which each can have. */
static bool find_true(struct session *s, struct places *p)
{
    bool any = false;
    for (int i = 0; i < s->break_count && !s->failed; i++) {
        const struct breakpoint *b = &s->breaks[i];
        p->launch[i] = NO_PLACE;
        if (!b->enabled || !session_break_holds(s, b))
            continue;
        p->launch[i] = phase_end(s->lanes[0].trainer, session_break_phase(s, b));
        any = true;
    }
    return any && !s->failed;
}

static bool is_counted(const struct breakpoint *b)
{
    return b->kind == BREAK_OVERFLOW || b->kind == BREAK_NAN || b->kind == BREAK_UNDERFLOW;
}

/* What is counted as it is stored can have come true earlier: the step once more, phase by phase. */
static bool find_earlier(struct session *s, int64_t step, struct places *p)
{
    struct trainer *t = s->lanes[0].trainer;
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    int last = 0;
    for (int i = 0; i < s->break_count; i++)
        if (is_counted(&s->breaks[i]) && p->launch[i] > last)
            last = p->launch[i];
    if (last == 0)
        return true;
    if (!session_return(s, (struct position){step, 0}))
        return false;
    for (int launch = 1; launch < last; launch++) {
        if (!session_into(s))
            return false;
        if (trainer_launch_phase(t, launch) == trainer_launch_phase(t, launch - 1))
            continue;
        if (!trainer_read_counts(t, counts))
            return session_fail(s);
        for (int i = 0; i < s->break_count; i++)
            if (p->launch[i] > launch && session_break_stored(&s->breaks[i], t, counts))
                p->launch[i] = launch;
    }
    return true;
}

/* ---- stopping ---- */

/* The breakpoint that comes first behind `from` and not behind `to`; -1 if there is none. */
static int first_hit(const struct session *s, int64_t step, const struct places *p, struct position from,
                     struct position to)
{
    int first = -1;
    for (int i = 0; i < s->break_count; i++) {
        struct position at = place(s, step, p->launch[i]);
        if (p->launch[i] != NO_PLACE && position_order(at, from) > 0 && position_order(at, to) <= 0 &&
            (first < 0 || p->launch[i] < p->launch[first]))
            first = i;
    }
    return first;
}

/* The run stands at the place: it is a stop. */
static void stop_here(struct session *s, int64_t step, const struct places *p, int first)
{
    const struct breakpoint *b = &s->breaks[first];
    int launch = p->launch[first];
    for (int i = 0; i < s->break_count; i++)
        s->breaks[i].hits += p->launch[i] == launch;
    s->why_at = session_position(s);
    s->stopped = true;
    s->running = false;
    s->hit = b->kind;
    s->hit_step = step;
    text_format(s->hit_tensor, sizeof s->hit_tensor, "%s", b->kind == BREAK_UNDERFLOW ? b->name : "");
    if (session_in_step(s))
        text_format(s->message, sizeof s->message, "break %s in step %lld, after %s: %s", b->text,
                    (long long)step + 1, phase_name(trainer_launch_phase(s->lanes[0].trainer, launch - 1)),
                    s->why);
    else
        text_format(s->message, sizeof s->message, "break %s at step %lld: %s", b->text, (long long)step + 1,
                    s->why);
    s->message_is_error = false;
}

/* To a place of the step that was run to its end, wherever the run stands now. */
static bool stand(struct session *s, struct position at)
{
    return position_order(session_position(s), at) == 0 || session_return(s, at);
}

static bool look_and_stop(struct session *s, struct position from, struct position to, int *hit,
                          struct places *p)
{
    int64_t step = session_position(s).step;
    struct position end = {step + 1, 0};
    *hit = -1;
    if (!session_whole_step(s))
        return false;
    to = position_order(to, end) < 0 ? to : end;
    if (position_order(end, from) > 0 && find_true(s, p)) {
        s->hit_after = s->lanes[0].state;
        if (!find_earlier(s, step, p))
            return false;
        *hit = first_hit(s, step, p, from, to);
    }
    if (*hit >= 0) {
        if (!stand(s, end))
            return false;
        session_break_why(s, &s->breaks[*hit], p->launch[*hit], s->why, sizeof s->why);
        to = place(s, step, p->launch[*hit]);
    }
    return !s->failed && stand(s, to) && (!session_in_step(s) || session_lanes_refresh(s));
}

bool session_stop_in_step(struct session *s, struct position from, struct position to)
{
    struct places places;
    int64_t step = session_position(s).step;
    int hit;
    s->looking = true;
    if (!look_and_stop(s, from, to, &hit, &places))
        return false;
    s->looking = false;
    if (hit >= 0)
        stop_here(s, step, &places, hit);
    return true;
}
