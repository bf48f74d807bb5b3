/* kernels.h: every kernel, with its arguments.
 *
 * A kernel is launched with a pointer to its argument struct; pointers in it are device memory.  Kernels that
 * exist once per storage format are rows of KERNEL_FORMAT_TABLE and get the names NAME_fp32, NAME_fp16 and
 * NAME_bf16; the format is that of the tensor named first in the struct's comment. */
#ifndef ULPSCOPE_GPU_KERNELS_H
#define ULPSCOPE_GPU_KERNELS_H

#include "format.h"
#include <stddef.h>
#include <stdint.h>

/* What is counted where a kernel stores a tensor.  Values before rounding are FP32. */
enum counter {
    COUNTER_ZERO,       /* was zero before */
    COUNTER_FLUSHED,    /* nonzero before, zero after */
    COUNTER_SUBNORMAL,  /* subnormal after */
    COUNTER_OVERFLOWED, /* finite before, infinite after */
    COUNTER_NAN,        /* NaN after */
    COUNTER_UPDATED,    /* update with Delta != 0 */
    COUNTER_LOST,       /* such an update that left the weight's bits as they were */
    COUNTER_COUNT = 8   /* words a tensor has */
};

/* ---- casts ---- */

/* convert_to, cast_to: FP32 `from`, format `to`.  convert_from, cast_from: format `from`, FP32 `to`.
 * convert_* is for given numbers and keeps NaN payloads; cast_* is for computed ones, and counts. */
struct cast_args {
    const void *from;
    void *to;
    long n;
    uint32_t *counters; /* COUNTER_COUNT words; convert_* do not use them */
};

/* Rounding one exact value under any policy: what `bits` asks. */
enum round_mode { ROUND_RNE, ROUND_RNA, ROUND_RTZ, ROUND_RUP, ROUND_RDN, ROUND_SR, ROUND_MODE_COUNT };
enum round_kind { ROUND_FINITE, ROUND_ZERO, ROUND_INFINITE, ROUND_NAN };
enum round_flag {
    FLAG_INEXACT = 1,
    FLAG_UNDERFLOW = 2,
    FLAG_OVERFLOW = 4,
    FLAG_INVALID = 8,
    FLAG_DIVIDE_BY_ZERO = 16,
    FLAG_NO_VALUE = 32, /* no IEEE exception: the format has no code for the result (NaN in a finite format,
                           zero and negative values in a scale), and the encoding means nothing */
};

/* What a NaN becomes.  NAN_RULE_OWN, for given NaNs: sign and top payload bits are kept, and the NaN made
 * quiet. NAN_RULE_CUDA: positive, all other bits set, as CUDA's conversions have it.  NAN_RULE_X86: as F16C
 * and AVX512-BF16, which for given NaNs is our own rule too. */
enum nan_rule { NAN_RULE_OWN, NAN_RULE_CUDA, NAN_RULE_X86, NAN_RULE_COUNT };

/* A format and a policy. */
struct round_rule {
    int32_t exponent_bits, trailing_bits, specials; /* the format, as in struct format */
    int32_t mode;                                   /* enum round_mode */
    int32_t saturate;    /* nonzero: overflow and infinities become the largest finite value */
    int32_t flush;       /* nonzero: results that are tiny after rounding become zeros, as with x86's FTZ */
    int32_t nan;         /* enum nan_rule */
    int32_t random_bits; /* ROUND_SR: how many, 1..32; 0 stands for 32 */
};

struct round_input {
    uint64_t
        significand; /* finite: top bit set, lowest bit sticky; NaN: payload, left-aligned (bit 63 = quiet) */
    int32_t exponent; /* finite: value = significand x 2^exponent */
    int32_t sign;     /* 0 or 1 */
    int32_t kind;     /* enum round_kind */
    uint32_t random;  /* ROUND_SR: rounds away from zero if random < fraction of an ulp x 2^random_bits */
};

struct round_output {
    uint32_t bits;  /* the encoding */
    uint32_t flags; /* enum round_flag, of IEEE 754-2019 clause 7; tininess after rounding */
};

/* round_wide: n inputs to one format and policy. */
struct round_args {
    const struct round_input *in;
    struct round_output *out;
    long n;
    struct round_rule rule;
};

/* arithmetic: operations on encodings of one format, each result rounded once to it (IEEE 754-2019 clause
 * 5.4.1).  A NaN result is the canonical quiet NaN, whatever the operands were. */
