/* selftest_arrays.c: the checks of arrays: each launches a kernel on one chunk of inputs, and compares what it
 * stored. */
#include "check_math.h"
#include "probe.h"
#include "quantize.h"
#include "reference.h"
#include "selftest_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void differ(struct selftest_result *r, uint32_t input, uint32_t got, uint32_t want)
{
    if (r->differing++ == 0)
        snprintf(r->first, sizeof r->first, "0x%08x gives 0x%x, not 0x%x", input, got, want);
}

/* Results of `bytes` bytes each against what they must be; a loop without branches first, which finds nothing
 * nearly always. */
static void compare(struct selftest_result *r, const uint32_t *inputs, const void *got, int bytes,
                    const uint32_t *want)
{
    const uint16_t *words = got;
    const uint8_t *octets = got;
    uint32_t any = 0;
    if (bytes == 2)
        for (int i = 0; i < CHUNK; i++)
            any |= words[i] ^ want[i];
    else
        for (int i = 0; i < CHUNK; i++)
            any |= octets[i] ^ want[i];
    for (int i = 0; any && i < CHUNK; i++) {
        uint32_t result = bytes == 2 ? words[i] : octets[i];
        if (result != want[i])
            differ(r, inputs[i], result, want[i]);
    }
    r->checked += CHUNK;
}

static void load_inputs(struct selftest_arrays *a, uint32_t first)
{
    for (uint32_t i = 0; i < CHUNK; i++)
        a->host_in[i] = first + i;
}

/* The conversion kernel against the integer rounder. */
bool check_convert(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                   struct selftest_result *r)
{
    struct reference reference = reference_make(check->format, ROUND_RNE, false);
    struct cast_args args = {a->in, a->out, CHUNK, NULL};
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->id), &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)))
        return false;
    uint32_t *want = a->host_wide_out;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    compare(r, a->host_in, a->host_out, 2, want);
    selftest_digest(r, chunk, a->host_out, CHUNK * sizeof(uint16_t));
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
bool check_casts_agree(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                       struct selftest_result *r)
{
    const struct format *f = check->format;
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
        !device_launch(a->device, KERNEL_FOR(convert_to, check->id), &cast) ||
        !device_launch(a->device, KERNEL_round_wide, &wide) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof(uint16_t)) ||
        !device_download(a->device, a->host_wide_out, a->wide_out, CHUNK * sizeof(struct round_output)))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++)
        if (got[i] != outputs[i].bits)
            differ(r, a->host_in[i], got[i], outputs[i].bits);
    selftest_digest(r, chunk, got, CHUNK * sizeof *got);
    r->checked += CHUNK;
    return true;
}

/* Every encoding of a 16-bit format to FP32 and back: itself, or a signaling NaN's quiet form. */
bool check_round_trip(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                      struct selftest_result *r)
{
    const struct format *f = check->format;
    uint16_t *codes = a->host_out;
    struct cast_args from = {a->out, a->in, CHUNK, NULL}, to = {a->in, a->out, CHUNK, NULL};
    for (uint32_t i = 0; i < CHUNK; i++)
        codes[i] = (uint16_t)i;
    if (!device_upload(a->device, a->out, codes, CHUNK * sizeof *codes) ||
        !device_launch(a->device, KERNEL_FOR(convert_from, check->id), &from) ||
        !device_launch(a->device, KERNEL_FOR(convert_to, check->id), &to) ||
        !device_download(a->device, codes, a->out, CHUNK * sizeof *codes))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        bool is_signaling = format_classify(f, i) == CLASS_SIGNALING_NAN;
        uint32_t want = is_signaling ? i | 1u << (f->trailing_bits - 1) : i;
        if (codes[i] != want)
            differ(r, i, codes[i], want);
    }
    selftest_digest(r, chunk, codes, CHUNK * sizeof *codes);
    r->checked += CHUNK;
    return true;
}

