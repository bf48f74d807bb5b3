/* exact_parser.h: what the grammar (exact_parse.c) and its operands (exact_literal.c) share. */
#ifndef ULPSCOPE_SRC_EXACT_PARSER_H
#define ULPSCOPE_SRC_EXACT_PARSER_H

#include "exact_internal.h"

struct exact_parser {
    const char *text;
    size_t at;
    int depth;
    int64_t work; /* nominal nanoseconds so far */
    struct exact_error *error;
};

char exact_peek(const struct exact_parser *p);
void exact_skip_spaces(struct exact_parser *p);

/* Character classes of ASCII: the locale must not change a value. */
bool exact_is_digit(char c);
bool exact_is_letter(char c);

/* Sets the error; returns NULL, for the caller to return. */
__attribute__((format(printf, 3, 4))) struct exact *exact_fail(struct exact_parser *p, size_t column,
                                                               const char *message, ...);

struct exact *exact_fail_too_large(struct exact_parser *p, size_t column);

/* Counts work; false, and the error set, when the text asks for too much of it. */
bool exact_spend(struct exact_parser *p, size_t column, int64_t nanoseconds);

/* Reads an operand without parentheses: a number, bits, a constant, inf or nan.  Infinities, NaNs, typed bits
 * and the sign of zeros are as written. */
struct exact *exact_parse_atom(struct exact_parser *p);

#endif
