/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of gather and scatter, and their arrays as kernels take them. */
#include "gather_call.h"

static yoke_status check_indices(yops_gather *r, const yoke_array *out, const yops_place *out_place, const yoke_array *indices)
{
    yops_place place;
    yoke_status status = yops_check_input(&r->call, "indices", indices, &place);
    if (status < 0)
        return status;
    if (!yops_is_integer(indices->dtype) || yoke_dtype_get_size(indices->dtype) < 4)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "indices has the dtype %s: int32, uint32, int64 or uint64 is needed",
                         yoke_dtype_get_name(indices->dtype));
    if (indices->dimensions != 1)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "indices has the shape %s: one dimension is needed",
                         yops_shape(indices->dimensions, indices->shape).text);
    r->indices = place.root;
    r->indices_origin = place.origin;
    r->indices_stride = indices->strides[0];
    r->index_dtype = indices->dtype;
    r->rows = (uint64_t)indices->shape[0];
    return yops_check_overlap(&r->call, "out", out, out_place, "indices", indices, &place, false);
}

static yoke_status check_shapes(const yops_gather *r, const yoke_array *out, const yoke_array *a, int32_t axis,
                                const yoke_array *indexed)
{
    if (out->dtype != a->dtype)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s, and a has %s: they must be the same",
                         yoke_dtype_get_name(out->dtype), yoke_dtype_get_name(a->dtype));
    bool named[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_check_axes(&r->call, a->dimensions, &axis, 1, named);
    if (status < 0)
        return status;
    bool same = out->dimensions == a->dimensions;
    for (int32_t i = 0; i < a->dimensions && same; i++)
        same = i == axis || out->shape[i] == a->shape[i];
    if (!same)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "out has the shape %s, and a has the shape %s: they must be the same but for axis %d",
                         yops_shape(out->dimensions, out->shape).text, yops_shape(a->dimensions, a->shape).text, (int)axis);
    if (indexed->shape[axis] != (int64_t)r->rows)
        return yops_fail(&r->call, YOKE_E_INVALID_ARGUMENT,
                         "%s has the shape %s, and indices has the shape (%llu): as many elements along axis %d are needed",
                         indexed == out ? "out" : "a", yops_shape(indexed->dimensions, indexed->shape).text,
                         (unsigned long long)r->rows, (int)axis);
    return YOKE_OK;
}

/* ---- Wider elements ---- */

static bool can_widen(const yoke_array *array, const yops_place *place, int64_t factor)
{
    int32_t last = array->dimensions - 1;
    bool can = array->strides[last] == 1 && array->shape[last] % factor == 0 && place->origin % factor == 0;
    for (int32_t i = 0; i < last; i++)
        can = can && (array->shape[i] == 1 || array->strides[i] % factor == 0);
    return can;
}

static void widen(yoke_array *array, yops_place *place, int64_t factor)
{
    int32_t last = array->dimensions - 1;
    array->shape[last] /= factor;
    place->origin /= factor;
    for (int32_t i = 0; i < last; i++)
        array->strides[i] /= factor;
}

static void widen_both(yops_gather *r, yoke_array *out, yops_place *out_place, yoke_array *a, yops_place *a_place, int32_t axis)
{
    for (uint32_t size = 16; size > r->part && axis < a->dimensions - 1; size /= 2) {
        int64_t factor = size / r->part;
        if (!can_widen(out, out_place, factor) || !can_widen(a, a_place, factor))
            continue;
        widen(out, out_place, factor);
        widen(a, a_place, factor);
        r->size = size;
        return;
    }
}

/* The array without an axis. */
static yops_strided get_rest(yoke_array array, const yops_place *place, int32_t axis)
{
    array.dimensions--;
    for (int32_t i = axis; i < array.dimensions; i++) {
        array.shape[i] = array.shape[i + 1];
        array.strides[i] = array.strides[i + 1];
    }
    return yops_get_strided(&array, place);
}

yoke_status yops_gather_begin(yops_gather *r, const char *function, const char *where, yoke_stream *stream, const yoke_array *out,
                              const yoke_array *a, const yoke_array *indices, int32_t axis, const yoke_array *indexed, bool wide)
{
    yops_place out_place = { .root = NULL }, a_place = { .root = NULL };
    *r = (yops_gather){ .rows = 0 };
    yoke_status status = yops_begin(&r->call, function, where, stream);
    if (status == YOKE_OK)
        status = yops_check_output(&r->call, "out", out, &out_place);
    if (status == YOKE_OK)
        status = yops_check_input(&r->call, "a", a, &a_place);
    if (status == YOKE_OK)
        status = check_indices(r, out, &out_place, indices);
    if (status == YOKE_OK)
        status = check_shapes(r, out, a, axis, indexed);
    if (status == YOKE_OK)
        status = yops_check_overlap(&r->call, "out", out, &out_place, "a", a, &a_place, false);
    if (status == YOKE_OK)
        status = yops_get_traits(&r->call, &r->traits);
    if (status < 0)
        return status;
    yoke_array wide_out = *out, wide_a = *a;
    r->dtype = a->dtype;
    r->size = r->part = (uint32_t)yoke_dtype_get_size(a->dtype);
    if (wide)
        widen_both(r, &wide_out, &out_place, &wide_a, &a_place, axis);
    r->out = out_place.root;
    r->a = a_place.root;
    r->out_rest = get_rest(wide_out, &out_place, axis);
    r->a_rest = get_rest(wide_a, &a_place, axis);
    r->out_stride = wide_out.strides[axis];
    r->a_stride = wide_a.strides[axis];
    r->out_rows = (uint64_t)out->shape[axis];
    r->a_rows = (uint64_t)a->shape[axis];
    r->inners = r->rests = 1;
    for (int32_t i = 0; i < a->dimensions; i++) {
        r->inners *= i > axis ? (uint64_t)wide_a.shape[i] : 1;
        r->rests *= i != axis ? (uint64_t)wide_a.shape[i] : 1;
    }
    return YOKE_OK;
}
