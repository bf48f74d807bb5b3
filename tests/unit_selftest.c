/* selftest itself: texts next to ties, digests that nothing but the results can change, vectors, the report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check_text.h"
#include "cli_harness.h"
#include "selftest.h"
#include <unistd.h>

/* ---- texts ---- */

/* Each format gets texts of every class, up to 1,000 digits, and MPFR reads all of them. */
static void texts_lie_around_ties(void **state)
{
    enum { N = 2000 };
    static struct check_text t;
    (void)state;
    for (int i = 0; i < FORMAT_COUNT; i++) {
        int classes[4] = {0}, overflows = 0, longest = 0, hex = 0;
        const struct format *f = &format_table[i];
        for (uint64_t n = 0; n < N; n++) {
            check_text_make(f, n, &t);
            struct check_text_rounded r = check_text_round(&t, f, ROUND_RNA);
            assert_true(r.valid);
            classes[r.tie]++;
            overflows += r.bits[0] != r.bits[1];
            hex += t.base == 16;
            longest = (int)strlen(t.text) > longest ? (int)strlen(t.text) : longest;
        }
        assert_true(longest >= 1000 && longest < CHECK_TEXT_SIZE - 1);
        assert_true(hex > N / 5 && hex < N / 2);
        for (int c = 0; c < 4 && f->specials != FORMAT_SCALE; c++)
            assert_true(classes[c] > N / 25);
        if (f->specials == FORMAT_INF_NAN || f->specials == FORMAT_NAN_ONLY)
            assert_true(overflows > N / 50);
    }
    check_text_end();
}

/* MPFR's side against encodings known from elsewhere. */
static void mpfr_rounds_as_published(void **state)
{
    static const struct {
        const char *text, *format;
        uint32_t bits[5]; /* RNE RNA RTZ RUP RDN */
    } rows[] = {
        {"65504.0000001", "fp16", {0x7bff, 0x7bff, 0x7bff, 0x7c00, 0x7bff}},
        {"65520", "fp16", {0x7c00, 0x7c00, 0x7bff, 0x7c00, 0x7bff}},
        {"-65520", "fp16", {0xfc00, 0xfc00, 0xfbff, 0xfbff, 0xfc00}},
        {"0x1p-25", "fp16", {0x0000, 0x0001, 0x0000, 0x0001, 0x0000}},
        {"-0x3p-25", "fp16", {0x8002, 0x8002, 0x8001, 0x8001, 0x8002}},
        {"1e-60", "fp16", {0x0000, 0x0000, 0x0000, 0x0001, 0x0000}},
        {"464", "e4m3", {0x7e, 0x7f, 0x7e, 0x7f, 0x7e}},
        {"-464.1", "e4m3", {0xff, 0xff, 0xfe, 0xfe, 0xff}},
        {"7", "e2m1", {0x7, 0x7, 0x7, 0x7, 0x7}},
        {"5", "e2m1", {0x6, 0x7, 0x6, 0x7, 0x6}},
        {"0x1.8p0", "e8m0", {0x80, 0x80, 0x7f, 0x80, 0x7f}},
        {"0x1.8p1", "e8m0", {0x80, 0x81, 0x80, 0x81, 0x80}},
        {"1e-60", "e8m0", {0x00, 0x00, 0x00, 0x00, 0x00}},
        {"1e60", "e8m0", {0xfe, 0xfe, 0xfe, 0xfe, 0xfe}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int mode = ROUND_RNE; mode <= ROUND_RDN; mode++) {
            struct check_text t = {.base = strstr(rows[i].text, "0x") ? 16 : 10,
                                   .negative = *rows[i].text == '-'};
            snprintf(t.text, sizeof t.text, "%s", rows[i].text);
            struct check_text_rounded r =
                check_text_round(&t, format_find(rows[i].format), (enum round_mode)mode);
            if (!r.valid || r.bits[0] != rows[i].bits[mode])
                fail_msg("%s %s, mode %d: 0x%x", rows[i].text, rows[i].format, mode, r.bits[0]);
        }
    check_text_end();
}

/* ---- digests ---- */

static uint64_t digest_of(const char *only, int threads)
{
    struct selftest_options options = {.device = "cpu", .only = only, .threads = threads};
    char error[DEVICE_TEXT];
    uint64_t digest;
    assert_int_equal(selftest_run(&options, &digest, error), 0);
    return digest;
}

static void digests_depend_on_results_alone(void **state)
{
    static const char *const only[] = {"fp32 to e4m3, rup, against", "e5m7: texts", "sqrt a"};
    static char *const sets[] = {"baseline", "avx2", "avx512"};
    (void)state;
    for (size_t i = 0; i < sizeof only / sizeof *only; i++) {
        uint64_t digest = digest_of(only[i], 1);
        assert_true(digest == digest_of(only[i], 2) && digest == digest_of(only[i], 3));
        for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
            char error[DEVICE_TEXT];
            struct device *d = device_open_cpu(sets[s], 1, error);
            device_close(d);
            if (!d)
                continue; /* not on this machine */
            setenv("ULPSCOPE_CPU_ISA", sets[s], 1);
            assert_true(digest_of(only[i], 2) == digest);
            unsetenv("ULPSCOPE_CPU_ISA");
        }
    }
    assert_true(digest_of("rup, against", 2) != digest_of("rdn, against", 2));
}

