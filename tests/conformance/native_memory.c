/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory beside other code that calls the same driver: handles of Yoke's given to the driver, and memory of the driver's given to
 * Yoke. What the driver has to say is asked of itself.
 */
#include "driver.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

static const char *const kernels_cuda = SPIN_CUDA ADD_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL ADD_OPENCL;

enum { COUNT = 5000, BYTES = COUNT * 4 };

/* ---- Data ---- */

static void add_host(uint32_t *x, size_t n, uint32_t k)
{
    for (size_t i = 0; i < n; i++)
        x[i] += k;
}

static bool add(suite *t, yoke_stream *stream, yoke_buffer *x, size_t n, uint32_t k)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "add"), n, YOKE_ARGS(x, (uint32_t)n, k)));
}

/* ---- A device's handles ---- */

static void device_handles(suite *t)
{
    yoke_native_device small, untouched;
    struct {
        yoke_native_device own;
        unsigned char more[32];
    } large;
    native d;

    NEED(native_open(t, &d));
    CHECK(d.own.context != NULL);
    CHECK((d.own.platform == NULL) == d.cuda);
    if (d.cuda) {
        void *context = NULL;
        CHECK(d.cuDevicePrimaryCtxRetain(&context, (int)d.own.device) == 0);
        CHECK(context == d.own.context);
        CHECK(d.cuDevicePrimaryCtxRelease_v2((int)d.own.device) == 0);
    } else {
        void *devices[8] = { NULL }, *platform = NULL;
        CHECK(d.clGetContextInfo(d.own.context, CL_CONTEXT_DEVICES, sizeof devices, devices, NULL) == 0);
        CHECK(devices[0] == (void *)d.own.device);
        CHECK(d.clGetDeviceInfo((void *)d.own.device, CL_DEVICE_PLATFORM, sizeof(void *), &platform, NULL) == 0);
        CHECK(platform == d.own.platform);
    }

    memset(&small, 0xEE, sizeof small);
    memset(&untouched, 0xEE, sizeof untouched);
    small.size = offsetof(yoke_native_device, device);
    CHECK_OK(yoke_device_get_native(t->device, &small));
    CHECK(small.context == d.own.context);
    CHECK_BYTES((char *)&small + small.size, (char *)&untouched + small.size, sizeof small - small.size);
    memset(&large, 0xEE, sizeof large);
    large.own.size = sizeof large;
    CHECK_OK(yoke_device_get_native(t->device, &large.own));
    CHECK(large.own.context == d.own.context && large.own.device == d.own.device && large.own.platform == d.own.platform);
    CHECK(large.more[0] == 0 && large.more[31] == 0);

    memset(&small, 0xEE, sizeof small);
    small.size = 0;
    CHECK_OK(yoke_device_get_native(t->device, &small));
    CHECK(small.size == 0 && small.device == d.own.device && small.platform == d.own.platform);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_native", yoke_device_get_native(t->device, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_device_get_native(NULL, &d.own));
out:
    native_close(&d);
}

/* ---- Yoke's memory, through the driver ---- */

static void our_memory_through_the_driver(suite *t)
{
    size_t offset = 4 * t->info.view_alignment;
    uint32_t *x = memory_new(BYTES);
    uintptr_t whole = 0, part = 0;
    yoke_buffer *buffer = NULL, *view = NULL;
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 1);
    NEED_OK(yoke_buffer_create(t->device, BYTES, &buffer));
    NEED_OK(yoke_buffer_create_view(buffer, offset, 4000, &view));
    NEED_OK(yoke_buffer_get_native(buffer, &whole));
    NEED_OK(yoke_buffer_get_native(view, &part));
    CHECK(d.cuda ? part == whole + offset : part != whole && part != 0);

    NEED_OK(yoke_write(t->stream, buffer, 0, x, BYTES));
    NEED(add(t, t->stream, buffer, COUNT, 7));
    NEED_OK(yoke_stream_wait(t->stream));
    add_host(x, COUNT, 7);
    NEED(native_holds(&d, whole, x, BYTES));
    NEED(native_holds(&d, part, (char *)x + offset, 4000));

    fill_random(x, BYTES, 2);
    NEED(native_put(&d, whole, x, BYTES));
    fill_random((char *)x + offset, 4000, 3);
    NEED(native_put(&d, part, (char *)x + offset, 4000));
    NEED(add(t, t->stream, buffer, COUNT, 8));
    NEED(add(t, t->stream, view, 1000, 9));
    NEED_OK(yoke_stream_wait(t->stream));
    add_host(x, COUNT, 8);
    add_host(x + offset / 4, 1000, 9);
    NEED(native_holds(&d, whole, x, BYTES));
    uintptr_t again = 1;
    CHECK_OK(yoke_buffer_get_native(buffer, &again));
    CHECK(again == whole);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    native_close(&d);
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
    memory_free(x);
}

