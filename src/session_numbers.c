/* session_numbers.c: which formats Bits shows, under which policy, and calculations in them. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdio.h>
#include <string.h>

/* ---- answers ---- */

struct probe_policy session_policy(const struct session *s)
{
    const struct numbers *n = &s->numbers;
    return (struct probe_policy){.mode = s->mode,
                                 .saturate = n->saturate,
                                 .seed = s->setup.seed,
                                 .ftz = n->flush,
                                 .daz = n->flush,
                                 .nan = n->nan,
                                 .random_bits = n->random_bits};
}

static int formats_of(const struct numbers *n, const struct format *formats[BITS_ROWS])
{
    int count = n->format_count ? n->format_count : FORMAT_STORED_COUNT;
    for (int i = 0; i < count; i++)
        formats[i] = n->format_count ? n->formats[i] : &format_table[i];
    return count;
}

bool session_answer_numbers(struct session *s, const char *value, struct exact_error *error)
{
    struct numbers *n = &s->numbers;
    const struct format *formats[BITS_ROWS];
    int count = formats_of(n, formats);
    struct probe_policy policy = session_policy(s);
    n->calc.shown = n->block.shown = false;
    if (!probe_bits_list(s->device, value, formats, count, &policy, &s->bits, error))
        return false;
    if (*n->calc_text && !calc_screen(s->device, n->calc_text, formats, count, &policy, &n->calc, error))
        return false;
    return !*n->block_text || session_answer_block(s, &policy, error);
}

void session_view_numbers(const struct session *s, struct snapshot *out)
{
    const struct format *formats[BITS_ROWS];
    int count = formats_of(&s->numbers, formats);
    for (int i = 0; i < count; i++)
        text_append(out->formats, sizeof out->formats, "%s%s", i ? "," : "", formats[i]->name);
    if (s->numbers.calc.shown)
        out->calc = s->numbers.calc;
    if (s->numbers.block.shown)
        out->block = s->numbers.block;
}

const struct bits_row *session_bits_row(const struct session *s, const char *format, char *error)
{
    const struct format *f = format_find(format);
    for (int i = 0; f && i < s->bits.count; i++)
        if (s->bits.rows[i].format == f)
            return &s->bits.rows[i];
    if (f)
        session_refuse(error, "%s is not among the formats shown (see formats)", f->name);
    else
        session_refuse(error, "no format '%.40s'", format);
    return NULL;
}

/* ---- commands ---- */

static bool add_format(struct numbers *n, const struct format *f, char *error)
{
    for (int i = 0; i < n->format_count; i++)
        if (n->formats[i] == f)
            return true;
    if (n->format_count == BITS_ROWS)
        return session_refuse(error, "more than %d formats", BITS_ROWS);
    n->formats[n->format_count++] = f;
    return true;
}

/* Names between commas or blanks; `all` stands for every row of the table. */
static bool read_formats(struct numbers *n, const char *list, char *error)
{
    static const char between[] = ", \t";
    n->format_count = 0;
    for (list += strspn(list, between); *list; list += strspn(list, between)) {
        char name[24];
        size_t length = strcspn(list, between);
        text_format(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), list);
        list += length;
        const struct format *f = format_find(name);
        bool all = strcmp(name, "all") == 0;
        if (!f && !all)
            return session_refuse(error, "no format '%.40s'", name);
        for (int i = 0; i < (all ? FORMAT_COUNT : 1); i++)
            if (!add_format(n, all ? &format_table[i] : f, error))
                return false;
    }
    return true;
}

bool session_do_formats(struct session *s, const char *argument, char *error)
{
    struct numbers n = {0};
    if (!read_formats(&n, argument, error))
        return false;
    memcpy(s->numbers.formats, n.formats, sizeof n.formats);
    s->numbers.format_count = n.format_count;
    s->bits_fresh = false;
    return true;
}

static bool set_switch(struct session *s, bool *to, const char *text, char *error)
{
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return session_refuse(error, "'%.40s' is not on or off", text);
    *to = on;
    s->bits_fresh = false;
    return true;
}

bool session_do_saturate(struct session *s, const char *argument, char *error)
{
    return set_switch(s, &s->numbers.saturate, argument, error);
}

bool session_do_flush(struct session *s, const char *argument, char *error)
{
    return set_switch(s, &s->numbers.flush, argument, error);
}

bool session_do_nan(struct session *s, const char *argument, char *error)
{
    int rule = 0;
    while (rule < NAN_RULE_COUNT && strcmp(nan_rule_names[rule], argument) != 0)
        rule++;
    if (rule == NAN_RULE_COUNT)
        return session_refuse(error, "no NaN rule '%.40s' (ours, cuda, x86)", argument);
    s->numbers.nan = (enum nan_rule)rule;
    s->bits_fresh = false;
    return true;
}

bool session_do_calc(struct session *s, const char *argument, char *error)
{
    struct exact_error why;
    if (strlen(argument) >= sizeof s->numbers.calc_text)
        return session_refuse(error, "an expression has at most %zu characters here",
                              sizeof s->numbers.calc_text - 1);
    struct calc *c = *argument ? calc_parse(argument, &why) : NULL;
    if (*argument && !c)
        return session_bad_value(argument, &why, error);
    calc_free(c);
    session_show_value(s);
    snprintf(s->numbers.calc_text, sizeof s->numbers.calc_text, "%s", argument);
    return true;
}

bool session_do_random_bits(struct session *s, const char *argument, char *error)
{
    int64_t bits = 0;
    if (!session_read_count(argument, 1, 32, &bits, error))
        return false;
    s->numbers.random_bits = (int)bits;
    s->bits_fresh = false;
    return true;
}

void session_show_value(struct session *s)
{
    s->numbers.calc_text[0] = '\0';
    s->numbers.block_text[0] = '\0';
    s->bits_fresh = false;
}

/* ---- facts ---- */

static bool row_fact(const struct calc_row *row, const char *part, char *text, size_t size)
{
    const struct calc_line *last =
        row->steps && row->steps <= CALC_SCREEN_STEPS ? &row->lines[row->steps - 1] : NULL;
    const char *found = strcmp(part, "") == 0              ? row->hex
                        : strcmp(part, "value") == 0       ? row->value
                        : strcmp(part, "error") == 0       ? row->error
                        : strcmp(part, "flags") == 0       ? (*row->flags ? row->flags : "none")
                        : strcmp(part, "tie") == 0 && last ? last->tie
                                                           : NULL;
    if (strcmp(part, "steps") == 0)
        text_format(text, size, "%d", row->steps);
    else if (found)
        text_format(text, size, "%s", found);
    else
        return false;
    return true;
}

/* "" for `calc` itself, "exact", "steps", "fp16", "fp16.value" */
bool session_calc_fact(const struct session *s, const char *name, char *text, size_t size)
{
    const struct calc_screen *c = &s->numbers.calc;
    char head[24];
    size_t length = strcspn(name, ".");
    if (!c->shown)
        return false;
    if (!*name || strcmp(name, "exact") == 0) {
        text_format(text, size, "%s", !*name ? c->text : *c->ratio ? c->ratio : c->exact);
        return true;
    }
    text_format(head, sizeof head, "%.*s", (int)(length < 23 ? length : 23), name);
    const struct format *f = format_find(head);
    for (int i = 0; i < c->count; i++) {
        const struct calc_row *row = &c->rows[i];
        if (*row->reason)
            continue;
        if (strcmp(name, "steps") == 0)
            return row_fact(row, name, text, size);
        if (row->format == f)
            return row_fact(row, name[length] ? name + length + 1 : "", text, size);
    }
    return false;
}
