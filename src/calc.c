/* calc.c: runs an expression in a format, one kernel launch an operation. */
#include "calc_internal.h"
#include "kernels/random.k.h"
#include "probe_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALC_STREAM = 0x63616c63 }; /* of its random words */

const char *const calc_op_names[ARITHMETIC_OP_COUNT] = {
    [ARITHMETIC_ADD] = "+",    [ARITHMETIC_SUBTRACT] = "-", [ARITHMETIC_MULTIPLY] = "*",
    [ARITHMETIC_DIVIDE] = "/", [ARITHMETIC_FMA] = "fma",    [ARITHMETIC_SQRT] = "sqrt",
};

int calc_operands(enum arithmetic_op op)
{
    return op == ARITHMETIC_FMA ? 3 : op == ARITHMETIC_SQRT ? 1 : 2;
}

static void bind(void *args, const void *in, void *out)
{
    struct arithmetic_args *a = args;
    a->in = in;
    a->out = out;
}

bool calc_operate(struct device *d, enum arithmetic_op op, const uint32_t operand[3], uint32_t random,
                  const struct format *f, const struct probe_policy *policy, struct round_output *out,
                  struct exact_error *error)
{
    struct arithmetic_input in = {operand[0], operand[1], operand[2], random};
    struct arithmetic_args args = {
        .n = 1, .rule = probe_rule(f, policy), .op = (int32_t)op, .operands_are_zero = policy->daz};
    struct probe_launch launch = {bind, &args, &in, out, sizeof in, sizeof *out};
    return probe_launch(d, KERNEL_arithmetic, &launch, error);
}

uint32_t calc_random(const struct probe_policy *policy, const struct format *f, size_t step)
{
    struct k_random_key key = k_random_key(policy->seed, CALC_STREAM, (uint64_t)f->key);
    return k_random_word(key, (uint32_t)step);
}

/* ---- one step ---- */

struct run {
    struct device *device;
    const struct format *format;
    const struct probe_policy *policy;
    struct calc_result *result;
    size_t room;
    struct exact_error *error;
};

static bool out_of_memory(const struct run *r)
{
    return probe_fail(r->error, "out of memory");
}

/* x rounded to the format under the policy of the run. */
static bool round_last(const struct run *r, const struct exact *x, uint32_t random, uint32_t *bits)
{
    struct round_input in = probe_input(x);
    struct round_output out;
    struct round_rule rule = probe_rule(r->format, r->policy);
    in.random = random;
    if (!probe_round_inputs(r->device, &in, &out, 1, &rule, r->error))
        return false;
    *bits = out.bits;
    return true;
}

/* The same operation in FP32, whose result is then rounded to the format. */
static bool through_fp32(const struct run *r, struct calc_step *s, uint32_t random)
{
    const struct format *fp32 = &format_table[FORMAT_FP32];
    const struct probe_policy nearest = {.mode = ROUND_RNE};
    uint32_t operand[3] = {0, 0, 0};
    struct round_output wide;
    bool done = true;
    for (int i = 0; i < calc_operands(s->op) && done; i++) {
        struct exact *x = exact_from_bits(r->format, s->operand[i]);
        done = x ? probe_round_one(r->device, x, fp32, ROUND_RNE, &operand[i], r->error) : out_of_memory(r);
        exact_free(x);
    }
    if (!done || !calc_operate(r->device, s->op, operand, 0, fp32, &nearest, &wide, r->error))
        return false;
    struct exact *x = exact_from_bits(fp32, wide.bits);
    done = x ? round_last(r, x, random, &s->via_fp32) : out_of_memory(r);
    exact_free(x);
    s->differs_via_fp32 = done && s->via_fp32 != s->bits;
    return done;
}

/* The exact result to the nearest double first.  Square roots are left out: with 53 bits, more than twice 24,
 * they never differ (Figueroa 1995). */
