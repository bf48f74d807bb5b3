/* session_debug.c: the debugger's rows of the table of commands. */
#include "probe_text.h"
#include "session_internal.h"
#include <string.h>

bool session_went(struct session *s, bool ok, char *error)
{
    if (ok)
        return true;
    if (s->failed)
        return session_device_failed(s, error);
    if (s->way.cut)
        return session_refuse(error, "stopped on the way, at step %lld", (long long)session_position(s).step);
    return session_refuse(error, "there is no way back: no memory was left to remember it");
}

static bool travel(struct session *s, struct position to, bool stops, char *error)
{
    s->running = false;
    return session_went(s, session_travel(s, to, stops), error);
}

static bool do_continue(struct session *s, const char *argument, char *error)
{
    (void)argument, (void)error;
    s->running = true;
    return true;
}

static bool do_into(struct session *s, const char *argument, char *error)
{
    int64_t launches = 1;
    if (*argument && !session_read_count(argument, 1, 100000, &launches, error))
        return false;
    int64_t count = trainer_launch_count(s->lanes[0].trainer);
    struct position p = session_position(s);
    int64_t total = p.launch + launches;
    return travel(s, (struct position){p.step + total / count, (int)(total % count)}, true, error);
}

static bool do_out(struct session *s, const char *argument, char *error)
{
    (void)argument;
    return travel(s, (struct position){session_position(s).step + 1, 0}, true, error);
}

/* Steps where the run has not been yet stop at breakpoints; those it has been at are only passed. */
static bool do_goto(struct session *s, const char *argument, char *error)
{
    int64_t step;
    if (!session_read_count(argument, 0, 1000000000, &step, error))
        return false;
    struct position to = {step, 0}, known = s->history.frontier;
    if (position_order(known, to) >= 0)
        return travel(s, to, false, error);
    return travel(s, known, false, error) && travel(s, to, true, error);
}

static bool do_back_step(struct session *s, const char *argument, char *error)
{
    int64_t steps = 1;
    struct position p = session_position(s);
    if (*argument && !session_read_count(argument, 1, 1000000000, &steps, error))
        return false;
    int64_t to = p.step - steps + (p.launch > 0);
    if (to < 0)
        return session_refuse(error, "the run is %lld step%s old", (long long)p.step, p.step == 1 ? "" : "s");
    return travel(s, (struct position){to, 0}, false, error);
}

static bool at_start(const struct session *s, char *error)
{
    struct position p = session_position(s);
    if (p.step > 0 || p.launch > 0)
        return false;
    session_refuse(error, "this is where the run begins");
    return true;
}

static bool do_back_phase(struct session *s, const char *argument, char *error)
{
    (void)argument;
    return !at_start(s, error) && travel(s, session_phase_start(s), false, error);
}

static bool do_back_op(struct session *s, const char *argument, char *error)
{
    (void)argument;
    struct position p = session_position(s);
    if (at_start(s, error))
        return false;
    if (p.launch == 0)
        p = (struct position){p.step - 1, trainer_launch_count(s->lanes[0].trainer)};
    p.launch--;
    return travel(s, p, false, error);
}

static bool do_budget(struct session *s, const char *argument, char *error)
{
    int64_t megabytes;
    if (!session_read_count(argument, 1, 1 << 20, &megabytes, error))
        return false;
    history_set_budget(&s->history, (size_t)megabytes << 20, session_position(s).step);
    return true;
}

/* A change by hand: what it leads to is another future. */
static bool do_set(struct session *s, const char *argument, char *error)
{
    s->running = false;
    return session_change(s, COMMAND_SET, argument, error);
}

static bool do_flip_at(struct session *s, const char *argument, char *error)
{
    s->running = false;
    return session_change(s, COMMAND_FLIP_AT, argument, error);
}

static bool do_inject(struct session *s, const char *argument, char *error)
{
    s->running = false;
    return session_change(s, COMMAND_INJECT, argument, error);
}

static bool do_break(struct session *s, const char *argument, char *error)
{
    return session_break_command(s, COMMAND_BREAK, argument, error);
}

static bool do_break_toggle(struct session *s, const char *argument, char *error)
{
    return session_break_command(s, COMMAND_BREAK_TOGGLE, argument, error);
}

static bool do_break_delete(struct session *s, const char *argument, char *error)
{
    return session_break_command(s, COMMAND_BREAK_DELETE, argument, error);
}

command_handler *const session_debug_handlers[COMMAND_COUNT] = {
    [COMMAND_CONTINUE] = do_continue,
    [COMMAND_INTO] = do_into,
    [COMMAND_OUT] = do_out,
    [COMMAND_GOTO] = do_goto,
    [COMMAND_BACK_STEP] = do_back_step,
    [COMMAND_BACK_PHASE] = do_back_phase,
    [COMMAND_BACK_OP] = do_back_op,
    [COMMAND_BUDGET] = do_budget,
    [COMMAND_SET] = do_set,
    [COMMAND_FLIP_AT] = do_flip_at,
    [COMMAND_BREAK] = do_break,
    [COMMAND_BREAK_TOGGLE] = do_break_toggle,
    [COMMAND_WHY] = session_why_command,
    [COMMAND_BREAK_DELETE] = do_break_delete,
    [COMMAND_LANE] = session_lane_command,
    [COMMAND_INJECT] = do_inject,
    [COMMAND_SAVE] = session_save_command,
    [COMMAND_LOAD] = session_load_command,
    [COMMAND_HEAT] = session_heat_command,
    [COMMAND_HISTOGRAM] = session_histogram_command,
    [COMMAND_WATCH_LANE] = session_watch_lane_command,
    [COMMAND_RESTORE] = session_restore_command,
};
