/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of an operation's arrays: valid, within their buffers, of this device, and not overlapping where that matters. */
#include <inttypes.h>
#include <string.h>

#include <yoke/library.h>

#include "array/collide.h"
#include "call.h"

static yoke_status check_members(const yops_call *call, const char *name, const yoke_array *array)
{
    if (!array)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is NULL", name);
    if (array->dtype == 0) {
        const char *reason = yops_why_no_array();
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is not an array%s%.500s", name,
                         reason ? ", because it could not be made: " : ": its dtype is 0", reason ? reason : "");
    }
    if (!yops_is_dtype(array->dtype))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %d, which does not exist", name, (int)array->dtype);
    if (array->dimensions < 0 || array->dimensions > YOKE_MAX_DIMENSIONS)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has %d dimensions: 0 to %d are possible", name, (int)array->dimensions,
                         YOKE_MAX_DIMENSIONS);
    for (int32_t i = 0; i < array->dimensions; i++)
        if (array->shape[i] < 0)
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has an extent of %" PRId64 " along axis %d", name, array->shape[i],
                             (int)i);
    if (array->flags)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the flags 0x%" PRIx64 ", which are reserved: zero the struct", name,
                         array->flags);
    return YOKE_OK;
}

/* The elements before and after the one whose indices are all 0; false on overflow. out_count: all elements, -1 on overflow. */
static bool get_reach(const yoke_array *array, int64_t *out_below, int64_t *out_above, int64_t *out_count)
{
    int64_t below = 0, above = 0, count = 1;
    for (int32_t i = 0; i < array->dimensions; i++)
        if (array->shape[i] == 0)
            count = 0;
    for (int32_t i = 0; i < array->dimensions && count != 0; i++) {
        int64_t span;
        if (count > 0 && __builtin_mul_overflow(count, array->shape[i], &count))
            count = -1;
        if (__builtin_mul_overflow(array->shape[i] - 1, array->strides[i], &span) ||
            __builtin_add_overflow(span < 0 ? below : above, span, span < 0 ? &below : &above))
            return false;
    }
    *out_below = below;
    *out_above = above;
    *out_count = count;
    return true;
}

static yoke_status check_range(const yops_call *call, const char *name, const yoke_array *array, yops_place *out_place)
{
    size_t size = yoke_dtype_get_size(array->dtype), root_offset = 0, available = yoke_buffer_get_size(array->buffer);
    size_t odd_bits = size - 1; /* sizes are powers of two, and a division takes as long as all the rest */
    int64_t below, above, count = -1, first = 0, last = 0, bytes;
    out_place->root = yoke_buffer_get_root(array->buffer, &root_offset);
    uint64_t offset = root_offset + array->offset;
    if (array->offset > INT64_MAX || (offset & odd_bits) != 0)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "%s begins %" PRIu64 " bytes from the start of its memory, which is not a multiple of the %zu bytes of %s",
                         name, offset, size, yoke_dtype_get_name(array->dtype));
    if ((yoke_buffer_get_misalignment(out_place->root) & odd_bits) != 0)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "the memory of %s begins at an address that is not a multiple of the %zu bytes of %s", name, size,
                         yoke_dtype_get_name(array->dtype));
    out_place->origin = (int64_t)(offset >> __builtin_ctzll(size));
    bool fits = get_reach(array, &below, &above, &count);
    if (count == 0) {
        out_place->first = 1;
        out_place->last = 0;
        return YOKE_OK;
    }
    fits = fits && !__builtin_mul_overflow(below, (int64_t)size, &first) && !__builtin_mul_overflow(above, (int64_t)size, &last) &&
           !__builtin_add_overflow(first, (int64_t)array->offset, &first) &&
           !__builtin_add_overflow(last, (int64_t)(array->offset + size - 1), &last) && first >= 0 && (uint64_t)last < available;
    if (!fits)
        return yops_fail(
            call, YOKE_E_RANGE, "%s, of %s and shape %s from byte %" PRIu64 ", does not lie within its buffer of %zu bytes", name,
            yoke_dtype_get_name(array->dtype), yops_shape(array->dimensions, array->shape).text, array->offset, available);
    if (count < 0 || __builtin_mul_overflow(count, (int64_t)size, &bytes)) /* strides of 0 */
        return yops_fail(call, YOKE_E_RANGE, "%s has the shape %s: it has more than 2^63 bytes", name,
                         yops_shape(array->dimensions, array->shape).text);
    out_place->first = root_offset + (uint64_t)first;
    out_place->last = root_offset + (uint64_t)last;
    return YOKE_OK;
}

static yoke_status refuse_device(const yops_call *call, const char *name, const yoke_device *device)
{
    yoke_device_info its = YOKE_DEVICE_INFO_INIT, streams = YOKE_DEVICE_INFO_INIT;
    yoke_status status = yoke_device_get_info(device, &its);
    if (status == YOKE_OK)
        status = yoke_device_get_info(call->device, &streams);
    if (status < 0)
        return status;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                     "%s lies on another device (%s) than the stream (%s); both must come from one yoke_device_open", name,
                     its.selector, streams.selector);
}

