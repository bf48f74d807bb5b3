/* probe.h: asks the kernels about one value or one update, and says what they answered.
 *
 * The first half gives results as numbers (encodings, flags, exact values), for reports.  The second half
 * gives answers: plain data with every text already made, which can be copied between threads and which
 * screens only place. Encodings come from kernels of the given device; values, errors and ties are exact
 * (exact.h).
 *
 * All texts are UTF-8.  Functions that return bool return false when the device fails or memory runs out,
 * with the reason in error->message and error->column 0. */
#ifndef ULPSCOPE_SRC_PROBE_H
#define ULPSCOPE_SRC_PROBE_H

#include "device.h"
#include "exact.h"
#include "format.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- rounding one value ---- */

struct round_mode_row {
    const char *name;  /* on the command line: "rne" */
    const char *title; /* in IEEE 754: "roundTiesToEven" */
};
extern const struct round_mode_row round_mode_table[ROUND_MODE_COUNT];

/* The mode of that name; false if there is none. */
bool round_mode_find(const char *name, enum round_mode *mode);

extern const char *const nan_rule_names[NAN_RULE_COUNT]; /* "ours", "cuda", "x86" */

/* How a value becomes a format's value. */
struct probe_policy {
    enum round_mode mode;
    bool saturate;
    uint64_t seed;  /* of the random bits of ROUND_SR */
    uint32_t first; /* how many values were asked before: each has random bits of its own */
    bool ftz;       /* tiny results become zeros */
    bool daz;       /* subnormal operands are taken as zeros: for `bits`, values typed as bits */
    enum nan_rule nan;
    int random_bits; /* of ROUND_SR, 1..32; 0: 32 */
};

/* What rounding one exact value to one format gave.  Pointers are owned: see bits_result_clear. */
struct bits_result {
    const struct format *format;
    uint32_t bits;
    uint32_t flags; /* enum round_flag */
    enum format_class class;
    struct exact *value; /* of the encoding */
    struct exact *error; /* value - exact; NULL if either is not finite */
    struct exact *ulp;   /* NULL if the exact value is not finite */
    double error_ulp;    /* where there is an error */
    bool has_tie;        /* the exact value is finite */
    enum exact_tie tie;
    bool has_up, has_down;
    uint64_t up, down; /* nextUp, nextDown */
};

/* Rounds x[0..n-1] to a format in one launch; out[i] gets the result for x[i].  Random words are keyed by
 * (seed, format, first + i).  A value typed as bits of this very format is shown as it is, unconverted.  On
 * false, out holds nothing to clear. */
bool probe_round(struct device *d, struct exact *const *x, size_t n, const struct format *f,
                 const struct probe_policy *policy, struct bits_result *out, struct exact_error *error);
void bits_result_clear(struct bits_result *r);

/* False, and why in error->message, where a format has no code for a value: a NaN in a finite format, zero
 * and negative values in a scale.  probe_round fails with the same message. */
bool probe_fits(const struct exact *x, const struct format *f, struct exact_error *error);

/* ---- explaining an encoding ---- */

/* The decimal with the fewest digits that roundTiesToEven reads as this encoding, the nearest of them to its
 * value; NULL for infinities and NaNs. */
struct exact *probe_shortest(const struct format *f, uint32_t bits);

/* How many significant decimal digits are certain here: every decimal of so many digits near the value
 * survives being stored and read back, because decimals are as far apart as the format's values, or farther.
 * 0 where there is no value, or not one digit is. */
int probe_certain_digits(const struct format *f, uint32_t bits);

/* Why the encoding has its class. */
void probe_class_why(const struct format *f, uint32_t bits, char *to, size_t size);

/* Stochastic rounding of a finite value: how many of the 2^bits random words (1..32) take the neighbour away
 * from zero: the fraction of an ulp x 2^bits, rounded up. */
uint64_t probe_words_away(const struct exact *x, const struct format *f, int bits);

/* The same under a policy: *away of the 2^*bits words; 0 for a value that never moves, and in other modes. */
bool probe_chance_words(struct device *d, const struct exact *x, const struct format *f,
                        const struct probe_policy *policy, uint64_t *away, int *bits,
                        struct exact_error *error);

/* The same as a text: "131072 / 2^32 = 1 / 2^15"; "" for a value that never moves under the policy, and in
 * other modes. */
bool probe_chance(struct device *d, const struct exact *x, const struct format *f,
                  const struct probe_policy *policy, char *to, size_t size, struct exact_error *error);

