/* probe_text.h: small texts about numbers, into fixed buffers; what does not fit is cut between characters.
 */
#ifndef ULPSCOPE_SRC_PROBE_TEXT_H
#define ULPSCOPE_SRC_PROBE_TEXT_H

#include "exact.h"
#include "format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* snprintf that never leaves half a UTF-8 character at the end. */
void text_format(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same, appended to the text that is there. */
void text_append(char *to, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The value in at most `digits` significant digits, exact where it fits (exact_text_short). */
void text_value(char *to, size_t size, const struct exact *x, int digits);
void text_bits_value(char *to, size_t size, const struct format *f, uint32_t bits, int digits);

/* An encoding in hexadecimal, padded to its width: "0x3c00". */
void text_hex(char *to, size_t size, const struct format *f, uint32_t bits);

/* Its fields as binary digits; the sign is "" where the format has none. */
void text_fields(const struct format *f, uint32_t bits, char sign[2], char exponent[16], char trailing[32]);

/* A number rounded to `digits` significant digits: "1.358e-8", "0.0205", "168". */
void text_double(char *to, size_t size, double x, int digits);

/* The same for a share of a step, where a half means a tie: what is no half takes more digits rather than to
 * look like one. */
void text_not_half(char *to, size_t size, double x, double half, int digits);

/* An exact number rounded to `digits` digits, also where it is beyond a double; with a sign ("+", "−") if
 * `sign`. */
void text_approximate(char *to, size_t size, const struct exact *x, int digits, bool sign);

/* "2^-12" if |x| is a power of two (with "-" in front if x is negative), and true; else false. */
bool text_power(char *to, size_t size, const struct exact *x);

/* The names of exceptions (enum round_flag): "inexact, underflow", or "". */
void text_flags(char *to, size_t size, uint32_t flags);

/* Where a value lies between its neighbours: "exact", "below the tie", "a tie", "above the tie". */
const char *text_tie(enum exact_tie tie);

/* "2^-12 = 0.000244140625", or the value alone where it is no power of two. */
void text_power_value(char *to, size_t size, const struct exact *x, int digits);

#endif
