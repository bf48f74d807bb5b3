/* session_fact.c: facts by name, and claims about them: what demos and tests check a session with. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char blanks[] = " \t";

/* ---- numbers as texts that compare exactly ---- */

/* A float's whole decimal expansion. */
static void float_text(char *to, size_t size, float x)
{
    text_float(to, size, x, 200);
}

/* 100 x part / whole in percent, cut after six decimals: 100 only if it is all, 0 only if it is none. */
static bool percent_text(char *to, size_t size, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        text_format(to, size, "–");
    else {
        uint64_t millionths = (uint64_t)((unsigned __int128)part * 100000000 / whole);
        if (part && !millionths)
            millionths = 1;
        text_format(to, size, "%llu.%06llu", (unsigned long long)(millionths / 1000000),
                    (unsigned long long)(millionths % 1000000));
    }
    return true;
}

static bool number_text(char *to, size_t size, uint64_t n)
{
    text_format(to, size, "%llu", (unsigned long long)n);
    return true;
}

/* ---- facts about a lane ---- */

enum gradient_fact {
    GRADIENT_COUNT,
    GRADIENT_ZERO,
    GRADIENT_FLUSHED,
    GRADIENT_SUBNORMAL,
    GRADIENT_OVERFLOWED
};

/* Over every store of a gradient in the last step, as `train --json` reports them. */
static uint64_t gradients(const struct lane *lane, enum gradient_fact which)
{
    uint64_t sum = 0;
    for (int i = 0; i < trainer_tensor_count(lane->trainer); i++) {
        const struct tensor *x = trainer_tensor(lane->trainer, i);
        const uint32_t *word = lane->counts[i].word;
        if (!x->is_gradient_store)
            continue;
        sum += which == GRADIENT_COUNT       ? (uint64_t)(x->rows * x->cols) - word[COUNTER_ZERO]
               : which == GRADIENT_ZERO      ? word[COUNTER_ZERO]
               : which == GRADIENT_FLUSHED   ? word[COUNTER_FLUSHED]
               : which == GRADIENT_SUBNORMAL ? word[COUNTER_SUBNORMAL]
                                             : word[COUNTER_OVERFLOWED];
    }
    return sum;
}

static bool digest_fact(struct session *s, struct lane *lane, bool state, char *text, size_t size)
{
    uint64_t digest, state_digest;
    if (!trainer_digest(lane->trainer, &digest, &state_digest))
        return session_fail(s);
    text_format(text, size, "0x%016llx", (unsigned long long)(state ? state_digest : digest));
    return true;
}

static bool accuracy_fact(struct session *s, struct lane *lane, char *text, size_t size)
{
    double share;
    if (!trainer_accuracy(lane->trainer, &share))
        return session_fail(s);
    text_format(text, size, "%.6f", share);
    return true;
}

/* "drift.fc1.weight" */
static bool drift_fact(struct session *s, int index, const char *name, char *text, size_t size)
{
    double norms[TRAINER_MAX_TENSORS];
    const struct trainer *t = s->lanes[index].trainer;
    for (int p = 0; p < trainer_param_count(t); p++) {
        if (strcmp(trainer_param_tensor(t, p, TENSOR_WEIGHT)->name, name) != 0)
            continue;
        if (!session_drift_of(s, index, norms))
            return false;
        text_format(text, size, "%.17g", norms[p]);
        return true;
    }
    return false;
}

