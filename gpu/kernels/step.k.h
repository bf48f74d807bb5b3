/* step.k.h: the single-tile kernels that carry a run's state from step to step, among them the loss scaler.
 */
#ifndef ULPSCOPE_KERNELS_STEP
#define ULPSCOPE_KERNELS_STEP

#include "number.k.h"

K_FN void begin_step_body(const struct step_args *a)
{
    struct run_state *s = a->state;
    s->found_inf = 0;
    s->used_scale = a->settings->scaler == SCALER_NONE ? 1.0f : s->scale;
    s->inverse_scale = k_canonical((float)(1.0 / (double)s->used_scale));
    s->steps++;
    for (long i = 0; i < a->counter_words; i++)
        a->counters[i] = 0;
}

/* The gradient that backpropagation starts from: the loss is mean x loss weight x S. */
K_FN void scale_loss_body(const struct step_args *a)
{
    float scaled = a->state->used_scale * a->settings->loss_weight;
    a->state->loss_gradient = k_canonical(scaled / (float)a->terms);
}

/* PyTorch's GradScaler.update (torch/cuda/amp: _amp_update_scale_): factors multiply in double and round once
 * to FP32; growth happens when the tracker equals the interval, and not to infinity.  A fixed scale stays as
 * it is. */
K_FN void rescale_body(const struct step_args *a)
{
    struct run_state *s = a->state;
    const struct run_settings *rule = a->settings;
    s->action = ACTION_HOLD;
    if (!s->found_inf) {
        s->updates++;
        s->beta1_power *= (double)rule->beta1;
        s->beta2_power *= (double)rule->beta2;
    }
    if (rule->scaler != SCALER_DYNAMIC)
        return;
    if (s->found_inf) {
        s->scale = k_canonical((float)((double)s->scale * rule->backoff));
        s->tracker = 0;
        s->action = ACTION_BACKOFF;
    } else if (s->tracker + 1 == rule->growth_interval) {
        float grown = (float)((double)s->scale * rule->growth);
        s->action = k_is_finite(grown) ? ACTION_GROW : ACTION_REFUSE;
        s->scale = k_is_finite(grown) ? grown : s->scale;
        s->tracker = 0;
    } else {
        s->tracker++;
    }
}

K_DEFINE(begin_step, step_args, 1, begin_step_body(a))
K_DEFINE(scale_loss, step_args, 1, scale_loss_body(a))
K_DEFINE(rescale, step_args, 1, rescale_body(a))

#endif
