#include "format.h"

#include <stddef.h>

/* The largest biased exponent of finite values: IEEE formats and the scale keep the top one, or a part of it.
 */
#define TOP_EXPONENT(e, kind) ((1 << (e)) - 1 - ((kind) == FORMAT_INF_NAN || (kind) == FORMAT_SCALE))
#define BIAS(e)               ((1 << ((e)-1)) - 1)

#define FORMAT_INIT(row_name, row_title, e, t, kind, row_aliases, row_key)                                   \
    {                                                                                                        \
        .name = (row_name), .title = (row_title), .aliases = (row_aliases),                                  \
        .width = ((kind) == FORMAT_SCALE ? 0 : 1) + (e) + (t), .exponent_bits = (e), .trailing_bits = (t),   \
        .precision = (t) + 1, .bias = BIAS(e), .emax = TOP_EXPONENT(e, kind) - BIAS(e),                      \
        .emin = ((kind) == FORMAT_SCALE ? 0 : 1) - BIAS(e), .specials = (kind), .key = (row_key),            \
    }

#define ROW(id, row_name, row_title, e, t, kind, row_aliases)                                                \
    [FORMAT_##id] = FORMAT_INIT(row_name, row_title, e, t, kind, row_aliases, FORMAT_##id),

const struct format format_table[FORMAT_COUNT] = {FORMAT_TABLE(ROW)};

/* Every custom format, so that a format is constant data like those of the table. */
#define CUSTOM(e, t)                                                                                         \
    FORMAT_INIT("e" #e "m" #t, "custom", e, t, FORMAT_INF_NAN, "", FORMAT_COUNT + (e)*32 + (t)),
#define CUSTOM_ROW(e)                                                                                        \
    CUSTOM(e, 1)                                                                                             \
    CUSTOM(e, 2) CUSTOM(e, 3) CUSTOM(e, 4) CUSTOM(e, 5) CUSTOM(e, 6) CUSTOM(e, 7) CUSTOM(e, 8) CUSTOM(e, 9)  \
        CUSTOM(e, 10) CUSTOM(e, 11) CUSTOM(e, 12) CUSTOM(e, 13) CUSTOM(e, 14) CUSTOM(e, 15) CUSTOM(e, 16)    \
            CUSTOM(e, 17) CUSTOM(e, 18) CUSTOM(e, 19) CUSTOM(e, 20) CUSTOM(e, 21) CUSTOM(e, 22)              \
                CUSTOM(e, 23)

static const struct format custom_table[] = {CUSTOM_ROW(2) CUSTOM_ROW(3) CUSTOM_ROW(4) CUSTOM_ROW(5)
                                                 CUSTOM_ROW(6) CUSTOM_ROW(7) CUSTOM_ROW(8)};

/* ASCII only: the locale must not decide what a name is. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether `name` is one of the words of a list separated by spaces. */
static bool in_list(const char *name, const char *list)
{
    while (*list) {
        size_t i = 0;
        while (name[i] && list[i] && list[i] != ' ' && lower(name[i]) == lower(list[i])) {
            i++;
        }
        if (i > 0 && !name[i] && (!list[i] || list[i] == ' ')) {
            return true;
        }
        while (*list && *list != ' ') {
            list++;
        }
        while (*list == ' ') {
            list++;
        }
    }
    return false;
}

const struct format *format_find(const char *name)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (in_list(name, format_table[i].name) || in_list(name, format_table[i].aliases)) {
            return &format_table[i];
        }
    }
    for (size_t i = 0; i < sizeof custom_table / sizeof custom_table[0]; i++) {
        if (in_list(name, custom_table[i].name)) {
            return &custom_table[i];
        }
    }
    return NULL;
}

const struct format *format_find_stored(const char *name)
{
    const struct format *f = format_find(name);
    return f && f->key < FORMAT_STORED_COUNT ? f : NULL;
}

bool format_has_sign(const struct format *f)
{
    return f->specials != FORMAT_SCALE;
}

bool format_has_zero(const struct format *f)
{
    return f->specials != FORMAT_SCALE;
}

bool format_has_infinity(const struct format *f)
{
    return f->specials == FORMAT_INF_NAN;
}

