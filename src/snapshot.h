/* snapshot.h: an immutable view of the session, which panels draw.
 *
 * A snapshot owns everything it shows: no pointer leads to a device, a thread or a clock.  Numbers are
 * outputs of kernels or exact values, turned into texts where the session makes the snapshot; doubles are for
 * places on axes only. */
#ifndef ULPSCOPE_SRC_SNAPSHOT_H
#define ULPSCOPE_SRC_SNAPSHOT_H

#include "block_screen.h"
#include "calc_screen.h"
#include "probe.h"
#include "trainer.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    SNAPSHOT_LANES = 4,
    LANE_NAME = 48,
    SNAPSHOT_PAIRS = 6, /* of lanes */
    SNAPSHOT_BREAKS = 16,
    SNAPSHOT_DRIFTS = 12,
    WATCH_POINTS = 512,
    HEAT_SIDE = 64,
    SNAPSHOT_EVENTS = 32,
    SNAPSHOT_WATCH = 8,
    SERIES_POINTS = 512,
    HISTOGRAM_COLUMNS = 288 /* more than FP32 has binades */
};

/* What is kept over the steps beside the loss. */
enum timeline {
    TIMELINE_FLUSHED, /* stores of gradients that became 0, in percent of those that were not 0 before */
    TIMELINE_LOST,    /* updates that left their weights as they were, in percent */
    TIMELINE_SCALE,   /* log2 of the loss scale that the step used; NaN in a lane without a scaler */
    TIMELINE_NORM,    /* norm of all gradients of parameters, unscaled, in FP32 */
    TIMELINES
};

/* A curve over steps.  When it is full every second point goes and the stride doubles, so it always spans the
 * run. */
struct series {
    int count;
    int64_t first, stride;       /* step of point i: first + i x stride */
    float value[SERIES_POINTS];  /* NaN: a gap */
    uint8_t mark[SERIES_POINTS]; /* nonzero: something happened since the point before (a skip, an event) */
    bool pending;                /* something happened since the last point */
};

struct lane_view {
    char recipe[LANE_NAME]; /* "bf16-pure", "O2 fixed:1", "bf16-pure+master+kahan cpu" */
    char loss[TEXT_SHORT];  /* of the last step, "–" before the first */
    char accuracy[16];      /* "1.000" */
    char drift[TEXT_SHORT]; /* || w - w32 || against the FP32 lane; "" without one */
    char lost[24];          /* lost updates, last step: "78.2 %", "–" */
    char lost_total[24];    /* over all steps of this run */
    struct series loss_curve;
    struct series timelines[TIMELINES];
    char now[TIMELINES][16]; /* of the last step: "3.1 %", "2^16" */
    char weight[TEXT_SHORT]; /* the watched one's value here */
    char device[16];         /* that it runs on */
    int drift_count;         /* drift tensor by tensor, where there is an FP32 lane beside this one */
    struct drift_view {
        char name[TENSOR_NAME], text[TEXT_SHORT];
    } drifts[SNAPSHOT_DRIFTS];
};

/* Where two lanes first differ. */
struct difference_view {
    int a, b; /* lanes, a < b */
    bool found;
    int64_t step;
    enum phase phase;
    char element[TENSOR_NAME + 48]; /* "fc2.weight.grad[3,17]" */
    char hex_a[TEXT_HEX], hex_b[TEXT_HEX];
};

/* The watched weight at steps that images were kept of, and now; NaN where a lane has none. */
struct watch_point {
    int64_t step;
    double value[SNAPSHOT_LANES];
};

/* A tensor as a map: each cell shows the largest magnitude of the elements that it stands for, and has the
 * encoding of one that decided it. */
