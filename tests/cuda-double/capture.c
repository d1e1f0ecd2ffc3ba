/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capturing: kernels, copies and fills that are given to a stream become the nodes of a graph, one behind the other. Everything
 * else that is asked of such a stream, and what the thread may not do meanwhile, ends the capture in failure. Only the mode in
 * which a thread's capture concerns no other thread.
 */
#include "driver.h"

/* The stream that this thread captures. Only that thread uses the stream meanwhile. */
static _Thread_local yk_CUstream capturing;

yk_CUresult double_capture_check(yk_CUstream stream)
{
    if (!stream->captured)
        return YK_CUDA_SUCCESS;
    if (stream != capturing)
        return YK_CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    return stream->capture_failed ? YK_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : YK_CUDA_SUCCESS;
}

yk_CUresult double_capture_refuse(yk_CUstream stream)
{
    yk_CUresult result = double_capture_check(stream);

    if (!stream->captured || result != YK_CUDA_SUCCESS)
        return result;
    stream->capture_failed = true;
    return YK_CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

yk_CUresult double_capture_forbid(void)
{
    return capturing ? double_capture_refuse(capturing) : YK_CUDA_SUCCESS;
}

yk_CUresult double_capture_work(yk_CUstream stream, double_work *work)
{
    yk_CUgraphNode node = NULL;
    yk_CUresult result = double_graph_add(&node, stream->captured, &stream->capture_last, stream->capture_last != NULL, work);

    if (result == YK_CUDA_SUCCESS)
        stream->capture_last = node;
    else
        stream->capture_failed = true;
    return result;
}

yk_CUresult cuStreamBeginCapture_v2(yk_CUstream stream, yk_CUstreamCaptureMode mode)
{
    yk_CUresult result;

    ENTER(DOUBLE_CONTEXT);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (mode != YK_CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
        return YK_CUDA_ERROR_NOT_SUPPORTED;
    if (capturing)
        return YK_CUDA_ERROR_ILLEGAL_STATE; /* the driver lets a thread capture several streams */
    result = cuGraphCreate(&stream->captured, 0);
    if (result != YK_CUDA_SUCCESS)
        return result;
    stream->capture_last = NULL;
    stream->capture_failed = false;
    capturing = stream;
    return YK_CUDA_SUCCESS;
}

yk_CUresult cuStreamEndCapture(yk_CUstream stream, yk_CUgraph *out_graph)
{
    ENTER(DOUBLE_USABLE);
    if (!stream || !out_graph || !stream->captured)
        return YK_CUDA_ERROR_ILLEGAL_STATE;
    if (stream != capturing)
        return YK_CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    *out_graph = stream->captured;
    stream->captured = NULL;
    capturing = NULL;
    if (!stream->capture_failed)
        return YK_CUDA_SUCCESS;
    (void)cuGraphDestroy(*out_graph);
    *out_graph = NULL;
    return YK_CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}

/* The default streams are never captured. */
yk_CUresult cuStreamIsCapturing(yk_CUstream stream, yk_CUstreamCaptureStatus *out_status)
{
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    if (!out_status)
        return YK_CUDA_ERROR_INVALID_VALUE;
    result = double_stream_named(&stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (!stream)
        return YK_CUDA_ERROR_NOT_SUPPORTED;
    *out_status = stream->captured ? YK_CU_STREAM_CAPTURE_STATUS_ACTIVE : YK_CU_STREAM_CAPTURE_STATUS_NONE;
    return YK_CUDA_SUCCESS;
}
