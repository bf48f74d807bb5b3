/* exact_literal.c: the operands of the VALUE grammar: decimals, hex floats, bits and constants of formats. */
#include "exact_parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_SIZE = 32,
    EXPONENT_DIGITS = 600, /* of a literal; below EXACT_E5_BITS */
    LITERAL_BITS = EXACT_SIZE_LIMIT,
    WORK_LIMIT = 80 * 1000 * 1000,
};

bool exact_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool exact_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
    return exact_is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
    return exact_is_letter(c) || exact_is_digit(c) || c == '_';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

char exact_peek(const struct exact_parser *p)
{
    return p->text[p->at];
}

void exact_skip_spaces(struct exact_parser *p)
{
    while (exact_peek(p) == ' ' || (exact_peek(p) >= '\t' && exact_peek(p) <= '\r')) {
        p->at++;
    }
}

struct exact *exact_fail(struct exact_parser *p, size_t column, const char *message, ...)
{
    va_list arguments;
    va_start(arguments, message);
    p->error->column = column;
    vsnprintf(p->error->message, sizeof p->error->message, message, arguments);
    va_end(arguments);
    return NULL;
}

struct exact *exact_fail_too_large(struct exact_parser *p, size_t column)
{
    return exact_fail(p, column, "too large to evaluate exactly");
}

bool exact_spend(struct exact_parser *p, size_t column, int64_t nanoseconds)
{
    p->work += nanoseconds;
    if (p->work > WORK_LIMIT) {
        exact_fail_too_large(p, column);
        return false;
    }
    return true;
}

/* Digits of a literal, without its point: [from, to) of the text. */
struct digits {
    size_t from, to;
    size_t significant; /* without the zeros at both ends */
    int64_t places;     /* value = significant digits as an integer / base^places */
};

/* Reads digits with at most one point; false if there is no digit. */
static bool scan_digits(struct exact_parser *p, bool (*accept)(char), struct digits *out)
{
    bool point = false, any = false;
    size_t zeros = 0; /* at the end so far */
    *out = (struct digits){.from = p->at};
    for (;; p->at++) {
        char c = exact_peek(p);
        if (c == '.' && !point) {
            point = true;
        } else if (accept(c)) {
            any = true;
            zeros = c == '0' ? zeros + 1 : 0;
            out->places += point;
            out->significant += out->significant > 0 || c != '0';
        } else {
            break;
        }
    }
    out->to = p->at;
    if (out->significant > 0) {
        out->significant -= zeros;
        out->places -= (int64_t)zeros;
    }
    return any;
}

/* The significant digits as an integer. */
static bool digits_to_integer(struct exact_parser *p, const struct digits *d, int base, mpz_t n)
{
    size_t bits =
        d->significant < LITERAL_BITS ? d->significant * (base == 16 ? 12 : 10) / 3 : LITERAL_BITS + 1;
    if (bits > LITERAL_BITS) {
        exact_fail_too_large(p, d->from);
        return false;
    }
    if (!exact_spend(p, d->from, (int64_t)bits * 12)) {
        return false;
    }
    char *buffer = malloc(d->significant + 2);
    if (!buffer) {
        exact_fail(p, d->from, "out of memory");
        return false;
    }
    size_t count = 0;
    for (size_t i = d->from; count < d->significant; i++) {
        if (p->text[i] != '.' && (count > 0 || p->text[i] != '0')) {
            buffer[count++] = p->text[i];
        }
    }
    buffer[count] = '\0';
    mpz_set_ui(n, 0);
    if (count > 0) {
        mpz_set_str(n, buffer, base);
    }
    free(buffer);
    return true;
}

/* Reads [marker][+-]digits into `exponent`, 0 where there is none (then the marker is left unread). */
static bool scan_exponent(struct exact_parser *p, char marker, bool zero, mpz_t exponent)
{
    size_t start = p->at, from = p->at + 1;
    if (lower(exact_peek(p)) != marker) {
        return true;
    }
    bool negative = p->text[from] == '-';
    from += negative || p->text[from] == '+';
    if (!exact_is_digit(p->text[from])) {
        return true;
    }
    while (p->text[from] == '0') {
        from++;
    }
    size_t to = from;
    while (exact_is_digit(p->text[to])) {
        to++;
    }
    p->at = to;
    if (to - from > EXPONENT_DIGITS) {
        if (!zero) {
            exact_fail_too_large(p, start);
        }
        return zero;
    }
    char buffer[EXPONENT_DIGITS + 2] = "0";
    if (to > from) {
        memcpy(buffer, p->text + from, to - from);
        buffer[to - from] = '\0';
    }
    mpz_set_str(exponent, buffer, 10);
    if (negative) {
        mpz_neg(exponent, exponent);
    }
    return true;
}

static struct exact *parse_number(struct exact_parser *p)
{
    size_t start = p->at;
    bool hex = exact_peek(p) == '0' && lower(p->text[p->at + 1]) == 'x';
    struct digits digits;
    p->at += hex ? 2 : 0;
    if (!scan_digits(p, hex ? is_hex : exact_is_digit, &digits)) {
        return exact_fail(p, hex ? p->at : start, "not a number");
    }
    struct exact_term t;
    exact_term_init(&t);
    struct exact *x = NULL;
    bool ok = digits_to_integer(p, &digits, hex ? 16 : 10, t.n) &&
              scan_exponent(p, hex ? 'p' : 'e', mpz_sgn(t.n) == 0, t.e2);
    if (ok) {
        mpz_t places;
        mpz_init_set_si(places, digits.places * (hex ? 4 : 1));
        mpz_sub(t.e2, t.e2, places);
        if (!hex) {
            mpz_set(t.e5, t.e2);
        }
        mpz_clear(places);
        x = exact_from_term(&t);
        if (!x) {
            exact_fail_too_large(p, start);
        }
    }
    exact_term_clear(&t);
    return x;
}