enum heat_class { HEAT_ZERO, HEAT_SUBNORMAL, HEAT_NORMAL, HEAT_INFINITE, HEAT_NAN };
struct heat_view {
    bool valid;
    char name[TENSOR_NAME], format[8], shape[16];
    int rows, cols;         /* of the map */
    int row_step, col_step; /* elements that a cell stands for */
    int lowest, highest;    /* exponents of its normal and subnormal cells; lowest > highest: none */
    int16_t exponent[HEAT_SIDE][HEAT_SIDE]; /* floor(log2 |x|) */
    uint8_t class[HEAT_SIDE][HEAT_SIDE];    /* enum heat_class */
    uint32_t bits[HEAT_SIDE][HEAT_SIDE];
    int32_t element[HEAT_SIDE][HEAT_SIDE]; /* row-major index of that one */
};

struct tensor_row {
    char name[TENSOR_NAME], format[8], shape[16];
    enum tensor_role role;
    int param; /* or TENSOR_NONE */
    long rows, cols;
    bool is_gradient_store;
    bool touched;             /* by the launches run so far in this step: else its counters are "·" */
    bool fresh;               /* stored by the last launch, or those of its phase before it */
    bool is_read, is_written; /* by what comes next: a phase, or within a phase a launch */
    uint32_t count[COUNTER_COUNT];
    char zero[12], flushed[12], subnormal[12], overflowed[12], nan[12],
        lost[12]; /* shares or counts; "" if not meaningful */
};

/* One line of the watched weight's journey through a step. */
struct watch_row {
    char label[32]; /* "master", "cast", "gradient × 2^16", "unscaled", "Δ (adam)", "new master", "cast" */
    const struct format *format;
    uint32_t bits;
    bool valid; /* the current step has got there */
    char hex[TEXT_HEX], sign[2], exponent[16], trailing[32], value[TEXT_SHORT];
    char note[TEXT_SHORT]; /* "moved 5 ulp", "lost", "step skipped" */
};

struct watch_view {
    char name[TENSOR_NAME + 24]; /* "fc2.weight[3,17]" */
    int lane;                    /* whose journey it is */
    int param;
    long row, col;
    int count;
    struct watch_row rows[SNAPSHOT_WATCH];
};

/* log2 |g| of the last step's true gradients, and what a format does to them at two scales. */
struct window_view {
    char title[TEXT_SHORT];                             /* "S = 2^16" */
    double flush_below, subnormal_below, overflow_from; /* log2 of |g| where the window's parts begin */
    char flushed[16], subnormal[16], normal[16], overflowed[16]; /* shares: "92.3 %" */
};
struct histogram_view {
    bool valid;
    char title[TEXT_LINE]; /* "gradients of this step · log2 |g| of 1,251 values, unscaled, from the fp32
                              lane" */
    int first_exponent;    /* of column 0 */
    int columns;
    uint32_t height[HISTOGRAM_COLUMNS]; /* how many |g| in [2^e, 2^(e+1)) */
    uint32_t highest, zeros, total;
    struct window_view unscaled, scaled;
};

/* A tensor of lane 0 as it is now, by exponents.  The window of its own format is `bars.unscaled`; that of the
 * recipe's low format beside an FP32 tensor is `bars.scaled`. */
struct tensor_histogram {
    bool valid;
    char name[TENSOR_NAME], format[8], shape[16];
    struct histogram_view bars;
    uint32_t zeros /* -0 is one */, subnormal, normal, infinite, nan; /* `bars.total` in all */
    char zero_share[16], subnormal_share[16], normal_share[16], infinite_share[16], nan_share[16];
};

/* The scaler as an automaton. */
struct scale_view {
    bool active;                    /* the recipe has a scaler at all */
    char rule[TEXT_SHORT];          /* "pytorch:window=50" */
    char summary[TEXT_LINE];        /* "init 65536   growth ×2 every 50   backoff ×0.5" */
    char scale[TEXT_SHORT];         /* "131072 = 2^17" */
    char tracker[TEXT_SHORT];       /* "36 of 50" */
    double progress;                /* tracker / window, 0..1 */
    char next_clean[TEXT_SHORT];    /* "tracker → 37", "scale → 262144, tracker → 0" */
    char next_overflow[TEXT_SHORT]; /* "scale → 65536, tracker → 0, step skipped" */
    char skipped[TEXT_SHORT];       /* "4 of 412" */
    struct series log2_scale;       /* marks are skipped steps */
};