struct bits_explanation {
    struct exact *shortest; /* probe_shortest */
    int certain_digits;
    bool has_interval;        /* some reals round to the encoding under the policy: those from low to high, */
    struct exact *low, *high; /* NULL: infinite */
    bool low_closed, high_closed;         /* whether the ends belong to it */
    uint32_t raw_plus_one, raw_minus_one; /* the encoding as an integer +-1: not nextUp and nextDown */
};
bool probe_explain(const struct format *f, uint32_t bits, const struct probe_policy *policy,
                   struct bits_explanation *out);
void bits_explanation_clear(struct bits_explanation *e);

/* What the value would become through FP32 or FP64 first, each to nearest even, and then to the format under
 * the policy: differs from a single rounding where rounding twice does.  Of finite values; false with the
 * reason where the first rounding makes something that the format has no code for. */
bool probe_via(struct device *d, const struct exact *x, const struct format *f,
               const struct probe_policy *policy, uint32_t *through_fp32, uint32_t *through_fp64,
               struct exact_error *error);

/* The value of an encoding rounded to format g and back: what the other format loses.  False with the reason
 * where g (or f, coming back) has no code for it, too. */
bool probe_through(struct device *d, const struct format *f, uint32_t bits, const struct format *g,
                   const struct probe_policy *policy, uint32_t *there, uint32_t *back,
                   struct exact_error *error);

/* The same with what is lost on the way. */
struct probe_trip {
    char reason[160]; /* why there is no such way; then nothing else is filled */
    uint32_t there, back;
    struct exact *lost; /* back - value, to be freed; NULL where either is not finite */
};

/* False if the device failed; a format without a code for the value is a reason, not a failure. */
bool probe_trip(struct device *d, const struct format *f, uint32_t bits, const struct format *g,
                const struct probe_policy *policy, struct probe_trip *out, struct exact_error *error);

/* Through FP32 [0] and FP64 [1] first, as probe_via, and whether that differs from `bits`: never for values
 * that were typed as bits, or are not finite. */
struct probe_twice {
    bool differs[2];
    uint32_t bits[2];
};
struct probe_twice probe_twice(struct device *d, const struct exact *x, const struct format *f, uint32_t bits,
                               const struct probe_policy *policy);

/* ---- updates ---- */

struct update_scheme {
    const char *name;      /* "bf16+kahan" */
    enum format_id format; /* of the weight */
    enum update_scheme_kind kind;
};
enum { UPDATE_SCHEMES = 9, UPDATE_STEPS_MAX = 10000000 };
extern const struct update_scheme update_scheme_table[UPDATE_SCHEMES];

/* Index of the scheme of that name, or -1. */
int update_scheme_find(const char *name);

struct update_question {
    const struct exact *w, *delta; /* finite */
    int64_t steps;                 /* 1..UPDATE_STEPS_MAX */
    uint64_t seed;
    uint32_t schemes; /* bit i: row i of update_scheme_table */
};

struct update_result {
    const struct update_scheme *scheme;
    const struct format *held; /* the format of what the update rule holds: the master's with +master */
    uint32_t start;            /* encoding at the start, in that format */
    float delta;               /* as the kernels hold it */
    uint32_t delta_in_format;  /* what `held` would make of it */
    struct update_outcome outcome;
    struct exact *threshold; /* NULL for stochastic rounding, and where the start is not finite */
    bool threshold_moves;
    struct exact
        *spacing;     /* to the neighbour on the side to which w moves; NULL where the start is not finite */
    double delta_ulp; /* delta / spacing */
};

/* Fills out[i] for every scheme asked for, in the order of the table, and their number in *count. */
bool probe_update(struct device *d, const struct update_question *q, struct update_result *out, size_t *count,
                  struct exact_error *error);
void update_result_clear(struct update_result *r);

/* ---- answers: bits ---- */

enum {
    TEXT_HEX = 16,    /* an encoding */
    TEXT_SHORT = 48,  /* a number of some 12 digits, a few words */
    TEXT_VALUE = 192, /* a number of some 60 digits */
    TEXT_LINE = 320   /* a sentence or two */
};

/* An encoding and its fields. */
struct field_view {
    const struct format *format;
    char hex[TEXT_HEX], sign[2], exponent[16], trailing[32], value[TEXT_SHORT];
};
void probe_field(const struct format *f, uint32_t bits, int digits, struct field_view *to);

/* Two neighbours of a format and the exact value between them. */
struct number_line {
    bool valid; /* the exact value is finite */
    char low_hex[TEXT_HEX], low[TEXT_SHORT];
    char high_hex[TEXT_HEX], high[TEXT_SHORT];
    char tie[TEXT_SHORT];
    char exact[TEXT_SHORT];
    double position; /* of the exact value: 0 = low, 1 = high, clamped there */
    int stored;      /* 0: low is stored, 1: high, -1: neither */
    bool alone;      /* no other real rounds to what is stored */
    char text[TEXT_LINE];
};

