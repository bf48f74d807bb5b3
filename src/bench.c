/* bench.c: the measurements.  Each takes the best of several runs, which is what the machine can do
 * undisturbed. */
#include "bench.h"
#include "probe.h"
#include "quantize.h"
#include "selftest.h"
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CAST_VALUES = 1 << 24, RUNS = 5 };

typedef void report_function(void *context, const struct bench_result *r);

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- casts ---- */

/* Seconds for one launch over data larger than the caches; -1 if the device failed. */
static double time_launch(struct device *d, enum kernel_id kernel, const struct cast_args *args)
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        if (!device_launch(d, kernel, args) || !device_sync(d))
            return -1;
        double spent = seconds_now() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

static double time_memcpy(void *to, const void *from, size_t bytes)
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        memcpy(to, from, bytes);
        double spent = seconds_now() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

/* Normal values over 36 binades around 1, so that both formats see normal, subnormal and tiny ones. */
static void fill_values(float *values, size_t n)
{
    uint32_t x = 1;
    for (size_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        uint32_t bits = (x & 0x807fffffu) | (109 + (x >> 24) % 36) << 23;
        memcpy(&values[i], &bits, sizeof bits);
    }
}

static bool bench_casts(struct device *d, report_function *report, void *context)
{
    static const struct {
        const char *name;
        int kernel; /* the fp32 member of a family */
        bool narrowing;
    } families[] = {{"fp32 to %s", KERNEL_convert_to_fp32, true},
                    {"fp32 to %s, counted", KERNEL_cast_to_fp32, true},
                    {"%s to fp32", KERNEL_convert_from_fp32, false}};
    size_t bytes = sizeof(float) * CAST_VALUES;
    void *in = device_alloc(d, bytes), *out = device_alloc(d, bytes);
    uint32_t *counters = device_alloc(d, sizeof(uint32_t) * COUNTER_COUNT);
    float *host = malloc(bytes);
    void *copy = malloc(bytes);
    bool ok = in && out && counters && host && copy;
    if (ok) {
        fill_values(host, CAST_VALUES);
        ok = device_upload(d, in, host, bytes);
    }
    for (size_t f = 0; ok && f < sizeof families / sizeof *families; f++)
        for (int format = FORMAT_FP16; ok && format < FORMAT_STORED_COUNT; format++) {
            struct bench_result r = {.group = "cast", .unit = "values/s"};
            struct cast_args args = {in, out, CAST_VALUES, counters};
            double spent = time_launch(d, (enum kernel_id)(families[f].kernel + format), &args);
            ok = spent >= 0;
            snprintf(r.name, sizeof r.name, families[f].name, format_table[format].name);
            r.value = CAST_VALUES / spent;
            /* 6 bytes move for each value, read and written; memcpy of n bytes moves 2n. */
            r.against = CAST_VALUES / time_memcpy(copy, host, sizeof(float) * CAST_VALUES / 4 * 3);
            if (ok)
                report(context, &r);
        }
    device_release(d, in);
    device_release(d, out);
    device_release(d, counters);
    free(host);
    free(copy);
    return ok;
}

/* ---- rounding arrays ---- */

static double time_quantize(struct device *d, enum kernel_id kernel, const struct quantize_args *args)
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        if (!device_launch(d, kernel, args) || !device_sync(d))
            return -1;
        double spent = seconds_now() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

/* In place in every mode, and packed by roundTiesToEven: bytes that move for a value are 8, and 4 and its
 * own. */
