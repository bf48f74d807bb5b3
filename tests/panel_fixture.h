/* panel_fixture.h: snapshots of runs that look real, and screens as text, for the tests of panels 3 and 4. */
#ifndef ULPSCOPE_TESTS_PANEL_FIXTURE_H
#define ULPSCOPE_TESTS_PANEL_FIXTURE_H

#include "cell.h"
#include "export.h"
#include "panel.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SET(field, text) snprintf(field, sizeof(field), "%s", text)

static inline void fixture_tensor(struct snapshot *s, const char *name, enum tensor_role role,
                                  const char *format, long rows, long cols, const char *const shares[6])
{
    struct tensor_row *t = &s->tensors[s->tensor_count++];
    SET(t->name, name);
    SET(t->format, format);
    snprintf(t->shape, sizeof t->shape, "%ld×%ld", rows, cols);
    t->role = role;
    t->rows = rows;
    t->cols = cols;
    t->param = TENSOR_NONE;
    t->touched = true;
    char *const fields[6] = {t->zero, t->flushed, t->subnormal, t->overflowed, t->nan, t->lost};
    for (int i = 0; i < 6; i++)
        snprintf(fields[i], sizeof t->zero, "%s", shares ? shares[i] : i == 5 ? "" : "0");
}

/* 19 tensors, in an order of their own, as a trainer makes them. */
static inline void fixture_tensors(struct snapshot *s)
{
    static const long shape[6][2] = {{2, 32}, {1, 32}, {32, 32}, {1, 32}, {32, 3}, {1, 3}};
    static const char *const names[6] = {"fc1.weight", "fc1.bias",   "fc2.weight",
                                         "fc2.bias",   "fc3.weight", "fc3.bias"};
    char name[TENSOR_NAME];
    fixture_tensor(s, "points.fp16", TENSOR_DATA, "fp16", 768, 2, NULL);
    for (int i = 0; i < 6; i++)
        fixture_tensor(s, names[i], TENSOR_WEIGHT, "fp16", shape[i][0], shape[i][1], NULL);
    for (int i = 0; i < 6; i++) {
        static const char *const master[6] = {"0", "0", "0", "0", "0", "0.1 %"};
        snprintf(name, sizeof name, "%s.master", names[i]);
        fixture_tensor(s, name, TENSOR_MASTER, "fp32", shape[i][0], shape[i][1], master);
    }
    for (int i = 0; i < 6; i++) {
        static const char *const gradient[6] = {"3.1 %", "0.2 %", "6.0 %", "0", "0", ""};
        snprintf(name, sizeof name, "%s.grad", names[i]);
        fixture_tensor(s, name, TENSOR_GRADIENT, "fp16", shape[i][0], shape[i][1], gradient);
    }
    static const char *const activation[6] = {"1.0 %", "92.3 %", "31.4 %", "0", "0", ""};
    fixture_tensor(s, "h2.grad", TENSOR_ACTIVATION_GRADIENT, "fp16", 768, 32, activation);
    fixture_tensor(s, "h2", TENSOR_ACTIVATION, "fp16", 768, 32, NULL);
}

static inline void fixture_lane(struct snapshot *s, const char *recipe, const char *loss, double end,
                                double speed)
{
    struct lane_view *lane = &s->lanes[s->lane_count++];
    SET(lane->recipe, recipe);
    SET(lane->loss, loss);
    SET(lane->accuracy, "0.981");
    SET(lane->lost, "78.2 %");
    SET(lane->lost_total, "64.0 %");
    SET(lane->drift, s->lane_count == 1 ? "0.0123" : "");
    lane->loss_curve.first = 1;
    lane->loss_curve.stride = 1;
    lane->loss_curve.count = (int)s->step;
    for (int i = 0; i < lane->loss_curve.count; i++)
        lane->loss_curve.value[i] = (float)(end + (1.1 - end) * exp(-i / speed));
}