static const struct format *find_format(const char *name)
{
    static const char *const binary64_names[] = {"fp64", "float64", "double", "binary64", "f64"};
    for (size_t i = 0; i < sizeof binary64_names / sizeof binary64_names[0]; i++) {
        if (strcmp(name, binary64_names[i]) == 0) {
            return &exact_binary64;
        }
    }
    return format_find(name);
}

/* "0x3c00" or "0b0011": an encoding.  What is shorter than the format is filled up with zeros on the left. */
static struct exact *parse_bits(struct exact_parser *p, const struct format *f)
{
    size_t start = p->at;
    char base = lower(exact_peek(p) == '0' ? p->text[p->at + 1] : '\0');
    if (base != 'x' && base != 'b') {
        return exact_fail(p, start, "bits begin with 0x or 0b");
    }
    int digit_bits = base == 'x' ? 4 : 1;
    uint64_t bits = 0;
    bool wide = false, any = false;
    for (p->at += 2; base == 'x' ? is_hex(exact_peek(p)) : exact_peek(p) == '0' || exact_peek(p) == '1';
         p->at++) {
        char c = lower(exact_peek(p));
        uint64_t digit = (uint64_t)(exact_is_digit(c) ? c - '0' : c - 'a' + 10);
        wide = wide || bits >> (64 - digit_bits);
        bits = bits << digit_bits | digit;
        any = true;
    }
    if (!any) {
        return exact_fail(p, p->at, "not a number");
    }
    if (wide || (f->width < 64 && bits >> f->width)) {
        return exact_fail(p, start, "too wide for %s", f->name);
    }
    struct exact *x = exact_decode(f, bits);
    if (!x) {
        return exact_fail(p, start, "out of memory");
    }
    x->typed = true;
    x->typed_format = f == &exact_binary64 ? NULL : f;
    x->typed_bits = bits;
    return x;
}

/* Reads a word in lower case.  A word longer than the buffer is cut, and then no name. */
static void scan_word(struct exact_parser *p, char word[NAME_SIZE])
{
    size_t n = 0;
    for (; is_word(exact_peek(p)); p->at++) {
        if (n < NAME_SIZE - 1) {
            word[n++] = lower(exact_peek(p));
        }
    }
    word[n] = '\0';
}

static struct exact *parse_constant(struct exact_parser *p, const struct format *f)
{
    size_t start = p->at;
    char word[NAME_SIZE];
    scan_word(p, word);
    struct exact *x = NULL;
    if (strcmp(word, "max") == 0) {
        x = exact_decode(f, format_max(f));
    } else if (strcmp(word, "min_normal") == 0) {
        x = exact_decode(f, format_min_normal(f));
    } else if (strcmp(word, "min_subnormal") == 0) {
        if (!format_has_zero(f)) {
            return exact_fail(p, start, "%s has no subnormals", f->name);
        }
        x = exact_decode(f, format_min_subnormal(f));
    } else if (strcmp(word, "ulp_1") == 0) {
        struct exact *one = exact_from_double(1);
        x = one ? exact_ulp(one, f) : NULL;
        exact_free(one);
    } else {
        return exact_fail(p, start, "unknown constant (max, min_normal, min_subnormal, ulp_1)");
    }
    return x ? x : exact_fail(p, start, "out of memory");
}

/* inf, nan, or what belongs to a format. */
static struct exact *parse_word(struct exact_parser *p)
{
    size_t start = p->at;
    char word[NAME_SIZE];
    scan_word(p, word);
    if (exact_peek(p) == ':' || exact_peek(p) == '.') {
        const struct format *f = find_format(word);
        if (!f) {
            return exact_fail(p, start, "unknown format '%s'", word);
        }
        p->at++;
        return p->text[p->at - 1] == ':' ? parse_bits(p, f) : parse_constant(p, f);
    }
    bool infinite = strcmp(word, "inf") == 0 || strcmp(word, "infinity") == 0;
    if (!infinite && strcmp(word, "nan") != 0) {
        return exact_fail(p, start, "not a number");
    }
    struct exact *x = exact_new();
    if (!x) {
        return exact_fail(p, start, "out of memory");
    }
    x->kind = infinite ? EXACT_INFINITE : EXACT_NAN;
    x->payload = infinite ? 0 : UINT64_C(1) << 63;
    return x;
}

/* An operand without parentheses, specials and the sign of zeros included. */
struct exact *exact_parse_atom(struct exact_parser *p)
{
    char c = exact_peek(p);
    if (exact_is_digit(c) || c == '.') {
        return parse_number(p);
    }
    if (exact_is_letter(c)) {
        return parse_word(p);
    }
    bool wrong_start = c && !strchr("+-*/^)", c);
    return exact_fail(p, p->at, wrong_start ? "not a number" : "a value is missing");
}
