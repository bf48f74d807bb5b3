/* probe.c: rounding exact values on a device. */
#include "probe.h"
#include "kernels/random.k.h"
#include "probe_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BITS_STREAM = 0x62697473 }; /* of the random words of `bits`: no kernel draws from it */

const struct round_mode_row round_mode_table[ROUND_MODE_COUNT] = {
    [ROUND_RNE] = {"rne", "roundTiesToEven"},     [ROUND_RNA] = {"rna", "roundTiesToAway"},
    [ROUND_RTZ] = {"rtz", "roundTowardZero"},     [ROUND_RUP] = {"rup", "roundTowardPositive"},
    [ROUND_RDN] = {"rdn", "roundTowardNegative"}, [ROUND_SR] = {"sr", "stochastic"},
};

const char *const nan_rule_names[NAN_RULE_COUNT] = {
    [NAN_RULE_OWN] = "ours", [NAN_RULE_CUDA] = "cuda", [NAN_RULE_X86] = "x86"};

bool round_mode_find(const char *name, enum round_mode *mode)
{
    for (int i = 0; i < ROUND_MODE_COUNT; i++) {
        if (strcmp(name, round_mode_table[i].name) == 0) {
            *mode = (enum round_mode)i;
            return true;
        }
    }
    return false;
}