/* Which kinds have a handle, and which are their host pointer alone. */
static void handles_of_other_kinds(suite *t)
{
    static const int capabilities[] = { YOKE_CAP_MAPPED, YOKE_CAP_MANAGED };
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    yoke_buffer *pinned = NULL, *kinds[2] = { NULL, NULL };
    uintptr_t handle = 77;

    NEED_OK(yoke_buffer_create_pinned(t->device, 4096, &pinned));
    if (cuda)
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "pinned|host pointer", yoke_buffer_get_native(pinned, &handle));
    else
        CHECK_OK(yoke_buffer_get_native(pinned, &handle));
    CHECK((handle == 0) == cuda);
    for (int i = 0; i < 2; i++) {
        if (!suite_can(t, capabilities[i]))
            continue;
        NEED_OK(yoke_buffer_create_in(t->device, i ? YOKE_MEMORY_MANAGED : YOKE_MEMORY_MAPPED, 4096, &kinds[i]));
        if (!cuda && i)
            CHECK_FAILS(YOKE_E_UNSUPPORTED, "managed|host pointer", yoke_buffer_get_native(kinds[i], &handle));
        else
            CHECK_OK(yoke_buffer_get_native(kinds[i], &handle));
        CHECK((handle == 0) == (!cuda && i));
    }
out:
    yoke_buffer_release(pinned);
    yoke_buffer_release(kinds[0]);
    yoke_buffer_release(kinds[1]);
}

/* A view that is no kernel argument has no handle of its own on OpenCL; any address is one on CUDA. */
static void handles_of_odd_views(suite *t)
{
    yoke_buffer *buffer = NULL, *view = NULL;
    uintptr_t handle = 77;

    NEED_OK(yoke_buffer_create(t->device, 4096, &buffer));
    NEED_OK(yoke_buffer_create_view(buffer, 1, 100, &view));
    yoke_status status = yoke_buffer_get_native(view, &handle);
    if (t->info.view_alignment == 1)
        CHECK_OK(status);
    else if (status < 0) /* some drivers take any */
        CHECK_FAILS(YOKE_E_UNSUPPORTED, "view|multiple", status);
    CHECK((handle == 0) == (status < 0));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_native", yoke_buffer_get_native(buffer, NULL));
    handle = 77;
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "buffer", yoke_buffer_get_native(NULL, &handle));
    CHECK(handle == 0);
out:
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
}

/* ---- The driver's memory, through Yoke ---- */

static void their_memory_through_us(suite *t)
{
    uint32_t *x = memory_new(BYTES), *back = memory_new(BYTES);
    size_t offset = 4 * t->info.view_alignment;
    yoke_buffer *wrapped = NULL, *view = NULL;
    uintptr_t memory = 0, handle = 0;
    guarded own = { 0 };
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 4);
    NEED(guarded_create(t, BYTES, &own));
    NEED(native_new(&d, BYTES, &memory) && native_put(&d, memory, x, BYTES));
    NEED_OK(yoke_buffer_wrap(t->device, memory, BYTES, &wrapped));
    CHECK(yoke_buffer_get_size(wrapped) == BYTES);
    CHECK(yoke_buffer_get_kind(wrapped) == YOKE_MEMORY_DEVICE);
    CHECK(yoke_buffer_get_host(wrapped) == NULL);
    CHECK_OK(yoke_buffer_get_native(wrapped, &handle));
    CHECK(handle == memory);

    NEED_OK(yoke_copy(t->stream, own.buffer, 0, wrapped, 0, BYTES));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &own, x));
    NEED(add(t, t->stream, wrapped, COUNT, 5));
    add_host(x, COUNT, 5);
    NEED_OK(yoke_fill(t->stream, wrapped, 8, 400, "\x17", 1));
    memset((char *)x + 8, 0x17, 400);
    NEED_OK(yoke_write(t->stream, wrapped, 1001, "across", 6));
    memcpy((char *)x + 1001, "across", 6);
    NEED_OK(yoke_buffer_create_view(wrapped, offset, 4000, &view));
    NEED(add(t, t->stream, view, 1000, 6));
    add_host(x + offset / 4, 1000, 6);
    NEED_OK(yoke_read(t->stream, back, wrapped, 0, BYTES));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, x, BYTES);
    CHECK(native_holds(&d, memory, x, BYTES));
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(view);
    yoke_buffer_release(wrapped);
    native_free(&d, memory);
    native_close(&d);
    guarded_release(&own);
    memory_free(back);
    memory_free(x);
}

