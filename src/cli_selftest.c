/* cli_selftest.c: the verb `selftest`. */
#include "cli_verbs.h"
#include "report.h"
#include "selftest.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
    struct cli *c;
    json_t *checks;
    bool show;      /* standard error is a terminal */
    time_t started; /* of the current check */
    char current[80];
};

/* One line on the terminal, written over: how far the current check is, and how long it will take. */
static void show_share(struct progress *p, const char *name, double share)
{
    time_t now = time(NULL);
    if (strcmp(p->current, name) != 0) {
        snprintf(p->current, sizeof p->current, "%s", name);
        p->started = now;
    }
    if (!p->show)
        return;
    enum { WIDTH = 20 };
    double spent = difftime(now, p->started);
    int done = (int)(share * WIDTH);
    fprintf(p->c->err, "\r\033[K[%.*s%*s] %3.0f %%  %s", done, "####################", WIDTH - done, "",
            100 * share, name);
    if (share > 0.02 && spent >= 1)
        fprintf(p->c->err, "  (about %.0f s left)", spent / share * (1 - share));
    fflush(p->c->err);
}

static json_t *result_json(const struct selftest_result *r)
{
    return json_pack("{s:s,s:I,s:I,s:s,s:f,s:f}", "name", r->name, "checked", (json_int_t)r->checked,
                     "differing", (json_int_t)r->differing, "first", r->first, "worst_ulp_approx",
                     r->worst_ulp, "seconds_approx", r->seconds);
}

static void report(void *context, const char *name, double share, const struct selftest_result *r)
{
    struct progress *p = context;
    if (!r) {
        show_share(p, name, share);
        return;
    }
    if (p->show)
        fprintf(p->c->err, "\r\033[K");
    json_array_append_new(p->checks, result_json(r));
    if (cli_flag(p->c, "--json"))
        return;
    fprintf(p->c->out, "%-4s  %-60s %11llu checked, %llu differing", r->differing ? "FAIL" : "ok", r->name,
            (unsigned long long)r->checked, (unsigned long long)r->differing);
    if (r->worst_ulp > 0)
        fprintf(p->c->out, ", worst %.4f ulp", r->worst_ulp);
    fprintf(p->c->out, ", %.1f s%s%s\n", r->seconds, *r->first ? ": " : "", r->first);
    cli_flush(p->c);
}

/* The whole report, to a temporary name first, so that a file of that name is always whole. */
static bool write_report(const char *file, json_t *root, char *error, size_t size)
{
    char name[1024];
    int length = snprintf(name, sizeof name, "%s.tmp", file);
    FILE *to = length > 0 && (size_t)length < sizeof name ? fopen(name, "w") : NULL;
    bool ok = to && json_dumpf(root, to, JSON_INDENT(1)) == 0 && fputc('\n', to) != EOF && fflush(to) == 0 &&
              fsync(fileno(to)) == 0;
    int reason = errno;
    if (to)
        ok = fclose(to) == 0 && ok;
    ok = ok && rename(name, file) == 0;
    if (!ok) {
        snprintf(error, size, "%s: %s", file, strerror(reason ? reason : errno));
        if (to)
            remove(name);
    }
    return ok;
}

static json_t *report_json(const struct selftest_options *options, const char *description, int found,
                           json_t *checks)
{
    json_t *root = report_begin("selftest");
    json_object_update_new(root, json_pack("{s:s,s:s,s:b,s:b,s:O}", "device", options->device, "description",
                                           description, "exhaustive", options->exhaustive, "passed",
                                           found == 0, "checks", checks));
    return root;
}

int cli_selftest(struct cli *c)
{
    struct progress progress = {.c = c, .checks = json_array(), .show = isatty(2)};
    char error[DEVICE_TEXT] = "", name[16], description[DEVICE_TEXT];
    int status;
    struct device *d = cli_device(c, &status);
    if (!d) {
        json_decref(progress.checks);
        return status;
    }
    snprintf(name, sizeof name, "%s", d->name);
    snprintf(description, sizeof description, "%s", d->description);
    device_close(d);
    struct selftest_options options = {.device = name,
                                       .exhaustive = cli_flag(c, "--exhaustive"),
                                       .only = cli_value(c, "--only"),
                                       .report = report,
                                       .context = &progress};
    int found = selftest_run(&options, error);
    bool none = json_array_size(progress.checks) == 0;
    json_t *root = report_json(&options, description, found, progress.checks);
    json_decref(progress.checks);
    bool saved =
        !cli_value(c, "--report") || write_report(cli_value(c, "--report"), root, error, sizeof error);
    if (found >= 0 && saved && !none && cli_flag(c, "--json"))
        report_print(c->out, json_incref(root));
    else if (found == 0 && !none)
        fprintf(c->out, "all of these hold on %s (%s)%s\n", name, description,
                options.exhaustive ? ", over every input" : "; --exhaustive takes every input");
    json_decref(root);
    if (found < 0 || !saved)
        return cli_fail(c, CLI_FAILED, "%s", error);
    if (none)
        return cli_fail(c, CLI_USAGE, "--only '%.40s': no check has that in its name", options.only);
    if (found > 0) {
        cli_flush(c);
        return cli_fail(c, CLI_FAILED, "%d check%s failed", found, found == 1 ? "" : "s");
    }
    return CLI_DONE;
}
