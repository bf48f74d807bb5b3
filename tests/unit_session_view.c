/* Snapshots: the watched weight, events, curves, histogram and scaler are what is in memory. */
#include "session_test.h"

/* ---- the watched weight ---- */

static uint32_t element(struct session *s, enum tensor_role role)
{
    const struct tensor *x = trainer_param_tensor(s->lanes[0].trainer, s->watch_param, role);
    uint32_t bits = 0;
    assert_non_null(x);
    assert_true(trainer_read(s->lanes[0].trainer, x, s->watch_row * x->cols + s->watch_col, 1, &bits));
    return bits;
}

static const struct watch_row *row(const struct watch_view *v, const char *label)
{
    for (int i = 0; i < v->count; i++)
        if (strncmp(v->rows[i].label, label, strlen(label)) == 0)
            return &v->rows[i];
    fail_msg("no row '%s'", label);
    return NULL;
}

static void watch_rows_are_what_memory_holds(void **state)
{
    struct session *s = *state;
    struct watch_view v;
    run(s, "recipe O2");
    run(s, "weight fc2.weight[5,6]");
    run(s, "step 4");
    for (int i = 0; i < 3; i++) {
        uint32_t master = element(s, TENSOR_MASTER), low = element(s, TENSOR_WEIGHT);
        enum phase next;
        do {
            run(s, "phase");
            memset(&v, 0, sizeof v);
            assert_true(session_view_watch(s, &v));
            next = trainer_next_phase(s->lanes[0].trainer);
            bool whole = next == PHASE_CAST;
            assert_string_equal(v.name, "fc2.weight[5,6]");
            assert_int_equal(row(&v, "master")->bits, master);
            assert_int_equal(row(&v, "cast")->bits, low); /* the same bits by another kernel */
            assert_int_equal(row(&v, "gradient × 2^16")->valid, whole || next > PHASE_BACKWARD);
            assert_int_equal(row(&v, "unscaled")->valid, whole || next > PHASE_UNSCALE);
            assert_int_equal(row(&v, "new master")->valid, whole || next > PHASE_UPDATE);
            assert_int_equal(row(&v, "new cast")->valid, whole || next > PHASE_SYNC);
        } while (next != PHASE_CAST);
        assert_int_equal(row(&v, "gradient")->bits, element(s, TENSOR_GRADIENT));
        assert_int_equal(row(&v, "unscaled")->bits, element(s, TENSOR_UNSCALED));
        assert_int_equal(row(&v, "Δ (adam)")->bits, element(s, TENSOR_DELTA));
        assert_int_equal(row(&v, "new master")->bits, element(s, TENSOR_MASTER));
        assert_int_equal(row(&v, "new cast")->bits, element(s, TENSOR_WEIGHT));
        assert_int_equal(row(&v, "master")->bits, element(s, TENSOR_PREVIOUS));
    }
}

static void every_recipe_can_be_watched(void **state)
{
    static const struct {
        const char *recipe;
        int rows;
    } cases[] = {{"fp32", 4}, {"O1", 6},        {"O2", 7},       {"O3", 5},
                 {"bf16", 6}, {"fp16-pure", 5}, {"bf16-pure", 5}};
    struct session *s = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[40];
        struct watch_view v = {0};
        snprintf(line, sizeof line, "recipe %s", cases[i].recipe);
        run(s, line);
        run(s, "optimizer sgd");
        run(s, "lr 0.1");
        run(s, "step 2");
        assert_true(session_view_watch(s, &v));
        assert_int_equal(v.count, cases[i].rows);
        for (int k = 0; k < v.count; k++)
            assert_true(v.rows[k].valid);
    }
    run(s, "update-rounding kahan");
    run(s, "step 2");
    expect(s, "watch.c != 0x7fff");
}

