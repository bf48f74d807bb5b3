/* session_change.c: the commands that change a run in mid-course.  They are logged with their places, so that
 * going back and forth repeats them. */
#include "probe_text.h"
#include "session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements of tensors ---- */

/* Reads "[3,17]", "[5]" or "" into i[0..1]; how many numbers, or -1. */
static int read_indices(const char *text, long *i)
{
    char *end;
    int n = 0;
    if (!*text)
        return 0;
    for (const char *at = text + 1; n < 2; at = end + 1) {
        i[n] = strtol(at, &end, 10);
        if (end == at || i[n] < 0 || i[n] > 999999)
            return -1;
        n++;
        end += strspn(end, " ");
        if (*end != ',')
            break;
    }
    return *end == ']' && !end[1] ? n : -1;
}

static const struct tensor *find_tensor(struct trainer *t, const char *name, size_t length)
{
    for (int i = 0; i < trainer_tensor_count(t); i++)
        if (strlen(trainer_tensor(t, i)->name) == length &&
            strncmp(trainer_tensor(t, i)->name, name, length) == 0)
            return trainer_tensor(t, i);
    return NULL;
}

bool session_tensor_find(struct session *s, const char *name, const struct tensor **out, long *row, long *col,
                         char *error)
{
    size_t length = strcspn(name, "[");
    long i[2] = {0, 0};
    const struct tensor *x = find_tensor(s->lanes[0].trainer, name, length);
    int n = read_indices(name + length, i);
    if (!x)
        return session_refuse(error, "no tensor '%.*s' in this run", (int)(length > 60 ? 60 : length), name);
    if (n < 0)
        return session_refuse(error, "an element is [ROW,COLUMN], as in %s[0,0]", x->name);
    *out = x;
    *row = n == 2 ? i[0] : x->rows == 1 ? 0 : i[0] / x->cols; /* one number counts through the rows */
    *col = n == 2 ? i[1] : x->rows == 1 ? i[0] : i[0] % x->cols;
    if (*row < x->rows && *col < x->cols)
        return true;
    return session_refuse(error, "%s is %ld × %ld", x->name, x->rows, x->cols);
}

/* ---- carrying out ---- */

static bool apply_lr(struct session *s, const char *argument, char *error)
{
    float lr;
    if (!session_read_float(argument, true, &lr, error))
        return false;
    for (int i = 0; i < s->lane_count; i++)
        if (!trainer_set_lr(s->lanes[i].trainer, lr)) {
            session_fail(s);
            return session_device_failed(s, error);
        }
    s->setup.lr = lr;
    text_format(s->setup.lr_text, sizeof s->setup.lr_text, "%s", argument);
    if (trainer_steps(s->lanes[0].trainer) > 0)
        session_event(s, EVENT_NOTE, "learning rate %s from here", s->setup.lr_text);
    return true;
}

static bool apply_overflow(struct session *s, const char *argument, char *error)
{
    (void)argument;
    s->injected = true;
    if (trainer_inject_overflow(s->lanes[0].trainer))
        return true;
    session_fail(s);
    return session_device_failed(s, error);
}

/* Whether the tensor is the copy of a master: the next step takes it from there again. */
static bool has_master(const struct session *s, const struct tensor *x)
{
    char name[TENSOR_NAME + 8];
    text_format(name, sizeof name, "%s.master", x->name);
    for (int i = 0; i < trainer_tensor_count(s->lanes[0].trainer); i++)
        if (strcmp(trainer_tensor(s->lanes[0].trainer, i)->name, name) == 0)
            return true;
    return false;
}

/* A new encoding for an element of lane 0, and a note of it. */
static bool put(struct session *s, const struct tensor *x, long row, long col, uint32_t bits, char *error)
{
    char element[TENSOR_NAME + 48], hex[TEXT_HEX], value[TEXT_SHORT];
    if (!trainer_write(s->lanes[0].trainer, x, row * x->cols + col, bits)) {
        session_fail(s);
        return session_device_failed(s, error);
    }
    s->injected = true;
    incident_element(element, sizeof element, x->name, row, col, x->rows == 1);
    text_hex(hex, sizeof hex, &format_table[x->format], bits);
    text_bits_value(value, sizeof value, &format_table[x->format], bits, 9);
    session_event(s, EVENT_NOTE, "put in by hand: %s = %s (%s) in lane 0", element, value, hex);
    if (has_master(s, x))
        text_format(s->message, sizeof s->message, "%.60s is a copy: the next one is cast from %.60s.master",
                    x->name, x->name);
    return true;
}

