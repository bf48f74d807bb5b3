/* probe_update_text.c: everything that a screen says about one update and its repetition, as texts. */
#include "probe.h"
#include "probe_device.h"
#include "probe_text.h"
#include <math.h>
#include <string.h>

static bool is_normal_power(const struct format *f, uint32_t bits)
{
    return format_trailing(f, bits) == 0 && format_biased_exponent(f, bits) > 1 &&
           format_classify(f, bits) == CLASS_NORMAL;
}

/* "168 (down)": the side is named where the steps on the two sides differ, the format where it is the
 * master's. */
static void fill_delta(const struct update_result *r, struct update_row *row)
{
    struct exact *delta = exact_from_bits(r->held, r->delta_in_format);
    if (delta)
        text_approximate(row->delta, sizeof row->delta, delta, 9, false);
    exact_free(delta);
    text_format(row->delta_ulp, sizeof row->delta_ulp, "–");
    if (!r->spacing)
        return;
    text_not_half(row->delta_ulp, sizeof row->delta_ulp, r->delta_ulp, r->delta_ulp < 0 ? -0.5 : 0.5, 3);
    if (r->scheme->kind == UPDATE_MASTER)
        text_append(row->delta_ulp, sizeof row->delta_ulp, " (in %s)", r->held->name);
    else if (is_normal_power(r->held, r->start))
        text_append(row->delta_ulp, sizeof row->delta_ulp, " (%s)", r->delta < 0 ? "up" : "down");
}

/* "2^-12  0.000244"; "p = 0.00256" for stochastic rounding. */
static void fill_threshold(const struct update_result *r, struct update_row *row)
{
    text_format(row->threshold, sizeof row->threshold, "–");
    if (r->spacing && r->scheme->kind == UPDATE_STOCHASTIC) {
        char p[TEXT_SHORT];
        text_double(p, sizeof p, fmin(fabs(r->delta_ulp), 1), 3);
        text_format(row->threshold, sizeof row->threshold, "p = %s", p);
    }
    if (!r->threshold)
        return;
    char power[TEXT_SHORT], value[TEXT_SHORT];
    text_approximate(value, sizeof value, r->threshold, 3, false);
    bool is_power = text_power(power, sizeof power, r->threshold);
    text_format(row->threshold, sizeof row->threshold, "%s%s%s%s",
                r->scheme->kind == UPDATE_KAHAN ? "sum " : "", is_power ? power : "", is_power ? "  " : "",
                value);
}

static void set_verdict(struct update_row *row, enum update_verdict verdict, const char *text)
{
    row->verdict = verdict;
    text_format(row->verdict_text, sizeof row->verdict_text, "%s", text);
}

/* What the first update did. */
static void fill_verdict(const struct update_result *r, uint32_t start_low, struct update_row *row)
{
    const struct update_outcome *o = &r->outcome;
    bool is_master = r->scheme->kind == UPDATE_MASTER;
    bool moved = (is_master ? o->first_master : o->first) != r->start;
    bool kept = r->scheme->kind == UPDATE_KAHAN && (r->delta_in_format << (32 - r->held->width + 1)) != 0;
    double p = fabs(r->delta_ulp);
    if (r->scheme->kind == UPDATE_STOCHASTIC && r->spacing && p > 0 && p < 1) {
        char every[TEXT_SHORT];
        text_double(every, sizeof every, 1 / p, 3);
        set_verdict(row, VERDICT_CHANCE, "moves 1 in ");
        text_append(row->verdict_text, sizeof row->verdict_text, "%s", every);
    } else if (is_master && moved && o->first == start_low) {
        set_verdict(row, VERDICT_MASTER_MOVED, "master moved");
    } else if (moved) {
        set_verdict(row, VERDICT_MOVED, "moved");
    } else if (kept) {
        set_verdict(row, VERDICT_KEPT, "kept in c");
    } else {
        set_verdict(row, VERDICT_LOST, "LOST");
    }
}

