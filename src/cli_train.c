/* cli_train.c: the verb `train`: a run without a screen, step by step. */
#include "cli_verbs.h"
#include "compare.h"
#include "report.h"
#include "trainer.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS_MAX = 100000000 };

/* What the options ask for. */
struct order {
    struct trainer_config config;
    int64_t steps, every;
    char scaler[160];
    bool has_twin;
    struct trainer_config twin; /* the same run with another loss scale */
};

/* What the whole run adds up to. */
struct totals {
    uint64_t gradients, flushed, updates, lost;
    int64_t skipped;
    double seconds;
};

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
    return cli_value(c, "--compare") || cli_value(c, "--data") ||
           (accumulate && strcmp(accumulate, "low") == 0) || (batch && strcmp(batch, "all") != 0) ||
           (optimizer && strcmp(optimizer, "adamw") == 0);
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
    return finite && *out - *out == 0 ? CLI_DONE
                                      : cli_fail(c, CLI_USAGE, "%s: not a finite FP32 number", option);
}

static int read_scaler(struct cli *c, struct order *o)
{
    const char *text = cli_value(c, "--scaler");
    struct exact_error error;
    if (!text)
        text = o->config.recipe.scaler;
    if (!scaler_parse(text, &o->config.scaler, error.message, &error.column))
        return cli_fail_value(c, "--scaler: ", text, &error);
    scaler_text(&o->config.scaler, o->scaler, sizeof o->scaler);
    return CLI_DONE;
}

/* --twin RULE: a second run that differs from the first in its loss scale alone. */
static int read_twin(struct cli *c, struct order *o)
{
    const char *text = cli_value(c, "--twin");
    struct exact_error error;
    if (!text)
        return CLI_DONE;
    o->has_twin = true;
    o->twin = o->config;
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

static int read_order(struct cli *c, struct order *o)
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
    o->config = trainer_defaults(task, &recipe);
    o->every = 1;
    if (accumulate && strcmp(accumulate, "fp32") != 0)
        return no_such(c, "--accumulate", accumulate, "fp32");
    if (optimizer && !optimizer_find(optimizer, &o->config.optimizer))
        return no_such(c, "--optimizer", optimizer, "sgd, momentum, adam");
    if (!cli_value(c, "--steps"))
        return cli_fail(c, CLI_USAGE, "give --steps N");
    if (!cli_seed(c, &o->config.seed) || !cli_integer(c, "--steps", 1, STEPS_MAX, &o->steps) ||
        !cli_integer(c, "--every", 1, STEPS_MAX, &o->every))
        return CLI_USAGE;
    status = read_float(c, "--lr", &o->config.lr);
    if (status == CLI_DONE)
        status = read_float(c, "--loss-weight", &o->config.loss_weight);
    if (status == CLI_DONE)
        status = read_scaler(c, o);
    return status == CLI_DONE ? read_twin(c, o) : status;
}

/* ---- output ---- */

static json_t *float_json(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return report_bits_value(&format_table[FORMAT_FP32], bits);
}

static json_t *digest_json(uint64_t digest)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016llx", (unsigned long long)digest);
    return json_string(text);
}

static json_t *run_json(const struct order *o, const struct device *d)
{
    const struct recipe *r = &o->config.recipe;
    const char *names[] = {format_table[r->low].name, format_table[recipe_parameter_format(r)].name,
                           format_table[r->low_optimizer ? r->low : FORMAT_FP32].name};
    return json_pack("{s:s,s:s,s:s,s:s,s:b,s:s,s:b,s:s,s:s,s:s,s:s,s:o,s:o,s:I,s:s,s:s,s:I,s:I}", "device",
                     d->name, "task", o->config.task->name, "recipe", r->name, "low_format", names[0],
                     "autocast", r->autocast, "parameter_format", names[1], "master", recipe_has_master(r),
                     "optimizer_format", names[2], "update_rounding", update_rounding_name(r->rounding),
                     "scaler", o->scaler, "optimizer", optimizer_name(o->config.optimizer), "lr",
                     float_json(o->config.lr), "loss_weight", float_json(o->config.loss_weight), "seed",
                     (json_int_t)o->config.seed, "batch", "all", "accumulate", "fp32", "steps",
                     (json_int_t)o->steps, "every", (json_int_t)o->every);
}

