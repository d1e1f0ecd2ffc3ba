/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: one in-order command queue each. Out-of-order queues are never used: some drivers stall them, and Yoke promises order.
 * OpenCL lets any number of threads use one queue, but PoCL's device without threads (3.1) then deadlocks in its own locks, so its
 * streams have a lock of Yoke's.
 */
#include "driver.h"

#include <stdlib.h>

/* NULL where the driver refuses: a priority is only a hint. */
static cl_command_queue create_with_priority(const yk_opencl_device *device, cl_command_queue_properties properties,
                                             int32_t priority)
{
    const cl_queue_properties list[] = { CL_QUEUE_PROPERTIES, properties, CL_QUEUE_PRIORITY_KHR,
                                         priority > 0 ? CL_QUEUE_PRIORITY_HIGH_KHR : CL_QUEUE_PRIORITY_LOW_KHR, 0 };
    cl_int code;
    cl_command_queue queue = yk_cl.clCreateCommandQueueWithProperties(device->context, device->slot->id, list, &code);

    if (!queue)
        yk_opencl_note_failure("clCreateCommandQueueWithProperties", code);
    return queue;
}

/* Sets stream->priority to what the queue has. */
static yoke_status create_queue(yoke_stream *stream, cl_command_queue *out_queue)
{
    const yk_opencl_device *device = yk_opencl_device_of(stream->device);
    cl_command_queue_properties properties = stream->flags & YOKE_STREAM_TIMED ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int code;

    *out_queue = NULL;
    if (stream->priority && device->slot->takes_priorities)
        *out_queue = create_with_priority(device, properties, stream->priority);
    if (*out_queue) {
        stream->priority = stream->priority > 0 ? 1 : -1;
        return YOKE_OK;
    }
    stream->priority = 0;
    *out_queue = yk_cl.clCreateCommandQueue(device->context, device->slot->id, properties, &code);
    return *out_queue ? YOKE_OK : yk_opencl_fail("clCreateCommandQueue", code, NULL);
}

yoke_status yk_opencl_stream_create(yoke_stream *stream)
{
    const yk_opencl_slot *slot = yk_opencl_device_of(stream->device)->slot;
    yk_opencl_stream *native = calloc(1, sizeof *native);
    cl_command_queue queue;
    yoke_status status;

    if (!native)
        return yk_no_memory("a stream");
    status = yk_opencl_lock_create(&native->lock);
    if (status != YOKE_OK)
        goto no_lock;
    native->one_at_a_time = slot->quirks.one_at_a_time;
    native->keeps_newest = slot->quirks.slow_markers;
    native->locked = native->one_at_a_time || native->keeps_newest;
    native->unasked = native->keeps_newest ? &native->newest : NULL;
    status = create_queue(stream, &queue);
    if (status != YOKE_OK)
        goto no_queue;
    atomic_init(&native->queue, queue);
    stream->native = native;
    return YOKE_OK;

no_queue:
    yk_opencl_lock_destroy(&native->lock);
no_lock:
    free(native);
    return status;
}

void yk_opencl_leave_newest(yk_opencl_stream *native)
{
    cl_event older = native->older;
    native->older = NULL;
    yk_opencl_lock_give_back(&native->lock);
    yk_opencl_release_event(older);
}

static void destroy_queue(cl_command_queue queue)
{
    yk_opencl_note("clFlush", yk_cl.clFlush(queue)); /* the release should flush, but submitted work must run with any driver */
    yk_opencl_note("clReleaseCommandQueue", yk_cl.clReleaseCommandQueue(queue));
}

void yk_opencl_stream_destroy(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;

    yk_opencl_release_event(native->newest);
    destroy_queue(native->queue);
    while (native->retired_count > 0)
        destroy_queue(native->retired[--native->retired_count]);
    free(native->retired);
    yk_opencl_lock_destroy(&native->lock);
    free(native);
    stream->native = NULL;
}

