/* maker.h: makes the inputs of one case on a device. */
#ifndef ULPSCOPE_TESTS_MAKER_H
#define ULPSCOPE_TESTS_MAKER_H

#include "cases.h"

union case_args {
    struct cast_args cast;
    struct round_args round;
    struct arithmetic_args arithmetic;
    struct quantize_args quantize;
    struct update_probe_args update_probe;
    struct step_args step;
    struct linear_args linear;
    struct linear_backward_input_args linear_backward_input;
    struct linear_backward_weight_args linear_backward_weight;
    struct tanh_args tanh;
    struct loss_args loss;
    struct loss_mean_args loss_mean;
    struct param_args param;
    struct update_args update;
    struct fill_normal_args fill_normal;
    struct spiral_args spiral;
    struct accuracy_args accuracy;
    struct histogram_args histogram;
    struct window_args window;
    struct drift_args drift;
    struct math_args math;
};

/* What values a case draws. */
enum flavour {
    FLAVOUR_EDGE,     /* half from a list of edges, half any encoding */
    FLAVOUR_MODERATE, /* 2^-30 to 2^8: what training sees, with fp16's subnormals and flushes */
    FLAVOUR_MIXED,    /* moderate, and an edge here and there */
    FLAVOUR_COUNT
};

struct maker {
    struct device *device;
    uint64_t seed;
    uint32_t stream, drawn; /* of random words */
    enum flavour flavour;
    int variant;
    float lr; /* of the settings; 0 draws one */
    bool failed;
    struct {
        void *memory;
        long count;
        int size;
    } buffers[CASE_BUFFERS];
    int count;
    union case_args args;
};

uint32_t make_random(struct maker *m);
long make_below(struct maker *m, long n); /* 0..n-1 */
float make_value(struct maker *m);
uint32_t make_encoding(struct maker *m, enum format_id format);

/* Half of the weight's last place, or a quarter, or next to one of these: an update by it lands on a tie, or
 * so near to one that rounding twice would show. */
float make_near_tie(struct maker *m, uint32_t weight, enum format_id format);

/* Buffers on the device; all are compared after the launch. */
void *make_buffer(struct maker *m, const void *data, long count, int size);
float *make_floats(struct maker *m, long n);
void *make_array(struct maker *m, enum format_id format, long n);
uint32_t *make_counters(struct maker *m, long tensors); /* with something in them already */
struct run_state *make_state(struct maker *m, bool found_inf);
struct run_settings *make_settings(struct maker *m);

/* Parameter blocks of three tensors, the last ones of which are not full. */
enum { MAKE_BLOCKS = 8, MAKE_PARAMS = 3 };
struct param_block *make_blocks(struct maker *m);

/* Fills in m->args for a kernel; `format` is that of the kernel's name. */
typedef void make_function(struct maker *m, enum format_id format);
struct make_row {
    enum kernel_id first; /* of `formats` kernels */
    int formats, variants;
    make_function *make;
};
extern const struct make_row make_step_rows[], make_other_rows[], make_format_rows[];
extern const int make_step_row_count, make_other_row_count, make_format_row_count;

#endif
