/* probe_bits.c: everything that a screen says about one value, as texts. */
#include "probe.h"
#include "probe_device.h"
#include "probe_text.h"
#include <stdlib.h>
#include <string.h>

enum { DIGITS_SHORT = 13, DIGITS_VALUE = 60 };

void probe_field(const struct format *f, uint32_t bits, int digits, struct field_view *to)
{
    to->format = f;
    text_hex(to->hex, sizeof to->hex, f, bits);
    text_fields(f, bits, to->sign, to->exponent, to->trailing);
    text_bits_value(to->value, sizeof to->value, f, bits, digits);
}

static const char *class_text(enum format_class class)
{
    return class == CLASS_QUIET_NAN       ? "quiet NaN"
           : class == CLASS_SIGNALING_NAN ? "signaling NaN"
                                          : format_class_name(class);
}

/* The exponent of a finite encoding's last place, plus its trailing bits. */
static int exponent_of(const struct format *f, uint32_t bits)
{
    int biased = format_biased_exponent(f, bits);
    return biased || !format_has_zero(f) ? biased - f->bias : f->emin;
}

static void fill_scientific(const struct bits_result *r, struct bits_row *row)
{
    const struct format *f = r->format;
    if (r->class != CLASS_NORMAL && r->class != CLASS_SUBNORMAL) {
        text_value(row->scientific, sizeof row->scientific, r->value, DIGITS_SHORT);
        return;
    }
    int exponent = exponent_of(f, r->bits);
    uint32_t magnitude = r->bits & ~(uint32_t)format_sign_bit(f);
    struct exact *value = exact_from_bits(f, magnitude);
    struct exact *significand = value ? exact_scale(value, -exponent) : NULL;
    char text[TEXT_SHORT * 2];
    text_value(text, sizeof text, significand, DIGITS_VALUE);
    text_format(row->scientific, sizeof row->scientific, "%s2^%d × %s", format_sign(f, r->bits) ? "-" : "",
                exponent, text);
    exact_free(value);
    exact_free(significand);
}

static void fill_errors(const struct exact *x, const struct bits_result *r, struct bits_row *row)
{
    text_format(row->error, sizeof row->error, "–");
    text_format(row->relative_error, sizeof row->relative_error, "–");
    text_format(row->error_ulp, sizeof row->error_ulp, "–");
    if (!r->error)
        return;
    text_approximate(row->error, sizeof row->error, r->error, 4, true);
    char ulp[TEXT_SHORT];
    text_not_half(ulp, sizeof ulp, r->error_ulp < 0 ? -r->error_ulp : r->error_ulp, 0.5, 3);
    text_format(row->error_ulp, sizeof row->error_ulp, "%s%s ulp",
                r->error_ulp < 0   ? "−"
                : r->error_ulp > 0 ? "+"
                                   : "",
                ulp);
    if (exact_is_zero(r->error)) {
        text_format(row->relative_error, sizeof row->relative_error, "0");
        return;
    }
    double relative = exact_ratio(r->error, x);
    text_double(row->relative_error, sizeof row->relative_error, relative < 0 ? -relative : relative, 3);
}

/* "below the tie: rounds down".  Up and down are those of the number line; of negative values it is said from
 * zero. */
static void fill_tie(const struct exact *x, const struct bits_result *r, const struct probe_policy *policy,
                     struct bits_row *row)
{
    static const char *const where[] = {[TIE_EXACT] = "exact",
                                        [TIE_BELOW] = "below the tie",
                                        [TIE_TIE] = "tie",
                                        [TIE_ABOVE] = "above the tie"};
    if (!r->has_tie) {
        text_format(row->tie, sizeof row->tie, "–");
        return;
    }
    text_format(row->tie, sizeof row->tie, "%s", where[r->tie]);
    if (r->flags & FLAG_OVERFLOW)
        text_append(row->tie, sizeof row->tie, ": overflows to %s",
                    r->class == CLASS_INFINITE    ? "infinity"
                    : r->class == CLASS_QUIET_NAN ? "NaN"
                                                  : "the largest");
    else if (r->tie == TIE_TIE && policy->mode == ROUND_RNE)
        text_append(row->tie, sizeof row->tie, ": rounds to even");
    else if (r->tie != TIE_EXACT && exact_sign(x))
        text_append(row->tie, sizeof row->tie, ": rounds %s zero",
                    exact_sign(r->error) ? "away from" : "towards");
    else if (r->tie != TIE_EXACT)
        text_append(row->tie, sizeof row->tie, ": rounds %s", exact_sign(r->error) ? "down" : "up");
}

