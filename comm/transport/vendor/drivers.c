/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the drivers themselves: all else is Yoke's. */
#include "vendor.h"

bool ycomm_context_enter(void *context)
{
    return ycomm_cuda.cuCtxPushCurrent_v2(context) == 0;
}

void ycomm_context_leave(void)
{
    ycomm_CUcontext context;
    (void)ycomm_cuda.cuCtxPopCurrent_v2(&context);
}

bool ycomm_stream_is_lost(void *native_stream)
{
    ycomm_CUresult result = ycomm_cuda.cuStreamQuery(native_stream);
    return result != 0 && result != YCOMM_CUDA_ERROR_NOT_READY;
}

bool ycomm_stream_is_complete(void *native_stream)
{
    return ycomm_cuda.cuStreamQuery(native_stream) == 0;
}

bool ycomm_stream_is_capturing(void *native_stream)
{
    ycomm_CUstreamCaptureStatus status = 0;
    return ycomm_cuda.cuStreamIsCapturing(native_stream, &status) == 0 && status != 0;
}

/* To map tells the address at once; whatever the driver does for it is done when the queue goes on. */
void *ycomm_map_and_unmap(void *queue, uintptr_t buffer, size_t offset, size_t size)
{
    ycomm_cl_mem memory = (ycomm_cl_mem)buffer;
    ycomm_cl_int code = YCOMM_CL_SUCCESS;
    void *address =
        ycomm_opencl.clEnqueueMapBuffer(queue, memory, YCOMM_CL_FALSE, YCOMM_CL_MAP_READ, offset, size, 0, NULL, NULL, &code);
    if (code != YCOMM_CL_SUCCESS || !address)
        return NULL;
    code = ycomm_opencl.clEnqueueUnmapMemObject(queue, memory, address, 0, NULL, NULL);
    return code == YCOMM_CL_SUCCESS ? address : NULL;
}

bool ycomm_when_destroyed(uintptr_t buffer, void (*call)(ycomm_cl_mem buffer, void *user))
{
    return ycomm_opencl.clSetMemObjectDestructorCallback((ycomm_cl_mem)buffer, call, NULL) == YCOMM_CL_SUCCESS;
}
