/* cli_table.c: every word of the command line.  Parsing and help are made from this table. */
#include "cli_verbs.h"

#define JSON                                                                                                 \
    {                                                                                                        \
        "--json", 0, NULL, "print JSON"                                                                      \
    }
#define SEED                                                                                                 \
    {                                                                                                        \
        "--seed", 0, "N", "seed of stochastic rounding (default 0)"                                          \
    }

const struct cli_option cli_common_options[] = {
    {"--device", 0, "auto|cpu|cuda", "where kernels run (default auto; also ULPSCOPE_DEVICE)"},
    {"--color", 0, "auto|always|never", "colours on standard output (also NO_COLOR)"},
    {"--ascii", 0, NULL, "nothing but ASCII characters"},
    {"--help", 'h', NULL, "print help"},
    {"--version", 'V', NULL, "print the version"},
    {NULL, 0, NULL, NULL},
};

const struct cli_verb cli_verb_table[] = {
    {"bits",
     "VALUE...",
     "how values round: bits, exact value, error, neighbours ('-' reads standard input)",
     true,
     1,
     -1,
     cli_bits,
     {{"--formats", 'f', "FORMATS", "comma list of fp32, fp16, bf16, or all (default fp32,fp16,bf16)"},
      {"--rounding", 'r', "MODE", "rne, rna, rtz, rup, rdn or sr (default rne)"},
      {"--saturate", 0, NULL, "overflow becomes the largest finite value"},
      SEED,
      JSON}},
    {"calc", "EXPR", "", false, 0, -1, cli_later, {JSON}},
    {"update",
     "",
     "what w - lr x g does to a weight in each scheme, once and repeated",
     true,
     0,
     0,
     cli_update,
     {{"--w", 'w', "W", "the weight"},
      {"--delta", 0, "D", "the update; or"},
      {"--lr", 0, "LR", "its learning rate and"},
      {"--grad", 0, "GRAD", "its gradient"},
      {"--steps", 0, "N", "how often it is made (default 1, at most 10000000)"},
      {"--schemes", 0, "LIST", "comma list, as fp16,fp16+master,bf16+sr,bf16+kahan (default: all)"},
      SEED,
      JSON}},
    {"scale", "", "", true, 0, 0, cli_later, {JSON}},
    {"train", "", "", true, 0, 0, cli_later, {JSON}},
    {"ops", "", "", false, 0, -1, cli_later, {JSON}},
    {"learn", "", "", false, 0, -1, cli_later, {JSON}},
    {"show",
     "PANEL",
     "print a panel as text, ANSI or SVG",
     false,
     1,
     1,
     cli_show,
     {{"--size", 0, "COLSxROWS", "its size"},
      {"--as", 0, "text|ansi|svg", "in which form (default text)"},
      {"--script", 0, "FILE", "run the commands of a file first"}}},
    {"play",
     "FILE",
     "play a demo script in the terminal UI",
     false,
     1,
     1,
     cli_play,
     {{"--check", 0, NULL, "run it without a terminal and check what it claims"}}},
    {"selftest", "", "", false, 0, 0, cli_later, {{"--exhaustive", 0, NULL, "all 2^32 inputs"}, JSON}},
    {"bench", "", "", false, 0, 0, cli_later, {JSON}},
    {"formats", "", "list the formats", false, 0, 0, cli_formats, {JSON}},
    {"recipes", "", "", false, 0, 0, cli_later, {JSON}},
    {"tasks", "", "", false, 0, 0, cli_later, {JSON}},
    {"rules", "", "", false, 0, 0, cli_later, {JSON}},
    {"devices", "", "list the devices, and why one is absent", false, 0, 0, cli_devices, {JSON}},
    {"commands", "", "", false, 0, 0, cli_later, {JSON}},
};
const size_t cli_verb_count = sizeof cli_verb_table / sizeof *cli_verb_table;
