/* cli.h: the command line of ulpscope. */
#ifndef ULPSCOPE_SRC_CLI_H
#define ULPSCOPE_SRC_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit statuses of the contract. */
enum cli_status { CLI_DONE, CLI_FAILED, CLI_USAGE, CLI_DIFFERS, CLI_NO_DEVICE };

/* What the common options and the environment say. */
struct cli_common {
    const char *device; /* "auto", "cpu", "cuda" */
    bool color;         /* on standard output */
    bool ascii;         /* only ASCII can be shown, or is wanted */
    bool no_mouse;      /* the terminal keeps clicks and the wheel */
};

enum cli_as { CLI_AS_TEXT, CLI_AS_ANSI, CLI_AS_SVG };

struct cli_screen {
    const char *panel; /* NULL: the first one */
    int columns, rows; /* 0: not given */
    enum cli_as as;
    const char *script; /* a file of commands, or NULL */
};

enum { CLI_TEXT = 512 };

/* What lies above this library: the screens.  Each function returns an exit status and, unless that is
 * CLI_DONE, puts one line about it into error[CLI_TEXT] (without "ulpscope: ").  What they write to `out` is
 * printed if they are done.  A hook may be NULL: then its words are not in this version. */
struct cli_hooks {
    void *context;
    int (*open_panel)(void *context, const struct cli_common *common, const char *panel, char *error);
    int (*show)(void *context, const struct cli_common *common, const struct cli_screen *screen, FILE *out,
                char *error);
    int (*play)(void *context, const struct cli_common *common, const char *file, bool check, FILE *out,
                char *error);
};

/* The whole program: parses the arguments, does what they say, returns the exit status.  Sets LC_CTYPE from
 * the environment and nothing else of the locale. */
int cli_main(int argc, char **argv, const struct cli_hooks *hooks);

/* The same with other streams: for tests. */
int cli_run(int argc, char **argv, const struct cli_hooks *hooks, FILE *in, FILE *out, FILE *err);

#endif
