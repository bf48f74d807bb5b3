/* round.k.h: how one exact value rounds to any format under any policy: integer arithmetic alone, on formats
 * given by their numbers. */
#ifndef ULPSCOPE_KERNELS_ROUND
#define ULPSCOPE_KERNELS_ROUND

#include "../compat.h"
#include "../kernels.h"

/* ---- the format ---- */

/* The exponent of code 1's binade: of the smallest normal value, or of a scale's smallest. */
K_FN int32_t k_rule_emin(const struct round_rule *r)
{
    return (r->specials == FORMAT_SCALE ? 1 : 2) - (1 << (r->exponent_bits - 1));
}

/* The code after the largest finite value's (format_limit). */
K_FN uint32_t k_rule_limit(const struct round_rule *r)
{
    if (r->specials == FORMAT_FINITE)
        return 1u << (r->exponent_bits + r->trailing_bits);
    if (r->specials == FORMAT_NAN_ONLY)
        return (1u << (r->exponent_bits + r->trailing_bits)) - 1;
    return ((1u << r->exponent_bits) - 1) << r->trailing_bits;
}

/* What an infinite result is stored as: a format without infinity takes its NaN, or without that its largest
 * value, as does a scale, which clamps. */
K_FN uint32_t k_rule_infinity(const struct round_rule *r)
{
    bool beyond = !r->saturate && (r->specials == FORMAT_INF_NAN || r->specials == FORMAT_NAN_ONLY);
    return beyond ? k_rule_limit(r) : k_rule_limit(r) - 1;
}

K_FN uint32_t k_rule_sign_bit(const struct round_rule *r)
{
    return r->specials == FORMAT_SCALE ? 0u : 1u << (r->exponent_bits + r->trailing_bits);
}

/* The canonical quiet NaN. */
K_FN uint32_t k_rule_nan(const struct round_rule *r)
{
    return k_rule_limit(r) | (r->specials == FORMAT_INF_NAN ? 1u << (r->trailing_bits - 1) : 0u);
}

/* ---- the rounding ---- */

/* A magnitude in units of a last place: whole + fraction / 2^64, and `more` if still more bits are set below.
 */
struct k_split {
    uint64_t whole, fraction;
    bool more;
};

/* significand / 2^shift, shift >= 1. */
K_FN struct k_split k_split_at(uint64_t significand, int64_t shift)
{
    struct k_split s;
    if (shift < 64) {
        s.whole = significand >> shift;
        s.fraction = significand << (64 - shift);
        s.more = false;
    } else {
        s.whole = 0;
        s.fraction = shift < 128 ? significand >> (shift - 64) : 0;
        s.more = shift >= 128 || (shift > 64 && significand << (128 - shift) != 0);
    }
    return s;
}

K_FN bool k_split_inexact(struct k_split s)
{
    return s.fraction != 0 || s.more;
}

/* random < fraction x 2^bits, for the random_bits of the rule. */
K_FN bool k_split_chance(struct k_split s, const struct round_rule *r, uint32_t random)
{
    int32_t bits = r->random_bits ? r->random_bits : 32;
    uint32_t top = (uint32_t)(s.fraction >> (64 - bits));
    return random < top || (random == top && (s.fraction << bits != 0 || s.more));
}

/* Whether the mode (IEEE 754-2019 clause 4.3, and stochastic) takes the neighbour away from zero; `odd` is
 * the last bit of the encoding of the one towards zero. */
K_FN bool k_split_away(struct k_split s, bool odd, const struct round_rule *r, int32_t sign, uint32_t random)
{
    const uint64_t half = UINT64_C(1) << 63;
    switch (r->mode) {
    case ROUND_RNE:
        return s.fraction > half || (s.fraction == half && (s.more || odd));
    case ROUND_RNA:
        return s.fraction >= half;
    case ROUND_RUP:
        return sign == 0 && k_split_inexact(s);
    case ROUND_RDN:
        return sign != 0 && k_split_inexact(s);
    case ROUND_SR:
        return k_split_chance(s, r, random);
    default: /* ROUND_RTZ */
        return false;
    }
}

/* Which of infinity and the largest finite number an overflow becomes (clause 7.4); stochastic rounding has
 * picked a value beyond the largest finite one, as rounding to nearest has. */
