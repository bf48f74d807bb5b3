/* panel_loss.c: the box with the curve: what each lane came to, and where lanes first differ. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include <stdio.h>
#include <string.h>

static int lanes_of(const struct snapshot *s)
{
    return s->lane_count < 0 ? 0 : s->lane_count > SNAPSHOT_LANES ? SNAPSHOT_LANES : s->lane_count;
}

/* The legend is a table: columns that find no room are left out whole.  The first is what the curve shows. */
static const struct {
    const char *head;
    int width;
} lane_columns[] = {{NULL, 8}, {"accuracy", 5}, {"lost", 6}, {"drift", 8}, {"lost, all", 9}};
enum { LANE_COLUMNS = sizeof lane_columns / sizeof *lane_columns };

/* In the whole table the lost updates have a column of their own. */
static enum train_curve curve_of(const struct view *v, bool head)
{
    return head && v->curve == CURVE_LOST ? CURVE_LOSS : v->curve;
}

static const char *curve_text(const struct lane_view *lane, enum train_curve curve)
{
    switch (curve) {
    case CURVE_FLUSHED:
        return lane->now[TIMELINE_FLUSHED];
    case CURVE_LOST:
        return lane->now[TIMELINE_LOST];
    case CURVE_SCALE:
        return lane->now[TIMELINE_SCALE];
    case CURVE_NORM:
        return lane->now[TIMELINE_NORM];
    case CURVE_WEIGHT:
        return lane->weight;
    default:
        return lane->loss;
    }
}

static const char *lane_head(int column, enum train_curve curve)
{
    return column == 0 ? curve_name(curve) : lane_columns[column].head;
}

static const char *lane_text(const struct lane_view *lane, int column, enum train_curve curve)
{
    const char *const texts[LANE_COLUMNS] = {curve_text(lane, curve), lane->accuracy, lane->lost, lane->drift,
                                             lane->lost_total};
    return texts[column];
}

static bool lane_failed(const struct lane_view *lane)
{
    return strstr(lane->loss, "nan") || strstr(lane->loss, "inf");
}

static int lane_column_width(const struct snapshot *s, int column, enum train_curve curve, bool head)
{
    int width = lane_columns[column].width, label = glyph_text_width(lane_head(column, curve));
    width = head && label > width ? label : width;
    for (int lane = 0; lane < lanes_of(s); lane++) {
        int own = glyph_text_width(lane_text(&s->lanes[lane], column, curve));
        width = own > width ? own : width;
    }
    return width;
}

/* Columns that names get, and how many of the others there is room for.  Long names are cut to their first
 * words where that makes room. */
static int legend_columns(const struct snapshot *s, int cols, enum train_curve curve, bool head, int *name)
{
    int full = 4, word = 10, all = 0, shown = 0, last = head ? LANE_COLUMNS : 2;
    bool alike = false; /* two lanes that would be cut to the same words */
    for (int lane = 0; lane < lanes_of(s); lane++) {
        const char *recipe = s->lanes[lane].recipe;
        int width = glyph_text_width(recipe), first = (int)strcspn(recipe, " ") + 2;
        full = width > full ? width : full;
        word = width > word && first > word ? first : word;
        for (int other = 0; other < lane; other++)
            alike = alike || strncmp(recipe, s->lanes[other].recipe, (size_t)first - 1) == 0;
    }
    word = alike ? full : word;
    for (int column = 0; column < last; column++)
        all += 1 + lane_column_width(s, column, curve, head);
    /* The loss is there in any case; where there is little room, a long name gives way to the accuracy, too. */
    int room = cols - 3 - lane_column_width(s, 0, curve, head);
    room -= head ? 0 : 1 + lane_column_width(s, 1, curve, head);
    *name = full > word && 2 + full + all > cols ? word : full;
    *name = *name > room ? room : *name;
    int end = 2 + *name;
    while (shown < last && (end += 1 + lane_column_width(s, shown, curve, head)) <= cols)
        shown++;
    return shown;
}

static void legend_draw(struct grid *g, struct rect r, const struct snapshot *s, enum train_curve curve,
                        bool head)
{
    int name, columns = legend_columns(s, r.cols, curve, head, &name);
    int row = r.row + head, first = r.col + 2 + name;
    for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++) {
        enum role role = theme_lane((unsigned)lane);
        grid_put(g, row + lane, r.col, role, (uint32_t)('0' + lane));
        run_words(g, row + lane, r.col + 2, name, role, s->lanes[lane].recipe);
    }
    for (int column = 0; column < columns; column++) {
        first += 1 + lane_column_width(s, column, curve, head);
        if (head)
            grid_text_right(g, r.row, first, ROLE_DIM, lane_head(column, curve));
        for (int lane = 0; lane < lanes_of(s) && row + lane < r.row + r.rows; lane++)
            grid_text_right(g, row + lane, first,
                            column == 0 && lane_failed(&s->lanes[lane]) ? ROLE_WARNING : ROLE_TEXT,
                            lane_text(&s->lanes[lane], column, curve));
    }
}

