/* trainer.h: one training run on one device: a task, a recipe, an optimizer, a scaler.
 *
 * trainer_create walks the task's operations once and lays out every tensor and every kernel launch of a
 * step, phase by phase; a step is then that list, launched in order.  Stepping by phase launches the same
 * list piece by piece, so it can change no bit.  Nothing is decided on the host: overflow, scale and step
 * count live in device memory. */
#ifndef ULPSCOPE_SRC_TRAINER_H
#define ULPSCOPE_SRC_TRAINER_H

#include "device.h"
#include "recipe.h"
#include "scaler.h"
#include "task.h"

enum phase {
    PHASE_CAST,
    PHASE_FORWARD,
    PHASE_LOSS,
    PHASE_SCALE,
    PHASE_BACKWARD,
    PHASE_CHECK,
    PHASE_UNSCALE,
    PHASE_UPDATE,
    PHASE_SYNC,
    PHASE_RESCALE,
    PHASE_COUNT
};
const char *phase_name(enum phase p); /* "cast", "forward", … */

enum tensor_role {
    TENSOR_DATA,
    TENSOR_WEIGHT,       /* a parameter at rest */
    TENSOR_MASTER,       /* its FP32 master copy */
    TENSOR_COPY,         /* its low copy, made by the cast phase */
    TENSOR_GRADIENT,     /* of a parameter, as the backward pass stores it */
    TENSOR_UNSCALED,     /* the same in FP32, divided by the loss scale */
    TENSOR_MOMENT1,      /* momentum, or Adam's first moment */
    TENSOR_MOMENT2,      /* Adam's second moment */
    TENSOR_COMPENSATION, /* Kahan's c */
    TENSOR_DELTA,        /* the Delta of the last update, FP32 */
    TENSOR_PREVIOUS,     /* the weight as the optimizer held it before the last update */
    TENSOR_ACTIVATION,
    TENSOR_ACTIVATION_GRADIENT,
    TENSOR_ROLE_COUNT
};

enum { TENSOR_NAME = 32, TENSOR_NONE = -1, TRAINER_MAX_TENSORS = 128, TRAINER_MAX_LAUNCHES = 64 };

struct tensor {
    char name[TENSOR_NAME]; /* "fc1.weight", "fc1.weight.grad", "h1", "h1.grad", … */
    enum tensor_role role;
    enum format_id format;
    long rows, cols;        /* rows is 1 for a bias */
    void *data;             /* device memory */
    int param;              /* which parameter it belongs to, or TENSOR_NONE */
    bool is_gradient_store; /* its stores are what a step's gradient counters add up */
};

struct trainer_config {
    const struct task *task;
    struct recipe recipe;
    struct scaler scaler;
    enum optimizer optimizer;
    float lr, loss_weight;
    uint64_t seed;
};

/* The task's and the recipe's defaults, seed 0.  `recipe` may be NULL for bf16. */
struct trainer_config trainer_defaults(const struct task *task, const struct recipe *recipe);

struct trainer; /* opaque */

/* NULL and a message in error[DEVICE_TEXT] on failure. */
struct trainer *trainer_create(struct device *d, const struct trainer_config *config, char *error);
void trainer_free(struct trainer *t); /* NULL is allowed */

/* All of these return false if the device failed: see device_error. */
bool trainer_step(struct trainer *t);             /* whole step, or the rest of a step begun by phases */
bool trainer_phase(struct trainer *t);            /* the next phase alone */
bool trainer_launch(struct trainer *t);           /* the next launch alone */
bool trainer_set_lr(struct trainer *t, float lr); /* from the next launch on */
/* Makes the next check find an infinity, by writing one into the first gradient; call it between backward and
 * check. */
bool trainer_inject_overflow(struct trainer *t);

enum phase trainer_next_phase(const struct trainer *t);
int trainer_next_launch(const struct trainer *t); /* its number in the step, from 0 */
int trainer_launch_count(const struct trainer *t);
enum phase trainer_launch_phase(const struct trainer *t, int launch);
const char *trainer_launch_text(const struct trainer *t, int launch);
long trainer_steps(const struct trainer *t); /* whole steps done */
const struct trainer_config *trainer_config(const struct trainer *t);

int trainer_tensor_count(const struct trainer *t);
const struct tensor *trainer_tensor(const struct trainer *t, int index);
/* The tensor of a parameter in a role; TENSOR_WEIGHT of param 0 is fc1.weight.  NULL where the recipe has
 * none. */
const struct tensor *trainer_param_tensor(const struct trainer *t, int param, enum tensor_role role);
int trainer_param_count(const struct trainer *t);

/* The gradients of activations and parameters, in the order in which the backward pass stores them. */
int trainer_gradient_count(const struct trainer *t);
const struct tensor *trainer_gradient(const struct trainer *t, int index);

/* The last launches of a phase as words, e.g. "linear fc2: y = x w + b in fp16, accumulated in fp32"; NULL
 * beyond. */
const char *trainer_describe(const struct trainer *t, enum phase p, int launch);

/* Downloads. */
struct trainer_counts {
    uint32_t word[COUNTER_COUNT];
};
bool trainer_read_state(struct trainer *t, struct run_state *state);
bool trainer_read_counts(struct trainer *t,
                         struct trainer_counts *counts); /* one a tensor, in tensor order */
bool trainer_read(struct trainer *t, const struct tensor *tensor, long first, long n,
                  void *to); /* raw encodings */

/* Changes one element to an encoding. */
bool trainer_write(struct trainer *t, const struct tensor *tensor, long index, uint32_t bits);

/* All that a run carries from step to step, in host memory; taken between two steps only.  NULL if the device
 * failed or memory ran out; free() it. */
struct trainer_image {
    size_t bytes; /* of the whole image */
    long steps;
    float lr;
    struct run_settings settings;
    size_t count;
    unsigned char data[];
};
struct trainer_image *trainer_save(struct trainer *t);

/* What trainer_read_state and trainer_read_counts would say, without another download. */
void trainer_image_read(const struct trainer *t, const struct trainer_image *image, struct run_state *state,
                        struct trainer_counts *counts);

/* Back, or forward, to an image of this trainer, or of one of the same configuration.  What a step computes
 * anew (activations and their gradients) keeps its values; at step 0 it is zero again. */
bool trainer_restore(struct trainer *t, const struct trainer_image *image);

/* Where an element of a parameter's tensor lies in an image's data, or -1 for other tensors. */
long trainer_image_offset(const struct trainer *t, const struct tensor *tensor, long index);

/* What `train --json` reports of the last step, summed over the stores it names. */
struct trainer_report {
    float loss, scale;
    bool overflow, skipped;
    uint64_t gradients, zero, flushed, subnormal, overflowed, nan; /* stores of gradients */
    uint64_t updates, lost;
};
bool trainer_report(struct trainer *t, struct trainer_report *report);

/* 64-bit digests (FNV-1a over little-endian encodings): of the weights as the optimizer holds them, and of
 * all state that the next step depends on. */
bool trainer_digest(struct trainer *t, uint64_t *digest, uint64_t *state_digest);

/* Share of samples that the last forward pass got right. */
bool trainer_accuracy(struct trainer *t, double *accuracy);

/* For the panels: blocks and arenas, so that measuring kernels can be launched on them. */
struct trainer_arena {
    const struct param_block *blocks; /* device memory */
    long block_count;
    void *weights; /* as the optimizer holds them */
    enum format_id weight_format;
    const float *gradients; /* of the last step, unscaled, FP32 */
    long elements;          /* of an arena, padding included */
};
struct trainer_arena trainer_arena(const struct trainer *t);

#endif
