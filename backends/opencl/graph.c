/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Graphs: a command buffer for each run of steps, on devices where it pays (describe.c). A command buffer cannot be modified, so an
 * update records a new one. It runs only in queues like the queue that it was recorded for: timed streams submit the steps one by
 * one.
 */
#include "driver.h"

#include <stdlib.h>

/* PoCL keeps two arrays with an element per command on the stack of the enqueuing thread, and scans all commands to append
 * another: Yoke replays longer runs itself. */
enum { MOST_STEPS = 4096 };

bool yk_opencl_bind_command_buffers(yk_opencl_slot *slot)
{
#define ENTRY(name)                                       \
    {                                                     \
#name, offsetof(yk_cl_command_buffer_table, name) \
    }
    static const struct {
        const char *name;
        size_t offset;
    } entries[] = { ENTRY(clCreateCommandBufferKHR),   ENTRY(clFinalizeCommandBufferKHR), ENTRY(clReleaseCommandBufferKHR),
                    ENTRY(clEnqueueCommandBufferKHR),  ENTRY(clCommandNDRangeKernelKHR),  ENTRY(clCommandCopyBufferKHR),
                    ENTRY(clCommandCopyBufferRectKHR), ENTRY(clCommandFillBufferKHR) };
#undef ENTRY

    for (size_t i = 0; i < YK_COUNT_OF(entries); i++) {
        void *function = yk_cl.clGetExtensionFunctionAddressForPlatform(slot->platform, entries[i].name);
        if (!function)
            return false;
        memcpy((char *)&slot->command_buffers + entries[i].offset, &function, sizeof function);
    }
    return true;
}

/* Operations that are one command, on memory that only the device accesses: other memory may be handed over around each operation.
 * Copies within one buffer are excluded, which copy.c makes row by row; so are fills of several rows. */
bool yk_opencl_graph_takes(const yk_op *op)
{
    switch (op->kind) {
    case YK_OP_LAUNCH:
        return !op->u.launch.touches_host;
    case YK_OP_COPY:
        return !yk_buffer_is_shared(op->u.copy.target) && !yk_buffer_is_shared(op->u.copy.source);
    case YK_OP_COPY_RECT:
        return op->u.copy.target != op->u.copy.source && !yk_buffer_is_shared(op->u.copy.target) &&
               !yk_buffer_is_shared(op->u.copy.source);
    case YK_OP_FILL:
        return op->u.fill.height == 1 && !yk_buffer_is_shared(op->u.fill.buffer);
    case YK_OP_WRITE:
    case YK_OP_READ:
    case YK_OP_WRITE_RECT:
    case YK_OP_READ_RECT:
    case YK_OP_COPY_TO_IMAGE:
    case YK_OP_COPY_FROM_IMAGE:
        return false;
    case YK_OP_LAUNCH_COOPERATIVE: /* this and the kinds below never get here */
    case YK_OP_RECORD:
    case YK_OP_WAIT:
    case YK_OP_CALL:
    case YK_OP_NATIVE:
    case YK_OP_NATIVE_ENQUEUE:
    case YK_OP_GRAPH:
    case YK_OP_ALLOCATION:
        break;
    }
    return false;
}

/* ---- Recording ---- */

/* A command buffer being recorded, and the sync points that the next command depends on. */
typedef struct recording {
    const yk_cl_command_buffer_table *driver;
    yk_cl_command_buffer buffer;
    yk_cl_sync_point *after;
    cl_uint after_count;
} recording;

/* With a separate kernel object: PoCL up to 4.0 reads the arguments at each enqueue, not when the command is recorded. */
static yoke_status record_launch(const recording *r, const yk_op *op, yk_cl_sync_point *out_point)
{
    size_t global[3], local[3];
    cl_uint dimensions = yk_opencl_shape_of(op, global, local);
    cl_kernel handle = NULL;
    yoke_status status = yk_opencl_kernel_for(op, &handle);
    cl_int code;

    if (status < 0)
        return status;
    code = r->driver->clCommandNDRangeKernelKHR(r->buffer, NULL, NULL, handle, dimensions, NULL, global, local, r->after_count,
                                                r->after, out_point, NULL);
    yk_opencl_note("clReleaseKernel", yk_cl.clReleaseKernel(handle)); /* the command keeps the kernel object */
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clCommandNDRangeKernelKHR", code, "kernel '%s'", op->u.launch.kernel->name);
    return YOKE_OK;
}

static yoke_status record_copy(const recording *r, const yk_op *op, yk_cl_sync_point *out_point)
{
    cl_mem source = op->u.copy.source->native.pointer, target = op->u.copy.target->native.pointer;
    size_t from = op->u.copy.source_offset, to = op->u.copy.target_offset, size = op->u.copy.size;
    cl_int code = r->driver->clCommandCopyBufferKHR(r->buffer, NULL, source, target, from, to, size, r->after_count, r->after,
                                                    out_point, NULL);

    if (code != CL_SUCCESS)
        return yk_opencl_fail("clCommandCopyBufferKHR", code, "%zu bytes from offset %zu to offset %zu", size, from, to);
    return YOKE_OK;
}

static yoke_status record_copy_rect(const recording *r, const yk_op *op, yk_cl_sync_point *out_point)
{
    const yk_rect *rect = &op->u.copy.rect;
    const size_t from[3] = { op->u.copy.source_offset, 0, 0 }, to[3] = { op->u.copy.target_offset, 0, 0 };
    const size_t region[3] = { rect->width, rect->height, rect->depth };
    cl_int code = r->driver->clCommandCopyBufferRectKHR(
        r->buffer, NULL, op->u.copy.source->native.pointer, op->u.copy.target->native.pointer, from, to, region, rect->source_row,
        rect->source_slice, rect->target_row, rect->target_slice, r->after_count, r->after, out_point, NULL);

    if (code != CL_SUCCESS)
        return yk_opencl_fail("clCommandCopyBufferRectKHR", code, "a rect of %zu bytes x %zu rows x %zu slices", rect->width,
                              rect->height, rect->depth);
    return YOKE_OK;
}

