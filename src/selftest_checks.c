/* selftest_checks.c: the checks: each launches a kernel on one chunk of inputs, and compares what it stored.
 */
#include "check_math.h"
#include "probe.h"
#include "quantize.h"
#include "reference.h"
#include "selftest_internal.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void differ(struct selftest_result *r, uint32_t input, uint32_t got, uint32_t want)
{
    if (r->differing++ == 0)
        snprintf(r->first, sizeof r->first, "0x%08x gives 0x%x, not 0x%x", input, got, want);
}

static void load_inputs(struct selftest_arrays *a, uint32_t first)
{
    for (uint32_t i = 0; i < CHUNK; i++)
        a->host_in[i] = first + i;
}

/* The conversion kernel against the integer rounder. */
static bool check_convert(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                          struct selftest_result *r)
{
    struct reference reference = reference_make(&format_table[check->format], ROUND_RNE, false);
    const uint16_t *got = a->host_out;
    struct cast_args args = {a->in, a->out, CHUNK, NULL};
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)))
        return false;
    uint32_t *want = a->host_wide_out;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    for (uint32_t i = 0; i < CHUNK; i++) {
        if (got[i] != want[i])
            differ(r, a->host_in[i], got[i], want[i]);
    }
    r->checked += CHUNK;
    return true;
}

static struct round_input wide_of(uint32_t bits)
{
    struct round_input in = {.sign = (int32_t)(bits >> 31)};
    uint32_t exponent = bits >> 23 & 0xff, trailing = bits & 0x7fffff;
    if (exponent == 0xff) {
        in.kind = trailing ? ROUND_NAN : ROUND_INFINITE;
        in.significand = (uint64_t)trailing << 41;
    } else if (exponent == 0 && trailing == 0) {
        in.kind = ROUND_ZERO;
    } else {
        in.kind = ROUND_FINITE;
        in.significand = exponent ? trailing | 0x800000 : trailing;
        in.exponent = (exponent ? (int32_t)exponent : 1) - 150;
        int shift = __builtin_clzll(in.significand);
        in.significand <<= shift;
        in.exponent -= shift;
    }
    return in;
}

/* The cast that training uses, and the rounding of exact values that Bits uses, against each other. */
static bool check_casts_agree(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                              struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    struct cast_args cast = {a->in, a->out, CHUNK, NULL};
    struct round_args wide = {.in = a->wide_in,
                              .out = a->wide_out,
                              .n = CHUNK,
                              .rule = {.exponent_bits = f->exponent_bits,
                                       .trailing_bits = f->trailing_bits,
                                       .specials = (int32_t)f->specials,
                                       .mode = ROUND_RNE}};
    const uint16_t *got = a->host_out;
    load_inputs(a, chunk * CHUNK);
    struct round_input *inputs = a->host_wide_in;
    const struct round_output *outputs = a->host_wide_out;
    for (uint32_t i = 0; i < CHUNK; i++)
        inputs[i] = wide_of(a->host_in[i]);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_upload(a->device, a->wide_in, a->host_wide_in, CHUNK * sizeof(struct round_input)) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &cast) ||
        !device_launch(a->device, KERNEL_round_wide, &wide) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)) ||
        !device_download(a->device, a->host_wide_out, a->wide_out, CHUNK * sizeof(struct round_output)))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++)
        if (got[i] != outputs[i].bits)
            differ(r, a->host_in[i], got[i], outputs[i].bits);
    r->checked += CHUNK;
    return true;
}

/* Every encoding of a 16-bit format to FP32 and back: itself, or a signaling NaN's quiet form. */
static bool check_round_trip(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                             struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    uint16_t *codes = a->host_out;
    struct cast_args from = {a->out, a->in, CHUNK, NULL}, to = {a->in, a->out, CHUNK, NULL};
    (void)chunk;
    for (uint32_t i = 0; i < CHUNK; i++)
        codes[i] = (uint16_t)i;
    if (!device_upload(a->device, a->out, codes, CHUNK * sizeof *codes) ||
        !device_launch(a->device, KERNEL_FOR(convert_from, check->format), &from) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->format), &to) ||
        !device_download(a->device, codes, a->out, CHUNK * sizeof *codes))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        bool is_signaling = format_classify(f, i) == CLASS_SIGNALING_NAN;
        uint32_t want = is_signaling ? i | 1u << (f->trailing_bits - 1) : i;
        if (codes[i] != want)
            differ(r, i, codes[i], want);
    }
    r->checked += CHUNK;
    return true;
}

static double decode(const struct format *f, uint32_t code)
{
    double significand = (double)format_trailing(f, code);
    int field = format_biased_exponent(f, code);
    enum format_class class = format_classify(f, code);
    double sign = format_sign(f, code) ? -1 : 1;
    if (class == CLASS_INFINITE)
        return sign * INFINITY;
    if (class == CLASS_QUIET_NAN || class == CLASS_SIGNALING_NAN)
        return NAN;
    significand += field ? ldexp(1, f->trailing_bits) : 0;
    return sign * ldexp(significand, (field ? field - f->bias : f->emin) - f->trailing_bits);
}