static inline void fixture_histogram(struct histogram_view *h)
{
    h->valid = true;
    SET(h->title, "gradients of this step · log2 |g| of 1,251 values, unscaled");
    h->first_exponent = -60;
    h->columns = 80;
    for (int i = 0; i < h->columns; i++) {
        double x = (h->first_exponent + i + 25) / 5.0;
        h->height[i] = (uint32_t)(310 * exp(-x * x));
        h->highest = h->height[i] > h->highest ? h->height[i] : h->highest;
        h->total += h->height[i];
    }
    h->zeros = 7;
    h->unscaled = (struct window_view){.flush_below = -25, .subnormal_below = -14, .overflow_from = 15.9996};
    h->scaled = (struct window_view){.flush_below = -42, .subnormal_below = -31, .overflow_from = -1.0004};
    SET(h->unscaled.title, "S = 1");
    SET(h->scaled.title, "S = 2^17");
    const char *const texts[2][4] = {{"92.3 %", "7.7 %", "0.0 %", "0.0 %"},
                                     {"0.5 %", "46.4 %", "53.1 %", "0.0 %"}};
    for (int i = 0; i < 2; i++) {
        struct window_view *w = i ? &h->scaled : &h->unscaled;
        SET(w->flushed, texts[i][0]);
        SET(w->subnormal, texts[i][1]);
        SET(w->normal, texts[i][2]);
        SET(w->overflowed, texts[i][3]);
    }
}

static inline void fixture_scale(struct snapshot *s)
{
    struct scale_view *v = &s->scale;
    v->active = true;
    SET(v->rule, "pytorch:window=50");
    SET(v->summary, "init 65536   growth ×2 every 50   backoff ×0.5");
    SET(v->scale, "131072 = 2^17");
    SET(v->tracker, "36 of 50");
    v->progress = 0.72;
    SET(v->next_clean, "tracker → 37");
    SET(v->next_overflow, "scale → 65536, tracker → 0, step skipped");
    SET(v->skipped, "4 of 412");
    v->log2_scale.first = 1;
    v->log2_scale.stride = 1;
    v->log2_scale.count = (int)s->step;
    double scale = 16;
    for (int i = 0; i < v->log2_scale.count; i++) {
        v->log2_scale.value[i] = (float)scale;
        if (i == 130 || i == 200 || i == 290 || i == 340) {
            v->log2_scale.mark[i] = 1;
            scale -= 1;
        } else if (i % 50 == 49) {
            scale += 1;
        }
    }
}

static inline void fixture_watch(struct snapshot *s)
{
    static const struct {
        const char *label;
        enum format_id format;
        const char *hex, *sign, *exponent, *trailing, *value, *note;
    } rows[] = {
        {"master", FORMAT_FP32, "0x3dcccccd", "0", "01111011", "10011001100110011001101", "0.100000001490116",
         ""},
        {"cast", FORMAT_FP16, "0x2e66", "0", "01011", "1001100110", "0.0999755859375", ""},
        {"gradient × 2^17", FORMAT_FP16, "0xc5d1", "1", "10001", "0111010001", "−5.81640625", ""},
        {"unscaled", FORMAT_FP32, "0xb83a2000", "1", "01110000", "01110100010000000000000",
         "−0.0000443756580352783203125", ""},
        {"Δ (adam)", FORMAT_FP32, "0xb99d260d", "1", "01110011", "00111010010011000001101", "−2.9973723e-4",
         ""},
        {"new master", FORMAT_FP32, "0x3dcd69f3", "0", "01111011", "10011010110100111110011",
         "0.100299738347530", "moved"},
        {"cast", FORMAT_FP16, "0x2e6b", "0", "01011", "1001101011", "0.10028076171875", "moved 5 ulp"},
    };
    SET(s->watch.name, "fc2.weight[3,17]");
    s->watch.count = (int)(sizeof rows / sizeof *rows);
    for (int i = 0; i < s->watch.count; i++) {
        struct watch_row *w = &s->watch.rows[i];
        SET(w->label, rows[i].label);
        w->format = &format_table[rows[i].format];
        w->valid = true;
        SET(w->hex, rows[i].hex);
        SET(w->sign, rows[i].sign);
        SET(w->exponent, rows[i].exponent);
        SET(w->trailing, rows[i].trailing);
        SET(w->value, rows[i].value);
        SET(w->note, rows[i].note);
    }
}

