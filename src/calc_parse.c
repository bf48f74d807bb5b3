/* calc_parse.c: the grammar of EXPR, and its exact value. */
#include "calc_internal.h"
#include "exact_parser.h"

#include <stdlib.h>
#include <string.h>

struct parser {
    struct exact_parser p;
    struct calc *c;
    size_t steps;
};

static bool fail(struct parser *x, size_t column, const char *message)
{
    exact_fail(&x->p, column, "%s", message);
    return false;
}

static struct calc_node *last(struct parser *x)
{
    return &x->c->nodes[x->c->count - 1];
}

/* Takes over the node's value. */
static bool push(struct parser *x, size_t column, struct calc_node node, size_t steps)
{
    x->steps += steps;
    if (x->c->count == CALC_NODES || x->steps > CALC_STEPS) {
        exact_free(node.value);
        return fail(x, column, "more than 1024 operations");
    }
    x->c->nodes[x->c->count++] = node;
    return true;
}

static bool push_operation(struct parser *x, size_t column, enum arithmetic_op op)
{
    return push(x, column, (struct calc_node){.kind = CALC_OPERATION, .op = op}, 1);
}

static bool parse_sum(struct parser *x);
static bool parse_factor(struct parser *x);

/* What is wrong after an operand that neither ends here nor goes on. */
static bool unexpected(struct parser *x)
{
    char c = exact_peek(&x->p), before = x->p.at > 0 ? x->p.text[x->p.at - 1] : '\0';
    bool apart = before == ' ' || before == ')';
    return fail(x, x->p.at,
                c == ')' ? "unbalanced parenthesis"
                : c == '(' || (apart && (exact_is_digit(c) || exact_is_letter(c) || c == '.'))
                    ? "an operator is missing"
                    : "not a number");
}

/* The arguments of a function and its closing parenthesis. */
static bool parse_arguments(struct parser *x, size_t open, int count)
{
    if (++x->p.depth > CALC_DEPTH) {
        return fail(x, open, "nested too deeply");
    }
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            if (exact_peek(&x->p) != ',') {
                return exact_peek(&x->p) && exact_peek(&x->p) != ')'
                           ? unexpected(x)
                           : fail(x, x->p.at, "fma takes three arguments");
            }
            x->p.at++;
        }
        if (!parse_sum(x)) {
            return false;
        }
    }
    if (exact_peek(&x->p) != ')') {
        return exact_peek(&x->p) == ',' ? fail(x, x->p.at, "too many arguments")
               : exact_peek(&x->p)      ? unexpected(x)
                                        : fail(x, open, "unbalanced parenthesis");
    }
    x->p.at++;
    x->p.depth--;
    return true;
}

/* Whether a function's name and its parenthesis come next; moves over them. */
static bool take_function(struct parser *x, const char *name)
{
    const char *text = x->p.text + x->p.at;
    size_t n = strlen(name);
    if (strncasecmp(text, name, n) != 0) {
        return false;
    }
    while (text[n] == ' ') {
        n++;
    }
    if (text[n] != '(') {
        return false;
    }
    x->p.at += n + 1;
    return true;
}

static bool parse_primary(struct parser *x)
{
    size_t start = x->p.at;
    if (take_function(x, "fma")) {
        return parse_arguments(x, start, 3) && push_operation(x, start, ARITHMETIC_FMA);
    }
    if (take_function(x, "sqrt")) {
        return parse_arguments(x, start, 1) && push_operation(x, start, ARITHMETIC_SQRT);
    }
    if (exact_peek(&x->p) == '(') {
        x->p.at++;
        return parse_arguments(x, start, 1);
    }
    struct exact *value = exact_parse_atom(&x->p);
    return value && push(x, start, (struct calc_node){.kind = CALC_OPERAND, .value = value}, 0);
}

