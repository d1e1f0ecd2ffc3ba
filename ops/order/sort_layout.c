/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of any layout, as contiguous ones for the kernels of sorts. */
#include <stdio.h>

#include "sort.h"

enum { MOVE_THREADS = 256 };

yoke_status yops_move_kernel(const yops_call *call, size_t bytes, yoke_kernel **out_kernel)
{
    char options[40];
    yops_write(options, sizeof options, "VALUE_BYTES=%u", (unsigned)bytes);
    return yops_kernel(call, "sort_layout", options, "move_elements", out_kernel);
}

yoke_status yops_pack(const yops_call *call, const yoke_array *array, const yops_place *place, yops_packed *out_packed)
{
    size_t size = yoke_dtype_get_size(array->dtype);
    *out_packed = (yops_packed){ .array = *array, .place = *place, .span = { place->root, place->origin } };
    if (yoke_array_is_contiguous(array) || yoke_array_get_size(array) == 0)
        return YOKE_OK;
    yoke_status status = yops_move_kernel(call, size, &out_packed->mover);
    if (status == YOKE_OK)
        status = yops_temporary(call, (uint64_t)yoke_array_get_size(array) * size, &out_packed->temporary);
    out_packed->span = (yops_span){ out_packed->temporary, 0 };
    return status;
}

static yoke_status move(const yops_call *call, yoke_kernel *mover, const yoke_array *array, int64_t origin, yoke_buffer *buffer,
                        yops_span packed, int64_t pitch, bool gather)
{
    int64_t n[YOKE_MAX_DIMENSIONS], s[YOKE_MAX_DIMENSIONS], count = yoke_array_get_size(array);
    for (int32_t i = 0; i < YOKE_MAX_DIMENSIONS; i++) {
        int32_t axis = array->dimensions - 1 - i;
        n[i] = axis >= 0 ? array->shape[axis] : 1;
        s[i] = axis >= 0 ? array->strides[axis] : 0;
    }
    uint64_t blocks = ((uint64_t)count + MOVE_THREADS - 1) / MOVE_THREADS;
    if (count == 0)
        return YOKE_OK;
    return yops_launch(call, mover, blocks, MOVE_THREADS,
                       YOKE_ARGS(buffer, origin, packed.buffer, packed.origin, (uint32_t)gather, count, pitch, n[0], n[1], n[2],
                                 n[3], n[4], n[5], n[6], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]));
}

static yoke_status pack_move(const yops_call *call, const yops_packed *packed, bool gather)
{
    const yoke_array *a = &packed->array;
    if (!packed->temporary)
        return YOKE_OK;
    return move(call, packed->mover, a, packed->place.origin, packed->place.root, packed->span, a->shape[a->dimensions - 1],
                gather);
}

yoke_status yops_pack_in(const yops_call *call, const yops_packed *packed)
{
    return pack_move(call, packed, true);
}

yoke_status yops_pack_out(const yops_call *call, const yops_packed *packed)
{
    return pack_move(call, packed, false);
}

void yops_packed_release(yops_packed *packed)
{
    yoke_buffer_release(packed->temporary);
    packed->temporary = NULL;
}

yoke_status yops_move_front(const yops_call *call, yoke_kernel *mover, yops_span to, yops_span from, int64_t rows, int64_t most,
                            int64_t pitch)
{
    yoke_array array = { .dimensions = 2, .dtype = YOKE_U8, .shape = { rows, most }, .strides = { most, 1 } };
    return move(call, mover, &array, to.origin, to.buffer, from, pitch, false);
}
