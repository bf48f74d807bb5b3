/* optimizer.k.h: SGD, momentum and Adam, and how a weight takes its update.
 *
 * `update` computes in FP32, whatever the weights are stored in, and rounds w - Delta once, by the update
 * rounding. `update_low` has every operation and all state rounded to the weights' format, as a model whose
 * optimizer is cast along with it (Apex O3).  Neither does anything in a step whose gradients overflowed. */
#ifndef ULPSCOPE_KERNELS_OPTIMIZER
#define ULPSCOPE_KERNELS_OPTIMIZER

#include "params.k.h"
#include "random.k.h"
#include "sum.k.h"

enum { STREAM_UPDATE = 1 };

/* What an optimizer needs besides a parameter's own numbers, the same for all of them. */
struct k_rule {
    int optimizer;
    float lr, momentum, beta1, beta2, one_minus_beta1, one_minus_beta2, epsilon;
    float correction1, correction2; /* 1 - beta^t of Adam's bias correction, t counting this update */
};

K_FN struct k_rule k_rule_of(const struct update_args *a)
{
    const struct run_settings *s = a->settings;
    struct k_rule rule;
    rule.optimizer = a->optimizer;
    rule.lr = s->lr;
    rule.momentum = s->momentum;
    rule.beta1 = s->beta1;
    rule.beta2 = s->beta2;
    rule.one_minus_beta1 = s->one_minus_beta1;
    rule.one_minus_beta2 = s->one_minus_beta2;
    rule.epsilon = s->epsilon;
    rule.correction1 = (float)(1.0 - a->state->beta1_power * (double)s->beta1);
    rule.correction2 = (float)(1.0 - a->state->beta2_power * (double)s->beta2);
    return rule;
}

/* The Deltas of a tile, from FP32 gradients; moments are updated in place.  The operations and their order
 * are those of PyTorch's SGD (dampening 0) and Adam (Kingma and Ba, algorithm 1), each rounded to FP32. */
K_FN void k_deltas(const struct k_rule *rule, const float *g, float *first, float *second, float *delta,
                   int n)
{
    if (rule->optimizer == OPTIMIZER_SGD) {
        K_LANES (i, n)
            delta[i] = k_canonical(rule->lr * g[i]);
    } else if (rule->optimizer == OPTIMIZER_MOMENTUM) {
        K_LANES (i, n) {
            first[i] = k_canonical(rule->momentum * first[i] + g[i]);
            delta[i] = k_canonical(rule->lr * first[i]);
        }
    } else {
        K_LANES (i, n) {
            first[i] = k_canonical(rule->beta1 * first[i] + rule->one_minus_beta1 * g[i]);
            second[i] = k_canonical(rule->beta2 * second[i] + rule->one_minus_beta2 * (g[i] * g[i]));
            float root = sqrtf(second[i] / rule->correction2);
            delta[i] = k_canonical(rule->lr * (first[i] / rule->correction1) / (root + rule->epsilon));
        }
    }
}

/* Counts a tile's updates: Delta != 0, and those of them that left the weight's bits alone. */
K_FN void k_count_updates(const struct update_args *a, const struct k_params *p, enum format_id format)
{
    uint32_t updated = 0, lost = 0;
    for (int i = 0; i < p->n; i++) {
        bool is_update = a->delta[p->first + i] != 0.0f;
        bool same =
            k_load_bits(a->weights, p->first + i, format) == k_load_bits(a->previous, p->first + i, format);
        updated += is_update;
        lost += is_update && same;
    }
    K_ADD(&a->counters[p->param * COUNTER_COUNT + COUNTER_UPDATED], updated);
    K_ADD(&a->counters[p->param * COUNTER_COUNT + COUNTER_LOST], lost);
}

