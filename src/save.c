/* save.c: writing a session as commands, and replaying it. */
#include "save.h"
#include "demo.h"
#include "probe_text.h"
#include "session_internal.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char heading[] = "# ulpscope session 1";

enum { LINES_MAX = 200000, STEPS_MAX = 20000000 }; /* a file that asks for more is no saved session */

/* ---- as commands ---- */

static void write_lane(const struct lane_setup *l, FILE *out)
{
    const char *master = recipe_master_word(&l->recipe);
    char rule[SCALER_TEXT];
    scaler_text(&l->scaler, rule, sizeof rule);
    fprintf(out, "lane add %s %s", l->recipe.name, rule);
    if (*master)
        fprintf(out, " master=%s", master);
    if (l->recipe.rounding != recipe_find(l->recipe.name)->rounding)
        fprintf(out, " update-rounding=%s", update_rounding_name(l->recipe.rounding));
    fprintf(out, "%s%s\n", *l->device ? " " : "", l->device);
}

/* As typed; where that was too long to keep, as the bits that it was rounded to. */
static void write_float(FILE *out, const char *command, const char *text, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (strlen(text) < TEXT_SHORT - 8)
        fprintf(out, "%s %s\n", command, text);
    else
        fprintf(out, "%s fp32:0x%08x\n", command, (unsigned)bits);
}

static void write_setup(const struct session *s, FILE *out)
{
    const struct setup *x = &s->setup;
    const char *master = recipe_master_word(&x->recipe);
    char rule[SCALER_TEXT];
    scaler_text(&x->scaler, rule, sizeof rule);
    fprintf(out, "twin off\ntask %s\nrecipe %s\n", x->task->name, x->recipe.name);
    if (*master)
        fprintf(out, "master %s\n", master);
    fprintf(out, "update-rounding %s\nscaler %s\noptimizer %s\nseed %llu\n",
            update_rounding_name(x->recipe.rounding), rule, optimizer_name(x->optimizer),
            (unsigned long long)x->seed);
    write_float(out, "loss-weight", x->loss_weight_text, x->loss_weight);
    for (int i = 0; i < x->more; i++)
        write_lane(&x->lanes[i], out);
    const struct change *first = s->history.applied > 0 ? s->history.changes : NULL;
    if (!first || first->command != COMMAND_LR || first->at.step > 0 || first->at.launch > 0)
        write_float(out, "lr", s->start_lr_text, s->start_lr); /* else the first change says it */
}

static void write_way(struct position from, struct position to, FILE *out)
{
    if (to.step > from.step) {
        fprintf(out, "step %lld\n", (long long)(to.step - from.step));
        from = (struct position){to.step, 0};
    }
    if (to.launch > from.launch)
        fprintf(out, "into %d\n", to.launch - from.launch);
}

static void write_changes(const struct session *s, FILE *out)
{
    struct position at = {0, 0};
    for (int i = 0; i < s->history.applied; i++) {
        const struct change *c = &s->history.changes[i];
        write_way(at, c->at, out);
        at = c->at;
        fprintf(out, "%s%s%s\n", command_table[c->command].name, *c->argument ? " " : "", c->argument);
    }
    write_way(at, session_position(s), out);
}

static bool write_claims(struct session *s, FILE *out)
{
    char name[32], text[TEXT_SHORT];
    for (int i = 0; i < s->lane_count; i++) {
        snprintf(name, sizeof name, "lane%d.state-digest", i);
        if (!session_fact(s, name, text, sizeof text))
            return false;
        fprintf(out, "expect %s == %s\n", name, text);
    }
    return true;
}

static void write_text(const char *command, const char *text, FILE *out)
{
    if (text && *text && !strpbrk(text, "\n\r#"))
        fprintf(out, "%s %s\n", command, text);
}

static void write_formats(const struct numbers *n, FILE *out)
{
    fprintf(out, "formats");
    for (int i = 0; i < n->format_count; i++)
        fprintf(out, "%c%s", i ? ',' : ' ', n->formats[i]->name);
    fprintf(out, "\n");
}

