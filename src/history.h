/* history.h: what it takes to go back in a run: images of every lane at some steps, and the commands that
 * changed the run on its way.
 *
 * Steps near the one where the person is are all kept; further away every 32nd, and from 1,024 on half as
 * many each time the distance doubles.  Whatever lies between is computed again from the nearest image
 * before it: that gives the same bits.  Where the budget is short all of this gets coarser; the start of the
 * run is kept always. */
#ifndef ULPSCOPE_SRC_HISTORY_H
#define ULPSCOPE_SRC_HISTORY_H

#include "command.h"
#include "trainer.h"

enum { HISTORY_LANES = 4, HISTORY_BUDGET_MB = 64, HISTORY_CHANGES = 100000 };

/* A place in a run: whole steps done, and launches of lane 0 done in the next one. */
struct position {
    int64_t step;
    int launch;
};
int position_order(struct position a, struct position b); /* < 0, 0, > 0 */

/* A command that changed the run in mid-course. */
struct change {
    struct position at;
    enum command_id command;
    char *argument;
};

struct checkpoint {
    int64_t step;
    struct trainer_image *lanes[HISTORY_LANES];
    void *ledger; /* the session's own accounts at that step */
    size_t bytes;
};

struct history {
    bool off;                       /* for measurements: steps are not remembered */
    size_t budget, used;            /* bytes */
    int coarse;                     /* how often the budget has halved what is kept */
    struct checkpoint *checkpoints; /* in the order of their steps */
    int count, room;
    struct change *changes; /* in the order of their places */
    int change_count, change_room;
    int applied;              /* of the changes, at the place where the run is */
    struct position frontier; /* as far as the run has ever been */
};

void history_open(struct history *h);
void history_clear(struct history *h); /* of everything but the budget: a new run */

bool history_has(const struct history *h, int64_t step);

/* Takes a checkpoint, which owns its images and its ledger from here on, and drops those that are to go when
 * the person is at its step. */
void history_add(struct history *h, const struct checkpoint *c);

/* The latest checkpoint at `step` or before.  NULL only before the first was added. */
const struct checkpoint *history_find(const struct history *h, int64_t step);

void history_set_budget(struct history *h, size_t bytes, int64_t now);

/* Forgets all that lies behind `at`: what follows will be another future. */
void history_truncate(struct history *h, struct position at);

/* Adds a change at the place where the run is; it counts as applied.  False without memory, or with too many
 * of them. */
bool history_log(struct history *h, struct position at, enum command_id command, const char *argument);

/* The next change that is to be repeated at that place, or NULL; and its place if it lies in the step that
 * `at` is in. */
const struct change *history_due(const struct history *h, struct position at);
bool history_waits(const struct history *h, int64_t step);

/* The run stands at the start of a step again: changes from there on are to be repeated. */
void history_rewind(struct history *h, int64_t step);

#endif