/* Positive and negative values, infinities and NaNs, exactly: all formats here lie within FP32. */
static float decode(const struct format *f, uint32_t code)
{
    float significand = (float)format_trailing(f, code);
    int field = format_biased_exponent(f, code);
    enum format_class class = format_classify(f, code);
    float sign = format_sign(f, code) ? -1.0f : 1.0f;
    if (class == CLASS_INFINITE)
        return sign * INFINITY;
    if (class == CLASS_QUIET_NAN || class == CLASS_SIGNALING_NAN)
        return NAN;
    significand += field ? ldexpf(1, f->trailing_bits) : 0;
    return sign * ldexpf(significand, (field ? field - f->bias : f->emin) - f->trailing_bits);
}

const float *selftest_values(struct selftest_arrays *a, const struct format *f)
{
    uint32_t codes = 1u << f->width;
    if (!a->values && (a->values = malloc(codes * sizeof *a->values)))
        for (uint32_t code = 0; code < codes; code++)
            a->values[code] = decode(f, code);
    return a->values;
}

/* The array kernels, packed: each format and policy, against the integer rounder. */
bool check_packed(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                  struct selftest_result *r)
{
    const struct format *f = check->format;
    struct reference reference = reference_make(f, check->mode, check->saturate);
    struct quantize_args args = {.from = a->in, .to = a->out, .n = CHUNK};
    int bytes = f->width > 8 ? 2 : 1;
    quantize_set(&args, f, check->mode, check->saturate);
    load_inputs(a, chunk * CHUNK);
    if (!device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, bytes == 2 ? KERNEL_pack16 : KERNEL_pack8, &args) ||
        !device_download(a->device, a->host_out, a->out, (size_t)bytes * CHUNK))
        return false;
    uint32_t *want = a->host_wide_out;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    compare(r, a->host_in, a->host_out, bytes, want);
    selftest_digest(r, chunk, a->host_out, (size_t)bytes * CHUNK);
    return true;
}

/* The same in place: the FP32 value of the encoding that the integer rounder gives.  NaNs need only be NaNs. */
bool check_in_place(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                    struct selftest_result *r)
{
    const struct format *f = check->format;
    struct reference reference = reference_make(f, check->mode, check->saturate);
    struct quantize_args args = {.from = a->in, .to = a->out, .n = CHUNK};
    uint32_t *want = a->host_wide_out;
    const uint32_t *got = a->host_out;
    const float *values = selftest_values(a, f);
    quantize_set(&args, f, check->mode, check->saturate);
    load_inputs(a, chunk * CHUNK);
    if (!values || !device_upload(a->device, a->in, a->host_in, CHUNK * sizeof(uint32_t)) ||
        !device_launch(a->device, KERNEL_quantize, &args) ||
        !device_download(a->device, a->host_out, a->out, CHUNK * sizeof *got))
        return false;
    reference_round_range(&reference, chunk * CHUNK, CHUNK, want);
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t value;
        memcpy(&value, &values[want[i]], sizeof value);
        if (value != got[i] && !((value & got[i] & 0x7fffffff) > 0x7f800000))
            differ(r, a->host_in[i], got[i], want[i]);
    }
    selftest_digest(r, chunk, got, CHUNK * sizeof *got);
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

/* Encodings near the ends of binades and of the format. */
static uint32_t structured_operand(const struct format *f, uint32_t word)
{
    uint32_t ones = (1u << f->trailing_bits) - 1, top = (1u << f->exponent_bits) - 1;
    uint32_t bit = 1u << (word >> 8) % (uint32_t)f->trailing_bits;
    const uint32_t trailing[8] = {0, 1, bit, ones, ones ^ bit, ones & (0 - bit), bit - 1, word >> 16 & ones};
    const uint32_t exponents[8] = {0, 1, top - 1, (uint32_t)f->bias};
    uint32_t exponent = (word >> 3 & 7) < 4 ? exponents[word >> 3 & 7] : (word >> 20) % (top + 1);
    return (word >> 7 & 1) << (f->width - 1) | exponent << f->trailing_bits | trailing[word & 7];
}

