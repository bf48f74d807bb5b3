/* arithmetic.k.h: + - x / fma and square root on encodings of any format, each rounded once.
 *
 * Integers alone: an operand is a significand of 24 bits and an exponent, a result at least 26 bits of the
 * exact one and a sticky bit for the rest, which is all that rounding to 24 bits or less can ask for. Nothing
 * goes through FP32 or FP64, which would round twice. */
#ifndef ULPSCOPE_KERNELS_ARITHMETIC
#define ULPSCOPE_KERNELS_ARITHMETIC

#include "round.k.h"

/* (-1)^sign x significand x 2^exponent; finite ones are normalised to the top bit that the function at hand
 * names.
 */
struct k_operand {
    uint64_t significand;
    int32_t exponent;
    int32_t sign;
    int32_t kind; /* enum round_kind */
    bool signaling;
};

K_FN int k_leading_zeros(uint64_t x)
{
    int n = 0;
    for (int step = 32; step > 0; step >>= 1) {
        bool empty = x >> (64 - step) == 0;
        n += empty ? step : 0;
        x = empty ? x << step : x;
    }
    return n;
}

/* Moves the top bit of a nonzero significand to bit `top`, upwards only. */
K_FN struct k_operand k_normalise(struct k_operand x, int top)
{
    int shift = k_leading_zeros(x.significand) - (63 - top);
    x.significand <<= shift;
    x.exponent -= shift;
    return x;
}

/* The operand that an encoding is; top bit 23. */
K_FN struct k_operand k_unpack(const struct arithmetic_args *a, uint32_t bits)
{
    const struct round_rule *r = &a->rule;
    int32_t t = r->trailing_bits;
    uint32_t magnitude = bits & ~k_rule_sign_bit(r), limit = k_rule_limit(r);
    uint32_t biased = magnitude >> t, trailing = magnitude & ((1u << t) - 1);
    bool scale = r->specials == FORMAT_SCALE;
    struct k_operand x;
    x.sign = (bits & k_rule_sign_bit(r)) != 0;
    x.signaling = false;
    x.significand = scale ? 1 : biased ? trailing | 1u << t : trailing;
    x.exponent = k_rule_emin(r) - t + (int32_t)(scale ? magnitude : biased ? biased - 1 : 0);
    if (magnitude >= limit) {
        x.kind = r->specials == FORMAT_INF_NAN && trailing == 0 ? ROUND_INFINITE : ROUND_NAN;
        x.signaling = r->specials == FORMAT_INF_NAN && x.kind == ROUND_NAN && trailing >> (t - 1) == 0;
    } else if (x.significand == 0 || (a->operands_are_zero && biased == 0 && !scale)) {
        x.kind = ROUND_ZERO;
    } else {
        x.kind = ROUND_FINITE;
        x = k_normalise(x, 23);
    }
    return x;
}

/* ---- results ---- */

/* What goes to rounding, and the flags that the operation itself raises. */
struct k_result {
    struct round_input in;
    uint32_t flags;
};

K_FN struct k_result k_result_of(int32_t kind, int32_t sign, uint32_t random)
{
    struct k_result out;
    out.in.significand = 0;
    out.in.exponent = 0;
    out.in.sign = sign;
    out.in.kind = kind;
    out.in.random = random;
    out.flags = 0;
    return out;
}

/* A finite nonzero result; `sticky` if there are bits below the significand's last one. */
K_FN struct k_result k_result_finite(struct k_operand x, bool sticky, uint32_t random)
{
    struct k_result out = k_result_of(ROUND_FINITE, x.sign, random);
    x = k_normalise(x, 63);
    out.in.significand = x.significand | (sticky ? 1 : 0);
    out.in.exponent = x.exponent;
    return out;
}

