/* math.k.h: exp, log, tanh, sin and cos for kernels, with the same bits from every compiler and on every
 * device.
 *
 * Only operations with one right result are used: +, -, x, / and fused multiply-add of IEEE 754 (5.4.1),
 * integer operations on encodings, comparisons and selects, and conversions whose operands are in range.  Of
 * libm only fmaf is called, which is such an operation.  Subnormals are operands and results like any others.
 * A NaN result may have any sign and payload: a store makes it canonical.
 *
 * exp, log and tanh have no branch and no table, so that a loop over lanes becomes vector code.  sin and cos
 * branch: only the data of a task and its initial weights need them.
 *
 * Over all 2^32 inputs the errors are below 0.70 ulp (exp; 0.78 where the result is subnormal), 0.500001
 * (log, sin, cos) and 0.59 (tanh); exp, log and tanh never go down from one float to the next; tanh and sin
 * are odd.  The checker is src/check_math.h.
 *
 * Every polynomial is a minimax fit (Remez) whose coefficients were rounded one at a time, lowest order
 * first, and the rest fitted again.  The bits of these functions are part of every run's digest: they must
 * never change. */
#ifndef ULPSCOPE_GPU_KERNELS_MATH_K_H
#define ULPSCOPE_GPU_KERNELS_MATH_K_H

#include "../compat.h"

/* Adding 1.5 x 2^23 to a float of magnitude below 2^22 rounds it to an integer (ties to even), which then is
 * the low bits of the sum's encoding, counted from the constant's own. */
#define K_ROUND_MAGIC 0x1.8p23f
#define K_ROUND_BITS  0x4b400000u

/* 2^n as a float from n in two's complement, -126 <= n <= 127. */
K_FN float k_power_of_two(uint32_t n)
{
    return k_float((n + 127u) << 23);
}

/* a if the condition holds, else b. */
K_FN float k_select(bool condition, float a, float b)
{
    return condition ? a : b;
}

/* e^x = 2^n e^(r + tail), with |r + tail| <= 0.3467 and r exact: n ln2 is subtracted in two parts (Cody and
 * Waite). ln2's high part has 15 bits and |n| at most 8, so that their product and the difference are exact;
 * the low part's product is the tail, at most 2^-12.  Up to 2^-32, e^t = 1 + t + t^2 q(t); the sum t = r +
 * tail may be rounded there, but not in the term t itself. */
#define K_LN2_HIGH 0x1.62e4p-1f
#define K_LN2_LOW  0x1.7f7d1cp-20f

struct k_exp_parts {
    uint32_t n_bits; /* n in two's complement */
    float n;
    float r;
    float square; /* t^2 */
    float q;
};

/* For e^(multiple x), multiple a power of two and |multiple x| <= 105.  Beyond that, and for a NaN, the parts
 * are meaningless but defined; a NaN makes r and q NaN. */
K_FN struct k_exp_parts k_exp_reduce(float x, float multiple)
{
    struct k_exp_parts e;
    float shifted = fmaf(x, multiple * 0x1.715476p0f, K_ROUND_MAGIC); /* log2(e) */
    e.n_bits = k_bits(shifted) - K_ROUND_BITS;
    e.n = shifted - K_ROUND_MAGIC;
    e.r = fmaf(e.n, -K_LN2_HIGH, multiple * x);
    float t = fmaf(e.n, -K_LN2_LOW, e.r);
    e.square = t * t;
    float q01 = fmaf(0x1.555554p-3f, t, 0.5f);
    float q23 = fmaf(0x1.111302p-7f, t, 0x1.5554e8p-5f);
    float q45 = fmaf(0x1.9e7130p-13f, t, 0x1.6d516cp-10f);
    e.q = fmaf(fmaf(q45, e.square, q23), e.square, q01);
    return e;
}

/* The sum 1 + r + (tail + t^2 q) is rounded once, with the error of 1 + r taken along.  The scale is applied
 * in two halves, as 2^n itself may be no normal number: the first product is exact, and the second rounds
 * only where the result is subnormal, or becomes infinite.  Beyond the limits the results are inf and 0
 * anyway. */
