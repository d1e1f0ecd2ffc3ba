/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CUDA events, and notification of their completion by a host function behind the event. The driver runs the host functions of all
 * streams on one thread, one after another, so Yoke's host functions only post; after a fault the driver runs none.
 */
#include "driver.h"

yoke_status yk_cuda_event_create(yoke_event *event)
{
    yk_CUevent handle = NULL;
    unsigned flags = event->flags & YOKE_EVENT_TIMED ? YK_CU_EVENT_DEFAULT : YK_CU_EVENT_DISABLE_TIMING;
    yoke_status status = yk_cuda_enter(event->stream->device);

    if (status < 0)
        return status;
    status = yk_cuda_check("cuEventCreate", yk_cu.cuEventCreate(&handle, flags));
    yk_cuda_leave();
    event->native = handle;
    return status;
}

void yk_cuda_event_destroy(yoke_event *event)
{
    yk_cuda_note("cuEventDestroy_v2", yk_cu.cuEventDestroy_v2(event->native));
    event->native = NULL;
}

yoke_status yk_cuda_event_record(yoke_event *event)
{
    return yk_cuda_check("cuEventRecord", yk_cu.cuEventRecord(event->native, event->stream->native));
}

/* The driver does not answer, so the event counts as failed; but the work must not be taken for finished while it still runs. */
YK_COLD static yoke_status unanswered(yoke_event *event, const char *call, yk_CUresult result)
{
    yk_cuda_stream_finish(event->stream);
    return yk_cuda_fail(call, result, NULL);
}

/* The driver keeps what kernels print until a call waits; a query does not count (driver 580). The event is complete, so this wait
 * only writes the text to stdout. */
YK_COLD static yoke_status write_printed(yoke_event *event)
{
    bool entered = yk_cuda_try_enter(event->stream->device);
    yk_CUresult result = yk_cu.cuEventSynchronize(event->native);
    if (entered)
        yk_cuda_leave();
    return result == YK_CUDA_SUCCESS ? YOKE_OK : unanswered(event, "cuEventSynchronize", result);
}

yoke_status yk_cuda_event_query(yoke_event *event)
{
    yk_CUresult result = yk_cu.cuEventQuery(event->native);
    if (result == YK_CUDA_ERROR_NOT_READY)
        return YOKE_PENDING;
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        return unanswered(event, "cuEventQuery", result);
    const yk_cuda_device *device = yk_cuda_device_of(event->stream->device);
    return YK_UNLIKELY(atomic_load_explicit(&device->prints, memory_order_relaxed)) ? write_printed(event) : YOKE_OK;
}

/* ---- Notification ---- */

static void wake(void *notice)
{
    yk_notice_post(notice);
}

static void wake_aside(void *user)
{
    yk_cuda_notifier *notifier = user;
    yk_notice *notice = notifier->notice;
    atomic_store_explicit(&notifier->busy, false, memory_order_release);
    yk_notice_post(notice);
}

/* NULL when all notifiers are busy. */
static yk_cuda_notifier *take_notifier(yk_cuda_device *native)
{
    for (size_t i = 0; i < YK_COUNT_OF(native->notifiers); i++)
        if (!atomic_exchange_explicit(&native->notifiers[i].busy, true, memory_order_acquire))
            return &native->notifiers[i];
    return NULL;
}

/* A wait without a wake-up polls more often, and the refusal may repeat: no warning. */
static bool succeeded(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        yk_log(YOKE_LOG_INFO, "cuda: the driver cannot notify of completion: %s failed: %s (%u)", call, yk_cuda_name(result),
               result);
    return result == YK_CUDA_SUCCESS;
}

static bool create_notifier_stream(const yoke_device *device, yk_cuda_notifier *notifier)
{
    if (!succeeded("cuCtxPushCurrent_v2", yk_cu.cuCtxPushCurrent_v2(yk_cuda_device_of(device)->context)))
        return false;
    bool created = succeeded("cuStreamCreate", yk_cu.cuStreamCreate(&notifier->stream, YK_CU_STREAM_NON_BLOCKING));
    yk_cuda_leave();
    return created;
}

static bool notify_aside(yoke_event *event, yk_notice *notice)
{
    const yoke_device *device = event->stream->device;
    yk_cuda_notifier *notifier = take_notifier(yk_cuda_device_of(device));

    if (!notifier)
        return true;
    notifier->notice = notice;
    bool submitted =
        (notifier->stream || create_notifier_stream(device, notifier)) &&
        succeeded("cuStreamWaitEvent", yk_cu.cuStreamWaitEvent(notifier->stream, event->native, YK_CU_EVENT_WAIT_DEFAULT)) &&
        succeeded("cuLaunchHostFunc", yk_cu.cuLaunchHostFunc(notifier->stream, wake_aside, notifier));
    if (!submitted)
        atomic_store_explicit(&notifier->busy, false, memory_order_release);
    return submitted;
}

/* When nothing has been submitted to the stream since the event, the host function goes behind the event in its stream.
 * Otherwise it would wait for the later work, so it goes to a notifier's stream; without a free notifier, waits only poll.
 * Either way the wake-up comes 40 to 150 us after a long kernel (driver 580). A failure here is not a failure of the wait. */
yoke_status yk_cuda_event_notify(yoke_event *event, yk_notice *notice)
{
    yoke_stream *stream = event->stream;
    bool submitted;
    if (yk_stream_submitted(stream) != event->position)
        submitted = notify_aside(event, notice);
    else
        submitted = succeeded("cuLaunchHostFunc", yk_cu.cuLaunchHostFunc(stream->native, wake, notice));
    return submitted ? YOKE_PENDING : YOKE_E_UNSUPPORTED;
}

/* Never called: where the driver blocks, it takes longer to wake than the notification. */
void yk_cuda_event_wait(yoke_event *event)
{
    (void)event;
}

/* ---- Timing ---- */

yoke_status yk_cuda_event_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds)
{
    float milliseconds = 0;
    yoke_status status = yk_cuda_enter(end->stream->device);

    if (status < 0)
        return status;
    if (yk_cu.cuEventElapsedTime_v2)
        status = yk_cuda_check("cuEventElapsedTime_v2", yk_cu.cuEventElapsedTime_v2(&milliseconds, start->native, end->native));
    else
        status = yk_cuda_check("cuEventElapsedTime", yk_cu.cuEventElapsedTime(&milliseconds, start->native, end->native));
    yk_cuda_leave();
    if (status == YOKE_OK)
        *out_nanoseconds = (int64_t)((double)milliseconds * 1e6 + (milliseconds < 0 ? -0.5 : 0.5));
    return status;
}
