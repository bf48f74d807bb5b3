/* Lanes: up to four, on devices of their own, and what differs between them. */
#include "recording.h"
#include "session_test.h"

static void four_lanes_run_side_by_side(void **state)
{
    struct session *s = *state;
    char alone[24];
    run(s, "recipe O2");
    run(s, "lane add bf16-pure");
    run(s, "lane add O2 fixed:1024");
    assert_int_equal(s->lane_count, 4);
    refuse(s, "lane add O1", "4 lanes at most");
    run(s, "step 30");
    expect(s, "lane1.recipe == fp32");
    expect(s, "lane2.recipe == bf16-pure");
    expect(s, "lane3.recipe == O2 fixed:1024");
    snprintf(alone, sizeof alone, "%s", fact(s, "lane2.state-digest"));
    struct snapshot *p = session_snapshot(s);
    assert_int_equal(p->lane_count, 4);
    assert_int_equal(p->difference_count, 6);
    assert_int_equal(p->lanes[2].drift_count, 6);
    assert_string_equal(p->lanes[2].drifts[0].name, "fc1.weight");
    assert_int_equal(p->lanes[1].drift_count, 0); /* it is what the others drift from */
    assert_true(p->differences[0].found && p->differences[0].step == 1); /* O2 and fp32 */
    snapshot_free(p);
    run(s, "lane drop 1");
    expect(s, "step == 0");
    expect(s, "lane1.recipe == bf16-pure");
    run(s, "lane drop 2");
    run(s, "recipe bf16-pure");
    run(s, "lane drop 1");
    refuse(s, "lane drop 1", "only one");
    run(s, "step 30");
    char claim[64];
    snprintf(claim, sizeof claim, "state-digest == %s", alone);
    expect(s, claim);
    refuse(s, "lane", "missing");
    refuse(s, "lane add nothing", "no recipe");
    refuse(s, "lane add O2 fixed:x", "fixed:x");
    refuse(s, "lane add O2 fixed:1 abacus", "cpu or cuda");
    refuse(s, "lane turn", "lane add");
}

/* A lane with a master, or with another rounding of updates, is the run that lane 0 is with it. */
static void lanes_are_variants_of_recipes(void **state)
{
    struct session *s = *state;
    char claim[3][64];
    run(s, "twin off");
    run(s, "recipe bf16-pure");
    run(s, "lane add bf16-pure update-rounding=kahan");
    run(s, "lane add O2 cpu master=off fixed:1024");
    run(s, "lane add bf16-pure+master update-rounding=sr");
    expect(s, "lane1.recipe == bf16-pure+kahan");
    expect(s, "lane2.recipe == O2-master fixed:1024 cpu");
    expect(s, "lane3.recipe == bf16-pure+master+sr");
    run(s, "step 20");
    for (int i = 1; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "lane%d.state-digest", i);
        snprintf(claim[i - 1], sizeof claim[0], "state-digest == %s", fact(s, name));
    }
    assert_string_not_equal(claim[0], claim[2]);
    static const char *const same[3][4] = {{"recipe bf16-pure", "update-rounding kahan"},
                                           {"recipe O2", "scaler fixed:1024", "master off"},
                                           {"recipe bf16-pure", "master on", "update-rounding sr"}};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 4 && same[i][k]; k++)
            run(s, same[i][k]);
        run(s, "step 20");
        expect(s, claim[i]);
    }
    run(s, "twin bf16-pure update-rounding=kahan");
    expect(s, "twin.recipe == bf16-pure+kahan");
    run(s, "lane drop 3");
    refuse(s, "lane add O2 master=maybe", "master=maybe");
    refuse(s, "lane add fp32 master=on", "nothing that fp32 can have");
    refuse(s, "lane add O2+up", "no recipe 'O2+up'");
    refuse(s, "lane add fp32+master", "no recipe");
    refuse(s, "lane add O2 update-rounding=up", "update-rounding=up");
    refuse(s, "lane add O2 cpu cuda", "master=on|off");
    refuse(s, "lane add O2 none fixed:1", "master=on|off");
    refuse(s, "lane add master=off O2", "no recipe");
    refuse(s, "twin on fixed:1", "takes nothing more");
}

static void drift_by_tensor_adds_up(void **state)
{
    struct session *s = *state;
    double norms[TRAINER_MAX_TENSORS], all, sum = 0;
    run(s, "recipe bf16-pure");
    run(s, "step 50");
    assert_true(session_drift(s, 0, &all));
    assert_true(session_drift_of(s, 0, norms));
    for (int p = 0; p < trainer_param_count(s->lanes[0].trainer); p++)
        sum += norms[p] * norms[p];
    assert_true(fabs(sqrt(sum) - all) < 1e-9 * all && all > 0);
    assert_true(strtod(fact(s, "drift.fc2.weight"), NULL) == norms[2]);
}

static void first_differences_name_the_place(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "twin O2 fixed:65536");
    run(s, "step 40"); /* the same scale: not one bit differs */
    expect(s, "difference.step == none");
    run(s, "lane add O2 fixed:1");
    run(s, "step 3");
    expect(s, "difference.0-2.step == 1");
    expect(s, "difference.0-2.phase == backward");
    expect(s, "difference.1-2.step == 1");
    expect(s, "difference.0-1.step == none");
    run(s, "lane add bf16-pure");
    run(s, "step 1");
    expect(s, "difference.0-3.phase == forward");
    expect(s, "difference.0-3.tensor == z1");
    run(s, "set h2[3,4] = 0.5"); /* in what is between two steps nothing reads it */
    run(s, "step 1");
    expect(s, "difference.0-1.step == none");
    run(s, "set fc3.weight.master[1,2] = 0.5");
    run(s, "step 2");
    expect(s, "difference.0-1.step == 3");
    run(s, "goto 1");
    expect(s, "difference.0-1.step == none");
}