static bool lane_fact(struct session *s, int index, const char *name, char *text, size_t size)
{
    struct lane *lane = &s->lanes[index];
    const struct run_state *state = &lane->state;
    double norm;
#define IS(fact) (strcmp(name, fact) == 0)
    if (IS("loss") || IS("first.loss")) {
        float_text(text, size, IS("loss") ? state->loss : lane->first_loss);
        return true;
    }
    if (IS("scale") || IS("used-scale")) {
        float_text(text, size, IS("scale") ? state->scale : state->used_scale);
        return true;
    }
    if (IS("drift")) {
        if (!session_drift(s, index, &norm))
            return false;
        text_format(text, size, "%.17g", norm);
        return true;
    }
    if (strncmp(name, "drift.", 6) == 0)
        return drift_fact(s, index, name + 6, text, size);
    if (IS("recipe")) {
        text_format(text, size, "%s", lane->name);
        return true;
    }
    if (IS("action")) {
        text_format(text, size, "%s", scaler_action_name(state->action));
        return true;
    }
    return IS("accuracy")       ? accuracy_fact(s, lane, text, size)
           : IS("digest")       ? digest_fact(s, lane, false, text, size)
           : IS("state-digest") ? digest_fact(s, lane, true, text, size)
           : IS("lost%")        ? percent_text(text, size, lane->lost, lane->updates)
           : IS("lost-total%")  ? percent_text(text, size, lane->lost_total, lane->updates_total)
           : IS("updates")      ? number_text(text, size, lane->updates)
           : IS("moved")        ? number_text(text, size, lane->updates - lane->lost)
           : IS("flushed%")
               ? percent_text(text, size, gradients(lane, GRADIENT_FLUSHED), gradients(lane, GRADIENT_COUNT))
           : IS("subnormal%") ? percent_text(text, size, gradients(lane, GRADIENT_SUBNORMAL),
                                             gradients(lane, GRADIENT_COUNT))
           : IS("gradients")  ? number_text(text, size, gradients(lane, GRADIENT_COUNT))
           : IS("overflowed") ? number_text(text, size, gradients(lane, GRADIENT_OVERFLOWED))
           : IS("skipped")    ? number_text(text, size, (uint64_t)lane->skipped)
           : IS("tracker")    ? number_text(text, size, (uint64_t)state->tracker)
                              : false;
}

/* ---- facts about the focused value ---- */

static bool bits_fact(const struct bits_row *row, const char *kind, char *text, size_t size)
{
    const char *value = strcmp(kind, "bits") == 0     ? row->hex
                        : strcmp(kind, "class") == 0  ? format_class_name(row->class)
                        : strcmp(kind, "value") == 0  ? row->value
                        : strcmp(kind, "tie") == 0    ? row->tie
                        : strcmp(kind, "chance") == 0 ? (*row->more.chance ? row->more.chance : "none")
                                                      : NULL;
    size_t length = strlen(row->tie);
    if (!value)
        return false;
    if (value == row->tie) { /* "below the tie: rounds down": the class alone */
        length = strncmp(value, "exact", 5) == 0   ? 5
                 : strncmp(value, "below", 5) == 0 ? 5
                 : strncmp(value, "above", 5) == 0 ? 5
                 : strstr(value, "tie")            ? 0
                                                   : length;
        text_format(text, size, length ? "%.*s" : "tie", (int)length, value);
        return true;
    }
    text_format(text, size, "%s", value);
    return true;
}

static bool update_fact(const struct update_row *row, const char *part, char *text, size_t size)
{
    if (!*part)
        text_format(text, size, "%s",
                    row->verdict == VERDICT_MASTER_MOVED || row->verdict == VERDICT_MOVED ? "moved"
                    : row->verdict == VERDICT_LOST                                        ? "lost"
                    : row->verdict == VERDICT_KEPT                                        ? "kept"
                                                                                          : "chance");
    else if (strcmp(part, "first") == 0)
        text_format(text, size, "%s", row->after_hex);
    else if (strcmp(part, "last") == 0)
        text_format(text, size, "%s", row->last_hex);
    else if (strcmp(part, "master") == 0)
        text_format(text, size, "%s", row->master_hex);
    else if (strcmp(part, "last-value") == 0)
        text_bits_value(text, size, &format_table[row->scheme->format],
                        (uint32_t)strtoul(row->last_hex, NULL, 16), 200);
    else if (strcmp(part, "moved") == 0)
        number_text(text, size, (uint64_t)row->moved);
    else if (strcmp(part, "first-move") == 0)
        number_text(text, size, (uint64_t)row->first_move);
    else if (strcmp(part, "threshold") == 0) /* "2^-12  0.000244": the exact power */
        text_format(text, size, "%.*s", (int)strcspn(row->threshold, " "), row->threshold);
    else
        return false;
    return true;
}

