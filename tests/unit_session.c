/* Sessions: lanes in lockstep, phases, commands, claims, and a device that fails. */
#include "session_test.h"

struct digests {
    char digest[24], state[24], twin[24], twin_state[24];
};

static struct digests digests(struct session *s)
{
    struct digests d;
    snprintf(d.digest, sizeof d.digest, "%s", fact(s, "digest"));
    snprintf(d.state, sizeof d.state, "%s", fact(s, "state-digest"));
    snprintf(d.twin, sizeof d.twin, "%s", fact(s, "twin.digest"));
    snprintf(d.twin_state, sizeof d.twin_state, "%s", fact(s, "twin.state-digest"));
    return d;
}

static void assert_same(const struct digests *a, const struct digests *b)
{
    assert_string_equal(a->digest, b->digest);
    assert_string_equal(a->state, b->state);
    assert_string_equal(a->twin, b->twin);
    assert_string_equal(a->twin_state, b->twin_state);
}

/* ---- stepping ---- */

static void phases_and_steps_reach_the_same_bits(void **state)
{
    struct session *s = *state;
    for (int task = 0; task < TASK_COUNT; task++) {
        char line[40];
        snprintf(line, sizeof line, "task %s", task_table[task].name);
        run(s, line);
        for (int r = 0; r < RECIPE_COUNT; r++) {
            snprintf(line, sizeof line, "recipe %s", recipe_table[r].name);
            run(s, line);
            run(s, "step 3");
            struct digests by_step = digests(s);
            run(s, "restart");
            while (strcmp(fact(s, "step"), "3") != 0)
                run(s, "phase");
            struct digests by_phase = digests(s);
            assert_same(&by_step, &by_phase);
            run(s, "restart");
            run(s, "phase 4"); /* a step finishes what phases began */
            run(s, "step 3");
            struct digests mixed = digests(s);
            assert_same(&by_step, &mixed);
        }
    }
}

static void lanes_keep_together_phase_by_phase(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    for (int i = 0; i < 30; i++) {
        run(s, "phase");
        enum phase mine = trainer_next_phase(s->lanes[0].trainer),
                   other = trainer_next_phase(s->lanes[1].trainer);
        assert_true(mine == PHASE_CAST ? other == PHASE_CAST : other >= mine);
        assert_int_equal(trainer_steps(s->lanes[0].trainer), trainer_steps(s->lanes[1].trainer));
    }
}

static void a_twin_and_looking_change_no_bit(void **state)
{
    struct session *s = *state;
    char alone[24], looked[24];
    run(s, "recipe O2");
    run(s, "twin off");
    run(s, "step 20");
    snprintf(alone, sizeof alone, "%s", fact(s, "state-digest"));
    assert_int_equal(s->lane_count, 1);
    run(s, "twin on");
    run(s, "weight");
    for (int i = 0; i < 20; i++) {
        run(s, "step");
        snapshot_free(session_snapshot(s));
    }
    snprintf(looked, sizeof looked, "%s", fact(s, "state-digest"));
    assert_string_equal(alone, looked);
}

static void the_twin_is_the_fp32_run(void **state)
{
    struct session *s = *state;
    char twin[24];
    run(s, "lr 1e-3");
    run(s, "step 10");
    snprintf(twin, sizeof twin, "%s", fact(s, "twin.digest"));
    run(s, "recipe fp32");
    run(s, "step 10");
    assert_string_equal(fact(s, "digest"), twin);
    expect(s, "loss == twin.loss");
    expect(s, "twin.recipe == fp32");
}

static void restarting_repeats_the_run(void **state)
{
    struct session *s = *state;
    run(s, "step 25");
    struct digests first = digests(s);
    run(s, "restart");
    expect(s, "step == 0");
    run(s, "step 25");
    struct digests again = digests(s);
    assert_same(&first, &again);
    run(s, "seed 1");
    run(s, "step 25");
    assert_string_not_equal(fact(s, "digest"), first.digest);
}