static void a_live_weight_is_followed(void **state)
{
    struct session *s = *state;
    run(s,
        "weight fc1.weight.grad[40]"); /* counted through the rows: [1,8]; a gradient stands for its weight */
    assert_int_equal(s->watch_row, 1);
    assert_int_equal(s->watch_col, 8);
    struct snapshot *p = session_snapshot(s);
    assert_true(p->live);
    assert_string_equal(p->focus, "fc1.weight[1,8]");
    assert_false(p->update_valid);
    snapshot_free(p);
    for (int i = 0; i < 5; i++) {
        run(s, "step");
        p = session_snapshot(s);
        assert_int_equal(p->bits.rows[FORMAT_BF16].bits, element(s, TENSOR_WEIGHT));
        assert_true(p->update_valid);
        snapshot_free(p);
        /* The probe's kernel and the trainer's make the same update of the same weight. */
        assert_string_equal(fact(s, "update.bf16.first"), fact(s, "watch.new"));
        snapshot_free(session_snapshot(s));
    }
    run(s, "value 2");
    p = session_snapshot(s);
    assert_false(p->live);
    assert_string_equal(p->watch.name, "fc1.weight[1,8]");
    snapshot_free(p);
}

/* ---- events ---- */

static const struct event *find_event(const struct session *s, enum event_kind kind)
{
    for (int i = 0; i < s->event_count; i++)
        if (s->events[i].kind == kind)
            return &s->events[i];
    return NULL;
}

static void an_overflow_is_located_and_skips_the_step(void **state)
{
    struct session *s = *state;
    char before[24];
    run(s, "recipe O2");
    run(s, "step 2");
    snprintf(before, sizeof before, "%s", fact(s, "digest"));
    run(s, "overflow");
    expect(s, "step == 3");
    expect(s, "skipped == 1");
    expect(s, "twin.skipped == 0");
    expect(s, "action == backoff");
    expect(s, "used-scale == 65536");
    expect(s, "scale == 32768");
    expect(s, "updates == 0");
    expect(s, "watch.new.note == step skipped");
    assert_string_equal(fact(s, "digest"), before);
    const struct event *e = find_event(s, EVENT_OVERFLOW);
    assert_non_null(e);
    assert_int_equal(e->step, 3);
    assert_string_equal(e->text,
                        "put in: fc1.weight.grad[0,0] became inf in fp16 · step skipped, scale 2^16 → 2^15");
    assert_int_equal(s->log2_scale.mark[2], 1);
    run(s, "phase 5"); /* in the middle of the backward pass's end, and later */
    run(s, "overflow");
    expect(s, "skipped == 2");
    expect(s, "step == 4");
    run(s, "phase 7");
    run(s, "overflow");
    expect(s, "skipped == 3");
    expect(s, "step == 6");
}

static void growth_and_lost_updates_are_told(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler pytorch:window=5");
    run(s, "step 5");
    const struct event *e = find_event(s, EVENT_GROWTH);
    assert_non_null(e);
    assert_int_equal(e->step, 5);
    assert_string_equal(e->text, "5 clean steps · scale 2^16 → 2^17");
    run(s, "recipe bf16-pure");
    assert_int_equal(s->event_count, 0);
    run(s, "step 3");
    e = find_event(s, EVENT_LOST);
    assert_non_null(e);
    assert_int_equal(e->step, 1);
}

static void nothing_checks_an_unchecked_overflow(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler fixed:2^30,check=off");
    run(s, "step 3");
    const struct event *e = find_event(s, EVENT_OVERFLOW);
    assert_non_null(e);
    assert_non_null(strstr(e->text, "nothing checks"));
    assert_non_null(find_event(s, EVENT_NAN));
    expect(s, "skipped == 0");
    expect(s, "loss != 1");
    char found[TEXT_LINE];
    assert_false(session_expect(s, "loss > 0", found));
    struct snapshot *p = session_snapshot(s); /* nothing here minds a NaN */
    assert_non_null(p);
    assert_false(p->failed);
    snapshot_free(p);
}

static void two_scales_part_at_their_first_difference(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler fixed:65536");
    run(s, "twin O2 fixed:65536");
    run(s, "step 5");
    expect(s, "difference.step == none");
    run(s, "twin O2 fixed:1");
    run(s, "step 2");
    expect(s, "difference.step == 1");
    const struct event *e = find_event(s, EVENT_FIRST_DIFFERENCE);
    assert_non_null(e);
    assert_int_equal(e->step, 1);
    assert_non_null(strstr(e->text, fact(s, "difference.tensor")));
    assert_non_null(strstr(e->text, "at scale 2^16"));
}

