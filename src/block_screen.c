/* block_screen.c: a block with its shared scale, as texts. */
#include "block_screen.h"
#include "probe_device.h"
#include "probe_text.h"
#include <string.h>

enum {
    DIGITS = 12,
    DIGITS_VALUE = 30,
    DIGITS_WHOLE = 40,
    TYPED_MAX = 12,
    ERROR_MAX = 11 /* bytes: a minus takes three */
};

/* ---- the scale ---- */

/* OCP MX v1.0 clause 6.3: the exponent of the largest magnitude less that of the largest element. */
static void why_mx(const struct block_format *b, const struct block_result *r, struct block_screen *out)
{
    int64_t exponent = exact_exponent(r->largest), power = exponent - format_table[b->element].emax;
    const struct format *scale = &format_table[b->scale];
    int64_t most = (int64_t)format_max(scale) - scale->bias, least = -(int64_t)scale->bias;
    text_format(
        out->scale_why, sizeof out->scale_why,
        "floor(log2 %s) = %lld; the largest exponent of %s is %d: 2^(%lld − %d) = 2^%lld, as OCP MX v1.0 "
        "(6.3) has it.",
        out->largest, (long long)exponent, format_table[b->element].name, format_table[b->element].emax,
        (long long)exponent, format_table[b->element].emax, (long long)power);
    if (power > most || power < least)
        text_append(out->scale_why, sizeof out->scale_why, " %s ends at 2^%lld.", scale->name,
                    (long long)(power > most ? most : least));
}

static void why_nv(const struct block_format *b, const struct block_result *r, struct block_screen *out)
{
    const struct format *scale = &format_table[b->scale], *element = &format_table[b->element];
    char most[TEXT_SHORT], quotient[TEXT_SHORT] = "–";
    text_bits_value(most, sizeof most, element, (uint32_t)format_max(element), DIGITS);
    struct exact *largest_element = exact_from_bits(element, format_max(element));
    struct exact *x = largest_element ? exact_divide(r->largest, largest_element) : NULL;
    if (x)
        text_value(quotient, sizeof quotient, x, DIGITS);
    text_format(out->scale_why, sizeof out->scale_why,
                "%s / %s = %s; to nearest even in %s, saturating: %s. The second scale that NVFP4 has for a "
                "whole tensor is taken as 1.",
                out->largest, most, quotient, scale->name, out->scale.value);
    if (exact_is_zero(r->scale))
        text_append(out->scale_why, sizeof out->scale_why, " A scale of 0 leaves nothing of any element.");
    exact_free(largest_element);
    exact_free(x);
}

static void fill_scale(const struct block_format *b, const struct block_result *r, struct block_screen *out)
{
    probe_field(&format_table[b->scale], r->scale_bits, DIGITS_VALUE, &out->scale);
    text_power_value(out->scale_value, sizeof out->scale_value, r->scale, DIGITS);
    if (!text_power(out->scale_name, sizeof out->scale_name, r->scale))
        text_value(out->scale_name, sizeof out->scale_name, r->scale, DIGITS);
    text_value(out->largest, sizeof out->largest, r->largest, DIGITS);
    if (exact_is_zero(r->largest))
        text_format(out->scale_why, sizeof out->scale_why,
                    "All values are zero: the scale is the smallest that %s has.", out->scale.format->name);
    else if (b->rule == BLOCK_MX)
        why_mx(b, r, out);
    else
        why_nv(b, r, out);
}

/* ---- the elements ---- */

static void fill_input(const char *typed, const struct exact *x, struct block_row *row)
{
    if (strlen(typed) <= TYPED_MAX)
        text_format(row->input, sizeof row->input, "%s", typed);
    else
        text_value(row->input, sizeof row->input, x, DIGITS);
}

/* Three digits, fewer beside a long exponent. */
static void fill_error(const struct exact *x, char *to, size_t size)
{
    for (int digits = 3; digits > 0; digits--) {
        text_approximate(to, size, x, digits, true);
        if (strlen(to) <= ERROR_MAX)
            return;
    }
}

/* What happened to the value: its class, and what it lost altogether. */
static void fill_class(const struct exact *x, const struct block_element *e, struct block_screen *out,
                       struct block_row *row)
{
    const struct format *f = row->element.format;
    bool became_zero = exact_is_zero(e->element) && !exact_is_zero(x), over = (e->flags & FLAG_OVERFLOW) != 0;
    out->zeros += became_zero;
    out->saturated += over;
    row->lost = became_zero || over;
    text_format(row->class, sizeof row->class, "%s",
                over          ? "saturated"
                : became_zero ? "became 0"
                              : format_class_name(format_classify(f, e->bits)));
}

