/* keymap.h: which key means which command.
 *
 * The hint bar and the help screen are made from this one table.  A row for a panel goes before a row for all
 * panels.  Ctrl-Z is not here: the terminal's layer suspends by itself. */
#ifndef ULPSCOPE_UI_KEYMAP_H
#define ULPSCOPE_UI_KEYMAP_H

#include "panel.h"

enum { KEYMAP_ALL = -1 }; /* a context: every panel; the others are enum panel_id */

struct key_binding {
    int context;
    const char *key;   /* as term_key names it: "Space", "x" */
    const char *line;  /* the command line that it carries out */
    const char *label; /* how the hint bar shows the key (and its partners): "←→"; NULL: not in the bar */
    const char *hint;  /* one or two words */
    int priority;      /* where there is no room, hints with the highest number go first */
};
extern const struct key_binding keymap_table[];
extern const int keymap_count;

/* What a key does in a panel, or NULL. */
const struct key_binding *keymap_find(enum panel_id panel, const char *key);

/* The hints that fit into `cols` columns, in the order of the bar; returns how many were written to
 * out[room]. */
int keymap_hints(enum panel_id panel, int cols, const struct key_binding **out, int room);

/* How a key is written for people: "←" for Left, "Ctrl-L" for C-l, else its name. */
const char *keymap_key_text(const char *key);

#endif
