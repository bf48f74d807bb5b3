/* The worker: answers at once, runs in slices, sleeps when idle, and can be hammered from several threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "save.h"
#include "worker.h"
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct bench {
    int pipe[2];
    struct worker *w;
};

static int64_t clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int start_on(void **state, const char *device)
{
    struct bench *b = calloc(1, sizeof *b);
    struct session_options options = {device, true};
    if (!b || pipe(b->pipe) != 0)
        return -1;
    b->w = worker_start(&options, b->pipe[1]);
    *state = b;
    return b->w ? 0 : -1;
}

static int start(void **state)
{
    return start_on(state, "cpu");
}

static int start_without_device(void **state)
{
    return start_on(state, "abacus");
}

static int stop(void **state)
{
    struct bench *b = *state;
    worker_stop(b->w, 20000);
    close(b->pipe[0]);
    close(b->pipe[1]);
    free(b);
    return 0;
}

/* Whether a byte comes within that time; it is read. */
static bool woken(struct bench *b, int milliseconds)
{
    struct pollfd p = {.fd = b->pipe[0], .events = POLLIN};
    char byte;
    return poll(&p, 1, milliseconds) == 1 && read(b->pipe[0], &byte, 1) == 1;
}

/* The next snapshot; fails the test if none comes. */
static struct snapshot *next(struct bench *b)
{
    for (;;) {
        assert_true(woken(b, 60000));
        struct snapshot *s = worker_take(b->w);
        if (s)
            return s;
    }
}

/* Snapshots until one shows that step; it is returned. */
static struct snapshot *until_step(struct bench *b, long step)
{
    for (;;) {
        struct snapshot *s = next(b);
        if (s->step >= step)
            return s;
        snapshot_free(s);
    }
}

static void opens_paused_and_sleeps(void **state)
{
    struct bench *b = *state;
    struct snapshot *s = next(b);
    assert_int_equal(s->step, 0);
    assert_false(s->running);
    assert_false(s->failed);
    assert_string_equal(s->device, "cpu");
    assert_int_equal(s->lane_count, 2);
    snapshot_free(s);
    assert_false(woken(b, 150));
    assert_null(worker_take(b->w));
}

static void steps_in_order_and_says_when_it_is_done(void **state)
{
    struct bench *b = *state;
    assert_true(worker_send(b->w, "recipe O2"));
    assert_true(worker_send(b->w, "step 40"));
    assert_true(worker_send(b->w, "step 2"));
    struct snapshot *s = until_step(b, 42);
    assert_int_equal(s->step, 42);
    assert_string_equal(s->recipe, "O2");
    assert_false(s->running);
    snapshot_free(s);
}

static void a_burst_is_answered_by_few_snapshots(void **state)
{
    struct bench *b = *state;
    int snapshots = 0;
    for (int i = 0; i < 200; i++)
        assert_true(worker_send(b->w, "step"));
    for (long step = 0; step < 200; snapshots++) {
        struct snapshot *s = next(b);
        step = s->step;
        snapshot_free(s);
    }
    assert_true(snapshots < 100);
}

static void mistakes_come_back_as_messages(void **state)
{
    struct bench *b = *state;
    snapshot_free(next(b));
    assert_true(worker_send(b->w, "value 0.1x"));
    struct snapshot *s = next(b);
    assert_true(s->message_is_error);
    assert_non_null(strstr(s->message, "'0.1x'"));
    snapshot_free(s);
    assert_true(worker_send(b->w, "fly"));
    s = next(b);
    assert_true(s->message_is_error);
    assert_string_equal(s->message, "no command 'fly'");
    snapshot_free(s);
    assert_true(worker_send(b->w, "value 0.1"));
    s = next(b);
    assert_string_equal(s->message, "");
    assert_string_equal(s->bits.rows[FORMAT_FP16].hex, "0x2e66");
    snapshot_free(s);
}

