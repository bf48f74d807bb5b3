/* make_step.c: cases of the kernels that a training step is made of. */
#include "kernels/number.k.h"
#include "maker.h"
#include <stdlib.h>

/* Sizes around the CPU's tiles: smaller, equal, one more, several. */
static const long shapes[][3] = {
    /* rows, in, out */
    {1, 1, 1}, {5, 3, 2}, {64, 2, 32}, {65, 32, 32}, {70, 70, 40}, {129, 33, 3}, {7, 130, 5},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const long *shape_of(struct maker *m)
{
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    return shapes[m->variant / FLAVOUR_COUNT];
}

static void make_linear(struct maker *m, enum format_id f)
{
    const long *s = shape_of(m);
    m->args.linear = (struct linear_args){make_array(m, f, s[0] * s[1]),
                                          make_array(m, f, s[1] * s[2]),
                                          make_array(m, f, s[2]),
                                          make_array(m, f, s[0] * s[2]),
                                          s[0],
                                          s[1],
                                          s[2],
                                          make_counters(m, 1)};
}

static void make_backward_input(struct maker *m, enum format_id f)
{
    const long *s = shape_of(m);
    m->args.linear_backward_input = (struct linear_backward_input_args){make_array(m, f, s[0] * s[2]),
                                                                        make_array(m, f, s[1] * s[2]),
                                                                        make_array(m, f, s[0] * s[1]),
                                                                        s[0],
                                                                        s[1],
                                                                        s[2],
                                                                        make_counters(m, 1)};
}

static void make_backward_weight(struct maker *m, enum format_id f)
{
    const long *s = shape_of(m);
    m->args.linear_backward_weight = (struct linear_backward_weight_args){make_array(m, f, s[0] * s[1]),
                                                                          make_array(m, f, s[0] * s[2]),
                                                                          make_array(m, f, s[1] * s[2]),
                                                                          make_array(m, f, s[2]),
                                                                          s[0],
                                                                          s[1],
                                                                          s[2],
                                                                          make_counters(m, 1),
                                                                          make_counters(m, 1)};
}

static void make_tanh(struct maker *m, enum format_id f)
{
    long n = m->variant < FLAVOUR_COUNT ? 1000 : 257 + m->variant;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.tanh = (struct tanh_args){
        make_array(m, f, n), make_array(m, f, n), make_array(m, f, n), make_array(m, f, n), n,
        make_counters(m, 1)};
}

static void make_loss(struct maker *m, enum format_id f)
{
    (void)f;
    const long *s = shape_of(m);
    long rows = s[0], cols = s[2];
    int32_t labels[256];
    for (long i = 0; i < rows; i++)
        labels[i] = (int32_t)make_below(m, cols);
    m->args.loss = (struct loss_args){make_floats(m, rows * cols),
                                      make_buffer(m, labels, rows, 4),
                                      make_floats(m, rows * cols),
                                      make_floats(m, rows * cols),
                                      make_floats(m, rows),
                                      make_floats(m, rows * cols),
                                      rows,
                                      cols,
                                      make_state(m, false),
                                      make_counters(m, 1)};
}

static void make_loss_mean(struct maker *m, enum format_id f)
{
    static const long rows[] = {1, 4, 31, 33, 768};
    (void)f;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    long n = rows[m->variant / FLAVOUR_COUNT];
    m->args.loss_mean =
        (struct loss_mean_args){make_floats(m, n), n, n * (1 + make_below(m, 3)), make_state(m, false)};
}

static void make_step_args(struct maker *m, enum format_id f)
{
    (void)f;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.step = (struct step_args){make_state(m, m->variant / FLAVOUR_COUNT % 2 != 0), make_settings(m),
                                      make_counters(m, 5), 5 * COUNTER_COUNT, 1 + make_below(m, 1000)};
}

static void make_params(struct maker *m, enum format_id from, enum format_id to)
{
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.param = (struct param_args){make_blocks(m),
                                        MAKE_BLOCKS,
                                        make_array(m, from, MAKE_BLOCKS * PARAM_BLOCK),
                                        make_array(m, to, MAKE_BLOCKS * PARAM_BLOCK),
                                        make_state(m, false),
                                        make_counters(m, MAKE_PARAMS)};
}

static void make_cast_params(struct maker *m, enum format_id f)
{
    make_params(m, FORMAT_FP32, f);
}

static void make_unscale(struct maker *m, enum format_id f)
{
    make_params(m, f, FORMAT_FP32);
}

/* Weights, and FP32 gradients that move them by ties of their last place, or nearly. */
static void make_ties(struct maker *m, enum format_id f, long n, void **weights, void **gradients)
{
    void *w = malloc((size_t)n * 4);
    float *g = malloc((size_t)n * 4);
    m->lr = 1.0f;
    for (long i = 0; w && g && i < n; i++) {
        k_store_bits(w, i, make_encoding(m, f), f);
        g[i] = make_near_tie(m, k_load_bits(w, i, f), f);
    }
    *weights = make_buffer(m, w, n, f == FORMAT_FP32 ? 4 : 2);
    *gradients = make_buffer(m, g, n, 4);
    free(w);
    free(g);
}

/* Every optimizer with every update rounding; then each flavour after an overflow; then SGD on ties. */
static void make_updates(struct maker *m, enum format_id weights, enum format_id state)
{
    int kind = m->variant / FLAVOUR_COUNT;
    bool overflow = kind == OPTIMIZER_COUNT * UPDATE_ROUNDING_COUNT,
         ties = kind > OPTIMIZER_COUNT * UPDATE_ROUNDING_COUNT;
    long n = MAKE_BLOCKS * PARAM_BLOCK;
    void *w, *g;
    m->flavour = ties ? FLAVOUR_MODERATE : (enum flavour)(m->variant % FLAVOUR_COUNT);
    if (ties) {
        kind = OPTIMIZER_SGD + OPTIMIZER_COUNT * (m->variant % UPDATE_ROUNDING_COUNT);
        make_ties(m, weights, n, &w, &g);
    } else {
        w = make_array(m, weights, n);
        g = make_array(m, state, n);
    }
    m->args.update = (struct update_args){make_blocks(m),
                                          MAKE_BLOCKS,
                                          w,
                                          g,
                                          make_array(m, state, n),
                                          make_array(m, state, n),
                                          make_array(m, weights, n),
                                          make_floats(m, n),
                                          make_array(m, weights, n),
                                          make_state(m, overflow),
                                          make_settings(m),
                                          make_counters(m, MAKE_PARAMS),
                                          kind % OPTIMIZER_COUNT,
                                          kind / OPTIMIZER_COUNT % UPDATE_ROUNDING_COUNT};
}

static void make_update(struct maker *m, enum format_id f)
{
    make_updates(m, f, FORMAT_FP32);
}

static void make_update_low(struct maker *m, enum format_id f)
{
    make_updates(m, f, f);
}

enum { UPDATE_VARIANTS = FLAVOUR_COUNT * (OPTIMIZER_COUNT * UPDATE_ROUNDING_COUNT + 1) };

#define EACH(name, variants, make)                                                                           \
    {                                                                                                        \
        KERNEL_##name##_fp32, FORMAT_STORED_COUNT, variants, make                                            \
    }
#define ONE(name, variants, make)                                                                            \
    {                                                                                                        \
        KERNEL_##name, 1, variants, make                                                                     \
    }

const struct make_row make_step_rows[] = {
    EACH(linear_forward, FLAVOUR_COUNT *SHAPES, make_linear),
    EACH(linear_backward_input, FLAVOUR_COUNT *SHAPES, make_backward_input),
    EACH(linear_backward_weight, FLAVOUR_COUNT *SHAPES, make_backward_weight),
    EACH(tanh_forward, 2 * FLAVOUR_COUNT, make_tanh),
    EACH(tanh_backward, 2 * FLAVOUR_COUNT, make_tanh),
    ONE(softmax_forward, FLAVOUR_COUNT *SHAPES, make_loss),
    ONE(softmax_backward, FLAVOUR_COUNT *SHAPES, make_loss),
    ONE(mse_forward, FLAVOUR_COUNT *SHAPES, make_loss),
    ONE(mse_backward, FLAVOUR_COUNT *SHAPES, make_loss),
    ONE(loss_mean, FLAVOUR_COUNT * 5, make_loss_mean),
    ONE(begin_step, 12, make_step_args),
    ONE(scale_loss, 60, make_step_args),
    ONE(rescale, 240, make_step_args),
    EACH(cast_params, 2 * FLAVOUR_COUNT, make_cast_params),
    EACH(check, 2 * FLAVOUR_COUNT, make_unscale),
    EACH(unscale, 4 * FLAVOUR_COUNT, make_unscale),
    EACH(update, UPDATE_VARIANTS + FLAVOUR_COUNT, make_update),
    EACH(update_low, UPDATE_VARIANTS, make_update_low),
};
const int make_step_row_count = sizeof make_step_rows / sizeof *make_step_rows;
