/* probe_more.c: what else is worth knowing about an encoding, and values in any list of formats. */
#include "probe_device.h"
#include "probe_text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 13 };

/* ---- the policy in words ---- */

/* What stands for values beyond the largest (IEEE 754-2019 clause 7.4; OFP8 and MX for formats without
 * infinity). */
static void overflow_words(const struct format *f, const struct probe_policy *p, char *to, size_t size)
{
    bool none = f->specials == FORMAT_FINITE || f->specials == FORMAT_SCALE;
    const char *beyond = format_has_infinity(f) ? "inf" : "NaN";
    if (p->saturate)
        text_append(to, size, "overflow saturates");
    else if (none || p->mode == ROUND_RTZ)
        text_append(to, size, "overflow → largest");
    else if (p->mode == ROUND_RUP || p->mode == ROUND_RDN)
        text_append(to, size, "overflow → %s%s, %slargest", p->mode == ROUND_RUP ? "" : "-", beyond,
                    p->mode == ROUND_RUP ? "-" : "");
    else
        text_append(to, size, "overflow → %s", beyond);
}

static void policy_words(const char *mode, const struct format *f, const struct probe_policy *p, char *to,
                         size_t size)
{
    static const char *const nan_words[NAN_RULE_COUNT] = {"NaN quiet", "NaN as CUDA", "NaN as x86"};
    text_format(to, size, "%s", mode);
    if (p->mode == ROUND_SR)
        text_append(to, size, ", %d bit%s", p->random_bits ? p->random_bits : 32,
                    p->random_bits == 1 ? "" : "s");
    text_append(to, size, " · %s: ", f->name);
    overflow_words(f, p, to, size);
    if (!format_has_zero(f))
        text_append(to, size, ", no zero");
    else if (p->ftz || p->daz)
        text_append(to, size, ", subnormals flushed%s", p->ftz && p->daz ? "" : p->ftz ? " (FTZ)" : " (DAZ)");
    else
        text_append(to, size, ", subnormals kept");
    text_append(to, size, ", %s", format_has_nan(f) ? nan_words[p->nan] : "no NaN");
}

void probe_policy_words(const struct format *f, const struct probe_policy *p, char *to, size_t size)
{
    policy_words(round_mode_table[p->mode].title, f, p, to, size);
}

void probe_policy_brief(const struct format *f, const struct probe_policy *p, char *to, size_t size)
{
    policy_words(round_mode_table[p->mode].name, f, p, to, size);
}

/* ---- more about an encoding ---- */

static void put_raw(char *hex, char *value, const struct format *f, uint32_t bits)
{
    text_hex(hex, TEXT_HEX, f, bits);
    text_bits_value(value, TEXT_SHORT, f, bits, DIGITS);
}

struct probe_twice probe_twice(struct device *d, const struct exact *x, const struct format *f, uint32_t bits,
                               const struct probe_policy *policy)
{
    struct probe_twice t = {0};
    const struct format *typed;
    uint64_t typed_bits;
    struct exact_error ignored;
    if (exact_kind(x) == EXACT_FINITE && !exact_typed_bits(x, &typed, &typed_bits) &&
        probe_via(d, x, f, policy, &t.bits[0], &t.bits[1], &ignored))
        for (int i = 0; i < 2; i++)
            t.differs[i] = t.bits[i] != bits;
    return t;
}

bool probe_trip(struct device *d, const struct format *f, uint32_t bits, const struct format *g,
                const struct probe_policy *policy, struct probe_trip *out, struct exact_error *error)
{
    struct exact *value = exact_from_bits(f, bits);
    struct exact_error why = {0};
    memset(out, 0, sizeof *out);
    if (!value)
        return probe_fail(error, "out of memory");
    bool done =
        probe_fits(value, g, &why) && probe_through(d, f, bits, g, policy, &out->there, &out->back, &why);
    if (done) {
        struct exact *y = exact_from_bits(f, out->back);
        out->lost = y ? exact_subtract(y, value) : NULL;
        exact_free(y);
    } else {
        text_format(out->reason, sizeof out->reason, "%s", why.message);
    }
    exact_free(value);
    return done || !*device_error(d) || probe_fail(error, device_error(d));
}

static void fill_via(struct device *d, const struct exact *x, const struct probe_policy *policy,
                     struct bits_row *row)
{
    struct probe_twice twice = probe_twice(d, x, row->format, row->bits, policy);
    for (int i = 0; i < 2; i++) {
        char hex[TEXT_HEX], value[TEXT_SHORT];
        put_raw(hex, value, row->format, twice.bits[i]);
        if (twice.differs[i])
            text_format(row->more.via[i], TEXT_SHORT, "%s = %s", hex, value);
    }
}

static bool fill_through(struct device *d, const struct bits_row *row, const struct format *g,
                         const struct probe_policy *policy, struct bits_through *t, struct exact_error *error)
{
    struct probe_trip trip;
    text_format(t->name, sizeof t->name, "%s", g->name);
    if (!probe_trip(d, row->format, row->bits, g, policy, &trip, error))
        return false;
    if (*trip.reason) {
        text_format(t->reason, sizeof t->reason, "%s", trip.reason);
        return true;
    }
    put_raw(t->there_hex, t->there, g, trip.there);
    put_raw(t->back_hex, t->back, row->format, trip.back);
    t->unchanged = trip.back == row->bits;
    if (trip.lost)
        text_approximate(t->lost, sizeof t->lost, trip.lost, 4, true);
    exact_free(trip.lost);
    return true;
}

