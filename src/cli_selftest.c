/* cli_selftest.c: the verb `selftest`. */
#include "cli_verbs.h"
#include "report.h"
#include "selftest.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
    struct cli *c;
    json_t *checks;
    bool show;      /* standard error is a terminal */
    time_t started; /* of the current check */
    const char *current;
};

/* One line on the terminal, written over: how far the current check is, and how long it will take. */
static void show_share(struct progress *p, const char *name, double share)
{
    time_t now = time(NULL);
    if (p->current != name) {
        p->current = name;
        p->started = now;
    }
    if (!p->show)
        return;
    double spent = difftime(now, p->started);
    fprintf(p->c->err, "\r\033[K%3.0f %%  %s", 100 * share, name);
    if (share > 0.02 && spent >= 1)
        fprintf(p->c->err, "  (about %.0f s left)", spent / share * (1 - share));
    fflush(p->c->err);
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
    if (p->checks) {
        json_array_append_new(
            p->checks, json_pack("{s:s,s:I,s:I,s:s,s:f,s:f}", "name", r->name, "checked",
                                 (json_int_t)r->checked, "differing", (json_int_t)r->differing, "first",
                                 r->first, "worst_ulp_approx", r->worst_ulp, "seconds_approx", r->seconds));
        return;
    }
    fprintf(p->c->out, "%-4s  %-60s %11llu checked, %llu differing", r->differing ? "FAIL" : "ok", r->name,
            (unsigned long long)r->checked, (unsigned long long)r->differing);
    if (r->worst_ulp > 0)
        fprintf(p->c->out, ", worst %.4f ulp", r->worst_ulp);
    fprintf(p->c->out, ", %.1f s%s%s\n", r->seconds, *r->first ? ": " : "", r->first);
    cli_flush(p->c);
}

int cli_selftest(struct cli *c)
{
    struct progress progress = {
        .c = c, .checks = cli_flag(c, "--json") ? json_array() : NULL, .show = isatty(2)};
    int status;
    char error[DEVICE_TEXT] = "";
    struct device *d = cli_device(c, &status);
    if (!d)
        return status;
    struct selftest_options options = {d->name, cli_flag(c, "--exhaustive"), report, &progress};
    char name[16], description[DEVICE_TEXT];
    snprintf(name, sizeof name, "%s", d->name);
    snprintf(description, sizeof description, "%s", d->description);
    device_close(d);
    options.device = name;
    int found = selftest_run(&options, error);
    if (progress.checks) {
        json_t *root = report_begin("selftest");
        json_object_update_new(root, json_pack("{s:s,s:s,s:b,s:b,s:o}", "device", name, "description",
                                               description, "exhaustive", options.exhaustive, "passed",
                                               found == 0, "checks", progress.checks));
        report_print(c->out, root);
    } else if (found == 0) {
        fprintf(c->out, "all checks hold on %s (%s)%s\n", name, description,
                options.exhaustive ? ", over every input" : "; --exhaustive takes every input");
    }
    if (found < 0)
        return cli_fail(c, CLI_FAILED, "%s", error);
    if (found > 0) {
        cli_flush(c);
        return cli_fail(c, CLI_FAILED, "%d check%s failed", found, found == 1 ? "" : "s");
    }
    return CLI_DONE;
}
