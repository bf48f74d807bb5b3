/* bench.h: how fast things are here and now: casts, rounding, training steps, the debugger, start-up.  Figures are ratios'
 * raw material: compare them only within one run on one machine. */
#ifndef ULPSCOPE_SRC_BENCH_H
#define ULPSCOPE_SRC_BENCH_H

#include "device.h"
#include <stdbool.h>

struct bench_result {
    const char *group; /* "cast", "round", "sweep", "train", "session", "start" */
    char name[64];     /* "fp32 to fp16", "spiral O2", "open device and session" */
    const char *unit;  /* "values/s", "steps/s", "%", "s" */
    double value;
    double against; /* the same bytes by memcpy, for casts; else 0 */
};

/* Runs every measurement on one device (about 15 s), calling report after each.  False with a message in
 * error[DEVICE_TEXT] if the device failed. */
bool bench_run(const char *device, void (*report)(void *context, const struct bench_result *r), void *context,
               char *error);

#endif
