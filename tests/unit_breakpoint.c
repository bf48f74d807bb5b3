/* Breakpoints, and the way back to the first cause. */
#include "session_test.h"
#include "trace.h"

static void run_on(struct session *s, long most)
{
    run(s, "continue");
    for (long i = 0; i < most && session_running(s); i++)
        assert_true(session_pump(s, 1));
}

/* ---- reading ---- */

static void conditions_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum breakpoint_kind kind;
    } good[] = {
        {"overflow", BREAK_OVERFLOW},
        {"nan", BREAK_NAN},
        {"underflow", BREAK_UNDERFLOW},
        {"underflow h1", BREAK_UNDERFLOW},
        {"skip", BREAK_SKIP},
        {"scale", BREAK_SCALE},
        {"lost >50%", BREAK_LOST},
        {"divergence", BREAK_DIVERGENCE},
        {"loss <0.5", BREAK_LOSS},
        {"loss > 2^-3", BREAK_LOSS},
        {"change fc1.weight[0,0]", BREAK_CHANGE},
        {"step 100", BREAK_STEP},
    };
    static const char *const bad[] = {
        "",         "over",    "overflow x", "lost",   "lost >x%",
        "loss 0.5", "loss <",  "loss <inf",  "change", "step",
        "step 0",   "step -1", "step 1x",    "nan 1",  "step 99999999999999999999"};
    struct breakpoint b;
    char error[160], long_text[300];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        if (!breakpoint_parse(good[i].text, &b, error))
            fail_msg("%s: %s", good[i].text, error);
        assert_int_equal(b.kind, good[i].kind);
        assert_string_equal(b.text, good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(breakpoint_parse(bad[i], &b, error));
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_false(breakpoint_parse(long_text, &b, error));
    assert_true(breakpoint_parse("lost 12.5%", &b, error));
    assert_true(b.limit == 12.5);
}

/* ---- stopping ---- */

/* The first weight whose update was lost, and the first that an update moved, found here once more. */
static void lost_and_changed_weights_are_named(void **state)
{
    struct session *s = *state;
    char element[2][96] = {"", ""};
    run(s, "recipe bf16-pure");
    run(s, "break lost >10%");
    run(s, "step 3");
    expect(s, "stopped == 1");
    run(s, "out");
    struct trainer *t = s->lanes[0].trainer;
    for (int kind = 0; kind < 2; kind++) {
        const struct tensor *x = trainer_param_tensor(t, kind ? 2 : 0, TENSOR_WEIGHT);
        uint16_t now[1024], before[1024];
        float delta[1024];
        long n = x->rows * x->cols, i = 0;
        assert_true(n <= 1024 && trainer_read(t, x, 0, n, now));
        assert_true(trainer_read(t, trainer_param_tensor(t, x->param, TENSOR_PREVIOUS), 0, n, before));
        assert_true(trainer_read(t, trainer_param_tensor(t, x->param, TENSOR_DELTA), 0, n, delta));
        while (i < n && (kind ? now[i] == before[i] : now[i] != before[i] || delta[i] == 0))
            i++;
        assert_true(i < n);
        snprintf(element[kind], sizeof element[kind], "%s[%ld,%ld]: ", x->name, i / x->cols, i % x->cols);
    }
    run(s, "goto 0");
    run(s, "step");
    print_message("%s\n", s->why);
    assert_ptr_equal(strstr(s->why, element[0]), s->why);
    assert_non_null(strstr(s->why, " in bf16 (update); "));
    assert_non_null(strstr(s->why, " updates left their weights as they were"));
    run(s, "break-delete all");
    run(s, "break change fc2.weight"); /* any of its elements */
    run(s, "goto 0");
    run(s, "step");
    print_message("%s\n", s->why);
    assert_ptr_equal(strstr(s->why, element[1]), s->why);
    assert_non_null(strstr(s->why, " in bf16 (update)"));
}

