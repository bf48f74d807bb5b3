/* cli_selftest.c: the verb `selftest`. */
#include "cli_verbs.h"
#include "report.h"
#include "selftest.h"
#include "whole_file.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct progress {
    struct cli *c;
    json_t *checks;
    bool show; /* standard error is a terminal */
    int threads;
};

/* "40 s", "12 min", "1 h 05 min" */
static const char *duration(double seconds, char *text, size_t size)
{
    int minutes = (int)(seconds / 60 + 0.5);
    if (seconds < 90)
        snprintf(text, size, "%.0f s", seconds);
    else if (minutes < 90)
        snprintf(text, size, "%d min", minutes);
    else
        snprintf(text, size, "%d h %02d min", minutes / 60, minutes % 60);
    return text;
}

static void start(void *context, int checks, int threads, double seconds)
{
    struct progress *p = context;
    char text[32];
    bool json = cli_flag(p->c, "--json");
    FILE *to = json ? p->c->err : p->c->out;
    p->threads = threads;
    if (json && !p->show)
        return;
    fprintf(to, "%d check%s on %d thread%s, about %s\n", checks, checks == 1 ? "" : "s", threads,
            threads == 1 ? "" : "s", duration(seconds < 1 ? 1 : seconds, text, sizeof text));
    if (!json)
        cli_flush(p->c);
}

/* One line on the terminal, written over: how far the whole run and the current check are, and how long it will
 * take. */
static void show_share(struct progress *p, const struct selftest_progress *at)
{
    enum { WIDTH = 10 }; /* the line has less than 80 columns */
    int done = (int)(at->total * WIDTH);
    char text[32];
    fprintf(p->c->err, "\r\033[K[%.*s%*s] %.0f %%, %s left, check %d of %d: %.32s %.0f %%", done,
            "##########", WIDTH - done, "", 100 * at->total, duration(at->seconds_left, text, sizeof text),
            at->index + 1, at->count, at->name, 100 * at->share);
    fflush(p->c->err);
}

static json_t *digest_json(uint64_t digest)
{
    return json_sprintf("0x%016llx", (unsigned long long)digest);
}

static json_t *result_json(const struct selftest_result *r)
{
    return json_pack("{s:s,s:I,s:I,s:s,s:f,s:f,s:o}", "name", r->name, "checked", (json_int_t)r->checked,
                     "differing", (json_int_t)r->differing, "first", r->first, "worst_ulp_approx",
                     r->worst_ulp, "seconds_approx", r->seconds, "digest", digest_json(r->digest));
}

static void report(void *context, const struct selftest_progress *at, const struct selftest_result *r)
{
    struct progress *p = context;
    if (!r) {
        if (p->show)
            show_share(p, at);
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

static bool write_report(const char *file, json_t *root, char *error)
{
    struct whole_file to;
    if (!whole_file_open(&to, file, error))
        return false;
    bool made = json_dumpf(root, to.out, JSON_INDENT(1)) == 0 && fputc('\n', to.out) != EOF;
    return whole_file_close(&to, true, error) && made;
}

/* That a report cannot be written is told before the work, which can take hours. */
static bool can_write(const char *file, char *error)
{
    struct whole_file to;
    return whole_file_open(&to, file, error) && whole_file_close(&to, false, error);
}

#if defined __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

/* What was run, where, when, and what came out. */
static json_t *report_json(const struct selftest_options *options, const char *description, int found,
                           const struct progress *p, uint64_t digest)
{
    char date[32];
    time_t now = time(NULL);
    struct tm utc;
    json_t *root = report_begin("selftest");
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    json_object_update_new(root, json_pack("{s:s,s:s,s:s,s:s,s:s,s:i,s:b,s:s*,s:s*,s:b,s:o,s:O}", "version",
                                           ULPSCOPE_VERSION, "compiler", COMPILER, "date", date, "device",
                                           options->device, "description", description, "threads", p->threads,
                                           "exhaustive", options->exhaustive, "only", options->only,
                                           "vectors", options->vectors, "passed", found == 0, "digest",
                                           digest_json(digest), "checks", p->checks));
    return root;
}

/* Runs what is asked for, and prints it; an exit status. */
static int run(struct cli *c, const struct selftest_options *options, const char *description,
               struct progress *p)
{
    const char *file = cli_value(c, "--report");
    char error[DEVICE_TEXT] = "";
    uint64_t digest = 0;
    if (file && !can_write(file, error))
        return cli_fail(c, CLI_FAILED, "%s", error);
    int found = selftest_run(options, &digest, error);
    if (found < 0)
        return cli_fail(c, CLI_FAILED, "%s", error);
    if (json_array_size(p->checks) == 0)
        return cli_fail(c, CLI_USAGE, "--only '%.40s': no check has that in its name", options->only);
    json_t *root = report_json(options, description, found, p, digest);
    bool saved = !file || write_report(file, root, error);
    if (cli_flag(c, "--json"))
        report_print(c->out, json_incref(root));
    else if (found == 0)
        fprintf(c->out, "all of these hold on %d x %s (%s)%s; digest 0x%016llx\n", p->threads,
                options->device, description,
                options->exhaustive ? ", over every input" : "; --exhaustive takes every input",
                (unsigned long long)digest);
    json_decref(root);
    if (!saved)
        return cli_fail(c, CLI_FAILED, "%s", error);
    if (found > 0) {
        cli_flush(c);
        return cli_fail(c, CLI_FAILED, "%d check%s failed", found, found == 1 ? "" : "s");
    }
    return CLI_DONE;
}

int cli_selftest(struct cli *c)
{
    char name[16], description[DEVICE_TEXT];
    int status;
    struct device *d = cli_device(c, &status);
    if (!d)
        return status;
    snprintf(name, sizeof name, "%s", d->name);
    snprintf(description, sizeof description, "%s", d->description);
    device_close(d);
    struct progress progress = {.c = c, .checks = json_array(), .show = isatty(2)};
    struct selftest_options options = {.device = name,
                                       .exhaustive = cli_flag(c, "--exhaustive"),
                                       .only = cli_value(c, "--only"),
                                       .vectors = cli_value(c, "--vectors"),
                                       .start = start,
                                       .report = report,
                                       .context = &progress};
    status = run(c, &options, description, &progress);
    json_decref(progress.checks);
    return status;
}
