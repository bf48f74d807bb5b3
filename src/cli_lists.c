/* cli_lists.c: `ulpscope formats` and `ulpscope devices`. */
#include "cli_text.h"
#include "cli_verbs.h"
#include "report.h"
#include <stdlib.h>

/* 2^power as the value of a format's row. */
static json_t *power(int power_of_two)
{
    struct exact *one = exact_from_double(1), *x = one ? exact_scale(one, power_of_two) : NULL;
    json_t *value = report_exact(x);
    exact_free(one);
    exact_free(x);
    return value;
}

static json_t *format_json(const struct format *f)
{
    return json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:b, s:b}",
                     "format", f->name, "title", f->title, "width", f->width, "exponent_bits",
                     f->exponent_bits, "trailing_bits", f->trailing_bits, "precision", f->precision, "bias",
                     f->bias, "emin", f->emin, "emax", f->emax, "max", report_bits_value(f, format_max(f)),
                     "min_normal", report_bits_value(f, format_min_normal(f)), "min_subnormal",
                     format_has_zero(f) ? report_bits_value(f, format_min_subnormal(f)) : json_null(),
                     "ulp_1", power(1 - f->precision), "unit_roundoff", power(-f->precision), "has_infinity",
                     format_has_infinity(f), "has_nan", format_has_nan(f));
}

static void put_value(struct cli *c, const struct format *f, uint64_t bits, int width)
{
    struct exact *x = exact_from_bits(f, bits);
    char *text = x ? exact_text_short(x, 9, false) : NULL;
    cli_put(c, ROLE_PLAIN, text ? text : "?", width);
    exact_free(x);
    free(text);
}

static void print_format(struct cli *c, const struct format *f)
{
    static const char *const specials[] = {[FORMAT_INF_NAN] = "inf, NaN",
                                           [FORMAT_NAN_ONLY] = "NaN",
                                           [FORMAT_FINITE] = "none",
                                           [FORMAT_SCALE] = "NaN; no zero"};
    char text[64];
    cli_put(c, ROLE_STRONG, f->name, 7);
    cli_put(c, ROLE_PLAIN, f->title, 16);
    snprintf(text, sizeof text, "%d + %d + %d", format_has_sign(f), f->exponent_bits, f->trailing_bits);
    cli_put(c, ROLE_PLAIN, text, 13);
    snprintf(text, sizeof text, "%d", f->bias);
    cli_put(c, ROLE_PLAIN, text, 6);
    snprintf(text, sizeof text, "%d", f->emin);
    cli_put(c, ROLE_PLAIN, text, 6);
    snprintf(text, sizeof text, "%d", f->emax);
    cli_put(c, ROLE_PLAIN, text, 6);
    put_value(c, f, format_max(f), 17);
    put_value(c, f, format_min_normal(f), 17);
    if (format_has_zero(f))
        put_value(c, f, format_min_subnormal(f), 17);
    else
        cli_put(c, ROLE_PLAIN, "–", 17);
    snprintf(text, sizeof text, "2^%d", 1 - f->precision);
    cli_put(c, ROLE_PLAIN, text, 10);
    char roundoff[32];
    snprintf(roundoff, sizeof roundoff, "2^%d", -f->precision);
    cli_put(c, ROLE_PLAIN, roundoff, 15);
    cli_printf(c, "%s\n", specials[f->specials]);
}

int cli_formats(struct cli *c)
{
    if (cli_flag(c, "--json")) {
        json_t *root = report_begin("formats"), *list = json_array();
        for (int i = 0; i < FORMAT_COUNT; i++)
            json_array_append_new(list, format_json(&format_table[i]));
        json_object_set_new(root, "formats", list);
        return report_print(c->out, root) ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
    }
    cli_put(c, ROLE_QUIET,
            "format title           S + E + T    bias  emin  emax  max              min normal       min "
            "subnormal "
            "   ulp of 1  "
            "unit roundoff  specials\n",
            0);
    for (int i = 0; i < FORMAT_COUNT; i++)
        print_format(c, &format_table[i]);
    return CLI_DONE;
}

int cli_devices(struct cli *c)
{
    json_t *root = report_begin("devices"), *list = json_array();
    bool json = cli_flag(c, "--json");
    for (int i = 0; i < DEVICE_DRIVER_COUNT; i++) {
        const struct device_driver *driver = device_drivers[i];
        char text[DEVICE_TEXT] = "";
        bool usable = driver->probe(text);
        json_array_append_new(list, json_pack("{s:s, s:b, s:s}", "device", driver->name, "usable", usable,
                                              usable ? "description" : "reason", text));
        if (json)
            continue;
        cli_put(c, ROLE_STRONG, driver->name, 6);
        cli_put(c, ROLE_PLAIN, usable ? "yes" : "no", 5);
        cli_printf(c, "%s\n", text);
    }
    json_object_set_new(root, "devices", list);
    if (json)
        return report_print(c->out, root) ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
    json_decref(root);
    return CLI_DONE;
}
