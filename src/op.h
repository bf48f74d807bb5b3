/* op.h: the operations that models are made of, as data.
 *
 * The trainer walks a task's list of these and asks the recipe for a format by the op's autocast class; it
 * knows no op and no recipe itself.  To add an operation, add a row here and its kernels. */
#ifndef ULPSCOPE_SRC_OP_H
#define ULPSCOPE_SRC_OP_H

#include <stdbool.h>

/* Which list of autocast an operation is on (torch.autocast for CUDA). */
enum autocast_class {
    AUTOCAST_LOW,      /* computes in the low format: matrix products */
    AUTOCAST_FP32,     /* computes in FP32: losses, softmax, exp, log */
    AUTOCAST_WIDEST,   /* computes in the widest format of its inputs */
    AUTOCAST_UNLISTED, /* computes in its input's format: tanh, relu, batch norm */
};

enum op_kind { OP_LINEAR, OP_TANH, OP_SOFTMAX_CE, OP_MSE, OP_KIND_COUNT };

struct op {
    const char *name;
    enum autocast_class autocast;
    bool has_parameters; /* a weight [in][out] and a bias [out] */
    bool is_loss;        /* ends a model; has targets instead of an output */
};

extern const struct op op_table[OP_KIND_COUNT];

/* "low", "fp32", "widest", "unlisted" */
const char *autocast_class_name(enum autocast_class c);

#endif
