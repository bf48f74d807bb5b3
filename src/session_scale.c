/* session_scale.c: the gradients' histogram, what a format does to them, and the scaler as an automaton. */
#include "probe_text.h"
#include "session_internal.h"
#include <math.h>
#include <string.h>

/* The gradients that are looked at: the FP32 lane's where there is one, for those are whole. */
static const struct lane *gradient_lane(const struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (trainer_config(s->lanes[i].trainer)->recipe.low == FORMAT_FP32)
            return &s->lanes[i];
    return &s->lanes[0];
}

/* ---- histogram ---- */

static int highest_column(const uint32_t *bins)
{
    for (int e = HISTOGRAM_INF - 1; e >= HISTOGRAM_FIRST; e--)
        if (bins[e])
            return e - HISTOGRAM_FIRST + HISTOGRAM_EMIN;
    return 0;
}

static int lowest_column(const uint32_t *bins)
{
    for (int e = HISTOGRAM_FIRST; e < HISTOGRAM_INF; e++)
        if (bins[e])
            return e - HISTOGRAM_FIRST + HISTOGRAM_EMIN;
    return 0;
}

enum { COLUMNS = 96 };

/* Columns from 2^-48 to 2^0 at least, so that the axis stands still while the gradients move; the lowest
 * gradients are left out where there are too many columns, and the title says so. */
static void fill_columns(const uint32_t *bins, struct histogram_view *h, uint32_t *below)
{
    int low = lowest_column(bins), high = highest_column(bins);
    low = low < -48 ? low : -48;
    high = high > 0 ? high : 0;
    if (high - low + 1 > COLUMNS)
        low = high - COLUMNS + 1;
    h->first_exponent = low;
    h->columns = high - low + 1;
    for (int e = HISTOGRAM_EMIN; e <= high; e++) {
        uint32_t n = bins[HISTOGRAM_FIRST + e - HISTOGRAM_EMIN];
        if (e < low) {
            *below += n;
            continue;
        }
        h->height[e - low] = n;
        h->highest = n > h->highest ? n : h->highest;
    }
}

bool session_bins(struct session *s, const struct param_block *blocks, long block_count, const float *from,
                  uint32_t bins[HISTOGRAM_BINS])
{
    size_t size = sizeof *bins * HISTOGRAM_BINS;
    struct histogram_args args = {blocks, block_count, from, s->scratch.bins};
    memset(bins, 0, size);
    return (device_upload(s->device, s->scratch.bins, bins, size) &&
            device_launch(s->device, KERNEL_histogram, &args) &&
            device_download(s->device, bins, s->scratch.bins, size)) ||
           session_fail(s);
}

static bool fill_histogram(struct session *s, const struct lane *lane, const struct trainer_arena *arena,
                           struct histogram_view *h)
{
    uint32_t bins[HISTOGRAM_BINS], below = 0;
    if (!session_bins(s, arena->blocks, arena->block_count, arena->gradients, bins))
        return false;
    fill_columns(bins, h, &below);
    h->zeros = bins[HISTOGRAM_ZERO];
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        h->total += bins[i];
    char total[TEXT_SHORT];
    text_count(total, sizeof total, h->total);
    text_format(h->title, sizeof h->title,
                "gradients of this step · log2 |g| of %s values, unscaled, from the %s lane", total,
                lane->name);
    if (h->zeros)
        text_append(h->title, sizeof h->title, " · %u are 0", h->zeros);
    if (below)
        text_append(h->title, sizeof h->title, " · %u below 2^%d", below, h->first_exponent);
    if (bins[HISTOGRAM_INF] || bins[HISTOGRAM_NAN])
        text_append(h->title, sizeof h->title, " · %u not finite", bins[HISTOGRAM_INF] + bins[HISTOGRAM_NAN]);
    return true;
}

/* ---- windows ---- */

/* Rounding g x S in a format is rounding g in a format whose exponents lie log2 S lower. */
void session_window_edges(const struct format *f, double log2_scale, struct window_view *w)
{
    w->flush_below =
        f->emin - f->trailing_bits - 1 - log2_scale; /* half the smallest subnormal: it ties to 0 */
    w->subnormal_below = f->emin - log2_scale;
    w->overflow_from = f->emax + log2(2.0 - ldexp(1.0, -f->precision)) - log2_scale;
}

static bool fill_window(struct session *s, const struct trainer_arena *arena, const struct format *f,
                        float scale, const struct histogram_view *h, struct window_view *w)
{
    enum format_id id = (enum format_id)(f - format_table);
    uint32_t count[COUNTER_COUNT] = {0};
    struct window_args args = {arena->blocks, arena->block_count, arena->gradients, s->scratch.rounded,
                               scale,         s->scratch.counters};
    if (!device_upload(s->device, s->scratch.counters, count, sizeof count) ||
        !device_launch(s->device, KERNEL_FOR(window, id), &args) ||
        !device_download(s->device, count, s->scratch.counters, sizeof count))
        return session_fail(s);
    uint64_t values = h->total - count[COUNTER_ZERO] - count[COUNTER_NAN];
    uint64_t lossy = (uint64_t)count[COUNTER_FLUSHED] + count[COUNTER_SUBNORMAL] + count[COUNTER_OVERFLOWED];
    session_window_edges(f, log2((double)scale), w);
    text_share(w->flushed, sizeof w->flushed, count[COUNTER_FLUSHED], values);
    text_share(w->subnormal, sizeof w->subnormal, count[COUNTER_SUBNORMAL], values);
    text_share(w->overflowed, sizeof w->overflowed, count[COUNTER_OVERFLOWED], values);
    text_share(w->normal, sizeof w->normal, values > lossy ? values - lossy : 0, values);
    return true;
}