static void a_run_publishes_at_most_30_a_second_and_pauses(void **state)
{
    struct bench *b = *state;
    snapshot_free(next(b));
    assert_true(worker_send(b->w, "run"));
    struct snapshot *s = next(b);
    assert_true(s->running);
    snapshot_free(s);
    int64_t from = clock_now(), now;
    int count = 0;
    while ((now = clock_now()) - from < 600)
        if (woken(b, 20) && (s = worker_take(b->w))) {
            snapshot_free(s);
            count++;
        }
    assert_true(count >= 1);
    assert_true(count <= (int)((now - from) * 30 / 1000 + 2));
    assert_true(worker_send(b->w, "pause"));
    do {
        s = next(b);
        now = s->running;
        from = s->step;
        snapshot_free(s);
    } while (now);
    assert_false(woken(b, 100));
    assert_true(from > 0);
}

static void a_long_step_answers_questions_and_can_be_stopped(void **state)
{
    struct bench *b = *state;
    snapshot_free(next(b));
    assert_true(worker_send(b->w, "step 100000000"));
    assert_true(worker_send(b->w, "value 2^-24"));
    struct snapshot *s;
    for (s = next(b); strcmp(s->focus, "2^-24") != 0; s = next(b))
        snapshot_free(s);
    assert_string_equal(s->bits.rows[FORMAT_FP16].hex, "0x0001");
    snapshot_free(s);
    assert_true(worker_send(b->w, "seed 7")); /* waits for its turn */
    assert_true(worker_send(b->w, "toggle"));
    for (s = next(b); strcmp(s->seed, "7") != 0; s = next(b))
        snapshot_free(s);
    assert_int_equal(s->step, 0);
    assert_false(s->running);
    snapshot_free(s);
}

static void without_a_device_it_says_so(void **state)
{
    struct bench *b = *state;
    struct snapshot *s = next(b);
    assert_true(s->failed);
    assert_non_null(strstr(s->message, "no device is called 'abacus'"));
    assert_ptr_equal(s->bits.rows[FORMAT_FP16].format, &format_table[FORMAT_FP16]);
    snapshot_free(s);
    worker_send(b->w, "step");
}

static void a_full_queue_refuses(void **state)
{
    struct bench *b = *state;
    int sent = 0;
    snapshot_free(next(b)); /* it never takes a line */
    while (worker_send(b->w, "step"))
        sent++;
    assert_int_equal(sent, 256);
}

static const char *const storm[] = {"step",        "phase",       "toggle",       "run",
                                    "value 1/3",   "next fp16",   "recipe O2",    "weight fc2.weight[1,2]",
                                    "step 3",      "rounding",    "flip bf16 3",  "task xor",
                                    "overflow",    "lr 1e-3",     "task spiral",  "twin O2 fixed:1",
                                    "pause",       "restart",     "nonsense 1 2", "update-rounding kahan",
                                    "repeats 100", "delta 2^-12", "master off",   "twin on"};

static void *hammer(void *argument)
{
    struct bench *b = argument;
    unsigned seed = 1;
    for (int i = 0; i < 300; i++) {
        seed = seed * 1664525 + 1013904223;
        worker_send(b->w, storm[(seed >> 16) % (sizeof storm / sizeof *storm)]);
        if (i % 64 == 0)
            sched_yield();
    }
    return NULL;
}

static void a_storm_of_commands_from_two_threads_is_survived(void **state)
{
    struct bench *b = *state;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, hammer, b), 0);
    unsigned seed = 99;
    uint64_t generation = 0;
    for (int i = 0; i < 300; i++) {
        seed = seed * 1664525 + 1013904223;
        worker_send(b->w, storm[(seed >> 16) % (sizeof storm / sizeof *storm)]);
        struct snapshot *s = i % 7 == 0 ? worker_take(b->w) : NULL;
        assert_true(!s || s->generation > generation);
        generation = s ? s->generation : generation;
        snapshot_free(s);
    }
    pthread_join(other, NULL);
    while (!worker_send(b->w, "seed 4711"))
        woken(b, 5);
    struct snapshot *s;
    for (s = next(b); strcmp(s->seed, "4711") != 0; s = next(b)) {
        assert_false(s->failed);
        snapshot_free(s);
    }
    snapshot_free(s);
}

