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
/* Saves, loads in another session, and saves that: the same file. */
static void assert_comes_back(struct session *s, struct session *other)
{
    size_t a, b;
    char error[160];
    run(s, "step 2");
    save(s, path("variant"));
    if (save_read(other, path("variant"), error) != SAVE_DONE)
        fail_msg("%s", error);
    save(other, path("again"));
    char *first = slurp(path("variant"), &a), *second = slurp(path("again"), &b);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

/* Every recipe with its variants, one after the other, beside one of its own as another lane. */
static void every_variant_comes_back(void **state)
{
    struct session *s = *state;
    struct session_options options = {"cpu", true};
    static const char *const words[] = {"off", "on", "off"};
    char line[120], error[DEVICE_TEXT];
    struct session *other = session_open(&options, error);
    assert_non_null(other);
    run(s, "task xor");
    for (int i = 1; i < RECIPE_COUNT; i++)
        for (int k = 0; k < 3; k++) {
            snprintf(line, sizeof line, "recipe %s", recipe_table[i].name);
            run(s, line);
            for (int word = 0; word < k; word++) {
                snprintf(line, sizeof line, "master %s", words[word]);
                run(s, line);
            }
            snprintf(line, sizeof line,
                     "twin %s pytorch:init=1e%d,growth=1.1,backoff=0.9,window=1000003 master=%s",
                     recipe_table[i].name, 3 * i + k, words[k]);
            run(s, line);
            snprintf(line, sizeof line, "scaler pytorch:init=%d/3", i);
            run(s, line);
            assert_comes_back(s, other);
        }
    session_close(other);
}

/* Nothing of what the session was before is left: lanes, a calculation, a block. */
static void loading_replaces_all(void **state)
{
    struct session *s = *state;
    struct session_options options = {"cpu", true};
    static const char *const before[][4] = {{"lane add O2", "lane add bf16", "calc 1 + 1e-5", "step"},
                                            {"lane add O2", "twin off", "block mxfp4 1 2", "break overflow"},
                                            {"twin off", "step", "heat fc1.weight", "master on"}};
    char error[DEVICE_TEXT];
    struct session *other = session_open(&options, error);
    assert_non_null(other);
    run(s, "task xor");
    for (int lanes = 1; lanes <= 4; lanes++) {
        run(s, lanes == 1 ? "twin off" : "lane add O1");
        assert_int_equal(s->lane_count, lanes);
        for (int i = 0; i < 3; i++) {
            run(other, "restart");
            for (int k = 0; k < 4; k++) {
                char copy[40], *argument;
                snprintf(copy, sizeof copy, "%s", before[i][k]); /* a fifth lane is refused: no matter */
                enum command_id id = command_parse(copy, &argument, error);
                session_command(other, id, argument, error);
            }
            assert_comes_back(s, other);
            assert_int_equal(other->lane_count, lanes);
            assert_true(!*other->numbers.calc_text && !*other->numbers.block_text);
        }
    }
    session_close(other);
}

/* A rename would put a file in the place of a device. */
static void only_files_are_replaced(void **state)
{
    struct session *s = *state;
    char error[160];
    struct stat about;
    assert_int_equal(mkfifo(path("fifo"), 0600), 0);
    assert_false(save_write(s, path("fifo"), error));
    assert_non_null(strstr(error, "is no regular file"));
    assert_true(stat(path("fifo"), &about) == 0 && S_ISFIFO(about.st_mode));
    assert_false(save_write(s, folder, error));
    assert_non_null(strstr(error, "is a directory"));
    assert_false(save_write(s, "", error));
    put(path("target"), "old", 3);
    assert_int_equal(symlink(path("target"), path("link")), 0);
    save(s, path("link"));
    assert_true(lstat(path("link"), &about) == 0 && S_ISLNK(about.st_mode));
    assert_int_equal(save_read(s, path("target"), error), SAVE_DONE);
}

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

/* Also while a new run puts the old file aside, there is a file under its own name at any moment. */
static void the_autosave_is_always_there(void **state)
{
    struct session *s = *state;
    char error[160], file[SAVE_PATH];
    setenv("XDG_STATE_HOME", path("state"), 1);
    assert_true(save_auto_path(file, sizeof file));
    assert_true(save_auto(s, file, true, error));
    pid_t child = fork();
    assert_true(child >= 0);
    for (int i = 0; child == 0 && i < 50; i++)
        save_auto(s, file, true, error);
    if (child == 0)
        _exit(0);
    int status, missing = 0;
    while (waitpid(child, &status, WNOHANG) == 0)
        missing += access(file, F_OK) != 0;
    unlink(file);
    unsetenv("XDG_STATE_HOME");
    assert_int_equal(missing, 0);
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
    assert_false(save_auto_cut_off(file)); /* no mark */
    save_auto_mark(file, true);
    assert_false(save_auto_cut_off(file)); /* this process lives */
    save_auto_mark(file, false);
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
        WITH_SESSION(every_variant_comes_back),
        WITH_SESSION(loading_replaces_all),
        WITH_SESSION(only_files_are_replaced),
        WITH_SESSION(kills_leave_a_whole_file),
        WITH_SESSION(it_saves_itself_and_is_restored),
        WITH_SESSION(the_autosave_is_always_there),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
