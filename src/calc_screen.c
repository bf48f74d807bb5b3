/* calc_screen.c: an expression in every format shown, as texts. */
#include "calc_screen.h"
#include "calc_internal.h"
#include "probe_device.h"
#include "probe_text.h"
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 13, DIGITS_EXACT = 30, DIGITS_WHOLE = 60 };

static void append_pair(char *to, size_t size, const struct format *f, uint32_t bits)
{
    char hex[TEXT_HEX], value[TEXT_SHORT];
    text_hex(hex, sizeof hex, f, bits);
    text_bits_value(value, sizeof value, f, bits, DIGITS);
    text_append(to, size, "%s (%s)", value, hex);
}

/* The fraction in lowest terms, where a decimal would not end and the fraction fits. */
static void fill_ratio(const struct exact *x, char *to, size_t size)
{
    char *text = exact_text(x);
    bool fits = text && strchr(text, '/') && strlen(text) < size;
    text_format(to, size, "%s", fits ? text : "");
    free(text);
}

static void fill_operation(const struct format *f, const struct calc_step *s, char *to, size_t size)
{
    bool function = s->op == ARITHMETIC_FMA || s->op == ARITHMETIC_SQRT;
    text_format(to, size, "%s%s", function ? calc_op_names[s->op] : "", function ? "(" : "");
    for (int i = 0; i < calc_operands(s->op); i++) {
        if (i && function)
            text_append(to, size, ", ");
        else if (i)
            text_append(to, size, " %s ", calc_op_names[s->op]);
        append_pair(to, size, f, s->operand[i]);
    }
    text_append(to, size, "%s%s", function ? ")" : "", s->irrational ? ", irrational" : "");
}

/* Double rounding: where a step rounded to FP32 or FP64 first would end elsewhere. */
static void fill_via(const struct format *f, const struct calc_step *s, struct calc_line *line)
{
    char fp32[TEXT_HEX], fp64[TEXT_HEX];
    text_hex(fp32, sizeof fp32, f, s->via_fp32);
    text_hex(fp64, sizeof fp64, f, s->via_fp64);
    line->via_differs = s->differs_via_fp32 || s->differs_via_fp64;
    if (s->differs_via_fp32 && s->differs_via_fp64)
        text_format(line->via, sizeof line->via, "through FP32 first: %s, through FP64 first: %s", fp32,
                    fp64);
    else if (line->via_differs)
        text_format(line->via, sizeof line->via, "through %s first: %s, through %s first: the same",
                    s->differs_via_fp32 ? "FP32" : "FP64", s->differs_via_fp32 ? fp32 : fp64,
                    s->differs_via_fp32 ? "FP64" : "FP32");
    else if (s->has_tie)
        text_format(line->via, sizeof line->via, "through FP32 or FP64 first: the same");
}

static void fill_line(const struct format *f, const struct calc_step *s, struct calc_line *line)
{
    fill_operation(f, s, line->operation, sizeof line->operation);
    if (s->exact)
        fill_ratio(s->exact, line->ratio, sizeof line->ratio);
    if (s->exact)
        text_value(line->exact, sizeof line->exact, s->exact, DIGITS_EXACT);
    else if (s->irrational)
        text_format(line->exact, sizeof line->exact, "%.15g…", s->approximate);
    else
        text_format(line->exact, sizeof line->exact, "–");
    text_format(line->tie, sizeof line->tie, "%s", s->has_tie ? text_tie(s->tie) : "");
    text_hex(line->hex, sizeof line->hex, f, s->bits);
    text_bits_value(line->value, sizeof line->value, f, s->bits, DIGITS);
    text_flags(line->flags, sizeof line->flags, s->flags);
    fill_via(f, s, line);
}

/* The operands and the result of a step as fields. */
static void fill_fields(const struct format *f, const struct calc_step *s, struct calc_row *row)
{
    static const char *const names[] = {"a", "b", "c"};
    int operands = calc_operands(s->op);
    row->field_count = operands + 1;
    for (int i = 0; i <= operands; i++) {
        struct calc_field *to = &row->fields[i];
        uint32_t bits = i < operands ? s->operand[i] : s->bits;
        text_format(to->name, sizeof to->name, "%s", i < operands ? names[i] : "result");
        probe_field(f, bits, DIGITS_EXACT, &to->field);
        text_format(to->class, sizeof to->class, "%s", format_class_name(format_classify(f, bits)));
    }
}

static bool fill_board(struct device *d, const struct calc_result *r, const struct probe_policy *policy,
                       struct calc_row *row, struct exact_error *error)
{
    const struct calc_step *last = r->count ? &r->steps[r->count - 1] : NULL;
    if (!last || (last->op != ARITHMETIC_ADD && last->op != ARITHMETIC_SUBTRACT))
        return true;
    return calc_answer_step(d, r->format, last, r->count - 1, policy, &row->board, error);
}

static bool fill_row(struct device *d, const struct calc_result *r, const struct probe_policy *policy,
                     struct calc_row *row, struct exact_error *error)
{
    uint32_t flags = 0;
    text_hex(row->hex, sizeof row->hex, r->format, r->bits);
    text_bits_value(row->value, sizeof row->value, r->format, r->bits, DIGITS);
    text_format(row->error, sizeof row->error, "–");
    if (r->error)
        text_approximate(row->error, sizeof row->error, r->error, 4, true);
    row->steps = (int)r->count;
    for (int i = 0; i < row->steps; i++) {
        flags |= r->steps[i].flags;
        if (i < CALC_SCREEN_STEPS)
            fill_line(r->format, &r->steps[i], &row->lines[i]);
    }
    text_flags(row->flags, sizeof row->flags, flags);
    if (r->count)
        fill_fields(r->format, &r->steps[r->count - 1], row);
    return fill_board(d, r, policy, row, error);
}

static bool fill_rows(struct device *d, const struct calc *c, const struct exact *exact,
                      const struct format *const *formats, int count, const struct probe_policy *policy,
                      struct calc_screen *out, struct exact_error *error)
{
    for (out->count = 0; out->count < count && out->count < BITS_ROWS; out->count++) {
        struct calc_row *row = &out->rows[out->count];
        struct calc_result r;
        row->format = formats[out->count];
        enum calc_status status = calc_run(d, c, exact, row->format, policy, &r, error);
        if (status == CALC_FAILED)
            return false;
        if (status == CALC_NO_VALUE) {
            text_format(row->reason, sizeof row->reason, "%s", error->message);
            continue;
        }
        bool done = fill_row(d, &r, policy, row, error);
        calc_result_clear(&r);
        if (!done)
            return false;
    }
    return true;
}

bool calc_screen(struct device *d, const char *text, const struct format *const *formats, int count,
                 const struct probe_policy *policy, struct calc_screen *out, struct exact_error *error)
{
    memset(out, 0, sizeof *out);
    struct calc *c = calc_parse(text, error);
    if (!c)
        return false;
    struct exact *exact = calc_exact(c);
    text_format(out->text, sizeof out->text, "%s", text);
    text_format(out->exact, sizeof out->exact, "–");
    if (exact)
        fill_ratio(exact, out->ratio, sizeof out->ratio);
    if (exact)
        text_value(out->exact, sizeof out->exact, exact, DIGITS_WHOLE);
    out->shown = true;
    bool done = fill_rows(d, c, exact, formats, count, policy, out, error);
    exact_free(exact);
    calc_free(c);
    return done;
}