static void running_is_pumped(void **state)
{
    struct session *s = *state;
    assert_true(session_pump(s, 5));
    expect(s, "step == 0");
    run(s, "run");
    assert_true(session_running(s));
    assert_true(session_pump(s, 5));
    expect(s, "step == 5");
    run(s, "toggle");
    assert_false(session_running(s));
    run(s, "toggle");
    run(s, "step");
    assert_false(session_running(s));
    expect(s, "step == 6");
}

/* ---- commands ---- */

static void mistakes_leave_everything_as_it_was(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "step 3");
    struct digests before = digests(s);
    refuse(s, "recipe O7", "no recipe 'O7'");
    refuse(s, "task mnist", "no task 'mnist'");
    refuse(s, "scaler pytorch:window=0", "growth interval");
    refuse(s, "optimizer lion", "no optimizer");
    refuse(s, "lr 1e-3x", "'1e-3x'");
    refuse(s, "lr -1", "not a positive");
    refuse(s, "lr 1e39", "not a positive");
    refuse(s, "loss-weight 0", "not a positive");
    refuse(s, "seed -1", "'-1'");
    refuse(s, "seed 12x", "not a whole number");
    refuse(s, "step 0", "'0'");
    refuse(s, "step 99999999999999999999", "not a whole number");
    refuse(s, "master maybe", "not on or off");
    refuse(s, "update-rounding up", "no update rounding");
    refuse(s, "twin on fixed:1", "nothing more");
    refuse(s, "twin O2 fixed:x", "fixed:x");
    refuse(s, "value 1/0", "division by zero");
    refuse(s, "value", "missing");
    refuse(s, "w inf", "not finite");
    refuse(s, "delta nan", "not finite");
    refuse(s, "flip fp16 16", "'16'");
    refuse(s, "flip fp99 1", "no format");
    refuse(s, "next fp99", "no format");
    refuse(s, "rounding up", "no rounding mode");
    refuse(s, "weight fc9.weight[0,0]", "no tensor");
    refuse(s, "weight h1[0,0]", "only weights");
    refuse(s, "weight fc2.weight[32,0]", "32 × 32");
    refuse(s, "weight fc2.weight[1;2]", "[ROW,COLUMN]");
    refuse(s, "repeats 0", "'0'");
    refuse(s, "panel bits", "not a command of the session");
    struct digests after = digests(s);
    assert_same(&before, &after);
    expect(s, "step == 3");
    expect(s, "recipe == O2");
}

static void setup_commands_reach_the_trainers(void **state)
{
    struct session *s = *state;
    const struct trainer_config *c;
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=1024,window=10");
    run(s, "optimizer momentum");
    run(s, "seed 3");
    run(s, "loss-weight 2^-8");
    run(s, "update-rounding sr");
    run(s, "step");
    run(s, "lr 0.25");
    expect(s, "step == 1");
    for (int i = 0; i < 2; i++) {
        c = trainer_config(s->lanes[i].trainer);
        assert_int_equal(c->optimizer, OPTIMIZER_MOMENTUM);
        assert_int_equal(c->seed, 3);
        assert_true(c->lr == 0.25f && c->loss_weight == 0.00390625f);
    }
    c = trainer_config(s->lanes[0].trainer);
    assert_int_equal(c->recipe.rounding, UPDATE_SR);
    assert_true(c->scaler.init == 1024.0f && c->scaler.window == 10);
    c = trainer_config(s->lanes[1].trainer);
    assert_int_equal(c->recipe.rounding, UPDATE_RNE);
    assert_int_equal(c->scaler.kind, SCALER_NONE);
    run(s, "recipe bf16-pure");
    run(s, "master on");
    assert_true(recipe_has_master(&trainer_config(s->lanes[0].trainer)->recipe));
    expect(s, "recipe == bf16-pure+master");
    run(s, "twin O2 fixed:1");
    expect(s, "twin.recipe == O2 fixed:1");
    refuse(s, "recipe fp17", "fp16-pure");
    run(s, "recipe fp32");
    refuse(s, "master on", "fp32 has no low format");
}

static void a_new_task_brings_its_defaults(void **state)
{
    struct session *s = *state;
    run(s, "task xor");
    assert_int_equal(s->setup.optimizer, OPTIMIZER_SGD);
    assert_true(s->setup.lr == 0.1f);
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->lr, "0.1");
    assert_string_equal(p->task, "xor");
    assert_string_equal(p->watch.name, "fc1.weight[0,0]");
    snapshot_free(p);
}

