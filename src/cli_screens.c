/* cli_screens.c: `show` and `play`, whose work is done by what lies above this library. */
#include "cli_verbs.h"
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 1000 };

/* "120x36" */
static bool read_size(const char *text, int *columns, int *rows)
{
    char *end;
    if (text[strspn(text, "0123456789x")] != '\0')
        return false;
    long w = strtol(text, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    *columns = (int)w;
    *rows = (int)h;
    return *end == '\0' && w >= 1 && h >= 1 && w <= SIDE_MAX && h <= SIDE_MAX;
}

/* A panel that the contract knows and no version has yet. */
static bool is_later_panel(const char *name)
{
    for (size_t i = 0; i < cli_verb_count; i++)
        if (cli_verb_table[i].run == cli_later && strcmp(cli_verb_table[i].name, name) == 0)
            return true;
    return false;
}

int cli_show(struct cli *c)
{
    static const char *const forms[] = {[CLI_AS_TEXT] = "text", [CLI_AS_ANSI] = "ansi", [CLI_AS_SVG] = "svg"};
    struct cli_screen screen = {.panel = c->operands[0], .script = cli_value(c, "--script")};
    const char *size = cli_value(c, "--size"), *as = cli_value(c, "--as");
    char quoted[CLI_TEXT], error[CLI_TEXT] = "";
    if (!c->hooks->show || is_later_panel(screen.panel))
        return cli_later(c);
    cli_quote(quoted, sizeof quoted, size ? size : "");
    if (size && !read_size(size, &screen.columns, &screen.rows))
        return cli_fail(c, CLI_USAGE, "--size: %s: not COLSxROWS, each from 1 to %d", quoted, SIDE_MAX);
    int form = as ? -1 : CLI_AS_TEXT;
    for (int i = 0; as && i <= CLI_AS_SVG; i++)
        if (strcmp(as, forms[i]) == 0)
            form = i;
    cli_quote(quoted, sizeof quoted, as ? as : "");
    if (form < 0)
        return cli_fail(c, CLI_USAGE, "--as: %s: not text, ansi or svg", quoted);
    screen.as = (enum cli_as)form;
    int status = c->hooks->show(c->hooks->context, &c->common, &screen, c->out, error);
    return status == CLI_DONE ? status : cli_fail(c, status, "%s", error);
}

int cli_play(struct cli *c)
{
    char error[CLI_TEXT] = "";
    if (!c->hooks->play)
        return cli_later(c);
    int status =
        c->hooks->play(c->hooks->context, &c->common, c->operands[0], cli_flag(c, "--check"), c->out, error);
    if (status == CLI_FAILED)
        cli_flush(c); /* which claims held and which did not */
    return status == CLI_DONE ? status : cli_fail(c, status, "%s", error);
}
