/* app_field.c: the text field: the `:` line, one command's argument, a search; and what completes it. */
#include "app_state.h"
#include "glyph.h"
#include "keymap.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- names that can be typed --- */

static const char *task_name(int i)
{
    return i < TASK_COUNT ? task_table[i].name : NULL;
}

static const char *recipe_name(int i)
{
    return i < RECIPE_COUNT ? recipe_table[i].name : NULL;
}

static const char *scaler_name(int i)
{
    return i < SCALER_RULE_COUNT ? scaler_table[i].name : NULL;
}

static const char *format_name(int i)
{
    return i < FORMAT_COUNT ? format_table[i].name : NULL;
}

static const char *mode_name(int i)
{
    return i < ROUND_MODE_COUNT ? round_mode_table[i].name : NULL;
}

static const char *panel_name(int i)
{
    return i < PANEL_COUNT ? panel_table[i].name : NULL;
}

static const char *command_name(int i)
{
    return i < COMMAND_COUNT ? command_table[i].name : NULL;
}

static const char *list_name(const char *const *list, int count, int i)
{
    return i < count ? list[i] : NULL;
}

static const char *optimizer_word(int i)
{
    static const char *const names[] = {"sgd", "momentum", "adam"};
    return list_name(names, 3, i);
}

static const char *switch_word(int i)
{
    static const char *const names[] = {"on", "off"};
    return list_name(names, 2, i);
}

static const char *formats_word(int i)
{
    return i == 0 ? "all" : format_name(i - 1);
}

static const char *nan_word(int i)
{
    return list_name(nan_rule_names, NAN_RULE_COUNT, i);
}

static const char *block_word(int i)
{
    return i < BLOCK_FORMATS ? block_format_table[i].name : NULL;
}

static const char *rounding_word(int i)
{
    static const char *const names[] = {"rne", "sr", "kahan"};
    return list_name(names, 3, i);
}

static const char *break_word(int i)
{
    static const char *const names[] = {"overflow",  "nan",        "underflow", "skip",   "scale",
                                        "lost >50%", "divergence", "loss <",    "change", "step"};
    return list_name(names, sizeof names / sizeof *names, i);
}

static const char *twin_word(int i)
{
    return i < 2 ? switch_word(i) : recipe_name(i - 2);
}

typedef const char *name_list(int i);

static const struct {
    enum command_id command;
    name_list *names;
} arguments[] = {
    {COMMAND_TASK, task_name},           {COMMAND_RECIPE, recipe_name}, {COMMAND_SCALER, scaler_name},
    {COMMAND_OPTIMIZER, optimizer_word}, {COMMAND_MASTER, switch_word}, {COMMAND_ROUNDING_UPD, rounding_word},
    {COMMAND_TWIN, twin_word},           {COMMAND_FLIP, format_name},   {COMMAND_NEXT, format_name},
    {COMMAND_PREVIOUS, format_name},     {COMMAND_ROUNDING, mode_name}, {COMMAND_PANEL, panel_name},
    {COMMAND_EDIT, command_name},        {COMMAND_BREAK, break_word},   {COMMAND_FORMATS, formats_word},
    {COMMAND_SATURATE, switch_word},     {COMMAND_FLUSH, switch_word},  {COMMAND_NAN, nan_word},
    {COMMAND_BLOCK, block_word},
};

static name_list *names_for(enum command_id id)
{
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        if (arguments[i].command == id)
            return arguments[i].names;
    return NULL;
}

static enum command_id command_named(const char *text, size_t length)
{
    for (int i = 0; i < COMMAND_COUNT; i++)
        if (strlen(command_table[i].name) == length && memcmp(command_table[i].name, text, length) == 0)
            return (enum command_id)i;
    return COMMAND_COUNT;
}

const char *field_candidate(const struct field *f, const char *typed, int index, char *text, size_t size)
{
    name_list *names = command_name;
    size_t head = 0; /* what stands before the word that is completed */
    if (f->kind == FIELD_SEARCH)
        return NULL;
    if (f->kind == FIELD_EDIT) {
        names = names_for(f->command);
    } else if (strchr(typed, ' ')) {
        size_t word = strcspn(typed, " ");
        names = names_for(command_named(typed, word));
        head = word + strspn(typed + word, " ");
    }
    const char *prefix = typed + head, *name;
    for (int i = 0; names && (name = names(i)) != NULL; i++) {
        bool fits = strncmp(name, prefix, strlen(prefix)) == 0;
        bool offered = names != command_name || command_table[i].scope != SCOPE_DEMO;
        if (fits && offered && index-- == 0) {
            snprintf(text, size, "%.*s%s", (int)head, typed, name);
            return name;
        }
    }
    return NULL;
}

