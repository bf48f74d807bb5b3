/* recording.h: launches recorded and replayed as a GPU does, for the tests' devices. */
#ifndef ULPSCOPE_TESTS_RECORDING_H
#define ULPSCOPE_TESTS_RECORDING_H

#include "device.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct recording {
    int count;
    struct {
        enum kernel_id kernel;
        _Alignas(16) unsigned char args[256];
    } launches[128];
};

static inline bool recording_add(struct recording *r, enum kernel_id kernel, const void *args)
{
    assert_true(r->count < 128 && kernel_table[kernel].args_size <= 256);
    r->launches[r->count].kernel = kernel;
    memcpy(r->launches[r->count++].args, args, kernel_table[kernel].args_size);
    return true;
}

static inline bool recording_play(const struct recording *r, struct device *d,
                                  bool (*launch)(struct device *, enum kernel_id, const void *))
{
    for (int i = 0; i < r->count; i++)
        if (!launch(d, r->launches[i].kernel, r->launches[i].args))
            return false;
    return true;
}

static inline void recording_forget(struct device *d, void *recording)
{
    (void)d;
    free(recording);
}

#endif