yoke_status yops_check_input(const yops_call *call, const char *name, const yoke_array *array, yops_place *out_place)
{
    yoke_status status = check_members(call, name, array);
    if (status < 0)
        return status;
    yoke_device *device = yoke_buffer_get_device(array->buffer);
    if (!device)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the buffer of %s is %s", name,
                         array->buffer ? "not a buffer, or has been released" : "NULL");
    if (device != call->device)
        return refuse_device(call, name, device);
    if (yoke_buffer_get_kind(array->buffer) == YOKE_MEMORY_PINNED)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s lies in pinned host memory: use YOKE_MEMORY_MAPPED or device memory",
                         name);
    if (yops_needs_f64(array->dtype) && !yoke_device_supports(call->device, YOKE_CAP_FP64))
        return yops_fail(call, YOKE_E_UNSUPPORTED, "%s has the dtype %s, which this device lacks: %s", name,
                         yoke_dtype_get_name(array->dtype), yoke_device_lacks(call->device, YOKE_CAP_FP64));
    return check_range(call, name, array, out_place);
}

/* Whether it is easy to see that no two indices lead to one element: sorted by stride, each axis steps over all that the smaller
 * ones reach, as in all that views of arrays make. */
static bool is_plain(const yoke_array *array)
{
    bool done[YOKE_MAX_DIMENSIONS] = { false };
    uint64_t reach = 0;
    for (int32_t round = 0; round < array->dimensions; round++) {
        int32_t least = 0;
        while (done[least])
            least++;
        for (int32_t i = least + 1; i < array->dimensions; i++)
            if (!done[i] && yops_distance(array->strides[i]) < yops_distance(array->strides[least]))
                least = i;
        done[least] = true;
        if (array->shape[least] == 1)
            continue;
        uint64_t stride = yops_distance(array->strides[least]);
        if (stride <= reach)
            return false;
        reach += stride * (uint64_t)(array->shape[least] - 1);
    }
    return true;
}

yoke_status yops_check_output(const yops_call *call, const char *name, const yoke_array *array, yops_place *out_place)
{
    yoke_status status = yops_check_input(call, name, array, out_place);
    if (status < 0)
        return status;
    if (yoke_buffer_is_read_only(array->buffer))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is written, but its buffer is a read-only view", name);
    if (out_place->first > out_place->last || is_plain(array))
        return YOKE_OK;
    yops_collision found = yops_collides_with_itself(array);
    if (found == YOPS_APART)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s is written, but %s: shape %s, strides %s", name,
                     found == YOPS_COLLIDES
                         ? "several of its elements lie at one place"
                         : "it would take too long to see whether its elements lie at different places (as where "
                           "each stride exceeds what the smaller ones reach)",
                     yops_shape(array->dimensions, array->shape).text, yops_shape(array->dimensions, array->strides).text);
}

/* ---- Positions and counts ---- */

yoke_status yops_check_count(const yops_call *call, const char *name, int32_t dtype, uint64_t most)
{
    size_t bits = 8 * yoke_dtype_get_size(dtype) - (size_t)yops_is_signed(dtype);
    if (dtype == YOKE_BOOL)
        bits = 1;
    if (bits >= 64 || most >> bits == 0)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_RANGE, "%s has the dtype %s, which does not hold %" PRIu64 ", the largest number that it may get",
                     name, yoke_dtype_get_name(dtype), most);
}

yoke_status yops_check_positions(const yops_call *call, const char *name, int32_t dtype, uint64_t most)
{
    if (!yops_is_integer(dtype) || yoke_dtype_get_size(dtype) < 4)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s: positions and counts need an integer of 4 or 8 bytes",
                         name, yoke_dtype_get_name(dtype));
    return yops_check_count(call, name, dtype, most);
}

/* ---- Axes ---- */

yoke_status yops_check_axes(const yops_call *call, int32_t dimensions, const int32_t *axes, size_t axis_count, bool *out_named)
{
    for (int32_t i = 0; i < dimensions; i++)
        out_named[i] = false;
    if (!axes && axis_count > 0)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "axes is NULL, and axis_count is %zu", axis_count);
    for (size_t i = 0; i < axis_count; i++) {
        if (axes[i] < 0 || axes[i] >= dimensions)
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "axis %d is out of range: the array has %d dimension%s", (int)axes[i],
                             (int)dimensions, dimensions == 1 ? "" : "s");
        if (out_named[axes[i]])
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "axis %d is named twice: the array has %d dimension%s", (int)axes[i],
                             (int)dimensions, dimensions == 1 ? "" : "s");
        out_named[axes[i]] = true;
    }
    return YOKE_OK;
}

/* ---- Overlap ---- */

