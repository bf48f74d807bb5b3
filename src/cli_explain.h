/* cli_explain.h: what `bits --explain` adds about one value in one format. */
#ifndef ULPSCOPE_SRC_CLI_EXPLAIN_H
#define ULPSCOPE_SRC_CLI_EXPLAIN_H

#include "cli_call.h"
#include "probe.h"
#include <jansson.h>

/* x is the exact value; `formats` are those that the value is sent through and back.  False with *error if
 * that fails. */
bool cli_explain_json(json_t *o, struct device *d, struct exact *x, const struct bits_result *r,
                      const struct format *const *formats, size_t count, const struct probe_policy *policy,
                      struct exact_error *error);
bool cli_explain_print(struct cli *c, struct device *d, struct exact *x, const struct bits_row *row,
                       const struct format *const *formats, size_t count, const struct probe_policy *policy,
                       struct exact_error *error);

#endif
