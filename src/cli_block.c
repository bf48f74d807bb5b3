/* cli_block.c: blocks in JSON and as text. */
#include "cli_block.h"
#include "cli_text.h"
#include "probe_text.h"
#include "report.h"
#include <string.h>

int cli_block_format(struct cli *c, const struct block_format **out)
{
    const char *name = cli_value(c, "--block");
    char quoted[CLI_TEXT], names[CLI_TEXT] = "";
    *out = name ? block_find(name) : NULL;
    if (!name || *out)
        return name && cli_value(c, "--formats")
                   ? cli_fail(c, CLI_USAGE, "--block and --formats exclude each other")
                   : CLI_DONE;
    for (int i = 0; i < BLOCK_FORMATS; i++)
        text_append(names, sizeof names, "%s%s",
                    i == 0                  ? ""
                    : i + 1 < BLOCK_FORMATS ? ", "
                                            : " or ",
                    block_format_table[i].name);
    cli_quote(quoted, sizeof quoted, name);
    return cli_fail(c, CLI_USAGE, "--block: %s: not %s", quoted, names);
}

/* ---- JSON ---- */

static json_t *block_json(const struct cli_block *b, size_t first, const struct block_result *r)
{
    const struct format *element = &format_table[b->format->element],
                        *scale = &format_table[b->format->scale];
    json_t *elements = json_array();
    for (size_t i = 0; i < r->count; i++) {
        const struct block_element *e = &r->elements[i];
        json_array_append_new(
            elements, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "input", b->texts[first + i], "exact",
                                report_exact(b->values[first + i]), "bits", report_bits(element, e->bits),
                                "element", report_exact(e->element), "value", report_exact(e->value), "error",
                                report_exact(e->error), "flags", report_flags(e->flags)));
    }
    return json_pack("{s:o, s:o, s:o}", "max", report_exact(r->largest), "scale",
                     report_pair(scale, r->scale_bits), "elements", elements);
}

static json_t *head_json(const struct cli_block *b, const struct device *d)
{
    json_t *root = report_begin("bits");
    json_object_set_new(root, "device", json_string(d->name));
    report_policy(root, b->policy);
    json_object_set_new(root, "block", json_string(b->format->name));
    json_object_set_new(root, "block_size", json_integer((json_int_t)b->format->size));
    json_object_set_new(root, "element_format", json_string(format_table[b->format->element].name));
    json_object_set_new(root, "scale_format", json_string(format_table[b->format->scale].name));
    return root;
}

/* ---- text ---- */

static void print_head(struct cli *c, const struct cli_block *b)
{
    const struct block_format *f = b->format;
    cli_put(c, ROLE_STRONG, f->title, 0);
    cli_printf(c, "  %zu elements %s share a scale %s = %s\n", f->size, format_table[f->element].name,
               format_table[f->scale].name,
               f->rule == BLOCK_MX ? "2^(floor(log2 max) - emax), as OCP MX v1.0 has it"
                                   : "max / 6, to nearest even");
    cli_printf(c, "elements: %s, saturating\n", round_mode_table[b->policy->mode].title);
}

static void print_block(struct cli *c, const struct cli_block *b, size_t first, const struct block_result *r)
{
    const struct format *f = &format_table[b->format->element];
    char hex[TEXT_HEX], text[TEXT_VALUE];
    text_hex(hex, sizeof hex, &format_table[b->format->scale], r->scale_bits);
    text_power_value(text, sizeof text, r->scale, 12);
    cli_put(c, ROLE_QUIET, "\nscale ", 0);
    cli_printf(c, "%s = %s", hex, text);
    text_value(text, sizeof text, r->largest, 12);
    cli_put(c, ROLE_QUIET, "  largest magnitude ", 0);
    cli_printf(c, "%s\n", text);
    cli_put(c, ROLE_QUIET,
            "  value                 encoding  element     element × scale       error          flags", 0);
    cli_printf(c, "\n");
    for (size_t i = 0; i < r->count; i++) {
        const struct block_element *e = &r->elements[i];
        text_value(text, sizeof text, b->values[first + i], 12);
        cli_printf(c, "  ");
        cli_put(c, ROLE_PLAIN, text, 22);
        text_hex(hex, sizeof hex, f, e->bits);
        cli_put(c, ROLE_PLAIN, hex, 10);
        text_value(text, sizeof text, e->element, 9);
        cli_put(c, ROLE_PLAIN, text, 12);
        text_value(text, sizeof text, e->value, 13);
        cli_put(c, ROLE_PLAIN, text, 22);
        text_approximate(text, sizeof text, e->error, 4, true);
        cli_put(c, ROLE_PLAIN, text, 15);
        text_flags(text, sizeof text, e->flags);
        cli_put(c, strstr(text, "overflow") ? ROLE_WARNING : ROLE_PLAIN, text, 0);
        cli_printf(c, "\n");
    }
}

int cli_block_print(struct cli *c, struct device *d, const struct cli_block *b)
{
    struct exact_error error = {0, "out of memory"};
    bool json = cli_flag(c, "--json"), done = true;
    if (json)
        done = report_open_list(c->out, head_json(b, d), "blocks");
    else
        print_head(c, b);
    for (size_t first = 0; first < b->count && done; first += b->format->size) {
        struct block_result r;
        struct probe_policy policy = *b->policy;
        size_t n = b->count - first < b->format->size ? b->count - first : b->format->size;
        policy.first = (uint32_t)first;
        done = block_round(d, b->format, b->values + first, n, &policy, &r, &error);
        if (done && json)
            done = report_list_item(c->out, block_json(b, first, &r), first == 0);
        else if (done)
            print_block(c, b, first, &r);
        block_clear(&r);
    }
    if (done && json)
        done = report_close_list(c->out);
    return done ? CLI_DONE : cli_fail(c, CLI_FAILED, "%s", error.message);
}
