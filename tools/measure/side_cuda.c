/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work by hand on the CUDA driver, in the primary context that Yoke uses too. Functions that Yoke itself may do without are
 * looked up here, with declarations of our own.
 */
#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/native.h>

#include "raw_cuda.h"

/* CUDA_MEMCPY2D and CUmemPoolProps. */
typedef struct copy_2d {
    size_t source_x, source_y;
    unsigned int source_type; /* HOST or DEVICE */
    const void *source_host;
    yk_CUdeviceptr source_device;
    void *source_array;
    size_t source_pitch;
    size_t target_x, target_y;
    unsigned int target_type;
    void *target_host;
    yk_CUdeviceptr target_device;
    void *target_array;
    size_t target_pitch;
    size_t width, height;
} copy_2d;

typedef struct pool_properties {
    unsigned int allocation_type, handle_types, location_type;
    int location_id;
    void *security;
    size_t largest;
    unsigned short usage;
    unsigned char reserved[54];
} pool_properties;

typedef struct CUmemPoolHandle_st *pool_handle;

enum { HOST = 1, DEVICE = 2 };
enum { TYPE_PINNED = 1, LOCATION_DEVICE = 1, RELEASE_THRESHOLD = 4 };
enum { PEER_ACCESS_ALREADY_ENABLED = 704 };

/* CUDA_KERNEL_NODE_PARAMS since CUDA 12. */
typedef struct node_params {
    yk_CUfunction function;
    unsigned int grid[3], block[3], shared;
    void **parameters, **extra;
    void *kernel;
    yk_CUcontext context;
} node_params;

/* X(name, parameters) */
#define FUNCTIONS(X)                                                                                                              \
    X(cuCtxEnablePeerAccess, (yk_CUcontext peer, unsigned int flags))                                                             \
    X(cuDeviceCanAccessPeer, (int *out_can, yk_CUdevice device, yk_CUdevice peer))                                                \
    X(cuMemcpy2DAsync_v2, (const copy_2d *copy, yk_CUstream stream))                                                              \
    X(cuMemcpyPeerAsync, (yk_CUdeviceptr target, yk_CUcontext target_context, yk_CUdeviceptr source, yk_CUcontext source_context, \
                          size_t size, yk_CUstream stream))                                                                       \
    X(cuMemAllocFromPoolAsync, (yk_CUdeviceptr * out_address, size_t size, pool_handle pool, yk_CUstream stream))                 \
    X(cuMemFreeAsync, (yk_CUdeviceptr address, yk_CUstream stream))                                                               \
    X(cuMemPoolCreate, (pool_handle * out_pool, const pool_properties *properties))                                               \
    X(cuMemPoolDestroy, (pool_handle pool))                                                                                       \
    X(cuMemPoolSetAttribute, (pool_handle pool, unsigned int attribute, void *value))                                             \
    X(cuGraphCreate, (void **out_graph, unsigned int flags))                                                                      \
    X(cuGraphAddKernelNode_v2, (void **out_node, void *graph, void *const *before, size_t count, const node_params *node))        \
    X(cuGraphInstantiateWithFlags, (void **out_exec, void *graph, unsigned long long flags))                                      \
    X(cuGraphExecKernelNodeSetParams_v2, (void *exec, void *node, const node_params *params))                                     \
    X(cuGraphLaunch, (void *exec, yk_CUstream stream))                                                                            \
    X(cuGraphExecDestroy, (void *exec))                                                                                           \
    X(cuGraphDestroy, (void *graph))

static struct {
#define MEMBER(name, parameters) yk_CUresult(*name) parameters;
    FUNCTIONS(MEMBER)
#undef MEMBER
} more;

typedef struct side {
    yk_CUdevice device;
    yk_CUcontext context;
    yk_CUstream streams[2], sleepers[MEASURE_STREAMS];
    yk_CUevent event;
    yk_CUdeviceptr buffers[2], spun; /* `spin` works on the latter */
    yk_CUmodule touch_module, spin_module;
    yk_CUfunction touch, spin;
    pool_handle pool;           /* created when first used */
    void *graph, *exec, *first; /* of graphs: the first node */
} side;

static void cuda_enter(void *object)
{
    must(cu.cuCtxPushCurrent_v2(((side *)object)->context));
}

static void cuda_leave(void *object)
{
    yk_CUcontext old;
    (void)object;
    must(cu.cuCtxPopCurrent_v2(&old));
}

static void *cuda_open(yoke_device *device)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    side *self = calloc(1, sizeof *self);
    if (!self)
        measure_fail("cuda by hand", "out of memory");
    if (yoke_device_get_native(device, &native) < 0)
        measure_fail("cuda by hand", yoke_error()->text);
    measure_cuda_load();