/* The NaN of an operation: quiet, canonical (design: positive; x86's own is negative). */
K_FN struct k_result k_result_nan(const struct round_rule *r, bool invalid, uint32_t random)
{
    struct k_result out = k_result_of(ROUND_NAN, r->nan == NAN_RULE_X86, random);
    out.in.significand = UINT64_C(1) << 63;
    out.flags = invalid ? FLAG_INVALID : 0;
    return out;
}

/* ---- operations; operands are not NaN ---- */

/* x + y for operands that are not infinite.  Finite ones have their top bit at 62, so that a carry fits; the
 * smaller one is shifted to the place of the larger.  Where bits are lost by that the exponents differ by 2
 * at least, so a difference keeps its top bits, and the sticky bit stands for what is below. */
K_FN struct k_result k_sum(const struct round_rule *r, struct k_operand x, struct k_operand y,
                           uint32_t random)
{
    int32_t zero_sign = x.sign == y.sign ? x.sign : r->mode == ROUND_RDN; /* IEEE 754-2019 clause 6.3 */
    if (x.kind == ROUND_ZERO && y.kind == ROUND_ZERO)
        return k_result_of(ROUND_ZERO, zero_sign, random);
    if (x.kind == ROUND_ZERO || y.kind == ROUND_ZERO)
        return k_result_finite(x.kind == ROUND_ZERO ? y : x, false, random);
    if (x.exponent < y.exponent || (x.exponent == y.exponent && x.significand < y.significand)) {
        struct k_operand swap = x;
        x = y;
        y = swap;
    }
    int32_t shift = x.exponent - y.exponent;
    uint64_t aligned = shift < 64 ? y.significand >> shift : 0;
    bool lost = shift < 64 ? aligned << shift != y.significand : true;
    if (x.sign == y.sign)
        x.significand += aligned;
    else
        x.significand -= aligned + (lost ? 1 : 0);
    if (x.significand == 0)
        return k_result_of(ROUND_ZERO, r->mode == ROUND_RDN, random);
    return k_result_finite(x, lost, random);
}

K_FN struct k_result k_add(const struct round_rule *r, struct k_operand x, struct k_operand y,
                           uint32_t random)
{
    if (x.kind == ROUND_INFINITE && y.kind == ROUND_INFINITE && x.sign != y.sign)
        return k_result_nan(r, true, random);
    if (x.kind == ROUND_INFINITE || y.kind == ROUND_INFINITE)
        return k_result_of(ROUND_INFINITE, x.kind == ROUND_INFINITE ? x.sign : y.sign, random);
    if (x.kind == ROUND_FINITE)
        x = k_normalise(x, 62);
    if (y.kind == ROUND_FINITE)
        y = k_normalise(y, 62);
    return k_sum(r, x, y, random);
}

/* x x y, exactly: an operand again.  The kind is ROUND_NAN for an invalid product. */
K_FN struct k_operand k_product(struct k_operand x, struct k_operand y)
{
    struct k_operand p;
    p.sign = x.sign ^ y.sign;
    p.signaling = false;
    p.significand = x.significand * y.significand;
    p.exponent = x.exponent + y.exponent;
    if (x.kind == ROUND_INFINITE || y.kind == ROUND_INFINITE)
        p.kind = x.kind == ROUND_ZERO || y.kind == ROUND_ZERO ? ROUND_NAN : ROUND_INFINITE;
    else
        p.kind = x.kind == ROUND_ZERO || y.kind == ROUND_ZERO ? ROUND_ZERO : ROUND_FINITE;
    return p;
}

K_FN struct k_result k_multiply(const struct round_rule *r, struct k_operand x, struct k_operand y,
                                uint32_t random)
{
    struct k_operand p = k_product(x, y);
    if (p.kind == ROUND_NAN)
        return k_result_nan(r, true, random);
    return p.kind == ROUND_FINITE ? k_result_finite(p, false, random) : k_result_of(p.kind, p.sign, random);
}