static bool fill_why(struct device *d, const struct exact *x, const struct exact *scaled,
                     const struct block_element *e, const struct probe_policy *policy,
                     const struct block_screen *screen, struct block_row *row, struct exact_error *error)
{
    const struct format *f = row->element.format;
    char whole[TEXT_VALUE], chance[TEXT_SHORT];
    text_value(whole, sizeof whole, x, DIGITS_WHOLE);
    text_format(row->why[0], sizeof row->why[0], "%s / %s = ", whole, screen->scale_name);
    if (!scaled) {
        text_append(row->why[0], sizeof row->why[0], "–: the scale is 0, and the element is, too");
        return true;
    }
    text_value(whole, sizeof whole, scaled, DIGITS_WHOLE);
    text_append(row->why[0], sizeof row->why[0], "%s", whole);
    enum exact_tie tie = exact_tie(scaled, f);
    const char *where = e->flags & FLAG_OVERFLOW ? "beyond its largest value"
                        : tie == TIE_EXACT       ? "one of its values"
                                                 : text_tie(tie);
    text_format(row->why[1], sizeof row->why[1], "in %s %s: %s (%s), which stands for %s × %s = %s; error %s",
                f->name, where, row->element.value, row->element.hex, row->element.value, screen->scale_name,
                row->stands, row->error);
    if (!probe_chance(d, scaled, f, policy, chance, sizeof chance, error))
        return false;
    if (*chance)
        text_append(row->why[1], sizeof row->why[1], "; p(away from zero) %s", chance);
    return probe_line(d, scaled, NULL, f, policy->mode, e->bits, &row->line, error);
}

static bool fill_element(struct device *d, const struct block_input *in, size_t i,
                         const struct block_result *r, const struct probe_policy *policy,
                         struct block_screen *out, struct exact_error *error)
{
    const struct block_element *e = &r->elements[i];
    struct block_row *row = &out->rows[i];
    const struct exact *x = in->values[i];
    bool zero = exact_is_zero(x); /* which keeps its sign */
    struct exact *scaled = exact_is_zero(r->scale) ? NULL : zero ? exact_copy(x) : exact_divide(x, r->scale);
    probe_field(&format_table[in->format->element], e->bits, DIGITS_VALUE, &row->element);
    fill_input(in->texts[i], x, row);
    text_format(row->scaled, sizeof row->scaled, "–");
    if (scaled)
        text_value(row->scaled, sizeof row->scaled, scaled, DIGITS_VALUE);
    text_value(row->stands, sizeof row->stands, e->value, DIGITS_VALUE);
    fill_error(e->error, row->error, sizeof row->error);
    fill_class(x, e, out, row);
    bool done = fill_why(d, x, scaled, e, policy, out, row, error);
    exact_free(scaled);
    return done;
}

/* ---- the whole ---- */

static struct exact *magnitude(const struct exact *x)
{
    struct exact *zero = exact_from_double(0);
    struct exact *m = !zero ? NULL : exact_sign(x) ? exact_subtract(zero, x) : exact_add(zero, x);
    exact_free(zero);
    return m;
}

/* The first of the elements whose error is the largest. */
static bool find_worst(const struct block_result *r, struct block_screen *out, struct exact_error *error)
{
    struct exact *most = exact_from_double(0);
    out->worst = -1;
    for (size_t i = 0; i < r->count && most; i++) {
        struct exact *m = magnitude(r->elements[i].error);
        bool larger = m && exact_compare(m, most) > 0;
        out->worst = larger ? (int)i : out->worst;
        exact_free(larger || !m ? most : m);
        most = larger || !m ? m : most;
    }
    exact_free(most);
    return most || probe_fail(error, "out of memory");
}

static void fill_summary(struct block_screen *out)
{
    static const char *const words[] = {"became 0", "saturated"};
    const int counts[] = {out->zeros, out->saturated};
    if (out->worst < 0)
        text_format(out->summary, sizeof out->summary, "all exact");
    else
        text_format(out->summary, sizeof out->summary, "largest error %s at [%d]",
                    out->rows[out->worst].error, out->worst);
    for (int i = 0; i < 2; i++) {
        if (counts[i])
            text_append(out->summary, sizeof out->summary, " · %d of %d %s", counts[i], out->count, words[i]);
        else
            text_append(out->summary, sizeof out->summary, " · none %s", words[i]);
    }
}

static void fill_head(const struct block_format *b, const struct probe_policy *policy,
                      struct block_screen *out)
{
    text_format(out->what, sizeof out->what, "%s: %zu elements %s share a scale %s · %d given", b->title,
                b->size, format_table[b->element].name, format_table[b->scale].name, out->count);
    probe_policy_words(&format_table[b->element], policy, out->policy, sizeof out->policy);
    probe_policy_brief(&format_table[b->element], policy, out->policy_brief, sizeof out->policy_brief);
}

static bool fill(struct device *d, const struct block_input *in, const struct block_result *r,
                 const struct probe_policy *policy, struct block_screen *out, struct exact_error *error)
{
    out->shown = true;
    out->format = in->format;
    out->mode = policy->mode;
    out->count = (int)in->count;
    fill_head(in->format, policy, out);
    fill_scale(in->format, r, out);
    for (size_t i = 0; i < in->count; i++)
        if (!fill_element(d, in, i, r, policy, out, error))
            return false;
    if (!find_worst(r, out, error))
        return false;
    fill_summary(out);
    return true;
}

bool block_screen(struct device *d, const char *text, const struct probe_policy *policy,
                  struct block_screen *out, struct exact_error *error)
{
    struct block_input in;
    struct block_result r;
    struct probe_policy saturating = *policy; /* elements always are */
    memset(out, 0, sizeof *out);
    *error = (struct exact_error){0};
    text_format(out->text, sizeof out->text, "%s", text);
    if (!block_read(text, &in, error->message))
        return false;
    saturating.saturate = true;
    bool done = block_round(d, in.format, in.values, in.count, &saturating, &r, error);
    if (done) {
        done = fill(d, &in, &r, &saturating, out, error);
        block_clear(&r);
    }
    block_input_clear(&in);
    return done;
}
