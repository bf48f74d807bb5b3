/* probe.k.h: what `update` asks: what repeated updates do to one weight. */
#ifndef ULPSCOPE_KERNELS_PROBE
#define ULPSCOPE_KERNELS_PROBE

#include "../kernels.h"
#include "random.k.h"
#include "sum.k.h"

enum {
    PROBE_STREAM = 0x70726f62
}; /* the random words of update_probe: no other kernel draws from this stream */

/* The weight's state between two updates: the encoding that the update rule holds (of the master, where there
 * is one), and Kahan's compensation. */
struct k_probe {
    uint32_t weight, compensation;
};

K_FN struct k_probe k_probe_step(struct k_probe p, const struct update_case *c, enum format_id format,
                                 int64_t step)
{
    float w = k_decode(p.weight, format);
    if (c->kind == UPDATE_KAHAN)
        k_kahan(&p.weight, &p.compensation, c->delta, format);
    else if (c->kind == UPDATE_STOCHASTIC)
        p.weight =
            k_round_sum_stochastic(w, -c->delta, format, k_random(c->seed, PROBE_STREAM, (uint64_t)step, 0));
    else
        p.weight = k_round_sum(w, -c->delta, format);
    return p;
}

/* Runs all updates of one case; `held` is the format of the encoding that the rule holds. */
K_FN void k_probe_run(const struct update_case *c, struct update_outcome *o, enum format_id held)
{
    struct k_probe p;
    p.weight = c->weight;
    p.compensation = 0;
    uint32_t first = c->weight;
    int64_t moved = 0, first_move = 0;
    int sample = 0;
    int64_t due = (c->steps + UPDATE_SAMPLES - 1) /
                  UPDATE_SAMPLES; /* the update after which the next sample is taken */
    for (int64_t step = 0; step <= c->steps; step++) {
        if (step > 0) {
            uint32_t before = p.weight;
            p = k_probe_step(p, c, held, step);
            if (step == 1)
                first = p.weight;
            if (p.weight != before) {
                moved++;
                first_move = first_move ? first_move : step;
            }
        }
        while (sample < UPDATE_SAMPLES && step == due) {
            o->samples[sample++] = k_decode(p.weight, held);
            due = ((sample + 1) * c->steps + UPDATE_SAMPLES - 1) / UPDATE_SAMPLES;
        }
    }
    bool master = c->kind == UPDATE_MASTER;
    o->first_master = master ? first : 0;
    o->last_master = master ? p.weight : 0;
    o->first = first;
    o->last = p.weight;
    o->compensation = p.compensation;
    o->pad = 0;
    o->moved = moved;
    o->lost = c->steps - moved;
    o->first_move = first_move;
}

K_FN void update_probe_one(const struct update_probe_args *a, long i)
{
    const struct update_case *c = &a->cases[i];
    struct update_outcome *o = &a->outcomes[i];
    if (c->kind == UPDATE_MASTER || c->format == FORMAT_FP32)
        k_probe_run(c, o, FORMAT_FP32);
    else if (c->format == FORMAT_FP16)
        k_probe_run(c, o, FORMAT_FP16);
    else
        k_probe_run(c, o, FORMAT_BF16);
    if (c->kind != UPDATE_MASTER)
        return;
    o->first = c->format == FORMAT_FP16 ? k_encode(k_float(o->first_master), FORMAT_FP16)
                                        : k_encode(k_float(o->first_master), FORMAT_BF16);
    o->last = c->format == FORMAT_FP16 ? k_encode(k_float(o->last_master), FORMAT_FP16)
                                       : k_encode(k_float(o->last_master), FORMAT_BF16);
}

K_DEFINE(update_probe, update_probe_args, a->n, update_probe_one(a, tile))

#endif