/* The array kernels, packed: each format and policy, against the integer rounder. */
static bool check_arrays(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                         struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    struct reference reference = reference_make(f, check->mode, check->saturate);
    struct quantize_args args = {.from = a->in, .to = a->out, .n = CHUNK};
    bool wide = f->width > 8;
    const uint16_t *words = a->host_out;
    const uint8_t *bytes = a->host_out;
    quantize_set(&args, f, check->mode, check->saturate);
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, wide ? KERNEL_pack16 : KERNEL_pack8, &args) ||
        !device_download(a->device, a->host_out, a->out,
                         wide ? CHUNK * sizeof *words : CHUNK * sizeof *bytes))
        return false;
    uint32_t *want = a->host_wide_out;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t got = wide ? words[i] : bytes[i];
        if (got != want[i])
            differ(r, a->host_in[i], got, want[i]);
    }
    r->checked += CHUNK;
    return true;
}

static uint32_t float_bits(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The same in place: the FP32 value of the encoding that the integer rounder gives.  NaNs need only be NaNs. */
static bool check_in_place(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                           struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    struct reference reference = reference_make(f, check->mode, check->saturate);
    struct quantize_args args = {.from = a->in, .to = a->out, .n = CHUNK};
    uint32_t *want = a->host_wide_out;
    const float *got = a->host_out;
    quantize_set(&args, f, check->mode, check->saturate);
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_quantize, &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof *got))
        return false;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    for (uint32_t i = 0; i < CHUNK; i++) {
        double value = decode(f, want[i]);
        bool same = value == (double)got[i] && !signbit(value) == !signbit(got[i]);
        if (!same && !(isnan(value) && isnan(got[i])))
            differ(r, a->host_in[i], float_bits(got[i]), want[i]);
    }
    r->checked += CHUNK;
    return true;
}

/* An operation in double, and on which side of it the true result lies.  For + - x / and sqrt of operands of
 * p bits, a first rounding to 2p + 2 bits or more is harmless (Figueroa 1995); of an fma the product is
 * exact, and the error of the sum is known (Knuth's TwoSum). */
static double operate(int op, double x, double y, double z, int *beyond)
{
    *beyond = 0;
    switch (op) {
    case ARITHMETIC_ADD:
        return x + y;
    case ARITHMETIC_SUBTRACT:
        return x - y;
    case ARITHMETIC_MULTIPLY:
        return x * y;
    case ARITHMETIC_DIVIDE:
        return x / y;
    case ARITHMETIC_SQRT:
        return sqrt(x);
    default: {
        double p = x * y, s = p + z, rest = s - p;
        double error = (p - (s - rest)) + (z - rest);
        if (error > 0 || error < 0)
            *beyond = (error > 0) == (s > 0) ? 1 : -1;
        return s;
    }
    }
}

/* Words for the random operands of an fma: any mixture will do. */
static uint32_t scramble(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* Chunk c takes operand c with every other one; of an fma, operands at random. */
static void load_operands(const struct check *check, struct arithmetic_input *in, uint32_t chunk)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t word = check->function == ARITHMETIC_FMA ? scramble(chunk * CHUNK + i) : 0;
        in[i] = (struct arithmetic_input){.a = chunk, .b = i, .c = 0};
        if (check->function == ARITHMETIC_FMA)
            in[i] =
                (struct arithmetic_input){.a = word & 0xffff, .b = word >> 16, .c = scramble(~word) & 0xffff};
        else if (check->function == ARITHMETIC_SQRT)
            in[i].a = i;
    }
}

static bool check_arithmetic(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                             struct selftest_result *r)
{
    const struct format *f = &format_table[check->format];
    struct reference reference = reference_make(f, ROUND_RNE, false);
    struct arithmetic_args args = {.in = a->wide_in,
                                   .out = a->wide_out,
                                   .n = CHUNK,
                                   .rule = {.exponent_bits = f->exponent_bits,
                                            .trailing_bits = f->trailing_bits,
                                            .specials = (int32_t)f->specials,
                                            .mode = ROUND_RNE},
                                   .op = check->function};
    struct arithmetic_input *in = a->host_wide_in;
    const struct round_output *out = a->host_wide_out;
    load_operands(check, in, chunk);
    if (!device_upload(a->device, a->wide_in, in, CHUNK * sizeof *in) ||
        !device_launch(a->device, KERNEL_arithmetic, &args) ||
        !device_download(a->device, a->host_wide_out, a->wide_out, CHUNK * sizeof *out))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        int beyond;
        double x =
            operate(check->function, decode(f, in[i].a), decode(f, in[i].b), decode(f, in[i].c), &beyond);
        uint32_t want = reference_round_double(&reference, x, beyond);
        if (out[i].bits != want)
            differ(r, in[i].a << 16 | in[i].b, out[i].bits, want);
    }
    r->checked += CHUNK;
    return true;
}

