/* Stochastic rounding: all 2^k words of edge values, for k = 1 to 16, and what Bits says of it. */
#include "session_test.h"

#include "probe_device.h"

static struct device *device;

static int open_device(void **state)
{
    char error[DEVICE_TEXT];
    (void)state;
    device = device_open("cpu", error);
    return device ? 0 : -1;
}

static int close_device(void **state)
{
    (void)state;
    device_close(device);
    return 0;
}

/* Of a value that lies n / 2^m of a step away from zero beyond `towards`: all words below ceil(n x 2^k / 2^m) go
 * to `away`, all others to `towards`. */
struct edge {
    const char *text, *format;
    uint32_t towards, away;
    uint64_t n;
    int m;
};

static uint64_t words_of(const struct edge *e, int k)
{
    return k >= e->m ? e->n << (k - e->m) : (e->n >> (e->m - k)) + ((e->n & ((1u << (e->m - k)) - 1)) != 0);
}

static void check_edge(const struct edge *e, int k, const struct probe_policy *policy)
{
    struct exact_error error;
    struct exact *x = exact_parse(e->text, &error);
    uint32_t n = 1u << k;
    struct round_input *in = malloc(n * sizeof *in);
    struct round_output *out = malloc(n * sizeof *out);
    const struct format *f = format_find(e->format);
    assert_true(x && in && out && f);
    for (uint32_t word = 0; word < n; word++) {
        in[word] = probe_input(x);
        in[word].random = word;
    }
    struct probe_policy p = *policy;
    p.mode = ROUND_SR;
    p.random_bits = k;
    struct round_rule rule = probe_rule(f, &p);
    assert_true(probe_round_inputs(device, in, out, n, &rule, &error));
    uint64_t away = words_of(e, k);
    for (uint32_t word = 0; word < n; word++)
        if (out[word].bits != (word < away ? e->away : e->towards))
            fail_msg("%s in %s, word %u of 2^%d: 0x%x", e->text, e->format, word, k, out[word].bits);
    if (!policy->ftz)
        assert_int_equal(probe_words_away(x, f, k), away);
    char chance[TEXT_SHORT], begin[TEXT_SHORT];
    assert_true(probe_chance(device, x, f, &p, chance, sizeof chance, &error));
    snprintf(begin, sizeof begin, "%llu / 2^%d", (unsigned long long)away, k);
    if (away == 0 || (e->towards == e->away && away < n))
        assert_string_equal(chance, "");
    else if (away < n)
        assert_int_equal(strncmp(chance, begin, strlen(begin)), 0);
    exact_free(x);
    free(in);
    free(out);
}

/* Exact values never move; all others move as often as their fraction of a step says, k = 1..16. */
static void all_words(void **state)
{
    (void)state;
    static const struct edge edges[] = {
        {"0", "fp16", 0, 0, 0, 0},
        {"-0", "fp16", 0x8000, 0x8000, 0, 0},
        {"1", "fp16", 0x3c00, 0x3c00, 0, 0},
        {"fp16.max", "fp16", 0x7bff, 0x7bff, 0, 0},
        {"-65504", "fp16", 0xfbff, 0xfbff, 0, 0},
        {"fp16.min_subnormal", "fp16", 1, 1, 0, 0},
        {"-(2^-14 - 2^-24)", "fp16", 0x83ff, 0x83ff, 0, 0}, /* the largest subnormal */
        {"fp16.min_normal", "fp16", 0x0400, 0x0400, 0, 0},
        {"bf16.max", "bf16", 0x7f7f, 0x7f7f, 0, 0},
        {"448", "e4m3", 0x7e, 0x7e, 0, 0},
        {"-6", "e2m1", 0xf, 0xf, 0, 0},
        {"2^-25", "fp16", 0, 1, 1, 1}, /* in exactly half */
        {"-2^-25", "fp16", 0x8000, 0x8001, 1, 1},
        {"2^-26", "fp16", 0, 1, 1, 2},
        {"3*2^-26", "fp16", 0, 1, 3, 2},
        {"2^-40", "fp16", 0, 1, 1, 16},  /* one word in 2^16; of fewer bits one, too: never none */
        {"5*2^-25", "fp16", 2, 3, 1, 1}, /* among the subnormals */
        {"2^-14 - 2^-26", "fp16", 0x03ff, 0x0400, 3, 2}, /* from subnormal to normal */
        {"1 + 2^-13", "fp16", 0x3c00, 0x3c01, 1, 3},
        {"-(1 + 2^-10 - 2^-20)", "fp16", 0xbc00, 0xbc01, 1023, 10},
        {"2 - 2^-12", "fp16", 0x3fff, 0x4000, 3, 2}, /* into the next binade */
        {"65504 + 8", "fp16", 0x7bff, 0x7c00, 1, 2}, /* overflows in a quarter */
        {"65520", "fp16", 0x7bff, 0x7c00, 1, 1},
        {"-(65536 - 2^-6)", "fp16", 0xfbff, 0xfc00, 2047, 11},
        {"1 + 2^-9", "bf16", 0x3f80, 0x3f81, 1, 2},
        {"464", "e4m3", 0x7e, 0x7f, 1, 1}, /* to NaN */
        {"57344 + 1024", "e5m2", 0x7b, 0x7c, 1, 3},
        {"0.75", "e2m1", 1, 2, 1, 1},
        {"3", "e8m0", 0x80, 0x81, 1, 1},
    };
    const struct probe_policy plain = {0};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        for (int k = 1; k <= 16; k++)
            check_edge(&edges[i], k, &plain);
}

