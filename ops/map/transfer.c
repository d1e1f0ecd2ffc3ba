/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole arrays to and from host memory. What is contiguous is copied as it lies, else by way of a contiguous temporary array: bytes
 * are moved either way, so that those of a bool other than 0 and 1 stay what they are.
 */
#include "call/call.h"

/* Where a transfer's elements lie on the device, one after the other: in the array itself, or in `temporary`. */
typedef struct transfer {
    yops_call call;
    yops_place place;
    yoke_array packed;
    yoke_buffer *temporary;
    size_t size; /* bytes; 0: nothing to do */
} transfer;

static yoke_status begin(transfer *t, const char *function, const char *where, yoke_stream *stream, const yoke_array *array,
                         const void *host, bool is_written)
{
    *t = (transfer){ .temporary = NULL };
    yoke_status status = yops_begin(&t->call, function, where, stream);
    if (status == YOKE_OK)
        status = (is_written ? yops_check_output : yops_check_input)(&t->call, "array", array, &t->place);
    if (status < 0 || t->place.first > t->place.last)
        return status;
    if (!host)
        return yops_fail(&t->call, YOKE_E_INVALID_ARGUMENT, "%s is NULL, and array has the shape %s",
                         is_written ? "source" : "target", yops_shape(array->dimensions, array->shape).text);
    uint64_t size;
    if (__builtin_mul_overflow((uint64_t)yoke_array_get_size(array), yoke_dtype_get_size(array->dtype), &size) || size > SIZE_MAX)
        return yops_fail(&t->call, YOKE_E_RANGE, "array has the shape %s, which is more than host memory holds",
                         yops_shape(array->dimensions, array->shape).text);
    t->size = (size_t)size;
    t->packed = *array;
    if (yoke_array_is_contiguous(array))
        return YOKE_OK;
    status = yops_temporary(&t->call, size, &t->temporary);
    if (status == YOKE_OK) /* else its record would take the failure's place */
        t->packed = yoke_array_nd(t->temporary, array->dtype, array->dimensions, array->shape);
    return status;
}

/* Assignments to bool write 0 and 1. */
static yoke_array as_bytes(yoke_array array)
{
    array.dtype = array.dtype == YOKE_BOOL ? YOKE_U8 : array.dtype;
    return array;
}

static yoke_status move(const transfer *t, yoke_array to, yoke_array from)
{
    to = as_bytes(to);
    from = as_bytes(from);
    return yoke_assign_at(t->call.where, t->call.stream, &to, &from);
}

yoke_status yoke_write_array_at(const char *where, yoke_stream *stream, const yoke_array *array, const void *source)
{
    transfer t;
    yoke_status status = begin(&t, "yoke_write_array", where, stream, array, source, true);
    if (status == YOKE_OK && t.size > 0)
        status = yoke_write_at(where, stream, t.packed.buffer, (size_t)t.packed.offset, source, t.size);
    if (status == YOKE_OK && t.temporary)
        status = move(&t, *array, t.packed);
    yoke_buffer_release(t.temporary);
    return status;
}

yoke_status yoke_read_array_at(const char *where, yoke_stream *stream, void *target, const yoke_array *array)
{
    transfer t;
    yoke_status status = begin(&t, "yoke_read_array", where, stream, array, target, false);
    if (status == YOKE_OK && t.temporary)
        status = move(&t, t.packed, *array);
    if (status == YOKE_OK && t.size > 0)
        status = yoke_read_at(where, stream, target, t.packed.buffer, (size_t)t.packed.offset, t.size);
    yoke_buffer_release(t.temporary);
    return status;
}
