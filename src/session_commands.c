/* session_commands.c: the session's rows of the table of commands. */
#include "probe_text.h"
#include "session_internal.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool command_handler(struct session *s, const char *argument, char *error);

static bool fail(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(char *error, const char *format, ...)
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

static bool read_count(const char *text, int64_t least, int64_t most, int64_t *out, char *error)
{
    char *end;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (end == text || *end || errno)
        return fail(error, "'%.40s' is not a whole number", text);
    if (n < least || n > most)
        return fail(error, "'%.40s' is not from %lld to %lld", text, (long long)least, (long long)most);
    *out = n;
    return true;
}

/* "'0.1x': not a number (at 'x')" */
static bool bad_value(const char *text, const struct exact_error *why, char *error)
{
    size_t at = why->column;
    if (at < strlen(text))
        return fail(error, "'%.40s': %.70s (at '%.8s')", text, why->message, text + at);
    return fail(error, "'%.40s': %.90s", text, why->message);
}

/* A VALUE, rounded once to FP32; finite, and positive or zero as asked. */
static bool read_float(const char *text, bool zero_too, float *out, char *error)
{
    struct exact_error why;
    struct exact *x = exact_parse(text, &why);
    if (!x)
        return bad_value(text, &why, error);
    *out = exact_to_float(x);
    exact_free(x);
    if (!isfinite(*out) || *out < 0.0f || (*out == 0.0f && !zero_too))
        return fail(error, "'%.40s' is not a positive finite fp32 number", text);
    return true;
}

static bool read_switch(const char *text, bool *on, char *error)
{
    *on = strcmp(text, "on") == 0;
    return *on || strcmp(text, "off") == 0 || fail(error, "'%.40s' is not on or off", text);
}

static bool read_rule(const char *text, struct scaler *out, char *error)
{
    char why[160];
    size_t column;
    if (scaler_parse(text, out, why, &column))
        return true;
    return fail(error, "'%.40s': %.90s", text, why);
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

static bool device_failed(struct session *s, char *error)
{
    return fail(error, "%.159s", s->message);
}

static bool do_step(struct session *s, const char *argument, char *error)
{
    int64_t steps = 1;
    if (*argument && !read_count(argument, 1, 1000000000, &steps, error))
        return false;
    s->running = false;
    return session_advance(s, (long)steps) || device_failed(s, error);
}

static bool do_phase(struct session *s, const char *argument, char *error)
{
    int64_t phases = 1;
    if (*argument && !read_count(argument, 1, 10000, &phases, error))
        return false;
    s->running = false;
    for (; phases > 0; phases--)
        if (!session_phase(s))
            return device_failed(s, error);
    return true;
}

static bool do_restart(struct session *s, const char *argument, char *error)
{
    (void)argument;
    return session_build(s, &s->setup, error);
}

/* Up to the end of the backward pass, an infinity into a gradient of lane 0, and the rest of the step. */
static bool do_overflow(struct session *s, const char *argument, char *error)
{
    (void)argument;
    s->running = false;
    if (session_in_step(s) && session_reached(&s->lanes[0], PHASE_BACKWARD) &&
        trainer_next_phase(s->lanes[0].trainer) != PHASE_CHECK && !session_advance(s, 1))
        return device_failed(s, error);
    while (!session_in_step(s) || !session_reached(&s->lanes[0], PHASE_BACKWARD))
        if (!session_phase(s))
            return device_failed(s, error);
    if (!trainer_inject_overflow(s->lanes[0].trainer)) {
        session_fail(s);
        return device_failed(s, error);
    }
    s->injected = true;
    return session_advance(s, 1) || device_failed(s, error);
}

/* ---- setup ---- */

static bool rebuild(struct session *s, const struct setup *setup, char *error)
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
        return fail(error, "no task '%.40s' (xor, spiral)", argument);
    struct trainer_config c = trainer_defaults(setup.task, &setup.recipe);
    setup.optimizer = c.optimizer;
    setup.lr = c.lr;
    snprintf(setup.lr_text, sizeof setup.lr_text, "%s", setup.task->lr);
    return rebuild(s, &setup, error);
}

static const struct recipe *find_recipe(const char *name, char *error)
{
    const struct recipe *recipe = recipe_find(name);
    char names[120] = "";
    for (int i = 0; i < RECIPE_COUNT; i++)
        text_append(names, sizeof names, "%s%s", i ? ", " : "", recipe_table[i].name);
    if (!recipe)
        fail(error, "no recipe '%.24s' (%s)", name, names);
    return recipe;
}

static bool do_recipe(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    const struct recipe *recipe = find_recipe(argument, error);
    if (!recipe)
        return false;
    session_setup_recipe(&setup, recipe);
    return rebuild(s, &setup, error);
}

static bool do_scaler(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    return read_rule(argument, &setup.scaler, error) && rebuild(s, &setup, error);
}

static bool do_optimizer(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!optimizer_find(argument, &setup.optimizer))
        return fail(error, "no optimizer '%.40s' (sgd, momentum, adam)", argument);
    return rebuild(s, &setup, error);
}