/* What flipping one bit of the encoding would give. */
struct bits_flip {
    char role[TEXT_SHORT]; /* "sign", "exponent, x 2^4", "weight 2^-1" */
    char hex[TEXT_HEX];
    char value[TEXT_SHORT];
};

/* The value of an encoding rounded to another format and back. */
struct bits_through {
    char name[TEXT_HEX];
    char reason[TEXT_SHORT]; /* why that cannot be; then the others are "" */
    char there_hex[TEXT_HEX], there[TEXT_SHORT];
    char back_hex[TEXT_HEX], back[TEXT_SHORT];
    bool unchanged;
    char lost[TEXT_SHORT]; /* back - value; "" where either is not finite */
};

/* A value under one policy. */
struct policy_cell {
    const char *name; /* of the mode, or of the NaN rule */
    struct probe_policy policy;
    bool chosen; /* the mode (the rule) in force */
    uint32_t bits;
    char hex[TEXT_HEX], value[TEXT_SHORT];
};

/* Every mode (of a NaN: every rule), the rest of the policy alike. */
struct policy_group {
    const char *label; /* "not saturating", "saturating", "FTZ/DAZ on", "NaN rule" */
    int count;
    struct policy_cell cells[ROUND_MODE_COUNT];
};

/* A value under every policy, side by side: first with all but the mode as set; then saturating where it was
 * not (or the other way round), and with FTZ and DAZ switched, each where that changes anything. */
struct bits_policies {
    int count;
    struct policy_group groups[3];
    char note[TEXT_LINE]; /* what makes no difference here, or "" */
};

enum { BITS_ROWS = 12 }; /* formats shown at a time, at most */

/* What else is worth knowing about an encoding; "" where it does not apply. */
struct bits_more {
    char class_why[TEXT_LINE];
    char shortest[TEXT_SHORT],
        digits[TEXT_HEX];                      /* shortest round-trip decimal, how many digits are certain */
    char plus_hex[TEXT_HEX], plus[TEXT_SHORT]; /* the encoding as an integer + 1: not nextUp */
    char minus_hex[TEXT_HEX], minus[TEXT_SHORT];
    char via[2][TEXT_SHORT];  /* through FP32, FP64 first, where that differs: "0x3c01 = 1.0009765625" */
    char percent[TEXT_SHORT]; /* the chance that follows: "0.003052 %" */
    char chance[TEXT_SHORT];  /* stochastic rounding away from zero: "131072 / 2^32 = 1 / 2^15" */
    struct bits_policies policies;
    int through_count;
    struct bits_through through[BITS_ROWS];
};

/* Fills the table above for a value that the format has a code for. */
bool probe_policies(struct device *d, struct exact *x, const struct format *f,
                    const struct probe_policy *policy, struct bits_policies *out, struct exact_error *error);

struct bits_row {
    const struct format *format;
    char reason[TEXT_SHORT];       /* why the format has no code for the value: then nothing else is filled */
    char policy[TEXT_VALUE];       /* how it was rounded, in words, true of this format */
    char policy_brief[TEXT_VALUE]; /* the same, shorter */
    struct bits_more more;         /* by probe_bits_list only */
    uint32_t bits;
    char hex[TEXT_HEX];
    char sign[2], exponent[16], trailing[32]; /* the fields as binary digits */
    enum format_class class;
    char class_text[TEXT_SHORT]; /* "normal", "quiet NaN" */
    char value[TEXT_VALUE];      /* exact, or its first 60 digits */
    char scientific[TEXT_VALUE]; /* "2^-1 × 1.99997997283935546875" */
    char hexfloat[TEXT_SHORT];
    char error[TEXT_SHORT];          /* "−1.358e-8", "0"; "–" where there is none, as in the next two */
    char relative_error[TEXT_SHORT]; /* error / exact value */
    char error_ulp[TEXT_SHORT];      /* "−0.228 ulp" */
    char tie[TEXT_SHORT];            /* "below the tie: rounds down" */
    char flags[TEXT_SHORT];          /* "inexact, underflow", or "" */
    char up_hex[TEXT_HEX], up[TEXT_SHORT]; /* "" where there is no such value */
    char down_hex[TEXT_HEX], down[TEXT_SHORT];
    struct number_line line;
    char interval[TEXT_VALUE]; /* all reals that round to the stored value: "[0.9997558…, 1.00048828125]" */
    struct bits_flip flips[32]; /* by bit, 0 = the last one; `width` of them */
    char why[3][TEXT_LINE];     /* "" where there is nothing more to say */
};

