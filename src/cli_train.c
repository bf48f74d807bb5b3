/* cli_train.c: the verb `train`: a run without a screen, step by step. */
#include "cli_train.h"
#include "cli_verbs.h"
#include "probe_text.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_MAX = 100000000 };

/* ---- options ---- */

static int no_such(struct cli *c, const char *option, const char *value, const char *choices)
{
    char quoted[80];
    cli_quote(quoted, sizeof quoted, value);
    return cli_fail(c, CLI_USAGE, "%s %s: no such one (%s)", option, quoted, choices);
}

/* Options of the contract whose other values no issue has asked for yet. */
static bool is_later(const struct cli *c)
{
    const char *accumulate = cli_value(c, "--accumulate"), *batch = cli_value(c, "--batch");
    const char *optimizer = cli_value(c, "--optimizer");
    return cli_value(c, "--data") || (accumulate && strcmp(accumulate, "low") == 0) ||
           (batch && strcmp(batch, "all") != 0) || (optimizer && strcmp(optimizer, "adamw") == 0);
}

/* A VALUE option as a finite FP32 number, rounded once. */
static int read_float(struct cli *c, const char *option, float *out)
{
    const char *text = cli_value(c, option);
    struct exact_error error;
    char where[32];
    if (!text)
        return CLI_DONE;
    struct exact *x = exact_parse(text, &error);
    snprintf(where, sizeof where, "%s: ", option);
    if (!x)
        return cli_fail_value(c, where, text, &error);
    bool finite = exact_kind(x) == EXACT_FINITE;
    *out = exact_to_float(x);
    exact_free(x);
    error = (struct exact_error){.message = "not a finite FP32 number"};
    return finite && *out - *out == 0 ? CLI_DONE : cli_fail_value(c, where, text, &error);
}

static int read_scaler(struct cli *c, struct train_order *o)
{
    const char *text = cli_value(c, "--scaler");
    struct exact_error error;
    struct lane_order *l = &o->lanes[0];
    if (!text)
        text = l->config.recipe.scaler;
    if (!scaler_parse(text, &l->config.scaler, error.message, &error.column))
        return cli_fail_value(c, "--scaler: ", text, &error);
    scaler_text(&l->config.scaler, l->scaler, sizeof l->scaler);
    return CLI_DONE;
}

/* --twin RULE: a second run that differs from the first in its loss scale alone. */
static int read_twin(struct cli *c, struct train_order *o)
{
    const char *text = cli_value(c, "--twin");
    struct exact_error error;
    if (!text)
        return CLI_DONE;
    o->has_twin = true;
    o->twin = o->lanes[0].config;
    if (!scaler_parse(text, &o->twin.scaler, error.message, &error.column))
        return cli_fail_value(c, "--twin: ", text, &error);
    return CLI_DONE;
}

static int read_recipe(struct cli *c, struct recipe *recipe)
{
    const char *name = cli_value(c, "--recipe"), *master = cli_value(c, "--master");
    const char *rounding = cli_value(c, "--update-rounding");
    const struct recipe *found = recipe_find(name ? name : "bf16");
    if (!found)
        return no_such(c, "--recipe", name, "see 'ulpscope recipes'");
    *recipe = *found;
    if (master && strcmp(master, "on") != 0 && strcmp(master, "off") != 0)
        return no_such(c, "--master", master, "on, off");
    if (master)
        *recipe = recipe_with_master(*recipe, strcmp(master, "on") == 0);
    if (rounding && !update_rounding_find(rounding, &recipe->rounding))
        return no_such(c, "--update-rounding", rounding, "rne, sr, kahan");
    return CLI_DONE;
}

/* One of --compare: a recipe with its own scaler, what differs from it, and "@" and a device:
 * "bf16-pure+kahan@cpu". */
static int read_lane(struct cli *c, struct train_order *o, const char *text, size_t length)
{
    struct lane_order *l = &o->lanes[o->lane_count];
    char name[40], quoted[160];
    size_t column;
    if (length >= sizeof name)
        return no_such(c, "--compare", text, "see 'ulpscope recipes'");
    text_format(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), text);
    char *at = strchr(name, '@');
    if (at)
        *at++ = '\0';
    struct recipe recipe;
    if (!recipe_read(name, &recipe))
        return no_such(c, "--compare", name, "see 'ulpscope recipes'");
    bool known = !at;
    for (int i = 0; at && i < DEVICE_DRIVER_COUNT; i++)
        known = known || strcmp(at, device_drivers[i]->name) == 0;
    cli_quote(quoted, sizeof quoted, at ? at : "");
    if (!known)
        return cli_fail(c, CLI_USAGE, "--compare: no device %s (cpu, cuda)", quoted);
    l->config = o->lanes[0].config;
    l->config.recipe = recipe;
    recipe_text(&recipe, l->recipe, sizeof l->recipe);
    text_format(l->device, sizeof l->device, "%s", at ? at : "");
    scaler_parse(recipe.scaler, &l->config.scaler, quoted, &column);
    scaler_text(&l->config.scaler, l->scaler, sizeof l->scaler);
    o->lane_count++;
    return CLI_DONE;
}

static int read_compare(struct cli *c, struct train_order *o)
{
    int status = CLI_DONE;
    const char *text = cli_value(c, "--compare");
    while (text && status == CLI_DONE) {
        size_t length = strcspn(text, ",");
        if (o->lane_count == TRAIN_LANES)
            return cli_fail(c, CLI_USAGE, "--compare: at most %d lanes", TRAIN_LANES);
        status = read_lane(c, o, text, length);
        text = text[length] ? text + length + 1 : NULL;
    }
    return status;
}

