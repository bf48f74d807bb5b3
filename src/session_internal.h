/* session_internal.h: what a session is made of.  Private to session*.c and their tests. */
#ifndef ULPSCOPE_SRC_SESSION_INTERNAL_H
#define ULPSCOPE_SRC_SESSION_INTERNAL_H

#include "compare.h"
#include "session.h"

enum {
    LIVE_REPEATS =
        1000 /* at most, of the repeats beside a live weight: they are made anew for every snapshot */
};

/* What is to be trained: everything that a restart starts from. */
struct setup {
    const struct task *task;
    struct recipe recipe; /* with `master` and `update-rounding` applied */
    struct scaler scaler;
    enum optimizer optimizer;
    float lr, loss_weight;
    char lr_text[TEXT_SHORT], loss_weight_text[TEXT_SHORT]; /* as typed */
    uint64_t seed;
    bool twin;
    struct recipe twin_recipe;
    struct scaler twin_scaler;
};

struct lane {
    struct trainer *trainer;
    char name[24];
    struct run_state state; /* after the last launches */
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    uint64_t updates, lost;             /* of the last step */
    uint64_t updates_total, lost_total; /* of this run */
    long skipped;
    float first_loss;
    struct series loss_curve;
};

/* Events that are told once a run. */
struct told {
    bool flushed[TRAINER_MAX_TENSORS];
    bool unchecked_overflow, nan_loss, lost_some, lost_all, difference;
};

struct event {
    int64_t step;
    enum event_kind kind;
    char text[TEXT_VALUE];
};

/* Device memory that panels' kernels work in. */
struct scratch {
    struct run_state *state;
    struct run_settings *settings;
    uint32_t *bins, *counters;
    void *rounded; /* an arena of window's, any format */
    struct drift_range *range;
    double *norm;
    uint32_t *cell; /* one element */
    long elements;  /* of `rounded` */
};

/* What Bits is asked, besides the value and the rounding mode.  All zero at the start. */
struct numbers {
    const struct format *formats[BITS_ROWS];
    int format_count; /* 0: fp32, fp16 and bf16 */
    bool saturate, flush;
    enum nan_rule nan;
    char calc_text[TEXT_LINE]; /* "": no calculation is shown */
    struct calc_screen calc;
};

struct session {
    struct device *device;
    char device_text[DEVICE_TEXT];
    uint64_t generation;
    bool running, failed;
    char message[TEXT_VALUE];
    bool message_is_error;

    struct setup setup;
    struct lane lanes[SNAPSHOT_LANES];
    int lane_count;
    struct scratch scratch;
    struct series log2_scale;
    struct told told;
    bool injected; /* the step that runs was given an infinity */
    struct difference difference;
    char overflow_tensor[TENSOR_NAME]; /* where the last overflow was first stored; "" for none */
    int event_count;
    struct event events[SNAPSHOT_EVENTS];   /* oldest first */
    uint64_t launches_before[KERNEL_COUNT]; /* before the last step or phase */
    char train_kernels[TEXT_LINE];

    int watch_param;
    long watch_row, watch_col;

    bool live; /* the focused value is the watched weight */
    enum round_mode mode;
    struct numbers numbers;
    char *value;                 /* as typed */
    char *w, *lr, *grad, *delta; /* Update as typed; lr and grad, or delta */
    int64_t repeats;
    bool bits_fresh, update_fresh; /* the answers below are to the texts above */
    bool update_valid;
    struct bits_answer bits;
    struct update_answer update;
    char bits_kernels[TEXT_LINE], update_kernels[TEXT_LINE];
};

/* A session on a device that is already open; the session closes it, also where it fails. */
struct session *session_open_on(struct device *d, bool twin, char *error);

/* ---- session.c ---- */

/* Makes the lanes of a setup, at step 0, in place of those there are.  On failure all stays as it was. */
bool session_build(struct session *s, const struct setup *setup, char *error);
void session_setup_recipe(struct setup *setup,
                          const struct recipe *recipe); /* with the recipe's own scaler */
bool session_phase(struct session *s);                  /* one phase of lane 0; the others follow as far */
bool session_in_step(const struct session *s);
bool session_in_step_of(const struct lane *lane);

/* The phase has been run in the step that is shown: the one begun, or the last. */
bool session_reached(const struct lane *lane, enum phase p);

/* Notes that the device failed; returns false. */
bool session_fail(struct session *s);

/* ---- session_events.c ---- */
void session_after_step(struct session *s); /* totals, curves, events */
void session_forget(struct session *s);     /* a new run */
void session_event(struct session *s, enum event_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void series_add(struct series *c, int64_t step, double value, bool mark);

/* ---- session_commands.c, session_ask.c ---- */
typedef bool command_handler(struct session *s, const char *argument, char *error);
extern command_handler *const session_value_handlers[COMMAND_COUNT]; /* NULL for commands of other groups */

/* Fill error[160] and return false. */
bool session_refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool session_bad_value(const char *text, const struct exact_error *why, char *error);
bool session_device_failed(struct session *s, char *error);
/* A whole number from least to most. */
bool session_read_count(const char *text, int64_t least, int64_t most, int64_t *out, char *error);

/* ---- session_value.c: the focused value ---- */
bool session_set_text(char **to, const char *text);
bool session_answer(struct session *s); /* makes the answers fresh; false if the device failed */
bool session_weight_find(struct session *s, const char *name, int *param, long *row, long *col, char *error);
void session_weight_default(struct session *s);
const struct tensor *lane_held(const struct lane *lane, int param); /* the master, or the weight */
void session_weight_name(const struct session *s, char *to, size_t size);

/* ---- session_numbers.c: formats, policies and calculations of Bits ---- */
struct probe_policy session_policy(const struct session *s);
/* Answers about the value and the calculation; false if the device failed. */
bool session_answer_numbers(struct session *s, const char *value, struct exact_error *error);
void session_view_numbers(const struct session *s, struct snapshot *out);
/* The row of a format that is shown, or NULL: fill error[160]. */
const struct bits_row *session_bits_row(const struct session *s, const char *format, char *error);
bool session_calc_fact(const struct session *s, const char *name, char *text, size_t size);
command_handler session_do_formats, session_do_saturate, session_do_flush, session_do_nan, session_do_calc;

/* ---- session_scale.c, session_watch.c ---- */
bool session_view_scale(struct session *s, struct snapshot *out);
bool session_view_watch(struct session *s, struct watch_view *out);
bool session_drift(struct session *s, int lane,
                   double *norm); /* false: no such number, or the device failed */

/* ---- session_text.c ---- */
void text_share(char *to, size_t size, uint64_t part,
                uint64_t whole); /* "78.2 %", "0", "–"; whole only if it is */
void text_float(char *to, size_t size, float x, int digits);
void text_scale(char *to, size_t size, float x);       /* "2^16" where it is a power of two, else the value */
void text_scale_value(char *to, size_t size, float x); /* "65536 = 2^16" */
void text_kernels(char *to, size_t size, const struct device *d, const uint64_t *before);
void text_count(char *to, size_t size, uint64_t n); /* "12,345" */

#endif
