/* headless.c: `show` and `play --check`. */
#include "headless.h"
#include "demo.h"
#include "export.h"
#include <stdio.h>
#include <string.h>

/* Carries a session command out at once; what it has to say is in the snapshot. */
static bool send(void *context, const char *line)
{
    struct headless *h = context;
    char copy[2048], *argument, error[APP_ERROR] = "";
    snprintf(copy, sizeof copy, "%s", line);
    enum command_id id = command_parse(copy, &argument, error);
    if (id == COMMAND_COUNT)
        session_say(h->session, error, true);
    else
        session_command(h->session, id, argument, error);
    app_take_snapshot(h->app, session_snapshot(h->session));
    return true;
}

bool headless_open(struct headless *h, const char *device, char *error)
{
    struct session_options options = {.device = device, .twin = true};
    struct app_options hooks = {.send = send, .context = h};
    char why[DEVICE_TEXT] = "";
    *h = (struct headless){.session = session_open(&options, why)};
    if (!h->session) {
        snprintf(error, APP_ERROR, "%s", why);
        return false;
    }
    h->app = app_create(&hooks);
    if (!h->app) {
        snprintf(error, APP_ERROR, "out of memory");
        headless_close(h);
        return false;
    }
    app_take_snapshot(h->app, session_snapshot(h->session));
    return true;
}

void headless_close(struct headless *h)
{
    app_free(h->app);
    if (h->session)
        session_close(h->session);
    *h = (struct headless){0};
}

/* A script is what a demo is; its narration is not shown, its claims are checked. */
static bool run_script(struct headless *h, const char *file, char *error)
{
    struct demo demo = {0};
    char why[APP_ERROR] = "";
    bool done = true;
    if (!demo_load(file, &demo, why)) {
        snprintf(error, APP_ERROR, "%s", why);
        return false;
    }
    for (int i = 0; done && i < demo.count; i++) {
        const struct demo_line *l = &demo.lines[i];
        char line[2048];
        if (l->command == COMMAND_SAY)
            continue;
        snprintf(line, sizeof line, "%s %s", command_table[l->command].name, l->argument ? l->argument : "");
        if (l->command == COMMAND_EXPECT)
            done = session_expect(h->session, l->argument, why);
        else
            done = app_execute(h->app, line, why);
        const struct snapshot *s = app_snapshot(h->app);
        if (done && s && s->message_is_error && command_table[l->command].scope == SCOPE_SESSION) {
            snprintf(why, sizeof why, "%s", s->message);
            done = false;
        }
        if (!done)
            snprintf(error, APP_ERROR, "%.200s: line %d: %.250s", file, l->number, why);
    }
    demo_free(&demo);
    return done;
}

static bool export_as(const struct grid *g, const struct cli_screen *screen, const struct cli_common *common,
                      FILE *out)
{
    char title[64];
    struct export_svg svg = {.title = title};
    snprintf(title, sizeof title, "ulpscope %s", screen->panel ? screen->panel : panel_table[0].name);
    switch (screen->as) {
    case CLI_AS_ANSI: /* asked for by name: with colours, unless they are switched off */
        return export_ansi(g, out, common->color ? DEPTH_256 : DEPTH_MONO);
    case CLI_AS_SVG:
        return export_svg(g, out, &svg);
    default:
        return export_text(g, out);
    }
}

int headless_show(void *context, const struct cli_common *common, const struct cli_screen *screen, FILE *out,
                  char *error)
{
    struct headless h;
    char line[64];
    int status = CLI_FAILED;
    (void)context;
    int rows = screen->rows ? screen->rows : APP_MIN_ROWS,
        cols = screen->columns ? screen->columns : APP_MIN_COLS;
    if (!headless_open(&h, common->device, error))
        return CLI_NO_DEVICE;
    struct grid *g = grid_create(rows, cols);
    snprintf(line, sizeof line, "panel %s", screen->panel ? screen->panel : panel_table[0].name);
    if (!g) {
        snprintf(error, APP_ERROR, "out of memory");
    } else if (!app_execute(h.app, line, error)) {
        status = CLI_USAGE;
    } else if (!screen->script || run_script(&h, screen->script, error)) {
        g->ascii = common->ascii;
        g->braille = true;
        if (screen->script && screen->panel) /* the panel asked for, whatever the script visited */
            app_execute(h.app, line, error);
        app_draw(h.app, g);
        status = export_as(g, screen, common, out) ? CLI_DONE : CLI_FAILED;
        if (status != CLI_DONE)
            snprintf(error, APP_ERROR, "cannot write the screen");
    }
    grid_free(g);
    headless_close(&h);
    return status;
}

int headless_check(const struct cli_common *common, const char *file, FILE *out, char *error)
{
    struct session_options options = {.device = common->device, .twin = true};
    struct demo demo = {0};
    char why[APP_ERROR] = "";
    if (!demo_load(file, &demo, why)) {
        snprintf(error, APP_ERROR, "%s", why);
        return CLI_FAILED;
    }
    struct session *session = session_open(&options, why);
    int status = CLI_NO_DEVICE, failed = -1;
    if (session) {
        failed = demo_check(&demo, session, out, why);
        status = failed == 0 ? CLI_DONE : CLI_FAILED;
        session_close(session);
    }
    if (failed > 0)
        snprintf(error, APP_ERROR, "%.120s: %d claim%s do%s not hold: %.280s", file, failed,
                 failed == 1 ? "" : "s", failed == 1 ? "es" : "", why);
    else if (status != CLI_DONE)
        snprintf(error, APP_ERROR, "%s", why);
    demo_free(&demo);
    return status;
}