/* Beyond the grid's next value no word keeps a value finite; infinities and NaNs do not move. */
static void beyond_the_largest(void **state)
{
    (void)state;
    static const struct {
        const char *text, *format;
        uint32_t bits;
    } rows[] = {{"65536", "fp16", 0x7c00}, {"-1e999", "fp16", 0xfc00}, {"inf", "fp16", 0x7c00},
                {"-inf", "bf16", 0xff80},  {"nan", "fp16", 0x7e00},    {"480", "e4m3", 0x7f},
                {"8", "e2m1", 0x7},        {"7", "e2m1", 0x7},         {"1e9", "e3m2", 0x1f}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct exact_error error;
        struct exact *x = exact_parse(rows[i].text, &error);
        for (uint32_t word = 0; word < 256; word++) {
            struct round_input in = probe_input(x);
            struct round_output out;
            struct probe_policy policy = {.mode = ROUND_SR, .random_bits = 8};
            struct round_rule rule = probe_rule(format_find(rows[i].format), &policy);
            in.random = word;
            assert_true(probe_round_inputs(device, &in, &out, 1, &rule, &error));
            assert_int_equal(out.bits, rows[i].bits);
        }
        exact_free(x);
    }
}

/* Where both neighbours become the same there is no chance to speak of. */
static void policies_that_decide(void **state)
{
    (void)state;
    static const struct edge saturated[] = {{"65504 + 8", "fp16", 0x7bff, 0x7bff, 1, 2},
                                            {"-464", "e4m3", 0xfe, 0xfe, 1, 1},
                                            {"7", "e2m1", 0x7, 0x7, 1, 1}},
                             flushed[] = {{"2^-25", "fp16", 0, 0, 1, 1},
                                          {"-5*2^-25", "fp16", 0x8000, 0x8000, 1, 1},
                                          /* half way with unbounded exponents: tiny in half */
                                          {"2^-14 - 2^-26", "fp16", 0, 0x0400, 1, 1}};
    const struct probe_policy saturate = {.saturate = true}, flush = {.ftz = true, .daz = true};
    for (int i = 0; i < 3; i++)
        for (int k = 1; k <= 10; k++)
            check_edge(&saturated[i], k, &saturate);
    for (int i = 0; i < 3; i++)
        for (int k = 1; k <= 10; k++)
            check_edge(&flushed[i], k, &flush);
}

static void in_bits(void **state)
{
    struct session_options options = {"cpu", false};
    char error[DEVICE_TEXT];
    (void)state;
    struct session *s = session_open(&options, error);
    assert_non_null(s);
    run(s, "value 2^-25");
    expect(s, "chance.fp16 == none"); /* to nearest there is none */
    run(s, "rounding sr");
    assert_string_equal(fact(s, "chance.fp16"), "2147483648 / 2^32 = 1 / 2^1");
    run(s, "random-bits 8");
    assert_string_equal(fact(s, "chance.fp16"), "128 / 2^8 = 1 / 2^1");
    expect(s, "chance.fp32 == none");
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->bits.rows[1].policy,
                        "stochastic, 8 bits · fp16: overflow → inf, subnormals kept, NaN quiet");
    assert_string_equal(p->bits.rows[1].policy_brief,
                        "sr, 8 bits · fp16: overflow → inf, subnormals kept, NaN quiet");
    snapshot_free(p);
    run(s, "flush on");
    expect(s, "chance.fp16 == none");
    run(s, "value fp16:0x0003"); /* DAZ takes it as zero */
    expect(s, "chance.bf16 == none");
    run(s, "flush off");
    run(s, "value 65512");
    assert_string_equal(fact(s, "chance.fp16"), "64 / 2^8 = 1 / 2^2");
    run(s, "saturate on");
    expect(s, "chance.fp16 == none");
    run(s, "random-bits 1");
    run(s, "value 1 + 2^-13");
    assert_string_equal(fact(s, "chance.fp16"), "1 / 2^1");
    refuse(s, "random-bits 0", "'0' is not from 1 to 32");
    refuse(s, "random-bits 33", "'33' is not from 1 to 32");
    refuse(s, "random-bits", "K is missing");
    refuse(s, "random-bits x", "'x' is not a whole number");
    session_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_words),
        cmocka_unit_test(beyond_the_largest),
        cmocka_unit_test(policies_that_decide),
        cmocka_unit_test(in_bits),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