/* w <- rnd(w - Delta) for a tile, by the update rounding. */
K_FN void k_apply(const struct update_args *a, const struct k_params *p, const float *delta,
                  enum format_id format)
{
    float w[K_PARAM], sum[K_PARAM];
    K_LANES (i, p->n) {
        uint32_t bits = k_load_bits(a->weights, p->first + i, format);
        k_store_bits(a->previous, p->first + i, bits, format);
        w[i] = k_decode(bits, format);
        a->delta[p->first + i] = delta[i];
    }
    if (a->rounding == UPDATE_SR) {
        struct k_random_key key = k_random_key(a->settings->seed, STREAM_UPDATE, (uint64_t)a->state->steps);
        K_LANES (i, p->n) {
            uint32_t random = k_random_word(key, (uint32_t)(p->first + i));
            uint32_t bits = k_round_sum_stochastic(w[i], -delta[i], format, random);
            k_store_bits(a->weights, p->first + i, bits, format);
        }
        return;
    }
    if (a->rounding == UPDATE_COMPENSATED) {
        K_LANES (i, p->n) {
            uint32_t bits = k_load_bits(a->weights, p->first + i, format);
            uint32_t c = k_load_bits(a->compensation, p->first + i, format);
            k_kahan(&bits, &c, delta[i], format);
            k_store_bits(a->weights, p->first + i, bits, format);
            k_store_bits(a->compensation, p->first + i, c, format);
        }
        return;
    }
    K_LANES (i, p->n)
        sum[i] = format == FORMAT_FP32 ? w[i] - delta[i] : k_sum_odd(w[i], -delta[i]);
    k_store(a->weights, p->first, sum, p->n, format, a->counters + p->param * COUNTER_COUNT);
}

K_FN void update(const struct update_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    if (a->state->found_inf || p.n == 0)
        return;
    struct k_rule rule = k_rule_of(a);
    float delta[K_PARAM];
    k_deltas(&rule, (const float *)a->gradients + p.first, (float *)a->first_moment + p.first,
             (float *)a->second_moment + p.first, delta, p.n);
    k_apply(a, &p, delta, format);
    k_count_updates(a, &p, format);
}

/* x rounded to the format, as a float again. */
K_FN float k_round(float x, enum format_id format)
{
    return k_decode(k_encode(x, format), format);
}

/* One parameter's Delta with every constant, operation and state in `format`. */
K_FN float k_delta_low(const struct k_rule *r, float g, float *first, float *second, enum format_id format)
{
    float lr = k_round(r->lr, format);
    if (r->optimizer == OPTIMIZER_SGD)
        return k_round(lr * g, format);
    if (r->optimizer == OPTIMIZER_MOMENTUM) {
        *first = k_round(k_round(k_round(r->momentum, format) * *first, format) + g, format);
        return k_round(lr * *first, format);
    }
    float kept = k_round(k_round(r->beta1, format) * *first, format);
    *first = k_round(kept + k_round(k_round(r->one_minus_beta1, format) * g, format), format);
    float kept_square = k_round(k_round(r->beta2, format) * *second, format);
    float square = k_round(g * g, format);
    *second = k_round(kept_square + k_round(k_round(r->one_minus_beta2, format) * square, format), format);
    float mean = k_round(*first / k_round(r->correction1, format), format);
    float root = k_round(sqrtf(k_round(*second / k_round(r->correction2, format), format)), format);
    float denominator = k_round(root + k_round(r->epsilon, format), format);
    return k_round(lr * k_round(mean / denominator, format), format);
}

K_FN void update_low(const struct update_args *a, long tile, enum format_id format)
{
    struct k_params p = k_params_of(a->blocks, tile);
    if (a->state->found_inf || p.n == 0)
        return;
    struct k_rule rule = k_rule_of(a);
    float delta[K_PARAM];
    K_LANES (i, p.n) {
        long j = p.first + i;
        float first = k_load(a->first_moment, j, format);
        float second = k_load(a->second_moment, j, format);
        delta[i] = k_delta_low(&rule, k_load(a->gradients, j, format), &first, &second, format);
        k_store_bits(a->first_moment, j, k_encode(first, format), format);
        k_store_bits(a->second_moment, j, k_encode(second, format), format);
    }
    k_apply(a, &p, delta, format);
    k_count_updates(a, &p, format);
}

K_EACH_FORMAT(update, update_args, k_param_tiles(a->block_count))
K_EACH_FORMAT(update_low, update_args, k_param_tiles(a->block_count))

#endif
