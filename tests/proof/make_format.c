/* make_format.c: cases of the kernels that take any format as data: arithmetic, and the rounding of arrays.
 */
#include "maker.h"
#include "quantize.h"
#include <stdlib.h>

static const struct format *format_of(const struct maker *m)
{
    return &format_table[m->variant % FORMAT_E8M0] /* a scale has no arithmetic */;
}

static struct round_rule rule_of(const struct maker *m)
{
    const struct format *f = format_of(m);
    struct round_rule rule = {.exponent_bits = f->exponent_bits,
                              .trailing_bits = f->trailing_bits,
                              .specials = (int32_t)f->specials,
                              .mode = m->variant / FORMAT_E8M0 % ROUND_MODE_COUNT};
    return rule;
}

/* Any operands, and pairs that are near each other or near their negatives, where digits cancel. */
static void make_arithmetic(struct maker *m, enum format_id unused)
{
    enum { N = 300 };
    struct arithmetic_input in[N];
    struct round_output out[N] = {{0}};
    const struct format *f = format_of(m);
    uint32_t mask = f->width == 32 ? 0xffffffffu : (1u << f->width) - 1u;
    (void)unused;
    for (int i = 0; i < N; i++) {
        in[i].a = make_random(m) & mask;
        in[i].b = make_below(m, 2) ? make_random(m) & mask : (in[i].a ^ (uint32_t)make_below(m, 8)) & mask;
        if (make_below(m, 2))
            in[i].b ^= 1u << (f->width - 1);
        in[i].c = make_random(m) & mask;
        in[i].random = make_random(m);
    }
    m->args.arithmetic = (struct arithmetic_args){.in = make_buffer(m, in, N * (long)sizeof *in / 4, 4),
                                                  .out = make_buffer(m, out, N * (long)sizeof *out / 4, 4),
                                                  .n = N,
                                                  .rule = rule_of(m),
                                                  .op = m->variant / FORMAT_E8M0 / ROUND_MODE_COUNT};
}

/* Formats that arrays are rounded to: those with a sign and 1 to 22 trailing bits. */
static const enum format_id array_formats[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_TF32, FORMAT_E5M2,
                                               FORMAT_E4M3, FORMAT_E3M2, FORMAT_E2M3, FORMAT_E2M1};
enum { ARRAY_FORMATS = sizeof array_formats / sizeof *array_formats };

static void make_quantize(struct maker *m, enum format_id unused)
{
    long n = 1000 + m->variant;
    int mode = m->variant / ARRAY_FORMATS % ROUND_MODE_COUNT;
    (void)unused;
    m->flavour = (enum flavour)(m->variant % FLAVOUR_COUNT);
    m->args.quantize = (struct quantize_args){
        .from = make_floats(m, n), .to = make_floats(m, n), .n = n, .seed = 5, .step = 7};
    quantize_set(&m->args.quantize, &format_table[array_formats[m->variant % ARRAY_FORMATS]],
                 (enum round_mode)mode, m->variant / ARRAY_FORMATS / ROUND_MODE_COUNT != 0);
}

enum { ARRAY_VARIANTS = 2 * ARRAY_FORMATS * ROUND_MODE_COUNT };

const struct make_row make_format_rows[] = {
    {KERNEL_arithmetic, 1, FORMAT_E8M0 *ROUND_MODE_COUNT *ARITHMETIC_OP_COUNT, make_arithmetic},
    {KERNEL_quantize, 1, ARRAY_VARIANTS, make_quantize},
    {KERNEL_pack16, 1, ARRAY_VARIANTS, make_quantize},
    {KERNEL_pack8, 1, ARRAY_VARIANTS, make_quantize},
};
const int make_format_row_count = sizeof make_format_rows / sizeof *make_format_rows;
