/* session_plots.c: what is plotted beside the loss: timelines of every lane, and one tensor's exponents. */
#include "probe_text.h"
#include "session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the norm of the gradients ---- */

/* A lane's gradients where the session's device can read them. */
static const void *near_gradients(struct session *s, const struct lane *lane, const struct trainer_arena *a)
{
    if (lane->device == s->device)
        return a->gradients;
    size_t bytes = (size_t)a->elements * sizeof(float);
    void *data = malloc(bytes);
    bool ok = data && device_download(lane->device, data, a->gradients, bytes) &&
              device_upload(s->device, s->scratch.other, data, bytes);
    free(data);
    return ok ? s->scratch.other : NULL;
}

/* Of all parameters' gradients, as || g - 0 || by the kernel that measures drift.  It takes a range a thread:
 * the arena is cut into short ones, and their norms are put together in their order. */
static bool gradient_norm(struct session *s, const struct lane *lane, double *norm)
{
    struct drift_range ranges[TRAINER_MAX_TENSORS];
    double norms[TRAINER_MAX_TENSORS], sum = 0;
    struct trainer_arena a = trainer_arena(lane->trainer);
    long each = PARAM_BLOCK, n = 0;
    while (each * TRAINER_MAX_TENSORS < a.elements)
        each *= 2;
    for (long first = 0; first < a.elements; first += each)
        ranges[n++] = (struct drift_range){first, a.elements - first < each ? a.elements - first : each};
    struct drift_args args = {near_gradients(s, lane, &a), s->scratch.zeros, s->scratch.range, n,
                              s->scratch.norm};
    if (!args.a || !device_upload(s->device, s->scratch.range, ranges, (size_t)n * sizeof *ranges) ||
        !device_launch(s->device, KERNEL_drift_fp32, &args) ||
        !device_download(s->device, norms, s->scratch.norm, (size_t)n * sizeof *norms))
        return session_fail(s);
    for (long i = 0; i < n; i++)
        sum += norms[i] * norms[i];
    *norm = sqrt(sum);
    return true;
}

/* ---- timelines ---- */

/* Gradient stores of the last step: those that became 0, of those that were not 0 before. */
static uint64_t flushed_of(const struct lane *lane, uint64_t *whole)
{
    uint64_t flushed = 0;
    *whole = 0;
    for (int i = 0; i < trainer_tensor_count(lane->trainer); i++) {
        const struct tensor *x = trainer_tensor(lane->trainer, i);
        if (!x->is_gradient_store)
            continue;
        *whole += (uint64_t)(x->rows * x->cols) - lane->counts[i].word[COUNTER_ZERO];
        flushed += lane->counts[i].word[COUNTER_FLUSHED];
    }
    return flushed;
}

/* A share of nothing is a gap. */
static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : (double)NAN;
}

static bool has_scale(const struct lane *lane)
{
    return trainer_config(lane->trainer)->scaler.kind != SCALER_NONE;
}

static bool add_timelines(struct session *s, struct lane *lane)
{
    int64_t step = trainer_steps(lane->trainer);
    bool skipped = lane->state.found_inf != 0;
    uint64_t whole, flushed = flushed_of(lane, &whole);
    double norm = (double)NAN;
    /* Launches cost time: only where the point stays. */
    if (series_keeps(&lane->timelines[TIMELINE_NORM], step) && !gradient_norm(s, lane, &norm))
        return false;
    series_add(&lane->timelines[TIMELINE_FLUSHED], step, percent(flushed, whole), skipped);
    series_add(&lane->timelines[TIMELINE_LOST], step, percent(lane->lost, lane->updates), skipped);
    series_add(&lane->timelines[TIMELINE_SCALE], step,
               has_scale(lane) ? log2((double)lane->state.used_scale) : (double)NAN, skipped);
    series_add(&lane->timelines[TIMELINE_NORM], step, norm, skipped);
    return true;
}

bool session_add_timelines(struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (!add_timelines(s, &s->lanes[i]))
            return false;
    return true;
}

