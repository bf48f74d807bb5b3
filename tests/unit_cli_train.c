/* `train` with lanes, events and saved sessions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli_harness.h"
#include "save.h"
#include <unistd.h>

/* The next line of what a verb printed, as JSON. */
static json_t *next_line(const char **text)
{
    const char *end = strchr(*text, '\n');
    assert_non_null(end);
    json_t *root = json_loadb(*text, (size_t)(end - *text), 0, NULL);
    assert_non_null(root);
    *text = end + 1;
    return root;
}

static const char *text_of(json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static void lanes_are_compared(void **state)
{
    (void)state;
    CALL("train", "--device", "cpu", "--recipe", "O2", "--compare", "fp32,O2@cpu", "--steps", "5", "--json");
    const char *text = called.out;
    json_decref(next_line(&text));
    char digest[3][24] = {"", "", ""};
    for (int step = 1; step <= 5; step++) {
        json_t *line = next_line(&text), *lanes = json_object_get(line, "lanes");
        assert_int_equal(json_array_size(lanes), 3);
        for (size_t i = 0; i < 3; i++) {
            json_t *lane = json_array_get(lanes, i);
            assert_int_equal(json_integer_value(json_object_get(lane, "lane")), (int)i);
            snprintf(digest[i], sizeof digest[i], "%s", text_of(lane, "state_digest"));
        }
        assert_string_equal(digest[0], digest[2]);
        json_decref(line);
    }
    json_t *line = next_line(&text), *summary = json_object_get(line, "summary");
    json_t *pairs = json_object_get(summary, "first_differences");
    assert_int_equal(json_array_size(pairs), 3);
    json_t *first = json_object_get(json_array_get(pairs, 0), "first"); /* O2 and fp32 */
    assert_string_equal(text_of(first, "phase"), "forward");
    assert_string_equal(text_of(first, "tensor"), "z1");
    assert_true(json_is_null(json_object_get(json_array_get(pairs, 1), "first"))); /* O2 and O2 */
    json_t *lane = json_array_get(json_object_get(summary, "lanes"), 0);
    assert_int_equal(json_object_size(json_object_get(lane, "drift_approx")), 6);
    json_decref(line);
    /* A lane is what the run alone is. */
    CALL("train", "--device", "cpu", "--recipe", "fp32", "--steps", "5", "--every", "5", "--json");
    text = called.out;
    json_decref(next_line(&text));
    line = next_line(&text);
    assert_string_equal(text_of(json_array_get(json_object_get(line, "lanes"), 0), "state_digest"),
                        digest[1]);
    json_decref(line);
}

static void events_say_why(void **state)
{
    (void)state;
    CALL("train", "--device", "cpu", "--recipe", "O2", "--scaler", "pytorch:init=16777216", "--steps", "2",
         "--json");
    const char *text = called.out;
    json_decref(next_line(&text));
    json_t *line = next_line(&text), *events = json_object_get(line, "events");
    assert_true(json_array_size(events) >= 2);
    json_t *e = json_array_get(events, 0);
    assert_string_equal(text_of(e, "event"), "overflow");
    assert_string_equal(text_of(e, "phase"), "backward");
    assert_string_equal(text_of(e, "bits"), "0xfc00");
    assert_non_null(strstr(text_of(e, "why"), "step skipped, scale 16777216 → 8388608"));
    assert_true(strtod(text_of(e, "before"), NULL) <= -65520);
    json_decref(line);
    CALL("train", "--device", "cpu", "--recipe", "O3", "--optimizer", "adam", "--steps", "4", "--json");
    text = called.out;
    json_decref(next_line(&text));
    line = next_line(&text);
    events = json_object_get(line, "events");
    bool found = false;
    for (size_t i = 0; i < json_array_size(events); i++)
        found = found || strcmp(text_of(json_array_get(events, i), "phase"), "update") == 0;
    assert_true(found); /* the first infinity is Adam's */
    json_decref(line);
    CALL("train", "--device", "cpu", "--steps", "3", "--json"); /* nothing happens in FP32's range */
    assert_null(strstr(called.out, "overflow\",\"phase"));
}

/* The event of that name on a line, or NULL. */
static json_t *event_of(json_t *line, const char *name)
{
    json_t *events = json_object_get(line, "events");
    for (size_t i = 0; i < json_array_size(events); i++)
        if (strcmp(text_of(json_array_get(events, i), "event"), name) == 0)
            return json_array_get(events, i);
    return NULL;
}

static bool line_skips(json_t *line)
{
    return json_is_true(json_object_get(json_array_get(json_object_get(line, "lanes"), 0), "skipped"));
}

/* In a run that overflows, skips, grows and flushes, every such step says why. */
static void all_kinds_of_events_are_told(void **state)
{
    (void)state;
    int skips = 0, growths = 0, flushes = 0;
    char flushed[TRAINER_MAX_TENSORS][TENSOR_NAME];
    CALL("train", "--device", "cpu", "--recipe", "O2", "--scaler", "pytorch:init=2097152,window=3", "--steps",
         "12", "--json");
    const char *text = called.out;
    json_decref(next_line(&text));
    for (int step = 1; step <= 12; step++) {
        json_t *line = next_line(&text), *overflow = event_of(line, "overflow"),
               *scale = event_of(line, "scale");
        assert_int_equal(overflow != NULL, line_skips(line));
        if (overflow) {
            skips++;
            assert_int_equal(json_integer_value(json_object_get(overflow, "step")), step);
            assert_non_null(strstr(text_of(overflow, "why"), "step skipped, scale "));
            assert_non_null(strstr(text_of(scale, "why"), "(backoff)"));
        } else if (scale) {
            growths++;
            assert_non_null(strstr(text_of(scale, "why"), "(grow)"));
        }
        json_decref(line);
    }
    assert_true(skips >= 3 && growths >= 1);
    CALL("train", "--device", "cpu", "--recipe", "O2", "--scaler", "fixed:1", "--loss-weight", "2^-12",
         "--steps", "3", "--json");
    text = called.out;
    json_decref(next_line(&text));
    for (int step = 1; step <= 3; step++) {
        json_t *line = next_line(&text), *e;
        size_t i;
        json_array_foreach(json_object_get(line, "events"), i, e)
        {
            if (strcmp(text_of(e, "event"), "underflow") != 0)
                continue;
            assert_true(flushes < TRAINER_MAX_TENSORS);
            for (int k = 0; k < flushes; k++) /* of every tensor once a run */
                assert_string_not_equal(text_of(e, "tensor"), flushed[k]);
            snprintf(flushed[flushes++], TENSOR_NAME, "%s", text_of(e, "tensor"));
            assert_string_equal(text_of(e, "phase"), "backward");
            assert_non_null(strstr(text_of(e, "why"), "0 in fp16 (backward)"));
            assert_true(strtod(text_of(e, "before"), NULL) != 0);
        }
        json_decref(line);
    }
    assert_true(flushes >= 2);
}

/* Activations that become 0 are told as gradients are; a lost update names its weight. */
static void zeros_of_the_forward_pass_and_lost_updates_are_told(void **state)
{
    (void)state;
    bool forward = false, lost = false;
    CALL("train", "--device", "cpu", "--recipe", "fp16-pure", "--steps", "130", "--json");
    const char *text = called.out;
    json_decref(next_line(&text));
    for (int step = 1; step <= 130; step++) {
        json_t *line = next_line(&text), *e = event_of(line, "underflow");
        if (e && strcmp(text_of(e, "phase"), "forward") == 0) {
            assert_string_equal(text_of(e, "tensor"), "z2");
            assert_string_equal(text_of(e, "why"),
                                "z2[493,10]: -3.72529e-9 ≥ -2^-25 → -0 in fp16 (forward)");
            assert_int_equal(step, 128);
            forward = true;
        }
        if ((e = event_of(line, "lost"))) {
            assert_int_equal(step, 1);
            assert_string_equal(text_of(e, "phase"), "update");
            assert_string_equal(text_of(e, "tensor"), "fc1.weight");
            assert_string_equal(text_of(e, "bits"), "0x3d69");
            assert_non_null(strstr(text_of(e, "why"),
                                   "fc1.weight[0,2]: 1.35253906… - 0.000299998 = 1.35223906 → "
                                   "1.35253906… in fp16 (update); 6 of 1251 updates"));
            lost = true;
        }
        json_decref(line);
    }
    assert_true(forward && lost);
}

/* A lane "R+kahan" is the run that --update-rounding kahan is. */
static void lanes_can_be_variants(void **state)
{
    (void)state;
    char digest[3][24] = {"", "", ""};
    CALL("train", "--device", "cpu", "--compare", "bf16-pure+kahan,O2-master@cpu,O0", "--steps", "4",
         "--every", "4", "--json");
    const char *text = called.out;
    json_t *header = next_line(&text), *line = next_line(&text), *lanes = json_object_get(line, "lanes");
    assert_string_equal(text_of(json_array_get(lanes, 1), "recipe"), "bf16-pure+kahan");
    assert_string_equal(text_of(json_array_get(lanes, 2), "recipe"), "O2-master");
    assert_string_equal(text_of(json_array_get(lanes, 3), "recipe"), "fp32");
    for (size_t i = 1; i < 3; i++)
        snprintf(digest[i], sizeof digest[i], "%s", text_of(json_array_get(lanes, i), "state_digest"));
    json_decref(header);
    json_decref(line);
    CALL("train", "--device", "cpu", "--recipe", "bf16-pure", "--update-rounding", "kahan", "--steps", "4",
         "--json");
    assert_non_null(strstr(called.out, digest[1]));
    CALL("train", "--device", "cpu", "--recipe", "O2", "--master", "off", "--steps", "4", "--json");
    assert_non_null(strstr(called.out, digest[2]));
    static const char *const bad[] = {"O2+up",
                                      "fp32+master",
                                      "O2-sr",
                                      "O2+",
                                      "bf16-purer",
                                      "+kahan",
                                      "bf16-pure+kahan+kahan+kahan+kahan+kahanX"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char copy[64];
        snprintf(copy, sizeof copy, "%s", bad[i]);
        CALL("train", "--device", "cpu", "--compare", copy, "--steps", "1");
        assert_int_equal(called.status, 2);
        assert_non_null(strstr(called.err, "no such one"));
    }
}

static void saved_sessions_are_verified(void **state)
{
    (void)state;
    struct session_options options = {"cpu", true};
    char error[256], path[] = "/tmp/ulpscope-load-XXXXXX", none[] = "/nonexistent";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    struct session *s = session_open(&options, error);
    assert_non_null(s);
    assert_true(session_command(s, COMMAND_STEP, "3", error));
    assert_true(save_write(s, path, error));
    session_close(s);
    CALL("train", "--device", "cpu", "--load", path, "--json");
    assert_int_equal(called.status, 0);
    assert_non_null(strstr(called.out, "\"loaded\":{\"step\":3,\"injected\":0"));
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    char text[4096];
    size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    char *at = strstr(text, "state-digest == 0x");
    assert_non_null(at);
    at[18] = at[18] == '0' ? '1' : '0';
    rewind(file);
    fwrite(text, 1, n, file);
    fclose(file);
    CALL("train", "--device", "cpu", "--load", path);
    assert_int_equal(called.status, 3);
    assert_string_equal(called.out, "");
    CALL("train", "--device", "cpu", "--load", none);
    assert_int_equal(called.status, 1);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_are_compared),
        cmocka_unit_test(events_say_why),
        cmocka_unit_test(all_kinds_of_events_are_told),
        cmocka_unit_test(zeros_of_the_forward_pass_and_lost_updates_are_told),
        cmocka_unit_test(lanes_can_be_variants),
        cmocka_unit_test(saved_sessions_are_verified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
