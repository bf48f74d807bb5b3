/* Going back: every place of a run is the same whichever way one gets there. */
#include "session_test.h"
#include <time.h>

/* ---- the list itself ---- */

static void add(struct history *h, int64_t step, size_t bytes)
{
    struct checkpoint c = {.step = step, .ledger = malloc(1), .bytes = bytes};
    assert_non_null(c.ledger);
    history_add(h, &c);
}

static void checkpoints_thin_with_their_age(void **state)
{
    (void)state;
    struct history h;
    history_open(&h);
    for (int64_t step = 0; step <= 20000; step++)
        add(&h, step, 1000);
    assert_true(history_has(&h, 0));
    for (int64_t step = 20000 - 16; step <= 20000; step++)
        assert_true(history_has(&h, step));
    for (int64_t step = 20000 - 1024; step < 20000 - 16; step++)
        assert_int_equal(history_has(&h, step), step % 32 == 0);
    assert_true(h.count < 330);
    for (int64_t step = 0; step < 20000; step += 7) { /* never further than an eighth of the way */
        const struct checkpoint *c = history_find(&h, step);
        assert_non_null(c);
        int64_t age = 20000 - step;
        assert_true(c->step <= step && step - c->step <= (age <= 1024 ? 63 : age / 8));
    }
    assert_int_equal(h.used, (size_t)h.count * 1000);
    history_set_budget(&h, 100000, 20000);
    assert_true(h.used <= 100000 && history_has(&h, 0) && history_has(&h, 20000));
    history_set_budget(&h, 1, 20000);
    assert_int_equal(h.count, 2);
    history_clear(&h);
}

static void the_end_of_the_run_stays_near(void **state)
{
    (void)state;
    struct history h;
    history_open(&h);
    for (int64_t step = 0; step <= 20000; step++) {
        add(&h, step, 1000);
        h.frontier = (struct position){step, 0};
    }
    for (int64_t step = 85; step <= 100; step++) /* the person is far away from it */
        add(&h, step, 1000);
    for (int64_t step = 20000 - 1024; step <= 20000; step++)
        assert_int_equal(history_has(&h, step), step % 32 == 0 || step >= 20000 - 16);
    assert_true(history_has(&h, 100 - 15));
    assert_true(h.count < 400);
    history_set_budget(&h, 100000, 100);
    assert_true(h.used <= 100000 && history_has(&h, 0) && history_has(&h, 100) && history_has(&h, 20000));
    history_truncate(&h, (struct position){100, 0}); /* another future: the old end is of no use */
    add(&h, 101, 1000);
    assert_true(history_has(&h, 101) && !history_has(&h, 20000));
    history_clear(&h);
}

static void changes_wait_at_their_places(void **state)
{
    (void)state;
    struct history h;
    history_open(&h);
    add(&h, 0, 1);
    assert_true(history_log(&h, (struct position){3, 0}, COMMAND_LR, "1"));
    assert_true(history_log(&h, (struct position){3, 0}, COMMAND_LR, "2")); /* replaces the first */
    assert_true(history_log(&h, (struct position){3, 5}, COMMAND_INJECT, ""));
    assert_int_equal(h.change_count, 2);
    history_rewind(&h, 0);
    assert_null(history_due(&h, (struct position){2, 9}));
    assert_true(history_waits(&h, 3) && !history_waits(&h, 2));
    assert_string_equal(history_due(&h, (struct position){3, 0})->argument, "2");
    h.applied++;
    assert_null(history_due(&h, (struct position){3, 4}));
    history_truncate(&h, (struct position){3, 4});
    assert_int_equal(h.change_count, 1);
    history_rewind(&h, 4);
    assert_int_equal(h.applied, 1);
    history_clear(&h);
}

/* ---- sessions ---- */

/* Everything that a place decides. */
struct visit {
    bool seen;
    char facts[8][40];
    uint64_t tensors; /* a hash of every tensor of every lane */
};

static uint64_t hash_tensors(struct session *s)
{
    uint64_t hash = 1;
    unsigned char data[768 * 32 * 4];
    for (int lane = 0; lane < s->lane_count; lane++)
        for (int i = 0; i < trainer_tensor_count(s->lanes[lane].trainer); i++) {
            const struct tensor *x = trainer_tensor(s->lanes[lane].trainer, i);
            size_t n = (size_t)(x->rows * x->cols);
            assert_true(n * 4 <= sizeof data);
            assert_true(trainer_read(s->lanes[lane].trainer, x, 0, (long)n, data));
            for (size_t k = 0; k < n * (x->format == FORMAT_FP32 ? 4 : 2); k++)
                hash = (hash ^ data[k]) * UINT64_C(0x100000001b3);
        }
    return hash;
}

