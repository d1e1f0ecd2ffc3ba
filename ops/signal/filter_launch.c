/* SPDX-License-Identifier: Apache-2.0 */
/* A pass of a filter: which form of filter.yk suits its arrays, and its launch. */
#include "filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* filter.yk has the same numbers. */
enum { OUTPUTS = 8, THREADS = 128, LANES = 64, CPU_OUTPUTS = 256, STAGED_TAPS = 256, WEIGHTS_AT_ONCE = 64, MOST_OTHER_AXES = 7 };

/* As in filter.yk. */
typedef struct filter_shape {
    int64_t in_origin, out_origin, start_origin, weights_origin;
    int64_t taps[3], shift[3], extents[3], in_strides[3];
    int64_t step, count, out_stride, start_stride;
    int64_t rows, dimensions;
    int64_t other_extents[MOST_OTHER_AXES], other_in[MOST_OTHER_AXES], other_out[MOST_OTHER_AXES], other_start[MOST_OTHER_AXES];
    int32_t tapped[8];
    int32_t boundary, truncate, has_start, unused;
    union {
        double wide[2];
        float narrow[4];
    } scalars;
} filter_shape;

/* ---- The other axes ---- */

static void copy_axis(filter_shape *shape, int64_t to, int64_t from)
{
    shape->other_extents[to] = shape->other_extents[from];
    shape->other_in[to] = shape->other_in[from];
    shape->other_out[to] = shape->other_out[from];
    shape->other_start[to] = shape->other_start[from];
    shape->tapped[to] = shape->tapped[from];
}

static void add_axis(filter_shape *shape, const yops_filter_pass *pass, int32_t axis, int32_t tapped)
{
    int64_t i = shape->dimensions++, in = pass->in.strides[axis];
    for (; i > 0 && yops_distance(shape->other_in[i - 1]) > yops_distance(in); i--)
        copy_axis(shape, i, i - 1);
    shape->other_extents[i] = pass->out.shape[axis];
    shape->other_in[i] = in;
    shape->other_out[i] = pass->out.strides[axis];
    shape->other_start[i] = pass->start.strides[axis];
    shape->tapped[i] = tapped;
}

/* Join axes that are one in all arrays. */
static void join_axes(filter_shape *shape)
{
    int64_t kept = 0;
    for (int64_t i = 1; i < shape->dimensions; i++) {
        int64_t extent = shape->other_extents[kept];
        if (shape->tapped[i] < 0 && shape->tapped[kept] < 0 && yops_continues(shape->other_in[i], shape->other_in[kept], extent) &&
            yops_continues(shape->other_out[i], shape->other_out[kept], extent) &&
            yops_continues(shape->other_start[i], shape->other_start[kept], extent))
            shape->other_extents[kept] *= shape->other_extents[i];
        else
            copy_axis(shape, ++kept, i);
    }
    shape->dimensions = shape->dimensions > 0 ? kept + 1 : 0;
}

static filter_shape make_shape(const yops_filter *f, const yops_filter_pass *pass)
{
    const yops_filter_stage *last = &pass->stage[pass->stages - 1];
    filter_shape shape = { .taps = { 1, 1, last->taps }, .extents = { 1, 1, pass->in.shape[last->axis] }, .rows = 1 };
    shape.in_origin = pass->in.origin;
    shape.out_origin = pass->out.origin;
    shape.start_origin = pass->start.origin;
    shape.weights_origin = f->is_box ? 0 : (int64_t)pass->stage[0].weights;
    shape.shift[2] = last->shift;
    shape.in_strides[2] = pass->in.strides[last->axis];
    shape.step = pass->step;
    shape.count = pass->out.shape[last->axis];
    shape.out_stride = pass->out.strides[last->axis];
    shape.start_stride = pass->start.strides[last->axis];
    shape.boundary = pass->boundary;
    shape.truncate = f->options.rounding == YOKE_ROUND_TRUNCATE;
    shape.has_start = pass->start.root != NULL;
    if (f->computed == YOKE_F64) {
        shape.scalars.wide[0] = pass->value[0];
        shape.scalars.wide[1] = pass->divisor;
    } else {
        shape.scalars.narrow[0] = (float)pass->value[0];
        shape.scalars.narrow[1] = (float)pass->divisor;
    }
    for (int32_t axis = 0; axis < pass->out.dimensions; axis++) {
        int32_t tapped = -1;
        for (int32_t i = 0; i + 1 < pass->stages; i++)
            if (pass->stage[i].axis == axis) {
                tapped = 2 - (pass->stages - 1) + i;
                shape.taps[tapped] = pass->stage[i].taps;
                shape.shift[tapped] = pass->stage[i].shift;
                shape.extents[tapped] = pass->in.shape[axis];
                shape.in_strides[tapped] = pass->in.strides[axis];
            }
        if (axis == last->axis || pass->out.shape[axis] == 1) {
            /* An axis of one element has one position along it, 0, and no place among the others. */
            continue;
        }
        shape.rows *= pass->out.shape[axis];
        add_axis(&shape, pass, axis, tapped);
    }
    join_axes(&shape);
    return shape;
}

/* ---- The form ---- */

/* A CPU's vectors want neighbours in the input, and a GPU's threads too; but where there are few of them, or the filtered axis has
 * closer ones, elements are staged. */
