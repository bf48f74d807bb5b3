#include "format.h"

#include <stddef.h>

#define ROW(id, row_name, row_title, e, t, kind, row_aliases)                                                \
    [FORMAT_##id] = {                                                                                        \
        .name = row_name,                                                                                    \
        .title = row_title,                                                                                  \
        .aliases = row_aliases,                                                                              \
        .width = 1 + (e) + (t),                                                                              \
        .exponent_bits = (e),                                                                                \
        .trailing_bits = (t),                                                                                \
        .precision = (t) + 1,                                                                                \
        .bias = (1 << ((e)-1)) - 1,                                                                          \
        .emax = (1 << ((e)-1)) - 1,                                                                          \
        .emin = 2 - (1 << ((e)-1)),                                                                          \
        .specials = kind,                                                                                    \
    },

const struct format format_table[FORMAT_COUNT] = {FORMAT_TABLE(ROW)};

#undef ROW

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
    return NULL;
}

static uint64_t ones(int count)
{
    return count == 0 ? 0 : UINT64_MAX >> (64 - count);
}

/* The biased exponent that is kept for infinities and NaN. */
static uint64_t top_exponent(const struct format *f)
{
    return ones(f->exponent_bits);
}

static uint64_t sign_mask(const struct format *f)
{
    return UINT64_C(1) << (f->width - 1);
}

int format_sign(const struct format *f, uint64_t bits)
{
    return (int)(bits >> (f->width - 1) & 1);
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
    uint64_t exponent = (uint64_t)format_biased_exponent(f, bits);
    uint64_t trailing = format_trailing(f, bits);
    if (exponent == 0) {
        return trailing ? CLASS_SUBNORMAL : CLASS_ZERO;
    }
    if (exponent < top_exponent(f)) {
        return CLASS_NORMAL;
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

uint64_t format_max(const struct format *f)
{
    return format_infinity(f) - 1;
}

uint64_t format_min_normal(const struct format *f)
{
    return UINT64_C(1) << f->trailing_bits;
}

uint64_t format_min_subnormal(const struct format *f)
{
    (void)f; /* the lowest bit of T alone, in every format with subnormals */
    return 1;
}

uint64_t format_infinity(const struct format *f)
{
    return top_exponent(f) << f->trailing_bits;
}

uint64_t format_quiet_nan(const struct format *f)
{
    return format_infinity(f) | UINT64_C(1) << (f->trailing_bits - 1);
}

bool format_next_up(const struct format *f, uint64_t bits, uint64_t *out)
{
    uint64_t magnitude = bits & ~sign_mask(f);
    if (magnitude > format_infinity(f) || bits == format_infinity(f)) {
        return false;
    }
    if (magnitude == 0) {
        *out = format_min_subnormal(f);
    } else {
        /* Encodings of one sign are ordered as integers, so the neighbour in magnitude is one away. */
        *out = format_sign(f, bits) ? bits - 1 : bits + 1;
    }
    return true;
}

bool format_next_down(const struct format *f, uint64_t bits, uint64_t *out)
{
    uint64_t up;
    if (!format_next_up(f, bits ^ sign_mask(f), &up)) {
        return false;
    }
    *out = up ^ sign_mask(f);
    return true;
}
