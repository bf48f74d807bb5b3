/* A device that fails at any one operation: the session goes on as if nothing had happened, but on the cpu. */
#include "session_test.h"

#include "recording.h"
#include "save.h"
#include <unistd.h>

enum operation { LAUNCH, UPLOAD, DOWNLOAD, ALLOC, OPERATIONS };

/* The cpu, until the operation of that kind whose number has come; after that nothing goes any more.  Whole steps are
 * recorded and replayed, and may fail at any launch of a replay. */
struct faulty {
    struct device base;
    struct device *inner;
    struct recording *recording; /* or NULL */
    long replays;
    enum operation kind;
    long left;
    bool dead;
};

static bool works(struct device *d, enum operation kind)
{
    struct faulty *f = (struct faulty *)d;
    f->dead = f->dead || (kind == f->kind && f->left-- == 0);
    if (f->dead)
        snprintf(d->error, sizeof d->error, "somebody pulled the plug");
    return !f->dead;
}

static struct device *inner(struct device *d)
{
    return ((struct faulty *)d)->inner;
}

static void faulty_close(struct device *d)
{
    device_close(inner(d));
    free(d);
}

static void *faulty_alloc(struct device *d, size_t bytes)
{
    return works(d, ALLOC) ? device_alloc(inner(d), bytes) : NULL;
}

static void faulty_release(struct device *d, void *memory)
{
    device_release(inner(d), memory);
}

static bool faulty_upload(struct device *d, void *to, const void *from, size_t bytes)
{
    return works(d, UPLOAD) && device_upload(inner(d), to, from, bytes);
}

static bool faulty_download(struct device *d, void *to, const void *from, size_t bytes)
{
    return works(d, DOWNLOAD) && device_download(inner(d), to, from, bytes);
}

static bool faulty_run(struct device *d, enum kernel_id kernel, const void *args)
{
    return works(d, LAUNCH) && device_launch(inner(d), kernel, args);
}

static bool faulty_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    struct recording *r = ((struct faulty *)d)->recording;
    return r ? recording_add(r, kernel, args) : faulty_run(d, kernel, args);
}

static bool faulty_record(struct device *d)
{
    struct recording *r = ((struct faulty *)d)->recording = calloc(1, sizeof *r);
    return r != NULL;
}

static void *faulty_recorded(struct device *d)
{
    struct recording *r = ((struct faulty *)d)->recording;
    ((struct faulty *)d)->recording = NULL;
    return r;
}

static bool faulty_replay(struct device *d, void *recording)
{
    ((struct faulty *)d)->replays++;
    return recording_play(recording, d, faulty_run);
}

static bool faulty_sync(struct device *d)
{
    return device_sync(inner(d));
}

static const struct device_ops faulty_ops = {.close = faulty_close,
                                             .alloc = faulty_alloc,
                                             .release = faulty_release,
                                             .upload = faulty_upload,
                                             .download = faulty_download,
                                             .launch = faulty_launch,
                                             .sync = faulty_sync,
                                             .record = faulty_record,
                                             .recorded = faulty_recorded,
                                             .replay = faulty_replay,
                                             .forget = recording_forget};

/* NULL where the fault comes before the session is there. */
static struct session *open_faulty(enum operation kind, long left, struct faulty **device)
{
    char error[DEVICE_TEXT];
    struct faulty *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->base.ops = &faulty_ops;
    f->base.name = "faulty";
    f->inner = device_open_cpu(NULL, 1, error);
    f->kind = kind;
    f->left = left;
    *device = f;
    struct session *s = session_open_on(&f->base, false, error);
    if (!s)
        assert_non_null(strstr(error, "plug"));
    return s;
}

/* ---- what is done ---- */

enum { LINES = 12 };

static char saved[64];

static const char *const scenarios[][LINES] = {
    {"task xor", "recipe O2", "scaler pytorch:init=2^24", "step", "pump", "step 2"},
    {"task xor", "recipe O2", "phase", "phase", "phase 3", "phase", "phase", "phase 4", "step"},
    {"task xor", "recipe O3", "into 3", "into", "into 9", "into 40", "out", "back-op", "back-phase"},
    {"task xor", "recipe O2", "lane add bf16-pure", "step 4", "goto 1", "goto 4", "back-step 2", "goto 6"},
    {"task xor", "recipe O2", "scaler pytorch:init=2^24", "break overflow", "break skip", "break loss > 0",
     "step 3", "step 3", "phase", "step 3", "step"},
    {"task xor", "recipe O2", "scaler pytorch:init=2^24", "step 3", "why", "out", "break underflow", "step",
     "why"},
    {"task xor", "recipe fp16-pure", "scaler none", "step 2", "set fc1.weight[0,1] = inf", "step 5", "why",
     "out"},
    {"task xor", "recipe O2", "step", "phase 2", "overflow", "flip-at fc1.weight.master[0,0] 22", "step"},
    {"load", "step", "back-step 3", "value 1/3", "weight fc1.weight[0,1]", "heat fc1.weight"},
};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

