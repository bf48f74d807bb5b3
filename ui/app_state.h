/* app_state.h: the app's inside; app*.c and help.c alone include this. */
#ifndef ULPSCOPE_UI_APP_STATE_H
#define ULPSCOPE_UI_APP_STATE_H

#include "app.h"
#include "demo.h"
#include "line_edit.h"

enum field_kind { FIELD_NONE, FIELD_COMMAND, FIELD_SEARCH, FIELD_EDIT };

struct field {
    enum field_kind kind;
    enum command_id command; /* FIELD_EDIT: whose argument it is */
    struct line_edit edit;
    char before[LINE_EDIT_MAX];     /* what it held when it was opened */
    char completing[LINE_EDIT_MAX]; /* what was typed before the first Tab; "" if none was pressed */
    bool sent; /* it was closed and its line went to the session, whose answer may be an error */
    enum field_kind sent_kind;
    int completion; /* which candidate the text shows */
};

enum { HELP_LINES = 160 };
struct help_line {
    char left[40];
    const char *right; /* lives as long as the tables */
    char extra[48];    /* after `right`, in parentheses */
    bool title;
};

struct player {
    bool loaded, blocked; /* blocked: until the session takes commands again */
    char name[64];
    struct demo demo;
    int next;              /* the line to carry out next */
    const char *narration; /* what is being said, or NULL */
    int said, says;        /* how many narrations were said, of how many */
};

struct app {
    struct app_options options;
    struct snapshot *snapshot;
    struct view view;
    struct field field;
    struct line_history commands, values;
    struct player player;
    bool help;
    int help_scroll, help_match;
    int rows, cols; /* at the last drawing */
    char message[APP_ERROR];
    bool message_is_error, show_session_message;
    int unanswered;      /* session commands sent since the last snapshot */
    int64_t scrubbed_to; /* where the last `scrub` leads, while it is unanswered */
    bool scrubbing;
    bool dirty, redraw, done;
    bool mouse;
    int link_count; /* of the last drawing: what a click means */
    struct grid_link links[GRID_LINKS];
};

bool app_fail(char *error, const char *text);                  /* false, with the text in error[APP_ERROR] */
bool app_send(struct app *app, const char *line, char *error); /* a session's command line goes out */

/* app_commands.c: carries out a command of the screen; false with a message in error[APP_ERROR]. */
bool screen_command(struct app *app, enum command_id id, const char *argument, char *error);

/* app_field.c */
void field_open(struct app *app, enum field_kind kind, enum command_id command);
void field_close(struct app *app);
void field_key(struct app *app, const struct term_key *key);
void field_answer(struct app *app, bool is_error);
const char *field_prompt(const struct app *app);
/* The next (1) or previous (-1) item that holds view.search; says so if there is none. */
void search_move(struct app *app, int direction);
/* Tab leads from w over the learning rate and the gradient to the repeats: the command of the next field, or
 * COMMAND_COUNT. */
enum command_id field_next(enum command_id id);

/* Names that begin with what is typed, the index-th; NULL beyond.  `text` gets the whole line with it. */
const char *field_candidate(const struct field *f, const char *typed, int index, char *text, size_t size);

/* app_demo.c */
void player_continue(struct app *app);
void player_end(struct app *app);

/* app_move.c: movement in the panels; each returns false with a message if there is nothing to move. */
bool move_horizontally(struct app *app, int by);
bool move_vertically(struct app *app, int by);
bool move_page(struct app *app, int by);
bool move_to_end(struct app *app, int direction);
void view_clamp(struct app *app);
/* The weight that is selected in Train, as "fc2.weight[3,17]".  False with a message in error[APP_ERROR]. */
bool selected_weight(const struct app *app, char *text, size_t size, char *error);
const struct tensor_row *selected_tensor(const struct app *app); /* NULL before there are any */
/* Train shows a tensor as a map, in which arrows move, or as a histogram; it follows the selected row of the
 * table, and the other way round where a command line asked for another tensor's. */
bool map_shown(const struct app *app);
bool histogram_shown(const struct app *app);
bool picture_follow(struct app *app, char *error);
const char *picture_of(const struct snapshot *s); /* the tensor's name, or NULL */
void picture_select(struct app *app);
/* A command line that takes the element under the map's cursor into Bits. */
bool map_line(const struct app *app, char *line, size_t size, char *error);

/* help.c */
int help_build(enum panel_id panel, struct help_line *lines);
void help_draw(struct app *app, struct grid *g, struct rect area);
void help_move(struct app *app, int by);
void help_search(struct app *app, int direction);

/* app_draw.c: where panels are drawn, on a screen of that size. */
struct rect app_panel_area(const struct app *app, int rows, int cols);

#endif
