/* session_lanes.c: what lanes have to do with one another: first differences, drift; and adding and dropping
 * them. */
#include "probe_text.h"
#include "session_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- first differences ---- */

int session_pair(int a, int b)
{
    return b * (b - 1) / 2 + a;
}

static void pair_text(const struct session *s, int a, int b, const struct difference *d, char *to,
                      size_t size)
{
    char element[TENSOR_NAME + 48], hex_a[TEXT_HEX], hex_b[TEXT_HEX], scale_a[TEXT_SHORT],
        scale_b[TEXT_SHORT];
    incident_element(element, sizeof element, d->name, d->row, d->col, false);
    text_hex(hex_a, sizeof hex_a, &format_table[d->format_a], d->bits_a);
    text_hex(hex_b, sizeof hex_b, &format_table[d->format_b], d->bits_b);
    text_scale(scale_a, sizeof scale_a, s->lanes[a].state.used_scale);
    text_scale(scale_b, sizeof scale_b, s->lanes[b].state.used_scale);
    if (d->is_gradient)
        text_format(to, size, "%s: %s at scale %s, %s at %s in %s", element, hex_a, scale_a, hex_b, scale_b,
                    s->lanes[b].name);
    else
        text_format(to, size, "%s: %s, and %s in %s", element, hex_a, hex_b, s->lanes[b].name);
}

static bool same_low(const struct session *s, int a, int b)
{
    return trainer_config(s->lanes[a].trainer)->recipe.low == trainer_config(s->lanes[b].trainer)->recipe.low;
}

/* Where do two lanes part?  It is an event where both compute in one low format, as at two loss scales: any
 * other two differ at once. */
static bool find_difference(struct session *s, int a, int b)
{
    struct difference *d = &s->differences[session_pair(a, b)];
    char text[TEXT_VALUE];
    if (d->found)
        return true;
    if (!compare_first_difference(s->lanes[a].trainer, s->lanes[b].trainer, d))
        return !*device_error(s->lanes[a].device) && !*device_error(s->lanes[b].device) ? false
                                                                                        : session_fail(s);
    if (!d->found || !same_low(s, a, b))
        return true;
    pair_text(s, a, b, d, text, sizeof text);
    if (a == 0)
        session_event(s, EVENT_FIRST_DIFFERENCE, "%s", text);
    else
        session_event(s, EVENT_FIRST_DIFFERENCE, "%s to %s: %s", s->lanes[a].name, s->lanes[b].name, text);
    return true;
}

bool session_differences(struct session *s)
{
    for (int b = 1; b < s->lane_count; b++)
        for (int a = 0; a < b; a++)
            if (!find_difference(s, a, b))
                return false;
    return true;
}

/* ---- drift ---- */

static int fp32_lane(const struct session *s)
{
    for (int i = 0; i < s->lane_count; i++)
        if (trainer_config(s->lanes[i].trainer)->recipe.low == FORMAT_FP32)
            return i;
    return -1;
}

/* A lane's weights where the session's device can read them. */
static const void *near_weights(struct session *s, int lane, const struct trainer_arena *a, void *room)
{
    size_t bytes = (size_t)a->elements * (a->weight_format == FORMAT_FP32 ? 4 : 2);
    if (s->lanes[lane].device == s->device)
        return a->weights;
    void *data = malloc(bytes);
    bool ok = data && device_download(s->lanes[lane].device, data, a->weights, bytes) &&
              device_upload(s->device, room, data, bytes);
    free(data);
    return ok ? room : NULL;
}

static bool drift(struct session *s, int lane, const struct drift_range *ranges, long n, double *norms)
{
    int reference = fp32_lane(s);
    if (reference < 0 || lane == reference)
        return false;
    struct trainer_arena a = trainer_arena(s->lanes[lane].trainer),
                         b = trainer_arena(s->lanes[reference].trainer);
    struct drift_args args = {near_weights(s, lane, &a, s->scratch.rounded),
                              near_weights(s, reference, &b, s->scratch.other), s->scratch.range, n,
                              s->scratch.norm};
    if (args.a && args.b && device_upload(s->device, s->scratch.range, ranges, (size_t)n * sizeof *ranges) &&
        device_launch(s->device, KERNEL_FOR(drift, a.weight_format), &args) &&
        device_download(s->device, norms, s->scratch.norm, (size_t)n * sizeof *norms))
        return true;
    return session_fail(s);
}

bool session_drift(struct session *s, int lane, double *norm)
{
    struct drift_range all = {0, trainer_arena(s->lanes[0].trainer).elements}; /* padding is 0 in both */
    return drift(s, lane, &all, 1, norm);
}

