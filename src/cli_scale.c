/* cli_scale.c: the verb `scale`: a loss-scale rule, step by step, over a trace of overflows.
 *
 * The steps are those of the trainer's own kernel (rescale); the verb only tells it where the overflows are.
 */
#include "cli_verbs.h"
#include "scaler.h"
#include "trainer.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_MAX = 10000000 };

/* An overflow trace, run-length coded: `count` steps that all overflow or all do not, and the next run the
 * other way. */
struct run {
    long count;
    bool overflow;
};

struct trace {
    struct run *runs;
    size_t count, room;
    long steps;
};

static bool trace_add(struct trace *t, long count, bool overflow)
{
    if (count == 0)
        return true;
    t->steps += count;
    if (t->count && t->runs[t->count - 1].overflow == overflow) {
        t->runs[t->count - 1].count += count;
        return true;
    }
    if (t->count == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        struct run *more = realloc(t->runs, room * sizeof *more);
        if (!more)
            return false;
        t->runs = more;
        t->room = room;
    }
    t->runs[t->count++] = (struct run){count, overflow};
    return true;
}

/* Reads "9. 1x 12. 3x"; a missing count is 1.  False with the message and its column in *error. */
static bool trace_parse(const char *text, struct trace *t, struct exact_error *error)
{
    long count = -1;
    for (size_t i = 0; text[i]; i++) {
        char ch = text[i];
        error->column = i;
        if (ch >= '0' && ch <= '9') {
            count = (count < 0 ? 0 : count) * 10 + (ch - '0');
        } else if (ch == '.' || ch == 'x') {
            if (!trace_add(t, count < 0 ? 1 : count, ch == 'x')) {
                snprintf(error->message, sizeof error->message, "out of memory");
                return false;
            }
            count = -1;
        } else if (count >= 0 || !strchr(" \t\r\n", ch)) {
            snprintf(error->message, sizeof error->message, "%s",
                     count >= 0 ? "a count is followed by '.' or 'x'"
                                : "a trace is made of '.', 'x' and counts");
            return false;
        }
        if (count > TRACE_MAX || t->steps > TRACE_MAX) {
            snprintf(error->message, sizeof error->message, "more than %d steps", (int)TRACE_MAX);
            return false;
        }
    }
    error->column = strlen(text);
    snprintf(error->message, sizeof error->message, "%s",
             count >= 0 ? "a count is followed by '.' or 'x'" : "no steps");
    return count < 0 && t->steps > 0;
}

