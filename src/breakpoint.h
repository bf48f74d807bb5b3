/* breakpoint.h: conditions at which a run stops. */
#ifndef ULPSCOPE_SRC_BREAKPOINT_H
#define ULPSCOPE_SRC_BREAKPOINT_H

#include "trainer.h"

enum breakpoint_kind {
    BREAK_OVERFLOW,   /* a stored number became infinite, or gradients were found not finite */
    BREAK_NAN,        /* a NaN was stored, or the loss is one */
    BREAK_UNDERFLOW,  /* a nonzero number was stored as 0, in a tensor or anywhere */
    BREAK_SKIP,       /* the step was skipped */
    BREAK_SCALE,      /* the loss scale changed */
    BREAK_LOST,       /* more than a share of the step's updates left their weights as they were */
    BREAK_DIVERGENCE, /* two lanes differ for the first time */
    BREAK_LOSS,       /* the loss is below, or above, a value */
    BREAK_CHANGE,     /* a weight changed */
    BREAK_STEP,       /* a step is reached */
    BREAKPOINT_KINDS
};

enum { BREAKPOINTS = 16 };

struct breakpoint {
    enum breakpoint_kind kind;
    bool enabled;
    int number; /* as the person counts them, from 1 */
    int hits;
    char text[64];               /* as typed */
    char name[TENSOR_NAME + 24]; /* a tensor, or an element of one; "" for any */
    bool above;                  /* of BREAK_LOSS */
    double limit;                /* BREAK_LOST: percent */
    int64_t step;
};

/* "overflow", "underflow h1", "lost >50%", "loss <0.5", "change fc1.weight[0,0]", "step 100".  False with a
 * message in error[160]. */
bool breakpoint_parse(const char *text, struct breakpoint *out, char *error);

/* What there is to break at, for people. */
extern const char breakpoint_conditions[];

#endif
