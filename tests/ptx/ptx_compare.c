/* ptx_compare.c: the PTX that nvcc made of the kernels against the CPU device, bit for bit: every kernel on
 * random and edge inputs, and whole training steps of both tasks under every recipe.
 *
 *   ptx_compare FILE.ptx LABEL [--seed N] [--order N] [--races] [--spiral STEPS] [--xor STEPS]
 *
 * Exit status: 0 no bit differs, 1 some do, or an operation is open to contraction, or a launch failed. */
#include "proof/cases.h"
#include "proof/runs.h"
#include "ptx_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    long kernels, cases, values, runs, steps, differing;
    bool failed;
};

struct options {
    const char *path, *label;
    uint64_t seed, order;
    bool races;
    long spiral_steps, xor_steps;
};

static void compare_case(struct device *cpu, struct device *ptx, enum kernel_id kernel, int variant,
                         uint64_t seed, struct tally *tally)
{
    struct case_result a, b;
    char text[160] = "";
    bool ok = case_run(cpu, kernel, variant, seed, &a);
    if (!case_run(ptx, kernel, variant, seed, &b) || !ok) {
        fprintf(stderr, "%s, variant %d: %s\n", kernel_table[kernel].name, variant,
                device_error(ok ? ptx : cpu));
        tally->failed = true;
    } else {
        long differing = case_compare(&a, &b, text, sizeof text);
        if (differing)
            fprintf(stderr, "%s, variant %d: %ld differ; first (cpu and ptx): %s\n",
                    kernel_table[kernel].name, variant, differing, text);
        tally->differing += differing;
        tally->values += a.values;
        tally->cases++;
    }
    case_free(&a);
    case_free(&b);
}

static void compare_kernels(struct device *cpu, struct device *ptx, const struct options *o,
                            struct tally *tally)
{
    for (int k = 0; k < KERNEL_COUNT; k++) {
        enum kernel_id kernel = (enum kernel_id)k;
        if (case_variants(kernel) == 0) {
            fprintf(stderr, "%s: nobody has written cases for it\n", kernel_table[k].name);
            tally->failed = true;
        }
        for (int v = 0; v < case_variants(kernel); v++)
            compare_case(cpu, ptx, kernel, v, o->seed, tally);
        tally->kernels += case_variants(kernel) > 0;
    }
}

/* Every tensor, the counters and the run's state. */
static bool compare_trainers(struct trainer *a, struct trainer *b, const char *name, struct tally *tally)
{
    struct trainer_counts counts[2][TRAINER_MAX_TENSORS];
    struct run_state state[2];
    long before = tally->differing;
    if (!trainer_read_counts(a, counts[0]) || !trainer_read_counts(b, counts[1]) ||
        !trainer_read_state(a, &state[0]) || !trainer_read_state(b, &state[1]))
        return false;
    tally->differing += memcmp(&state[0], &state[1], sizeof state[0]) != 0;
    for (int i = 0; i < trainer_tensor_count(a); i++) {
        const struct tensor *x = trainer_tensor(a, i), *y = trainer_tensor(b, i);
        size_t n = (size_t)(x->rows * x->cols), size = x->format == FORMAT_FP32 ? 4 : 2;
        unsigned char *p = malloc(n * size), *q = malloc(n * size);
        bool ok = p && q && trainer_read(a, x, 0, (long)n, p) && trainer_read(b, y, 0, (long)n, q);
        long differing = 0;
        for (size_t j = 0; ok && j < n; j++)
            differing += memcmp(p + j * size, q + j * size, size) != 0;
        for (int w = 0; w < COUNTER_COUNT; w++)
            differing += counts[0][i].word[w] != counts[1][i].word[w];
        if (differing)
            fprintf(stderr, "%s, step %ld: %ld differ in %s or its counters\n", name, trainer_steps(a),
                    differing, x->name);
        tally->differing += differing;
        tally->values += (long)n + COUNTER_COUNT;
        free(p);
        free(q);
        if (!ok)
            return false;
    }
    if (tally->differing != before)
        fprintf(stderr, "%s: differs at step %ld\n", name, trainer_steps(a));
    return true;
}

/* One run on both devices, compared after every step. */
static void compare_run(struct device *cpu, struct device *ptx, const struct proof_run *run, long steps,
                        struct tally *tally)
{
    char name[RUN_NAME];
    run_name(run, name);
    struct trainer *a = run_create(cpu, run), *b = run_create(ptx, run);
    long before = tally->differing;
    for (long s = 0; a && b && s < steps && tally->differing == before; s++) {
        if (!trainer_step(a) || !trainer_step(b) || !compare_trainers(a, b, name, tally)) {
            fprintf(stderr, "%s: %s\n", name, device_error(ptx));
            tally->failed = true;
            break;
        }
        tally->steps++;
    }
    tally->failed |= !a || !b;
    tally->runs++;
    trainer_free(a);
    trainer_free(b);
}

static bool read_options(int argc, char **argv, struct options *o)
{
    *o = (struct options){.seed = 1, .spiral_steps = 2, .xor_steps = 20};
    if (argc < 3)
        return false;
    o->path = argv[1];
    o->label = argv[2];
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "--races") == 0) {
            o->races = true;
            continue;
        }
        if (i + 1 == argc)
            return false;
        long n = strtol(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0)
            o->seed = (uint64_t)n;
        else if (strcmp(argv[i], "--order") == 0)
            o->order = (uint64_t)n;
        else if (strcmp(argv[i], "--spiral") == 0)
            o->spiral_steps = n;
        else if (strcmp(argv[i], "--xor") == 0)
            o->xor_steps = n;
        else
            return false;
        i++;
    }
    return true;
}

int main(int argc, char **argv)
{
    struct options o;
    char error[DEVICE_TEXT];
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: ptx_compare FILE.ptx LABEL [--seed N] [--order N] [--races] [--spiral STEPS] "
                        "[--xor STEPS]\n");
        return 2;
    }
    struct device *cpu = device_open_cpu(NULL, 1, error);
    struct device *ptx = cpu ? ptx_device_open(o.path, o.order, o.races, error) : NULL;
    if (!ptx) {
        fprintf(stderr, "%s: %s\n", o.label, error);
        return 1;
    }
    struct tally tally = {0};
    compare_kernels(cpu, ptx, &o, &tally);
    for (int r = 0; r < RUN_COUNT; r++)
        compare_run(cpu, ptx, &run_table[r], run_table[r].task[0] == 'x' ? o.xor_steps : o.spiral_steps,
                    &tally);
    uint64_t contractable = ptx_device_contractable(ptx);
    printf("%s: kernels %ld, cases %ld, training steps %ld in %ld runs, values %ld, instructions %.1fe9, "
           "contractable %llu, differing %ld%s\n",
           o.label, tally.kernels, tally.cases, tally.steps, tally.runs, tally.values,
           (double)ptx_device_instructions(ptx) / 1e9, (unsigned long long)contractable, tally.differing,
           tally.failed ? ", FAILED" : "");
    device_close(ptx);
    device_close(cpu);
    return tally.differing || tally.failed || contractable || tally.kernels != KERNEL_COUNT ? 1 : 0;
}
