/* selftest_parse.c: long decimals and hex floats on, just above and just below ties and boundaries of a format:
 * parsed and rounded by the product, and by MPFR, which shares nothing with it but the text.
 *
 * Ties lie between any two neighbours of the grid of values, which goes on beyond the largest finite one: so
 * half the smallest subnormal, the ends of binades and the threshold of overflow are among them. */
#include "check_text.h"
#include "probe_device.h"
#include "selftest_internal.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    struct check_text texts[PARSE_TEXTS];
    struct round_input inputs[PARSE_TEXTS];
    enum exact_tie ties[PARSE_TEXTS];
};

static void differ(struct selftest_result *r, const char *text, const char *how, uint32_t got, uint32_t want)
{
    if (r->differing++ == 0)
        snprintf(r->first, sizeof r->first, "%.60s%s, %.60s: 0x%x, not 0x%x", text,
                 strlen(text) > 60 ? "..." : "", how, got, want);
}

static bool parse_batch(const struct check *check, uint32_t chunk, struct batch *b, struct selftest_result *r)
{
    struct exact_error error;
    for (uint32_t i = 0; i < PARSE_TEXTS; i++) {
        check_text_make(check->format, (uint64_t)chunk * PARSE_TEXTS + i, &b->texts[i]);
        struct exact *x = exact_parse(b->texts[i].text, &error);
        if (!x)
            differ(r, b->texts[i].text, error.message, 0, 0);
        b->inputs[i] = x ? probe_input(x) : (struct round_input){.kind = ROUND_ZERO};
        b->ties[i] = x ? exact_tie(x, check->format) : TIE_EXACT;
        exact_free(x);
    }
    return true;
}

/* One mode, saturating and not, over the whole batch. */
static bool check_mode(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                       const struct batch *b, enum round_mode mode, struct selftest_result *r)
{
    struct round_output *out = a->host_wide_out;
    struct check_text_rounded want[PARSE_TEXTS];
    for (int i = 0; i < PARSE_TEXTS; i++)
        want[i] = check_text_round(&b->texts[i], check->format, mode);
    for (int saturate = 0; saturate < 2; saturate++) {
        struct probe_policy policy = {.mode = mode, .saturate = saturate != 0};
        struct round_args args = {a->wide_in, a->wide_out, PARSE_TEXTS, probe_rule(check->format, &policy)};
        if (!device_launch(a->device, KERNEL_round_wide, &args) ||
            !device_download(a->device, out, a->wide_out, PARSE_TEXTS * sizeof *out))
            return false;
        for (int i = 0; i < PARSE_TEXTS; i++) {
            uint32_t bits = want[i].bits[saturate];
            if (!want[i].valid || out[i].bits != bits)
                differ(r, b->texts[i].text, round_mode_table[mode].name, out[i].bits, bits);
            if (want[i].has_tie && want[i].tie != b->ties[i])
                differ(r, b->texts[i].text, "tie class", b->ties[i], want[i].tie);
        }
        selftest_digest(r, (chunk * ROUND_MODE_COUNT + mode) * 2 + (uint32_t)saturate, out,
                        PARSE_TEXTS * sizeof *out);
        r->checked += PARSE_TEXTS;
    }
    return true;
}

bool check_parse(const struct check *check, struct selftest_arrays *a, uint32_t chunk,
                 struct selftest_result *r)
{
    struct batch *b = malloc(sizeof *b);
    bool done = b && parse_batch(check, chunk, b, r) &&
                device_upload(a->device, a->wide_in, b->inputs, sizeof b->inputs);
    for (int mode = ROUND_RNE; done && mode <= ROUND_RDN; mode++)
        done = check_mode(check, a, chunk, b, (enum round_mode)mode, r);
    check_text_end();
    free(b);
    return done;
}
