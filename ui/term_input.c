/* term_input.c: escape sequences, mouse reports and pastes. */
#include "term_input.h"
#include "glyph.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ESC = 27, SEQUENCE_MAX = 64, PASTE_LOST_SECONDS = 2 };

static bool named(struct term_key *key, const char *name)
{
    snprintf(key->name, sizeof key->name, "%s", name);
    return true;
}

static bool input_next(struct input_reader *r, bool wait, struct input *in)
{
    if (r->queued > 0) {
        *in = r->queue[--r->queued];
        return true;
    }
    return r->read(r->context, wait, in);
}

static void input_back(struct input_reader *r, struct input in)
{
    if (r->queued < INPUT_QUEUE)
        r->queue[r->queued++] = in;
}

static bool is_character(const struct input *in, uint32_t first, uint32_t last)
{
    return in->kind == INPUT_CHARACTER && in->character >= first && in->character <= last;
}

static bool character_key(uint32_t c, struct term_key *key)
{
    if (c == ' ')
        return named(key, "Space");
    if (c == '\r' || c == '\n')
        return named(key, "Enter");
    if (c == '\t')
        return named(key, "Tab");
    if (c == 8 || c == 127)
        return named(key, "Backspace");
    if (c >= 1 && c <= 26) {
        snprintf(key->name, sizeof key->name, "C-%c", (char)('a' + (int)c - 1));
        return true;
    }
    if (glyph_safe(c) != c)
        return false;
    glyph_encode(c, key->name);
    return true;
}

/* What terminals send for keys, whatever terminfo says of them: ESC [ or ESC O and a letter, or ESC [ number
 * ~. */
static const struct {
    uint32_t final;
    int number;
    const char *name;
    bool modified; /* S- and C- are keys of their own */
} sequences[] = {
    {'A', 1, "Up", true},    {'B', 1, "Down", true},    {'C', 1, "Right", true},   {'D', 1, "Left", true},
    {'H', 1, "Home", false}, {'F', 1, "End", false},    {'Z', 1, "S-Tab", false},  {'M', 1, "Enter", false},
    {'P', 1, "F1", false},   {'Q', 1, "F2", false},     {'R', 1, "F3", false},     {'S', 1, "F4", false},
    {'~', 1, "Home", false}, {'~', 2, "Insert", false}, {'~', 3, "Delete", false}, {'~', 4, "End", false},
    {'~', 5, "PgUp", false}, {'~', 6, "PgDn", false},   {'~', 7, "Home", false},   {'~', 8, "End", false},
    {'~', 11, "F1", false},  {'~', 12, "F2", false},    {'~', 13, "F3", false},    {'~', 14, "F4", false},
    {'~', 15, "F5", false},  {'~', 17, "F6", false},    {'~', 18, "F7", false},    {'~', 19, "F8", false},
    {'~', 20, "F9", false},  {'~', 21, "F10", false},   {'~', 23, "F11", false},   {'~', 24, "F12", false},
};

/* A modifier is 1 + the bits Shift 1, Alt 2, Control 4. */
static bool sequence_named(uint32_t final, int number, int modifier, struct term_key *key)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) {
        if (sequences[i].final != final || sequences[i].number != number)
            continue;
        if (modifier > 1 && !(sequences[i].modified && (modifier == 2 || modifier == 5)))
            return false;
        const char *prefix = modifier == 2 ? "S-" : modifier == 5 ? "C-" : "";
        snprintf(key->name, sizeof key->name, "%s%s", prefix, sequences[i].name);
        return true;
    }
    return false;
}

/* Reads to the final byte of a control sequence (ECMA-48 5.4).  One that means no key is gone then: its
 * letters must not act as keys. */
static bool sequence_key(struct input_reader *r, struct input in, struct term_key *key)
{
    int number[2] = {0, 0}, at = 0;
    bool plain = true;
    for (int i = 0; i < SEQUENCE_MAX; i++) {
        if (in.kind != INPUT_CHARACTER)
            return false;
        if (is_character(&in, '0', '9'))
            number[at] = number[at] < 1000 ? number[at] * 10 + (int)(in.character - '0') : number[at];
        else if (is_character(&in, ';', ';') && at == 0)
            at = 1;
        else if (is_character(&in, 0x40, 0x7e))
            return plain && sequence_named(in.character, number[0] ? number[0] : 1, number[1], key);
        else
            plain = false;
        if (!input_next(r, true, &in))
            return false;
    }
    return false;
}

