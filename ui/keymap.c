/* keymap.c: the table of keys. */
#include "keymap.h"
#include "glyph.h"
#include <string.h>

/* clang-format off */
const struct key_binding keymap_table[] = {
    /* context     key       command line       in the hint bar             priority */
    {PANEL_BITS,   "=",      "edit value",      "=",     "value",           1, 0, NULL},
    {PANEL_BITS,   "Enter",  "edit value",      NULL,    NULL,              0, 0, NULL},
    {PANEL_BITS,   "Left",   "left",            "←→",    "bit",             1, BITS_VALUE, NULL},
    {PANEL_BITS,   "x",      "flip-here",       "x",     "flip",            1, BITS_VALUE, NULL},
    {PANEL_BITS,   "Up",     "up",              "↑↓",    "format",          1, 0, "element"},
    {PANEL_BITS,   "[",      "previous-here",   "[ ]",   "previous/next",   2, BITS_VALUE, NULL},
    {PANEL_BITS,   "]",      "next-here",       NULL,    NULL,              0, 0, NULL},
    {PANEL_BITS,   "m",      "rounding",        "m",     "rounding",        3, 0, NULL},
    {PANEL_BITS,   "c",      "edit calc",       "c",     "calculate",       3, 0, NULL},
    {PANEL_BITS,   "b",      "edit block",      "b",     "block",           4, 0, NULL},
    {PANEL_BITS,   "w",      "weight",          "w",     "live weight",     5, 0, NULL},
    {PANEL_BITS,   "Esc",    "back",            "Esc",   "value",           1, BITS_CALC | BITS_BLOCK, NULL},

    {PANEL_UPDATE, "=",      "edit w",          "=",     "w, lr, g",        1, 0, NULL},
    {PANEL_UPDATE, "r",      "edit repeats",    "r",     "repeats",         1, 0, NULL},
    {PANEL_UPDATE, "Up",     "up",              "↑↓",    "scheme",          1, 0, NULL},
    {PANEL_UPDATE, "Enter",  "accept",          "Enter", "in Bits",         2, 0, NULL},
    {PANEL_UPDATE, "w",      "weight",          "w",     "live weight",     2, 0, NULL},

    {PANEL_SCALE,  "Space",  "toggle",          "Space", "run",             1, 0, NULL},
    {PANEL_SCALE,  "s",      "step",            "s",     "step",            1, 0, NULL},
    {PANEL_SCALE,  "p",      "phase",           "p",     "phase",           3, 0, NULL},
    {PANEL_SCALE,  "o",      "overflow",        "o",     "inject overflow", 1, 0, NULL},
    {PANEL_SCALE,  "=",      "edit scaler",     "=",     "scaler rule",     1, 0, NULL},
    {PANEL_SCALE,  "S",      "edit scaler",     NULL,    NULL,              0, 0, NULL},
    {PANEL_SCALE,  "c",      "edit recipe",     "c",     "recipe",          2, 0, NULL},
    {PANEL_SCALE,  "r",      "restart",         "r",     "restart",         3, 0, NULL},

    {PANEL_TRAIN,  "Space",  "toggle",          "Space", "run",             1, 0, NULL},
    {PANEL_TRAIN,  "s",      "step",            "s",     "step",            1, 0, NULL},
    {PANEL_TRAIN,  "p",      "phase",           "p",     "phase",           1, 0, NULL},
    {PANEL_TRAIN,  "i",      "into",            "i",     "into",            2, 0, NULL},
    {PANEL_TRAIN,  "O",      "out",             NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "F",      "continue",        "F",     "continue",        5, 0, NULL},
    {PANEL_TRAIN,  "b",      "back-step",       "b",     "back",            1, 0, NULL},
    {PANEL_TRAIN,  "P",      "back-phase",      NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "I",      "back-op",         NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "g",      "edit goto",       NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "<",      "scrub -1",        NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  ">",      "scrub 1",         NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "{",      "scrub -10",       NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "}",      "scrub 10",        NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "B",      "edit break",      "B",     "break",           1, 0, NULL},
    {PANEL_TRAIN,  "T",      "edit break-toggle", NULL,  NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "D",      "edit break-delete", NULL,  NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "y",      "why",             "y",     "why",             3, 0, NULL},
    {PANEL_TRAIN,  "C",      "curve",           "C",     "curve",           2, 0, NULL},
    {PANEL_TRAIN,  "h",      "histogram",       "h",     "histogram",       3, 0, NULL},
    {PANEL_TRAIN,  "H",      "heat",            NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "L",      "watch-lane",      NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "t",      "edit task",       NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "c",      "edit recipe",     "c",     "recipe",          3, 0, NULL},
    {PANEL_TRAIN,  "o",      "edit optimizer",  NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "l",      "edit lr",         NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "e",      "edit seed",       NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "S",      "edit scaler",     NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "r",      "restart",         NULL,    NULL,              0, 0, NULL},
    {PANEL_TRAIN,  "w",      "weight",          "w",     "watch",           2, 0, NULL},
    {PANEL_TRAIN,  "Enter",  "accept",          "Enter", "in Bits",         3, 0, NULL},

    {KEYMAP_ALL,   "s",      "step",            "s",     "step",            1, 0, NULL},
    {KEYMAP_ALL,   "p",      "phase",           NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Space",  "toggle",          NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   ".",      "step",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "1",      "panel bits",      NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "2",      "panel update",    NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "3",      "panel scale",     NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "4",      "panel train",     NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Tab",    "next-panel",      NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "S-Tab",  "previous-panel",  NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Left",   "left",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "h",      "left",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Right",  "right",           NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "l",      "right",           NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Up",     "up",              NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "k",      "up",              NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Down",   "down",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "j",      "down",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "WheelUp", "up",             NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "WheelDown", "down",         NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "PgUp",   "page-up",         NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "PgDn",   "page-down",       NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Home",   "home",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "g",      "home",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "End",    "end",             NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "G",      "end",             NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   ":",      "command-line",    ":",     "command",         5, 0, NULL},
    {KEYMAP_ALL,   "/",      "search",          NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "n",      "search-next",     NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "N",      "search-previous", NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "Esc",    "back",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "C-l",    "redraw",          NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "?",      "help",            "?",     "help",            0, 0, NULL},
    {KEYMAP_ALL,   "F1",     "help",            NULL,    NULL,              0, 0, NULL},
    {KEYMAP_ALL,   "q",      "quit",            "q",     "quit",            0, 0, NULL},
    {KEYMAP_ALL,   "C-c",    "quit",            NULL,    NULL,              0, 0, NULL},
};
/* clang-format on */
const int keymap_count = sizeof keymap_table / sizeof *keymap_table;

static const struct key_binding *find(int context, const char *key)
{
    for (int i = 0; i < keymap_count; i++)
        if (keymap_table[i].context == context && strcmp(keymap_table[i].key, key) == 0)
            return &keymap_table[i];
    return NULL;
}

const struct key_binding *keymap_find(enum panel_id panel, const char *key)
{
    const struct key_binding *own = find((int)panel, key);
    return own ? own : find(KEYMAP_ALL, key);
}

const char *keymap_hint(const struct key_binding *b, enum bits_shown shown)
{
    return b->block && shown == BITS_BLOCK ? b->block : b->hint;
}

/* " key hint  " */
int keymap_hint_width(const struct key_binding *b, enum bits_shown shown)
{
    return glyph_text_width(b->label) + 1 + glyph_text_width(keymap_hint(b, shown)) + 2;
}

int keymap_hints(enum panel_id panel, enum bits_shown shown, int cols, const struct key_binding **out,
                 int room)
{
    int count = 0, width = 0;
    for (int i = 0; i < keymap_count && count < room; i++) {
        const struct key_binding *b = &keymap_table[i];
        if (b->label && b == keymap_find(panel, b->key) && (!b->shown || b->shown & shown)) {
            out[count++] = b;
            width += keymap_hint_width(b, shown);
        }
    }
    while (width > cols && count > 0) {
        int worst = count - 1;
        for (int i = count - 1; i >= 0; i--)
            worst = out[i]->priority > out[worst]->priority ? i : worst;
        width -= keymap_hint_width(out[worst], shown);
        memmove(&out[worst], &out[worst + 1], (size_t)(count - 1 - worst) * sizeof *out);
        count--;
    }
    return count;
}

const char *keymap_key_text(const char *key)
{
    static const struct {
        const char *key, *text;
    } names[] = {{"Left", "←"},          {"Right", "→"},    {"Up", "↑"},      {"Down", "↓"},
                 {"S-Tab", "Shift-Tab"}, {"C-l", "Ctrl-L"}, {"C-c", "Ctrl-C"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].key, key) == 0)
            return names[i].text;
    return key;
}
