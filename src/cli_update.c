/* cli_update.c: `ulpscope update`. */
#include "cli_text.h"
#include "cli_verbs.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

static int read_schemes(struct cli *c, uint32_t *schemes)
{
    const char *list = cli_value(c, "--schemes");
    *schemes = (1u << UPDATE_SCHEMES) - 1;
    if (!list || strcmp(list, "all") == 0)
        return CLI_DONE;
    *schemes = 0;
    for (;;) {
        size_t n = strcspn(list, ",");
        char name[64], quoted[CLI_TEXT];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
        int scheme = update_scheme_find(name);
        cli_quote(quoted, sizeof quoted, name);
        if (scheme < 0)
            return cli_fail(c, CLI_USAGE, "--schemes: %s: no such scheme", quoted);
        *schemes |= 1u << scheme;
        if (!list[n])
            return CLI_DONE;
        list += n + 1;
    }
}

static int read_texts(struct cli *c, struct update_texts *t)
{
    t->w = cli_value(c, "--w");
    t->delta = cli_value(c, "--delta");
    t->lr = cli_value(c, "--lr");
    t->grad = cli_value(c, "--grad");
    t->steps = 1;
    if (!t->w)
        return cli_fail(c, CLI_USAGE, "--w is missing");
    if (t->delta && (t->lr || t->grad))
        return cli_fail(c, CLI_USAGE, "--delta and --lr with --grad exclude each other");
    if (!t->delta && !t->lr && !t->grad)
        return cli_fail(c, CLI_USAGE, "--delta, or --lr and --grad, is missing");
    if (!t->delta && (!t->lr || !t->grad))
        return cli_fail(c, CLI_USAGE, "%s is missing", t->lr ? "--grad" : "--lr");
    if (!cli_integer(c, "--steps", 1, UPDATE_STEPS_MAX, &t->steps) || !cli_seed(c, &t->seed))
        return CLI_USAGE;
    return read_schemes(c, &t->schemes);
}

static int fail_read(struct cli *c, const struct update_texts *t, const struct exact_error *error,
                     const char *which)
{
    char where[32];
    const char *text = strcmp(which, "w") == 0       ? t->w
                       : strcmp(which, "delta") == 0 ? t->delta
                       : strcmp(which, "lr") == 0    ? t->lr
                                                     : t->grad;
    snprintf(where, sizeof where, "--%s: ", which);
    return cli_fail_value(c, where, text, error);
}

/* ---- JSON ---- */

/* w - steps x delta */
static json_t *exact_end(const struct exact *w, const struct exact *delta, int64_t steps)
{
    struct exact *times = exact_from_double((double)steps);
    struct exact *all = times ? exact_multiply(times, delta) : NULL;
    struct exact *end = all ? exact_subtract(w, all) : NULL;
    json_t *value = report_exact(end);
    exact_free(times);
    exact_free(all);
    exact_free(end);
    return value;
}

static int print_json(struct cli *c, const struct device *d, const struct update_question *q,
                      const struct update_result *results, size_t count)
{
    json_t *root = report_begin("update"), *schemes = json_array();
    json_object_set_new(root, "device", json_string(d->name));
    json_object_set_new(root, "w", report_exact(q->w));
    json_object_set_new(root, "delta", report_exact(q->delta));
    json_object_set_new(root, "steps", json_integer(q->steps));
    json_object_set_new(root, "exact", exact_end(q->w, q->delta, q->steps));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(schemes, report_update_result(&results[i]));
    json_object_set_new(root, "schemes", schemes);
    return report_print(c->out, root) ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
}

static int run_json(struct cli *c, const struct update_texts *t)
{
    struct update_result results[UPDATE_SCHEMES];
    struct update_question q = {.steps = t->steps, .seed = t->seed, .schemes = t->schemes};
    struct exact *w, *delta;
    struct exact_error error;
    const char *which;
    size_t count = 0;
    int status = CLI_DONE;
    if (!probe_update_read(t, &w, &delta, &error, &which))
        return fail_read(c, t, &error, which);
    q.w = w;
    q.delta = delta;
    struct device *d = cli_device(c, &status);
    if (d && !probe_update(d, &q, results, &count, &error)) {
        status = cli_fail(c, CLI_FAILED, "%s", error.message);
    } else if (d) {
        status = print_json(c, d, &q, results, count);
        for (size_t i = 0; i < count; i++)
            update_result_clear(&results[i]);
    }
    device_close(d);
    exact_free(w);
    exact_free(delta);
    return status;
}

