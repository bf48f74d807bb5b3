/* session_watch.c: one weight of a lane through all phases of a step. */
#include "probe_text.h"
#include "session_internal.h"
#include <string.h>

static struct watch_row *add_row(struct watch_view *v, const char *label, enum format_id format, bool valid,
                                 uint32_t bits)
{
    struct watch_row *row = &v->rows[v->count++];
    const struct format *f = &format_table[format];
    text_format(row->label, sizeof row->label, "%s", label);
    row->format = f;
    row->valid = valid;
    if (!valid)
        return row;
    row->bits = bits;
    text_hex(row->hex, sizeof row->hex, f, bits);
    text_fields(f, bits, row->sign, row->exponent, row->trailing);
    text_bits_value(row->value, sizeof row->value, f, bits, 14);
    return row;
}

static const struct lane *watched(const struct session *s)
{
    return &s->lanes[s->watch_lane < s->lane_count ? s->watch_lane : 0];
}

static bool read_element(struct session *s, const struct tensor *x, uint32_t *bits)
{
    long i = s->watch_row * x->cols + s->watch_col;
    uint16_t narrow;
    bool wide = x->format == FORMAT_FP32;
    if (!trainer_read(watched(s)->trainer, x, i, 1, wide ? (void *)bits : (void *)&narrow))
        return session_fail(s);
    if (!wide)
        *bits = narrow;
    return true;
}

static bool add_element(struct session *s, struct watch_view *v, const char *label, const struct tensor *x,
                        bool valid, struct watch_row **row)
{
    uint32_t bits = 0;
    if (valid && !read_element(s, x, &bits))
        return false;
    *row = add_row(v, label, x->format, valid, bits);
    return true;
}

/* The FP32 element as the low format has it: one launch of the kernel that all casts are. */
static bool add_cast(struct session *s, struct watch_view *v, uint32_t element, enum format_id low)
{
    struct cast_args args = {s->scratch.rounded, s->scratch.cell, 1, s->scratch.counters};
    uint16_t bits;
    if (!device_upload(s->device, s->scratch.rounded, &element, sizeof element) ||
        !device_launch(s->device, KERNEL_FOR(convert_to, low), &args) ||
        !device_download(s->device, &bits, s->scratch.cell, sizeof bits))
        return session_fail(s);
    add_row(v, "cast", low, true, bits);
    return true;
}

/* Places of encodings in the order of their values: how many steps apart two of them are. */
static int64_t place(const struct format *f, uint32_t bits)
{
    int64_t magnitude = bits & ((UINT32_C(1) << (f->width - 1)) - 1);
    return format_sign(f, bits) ? -magnitude : magnitude;
}

static void note_move(struct watch_row *to, const struct watch_row *from)
{
    int64_t moved = place(to->format, to->bits) - place(from->format, from->bits);
    bool same_binade =
        format_biased_exponent(to->format, to->bits) == format_biased_exponent(from->format, from->bits) &&
        format_sign(to->format, to->bits) == format_sign(from->format, from->bits);
    long long n = moved < 0 ? -moved : moved;
    text_format(to->note, sizeof to->note, "moved %lld %s%s", n, same_binade ? "ulp" : "value",
                !same_binade && n > 1 ? "s" : "");
}

static void note_new(const struct lane *lane, const struct watch_row *from, const struct watch_row *delta,
                     struct watch_row *to)
{
    bool is_update = delta->valid && (delta->bits & 0x7fffffff) != 0;
    if (lane->state.found_inf)
        text_format(to->note, sizeof to->note, "step skipped");
    else if (from->bits != to->bits)
        note_move(to, from);
    else
        text_format(to->note, sizeof to->note, is_update ? "lost" : "Δ is 0");
}

static void gradient_label(const struct lane *lane, bool written_back, char *to, size_t size)
{
    char scale[TEXT_SHORT];
    if (trainer_config(lane->trainer)->scaler.kind == SCALER_NONE || written_back)
        text_format(to, size, "gradient");
    else {
        text_scale(scale, sizeof scale, lane->state.used_scale);
        text_format(to, size, "gradient × %.18s", scale);
    }
}

