/* format.h: the binary floating-point formats, as data.
 *
 * One row of FORMAT_TABLE describes a format completely; kernels, panels, the command line and the tests all
 * read it from here.  To add a format, add a row.  Terms follow IEEE 754-2019 clause 3: a value is
 * (-1)^S x 2^(E-bias) x 1.T, with precision p = trailing bits + 1, emax = bias and emin = 1 - emax. */
#ifndef ULPSCOPE_GPU_FORMAT_H
#define ULPSCOPE_GPU_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* What the largest biased exponent is used for. */
enum format_specials {
    FORMAT_INF_NAN, /* IEEE 754: T = 0 is infinity, anything else NaN; the first bit of T tells quiet from
                       signaling */
};

/*       id    name    title       E   T   specials        accepted besides the name */
#define FORMAT_TABLE(X)                                                                                      \
    X(FP32, "fp32", "binary32", 8, 23, FORMAT_INF_NAN, "float32 float single binary32 f32")                  \
    X(FP16, "fp16", "binary16", 5, 10, FORMAT_INF_NAN, "float16 half binary16 f16")                          \
    X(BF16, "bf16", "bfloat16", 8, 7, FORMAT_INF_NAN, "bfloat16 brain16")

enum format_id {
#define FORMAT_ENUM(id, ...) FORMAT_##id,
    FORMAT_TABLE(FORMAT_ENUM)
#undef FORMAT_ENUM
        FORMAT_COUNT
};

struct format {
    const char *name;    /* as on the command line: "fp16" */
    const char *title;   /* as in the standard: "binary16" */
    const char *aliases; /* other accepted names, separated by spaces */
    int width;           /* bits of an encoding */
    int exponent_bits;
    int trailing_bits; /* bits of the trailing significand field T */
    int precision;     /* p = trailing_bits + 1 */
    int bias;
    int emax; /* exponent of the largest finite value */
    int emin; /* exponent of the smallest normal value */
    enum format_specials specials;
};

/* The class of an encoding (IEEE 754-2019 clause 5.7.2, signs left out). */
enum format_class {
    CLASS_ZERO,
    CLASS_SUBNORMAL,
    CLASS_NORMAL,
    CLASS_INFINITE,
    CLASS_QUIET_NAN,
    CLASS_SIGNALING_NAN,
};

extern const struct format format_table[FORMAT_COUNT];

/* The format of that name or alias (case does not matter), or NULL. */
const struct format *format_find(const char *name);

/* Fields of an encoding of `f`; bits above the width must be zero. */
int format_sign(const struct format *f, uint64_t bits);
int format_biased_exponent(const struct format *f, uint64_t bits);
uint64_t format_trailing(const struct format *f, uint64_t bits);
enum format_class format_classify(const struct format *f, uint64_t bits);

/* "zero", "subnormal", "normal", "infinite", "quiet_nan", "signaling_nan": the words of the JSON contract. */
const char *format_class_name(enum format_class c);

/* Encodings of landmark values, positive: largest finite, smallest normal, smallest subnormal, infinity and
 * the canonical quiet NaN (only the quiet bit of T set). */
uint64_t format_max(const struct format *f);
uint64_t format_min_normal(const struct format *f);
uint64_t format_min_subnormal(const struct format *f);
uint64_t format_infinity(const struct format *f);
uint64_t format_quiet_nan(const struct format *f);

/* nextUp and nextDown (IEEE 754-2019 clause 5.3.1) as encodings.  Both zeros go to the smallest subnormal of
 * the direction.  False, and *out untouched, where there is no such value: NaN, and infinity outwards. */
bool format_next_up(const struct format *f, uint64_t bits, uint64_t *out);
bool format_next_down(const struct format *f, uint64_t bits, uint64_t *out);

#endif
