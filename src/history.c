/* history.c: keeps, thins and finds checkpoints, and the list of changes. */
#include "history.h"
#include <stdlib.h>
#include <string.h>

enum { DENSE = 16, GRID = 32, NEAR = 1024, COARSEST = 20 };

int position_order(struct position a, struct position b)
{
    if (a.step != b.step)
        return a.step < b.step ? -1 : 1;
    return (a.launch > b.launch) - (a.launch < b.launch);
}

void history_open(struct history *h)
{
    memset(h, 0, sizeof *h);
    h->budget = (size_t)HISTORY_BUDGET_MB << 20;
}

/* ---- checkpoints ---- */

static void drop(struct history *h, struct checkpoint *c)
{
    for (int i = 0; i < HISTORY_LANES; i++)
        free(c->lanes[i]);
    free(c->ledger);
    h->used -= c->bytes;
}

/* Whether the image of a step is worth keeping for someone who is at step `now`, or may be there next. */
static bool keeps_for(int64_t step, int64_t now, int coarse)
{
    int64_t age = step < now ? now - step : step - now;
    int64_t grid = (int64_t)GRID << coarse;
    if (step == 0 || age <= DENSE >> coarse)
        return true;
    for (int64_t distance = NEAR; distance < age; distance *= 2)
        grid *= 2;
    return step % grid == 0;
}

/* The end of the run is where people go back to from anywhere: its last steps stay as near as the present ones. */
static bool keeps(const struct history *h, int64_t step, int64_t now)
{
    int64_t end = now > h->frontier.step ? now : h->frontier.step;
    return keeps_for(step, now, h->coarse) || keeps_for(step, end, h->coarse);
}

static void thin(struct history *h, int64_t now)
{
    int kept = 0;
    for (int i = 0; i < h->count; i++) {
        if (keeps(h, h->checkpoints[i].step, now))
            h->checkpoints[kept++] = h->checkpoints[i];
        else
            drop(h, &h->checkpoints[i]);
    }
    h->count = kept;
}

static void fit(struct history *h, int64_t now)
{
    thin(h, now);
    while (h->used > h->budget && h->coarse < COARSEST) {
        h->coarse++;
        thin(h, now);
    }
}

/* How many checkpoints lie at `step` or before. */
static int place(const struct history *h, int64_t step)
{
    int low = 0, high = h->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (h->checkpoints[middle].step <= step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool history_has(const struct history *h, int64_t step)
{
    int at = place(h, step);
    return at > 0 && h->checkpoints[at - 1].step == step;
}

void history_add(struct history *h, const struct checkpoint *c)
{
    struct checkpoint copy = *c;
    h->used += copy.bytes;
    if (h->count == h->room) {
        int room = h->room ? 2 * h->room : 256;
        struct checkpoint *more = realloc(h->checkpoints, (size_t)room * sizeof *more);
        if (!more) { /* the run can be computed again from those that are there */
            drop(h, &copy);
            return;
        }
        h->checkpoints = more;
        h->room = room;
    }
    int at = place(h, copy.step);
    memmove(&h->checkpoints[at + 1], &h->checkpoints[at], (size_t)(h->count - at) * sizeof copy);
    h->checkpoints[at] = copy;
    h->count++;
    fit(h, copy.step);
}

const struct checkpoint *history_find(const struct history *h, int64_t step)
{
    int at = place(h, step);
    return at > 0 ? &h->checkpoints[at - 1] : NULL;
}

void history_set_budget(struct history *h, size_t bytes, int64_t now)
{
    h->budget = bytes;
    h->coarse = 0;
    fit(h, now);
}

/* ---- changes ---- */

void history_truncate(struct history *h, struct position at)
{
    while (h->count > 1 && h->checkpoints[h->count - 1].step > at.step)
        drop(h, &h->checkpoints[--h->count]);
    while (h->change_count > 0 && position_order(h->changes[h->change_count - 1].at, at) > 0)
        free(h->changes[--h->change_count].argument);
    if (h->applied > h->change_count)
        h->applied = h->change_count;
    h->frontier = at;
}

/* The same setting given twice at one place: the later one counts. */
static bool replaces(const struct history *h, struct position at, enum command_id command)
{
    const struct change *last = h->change_count ? &h->changes[h->change_count - 1] : NULL;
    return command == COMMAND_LR && last && last->command == command && position_order(last->at, at) == 0;
}

bool history_log(struct history *h, struct position at, enum command_id command, const char *argument)
{
    size_t size = strlen(argument) + 1;
    char *copy = malloc(size);
    if (replaces(h, at, command) && copy) {
        free(h->changes[--h->change_count].argument);
        h->applied--;
    }
    if (copy && h->change_count == h->change_room && h->change_room < HISTORY_CHANGES) {
        int room = h->change_room ? 2 * h->change_room : 64;
        struct change *more = realloc(h->changes, (size_t)room * sizeof *more);
        if (more) {
            h->changes = more;
            h->change_room = room;
        }
    }
    if (!copy || h->change_count == h->change_room) {
        free(copy);
        return false;
    }
    memcpy(copy, argument, size);
    h->changes[h->change_count++] = (struct change){at, command, copy};
    h->applied = h->change_count;
    return true;
}

const struct change *history_due(const struct history *h, struct position at)
{
    const struct change *c = h->applied < h->change_count ? &h->changes[h->applied] : NULL;
    return c && position_order(c->at, at) <= 0 ? c : NULL;
}

bool history_waits(const struct history *h, int64_t step)
{
    return h->applied < h->change_count && h->changes[h->applied].at.step <= step;
}

void history_rewind(struct history *h, int64_t step)
{
    h->applied = 0;
    while (h->applied < h->change_count && h->changes[h->applied].at.step < step)
        h->applied++;
}

void history_clear(struct history *h)
{
    size_t budget = h->budget;
    bool off = h->off;
    while (h->count > 0)
        drop(h, &h->checkpoints[--h->count]);
    while (h->change_count > 0)
        free(h->changes[--h->change_count].argument);
    free(h->checkpoints);
    free(h->changes);
    memset(h, 0, sizeof *h);
    h->budget = budget;
    h->off = off;
}