static void fill_flips(const struct bits_result *r, struct bits_row *row)
{
    const struct format *f = r->format;
    bool is_nan = format_has_infinity(f) && (r->bits & ~format_sign_bit(f)) >= format_limit(f);
    for (int i = 0; i < f->width; i++) {
        struct bits_flip *flip = &row->flips[i];
        uint32_t flipped = r->bits ^ 1u << i;
        if (format_sign_bit(f) >> i == 1)
            text_format(flip->role, sizeof flip->role, "sign");
        else if (i >= f->trailing_bits)
            text_format(flip->role, sizeof flip->role, "exponent, weight %d", 1 << (i - f->trailing_bits));
        else if (is_nan)
            text_format(flip->role, sizeof flip->role, i == f->trailing_bits - 1 ? "quiet bit" : "payload");
        else
            text_format(flip->role, sizeof flip->role, "weight 2^%d",
                        exponent_of(f, r->bits) - f->trailing_bits + i);
        text_hex(flip->hex, sizeof flip->hex, f, flipped);
        text_bits_value(flip->value, sizeof flip->value, f, flipped, DIGITS_SHORT);
    }
}

static void fill_neighbours(const struct bits_result *r, struct bits_row *row)
{
    if (r->has_up) {
        text_hex(row->up_hex, sizeof row->up_hex, r->format, (uint32_t)r->up);
        text_bits_value(row->up, sizeof row->up, r->format, (uint32_t)r->up, DIGITS_SHORT);
    }
    if (r->has_down) {
        text_hex(row->down_hex, sizeof row->down_hex, r->format, (uint32_t)r->down);
        text_bits_value(row->down, sizeof row->down, r->format, (uint32_t)r->down, DIGITS_SHORT);
    }
}

static bool fill_row(struct device *d, const char *input, const struct exact *x, const struct bits_result *r,
                     const struct probe_policy *policy, struct bits_row *row, struct exact_error *error)
{
    const struct format *f = r->format;
    row->format = f;
    row->bits = r->bits;
    row->class = r->class;
    text_hex(row->hex, sizeof row->hex, f, r->bits);
    text_fields(f, r->bits, row->sign, row->exponent, row->trailing);
    text_format(row->class_text, sizeof row->class_text, "%s", class_text(r->class));
    text_value(row->value, sizeof row->value, r->value, DIGITS_VALUE);
    fill_scientific(r, row);
    char *hexfloat = exact_hexfloat(f, r->bits);
    text_format(row->hexfloat, sizeof row->hexfloat, "%s", hexfloat ? hexfloat : "");
    free(hexfloat);
    fill_errors(x, r, row);
    fill_tie(x, r, policy, row);
    text_flags(row->flags, sizeof row->flags, r->flags);
    fill_neighbours(r, row);
    fill_flips(r, row);
    if (!probe_interval(f, r->bits, policy, row->interval, sizeof row->interval))
        return probe_fail(error, "out of memory");
    return probe_line(d, x, NULL, f, policy->mode, r->bits, &row->line, error) &&
           probe_why(d, input, x, r, policy, row, error);
}

bool probe_bits_row(struct device *d, const char *value_text, struct exact *x, const struct format *f,
                    const struct probe_policy *policy, struct bits_row *out, struct exact_error *error)
{
    struct bits_result r;
    memset(out, 0, sizeof *out);
    bool done = probe_round(d, &x, 1, f, policy, &r, error);
    if (done) {
        done = fill_row(d, value_text, x, &r, policy, out, error);
        bits_result_clear(&r);
    }
    return done;
}

/* "[2^-1, 2^0)": the binade of a finite value that is not zero. */
static void fill_binade(const struct exact *x, char *to, size_t size)
{
    *to = '\0';
    if (exact_kind(x) != EXACT_FINITE || exact_is_zero(x))
        return;
    long long e = exact_exponent(x);
    if (exact_sign(x))
        text_format(to, size, "(-2^%lld, -2^%lld]", e + 1, e);
    else
        text_format(to, size, "[2^%lld, 2^%lld)", e, e + 1);
}

void probe_bits_head(const char *input, const struct exact *x, const struct probe_policy *policy,
                     struct bits_answer *out)
{
    memset(out, 0, sizeof *out);
    text_format(out->input, sizeof out->input, "%s", input);
    text_value(out->exact, sizeof out->exact, x, DIGITS_VALUE);
    fill_binade(x, out->binade, sizeof out->binade);
    text_format(out->rounding, sizeof out->rounding, "%s", round_mode_table[policy->mode].title);
    text_format(out->overflow, sizeof out->overflow,
                policy->saturate ? "overflow saturates" : "overflow → inf");
}

static bool fill_answer(struct device *d, const char *input, struct exact *x,
                        const struct probe_policy *policy, struct bits_answer *out, struct exact_error *error)
{
    bool done = true;
    probe_bits_head(input, x, policy, out);
    out->count = FORMAT_STORED_COUNT;
    for (int i = 0; i < FORMAT_STORED_COUNT && done; i++)
        done = probe_bits_row(d, input, x, &format_table[i], policy, &out->rows[i], error);
    return done;
}

bool probe_bits(struct device *d, const char *value_text, const struct probe_policy *policy,
                struct bits_answer *out, struct exact_error *error)
{
    struct exact *x = exact_parse(value_text, error);
    bool done = x && fill_answer(d, value_text, x, policy, out, error);
    exact_free(x);
    return done;
}
