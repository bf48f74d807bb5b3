/* cli_explain.c: reasons, digits, intervals, and the way through another format and back. */
#include "cli_explain.h"
#include "cli_text.h"
#include "probe_text.h"
#include "report.h"
#include <string.h>

/* Whether a format's value can go to g: another one that has a code for it. */
static bool can_go(const struct format *f, uint32_t bits, const struct format *g)
{
    struct exact_error ignored;
    struct exact *x = exact_from_bits(f, bits);
    bool can = x && f != g && probe_fits(x, g, &ignored);
    exact_free(x);
    return can;
}

/* back - value, or NULL where either is not finite. */
static struct exact *loss(const struct format *f, uint32_t bits, uint32_t back)
{
    struct exact *x = exact_from_bits(f, bits), *y = exact_from_bits(f, back);
    struct exact *difference = x && y ? exact_subtract(y, x) : NULL;
    exact_free(x);
    exact_free(y);
    return difference;
}

/* Where rounding twice would give another encoding. */
struct via {
    bool differs_via_fp32, differs_via_fp64;
    uint32_t fp32, fp64;
};

static struct via via_of(struct device *d, const struct exact *x, const struct format *f, uint32_t bits,
                         const struct probe_policy *policy)
{
    struct via v = {0};
    const struct format *typed;
    uint64_t typed_bits;
    struct exact_error ignored;
    if (exact_kind(x) == EXACT_FINITE && !exact_typed_bits(x, &typed, &typed_bits) &&
        probe_via(d, x, f, policy, &v.fp32, &v.fp64, &ignored)) {
        v.differs_via_fp32 = v.fp32 != bits;
        v.differs_via_fp64 = v.fp64 != bits;
    }
    return v;
}

bool cli_explain_json(json_t *o, struct device *d, const struct exact *x, const struct bits_result *r,
                      const struct format *const *formats, size_t count, const struct probe_policy *policy,
                      struct exact_error *error)
{
    json_t *list = json_array();
    json_object_set_new(o, "through", list);
    for (size_t i = 0; i < count; i++) {
        const struct format *f = r->format, *g = formats[i];
        uint32_t there, back;
        if (!can_go(f, r->bits, g))
            continue;
        if (!probe_through(d, f, r->bits, g, policy, &there, &back, error))
            return false;
        struct exact *lost = loss(f, r->bits, back);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o}", "format", g->name, "there",
                                              report_pair(g, there), "back", report_pair(f, back), "error",
                                              report_exact(lost)));
        exact_free(lost);
    }
    int random_bits = policy->random_bits ? policy->random_bits : 32;
    if (policy->mode == ROUND_SR && exact_kind(x) == EXACT_FINITE)
        json_object_set_new(o, "words_away",
                            json_pack("{s:I, s:I}", "count",
                                      (json_int_t)probe_words_away(x, r->format, random_bits), "of",
                                      (json_int_t)1 << random_bits));
    struct via via = via_of(d, x, r->format, r->bits, policy);
    if (via.differs_via_fp32)
        json_object_set_new(o, "via_fp32", report_pair(r->format, via.fp32));
    if (via.differs_via_fp64)
        json_object_set_new(o, "via_fp64", report_pair(r->format, via.fp64));
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
                          uint32_t there, uint32_t back)
{
    char text[TEXT_SHORT];
    struct exact *lost = loss(f, bits, back);
    cli_printf(c, "        ");
    cli_put(c, ROLE_QUIET, "through ", 0);
    cli_printf(c, "%s", g->name);
    print_raw(c, g, ": ", there);
    if (back == bits) {
        cli_printf(c, ", and back unchanged\n");
    } else {
        print_raw(c, f, ", and back ", back);
        if (lost) {
            text_approximate(text, sizeof text, lost, 4, true);
            cli_put(c, ROLE_QUIET, "  loss ", 0);
            cli_put(c, ROLE_WARNING, text, 0);
        }
        cli_printf(c, "\n");
    }
    exact_free(lost);
}

static void print_via(struct cli *c, const struct format *f, const char *wide, uint32_t bits)
{
    cli_printf(c, "        ");
    cli_put(c, ROLE_WARNING, "double rounding", 0);
    cli_printf(c, ": through %s first it would be", wide);
    print_raw(c, f, " ", bits);
    cli_printf(c, "\n");
}

bool cli_explain_print(struct cli *c, struct device *d, const struct exact *x, const struct bits_row *row,
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
        int random_bits = policy->random_bits ? policy->random_bits : 32;
        text_format(text, sizeof text, "%llu of 2^%d random words",
                    (unsigned long long)probe_words_away(x, f, random_bits), random_bits);
        print_line(c, "goes away from zero with ", text);
    }
    struct via via = via_of(d, x, f, row->bits, policy);
    if (via.differs_via_fp32)
        print_via(c, f, "FP32", via.fp32);
    if (via.differs_via_fp64)
        print_via(c, f, "FP64", via.fp64);
    for (size_t i = 0; i < count; i++) {
        uint32_t there, back;
        if (!can_go(f, row->bits, formats[i]))
            continue;
        if (!probe_through(d, f, row->bits, formats[i], policy, &there, &back, error))
            return false;
        print_through(c, f, row->bits, formats[i], there, back);
    }
    return true;
}
