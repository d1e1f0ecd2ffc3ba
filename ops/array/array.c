/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays: constructors, and views as arithmetic on the struct. A mistake returns an array of dtype 0 and leaves a record. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "array.h"

static const yoke_array no_array;

/* ---- Shapes ---- */

yops_shape_text yops_shape(int32_t dimensions, const int64_t *shape)
{
    yops_shape_text t = { "(" };
    size_t length = 1;
    for (int32_t i = 0; i < dimensions && i < YOKE_MAX_DIMENSIONS; i++)
        length += (size_t)snprintf(t.text + length, sizeof t.text - length, "%s%" PRId64, i ? ", " : "", shape[i]);
    snprintf(t.text + length, sizeof t.text - length, ")");
    return t;
}

bool yops_widen(int32_t *dimensions, int64_t *shape, const yoke_array *array)
{
    int32_t more = array->dimensions - *dimensions;
    if (more > 0) {
        memmove(shape + more, shape, (size_t)*dimensions * sizeof *shape);
        for (int32_t i = 0; i < more; i++)
            shape[i] = 1;
        *dimensions = array->dimensions;
    }
    for (int32_t i = 1; i <= array->dimensions; i++) {
        int64_t extent = array->shape[array->dimensions - i], *mine = &shape[*dimensions - i];
        if (*mine != extent && *mine != 1 && extent != 1)
            return false;
        *mine = *mine == 1 ? extent : *mine;
    }
    return true;
}

const char *yops_why_no_array(void)
{
    const yoke_error_info *newest = yoke_error();
    return newest->status < 0 && strncmp(newest->text, "yoke_array_", strlen("yoke_array_")) == 0 ? newest->text : NULL;
}

/* The number of elements; false when it, or their size in bytes, exceeds INT64_MAX. */
static bool count_elements(int32_t dimensions, const int64_t *shape, size_t bytes, int64_t *out_count)
{
    int64_t count = 1;
    bool overflow = false;
    for (int32_t i = 0; i < dimensions; i++)
        if (shape[i] == 0) {
            *out_count = 0;
            return true;
        } else if (__builtin_mul_overflow(count, shape[i], &count)) {
            overflow = true;
        }
    int64_t size;
    *out_count = overflow ? 0 : count;
    return !overflow && !__builtin_mul_overflow(count, (int64_t)bytes, &size);
}

/* Whether a struct that a program may have filled has a dtype and extents. */
static bool is_shaped(const yoke_array *array)
{
    bool is_valid = yops_is_dtype(array->dtype) && array->dimensions >= 0 && array->dimensions <= YOKE_MAX_DIMENSIONS;
    for (int32_t i = 0; is_valid && i < array->dimensions; i++)
        is_valid = array->shape[i] >= 0;
    return is_valid;
}

int64_t yoke_array_get_size(const yoke_array *array)
{
    int64_t count = 0;
    if (!array || !is_shaped(array))
        return 0;
    return count_elements(array->dimensions, array->shape, 1, &count) ? count : 0;
}

/* The strides of an empty array lead nowhere: they may be too large for a number, and are then 0. */
static void set_contiguous(yoke_array *array)
{
    int64_t stride = 1;
    for (int32_t i = array->dimensions - 1; i >= 0; i--) {
        array->strides[i] = stride;
        if (array->shape[i] > 0 && __builtin_mul_overflow(stride, array->shape[i], &stride))
            stride = 0;
    }
}

int32_t yoke_array_is_contiguous(const yoke_array *array)
{
    int64_t stride = 1, count;
    bool is_contiguous = array && is_shaped(array);
    if (is_contiguous && count_elements(array->dimensions, array->shape, 1, &count) && count == 0)
        return 1;
    for (int32_t i = is_contiguous ? array->dimensions - 1 : -1; i >= 0 && is_contiguous; i--) {
        is_contiguous = array->shape[i] == 1 || array->strides[i] == stride;
        if (__builtin_mul_overflow(stride, array->shape[i], &stride)) /* more elements than there can be */
            is_contiguous = false;
    }
    return is_contiguous;
}

/* ---- Constructors ---- */