/* "TENSOR[I,J] REST": the element, and where the rest begins. */
static bool read_element(struct session *s, const char *argument, const struct tensor **x, long *row,
                         long *col, const char **rest, char *error)
{
    char name[TENSOR_NAME + 40];
    const char *end = strchr(argument, ']');
    size_t length = end ? (size_t)(end + 1 - argument) : 0;
    if (length == 0 || length >= sizeof name)
        return session_refuse(error, "an element is TENSOR[ROW,COLUMN], as in fc1.weight[0,0]");
    memcpy(name, argument, length);
    name[length] = '\0';
    *rest = argument + length + strspn(argument + length, " \t");
    return session_tensor_find(s, name, x, row, col, error);
}

/* A VALUE rounded once to the tensor's format, by the kernel that Bits asks. */
static bool encode(struct session *s, const char *value, enum format_id format, uint32_t *bits, char *error)
{
    struct probe_policy policy = {.mode = ROUND_RNE};
    struct exact_error why;
    struct bits_answer *answer = malloc(sizeof *answer);
    if (!answer)
        return session_refuse(error, "out of memory");
    bool ok = probe_bits(s->device, value, &policy, answer, &why);
    if (ok)
        *bits = (uint32_t)strtoul(answer->rows[format].hex, NULL, 16);
    else if (*device_error(s->device)) {
        session_fail(s);
        session_device_failed(s, error);
    } else
        session_bad_value(value, &why, error);
    free(answer);
    return ok;
}

static bool apply_set(struct session *s, const char *argument, char *error)
{
    const struct tensor *x;
    const char *rest = "";
    long row, col;
    uint32_t bits = 0;
    if (!read_element(s, argument, &x, &row, &col, &rest, error))
        return false;
    if (*rest == '=')
        rest += 1 + strspn(rest + 1, " \t");
    if (!*rest)
        return session_refuse(error, "set TENSOR[I,J] = VALUE: the value is missing");
    return encode(s, rest, x->format, &bits, error) && put(s, x, row, col, bits, error);
}

static bool apply_flip_at(struct session *s, const char *argument, char *error)
{
    const struct tensor *x;
    const char *rest = "";
    long row, col;
    int64_t bit = 0;
    if (!read_element(s, argument, &x, &row, &col, &rest, error) ||
        !session_read_count(rest, 0, format_table[x->format].width - 1, &bit, error))
        return false;
    uint32_t bits = 0;
    uint16_t narrow = 0;
    bool wide = x->format == FORMAT_FP32;
    if (!trainer_read(s->lanes[0].trainer, x, row * x->cols + col, 1,
                      wide ? (void *)&bits : (void *)&narrow)) {
        session_fail(s);
        return session_device_failed(s, error);
    }
    return put(s, x, row, col, (wide ? bits : narrow) ^ UINT32_C(1) << bit, error);
}

bool session_apply(struct session *s, enum command_id command, const char *argument, char *error)
{
    bool ok = command == COMMAND_LR        ? apply_lr(s, argument, error)
              : command == COMMAND_INJECT  ? apply_overflow(s, argument, error)
              : command == COMMAND_SET     ? apply_set(s, argument, error)
              : command == COMMAND_FLIP_AT ? apply_flip_at(s, argument, error)
                                           : session_refuse(error, "no change");
    s->bits_fresh = s->update_fresh = false;
    return ok;
}

bool session_change(struct session *s, enum command_id command, const char *argument, char *error)
{
    struct position at = session_position(s);
    if (!session_apply(s, command, argument, error))
        return false;
    history_truncate(&s->history, at);
    s->future.behind = false;
    return history_log(&s->history, at, command, argument) ||
           session_refuse(error, "too many changes in one run: going back will not repeat this one");
}

int session_injected(const struct session *s)
{
    int count = 0;
    for (int i = 0; i < s->history.applied; i++)
        count += s->history.changes[i].command != COMMAND_LR;
    return count;
}
