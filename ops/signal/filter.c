/* SPDX-License-Identifier: Apache-2.0 */
/* Filters: the public functions, their checks, and the weights of each axis. */
#include "filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TAPS = 1 << 20 };

/* ---- Checks ---- */

static yoke_status check_options(yops_filter *f, const yoke_filter_options *options)
{
    f->options = (yoke_filter_options)YOKE_FILTER_OPTIONS_INIT;
    YOPS_TAKE_OPTIONS(&f->options, yoke_filter_options, options);
    const yoke_filter_options *o = &f->options;
    if (o->boundary < YOKE_BOUNDARY_REFLECT || o->boundary > YOKE_BOUNDARY_WRAP)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "options->boundary is %d: it is one of YOKE_BOUNDARY_",
                         (int)o->boundary);
    if (o->rounding != YOKE_ROUND_NEAREST && o->rounding != YOKE_ROUND_TRUNCATE)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT,
                         "options->rounding is %d: it is YOKE_ROUND_NEAREST or YOKE_ROUND_TRUNCATE", (int)o->rounding);
    if (!(o->truncate >= 0) || isinf(o->truncate))
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "options->truncate is %s: it is 0 (4 sigmas) or more, and finite",
                         yops_write_number(o->truncate).text);
    return YOKE_OK;
}

bool yops_filter_takes(int32_t dtype)
{
    bool is_small = dtype != YOKE_BOOL && yoke_dtype_get_size(dtype) <= 2;
    return yops_is_floating(dtype) || (yops_is_integer(dtype) && is_small);
}

static yoke_status check_dtype(const yops_filter *f, const char *name, const yoke_array *array)
{
    if (f->is_rank && yops_is_complex(array->dtype))
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s, whose elements have no order", name,
                         yoke_dtype_get_name(array->dtype));
    if (f->is_rank && array->dtype != f->out->dtype)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s, and a %s: a filter by rank converts nothing",
                         yoke_dtype_get_name(f->out->dtype), yoke_dtype_get_name(array->dtype));
    if (f->is_rank)
        return YOKE_OK;
    if (yops_filter_takes(array->dtype))
        return YOKE_OK;
    return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT,
                     "%s has the dtype %s: filters take integers of 8 and 16 bits and floating-point numbers", name,
                     yoke_dtype_get_name(array->dtype));
}

static yoke_status check_arrays(yops_filter *f)
{
    yoke_status status = yops_check_output(&f->call, "out", f->out, &f->out_place);
    if (status == YOKE_OK)
        status = yops_check_input(&f->call, "a", f->a, &f->in_place);
    if (status == YOKE_OK)
        status = check_dtype(f, "out", f->out);
    if (status == YOKE_OK)
        status = check_dtype(f, "a", f->a);
    if (status == YOKE_OK)
        status = yops_check_same_shape(&f->call, "out", f->out, "a", f->a);
    if (status == YOKE_OK)
        status = yops_check_overlap(&f->call, "out", f->out, &f->out_place, "a", f->a, &f->in_place, false);
    if (status == YOKE_OK)
        f->computed = f->out->dtype == YOKE_F64 || f->a->dtype == YOKE_F64 ? YOKE_F64 : YOKE_F32;
    return status;
}

/* The axes in ascending order, and where the caller's list has them. */
static yoke_status check_axes(yops_filter *f, const int32_t *axes, size_t count)
{
    int32_t dimensions = f->a->dimensions;
    bool named[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_check_axes(&f->call, dimensions, axes, count, named);
    for (int32_t axis = 0; status == YOKE_OK && axis < dimensions; axis++) {
        int32_t place = 0;
        if (axes && !named[axis])
            continue;
        while (axes && axes[place] != axis)
            place++;
        f->axes[f->axis_count] = axis;
        f->places[f->axis_count++] = axes ? place : axis;
    }
    return status;
}

yoke_status yops_filter_begin(yops_filter *f, const char *function, const char *where, yoke_stream *stream, const int32_t *axes,
                              size_t axis_count, const yoke_filter_options *options)
{
    yoke_status status = yops_begin(&f->call, function, where, stream);
    if (status == YOKE_OK)
        status = check_arrays(f);
    if (status == YOKE_OK)
        status = check_axes(f, axes, axis_count);
    if (status == YOKE_OK)
        status = check_options(f, options);
    return status;
}

static yoke_status check_list(const yops_filter *f, const char *name, const void *list)
{
    if (list || f->axis_count == 0)
        return YOKE_OK;
    return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "%s is NULL, and there are %d axes", name, (int)f->axis_count);
}

