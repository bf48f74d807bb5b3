/* trace.h: what each launch of a step stores, and what it had before it rounded. */
#ifndef ULPSCOPE_SRC_TRACE_H
#define ULPSCOPE_SRC_TRACE_H

#include "trainer.h"

/* The tensors that a launch stores, in the order in which it makes them: their indices in
 * outputs[TRAINER_MAX_TENSORS].  Returns how many. */
int trace_outputs(const struct trainer *t, int launch, int *outputs);

/* The tensors that a launch reads, in the same way. */
int trace_inputs(const struct trainer *t, int launch, int *inputs);

/* The first launch that stores a tensor, or -1: data, and what only a start or a command writes. */
int trace_first_store(const struct trainer *t, int tensor);

/* Whether trace_before can tell. */
bool trace_can_tell(const struct trainer *t, int launch, const struct tensor *x);

/* The values of a tensor before the rounding that a launch stored them with: the FP32 sums themselves, from
 * the same kernel once more with its operands widened and an FP32 output.  The operands must be what the
 * launch found: call it right after the launch.  `before` takes all elements.  False if the device failed,
 * memory ran out, or the launch cannot tell. */
bool trace_before(struct trainer *t, int launch, const struct tensor *x, float *before);

/* An element's encoding from a downloaded tensor. */
uint32_t trace_element(const struct tensor *x, const void *data, long index);

/* A whole tensor in host memory, to be freed; NULL on failure. */
void *trace_download(struct trainer *t, const struct tensor *x);

#endif
