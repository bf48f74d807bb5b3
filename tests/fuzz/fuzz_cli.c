/* fuzz_cli.c: a libFuzzer target: lines of text as the arguments of the command line, and after a line "FILE" the
 * contents of the file that its options name. */
#include "fuzz.h"
#include "selftest_internal.h"

enum { ARGUMENTS = 64 };

struct call {
    int count;
    char *arguments[ARGUMENTS];
};

/* Splits the text at its line ends; what follows the line "FILE" is *file. */
static void split(char *text, struct call *c, char **file)
{
    *file = NULL;
    c->arguments[c->count++] = (char *)(uintptr_t) "ulpscope";
    for (char *line = text; line && c->count < ARGUMENTS - 4;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        if (strcmp(line, "FILE") == 0) {
            *file = end;
            return;
        }
        c->arguments[c->count++] = line;
        line = end;
    }
}

/* Where the value of an option begins: in the argument itself or the next one; NULL if it is another option. */
static char **value_of(struct call *c, int i, const char *name, size_t *offset)
{
    size_t n = strlen(name);
    *offset = 0;
    if (strncmp(c->arguments[i], name, n) != 0)
        return NULL;
    if (c->arguments[i][n] == '=') {
        *offset = n + 1;
        return &c->arguments[i];
    }
    return c->arguments[i][n] == '\0' && i + 1 < c->count ? &c->arguments[i + 1] : NULL;
}

/* Options that name files name the one of this call, or one that is not there. */
static void bound_files(struct call *c, int i)
{
    static const char *const options[] = {"--script", "--load", "--vectors", "--data", "--report"};
    static char attached[sizeof options / sizeof *options][32];
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        size_t offset;
        char **value = value_of(c, i, options[k], &offset);
        if (!value || !strchr(*value + offset, '/'))
            continue;
        snprintf(attached[k], sizeof attached[k], "%s%s", offset ? options[k] : "",
                 offset ? "=file" : "file");
        *value = attached[k];
    }
    if (c->arguments[i][0] == '@' || strstr(c->arguments[i], "=@"))
        for (char *at = c->arguments[i]; (at = strchr(at, '/'));)
            *at = '_';
}

static void bound_numbers(struct call *c, int i)
{
    static const char *const options[] = {"--steps", "--overflow"};
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        size_t offset;
        long left = 400;
        char **value = value_of(c, i, options[k], &offset);
        if (value && (*value)[offset] != '@')
            fuzz_bound_numbers(*value + offset, &left);
    }
}

/* selftest does all that it is asked for, but only what takes a moment: where --only would take more, other
 * checks take its place. */
static void bound_selftest(struct call *c)
{
    static struct check list[CHECKS_MAX];
    static char sqrt_only[] = "sqrt a", option[] = "--only", attached[] = "--only=sqrt a";
    int count = selftest_checks(list);
    bool has_only = false;
    for (int i = 1; i < c->count; i++) {
        size_t offset;
        char **value = value_of(c, i, "--only", &offset);
        unsigned long chunks = 0;
        for (int k = 0; value && k < count; k++)
            if (strstr(list[k].name, *value + offset))
                chunks += list[k].chunks;
        if (value && chunks > 8)
            *value = offset ? attached : sqrt_only;
        has_only = has_only || value;
    }
    if (!has_only) {
        c->arguments[c->count++] = option;
        c->arguments[c->count++] = sqrt_only;
    }
}

static void bound(struct call *c)
{
    static char extra[] = "extra";
    bool selftest = false, bench = false;
    for (int i = 1; i < c->count; i++) {
        bound_files(c, i);
        bound_numbers(c, i);
        selftest = selftest || strcmp(c->arguments[i], "selftest") == 0;
        bench = bench || strcmp(c->arguments[i], "bench") == 0;
    }
    if (selftest)
        bound_selftest(c);
    if (bench) /* measures for ten seconds: its arguments are read, and then one is too many */
        c->arguments[c->count++] = extra;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct call c = {0};
    char *text = malloc(size + 1), *file;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    split(text, &c, &file);
    if (file) {
        fuzz_bound_script(file);
        fuzz_write("file", file, strlen(file));
    }
    bound(&c);
    fuzz_call(c.count, c.arguments);
    free(text);
    return 0;
}
