/* selftest_vectors.c: published cases of rounding, from a file: input, format, mode, and the encoding that must
 * come out. */
#include "probe_device.h"
#include "selftest_internal.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 4096, COLUMNS = 5 };

/* Cuts a line at its tabs; how many columns, at most COLUMNS, it has. */
static int split(char *line, char *columns[COLUMNS])
{
    int count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < COLUMNS;) {
        char *tab = strchr(at, '\t');
        columns[count++] = at;
        if (tab)
            *tab++ = '\0';
        at = tab;
    }
    return count;
}

static bool read_bits(const char *text, const struct format *f, uint32_t *bits)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 16);
    *bits = (uint32_t)value;
    return strncmp(text, "0x", 2) == 0 && text[2] && *end == '\0' && errno == 0 && value >> f->width == 0;
}

/* One case; false with a message in `why` if the line is damaged or the device fails. */
static bool check_line(struct device *d, char *line, uint32_t number, struct selftest_result *r, char *why)
{
    char *columns[COLUMNS];
    struct exact_error error = {0};
    struct probe_policy policy = {0};
    uint32_t want, got;
    if (split(line, columns) < COLUMNS)
        return snprintf(why, DEVICE_TEXT, "fewer than %d columns", COLUMNS), false;
    const struct format *f = format_find(columns[1]);
    if (!f)
        return snprintf(why, DEVICE_TEXT, "'%.20s' is no format", columns[1]), false;
    if (!round_mode_find(columns[2], &policy.mode) || policy.mode == ROUND_SR)
        return snprintf(why, DEVICE_TEXT, "'%.20s' is no mode of vectors", columns[2]), false;
    if (!read_bits(columns[4], f, &want))
        return snprintf(why, DEVICE_TEXT, "'%.20s' is no encoding of %s", columns[4], f->name), false;
    policy.saturate = strcmp(columns[3], "-") != 0;
    struct exact *x = exact_parse(columns[0], &error);
    struct bits_result result;
    if (!x || !probe_round(d, &x, 1, f, &policy, &result, &error)) {
        exact_free(x);
        return snprintf(why, DEVICE_TEXT, "'%.40s': %.100s", columns[0], error.message), false;
    }
    got = result.bits;
    bits_result_clear(&result);
    exact_free(x);
    selftest_digest(r, number, &got, sizeof got);
    r->checked++;
    if (got != want && r->differing++ == 0)
        snprintf(r->first, sizeof r->first, "line %u: %.40s, %s %s gives 0x%x, not 0x%x", number, columns[0],
                 f->name, columns[2], got, want);
    return true;
}

static bool check_lines(struct device *d, FILE *file, struct selftest_result *r, uint32_t *number, char *why)
{
    static const char header[] = "input\tformat\tmode\tsaturate\tbits";
    char line[LINE];
    *number = 1;
    bool first = fgets(line, sizeof line, file) != NULL;
    if (ferror(file))
        return snprintf(why, DEVICE_TEXT, "%s", strerror(errno)), false;
    if (!first || strncmp(line, header, sizeof header - 1) != 0)
        return snprintf(why, DEVICE_TEXT, "the first line does not name the columns"), false;
    while (fgets(line, sizeof line, file)) {
        ++*number;
        if (!strchr(line, '\n') && !feof(file))
            return snprintf(why, DEVICE_TEXT, "longer than %d bytes", LINE - 2), false;
        if (line[strspn(line, " \t\r\n")] && !check_line(d, line, *number, r, why))
            return false;
    }
    if (!ferror(file) && r->checked)
        return true;
    snprintf(why, DEVICE_TEXT, "%s", ferror(file) ? strerror(errno) : "no vectors");
    return false;
}

bool selftest_vectors(const char *device, const char *file, struct selftest_result *r, char *error)
{
    char why[DEVICE_TEXT] = "";
    uint32_t line = 0;
    FILE *from = fopen(file, "r");
    if (!from) {
        snprintf(error, DEVICE_TEXT, "%.100s: %s", file, strerror(errno));
        return false;
    }
    struct device *d = device_open(device, error);
    bool done = d && check_lines(d, from, r, &line, why);
    if (d && !done)
        snprintf(error, DEVICE_TEXT, "%.100s, line %u: %.120s", file, line, why);
    device_close(d);
    fclose(from);
    return done;
}
