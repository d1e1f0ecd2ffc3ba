/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of a call's arrays and ranks: everything is refused before anything is enqueued. */
#include <inttypes.h>

#include <yoke/library.h>

#include "call.h"

static const struct {
    const char *name;
    size_t size;
} dtypes[] = {
#define DTYPE(name, value, text, bytes) [value] = { text, bytes },
    YOKE_DTYPE_LIST(DTYPE)
#undef DTYPE
};
_Static_assert(YCOMM_COUNT_OF(dtypes) == YK_DTYPE_COUNT, "a row for each dtype");

const char *ycomm_dtype_name(int32_t dtype)
{
    return dtype > 0 && dtype < YK_DTYPE_COUNT ? dtypes[dtype].name : "no dtype";
}

/* The number of elements of a contiguous array. */
static yoke_status count_elements(const ycomm_call *call, const char *name, const yoke_array *array, uint64_t *out_count)
{
    uint64_t count = 1;
    bool is_empty = false;
    for (int32_t axis = 0; axis < array->dimensions; axis++) {
        if (array->shape[axis] < 0)
            return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has %" PRId64 " elements along axis %d", name, array->shape[axis],
                              (int)axis);
        is_empty |= array->shape[axis] == 0;
    }
    for (int32_t axis = array->dimensions; axis-- > 0 && !is_empty;) {
        uint64_t extent = (uint64_t)array->shape[axis];
        if (extent > 1 && (array->strides[axis] < 0 || (uint64_t)array->strides[axis] != count))
            return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                              "%s is not contiguous: its elements along axis %d are %" PRId64
                              " apart; copy it into an array that is, with yoke_assign",
                              name, (int)axis, array->strides[axis]);
        if (count > INT64_MAX / 16 / extent)
            return ycomm_fail(call, YOKE_E_RANGE, "%s has more elements than memory has bytes", name);
        count *= extent;
    }
    *out_count = is_empty ? 0 : count;
    return YOKE_OK;
}

static yoke_status check_buffer(const ycomm_call *call, const char *name, yoke_buffer *buffer, bool written)
{
    yoke_device *device = yoke_buffer_get_device(buffer);
    if (!buffer || !device)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "the buffer of %s is NULL, or is not a buffer", name);
    if (device != call->comm->device)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is of another device than the communicator", name);
    if (yoke_buffer_get_kind(buffer) == YOKE_MEMORY_PINNED)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s lies in a pinned buffer, which is the host's memory", name);
    if (written && yoke_buffer_is_read_only(buffer))
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is written, but lies in a read-only view", name);
    return YOKE_OK;
}

yoke_status ycomm_check_array(const ycomm_call *call, const char *name, const yoke_array *array, bool written,
                              ycomm_region *out_region)
{
    *out_region = (ycomm_region){ .count = 0 };
    if (!array)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is NULL", name);
    if (array->dtype <= 0 || array->dtype >= YK_DTYPE_COUNT)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is not an array: its dtype is %d", name, (int)array->dtype);
    if (array->dimensions < 0 || array->dimensions > YOKE_MAX_DIMENSIONS)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has %d dimensions; 0 to %d are possible", name, (int)array->dimensions,
                          (int)YOKE_MAX_DIMENSIONS);
    if (array->flags)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the flags 0x%" PRIx64 ", which are reserved: zero the struct",
                          name, array->flags);
    uint64_t count = 0;
    yoke_status status = check_buffer(call, name, array->buffer, written);
    if (status == YOKE_OK)
        status = count_elements(call, name, array, &count);
    if (status != YOKE_OK)
        return status;
    size_t element = dtypes[array->dtype].size, base = 0;
    uint64_t size = yoke_buffer_get_size(array->buffer);
    yoke_buffer *root = yoke_buffer_get_root(array->buffer, &base);
    if (array->offset > size || count * element > size - array->offset)
        return ycomm_fail(call, YOKE_E_RANGE,
                          "%s reaches past the end of its buffer: %" PRIu64 " elements of %s from byte %" PRIu64 " on, in %" PRIu64
                          " bytes",
                          name, count, dtypes[array->dtype].name, array->offset, size);
    if ((base + array->offset) % element != 0)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT,
                          "%s begins %" PRIu64
                          " bytes from the start of its memory, which is not a multiple of the %zu bytes of %s",
                          name, base + array->offset, element, dtypes[array->dtype].name);
    *out_region = (ycomm_region){
        .buffer = array->buffer,
        .offset = array->offset,
        .count = count,
        .dtype = array->dtype,
        .element = element,
        .root = root,
        .first = base + array->offset,
        .beyond = base + array->offset + count * element,
    };
    return YOKE_OK;
}

bool ycomm_overlap(const ycomm_region *a, const ycomm_region *b)
{
    return a->root && a->root == b->root && a->first < b->beyond && b->first < a->beyond;
}

yoke_status ycomm_check_rank(const ycomm_call *call, const char *name, int32_t rank)
{
    if (rank < 0 || rank >= call->comm->ranks)
        return ycomm_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is rank %d, but the communicator has ranks 0 to %d", name, (int)rank,
                          (int)call->comm->ranks - 1);
    return YOKE_OK;
}