K_FN struct k_result k_divide(const struct round_rule *r, struct k_operand x, struct k_operand y,
                              uint32_t random)
{
    int32_t sign = x.sign ^ y.sign;
    if (x.kind == y.kind && x.kind != ROUND_FINITE)
        return k_result_nan(r, true, random); /* 0/0, inf/inf */
    if (x.kind == ROUND_INFINITE || y.kind == ROUND_ZERO) {
        struct k_result out = k_result_of(ROUND_INFINITE, sign, random);
        out.flags = x.kind == ROUND_FINITE ? FLAG_DIVIDE_BY_ZERO : 0;
        return out;
    }
    if (x.kind == ROUND_ZERO || y.kind == ROUND_INFINITE)
        return k_result_of(ROUND_ZERO, sign, random);
    uint64_t dividend = x.significand << 40; /* the quotient has 40 or 41 bits */
    x.sign = sign;
    x.significand = dividend / y.significand;
    x.exponent = x.exponent - 40 - y.exponent;
    return k_result_finite(x, dividend % y.significand != 0, random);
}

K_FN struct k_result k_fma(const struct round_rule *r, struct k_operand x, struct k_operand y,
                           struct k_operand z, uint32_t random)
{
    struct k_operand p = k_product(x, y);
    if (p.kind == ROUND_NAN)
        return k_result_nan(r, true, random);
    return k_add(r, p, z, random);
}

/* Digit by digit, two bits of the radicand at a time. */
K_FN struct k_result k_sqrt(const struct round_rule *r, struct k_operand x, uint32_t random)
{
    if (x.kind == ROUND_ZERO)
        return k_result_of(ROUND_ZERO, x.sign, random); /* clause 6.3: the root of -0 is -0 */
    if (x.sign)
        return k_result_nan(r, true, random);
    if (x.kind == ROUND_INFINITE)
        return k_result_of(ROUND_INFINITE, 0, random);
    x = k_normalise(x, (x.exponent & 1) ? 60 : 61); /* 37 or 38 places: the exponent becomes even */
    uint64_t rest = x.significand, root = 0;
    for (uint64_t bit = UINT64_C(1) << 60; bit != 0; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
    }
    x.significand = root; /* 31 bits */
    x.exponent /= 2;
    return k_result_finite(x, rest != 0, random);
}

/* ---- the kernel ---- */

K_FN struct k_result k_operate(const struct arithmetic_args *a, const struct arithmetic_input *in)
{
    const struct round_rule *r = &a->rule;
    bool two = a->op != ARITHMETIC_SQRT, three = a->op == ARITHMETIC_FMA;
    struct k_operand x = k_unpack(a, in->a), y = k_unpack(a, two ? in->b : in->a),
                     z = k_unpack(a, three ? in->c : in->a);
    if (x.kind == ROUND_NAN || y.kind == ROUND_NAN || z.kind == ROUND_NAN)
        return k_result_nan(r, x.signaling || y.signaling || z.signaling, in->random);
    switch (a->op) {
    case ARITHMETIC_SUBTRACT:
        y.sign ^= 1;
        return k_add(r, x, y, in->random);
    case ARITHMETIC_MULTIPLY:
        return k_multiply(r, x, y, in->random);
    case ARITHMETIC_DIVIDE:
        return k_divide(r, x, y, in->random);
    case ARITHMETIC_FMA:
        return k_fma(r, x, y, z, in->random);
    case ARITHMETIC_SQRT:
        return k_sqrt(r, x, in->random);
    default:
        return k_add(r, x, y, in->random);
    }
}

K_FN void arithmetic_one(const struct arithmetic_args *a, long i)
{
    struct k_result result = k_operate(a, &a->in[i]);
    struct round_output out = k_round_value(&a->rule, &result.in);
    out.flags |= result.flags;
    a->out[i] = out;
}

K_DEFINE(arithmetic, arithmetic_args, a->n, arithmetic_one(a, tile))

#endif
