/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The benchmarks' work by hand on OpenCL, in the context of the device that Yoke has opened, which is looked up in Yoke's own
 * structs: a driver takes its time to change between contexts. A host function is a marker whose callback runs it and then
 * completes a user event that the next command waits for: what one writes on OpenCL without Yoke.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "raw_opencl.h"
#include "bench.h"

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
    cl_command_queue queue, sleepers[BENCH_STREAMS];
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer;
    bool has_graphs;
    cl_command_buffer_khr graph;
} side;

static bool find_graphs(const yk_opencl_slot *slot)
{
    cl_device_command_buffer_capabilities_khr can = 0;
    char extensions[8192] = "";
    if (cl.clGetDeviceInfo(slot->id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL) != CL_SUCCESS ||
        !strstr(extensions, "cl_khr_command_buffer") ||
        cl.clGetDeviceInfo(slot->id, CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR, sizeof can, &can, NULL) != CL_SUCCESS ||
        !(can & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR))
        return false;
#define BIND(name)                                                                               \
    *(void **)&graphs.name = cl.clGetExtensionFunctionAddressForPlatform(slot->platform, #name); \
    if (!graphs.name)                                                                            \
        return false;
    GRAPH_FUNCTIONS(BIND)
#undef BIND
    return true;
}

static void *opencl_open(yoke_device *device)
{
    const yk_opencl_device *opened = device->native;
    side *self = calloc(1, sizeof *self);
    const char *source = bench_touch.opencl;
    cl_int code;
    if (!self)
        bench_fail("opencl by hand", "out of memory");
    bench_opencl_load();
    self->context = opened->context;
    self->device = opened->slot->id;
    self->queue = cl.clCreateCommandQueue(self->context, self->device, 0, &code);
    must(code);
    self->program = cl.clCreateProgramWithSource(self->context, 1, &source, NULL, &code);
    must(code);
    must(cl.clBuildProgram(self->program, 1, &self->device, "", NULL, NULL));
    self->kernel = cl.clCreateKernel(self->program, "touch", &code);
    must(code);
    self->buffer = cl.clCreateBuffer(self->context, CL_MEM_READ_WRITE, BENCH_LARGE, NULL, &code);
    must(code);
    self->has_graphs = find_graphs(opened->slot);
    return self;
}

static void opencl_close(void *object)
{
    side *self = object;
    for (int i = 0; i < BENCH_STREAMS && self->sleepers[i]; i++)
        must(cl.clReleaseCommandQueue(self->sleepers[i]));
    if (self->graph)
        must(graphs.clReleaseCommandBufferKHR(self->graph));
    must(cl.clReleaseMemObject(self->buffer));
    must(cl.clReleaseKernel(self->kernel));
    must(cl.clReleaseProgram(self->program));
    must(cl.clReleaseCommandQueue(self->queue));
    free(self);
}

static void opencl_wait(void *object)
{
    must(cl.clFinish(((side *)object)->queue));
}

/* `after`: what to wait for, or NULL. */
static inline void launch_one(side *self, cl_command_queue queue, const cl_event *after)
{
    const size_t threads = BENCH_BLOCK;
    cl_float a = 1.0f;
    cl_int n = 1;
    must(cl.clSetKernelArg(self->kernel, 0, sizeof self->buffer, &self->buffer));
    must(cl.clSetKernelArg(self->kernel, 1, sizeof a, &a));
    must(cl.clSetKernelArg(self->kernel, 2, sizeof n, &n));
    must(cl.clEnqueueNDRangeKernel(queue, self->kernel, 1, NULL, &threads, &threads, after != NULL, after, NULL));
}

static void opencl_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        launch_one(self, self->queue, NULL);
}

static void opencl_launches_wait(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queue, NULL);
        must(cl.clFinish(self->queue));
    }
}

static void opencl_records(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        cl_event event;
        must(cl.clEnqueueMarkerWithWaitList(self->queue, 0, NULL, &event));
        must(cl.clReleaseEvent(event));
    }
}

