/* format.h: the binary floating-point formats, as data.
 *
 * One row of FORMAT_TABLE describes a format completely; kernels, panels, the command line and the tests all
 * read it from here.  To add a format, add a row.  Terms follow IEEE 754-2019 clause 3: a value is
 * (-1)^S x 2^(E-bias) x 1.T, with precision p = trailing bits + 1, emax = bias and emin = 1 - emax. */
#ifndef ULPSCOPE_GPU_FORMAT_H
#define ULPSCOPE_GPU_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* What the codes at the top of a format stand for.  Formats without infinity or NaN follow OCP's OFP8 and MX
 * specifications (version 1.0). */
enum format_specials {
    FORMAT_INF_NAN,  /* IEEE 754: the largest biased exponent with T = 0 is infinity, with anything else NaN;
                        the  first bit of T tells quiet from signaling */
    FORMAT_NAN_ONLY, /* no infinity; S.11..1 with T all ones is the one NaN (E4M3) */
    FORMAT_FINITE,   /* neither: every code is a finite value */
    FORMAT_SCALE,    /* a power of two: no sign, no zero, no subnormals; all ones is NaN (E8M0) */
};

/* Formats that tensors are stored in: the kernels of kernels.h exist once for each of these.
 *       id    name    title       E   T   specials        accepted besides the name */
#define FORMAT_STORED_TABLE(X)                                                                               \
    X(FP32, "fp32", "binary32", 8, 23, FORMAT_INF_NAN, "float32 float single binary32 f32")                  \
    X(FP16, "fp16", "binary16", 5, 10, FORMAT_INF_NAN, "float16 half binary16 f16")                          \
    X(BF16, "bf16", "bfloat16", 8, 7, FORMAT_INF_NAN, "bfloat16 brain16")

/* All formats. */
#define FORMAT_TABLE(X)                                                                                      \
    FORMAT_STORED_TABLE(X)                                                                                   \
    X(TF32, "tf32", "TensorFloat-32", 8, 10, FORMAT_INF_NAN, "tensorfloat32 tfloat32")                       \
    X(E5M2, "e5m2", "OFP8 E5M2", 5, 2, FORMAT_INF_NAN, "fp8e5m2 fp8_e5m2 float8_e5m2")                       \
    X(E4M3, "e4m3", "OFP8 E4M3", 4, 3, FORMAT_NAN_ONLY, "e4m3fn fp8e4m3 fp8_e4m3 float8_e4m3fn")             \
    X(E3M2, "e3m2", "MX FP6 E3M2", 3, 2, FORMAT_FINITE, "e3m2fn fp6e3m2 fp6_e3m2 float6_e3m2fn")             \
    X(E2M3, "e2m3", "MX FP6 E2M3", 2, 3, FORMAT_FINITE, "e2m3fn fp6e2m3 fp6_e2m3 float6_e2m3fn")             \
    X(E2M1, "e2m1", "MX FP4 E2M1", 2, 1, FORMAT_FINITE, "e2m1fn fp4 fp4e2m1 fp4_e2m1 float4_e2m1fn")         \
    X(E8M0, "e8m0", "MX scale E8M0", 8, 0, FORMAT_SCALE, "e8m0fnu ue8m0 float8_e8m0fnu")

enum format_id {
#define FORMAT_ENUM(id, ...) FORMAT_##id,
    FORMAT_TABLE(FORMAT_ENUM)
#undef FORMAT_ENUM
        FORMAT_COUNT,
    FORMAT_STORED_COUNT = FORMAT_BF16 + 1, /* the rows of FORMAT_STORED_TABLE, which come first */
};

/* Custom formats eXmY, IEEE-like, with X exponent and Y trailing bits between these bounds. */
enum {
    FORMAT_CUSTOM_EXPONENT_MIN = 2,
    FORMAT_CUSTOM_EXPONENT_MAX = 8,
    FORMAT_CUSTOM_TRAILING_MIN = 1,
    FORMAT_CUSTOM_TRAILING_MAX = 23
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
    int key; /* tells formats apart: the enum format_id, or a number from FORMAT_COUNT on for a custom one */
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

/* The format of that name or alias (case does not matter), a custom "e5m7" too, or NULL.  A row of the table
 * goes before a custom format of the same name.  What it points to stays for the life of the program. */
const struct format *format_find(const char *name);

/* The same among the formats that tensors are stored in. */
const struct format *format_find_stored(const char *name);

/* What a format has. */
bool format_has_sign(const struct format *f); /* negative values */
bool format_has_zero(const struct format *f); /* zeros, and subnormals */
bool format_has_infinity(const struct format *f);
bool format_has_nan(const struct format *f);

/* Fields of an encoding of `f`; bits above the width must be zero. */
int format_sign(const struct format *f, uint64_t bits);
int format_biased_exponent(const struct format *f, uint64_t bits);
uint64_t format_trailing(const struct format *f, uint64_t bits);
enum format_class format_classify(const struct format *f, uint64_t bits);

/* "zero", "subnormal", "normal", "infinite", "quiet_nan", "signaling_nan": the words of the JSON contract. */
const char *format_class_name(enum format_class c);

/* The sign bit of an encoding alone; 0 in a format without one. */
uint64_t format_sign_bit(const struct format *f);

/* Encodings of landmark values, positive: largest finite, smallest normal, smallest subnormal (where there
 * are any: see format_has_zero). */
uint64_t format_max(const struct format *f);
uint64_t format_min_normal(const struct format *f);
uint64_t format_min_subnormal(const struct format *f);

/* The code after the largest finite value's, where the grid of values would go on: infinity in IEEE formats,
 * the NaN of e4m3 and e8m0, and in a finite format one more than any magnitude has. */
uint64_t format_limit(const struct format *f);

/* Infinity, and the canonical quiet NaN (positive, only the quiet bit of T set; the one NaN of a format that
 * has one), for formats that have them. */
uint64_t format_infinity(const struct format *f);
uint64_t format_quiet_nan(const struct format *f);

/* nextUp and nextDown (IEEE 754-2019 clause 5.3.1) as encodings.  Both zeros go to the smallest subnormal of
 * the direction.  False, and *out untouched, where there is no such value: NaN, infinity outwards, and the
 * ends of a format without infinity. */
bool format_next_up(const struct format *f, uint64_t bits, uint64_t *out);
bool format_next_down(const struct format *f, uint64_t bits, uint64_t *out);

#endif