static void values_are_focused_and_flipped(void **state)
{
    struct session *s = *state;
    run(s, "value 1 - 1e-5");
    expect(s, "bits.fp16 == 0x3c00");
    expect(s, "bits.fp32 == 0x3f7fff58");
    expect(s, "bits.bf16 == 0x3f80");
    expect(s, "tie.fp16 == above");
    run(s, "flip fp16 0");
    expect(s, "bits.fp16 == 0x3c01");
    run(s, "previous fp16");
    run(s, "previous fp16");
    expect(s, "bits.fp16 == 0x3bff");
    expect(s, "value.fp16 == 1 - 2^-11");
    run(s, "next fp16");
    expect(s, "value.fp16 == 1");
    run(s, "value fp16:0x7c00");
    refuse(s, "next fp16", "no value above");
    run(s, "value 2^-25");
    expect(s, "bits.fp16 == 0x0000");
    expect(s, "tie.fp16 == tie");
    run(s, "rounding rup");
    expect(s, "bits.fp16 == 0x0001");
    run(s, "rounding");
    assert_int_equal(s->mode, ROUND_RDN);
}

static void updates_are_asked_about(void **state)
{
    struct session *s = *state;
    expect(s, "update.fp16 == lost"); /* 1 - 0.001 x 0.01 */
    expect(s, "update.fp32 == moved");
    run(s, "repeats 10");
    expect(s, "update.fp16.moved == 0");
    expect(s, "update.fp16+master.moved == 10");
    run(s, "step-size 0.1");
    run(s, "gradient 0.1");
    expect(s, "update.fp16.first == 0x3bec"); /* 0.99 lies above the middle */
    run(s, "delta 2^-12");
    expect(s, "update.fp16 == lost");
    run(s, "w 1 - 2^-11");
    expect(s, "update.fp16.first == 0x3bfe"); /* the tie goes to the even neighbour */
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->update_lr, "");
    assert_true(p->update_valid);
    assert_string_equal(p->focus, "1 - 2^-11");
    snapshot_free(p);
}

static void claims_compare_exactly(void **state)
{
    struct session *s = *state;
    char found[TEXT_LINE];
    run(s, "value 0.1");
    expect(s, "value.fp16 == 0.0999755859375");
    expect(s, "value.fp16 < 0.09997558593750000000000000000001");
    expect(s, "value.fp16 != 0.1");
    expect(s, "class.fp16 == normal");
    expect(s, "class.fp16 != zero");
    expect(s, "step <= 0");
    assert_false(session_expect(s, "value.fp16 == 0.1", found));
    assert_string_equal(found, "value.fp16 is 0.0999755859375");
    assert_false(session_expect(s, "class.fp16 > subnormal", found));
    assert_non_null(strstr(found, "no order"));
    assert_false(session_expect(s, "class.fp16 = normal", found));
    assert_false(session_expect(s, "class.fp16", found));
    assert_false(session_expect(s, "", found));
    assert_false(session_expect(s, "no.such == 1", found));
    assert_string_equal(found, "there is no fact 'no.such' here");
    assert_false(session_expect(s, "lost% == 0", found)); /* 0 of 0 is no number */
    run(s, "step");
    expect(s, "loss == first.loss");
}

/* ---- a device that fails ---- */

struct flaky {
    struct device base;
    struct device *inner;
    long left; /* launches until it fails */
};

static struct device *inner(struct device *d)
{
    return ((struct flaky *)d)->inner;
}

static void flaky_close(struct device *d)
{
    device_close(inner(d));
    free(d);
}

static void *flaky_alloc(struct device *d, size_t bytes)
{
    return device_alloc(inner(d), bytes);
}

static void flaky_release(struct device *d, void *memory)
{
    device_release(inner(d), memory);
}

static bool flaky_upload(struct device *d, void *to, const void *from, size_t bytes)
{
    return device_upload(inner(d), to, from, bytes);
}

static bool flaky_download(struct device *d, void *to, const void *from, size_t bytes)
{
    return device_download(inner(d), to, from, bytes);
}