static void opencl_queries(void *object, int count)
{
    side *self = object;
    cl_event event;
    cl_int status = CL_QUEUED;
    must(cl.clEnqueueMarkerWithWaitList(self->queue, 0, NULL, &event));
    must(cl.clFinish(self->queue));
    for (int i = 0; i < count; i++)
        must(cl.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    must(cl.clReleaseEvent(event));
}

static void opencl_writes(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueWriteBuffer(self->queue, self->buffer, CL_FALSE, 0, size, host, 0, NULL, NULL));
}

static void opencl_writes_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueWriteBuffer(self->queue, self->buffer, CL_TRUE, 0, size, host, 0, NULL, NULL));
}

static void opencl_reads_wait(void *object, void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(cl.clEnqueueReadBuffer(self->queue, self->buffer, CL_TRUE, 0, size, host, 0, NULL, NULL));
}

static void opencl_alloc_free(void *object, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        cl_int code;
        cl_mem buffer = cl.clCreateBuffer(self->context, CL_MEM_READ_WRITE, size, NULL, &code);
        must(code);
        must(cl.clReleaseMemObject(buffer));
    }
}

static void opencl_kernels(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queue, NULL);
        launch_one(self, self->queue, NULL);
        must(cl.clFinish(self->queue));
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
        launch_one(self, self->queue, NULL);
        enqueue_call(self, self->queue, &call);
        launch_one(self, self->queue, &call.done);
        must(cl.clFinish(self->queue));
        must(cl.clReleaseEvent(call.done));
    }
}

static void opencl_call_pairs(void *object, int count)
{
    side *self = object;
    host_call *calls = calloc((size_t)count, sizeof *calls);
    if (!calls)
        bench_fail("opencl by hand", "out of memory");
    for (int i = 0; i < count; i++) {
        launch_one(self, self->queue, i > 0 ? &calls[i - 1].done : NULL);
        enqueue_call(self, self->queue, &calls[i]);
    }
    must(cl.clWaitForEvents(1, &calls[count - 1].done));
    must(cl.clFinish(self->queue));
    for (int i = 0; i < count; i++)
        must(cl.clReleaseEvent(calls[i].done));
    free(calls);
}

static void opencl_call_sleepers(void *object, int streams, int milliseconds)
{
    side *self = object;
    host_call calls[BENCH_STREAMS];
    for (int i = 0; i < streams; i++) {
        cl_int code = CL_SUCCESS;
        if (!self->sleepers[i])
            self->sleepers[i] = cl.clCreateCommandQueue(self->context, self->device, 0, &code);
        must(code);
        calls[i] = (host_call){ NULL, milliseconds };
        launch_one(self, self->sleepers[i], NULL);
        enqueue_call(self, self->sleepers[i], &calls[i]);
    }
    for (int i = 0; i < streams; i++) {
        must(cl.clWaitForEvents(1, &calls[i].done));
        must(cl.clReleaseEvent(calls[i].done));
    }
}

static bool opencl_graph_make(void *object, int kernels)
{
    const cl_command_buffer_properties_khr often[] = { CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0 };
    const size_t threads = BENCH_BLOCK;
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
    self->graph = graphs.clCreateCommandBufferKHR(1, &self->queue, often, &code);
    must(code);
    must(cl.clSetKernelArg(self->kernel, 0, sizeof self->buffer, &self->buffer));
    must(cl.clSetKernelArg(self->kernel, 1, sizeof a, &a));
    must(cl.clSetKernelArg(self->kernel, 2, sizeof n, &n));
    for (int i = 0; i < kernels; i++, before = point)
        must(graphs.clCommandNDRangeKernelKHR(self->graph, NULL, NULL, self->kernel, 1, NULL, &threads, &threads, i > 0,
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

const bench_side bench_opencl = {
    .name = "raw",
    .open = opencl_open,
    .close = opencl_close,
    .wait = opencl_wait,
    .launch = opencl_launches,
    .launch_wait = opencl_launches_wait,
    .event_record = opencl_records,
    .event_query = opencl_queries,
    .write = opencl_writes,
    .write_wait = opencl_writes_wait,
    .read_wait = opencl_reads_wait,
    .alloc_free = opencl_alloc_free,
    .kernels = opencl_kernels,
    .call = opencl_call,
    .call_pairs = opencl_call_pairs,
    .call_sleepers = opencl_call_sleepers,
    .graph_make = opencl_graph_make,
    .graph_launch = opencl_graph_launches,
};
