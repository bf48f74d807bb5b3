/* probe.k.h: what `bits` and `update` ask: how one exact value rounds to any format under any policy, and
 * what repeated updates do to one weight. */
#ifndef ULPSCOPE_KERNELS_PROBE
#define ULPSCOPE_KERNELS_PROBE

#include "../kernels.h"
#include "random.k.h"
#include "sum.k.h"

/* ---- round_wide: integer arithmetic alone ---- */

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

/* Whether the mode (IEEE 754-2019 clause 4.3, and stochastic) takes the neighbour away from zero. */
K_FN bool k_split_away(struct k_split s, int32_t mode, int32_t sign, uint32_t random)
{
    const uint64_t half = UINT64_C(1) << 63;
    uint32_t top = (uint32_t)(s.fraction >> 32);
    switch (mode) {
    case ROUND_RNE:
        return s.fraction > half || (s.fraction == half && (s.more || (s.whole & 1)));
    case ROUND_RNA:
        return s.fraction >= half;
    case ROUND_RUP:
        return sign == 0 && k_split_inexact(s);
    case ROUND_RDN:
        return sign != 0 && k_split_inexact(s);
    case ROUND_SR: /* random < fraction x 2^32 */
        return random < top || (random == top && ((uint32_t)s.fraction != 0 || s.more));
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

K_FN struct round_output k_round_finite(const struct round_args *a, const struct round_input *in)
{
    struct round_output out;
    int32_t t = a->trailing_bits;
    int64_t emin = 2 - (INT64_C(1) << (a->exponent_bits - 1));
    int64_t exponent = (int64_t)in->exponent + 63;
    int64_t place = exponent > emin ? exponent : emin; /* the last place kept is 2^(place - t) */
    struct k_split s = k_split_at(in->significand, 63 - t + (place - exponent));
    bool away = k_split_away(s, a->mode, in->sign, in->random);
    uint64_t infinity = ((UINT64_C(1) << a->exponent_bits) - 1) << t;
    /* A carry out of the significand moves on to the next exponent by itself. */
    uint64_t magnitude = s.whole + ((uint64_t)(place - emin) << t) + (away ? 1 : 0);

    out.flags = k_split_inexact(s) ? FLAG_INEXACT : 0;
    if (exponent < emin && out.flags) {
        /* Tiny after rounding (clause 7.5 b): even with unbounded exponents it would not round up to 2^emin.
         */
        struct k_split wide = k_split_at(in->significand, 63 - t);
        uint64_t rounded = wide.whole + (k_split_away(wide, a->mode, in->sign, in->random) ? 1 : 0);
        if (exponent < emin - 1 || rounded >> (t + 1) == 0)
            out.flags |= FLAG_UNDERFLOW;
    }
    if (magnitude >= infinity) {
        out.flags |= FLAG_OVERFLOW | FLAG_INEXACT;
        magnitude = !a->saturate && k_overflow_is_infinite(a->mode, in->sign) ? infinity : infinity - 1;
    }
    out.bits = (uint32_t)magnitude;
    return out;
}

/* One value.  Infinities and zeros are exact (clause 6.1); a NaN keeps its sign and the top of its payload
 * and becomes quiet, and a signaling one is an invalid operation (clause 6.2). */
K_FN void round_wide_one(const struct round_args *a, long i)
{
    const struct round_input *in = &a->in[i];
    int32_t t = a->trailing_bits;
    uint32_t infinity = ((1u << a->exponent_bits) - 1) << t;
    struct round_output out;
    out.bits = 0;
    out.flags = 0;
    if (in->kind == ROUND_FINITE)
        out = k_round_finite(a, in);
    else if (in->kind == ROUND_INFINITE)
        out.bits = a->saturate ? infinity - 1 : infinity;
    else if (in->kind == ROUND_NAN) {
        out.bits = infinity | 1u << (t - 1) | (uint32_t)(in->significand >> (64 - t));
        out.flags = in->significand >> 63 ? 0 : FLAG_INVALID;
    }
    if (in->sign)
        out.bits |= 1u << (a->exponent_bits + t);
    a->out[i] = out;
}

K_DEFINE(round_wide, round_args, a->n, round_wide_one(a, tile))

/* ---- update_probe ---- */

enum {
    PROBE_STREAM = 0x70726f62
}; /* the random words of update_probe: no other kernel draws from this stream */

/* The weight's state between two updates: the encoding that the update rule holds (of the master, where there
 * is one), and Kahan's compensation. */
struct k_probe {
    uint32_t weight, compensation;
};

K_FN struct k_probe k_probe_step(struct k_probe p, const struct update_case *c, enum format_id format,
                                 int64_t step)
{
    float w = k_decode(p.weight, format);
    if (c->kind == UPDATE_KAHAN)
        k_kahan(&p.weight, &p.compensation, c->delta, format);
    else if (c->kind == UPDATE_STOCHASTIC)
        p.weight =
            k_round_sum_stochastic(w, -c->delta, format, k_random(c->seed, PROBE_STREAM, (uint64_t)step, 0));
    else
        p.weight = k_round_sum(w, -c->delta, format);
    return p;
}

/* Runs all updates of one case; `held` is the format of the encoding that the rule holds. */
K_FN void k_probe_run(const struct update_case *c, struct update_outcome *o, enum format_id held)
{
    struct k_probe p;
    p.weight = c->weight;
    p.compensation = 0;
    uint32_t first = c->weight;
    int64_t moved = 0, first_move = 0;
    int sample = 0;
    int64_t due = (c->steps + UPDATE_SAMPLES - 1) /
                  UPDATE_SAMPLES; /* the update after which the next sample is taken */
    for (int64_t step = 0; step <= c->steps; step++) {
        if (step > 0) {
            uint32_t before = p.weight;
            p = k_probe_step(p, c, held, step);
            if (step == 1)
                first = p.weight;
            if (p.weight != before) {
                moved++;
                first_move = first_move ? first_move : step;
            }
        }
        while (sample < UPDATE_SAMPLES && step == due) {
            o->samples[sample++] = k_decode(p.weight, held);
            due = ((sample + 1) * c->steps + UPDATE_SAMPLES - 1) / UPDATE_SAMPLES;
        }
    }
    bool master = c->kind == UPDATE_MASTER;
    o->first_master = master ? first : 0;
    o->last_master = master ? p.weight : 0;
    o->first = first;
    o->last = p.weight;
    o->compensation = p.compensation;
    o->pad = 0;
    o->moved = moved;
    o->lost = c->steps - moved;
    o->first_move = first_move;
}

K_FN void update_probe_one(const struct update_probe_args *a, long i)
{
    const struct update_case *c = &a->cases[i];
    struct update_outcome *o = &a->outcomes[i];
    if (c->kind == UPDATE_MASTER || c->format == FORMAT_FP32)
        k_probe_run(c, o, FORMAT_FP32);
    else if (c->format == FORMAT_FP16)
        k_probe_run(c, o, FORMAT_FP16);
    else
        k_probe_run(c, o, FORMAT_BF16);
    if (c->kind != UPDATE_MASTER)
        return;
    o->first = c->format == FORMAT_FP16 ? k_encode(k_float(o->first_master), FORMAT_FP16)
                                        : k_encode(k_float(o->first_master), FORMAT_BF16);
    o->last = c->format == FORMAT_FP16 ? k_encode(k_float(o->last_master), FORMAT_FP16)
                                       : k_encode(k_float(o->last_master), FORMAT_BF16);
}

K_DEFINE(update_probe, update_probe_args, a->n, update_probe_one(a, tile))

#endif
