/* probe_why.c: the reasons for a result, in words.  Every sentence is derived from the encodings and exact
 * values at hand; where a reason cannot be shown to hold, nothing is said. */
#include "probe_device.h"
#include "probe_text.h"
#include <stdlib.h>
#include <string.h>

struct why {
    struct device *device;
    const char *input;
    const struct exact *x;
    const struct bits_result *r;
    const struct probe_policy *policy;
    char stored[TEXT_SHORT], exact[TEXT_SHORT];
    struct bits_row *row;
    int count;
};

/* The next free sentence; NULL when there are three. */
static char *next_line(struct why *w)
{
    return w->count < 3 ? w->row->why[w->count++] : NULL;
}

#define SAY(w, ...)                                                                                          \
    do {                                                                                                     \
        char *say_line = next_line(w);                                                                       \
        if (say_line)                                                                                        \
            text_format(say_line, TEXT_LINE, __VA_ARGS__);                                                   \
    } while (0)

static bool nearest(const struct why *w)
{
    return w->policy->mode == ROUND_RNE || w->policy->mode == ROUND_RNA;
}

static const char *mode_title(const struct why *w)
{
    return round_mode_table[w->policy->mode].title;
}

/* The neighbour on the other side of the exact value. */
static bool other_neighbour(const struct bits_result *r, uint32_t *bits)
{
    bool stored_above = exact_sign(r->error) == 0;
    *bits = (uint32_t)(stored_above ? r->down : r->up);
    return stored_above ? r->has_down : r->has_up;
}

static void say_special(struct why *w)
{
    const char *name = w->r->format->name;
    if (exact_kind(w->x) == EXACT_INFINITE) {
        if (w->r->class == CLASS_INFINITE)
            SAY(w, "%s has this infinity; operations on infinities are exact.", name);
        else if (w->policy->saturate)
            SAY(w, "Saturation stores the largest finite value instead of infinity.");
        else if (w->r->class == CLASS_QUIET_NAN)
            SAY(w, "%s has no infinity: its NaN with the sign stands for it.", name);
        else
            SAY(w, "%s has no infinity: the largest finite value stands for it.", name);
    } else if (w->r->class == CLASS_SIGNALING_NAN) {
        SAY(w, "The first bit of the trailing significand is 0 and not all others are: a signaling NaN.");
    } else if (w->policy->nan == NAN_RULE_CUDA) {
        SAY(w, "Not a number: CUDA's conversions make every NaN positive with all other bits set.");
    } else if (!format_has_infinity(w->r->format)) {
        SAY(w, "Not a number: %s has one code for it%s.", name,
            format_has_sign(w->r->format) ? ", and the sign is kept" : "");
    } else {
        SAY(w, "Not a number: a conversion keeps the sign and the top of the payload, and makes it quiet.");
    }
}

/* From where on the next value would be stored, half a step beyond the largest one. */
static void say_limit(struct why *w)
{
    const struct format *f = w->r->format;
    char from[TEXT_SHORT];
    const char *beyond = format_has_infinity(f) ? "infinity" : "NaN, as there is no infinity";
    struct exact *top = exact_from_bits(f, format_max(f)), *ulp = top ? exact_ulp(top, f) : NULL;
    struct exact *half = ulp ? exact_scale(ulp, -1) : NULL, *tie = half ? exact_add(top, half) : NULL;
    text_value(from, sizeof from, tie, 12);
    if (w->policy->saturate)
        SAY(w, "Saturation stores it for everything beyond.");
    else if (!format_has_nan(f) || f->specials == FORMAT_SCALE)
        SAY(w, "%s has nothing to stand for more: it is stored for everything beyond.", f->name);
    else if (nearest(w))
        SAY(w, "%s %s on in magnitude, half a step beyond it, values round to %s.",
            format_max(f) & 1 || w->policy->mode == ROUND_RNA ? "From" : "From just above", from, beyond);
    else if (w->r->class == CLASS_INFINITE || w->r->class == CLASS_QUIET_NAN)
        SAY(w, "%s goes beyond it here: %s.", mode_title(w), beyond);
    else
        SAY(w, "%s does not go beyond it.", mode_title(w));
    exact_free(top);
    exact_free(ulp);
    exact_free(half);
    exact_free(tie);
}

