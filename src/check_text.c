/* check_text.c: texts near ties by GMP's integers, and their rounding by mpfr_strtofr, which is correctly
 * rounded in every directed mode and to nearest even. */
#include "check_text.h"
#include <gmp.h>
#include <mpfr.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- texts ---- */

/* splitmix64: any mixture will do. */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static long below(uint64_t *seed, long bound)
{
    return (long)(next(seed) % (uint64_t)bound);
}

/* One of the format's magnitudes: often a boundary. */
static uint64_t pick_code(const struct format *f, uint64_t *seed)
{
    uint64_t codes = format_limit(f), normal = UINT64_C(1) << f->trailing_bits;
    uint64_t binade = (uint64_t)below(seed, (long)(codes >> f->trailing_bits) + 1) << f->trailing_bits;
    uint64_t code;
    switch (below(seed, 8)) {
    case 0:
        return codes - 1; /* its upper tie is the threshold of overflow */
    case 1:
        code = (uint64_t)below(seed, 3); /* half the smallest subnormal, and what follows */
        break;
    case 2:
        code = normal - 2 + (uint64_t)below(seed, 3); /* into the normal values */
        break;
    case 3:
        code = binade + (uint64_t)below(seed, 2) - (binade > 0); /* both sides of a binade's end */
        break;
    default:
        code = (uint64_t)below(seed, (long)codes);
    }
    return code < codes ? code : codes - 1;
}

/* A value of the format, or the tie above it: m x 2^*e. */
static void pick_point(const struct format *f, uint64_t *seed, mpz_t m, long *e)
{
    uint64_t code = pick_code(f, seed), significand = code & ((UINT64_C(1) << f->trailing_bits) - 1);
    uint64_t field = code >> f->trailing_bits;
    bool scale = f->specials == FORMAT_SCALE;
    if (scale || field)
        significand |= UINT64_C(1) << f->trailing_bits;
    *e = scale ? (long)field - f->bias : (long)(field ? field : 1) - f->bias - f->trailing_bits;
    bool tie = below(seed, 4) != 0;
    if (tie || significand == 0) {
        significand = 2 * significand + 1;
        --*e;
    }
    mpz_set_ui(m, (unsigned long)significand);
}

/* Moves a digit string by a hair, or not at all. */
static void nudge(mpz_t m, uint64_t *seed)
{
    unsigned long hair = 1 + (unsigned long)(below(seed, 2) ? below(seed, 9) : 0);
    switch (below(seed, 3)) {
    case 0:
        mpz_add_ui(m, m, hair);
        break;
    case 1:
        if (mpz_cmp_ui(m, hair) > 0)
            mpz_sub_ui(m, m, hair);
        break;
    default:
        break;
    }
}

