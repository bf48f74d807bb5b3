/* fuzz_cli.c: a libFuzzer target: lines of text as the arguments of the command line.
 *
 * Whatever they are, the call ends, with a status of the contract; a failure writes one line and no data. */
#include "cli.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Verbs whose work is long by intent are kept short: what matters here is how arguments are read. */
static int is_long(const char *word)
{
    static const char *const words[] = {"train", "selftest", "bench", "show", "play"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return 1;
    return 0;
}

static void check(int status, const char *out, const char *err, size_t err_size)
{
    if (status < CLI_DONE || status > CLI_NO_DEVICE)
        abort();
    if (status == CLI_DONE)
        return;
    if (*out || err_size == 0 || strchr(err, '\n') != err + err_size - 1)
        abort(); /* nothing on standard output, exactly one line on standard error */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct cli_hooks no_screens = {0};
    char *copy = malloc(size + 1), *arguments[64] = {(char *)(uintptr_t) "ulpscope"};
    int count = 1, skip = 0;
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    copy[size] = '\0';
    for (char *word = strtok(copy, "\n"); word && count < 63; word = strtok(NULL, "\n")) {
        arguments[count++] = word;
        skip |= is_long(word) || strstr(word, "steps") != NULL || *word == '@';
    }
    char *out = NULL, *err = NULL;
    size_t out_size = 0, err_size = 0;
    FILE *in = fopen("/dev/null", "r"), *to = open_memstream(&out, &out_size),
         *errors = open_memstream(&err, &err_size);
    if (!skip && in && to && errors) {
        int status = cli_run(count, arguments, &no_screens, in, to, errors);
        fflush(to);
        fflush(errors);
        check(status, out, err, err_size);
    }
    fclose(in);
    fclose(to);
    fclose(errors);
    free(out);
    free(err);
    free(copy);
    return 0;
}