/* "bits.fp16", "update.fp16+master.moved" */
static bool answer_fact(struct session *s, const char *kind, const char *rest, char *text, size_t size)
{
    char head[24];
    size_t length = strcspn(rest, ".");
    text_format(head, sizeof head, "%.*s", (int)(length < 23 ? length : 23), rest);
    if (!session_answer(s))
        return false;
    if (strcmp(kind, "update") != 0) {
        char error[160];
        const struct bits_row *row = rest[length] ? NULL : session_bits_row(s, head, error);
        return row && !*row->reason && bits_fact(row, kind, text, size);
    }
    for (size_t i = 0; s->update_valid && i < s->update.count; i++)
        if (strcmp(s->update.rows[i].scheme->name, head) == 0)
            return update_fact(&s->update.rows[i], rest[length] ? rest + length + 1 : "", text, size);
    return false;
}

/* ---- the watched weight ---- */

static const struct {
    const char *fact, *label; /* a label's beginning */
    bool last;                /* of several rows with that label the last */
} watch_facts[] = {
    {"master", "master", false},     {"weight", "weight", false},     {"cast", "cast", false},
    {"gradient", "gradient", false}, {"unscaled", "unscaled", false}, {"delta", "Δ", false},
    {"new", "new master", false},    {"new", "new weight", false},    {"new-cast", "new cast", false},
    {"c", "c (Kahan)", false},
};

static bool watch_fact(struct session *s, const char *name, char *text, size_t size)
{
    struct watch_view view;
    size_t length = strcspn(name, ".");
    if (!session_view_watch(s, &view))
        return false;
    for (size_t i = 0; i < sizeof watch_facts / sizeof *watch_facts; i++) {
        if (strlen(watch_facts[i].fact) != length || strncmp(watch_facts[i].fact, name, length) != 0)
            continue;
        for (int k = 0; k < view.count; k++) {
            const struct watch_row *row = &view.rows[k];
            if (!row->valid || strncmp(row->label, watch_facts[i].label, strlen(watch_facts[i].label)) != 0)
                continue;
            if (strcmp(name + length, ".note") == 0)
                text_format(text, size, "%s", row->note);
            else if (strcmp(name + length, ".value") == 0)
                text_bits_value(text, size, row->format, row->bits, 200);
            else if (!name[length])
                text_format(text, size, "%s", row->hex);
            else
                return false;
            return true;
        }
    }
    return false;
}

/* ---- the first difference of two lanes ---- */

/* "step" of lanes 0 and 1, "0-2.step" of lanes 0 and 2. */
static bool difference_fact(const struct session *s, const char *name, char *text, size_t size)
{
    int a = 0, b = 1;
    bool named = name[0] >= '0' && name[0] < '4' && name[1] == '-' && name[2] > name[0] && name[2] < '4';
    if (named && name[3] == '.') {
        a = name[0] - '0';
        b = name[2] - '0';
        name += 4;
    }
    const struct difference *d = &s->differences[session_pair(a, b)];
    bool same = b < s->lane_count && trainer_config(s->lanes[a].trainer)->recipe.low ==
                                         trainer_config(s->lanes[b].trainer)->recipe.low;
    if (b >= s->lane_count)
        return false;
    if (!d->found || (!named && !same))
        text_format(text, size, "none");
    else if (IS("step"))
        number_text(text, size, (uint64_t)d->step);
    else if (IS("phase"))
        text_format(text, size, "%s", phase_name(d->phase));
    else if (IS("tensor"))
        text_format(text, size, "%s", d->name);
    else if (IS("index"))
        number_text(text, size, (uint64_t)d->index);
    else
        return false;
    return true;
}

