/* compare.c: see compare.h. */
#include "compare.h"
#include "cases.h"
#include "runs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare_case(struct device *a, struct device *b, enum kernel_id kernel, int variant,
                         uint64_t seed, struct tally *tally)
{
    struct case_result x, y;
    char text[160] = "";
    bool ok = case_run(a, kernel, variant, seed, &x);
    if (!case_run(b, kernel, variant, seed, &y) || !ok) {
        fprintf(stderr, "%s, variant %d: %s\n", kernel_table[kernel].name, variant, device_error(ok ? b : a));
        tally->failed = true;
    } else {
        long differing = case_compare(&x, &y, text, sizeof text);
        if (differing)
            fprintf(stderr, "%s, variant %d: %ld differ; first (%s and %s): %s\n", kernel_table[kernel].name,
                    variant, differing, a->name, b->name, text);
        tally->differing += differing;
        tally->values += x.values;
        tally->cases++;
    }
    case_free(&x);
    case_free(&y);
}

void compare_kernels(struct device *a, struct device *b, uint64_t seed, struct tally *tally)
{
    for (int k = 0; k < KERNEL_COUNT; k++) {
        enum kernel_id kernel = (enum kernel_id)k;
        if (case_variants(kernel) == 0) {
            fprintf(stderr, "%s: nobody has written cases for it\n", kernel_table[k].name);
            tally->failed = true;
        }
        for (int v = 0; v < case_variants(kernel); v++)
            compare_case(a, b, kernel, v, seed, tally);
        tally->kernels += case_variants(kernel) > 0;
    }
}

/* One tensor and its counters.  False if a device failed. */
static bool compare_tensor(struct trainer *a, struct trainer *b, int index, const uint32_t *counts_a,
                           const uint32_t *counts_b, long *differing)
{
    const struct tensor *x = trainer_tensor(a, index), *y = trainer_tensor(b, index);
    size_t n = (size_t)(x->rows * x->cols), size = x->format == FORMAT_FP32 ? 4 : 2;
    unsigned char *p = malloc(n * size), *q = malloc(n * size);
    bool ok = p && q && trainer_read(a, x, 0, (long)n, p) && trainer_read(b, y, 0, (long)n, q);
    *differing = 0;
    for (size_t j = 0; ok && j < n; j++)
        *differing += memcmp(p + j * size, q + j * size, size) != 0;
    for (int w = 0; w < COUNTER_COUNT; w++)
        *differing += counts_a[w] != counts_b[w];
    free(p);
    free(q);
    return ok;
}

static bool compare_trainers(struct trainer *a, struct trainer *b, const char *name, struct tally *tally)
{
    struct trainer_counts counts[2][TRAINER_MAX_TENSORS];
    struct run_state state[2];
    if (!trainer_read_counts(a, counts[0]) || !trainer_read_counts(b, counts[1]) ||
        !trainer_read_state(a, &state[0]) || !trainer_read_state(b, &state[1]))
        return false;
    if (memcmp(&state[0], &state[1], sizeof state[0]) != 0) {
        fprintf(stderr, "%s, step %ld: the run's state differs\n", name, trainer_steps(a));
        tally->differing++;
    }
    for (int i = 0; i < trainer_tensor_count(a); i++) {
        const struct tensor *x = trainer_tensor(a, i);
        long differing;
        if (!compare_tensor(a, b, i, counts[0][i].word, counts[1][i].word, &differing))
            return false;
        if (differing)
            fprintf(stderr, "%s, step %ld: %ld differ in %s or its counters\n", name, trainer_steps(a),
                    differing, x->name);
        tally->differing += differing;
        tally->values += x->rows * x->cols + COUNTER_COUNT;
    }
    return true;
}

/* One run on both devices, compared after every step, up to the first difference. */
static void compare_run(struct device *a, struct device *b, const struct proof_run *run, long steps,
                        struct tally *tally)
{
    char name[RUN_NAME];
    run_name(run, name);
    struct trainer *x = run_create(a, run), *y = run_create(b, run);
    long before = tally->differing;
    for (long s = 0; x && y && s < steps && tally->differing == before; s++) {
        if (!trainer_step(x) || !trainer_step(y) || !compare_trainers(x, y, name, tally)) {
            fprintf(stderr, "%s: %s%s\n", name, device_error(a), device_error(b));
            tally->failed = true;
            break;
        }
        tally->steps++;
    }
    tally->failed |= !x || !y;
    tally->runs++;
    trainer_free(x);
    trainer_free(y);
}

void compare_runs(struct device *a, struct device *b, long spiral_steps, long xor_steps, struct tally *tally)
{
    for (int r = 0; r < RUN_COUNT; r++)
        compare_run(a, b, &run_table[r], run_table[r].task[0] == 'x' ? xor_steps : spiral_steps, tally);
}

bool compare_report(const char *label, const struct tally *tally)
{
    printf("%s: kernels %ld, cases %ld, training steps %ld in %ld runs, values %ld, differing %ld%s\n", label,
           tally->kernels, tally->cases, tally->steps, tally->runs, tally->values, tally->differing,
           tally->failed ? ", FAILED" : "");
    return tally->differing == 0 && !tally->failed && tally->kernels == KERNEL_COUNT;
}
