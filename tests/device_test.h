/* device_test.h: the device of a unit test: a group's setup and teardown. */
#ifndef ULPSCOPE_TESTS_DEVICE_TEST_H
#define ULPSCOPE_TESTS_DEVICE_TEST_H

#include "device.h"
#include <stdlib.h>

static struct device *device;

/* The CPU, or what ULPSCOPE_DEVICE names: tests/gpu/check.sh runs some of the tests on the GPU. */
static inline int open_device(void **state)
{
    char error[DEVICE_TEXT];
    const char *name = getenv("ULPSCOPE_DEVICE");
    (void)state;
    device = device_open(name ? name : "cpu", error);
    return device ? 0 : -1;
}

static inline int close_device(void **state)
{
    (void)state;
    device_close(device);
    return 0;
}

#endif
