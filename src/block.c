/* block.c: shared scales, and elements rounded under them. */
#include "block.h"
#include "kernels/random.k.h"
#include "probe_device.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_STREAM = 0x626c6f63 }; /* of its random words */

const struct block_format block_format_table[BLOCK_FORMATS] = {
    {"mxfp8e4m3", "MXFP8 (E4M3)", "mxfp8 mxfp8_e4m3", FORMAT_E4M3, FORMAT_E8M0, 32, BLOCK_MX},
    {"mxfp8e5m2", "MXFP8 (E5M2)", "mxfp8_e5m2", FORMAT_E5M2, FORMAT_E8M0, 32, BLOCK_MX},
    {"mxfp6e3m2", "MXFP6 (E3M2)", "mxfp6_e3m2", FORMAT_E3M2, FORMAT_E8M0, 32, BLOCK_MX},
    {"mxfp6e2m3", "MXFP6 (E2M3)", "mxfp6 mxfp6_e2m3", FORMAT_E2M3, FORMAT_E8M0, 32, BLOCK_MX},
    {"mxfp4", "MXFP4 (E2M1)", "mxfp4e2m1 mxfp4_e2m1", FORMAT_E2M1, FORMAT_E8M0, 32, BLOCK_MX},
    {"nvfp4", "NVFP4 (E2M1)", "", FORMAT_E2M1, FORMAT_E4M3, 16, BLOCK_NV},
};

/* Whether `name` is one of the words of a list. */
static bool in_list(const char *name, const char *list)
{
    size_t n = strlen(name);
    for (const char *at = list; n > 0 && (at = strstr(at, name)) != NULL; at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

const struct block_format *block_find(const char *name)
{
    for (int i = 0; i < BLOCK_FORMATS; i++)
        if (strcmp(name, block_format_table[i].name) == 0 || in_list(name, block_format_table[i].aliases))
            return &block_format_table[i];
    return NULL;
}

/* |x|; NULL when memory runs out. */
static struct exact *magnitude(const struct exact *x)
{
    struct exact *zero = exact_from_double(0);
    struct exact *m = !zero ? NULL : exact_sign(x) ? exact_subtract(zero, x) : exact_add(zero, x);
    exact_free(zero);
    return m;
}

static struct exact *largest_of(struct exact *const *x, size_t n)
{
    struct exact *largest = magnitude(x[0]);
    for (size_t i = 1; i < n && largest; i++) {
        struct exact *m = magnitude(x[i]);
        bool larger = m && exact_compare(m, largest) > 0;
        exact_free(larger || !m ? largest : m);
        largest = larger || !m ? m : largest;
    }
    return largest;
}

/* What the rule rounds to the scale's format; *mode is how. */
static struct exact *scale_before_rounding(const struct block_format *b, const struct exact *largest,
                                           enum round_mode *mode)
{
    const struct format *element = &format_table[b->element];
    if (b->rule == BLOCK_MX) {
        *mode = ROUND_RTZ; /* e8m0 holds powers of two: toward zero is floor(log2) */
        return exact_scale(largest, -element->emax);
    }
    struct exact *most = exact_from_bits(element, format_max(element));
    struct exact *x = most ? exact_divide(largest, most) : NULL;
    exact_free(most);
    *mode = ROUND_RNE;
    return x;
}

static bool find_scale(struct device *d, const struct block_format *b, struct block_result *out,
                       struct exact_error *error)
{
    const struct format *f = &format_table[b->scale];
    struct probe_policy policy = {.saturate = true};
    struct exact *x = scale_before_rounding(b, out->largest, &policy.mode);
    struct round_input in;
    struct round_output rounded = {0, 0};
    bool done = x != NULL;
    /* A block of zeros has the smallest scale there is. */
    if (done && !exact_is_zero(x)) {
        struct round_rule rule = probe_rule(f, &policy);
        in = probe_input(x);
        done = probe_round_inputs(d, &in, &rounded, 1, &rule, error);
    } else if (!done) {
        probe_fail(error, "out of memory");
    }
    out->scale_bits = rounded.bits;
    out->scale = done ? exact_from_bits(f, rounded.bits) : NULL;
    exact_free(x);
    return done && (out->scale || probe_fail(error, "out of memory"));
}

/* The values divided by the scale, as the kernel takes them.  A scale that rounded to zero leaves zeros. */
static bool make_inputs(const struct block_format *b, struct exact *const *x,
                        const struct probe_policy *policy, const struct block_result *r,
                        struct round_input *in)
{
    struct k_random_key key = k_random_key(policy->seed, BLOCK_STREAM, (uint64_t)(b - block_format_table));
    for (size_t i = 0; i < r->count; i++) {
        in[i] = (struct round_input){.kind = ROUND_ZERO, .sign = exact_sign(x[i])};
        if (!exact_is_zero(r->scale) && !exact_is_zero(x[i])) {
            struct exact *scaled = exact_divide(x[i], r->scale);
            if (!scaled)
                return false;
            in[i] = probe_input(scaled);
            exact_free(scaled);
        }
        in[i].random = k_random_word(key, policy->first + (uint32_t)i);
        if (policy->random_bits)
            in[i].random >>= 32 - policy->random_bits;
    }
    return true;
}

static bool describe(const struct format *f, const struct exact *x, const struct exact *scale,
                     struct block_element *e)
{
    e->element = exact_from_bits(f, e->bits);
    bool zero = e->element && exact_is_zero(e->element); /* which keeps its sign */
    e->value = !e->element ? NULL : zero ? exact_copy(e->element) : exact_multiply(e->element, scale);
    e->error = e->value ? exact_subtract(e->value, x) : NULL;
    return e->error != NULL;
}

static bool round_elements(struct device *d, const struct block_format *b, struct exact *const *x,
                           const struct probe_policy *policy, struct block_result *out,
                           struct round_input *in, struct round_output *rounded, struct exact_error *error)
{
    const struct format *f = &format_table[b->element];
    struct probe_policy saturating = *policy;
    saturating.saturate = true;
    struct round_rule rule = probe_rule(f, &saturating);
    if (!make_inputs(b, x, policy, out, in))
        return probe_fail(error, "out of memory");
    if (!probe_round_inputs(d, in, rounded, out->count, &rule, error))
        return false;
    for (size_t i = 0; i < out->count; i++) {
        out->elements[i].bits = rounded[i].bits;
        out->elements[i].flags = rounded[i].flags;
        if (!describe(f, x[i], out->scale, &out->elements[i]))
            return probe_fail(error, "out of memory");
    }
    return true;
}

bool block_round(struct device *d, const struct block_format *b, struct exact *const *x, size_t n,
                 const struct probe_policy *policy, struct block_result *out, struct exact_error *error)
{
    *out = (struct block_result){.count = n};
    out->elements = calloc(n, sizeof *out->elements);
    out->largest = largest_of(x, n);
    struct round_input *in = calloc(n, sizeof *in);
    struct round_output *rounded = calloc(n, sizeof *rounded);
    bool done = out->elements && out->largest && in && rounded;
    if (!done)
        probe_fail(error, "out of memory");
    done = done && find_scale(d, b, out, error) && round_elements(d, b, x, policy, out, in, rounded, error);
    free(in);
    free(rounded);
    if (!done)
        block_clear(out);
    return done;
}

void block_clear(struct block_result *r)
{
    for (size_t i = 0; r->elements && i < r->count; i++) {
        exact_free(r->elements[i].element);
        exact_free(r->elements[i].value);
        exact_free(r->elements[i].error);
    }
    free(r->elements);
    exact_free(r->scale);
    exact_free(r->largest);
    *r = (struct block_result){0};
}
