/* plan.c: from a task and a recipe to tensors and launches.
 *
 * Formats phase by phase follow what the frameworks do: casts of weights and inputs in the cast phase; matrix
 * products in the low format with FP32 sums; the loss in FP32; the gradient of the logits rounded to the low
 * format where its cast is (the first place that can underflow); parameter gradients rounded once through the
 * low format, then unscaled in FP32; the update on the master, or on FP32 parameters, or on the low ones; the
 * master's rounding back. */
#include "plan.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t element_size(enum format_id format)
{
    return format == FORMAT_FP32 ? 4 : 2;
}

void *plan_alloc(struct trainer *t, size_t bytes)
{
    void *memory = device_alloc(t->device, bytes);
    if (memory)
        t->allocations[t->allocation_count++] = memory;
    else
        snprintf(t->error, sizeof t->error, "%s", device_error(t->device));
    return memory;
}

/* A piece of the slab; plan_slab has made it large enough for all. */
static void *slab_take(struct trainer *t, size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64;
    if (!t->slab || t->slab_size - t->slab_used < rounded)
        return NULL;
    t->slab_used += rounded;
    return t->slab + t->slab_used - rounded;
}

static size_t points_size(const struct trainer *t)
{
    return sizeof(float) * (size_t)(t->config.task->samples * t->config.task->inputs);
}

static bool plan_slab(struct trainer *t)
{
    enum { ROOM = 4096 };
    t->slab_size = sizeof(uint32_t) * TRAINER_MAX_TENSORS * COUNTER_COUNT + ROOM + points_size(t) +
                   (size_t)(t->block_count * PARAM_BLOCK) * sizeof(float) * TENSOR_ROLE_COUNT;
    t->slab = plan_alloc(t, t->slab_size);
    t->counters = slab_take(t, sizeof(uint32_t) * TRAINER_MAX_TENSORS * COUNTER_COUNT);
    t->state = slab_take(t, sizeof *t->state);
    t->device_settings = slab_take(t, sizeof *t->device_settings);
    return t->slab != NULL;
}

uint32_t *plan_counters(const struct trainer *t, int tensor)
{
    return t->counters + (long)tensor * COUNTER_COUNT;
}

/* ---- tensors ---- */

static int add_tensor(struct trainer *t, enum tensor_role role, enum format_id format, long rows, long cols,
                      const char *name, ...)
{
    struct tensor *x = &t->tensors[t->tensor_count];
    va_list list;
    va_start(list, name);
    vsnprintf(x->name, sizeof x->name, name, list);
    va_end(list);
    x->role = role;
    x->format = format;
    x->rows = rows;
    x->cols = cols;
    x->param = TENSOR_NONE;
    return t->tensor_count++;
}

/* A tensor with memory of its own; -1 on failure. */
static int add_array(struct trainer *t, enum tensor_role role, enum format_id format, long rows, long cols,
                     const char *name, const char *suffix)
{
    int index = add_tensor(t, role, format, rows, cols, "%s%s", name, suffix);
    t->tensors[index].data = plan_alloc(t, (size_t)(rows * cols) * element_size(format));
    return t->tensors[index].data ? index : TENSOR_NONE;
}

/* An arena: one tensor a parameter, all in one piece. */
static bool add_arena(struct trainer *t, enum tensor_role role, enum format_id format, const char *suffix)
{
    char *memory = slab_take(t, (size_t)(t->block_count * PARAM_BLOCK) * element_size(format));
    t->arenas[role] = memory;
    t->role_first[role] = t->tensor_count;
    int param = 0;
    for (int i = 0; memory && i < t->node_count; i++)
        for (int part = 0; t->nodes[i].op->has_parameters && part < 2; part++, param++) {
            int index = add_tensor(t, role, format, t->param_rows[param], t->param_cols[param], "%s.%s%s",
                                   t->nodes[i].name, part ? "bias" : "weight", suffix);
            t->tensors[index].data = memory + (size_t)t->param_offset[param] * element_size(format);
            t->tensors[index].param = param;
            t->tensors[index].is_gradient_store = role == TENSOR_GRADIENT;
        }
    return memory != NULL;
}

/* The arena that `role` names, or the nearest thing to it that this recipe has. */
static enum format_id arena_format(const struct trainer *t, enum tensor_role role)
{
    return t->tensors[t->role_first[role]].format;
}

static uint32_t *arena_counters(const struct trainer *t, enum tensor_role role)
{
    return plan_counters(t, t->role_first[role]);
}

