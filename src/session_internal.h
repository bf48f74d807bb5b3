/* session_internal.h: what a session is made of.  Private to session*.c and their tests. */
#ifndef ULPSCOPE_SRC_SESSION_INTERNAL_H
#define ULPSCOPE_SRC_SESSION_INTERNAL_H

#include "breakpoint.h"
#include "compare.h"
#include "history.h"
#include "incident.h"
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
    int more; /* lanes beside lane 0 */
    struct lane_setup {
        struct recipe recipe;
        struct scaler scaler;
        char device[16]; /* "" for the session's own */
    } lanes[SNAPSHOT_LANES - 1];
};

struct lane {
    struct trainer *trainer;
    struct device *device; /* the session's, or one of `others` */
    char name[LANE_NAME];
    struct run_state state; /* after the last launches */
    struct trainer_counts counts[TRAINER_MAX_TENSORS];
    uint64_t updates, lost;             /* of the last step */
    uint64_t updates_total, lost_total; /* of this run */
    long skipped;
    float first_loss;
    struct series loss_curve, timelines[TIMELINES];
};

/* Events that are told once a run. */
struct told {
    bool flushed[TRAINER_MAX_TENSORS];
    bool unchecked_overflow, nan_loss, lost_some, lost_all;
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
    void *rounded;              /* an arena of window's, any format */
    void *other;                /* an arena from another device */
    float *zeros;               /* an arena of them */
    struct param_block *blocks; /* of one tensor */
    struct drift_range *range;
    double *norm;   /* one a range, as there are ranges */
    uint32_t *cell; /* one element */
    long elements;  /* of `rounded`, `other` and `zeros` */
};

/* What is told of a run besides its trainers: goes back with them. */
struct ledger {
    struct told told;
    struct difference differences[SNAPSHOT_PAIRS];
    char overflow_tensor[TENSOR_NAME];
    int event_count;
    struct event events[SNAPSHOT_EVENTS];
    struct series log2_scale;
    float lr;
    char lr_text[TEXT_SHORT];
    int lane_count;
    struct lane lanes[]; /* trainers and devices left out */
};

/* The curves as far as the run has ever been, while the person looks at an earlier step. */
struct future {
    bool behind;
    struct series loss[SNAPSHOT_LANES], timelines[SNAPSHOT_LANES][TIMELINES], log2_scale;
};

/* What Bits is asked, besides the value and the rounding mode.  All zero at the start. */
struct numbers {
    const struct format *formats[BITS_ROWS];
    int format_count; /* 0: fp32, fp16 and bf16 */
    bool saturate, flush;
    enum nan_rule nan;
    char calc_text[TEXT_LINE]; /* "": no calculation is shown */
    struct calc_screen calc;
    int random_bits;             /* of stochastic rounding; 0: 32 */
    char block_text[BLOCK_TEXT]; /* "": no block is shown; a calculation and a block exclude each other */
    struct block_screen block;
};

/* Who is asked, on a long way, whether it is to go on. */
struct way {
    bool (*ask)(void *context, int64_t step, int64_t goal);
    void *context;
    int64_t goal; /* of a way of several commands; 0: the next place is the goal */
    int depth;    /* of commands: `load` consists of others */
    bool asking;  /* the answer is awaited: a device that fails now is replaced when it is there */
    bool cut;     /* the answer was no: this command ends where the run is */
};

struct session {
    struct device *device;
    struct device *others[SNAPSHOT_LANES]; /* that lanes asked for by name */
    int other_count;
    bool rescued; /* the first device failed, and this is the cpu in its place */
    char rescued_from[16];
    char device_text[DEVICE_TEXT];
    uint64_t generation;
    bool running, failed;
    bool was_running; /* when it failed */
    char message[TEXT_VALUE];
    bool message_is_error;