/* What a random word makes of a value under the policy. */
static bool with_word(struct device *d, const struct exact *x, const struct format *f,
                      const struct probe_policy *policy, uint32_t word, uint32_t *bits,
                      struct exact_error *error)
{
    struct round_input in = probe_input(x);
    struct round_output out;
    struct round_rule rule = probe_rule(f, policy);
    if (policy->daz && exact_typed_subnormal(x))
        in.kind = ROUND_ZERO;
    in.random = word;
    bool done = probe_round_inputs(d, &in, &out, 1, &rule, error);
    *bits = out.bits;
    return done;
}

/* Words below *away go away from zero, the others towards it.  0 where all give the same, as saturation and
 * flushing can make them; and flushing judges by the rounding with unbounded exponents (IEEE 754-2019 clause
 * 7.5), so then the kernel is asked for the bound, in halves. */
static bool words_that_differ(struct device *d, const struct exact *x, const struct format *f,
                              const struct probe_policy *policy, int bits, uint64_t *away,
                              struct exact_error *error)
{
    uint32_t first, last, middle, all = UINT32_MAX >> (32 - bits);
    if (!with_word(d, x, f, policy, 0, &first, error) || !with_word(d, x, f, policy, all, &last, error))
        return false;
    if (first == last)
        *away = 0;
    if (first == last || !policy->ftz)
        return true;
    uint32_t low = 0, high = all; /* low goes away, high does not */
    while (high - low > 1) {
        uint32_t word = low + (high - low) / 2;
        if (!with_word(d, x, f, policy, word, &middle, error))
            return false;
        *(middle == last ? &high : &low) = word;
    }
    *away = high;
    return true;
}

bool probe_chance(struct device *d, const struct exact *x, const struct format *f,
                  const struct probe_policy *policy, char *to, size_t size, struct exact_error *error)
{
    int bits = policy->random_bits ? policy->random_bits : 32, reduced = bits;
    bool finite = policy->mode == ROUND_SR && exact_kind(x) == EXACT_FINITE;
    uint64_t away = finite ? probe_words_away(x, f, bits) : 0;
    *to = '\0';
    if (!away)
        return true;
    bool always = away == UINT64_C(1) << bits; /* rounded up to all words */
    if ((policy->ftz || !always) && !words_that_differ(d, x, f, policy, bits, &away, error))
        return false;
    if (!away)
        return true;
    uint64_t part = away;
    while (!(part & 1) && reduced > 0) {
        part >>= 1;
        reduced--;
    }
    text_format(to, size, "%llu / 2^%d", (unsigned long long)away, bits);
    if (reduced < bits && reduced > 0)
        text_append(to, size, " = %llu / 2^%d", (unsigned long long)part, reduced);
    return true;
}

/* The same as a percentage: "97.95 %". */
static void fill_percent(struct bits_more *m)
{
    unsigned long long away;
    int bits;
    if (sscanf(m->chance, "%llu / 2^%d", &away, &bits) != 2)
        return;
    text_not_half(m->percent, sizeof m->percent, ldexp((double)away, -bits) * 100, 100, 4);
    text_append(m->percent, sizeof m->percent, " %%");
}

static bool fill_more(struct device *d, const struct exact *x, const struct format *const *formats, int count,
                      const struct probe_policy *policy, struct bits_row *row, struct exact_error *error)
{
    const struct format *f = row->format;
    struct bits_more *m = &row->more;
    uint32_t all = (uint32_t)((UINT64_C(1) << f->width) - 1);
    struct exact *shortest = probe_shortest(f, row->bits);
    bool done = true;
    probe_class_why(f, row->bits, m->class_why, sizeof m->class_why);
    if (shortest) {
        text_value(m->shortest, sizeof m->shortest, shortest, 20);
        text_format(m->digits, sizeof m->digits, "%d", probe_certain_digits(f, row->bits));
    }
    put_raw(m->plus_hex, m->plus, f, (row->bits + 1) & all);
    put_raw(m->minus_hex, m->minus, f, (row->bits - 1) & all);
    done = done && probe_chance(d, x, f, policy, m->chance, sizeof m->chance, error);
    fill_percent(m);
    fill_via(d, x, policy, row);
    for (int i = 0; i < count && done; i++)
        if (formats[i] != f)
            done = fill_through(d, row, formats[i], policy, &m->through[m->through_count++], error);
    exact_free(shortest);
    return done;
}

/* ---- any list of formats ---- */

static bool fill_list(struct device *d, const char *input, struct exact *x,
                      const struct format *const *formats, int count, const struct probe_policy *policy,
                      struct bits_answer *out, struct exact_error *error)
{
    probe_bits_head(input, x, policy, out);
    for (out->count = 0; out->count < count && out->count < BITS_ROWS; out->count++) {
        struct bits_row *row = &out->rows[out->count];
        const struct format *f = formats[out->count];
        struct exact_error why;
        if (probe_fits(x, f, &why)) {
            if (!probe_bits_row(d, input, x, f, policy, row, error) ||
                !fill_more(d, x, formats, count, policy, row, error))
                return false;
        } else {
            text_format(row->reason, sizeof row->reason, "%s", why.message);
        }
        row->format = f;
        probe_policy_words(f, policy, row->policy, sizeof row->policy);
        probe_policy_brief(f, policy, row->policy_brief, sizeof row->policy_brief);
    }
    return true;
}

bool probe_bits_list(struct device *d, const char *value_text, const struct format *const *formats, int count,
                     const struct probe_policy *policy, struct bits_answer *out, struct exact_error *error)
{
    struct exact *x = exact_parse(value_text, error);
    bool done = x && fill_list(d, value_text, x, formats, count, policy, out, error);
    exact_free(x);
    return done;
}
