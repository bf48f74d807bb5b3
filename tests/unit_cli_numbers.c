/* The verbs about numbers beyond the default formats: every format, policies, calculations, blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_harness.h"
#include "format.h"

static void formats_and_policies(void **state)
{
    (void)state;
    CALL("bits", "465", "-f", "all", "--json");
    json_t *root = output();
    assert_int_equal(
        json_array_size(json_object_get(json_array_get(json_object_get(root, "values"), 0), "formats")),
        FORMAT_COUNT);
    json_t *r = bits_of(root, 0, "e4m3");
    check_string(r, "bits", "0x7f");
    check_string(r, "class", "quiet_nan");
    check_string(r, "error", NULL);
    check_string(r, "tie", "above");
    check_string(r, "next_up", NULL);
    check_flags(r, "inexact overflow");
    check_string(bits_of(root, 0, "tf32"), "bits", "0x21f44");
    r = bits_of(root, 0, "e2m1");
    check_string(r, "bits", "0x7");
    check_string(r, "next_up", NULL);
    check_string(r, "next_down", "4");
    check_string(r, "error", "-459");
    r = bits_of(root, 0, "e8m0");
    check_string(r, "value", "512");
    check_string(r, "trailing_significand", "0x0");
    assert_int_equal(json_integer_value(json_object_get(r, "sign")), 0);
    assert_null(json_object_get(root, "saturate"));
    json_decref(root);
    CALL("bits", "465", "e2m1.max", "e4m3.min_subnormal", "e5m7:0x3c0", "-f", "e4m3,E5M7", "--saturate",
         "--json");
    root = output();
    assert_true(json_is_true(json_object_get(root, "saturate")));
    check_string(bits_of(root, 0, "e4m3"), "bits", "0x7e");
    check_string(bits_of(root, 1, "e4m3"), "value", "6");
    check_string(bits_of(root, 2, "e4m3"), "bits", "0x01");
    check_string(bits_of(root, 3, "e5m7"), "bits", "0x03c0");
    json_decref(root);
    CALL("bits", "fp32:0xffc00000", "fp16:0x0001", "-f", "fp16,fp32", "--nan", "cuda", "--daz", "--json");
    root = output();
    check_string(root, "nan", "cuda");
    check_string(bits_of(root, 0, "fp16"), "bits", "0x7fff");
    check_string(bits_of(root, 1, "fp32"), "value", "0");
    check_string(bits_of(root, 1, "fp16"), "bits", "0x0001"); /* typed in this very format: as it is */
    json_decref(root);
    CALL("bits", "1e-6", "-f", "fp16", "--ftz", "--json");
    root = output();
    check_string(bits_of(root, 0, "fp16"), "bits", "0x0000");
    check_flags(bits_of(root, 0, "fp16"), "inexact underflow");
    json_decref(root);
    CALL("bits", "1", "nan", "-f", "fp16,e2m1");
    check_error(2, "ulpscope: bits: 'nan': e2m1 has no NaN\n");
    CALL_INPUT("1\n0\n", "bits", "-", "-f", "e8m0", "--json");
    check_error(2, "ulpscope: bits: line 2: '0': e8m0 has no zero\n");
    CALL("bits", "-3", "-f", "e8m0");
    check_error(2, "ulpscope: bits: '-3': e8m0 has no negative values\n");
    CALL("bits", "1", "-f", "e9m1");
    check_error(2, "ulpscope: bits: 'e9m1': no such format\n");
    CALL("bits", "1", "--nan", "arm");
    check_error(2, "ulpscope: bits: --nan: 'arm': not ours, cuda or x86\n");
    CALL("bits", "e8m0.min_subnormal");
    check_error(2, "ulpscope: bits: 'e8m0.min_subnormal': e8m0 has no subnormals (at 'm')\n");
    CALL("bits", "e4m3:0x100");
    check_error(2, "ulpscope: bits: 'e4m3:0x100': too wide for e4m3 (at '0')\n");
    CALL("bits", "1000", "0.1", "inf", "e4m3:0x7e", "-f", "all");
    assert_int_equal(called.status, 0);
}

