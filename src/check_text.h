/* check_text.h: long texts of values near the ties of a format, and how MPFR reads and rounds them.  Nothing
 * here is used outside selftest: it is what the parser and the rounding kernels are compared with. */
#ifndef ULPSCOPE_SRC_CHECK_TEXT_H
#define ULPSCOPE_SRC_CHECK_TEXT_H

#include "exact.h"
#include "format.h"
#include "kernels.h"
#include <stdbool.h>
#include <stdint.h>

enum { CHECK_TEXT_DIGITS = 1000, CHECK_TEXT_SIZE = 1200 };

struct check_text {
    int base; /* 10 or 16 */
    bool negative;
    char text[CHECK_TEXT_SIZE];
};

/* Text number `index` of a format: always the same one.  It is a finite value, not zero, and not negative in a
 * format without sign. */
void check_text_make(const struct format *f, uint64_t index, struct check_text *out);

struct check_text_rounded {
    bool valid;       /* MPFR could read it */
    uint32_t bits[2]; /* the encoding; [1] saturating */
    bool has_tie;     /* roundTiesToAway finds out the tie class as well, but for a scale */
    enum exact_tie tie;
};

/* The text rounded once to the format in one of the five IEEE modes. */
struct check_text_rounded check_text_round(const struct check_text *t, const struct format *f,
                                           enum round_mode mode);

/* Frees what MPFR keeps for this thread. */
void check_text_end(void);

#endif
