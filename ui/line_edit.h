/* line_edit.h: a text field of one line: a text, a cursor, and the keys that change them. */
#ifndef ULPSCOPE_UI_LINE_EDIT_H
#define ULPSCOPE_UI_LINE_EDIT_H

#include "cell.h"
#include <stddef.h>

enum { LINE_EDIT_MAX = 1024, LINE_HISTORY = 32 };

struct line_edit {
    char text[LINE_EDIT_MAX];
    size_t length, cursor; /* bytes; the cursor is never inside a character */
    bool replace;          /* the whole text is selected: what is typed next takes its place */
};

/* Lines that were accepted, newest last, without repeats in a row. */
struct line_history {
    char *lines[LINE_HISTORY];
    int count;
    int at; /* the line shown, count: none */
};

/* Sets the text, its cursor at the end. */
void line_edit_set(struct line_edit *e, const char *text, bool replace);

/* Puts text in at the cursor up to its first line end; control characters and what does not fit are left
 * out. */
void line_edit_insert(struct line_edit *e, const char *text);

/* Carries out an editing key (characters, Backspace, Left, C-u, …).  False if it is none. */
bool line_edit_key(struct line_edit *e, const char *key);

/* One row: the part of the text around the cursor that fits into `cols` columns.  Shows the cursor there. */
void line_edit_draw(const struct line_edit *e, struct grid *g, int row, int col, int cols);

void line_history_add(struct line_history *h, const char *line);
/* An older line (direction -1) or a newer one (1); NULL at the end of the list, "" behind the newest. */
const char *line_history_move(struct line_history *h, int direction);
void line_history_free(struct line_history *h);

#endif
