/* app_move.c: where arrows, pages and ends lead in each panel. */
#include "app_state.h"
#include "panel_train.h"
#include <stdio.h>
#include <string.h>

enum { TENSOR_PAGE = 10, BLOCK_PAGE = 8 };

static int clamp(int x, int low, int high)
{
    return x > high ? (high < low ? low : high) : x < low ? low : x;
}

/* How far a panel can be scrolled: what does not fit into its area. */
static int scroll_room(const struct app *app)
{
    const struct panel *panel = &panel_table[app->view.panel];
    struct rect area = app_panel_area(app, app->rows, app->cols);
    int height = panel->height && app->snapshot ? panel->height(area.cols, &app->view, app->snapshot) : 0;
    return height > area.rows ? height - area.rows : 0;
}

const struct tensor_row *selected_tensor(const struct app *app)
{
    const struct snapshot *s = app->snapshot;
    return s && s->tensor_count > 0 ? &s->tensors[clamp(app->view.tensor, 0, s->tensor_count - 1)] : NULL;
}

void view_clamp(struct app *app)
{
    struct view *v = &app->view;
    const struct snapshot *s = app->snapshot;
    int formats = s ? s->bits.count : FORMAT_STORED_COUNT;
    v->rows = app_panel_area(app, app->rows, app->cols).rows;
    v->format = clamp(v->format, 0, formats - 1);
    if (s && formats > 0)
        v->bit = clamp(v->bit, 0, s->bits.rows[v->format].format->width - 1);
    v->block = clamp(v->block, 0, s && s->block.shown ? s->block.count - 1 : BLOCK_MOST - 1);
    v->scroll[v->panel] = clamp(v->scroll[v->panel], 0, scroll_room(app));
    if (!s)
        return;
    if (s->update_valid)
        v->scheme = clamp(v->scheme, 0, (int)s->update.count - 1);
    v->tensor = clamp(v->tensor, 0, s->tensor_count - 1);
    const struct tensor_row *t = selected_tensor(app);
    v->element = t ? clamp(v->element, 0, (int)(t->rows * t->cols) - 1) : 0;
}

/* --- the map --- */

bool map_shown(const struct app *app)
{
    return app->snapshot && app->snapshot->heat.valid && app->view.panel == PANEL_TRAIN && !app->help;
}

/* By cells, within the row or the column. */
static void map_move(struct app *app, int down, int right)
{
    const struct heat_view *h = &app->snapshot->heat;
    const struct tensor_row *t = selected_tensor(app);
    if (!t || t->cols < 1 || h->row_step < 1 || h->col_step < 1)
        return;
    int cols = (int)t->cols, row = app->view.element / cols / h->row_step + down,
        col = app->view.element % cols / h->col_step + right;
    row = clamp(row, 0, h->rows - 1);
    col = clamp(col, 0, h->cols - 1);
    app->view.element = row * h->row_step * cols + col * h->col_step;
}

bool histogram_shown(const struct app *app)
{
    return app->snapshot && app->snapshot->tensor_histogram.valid && app->view.panel == PANEL_TRAIN &&
           !app->help;
}

const char *picture_of(const struct snapshot *s)
{
    return s->heat.valid ? s->heat.name : s->tensor_histogram.valid ? s->tensor_histogram.name : NULL;
}

bool picture_follow(struct app *app, char *error)
{
    char line[TENSOR_NAME + 16];
    const struct tensor_row *t = selected_tensor(app);
    bool map = map_shown(app);
    if ((!map && !histogram_shown(app)) || !t || strcmp(t->name, picture_of(app->snapshot)) == 0)
        return true;
    snprintf(line, sizeof line, "%s %s", command_table[map ? COMMAND_HEAT : COMMAND_HISTOGRAM].name, t->name);
    return app_send(app, line, error);
}

void picture_select(struct app *app)
{
    const struct snapshot *s = app->snapshot;
    const char *name = picture_of(s);
    for (int i = 0; name && i < s->tensor_count; i++)
        if (strcmp(s->tensors[i].name, name) == 0)
            app->view.tensor = i;
}

