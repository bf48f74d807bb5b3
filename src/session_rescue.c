/* session_rescue.c: when a device fails, the cpu goes on from the last whole step, with the same bits. */
#include "probe_text.h"
#include "session_internal.h"
#include <string.h>

/* The same lanes on the cpu, at step 0 as they began; their accounts stay. */
static bool lanes_on_cpu(struct session *s, struct device *cpu, struct trainer **made)
{
    char error[DEVICE_TEXT];
    for (int i = 0; i < s->lane_count; i++) {
        struct trainer_config c = *trainer_config(s->lanes[i].trainer);
        made[i] = trainer_create(cpu, &c, error);
        if (made[i])
            continue;
        while (i > 0)
            trainer_free(made[--i]);
        return false;
    }
    return true;
}

static void take_over(struct session *s, struct device *cpu, struct trainer **made)
{
    for (int i = 0; i < s->lane_count; i++) {
        trainer_free(s->lanes[i].trainer);
        s->lanes[i].trainer = made[i];
        s->lanes[i].device = cpu;
    }
    session_scratch_free(s);
    device_close(s->device);
    while (s->other_count > 0)
        device_close(s->others[--s->other_count]);
    s->device = cpu;
    for (int i = 0; i < s->setup.more; i++)
        s->setup.lanes[i].device[0] = '\0';
}

void session_note_rescue(struct session *s)
{
    char text[TEXT_VALUE];
    text_format(text, sizeof text, "%s failed: on from here on the cpu", s->rescued_from);
    for (int i = 0; i < s->event_count; i++)
        if (strcmp(s->events[i].text, text) == 0)
            return;
    session_event(s, EVENT_NOTE, "%s", text);
}

bool session_rescue(struct session *s)
{
    struct trainer *made[SNAPSHOT_LANES];
    char error[DEVICE_TEXT], why[TEXT_VALUE];
    struct position to = {s->accounted, 0}, known = s->history.frontier;
    bool anew = s->history.count == 0; /* it failed before the image of the start was taken */
    if (s->rescued || s->way.asking || (anew && s->accounted > 0))
        return false;
    if (position_order(known, to) < 0) /* beyond that it has only looked */
        to = (struct position){known.step, 0};
    s->rescued = true;
    text_format(why, sizeof why, "%s", s->message);
    text_format(s->rescued_from, sizeof s->rescued_from, "%s", s->device->name);
    struct device *cpu = device_open("cpu", error);
    if (!cpu || !lanes_on_cpu(s, cpu, made)) {
        device_close(cpu);
        return false;
    }
    take_over(s, cpu, made);
    s->failed = false;
    if (anew)
        session_start_history(s);
    if (!session_scratch_make(s) || !session_scratch_grow(s, trainer_arena(made[0]).elements, error) ||
        s->failed || !session_return(s, to))
        return session_fail(s);
    text_format(s->device_text, sizeof s->device_text, "%.200s · in place of %s", cpu->description,
                s->rescued_from);
    session_note_rescue(s);
    text_format(s->message, sizeof s->message, "%.150s; on from step %lld on the cpu", why,
                (long long)to.step);
    s->message_is_error = true;
    s->running = s->was_running;
    s->bits_fresh = s->update_fresh = false;
    return true;
}

bool session_rescue_at(struct session *s, struct position at)
{
    bool stopped = s->stopped;
    char message[TEXT_VALUE];
    if (!session_rescue(s))
        return false;
    text_format(message, sizeof message, "%s", s->message);
    if (position_order(session_position(s), at) != 0 && !session_travel(s, at, false))
        return false;
    session_note_rescue(s);
    s->stopped = stopped;
    session_say(s, message, true);
    return true;
}
