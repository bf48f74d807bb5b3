/* app_draw.c: what surrounds a panel: title, narration, status, message or field, hints. */
#include "app_state.h"
#include "glyph.h"
#include "keymap.h"
#include "panel_parts.h"
#include <stdio.h>
#include <string.h>

enum { TITLE_ROWS = 2, BOTTOM_ROWS = 2, NARRATION_MAX = 5, HINTS_MAX = 24 };

static int narration_rows(const struct app *app, int cols)
{
    struct grid none = {0};
    struct page p = {.g = &none, .cols = cols};
    if (!app->player.narration)
        return 0;
    page_paragraph(&p, ROLE_TEXT, app->player.narration);
    return 1 + (p.row > NARRATION_MAX ? NARRATION_MAX : p.row);
}

struct rect app_panel_area(const struct app *app, int rows, int cols)
{
    return rect_make(TITLE_ROWS, 0, rows - TITLE_ROWS - BOTTOM_ROWS - narration_rows(app, cols), cols);
}

/* --- title --- */

static int draw_tabs(const struct app *app, struct grid *g, bool airy)
{
    int at = 1 + grid_text(g, 0, 1, ROLE_TITLE, "ulpscope") + (airy ? 2 : 1);
    for (int i = 0; i < PANEL_COUNT; i++) {
        bool here = i == (int)app->view.panel;
        char text[32];
        snprintf(text, sizeof text, "%c%d %s%c", here ? '[' : ' ', i + 1, panel_table[i].title,
                 here ? ']' : ' ');
        int width = grid_text(g, 0, at, here ? ROLE_FOCUS : ROLE_TEXT, text);
        snprintf(text, sizeof text, "panel %s", panel_table[i].name);
        grid_link(g, rect_make(0, at, 1, width), text);
        at += width + airy;
    }
    return at;
}

/* A run that was changed by hand is no clean one: every title says so. */
static const char INJECTED[] = " injected";

/* The right end of the title in several lengths, the richest first. */
static void state_text(const struct snapshot *s, int brevity, char *out, size_t size)
{
    /* Only devices whose every bit is compared with the CPU's by the tests may say so. */
    bool proven = strcmp(s->device, "cpu") == 0 || strcmp(s->device, "cuda") == 0;
    const char *exact = brevity < 1 && proven ? " · bit-exact" : "";
    const char *sign = s->running ? "▶" : "‖";
    char step[72], recipe[40], of[32] = "";
    if (s->behind && brevity < 3) /* an earlier place of the run */
        snprintf(of, sizeof of, " of %lld", (long long)s->last_step);
    snprintf(step, sizeof step, "%s%lld%s%s", brevity < 4 ? "step " : "", (long long)s->step,
             s->in_step ? "+" : "", of);
    /* The lane's name says what differs from the recipe, too ("bf16-pure+master"); its scaler is left out. */
    const char *name = s->lane_count > 0 ? s->lanes[0].recipe : s->recipe;
    snprintf(recipe, sizeof recipe, "%.*s%s", (int)strcspn(name, " "), name, s->injected ? INJECTED : "");
    const char *gap = brevity < 2 ? "   " : "  ";
    if (brevity < 1 && s->running && s->rate[0] && strcmp(s->rate, "–") != 0) {
        snprintf(out, size, "%s%s   %s %s   %s   %s %s", s->device, exact, s->task, recipe, s->rate, step,
                 sign);
        return;
    }
    if (brevity < 3)
        snprintf(out, size, "%s%s%s%s %s%s%s %s", s->device, exact, gap, s->task, recipe, gap, step, sign);
    else if (brevity < 5)
        snprintf(out, size, "%s%s%s%s%s %s", s->device, gap, recipe, gap, step, sign);
    else
        snprintf(out, size, "%s %s", step, sign);
}

