/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks' work by hand on the CUDA driver, in the primary context that Yoke uses too. The context is made current around a
 * batch, as a program that uses CUDA alone has it all the time.
 */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "../backends/cuda/api.h"

static struct {
#define YK_CUDA_SYMBOL(need, name, parameters) yk_CUresult(*name) parameters;
#define YK_NVRTC_SYMBOL(need, result, name, parameters) result(*name) parameters;
#include "../backends/cuda/symbols.def"
} cu;

typedef struct side {
    yk_CUdevice device;
    yk_CUcontext context;
    yk_CUstream stream, sleepers[BENCH_STREAMS];
    yk_CUevent event;
    yk_CUmodule module;
    yk_CUfunction function;
    yk_CUdeviceptr buffer;
} side;

static void must(yk_CUresult result)
{
    const char *name = NULL;
    if (result == YK_CUDA_SUCCESS)
        return;
    cu.cuGetErrorName(result, &name);
    bench_fail("cuda by hand", name ? name : "unknown error");
}

static void load(void)
{
    static const char *const nvrtcs[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
                                          "/usr/local/cuda/lib64/libnvrtc.so" };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *nvrtc = NULL;
    for (size_t i = 0; !nvrtc && i < sizeof nvrtcs / sizeof nvrtcs[0]; i++)
        nvrtc = dlopen(nvrtcs[i], RTLD_NOW | RTLD_LOCAL);
    if (!driver || !nvrtc)
        bench_fail("cuda by hand", "no libcuda.so.1 or no NVRTC");
#define YK_CUDA_SYMBOL(need, name, parameters) *(void **)&cu.name = dlsym(driver, #name);
#define YK_NVRTC_SYMBOL(need, result, name, parameters) *(void **)&cu.name = dlsym(nvrtc, #name);
#include "../backends/cuda/symbols.def"
}

static void find_device(side *self, yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    int count = 0;
    char pci[32] = "";
    if (yoke_device_get_info(device, &info) < 0)
        bench_fail("cuda by hand", yoke_error()->text);
    must(cu.cuDeviceGetCount(&count));
    for (int i = 0; i < count; i++) {
        must(cu.cuDeviceGet(&self->device, i));
        must(cu.cuDeviceGetPCIBusId(pci, sizeof pci, self->device));
        if (strcasecmp(pci, info.pci) == 0)
            return;
    }
    bench_fail("cuda by hand", "the device is not found again");
}

/* With the options of yoke_program_build's exact mathematics that matter to this kernel: none does. */
static void build(side *self)
{
    int major = 0, minor = 0;
    char option[64];
    const char *options[] = { option };
    yk_nvrtcProgram program;
    size_t size = 0;
    must(cu.cuDeviceGetAttribute(&major, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, self->device));
    must(cu.cuDeviceGetAttribute(&minor, YK_CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, self->device));
    snprintf(option, sizeof option, "--gpu-architecture=sm_%d%d", major, minor);
    if (cu.nvrtcCreateProgram(&program, bench_touch.cuda, "touch.cu", 0, NULL, NULL) != YK_NVRTC_SUCCESS ||
        cu.nvrtcCompileProgram(program, 1, options) != YK_NVRTC_SUCCESS || cu.nvrtcGetCUBINSize(program, &size) != YK_NVRTC_SUCCESS)
        bench_fail("cuda by hand", "NVRTC does not compile the kernel");
    char *image = malloc(size);
    if (!image || cu.nvrtcGetCUBIN(program, image) != YK_NVRTC_SUCCESS)
        bench_fail("cuda by hand", "NVRTC gives no image");
    must(cu.cuModuleLoadDataEx(&self->module, image, 0, NULL, NULL));
    must(cu.cuModuleGetFunction(&self->function, self->module, "touch"));
    free(image);
    cu.nvrtcDestroyProgram(&program);
}

static void enter(side *self)
{
    must(cu.cuCtxPushCurrent_v2(self->context));
}

static void leave(void)
{
    yk_CUcontext old;
    must(cu.cuCtxPopCurrent_v2(&old));
}

static void *cuda_open(yoke_device *device)
{
    side *self = calloc(1, sizeof *self);
    if (!self)
        bench_fail("cuda by hand", "out of memory");
    load();
    find_device(self, device);
    must(cu.cuDevicePrimaryCtxRetain(&self->context, self->device));
    enter(self);
    build(self);
    must(cu.cuStreamCreate(&self->stream, YK_CU_STREAM_NON_BLOCKING));
    must(cu.cuEventCreate(&self->event, YK_CU_EVENT_DISABLE_TIMING));
    must(cu.cuMemAlloc_v2(&self->buffer, BENCH_LARGE));
    leave();
    return self;
}

