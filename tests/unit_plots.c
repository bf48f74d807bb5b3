/* What is plotted beside the loss: timelines that go back with the run, and histograms of tensors. */
#include "session_test.h"
#include "trace.h"

/* ---- timelines ---- */

static void timelines_go_back_bit_by_bit(void **state)
{
    struct session *s = *state;
    struct series middle[2][TIMELINES], whole[2][TIMELINES];
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=2^24,window=20");
    run(s, "step 300");
    for (int lane = 0; lane < 2; lane++)
        memcpy(middle[lane], s->lanes[lane].timelines, sizeof middle[lane]);
    run(s, "step 400");
    for (int lane = 0; lane < 2; lane++)
        memcpy(whole[lane], s->lanes[lane].timelines, sizeof whole[lane]);
    assert_int_equal(whole[0][TIMELINE_NORM].stride, 2); /* more steps than points: every second stays */
    assert_int_equal(middle[0][TIMELINE_NORM].stride, 1);
    run(s, "goto 300");
    for (int lane = 0; lane < 2; lane++)
        assert_memory_equal(middle[lane], s->lanes[lane].timelines, sizeof middle[lane]);
    struct snapshot *p = session_snapshot(s); /* what comes is known */
    for (int lane = 0; lane < 2; lane++)
        assert_memory_equal(whole[lane], p->lanes[lane].timelines, sizeof whole[lane]);
    snapshot_free(p);
    run(s, "goto 611");
    run(s, "goto 700");
    for (int lane = 0; lane < 2; lane++)
        assert_memory_equal(whole[lane], s->lanes[lane].timelines, sizeof whole[lane]);
}

/* The norm from the gradients themselves, in the order of their parameters. */
static double norm_of(struct session *s, int lane)
{
    struct trainer *t = s->lanes[lane].trainer;
    double sum = 0;
    for (int p = 0; p < trainer_param_count(t); p++) {
        const struct tensor *x = trainer_param_tensor(t, p, TENSOR_UNSCALED);
        x = x ? x : trainer_param_tensor(t, p, TENSOR_GRADIENT);
        float g[32 * 32];
        assert_true(x->format == FORMAT_FP32 && x->rows * x->cols <= 32 * 32);
        assert_true(trainer_read(t, x, 0, x->rows * x->cols, g));
        for (long i = 0; i < x->rows * x->cols; i++)
            sum += (double)g[i] * (double)g[i];
    }
    return sqrt(sum);
}

static void points_are_what_the_steps_were(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "scaler pytorch:init=2^22,window=20");
    run(s, "lane add bf16-pure");
    int skipped = 0;
    for (int step = 0; step < 40; step++) {
        run(s, "step");
        for (int lane = 0; lane < 3; lane++) {
            const struct lane *l = &s->lanes[lane];
            float flushed = l->timelines[TIMELINE_FLUSHED].value[step],
                  lost = l->timelines[TIMELINE_LOST].value[step];
            float scale = l->timelines[TIMELINE_SCALE].value[step],
                  norm = l->timelines[TIMELINE_NORM].value[step];
            struct trainer_report r;
            assert_true(trainer_report(l->trainer, &r));
            assert_true(flushed == (float)(100.0 * (double)r.flushed / (double)r.gradients));
            if (r.updates)
                assert_true(lost == (float)(100.0 * (double)r.lost / (double)r.updates));
            else
                assert_true(isnan(lost));
            if (lane == 0)
                assert_true(scale == (float)log2((double)r.scale));
            else
                assert_true(isnan(scale));
            double expected = norm_of(s, lane);
            skipped += r.skipped ? 1 : 0;
            if (isfinite(expected))
                assert_true(fabs((double)norm - expected) <= expected * 1e-6);
            else
                assert_true(!isfinite(norm));
            assert_true((l->timelines[TIMELINE_NORM].mark[step] != 0) == r.skipped);
        }
    }
    assert_true(skipped > 2);
    struct snapshot *p = session_snapshot(s);
    assert_string_equal(p->lanes[1].now[TIMELINE_SCALE], "–");
    assert_memory_equal(p->lanes[0].now[TIMELINE_SCALE], "2^", 2);
    assert_true(fabs(strtod(p->lanes[2].now[TIMELINE_NORM], NULL) / norm_of(s, 2) - 1) < 1e-3);
    assert_true(strtod(p->lanes[0].weight, NULL) == strtod(fact(s, "watch.new.value"), NULL) ||
                strstr(p->lanes[0].weight, "…"));
    snapshot_free(p);
}

static void norms_cost_launches_only_where_points_stay(void **state)
{
    struct session *s = *state;
    run(s, "twin off");
    run(s, "step 512");
    assert_int_equal(s->device->launches[KERNEL_drift_fp32], 512);
    run(s, "step 512");
    assert_int_equal(s->device->launches[KERNEL_drift_fp32], 512 + 256);
}

/* ---- histograms ---- */

static bool wants(const struct tensor *x, const char *name)
{
    return strcmp(x->name, name) == 0;
}