static bool through_fp64(const struct run *r, struct calc_step *s, uint32_t random)
{
    struct exact *x = exact_from_double(exact_to_double(s->exact));
    bool done = x ? round_last(r, x, random, &s->via_fp64) : out_of_memory(r);
    exact_free(x);
    s->differs_via_fp64 = done && s->via_fp64 != s->bits;
    return done;
}

static bool is_nan(const struct format *f, uint32_t bits)
{
    return format_classify(f, bits) >= CLASS_QUIET_NAN;
}

/* The exact result, where it lies, and what double rounding would do. */
static bool describe(const struct run *r, struct calc_step *s, uint32_t random)
{
    struct exact *x[3] = {NULL, NULL, NULL};
    int count = calc_operands(s->op);
    bool done = true;
    for (int i = 0; i < count; i++) {
        x[i] = exact_from_bits(r->format, s->operand[i]);
        done = done && x[i];
    }
    if (!done)
        out_of_memory(r);
    const struct exact *operands[3] = {x[0], x[1], x[2]};
    s->exact = done ? calc_apply(s->op, operands) : NULL;
    bool root = done && s->op == ARITHMETIC_SQRT && !s->exact && exact_kind(x[0]) == EXACT_FINITE &&
                !exact_sign(x[0]);
    s->has_tie = s->exact || root;
    if (root) {
        s->irrational = true;
        s->approximate = sqrt(exact_to_double(x[0]));
        s->tie = exact_tie_wide(exact_sqrt_wide(x[0]), r->format);
    } else if (s->exact) {
        s->tie = exact_tie(s->exact, r->format);
    }
    bool zero =
        s->exact && exact_is_zero(s->exact); /* no rounding, and the sign of zero is no exact value's */
    if (done && s->has_tie && !zero)
        done = through_fp32(r, s, random);
    if (done && s->exact && !zero)
        done = through_fp64(r, s, random);
    for (int i = 0; i < count; i++)
        exact_free(x[i]);
    return done;
}

/* Why a result has no code: the words of probe_fits, with the operation. */
static enum calc_status no_value(const struct run *r, const struct calc_step *s)
{
    const char *what = s->flags & FLAG_INVALID || !format_has_nan(r->format) ? "NaN"
                       : s->exact && exact_is_zero(s->exact)                 ? "zero"
                                                                             : "negative values";
    r->error->column = 0;
    snprintf(r->error->message, sizeof r->error->message, "%s has no %s, which '%s' gives here",
             r->format->name, what, calc_op_names[s->op]);
    return CALC_NO_VALUE;
}

static enum calc_status do_step(struct run *r, enum arithmetic_op op, const uint32_t *operand, uint32_t *bits)
{
    struct calc_result *result = r->result;
    if (result->count == r->room) {
        size_t room = r->room ? 2 * r->room : 8;
        struct calc_step *steps = realloc(result->steps, room * sizeof *steps);
        if (!steps) {
            out_of_memory(r);
            return CALC_FAILED;
        }
        result->steps = steps;
        r->room = room;
    }
    struct calc_step *s = &result->steps[result->count];
    uint32_t random = calc_random(r->policy, r->format, result->count);
    struct round_output out;
    *s = (struct calc_step){.op = op};
    for (int i = 0; i < calc_operands(op); i++)
        s->operand[i] = operand[i];
    if (!calc_operate(r->device, op, s->operand, random, r->format, r->policy, &out, r->error))
        return CALC_FAILED;
    s->bits = *bits = out.bits;
    s->flags = out.flags;
    result->count++;
    if (!describe(r, s, random))
        return CALC_FAILED;
    if (is_nan(r->format, s->bits))
        s->differs_via_fp32 = s->differs_via_fp32 && !is_nan(r->format, s->via_fp32);
    return out.flags & FLAG_NO_VALUE ? no_value(r, s) : CALC_DONE;
}

/* ---- the whole ---- */

