/* Blocks in Bits: the command, its errors, its facts, and what a snapshot shows of them. */
#include "session_test.h"

#include "probe_text.h"

static const struct block_screen *look(struct session *s)
{
    static struct snapshot *last;
    snapshot_free(last);
    last = session_snapshot(s);
    assert_non_null(last);
    assert_false(last->failed);
    return &last->block;
}

/* A command line that must fail with exactly that. */
static void refuse_with(struct session *s, const char *argument, const char *message)
{
    char error[160];
    assert_false(session_command(s, COMMAND_BLOCK, argument, error));
    assert_string_equal(error, message);
}

static void comes_and_goes(void **state)
{
    struct session *s = *state;
    assert_false(look(s)->shown);
    run(s, "block mxfp4 1 2.5 -3 0.1");
    const struct block_screen *b = look(s);
    assert_true(b->shown);
    assert_string_equal(b->text, "mxfp4 1 2.5 -3 0.1");
    assert_string_equal(b->what, "MXFP4 (E2M1): 32 elements e2m1 share a scale e8m0 · 4 given");
    assert_string_equal(fact(s, "block"), "mxfp4 1 2.5 -3 0.1");
    run(s, "block");
    assert_false(look(s)->shown);
    assert_false(session_fact(s, "block", (char[TEXT_LINE]){0}, TEXT_LINE));
    assert_false(session_fact(s, "block.scale", (char[TEXT_LINE]){0}, TEXT_LINE));
    run(s, "block mxfp4 1");
    run(s, "value 2"); /* a value takes its place, and a weight, and a calculation */
    assert_false(look(s)->shown);
    run(s, "block mxfp4 1");
    run(s, "weight");
    assert_false(look(s)->shown);
    run(s, "block mxfp4 1");
    run(s, "calc 1+1");
    assert_false(look(s)->shown);
    run(s, "block mxfp4 1");
    assert_true(look(s)->shown);
    assert_false(session_fact(s, "calc", (char[TEXT_LINE]){0}, TEXT_LINE));
    run(s, "value 1 - 1e-5");
}

static void what_it_says(void **state)
{
    struct session *s = *state;
    run(s, "block mxfp4 1 2.5 -3 0.1 7 -0 (1 - 1e-5)");
    const struct block_screen *b = look(s);
    assert_int_equal(b->count, 7);
    assert_string_equal(b->scale.hex, "0x7f");
    assert_string_equal(b->scale.sign, "");
    assert_string_equal(b->scale.exponent, "01111111");
    assert_string_equal(b->scale_value, "2^0 = 1");
    assert_string_equal(b->largest, "7");
    assert_string_equal(
        b->scale_why, "floor(log2 7) = 2; the largest exponent of e2m1 is 2: 2^(2 − 2) = 2^0, as OCP MX v1.0 "
                      "(6.3) has it.");
    assert_string_equal(b->policy, "roundTiesToEven · e2m1: overflow saturates, subnormals kept, no NaN");
    assert_string_equal(b->summary, "largest error −1 at [4] · 1 of 7 became 0 · 1 of 7 saturated");
    const struct block_row *row = &b->rows[4];
    assert_string_equal(row->input, "7");
    assert_string_equal(row->element.sign, "0");
    assert_string_equal(row->element.exponent, "11");
    assert_string_equal(row->element.trailing, "1");
    assert_string_equal(row->class, "saturated");
    assert_true(row->lost);
    assert_string_equal(row->why[1],
                        "in e2m1 beyond its largest value: 6 (0x7), which stands for 6 × 2^0 = 6; "
                        "error −1");
    assert_true(row->line.valid);
    assert_string_equal(b->rows[3].class, "became 0");
    assert_string_equal(b->rows[1].line.tie, "2.5");
    assert_string_equal(b->rows[1].why[1],
                        "in e2m1 a tie: 2 (0x4), which stands for 2 × 2^0 = 2; error −0.5");
    assert_string_equal(b->rows[6].input, "(1 - 1e-5)");
    assert_string_equal(b->rows[6].scaled, "0.99999");
    expect(s, "block.format == mxfp4");
    expect(s, "block.count == 7");
    expect(s, "block.scale == 0x7f");
    expect(s, "block.scale.value == 1");
    expect(s, "block.largest == 7");
    expect(s, "block.zeros == 1");
    expect(s, "block.saturated == 1");
    expect(s, "block.worst == 4");
    expect(s, "block.2 == 0xd");
    expect(s, "block.2.value == -3");
    expect(s, "block.2.error == 0");
    expect(s, "block.4.scaled == 7");
    expect(s, "block.4.element == 6");
    expect(s, "block.5 == 0x8");
    expect(s, "block.5.class == zero");
    char text[TEXT_LINE];
    assert_false(session_fact(s, "block.7", text, sizeof text));
    assert_false(session_fact(s, "block.-1", text, sizeof text));
    assert_false(session_fact(s, "block.1.bits", text, sizeof text));
    assert_false(session_fact(s, "block.1x", text, sizeof text));
    assert_false(session_fact(s, "block.99999999999999999999", text, sizeof text));
}