static void explanations(void **state)
{
    (void)state;
    CALL("bits", "65519.999999999999999999999", "0.1", "fp16.max", "-inf", "e4m3:0x7f", "--explain", "-f",
         "fp16,bf16,e4m3", "--json");
    json_t *root = output(), *r = bits_of(root, 0, "fp16");
    check_string(r, "bits", "0x7bff");
    check_string(json_object_get(r, "via_fp32"), "bits", "0x7c00"); /* as numpy reads it */
    check_string(json_object_get(r, "via_fp64"), "value", "inf");
    check_string(r, "shortest", "65500");
    assert_int_equal(json_integer_value(json_object_get(r, "certain_digits")), 3);
    check_string(json_object_get(r, "interval"), "high", "65520");
    assert_true(json_is_false(json_object_get(json_object_get(r, "interval"), "high_closed")));
    r = bits_of(root, 1, "fp16");
    assert_null(json_object_get(r, "via_fp32"));
    check_string(r, "shortest", "0.1");
    check_string(json_object_get(r, "bits_plus_one"), "bits", "0x2e67");
    json_t *through = entry(json_object_get(r, "through"), "format", "bf16");
    check_string(json_object_get(through, "there"), "bits", "0x3dcd");
    check_string(json_object_get(through, "back"), "value", "0.10009765625");
    check_string(through, "error", "0.0001220703125");
    r = bits_of(root, 2, "fp16");
    check_string(json_object_get(r, "bits_plus_one"), "value", "inf");
    check_string(json_object_get(entry(json_object_get(r, "through"), "format", "bf16"), "back"), "value",
                 "inf");
    r = bits_of(root, 3, "fp16");
    check_string(r, "shortest", NULL);
    check_string(json_object_get(r, "interval"), "low", "-inf");
    check_string(json_object_get(r, "interval"), "high", "-65520");
    check_string(r, "class_because", "the biased exponent is all ones and the trailing significand is 0");
    r = bits_of(root, 4, "e4m3");
    check_string(json_object_get(r, "interval"), "low", "464"); /* overflow's NaN */
    json_decref(root);
    CALL("bits", "1", "0", "nan", "1e-5", "--explain", "-f", "fp16,e5m2");
    assert_int_equal(called.status, 0);
    assert_non_null(strstr(called.out, "reals that round to it"));
    assert_non_null(strstr(called.out, "through e5m2"));
    /* policies side by side */
    CALL("bits", "65520", "--explain", "-f", "fp16", "--json", "--device", "cpu");
    root = output();
    json_t *policies = json_object_get(bits_of(root, 0, "fp16"), "policies");
    assert_int_equal(json_array_size(policies), 12);
    check_string(json_array_get(policies, 2), "rounding", "rtz");
    check_string(json_array_get(policies, 2), "bits", "0x7bff");
    check_string(json_array_get(policies, 3), "value", "inf");
    assert_true(json_is_true(json_object_get(json_array_get(policies, 9), "saturate")));
    check_string(json_array_get(policies, 9), "value", "65504");
    json_decref(root);
    CALL("bits", "65520", "nan", "--explain", "-f", "fp16", "--device", "cpu");
    assert_non_null(strstr(called.out, "rup  0x7c00 = inf                    rdn  0x7bff = 65504"));
    assert_non_null(strstr(called.out, "NaN rule        ours 0x7e00"));
    assert_non_null(strstr(called.out, "policy roundTiesToEven"));
    /* the probability is that of the policy: saturation leaves no choice */
    CALL("bits", "65520", "2^-25", "--explain", "-f", "fp16", "-r", "sr", "--saturate", "--device", "cpu");
    assert_non_null(strstr(called.out, "probability to go away from zero 0: no random word"));
    assert_non_null(strstr(called.out, "probability to go away from zero 2147483648 / 2^32 = 1 / 2^1"));
    CALL("bits", "65520", "--explain", "-f", "fp16", "-r", "sr", "--saturate", "--json");
    root = output();
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(bits_of(root, 0, "fp16"), "words_away"), "count")),
        0);
    json_decref(root);
}