/* The watched weight as this lane's optimizer holds it. */
static bool view_weight(struct session *s, const struct lane *lane, struct lane_view *v)
{
    const struct tensor *x = lane_held(lane, s->watch_param);
    uint16_t narrow = 0;
    uint32_t bits = 0;
    bool wide = x->format == FORMAT_FP32;
    if (!trainer_read(lane->trainer, x, s->watch_row * x->cols + s->watch_col, 1,
                      wide ? (void *)&bits : (void *)&narrow))
        return session_fail(s);
    text_bits_value(v->weight, sizeof v->weight, &format_table[x->format], wide ? bits : narrow, 8);
    return true;
}

bool session_view_timelines(struct session *s, int index, struct lane_view *v)
{
    const struct lane *lane = &s->lanes[index];
    uint64_t whole, flushed = flushed_of(lane, &whole);
    char(*now)[16] = v->now, text[TEXT_SHORT];
    double norm;
    memcpy(v->timelines, s->future.behind ? s->future.timelines[index] : lane->timelines,
           sizeof v->timelines);
    for (int i = 0; i < TIMELINES; i++)
        text_format(now[i], sizeof now[i], "–");
    if (!view_weight(s, lane, v))
        return false;
    if (trainer_steps(lane->trainer) == 0 && !session_reached(lane, PHASE_UNSCALE))
        return true;
    text_share(now[TIMELINE_FLUSHED], sizeof now[0], flushed, whole);
    text_share(now[TIMELINE_LOST], sizeof now[0], lane->lost, lane->updates);
    if (has_scale(lane)) {
        text_scale(text, sizeof text, lane->state.used_scale);
        text_format(now[TIMELINE_SCALE], sizeof now[0], "%s", text);
    }
    if (!gradient_norm(s, lane, &norm))
        return false;
    text_double(text, sizeof text, norm, 4);
    text_format(now[TIMELINE_NORM], sizeof now[0], "%s", text);
    return true;
}

/* ---- a tensor's exponents ---- */

static void count_classes(const struct format *f, const uint32_t *bins, struct tensor_histogram *v)
{
    v->zeros = bins[HISTOGRAM_ZERO];
    v->infinite = bins[HISTOGRAM_INF];
    v->nan = bins[HISTOGRAM_NAN];
    for (int bin = HISTOGRAM_FIRST; bin < HISTOGRAM_INF; bin++)
        *(bin - HISTOGRAM_FIRST + HISTOGRAM_EMIN < f->emin ? &v->subnormal : &v->normal) += bins[bin];
    uint32_t total = v->zeros + v->infinite + v->nan + v->subnormal + v->normal;
    v->bars.total = total;
    v->bars.zeros = v->zeros;
    text_share(v->zero_share, sizeof v->zero_share, v->zeros, total);
    text_share(v->subnormal_share, sizeof v->subnormal_share, v->subnormal, total);
    text_share(v->normal_share, sizeof v->normal_share, v->normal, total);
    text_share(v->infinite_share, sizeof v->infinite_share, v->infinite, total);
    text_share(v->nan_share, sizeof v->nan_share, v->nan, total);
}

/* Takes in a limit of the window that lies near the bars: how much room there is up to it. */
static void take_in(int limit, int *low, int *high)
{
    enum { NEAR = 24 };
    if (limit < *low && *low - limit <= NEAR)
        *low = limit;
    if (limit > *high && limit - *high <= NEAR)
        *high = limit;
}

