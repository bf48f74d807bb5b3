/* help.c: the help screen, made from the table of keys and the table of commands. */
#include "app_state.h"
#include "keymap.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct builder {
    struct help_line *lines;
    int count;
};

static struct help_line *add(struct builder *b)
{
    static const struct help_line empty;
    if (b->count >= HELP_LINES)
        return NULL;
    b->lines[b->count] = empty;
    b->lines[b->count].right = "";
    return &b->lines[b->count++];
}

static void add_title(struct builder *b, const char *format, const char *name)
{
    if (b->count > 0)
        add(b);
    struct help_line *line = add(b);
    if (!line)
        return;
    line->title = true;
    snprintf(line->left, sizeof line->left, format, name);
}

static enum command_id command_of(const char *line, const char **argument)
{
    size_t length = strcspn(line, " ");
    *argument = line + length + strspn(line + length, " ");
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strlen(command_table[i].name) == length && memcmp(command_table[i].name, line, length) == 0)
            return (enum command_id)i;
    return COMMAND_COUNT;
}

/* What a key does, in the command's words; an opened field is described by the command that it is for. */
static void describe(struct help_line *out, const char *line)
{
    const char *argument;
    enum command_id id = command_of(line, &argument), edited = command_of(argument, &line);
    if (id == COMMAND_EDIT && edited != COMMAND_COUNT)
        id = edited;
    else
        snprintf(out->extra, sizeof out->extra, "%s", argument);
    out->right = id != COMMAND_COUNT ? command_table[id].help : "";
}

/* The keys of one context; those with the same command share a line. */
static void add_keys(struct builder *b, int context)
{
    for (int i = 0; i < keymap_count; i++) {
        const struct key_binding *k = &keymap_table[i];
        bool first = k->context == context;
        for (int j = 0; j < i; j++)
            first =
                first && !(keymap_table[j].context == context && strcmp(keymap_table[j].line, k->line) == 0);
        struct help_line *line = first ? add(b) : NULL;
        if (!line)
            continue;
        for (int j = i; j < keymap_count; j++) {
            size_t used = strlen(line->left);
            if (keymap_table[j].context == context && strcmp(keymap_table[j].line, k->line) == 0)
                snprintf(line->left + used, sizeof line->left - used, "%s%s", used ? "  " : "",
                         keymap_key_text(keymap_table[j].key));
        }
        describe(line, k->line);
        if (k->label &&
            strcmp(k->label, keymap_key_text(k->key)) != 0) { /* it stands for its partners, too */
            snprintf(line->left, sizeof line->left, "%s", k->label);
            line->right = k->hint;
        }
    }
}

static void add_commands(struct builder *b)
{
    const char *group = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command *c = &command_table[i];
        if (c->scope == SCOPE_DEMO)
            continue;
        if (strcmp(c->group, group) != 0)
            add_title(b, "commands: %s", c->group);
        group = c->group;
        struct help_line *line = add(b);
        if (!line)
            return;
        snprintf(line->left, sizeof line->left, "%s %s", c->name, c->arguments);
        line->right = c->help;
    }
}

int help_build(enum panel_id panel, struct help_line *lines)
{
    struct builder b = {lines, 0};
    add_title(&b, "keys in %s", panel_table[panel].title);
    add_keys(&b, (int)panel);
    add_title(&b, "%s", "keys everywhere");
    add_keys(&b, KEYMAP_ALL);
    struct help_line *line = add(&b);
    if (line) {
        snprintf(line->left, sizeof line->left, "Ctrl-Z");
        line->right = "suspend; the shell's fg comes back";
    }
    add_commands(&b);
    return b.count;
}

static int rows_shown(const struct app *app)
{
    int rows = app_panel_area(app, app->rows, app->cols).rows - 1;
    return rows > 1 ? rows : 1;
}

void help_move(struct app *app, int by)
{
    struct help_line lines[HELP_LINES];
    int last = help_build(app->view.panel, lines) - rows_shown(app);
    int to = app->help_scroll + by;
    app->help_scroll = to < 0 || last < 0 ? 0 : to > last ? last : to;
}

static bool line_holds(const struct help_line *line, const char *what)
{
    char text[160];
    size_t length = strlen(what);
    snprintf(text, sizeof text, "%s %s %s", line->left, line->right, line->extra);
    for (const char *at = text; *at; at++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)at[i]) == tolower((unsigned char)what[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

void help_search(struct app *app, int direction)
{
    struct help_line lines[HELP_LINES];
    int count = help_build(app->view.panel, lines), step = direction < 0 ? count - 1 : 1;
    int from = app->help_match < 0 ? app->help_scroll : app->help_match + (direction ? step : 0);
    for (int i = 0, at = from; i < count; i++, at += step)
        if (line_holds(&lines[at % count], app->view.search)) {
            app->help_match = at % count;
            app->help_scroll = 0;
            help_move(app, app->help_match - rows_shown(app) / 2);
            app->dirty = true;
            return;
        }
    app_say(app, true, "'%.40s' is not in the help", app->view.search);
}

enum { LEFT_COLS = 30 };

static void draw_line(struct grid *g, int row, struct rect area, const struct help_line *line, bool found)
{
    if (line->title) {
        grid_rule(g, row, area.col, area.cols, line->left);
        return;
    }
    int at = area.col + 3 + LEFT_COLS;
    grid_text(g, row, area.col + 3, ROLE_KEY, line->left);
    at += grid_text(g, row, at, ROLE_TEXT, line->right);
    if (line->extra[0])
        grid_printf(g, row, at, ROLE_DIM, " (%s)", line->extra);
    if (found) {
        grid_text(g, row, area.col + 1, ROLE_FOCUS, "▸");
        grid_cursor(g, row, area.col + 1, false);
    }
}

void help_draw(struct app *app, struct grid *g, struct rect area)
{
    struct help_line lines[HELP_LINES];
    int count = help_build(app->view.panel, lines), shown = area.rows - 1;
    int from = app->help_scroll > count - shown ? (count > shown ? count - shown : 0) : app->help_scroll;
    for (int i = 0; i < shown && from + i < count; i++)
        draw_line(g, area.row + i, area, &lines[from + i], from + i == app->help_match);
    int end = from + shown < count ? from + shown : count;
    grid_printf(g, area.row + area.rows - 1, area.col + 3, ROLE_DIM,
                "%d–%d of %d   every key is a command; : types one", from + 1, end, count);
}
