/* session_commands.c: the session's rows of the table of commands. */
#include "probe_text.h"
#include "session_internal.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_refuse(char *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, 160, format, list);
    va_end(list);
    return false;
}

static void say(struct session *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct session *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(s->message, sizeof s->message, format, list);
    va_end(list);
}

void session_say(struct session *s, const char *message, bool is_error)
{
    text_format(s->message, sizeof s->message, "%s", message);
    s->message_is_error = is_error;
}

/* ---- reading arguments ---- */

bool session_read_count(const char *text, int64_t least, int64_t most, int64_t *out, char *error)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return session_refuse(error, "'%.40s' is not a whole number", text);
    if (n < least || n > most)
        return session_refuse(error, "'%.40s' is not from %lld to %lld", text, (long long)least,
                              (long long)most);
    *out = n;
    return true;
}

/* "'0.1x': not a number (at 'x')" */
bool session_bad_value(const char *text, const struct exact_error *why, char *error)
{
    size_t at = why->column;
    if (at < strlen(text))
        return session_refuse(error, "'%.40s': %.70s (at '%.8s')", text, why->message, text + at);
    return session_refuse(error, "'%.40s': %.90s", text, why->message);
}

bool session_read_float(const char *text, bool zero_too, float *out, char *error)
{
    struct exact_error why;
    struct exact *x = exact_parse(text, &why);
    if (!x)
        return session_bad_value(text, &why, error);
    *out = exact_to_float(x);
    exact_free(x);
    if (!isfinite(*out) || *out < 0.0f || (*out == 0.0f && !zero_too))
        return session_refuse(error, "'%.40s' is not a positive finite fp32 number", text);
    return true;
}

static bool read_switch(const char *text, bool *on, char *error)
{
    *on = strcmp(text, "on") == 0;
    return *on || strcmp(text, "off") == 0 || session_refuse(error, "'%.40s' is not on or off", text);
}

static bool read_rule(const char *text, struct scaler *out, char *error)
{
    char why[160];
    size_t column;
    if (scaler_parse(text, out, why, &column))
        return true;
    return session_refuse(error, "'%.40s': %.90s", text, why);
}

/* ---- run ---- */

static bool do_run(struct session *s, const char *argument, char *error)
{
    (void)argument, (void)error;
    s->running = true;
    return true;
}

static bool do_pause(struct session *s, const char *argument, char *error)
{
    (void)argument, (void)error;
    s->running = false;
    return true;
}

static bool do_toggle(struct session *s, const char *argument, char *error)
{
    (void)argument, (void)error;
    s->running = !s->running;
    return true;
}

bool session_device_failed(struct session *s, char *error)
{
    return session_refuse(error, "%.159s", s->message);
}

static bool do_step(struct session *s, const char *argument, char *error)
{
    int64_t steps = 1;
    if (*argument && !session_read_count(argument, 1, 1000000000, &steps, error))
        return false;
    s->running = false;
    return session_went(s, session_advance(s, (long)steps), error);
}

static bool do_phase(struct session *s, const char *argument, char *error)
{
    int64_t phases = 1;
    if (*argument && !session_read_count(argument, 1, 10000, &phases, error))
        return false;
    s->running = false;
    for (; phases > 0; phases--) {
        if (!session_phase(s))
            return session_went(s, false, error);
        if (s->stopped || s->way.cut)
            break;
    }
    return true;
}

static bool do_restart(struct session *s, const char *argument, char *error)
{
    (void)argument;
    return session_build(s, &s->setup, error);
}

/* Up to the end of the backward pass, an infinity into a gradient of lane 0, and the rest of the step: that
 * is where breakpoints stop. */
static bool do_overflow(struct session *s, const char *argument, char *error)
{
    const struct trainer *t = s->lanes[0].trainer;
    struct position to = session_position(s);
    (void)argument;
    s->running = false;
    if (session_in_step(s) && session_reached(&s->lanes[0], PHASE_BACKWARD) &&
        trainer_next_phase(t) != PHASE_CHECK)
        to = (struct position){to.step + 1, 0};
    while (to.launch == 0 || trainer_launch_phase(t, to.launch) <= PHASE_BACKWARD)
        to.launch++;
    return session_went(s, session_travel(s, to, false), error) &&
           (!s->way.cut || session_went(s, false, error)) && session_change(s, COMMAND_INJECT, "", error) &&
           session_went(s, session_advance(s, 1), error);
}

/* ---- setup ---- */

bool session_rebuild(struct session *s, const struct setup *setup, char *error)
{
    if (!session_build(s, setup, error))
        return false;
    say(s, "restarted: %s, %s", s->setup.task->name, s->lanes[0].name);
    return true;
}

static bool do_task(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    setup.task = task_find(argument);
    if (!setup.task)
        return session_refuse(error, "no task '%.40s' (xor, spiral)", argument);
    struct trainer_config c = trainer_defaults(setup.task, &setup.recipe);
    setup.optimizer = c.optimizer;
    setup.lr = c.lr;
    snprintf(setup.lr_text, sizeof setup.lr_text, "%s", setup.task->lr);
    return session_rebuild(s, &setup, error);
}

