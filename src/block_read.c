/* block_read.c: the kind of a block and its values, as a command has them. */
#include "block_screen.h"
#include "probe_text.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

static bool refuse(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(char *error, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(error, 160, format, list);
    va_end(list);
    return false;
}

/* How long the value is that a text begins with: up to a blank that stands in no parentheses. */
static size_t value_length(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] && (depth > 0 || !strchr(blanks, text[length])); length++)
        depth += text[length] == '(' ? 1 : text[length] == ')' && depth > 0 ? -1 : 0;
    return length;
}

static bool read_kind(const char **text, struct block_input *out, char *error)
{
    char name[32], names[100] = "";
    size_t length = strcspn(*text, blanks);
    text_format(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), *text);
    out->format = length < sizeof name ? block_find(name) : NULL;
    for (int i = 0; i < BLOCK_FORMATS; i++)
        text_append(names, sizeof names, "%s%s", i ? ", " : "", block_format_table[i].name);
    if (!out->format)
        return refuse(error, "no block '%s' (%s)", name, names);
    *text += length;
    return true;
}

/* "'0.1x': not a number (at 'x')" */
static bool bad_value(const char *text, const struct exact_error *why, char *error)
{
    if (why->column < strlen(text))
        return refuse(error, "'%.40s': %.70s (at '%.8s')", text, why->message, text + why->column);
    return refuse(error, "'%.40s': %.90s", text, why->message);
}

static bool read_value(const char *text, size_t length, struct block_input *out, char *error)
{
    struct exact_error why;
    if (strspn(text, "+-*/^") == length)
        return refuse(error, "'%.*s': blanks part values; parentheses keep one together: (1 - 2)",
                      (int)length, text);
    char *copy = malloc(length + 1);
    if (!copy)
        return refuse(error, "out of memory");
    memcpy(copy, text, length);
    copy[length] = '\0';
    struct exact *x = exact_parse(copy, &why);
    out->texts[out->count] = copy;
    out->values[out->count++] = x;
    if (!x)
        return bad_value(copy, &why, error);
    return exact_kind(x) == EXACT_FINITE || refuse(error, "'%.40s': a block takes finite values", copy);
}

static size_t count_values(const char *text)
{
    size_t count = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks), count++)
        text += value_length(text);
    return count;
}

bool block_read(const char *text, struct block_input *out, char *error)
{
    *out = (struct block_input){0};
    text += strspn(text, blanks);
    if (!read_kind(&text, out, error))
        return false;
    const struct block_format *b = out->format;
    size_t count = count_values(text);
    if (count == 0)
        return refuse(error, "%s: the values are missing: 1 to %zu of them", b->name, b->size);
    if (count > b->size)
        return refuse(error, "%s: a block holds %zu values, not %zu", b->name, b->size, count);
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = value_length(text);
        if (!read_value(text, length, out, error)) {
            block_input_clear(out);
            return false;
        }
        text += length;
    }
    return true;
}

void block_input_clear(struct block_input *in)
{
    for (size_t i = 0; i < in->count; i++) {
        free(in->texts[i]);
        exact_free(in->values[i]);
    }
    *in = (struct block_input){0};
}