bool map_line(const struct app *app, char *line, size_t size, char *error)
{
    const struct heat_view *h = &app->snapshot->heat;
    const struct tensor_row *t = selected_tensor(app);
    if (!t || t->cols < 1 || h->row_step < 1 || h->col_step < 1 || strcmp(t->name, h->name) != 0)
        return app_fail(error, "the map is on its way");
    int row = clamp(app->view.element / (int)t->cols / h->row_step, 0, HEAT_SIDE - 1);
    int col = clamp(app->view.element % (int)t->cols / h->col_step, 0, HEAT_SIDE - 1);
    int element = h->element[row][col];
    if (t->role == TENSOR_WEIGHT)
        snprintf(line, size, "weight %s[%ld,%ld]", t->name, element / t->cols, element % t->cols);
    else
        snprintf(line, size, "value %s:0x%x", h->format, h->bits[row][col]);
    return true;
}

/* Bits shows a block: its elements are what moves. */
static bool block_shown(const struct app *app)
{
    return app->view.panel == PANEL_BITS && app->snapshot && app->snapshot->block.shown;
}

bool move_horizontally(struct app *app, int by)
{
    struct view *v = &app->view;
    if (block_shown(app))
        v->block += by;
    else if (v->panel == PANEL_BITS)
        v->bit -= by; /* bit 0 is the rightmost */
    else if (map_shown(app))
        map_move(app, 0, by);
    else if (v->panel == PANEL_TRAIN)
        v->element += by;
    view_clamp(app);
    return true;
}

/* Rows of the tensor table stand in the panel's own order. */
static void move_tensor(struct app *app, int down)
{
    app->view.roams = true;
    if (app->snapshot)
        app->view.tensor = tensors_move(app->snapshot, app->view.tensor, down);
}

/* The selected format stays in sight. */
static void move_format(struct app *app, int by)
{
    struct view *v = &app->view;
    if (block_shown(app)) {
        v->block += by;
        view_clamp(app);
        return;
    }
    v->format += by;
    view_clamp(app);
    int row = app->snapshot ? panel_bits_selected_row(v, app->snapshot) : 0;
    if (v->scroll[PANEL_BITS] > row && row > 0)
        v->scroll[PANEL_BITS] = row;
}

bool move_vertically(struct app *app, int by)
{
    struct view *v = &app->view;
    switch (v->panel) {
    case PANEL_BITS:
        move_format(app, by);
        break;
    case PANEL_UPDATE:
        v->scheme += by;
        break;
    case PANEL_TRAIN:
        if (map_shown(app))
            map_move(app, by, 0);
        else
            move_tensor(app, by);
        break;
    default:
        v->scroll[v->panel] += by;
    }
    view_clamp(app);
    return true;
}

bool move_page(struct app *app, int by)
{
    struct view *v = &app->view;
    int page = app_panel_area(app, app->rows, app->cols).rows / 2;
    if (v->panel == PANEL_TRAIN && scroll_room(app) == 0)
        move_tensor(app, map_shown(app) || histogram_shown(app) ? by : by * TENSOR_PAGE);
    else if (block_shown(app))
        v->block += by * BLOCK_PAGE;
    else
        v->scroll[v->panel] += by * (page > 1 ? page : 1);
    view_clamp(app);
    return true;
}

bool move_to_end(struct app *app, int direction)
{
    enum { FAR = 1 << 24 };
    struct view *v = &app->view;
    switch (v->panel) {
    case PANEL_BITS:
        if (block_shown(app))
            v->block = direction * FAR;
        else
            v->bit = direction < 0 ? FAR : 0;
        break;
    case PANEL_UPDATE:
        v->scheme = direction * FAR;
        break;
    case PANEL_TRAIN:
        move_tensor(app, direction * TRAINER_MAX_TENSORS);
        break;
    default:
        v->scroll[v->panel] = direction * FAR;
    }
    view_clamp(app);
    return true;
}

bool selected_weight(const struct app *app, char *text, size_t size, char *error)
{
    const struct snapshot *s = app->snapshot;
    const struct tensor_row *t = selected_tensor(app), *weight = NULL;
    for (int i = 0; t && i < s->tensor_count; i++)
        if (s->tensors[i].param == t->param && s->tensors[i].role == TENSOR_WEIGHT)
            weight = &s->tensors[i];
    if (!t || t->param == TENSOR_NONE || !weight || t->rows * t->cols != weight->rows * weight->cols) {
        snprintf(error, APP_ERROR, "%s belongs to no weight: choose a row of a parameter",
                 t ? t->name : "this");
        return false;
    }
    int element = clamp(app->view.element, 0, (int)(t->rows * t->cols) - 1);
    snprintf(text, size, "%s[%ld,%ld]", weight->name, element / weight->cols, element % weight->cols);
    return true;
}