/* A second device of another name: here the same processor with the plainest instructions. */
struct other {
    struct device base;
    struct device *inner;
};

static struct device *inner(struct device *d)
{
    return ((struct other *)d)->inner;
}
static void other_close(struct device *d)
{
    device_close(inner(d));
    free(d);
}
static void *other_alloc(struct device *d, size_t bytes)
{
    return device_alloc(inner(d), bytes);
}
static void other_release(struct device *d, void *memory)
{
    device_release(inner(d), memory);
}
static bool other_upload(struct device *d, void *to, const void *from, size_t bytes)
{
    return device_upload(inner(d), to, from, bytes);
}
static bool other_download(struct device *d, void *to, const void *from, size_t bytes)
{
    return device_download(inner(d), to, from, bytes);
}
static bool other_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    return device_launch(inner(d), kernel, args);
}
static bool other_sync(struct device *d)
{
    return device_sync(inner(d));
}

/* It records launches as a GPU does. */
struct recorder {
    struct other other;
    struct recording *now;
    int replays;
};

static bool recorder_record(struct device *d)
{
    ((struct recorder *)d)->now = calloc(1, sizeof(struct recording));
    return true;
}
static void *recorder_recorded(struct device *d)
{
    struct recording *r = ((struct recorder *)d)->now;
    ((struct recorder *)d)->now = NULL;
    return r;
}
static bool recorder_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    struct recording *r = ((struct recorder *)d)->now;
    if (!r)
        return other_launch(d, kernel, args);
    return recording_add(r, kernel, args);
}
static bool recorder_replay(struct device *d, void *recording)
{
    ((struct recorder *)d)->replays++;
    return recording_play(recording, d, other_launch);
}

static const struct device_ops recorder_ops = {
    .close = other_close,
    .alloc = other_alloc,
    .release = other_release,
    .upload = other_upload,
    .download = other_download,
    .launch = recorder_launch,
    .sync = other_sync,
    .record = recorder_record,
    .recorded = recorder_recorded,
    .replay = recorder_replay,
    .forget = recording_forget,
};

static void two_devices_agree_to_the_last_bit(void **state)
{
    (void)state;
    char error[DEVICE_TEXT];
    struct recorder *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->other.base.ops = &recorder_ops;
    d->other.base.name = "recorder";
    d->other.inner = device_open_cpu("baseline", 1, error);
    assert_non_null(d->other.inner);
    struct session *s = session_open_on(&d->other.base, false, error);
    assert_non_null(s);
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=16777216,window=7");
    run(s, "lane add O2 pytorch:init=16777216,window=7 cpu");
    assert_ptr_not_equal(s->lanes[0].device, s->lanes[1].device);
    run(s, "lane add fp32 cpu");
    run(s, "step 40");
    assert_true(d->replays >= 40); /* whole steps are replays */
    run(s, "phase 6");
    run(s, "lr 1e-3"); /* recorded arguments point to it */
    run(s, "step 3");
    run(s, "back-step 20");
    run(s, "step 30");
    expect(s, "difference.0-1.step == none");
    expect(s, "state-digest == lane1.state-digest");
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->lanes[0].device, "recorder");
    assert_string_equal(p->lanes[1].device, "cpu");
    assert_string_equal(p->lanes[0].drift, p->lanes[1].drift); /* from a lane of the other device */
    assert_true(*p->lanes[0].drift);
    snapshot_free(p);
    session_close(s);
}

static void watch_and_map_show_what_is_there(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "weight fc2.weight[3,17]");
    run(s, "heat h1");
    run(s, "step 100");
    struct snapshot *p = session_snapshot(s);
    assert_true(p->watch_count > 16); /* as many as there are images of steps */
    const struct watch_point *last = &p->watch_history[p->watch_count - 1];
    assert_int_equal(last->step, 100);
    assert_true(last->value[0] == strtod(fact(s, "watch.new.value"), NULL));
    assert_true(isnan(last->value[2]) && !isnan(last->value[1]));
    assert_true(p->heat.valid);
    assert_int_equal(p->heat.rows, 64);
    assert_int_equal(p->heat.cols, 32);
    assert_int_equal(p->heat.row_step, 12);
    assert_true(p->heat.highest <= 0 && p->heat.lowest < 0); /* tanh */
    snapshot_free(p);
    run(s, "set h1[0,0] = nan");
    run(s, "set h1[767,31] = -inf");
    run(s, "set h1[12,1] = 0x1p-24");
    p = session_snapshot(s);
    assert_int_equal(p->heat.class[0][0], HEAT_NAN);
    assert_int_equal(p->heat.class[63][31], HEAT_INFINITE);
    assert_int_equal(p->heat.lowest, -24);
    snapshot_free(p);
    refuse(s, "heat nothing", "no tensor");
    run(s, "heat");
    p = session_snapshot(s);
    assert_false(p->heat.valid);
    snapshot_free(p);
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(four_lanes_run_side_by_side),
        WITH_SESSION(lanes_are_variants_of_recipes),
        WITH_SESSION(drift_by_tensor_adds_up),
        WITH_SESSION(first_differences_name_the_place),
        cmocka_unit_test(two_devices_agree_to_the_last_bit),
        WITH_SESSION(watch_and_map_show_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
