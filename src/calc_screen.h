/* calc_screen.h: what a screen says about an expression: its result in every format shown, the steps, and the
 * last addition as on a blackboard.  Plain data, as the answers of probe.h. */
#ifndef ULPSCOPE_SRC_CALC_SCREEN_H
#define ULPSCOPE_SRC_CALC_SCREEN_H

#include "calc.h"

enum { CALC_SCREEN_STEPS = 16 };

struct calc_line {
    char operation[TEXT_VALUE]; /* "1 (0x3c00) + -1.001358032226e-5 (0x80a8)" */
    char ratio[TEXT_HEX];   /* "1/3", where its exact result has no finite decimal and is short; else "" */
    char exact[TEXT_SHORT]; /* its exact result, or its first digits; "–" where there is none */
    char tie[TEXT_SHORT];   /* "above the tie" */
    char hex[TEXT_HEX], value[TEXT_SHORT];
    char flags[TEXT_SHORT];   /* "inexact" */
    char via[TEXT_SHORT * 2]; /* "through FP32 first: 0x3c01", or that rounding twice gives the same */
    bool via_differs;
};

/* What goes into an operation, and what comes out. */
struct calc_field {
    char name[TEXT_HEX]; /* "a", "result" */
    struct field_view field;
    char class[TEXT_SHORT];
};

struct calc_row {
    const struct format *format;
    char reason[TEXT_VALUE]; /* why the format has no result; "" if it has one */
    char hex[TEXT_HEX], value[TEXT_SHORT];
    char error[TEXT_SHORT]; /* result - exact: "+1e-5", "0"; "–" where there is none */
    char flags[TEXT_SHORT]; /* of all steps */
    int steps;              /* all of them; the first CALC_SCREEN_STEPS are in lines */
    struct calc_line lines[CALC_SCREEN_STEPS];
    int field_count;
    struct calc_field fields[4]; /* of the last step: its operands and its result */
    struct calc_answer board;    /* the last step, if it adds or subtracts finite values: else not valid */
};

struct calc_screen {
    bool shown;
    char text[TEXT_LINE];   /* the expression */
    char ratio[TEXT_SHORT]; /* "2/3": exact, where that has no finite decimal and is short; else "" */
    char exact[TEXT_VALUE]; /* of the whole, exact or its first 60 digits; "–" where there is none */
    int count;
    struct calc_row rows[BITS_ROWS];
};

/* Fills the answer for every format.  A format that has no code for a result says so in its row; false with
 * *error filled for text that is no expression and where the device fails. */
bool calc_screen(struct device *d, const char *text, const struct format *const *formats, int count,
                 const struct probe_policy *policy, struct calc_screen *out, struct exact_error *error);

#endif
