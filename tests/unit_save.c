/* Saved sessions: what is replayed is what was saved; files are whole or refused with a line. */
#include "session_test.h"

#include "save.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[64];

static const char *path(const char *name)
{
    static char text[4][160];
    static int turn;
    char *to = text[turn++ % 4];
    snprintf(to, sizeof text[0], "%s/%s", folder, name);
    return to;
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ulpscope-save-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[100];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : -1;
}

static void save(struct session *s, const char *file)
{
    char error[160];
    if (!save_write(s, file, error))
        fail_msg("%s", error);
}

static char *slurp(const char *file, size_t *size)
{
    FILE *in = fopen(file, "rb");
    assert_non_null(in);
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    *size = fread(text, 1, (1 << 16) - 1, in);
    fclose(in);
    return text;
}

static void put(const char *file, const void *text, size_t size)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    fclose(out);
}

static void a_saved_session_is_reached_again(void **state)
{
    struct session *s = *state;
    struct session_options options = {.device = "cpu", .twin = true};
    char error[DEVICE_TEXT], digest[3][24];
    run(s, "task xor");
    run(s, "recipe O2");
    run(s, "seed 7");
    run(s, "lane add bf16-pure");
    run(s, "lr 2^-4");
    run(s, "step 12");
    run(s, "lr 0.05");
    run(s, "overflow");
    run(s, "step 3");
    run(s, "phase 4");
    run(s, "set fc1.weight[0,1] = 0.3");
    run(s, "into 5");
    run(s, "flip-at fc1.bias.grad[2] 3");
    run(s, "out");
    run(s, "break loss <1e-3");
    run(s, "step 9");
    run(s, "into 2");
    run(s, "weight fc2.weight[1,0]");
    save(s, path("one"));
    for (int i = 0; i < 3; i++) {
        char name[32];
        snprintf(name, sizeof name, "lane%d.state-digest", i);
        snprintf(digest[i], sizeof digest[i], "%s", fact(s, name));
    }
    struct session *other = session_open(&options, error);
    assert_non_null(other);
    char line[200];
    snprintf(line, sizeof line, "load %s", path("one"));
    run(other, line);
    for (int i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "lane%d.state-digest == %s", i, digest[i]);
        expect(other, line);
    }
    expect(other, "injected == 3");
    expect(other, "launch == 2");
    expect(other, "task == xor");
    assert_int_equal(other->break_count, 1);
    assert_int_equal(other->watch_param, s->watch_param);
    save(other, path("two")); /* and saved again it is the same file */
    size_t a, b;
    char *first = slurp(path("one"), &a), *second = slurp(path("two"), &b);
    assert_string_equal(first, second);
    free(first);
    free(second);
    session_close(other);
}

/* What Bits and Update were asked comes back as well, and the lanes with what they differ in. */
static void questions_come_back(void **state)
{
    struct session *s = *state;
    struct session_options options = {.device = "cpu", .twin = true};
    static const char *const lines[] = {"lane add bf16-pure update-rounding=kahan",
                                        "lane add O2 master=off cpu fixed:8",
                                        "step 2",
                                        "formats fp16,e4m3,e5m7,bf16",
                                        "saturate on",
                                        "flush on",
                                        "nan x86",
                                        "rounding sr",
                                        "step-size 1/3",
                                        "gradient 2^-7",
                                        "repeats 77",
                                        "w 1.5",
                                        "value -inf",
                                        "heat fc1.weight"};
    static const char *const more[] = {
        "delta 1e-3",    "weight fc1.weight[1,2]",    "calc 1 + -1e-5", "block mxfp4 1 (2/3) -3",
        "random-bits 5", "histogram fc1.weight.grad", "watch-lane 2",   "formats",
        "value 3"};
    char error[DEVICE_TEXT], line[200];
    size_t size, again;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        run(s, lines[i]);
    for (size_t i = 0; i <= sizeof more / sizeof *more; i++) {
        struct session *other = session_open(&options, error);
        assert_non_null(other);
        save(s, path("one"));
        snprintf(line, sizeof line, "load %s", path("one"));
        run(other, line);
        save(other, path("two"));
        char *first = slurp(path("one"), &size), *second = slurp(path("two"), &again);
        assert_string_equal(first, second);
        struct snapshot *p = session_snapshot(s), *q = session_snapshot(other);
        assert_string_equal(p->focus, q->focus);
        assert_string_equal(p->formats, q->formats);
        assert_string_equal(p->update_lr, q->update_lr);
        assert_string_equal(p->update_grad, q->update_grad);
        assert_string_equal(p->lanes[2].recipe, "bf16-pure+kahan");
        assert_int_equal(p->mode, q->mode);
        assert_int_equal(p->calc.shown, q->calc.shown);
        assert_string_equal(p->block.text, q->block.text);
        for (int k = 0; k < p->lane_count; k++)
            assert_string_equal(p->lanes[k].recipe, q->lanes[k].recipe);
        for (int k = 0; k < p->bits.count; k++)
            assert_string_equal(p->bits.rows[k].hex, q->bits.rows[k].hex);
        for (int k = 0; k < UPDATE_SCHEMES; k++)
            assert_string_equal(p->update.rows[k].after_hex, q->update.rows[k].after_hex);
        snapshot_free(p);
        snapshot_free(q);
        session_close(other);
        free(first);
        free(second);
        if (i < sizeof more / sizeof *more)
            run(s, more[i]);
    }
}