static void the_log_keeps_the_newest(void **state)
{
    struct session *s = *state;
    for (int i = 0; i < 100; i++)
        session_event(s, EVENT_NOTE, "note %d", i);
    struct snapshot *p = session_snapshot(s);
    assert_int_equal(p->event_count, SNAPSHOT_EVENTS);
    assert_string_equal(p->events[SNAPSHOT_EVENTS - 1].text, "note 99");
    assert_string_equal(p->events[0].text, "note 68");
    snapshot_free(p);
}

/* ---- snapshots ---- */

static void a_curve_spans_the_run_and_keeps_its_marks(void **state)
{
    (void)state;
    struct series c = {0};
    for (int64_t step = 1; step <= 5000; step++)
        series_add(&c, step, (double)step, step == 777 || step == 4999);
    assert_int_equal(c.first, 1);
    assert_int_equal(c.stride, 16);
    assert_true(c.count > SERIES_POINTS / 2 && c.count <= SERIES_POINTS);
    int marks = 0;
    for (int i = 0; i < c.count; i++) {
        int64_t step = c.first + i * c.stride;
        assert_true(c.value[i] == (double)step);
        marks += c.mark[i];
        /* A mark sits on the first point at or after its step. */
        assert_int_equal(c.mark[i], step >= 777 && step < 777 + c.stride);
    }
    assert_int_equal(marks, 1);
    assert_true(c.pending); /* 4999: the next point carries it */
}

static void the_histogram_counts_every_gradient(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    struct snapshot *p = session_snapshot(s);
    assert_false(p->histogram.valid);
    assert_string_equal(p->lanes[0].loss, "–");
    assert_string_equal(p->lanes[0].lost, "–");
    snapshot_free(p);
    run(s, "step 2");
    p = session_snapshot(s);
    assert_true(p->histogram.valid);
    assert_int_equal(p->histogram.total, 1251);
    uint32_t sum = p->histogram.zeros;
    for (int i = 0; i < p->histogram.columns; i++)
        sum += p->histogram.height[i];
    assert_int_equal(sum, 1251);
    assert_true(p->histogram.unscaled.flush_below == -25.0);
    assert_true(p->histogram.unscaled.subnormal_below == -14.0);
    assert_true(fabs(exp2(p->histogram.unscaled.overflow_from) - 65520.0) < 1e-6);
    assert_true(p->histogram.scaled.flush_below == -41.0);
    assert_string_equal(p->histogram.scaled.title, "fp16, S = 2^16");
    snapshot_free(p);
}

static void the_automaton_foretells_the_next_step(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler pytorch:window=3");
    run(s, "step 2");
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->scale.scale, "65536 = 2^16");
    assert_string_equal(p->scale.tracker, "2 of 3");
    assert_string_equal(p->scale.next_clean, "scale → 131072, tracker → 0");
    assert_string_equal(p->scale.next_overflow, "scale → 32768, tracker → 0, step skipped");
    snapshot_free(p);
    run(s, "step");
    expect(s, "scale == 131072");
    expect(s, "tracker == 0");
}

