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

/* Bytes of the UTF-8 character at `text`; 1 for a byte that begins none (Unicode, table 3-7: neither overlong
 * forms nor surrogates nor anything above U+10FFFF). */
static size_t character(const char *text)
{
    unsigned char lead = (unsigned char)text[0], second = lead ? (unsigned char)text[1] : 0;
    size_t n = lead >= 0xf0 && lead < 0xf5   ? 4
               : lead >= 0xe0 && lead < 0xf0 ? 3
               : lead >= 0xc2 && lead < 0xe0 ? 2
                                             : 1;
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second >= 0xa0) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second >= 0x90))
        return 1;
    for (size_t i = 1; i < n; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 1;
    return n;
}

/* Copies one character; what would break the line or the terminal, or turn the direction of the text round,
 * becomes
 * '?'.  Returns how many bytes were read. */
static size_t copy_character(char *to, const char *from)
{
    size_t n = character(from);
    const unsigned char *b = (const unsigned char *)from;
    bool control = n == 1 && (b[0] < 0x20 || b[0] >= 0x7f);
    bool c1 = n == 2 && b[0] == 0xc2 && b[1] < 0xa0;
    bool line = n == 3 && b[0] == 0xe2 && b[1] == 0x80 && b[2] >= 0xa8 && b[2] <= 0xae; /* U+2028 to U+202E */
    bool isolate =
        n == 3 && b[0] == 0xe2 && b[1] == 0x81 && b[2] >= 0xa6 && b[2] <= 0xa9; /* U+2066 to U+2069 */
    bool replaced = control || c1 || line || isolate;
    memcpy(to, replaced ? "?" : from, replaced ? 1 : n);
    to[replaced ? 1 : n] = '\0';
    return n;
}

int cli_fail(struct cli *c, int status, const char *format, ...)
{
    char text[2 * CLI_TEXT], one[8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(c->err, "ulpscope: %s%s", c->verb ? c->verb->name : "", c->verb ? ": " : "");
    for (const char *at = text; *at;) {
        at += copy_character(one, at);
        fputs(one, c->err);
    }
    fputc('\n', c->err);
    return status;
}

int cli_later(struct cli *c)
{
    return cli_fail(c, CLI_USAGE, "not in this version");
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
    if (!text || (parse_integer(text, out) && *out <= INT64_MAX)) /* as JSON and `:seed` have it */
        return true;
    cli_quote(quoted, sizeof quoted, text);
    cli_fail(c, CLI_USAGE, "--seed: %s: not an integer from 0 to 2^63 - 1", quoted);
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
