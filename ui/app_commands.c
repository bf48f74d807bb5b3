/* app_commands.c: the commands of the screen, each a function, and which command each of them carries out. */
#include "app_state.h"
#include "export.h"
#include "panel_train.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool do_panel(struct app *app, const char *argument, char *error)
{
    for (int i = 0; i < PANEL_COUNT; i++)
        if (strcmp(panel_table[i].name, argument) == 0) {
            app->view.panel = (enum panel_id)i;
            app->help = false;
            return true;
        }
    snprintf(error, APP_ERROR, "panel: '%.40s': no panel of that name", argument);
    return false;
}

static bool turn_panels(struct app *app, int by)
{
    app->view.panel = (enum panel_id)(((int)app->view.panel + by + PANEL_COUNT) % PANEL_COUNT);
    app->help = false;
    return true;
}

static bool do_next_panel(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    return turn_panels(app, 1);
}

static bool do_previous_panel(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    return turn_panels(app, -1);
}

static bool do_left(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    return app->help || move_horizontally(app, -1);
}

static bool do_right(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    return app->help || move_horizontally(app, 1);
}

static bool do_up(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, -1);
    return app->help || move_vertically(app, -1);
}

static bool do_down(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, 1);
    return app->help || move_vertically(app, 1);
}

static bool do_page_up(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, -(app->rows > 8 ? app->rows - 6 : 1));
    return app->help || move_page(app, -1);
}

static bool do_page_down(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, app->rows > 8 ? app->rows - 6 : 1);
    return app->help || move_page(app, 1);
}

static bool do_home(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, -HELP_LINES);
    return app->help || move_to_end(app, -1);
}

static bool do_end(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    if (app->help)
        help_move(app, HELP_LINES);
    return app->help || move_to_end(app, 1);
}

static bool do_curve(struct app *app, const char *argument, char *error)
{
    for (int i = 0; *argument && i <= CURVE_COUNT; i++) {
        if (i == CURVE_COUNT) {
            snprintf(error, APP_ERROR, "curve: '%.40s' is not loss, flushed, lost, scale, norm or weight",
                     argument);
            return false;
        }
        if (strcmp(curve_name((enum train_curve)i), argument) != 0)
            continue;
        app->view.curve = (enum train_curve)i;
        return true;
    }
    app->view.curve = (enum train_curve)((app->view.curve + 1) % CURVE_COUNT);
    return true;
}

/* By a share of the run as far as it is known, one step at least: the session goes there. */
static bool do_scrub(struct app *app, const char *argument, char *error)
{
    const struct snapshot *s = app->snapshot;
    char line[32], *end;
    long percent = strtol(argument, &end, 10);
    if (end == argument || *end || percent < -100 || percent > 100)
        return app_fail(error, "scrub: so many percent of the run, from -100 to 100");
    if (!s || s->last_step == 0)
        return app_fail(error, "scrub: there is no run yet to go along");
    int64_t from = app->scrubbing ? app->scrubbed_to : s->step, by = s->last_step * percent / 100;
    int64_t to = from + (by ? by : percent > 0 ? 1 : percent < 0 ? -1 : 0);
    to = to < 0 ? 0 : to > s->last_step ? s->last_step : to;
    if (to == from && percent > 0)
        return app_fail(error, "this is as far as the run has been: s goes on");
    if (to == from && !s->in_step)
        return app_fail(error, "this is where the run begins");
    snprintf(line, sizeof line, "%s %lld", command_table[COMMAND_GOTO].name, (long long)to);
    app->scrubbed_to = to;
    app->scrubbing = true;
    return app_send(app, line, error);
}

/* A value's text as an operand: in parentheses unless it is one number. */
static void operand(const char *text, char *out, size_t size)
{
    bool one = *text && text[strspn(text, "0123456789.")] == '\0';
    snprintf(out, size, one ? "%s" : "(%s)", text);
}

/* What the selected update aims at, w - lr x g, as a line that focuses it. */
static bool target_line(const struct snapshot *s, char *line, size_t size, char *error)
{
    char w[TEXT_VALUE + 2], delta[2 * TEXT_VALUE], lr[TEXT_SHORT + 2], grad[TEXT_SHORT + 2];
    operand(s->focus, w, sizeof w);
    operand(s->update_lr, lr, sizeof lr);
    operand(s->update_grad, grad, sizeof grad);
    if (s->update_lr[0])
        snprintf(delta, sizeof delta, "%s*%s", lr, grad);
    else
        operand(s->update.delta, delta, sizeof delta);
    snprintf(line, size, "value %s - %s", w, delta);
    return strlen(s->focus) + 1 < sizeof s->focus && !strstr(line, "…")
               ? true
               : app_fail(error, "the result has too many digits to be taken from the screen");
}

