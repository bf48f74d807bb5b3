/* cli_verbs.h: the functions behind the rows of the table of verbs (cli_table.c). */
#ifndef ULPSCOPE_SRC_CLI_VERBS_H
#define ULPSCOPE_SRC_CLI_VERBS_H

#include "cli_call.h"

int cli_bits(struct cli *c);
int cli_calc(struct cli *c);
int cli_update(struct cli *c);
int cli_formats(struct cli *c);
int cli_devices(struct cli *c);
int cli_show(struct cli *c);
int cli_play(struct cli *c);

/* Answers "not in this version", exit status 2; a row with it is absent from help. */
int cli_later(struct cli *c);

int cli_scale(struct cli *c);
int cli_train(struct cli *c);
int cli_recipes(struct cli *c);
int cli_tasks(struct cli *c);
int cli_rules(struct cli *c);
int cli_commands(struct cli *c);
int cli_selftest(struct cli *c);
int cli_bench(struct cli *c);

#endif
