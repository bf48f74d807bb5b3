/* runs.c: see runs.h. */
#include "runs.h"
#include <stdio.h>
#include <stdlib.h>

#define BOTH(...)                                                                                            \
    {"spiral", __VA_ARGS__},                                                                                 \
    {                                                                                                        \
        "xor", __VA_ARGS__                                                                                   \
    }

const struct proof_run run_table[RUN_COUNT] = {
    BOTH("fp32", NULL, "rne", NULL, NULL, NULL),
    BOTH("O1", NULL, "rne", NULL, NULL, NULL),
    BOTH("O2", NULL, "rne", NULL, NULL, NULL),
    BOTH("O3", NULL, "rne", NULL, NULL, NULL),
    BOTH("bf16", NULL, "rne", NULL, NULL, NULL),
    BOTH("fp16-pure", NULL, "rne", NULL, NULL, NULL),
    BOTH("bf16-pure", NULL, "rne", NULL, NULL, NULL),
    BOTH("fp16-pure", NULL, "sr", NULL, NULL, NULL),
    BOTH("fp16-pure", NULL, "kahan", NULL, NULL, NULL),
    BOTH("bf16-pure", NULL, "sr", NULL, NULL, NULL),
    BOTH("bf16-pure", NULL, "kahan", NULL, NULL, NULL),
    BOTH("bf16-pure", "on", "rne", NULL, NULL, NULL),
    BOTH("fp16-pure", "on", "kahan", NULL, NULL, NULL),
    BOTH("O1", "off", "sr", NULL, NULL, NULL),
    BOTH("bf16", "on", "rne", NULL, NULL, NULL),
    BOTH("O3", NULL, "sr", "sgd", "0.1", NULL),
    BOTH("O3", NULL, "kahan", "momentum", "0.01", NULL),
    BOTH("O3", "on", "rne", "momentum", "0.01", "fixed:1024"),
    BOTH("fp32", NULL, "kahan", "momentum", "0.05", NULL),
    BOTH("bf16-pure", NULL, "sr", "momentum", "0.05", NULL),
    BOTH("O2", NULL, "rne", "momentum", "0.05", "pytorch:init=2^26,window=3"), /* skips, then grows */
    BOTH("fp16-pure", NULL, "rne", "sgd", "0.1", "fixed:2^24"),                /* skips for ever */
    BOTH("O1", NULL, "rne", "adam", "0.01", "fixed:2^24,check=off"),           /* goes on with infinities */
};

void run_name(const struct proof_run *run, char text[RUN_NAME])
{
    int n = snprintf(text, RUN_NAME, "%s %s", run->task, run->recipe);
    const char *const words[][2] = {{"master", run->master},
                                    {"rounding", run->rounding[0] == 'r' ? NULL : run->rounding},
                                    {"optimizer", run->optimizer},
                                    {"lr", run->lr},
                                    {"scaler", run->scaler}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i][1] && n >= 0 && n < RUN_NAME)
            n += snprintf(text + n, (size_t)(RUN_NAME - n), " %s=%s", words[i][0], words[i][1]);
}

struct trainer_config run_config(const struct proof_run *run)
{
    struct trainer_config c = trainer_defaults(task_find(run->task), recipe_find(run->recipe));
    char error[160];
    size_t column;
    if (run->master)
        c.recipe = recipe_with_master(c.recipe, run->master[1] == 'n');
    update_rounding_find(run->rounding, &c.recipe.rounding);
    if (run->optimizer)
        optimizer_find(run->optimizer, &c.optimizer);
    if (run->lr)
        c.lr = strtof(run->lr, NULL);
    if (run->scaler && !scaler_parse(run->scaler, &c.scaler, error, &column))
        fprintf(stderr, "%s: %s\n", run->scaler, error);
    return c;
}

struct trainer *run_create(struct device *d, const struct proof_run *run)
{
    char error[DEVICE_TEXT];
    struct trainer_config c = run_config(run);
    struct trainer *t = trainer_create(d, &c, error);
    if (!t)
        fprintf(stderr, "%s %s: %s\n", run->task, run->recipe, error);
    return t;
}
