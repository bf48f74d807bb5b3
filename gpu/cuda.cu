/* cuda.cu: the CUDA device.  It includes the kernel text that cpu_isa.c includes; with the flags of gpu/CMakeLists.txt
 * (no contraction, no flush to zero, IEEE division and square root) it computes the same bits. */
extern "C" {
#include "device.h"
}
#include "kernels/all.k.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

namespace
{

const unsigned threads_per_block = 128;

struct cuda_device {
    struct device base;
    cudaStream_t stream;
    bool recording;
};

struct cuda_kernel {
    const void *function;
    long (*tiles)(const void *args);
};

#define COUNT_DEFINE(name, args)                                                                              \
    long name##_count(const void *a)                                                                          \
    {                                                                                                         \
        return name##_tiles((const struct args *)a);                                                          \
    }
KERNEL_TABLE(COUNT_DEFINE)

#define ROW(name, args) {(const void *)name, name##_count},
const cuda_kernel cuda_kernels[KERNEL_COUNT] = {KERNEL_TABLE(ROW)};

cuda_device *cuda_of(device *d)
{
    return (cuda_device *)d;
}

/* True for success; otherwise says what failed. */
bool check(device *d, cudaError_t code, const char *what)
{
    if (code == cudaSuccess)
        return true;
    snprintf(d->error, sizeof d->error, "cuda: %s: %s", what, cudaGetErrorString(code));
    return false;
}

void cuda_close(device *d)
{
    cudaStreamDestroy(cuda_of(d)->stream);
    free(d);
}

void *cuda_alloc(device *d, size_t bytes)
{
    void *memory = NULL;
    size_t size = bytes ? bytes : 64;
    if (!check(d, cudaMalloc(&memory, size), "allocating memory"))
        return NULL;
    if (!check(d, cudaMemsetAsync(memory, 0, size, cuda_of(d)->stream), "clearing memory")) {
        cudaFree(memory);
        return NULL;
    }
    return memory;
}

void cuda_release(device *d, void *memory)
{
    check(d, cudaFree(memory), "freeing memory");
}

bool cuda_sync(device *d)
{
    return check(d, cudaStreamSynchronize(cuda_of(d)->stream), "running kernels");
}

bool cuda_upload(device *d, void *to, const void *from, size_t bytes)
{
    return check(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda_of(d)->stream),
                 "copying to the GPU") &&
           cuda_sync(d);
}

bool cuda_download(device *d, void *to, const void *from, size_t bytes)
{
    return check(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda_of(d)->stream),
                 "copying from the GPU") &&
           cuda_sync(d);
}

bool cuda_launch(device *d, enum kernel_id kernel, const void *args)
{
    const cuda_kernel *k = &cuda_kernels[kernel];
    long tiles = k->tiles(args);
    if (tiles <= 0)
        return true;
    unsigned blocks = (unsigned)((tiles + threads_per_block - 1) / threads_per_block);
    void *parameters[] = {(void *)args, &tiles};
    return check(d, cudaLaunchKernel(k->function, dim3(blocks), dim3(threads_per_block), parameters, 0, cuda_of(d)->stream),
                 kernel_table[kernel].name);
}

/* A CUDA graph: kernels captured from the stream, their arguments copied.  Where capture or instantiation fails, the
 * error is cleared and the trainer launches one by one. */
bool cuda_record(device *d)
{
    cuda_device *cuda = cuda_of(d);
    cuda->recording = cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeThreadLocal) == cudaSuccess;
    if (!cuda->recording)
        (void)cudaGetLastError();
    return cuda->recording;
}

void *cuda_recorded(device *d)
{
    cuda_device *cuda = cuda_of(d);
    cudaGraph_t graph = NULL;
    cudaGraphExec_t executable = NULL;
    if (!cuda->recording)
        return NULL;
    cuda->recording = false;
    bool ok = cudaStreamEndCapture(cuda->stream, &graph) == cudaSuccess && graph &&
              cudaGraphInstantiateWithFlags(&executable, graph, 0) == cudaSuccess;
    if (graph)
        cudaGraphDestroy(graph);
    if (ok)
        return executable;
    (void)cudaGetLastError();
    d->error[0] = '\0';
    return NULL;
}

bool cuda_replay(device *d, void *recording)
{
    return check(d, cudaGraphLaunch((cudaGraphExec_t)recording, cuda_of(d)->stream), "running a recorded step");
}

void cuda_forget(device *d, void *recording)
{
    (void)d;
    cudaGraphExecDestroy((cudaGraphExec_t)recording);
}

const device_ops cuda_ops = {cuda_close, cuda_alloc,  cuda_release,  cuda_upload, cuda_download, cuda_launch,
                             cuda_sync,  cuda_record, cuda_recorded, cuda_replay, cuda_forget};

/* The count is read only after the code: without a driver the call leaves it as it was. */
bool cuda_probe(char *text)
{
    int count = 0;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorInsufficientDriver) {
        snprintf(text, DEVICE_TEXT, "no NVIDIA driver here, or one too old for CUDA %d.%d", CUDART_VERSION / 1000,
                 CUDART_VERSION % 1000 / 10);
        return false;
    }
    if (code != cudaSuccess || count == 0) {
        snprintf(text, DEVICE_TEXT, "no usable GPU: %s",
                 code == cudaSuccess ? "the driver lists none" : cudaGetErrorString(code));
        return false;
    }
    cudaDeviceProp properties;
    code = cudaGetDeviceProperties(&properties, 0);
    if (code != cudaSuccess) {
        snprintf(text, DEVICE_TEXT, "no usable GPU: %s", cudaGetErrorString(code));
        return false;
    }
    snprintf(text, DEVICE_TEXT, "%.200s, sm_%d%d", properties.name, properties.major, properties.minor);
    return true;
}

struct device *cuda_open(char *error)
{
    char text[DEVICE_TEXT];
    if (!cuda_probe(text)) {
        snprintf(error, DEVICE_TEXT, "%s", text);
        return NULL;
    }
    cuda_device *cuda = (cuda_device *)calloc(1, sizeof *cuda);
    if (!cuda) {
        snprintf(error, DEVICE_TEXT, "out of memory");
        return NULL;
    }
    cuda->base.ops = &cuda_ops;
    cuda->base.name = "cuda";
    snprintf(cuda->base.description, sizeof cuda->base.description, "%s", text);
    /* Proves that the driver accepts this build's kernels, before anything depends on them. */
    cudaFuncAttributes attributes;
    if (!check(&cuda->base, cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking), "opening the GPU") ||
        !check(&cuda->base, cudaFuncGetAttributes(&attributes, cuda_kernels[0].function), "loading the kernels")) {
        snprintf(error, DEVICE_TEXT, "%s", cuda->base.error);
        if (cuda->stream)
            cudaStreamDestroy(cuda->stream);
        free(cuda);
        return NULL;
    }
    return &cuda->base;
}

} // namespace

extern "C" {
extern const struct device_driver device_cuda;
const struct device_driver device_cuda = {"cuda", cuda_probe, cuda_open};
}
