/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms: the checks of a call, and its axes one after the other. */
#include <inttypes.h>
#include <math.h>

#include "fft.h"

/* ---- Arrays ---- */

yoke_status yops_fft_take_array(yops_fft *f, int32_t dtype, int32_t dimensions, const int64_t *shape, yoke_array *out_array)
{
    uint64_t size = yoke_dtype_get_size(dtype);
    yoke_buffer *buffer = NULL;
    for (int32_t i = 0; i < dimensions; i++)
        if (__builtin_mul_overflow(size, (uint64_t)shape[i], &size))
            return yops_fail(&f->call, YOKE_E_OUT_OF_DEVICE_MEMORY, "temporary memory exceeds the address space");
    yoke_status status = yops_fft_take(f, size, &buffer);
    if (status == YOKE_OK) /* else its record would take the failure's place */
        *out_array = yoke_array_nd(buffer, dtype, dimensions, shape);
    return status;
}

bool yops_fft_join(const yoke_array *array, int32_t first, int32_t end, const bool *left_out, int64_t *out_stride)
{
    int64_t extent = 0, stride = 0;
    for (int32_t i = end - 1; i >= first; i--) {
        if (array->shape[i] == 1 || (left_out && left_out[i]))
            continue;
        if (extent == 0)
            extent = 1, stride = array->strides[i];
        if (!yops_continues(array->strides[i], stride, extent))
            return false;
        extent *= array->shape[i];
    }
    *out_stride = stride;
    return true;
}

/* The array as lines along an axis. False: its strides do not allow it. The root of a buffer is found by yops_check_input. */
static bool get_lines(const yops_fft *f, const yoke_array *array, int32_t axis, int32_t kind, yops_fft_lines *out_lines)
{
    yops_place place = { 0 };
    yops_fft_lines lines = { .step = array->strides[axis], .kind = kind };
    bool is_there = yops_check_input(&f->call, "a", array, &place) == YOKE_OK &&
                    yops_fft_join(array, 0, axis, NULL, &lines.outer_stride) &&
                    yops_fft_join(array, axis + 1, array->dimensions, NULL, &lines.inner_stride);
    lines.root = place.root;
    lines.origin = place.origin;
    *out_lines = lines;
    return is_there;
}

static int64_t product(const int64_t *shape, int32_t first, int32_t end)
{
    int64_t all = 1;
    for (int32_t i = first; i < end; i++)
        all *= shape[i];
    return all;
}

/* ---- Axes ---- */

/* One axis after the other: of real data the halved axis is the first forward, and the last back. */
static int32_t get_axis(const yops_fft_problem *problem, size_t turn)
{
    size_t last = problem->axis_count - 1;
    return problem->axes[yops_is_complex(problem->out.dtype) ? last - turn : turn];
}

static yoke_status add_axis(yops_fft *f, const yops_fft_problem *problem, size_t turn, const yoke_array *from, const yoke_array *to)
{
    int32_t axis = get_axis(problem, turn);
    bool to_half = !yops_is_complex(from->dtype), from_half = !yops_is_complex(to->dtype);
    const yoke_array *longer = to_half ? from : to;
    yops_fft_axis one = { .outer = product(longer->shape, 0, axis),
                          .inner = product(longer->shape, axis + 1, longer->dimensions),
                          .n = (uint32_t)longer->shape[axis],
                          .is_inverse = problem->is_inverse,
                          .scale = turn + 1 == problem->axis_count ? problem->scale : 1.0 };
    yops_fft_lines in, out;
    yoke_array dense = *from;
    yoke_status status = YOKE_OK;
    if (!get_lines(f, from, axis, to_half ? YOPS_FFT_REAL : from_half ? YOPS_FFT_HALF : YOPS_FFT_COMPLEX, &in)) {
        status = yops_fft_take_array(f, from->dtype, from->dimensions, from->shape, &dense);
        if (status == YOKE_OK)
            status = yops_fft_add_operation(f, YOPS_FFT_COPY, &dense, from, NULL);
        get_lines(f, &dense, axis, in.kind, &in);
    }
    yoke_array result = *to;
    int32_t kind = to_half ? YOPS_FFT_HALF : from_half ? YOPS_FFT_REAL : YOPS_FFT_COMPLEX;
    bool is_copied = status == YOKE_OK && !get_lines(f, to, axis, kind, &out);
    if (is_copied) {
        status = yops_fft_take_array(f, to->dtype, to->dimensions, to->shape, &result);
        get_lines(f, &result, axis, kind, &out);
    }
    if (status == YOKE_OK)
        status = yops_fft_add_axis(f, &one, &in, &out);
    if (status == YOKE_OK && is_copied)
        status = yops_fft_add_operation(f, YOPS_FFT_COPY, to, &result, NULL);
    if (dense.buffer != from->buffer)
        yops_fft_give(f, dense.buffer);
    if (result.buffer != to->buffer)
        yops_fft_give(f, result.buffer);
    return status;
}

