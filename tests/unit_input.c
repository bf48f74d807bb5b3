/* What a terminal sends, and the keys it means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "term_input.h"
#include <stdio.h>
#include <string.h>

/* A terminal that sends these bytes; '\1' stands for a pause, '\2' and '\3' for the ends of a paste, '\4' for
 * ESC [ <, as curses reports them. */
struct script {
    const char *at;
};

static bool script_read(void *context, bool wait, struct input *in)
{
    struct script *s = context;
    if (*s->at == '\1') {
        s->at++;
        if (!wait)
            return false;
    }
    if (*s->at == '\0')
        return false;
    char c = *s->at++;
    *in = (struct input){INPUT_CHARACTER, (unsigned char)c, NULL};
    if (c >= '\2' && c <= '\4')
        in->kind = c == '\2' ? INPUT_PASTE : c == '\3' ? INPUT_PASTE_END : INPUT_MOUSE;
    return true;
}

/* Plays a script to its end and joins the names of its keys. */
static void assert_keys(const char *script, const char *wanted)
{
    struct script s = {script};
    struct input_reader reader = {.read = script_read, .context = &s};
    char names[512] = "";
    struct term_key key;
    for (int pauses = 0; pauses < 8; pauses++)
        while (input_key(&reader, &key)) {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s%s", length ? " " : "", key.name);
            if (strcmp(key.name, "Click") == 0 || strncmp(key.name, "Wheel", 5) == 0)
                snprintf(names + strlen(names), sizeof names - strlen(names), "@%d,%d", key.row, key.col);
            if (key.text)
                snprintf(names + strlen(names), sizeof names - strlen(names), "(%s)", key.text);
        }
    input_close(&reader);
    assert_string_equal(names, wanted);
}

static void characters(void **state)
{
    (void)state;
    assert_keys("aA:/", "a A : /");
    assert_keys(" \r\n\t\b\x7f", "Space Enter Enter Tab Backspace Backspace");
    assert_keys("\x0c\x10\x15", "C-l C-p C-u");
    assert_keys("\x1c\x1fq", "q");
}

static void escape_sequences(void **state)
{
    (void)state;
    assert_keys("\033", "Esc");
    assert_keys("\033\1[A", "Esc [ A"); /* curses waited in vain: it was the key */
    assert_keys("\033[A\033OB\033[C\033[1;5D\033[1;2C", "Up Down Right C-Left S-Right");
    assert_keys("\033[H\033[4~\033[3~\033[5~\033[6~\033[2~\033[Z", "Home End Delete PgUp PgDn Insert S-Tab");
    assert_keys("\033OP\033[15~\033[24~", "F1 F5 F12");
    assert_keys("\033[1\1;5\1C", "C-Right");
    assert_keys("\033\033[A", "Esc Up");
    assert_keys("\033q", "Esc q");
    assert_keys("\033[[", "Esc [ [");
    assert_keys("\033O", "Esc O");
}

static void unknown_sequences_are_swallowed(void **state)
{
    (void)state;
    assert_keys("\033[?1;2cq", "q");
    assert_keys("\033[I\033[Oq", "q"); /* focus reports */
    assert_keys("\033[1;3Aq\033[3;5~q", "q q");
    assert_keys("\033[99999999999999999999~q", "q");
    assert_keys("\033[<35;1;1mq", "q");
    assert_keys("\033[1", "");
}

static void mouse(void **state)
{
    (void)state;
    assert_keys("\4"
                "0;290;5M\4"
                "0;290;5mq",
                "Click@4,289 q");
    assert_keys("\4"
                "64;1;1M\4"
                "65;3\1;2M",
                "WheelUp@0,0 WheelDown@1,2");
    assert_keys("\4"
                "2;1;1M\4"
                "0;;M\4"
                "0Mq",
                "Click@-1,-1 q");
    assert_keys("\4"
                "0;99999999999;1M",
                "Click@0,999998");
}

static void paste(void **state)
{
    (void)state;
    assert_keys("\2q = 1\r2\3x", "Paste(q = 1\n2) x");
    assert_keys("\2q\1uit\3", "Paste(quit)");
    assert_keys("\2\3\3q", "Paste() q");
    assert_keys("\2\033[Aq", "");
}

static void a_long_paste_is_cut(void **state)
{
    (void)state;
    static char script[200000];
    memset(script, 'x', sizeof script - 1);
    script[0] = '\2';
    script[sizeof script - 2] = '\3';
    struct script s = {script};
    struct input_reader reader = {.read = script_read, .context = &s};
    struct term_key key;
    assert_true(input_key(&reader, &key));
    assert_string_equal(key.name, "Paste");
    assert_int_equal(strlen(key.text), INPUT_PASTE_MAX);
    input_close(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters),
        cmocka_unit_test(escape_sequences),
        cmocka_unit_test(unknown_sequences_are_swallowed),
        cmocka_unit_test(mouse),
        cmocka_unit_test(paste),
        cmocka_unit_test(a_long_paste_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
