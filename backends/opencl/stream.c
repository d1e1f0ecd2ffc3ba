/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streams: one in-order command queue each. Out-of-order queues are never used: some drivers stall them, and order is Yoke's
 * promise.
 */
#include "driver.h"

yoke_status yk_opencl_stream_create(yoke_stream *stream)
{
    const yk_opencl_device *device = yk_opencl_device_of(stream->device);
    cl_command_queue_properties properties = stream->flags & YOKE_STREAM_TIMED ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_int code;
    cl_command_queue queue = yk_cl.clCreateCommandQueue(device->context, device->slot->id, properties, &code);

    if (!queue)
        return yk_opencl_fail("clCreateCommandQueue", code, NULL);
    stream->native = queue;
    return YOKE_OK;
}

void yk_opencl_stream_destroy(yoke_stream *stream)
{
    yk_cl.clFlush(stream->native); /* the release ought to do it, but work that was given must run whoever wrote the driver */
    yk_cl.clReleaseCommandQueue(stream->native);
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
    code = yk_cl.clEnqueueBarrierWithWaitList(stream->native, 1, &native->handle, NULL);
    if (code != CL_SUCCESS)
        return yk_opencl_fail("clEnqueueBarrierWithWaitList", code, NULL);
    return YOKE_OK;
}