/* Constants: another result anywhere would be another digest. */
static void digests_are_known(void **state)
{
    (void)state;
    assert_int_equal(digest_of("sqrt a", 2), UINT64_C(0x75a355176ef05651));
    assert_int_equal(digest_of("fp16: texts", 2), UINT64_C(0xc3895679f1d40e8a));
}

/* ---- vectors and reports ---- */

static const char vectors_file[] = "selftest-vectors.tmp", report_file[] = "selftest-report.tmp";

static void write_vectors(const char *text)
{
    FILE *file = fopen(vectors_file, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void published_vectors_hold(void **state)
{
    (void)state;
    CALL("selftest", "--only", "vectors", "--vectors", TESTS_DIR "/data/rounding.tsv", "--json", "--device",
         "cpu");
    json_t *root = output(), *check = json_array_get(json_object_get(root, "checks"), 0);
    assert_int_equal(json_array_size(json_object_get(root, "checks")), 1);
    assert_int_equal(json_integer_value(json_object_get(check, "checked")), 74);
    assert_int_equal(json_integer_value(json_object_get(check, "differing")), 0);
    json_decref(root);
}

#define HEADER "input\tformat\tmode\tsaturate\tbits\tsource\n"

static void damaged_vectors_are_one_line(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "the first line does not name the columns"},
        {HEADER, "no vectors"},
        {HEADER "1\tfp16\trne\t-\n", "fewer than 5 columns"},
        {HEADER "1\tfp17\trne\t-\t0x3c00\n", "'fp17' is no format"},
        {HEADER "1\tfp16\tsr\t-\t0x3c00\n", "'sr' is no mode of vectors"},
        {HEADER "1\tfp16\trne\t-\t0x13c00\n", "'0x13c00' is no encoding of fp16"},
        {HEADER "1\tfp16\trne\t-\t3c00\n", "'3c00' is no encoding of fp16"},
        {HEADER "1..2\tfp16\trne\t-\t0x3c00\n", "'1..2': not a number"},
        {HEADER "-1\te8m0\trne\t-\t0x00\n", "'-1': "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_vectors(rows[i].text);
        CALL("selftest", "--only", "vectors", "--vectors", (char *)(uintptr_t)vectors_file, "--json");
        assert_int_equal(called.status, 1);
        assert_string_equal(called.out, "");
        assert_non_null(strstr(called.err, rows[i].error));
        assert_ptr_equal(strchr(called.err, '\n'), called.err + strlen(called.err) - 1);
    }
    write_vectors(HEADER "65520\tfp16\trne\t-\t0x7bff\tmade up\n65520\tfp16\trne\tyes\t0x7bff\tmade up\n");
    CALL("selftest", "--only", "vectors", "--vectors", (char *)(uintptr_t)vectors_file);
    assert_int_equal(called.status, 1);
    assert_string_equal(called.err, "ulpscope: selftest: 1 check failed\n");
    assert_non_null(strstr(called.out, "2 checked, 1 differing"));
    assert_non_null(strstr(called.out, "line 2: 65520, fp16 rne gives 0x7c00, not 0x7bff"));
    unlink(vectors_file);
    CALL("selftest", "--only", "vectors", "--vectors", "/nonexistent/v.tsv");
    check_error(1, "ulpscope: selftest: /nonexistent/v.tsv: No such file or directory\n");
}

static void the_report_says_what_was_run(void **state)
{
    static const char *const keys[] = {"version", "compiler", "date", "device", "description", "digest"};
    (void)state;
    CALL("selftest", "--only", "sqrt a", "--json", "--device", "cpu", "--report",
         (char *)(uintptr_t)report_file);
    json_t *root = output(), *saved = json_load_file(report_file, 0, NULL);
    assert_non_null(saved);
    assert_string_equal(json_string_value(json_object_get(saved, "digest")),
                        json_string_value(json_object_get(root, "digest")));
    assert_int_equal(json_array_size(json_object_get(saved, "checks")), 2);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_true(json_string_length(json_object_get(root, keys[i])) > 2);
    check_string(root, "only", "sqrt a");
    assert_true(json_is_true(json_object_get(root, "passed")));
    size_t i;
    json_t *check;
    json_array_foreach(json_object_get(root, "checks"), i, check)
    {
        assert_int_equal(json_integer_value(json_object_get(check, "checked")), 65536);
        assert_int_equal(json_string_length(json_object_get(check, "digest")), 18);
    }
    assert_int_equal(i, 2);
    json_decref(root);
    json_decref(saved);
    unlink(report_file);
    CALL("selftest", "--only", "sqrt a", "--device", "cpu");
    assert_int_equal(called.status, 0);
    assert_int_equal(strncmp(called.out, "2 checks on ", 12), 0);
    assert_non_null(strstr(called.out, "; digest 0x"));
    CALL("selftest", "--only", "no such check");
    check_error(2, "ulpscope: selftest: --only 'no such check': no check has that in its name\n");
    CALL("selftest", "--only", "sqrt a", "--report", "/nonexistent/report"); /* before the checks */
    check_error(1, "ulpscope: selftest: /nonexistent/report: No such file or directory\n");
    CALL("selftest", "--only", "sqrt a", "--report", "/dev/null");
    check_error(1, "ulpscope: selftest: /dev/null: is no regular file\n");
    CALL("selftest", "--vectors", "/");
    check_error(1, "ulpscope: selftest: /, line 1: Is a directory\n");
}

/* ---- progress ---- */

struct seen {
    int starts, checks, results;
    double total;
};

static void on_start(void *context, int checks, int threads, double seconds)
{
    struct seen *seen = context;
    seen->starts++;
    seen->checks = checks;
    assert_int_equal(threads, 2);
    assert_true(seconds > 0 && seconds < 3600);
}

static void on_report(void *context, const struct selftest_progress *at, const struct selftest_result *r)
{
    struct seen *seen = context;
    assert_int_equal(at->count, seen->checks);
    assert_true(at->total >= seen->total && at->total <= 1.000001 && at->seconds_left > -1e-6);
    seen->total = at->total;
    seen->results += r != NULL;
    if (r)
        assert_int_equal(at->index, seen->results);
}

static void progress_goes_from_nothing_to_all(void **state)
{
    struct seen seen = {0};
    struct selftest_options options = {.device = "cpu",
                                       .only = "texts",
                                       .threads = 2,
                                       .start = on_start,
                                       .report = on_report,
                                       .context = &seen};
    char error[DEVICE_TEXT];
    (void)state;
    assert_int_equal(selftest_run(&options, NULL, error), 0);
    assert_int_equal(seen.starts, 1);
    assert_int_equal(seen.results, seen.checks);
    assert_true(seen.checks > 10 && seen.total > 0.999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_lie_around_ties),
        cmocka_unit_test(mpfr_rounds_as_published),
        cmocka_unit_test(digests_depend_on_results_alone),
        cmocka_unit_test(digests_are_known),
        cmocka_unit_test(published_vectors_hold),
        cmocka_unit_test(damaged_vectors_are_one_line),
        cmocka_unit_test(the_report_says_what_was_run),
        cmocka_unit_test(progress_goes_from_nothing_to_all),
    };
    return cmocka_run_group_tests(tests, NULL, cli_teardown);
}
