/* trainer.c: a run: creation, stepping, and what can be read from it.  The layout of a step is made in
 * plan.c. */
#include "plan.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_WEIGHTS = 16 }; /* of the random words; one more for each parameter */

const char *phase_name(enum phase p)
{
    static const char *const names[PHASE_COUNT] = {"cast",  "forward", "loss",   "scale", "backward",
                                                   "check", "unscale", "update", "sync",  "rescale"};
    return names[p];
}

struct trainer_config trainer_defaults(const struct task *task, const struct recipe *recipe)
{
    struct trainer_config c = {.task = task, .loss_weight = 1.0f, .optimizer = task->optimizer};
    char error[160];
    size_t column;
    c.recipe = recipe ? *recipe : *recipe_find("bf16");
    c.lr = strtof(task->lr, NULL); /* a short decimal: rounded once, and LC_NUMERIC stays "C" */
    scaler_parse(c.recipe.scaler, &c.scaler, error, &column);
    return c;
}

/* ---- creation ---- */

static bool upload_settings(struct trainer *t)
{
    return device_upload(t->device, t->device_settings, &t->settings, sizeof t->settings);
}

/* Constants of the optimizers are those of PyTorch, each rounded once to FP32; 1 - beta is rounded from its
 * own decimal, as frameworks compute it in double. */
static bool start_state(struct trainer *t)
{
    const struct trainer_config *c = &t->config;
    struct run_state state = {
        .scale = 1.0f, .used_scale = 1.0f, .inverse_scale = 1.0f, .beta1_power = 1.0, .beta2_power = 1.0};
    t->settings = (struct run_settings){.seed = c->seed,
                                        .lr = c->lr,
                                        .momentum = 0.9f,
                                        .beta1 = 0.9f,
                                        .beta2 = 0.999f,
                                        .one_minus_beta1 = 0.1f,
                                        .one_minus_beta2 = 0.001f,
                                        .epsilon = 1e-8f,
                                        .loss_weight = c->loss_weight};
    scaler_apply(&c->scaler, &t->settings, &state);
    return upload_settings(t) && device_upload(t->device, t->state, &state, sizeof state);
}

/* Weights N(0,1)/sqrt(fan-in), biases 0, made in FP32 and rounded to what the recipe stores. */
static bool start_weights(struct trainer *t)
{
    bool has_master = t->role_first[TENSOR_MASTER] != TENSOR_NONE;
    enum tensor_role held = has_master ? TENSOR_MASTER : TENSOR_WEIGHT;
    float *full = t->arenas[TENSOR_DELTA]; /* FP32 scratch until the first update */
    for (int p = 0; p < t->param_count; p++) {
        if (t->param_rows[p] == 1)
            continue;
        struct fill_normal_args fill = {full + t->param_offset[p], t->param_rows[p] * t->param_cols[p],
                                        t->param_rows[p], t->config.seed, (uint32_t)(STREAM_WEIGHTS + p)};
        if (!device_launch(t->device, KERNEL_fill_normal, &fill))
            return false;
    }
    enum tensor_role roles[2] = {held, TENSOR_WEIGHT};
    for (int i = 0; i < (has_master ? 2 : 1); i++) {
        int first = t->role_first[roles[i]];
        struct param_args cast = {t->blocks,           t->block_count, full,
                                  t->arenas[roles[i]], t->state,       plan_counters(t, first)};
        if (!device_launch(t->device, KERNEL_FOR(cast_params, t->tensors[first].format), &cast))
            return false;
    }
    for (int i = 0; i < t->param_count; i++) { /* leave no trace in Delta */
        const struct tensor *delta = &t->tensors[t->role_first[TENSOR_DELTA] + i];
        size_t bytes = sizeof(float) * (size_t)(delta->rows * delta->cols);
        void *zeros = calloc(1, bytes);
        bool ok = zeros && device_upload(t->device, delta->data, zeros, bytes);
        free(zeros);
        if (!ok)
            return false;
    }
    return true;
}

struct trainer *trainer_create(struct device *d, const struct trainer_config *config, char *error)
{
    struct trainer *t = calloc(1, sizeof *t);
    if (!t) {
        snprintf(error, DEVICE_TEXT, "out of memory");
        return NULL;
    }
    t->device = d;
    t->config = *config;
    if (!plan_build(t) || !start_state(t) || !start_weights(t) ||
        !config->task->make_data(d, config->task, config->seed, t->points, t->labels, t->targets)) {
        snprintf(error, DEVICE_TEXT, "%s", *t->error ? t->error : device_error(d));
        trainer_free(t);
        return NULL;
    }
    return t;
}

void trainer_free(struct trainer *t)
{
    if (!t)
        return;
    trainer_forget_graph(t);
    for (int i = 0; i < t->allocation_count; i++)
        device_release(t->device, t->allocations[i]);
    free(t);
}

/* ---- changes ---- */

bool trainer_set_lr(struct trainer *t, float lr)
{
    t->settings.lr = t->config.lr = lr;
    return upload_settings(t);
}

bool trainer_inject_overflow(struct trainer *t)
{
    const struct tensor *gradient = &t->tensors[t->role_first[TENSOR_GRADIENT]];
    uint32_t infinity = (uint32_t)format_infinity(&format_table[gradient->format]);
    return device_upload(t->device, gradient->data, &infinity, gradient->format == FORMAT_FP32 ? 4 : 2);
}

long trainer_steps(const struct trainer *t)
{
    return t->steps;
}

const struct trainer_config *trainer_config(const struct trainer *t)
{
    return &t->config;
}

/* ---- reading ---- */

int trainer_tensor_count(const struct trainer *t)
{
    return t->tensor_count;
}

