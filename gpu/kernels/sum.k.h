/* sum.k.h: a weight plus an update, rounded once to the storage format, in every way the update rules know.
 *
 * The exact sum of two FP32 numbers may need hundreds of bits.  Two of its parts are enough to round it: the
 * FP32 sum and the error of that sum, which is an FP32 number too (Dekker 1971) and is exact in every case
 * where the sum is finite. Nothing here goes through an FP32 rounding first: that would round twice. */
#ifndef ULPSCOPE_KERNELS_SUM
#define ULPSCOPE_KERNELS_SUM

#include "number.k.h"

/* What roundTiesToEven left out of s = a + b: exactly (a + b) - s.  Dekker's order of the operands by
 * magnitude keeps s - larger from overflowing.  Meaningless where s is not finite. */
K_FN float k_sum_error(float a, float b, float s)
{
    bool ordered = (k_bits(a) & 0x7fffffffu) >= (k_bits(b) & 0x7fffffffu);
    float larger = ordered ? a : b;
    float smaller = ordered ? b : a;
    return smaller - (s - larger);
}

/* a + b rounded to odd: exact sums stay, and of the two FP32 neighbours of an inexact one the one whose last
 * bit is set is taken.  Rounding that to a format with at least two bits less is a correct single rounding of
 * the exact sum (Boldo and Melquiond 2008).  Infinities and NaNs are those of a + b; a finite sum beyond the
 * largest FP32 number is returned as that number or as infinity: both round to infinity in fp16 and bf16. */
K_FN float k_sum_odd(float a, float b)
{
    float s = a + b;
    float error = k_sum_error(a, b, s);
    uint32_t bits = k_bits(s);
    bool even = (bits & 1u) == 0 && (error > 0.0f || error < 0.0f); /* false for a NaN: s is not finite */
    uint32_t towards_zero = (k_bits(error) ^ bits) >> 31; /* the exact sum is smaller than s in magnitude */
    uint32_t odd = bits + 1u - 2u * towards_zero;
    return k_float(even ? odd : bits);
}

/* The encoding of a + b rounded once by roundTiesToEven. */
K_FN uint32_t k_round_sum(float a, float b, enum format_id format)
{
    return k_encode(format == FORMAT_FP32 ? a + b : k_sum_odd(a, b), format);
}

/* Stochastic rounding of a magnitude to fp16 or bf16.  It is given as the FP32 number below it (`floor`, sign
 * bit clear) and as what lies above that, in units of FP32's last place x 2^-32 (`rest`), with `sticky` set
 * if there is still more. It is rounded away from zero iff random < fraction x 2^32, fraction being the exact
 * distance to the format's next value below in units of the distance between the two: an exact value never
 * moves.  Grid and rule go on beyond the largest finite value; what lands there is infinity. */
K_FN uint32_t k_stochastic_magnitude(uint32_t floor, uint32_t rest, bool sticky, enum format_id format,
                                     uint32_t random)
{
    uint32_t below, fraction;
    bool more;
    if (format == FORMAT_BF16) {
        below = floor >> 16;
        fraction = floor << 16 | rest >> 16;
        more = sticky || (rest & 0xffffu) != 0;
    } else {
        uint32_t exponent = floor >> 23;
        uint32_t significand = (floor & 0x7fffffu) | (exponent ? 0x800000u : 0u);
        uint32_t normal =
            exponent > 113u ? exponent : 113u;    /* 2^-14: below it fp16 keeps its last place at 2^-24 */
        uint32_t held = exponent ? exponent : 1u; /* the exponent that `significand` really has */
        uint32_t shift = 13u + normal - held;
        shift = shift < 60u ? shift : 60u; /* nothing of the 56 bits is left either way */
        uint64_t wide = (uint64_t)significand << 32 | rest;
        below = (uint32_t)(wide >> 32 >> shift) + ((normal - 113u) << 10);
        fraction = (uint32_t)(wide >> shift);
        more = sticky || (wide & ((UINT64_C(1) << shift) - 1)) != 0;
        /* Beyond 2^16 everything is infinity, whatever the fraction. */
        fraction = floor >= 0x47800000u ? 0u : fraction;
        more = more && floor < 0x47800000u;
        below = floor >= 0x47800000u ? 0x7c00u : below;
    }
    bool away = random < fraction || (more && random == fraction);
    return below + (away ? 1u : 0u);
}

/* The encoding of x rounded stochastically to fp16 or bf16 with 32 random bits; FP32 stays as it is. */
K_FN uint32_t k_encode_stochastic(float x, enum format_id format, uint32_t random)
{
    uint32_t bits = k_bits(x);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (format == FORMAT_FP32 || magnitude >= 0x7f800000u)
        return k_encode(x, format);
    return k_stochastic_magnitude(magnitude, 0u, false, format, random) | (bits >> 16 & 0x8000u);
}

/* The encoding of a + b rounded once, stochastically, to fp16 or bf16: the fraction is that of the exact sum,
 * so that an update far smaller than an FP32 place of the weight still has its own probability.  FP32:
 * roundTiesToEven. */
K_FN uint32_t k_round_sum_stochastic(float a, float b, enum format_id format, uint32_t random)
{
    float s = a + b;
    uint32_t bits = k_bits(s);
    uint32_t magnitude = bits & 0x7fffffffu;
    if (format == FORMAT_FP32 || magnitude >= 0x7f800000u)
        return k_encode(s, format);
    uint32_t error = k_bits(k_sum_error(a, b, s));
    uint32_t error_magnitude = error & 0x7fffffffu;
    bool inexact = error_magnitude != 0;
    bool beyond = inexact && (error ^ bits) >> 31 != 0; /* s lies beyond the exact sum, seen from zero */
    uint32_t floor = beyond ? magnitude - 1u : magnitude;

    /* |error| in units of FP32's last place at `floor`, x 2^32: at most half a place, so at most 2^31. */
    uint32_t place = floor >> 23 ? floor >> 23 : 1u;
    uint32_t exponent = error_magnitude >> 23;
    uint64_t significand = (error_magnitude & 0x7fffffu) | (exponent ? 0x800000u : 0u);
    uint32_t shift = place - (exponent ? exponent : 1u) + 8u;
    shift = shift < 63u ? shift : 63u; /* also where there is no error and the difference is meaningless */
    uint64_t wide = significand << 40;
    uint32_t part = (uint32_t)(wide >> shift);
    bool sticky = (wide & ((UINT64_C(1) << shift) - 1)) != 0;
    uint32_t rest = beyond ? 0u - part - (sticky ? 1u : 0u) : part;
    return k_stochastic_magnitude(floor, rest, sticky, format, random) | (bits >> 16 & 0x8000u);
}

/* One step of Kahan's compensated summation of -delta into the weight, as cli.md has it, every operation
 * rounded to the format: y = rnd(-delta - c); t = rnd(w + y); c = rnd(rnd(t - w) - y).  Both encodings are
 * replaced. */
K_FN void k_kahan(uint32_t *weight, uint32_t *compensation, float delta, enum format_id format)
{
    float w = k_decode(*weight, format);
    float y = k_decode(k_round_sum(-delta, -k_decode(*compensation, format), format), format);
    uint32_t sum = k_round_sum(w, y, format);
    float taken = k_decode(k_round_sum(k_decode(sum, format), -w, format), format);
    *compensation = k_round_sum(taken, -y, format);
    *weight = sum;
}

#endif
