/* panel_tensors.c: the tensor table of panel Train. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include <stdio.h>
#include <string.h>

static int tensor_count(const struct snapshot *s)
{
    return s->tensor_count < 0                     ? 0
           : s->tensor_count > TRAINER_MAX_TENSORS ? TRAINER_MAX_TENSORS
                                                   : s->tensor_count;
}

/* Place of a tensor's kind in the table; biases (one row) come after the matrices of the first kinds. */
static int tensor_rank(const struct tensor_row *t)
{
    static const unsigned char ranks[TENSOR_ROLE_COUNT] = {
        [TENSOR_WEIGHT] = 0,       [TENSOR_GRADIENT] = 1,
        [TENSOR_MASTER] = 2,       [TENSOR_ACTIVATION_GRADIENT] = 3,
        [TENSOR_COPY] = 5,         [TENSOR_UNSCALED] = 6,
        [TENSOR_DELTA] = 7,        [TENSOR_ACTIVATION] = 8,
        [TENSOR_MOMENT1] = 9,      [TENSOR_MOMENT2] = 9,
        [TENSOR_COMPENSATION] = 9, [TENSOR_PREVIOUS] = 10,
        [TENSOR_DATA] = 11};
    int rank = (unsigned)t->role < TENSOR_ROLE_COUNT ? ranks[t->role] : TENSOR_ROLE_COUNT;
    return rank < 3 && t->rows <= 1 ? 4 : rank;
}

enum { IN_STEP = 3 };

static bool stopped_in_step(const struct snapshot *s)
{
    return s->in_step && !s->running;
}

/* In a step, what the last launches stored and the next ones read or write comes first. */
static bool tensor_concerned(const struct snapshot *s, const struct tensor_row *t)
{
    return stopped_in_step(s) && (t->fresh || t->is_read || t->is_written);
}

int tensors_order(const struct snapshot *s, int order[TRAINER_MAX_TENSORS])
{
    int count = tensor_count(s), filled = 0;
    for (int turn = 0; turn < 2; turn++)
        for (int rank = 0; rank <= TENSOR_ROLE_COUNT; rank++)
            for (int i = 0; i < count; i++)
                if (tensor_rank(&s->tensors[i]) == rank && tensor_concerned(s, &s->tensors[i]) == (turn == 0))
                    order[filled++] = i;
    return filled;
}

static int place_of(const int *order, int count, int tensor)
{
    for (int i = 0; i < count; i++)
        if (order[i] == tensor)
            return i;
    return 0;
}

int tensors_move(const struct snapshot *s, int tensor, int down)
{
    int order[TRAINER_MAX_TENSORS], count = tensors_order(s, order);
    if (count == 0)
        return 0;
    long place = (long)place_of(order, count, tensor) + down;
    return order[place < 0 ? 0 : place >= count ? count - 1 : (int)place];
}

/* --- columns --- */

enum column {
    COL_FORMAT,
    COL_SHAPE,
    COL_ZERO,
    COL_FLUSHED,
    COL_SUBNORMAL,
    COL_OVERFLOWED,
    COL_NAN,
    COL_LOST,
    COLUMNS
};

static const struct {
    const char *head;
    int width;     /* least */
    bool is_text;  /* set left, and known before the step has got there */
    bool is_alarm; /* anything but none is a warning */
} column_table[COLUMNS] = {
    [COL_FORMAT] = {"as", 4, true, false},        [COL_SHAPE] = {"shape", 5, true, false},
    [COL_ZERO] = {"zero", 6, false, false},       [COL_FLUSHED] = {"flushed", 7, false, true},
    [COL_SUBNORMAL] = {"subn.", 6, false, false}, [COL_OVERFLOWED] = {"inf", 4, false, true},
    [COL_NAN] = {"NaN", 4, false, true},          [COL_LOST] = {"lost", 6, false, true},
};

static const char *column_text(const struct tensor_row *t, int column)
{
    const char *const texts[COLUMNS] = {t->format,    t->shape,      t->zero, t->flushed,
                                        t->subnormal, t->overflowed, t->nan,  t->lost};
    return texts[column];
}