/* As the first version wrote it: the questions stay as they are. */
static void files_without_questions_load(void **state)
{
    struct session *s = *state;
    size_t size;
    run(s, "step 2");
    save(s, path("good"));
    char *text = slurp(path("good"), &size), *at = strstr(text, "weight fc"), old[4096], error[160];
    assert_non_null(at);
    snprintf(old, sizeof old, "%.*sbreak nan\n# end\n", (int)(at - text), text);
    put(path("old"), old, strlen(old));
    run(s, "value 2^-24");
    run(s, "restart");
    if (save_read(s, path("old"), error) != SAVE_DONE)
        fail_msg("%s", error);
    expect(s, "step == 2");
    expect(s, "bits.fp16 == 0x0001");
    free(text);
}

static void another_digest_is_told(void **state)
{
    struct session *s = *state;
    char error[160];
    size_t size;
    run(s, "step 3");
    save(s, path("good"));
    char *text = slurp(path("good"), &size), *at = strstr(text, "== 0x");
    assert_non_null(at);
    at[6] = at[6] == '0' ? '1' : '0';
    put(path("bad"), text, size);
    assert_int_equal(save_read(s, path("bad"), error), SAVE_DIFFERS);
    assert_non_null(strstr(error, "state-digest is 0x"));
    assert_non_null(strstr(error, ", but 0x"));
    assert_non_null(strstr(error, " was saved"));
    assert_int_equal(save_read(s, path("good"), error), SAVE_DONE);
    free(text);
}