static yoke_status check_shape(const char *function, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    int64_t count;
    if (!yops_is_dtype(dtype))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: %d is not a dtype: use YOKE_F32 or another YOKE_ dtype", function,
                         (int)dtype);
    if (dimensions < 0 || dimensions > YOKE_MAX_DIMENSIONS)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: an array has 0 to %d dimensions, not %d", function, YOKE_MAX_DIMENSIONS,
                         (int)dimensions);
    if (dimensions > 0 && !shape)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: shape is NULL", function);
    for (int32_t i = 0; i < dimensions; i++)
        if (shape[i] < 0)
            return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the extent of axis %d is %" PRId64, function, (int)i, shape[i]);
    if (!count_elements(dimensions, shape, yoke_dtype_get_size(dtype), &count))
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: an array of shape %s exceeds 2^63 bytes", function,
                         yops_shape(dimensions, shape).text);
    return YOKE_OK;
}

static yoke_array make(const char *function, yoke_buffer *buffer, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    yoke_array array = { buffer, 0, dtype, dimensions, { 0 }, { 0 }, 0 };
    if (check_shape(function, dtype, dimensions, shape) < 0)
        return no_array;
    if (!buffer) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: buffer is NULL", function);
        return no_array;
    }
    if (dimensions > 0)
        memcpy(array.shape, shape, (size_t)dimensions * sizeof *shape);
    set_contiguous(&array);
    return array;
}

yoke_array yoke_array_1d(yoke_buffer *buffer, int32_t dtype, int64_t n)
{
    return make("yoke_array_1d", buffer, dtype, 1, &n);
}

yoke_array yoke_array_2d(yoke_buffer *buffer, int32_t dtype, int64_t rows, int64_t columns)
{
    return make("yoke_array_2d", buffer, dtype, 2, (const int64_t[]){ rows, columns });
}

yoke_array yoke_array_3d(yoke_buffer *buffer, int32_t dtype, int64_t slices, int64_t rows, int64_t columns)
{
    return make("yoke_array_3d", buffer, dtype, 3, (const int64_t[]){ slices, rows, columns });
}

yoke_array yoke_array_nd(yoke_buffer *buffer, int32_t dtype, int32_t dimensions, const int64_t *shape)
{
    return make("yoke_array_nd", buffer, dtype, dimensions, shape);
}

yoke_status yoke_array_create(yoke_device *device, int32_t dtype, int32_t dimensions, const int64_t *shape, yoke_array *out_array)
{
    static const char function[] = "yoke_array_create";
    if (!out_array)
        return yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_array is NULL", function);
    *out_array = no_array;
    yoke_status status = check_shape(function, dtype, dimensions, shape);
    if (status < 0)
        return status;
    int64_t count = 0;
    yoke_buffer *buffer;
    count_elements(dimensions, shape, 1, &count);
    status = yoke_buffer_create(device, (size_t)(count > 0 ? count : 1) * yoke_dtype_get_size(dtype), &buffer);
    if (status == YOKE_OK)
        *out_array = make(function, buffer, dtype, dimensions, shape);
    return status;
}

/* ---- Views ---- */

/* Whether a view can be made of the array; a failure keeps the reason why the array itself failed. */
static bool is_array(const char *function, const yoke_array *array)
{
    bool is_known = yops_is_dtype(array->dtype) && array->dimensions >= 0 && array->dimensions <= YOKE_MAX_DIMENSIONS;
    if (is_shaped(array))
        return true;
    const char *reason = array->dtype == 0 ? yops_why_no_array() : NULL;
    if (reason)
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the array could not be made: %.500s", function, reason);
    else if (is_known)
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the array has the shape %s: an extent is negative", function,
                  yops_shape(array->dimensions, array->shape).text);
    else
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the array is not one: dtype %d, %d dimensions", function, (int)array->dtype,
                  (int)array->dimensions);
    return false;
}

/* A view whose stride or place does not fit a number. */
static yoke_array refuse_strides(const char *function, const yoke_array *array)
{
    yoke_fail(YOKE_E_INVALID_ARGUMENT,
              "%s: the array has the strides %s and the offset %" PRIu64 ", with which the view exceeds 2^63", function,
              yops_shape(array->dimensions, array->strides).text, array->offset);
    return no_array;
}

static bool has_axis(const char *function, const yoke_array *array, int32_t axis)
{
    if (!is_array(function, array))
        return false;
    if (axis >= 0 && axis < array->dimensions)
        return true;
    yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: axis %d of an array of shape %s", function, (int)axis,
              yops_shape(array->dimensions, array->shape).text);
    return false;
}