/* A way through a format that makes zero of the value ends there for a scale, which has none: no failure. */
static void explanations_of_small_values(void **state)
{
    (void)state;
    CALL("bits", "1e-9", "--explain", "-f", "all");
    assert_int_equal(called.status, 0);
    CALL("bits", "1e-9", "--explain", "-f", "all", "--json");
    json_t *root = output(), *through = json_object_get(bits_of(root, 0, "e8m0"), "through"), *row;
    size_t i;
    check_string(json_object_get(entry(through, "format", "fp32"), "back"), "value",
                 "0.000000000931322574615478515625");
    json_array_foreach(through, i, row)
    {
        assert_string_not_equal(json_string_value(json_object_get(row, "format")), "fp16");
    }
    json_decref(root);
}

/* However a trace is written, its steps are the same. */
static void traces_by_counts_and_one_by_one(void **state)
{
    static char *const same[] = {"...xx.x", "3. 2x 1. 1x", "1.2.x0.x.0xx", " 3.\n1x1x.1x "};
    char *first = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        CALL("scale", "--rule", "pytorch:window=2", "--overflow", same[i], "--json");
        assert_int_equal(called.status, 0);
        if (!first)
            first = strdup(called.out);
        assert_string_equal(called.out, first);
    }
    free(first);
    CALL("scale", "--rule", "pytorch", "--overflow", "0.0x");
    check_error(2, "ulpscope: scale: --overflow: '0.0x': no steps (at the end)\n");
}

/* ---- calc ---- */

static void calc_in_json(void **state)
{
    (void)state;
    CALL("calc", "1 - 1e-5", "-f", "fp16", "--json", "--device", "cpu");
    assert_string_equal(
        called.out,
        "{\"schema\":1,\"command\":\"calc\",\"device\":\"cpu\",\"rounding\":\"rne\",\"input\":\"1 - 1e-5\","
        "\"exact\":\"0.99999\",\"formats\":[{\"format\":\"fp16\",\"steps\":[{\"op\":\"-\",\"a\":{\"bits\":"
        "\"0x3c00\","
        "\"value\":\"1\"},\"b\":{\"bits\":\"0x00a8\",\"value\":\"0.000010013580322265625\"},\"exact\":"
        "\"0.999989986419677734375\",\"result\":{\"bits\":\"0x3c00\",\"value\":\"1\",\"tie\":\"above\","
        "\"flags\":"
        "[\"inexact\"]}}],\"result\":{\"bits\":\"0x3c00\",\"value\":\"1\"},\"error\":\"0.00001\"}]}\n");
    CALL("calc", "fma(3, 683, 2^-24) / 0", "-f", "fp16,e4m3", "--json");
    json_t *root = output(), *f = entry(json_object_get(root, "formats"), "format", "fp16");
    json_t *steps = json_object_get(f, "steps"), *step = json_array_get(steps, 0);
    check_string(root, "exact", NULL);
    check_string(f, "error", NULL);
    assert_int_equal(json_array_size(steps), 2);
    check_string(step, "op", "fma");
    check_string(json_object_get(step, "c"), "value", "0.000000059604644775390625");
    check_string(step, "exact", "2049.000000059604644775390625");
    check_string(json_object_get(step, "via_fp32"), "value", "2048");
    assert_null(json_object_get(step, "via_fp64"));
    step = json_object_get(json_array_get(steps, 1), "result");
    check_string(step, "value", "inf");
    check_string(step, "tie", NULL);
    check_flags(step, "divide_by_zero");
    f = entry(json_object_get(root, "formats"), "format", "e4m3");
    check_string(json_object_get(f, "result"), "bits", "0x7f");
    json_decref(root);
    CALL("calc", "sqrt(2)", "-f", "bf16", "--json", "-r", "rup");
    root = output();
    step = json_array_get(json_object_get(entry(json_object_get(root, "formats"), "format", "bf16"), "steps"),
                          0);
    check_string(root, "rounding", "rup");
    check_string(step, "exact", NULL);
    assert_true(json_is_real(json_object_get(step, "exact_approx")));
    check_string(json_object_get(step, "result"), "value", "1.421875");
    json_decref(root);
    CALL("calc", "1 - 1e-5");
    assert_non_null(strstr(called.out, "above the tie"));
    assert_non_null(strstr(called.out, "inf, subnormals kept, NaN quiet\n"));
    CALL("calc", "448 * 2", "-f", "e4m3", "--saturate", "--ftz", "--daz");
    assert_non_null(strstr(called.out, "e4m3: overflow saturates, subnormals flushed, NaN quiet\n"));
    CALL("calc", "0/0", "-f", "e2m1");
    check_error(2, "ulpscope: calc: '0/0': e2m1 has no NaN, which '/' gives here\n");
    CALL("calc", "1 +");
    check_error(2, "ulpscope: calc: '1 +': a value is missing (at the end)\n");
    CALL("calc");
    check_error(2, "ulpscope: calc: EXPR is missing\n");
}