static void damaged_files_get_one_line(void **state)
{
    struct session *s = *state;
    char error[160], before[24];
    size_t size;
    run(s, "recipe O2");
    run(s, "step 2");
    save(s, path("good"));
    char *text = slurp(path("good"), &size);
    snprintf(before, sizeof before, "%s", fact(s, "state-digest"));
    for (size_t cut = 0; cut < size; cut++) { /* cut off anywhere */
        put(path("bad"), text, cut);
        assert_int_equal(save_read(s, path("bad"), error), SAVE_FAILED);
        assert_true(*error && !strchr(error, '\n'));
    }
    assert_string_equal(before, fact(s, "state-digest"));
    static const char *const hostile[] = {
        "",
        "# ulpscope session 1\n# end\n",
        "# ulpscope session 1\nsave /tmp/x\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nload /dev/zero\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nstep 999999999\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nstep -1\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nstep 99999999999999999999999\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nset a[99999999999999999999,1] = 1\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nset fc1.weight[0,0] = 1e999999999999\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nrecipe nothing\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nlane add O2 x y z\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nlane add O2 master=maybe\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nlane add fp32 master=on\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nvalue 1/0\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nvalue \nexpect step == 0\n# end\n",
        "# ulpscope session 1\ncalc 1 +\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nformats e9m99\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nheat nothing\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nrepeats 99999999999\nexpect step == 0\n# end\n",
        "# ulpscope session 1\nexpect\n# end\n",
        "# ulpscope session 1\nwhatever\n# end\n",
        "# ulpscope session 2\nexpect step == 0\n# end\n",
    };
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        put(path("bad"), hostile[i], strlen(hostile[i]));
        assert_int_not_equal(save_read(s, path("bad"), error), SAVE_DONE);
        assert_true(*error && !strchr(error, '\n'));
    }
    unsigned random = 3;
    for (int i = 0; i < 300; i++) { /* a byte changed anywhere: refused, another digest, or as it was */
        char *copy = calloc(1, size + 1);
        memcpy(copy, text, size);
        random = random * 1664525u + 1013904223u;
        copy[random % size] = (char)(random >> 17);
        put(path("bad"), copy, size);
        *error = '\0';
        if (save_read(s, path("bad"), error) != SAVE_DONE)
            assert_true(*error && !strchr(error, '\n'));
        free(copy);
    }
    assert_int_equal(save_read(s, "/nonexistent/file", error), SAVE_FAILED);
    assert_int_equal(save_read(s, "/dev/zero", error), SAVE_FAILED);
    assert_int_equal(save_read(s, folder, error), SAVE_FAILED);
    assert_false(save_write(s, "/nonexistent/file", error));
    assert_non_null(strstr(error, "No such file"));
    free(text);
}

/* A child saves without end, one state and the other in turn; killed at any moment it leaves a whole file. */
static void kills_leave_a_whole_file(void **state)
{
    struct session *s = *state;
    char error[160];
    size_t sizes[2];
    char *texts[2];
    unsigned random = 11;
    run(s, "task xor");
    run(s, "step 2");
    save(s, path("file"));
    texts[0] = slurp(path("file"), &sizes[0]);
    run(s, "step 1");
    save(s, path("file"));
    texts[1] = slurp(path("file"), &sizes[1]);
    for (int kill_count = 0; kill_count < 200; kill_count++) {
        random = random * 1664525u + 1013904223u;
        struct timespec wait = {0, (long)(random % 3000000u)};
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            for (;;) {
                session_command(s, COMMAND_GOTO, "2", error);
                save_write(s, path("file"), error);
                session_command(s, COMMAND_GOTO, "3", error);
                save_write(s, path("file"), error);
            }
        }
        nanosleep(&wait, NULL);
        kill(child, SIGKILL);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        size_t size;
        char *found = slurp(path("file"), &size);
        assert_true((size == sizes[0] && memcmp(found, texts[0], size) == 0) ||
                    (size == sizes[1] && memcmp(found, texts[1], size) == 0));
        free(found);
    }
    free(texts[0]);
    free(texts[1]);
}

static void it_saves_itself_and_is_restored(void **state)
{
    struct session *s = *state;
    struct session_options options = {.device = "cpu", .twin = true};
    char error[DEVICE_TEXT], file[SAVE_PATH], digest[24];
    setenv("XDG_STATE_HOME", path("state"), 1);
    assert_true(save_auto_path(file, sizeof file));
    refuse(s, "restore", "No such file");
    run(s, "step 4");
    assert_true(save_auto(s, file, true, error));
    snprintf(digest, sizeof digest, "%s", fact(s, "state-digest"));
    struct session *next = session_open(&options, error); /* after a crash */
    run(next, "restore");
    assert_string_equal(digest, fact(next, "state-digest"));
    run(next, "restart");
    run(next, "step 1");
    assert_true(save_auto(next, file, true, error)); /* which leaves the earlier one */
    run(next, "restore");
    assert_string_equal(digest, fact(next, "state-digest"));
    session_close(next);
    unsetenv("XDG_STATE_HOME");
}

int main(void)
{
#define WITH_SESSION(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        WITH_SESSION(a_saved_session_is_reached_again),
        WITH_SESSION(another_digest_is_told),
        WITH_SESSION(questions_come_back),
        WITH_SESSION(files_without_questions_load),
        WITH_SESSION(damaged_files_get_one_line),
        WITH_SESSION(kills_leave_a_whole_file),
        WITH_SESSION(it_saves_itself_and_is_restored),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