static void put(struct check_text *t, size_t *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void put(struct check_text *t, size_t *n, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(t->text + *n, sizeof t->text - *n, format, arguments);
    va_end(arguments);
    *n += length > 0 ? (size_t)length : 0;
}

/* digits x 10^e, with its point anywhere. */
static void put_decimal(struct check_text *t, size_t *n, const char *digits, long e, uint64_t *seed)
{
    static const char zeros[] = "000000000000000000000000000000000000000000000000000000000000";
    long length = (long)strlen(digits), lead = below(seed, length + 1);
    const char *mark = below(seed, 2) ? "e" : "E";
    if (below(seed, 3) == 0 && e <= 0 && e > -length) /* plain notation */
        put(t, n, "%.*s.%s", (int)(length + e), digits, digits + length + e);
    else if (below(seed, 2) && e <= -length && e > -length - 60)
        put(t, n, "0.%.*s%s", (int)(-e - length), zeros, digits);
    else
        put(t, n, "%s%.*s.%s%s%ld", lead ? "" : "0", (int)lead, digits, digits + lead, mark,
            e + length - lead);
}

/* digits x 2^e. */
static void put_hex(struct check_text *t, size_t *n, const char *digits, long e, uint64_t *seed)
{
    long length = (long)strlen(digits), lead = below(seed, length + 1);
    put(t, n, "0x%s%.*s.%sp%ld", lead ? "" : "0", (int)lead, digits, digits + lead, e + 4 * (length - lead));
}

/* A text of `digits` digits or somewhat fewer or more, for m x 2^e or a neighbour of it. */
static void make_near(const struct format *f, uint64_t *seed, struct check_text *t, size_t *n)
{
    mpz_t m, power;
    long e;
    mpz_inits(m, power, NULL);
    pick_point(f, seed, m, &e);
    long digits = below(seed, 2) ? CHECK_TEXT_DIGITS - 8 : below(seed, CHECK_TEXT_DIGITS - 8);
    if (t->base == 16) {
        long shift = 4 * digits - (long)mpz_sizeinbase(m, 2);
        shift = shift > 0 ? shift : 0;
        mpz_mul_2exp(m, m, (mp_bitcnt_t)shift);
        e -= shift;
    } else {
        mpz_ui_pow_ui(power, e < 0 ? 5 : 2, (unsigned long)labs(e));
        mpz_mul(m, m, power); /* m x 2^e = (m x 5^-e) x 10^e */
        e = e < 0 ? e : 0;
        long more = digits - (long)mpz_sizeinbase(m, 10);
        more = more > 0 ? more : 0;
        mpz_ui_pow_ui(power, 10, (unsigned long)more);
        mpz_mul(m, m, power);
        e -= more;
    }
    nudge(m, seed);
    char *text = mpz_get_str(NULL, t->base, m);
    if (t->base == 16)
        put_hex(t, n, text, e, seed);
    else
        put_decimal(t, n, text, e, seed);
    free(text);
    mpz_clears(m, power, NULL);
}

/* Digits at random, within and beyond the format's range. */
static void make_random(const struct format *f, uint64_t *seed, struct check_text *t, size_t *n)
{
    char digits[CHECK_TEXT_DIGITS + 1];
    long count = 1 + below(seed, below(seed, 4) ? 40 : CHECK_TEXT_DIGITS), range = 2L * f->bias + 40;
    for (long i = 0; i < count; i++)
        digits[i] = "0123456789abcdef"[below(seed, t->base)];
    digits[0] = "123456789abcdef"[below(seed, t->base - 1)];
    digits[count] = '\0';
    long binary = below(seed, 2 * range) - range;
    if (t->base == 16)
        put_hex(t, n, digits, binary - 4 * count, seed);
    else
        put_decimal(t, n, digits, binary * 3 / 10 - count, seed);
}

void check_text_make(const struct format *f, uint64_t index, struct check_text *out)
{
    uint64_t seed = index * 1000 + (uint64_t)(f->exponent_bits * 32 + f->trailing_bits);
    size_t n = 0;
    out->base = below(&seed, 3) ? 10 : 16;
    out->negative = format_has_sign(f) && below(&seed, 2);
    if (out->negative)
        put(out, &n, "-");
    if (below(&seed, 5))
        make_near(f, &seed, out, &n);
    else
        make_random(f, &seed, out, &n);
}

/* ---- MPFR ---- */

/* The text in MPFR's rounding to `trailing` trailing bits, as a magnitude's code on that grid, which knows no
 * largest value; *ternary as MPFR's.  -1 if MPFR cannot read the text. */
static int64_t code_of(const struct check_text *t, const struct format *f, int trailing, mpfr_rnd_t direction,
                       int *ternary)
{
    bool scale = f->specials == FORMAT_SCALE;
    mpfr_exp_t emin = mpfr_get_emin();
    mpfr_t x;
    char *end;
    int64_t code = 0;
    mpfr_init2(x, trailing + 1);
    if (!scale) /* MPFR's significands are below 1: its exponents are larger by one */
        mpfr_set_emin(f->emin - trailing + 1);
    *ternary = mpfr_strtofr(x, t->text, &end, t->base, direction);
    if (!scale)
        *ternary = mpfr_subnormalize(x, *ternary, direction);
    if (*end) {
        code = -1;
    } else if (!mpfr_zero_p(x)) {
        mpfr_exp_t exponent = mpfr_get_exp(x) - 1, least = scale ? -f->bias : f->emin;
        mpfr_exp_t binade = exponent < least && !scale ? least : exponent;
        mpfr_abs(x, x, MPFR_RNDN);
        mpfr_mul_2si(x, x, trailing - binade, MPFR_RNDN); /* an integer now */
        code = (int64_t)(binade - least) * (INT64_C(1) << trailing) + (int64_t)mpfr_get_ui(x, MPFR_RNDN) -
               (scale ? INT64_C(1) << trailing : 0);
    }
    mpfr_set_emin(emin);
    mpfr_clear(x);
    return code;
}

/* Codes of a grid twice as fine are twice as large: the odd ones are the ties. */
static int64_t away_from_zero(int64_t fine)
{
    return fine < 0 ? fine / 2 : (fine + 1) / 2;
}

/* A scale's ties go to the even code; MPFR has no such mode for a significand of one bit. */
static int64_t even_power(int64_t fine, int ternary)
{
    int64_t code = (fine - (fine & 1)) / 2;
    return fine & 1 ? code + (ternary != 0 || (code & 1)) : code;
}

/* IEEE 754-2019 clause 7.4, and what formats without infinity do (the command line's contract). */
static uint32_t limited(const struct check_text *t, const struct format *f, enum round_mode mode,
                        bool saturate, int64_t code)
{
    int64_t max = (int64_t)format_limit(f) - 1;
    bool away = mode == ROUND_RNE || mode == ROUND_RNA || mode == (t->negative ? ROUND_RDN : ROUND_RUP);
    bool beyond = f->specials == FORMAT_INF_NAN || f->specials == FORMAT_NAN_ONLY;
    if (f->specials == FORMAT_SCALE && code < 0)
        code = 0;
    if (code > max)
        code = away && beyond && !saturate ? max + 1 : max;
    return (uint32_t)code | (t->negative ? (uint32_t)format_sign_bit(f) : 0);
}

struct check_text_rounded check_text_round(const struct check_text *t, const struct format *f,
                                           enum round_mode mode)
{
    static const mpfr_rnd_t directions[] = {[ROUND_RNE] = MPFR_RNDN,
                                            [ROUND_RNA] = MPFR_RNDZ,
                                            [ROUND_RTZ] = MPFR_RNDZ,
                                            [ROUND_RUP] = MPFR_RNDU,
                                            [ROUND_RDN] = MPFR_RNDD};
    struct check_text_rounded r = {0};
    bool scale = f->specials == FORMAT_SCALE, fine = mode == ROUND_RNA || (scale && mode == ROUND_RNE);
    int ternary;
    int64_t code = code_of(t, f, f->trailing_bits + fine, fine ? MPFR_RNDZ : directions[mode], &ternary);
    r.valid = scale || code >= 0;
    if (mode == ROUND_RNA && !scale) {
        r.has_tie = true;
        r.tie = ternary == 0 ? (code & 1 ? TIE_TIE : TIE_EXACT) : code & 1 ? TIE_ABOVE : TIE_BELOW;
    }
    if (fine)
        code = mode == ROUND_RNA ? away_from_zero(code) : even_power(code, ternary);
    for (int saturate = 0; saturate < 2; saturate++)
        r.bits[saturate] = limited(t, f, mode, saturate != 0, code);
    return r;
}

void check_text_end(void)
{
    mpfr_free_cache();
}
