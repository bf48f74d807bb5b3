/* cli_train.h: the parts of the verb `train`.  Private to cli_train*.c. */
#ifndef ULPSCOPE_SRC_CLI_TRAIN_H
#define ULPSCOPE_SRC_CLI_TRAIN_H

#include "cli_call.h"
#include "compare.h"
#include "report.h"
#include "trainer.h"

enum { TRAIN_LANES = 4, TRAIN_PAIRS = 6 };

/* What the options ask for. */
struct train_order {
    int64_t steps, every;
    int lane_count;
    struct lane_order {
        struct trainer_config config;
        char recipe[48]; /* the preset's name; with what differs from it in lanes of --compare */
        char scaler[160];
        char device[16]; /* "" for the run's own */
    } lanes[TRAIN_LANES];
    bool has_twin;
    struct trainer_config twin; /* lane 0 with another loss scale */
};

/* What a whole run adds up to. */
struct train_totals {
    uint64_t gradients, flushed, updates, lost;
    int64_t skipped;
};

struct train_lane {
    const struct lane_order *order;
    struct trainer *trainer;
    struct device *device;
    struct trainer_report report; /* of the last step */
    struct train_totals sum;
    struct trainer_image *start; /* of the step that is made, where events are told */
    struct {
        bool flushed[TRAINER_MAX_TENSORS], lost, not_finite;
    } told; /* events that are told once a run */
};

struct train_run {
    struct cli *c;
    const struct train_order *order;
    struct device *device, *other; /* `other` is NULL, or of lanes that ask for one */
    struct train_lane lanes[TRAIN_LANES];
    struct trainer *twin;
    struct difference twin_difference, differences[TRAIN_PAIRS]; /* of lanes a < b: b (b - 1) / 2 + a */
    json_t *events; /* since the last line; NULL where they are not asked for */
    double seconds;
};

/* ---- cli_train_print.c: false if the device failed or the output cannot be written ---- */
bool train_print_header(struct train_run *r);
bool train_print_step(struct train_run *r, int64_t step);
bool train_print_summary(struct train_run *r);

/* ---- cli_train_events.c ---- */
bool train_events_begin(struct train_run *r); /* before a step */
bool train_events_end(struct train_run *r, int64_t step);
json_t *train_difference_json(const struct difference *d);

/* ---- cli_train_load.c ---- */
int train_load(struct cli *c, const char *file);

#endif
