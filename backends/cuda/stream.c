/* SPDX-License-Identifier: Apache-2.0 */
/* CUDA streams: never the legacy default stream, and never ordered with it. */
#include "driver.h"

/* CUDA counts down: 0 is normal and the least urgent, and -5, say, the most urgent. `priority` becomes what the driver has. */
static yoke_status create_with_priority(int32_t *priority, yk_CUstream *out_handle)
{
    int least = 0, greatest = 0, wanted = -*priority;
    yoke_status status = yk_cuda_check("cuCtxGetStreamPriorityRange", yk_cu.cuCtxGetStreamPriorityRange(&least, &greatest));

    if (status < 0)
        return status;
    if (wanted > least)
        wanted = least;
    if (wanted < greatest)
        wanted = greatest;
    *priority = -wanted;
    return yk_cuda_check("cuStreamCreateWithPriority",
                         yk_cu.cuStreamCreateWithPriority(out_handle, YK_CU_STREAM_NON_BLOCKING, wanted));
}

yoke_status yk_cuda_stream_create(yoke_stream *stream)
{
    yk_CUstream handle = NULL;
    yoke_status status = yk_cuda_enter(stream->device);

    if (status < 0)
        return status;
    if (stream->priority)
        status = create_with_priority(&stream->priority, &handle);
    else
        status = yk_cuda_check("cuStreamCreate", yk_cu.cuStreamCreate(&handle, YK_CU_STREAM_NON_BLOCKING));
    yk_cuda_leave();
    stream->native = handle;
    return status;
}

/* Returns at once; the driver still completes the stream's pending work. */
void yk_cuda_stream_destroy(yoke_stream *stream)
{
    yk_cuda_note("cuStreamDestroy_v2", yk_cu.cuStreamDestroy_v2(stream->native));
    stream->native = NULL;
}

/* A failure in a CUDA stream is a failure of the context, so a new stream does not help. */
yoke_status yk_cuda_stream_renew(yoke_stream *stream)
{
    return yk_fail(YOKE_E_DRIVER, "cuda: the driver rejects stream %s, and a new stream would share its context: %s", stream->label,
                   yoke_error()->text);
}

void yk_cuda_stream_finish(yoke_stream *stream)
{
    YK_UNCANCELLED;
    yk_cuda_note("cuStreamSynchronize",
                 yk_cu.cuStreamSynchronize(stream->native)); /* after a fault the call does not wait, and reports the fault */
}

bool yk_cuda_stream_has_finished(yoke_stream *stream)
{
    const yk_cuda_device *device = yk_cuda_device_of(stream->device);
    if (atomic_load_explicit(&device->prints, memory_order_relaxed)) /* a query does not write what kernels have printed */
        return false;
    yk_CUresult result = yk_cu.cuStreamQuery(stream->native);
    if (result != YK_CUDA_ERROR_NOT_READY)
        yk_cuda_note("cuStreamQuery", result);
    return result == YK_CUDA_SUCCESS;
}

/* Libraries on top of CUDA, and the runtime API, use the current context. */
yoke_status yk_cuda_stream_native_enter(yoke_stream *stream, void **out_handle)
{
    *out_handle = stream->native;
    return yk_cuda_enter(stream->device);
}

void yk_cuda_stream_native_leave(yoke_stream *stream)
{
    (void)stream;
    yk_cuda_leave();
}

yoke_status yk_cuda_stream_wait_event(yoke_stream *stream, yoke_event *event)
{
    return yk_cuda_check("cuStreamWaitEvent", yk_cu.cuStreamWaitEvent(stream->native, event->native, YK_CU_EVENT_WAIT_DEFAULT));
}

/* ---- Queues of other code ---- */

/* A wait would drag the other stream into the capture, or end it. The legacy default stream cannot be asked while another stream is
 * captured, and must not be used then either. */
static yoke_status check_not_captured(yk_CUstream queue)
{
    yk_CUstreamCaptureStatus capture = YK_CU_STREAM_CAPTURE_STATUS_NONE;
    yk_CUresult result = yk_cu.cuStreamIsCapturing(queue, &capture);
    if (result == YK_CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)
        return yk_cuda_fail_as(YOKE_E_UNSUPPORTED, "cuStreamIsCapturing", result, "another stream is being captured");
    if (result == YK_CUDA_SUCCESS && capture != YK_CU_STREAM_CAPTURE_STATUS_NONE)
        return yk_fail(YOKE_E_UNSUPPORTED,
                       "cuda: the other stream is being captured into a graph, and cannot wait for work outside of it, or be "
                       "waited for; do that before the capture or after it");
    return yk_cuda_check("cuStreamIsCapturing", result);
}

/* The default streams are those of the current context. */
yoke_status yk_cuda_native_record(yoke_event *event, void *queue)
{
    yoke_status status = yk_cuda_enter(event->stream->device);
    if (status < 0)
        return status;
    status = check_not_captured(queue);
    if (status == YOKE_OK) {
        yk_CUresult result = yk_cu.cuEventRecord(event->native, queue);
        if (result == YK_CUDA_ERROR_INVALID_HANDLE)
            status = yk_cuda_fail_as(YOKE_E_INVALID_ARGUMENT, "cuEventRecord", result,
                                     "the other stream must belong to the device's primary context");
        else
            status = yk_cuda_check("cuEventRecord", result);
    }
    yk_cuda_leave();
    return status;
}

yoke_status yk_cuda_native_wait_event(void *queue, yoke_event *event)
{
    yoke_status status = yk_cuda_enter(event->stream->device);
    if (status < 0)
        return status;
    status = check_not_captured(queue);
    if (status == YOKE_OK)
        status = yk_cuda_check("cuStreamWaitEvent", yk_cu.cuStreamWaitEvent(queue, event->native, YK_CU_EVENT_WAIT_DEFAULT));
    yk_cuda_leave();
    return status;
}