static struct visit look(struct session *s)
{
    static const char *const names[8] = {"state-digest", "twin.state-digest", "lost-total%",
                                         "skipped",      "overflow.tensor",   "updates",
                                         "loss",         "twin.first.loss"};
    struct visit v = {.seen = true, .tensors = hash_tensors(s)};
    for (int i = 0; i < 8; i++)
        snprintf(v.facts[i], sizeof v.facts[i], "%.39s", fact(s, names[i]));
    return v;
}

static void assert_same(const struct visit *a, const struct visit *b)
{
    for (int i = 0; i < 8; i++)
        assert_string_equal(a->facts[i], b->facts[i]);
    assert_int_equal(a->tensors, b->tensors);
}

enum { STEPS = 90, LAUNCHES = 40 };

static struct visit (*visits)[LAUNCHES];

static void visit_here(struct session *s)
{
    struct position p = session_position(s);
    if (p.step >= STEPS)
        return;
    struct visit now = look(s), *first = &visits[p.step][p.launch];
    if (first->seen)
        assert_same(first, &now);
    *first = now;
}

static unsigned turn(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Some of all kinds, so that a step has several places to stop at. */
static void set_breaks(struct session *s)
{
    run(s, "break overflow");
    run(s, "break underflow");
    run(s, "break skip");
    run(s, "break scale");
    run(s, "break lost >10%");
    run(s, "break divergence");
    run(s, "break loss <0.2");
    run(s, "break change fc1.weight[0,0]");
    run(s, "break step 20");
}

/* Half of the way breakpoints are on: they end ways early, and change nothing else. */
static void random_walks_find_every_place_again(void **state)
{
    struct session *s = *state;
    static const char *const recipes[] = {"O2", "bf16-pure", "O3"};
    unsigned random = 7;
    for (int walk = 0; walk < 3; walk++) {
        char line[40];
        snprintf(line, sizeof line, "recipe %s", recipes[walk]);
        run(s, "task xor");
        run(s, line);
        if (walk == 0)
            run(s, "scaler pytorch:init=65536,window=3");
        visits = calloc(STEPS, sizeof *visits);
        assert_non_null(visits);
        run(s, "break-delete all");
        set_breaks(s);
        int stops = 0;
        visit_here(s);
        for (int i = 0; i < 1000; i++) {
            for (int b = 0; i % 100 == 0 && b < s->break_count; b++)
                s->breaks[b].enabled = i % 200 != 0 && turn(&random) % 2;
            struct position p = session_position(s);
            unsigned what = turn(&random) % 10;
            if (what == 0)
                snprintf(line, sizeof line, "goto %u", turn(&random) % (STEPS - 5));
            else if (p.step > STEPS - 4)
                snprintf(line, sizeof line, "back-step %u", 1 + turn(&random) % 20);
            else if (what == 1 && p.step > 8)
                snprintf(line, sizeof line, "back-step %u", 1 + turn(&random) % 8);
            else if (what == 2 && p.step > 0)
                snprintf(line, sizeof line, "back-phase");
            else if (what == 3 && p.step > 0)
                snprintf(line, sizeof line, "back-op");
            else if (what < 6)
                snprintf(line, sizeof line, "into %u", 1 + turn(&random) % 3);
            else
                snprintf(line, sizeof line, what == 6 ? "step 3" : what == 7 ? "out" : "phase");
            run(s, line);
            stops += s->stopped;
            visit_here(s);
            assert_true(position_order(session_position(s), s->history.frontier) <= 0);
        }
        print_message("stopped %d times\n", stops);
        assert_true(stops > 20);
        free(visits);
    }
}

static void changes_are_repeated_where_they_were(void **state)
{
    struct session *s = *state;
    struct visit at[5];
    run(s, "task xor");
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=256");
    run(s, "step 4");
    run(s, "lr 0.05");
    at[0] = look(s);
    run(s, "phase 5");
    run(s, "set fc1.weight.grad[0,1] = 0.1");
    at[1] = look(s);
    run(s, "step 2");
    run(s, "overflow");
    run(s, "flip-at fc1.weight.master[0,0] 22");
    at[2] = look(s);
    run(s, "step 20");
    at[3] = look(s);
    expect(s, "injected == 3");
    expect(s, "skipped == 1");
    run(s, "goto 4");
    at[4] = look(s);
    assert_same(&at[0], &at[4]);
    expect(s, "injected == 0");
    run(s, "phase 5");
    at[4] = look(s);
    assert_same(&at[1], &at[4]);
    run(s, "goto 7");
    at[4] = look(s);
    assert_same(&at[2], &at[4]);
    run(s, "step 20");
    at[4] = look(s);
    assert_same(&at[3], &at[4]);
    run(s, "goto 3");
    expect(s, "last-step == 27");
    run(s, "lr 0.05"); /* another future */
    expect(s, "last-step == 3");
    run(s, "step 10");
    expect(s, "skipped == 0");
    expect(s, "injected == 0");
}

/* Every kind of tensor: what is put in is gone before its place, and there again behind it. */
static void every_tensor_goes_back(void **state)
{
    struct session *s = *state;
    static const char *const recipes[] = {"fp32", "O2", "bf16"};
    for (int i = 0; i < 3; i++) {
        char line[80];
        run(s, "task xor");
        snprintf(line, sizeof line, "recipe %s", recipes[i]);
        run(s, line);
        for (int k = 0; k < trainer_tensor_count(s->lanes[0].trainer); k++) {
            run(s, "restart");
            run(s, "step 3");
            struct visit before = look(s), after, now;
            run(s, "step");
            snprintf(line, sizeof line, "flip-at %s[0] 13", trainer_tensor(s->lanes[0].trainer, k)->name);
            run(s, line);
            run(s, "step 2");
            after = look(s);
            run(s, "goto 3");
            now = look(s);
            assert_same(&before, &now);
            run(s, "goto 6");
            now = look(s);
            assert_same(&after, &now);
            run(s, "step 40"); /* from an image behind the change */
            run(s, "goto 6");
            now = look(s);
            assert_same(&after, &now);
        }
    }
}

static void values_put_in_are_rounded_once(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "step 1");
    run(s, "set fc1.weight[1,2] = 1 + 2^-11 + 2^-40"); /* just above a tie of fp16 */
    const struct tensor *x;
    long row, col;
    uint16_t bits = 0;
    char error[160];
    assert_true(session_tensor_find(s, "fc1.weight[1,2]", &x, &row, &col, error));
    assert_int_equal(x->format, FORMAT_FP16);
    assert_true(trainer_read(s->lanes[0].trainer, x, row * x->cols + col, 1, &bits));
    assert_int_equal(bits, 0x3c01);
    run(s, "flip-at fc1.weight[1,2] 15");
    assert_true(trainer_read(s->lanes[0].trainer, x, row * x->cols + col, 1, &bits));
    assert_int_equal(bits, 0xbc01);
    run(s, "set h1[767,31] = inf");
    refuse(s, "set h1[768,0] = 1", "768");
    refuse(s, "set fc1.weight = 1", "element");
    refuse(s, "set fc1.weight[0,0] =", "missing");
    refuse(s, "set fc1.weight[0,0] = 0.1x", "not a number");
    refuse(s, "set nothing[0] = 1", "no tensor");
    refuse(s, "flip-at fc1.weight[0,0] 16", "from 0 to 15");
    refuse(s, "flip-at fc1.weight[0,0", "element");
}

