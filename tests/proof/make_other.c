/* make_other.c: cases of casts, probes, data, measurements and mathematics. */
#include "kernels/number.k.h"
#include "maker.h"
#include <stdlib.h>

/* Variant 0: every 16-bit pattern's value with what lies around it and its ties, sampled over the FP32
 * encodings; others: the flavours. */
static void make_cast(struct maker *m, enum format_id from, enum format_id to, bool counted)
{
    long n = m->variant == 0 ? 65536 : 700 + m->variant;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    int size = from == FORMAT_FP32 ? 4 : 2;
    void *host = malloc((size_t)n * (size_t)size);
    for (long i = 0; host && i < n; i++) {
        uint32_t pattern = (uint32_t)(i & 0xffff), sweep = pattern;
        if (from == FORMAT_FP32) /* a value of the format, or the tie above it, or next to one of these */
            sweep = (k_bits(k_decode(pattern, to == FORMAT_FP32 ? FORMAT_BF16 : to)) +
                     (uint32_t)make_below(m, 2) * (to == FORMAT_FP16 ? 0x1000u : 0x8000u)) +
                    (uint32_t)make_below(m, 3) - 1u;
        k_store_bits(host, i, m->variant == 0 ? sweep : make_encoding(m, from), from);
    }
    void *input = make_buffer(m, host, n, size);
    free(host);
    m->args.cast = (struct cast_args){input, make_array(m, to, n), n, counted ? make_counters(m, 1) : NULL};
}

static void make_convert_to(struct maker *m, enum format_id f)
{
    make_cast(m, FORMAT_FP32, f, false);
}

static void make_convert_from(struct maker *m, enum format_id f)
{
    make_cast(m, f, FORMAT_FP32, false);
}

static void make_cast_to(struct maker *m, enum format_id f)
{
    make_cast(m, FORMAT_FP32, f, true);
}

static void make_cast_from(struct maker *m, enum format_id f)
{
    make_cast(m, f, FORMAT_FP32, true);
}

/* Significands whose low bits are ties or next to one, exponents where something happens or anywhere. */
static void make_round(struct maker *m, enum format_id f)
{
    (void)f;
    const struct format *format = &format_table[m->variant % FORMAT_COUNT];
    enum { N = 500 };
    struct round_input in[N];
    struct round_output out[N] = {{0}};
    for (int i = 0; i < N; i++) {
        uint64_t low = (uint64_t)make_random(m) << 32 | make_random(m);
        long kind = make_below(m, 8);
        int tail = 63 - format->trailing_bits;
        if (make_below(m, 2)) /* at a tie or one unit beside it */
            low = (low >> tail << tail | UINT64_C(1) << (tail - 1)) + (uint64_t)make_below(m, 3) - 1;
        in[i] = (struct round_input){.significand = low | UINT64_C(1) << 63,
                                     .exponent = (int32_t)(make_below(m, 400) - 200 - 63),
                                     .sign = (int32_t)make_below(m, 2),
                                     .kind = kind > 3 ? ROUND_FINITE : (int32_t)kind,
                                     .random = make_random(m)};
        if (in[i].kind == ROUND_NAN)
            in[i].significand = low;
        if (make_below(m, 2)) /* near the ends of the format's range */
            in[i].exponent =
                (int32_t)((make_below(m, 2) ? format->emax : format->emin - format->trailing_bits) - 65 +
                          make_below(m, 5));
    }
    struct round_rule rule = {.exponent_bits = format->exponent_bits,
                              .trailing_bits = format->trailing_bits,
                              .specials = (int32_t)format->specials,
                              .mode = m->variant / FORMAT_COUNT % ROUND_MODE_COUNT,
                              .saturate = m->variant / FORMAT_COUNT / ROUND_MODE_COUNT};
    m->args.round = (struct round_args){make_buffer(m, in, N * (long)sizeof *in / 4, 4),
                                        make_buffer(m, out, N * (long)sizeof *out / 4, 4), N, rule};
}

static void make_update_probe(struct maker *m, enum format_id f)
{
    (void)f;
    enum { N = 24 };
    struct update_case cases[N];
    struct update_outcome *outcomes = calloc(N, sizeof *outcomes);
    memset(cases, 0, sizeof cases);
    for (int i = 0; i < N; i++) {
        m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
        enum format_id format = (enum format_id)make_below(m, FORMAT_STORED_COUNT);
        cases[i].format = (int32_t)format;
        cases[i].kind = (int32_t)make_below(m, 4);
        cases[i].weight = make_encoding(m, cases[i].kind == UPDATE_MASTER ? FORMAT_FP32 : format);
        cases[i].delta = make_below(m, 2) || cases[i].kind == UPDATE_MASTER
                             ? make_value(m)
                             : make_near_tie(m, cases[i].weight, format);
        cases[i].steps = (int64_t)make_below(m, 330);
        cases[i].seed = make_random(m);
    }
    m->args.update_probe =
        (struct update_probe_args){make_buffer(m, cases, N * (long)sizeof *cases / 4, 4),
                                   make_buffer(m, outcomes, N * (long)sizeof *outcomes / 4, 4), N};
    free(outcomes);
}

