/* demo.h: scripts of commands that play a lesson.
 *
 * A script is UTF-8 text, one command line of command.h a line; blank lines and lines that begin with # are
 * skipped. `say TEXT` narrates and waits for the person; `expect CLAIM` states what the narration claims. */
#ifndef ULPSCOPE_SRC_DEMO_H
#define ULPSCOPE_SRC_DEMO_H

#include "command.h"
#include "session.h"
#include <stdio.h>

struct demo_line {
    int number; /* in the file, from 1 */
    enum command_id command;
    char *argument;
};

struct demo {
    int count;
    struct demo_line *lines;
};

/* Reads and checks a whole script, a regular file: an unknown command is an error with its line number. False
 * with a message in error[TEXT_LINE]. */
bool demo_load(const char *file, struct demo *out, char *error);
void demo_free(struct demo *d);

/* Plays a script headless: session commands are carried out, screen commands skipped, claims verified; every
 * claim is written to `out` (NULL for silence) with what was found.  Returns the number of claims that
 * failed, the first of them in error[TEXT_LINE]; or -1 with a message there if the script could not be
 * played. */
int demo_check(const struct demo *d, struct session *s, FILE *out, char *error);

#endif