static void shares_are_exact_at_their_ends(void **state)
{
    (void)state;
    static const struct {
        uint64_t part, whole;
        const char *text;
    } cases[] = {{0, 0, "–"},
                 {0, 7, "0"},
                 {7, 7, "100 %"},
                 {999999, 1000000, "99.9 %"},
                 {1, 1000000, "<0.1 %"},
                 {978, 1251, "78.2 %"},
                 {1242, 1251, "99.3 %"},
                 {1, 1000, "0.1 %"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[16];
        text_share(text, sizeof text, cases[i].part, cases[i].whole);
        assert_string_equal(text, cases[i].text);
    }
}

static void a_snapshot_adds_up(void **state)
{
    struct session *s = *state;
    run(s, "step 7");
    struct snapshot *p = session_snapshot(s);
    struct snapshot *q = session_snapshot(s);
    assert_true(q->generation > p->generation);
    assert_int_equal(p->step, 7);
    assert_int_equal(p->lane_count, 2);
    assert_string_equal(p->lanes[0].recipe, "bf16-pure");
    assert_string_equal(p->lanes[1].recipe, "fp32");
    assert_string_equal(p->lanes[1].drift, "");
    assert_string_not_equal(p->lanes[0].drift, "");
    assert_int_equal(p->lanes[0].loss_curve.count, 7);
    uint64_t updated = 0;
    for (int i = 0; i < p->tensor_count; i++)
        updated += p->tensors[i].count[COUNTER_UPDATED];
    assert_int_equal(updated, s->lanes[0].updates);
    assert_string_equal(p->rate, "–");
    assert_non_null(strstr(p->kernels[3], "update ×2"));
    assert_non_null(strstr(p->kernels[2], "histogram ×1  window ×2"));
    run(s, "phase 2"); /* cast and forward */
    snapshot_free(p);
    snapshot_free(q);
    p = session_snapshot(s);
    assert_true(p->in_step);
    assert_int_equal(p->next_phase, PHASE_LOSS);
    for (int i = 0; i < p->tensor_count; i++) {
        assert_true(p->tensors[i].role != TENSOR_GRADIENT || !p->tensors[i].touched);
        assert_true(strcmp(p->tensors[i].name, "h1") != 0 || p->tensors[i].touched);
    }
    assert_non_null(strstr(p->next_text[0], "cast logits"));
    assert_non_null(strstr(p->next_text[1], "softmax"));
    snapshot_free(p);
}

/* What a phase came to, and from the check on what becomes of the update. */
static void phases_say_what_they_came_to(void **state)
{
    struct session *s = *state;
    static const struct {
        enum phase next;
        const char *done[2], *will[2]; /* of a step that is made, and of one that is skipped */
    } rows[] = {
        {PHASE_SCALE, {"losses: 1.2", "losses: 1.2"}, {"where back", "where back"}},
        {PHASE_BACKWARD, {"S = 2^4", "S = 2^24"}, {"softmax", "softmax"}},
        {PHASE_UNSCALE, {"finite? yes", "finite? no: the step will be skipped"}, {"1/S", "1/S"}},
        {PHASE_UPDATE, {"1/S", "1/S"}, {"adam on", "skip: gradients are not finite"}},
        {PHASE_SYNC, {"adam on", "skipped: weights"}, {"master", "master"}},
        {PHASE_CAST,
         {": scale 2^4 → 2^4 (hold)", ": scale 2^24 → 2^23 (backoff)"},
         {"a new step", "a new step"}},
    };
    for (int skipped = 0; skipped < 2; skipped++) {
        run(s, "recipe O2");
        run(s, skipped ? "scaler pytorch:init=2^24" : "scaler pytorch:init=2^4");
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            do
                run(s, "phase");
            while (trainer_next_phase(s->lanes[0].trainer) != rows[i].next);
            struct snapshot *p = session_snapshot(s);
            if (!strstr(p->done_text, rows[i].done[skipped]) ||
                !strstr(p->next_text[0], rows[i].will[skipped]))
                fail_msg("before %s: done '%s', next '%s'", phase_name(rows[i].next), p->done_text,
                         p->next_text[0]);
            snapshot_free(p);
        }
    }
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(watch_rows_are_what_memory_holds),
        WITH_SESSION(every_recipe_can_be_watched),
        WITH_SESSION(a_live_weight_is_followed),
        WITH_SESSION(an_overflow_is_located_and_skips_the_step),
        WITH_SESSION(growth_and_lost_updates_are_told),
        WITH_SESSION(nothing_checks_an_unchecked_overflow),
        WITH_SESSION(two_scales_part_at_their_first_difference),
        WITH_SESSION(the_log_keeps_the_newest),
        WITH_SESSION(the_histogram_counts_every_gradient),
        WITH_SESSION(the_automaton_foretells_the_next_step),
        WITH_SESSION(a_snapshot_adds_up),
        WITH_SESSION(phases_say_what_they_came_to),
        cmocka_unit_test(a_curve_spans_the_run_and_keeps_its_marks),
        cmocka_unit_test(shares_are_exact_at_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