static void an_overflow_is_explained_to_the_bit(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=16777216");
    run(s, "break overflow");
    run_on(s, 50);
    assert_true(s->stopped && !session_running(s));
    expect(s, "step == 0");
    expect(s, "phase == check");
    print_message("%s\n", s->message);
    assert_non_null(strstr(s->message, "break overflow in step 1, after backward: "));
    assert_non_null(strstr(s->why, "16777216 × "));
    assert_non_null(strstr(s->why, "65520 → "));
    assert_non_null(strstr(s->why, "; the step will be skipped, scale 16777216 → 8388608"));
    run(s, "why");
    expect(s, "phase == backward");
    assert_non_null(strstr(s->why, "; the step will be skipped, scale 16777216 → 8388608"));
    run(s, "out");
    expect(s, "stopped == 1"); /* over the place once more: it counts once more */
    expect(s, "phase == check");
    assert_int_equal(s->breaks[0].hits, 2);
    run(s, "out");
    expect(s, "stopped == 0");
    expect(s, "step == 1");
    /* The same sum by the FP32 run at that scale: the number before rounding is no guess. */
    struct incident in;
    assert_true(incident_in_place(s->lanes[0].trainer, INCIDENT_NOT_FINITE, NULL, true, &in));
    assert_true(in.found && in.has_before && fabsf(in.before) >= 65520.0f && isfinite(in.before));
    run(s, "continue");
    assert_true(session_running(s) && session_pump(s, 1));
    assert_int_equal(s->breaks[0].hits, 3);
    expect(s, "stopped == 1");
    run(s, "out");
    char first[TEXT_LINE];
    snprintf(first, sizeof first, "%s", s->why);
    char digest[24];
    snprintf(digest, sizeof digest, "%s", fact(s, "state-digest"));
    run(s, "why");
    expect(s, "step == 1");
    assert_true(session_in_step(s));
    assert_non_null(strstr(s->why, "65520 → "));
    run(s, "break-delete all");
    run(s, "out");
    assert_string_equal(digest, fact(s, "state-digest"));
}

/* The value before rounding, rounded by the cast's kernel, is the stored one: in every launch of a step. */
static void numbers_before_rounding_round_to_what_is_stored(void **state)
{
    struct session *s = *state;
    static const char *const recipes[] = {"O1", "O2", "O3", "bf16", "bf16-pure", "fp32"};
    int told = 0;
    for (int r = 0; r < 6; r++) {
        char line[40];
        snprintf(line, sizeof line, "recipe %s", recipes[r]);
        run(s, line);
        run(s, "step 3");
        struct trainer *t = s->lanes[0].trainer;
        for (int launch = 0; launch < trainer_launch_count(t); launch++) {
            int outputs[TRAINER_MAX_TENSORS];
            run(s, "into");
            int n = trace_outputs(t, launch, outputs);
            for (int i = 0; i < n; i++) {
                const struct tensor *x = trainer_tensor(t, outputs[i]);
                if (!trace_can_tell(t, launch, x))
                    continue;
                long size = x->rows * x->cols;
                float *before = malloc((size_t)size * sizeof *before);
                void *after = trace_download(t, x);
                assert_true(trace_before(t, launch, x, before));
                uint32_t *from = device_alloc(s->device, (size_t)size * 4),
                         *to = device_alloc(s->device, (size_t)size * 4);
                uint32_t *counters = device_alloc(s->device, 64);
                struct cast_args cast = {from, to, size, counters};
                device_upload(s->device, from, before, (size_t)size * 4);
                device_launch(s->device, KERNEL_FOR(cast_to, x->format), &cast);
                assert_memory_equal(to, after, (size_t)size * (x->format == FORMAT_FP32 ? 4 : 2));
                device_release(s->device, from);
                device_release(s->device, to);
                device_release(s->device, counters);
                free(before);
                free(after);
                told++;
            }
        }
    }
    assert_true(told > 100);
}

/* A weight that its own update makes 0, in the weights' low format. */
static void a_weight_that_becomes_zero_is_explained(void **state)
{
    struct session *s = *state;
    run(s, "recipe fp16-pure");
    run(s, "lr 0.00029993");
    run(s, "set fc1.weight[0,0] = -0.00029993");
    run(s, "break underflow fc1.weight");
    run(s, "step");
    print_message("%s\n", s->why);
    expect(s, "stopped == 1");
    expect(s, "phase == rescale");
    assert_non_null(strstr(s->why, "fc1.weight[0,0]: -2.8"));
    assert_non_null(strstr(s->why, "e-9 ≥ -2^-25 → -0 in fp16 (update)"));
    run(s, "why");
    assert_non_null(strstr(s->why, "→ -0 in fp16 (update)"));
}

