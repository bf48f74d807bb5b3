/* app.c: keys to command lines, command lines to what they do. */
#include "app_state.h"
#include "keymap.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void app_say(struct app *app, bool is_error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(app->message, sizeof app->message, format, list);
    va_end(list);
    app->message_is_error = is_error;
    app->dirty = true;
}

/* --- command lines --- */

bool app_fail(char *error, const char *text)
{
    snprintf(error, APP_ERROR, "%s", text);
    return false;
}

bool app_send(struct app *app, const char *line, char *error)
{
    app->unanswered++;
    if (app->options.send(app->options.context, line))
        return true;
    app->unanswered--;
    return app_fail(error, "the session is busy: too many commands are waiting");
}

/* `weight`, `heat` and `histogram` alone mean what is selected in Train, and a second `heat` takes the map away;
 * elsewhere the session chooses. */
static bool send_command(struct app *app, enum command_id id, const char *argument, char *error)
{
    char line[LINE_EDIT_MAX + 32], weight[96];
    bool selected = !*argument && app->view.panel == PANEL_TRAIN && !app->help;
    if (id == COMMAND_WEIGHT && selected) {
        if (!selected_weight(app, weight, sizeof weight, error))
            return false;
        argument = weight;
    }
    if (id == COMMAND_HEAT && selected && !map_shown(app) && selected_tensor(app))
        argument = selected_tensor(app)->name;
    if (id == COMMAND_HISTOGRAM && selected && !histogram_shown(app) && selected_tensor(app))
        argument = selected_tensor(app)->name;
    snprintf(line, sizeof line, "%s%s%s", command_table[id].name, *argument ? " " : "", argument);
    return app_send(app, line, error);
}

bool app_execute(struct app *app, const char *line, char *error)
{
    char copy[LINE_EDIT_MAX], *argument;
    error[0] = '\0';
    if (snprintf(copy, sizeof copy, "%s", line) >= (int)sizeof copy)
        return app_fail(error, "the command line is too long");
    enum command_id id = command_parse(copy, &argument, error);
    if (id == COMMAND_COUNT || !command_check(id, argument, error))
        return false;
    if (command_table[id].scope == SCOPE_SESSION)
        return send_command(app, id, argument, error);
    app->dirty = true;
    int tensor = app->view.tensor;
    return screen_command(app, id, argument, error) &&
           (tensor == app->view.tensor || picture_follow(app, error));
}

/* --- keys --- */

static void paste(struct app *app, const struct term_key *key)
{
    if (app->field.kind != FIELD_NONE)
        line_edit_insert(&app->field.edit, key->text ? key->text : "");
    else
        app_say(app, false, "pasted text needs a field: = or : opens one");
    app->dirty = true;
}

/* The command line under the mouse; NULL for none.  The topmost link was drawn last. */
static const char *clicked(const struct app *app, const struct term_key *key)
{
    for (int i = app->link_count - 1; i >= 0; i--)
        if (rect_has(app->links[i].where, key->row, key->col))
            return app->links[i].command;
    return NULL;
}

void app_key(struct app *app, const struct term_key *key)
{
    char error[APP_ERROR] = "";
    if (app->message[0] || app->show_session_message) {
        app->message[0] = '\0';
        app->show_session_message = false;
        app->dirty = true;
    }
    if (strcmp(key->name, "Paste") == 0) {
        paste(app, key);
        return;
    }
    app->field.sent = false; /* the person went on */
    if (app->field.kind != FIELD_NONE) {
        field_key(app, key);
        return;
    }
    bool goes_on = strcmp(key->name, "Space") == 0 || strcmp(key->name, "Enter") == 0;
    if (app->player.narration && goes_on && !app->help) {
        player_continue(app);
        return;
    }
    const struct key_binding *b = keymap_find(app->view.panel, key->name);
    const char *line = strcmp(key->name, "Click") == 0 ? clicked(app, key) : b ? b->line : NULL;
    if (line && !app_execute(app, line, error))
        app_say(app, true, "%s", error);
}

/* --- life --- */

bool app_mouse(const struct app *app)
{
    return app->mouse;
}

struct app *app_create(const struct app_options *options)
{
    struct app *app = calloc(1, sizeof *app);
    if (!app)
        return NULL;
    app->options = *options;
    app->mouse = options->mouse;
    app->view.format = FORMAT_FP16;
    app->view.bit = format_table[FORMAT_FP16].trailing_bits - 1;
    app->view.scheme = update_scheme_find("fp16");
    app->rows = APP_MIN_ROWS;
    app->cols = APP_MIN_COLS;
    app->help_match = -1;
    app->dirty = true;
    return app;
}

void app_free(struct app *app)
{
    if (!app)
        return;
    player_end(app);
    snapshot_free(app->snapshot);
    line_history_free(&app->commands);
    line_history_free(&app->values);
    free(app);
}

void app_take_snapshot(struct app *app, struct snapshot *snapshot)
{
    if (!snapshot)
        return;
    const struct snapshot *old = app->snapshot;
    bool news = old ? strcmp(old->message, snapshot->message) != 0 || app->unanswered > 0 : true;
    app->show_session_message = (app->show_session_message || news) && snapshot->message[0] != '\0';
    const char *before = old ? picture_of(old) : NULL, *now = picture_of(snapshot);
    bool new_picture = now && !(before && strcmp(before, now) == 0);
    bool moved = old && (old->step != snapshot->step || old->launch != snapshot->launch);
    app->view.roams = app->view.roams && !moved;
    snapshot_free(app->snapshot);
    app->snapshot = snapshot;
    if (new_picture)
        picture_select(app);
    if (app->unanswered > 0)
        field_answer(app, news && snapshot->message_is_error);
    app->unanswered = 0;
    app->scrubbing = false;
    app->view.stale = false;
    app->done = app->done || snapshot->quit;
    view_clamp(app);
    app->dirty = true;
    if (app->player.blocked)
        player_continue(app);
}

bool app_take_dirty(struct app *app)
{
    bool dirty = app->dirty;
    app->dirty = false;
    return dirty;
}

bool app_take_redraw(struct app *app)
{
    bool redraw = app->redraw;
    app->redraw = false;
    return redraw;
}

bool app_done(const struct app *app)
{
    return app->done;
}

bool app_waiting(const struct app *app)
{
    return app->unanswered > 0 && !app->view.stale;
}

void app_dim(struct app *app)
{
    app->dirty = app->dirty || !app->view.stale;
    app->view.stale = true;
}

bool app_playing(const struct app *app)
{
    return app->player.loaded;
}

const struct view *app_view(const struct app *app)
{
    return &app->view;
}

const struct snapshot *app_snapshot(const struct app *app)
{
    return app->snapshot;
}

const char *app_field(const struct app *app, const char **prompt)
{
    if (app->field.kind == FIELD_NONE)
        return NULL;
    if (prompt)
        *prompt = field_prompt(app);
    return app->field.edit.text;
}

const char *app_message(const struct app *app)
{
    return app->message[0] ? app->message : app->show_session_message ? app->snapshot->message : "";
}
