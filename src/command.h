/* command.h: the one table of commands.  Keys, the `:` line, demo scripts and saved sessions all name these.
 *
 * A command line is a name and its arguments, separated by blanks; the last argument may hold blanks itself
 * ("value 1 - 1e-5").  The session carries out SCOPE_SESSION commands, the screen's app SCOPE_UI ones, and a
 * demo's player SCOPE_DEMO ones; the table is all that help, completion and documentation know. */
#ifndef ULPSCOPE_SRC_COMMAND_H
#define ULPSCOPE_SRC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

enum command_scope { SCOPE_SESSION, SCOPE_UI, SCOPE_DEMO };

/*    id            name              arguments           group     scope          help */
/* clang-format off */
#define COMMAND_TABLE(X)                                                                                                 \
    X(RUN,          "run",            "",                 "run",    SCOPE_SESSION, "train until paused")                  \
    X(PAUSE,        "pause",          "",                 "run",    SCOPE_SESSION, "stop between two launches")           \
    X(TOGGLE,       "toggle",         "",                 "run",    SCOPE_SESSION, "run if paused, pause if running")     \
    X(STEP,         "step",           "[N]",              "run",    SCOPE_SESSION, "N whole steps (1)")                   \
    X(PHASE,        "phase",          "[N]",              "run",    SCOPE_SESSION, "N phases of a step (1)")              \
    X(RESTART,      "restart",        "",                 "run",    SCOPE_SESSION, "back to step 0 with the same seed")   \
    X(TASK,         "task",           "NAME",             "setup",  SCOPE_SESSION, "train another task; restarts")        \
    X(RECIPE,       "recipe",         "NAME",             "setup",  SCOPE_SESSION, "another precision recipe; restarts")  \
    X(SCALER,       "scaler",         "RULE",             "setup",  SCOPE_SESSION, "another loss-scale rule; restarts")   \
    X(OPTIMIZER,    "optimizer",      "NAME",             "setup",  SCOPE_SESSION, "sgd, momentum or adam; restarts")     \
    X(LR,           "lr",             "VALUE",            "setup",  SCOPE_SESSION, "learning rate, from the next update") \
    X(SEED,         "seed",           "N",                "setup",  SCOPE_SESSION, "data and initial weights; restarts")  \
    X(LOSS_WEIGHT,  "loss-weight",    "VALUE",            "setup",  SCOPE_SESSION, "multiplies the loss; restarts")       \
    X(MASTER,       "master",         "on|off",           "setup",  SCOPE_SESSION, "FP32 master weights; restarts")       \
    X(ROUNDING_UPD, "update-rounding","rne|sr|kahan",     "setup",  SCOPE_SESSION, "how weights take updates; restarts")  \
    X(TWIN,         "twin",           "on|off|RECIPE [RULE]","setup",SCOPE_SESSION,"a second lane: fp32, or any recipe; restarts") \
    X(OVERFLOW,     "overflow",       "",                 "run",    SCOPE_SESSION, "one step with an infinity put into a gradient") \
    X(CONTINUE,     "continue",       "",                 "run",    SCOPE_SESSION, "run until a breakpoint hits, or paused") \
    X(INTO,         "into",           "[N]",              "run",    SCOPE_SESSION, "N launches of a step (1)")            \
    X(OUT,          "out",            "",                 "run",    SCOPE_SESSION, "finish this step")                    \
    X(GOTO,         "goto",           "N",                "time",   SCOPE_SESSION, "to step N, forwards or backwards")    \
    X(BACK_STEP,    "back-step",      "[N]",              "time",   SCOPE_SESSION, "N steps back (1); in a step, to its start first") \
    X(BACK_PHASE,   "back-phase",     "",                 "time",   SCOPE_SESSION, "to the start of the phase before")    \
    X(BACK_OP,      "back-op",        "",                 "time",   SCOPE_SESSION, "before the last launch")              \
    X(BUDGET,       "budget",         "MB",               "time",   SCOPE_SESSION, "memory for going back")               \
    X(BREAK,        "break",          "[CONDITION]",      "break",  SCOPE_SESSION, "stop where it holds; alone: which there are")        \
    X(BREAK_TOGGLE, "break-toggle",   "N",                "break",  SCOPE_SESSION, "breakpoint N off or on")              \
    X(BREAK_DELETE, "break-delete",   "N|all",            "break",  SCOPE_SESSION, "forget breakpoint N")                 \
    X(WHY,          "why",            "",                 "break",  SCOPE_SESSION, "back to the first number that went wrong") \
    X(SET,          "set",            "TENSOR[I,J] = VALUE","inject",SCOPE_SESSION,"put a value into lane 0 by hand")     \
    X(FLIP_AT,      "flip-at",        "TENSOR[I,J] BIT",  "inject", SCOPE_SESSION, "flip a bit of lane 0 by hand")        \
    X(INJECT,       "inject-overflow","",                 "inject", SCOPE_SESSION, "an infinity into the first gradient, here")          \
    X(HEAT,         "heat",           "[TENSOR]",         "value",  SCOPE_SESSION, "a tensor as a map of exponents; none: no map") \
    X(HISTOGRAM,    "histogram",      "[TENSOR]",         "value",  SCOPE_SESSION, "a tensor's exponents as bars; none: away")          \
    X(WATCH_LANE,   "watch-lane",     "[N]",              "value",  SCOPE_SESSION, "the lane whose weight is followed; none: the next") \
    X(LANE,         "lane",           "add RECIPE [WORDS]|drop N","setup",SCOPE_SESSION,"up to four runs; WORDS: RULE DEVICE master= update-rounding=") \
    X(SAVE,         "save",           "FILE",             "file",   SCOPE_SESSION, "save the commands that lead here")    \
    X(LOAD,         "load",           "FILE",             "file",   SCOPE_SESSION, "replay a saved session and verify it") \
    X(RESTORE,      "restore",        "",                 "file",   SCOPE_SESSION, "load what was saved by itself before a crash") \
    X(VALUE,        "value",          "VALUE",            "value",  SCOPE_SESSION, "focus a value as typed")              \
    X(WEIGHT,       "weight",         "[TENSOR[I,J]]",    "value",  SCOPE_SESSION, "focus and watch a weight of the run") \
    X(FLIP,         "flip",           "FORMAT BIT",       "value",  SCOPE_SESSION, "flip a bit of the stored value")      \
    X(NEXT,         "next",           "FORMAT",           "value",  SCOPE_SESSION, "nextUp of the stored value")          \
    X(PREVIOUS,     "previous",       "FORMAT",           "value",  SCOPE_SESSION, "nextDown of the stored value")        \
    X(ROUNDING,     "rounding",       "[MODE]",           "value",  SCOPE_SESSION, "rne rna rtz rup rdn sr; none: the next") \
    X(FORMATS,      "formats",      "[LIST]",           "value",  SCOPE_SESSION, "up to 12, as fp16,e4m3,e5m7; all; none: three") \
    X(SATURATE,     "saturate",     "on|off",           "value",  SCOPE_SESSION, "overflow stores the largest finite value") \
    X(FLUSH,        "flush",        "on|off",           "value",  SCOPE_SESSION, "subnormals become zeros (FTZ and DAZ)") \
    X(NAN,          "nan",          "ours|cuda|x86",    "value",  SCOPE_SESSION, "what a NaN becomes")                  \
    X(CALC,         "calc",         "[EXPR]",           "value",  SCOPE_SESSION, "a calculation, step by step; none: the value") \
    X(BLOCK,        "block",        "[KIND V…]",        "value",  SCOPE_SESSION, "values under one scale: mxfp4 1 (2/3) -3; none: the value") \
    X(RANDOM_BITS,  "random-bits",  "K",                "value",  SCOPE_SESSION, "of stochastic rounding, 1 to 32 (32)") \
    X(UPDATE_W,     "w",              "VALUE",            "value",  SCOPE_SESSION, "Update: the weight")                  \
    X(UPDATE_LR,    "step-size",      "VALUE",            "value",  SCOPE_SESSION, "Update: the learning rate")           \
    X(UPDATE_GRAD,  "gradient",       "VALUE",            "value",  SCOPE_SESSION, "Update: the gradient")                \
    X(UPDATE_DELTA, "delta",          "VALUE",            "value",  SCOPE_SESSION, "Update: the step itself")             \
    X(UPDATE_STEPS, "repeats",        "N",                "value",  SCOPE_SESSION, "Update: how many repeats")            \
    X(PANEL,        "panel",          "NAME",             "screen", SCOPE_UI,      "show a panel")                        \
    X(NEXT_PANEL,   "next-panel",     "",                 "screen", SCOPE_UI,      "the panel to the right")              \
    X(PREV_PANEL,   "previous-panel", "",                 "screen", SCOPE_UI,      "the panel to the left")               \
    X(LEFT,         "left",           "",                 "screen", SCOPE_UI,      "move left")                           \
    X(RIGHT,        "right",          "",                 "screen", SCOPE_UI,      "move right")                          \
    X(UP,           "up",             "",                 "screen", SCOPE_UI,      "move up")                             \
    X(DOWN,         "down",           "",                 "screen", SCOPE_UI,      "move down")                           \
    X(PAGE_UP,      "page-up",        "",                 "screen", SCOPE_UI,      "a screen up")                         \
    X(PAGE_DOWN,    "page-down",      "",                 "screen", SCOPE_UI,      "a screen down")                       \
    X(HOME,         "home",           "",                 "screen", SCOPE_UI,      "to the first")                        \
    X(END,          "end",            "",                 "screen", SCOPE_UI,      "to the last")                         \
    X(CURVE,        "curve",          "[NAME]",           "screen", SCOPE_UI,      "plot loss, flushed, lost, scale, norm or weight; none: the next") \
    X(SCRUB,        "scrub",          "PERCENT",          "screen", SCOPE_UI,      "along the run as far as it is known") \
    X(ACCEPT,       "accept",         "",                 "screen", SCOPE_UI,      "take what is selected into Bits")     \
    X(FLIP_HERE,    "flip-here",      "",                 "screen", SCOPE_UI,      "flip the selected bit")               \
    X(NEXT_HERE,    "next-here",      "",                 "screen", SCOPE_UI,      "next value of the selected format")   \
    X(PREV_HERE,    "previous-here",  "",                 "screen", SCOPE_UI,      "previous value of the selected format") \
    X(EDIT,         "edit",           "[COMMAND]",        "screen", SCOPE_UI,      "type a command's argument")           \
    X(COMMAND_LINE, "command-line",   "",                 "screen", SCOPE_UI,      "type a command")                      \
    X(SEARCH,       "search",         "[TEXT]",           "screen", SCOPE_UI,      "find text in a list")                 \
    X(SEARCH_NEXT,  "search-next",    "",                 "screen", SCOPE_UI,      "the next match")                      \
    X(SEARCH_PREV,  "search-previous","",                 "screen", SCOPE_UI,      "the match before")                    \
    X(HELP,         "help",           "",                 "screen", SCOPE_UI,      "keys and commands")                   \
    X(BACK,         "back",           "",                 "screen", SCOPE_UI,      "one level back")                      \
    X(REDRAW,       "redraw",         "",                 "screen", SCOPE_UI,      "draw the whole screen again")         \
    X(PLAY,         "play",           "FILE",             "screen", SCOPE_UI,      "play a demo script")                  \
    X(EXPORT,       "export",         "FILE",             "screen", SCOPE_UI,      "save the screen: .txt, .ansi or .svg") \
    X(MOUSE,        "mouse",          "on|off",           "screen", SCOPE_UI,      "clicks and the wheel; off leaves them to the terminal") \
    X(QUIT,         "quit",           "",                 "screen", SCOPE_UI,      "leave at once")                       \
    X(SAY,          "say",            "TEXT",             "demo",   SCOPE_DEMO,    "narrate, and wait for a key")         \
    X(EXPECT,       "expect",         "FACT OP VALUE",    "demo",   SCOPE_DEMO,    "a claim that play --check verifies")
/* clang-format on */

enum command_id {
#define COMMAND_ENUM(id, ...) COMMAND_##id,
    COMMAND_TABLE(COMMAND_ENUM)
#undef COMMAND_ENUM
        COMMAND_COUNT
};

struct command {
    const char *name, *arguments, *group;
    enum command_scope scope;
    const char *help;
};
extern const struct command command_table[COMMAND_COUNT];

/* Splits a line at its first blanks: the command, or COMMAND_COUNT with a message in error[160] if there is
 * none of that name.  *argument points into the line: what follows, without blanks around it (trailing blanks
 * are cut off). */
enum command_id command_parse(char *line, char **argument, char *error);

/* Whether the command can take that argument at all: one that must be there is, and where none is taken there
 * is none.  False with a message in error[160]. */
bool command_check(enum command_id id, const char *argument, char *error);

/* The index-th command whose name begins with `prefix`, or COMMAND_COUNT: for completion. */
enum command_id command_complete(const char *prefix, int index);

#endif
