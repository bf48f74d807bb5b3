/* device.h: what a device is.
 *
 * A device owns memory and runs the kernels of kernels.h on it.  There are two drivers, "cpu" (always there)
 * and "cuda" (when built with the CUDA Toolkit and a GPU answers); both compile the same kernel text and
 * compute the same bits.  A device belongs to one thread at a time.  Errors are values: a call that can fail
 * returns false and device_error() says what happened in words meant for the person at the terminal. */
#ifndef ULPSCOPE_GPU_DEVICE_H
#define ULPSCOPE_GPU_DEVICE_H

#include "kernels.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DEVICE_TEXT = 256 }; /* size of the buffers for reasons and errors */

struct device;

struct device_ops {
    void (*close)(struct device *d);
    void *(*alloc)(struct device *d, size_t bytes);
    void (*release)(struct device *d, void *memory);
    bool (*upload)(struct device *d, void *to, const void *from, size_t bytes);
    bool (*download)(struct device *d, void *to, const void *from, size_t bytes);
    bool (*launch)(struct device *d, enum kernel_id kernel, const void *args);
    bool (*sync)(struct device *d);
    /* Recorded launches; all four are NULL where a device has none. */
    bool (*record)(struct device *d);    /* launches from here on are recorded, not run */
    void *(*recorded)(struct device *d); /* ends that: what was recorded, or NULL if it cannot be had */
    bool (*replay)(struct device *d, void *recording);
    void (*forget)(struct device *d, void *recording);
};

/* The common head of each driver's device; drivers extend it. */
struct device {
    const struct device_ops *ops;
    const char *name;                /* "cpu", "cuda" */
    char description[DEVICE_TEXT];   /* "avx512, 1 thread"; "NVIDIA H100, sm_90" */
    char error[DEVICE_TEXT];         /* the last error, or "" */
    uint64_t launches[KERNEL_COUNT]; /* how often each kernel was launched */
};

struct device_driver {
    const char *name;
    /* Whether a device can be opened; writes a description, or the reason why not, to text[DEVICE_TEXT]. */
    bool (*probe)(char *text);
    /* Opens it.  NULL and a reason in error[DEVICE_TEXT] on failure. */
    struct device *(*open)(char *error);
};

/* Every driver, best first; the last one ("cpu") always opens. */
enum { DEVICE_DRIVER_COUNT = 2 };
extern const struct device_driver *const device_drivers[DEVICE_DRIVER_COUNT];

/* Opens a device by name.  "auto" takes the first that opens; a driver's own name takes that one or fails.
 * NULL and a reason in error[DEVICE_TEXT] on failure. */
struct device *device_open(const char *name, char *error);
void device_close(struct device *d); /* NULL is allowed */

/* Zero-filled device memory, aligned to 64 bytes.  NULL on failure. */
void *device_alloc(struct device *d, size_t bytes);
void device_release(struct device *d, void *memory); /* NULL is allowed */
bool device_upload(struct device *d, void *to, const void *from, size_t bytes);
bool device_download(struct device *d, void *to, const void *from,
                     size_t bytes); /* waits for launches before it */

/* Queues a kernel; `args` is its argument struct of kernels.h, copied before the call returns.  How many
 * tiles are run follows from the arguments. */
bool device_launch(struct device *d, enum kernel_id kernel, const void *args);
bool device_sync(struct device *d);

/* A list of launches as one: device_record, the launches, device_recorded.  The recording repeats their
 * arguments as they were, as often as device_replay is called.  False or NULL where the device cannot record:
 * that is no error, and nothing has been run. */
bool device_record(struct device *d);
void *device_recorded(struct device *d);
bool device_replay(struct device *d, void *recording);
void device_forget(struct device *d, void *recording);

const char *device_error(const struct device *d);

/* The CPU device with a choice: instruction set "baseline", "avx2", "avx512" or NULL for the best one here,
 * and the number of threads that share a launch.  NULL and a reason in error[DEVICE_TEXT] on failure. */
struct device *device_open_cpu(const char *isa, int threads, char *error);

#endif