K_FN float k_exp(float x)
{
    x = k_select(x > 89.0f, 89.0f, x);
    x = k_select(x < -104.0f, -104.0f, x);
    struct k_exp_parts e = k_exp_reduce(x, 1.0f);
    float high = 1.0f + e.r;
    float low = (1.0f - high) + e.r;
    float y = high + (low + fmaf(e.n, -K_LN2_LOW, e.square * e.q));
    uint32_t half = ((e.n_bits + 256u) >> 1) - 128u; /* floor(n / 2) without shifting a negative number */
    return (y * k_power_of_two(half)) * k_power_of_two(e.n_bits - half);
}

/* Below 0.35 an odd polynomial, x + x^3 P(x^2), to 2^-30.9.  From there on
 *
 *     tanh a = 1 - 2 / (e^2a + 1) = 1 - s / D,   e^2a = 2^n e^(r + tail),
 *     s = 2^(1 - n),   D = s/2 + e^(r + tail),
 *
 * with D = high + low and s / D (quotient and residual) as sums of two floats, so that the last addition is
 * the only rounding that matters: that keeps the error near half an ulp, and from one float to the next the
 * result never goes down.  From 10 on it is 1, and what the parts hold there is not used. */
K_FN float k_tanh(float x)
{
    uint32_t sign = k_bits(x) & 0x80000000u;
    float a = k_float(k_bits(x) ^ sign);

    float square = a * a;
    float p = 0x1.3ea988p-6f;
    p = fmaf(p, square, -0x1.b827dcp-5f);
    p = fmaf(p, square, 0x1.110c36p-3f);
    p = fmaf(p, square, -0x1.55554ep-2f);
    float near_zero = fmaf(a * square, p, a);

    struct k_exp_parts e = k_exp_reduce(a, 2.0f);
    float s = k_power_of_two(1u - e.n_bits);
    float base = fmaf(s, 0.5f, 1.0f);
    float partial = base + e.r;
    float high = fmaf(e.square, e.q, partial);
    float low = fmaf(e.square, e.q, partial - high) + fmaf(e.n, -K_LN2_LOW, (base - partial) + e.r);
    float inverse = 1.0f / high;
    float residual = fmaf(-inverse, low, fmaf(-inverse, high, 1.0f)); /* 1 - D inverse */
    float quotient = s * inverse;                                     /* exact: s is a power of two */
    float result = 1.0f - quotient;
    float away_from_zero = result + fmaf(-quotient, residual, (1.0f - result) - quotient);

    float y = k_select(a > 10.0f, 1.0f, k_select(a < 0.35f, near_zero, away_from_zero));
    return k_float(k_bits(y) | sign);
}

/* x = 2^e m with sqrt(1/2) <= m < sqrt(2) (nearly), f = m - 1, s = f / (2 + f): log x = e ln2 + 2 atanh s, in
 * double, and rounded once.  The polynomial is 2 atanh s = 2s + s^3 P(s^2) to 2^-52. */
K_FN float k_log(float x)
{
    bool subnormal = k_bits(x) < 0x00800000u;
    uint32_t bits = k_bits(k_select(subnormal, x * 0x1p23f, x));
    uint32_t shifted = bits + (0x3f800000u - 0x3f3504f3u); /* the encoding of sqrt(1/2) goes to that of 1 */
    uint32_t exponent = shifted >> 23;
    float m = k_float((shifted & 0x007fffffu) + 0x3f3504f3u);
    double e = (double)((int)exponent - (subnormal ? 150 : 127));
    double f = (double)m - 1.0;
    double s = f / (2.0 + f);
    double z = s * s;
    double p = 0x1.58549eff5e3a0p-3;
    p = p * z + 0x1.732f6668d999fp-3;
    p = p * z + 0x1.c7225abeb63d8p-3;
    p = p * z + 0x1.249241b52a2b4p-2;
    p = p * z + 0x1.999999a21ec5fp-2;
    p = p * z + 0x1.5555555553bcep-1;
    float y = (float)(e * 0x1.62e42fefa39efp-1 + (2.0 * s + (s * z) * p));
    y = k_select(x < k_float(0x7f800000u), y, x); /* inf and NaN: themselves */
    y = k_select(x < 0.0f, k_float(0x7fc00000u), y);
    return k_select(x == 0.0f, k_float(0xff800000u), y);
}

