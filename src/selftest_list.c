/* selftest_list.c: the list of all checks. */
#include "probe.h"
#include "selftest_internal.h"
#include <stdarg.h>
#include <stdio.h>

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
        struct check row = {.format = &format_table[f], .id = (enum format_id)f, .chunks = CHUNKS};
        row.run = check_convert;
        row.cost = 100;
        add(list, count, &row, "fp32 to %s, roundTiesToEven, against an integer rounder", name);
        row.run = check_casts_agree;
        row.cost = 950;
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
    static const double costs[MATH_FUNCTION_COUNT] = {2000, 1300, 1150, 2400, 2400};
    for (int i = 0; i < MATH_FUNCTION_COUNT; i++)
        add(list, count,
            &(struct check){.run = check_function, .function = i, .chunks = CHUNKS, .cost = costs[i]}, "%s",
            names[i]);
}

static void add_arithmetic(struct check *list, int *count)
{
    static const char *const names[ARITHMETIC_OP_COUNT] = {"a + b", "a - b",     "a x b",
                                                           "a / b", "a x b + c", "sqrt a"};
    static const double costs[ARITHMETIC_OP_COUNT] = {2200, 2200, 1950, 2200, 4600, 300};
    for (int f = FORMAT_FP16; f < FORMAT_STORED_COUNT; f++)
        for (int op = 0; op < ARITHMETIC_OP_COUNT; op++) {
            struct check row = {.run = check_arithmetic,
                                .format = &format_table[f],
                                .id = (enum format_id)f,
                                .function = op,
                                .cost = costs[op]};
            row.chunks = op == ARITHMETIC_SQRT ? 1 : op == ARITHMETIC_FMA ? CHUNKS / 4 : CHUNKS;
            add(list, count, &row, "%s: %s, %s, against double", format_table[f].name, names[op],
                op == ARITHMETIC_FMA ? "2^30 at random" : "every operand");
        }
    for (int f = FORMAT_FP16; f < FORMAT_STORED_COUNT; f++)
        add(list, count,
            &(struct check){.run = check_arithmetic,
                            .format = &format_table[f],
                            .id = (enum format_id)f,
                            .function = ARITHMETIC_FMA,
                            .structured = true,
                            .chunks = CHUNKS / 16,
                            .cost = 5500},
            "%s: a x b + c, 2^28 that cancel, tie or end, against double", format_table[f].name);
    add(list, count,
        &(struct check){.run = check_arithmetic,
                        .format = &format_table[FORMAT_FP32],
                        .id = FORMAT_FP32,
                        .function = ARITHMETIC_SQRT,
                        .chunks = CHUNKS,
                        .cost = 2300},
        "fp32: square root, every operand, against double");
}

static void add_arrays(struct check *list, int *count)
{
    static const enum format_id formats[] = {FORMAT_FP16, FORMAT_BF16, FORMAT_E4M3, FORMAT_E5M2};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++) {
            const char *name = format_table[formats[f]].name, *mode_name = round_mode_table[mode].name;
            struct check row = {.format = &format_table[formats[f]],
                                .id = formats[f],
                                .mode = (enum round_mode)mode,
                                .chunks = CHUNKS};
            row.run = check_in_place;
            row.cost = 150;
            add(list, count, &row, "fp32 to %s, %s, in place, against an integer rounder", name, mode_name);
            row.run = check_packed;
            row.cost = 100;
            add(list, count, &row, "fp32 to %s, %s, against an integer rounder", name, mode_name);
            row.saturate = true;
            add(list, count, &row, "fp32 to %s, %s, saturating, against an integer rounder", name, mode_name);
        }
}

/* Every format, and a few that no table has. */
static void add_parsing(struct check *list, int *count)
{
    static const char *const custom[] = {"e5m7", "e8m16", "e3m4", "e2m22", "e6m17"};
    for (size_t i = 0; i < FORMAT_COUNT + sizeof custom / sizeof *custom; i++) {
        const struct format *f = i < FORMAT_COUNT ? &format_table[i] : format_find(custom[i - FORMAT_COUNT]);
        if (f && (i < FORMAT_COUNT || f->key >= FORMAT_COUNT)) /* one may have got a row */
            add(list, count,
                &(struct check){.run = check_parse, .format = f, .chunks = PARSE_CHUNKS, .cost = 9500},
                "%s: texts next to ties, parsed and rounded, against MPFR", f->name);
    }
}

int selftest_checks(struct check list[CHECKS_MAX])
{
    int count = 0;
    add_conversions(list, &count);
    add_functions(list, &count);
    add_arithmetic(list, &count);
    add_arrays(list, &count);
    add_parsing(list, &count);
    return count;
}
