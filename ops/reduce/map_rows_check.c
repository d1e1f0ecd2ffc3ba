/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that reduce rows: the shape, the axes, and which arrays have one element for each row. */
#include "map_rows.h"

/* ---- Shapes ---- */

static yoke_status check_input(yops_rows *r, uint32_t k)
{
    const yoke_var *var = &r->vars[k];
    if (!yops_rows_is_array(r, k))
        return yops_check_number(r->call, var->name, var->scalar);
    yoke_status status = r->call->stream ? yops_check_input(r->call, var->name, &var->array, &r->places[k]) : YOKE_OK;
    yops_shape_text before = yops_shape(r->dimensions, r->shape);
    if (status == YOKE_OK && !yops_widen(&r->dimensions, r->shape, &var->array))
        return yops_fail(r->call, YOKE_E_INVALID_ARGUMENT,
                         "%s has the shape %s, and the arrays before it have the shape %s: they do not broadcast to each other",
                         var->name, yops_shape(var->array.dimensions, var->array.shape).text, before.text);
    return status;
}

/* The shape is that of the arrays that are read. */
static yoke_status check_inputs(yops_rows *r)
{
    bool found = false;
    for (uint32_t k = 0; k < r->var_count; k++) {
        yoke_status status = yops_rows_is_read(r, k) ? check_input(r, k) : YOKE_OK;
        if (status < 0)
            return status;
        found = found || (yops_rows_is_read(r, k) && yops_rows_is_array(r, k));
    }
    return found ? YOKE_OK : yops_fail(r->call, YOKE_E_INVALID_ARGUMENT, "the expression reads no array, so that it has no rows");
}

/* Mark the axes, and count rows and their elements. */
static yoke_status check_axes(yops_rows *r, const int32_t *axes, size_t axis_count)
{
    yoke_status status = yops_check_axes(r->call, r->dimensions, axes, axis_count, r->reduced);
    bool is_empty = false;
    if (status == YOKE_OK)
        status = yops_expression_check_axes(r->call, r->expression, r->dimensions);
    if (status < 0)
        return status;
    r->rows = r->n = 1;
    for (int32_t i = 0; i < r->dimensions; i++) {
        r->reduced[i] = r->reduced[i] || axis_count == 0;
        is_empty |= r->shape[i] == 0;
        if (r->shape[i] == 0)
            *(r->reduced[i] ? &r->n : &r->rows) = 0;
    }
    int64_t all = 1;
    for (int32_t i = 0; i < r->dimensions; i++) {
        bool overflow = !is_empty && __builtin_mul_overflow(all, r->shape[i], &all);
        if (overflow || __builtin_mul_overflow(r->reduced[i] ? r->n : r->rows, r->shape[i], r->reduced[i] ? &r->n : &r->rows))
            return yops_fail(r->call, YOKE_E_RANGE, "the arrays, broadcast to %s, have 2^63 elements or more",
                             yops_shape(r->dimensions, r->shape).text);
    }
    return YOKE_OK;
}

/* ---- Arrays with the axes of the shape ---- */

/* Axes in front, where an input has fewer. */
static yoke_array align_input(const yops_rows *r, const yoke_array *a)
{
    yoke_array wide = *a;
    int32_t more = r->dimensions - a->dimensions;
    for (int32_t i = 0; i < r->dimensions; i++) {
        wide.shape[i] = i < more ? 1 : a->shape[i - more];
        wide.strides[i] = i < more ? 0 : a->strides[i - more];
    }
    wide.dimensions = r->dimensions;
    return wide;
}

/* An output of the whole shape, or with an extent of 1 along the axes that are reduced, or without them. */
static bool align_output(const yops_rows *r, const yoke_array *a, yoke_array *wide, bool *out_single)
{
    int32_t kept = 0, at = 0;
    for (int32_t i = 0; i < r->dimensions; i++)
        kept += !r->reduced[i];
    bool has_all = a->dimensions == r->dimensions, is_whole = has_all, is_single = has_all;
    for (int32_t i = 0; i < r->dimensions && has_all; i++) {
        is_whole = is_whole && a->shape[i] == r->shape[i];
        is_single = is_single && a->shape[i] == (r->reduced[i] ? 1 : r->shape[i]);
    }
    *wide = *a;
    *out_single = !is_whole;
    if (is_whole || is_single || a->dimensions != kept)
        return is_whole || is_single;
    for (int32_t i = 0; i < r->dimensions; i++) {
        wide->shape[i] = r->reduced[i] ? 1 : a->shape[at];
        wide->strides[i] = r->reduced[i] ? 0 : a->strides[at];
        if (!r->reduced[i] && a->shape[at++] != r->shape[i])
            return false;
    }
    wide->dimensions = r->dimensions;
    return true;
}

