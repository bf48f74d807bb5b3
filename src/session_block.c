/* session_block.c: a block of values in Bits: its command, its answer, its facts. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdlib.h>
#include <string.h>

bool session_do_block(struct session *s, const char *argument, char *error)
{
    struct block_input in;
    if (strlen(argument) >= sizeof s->numbers.block_text)
        return session_refuse(error, "a block has at most %zu characters here",
                              sizeof s->numbers.block_text - 1);
    if (*argument && !block_read(argument, &in, error))
        return false;
    if (*argument)
        block_input_clear(&in);
    session_show_value(s);
    text_format(s->numbers.block_text, sizeof s->numbers.block_text, "%s", argument);
    return true;
}

bool session_answer_block(struct session *s, const struct probe_policy *policy, struct exact_error *error)
{
    struct numbers *n = &s->numbers;
    return block_screen(s->device, n->block_text, policy, &n->block, error);
}

/* ---- facts ---- */

/* With a minus that VALUE reads: claims compare numbers. */
static bool put(char *text, size_t size, const char *found)
{
    static const char minus[] = "−";
    bool negative = found && strncmp(found, minus, strlen(minus)) == 0;
    if (found)
        text_format(text, size, "%s%s", negative ? "-" : "", negative ? found + strlen(minus) : found);
    return found != NULL;
}

static bool put_number(char *text, size_t size, int n)
{
    text_format(text, size, "%d", n);
    return true;
}

/* "" for an encoding itself, else what is behind the point. */
static const char *row_text(const struct block_row *row, const char *part)
{
    return strcmp(part, "") == 0           ? row->element.hex
           : strcmp(part, ".scaled") == 0  ? row->scaled
           : strcmp(part, ".element") == 0 ? row->element.value
           : strcmp(part, ".value") == 0   ? row->stands
           : strcmp(part, ".error") == 0   ? row->error
           : strcmp(part, ".class") == 0   ? row->class
                                           : NULL;
}

/* "" for `block` itself, "count", "scale.value", "3", "3.error" */
bool session_block_fact(const struct session *s, const char *name, char *text, size_t size)
{
    const struct block_screen *b = &s->numbers.block;
    const struct {
        const char *name, *text;
        int number;
    } facts[] = {
        {"", b->text, 0},
        {"format", b->shown ? b->format->name : "", 0},
        {"largest", b->largest, 0},
        {"scale", b->scale.hex, 0},
        {"scale.value", b->scale.value, 0},
        {"count", NULL, b->count},
        {"zeros", NULL, b->zeros},
        {"saturated", NULL, b->saturated},
    };
    char *end;
    if (!b->shown)
        return false;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        if (strcmp(name, facts[i].name) == 0)
            return facts[i].text ? put(text, size, facts[i].text) : put_number(text, size, facts[i].number);
    if (strcmp(name, "worst") == 0)
        return b->worst < 0 ? put(text, size, "none") : put_number(text, size, b->worst);
    if (name[0] < '0' || name[0] > '9')
        return false;
    long i = strtol(name, &end, 10);
    return i < b->count && put(text, size, row_text(&b->rows[i], end));
}