/* ---- launches ---- */

static union kernel_args *add_launch(struct trainer *t, enum phase phase, enum kernel_id kernel,
                                     const char *what, ...)
{
    struct launch *l = &t->launches[t->launch_count++];
    va_list list;
    va_start(list, what);
    vsnprintf(l->what, sizeof l->what, what, list);
    va_end(list);
    l->phase = phase;
    l->kernel = kernel;
    return &l->args;
}

static struct step_args step_args(const struct trainer *t, long terms)
{
    struct step_args a = {t->state, t->device_settings, t->counters,
                          (long)TRAINER_MAX_TENSORS * COUNTER_COUNT, terms};
    return a;
}

static const char *format_name(enum format_id f)
{
    return format_table[f].name;
}

/* A cast of a whole tensor to another format; one of the two is FP32. */
static void add_cast(struct trainer *t, enum phase phase, int from, int to)
{
    const struct tensor *a = &t->tensors[from], *b = &t->tensors[to];
    bool narrowing = a->format == FORMAT_FP32;
    enum kernel_id kernel = narrowing ? KERNEL_FOR(cast_to, b->format) : KERNEL_FOR(cast_from, a->format);
    add_launch(t, phase, kernel, "cast %s: %s to %s", a->name, format_name(a->format), format_name(b->format))
        ->cast = (struct cast_args){a->data, b->data, a->rows * a->cols, plan_counters(t, to)};
}

static void add_param_launch(struct trainer *t, enum phase phase, enum kernel_id kernel,
                             enum tensor_role from, enum tensor_role to, const char *what)
{
    add_launch(t, phase, kernel, "%s", what)->param = (struct param_args){
        t->blocks, t->block_count, t->arenas[from], t->arenas[to], t->state, arena_counters(t, to)};
}

/* ---- the model ---- */

static const void *param_data(const struct trainer *t, enum tensor_role role, int param)
{
    return t->tensors[t->role_first[role] + param].data;
}

/* Which arena the operations read their parameters from. */
static enum tensor_role operand_role(const struct trainer *t)
{
    return t->role_first[TENSOR_COPY] != TENSOR_NONE ? TENSOR_COPY : TENSOR_WEIGHT;
}

static void forward_linear(struct trainer *t, const struct node *n)
{
    enum tensor_role role = operand_role(t);
    add_launch(t, PHASE_FORWARD, KERNEL_FOR(linear_forward, n->format),
               "linear %s: %s = x w + b in %s, accumulated in fp32", n->name, t->tensors[n->output].name,
               format_name(n->format))
        ->linear = (struct linear_args){t->tensors[n->input].data,
                                        param_data(t, role, n->param),
                                        param_data(t, role, n->param + 1),
                                        t->tensors[n->output].data,
                                        t->config.task->samples,
                                        n->in,
                                        n->out,
                                        plan_counters(t, n->output)};
}

static void forward_tanh(struct trainer *t, const struct node *n)
{
    add_launch(t, PHASE_FORWARD, KERNEL_FOR(tanh_forward, n->format), "%s: %s = tanh(%s) in %s", n->name,
               t->tensors[n->output].name, t->tensors[n->input].name, format_name(n->format))
        ->tanh = (struct tanh_args){.x = t->tensors[n->input].data,
                                    .y = t->tensors[n->output].data,
                                    .n = t->config.task->samples * n->out,
                                    .counters = plan_counters(t, n->output)};
}

static struct loss_args loss_args(const struct trainer *t, const struct node *n, int counted)
{
    const struct tensor *work = &t->tensors[n->output];
    struct loss_args a = {t->tensors[n->input].data,
                          t->labels,
                          t->targets,
                          work->data,
                          t->row_loss,
                          NULL,
                          t->config.task->samples,
                          n->in,
                          t->state,
                          plan_counters(t, counted)};
    return a;
}

/* Terms of the mean: rows for cross-entropy, elements for the squared error. */
static long loss_terms(const struct trainer *t, const struct node *n)
{
    return t->config.task->samples * (n->op == &op_table[OP_MSE] ? n->in : 1);
}

