/* session.h: one exploration: a device, a training run in up to four lanes, a focused value, and what
 * happened.
 *
 * A session is a pump: every function returns when its work is done, and nothing runs in between.  The
 * command line, scripts and tests call it directly; the UI gives it to a worker thread (worker.h). */
#ifndef ULPSCOPE_SRC_SESSION_H
#define ULPSCOPE_SRC_SESSION_H

#include "command.h"
#include "snapshot.h"

struct session; /* opaque */

struct session_options {
    const char *device; /* "auto", "cpu", "cuda" */
    bool twin;          /* start with an FP32 twin beside the recipe */
};

/* Opens the device and starts task spiral with recipe bf16-pure's defaults at step 0, paused.  NULL and a
 * reason in error[DEVICE_TEXT] on failure. */
struct session *session_open(const struct session_options *options, char *error);
void session_close(struct session *s);

/* Carries out a session command.  False with a message for the person in error[160] if it cannot be done; the
 * session is then as before.  Commands of other scopes are refused. */
bool session_command(struct session *s, enum command_id id, const char *argument, char *error);

/* The message that snapshots carry, in place of the last command's: for lines that are no command. */
void session_say(struct session *s, const char *message, bool is_error);

/* Commands that go a long way through the run (goto, load, restore, why) call `ask` on it between two steps,
 * with the step where they are and the one that they go to.  It may take snapshots, carry out commands of
 * group "value", and end the way there by returning false.  NULL: nobody is asked. */
void session_on_way(struct session *s, bool (*ask)(void *context, int64_t step, int64_t goal), void *context);

/* Whether `run` is on, and up to `steps` whole steps of it.  False if the device failed. */
bool session_running(const struct session *s);
bool session_pump(struct session *s, long steps);

/* Where the session is: whole steps done; and whether the last way ended at a breakpoint. */
int64_t session_steps(const struct session *s);
int64_t session_frontier(const struct session *s); /* the furthest that the run has been */
bool session_stopped(const struct session *s);

/* `steps` whole steps, whether `run` is on or not; the first finishes a step begun by phases.  False if the
 * device failed. */
bool session_advance(struct session *s, long steps);

/* A new snapshot; free with snapshot_free.  NULL without memory. */
struct snapshot *session_snapshot(struct session *s);
void snapshot_free(struct snapshot *snapshot);

/* A fact by name, as text, for `expect` lines.  False if there is none of that name, or not yet.
 *
 *   step phase task     whole steps done, the next phase
 *   Of lane 0, and of lane 1 as twin.FACT:
 *     recipe loss accuracy drift drift.PARAMETER digest state-digest
 *     first.loss        the loss of step 1
 *     updates moved lost% lost-total%   updates of the last step with Delta != 0; over all steps
 *     gradients flushed% subnormal% overflowed   stores of gradients in the last step, zeros left out
 *     used-scale scale action tracker skipped   in the last step, for the next; what the scaler did
 *   Of the focused value:
 *     bits.FORMAT class.FORMAT value.FORMAT tie.FORMAT
 *       of the formats shown
 *     calc calc.exact calc.steps          of the calculation shown: its text; exact value; how many steps
 *     calc.FORMAT       the result's encoding; with .value .error .flags .tie .steps
 *     block block.format block.count      of the block shown: its text; its kind; how many values
 *     block.scale block.scale.value block.largest   the shared scale's encoding and value; max |x|
 *     block.zeros block.saturated block.worst       values that became 0, or saturated; the largest error's
 *     block.N           element N's encoding, from 0; with .scaled .element .value .error .class
 *     chance.FORMAT     that stochastic rounding goes away from zero: "131072 / 2^32", or none
 *     update.SCHEME     moved, lost, kept or chance
 *       and with .first .last .last-value .master .moved .first-move .threshold
 *   watch.ROW           an encoding, in the lane of `watch-lane`; with .value or .note; ROW is one of
 *                       weight master cast gradient unscaled delta new new-cast c
 *   difference.step .tensor .index   where lanes 0 and 1 first differ, or none
 *   difference.A-B.step .phase .tensor .index   of any two lanes, A < B
 *   laneN.FACT          of lane N, as of lane 0
 *   last-step launch    as far as this run has been; launches done in a step begun
 *   injected            changes by hand so far
 *   stopped why         whether a breakpoint stopped the run here; the last why line, or none
 *   overflow.tensor     where the last overflow was first stored, or none */
bool session_fact(struct session *s, const char *name, char *text, size_t size);

/* "FACT OP VALUE" with OP one of == != < <= > >=; numbers compare exactly, as VALUEs, other texts only by ==
 * and !=.  VALUE may be a fact, too, if its name has a dot.  error[TEXT_LINE] gets what was found.  False if
 * the claim does not hold or cannot be read. */
bool session_expect(struct session *s, const char *claim, char *error);

#endif
