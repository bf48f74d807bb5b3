/* Bits in any format under any policy, and calculations: commands, facts, answers. */
#include "session_test.h"

static const struct snapshot *look(struct session *s)
{
    static struct snapshot *last;
    snapshot_free(last);
    last = session_snapshot(s);
    assert_non_null(last);
    return last;
}

static void any_formats(void **state)
{
    struct session *s = *state;
    assert_int_equal(look(s)->bits.count, 3);
    assert_string_equal(look(s)->formats, "fp32,fp16,bf16");
    run(s, "formats all");
    assert_int_equal(look(s)->bits.count, FORMAT_COUNT);
    run(s, "formats e4m3, fp16 e5m7,fp16");
    assert_string_equal(look(s)->formats, "e4m3,fp16,e5m7");
    run(s, "value 464");
    expect(s, "bits.e4m3 == 0x7e");
    expect(s, "value.e5m7 == 464");
    assert_false(session_fact(s, "bits.fp32", (char[TEXT_LINE]){0}, TEXT_LINE));
    refuse(s, "formats fp16,fp17", "no format 'fp17'");
    refuse(s, "formats all,e2m2,e3m3,e4m4", "more than 12 formats");
    assert_string_equal(look(s)->formats, "e4m3,fp16,e5m7");
    run(s, "formats");
    assert_int_equal(look(s)->bits.count, 3);
}

static void bits_of_any_format_move(void **state)
{
    struct session *s = *state;
    run(s, "formats e4m3,e2m1,e8m0,e5m7");
    run(s, "value 1");
    run(s, "next e4m3");
    expect(s, "value.e4m3 == 1.125");
    run(s, "previous e5m7");
    expect(s, "bits.e5m7 == 0x078f"); /* 1.125 - 2^-7 */
    run(s, "flip e2m1 0");
    expect(s, "value.e2m1 == 1.5");
    run(s, "next e8m0");
    expect(s, "bits.e8m0 == 0x81"); /* 1.5 is a tie of 1 and 2: from 2 to 4 */
    run(s, "value -0.1");
    refuse(s, "next e8m0", "e8m0 has no negative values");
    refuse(s, "flip fp16 0", "fp16 is not among the formats shown");
    refuse(s, "flip fp99 0", "no format 'fp99'");
}

static void what_a_format_cannot_take(void **state)
{
    struct session *s = *state;
    run(s, "formats e8m0,e2m1,fp16");
    run(s, "value nan");
    const struct snapshot *p = look(s);
    assert_string_equal(p->bits.rows[1].reason, "e2m1 has no NaN");
    assert_ptr_equal(p->bits.rows[1].format, format_find("e2m1"));
    assert_string_equal(p->bits.rows[0].reason, "");
    assert_string_equal(p->bits.rows[2].hex, "0x7e00");
    run(s, "value 0");
    assert_string_equal(look(s)->bits.rows[0].reason, "e8m0 has no zero");
    assert_false(session_fact(s, "bits.e8m0", (char[TEXT_LINE]){0}, TEXT_LINE));
}

static void policies(void **state)
{
    struct session *s = *state;
    run(s, "formats fp16,e4m3,e2m1");
    run(s, "value 1e6");
    const struct snapshot *p = look(s);
    assert_string_equal(p->bits.rows[0].policy,
                        "roundTiesToEven · fp16: overflow → inf, subnormals kept, NaN quiet");
    assert_non_null(strstr(p->bits.rows[1].policy, "overflow → NaN"));
    assert_non_null(strstr(p->bits.rows[2].policy, "overflow → largest"));
    assert_non_null(strstr(p->bits.rows[2].policy, "no NaN"));
    expect(s, "class.fp16 == infinite");
    run(s, "rounding rup");
    assert_non_null(strstr(look(s)->bits.rows[0].policy, "overflow → inf, -largest"));
    expect(s, "class.fp16 == infinite");
    run(s, "value -1e6");
    expect(s, "value.fp16 == -65504");
    run(s, "rounding rtz");
    assert_non_null(strstr(look(s)->bits.rows[1].policy, "overflow → largest"));
    expect(s, "value.e4m3 == -448");
    run(s, "rounding rne");
    run(s, "saturate on");
    assert_non_null(strstr(look(s)->bits.rows[1].policy, "overflow saturates"));
    expect(s, "value.e4m3 == -448");
    run(s, "saturate off");
    run(s, "value 2^-20");
    expect(s, "class.fp16 == subnormal");
    run(s, "flush on");
    expect(s, "class.fp16 == zero");
    assert_non_null(strstr(look(s)->bits.rows[0].policy, "subnormals flushed"));
    run(s, "flush off");
    run(s, "value -nan");
    expect(s, "bits.fp16 == 0xfe00");
    run(s, "nan cuda");
    expect(s, "bits.fp16 == 0x7fff");
    run(s, "nan ours");
    refuse(s, "nan theirs", "no NaN rule 'theirs'");
    refuse(s, "saturate maybe", "not on or off");
    refuse(s, "flush", "on|off");
}

