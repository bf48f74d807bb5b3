/* trace.c: from a launch to the tensors that it stores, and back to the numbers before rounding. */
#include "trace.h"
#include "compare.h"
#include "plan.h"
#include <stdlib.h>
#include <string.h>

#define IS(kernel, name)                                                                                     \
    ((kernel) == KERNEL_FOR(name, FORMAT_FP32) || (kernel) == KERNEL_FOR(name, FORMAT_FP16) ||               \
     (kernel) == KERNEL_FOR(name, FORMAT_BF16))

uint32_t trace_element(const struct tensor *x, const void *data, long index)
{
    uint16_t narrow;
    uint32_t wide;
    if (x->format == FORMAT_FP32) {
        memcpy(&wide, (const char *)data + index * 4, 4);
        return wide;
    }
    memcpy(&narrow, (const char *)data + index * 2, 2);
    return narrow;
}

void *trace_download(struct trainer *t, const struct tensor *x)
{
    long n = x->rows * x->cols;
    void *data = malloc((size_t)n * sizeof(float));
    if (data && trainer_read(t, x, 0, n, data))
        return data;
    free(data);
    return NULL;
}

/* ---- outputs ---- */

static int by_data(const struct trainer *t, const void *data, int *outputs)
{
    for (int i = 0; i < t->tensor_count; i++)
        if (t->tensors[i].data == data) {
            *outputs = i;
            return 1;
        }
    return 0;
}

static int by_arena(const struct trainer *t, const void *arena, int *outputs)
{
    int count = 0;
    for (int i = 0; arena && i < t->tensor_count; i++)
        if (t->tensors[i].param != TENSOR_NONE && t->arenas[t->tensors[i].role] == arena)
            outputs[count++] = i;
    return count;
}

static int update_outputs(const struct trainer *t, const struct update_args *a, int *outputs)
{
    int n = by_arena(t, a->first_moment, outputs);
    n += by_arena(t, a->second_moment, outputs + n);
    n += by_arena(t, a->delta, outputs + n);
    return n + by_arena(t, a->weights, outputs + n);
}

int trace_outputs(const struct trainer *t, int launch, int *outputs)
{
    const struct launch *l = &t->launches[launch];
    const union kernel_args *a = &l->args;
    enum kernel_id k = l->kernel;
    if (IS(k, cast_to) || IS(k, cast_from))
        return by_data(t, a->cast.to, outputs);
    if (IS(k, cast_params) || IS(k, unscale))
        return by_arena(t, a->param.to, outputs);
    if (IS(k, linear_forward))
        return by_data(t, a->linear.y, outputs);
    if (IS(k, linear_backward_input))
        return by_data(t, a->linear_backward_input.dx, outputs);
    if (IS(k, linear_backward_weight)) {
        int n = by_data(t, a->linear_backward_weight.dw, outputs);
        return n + by_data(t, a->linear_backward_weight.db, outputs + n);
    }
    if (IS(k, tanh_forward))
        return by_data(t, a->tanh.y, outputs);
    if (IS(k, tanh_backward))
        return by_data(t, a->tanh.dx, outputs);
    if (k == KERNEL_softmax_forward || k == KERNEL_mse_forward)
        return by_data(t, a->loss.work, outputs);
    if (k == KERNEL_softmax_backward || k == KERNEL_mse_backward)
        return by_data(t, a->loss.gradient, outputs);
    if (IS(k, update) || IS(k, update_low))
        return update_outputs(t, &a->update, outputs);
    return 0;
}

static int update_inputs(const struct trainer *t, const struct update_args *a, int *inputs)
{
    int n = by_arena(t, a->weights, inputs);
    n += by_arena(t, a->gradients, inputs + n);
    n += by_arena(t, a->first_moment, inputs + n);
    n += by_arena(t, a->second_moment, inputs + n);
    return n + by_arena(t, a->compensation, inputs + n);
}