static bool print_header(struct cli *c, const struct order *o, const struct device *d)
{
    if (cli_flag(c, "--json")) {
        json_t *root = report_begin("train");
        json_object_set_new(root, "run", run_json(o, d));
        return report_print(c->out, root);
    }
    fprintf(c->out, "task %s, recipe %s, scaler %s, %s, seed %llu, on %s (%s)\n", o->config.task->name,
            o->config.recipe.name, o->scaler, optimizer_name(o->config.optimizer),
            (unsigned long long)o->config.seed, d->name, d->description);
    fprintf(c->out, "%10s  %-12s %-12s %9s %9s %9s  %s\n", "step", "loss", "scale", "flushed", "subnormal",
            "lost", "digest");
    return true;
}

static json_t *lane_json(const struct order *o, const struct trainer_report *r, uint64_t digest,
                         uint64_t state_digest)
{
    json_t *gradients =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "count", (json_int_t)r->gradients, "zero", (json_int_t)r->zero,
                  "flushed", (json_int_t)r->flushed, "subnormal", (json_int_t)r->subnormal, "overflowed",
                  (json_int_t)r->overflowed, "nan", (json_int_t)r->nan);
    json_t *updates = json_pack("{s:I,s:I}", "count", (json_int_t)r->updates, "lost", (json_int_t)r->lost);
    return json_pack("{s:i,s:s,s:o,s:o,s:b,s:b,s:o,s:o,s:o,s:o}", "lane", 0, "recipe", o->config.recipe.name,
                     "loss", float_json(r->loss), "scale", float_json(r->scale), "overflow", r->overflow,
                     "skipped", r->skipped, "gradients", gradients, "updates", updates, "digest",
                     digest_json(digest), "state_digest", digest_json(state_digest));
}

static void print_share(FILE *out, uint64_t part, uint64_t whole)
{
    if (whole)
        fprintf(out, " %7.2f %%", 100.0 * (double)part / (double)whole);
    else
        fprintf(out, " %9s", "-");
}

static bool print_step(struct cli *c, const struct order *o, int64_t step, const struct trainer_report *r,
                       struct trainer *t)
{
    uint64_t digest, state_digest;
    if (!trainer_digest(t, &digest, &state_digest))
        return false;
    if (cli_flag(c, "--json")) {
        json_t *row = json_pack("{s:I,s:[o]}", "step", (json_int_t)step, "lanes",
                                lane_json(o, r, digest, state_digest));
        return report_print(c->out, row);
    }
    fprintf(c->out, "%10lld  %-12.6g %-12.6g", (long long)step, (double)r->loss, (double)r->scale);
    print_share(c->out, r->flushed, r->gradients);
    print_share(c->out, r->subnormal, r->gradients);
    print_share(c->out, r->lost, r->updates);
    fprintf(c->out, "  0x%016llx%s\n", (unsigned long long)digest,
            r->skipped ? "  overflow: step skipped" : "");
    return true;
}

/* Where the twin first differed: {"step","tensor","index","bits":[this run's, the twin's]}; null if it never
 * did. */
static json_t *difference_json(const struct difference *d)
{
    if (!d->found)
        return json_null();
    return json_pack("{s:I,s:s,s:[I,I],s:[o,o]}", "step", (json_int_t)d->step, "tensor", d->name, "index",
                     (json_int_t)d->row, (json_int_t)d->col, "bits",
                     report_bits(&format_table[d->format_a], d->bits_a),
                     report_bits(&format_table[d->format_b], d->bits_b));
}

static void print_difference(struct cli *c, const struct difference *d)
{
    if (d->found)
        fprintf(c->out, "the twin differs first in step %ld, %s[%ld,%ld]: 0x%x here, 0x%x there\n", d->step,
                d->name, d->row, d->col, d->bits_a, d->bits_b);
    else
        fprintf(c->out, "the twin never differs by a bit\n");
}

