/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work by hand on OpenCL, in the context of the device that Yoke has opened: a driver takes its time to change between
 * contexts. A host function is a marker whose callback runs it and then completes a user event that the next command waits for:
 * what one writes on OpenCL without Yoke. Drivers may wait with what they are given until they are flushed, so copies that are not
 * waited for flush.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <yoke/native.h>

#include "raw_opencl.h"

/* X(name): of cl_khr_command_buffer, which few drivers have. */
#define GRAPH_FUNCTIONS(X)        \
    X(clCreateCommandBufferKHR)   \
    X(clCommandNDRangeKernelKHR)  \
    X(clFinalizeCommandBufferKHR) \
    X(clEnqueueCommandBufferKHR)  \
    X(clReleaseCommandBufferKHR)

static struct {
#define MEMBER(name) name##_fn name;
    GRAPH_FUNCTIONS(MEMBER)
#undef MEMBER
} graphs;

typedef struct side {
    cl_context context;
    cl_device_id device;
    cl_command_queue queues[2], sleepers[MEASURE_STREAMS];
    cl_mem buffers[2], spun; /* `spin` works on the latter */
    cl_program touch_program, spin_program;
    cl_kernel touch, spin;
    bool has_graphs;
    cl_command_buffer_khr graph;
} side;

static bool find_graphs(cl_device_id device)
{
    cl_platform_id platform;
    cl_device_command_buffer_capabilities_khr can = 0;
    char extensions[8192] = "";
    if (cl.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) != CL_SUCCESS ||
        !strstr(extensions, "cl_khr_command_buffer") ||
        cl.clGetDeviceInfo(device, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof can, &can, NULL) != CL_SUCCESS ||
        !(can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR) ||
        cl.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) != CL_SUCCESS)
        return false;
#define BIND(name)                                                                         \
    *(void **)&graphs.name = cl.clGetExtensionFunctionAddressForPlatform(platform, #name); \
    if (!graphs.name)                                                                      \
        return false;
    GRAPH_FUNCTIONS(BIND)
#undef BIND
    return true;
}

static cl_mem create(side *self, cl_mem_flags flags, size_t size)
{
    cl_int code;
    cl_mem memory = cl.clCreateBuffer(self->context, CL_MEM_READ_WRITE | flags, size, NULL, &code);
    must(code);
    return memory;
}

static cl_kernel build(side *self, const yoke_source *source, cl_program *out_program)
{
    cl_int code;
    *out_program = cl.clCreateProgramWithSource(self->context, 1, (const char **)&source->opencl, NULL, &code);
    must(code);
    must(cl.clBuildProgram(*out_program, 1, &self->device, "", NULL, NULL));
    cl_kernel kernel = cl.clCreateKernel(*out_program, source->name, &code);
    must(code);
    return kernel;
}

static void *opencl_open(yoke_device *device)
{
    yoke_native_device native = YOKE_NATIVE_DEVICE_INIT;
    side *self = calloc(1, sizeof *self);
    cl_int code;
    if (!self)
        measure_fail("opencl by hand", "out of memory");
    if (yoke_device_get_native(device, &native) < 0)
        measure_fail("opencl by hand", yoke_error()->text);
    measure_opencl_load();
    self->context = native.context;
    self->device = (cl_device_id)native.device;
    for (int i = 0; i < 2; i++) {
        self->queues[i] = cl.clCreateCommandQueue(self->context, self->device, 0, &code);
        must(code);
    }
    self->spun = create(self, 0, 4);
    self->touch = build(self, &measure_touch, &self->touch_program);
    self->spin = build(self, &measure_spin, &self->spin_program);
    self->has_graphs = find_graphs(self->device);
    return self;
}

static void opencl_reserve(void *object, size_t size0, size_t size1)
{
    side *self = object;
    const size_t sizes[2] = { size0, size1 };
    for (int i = 0; i < 2; i++) {
        if (self->buffers[i])
            must(cl.clReleaseMemObject(self->buffers[i]));
        self->buffers[i] = NULL;
    }
    for (int i = 0; i < 2; i++)
        if (sizes[i])
            self->buffers[i] = create(self, 0, sizes[i]);
}

