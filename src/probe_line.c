/* probe_line.c: where a value lies among a format's values. */
#include "probe_device.h"
#include "probe_text.h"
#include <string.h>

static uint32_t sign_bit(const struct format *f)
{
    return (uint32_t)format_sign_bit(f);
}

struct exact *probe_grid_value(const struct format *f, uint32_t magnitude)
{
    if (magnitude != format_limit(f))
        return exact_from_bits(f, magnitude);
    struct exact *largest = exact_from_bits(f, format_max(f));
    struct exact *ulp = largest ? exact_ulp(largest, f) : NULL;
    struct exact *next = ulp ? exact_add(largest, ulp) : NULL;
    exact_free(largest);
    exact_free(ulp);
    return next;
}

struct exact *probe_middle(const struct exact *a, const struct exact *b)
{
    struct exact *sum = exact_add(a, b);
    struct exact *half = sum ? exact_scale(sum, -1) : NULL;
    exact_free(sum);
    return half;
}

/* The grid's value of an encoding with its sign. */
static struct exact *signed_grid_value(const struct format *f, uint32_t bits)
{
    struct exact *magnitude = probe_grid_value(f, bits & ~sign_bit(f));
    struct exact *zero = bits & sign_bit(f) ? exact_from_bits(f, 0) : NULL;
    if (!magnitude || !zero)
        return magnitude;
    struct exact *negative = exact_subtract(zero, magnitude);
    exact_free(magnitude);
    exact_free(zero);
    return negative;
}

/* Below a power of two the steps are half of those above it: says so where the stored value is one. */
static void append_other_step(const struct format *f, const struct exact *step, uint32_t stored, int side,
                              struct number_line *line)
{
    bool halves = !format_sign(f, stored) && format_trailing(f, stored) == 0 &&
                  format_biased_exponent(f, stored) > 1 && stored != format_limit(f);
    if (!halves || side < 0)
        return;
    struct exact *other = exact_scale(step, side == 1 ? 1 : -1);
    char power[TEXT_SHORT];
    if (other && text_power(power, sizeof power, other))
        text_append(line->text, sizeof line->text,
                    side == 1 ? " below %s and %s above it" : " above %s and %s below it",
                    side == 1 ? line->high : line->low, power);
    exact_free(other);
}

/* What the picture says in words: "one step of fp16 here is 2^-11 = … below 1 and 2^-10 above it; …" */
static void describe_line(const struct format *f, const struct exact *low, const struct exact *high,
                          const struct exact *x, uint32_t stored, bool low_finite, bool high_finite,
                          struct number_line *line)
{
    struct exact *step = exact_subtract(high, low);
    if (!step)
        return;
    char size[TEXT_SHORT * 2];
    text_power_value(size, sizeof size, step, 12);
    text_format(line->text, sizeof line->text, "one step of %s here is %s", f->name, size);
    append_other_step(f, step, stored, line->stored, line);
    char percent[TEXT_SHORT];
    text_not_half(percent, sizeof percent, line->position * 100, 50, 3);
    if (strcmp(percent, "100") == 0) /* between the two, never at the upper one */
        text_format(percent, sizeof percent, "more than 99.9");
    int from_low = exact_compare(x, low), to_high = exact_compare(x, high);
    if (from_low > 0 && to_high < 0)
        text_append(line->text, sizeof line->text, "; %s lies %s %% of the way up", line->exact, percent);
    else if ((from_low == 0 && low_finite) || (to_high == 0 && high_finite))
        text_append(line->text, sizeof line->text, "; %s is one of its values", line->exact);
    else
        text_append(line->text, sizeof line->text, "; %s lies beyond its values", line->exact);
    exact_free(step);
}

static bool fill_line(const struct format *f, uint32_t low_bits, uint32_t high_bits, const struct exact *x,
                      const char *label, uint32_t stored, struct number_line *line)
{
    struct exact *low = signed_grid_value(f, low_bits), *high = signed_grid_value(f, high_bits);
    struct exact *tie = low && high ? probe_middle(low, high) : NULL;
    struct exact *above = tie ? exact_subtract(x, low) : NULL;
    struct exact *step = tie ? exact_subtract(high, low) : NULL;
    bool done = above && step;
    if (done) {
        double position = exact_ratio(above, step);
        line->valid = true;
        line->position = position < 0 ? 0 : position > 1 ? 1 : position;
        line->stored = stored == low_bits ? 0 : stored == high_bits ? 1 : -1;
        text_hex(line->low_hex, sizeof line->low_hex, f, low_bits);
        text_hex(line->high_hex, sizeof line->high_hex, f, high_bits);
        text_bits_value(line->low, sizeof line->low, f, low_bits, 13);
        text_bits_value(line->high, sizeof line->high, f, high_bits, 13);
        text_value(line->tie, sizeof line->tie, tie, 9);
        if (label)
            text_format(line->exact, sizeof line->exact, "%s", label);
        else
            text_value(line->exact, sizeof line->exact, x, 12);
        describe_line(f, low, high, x, stored, (low_bits & ~sign_bit(f)) != format_limit(f),
                      (high_bits & ~sign_bit(f)) != format_limit(f), line);
    }
    exact_free(low);
    exact_free(high);
    exact_free(tie);
    exact_free(above);
    exact_free(step);
    return done;
}

/* One of the format's values stands at an end of the step that is shown: of the step whose reals round to it.
 * Directed modes have them on one side only, and a zero on the side of its sign; to nearest it is the step
 * above, or the one below the largest value. */
static void step_beside(const struct format *f, enum round_mode mode, uint32_t *low, uint32_t *high)
{
    bool negative = (*low & sign_bit(f)) != 0, nearest = mode == ROUND_RNE || mode == ROUND_RNA;
    bool is_zero = *low == sign_bit(f) && negative;
    bool below =
        is_zero || mode == ROUND_RUP || (mode == ROUND_RTZ && negative) || (nearest && *low == format_max(f));
    uint64_t next;
    if (!below && format_next_up(f, *low, &next))
        *high = (uint32_t)next;
    else if (format_next_down(f, *high, &next))
        *low = (uint32_t)next;
    else if (format_next_up(f, *low, &next))
        *high = (uint32_t)next;
}

bool probe_line(struct device *d, const struct exact *x, const char *label, const struct format *f,
                enum round_mode mode, uint32_t stored, struct number_line *out, struct exact_error *error)
{
    memset(out, 0, sizeof *out);
    if (exact_kind(x) != EXACT_FINITE)
        return true;
    uint32_t low, high;
    if (!probe_round_one(d, x, f, ROUND_RDN, &low, error) ||
        !probe_round_one(d, x, f, ROUND_RUP, &high, error))
        return false;
    /* A zero between the neighbours shows as the one that is stored. */
    if ((low & ~sign_bit(f)) == 0 && (stored & ~sign_bit(f)) == 0)
        low = stored;
    if ((high & ~sign_bit(f)) == 0 && (stored & ~sign_bit(f)) == 0)
        high = stored;
    if (low == high) {
        bool away = stored & sign_bit(f) ? mode == ROUND_RDN : mode == ROUND_RUP;
        out->alone = away && format_has_zero(f) && (stored & ~sign_bit(f)) == 0;
        step_beside(f, mode, &low, &high);
    }
    return fill_line(f, low, high, x, label, stored, out) || probe_fail(error, "out of memory");
}