static bool view_histogram(struct session *s, struct histogram_view *h)
{
    const struct lane *lane = gradient_lane(s);
    struct trainer_arena arena = trainer_arena(lane->trainer);
    enum format_id low = s->setup.recipe.low;
    const struct format *f = &format_table[low == FORMAT_FP32 ? FORMAT_FP16 : low];
    bool scaled = s->setup.scaler.kind != SCALER_NONE;
    float scale = scaled ? s->lanes[0].state.scale : 65536.0f;
    char power[TEXT_SHORT];
    text_scale(power, sizeof power, scale);
    text_format(h->unscaled.title, sizeof h->unscaled.title, "%s, S = 1", f->name);
    text_format(h->scaled.title, sizeof h->scaled.title, "%s, %sS = %s", f->name, scaled ? "" : "if ", power);
    session_window_edges(f, 0.0, &h->unscaled);
    session_window_edges(f, log2((double)scale), &h->scaled);
    h->valid = trainer_steps(lane->trainer) > 0 || session_reached(lane, PHASE_UNSCALE);
    if (!h->valid)
        return true;
    return fill_histogram(s, lane, &arena, h) && fill_window(s, &arena, f, 1.0f, h, &h->unscaled) &&
           fill_window(s, &arena, f, scale, h, &h->scaled);
}

/* ---- the automaton ---- */

/* What the scaler's kernel makes of the state now, with and without an overflow. */
static bool ask_rule(struct session *s, bool overflow, struct run_state *state)
{
    struct run_settings settings = {0};
    struct run_state start;
    struct step_args args = {s->scratch.state, s->scratch.settings, NULL, 0, 1};
    scaler_apply(&s->setup.scaler, &settings, &start);
    *state = s->lanes[0].state;
    state->found_inf = overflow;
    if (device_upload(s->device, s->scratch.settings, &settings, sizeof settings) &&
        device_upload(s->device, s->scratch.state, state, sizeof *state) &&
        device_launch(s->device, KERNEL_rescale, &args) &&
        device_download(s->device, state, s->scratch.state, sizeof *state))
        return true;
    return session_fail(s);
}

static void next_text(const struct run_state *now, const struct run_state *next, bool skip, char *to,
                      size_t size)
{
    char scale[TEXT_SHORT];
    *to = '\0';
    if (next->scale != now->scale) {
        text_float(scale, sizeof scale, next->scale, 9);
        text_format(to, size, "scale → %s, ", scale);
    }
    text_append(to, size, "tracker → %d%s", (int)next->tracker, skip ? ", step skipped" : "");
}

static bool fill_rule(struct session *s, struct scale_view *v)
{
    const struct scaler *rule = &s->setup.scaler;
    const struct run_state *now = &s->lanes[0].state;
    struct run_state clean, overflow;
    char init[TEXT_SHORT];
    text_float(init, sizeof init, rule->init, 12);
    text_scale_value(v->scale, sizeof v->scale, now->scale);
    if (rule->kind == SCALER_FIXED) {
        text_format(v->summary, sizeof v->summary, "%s for ever, %s", init,
                    rule->check ? "steps that overflow are skipped" : "nothing is checked");
        text_format(v->tracker, sizeof v->tracker, "–");
        text_format(v->next_clean, sizeof v->next_clean, "scale stays");
        text_format(v->next_overflow, sizeof v->next_overflow,
                    rule->check ? "scale stays, step skipped" : "not noticed");
        return true;
    }
    text_format(v->summary, sizeof v->summary, "init %s   growth ×%.9g every %d   backoff ×%.9g", init,
                rule->growth, (int)rule->window, rule->backoff);
    text_format(v->tracker, sizeof v->tracker, "%d of %d", (int)now->tracker, (int)rule->window);
    v->progress = (double)now->tracker / (double)rule->window;
    if (!ask_rule(s, false, &clean) || !ask_rule(s, true, &overflow))
        return false;
    next_text(now, &clean, false, v->next_clean, sizeof v->next_clean);
    next_text(now, &overflow, true, v->next_overflow, sizeof v->next_overflow);
    return true;
}

bool session_view_scale(struct session *s, struct snapshot *out)
{
    struct scale_view *v = &out->scale;
    uint64_t before[KERNEL_COUNT];
    memcpy(before, s->device->launches, sizeof before);
    v->active = s->setup.scaler.kind != SCALER_NONE;
    scaler_text(&s->setup.scaler, v->rule, sizeof v->rule);
    v->log2_scale = s->future.behind ? s->future.log2_scale : s->log2_scale;
    text_format(v->skipped, sizeof v->skipped, "%ld of %ld", s->lanes[0].skipped,
                trainer_steps(s->lanes[0].trainer));
    if (!view_histogram(s, &out->histogram))
        return false;
    if (!v->active) {
        text_format(v->summary, sizeof v->summary, "no loss scale: gradients are stored as they come");
        text_format(v->scale, sizeof v->scale, "1");
        text_format(v->tracker, sizeof v->tracker, "–");
        text_format(v->next_clean, sizeof v->next_clean, "–");
        text_format(v->next_overflow, sizeof v->next_overflow, "not noticed");
    } else if (!fill_rule(s, v)) {
        return false;
    }
    text_kernels(out->kernels[2], sizeof out->kernels[2], s->device, before);
    return true;
}