enum event_kind {
    EVENT_OVERFLOW,
    EVENT_GROWTH,
    EVENT_FLUSHED,
    EVENT_NAN,
    EVENT_LOST,
    EVENT_NOTE,
    EVENT_FIRST_DIFFERENCE
};
struct event_view {
    int64_t step;
    enum event_kind kind;
    char name[16]; /* "overflow", "growth", … */
    char text[TEXT_VALUE];
};

struct break_view {
    int number, hits;
    bool enabled;
    char text[64];
};

struct snapshot {
    uint64_t generation; /* grows with every snapshot of a session */

    char device[16],
        device_text[DEVICE_TEXT]; /* "cpu", "avx512, 1 thread"; why not CUDA where that was the choice */
    char task[16], recipe[16], scaler[TEXT_SHORT], optimizer[16], lr[TEXT_SHORT], loss_weight[TEXT_SHORT],
        seed[24];
    char update_rounding[8];
    bool master;
    int64_t step; /* whole steps done */
    bool running;
    bool on_way;                      /* a command that takes long is being carried out; `pause` ends it */
    enum phase next_phase;            /* PHASE_CAST between steps */
    bool in_step;                     /* some phases of step + 1 are done */
    char next_text[2][112];           /* what the next phase will do */
    int launch, launch_count;         /* of lane 0: launches done in this step, and of a whole one */
    int phase_launch, phase_launches; /* the next launch is this one of its phase's, from 1 */
    char done_text[112];              /* the last launch; "" before the first */
    enum phase done_phase;            /* its phase; PHASE_COUNT before the first */
    char next_launch[112];            /* what the next one will do */
    int64_t last_step;                /* as far as this run has been: curves go on to here */
    bool behind;                      /* this is an earlier place: what comes is known */
    char history[TEXT_SHORT];         /* "history 212 images, 20.1 of 64 MB" */
    char why[TEXT_LINE];              /* of the last stop at a breakpoint, or the last `why`; "" for none */
    bool why_here;                    /* the run still stands at the place that it is about */
    bool stopped;                     /* the run stands where a breakpoint stopped it */
    int break_count;
    struct break_view breaks[SNAPSHOT_BREAKS];
    int injected;             /* changes by hand so far: this is no clean run */
    char rate[24];            /* steps per second while running, "–" in headless runs */
    char message[TEXT_VALUE]; /* of the last command; "" for none */
    bool message_is_error;
    bool failed; /* the device is gone or never opened; message says why */
    bool quit;   /* a quit command was carried out (scripts) */

    int lane_count;
    struct lane_view lanes[SNAPSHOT_LANES];
    int tensor_count;
    struct tensor_row tensors[TRAINER_MAX_TENSORS]; /* of lane 0 */
    struct watch_view watch;
    int watch_count; /* its history, by step */
    struct watch_point watch_history[WATCH_POINTS];
    struct heat_view heat;                    /* of the command `heat` */
    struct tensor_histogram tensor_histogram; /* of the command `histogram` */
    int difference_count;
    struct difference_view differences[SNAPSHOT_PAIRS];
    struct histogram_view histogram;
    struct scale_view scale;
    int event_count; /* newest last */
    struct event_view events[SNAPSHOT_EVENTS];

    /* The focused value: typed, or a weight of lane 0 that follows the run. */
    bool live;
    char focus[TEXT_VALUE]; /* the text typed, or the weight's name */
    enum round_mode mode;
    struct bits_answer bits;
    char formats[TEXT_LINE];   /* "fp32,fp16,bf16" */
    struct calc_screen calc;   /* Bits shows it in the value's place, if it is `shown` */
    struct block_screen block; /* likewise; never both */
    bool update_valid;         /* live: false before the first update */
    char update_lr[TEXT_SHORT], update_grad[TEXT_SHORT]; /* "" when Δ was typed, or is the live run's */
    struct update_answer update;

    char kernels[4]
                [TEXT_LINE]; /* per panel (bits, update, scale, train): the kernels that made its numbers */
};

#endif