static bool do_lr(struct session *s, const char *argument, char *error)
{
    float lr;
    if (!read_float(argument, true, &lr, error))
        return false;
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_set_lr(s->lanes[i].trainer, lr)) {
            session_fail(s);
            return device_failed(s, error);
        }
    s->setup.lr = lr;
    text_format(s->setup.lr_text, sizeof s->setup.lr_text, "%s", argument);
    if (trainer_steps(s->lanes[0].trainer) > 0)
        session_event(s, EVENT_NOTE, "learning rate %s from here", s->setup.lr_text);
    return true;
}

static bool do_seed(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    int64_t seed = 0;
    if (!read_count(argument, 0, INT64_MAX, &seed, error))
        return false;
    setup.seed = (uint64_t)seed;
    return rebuild(s, &setup, error);
}

static bool do_loss_weight(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!read_float(argument, false, &setup.loss_weight, error))
        return false;
    text_format(setup.loss_weight_text, sizeof setup.loss_weight_text, "%s", argument);
    return rebuild(s, &setup, error);
}

static bool do_master(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    bool on;
    if (!read_switch(argument, &on, error))
        return false;
    if (setup.recipe.low == FORMAT_FP32)
        return fail(error, "fp32 has no low format: its weights are the master");
    setup.recipe = recipe_with_master(setup.recipe, on);
    return rebuild(s, &setup, error);
}

static bool do_update_rounding(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    if (!update_rounding_find(argument, &setup.recipe.rounding))
        return fail(error, "no update rounding '%.40s' (rne, sr, kahan)", argument);
    return rebuild(s, &setup, error);
}

static bool do_twin(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    char name[32];
    size_t length = strcspn(argument, " \t");
    text_format(name, sizeof name, "%.*s", (int)(length < 31 ? length : 31), argument);
    const char *rule = argument + length + strspn(argument + length, " \t");
    setup.twin = strcmp(name, "off") != 0;
    bool plain = !setup.twin || strcmp(name, "on") == 0;
    const struct recipe *recipe = plain ? recipe_find("fp32") : find_recipe(name, error);
    if (!recipe)
        return false;
    if (plain && *rule)
        return fail(error, "twin %s takes nothing more", name);
    setup.twin_recipe = *recipe;
    return read_rule(*rule ? rule : recipe->scaler, &setup.twin_scaler, error) && rebuild(s, &setup, error);
}

/* ---- values ---- */

/* The texts that are asked about, and which of them a command changes. */
static bool check_value(const char *text, bool finite, char *error)
{
    struct exact_error why;
    struct exact *x = exact_parse(text, &why);
    if (!x)
        return bad_value(text, &why, error);
    bool ok = !finite || exact_kind(x) == EXACT_FINITE;
    exact_free(x);
    return ok || fail(error, "'%.40s' is not finite", text);
}

static bool store(char **to, const char *text, char *error)
{
    return session_set_text(to, text) || fail(error, "out of memory");
}

/* The one focused value: Bits shows it, and Update starts from it where it is finite. */
static bool focus_value(struct session *s, const char *text, char *error)
{
    char ignored[160];
    if (!check_value(text, false, error) || !store(&s->value, text, error))
        return false;
    if (check_value(text, true, ignored) && !store(&s->w, text, error))
        return false;
    s->live = s->bits_fresh = s->update_fresh = false;
    return true;
}

static bool do_w(struct session *s, const char *argument, char *error)
{
    return check_value(argument, true, error) && focus_value(s, argument, error);
}

static bool do_weight(struct session *s, const char *argument, char *error)
{
    int param;
    long row, col;
    if (*argument) {
        if (!session_weight_find(s, argument, &param, &row, &col, error))
            return false;
        s->watch_param = param;
        s->watch_row = row;
        s->watch_col = col;
    }
    s->live = true;
    s->bits_fresh = s->update_fresh = false;
    return true;
}

