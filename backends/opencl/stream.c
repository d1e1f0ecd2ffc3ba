/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: one in-order command queue each. Out-of-order queues are never used: some drivers stall them, and order is Yoke's
 * promise. OpenCL lets any number of threads call for one queue; PoCL's device without threads (3.1) deadlocks in its own locks
 * then, so its streams have a lock of ours.
 */
#include "driver.h"

#include <stdlib.h>

yoke_status yk_opencl_stream_create(yoke_stream *stream)
{
    const yk_opencl_device *device = yk_opencl_device_of(stream->device);
    cl_command_queue_properties properties = stream->flags & YOKE_STREAM_TIMED ? CL_QUEUE_PROFILING_ENABLE : 0;
    yk_opencl_stream *native = calloc(1, sizeof *native);
    yoke_status status;
    cl_int code;

    if (!native)
        return yk_no_memory("a stream");
    status = yk_opencl_lock_create(&native->lock);
    if (status != YOKE_OK)
        goto no_lock;
    native->one_at_a_time = device->slot->one_at_a_time;
    native->queue = yk_cl.clCreateCommandQueue(device->context, device->slot->id, properties, &code);
    if (!native->queue) {
        status = yk_opencl_fail("clCreateCommandQueue", code, NULL);
        goto no_queue;
    }
    stream->native = native;
    return YOKE_OK;

no_queue:
    yk_opencl_lock_destroy(&native->lock);
no_lock:
    free(native);
    return status;
}

void yk_opencl_stream_destroy(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;

    yk_cl.clFlush(native->queue); /* the release ought to do it, but work that was given must run whoever wrote the driver */
    yk_cl.clReleaseCommandQueue(native->queue);
    yk_opencl_lock_destroy(&native->lock);
    free(native);
    stream->native = NULL;
}

yoke_status yk_opencl_stream_wait_event(yoke_stream *stream, yoke_event *event)
{
    const yk_opencl_event *native = event->native;
    /* A queue that waits for another that was never flushed may wait for ever. */
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