static inline void fixture_event(struct snapshot *s, int64_t step, enum event_kind kind, const char *name,
                                 const char *text)
{
    struct event_view *e = &s->events[s->event_count++];
    e->step = step;
    e->kind = kind;
    SET(e->name, name);
    SET(e->text, text);
}

/* A run before its first step. */
static inline struct snapshot *fixture_start(const char *recipe)
{
    struct snapshot *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    SET(s->device, "cpu");
    SET(s->task, "spiral");
    SET(s->recipe, recipe);
    SET(s->next_text[0], "cast points: fp32 to fp16");
    return s;
}

/* Recipe O2 after 412 steps, in the backward pass of the next. */
static inline struct snapshot *fixture_run(void)
{
    struct snapshot *s = fixture_start("O2");
    s->step = 412;
    s->next_phase = PHASE_BACKWARD;
    s->in_step = true;
    SET(s->next_text[0], "linear fc2 backward: dw = xT dy, db = sum of dy in fp16, accumulated in fp32");
    SET(s->next_text[1], "writes fc2.weight.grad, fc2.bias.grad, h1.grad");
    fixture_lane(s, "O2", "0.1829", 0.05, 130);
    fixture_lane(s, "fp32", "0.1824", 0.05, 128);
    fixture_lane(s, "bf16-pure", "0.7012", 0.6, 60);
    fixture_tensors(s);
    fixture_histogram(&s->histogram);
    fixture_scale(s);
    fixture_watch(s);
    fixture_event(
        s, 131, EVENT_OVERFLOW, "overflow",
        "fc3.weight.grad [17,2]  2^18 × 0.2852 = 74,763.4 ≥ 65520 → inf   step skipped, scale 2^18 → 2^17");
    fixture_event(s, 181, EVENT_GROWTH, "growth", "50 clean steps   scale 2^17 → 2^18");
    fixture_event(s, 207, EVENT_FIRST_DIFFERENCE, "difference",
                  "where O2 leaves fp32 + rounding: h2.grad [511,4]  fp16 0x0001, exact 1.43 × 2^-24");
    fixture_event(s, 341, EVENT_OVERFLOW, "overflow",
                  "fc1.weight.grad [0,31] → inf   step skipped, scale 2^19 → 2^18");
    return s;
}

/* That run again, where a breakpoint stopped it, gone back to step 300, with a change by hand and a map. */
static inline struct snapshot *fixture_debugged(void)
{
    struct snapshot *s = fixture_run();
    static const struct break_view breaks[] = {
        {1, 3, true, "overflow"}, {2, 0, true, "loss <0.5"}, {3, 1, false, "underflow h2.grad"}};
    s->step = 300;
    s->last_step = 412;
    s->behind = true;
    s->injected = 1;
    s->launch = 17;
    s->launch_count = 40;
    s->phase_launch = 3;
    s->phase_launches = 9;
    SET(s->done_text, "linear fc3 backward: h2.grad = dy wT in fp16");
    SET(s->next_launch, "linear fc2 backward: dw = xT dy in fp16");
    SET(s->history, "212 images, 20.1 of 64 MB");
    SET(s->why,
        "fc2.weight.grad[3,17]: 65536 × 1.0003 = 65555.7 ≥ 65520 → inf in fp16 (backward); step skipped, "
        "scale 65536 → 32768");
    s->why_here = s->stopped = true;
    s->break_count = 3;
    memcpy(s->breaks, breaks, sizeof breaks);
    s->difference_count = 3;
    for (int i = 0; i < 3; i++) {
        s->differences[i] = (struct difference_view){
            .a = i == 2, .b = i ? 2 : 1, .found = i != 1, .step = 207, .phase = PHASE_BACKWARD};
        SET(s->differences[i].element, "h2.grad[511,4]");
        SET(s->differences[i].hex_a, "0x0001");
        SET(s->differences[i].hex_b, "0x0002");
    }
    s->watch_count = 200;
    for (int i = 0; i < s->watch_count; i++) {
        s->watch_history[i].step = 2 * i;
        for (int lane = 0; lane < SNAPSHOT_LANES; lane++)
            s->watch_history[i].value[lane] =
                lane < s->lane_count ? 0.1 + 1e-4 * i * (lane + 1) : (double)NAN;
    }
    return s;
}