static void fill_outcome(const struct update_result *r, struct update_row *row)
{
    const struct update_outcome *o = &r->outcome;
    const struct format *f = &format_table[r->scheme->format];
    row->moved = o->moved;
    row->lost = o->lost;
    row->first_move = o->first_move;
    text_hex(row->after_hex, sizeof row->after_hex, f, o->first);
    text_bits_value(row->after, sizeof row->after, f, o->first, 9);
    text_hex(row->last_hex, sizeof row->last_hex, f, o->last);
    text_bits_value(row->last, sizeof row->last, f, o->last, 9);
    if (r->scheme->kind == UPDATE_MASTER) {
        text_hex(row->master_hex, sizeof row->master_hex, r->held, o->last_master);
        text_bits_value(row->master, sizeof row->master, r->held, o->last_master, 9);
    }
    text_format(row->drift_text, sizeof row->drift_text, "%s%s", *row->master ? row->master : row->last,
                o->moved ? "" : "  never moved");
    for (int i = 0; i < UPDATE_SAMPLES; i++)
        row->drift[i] = (double)o->samples[i];
}

static bool fill_target(struct device *d, const struct update_result *r, struct update_row *row,
                        struct exact_error *error)
{
    struct exact *start = exact_from_bits(r->held, r->start);
    struct exact *delta = exact_from_double((double)r->delta);
    struct exact *target = start && delta ? exact_subtract(start, delta) : NULL;
    bool done = true;
    if (target) {
        char label[TEXT_SHORT];
        bool is_master = r->scheme->kind == UPDATE_MASTER;
        text_approximate(label, sizeof label, target, 9, false);
        done = probe_line(d, target, label, r->held, ROUND_RNE,
                          is_master ? r->outcome.first_master : r->outcome.first, &row->line, error);
    }
    exact_free(start);
    exact_free(delta);
    exact_free(target);
    return done;
}

static bool fill_row(struct device *d, const struct update_result *r, struct update_row *row,
                     struct exact_error *error)
{
    const struct format *f = &format_table[r->scheme->format];
    uint32_t start_low = r->start;
    row->scheme = r->scheme;
    if (r->scheme->kind == UPDATE_MASTER) {
        struct exact *master = exact_from_bits(r->held, r->start);
        bool done = master ? probe_round_one(d, master, f, ROUND_RNE, &start_low, error)
                           : probe_fail(error, "out of memory");
        exact_free(master);
        if (!done)
            return false;
    }
    text_hex(row->start_hex, sizeof row->start_hex, f, start_low);
    text_bits_value(row->start, sizeof row->start, f, start_low, 9);
    fill_delta(r, row);
    fill_threshold(r, row);
    fill_verdict(r, start_low, row);
    fill_outcome(r, row);
    return fill_target(d, r, row, error);
}

/* w - n x delta, or NULL where it is too large to hold. */
static struct exact *after_steps(const struct exact *w, const struct exact *delta, int64_t n)
{
    struct exact *times = exact_from_double((double)n);
    struct exact *all = times ? exact_multiply(times, delta) : NULL;
    struct exact *result = all ? exact_subtract(w, all) : NULL;
    exact_free(times);
    exact_free(all);
    return result;
}

static void fill_head(const struct exact *w, const struct exact *delta, struct update_answer *out)
{
    struct exact *target = after_steps(w, delta, 1), *end = after_steps(w, delta, out->steps);
    text_value(out->w, sizeof out->w, w, 60);
    text_value(out->delta, sizeof out->delta, delta, 60);
    text_value(out->target, sizeof out->target, target, 24);
    text_value(out->exact, sizeof out->exact, end, 24);
    out->start = exact_to_double(w);
    out->end = end ? exact_to_double(end) : out->start;
    exact_free(target);
    exact_free(end);
}

static bool answer(struct device *d, const struct update_question *q, struct update_answer *out,
                   struct exact_error *error)
{
    struct update_result results[UPDATE_SCHEMES];
    if (!probe_update(d, q, results, &out->count, error))
        return false;
    bool done = true;
    for (size_t i = 0; i < out->count; i++) {
        done = done && fill_row(d, &results[i], &out->rows[i], error);
        update_result_clear(&results[i]);
    }
    return done;
}

bool probe_update_answer(struct device *d, const struct update_texts *texts, struct update_answer *out,
                         struct exact_error *error, const char **which)
{
    struct exact *w, *delta;
    memset(out, 0, sizeof *out);
    if (!probe_update_read(texts, &w, &delta, error, which))
        return false;
    *which = "";
    struct update_question q = {w, delta, texts->steps, texts->seed, texts->schemes};
    out->steps = texts->steps;
    fill_head(w, delta, out);
    bool done = answer(d, &q, out, error);
    exact_free(w);
    exact_free(delta);
    return done;
}
