/* cli_train_print.c: what `train` prints: a header, a line a step, and a summary. */
#include "cli_train.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- header ---- */

static json_t *run_json(const struct train_run *run)
{
    const struct train_order *o = run->order;
    const struct trainer_config *c = &o->lanes[0].config;
    const struct recipe *r = &c->recipe;
    const char *names[] = {format_table[r->low].name, format_table[recipe_parameter_format(r)].name,
                           format_table[r->low_optimizer ? r->low : FORMAT_FP32].name};
    return json_pack("{s:s,s:s,s:s,s:s,s:b,s:s,s:b,s:s,s:s,s:s,s:s,s:o,s:o,s:I,s:s,s:s,s:I,s:I}", "device",
                     run->device->name, "task", c->task->name, "recipe", r->name, "low_format", names[0],
                     "autocast", r->autocast, "parameter_format", names[1], "master", recipe_has_master(r),
                     "optimizer_format", names[2], "update_rounding", update_rounding_name(r->rounding),
                     "scaler", o->lanes[0].scaler, "optimizer", optimizer_name(c->optimizer), "lr",
                     float_json(c->lr), "loss_weight", float_json(c->loss_weight), "seed",
                     (json_int_t)c->seed, "batch", "all", "accumulate", "fp32", "steps", (json_int_t)o->steps,
                     "every", (json_int_t)o->every);
}

static json_t *lanes_json(const struct train_run *r)
{
    json_t *lanes = json_array();
    for (int i = 0; i < r->order->lane_count; i++) {
        const struct lane_order *o = &r->order->lanes[i];
        json_array_append_new(lanes, json_pack("{s:i,s:s,s:s,s:s}", "lane", i, "recipe", o->recipe, "scaler",
                                               o->scaler, "device", r->lanes[i].device->name));
    }
    return lanes;
}

bool train_print_header(struct train_run *r)
{
    const struct train_order *o = r->order;
    const struct trainer_config *c = &o->lanes[0].config;
    FILE *out = r->c->out;
    if (cli_flag(r->c, "--json")) {
        json_t *root = report_begin("train"), *run = run_json(r);
        if (o->lane_count > 1)
            json_object_set_new(run, "lanes", lanes_json(r));
        json_object_set_new(root, "run", run);
        return report_print(out, root);
    }
    fprintf(out, "task %s, recipe %s, scaler %s, %s, seed %llu, on %s (%s)\n", c->task->name, c->recipe.name,
            o->lanes[0].scaler, optimizer_name(c->optimizer), (unsigned long long)c->seed, r->device->name,
            r->device->description);
    for (int i = 1; i < o->lane_count; i++)
        fprintf(out, "lane %d: recipe %s, scaler %s, on %s\n", i, o->lanes[i].recipe, o->lanes[i].scaler,
                r->lanes[i].device->name);
    fprintf(out, "%10s  %-12s %-12s %9s %9s %9s  %s\n", "step", "loss", "scale", "flushed", "subnormal",
            "lost", "digest");
    return true;
}

/* ---- steps ---- */

