/* exact_parse.c: the VALUE grammar, evaluated exactly.
 *
 *   value   = { sign } special | sum             special: inf, infinity, nan, bits, zeros
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }
 *   factor  = { sign } power
 *   power   = primary [ "^" factor ]             right to left: -2^2 = -4, 2^-2^2 = 2^-4
 *   primary = "(" sum ")" | decimal | hex float | format ":" bits | format "." constant
 *
 * Every text ends in bounded time: depth, the size of every number and the work of all operations are
 * limited. */
#include "exact_parser.h"

#include <string.h>

enum {
    DEPTH_LIMIT = 1000,
    POWER_EXPONENT_LIMIT = 1 << 16, /* log2: 2^2^2^2^2^2 needs 2^65536 as an exponent */
    RESULT_SLACK = 1024,            /* more than any format's exponents and precision */
    TEXT_RANGE = 20001,
};

/* What is wrong with a character after an operand that is neither an operator nor the end. */
static struct exact *unexpected(struct exact_parser *p)
{
    char c = exact_peek(p), before = p->at > 0 ? p->text[p->at - 1] : '\0';
    if (c == ')') {
        return exact_fail(p, p->at, "unbalanced parenthesis");
    }
    bool apart = before == ' ' || before == ')';
    if (c == '(' || (apart && (exact_is_digit(c) || exact_is_letter(c) || c == '.'))) {
        return exact_fail(p, p->at, "an operator is missing");
    }
    return exact_fail(p, p->at, "not a number");
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Nominal nanoseconds of an operation on two terms, from measurements of GMP: additions are linear, products
 * nearly, greatest common divisors nearly quadratic; leading bits beside a huge power of 5 need its
 * logarithm. */
static int64_t cost_of(char op, const struct exact_term *s, const struct exact_term *t)
{
    int64_t sn = (int64_t)mpz_sizeinbase(s->n, 2), sd = (int64_t)mpz_sizeinbase(s->d, 2);
    int64_t tn = (int64_t)mpz_sizeinbase(t->n, 2), td = (int64_t)mpz_sizeinbase(t->d, 2);
    bool is_sum = op == '+' || op == '-';
    int64_t gcd = is_sum      ? 2 * least(sd, td)
                  : op == '*' ? least(sn, td) + least(tn, sd)
                              : least(sn, tn) + least(sd, td);
    int64_t cost = (sn + sd + tn + td) * (is_sum ? 1 : 5) + gcd * (10 + gcd / 10000);
    if (is_sum && (exact_term_size(s) > EXACT_SHIFT_LIMIT || exact_term_size(t) > EXACT_SHIFT_LIMIT)) {
        cost += 200000 + 1000 * (int64_t)(mpz_sizeinbase(s->e5, 2) + mpz_sizeinbase(t->e5, 2));
    }
    return cost;
}

/* Puts an operation's result in the place of its operands. */
static struct exact *apply(struct exact_parser *p, size_t column, char op, struct exact *a, struct exact *b)
{
    int64_t cost = 2000;
    for (int i = 0; i < a->count; i++) {
        for (int j = 0; j < b->count; j++) {
            cost += cost_of(op, &a->term[i], &b->term[j]);
        }
    }
    struct exact *x = NULL;
    if (op == '/' && exact_is_zero(b)) {
        exact_fail(p, column, "division by zero");
    } else if (exact_spend(p, column, cost)) {
        x = op == '+'   ? exact_add(a, b)
            : op == '-' ? exact_subtract(a, b)
            : op == '*' ? exact_multiply(a, b)
                        : exact_divide(a, b);
        if (!x) {
            exact_fail_too_large(p, column);
        }
    }
    exact_free(a);
    exact_free(b);
    return x;
}

/* The integer that an exponent stands for; false (and the error set) if it is none or too large. */
static bool exponent_value(struct exact_parser *p, size_t column, const struct exact *b, mpz_t k)
{
    mpz_set_ui(k, 0);
    if (b->count == 0) {
        return true;
    }
    const struct exact_term *t = &b->term[0];
    if (mpz_cmp_ui(t->d, 1) != 0 || mpz_sgn(t->e2) < 0 || mpz_sgn(t->e5) < 0) {
        exact_fail(p, column, "the exponent is not an integer");
        return false;
    }
    if (b->count > 1 || exact_exponent(b) > POWER_EXPONENT_LIMIT || !exact_term_floor(t, 0, k)) {
        exact_fail_too_large(p, column);
        return false;
    }
    if (mpz_sgn(t->n) < 0) {
        mpz_neg(k, k);
    }
    return true;
}

static struct exact *apply_power(struct exact_parser *p, size_t column, struct exact *a, struct exact *b)
{
    struct exact *x = NULL;
    mpz_t k;
    mpz_init(k);
    if (exponent_value(p, column, b, k)) {
        if (a->count == 0 && mpz_sgn(k) < 0) {
            exact_fail(p, column, "division by zero");
        } else {
            x = exact_power(a, k);
            int64_t size = x && x->count
                               ? (int64_t)(mpz_sizeinbase(x->term[0].n, 2) + mpz_sizeinbase(x->term[0].d, 2))
                               : 0;
            if (!x) {
                exact_fail_too_large(p, column);
            } else if (!exact_spend(p, column, 1000 + size * 10)) {
                exact_free(x);
                x = NULL;
            }
        }
    }
    mpz_clear(k);
    exact_free(a);
    exact_free(b);
    return x;
}

static struct exact *parse_sum(struct exact_parser *p);

static bool enter(struct exact_parser *p, size_t column)
{
    if (++p->depth > DEPTH_LIMIT) {
        exact_fail(p, column, "nested too deeply");
        return false;
    }
    return true;
}

static struct exact *parse_primary(struct exact_parser *p)
{
    size_t start = p->at;
    struct exact *x;
    if (exact_peek(p) == '(') {
        p->at++;
        x = enter(p, start) ? parse_sum(p) : NULL;
        p->depth--;
        if (x && exact_peek(p) != ')') {
            exact_free(x);
            return exact_peek(p) ? unexpected(p) : exact_fail(p, start, "unbalanced parenthesis");
        }
        p->at += x != NULL;
        return x;
    }
    x = exact_parse_atom(p);
    if (x && x->kind != EXACT_FINITE) {
        exact_free(x);
        return exact_fail(p, start, "no arithmetic on inf and nan");
    }
    if (x) {
        x->sign = 0; /* a zero inside an expression is +0 */
        x->typed = false;
    }
    return x;
}

static struct exact *parse_factor(struct exact_parser *p)
{
    bool negative = false;
    for (exact_skip_spaces(p); exact_peek(p) == '+' || exact_peek(p) == '-'; exact_skip_spaces(p)) {
        negative ^= exact_peek(p) == '-';
        p->at++;
    }
    struct exact *x = parse_primary(p);
    exact_skip_spaces(p);
    if (x && exact_peek(p) == '^') {
        size_t caret = p->at++;
        exact_skip_spaces(p);
        size_t start = p->at;
        struct exact *exponent = enter(p, caret) ? parse_factor(p) : NULL;
        p->depth--;
        if (!exponent) {
            exact_free(x);
            return NULL;
        }
        x = apply_power(p, start, x, exponent);
    }
    if (x && negative && x->count) {
        struct exact *opposite = exact_negate(x);
        exact_free(x);
        x = opposite ? opposite : exact_fail(p, p->at, "out of memory");
    }
    return x;
}

/* { operand operator }, from left to right. */
static struct exact *parse_chain(struct exact_parser *p, struct exact *(*operand)(struct exact_parser *),
                                 const char *operators)
{
    struct exact *x = operand(p);
    for (exact_skip_spaces(p); x && exact_peek(p) && strchr(operators, exact_peek(p)); exact_skip_spaces(p)) {
        char op = exact_peek(p);
        p->at++;
        exact_skip_spaces(p);
        size_t column = p->at;
        struct exact *right = operand(p);
        if (!right) {
            exact_free(x);
            return NULL;
        }
        x = apply(p, column, op, x, right);
    }
    return x;
}

static struct exact *parse_product(struct exact_parser *p)
{
    return parse_chain(p, parse_factor, "*/");
}

static struct exact *parse_sum(struct exact_parser *p)
{
    return parse_chain(p, parse_product, "+-");
}

/* A whole text that is one signed operand: the place of inf, nan, -0 and typed bits.  NULL with *more set
 * when the text goes on. */
static struct exact *parse_alone(struct exact_parser *p, bool *more)
{
    bool negative = false, any_sign = false;
    for (; exact_peek(p) == '+' || exact_peek(p) == '-'; exact_skip_spaces(p)) {
        negative ^= exact_peek(p) == '-';
        any_sign = true;
        p->at++;
    }
    *more = exact_peek(p) == '(';
    if (*more) {
        return NULL;
    }
    struct exact *x = exact_parse_atom(p);
    exact_skip_spaces(p);
    *more = x && exact_peek(p);
    if (*more) {
        exact_free(x);
        return NULL;
    }
    if (x && any_sign) {
        x->typed = false;
    }
    if (x && negative) {
        struct exact *opposite = exact_negate(x);
        exact_free(x);
        x = opposite ? opposite : exact_fail(p, 0, "out of memory");
    }
    return x;
}

/* A parsed value can be subtracted from any value of a format, and multiplied out if it is not beyond
 * 2^+-20000. The few that cannot (1e1000000000/2^3321928094 is near 1 and has billions of digits) are refused
 * here. */
static bool is_manageable(const struct exact_term *t)
{
    const int64_t limit = EXACT_SIZE_LIMIT - RESULT_SLACK;
    int64_t n = (int64_t)mpz_sizeinbase(t->n, 2), d = (int64_t)mpz_sizeinbase(t->d, 2);
    int64_t size =
        exact_term_size(t) + (d > n ? d - n : 0) + d; /* numerator and denominator of a sum, less 2^e2 */
    if (size <= limit && mpz_cmpabs_ui(t->e2, (unsigned long)(limit - size)) <= 0) {
        return true;
    }
    mpz_t exponent;
    mpz_init(exponent);
    exact_term_top(t, 0, exponent);
    mpz_add_ui(exponent, exponent, 63);
    int64_t gap = exact_term_far_gap(t) + RESULT_SLACK;
    bool apart = mpz_cmp_si(exponent, -TEXT_RANGE) < 0 ||
                 mpz_cmp_si(exponent, gap > TEXT_RANGE ? gap : TEXT_RANGE) > 0;
    mpz_clear(exponent);
    return apart;
}

struct exact *exact_parse(const char *text, struct exact_error *error)
{
    struct exact_parser p = {.text = text, .error = error};
    bool more = false;
    *error = (struct exact_error){0};
    exact_skip_spaces(&p);
    size_t start = p.at;
    if (!exact_peek(&p)) {
        return exact_fail(&p, p.at, "empty");
    }
    struct exact *x = parse_alone(&p, &more);
    if (more) {
        p.at = start;
        x = parse_sum(&p);
        if (x && exact_peek(&p)) {
            exact_free(x);
            return unexpected(&p);
        }
    }
    for (int i = 0; x && i < x->count; i++) {
        if (!is_manageable(&x->term[i])) {
            exact_free(x);
            return exact_fail_too_large(&p, start);
        }
    }
    return x;
}
