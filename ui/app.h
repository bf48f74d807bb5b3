/* app.h: the screen as a whole: keys become command lines, command lines change the view or go to the
 * session, and the view and the newest snapshot become cells.
 *
 * It knows no terminal, no thread and no clock: the loop gives it keys and snapshots and asks for cells, and
 * so do tests.  Session commands leave by `send`. */
#ifndef ULPSCOPE_UI_APP_H
#define ULPSCOPE_UI_APP_H

#include "panel.h"
#include "term.h"

enum { APP_MIN_COLS = 80, APP_MIN_ROWS = 24, APP_ERROR = 512 };

struct app; /* opaque */

struct app_options {
    /* Takes a session command line; the answer comes as a snapshot, later or before it returns.  False if it
     * can take no more now. */
    bool (*send)(void *context, const char *line);
    void *context;
    bool mouse; /* clicks are wanted at the start: the command `mouse` turns them on and off */
};

struct app *app_create(const struct app_options *options); /* NULL without memory */
void app_free(struct app *app);

/* A new snapshot, which the app owns from now on.  NULL is ignored. */
void app_take_snapshot(struct app *app, struct snapshot *snapshot);

/* A key; Resize and Signal are the loop's. */
void app_key(struct app *app, const struct term_key *key);

/* Carries out a command line of any scope but a demo's.  False with a message in error[APP_ERROR]. */
bool app_execute(struct app *app, const char *line, char *error);

/* Plays a script up to its first narration.  False with a message in error[APP_ERROR]. */
bool app_play(struct app *app, const char *file, char *error);
bool app_playing(const struct app *app);

/* Draws everything into the grid, at its size. */
void app_draw(struct app *app, struct grid *g);

/* What the loop asks after each round.  The first two are then taken back. */
bool app_take_dirty(struct app *app);  /* something to draw has changed */
bool app_take_redraw(struct app *app); /* the whole screen is to be painted anew */
bool app_done(const struct app *app);  /* quit */
bool app_mouse(const struct app *app); /* clicks are wanted */

/* Whether a session command is out and no snapshot came since; app_dim then shows the answers as old. */
bool app_waiting(const struct app *app);
void app_dim(struct app *app);

/* The message line, until the next key. */
void app_say(struct app *app, bool is_error, const char *format, ...) __attribute__((format(printf, 3, 4)));

const struct view *app_view(const struct app *app);
const struct snapshot *app_snapshot(const struct app *app); /* NULL before the first */
/* The text field that is open ("" and the prompt for an empty one), or NULL: for tests. */
const char *app_field(const struct app *app, const char **prompt);
const char *app_message(const struct app *app); /* "" for none */

#endif
