/* breakpoint.c: reading conditions. */
#include "breakpoint.h"
#include "exact.h"
#include "probe_text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char breakpoint_conditions[] = "overflow, nan, underflow [TENSOR], skip, scale, lost >50%, divergence, "
                                     "loss <X, change WEIGHT, step N";

static const struct {
    const char *name;
    enum { NOTHING, NAME_MAYBE, NAME, NUMBER, PERCENT, STEP } argument;
} kinds[BREAKPOINT_KINDS] = {
    [BREAK_OVERFLOW] = {"overflow", NOTHING},
    [BREAK_NAN] = {"nan", NOTHING},
    [BREAK_UNDERFLOW] = {"underflow", NAME_MAYBE},
    [BREAK_SKIP] = {"skip", NOTHING},
    [BREAK_SCALE] = {"scale", NOTHING},
    [BREAK_LOST] = {"lost", PERCENT},
    [BREAK_DIVERGENCE] = {"divergence", NOTHING},
    [BREAK_LOSS] = {"loss", NUMBER},
    [BREAK_CHANGE] = {"change", NAME},
    [BREAK_STEP] = {"step", STEP},
};

static bool fail(char *error, const char *format, const char *what)
{
    snprintf(error, 160, format, what);
    return false;
}

static bool read_name(const char *text, struct breakpoint *b, char *error)
{
    if (strlen(text) >= sizeof b->name)
        return fail(error, "no tensor '%.60s'", text);
    text_format(b->name, sizeof b->name, "%s", text);
    return true;
}

/* A finite VALUE. */
static bool read_value(const char *text, double *out, char *error)
{
    struct exact_error why;
    struct exact *x = exact_parse(text, &why);
    if (!x)
        return fail(error, "'%.60s' is no number", text);
    *out = exact_to_double(x);
    exact_free(x);
    return isfinite(*out) ? true : fail(error, "'%.60s' is not finite", text);
}

/* "<0.5", "> 2" */
static bool read_limit(const char *text, struct breakpoint *b, char *error)
{
    if (*text != '<' && *text != '>')
        return fail(error, "'%.60s' begins with neither < nor >", text);
    b->above = *text == '>';
    return read_value(text + 1 + strspn(text + 1, " "), &b->limit, error);
}

/* ">50%", "50" */
static bool read_percent(const char *text, struct breakpoint *b, char *error)
{
    char number[32];
    text += strspn(text, "> ");
    text_format(number, sizeof number, "%s", text);
    if (*number && number[strlen(number) - 1] == '%')
        number[strlen(number) - 1] = '\0';
    return read_value(number, &b->limit, error);
}

static bool read_step(const char *text, struct breakpoint *b, char *error)
{
    char *end;
    errno = 0;
    long long step = strtoll(text, &end, 10);
    if (end == text || *end || errno || step < 1)
        return fail(error, "'%.60s' is no step", text);
    b->step = step;
    return true;
}

static bool read_argument(const char *text, int kind, struct breakpoint *b, char *error)
{
    if (kinds[kind].argument == NOTHING)
        return *text ? fail(error, "break %.20s takes nothing more", kinds[kind].name) : true;
    if (kinds[kind].argument == NAME_MAYBE && !*text)
        return true;
    if (!*text)
        return fail(error, "break %.20s: of what?", kinds[kind].name);
    return kinds[kind].argument == NUMBER    ? read_limit(text, b, error)
           : kinds[kind].argument == PERCENT ? read_percent(text, b, error)
           : kinds[kind].argument == STEP    ? read_step(text, b, error)
                                             : read_name(text, b, error);
}

bool breakpoint_parse(const char *text, struct breakpoint *out, char *error)
{
    size_t length = strcspn(text, " \t<>");
    const char *argument = text + length + strspn(text + length, " \t");
    *out = (struct breakpoint){.enabled = true};
    if (strlen(text) >= sizeof out->text)
        return fail(error, "that is too long a condition%s", "");
    text_format(out->text, sizeof out->text, "%s", text);
    for (int k = 0; k < BREAKPOINT_KINDS; k++)
        if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, text, length) == 0) {
            out->kind = (enum breakpoint_kind)k;
            return read_argument(argument, k, out, error);
        }
    return fail(error, "break at one of: %s", breakpoint_conditions);
}