static bool do_accept(struct app *app, const char *argument, char *error)
{
    const struct snapshot *s = app->snapshot;
    char line[4 * TEXT_VALUE] = "", weight[96];
    (void)argument;
    if (map_shown(app)) {
        if (!map_line(app, line, sizeof line, error))
            return false;
        const struct format *format = format_find_stored(s->heat.format);
        app->view.format = format ? (int)format->key : app->view.format;
        view_clamp(app);
    } else if (app->view.panel == PANEL_TRAIN) {
        if (!selected_weight(app, weight, sizeof weight, error))
            return false;
        snprintf(line, sizeof line, "weight %s", weight);
    } else if (app->view.panel == PANEL_UPDATE && s && s->update_valid) {
        if (!s->live && !target_line(s, line, sizeof line, error))
            return false;
        const struct format *f = &format_table[s->update.rows[app->view.scheme].scheme->format];
        for (int i = 0; i < s->bits.count; i++)
            if (s->bits.rows[i].format == f)
                app->view.format = i;
        view_clamp(app);
    }
    return (!line[0] || app_send(app, line, error)) && do_panel(app, panel_table[PANEL_BITS].name, error);
}

static bool send_for_format(struct app *app, enum command_id id, char *error)
{
    char line[64];
    const struct snapshot *s = app->snapshot;
    if (!s || app->view.format >= s->bits.count)
        return app_fail(error, "there is no value yet");
    if (s->calc.shown)
        return app_fail(error, "a calculation is shown: Esc leads back to the value");
    if (s->block.shown)
        return app_fail(error, "a block is shown: Esc leads back to the value");
    const struct format *f = s->bits.rows[app->view.format].format;
    int n = snprintf(line, sizeof line, "%s %s", command_table[id].name, f->name);
    if (id == COMMAND_FLIP)
        snprintf(line + n, sizeof line - (size_t)n, " %d", app->view.bit);
    return app_send(app, line, error);
}

static bool do_flip_here(struct app *app, const char *argument, char *error)
{
    (void)argument;
    return send_for_format(app, COMMAND_FLIP, error);
}

static bool do_next_here(struct app *app, const char *argument, char *error)
{
    (void)argument;
    return send_for_format(app, COMMAND_NEXT, error);
}

static bool do_previous_here(struct app *app, const char *argument, char *error)
{
    (void)argument;
    return send_for_format(app, COMMAND_PREVIOUS, error);
}

static bool do_edit(struct app *app, const char *argument, char *error)
{
    enum command_id id = COMMAND_VALUE;
    for (int i = 0; *argument && i <= COMMAND_COUNT; i++) {
        if (i == COMMAND_COUNT) {
            snprintf(error, APP_ERROR, "edit: '%.40s': no command of that name", argument);
            return false;
        }
        id = (enum command_id)i;
        if (strcmp(command_table[i].name, argument) == 0)
            break;
    }
    if (command_table[id].arguments[0] == '\0' || command_table[id].scope == SCOPE_DEMO) {
        snprintf(error, APP_ERROR, "edit: %s takes no argument", command_table[id].name);
        return false;
    }
    field_open(app, FIELD_EDIT, id);
    return true;
}

static bool do_command_line(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    field_open(app, FIELD_COMMAND, COMMAND_COUNT);
    return true;
}

static bool do_search(struct app *app, const char *argument, char *error)
{
    (void)error;
    if (!*argument) {
        field_open(app, FIELD_SEARCH, COMMAND_COUNT);
        return true;
    }
    snprintf(app->view.search, sizeof app->view.search, "%s", argument);
    search_move(app, 0);
    return true;
}

static bool do_search_next(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    search_move(app, 1);
    return true;
}

static bool do_search_previous(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    search_move(app, -1);
    return true;
}

static bool do_help(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    app->help = !app->help;
    app->help_scroll = 0;
    app->help_match = -1;
    return true;
}

/* One level: the help, a long way that a command goes, a demo, a calculation or a block, a map or a histogram, a
 * search's mark. */
static bool do_back(struct app *app, const char *argument, char *error)
{
    (void)argument;
    if (app->help)
        app->help = false;
    else if (app->snapshot && app->snapshot->on_way)
        return app_send(app, command_table[COMMAND_PAUSE].name, error);
    else if (app->player.loaded)
        player_end(app);
    else if (app->view.panel == PANEL_BITS && app->snapshot && app->snapshot->calc.shown)
        return app_send(app, command_table[COMMAND_CALC].name, error);
    else if (app->view.panel == PANEL_BITS && app->snapshot && app->snapshot->block.shown)
        return app_send(app, command_table[COMMAND_BLOCK].name, error);
    else if (map_shown(app) || histogram_shown(app))
        return app_send(app, command_table[map_shown(app) ? COMMAND_HEAT : COMMAND_HISTOGRAM].name, error);
    else
        app->view.search[0] = '\0';
    return true;
}