static json_t *lane_json(const struct train_lane *l, int lane, uint64_t digest, uint64_t state_digest)
{
    const struct trainer_report *r = &l->report;
    json_t *gradients =
        json_pack("{s:I,s:I,s:I,s:I,s:I,s:I}", "count", (json_int_t)r->gradients, "zero", (json_int_t)r->zero,
                  "flushed", (json_int_t)r->flushed, "subnormal", (json_int_t)r->subnormal, "overflowed",
                  (json_int_t)r->overflowed, "nan", (json_int_t)r->nan);
    json_t *updates = json_pack("{s:I,s:I}", "count", (json_int_t)r->updates, "lost", (json_int_t)r->lost);
    return json_pack("{s:i,s:s,s:o,s:o,s:b,s:b,s:o,s:o,s:o,s:o}", "lane", lane, "recipe", l->order->recipe,
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

static void print_lane(FILE *out, const struct train_run *run, int64_t step, int lane, uint64_t digest)
{
    const struct trainer_report *r = &run->lanes[lane].report;
    char name[24];
    if (lane)
        snprintf(name, sizeof name, "lane %d", lane);
    else
        snprintf(name, sizeof name, "%lld", (long long)step);
    fprintf(out, "%10s  %-12.6g %-12.6g", name, (double)r->loss, (double)r->scale);
    print_share(out, r->flushed, r->gradients);
    print_share(out, r->subnormal, r->gradients);
    print_share(out, r->lost, r->updates);
    fprintf(out, "  0x%016llx%s\n", (unsigned long long)digest, r->skipped ? "  overflow: step skipped" : "");
}

bool train_print_step(struct train_run *r, int64_t step)
{
    bool json = cli_flag(r->c, "--json");
    json_t *lanes = json ? json_array() : NULL;
    for (int i = 0; i < r->order->lane_count; i++) {
        uint64_t digest, state_digest;
        if (!trainer_digest(r->lanes[i].trainer, &digest, &state_digest)) {
            json_decref(lanes);
            return false;
        }
        if (json)
            json_array_append_new(lanes, lane_json(&r->lanes[i], i, digest, state_digest));
        else
            print_lane(r->c->out, r, step, i, digest);
    }
    if (!json)
        return true;
    json_t *row = json_pack("{s:I,s:o}", "step", (json_int_t)step, "lanes", lanes);
    if (row && json_array_size(r->events) > 0)
        json_object_set_new(row, "events", r->events);
    else
        json_decref(r->events);
    r->events = NULL;
    return report_print(r->c->out, row);
}

/* ---- summary ---- */

/* {"step","phase","tensor","index","bits":[one's, the other's]}; null for none. */
json_t *train_difference_json(const struct difference *d)
{
    if (!d->found)
        return json_null();
    return json_pack("{s:I,s:s,s:s,s:[I,I],s:[o,o]}", "step", (json_int_t)d->step, "phase",
                     phase_name(d->phase), "tensor", d->name, "index", (json_int_t)d->row, (json_int_t)d->col,
                     "bits", report_bits(&format_table[d->format_a], d->bits_a),
                     report_bits(&format_table[d->format_b], d->bits_b));
}

static json_t *differences_json(const struct train_run *r)
{
    json_t *list = json_array();
    for (int b = 1; b < r->order->lane_count; b++)
        for (int a = 0; a < b; a++)
            json_array_append_new(list,
                                  json_pack("{s:[i,i],s:o}", "lanes", a, b, "first",
                                            train_difference_json(&r->differences[b * (b - 1) / 2 + a])));
    return list;
}

static void print_difference(FILE *out, const struct difference *d, const char *who, const char *s)
{
    if (d->found)
        fprintf(out, "%s differ%s first in step %ld, %s, %s[%ld,%ld]: 0x%x here, 0x%x there\n", who, s,
                d->step, phase_name(d->phase), d->name, d->row, d->col, d->bits_a, d->bits_b);
    else
        fprintf(out, "%s never differ%s by a bit\n", who, s);
}

/* || w - w32 || of one parameter, from downloads. */
static bool drift(struct trainer *a, struct trainer *b, int param, double *norm)
{
    const struct tensor *x = trainer_param_tensor(a, param, TENSOR_MASTER),
                        *y = trainer_param_tensor(b, param, TENSOR_WEIGHT);
    if (!x)
        x = trainer_param_tensor(a, param, TENSOR_WEIGHT);
    long n = x->rows * x->cols;
    uint32_t *left = malloc((size_t)n * 4), *right = malloc((size_t)n * 4);
    bool ok = left && right && trainer_read(a, x, 0, n, left) && trainer_read(b, y, 0, n, right);
    double sum = 0;
    for (long i = 0; ok && i < n; i++) {
        uint32_t bits = x->format == FORMAT_FP32 ? left[i] : ((const uint16_t *)left)[i];
        double d = compare_decode(x->format, bits) - compare_decode(FORMAT_FP32, right[i]);
        sum += d * d;
    }
    free(left);
    free(right);
    *norm = sqrt(sum);
    return ok;
}

/* Drift from the first FP32 lane, parameter by parameter; no key where there is none. */
static bool add_drift(const struct train_run *r, int lane, json_t *to)
{
    int reference = 0;
    while (reference < r->order->lane_count && r->order->lanes[reference].config.recipe.low != FORMAT_FP32)
        reference++;
    if (reference == r->order->lane_count || reference == lane)
        return true;
    struct trainer *t = r->lanes[lane].trainer;
    json_t *drifts = json_object();
    for (int p = 0; p < trainer_param_count(t); p++) {
        double norm;
        if (!drift(t, r->lanes[reference].trainer, p, &norm)) {
            json_decref(drifts);
            return false;
        }
        json_object_set_new(drifts, trainer_param_tensor(t, p, TENSOR_WEIGHT)->name,
                            report_approximate(norm));
    }
    return json_object_set_new(to, "drift_approx", drifts) == 0;
}

static json_t *summary_lane(const struct train_run *r, int index)
{
    const struct train_lane *l = &r->lanes[index];
    uint64_t digest, state_digest;
    double accuracy;
    if (!trainer_digest(l->trainer, &digest, &state_digest) || !trainer_accuracy(l->trainer, &accuracy))
        return NULL;
    json_t *lane = json_pack("{s:i,s:s,s:o,s:f,s:o,s:o,s:I,s:{s:I,s:I},s:{s:I,s:I}}", "lane", index, "recipe",
                             l->order->recipe, "loss", float_json(l->report.loss), "accuracy_approx",
                             accuracy, "digest", digest_json(digest), "state_digest",
                             digest_json(state_digest), "skipped", (json_int_t)l->sum.skipped, "gradients",
                             "count", (json_int_t)l->sum.gradients, "flushed", (json_int_t)l->sum.flushed,
                             "updates", "count", (json_int_t)l->sum.updates, "lost", (json_int_t)l->sum.lost);
    if (lane && add_drift(r, index, lane))
        return lane;
    json_decref(lane);
    return NULL;
}

static bool summary_json(struct train_run *r, double rate)
{
    json_t *lanes = json_array();
    for (int i = 0; i < r->order->lane_count; i++)
        if (json_array_append_new(lanes, summary_lane(r, i)) != 0) {
            json_decref(lanes);
            return false;
        }
    json_t *summary = json_pack("{s:f,s:o}", "steps_per_second_approx", rate, "lanes", lanes);
    if (r->order->has_twin)
        json_object_set_new(summary, "first_difference", train_difference_json(&r->twin_difference));
    if (r->order->lane_count > 1)
        json_object_set_new(summary, "first_differences", differences_json(r));
    return report_print(r->c->out, json_pack("{s:o}", "summary", summary));
}

bool train_print_summary(struct train_run *r)
{
    double rate = r->seconds > 0 ? (double)r->order->steps / r->seconds : 0;
    FILE *out = r->c->out;
    if (cli_flag(r->c, "--json"))
        return summary_json(r, rate);
    for (int i = 0; i < r->order->lane_count; i++) {
        const struct train_totals *sum = &r->lanes[i].sum;
        double accuracy;
        if (!trainer_accuracy(r->lanes[i].trainer, &accuracy))
            return false;
        if (i)
            fprintf(out, "lane %d: ", i);
        fprintf(out, "accuracy %.4f; over all steps", accuracy);
        print_share(out, sum->flushed, sum->gradients);
        fprintf(out, " of gradients flushed,");
        print_share(out, sum->lost, sum->updates);
        fprintf(out, " of updates lost, %lld skipped; %.0f steps/s\n", (long long)sum->skipped, rate);
    }
    if (r->order->has_twin)
        print_difference(out, &r->twin_difference, "the twin", "s");
    for (int b = 1; b < r->order->lane_count; b++)
        for (int a = 0; a < b; a++) {
            char who[40];
            snprintf(who, sizeof who, "lanes %d and %d", a, b);
            print_difference(out, &r->differences[b * (b - 1) / 2 + a], who, "");
        }
    return true;
}
