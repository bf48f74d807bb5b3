/* app_demo.c: a script plays: its commands are carried out up to the next narration, which waits for a key.
 */
#include "app_state.h"
#include <stdio.h>
#include <string.h>

/* "lost-update" of demos/lost-update.demo */
static void name_of(const char *file, char *out, size_t size)
{
    const char *slash = strrchr(file, '/');
    snprintf(out, size, "%s", slash ? slash + 1 : file);
    char *dot = strrchr(out, '.');
    if (dot)
        *dot = '\0';
}

bool app_play(struct app *app, const char *file, char *error)
{
    struct demo demo = {0};
    char why[TEXT_LINE] = "";
    if (!demo_load(file, &demo, why)) {
        snprintf(error, APP_ERROR, "%s", why);
        return false;
    }
    player_end(app);
    app->player = (struct player){.loaded = true, .demo = demo};
    name_of(file, app->player.name, sizeof app->player.name);
    for (int i = 0; i < demo.count; i++)
        app->player.says += demo.lines[i].command == COMMAND_SAY;
    player_continue(app);
    return true;
}

void player_end(struct app *app)
{
    if (app->player.loaded)
        demo_free(&app->player.demo);
    app->player = (struct player){0};
    app->dirty = true;
}

/* Whether the line was carried out; not while the session can take no more commands. */
static bool carry_out(struct app *app, const struct demo_line *l)
{
    char line[LINE_EDIT_MAX], error[APP_ERROR] = "";
    int waiting = app->unanswered;
    snprintf(line, sizeof line, "%s %s", command_table[l->command].name, l->argument ? l->argument : "");
    if (app_execute(app, line, error))
        return true;
    if (command_table[l->command].scope == SCOPE_SESSION && app->unanswered == waiting && waiting > 0)
        return false; /* the queue is full: on with the next snapshot */
    app_say(app, true, "%s: line %d: %s", app->player.name, l->number, error);
    return true;
}

void player_continue(struct app *app)
{
    struct player *p = &app->player;
    p->narration = NULL;
    p->blocked = false;
    app->dirty = true;
    while (p->loaded && p->next < p->demo.count && !app->done) {
        const struct demo_line *l = &p->demo.lines[p->next];
        if (l->command == COMMAND_SAY) {
            p->narration = l->argument;
            p->said++;
            p->next++;
            return;
        }
        /* A claim is for play --check; a script that plays scripts would never end. */
        bool skipped = l->command == COMMAND_EXPECT || l->command == COMMAND_PLAY;
        if (!skipped && !carry_out(app, l)) {
            p->blocked = true;
            return;
        }
        p->next++;
    }
    if (p->loaded && !app->done)
        player_end(app);
}