/* A part of the memory, from its middle: addresses on CUDA, a sub-buffer on OpenCL. */
static void a_part_of_their_memory(suite *t)
{
    size_t offset = 4096; /* a multiple of what any device asks for */
    size_t region[2] = { offset, 8192 };
    uint32_t *x = memory_new(BYTES);
    yoke_buffer *wrapped = NULL, *view = NULL;
    uintptr_t memory = 0, part = 0;
    int code = 0;
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 6);
    NEED(native_new(&d, BYTES, &memory) && native_put(&d, memory, x, BYTES));
    part = d.cuda ? memory + offset : (uintptr_t)d.clCreateSubBuffer((void *)memory, CL_READ_WRITE, CL_REGION, region, &code);
    NEED(part != 0 && code == 0);
    NEED_OK(yoke_buffer_wrap(t->device, part, 8192, &wrapped));
    NEED(add(t, t->stream, wrapped, 2048, 5));
    add_host(x + offset / 4, 2048, 5);
    NEED_OK(yoke_buffer_create_view(wrapped, 4096, 400, &view)); /* OpenCL knows no part of a part */
    NEED_OK(yoke_fill(t->stream, view, 0, 400, "\x18", 1));
    memset((char *)x + offset + 4096, 0x18, 400);
    yoke_status status = yoke_launch_n(t->stream, suite_kernel(t, "add"), 100, YOKE_ARGS(view, 100u, 1u));
    if (status < 0)
        CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "add", status);
    else
        add_host(x + (offset + 4096) / 4, 100, 1);
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(native_holds(&d, memory, x, BYTES));
    yoke_buffer_release(view);
    yoke_buffer_release(wrapped);
    view = wrapped = NULL;
    NEED_OK(yoke_buffer_wrap(t->device, memory, 100, &wrapped)); /* less than there is */
    CHECK_FAILS(YOKE_E_RANGE, "100", yoke_fill(t->stream, wrapped, 0, 101, "x", 1));
    CHECK(yoke_buffer_get_misalignment(wrapped) == 0);
    if (d.cuda) {
        yoke_buffer_release(wrapped);
        wrapped = NULL;
        NEED_OK(yoke_buffer_wrap(t->device, memory + 12, 100, &wrapped));
        NEED_OK(yoke_buffer_create_view(wrapped, 8, 4, &view));
        CHECK(yoke_buffer_get_misalignment(wrapped) == 12 && yoke_buffer_get_misalignment(view) == 4);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(view);
    yoke_buffer_release(wrapped);
    if (!d.cuda)
        native_free(&d, part);
    native_free(&d, memory);
    native_close(&d);
    memory_free(x);
}

