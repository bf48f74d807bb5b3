/* scaler.c: the rules' table, and their texts. */
#include "scaler.h"
#include "exact.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct scaler scaler_table[SCALER_RULE_COUNT] = {
    {"none", "no loss scale, no check", SCALER_NONE, 1.0f, 1.0, 1.0, 0, false},
    {"fixed", "a scale that never changes; steps with an infinity or NaN are skipped unless check=off",
     SCALER_FIXED, 1.0f, 1.0, 1.0, 0, true},
    {"pytorch", "torch.amp.GradScaler: x2 after 2000 clean steps, x0.5 and a skipped step at an overflow",
     SCALER_DYNAMIC, 65536.0f, 2.0, 0.5, 2000, true},
};

/* ---- reading settings ---- */

struct setting_target {
    const char *name;
    enum { SETTING_INIT, SETTING_GROWTH, SETTING_BACKOFF, SETTING_WINDOW, SETTING_CHECK } id;
    bool dynamic_only;
};

static const struct setting_target setting_table[] = {
    {"init", SETTING_INIT, false},    {"growth", SETTING_GROWTH, true},   {"backoff", SETTING_BACKOFF, true},
    {"window", SETTING_WINDOW, true}, {"interval", SETTING_WINDOW, true}, {"check", SETTING_CHECK, false},
};

static bool fail(char *error, size_t *column, size_t at, const char *message)
{
    snprintf(error, 160, "%s", message);
    *column = at;
    return false;
}

static bool apply_value(struct scaler *s, const struct setting_target *target, const char *value, char *error,
                        size_t *column, size_t at)
{
    if (target->id == SETTING_CHECK) {
        bool on = strcmp(value, "on") == 0;
        if (!on && strcmp(value, "off") != 0)
            return fail(error, column, at, "check is on or off");
        if (s->kind == SCALER_DYNAMIC && !on)
            return fail(error, column, at, "a dynamic scale cannot do without its check");
        s->check = on;
        return true;
    }
    struct exact_error why;
    struct exact *x = exact_parse(value, &why);
    if (!x)
        return fail(error, column, at + why.column, why.message);
    double number = exact_to_double(x);
    float rounded = exact_to_float(x);
    exact_free(x);
    bool positive = number > 0 && number < 1e300;
    switch (target->id) {
    case SETTING_INIT:
        s->init = rounded;
        return (rounded > 0 && rounded <= 3.4028235e38f) ||
               fail(error, column, at, "a scale is a positive number");
    case SETTING_GROWTH:
        s->growth = number;
        return (positive && number > 1) || fail(error, column, at, "a growth factor is greater than 1");
    case SETTING_BACKOFF:
        s->backoff = number;
        return (positive && number < 1) || fail(error, column, at, "a backoff factor lies between 0 and 1");
    default:
        s->window = number >= 1 && number <= 1e9 ? (int32_t)number : 0;
        return (s->window > 0 && (double)s->window == number) ||
               fail(error, column, at, "a growth interval is a whole number of steps, at least 1");
    }
}

/* One setting, NAME=VALUE, or a bare VALUE as the first of "fixed". */
static bool apply_setting(struct scaler *s, char *text, bool bare_allowed, char *error, size_t *column,
                          size_t at)
{
    char *equals = strchr(text, '=');
    if (!equals && bare_allowed)
        return apply_value(s, &setting_table[0], text, error, column, at);
    if (!equals)
        return fail(error, column, at, "a setting is NAME=VALUE");
    *equals = '\0';
    for (size_t i = 0; i < sizeof setting_table / sizeof *setting_table; i++)
        if (strcmp(setting_table[i].name, text) == 0 &&
            (!setting_table[i].dynamic_only || s->kind == SCALER_DYNAMIC))
            return apply_value(s, &setting_table[i], equals + 1, error, column,
                               at + (size_t)(equals + 1 - text));
    return fail(error, column, at, "no such setting of this rule (init, growth, backoff, window, check)");
}

bool scaler_parse(const char *text, struct scaler *out, char *error, size_t *column)
{
    char copy[512];
    if (strlen(text) >= sizeof copy)
        return fail(error, column, sizeof copy - 1, "too long");
    snprintf(copy, sizeof copy, "%s", text);
    char *settings = strchr(copy, ':');
    if (settings)
        *settings++ = '\0';
    const struct scaler *rule = NULL;
    for (int i = 0; i < SCALER_RULE_COUNT; i++)
        if (strcmp(scaler_table[i].name, copy) == 0)
            rule = &scaler_table[i];
    if (!rule)
        return fail(error, column, 0, "no such rule (none, fixed, pytorch)");
    *out = *rule;
    bool first = true;
    for (char *part = settings, *next; part; part = next, first = false) {
        next = strchr(part, ',');
        if (next)
            *next++ = '\0';
        if (rule->kind == SCALER_NONE)
            return fail(error, column, (size_t)(part - copy), "this rule has no settings");
        if (!apply_setting(out, part, first && rule->kind == SCALER_FIXED, error, column,
                           (size_t)(part - copy)))
            return false;
    }
    if (rule->kind == SCALER_FIXED && !settings)
        return fail(error, column, strlen(text), "a fixed scale needs its value, as in fixed:1024");
    return true;
}

/* Exact where that is short, else as many digits as FP32 needs to come back (IEEE 754 5.12.2: 9). */
static void start_text(float init, char *text, size_t size)
{
    struct exact *x = exact_from_double((double)init);
    char *exact = x ? exact_text_short(x, 12, true) : NULL;
    if (exact && !strstr(exact, "..."))
        snprintf(text, size, "%s", exact);
    else
        snprintf(text, size, "%.9g", (double)init);
    free(exact);
    exact_free(x);
}

void scaler_text(const struct scaler *s, char *text, size_t size)
{
    char scale[32];
    start_text(s->init, scale, sizeof scale);
    if (s->kind == SCALER_NONE)
        snprintf(text, size, "none");
    else if (s->kind == SCALER_FIXED)
        snprintf(text, size, "fixed:%s%s", scale, s->check ? "" : ",check=off");
    else {
        int n = snprintf(text, size, "%s", s->name);
        const char *separator = ":";
        if (s->init != 65536.0f && n >= 0 && (size_t)n < size) {
            n += snprintf(text + n, size - (size_t)n, "%sinit=%s", separator, scale);
            separator = ",";
        }
        if (s->growth != 2.0 && n >= 0 && (size_t)n < size) {
            n += snprintf(text + n, size - (size_t)n, "%sgrowth=%.17g", separator, s->growth);
            separator = ",";
        }
        if (s->backoff != 0.5 && n >= 0 && (size_t)n < size) {
            n += snprintf(text + n, size - (size_t)n, "%sbackoff=%.17g", separator, s->backoff);
            separator = ",";
        }
        if (s->window != 2000 && n >= 0 && (size_t)n < size)
            snprintf(text + n, size - (size_t)n, "%swindow=%d", separator, (int)s->window);
    }
}

/* ---- runs ---- */

void scaler_apply(const struct scaler *s, struct run_settings *settings, struct run_state *state)
{
    settings->scaler = (int32_t)s->kind;
    settings->growth = s->growth;
    settings->backoff = s->backoff;
    settings->growth_interval = s->window;
    state->scale = state->used_scale = s->init;
    state->tracker = 0;
}

const char *scaler_action_name(int action)
{
    static const char *const names[] = {"hold", "grow", "backoff", "absorb", "refuse", "raise"};
    return names[action];
}