static yoke_status record_fill(const recording *r, const yk_op *op, yk_cl_sync_point *out_point)
{
    size_t offset = op->u.fill.offset, size = op->u.fill.width;
    cl_int code =
        r->driver->clCommandFillBufferKHR(r->buffer, NULL, op->u.fill.buffer->native.pointer, op->u.fill.pattern,
                                          op->u.fill.pattern_size, offset, size, r->after_count, r->after, out_point, NULL);

    if (code != CL_SUCCESS)
        return yk_opencl_fail("clCommandFillBufferKHR", code, "%zu bytes at offset %zu of the buffer", size, offset);
    return YOKE_OK;
}

/* `op` satisfies yk_opencl_graph_takes. */
static yoke_status record_step(const recording *r, const yk_op *op, yk_cl_sync_point *out_point)
{
    if (yk_is_launch(op->kind))
        return record_launch(r, op, out_point);
    if (!yk_is_copy(op->kind))
        return record_fill(r, op, out_point);
    return yk_op_has(op->kind, YK_TRAIT_RECT) ? record_copy_rect(r, op, out_point) : record_copy(r, op, out_point);
}

/* The queue is in order, but not all revisions of the extension apply that order to the commands: each command names its
 * dependencies. */
static yoke_status record_steps(recording *r, yk_batch *batch)
{
    yk_cl_sync_point *after = malloc(batch->count * sizeof *after);
    yoke_status status = YOKE_OK;

    if (!after)
        return yk_no_memory("a graph");

    for (size_t i = 0; i < batch->count && status == YOKE_OK; i++) {
        yk_step *step = &batch->steps[i];
        yk_cl_sync_point point = 0;
        for (size_t k = 0; k < step->after_count; k++)
            after[k] = (yk_cl_sync_point)(uintptr_t)batch->steps[step->after[k]].native;
        r->after = step->after_count ? after : NULL;
        r->after_count = (cl_uint)step->after_count;
        status = record_step(r, step->op, &point);
        step->native = (void *)(uintptr_t)point;
    }
    free(after);
    return status;
}

/* Recorded for the device's mapping queue, in which the command buffer never runs. */
yoke_status yk_opencl_graph_create(yk_batch *batch)
{
    static const yk_cl_properties often[] = { YK_CL_COMMAND_BUFFER_FLAGS, YK_CL_COMMAND_BUFFER_SIMULTANEOUS_USE, 0 };
    const yk_opencl_device *device = yk_opencl_device_of(batch->device);
    recording r = { .driver = &device->slot->command_buffers };
    yoke_status status;
    cl_int code;

    if (batch->count > MOST_STEPS)
        return yk_fail(YOKE_E_UNSUPPORTED, "opencl: %zu commands are too many for one command buffer; the limit is %d",
                       batch->count, MOST_STEPS);
    r.buffer = r.driver->clCreateCommandBufferKHR(1, &device->mapping, often, &code);
    if (!r.buffer)
        return yk_opencl_fail("clCreateCommandBufferKHR", code, NULL);
    status = record_steps(&r, batch);
    if (status == YOKE_OK) {
        code = r.driver->clFinalizeCommandBufferKHR(r.buffer);
        if (code != CL_SUCCESS)
            status = yk_opencl_fail("clFinalizeCommandBufferKHR", code, NULL);
    }
    if (status < 0)
        r.driver->clReleaseCommandBufferKHR(r.buffer);
    else
        batch->native = r.buffer;
    return status;
}

void yk_opencl_graph_destroy(yk_batch *batch)
{
    (void)yk_opencl_device_of(batch->device)->slot->command_buffers.clReleaseCommandBufferKHR(batch->native);
    batch->native = NULL;
}

/* An update records a new command buffer, at the cost of recording every step again: on PoCL 1 us per step for ten steps and 7
 * us per step for a thousand, where an update of Yoke's own replay takes 0.1 us in all. */
yoke_status yk_opencl_graph_update(yk_batch *batch, yk_step *step, const yk_op *op)
{
    (void)batch, (void)step, (void)op;
    return YOKE_E_UNSUPPORTED;
}

/* ---- Launching ---- */

yoke_status yk_opencl_graph_launch(yoke_stream *stream, const yk_batch *batch)
{
    const yk_cl_command_buffer_table *driver = &yk_opencl_device_of(stream->device)->slot->command_buffers;
    cl_command_queue queue;
    cl_int code;

    if (stream->flags & YOKE_STREAM_TIMED)
        return YOKE_E_UNSUPPORTED;
    queue = yk_opencl_enter(stream);
    code = driver->clEnqueueCommandBufferKHR(1, &queue, batch->native, 0, NULL, NULL);
    yk_opencl_leave(stream);
    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail("clEnqueueCommandBufferKHR", code, "%zu commands", batch->count);
}

/* ---- Capturing ---- */

/* No command buffer captures what other code enqueues. */
yoke_status yk_opencl_capture_begin(const yoke_device *device, void **out_handle)
{
    (void)device, (void)out_handle;
    return YOKE_E_UNSUPPORTED;
}

/* Never called, since no capture begins. */
yoke_status yk_opencl_capture_end(const yoke_device *device, void *handle, void **out_captured)
{
    (void)device, (void)handle, (void)out_captured;
    return YOKE_E_UNSUPPORTED;
}

void yk_opencl_capture_destroy(const yoke_device *device, void *captured)
{
    (void)device, (void)captured;
}
