/* cpu.c: the CPU device: it is always there, and the one that the others are compared with. */
#include "cpu.h"
#include "device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cpu_device {
    struct device base;
    const struct cpu_kernel *kernels;
    struct cpu_threads *threads; /* NULL for one thread */
};

static struct cpu_device *cpu_of(struct device *d)
{
    return (struct cpu_device *)d;
}

static void cpu_close(struct device *d)
{
    if (cpu_of(d)->threads)
        cpu_threads_stop(cpu_of(d)->threads);
    free(d);
}

static void *cpu_alloc(struct device *d, size_t bytes)
{
    size_t rounded = (bytes + 63) / 64 * 64;
    void *memory = rounded >= bytes ? aligned_alloc(64, rounded ? rounded : 64) : NULL;
    if (memory)
        memset(memory, 0, rounded ? rounded : 64);
    else
        snprintf(d->error, sizeof d->error, "out of memory: %zu bytes", bytes);
    return memory;
}

static void cpu_release(struct device *d, void *memory)
{
    (void)d;
    free(memory);
}

static bool cpu_copy(struct device *d, void *to, const void *from, size_t bytes)
{
    (void)d;
    if (bytes)
        memcpy(to, from, bytes);
    return true;
}

static bool cpu_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    const struct cpu_kernel *k = &cpu_of(d)->kernels[kernel];
    long tiles = k->tiles(args);
    if (cpu_of(d)->threads && tiles > 1)
        cpu_threads_run(cpu_of(d)->threads, k, args, tiles);
    else
        k->run(args, 0, tiles);
    return true;
}

static bool cpu_sync(struct device *d)
{
    (void)d;
    return true;
}

static const struct device_ops cpu_ops = {
    .close = cpu_close,
    .alloc = cpu_alloc,
    .release = cpu_release,
    .upload = cpu_copy,
    .download = cpu_copy,
    .launch = cpu_launch,
    .sync = cpu_sync,
};

static bool supports_baseline(void)
{
    return true;
}

#ifdef ULPSCOPE_HAVE_AVX2
static bool supports_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif

#ifdef ULPSCOPE_HAVE_AVX512
static bool supports_avx512(void)
{
    return supports_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif

/* Best first. */
static const struct {
    const char *name;
    bool (*supported)(void);
    const struct cpu_kernel *kernels;
} instruction_sets[] = {
#ifdef ULPSCOPE_HAVE_AVX512
    {"avx512", supports_avx512, cpu_kernels_avx512},
#endif
#ifdef ULPSCOPE_HAVE_AVX2
    {"avx2", supports_avx2, cpu_kernels_avx2},
#endif
    {"baseline", supports_baseline, cpu_kernels_baseline},
};

struct device *device_open_cpu(const char *isa, int threads, char *error)
{
    for (size_t i = 0; i < sizeof instruction_sets / sizeof *instruction_sets; i++) {
        bool wanted = isa ? strcmp(isa, instruction_sets[i].name) == 0 : true;
        if (!wanted || !instruction_sets[i].supported())
            continue;
        struct cpu_device *cpu = calloc(1, sizeof *cpu);
        if (!cpu || (threads > 1 && !(cpu->threads = cpu_threads_start(threads)))) {
            snprintf(error, DEVICE_TEXT, "the cpu device cannot start %d threads", threads);
            free(cpu);
            return NULL;
        }
        cpu->base.ops = &cpu_ops;
        cpu->base.name = "cpu";
        cpu->kernels = instruction_sets[i].kernels;
        snprintf(cpu->base.description, sizeof cpu->base.description, "%s, %d thread%s",
                 instruction_sets[i].name, threads, threads == 1 ? "" : "s");
        return &cpu->base;
    }
    snprintf(error, DEVICE_TEXT, "the cpu device has no instruction set '%s' on this machine", isa);
    return NULL;
}

/* ULPSCOPE_CPU_ISA and ULPSCOPE_THREADS choose among what the machine has: for tests and measurements. */
static struct device *cpu_open(char *error)
{
    const char *isa = getenv("ULPSCOPE_CPU_ISA");
    const char *threads = getenv("ULPSCOPE_THREADS");
    long count = threads ? strtol(threads, NULL, 10) : 1;
    return device_open_cpu(isa && *isa ? isa : NULL, count < 1 ? 1 : count > 256 ? 256 : (int)count, error);
}

static bool cpu_probe(char *text)
{
    struct device *d = cpu_open(text);
    if (!d)
        return false;
    snprintf(text, DEVICE_TEXT, "%s", d->description);
    device_close(d);
    return true;
}

extern const struct device_driver device_cpu;
const struct device_driver device_cpu = {"cpu", cpu_probe, cpu_open};