static void forward_loss(struct trainer *t, const struct node *n)
{
    bool mse = n->op == &op_table[OP_MSE];
    add_launch(t, PHASE_LOSS, mse ? KERNEL_mse_forward : KERNEL_softmax_forward, "%s of %s in fp32",
               n->op->name, t->tensors[n->input].name)
        ->loss = loss_args(t, n, n->output);
    add_launch(t, PHASE_LOSS, KERNEL_loss_mean, "mean of the samples' losses")->loss_mean =
        (struct loss_mean_args){t->row_loss, t->config.task->samples, loss_terms(t, n), t->state};
    add_launch(t, PHASE_SCALE, KERNEL_scale_loss, "loss x loss weight x S: where backpropagation starts")
        ->step = step_args(t, loss_terms(t, n));
}

/* Walks the task: tensors for every output, casts where an operation computes in another format than its
 * input has. */
static bool plan_forward(struct trainer *t, int input)
{
    for (int i = 0; i < t->node_count; i++) {
        struct node *n = &t->nodes[i];
        n->raw_input = n->input = input;
        if (t->tensors[input].format != n->format) {
            char suffix[16];
            snprintf(suffix, sizeof suffix, ".%s", format_name(n->format));
            n->input = add_array(t, t->tensors[input].role, n->format, t->tensors[input].rows, n->in,
                                 t->tensors[input].name, suffix);
            if (n->input < 0)
                return false;
            add_cast(t, i == 0 ? PHASE_CAST : n->op->is_loss ? PHASE_LOSS : PHASE_FORWARD, input, n->input);
        }
        const char *name = n->op->is_loss ? "loss.work" : t->config.task->ops[i].output;
        n->output = add_array(t, TENSOR_ACTIVATION, n->format, t->config.task->samples, n->out, name, "");
        if (n->output < 0)
            return false;
        if (n->op == &op_table[OP_LINEAR])
            forward_linear(t, n);
        else if (n->op == &op_table[OP_TANH])
            forward_tanh(t, n);
        else
            forward_loss(t, n);
        input = n->output;
    }
    return true;
}

static void backward_linear(struct trainer *t, const struct node *n, int dy, int dx)
{
    enum tensor_role role = operand_role(t);
    long rows = t->config.task->samples;
    int weight = t->role_first[TENSOR_GRADIENT] + n->param;
    if (dx != TENSOR_NONE)
        add_launch(t, PHASE_BACKWARD, KERNEL_FOR(linear_backward_input, n->format),
                   "linear %s backward: %s = dy wT in %s, accumulated in fp32", n->name, t->tensors[dx].name,
                   format_name(n->format))
            ->linear_backward_input = (struct linear_backward_input_args){
            t->tensors[dy].data, param_data(t, role, n->param), t->tensors[dx].data, rows, n->in, n->out,
            plan_counters(t, dx)};
    add_launch(t, PHASE_BACKWARD, KERNEL_FOR(linear_backward_weight, n->format),
               "linear %s backward: dw = xT dy, db = sum of dy in %s, accumulated in fp32", n->name,
               format_name(n->format))
        ->linear_backward_weight = (struct linear_backward_weight_args){t->tensors[n->input].data,
                                                                        t->tensors[dy].data,
                                                                        t->tensors[weight].data,
                                                                        t->tensors[weight + 1].data,
                                                                        rows,
                                                                        n->in,
                                                                        n->out,
                                                                        plan_counters(t, weight),
                                                                        plan_counters(t, weight + 1)};
}

static void backward_tanh(struct trainer *t, const struct node *n, int dy, int dx)
{
    add_launch(t, PHASE_BACKWARD, KERNEL_FOR(tanh_backward, n->format),
               "%s backward: %s = dy (1 - y^2) in %s", n->name, t->tensors[dx].name, format_name(n->format))
        ->tanh = (struct tanh_args){.y = t->tensors[n->output].data,
                                    .dy = t->tensors[dy].data,
                                    .dx = t->tensors[dx].data,
                                    .n = t->config.task->samples * n->out,
                                    .counters = plan_counters(t, dx)};
}

static void backward_loss(struct trainer *t, const struct node *n, int dx)
{
    bool mse = n->op == &op_table[OP_MSE];
    union kernel_args *a = add_launch(t, PHASE_BACKWARD, mse ? KERNEL_mse_backward : KERNEL_softmax_backward,
                                      "%s backward: %s in fp32", n->op->name, t->tensors[dx].name);
    a->loss = loss_args(t, n, dx);
    a->loss.gradient = t->tensors[dx].data;
}

static void note_gradient(struct trainer *t, int tensor)
{
    if (tensor != TENSOR_NONE)
        t->gradients[t->gradient_count++] = tensor;
}

/* Walks the task backwards.  A gradient is stored where its operation writes it and, at a cast, once more:
 * the counters of a step take each gradient once, as stored last. */