static void draw_title(const struct app *app, struct grid *g)
{
    const struct snapshot *s = app->snapshot;
    bool airy = g->cols >= 110;
    int end = draw_tabs(app, g, airy);
    grid_rule(g, 1, 0, g->cols, NULL);
    if (!s)
        return;
    char text[256];
    for (int brevity = 0; brevity < 6; brevity++) {
        state_text(s, brevity, text, sizeof text);
        int from = g->cols - 1 - glyph_text_width(text);
        if (from < end + 1)
            continue;
        grid_text(g, 0, from, ROLE_TEXT, text);
        const char *injected = s->injected ? strstr(text, INJECTED) : NULL;
        if (injected)
            grid_set_role(g,
                          rect_make(0, g->cols - 1 - glyph_text_width(injected), 1, (int)sizeof INJECTED - 1),
                          ROLE_WARNING);
        enum role role = s->running ? ROLE_GOOD : ROLE_FOCUS;
        grid_set_role(g, rect_make(0, g->cols - 2, 1, 1), role);
        return;
    }
}

/* --- bottom --- */

/* `line`: what a click on it does; NULL for nothing. */
static void draw_hint(struct grid *g, int row, int *at, const char *key, const char *what, const char *line)
{
    int from = *at;
    *at += grid_text(g, row, *at, ROLE_KEY, key) + 1;
    *at += grid_text(g, row, *at, ROLE_HINT, what);
    if (line)
        grid_link(g, rect_make(row, from, 1, *at - from), line);
    *at += 2;
}

static enum bits_shown bits_shown(const struct snapshot *s)
{
    return s && s->calc.shown ? BITS_CALC : s && s->block.shown ? BITS_BLOCK : BITS_VALUE;
}

static void draw_hints(const struct app *app, struct grid *g, int row)
{
    const struct key_binding *hints[HINTS_MAX];
    int at = 1, cols = g->cols - 1;
    if (app->help) {
        draw_hint(g, row, &at, "Esc", "back", "back");
        draw_hint(g, row, &at, "↑↓", "scroll", NULL);
        draw_hint(g, row, &at, "/", "search", "search");
        draw_hint(g, row, &at, "q", "quit", "quit");
        return;
    }
    if (app->player.narration) {
        draw_hint(g, row, &at, "Space", "go on", NULL);
        draw_hint(g, row, &at, "Esc", "end the demo", "back");
    }
    const struct snapshot *s = app->snapshot;
    if (app->view.panel == PANEL_TRAIN && s && s->behind && !app->player.narration)
        draw_hint(g, row, &at, "< > { }", "scrub", NULL);
    enum bits_shown shown = bits_shown(app->snapshot);
    int count = keymap_hints(app->view.panel, shown, cols - at + 2, hints, HINTS_MAX);
    int width = 0;
    for (int i = 0; i < count; i++)
        width += keymap_hint_width(hints[i], shown);
    int spare = count > 0 && width + count <= cols - at + 2; /* a third blank where there is room */
    for (int i = 0; i < count; i++) {
        bool taken = app->player.narration && strcmp(hints[i]->key, "Space") == 0;
        if (taken)
            continue;
        draw_hint(g, row, &at, hints[i]->label, keymap_hint(hints[i], shown), hints[i]->line);
        at += spare;
    }
}

/* Below a text field: what the command takes, and the names that fit. */
static void draw_field_hints(const struct app *app, struct grid *g, int row)
{
    const struct field *f = &app->field;
    char text[LINE_EDIT_MAX];
    const char *typed = f->completion >= 0 ? f->completing : f->edit.replace ? "" : f->edit.text, *name;
    int at = 1, end = g->cols - 1;
    draw_hint(g, row, &at, "Enter", "take", NULL);
    draw_hint(g, row, &at, "Esc", "leave", NULL);
    if (f->kind == FIELD_EDIT)
        at += grid_text_fit(g, row, at, end - at, ROLE_DIM, command_table[f->command].help) + 2;
    enum command_id next = f->kind == FIELD_EDIT ? field_next(f->command) : COMMAND_COUNT;
    if (next != COMMAND_COUNT)
        draw_hint(g, row, &at, "Tab", command_table[next].name, NULL);
    for (int i = 0; (name = field_candidate(f, typed, i, text, sizeof text)) != NULL; i++) {
        if (i == 0)
            draw_hint(g, row, &at, "Tab", "", NULL);
        int width = glyph_text_width(name);
        if (at + width > end)
            break;
        grid_text(g, row, at, i == f->completion ? ROLE_FOCUS : ROLE_TEXT, name);
        at += width + 2;
    }
}

