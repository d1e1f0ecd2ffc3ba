/* SPDX-License-Identifier: Apache-2.0 */
/* Assignments: copies between any two layouts and dtypes, and one value for all elements. */
#include <stdio.h>

#include "elementwise.h"
#include "array/number.h"

/* A copy without conversion moves bits, so that NaN keeps its payload, and dtypes of one size share a kernel. bool is normalised.
 */
static int32_t as_bits(int32_t dtype)
{
    static const int32_t by_size[] = { [1] = YOKE_U8, [2] = YOKE_U16, [4] = YOKE_U32, [8] = YOKE_U64 };
    size_t size = yoke_dtype_get_size(dtype);
    return dtype == YOKE_BOOL || size >= YOPS_COUNT_OF(by_size) ? dtype : by_size[size];
}

/* Between integers of one size too: they wrap. */
static bool moves_bits(int32_t target, int32_t source)
{
    bool integers = target != YOKE_BOOL && source != YOKE_BOOL && yops_is_integer(target) && yops_is_integer(source);
    return target == source || (integers && yoke_dtype_get_size(target) == yoke_dtype_get_size(source));
}

/* in_1 may be an array or a scalar. */
static yoke_status run(yops_elementwise *e, int32_t target, int32_t source, const char *identity)
{
    yoke_kernel *kernel;
    char statements[80];
    yoke_status status = yops_elementwise_find(e, identity, 1, &kernel);
    if (status == YOKE_OK && !kernel) {
        if (target == source)
            snprintf(statements, sizeof statements, "out_0 = in_1;");
        else
            snprintf(statements, sizeof statements, "out_0 = FROM(%s, CLASS(%s))(in_1);", yops_dtype_token(target),
                     yops_dtype_token(source));
        status = yops_elementwise_compile(e, statements, false, NULL, &kernel);
    }
    return status < 0 ? status : yops_elementwise_launch(e, kernel);
}

yoke_status yoke_assign_at(const char *where, yoke_stream *stream, const yoke_array *target, const yoke_array *source)
{
    yops_call call;
    yops_place out = { 0 }, in = { 0 };
    yoke_array wide = { 0 }, goal;
    yoke_status status = yops_begin(&call, "yoke_assign", where, stream);
    if (status == YOKE_OK)
        status = yops_check_output(&call, "target", target, &out);
    if (status == YOKE_OK)
        status = yops_check_input(&call, "source", source, &in);
    if (status == YOKE_OK)
        status = yops_broadcast(&call, "source", source, target->dimensions, target->shape, &wide);
    if (status == YOKE_OK)
        status = yops_check_overlap(&call, "target", target, &out, "source", &wide, &in, true);
    if (status != YOKE_OK || out.first > out.last)
        return status;
    goal = *target;
    if (moves_bits(goal.dtype, wide.dtype)) {
        goal.dtype = as_bits(goal.dtype);
        wide.dtype = as_bits(wide.dtype);
    }
    yops_elementwise e;
    yops_elementwise_begin(&e, &call, goal.dimensions, goal.shape);
    e.is_aliased = out.root == in.root;
    yops_elementwise_add_array(&e, 0, &goal, &out, false, true);
    yops_elementwise_add_array(&e, 1, &wide, &in, true, false);
    return run(&e, goal.dtype, wide.dtype, "=");
}

/* ---- Values ---- */

yoke_status yoke_assign_value_at(const char *where, yoke_stream *stream, const yoke_array *target, yoke_number value)
{
    yops_call call;
    yops_place out = { 0 };
    yoke_status status = yops_begin(&call, "yoke_assign_value", where, stream);
    if (status == YOKE_OK)
        status = yops_check_output(&call, "target", target, &out);
    if (status == YOKE_OK)
        status = yops_check_number(&call, "value", value);
    if (status == YOKE_OK && yops_is_complex(value.dtype) && !yops_is_complex(target->dtype) && target->dtype != YOKE_BOOL)
        status = yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "value has the dtype %s, and target %s, which has no imaginary parts",
                           yoke_dtype_get_name(value.dtype), yoke_dtype_get_name(target->dtype));
    if (status != YOKE_OK || out.first > out.last)
        return status;
    yoke_number converted = yops_number_convert(value, target->dtype);
    yops_elementwise e;
    yops_elementwise_begin(&e, &call, target->dimensions, target->shape);
    yops_elementwise_add_array(&e, 0, target, &out, false, true);
    yops_elementwise_add_scalar(&e, 1, converted);
    return run(&e, target->dtype, converted.dtype, "=");
}