/* After Esc: either it was the key, or it starts a sequence that curses did not know. */
static bool escape_key(struct input_reader *r, struct term_key *key)
{
    struct input second, third;
    if (!input_next(r, false, &second))
        return named(key, "Esc");
    bool csi = is_character(&second, '[', '['), ss3 = is_character(&second, 'O', 'O');
    if ((csi || ss3) && input_next(r, false, &third)) {
        if (is_character(&third, 'A', 'Z') || (csi && is_character(&third, '0', '?')))
            return sequence_key(r, third, key);
        input_back(r, third);
    }
    input_back(r, second);
    return named(key, "Esc");
}

/* button ; column ; row and M for a press, m for a release; from 1 */
static bool mouse_key(struct input_reader *r, struct term_key *key)
{
    int number[3] = {0, 0, 0}, at = 0;
    struct input in = {0};
    while (input_next(r, true, &in)) {
        if (is_character(&in, '0', '9'))
            number[at] = number[at] < 100000 ? number[at] * 10 + (int)(in.character - '0') : number[at];
        else if (is_character(&in, ';', ';') && at < 2)
            at++;
        else
            break;
    }
    key->col = number[1] - 1;
    key->row = number[2] - 1;
    if (!is_character(&in, 'M', 'M') || at != 2)
        return false;
    switch (number[0]) {
    case 0:
        return named(key, "Click");
    case 64:
        return named(key, "WheelUp");
    case 65:
        return named(key, "WheelDown");
    default:
        return false;
    }
}

static void paste_begin(struct input_reader *r)
{
    r->pasting = true;
    r->paste_length = 0;
    if (!r->paste)
        r->paste = malloc(INPUT_PASTE_MAX + GLYPH_UTF8_MAX);
    clock_gettime(CLOCK_MONOTONIC, &r->paste_time);
}

static void paste_add(struct input_reader *r, struct input in)
{
    clock_gettime(CLOCK_MONOTONIC, &r->paste_time);
    if (in.kind != INPUT_CHARACTER || in.character == 0 || !r->paste || r->paste_length >= INPUT_PASTE_MAX)
        return;
    uint32_t c = in.character == '\r' ? '\n' : in.character;
    r->paste_length += glyph_encode(c, r->paste + r->paste_length);
}

static bool paste_end(struct input_reader *r, struct term_key *key)
{
    r->pasting = false;
    if (!r->paste)
        return false;
    r->paste[r->paste_length] = '\0';
    key->text = r->paste;
    return named(key, "Paste");
}

/* A paste whose end never came must not swallow the keys that are typed later. */
static bool paste_lost(const struct input_reader *r)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - r->paste_time.tv_sec > PASTE_LOST_SECONDS;
}

static bool input_one(struct input_reader *r, struct input in, struct term_key *key)
{
    switch (in.kind) {
    case INPUT_CHARACTER:
        return in.character == ESC ? escape_key(r, key) : character_key(in.character, key);
    case INPUT_NAMED:
        return in.name && named(key, in.name);
    case INPUT_MOUSE:
        return mouse_key(r, key);
    case INPUT_PASTE:
        paste_begin(r);
        return false;
    default:
        return false;
    }
}

bool input_key(struct input_reader *r, struct term_key *key)
{
    for (struct input in; input_next(r, false, &in);) {
        *key = (struct term_key){.name = ""};
        if (r->pasting && paste_lost(r)) {
            input_back(r, in);
            if (paste_end(r, key))
                return true;
        } else if (r->pasting && in.kind != INPUT_PASTE_END) {
            paste_add(r, in);
        } else if (r->pasting ? paste_end(r, key) : input_one(r, in, key)) {
            return true;
        }
    }
    return false;
}

void input_close(struct input_reader *r)
{
    free(r->paste);
    r->paste = NULL;
}