yoke_status yk_opencl_stream_renew(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    cl_command_queue fresh, *grown = realloc(native->retired, (native->retired_count + 1) * sizeof *grown);
    yoke_status status;

    if (!grown)
        return yk_no_memory("a stream's new queue");
    native->retired = grown;
    status = create_queue(stream, &fresh);
    if (status != YOKE_OK)
        return status;
    (void)yk_opencl_enter(stream); /* the newest command of the old queue is not the new one's */
    grown[native->retired_count++] = atomic_exchange(&native->queue, fresh);
    yk_opencl_leave(stream);
    return YOKE_OK;
}

void yk_opencl_stream_finish(yoke_stream *stream)
{
    YK_UNCANCELLED;
    yk_opencl_note("clFinish", yk_cl.clFinish(yk_opencl_enter_quietly(stream)));
    yk_opencl_leave_quietly(stream);
}

/* Never called: OpenCL can only be asked about events. */
bool yk_opencl_stream_has_finished(yoke_stream *stream)
{
    (void)stream;
    return false;
}

yoke_status yk_opencl_stream_native_enter(yoke_stream *stream, void **out_handle)
{
    yk_opencl_enter(stream); /* the newest command will be the section's */
    yk_opencl_leave(stream);
    *out_handle = yk_opencl_enter_quietly(stream);
    return YOKE_OK;
}

void yk_opencl_stream_native_leave(yoke_stream *stream)
{
    yk_opencl_leave_quietly(stream);
}

yoke_status yk_opencl_stream_wait_event(yoke_stream *stream, yoke_event *event)
{
    const yk_opencl_event *native = event->native;
    /* A queue that waits for a queue that was never flushed may wait forever. */
    yoke_status status = yk_opencl_event_flush(event);
    cl_int code;

    if (status != YOKE_OK)
        return status;
    code = yk_cl.clEnqueueBarrierWithWaitList(yk_opencl_enter(stream), 1, &native->handle, NULL);
    yk_opencl_leave(stream);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueBarrierWithWaitList", code, NULL);
    return YOKE_OK;
}

/* ---- Queues of other code ---- */

static yoke_status check_context(const yoke_device *device, cl_command_queue queue)
{
    cl_context context = NULL;
    cl_int code = yk_cl.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);

    if (code != CL_SUCCESS)
        return yk_opencl_fail("clGetCommandQueueInfo", code, NULL);
    if (context != yk_opencl_device_of(device)->context)
        return yk_fail(YOKE_E_INVALID_ARGUMENT,
                       "opencl: the other queue belongs to another context; create it in the device's (yoke_device_get_native)");
    return YOKE_OK;
}

/* Flushed at once, because what waits for a queue that was never flushed may wait for ever. */
yoke_status yk_opencl_native_record(yoke_event *event, void *queue)
{
    yk_opencl_event *native = event->native;
    yoke_status status = check_context(event->stream->device, queue);
    cl_event handle = NULL;
    cl_int code;

    if (status != YOKE_OK)
        return status;
    code = yk_cl.clEnqueueMarkerWithWaitList(queue, 0, NULL, &handle);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueMarkerWithWaitList", code, NULL);
    code = yk_cl.clFlush(queue);
    if (code != CL_SUCCESS) {
        yk_opencl_release_event(handle);
        return yk_opencl_fail("clFlush", code, NULL);
    }
    yk_opencl_begin_recording(native, YK_FLUSHED);
    native->handle = handle;
    return YOKE_OK;
}

yoke_status yk_opencl_native_wait_event(void *queue, yoke_event *event)
{
    const yk_opencl_event *native = event->native;
    yoke_status status = check_context(event->stream->device, queue);
    cl_int code;

    if (status == YOKE_OK)
        status = yk_opencl_event_flush(event);
    if (status != YOKE_OK)
        return status;
    code = yk_cl.clEnqueueBarrierWithWaitList(queue, 1, &native->handle, NULL);
    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail("clEnqueueBarrierWithWaitList", code, NULL);
}
