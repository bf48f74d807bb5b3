/* no_cuda.c: stands in for cuda.cu in a build without the CUDA Toolkit, and says so. */
#include "device.h"
#include <stdio.h>

static bool cuda_probe(char *text)
{
    snprintf(text, DEVICE_TEXT, "not in this build: it was configured without the CUDA Toolkit (nvcc)");
    return false;
}

static struct device *cuda_open(char *error)
{
    cuda_probe(error);
    return NULL;
}

extern const struct device_driver device_cuda;
const struct device_driver device_cuda = {"cuda", cuda_probe, cuda_open};
