/* digests.c: see digests.h. */
#include "digests.h"

const struct digests digest_table[RUN_COUNT] = {
#include "digest_table.h"
};

static bool advance(struct trainer *t, long steps, bool by_phase)
{
    while (trainer_steps(t) < steps)
        if (!(by_phase ? trainer_phase(t) : trainer_step(t)))
            return false;
    return true;
}

bool digests_of(struct device *d, const struct proof_run *run, int steps, bool by_phase, struct digests *out)
{
    *out = (struct digests){0};
    struct trainer *t = run_create(d, run);
    uint64_t weights;
    bool ok = t && advance(t, DIGEST_EARLY, by_phase) && trainer_digest(t, &weights, &out->early_state);
    if (ok && steps == DIGEST_LATE)
        ok = advance(t, DIGEST_LATE, by_phase) && trainer_digest(t, &out->late, &out->late_state);
    trainer_free(t);
    return ok;
}

bool digests_match(const struct digests *got, int index)
{
    const struct digests *want = &digest_table[index];
    return got->early_state == want->early_state &&
           (got->late_state == 0 || (got->late == want->late && got->late_state == want->late_state));
}
