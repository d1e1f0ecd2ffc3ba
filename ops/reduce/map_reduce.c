/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of an expression's values, which are computed where they are reduced: evaluation.h and reduce.c do the work. */
#include "reduce.h"

/* The values, as if they lay in an array without gaps. */
static yoke_array describe(const yops_evaluation *values)
{
    yoke_array a = { .dtype = values->dtype, .dimensions = values->dimensions };
    int64_t stride = 1;
    for (int32_t i = a.dimensions - 1; i >= 0; i--) {
        a.shape[i] = values->shape[i];
        a.strides[i] = stride;
        if (a.shape[i] > 0 && __builtin_mul_overflow(stride, a.shape[i], &stride))
            stride = 0; /* of an empty array */
    }
    return a;
}

static yoke_status reduce_values(const yops_call *call, int32_t operation, const yoke_array *out, const yops_place *out_place,
                                 yops_evaluation *values, const int32_t *axes, size_t axis_count)
{
    yoke_array a = describe(values);
    yops_reduction reduction;
    yops_reduce_shape shape;
    bool reduced[YOKE_MAX_DIMENSIONS];
    int64_t out_strides[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_reduction_check(call, operation, values->dtype, out->dtype, &reduction);
    if (status < 0 ||
        (status = yops_reduce_check_axes(call, out, a.dimensions, a.shape, axes, axis_count, reduced, out_strides)) < 0 ||
        (status = yops_evaluation_check_overlap(values, "out", out, out_place)) < 0 ||
        (status = yops_reduce_make_shape(call, &a, NULL, reduced, out_strides, &shape)) < 0)
        return status;
    return yops_reduce_run(call, &reduction, &shape, &(yops_reduce_input){ .values = values }, out_place);
}

yoke_status yoke_map_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                               const char *expression, const yoke_var *vars, size_t count, const int32_t *axes, size_t axis_count)
{
    yops_call call;
    yops_place out_place;
    yops_evaluation values;
    yoke_status status = yops_begin(&call, "yoke_map_reduce", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &out_place)) < 0)
        return status;
    status = yops_evaluation_begin(&values, &call, expression, vars, count, 0, NULL);
    if (status == YOKE_OK)
        status = reduce_values(&call, operation, out, &out_place, &values, axes, axis_count);
    yops_evaluation_end(&values);
    return status;
}
