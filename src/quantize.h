/* quantize.h: fills in the arguments of the array-rounding kernels for a format and a policy. */
#ifndef ULPSCOPE_SRC_QUANTIZE_H
#define ULPSCOPE_SRC_QUANTIZE_H

#include "format.h"
#include "kernels.h"
#include <stdbool.h>

/* Everything of *args but the pointers, n, seed and step.  The format has 1 to 22 trailing bits and a sign.
 */
void quantize_set(struct quantize_args *args, const struct format *f, enum round_mode mode, bool saturate);

#endif
