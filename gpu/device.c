/* device.c: the list of drivers, and what is common to every device. */
#include "device.h"
#include <stdio.h>
#include <string.h>

extern const struct device_driver device_cuda; /* cuda.cu, or no_cuda.c */
extern const struct device_driver device_cpu;  /* cpu.c */

const struct device_driver *const device_drivers[DEVICE_DRIVER_COUNT] = {&device_cuda, &device_cpu};

const struct kernel_info kernel_table[KERNEL_COUNT] = {
#define INFO(name, args) {#name, sizeof(struct args)},
    KERNEL_TABLE(INFO)
#undef INFO
};

struct device *device_open(const char *name, char *error)
{
    bool automatic = strcmp(name, "auto") == 0;
    for (int i = 0; i < DEVICE_DRIVER_COUNT; i++) {
        const struct device_driver *driver = device_drivers[i];
        if (automatic ? driver->probe(error) : strcmp(name, driver->name) == 0) {
            struct device *d = driver->open(error);
            if (d || !automatic)
                return d;
        }
    }
    snprintf(error, DEVICE_TEXT, "no device is called '%s' (auto, cpu, cuda)", name);
    return NULL;
}

void device_close(struct device *d)
{
    if (d)
        d->ops->close(d);
}

void *device_alloc(struct device *d, size_t bytes)
{
    return d->ops->alloc(d, bytes);
}

void device_release(struct device *d, void *memory)
{
    if (memory)
        d->ops->release(d, memory);
}

bool device_upload(struct device *d, void *to, const void *from, size_t bytes)
{
    return d->ops->upload(d, to, from, bytes);
}

bool device_download(struct device *d, void *to, const void *from, size_t bytes)
{
    return d->ops->download(d, to, from, bytes);
}

bool device_launch(struct device *d, enum kernel_id kernel, const void *args)
{
    d->launches[kernel]++;
    return d->ops->launch(d, kernel, args);
}

bool device_sync(struct device *d)
{
    return d->ops->sync(d);
}

bool device_record(struct device *d)
{
    return d->ops->record && d->ops->record(d);
}

void *device_recorded(struct device *d)
{
    return d->ops->recorded ? d->ops->recorded(d) : NULL;
}

bool device_replay(struct device *d, void *recording)
{
    return d->ops->replay(d, recording);
}

void device_forget(struct device *d, void *recording)
{
    d->ops->forget(d, recording);
}

const char *device_error(const struct device *d)
{
    return d->error;
}