bool format_has_nan(const struct format *f)
{
    return f->specials != FORMAT_FINITE;
}

static uint64_t ones(int count)
{
    return count == 0 ? 0 : UINT64_MAX >> (64 - count);
}

uint64_t format_sign_bit(const struct format *f)
{
    return format_has_sign(f) ? UINT64_C(1) << (f->width - 1) : 0;
}

int format_sign(const struct format *f, uint64_t bits)
{
    return (bits & format_sign_bit(f)) != 0;
}

int format_biased_exponent(const struct format *f, uint64_t bits)
{
    return (int)(bits >> f->trailing_bits & ones(f->exponent_bits));
}

uint64_t format_trailing(const struct format *f, uint64_t bits)
{
    return bits & ones(f->trailing_bits);
}

enum format_class format_classify(const struct format *f, uint64_t bits)
{
    uint64_t magnitude = bits & ~format_sign_bit(f), trailing = format_trailing(f, bits);
    if (magnitude < format_min_normal(f)) {
        return trailing ? CLASS_SUBNORMAL : CLASS_ZERO;
    }
    if (magnitude < format_limit(f)) {
        return CLASS_NORMAL;
    }
    if (!format_has_infinity(f)) {
        return CLASS_QUIET_NAN;
    }
    if (trailing == 0) {
        return CLASS_INFINITE;
    }
    /* IEEE 754-2019 clause 6.2.1: the first bit of T is 1 in a quiet NaN. */
    return trailing >> (f->trailing_bits - 1) ? CLASS_QUIET_NAN : CLASS_SIGNALING_NAN;
}

const char *format_class_name(enum format_class c)
{
    static const char *const names[] = {
        [CLASS_ZERO] = "zero",           [CLASS_SUBNORMAL] = "subnormal",
        [CLASS_NORMAL] = "normal",       [CLASS_INFINITE] = "infinite",
        [CLASS_QUIET_NAN] = "quiet_nan", [CLASS_SIGNALING_NAN] = "signaling_nan",
    };
    return names[c];
}

uint64_t format_limit(const struct format *f)
{
    switch (f->specials) {
    case FORMAT_FINITE:
        return UINT64_C(1) << (f->exponent_bits + f->trailing_bits);
    case FORMAT_NAN_ONLY:
        return ones(f->exponent_bits + f->trailing_bits);
    default:
        return ones(f->exponent_bits) << f->trailing_bits;
    }
}

uint64_t format_max(const struct format *f)
{
    return format_limit(f) - 1;
}

uint64_t format_min_normal(const struct format *f)
{
    return f->specials == FORMAT_SCALE ? 0 : UINT64_C(1) << f->trailing_bits;
}

uint64_t format_min_subnormal(const struct format *f)
{
    (void)f; /* the lowest bit of T alone, in every format with subnormals */
    return 1;
}

uint64_t format_infinity(const struct format *f)
{
    return format_limit(f);
}

uint64_t format_quiet_nan(const struct format *f)
{
    return format_has_infinity(f) ? format_limit(f) | UINT64_C(1) << (f->trailing_bits - 1) : format_limit(f);
}

/* The neighbour of a finite value or infinity in one direction. */
static bool next(const struct format *f, uint64_t bits, bool up, uint64_t *out)
{
    uint64_t sign = format_sign_bit(f), magnitude = bits & ~sign;
    bool outwards = (format_sign(f, bits) == 0) == up;
    uint64_t last = format_has_infinity(f) ? format_infinity(f) : format_max(f);
    if (magnitude > last) {
        return false;
    }
    if (magnitude == 0 && format_has_zero(f)) {
        *out = format_min_subnormal(f) | (up ? 0 : sign);
        return true;
    }
    if (magnitude == (outwards ? last : 0)) {
        return false;
    }
    /* Encodings of one sign are ordered as integers, so the neighbour in magnitude is one away. */
    *out = outwards ? bits + 1 : bits - 1;
    return true;
}

bool format_next_up(const struct format *f, uint64_t bits, uint64_t *out)
{
    return next(f, bits, true, out);
}

bool format_next_down(const struct format *f, uint64_t bits, uint64_t *out)
{
    return next(f, bits, false, out);
}