/* Long ways are turned in slices, and breakpoints end them. */
static void breakpoints_end_long_ways(void **state)
{
    struct bench *b = *state;
    struct snapshot *s;
    assert_true(worker_send(b->w, "recipe O2"));
    assert_true(worker_send(b->w, "scaler pytorch:init=1024,window=40"));
    assert_true(worker_send(b->w, "break scale"));
    assert_true(worker_send(b->w, "step 100000"));
    for (s = next(b); !s->stopped; s = next(b))
        snapshot_free(s);
    assert_int_equal(s->step, 40);
    assert_int_equal(s->breaks[0].hits, 1);
    assert_non_null(strstr(s->why, "scale 2^10 → 2^11 (grow)"));
    snapshot_free(s);
    assert_true(worker_send(b->w, "goto 100000"));
    for (s = until_step(b, 41); !s->stopped; s = next(b))
        snapshot_free(s);
    assert_int_equal(s->step, 80);
    snapshot_free(s);
    assert_true(worker_send(b->w, "break-delete all"));
    assert_true(worker_send(b->w, "goto 130"));
    snapshot_free(until_step(b, 130));
    assert_true(worker_send(b->w, "goto 20"));
    for (s = next(b); s->step != 20; s = next(b))
        snapshot_free(s);
    assert_true(s->behind && !s->running);
    assert_int_equal(s->last_step, 130);
    snapshot_free(s);
    assert_true(worker_send(b->w, "goto 1000000"));
    assert_true(worker_send(b->w, "pause"));
    assert_true(worker_send(b->w, "seed 9"));
    for (s = next(b); strcmp(s->seed, "9") != 0; s = next(b))
        snapshot_free(s);
    assert_int_equal(s->step, 0);
    snapshot_free(s);
}

static void write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
    fclose(out);
}

/* The next snapshot taken on a long way of a command. */
static struct snapshot *until_on_way(struct bench *b)
{
    struct snapshot *s;
    for (s = next(b); !s->on_way; s = next(b))
        snapshot_free(s);
    return s;
}

static struct snapshot *until_focus(struct bench *b, const char *focus)
{
    struct snapshot *s;
    for (s = next(b); strcmp(s->focus, focus) != 0; s = next(b))
        snapshot_free(s);
    return s;
}

static struct snapshot *until_seed(struct bench *b, const char *seed)
{
    struct snapshot *s;
    for (s = next(b); strcmp(s->seed, seed) != 0; s = next(b))
        snapshot_free(s);
    return s;
}

/* Replaying a session shows how far it is, answers questions on the way, and ends where the person pauses. */
static void a_long_load_can_be_watched_and_ended(void **state)
{
    struct bench *b = *state;
    char path[] = "/tmp/ulpscope-load-XXXXXX", line[60];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(line, sizeof line, "load %s", path);
    write_file(path, "# ulpscope session 1\ntask xor\nstep 9000000\nexpect step == 9000000\n# end\n");
    assert_true(worker_send(b->w, line));
    struct snapshot *s = until_on_way(b);
    assert_non_null(strstr(s->message, "on the way to 9000000"));
    assert_false(s->running || s->message_is_error);
    snapshot_free(s);
    assert_true(worker_send(b->w, "value 2^-24"));
    s = until_focus(b, "2^-24");
    assert_true(s->on_way);
    assert_string_equal(s->bits.rows[FORMAT_FP16].hex, "0x0001");
    snapshot_free(s);
    assert_true(worker_send(b->w, "seed 7")); /* waits, and so does all behind it but a pause */
    assert_true(worker_send(b->w, "value 3"));
    assert_true(worker_send(b->w, "pause"));
    s = until_seed(b, "7");
    assert_true(s->step == 0 && !s->on_way && !s->running);
    if (strcmp(s->focus, "3") != 0)
        snapshot_free(until_focus(b, "3"));
    snapshot_free(s);
    write_file(path, "# ulpscope session 1\ntask xor\nseed 5\nstep 300\nexpect step == 300\n# end\n");
    assert_true(worker_send(b->w, line));
    s = until_step(b, 300);
    while (s->on_way) {
        snapshot_free(s);
        s = next(b);
    }
    assert_non_null(strstr(s->message, "the digest is the one saved"));
    snapshot_free(s);
    write_file(path, "# ulpscope session 1\ntask xor\nstep 9000000\nexpect step == 9000000\n# end\n");
    assert_true(worker_send(b->w, line));
    snapshot_free(until_on_way(b));
    assert_true(worker_send(b->w, "toggle"));
    for (s = next(b); s->on_way; s = next(b))
        snapshot_free(s);
    assert_non_null(strstr(s->message, ", on the way to step 9000000"));
    assert_false(s->running);
    snapshot_free(s);
    assert_true(worker_send(b->w, line)); /* the program can be left on the way */
    snapshot_free(until_on_way(b));
    unlink(path);
}

