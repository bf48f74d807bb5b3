/* plan.h: how the trainer lays out a step.  Private to trainer.c and plan.c. */
#ifndef ULPSCOPE_SRC_PLAN_H
#define ULPSCOPE_SRC_PLAN_H

#include "trainer.h"

union kernel_args {
    struct cast_args cast;
    struct step_args step;
    struct linear_args linear;
    struct linear_backward_input_args linear_backward_input;
    struct linear_backward_weight_args linear_backward_weight;
    struct tanh_args tanh;
    struct loss_args loss;
    struct loss_mean_args loss_mean;
    struct param_args param;
    struct update_args update;
};

struct launch {
    enum phase phase;
    enum kernel_id kernel;
    union kernel_args args;
    char what[112]; /* for people */
};

enum { PLAN_MAX_OPS = 16 };

/* One operation of the task with its tensors (indices into trainer.tensors). */
struct node {
    const struct op *op;
    const char *name;
    enum format_id format; /* it computes in */
    int input, output;     /* as it reads and writes them */
    int raw_input;         /* before a cast to `format`; the same as input where there is none */
    int param;             /* its weight's parameter index; the bias is the next */
    long in, out;
};

struct trainer {
    struct device *device;
    struct trainer_config config;
    struct tensor tensors[TRAINER_MAX_TENSORS];
    int tensor_count;
    struct launch launches[TRAINER_MAX_LAUNCHES];
    int launch_count;
    int next; /* launch */
    long steps;

    struct node nodes[PLAN_MAX_OPS];
    int node_count;
    int param_count;
    long param_rows[2 * PLAN_MAX_OPS], param_cols[2 * PLAN_MAX_OPS], param_offset[2 * PLAN_MAX_OPS];
    int gradients[TRAINER_MAX_TENSORS]; /* tensors, in the order in which the backward pass stores them */
    int gradient_count;
    int role_first[TENSOR_ROLE_COUNT]; /* tensor index of parameter 0 in each parameter role, or TENSOR_NONE
                                        */
    void *arenas[TENSOR_ROLE_COUNT];
    struct param_block *blocks; /* device memory */
    long block_count;

    float *points;
    int32_t *labels; /* or NULL */
    float *targets;  /* or NULL */
    float *row_loss, *loss_output;
    struct run_settings settings; /* the host's copy */
    struct run_settings *device_settings;
    struct run_state *state;
    uint32_t *counters;
    uint32_t *correct;
    void *allocations[TRAINER_MAX_TENSORS + 32];
    int allocation_count;
    /* One piece of memory for all that steps carry on, so that one copy saves it: arenas, state, settings,
     * counters. */
    char *slab;
    size_t slab_size, slab_used;
    void *graph; /* a whole step, where the device can record one; else NULL */
    bool no_graph;
    char error[DEVICE_TEXT];
};

/* Device memory that trainer_free releases.  NULL, and the reason in t->error, on failure. */
void *plan_alloc(struct trainer *t, size_t bytes);

/* Drops the recorded step: launches have changed, or the trainer goes. */
void trainer_forget_graph(struct trainer *t);

/* Creates tensors and launches.  False, with t->error, on failure. */
bool plan_build(struct trainer *t);

uint32_t *plan_counters(const struct trainer *t, int tensor);

#endif