yoke_status yops_fft_add_transform(yops_fft *f, const yops_fft_problem *problem)
{
    /* Between axes all is complex, and half where an end is. */
    const yoke_array *half = yops_is_complex(problem->out.dtype) ? &problem->out : &problem->a;
    yoke_array from = problem->a, to;
    yoke_status status = YOKE_OK;
    for (size_t turn = 0; status == YOKE_OK && turn < problem->axis_count; turn++) {
        bool is_last = turn + 1 == problem->axis_count;
        to = problem->out;
        if (!is_last)
            status = yops_fft_take_array(f, f->complex_dtype, half->dimensions, half->shape, &to);
        if (status == YOKE_OK)
            status = add_axis(f, problem, turn, &from, &to);
        if (turn > 0)
            yops_fft_give(f, from.buffer);
        from = to;
    }
    return status;
}

/* ---- Checks ---- */

yoke_status yops_fft_check_axes(const yops_call *call, int32_t dimensions, const int32_t *axes, size_t count, int32_t *out_axes,
                                size_t *out_count)
{
    bool is_all = !axes, named[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_check_axes(call, dimensions, axes, count, named);
    *out_count = is_all ? (size_t)dimensions : count;
    if (status == YOKE_OK && (*out_count < 1 || *out_count > 3))
        status = yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%zu axes: transforms are along 1 to 3", *out_count);
    for (size_t i = 0; status == YOKE_OK && i < *out_count; i++)
        out_axes[i] = is_all ? (int32_t)i : axes[i];
    return status;
}

static yoke_status check_dtypes(const yops_call *call, const yoke_array *out, const yoke_array *a, int32_t direction)
{
    int32_t from = a->dtype, to = out->dtype;
    bool same = from == to && yops_is_complex(from);
    bool forward = (from == YOKE_F32 && to == YOKE_C64) || (from == YOKE_F64 && to == YOKE_C128);
    bool back = (from == YOKE_C64 && to == YOKE_F32) || (from == YOKE_C128 && to == YOKE_F64);
    if (!same && !forward && !back)
        return yops_fail(
            call, YOKE_E_INVALID_ARGUMENT,
            "a has the dtype %s and out %s; it can be complex64 to complex64, float32 to complex64 or complex64 to float32, "
            "and the same of complex128 and float64: convert with yoke_assign",
            yoke_dtype_get_name(from), yoke_dtype_get_name(to));
    if (direction != YOKE_FFT_FORWARD && direction != YOKE_FFT_INVERSE)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "direction is %d: it is YOKE_FFT_FORWARD or YOKE_FFT_INVERSE",
                         (int)direction);
    if ((forward && direction != YOKE_FFT_FORWARD) || (back && direction != YOKE_FFT_INVERSE))
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "from %s to %s is %s only", yoke_dtype_get_name(from),
                         yoke_dtype_get_name(to), forward ? "YOKE_FFT_FORWARD" : "YOKE_FFT_INVERSE");
    return YOKE_OK;
}