enum arithmetic_op {
    ARITHMETIC_ADD,
    ARITHMETIC_SUBTRACT,
    ARITHMETIC_MULTIPLY,
    ARITHMETIC_DIVIDE,
    ARITHMETIC_FMA, /* a x b + c */
    ARITHMETIC_SQRT,
    ARITHMETIC_OP_COUNT
};

struct arithmetic_input {
    uint32_t a, b, c; /* encodings; what an operation does not take is ignored */
    uint32_t random;  /* ROUND_SR */
};

struct arithmetic_args {
    const struct arithmetic_input *in;
    struct round_output *out;
    long n;
    struct round_rule rule;
    int32_t op;                /* enum arithmetic_op */
    int32_t operands_are_zero; /* nonzero: subnormal operands are taken as zeros of their sign, as with x86's
                                  DAZ */
};

/* quantize: FP32 values to a format's values, as FP32 (`to` may be `from`).  pack16, pack8: to its encodings,
 * in two bytes or one.  Filled by quantize_set (src/quantize.h); landmarks are magnitudes. */
struct quantize_args {
    const float *from;
    void *to;
    long n;
    uint64_t seed, step; /* ROUND_SR: keys of the random words; the index is the element's */
    int32_t mode;        /* enum round_mode */
    uint32_t shift;      /* 23 - trailing bits: 1..22 */
    uint32_t hidden;     /* 2^trailing bits: the unit of the exponent field in an encoding */
    uint32_t emin_field; /* FP32's exponent field at 2^emin */
    float smallest;      /* 2^(emin - trailing bits), the smallest subnormal */
    uint32_t max, over[2],
        infinity; /* FP32 bits: largest finite; what overflow becomes, by sign; what infinity does */
    uint32_t max_code, over_code[2], infinity_code, nan_code, payload_mask,
        sign_code; /* the same as encodings */
};

/* update_probe: repeated updates w <- rnd(w - delta) of one weight, one case a tile. */
enum update_scheme_kind { UPDATE_PLAIN, UPDATE_MASTER, UPDATE_STOCHASTIC, UPDATE_KAHAN };
enum { UPDATE_SAMPLES = 256 };

struct update_case {
    int32_t format;  /* enum format_id of the weight */
    int32_t kind;    /* enum update_scheme_kind */
    uint32_t weight; /* encoding at the start: of the weight, or of the FP32 master with UPDATE_MASTER */
    float delta;
    int64_t steps;
    uint64_t seed; /* UPDATE_STOCHASTIC */
};

struct update_outcome {
    uint32_t first, last;               /* the weight's encoding after the first and the last update */
    uint32_t first_master, last_master; /* UPDATE_MASTER: the master's */
    uint32_t compensation;              /* UPDATE_KAHAN: c at the end */
    uint32_t pad;
    int64_t moved, lost;           /* updates after which the weight's (the master's) bits changed, or not */
    int64_t first_move;            /* counted from 1; 0 if none */
    float samples[UPDATE_SAMPLES]; /* the weight's (the master's) value after update ceil((i+1) x steps /
                                      UPDATE_SAMPLES) */
};

struct update_probe_args {
    const struct update_case *cases;
    struct update_outcome *outcomes;
    long n;
};

/* ---- the training step ---- */

/* Parameters of a model lie in arenas, one after another, each starting at a multiple of PARAM_BLOCK
 * elements; every arena (weights, gradients, optimizer state, ...) has the same offsets, and zeros in
 * between. */
enum { PARAM_BLOCK = 64 };
struct param_block {
    int32_t param; /* which parameter tensor */
    int32_t count; /* how many of the block's elements are its own */
};

enum optimizer { OPTIMIZER_SGD, OPTIMIZER_MOMENTUM, OPTIMIZER_ADAM, OPTIMIZER_COUNT };
enum update_rounding { UPDATE_RNE, UPDATE_SR, UPDATE_COMPENSATED, UPDATE_ROUNDING_COUNT };
enum scaler_kind { SCALER_NONE, SCALER_FIXED, SCALER_DYNAMIC };
enum scaler_action { ACTION_HOLD, ACTION_GROW, ACTION_BACKOFF, ACTION_ABSORB, ACTION_REFUSE, ACTION_RAISE };

/* Written by the host when a run starts or a command changes it; kernels only read it. */
struct run_settings {
    uint64_t seed;
    float lr, momentum, beta1, beta2, one_minus_beta1, one_minus_beta2, epsilon;
    float loss_weight;
    int32_t scaler;          /* enum scaler_kind */
    int32_t growth_interval; /* clean steps before the scale grows */
    double growth, backoff;
};