static bool plan_backward(struct trainer *t)
{
    int dy = TENSOR_NONE;
    for (int i = t->node_count - 1; i >= 0; i--) {
        struct node *n = &t->nodes[i];
        int dx = TENSOR_NONE;
        if (i > 0) {
            dx = add_array(t, TENSOR_ACTIVATION_GRADIENT, n->format, t->tensors[n->input].rows, n->in,
                           t->tensors[n->input].name, ".grad");
            if (dx < 0)
                return false;
        }
        if (n->op == &op_table[OP_LINEAR])
            backward_linear(t, n, dy, dx);
        else if (n->op == &op_table[OP_TANH])
            backward_tanh(t, n, dy, dx);
        else
            backward_loss(t, n, dx);
        note_gradient(t, dx);
        for (int part = 0; n->op->has_parameters && part < 2; part++)
            note_gradient(t, t->role_first[TENSOR_GRADIENT] + n->param + part);
        if (i > 0 && n->input != n->raw_input) {
            const struct tensor *raw = &t->tensors[n->raw_input];
            int cast = add_array(t, TENSOR_ACTIVATION_GRADIENT, raw->format, raw->rows, raw->cols, raw->name,
                                 ".grad");
            if (cast < 0)
                return false;
            add_cast(t, PHASE_BACKWARD, dx, cast);
            note_gradient(t, cast);
            dx = cast;
        }
        if (dx != TENSOR_NONE)
            t->tensors[dx].is_gradient_store = true;
        dy = dx;
    }
    return true;
}

/* ---- after the backward pass ---- */

static void plan_update(struct trainer *t)
{
    const struct recipe *r = &t->config.recipe;
    bool low = r->low_optimizer;
    enum tensor_role weights = recipe_has_master(r) ? TENSOR_MASTER : TENSOR_WEIGHT;
    enum format_id gradient = arena_format(t, TENSOR_GRADIENT);
    bool scaled = t->config.scaler.kind != SCALER_NONE;
    if (scaled && t->config.scaler.check)
        add_param_launch(t, PHASE_CHECK, KERNEL_FOR(check, gradient), TENSOR_GRADIENT, TENSOR_GRADIENT,
                         "are all gradients finite?");
    add_param_launch(t, PHASE_UNSCALE, KERNEL_FOR(unscale, gradient), TENSOR_GRADIENT, TENSOR_UNSCALED,
                     scaled ? "gradients to fp32, times 1/S" : "gradients to fp32");
    if (low && scaled && (t->config.scaler.kind == SCALER_DYNAMIC || t->config.scaler.init != 1.0f))
        add_param_launch(t, PHASE_UNSCALE, KERNEL_FOR(cast_params, gradient), TENSOR_UNSCALED,
                         TENSOR_GRADIENT, "true gradients back in the low format");
    enum format_id format = arena_format(t, weights);
    add_launch(t, PHASE_UPDATE, low ? KERNEL_FOR(update_low, format) : KERNEL_FOR(update, format),
               "%s on %s weights, stored by %s", optimizer_name(t->config.optimizer),
               recipe_has_master(r) ? "fp32 master" : format_name(format), update_rounding_name(r->rounding))
        ->update = (struct update_args){t->blocks,
                                        t->block_count,
                                        t->arenas[weights],
                                        t->arenas[low ? TENSOR_GRADIENT : TENSOR_UNSCALED],
                                        t->arenas[TENSOR_MOMENT1],
                                        t->arenas[TENSOR_MOMENT2],
                                        t->arenas[TENSOR_COMPENSATION],
                                        t->arenas[TENSOR_DELTA],
                                        t->arenas[TENSOR_PREVIOUS],
                                        t->state,
                                        t->device_settings,
                                        arena_counters(t, weights),
                                        (int32_t)t->config.optimizer,
                                        (int32_t)r->rounding};
    if (recipe_has_master(r))
        add_param_launch(t, PHASE_SYNC, KERNEL_FOR(cast_params, r->low), TENSOR_MASTER, TENSOR_WEIGHT,
                         "master weights rounded to the model's");
    add_launch(t, PHASE_RESCALE, KERNEL_rescale, "the scaler's rule; step count")->step = step_args(t, 1);
}

/* ---- putting it together ---- */