/* Where two lanes first differ: "0≠1  step 1  h1[0,3]  0x2e66  0x2e65".  Every pair, or where there is less room
 * every lane and the first one. */
enum pairs { NO_PAIRS, FIRST_PAIRS, ALL_PAIRS };
enum { ROWS_AT_LEAST = 6, ROWS_FOR_ALL = 10 }; /* that the curve keeps */

static bool pair_shown(const struct difference_view *d, enum pairs pairs)
{
    return pairs == ALL_PAIRS || (pairs == FIRST_PAIRS && d->a == 0);
}

static int differences_of(const struct snapshot *s, enum pairs pairs)
{
    int count = 0;
    for (int i = 0; i < s->difference_count && i < SNAPSHOT_PAIRS; i++)
        count += pair_shown(&s->differences[i], pairs);
    return s->step > 0 || s->in_step ? count : 0;
}

static void differences_draw(struct grid *g, struct rect r, const struct snapshot *s, enum pairs pairs)
{
    int row = r.row;
    for (int i = 0; i < s->difference_count && i < SNAPSHOT_PAIRS && row < r.row + r.rows; i++) {
        const struct difference_view *d = &s->differences[i];
        char text[TEXT_VALUE];
        if (!pair_shown(d, pairs))
            continue;
        int at = r.col + grid_printf(g, row, r.col, theme_lane((unsigned)d->b), "%d%s%d", d->a,
                                     d->found ? "≠" : "=", d->b);
        if (d->found)
            snprintf(text, sizeof text, "step %lld %s %s %s %s", (long long)d->step, d->element, d->hex_a,
                     d->hex_b, phase_name(d->phase));
        else
            snprintf(text, sizeof text,
                     s->in_step ? "no bit differed before this step" : "no bit differs so far");
        run_words(g, row, at + 1, r.col + r.cols - at - 1, ROLE_DIM, text);
        row++;
    }
}

/* Parts of the title, as many as there is room for; the first in any case. */
static void title_add(char *title, size_t size, int cols, const char *part)
{
    size_t used = strlen(title);
    if (part[0] && (!used || glyph_text_width(title) + glyph_text_width(part) <= cols))
        snprintf(title + used, size - used, "%s", part);
}

static void loss_title(char *title, size_t size, int cols, const struct view *v, const struct snapshot *s,
                       bool head, int columns)
{
    char part[160], place[64] = "";
    if (s->behind)
        snprintf(place, sizeof place, " · step %lld of %lld", (long long)s->step, (long long)s->last_step);
    curve_title(v->curve, s, part, sizeof part);
    bool fits =
        glyph_text_width(part) + glyph_text_width(place) <= cols; /* the place says more than a long title */
    snprintf(title, size, "%s", fits ? part : curve_name(v->curve));
    if (!head && !s->behind && columns > 1)
        title_add(title, size, cols, ", accuracy");
    title_add(title, size, cols, place);
    if (s->behind)
        title_add(title, size, cols, " · < > scrub");
    if (head && columns < LANE_COLUMNS - 1 && lanes_of(s) > 0 && s->lanes[0].drift[0]) {
        snprintf(part, sizeof part, " · drift %s", s->lanes[0].drift); /* its column found no room */
        title_add(title, size, cols, part);
    }
}

void loss_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s, bool boxed)
{
    bool head = r.rows >= 13;
    char title[200];
    int name, columns = legend_columns(s, r.cols - (boxed ? 4 : 2), curve_of(v, head), head, &name);
    loss_title(title, sizeof title, r.cols - 6, v, s, head, columns);
    struct rect in = run_section(g, r, title, boxed);
    int legend = lanes_of(s) + head;
    enum pairs pairs = head ? ALL_PAIRS : NO_PAIRS;
    while (pairs > NO_PAIRS &&
           in.rows - legend - differences_of(s, pairs) < (pairs == ALL_PAIRS ? ROWS_FOR_ALL : ROWS_AT_LEAST))
        pairs--;
    curve_draw(g, run_take(&in, in.rows - legend - differences_of(s, pairs)), s, v->curve);
    legend_draw(g, run_take(&in, legend), s, curve_of(v, head), head);
    differences_draw(g, in, s, pairs);
}