/* What Bits and Update are asked: the value typed last stands behind `w`, which focuses one as well. */
static void write_questions(const struct session *s, FILE *out)
{
    const struct numbers *n = &s->numbers;
    char watched[TENSOR_NAME + 24];
    session_weight_name(s, watched, sizeof watched);
    fprintf(out, "weight %s\n", watched);
    write_text("w", s->w, out);
    write_text("value", s->value, out);
    write_text("step-size", s->lr, out);
    write_text("gradient", s->grad, out);
    write_text("delta", s->delta, out);
    fprintf(out, "repeats %lld\nrounding %s\nrandom-bits %d\nsaturate %s\nflush %s\nnan %s\n",
            (long long)s->repeats, round_mode_table[s->mode].name, n->random_bits ? n->random_bits : 32,
            n->saturate ? "on" : "off", n->flush ? "on" : "off", nan_rule_names[n->nan]);
    write_formats(n, out);
    if (s->live)
        fprintf(out, "weight %s\n", watched);
    write_text("calc", n->calc_text, out);
    write_text("block", n->block_text, out); /* one of the two at most */
    if (*s->histogram)
        fprintf(out, "histogram %s\n", s->histogram); /* one of both at most */
    else
        fprintf(out, "heat%s%s\n", *s->heat ? " " : "", s->heat);
    fprintf(out, "watch-lane %d\n", s->watch_lane < s->lane_count ? s->watch_lane : 0);
}

static bool write_all(struct session *s, FILE *out)
{
    fprintf(out, "%s\n", heading);
    write_setup(s, out);
    write_changes(s, out);
    bool ok = write_claims(s, out);
    write_questions(s, out);
    for (int i = 0; i < s->break_count; i++) {
        fprintf(out, "break %s\n", s->breaks[i].text);
        if (!s->breaks[i].enabled)
            fprintf(out, "break-toggle %d\n", i + 1);
    }
    fprintf(out, "# end\n");
    return ok;
}

/* ---- files ---- */

static bool fail(char *error, const char *file, const char *why)
{
    snprintf(error, 160, "%.80s: %.70s", file, why);
    return false;
}

bool save_write(struct session *s, const char *file, char *error)
{
    struct whole_file to;
    if (!whole_file_open(&to, file, error))
        return false;
    bool made = write_all(s, to.out);
    return whole_file_close(&to, made, error) && (made || fail(error, file, s->message));
}

/* ---- replaying ---- */

/* What a saved session consists of: nothing that writes files or waits for people. */
static bool is_part(enum command_id id)
{
    static const enum command_id parts[] = {
        COMMAND_TWIN,        COMMAND_TASK,         COMMAND_RECIPE,       COMMAND_MASTER, COMMAND_ROUNDING_UPD,
        COMMAND_SCALER,      COMMAND_SEED,         COMMAND_LOSS_WEIGHT,  COMMAND_LANE,   COMMAND_LR,
        COMMAND_OPTIMIZER,   COMMAND_STEP,         COMMAND_INTO,         COMMAND_SET,    COMMAND_INJECT,
        COMMAND_EXPECT,      COMMAND_FLIP_AT,      COMMAND_WEIGHT,       COMMAND_BREAK,  COMMAND_BREAK_TOGGLE,
        COMMAND_VALUE,       COMMAND_ROUNDING,     COMMAND_FORMATS,      COMMAND_FLUSH,  COMMAND_SATURATE,
        COMMAND_NAN,         COMMAND_CALC,         COMMAND_UPDATE_W,     COMMAND_HEAT,   COMMAND_UPDATE_LR,
        COMMAND_UPDATE_GRAD, COMMAND_UPDATE_DELTA, COMMAND_UPDATE_STEPS, COMMAND_BLOCK,  COMMAND_RANDOM_BITS,
        COMMAND_HISTOGRAM,   COMMAND_WATCH_LANE};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] == id)
            return true;
    return false;
}

