/* table_device.c: see table_device.h. */
#include "table_device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct tiles tiles_table[TILES_COUNT] = {
    {"tiles of 1", cpu_kernels_tiles_one},
    {"odd tiles", cpu_kernels_tiles_odd},
    {"wide tiles", cpu_kernels_tiles_wide},
};

struct table_device {
    struct device base;
    const struct cpu_kernel *kernels;
};

static void table_close(struct device *d)
{
    free(d);
}

static void *table_alloc(struct device *d, size_t bytes)
{
    (void)d;
    size_t rounded = bytes ? (bytes + 63) / 64 * 64 : 64;
    void *memory = aligned_alloc(64, rounded);
    if (memory)
        memset(memory, 0, rounded);
    return memory;
}

static void table_release(struct device *d, void *memory)
{
    (void)d;
    free(memory);
}

static bool table_copy(struct device *d, void *to, const void *from, size_t bytes)
{
    (void)d;
    if (bytes)
        memcpy(to, from, bytes);
    return true;
}

static bool table_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    const struct cpu_kernel *k = &((struct table_device *)d)->kernels[kernel];
    for (long tile = k->tiles(args) - 1; tile >= 0; tile--)
        k->run(args, tile, tile + 1);
    return true;
}

static bool table_sync(struct device *d)
{
    (void)d;
    return true;
}

static const struct device_ops table_ops = {
    .close = table_close,
    .alloc = table_alloc,
    .release = table_release,
    .upload = table_copy,
    .download = table_copy,
    .launch = table_launch,
    .sync = table_sync,
};

struct device *table_device_open(const struct tiles *tiles)
{
    struct table_device *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    d->base.ops = &table_ops;
    d->base.name = "table";
    snprintf(d->base.description, sizeof d->base.description, "%s", tiles->name);
    d->kernels = tiles->kernels;
    return &d->base;
}