static yoke_status check_output(yops_rows *r, uint32_t k)
{
    const yoke_var *var = &r->vars[k];
    bool is_single;
    yoke_status status = yops_check_output(r->call, var->name, &var->array, &r->places[k]);
    if (status < 0)
        return status;
    if (!align_output(r, &var->array, &r->arrays[k], &is_single))
        return yops_fail(r->call, YOKE_E_INVALID_ARGUMENT,
                         "%s has the shape %s: an output has the shape of what is read, %s, or an extent of 1 along the axes that "
                         "are reduced, or not these axes",
                         var->name, yops_shape(var->array.dimensions, var->array.shape).text,
                         yops_shape(r->dimensions, r->shape).text);
    if (yops_rows_is_read(r, k) && var->array.dimensions != r->dimensions)
        return yops_fail(
            r->call, YOKE_E_INVALID_ARGUMENT,
            "%s, of shape %s, is read and assigned: give it all axes, with an extent of 1 along those that are reduced", var->name,
            yops_shape(var->array.dimensions, var->array.shape).text);
    r->single |= (uint32_t)is_single << k;
    return YOKE_OK;
}

/* Whether an array has an axis that is reduced, with all its extent: a row of one element, too, and whatever the strides are, since
 * what a program gets must not depend on them. */
static bool lies_along(const yops_rows *r, const yoke_array *a)
{
    int32_t more = r->dimensions - a->dimensions;
    for (int32_t i = more; i < r->dimensions; i++)
        if (r->reduced[i] && a->shape[i - more] == r->shape[i])
            return true;
    return false;
}

/* The outputs, and the value, that vary along a row. */
static uint32_t find_varying(const yops_rows *r, bool *out_value)
{
    uint32_t vars = 0, indices = UINT32_C(1) << YOPS_ROWS_POSITION;
    for (uint32_t k = 0; k < r->var_count; k++)
        if (yops_rows_is_read(r, k) && yops_rows_is_array(r, k) && lies_along(r, &r->vars[k].array))
            vars |= UINT32_C(1) << k;
    for (int32_t i = 0; i < r->dimensions; i++)
        indices |= (uint32_t)r->reduced[i] << i;
    return yops_expression_find_varying(r->expression, vars, indices, out_value);
}

/* What an output with one element for each row gets is the same all along the row. */
static yoke_status check_varying(const yops_rows *r)
{
    bool value;
    uint32_t wrong = find_varying(r, &value) & r->single;
    if (!wrong)
        return YOKE_OK;
    const yoke_var *var = &r->vars[__builtin_ctz(wrong)];
    return yops_fail(r->call, YOKE_E_INVALID_ARGUMENT,
                     "%s has one element for each row, of shape %s, and its value is another for each element: reduce it, as by "
                     "sum(...), or give %s the shape %s",
                     var->name, yops_shape(var->array.dimensions, var->array.shape).text, var->name,
                     yops_shape(r->dimensions, r->shape).text);
}

static yoke_status check_overlap(yops_rows *r, uint32_t out)
{
    for (uint32_t k = 0; k < r->var_count; k++) {
        if (k == out || !yops_rows_is_array(r, k) || !(yops_rows_is_read(r, k) || yops_rows_is_written(r, k)) ||
            (yops_rows_is_written(r, k) && k < out))
            continue;
        r->is_aliased |= r->places[k].root == r->places[out].root;
        yoke_status status = yops_check_overlap(r->call, r->vars[out].name, &r->arrays[out], &r->places[out], r->vars[k].name,
                                                &r->arrays[k], &r->places[k], !yops_rows_is_written(r, k));
        if (status < 0)
            return status;
    }
    return YOKE_OK;
}

yoke_status yops_rows_check_arrays(yops_rows *r)
{
    yoke_status status = YOKE_OK;
    for (uint32_t k = 0; k < r->var_count && status == YOKE_OK; k++) {
        if (yops_rows_is_read(r, k) && yops_rows_is_array(r, k))
            r->arrays[k] = align_input(r, &r->vars[k].array);
        if (yops_rows_is_written(r, k))
            status = check_output(r, k);
    }
    if (status == YOKE_OK)
        status = check_varying(r);
    for (uint32_t k = 0; k < r->var_count && status == YOKE_OK; k++)
        if (yops_rows_is_written(r, k))
            status = check_overlap(r, k);
    return status;
}

yoke_status yops_rows_check_shape(yops_rows *r, const int32_t *axes, size_t axis_count)
{
    yoke_status status = check_inputs(r);
    return status < 0 ? status : check_axes(r, axes, axis_count);
}

bool yops_rows_value_varies(yops_rows *r)
{
    bool varies;
    find_varying(r, &varies);
    return varies;
}
