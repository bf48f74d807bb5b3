/* runs.h: the training runs that every proof of equal bits goes through: both tasks under every recipe, with
 * master weights, update roundings, optimizers and scalers switched. */
#ifndef ULPSCOPE_TESTS_RUNS_H
#define ULPSCOPE_TESTS_RUNS_H

#include "trainer.h"

struct proof_run {
    const char *task, *recipe;
    const char *master;    /* "on", "off" or NULL for the recipe's own */
    const char *rounding;  /* "rne", "sr", "kahan" */
    const char *optimizer; /* or NULL for the task's */
    const char *lr;        /* or NULL for the task's */
    const char *scaler;    /* or NULL for the recipe's */
};

enum { RUN_COUNT = 46, RUN_NAME = 96 };
extern const struct proof_run run_table[RUN_COUNT];

/* "spiral bf16-pure master=on rounding=sr" */
void run_name(const struct proof_run *run, char text[RUN_NAME]);

struct trainer_config run_config(const struct proof_run *run);

/* A trainer for it; NULL, with a message on standard error, on failure. */
struct trainer *run_create(struct device *d, const struct proof_run *run);

#endif
