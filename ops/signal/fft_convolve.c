/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions: the checks of a call, and the way through transforms: both arrays with zeros behind them, multiplied as spectra. */
#include <inttypes.h>

#include "fft.h"

static bool is_transformed(const yops_convolution *c, int32_t axis)
{
    for (size_t i = 0; i < c->axis_count; i++)
        if (c->axes[i] == axis)
            return true;
    return false;
}

/* ---- Checks ---- */

static yoke_status check_arrays(yops_convolution *c)
{
    const yoke_array *inputs[] = { c->a, c->b };
    const char *const names[] = { "a", "b" };
    yops_place out = { 0 }, place = { 0 };
    yoke_status status = yops_check_output(&c->call, "out", c->out, &out);
    for (int i = 0; status == YOKE_OK && i < 2; i++) {
        status = yops_check_input(&c->call, names[i], inputs[i], &place);
        if (status == YOKE_OK && inputs[i]->dtype != c->out->dtype)
            status = yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT, "%s has the dtype %s, and out has %s: they must be the same",
                               names[i], yoke_dtype_get_name(inputs[i]->dtype), yoke_dtype_get_name(c->out->dtype));
        if (status == YOKE_OK && inputs[i]->dimensions != c->out->dimensions)
            status = yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT, "%s has %d dimensions, and out has %d: they must be the same",
                               names[i], (int)inputs[i]->dimensions, (int)c->out->dimensions);
        if (status == YOKE_OK)
            status = yops_check_overlap(&c->call, "out", c->out, &out, names[i], inputs[i], &place, true);
        c->is_aliased = c->is_aliased || (place.root == out.root && place.first <= out.last && out.first <= place.last);
    }
    if (status == YOKE_OK && (yops_is_integer(c->out->dtype) || yops_is_reduced(c->out->dtype)))
        status = yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT, "the arrays have the dtype %s: it is float32, float64 or complex",
                           yoke_dtype_get_name(c->out->dtype));
    if (status == YOKE_OK && (c->mode < YOKE_CONVOLVE_FULL || c->mode > YOKE_CONVOLVE_VALID))
        status = yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT,
                           "mode is %d: it is YOKE_CONVOLVE_FULL, YOKE_CONVOLVE_SAME or YOKE_CONVOLVE_VALID", (int)c->mode);
    return status;
}

/* What out's extent along an axis has to be, and where it starts. */
static int64_t get_extent(yops_convolution *c, int32_t axis)
{
    int64_t n = c->a->shape[axis], m = c->b->shape[axis];
    if (!is_transformed(c, axis))
        return n == 1 ? m : n;
    if (n == 0 || m == 0)
        return c->mode == YOKE_CONVOLVE_SAME ? n : 0;
    int64_t less = n < m ? n : m;
    c->start[axis] = c->mode == YOKE_CONVOLVE_FULL ? 0 : c->mode == YOKE_CONVOLVE_SAME ? (m - 1) / 2 : less - 1;
    return c->mode == YOKE_CONVOLVE_FULL ? n + m - 1 : c->mode == YOKE_CONVOLVE_SAME ? n : n + m + 1 - 2 * less;
}

/* Where n + m - 1 sums fit, and at least 2: the halves of a real transform. 0: there is no such length. */
static int64_t get_padded(int64_t n, int64_t m)
{
    if (n > YOPS_FFT_MOST_LENGTH || m > YOPS_FFT_MOST_LENGTH)
        return 0;
    int64_t length = yops_fft_good_length(n + m > 2 ? n + m - 1 : 2);
    return length <= YOPS_FFT_MOST_LENGTH ? length : 0;
}

static yoke_status check_shapes(yops_convolution *c)
{
    int64_t wanted[YOKE_MAX_DIMENSIONS];
    bool fits = true, a_is_larger = true, b_is_larger = true;
    for (int32_t i = 0; i < c->out->dimensions; i++) {
        int64_t n = c->a->shape[i], m = c->b->shape[i];
        wanted[i] = get_extent(c, i);
        fits = fits && c->out->shape[i] == wanted[i];
        if (!is_transformed(c, i) && n != m && n != 1 && m != 1)
            return yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT,
                             "a has the shape %s, and b has the shape %s: they do not broadcast along axis %d",
                             yops_shape(c->a->dimensions, c->a->shape).text, yops_shape(c->b->dimensions, c->b->shape).text,
                             (int)i);
        if (is_transformed(c, i)) {
            a_is_larger = a_is_larger && n >= m;
            b_is_larger = b_is_larger && m >= n;
            c->padded[i] = get_padded(n, m);
            if (c->padded[i] == 0)
                return yops_fail(&c->call, YOKE_E_RANGE,
                                 "axis %d has %" PRId64 " and %" PRId64
                                 " elements: a transform that holds all sums is longer than 2^29",
                                 (int)i, n, m);
        } else {
            c->padded[i] = wanted[i];
        }
    }
    if (c->mode == YOKE_CONVOLVE_VALID && !a_is_larger && !b_is_larger)
        return yops_fail(
            &c->call, YOKE_E_INVALID_ARGUMENT,
            "YOKE_CONVOLVE_VALID: of a, with the shape %s, and b, with the shape %s, neither is the larger along all axes",
            yops_shape(c->a->dimensions, c->a->shape).text, yops_shape(c->b->dimensions, c->b->shape).text);
    if (!fits)
        return yops_fail(&c->call, YOKE_E_INVALID_ARGUMENT,
                         "out has the shape %s: with a of shape %s and b of shape %s it has to be %s",
                         yops_shape(c->out->dimensions, c->out->shape).text, yops_shape(c->a->dimensions, c->a->shape).text,
                         yops_shape(c->b->dimensions, c->b->shape).text, yops_shape(c->out->dimensions, wanted).text);
    return YOKE_OK;
}