static bool bench_rounding(struct device *d, report_function *report, void *context)
{
    static const enum format_id formats[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_TF32,
                                             FORMAT_E4M3, FORMAT_E5M2, FORMAT_E2M1};
    size_t bytes = sizeof(float) * CAST_VALUES;
    void *in = device_alloc(d, bytes), *out = device_alloc(d, bytes);
    float *host = malloc(bytes), *copy = malloc(bytes);
    bool ok = in && out && host && copy;
    if (ok) {
        fill_values(host, CAST_VALUES);
        memset(copy, 0, bytes);
    }
    for (size_t f = 0; ok && f < sizeof formats / sizeof *formats; f++)
        for (int mode = ROUND_RNE; ok && mode <= ROUND_MODE_COUNT; mode++) {
            const struct format *format = &format_table[formats[f]];
            bool packed = mode == ROUND_MODE_COUNT; /* once more, packed */
            struct bench_result r = {.group = "round", .unit = "values/s"};
            struct quantize_args args = {.from = in, .to = packed ? out : in, .n = CAST_VALUES, .seed = 1};
            quantize_set(&args, format, packed ? ROUND_RNE : (enum round_mode)mode, false);
            size_t moved = packed ? (format->width > 8 ? CAST_VALUES * 3 : CAST_VALUES * 5 / 2) : bytes;
            enum kernel_id kernel = !packed             ? KERNEL_quantize
                                    : format->width > 8 ? KERNEL_pack16
                                                        : KERNEL_pack8;
            if (packed && format->width > 16)
                continue;
            double spent = device_upload(d, in, host, bytes) ? time_quantize(d, kernel, &args) : -1;
            ok = spent >= 0;
            snprintf(r.name, sizeof r.name, "%s, %s, %s", format->name,
                     round_mode_table[packed ? 0 : mode].name, packed ? "packed" : "in place");
            r.value = CAST_VALUES / spent;
            r.against = CAST_VALUES / time_memcpy(copy, host, moved);
            if (ok)
                report(context, &r);
        }
    device_release(d, in);
    device_release(d, out);
    free(host);
    free(copy);
    return ok;
}

/* ---- a sweep over all inputs ---- */

static void keep_result(void *context, const struct selftest_progress *progress,
                        const struct selftest_result *result)
{
    (void)progress;
    if (result)
        *(struct selftest_result *)context = *result;
}

/* What selftest takes for one format and mode, generated, rounded, checked and digested. */
static bool bench_sweep(const char *device, report_function *report, void *context, char *error)
{
    enum { THREADS = 2 };
    struct selftest_result found = {0};
    struct selftest_options options = {.device = device,
                                       .exhaustive = true,
                                       .only = "fp32 to fp16, rne, against an integer rounder",
                                       .threads = THREADS,
                                       .report = keep_result,
                                       .context = &found};
    int differing = selftest_run(&options, NULL, error);
    struct bench_result r = {.group = "sweep", .unit = "s", .value = found.seconds};
    snprintf(r.name, sizeof r.name, "2^32 inputs, fp16, rne, checked, %d threads", THREADS);
    if (differing > 0)
        snprintf(error, DEVICE_TEXT, "the sweep found a difference: see selftest");
    if (differing == 0)
        report(context, &r);
    return differing == 0;
}

/* ---- training ---- */

static bool bench_recipe(struct device *d, const struct task *task, const struct recipe *recipe,
                         report_function *report, void *context, char *error)
{
    struct trainer_config config = trainer_defaults(task, recipe);
    struct trainer *t = trainer_create(d, &config, error);
    double best = 0;
    if (!t)
        return false;
    for (int run = 0; run < RUNS; run++) {
        double start = seconds_now(), spent;
        long steps = 0;
        do {
            for (int i = 0; i < 16; i++, steps++)
                if (!trainer_step(t)) {
                    trainer_free(t);
                    return false;
                }
            if (!device_sync(d)) {
                trainer_free(t);
                return false;
            }
            spent = seconds_now() - start;
        } while (spent < 0.06);
        best = (double)steps / spent > best ? (double)steps / spent : best;
    }
    struct bench_result r = {.group = "train", .unit = "steps/s", .value = best};
    snprintf(r.name, sizeof r.name, "%s %s", task->name, recipe->name);
    report(context, &r);
    trainer_free(t);
    return true;
}

/* ---- the debugger ---- */

/* Steps a second of a session, with all its counters and accounts, with and without history in turn: what
 * else the machine does then meets both.  False if the device failed. */