    struct setup setup;
    char start_lr_text[TEXT_SHORT]; /* as this run began */
    float start_lr;
    struct history history;
    struct future future;
    int64_t accounted; /* the last step whose end was noted in all accounts */
    int last_launch;   /* of lane 0, the one done last; -1 before the first */
    bool autosaved;    /* this session has been saved by itself */
    bool stopped;      /* the last way ended at a breakpoint */
    enum breakpoint_kind hit;
    char hit_tensor[TENSOR_NAME];
    int64_t hit_step;           /* whole steps done at the start of the step that it was in */
    struct run_state hit_after; /* what the end of that step will bring lane 0 */
    bool looking;               /* a step is run only to see where to stop in it: nobody has been there */
    struct way way;
    char why[TEXT_LINE];    /* of the last stop, or the last `why` */
    struct position why_at; /* where the run stood then */
    int break_count;
    struct breakpoint breaks[BREAKPOINTS];
    struct lane lanes[SNAPSHOT_LANES];
    int lane_count;
    struct scratch scratch;
    struct series log2_scale;
    struct told told;
    bool injected;                                 /* the step that runs was given an infinity */
    struct difference differences[SNAPSHOT_PAIRS]; /* of every two lanes: see session_pair */
    char overflow_tensor[TENSOR_NAME];             /* where the last overflow was first stored; "" for none */
    int event_count;
    struct event events[SNAPSHOT_EVENTS];   /* oldest first */
    uint64_t launches_before[KERNEL_COUNT]; /* before the last step or phase */
    char train_kernels[TEXT_LINE];

