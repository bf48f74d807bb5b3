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
    setup->twin = twin;
    setup->twin_recipe = *recipe_find("fp32");
    setup->twin_scaler = scaler_table[0];
}

/* "O2", and what differs from it: "O2 fixed:1", "bf16-pure+master kahan". */
static void lane_name(char *to, size_t size, const struct recipe *r, const struct scaler *scaler)
{
    const struct recipe *preset = recipe_find(r->name);
    char rule[TEXT_SHORT], usual[TEXT_SHORT];
    struct scaler preset_scaler;
    char error[160];
    size_t column;
    text_format(to, size, "%s", r->name);
    if (recipe_has_master(r) != recipe_has_master(preset))
        text_append(to, size, recipe_has_master(r) ? "+master" : "-master");
    if (r->rounding != preset->rounding)
        text_append(to, size, "+%s", update_rounding_name(r->rounding));
    scaler_parse(preset->scaler, &preset_scaler, error, &column);
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

static bool lane_make(struct session *s, struct lane *lane, const struct setup *setup,
                      const struct recipe *recipe, const struct scaler *scaler, char *error)
{
    struct trainer_config c = {.task = setup->task,
                               .recipe = *recipe,
                               .scaler = *scaler,
                               .optimizer = setup->optimizer,
                               .lr = setup->lr,
                               .loss_weight = setup->loss_weight,
                               .seed = setup->seed};
    memset(lane, 0, sizeof *lane);
    lane_name(lane->name, sizeof lane->name, recipe, scaler);
    lane->trainer = trainer_create(s->device, &c, error);
    if (!lane->trainer)
        return false;
    if (lane_refresh(lane))
        return true;
    snprintf(error, DEVICE_TEXT, "%s", device_error(s->device));
    trainer_free(lane->trainer);
    return false;
}

static bool scratch_grow(struct session *s, long elements, char *error)
{
    struct scratch *x = &s->scratch;
    if (elements <= x->elements)
        return true;
    void *rounded = device_alloc(s->device, (size_t)elements * sizeof(float));
    if (!rounded) {
        snprintf(error, DEVICE_TEXT, "%s", device_error(s->device));
        return false;
    }
    device_release(s->device, x->rounded);
    x->rounded = rounded;
    x->elements = elements;
    return true;
}

bool session_build(struct session *s, const struct setup *setup, char *error)
{
    struct lane made[2];
    char why[DEVICE_TEXT];
    int count = setup->twin ? 2 : 1, done = 0;
    bool ok = lane_make(s, &made[0], setup, &setup->recipe, &setup->scaler, why);
    done += ok;
    if (ok && setup->twin) {
        ok = lane_make(s, &made[1], setup, &setup->twin_recipe, &setup->twin_scaler, why);
        done += ok;
    }
    ok = ok && scratch_grow(s, trainer_arena(made[0].trainer).elements, why);
    if (!ok) {
        while (done > 0)
            trainer_free(made[--done].trainer);
        snprintf(error, 160, "%.159s", why);
        return false;
    }
    for (int i = 0; i < s->lane_count; i++)
        trainer_free(s->lanes[i].trainer);
    bool other_task = s->setup.task != setup->task;
    memcpy(s->lanes, made, (size_t)count * sizeof *made);
    s->lane_count = count;
    s->setup = *setup;
    s->failed = false;
    session_forget(s);
    if (other_task)
        session_weight_default(s);
    return true;
}

/* ---- opening ---- */

static bool scratch_make(struct session *s)
{
    struct scratch *x = &s->scratch;
    struct device *d = s->device;
    return (x->state = device_alloc(d, sizeof *x->state)) &&
           (x->settings = device_alloc(d, sizeof *x->settings)) &&
           (x->bins = device_alloc(d, sizeof *x->bins * HISTOGRAM_BINS)) &&
           (x->counters = device_alloc(d, sizeof *x->counters * COUNTER_COUNT)) &&
           (x->range = device_alloc(d, sizeof *x->range)) && (x->norm = device_alloc(d, sizeof *x->norm)) &&
           (x->cell = device_alloc(d, sizeof *x->cell));
}

static void scratch_free(struct session *s)
{
    void *all[] = {s->scratch.state, s->scratch.settings, s->scratch.bins, s->scratch.counters,
                   s->scratch.range, s->scratch.norm,     s->scratch.cell, s->scratch.rounded};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        device_release(s->device, all[i]);
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
    snprintf(s->device_text, sizeof s->device_text, "%s", d->description);
    s->repeats = 1000;
    setup_default(&setup, twin);
    if (!scratch_make(s)) {
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
    scratch_free(s);
    device_close(s->device);
    free(s->value);
    free(s->w);
    free(s->lr);
    free(s->grad);
    free(s->delta);
    free(s);
}

bool session_fail(struct session *s)
{
    s->failed = true;
    s->running = false;
    s->message_is_error = true;
    const char *why = device_error(s->device);
    text_format(s->message, sizeof s->message, "the device failed: %s", *why ? why : "no reason given");
    return false;
}

/* ---- stepping ---- */

bool session_in_step_of(const struct lane *lane)
{
    return trainer_next_phase(lane->trainer) != PHASE_CAST;
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

static bool refresh(struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (!lane_refresh(&s->lanes[i]))
            return session_fail(s);
    return true;
}

static bool one_step(struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_step(s->lanes[i].trainer))
            return session_fail(s);
    if (!refresh(s))
        return false;
    session_after_step(s);
    return true;
}

bool session_advance(struct session *s, long steps)
{
    if (s->failed)
        return false;
    for (long i = 0; i < steps; i++) {
        if (i == steps - 1)
            memcpy(s->launches_before, s->device->launches, sizeof s->launches_before);
        if (!one_step(s))
            return false;
    }
    if (steps > 0) {
        text_kernels(s->train_kernels, sizeof s->train_kernels, s->device, s->launches_before);
        if (s->live)
            s->bits_fresh = s->update_fresh = false;
    }
    return true;
}

bool session_phase(struct session *s)
{
    memcpy(s->launches_before, s->device->launches, sizeof s->launches_before);
    if (s->failed)
        return false;
    if (!trainer_phase(s->lanes[0].trainer))
        return session_fail(s);
    bool done = !session_in_step(s);
    enum phase next = trainer_next_phase(s->lanes[0].trainer);
    for (int i = 1; i < s->lane_count; i++) {
        struct lane *lane = &s->lanes[i];
        while (done ? session_in_step_of(lane) : trainer_next_phase(lane->trainer) < next)
            if (!trainer_phase(lane->trainer))
                return session_fail(s);
    }
    if (!refresh(s))
        return false;
    text_kernels(s->train_kernels, sizeof s->train_kernels, s->device, s->launches_before);
    if (done)
        session_after_step(s);
    if (s->live)
        s->bits_fresh = s->update_fresh = false;
    return true;
}

bool session_running(const struct session *s)
{
    return s->running;
}

bool session_pump(struct session *s, long steps)
{
    return !s->running || session_advance(s, steps);
}
