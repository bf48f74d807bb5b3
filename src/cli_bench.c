/* cli_bench.c: the verb `bench`: measurements on every device that opens, or on the one asked for. */
#include "bench.h"
#include "cli_verbs.h"
#include "report.h"
#include <string.h>

struct output {
    struct cli *c;
    json_t *results; /* NULL for text */
};

static void report(void *context, const struct bench_result *r)
{
    struct output *o = context;
    if (o->results) {
        json_t *row = json_pack("{s:s,s:s,s:s,s:f}", "group", r->group, "name", r->name, "unit", r->unit,
                                "value_approx", r->value);
        if (r->against > 0)
            json_object_set_new(row, "memcpy_approx", json_real(r->against));
        json_array_append_new(o->results, row);
        return;
    }
    const char *group = strcmp(r->group, "start") == 0 ? "start" : r->group;
    if (strcmp(r->unit, "values/s") == 0)
        fprintf(o->c->out, "  %-7s %-40s %8.2f G values/s   %3.0f %% of memcpy of the same bytes\n", group,
                r->name, r->value / 1e9, 100 * r->value / r->against);
    else if (strcmp(r->unit, "s") == 0)
        fprintf(o->c->out, "  %-7s %-40s %8.2f ms\n", group, r->name, 1e3 * r->value);
    else
        fprintf(o->c->out, "  %-7s %-40s %8.*f %s\n", group, r->name, strcmp(r->unit, "%") == 0, r->value,
                r->unit);
    cli_flush(o->c);
}

static int bench_device(struct cli *c, const char *name, const char *description, json_t *devices)
{
    char error[DEVICE_TEXT] = "";
    struct output o = {c, devices ? json_array() : NULL};
    if (!devices)
        fprintf(c->out, "%s (%s)\n", name, description);
    bool ok = bench_run(name, report, &o, error);
    if (devices)
        json_array_append_new(devices, json_pack("{s:s,s:s,s:o}", "device", name, "description", description,
                                                 "results", o.results));
    return ok ? CLI_DONE : cli_fail(c, CLI_FAILED, "%s: %s", name, error);
}

int cli_bench(struct cli *c)
{
    int status = CLI_DONE;
    json_t *devices = cli_flag(c, "--json") ? json_array() : NULL;
    bool every = strcmp(c->common.device, "auto") == 0;
    if (!every) {
        struct device *d = cli_device(c, &status);
        if (d) {
            char name[16], description[DEVICE_TEXT];
            snprintf(name, sizeof name, "%s", d->name);
            snprintf(description, sizeof description, "%s", d->description);
            device_close(d);
            status = bench_device(c, name, description, devices);
        }
    }
    for (int i = DEVICE_DRIVER_COUNT - 1; every && status == CLI_DONE && i >= 0; i--) {
        char text[DEVICE_TEXT];
        if (device_drivers[i]->probe(text))
            status = bench_device(c, device_drivers[i]->name, text, devices);
    }
    if (devices && status == CLI_DONE) {
        json_t *root = report_begin("bench");
        json_object_set(root, "devices", devices);
        report_print(c->out, root);
    }
    json_decref(devices);
    return status;
}
