/* calc.h: expressions whose every operation is rounded to a format.
 *
 *   sum      = product { ("+" | "-") product }
 *   product  = factor { ("*" | "/") factor }
 *   factor   = { sign } primary [ "^" factor ]
 *   primary  = "(" sum ")" | "fma(" sum "," sum "," sum ")" | "sqrt(" sum ")" | number
 *
 * A number is an operand of VALUE's grammar, inf and nan too; with signs before it and integer powers (2^-24)
 * it is one operand, evaluated exactly and rounded once.  A power of something computed is repeated
 * multiplication from left to right, 1 / that for a negative exponent.  A minus before something computed is
 * exact: it changes the sign. */
#ifndef ULPSCOPE_SRC_CALC_H
#define ULPSCOPE_SRC_CALC_H

#include "probe.h"

struct calc; /* an expression; opaque */

struct calc *calc_parse(const char *text, struct exact_error *error);
void calc_free(struct calc *c); /* NULL is allowed */

/* The exact value of the whole; NULL where it has none, is irrational or too large to hold. */
struct exact *calc_exact(const struct calc *c);

extern const char *const calc_op_names[ARITHMETIC_OP_COUNT]; /* "+", "-", "*", "/", "fma", "sqrt" */

/* How many operands an operation takes. */
int calc_operands(enum arithmetic_op op);

struct calc_step {
    enum arithmetic_op op;
    uint32_t operand[3]; /* encodings */
    struct exact *exact; /* of the operation on these operands; NULL where it has no value or is irrational */
    bool irrational;     /* an inexact square root */
    double approximate;  /* then */
    uint32_t bits, flags;
    bool has_tie;
    enum exact_tie tie;
    /* What rounding to FP32 or FP64 first (roundTiesToEven) and then to the format would give, where that
     * differs: double rounding. */
    bool differs_via_fp32, differs_via_fp64;
    uint32_t via_fp32, via_fp64;
};

struct calc_result {
    const struct format *format;
    struct calc_step *steps;
    size_t count;
    uint32_t bits;
    struct exact *value;
    struct exact *error; /* value - exact; NULL where either has no finite value */
};

/* CALC_NO_VALUE: a step has a result that the format has no code for; *error says which. */
enum calc_status { CALC_DONE, CALC_NO_VALUE, CALC_FAILED };

/* Computes it in a format, innermost first, from left to right; `exact` is calc_exact's.  Random words are
 * keyed by (seed, format, step).  *out is to be cleared if CALC_DONE. */
enum calc_status calc_run(struct device *d, const struct calc *c, const struct exact *exact,
                          const struct format *f, const struct probe_policy *policy, struct calc_result *out,
                          struct exact_error *error);
void calc_result_clear(struct calc_result *r);

/* ---- one addition as on a blackboard ---- */

enum { CALC_DIGITS = 96 };

/* a + b or a - b of finite values, the larger magnitude first, digit under digit: column i of every row of
 * digits has the weight 2^(top - i).  Rows are as long as the longest one needs, or cut at CALC_DIGITS - 1
 * with `more`. */
struct calc_answer {
    bool valid; /* both operands finite, and an addition or subtraction */
    const struct format *format;
    char op;                             /* '+' or '-', as asked */
    bool swapped;                        /* the second operand has the larger magnitude */
    bool subtracts;                      /* the signs make it a difference of magnitudes */
    char a_hex[TEXT_HEX], a[TEXT_SHORT]; /* as they are after rounding, in the order asked */
    char b_hex[TEXT_HEX], b[TEXT_SHORT];
    int top; /* weight of the first column: one above the larger operand */
    char larger[CALC_DIGITS], smaller[CALC_DIGITS]; /* significands, aligned */
    char exact[CALC_DIGITS];                        /* the exact sum or difference of the magnitudes */
    char kept[CALC_DIGITS];                         /* what is stored: its columns up to the last place */
    bool more;                                      /* digits go on beyond the rows */
    int last;                                       /* column of the result's last place */
    int shift;                                      /* places that the smaller one moved to the right */
    int guard, round, sticky;                       /* of the exact result below the last place: 0 or 1 */
    bool carry;    /* the exact sum is a place longer than the larger operand */
    int cancelled; /* leading places that the difference lost */
    char exact_text[TEXT_SHORT];
    char result_hex[TEXT_HEX], result[TEXT_SHORT];
    char tie[TEXT_SHORT], flags[TEXT_SHORT];
    char text[TEXT_LINE]; /* what happened, in words */
};

/* a and b as typed (VALUE), each rounded to the format first. */
bool calc_answer(struct device *d, const char *a, char op, const char *b, const struct format *f,
                 const struct probe_policy *policy, struct calc_answer *out, struct exact_error *error);

#endif
