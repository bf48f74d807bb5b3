/* The command line as its users see it: output, the one line of an error, exit status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_harness.h"
#include <time.h>

/* ---- bits ---- */

static void the_contracts_example(void **state)
{
    (void)state;
    CALL("bits", "0.1", "-f", "fp16", "--json", "--device", "cpu");
    assert_string_equal(
        called.out,
        "{\"schema\":1,\"command\":\"bits\",\"device\":\"cpu\",\"rounding\":\"rne\",\"values\":[{\"input\":"
        "\"0.1\",\"exact\":\"0.1\",\"formats\":[{\"format\":\"fp16\",\"bits\":\"0x2e66\",\"sign\":0,\"biased_"
        "exponent\":11,\"exponent\":-4,\"trailing_significand\":\"0x266\",\"class\":\"normal\",\"value\":\"0."
        "0999755859375\",\"hexfloat\":\"0x1.998p-4\",\"tie\":\"below\",\"error\":\"-0.0000244140625\","
        "\"error_"
        "ulp_approx\":-0.4,\"ulp\":\"0.00006103515625\",\"next_up\":\"0.10003662109375\",\"next_down\":\"0."
        "09991455078125\",\"flags\":[\"inexact\"]}]}]}\n");
}

static void known_encodings(void **state)
{
    (void)state;
    static const struct {
        char *input;
        const char *fp32, *fp16, *bf16;
    } cases[] = {
        {"1 - 1e-5", "0x3f7fff58", "0x3c00", "0x3f80"},
        {"1e-5", "0x3727c5ac", "0x00a8", "0x3728"},
        {"65519.999999999999999999999", "0x477ff000", "0x7bff", "0x4780"},
        {"65520", "0x477ff000", "0x7c00", "0x4780"},
        {"2^-25", "0x33000000", "0x0000", "0x3300"},
        {"0.00000002980232238769531251", "0x33000000", "0x0001", "0x3300"},
        {"3*2^-25", "0x33c00000", "0x0002", "0x33c0"},
        {"-0", "0x80000000", "0x8000", "0x8000"},
        {"inf", "0x7f800000", "0x7c00", "0x7f80"},
        {"nan", "0x7fc00000", "0x7e00", "0x7fc0"},
        {"fp32:0xff800001", "0xff800001", "0xfe00", "0xffc0"},
        {"-1e999999999", "0xff800000", "0xfc00", "0xff80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CALL("bits", cases[i].input, "--json");
        json_t *root = output();
        check_string(bits_of(root, 0, "fp32"), "bits", cases[i].fp32);
        check_string(bits_of(root, 0, "fp16"), "bits", cases[i].fp16);
        check_string(bits_of(root, 0, "bf16"), "bits", cases[i].bf16);
        json_decref(root);
    }
}

static void details_of_bits(void **state)
{
    (void)state;
    CALL("bits", "65520", "1e-5", "inf", "nan", "2^-26", "0", "-0", "1/3", "-f", "half", "--json");
    json_t *root = output(), *r = bits_of(root, 0, "fp16");
    check_string(r, "tie", "tie");
    check_string(r, "class", "infinite");
    check_string(r, "value", "inf");
    check_string(r, "error", NULL);
    check_string(r, "error_ulp_approx", NULL);
    check_string(r, "exponent", NULL);
    check_string(r, "ulp", "32");
    check_string(r, "next_up", NULL);
    check_string(r, "next_down", "65504");
    check_flags(r, "inexact overflow");
    r = bits_of(root, 1, "fp16");
    check_string(r, "class", "subnormal");
    check_string(r, "tie", "above");
    assert_int_equal(json_integer_value(json_object_get(r, "exponent")), -14);
    check_flags(r, "inexact underflow");
    r = bits_of(root, 2, "fp16");
    check_string(r, "tie", NULL);
    check_string(r, "ulp", NULL);
    check_string(r, "error", NULL);
    check_flags(r, "");
    r = bits_of(root, 3, "fp16");
    check_string(r, "class", "quiet_nan");
    check_string(r, "value", "nan");
    check_string(r, "next_up", NULL);
    check_string(r, "next_down", NULL);
    r = bits_of(root, 4, "fp16");
    check_string(r, "bits", "0x0000");
    check_string(r, "tie", "below");
    check_string(r, "next_down", "-0.000000059604644775390625");
    check_flags(r, "inexact underflow");
    r = bits_of(root, 5, "fp16");
    check_string(r, "ulp", "0.000000059604644775390625");
    check_string(r, "tie", "exact");
    check_string(bits_of(root, 6, "fp16"), "value", "-0");
    check_string(json_array_get(json_object_get(root, "values"), 7), "exact", "1/3");
    check_string(bits_of(root, 7, "fp16"), "error", "-1/12288");
    json_decref(root);
}

static void modes_and_saturation(void **state)
{
    (void)state;
    static const struct {
        char *mode, *input;
        const char *bits;
    } cases[] = {
        {"rne", "1+2^-11", "0x3c00"},        {"rna", "1+2^-11", "0x3c01"},  {"rtz", "-1-2^-11", "0xbc00"},
        {"rup", "1+1e-30", "0x3c01"},        {"rdn", "-1-1e-30", "0xbc01"}, {"rdn", "1e6", "0x7bff"},
        {"rup", "-1e6", "0xfbff"},           {"rtz", "1e6", "0x7bff"},      {"rup", "1e6", "0x7c00"},
        {"sr", "0.0999755859375", "0x2e66"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CALL("bits", cases[i].input, "--rounding", cases[i].mode, "-ffp16", "--json");
        json_t *root = output();
        check_string(root, "rounding", cases[i].mode);
        check_string(bits_of(root, 0, "fp16"), "bits", cases[i].bits);
        json_decref(root);
    }
    CALL("bits", "1e6", "-inf", "--saturate", "-f", "fp16,bf16", "--json");
    json_t *root = output();
    check_string(bits_of(root, 0, "fp16"), "bits", "0x7bff");
    check_string(bits_of(root, 1, "fp16"), "bits", "0xfbff");
    check_string(bits_of(root, 1, "bf16"), "bits", "0xff7f");
    json_decref(root);
}

/* Two seeds differ somewhere, one seed never; only the neighbours appear. */
static void stochastic_rounding_has_a_seed(void **state)
{
    (void)state;
    char *argv[70] = {"ulpscope", "bits"};
    for (int i = 2; i < 66; i++)
        argv[i] = "0.1";
    argv[66] = "-rsr";
    argv[67] = "--json";
    argv[68] = "--seed=1";
    call_with(&no_hooks, NULL, 0, argv);
    char *first = strdup(called.out);
    assert_non_null(strstr(first, "\"0x2e66\""));
    assert_non_null(strstr(first, "\"0x2e67\""));
    call_with(&no_hooks, NULL, 0, argv);
    assert_string_equal(called.out, first);
    argv[68] = "--seed=2";
    call_with(&no_hooks, NULL, 0, argv);
    assert_string_not_equal(called.out, first);
    free(first);
}

static void values_from_standard_input(void **state)
{
    (void)state;
    CALL_INPUT("1\r\n\n  0.5 \n-2\n", "bits", "3", "-", "4", "--json", "-f", "fp16");
    json_t *root = output(), *values = json_object_get(root, "values");
    assert_int_equal(json_array_size(values), 5);
    check_string(json_array_get(values, 1), "input", "1");
    check_string(json_array_get(values, 2), "input", "0.5");
    check_string(bits_of(root, 3, "fp16"), "bits", "0xc000");
    json_decref(root);
    CALL_INPUT("1\n\n0.1x\n", "bits", "-", "--json");
    check_error(2, "ulpscope: bits: line 3: '0.1x': not a number (at 'x')\n");
    CALL_INPUT("1\0002\n", "bits", "-");
    check_error(2, "ulpscope: bits: line 1: '1?2': not a number (at '?')\n");
    CALL("bits", "-", "--json");
    root = output();
    assert_int_equal(json_array_size(json_object_get(root, "values")), 0);
    json_decref(root);
}

/* More values than one launch takes: all are there, in order. */
static void many_values(void **state)
{
    (void)state;
    enum { N = 2500 };
    static char input[N * 6 + 1];
    size_t used = 0;
    for (int i = 0; i < N; i++)
        used += (size_t)snprintf(input + used, sizeof input - used, "%d\n", i);
    call_with(&no_hooks, input, used, ARGV("bits", "-", "--json", "-f", "fp32,fp16"));
    json_t *root = output(), *values = json_object_get(root, "values");
    assert_int_equal(json_array_size(values), N);
    for (size_t i = 0; i < N; i++) {
        char text[16];
        snprintf(text, sizeof text, "%zu", i);
        check_string(json_array_get(values, i), "input", text);
        check_string(bits_of(root, i, "fp32"), "value", text);
    }
    json_decref(root);
}

static void arguments_with_a_minus(void **state)
{
    (void)state;
    CALL("bits", "-1", "-.5", "-(1+1)", "-inf", "-nan", "--json", "--", "-0x1p-3", "2");
    json_t *root = output();
    assert_int_equal(json_array_size(json_object_get(root, "values")), 7);
    check_string(bits_of(root, 3, "fp16"), "bits", "0xfc00");
    check_string(bits_of(root, 4, "fp16"), "bits", "0xfe00");
    check_string(bits_of(root, 5, "fp16"), "bits", "0xb000");
    json_decref(root);
}

/* ---- errors ---- */

static void errors_are_one_line(void **state)
{
    (void)state;
    CALL("bits", "0.1x");
    check_error(2, "ulpscope: bits: '0.1x': not a number (at 'x')\n");
    CALL("bits", "1", "0.1x", "--json");
    check_error(2, "ulpscope: bits: '0.1x': not a number (at 'x')\n");
    CALL("bits", "1é");
    check_error(2, "ulpscope: bits: '1é': not a number (at 'é')\n");
    CALL("bits", "1\n2");
    check_error(2, "ulpscope: bits: '1?2': not a number (at '2')\n");
    CALL("bits", "--");
    check_error(2, "ulpscope: bits: VALUE is missing\n");
    CALL("bits", "--json");
    check_error(2, "ulpscope: bits: VALUE is missing\n");
    CALL("bits", "1", "-f", "fp17");
    check_error(2, "ulpscope: bits: 'fp17': no such format\n");
    CALL("bits", "1", "-f");
    check_error(2, "ulpscope: bits: --formats: FORMATS is missing\n");
    CALL("bits", "1", "-r", "up");
    check_error(2, "ulpscope: bits: --rounding: 'up': not rne, rna, rtz, rup, rdn or sr\n");
    CALL("bits", "1", "--jsn");
    check_error(2, "ulpscope: bits: '--jsn': no such option\n");
    CALL("bits", "1", "--json=1");
    check_error(2, "ulpscope: bits: --json takes no value\n");
    CALL("bits", "1", "--seed", "-1");
    check_error(2, "ulpscope: bits: --seed: '-1': not an integer from 0 to 2^63 - 1\n");
    CALL("train", "--steps", "1", "--seed", "9223372036854775808");
    check_error(2, "ulpscope: train: --seed: '9223372036854775808': not an integer from 0 to 2^63 - 1\n");
    CALL("bits", "1", "--json", "--json");
    check_error(2, "ulpscope: bits: --json is given twice\n");
    CALL("nonsense");
    check_error(2, "ulpscope: 'nonsense': no such command (see ulpscope --help)\n");
    CALL("--nonsense");
    check_error(2, "ulpscope: '--nonsense': no such option\n");
    CALL("bits", "1", "--device", "gpu");
    check_error(2, "ulpscope: bits: --device: 'gpu': not auto, cpu or cuda\n");
    CALL("formats", "x");
    check_error(2, "ulpscope: formats: 'x': one argument too many\n");
    for (int length = 1; length < 3000; length += 97) { /* cut, and never more than one line */
        char text[3000];
        memset(text, 'y', (size_t)length);
        text[length] = '\0';
        CALL("bits", text);
        assert_int_equal(called.status, 2);
        assert_true(strlen(called.err) < 200);
        assert_ptr_equal(strchr(called.err, '\n'), called.err + strlen(called.err) - 1);
    }
}

/* What a hook says quotes names and files as they are; the line that is written holds no byte of them that
 * could break it or command the terminal. */
static int hook_that_fails(void *context, const struct cli_common *common, const char *file, bool check,
                           FILE *out, char *error)
{
    (void)context, (void)common, (void)check, (void)out;
    snprintf(error, CLI_TEXT, "%s", file);
    return CLI_FAILED;
}

static void error_lines_are_plain_text(void **state)
{
    (void)state;
    static const struct {
        char *typed;
        const char *shown;
    } cases[] = {
        {"a\nb", "a?b"},
        {"\033]0;x\007", "?]0;x?"},
        {"\xff\xc3", "??"},
        {"\xc0\x80", "??"},           /* overlong */
        {"\xe0\x80\x80", "???"},      /* overlong */
        {"\xed\xa0\x80", "???"},      /* a surrogate */
        {"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
        {"\xc2\x9b"
         "31m",
         "?31m"}, /* C1's CSI */
        {"\xe2\x80\xae"
         "1",
         "?1"}, /* right-to-left override */
        {"\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80"},
    };
    static const struct cli_hooks hooks = {.play = hook_that_fails};
    char line[200];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        call_with(&hooks, NULL, 0, ARGV("play", cases[i].typed));
        snprintf(line, sizeof line, "ulpscope: play: %s\n", cases[i].shown);
        check_error(1, line);
        CALL("formats", cases[i].typed);
        snprintf(line, sizeof line, "ulpscope: formats: '%s': one argument too many\n", cases[i].shown);
        check_error(2, line);
    }
}

static void words_of_a_later_version(void **state)
{
    (void)state;
    CALL("ops");
    check_error(2, "ulpscope: ops: not in this version\n");
    CALL("learn");
    check_error(2, "ulpscope: learn: not in this version\n");
    CALL("--help");
    assert_int_equal(called.status, 0);
    assert_non_null(strstr(called.out, "calc"));
    assert_null(strstr(called.out, "learn"));
    assert_non_null(strstr(called.out, "bits"));
}

/* A build without CUDA, or a machine without a GPU: asked for by name it is an error, and auto takes the CPU.
 */
static void devices_that_are_not_there(void **state)
{
    (void)state;
    CALL("devices", "--json");
    json_t *root = output(), *cuda = entry(json_object_get(root, "devices"), "device", "cuda");
    bool usable = json_is_true(json_object_get(cuda, "usable"));
    if (!usable)
        assert_true(strlen(json_string_value(json_object_get(cuda, "reason"))) > 10);
    json_decref(root);
    if (usable)
        return;
    CALL("bits", "1", "--device", "cuda");
    assert_int_equal(called.status, 4);
    assert_string_equal(called.out, "");
    assert_ptr_equal(strstr(called.err, "ulpscope: bits: cuda: "), called.err);
    CALL("bits", "0.1x", "--device", "cuda");
    assert_int_equal(called.status, 2);
    setenv("ULPSCOPE_DEVICE", "cuda", 1);
    CALL("update", "--w", "1", "--delta", "1");
    assert_int_equal(called.status, 4);
    CALL("update", "--w", "1", "--delta", "1", "--device", "auto");
    assert_int_equal(called.status, 0);
    unsetenv("ULPSCOPE_DEVICE");
}

/* ---- update ---- */

static json_t *scheme_of(json_t *root, const char *name)
{
    return entry(json_object_get(root, "schemes"), "scheme", name);
}

static void update_in_json(void **state)
{
    (void)state;
    CALL("update", "--w", "1", "--lr", "0.001", "--grad", "0.01", "--steps", "1000", "--json");
    json_t *root = output(), *s = scheme_of(root, "fp16");
    check_string(root, "w", "1");
    check_string(root, "delta", "0.00001");
    check_string(root, "exact", "0.99");
    assert_int_equal(json_integer_value(json_object_get(root, "steps")), 1000);
    assert_int_equal(json_array_size(json_object_get(root, "schemes")), 9);
    check_string(json_object_get(s, "last"), "bits", "0x3c00");
    assert_int_equal(json_integer_value(json_object_get(s, "lost")), 1000);
    check_string(s, "first_move", NULL);
    check_string(s, "threshold", "0.000244140625");
    assert_true(json_is_false(json_object_get(s, "threshold_moves")));
    double ulps = json_number_value(json_object_get(s, "delta_ulp_approx"));
    assert_true(ulps > 0.020479 && ulps < 0.020481);
    check_string(json_object_get(s, "delta_in_format"), "bits", "0x00a8");
    assert_null(json_object_get(s, "master"));
    s = scheme_of(root, "bf16+master");
    check_string(json_object_get(s, "last"), "bits", "0x3f7d");
    check_string(json_object_get(s, "master"), "bits", "0x3f7d6fc0");
    s = scheme_of(root, "bf16+sr");
    check_string(s, "threshold", NULL);
    check_string(s, "threshold_moves", NULL);
    s = scheme_of(root, "bf16+kahan");
    check_string(json_object_get(s, "last"), "value", "0.9921875");
    assert_int_equal(json_integer_value(json_object_get(s, "first_move")), 222);
    s = scheme_of(root, "fp16+kahan");
    check_string(json_object_get(s, "last"), "value", "0.98974609375");
    assert_int_equal(json_integer_value(json_object_get(s, "first_move")), 25);
    json_decref(root);
    CALL("update", "--w", "1", "--delta", "-2^-11", "--schemes", "fp16", "--json");
    root = output();
    s = scheme_of(root, "fp16");
    check_string(s, "threshold", "-0.00048828125");
    assert_int_equal(json_integer_value(json_object_get(s, "moved")), 0);
    assert_int_equal(json_array_size(json_object_get(root, "schemes")), 1);
    json_decref(root);
}

static void update_errors(void **state)
{
    (void)state;
    CALL("update", "--w", "1");
    check_error(2, "ulpscope: update: --delta, or --lr and --grad, is missing\n");
    CALL("update", "--delta", "1");
    check_error(2, "ulpscope: update: --w is missing\n");
    CALL("update", "--w", "1", "--lr", "1");
    check_error(2, "ulpscope: update: --grad is missing\n");
    CALL("update", "--w", "1", "--lr", "1", "--delta", "1");
    check_error(2, "ulpscope: update: --delta and --lr with --grad exclude each other\n");
    CALL("update", "--w", "1", "--delta", "1y");
    check_error(2, "ulpscope: update: --delta: '1y': not a number (at 'y')\n");
    CALL("update", "--w", "inf", "--delta", "1", "--json");
    check_error(2, "ulpscope: update: --w: 'inf': not a finite number (at 'i')\n");
    CALL("update", "--w", "1", "--delta", "1", "--steps", "10000001");
    check_error(2, "ulpscope: update: --steps: '10000001': not an integer from 1 to 10000000\n");
    CALL("update", "--w", "1", "--delta", "1", "--steps", "1e3");
    check_error(2, "ulpscope: update: --steps: '1e3': not an integer from 1 to 10000000\n");
    CALL("update", "--w", "1", "--delta", "1", "--schemes", "fp16,fp32+sr");
    check_error(2, "ulpscope: update: --schemes: 'fp32+sr': no such scheme\n");
}

/* ---- the rest ---- */

static int show_hook(void *context, const struct cli_common *common, const struct cli_screen *screen,
                     FILE *out, char *error)
{
    (void)context;
    fprintf(out, "%s %s %dx%d %d %s\n", common->device, screen->panel ? screen->panel : "-", screen->columns,
            screen->rows, (int)screen->as, screen->script ? screen->script : "-");
    snprintf(error, CLI_TEXT, "cannot");
    return screen->script ? CLI_FAILED : CLI_DONE;
}

/* Without a terminal, words that would open the UI show the panel; more arguments make them verbs. */
static void panels_without_a_terminal(void **state)
{
    (void)state;
    static const struct cli_hooks hooks = {.show = show_hook};
    call_with(&hooks, NULL, 0, ARGV("--device", "cpu", "bits"));
    assert_string_equal(called.out, "cpu bits 0x0 0 -\n");
    call_with(&hooks, NULL, 0, ARGV("--device=cpu"));
    assert_string_equal(called.out, "cpu - 0x0 0 -\n");
    call_with(&hooks, NULL, 0, ARGV("show", "update", "--size", "80x24", "--as", "svg"));
    assert_string_equal(called.out, "auto update 80x24 2 -\n");
    call_with(&hooks, NULL, 0, ARGV("show", "update", "--script", "f"));
    check_error(1, "ulpscope: show: cannot\n");
    call_with(&hooks, NULL, 0, ARGV("show", "update", "--size", "80"));
    check_error(2, "ulpscope: show: --size: '80': not COLSxROWS, each from 1 to 1000\n");
    call_with(&hooks, NULL, 0, ARGV("update", "--steps", "3"));
    check_error(2, "ulpscope: update: --w is missing\n");
    call_with(&hooks, NULL, 0, ARGV("bits", "--"));
    check_error(2, "ulpscope: bits: VALUE is missing\n");
}

static bool is_ascii(const char *text)
{
    while (*text)
        if ((unsigned char)*text++ >= 0x80)
            return false;
    return true;
}

static void text_for_people(void **state)
{
    (void)state;
    CALL("bits", "1 - 1e-5", "1/3", "inf", "65520", "--color", "always");
    assert_int_equal(called.status, 0);
    assert_non_null(strstr(called.out, "0x3f7fff58"));
    assert_non_null(strstr(called.out, "above the tie: rounds up"));
    assert_non_null(strstr(called.out, "\033["));
    assert_true(is_ascii(called.out)); /* the locale of this test is "C" */
    CALL("update", "--w", "1", "--delta", "1e-5", "--steps", "1000");
    assert_int_equal(called.status, 0);
    assert_non_null(strstr(called.out, "LOST"));
    assert_non_null(strstr(called.out, "kept in c"));
    assert_null(strstr(called.out, "\033["));
    assert_true(is_ascii(called.out));
    CALL("formats");
    assert_non_null(strstr(called.out, "65504"));
    CALL("--version");
    assert_int_equal(strncmp(called.out, "ulpscope ", 9), 0);
    CALL("bits", "--help");
    assert_non_null(strstr(called.out, "--saturate"));
}

static void formats_in_json(void **state)
{
    (void)state;
    CALL("formats", "--json");
    json_t *root = output(), *f = entry(json_object_get(root, "formats"), "format", "fp16");
    check_string(f, "title", "binary16");
    check_string(f, "max", "65504");
    check_string(f, "min_normal", "0.00006103515625");
    check_string(f, "min_subnormal", "0.000000059604644775390625");
    check_string(f, "ulp_1", "0.0009765625");
    check_string(f, "unit_roundoff", "0.00048828125");
    assert_int_equal(json_integer_value(json_object_get(f, "emin")), -14);
    json_decref(root);
}

static void huge_exponents_are_quick(void **state)
{
    (void)state;
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    CALL("bits", "1e999999999", "-1e-999999999", "--json");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_true((double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec) < 0.5);
    json_t *root = output();
    check_string(json_array_get(json_object_get(root, "values"), 0), "exact", NULL);
    check_string(bits_of(root, 1, "fp16"), "bits", "0x8000");
    check_string(bits_of(root, 1, "fp16"), "error", NULL);
    json_decref(root);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_contracts_example),
        cmocka_unit_test(known_encodings),
        cmocka_unit_test(details_of_bits),
        cmocka_unit_test(modes_and_saturation),
        cmocka_unit_test(stochastic_rounding_has_a_seed),
        cmocka_unit_test(values_from_standard_input),
        cmocka_unit_test(many_values),
        cmocka_unit_test(arguments_with_a_minus),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(error_lines_are_plain_text),
        cmocka_unit_test(words_of_a_later_version),
        cmocka_unit_test(devices_that_are_not_there),
        cmocka_unit_test(update_in_json),
        cmocka_unit_test(update_errors),
        cmocka_unit_test(panels_without_a_terminal),
        cmocka_unit_test(text_for_people),
        cmocka_unit_test(formats_in_json),
        cmocka_unit_test(huge_exponents_are_quick),
    };
    unsetenv("ULPSCOPE_DEVICE");
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, cli_teardown);
}
