/* session.c: opening, building lanes, and stepping them. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

void session_setup_recipe(struct setup *setup, const struct recipe *recipe)
{
    char error[160];
    size_t column;
    setup->recipe = *recipe;
    scaler_parse(recipe->scaler, &setup->scaler, error, &column);
}

static void setup_default(struct setup *setup, bool twin)
{
    memset(setup, 0, sizeof *setup);
    setup->task = task_find("spiral");
    session_setup_recipe(setup, recipe_find("bf16-pure"));
    struct trainer_config c = trainer_defaults(setup->task, &setup->recipe);
    setup->optimizer = c.optimizer;
    setup->lr = c.lr;
    setup->loss_weight = c.loss_weight;
    snprintf(setup->lr_text, sizeof setup->lr_text, "%s", setup->task->lr);
    snprintf(setup->loss_weight_text, sizeof setup->loss_weight_text, "1");
    setup->more = twin;
    setup->lanes[0] = (struct lane_setup){.recipe = *recipe_find("fp32"), .scaler = scaler_table[0]};
}

/* "O2", and what differs from it: "O2 fixed:1", "bf16-pure+master kahan". */
static void lane_name(char *to, size_t size, const struct recipe *r, const struct scaler *scaler)
{
    char rule[TEXT_SHORT], usual[TEXT_SHORT];
    struct scaler preset_scaler;
    char error[160];
    size_t column;
    recipe_text(r, to, size);
    scaler_parse(recipe_find(r->name)->scaler, &preset_scaler, error, &column);
    scaler_text(&preset_scaler, usual, sizeof usual);
    scaler_text(scaler, rule, sizeof rule);
    if (strcmp(rule, usual) != 0)
        text_append(to, size, " %s", rule);
}

static bool lane_refresh(struct lane *lane)
{
    return trainer_read_state(lane->trainer, &lane->state) &&
           trainer_read_counts(lane->trainer, lane->counts);
}

/* The device of that name: the session's own, one opened before, or a new one. */
struct device *session_lane_device(struct session *s, const char *name, char *error)
{
    if (!*name || strcmp(name, s->device->name) == 0)
        return s->device;
    for (int i = 0; i < s->other_count; i++)
        if (strcmp(s->others[i]->name, name) == 0)
            return s->others[i];
    struct device *d = s->other_count < SNAPSHOT_LANES ? device_open(name, error) : NULL;
    if (d)
        s->others[s->other_count++] = d;
    return d;
}

static bool lane_make(struct session *s, struct lane *lane, const struct setup *setup,
                      const struct lane_setup *own, char *error)
{
    struct trainer_config c = {.task = setup->task,
                               .recipe = own->recipe,
                               .scaler = own->scaler,
                               .optimizer = setup->optimizer,
                               .lr = setup->lr,
                               .loss_weight = setup->loss_weight,
                               .seed = setup->seed};
    memset(lane, 0, sizeof *lane);
    lane_name(lane->name, sizeof lane->name, &own->recipe, &own->scaler);
    lane->device = session_lane_device(s, own->device, error);
    if (!lane->device)
        return false;
    if (*own->device)
        text_append(lane->name, sizeof lane->name, " %s", lane->device->name);
    lane->trainer = trainer_create(lane->device, &c, error);
    if (!lane->trainer)
        return false;
    if (lane_refresh(lane))
        return true;
    snprintf(error, DEVICE_TEXT, "%s", device_error(lane->device));
    trainer_free(lane->trainer);
    return false;
}

static bool lanes_make(struct session *s, struct lane *made, const struct setup *setup, char *error)
{
    struct lane_setup first = {.recipe = setup->recipe, .scaler = setup->scaler};
    int done = 0;
    while (done <= setup->more &&
           lane_make(s, &made[done], setup, done ? &setup->lanes[done - 1] : &first, error))
        done++;
    if (done > setup->more)
        return true;
    while (done > 0)
        trainer_free(made[--done].trainer);
    return false;
}

bool session_build(struct session *s, const struct setup *setup, char *error)
{
    struct lane made[SNAPSHOT_LANES];
    char why[DEVICE_TEXT];
    if (!lanes_make(s, made, setup, why))
        return session_refuse(error, "%.159s", why);
    if (!session_scratch_grow(s, trainer_arena(made[0].trainer).elements, why)) {
        for (int i = 0; i <= setup->more; i++)
            trainer_free(made[i].trainer);
        return session_refuse(error, "%.159s", why);
    }
    for (int i = 0; i < s->lane_count; i++)
        trainer_free(s->lanes[i].trainer);
    bool other_task = s->setup.task != setup->task;
    s->lane_count = setup->more + 1;
    s->watch_lane = s->watch_lane < s->lane_count ? s->watch_lane : 0;
    memcpy(s->lanes, made, (size_t)s->lane_count * sizeof *made);
    s->setup = *setup;
    s->failed = false;
    text_format(s->start_lr_text, sizeof s->start_lr_text, "%s", setup->lr_text);
    s->start_lr = setup->lr;
    session_forget(s);
    if (other_task)
        session_weight_default(s);
    session_start_history(s);
    return !s->failed || session_device_failed(s, error);
}

/* ---- opening ---- */

