/* digests.h: the constants of law 2: what the digests of every training run are, on any device, compiler and
 * thread count. */
#ifndef ULPSCOPE_TESTS_DIGESTS_H
#define ULPSCOPE_TESTS_DIGESTS_H

#include "runs.h"

enum { DIGEST_EARLY = 20, DIGEST_LATE = 300 }; /* steps */

struct digests {
    uint64_t early_state;      /* state digest after DIGEST_EARLY steps */
    uint64_t late, late_state; /* both digests after DIGEST_LATE steps */
};

/* One a run, in the order of run_table; the numbers are in digest_table.h, which tests/digests.sh writes. */
extern const struct digests digest_table[RUN_COUNT];

/* Trains a run for `steps` (DIGEST_EARLY or DIGEST_LATE) and reads its digests; what was not reached stays 0.
 * False if the device failed. */
bool digests_of(struct device *d, const struct proof_run *run, int steps, bool by_phase, struct digests *out);

/* Whether they are those of the table as far as they were reached. */
bool digests_match(const struct digests *got, int index);

#endif