static bool plan_nodes(struct trainer *t)
{
    const struct task *task = t->config.task;
    long width = task->inputs, offset = 0;
    enum format_id format = FORMAT_FP32;
    t->node_count = task->op_count;
    for (int i = 0; i < task->op_count; i++) {
        struct node *n = &t->nodes[i];
        n->op = &op_table[task->ops[i].kind];
        n->name = task->ops[i].name;
        n->format = format = recipe_compute_format(&t->config.recipe, n->op, format);
        n->in = width;
        n->out = task->ops[i].width ? task->ops[i].width : width;
        n->param = t->param_count;
        for (int part = 0; n->op->has_parameters && part < 2; part++) {
            t->param_rows[t->param_count] = part ? 1 : n->in;
            t->param_cols[t->param_count] = n->out;
            t->param_offset[t->param_count++] = offset;
            offset += ((part ? 1 : n->in) * n->out + PARAM_BLOCK - 1) / PARAM_BLOCK * PARAM_BLOCK;
        }
        width = n->out;
    }
    t->block_count = offset / PARAM_BLOCK;
    struct param_block *blocks = calloc((size_t)t->block_count, sizeof *blocks);
    t->blocks = plan_alloc(t, (size_t)t->block_count * sizeof *blocks);
    long b = 0;
    for (int p = 0; blocks && p < t->param_count; p++)
        for (long left = t->param_rows[p] * t->param_cols[p]; left > 0; left -= PARAM_BLOCK, b++) {
            blocks[b].param = p;
            blocks[b].count = left < PARAM_BLOCK ? (int32_t)left : PARAM_BLOCK;
        }
    bool ok = blocks && t->blocks &&
              device_upload(t->device, t->blocks, blocks, (size_t)t->block_count * sizeof *blocks);
    free(blocks);
    return ok;
}

static bool plan_arenas(struct trainer *t)
{
    const struct recipe *r = &t->config.recipe;
    enum format_id weight = recipe_parameter_format(r);
    enum format_id held = recipe_has_master(r) ? FORMAT_FP32 : weight;
    enum format_id state = r->low_optimizer ? r->low : FORMAT_FP32;
    return add_arena(t, TENSOR_WEIGHT, weight, "") &&
           (!recipe_has_master(r) || add_arena(t, TENSOR_MASTER, FORMAT_FP32, ".master")) &&
           (weight == r->low || add_arena(t, TENSOR_COPY, r->low, ".copy")) &&
           add_arena(t, TENSOR_GRADIENT, r->low, ".grad") &&
           add_arena(t, TENSOR_UNSCALED, FORMAT_FP32, ".unscaled") &&
           add_arena(t, TENSOR_MOMENT1, state, ".m") && add_arena(t, TENSOR_MOMENT2, state, ".v") &&
           (r->rounding != UPDATE_COMPENSATED || add_arena(t, TENSOR_COMPENSATION, held, ".c")) &&
           add_arena(t, TENSOR_DELTA, FORMAT_FP32, ".delta") &&
           add_arena(t, TENSOR_PREVIOUS, held, ".previous");
}

bool plan_build(struct trainer *t)
{
    const struct task *task = t->config.task;
    for (int role = 0; role < TENSOR_ROLE_COUNT; role++)
        t->role_first[role] = TENSOR_NONE;
    t->row_loss = plan_alloc(t, sizeof(float) * (size_t)task->samples);
    t->correct = plan_alloc(t, sizeof(uint32_t));
    if (!t->row_loss || !t->correct || !plan_nodes(t) || !plan_slab(t) || !plan_arenas(t))
        return false;
    int points = add_tensor(t, TENSOR_DATA, FORMAT_FP32, task->samples, task->inputs, "x");
    t->points =
        slab_take(t, points_size(t)); /* in the images: what is changed there by hand goes back, too */
    t->tensors[points].data = t->points;
    if (!t->points)
        return false;
    size_t samples = (size_t)task->samples;
    if (task_has_labels(task)
            ? !(t->labels = plan_alloc(t, sizeof(int32_t) * samples))
            : !(t->targets = plan_alloc(t, sizeof(float) * samples * (size_t)task->outputs)))
        return false;
    add_launch(t, PHASE_CAST, KERNEL_begin_step, "a new step: counters to 0")->step = step_args(t, 1);
    if (t->role_first[TENSOR_COPY] != TENSOR_NONE)
        add_param_launch(t, PHASE_CAST, KERNEL_FOR(cast_params, t->config.recipe.low), TENSOR_WEIGHT,
                         TENSOR_COPY, "weights rounded to the low format");
    if (!plan_forward(t, points) || !plan_backward(t))
        return false;
    plan_update(t);
    return true;
}
