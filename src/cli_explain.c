/* cli_explain.c: reasons, digits, intervals, and the way through another format and back. */
#include "cli_explain.h"
#include "cli_text.h"
#include "probe_text.h"
#include "report.h"
#include <string.h>

/* A line for each policy that is shown, with all that makes it up. */
static bool policies_json(json_t *o, struct device *d, struct exact *x, const struct format *f,
                          const struct probe_policy *policy, struct exact_error *error)
{
    struct bits_policies policies;
    json_t *list = json_array();
    json_object_set_new(o, "policies", list);
    if (!probe_policies(d, x, f, policy, &policies, error))
        return false;
    for (int g = 0; g < policies.count; g++)
        for (int i = 0; i < policies.groups[g].count; i++) {
            const struct policy_cell *cell = &policies.groups[g].cells[i];
            const struct probe_policy *p = &cell->policy;
            json_t *row =
                json_pack("{s:s, s:b, s:b, s:b, s:s}", "rounding", round_mode_table[p->mode].name, "saturate",
                          p->saturate, "ftz", p->ftz, "daz", p->daz, "nan", nan_rule_names[p->nan]);
            json_object_update_new(row, report_pair(f, cell->bits));
            json_array_append_new(list, row);
        }
    return true;
}

bool cli_explain_json(json_t *o, struct device *d, struct exact *x, const struct bits_result *r,
                      const struct format *const *formats, size_t count, const struct probe_policy *policy,
                      struct exact_error *error)
{
    const struct format *f = r->format;
    json_t *list = json_array();
    json_object_set_new(o, "through", list);
    for (size_t i = 0; i < count; i++) {
        const struct format *g = formats[i];
        struct probe_trip trip;
        if (f == g)
            continue;
        if (!probe_trip(d, f, r->bits, g, policy, &trip, error))
            return false;
        if (!*trip.reason)
            json_array_append_new(list,
                                  json_pack("{s:s, s:o, s:o, s:o}", "format", g->name, "there",
                                            report_pair(g, trip.there), "back", report_pair(f, trip.back),
                                            "error", report_exact(trip.lost)));
        exact_free(trip.lost);
    }
    uint64_t away;
    int random_bits;
    if (!probe_chance_words(d, x, f, policy, &away, &random_bits, error))
        return false;
    if (policy->mode == ROUND_SR && exact_kind(x) == EXACT_FINITE)
        json_object_set_new(
            o, "words_away",
            json_pack("{s:I, s:I}", "count", (json_int_t)away, "of", (json_int_t)1 << random_bits));
    if (!policies_json(o, d, x, f, policy, error))
        return false;
    struct probe_twice twice = probe_twice(d, x, r->format, r->bits, policy);
    for (int i = 0; i < 2; i++)
        if (twice.differs[i])
            json_object_set_new(o, i ? "via_fp64" : "via_fp32", report_pair(r->format, twice.bits[i]));
    if (report_explanation(o, r, policy))
        return true;
    snprintf(error->message, sizeof error->message, "out of memory");
    return false;
}

static void print_line(struct cli *c, const char *label, const char *text)
{
    cli_printf(c, "        ");
    cli_put(c, ROLE_QUIET, label, 0);
    cli_printf(c, "%s\n", text);
}

static void print_raw(struct cli *c, const struct format *f, const char *label, uint32_t bits)
{
    char hex[TEXT_HEX], value[TEXT_SHORT];
    text_hex(hex, sizeof hex, f, bits);
    text_bits_value(value, sizeof value, f, bits, 13);
    cli_put(c, ROLE_QUIET, label, 0);
    cli_printf(c, "%s = %s", hex, value);
}

static void print_through(struct cli *c, const struct format *f, uint32_t bits, const struct format *g,
                          const struct probe_trip *trip)
{
    char text[TEXT_SHORT];
    cli_printf(c, "        ");
    cli_put(c, ROLE_QUIET, "through ", 0);
    cli_printf(c, "%s", g->name);
    print_raw(c, g, ": ", trip->there);
    if (trip->back == bits) {
        cli_printf(c, ", and back unchanged\n");
    } else {
        print_raw(c, f, ", and back ", trip->back);
        if (trip->lost) {
            text_approximate(text, sizeof text, trip->lost, 4, true);
            cli_put(c, ROLE_QUIET, "  loss ", 0);
            cli_put(c, ROLE_WARNING, text, 0);
        }
        cli_printf(c, "\n");
    }
}

