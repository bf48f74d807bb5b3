/* op.c: the table of operations; the classes are those of PyTorch's CUDA autocast lists. */
#include "op.h"

const struct op op_table[OP_KIND_COUNT] = {
    [OP_LINEAR] = {"linear", AUTOCAST_LOW, true, false},
    [OP_TANH] = {"tanh", AUTOCAST_UNLISTED, false, false},
    [OP_SOFTMAX_CE] = {"softmax_cross_entropy", AUTOCAST_FP32, false, true},
    [OP_MSE] = {"mse", AUTOCAST_FP32, false, true},
};

const char *autocast_class_name(enum autocast_class c)
{
    static const char *const names[] = {"low", "fp32", "widest", "unlisted"};
    return names[c];
}
