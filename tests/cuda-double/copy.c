/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that copy and fill. From pageable memory little is taken along at once, and much makes the call wait; to pageable
 * memory the call always waits.
 */
#include "driver.h"

#include <stdlib.h>
#include <string.h>

enum { TAKEN_ALONG = 1 << 20 };

static bool is_pageable(const yk_CUDA_MEMCPY3D *copy, const yk_CUcopySide *side)
{
    bool pinned = true;

    if (side->MemoryType == YK_CU_MEMORYTYPE_HOST) /* by its first byte: double_work_copy has looked at the rest */
        (void)double_host_kind((const char *)side->Host + (side->Z * side->Height + side->Y) * side->Pitch + side->XInBytes,
                               copy->WidthInBytes, &pinned);
    return !pinned;
}

/* The host's bytes into memory of the work's own. */
static bool take_along(double_work *work)
{
    yk_CUDA_MEMCPY3D *copy = &work->copy, first = *copy;
    size_t size = copy->WidthInBytes * copy->Height * copy->Depth;

    work->owned = malloc(size ? size : 1);
    work->owned_size = size;
    if (!work->owned)
        return false;
    first.dst = (yk_CUcopySide){
        .MemoryType = YK_CU_MEMORYTYPE_HOST, .Host = work->owned, .Pitch = copy->WidthInBytes, .Height = copy->Height
    };
    copy->src = first.dst;
    double_work staging = { .kind = DOUBLE_COPY, .copy = first };
    return double_work_run(&staging) == YK_CUDA_SUCCESS;
}

static yk_CUresult give_copy(yk_CUstream stream, const yk_CUDA_MEMCPY3D *copy)
{
    double_work work;
    yk_CUresult result = double_stream_check_for_work(stream);

    if (result == YK_CUDA_SUCCESS)
        result = double_work_copy(&work, copy);
    if (result != YK_CUDA_SUCCESS)
        return result;
    bool wait = is_pageable(copy, &copy->dst);
    if (is_pageable(copy, &copy->src)) {
        if (copy->WidthInBytes * copy->Height * copy->Depth > TAKEN_ALONG) {
            wait = true;
        } else if (!take_along(&work)) {
            double_work_free(&work);
            return YK_CUDA_ERROR_OUT_OF_MEMORY;
        }
    }
    return double_work_give(stream, &work, wait);
}

static yk_CUcopySide device_side(yk_CUdeviceptr address)
{
    return (yk_CUcopySide){ .MemoryType = YK_CU_MEMORYTYPE_DEVICE, .Device = address };
}

static yk_CUcopySide host_side(const void *host)
{
    return (yk_CUcopySide){ .MemoryType = YK_CU_MEMORYTYPE_HOST, .Host = (void *)(uintptr_t)host };
}

static yk_CUDA_MEMCPY3D line(yk_CUcopySide target, yk_CUcopySide source, size_t size)
{
    return (yk_CUDA_MEMCPY3D){ .src = source, .dst = target, .WidthInBytes = size, .Height = 1, .Depth = 1 };
}

/* ---- In streams ---- */

yk_CUresult cuMemcpyHtoDAsync_v2(yk_CUdeviceptr target, const void *source, size_t size, yk_CUstream stream)
{
    yk_CUDA_MEMCPY3D copy = line(device_side(target), host_side(source), size);

    ENTER(DOUBLE_USABLE);
    return give_copy(stream, &copy);
}

yk_CUresult cuMemcpyDtoHAsync_v2(void *target, yk_CUdeviceptr source, size_t size, yk_CUstream stream)
{
    yk_CUDA_MEMCPY3D copy = line(host_side(target), device_side(source), size);

    ENTER(DOUBLE_USABLE);
    return give_copy(stream, &copy);
}

yk_CUresult cuMemcpyDtoDAsync_v2(yk_CUdeviceptr target, yk_CUdeviceptr source, size_t size, yk_CUstream stream)
{
    yk_CUDA_MEMCPY3D copy = line(device_side(target), device_side(source), size);
    yk_CUresult result;

    ENTER(DOUBLE_USABLE);
    result = double_stream_named(&stream);
    return result == YK_CUDA_SUCCESS ? give_copy(stream, &copy) : result;
}

