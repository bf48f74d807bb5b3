/* cli_calc.c: `ulpscope calc`. */
#include "calc.h"
#include "cli_text.h"
#include "cli_verbs.h"
#include "probe_text.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

/* What is asked, and the results in each format as far as they are there. */
struct question {
    char *text;
    struct calc *calc;
    struct exact *exact;
    struct probe_policy policy;
    const struct format *formats[CLI_FORMATS];
    struct calc_result results[CLI_FORMATS];
    size_t format_count, done;
};

/* Several arguments are one expression, with spaces between them. */
static char *join(struct cli *c)
{
    size_t size = 1;
    for (int i = 0; i < c->operand_count; i++)
        size += strlen(c->operands[i]) + 1;
    char *text = calloc(size, 1);
    for (int i = 0; text && i < c->operand_count; i++)
        snprintf(text + strlen(text), size - strlen(text), "%s%s", i ? " " : "", c->operands[i]);
    return text;
}

static int read_question(struct cli *c, struct question *q)
{
    struct exact_error error;
    q->policy.saturate = cli_flag(c, "--saturate");
    q->policy.ftz = cli_flag(c, "--ftz");
    q->policy.daz = cli_flag(c, "--daz");
    if (!cli_rounding(c, &q->policy.mode) || !cli_seed(c, &q->policy.seed))
        return CLI_USAGE;
    int status = cli_format_list(c, q->formats, &q->format_count);
    if (status != CLI_DONE)
        return status;
    q->text = join(c);
    if (!q->text)
        return cli_fail(c, CLI_FAILED, "out of memory");
    q->calc = calc_parse(q->text, &error);
    if (!q->calc)
        return cli_fail_value(c, "", q->text, &error);
    q->exact = calc_exact(q->calc);
    return CLI_DONE;
}

static int run(struct cli *c, struct question *q, struct device *d)
{
    struct exact_error error;
    char quoted[CLI_TEXT];
    cli_quote(quoted, sizeof quoted, q->text);
    for (; q->done < q->format_count; q->done++) {
        enum calc_status status =
            calc_run(d, q->calc, q->exact, q->formats[q->done], &q->policy, &q->results[q->done], &error);
        if (status == CALC_NO_VALUE)
            return cli_fail(c, CLI_USAGE, "%s: %s", quoted, error.message);
        if (status == CALC_FAILED)
            return cli_fail(c, CLI_FAILED, "%s", error.message);
    }
    return CLI_DONE;
}

/* ---- JSON ---- */

static json_t *step_json(const struct format *f, const struct calc_step *s)
{
    static const char *const names[] = {"a", "b", "c"};
    json_t *o = json_pack("{s:s}", "op", calc_op_names[s->op]);
    for (int i = 0; i < calc_operands(s->op); i++)
        json_object_set_new(o, names[i], report_pair(f, s->operand[i]));
    json_object_set_new(o, "exact", report_exact(s->exact));
    if (s->irrational)
        json_object_set_new(o, "exact_approx", report_approximate(s->approximate));
    json_t *result = report_pair(f, s->bits);
    json_object_set_new(result, "tie", s->has_tie ? json_string(exact_tie_name(s->tie)) : json_null());
    json_object_set_new(result, "flags", report_flags(s->flags));
    json_object_set_new(o, "result", result);
    if (s->differs_via_fp32)
        json_object_set_new(o, "via_fp32", report_pair(f, s->via_fp32));
    if (s->differs_via_fp64)
        json_object_set_new(o, "via_fp64", report_pair(f, s->via_fp64));
    return o;
}

static int print_json(struct cli *c, const struct question *q, const struct device *d)
{
    json_t *root = report_begin("calc"), *formats = json_array();
    json_object_set_new(root, "device", json_string(d->name));
    report_policy(root, &q->policy);
    json_object_set_new(root, "input", json_string(q->text));
    json_object_set_new(root, "exact", report_exact(q->exact));
    for (size_t i = 0; i < q->format_count; i++) {
        const struct calc_result *r = &q->results[i];
        json_t *steps = json_array();
        for (size_t k = 0; k < r->count; k++)
            json_array_append_new(steps, step_json(r->format, &r->steps[k]));
        json_array_append_new(formats, json_pack("{s:s, s:o, s:o, s:o}", "format", r->format->name, "steps",
                                                 steps, "result", report_pair(r->format, r->bits), "error",
                                                 report_exact(r->error)));
    }
    json_object_set_new(root, "formats", formats);
    return report_print(c->out, root) ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
}

/* ---- text ---- */

static void put_pair(struct cli *c, const struct format *f, uint32_t bits)
{
    char hex[TEXT_HEX], value[TEXT_SHORT];
    text_hex(hex, sizeof hex, f, bits);
    text_bits_value(value, sizeof value, f, bits, 13);
    cli_put(c, ROLE_PLAIN, value, 0);
    cli_put(c, ROLE_QUIET, " (", 0);
    cli_put(c, ROLE_QUIET, hex, 0);
    cli_put(c, ROLE_QUIET, ")", 0);
}