/* The text of a file, at most 1 MiB; NULL and a message in *error. */
static char *file_text(const char *name, struct exact_error *error)
{
    enum { LIMIT = 1 << 20 };
    FILE *file = fopen(name, "rb");
    char *text = file ? malloc(LIMIT + 1) : NULL;
    size_t size = text ? fread(text, 1, LIMIT + 1, file) : 0;
    error->column = 1;
    if (!text || ferror(file) || size > LIMIT) {
        snprintf(error->message, sizeof error->message, "%s",
                 size > LIMIT ? "longer than 1 MiB" : strerror(errno));
        free(text);
        text = NULL;
    } else {
        text[size] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

static int read_trace(struct cli *c, struct trace *t)
{
    const char *text = cli_value(c, "--overflow");
    int64_t steps = 0;
    if (!cli_integer(c, "--steps", 1, TRACE_MAX, &steps))
        return CLI_USAGE;
    if (!text && !steps)
        return cli_fail(c, CLI_USAGE, "give --overflow TRACE or --steps N");
    if (text && steps)
        return cli_fail(c, CLI_USAGE, "give --overflow or --steps, not both");
    if (!text)
        return trace_add(t, steps, false) ? CLI_DONE : cli_fail(c, CLI_FAILED, "out of memory");
    struct exact_error error;
    char *loaded = text[0] == '@' ? file_text(text + 1, &error) : NULL;
    if (text[0] == '@' && !loaded)
        return cli_fail(c, CLI_FAILED, "%s: %s", text + 1, error.message);
    const char *source = loaded ? loaded : text;
    int status =
        trace_parse(source, t, &error) ? CLI_DONE : cli_fail_value(c, "--overflow: ", source, &error);
    free(loaded);
    return status;
}

/* The exact text of a scale; free it. */
static char *scale_text(float scale)
{
    struct exact *x = exact_from_double((double)scale);
    char *text = x ? exact_text(x) : NULL;
    exact_free(x);
    return text;
}

struct line {
    long step;
    float scale, next;
    bool overflow;
    int action, tracker;
};

static bool print_json(struct cli *c, const struct line *l)
{
    char *scale = scale_text(l->scale), *next = scale_text(l->next);
    json_t *row = json_pack("{s:I,s:s,s:b,s:s,s:s,s:i,s:n}", "step", (json_int_t)l->step, "scale", scale,
                            "overflow", l->overflow, "action", scaler_action_name(l->action), "next_scale",
                            next, "tracker", l->tracker, "hysteresis");
    char *text = row ? json_dumps(row, JSON_COMPACT) : NULL;
    if (text)
        fprintf(c->out, "%s\n", text);
    free(text);
    free(scale);
    free(next);
    json_decref(row);
    return text != NULL && (l->step % 1024 || cli_flush(c));
}

/* For people: steps in which nothing happens share a line. */
static bool print_text(struct cli *c, const struct line *l, struct line *held, bool last)
{
    bool quiet = l->action == ACTION_HOLD && !l->overflow;
    if (quiet && held->step < 0)
        *held = *l;
    if (held->step >= 0 && (!quiet || last)) {
        char *scale = scale_text(held->scale);
        long end = quiet ? l->step : l->step - 1;
        char range[48];
        snprintf(range, sizeof range, held->step == end ? "%ld" : "%ld..%ld", held->step, end);
        fprintf(c->out, "%15s  %-10s %s\n", range, "clean", scale ? scale : "");
        free(scale);
        held->step = -1;
    }
    if (!quiet) {
        char *scale = scale_text(l->scale), *next = scale_text(l->next);
        fprintf(c->out, "%15ld  %-10s %s -> %s\n", l->step,
                l->overflow ? "overflow" : scaler_action_name(l->action), scale ? scale : "",
                next ? next : "");
        free(scale);
        free(next);
    }
    return true;
}

static bool run_trace(struct cli *c, struct device *d, const struct scaler *rule, const struct trace *t)
{
    struct run_state state = {.beta1_power = 1.0, .beta2_power = 1.0};
    struct run_settings settings = {0};
    scaler_apply(rule, &settings, &state);
    struct run_settings *device_settings = device_alloc(d, sizeof settings);
    struct step_args args = {device_alloc(d, sizeof state), device_settings, NULL, 0, 1};
    bool ok = args.state && device_settings && device_upload(d, device_settings, &settings, sizeof settings);
    struct line held = {.step = -1};
    if (!cli_flag(c, "--json"))
        fprintf(c->out, "%15s  %-10s %s\n", "step", "what", "scale");
    long step = 0;
    for (size_t r = 0; ok && r < t->count; r++)
        for (long i = 0; ok && i < t->runs[r].count; i++, step++) {
            struct line l = {.step = step, .scale = state.scale, .overflow = t->runs[r].overflow};
            state.found_inf = l.overflow;
            ok = device_upload(d, args.state, &state, sizeof state) &&
                 device_launch(d, KERNEL_rescale, &args) &&
                 device_download(d, &state, args.state, sizeof state);
            l.next = state.scale;
            l.action = state.action;
            l.tracker = state.tracker;
            ok = ok &&
                 (cli_flag(c, "--json") ? print_json(c, &l) : print_text(c, &l, &held, step == t->steps - 1));
        }
    device_release(d, args.state);
    device_release(d, device_settings);
    return ok;
}

int cli_scale(struct cli *c)
{
    const char *text = cli_value(c, "--rule");
    struct scaler rule;
    struct exact_error error;
    struct trace trace = {0};
    if (!text)
        return cli_fail(c, CLI_USAGE, "give --rule RULE (see 'ulpscope rules')");
    if (!scaler_parse(text, &rule, error.message, &error.column))
        return cli_fail_value(c, "--rule: ", text, &error);
    int status = read_trace(c, &trace);
    struct device *d = status == CLI_DONE ? cli_device(c, &status) : NULL;
    if (d && !run_trace(c, d, &rule, &trace))
        status = cli_fail(c, CLI_FAILED, "%s", *device_error(d) ? device_error(d) : "cannot print");
    device_close(d);
    free(trace.runs);
    return status;
}
