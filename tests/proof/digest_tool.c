/* digest_tool.c: checks or prints the digests of the training runs.
 *
 *   digest_tool [--device NAME] [--isa NAME] [--threads N] [--spiral 0|20|300] [--recipes] [--print]
 *
 * --recipes: only the seven recipes as they are.  --spiral: how far spiral goes (xor always goes to 300).
 * --print writes the table.  Exit status: 0 all as in the table, 1 some differ, 4 no such device. */
#include "digests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_plain_recipe(const struct proof_run *run)
{
    return !run->master && !run->optimizer && !run->scaler && strcmp(run->rounding, "rne") == 0;
}

static void print_row(const struct proof_run *run, const struct digests *got)
{
    char name[RUN_NAME];
    run_name(run, name);
    printf("    {0x%016llx, 0x%016llx, 0x%016llx}, /* %s */\n", (unsigned long long)got->early_state,
           (unsigned long long)got->late, (unsigned long long)got->late_state, name);
}

int main(int argc, char **argv)
{
    const char *name = "cpu", *isa = NULL;
    int threads = 1, spiral_steps = DIGEST_LATE;
    bool print = false, recipes = false, usage = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--print") == 0)
            print = true;
        else if (strcmp(argv[i], "--recipes") == 0)
            recipes = true;
        else if (!value)
            usage = true;
        else if (strcmp(argv[i], "--device") == 0)
            name = argv[++i];
        else if (strcmp(argv[i], "--isa") == 0)
            isa = argv[++i];
        else if (strcmp(argv[i], "--threads") == 0)
            threads = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--spiral") == 0)
            spiral_steps = (int)strtol(argv[++i], NULL, 10);
        else
            usage = true;
    }
    if (usage || threads < 1) {
        fprintf(stderr, "usage: digest_tool [--device NAME] [--isa NAME] [--threads N] [--spiral 0|20|300] "
                        "[--recipes] [--print]\n");
        return 2;
    }
    char error[DEVICE_TEXT];
    struct device *d =
        strcmp(name, "cpu") == 0 ? device_open_cpu(isa, threads, error) : device_open(name, error);
    if (!d) {
        fprintf(stderr, "digest_tool: %s\n", error);
        return 4;
    }
    int done = 0, differing = 0;
    for (int i = 0; i < RUN_COUNT; i++) {
        bool spiral = run_table[i].task[0] == 's';
        struct digests got;
        if ((recipes && !is_plain_recipe(&run_table[i])) || (spiral && spiral_steps == 0))
            continue;
        bool ok = digests_of(d, &run_table[i], spiral ? spiral_steps : DIGEST_LATE, false, &got);
        if (!ok)
            fprintf(stderr, "digest_tool: %s\n", device_error(d));
        if (print)
            print_row(&run_table[i], &got);
        else if (!ok || !digests_match(&got, i)) {
            fprintf(stderr, "differs from the table:\n");
            print_row(&run_table[i], &got);
            differing++;
        }
        done++;
    }
    if (!print)
        printf("%s: %d runs, %d differ\n", d->description, done, differing);
    device_close(d);
    return differing ? 1 : 0;
}