bool session_drift_of(struct session *s, int lane, double *norms)
{
    struct drift_range ranges[TRAINER_MAX_TENSORS];
    const struct trainer *t = s->lanes[lane].trainer;
    struct trainer_arena arena = trainer_arena(t);
    size_t size = arena.weight_format == FORMAT_FP32 ? 4 : 2;
    int n = trainer_param_count(t);
    for (int p = 0; p < n; p++) {
        const struct tensor *x = lane_held(&s->lanes[lane], p);
        ranges[p].first = (int64_t)((size_t)((const char *)x->data - (const char *)arena.weights) / size);
        ranges[p].count = x->rows * x->cols;
    }
    return drift(s, lane, ranges, n, norms);
}

/* ---- commands ---- */

static void next_word(const char **text, char *to, size_t size)
{
    size_t length = strcspn(*text, " \t");
    text_format(to, size, "%.*s", (int)(length < size ? length : size - 1), *text);
    *text += length;
    *text += strspn(*text, " \t");
}

static bool is_device(const char *word)
{
    for (int i = 0; i < DEVICE_DRIVER_COUNT; i++)
        if (strcmp(device_drivers[i]->name, word) == 0)
            return true;
    return false;
}

static const char lane_usage[] =
    "RECIPE and any of: RULE, cpu or cuda, master=on|off, update-rounding=rne|sr|kahan";

/* "master=off", "update-rounding=sr": true where it is one of them; *ok then says whether it is right. */
static bool read_variant(const char *word, struct recipe *r, bool *ok)
{
    static const char master[] = "master=", rounding[] = "update-rounding=";
    if (strncmp(word, rounding, sizeof rounding - 1) == 0) {
        *ok = update_rounding_find(word + sizeof rounding - 1, &r->rounding);
        return true;
    }
    if (strncmp(word, master, sizeof master - 1) != 0)
        return false;
    const char *value = word + sizeof master - 1;
    bool on = strcmp(value, "on") == 0;
    *ok = (on || strcmp(value, "off") == 0) && r->low != FORMAT_FP32;
    *r = recipe_with_master(*r, on);
    return true;
}

/* A recipe ("O2", "bf16-pure+kahan"), and in any order what its lane has besides. */
static bool read_lane(const char *text, struct lane_setup *own, char *error)
{
    char word[160], why[160];
    size_t column;
    bool has_rule = false, ok;
    next_word(&text, word, sizeof word);
    *own = (struct lane_setup){.device = ""};
    if (!recipe_read(word, &own->recipe))
        return session_find_recipe(word, error) != NULL;
    while (*text) {
        next_word(&text, word, sizeof word);
        if (read_variant(word, &own->recipe, &ok)) {
            if (!ok)
                return session_refuse(error, "'%.40s' is nothing that %s can have", word, own->recipe.name);
        } else if (is_device(word) && !*own->device) {
            text_format(own->device, sizeof own->device, "%.15s", word);
        } else if (has_rule || is_device(word)) {
            return session_refuse(error, "%s", lane_usage);
        } else if (scaler_parse(word, &own->scaler, why, &column)) {
            has_rule = true;
        } else {
            return session_refuse(error, "'%.40s': %.90s", word, why);
        }
    }
    return has_rule || scaler_parse(own->recipe.scaler, &own->scaler, why, &column) ||
           session_refuse(error, "%.90s", why);
}

static bool add(struct session *s, const char *text, char *error)
{
    struct setup setup = s->setup;
    if (setup.more == SNAPSHOT_LANES - 1)
        return session_refuse(error, "there are %d lanes at most", SNAPSHOT_LANES);
    return read_lane(text, &setup.lanes[setup.more++], error) && session_rebuild(s, &setup, error);
}

static bool remove_lane(struct session *s, const char *text, char *error)
{
    struct setup setup = s->setup;
    int64_t lane;
    if (!session_read_count(text, 1, setup.more, &lane, error))
        return setup.more ? false : session_refuse(error, "lane 0 is the only one");
    for (int i = (int)lane; i < setup.more; i++)
        setup.lanes[i - 1] = setup.lanes[i];
    setup.more--;
    return session_rebuild(s, &setup, error);
}

bool session_lane_command(struct session *s, const char *argument, char *error)
{
    char word[16];
    next_word(&argument, word, sizeof word);
    if (strcmp(word, "add") == 0)
        return add(s, argument, error);
    if (strcmp(word, "drop") == 0)
        return remove_lane(s, argument, error);
    return session_refuse(error, "lane drop N, or lane add %s", lane_usage);
}

bool session_twin_command(struct session *s, const char *argument, char *error)
{
    struct setup setup = s->setup;
    char word[8];
    const char *rest = argument;
    next_word(&rest, word, sizeof word);
    bool on = strcmp(word, "on") == 0, off = strcmp(word, "off") == 0;
    if ((on || off) && *rest)
        return session_refuse(error, "twin %s takes nothing more", word);
    if (off)
        return setup.more ? remove_lane(s, "1", error) : session_rebuild(s, &setup, error);
    if (setup.more == 0)
        setup.more = 1;
    return read_lane(on ? "fp32" : argument, &setup.lanes[0], error) && session_rebuild(s, &setup, error);
}
