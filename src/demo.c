/* demo.c: reading scripts, and playing them without a screen. */
#include "demo.h"
#include "probe_text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 1 << 20 }; /* a script longer than that is no script */

static bool fail(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(char *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, TEXT_LINE, format, list);
    va_end(list);
    return false;
}

/* ---- reading ---- */

/* Only a regular file: opening a FIFO, or reading a terminal, could wait for ever, and the screens with it.
 */
static FILE *open_file(const char *file, char *error)
{
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat what;
    FILE *in = NULL;
    if (fd < 0 || fstat(fd, &what) != 0)
        fail(error, "%.200s: %s", file, strerror(errno));
    else if (!S_ISREG(what.st_mode))
        fail(error, "%.200s: %s", file, S_ISDIR(what.st_mode) ? "is a directory" : "is not a regular file");
    else if (!(in = fdopen(fd, "rb")))
        fail(error, "%.200s: %s", file, strerror(errno));
    if (!in && fd >= 0)
        close(fd);
    return in;
}

/* The whole file, ended by a zero; NULL with a message. */
static char *read_file(const char *file, char *error)
{
    FILE *in = open_file(file, error);
    if (!in)
        return NULL;
    char *text = malloc(FILE_MAX + 1);
    size_t n = text ? fread(text, 1, FILE_MAX + 1, in) : 0;
    bool broken = ferror(in) != 0;
    fclose(in);
    if (text && !broken && n <= FILE_MAX && !memchr(text, '\0', n)) {
        text[n] = '\0';
        return text;
    }
    fail(error, "%.200s: %s", file, !text ? "out of memory" : broken ? "cannot be read" : "is not a script");
    free(text);
    return NULL;
}

static bool add_line(struct demo *d, int number, enum command_id id, const char *argument)
{
    struct demo_line *more = realloc(d->lines, (size_t)(d->count + 1) * sizeof *more);
    size_t size = strlen(argument) + 1;
    if (more)
        d->lines = more;
    char *copy = more ? malloc(size) : NULL;
    if (!copy)
        return false;
    memcpy(copy, argument, size);
    d->lines[d->count++] = (struct demo_line){number, id, copy};
    return true;
}

static bool read_line(struct demo *d, char *line, int number, char *why)
{
    char *argument;
    line += strspn(line, " \t\r");
    if (!*line || *line == '#')
        return true;
    enum command_id id = command_parse(line, &argument, why);
    if (id == COMMAND_COUNT || !command_check(id, argument, why))
        return false;
    if (id == COMMAND_SAVE || id == COMMAND_LOAD || id == COMMAND_RESTORE)
        return fail(why, "%s is not for scripts", command_table[id].name);
    return add_line(d, number, id, argument) || fail(why, "out of memory");
}

bool demo_load(const char *file, struct demo *out, char *error)
{
    char why[TEXT_LINE] = "";
    char *text = read_file(file, error);
    *out = (struct demo){0};
    if (!text)
        return false;
    bool ok = true;
    int number = 1;
    for (char *line = text, *next; ok && line; line = next, number++) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        ok = read_line(out, line, number, why);
        if (!ok)
            fail(error, "%.120s: line %d: %.160s", file, number, why);
    }
    free(text);
    if (!ok)
        demo_free(out);
    return ok;
}

void demo_free(struct demo *d)
{
    for (int i = 0; i < d->count; i++)
        free(d->lines[i].argument);
    free(d->lines);
    *d = (struct demo){0};
}

/* ---- playing ---- */

static bool check_claim(const struct demo_line *line, struct session *s, FILE *out, char *found)
{
    bool ok = session_expect(s, line->argument, found);
    if (out)
        fprintf(out, "%-4s  line %3d  %s  (%s)\n", ok ? "ok" : "FAIL", line->number, line->argument, found);
    return ok;
}

int demo_check(const struct demo *d, struct session *s, FILE *out, char *error)
{
    int failed = 0;
    for (int i = 0; i < d->count; i++) {
        const struct demo_line *line = &d->lines[i];
        char why[TEXT_LINE];
        if (line->command == COMMAND_QUIT)
            break;
        if (line->command == COMMAND_EXPECT) {
            bool holds = check_claim(line, s, out, why);
            if (!holds && failed++ == 0)
                fail(error, "line %d: %.120s (%.120s)", line->number, line->argument, why);
        } else if (command_table[line->command].scope == SCOPE_SESSION &&
                   !session_command(s, line->command, line->argument, why)) {
            fail(error, "line %d: %s: %.160s", line->number, command_table[line->command].name, why);
            return -1;
        }
    }
    return failed;
}
