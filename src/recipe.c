/* recipe.c: the presets.  O1, O2 and O3 are NVIDIA Apex's levels (apex/amp/frontend.py); PyTorch's autocast
 * with GradScaler is nearly O1, and bf16 is autocast with BF16, which needs no scaler. */
#include "recipe.h"
#include <stdio.h>
#include <string.h>

const struct recipe recipe_table[RECIPE_COUNT] = {
    {"fp32", "everything in FP32 (Apex O0)", FORMAT_FP32, false, false, false, false, UPDATE_RNE, "none"},
    {"O1", "autocast to FP16 op by op, FP32 weights, dynamic loss scale", FORMAT_FP16, true, false, false,
     false, UPDATE_RNE, "pytorch"},
    {"O2", "FP16 model, FP32 master weights, dynamic loss scale", FORMAT_FP16, false, true, true, false,
     UPDATE_RNE, "pytorch"},
    {"O3", "FP16 throughout, optimizer included; scale 1, no check", FORMAT_FP16, false, true, false, true,
     UPDATE_RNE, "fixed:1,check=off"},
    {"bf16", "autocast to BF16 op by op, FP32 weights, no loss scale", FORMAT_BF16, true, false, false, false,
     UPDATE_RNE, "none"},
    {"fp16-pure", "FP16 weights and gradients, FP32 optimizer, dynamic loss scale", FORMAT_FP16, false, true,
     false, false, UPDATE_RNE, "pytorch"},
    {"bf16-pure", "BF16 weights and gradients, FP32 optimizer, no loss scale", FORMAT_BF16, false, true,
     false, false, UPDATE_RNE, "none"},
};

const struct recipe *recipe_find(const char *name)
{
    if (strcmp(name, "O0") == 0)
        name = "fp32";
    for (int i = 0; i < RECIPE_COUNT; i++)
        if (strcmp(recipe_table[i].name, name) == 0)
            return &recipe_table[i];
    return NULL;
}

struct recipe recipe_with_master(struct recipe r, bool master)
{
    const struct recipe *preset = recipe_find(r.name);
    if (r.low == FORMAT_FP32)
        return r;
    r.low_parameters = preset->low_parameters;
    r.low_optimizer = preset->low_optimizer;
    if (!master)
        r.low_parameters = true;
    r.master = master && r.low_parameters;
    if (master)
        r.low_optimizer = false;
    return r;
}

const char *recipe_master_word(const struct recipe *r)
{
    const struct recipe *preset = recipe_find(r->name);
    bool master = recipe_has_master(r);
    if (r->low_parameters == preset->low_parameters && master == recipe_has_master(preset))
        return "";
    return master ? "on" : "off";
}

enum format_id recipe_compute_format(const struct recipe *r, const struct op *op, enum format_id input)
{
    if (op->is_loss)
        return FORMAT_FP32; /* O2 and O3 cast a model's outputs to FP32; autocast lists losses as FP32 */
    if (!r->autocast)
        return r->low;
    switch (op->autocast) {
    case AUTOCAST_LOW:
        return r->low;
    case AUTOCAST_FP32:
        return FORMAT_FP32;
    default: /* one input: the widest format of it is its own */
        return input;
    }
}

enum format_id recipe_parameter_format(const struct recipe *r)
{
    return r->low_parameters ? r->low : FORMAT_FP32;
}

bool recipe_has_master(const struct recipe *r)
{
    return r->low_parameters && r->master && r->low != FORMAT_FP32;
}

static const char *const rounding_names[UPDATE_ROUNDING_COUNT] = {"rne", "sr", "kahan"};
static const char *const optimizer_names[OPTIMIZER_COUNT] = {"sgd", "momentum", "adam"};

static bool find(const char *const *names, int count, const char *name, int *out)
{
    for (*out = 0; *out < count; ++*out)
        if (strcmp(names[*out], name) == 0)
            return true;
    return false;
}

const char *update_rounding_name(enum update_rounding r)
{
    return rounding_names[r];
}

bool update_rounding_find(const char *name, enum update_rounding *out)
{
    int i;
    bool found = find(rounding_names, UPDATE_ROUNDING_COUNT, name, &i);
    if (found)
        *out = (enum update_rounding)i;
    return found;
}

const char *optimizer_name(enum optimizer o)
{
    return optimizer_names[o];
}

bool optimizer_find(const char *name, enum optimizer *out)
{
    int i;
    bool found = find(optimizer_names, OPTIMIZER_COUNT, name, &i);
    if (found)
        *out = (enum optimizer)i;
    return found;
}

/* ---- presets and what differs from them ---- */

void recipe_text(const struct recipe *r, char *to, size_t size)
{
    const char *word = recipe_master_word(r);
    bool other = r->rounding != recipe_find(r->name)->rounding;
    snprintf(to, size, "%s%s%s%s", r->name,
             !*word                    ? ""
             : strcmp(word, "on") == 0 ? "+master"
                                       : "-master",
             other ? "+" : "", other ? update_rounding_name(r->rounding) : "");
}

/* "+master", "-master", "+sr": changes *r, and returns how long it was; 0 for something else. */
static size_t read_word(const char *text, struct recipe *r)
{
    size_t length = 1 + strcspn(text + 1, "+-");
    char word[8];
    if (length > sizeof word)
        return 0;
    snprintf(word, sizeof word, "%.*s", (int)length - 1, text + 1);
    if (strcmp(word, "master") == 0 && r->low != FORMAT_FP32)
        *r = recipe_with_master(*r, *text == '+');
    else if (*text != '+' || !update_rounding_find(word, &r->rounding))
        return 0;
    return length;
}

bool recipe_read(const char *text, struct recipe *out)
{
    for (int i = 0; i < RECIPE_COUNT; i++) {
        size_t at = strlen(recipe_table[i].name), length = 1;
        if (strncmp(text, recipe_table[i].name, at) != 0)
            continue;
        *out = recipe_table[i];
        for (; text[at] && length; at += length)
            length = text[at] == '+' || text[at] == '-' ? read_word(text + at, out) : 0;
        if (length)
            return true;
    }
    const struct recipe *alias = recipe_find(text);
    if (alias)
        *out = *alias;
    return alias != NULL;
}