/* ---- Stages ---- */

/* Add the i-th axis with so many taps; `uses_origin`: the options' one, else 0. */
static yoke_status add_stage(yops_filter *f, int32_t i, int64_t taps, bool uses_origin)
{
    int64_t origin = uses_origin && f->options.origins ? f->options.origins[f->places[i]] : 0, centre = taps / 2 + origin;
    if (centre < 0 || centre >= taps)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT,
                         "the origin of axis %d is %" PRId64 ", and there are %" PRId64
                         " taps: taps / 2 + origin must be at least 0 and below that number",
                         (int)f->axes[i], origin, taps);
    f->stages[f->stage_count++] = (yops_filter_stage){ f->axes[i], taps, -centre, f->weight_count };
    return YOKE_OK;
}

yoke_status yops_filter_add_stage(yops_filter *f, int32_t i, int64_t taps)
{
    return add_stage(f, i, taps, true);
}

/* Make room for so many more weights. */
static yoke_status add_weights(yops_filter *f, int64_t count, double **out_weights)
{
    if (count > MOST_TAPS - (int64_t)f->weight_count)
        return yops_fail(&f->call, YOKE_E_RANGE, "%" PRId64 " taps are too many: %d are possible", count + (int64_t)f->weight_count,
                         MOST_TAPS);
    double *weights = realloc(f->weights, (f->weight_count + (size_t)count) * sizeof *weights);
    if (!weights)
        return yops_fail(&f->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for %" PRId64 " weights", count);
    f->weights = weights;
    *out_weights = weights + f->weight_count;
    return YOKE_OK;
}

/* A filter without a stage copies, by one tap of 1. An array without axes gets one. */
static yoke_status run(yops_filter *f)
{
    yoke_status status = YOKE_OK;
    if (yoke_array_get_size(f->a) > 0 && f->stage_count == 0) {
        double *weights = NULL;
        status = add_weights(f, 1, &weights);
        if (status == YOKE_OK) {
            weights[0] = 1;
            f->stages[f->stage_count++] = (yops_filter_stage){ f->a->dimensions > 0 ? f->a->dimensions - 1 : 0, 1, 0, 0 };
            f->weight_count = 1;
            f->is_box = f->is_full = false;
        }
    }
    if (status == YOKE_OK && yoke_array_get_size(f->a) > 0)
        status = yops_filter_run(f);
    free(f->weights);
    return status;
}

static yoke_status end(yops_filter *f, yoke_status status)
{
    if (status == YOKE_OK)
        return run(f);
    free(f->weights);
    return status;
}

/* ---- The filters ---- */

static yoke_status add_gaussian(yops_filter *f, int32_t i, double sigma)
{
    double truncate = f->options.truncate > 0 ? f->options.truncate : 4, *weights = NULL, sum = 0;
    if (!(sigma >= 0) || isinf(sigma))
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "sigma of axis %d is %s: it is 0 or more, and finite", (int)f->axes[i],
                         yops_write_number(sigma).text);
    if (sigma <= 1e-15)
        return YOKE_OK;
    double reach = truncate * sigma + 0.5;
    if (reach > MOST_TAPS)
        return yops_fail(&f->call, YOKE_E_RANGE, "sigma of axis %d is %s, which takes more than %d taps", (int)f->axes[i],
                         yops_write_number(sigma).text, MOST_TAPS);
    int64_t radius = (int64_t)reach, taps = 2 * radius + 1;
    yoke_status status = add_weights(f, taps, &weights);
    if (status == YOKE_OK)
        status = add_stage(f, i, taps, true);
    if (status < 0)
        return status;
    for (int64_t k = 0; k < taps; k++) {
        double x = (double)(k - radius);
        weights[k] = exp(-0.5 / (sigma * sigma) * (x * x));
        sum += weights[k];
    }
    for (int64_t k = 0; k < taps; k++)
        weights[k] /= sum;
    f->weight_count += (size_t)taps;
    return YOKE_OK;
}

