/* calc_view.c: one addition as on a blackboard: aligned significands, the exact sum, and the bits that
 * decide. */
#include "calc_internal.h"
#include "probe_device.h"
#include "probe_text.h"

#include <stdlib.h>
#include <string.h>

/* A finite operand as an integer significand: value = significand x 2^exponent. */
struct magnitude {
    uint64_t significand;
    int exponent;
};

static struct magnitude magnitude_of(const struct format *f, uint32_t bits)
{
    int biased = format_biased_exponent(f, bits);
    bool normal = biased || !format_has_zero(f);
    uint64_t t = format_trailing(f, bits);
    return (struct magnitude){normal ? t | UINT64_C(1) << f->trailing_bits : t,
                              (normal ? biased - f->bias : f->emin) - f->trailing_bits};
}

/* The exponent of the top bit of |x|, or the least one for zero. */
static int top_of(const struct format *f, uint32_t bits)
{
    struct magnitude m = magnitude_of(f, bits);
    int top = m.exponent;
    while (m.significand >> 1) {
        m.significand >>= 1;
        top++;
    }
    return top;
}

/* z x 2^low as digits from the weight `top` on, `count` of them. */
static void put_digits(char to[CALC_DIGITS], const mpz_t z, int low, int top, int count)
{
    for (int i = 0; i < count; i++) {
        int bit = top - i - low;
        to[i] = bit >= 0 && mpz_tstbit(z, (mp_bitcnt_t)bit) ? '1' : '0';
    }
    to[count] = '\0';
}

static int bit_at(const mpz_t z, int low, int weight)
{
    return weight >= low && mpz_tstbit(z, (mp_bitcnt_t)(weight - low));
}

/* Whether any bit below the weight is set. */
static bool any_below(const mpz_t z, int low, int weight)
{
    return mpz_sgn(z) != 0 && weight > low && mpz_scan1(z, 0) < (mp_bitcnt_t)(weight - low);
}

struct addition {
    const struct format *f;
    uint32_t a, b; /* as asked */
    uint32_t larger, smaller, result;
    uint32_t random;
    int low; /* weight of the integers' last bit */
    mpz_t x, y, sum;
};

static void set_magnitude(mpz_t z, const struct format *f, uint32_t bits, int low)
{
    struct magnitude m = magnitude_of(f, bits);
    mpz_set_ui(z, (unsigned long)m.significand);
    mpz_mul_2exp(z, z, (mp_bitcnt_t)(m.exponent - low));
}

static void fill_rows(struct addition *s, struct calc_answer *out)
{
    const struct format *f = s->f;
    int larger_top = top_of(f, s->larger);
    int count = larger_top + 2 - s->low;
    out->more = count > CALC_DIGITS - 1;
    count = out->more ? CALC_DIGITS - 1 : count;
    out->top = larger_top + 1;
    put_digits(out->larger, s->x, s->low, out->top, count);
    put_digits(out->smaller, s->y, s->low, out->top, count);
    put_digits(out->exact, s->sum, s->low, out->top, count);
    out->shift = magnitude_of(f, s->larger).exponent - magnitude_of(f, s->smaller).exponent;
}

/* Guard, round and sticky of the exact result, and where its last place is. */
static void fill_rounding(struct addition *s, struct calc_answer *out)
{
    const struct format *f = s->f;
    int larger_top = out->top - 1, sum_top = larger_top;
    if (mpz_sgn(s->sum) != 0)
        sum_top = (int)mpz_sizeinbase(s->sum, 2) - 1 + s->low;
    out->carry = sum_top > larger_top;
    out->cancelled = sum_top < larger_top ? larger_top - sum_top : 0;
    int last = (sum_top > f->emin ? sum_top : f->emin) - f->trailing_bits;
    out->last = out->top - last;
    out->guard = bit_at(s->sum, s->low, last - 1);
    out->round = bit_at(s->sum, s->low, last - 2);
    out->sticky = any_below(s->sum, s->low, last - 2);
    if (format_classify(f, s->result) < CLASS_INFINITE) {
        struct magnitude m = magnitude_of(f, s->result);
        mpz_t stored;
        mpz_init_set_ui(stored, (unsigned long)m.significand);
        int count = out->last + 1;
        put_digits(out->kept, stored, m.exponent, out->top, count > 0 && count < CALC_DIGITS ? count : 0);
        mpz_clear(stored);
    }
}

static void fill_words(const struct addition *s, const struct probe_policy *policy, struct calc_answer *out)
{
    const char *name = s->f->name;
    char *to = out->text;
    text_format(to, TEXT_LINE, "%s has %d significant bits. ", name, s->f->precision);
    if (out->shift > 0)
        text_append(to, TEXT_LINE, "The smaller operand moves %d place%s to the right. ", out->shift,
                    out->shift == 1 ? "" : "s");
    if (out->carry)
        text_append(to, TEXT_LINE, "The sum carries into a new place. ");
    if (out->cancelled)
        text_append(to, TEXT_LINE, "%d leading place%s cancel%s. ", out->cancelled,
                    out->cancelled == 1 ? "" : "s", out->cancelled == 1 ? "s" : "");
    if (!out->guard && !out->round && !out->sticky)
        text_append(to, TEXT_LINE, "Nothing is left below the last place: the result is exact.");
    else
        text_append(to, TEXT_LINE, "Below the last place: guard %d, round %d, sticky %d: %s; %s gives %s.",
                    out->guard, out->round, out->sticky, out->tie, round_mode_table[policy->mode].title,
                    out->result);
}