/* |x| = (quadrant + y 2/pi) pi/2 modulo 2 pi, |y| <= pi/4. */
struct k_quadrant {
    uint32_t quadrant; /* 0 to 3 */
    double y;
};

/* |x| 2/pi modulo 4 in integers (Payne and Hanek).  |x| = m 2^e with a 24-bit m.  Of 2/pi's bits those that
 * make multiples of 4 are left out, and the next 96 are taken; of the product's low 96 bits (2 for the
 * quadrant, 94 for the fraction) the upper 64 are kept, so that the fraction's error is below 2^-61 while no
 * float comes nearer to a multiple of pi/2 than 2^-29.9 quadrants. */
K_FN struct k_quadrant k_quadrant_reduce(float a)
{
    const uint32_t two_over_pi[8] = {0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u,
                                     0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
    struct k_quadrant k;
    k.quadrant = 0;
    k.y = (double)a;
    if (a <= 0x1.921fb4p-1f) /* the largest float below pi/4 */
        return k;
    uint32_t m = (k_bits(a) & 0x007fffffu) | 0x00800000u;
    uint32_t first = (k_bits(a) >> 23) - 120u; /* e - 2, and the 32 zero bits in front: 6 to 134 */
    uint32_t word = first >> 5, shift = first & 31u;
    uint32_t window[3];
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t pair = ((uint64_t)two_over_pi[word + i] << 32) | two_over_pi[word + i + 1];
        window[i] = (uint32_t)((pair << shift) >> 32);
    }
    uint64_t middle = (uint64_t)m * window[1] + (((uint64_t)m * window[2]) >> 32);
    uint64_t turns = ((uint64_t)(m * window[0]) << 32) + middle; /* in units of 2^-62 quadrants, modulo 4 */
    k.quadrant = (uint32_t)((turns + ((uint64_t)1 << 61)) >> 62);
    uint64_t fraction = turns - ((uint64_t)k.quadrant << 62);
    bool negative = (fraction >> 63) != 0;
    int64_t magnitude = (int64_t)(negative ? 0u - fraction : fraction);
    double y = (double)magnitude * 0x1.921fb54442d18p-62; /* pi/2 */
    k.y = negative ? -y : y;
    return k;
}

/* sin y to 2^-47 and cos y to 2^-53 for |y| <= pi/4. */
K_FN double k_sin_quadrant(double y)
{
    double z = y * y;
    double p = -0x1.a9686614a5d05p-26;
    p = p * z + 0x1.71d781cadc6f9p-19;
    p = p * z + -0x1.a019f96559a44p-13;
    p = p * z + 0x1.1111110cac5c9p-7;
    p = p * z + -0x1.55555555524b9p-3;
    return y + (y * z) * p;
}

K_FN double k_cos_quadrant(double y)
{
    double z = y * y;
    double p = 0x1.1b971a35f761ep-29;
    p = p * z + -0x1.27df7058a5e4fp-22;
    p = p * z + 0x1.a019f890d8334p-16;
    p = p * z + -0x1.6c16c1649c15bp-10;
    p = p * z + 0x1.555555554faafp-5;
    p = p * z + -0x1.fffffffffffa5p-2;
    return 1.0 + z * p;
}

K_FN float k_sin(float x)
{
    uint32_t sign = k_bits(x) & 0x80000000u;
    float a = k_float(k_bits(x) ^ sign);
    if (!(a < k_float(0x7f800000u)))
        return x - x; /* inf and NaN: NaN */
    struct k_quadrant k = k_quadrant_reduce(a);
    float y = (float)((k.quadrant & 1u) != 0 ? k_cos_quadrant(k.y) : k_sin_quadrant(k.y));
    return k_float(k_bits(y) ^ sign ^ ((k.quadrant & 2u) << 30));
}

K_FN float k_cos(float x)
{
    float a = k_float(k_bits(x) & 0x7fffffffu);
    if (!(a < k_float(0x7f800000u)))
        return x - x; /* inf and NaN: NaN */
    struct k_quadrant k = k_quadrant_reduce(a);
    float y = (float)((k.quadrant & 1u) != 0 ? k_sin_quadrant(k.y) : k_cos_quadrant(k.y));
    return k_float(k_bits(y) ^ (((k.quadrant + 1u) & 2u) << 30));
}

#endif
