/* panel_scale.c: the gradients' exponents with the format's window under them, and the loss scale over time. */
#include "glyph.h"
#include "panel.h"
#include "panel_exponents.h"
#include "panel_run.h"
#include "panel_scaler.h"
#include <stdio.h>
#include <string.h>

static const char *share_of(const struct window_view *w, enum part part)
{
    const char *const shares[PART_COUNT] = {w->flushed, w->subnormal, w->normal, w->overflowed};
    return shares[part];
}

/* The window that is in force: bars have its colours. */
static const struct window_view *window_now(const struct histogram_view *h)
{
    return exponents_window_valid(&h->scaled) ? &h->scaled : &h->unscaled;
}

enum { SHARE = 7 }; /* columns of a share: " 92.3 %" */

static void shares_draw(struct grid *g, struct rect row, int col, const struct window_view *w)
{
    grid_text(g, row.row, row.col, ROLE_TITLE, w->title);
    int end = row.col + row.cols, words = 0;
    for (int i = 0; i < PART_COUNT; i++)
        words += glyph_text_width(exponent_parts[i].words) + SHARE;
    int gap = (end - col - words) / 3;
    gap = gap > 3 ? 3 : gap;
    for (int i = 0; i < PART_COUNT; i++) {
        const char *word = gap < 1 ? exponent_parts[i].window : exponent_parts[i].words;
        int room = glyph_text_width(word) + SHARE;
        if (col + room > end)
            return;
        grid_text(g, row.row, col, exponent_parts[i].role, word);
        const char *share = share_of(w, (enum part)i);
        grid_text_right(g, row.row, col + room, ROLE_TEXT, share[0] ? share : "–");
        col += room + (gap < 1 ? 1 : gap);
    }
}

static int title_margin(const struct histogram_view *h)
{
    int a = glyph_text_width(h->unscaled.title), b = glyph_text_width(h->scaled.title);
    return a > b ? a : b;
}

/* Rows beside the bars: the rule, the axis, windows and shares. */
static int histogram_rows(const struct histogram_view *h)
{
    return 3 + 2 * ((exponents_window(h, 0) != NULL) + (exponents_window(h, 1) != NULL));
}

static void no_gradients_draw(struct grid *g, struct rect in)
{
    run_wrap(g, rect_inset(in, in.rows > 4 ? in.rows / 2 - 1 : 0, 2), ROLE_TEXT,
             "No gradients yet: s makes one step, Space runs.");
}

static void histogram_draw(struct grid *g, struct rect r, const struct histogram_view *h)
{
    struct rect in = run_section(g, r, h->valid ? h->title : "gradients · log2 |g|", false);
    int margin = title_margin(h);
    struct rect data =
        exponents_draw(g, &in, r.rows - histogram_rows(h), margin > 5 ? margin : 5, h, window_now(h));
    if (!h->valid)
        no_gradients_draw(g, data);
    const struct window_view *w;
    for (int i = 0; (w = exponents_window(h, i)) != NULL; i++)
        shares_draw(g, run_take(&in, 1), data.col, w);
}

void panel_scale_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s)
{
    enum { SMALL = 20 };
    (void)v;
    struct rect old = grid_clip(g, area);
    /* What 20 rows hold, and how rows beyond that are shared out. */
    int spare = area.rows > SMALL ? area.rows - SMALL - 1 : 0, more_state = spare / 4 < 5 ? spare / 4 : 5;
    int state = 8 + more_state, bars = 11 + spare / 2;
    struct rect rest = area;
    histogram_draw(g, run_take(&rest, bars), &s->histogram);
    struct rect at = run_take(&rest, state);
    scaler_draw(g, at, s);
    const unsigned kinds = 1u << EVENT_OVERFLOW | 1u << EVENT_GROWTH | 1u << EVENT_FLUSHED | 1u << EVENT_NAN;
    const char *none = "No overflow, no growth yet.";
    if (rest.rows >= 2)
        rest = run_section(g, rest, "events", false);
    else
        rest = rect_inset(rest, 0, 1);
    run_events(g, rest, s, kinds, none);
    grid_cursor(g, at.row, area.col, false);
    grid_unclip(g, old);
}
