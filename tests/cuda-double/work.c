/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What streams and graphs have in common: a kernel, a copy or a fill, checked when it is asked for and carried out later. A rect of
 * any kind of copy is a CUDA_MEMCPY3D.
 */
#include "driver.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Copies ---- */

enum { UNIFIED = 4 };

/* Where a side begins, and how far it reaches. */
static uintptr_t start_of(const yk_CUcopySide *side)
{
    uintptr_t base = side->MemoryType == YK_CU_MEMORYTYPE_HOST ? (uintptr_t)side->Host : (uintptr_t)side->Device;
    return base + (side->Z * side->Height + side->Y) * side->Pitch + side->XInBytes;
}

static size_t reach_of(const yk_CUDA_MEMCPY3D *copy, const yk_CUcopySide *side)
{
    return ((copy->Depth - 1) * side->Height + copy->Height - 1) * side->Pitch + copy->WidthInBytes;
}

static yk_CUresult check_side(const yk_CUDA_MEMCPY3D *copy, yk_CUcopySide *side)
{
    bool pinned;

    if (side->MemoryType == YK_CU_MEMORYTYPE_ARRAY) {
        yk_CUresult result = double_array_side(copy, side);
        return result == YK_CUDA_SUCCESS ? double_reachable(start_of(side), reach_of(copy, side)) : result;
    }
    if (side->MemoryType != YK_CU_MEMORYTYPE_HOST && side->MemoryType != YK_CU_MEMORYTYPE_DEVICE && side->MemoryType != UNIFIED)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (side->LOD != 0 || side->Pitch > INT_MAX || (copy->Height > 1 && side->Pitch < side->XInBytes + copy->WidthInBytes) ||
        (copy->Depth > 1 && side->Height < side->Y + copy->Height))
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (side->MemoryType == YK_CU_MEMORYTYPE_HOST && !side->Host)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (side->MemoryType == YK_CU_MEMORYTYPE_HOST)
        return double_host_kind((void *)start_of(side), reach_of(copy, side), &pinned);
    return double_reachable(start_of(side), reach_of(copy, side));
}

yk_CUresult double_work_copy(double_work *out, const yk_CUDA_MEMCPY3D *copy)
{
    yk_CUresult result;

    *out = (double_work){ .kind = DOUBLE_COPY, .copy = *copy };
    if (copy->WidthInBytes == 0 || copy->Height == 0 || copy->Depth == 0)
        return YK_CUDA_SUCCESS;
    result = check_side(copy, &out->copy.src);
    return result == YK_CUDA_SUCCESS ? check_side(copy, &out->copy.dst) : result;
}

/* Row by row between what may lie anywhere. */
static void copy_rows(const yk_CUDA_MEMCPY3D *copy)
{
    for (size_t z = 0; z < copy->Depth; z++)
        for (size_t y = 0; y < copy->Height; y++)
            memmove((void *)(start_of(&copy->dst) + (z * copy->dst.Height + y) * copy->dst.Pitch),
                    (void *)(start_of(&copy->src) + (z * copy->src.Height + y) * copy->src.Pitch), copy->WidthInBytes);
}

static bool side_is_there(const yk_CUDA_MEMCPY3D *copy, const yk_CUcopySide *side)
{
    return side->MemoryType == YK_CU_MEMORYTYPE_HOST || double_accessible(start_of(side), reach_of(copy, side));
}

static yk_CUresult run_copy(const yk_CUDA_MEMCPY3D *copy)
{
    if (copy->WidthInBytes == 0 || copy->Height == 0 || copy->Depth == 0)
        return YK_CUDA_SUCCESS;
    double_ranges_read();
    bool there = side_is_there(copy, &copy->src) && side_is_there(copy, &copy->dst);
    if (there)
        copy_rows(copy);
    double_ranges_unlock();
    return there ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* ---- Fills ---- */

static size_t fill_reach(const double_fill *fill)
{
    return (fill->height - 1) * fill->pitch + fill->width * fill->unit;
}

yk_CUresult double_work_fill(double_work *out, const double_fill *fill)
{
    bool rows = fill->height > 1;

    *out = (double_work){ .kind = DOUBLE_FILL, .fill = *fill };
    if ((fill->unit != 1 && fill->unit != 2 && fill->unit != 4) || fill->width > SIZE_MAX / 4)
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (fill->target % fill->unit != 0 || (rows && (fill->pitch % fill->unit != 0 || fill->pitch < fill->width * fill->unit)))
        return YK_CUDA_ERROR_INVALID_VALUE;
    if (fill->width == 0 || fill->height == 0)
        return YK_CUDA_SUCCESS;
    return double_reachable(fill->target, fill_reach(fill));
}

static void fill_row(unsigned char *row, const double_fill *fill)
{
    size_t bytes = fill->width * fill->unit, done = fill->unit;

    memcpy(row, &fill->value, fill->unit); /* little-endian, as every host of CUDA */
    for (; done < bytes; done *= 2)
        memcpy(row + done, row, done < bytes - done ? done : bytes - done);
}

static yk_CUresult run_fill(const double_fill *fill)
{
    if (fill->width == 0 || fill->height == 0)
        return YK_CUDA_SUCCESS;
    double_ranges_read();
    bool there = double_accessible(fill->target, fill_reach(fill));
    for (size_t y = 0; y < fill->height && there; y++)
        fill_row((unsigned char *)fill->target + y * fill->pitch, fill);
    double_ranges_unlock();
    return there ? YK_CUDA_SUCCESS : YK_CUDA_ERROR_ILLEGAL_ADDRESS;
}

/* ---- Work ---- */

yk_CUresult double_work_run(const double_work *work)
{
    switch (work->kind) {
    case DOUBLE_KERNEL:
        return double_function_run(work->function, &work->grid, work->owned);
    case DOUBLE_COPY:
        return run_copy(&work->copy);
    case DOUBLE_NOTHING:
        return YK_CUDA_SUCCESS;
    default:
        return run_fill(&work->fill);
    }
}

bool double_work_clone(double_work *out, const double_work *work)
{
    *out = *work;
    if (!work->owned)
        return true;
    out->owned = malloc(work->owned_size);
    if (out->owned)
        memcpy(out->owned, work->owned, work->owned_size);
    return out->owned != NULL;
}

void double_work_free(double_work *work)
{
    free(work->owned);
    work->owned = NULL;
}

typedef struct work_op {
    double_op op;
    double_work work;
} work_op;

static yk_CUresult run(double_op *op)
{
    return double_work_run(&((work_op *)op)->work);
}

static void end(double_op *op)
{
    double_work_free(&((work_op *)op)->work);
    free(op);
}

yk_CUresult double_work_give(yk_CUstream stream, double_work *work, bool wait)
{
    if (stream->captured && !wait)
        return double_capture_work(stream, work);
    if (stream->captured) {
        double_work_free(work);
        return double_capture_refuse(stream);
    }
    work_op *op = double_op_new(sizeof *op, run, end);
    uint64_t place;

    if (!op) {
        double_work_free(work);
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    }
    op->work = *work;
    place = double_stream_give(stream, &op->op);
    return wait ? double_stream_wait(stream, place) : YK_CUDA_SUCCESS;
}