/* The same counts from the encodings, by their values. */
static void count_here(struct session *s, const struct tensor *x, uint32_t *heights,
                       struct tensor_histogram *v)
{
    void *data = trace_download(s->lanes[0].trainer, x);
    const struct format *f = &format_table[x->format];
    assert_non_null(data);
    for (long i = 0; i < x->rows * x->cols; i++) {
        double value = compare_decode(x->format, trace_element(x, data, i));
        int exponent;
        if (isnan(value))
            v->nan++;
        else if (isinf(value))
            v->infinite++;
        else if (value == 0)
            v->zeros++;
        else {
            frexp(value, &exponent);
            heights[exponent - 1 + 149]++;
            *(fabs(value) < ldexp(1, f->emin) ? &v->subnormal : &v->normal) += 1;
        }
    }
    free(data);
}

static void check_histogram(struct session *s, const struct tensor *x)
{
    char line[64];
    uint32_t heights[277] = {0}, sum = 0;
    struct tensor_histogram expected = {0};
    snprintf(line, sizeof line, "histogram %s", x->name);
    run(s, line);
    struct snapshot *p = session_snapshot(s);
    const struct tensor_histogram *v = &p->tensor_histogram;
    assert_true(v->valid && !p->heat.valid);
    assert_string_equal(v->name, x->name);
    count_here(s, x, heights, &expected);
    assert_int_equal(v->zeros, expected.zeros);
    assert_int_equal(v->infinite, expected.infinite);
    assert_int_equal(v->nan, expected.nan);
    assert_int_equal(v->subnormal, expected.subnormal);
    assert_int_equal(v->normal, expected.normal);
    assert_in_range(v->bars.columns, 1, HISTOGRAM_COLUMNS);
    for (int i = 0; i < v->bars.columns; i++) {
        int bin = v->bars.first_exponent + i + 149;
        assert_int_equal(v->bars.height[i], bin >= 0 && bin < 277 ? heights[bin] : 0);
        assert_true(v->bars.height[i] <= v->bars.highest);
        sum += v->bars.height[i];
    }
    assert_int_equal(sum, v->subnormal + v->normal);
    assert_int_equal(sum + v->zeros + v->infinite + v->nan, x->rows * x->cols);
    assert_int_equal(v->bars.total, x->rows * x->cols);
    snapshot_free(p);
}

static void counts_are_those_of_the_encodings(void **state)
{
    static const char *const recipes[] = {"O2", "bf16-pure", "fp32", "fp16-pure", "O3"};
    struct session *s = *state;
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        char line[40];
        snprintf(line, sizeof line, "recipe %s", recipes[i]);
        run(s, line);
        run(s, "step 3");
        run(s, "phase 5");
        for (int k = 0; k < trainer_tensor_count(s->lanes[0].trainer); k++)
            check_histogram(s, trainer_tensor(s->lanes[0].trainer, k));
    }
}

static void what_has_no_exponent_is_counted_apart(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "step 2");
    run(s, "set fc2.weight[0,0] = inf");
    run(s, "set fc2.weight[0,1] = -inf");
    run(s, "set fc2.weight[0,2] = nan");
    run(s, "set fc2.weight[0,3] = -0");
    run(s, "set fc2.weight[0,4] = 2^-24");
    for (int k = 0; k < trainer_tensor_count(s->lanes[0].trainer); k++)
        if (wants(trainer_tensor(s->lanes[0].trainer, k), "fc2.weight"))
            check_histogram(s, trainer_tensor(s->lanes[0].trainer, k));
    struct snapshot *p = session_snapshot(s);
    assert_int_equal(p->tensor_histogram.infinite, 2);
    assert_int_equal(p->tensor_histogram.nan, 1);
    assert_true(p->tensor_histogram.zeros >= 1 && p->tensor_histogram.subnormal >= 1);
    assert_true(p->tensor_histogram.bars.unscaled.flush_below == -25);
    snapshot_free(p);
}

/* The zeros of a gradient are those that were zeros before it was stored, and those that the store made. */
static void zeros_are_flushed_or_were_zeros(void **state)
{
    struct session *s = *state;
    uint64_t flushed = 0;
    run(s, "recipe fp16-pure");
    run(s, "scaler none");
    run(s, "loss-weight 2^-22");
    run(s, "step 5");
    for (int k = 0; k < trainer_tensor_count(s->lanes[0].trainer); k++) {
        const struct tensor *x = trainer_tensor(s->lanes[0].trainer, k);
        char line[64];
        if (!x->is_gradient_store)
            continue;
        snprintf(line, sizeof line, "histogram %s", x->name);
        run(s, line);
        struct snapshot *p = session_snapshot(s);
        const uint32_t *count = p->tensors[k].count;
        assert_int_equal(p->tensor_histogram.zeros, count[COUNTER_ZERO] + count[COUNTER_FLUSHED]);
        flushed += count[COUNTER_FLUSHED];
        snapshot_free(p);
    }
    assert_true(flushed > 100);
}