const struct recipe *session_find_recipe(const char *name, char *error)
{
    const struct recipe *recipe = recipe_find(name);
    char names[120] = "";
    for (int i = 0; i < RECIPE_COUNT; i++)
        text_append(names, sizeof names, "%s%s", i ? ", " : "", recipe_table[i].name);
    if (!recipe)
        session_refuse(error, "no recipe '%.24s' (%s)", name, names);
    return recipe;
}

static bool do_recipe(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    const struct recipe *recipe = session_find_recipe(argument, error);
    if (!recipe)
        return false;
    session_setup_recipe(&setup, recipe);
    return session_rebuild(s, &setup, error);
}

static bool do_scaler(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    return read_rule(argument, &setup.scaler, error) && session_rebuild(s, &setup, error);
}

static bool do_optimizer(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!optimizer_find(argument, &setup.optimizer))
        return session_refuse(error, "no optimizer '%.40s' (sgd, momentum, adam)", argument);
    return session_rebuild(s, &setup, error);
}

static bool do_lr(struct session *s, const char *argument, char *error)
{
    return session_change(s, COMMAND_LR, argument, error);
}

static bool do_seed(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    int64_t seed = 0;
    if (!session_read_count(argument, 0, INT64_MAX, &seed, error))
        return false;
    setup.seed = (uint64_t)seed;
    return session_rebuild(s, &setup, error);
}

static bool do_loss_weight(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!session_read_float(argument, false, &setup.loss_weight, error))
        return false;
    text_format(setup.loss_weight_text, sizeof setup.loss_weight_text, "%s", argument);
    return session_rebuild(s, &setup, error);
}

static bool do_master(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    bool on;
    if (!read_switch(argument, &on, error))
        return false;
    if (setup.recipe.low == FORMAT_FP32)
        return session_refuse(error, "fp32 has no low format: its weights are the master");
    setup.recipe = recipe_with_master(setup.recipe, on);
    return session_rebuild(s, &setup, error);
}

static bool do_update_rounding(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!update_rounding_find(argument, &setup.recipe.rounding))
        return session_refuse(error, "no update rounding '%.40s' (rne, sr, kahan)", argument);
    return session_rebuild(s, &setup, error);
}

/* ---- the table ---- */

static command_handler *const handlers[COMMAND_COUNT] = {
    [COMMAND_RUN] = do_run,
    [COMMAND_PAUSE] = do_pause,
    [COMMAND_TOGGLE] = do_toggle,
    [COMMAND_STEP] = do_step,
    [COMMAND_PHASE] = do_phase,
    [COMMAND_RESTART] = do_restart,
    [COMMAND_TASK] = do_task,
    [COMMAND_RECIPE] = do_recipe,
    [COMMAND_SCALER] = do_scaler,
    [COMMAND_OPTIMIZER] = do_optimizer,
    [COMMAND_LR] = do_lr,
    [COMMAND_SEED] = do_seed,
    [COMMAND_LOSS_WEIGHT] = do_loss_weight,
    [COMMAND_MASTER] = do_master,
    [COMMAND_ROUNDING_UPD] = do_update_rounding,
    [COMMAND_TWIN] = session_twin_command,
    [COMMAND_OVERFLOW] = do_overflow,
};

static command_handler *handler_of(enum command_id id)
{
    if ((unsigned)id >= COMMAND_COUNT)
        return NULL;
    return handlers[id]                 ? handlers[id]
           : session_value_handlers[id] ? session_value_handlers[id]
                                        : session_debug_handlers[id];
}

/* Carries it out; where the device fails, once more on the cpu, from where the run was. */
static bool carry_out(struct session *s, enum command_id id, const char *argument, char *error)
{
    struct position at = session_position(s);
    char before[DEVICE_TEXT];
    text_format(before, sizeof before, "%s", device_error(s->device));
    if (handler_of(id)(s, argument, error))
        return true;
    if (!s->failed && strcmp(before, device_error(s->device)) != 0) /* as it made new lanes */
        session_fail(s);
    return s->failed && session_rescue_at(s, at) && handler_of(id)(s, argument, error);
}

bool session_command(struct session *s, enum command_id id, const char *argument, char *error)
{
    if (s->failed)
        return session_device_failed(s, error);
    s->message[0] = '\0';
    s->message_is_error = false;
    if (s->way.depth++ == 0)
        s->way.cut = false;
    bool ok = handler_of(id) ? command_check(id, argument, error) && carry_out(s, id, argument, error)
                             : session_refuse(error, "not a command of the session");
    s->way.depth--;
    if (!ok)
        session_say(s, error, true);
    return ok;
}

void session_on_way(struct session *s, bool (*ask)(void *context, int64_t step, int64_t goal), void *context)
{
    s->way.ask = ask;
    s->way.context = context;
}
