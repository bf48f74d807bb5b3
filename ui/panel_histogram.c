/* panel_histogram.c: a tensor's exponents as bars with its format's window, and beside them, counted apart, what
 * an axis of exponents cannot show: zeros, those of them that the last store flushed, infinities and NaNs. */
#include "glyph.h"
#include "panel_exponents.h"
#include "panel_run.h"
#include "panel_train.h"
#include <stdio.h>
#include <string.h>

enum { LEGEND = 27, GAP = 3 };

static const struct tensor_row *row_of(const struct snapshot *s, const char *name)
{
    for (int i = 0; i < s->tensor_count && i < TRAINER_MAX_TENSORS; i++)
        if (strcmp(s->tensors[i].name, name) == 0)
            return &s->tensors[i];
    return NULL;
}

static void count_row(struct grid *g, struct rect line, const char *label, enum role role, uint32_t count,
                      const char *share)
{
    grid_text(g, line.row, line.col, role, label);
    char text[PLOT_LABEL];
    run_count(count, text, NULL);
    grid_text_right(g, line.row, line.col + 18, count ? ROLE_TEXT : ROLE_DIM, text);
    if (count)
        grid_text_right(g, line.row, line.col + LEGEND - 1, ROLE_DIM, share);
}

/* The last store's counter: what was not zero before, and is now. */
static void flushed_row(struct grid *g, struct rect line, const struct tensor_row *t)
{
    if (t && t->touched && t->flushed[0]) {
        count_row(g, line, "  flushed", t->count[COUNTER_FLUSHED] ? ROLE_WARNING : ROLE_DIM,
                  t->count[COUNTER_FLUSHED], t->flushed);
        return;
    }
    grid_text(g, line.row, line.col, ROLE_DIM, "  flushed");
    grid_text_right(g, line.row, line.col + 18, ROLE_DIM, t && t->touched ? "–" : "·");
}

static void counts_draw(struct grid *g, struct rect r, const struct tensor_histogram *h,
                        const struct tensor_row *t)
{
    struct rect old = grid_clip(g, r);
    count_row(g, run_take(&r, 1), "normal", exponent_parts[PART_NORMAL].role, h->normal, h->normal_share);
    count_row(g, run_take(&r, 1), "subnormal", exponent_parts[PART_SUBNORMAL].role, h->subnormal,
              h->subnormal_share);
    count_row(g, run_take(&r, 1), "zero", ROLE_TEXT, h->zeros, h->zero_share);
    flushed_row(g, run_take(&r, 1), t);
    count_row(g, run_take(&r, 1), "infinite", h->infinite ? ROLE_ERROR : ROLE_DIM, h->infinite,
              h->infinite_share);
    count_row(g, run_take(&r, 1), "NaN", h->nan ? ROLE_ERROR : ROLE_DIM, h->nan, h->nan_share);
    grid_unclip(g, old);
}

static int title_cols(const struct histogram_view *h)
{
    int a = glyph_text_width(h->unscaled.title), b = glyph_text_width(h->scaled.title);
    a = a > b ? a : b;
    return a > 5 ? a : 5;
}

void tensor_histogram_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    const struct tensor_histogram *h = &s->tensor_histogram;
    static const char keys[] = "PgUp PgDn tensor   H map   h away";
    char title[160], total[PLOT_LABEL];
    if (!h->valid || r.rows < 2)
        return;
    run_count(h->bars.total, total, NULL);
    snprintf(title, sizeof title, "histogram of %s  %s %s · log2 |x| of %s values", h->name, h->format,
             h->shape, total);
    struct rect in = run_section(g, r, title, false);
    int last = in.row + in.rows - 1;
    in.rows--; /* below: the keys */
    struct rect bars = rect_make(in.row, in.col, in.rows, in.cols - LEGEND - GAP);
    int windows = (exponents_window(&h->bars, 0) != NULL) + (exponents_window(&h->bars, 1) != NULL);
    struct rect data =
        exponents_draw(g, &bars, in.rows - 2 - windows, title_cols(&h->bars), &h->bars, &h->bars.unscaled);
    struct rect counts = rect_make(in.row, data.col + data.cols + GAP, in.rows, LEGEND);
    if (h->bars.total > 0 && h->bars.highest == 0)
        run_wrap(g, rect_inset(data, data.rows > 2 ? 1 : 0, 2), ROLE_DIM, "Nothing here has an exponent.");
    counts_draw(g, rect_intersect(counts, in), h, row_of(s, h->name));
    grid_text_right(g, last, in.col + in.cols, ROLE_DIM, keys);
}
