/* term_input.h: from what a terminal sends to keys; for term.c and tests.
 *
 * Reading is a callback, so that none of this needs a terminal.  What curses recognises comes as a named key;
 * what it does not is taken apart here. */
#ifndef ULPSCOPE_UI_TERM_INPUT_H
#define ULPSCOPE_UI_TERM_INPUT_H

#include "term.h"
#include <stddef.h>
#include <time.h>

enum input_kind {
    INPUT_CHARACTER,
    INPUT_NAMED, /* a key with a name, or without one: ignored */
    INPUT_MOUSE, /* ESC [ < has been read, numbers follow */
    INPUT_PASTE, /* the begin of bracketed paste */
    INPUT_PASTE_END
};

struct input {
    enum input_kind kind;
    uint32_t character;
    const char *name;
};

enum { INPUT_QUEUE = 4, INPUT_PASTE_MAX = 1 << 16 };

struct input_reader {
    /* The next input; false when there is none.  wait: it is the rest of something, give it a moment to
     * arrive. */
    bool (*read)(void *context, bool wait, struct input *in);
    void *context;
    struct input queue[INPUT_QUEUE]; /* read ahead and put back; the next one is the last */
    int queued;
    char *paste; /* allocated by the first paste, freed by input_close */
    size_t paste_length;
    bool pasting;
    struct timespec paste_time; /* when its last character came */
};

/* The next key; false when there is none.  A reader starts zeroed, with read and context set. */
bool input_key(struct input_reader *r, struct term_key *key);
void input_close(struct input_reader *r);

#endif