static int read_order(struct cli *c, struct train_order *o)
{
    const char *task_name = cli_value(c, "--task"), *optimizer = cli_value(c, "--optimizer");
    const char *accumulate = cli_value(c, "--accumulate");
    const struct task *task = task_find(task_name ? task_name : "spiral");
    struct recipe recipe;
    if (is_later(c))
        return cli_later(c);
    if (!task)
        return no_such(c, "--task", task_name, "see 'ulpscope tasks'");
    int status = read_recipe(c, &recipe);
    if (status != CLI_DONE)
        return status;
    struct trainer_config *config = &o->lanes[0].config;
    *config = trainer_defaults(task, &recipe);
    text_format(o->lanes[0].recipe, sizeof o->lanes[0].recipe, "%s", recipe.name);
    o->lane_count = 1;
    o->every = 1;
    if (accumulate && strcmp(accumulate, "fp32") != 0)
        return no_such(c, "--accumulate", accumulate, "fp32");
    if (optimizer && !optimizer_find(optimizer, &config->optimizer))
        return no_such(c, "--optimizer", optimizer, "sgd, momentum, adam");
    if (!cli_value(c, "--steps"))
        return cli_fail(c, CLI_USAGE, "give --steps N");
    if (!cli_seed(c, &config->seed) || !cli_integer(c, "--steps", 1, STEPS_MAX, &o->steps) ||
        !cli_integer(c, "--every", 1, STEPS_MAX, &o->every))
        return CLI_USAGE;
    status = read_float(c, "--lr", &config->lr);
    if (status == CLI_DONE)
        status = read_float(c, "--loss-weight", &config->loss_weight);
    if (status == CLI_DONE)
        status = read_scaler(c, o);
    if (status == CLI_DONE)
        status = read_twin(c, o);
    return status == CLI_DONE ? read_compare(c, o) : status;
}

/* ---- the run ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_up(struct train_totals *sum, const struct trainer_report *r)
{
    sum->gradients += r->gradients;
    sum->flushed += r->flushed;
    sum->updates += r->updates;
    sum->lost += r->lost;
    sum->skipped += r->skipped;
}

/* A step of the twin as well, until the first difference is found. */
static bool step_twin(struct train_run *r)
{
    if (!r->twin || r->twin_difference.found)
        return true;
    return trainer_step(r->twin) &&
           compare_first_difference(r->lanes[0].trainer, r->twin, &r->twin_difference);
}

static bool compare_lanes(struct train_run *r)
{
    for (int b = 1; b < r->order->lane_count; b++)
        for (int a = 0; a < b; a++) {
            struct difference *d = &r->differences[b * (b - 1) / 2 + a];
            if (!d->found && !compare_first_difference(r->lanes[a].trainer, r->lanes[b].trainer, d))
                return false;
        }
    return true;
}

static bool one_step(struct train_run *r, int64_t step)
{
    if (!train_events_begin(r))
        return false;
    double start = seconds_now();
    for (int i = 0; i < r->order->lane_count; i++) {
        struct train_lane *l = &r->lanes[i];
        if (!trainer_step(l->trainer) || !trainer_report(l->trainer, &l->report))
            return false;
        add_up(&l->sum, &l->report);
    }
    r->seconds += seconds_now() - start;
    if (!step_twin(r) || !compare_lanes(r) || !train_events_end(r, step))
        return false;
    const struct train_order *o = r->order;
    return (step % o->every != 0 && step != o->steps) || train_print_step(r, step);
}

static bool run(struct train_run *r)
{
    for (int64_t step = 1; step <= r->order->steps; step++) {
        if (!one_step(r, step) || (step % 256 == 0 && !cli_flush(r->c)))
            return false;
    }
    return train_print_summary(r);
}

/* ---- lanes ---- */

static struct device *device_for(struct train_run *r, const char *name, char *error)
{
    if (!*name || strcmp(name, r->device->name) == 0)
        return r->device;
    if (!r->other)
        r->other = device_open(name, error);
    return r->other;
}

/* An exit status. */
static int make_lanes(struct train_run *r)
{
    char error[DEVICE_TEXT] = "";
    for (int i = 0; i < r->order->lane_count; i++) {
        struct train_lane *l = &r->lanes[i];
        l->order = &r->order->lanes[i];
        l->device = device_for(r, l->order->device, error);
        if (!l->device)
            return cli_fail(r->c, CLI_NO_DEVICE, "%s", error);
        l->trainer = trainer_create(l->device, &l->order->config, error);
        if (!l->trainer)
            return cli_fail(r->c, CLI_FAILED, "%s", error);
    }
    r->twin = r->order->has_twin ? trainer_create(r->device, &r->order->twin, error) : NULL;
    return r->order->has_twin && !r->twin ? cli_fail(r->c, CLI_FAILED, "%s", error) : CLI_DONE;
}

static void free_lanes(struct train_run *r)
{
    json_decref(r->events);
    for (int i = 0; i < TRAIN_LANES; i++) {
        trainer_free(r->lanes[i].trainer);
        free(r->lanes[i].start);
    }
    trainer_free(r->twin);
    device_close(r->other);
    device_close(r->device);
}

static const char *failure(const struct train_run *r)
{
    if (*device_error(r->device))
        return device_error(r->device);
    return r->other && *device_error(r->other) ? device_error(r->other) : "cannot write the output";
}

int cli_train(struct cli *c)
{
    struct train_order order = {0};
    struct train_run r = {.c = c, .order = &order};
    if (cli_value(c, "--load"))
        return train_load(c, cli_value(c, "--load"));
    int status = read_order(c, &order);
    r.device = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (!r.device)
        return status;
    status = make_lanes(&r);
    if (status == CLI_DONE && (!train_print_header(&r) || !run(&r)))
        status = cli_fail(c, CLI_FAILED, "%s", failure(&r));
    free_lanes(&r);
    return status;
}