/* Move the array's first element by `index` strides of an axis. An empty array stays where it is. False: the place is no number. */
static bool advance(yoke_array *array, int32_t axis, int64_t index)
{
    int64_t distance, offset = (int64_t)array->offset;
    if (yoke_array_get_size(array) == 0)
        return true;
    if (__builtin_mul_overflow(index, array->strides[axis], &distance) ||
        __builtin_mul_overflow(distance, (int64_t)yoke_dtype_get_size(array->dtype), &distance) ||
        __builtin_add_overflow(offset, distance, &offset))
        return false;
    array->offset = (uint64_t)offset;
    return true;
}

static int64_t limit(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

yoke_array yoke_array_slice(yoke_array array, int32_t axis, int64_t start, int64_t stop, int64_t step)
{
    static const char function[] = "yoke_array_slice";
    if (!has_axis(function, &array, axis))
        return no_array;
    if (step == 0 || step == INT64_MIN) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: step is %" PRId64, function, step);
        return no_array;
    }
    /* As Python: with a negative step the ends are n - 1 and -1. */
    int64_t n = array.shape[axis], low = step < 0 ? -1 : 0, high = step < 0 ? n - 1 : n;
    bool to_end = stop == YOKE_SLICE_END;
    start = limit(start < 0 ? start + n : start, low, high);
    stop = to_end ? (step < 0 ? -1 : n) : limit(stop < 0 ? stop + n : stop, low, high);
    int64_t distance = step < 0 ? start - stop : stop - start, size = step < 0 ? -step : step;
    int64_t extent = distance <= 0 ? 0 : (distance - 1) / size + 1;
    yoke_array view = array;
    if (extent > 0 && !advance(&view, axis, start)) /* else the start may be the place before the first, or behind the last */
        return refuse_strides(function, &array);
    view.shape[axis] = extent;
    if (extent > 1 && __builtin_mul_overflow(array.strides[axis], step, &view.strides[axis])) {
        if (yoke_array_get_size(&array) > 0)
            return refuse_strides(function, &array);
        view.strides[axis] = 0;
    }
    return view;
}

static void remove_axis(yoke_array *array, int32_t axis)
{
    for (int32_t i = axis; i + 1 < array->dimensions; i++) {
        array->shape[i] = array->shape[i + 1];
        array->strides[i] = array->strides[i + 1];
    }
    array->dimensions--;
    array->shape[array->dimensions] = array->strides[array->dimensions] = 0;
}

yoke_array yoke_array_index(yoke_array array, int32_t axis, int64_t index)
{
    static const char function[] = "yoke_array_index";
    if (!has_axis(function, &array, axis))
        return no_array;
    int64_t n = array.shape[axis];
    if (index < -n || index >= n) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: index %" PRId64 " of axis %d, whose extent is %" PRId64, function, index, (int)axis,
                  n);
        return no_array;
    }
    yoke_array view = array;
    if (!advance(&view, axis, index < 0 ? index + n : index))
        return refuse_strides(function, &array);
    remove_axis(&view, axis);
    return view;
}

yoke_array yoke_array_transpose(yoke_array array, const int32_t *axes)
{
    static const char function[] = "yoke_array_transpose";
    if (!is_array(function, &array))
        return no_array;
    yoke_array result = array;
    uint32_t seen = 0;
    for (int32_t i = 0; i < array.dimensions; i++) {
        int32_t from = axes ? axes[i] : array.dimensions - 1 - i;
        if (from < 0 || from >= array.dimensions || seen >> from & 1) {
            yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: axes[%d] is %d: the list must name each of the %d axes once", function, (int)i,
                      (int)from, (int)array.dimensions);
            return no_array;
        }
        seen |= 1u << from;
        result.shape[i] = array.shape[from];
        result.strides[i] = array.strides[from];
    }
    return result;
}

/* Fill in the one extent of -1. False when there are two, or when no number fits. */
static bool complete_shape(int64_t count, int32_t dimensions, int64_t *shape)
{
    int64_t known = 1;
    int32_t unknown = -1;
    for (int32_t i = 0; i < dimensions; i++)
        known = shape[i] == 0 ? 0 : known; /* which the product of the others may be too large for */
    for (int32_t i = 0; i < dimensions; i++) {
        if (shape[i] == -1 && unknown >= 0)
            return false;
        if (shape[i] == -1)
            unknown = i;
        else if (shape[i] < 0 || __builtin_mul_overflow(known, shape[i], &known))
            return false;
    }
    if (unknown < 0)
        return known == count;
    if (known == 0 || count % known != 0)
        return false;
    shape[unknown] = count / known;
    return true;
}

/* Give `to` strides so that its elements in order are those of `from`, whose axes have no extent of 1. Groups of axes of both with
 * the same number of elements are matched; within a group the axes of `from` must lie behind each other. */