static void what_is_no_memory_of_the_device(suite *t)
{
    static uint32_t host_memory[64];
    yoke_buffer *buffer = (yoke_buffer *)t;
    void *context = NULL;
    uintptr_t memory = 0, foreign = 0;
    int code = 0;
    native d;

    NEED(native_open(t, &d));
    NEED(native_new(&d, BYTES, &memory));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "native|0", yoke_buffer_wrap(t->device, 0, BYTES, &buffer));
    CHECK(buffer == NULL);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size|0", yoke_buffer_wrap(t->device, memory, 0, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_buffer", yoke_buffer_wrap(t->device, memory, BYTES, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_buffer_wrap(NULL, memory, BYTES, &buffer));
    CHECK_FAILS(YOKE_E_RANGE, "20001|20000", yoke_buffer_wrap(t->device, memory, BYTES + 1, &buffer));
    CHECK_FAILS(YOKE_E_RANGE, "20000", yoke_buffer_wrap(t->device, memory, SIZE_MAX, &buffer));
    CHECK(buffer == NULL);
    if (d.cuda) {
        CHECK_FAILS(YOKE_E_RANGE, "", yoke_buffer_wrap(t->device, memory + 4096, BYTES - 4095, &buffer));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "memory",
                    yoke_buffer_wrap(t->device, (uintptr_t)host_memory, sizeof host_memory, &buffer));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "memory", yoke_buffer_wrap(t->device, 4096, 64, &buffer));
    } else {
        context = d.clCreateContext(NULL, 1, (void *const *)&d.own.device, NULL, NULL, &code);
        NEED(context != NULL && code == 0);
        foreign = (uintptr_t)d.clCreateBuffer(context, CL_READ_WRITE, BYTES, NULL, &code);
        NEED(foreign != 0 && code == 0);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "context", yoke_buffer_wrap(t->device, foreign, BYTES, &buffer));
        CHECK(references(&d, foreign) == 1 && references(&d, memory) == 1); /* what was refused is not retained */
    }
    CHECK(buffer == NULL);
    suite_works(t);
out:
    if (foreign)
        native_free(&d, foreign);
    if (context)
        CHECK(d.clReleaseContext(context) == 0);
    native_free(&d, memory);
    native_close(&d);
}

/* ---- Who holds it, and for how long ---- */

/* Memory of somebody else's is never given to a buffer of Yoke's. */
static void never_used_again(suite *t)
{
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT, info = YOKE_MEMORY_INFO_INIT;
    uint32_t *x = memory_new(BYTES);
    yoke_buffer *wrapped = NULL, *others[8] = { NULL };
    uintptr_t memory = 0;
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 7);
    NEED(native_new(&d, BYTES, &memory) && native_put(&d, memory, x, BYTES));
    CHECK_OK(yoke_device_get_memory(t->device, &before));
    NEED_OK(yoke_buffer_wrap(t->device, memory, BYTES, &wrapped));
    CHECK_OK(yoke_device_get_memory(t->device, &info));
    CHECK(info.buffers == before.buffers + 1 && info.in_use == before.in_use && info.cached == before.cached);
    yoke_buffer_release(wrapped);
    CHECK_OK(yoke_device_get_memory(t->device, &info));
    CHECK(info.buffers == before.buffers && info.in_use == before.in_use && info.cached == before.cached);
    for (int i = 0; i < 8; i++) {
        NEED_OK(i & 1 ? yoke_buffer_create_ordered(t->stream, BYTES, &others[i])
                      : yoke_buffer_create(t->device, BYTES, &others[i]));
        NEED_OK(yoke_fill(t->stream, others[i], 0, BYTES, "\x99", 1));
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(native_holds(&d, memory, x, BYTES));
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    CHECK(native_holds(&d, memory, x, BYTES));
out:
    for (int i = 0; i < 8; i++)
        yoke_buffer_release(others[i]);
    native_free(&d, memory);
    native_close(&d);
    memory_free(x);
}

/* The program lets go of its cl_mem first; work that uses the buffer is still to come, behind a host function, when it is released,
 * too. CUDA memory has to live until all of that is done. */
static void released_in_any_order(suite *t)
{
    stand s = STAND_INIT;
    uint32_t *x = memory_new(BYTES);
    yoke_buffer *wrapped = NULL;
    uintptr_t memory = 0;
    guarded own = { 0 };
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 8);
    NEED(guarded_create(t, BYTES, &own));
    NEED(native_new(&d, BYTES, &memory) && native_put(&d, memory, x, BYTES));
    NEED_OK(yoke_buffer_wrap(t->device, memory, BYTES, &wrapped));
    if (!d.cuda) {
        CHECK(references(&d, memory) > 1);
        native_free(&d, memory);
        memory = 0;
    }
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK(add(t, t->stream, wrapped, COUNT, 4));
    CHECK_OK(yoke_copy(t->stream, own.buffer, 0, wrapped, 0, BYTES));
    yoke_buffer_release(wrapped);
    wrapped = NULL;
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    add_host(x, COUNT, 4);
    guarded_check(t, &own, x);
