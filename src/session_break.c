/* session_break.c: breakpoints: whether they hold after a step, in which phase, and what they say. */
#include "probe_text.h"
#include "session_internal.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- conditions ---- */

static bool any_count(const struct trainer *t, const struct trainer_counts *counts, enum counter counter,
                      const char *tensor)
{
    for (int i = 0; i < trainer_tensor_count(t); i++)
        if (counts[i].word[counter] && (!*tensor || strcmp(trainer_tensor(t, i)->name, tensor) == 0))
            return true;
    return false;
}

bool session_break_stored(const struct breakpoint *b, const struct trainer *t,
                          const struct trainer_counts *counts)
{
    return b->kind == BREAK_OVERFLOW    ? any_count(t, counts, COUNTER_OVERFLOWED, "")
           : b->kind == BREAK_NAN       ? any_count(t, counts, COUNTER_NAN, "")
           : b->kind == BREAK_UNDERFLOW ? any_count(t, counts, COUNTER_FLUSHED, b->name)
                                        : false;
}

/* Of two lanes that parted in this step, where that comes first in it; NULL where none did. */
static const struct difference *first_difference(const struct session *s, int *lane_a, int *lane_b)
{
    const struct difference *first = NULL;
    for (int b = 1; b < s->lane_count; b++)
        for (int a = 0; a < b; a++) {
            const struct difference *d = &s->differences[session_pair(a, b)];
            if (!d->found || d->step != s->accounted || (first && first->phase <= d->phase))
                continue;
            first = d;
            *lane_a = a;
            *lane_b = b;
        }
    return first;
}

/* A weight as the optimizer held it before and after the step: the element named, or of a whole tensor the first
 * that changed. */
struct move {
    const struct tensor *tensor;
    long index;
    uint32_t before, after;
};

static bool changed(struct session *s, const struct breakpoint *b, struct move *m)
{
    struct trainer *t = s->lanes[0].trainer;
    const struct tensor *x;
    long row, col;
    char error[160];
    if (s->lanes[0].state.found_inf || !session_tensor_find(s, b->name, &x, &row, &col, error) ||
        x->param == TENSOR_NONE)
        return false;
    x = lane_held(&s->lanes[0], x->param);
    const struct tensor *p = trainer_param_tensor(t, x->param, TENSOR_PREVIOUS);
    bool whole = !strchr(b->name, '[');
    long first = whole ? 0 : row * x->cols + col, last = whole ? x->rows * x->cols - 1 : first;
    void *before = trace_download(t, p), *after = trace_download(t, x);
    bool ok = before && after;
    for (long i = first; ok && i <= last; i++) {
        *m = (struct move){x, i, trace_element(p, before, i), trace_element(x, after, i)};
        if (m->before != m->after)
            break;
    }
    free(before);
    free(after);
    return ok ? m->before != m->after : session_fail(s);
}

bool session_break_holds(struct session *s, const struct breakpoint *b)
{
    const struct lane *lane = &s->lanes[0];
    const struct run_state *state = &lane->state;
    bool stored = session_break_stored(b, lane->trainer, lane->counts);
    struct move move;
    int one, other;
    switch (b->kind) {
    case BREAK_OVERFLOW:
        return state->found_inf || stored;
    case BREAK_NAN:
        return isnan(state->loss) || stored;
    case BREAK_UNDERFLOW:
        return stored;
    case BREAK_SKIP:
        return state->found_inf != 0;
    case BREAK_SCALE:
        return state->scale != state->used_scale && s->setup.scaler.kind != SCALER_NONE;
    case BREAK_LOST:
        return (double)lane->lost * 100 > b->limit * (double)lane->updates;
    case BREAK_DIVERGENCE:
        return first_difference(s, &one, &other) != NULL;
    case BREAK_LOSS:
        return b->above ? (double)state->loss > b->limit : (double)state->loss < b->limit;
    case BREAK_CHANGE:
        return changed(s, b, &move);
    case BREAK_STEP:
        return s->accounted == b->step;
    default:
        return false;
    }
}

enum phase session_break_phase(struct session *s, const struct breakpoint *b)
{
    const struct lane *lane = &s->lanes[0];
    bool stored = session_break_stored(b, lane->trainer, lane->counts);
    const struct difference *d;
    int one, other;
    switch (b->kind) {
    case BREAK_OVERFLOW: /* put in by hand it is in no counter, but the check finds it */
        return stored ? PHASE_RESCALE : PHASE_CHECK;
    case BREAK_NAN:
        return isnan(lane->state.loss) ? PHASE_LOSS : PHASE_RESCALE;
    case BREAK_SKIP:
    case BREAK_LOST:
    case BREAK_CHANGE:
        return PHASE_UPDATE;
    case BREAK_LOSS:
        return PHASE_LOSS;
    case BREAK_DIVERGENCE:
        d = first_difference(s, &one, &other);
        return d ? d->phase : PHASE_RESCALE;
    default:
        return PHASE_RESCALE;
    }
}

/* ---- what a hit says ---- */

static void scale_text(const struct session *s, char *to, size_t size)
{
    const struct run_state *state = &s->lanes[0].state;
    char from[TEXT_SHORT], next[TEXT_SHORT];
    text_scale(from, sizeof from, state->used_scale);
    text_scale(next, sizeof next, state->scale);
    text_format(to, size, "scale %s → %s (%s)", from, next, scaler_action_name(state->action));
}