struct table {
    int marks; /* columns before the name: selected, or stored just now; in a step, read or written next */
    int name, width[COLUMNS]; /* 0: left out */
};

static int table_cols(const struct table *t)
{
    int cols = t->marks + t->name;
    for (int c = 0; c < COLUMNS; c++)
        cols += t->width[c] > 0 ? t->width[c] + 1 : 0;
    return cols;
}

/* Whether any tensor has something to say in a column of alarms. */
static bool column_quiet(const struct snapshot *s, int column)
{
    enum counter counter = column == COL_NAN ? COUNTER_NAN : COUNTER_OVERFLOWED;
    for (int i = 0; i < tensor_count(s); i++)
        if (s->tensors[i].count[counter] > 0)
            return false;
    return true;
}

/* Widths for all rows, so that scrolling moves no column. */
static struct table table_natural(const struct snapshot *s)
{
    struct table t = {.marks = stopped_in_step(s) ? IN_STEP : 1, .name = 10};
    for (int c = 0; c < COLUMNS; c++)
        t.width[c] = column_table[c].width;
    for (int i = 0; i < tensor_count(s); i++) {
        int name = glyph_text_width(s->tensors[i].name);
        t.name = name > t.name ? name : t.name;
        for (int c = 0; c < COLUMNS; c++) {
            int width = glyph_text_width(column_text(&s->tensors[i], c));
            t.width[c] = width > t.width[c] ? width : t.width[c];
        }
    }
    return t;
}

int tensors_cols(const struct snapshot *s)
{
    struct table t = table_natural(s);
    t.marks = IN_STEP; /* in any case, so that the table keeps its width */
    return table_cols(&t);
}

/* What goes first where there is no room: the shape, columns that hold only zeros, zeros, and so on; names
 * give way last. */
static struct table table_fit(const struct snapshot *s, int cols)
{
    static const unsigned char leave[] = {COL_NAN,    COL_SHAPE,      COL_OVERFLOWED, COL_ZERO, COL_SUBNORMAL,
                                          COL_FORMAT, COL_OVERFLOWED, COL_NAN,        COL_LOST, COL_FLUSHED};
    struct table t = table_natural(s);
    for (size_t i = 0; i < sizeof leave && table_cols(&t) > cols; i++) {
        bool alarm = leave[i] == COL_NAN || leave[i] == COL_OVERFLOWED;
        if (i > 5 || !alarm || column_quiet(s, leave[i])) /* the second time they go in any case */
            t.width[leave[i]] = 0;
    }
    int over = table_cols(&t) - cols;
    if (over > 0)
        t.name = t.name - over > 4 ? t.name - over : 4;
    return t;
}

/* --- drawing --- */

static bool is_none(const char *text)
{
    return text[0] == '\0' || strcmp(text, "0") == 0 || strcmp(text, "0 %") == 0 ||
           strcmp(text, "0.0 %") == 0 || strcmp(text, "–") == 0;
}

static void row_draw(struct grid *g, struct rect r, int row, const struct table *t,
                     const struct tensor_row *x, bool selected, const char *search)
{
    if (selected)
        grid_put(g, row, r.col, ROLE_FOCUS, 0x25b8);
    else if (t->marks > 1 && x->fresh)
        grid_put(g, row, r.col, ROLE_GOOD, 0x2022); /* • */
    if (t->marks > 1 && x->is_written)
        grid_put(g, row, r.col + 1, ROLE_FOCUS, 'w');
    else if (t->marks > 1 && x->is_read)
        grid_put(g, row, r.col + 1, ROLE_LANE_1, 'r');
    int at = r.col + t->marks;
    grid_text_fit(g, row, at, t->name, selected ? ROLE_FOCUS : ROLE_TEXT, x->name);
    if (search[0] && strstr(x->name, search))
        grid_add_attributes(g, rect_make(row, at, 1, t->name), ATTR_UNDERLINE);
    at += t->name;
    for (int c = 0; c < COLUMNS; c++) {
        if (t->width[c] == 0)
            continue;
        const char *text = column_text(x, c);
        if (column_table[c].is_text) {
            grid_text(g, row, at + 1, c == COL_SHAPE ? ROLE_DIM : ROLE_TEXT, text);
        } else {
            enum role role = is_none(text) ? ROLE_DIM : column_table[c].is_alarm ? ROLE_WARNING : ROLE_TEXT;
            bool waits = !x->touched && (text[0] != '\0' || c != COL_LOST);
            grid_text_right(g, row, at + 1 + t->width[c], waits ? ROLE_DIM : role, waits ? "·" : text);
        }
        at += 1 + t->width[c];
    }
}