/* What is seen after a line. */
struct view {
    struct position at;
    char facts[6][TEXT_LINE];
    int hits[3];
};

static struct view look(struct session *s)
{
    static const char *const names[6] = {"state-digest", "lost-total%", "skipped", "why", "stopped", "loss"};
    struct view v = {.at = session_position(s)};
    for (int i = 0; i < 6; i++)
        snprintf(v.facts[i], sizeof v.facts[i], "%s", fact(s, names[i]));
    for (int i = 0; i < s->break_count && i < 3; i++)
        v.hits[i] = s->breaks[i].hits;
    return v;
}

static void carry_out(struct session *s, const char *line)
{
    char load[80];
    bool pump = strcmp(line, "pump") == 0;
    snprintf(load, sizeof load, "load %s", saved);
    run(s, strcmp(line, "load") == 0 ? load : pump ? "run" : line);
    for (int i = 0; pump && i < 3; i++)
        assert_true(session_running(s) && session_pump(s, 1));
    if (pump)
        run(s, "pause");
    struct snapshot *p = session_snapshot(s);
    assert_non_null(p);
    assert_false(p->failed);
    snapshot_free(p);
}

/* The same lines on a device that fails once: all is seen as on one that never does.  False where it did not
 * fail at all. */
static bool survives(int scenario, enum operation kind, long left, const struct view *wanted)
{
    struct faulty *device;
    struct session *s = open_faulty(kind, left, &device);
    if (!s)
        return true;
    for (int i = 0; i < LINES && scenarios[scenario][i]; i++) {
        bool was_rescued = s->rescued;
        carry_out(s, scenarios[scenario][i]);
        struct view found = look(s);
        bool same = position_order(found.at, wanted[i].at) == 0 &&
                    memcmp(found.hits, wanted[i].hits, sizeof found.hits) == 0;
        for (int k = 0; k < 6; k++)
            same = same && strcmp(found.facts[k], wanted[i].facts[k]) == 0;
        if (!same)
            fail_msg("operation %ld of kind %d, scenario %d: '%s' leads to step %lld, launch %d, %s / %s",
                     left, (int)kind, scenario, scenarios[scenario][i], (long long)found.at.step,
                     found.at.launch, found.facts[0], found.facts[3]);
        if (s->rescued && !was_rescued)
            assert_string_equal(s->device->name, "cpu");
    }
    bool failed = s->rescued;
    session_close(s);
    return failed;
}

/* Every `stride`-th operation: steps have other numbers of them, so that in a few steps each of a step comes. */
static void any_operation_may_fail(enum operation kind, long stride)
{
    for (int i = 0; i < SCENARIOS; i++) {
        struct view wanted[LINES];
        struct faulty *device;
        struct session *sound = open_faulty(kind, -1, &device);
        assert_non_null(sound);
        for (int k = 0; k < LINES && scenarios[i][k]; k++) {
            carry_out(sound, scenarios[i][k]);
            wanted[k] = look(sound);
        }
        assert_true(i > 0 || device->replays >= 5);
        session_close(sound);
        long at = 0;
        while (survives(i, kind, at, wanted))
            at += kind == LAUNCH && i < 2 ? 1 : stride; /* plain steps and phases: every launch */
        assert_true(at > 10);
    }
}

static void any_launch_may_fail(void **state)
{
    (void)state;
    any_operation_may_fail(LAUNCH, 5);
}

static void any_upload_may_fail(void **state)
{
    (void)state;
    any_operation_may_fail(UPLOAD, 13);
}

static void any_download_may_fail(void **state)
{
    (void)state;
    any_operation_may_fail(DOWNLOAD, 11);
}

static void any_allocation_may_fail(void **state)
{
    (void)state;
    any_operation_may_fail(ALLOC, 17);
}

static int make_file(void **state)
{
    struct session_options options = {.device = "cpu"};
    char error[DEVICE_TEXT];
    struct session *s = session_open(&options, error);
    int fd;
    (void)state;
    snprintf(saved, sizeof saved, "/tmp/ulpscope-faults-XXXXXX");
    if (!s || (fd = mkstemp(saved)) < 0)
        return -1;
    close(fd);
    run(s, "task xor");
    run(s, "recipe O2");
    run(s, "step 3");
    run(s, "overflow");
    run(s, "phase 2");
    bool ok = save_write(s, saved, error);
    session_close(s);
    return ok ? 0 : -1;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(saved);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_launch_may_fail),
        cmocka_unit_test(any_upload_may_fail),
        cmocka_unit_test(any_download_may_fail),
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