static void nvfp4(void **state)
{
    struct session *s = *state;
    run(s, "block nvfp4 3 -1");
    const struct block_screen *b = look(s);
    assert_string_equal(b->scale_why,
                        "3 / 6 = 0.5; to nearest even in e4m3, saturating: 0.5. The second scale "
                        "that NVFP4 has for a whole tensor is taken as 1.");
    assert_string_equal(b->scale.trailing, "000");
    expect(s, "block.0.element == 6");
    expect(s, "block.worst == none");
    assert_string_equal(look(s)->summary, "all exact · none became 0 · none saturated");
    run(s, "block nvfp4 1e-9 0"); /* the scale rounds to zero */
    b = look(s);
    assert_string_equal(b->rows[0].scaled, "–");
    assert_string_equal(b->rows[0].class, "became 0");
    assert_string_equal(b->rows[1].class, "zero");
    assert_false(b->rows[0].line.valid);
    assert_non_null(strstr(b->scale_why, "A scale of 0 leaves nothing of any element."));
    run(s, "block nvfp4 1e9");
    expect(s, "block.scale.value == 448");
    expect(s, "block.0.value == 2688");
}

static void ends(void **state)
{
    struct session *s = *state;
    run(s, "block mxfp4 0 -0 0");
    assert_string_equal(look(s)->scale_why, "All values are zero: the scale is the smallest that e8m0 has.");
    expect(s, "block.scale == 0x00");
    expect(s, "block.1 == 0x8");
    expect(s, "block.zeros == 0");
    run(s, "block nvfp4 0");
    expect(s, "block.scale == 0x00");
    run(s, "block mxfp8 1e999999999 -1e-999999999 1/3");
    const struct block_screen *b = look(s);
    assert_string_equal(b->scale.hex, "0xfe");
    assert_non_null(strstr(b->scale_why, "e8m0 ends at 2^127."));
    expect(s, "block.0.class == saturated");
    expect(s, "block.1 == 0x80");
    run(s, "block mxfp8e5m2 2^-300");
    assert_non_null(strstr(look(s)->scale_why, "e8m0 ends at 2^-127."));
    expect(s, "block.0.class == became 0");
    run(s, "rounding sr");
    run(s, "random-bits 4");
    run(s, "block mxfp4 4 0.75");
    b = look(s);
    assert_string_equal(b->policy, "stochastic, 4 bits · e2m1: overflow saturates, subnormals kept, no NaN");
    assert_non_null(strstr(b->rows[1].why[1], "p(away from zero) 8 / 2^4"));
    assert_null(strstr(b->rows[0].why[1], "p(away"));
    run(s, "rounding rne");
}