static void make_fill_normal(struct maker *m, enum format_id f)
{
    (void)f;
    long n = m->variant == 0 ? 3000 : 1 + make_below(m, 300);
    m->args.fill_normal = (struct fill_normal_args){make_floats(m, n), n, 1 + make_below(m, 40),
                                                    make_random(m), (uint32_t)make_below(m, 40)};
}

static void make_spiral(struct maker *m, enum format_id f)
{
    (void)f;
    long arms = 1 + make_below(m, 5), points = 2 + make_below(m, 300);
    m->args.spiral =
        (struct spiral_args){make_floats(m, 2 * arms * points), (int32_t *)make_floats(m, arms * points),
                             arms, points, make_random(m)};
}

static void make_accuracy(struct maker *m, enum format_id f)
{
    (void)f;
    static const long cols[] = {1, 3, 7};
    long rows = 200, columns = cols[m->variant / FLAVOUR_COUNT];
    int32_t labels[200];
    for (long i = 0; i < rows; i++)
        labels[i] = (int32_t)make_below(m, columns);
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.accuracy = (struct accuracy_args){make_floats(m, rows * columns),
                                              make_buffer(m, labels, rows, 4),
                                              make_floats(m, rows * columns),
                                              rows,
                                              columns,
                                              (uint32_t *)make_floats(m, 1)};
}

static void make_histogram(struct maker *m, enum format_id f)
{
    (void)f;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.histogram =
        (struct histogram_args){make_blocks(m), MAKE_BLOCKS, make_floats(m, MAKE_BLOCKS * PARAM_BLOCK),
                                make_counters(m, HISTOGRAM_BINS / COUNTER_COUNT)};
}

static void make_window(struct maker *m, enum format_id f)
{
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.window = (struct window_args){make_blocks(m),
                                          MAKE_BLOCKS,
                                          make_floats(m, MAKE_BLOCKS * PARAM_BLOCK),
                                          make_array(m, f, MAKE_BLOCKS * PARAM_BLOCK),
                                          make_value(m),
                                          make_counters(m, 1)};
}

static void make_drift(struct maker *m, enum format_id f)
{
    enum { N = 5 };
    static const struct drift_range ranges[N] = {{0, 100}, {100, 1}, {101, 0}, {101, 99}, {200, 200}};
    double norms[N] = {0};
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.drift = (struct drift_args){make_array(m, f, 400), make_floats(m, 400),
                                        make_buffer(m, ranges, (long)sizeof ranges / 4, 4), N,
                                        make_buffer(m, norms, N, 8)};
}

static void make_math(struct maker *m, enum format_id f)
{
    (void)f;
    long n = 1500;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.math = (struct math_args){make_floats(m, n), make_floats(m, n), n,
                                      m->variant / FLAVOUR_COUNT % MATH_FUNCTION_COUNT};
}

#define EACH(name, variants, make)                                                                           \
    {                                                                                                        \
        KERNEL_##name##_fp32, FORMAT_STORED_COUNT, variants, make                                            \
    }
#define ONE(name, variants, make)                                                                            \
    {                                                                                                        \
        KERNEL_##name, 1, variants, make                                                                     \
    }

const struct make_row make_other_rows[] = {
    EACH(convert_to, 6, make_convert_to),
    EACH(convert_from, 6, make_convert_from),
    EACH(cast_to, 6, make_cast_to),
    EACH(cast_from, 6, make_cast_from),
    ONE(round_wide, 2 * FORMAT_COUNT * ROUND_MODE_COUNT, make_round),
    ONE(update_probe, 12, make_update_probe),
    ONE(fill_normal, 4, make_fill_normal),
    ONE(spiral_points, 4, make_spiral),
    ONE(count_classes, 3 * FLAVOUR_COUNT, make_accuracy),
    ONE(count_signs, 3 * FLAVOUR_COUNT, make_accuracy),
    ONE(histogram, 2 * FLAVOUR_COUNT, make_histogram),
    EACH(window, 4 * FLAVOUR_COUNT, make_window),
    EACH(drift, 2 * FLAVOUR_COUNT, make_drift),
    ONE(math_map, 2 * FLAVOUR_COUNT * MATH_FUNCTION_COUNT, make_math),
};
const int make_other_row_count = sizeof make_other_rows / sizeof *make_other_rows;