struct bits_answer {
    char input[TEXT_VALUE];  /* as typed, cut if it is long */
    char exact[TEXT_VALUE];  /* its value, exact or its first 60 digits */
    char binade[TEXT_SHORT]; /* "[2^-1, 2^0)", or "" */
    char rounding[TEXT_SHORT];
    char overflow[TEXT_SHORT]; /* "overflow → inf", "overflow saturates" */
    int count;
    struct bits_row rows[BITS_ROWS]; /* of the formats asked; probe_bits: fp32, fp16, bf16 */
};

/* The same for any formats, at most BITS_ROWS, with all that is worth knowing.  A format that has no code for
 * the value says so in its row. */
bool probe_bits_list(struct device *d, const char *value_text, const struct format *const *formats, int count,
                     const struct probe_policy *policy, struct bits_answer *out, struct exact_error *error);

/* How a format takes values under a policy, in words: "roundTiesToEven · fp16: overflow → inf, subnormals
 * kept, NaN quiet". */
void probe_policy_words(const struct format *f, const struct probe_policy *policy, char *to, size_t size);
/* The same with the mode's short name: "rne · fp16: …", "sr, 8 bits · fp16: …". */
void probe_policy_brief(const struct format *f, const struct probe_policy *policy, char *to, size_t size);

/* Answers about a value as typed.  False with *error filled for text that is no value, too. */
bool probe_bits(struct device *d, const char *value_text, const struct probe_policy *policy,
                struct bits_answer *out, struct exact_error *error);

/* The answer without its rows. */
void probe_bits_head(const char *value_text, const struct exact *x, const struct probe_policy *policy,
                     struct bits_answer *out);

/* One row, of any format: x is the value of the text. */
bool probe_bits_row(struct device *d, const char *value_text, struct exact *x, const struct format *f,
                    const struct probe_policy *policy, struct bits_row *out, struct exact_error *error);

/* ---- answers: update ---- */

enum update_verdict { VERDICT_MOVED, VERDICT_LOST, VERDICT_MASTER_MOVED, VERDICT_CHANCE, VERDICT_KEPT };

struct update_row {
    const struct update_scheme *scheme;
    char delta[TEXT_SHORT];                      /* Δ in the format that the rule holds */
    char delta_ulp[TEXT_SHORT];                  /* "168 (down)", "168 (in fp32)" */
    char threshold[TEXT_SHORT];                  /* "2^-12  0.000244", "p = 0.00256" */
    char after_hex[TEXT_HEX], after[TEXT_SHORT]; /* w after one update */
    enum update_verdict verdict;
    char verdict_text[TEXT_SHORT];
    char start_hex[TEXT_HEX], start[TEXT_SHORT]; /* w before */
    struct number_line line;                     /* where the exact target w - Δ falls in the format held */
    int64_t moved, lost, first_move;             /* of `steps` updates; first_move 0: none moved */
    char last_hex[TEXT_HEX], last[TEXT_SHORT];   /* w after all of them */
    char master_hex[TEXT_HEX], master[TEXT_SHORT]; /* the master then; "" without one */
    char drift_text[TEXT_SHORT];                   /* "1  never moved" */
    double drift[UPDATE_SAMPLES]; /* w (the master) after update ceil((i + 1) steps / UPDATE_SAMPLES) */
};

struct update_answer {
    char w[TEXT_VALUE], delta[TEXT_VALUE]; /* exact */
    char target[TEXT_SHORT];               /* w - Δ, exact */
    char exact[TEXT_SHORT];                /* w - steps x Δ, exact */
    double start, end;                     /* of the exact line: w and `exact`, for axes */
    int64_t steps;
    size_t count;
    struct update_row rows[UPDATE_SCHEMES];
};

/* Values as typed.  `delta`, or `lr` and `grad` (then delta is NULL).  *error says which text is wrong by its
 * column there, and *which gets "w", "delta", "lr" or "grad". */
struct update_texts {
    const char *w, *delta, *lr, *grad;
    int64_t steps;
    uint64_t seed;
    uint32_t schemes;
};
bool probe_update_answer(struct device *d, const struct update_texts *texts, struct update_answer *out,
                         struct exact_error *error, const char **which);

/* Reads the texts: *w and *delta are to be freed.  The command line shares it. */
bool probe_update_read(const struct update_texts *texts, struct exact **w, struct exact **delta,
                       struct exact_error *error, const char **which);

#endif