/* As many of the kernels, which two blanks separate, as fit. */
static void kernels_text(const char *kernels, int cols, char *out, size_t size)
{
    size_t all = strlen(kernels), taken = 0;
    for (size_t end = 0; end <= all; end++) {
        bool whole = end == all || strncmp(kernels + end, "  ", 2) == 0;
        if (whole && end > 0 && (int)end + (end < all ? 3 : 0) <= cols)
            taken = end;
    }
    snprintf(out, size, "kernels  %.*s%s", (int)taken, kernels, taken < all ? "  …" : "");
}

static void draw_status(const struct app *app, struct grid *g, int row, int hidden)
{
    const char *kernels = app->snapshot ? app->snapshot->kernels[app->view.panel] : "";
    char title[TEXT_LINE + 16], more[TEXT_SHORT + 8];
    int room = g->cols;
    bool train = app->view.panel == PANEL_TRAIN && app->snapshot && app->snapshot->history[0];
    if (train && !app->help) { /* what going back costs */
        snprintf(more, sizeof more, " %s ", app->snapshot->history);
        room -= 2 + glyph_text_width(more);
    }
    if (hidden > 0 && !app->help)
        room -= 2 + snprintf(more, sizeof more, " %d more row%s: PgDn ", hidden, hidden == 1 ? "" : "s");
    kernels_text(kernels, room - 16, title, sizeof title);
    grid_rule(g, row, 0, g->cols, NULL);
    if (kernels[0])
        grid_rule(g, row, 0, room, title);
    if (kernels[0])
        grid_set_role(g, rect_make(row, 2, 1, room - 4), ROLE_DIM);
    if (room < g->cols)
        grid_text(g, row, room, hidden > 0 ? ROLE_FOCUS : ROLE_DIM, more);
}

static void draw_field(const struct app *app, struct grid *g, int row)
{
    const char *prompt = field_prompt(app);
    int at = 1 + grid_text(g, row, 1, ROLE_FOCUS, prompt);
    at += app->field.kind == FIELD_EDIT ? 2 : 1;
    line_edit_draw(&app->field.edit, g, row, at, g->cols - 1 - at);
}

static void draw_bottom(const struct app *app, struct grid *g, int hidden)
{
    int row = g->rows - BOTTOM_ROWS;
    const char *message = app_message(app);
    bool is_error =
        app->message[0] ? app->message_is_error : app->snapshot && app->snapshot->message_is_error;
    if (app->field.kind != FIELD_NONE) {
        draw_field(app, g, row);
        if (message[0])
            grid_text_fit(g, row + 1, 1, g->cols - 2, is_error ? ROLE_ERROR : ROLE_TEXT, message);
        else
            draw_field_hints(app, g, row + 1);
        return;
    }
    if (message[0]) {
        grid_rule(g, row, 0, g->cols, NULL);
        grid_put(g, row, 0, ROLE_RULE, ' ');
        int used = grid_text_fit(g, row, 1, g->cols - 3, is_error ? ROLE_ERROR : ROLE_TITLE, message);
        grid_put(g, row, 1 + used, ROLE_RULE, ' ');
    } else {
        draw_status(app, g, row, hidden);
    }
    draw_hints(app, g, row + 1);
}

static void draw_narration(const struct app *app, struct grid *g)
{
    int rows = narration_rows(app, g->cols);
    if (rows == 0)
        return;
    const struct player *player = &app->player;
    struct page p = {.g = g, .cols = g->cols, .row = g->rows - BOTTOM_ROWS - rows};
    char title[96];
    snprintf(title, sizeof title, "%s · %d of %d", player->name, player->said, player->says);
    struct rect old = grid_clip(g, rect_make(p.row, 0, rows, g->cols));
    grid_rule(g, p.row, 0, g->cols, title);
    grid_set_role(g, rect_make(p.row, 0, 1, g->cols), ROLE_FOCUS);
    p.row++;
    page_paragraph(&p, ROLE_TITLE, player->narration);
    grid_unclip(g, old);
}