static bool match_strides(const yoke_array *from, yoke_array *to)
{
    int32_t i = from->dimensions, j = to->dimensions;
    while (i > 0) {
        int64_t have = from->shape[--i], stride = from->strides[i], got = 1, reach;
        int32_t begin = j;
        for (;;) {
            while (got < have && j > 0)
                got *= to->shape[--j];
            if (got == have)
                break;
            if (i == 0 || __builtin_mul_overflow(from->strides[i], from->shape[i], &reach) || from->strides[i - 1] != reach)
                return false;
            have *= from->shape[--i];
        }
        for (int32_t k = begin - 1; k >= j; k--) {
            to->strides[k] = stride;
            if (__builtin_mul_overflow(stride, to->shape[k], &stride) && k > j)
                return false;
        }
    }
    for (; j > 0; j--)
        to->strides[j - 1] = 1; /* extents of 1 in front */
    return true;
}

yoke_array yoke_array_reshape(yoke_array array, int32_t dimensions, const int64_t *shape)
{
    static const char function[] = "yoke_array_reshape";
    if (!is_array(function, &array))
        return no_array;
    yoke_array result = array, from = array;
    if (dimensions < 0 || dimensions > YOKE_MAX_DIMENSIONS || (dimensions > 0 && !shape)) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: %s", function,
                  shape || dimensions == 0 ? "an array has 0 to 8 dimensions" : "shape is NULL");
        return no_array;
    }
    memset(result.shape, 0, sizeof result.shape);
    memset(result.strides, 0, sizeof result.strides);
    if (dimensions > 0)
        memcpy(result.shape, shape, (size_t)dimensions * sizeof *shape);
    result.dimensions = dimensions;
    int64_t count = yoke_array_get_size(&array);
    if (!complete_shape(count, dimensions, result.shape)) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: an array of shape %s has %" PRId64 " elements, which do not make the shape %s",
                  function, yops_shape(array.dimensions, array.shape).text, count, yops_shape(dimensions, shape).text);
        return no_array;
    }
    for (int32_t i = from.dimensions - 1; i >= 0; i--)
        if (from.shape[i] == 1)
            remove_axis(&from, i);
    set_contiguous(&result);
    if (count > 0 && !match_strides(&from, &result)) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT,
                  "%s: the strides of the array of shape %s do not allow the shape %s: copy it to a contiguous array first, with "
                  "yoke_assign",
                  function, yops_shape(array.dimensions, array.shape).text, yops_shape(dimensions, result.shape).text);
        return no_array;
    }
    return result;
}

yoke_array yoke_array_broadcast(yoke_array array, int32_t dimensions, const int64_t *shape)
{
    static const char function[] = "yoke_array_broadcast";
    if (!is_array(function, &array) || check_shape(function, array.dtype, dimensions, shape) < 0)
        return no_array;
    yoke_array result = array;
    int32_t front = dimensions - array.dimensions;
    result.dimensions = dimensions;
    for (int32_t i = 0; i < dimensions && front >= 0; i++) {
        int32_t from = i - front;
        bool repeated = from < 0 || (array.shape[from] == 1 && shape[i] != 1);
        result.shape[i] = shape[i];
        result.strides[i] = repeated ? 0 : array.strides[from];
        if (!repeated && array.shape[from] != shape[i])
            front = -1;
    }
    if (front >= 0)
        return result;
    yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: the shape %s does not broadcast to %s", function,
              yops_shape(array.dimensions, array.shape).text, yops_shape(dimensions, shape).text);
    return no_array;
}

yoke_array yoke_array_expand(yoke_array array, int32_t axis)
{
    static const char function[] = "yoke_array_expand";
    if (!is_array(function, &array))
        return no_array;
    if (axis < 0 || axis > array.dimensions || array.dimensions == YOKE_MAX_DIMENSIONS) {
        yoke_fail(YOKE_E_INVALID_ARGUMENT, "%s: axis %d of an array of shape %s, where up to %d dimensions are possible", function,
                  (int)axis, yops_shape(array.dimensions, array.shape).text, YOKE_MAX_DIMENSIONS);
        return no_array;
    }
    for (int32_t i = array.dimensions; i > axis; i--) {
        array.shape[i] = array.shape[i - 1];
        array.strides[i] = array.strides[i - 1];
    }
    array.shape[axis] = 1;
    array.strides[axis] = 0;
    array.dimensions++;
    return array;
}