bool probe_fail(struct exact_error *error, const char *message)
{
    error->column = 0;
    snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

bool probe_launch(struct device *d, enum kernel_id kernel, struct probe_launch *l, struct exact_error *error)
{
    void *in = device_alloc(d, l->in_bytes);
    void *out = device_alloc(d, l->out_bytes);
    bool done = in && out;
    if (done) {
        l->bind(l->args, in, out);
        done = device_upload(d, in, l->in, l->in_bytes) && device_launch(d, kernel, l->args) &&
               device_download(d, l->out, out, l->out_bytes);
    }
    device_release(d, in);
    device_release(d, out);
    return done || probe_fail(error, device_error(d));
}

static void bind_round(void *args, const void *in, void *out)
{
    struct round_args *a = args;
    a->in = in;
    a->out = out;
}

struct round_rule probe_rule(const struct format *f, const struct probe_policy *policy)
{
    return (struct round_rule){
        .exponent_bits = f->exponent_bits,
        .trailing_bits = f->trailing_bits,
        .specials = (int32_t)f->specials,
        .mode = (int32_t)policy->mode,
        .saturate = policy->saturate,
        .flush = policy->ftz,
        .nan = (int32_t)policy->nan,
        .random_bits = policy->random_bits,
    };
}

bool probe_round_inputs(struct device *d, const struct round_input *in, struct round_output *out, size_t n,
                        const struct round_rule *rule, struct exact_error *error)
{
    struct round_args args = {.n = (long)n, .rule = *rule};
    struct probe_launch launch = {bind_round, &args, in, out, n * sizeof *in, n * sizeof *out};
    return probe_launch(d, KERNEL_round_wide, &launch, error);
}

struct round_input probe_input(const struct exact *x)
{
    struct round_input in = {.sign = exact_sign(x)};
    if (exact_kind(x) == EXACT_NAN) {
        in.kind = ROUND_NAN;
        in.significand = exact_nan_payload(x);
    } else if (exact_kind(x) == EXACT_INFINITE) {
        in.kind = ROUND_INFINITE;
    } else if (exact_is_zero(x)) {
        in.kind = ROUND_ZERO;
    } else {
        struct exact_wide wide = exact_to_wide(x);
        in.kind = ROUND_FINITE;
        in.significand = wide.significand;
        in.exponent = wide.exponent;
    }
    return in;
}

bool probe_round_one(struct device *d, const struct exact *x, const struct format *f, enum round_mode mode,
                     uint32_t *bits, struct exact_error *error)
{
    struct round_input in = probe_input(x);
    struct round_output out;
    struct probe_policy policy = {.mode = mode};
    struct round_rule rule = probe_rule(f, &policy);
    if (!probe_round_inputs(d, &in, &out, 1, &rule, error))
        return false;
    *bits = out.bits;
    return true;
}

bool probe_fits(const struct exact *x, const struct format *f, struct exact_error *error)
{
    bool is_nan = exact_kind(x) == EXACT_NAN;
    const char *lacks = is_nan && !format_has_nan(f)                           ? "NaN"
                        : !is_nan && !format_has_zero(f) && exact_is_zero(x)   ? "zero"
                        : !is_nan && !format_has_sign(f) && exact_sign(x) != 0 ? "negative values"
                                                                               : NULL;
    error->column = 0;
    if (lacks)
        snprintf(error->message, sizeof error->message, "%s has no %s", f->name, lacks);
    return !lacks;
}

/* Everything that follows from the exact value and the encoding. */
static bool describe(const struct exact *x, struct bits_result *r)
{
    const struct format *f = r->format;
    r->class = format_classify(f, r->bits);
    r->value = exact_from_bits(f, r->bits);
    r->has_up = format_next_up(f, r->bits, &r->up);
    r->has_down = format_next_down(f, r->bits, &r->down);
    if (!r->value)
        return false;
    if (exact_kind(x) != EXACT_FINITE)
        return true;
    r->has_tie = true;
    r->tie = exact_tie(x, f);
    r->ulp = exact_ulp(x, f);
    if (!r->ulp)
        return false;
    if (exact_kind(r->value) == EXACT_FINITE) {
        r->error = exact_subtract(r->value, x);
        if (!r->error)
            return false;
        r->error_ulp = exact_ratio(r->error, r->ulp);
    }
    return true;
}

static bool round_all(struct device *d, struct exact *const *x, size_t n, const struct probe_policy *policy,
                      struct round_input *in, struct round_output *out, struct bits_result *results,
                      struct exact_error *error)
{
    const struct format *f = results[0].format;
    struct k_random_key key = k_random_key(policy->seed, BITS_STREAM, (uint64_t)f->key);
    struct round_rule rule = probe_rule(f, policy);
    for (size_t i = 0; i < n; i++) {
        if (!probe_fits(x[i], f, error))
            return false;
        in[i] = probe_input(x[i]);
        if (policy->daz && exact_typed_subnormal(x[i]) && format_has_zero(f))
            in[i].kind = ROUND_ZERO;
        in[i].random = k_random_word(key, policy->first + (uint32_t)i);
        if (policy->random_bits)
            in[i].random >>= 32 - policy->random_bits;
    }
    if (!probe_round_inputs(d, in, out, n, &rule, error))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct format *typed;
        uint64_t typed_bits;
        results[i].bits = out[i].bits;
        results[i].flags = out[i].flags;
        if (exact_typed_bits(x[i], &typed, &typed_bits) && typed == f) {
            results[i].bits = (uint32_t)typed_bits;
            results[i].flags = 0;
        }
        if (!describe(x[i], &results[i]))
            return probe_fail(error, "out of memory");
    }
    return true;
}

bool probe_round(struct device *d, struct exact *const *x, size_t n, const struct format *f,
                 const struct probe_policy *policy, struct bits_result *out, struct exact_error *error)
{
    if (n == 0)
        return true;
    struct round_input *in = calloc(n, sizeof *in);
    struct round_output *rounded = calloc(n, sizeof *rounded);
    for (size_t i = 0; i < n; i++)
        out[i] = (struct bits_result){.format = f};
    bool done = in && rounded ? round_all(d, x, n, policy, in, rounded, out, error)
                              : probe_fail(error, "out of memory");
    free(in);
    free(rounded);
    for (size_t i = 0; i < n && !done; i++)
        bits_result_clear(&out[i]);
    return done;
}

void bits_result_clear(struct bits_result *r)
{
    exact_free(r->value);
    exact_free(r->error);
    exact_free(r->ulp);
    r->value = r->error = r->ulp = NULL;
}