static void opencl_close(void *object)
{
    side *self = object;
    for (int i = 0; i < MEASURE_STREAMS && self->sleepers[i]; i++)
        must(cl.clReleaseCommandQueue(self->sleepers[i]));
    if (self->graph)
        must(graphs.clReleaseCommandBufferKHR(self->graph));
    opencl_reserve(self, 0, 0);
    must(cl.clReleaseMemObject(self->spun));
    must(cl.clReleaseKernel(self->touch));
    must(cl.clReleaseKernel(self->spin));
    must(cl.clReleaseProgram(self->touch_program));
    must(cl.clReleaseProgram(self->spin_program));
    must(cl.clReleaseCommandQueue(self->queues[0]));
    must(cl.clReleaseCommandQueue(self->queues[1]));
    free(self);
}

static void opencl_enter_or_leave(void *object)
{
    (void)object;
}

static void opencl_wait(void *object, int which)
{
    must(cl.clFinish(((side *)object)->queues[which]));
}

/* ---- Launches ---- */

/* `after`: what to wait for, or NULL; `out_event`: the launch's own, or NULL. */
static inline void launch_with(side *self, cl_command_queue queue, cl_mem buffer, const cl_event *after, cl_event *out_event)
{
    const size_t threads = MEASURE_BLOCK;
    cl_float a = 1.0f;
    cl_int n = 1;
    must(cl.clSetKernelArg(self->touch, 0, sizeof buffer, &buffer));
    must(cl.clSetKernelArg(self->touch, 1, sizeof a, &a));
    must(cl.clSetKernelArg(self->touch, 2, sizeof n, &n));
    must(cl.clEnqueueNDRangeKernel(queue, self->touch, 1, NULL, &threads, &threads, after != NULL, after, out_event));
}

static inline void launch_one(side *self, cl_command_queue queue, cl_mem buffer, const cl_event *after)
{
    launch_with(self, queue, buffer, after, NULL);
}

static void opencl_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        launch_one(self, self->queues[0], self->buffers[0], NULL);
}

static void opencl_launches_wait(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queues[0], self->buffers[0], NULL);
        must(cl.clFinish(self->queues[0]));
    }
}

/* The status alone makes nothing visible: the wait at the end does, at once. */
static void poll_to_end(cl_command_queue queue, cl_event event)
{
    cl_int status = CL_QUEUED;
    must(cl.clFlush(queue));
    while (status > CL_COMPLETE)
        must(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    must(status);
    must(cl.clWaitForEvents(1, &event));
    must(cl.clReleaseEvent(event));
}

static void opencl_launches_poll(void *object, int count, bool own)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        cl_event event;
        launch_with(self, self->queues[0], self->buffers[0], NULL, own ? &event : NULL);
        if (!own)
            must(cl.clEnqueueMarkerWithWaitList(self->queues[0], 0, NULL, &event));
        poll_to_end(self->queues[0], event);
    }
}

static void opencl_spin(void *object, uint64_t rounds)
{
    side *self = object;
    const size_t one = 1;
    cl_ulong n = rounds;
    must(cl.clSetKernelArg(self->spin, 0, sizeof self->spun, &self->spun));
    must(cl.clSetKernelArg(self->spin, 1, sizeof n, &n));
    must(cl.clEnqueueNDRangeKernel(self->queues[0], self->spin, 1, NULL, &one, &one, 0, NULL, NULL));
    must(cl.clFlush(self->queues[0]));
}

static void opencl_records(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        cl_event event;
        must(cl.clEnqueueMarkerWithWaitList(self->queues[0], 0, NULL, &event));
        must(cl.clReleaseEvent(event));
    }
}

static void opencl_queries(void *object, int count)
{
    side *self = object;
    cl_event event;
    cl_int status = CL_QUEUED;
    must(cl.clEnqueueMarkerWithWaitList(self->queues[0], 0, NULL, &event));
    must(cl.clFinish(self->queues[0]));
    for (int i = 0; i < count; i++)
        must(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    must(cl.clReleaseEvent(event));
}

static void opencl_kernels(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queues[0], self->buffers[0], NULL);
        launch_one(self, self->queues[0], self->buffers[0], NULL);
        must(cl.clFinish(self->queues[0]));
    }
}

/* ---- Host functions ---- */

typedef struct host_call {
    cl_event done; /* a user event */
    int milliseconds;
} host_call;

