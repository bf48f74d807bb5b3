/* cli_tables.c: the verbs that print the product's tables: recipes, tasks, rules, commands. */
#include "cli_verbs.h"
#include "command.h"
#include "recipe.h"
#include "scaler.h"
#include "task.h"
#include <jansson.h>
#include <stdlib.h>

/* Prints {"schema":1,"command":VERB,NAME:[...]} and releases the list. */
static int print_list(struct cli *c, const char *name, json_t *list)
{
    json_t *root = json_pack("{s:i,s:s,s:o}", "schema", 1, "command", name, name, list);
    char *text = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    if (!text)
        return cli_fail(c, CLI_FAILED, "out of memory");
    fprintf(c->out, "%s\n", text);
    free(text);
    return CLI_DONE;
}

static const char *format_name(enum format_id f)
{
    return format_table[f].name;
}

int cli_recipes(struct cli *c)
{
    json_t *list = json_array();
    for (int i = 0; i < RECIPE_COUNT; i++) {
        const struct recipe *r = &recipe_table[i];
        if (!cli_flag(c, "--json")) {
            fprintf(c->out, "%-10s %s\n", r->name, r->summary);
            continue;
        }
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:s,s:b,s:s,s:b,s:s,s:s,s:s}", "name", r->name, "summary", r->summary,
                            "low_format", format_name(r->low), "autocast", r->autocast, "parameter_format",
                            format_name(recipe_parameter_format(r)), "master", recipe_has_master(r),
                            "optimizer_format", format_name(r->low_optimizer ? r->low : FORMAT_FP32),
                            "update_rounding", update_rounding_name(r->rounding), "scaler", r->scaler));
    }
    if (cli_flag(c, "--json"))
        return print_list(c, "recipes", list);
    json_decref(list);
    return CLI_DONE;
}

static json_t *task_ops_json(const struct task *t)
{
    json_t *ops = json_array();
    for (int i = 0; i < t->op_count; i++) {
        const struct op *op = &op_table[t->ops[i].kind];
        json_array_append_new(ops,
                              json_pack("{s:s,s:s,s:s}", "name", t->ops[i].name, "op", op->name, "autocast",
                                        op->is_loss ? "fp32" : autocast_class_name(op->autocast)));
    }
    return ops;
}

int cli_tasks(struct cli *c)
{
    json_t *list = json_array();
    for (int i = 0; i < TASK_COUNT; i++) {
        const struct task *t = &task_table[i];
        if (!cli_flag(c, "--json")) {
            fprintf(c->out, "%-8s %s\n         %ld samples, %ld parameters; default %s, lr %s\n", t->name,
                    t->title, t->samples, task_parameter_count(t), optimizer_name(t->optimizer), t->lr);
            continue;
        }
        json_array_append_new(
            list, json_pack("{s:s,s:s,s:I,s:I,s:s,s:s,s:o}", "name", t->name, "title", t->title, "samples",
                            (json_int_t)t->samples, "parameters", (json_int_t)task_parameter_count(t),
                            "optimizer", optimizer_name(t->optimizer), "lr", t->lr, "ops", task_ops_json(t)));
    }
    if (cli_flag(c, "--json"))
        return print_list(c, "tasks", list);
    json_decref(list);
    return CLI_DONE;
}

int cli_rules(struct cli *c)
{
    json_t *list = json_array();
    for (int i = 0; i < SCALER_RULE_COUNT; i++) {
        const struct scaler *s = &scaler_table[i];
        bool dynamic = s->kind == SCALER_DYNAMIC;
        if (!cli_flag(c, "--json")) {
            fprintf(c->out, "%-8s %s\n", s->name, s->summary);
            if (dynamic)
                fprintf(c->out, "         settings: init=%.0f growth=%g backoff=%g window=%d\n",
                        (double)s->init, s->growth, s->backoff, (int)s->window);
            continue;
        }
        json_t *row = json_pack("{s:s,s:s,s:b}", "name", s->name, "summary", s->summary, "check", s->check);
        if (dynamic) {
            char init[32], growth[32], backoff[32];
            snprintf(init, sizeof init, "%.0f", (double)s->init);
            snprintf(growth, sizeof growth, "%g", s->growth);
            snprintf(backoff, sizeof backoff, "%g", s->backoff);
            json_object_update_new(row, json_pack("{s:s,s:s,s:s,s:i}", "init", init, "growth", growth,
                                                  "backoff", backoff, "window", (int)s->window));
        }
        json_array_append_new(list, row);
    }
    if (cli_flag(c, "--json"))
        return print_list(c, "rules", list);
    json_decref(list);
    return CLI_DONE;
}

int cli_commands(struct cli *c)
{
    static const char *const scopes[] = {"session", "screen", "demo"};
    json_t *list = json_array();
    const char *group = "";
    for (int i = 0; i < COMMAND_COUNT; i++) {
        const struct command *row = &command_table[i];
        if (!cli_flag(c, "--json")) {
            if (row->group != group)
                fprintf(c->out, "%s%s\n", i ? "\n" : "", row->group);
            group = row->group;
            int n = fprintf(c->out, "  %s %s", row->name, row->arguments);
            fprintf(c->out, "%*s%s\n", n < 36 ? 36 - n : 1, "", row->help);
            continue;
        }
        json_array_append_new(list, json_pack("{s:s,s:s,s:s,s:s,s:s}", "name", row->name, "arguments",
                                              row->arguments, "group", row->group, "scope",
                                              scopes[row->scope], "help", row->help));
    }
    if (cli_flag(c, "--json"))
        return print_list(c, "commands", list);
    json_decref(list);
    return CLI_DONE;
}