static yoke_status check_shapes(const yops_call *call, const yops_fft_problem *p)
{
    const yoke_array *out = &p->out, *a = &p->a;
    bool is_half = out->dtype != a->dtype;
    const yoke_array *longer = !is_half || yops_is_complex(a->dtype) ? out : a;
    int64_t wanted[YOKE_MAX_DIMENSIONS] = { 0 };
    bool fits = out->dimensions == a->dimensions;
    for (int32_t i = 0; i < longer->dimensions; i++)
        wanted[i] =
            longer->shape[i] / (is_half && i == p->axes[p->axis_count - 1] ? 2 : 1) + (is_half && i == p->axes[p->axis_count - 1]);
    const yoke_array *shorter = longer == out ? a : out;
    for (int32_t i = 0; fits && i < out->dimensions; i++)
        fits = shorter->shape[i] == wanted[i];
    if (!fits)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the shape %s: with %s of shape %s it has to be %s",
                         longer == out ? "a" : "out", yops_shape(shorter->dimensions, shorter->shape).text,
                         longer == out ? "out" : "a", yops_shape(longer->dimensions, longer->shape).text,
                         yops_shape(longer->dimensions, wanted).text);
    for (size_t i = 0; i < p->axis_count; i++) {
        int64_t n = longer->shape[p->axes[i]];
        if (n == 0)
            return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "axis %d of %s has no elements", (int)p->axes[i],
                             longer == out && is_half ? "out" : "a");
        if (n > YOPS_FFT_MOST_LENGTH)
            return yops_fail(call, YOKE_E_RANGE, "axis %d has %" PRId64 " elements: more than 2^29", (int)p->axes[i], n);
    }
    return YOKE_OK;
}

static yoke_status check_arrays(const yops_call *call, const yoke_array *out, const yoke_array *a, int32_t direction)
{
    yops_place out_place = { 0 }, place = { 0 };
    yoke_status status = yops_check_output(call, "out", out, &out_place);
    if (status == YOKE_OK)
        status = yops_check_input(call, "a", a, &place);
    if (status == YOKE_OK)
        status = check_dtypes(call, out, a, direction);
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "out", out, &out_place, "a", a, &place, out->dtype == a->dtype);
    return status;
}

static yoke_status get_scale(const yops_call *call, const yops_fft_problem *p, const yoke_fft_options *options, double *out_scale)
{
    int32_t scaling = options->scaling;
    const yoke_array *longer = yops_is_complex(p->a.dtype) ? &p->out : &p->a;
    double elements = 1;
    *out_scale = 1;
    for (size_t i = 0; i < p->axis_count; i++)
        elements *= (double)longer->shape[p->axes[i]];
    if (options->flags & ~(uint32_t)YOKE_FFT_EXACT)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "options->flags is %#x: only YOKE_FFT_EXACT is known",
                         (unsigned)options->flags);
    if (scaling < YOKE_FFT_SCALE_INVERSE || scaling > YOKE_FFT_SCALE_NONE)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "options->scaling is %d: it is one of YOKE_FFT_SCALE_", (int)scaling);
    if (scaling == YOKE_FFT_SCALE_ORTHO)
        *out_scale = 1 / sqrt(elements);
    else if (scaling == (p->is_inverse ? YOKE_FFT_SCALE_INVERSE : YOKE_FFT_SCALE_FORWARD))
        *out_scale = 1 / elements;
    return YOKE_OK;
}

/* ---- The operations ---- */

static yoke_status run(const yops_call *call, const yops_fft_problem *problem)
{
    yops_fft *f;
    yoke_status status;
    if (yops_fft_run_by_library(call, problem, &status))
        return status;
    status = yops_fft_begin(call, yops_needs_f64(problem->a.dtype) ? YOKE_C128 : YOKE_C64, &f);
    if (status == YOKE_OK)
        status = yops_fft_add_transform(f, problem);
    if (status == YOKE_OK)
        status = yops_fft_run(f);
    yops_fft_end(f);
    return status;
}

yoke_status yoke_fft_at(const char *where, yoke_stream *stream, int32_t direction, const yoke_array *out, const yoke_array *a,
                        const int32_t *axes, size_t axis_count, const yoke_fft_options *options)
{
    yops_call call;
    yoke_fft_options o = YOKE_FFT_OPTIONS_INIT;
    yops_fft_problem problem = { .is_inverse = direction == YOKE_FFT_INVERSE };
    yoke_status status = yops_begin(&call, "yoke_fft", where, stream);
    if (status == YOKE_OK)
        status = check_arrays(&call, out, a, direction);
    if (status == YOKE_OK)
        status = yops_fft_check_axes(&call, a->dimensions, axes, axis_count, problem.axes, &problem.axis_count);
    if (status < 0)
        return status;
    problem.out = *out;
    problem.a = *a;
    YOPS_TAKE_OPTIONS(&o, yoke_fft_options, options);
    problem.is_exact = o.flags & YOKE_FFT_EXACT;
    status = check_shapes(&call, &problem);
    if (status == YOKE_OK)
        status = get_scale(&call, &problem, &o, &problem.scale);
    if (status < 0 || yoke_array_get_size(out) == 0)
        return status;
    return run(&call, &problem);
}