static void say_overflow(struct why *w)
{
    const struct format *f = w->r->format;
    char largest[TEXT_SHORT];
    text_bits_value(largest, sizeof largest, f, (uint32_t)format_max(f), 12);
    SAY(w, "The largest finite value of %s is %s.", f->name, largest);
    say_limit(w);
}

/* Whether the exact value lies beyond the largest finite one, which is stored: the neighbour there is an
 * infinity or a NaN, to which nothing is near. */
static bool beyond_largest(const struct bits_result *r)
{
    bool negative = format_sign(r->format, r->bits), stored_above = exact_sign(r->error) == 0;
    uint32_t magnitude = r->bits & ~(uint32_t)format_sign_bit(r->format);
    return magnitude == format_max(r->format) && stored_above == negative;
}

static void say_beyond(struct why *w, const char *prefix)
{
    const char *name = w->r->format->name;
    if (w->policy->mode == ROUND_SR)
        SAY(w, "%s%s lies beyond the largest finite value of %s; the random bits chose %s.", prefix, w->exact,
            name, w->stored);
    else if (!nearest(w))
        SAY(w, "%s%s lies beyond the largest finite value of %s; %s takes %s.", prefix, w->exact, name,
            mode_title(w), w->stored);
    else if (w->r->tie == TIE_TIE)
        SAY(w,
            "%s%s lies exactly half a step beyond %s, the largest finite value of %s, whose last bit is "
            "even.",
            prefix, w->exact, w->stored, name);
    else
        SAY(w, "%s%s lies less than half a step beyond %s, the largest finite value of %s, and rounds to it.",
            prefix, w->exact, w->stored, name);
    if (nearest(w))
        say_limit(w);
}

/* Which of the two neighbours was taken, and why; `prefix` begins the sentence. */
static void say_inexact(struct why *w, const char *prefix)
{
    const struct bits_result *r = w->r;
    uint32_t other_bits;
    char other[TEXT_SHORT];
    bool flushed = w->policy->ftz && r->class == CLASS_ZERO; /* neither of two neighbours was chosen */
    if (!flushed && beyond_largest(r)) {
        say_beyond(w, prefix);
        return;
    }
    if (flushed || !other_neighbour(r, &other_bits))
        return;
    text_bits_value(other, sizeof other, r->format, other_bits, 12);
    bool lower = exact_sign(r->error) == 0; /* the other one */
    const char *low = lower ? other : w->stored, *high = lower ? w->stored : other;
    if (w->policy->mode == ROUND_SR)
        SAY(w, "%s%s lies between %s and %s; the random bits chose %s.", prefix, w->exact, low, high,
            w->stored);
    else if (!nearest(w))
        SAY(w, "%s%s lies between %s and %s; %s takes %s.", prefix, w->exact, low, high, mode_title(w),
            w->stored);
    else if (r->tie == TIE_TIE)
        SAY(w, "%s%s lies exactly half way between %s and %s; %s takes %s.", prefix, w->exact, low, high,
            mode_title(w),
            w->policy->mode == ROUND_RNE ? "the one whose last bit is even" : "the one farther from zero");
    else
        SAY(w, "%sthe exact %s is nearer to %s than to the next %s value, %s.", prefix, w->exact, w->stored,
            lower ? "lower" : "higher", other);
}

static void say_subnormal(struct why *w)
{
    const struct format *f = w->r->format;
    uint64_t t = format_trailing(f, w->r->bits);
    int bits = 0;
    while (t >> bits)
        bits++;
    SAY(w,
        "Below 2^%d the last place of %s stays at 2^%d: this subnormal is %llu × 2^%d, %d significant bit%s "
        "of %d.",
        f->emin, f->name, f->emin - f->trailing_bits, (unsigned long long)t, f->emin - f->trailing_bits, bits,
        bits == 1 ? "" : "s", f->precision);
}

/* ---- an operand that the result lost ---- */

/* A sum or difference of two terms, as typed. */
struct operation {
    struct exact *a, *b;
    char op;
    char b_text[TEXT_SHORT];
};