    char heat[TENSOR_NAME];      /* tensor that is shown as a map; "" for none */
    char histogram[TENSOR_NAME]; /* as a histogram: one of both at most */
    int watch_lane;
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
bool session_in_step(const struct session *s);
bool session_in_step_of(const struct lane *lane);

/* The phase has been run in the step that is shown: the one begun, or the last. */
bool session_reached(const struct lane *lane, enum phase p);

/* Notes that the device failed; returns false. */
bool session_fail(struct session *s);

bool session_scratch_make(struct session *s); /* device memory for panels */
bool session_scratch_grow(struct session *s, long elements, char *error);
bool session_lanes_refresh(struct session *s); /* reads what the last launches left */
void session_scratch_free(struct session *s);
struct device *session_lane_device(struct session *s, const char *name, char *error); /* opens it at need */

/* ---- session_move.c: through the run, forwards and backwards ---- */
struct position session_position(const struct session *s);
/* To a place.  Forwards, commands that changed the run there are repeated; where `stops`, a breakpoint ends
 * the way.  A device that fails is replaced by the cpu on the way.  False if that cannot be done. */
bool session_travel(struct session *s, struct position to, bool stops);
/* The same from an image in any case, without another device. */
bool session_return(struct session *s, struct position to);
bool session_phase(struct session *s);         /* one phase of lane 0; the others follow as far */
bool session_into(struct session *s);          /* one launch of lane 0; the others follow as far */
bool session_whole_step(struct session *s);    /* to the end of the step */
void session_start_history(struct session *s); /* a new run */
/* The cpu in place of a device that failed, at the last whole step.  False if there is no way. */
bool session_rescue(struct session *s);
/* The same, and back to the place where the run stood. */
bool session_rescue_at(struct session *s, struct position at);
void session_note_rescue(struct session *s); /* as an event, unless it is there */
/* Where the phase that comes next ends, and where the one before begins. */
struct position session_phase_end(const struct session *s);
struct position session_phase_start(const struct session *s);

/* ---- session_change.c: commands that change the run in mid-course ---- */
/* Logs it at the place where the run is, which ends the future that was known, and carries it out. */
bool session_change(struct session *s, enum command_id command, const char *argument, char *error);
bool session_apply(struct session *s, enum command_id command, const char *argument, char *error);
int session_injected(const struct session *s); /* how many changes so far were put in by hand */
bool session_tensor_find(struct session *s, const char *name, const struct tensor **x, long *row, long *col,
                         char *error);

/* ---- session_break.c: conditions, what a hit says, commands ---- */
/* After a whole step: whether the condition came true in it; in what a phase of it has left so far. */
bool session_break_holds(struct session *s, const struct breakpoint *b);
bool session_break_stored(const struct breakpoint *b, const struct trainer *t,
                          const struct trainer_counts *counts);
enum phase session_break_phase(struct session *s,
                               const struct breakpoint *b); /* the last in which it can come true */
/* After a whole step, for a stop at its `launch`-th launch. */
void session_break_why(struct session *s, const struct breakpoint *b, int launch, char *to, size_t size);
bool session_break_command(struct session *s, enum command_id id, const char *argument, char *error);

/* ---- session_stop.c: where in a step breakpoints stop ---- */
bool session_watches(const struct session *s); /* there is something to stop at */
/* On in the step that the run is in: to `to`, or to the step's end if that comes first; but to the end of the
 * phase in which a breakpoint's condition came true, if that lies behind `from`: the way's start, where all
 * has been told. */
bool session_stop_in_step(struct session *s, struct position from, struct position to);

/* ---- session_why.c ---- */
/* The first number of that kind in the last whole step, as a line; the run stays where it is.  `tense`: how
 * to tell what the step makes of it. */
bool session_why_here(struct session *s, enum incident_kind kind, const char *tensor,
                      enum incident_tense tense, char *to, size_t size);
bool session_why_command(struct session *s, const char *argument, char *error);

/* ---- session_map.c ---- */
bool session_view_heat(struct session *s, struct heat_view *v);
void session_view_watch_history(const struct session *s, struct snapshot *out);
bool session_heat_command(struct session *s, const char *argument, char *error);

/* ---- session_plots.c ---- */
/* A step's points on the timelines of every lane; false if the device failed. */
bool session_add_timelines(struct session *s);
bool session_view_timelines(struct session *s, int lane, struct lane_view *v);
bool session_view_histogram(struct session *s, struct tensor_histogram *v);
bool session_histogram_command(struct session *s, const char *argument, char *error);

/* ---- save.c, save_auto.c ---- */
bool session_save_command(struct session *s, const char *argument, char *error);
bool session_load_command(struct session *s, const char *argument, char *error);
bool session_restore_command(struct session *s, const char *argument, char *error);

/* ---- session_lanes.c ---- */
int session_pair(int a, int b); /* a < b: its place in `differences` */
bool session_differences(struct session *s);
bool session_drift_of(struct session *s, int lane, double *norms); /* one a parameter */
bool session_lane_command(struct session *s, const char *argument, char *error);
bool session_twin_command(struct session *s, const char *argument, char *error);

/* ---- session_events.c ---- */
void session_after_step(struct session *s); /* totals, curves, events */
void session_forget(struct session *s);     /* a new run */
void session_event(struct session *s, enum event_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void series_add(struct series *c, int64_t step, double value, bool mark);
bool series_keeps(const struct series *c, int64_t step); /* whether the next series_add stores its value */

/* ---- session_commands.c, session_ask.c ---- */
typedef bool command_handler(struct session *s, const char *argument, char *error);
extern command_handler *const session_value_handlers[COMMAND_COUNT]; /* NULL for commands of other groups */
extern command_handler *const session_debug_handlers[COMMAND_COUNT];

/* Fill error[160] and return false. */
bool session_refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool session_bad_value(const char *text, const struct exact_error *why, char *error);
bool session_device_failed(struct session *s, char *error);
bool session_went(struct session *s, bool ok, char *error); /* ok, or why a way was not gone */
/* A VALUE, rounded once to FP32; finite, and positive or zero as asked. */
bool session_read_float(const char *text, bool zero_too, float *out, char *error);
const struct recipe *session_find_recipe(const char *name, char *error);
bool session_rebuild(struct session *s, const struct setup *setup, char *error); /* and says so */
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
command_handler session_do_formats, session_do_saturate, session_do_flush, session_do_nan, session_do_calc,
    session_do_random_bits;
void session_show_value(struct session *s); /* in the place of a calculation or a block */

/* ---- session_block.c: a block of values in Bits ---- */
command_handler session_do_block;
bool session_answer_block(struct session *s, const struct probe_policy *policy, struct exact_error *error);
bool session_block_fact(const struct session *s, const char *name, char *text, size_t size);

/* ---- session_scale.c, session_watch.c ---- */
bool session_view_scale(struct session *s, struct snapshot *out);
/* How many values there are of each exponent: see histogram_args.  False if the device failed. */
bool session_bins(struct session *s, const struct param_block *blocks, long block_count, const float *from,
                  uint32_t bins[HISTOGRAM_BINS]);
/* Where a format's parts begin, for values that are multiplied by 2^log2_scale first. */
void session_window_edges(const struct format *f, double log2_scale, struct window_view *w);
bool session_view_watch(struct session *s, struct watch_view *out);
bool session_watch_lane_command(struct session *s, const char *argument, char *error);
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
