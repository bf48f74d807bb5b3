/* fuzz.h: what the fuzzers of the command line and of files share: one call of the program in process, and
 * bounds on what it is asked to do.  Work that is long by intent (ten million steps) is cut down to little of
 * the same: what matters here is how arguments and files are read, and that every end is a clean one. */
#ifndef ULPSCOPE_TESTS_FUZZ_H
#define ULPSCOPE_TESTS_FUZZ_H

#include "cli.h"
#include "headless.h"
#include <ctype.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Everything that is read or written lies in a folder of this process. */
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char folder[] = "/tmp/ulpscope-fuzz-XXXXXX";
    (void)argc, (void)argv;
    if (!mkdtemp(folder) || chdir(folder) != 0 || setenv("XDG_STATE_HOME", folder, 1) != 0)
        abort();
    setlocale(LC_CTYPE, "C.UTF-8");
    return 0;
}

/* Numbers in a text become small, in place: n mod 20, and 1 when the text has asked for `left` altogether. */
static inline void fuzz_bound_numbers(char *text, long *left)
{
    for (char *at = text; *at; at++) {
        if (!isdigit((unsigned char)*at))
            continue;
        size_t n = strspn(at, "0123456789");
        long value = 0;
        for (size_t i = 0; i < n; i++)
            value = (value * 10 + (at[i] - '0')) % 20;
        value = *left <= 0 ? 1 : n < 3 && atoi(at) <= 20 ? atoi(at) : value;
        *left -= value;
        for (size_t i = n; i-- > 0; value /= 10)
            at[i] = (char)('0' + value % 10);
        at += n - 1;
    }
}

static inline bool fuzz_starts(const char *line, const char *const *words)
{
    line += strspn(line, " \t");
    for (; *words; words++)
        if (strncmp(line, *words, strlen(*words)) == 0)
            return true;
    return false;
}

/* A script or a saved session: few steps, and no files but those of this folder. */
static inline void fuzz_bound_script(char *text)
{
    static const char *const counted[] = {"step",      "phase", "into",   "goto",
                                          "back-step", "scrub", "repeat", NULL};
    static const char *const files[] = {"save", "load", "export", "play", NULL};
    long left = 60;
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (fuzz_starts(line, counted))
            fuzz_bound_numbers(line, &left);
        if (fuzz_starts(line, files))
            for (char *at = line; (at = strchr(at, '/'));)
                *at = '_';
        if (end)
            *end++ = '\n';
        line = end;
    }
}

static inline void fuzz_write(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(text, 1, size, file) != size)
        abort();
    fclose(file);
}

static inline int fuzz_play(void *context, const struct cli_common *common, const char *file, bool check,
                            FILE *out, char *error)
{
    (void)context, (void)check; /* there is no terminal to play in */
    return headless_check(common, file, out, error);
}

/* Whatever the arguments are, the call ends, with a status of the contract: a failure writes one line, and
 * wrong usage no data. */
static inline void fuzz_call(int count, char **arguments)
{
    static const struct cli_hooks hooks = {.show = headless_show, .play = fuzz_play};
    char *out = NULL, *err = NULL;
    size_t out_size = 0, err_size = 0;
    FILE *in = fopen("/dev/null", "r"), *to = open_memstream(&out, &out_size),
         *errors = open_memstream(&err, &err_size);
    if (!in || !to || !errors)
        abort();
    int status = cli_run(count, arguments, &hooks, in, to, errors);
    fclose(in);
    fclose(to);
    fclose(errors);
    if (status < CLI_DONE || status > CLI_NO_DEVICE)
        abort();
    if (status != CLI_DONE && (err_size == 0 || strchr(err, '\n') != err + err_size - 1))
        abort();
    if ((status == CLI_USAGE || status == CLI_NO_DEVICE) && out_size)
        abort();
    free(out);
    free(err);
}

#endif