static void difference_text(const struct session *s, char *to, size_t size)
{
    int a = 0, b = 0;
    const struct difference *d = first_difference(s, &a, &b);
    char element[TENSOR_NAME + 48], hex_a[TEXT_HEX], hex_b[TEXT_HEX];
    if (!d)
        return;
    incident_element(element, sizeof element, d->name, d->row, d->col, false);
    text_hex(hex_a, sizeof hex_a, &format_table[d->format_a], d->bits_a);
    text_hex(hex_b, sizeof hex_b, &format_table[d->format_b], d->bits_b);
    text_format(to, size, "%s: %s in lane %d (%s), %s in lane %d (%s) (%s)", element, hex_a, a,
                s->lanes[a].name, hex_b, b, s->lanes[b].name, phase_name(d->phase));
}

static void change_text(struct session *s, const struct breakpoint *b, char *to, size_t size)
{
    struct move m;
    char element[TENSOR_NAME + 48], from[TEXT_SHORT], next[TEXT_SHORT];
    if (!changed(s, b, &m))
        return;
    const struct format *f = &format_table[m.tensor->format];
    const struct tensor *x = trainer_param_tensor(s->lanes[0].trainer, m.tensor->param, TENSOR_WEIGHT);
    incident_element(element, sizeof element, x->name, m.index / x->cols, m.index % x->cols, x->rows == 1);
    text_bits_value(from, sizeof from, f, m.before, 12);
    text_bits_value(next, sizeof next, f, m.after, 12);
    text_format(to, size, "%s: %s → %s in %s (update)", element, from, next, f->name);
}

static void lost_text(struct session *s, char *to, size_t size)
{
    const struct lane *lane = &s->lanes[0];
    struct incident in;
    *to = '\0';
    if (!incident_lost(lane->trainer, &in)) {
        session_fail(s);
        return;
    }
    if (in.found) {
        incident_text(&in, to, size);
        text_append(to, size, "; ");
    }
    text_append(to, size, "%llu of %llu updates left their weights as they were",
                (unsigned long long)lane->lost, (unsigned long long)lane->updates);
}

void session_break_why(struct session *s, const struct breakpoint *b, int launch, char *to, size_t size)
{
    const struct lane *lane = &s->lanes[0];
    enum incident_tense tense = launch == trainer_launch_count(lane->trainer) ? OUTCOME_PAST
                                : trainer_launch_phase(lane->trainer, launch - 1) < PHASE_UPDATE
                                    ? OUTCOME_AHEAD
                                    : OUTCOME_SKIPPED;
    switch (b->kind) {
    case BREAK_OVERFLOW:
    case BREAK_NAN:
    case BREAK_SKIP:
        session_why_here(s, INCIDENT_NOT_FINITE, NULL, tense, to, size);
        return;
    case BREAK_UNDERFLOW:
        session_why_here(s, INCIDENT_FLUSHED, *b->name ? b->name : NULL, tense, to, size);
        return;
    case BREAK_SCALE:
        if (lane->state.found_inf)
            session_why_here(s, INCIDENT_NOT_FINITE, NULL, tense, to, size);
        else
            scale_text(s, to, size);
        return;
    case BREAK_LOST:
        lost_text(s, to, size);
        return;
    case BREAK_DIVERGENCE:
        difference_text(s, to, size);
        return;
    case BREAK_LOSS:
        text_format(to, size, "the loss is ");
        text_float(to + strlen(to), size - strlen(to), lane->state.loss, 9);
        return;
    case BREAK_CHANGE:
        change_text(s, b, to, size);
        return;
    default:
        text_format(to, size, "here it is");
    }
}

/* ---- commands ---- */

static bool do_break(struct session *s, const char *argument, char *error)
{
    struct breakpoint b;
    const struct tensor *x;
    long row, col;
    if (!*argument) {
        text_format(s->message, sizeof s->message, "break at one of: %s", breakpoint_conditions);
        return true;
    }
    if (!breakpoint_parse(argument, &b, error))
        return false;
    if (*b.name && !session_tensor_find(s, b.name, &x, &row, &col, error))
        return false;
    if (b.kind == BREAK_CHANGE && x->param == TENSOR_NONE)
        return session_refuse(error, "%s does not belong to a weight: it changes in every step", x->name);
    if (s->break_count == BREAKPOINTS)
        return session_refuse(error, "there are %d breakpoints, and no room for more", BREAKPOINTS);
    b.number = s->break_count ? s->breaks[s->break_count - 1].number + 1 : 1;
    s->breaks[s->break_count++] = b;
    text_format(s->message, sizeof s->message, "breakpoint %d: %s", b.number, b.text);
    return true;
}

static struct breakpoint *find(struct session *s, const char *argument, char *error)
{
    int64_t number;
    if (!session_read_count(argument, 1, 1000000, &number, error))
        return NULL;
    for (int i = 0; i < s->break_count; i++)
        if (s->breaks[i].number == number)
            return &s->breaks[i];
    session_refuse(error, "there is no breakpoint %lld", (long long)number);
    return NULL;
}

static bool do_break_toggle(struct session *s, const char *argument, char *error)
{
    struct breakpoint *b = find(s, argument, error);
    if (b)
        b->enabled = !b->enabled;
    return b != NULL;
}

static bool do_break_delete(struct session *s, const char *argument, char *error)
{
    if (strcmp(argument, "all") == 0) {
        s->break_count = 0;
        return true;
    }
    struct breakpoint *b = find(s, argument, error);
    if (!b)
        return false;
    long behind = &s->breaks[s->break_count] - (b + 1);
    memmove(b, b + 1, (size_t)behind * sizeof *b);
    s->break_count--;
    return true;
}

bool session_break_command(struct session *s, enum command_id id, const char *argument, char *error)
{
    return id == COMMAND_BREAK          ? do_break(s, argument, error)
           : id == COMMAND_BREAK_TOGGLE ? do_break_toggle(s, argument, error)
                                        : do_break_delete(s, argument, error);
}