static void fill_bars(const struct format *f, const struct format *other, const uint32_t *bins,
                      struct histogram_view *h)
{
    int low = 0, high = 0;
    bool any = false;
    for (int bin = HISTOGRAM_FIRST; bin < HISTOGRAM_INF; bin++) {
        int exponent = bin - HISTOGRAM_FIRST + HISTOGRAM_EMIN;
        if (!bins[bin])
            continue;
        low = any ? low : exponent;
        high = exponent;
        any = true;
    }
    if (!any) /* where the format's own limits are, it gets narrow first */
        high = (low = f->emin - f->trailing_bits - 2) + 40;
    take_in(f->emin - f->trailing_bits - 2, &low, &high);
    take_in(f->emax + 2, &low, &high);
    if (other) {
        take_in(other->emin - other->trailing_bits - 2, &low, &high);
        take_in(other->emax + 2, &low, &high);
    }
    h->valid = true;
    h->first_exponent = low;
    h->columns = high - low + 1;
    for (int i = 0; i < h->columns; i++) {
        int bin = low + i - HISTOGRAM_EMIN + HISTOGRAM_FIRST;
        h->height[i] = bin >= HISTOGRAM_FIRST && bin < HISTOGRAM_INF ? bins[bin] : 0;
        h->highest = h->height[i] > h->highest ? h->height[i] : h->highest;
    }
}

/* The tensor in FP32, in blocks as the kernel takes them. */
static bool tensor_bins(struct session *s, const struct tensor *x, uint32_t *bins)
{
    long n = x->rows * x->cols, count = (n + PARAM_BLOCK - 1) / PARAM_BLOCK;
    char error[DEVICE_TEXT];
    if (!session_scratch_grow(s, n, error))
        return session_fail(s);
    struct param_block *blocks = calloc((size_t)count, sizeof *blocks);
    struct cast_args widen = {x->data, s->scratch.rounded, n, s->scratch.counters};
    if (!blocks)
        return true;
    for (long i = 0; i < count; i++)
        blocks[i].count = (int32_t)(n - i * PARAM_BLOCK < PARAM_BLOCK ? n - i * PARAM_BLOCK : PARAM_BLOCK);
    bool wide = x->format == FORMAT_FP32;
    bool ok = device_upload(s->device, s->scratch.blocks, blocks, (size_t)count * sizeof *blocks) &&
              (wide || device_launch(s->device, KERNEL_FOR(convert_from, x->format), &widen));
    free(blocks);
    return ok ? session_bins(s, s->scratch.blocks, count, wide ? x->data : s->scratch.rounded, bins)
              : session_fail(s);
}

bool session_view_histogram(struct session *s, struct tensor_histogram *v)
{
    const struct tensor *x;
    uint32_t bins[HISTOGRAM_BINS] = {0};
    long row, col;
    char error[160];
    if (!*s->histogram || !session_tensor_find(s, s->histogram, &x, &row, &col, error))
        return true;
    if (!tensor_bins(s, x, bins))
        return false;
    const struct format *f = &format_table[x->format];
    enum format_id low = s->setup.recipe.low;
    v->valid = true;
    text_format(v->name, sizeof v->name, "%s", x->name);
    text_format(v->format, sizeof v->format, "%s", f->name);
    if (x->rows == 1)
        text_format(v->shape, sizeof v->shape, "%ld", x->cols);
    else
        text_format(v->shape, sizeof v->shape, "%ld×%ld", x->rows, x->cols);
    const struct format *other = x->format == FORMAT_FP32 && low != FORMAT_FP32 ? &format_table[low] : NULL;
    fill_bars(f, other, bins, &v->bars);
    count_classes(f, bins, v);
    text_format(v->bars.unscaled.title, sizeof v->bars.unscaled.title, "%s", f->name);
    session_window_edges(f, 0.0, &v->bars.unscaled);
    if (other) {
        text_format(v->bars.scaled.title, sizeof v->bars.scaled.title, "if %s", other->name);
        session_window_edges(other, 0.0, &v->bars.scaled);
    }
    return true;
}

bool session_histogram_command(struct session *s, const char *argument, char *error)
{
    const struct tensor *x;
    long row, col;
    if (*argument && !session_tensor_find(s, argument, &x, &row, &col, error))
        return false;
    text_format(s->histogram, sizeof s->histogram, "%s", *argument ? x->name : "");
    s->heat[0] = '\0'; /* one of both is shown */
    return true;
}