/* A low optimizer's true gradients are written over the scaled ones. */
static bool gradient_written_back(const struct lane *lane)
{
    const struct trainer_config *c = trainer_config(lane->trainer);
    return c->recipe.low_optimizer && session_reached(lane, PHASE_UNSCALE);
}

static bool add_gradients(struct session *s, struct watch_view *v)
{
    const struct lane *lane = watched(s);
    const struct trainer_config *c = trainer_config(lane->trainer);
    const struct tensor *gradient = trainer_param_tensor(lane->trainer, s->watch_param, TENSOR_GRADIENT);
    const struct tensor *unscaled = trainer_param_tensor(lane->trainer, s->watch_param, TENSOR_UNSCALED);
    struct watch_row *row;
    char label[32];
    gradient_label(lane, gradient_written_back(lane), label, sizeof label);
    if (!add_element(s, v, label, gradient, session_reached(lane, PHASE_BACKWARD), &row))
        return false;
    if (c->recipe.low == FORMAT_FP32 && c->scaler.kind == SCALER_NONE)
        return true;
    return add_element(s, v, "unscaled", unscaled, session_reached(lane, PHASE_UNSCALE), &row);
}

static bool add_update(struct session *s, struct watch_view *v, const struct tensor *held, bool made)
{
    const struct lane *lane = watched(s);
    struct trainer *t = lane->trainer;
    bool reached = session_reached(lane, PHASE_UPDATE);
    const struct tensor *compensation = trainer_param_tensor(t, s->watch_param, TENSOR_COMPENSATION);
    const struct watch_row *from = &v->rows[0];
    struct watch_row *delta, *row;
    char label[32];
    text_format(label, sizeof label, "Δ (%s)", optimizer_name(s->setup.optimizer));
    if (!add_element(s, v, label, trainer_param_tensor(t, s->watch_param, TENSOR_DELTA), made, &delta))
        return false;
    if (reached && !made)
        text_format(delta->note, sizeof delta->note, "step skipped");
    if (!add_element(s, v, held->role == TENSOR_MASTER ? "new master" : "new weight", held, reached, &row))
        return false;
    if (reached)
        note_new(lane, from, delta, row);
    return !compensation || add_element(s, v, "c (Kahan)", compensation, reached, &row);
}

bool session_view_watch(struct session *s, struct watch_view *v)
{
    const struct lane *lane = watched(s);
    struct trainer *t = lane->trainer;
    int param = s->watch_param;
    const struct tensor *held = lane_held(lane, param);
    const struct tensor *copy = trainer_param_tensor(t, param, TENSOR_COPY);
    const struct tensor *weight = trainer_param_tensor(t, param, TENSOR_WEIGHT);
    bool has_master = held->role == TENSOR_MASTER;
    bool made = session_reached(lane, PHASE_UPDATE) && !lane->state.found_inf;
    /* Until this step's update is made, the weight is still the one that the step began with. */
    const struct tensor *before = made ? trainer_param_tensor(t, param, TENSOR_PREVIOUS) : held;
    struct watch_row *row;
    v->count = 0;
    v->lane = (int)(lane - s->lanes);
    v->param = param;
    v->row = s->watch_row;
    v->col = s->watch_col;
    session_weight_name(s, v->name, sizeof v->name);
    if (!add_element(s, v, has_master ? "master" : "weight", before, true, &row))
        return false;
    if (has_master && !add_cast(s, v, v->rows[0].bits, weight->format))
        return false;
    if (copy && !add_element(s, v, "cast", copy, session_reached(lane, PHASE_CAST), &row))
        return false;
    if (!add_gradients(s, v) || !add_update(s, v, held, made))
        return false;
    if (!has_master)
        return true;
    bool synced = session_reached(lane, PHASE_SYNC);
    if (!add_element(s, v, "new cast", weight, synced, &row))
        return false;
    if (synced && row->bits != v->rows[1].bits)
        note_move(row, &v->rows[1]);
    else if (synced && !lane->state.found_inf)
        text_format(row->note, sizeof row->note, "same as before");
    return true;
}

bool session_watch_lane_command(struct session *s, const char *argument, char *error)
{
    int64_t lane = (s->watch_lane + 1) % s->lane_count;
    if (*argument && !session_read_count(argument, 0, s->lane_count - 1, &lane, error))
        return false;
    s->watch_lane = (int)lane;
    return true;
}
