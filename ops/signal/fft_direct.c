/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions by the sums that define them, where that takes fewer operations than transforms: fft_direct.yk. */
#include "fft.h"
#include "array/strided.h"

#include <inttypes.h>
#include <stdio.h>

/* Products that are as quick as an element of a transform for each doubling of its length: <yoke/fft.h> has the same number. */
enum { PRODUCTS = 4 };

enum { RUN = 64, THREADS = 128 }; /* outputs of a CPU's thread, threads of a GPU's block */

int yops_fft_convolve_force;

/* As in fft_direct.yk. */
typedef struct direct_shape {
    int64_t elements[3], taps[3], outputs[3], start[3], in_strides[3], tap_strides[3], out_strides[3];
} direct_shape;

/* ---- The choice ---- */

static double count_along_axes(const yops_convolution *c, const int64_t *shape)
{
    double count = 1;
    for (size_t i = 0; i < c->axis_count; i++)
        count *= (double)shape[c->axes[i]];
    return count;
}

/* Whether the taps are those of `a`: it is the smaller along the axes. */
static bool has_taps_in_a(const yops_convolution *c)
{
    return count_along_axes(c, c->a->shape) < count_along_axes(c, c->b->shape);
}

/* <yoke/fft.h> describes this: what changes here, changes results. */
bool yops_fft_convolve_is_direct(const yops_convolution *c)
{
    double taps = count_along_axes(c, (has_taps_in_a(c) ? c->a : c->b)->shape), padded = count_along_axes(c, c->padded);
    int levels = 0; /* log2 of `padded`, rounded up */
    if (yops_fft_convolve_force)
        return yops_fft_convolve_force == 1;
    double left = padded;
    while (left > 1) {
        left /= 2;
        levels++;
    }
    return taps * count_along_axes(c, c->out->shape) <= PRODUCTS * padded * levels;
}

/* ---- The launch ---- */

/* The array without the axes of the convolution, whose strides become those of the shape, the last one last. */
static yops_strided take_axes(const yops_convolution *c, yoke_array array, const yops_place *place, int64_t *strides,
                              int64_t *extents)
{
    bool named[YOKE_MAX_DIMENSIONS] = { false };
    int32_t at = 3;
    for (size_t i = 0; i < c->axis_count; i++)
        named[c->axes[i]] = true;
    for (int32_t i = 0; i < 3; i++) {
        strides[i] = 0;
        extents[i] = 1;
    }
    for (int32_t i = array.dimensions - 1; i >= 0; i--) {
        if (named[i]) {
            strides[--at] = array.strides[i];
            extents[at] = array.shape[i];
            array.shape[i] = 1;
        } else if (array.shape[i] != c->out->shape[i]) { /* broadcast */
            array.shape[i] = c->out->shape[i];
            array.strides[i] = 0;
        }
    }
    return yops_get_strided(&array, place);
}

static direct_shape make_shape(const yops_convolution *c, const yoke_array *const arrays[3], const yops_place places[3],
                               yops_strided rests[3])
{
    direct_shape s = { .elements = { 0 } };
    int32_t at = 3;
    rests[0] = take_axes(c, *arrays[0], &places[0], s.out_strides, s.outputs);
    rests[1] = take_axes(c, *arrays[1], &places[1], s.in_strides, s.elements);
    rests[2] = take_axes(c, *arrays[2], &places[2], s.tap_strides, s.taps);
    for (int32_t i = c->out->dimensions - 1; i >= 0; i--)
        for (size_t j = 0; j < c->axis_count; j++)
            if (c->axes[j] == i)
                s.start[--at] = c->start[i];
    return s;
}

/* Of a thread that computes one output: the loops of fft_direct.yk, inside each other. They are measured to have no
 * branches that count, so that all of the driver's rounds are theirs. */
static yoke_status check_rounds(const yops_convolution *c, const yops_traits *traits, const direct_shape *s)
{
    int64_t lines = s->taps[0] * s->taps[1], products = lines * s->taps[2];
    return yops_check_rounds(&c->call, traits, ((uint64_t)(products + 2 * (lines + s->taps[0])) + 16) / 2,
                             "a sum of %" PRId64 " products that is taken as it is written", products);
}

static yoke_status launch(const yops_convolution *c, const yoke_array *out, const yops_traits *traits, yoke_kernel *kernel)
{
    bool is_swapped = has_taps_in_a(c), is_cpu = yops_by_threads(traits);
    const yoke_array *const arrays[] = { out, is_swapped ? c->b : c->a, is_swapped ? c->a : c->b };
    const char *const names[] = { "out", is_swapped ? "b" : "a", is_swapped ? "a" : "b" };
    yops_place places[3];
    yops_strided rests[3];
    yoke_status status = YOKE_OK;
    for (int i = 0; status == YOKE_OK && i < 3; i++)
        status = yops_check_input(&c->call, names[i], arrays[i], &places[i]);
    if (status < 0)
        return status;
    direct_shape s = make_shape(c, arrays, places, rests);
    if ((status = check_rounds(c, traits, &s)) < 0)
        return status;
    uint64_t runs = yops_divide_up((uint64_t)s.outputs[2], is_cpu ? RUN : 1), threads = is_cpu ? 1 : THREADS;
    uint64_t n = (uint64_t)yoke_array_get_size(out) / (uint64_t)s.outputs[2] * runs;
    return yops_launch(&c->call, kernel, yops_divide_up(n, threads), (uint32_t)threads,
                       YOKE_ARGS(places[0].root, YOPS_STRIDED_ARG(rests[0]), places[1].root, YOPS_STRIDED_ARG(rests[1]),
                                 places[2].root, YOPS_STRIDED_ARG(rests[2]), yoke_arg_struct(&s, sizeof s), runs, n));
}

/* An output that is an input too is computed elsewhere. */
static yoke_status run_aside(const yops_convolution *c, const yops_traits *traits, yoke_kernel *kernel)
{
    yoke_buffer *buffer = NULL;
    uint64_t size = (uint64_t)yoke_array_get_size(c->out) * yoke_dtype_get_size(c->out->dtype);
    yoke_status status = yops_temporary(&c->call, size, &buffer);
    if (status < 0)
        return status;
    yoke_array sums = yoke_array_nd(buffer, c->out->dtype, c->out->dimensions, c->out->shape);
    status = launch(c, &sums, traits, kernel);
    if (status == YOKE_OK)
        status = yoke_assign_at(c->call.where, c->call.stream, c->out, &sums);
    yoke_buffer_release(buffer);
    return status;
}

yoke_status yops_fft_convolve_directly(const yops_convolution *c)
{
    char options[96];
    int32_t dtype = c->out->dtype;
    yops_traits traits;
    yoke_kernel *kernel = NULL;
    yoke_status status = yops_get_traits(&c->call, &traits);
    if (status < 0)
        return status;
    yops_write(options, sizeof options, "T=%s IS_COMPLEX=%d RUN=%d%s", yops_dtype_token(dtype), yops_is_complex(dtype),
               yops_by_threads(&traits) ? RUN : 1, yops_needs_f64(dtype) ? " NEED_F64=1" : "");
    status = yops_kernel(&c->call, "fft_direct", options, "convolve_directly", &kernel);
    if (status < 0)
        return status;
    return c->is_aliased ? run_aside(c, &traits, kernel) : launch(c, c->out, &traits, kernel);
}
