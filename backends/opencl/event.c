/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: a marker in the queue, or the event of the newest command where markers are slow. Drivers may delay commands until their
 * queue is flushed, so every poll of an event first makes sure that the queue was flushed after the event was recorded. User
 * events are never used: several drivers hang or abort on them.
 */
#include "driver.h"

#include <stdlib.h>

yoke_status yk_opencl_event_create(yoke_event *event)
{
    event->native = calloc(1, sizeof(yk_opencl_event));
    return event->native ? YOKE_OK : yk_no_memory("an event");
}

void yk_opencl_release_event(cl_event event)
{
    if (event)
        yk_opencl_note("clReleaseEvent", yk_cl.clReleaseEvent(event));
}

void yk_opencl_event_destroy(yoke_event *event)
{
    yk_opencl_event *native = event->native;

    yk_opencl_release_event(native->before);
    yk_opencl_release_event(native->handle);
    free(native);
    event->native = NULL;
}

/* The event of the stream's newest command, retained; NULL where it is not known. PoCL (3.1) hands a marker from one of its threads
 * to the next: two kernels, a marker and a wait for it take 45 us on two cores, without the marker 14 us. */
static cl_event take_newest(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    cl_event newest;
    cl_int code;

    if (!native->keeps_newest)
        return NULL;
    yk_opencl_lock_take(&native->lock);
    newest = native->newest;
    if (newest && (code = yk_cl.clRetainEvent(newest)) != CL_SUCCESS) {
        yk_opencl_note_failure("clRetainEvent", code); /* a marker does as well */
        newest = NULL;
    }
    yk_opencl_lock_give_back(&native->lock);
    return newest;
}

yoke_status yk_opencl_event_record(yoke_event *event)
{
    yk_opencl_event *native = event->native;
    cl_event handle = event->flags & YOKE_EVENT_TIMED ? NULL : take_newest(event->stream);

    if (!handle) {
        cl_int code = yk_cl.clEnqueueMarkerWithWaitList(yk_opencl_enter(event->stream), 0, NULL, &handle);
        yk_opencl_leave(event->stream);
        if (code != CL_SUCCESS)
            return yk_opencl_fail("clEnqueueMarkerWithWaitList", code, NULL);
    }
    yk_opencl_begin_recording(native, YK_RECORDED);
    native->handle = handle;
    return YOKE_OK;
}

static cl_int flush(yoke_event *event)
{
    yk_opencl_event *native = event->native;
    cl_int code;

    if (atomic_load_explicit(&native->called, memory_order_acquire) != YK_RECORDED)
        return CL_SUCCESS;
    code = yk_cl.clFlush(yk_opencl_enter_quietly(event->stream));
    yk_opencl_leave_quietly(event->stream);
    if (code == CL_SUCCESS)
        atomic_store_explicit(&native->called, YK_FLUSHED, memory_order_release);
    return code;
}

yoke_status yk_opencl_event_flush(yoke_event *event)
{
    cl_int code = flush(event);

    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail_execution(event->stream->device, "clFlush", code);
}

/* The driver does not answer, so the event counts as failed; but the work must not be taken for finished while it still runs. */
static yoke_status unanswered(yoke_event *event, const char *call, cl_int code)
{
    const yk_opencl_event *native = event->native;

    yk_cl.clWaitForEvents(1, &native->handle); /* rusticl's clFinish (22.3) does not wait for commands that were flushed before */
    yk_opencl_stream_finish(event->stream);
    return yk_opencl_fail_execution(event->stream->device, call, code);
}

yoke_status yk_opencl_event_query(yoke_event *event)
{
    yk_opencl_event *native = event->native;
    const yoke_device *device = event->stream->device;
    yoke_status status = yk_opencl_event_flush(event);
    bool waited = atomic_load_explicit(&native->called, memory_order_acquire) == YK_WAITED;
    cl_int progress = CL_QUEUED, code;

    if (status != YOKE_OK) {
        yk_opencl_stream_finish(event->stream);
        return status;
    }
    code = yk_cl.clGetEventInfo(native->handle, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof progress, &progress, NULL);
    if (code != CL_SUCCESS)
        return unanswered(event, "clGetEventInfo", code);
    if (progress < 0)
        return yk_opencl_fail_execution(device, "clEnqueueMarkerWithWaitList", progress);
    if (progress != CL_COMPLETE) {
        if (waited) /* for a write, the call may have waited for the host's memory only */
            atomic_store_explicit(&native->called, YK_FLUSHED, memory_order_relaxed);
        if (atomic_load_explicit(&native->before, memory_order_relaxed))
            yk_opencl_release_event(atomic_exchange(&native->before, NULL));
        return YOKE_PENDING;
    }
    if (waited)
        return YOKE_OK;
    /* CL_COMPLETE does not yet guarantee that this thread sees the commands' writes; a wait does. */
    code = yk_cl.clWaitForEvents(1, &native->handle);
    return code == CL_SUCCESS ? YOKE_OK : unanswered(event, "clWaitForEvents", code);
}

/* May run on a driver thread or inside clSetEventCallback: calls no OpenCL, and takes no lock but the notice's. */
static void CL_CALLBACK completed(cl_event handle, cl_int progress, void *user)
{
    (void)handle;
    (void)progress;
    yk_notice_post(user);
}

yoke_status yk_opencl_event_notify(yoke_event *event, yk_notice *notice)
{
    const yk_opencl_event *native = event->native;
    const char *call = "clFlush";
    cl_int code = flush(event);

    if (yk_opencl_device_of(event->stream->device)->slot->quirks.notifies_late)
        return YOKE_E_UNSUPPORTED;
    if (code == CL_SUCCESS) {
        call = "clSetEventCallback";
        code = yk_cl.clSetEventCallback(native->handle, CL_COMPLETE, completed, notice);
    }
    if (code == CL_SUCCESS)
        return YOKE_OK;
    /* A wait without a wake-up polls more often, and the refusal may repeat: no warning. */
    yk_log(YOKE_LOG_INFO, "opencl: the driver cannot notify of completion: %s failed: %s (%d)", call, yk_opencl_code_name(code),
           (int)code);
    return YOKE_E_UNSUPPORTED;
}

/* Flushes the queue as well. A failure of the work is for the query that follows; one of the call does not keep that from
 * succeeding. */
void yk_opencl_event_wait(yoke_event *event)
{
    yk_opencl_event *native = event->native;
    cl_int code = yk_cl.clWaitForEvents(1, &native->handle);

    if (code == CL_SUCCESS)
        atomic_store_explicit(&native->called, YK_WAITED, memory_order_release);
    else if (code != CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        yk_opencl_note("clWaitForEvents", code);
}

static yoke_status time_of(yoke_event *event, cl_ulong *out_time)
{
    const yk_opencl_event *native = event->native;
    cl_int code = yk_cl.clGetEventProfilingInfo(native->handle, CL_PROFILING_COMMAND_END, sizeof *out_time, out_time, NULL);

    return code == CL_SUCCESS ? YOKE_OK : yk_opencl_fail("clGetEventProfilingInfo", code, NULL);
}

yoke_status yk_opencl_event_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    cl_ulong first = 0, last = 0;
    yoke_status status = time_of(start, &first);

    if (status == YOKE_OK)
        status = time_of(end, &last);
    if (status == YOKE_OK)
        *out_nanoseconds = (int64_t)(last - first);
    return status;
}