K_FN bool k_overflow_is_infinite(int32_t mode, int32_t sign)
{
    return mode == ROUND_RUP ? sign == 0 : mode == ROUND_RDN ? sign != 0 : mode != ROUND_RTZ;
}

/* Tiny after rounding (clause 7.5 b): even with unbounded exponents the value would not round up to 2^emin.
 */
K_FN bool k_round_tiny(const struct round_rule *r, const struct round_input *in)
{
    int64_t below = (int64_t)k_rule_emin(r) - ((int64_t)in->exponent + 63);
    struct k_split wide = k_split_at(in->significand, 63 - r->trailing_bits);
    uint64_t rounded = wide.whole + (k_split_away(wide, wide.whole & 1, r, in->sign, in->random) ? 1 : 0);
    return below > 1 || (below == 1 && rounded >> (r->trailing_bits + 1) == 0);
}

/* The magnitude's encoding. */
K_FN struct round_output k_round_finite(const struct round_rule *r, const struct round_input *in)
{
    struct round_output out;
    int32_t t = r->trailing_bits;
    int64_t emin = k_rule_emin(r);
    int64_t exponent = (int64_t)in->exponent + 63;
    int64_t place = exponent > emin ? exponent : emin; /* the last place kept is 2^(place - t) */
    struct k_split s = k_split_at(in->significand, 63 - t + (place - exponent));
    /* A scale has no biased exponent below its smallest power: code 0 is 2^emin, and what is less clamps. */
    bool scale = r->specials == FORMAT_SCALE, clamped = scale && s.whole == 0;
    uint64_t floor = s.whole + ((uint64_t)(place - emin) << t) - (scale && !clamped ? 1 : 0);
    bool away = !clamped && k_split_away(s, floor & 1, r, in->sign, in->random);
    uint64_t limit = k_rule_limit(r);
    uint64_t magnitude = floor + (away ? 1 : 0); /* a carry moves on to the next exponent by itself */

    out.flags = k_split_inexact(s) ? FLAG_INEXACT : 0;
    bool tiny = exponent < emin && (clamped || k_round_tiny(r, in));
    if (tiny && r->flush && !scale) {
        magnitude = 0;
        out.flags = FLAG_INEXACT;
    }
    if (tiny && out.flags)
        out.flags |= FLAG_UNDERFLOW;
    if (magnitude >= limit) {
        out.flags |= FLAG_OVERFLOW | FLAG_INEXACT;
        magnitude = k_overflow_is_infinite(r->mode, in->sign) ? k_rule_infinity(r) : limit - 1;
    }
    out.bits = (uint32_t)magnitude;
    return out;
}

/* A NaN that was given: see enum nan_rule.  A signaling one is an invalid operation (clause 6.2). */
K_FN struct round_output k_round_nan(const struct round_rule *r, const struct round_input *in)
{
    struct round_output out;
    out.bits = k_rule_nan(r);
    if (r->specials == FORMAT_INF_NAN)
        out.bits |= (uint32_t)(in->significand >> (64 - r->trailing_bits));
    if (r->nan == NAN_RULE_CUDA)
        out.bits = (1u << (r->exponent_bits + r->trailing_bits)) - 1;
    else if (in->sign)
        out.bits |= k_rule_sign_bit(r);
    out.flags =
        (in->significand >> 63 ? 0 : FLAG_INVALID) | (r->specials == FORMAT_FINITE ? FLAG_NO_VALUE : 0);
    return out;
}

/* One value.  Infinities and zeros are exact (clause 6.1). */
K_FN struct round_output k_round_value(const struct round_rule *r, const struct round_input *in)
{
    struct round_output out;
    out.bits = 0;
    out.flags = 0;
    if (in->kind == ROUND_NAN)
        return k_round_nan(r, in);
    if (in->kind == ROUND_FINITE)
        out = k_round_finite(r, in);
    else if (in->kind == ROUND_INFINITE)
        out.bits = k_rule_infinity(r);
    if (in->sign)
        out.bits |= k_rule_sign_bit(r);
    if (r->specials == FORMAT_SCALE && (in->sign || in->kind == ROUND_ZERO))
        out.flags |= FLAG_NO_VALUE;
    return out;
}

K_FN void round_wide_one(const struct round_args *a, long i)
{
    a->out[i] = k_round_value(&a->rule, &a->in[i]);
}

K_DEFINE(round_wide, round_args, a->n, round_wide_one(a, tile))

#endif