static bool flaky_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    struct flaky *f = (struct flaky *)d;
    if (f->left-- > 0)
        return device_launch(f->inner, kernel, args);
    snprintf(d->error, sizeof d->error, "somebody pulled the plug");
    return false;
}

static bool flaky_sync(struct device *d)
{
    return device_sync(inner(d));
}

static const struct device_ops flaky_ops = {.close = flaky_close,
                                            .alloc = flaky_alloc,
                                            .release = flaky_release,
                                            .upload = flaky_upload,
                                            .download = flaky_download,
                                            .launch = flaky_launch,
                                            .sync = flaky_sync};

static struct session *open_flaky(long launches, char *error)
{
    struct flaky *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->base.ops = &flaky_ops;
    f->base.name = "flaky";
    f->inner = device_open_cpu(NULL, 1, error);
    f->left = launches;
    return session_open_on(&f->base, true, error);
}

/* Whatever launch fails, the session goes on from the last whole step on the cpu, and says so; what it gets
 * to is what a device that never fails gets to. */
static void a_failing_device_is_survived(void **state)
{
    struct session *sound = *state;
    struct digests wanted[7];
    int rescues = 0, refusals = 0;
    for (int i = 0; i < 7; i++) {
        wanted[i] = digests(sound);
        run(sound, "step");
    }
    for (long launches = 0; launches < 400; launches += 7) {
        char error[DEVICE_TEXT];
        struct session *s = open_flaky(launches, error);
        if (!s) {
            assert_non_null(strstr(error, "plug"));
            refusals++;
            continue;
        }
        for (int i = 0; i < 3; i++) {
            bool was_rescued = s->rescued;
            char line[20];
            snprintf(line, sizeof line, i == 1 ? "phase 4" : "goto %d", 2 * i + 1);
            run(s, line);
            if (s->rescued && !was_rescued)
                assert_non_null(strstr(s->message, "somebody pulled the plug"));
            session_command(s, COMMAND_WEIGHT, "", error);
            struct snapshot *p = session_snapshot(s);
            assert_non_null(p);
            assert_false(p->failed);
            if (s->rescued && !was_rescued) {
                bool told = false;
                for (int k = 0; k < p->event_count; k++)
                    told = told || strstr(p->events[k].text, "on the cpu");
                assert_true(told);
                assert_string_equal(p->device, "cpu");
                rescues++;
            }
            snapshot_free(p);
            if (i != 1) {
                struct digests found = digests(s);
                assert_same(&wanted[2 * i + 1], &found);
            }
        }
        session_close(s);
    }
    assert_true(refusals > 0 && rescues > 20);
}

static void a_run_goes_on_when_its_device_fails(void **state)
{
    struct session *sound = *state;
    char error[DEVICE_TEXT];
    struct session *s = open_flaky(700, error);
    assert_non_null(s);
    run(s, "run");
    while (session_steps(s) < 30)
        assert_true(session_running(s) && session_pump(s, 1));
    assert_true(s->rescued && strstr(s->message, "on the cpu"));
    run(sound, "step 30");
    struct digests wanted = digests(sound), found = digests(s);
    assert_same(&wanted, &found);
    run(s, "goto 3"); /* and back over the place */
    run(sound, "goto 3");
    wanted = digests(sound);
    found = digests(s);
    assert_same(&wanted, &found);
    session_close(s);
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(phases_and_steps_reach_the_same_bits),
        WITH_SESSION(lanes_keep_together_phase_by_phase),
        WITH_SESSION(a_twin_and_looking_change_no_bit),
        WITH_SESSION(the_twin_is_the_fp32_run),
        WITH_SESSION(restarting_repeats_the_run),
        WITH_SESSION(running_is_pumped),
        WITH_SESSION(mistakes_leave_everything_as_it_was),
        WITH_SESSION(setup_commands_reach_the_trainers),
        WITH_SESSION(a_new_task_brings_its_defaults),
        WITH_SESSION(values_are_focused_and_flipped),
        WITH_SESSION(updates_are_asked_about),
        WITH_SESSION(claims_compare_exactly),
        WITH_SESSION(a_failing_device_is_survived),
        WITH_SESSION(a_run_goes_on_when_its_device_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