/* base ^ exponent with both in place at the top of the nodes; `start` is where the base begins. */
static bool apply_power(struct parser *x, size_t start, size_t before, size_t exponent_at)
{
    struct calc_node *exponent = last(x);
    bool simple = x->c->count == before + 2 && exponent->kind == CALC_OPERAND;
    if (simple && x->c->nodes[before].kind == CALC_OPERAND) {
        /* Numbers alone: one operand, which exact_parse evaluates within its own limits. */
        size_t length = x->p.at - start;
        char *text = malloc(length + 1);
        if (!text) {
            return fail(x, start, "out of memory");
        }
        memcpy(text, x->p.text + start, length);
        text[length] = '\0';
        struct exact *value = exact_parse(text, x->p.error);
        free(text);
        if (!value) {
            x->p.error->column += start;
            return false;
        }
        exact_free(exponent->value);
        exact_free(x->c->nodes[before].value);
        x->c->count = before + 1;
        x->c->nodes[before].value = value;
        return true;
    }
    double power = exponent->kind == CALC_OPERAND ? exact_to_double(exponent->value) : 0.5;
    if (power != (int)(power > 1000 || power < -1000 ? 0 : power) && !(power > 1000 || power < -1000)) {
        return fail(x, exponent_at, "the exponent is not an integer");
    }
    if (!(power >= -CALC_POWER_LIMIT && power <= CALC_POWER_LIMIT)) {
        return fail(x, exponent_at, "more than 256 multiplications");
    }
    exact_free(exponent->value);
    x->c->count--;
    size_t steps = (size_t)(power < 0 ? -power + 1 : power);
    return push(x, exponent_at, (struct calc_node){.kind = CALC_POWER, .power = (int)power}, steps);
}

/* Changes the sign of the top of the nodes. */
static bool apply_minus(struct parser *x, size_t column, size_t before)
{
    struct calc_node *node = last(x);
    if (x->c->count != before + 1 || node->kind != CALC_OPERAND) {
        return push(x, column, (struct calc_node){.kind = CALC_NEGATE}, 0);
    }
    struct exact *value = exact_negate(node->value);
    exact_free(node->value);
    node->value = value;
    if (!value) {
        x->c->count--;
        return fail(x, column, "out of memory");
    }
    return true;
}

static bool parse_factor(struct parser *x)
{
    bool negative = false;
    for (exact_skip_spaces(&x->p); exact_peek(&x->p) == '+' || exact_peek(&x->p) == '-';
         exact_skip_spaces(&x->p)) {
        negative ^= exact_peek(&x->p) == '-';
        x->p.at++;
    }
    size_t start = x->p.at, before = x->c->count;
    if (!parse_primary(x)) {
        return false;
    }
    exact_skip_spaces(&x->p);
    if (exact_peek(&x->p) == '^') {
        size_t caret = x->p.at++;
        exact_skip_spaces(&x->p);
        size_t exponent = x->p.at;
        if (++x->p.depth > CALC_DEPTH) {
            return fail(x, caret, "nested too deeply");
        }
        if (!parse_factor(x) || !apply_power(x, start, before, exponent)) {
            return false;
        }
        x->p.depth--;
    }
    return !negative || apply_minus(x, start, before);
}

/* { operand operator }, from left to right. */
static bool parse_chain(struct parser *x, bool (*operand)(struct parser *), char first,
                        enum arithmetic_op first_op, char second, enum arithmetic_op second_op)
{
    if (!operand(x)) {
        return false;
    }
    for (exact_skip_spaces(&x->p); exact_peek(&x->p) == first || exact_peek(&x->p) == second;
         exact_skip_spaces(&x->p)) {
        size_t column = x->p.at;
        enum arithmetic_op op = exact_peek(&x->p) == first ? first_op : second_op;
        x->p.at++;
        if (!operand(x) || !push_operation(x, column, op)) {
            return false;
        }
    }
    return true;
}

static bool parse_product(struct parser *x)
{
    return parse_chain(x, parse_factor, '*', ARITHMETIC_MULTIPLY, '/', ARITHMETIC_DIVIDE);
}

static bool parse_sum(struct parser *x)
{
    return parse_chain(x, parse_product, '+', ARITHMETIC_ADD, '-', ARITHMETIC_SUBTRACT);
}

void calc_free(struct calc *c)
{
    for (size_t i = 0; c && i < c->count; i++) {
        exact_free(c->nodes[i].value);
    }
    free(c);
}

