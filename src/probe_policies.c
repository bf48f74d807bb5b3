/* probe_policies.c: one value under every policy, side by side. */
#include "probe_device.h"
#include "probe_text.h"

enum { DIGITS = 13 };

/* Whether results of a group say that saturation, or flushing, could change any of them. */
struct seen {
    bool overflow, tiny;
};

static bool fill_cell(struct device *d, struct exact *x, const struct format *f,
                      const struct probe_policy *policy, struct policy_cell *cell, struct seen *seen,
                      struct exact_error *error)
{
    struct bits_result r;
    if (!probe_round(d, &x, 1, f, policy, &r, error))
        return false;
    cell->policy = *policy;
    cell->bits = r.bits;
    text_hex(cell->hex, sizeof cell->hex, f, r.bits);
    text_bits_value(cell->value, sizeof cell->value, f, r.bits, DIGITS);
    seen->overflow |= (r.flags & FLAG_OVERFLOW) || exact_kind(x) == EXACT_INFINITE;
    seen->tiny |= (r.flags & FLAG_UNDERFLOW) || r.class == CLASS_SUBNORMAL ||
                  (r.class == CLASS_ZERO && !exact_is_zero(x));
    bits_result_clear(&r);
    return true;
}

/* Every mode, the rest of the policy as it is; of the first group one of them is in force. */
static bool fill_modes(struct device *d, struct exact *x, const struct format *f, struct probe_policy policy,
                       const char *label, const struct policy_group *first, struct policy_group *g,
                       struct seen *seen, struct exact_error *error)
{
    enum round_mode chosen = policy.mode;
    bool done = true, in_force = g == first;
    *g = (struct policy_group){.label = label};
    for (int mode = 0; mode < ROUND_MODE_COUNT && done; mode++) {
        struct policy_cell *cell = &g->cells[g->count++];
        policy.mode = (enum round_mode)mode;
        done = fill_cell(d, x, f, &policy, cell, seen, error);
        cell->name = round_mode_table[mode].name;
        cell->chosen = in_force && policy.mode == chosen;
    }
    return done;
}

static bool same(const struct policy_group *a, const struct policy_group *b)
{
    for (int i = 0; i < a->count; i++)
        if (a->cells[i].bits != b->cells[i].bits)
            return false;
    return true;
}

static bool fill_nan_rules(struct device *d, struct exact *x, const struct format *f,
                           struct probe_policy policy, struct bits_policies *out, struct exact_error *error)
{
    struct policy_group *g = &out->groups[out->count++];
    enum nan_rule chosen = policy.nan;
    struct seen ignored = {0};
    bool done = true;
    *g = (struct policy_group){.label = "NaN rule"};
    for (int rule = 0; rule < NAN_RULE_COUNT && done; rule++) {
        struct policy_cell *cell = &g->cells[g->count++];
        policy.nan = (enum nan_rule)rule;
        done = fill_cell(d, x, f, &policy, cell, &ignored, error);
        cell->name = nan_rule_names[rule];
        cell->chosen = policy.nan == chosen;
    }
    text_format(out->note, sizeof out->note,
                "A NaN is not rounded: mode, saturation and flushing do not matter.");
    return done;
}

/* The other groups are kept where they differ from the first; what does not matter is said. */
static bool fill_others(struct device *d, struct exact *x, const struct format *f,
                        const struct probe_policy *policy, struct seen seen, struct bits_policies *out,
                        struct exact_error *error)
{
    struct probe_policy other = *policy;
    struct policy_group *g = &out->groups[out->count];
    bool flushes = policy->ftz || policy->daz, saturation = false, flushing = false;
    other.saturate = !policy->saturate;
    if (seen.overflow && !fill_modes(d, x, f, other, other.saturate ? "saturating" : "not saturating",
                                     &out->groups[0], g, &seen, error))
        return false;
    saturation = seen.overflow && !same(g, &out->groups[0]);
    out->count += saturation;
    g = &out->groups[out->count];
    other = *policy;
    other.ftz = other.daz = !flushes;
    if (seen.tiny && format_has_zero(f)) {
        if (!fill_modes(d, x, f, other, flushes ? "FTZ/DAZ off" : "FTZ/DAZ on", &out->groups[0], g, &seen,
                        error))
            return false;
        flushing = !same(g, &out->groups[0]);
    }
    out->count += flushing;
    text_format(out->note, sizeof out->note, "%s%s%s%s",
                saturation ? "" : "Saturating or not makes no difference",
                saturation || flushing ? "" : ", nor do",
                flushing     ? ""
                : saturation ? "FTZ and DAZ make no difference"
                             : " FTZ and DAZ",
                saturation && flushing ? "" : " here.");
    return true;
}

bool probe_policies(struct device *d, struct exact *x, const struct format *f,
                    const struct probe_policy *policy, struct bits_policies *out, struct exact_error *error)
{
    const struct format *typed;
    uint64_t bits;
    struct seen seen = {.tiny = exact_typed_subnormal(x)};
    *out = (struct bits_policies){0};
    if (exact_typed_bits(x, &typed, &bits) && typed == f) {
        text_format(out->note, sizeof out->note,
                    "Typed as bits of this very format: shown as it is, under every policy.");
        return true;
    }
    if (exact_kind(x) == EXACT_NAN)
        return fill_nan_rules(d, x, f, *policy, out, error);
    out->count = 1;
    return fill_modes(d, x, f, *policy, policy->saturate ? "saturating" : "not saturating", &out->groups[0],
                      &out->groups[0], &seen, error) &&
           fill_others(d, x, f, policy, seen, out, error);
}
