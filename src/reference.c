/* reference.c: one rounder for every format and IEEE mode, by the book. */
#include "reference.h"
#include <string.h>

struct reference reference_make(const struct format *f, enum round_mode mode, bool saturate)
{
    struct reference r = {
        .mode = mode, .width = f->width, .trailing_bits = f->trailing_bits, .emin = f->emin};
    r.max = (uint32_t)format_max(f);
    r.nan = f->specials == FORMAT_FINITE ? r.max : (uint32_t)format_quiet_nan(f);
    r.beyond = saturate || f->specials == FORMAT_FINITE ? r.max
               : f->specials == FORMAT_INF_NAN          ? (uint32_t)format_infinity(f)
                                                        : r.nan;
    r.has_payload = f->specials == FORMAT_INF_NAN;
    return r;
}

/* Does the mode take the larger of the two magnitudes around a value?  `rest` and `half` are in the same
 * unit. */
static bool takes_larger(enum round_mode mode, int sign, bool odd, uint64_t rest, uint64_t half)
{
    switch (mode) {
    case ROUND_RNE:
        return rest > half || (rest == half && odd);
    case ROUND_RNA:
        return rest >= half;
    case ROUND_RUP:
        return rest && !sign;
    case ROUND_RDN:
        return rest && sign;
    default:
        return false;
    }
}

/* Rounds significand / 2^drop in units of the last place of the binade 2^binade; drop is 1..63. */
static uint32_t round_at(const struct reference *r, int sign, uint64_t significand, int drop, int binade)
{
    uint64_t kept = significand >> drop, rest = significand & ((UINT64_C(1) << drop) - 1);
    kept += takes_larger(r->mode, sign, kept & 1, rest, UINT64_C(1) << (drop - 1));
    /* A significand with its leading bit counts once for the exponent, so that carries go where they belong. */
    uint64_t code = ((uint64_t)(binade - r->emin) << r->trailing_bits) + kept;
    if (code <= r->max)
        return (uint32_t)code;
    bool inwards = r->mode == ROUND_RTZ || r->mode == (sign ? ROUND_RUP : ROUND_RDN);
    return inwards ? r->max : r->beyond;
}

uint32_t reference_round(const struct reference *r, int sign, uint64_t significand, int exponent)
{
    int leading = exponent + 63 - __builtin_clzll(significand);
    int binade = leading < r->emin ? r->emin : leading;
    int drop = binade - r->trailing_bits - exponent;
    if (drop <= 0) { /* nothing to cut: at most trailing bits + 1 of them */
        significand <<= 1 - drop;
        drop = 1;
    } else if (drop >=
               64) { /* all of it lies below the last place; only its order with half of one matters */
        significand = drop > 64 || significand < UINT64_C(1) << 63 ? 1
                      : significand == UINT64_C(1) << 63           ? UINT64_C(1) << 61
                                                                   : (UINT64_C(1) << 61) + 1;
        drop = 62;
    }
    return (uint32_t)sign << (r->width - 1) | round_at(r, sign, significand, drop, binade);
}

uint32_t reference_round_fp32(const struct reference *r, uint32_t fp32)
{
    int sign = (int)(fp32 >> 31);
    uint32_t sign_code = (uint32_t)sign << (r->width - 1);
    uint32_t field = fp32 >> 23 & 0xff, trailing = fp32 & 0x7fffff;
    if (field == 0xff && trailing)
        return sign_code | r->nan | (r->has_payload ? trailing >> (23 - r->trailing_bits) : 0);
    if (field == 0xff)
        return sign_code | r->beyond;
    if (field == 0)
        return trailing ? reference_round(r, sign, trailing, -149) : sign_code;
    return reference_round(r, sign, trailing | 0x800000, (int)field - 127 - 23);
}

/* Consecutive encodings of one sign and one binade: with these constant, where to cut and what to add is the
 * same for all of them, and the loops below hold no branch, so that compilers make vector code of them. */
