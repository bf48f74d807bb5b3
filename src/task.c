/* task.c: the tasks.  xor fits on a screen in full; spiral is small enough to train live and hard enough to
 * fail. */
#include "task.h"
#include <string.h>

static bool make_xor(struct device *d, const struct task *t, uint64_t seed, float *points, int32_t *labels,
                     float *targets)
{
    static const float xor_points[4][2] = {{-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    static const float xor_targets[4] = {-1, 1, 1, -1};
    (void)t, (void)seed, (void)labels;
    return device_upload(d, points, xor_points, sizeof xor_points) &&
           device_upload(d, targets, xor_targets, sizeof xor_targets);
}

static bool make_spiral(struct device *d, const struct task *t, uint64_t seed, float *points, int32_t *labels,
                        float *targets)
{
    (void)targets;
    struct spiral_args args = {points, labels, t->outputs, t->samples / t->outputs, seed};
    return device_launch(d, KERNEL_spiral_points, &args);
}

static const struct task_op xor_ops[] = {
    {OP_LINEAR, "fc1", "z1", 4},
    {OP_TANH, "tanh1", "h1", 0},
    {OP_LINEAR, "fc2", "y", 1},
    {OP_MSE, "mse", NULL, 0},
};

static const struct task_op spiral_ops[] = {
    {OP_LINEAR, "fc1", "z1", 32}, {OP_TANH, "tanh1", "h1", 0},     {OP_LINEAR, "fc2", "z2", 32},
    {OP_TANH, "tanh2", "h2", 0},  {OP_LINEAR, "fc3", "logits", 3}, {OP_SOFTMAX_CE, "loss", NULL, 0},
};

#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

const struct task task_table[TASK_COUNT] = {
    {"xor", "XOR of signs, 2-4-1 tanh, mean squared error", xor_ops, COUNT(xor_ops), 4, 2, 1, OPTIMIZER_SGD,
     "0.1", make_xor},
    {"spiral", "three spiral arms, 2-32-32-3 tanh, softmax cross-entropy", spiral_ops, COUNT(spiral_ops), 768,
     2, 3, OPTIMIZER_ADAM, "3e-4", make_spiral},
};

const struct task *task_find(const char *name)
{
    for (int i = 0; i < TASK_COUNT; i++)
        if (strcmp(task_table[i].name, name) == 0)
            return &task_table[i];
    return NULL;
}

long task_parameter_count(const struct task *t)
{
    long count = 0, width = t->inputs;
    for (int i = 0; i < t->op_count; i++) {
        long out = t->ops[i].width ? t->ops[i].width : width;
        if (op_table[t->ops[i].kind].has_parameters)
            count += (width + 1) * out;
        width = out;
    }
    return count;
}

bool task_has_labels(const struct task *t)
{
    return t->ops[t->op_count - 1].kind == OP_SOFTMAX_CE;
}