const struct tensor *trainer_tensor(const struct trainer *t, int index)
{
    return &t->tensors[index];
}

const struct tensor *trainer_param_tensor(const struct trainer *t, int param, enum tensor_role role)
{
    return t->role_first[role] == TENSOR_NONE ? NULL : &t->tensors[t->role_first[role] + param];
}

int trainer_gradient_count(const struct trainer *t)
{
    return t->gradient_count;
}

const struct tensor *trainer_gradient(const struct trainer *t, int index)
{
    return &t->tensors[t->gradients[index]];
}

int trainer_param_count(const struct trainer *t)
{
    return t->param_count;
}

const char *trainer_describe(const struct trainer *t, enum phase p, int launch)
{
    for (int i = 0; i < t->launch_count; i++)
        if (t->launches[i].phase == p && launch-- == 0)
            return t->launches[i].what;
    return NULL;
}

bool trainer_read_state(struct trainer *t, struct run_state *state)
{
    return device_download(t->device, state, t->state, sizeof *state);
}

bool trainer_read_counts(struct trainer *t, struct trainer_counts *counts)
{
    return device_download(t->device, counts, t->counters, (size_t)t->tensor_count * sizeof *counts);
}

bool trainer_read(struct trainer *t, const struct tensor *tensor, long first, long n, void *to)
{
    size_t size = tensor->format == FORMAT_FP32 ? 4 : 2;
    return device_download(t->device, to, (const char *)tensor->data + (size_t)first * size,
                           (size_t)n * size);
}

bool trainer_report(struct trainer *t, struct trainer_report *report)
{
    struct run_state state;
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    if (!trainer_read_state(t, &state) || !trainer_read_counts(t, counts))
        return false;
    *report = (struct trainer_report){.loss = state.loss,
                                      .scale = state.used_scale,
                                      .overflow = state.found_inf != 0,
                                      .skipped = state.found_inf != 0};
    for (int i = 0; i < t->tensor_count; i++) {
        const uint32_t *word = counts[i].word;
        report->updates += word[COUNTER_UPDATED];
        report->lost += word[COUNTER_LOST];
        if (!t->tensors[i].is_gradient_store)
            continue;
        report->gradients += (uint64_t)(t->tensors[i].rows * t->tensors[i].cols) - word[COUNTER_ZERO];
        report->zero += word[COUNTER_ZERO];
        report->flushed += word[COUNTER_FLUSHED];
        report->subnormal += word[COUNTER_SUBNORMAL];
        report->overflowed += word[COUNTER_OVERFLOWED];
        report->nan += word[COUNTER_NAN];
    }
    return true;
}

static uint64_t fnv(uint64_t hash, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static bool hash_tensor(struct trainer *t, const struct tensor *x, uint64_t *hash)
{
    long n = x->rows * x->cols;
    size_t bytes = (size_t)n * (x->format == FORMAT_FP32 ? 4 : 2);
    void *data = malloc(bytes);
    bool ok = data && trainer_read(t, x, 0, n, data);
    if (ok)
        *hash = fnv(*hash, data, bytes);
    free(data);
    return ok;
}

static bool hash_role(struct trainer *t, enum tensor_role role, uint64_t *hash)
{
    for (int p = 0; t->role_first[role] != TENSOR_NONE && p < t->param_count; p++)
        if (!hash_tensor(t, &t->tensors[t->role_first[role] + p], hash))
            return false;
    return true;
}

bool trainer_digest(struct trainer *t, uint64_t *digest, uint64_t *state_digest)
{
    static const enum tensor_role roles[] = {TENSOR_WEIGHT, TENSOR_COPY, TENSOR_MOMENT1, TENSOR_MOMENT2,
                                             TENSOR_COMPENSATION};
    bool has_master = t->role_first[TENSOR_MASTER] != TENSOR_NONE;
    struct run_state state;
    *digest = UINT64_C(0xcbf29ce484222325);
    if (!hash_role(t, has_master ? TENSOR_MASTER : TENSOR_WEIGHT, digest) || !trainer_read_state(t, &state))
        return false;
    *state_digest = *digest;
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!hash_role(t, roles[i], state_digest))
            return false;
    *state_digest = fnv(*state_digest, &state.scale, sizeof state.scale);
    *state_digest = fnv(*state_digest, &state.tracker, sizeof state.tracker);
    *state_digest = fnv(*state_digest, &state.steps, sizeof state.steps);
    *state_digest = fnv(*state_digest, &state.updates, sizeof state.updates);
    return true;
}

bool trainer_accuracy(struct trainer *t, double *accuracy)
{
    const struct task *task = t->config.task;
    const struct node *loss = &t->nodes[t->node_count - 1];
    struct accuracy_args args = {
        t->tensors[loss->input].data, t->labels, t->targets, task->samples, task->outputs, t->correct};
    uint32_t correct = 0;
    bool ok = device_upload(t->device, t->correct, &correct, sizeof correct) &&
              device_launch(t->device, t->labels ? KERNEL_count_classes : KERNEL_count_signs, &args) &&
              device_download(t->device, &correct, t->correct, sizeof correct);
    *accuracy = (double)correct / (double)task->samples;
    return ok;
}

struct trainer_arena trainer_arena(const struct trainer *t)
{
    bool has_master = t->role_first[TENSOR_MASTER] != TENSOR_NONE;
    enum tensor_role held = has_master ? TENSOR_MASTER : TENSOR_WEIGHT;
    struct trainer_arena a = {.blocks = t->blocks,
                              .block_count = t->block_count,
                              .weights = t->arenas[held],
                              .weight_format = t->tensors[t->role_first[held]].format,
                              .gradients = t->arenas[TENSOR_UNSCALED],
                              .elements = t->block_count * PARAM_BLOCK};
    return a;
}