/* So does the way back to a place that no image is near, and the search for a first cause. */
static void long_ways_back_can_be_ended(void **state)
{
    struct bench *b = *state;
    assert_true(worker_send(b->w, "task xor"));
    assert_true(worker_send(b->w, "budget 1"));
    assert_true(worker_send(b->w, "twin off"));
    assert_true(worker_send(b->w, "step 20000"));
    snapshot_free(until_step(b, 20000));
    static const char *const ways[] = {"goto 19990", "goto 17000", "goto 11000"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char seed[8];
        assert_true(worker_send(b->w, ways[i]));
        assert_true(worker_send(b->w, "pause"));
        snprintf(seed, sizeof seed, "w 1.%zu", i);
        assert_true(worker_send(b->w, seed));
        struct snapshot *s = until_focus(b, seed + 2);
        assert_true(s->step <= 20000 && !s->failed && !s->on_way);
        assert_int_equal(s->last_step, 20000);
        snapshot_free(s);
    }
    assert_true(worker_send(b->w, "goto 20000"));
    snapshot_free(until_step(b, 20000));
}

/* What the person did is on disk when the program ends, and comes back. */
static void a_session_saves_itself(void **state)
{
    struct session_options options = {"cpu", true};
    char path[] = "/tmp/ulpscope-auto-XXXXXX", error[160], fact[32];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(start_on(state, "cpu"), 0);
    struct bench *b = *state;
    worker_autosave(b->w, path);
    assert_true(worker_send(b->w, "recipe O2"));
    assert_true(worker_send(b->w, "step 30"));
    snapshot_free(until_step(b, 30));
    stop(state);
    struct session *s = session_open(&options, error);
    assert_non_null(s);
    assert_int_equal(save_read(s, path, error), SAVE_DONE);
    assert_true(session_fact(s, "step", fact, sizeof fact));
    assert_string_equal(fact, "30");
    session_close(s);
    char last[40];
    snprintf(last, sizeof last, "%s.last", path);
    unlink(path);
    unlink(last);
}

int main(void)
{
#define WITH_WORKER(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_WORKER(opens_paused_and_sleeps),
        WITH_WORKER(steps_in_order_and_says_when_it_is_done),
        WITH_WORKER(a_burst_is_answered_by_few_snapshots),
        WITH_WORKER(mistakes_come_back_as_messages),
        WITH_WORKER(a_run_publishes_at_most_30_a_second_and_pauses),
        WITH_WORKER(a_long_step_answers_questions_and_can_be_stopped),
        WITH_WORKER(a_storm_of_commands_from_two_threads_is_survived),
        WITH_WORKER(breakpoints_end_long_ways),
        WITH_WORKER(a_long_load_can_be_watched_and_ended),
        WITH_WORKER(long_ways_back_can_be_ended),
        cmocka_unit_test(a_session_saves_itself),
        cmocka_unit_test_setup_teardown(without_a_device_it_says_so, start_without_device, stop),
        cmocka_unit_test_setup_teardown(a_full_queue_refuses, start_without_device, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