#define BIND(name, parameters) *(void **)&more.name = measure_cuda_symbol(#name);
    FUNCTIONS(BIND)
#undef BIND
    self->device = (yk_CUdevice)native.device;
    self->context = native.context;
    cuda_enter(self);
    must(cu.cuStreamCreate(&self->streams[0], YK_CU_STREAM_NON_BLOCKING));
    must(cu.cuStreamCreate(&self->streams[1], YK_CU_STREAM_NON_BLOCKING));
    must(cu.cuEventCreate(&self->event, YK_CU_EVENT_DISABLE_TIMING));
    must(cu.cuMemAlloc_v2(&self->spun, 4));
    self->touch_module = measure_cuda_build(self->device, &measure_touch);
    self->spin_module = measure_cuda_build(self->device, &measure_spin);
    must(cu.cuModuleGetFunction(&self->touch, self->touch_module, "touch"));
    must(cu.cuModuleGetFunction(&self->spin, self->spin_module, "spin"));
    cuda_leave(self);
    return self;
}

static void cuda_reserve(void *object, size_t size0, size_t size1)
{
    side *self = object;
    const size_t sizes[2] = { size0, size1 };
    cuda_enter(self);
    for (int i = 0; i < 2; i++) {
        if (self->buffers[i])
            must(cu.cuMemFree_v2(self->buffers[i]));
        self->buffers[i] = 0;
    }
    for (int i = 0; i < 2; i++)
        if (sizes[i])
            must(cu.cuMemAlloc_v2(&self->buffers[i], sizes[i]));
    cuda_leave(self);
}

static void destroy_graph(side *self)
{
    if (self->exec)
        must(more.cuGraphExecDestroy(self->exec));
    if (self->graph)
        must(more.cuGraphDestroy(self->graph));
    self->exec = self->graph = NULL;
}

static void cuda_close(void *object)
{
    side *self = object;
    cuda_reserve(self, 0, 0);
    cuda_enter(self);
    destroy_graph(self);
    for (int i = 0; i < MEASURE_STREAMS && self->sleepers[i]; i++)
        must(cu.cuStreamDestroy_v2(self->sleepers[i]));
    must(cu.cuEventDestroy_v2(self->event));
    must(cu.cuMemFree_v2(self->spun));
    must(cu.cuStreamDestroy_v2(self->streams[0]));
    must(cu.cuStreamDestroy_v2(self->streams[1]));
    must(cu.cuModuleUnload(self->touch_module));
    must(cu.cuModuleUnload(self->spin_module));
    if (self->pool)
        must(more.cuMemPoolDestroy(self->pool));
    cuda_leave(self);
    free(self);
}

static void cuda_wait(void *object, int which)
{
    must(cu.cuStreamSynchronize(((side *)object)->streams[which]));
}

/* ---- Launches, host functions, graphs ---- */

static inline void launch_one(side *self, yk_CUstream stream, yk_CUdeviceptr buffer)
{
    float a = 1.0f;
    int n = 1;
    void *parameters[] = { &buffer, &a, &n };
    must(cu.cuLaunchKernel(self->touch, 1, 1, 1, MEASURE_BLOCK, 1, 1, 0, stream, parameters, NULL));
}

static void cuda_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        launch_one(self, self->streams[0], self->buffers[0]);
}

static void cuda_launches_wait(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuStreamSynchronize(self->streams[0]));
    }
}

static void cuda_launches_poll(void *object, int count, bool own)
{
    side *self = object;
    (void)own; /* there is none */
    for (int i = 0; i < count; i++) {
        yk_CUresult result;
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuEventRecord(self->event, self->streams[0]));
        while ((result = cu.cuEventQuery(self->event)) == YK_CUDA_ERROR_NOT_READY)
            continue;
        must(result);
    }
}

static void cuda_spin(void *object, uint64_t rounds)
{
    side *self = object;
    unsigned long long n = rounds;
    void *parameters[] = { &self->spun, &n };
    must(cu.cuLaunchKernel(self->spin, 1, 1, 1, 1, 1, 1, 0, self->streams[0], parameters, NULL));
}

static void cuda_records(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cu.cuEventRecord(self->event, self->streams[0]));
}

static void cuda_queries(void *object, int count)
{
    side *self = object;
    must(cu.cuEventRecord(self->event, self->streams[0]));
    must(cu.cuStreamSynchronize(self->streams[0]));
    for (int i = 0; i < count; i++)
        must(cu.cuEventQuery(self->event));
}

static void cuda_kernels(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuStreamSynchronize(self->streams[0]));
    }
}

static void nothing(void *user)
{
    (void)user;
}

static void cuda_call(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuLaunchHostFunc(self->streams[0], nothing, NULL));
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuStreamSynchronize(self->streams[0]));
    }
}