static void CL_CALLBACK run_host_function(cl_event marker, cl_int status, void *user)
{
    host_call *call = user;
    struct timespec time = { call->milliseconds / 1000, call->milliseconds % 1000 * 1000000L };
    (void)marker;
    (void)status;
    if (call->milliseconds > 0)
        nanosleep(&time, NULL);
    must(cl.clSetUserEventStatus(call->done, CL_COMPLETE));
}

/* What follows has to wait for call->done, and to release it. */
static void enqueue_call(side *self, cl_command_queue queue, host_call *call)
{
    cl_event marker;
    cl_int code;
    call->done = cl.clCreateUserEvent(self->context, &code);
    must(code);
    must(cl.clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    must(cl.clSetEventCallback(marker, CL_COMPLETE, run_host_function, call));
    must(cl.clReleaseEvent(marker));
    must(cl.clFlush(queue));
}

static void opencl_call(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        host_call call = { NULL, 0 };
        launch_one(self, self->queues[0], self->buffers[0], NULL);
        enqueue_call(self, self->queues[0], &call);
        launch_one(self, self->queues[0], self->buffers[0], &call.done);
        must(cl.clFinish(self->queues[0]));
        must(cl.clReleaseEvent(call.done));
    }
}

static void opencl_call_pairs(void *object, int count)
{
    side *self = object;
    host_call *calls = calloc((size_t)count, sizeof *calls);
    if (!calls)
        measure_fail("opencl by hand", "out of memory");
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queues[0], self->buffers[0], i > 0 ? &calls[i - 1].done : NULL);
        enqueue_call(self, self->queues[0], &calls[i]);
    }
    must(cl.clWaitForEvents(1, &calls[count - 1].done));
    must(cl.clFinish(self->queues[0]));
    for (int i = 0; i < count; i++)
        must(cl.clReleaseEvent(calls[i].done));
    free(calls);
}

static void opencl_call_sleepers(void *object, int streams, int milliseconds)
{
    side *self = object;
    host_call calls[MEASURE_STREAMS];
    for (int i = 0; i < streams; i++) {
        cl_int code = CL_SUCCESS;
        if (!self->sleepers[i])
            self->sleepers[i] = cl.clCreateCommandQueue(self->context, self->device, 0, &code);
        must(code);
        calls[i] = (host_call){ NULL, milliseconds };
        launch_one(self, self->sleepers[i], self->buffers[0], NULL);
        enqueue_call(self, self->sleepers[i], &calls[i]);
    }
    for (int i = 0; i < streams; i++) {
        must(cl.clWaitForEvents(1, &calls[i].done));
        must(cl.clReleaseEvent(calls[i].done));
    }
}

/* ---- Graphs ---- */

static bool opencl_graph_make(void *object, int kernels)
{
    const cl_command_buffer_properties_khr often[] = { CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0 };
    const size_t threads = MEASURE_BLOCK;
    side *self = object;
    cl_float a = 1.0f;
    cl_sync_point_khr before = 0, point = 0;
    cl_int n = 1, code;
    if (!self->has_graphs)
        return false;
    if (self->graph)
        must(graphs.clReleaseCommandBufferKHR(self->graph));
    self->graph = NULL;
    if (kernels == 0)
        return true;
    self->graph = graphs.clCreateCommandBufferKHR(1, &self->queues[0], often, &code);
    must(code);
    must(cl.clSetKernelArg(self->touch, 0, sizeof self->buffers[0], &self->buffers[0]));
    must(cl.clSetKernelArg(self->touch, 1, sizeof a, &a));
    must(cl.clSetKernelArg(self->touch, 2, sizeof n, &n));
    for (int i = 0; i < kernels; i++, before = point)
        must(graphs.clCommandNDRangeKernelKHR(self->graph, NULL, NULL, self->touch, 1, NULL, &threads, &threads, i > 0,
                                              i > 0 ? &before : NULL, &point, NULL));
    must(graphs.clFinalizeCommandBufferKHR(self->graph));
    return true;
}

static void opencl_graph_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(graphs.clEnqueueCommandBufferKHR(0, NULL, self->graph, 0, NULL, NULL));
}

/* ---- Memory ---- */

static void opencl_write(void *object, int which, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueWriteBuffer(self->queues[which], self->buffers[which], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFlush(self->queues[which]));
}

static void opencl_read(void *object, int which, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueReadBuffer(self->queues[which], self->buffers[which], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFlush(self->queues[which]));
}

static void opencl_write_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueWriteBuffer(self->queues[0], self->buffers[0], CL_TRUE, 0, size, host, 0, NULL, NULL));
}