static void explanations(void **state)
{
    struct session *s = *state;
    run(s, "formats");
    run(s, "value 0.1");
    const struct bits_more *m = &look(s)->bits.rows[1].more;
    assert_string_equal(m->shortest, "0.1");
    assert_string_equal(m->digits, "3");
    assert_string_equal(m->plus_hex, "0x2e67");
    assert_string_equal(m->minus_hex, "0x2e65");
    assert_string_equal(m->via[0], "");
    assert_string_equal(m->chance, "");
    assert_int_equal(m->through_count, 2);
    assert_string_equal(m->through[0].name, "fp32");
    assert_true(m->through[0].unchanged);
    assert_string_equal(m->through[1].name, "bf16");
    assert_false(m->through[1].unchanged);
    assert_string_equal(m->through[1].lost, "+0.0001221");
    run(s, "value 1 + 2^-11 + 2^-40"); /* above fp16's tie, and a tie after rounding to fp32 */
    m = &look(s)->bits.rows[1].more;
    expect(s, "bits.fp16 == 0x3c01");
    assert_string_equal(m->via[0], "0x3c00 = 1");
    assert_string_equal(m->via[1], "");
    run(s, "value -1"); /* nextUp goes to the smaller encoding */
    const struct bits_row *row = &look(s)->bits.rows[1];
    assert_string_equal(row->more.plus_hex, "0xbc01");
    assert_string_equal(row->up_hex, "0xbbff");
    run(s, "rounding sr");
    run(s, "value 1 + 2^-25");
    assert_string_equal(look(s)->bits.rows[1].more.chance, "131072 / 2^32 = 1 / 2^15");
    run(s, "value 1");
    assert_string_equal(look(s)->bits.rows[1].more.chance, "");
    run(s, "rounding rne");
}

static void the_long_addition(void **state)
{
    struct session *s = *state;
    run(s, "formats");
    run(s, "calc 1.0 + (-1e-5)");
    expect(s, "calc.fp16 == 0x3c00");
    expect(s, "calc.steps == 1");
    expect(s, "calc.exact == 0.99999");
    assert_string_equal(fact(s, "calc"), "1.0 + (-1e-5)");
    const struct snapshot *p = look(s);
    const struct calc_answer *a = &p->calc.rows[1].board;
    assert_true(p->calc.shown && a->valid);
    assert_string_equal(a->larger, "01000000000000000000000000");
    assert_string_equal(a->smaller, "00000000000000000010101000");
    assert_string_equal(a->exact, "00111111111111111101011000");
    assert_string_equal(a->kept, "0100000000000");
    assert_int_equal(a->last, 12);
    assert_int_equal(a->shift, 14);
    assert_int_equal(a->guard + a->round + a->sticky, 3);
    run(s, "value 2");
    assert_false(look(s)->calc.shown);
    assert_false(session_fact(s, "calc", (char[TEXT_LINE]){0}, TEXT_LINE));
}

/* The blackboard shows what the step gave, also where random bits decide. */
static void the_blackboard_agrees(void **state)
{
    struct session *s = *state;
    run(s, "formats all");
    run(s, "rounding sr");
    static const char *const lines[] = {"calc 65504 + 16", "calc 1 - 2^-14", "calc 0.3*0.7 + 3",
                                        "calc 5 - 4.99"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(s, lines[i]);
        const struct calc_screen *c = &look(s)->calc;
        for (int k = 0; k < c->count; k++)
            if (c->rows[k].board.valid)
                assert_string_equal(c->rows[k].board.result_hex, c->rows[k].hex);
    }
    run(s, "rounding rne");
    run(s, "calc");
}

static void steps_and_refusals(void **state)
{
    struct session *s = *state;
    run(s, "formats fp16,e8m0");
    run(s, "calc (0.1 + 0.2) * 3 - 8");
    expect(s, "calc.fp16.steps == 3");
    assert_string_equal(look(s)->calc.rows[1].reason, "e8m0 has no negative values, which '-' gives here");
    refuse(s, "calc 1 +", "");
    expect(s, "calc.fp16.steps == 3"); /* as before */
    run(s, "calc sqrt(2)");
    expect(s, "calc.exact == –");
    expect(s, "calc.fp16 == 0x3da8");
    assert_false(look(s)->calc.rows[0].board.valid);
    run(s, "calc 1/0");
    expect(s, "calc.fp16.flags == divide by zero");
    run(s, "calc inf - 1");
    assert_false(look(s)->calc.rows[0].board.valid);
    run(s, "calc 2^-3 + 7^40");
    look(s);
    run(s, "calc");
    assert_false(look(s)->calc.shown);
}

/* A live weight is shown under the same policy, in the same formats. */
static void live_weights(void **state)
{
    struct session *s = *state;
    run(s, "formats all");
    run(s, "calc 1 + 1");
    run(s, "weight");
    const struct snapshot *p = look(s);
    assert_true(p->live && !p->calc.shown);
    assert_int_equal(p->bits.count, FORMAT_COUNT);
    run(s, "step 3");
    look(s);
    run(s, "value 1");
    run(s, "formats");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_formats),
        cmocka_unit_test(bits_of_any_format_move),
        cmocka_unit_test(what_a_format_cannot_take),
        cmocka_unit_test(policies),
        cmocka_unit_test(explanations),
        cmocka_unit_test(the_long_addition),
        cmocka_unit_test(the_blackboard_agrees),
        cmocka_unit_test(steps_and_refusals),
        cmocka_unit_test(live_weights),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
