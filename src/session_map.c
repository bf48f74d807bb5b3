/* session_map.c: a tensor as a map of exponents, and the watched weight over the steps that are remembered.
 */
#include "probe_text.h"
#include "session_internal.h"
#include "trace.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the map ---- */

static enum heat_class class_of(const struct format *f, uint32_t bits)
{
    uint32_t magnitude = bits & ~(UINT32_C(1) << (f->width - 1)), infinity = (uint32_t)format_infinity(f);
    return magnitude == 0                         ? HEAT_ZERO
           : magnitude > infinity                 ? HEAT_NAN
           : magnitude == infinity                ? HEAT_INFINITE
           : format_biased_exponent(f, bits) == 0 ? HEAT_SUBNORMAL
                                                  : HEAT_NORMAL;
}

static int exponent_of(const struct format *f, uint32_t bits)
{
    int biased = format_biased_exponent(f, bits);
    if (biased)
        return biased - f->bias;
    int exponent = f->emin - 1;
    for (uint64_t trailing = format_trailing(f, bits) << 1; trailing && !(trailing >> f->trailing_bits);
         trailing <<= 1)
        exponent--;
    return exponent;
}

static void add_element(struct heat_view *v, const struct format *f, uint32_t bits, long i, long all_cols)
{
    enum heat_class class = class_of(f, bits);
    long row = i / all_cols / v->row_step, col = i % all_cols / v->col_step;
    uint32_t sign = UINT32_C(1) << (f->width - 1), *most = &v->bits[row][col];
    if (class == HEAT_SUBNORMAL || class == HEAT_NORMAL) {
        int e = exponent_of(f, bits);
        v->lowest = e < v->lowest ? e : v->lowest;
        v->highest = e > v->highest ? e : v->highest;
    }
    if ((bits & ~sign) <= (*most & ~sign) && v->element[row][col] >= 0)
        return; /* encodings of one format are in the order of their magnitudes, infinity and NaN last */
    *most = bits;
    v->element[row][col] = (int32_t)i;
    v->class[row][col] = (uint8_t) class;
    if (class == HEAT_SUBNORMAL || class == HEAT_NORMAL)
        v->exponent[row][col] = (int16_t)exponent_of(f, bits);
}

bool session_view_heat(struct session *s, struct heat_view *v)
{
    const struct tensor *x;
    long row, col;
    char error[160];
    if (!*s->heat || !session_tensor_find(s, s->heat, &x, &row, &col, error))
        return true;
    void *data = trace_download(s->lanes[0].trainer, x);
    if (!data)
        return session_fail(s);
    v->valid = true;
    text_format(v->name, sizeof v->name, "%s", x->name);
    text_format(v->format, sizeof v->format, "%s", format_table[x->format].name);
    text_format(v->shape, sizeof v->shape, "%ld×%ld", x->rows, x->cols);
    v->row_step = (int)((x->rows + HEAT_SIDE - 1) / HEAT_SIDE);
    v->col_step = (int)((x->cols + HEAT_SIDE - 1) / HEAT_SIDE);
    v->rows = (int)((x->rows + v->row_step - 1) / v->row_step);
    v->cols = (int)((x->cols + v->col_step - 1) / v->col_step);
    v->lowest = INT16_MAX;
    v->highest = INT16_MIN;
    memset(v->element, -1, sizeof v->element);
    for (long i = 0; i < x->rows * x->cols; i++)
        add_element(v, &format_table[x->format], trace_element(x, data, i), i, x->cols);
    free(data);
    return true;
}

bool session_heat_command(struct session *s, const char *argument, char *error)
{
    const struct tensor *x;
    long row, col;
    if (*argument && !session_tensor_find(s, argument, &x, &row, &col, error))
        return false;
    text_format(s->heat, sizeof s->heat, "%s", *argument ? x->name : "");
    s->histogram[0] = '\0'; /* one of both is shown */
    return true;
}

/* ---- the watched weight ---- */

/* In an image: the bits are there already. */
static double remembered(const struct session *s, int lane, const struct checkpoint *c)
{
    const struct tensor *x = lane_held(&s->lanes[lane], s->watch_param);
    long at = trainer_image_offset(s->lanes[lane].trainer, x, s->watch_row * x->cols + s->watch_col);
    return compare_decode(x->format, trace_element(x, c->lanes[lane]->data + at, 0));
}

/* Every image of where the run has been, and of too many every second, and so on, but always the last.  (A step
 * that a breakpoint stopped in has been run to its end, and has an image, but nobody has been there.) */
void session_view_watch_history(const struct session *s, struct snapshot *out)
{
    const struct history *h = &s->history;
    int count = h->count;
    while (count > 0 && h->checkpoints[count - 1].step > h->frontier.step)
        count--;
    int stride = count / WATCH_POINTS + 1;
    for (int i = (count - 1) % stride; i >= 0 && i < count; i += stride) {
        struct watch_point *p = &out->watch_history[out->watch_count++];
        p->step = h->checkpoints[i].step;
        for (int lane = 0; lane < SNAPSHOT_LANES; lane++)
            p->value[lane] = lane < s->lane_count ? remembered(s, lane, &h->checkpoints[i]) : (double)NAN;
    }
}
