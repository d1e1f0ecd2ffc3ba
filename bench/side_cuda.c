/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks' work by hand on the CUDA driver, in the primary context that Yoke uses too. The context is made current around a
 * batch, as a program that uses CUDA alone has it all the time.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "raw_cuda.h"

/* CUDA_KERNEL_NODE_PARAMS since CUDA 12. */
typedef struct node_params {
    yk_CUfunction function;
    unsigned int grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel;
    yk_CUcontext context;
} node_params;

/* X(name, parameters) */
#define GRAPH_FUNCTIONS(X)                                                                                                 \
    X(cuGraphCreate, (void **out_graph, unsigned int flags))                                                               \
    X(cuGraphAddKernelNode_v2, (void **out_node, void *graph, void *const *before, size_t count, const node_params *node)) \
    X(cuGraphInstantiateWithFlags, (void **out_exec, void *graph, unsigned long long flags))                               \
    X(cuGraphExecKernelNodeSetParams_v2, (void *exec, void *node, const node_params *params))                              \
    X(cuGraphLaunch, (void *exec, yk_CUstream stream))                                                                     \
    X(cuGraphExecDestroy, (void *exec))                                                                                    \
    X(cuGraphDestroy, (void *graph))

static struct {
#define MEMBER(name, parameters) yk_CUresult(*name) parameters;
    GRAPH_FUNCTIONS(MEMBER)
#undef MEMBER
} graphs;

typedef struct side {
    yk_CUdevice device;
    yk_CUcontext context;
    yk_CUstream stream, sleepers[BENCH_STREAMS];
    yk_CUevent event;
    yk_CUmodule module;
    yk_CUfunction function;
    yk_CUdeviceptr buffer;
    void *graph, *exec, *first; /* of graphs: the first node */
} side;

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
    bench_cuda_load();
#define BIND(name, parameters) *(void **)&graphs.name = bench_cuda_symbol(#name);
    GRAPH_FUNCTIONS(BIND)
#undef BIND
    find_device(self, device);
    must(cu.cuDevicePrimaryCtxRetain(&self->context, self->device));
    enter(self);
    self->module = bench_cuda_build(self->device, &bench_touch);
    must(cu.cuModuleGetFunction(&self->function, self->module, "touch"));
    must(cu.cuStreamCreate(&self->stream, YK_CU_STREAM_NON_BLOCKING));
    must(cu.cuEventCreate(&self->event, YK_CU_EVENT_DISABLE_TIMING));
    must(cu.cuMemAlloc_v2(&self->buffer, BENCH_LARGE));
    leave();
    return self;
}

static void destroy_graph(side *self)
{
    if (self->exec)
        must(graphs.cuGraphExecDestroy(self->exec));
    if (self->graph)
        must(graphs.cuGraphDestroy(self->graph));
    self->exec = self->graph = NULL;
}

static void cuda_close(void *object)
{
    side *self = object;
    enter(self);
    destroy_graph(self);
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

static bool cuda_graph_make(void *object, int kernels)
{
    side *self = object;
    float a = 1.0f;
    int n = 1;
    void *parameters[] = { &self->buffer, &a, &n }, *node = NULL;
    node_params params = {
        .function = self->function, .grid = { 1, 1, 1 }, .block = { BENCH_BLOCK, 1, 1 }, .parameters = parameters
    };
    enter(self);
    destroy_graph(self);
    if (kernels > 0)
        must(graphs.cuGraphCreate(&self->graph, 0));
    for (int i = 0; i < kernels; i++) {
        void *before = node;
        must(graphs.cuGraphAddKernelNode_v2(&node, self->graph, i ? &before : NULL, i ? 1 : 0, &params));
        self->first = i ? self->first : node;
    }
    if (kernels > 0)
        must(graphs.cuGraphInstantiateWithFlags(&self->exec, self->graph, 0));
    leave();
    return true;
}

static void cuda_graph_launches(void *object, int count)
{
    side *self = object;
    enter(self);
    for (int i = 0; i < count; i++)
        must(graphs.cuGraphLaunch(self->exec, self->stream));
    leave();
}

static void cuda_graph_changes(void *object, int count)
{
    side *self = object;
    float a;
    int n = 1;
    void *parameters[] = { &self->buffer, &a, &n };
    node_params params = {
        .function = self->function, .grid = { 1, 1, 1 }, .block = { BENCH_BLOCK, 1, 1 }, .parameters = parameters
    };
    enter(self);
    for (int i = 0; i < count; i++) {
        a = (float)i;
        must(graphs.cuGraphExecKernelNodeSetParams_v2(self->exec, self->first, &params));
    }
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
    .graph_make = cuda_graph_make,
    .graph_launch = cuda_graph_launches,
    .graph_set_args = cuda_graph_changes,
};