static void cuda_close(void *object)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < BENCH_STREAMS && self->sleepers[i]; i++)
        must(cu.cuStreamDestroy_v2(self->sleepers[i]));
    must(cu.cuMemFree_v2(self->buffer));
    must(cu.cuEventDestroy_v2(self->event));
    must(cu.cuStreamDestroy_v2(self->stream));
    must(cu.cuModuleUnload(self->module));
    leave();
    must(cu.cuDevicePrimaryCtxRelease_v2(self->device));
    free(self);
}

static void cuda_wait(void *object)
{
    side *self = object;
    enter(self);
    must(cu.cuStreamSynchronize(self->stream));
    leave();
}

static inline void launch_one(side *self, yk_CUstream stream)
{
    float a = 1.0f;
    int n = 1;
    void *parameters[] = { &self->buffer, &a, &n };
    must(cu.cuLaunchKernel(self->function, 1, 1, 1, BENCH_BLOCK, 1, 1, 0, stream, parameters, NULL));
}

static void cuda_launches(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++)
        launch_one(self, self->stream);
    leave();
}

static void cuda_launches_wait(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(cu.cuStreamSynchronize(self->stream));
    }
    leave();
}

static void cuda_records(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++)
        must(cu.cuEventRecord(self->event, self->stream));
    leave();
}

static void cuda_queries(void *object, int count)
{
    side *self = object;
    enter(self);
    must(cu.cuEventRecord(self->event, self->stream));
    must(cu.cuStreamSynchronize(self->stream));
    for (int i = 0; i < count; i++)
        must(cu.cuEventQuery(self->event));
    leave();
}

static void cuda_writes(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++)
        must(cu.cuMemcpyHtoDAsync_v2(self->buffer, host, size, self->stream));
    leave();
}

static void cuda_writes_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        must(cu.cuMemcpyHtoDAsync_v2(self->buffer, host, size, self->stream));
        must(cu.cuStreamSynchronize(self->stream));
    }
    leave();
}

static void cuda_reads_wait(void *object, void *host, size_t size, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        must(cu.cuMemcpyDtoHAsync_v2(host, self->buffer, size, self->stream));
        must(cu.cuStreamSynchronize(self->stream));
    }
    leave();
}

static void cuda_alloc_free(void *object, size_t size, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        yk_CUdeviceptr buffer;
        must(cu.cuMemAlloc_v2(&buffer, size));
        must(cu.cuMemFree_v2(buffer));
    }
    leave();
}

static void cuda_kernels(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        launch_one(self, self->stream);
        must(cu.cuStreamSynchronize(self->stream));
    }
    leave();
}

static void nothing(void *user)
{
    (void)user;
}

static void cuda_call(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(cu.cuLaunchHostFunc(self->stream, nothing, NULL));
        launch_one(self, self->stream);
        must(cu.cuStreamSynchronize(self->stream));
    }
    leave();
}

static void cuda_call_pairs(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++) {
        launch_one(self, self->stream);
        must(cu.cuLaunchHostFunc(self->stream, nothing, NULL));
    }
    must(cu.cuStreamSynchronize(self->stream));
    leave();
}

static void sleep_a_while(void *user)
{
    nanosleep(user, NULL);
}

static void cuda_call_sleepers(void *object, int streams, int milliseconds)
{
    side *self = object;
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    enter(self);
    for (int i = 0; i < streams; i++) {
        if (!self->sleepers[i])
            must(cu.cuStreamCreate(&self->sleepers[i], YK_CU_STREAM_NON_BLOCKING));
        launch_one(self, self->sleepers[i]);
        must(cu.cuLaunchHostFunc(self->sleepers[i], sleep_a_while, &time));
    }
    for (int i = 0; i < streams; i++)
        must(cu.cuStreamSynchronize(self->sleepers[i]));
    leave();
}

const bench_side bench_cuda = {
    .name = "raw",
    .open = cuda_open,
    .close = cuda_close,
    .wait = cuda_wait,
    .launch = cuda_launches,
    .launch_wait = cuda_launches_wait,
    .event_record = cuda_records,
    .event_query = cuda_queries,
    .write = cuda_writes,
    .write_wait = cuda_writes_wait,
    .read_wait = cuda_reads_wait,
    .alloc_free = cuda_alloc_free,
    .kernels = cuda_kernels,
    .call = cuda_call,
    .call_pairs = cuda_call_pairs,
    .call_sleepers = cuda_call_sleepers,
};