static void every_condition_stops(void **state)
{
    struct session *s = *state;
    run(s, "recipe bf16-pure");
    run(s, "break lost >50%");
    run_on(s, 300);
    assert_true(s->stopped);
    expect(s, "phase == rescale");
    run(s, "out");
    expect(s, "stopped == 0");
    assert_true((double)s->lanes[0].lost * 2 > (double)s->lanes[0].updates);
    run(s, "break-delete all");
    run(s, "recipe O2");
    run(s, "break change fc2.weight[3,17]");
    run_on(s, 300);
    assert_non_null(strstr(s->why, "fc2.weight[3,17]: "));
    assert_non_null(strstr(s->why, "(update)"));
    expect(s, "phase == sync");
    run(s, "break-delete 1");
    run(s, "restart");
    run(s, "break loss <1.0");
    run_on(s, 3000);
    assert_true(s->stopped && s->lanes[0].state.loss < 1.0f);
    expect(s, "phase == scale");
    run(s, "break-delete all");
    run(s, "break step 7");
    run(s, "restart");
    run(s, "step 100");
    expect(s, "step == 7");
    expect(s, "stopped == 1");
    run(s, "break-toggle 1");
    run(s, "restart");
    run(s, "step 10");
    expect(s, "step == 10");
    run(s, "break-delete all");

    run(s, "recipe O2");
    run(s, "scaler pytorch:init=1024,window=5");
    run(s, "break scale");
    run_on(s, 20);
    expect(s, "step == 5");
    assert_non_null(strstr(s->why, "2^10 → 2^11 (grow)"));
    run(s, "break-delete all");

    run(s, "scaler fixed:1");
    run(s, "loss-weight 2^-12");
    run(s, "break underflow fc1.weight.grad");
    run_on(s, 200);
    assert_true(s->stopped);
    assert_non_null(strstr(s->why, "fc1.weight.grad["));
    assert_non_null(strstr(s->why, "0 in fp16 (backward)"));
    expect(s, "phase == check");
    run(s, "why");
    assert_true(session_in_step(s));
    assert_non_null(strstr(s->why, "0 in fp16"));
    run(s, "break-delete all");

    run(s, "loss-weight 1");
    run(s, "scaler pytorch");
    run(s, "twin O2 fixed:1024");
    run(s, "break divergence");
    run_on(s, 100);
    assert_true(s->stopped);
    assert_non_null(strstr(s->why, "in lane 1 (O2 fixed:1024)"));
    assert_non_null(strstr(s->why, "(backward)"));
    expect(s, "phase == check");
    expect(s, "difference.step == none"); /* the step is open */
    int64_t step = session_position(s).step;
    run(s, "out");
    assert_int_equal(s->differences[session_pair(0, 1)].step, step + 1);
    expect(s, "stopped == 0");
    refuse(s, "break change h1[0,0]", "does not belong to a weight");
    refuse(s, "break underflow nothing", "no tensor");
    refuse(s, "break-toggle 9", "no breakpoint 9");
    refuse(s, "break never", "break at one of");
}

static void why_finds_what_came_first(void **state)
{
    struct session *s = *state;
    run(s, "recipe fp16-pure");
    run(s, "scaler none");
    run(s, "twin off");
    refuse(s, "why", "nothing went wrong");
    run(s, "step 20");
    run(s, "set fc2.weight[3,17] = inf");
    run(s, "step 80"); /* all is NaN by now */
    expect(s, "loss == nan");
    run(s, "why");
    expect(s, "step == 20");
    print_message("%s\n", s->why);
    assert_non_null(strstr(s->why, "by hand"));
    run(s, "goto 100");
    expect(s, "injected == 1");

    run(s, "recipe O3"); /* Adam in FP16: epsilon is 0 there */
    run(s, "optimizer adam");
    run(s, "step 30");
    run(s, "why");
    print_message("%s\n", s->why);
    expect(s, "step == 0");
    assert_true(session_in_step(s));
    run(s, "break nan");
    run(s, "restart");
    run_on(s, 50);
    expect(s, "stopped == 1");
}