static void cuda_call_pairs(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->streams[0], self->buffers[0]);
        must(cu.cuLaunchHostFunc(self->streams[0], nothing, NULL));
    }
    must(cu.cuStreamSynchronize(self->streams[0]));
}

static void sleep_a_while(void *user)
{
    nanosleep(user, NULL);
}

static void cuda_call_sleepers(void *object, int streams, int milliseconds)
{
    side *self = object;
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
    for (int i = 0; i < streams; i++) {
        if (!self->sleepers[i])
            must(cu.cuStreamCreate(&self->sleepers[i], YK_CU_STREAM_NON_BLOCKING));
        launch_one(self, self->sleepers[i], self->buffers[0]);
        must(cu.cuLaunchHostFunc(self->sleepers[i], sleep_a_while, &time));
    }
    for (int i = 0; i < streams; i++)
        must(cu.cuStreamSynchronize(self->sleepers[i]));
}

static bool cuda_graph_make(void *object, int kernels)
{
    side *self = object;
    float a = 1.0f;
    int n = 1;
    void *parameters[] = { &self->buffers[0], &a, &n }, *node = NULL;
    node_params params = {
        .function = self->touch, .grid = { 1, 1, 1 }, .block = { MEASURE_BLOCK, 1, 1 }, .parameters = parameters
    };
    destroy_graph(self);
    if (kernels > 0)
        must(more.cuGraphCreate(&self->graph, 0));
    for (int i = 0; i < kernels; i++) {
        void *before = node;
        must(more.cuGraphAddKernelNode_v2(&node, self->graph, i ? &before : NULL, i ? 1 : 0, &params));
        self->first = i ? self->first : node;
    }
    if (kernels > 0)
        must(more.cuGraphInstantiateWithFlags(&self->exec, self->graph, 0));
    return true;
}

static void cuda_graph_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(more.cuGraphLaunch(self->exec, self->streams[0]));
}

static void cuda_graph_changes(void *object, int count)
{
    side *self = object;
    float a;
    int n = 1;
    void *parameters[] = { &self->buffers[0], &a, &n };
    node_params params = {
        .function = self->touch, .grid = { 1, 1, 1 }, .block = { MEASURE_BLOCK, 1, 1 }, .parameters = parameters
    };
    for (int i = 0; i < count; i++) {
        a = (float)i;
        must(more.cuGraphExecKernelNodeSetParams_v2(self->exec, self->first, &params));
    }
}

/* ---- Memory ---- */

static void cuda_write(void *object, int which, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cu.cuMemcpyHtoDAsync_v2(self->buffers[which], host, size, self->streams[which]));
}

static void cuda_read(void *object, int which, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cu.cuMemcpyDtoHAsync_v2(host, self->buffers[which], size, self->streams[which]));
}

static void cuda_write_wait(void *object, const void *host, size_t size, int count)
{
    for (int i = 0; i < count; i++) {
        cuda_write(object, 0, host, size, 1);
        cuda_wait(object, 0);
    }
}

static void cuda_read_wait(void *object, void *host, size_t size, int count)
{
    for (int i = 0; i < count; i++) {
        cuda_read(object, 0, host, size, 1);
        cuda_wait(object, 0);
    }
}

static void cuda_write_rect(void *object, const void *host, const measure_rect *rect)
{
    side *self = object;
    const copy_2d copy = { .source_type = HOST,
                           .source_host = host,
                           .source_pitch = rect->host_pitch,
                           .target_type = DEVICE,
                           .target_device = self->buffers[0],
                           .target_pitch = rect->buffer_pitch,
                           .width = rect->width,
                           .height = rect->height };
    must(more.cuMemcpy2DAsync_v2(&copy, self->streams[0]));
}

static void cuda_read_rect(void *object, void *host, const measure_rect *rect)
{
    side *self = object;
    const copy_2d copy = { .source_type = DEVICE,
                           .source_device = self->buffers[0],
                           .source_pitch = rect->buffer_pitch,
                           .target_type = HOST,
                           .target_host = host,
                           .target_pitch = rect->host_pitch,
                           .width = rect->width,
                           .height = rect->height };
    must(more.cuMemcpy2DAsync_v2(&copy, self->streams[0]));
}

static void cuda_copy(void *object, size_t size)
{
    side *self = object;
    must(cu.cuMemcpyDtoDAsync_v2(self->buffers[1], self->buffers[0], size, self->streams[0]));
}