struct run {
    int32_t significand; /* of the first, doubled: at least one bit is cut off then */
    int32_t base;        /* encoding of the binade, less its leading bit */
    int32_t drop, half, mask, max, over, sign_code;
};

static inline int32_t code_of(const struct run *run, int32_t kept)
{
    int32_t code = run->base + kept;
    return (code > run->max ? run->over : code) | run->sign_code;
}

static void run_to_even(const struct run *run, uint32_t n, int32_t *out)
{
    const struct run local = *run;
    for (uint32_t i = 0; i < n; i++) {
        int32_t significand = local.significand + 2 * (int32_t)i;
        int32_t kept = significand >> local.drop, rest = significand & local.mask;
        int32_t away = (rest > local.half) | ((rest == local.half) & kept);
        out[i] = code_of(&local, kept + (away & 1));
    }
}

/* Up from `least` on, a part of a last place. */
static void run_from(const struct run *run, int32_t least, uint32_t n, int32_t *out)
{
    const struct run local = *run;
    for (uint32_t i = 0; i < n; i++) {
        int32_t significand = local.significand + 2 * (int32_t)i;
        int32_t kept = significand >> local.drop, rest = significand & local.mask;
        out[i] = code_of(&local, kept + (rest >= least));
    }
}

static void round_run(const struct reference *r, uint32_t first, uint32_t n, int32_t *out)
{
    uint32_t sign = first >> 31, field = first >> 23 & 0xff;
    bool inwards = r->mode == ROUND_RTZ || r->mode == (sign ? ROUND_RUP : ROUND_RDN);
    int exponent = field ? (int)field - 127 : -126, binade = exponent < r->emin ? r->emin : exponent;
    int drop = 24 - r->trailing_bits + binade - exponent;
    struct run run = {.significand = (int32_t)((first & 0x7fffff) | (field ? 0x800000 : 0)) * 2,
                      .base = (int32_t)((uint32_t)(binade - r->emin) << r->trailing_bits),
                      .drop = drop < 27 ? drop : 27, /* of 25 bits: below half a place from there on */
                      .max = (int32_t)r->max,
                      .over = (int32_t)(inwards ? r->max : r->beyond)};
    run.half = 1 << (run.drop - 1);
    run.mask = 2 * run.half - 1;
    run.sign_code = (int32_t)(sign << (r->width - 1));
    if (r->mode == ROUND_RNE)
        run_to_even(&run, n, out);
    else
        run_from(&run, r->mode == ROUND_RNA ? run.half : inwards ? run.mask + 1 : 1, n, out);
}

void reference_round_range(const struct reference *r, uint32_t first, uint32_t n, uint32_t *out)
{
    while (n) {
        uint32_t left = 0x800000 - (first & 0x7fffff), part = n < left ? n : left;
        if ((first >> 23 & 0xff) == 0xff) {
            for (uint32_t i = 0; i < part; i++)
                out[i] = reference_round_fp32(r, first + i);
        } else {
            round_run(r, first, part, (int32_t *)out);
        }
        first += part;
        out += part;
        n -= part;
    }
}

uint32_t reference_round_double(const struct reference *r, double x, int beyond)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int sign = (int)(bits >> 63), field = (int)(bits >> 52 & 0x7ff);
    uint64_t trailing = bits & ((UINT64_C(1) << 52) - 1);
    uint32_t sign_code = (uint32_t)sign << (r->width - 1);
    if (field == 0x7ff)
        return trailing ? r->nan : sign_code | r->beyond; /* computed NaNs are the canonical one */
    if (field == 0 && trailing == 0)
        return sign_code;
    uint64_t significand = field ? trailing | UINT64_C(1) << 52 : trailing;
    /* Eight more bits hold what lies beyond: rounding looks only at its sign. */
    significand = (significand << 8) + (uint64_t)(int64_t)beyond;
    return reference_round(r, sign, significand, (field ? field : 1) - 1075 - 8);
}