static bool same_elements(const yoke_array *a, const yops_place *place_a, const yoke_array *b, const yops_place *place_b)
{
    if (place_a->origin != place_b->origin || yoke_dtype_get_size(a->dtype) != yoke_dtype_get_size(b->dtype) ||
        a->dimensions != b->dimensions)
        return false;
    for (int32_t i = 0; i < a->dimensions; i++)
        if (a->shape[i] != b->shape[i] || (a->shape[i] > 1 && a->strides[i] != b->strides[i]))
            return false;
    return true;
}

/* The bytes modulo `modulus` that the elements may touch: from *out_first on, *out_width of them. False when that may be all. */
static bool get_residues(const yoke_array *array, uint64_t origin, uint64_t modulus, uint64_t *out_first, uint64_t *out_width)
{
    uint64_t size = yoke_dtype_get_size(array->dtype), below = 0, width = size;
    for (int32_t i = 0; i < array->dimensions; i++) {
        uint64_t stride = yops_distance(array->strides[i]) * size, span = stride * (uint64_t)(array->shape[i] - 1);
        if (stride % modulus == 0)
            continue;
        below += array->strides[i] < 0 ? span : 0;
        width += span;
        if (width > modulus)
            return false;
    }
    *out_first = (origin % modulus + modulus - below % modulus) % modulus;
    *out_width = width;
    return true;
}

/* Whether the two are apart modulo some stride of either: columns, or the halves of a picture. */
static bool are_interleaved(const yoke_array *a, uint64_t origin_a, const yoke_array *b, uint64_t origin_b)
{
    const yoke_array *both[] = { a, b };
    for (int side = 0; side < 2; side++)
        for (int32_t i = 0; i < both[side]->dimensions; i++) {
            uint64_t modulus = yops_distance(both[side]->strides[i]) * yoke_dtype_get_size(both[side]->dtype);
            uint64_t first_a, width_a, first_b, width_b;
            if (modulus == 0 || both[side]->shape[i] == 1 || !get_residues(a, origin_a, modulus, &first_a, &width_a) ||
                !get_residues(b, origin_b, modulus, &first_b, &width_b))
                continue;
            if ((first_b + modulus - first_a) % modulus >= width_a && (first_a + modulus - first_b) % modulus >= width_b)
                return true;
        }
    return false;
}

yoke_status yops_check_overlap(const yops_call *call, const char *out_name, const yoke_array *out, const yops_place *out_place,
                               const char *name, const yoke_array *array, const yops_place *place, bool same_allowed)
{
    bool empty = out_place->first > out_place->last || place->first > place->last;
    if (empty || out_place->root != place->root || out_place->last < place->first || place->last < out_place->first)
        return YOKE_OK;
    if (same_allowed && same_elements(out, out_place, array, place))
        return YOKE_OK;
    uint64_t out_origin = (uint64_t)out_place->origin * yoke_dtype_get_size(out->dtype);
    if (are_interleaved(out, out_origin, array, (uint64_t)place->origin * yoke_dtype_get_size(array->dtype)))
        return YOKE_OK;
    yops_collision found = yops_collide(out, out_place, array, place);
    if (found == YOPS_APART)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                     "%s %s %s: bytes %" PRIu64 " to %" PRIu64 " and %" PRIu64 " to %" PRIu64 " of one buffer%s", out_name,
                     found == YOPS_COLLIDES ? "overlaps" : "is interleaved with, and may overlap,", name, out_place->first,
                     out_place->last, place->first, place->last, same_allowed ? "; only the very same elements are allowed" : "");
}

/* ---- Shapes ---- */

yoke_status yops_check_same_shape(const yops_call *call, const char *name, const yoke_array *array, const char *other_name,
                                  const yoke_array *other)
{
    if (array->dimensions == other->dimensions &&
        memcmp(array->shape, other->shape, (size_t)array->dimensions * sizeof *array->shape) == 0)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the shape %s, and %s has the shape %s: they must be the same", name,
                     yops_shape(array->dimensions, array->shape).text, other_name,
                     yops_shape(other->dimensions, other->shape).text);
}

yoke_status yops_broadcast(const yops_call *call, const char *name, const yoke_array *array, int32_t dimensions,
                           const int64_t *shape, yoke_array *out_array)
{
    if (array->dimensions == dimensions && memcmp(array->shape, shape, (size_t)dimensions * sizeof *shape) == 0)
        *out_array = *array;
    else
        *out_array = yoke_array_broadcast(*array, dimensions, shape);
    if (out_array->dtype)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the shape %s, which does not broadcast to %s", name,
                     yops_shape(array->dimensions, array->shape).text, yops_shape(dimensions, shape).text);
}

yoke_status yops_check_number(const yops_call *call, const char *name, yoke_number value)
{
    if (!yops_is_dtype(value.dtype))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %d, which does not exist: use YOKE_NUMBER(1.5f)", name,
                         (int)value.dtype);
    return YOKE_OK;
}

yoke_status yops_check_limit(const yops_call *call, const char *name, yoke_number value)
{
    if (yops_is_complex(value.dtype))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s: complex numbers have no order", name,
                         yoke_dtype_get_name(value.dtype));
    return yops_check_number(call, name, value);
}