static void print_via(struct cli *c, const struct format *f, const char *wide, uint32_t bits)
{
    cli_printf(c, "        ");
    cli_put(c, ROLE_WARNING, "double rounding", 0);
    cli_printf(c, ": through %s first it would be", wide);
    print_raw(c, f, " ", bits);
    cli_printf(c, "\n");
}

/* Policies side by side: three to a line. */
static bool print_policies(struct cli *c, struct device *d, struct exact *x, const struct format *f,
                           const struct probe_policy *policy, struct exact_error *error)
{
    struct bits_policies policies;
    char text[TEXT_LINE];
    if (!probe_policies(d, x, f, policy, &policies, error))
        return false;
    probe_policy_words(f, policy, text, sizeof text);
    print_line(c, "policy ", text);
    for (int g = 0; g < policies.count; g++)
        for (int i = 0; i < policies.groups[g].count; i++) {
            const struct policy_group *group = &policies.groups[g];
            const struct policy_cell *cell = &group->cells[i];
            if (i % 3 == 0) {
                cli_printf(c, "        ");
                cli_put(c, ROLE_QUIET, i ? "" : group->label, 16);
            }
            cli_put(c, cell->chosen ? ROLE_STRONG : ROLE_QUIET, cell->name, 5);
            text_format(text, sizeof text, "%s = %s", cell->hex, cell->value);
            bool ends = i % 3 == 2 || i + 1 == group->count;
            cli_put(c, ROLE_PLAIN, text, ends ? 0 : 32);
            cli_printf(c, ends ? "\n" : "");
        }
    if (*policies.note)
        print_line(c, "", policies.note);
    return true;
}

bool cli_explain_print(struct cli *c, struct device *d, struct exact *x, const struct bits_row *row,
                       const struct format *const *formats, size_t count, const struct probe_policy *policy,
                       struct exact_error *error)
{
    const struct format *f = row->format;
    char text[TEXT_LINE];
    struct exact *shortest = probe_shortest(f, row->bits);
    uint32_t all = (uint32_t)((UINT64_C(1) << f->width) - 1);
    probe_class_why(f, row->bits, text, sizeof text);
    cli_printf(c, "        ");
    cli_put(c, ROLE_PLAIN, row->class_text, 0);
    cli_printf(c, ": %s\n", text);
    for (int i = 0; i < 3; i++)
        if (*row->why[i])
            print_line(c, "", row->why[i]);
    if (shortest) {
        text_value(text, sizeof text, shortest, 20);
        text_append(text, sizeof text, "  certain digits %d", probe_certain_digits(f, row->bits));
        print_line(c, "shortest decimal ", text);
    }
    print_line(c, "reals that round to it ", row->interval);
    cli_printf(c, "        ");
    print_raw(c, f, "bits - 1: ", (row->bits - 1) & all);
    print_raw(c, f, "  bits + 1: ", (row->bits + 1) & all);
    cli_printf(c, "\n");
    exact_free(shortest);
    if (policy->mode == ROUND_SR && exact_kind(x) == EXACT_FINITE) {
        if (!probe_chance(d, x, f, policy, text, sizeof text, error))
            return false;
        print_line(c, "probability to go away from zero ", *text ? text : "0: no random word moves it");
    }
    if (!print_policies(c, d, x, f, policy, error))
        return false;
    struct probe_twice twice = probe_twice(d, x, f, row->bits, policy);
    for (int i = 0; i < 2; i++)
        if (twice.differs[i])
            print_via(c, f, i ? "FP64" : "FP32", twice.bits[i]);
    for (size_t i = 0; i < count; i++) {
        struct probe_trip trip;
        if (formats[i] == f)
            continue;
        if (!probe_trip(d, f, row->bits, formats[i], policy, &trip, error))
            return false;
        if (!*trip.reason)
            print_through(c, f, row->bits, formats[i], &trip);
        exact_free(trip.lost);
    }
    return true;
}
