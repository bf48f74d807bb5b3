#include "report.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

json_t *report_exact(const struct exact *x)
{
    char *text = x ? exact_text(x) : NULL;
    json_t *value = text ? json_string(text) : json_null();
    free(text);
    return value;
}

json_t *report_bits(const struct format *f, uint64_t bits)
{
    return json_sprintf("0x%0*llx", (f->width + 3) / 4, (unsigned long long)bits);
}

json_t *report_bits_value(const struct format *f, uint64_t bits)
{
    struct exact *x = exact_from_bits(f, bits);
    json_t *value = report_exact(x);
    exact_free(x);
    return value;
}

json_t *report_pair(const struct format *f, uint64_t bits)
{
    return json_pack("{s:o, s:o}", "bits", report_bits(f, bits), "value", report_bits_value(f, bits));
}

json_t *report_approximate(double x)
{
    return isfinite(x) ? json_real(x == 0 ? 0 : x) : json_null();
}

json_t *report_begin(const char *command)
{
    return json_pack("{s:i, s:s}", "schema", 1, "command", command);
}

void report_policy(json_t *root, const struct probe_policy *policy)
{
    json_object_set_new(root, "rounding", json_string(round_mode_table[policy->mode].name));
    if (policy->saturate)
        json_object_set_new(root, "saturate", json_true());
    if (policy->ftz)
        json_object_set_new(root, "ftz", json_true());
    if (policy->daz)
        json_object_set_new(root, "daz", json_true());
    if (policy->nan != NAN_RULE_OWN)
        json_object_set_new(root, "nan", json_string(nan_rule_names[policy->nan]));
    if (policy->random_bits)
        json_object_set_new(root, "random_bits", json_integer(policy->random_bits));
}

json_t *report_flags(uint32_t raised)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } names[] = {{FLAG_INEXACT, "inexact"},
                 {FLAG_UNDERFLOW, "underflow"},
                 {FLAG_OVERFLOW, "overflow"},
                 {FLAG_INVALID, "invalid"},
                 {FLAG_DIVIDE_BY_ZERO, "divide_by_zero"}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (raised & names[i].flag)
            json_array_append_new(list, json_string(names[i].name));
    return list;
}

/* Of the stored value: emin for zero and subnormals, null for infinities and NaN. */
static json_t *exponent(const struct bits_result *r)
{
    int biased = format_biased_exponent(r->format, r->bits);
    switch (r->class) {
    case CLASS_ZERO:
    case CLASS_SUBNORMAL:
        return json_integer(r->format->emin);
    case CLASS_NORMAL:
        return json_integer(biased - r->format->bias);
    default:
        return json_null();
    }
}

static json_t *trailing(const struct bits_result *r)
{
    const struct format *f = r->format;
    return json_sprintf("0x%0*llx", (f->trailing_bits + 3) / 4,
                        (unsigned long long)format_trailing(f, r->bits));
}

json_t *report_bits_result(const struct bits_result *r)
{
    const struct format *f = r->format;
    char *hexfloat = exact_hexfloat(f, r->bits);
    json_t *o = json_pack(
        "{s:s, s:o, s:i, s:i, s:o, s:o, s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "format", f->name,
        "bits", report_bits(f, r->bits), "sign", format_sign(f, r->bits), "biased_exponent",
        format_biased_exponent(f, r->bits), "exponent", exponent(r), "trailing_significand", trailing(r),
        "class", format_class_name(r->class), "value", report_exact(r->value), "hexfloat",
        hexfloat ? hexfloat : "", "tie", r->has_tie ? json_string(exact_tie_name(r->tie)) : json_null(),
        "error", report_exact(r->error), "error_ulp_approx",
        r->error ? report_approximate(r->error_ulp) : json_null(), "ulp", report_exact(r->ulp), "next_up",
        r->has_up ? report_bits_value(f, r->up) : json_null(), "next_down",
        r->has_down ? report_bits_value(f, r->down) : json_null(), "flags", report_flags(r->flags));
    free(hexfloat);
    return o;
}

/* An end of an interval; NULL is infinite. */
static json_t *end(const struct exact *x, const char *infinite)
{
    return x ? report_exact(x) : json_string(infinite);
}

bool report_explanation(json_t *o, const struct bits_result *r, const struct probe_policy *policy)
{
    const struct format *f = r->format;
    struct bits_explanation e;
    char why[TEXT_LINE];
    bool done = probe_explain(f, r->bits, policy, &e);
    probe_class_why(f, r->bits, why, sizeof why);
    if (done) {
        json_object_set_new(o, "class_because", json_string(why));
        json_object_set_new(o, "shortest", report_exact(e.shortest));
        json_object_set_new(o, "certain_digits", json_integer(e.certain_digits));
        json_object_set_new(o, "interval",
                            e.has_interval ? json_pack("{s:o, s:b, s:o, s:b}", "low", end(e.low, "-inf"),
                                                       "low_closed", e.low_closed, "high", end(e.high, "inf"),
                                                       "high_closed", e.high_closed)
                                           : json_null());
        json_object_set_new(o, "bits_plus_one", report_pair(f, e.raw_plus_one));
        json_object_set_new(o, "bits_minus_one", report_pair(f, e.raw_minus_one));
    }
    bits_explanation_clear(&e);
    return done;
}

json_t *report_update_result(const struct update_result *r)
{
    const struct format *f = &format_table[r->scheme->format];
    const struct update_outcome *o = &r->outcome;
    json_t *scheme = json_pack("{s:s, s:o, s:o}", "scheme", r->scheme->name, "first",
                               report_pair(f, o->first), "last", report_pair(f, o->last));
    if (r->scheme->kind == UPDATE_MASTER)
        json_object_set_new(scheme, "master", report_pair(r->held, o->last_master));
    json_object_set_new(scheme, "moved", json_integer(o->moved));
    json_object_set_new(scheme, "lost", json_integer(o->lost));
    json_object_set_new(scheme, "first_move", o->first_move ? json_integer(o->first_move) : json_null());
    json_object_set_new(scheme, "threshold", report_exact(r->threshold));
    json_object_set_new(scheme, "threshold_moves",
                        r->threshold ? json_boolean(r->threshold_moves) : json_null());
    json_object_set_new(scheme, "delta_ulp_approx",
                        r->spacing ? report_approximate(r->delta_ulp) : json_null());
    json_object_set_new(scheme, "delta_in_format", report_pair(r->held, r->delta_in_format));
    return scheme;
}

enum { STYLE = JSON_COMPACT | JSON_REAL_PRECISION(15) };

bool report_open_list(FILE *out, json_t *root, const char *key)
{
    char *text = root ? json_dumps(root, STYLE) : NULL;
    size_t n = text ? strlen(text) : 0;
    bool done =
        n > 2 && fprintf(out, "%.*s,\"%s\":[", (int)n - 1, text, key) > 0; /* without the closing brace */
    free(text);
    json_decref(root);
    return done;
}

bool report_list_item(FILE *out, json_t *item, bool is_first)
{
    bool done = item && (is_first || fputc(',', out) != EOF) && json_dumpf(item, out, STYLE) == 0;
    json_decref(item);
    return done;
}

bool report_close_list(FILE *out)
{
    return fputs("]}\n", out) >= 0;
}

bool report_print(FILE *out, json_t *root)
{
    bool done = root && json_dumpf(root, out, STYLE) == 0 && fputc('\n', out) != EOF;
    json_decref(root);
    return done;
}