/* Whether the sign at `at` belongs to an exponent ("1e-5", "0x1p-3"). */
static bool exponent_sign(const char *text, size_t at)
{
    if (at == 0)
        return false;
    size_t start = at;
    while (start > 0 && strchr("0123456789abcdefABCDEFxXpP.", text[start - 1]))
        start--;
    bool hex = text[start] == '0' && (text[start + 1] == 'x' || text[start + 1] == 'X');
    char mark = text[at - 1];
    bool digits_before = at - start >= 2;
    return digits_before && (hex ? mark == 'p' || mark == 'P' : mark == 'e' || mark == 'E');
}

/* The last + or - outside parentheses that has an operand before it; 0 if there is none. */
static size_t find_operator(const char *text)
{
    size_t found = 0;
    int depth = 0;
    bool operand = false;
    for (size_t i = 0; text[i]; i++) {
        char c = text[i];
        if (c == ' ')
            continue;
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if ((c == '+' || c == '-') && depth == 0 && operand && !exponent_sign(text, i))
            found = i;
        operand = !strchr("+-*/^(", c) || exponent_sign(text, i);
    }
    return found;
}

/* Splits the input into a and b, if a op b is the value of the whole: nothing is taken on trust. */
static bool split_operation(const char *input, const struct exact *x, struct operation *o)
{
    memset(o, 0, sizeof *o);
    size_t at = find_operator(input);
    char left[TEXT_VALUE];
    if (at == 0 || at >= sizeof left)
        return false;
    memcpy(left, input, at);
    left[at] = '\0';
    const char *right = input + at + 1;
    while (*right == ' ')
        right++;
    struct exact_error ignored;
    o->op = input[at];
    o->a = exact_parse(left, &ignored);
    o->b = exact_parse(right, &ignored);
    text_format(o->b_text, sizeof o->b_text, "%s", right);
    if (!o->a || !o->b || strlen(right) >= sizeof o->b_text)
        return false;
    struct exact *whole = o->op == '+' ? exact_add(o->a, o->b) : exact_subtract(o->a, o->b);
    bool holds = whole && exact_compare(whole, x) == 0 && !exact_is_zero(o->b);
    exact_free(whole);
    return holds;
}

static void say_operand(struct why *w, const struct operation *o, uint32_t b_bits)
{
    const struct format *f = w->r->format;
    char value[TEXT_SHORT];
    text_bits_value(value, sizeof value, f, b_bits, 12);
    switch (format_classify(f, b_bits)) {
    case CLASS_ZERO:
        SAY(w, "%s alone already becomes 0 in %s.", o->b_text, f->name);
        break;
    case CLASS_SUBNORMAL:
        SAY(w, "%s alone is no problem: %s stores it as %llu × 2^%d = %s, a subnormal.", o->b_text, f->name,
            (unsigned long long)format_trailing(f, b_bits), f->emin - f->trailing_bits, value);
        break;
    default:
        SAY(w, "%s alone is no problem: %s stores it as %s.", o->b_text, f->name, value);
    }
}

/* "A step down from 1 survives only when it exceeds 2^-12 = …": half the distance to the neighbour on that
 * side. */
static void say_threshold(struct why *w, const struct operation *o)
{
    const struct bits_result *r = w->r;
    bool down = (o->op == '-') == (exact_sign(o->b) == 0);
    if (w->policy->mode != ROUND_RNE || exact_compare(o->a, r->value) != 0 ||
        (down ? !r->has_down : !r->has_up))
        return;
    uint64_t next_bits = down ? r->down : r->up;
    if (format_classify(r->format, next_bits) == CLASS_INFINITE)
        return;
    struct exact *next = exact_from_bits(r->format, next_bits);
    struct exact *step =
        next ? (down ? exact_subtract(r->value, next) : exact_subtract(next, r->value)) : NULL;
    struct exact *half = step ? exact_scale(step, -1) : NULL;
    char text[TEXT_SHORT * 2];
    if (half) {
        text_power_value(text, sizeof text, half, 12);
        SAY(w,
            r->bits & 1
                ? "A step %s from %s survives from %s on (the tie itself moves: the last bit of %s is odd)."
                : "A step %s from %s survives only when it exceeds %s (the tie itself rounds to %s, whose "
                  "last bit is even).",
            down ? "down" : "up", w->stored, text, w->stored);
    }
    exact_free(next);
    exact_free(step);
    exact_free(half);
}

