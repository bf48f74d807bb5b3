/* probe_interval.c: which reals share an encoding. */
#include "probe_device.h"
#include "probe_text.h"

/* How the mode treats magnitudes of this sign. */
enum direction { TO_NEAREST, TO_ZERO, FROM_ZERO, TO_EITHER };

static enum direction direction_of(enum round_mode mode, bool negative)
{
    switch (mode) {
    case ROUND_RTZ:
        return TO_ZERO;
    case ROUND_RUP:
        return negative ? TO_ZERO : FROM_ZERO;
    case ROUND_RDN:
        return negative ? FROM_ZERO : TO_ZERO;
    case ROUND_SR:
        return TO_EITHER;
    default:
        return TO_NEAREST;
    }
}

/* The border between magnitude m and m + 1 of the grid, as the end of the interval of the one or of the
 * other. */
static struct probe_end border(const struct format *f, uint32_t m, enum direction direction,
                               enum round_mode mode, bool belongs_to_upper)
{
    struct exact *below = probe_grid_value(f, m), *above = probe_grid_value(f, m + 1);
    struct probe_end end = {NULL, false};
    if (direction == TO_NEAREST) {
        bool tie_goes_up = mode == ROUND_RNA || (m & 1u);
        end.value = below && above ? probe_middle(below, above) : NULL;
        end.closed = tie_goes_up == belongs_to_upper;
    } else {
        /* Directed: the border is one of the two values itself, and belongs to its own interval alone. */
        bool at_upper = direction == TO_ZERO || (direction == TO_EITHER && !belongs_to_upper);
        end.value = exact_copy(at_upper ? above : below);
        end.closed = direction != TO_EITHER && at_upper == belongs_to_upper;
    }
    exact_free(below);
    exact_free(above);
    return end;
}

/* FTZ makes a zero of whatever is tiny after rounding: where that begins to be 2^emin, as the end of the
 * interval of zero or of the smallest normal value.  Below 2^emin the precision is kept, so its neighbour is
 * half an ulp away (a quarter for ties, of which 2^emin is the even and the farther one). */
static struct probe_end flush_border(const struct format *f, enum direction direction, bool belongs_to_upper)
{
    struct probe_end end = {exact_from_bits(f, format_min_normal(f)), false};
    int below = direction == TO_NEAREST ? 2 : direction == FROM_ZERO || direction == TO_EITHER ? 1 : 0;
    if (direction == TO_EITHER && !belongs_to_upper)
        below = 0; /* up to 2^emin the random bits may choose the value below */
    if (end.value && below) {
        struct exact *ulp = exact_from_bits(f, format_min_subnormal(f));
        struct exact *part = ulp ? exact_scale(ulp, -below) : NULL;
        struct exact *start = part ? exact_subtract(end.value, part) : NULL;
        exact_free(ulp);
        exact_free(part);
        exact_free(end.value);
        end.value = start;
    }
    if (direction == FROM_ZERO)
        end.closed = !belongs_to_upper;
    else if (direction != TO_EITHER)
        end.closed = belongs_to_upper;
    return end;
}

/* What is rounded to the code after the largest finite value's is stored as infinity, or as the NaN of
 * overflow. */
static bool overflow_is_stored(const struct format *f, const struct probe_policy *policy,
                               enum direction direction)
{
    bool stands_for_it = f->specials == FORMAT_INF_NAN || f->specials == FORMAT_NAN_ONLY;
    return stands_for_it && !policy->saturate && direction != TO_ZERO;
}

static struct probe_end inner_end(const struct format *f, uint32_t m, enum direction direction,
                                  const struct probe_policy *policy, bool negative)
{
    if (m == 0) /* of a scale, which clamps: all that is positive */
        return (struct probe_end){exact_from_double(0), format_has_zero(f) && !negative};
    if (policy->ftz && m == format_min_normal(f))
        return flush_border(f, direction, true);
    return border(f, m - 1, direction, policy->mode, true);
}

bool probe_bounds(const struct format *f, uint32_t bits, const struct probe_policy *policy,
                  struct probe_bounds *out)
{
    *out = (struct probe_bounds){.negative = format_sign(f, bits) != 0};
    uint32_t m = bits & ~(uint32_t)format_sign_bit(f), limit = (uint32_t)format_limit(f);
    enum direction direction = direction_of(policy->mode, out->negative);
    bool beyond = overflow_is_stored(f, policy, direction);
    bool flushed = policy->ftz && m > 0 && m < format_min_normal(f);
    if (m > limit || (m == limit && !beyond) || flushed)
        return true; /* no real number */
    out->any = true;
    bool unbounded = m == limit || (m == format_max(f) && !beyond);
    out->inner = inner_end(f, m, direction, policy, out->negative);
    if (!unbounded)
        out->outer = policy->ftz && m == 0 && format_has_zero(f)
                         ? flush_border(f, direction, false)
                         : border(f, m, direction, policy->mode, false);
    bool done = out->inner.value && (unbounded || out->outer.value);
    if (done && exact_is_zero(out->inner.value) && !out->inner.closed && out->outer.value &&
        exact_is_zero(out->outer.value))
        out->any = false;
    return done;
}

void probe_bounds_clear(struct probe_bounds *b)
{
    exact_free(b->inner.value);
    exact_free(b->outer.value);
    b->inner.value = b->outer.value = NULL;
}

static void end_text(char *to, size_t size, const struct probe_end *end, bool negative)
{
    if (!end->value) {
        text_format(to, size, "%s∞", negative ? "-" : "");
        return;
    }
    text_value(to, size, end->value, 13);
    if (negative && !exact_is_zero(end->value)) {
        char magnitude[TEXT_SHORT];
        text_format(magnitude, sizeof magnitude, "%s", to);
        text_format(to, size, "-%s", magnitude);
    }
}

bool probe_interval(const struct format *f, uint32_t bits, const struct probe_policy *policy, char *out,
                    size_t size)
{
    struct probe_bounds b;
    bool done = probe_bounds(f, bits, policy, &b);
    if (done && !b.any) {
        text_format(out, size, "no real number");
    } else if (done && exact_is_zero(b.inner.value) && b.outer.value && exact_is_zero(b.outer.value)) {
        text_format(out, size, "0 alone");
    } else if (done) {
        char low_text[TEXT_SHORT], high_text[TEXT_SHORT];
        const struct probe_end *low = b.negative ? &b.outer : &b.inner,
                               *high = b.negative ? &b.inner : &b.outer;
        end_text(low_text, sizeof low_text, low, b.negative);
        end_text(high_text, sizeof high_text, high, b.negative);
        text_format(out, size, "%s%s, %s%s", low->closed ? "[" : "(", low_text, high_text,
                    high->closed ? "]" : ")");
    }
    probe_bounds_clear(&b);
    return done;
}
