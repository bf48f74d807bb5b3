/* cli.c: reads the arguments by the table of verbs, and runs what they name. */
#include "cli.h"
#include "cli_verbs.h"
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* "-" and then a digit, '.', '(', inf or nan: a VALUE, not an option. */
static bool is_value(const char *argument)
{
    if (argument[0] != '-')
        return true;
    const char *rest = argument + 1;
    return *rest == '\0' || strchr("0123456789.(", *rest) || strncasecmp(rest, "inf", 3) == 0 ||
           strncasecmp(rest, "nan", 3) == 0;
}

/* An option as typed: which row of `options`, and where its attached value begins (NULL without one). */
static int find_option(const struct cli_option *options, const char *argument, const char **attached)
{
    *attached = NULL;
    for (int i = 0; i < CLI_OPTIONS && options[i].name; i++) {
        size_t n = strlen(options[i].name);
        if (strncmp(argument, options[i].name, n) == 0 && (argument[n] == '\0' || argument[n] == '=')) {
            *attached = argument[n] ? argument + n + 1 : NULL;
            return i;
        }
        if (options[i].letter && argument[1] == options[i].letter &&
            (argument[2] == '\0' || options[i].argument)) {
            *attached = argument[2] ? argument + 2 : NULL;
            return i;
        }
    }
    return -1;
}

static int set_common(struct cli *c, const char *name, const char *value)
{
    if (strcmp(name, "--device") == 0) {
        c->common.device = value;
        c->device_source = "--device";
    } else if (strcmp(name, "--color") == 0) {
        c->color = value;
    } else if (strcmp(name, "--ascii") == 0) {
        c->common.ascii = true;
    } else if (strcmp(name, "--no-mouse") == 0) {
        c->common.no_mouse = true;
    } else if (strcmp(name, "--help") == 0) {
        c->help = true;
    } else {
        c->version = true;
    }
    return CLI_DONE;
}

/* One option at argv[*i]; moves *i over its value.  *common tells whether it was a common one. */
static int parse_option(struct cli *c, int argc, char **argv, int *i, bool *common)
{
    const char *argument = argv[*i], *value;
    char quoted[CLI_TEXT];
    const struct cli_option *options = cli_common_options;
    int row = find_option(options, argument, &value);
    *common = row >= 0;
    if (row < 0 && c->verb) {
        options = c->verb->options;
        row = find_option(options, argument, &value);
    }
    if (row < 0 && c->verb && c->verb->run == cli_later)
        return cli_later(c);
    if (row < 0) {
        cli_quote(quoted, sizeof quoted, argument);
        return cli_fail(c, CLI_USAGE, "%s: no such option", quoted);
    }
    const char *name = options[row].name;
    if (!options[row].argument && value)
        return cli_fail(c, CLI_USAGE, "%s takes no value", name);
    if (options[row].argument && !value) {
        if (*i + 1 >= argc)
            return cli_fail(c, CLI_USAGE, "%s: %s is missing", name, options[row].argument);
        value = argv[++*i];
    }
    if (*common)
        return set_common(c, name, value);
    if (c->values[row])
        return cli_fail(c, CLI_USAGE, "%s is given twice", name);
    c->values[row] = value ? value : "";
    return CLI_DONE;
}

static const struct cli_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < cli_verb_count; i++)
        if (strcmp(cli_verb_table[i].name, name) == 0)
            return &cli_verb_table[i];
    return NULL;
}

/* All arguments.  *further: there is more than a panel's word and common options. */
static int parse(struct cli *c, int argc, char **argv, bool *further)
{
    bool operands_only = false;
    char quoted[CLI_TEXT];
    *further = false;
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        bool common = false;
        if (!operands_only && c->verb && strcmp(argument, "--") == 0) {
            operands_only = *further = true;
        } else if (!operands_only && argument[0] == '-' && (!c->verb || !is_value(argument))) {
            int status = parse_option(c, argc, argv, &i, &common);
            if (status != CLI_DONE)
                return status;
            *further = *further || !common;
        } else if (!c->verb) {
            c->verb = find_verb(argument);
            cli_quote(quoted, sizeof quoted, argument);
            if (!c->verb)
                return cli_fail(c, CLI_USAGE, "%s: no such command (see ulpscope --help)", quoted);
        } else {
            c->operands[c->operand_count++] = argv[i];
            *further = true;
        }
    }
    return CLI_DONE;
}