/* ---- Steps ---- */

/* The part of an array, from `start` on, that has a shape. */
static yoke_array get_part(yoke_array array, const int64_t *start, const int64_t *shape)
{
    for (int32_t i = 0; i < array.dimensions; i++)
        array = yoke_array_slice(array, i, start ? start[i] : 0, (start ? start[i] : 0) + shape[i], 1);
    return array;
}

/* The shape of a transform's side: padded along the axes, `batches` elsewhere; `is_half` along the last axis. */
static void get_shape(const yops_convolution *c, const int64_t *batches, bool is_half, int64_t *out_shape)
{
    for (int32_t i = 0; i < c->out->dimensions; i++)
        out_shape[i] = is_transformed(c, i) ? c->padded[i] : batches[i];
    if (is_half)
        out_shape[c->axes[c->axis_count - 1]] = c->padded[c->axes[c->axis_count - 1]] / 2 + 1;
}

static yops_fft_problem get_problem(const yops_convolution *c, bool is_inverse, double scale)
{
    yops_fft_problem problem = { .axis_count = c->axis_count, .is_inverse = is_inverse, .scale = scale };
    for (size_t i = 0; i < c->axis_count; i++)
        problem.axes[i] = c->axes[i];
    return problem;
}

/* The spectrum of an input, with zeros behind it. */
static yoke_status add_spectrum(yops_fft *f, const yops_convolution *c, const yoke_array *input, yoke_array *out_spectrum)
{
    int32_t dimensions = c->out->dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS], half[YOKE_MAX_DIMENSIONS];
    yops_fft_problem problem = get_problem(c, false, 1.0);
    get_shape(c, input->shape, false, shape);
    get_shape(c, input->shape, !yops_is_complex(input->dtype), half);
    yoke_status status = yops_fft_take_array(f, input->dtype, dimensions, shape, &problem.a);
    if (status == YOKE_OK)
        status = yops_fft_take_array(f, f->complex_dtype, dimensions, half, &problem.out);
    if (status == YOKE_OK)
        status = yops_fft_add_operation(f, YOPS_FFT_ZERO, &problem.a, NULL, NULL);
    if (status < 0)
        return status;
    yoke_array part = get_part(problem.a, NULL, input->shape);
    *out_spectrum = problem.out;
    status = yops_fft_add_operation(f, YOPS_FFT_COPY, &part, input, NULL);
    if (status == YOKE_OK)
        status = yops_fft_add_transform(f, &problem);
    yops_fft_give(f, problem.a.buffer);
    return status;
}

static yoke_status add_convolution(yops_fft *f, const yops_convolution *c)
{
    int32_t dimensions = c->out->dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS], half[YOKE_MAX_DIMENSIONS];
    double elements = 1;
    yoke_array a, b;
    for (size_t i = 0; i < c->axis_count; i++)
        elements *= (double)c->padded[c->axes[i]];
    yops_fft_problem back = get_problem(c, true, 1 / elements);
    get_shape(c, c->out->shape, false, shape);
    get_shape(c, c->out->shape, !yops_is_complex(c->out->dtype), half);
    yoke_status status = add_spectrum(f, c, c->a, &a);
    if (status == YOKE_OK)
        status = add_spectrum(f, c, c->b, &b);
    if (status == YOKE_OK)
        status = yops_fft_take_array(f, f->complex_dtype, dimensions, half, &back.a);
    if (status == YOKE_OK)
        status = yops_fft_take_array(f, c->out->dtype, dimensions, shape, &back.out);
    if (status == YOKE_OK)
        status = yops_fft_add_operation(f, YOPS_FFT_PRODUCT, &back.a, &a, &b);
    if (status == YOKE_OK)
        status = yops_fft_add_transform(f, &back);
    if (status < 0)
        return status;
    yoke_array part = get_part(back.out, c->start, c->out->shape);
    return yops_fft_add_operation(f, YOPS_FFT_COPY, c->out, &part, NULL);
}

yoke_status yoke_fft_convolve_at(const char *where, yoke_stream *stream, int32_t mode, const yoke_array *out, const yoke_array *a,
                                 const yoke_array *b, const int32_t *axes, size_t axis_count)
{
    yops_convolution c = { .out = out, .a = a, .b = b, .mode = mode };
    yops_fft *f = NULL;
    yoke_status status = yops_begin(&c.call, "yoke_fft_convolve", where, stream);
    if (status == YOKE_OK)
        status = check_arrays(&c);
    if (status == YOKE_OK)
        status = yops_fft_check_axes(&c.call, out->dimensions, axes, axis_count, c.axes, &c.axis_count);
    if (status == YOKE_OK)
        status = check_shapes(&c);
    if (status < 0 || yoke_array_get_size(out) == 0)
        return status;
    if (yoke_array_get_size(a) == 0 || yoke_array_get_size(b) == 0)
        return yoke_assign_value_at(where, stream, out, yoke_number_i32(0));
    if (yops_fft_convolve_is_direct(&c))
        return yops_fft_convolve_directly(&c);
    status = yops_fft_begin(&c.call, yops_needs_f64(out->dtype) ? YOKE_C128 : YOKE_C64, &f);
    if (status == YOKE_OK)
        status = add_convolution(f, &c);
    if (status == YOKE_OK)
        status = yops_fft_run(f);
    yops_fft_end(f);
    return status;
}
