/* cli_bits.c: `ulpscope bits`. */
#include "cli_block.h"
#include "cli_explain.h"
#include "cli_text.h"
#include "cli_verbs.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

/* What is asked: values as typed, and to which formats. */
struct question {
    struct probe_policy policy;
    const struct block_format *block; /* NULL: values one by one */
    const struct format *formats[CLI_FORMATS];
    size_t format_count;
    char **texts;
    struct exact **values;
    size_t count, room;
};

/* ---- reading the question ---- */

static int read_policy(struct cli *c, struct probe_policy *p)
{
    const char *nan = cli_value(c, "--nan");
    char quoted[CLI_TEXT];
    int64_t random_bits = 0;
    p->saturate = cli_flag(c, "--saturate");
    p->ftz = cli_flag(c, "--ftz");
    p->daz = cli_flag(c, "--daz");
    int rule = 0;
    while (nan && rule < NAN_RULE_COUNT && strcmp(nan, nan_rule_names[rule]) != 0)
        rule++;
    p->nan = (enum nan_rule)rule;
    if (rule == NAN_RULE_COUNT) {
        cli_quote(quoted, sizeof quoted, nan);
        return cli_fail(c, CLI_USAGE, "--nan: %s: not ours, cuda or x86", quoted);
    }
    if (!cli_integer(c, "--random-bits", 1, 32, &random_bits) || !cli_rounding(c, &p->mode))
        return CLI_USAGE;
    p->random_bits = (int)random_bits;
    return cli_seed(c, &p->seed) ? CLI_DONE : CLI_USAGE;
}

/* A value that one of the formats has no code for is an error of the value. */
static int check_fits(struct cli *c, const struct question *q, const char *where, const char *text,
                      const struct exact *x)
{
    struct exact_error error;
    char quoted[CLI_TEXT];
    cli_quote(quoted, sizeof quoted, text);
    if (q->block)
        return exact_kind(x) == EXACT_FINITE
                   ? CLI_DONE
                   : cli_fail(c, CLI_USAGE, "%s%s: a block takes finite values", where, quoted);
    for (size_t i = 0; i < q->format_count; i++)
        if (!probe_fits(x, q->formats[i], &error))
            return cli_fail(c, CLI_USAGE, "%s%s: %s", where, quoted, error.message);
    return CLI_DONE;
}

static int add_value(struct cli *c, struct question *q, const char *where, const char *text)
{
    if (q->count == q->room) {
        size_t room = q->room ? 2 * q->room : 16;
        char **texts = realloc(q->texts, room * sizeof *texts);
        q->texts = texts ? texts : q->texts;
        struct exact **values = realloc(q->values, room * sizeof *values);
        q->values = values ? values : q->values;
        if (!texts || !values)
            return cli_fail(c, CLI_FAILED, "out of memory");
        q->room = room;
    }
    struct exact_error error;
    struct exact *x = exact_parse(text, &error);
    if (!x)
        return cli_fail_value(c, where, text, &error);
    int status = check_fits(c, q, where, text, x);
    char *copy = status == CLI_DONE ? strdup(text) : NULL;
    if (!copy) {
        exact_free(x);
        return status != CLI_DONE ? status : cli_fail(c, CLI_FAILED, "out of memory");
    }
    q->texts[q->count] = copy;
    q->values[q->count++] = x;
    return CLI_DONE;
}

/* A line without the spaces at its ends, which may be a carriage return. */
static char *trim(char *line)
{
    static const char spaces[] = " \t\r\n\v\f";
    char *start = line + strspn(line, spaces);
    size_t n = strlen(start);
    while (n > 0 && strchr(spaces, start[n - 1]))
        start[--n] = '\0';
    return start;
}

