/* task.h: what is trained: a model as a list of operations, its data and its defaults. */
#ifndef ULPSCOPE_SRC_TASK_H
#define ULPSCOPE_SRC_TASK_H

#include "device.h"
#include "op.h"

struct task_op {
    enum op_kind kind;
    const char *name;   /* "fc1": names the parameters fc1.weight, fc1.bias */
    const char *output; /* name of the output tensor: "z1"; NULL for a loss */
    long width;         /* columns of the output; 0 keeps the input's */
};

struct task {
    const char *name, *title;
    const struct task_op *ops;
    int op_count;
    long samples, inputs, outputs;
    enum optimizer optimizer; /* default */
    const char *lr;           /* default, a VALUE */
    /* Fills points [samples][inputs], and labels [samples] or targets [samples][outputs]: device memory.  The
     * other pointer is NULL.  False if the device failed. */
    bool (*make_data)(struct device *d, const struct task *t, uint64_t seed, float *points, int32_t *labels,
                      float *targets);
};

enum { TASK_COUNT = 2 };
extern const struct task task_table[TASK_COUNT];

const struct task *task_find(const char *name); /* or NULL */
long task_parameter_count(const struct task *t);
bool task_has_labels(const struct task *t);

#endif