static void opencl_read_wait(void *object, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueReadBuffer(self->queues[0], self->buffers[0], CL_TRUE, 0, size, host, 0, NULL, NULL));
}

static const size_t origin[3] = { 0, 0, 0 };

static void opencl_write_rect(void *object, const void *host, const measure_rect *rect)
{
    side *self = object;
    const size_t region[3] = { rect->width, rect->height, 1 };
    must(cl.clEnqueueWriteBufferRect(self->queues[0], self->buffers[0], CL_FALSE, origin, origin, region, rect->buffer_pitch, 0,
                                     rect->host_pitch, 0, host, 0, NULL, NULL));
}

static void opencl_read_rect(void *object, void *host, const measure_rect *rect)
{
    side *self = object;
    const size_t region[3] = { rect->width, rect->height, 1 };
    must(cl.clEnqueueReadBufferRect(self->queues[0], self->buffers[0], CL_FALSE, origin, origin, region, rect->buffer_pitch, 0,
                                    rect->host_pitch, 0, host, 0, NULL, NULL));
}

static void opencl_copy(void *object, size_t size)
{
    side *self = object;
    must(cl.clEnqueueCopyBuffer(self->queues[0], self->buffers[0], self->buffers[1], 0, 0, size, 0, NULL, NULL));
}

static void opencl_fill(void *object, size_t size, const void *pattern, size_t pattern_size)
{
    side *self = object;
    must(cl.clEnqueueFillBuffer(self->queues[0], self->buffers[0], pattern, pattern_size, 0, size, 0, NULL, NULL));
}

/* Between contexts OpenCL has no way of its own. */
static bool opencl_connect(void *object, void *other)
{
    (void)object;
    (void)other;
    return false;
}

static void opencl_peer(void *object, void *other, size_t size)
{
    (void)object;
    (void)other;
    (void)size;
    measure_fail("opencl by hand", "no copies between contexts");
}

static void alloc_free(side *self, int way, size_t size)
{
    cl_mem memory = create(self, way == MEASURE_PINNED ? CL_MEM_ALLOC_HOST_PTR : 0, size);
    if (way == MEASURE_PRESENT) {
        must(cl.clEnqueueMigrateMemObjects(self->queues[0], 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    } else if (way == MEASURE_PINNED) {
        cl_int code;
        void *host =
            cl.clEnqueueMapBuffer(self->queues[0], memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
        must(code);
        must(cl.clEnqueueUnmapMemObject(self->queues[0], memory, host, 0, NULL, NULL));
    }
    must(cl.clReleaseMemObject(memory));
}

static void opencl_alloc_free(void *object, int way, size_t size, int count)
{
    for (int i = 0; i < count; i++)
        alloc_free(object, way, size);
}

static void opencl_alloc_launch_free(void *object, int way, size_t size, int count)
{
    side *self = object;
    (void)way;
    for (int i = 0; i < count; i++) {
        cl_mem memory = create(self, 0, size);
        launch_one(self, self->queues[0], memory, NULL);
        must(cl.clReleaseMemObject(memory));
    }
}

const measure_side measure_opencl = {
    .name = "raw",
    .open = opencl_open,
    .close = opencl_close,
    .enter = opencl_enter_or_leave,
    .leave = opencl_enter_or_leave,
    .reserve = opencl_reserve,
    .wait = opencl_wait,
    .launch = opencl_launches,
    .launch_wait = opencl_launches_wait,
    .launch_poll = opencl_launches_poll,
    .spin = opencl_spin,
    .event_record = opencl_records,
    .event_query = opencl_queries,
    .kernels = opencl_kernels,
    .call = opencl_call,
    .call_pairs = opencl_call_pairs,
    .call_sleepers = opencl_call_sleepers,
    .graph_make = opencl_graph_make,
    .graph_launch = opencl_graph_launches,
    .write = opencl_write,
    .read = opencl_read,
    .write_wait = opencl_write_wait,
    .read_wait = opencl_read_wait,
    .write_rect = opencl_write_rect,
    .read_rect = opencl_read_rect,
    .copy = opencl_copy,
    .fill = opencl_fill,
    .connect = opencl_connect,
    .peer = opencl_peer,
    .alloc_free = opencl_alloc_free,
    .alloc_launch_free = opencl_alloc_launch_free,
};
