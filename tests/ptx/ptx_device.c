/* ptx_device.c: see ptx_device.h. */
#include "ptx_device.h"
#include "proof/table_device.h"
#include <ptxrun.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_PER_BLOCK = 128 }; /* as in cuda.cu */

struct ptx_device {
    struct device base;
    ptx_ctx *context;
    ptx_module *module;
    ptx_options options;
    uint64_t contractable;
};

static struct ptx_device *ptx_of(struct device *d)
{
    return (struct ptx_device *)d;
}

static void ptx_device_close(struct device *d)
{
    ptx_close(ptx_of(d)->context);
    free(d);
}

static void *ptx_alloc(struct device *d, size_t bytes)
{
    size_t size = bytes ? bytes : 64;
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!memory) {
        snprintf(d->error, sizeof d->error, "out of memory: %zu bytes", bytes);
        return NULL;
    }
    memset(memory, 0, size);
    ptx_mem_add(ptx_of(d)->context, memory, size, "buffer");
    return memory;
}

static void ptx_release(struct device *d, void *memory)
{
    ptx_mem_remove(ptx_of(d)->context, memory);
    free(memory);
}

static bool ptx_copy(struct device *d, void *to, const void *from, size_t bytes)
{
    (void)d;
    if (bytes)
        memcpy(to, from, bytes);
    return true;
}

/* How many tiles there are is the kernel text's own answer for tiles of one element. */
static bool ptx_launch_kernel(struct device *d, enum kernel_id kernel, const void *args)
{
    struct ptx_device *ptx = ptx_of(d);
    long tiles = cpu_kernels_tiles_one[kernel].tiles(args);
    if (tiles <= 0)
        return true;
    unsigned grid[3] = {(unsigned)((tiles + THREADS_PER_BLOCK - 1) / THREADS_PER_BLOCK), 1, 1};
    unsigned block[3] = {THREADS_PER_BLOCK, 1, 1};
    const void *parameters[] = {args, &tiles};
    ptx_stats stats = {0};
    if (ptx_launch(ptx->context, ptx->module, kernel_table[kernel].name, grid, block, 0, parameters, 2,
                   &ptx->options, &stats) != 0) {
        snprintf(d->error, sizeof d->error, "%s: %.200s", kernel_table[kernel].name, ptx_error(ptx->context));
        return false;
    }
    ptx->contractable += stats.contractable;
    return true;
}

static bool ptx_sync(struct device *d)
{
    (void)d;
    return true;
}

static const struct device_ops ptx_ops = {
    .close = ptx_device_close,
    .alloc = ptx_alloc,
    .release = ptx_release,
    .upload = ptx_copy,
    .download = ptx_copy,
    .launch = ptx_launch_kernel,
    .sync = ptx_sync,
};

static bool check_kernels(struct ptx_device *ptx, char *error)
{
    if (ptx_kernel_count(ptx->module) != KERNEL_COUNT) {
        snprintf(error, DEVICE_TEXT, "%d kernels in the file, %d in the table", ptx_kernel_count(ptx->module),
                 KERNEL_COUNT);
        return false;
    }
    for (int k = 0; k < KERNEL_COUNT; k++) {
        const char *name = kernel_table[k].name;
        if (ptx_kernel_params(ptx->module, name) != 2 ||
            ptx_kernel_param_size(ptx->module, name, 0) != kernel_table[k].args_size ||
            ptx_kernel_param_size(ptx->module, name, 1) != sizeof(long)) {
            snprintf(error, DEVICE_TEXT, "%s: not there, or with other arguments", name);
            return false;
        }
    }
    return true;
}

struct device *ptx_device_open(const char *path, uint64_t order, bool races, char *error)
{
    struct ptx_device *ptx = calloc(1, sizeof *ptx);
    if (!ptx || !(ptx->context = ptx_open())) {
        snprintf(error, DEVICE_TEXT, "out of memory");
        free(ptx);
        return NULL;
    }
    ptx->base.ops = &ptx_ops;
    ptx->base.name = "ptx";
    snprintf(ptx->base.description, sizeof ptx->base.description, "%.200s", path);
    ptx->options.seed = order;
    ptx->options.check_races = races;
    ptx->module = ptx_load_file(ptx->context, path);
    if (!ptx->module)
        snprintf(error, DEVICE_TEXT, "%.200s", ptx_error(ptx->context));
    if (!ptx->module || !check_kernels(ptx, error)) {
        ptx_device_close(&ptx->base);
        return NULL;
    }
    return &ptx->base;
}

uint64_t ptx_device_contractable(const struct device *d)
{
    return ((const struct ptx_device *)d)->contractable;
}
