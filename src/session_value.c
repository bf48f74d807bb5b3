/* session_value.c: the focused value, typed or a weight of the run, and the answers about it. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool session_set_text(char **to, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (!copy)
        return false;
    memcpy(copy, text, size);
    free(*to);
    *to = copy;
    return true;
}

/* ---- the watched weight ---- */

const struct tensor *lane_held(const struct lane *lane, int param)
{
    const struct tensor *master = trainer_param_tensor(lane->trainer, param, TENSOR_MASTER);
    return master ? master : trainer_param_tensor(lane->trainer, param, TENSOR_WEIGHT);
}

/* A weight in the middle of the model: of the second matrix, if there is one as large. */
void session_weight_default(struct session *s)
{
    const struct lane *lane = &s->lanes[0];
    s->watch_param = 0;
    for (int p = 0; p < trainer_param_count(lane->trainer); p++) {
        const struct tensor *x = lane_held(lane, p), *best = lane_held(lane, s->watch_param);
        if (x->rows * x->cols > best->rows * best->cols)
            s->watch_param = p;
    }
    const struct tensor *x = lane_held(lane, s->watch_param);
    s->watch_row = x->rows > 3 ? 3 : 0;
    s->watch_col = x->cols > 17 ? 17 : 0;
    s->bits_fresh = s->update_fresh = false;
}

void session_weight_name(const struct session *s, char *to, size_t size)
{
    const struct tensor *x = trainer_param_tensor(s->lanes[0].trainer, s->watch_param, TENSOR_WEIGHT);
    if (x->rows == 1)
        text_format(to, size, "%s[%ld]", x->name, s->watch_col);
    else
        text_format(to, size, "%s[%ld,%ld]", x->name, s->watch_row, s->watch_col);
}

bool session_weight_find(struct session *s, const char *name, int *param, long *row, long *col, char *error)
{
    const struct tensor *x;
    if (!session_tensor_find(s, name, &x, row, col, error))
        return false;
    *param = x->param;
    return x->param != TENSOR_NONE ||
           session_refuse(error, "%s does not belong to a weight: only weights can be watched", x->name);
}

/* ---- answers ---- */

static bool element_text(struct session *s, const struct tensor *x, char *to, size_t size)
{
    uint32_t bits = 0;
    uint16_t narrow = 0;
    bool wide = x->format == FORMAT_FP32;
    if (!trainer_read(s->lanes[0].trainer, x, s->watch_row * x->cols + s->watch_col, 1,
                      wide ? (void *)&bits : (void *)&narrow))
        return session_fail(s);
    char hex[TEXT_HEX];
    text_hex(hex, sizeof hex, &format_table[x->format], wide ? bits : narrow);
    text_format(to, size, "%s:%s", format_table[x->format].name, hex);
    return true;
}

static bool answer_bits(struct session *s)
{
    struct exact_error error;
    char live[TEXT_SHORT];
    uint64_t before[KERNEL_COUNT];
    memcpy(before, s->device->launches, sizeof before);
    if (s->live && !element_text(s, lane_held(&s->lanes[0], s->watch_param), live, sizeof live))
        return false;
    if (!session_answer_numbers(s, s->live ? live : s->value, &error))
        return session_fail(s);
    text_kernels(s->bits_kernels, sizeof s->bits_kernels, s->device, before);
    s->bits_fresh = true;
    return true;
}

/* Whether Delta and the weight before it are there: of the step begun, or of the last that made an update. */
static bool has_update(const struct lane *lane)
{
    return lane->state.updates > 0 ||
           (session_in_step_of(lane) && session_reached(lane, PHASE_UPDATE) && !lane->state.found_inf);
}

static bool finite_text(const char *encoding)
{
    struct exact_error error;
    struct exact *x = exact_parse(encoding, &error);
    bool finite = x && exact_kind(x) == EXACT_FINITE;
    exact_free(x);
    return finite;
}

static bool answer_update(struct session *s)
{
    const struct lane *lane = &s->lanes[0];
    struct update_texts texts = {
        s->w, s->delta, s->lr, s->grad, s->repeats, s->setup.seed, (1u << UPDATE_SCHEMES) - 1};
    struct exact_error error;
    const char *which;
    char w[TEXT_SHORT], delta[TEXT_SHORT];
    uint64_t before[KERNEL_COUNT];
    memcpy(before, s->device->launches, sizeof before);
    s->update_fresh = true;
    s->update_valid = false;
    s->update_kernels[0] = '\0';
    if (s->live) {
        struct trainer *t = lane->trainer;
        if (!has_update(lane))
            return true;
        if (!element_text(s, trainer_param_tensor(t, s->watch_param, TENSOR_PREVIOUS), w, sizeof w) ||
            !element_text(s, trainer_param_tensor(t, s->watch_param, TENSOR_DELTA), delta, sizeof delta))
            return false;
        if (!finite_text(w) || !finite_text(delta))
            return true;
        texts = (struct update_texts){.w = w, .delta = delta, .steps = s->repeats, .schemes = texts.schemes};
        texts.steps = s->repeats > LIVE_REPEATS ? LIVE_REPEATS : s->repeats;
        texts.seed = s->setup.seed;
    }
    if (!probe_update_answer(s->device, &texts, &s->update, &error, &which))
        return *device_error(s->device) ? session_fail(s) : true;
    text_kernels(s->update_kernels, sizeof s->update_kernels, s->device, before);
    s->update_valid = true;
    return true;
}

bool session_answer(struct session *s)
{
    return (s->bits_fresh || answer_bits(s)) && (s->update_fresh || answer_update(s));
}