/* What an update of a value that the format holds must exceed, upwards and downwards. */
static void say_what_is_lost(struct why *w)
{
    const struct bits_result *r = w->r;
    const struct format *f = r->format;
    if (w->policy->mode != ROUND_RNE || w->policy->ftz || f->trailing_bits == 0 || !r->has_up ||
        !r->has_down || format_classify(f, r->up) >= CLASS_INFINITE ||
        format_classify(f, r->down) >= CLASS_INFINITE)
        return;
    struct exact *up = exact_from_bits(f, r->up), *down = exact_from_bits(f, r->down);
    struct exact *above = up ? exact_subtract(up, r->value) : NULL;
    struct exact *below = down ? exact_subtract(r->value, down) : NULL;
    struct exact *half_up = above ? exact_scale(above, -1) : NULL;
    struct exact *half_down = below ? exact_scale(below, -1) : NULL;
    char up_text[TEXT_SHORT * 2], down_text[TEXT_SHORT * 2];
    if (half_up && half_down) {
        text_power_value(up_text, sizeof up_text, half_up, 12);
        text_power_value(down_text, sizeof down_text, half_down, 12);
        if (exact_compare(half_up, half_down) == 0)
            SAY(w, "An update of it %s %s is lost.", r->bits & 1 ? "by less than" : "by up to", up_text);
        else
            SAY(w, "An update of it %s %s upwards, or %s downwards, is lost.",
                r->bits & 1 ? "by less than" : "by up to", up_text, down_text);
    }
    exact_free(up);
    exact_free(down);
    exact_free(above);
    exact_free(below);
    exact_free(half_up);
    exact_free(half_down);
}

/* The result of a sum is the rounded first operand: says where the second one went. */
static bool say_lost_operand(struct why *w, bool *said, struct exact_error *error)
{
    struct operation o;
    const struct format *f = w->r->format;
    enum round_mode mode = w->policy->mode;
    bool done = true;
    if (split_operation(w->input, w->x, &o) && mode != ROUND_SR) {
        uint32_t a_bits, b_bits;
        done = probe_round_one(w->device, o.a, f, mode, &a_bits, error) &&
               probe_round_one(w->device, o.b, f, mode, &b_bits, error);
        if (done && a_bits == w->r->bits) {
            say_operand(w, &o, b_bits);
            say_inexact(w, o.op == '-' ? "The subtraction loses it: " : "The addition loses it: ");
            say_threshold(w, &o);
            *said = true;
        }
    }
    exact_free(o.a);
    exact_free(o.b);
    return done;
}

/* Sentences begin with a capital, unless with a name or a number that has none. */
static void begin_with_capital(char *line)
{
    if (strncmp(line, "the ", 4) == 0)
        line[0] = 'T';
}

bool probe_why(struct device *d, const char *input, const struct exact *x, const struct bits_result *r,
               const struct probe_policy *policy, struct bits_row *row, struct exact_error *error)
{
    struct why w = {.device = d, .input = input, .x = x, .r = r, .policy = policy, .row = row};
    bool said = false;
    text_value(w.stored, sizeof w.stored, r->value, 12);
    text_value(w.exact, sizeof w.exact, x, 12);
    if (exact_kind(x) != EXACT_FINITE) {
        say_special(&w);
        return true;
    }
    if (r->flags & FLAG_OVERFLOW) {
        say_overflow(&w);
        return true;
    }
    if (r->error && exact_is_zero(r->error)) {
        SAY(&w, "%s holds %s exactly.", r->format->name, w.exact);
        say_what_is_lost(&w);
    } else {
        if (!say_lost_operand(&w, &said, error))
            return false;
        if (!said)
            say_inexact(&w, "");
        if (r->class == CLASS_ZERO && policy->ftz)
            SAY(&w,
                "It rounds to something below the smallest normal value of %s, 2^%d: flushed to zero (FTZ).",
                r->format->name, r->format->emin);
        else if (r->class == CLASS_ZERO && !said)
            SAY(&w, "It is below the smallest subnormal of %s, 2^%d: the value is flushed to zero.",
                r->format->name, r->format->emin - r->format->trailing_bits);
    }
    if (r->class == CLASS_SUBNORMAL)
        say_subnormal(&w);
    for (int i = 0; i < w.count; i++)
        begin_with_capital(row->why[i]);
    return true;
}