static void put_operation(struct cli *c, const struct format *f, const struct calc_step *s)
{
    if (s->op == ARITHMETIC_FMA || s->op == ARITHMETIC_SQRT) {
        cli_printf(c, "%s(", calc_op_names[s->op]);
        for (int i = 0; i < calc_operands(s->op); i++) {
            cli_printf(c, i ? ", " : "");
            put_pair(c, f, s->operand[i]);
        }
        cli_printf(c, ")");
        return;
    }
    put_pair(c, f, s->operand[0]);
    cli_printf(c, " %s ", calc_op_names[s->op]);
    put_pair(c, f, s->operand[1]);
}

static void put_via(struct cli *c, const struct format *f, const char *wide, const struct calc_step *s,
                    uint32_t bits)
{
    cli_printf(c, "          ");
    cli_put(c, ROLE_WARNING, "double rounding", 0);
    cli_printf(c, ": through %s first it would be ", wide);
    put_pair(c, f, bits);
    cli_printf(c, ", not ");
    put_pair(c, f, s->bits);
    cli_printf(c, "\n");
}

static void print_step(struct cli *c, const struct format *f, size_t number, const struct calc_step *s)
{
    char text[TEXT_VALUE];
    cli_printf(c, "  %4zu  ", number);
    put_operation(c, f, s);
    cli_put(c, ROLE_QUIET, "\n        exact ", 0);
    if (s->exact)
        text_value(text, sizeof text, s->exact, 30);
    else if (s->irrational)
        text_format(text, sizeof text, "%.15g…, irrational", s->approximate);
    else
        text_format(text, sizeof text, "–");
    cli_put(c, ROLE_PLAIN, text, 0);
    if (s->has_tie)
        cli_printf(c, ", %s", text_tie(s->tie));
    cli_put(c, ROLE_QUIET, "\n        rounds to ", 0);
    put_pair(c, f, s->bits);
    text_flags(text, sizeof text, s->flags);
    if (*text) {
        cli_put(c, ROLE_QUIET, "  flags ", 0);
        cli_put(c, ROLE_PLAIN, text, 0);
    }
    cli_printf(c, "\n");
    if (s->differs_via_fp32)
        put_via(c, f, "FP32", s, s->via_fp32);
    if (s->differs_via_fp64)
        put_via(c, f, "FP64", s, s->via_fp64);
}

static void print_format(struct cli *c, const struct calc_result *r, const struct probe_policy *policy)
{
    char text[TEXT_VALUE];
    cli_printf(c, "\n");
    cli_put(c, ROLE_STRONG, r->format->name, 6);
    probe_policy_words(r->format, policy, text, sizeof text);
    cli_put(c, ROLE_QUIET, text, 0);
    cli_printf(c, "\n");
    for (size_t i = 0; i < r->count; i++)
        print_step(c, r->format, i + 1, &r->steps[i]);
    cli_put(c, ROLE_QUIET, "  result ", 0);
    put_pair(c, r->format, r->bits);
    if (r->error) {
        text_approximate(text, sizeof text, r->error, 4, true);
        cli_put(c, ROLE_QUIET, "  error ", 0);
        cli_put(c, ROLE_PLAIN, text, 0);
    }
    cli_printf(c, "\n");
}

static int print_text(struct cli *c, const struct question *q)
{
    char exact[TEXT_VALUE];
    cli_put(c, ROLE_QUIET, "value ", 0);
    cli_printf(c, "%s", q->text);
    cli_put(c, ROLE_QUIET, "   every operand and every operation rounded once: ", 0);
    cli_printf(c, "%s%s%s%s\n", round_mode_table[q->policy.mode].title,
               q->policy.saturate ? ", saturating" : "", q->policy.ftz ? ", FTZ" : "",
               q->policy.daz ? ", DAZ" : "");
    if (q->exact)
        text_value(exact, sizeof exact, q->exact, 60);
    else
        text_format(exact, sizeof exact, "– (no value, irrational, or too large)");
    cli_put(c, ROLE_QUIET, "exact ", 0);
    cli_put(c, ROLE_PLAIN, exact, 0);
    cli_printf(c, "\n");
    for (size_t i = 0; i < q->format_count; i++)
        print_format(c, &q->results[i], &q->policy);
    return CLI_DONE;
}

int cli_calc(struct cli *c)
{
    struct question *q = calloc(1, sizeof *q);
    if (!q)
        return cli_fail(c, CLI_FAILED, "out of memory");
    int status = read_question(c, q);
    struct device *d = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (d)
        status = run(c, q, d);
    if (d && status == CLI_DONE)
        status = cli_flag(c, "--json") ? print_json(c, q, d) : print_text(c, q);
    device_close(d);
    for (size_t i = 0; i < q->done; i++)
        calc_result_clear(&q->results[i]);
    calc_free(q->calc);
    exact_free(q->exact);
    free(q->text);
    free(q);
    return status;
}