int trace_inputs(const struct trainer *t, int launch, int *inputs)
{
    const union kernel_args *a = &t->launches[launch].args;
    enum kernel_id k = t->launches[launch].kernel;
    const void *data[3] = {NULL, NULL, NULL};
    if (IS(k, cast_params) || IS(k, check) || IS(k, unscale))
        return by_arena(t, a->param.from, inputs);
    if (IS(k, update) || IS(k, update_low))
        return update_inputs(t, &a->update, inputs);
    if (IS(k, cast_to) || IS(k, cast_from)) {
        data[0] = a->cast.from;
    } else if (IS(k, linear_forward)) {
        data[0] = a->linear.x;
        data[1] = a->linear.w;
        data[2] = a->linear.b;
    } else if (IS(k, linear_backward_input)) {
        data[0] = a->linear_backward_input.dy;
        data[1] = a->linear_backward_input.w;
    } else if (IS(k, linear_backward_weight)) {
        data[0] = a->linear_backward_weight.x;
        data[1] = a->linear_backward_weight.dy;
    } else if (IS(k, tanh_forward)) {
        data[0] = a->tanh.x;
    } else if (IS(k, tanh_backward)) {
        data[0] = a->tanh.y;
        data[1] = a->tanh.dy;
    } else if (k == KERNEL_softmax_forward || k == KERNEL_mse_forward) {
        data[0] = a->loss.output;
        data[1] = a->loss.targets;
    } else if (k == KERNEL_softmax_backward || k == KERNEL_mse_backward) {
        data[0] = a->loss.work;
    }
    int n = 0;
    for (int i = 0; i < 3; i++)
        n += data[i] ? by_data(t, data[i], inputs + n) : 0;
    return n;
}

int trace_first_store(const struct trainer *t, int tensor)
{
    int outputs[TRAINER_MAX_TENSORS];
    for (int launch = 0; launch < t->launch_count; launch++)
        for (int i = trace_outputs(t, launch, outputs) - 1; i >= 0; i--)
            if (outputs[i] == tensor)
                return launch;
    return -1;
}

/* ---- before rounding ---- */

/* Device memory for one question. */
struct desk {
    struct trainer *t;
    enum format_id format;
    void *memory[8];
    int count;
    bool failed;
};

static float *desk_alloc(struct desk *d, long n)
{
    void *memory = device_alloc(d->t->device, (size_t)n * sizeof(float));
    if (memory)
        d->memory[d->count++] = memory;
    else
        d->failed = true;
    return memory;
}

/* An operand as FP32: exact. */
static float *widened(struct desk *d, const void *from, long n)
{
    float *to = desk_alloc(d, n);
    struct cast_args args = {from, to, n, NULL};
    if (to && !device_launch(d->t->device, KERNEL_FOR(convert_from, d->format), &args))
        d->failed = true;
    return to;
}

static float *again_linear(struct desk *d, const struct linear_args *l, uint32_t *counters)
{
    struct linear_args a = {widened(d, l->x, l->rows * l->in),
                            widened(d, l->w, l->in * l->out),
                            widened(d, l->b, l->out),
                            desk_alloc(d, l->rows * l->out),
                            l->rows,
                            l->in,
                            l->out,
                            counters};
    if (d->failed || !device_launch(d->t->device, KERNEL_FOR(linear_forward, FORMAT_FP32), &a))
        return NULL;
    return a.y;
}

static float *again_input(struct desk *d, const struct linear_backward_input_args *l, uint32_t *counters)
{
    struct linear_backward_input_args a = {widened(d, l->dy, l->rows * l->out),
                                           widened(d, l->w, l->in * l->out),
                                           desk_alloc(d, l->rows * l->in),
                                           l->rows,
                                           l->in,
                                           l->out,
                                           counters};
    if (d->failed || !device_launch(d->t->device, KERNEL_FOR(linear_backward_input, FORMAT_FP32), &a))
        return NULL;
    return a.dx;
}

static float *again_weight(struct desk *d, const struct linear_backward_weight_args *l, bool bias,
                           uint32_t *counters)
{
    struct linear_backward_weight_args a = {widened(d, l->x, l->rows * l->in),
                                            widened(d, l->dy, l->rows * l->out),
                                            desk_alloc(d, l->in * l->out),
                                            desk_alloc(d, l->out),
                                            l->rows,
                                            l->in,
                                            l->out,
                                            counters,
                                            counters + COUNTER_COUNT};
    if (d->failed || !device_launch(d->t->device, KERNEL_FOR(linear_backward_weight, FORMAT_FP32), &a))
        return NULL;
    return bias ? a.db : a.dw;
}