yk_CUresult cuMemcpyPeerAsync(yk_CUdeviceptr target, yk_CUcontext target_context, yk_CUdeviceptr source,
                              yk_CUcontext source_context, size_t size, yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    if (!double_context_alive(target_context) || !double_context_alive(source_context))
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    return cuMemcpyDtoDAsync_v2(target, source, size, stream);
}

yk_CUresult cuMemcpy3DAsync_v2(const struct CUDA_MEMCPY3D_st *copy, yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return copy ? give_copy(stream, (const void *)copy) : YK_CUDA_ERROR_INVALID_VALUE;
}

yk_CUresult cuMemcpy3DPeerAsync(const struct CUDA_MEMCPY3D_PEER_st *copy, yk_CUstream stream)
{
    const yk_CUDA_MEMCPY3D *asked = (const void *)copy;

    ENTER(DOUBLE_USABLE);
    if (!asked)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if ((asked->src.MemoryType == YK_CU_MEMORYTYPE_DEVICE && !double_context_alive(asked->src.Context)) ||
        (asked->dst.MemoryType == YK_CU_MEMORYTYPE_DEVICE && !double_context_alive(asked->dst.Context)))
        return YK_CUDA_ERROR_INVALID_CONTEXT;
    return give_copy(stream, asked);
}

/* ---- At once: the legacy default stream is empty, and the others are not ordered with it ---- */

static yk_CUresult copy_now(yk_CUDA_MEMCPY3D copy)
{
    double_work work;
    yk_CUresult result = double_work_copy(&work, &copy);

    double_print_bring_out((unsigned)double_current()->ordinal);
    return result == YK_CUDA_SUCCESS ? double_work_run(&work) : result;
}

yk_CUresult cuMemcpyHtoD_v2(yk_CUdeviceptr target, const void *source, size_t size)
{
    ENTER(DOUBLE_CONTEXT);
    return copy_now(line(device_side(target), host_side(source), size));
}

yk_CUresult cuMemcpyDtoH_v2(void *target, yk_CUdeviceptr source, size_t size)
{
    ENTER(DOUBLE_CONTEXT);
    return copy_now(line(host_side(target), device_side(source), size));
}

/* ---- Fills ---- */

static yk_CUresult give_fill(yk_CUstream stream, const double_fill *fill)
{
    double_work work;
    yk_CUresult result = double_stream_check_for_work(stream);

    if (result == YK_CUDA_SUCCESS)
        result = double_work_fill(&work, fill);
    return result == YK_CUDA_SUCCESS ? double_work_give(stream, &work, false) : result;
}

#define FILL(address, row, bits, columns, rows, bytes) \
    (&(double_fill){                                   \
        .target = (uintptr_t)(address), .pitch = (row), .width = (columns), .height = (rows), .value = (bits), .unit = (bytes) })

yk_CUresult cuMemsetD8Async(yk_CUdeviceptr target, unsigned char value, size_t count, yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, 0, value, count, 1, 1));
}

yk_CUresult cuMemsetD16Async(yk_CUdeviceptr target, unsigned short value, size_t count, yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, 0, value, count, 1, 2));
}

yk_CUresult cuMemsetD32Async(yk_CUdeviceptr target, unsigned int value, size_t count, yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, 0, value, count, 1, 4));
}

yk_CUresult cuMemsetD2D8Async(yk_CUdeviceptr target, size_t pitch, unsigned char value, size_t width, size_t height,
                              yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, pitch, value, width, height, 1));
}

yk_CUresult cuMemsetD2D16Async(yk_CUdeviceptr target, size_t pitch, unsigned short value, size_t width, size_t height,
                               yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, pitch, value, width, height, 2));
}

yk_CUresult cuMemsetD2D32Async(yk_CUdeviceptr target, size_t pitch, unsigned int value, size_t width, size_t height,
                               yk_CUstream stream)
{
    ENTER(DOUBLE_USABLE);
    return give_fill(stream, FILL(target, pitch, value, width, height, 4));
}
