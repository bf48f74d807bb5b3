/* panel_debug.c: the debugger's lines of panel Train: done and next, why, breakpoints. */
#include "glyph.h"
#include "panel_run.h"
#include "panel_train.h"
#include <stdio.h>
#include <string.h>

enum { LABEL = 7 };

static void label_draw(struct grid *g, struct rect r, const char *label)
{
    grid_text(g, r.row, r.col + 1, ROLE_DIM, label);
}

static void labelled(struct grid *g, struct rect r, const char *label, enum role role, const char *text)
{
    if (r.rows < 1)
        return;
    label_draw(g, r, label);
    run_words(g, r.row, r.col + LABEL, r.cols - LABEL, role, text);
}

/* --- done and next --- */

/* Between the first and the last launch of a phase: single launches are what the person steps by. */
static bool in_phase(const struct snapshot *s)
{
    return s->phase_launch > 1 && s->next_launch[0];
}

static bool shows_done(const struct snapshot *s, bool tall)
{
    return s->done_text[0] && (tall || s->in_step);
}

int progress_rows(const struct snapshot *s, bool tall)
{
    return 1 + tall + shows_done(s, tall);
}

void progress_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    char text[160];
    if (r.rows > 1 && shows_done(s, r.rows > 2))
        labelled(g, run_take(&r, 1), "done", ROLE_DIM, s->done_text);
    if (!in_phase(s)) {
        labelled(g, run_take(&r, 1), "next", ROLE_TEXT, s->next_text[0]);
        labelled(g, run_take(&r, 1), "", ROLE_TEXT, s->next_text[1]);
        return;
    }
    labelled(g, run_take(&r, 1), "next", ROLE_TEXT, s->next_launch);
    snprintf(text, sizeof text, "launch %d of %d in %s: %s", s->phase_launch, s->phase_launches,
             phase_name(s->next_phase), s->next_text[0]);
    labelled(g, run_take(&r, 1), "phase", ROLE_DIM, text);
}

/* --- why --- */

int why_rows(const struct snapshot *s, int cols)
{
    if (!s->why_here || !s->why[0])
        return 0;
    return glyph_text_width(s->why) > cols - LABEL - 1 ? 2 : 1;
}

void why_draw(struct grid *g, struct rect r, const struct snapshot *s)
{
    if (r.rows < 1)
        return;
    grid_text(g, r.row, r.col, ROLE_WARNING, " why ");
    grid_add_attributes(g, rect_make(r.row, r.col, 1, 5), ATTR_REVERSE);
    run_wrap(g, rect_make(r.row, r.col + LABEL, r.rows, r.cols - LABEL), ROLE_WARNING, s->why);
}

/* --- breakpoints --- */

static int break_count(const struct snapshot *s)
{
    return s->break_count < 0 ? 0 : s->break_count > SNAPSHOT_BREAKS ? SNAPSHOT_BREAKS : s->break_count;
}

/* "2 loss <0.5 ×3", "(3 nan off)" */
static void break_text(const struct break_view *b, char *text, size_t size)
{
    char hits[24] = "";
    if (b->hits > 0)
        snprintf(hits, sizeof hits, " ×%d", b->hits);
    snprintf(text, size, b->enabled ? "%d %s%s" : "(%d %s%s off)", b->number, b->text, hits);
}

void breaks_line(struct grid *g, struct rect r, const struct snapshot *s)
{
    if (r.rows < 1)
        return;
    int at = r.col + 1 + grid_text(g, r.row, r.col + 1, ROLE_DIM, "breaks") + 1, end = r.col + r.cols;
    for (int i = 0; i < break_count(s); i++) {
        const struct break_view *b = &s->breaks[i];
        char text[128];
        break_text(b, text, sizeof text);
        int more = i + 1 < break_count(s) ? 6 : 0; /* room to say that there are others */
        if (at + glyph_text_width(text) + more > end) {
            grid_printf(g, r.row, at, ROLE_DIM, "+%d …", break_count(s) - i);
            return;
        }
        at += grid_text(g, r.row, at, !b->enabled ? ROLE_DIM : b->hits ? ROLE_WARNING : ROLE_TEXT, text) + 3;
    }
}

void breaks_list(struct grid *g, struct rect r, const struct snapshot *s)
{
    int count = break_count(s), shown = count > r.rows ? r.rows - 1 : count;
    for (int i = 0; i < shown; i++) {
        const struct break_view *b = &s->breaks[i];
        enum role role = !b->enabled ? ROLE_DIM : b->hits ? ROLE_WARNING : ROLE_TEXT;
        char hits[32] = "";
        if (!b->enabled)
            snprintf(hits, sizeof hits, "off");
        else if (b->hits > 0)
            snprintf(hits, sizeof hits, "%d hit%s", b->hits, b->hits == 1 ? "" : "s");
        int room = r.cols - 5 - (hits[0] ? glyph_text_width(hits) + 1 : 0);
        grid_printf(g, r.row + i, r.col, ROLE_DIM, "%2d", b->number);
        grid_put(g, r.row + i, r.col + 3, role, b->enabled ? 0x25cf : 0x25cb); /* ● ○ */
        run_words(g, r.row + i, r.col + 5, room, role, b->text);
        grid_text_right(g, r.row + i, r.col + r.cols, role, hits);
    }
    if (shown >= 0 && shown < count && r.rows > 0)
        grid_printf(g, r.row + shown, r.col + 3, ROLE_DIM, "%d more", count - shown);
}