/* An fma whose addend takes nearly all of the product away, lies a precision or so above or below it, where
 * the one decides the other's ties, or is itself at an end. */
static struct arithmetic_input structured_fma(const struct check *check, const struct reference *reference,
                                              const float *values, uint32_t index)
{
    const struct format *f = check->format;
    uint32_t word = scramble(index), more = scramble(~word);
    struct arithmetic_input in = {.a = structured_operand(f, scramble(word + 1)),
                                  .b = structured_operand(f, scramble(word + 2)),
                                  .c = structured_operand(f, more)};
    uint32_t product = reference_round_double(reference, (double)values[in.a] * (double)values[in.b], 0);
    uint32_t sign = 1u << (f->width - 1), all = 2 * sign - 1;
    uint32_t places = (uint32_t)f->trailing_bits + (more >> 8) % 4, step = (more >> 16) % 5;
    switch (word % 4) {
    case 0:
        in.c = (product ^ sign) + step - 2;
        break;
    case 1: /* the sign as it comes */
        in.c = (product ^ (more & sign)) + (places << f->trailing_bits);
        break;
    case 2:
        in.c = (product ^ (more & sign)) - (places << f->trailing_bits);
        break;
    default:
        break;
    }
    in.c &= all;
    return in;
}

/* Chunk c takes operand c with every other one; of an fma, operands at random. */
static void load_operands(const struct check *check, const struct reference *reference, const float *values,
                          struct arithmetic_input *in, uint32_t chunk)
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t word = check->function == ARITHMETIC_FMA ? scramble(chunk * CHUNK + i) : 0;
        in[i] = (struct arithmetic_input){.a = chunk, .b = i, .c = 0};
        if (check->structured)
            in[i] = structured_fma(check, reference, values, chunk * CHUNK + i);
        else if (check->function == ARITHMETIC_FMA)
            in[i] =
                (struct arithmetic_input){.a = word & 0xffff, .b = word >> 16, .c = scramble(~word) & 0xffff};
        else if (check->function == ARITHMETIC_SQRT)
            in[i].a = chunk * CHUNK + i;
    }
}

/* The value of an operand: by the table, or its bits taken as FP32. */
static double operand(const float *values, uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)(values ? values[bits] : value);
}

bool check_arithmetic(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                      struct selftest_result *r)
{
    const struct format *f = check->format;
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
    const float *values = f->width > 16 ? NULL : selftest_values(a, f);
    if (!values && f->width <= 16)
        return false;
    load_operands(check, &reference, values, in, chunk);
    if (!device_upload(a->device, a->wide_in, in, CHUNK * sizeof *in) ||
        !device_launch(a->device, KERNEL_arithmetic, &args) ||
        !device_download(a->device, a->host_wide_out, a->wide_out, CHUNK * sizeof *out))
        return false;
    for (uint32_t i = 0; i < CHUNK; i++) {
        int beyond;
        double x = operate(check->function, operand(values, in[i].a), operand(values, in[i].b),
                           operand(values, in[i].c), &beyond);
        uint32_t want = reference_round_double(&reference, x, beyond);
        if (out[i].bits != want)
            differ(r, in[i].a << 16 | in[i].b, out[i].bits, want);
    }
    selftest_digest(r, chunk, out, CHUNK * sizeof *out);
    r->checked += CHUNK;
    return true;
}

/* One of the kernels' mathematical functions against glibc and MPFR; one value more than the chunk, so that
 * the order is looked at across its end. */
bool check_function(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
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
    selftest_digest(r, chunk, (const float *)a->host_out + lead, CHUNK * sizeof(float));
    r->checked += CHUNK;
    r->worst_ulp = found.worst_ulp > r->worst_ulp ? found.worst_ulp : r->worst_ulp;
    return true;
}