static bool do_redraw(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    app->redraw = true;
    return true;
}

static bool do_play(struct app *app, const char *argument, char *error)
{
    return app_play(app, argument, error);
}

/* Only a regular file: a FIFO that nobody reads would keep the screen waiting. */
static FILE *open_export(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
    struct stat what;
    FILE *file = NULL;
    if (fd >= 0 && fstat(fd, &what) == 0 && !S_ISREG(what.st_mode))
        errno = EINVAL;
    else if (fd >= 0 && ftruncate(fd, 0) == 0)
        file = fdopen(fd, "w");
    int why = errno;
    if (!file && fd >= 0)
        close(fd);
    errno = why;
    return file;
}

/* The screen without the field that named the file. */
static bool do_export(struct app *app, const char *argument, char *error)
{
    const char *dot = strrchr(argument, '.');
    struct export_svg svg = {.title = "ulpscope"};
    enum {
        TEXT,
        ANSI,
        SVG,
        NONE
    } kind = !dot                        ? NONE
             : strcmp(dot, ".txt") == 0  ? TEXT
             : strcmp(dot, ".ansi") == 0 ? ANSI
             : strcmp(dot, ".svg") == 0  ? SVG
                                         : NONE;
    if (kind == NONE)
        return app_fail(error, "export: the file's name must end in .txt, .ansi or .svg");
    int rows = app->rows < APP_MIN_ROWS ? APP_MIN_ROWS : app->rows;
    int cols = app->cols < APP_MIN_COLS ? APP_MIN_COLS : app->cols;
    struct grid *g = grid_create(rows, cols);
    FILE *file = g ? open_export(argument) : NULL;
    bool done = file != NULL;
    if (done) {
        g->braille = true;
        app_draw(app, g);
        done = kind == TEXT   ? export_text(g, file)
               : kind == ANSI ? export_ansi(g, file, DEPTH_256)
                              : export_svg(g, file, &svg);
    }
    int why = errno;
    if (file && fclose(file) != 0 && done) {
        why = errno;
        done = false;
    }
    if (done)
        app_say(app, false, "saved as %.200s", argument);
    else
        snprintf(error, APP_ERROR, "export: %.200s: %s", argument, g ? strerror(why) : "out of memory");
    grid_free(g);
    return done;
}

static bool do_mouse(struct app *app, const char *argument, char *error)
{
    bool on = strcmp(argument, "on") == 0;
    if (!on && strcmp(argument, "off") != 0)
        return app_fail(error, "mouse: on or off");
    app->mouse = on;
    return true;
}

static bool do_quit(struct app *app, const char *argument, char *error)
{
    (void)argument, (void)error;
    app->done = true;
    return true;
}

static bool (*const handlers[COMMAND_COUNT])(struct app *app, const char *argument, char *error) = {
    [COMMAND_PANEL] = do_panel,
    [COMMAND_NEXT_PANEL] = do_next_panel,
    [COMMAND_PREV_PANEL] = do_previous_panel,
    [COMMAND_LEFT] = do_left,
    [COMMAND_RIGHT] = do_right,
    [COMMAND_UP] = do_up,
    [COMMAND_DOWN] = do_down,
    [COMMAND_PAGE_UP] = do_page_up,
    [COMMAND_PAGE_DOWN] = do_page_down,
    [COMMAND_HOME] = do_home,
    [COMMAND_END] = do_end,
    [COMMAND_CURVE] = do_curve,
    [COMMAND_SCRUB] = do_scrub,
    [COMMAND_ACCEPT] = do_accept,
    [COMMAND_FLIP_HERE] = do_flip_here,
    [COMMAND_NEXT_HERE] = do_next_here,
    [COMMAND_PREV_HERE] = do_previous_here,
    [COMMAND_EDIT] = do_edit,
    [COMMAND_COMMAND_LINE] = do_command_line,
    [COMMAND_SEARCH] = do_search,
    [COMMAND_SEARCH_NEXT] = do_search_next,
    [COMMAND_SEARCH_PREV] = do_search_previous,
    [COMMAND_HELP] = do_help,
    [COMMAND_BACK] = do_back,
    [COMMAND_REDRAW] = do_redraw,
    [COMMAND_PLAY] = do_play,
    [COMMAND_EXPORT] = do_export,
    [COMMAND_MOUSE] = do_mouse,
    [COMMAND_QUIT] = do_quit,
};

bool screen_command(struct app *app, enum command_id id, const char *argument, char *error)
{
    if (handlers[id])
        return handlers[id](app, argument, error);
    snprintf(error, APP_ERROR, "%s belongs into a demo script", command_table[id].name);
    return false;
}