/* One of the kernels' mathematical functions against glibc and MPFR; one value more than the chunk, so that
 * the order is looked at across its end. */
static bool check_function(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                           struct selftest_result *r)
{
    uint32_t lead = chunk ? 1 : 0, first = chunk * CHUNK - lead, n = CHUNK + lead;
    struct math_args args = {a->in, a->out, (long)n, check->function};
    struct check_math_result found = {0};
    for (uint32_t i = 0; i < n; i++)
        a->host_in[i] = first + i;
    if (!device_upload(a->device, a->in, a->host_in, n * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_math_map, &args) ||
        !device_download(a->device, a->host_out, a->out, n * sizeof(float)))
        return false;
    if (!check_math_range((enum check_math_function)check->function, first, first + n - 1, a->host_out,
                          &found)) {
        if (r->differing == 0)
            snprintf(r->first, sizeof r->first, "0x%08x", found.first_wrong_bits);
        r->differing += found.wrong;
    }
    r->checked += CHUNK;
    r->worst_ulp = found.worst_ulp > r->worst_ulp ? found.worst_ulp : r->worst_ulp;
    return true;
}

/* ---- the list ---- */

static struct check *add(struct check *list, int *count, const struct check *row, const char *name, ...)
    __attribute__((format(printf, 4, 5)));
static struct check *add(struct check *list, int *count, const struct check *row, const char *name, ...)
{
    struct check *c = &list[(*count)++];
    va_list arguments;
    *c = *row;
    va_start(arguments, name);
    vsnprintf(c->name, sizeof c->name, name, arguments);
    va_end(arguments);
    return c;
}

static void add_conversions(struct check *list, int *count)
{
    for (int f = FORMAT_FP16; f < FORMAT_STORED_COUNT; f++) {
        const char *name = format_table[f].name;
        struct check row = {.format = (enum format_id)f, .chunks = CHUNKS};
        row.run = check_convert;
        add(list, count, &row, "fp32 to %s, roundTiesToEven, against an integer rounder", name);
        row.run = check_casts_agree;
        add(list, count, &row, "%s: the cast that trains, and the rounding of Bits", name);
        row.run = check_round_trip;
        row.chunks = 1;
        add(list, count, &row, "every %s encoding to fp32 and back", name);
    }
}

static void add_functions(struct check *list, int *count)
{
    static const char *const names[MATH_FUNCTION_COUNT] = {
        "exp: at most 1 ulp, monotone", "log: at most 1 ulp, monotone", "tanh: at most 1 ulp, monotone",
        "sin: at most 1 ulp", "cos: at most 1 ulp"};
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++)
        add(list, count, &(struct check){.run = check_function, .function = i, .chunks = CHUNKS}, "%s",
            names[i]);
}

static void add_arithmetic(struct check *list, int *count)
{
    static const char *const names[ARITHMETIC_OP_COUNT] = {"a + b", "a - b",     "a x b",
                                                           "a / b", "a x b + c", "sqrt a"};
    for (int f = FORMAT_FP16; f < FORMAT_STORED_COUNT; f++)
        for (int op = 0; op < ARITHMETIC_OP_COUNT; op++) {
            struct check row = {.run = check_arithmetic, .format = (enum format_id)f, .function = op};
            row.chunks = op == ARITHMETIC_SQRT ? 1 : op == ARITHMETIC_FMA ? CHUNKS / 4 : CHUNKS;
            add(list, count, &row, "%s: %s, %s, against double", format_table[f].name, names[op],
                op == ARITHMETIC_FMA ? "2^30 at random" : "every operand");
        }
}

static void add_arrays(struct check *list, int *count)
{
    static const enum format_id formats[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_E4M3, FORMAT_E5M2};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++) {
            const char *name = format_table[formats[f]].name, *mode_name = round_mode_table[mode].name;
            struct check row = {.format = formats[f], .mode = (enum round_mode)mode, .chunks = CHUNKS};
            row.run = check_in_place;
            add(list, count, &row, "fp32 to %s, %s, in place, against an integer rounder", name, mode_name);
            row.run = check_arrays;
            add(list, count, &row, "fp32 to %s, %s, against an integer rounder", name, mode_name);
            row.saturate = true;
            add(list, count, &row, "fp32 to %s, %s, saturating, against an integer rounder", name, mode_name);
        }
}

int selftest_checks(struct check list[CHECKS_MAX])
{
    int count = 0;
    add_conversions(list, &count);
    add_functions(list, &count);
    add_arithmetic(list, &count);
    add_arrays(list, &count);
    return count;
}
