/* keymap.h: which key means which command.
 *
 * The hint bar and the help screen are made from this one table.  A row for a panel goes before a row for all
 * panels.  Ctrl-Z is not here: the terminal's layer suspends by itself. */
#ifndef ULPSCOPE_UI_KEYMAP_H
#define ULPSCOPE_UI_KEYMAP_H

#include "panel.h"

enum { KEYMAP_ALL = -1 }; /* a context: every panel; the others are enum panel_id */

/* What Bits shows, for hints. */
enum bits_shown { BITS_VALUE = 1, BITS_CALC = 2, BITS_BLOCK = 4 };

struct key_binding {
    int context;
    const char *key;   /* as term_key names it: "Space", "x" */
    const char *line;  /* the command line that it carries out */
    const char *label; /* how the hint bar shows the key (and its partners): "←→"; NULL: not in the bar */
    const char *hint;  /* one or two words */
    int priority;      /* where there is no room, hints with the highest number go first */
    unsigned shown; /* what Bits must show for the hint to be in the bar, of enum bits_shown; 0: anything */
    const char *block; /* the hint where Bits shows a block, if that is another */
};
extern const struct key_binding keymap_table[];
extern const int keymap_count;

/* What a key does in a panel, or NULL. */
const struct key_binding *keymap_find(enum panel_id panel, const char *key);

/* The hints that fit into `cols` columns, in the order of the bar; returns how many were written to
 * out[room].  `shown` is what Bits shows. */
int keymap_hints(enum panel_id panel, enum bits_shown shown, int cols, const struct key_binding **out,
                 int room);

/* The words of a hint, and the columns that it takes with its key and the blanks behind. */
const char *keymap_hint(const struct key_binding *b, enum bits_shown shown);
int keymap_hint_width(const struct key_binding *b, enum bits_shown shown);

/* How a key is written for people: "←" for Left, "Ctrl-L" for C-l, else its name. */
const char *keymap_key_text(const char *key);

#endif
