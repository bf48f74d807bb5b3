/* cli_call.c: what verbs ask of their call: options, error lines, the device. */
#include "cli_verbs.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *cli_value(const struct cli *c, const char *option)
{
    for (int i = 0; i < CLI_OPTIONS && c->verb->options[i].name; i++)
        if (strcmp(c->verb->options[i].name, option) == 0)
            return c->values[i];
    return NULL;
}

bool cli_flag(const struct cli *c, const char *option)
{
    return cli_value(c, option) != NULL;
}

int cli_fail(struct cli *c, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(c->err, "ulpscope: %s%s", c->verb ? c->verb->name : "", c->verb ? ": " : "");
    vfprintf(c->err, format, arguments);
    fputc('\n', c->err);
    va_end(arguments);
    return status;
}

int cli_later(struct cli *c)
{
    return cli_fail(c, CLI_USAGE, "not in this version");
}

/* Bytes of the UTF-8 character at `text`; 1 for a byte that begins none. */
static size_t character(const char *text)
{
    unsigned char lead = (unsigned char)*text;
    size_t n = lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 1;
    return lead >= 0xf8 ? 1 : n;
}

/* Copies one character; what would break the line or the terminal becomes '?'.  Returns how many bytes were
 * read. */
static size_t copy_character(char *to, const char *from)
{
    size_t n = character(from);
    unsigned char lead = (unsigned char)*from;
    bool control = n == 1 && (lead < 0x20 || lead >= 0x7f);
    bool c1 = n == 2 && lead == 0xc2 && (unsigned char)from[1] < 0xa0;
    memcpy(to, control || c1 ? "?" : from, control || c1 ? 1 : n);
    to[control || c1 ? 1 : n] = '\0';
    return n;
}

void cli_quote(char *to, size_t size, const char *text)
{
    enum { SHOWN = 60 };
    size_t used = 0;
    int shown = 0;
    char one[8];
    to[used++] = '\'';
    while (*text && shown++ < SHOWN && used + 16 < size) {
        text += copy_character(one, text);
        memcpy(to + used, one, strlen(one));
        used += strlen(one);
    }
    snprintf(to + used, size - used, "%s'", *text ? "..." : "");
}

int cli_fail_value(struct cli *c, const char *where, const char *text, const struct exact_error *error)
{
    char quoted[CLI_TEXT], at[32] = "at the end", one[8];
    cli_quote(quoted, sizeof quoted, text);
    if (error->column < strlen(text)) {
        copy_character(one, text + error->column);
        snprintf(at, sizeof at, "at '%s'", one);
    }
    return cli_fail(c, CLI_USAGE, "%s%s: %s (%s)", where, quoted, error->message, at);
}

/* Digits alone, in decimal or after 0x. */
static bool parse_integer(const char *text, uint64_t *out)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = hex ? text + 2 : text;
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")] != '\0')
        return false;
    errno = 0;
    *out = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

bool cli_integer(struct cli *c, const char *option, int64_t least, int64_t most, int64_t *out)
{
    const char *text = cli_value(c, option);
    uint64_t value;
    char quoted[CLI_TEXT];
    if (!text)
        return true;
    if (parse_integer(text, &value) && value <= (uint64_t)most && (int64_t)value >= least) {
        *out = (int64_t)value;
        return true;
    }
    cli_quote(quoted, sizeof quoted, text);
    cli_fail(c, CLI_USAGE, "%s: %s: not an integer from %" PRId64 " to %" PRId64, option, quoted, least,
             most);
    return false;
}

bool cli_seed(struct cli *c, uint64_t *out)
{
    const char *text = cli_value(c, "--seed");
    char quoted[CLI_TEXT];
    *out = 0;
    if (!text || parse_integer(text, out))
        return true;
    cli_quote(quoted, sizeof quoted, text);
    cli_fail(c, CLI_USAGE, "--seed: %s: not an integer from 0 to 2^64 - 1", quoted);
    return false;
}

struct device *cli_device(struct cli *c, int *status)
{
    char error[DEVICE_TEXT];
    struct device *d = device_open(c->common.device, error);
    if (!d)
        *status = cli_fail(c, CLI_NO_DEVICE, "%s: %s", c->common.device, error);
    return d;
}