/* Standard input: a value a line; empty lines are passed over. */
static int add_input(struct cli *c, struct question *q)
{
    char *line = NULL;
    size_t room = 0;
    int status = CLI_DONE;
    long number = 0;
    ssize_t n;
    while (status == CLI_DONE && (n = getline(&line, &room, c->in)) >= 0) {
        char where[48];
        snprintf(where, sizeof where, "line %ld: ", ++number);
        if (strlen(line) < (size_t)n) { /* a NUL byte: shown as the control character it is */
            struct exact_error error = {strlen(line), "not a number"};
            line[strlen(line)] = '\001';
            line[strcspn(line, "\n")] = '\0';
            status = cli_fail_value(c, where, line, &error);
        } else if (*trim(line)) {
            status = add_value(c, q, where, trim(line));
        }
    }
    if (status == CLI_DONE && ferror(c->in))
        status = cli_fail(c, CLI_FAILED, "cannot read standard input");
    free(line);
    return status;
}

static int read_question(struct cli *c, struct question *q)
{
    int status = read_policy(c, &q->policy);
    if (status == CLI_DONE)
        status = cli_block_format(c, &q->block);
    if (status == CLI_DONE)
        status = cli_format_list(c, q->formats, &q->format_count);
    for (int i = 0; i < c->operand_count && status == CLI_DONE; i++)
        status = strcmp(c->operands[i], "-") == 0 ? add_input(c, q) : add_value(c, q, "", c->operands[i]);
    return status;
}

/* ---- answering ---- */

enum { CHUNK = 1024 }; /* values rounded in one launch */

/* Values first..first+n-1; results[format][value] is room for them. */
static bool print_chunk(struct cli *c, const struct question *q, struct device *d, size_t first, size_t n,
                        struct bits_result *results, struct exact_error *error)
{
    struct probe_policy policy = q->policy;
    bool done = true;
    size_t formats = 0;
    policy.first = (uint32_t)first;
    while (done && formats < q->format_count) {
        done =
            probe_round(d, q->values + first, n, q->formats[formats], &policy, results + formats * n, error);
        formats += done;
    }
    for (size_t i = 0; i < n && done; i++) {
        json_t *list = json_array();
        for (size_t f = 0; f < formats && done; f++) {
            const struct bits_result *r = &results[f * n + i];
            json_t *o = report_bits_result(r);
            json_array_append_new(list, o);
            if (cli_flag(c, "--explain"))
                done = cli_explain_json(o, d, q->values[first + i], r, q->formats, q->format_count, &policy,
                                        error);
        }
        json_t *value = json_pack("{s:s, s:o, s:o}", "input", q->texts[first + i], "exact",
                                  report_exact(q->values[first + i]), "formats", list);
        if (!done) {
            json_decref(value);
        } else if (!report_list_item(c->out, value, first + i == 0)) {
            snprintf(error->message, sizeof error->message, "out of memory");
            done = false;
        }
    }
    for (size_t i = 0; i < formats * n; i++)
        bits_result_clear(&results[i]);
    return done;
}

static int run_json(struct cli *c, const struct question *q, struct device *d)
{
    struct bits_result *results = calloc(CHUNK * q->format_count, sizeof *results);
    struct exact_error error = {0, "out of memory"};
    json_t *root = report_begin("bits");
    json_object_set_new(root, "device", json_string(d->name));
    report_policy(root, &q->policy);
    bool done = report_open_list(c->out, root, "values") && results;
    for (size_t first = 0; first < q->count && done; first += CHUNK) {
        size_t n = q->count - first < CHUNK ? q->count - first : CHUNK;
        done = print_chunk(c, q, d, first, n, results, &error);
    }
    done = done && report_close_list(c->out);
    free(results);
    return done ? CLI_DONE : cli_fail(c, CLI_FAILED, "%s", error.message);
}

static void print_field(struct cli *c, const char *label, const char *text, int width)
{
    cli_put(c, ROLE_QUIET, label, 0);
    cli_put(c, ROLE_PLAIN, text, width);
}

static void print_neighbour(struct cli *c, const char *label, const char *hex, const char *value)
{
    char text[TEXT_HEX + TEXT_SHORT + 8];
    snprintf(text, sizeof text, *hex ? "%s = %s" : "–", hex, value);
    print_field(c, label, text, 30);
}