/* ---- text ---- */

/* An integer with commas between thousands. */
static void with_commas(char *to, size_t size, int64_t n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    size_t used = 0;
    for (int i = 0; i < length && used + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            to[used++] = ',';
        to[used++] = digits[i];
    }
    to[used] = '\0';
}

static enum cli_role verdict_role(enum update_verdict v)
{
    return v == VERDICT_LOST ? ROLE_WARNING : ROLE_PLAIN;
}

static void print_once(struct cli *c, const struct update_answer *a)
{
    cli_put(c, ROLE_QUIET, "scheme       Δ in the format   Δ in ulps of w     moves w only beyond    w after",
            0);
    cli_printf(c, "\n");
    for (size_t i = 0; i < a->count; i++) {
        const struct update_row *r = &a->rows[i];
        cli_put(c, ROLE_STRONG, r->scheme->name, 13);
        cli_put(c, ROLE_PLAIN, r->delta, 18);
        cli_put(c, ROLE_PLAIN, r->delta_ulp, 19);
        cli_put(c, ROLE_PLAIN, r->threshold, 23);
        cli_put(c, ROLE_PLAIN, r->after_hex, 12);
        cli_put(c, ROLE_PLAIN, r->after, 16);
        cli_put(c, verdict_role(r->verdict), r->verdict_text, 0);
        cli_printf(c, "\n");
    }
}

static void print_repeated(struct cli *c, const struct update_answer *a)
{
    char count[40];
    with_commas(count, sizeof count, a->steps);
    cli_printf(c, "\n");
    cli_put(c, ROLE_QUIET, "after ", 0);
    cli_put(c, ROLE_QUIET, count, 0);
    cli_put(c, ROLE_QUIET, " updates: exact ", 0);
    cli_printf(c, "%s\n", a->exact);
    cli_put(c, ROLE_QUIET,
            "scheme       w after                     moved       lost        first move  master", 0);
    cli_printf(c, "\n");
    for (size_t i = 0; i < a->count; i++) {
        const struct update_row *r = &a->rows[i];
        cli_put(c, ROLE_STRONG, r->scheme->name, 13);
        cli_put(c, ROLE_PLAIN, r->last_hex, 12);
        cli_put(c, ROLE_PLAIN, r->last, 16);
        with_commas(count, sizeof count, r->moved);
        cli_put(c, r->moved ? ROLE_PLAIN : ROLE_WARNING, count, 12);
        with_commas(count, sizeof count, r->lost);
        cli_put(c, ROLE_PLAIN, count, 12);
        with_commas(count, sizeof count, r->first_move);
        cli_put(c, ROLE_PLAIN, r->first_move ? count : "–", *r->master ? 12 : 0);
        cli_put(c, ROLE_PLAIN, r->master, 0);
        cli_printf(c, "\n");
    }
}

static int run_text(struct cli *c, const struct update_texts *t)
{
    struct exact_error error;
    const char *which = "";
    struct exact *w, *delta;
    int status = CLI_DONE;
    /* Read first: a text that is wrong is told before a device that is not there. */
    if (!probe_update_read(t, &w, &delta, &error, &which))
        return fail_read(c, t, &error, which);
    exact_free(w);
    exact_free(delta);
    struct device *d = cli_device(c, &status);
    struct update_answer *a = d ? malloc(sizeof *a) : NULL;
    if (d && !a)
        status = cli_fail(c, CLI_FAILED, "out of memory");
    if (a && !probe_update_answer(d, t, a, &error, &which)) {
        status = cli_fail(c, CLI_FAILED, "%s", error.message);
    } else if (a) {
        cli_put(c, ROLE_QUIET, "w       ", 0);
        cli_put(c, ROLE_PLAIN, a->w, 28);
        cli_put(c, ROLE_QUIET, "  one update  w ← w − Δ", 0);
        cli_printf(c, "\n");
        cli_put(c, ROLE_QUIET, "Δ ", 8);
        cli_put(c, ROLE_PLAIN, a->delta, 28);
        cli_put(c, ROLE_QUIET, "  exact       ", 0);
        cli_printf(c, "%s\n\n", a->target);
        print_once(c, a);
        if (a->steps > 1)
            print_repeated(c, a);
    }
    free(a);
    device_close(d);
    return status;
}

int cli_update(struct cli *c)
{
    struct update_texts texts = {0};
    int status = read_texts(c, &texts);
    if (status != CLI_DONE)
        return status;
    return cli_flag(c, "--json") ? run_json(c, &texts) : run_text(c, &texts);
}