static bool find_fact(struct session *s, const char *name, char *text, size_t size)
{
    char kind[24];
    const char *dot = strchr(name, '.');
    text_format(kind, sizeof kind, "%.*s", dot && dot - name < 23 ? (int)(dot - name) : 0, name);
    if (IS("step"))
        return number_text(text, size, (uint64_t)trainer_steps(s->lanes[0].trainer));
    if (IS("why")) {
        text_format(text, size, "%s", *s->why ? s->why : "none");
        return true;
    }
    if (IS("stopped") || IS("launch"))
        return number_text(text, size, IS("stopped") ? s->stopped : (uint64_t)session_position(s).launch);
    if (IS("last-step") || IS("injected"))
        return number_text(
            text, size, IS("injected") ? (uint64_t)session_injected(s) : (uint64_t)s->history.frontier.step);
    if (IS("phase") || IS("task")) {
        text_format(text, size, "%s",
                    IS("task") ? s->setup.task->name : phase_name(trainer_next_phase(s->lanes[0].trainer)));
        return true;
    }
    if (IS("calc") || strcmp(kind, "calc") == 0)
        return session_answer(s) && session_calc_fact(s, dot ? dot + 1 : "", text, size);
    if (IS("block") || strcmp(kind, "block") == 0)
        return session_answer(s) && session_block_fact(s, dot ? dot + 1 : "", text, size);
    if (lane_fact(s, 0, name, text, size))
        return true;
    if (!dot)
        return false;
    if (strcmp(kind, "twin") == 0)
        return s->lane_count > 1 && lane_fact(s, 1, dot + 1, text, size);
    if (strncmp(kind, "lane", 4) == 0 && kind[4] >= '0' && kind[4] < '0' + s->lane_count && !kind[5])
        return lane_fact(s, kind[4] - '0', dot + 1, text, size);
    if (IS("overflow.tensor")) {
        text_format(text, size, "%s", *s->overflow_tensor ? s->overflow_tensor : "none");
        return true;
    }
    if (strcmp(kind, "watch") == 0)
        return watch_fact(s, dot + 1, text, size);
    if (strcmp(kind, "difference") == 0)
        return difference_fact(s, dot + 1, text, size);
    return answer_fact(s, kind, dot + 1, text, size);
}

bool session_fact(struct session *s, const char *name, char *text, size_t size)
{
    bool ok = !s->failed && find_fact(s, name, text, size);
    return ok || (s->failed && session_rescue(s) && find_fact(s, name, text, size));
}

/* ---- claims ---- */

enum relation { EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, RELATION_COUNT };
static const char *const relations[RELATION_COUNT] = {"==", "!=", "<", "<=", ">", ">="};

static bool holds(enum relation r, int order)
{
    switch (r) {
    case EQUAL:
        return order == 0;
    case NOT_EQUAL:
        return order != 0;
    case LESS:
        return order < 0;
    case LESS_EQUAL:
        return order <= 0;
    case GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* Compares two texts: as numbers if both are, else letter by letter.  False if they have no order that r asks
 * for. */
static bool relate(const char *found, const char *wanted, enum relation r, bool *result)
{
    struct exact_error error;
    struct exact *a = exact_parse(found, &error), *b = exact_parse(wanted, &error);
    bool numbers = a && b && exact_kind(a) != EXACT_NAN && exact_kind(b) != EXACT_NAN;
    bool possible = numbers || r == EQUAL || r == NOT_EQUAL;
    *result = possible && holds(r, numbers ? exact_compare(a, b) : strcmp(found, wanted));
    exact_free(a);
    exact_free(b);
    return possible;
}

/* The next word of a text, which moves on past it. */
static void word(const char **text, char *to, size_t size)
{
    *text += strspn(*text, blanks);
    size_t length = strcspn(*text, blanks);
    text_format(to, size, "%.*s", (int)(length < size ? length : size - 1), *text);
    *text += length;
    *text += strspn(*text, blanks);
}

bool session_expect(struct session *s, const char *claim, char *error)
{
    char name[64], operator[8], found[TEXT_LINE - 80], wanted[TEXT_LINE - 80];
    const char *rest = claim;
    word(&rest, name, sizeof name);
    word(&rest, operator, sizeof operator);
    int r = 0;
    while (r < RELATION_COUNT && strcmp(relations[r], operator) != 0)
        r++;
    if (r == RELATION_COUNT || !*rest) {
        snprintf(error, TEXT_LINE, "a claim is FACT OP VALUE, with OP one of == != < <= > >=");
        return false;
    }
    if (!session_fact(s, name, found, sizeof found)) {
        snprintf(error, TEXT_LINE, "there is no fact '%.60s' here", name);
        return false;
    }
    /* What it is compared with may be a fact, too, of those that have a dot in their names. */
    if (!strchr(rest, '.') || !session_fact(s, rest, wanted, sizeof wanted))
        text_format(wanted, sizeof wanted, "%s", rest);
    bool result;
    if (relate(found, wanted, (enum relation)r, &result))
        text_format(error, TEXT_LINE, "%s is %s", name, found);
    else
        text_format(error, TEXT_LINE, "%s is %s, which has no order with '%.60s'", name, found, wanted);
    return result;
}