static bool print_summary(struct cli *c, const struct order *o, const struct totals *sum,
                          const struct trainer_report *last, struct trainer *t,
                          const struct difference *difference)
{
    uint64_t digest, state_digest;
    double accuracy;
    if (!trainer_digest(t, &digest, &state_digest) || !trainer_accuracy(t, &accuracy))
        return false;
    double rate = sum->seconds > 0 ? (double)o->steps / sum->seconds : 0;
    if (cli_flag(c, "--json")) {
        json_t *lane = json_pack("{s:i,s:s,s:o,s:f,s:o,s:o,s:I,s:{s:I,s:I},s:{s:I,s:I}}", "lane", 0, "recipe",
                                 o->config.recipe.name, "loss", float_json(last->loss), "accuracy_approx",
                                 accuracy, "digest", digest_json(digest), "state_digest",
                                 digest_json(state_digest), "skipped", (json_int_t)sum->skipped, "gradients",
                                 "count", (json_int_t)sum->gradients, "flushed", (json_int_t)sum->flushed,
                                 "updates", "count", (json_int_t)sum->updates, "lost", (json_int_t)sum->lost);
        json_t *summary = json_pack("{s:f,s:[o]}", "steps_per_second_approx", rate, "lanes", lane);
        if (o->has_twin)
            json_object_set_new(summary, "first_difference", difference_json(difference));
        return report_print(c->out, json_pack("{s:o}", "summary", summary));
    }
    fprintf(c->out, "accuracy %.4f; over all steps", accuracy);
    print_share(c->out, sum->flushed, sum->gradients);
    fprintf(c->out, " of gradients flushed,");
    print_share(c->out, sum->lost, sum->updates);
    fprintf(c->out, " of updates lost, %lld skipped; %.0f steps/s\n", (long long)sum->skipped, rate);
    if (o->has_twin)
        print_difference(c, difference);
    return true;
}

/* ---- the run ---- */

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add_up(struct totals *sum, const struct trainer_report *r)
{
    sum->gradients += r->gradients;
    sum->flushed += r->flushed;
    sum->updates += r->updates;
    sum->lost += r->lost;
    sum->skipped += r->skipped;
}

/* A step of the twin as well, until the first difference is found. */
static bool step_twin(struct trainer *t, struct trainer *twin, struct difference *difference)
{
    if (!twin || difference->found)
        return true;
    return trainer_step(twin) && compare_first_difference(t, twin, difference);
}

static bool run(struct cli *c, const struct order *o, struct trainer *t, struct trainer *twin)
{
    struct totals sum = {0};
    struct trainer_report report = {0};
    struct difference difference = {0};
    for (int64_t step = 1; step <= o->steps; step++) {
        double start = seconds_now();
        if (!trainer_step(t) || !trainer_report(t, &report))
            return false;
        sum.seconds += seconds_now() - start;
        add_up(&sum, &report);
        if (!step_twin(t, twin, &difference))
            return false;
        if ((step % o->every == 0 || step == o->steps) && !print_step(c, o, step, &report, t))
            return false;
        if (step % 256 == 0 && !cli_flush(c))
            return false;
    }
    return print_summary(c, o, &sum, &report, t, &difference);
}

int cli_train(struct cli *c)
{
    struct order order = {0};
    char error[DEVICE_TEXT] = "";
    int status = read_order(c, &order);
    struct device *d = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (!d)
        return status;
    struct trainer *t = trainer_create(d, &order.config, error);
    struct trainer *twin = t && order.has_twin ? trainer_create(d, &order.twin, error) : NULL;
    if (!t || (order.has_twin && !twin))
        status = cli_fail(c, CLI_FAILED, "%s", error);
    else if (!print_header(c, &order, d) || !run(c, &order, t, twin))
        status =
            cli_fail(c, CLI_FAILED, "%s", *device_error(d) ? device_error(d) : "cannot write the output");
    trainer_free(twin);
    trainer_free(t);
    device_close(d);
    return status;
}
