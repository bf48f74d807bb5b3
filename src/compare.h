/* compare.h: the first bit in which two runs of a task differ. */
#ifndef ULPSCOPE_SRC_COMPARE_H
#define ULPSCOPE_SRC_COMPARE_H

#include "trainer.h"

struct difference {
    bool found;
    long step;              /* whole steps done by the first of the two */
    char name[TENSOR_NAME]; /* of the tensor */
    bool is_gradient;       /* divided by the scale before it is compared */
    enum phase phase;       /* that stored it: forward, backward or update */
    long index, row, col;   /* of the element, row-major */
    enum format_id format_a, format_b;
    uint32_t bits_a, bits_b; /* encodings, as stored */
    float scale_a, scale_b;  /* what gradients were divided by: loss scale x loss weight */
};

/* Looks at what the last step of both runs left: activations of the same names, every gradient tensor in the
 * order in which the backward pass stores them, each value divided by its run's loss scale and loss weight
 * (powers of two: exactly), then the weights as the optimizer holds them.  Values are compared bit by bit, so
 * that -0 differs from 0.  False if the device failed, the tasks differ, or memory ran out. */
bool compare_first_difference(struct trainer *a, struct trainer *b, struct difference *out);

/* The value of an encoding, exactly. */
double compare_decode(enum format_id format, uint32_t bits);

#endif