/* The row of the answer about a format, made fresh. */
static const struct bits_row *row_of(struct session *s, const char *format, char *error)
{
    const struct format *f = format_find_stored(format);
    if (!f)
        fail(error, "no format '%.40s'", format);
    else if (session_answer(s))
        return &s->bits.rows[f - format_table];
    else
        device_failed(s, error);
    return NULL;
}

static bool focus_bits(struct session *s, const struct format *f, const char *hex, char *error)
{
    char text[TEXT_SHORT];
    text_format(text, sizeof text, "%s:%s", f->name, hex);
    return focus_value(s, text, error);
}

static bool do_flip(struct session *s, const char *argument, char *error)
{
    char name[16] = "";
    int64_t bit = 0;
    size_t length = strcspn(argument, " \t");
    text_format(name, sizeof name, "%.*s", (int)(length < 15 ? length : 15), argument);
    const struct bits_row *row = row_of(s, name, error);
    if (!row || !read_count(argument + length + strspn(argument + length, " \t"), 0, row->format->width - 1,
                            &bit, error))
        return false;
    return focus_bits(s, row->format, row->flips[bit].hex, error);
}

static bool do_next(struct session *s, const char *argument, char *error)
{
    const struct bits_row *row = row_of(s, argument, error);
    if (!row)
        return false;
    if (!*row->up_hex)
        return fail(error, "%s has no value above %.60s", row->format->name, row->value);
    return focus_bits(s, row->format, row->up_hex, error);
}

static bool do_previous(struct session *s, const char *argument, char *error)
{
    const struct bits_row *row = row_of(s, argument, error);
    if (!row)
        return false;
    if (!*row->down_hex)
        return fail(error, "%s has no value below %.60s", row->format->name, row->value);
    return focus_bits(s, row->format, row->down_hex, error);
}

static bool do_rounding(struct session *s, const char *argument, char *error)
{
    enum round_mode mode = (enum round_mode)((s->mode + 1) % ROUND_MODE_COUNT);
    if (*argument && !round_mode_find(argument, &mode))
        return fail(error, "no rounding mode '%.40s' (rne rna rtz rup rdn sr)", argument);
    s->mode = mode;
    s->bits_fresh = false;
    return true;
}

/* lr and gradient go together; a typed delta stands for both. */
static bool set_update_text(struct session *s, char **to, const char *text, char *error)
{
    if (!check_value(text, true, error) || !store(to, text, error))
        return false;
    if (to != &s->delta) {
        free(s->delta);
        s->delta = NULL;
    }
    s->live = s->bits_fresh = s->update_fresh = false;
    return true;
}

static bool do_step_size(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->lr, argument, error);
}

static bool do_gradient(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->grad, argument, error);
}

static bool do_delta(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->delta, argument, error);
}

static bool do_repeats(struct session *s, const char *argument, char *error)
{
    if (!read_count(argument, 1, UPDATE_STEPS_MAX, &s->repeats, error))
        return false;
    s->update_fresh = false;
    return true;
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
    [COMMAND_TWIN] = do_twin,
    [COMMAND_OVERFLOW] = do_overflow,
    [COMMAND_VALUE] = focus_value,
    [COMMAND_WEIGHT] = do_weight,
    [COMMAND_FLIP] = do_flip,
    [COMMAND_NEXT] = do_next,
    [COMMAND_PREVIOUS] = do_previous,
    [COMMAND_ROUNDING] = do_rounding,
    [COMMAND_UPDATE_W] = do_w,
    [COMMAND_UPDATE_LR] = do_step_size,
    [COMMAND_UPDATE_GRAD] = do_gradient,
    [COMMAND_UPDATE_DELTA] = do_delta,
    [COMMAND_UPDATE_STEPS] = do_repeats,
};

bool session_command(struct session *s, enum command_id id, const char *argument, char *error)
{
    command_handler *handler = (unsigned)id < COMMAND_COUNT ? handlers[id] : NULL;
    if (s->failed)
        return device_failed(s, error);
    s->message[0] = '\0';
    s->message_is_error = false;
    bool ok = handler ? command_check(id, argument, error) && handler(s, argument, error)
                      : fail(error, "not a command of the session");
    if (!ok)
        session_say(s, error, true);
    return ok;
}
