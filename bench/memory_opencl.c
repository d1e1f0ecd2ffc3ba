/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and transfers by hand on OpenCL, in the context of the device that Yoke has opened: see memory.h. Drivers may wait with
 * what they are given until they are flushed, so whatever does not wait flushes.
 */
#include "memory.h"

#include <stdlib.h>

#include <yoke/native.h>

#include "raw_opencl.h"

typedef struct side {
    cl_context context;
    cl_device_id device;
    cl_command_queue queues[2];
    cl_mem buffers[2], spun; /* `spin` works on the latter */
    cl_program touch_program, spin_program;
    cl_kernel touch, spin;
} side;

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
        bench_fail("opencl by hand", "out of memory");
    if (yoke_device_get_native(device, &native) < 0)
        bench_fail("opencl by hand", yoke_error()->text);
    bench_opencl_load();
    self->context = native.context;
    self->device = (cl_device_id)native.device;
    for (int i = 0; i < 2; i++) {
        self->queues[i] = cl.clCreateCommandQueue(self->context, self->device, 0, &code);
        must(code);
    }
    self->spun = create(self, 0, 4);
    self->touch = build(self, &bench_touch, &self->touch_program);
    self->spin = build(self, &bench_spin, &self->spin_program);
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

static void launch(side *self, cl_mem memory)
{
    const size_t threads = BENCH_BLOCK;
    cl_float a = 1.0f;
    cl_int n = 1;
    must(cl.clSetKernelArg(self->touch, 0, sizeof memory, &memory));
    must(cl.clSetKernelArg(self->touch, 1, sizeof a, &a));
    must(cl.clSetKernelArg(self->touch, 2, sizeof n, &n));
    must(cl.clEnqueueNDRangeKernel(self->queues[0], self->touch, 1, NULL, &threads, &threads, 0, NULL, NULL));
}

static void opencl_launch(void *object)
{
    side *self = object;
    launch(self, self->buffers[0]);
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

static void opencl_write(void *object, int which, const void *host, size_t size)
{
    side *self = object;
    must(cl.clEnqueueWriteBuffer(self->queues[which], self->buffers[which], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFlush(self->queues[which]));
}

static void opencl_read(void *object, int which, void *host, size_t size)
{
    side *self = object;
    must(cl.clEnqueueReadBuffer(self->queues[which], self->buffers[which], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFlush(self->queues[which]));
}

static void opencl_write_wait(void *object, const void *host, size_t size)
{
    side *self = object;
    must(cl.clEnqueueWriteBuffer(self->queues[0], self->buffers[0], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFinish(self->queues[0]));
}

static void opencl_read_wait(void *object, void *host, size_t size)
{
    side *self = object;
    must(cl.clEnqueueReadBuffer(self->queues[0], self->buffers[0], CL_FALSE, 0, size, host, 0, NULL, NULL));
    must(cl.clFinish(self->queues[0]));
}

static const size_t origin[3] = { 0, 0, 0 };

static void opencl_write_box(void *object, const void *host, const bench_box *box)
{
    side *self = object;
    const size_t region[3] = { box->width, box->height, 1 };
    must(cl.clEnqueueWriteBufferRect(self->queues[0], self->buffers[0], CL_FALSE, origin, origin, region, box->buffer_pitch, 0,
                                     box->host_pitch, 0, host, 0, NULL, NULL));
}

static void opencl_read_box(void *object, void *host, const bench_box *box)
{
    side *self = object;
    const size_t region[3] = { box->width, box->height, 1 };
    must(cl.clEnqueueReadBufferRect(self->queues[0], self->buffers[0], CL_FALSE, origin, origin, region, box->buffer_pitch, 0,
                                    box->host_pitch, 0, host, 0, NULL, NULL));
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
    bench_fail("opencl by hand", "no copies between contexts");
}

static void opencl_alloc_free(void *object, int way, size_t size)
{
    side *self = object;
    cl_mem memory = create(self, way == BENCH_PINNED ? CL_MEM_ALLOC_HOST_PTR : 0, size);
    if (way == BENCH_PRESENT) {
        must(cl.clEnqueueMigrateMemObjects(self->queues[0], 1, &memory, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 0, NULL, NULL));
    } else if (way == BENCH_PINNED) {
        cl_int code;
        void *host =
            cl.clEnqueueMapBuffer(self->queues[0], memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, size, 0, NULL, NULL, &code);
        must(code);
        must(cl.clEnqueueUnmapMemObject(self->queues[0], memory, host, 0, NULL, NULL));
    }
    must(cl.clReleaseMemObject(memory));
}

static void opencl_alloc_launch_free(void *object, int way, size_t size)
{
    cl_mem memory = create(object, 0, size);
    (void)way;
    launch(object, memory);
    must(cl.clReleaseMemObject(memory));
}

const bench_memory bench_memory_opencl = {
    .open = opencl_open,
    .close = opencl_close,
    .reserve = opencl_reserve,
    .enter = opencl_enter_or_leave,
    .leave = opencl_enter_or_leave,
    .wait = opencl_wait,
    .launch = opencl_launch,
    .spin = opencl_spin,
    .write = opencl_write,
    .read = opencl_read,
    .write_wait = opencl_write_wait,
    .read_wait = opencl_read_wait,
    .write_box = opencl_write_box,
    .read_box = opencl_read_box,
    .copy = opencl_copy,
    .fill = opencl_fill,
    .connect = opencl_connect,
    .peer = opencl_peer,
    .alloc_free = opencl_alloc_free,
    .alloc_launch_free = opencl_alloc_launch_free,
};
