/* line_edit.c: a text field of one line. */
#include "line_edit.h"
#include "glyph.h"
#include <stdlib.h>
#include <string.h>

void line_edit_set(struct line_edit *e, const char *text, bool replace)
{
    e->length = e->cursor = 0;
    e->text[0] = '\0';
    e->replace = false;
    line_edit_insert(e, text);
    e->replace = replace && e->length > 0;
}

static void clear(struct line_edit *e)
{
    e->length = e->cursor = 0;
    e->text[0] = '\0';
    e->replace = false;
}

void line_edit_insert(struct line_edit *e, const char *text)
{
    if (e->replace)
        clear(e);
    while (*text && *text != '\n' && *text != '\r') {
        uint32_t glyph = glyph_decode(&text);
        char bytes[GLYPH_UTF8_MAX];
        if (glyph_safe(glyph) != glyph || glyph_width(glyph) == 0)
            continue;
        size_t n = glyph_encode(glyph, bytes);
        if (e->length + n >= sizeof e->text)
            return;
        memmove(e->text + e->cursor + n, e->text + e->cursor, e->length - e->cursor + 1);
        memcpy(e->text + e->cursor, bytes, n);
        e->cursor += n;
        e->length += n;
    }
}

static size_t before(const struct line_edit *e, size_t at)
{
    while (at > 0 && ((unsigned char)e->text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t after(const struct line_edit *e, size_t at)
{
    while (at < e->length && ((unsigned char)e->text[++at] & 0xc0) == 0x80)
        ;
    return at;
}

static void erase(struct line_edit *e, size_t from, size_t end)
{
    memmove(e->text + from, e->text + end, e->length - end + 1);
    e->length -= end - from;
    e->cursor = from;
}

static size_t word_before(const struct line_edit *e)
{
    size_t at = e->cursor;
    while (at > 0 && e->text[at - 1] == ' ')
        at--;
    while (at > 0 && e->text[at - 1] != ' ')
        at--;
    return at;
}

static void left(struct line_edit *e)
{
    e->cursor = before(e, e->cursor);
}

static void right(struct line_edit *e)
{
    e->cursor = after(e, e->cursor);
}

static void home(struct line_edit *e)
{
    e->cursor = 0;
}

static void end(struct line_edit *e)
{
    e->cursor = e->length;
}

static void backspace(struct line_edit *e)
{
    if (e->replace)
        clear(e);
    else
        erase(e, before(e, e->cursor), e->cursor);
}

static void delete_here(struct line_edit *e)
{
    if (e->replace)
        clear(e);
    else
        erase(e, e->cursor, after(e, e->cursor));
}

static void kill_before(struct line_edit *e)
{
    erase(e, 0, e->cursor);
}

static void kill_after(struct line_edit *e)
{
    erase(e, e->cursor, e->length);
}

static void kill_word(struct line_edit *e)
{
    erase(e, word_before(e), e->cursor);
}

/* The keys that terminals and shells have taught. */
static const struct {
    const char *key;
    void (*act)(struct line_edit *e);
} keys[] = {
    {"Left", left},
    {"C-b", left},
    {"Right", right},
    {"C-f", right},
    {"Home", home},
    {"C-a", home},
    {"End", end},
    {"C-e", end},
    {"Backspace", backspace},
    {"C-h", backspace},
    {"Delete", delete_here},
    {"C-d", delete_here},
    {"C-u", kill_before},
    {"C-k", kill_after},
    {"C-w", kill_word},
};

bool line_edit_key(struct line_edit *e, const char *key)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].key, key) == 0) {
            keys[i].act(e);
            e->replace = false;
            return true;
        }
    const char *rest = key;
    if (strcmp(key, "Space") == 0)
        line_edit_insert(e, " ");
    else if (glyph_decode(&rest) != 0 && *rest == '\0')
        line_edit_insert(e, key);
    else
        return false;
    return true;
}

void line_edit_draw(const struct line_edit *e, struct grid *g, int row, int col, int cols)
{
    if (cols <= 1)
        return;
    size_t from = 0;
    int width = 0;
    for (size_t at = e->cursor; at > 0; at = before(e, at)) { /* as much before the cursor as fits */
        const char *text = e->text + before(e, at);
        width += glyph_width(glyph_decode(&text));
        if (width > cols - 1) {
            from = at;
            break;
        }
    }
    struct rect old = grid_clip(g, rect_make(row, col, 1, cols));
    int used = grid_text(g, row, col, ROLE_TEXT, e->text + from);
    if (e->replace)
        grid_add_attributes(g, rect_make(row, col, 1, used), ATTR_REVERSE);
    grid_unclip(g, old);
    int at = col;
    for (const char *text = e->text + from; text < e->text + e->cursor;)
        at += glyph_width(glyph_decode(&text));
    grid_cursor(g, row, at, true);
}

/* --- history --- */

void line_history_add(struct line_history *h, const char *line)
{
    h->at = h->count;
    if (!*line || (h->count > 0 && strcmp(h->lines[h->count - 1], line) == 0))
        return;
    char *copy = strdup(line);
    if (!copy)
        return;
    if (h->count == LINE_HISTORY) {
        free(h->lines[0]);
        memmove(&h->lines[0], &h->lines[1], (LINE_HISTORY - 1) * sizeof h->lines[0]);
        h->count--;
    }
    h->lines[h->count++] = copy;
    h->at = h->count;
}

const char *line_history_move(struct line_history *h, int direction)
{
    int to = h->at + direction;
    if (to < 0 || to > h->count)
        return NULL;
    h->at = to;
    return to == h->count ? "" : h->lines[to];
}

void line_history_free(struct line_history *h)
{
    for (int i = 0; i < h->count; i++)
        free(h->lines[i]);
    h->count = h->at = 0;
}
