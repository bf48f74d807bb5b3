#include "probe_text.h"
#include "kernels.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes the bytes of a character that was cut at the end. */
static void drop_half_character(char *to)
{
    size_t n = strlen(to), start = n;
    while (start > 0 && ((unsigned char)to[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char lead = (unsigned char)to[start - 1];
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (n - (start - 1) < wanted)
        to[start - 1] = '\0';
}

static void put(char *to, size_t size, const char *format, va_list arguments)
{
    int n = vsnprintf(to, size, format, arguments);
    if (n < 0)
        *to = '\0';
    else if ((size_t)n >= size)
        drop_half_character(to);
}

void text_format(char *to, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put(to, size, format, arguments);
    va_end(arguments);
}

void text_append(char *to, size_t size, const char *format, ...)
{
    size_t used = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    put(to + used, size - used, format, arguments);
    va_end(arguments);
}

void text_value(char *to, size_t size, const struct exact *x, int digits)
{
    char *text = x ? exact_text_short(x, digits, false) : NULL;
    text_format(to, size, "%s", text ? text : "?");
    free(text);
}

void text_bits_value(char *to, size_t size, const struct format *f, uint32_t bits, int digits)
{
    struct exact *x = exact_from_bits(f, bits);
    text_value(to, size, x, digits);
    exact_free(x);
}

void text_hex(char *to, size_t size, const struct format *f, uint32_t bits)
{
    text_format(to, size, "0x%0*x", (f->width + 3) / 4, bits);
}

/* printf's exponents have a sign and two digits at least: "1e-05" becomes "1e-5". */
static void shorten_exponent(char *text)
{
    char *e = strchr(text, 'e');
    if (!e)
        return;
    char *to = e + 1;
    const char *from = to;
    if (*from == '-')
        *to++ = *from++;
    else if (*from == '+')
        from++;
    while (*from == '0' && from[1])
        from++;
    memmove(to, from, strlen(from) + 1);
}

static void binary(char *to, size_t size, uint64_t bits, int width)
{
    size_t n = 0;
    for (int i = width - 1; i >= 0 && n + 1 < size; i--)
        to[n++] = bits >> i & 1 ? '1' : '0';
    to[n] = '\0';
}

void text_fields(const struct format *f, uint32_t bits, char sign[2], char exponent[16], char trailing[32])
{
    binary(sign, 2, (uint64_t)format_sign(f, bits), format_has_sign(f));
    binary(exponent, 16, (uint64_t)format_biased_exponent(f, bits), f->exponent_bits);
    binary(trailing, 32, format_trailing(f, bits), f->trailing_bits);
}

void text_double(char *to, size_t size, double x, int digits)
{
    text_format(to, size, "%.*g", digits, x);
    shorten_exponent(to);
}

void text_not_half(char *to, size_t size, double x, double half, int digits)
{
    char tie[32];
    text_double(tie, sizeof tie, half, digits);
    text_double(to, size, x, digits);
    for (int more = digits + 1; more <= 6 && x != half && strcmp(to, tie) == 0; more++)
        text_double(to, size, x, more);
    if (x != half && strcmp(to, tie) == 0)
        text_format(to, size, "%s%s", x < half ? "<" : ">", tie);
}

void text_approximate(char *to, size_t size, const struct exact *x, int digits, bool sign)
{
    double near = fabs(exact_to_double(x));
    bool negative = exact_sign(x) != 0 && !exact_is_zero(x);
    const char *mark = exact_is_zero(x) ? "" : negative ? (sign ? "−" : "-") : sign ? "+" : "";
    char text[64];
    if (exact_is_zero(x) || (near > 1e-300 && near < 1e300)) {
        text_double(text, sizeof text, near, digits);
    } else {
        char *wide = exact_text_short(x, digits, false);
        text_format(text, sizeof text, "%s", wide ? wide + (*wide == '-') : "?");
        free(wide);
    }
    text_format(to, size, "%s%s", mark, text);
}

bool text_power(char *to, size_t size, const struct exact *x)
{
    if (exact_kind(x) != EXACT_FINITE || exact_is_zero(x))
        return false;
    int64_t exponent = exact_exponent(x);
    if (exact_to_wide(x).significand != UINT64_C(1) << 63 || exponent > 1000000000 || exponent < -1000000000)
        return false;
    text_format(to, size, "%s2^%lld", exact_sign(x) ? "-" : "", (long long)exponent);
    return true;
}

void text_power_value(char *to, size_t size, const struct exact *x, int digits)
{
    char value[256];
    text_value(value, sizeof value, x, digits);
    if (text_power(to, size, x))
        text_append(to, size, " = %s", value);
    else
        text_format(to, size, "%s", value);
}

const char *text_tie(enum exact_tie tie)
{
    static const char *const where[] = {[TIE_EXACT] = "exact",
                                        [TIE_BELOW] = "below the tie",
                                        [TIE_TIE] = "a tie",
                                        [TIE_ABOVE] = "above the tie"};
    return where[tie];
}

void text_flags(char *to, size_t size, uint32_t flags)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{FLAG_INEXACT, "inexact"},
                 {FLAG_UNDERFLOW, "underflow"},
                 {FLAG_OVERFLOW, "overflow"},
                 {FLAG_INVALID, "invalid"},
                 {FLAG_DIVIDE_BY_ZERO, "divide by zero"}};
    *to = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (flags & names[i].flag)
            text_append(to, size, "%s%s", *to ? ", " : "", names[i].name);
}