static void one_picture_at_a_time(void **state)
{
    struct session *s = *state;
    run(s, "step 1");
    run(s, "histogram fc1.weight");
    run(s, "heat fc2.weight");
    struct snapshot *p = session_snapshot(s);
    assert_true(p->heat.valid && !p->tensor_histogram.valid);
    snapshot_free(p);
    run(s, "histogram fc1.weight");
    refuse(s, "histogram fc9.weight", "no tensor");
    p = session_snapshot(s);
    assert_true(!p->heat.valid && p->tensor_histogram.valid);
    snapshot_free(p);
    run(s, "step 1"); /* it is live */
    p = session_snapshot(s);
    assert_true(p->tensor_histogram.valid);
    snapshot_free(p);
    run(s, "histogram");
    p = session_snapshot(s);
    assert_true(!p->heat.valid && !p->tensor_histogram.valid);
    snapshot_free(p);
}

/* ---- the watched weight in every lane ---- */

static void the_journey_of_any_lane(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "lane add bf16-pure");
    run(s, "step 20");
    static const char *const formats[] = {"fp32", "fp32", "bf16"}; /* as each holds its weights */
    for (int lane = 0; lane < 3; lane++) {
        char line[32];
        snprintf(line, sizeof line, "watch-lane %d", lane);
        run(s, line);
        struct snapshot *p = session_snapshot(s);
        assert_int_equal(p->watch.lane, lane);
        assert_string_equal(p->watch.rows[0].format->name, formats[lane]);
        const struct tensor *x = lane_held(&s->lanes[lane], s->watch_param);
        uint32_t bits = 0;
        assert_true(trainer_read(s->lanes[lane].trainer, x, s->watch_row * x->cols + s->watch_col, 1, &bits));
        assert_int_equal(strtoul(fact(s, "watch.new"), NULL, 16), bits);
        bool has_cast = strstr(p->watch.rows[1].label, "cast") != NULL;
        assert_int_equal(has_cast, lane == 0);
        snapshot_free(p);
    }
    run(s, "watch-lane"); /* the next: around */
    assert_int_equal(s->watch_lane, 0);
    refuse(s, "watch-lane 3", "from 0 to 2");
    run(s, "watch-lane 2");
    run(s, "lane drop 2");
    assert_int_equal(s->watch_lane, 0);
}

/* ---- what a phase is about ---- */

static const struct tensor_row *row_of(const struct snapshot *p, const char *name)
{
    for (int i = 0; i < p->tensor_count; i++)
        if (strcmp(p->tensors[i].name, name) == 0)
            return &p->tensors[i];
    fail_msg("no tensor %s", name);
    return NULL;
}

static void assert_marks(struct session *s, const char *name, bool fresh, bool is_read, bool is_written)
{
    struct snapshot *p = session_snapshot(s);
    const struct tensor_row *t = row_of(p, name);
    if (t->fresh != fresh || t->is_read != is_read || t->is_written != is_written)
        fail_msg("%s: %d %d %d", name, t->fresh, t->is_read, t->is_written);
    snapshot_free(p);
}

static void the_next_phase_reads_and_writes(void **state)
{
    struct session *s = *state;
    run(s, "recipe O2");
    run(s, "step 2");
    run(s, "phase"); /* forward comes */
    assert_marks(s, "fc1.weight", false, true, false);
    assert_marks(s, "h1", false, true, true);
    assert_marks(s, "fc1.weight.grad", false, false, false);
    run(s, "into"); /* within a phase only the next launch counts: tanh of z1 */
    assert_marks(s, "z1", true, true, false);
    assert_marks(s, "h1", false, false, true);
    assert_marks(s, "fc2.weight", false, false, false);
    run(s, "phase 4"); /* check comes: it reads all gradients of parameters, and writes none */
    assert_marks(s, "fc1.weight.grad", true, true, false);
    assert_marks(s, "h1.grad", true, false, false);
    run(s, "phase"); /* unscale */
    assert_marks(s, "fc3.bias.grad", false, true, false);
    assert_marks(s, "fc3.bias.unscaled", false, false, true);
    run(s, "phase"); /* update */
    assert_marks(s, "fc3.bias.unscaled", true, true, false);
    assert_marks(s, "fc2.weight.master", false, true, true);
    assert_marks(s, "fc2.weight", false, false, false);
    run(s, "phase"); /* sync */
    assert_marks(s, "fc2.weight.master", true, true, false);
    assert_marks(s, "fc2.weight", false, false, true);
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(timelines_go_back_bit_by_bit),
        WITH_SESSION(points_are_what_the_steps_were),
        WITH_SESSION(norms_cost_launches_only_where_points_stay),
        WITH_SESSION(counts_are_those_of_the_encodings),
        WITH_SESSION(what_has_no_exponent_is_counted_apart),
        WITH_SESSION(zeros_are_flushed_or_were_zeros),
        WITH_SESSION(one_picture_at_a_time),
        WITH_SESSION(the_journey_of_any_lane),
        WITH_SESSION(the_next_phase_reads_and_writes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