static void errors(void **state)
{
    struct session *s = *state;
    char many[256] = "nvfp4", longest[1200] = "mxfp4 ";
    run(s, "block mxfp4 1 2");
    refuse_with(s, "fp4 1", "no block 'fp4' (mxfp8e4m3, mxfp8e5m2, mxfp6e3m2, mxfp6e2m3, mxfp4, nvfp4)");
    refuse_with(s, "mxfp4", "mxfp4: the values are missing: 1 to 32 of them");
    refuse_with(s, "mxfp4 inf", "'inf': a block takes finite values");
    refuse_with(s, "mxfp4 1 -nan", "'-nan': a block takes finite values");
    refuse_with(s, "mxfp4 fp16:0x7c00", "'fp16:0x7c00': a block takes finite values");
    refuse_with(s, "mxfp4 1 0.1x 2", "'0.1x': not a number (at 'x')");
    refuse_with(s, "mxfp4 1 - 2", "'-': blanks part values; parentheses keep one together: (1 - 2)");
    for (int i = 0; i < 17; i++)
        strcat(many, " 1");
    refuse_with(s, many, "nvfp4: a block holds 16 values, not 17");
    memset(longest + 6, '1', 1100);
    refuse_with(s, longest, "a block has at most 959 characters here");
    assert_false(session_command(s, COMMAND_BLOCK, "mxfp4 (1 2", (char[160]){0}));
    assert_string_equal(look(s)->text, "mxfp4 1 2"); /* what was shown stays */
    assert_true(look(s)->shown);
}

/* What is shown is what block_round says, of every kind, with as many values as it holds. */
static void as_block_round(void **state)
{
    struct session *s = *state;
    struct device *d = s->device;
    for (int kind = 0; kind < BLOCK_FORMATS; kind++) {
        const struct block_format *f = &block_format_table[kind];
        char line[1024], text[8][TEXT_SHORT];
        struct exact *x[BLOCK_MOST];
        struct block_result r;
        struct exact_error error;
        struct probe_policy policy = {.mode = ROUND_RNE};
        snprintf(line, sizeof line, "%s", f->name);
        for (size_t i = 0; i < f->size; i++) {
            snprintf(text[0], TEXT_SHORT, "%s%zu/%zu*2^-%zu", i & 1 ? "-" : "", i * 7 + 1, i % 5 + 1, i % 9);
            x[i] = exact_parse(text[0], &error);
            assert_non_null(x[i]);
            text_append(line, sizeof line, " %s", text[0]);
        }
        char message[160];
        if (!session_command(s, COMMAND_BLOCK, line, message))
            fail_msg("%s", message);
        const struct block_screen *b = look(s);
        assert_true(block_round(d, f, x, f->size, &policy, &r, &error));
        assert_int_equal(b->count, f->size);
        text_hex(text[1], TEXT_HEX, &format_table[f->scale], r.scale_bits);
        assert_string_equal(b->scale.hex, text[1]);
        int zeros = 0, saturated = 0;
        for (size_t i = 0; i < f->size; i++) {
            const struct block_element *e = &r.elements[i];
            text_hex(text[1], TEXT_HEX, &format_table[f->element], e->bits);
            text_value(text[2], TEXT_SHORT, e->value, 30);
            text_value(text[3], TEXT_SHORT, e->element, 30);
            text_approximate(text[4], TEXT_SHORT, e->error, 3,
                             true); /* none is so small that it is shorter */
            assert_string_equal(b->rows[i].element.hex, text[1]);
            assert_string_equal(b->rows[i].stands, text[2]);
            assert_string_equal(b->rows[i].element.value, text[3]);
            assert_string_equal(b->rows[i].error, text[4]);
            zeros += exact_is_zero(e->value);
            saturated += (e->flags & FLAG_OVERFLOW) != 0;
            exact_free(x[i]);
        }
        assert_int_equal(b->zeros, zeros);
        assert_int_equal(b->saturated, saturated);
        block_clear(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_and_goes), cmocka_unit_test(what_it_says), cmocka_unit_test(nvfp4),
        cmocka_unit_test(ends),           cmocka_unit_test(errors),       cmocka_unit_test(as_block_round),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