/* --- all of it --- */

static void draw_too_small(struct grid *g)
{
    char text[64];
    snprintf(text, sizeof text, "needs %dx%d, has %dx%d", APP_MIN_COLS, APP_MIN_ROWS, g->cols, g->rows);
    int width = glyph_text_width(text), row = g->rows / 2, col = (g->cols - width) / 2;
    if (col < 0) { /* as much of it as there is room for, over several rows */
        struct page p = {.g = g, .col = -2, .cols = g->cols + 4, .row = g->rows > 3 ? row - 1 : 0};
        page_paragraph(&p, ROLE_WARNING, text);
        return;
    }
    grid_text(g, row, col, ROLE_WARNING, text);
    if (row > 0)
        grid_text(g, row - 1, (g->cols - 8) / 2, ROLE_TITLE, "ulpscope");
}

/* Draws the whole panel on a page of its own and shows the part that is scrolled to.  False without memory.
 */
static bool draw_scrolled(const struct app *app, struct grid *g, struct rect area, int hidden, int scroll)
{
    struct grid *page = grid_create(area.rows + hidden, area.cols);
    if (!page)
        return false;
    page->ascii = g->ascii;
    page->braille = g->braille;
    panel_table[app->view.panel].draw(page, grid_bounds(page), &app->view, app->snapshot);
    for (int row = 0; row < area.rows; row++)
        memcpy(&g->cells[(size_t)(area.row + row) * (size_t)g->cols + (size_t)area.col],
               grid_at(page, row + scroll, 0), (size_t)area.cols * sizeof(struct cell));
    struct rect clip = grid_clip(g, area);
    for (int i = 0; i < page->link_count; i++) {
        struct rect where = page->links[i].where;
        where.row += area.row - scroll;
        where.col += area.col;
        grid_link(g, where, page->links[i].command);
    }
    grid_unclip(g, clip);
    int row = area.row + page->cursor_row - scroll;
    if (rect_has(area, row, area.col + page->cursor_col))
        grid_cursor(g, row, area.col + page->cursor_col, false);
    grid_free(page);
    return true;
}

/* A panel is drawn at its full height, moved up by what is scrolled; returns the rows hidden below. */
static int draw_panel(struct app *app, struct grid *g, struct rect area)
{
    const struct panel *panel = &panel_table[app->view.panel];
    const struct snapshot *s = app->snapshot;
    if (!s || (s->failed && !s->bits.rows[0].format)) {
        const char *text = s ? s->message : "opening the device …";
        grid_text_fit(g, area.row + area.rows / 2, area.col + 4, area.cols - 8, s ? ROLE_ERROR : ROLE_DIM,
                      text);
        return 0;
    }
    app->view.rows = area.rows;
    int height = panel->height ? panel->height(area.cols, &app->view, s) : 0;
    int hidden = height > area.rows ? height - area.rows : 0;
    int scroll = app->view.scroll[app->view.panel];
    scroll = scroll > hidden ? hidden : scroll;
    if (hidden == 0 || !draw_scrolled(app, g, area, hidden, scroll))
        panel->draw(g, area, &app->view, s);
    return hidden - scroll;
}

static void draw_screen(struct app *app, struct grid *g)
{
    if (app->rows != g->rows || app->cols != g->cols) {
        app->rows = g->rows;
        app->cols = g->cols;
        view_clamp(app);
    }
    struct rect area = app_panel_area(app, g->rows, g->cols);
    int hidden = 0;
    draw_title(app, g);
    if (app->help)
        help_draw(app, g, area);
    else
        hidden = draw_panel(app, g, area);
    draw_narration(app, g);
    draw_bottom(app, g, hidden);
}

void app_draw(struct app *app, struct grid *g)
{
    grid_clear(g);
    if (g->cols < APP_MIN_COLS || g->rows < APP_MIN_ROWS)
        draw_too_small(g);
    else
        draw_screen(app, g);
    app->link_count = g->link_count;
    memcpy(app->links, g->links, (size_t)g->link_count * sizeof *g->links);
}