/* Written by kernels alone: no decision of a step depends on the host. */
struct run_state {
    float scale;                     /* for the next step to use */
    float used_scale;                /* what the current step uses */
    float inverse_scale;             /* float(1 / double(used_scale)) */
    float loss_gradient;             /* d(scaled loss) / d(one term of the mean) */
    float loss;                      /* mean, without scale and loss weight */
    uint32_t found_inf;              /* the current step's gradients hold an infinity or a NaN */
    int32_t tracker;                 /* clean steps in a row, as the rule counts them */
    int32_t action;                  /* enum scaler_action of the last step */
    int64_t steps;                   /* steps begun */
    int64_t updates;                 /* steps whose update was made */
    double beta1_power, beta2_power; /* beta^updates */
};

struct step_args {
    struct run_state *state;
    const struct run_settings *settings;
    uint32_t *counters; /* all of the lane's; begin_step clears them */
    long counter_words;
    long terms; /* of the mean that is the loss */
};

/* y = x w + b; x [rows][in], w [in][out], b [out], y [rows][out], all in one format. */
struct linear_args {
    const void *x, *w, *b;
    void *y;
    long rows, in, out;
    uint32_t *counters;
};

/* dx = dy w^T */
struct linear_backward_input_args {
    const void *dy, *w;
    void *dx;
    long rows, in, out;
    uint32_t *counters;
};

/* dw = x^T dy, db = 1^T dy */
struct linear_backward_weight_args {
    const void *x, *dy;
    void *dw, *db;
    long rows, in, out;
    uint32_t *weight_counters, *bias_counters;
};

/* tanh_forward: y = tanh(x).  tanh_backward: dx = dy (1 - y^2). */
struct tanh_args {
    const void *x;
    void *y;
    const void *dy;
    void *dx;
    long n;
    uint32_t *counters;
};

/* Losses work in FP32.  softmax_*: `output` are logits, `labels` classes, `work` the probabilities.  mse_*:
 * `targets` as wide as the output, `work` the differences.  *_forward writes a loss term a row (mse: summed
 * over its outputs) and `work`; *_backward writes the gradient of the scaled loss. */
struct loss_args {
    const float *output;
    const int32_t *labels;
    const float *targets;
    float *work, *row_loss;
    float *gradient;
    long rows, cols;
    const struct run_state *state;
    uint32_t *counters; /* of `work` going forward, of `gradient` going backward */
};

/* loss_mean: state->loss = sum of row_loss / terms, in one fixed order. */
struct loss_mean_args {
    const float *row_loss;
    long rows, terms;
    struct run_state *state;
};

/* Kernels over parameter arenas.  cast_params: FP32 `from`, format `to`, counted.  check: format `from`; sets
 * state->found_inf.  unscale: format `from`, FP32 `to` = from x state->inverse_scale. */
struct param_args {
    const struct param_block *blocks;
    long block_count;
    const void *from;
    void *to;
    struct run_state *state;
    uint32_t *counters; /* COUNTER_COUNT words a parameter, in order */
};

/* update: the weights' format.  update_low: the same with every operation and all state in that format (O3).
 */
struct update_args {
    const struct param_block *blocks;
    long block_count;
    void *weights;
    const void *gradients; /* FP32 (update), the weights' format (update_low) */
    void *first_moment,
        *second_moment; /* FP32 (update), the weights' format (update_low); momentum uses the first */
    void *compensation; /* Kahan's c, the weights' format */
    float *delta;       /* the Delta of this step */
    void *previous;     /* the weights before this step */
    const struct run_state *state;
    const struct run_settings *settings;
    uint32_t *counters;
    int32_t optimizer, rounding; /* enum optimizer, enum update_rounding */
};

/* ---- data, initial values, measurements ---- */

/* fill_normal: N(0,1) / sqrt(fan_in) keyed by (seed, stream, index). */
struct fill_normal_args {
    float *to;
    long n, fan_in;
    uint64_t seed;
    uint32_t stream;
};

/* spiral_points: `arms` arms of `per_arm` points [x, y], and their arm as label. */
struct spiral_args {
    float *points;
    int32_t *labels;
    long arms, per_arm;
    uint64_t seed;
};

/* count_classes: rows whose largest output is the label's.  count_signs: rows whose outputs all have the
 * targets' signs. */
struct accuracy_args {
    const float *output;
    const int32_t *labels;
    const float *targets;
    long rows, cols;
    uint32_t *correct; /* added to */
};