static void there_is_nothing_before_the_start(void **state)
{
    struct session *s = *state;
    run(s, "step 3");
    refuse(s, "back-step 4", "3 steps old");
    run(s, "back-step 3");
    expect(s, "step == 0");
    refuse(s, "back-step", "0 steps old");
    refuse(s, "back-op", "begins");
    refuse(s, "back-phase", "begins");
    run(s, "into");
    run(s, "back-step");
    expect(s, "step == 0");
    expect(s, "phase == cast");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void curves_stay_whole_and_jumps_are_short(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "step 1500");
    struct series whole = s->lanes[0].loss_curve;
    double worst = 0;
    for (int i = 0; i < 12; i++) {
        char line[40];
        snprintf(line, sizeof line, "goto %d", i % 2 ? 1490 - i : 511 + 61 * i);
        double start_time = seconds();
        run(s, line);
        double took = seconds() - start_time;
        worst = took > worst ? took : worst;
        struct snapshot *p = session_snapshot(s);
        assert_int_equal(p->last_step, 1500);
        assert_int_equal(p->lanes[0].loss_curve.count, whole.count);
        snapshot_free(p);
    }
    print_message("the longest jump took %.1f ms\n", 1000 * worst);
    run(s, "goto 1500");
    assert_memory_equal(&whole, &s->lanes[0].loss_curve, sizeof whole);
    run(s, "budget 1");
    assert_true(s->history.used <= 1 << 20);
    struct visit before = look(s), after;
    run(s, "goto 700");
    run(s, "goto 1500");
    after = look(s);
    assert_same(&before, &after);
    struct snapshot *p = session_snapshot(s);
    assert_non_null(strstr(p->history, "of 1 MB"));
    snapshot_free(p);
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checkpoints_thin_with_their_age),
        cmocka_unit_test(the_end_of_the_run_stays_near),
        cmocka_unit_test(changes_wait_at_their_places),
        WITH_SESSION(random_walks_find_every_place_again),
        WITH_SESSION(changes_are_repeated_where_they_were),
        WITH_SESSION(every_tensor_goes_back),
        WITH_SESSION(values_put_in_are_rounded_once),
        WITH_SESSION(there_is_nothing_before_the_start),
        WITH_SESSION(curves_stay_whole_and_jumps_are_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