static void head_draw(struct grid *g, struct rect r, const struct table *t)
{
    int at = r.col + t->marks;
    grid_text(g, r.row, at, ROLE_DIM, "name");
    at += t->name;
    for (int c = 0; c < COLUMNS; c++) {
        if (t->width[c] == 0)
            continue;
        if (column_table[c].is_text)
            grid_text(g, r.row, at + 1, ROLE_DIM, column_table[c].head);
        else
            grid_text_right(g, r.row, at + 1 + t->width[c], ROLE_DIM, column_table[c].head);
        at += 1 + t->width[c];
    }
}

/* "tensors 3–8 of 49  fc2.weight[3,17]", and what the marks mean where `cols` columns hold that, too. */
static void table_title(char *title, size_t size, int cols, const struct snapshot *s, const struct view *v,
                        int first, int rows, int count)
{
    static const char marks[] = " · • stored, r w next";
    int used = count > rows && rows > 0
                   ? snprintf(title, size, "tensors %d–%d of %d", first + 1, first + rows, count)
                   : snprintf(title, size, "tensors");
    if (v->tensor < 0 || v->tensor >= count || used < 0 || (size_t)used >= size)
        return;
    const struct tensor_row *t = &s->tensors[v->tensor];
    if (t->cols > 0 && v->element >= 0 && v->element / t->cols < t->rows)
        used += snprintf(title + used, size - (size_t)used, "  %s[%ld,%ld]", t->name, v->element / t->cols,
                         v->element % t->cols);
    if (stopped_in_step(s) && (size_t)used < size &&
        glyph_text_width(title) + glyph_text_width(marks) <= cols)
        snprintf(title + used, size - (size_t)used, "%s", marks);
}

/* Which rows are in sight: `first` and those after it; the last one may be the selected row instead. */
struct sight {
    int first, rows;
    bool pinned;
};

/* The selected row stays in the middle third where the list allows.  Where the run has just stopped in a step, what
 * that is about stands on top. */
static struct sight sight_of(const struct snapshot *s, const struct view *v, int rows, int count,
                             int selected)
{
    struct sight in = {.rows = rows < 0 ? 0 : rows > count ? count : rows};
    if (stopped_in_step(s) && !v->roams) {
        in.pinned = selected >= in.rows;
        return in;
    }
    in.first = selected - in.rows / 2;
    in.first = in.first > count - in.rows ? count - in.rows : in.first;
    in.first = in.first < 0 ? 0 : in.first;
    return in;
}

void tensors_draw(struct grid *g, struct rect r, const struct view *v, const struct snapshot *s, bool boxed)
{
    int order[TRAINER_MAX_TENSORS], count = tensors_order(s, order);
    int selected = place_of(order, count, v->tensor);
    struct sight sight = sight_of(s, v, r.rows - (boxed ? 3 : 2), count, selected);
    char title[2 * TENSOR_NAME + 64];
    table_title(title, sizeof title, r.cols - 6, s, v, sight.first, sight.rows - sight.pinned, count);
    struct rect in = run_section(g, r, title, boxed);
    struct rect old = grid_clip(g, in);
    struct table table = table_fit(s, in.cols);
    head_draw(g, in, &table);
    for (int i = 0; i < sight.rows; i++) {
        int place = sight.pinned && i == sight.rows - 1 ? selected : sight.first + i;
        row_draw(g, in, in.row + 1 + i, &table, &s->tensors[order[place]], place == selected, v->search);
        if (place == selected)
            grid_cursor(g, in.row + 1 + i, in.col, false);
    }
    if (count == 0)
        run_words(g, in.row + 1, in.col, in.cols, ROLE_DIM, "none yet");
    grid_unclip(g, old);
}