static bool fill_result(struct addition *s, const struct round_output *result, struct calc_answer *out,
                        struct exact_error *error)
{
    const struct format *f = s->f;
    struct exact *a = exact_from_bits(f, s->a), *b = exact_from_bits(f, s->b);
    struct exact *sum = !a || !b ? NULL : out->op == '+' ? exact_add(a, b) : exact_subtract(a, b);
    if (sum) {
        text_value(out->exact_text, sizeof out->exact_text, sum, 30);
        text_format(out->tie, sizeof out->tie, "%s", text_tie(exact_tie(sum, f)));
    }
    text_hex(out->result_hex, sizeof out->result_hex, f, result->bits);
    text_bits_value(out->result, sizeof out->result, f, result->bits, 13);
    text_flags(out->flags, sizeof out->flags, result->flags);
    exact_free(a);
    exact_free(b);
    bool done = sum != NULL;
    exact_free(sum);
    return done || probe_fail(error, "out of memory");
}

static bool round_text(struct device *d, const char *text, const struct format *f,
                       const struct probe_policy *policy, uint32_t *bits, struct exact_error *error)
{
    struct exact *x = exact_parse(text, error);
    struct bits_result r;
    bool done = x && probe_round(d, &x, 1, f, policy, &r, error);
    if (done) {
        *bits = r.bits;
        bits_result_clear(&r);
    }
    exact_free(x);
    return done;
}

static bool add(struct device *d, struct addition *s, const struct probe_policy *policy,
                struct calc_answer *out, struct exact_error *error)
{
    const struct format *f = s->f;
    enum arithmetic_op op = out->op == '+' ? ARITHMETIC_ADD : ARITHMETIC_SUBTRACT;
    struct round_output result;
    uint32_t sign = (uint32_t)format_sign_bit(f), a = s->a & ~sign, b = s->b & ~sign;
    if (!calc_operate(d, op, (uint32_t[]){s->a, s->b, 0}, s->random, f, policy, &result, error))
        return false;
    out->valid = format_classify(f, s->a) < CLASS_INFINITE && format_classify(f, s->b) < CLASS_INFINITE &&
                 !(result.flags & FLAG_NO_VALUE);
    if (!out->valid)
        return true;
    out->swapped = b > a; /* magnitudes are ordered as their encodings */
    out->subtracts = (format_sign(f, s->a) != format_sign(f, s->b)) != (out->op == '-');
    s->larger = out->swapped ? b : a;
    s->smaller = out->swapped ? a : b;
    s->result = result.bits;
    s->low = magnitude_of(f, s->smaller).exponent;
    set_magnitude(s->x, f, s->larger, s->low);
    set_magnitude(s->y, f, s->smaller, s->low);
    if (out->subtracts)
        mpz_sub(s->sum, s->x, s->y);
    else
        mpz_add(s->sum, s->x, s->y);
    fill_rows(s, out);
    fill_rounding(s, out);
    if (!fill_result(s, &result, out, error))
        return false;
    fill_words(s, policy, out);
    return true;
}

static bool answer(struct device *d, struct addition *s, const struct probe_policy *policy,
                   struct calc_answer *out, struct exact_error *error)
{
    const struct format *f = s->f;
    out->format = f;
    text_hex(out->a_hex, sizeof out->a_hex, f, s->a);
    text_hex(out->b_hex, sizeof out->b_hex, f, s->b);
    text_bits_value(out->a, sizeof out->a, f, s->a, 13);
    text_bits_value(out->b, sizeof out->b, f, s->b, 13);
    mpz_inits(s->x, s->y, s->sum, NULL);
    bool done = add(d, s, policy, out, error);
    mpz_clears(s->x, s->y, s->sum, NULL);
    return done;
}

bool calc_answer(struct device *d, const char *a, char op, const char *b, const struct format *f,
                 const struct probe_policy *policy, struct calc_answer *out, struct exact_error *error)
{
    struct addition s = {.f = f, .random = calc_random(policy, f, 0)};
    memset(out, 0, sizeof *out);
    out->op = op;
    return round_text(d, a, f, policy, &s.a, error) && round_text(d, b, f, policy, &s.b, error) &&
           answer(d, &s, policy, out, error);
}

bool calc_answer_step(struct device *d, const struct format *f, const struct calc_step *step, size_t index,
                      const struct probe_policy *policy, struct calc_answer *out, struct exact_error *error)
{
    struct addition s = {
        .f = f, .a = step->operand[0], .b = step->operand[1], .random = calc_random(policy, f, index)};
    memset(out, 0, sizeof *out);
    out->op = step->op == ARITHMETIC_ADD ? '+' : '-';
    return answer(d, &s, policy, out, error);
}