/* Values of the common options, which the environment may give too. */
static int check_common(struct cli *c)
{
    const char *environment = getenv("ULPSCOPE_DEVICE");
    char quoted[CLI_TEXT];
    if (!c->common.device && environment && *environment) {
        c->common.device = environment;
        c->device_source = "ULPSCOPE_DEVICE";
    }
    if (!c->common.device)
        c->common.device = "auto";
    bool known = strcmp(c->common.device, "auto") == 0;
    for (int i = 0; i < DEVICE_DRIVER_COUNT; i++)
        known = known || strcmp(c->common.device, device_drivers[i]->name) == 0;
    cli_quote(quoted, sizeof quoted, c->common.device);
    if (!known)
        return cli_fail(c, CLI_USAGE, "%s: %s: not auto, cpu or cuda", c->device_source, quoted);
    cli_quote(quoted, sizeof quoted, c->color);
    if (strcmp(c->color, "auto") != 0 && strcmp(c->color, "always") != 0 && strcmp(c->color, "never") != 0)
        return cli_fail(c, CLI_USAGE, "--color: %s: not auto, always or never", quoted);
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    bool terminal = isatty(fileno(c->target)) && term && strcmp(term, "dumb") != 0;
    bool wanted = terminal && !(no_color && *no_color);
    c->common.color = strcmp(c->color, "always") == 0 || (strcmp(c->color, "auto") == 0 && wanted);
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        c->common.ascii = true;
    return CLI_DONE;
}

/* A panel's word alone: the UI, or the panel as text where there is no terminal. */
static int open_panel(struct cli *c)
{
    const char *panel = c->verb ? c->verb->name : NULL;
    char error[CLI_TEXT] = "";
    int status;
    if (isatty(fileno(c->target))) {
        if (!c->hooks->open_panel)
            return cli_later(c);
        status = c->hooks->open_panel(c->hooks->context, &c->common, panel, error);
    } else {
        struct cli_screen screen = {.panel = panel};
        if (!c->hooks->show)
            return cli_later(c);
        status = c->hooks->show(c->hooks->context, &c->common, &screen, c->out, error);
    }
    return status == CLI_DONE ? status : cli_fail(c, status, "%s", error);
}

static int run_verb(struct cli *c)
{
    const struct cli_verb *verb = c->verb;
    char quoted[CLI_TEXT];
    if (verb->run != cli_later && c->operand_count < verb->min_operands)
        return cli_fail(c, CLI_USAGE, "%.*s is missing", (int)strcspn(verb->operands, "."), verb->operands);
    if (verb->max_operands >= 0 && c->operand_count > verb->max_operands) {
        cli_quote(quoted, sizeof quoted, c->operands[verb->max_operands]);
        return cli_fail(c, CLI_USAGE, "%s: one argument too many", quoted);
    }
    return verb->run(c);
}

static int run(struct cli *c, int argc, char **argv)
{
    bool further;
    int status = parse(c, argc, argv, &further);
    if (status == CLI_DONE)
        status = check_common(c);
    if (status != CLI_DONE)
        return status;
    if (c->version)
        cli_print_version(c->out);
    else if (c->help && (!c->verb || c->verb->run != cli_later))
        cli_print_help(c->out, c->verb);
    else if (!c->verb || (c->verb->is_panel && !further))
        return open_panel(c);
    else
        return run_verb(c);
    return CLI_DONE;
}

bool cli_flush(struct cli *c)
{
    if (fflush(c->out) != 0)
        return false;
    bool done = c->size == 0 || fwrite(c->text, 1, c->size, c->target) == c->size;
    rewind(c->out);
    return fflush(c->target) == 0 && done;
}

int cli_run(int argc, char **argv, const struct cli_hooks *hooks, FILE *in, FILE *out, FILE *err)
{
    struct cli c = {.hooks = hooks, .color = "auto", .in = in, .target = out, .err = err};
    c.operands = calloc((size_t)argc + 1, sizeof *c.operands);
    c.out = open_memstream(&c.text, &c.size);
    int status = CLI_FAILED;
    if (c.operands && c.out) {
        status = run(&c, argc, argv);
        if ((status == CLI_DONE || status == CLI_DIFFERS) && !cli_flush(&c))
            status = cli_fail(&c, CLI_FAILED, "cannot write to standard output");
    } else {
        cli_fail(&c, CLI_FAILED, "out of memory");
    }
    if (c.out)
        fclose(c.out);
    free(c.text);
    free(c.operands);
    return status;
}

int cli_main(int argc, char **argv, const struct cli_hooks *hooks)
{
    setlocale(LC_CTYPE, "");
    return cli_run(argc, argv, hooks, stdin, stdout, stderr);
}