struct calc *calc_parse(const char *text, struct exact_error *error)
{
    struct parser x = {.p = {.text = text, .error = error}, .c = calloc(1, sizeof *x.c)};
    *error = (struct exact_error){0};
    exact_skip_spaces(&x.p);
    bool done = x.c ? exact_peek(&x.p) || fail(&x, x.p.at, "empty") : fail(&x, 0, "out of memory");
    done = done && parse_sum(&x);
    if (done && exact_peek(&x.p)) {
        done = unexpected(&x);
    }
    if (!done) {
        calc_free(x.c);
        return NULL;
    }
    return x.c;
}

/* ---- the exact value ---- */

static struct exact *apply_fma(const struct exact *const operand[3])
{
    struct exact *product = exact_multiply(operand[0], operand[1]);
    struct exact *sum = product ? exact_add(product, operand[2]) : NULL;
    exact_free(product);
    return sum;
}

struct exact *calc_apply(enum arithmetic_op op, const struct exact *const operand[3])
{
    for (int i = 0; i < calc_operands(op); i++) {
        if (!operand[i] || exact_kind(operand[i]) != EXACT_FINITE) {
            return NULL;
        }
    }
    switch (op) {
    case ARITHMETIC_ADD:
        return exact_add(operand[0], operand[1]);
    case ARITHMETIC_SUBTRACT:
        return exact_subtract(operand[0], operand[1]);
    case ARITHMETIC_MULTIPLY:
        return exact_multiply(operand[0], operand[1]);
    case ARITHMETIC_DIVIDE:
        return exact_is_zero(operand[1]) ? NULL : exact_divide(operand[0], operand[1]);
    case ARITHMETIC_FMA:
        return apply_fma(operand);
    default:
        return exact_sqrt(operand[0]);
    }
}

/* Nominal nanoseconds of an operation: products are nearly linear in the bits, common divisors quadratic. */
static int64_t cost_of(const struct exact *const operand[3], int count)
{
    int64_t bits = 0;
    for (int i = 0; i < count; i++) {
        for (int t = 0; operand[i] && t < operand[i]->count; t++) {
            bits += exact_term_size(&operand[i]->term[t]) < (1 << 24) ? exact_term_size(&operand[i]->term[t])
                                                                      : 1000;
        }
    }
    return 2000 + bits * 10 + bits * bits / 5000;
}

static void replace_top(struct exact **stack, size_t *n, int taken, struct exact *value)
{
    for (int i = 0; i < taken; i++) {
        exact_free(stack[--*n]);
    }
    stack[(*n)++] = value;
}

struct exact *calc_exact(const struct calc *c)
{
    enum { WORK_LIMIT = 80 * 1000 * 1000 };
    struct exact **stack = calloc(c->count + 1, sizeof *stack);
    size_t n = 0;
    int64_t work = 0;
    for (size_t i = 0; stack && i < c->count; i++) {
        const struct calc_node *node = &c->nodes[i];
        struct exact *value = NULL;
        int taken = node->kind == CALC_OPERAND     ? 0
                    : node->kind == CALC_OPERATION ? calc_operands(node->op)
                                                   : 1;
        const struct exact *operand[3] = {NULL, NULL, NULL};
        for (int k = 0; k < taken; k++) {
            operand[k] = stack[n - (size_t)(taken - k)];
        }
        work += cost_of(operand, taken);
        if (node->kind == CALC_OPERAND) {
            value = exact_copy(node->value);
        } else if (node->kind == CALC_NEGATE) {
            value = operand[0] ? exact_negate(operand[0]) : NULL;
        } else if (node->kind == CALC_POWER && operand[0] && exact_kind(operand[0]) == EXACT_FINITE) {
            mpz_t power;
            mpz_init_set_si(power, node->power);
            bool fits = exact_exponent(operand[0]) != 0 || !exact_is_zero(operand[0]) || node->power >= 0;
            value = fits && work <= WORK_LIMIT ? exact_power(operand[0], power) : NULL;
            mpz_clear(power);
        } else if (node->kind == CALC_OPERATION && work <= WORK_LIMIT) {
            value = calc_apply(node->op, operand);
        }
        replace_top(stack, &n, taken, value);
    }
    struct exact *value = n ? stack[0] : NULL;
    free(stack);
    /* A value without arithmetic may be infinite or a NaN, which is no value of an expression with any. */
    if (value && exact_kind(value) != EXACT_FINITE && c->count > 1) {
        exact_free(value);
        value = NULL;
    }
    return value;
}