static float *again_tanh(struct desk *d, const struct tanh_args *l, bool forward, uint32_t *counters)
{
    struct tanh_args a = {.n = l->n, .counters = counters};
    float *to = desk_alloc(d, l->n);
    if (forward) {
        a.x = widened(d, l->x, l->n);
        a.y = to;
    } else {
        a.y = widened(d, l->y, l->n);
        a.dy = widened(d, l->dy, l->n);
        a.dx = to;
    }
    enum kernel_id kernel =
        forward ? KERNEL_FOR(tanh_forward, FORMAT_FP32) : KERNEL_FOR(tanh_backward, FORMAT_FP32);
    return d->failed || !device_launch(d->t->device, kernel, &a) ? NULL : to;
}

/* Casts read their FP32 source as it is: x's part of it. */
static const float *cast_source(const struct trainer *t, const struct launch *l, const struct tensor *x)
{
    if (IS(l->kernel, cast_params))
        return (const float *)l->args.param.from + t->param_offset[x->param];
    return l->args.cast.from;
}

static const float *again(struct desk *d, const struct launch *l, const struct tensor *x)
{
    enum kernel_id k = l->kernel;
    if (IS(k, cast_to) || IS(k, cast_params))
        return cast_source(d->t, l, x);
    uint32_t *counters = (uint32_t *)desk_alloc(d, 2 * COUNTER_COUNT);
    if (!counters)
        return NULL;
    return IS(k, linear_forward)          ? again_linear(d, &l->args.linear, counters)
           : IS(k, linear_backward_input) ? again_input(d, &l->args.linear_backward_input, counters)
           : IS(k, linear_backward_weight)
               ? again_weight(d, &l->args.linear_backward_weight,
                              x->data == l->args.linear_backward_weight.db, counters)
           : IS(k, tanh_forward)  ? again_tanh(d, &l->args.tanh, true, counters)
           : IS(k, tanh_backward) ? again_tanh(d, &l->args.tanh, false, counters)
                                  : NULL;
}

/* An update that rounds to nearest: w - Delta, of which both are still there. */
static bool is_plain_update(const struct trainer *t, int launch)
{
    enum kernel_id k = t->launches[launch].kernel;
    return (IS(k, update) || IS(k, update_low)) && t->config.recipe.rounding == UPDATE_RNE;
}

static bool before_update(struct trainer *t, const struct tensor *x, float *before)
{
    void *previous = trace_download(t, trainer_param_tensor(t, x->param, TENSOR_PREVIOUS));
    float *delta = trace_download(t, trainer_param_tensor(t, x->param, TENSOR_DELTA));
    bool ok = previous && delta;
    for (long i = 0; ok && i < x->rows * x->cols; i++)
        before[i] = (float)(compare_decode(x->format, trace_element(x, previous, i)) - (double)delta[i]);
    free(previous);
    free(delta);
    return ok;
}

bool trace_can_tell(const struct trainer *t, int launch, const struct tensor *x)
{
    enum kernel_id k = t->launches[launch].kernel;
    if (is_plain_update(t, launch))
        return x->role == TENSOR_WEIGHT || x->role == TENSOR_MASTER;
    return IS(k, cast_to) || IS(k, cast_params) || IS(k, linear_forward) || IS(k, linear_backward_input) ||
           IS(k, linear_backward_weight) || IS(k, tanh_forward) || IS(k, tanh_backward);
}

bool trace_before(struct trainer *t, int launch, const struct tensor *x, float *before)
{
    struct desk d = {.t = t, .format = x->format};
    if (is_plain_update(t, launch))
        return before_update(t, x, before);
    const float *result = again(&d, &t->launches[launch], x);
    bool ok =
        result && device_download(t->device, before, result, (size_t)(x->rows * x->cols) * sizeof *before);
    for (int i = 0; i < d.count; i++)
        device_release(t->device, d.memory[i]);
    return ok;
}