yoke_status yoke_gaussian_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                    const double *sigmas, const int32_t *axes, size_t axis_count,
                                    const yoke_filter_options *options)
{
    yops_filter f = { .out = out, .a = a };
    yoke_status status = yops_filter_begin(&f, "yoke_gaussian_filter", where, stream, axes, axis_count, options);
    if (status == YOKE_OK)
        status = check_list(&f, "sigmas", sigmas);
    for (int32_t i = 0; i < f.axis_count && status == YOKE_OK; i++)
        status = add_gaussian(&f, i, sigmas[f.places[i]]);
    return end(&f, status);
}

yoke_status yoke_box_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                               const int64_t *sizes, const int32_t *axes, size_t axis_count, const yoke_filter_options *options)
{
    yops_filter f = { .out = out, .a = a, .is_box = true };
    yoke_status status = yops_filter_begin(&f, "yoke_box_filter", where, stream, axes, axis_count, options);
    if (status == YOKE_OK)
        status = check_list(&f, "sizes", sizes);
    for (int32_t i = 0; i < f.axis_count && status == YOKE_OK; i++) {
        int64_t size = sizes[f.places[i]];
        if (size < 1)
            status = yops_fail(&f.call, YOKE_E_INVALID_ARGUMENT, "the size of axis %d is %" PRId64 ": it is 1 or more",
                               (int)f.axes[i], size);
        else if (size > INT32_MAX)
            status = yops_fail(&f.call, YOKE_E_RANGE, "the size of axis %d is %" PRId64 ": %d are possible", (int)f.axes[i], size,
                               INT32_MAX);
        else
            status = add_stage(&f, i, size, true);
    }
    return end(&f, status);
}

yoke_status yoke_separable_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                     const yoke_weights *weights, const int32_t *axes, size_t axis_count,
                                     const yoke_filter_options *options)
{
    yops_filter f = { .out = out, .a = a };
    yoke_status status = yops_filter_begin(&f, "yoke_separable_filter", where, stream, axes, axis_count, options);
    if (status == YOKE_OK)
        status = check_list(&f, "weights", weights);
    for (int32_t i = 0; i < f.axis_count && status == YOKE_OK; i++) {
        const yoke_weights *list = &weights[f.places[i]];
        double *copy = NULL;
        if (!list->values || list->count < 1)
            status = yops_fail(&f.call, YOKE_E_INVALID_ARGUMENT, "the weights of axis %d are %s", (int)f.axes[i],
                               list->values ? "none: there must be 1 or more" : "NULL");
        if (status == YOKE_OK)
            status = add_weights(&f, list->count, &copy);
        if (status == YOKE_OK)
            status = add_stage(&f, i, list->count, true);
        if (status == YOKE_OK && list->values) {
            memcpy(copy, list->values, (size_t)list->count * sizeof *copy);
            f.weight_count += (size_t)list->count;
        }
    }
    return end(&f, status);
}

