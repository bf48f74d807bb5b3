/* loop.h: the program in a terminal: waits for keys and snapshots, and draws when something changed. */
#ifndef ULPSCOPE_UI_LOOP_H
#define ULPSCOPE_UI_LOOP_H

#include "app.h"
#include "session.h"

struct loop_options {
    struct term_options term;
    struct session_options session;
    const char *panel; /* NULL: the first one */
    const char *demo;  /* a script to play, or NULL */
};

enum loop_result { LOOP_DONE, LOOP_FAILED, LOOP_NO_TERMINAL, LOOP_NO_DEVICE };

/* Runs until the person quits.  A message in error[APP_ERROR] unless LOOP_DONE.  A fatal signal restores the
 * terminal and does not return. */
enum loop_result loop_run(const struct loop_options *options, char *error);

#endif
