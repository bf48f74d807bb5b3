/* scaler.h: loss-scale rules: a table, and one kernel (rescale in gpu/kernels/step.k.h) that carries them
 * out. */
#ifndef ULPSCOPE_SRC_SCALER_H
#define ULPSCOPE_SRC_SCALER_H

#include "kernels.h"
#include <stdbool.h>

/* One rule with its settings. */
struct scaler {
    const char *name; /* "none", "fixed", "pytorch" */
    const char *summary;
    enum scaler_kind kind;
    float init;
    double growth, backoff;
    int32_t window; /* growth interval: clean steps before the scale grows */
    bool check;     /* tests gradients for infinities and NaNs, and skips the step that has one */
};

enum { SCALER_RULE_COUNT = 3, SCALER_TEXT = 160 /* the longest scaler_text */ };
extern const struct scaler scaler_table[SCALER_RULE_COUNT];

/* Reads NAME or NAME:SETTINGS, e.g. "pytorch:init=65536,window=10", "fixed:1024", "fixed:1,check=off".
 * Settings are init, growth, backoff, window (interval), check; numbers are VALUEs, rounded once.  A false
 * return leaves a message for the person in error[160] and its place in *column (a byte offset in text). */
bool scaler_parse(const char *text, struct scaler *out, char *error, size_t *column);

/* The rule as scaler_parse reads it, to the bit, with every setting that is not the default. */
void scaler_text(const struct scaler *s, char *text, size_t size);

/* Copies the rule into a run's settings, and its start into a run's state. */
void scaler_apply(const struct scaler *s, struct run_settings *settings, struct run_state *state);

/* "hold", "grow", "backoff", "absorb", "refuse", "raise" */
const char *scaler_action_name(int action);

#endif