/* Tab goes through the candidates and back to what was typed. */
static void complete(struct app *app)
{
    struct field *f = &app->field;
    char text[LINE_EDIT_MAX];
    if (f->completion < 0)
        snprintf(f->completing, sizeof f->completing, "%s", f->edit.replace ? "" : f->edit.text);
    f->completion++;
    if (!field_candidate(f, f->completing, f->completion, text, sizeof text)) {
        f->completion = -1;
        snprintf(text, sizeof text, "%s", f->completing);
    }
    line_edit_set(&f->edit, text, false);
}

/* --- opening --- */

/* What a command's argument is now: the field starts with it. */
static const char *current_argument(const struct app *app, enum command_id id, char *buffer, size_t size)
{
    const struct snapshot *s = app->snapshot;
    if (!s)
        return "";
    switch (id) {
    case COMMAND_VALUE:
        return s->live ? "" : s->focus;
    case COMMAND_UPDATE_W: /* the weight that stands there, which need not be the value in Bits */
        if (s->update_valid && !strstr(s->update.w, "…"))
            return s->update.w;
        return s->live ? "" : s->focus;
    case COMMAND_CALC:
        return s->calc.shown ? s->calc.text : "";
    case COMMAND_BLOCK:
        return s->block.shown ? s->block.text : "";
    case COMMAND_FORMATS:
        return s->formats;
    case COMMAND_UPDATE_LR:
        return s->update_lr;
    case COMMAND_UPDATE_GRAD:
        return s->update_grad;
    case COMMAND_UPDATE_DELTA:
        return s->update_valid && !strstr(s->update.delta, "…") ? s->update.delta : "";
    case COMMAND_UPDATE_STEPS:
        snprintf(buffer, size, "%lld", (long long)s->update.steps);
        return s->update_valid ? buffer : "";
    case COMMAND_TASK:
        return s->task;
    case COMMAND_RECIPE:
        return s->recipe;
    case COMMAND_SCALER:
        return s->scaler;
    case COMMAND_OPTIMIZER:
        return s->optimizer;
    case COMMAND_LR:
        return s->lr;
    case COMMAND_SEED:
        return s->seed;
    case COMMAND_LOSS_WEIGHT:
        return s->loss_weight;
    case COMMAND_BREAK_TOGGLE:
    case COMMAND_BREAK_DELETE:
        snprintf(buffer, size, "%d", s->breaks[0].number);
        return s->break_count == 1 ? buffer : ""; /* there is nothing else to choose */
    case COMMAND_GOTO:
        snprintf(buffer, size, "%lld", (long long)s->step);
        return buffer;
    case COMMAND_ROUNDING:
        return round_mode_table[s->mode].name;
    default:
        return "";
    }
}

void field_open(struct app *app, enum field_kind kind, enum command_id command)
{
    struct field *f = &app->field;
    char buffer[32];
    const char *text = kind == FIELD_EDIT ? current_argument(app, command, buffer, sizeof buffer) : "";
    f->kind = kind;
    f->command = command;
    f->completion = -1;
    f->completing[0] = '\0';
    line_edit_set(&f->edit, text, true);
    snprintf(f->before, sizeof f->before, "%s", f->edit.text);
    app->commands.at = app->commands.count;
    app->values.at = app->values.count;
    app->dirty = true;
}

void field_close(struct app *app)
{
    app->field.kind = FIELD_NONE;
    app->dirty = true;
}

const char *field_prompt(const struct app *app)
{
    switch (app->field.kind) {
    case FIELD_COMMAND:
        return ":";
    case FIELD_SEARCH:
        return "/";
    case FIELD_EDIT:
        return command_table[app->field.command].name;
    default:
        return "";
    }
}

/* --- keys --- */

enum command_id field_next(enum command_id id)
{
    static const enum command_id chain[] = {COMMAND_UPDATE_W, COMMAND_UPDATE_LR, COMMAND_UPDATE_GRAD,
                                            COMMAND_UPDATE_STEPS};
    enum { LENGTH = sizeof chain / sizeof *chain };
    for (int i = 0; i < LENGTH; i++)
        if (chain[i] == id)
            return chain[(i + 1) % LENGTH];
    return COMMAND_COUNT;
}

/* The session could not read what was sent: the field opens again with it. */
void field_answer(struct app *app, bool is_error)
{
    struct field *f = &app->field;
    if (f->sent && is_error && f->kind == FIELD_NONE)
        f->kind = f->sent_kind;
    f->sent = false;
}