static bool time_session(struct session *s, double best[2])
{
    best[0] = best[1] = 0;
    for (int run = 0; run < 4 * RUNS; run++) {
        double start = seconds_now(), spent, *to = &best[run % 2];
        long steps = 0;
        s->history.off = run % 2;
        do {
            if (!session_advance(s, 16))
                return false;
            steps += 16;
            spent = seconds_now() - start;
        } while (spent < 0.06);
        *to = (double)steps / spent > *to ? (double)steps / spent : *to;
    }
    s->history.off = false;
    return true;
}

/* The longest of some jumps back by 1,000 steps; -1 if the device failed. */
static double time_jumps(struct session *s)
{
    enum { FROM = 2000, BACK = 1000, JUMPS = 25 };
    double worst = 0;
    if (!session_travel(s, (struct position){FROM, 0}, false))
        return -1;
    for (int i = 0; i < JUMPS; i++) {
        struct position here = {FROM + 7 * i, 0}, there = {here.step - BACK, 0};
        if (!session_travel(s, here, false))
            return -1;
        double start = seconds_now();
        if (!session_travel(s, there, false))
            return -1;
        double spent = seconds_now() - start;
        worst = spent > worst ? spent : worst;
    }
    return worst;
}

static bool bench_session(const char *device, report_function *report, void *context, char *error)
{
    struct session_options options = {device, true};
    struct session *s = session_open(&options, error);
    if (!s)
        return false;
    double best[2];
    bool ok = time_session(s, best);
    struct bench_result steps = {.group = "session", .unit = "steps/s", .value = best[0]},
                        adds = {.group = "session", .unit = "%"}, jump = {.group = "session", .unit = "s"};
    snprintf(steps.name, sizeof steps.name, "spiral, counters, fp32 twin, history");
    snprintf(adds.name, sizeof adds.name, "what history adds to a step");
    snprintf(jump.name, sizeof jump.name, "1,000 steps back, longest of 25 jumps");
    jump.value = ok && session_build(s, &s->setup, error) ? time_jumps(s) : -1;
    ok = jump.value >= 0;
    if (ok) {
        adds.value = 100 * (best[1] / best[0] - 1);
        report(context, &steps);
        report(context, &adds);
        report(context, &jump);
    } else {
        snprintf(error, DEVICE_TEXT, "%.150s", s->message);
    }
    session_close(s);
    return ok;
}

/* ---- start-up ---- */

static bool bench_start(const char *device, report_function *report, void *context, char *error)
{
    struct bench_result r = {.group = "start", .unit = "s", .value = 1e9};
    for (int i = 0; i < RUNS; i++) {
        double start = seconds_now();
        struct device *d = device_open(device, error);
        if (!d)
            return false;
        struct trainer_config config = trainer_defaults(task_find("spiral"), recipe_find("bf16-pure"));
        struct trainer *t = trainer_create(d, &config, error);
        bool ok = t && device_sync(d);
        trainer_free(t);
        device_close(d);
        if (!ok)
            return false;
        double spent = seconds_now() - start;
        r.value = spent < r.value ? spent : r.value;
    }
    snprintf(r.name, sizeof r.name, "open the device, lay out spiral");
    report(context, &r);
    return true;
}

bool bench_run(const char *device, report_function *report, void *context, char *error)
{
    struct device *d = device_open(device, error);
    if (!d)
        return false;
    bool ok = bench_casts(d, report, context) && bench_rounding(d, report, context);
    for (int task = 0; ok && task < TASK_COUNT; task++)
        for (int recipe = 0; ok && recipe < RECIPE_COUNT; recipe++)
            ok = bench_recipe(d, &task_table[task], &recipe_table[recipe], report, context, error);
    if (!ok && *device_error(d))
        snprintf(error, DEVICE_TEXT, "%s", device_error(d));
    device_close(d);
    return ok && bench_sweep(device, report, context, error) &&
           bench_session(device, report, context, error) && bench_start(device, report, context, error);
}