out:
    yoke_buffer_release(wrapped);
    native_free(&d, memory);
    native_close(&d);
    guarded_release(&own);
    memory_free(x);
}

/* Wrapped and released, many times over: nothing of it stays behind in the driver, but for what a kernel was given last. */
static void nothing_stays_behind(suite *t)
{
    uintptr_t memory = 0;
    yoke_buffer *wrapped = NULL, *view = NULL;
    uint32_t once = 0;
    native d;

    NEED(native_open(t, &d));
    NEED(native_new(&d, BYTES, &memory));
    for (uint32_t i = 0; i < 50; i++) {
        NEED_OK(yoke_buffer_wrap(t->device, memory, BYTES, &wrapped));
        NEED_OK(yoke_buffer_create_view(wrapped, 0, 400, &view));
        NEED(add(t, t->stream, view, 100, i));
        NEED_OK(yoke_stream_wait(t->stream));
        yoke_buffer_release(wrapped);
        yoke_buffer_release(view);
        wrapped = view = NULL;
        if (!d.cuda && i == 0)
            once = references(&d, memory);
    }
    if (!d.cuda)
        CHECK(references(&d, memory) <= once && once <= 3);
    suite_works(t);
out:
    yoke_buffer_release(view);
    yoke_buffer_release(wrapped);
    native_free(&d, memory);
    native_close(&d);
}

/* ---- Both in one stream ---- */

typedef struct section {
    native *d;
    uintptr_t source, target;
} section;

static yoke_status copy_natively(yoke_status status, void *handle, void *user)
{
    section *n = user;

    if (!CHECK_STATUS(YOKE_OK, status))
        return status;
    if (n->d->cuda)
        CHECK(n->d->cuMemcpyDtoDAsync_v2(n->target, n->source, BYTES, handle) == 0);
    else
        CHECK(n->d->clEnqueueCopyBuffer(handle, (void *)n->source, (void *)n->target, 0, 0, BYTES, 0, NULL, NULL) == 0);
    return YOKE_OK;
}

/* Kernels of Yoke's, and native copies between them, of Yoke's memory and the driver's own. */
static void native_sections_use_it(suite *t)
{
    uint32_t *x = memory_new(BYTES);
    yoke_buffer *ours = NULL, *theirs = NULL;
    uintptr_t memory = 0, handle = 0;
    section there, back;
    native d;

    NEED(native_open(t, &d));
    fill_random(x, BYTES, 9);
    NEED(native_new(&d, BYTES, &memory));
    NEED_OK(yoke_buffer_wrap(t->device, memory, BYTES, &theirs));
    NEED_OK(yoke_buffer_create(t->device, BYTES, &ours));
    NEED_OK(yoke_buffer_get_native(ours, &handle));
    there = (section){ &d, handle, memory };
    back = (section){ &d, memory, handle };
    NEED_OK(yoke_write_sync(t->stream, ours, 0, x, BYTES)); /* x is what it will be soon */
    for (uint32_t i = 0; i < 20; i++) {
        CHECK(add(t, t->stream, ours, COUNT, i));
        CHECK_OK(yoke_native_call(t->stream, copy_natively, &there, NULL));
        CHECK(add(t, t->stream, theirs, COUNT, 2 * i));
        CHECK_OK(yoke_native_call(t->stream, copy_natively, &back, NULL));
        add_host(x, COUNT, 3 * i);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(native_holds(&d, memory, x, BYTES));
    CHECK(native_holds(&d, handle, x, BYTES));
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(ours);
    yoke_buffer_release(theirs);
    native_free(&d, memory);
    native_close(&d);
    memory_free(x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "a device's handles are the driver's", device_handles, false },
        { "our memory through the driver", our_memory_through_the_driver, false },
        { "which kinds have a handle", handles_of_other_kinds, false },
        { "handles of views that begin anywhere", handles_of_odd_views, false },
        { "the driver's memory through us", their_memory_through_us, false },
        { "a part of the driver's memory", a_part_of_their_memory, false },
        { "what is no memory of the device", what_is_no_memory_of_the_device, false },
        { "the driver's memory is never used again", never_used_again, false },
        { "released in any order", released_in_any_order, false },
        { "nothing stays behind", nothing_stays_behind, false },
        { "native sections use both", native_sections_use_it, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "native memory test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
