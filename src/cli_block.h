/* cli_block.h: `bits --block`: the values as blocks with shared scales. */
#ifndef ULPSCOPE_SRC_CLI_BLOCK_H
#define ULPSCOPE_SRC_CLI_BLOCK_H

#include "block.h"
#include "cli_call.h"

struct cli_block {
    const struct block_format *format;
    char *const *texts;
    struct exact *const *values; /* finite */
    size_t count;
    const struct probe_policy *policy;
};

/* --block: NULL if it is not given; an exit status. */
int cli_block_format(struct cli *c, const struct block_format **out);

/* Prints all blocks; an exit status. */
int cli_block_print(struct cli *c, struct device *d, const struct cli_block *b);

#endif
