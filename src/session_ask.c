/* session_ask.c: the commands that change the focused value and what is asked about it. */
#include "probe_text.h"
#include "session_internal.h"
#include <stdlib.h>
#include <string.h>

/* The texts that are asked about, and which of them a command changes. */
static bool check_value(const char *text, bool finite, char *error)
{
    struct exact_error why;
    struct exact *x = exact_parse(text, &why);
    if (!x)
        return session_bad_value(text, &why, error);
    bool ok = !finite || exact_kind(x) == EXACT_FINITE;
    exact_free(x);
    return ok || session_refuse(error, "'%.40s' is not finite", text);
}

static bool store(char **to, const char *text, char *error)
{
    return session_set_text(to, text) || session_refuse(error, "out of memory");
}

/* The one focused value: Bits shows it, and Update starts from it where it is finite. */
static bool focus_value(struct session *s, const char *text, char *error)
{
    char ignored[160];
    if (!check_value(text, false, error) || !store(&s->value, text, error))
        return false;
    if (check_value(text, true, ignored) && !store(&s->w, text, error))
        return false;
    s->live = s->bits_fresh = s->update_fresh = false;
    session_show_value(s);
    return true;
}

static bool do_w(struct session *s, const char *argument, char *error)
{
    return check_value(argument, true, error) && focus_value(s, argument, error);
}

static bool do_weight(struct session *s, const char *argument, char *error)
{
    int param;
    long row, col;
    if (*argument) {
        if (!session_weight_find(s, argument, &param, &row, &col, error))
            return false;
        s->watch_param = param;
        s->watch_row = row;
        s->watch_col = col;
    }
    s->live = true;
    session_show_value(s);
    s->bits_fresh = s->update_fresh = false;
    return true;
}

/* The row of the answer about a format, made fresh. */
static const struct bits_row *row_of(struct session *s, const char *format, char *error)
{
    if (!session_answer(s)) {
        session_device_failed(s, error);
        return NULL;
    }
    const struct bits_row *row = session_bits_row(s, format, error);
    if (!row || !*row->reason)
        return row;
    session_refuse(error, "%s: it has no bits here", row->reason);
    return NULL;
}

static bool focus_bits(struct session *s, const struct format *f, const char *hex, char *error)
{
    char text[TEXT_SHORT];
    text_format(text, sizeof text, "%s:%s", f->name, hex);
    return focus_value(s, text, error);
}

static bool do_flip(struct session *s, const char *argument, char *error)
{
    char name[16] = "";
    int64_t bit = 0;
    size_t length = strcspn(argument, " \t");
    text_format(name, sizeof name, "%.*s", (int)(length < 15 ? length : 15), argument);
    const struct bits_row *row = row_of(s, name, error);
    if (!row || !session_read_count(argument + length + strspn(argument + length, " \t"), 0,
                                    row->format->width - 1, &bit, error))
        return false;
    return focus_bits(s, row->format, row->flips[bit].hex, error);
}

static bool do_next(struct session *s, const char *argument, char *error)
{
    const struct bits_row *row = row_of(s, argument, error);
    if (!row)
        return false;
    if (!*row->up_hex)
        return session_refuse(error, "%s has no value above %.60s", row->format->name, row->value);
    return focus_bits(s, row->format, row->up_hex, error);
}

static bool do_previous(struct session *s, const char *argument, char *error)
{
    const struct bits_row *row = row_of(s, argument, error);
    if (!row)
        return false;
    if (!*row->down_hex)
        return session_refuse(error, "%s has no value below %.60s", row->format->name, row->value);
    return focus_bits(s, row->format, row->down_hex, error);
}

static bool do_rounding(struct session *s, const char *argument, char *error)
{
    enum round_mode mode = (enum round_mode)((s->mode + 1) % ROUND_MODE_COUNT);
    if (*argument && !round_mode_find(argument, &mode))
        return session_refuse(error, "no rounding mode '%.40s' (rne rna rtz rup rdn sr)", argument);
    s->mode = mode;
    s->bits_fresh = false;
    return true;
}

/* lr and gradient go together; a typed delta stands for both. */
static bool set_update_text(struct session *s, char **to, const char *text, char *error)
{
    if (!check_value(text, true, error) || !store(to, text, error))
        return false;
    if (to != &s->delta) {
        free(s->delta);
        s->delta = NULL;
    }
    s->live = s->bits_fresh = s->update_fresh = false;
    return true;
}

static bool do_step_size(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->lr, argument, error);
}

static bool do_gradient(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->grad, argument, error);
}

static bool do_delta(struct session *s, const char *argument, char *error)
{
    return set_update_text(s, &s->delta, argument, error);
}

static bool do_repeats(struct session *s, const char *argument, char *error)
{
    if (!session_read_count(argument, 1, UPDATE_STEPS_MAX, &s->repeats, error))
        return false;
    s->update_fresh = false;
    return true;
}

command_handler *const session_value_handlers[COMMAND_COUNT] = {
    [COMMAND_VALUE] = focus_value,
    [COMMAND_WEIGHT] = do_weight,
    [COMMAND_FLIP] = do_flip,
    [COMMAND_NEXT] = do_next,
    [COMMAND_PREVIOUS] = do_previous,
    [COMMAND_ROUNDING] = do_rounding,
    [COMMAND_FORMATS] = session_do_formats,
    [COMMAND_SATURATE] = session_do_saturate,
    [COMMAND_FLUSH] = session_do_flush,
    [COMMAND_NAN] = session_do_nan,
    [COMMAND_CALC] = session_do_calc,
    [COMMAND_BLOCK] = session_do_block,
    [COMMAND_RANDOM_BITS] = session_do_random_bits,
    [COMMAND_UPDATE_W] = do_w,
    [COMMAND_UPDATE_LR] = do_step_size,
    [COMMAND_UPDATE_GRAD] = do_gradient,
    [COMMAND_UPDATE_DELTA] = do_delta,
    [COMMAND_UPDATE_STEPS] = do_repeats,
};
