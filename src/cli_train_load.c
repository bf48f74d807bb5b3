/* cli_train_load.c: `train --load FILE`: replays a saved session and verifies the digests that it must reach.
 */
#include "cli_train.h"
#include "probe_text.h"
#include "save.h"
#include "session_internal.h"

static json_t *lane_json(struct session *s, int lane)
{
    char name[32], digest[24] = "", state[24] = "";
    snprintf(name, sizeof name, "lane%d.digest", lane);
    session_fact(s, name, digest, sizeof digest);
    snprintf(name, sizeof name, "lane%d.state-digest", lane);
    session_fact(s, name, state, sizeof state);
    return json_pack("{s:i,s:s,s:s,s:s}", "lane", lane, "recipe", s->lanes[lane].name, "digest", digest,
                     "state_digest", state);
}

static bool print(struct cli *c, struct session *s)
{
    if (!cli_flag(c, "--json")) {
        fprintf(c->out, "step %lld, %d lane%s: every digest is the one saved%s\n",
                (long long)session_steps(s), s->lane_count, s->lane_count > 1 ? "s" : "",
                session_injected(s) ? "; numbers were put in by hand" : "");
        return true;
    }
    json_t *root = report_begin("train"), *lanes = json_array();
    for (int i = 0; i < s->lane_count; i++)
        json_array_append_new(lanes, lane_json(s, i));
    json_object_set_new(root, "loaded",
                        json_pack("{s:I,s:i,s:o}", "step", (json_int_t)session_steps(s), "injected",
                                  session_injected(s), "lanes", lanes));
    return report_print(c->out, root);
}

int train_load(struct cli *c, const char *file)
{
    char error[DEVICE_TEXT];
    int status = CLI_DONE;
    struct device *d = cli_device(c, &status);
    struct session *s = d ? session_open_on(d, false, error) : NULL;
    if (!d)
        return status;
    if (!s)
        return cli_fail(c, CLI_FAILED, "%s", error);
    enum save_result result = save_read(s, file, error);
    if (result != SAVE_DONE)
        status = cli_fail(c, result == SAVE_DIFFERS ? CLI_DIFFERS : CLI_FAILED, "%s", error);
    else if (!print(c, s))
        status = cli_fail(c, CLI_FAILED, "cannot write the output");
    session_close(s);
    return status;
}