/* Carries out what the field holds; an error leaves it open, so that it can be mended. */
static bool accept(struct app *app)
{
    struct field *f = &app->field;
    char error[APP_ERROR] = "", line[LINE_EDIT_MAX + 32];
    enum field_kind kind = f->kind;
    const char *text = f->edit.text + strspn(f->edit.text, " ");
    if (!*text) {
        field_close(app);
        return true;
    }
    line_history_add(kind == FIELD_EDIT ? &app->values : &app->commands, text);
    if (kind == FIELD_SEARCH)
        snprintf(line, sizeof line, "search %s", text);
    else
        snprintf(line, sizeof line, "%s%s%s", kind == FIELD_EDIT ? field_prompt(app) : "",
                 kind == FIELD_EDIT ? " " : "", text);
    int waiting = app->unanswered;
    field_close(app); /* before: the command may open another field */
    f->sent = true;   /* a session that runs in this thread answers at once */
    f->sent_kind = kind;
    if (app_execute(app, line, error)) {
        f->sent = f->sent && app->unanswered > waiting;
        return f->kind == FIELD_NONE;
    }
    f->sent = false;
    app_say(app, true, "%s", error);
    if (app->field.kind == FIELD_NONE)
        f->kind = kind;
    return false;
}

static void tab(struct app *app)
{
    struct field *f = &app->field;
    enum command_id next = f->kind == FIELD_EDIT ? field_next(f->command) : COMMAND_COUNT;
    if (next == COMMAND_COUNT) {
        complete(app);
        return;
    }
    if (strcmp(f->edit.text, f->before) == 0 || accept(app))
        field_open(app, FIELD_EDIT, next);
}

static void history(struct app *app, int direction)
{
    struct field *f = &app->field;
    const char *line = line_history_move(f->kind == FIELD_EDIT ? &app->values : &app->commands, direction);
    if (line)
        line_edit_set(&f->edit, line, false);
}

void field_key(struct app *app, const struct term_key *key)
{
    struct field *f = &app->field;
    app->dirty = true;
    bool empty_prompt = f->kind != FIELD_EDIT && f->edit.length == 0;
    if (strcmp(key->name, "Tab") == 0) {
        tab(app);
        return;
    }
    if (strcmp(key->name, "Enter") == 0)
        accept(app);
    else if (strcmp(key->name, "Esc") == 0 || (empty_prompt && strcmp(key->name, "Backspace") == 0))
        field_close(app);
    else if (strcmp(key->name, "C-c") == 0)
        app->done = true;
    else if (strcmp(key->name, "C-l") == 0)
        app->redraw = true;
    else if (strcmp(key->name, "Up") == 0 || strcmp(key->name, "Down") == 0)
        history(app, key->name[0] == 'U' ? -1 : 1);
    else
        line_edit_key(&f->edit, key->name);
    f->completion = -1;
}

/* --- search --- */

static bool holds(const char *text, const char *what)
{
    size_t length = strlen(what);
    for (; *text; text++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)what[i]))
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static const char *item_name(const struct app *app, int i)
{
    const struct snapshot *s = app->snapshot;
    switch (app->view.panel) {
    case PANEL_BITS:
        return format_name(i);
    case PANEL_UPDATE:
        return s && s->update_valid && (size_t)i < s->update.count ? s->update.rows[i].scheme->name : NULL;
    case PANEL_TRAIN:
        return s && i < s->tensor_count ? s->tensors[i].name : NULL;
    default:
        return NULL;
    }
}

static int *selected_item(struct app *app)
{
    struct view *v = &app->view;
    return v->panel == PANEL_BITS ? &v->format : v->panel == PANEL_UPDATE ? &v->scheme : &v->tensor;
}

/* Direction 0: from the selected item on, itself included. */
void search_move(struct app *app, int direction)
{
    const char *what = app->view.search;
    if (!*what) {
        app_say(app, false, "nothing searched for yet: / opens the search");
        return;
    }
    if (app->help) {
        help_search(app, direction);
        return;
    }
    int count = 0, *selected = selected_item(app);
    while (item_name(app, count))
        count++;
    int step = direction < 0 ? count - 1 : 1;
    for (int i = 0, at = *selected + (direction ? step : 0); i < count; i++, at += step)
        if (holds(item_name(app, at % count), what)) {
            *selected = at % count;
            view_clamp(app);
            app->dirty = true;
            return;
        }
    app_say(app, true, "'%.40s' is not in this panel's list", what);
}