static enum calc_status round_operand(const struct run *r, struct exact *x, uint32_t index, uint32_t *bits)
{
    struct bits_result rounded;
    struct probe_policy policy = *r->policy;
    policy.first = index;
    if (!probe_fits(x, r->format, r->error))
        return CALC_NO_VALUE;
    if (!probe_round(r->device, &x, 1, r->format, &policy, &rounded, r->error))
        return CALC_FAILED;
    *bits = rounded.bits;
    bits_result_clear(&rounded);
    return CALC_DONE;
}

/* x^n by repeated multiplication, and 1 over it for n < 0. */
static enum calc_status do_power(struct run *r, int n, uint32_t *bits)
{
    uint32_t one;
    struct exact *x = exact_from_double(1);
    enum calc_status status = x ? round_operand(r, x, 0, &one) : CALC_FAILED;
    exact_free(x);
    uint32_t power = n ? *bits : one;
    for (int i = 1; i < abs(n) && status == CALC_DONE; i++)
        status = do_step(r, ARITHMETIC_MULTIPLY, (uint32_t[]){power, *bits}, &power);
    if (n < 0 && status == CALC_DONE)
        status = do_step(r, ARITHMETIC_DIVIDE, (uint32_t[]){one, power}, &power);
    *bits = power;
    return status;
}

static enum calc_status negate(const struct run *r, uint32_t *bits)
{
    if (!format_has_sign(r->format)) {
        snprintf(r->error->message, sizeof r->error->message, "%s has no negative values", r->format->name);
        return CALC_NO_VALUE;
    }
    *bits ^= (uint32_t)format_sign_bit(r->format);
    return CALC_DONE;
}

static enum calc_status evaluate(struct run *r, const struct calc *c, uint32_t *stack)
{
    enum calc_status status = CALC_DONE;
    size_t n = 0;
    for (size_t i = 0; i < c->count && status == CALC_DONE; i++) {
        const struct calc_node *node = &c->nodes[i];
        size_t taken = node->kind == CALC_OPERATION ? (size_t)calc_operands(node->op) : 1;
        switch (node->kind) {
        case CALC_OPERAND:
            status = round_operand(r, node->value, (uint32_t)i, &stack[n++]);
            break;
        case CALC_NEGATE:
            status = negate(r, &stack[n - 1]);
            break;
        case CALC_POWER:
            status = do_power(r, node->power, &stack[n - 1]);
            break;
        case CALC_OPERATION:
            n -= taken;
            status = do_step(r, node->op, &stack[n], &stack[n]);
            n++;
            break;
        }
    }
    return status;
}

static bool finish(const struct run *r, const struct exact *exact, uint32_t bits)
{
    struct calc_result *out = r->result;
    out->bits = bits;
    out->value = exact_from_bits(r->format, bits);
    if (out->value && exact && exact_kind(exact) == EXACT_FINITE && exact_kind(out->value) == EXACT_FINITE)
        out->error = exact_subtract(out->value, exact);
    return out->value || out_of_memory(r);
}

enum calc_status calc_run(struct device *d, const struct calc *c, const struct exact *exact,
                          const struct format *f, const struct probe_policy *policy, struct calc_result *out,
                          struct exact_error *error)
{
    struct run r = {.device = d, .format = f, .policy = policy, .result = out, .error = error};
    uint32_t *stack =
        calloc(c->count + 2, sizeof *stack); /* the last operation may look beyond its operands */
    *out = (struct calc_result){.format = f};
    *error = (struct exact_error){0};
    enum calc_status status = stack ? evaluate(&r, c, stack) : CALC_FAILED;
    if (!stack)
        out_of_memory(&r);
    if (status == CALC_DONE && !finish(&r, exact, stack[0]))
        status = CALC_FAILED;
    free(stack);
    if (status != CALC_DONE)
        calc_result_clear(out);
    return status;
}

void calc_result_clear(struct calc_result *r)
{
    for (size_t i = 0; i < r->count; i++)
        exact_free(r->steps[i].exact);
    free(r->steps);
    exact_free(r->value);
    exact_free(r->error);
    *r = (struct calc_result){.format = r->format};
}
