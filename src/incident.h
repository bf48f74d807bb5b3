/* incident.h: where in a step a number first went wrong, and why. */
#ifndef ULPSCOPE_SRC_INCIDENT_H
#define ULPSCOPE_SRC_INCIDENT_H

#include "probe.h"
#include "trainer.h"

enum incident_kind {
    INCIDENT_NOT_FINITE, /* a stored infinity or NaN */
    INCIDENT_FLUSHED,    /* a nonzero number stored as 0 */
    INCIDENT_LOST,       /* an update that left its weight as it was; only incident_lost finds it */
};

struct incident {
    bool found;
    enum incident_kind kind;
    long step; /* counted from 1 */
    int launch;
    enum phase phase;
    char tensor[TENSOR_NAME];
    enum tensor_role role;
    enum format_id format;
    long index, row, col;
    bool one_row;
    uint32_t bits;
    bool has_before; /* the FP32 number before rounding is known */
    float before;
    float scale; /* that gradients carry */
    float
        delta; /* of an update that was lost; `bits` is the weight's, `exactly` w - Delta, unless it was given
                  * to chance or to a compensation: NaN then */
    double exactly;
};

/* How a run gets back to the start of the step that is looked at, and on by one launch.  (A session repeats
 * commands given in mid-step on the way; a plain run restores an image.) */
struct incident_walk {
    void *context;
    bool (*rewind)(void *context);
    bool (*launch)(void *context);
};

/* Rewinds, and goes on launch by launch until one of the step's first `launches` stores something of that
 * kind, in that tensor (NULL: any).  The run stays right after that launch, or after the last.  False if the
 * device failed. */
bool incident_find(struct trainer *t, const struct incident_walk *walk, enum incident_kind kind,
                   const char *tensor, int launches, struct incident *out);

/* The same in what the last whole step left, without going back: right where the step was skipped, for then
 * nothing that its launches read has changed.  `exact` says so; else no number before rounding is given. */
bool incident_in_place(struct trainer *t, enum incident_kind kind, const char *tensor, bool exact,
                       struct incident *out);

/* Whether one of the first `launches` has left an infinity or a NaN. */
bool incident_is_there(struct trainer *t, int launches, bool *there);

/* The first update of the last step that left its weight as it was.  False if the device failed. */
bool incident_lost(struct trainer *t, struct incident *out);

/* Whether weights or optimizer state hold an infinity or a NaN: in an image of the trainer, and now. */
bool incident_in_image(const struct trainer *t, const struct trainer_image *image);

/* "fc2.weight.grad[3,17]: 65536 × 1.0003 = 65555.7 ≥ 65520 → inf in fp16 (backward)" */
void incident_text(const struct incident *in, char *to, size_t size);

/* The same in few words: "fc2.weight.grad[3,17]: 65555.7 → inf in fp16". */
void incident_short(const struct incident *in, char *to, size_t size);

/* What the step makes of it, appended: "; step skipped, scale 65536 → 32768".  Told from before the update, it
 * will be skipped; from behind that and before its end, the scale will go. */
enum incident_tense { OUTCOME_PAST, OUTCOME_AHEAD, OUTCOME_SKIPPED };
void incident_outcome(const struct run_state *after, enum incident_tense tense, char *to, size_t size);

/* "fc3.weight.grad[17,2]", "fc1.bias.grad[3]" */
void incident_element(char *to, size_t size, const char *name, long row, long col, bool one_row);

#endif
