/* cli_formats.c: FORMATS and MODE, as options of more than one verb. */
#include "cli_call.h"
#include "probe.h"
#include <string.h>

bool cli_rounding(struct cli *c, enum round_mode *out)
{
    const char *mode = cli_value(c, "--rounding");
    char quoted[CLI_TEXT];
    *out = ROUND_RNE;
    if (!mode || round_mode_find(mode, out))
        return true;
    cli_quote(quoted, sizeof quoted, mode);
    cli_fail(c, CLI_USAGE, "--rounding: %s: not rne, rna, rtz, rup, rdn or sr", quoted);
    return false;
}

/* Adds the format of that name, or all. */
static int add(struct cli *c, const char *name, const struct format *formats[CLI_FORMATS], size_t *count)
{
    char quoted[CLI_TEXT];
    const struct format *f = format_find(name);
    bool all = strcmp(name, "all") == 0;
    cli_quote(quoted, sizeof quoted, name);
    if (!f && !all)
        return cli_fail(c, CLI_USAGE, "%s: no such format", quoted);
    for (int i = 0; i < (all ? FORMAT_COUNT : 1); i++) {
        if (*count == CLI_FORMATS)
            return cli_fail(c, CLI_USAGE, "--formats: more than %d of them", CLI_FORMATS);
        formats[(*count)++] = all ? &format_table[i] : f;
    }
    return CLI_DONE;
}

int cli_format_list(struct cli *c, const struct format *formats[CLI_FORMATS], size_t *count)
{
    const char *list = cli_value(c, "--formats");
    int status = CLI_DONE;
    *count = 0;
    if (!list)
        list = "fp32,fp16,bf16";
    while (status == CLI_DONE) {
        size_t n = strcspn(list, ",");
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), list);
        status = add(c, name, formats, count);
        if (!list[n])
            break;
        list += n + 1;
    }
    return status;
}