static void a_skipped_step_by_hand_is_told_as_such(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "break skip");
    run(s, "step 3");
    run(s, "overflow");
    print_message("%s\n", s->why);
    expect(s, "stopped == 1");
    assert_non_null(strstr(s->why, "by hand"));
    assert_non_null(strstr(s->why, "; step skipped, scale will go 65536 → 32768"));
    expect(s, "phase == sync");
    run(s, "out");
    expect(s, "skipped == 1");
    run(s, "break-delete all");
    run(s, "break overflow");
    run(s, "overflow");
    expect(s, "phase == unscale"); /* the check has found it */
    run(s, "out");
    expect(s, "skipped == 2");
    expect(s, "stopped == 0");
}

/* ---- places in a step ---- */

/* One stop after another in a step, each once, in the order of their phases; and what the run gets to is what
 * it gets to without breakpoints. */
static void a_step_has_many_places(void **state)
{
    struct session *s = *state;
    static const char *const commands[] = {"continue", "step",    "out", "phase 100",
                                           "into 200", "goto 40", "run"};
    char digest[24];
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=16777216,window=3");
    run(s, "twin O2 fixed:1024");
    run(s, "step 12");
    snprintf(digest, sizeof digest, "%s", fact(s, "state-digest"));
    run(s, "restart");
    run(s, "break skip");
    run(s, "break overflow");
    run(s, "break step 1");
    run(s, "break nan");
    run(s, "break-toggle 4");
    run(s, "break loss > 0");
    run(s, "break loss > 1"); /* at one place with the one before */
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        static const char *const phases[] = {"scale", "check", "sync", "cast"};
        if (i > 0)
            run(s, "restart");
        for (int k = 0; k < 4; k++) {
            run(s, commands[i]);
            while (session_running(s))
                session_pump(s, 10);
            expect(s, "stopped == 1");
            assert_string_equal(fact(s, "phase"), phases[k]);
            assert_int_equal(session_position(s).step, k == 3);
            assert_int_equal(position_order(s->history.frontier, session_position(s)), 0);
            assert_false(s->future.behind);
        }
        static const int hits[] = {1, 1, 1, 0, 1, 1}; /* skip overflow step nan loss loss */
        for (int b = 0; b < 6; b++)
            assert_int_equal(s->breaks[b].hits, hits[b] * (int)(i + 1));
    }
    run(s, "back-step");
    run(s, "phase"); /* cast and forward are not watched */
    run(s, "phase");
    expect(s, "stopped == 0");
    run(s, "phase");
    expect(s, "stopped == 1");
    expect(s, "phase == scale");
    assert_true(s->future.behind); /* gone back: what comes is known, and stays so */
    assert_int_equal(s->history.frontier.step, 1);
    for (int stops = 0; session_steps(s) < 12; stops++) {
        assert_true(stops < 100);
        run(s, "step 100");
    }
    run(s, "goto 12");
    assert_string_equal(digest, fact(s, "state-digest"));
}

/* Where a step has been begun by hand, what came true before is not told again, but what comes is. */
static void stepping_by_launches_stops_as_well(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=16777216");
    run(s, "phase 5");
    expect(s, "phase == check");
    run(s, "break overflow");
    run(s, "break skip");
    run(s, "into"); /* the check */
    expect(s, "stopped == 0");
    run(s, "into");
    run(s, "into");
    expect(s, "stopped == 1");
    assert_int_equal(s->hit, BREAK_SKIP);
    assert_int_equal(s->breaks[0].hits, 0);
    run(s, "back-step");
    expect(s, "step == 0");
    expect(s, "stopped == 0");
    int launches = 0;
    for (; !s->stopped; launches++)
        run(s, "into");
    expect(s, "phase == check");
    assert_int_equal(launches, session_position(s).launch);
    assert_int_equal(s->breaks[0].hits, 1);
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_are_read),
        WITH_SESSION(lost_and_changed_weights_are_named),
        WITH_SESSION(an_overflow_is_explained_to_the_bit),
        WITH_SESSION(numbers_before_rounding_round_to_what_is_stored),
        WITH_SESSION(a_weight_that_becomes_zero_is_explained),
        WITH_SESSION(every_condition_stops),
        WITH_SESSION(why_finds_what_came_first),
        WITH_SESSION(a_skipped_step_by_hand_is_told_as_such),
        WITH_SESSION(a_step_has_many_places),
        WITH_SESSION(stepping_by_launches_stops_as_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