bool session_scratch_make(struct session *s)
{
    struct scratch *x = &s->scratch;
    struct device *d = s->device;
    return (x->state = device_alloc(d, sizeof *x->state)) &&
           (x->settings = device_alloc(d, sizeof *x->settings)) &&
           (x->bins = device_alloc(d, sizeof *x->bins * HISTOGRAM_BINS)) &&
           (x->counters = device_alloc(d, sizeof *x->counters * COUNTER_COUNT)) &&
           (x->range = device_alloc(d, sizeof *x->range * TRAINER_MAX_TENSORS)) &&
           (x->norm = device_alloc(d, sizeof *x->norm * TRAINER_MAX_TENSORS)) &&
           (x->cell = device_alloc(d, sizeof *x->cell));
}

/* Grows the part whose size goes with the run's. */
bool session_scratch_grow(struct session *s, long elements, char *error)
{
    struct scratch *x = &s->scratch;
    if (elements <= x->elements)
        return true;
    void *rounded = device_alloc(s->device, (size_t)elements * sizeof(float));
    void *other = device_alloc(s->device, (size_t)elements * sizeof(float));
    void *zeros = device_alloc(s->device, (size_t)elements * sizeof(float));
    void *blocks = device_alloc(s->device, (size_t)(elements / PARAM_BLOCK + 1) * sizeof *x->blocks);
    if (!rounded || !other || !zeros || !blocks) {
        snprintf(error, DEVICE_TEXT, "%s", device_error(s->device));
        device_release(s->device, rounded);
        device_release(s->device, other);
        device_release(s->device, zeros);
        device_release(s->device, blocks);
        return false;
    }
    device_release(s->device, x->rounded);
    device_release(s->device, x->other);
    device_release(s->device, x->zeros);
    device_release(s->device, x->blocks);
    x->rounded = rounded;
    x->other = other;
    x->zeros = zeros;
    x->blocks = blocks;
    x->elements = elements;
    return true;
}

void session_scratch_free(struct session *s)
{
    void *all[] = {s->scratch.state, s->scratch.settings, s->scratch.bins,  s->scratch.counters,
                   s->scratch.range, s->scratch.norm,     s->scratch.cell,  s->scratch.rounded,
                   s->scratch.other, s->scratch.zeros,    s->scratch.blocks};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_release(s->device, all[i]);
    memset(&s->scratch, 0, sizeof s->scratch);
}

struct session *session_open_on(struct device *d, bool twin, char *error)
{
    struct session *s = calloc(1, sizeof *s);
    struct setup setup;
    char why[DEVICE_TEXT];
    snprintf(error, DEVICE_TEXT, "out of memory");
    if (!s) {
        device_close(d);
        return NULL;
    }
    s->device = d;
    history_open(&s->history);
    snprintf(s->device_text, sizeof s->device_text, "%s", d->description);
    s->repeats = 1000;
    setup_default(&setup, twin);
    if (!session_scratch_make(s)) {
        snprintf(error, DEVICE_TEXT, "%s", device_error(d));
    } else if (!session_build(s, &setup, why)) {
        snprintf(error, DEVICE_TEXT, "%s", why);
    } else if (session_set_text(&s->value, "1 - 1e-5") && session_set_text(&s->w, "1") &&
               session_set_text(&s->lr, "0.001") && session_set_text(&s->grad, "0.01")) {
        return s;
    }
    session_close(s);
    return NULL;
}

struct session *session_open(const struct session_options *options, char *error)
{
    const char *name = options->device ? options->device : "auto";
    struct device *d = device_open(name, error);
    if (!d)
        return NULL;
    struct session *s = session_open_on(d, options->twin, error);
    char why[DEVICE_TEXT];
    /* Where "auto" had to do without a better device, say why. */
    if (s && strcmp(name, "auto") == 0 && strcmp(d->name, device_drivers[0]->name) != 0 &&
        !device_drivers[0]->probe(why))
        text_append(s->device_text, sizeof s->device_text, " · no %s: %s", device_drivers[0]->name, why);
    return s;
}

void session_close(struct session *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->lane_count; i++)
        trainer_free(s->lanes[i].trainer);
    session_scratch_free(s);
    device_close(s->device);
    for (int i = 0; i < s->other_count; i++)
        device_close(s->others[i]);
    history_clear(&s->history);
    free(s->value);
    free(s->w);
    free(s->lr);
    free(s->grad);
    free(s->delta);
    free(s);
}

bool session_fail(struct session *s)
{
    s->was_running = s->was_running || s->running;
    s->failed = true;
    s->running = false;
    s->message_is_error = true;
    const char *why = device_error(s->device);
    for (int i = 0; i < s->other_count && !*why; i++)
        why = device_error(s->others[i]);
    text_format(s->message, sizeof s->message, "the device failed: %s", *why ? why : "no reason given");
    return false;
}

/* ---- stepping ---- */

int64_t session_steps(const struct session *s)
{
    return session_position(s).step;
}

int64_t session_frontier(const struct session *s)
{
    return s->history.frontier.step;
}

bool session_stopped(const struct session *s)
{
    return s->stopped;
}

bool session_running(const struct session *s)
{
    return s->running;
}

bool session_pump(struct session *s, long steps)
{
    return !s->running || session_advance(s, steps);
}
