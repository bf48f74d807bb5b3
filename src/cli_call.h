/* cli_call.h: what a verb of the command line is, and what it can ask for while it runs. */
#ifndef ULPSCOPE_SRC_CLI_CALL_H
#define ULPSCOPE_SRC_CLI_CALL_H

#include "cli.h"
#include "device.h"
#include "exact.h"
#include "kernels.h"
#include <stdint.h>

struct cli;

struct cli_option {
    const char *name;     /* "--formats" */
    char letter;          /* 'f' for -f, or 0 */
    const char *argument; /* what it takes, for help: "FORMATS"; NULL for a flag */
    const char *help;
};

enum { CLI_OPTIONS = 24 }; /* of one verb, and an end mark */

/* One row of the table of verbs. */
struct cli_verb {
    const char *name;
    const char *operands; /* for help: "VALUE...", or "" */
    const char *help;
    bool is_panel;                  /* alone, it opens the UI at this panel */
    int min_operands, max_operands; /* max -1: any number */
    int (*run)(struct cli *c);      /* returns an exit status; cli_later for words of a later version */
    struct cli_option options[CLI_OPTIONS]; /* its own, besides the common ones; ends with name NULL */
};
extern const struct cli_verb cli_verb_table[];
extern const size_t cli_verb_count;

/* The common options, ended by name NULL. */
extern const struct cli_option cli_common_options[];

/* One call of the program. */
struct cli {
    const struct cli_verb *verb; /* NULL before it is known */
    const struct cli_hooks *hooks;
    struct cli_common common;
    const char *device_source; /* what named the device: "--device", "ULPSCOPE_DEVICE" or NULL */
    const char *color;         /* "auto", "always", "never" */
    bool help, version;
    const char *values[CLI_OPTIONS]; /* of the verb's options: NULL if not given, "" for a flag */
    char **operands;
    int operand_count;
    FILE *in;
    FILE *out;    /* collected, and printed when the verb is done: nothing of a failed call reaches standard
                     output */
    FILE *target; /* where it goes then */
    FILE *err;
    char *text; /* what `out` collects */
    size_t size;
};

/* The value of an option of the verb ("" for a flag), or NULL if it was not given. */
const char *cli_value(const struct cli *c, const char *option);
bool cli_flag(const struct cli *c, const char *option);

/* Prints the one line "ulpscope: VERB: MESSAGE" to standard error and returns `status`. */
int cli_fail(struct cli *c, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The line for a text that cannot be read: "ulpscope: VERB: WHERE'0.1x': not a number (at 'x')".  `where` is
 * "", or like "line 3: " or "--w: ".  Returns CLI_USAGE. */
int cli_fail_value(struct cli *c, const char *where, const char *text, const struct exact_error *error);

/* A text in quotes for a message: cut if it is long, control characters replaced. */
void cli_quote(char *to, size_t size, const char *text);

/* An integer option between two bounds; *out keeps its value if the option is not given.  False after an
 * error. */
bool cli_integer(struct cli *c, const char *option, int64_t least, int64_t most, int64_t *out);

/* --seed: an integer of 64 bits, in decimal or hexadecimal; 0 if it is not given.  False after an error. */
bool cli_seed(struct cli *c, uint64_t *out);

/* --rounding: a MODE, roundTiesToEven if it is not given.  False after an error. */
bool cli_rounding(struct cli *c, enum round_mode *out);

/* --formats: FORMATS, or the default list; an exit status. */
enum { CLI_FORMATS = 64 };
int cli_format_list(struct cli *c, const struct format *formats[CLI_FORMATS], size_t *count);

/* Opens the device asked for.  NULL, *status set and the line printed if it cannot be had. */
struct device *cli_device(struct cli *c, int *status);

/* Prints what was collected so far: for verbs that stream, once nothing can be wrong with their arguments any
 * more. False if that fails. */
bool cli_flush(struct cli *c);

/* The text of --help for a verb, or for all (NULL); --version. */
void cli_print_help(FILE *out, const struct cli_verb *verb);
void cli_print_version(FILE *out);

#endif