/* A map of fc2.weight.grad: all classes, exponents from -24 to 15. */
static inline void fixture_map(struct snapshot *s)
{
    struct heat_view *h = &s->heat;
    h->valid = true;
    SET(h->name, "fc2.weight.grad");
    SET(h->format, "fp16");
    SET(h->shape, "32×32");
    h->rows = h->cols = 32;
    h->row_step = h->col_step = 1;
    h->lowest = -24;
    h->highest = 15;
    for (int i = 0; i < 32 * 32; i++) {
        h->class[i / 32][i % 32] = (uint8_t)(i % 97 == 5    ? HEAT_ZERO
                                             : i % 97 == 6  ? HEAT_SUBNORMAL
                                             : i % 211 == 9 ? HEAT_INFINITE
                                             : i % 311 == 9 ? HEAT_NAN
                                                            : HEAT_NORMAL);
        h->exponent[i / 32][i % 32] = (int16_t)(-24 + i * 7 % 40);
        h->bits[i / 32][i % 32] = 0x2e66;
        h->element[i / 32][i % 32] = i;
    }
}

typedef void panel_draw(struct grid *g, struct rect area, const struct view *v, const struct snapshot *s);

/* The panel on a screen of its own, as text; free it.  Kept out of line: once inlined, gcc 12 takes what
 * open_memstream returns for a pointer into this frame. */
static __attribute__((noinline, unused)) char *
fixture_text(panel_draw *draw, const struct snapshot *s, const struct view *v, int rows, int cols, bool ascii)
{
    struct grid *g = grid_create(rows, cols);
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!g || !file)
        abort();
    g->ascii = ascii;
    draw(g, grid_bounds(g), v, s);
    if (!export_text(g, file))
        abort();
    fclose(file);
    grid_free(g);
    return text;
}

/* Line `row` of a text, as a copy in `line`. */
static inline const char *fixture_line(const char *text, int row, char line[1024])
{
    while (row-- > 0 && text)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    snprintf(line, 1024, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    return line;
}

/* The first line that holds a word, or -1. */
static inline int fixture_find(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    int row = at ? 0 : -1;
    for (const char *c = text; at && c < at; c++)
        row += *c == '\n';
    return row;
}

/* Draws at every size up to 45 x 130, with and without ASCII; true when nothing was drawn outside the area.
 */
static inline bool fixture_sizes(panel_draw *draw, const struct snapshot *s, const struct view *v)
{
    enum { ROWS = 45, COLS = 130 };
    for (int rows = 1; rows <= ROWS; rows++)
        for (int cols = 1; cols <= COLS; cols += rows > 2 && cols > 8 && cols < 70 ? 3 : 1) {
            struct grid *g = grid_create(rows + 2, cols + 2);
            if (!g)
                abort();
            g->ascii = (rows + cols) % 2;
            g->braille = rows % 2;
            draw(g, rect_make(1, 1, rows, cols), v, s);
            bool outside = false;
            for (int row = 0; row < rows + 2; row++)
                for (int col = 0; col < cols + 2; col++)
                    if (!rect_has(rect_make(1, 1, rows, cols), row, col) &&
                        grid_at(g, row, col)->glyph != ' ')
                        outside = true;
            grid_free(g);
            if (outside)
                return false;
        }
    return true;
}

/* The index of the snapshot's tensor of that name. */
static inline int tensor_named(const struct snapshot *s, const char *name)
{
    for (int i = 0; i < s->tensor_count; i++)
        if (strcmp(s->tensors[i].name, name) == 0)
            return i;
    fail_msg("no tensor %s", name);
    return -1;
}

#endif