static void print_row(struct cli *c, const struct bits_row *row)
{
    cli_put(c, ROLE_STRONG, row->format->name, 6);
    cli_put(c, ROLE_SIGN, row->sign, 3);
    cli_put(c, ROLE_EXPONENT, row->exponent, 10);
    cli_put(c, ROLE_SIGNIFICAND, row->trailing, 25);
    cli_put(c, ROLE_PLAIN, row->hex, 12);
    cli_put(c, ROLE_PLAIN, row->class_text, 15);
    cli_printf(c, "%s\n      = ", row->scientific);
    cli_put(c, ROLE_PLAIN, row->value, 38);
    print_field(c, "  error ", row->error, 12);
    cli_put(c, ROLE_PLAIN, row->error_ulp, 15);
    cli_put(c, strstr(row->tie, "overflow") ? ROLE_WARNING : ROLE_PLAIN, row->tie, 0);
    print_neighbour(c, "\n        next down ", row->down_hex, row->down);
    print_neighbour(c, "  next up ", row->up_hex, row->up);
    print_field(c, "  hex float ", row->hexfloat, 0);
    if (*row->flags)
        print_field(c, "  flags ", row->flags, 0);
    cli_printf(c, "\n");
}

static bool all_have_infinity(const struct question *q)
{
    for (size_t i = 0; i < q->format_count; i++)
        if (!format_has_infinity(q->formats[i]))
            return false;
    return true;
}

static void print_head(struct cli *c, const struct question *q, const struct bits_answer *a)
{
    print_field(c, "value ", a->input, 40);
    print_field(c, "  rounding ", a->rounding, 20);
    cli_printf(c, " %s\n",
               q->policy.saturate || all_have_infinity(q) ? a->overflow
                                                          : "overflow → inf, else NaN, else the largest");
    print_field(c, "exact ", a->exact, 40);
    if (*a->binade)
        print_field(c, "  lies in ", a->binade, 0);
    if (q->policy.ftz || q->policy.daz || q->policy.nan)
        cli_printf(c, "\n");
    if (q->policy.ftz)
        cli_printf(c, "FTZ: tiny results become zeros  ");
    if (q->policy.daz)
        cli_printf(c, "DAZ: subnormal operands are zeros  ");
    if (q->policy.nan)
        cli_printf(c, "NaN as %s has it", nan_rule_names[q->policy.nan]);
    cli_put(c, ROLE_QUIET,
            "\n\n      S  exponent  trailing significand     encoding    class          2^e × significand\n",
            0);
}

/* One value in every format asked for. */
static bool print_value(struct cli *c, const struct question *q, struct device *d, size_t i,
                        struct bits_row *row, struct exact_error *error)
{
    struct probe_policy policy = q->policy;
    struct bits_answer head;
    policy.first = (uint32_t)i;
    probe_bits_head(q->texts[i], q->values[i], &policy, &head);
    print_head(c, q, &head);
    for (size_t f = 0; f < q->format_count; f++) {
        if (!probe_bits_row(d, q->texts[i], q->values[i], q->formats[f], &policy, row, error))
            return false;
        print_row(c, row);
        if (cli_flag(c, "--explain") &&
            !cli_explain_print(c, d, q->values[i], row, q->formats, q->format_count, &policy, error))
            return false;
    }
    return true;
}

static int run_text(struct cli *c, const struct question *q, struct device *d)
{
    struct bits_row *row = malloc(sizeof *row);
    struct exact_error error = {0, "out of memory"};
    bool done = row;
    for (size_t i = 0; i < q->count && done; i++) {
        done = print_value(c, q, d, i, row, &error);
        if (i + 1 < q->count)
            cli_printf(c, "\n");
    }
    free(row);
    return done ? CLI_DONE : cli_fail(c, CLI_FAILED, "%s", error.message);
}

int cli_bits(struct cli *c)
{
    struct question q = {0};
    int status = read_question(c, &q);
    struct device *d = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (d && q.block) {
        struct cli_block block = {q.block, q.texts, q.values, q.count, &q.policy};
        status = cli_block_print(c, d, &block);
    } else if (d)
        status = cli_flag(c, "--json") ? run_json(c, &q, d) : run_text(c, &q, d);
    device_close(d);
    for (size_t i = 0; i < q.count; i++) {
        free(q.texts[i]);
        exact_free(q.values[i]);
    }
    free(q.texts);
    free(q.values);
    return status;
}