/* The driver knows patterns of up to 4 bytes; longer ones are a column of words after the other, each over all of the memory. */
static void cuda_fill(void *object, size_t size, const void *pattern, size_t pattern_size)
{
    side *self = object;
    union {
        unsigned char byte;
        unsigned short half;
        unsigned int words[4];
    } value;
    memcpy(&value, pattern, pattern_size);
    if (pattern_size == 1)
        must(cu.cuMemsetD8Async(self->buffers[0], value.byte, size, self->streams[0]));
    else if (pattern_size == 2)
        must(cu.cuMemsetD16Async(self->buffers[0], value.half, size / 2, self->streams[0]));
    else if (pattern_size == 4)
        must(cu.cuMemsetD32Async(self->buffers[0], value.words[0], size / 4, self->streams[0]));
    else
        for (size_t i = 0; i < pattern_size / 4; i++)
            must(cu.cuMemsetD2D32Async(self->buffers[0] + 4 * i, pattern_size, value.words[i], 1, size / pattern_size,
                                       self->streams[0]));
}

static bool cuda_connect(void *object, void *other)
{
    side *pair[2] = { object, other };
    bool can = true;
    for (int i = 0; i < 2 && can; i++) {
        int one = 0;
        must(more.cuDeviceCanAccessPeer(&one, pair[i]->device, pair[1 - i]->device));
        can = one != 0;
    }
    for (int i = 0; i < 2 && can; i++) {
        cuda_enter(pair[i]);
        yk_CUresult result = more.cuCtxEnablePeerAccess(pair[1 - i]->context, 0);
        if (result != PEER_ACCESS_ALREADY_ENABLED)
            must(result);
        cuda_leave(pair[i]);
    }
    return can;
}

static void cuda_peer(void *object, void *other, size_t size)
{
    side *self = object, *target = other;
    must(more.cuMemcpyPeerAsync(target->buffers[0], target->context, self->buffers[0], self->context, size, self->streams[0]));
}

/* A pool that gives nothing back to the system while it lives. */
static void create_pool(side *self)
{
    const pool_properties properties = { .allocation_type = TYPE_PINNED,
                                         .location_type = LOCATION_DEVICE,
                                         .location_id = self->device };
    unsigned long long all = UINT64_MAX;
    must(more.cuMemPoolCreate(&self->pool, &properties));
    must(more.cuMemPoolSetAttribute(self->pool, RELEASE_THRESHOLD, &all));
}

static yk_CUdeviceptr alloc(side *self, int way, size_t size)
{
    yk_CUdeviceptr address;
    if (way == MEASURE_ORDERED) {
        if (!self->pool)
            create_pool(self);
        must(more.cuMemAllocFromPoolAsync(&address, size, self->pool, self->streams[0]));
    } else {
        must(cu.cuMemAlloc_v2(&address, size));
    }
    return address;
}

static void free_again(side *self, int way, yk_CUdeviceptr address)
{
    if (way == MEASURE_ORDERED)
        must(more.cuMemFreeAsync(address, self->streams[0]));
    else
        must(cu.cuMemFree_v2(address));
}

static void cuda_alloc_free(void *object, int way, size_t size, int count)
{
    void *host;
    for (int i = 0; i < count; i++)
        if (way == MEASURE_PINNED) {
            must(cu.cuMemHostAlloc(&host, size, YK_CU_MEMHOSTALLOC_PORTABLE));
            must(cu.cuMemFreeHost(host));
        } else {
            free_again(object, way, alloc(object, way, size));
        }
}

static void cuda_alloc_launch_free(void *object, int way, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        yk_CUdeviceptr address = alloc(self, way, size);
        launch_one(self, self->streams[0], address);
        free_again(self, way, address);
    }
}

const measure_side measure_cuda = {
    .name = "raw",
    .open = cuda_open,
    .close = cuda_close,
    .enter = cuda_enter,
    .leave = cuda_leave,
    .reserve = cuda_reserve,
    .wait = cuda_wait,
    .launch = cuda_launches,
    .launch_wait = cuda_launches_wait,
    .launch_poll = cuda_launches_poll,
    .spin = cuda_spin,
    .event_record = cuda_records,
    .event_query = cuda_queries,
    .kernels = cuda_kernels,
    .call = cuda_call,
    .call_pairs = cuda_call_pairs,
    .call_sleepers = cuda_call_sleepers,
    .graph_make = cuda_graph_make,
    .graph_launch = cuda_graph_launches,
    .graph_set_args = cuda_graph_changes,
    .write = cuda_write,
    .read = cuda_read,
    .write_wait = cuda_write_wait,
    .read_wait = cuda_read_wait,
    .write_rect = cuda_write_rect,
    .read_rect = cuda_read_rect,
    .copy = cuda_copy,
    .fill = cuda_fill,
    .connect = cuda_connect,
    .peer = cuda_peer,
    .alloc_free = cuda_alloc_free,
    .alloc_launch_free = cuda_alloc_launch_free,
};
