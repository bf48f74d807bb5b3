/* Policies side by side: what the table shows, and what it leaves out because it makes no difference. */
#include "session_test.h"

#include "probe.h"

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

static uint32_t rounded(struct exact *x, const struct format *f, const struct probe_policy *p)
{
    struct bits_result r;
    struct exact_error error;
    assert_true(probe_round(device, &x, 1, f, p, &r, &error));
    uint32_t bits = r.bits;
    bits_result_clear(&r);
    return bits;
}

/* The cell of a policy; where it has none, that of the policy as set. */
static const struct policy_cell *cell_of(const struct bits_policies *all, const struct probe_policy *p)
{
    for (int g = 0; g < all->count; g++)
        for (int i = 0; i < all->groups[g].count; i++) {
            const struct policy_cell *c = &all->groups[g].cells[i];
            if (c->policy.mode == p->mode && c->policy.saturate == p->saturate && c->policy.ftz == p->ftz &&
                c->policy.daz == p->daz && c->policy.nan == p->nan)
                return c;
        }
    return NULL;
}

static void check_value(const char *text, const struct format *f, const struct probe_policy *set)
{
    struct exact_error error;
    struct bits_policies all;
    struct exact *x = exact_parse(text, &error);
    assert_non_null(x);
    if (!probe_fits(x, f, &error)) {
        exact_free(x);
        return;
    }
    assert_true(probe_policies(device, x, f, set, &all, &error));
    assert_true(all.count >= 1);
    int chosen = 0;
    for (int g = 0; g < all.count; g++)
        for (int i = 0; i < all.groups[g].count; i++)
            chosen += all.groups[g].cells[i].chosen;
    assert_int_equal(chosen, 1);
    bool is_nan = exact_kind(x) == EXACT_NAN;
    for (int i = 0; i < 4 && !is_nan; i++)
        for (int mode = 0; mode < ROUND_MODE_COUNT; mode++) {
            struct probe_policy p = *set, base = *set;
            p.mode = base.mode = (enum round_mode)mode;
            if (i & 1)
                p.saturate = !p.saturate;
            if (i & 2)
                p.ftz = p.daz = !(p.ftz || p.daz);
            if (i == 3)
                continue; /* both at once are not in the table */
            const struct policy_cell *c = cell_of(&all, &p);
            uint32_t want = c ? c->bits : cell_of(&all, &base)->bits;
            if (rounded(x, f, &p) != want)
                fail_msg("%s in %s, mode %d, %d: not 0x%x", text, f->name, mode, i, want);
        }
    for (int rule = 0; rule < NAN_RULE_COUNT && is_nan; rule++) {
        struct probe_policy p = *set;
        p.nan = (enum nan_rule)rule;
        assert_int_equal(cell_of(&all, &p)->bits, rounded(x, f, &p));
    }
    exact_free(x);
}

static void what_is_left_out_makes_no_difference(void **state)
{
    static const char *const values[] = {"0",           "-0",          "1",
                                         "0.1",         "-1/3",        "65504",
                                         "65519",       "65520",       "-65536",
                                         "449",         "-464",        "28.1",
                                         "7",           "1e39",        "-1e999",
                                         "inf",         "-inf",        "nan",
                                         "-nan",        "2^-14",       "2^-14 - 2^-26",
                                         "-2^-15",      "2^-25",       "1e-6",
                                         "1e-40",       "-2^-127",     "2^-200",
                                         "fp16:0x0001", "bf16:0x0001", "fp32:0x807fffff",
                                         "e4m3:0x03",   "fp16:0x7d01", "fp32:0xff812345",
                                         "3e-9",        "2^-6 - 2^-12"};
    (void)state;
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int f = 0; f < FORMAT_COUNT; f++)
            for (int i = 0; i < 4; i++) {
                struct probe_policy set = {.mode = (enum round_mode)((v + (size_t)i) % ROUND_MODE_COUNT),
                                           .saturate = i & 1,
                                           .ftz = (i & 2) != 0,
                                           .daz = (i & 2) != 0,
                                           .seed = v};
                const char *colon = strchr(values[v], ':');
                const char *name = format_table[f].name;
                if (!colon || strncmp(values[v], name, (size_t)(colon - values[v])) != 0)
                    check_value(values[v], &format_table[f], &set);
            }
}

static void check_hex(const struct policy_group *g, const char *const *hex, int count)
{
    for (int i = 0; i < count; i++)
        assert_string_equal(g->cells[i].hex, hex[i]);
}

/* By hand, and in Bits. */
static void as_published(void **state)
{
    static const char *const plain[] = {"0x7c00", "0x7c00", "0x7bff", "0x7c00", "0x7bff"};
    static const char *const saturated[] = {"0x7bff", "0x7bff", "0x7bff", "0x7bff", "0x7bff"};
    static const char *const rules[] = {"0xfe00", "0x7fff", "0xfe00"};
    struct session *s = *state;
    run(s, "formats");
    run(s, "value 65520");
    struct snapshot *now = session_snapshot(s);
    const struct bits_policies *p = &now->bits.rows[1].more.policies;
    assert_int_equal(p->count, 2);
    assert_string_equal(p->groups[0].label, "not saturating");
    check_hex(&p->groups[0], plain, 5);
    check_hex(&p->groups[1], saturated, 5);
    assert_string_equal(p->note, "FTZ and DAZ make no difference here.");
    p = &now->bits.rows[0].more.policies;
    assert_int_equal(p->count, 1);
    assert_string_equal(p->note, "Saturating or not makes no difference, nor do FTZ and DAZ here.");
    snapshot_free(now);
    run(s, "value fp32:0xffc00001");
    now = session_snapshot(s);
    p = &now->bits.rows[1].more.policies;
    assert_int_equal(p->groups[0].count, NAN_RULE_COUNT);
    check_hex(&p->groups[0], rules, NAN_RULE_COUNT);
    assert_int_equal(now->bits.rows[0].more.policies.count, 0); /* typed in it */
    snapshot_free(now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_makes_no_difference),
        cmocka_unit_test_setup_teardown(as_published, start, stop),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
