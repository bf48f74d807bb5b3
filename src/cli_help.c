/* cli_help.c: --help and --version, made from the tables. */
#include "cli_verbs.h"
#include <string.h>

static void print_row(FILE *out, const char *left, const char *help)
{
    enum { COLUMN = 30 };
    int pad = (int)strlen(left) < COLUMN ? COLUMN - (int)strlen(left) : 2;
    fprintf(out, "  %s%*s%s\n", left, pad, "", help);
}

static void print_options(FILE *out, const struct cli_option *options)
{
    for (int i = 0; i < CLI_OPTIONS && options[i].name; i++) {
        const struct cli_option *o = &options[i];
        if (!o->help)
            continue; /* of a later version */
        char left[80];
        char letter[8] = "";
        if (o->letter)
            snprintf(letter, sizeof letter, "-%c, ", o->letter);
        snprintf(left, sizeof left, "%s%s%s%s", letter, o->name, o->argument ? " " : "",
                 o->argument ? o->argument : "");
        print_row(out, left, o->help);
    }
}

static void print_all(FILE *out)
{
    fputs("ulpscope: what FP32, FP16 and BF16 do to a value, to an update and to a training run\n\n"
          "usage: ulpscope [PANEL] [OPTIONS]            the terminal UI, opened at",
          out);
    for (size_t i = 0; i < cli_verb_count; i++)
        if (cli_verb_table[i].is_panel)
            fprintf(out, " %s", cli_verb_table[i].name);
    fputs("\n       ulpscope COMMAND [ARGUMENTS] [OPTIONS]\n\ncommands:\n", out);
    for (size_t i = 0; i < cli_verb_count; i++) {
        const struct cli_verb *v = &cli_verb_table[i];
        char left[80];
        snprintf(left, sizeof left, "%s %s", v->name, v->operands);
        if (v->run != cli_later)
            print_row(out, left, v->help);
    }
    fputs("\noptions of every command:\n", out);
    print_options(out, cli_common_options);
    fputs("\nVALUE: a decimal of any length, 0x1.8p-3, 1/3, 2^-24, fp16:0x3c00, bf16.max, inf, nan,\n"
          "and + - * / ^ ( ) over them, evaluated exactly and rounded once.\n"
          "ulpscope COMMAND --help tells a command's own options.\n",
          out);
}

void cli_print_help(FILE *out, const struct cli_verb *verb)
{
    if (!verb) {
        print_all(out);
        return;
    }
    fprintf(out, "usage: ulpscope %s%s%s%s\n\n%s\n", verb->name, *verb->operands ? " " : "", verb->operands,
            verb->options[0].name ? " [OPTIONS]" : "", verb->help);
    if (verb->options[0].name) {
        fputs("\noptions:\n", out);
        print_options(out, verb->options);
    }
    fputs("\noptions of every command:\n", out);
    print_options(out, cli_common_options);
}

void cli_print_version(FILE *out)
{
    fputs("ulpscope " ULPSCOPE_VERSION "\n", out);
}
