/* term.h: the terminal: a grid goes out, keys come in.
 *
 * One terminal can be open at a time, and one thread uses it: the one that opened it.  Other threads should
 * block all signals but the synchronous ones.  The main loop:
 *
 *     poll() on term_fd(t) and term_signal_fd(t) and its own things
 *     while (term_key(t, &key)) act on key.name
 *     if something changed: draw into the grid, term_present(t, grid)
 *
 * Signals arrive as keys.  SIGWINCH: "Resize".  SIGTSTP (Ctrl-Z): term_key puts the terminal back, stops the
 * process, and repaints when it goes on.  SIGINT, SIGTERM, SIGHUP, SIGQUIT and a terminal that has gone away:
 * "Signal"; the program saves what it must and calls term_die, which restores the terminal and dies of that
 * signal, so that the parent sees why.  A crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) restores the
 * terminal first, then dies of it. */
#ifndef ULPSCOPE_UI_TERM_H
#define ULPSCOPE_UI_TERM_H

#include "cell.h"
#include <stdbool.h>

enum { TERM_ERROR = 256, TERM_KEY_NAME = 32 };

enum term_charset { TERM_CHARSET_AUTO, TERM_CHARSET_ASCII, TERM_CHARSET_UNICODE };

struct term_options {
    enum term_charset charset; /* auto: Unicode when the locale's encoding is UTF-8 */
    enum color_when color;     /* auto: as the terminal and NO_COLOR say */
    bool mouse;                /* report clicks and the wheel; Shift leaves them to the terminal */
};

struct term_key {
    /* A character as UTF-8 ("a", "A", "/", "é"), or: Space Enter Esc Tab S-Tab Left Right Up Down Home End
     * PgUp PgDn Insert Delete Backspace F1…F12 C-a…C-z (those with no name above); S-Left S-Right S-Up S-Down
     * C-Left C-Right C-Up C-Down; Resize, Signal, Paste; Click, WheelUp, WheelDown. */
    char name[TERM_KEY_NAME];
    int row, col; /* of Click and the wheel */
    int signal;   /* of Signal */
    const char *
        text; /* of Paste, until the next call: one event, however long; a field takes it, others ignore it */
};

struct term;

/* Takes over the terminal: standard input and output where they are terminals, else /dev/tty.  NULL and a
 * message for the person in error[TERM_ERROR] when it cannot be done (exit status 2). */
struct term *term_open(const struct term_options *options, char *error);

/* Puts everything back as it was and drops unread input.  NULL is allowed. */
void term_close(struct term *t);

/* term_close, then death by this signal; does not return. */
void term_die(struct term *t, int signal_number);

void term_size(const struct term *t, int *rows, int *cols);
bool term_ascii(const struct term *t);   /* a grid for this terminal wants grid.ascii */
bool term_braille(const struct term *t); /* and may have grid.braille */

/* Shows a grid of any size, cut or blank-filled to the screen.  Only cells that differ from the last one are
 * sent, nothing at all when none does; the cursor goes to the grid's cursor. */
void term_present(struct term *t, const struct grid *g);

/* Paints everything anew at once, for a screen that something else wrote on. */
void term_redraw(struct term *t);

/* The next key; false when there is none.  Never waits, but for the 25 ms (ESCDELAY) that tell Esc from a key
 * that starts with it. */
bool term_key(struct term *t, struct term_key *key);

/* Reports of the mouse on or off, where the terminal can make them. */
void term_mouse(struct term *t, bool on);

/* What to poll for reading before term_key. */
int term_fd(const struct term *t);
int term_signal_fd(const struct term *t);

#endif