yoke_status yoke_sobel_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, int32_t axis,
                                 const int32_t *axes, size_t axis_count, const yoke_filter_options *options)
{
    static const double derivative[] = { -1, 0, 1 }, smooth[] = { 1, 2, 1 };
    yops_filter f = { .out = out, .a = a };
    bool found = false;
    yoke_status status = yops_filter_begin(&f, "yoke_sobel_filter", where, stream, axes, axis_count, options);
    for (int32_t i = 0; i < f.axis_count && status == YOKE_OK; i++) {
        double *weights = NULL;
        status = add_weights(&f, 3, &weights);
        if (status == YOKE_OK)
            status = add_stage(&f, i, 3, false);
        if (status == YOKE_OK) {
            memcpy(weights, f.axes[i] == axis ? derivative : smooth, sizeof smooth);
            f.weight_count += 3;
        }
        found = found || f.axes[i] == axis;
    }
    if (status == YOKE_OK && !found)
        status = yops_fail(&f.call, YOKE_E_INVALID_ARGUMENT, "axis is %d, which is not one of the %d axes", (int)axis,
                           (int)f.axis_count);
    return end(&f, status);
}

/* ---- Correlation and convolution ---- */

/* The weights by ascending axes, reversed along each for a convolution. */
static void order_weights(const yops_filter *f, const double *weights, const int64_t *shape, bool reversed, double *out)
{
    int64_t strides[3] = { 0 }, taps[3] = { 1, 1, 1 };
    for (int32_t i = 0; i < f->axis_count; i++) {
        int32_t place = f->places[i];
        taps[i] = shape[place];
        strides[i] = 1;
        for (int32_t later = place + 1; later < f->axis_count; later++)
            strides[i] *= shape[later];
    }
    for (int64_t i = 0; i < taps[0]; i++)
        for (int64_t j = 0; j < taps[1]; j++)
            for (int64_t k = 0; k < taps[2]; k++) {
                int64_t at[] = { i, j, k }, place = 0;
                for (int axis = 0; axis < 3; axis++)
                    place += (reversed ? taps[axis] - 1 - at[axis] : at[axis]) * strides[axis];
                *out++ = weights[place];
            }
}

static yoke_status add_full(yops_filter *f, const double *weights, const int64_t *shape, bool reversed)
{
    int64_t count = 1;
    double *copy = NULL;
    yoke_status status = YOKE_OK;
    if (f->axis_count < 1 || f->axis_count > 3)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "there are %d axes: 1 to 3 are possible", (int)f->axis_count);
    for (int32_t i = 0; i < f->axis_count && status == YOKE_OK; i++) {
        int64_t taps = shape[f->places[i]];
        if (taps < 1)
            return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "the weights' extent of axis %d is %" PRId64 ": it is 1 or more",
                             (int)f->axes[i], taps);
        status = add_stage(f, i, taps, true);
        if (status == YOKE_OK && reversed) /* the centre counts from the other end */
            f->stages[i].shift = -(taps - 1 + f->stages[i].shift);
        count = count > MOST_TAPS / taps ? MOST_TAPS + 1 : count * taps;
    }
    if (status == YOKE_OK)
        status = add_weights(f, count, &copy);
    if (status == YOKE_OK) {
        order_weights(f, weights, shape, reversed, copy);
        f->weight_count = (size_t)count;
    }
    return status;
}

static yoke_status run_full(yops_filter *f, const char *where, yoke_stream *stream, const double *weights, const int64_t *shape,
                            const int32_t *axes, size_t axis_count, const yoke_filter_options *options, bool reversed)
{
    const char *function = reversed ? "yoke_convolve" : "yoke_correlate";
    yoke_status status = yops_filter_begin(f, function, where, stream, axes, axis_count, options);
    if (status == YOKE_OK)
        status = check_list(f, "weights", weights);
    if (status == YOKE_OK)
        status = check_list(f, "shape", shape);
    if (status == YOKE_OK)
        status = add_full(f, weights, shape, reversed);
    return end(f, status);
}

yoke_status yoke_correlate_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                              const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                              const yoke_filter_options *options)
{
    yops_filter f = { .out = out, .a = a, .is_full = true };
    return run_full(&f, where, stream, weights, shape, axes, axis_count, options, false);
}

yoke_status yoke_convolve_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                             const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                             const yoke_filter_options *options)
{
    yops_filter f = { .out = out, .a = a, .is_full = true };
    return run_full(&f, where, stream, weights, shape, axes, axis_count, options, true);
}
