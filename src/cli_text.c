#include "cli_text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What stands for the characters beyond ASCII that our texts use. */
static const struct {
    const char *utf8, *ascii;
} stand_ins[] = {
    {"×", "x"},     {"−", "-"},   {"–", "-"}, {"…", "..."}, {"→", "->"}, {"←", "<-"},
    {"Δ", "delta"}, {"∞", "inf"}, {"·", "."}, {"─", "-"},   {"▸", ">"},
};

/* The text as it is written: the caller frees it. */
static char *written(const struct cli *c, const char *text)
{
    size_t size = strlen(text) * 3 + 1, used = 0;
    char *to = malloc(size);
    if (!to)
        return NULL;
    while (*text) {
        size_t i = 0, count = sizeof stand_ins / sizeof *stand_ins, n = 1;
        while (c->common.ascii && i < count &&
               strncmp(text, stand_ins[i].utf8, strlen(stand_ins[i].utf8)) != 0)
            i++;
        if (c->common.ascii && i < count) {
            n = strlen(stand_ins[i].utf8);
            memcpy(to + used, stand_ins[i].ascii, strlen(stand_ins[i].ascii));
            used += strlen(stand_ins[i].ascii);
        } else {
            to[used++] = *text;
        }
        text += n;
    }
    to[used] = '\0';
    return to;
}

static int columns(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

void cli_put(struct cli *c, enum cli_role role, const char *text, int width)
{
    static const char *const codes[] = {[ROLE_PLAIN] = "",
                                        [ROLE_SIGN] = "38;5;178",
                                        [ROLE_EXPONENT] = "38;5;74",
                                        [ROLE_SIGNIFICAND] = "38;5;35",
                                        [ROLE_WARNING] = "1;38;5;166",
                                        [ROLE_QUIET] = "2",
                                        [ROLE_STRONG] = "1"};
    bool colour = c->common.color && *codes[role] && *text;
    char *shown = written(c, text);
    if (!shown)
        return;
    int pad = width - columns(shown);
    if (colour)
        fprintf(c->out, "\033[%sm%s\033[0m", codes[role], shown);
    else
        fputs(shown, c->out);
    fprintf(c->out, "%*s", pad > 0 ? pad : 0, "");
    free(shown);
}

void cli_printf(struct cli *c, const char *format, ...)
{
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_put(c, ROLE_PLAIN, text, 0);
}
