/* calc_internal.h: an expression in postfix order; for the calc*.c files only. */
#ifndef ULPSCOPE_SRC_CALC_INTERNAL_H
#define ULPSCOPE_SRC_CALC_INTERNAL_H

#include "calc.h"
#include "exact_internal.h"

enum calc_kind { CALC_OPERAND, CALC_NEGATE, CALC_POWER, CALC_OPERATION };

enum {
    CALC_NODES = 2048,
    CALC_POWER_LIMIT = 256,
    CALC_STEPS = 1024,
    CALC_DEPTH = 500,
};

struct calc_node {
    enum calc_kind kind;
    enum arithmetic_op op; /* CALC_OPERATION */
    int power;             /* CALC_POWER */
    struct exact *value;   /* CALC_OPERAND */
};

struct calc {
    size_t count;
    struct calc_node nodes[CALC_NODES];
};

/* One operation of the kernel. */
bool calc_operate(struct device *d, enum arithmetic_op op, const uint32_t operand[3], uint32_t random,
                  const struct format *f, const struct probe_policy *policy, struct round_output *out,
                  struct exact_error *error);

/* The random word of a step, keyed by (seed, format, step). */
uint32_t calc_random(const struct probe_policy *policy, const struct format *f, size_t step);

/* The step of an expression that adds or subtracts, as on a blackboard. */
bool calc_answer_step(struct device *d, const struct format *f, const struct calc_step *step, size_t index,
                      const struct probe_policy *policy, struct calc_answer *out, struct exact_error *error);

/* The exact result of an operation; NULL where it has none or cannot be held. */
struct exact *calc_apply(enum arithmetic_op op, const struct exact *const operand[3]);

#endif
