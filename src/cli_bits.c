/* cli_bits.c: `ulpscope bits`. */
#include "cli_text.h"
#include "cli_verbs.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

enum { FORMATS_MAX = 32 };

/* What is asked: values as typed, and to which formats. */
struct question {
    struct probe_policy policy;
    const struct format *formats[FORMATS_MAX];
    size_t format_count;
    char **texts;
    struct exact **values;
    size_t count, room;
};

/* ---- reading the question ---- */

/* Formats that the contract names and a later version will have, and eXmY. */
static bool format_of_later(const char *name)
{
    static const char *const later[] = {"tf32", "e5m2",   "e4m3", "e3m2", "e2m3", "e2m1",
                                        "e8m0", "e4m3fn", "fp8",  "fp6",  "fp4"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcasecmp(name, later[i]) == 0)
            return true;
    size_t e = name[0] == 'e' ? strspn(name + 1, "0123456789") : 0;
    size_t m = e && name[e + 1] == 'm' ? strspn(name + e + 2, "0123456789") : 0;
    return m && name[e + 2 + m] == '\0';
}

static int add_format(struct cli *c, struct question *q, const char *name)
{
    char quoted[CLI_TEXT];
    const struct format *f = format_find(name);
    bool all = strcmp(name, "all") == 0;
    cli_quote(quoted, sizeof quoted, name);
    if (!f && !all)
        return cli_fail(c, CLI_USAGE, "%s: %s", quoted,
                        format_of_later(name) ? "not in this version" : "no such format");
    for (int i = 0; i < FORMAT_COUNT; i++) {
        if (!all && &format_table[i] != f)
            continue;
        if (q->format_count == FORMATS_MAX)
            return cli_fail(c, CLI_USAGE, "--formats: more than %d of them", FORMATS_MAX);
        q->formats[q->format_count++] = &format_table[i];
    }
    return CLI_DONE;
}

static int read_formats(struct cli *c, struct question *q)
{
    const char *list = cli_value(c, "--formats");
    int status = CLI_DONE;
    if (!list)
        list = "fp32,fp16,bf16";
    while (status == CLI_DONE) {
        size_t n = strcspn(list, ",");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
        status = add_format(c, q, name);
        if (!list[n])
            break;
        list += n + 1;
    }
    return status;
}

static int read_policy(struct cli *c, struct question *q)
{
    const char *mode = cli_value(c, "--rounding");
    char quoted[CLI_TEXT];
    q->policy.saturate = cli_flag(c, "--saturate");
    if (mode && !round_mode_find(mode, &q->policy.mode)) {
        cli_quote(quoted, sizeof quoted, mode);
        return cli_fail(c, CLI_USAGE, "--rounding: %s: not rne, rna, rtz, rup, rdn or sr", quoted);
    }
    return cli_seed(c, &q->policy.seed) ? CLI_DONE : CLI_USAGE;
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
    char *copy = strdup(text);
    if (!copy) {
        exact_free(x);
        return cli_fail(c, CLI_FAILED, "out of memory");
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
    int status = read_policy(c, q);
    if (status == CLI_DONE)
        status = read_formats(c, q);
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
        for (size_t f = 0; f < formats; f++)
            json_array_append_new(list, report_bits_result(&results[f * n + i]));
        json_t *value = json_pack("{s:s, s:o, s:o}", "input", q->texts[first + i], "exact",
                                  report_exact(q->values[first + i]), "formats", list);
        done = report_list_item(c->out, value, first + i == 0);
        if (!done)
            snprintf(error->message, sizeof error->message, "out of memory");
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
    json_object_set_new(root, "rounding", json_string(round_mode_table[q->policy.mode].name));
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

static void print_answer(struct cli *c, const struct question *q, const struct bits_answer *a)
{
    print_field(c, "value ", a->input, 40);
    print_field(c, "  rounding ", a->rounding, 20);
    cli_printf(c, " %s\n", a->overflow);
    print_field(c, "exact ", a->exact, 40);
    if (*a->binade)
        print_field(c, "  lies in ", a->binade, 0);
    cli_put(c, ROLE_QUIET,
            "\n\n      S  exponent  trailing significand     encoding    class          2^e × significand\n",
            0);
    for (size_t f = 0; f < q->format_count; f++)
        for (int i = 0; i < FORMAT_COUNT; i++)
            if (a->rows[i].format == q->formats[f])
                print_row(c, &a->rows[i]);
}

static int run_text(struct cli *c, const struct question *q, struct device *d)
{
    struct bits_answer *a = malloc(sizeof *a);
    struct exact_error error;
    int status = a ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
    for (size_t i = 0; i < q->count && status == CLI_DONE; i++) {
        struct probe_policy policy = q->policy;
        policy.first = (uint32_t)i;
        if (!probe_bits(d, q->texts[i], &policy, a, &error))
            status = cli_fail(c, CLI_FAILED, "%s", error.message);
        else
            print_answer(c, q, a);
        if (i + 1 < q->count)
            cli_printf(c, "\n");
    }
    free(a);
    return status;
}

int cli_bits(struct cli *c)
{
    struct question q = {0};
    int status = read_question(c, &q);
    struct device *d = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (d)
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
