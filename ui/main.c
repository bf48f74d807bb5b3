/* main.c: the program: the command line, with the screens as its hooks. */
#include "cli.h"
#include "headless.h"
#include "loop.h"
#include <stdlib.h>

/* --color always is stronger than NO_COLOR, which the terminal's layer asks about itself. */
static enum color_when color_of(const struct cli_common *common)
{
    const char *no_color = getenv("NO_COLOR");
    return !common->color ? COLOR_NEVER : no_color && *no_color ? COLOR_ALWAYS : COLOR_AUTO;
}

static int run(const struct cli_common *common, const char *panel, const char *demo, char *error)
{
    struct loop_options options = {
        .term = {.charset = common->ascii ? TERM_CHARSET_ASCII : TERM_CHARSET_AUTO,
                 .color = color_of(common),
                 .mouse = !common->no_mouse},
        .session = {.device = common->device, .twin = true},
        .panel = panel,
        .demo = demo,
    };
    switch (loop_run(&options, error)) {
    case LOOP_DONE:
        return CLI_DONE;
    case LOOP_NO_TERMINAL:
        return CLI_USAGE;
    case LOOP_NO_DEVICE:
        return CLI_NO_DEVICE;
    default:
        return CLI_FAILED;
    }
}

static int open_panel(void *context, const struct cli_common *common, const char *panel, char *error)
{
    (void)context;
    return run(common, panel, NULL, error);
}

static int play(void *context, const struct cli_common *common, const char *file, bool check, FILE *out,
                char *error)
{
    (void)context;
    return check ? headless_check(common, file, out, error) : run(common, NULL, file, error);
}

int main(int argc, char **argv)
{
    static const struct cli_hooks hooks = {.open_panel = open_panel, .show = headless_show, .play = play};
    return cli_main(argc, argv, &hooks);
}