static bool refuse(char *error, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(char *error, int line, const char *format, ...)
{
    char text[140];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    snprintf(error, 160, "line %d: %s", line, text);
    return false;
}

/* A file cut off at its end has no claims, or no mark of its end. */
static bool is_whole(const char *file, char *error)
{
    char text[64] = "";
    FILE *in = fopen(file, "rb");
    if (!in)
        return fail(error, file, strerror(errno));
    bool first = fgets(text, sizeof text, in) && strncmp(text, heading, sizeof heading - 1) == 0;
    text[0] = '\0';
    size_t n = fseek(in, -6, SEEK_END) == 0 ? fread(text, 1, 6, in) : 0;
    fclose(in);
    if (!first)
        return fail(error, file, "is no saved session");
    return (n == 6 && memcmp(text, "# end\n", 6) == 0) || fail(error, file, "is cut off before its end");
}

static bool check_lines(const struct demo *d, int64_t *whole_steps, char *error)
{
    long long steps = 0;
    *whole_steps = 0;
    bool claims = false;
    if (d->count > LINES_MAX)
        return refuse(error, LINES_MAX, "too many lines for a saved session");
    for (int i = 0; i < d->count; i++) {
        const struct demo_line *l = &d->lines[i];
        if (!is_part(l->command))
            return refuse(error, l->number, "%s is no part of a saved session",
                          command_table[l->command].name);
        if (l->command == COMMAND_STEP) {
            long long n = *l->argument ? strtoll(l->argument, NULL, 10) % (2LL * STEPS_MAX) : 1;
            steps += n;
            *whole_steps += n;
        }
        if (l->command == COMMAND_INTO)
            steps += strtoll(l->argument, NULL, 10) / 10 + 1;
        if (steps > STEPS_MAX || steps < 0)
            return refuse(error, l->number, "more than %d steps", STEPS_MAX);
        claims = claims || l->command == COMMAND_EXPECT;
    }
    return claims || refuse(error, d->count ? d->lines[d->count - 1].number : 1, "no digest to be reached");
}

/* What a saved session takes for granted, as every new one has it: at most a twin (which its first line drops),
 * and neither a calculation nor a block. */
static bool clear_for_replay(struct session *s, char *error)
{
    s->break_count = 0;
    while (s->setup.more > 1)
        if (!session_command(s, COMMAND_LANE, "drop 2", error))
            return false;
    return session_command(s, COMMAND_CALC, "", error) && session_command(s, COMMAND_BLOCK, "", error);
}

/* What a claim, "FACT == VALUE", says: VALUE. */
static const char *claimed(const char *claim)
{
    const char *last = strrchr(claim, ' ');
    return last ? last + 1 : claim;
}

static enum save_result replay(struct session *s, const struct demo *d, char *error)
{
    char why[TEXT_LINE];
    const char *w = NULL;
    if (!clear_for_replay(s, error))
        return SAVE_FAILED;
    for (int i = 0; i < d->count; i++) {
        const struct demo_line *l = &d->lines[i];
        if (l->command == COMMAND_EXPECT) {
            if (!session_expect(s, l->argument, why)) {
                refuse(error, l->number, "%.60s, but %.60s was saved", why, claimed(l->argument));
                return SAVE_DIFFERS;
            }
        } else if (!session_command(s, l->command, l->argument, why)) {
            refuse(error, l->number, "%.120s", why);
            return SAVE_FAILED;
        }
        if (l->command == COMMAND_UPDATE_W)
            w = l->argument;
        if (s->way.cut && s->way.goal > session_position(s).step)
            snprintf(error, 160, "stopped at step %lld, on the way to step %lld",
                     (long long)session_position(s).step, (long long)s->way.goal);
        else if (s->way.cut) /* by launches, it is said how far they would have gone */
            snprintf(error, 160, "%.159s", s->message);
        if (s->way.cut)
            return SAVE_FAILED;
    }
    if (w && !session_set_text(&s->w, w)) { /* the line `value` has changed it, too */
        snprintf(error, 160, "out of memory");
        return SAVE_FAILED;
    }
    s->running = s->update_fresh = false;
    return SAVE_DONE;
}

enum save_result save_read(struct session *s, const char *file, char *error)
{
    struct demo demo;
    struct stat about;
    char why[TEXT_LINE];
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode)) {
        fail(error, file, "is no file");
        return SAVE_FAILED;
    }
    if (!is_whole(file, error))
        return SAVE_FAILED;
    if (!demo_load(file, &demo, why)) {
        snprintf(error, 160, "%.159s", why);
        return SAVE_FAILED;
    }
    enum save_result result = SAVE_FAILED;
    if (check_lines(&demo, &s->way.goal, error))
        result = replay(s, &demo, error);
    s->way.goal = 0;
    demo_free(&demo);
    return result;
}

/* ---- commands ---- */

bool session_save_command(struct session *s, const char *argument, char *error)
{
    if (!save_write(s, argument, error))
        return false;
    text_format(s->message, sizeof s->message, "saved: %.150s", argument);
    return true;
}

bool session_load_command(struct session *s, const char *argument, char *error)
{
    enum save_result result = save_read(s, argument, error);
    if (result == SAVE_DONE)
        text_format(s->message, sizeof s->message, "step %lld, and the digest is the one saved: %.80s",
                    (long long)session_position(s).step, argument);
    return result == SAVE_DONE;
}