/* ---- blocks ---- */

static json_t *element_of(json_t *root, size_t block, size_t i)
{
    json_t *one = json_array_get(json_object_get(root, "blocks"), block);
    return json_array_get(json_object_get(one, "elements"), i);
}

static void blocks(void **state)
{
    (void)state;
    CALL("bits", "--block", "mxfp8e4m3", "957", "-1/3", "--json"); /* microsoft/microxcaling#4 */
    json_t *root = output(), *block = json_array_get(json_object_get(root, "blocks"), 0);
    check_string(root, "element_format", "e4m3");
    check_string(json_object_get(block, "scale"), "bits", "0x80");
    check_string(block, "max", "957");
    check_string(element_of(root, 0, 0), "value", "896");
    check_string(element_of(root, 0, 0), "bits", "0x7e");
    check_string(element_of(root, 0, 0), "error", "-61");
    check_flags(element_of(root, 0, 0), "inexact overflow");
    check_string(element_of(root, 0, 1), "error", "-1/96");
    json_decref(root);
    char *argv[40] = {"ulpscope", "bits", "--block", "nvfp4", "--json"};
    for (int i = 5; i < 5 + 17; i++)
        argv[i] = "1";
    argv[5] = "6";
    argv[6] = "-0";
    call_with(&no_hooks, NULL, 0, argv);
    root = output();
    assert_int_equal(json_array_size(json_object_get(root, "blocks")), 2);
    check_string(element_of(root, 0, 0), "element", "6");
    check_string(element_of(root, 0, 1), "value", "-0");
    check_string(json_object_get(json_array_get(json_object_get(root, "blocks"), 1), "scale"), "value",
                 "0.171875");
    check_string(element_of(root, 1, 0), "value", "1.03125");
    json_decref(root);
    CALL("bits", "--block", "mxfp4", "0", "1e-60", "--json");
    root = output();
    check_string(json_object_get(json_array_get(json_object_get(root, "blocks"), 0), "scale"), "bits",
                 "0x00");
    json_decref(root);
    CALL("bits", "--block", "mxfp6e2m3", "1", "2", "3");
    assert_non_null(strstr(called.out, "MXFP6"));
    CALL("bits", "--block", "mxfp4", "1", "-inf");
    check_error(2, "ulpscope: bits: '-inf': a block takes finite values\n");
    CALL("bits", "--block", "fp4", "1");
    check_error(
        2,
        "ulpscope: bits: --block: 'fp4': not mxfp8e4m3, mxfp8e5m2, mxfp6e3m2, mxfp6e2m3, mxfp4 or nvfp4\n");
    CALL("bits", "--block", "mxfp4", "-f", "fp16", "1");
    check_error(2, "ulpscope: bits: --block and --formats exclude each other\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_and_policies),
        cmocka_unit_test(explanations),
        cmocka_unit_test(explanations_of_small_values),
        cmocka_unit_test(traces_by_counts_and_one_by_one),
        cmocka_unit_test(calc_in_json),
        cmocka_unit_test(blocks),
    };
    unsetenv("ULPSCOPE_DEVICE");
    unsetenv("NO_COLOR");
    return cmocka_run_group_tests(tests, NULL, cli_teardown);
}
