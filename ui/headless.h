/* headless.h: the screens without a terminal, for files, tests and scripts. */
#ifndef ULPSCOPE_UI_HEADLESS_H
#define ULPSCOPE_UI_HEADLESS_H

#include "app.h"
#include "cli.h"

/* An app whose session is turned in the calling thread: every command is done when it returns. */
struct headless {
    struct session *session;
    struct app *app;
};

/* Opens device and session.  False with a message in error[APP_ERROR]. */
bool headless_open(struct headless *h, const char *device, char *error);
void headless_close(struct headless *h);

/* The hooks of cli.h. */
int headless_show(void *context, const struct cli_common *common, const struct cli_screen *screen, FILE *out,
                  char *error);
int headless_check(const struct cli_common *common, const char *file, FILE *out, char *error);

#endif