/* histogram: bins of floor(log2 |x|) over parameter blocks of FP32 values. */
enum {
    HISTOGRAM_ZERO = 0,
    HISTOGRAM_FIRST = 1,
    HISTOGRAM_EMIN = -149,
    HISTOGRAM_INF = 278,
    HISTOGRAM_NAN = 279,
    HISTOGRAM_BINS = 280
};
struct histogram_args {
    const struct param_block *blocks;
    long block_count;
    const float *from;
    uint32_t *bins; /* HISTOGRAM_BINS, added to: bin HISTOGRAM_FIRST + e - HISTOGRAM_EMIN for exponent e */
};

/* window: what rounding from x factor to a format would do to FP32 values x (format of `to`, scratch). */
struct window_args {
    const struct param_block *blocks;
    long block_count;
    const float *from;
    void *to;
    float factor;
    uint32_t *counters; /* COUNTER_COUNT words for all */
};

/* drift: || a - b || over each of n ranges; a in the kernel's format, b FP32. */
struct drift_range {
    int64_t first, count;
};
struct drift_args {
    const void *a;
    const float *b;
    const struct drift_range *ranges;
    long n;
    double *norms;
};

/* math_map: to[i] = f(from[i]) by the kernels' own functions: for proofs. */
enum math_function { MATH_EXP, MATH_LOG, MATH_TANH, MATH_SIN, MATH_COS, MATH_FUNCTION_COUNT };
struct math_args {
    const float *from;
    float *to;
    long n;
    int32_t function;
};

/* X(name, arguments).  A kernel that exists once per storage format is written with KERNEL_FORMATS. */
#define KERNEL_FORMATS(X, name, args) X(name##_fp32, args) X(name##_fp16, args) X(name##_bf16, args)
#define KERNEL_TABLE(X)                                                                                      \
    KERNEL_FORMATS(X, convert_to, cast_args)                                                                 \
    KERNEL_FORMATS(X, convert_from, cast_args)                                                               \
    KERNEL_FORMATS(X, cast_to, cast_args)                                                                    \
    KERNEL_FORMATS(X, cast_from, cast_args)                                                                  \
    X(round_wide, round_args)                                                                                \
    X(quantize, quantize_args)                                                                               \
    X(pack16, quantize_args)                                                                                 \
    X(pack8, quantize_args)                                                                                  \
    X(arithmetic, arithmetic_args)                                                                           \
    X(update_probe, update_probe_args)                                                                       \
    X(begin_step, step_args)                                                                                 \
    KERNEL_FORMATS(X, cast_params, param_args)                                                               \
    KERNEL_FORMATS(X, linear_forward, linear_args)                                                           \
    KERNEL_FORMATS(X, linear_backward_input, linear_backward_input_args)                                     \
    KERNEL_FORMATS(X, linear_backward_weight, linear_backward_weight_args)                                   \
    KERNEL_FORMATS(X, tanh_forward, tanh_args)                                                               \
    KERNEL_FORMATS(X, tanh_backward, tanh_args)                                                              \
    X(softmax_forward, loss_args)                                                                            \
    X(softmax_backward, loss_args)                                                                           \
    X(mse_forward, loss_args)                                                                                \
    X(mse_backward, loss_args)                                                                               \
    X(loss_mean, loss_mean_args)                                                                             \
    X(scale_loss, step_args)                                                                                 \
    KERNEL_FORMATS(X, check, param_args)                                                                     \
    KERNEL_FORMATS(X, unscale, param_args)                                                                   \
    KERNEL_FORMATS(X, update, update_args)                                                                   \
    KERNEL_FORMATS(X, update_low, update_args)                                                               \
    X(rescale, step_args)                                                                                    \
    X(fill_normal, fill_normal_args)                                                                         \
    X(spiral_points, spiral_args)                                                                            \
    X(count_classes, accuracy_args)                                                                          \
    X(count_signs, accuracy_args)                                                                            \
    X(histogram, histogram_args)                                                                             \
    KERNEL_FORMATS(X, window, window_args)                                                                   \
    KERNEL_FORMATS(X, drift, drift_args)                                                                     \
    X(math_map, math_args)

enum kernel_id {
#define KERNEL_ENUM(name, args) KERNEL_##name,
    KERNEL_TABLE(KERNEL_ENUM)
#undef KERNEL_ENUM
        KERNEL_COUNT
};

/* The kernel of that base name for a storage format, e.g. KERNEL_FOR(cast_to, FORMAT_BF16). */
#define KERNEL_FOR(name, format) ((enum kernel_id)(KERNEL_##name##_fp32 + (int)(format)))

/* A kernel's name and the size of its arguments, by id. */
struct kernel_info {
    const char *name;
    size_t args_size;
};
extern const struct kernel_info kernel_table[KERNEL_COUNT];

#endif