static bool is_along(const filter_shape *shape, bool is_cpu)
{
    if (shape->dimensions == 0 || shape->tapped[0] >= 0)
        return true;
    if (is_cpu)
        return shape->other_in[0] != 1 || shape->other_extents[0] < LANES;
    return yops_distance(shape->other_in[0]) >= yops_distance(shape->in_strides[2]) || shape->other_extents[0] < 8;
}

static bool rounds(int32_t dtype)
{
    return yops_is_integer(dtype);
}

/* Of a thread of the kernels of GPUs, which go through 8 outputs for each tap, and more around each line of taps. */
static yoke_status check_rounds(const yops_filter *f, const yops_traits *traits, const filter_shape *shape, bool along)
{
    uint64_t taps = (uint64_t)shape->taps[2], lines = (uint64_t)(shape->taps[0] * shape->taps[1]);
    uint64_t part = shape->step < STAGED_TAPS ? STAGED_TAPS / (uint64_t)shape->step : 1;
    uint64_t line = along ? 12 * taps + 192 * yops_divide_up(taps, part) : 24 * taps + 340;
    if (traits->is_cpu)
        return YOKE_OK;
    return yops_check_rounds(&f->call, traits, lines * (line + 4) + 64, "a sum of %" PRIu64 " taps", lines * taps);
}

yoke_status yops_filter_prepare(const yops_filter *f, const yops_traits *traits, yops_filter_pass *pass)
{
    filter_shape shape = make_shape(f, pass);
    char options[128];
    yops_write(options, sizeof options, "IN=%s OUT=%s ACC=%s ALONG=%d CPU=%d%s%s", yops_dtype_token(pass->in.dtype),
               yops_dtype_token(pass->out.dtype), yops_dtype_token(f->computed), (int)is_along(&shape, traits->is_cpu),
               (int)traits->is_cpu, rounds(pass->out.dtype) ? " OUT_INTEGER=1" : "", f->computed == YOKE_F64 ? " NEED_F64=1" : "");
    yoke_status status = check_rounds(f, traits, &shape, is_along(&shape, traits->is_cpu));
    if (status == YOKE_OK)
        status = yops_kernel(&f->call, "filter", options, "filter", &pass->kernel);
    if (status == YOKE_OK && !f->is_box)
        status = yops_kernel(&f->call, "filter", options, "filter_weights", &pass->set_weights);
    return status;
}

/* ---- Launches ---- */

yoke_status yops_filter_launch(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass, yoke_buffer *weights)
{
    filter_shape shape = make_shape(f, pass);
    bool along = is_along(&shape, traits->is_cpu);
    uint64_t rows = (uint64_t)shape.rows, count = (uint64_t)shape.count, lanes = (uint64_t)shape.other_extents[0];
    yoke_buffer *start = pass->start.root ? pass->start.root : weights;
    yoke_arg args[] = { yoke_arg_buffer(pass->in.root), yoke_arg_buffer(pass->out.root), yoke_arg_buffer(weights),
                        yoke_arg_buffer(start), yoke_arg_struct(&shape, sizeof shape) };
    size_t args_count = YOPS_COUNT_OF(args);
    if (along && !traits->is_cpu)
        return yops_launch(&f->call, pass->kernel, rows * yops_divide_up(count, (uint64_t)THREADS * OUTPUTS), THREADS, args,
                           args_count);
    if (!traits->is_cpu)
        return yops_launch(&f->call, pass->kernel, yops_divide_up(rows * yops_divide_up(count, OUTPUTS), THREADS), THREADS, args,
                           args_count);
    uint64_t work = along ? rows * yops_divide_up(count, CPU_OUTPUTS)
                          : rows / lanes * yops_divide_up(lanes, LANES) * yops_divide_up(count, OUTPUTS);
    return yops_launch(&f->call, pass->kernel, work, 1, args, args_count);
}

/* ---- Weights ---- */

yoke_status yops_filter_set_weights(const yops_filter *f, yoke_kernel *kernel, yoke_buffer *weights, size_t count)
{
    yoke_status status = YOKE_OK;
    bool wide = f->computed == YOKE_F64;
    size_t size = yoke_dtype_get_size(f->computed);
    if (f->is_box) {
        const double one = 1;
        const float narrow_one = 1;
        const void *pattern = &one;
        if (!wide)
            pattern = &narrow_one;
        return yoke_fill_at(f->call.where, f->call.stream, weights, 0, count * size, pattern, size);
    }
    for (size_t first = 0; first < count && status == YOKE_OK; first += WEIGHTS_AT_ONCE) {
        float narrow[WEIGHTS_AT_ONCE] = { 0 };
        double values[WEIGHTS_AT_ONCE] = { 0 };
        int32_t some = (int32_t)(count - first < WEIGHTS_AT_ONCE ? count - first : WEIGHTS_AT_ONCE);
        for (int32_t i = 0; i < some; i++) {
            values[i] = f->weights[first + (size_t)i];
            narrow[i] = (float)values[i];
        }
        yoke_arg args[] = { yoke_arg_buffer(weights),
                            wide ? yoke_arg_struct(values, sizeof values) : yoke_arg_struct(narrow, sizeof narrow),
                            yoke_arg_i64((int64_t)first), yoke_arg_i32(some) };
        status = yops_launch(&f->call, kernel, 1, 1, args, YOPS_COUNT_OF(args));
    }
    return status;
}
