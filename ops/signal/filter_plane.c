/* SPDX-License-Identifier: Apache-2.0 */
/* Two axes of a filter in one launch, on GPUs: filter_plane.yk. */
#include "filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

/* filter_plane.yk has the same numbers. */
enum { THREADS = 256, ROWS = 8, MOST_OTHER_AXES = 6 };

/* Tuning: blocks that a multiprocessor runs at once, the fewest rows of a strip, and the smallest pictures worth it. */
enum { BLOCKS_EACH = 3, LEAST_STRIP = 32, LEAST_WIDTH = 64 };

/* The kernel's positions are of 32 bits. */
enum { MOST_EXTENT = 1 << 29 };

/* As in filter_plane.yk. */
typedef struct plane_shape {
    int64_t in_origin, out_origin, in_stride, out_stride;
    int64_t other_extents[MOST_OTHER_AXES], other_in[MOST_OTHER_AXES], other_out[MOST_OTHER_AXES];
    int32_t rows, pixels, tiles, strips, strip_rows;
    int32_t shift0, shift1, dimensions, boundary, truncate;
    float value0, value1, divisor, reciprocal;
    float weights[2 * YOPS_FILTER_MOST_PLANE_TAPS];
} plane_shape;

/* The elements of a pixel when `axis` has them side by side in the array: 1, or up to 4 along one more axis; else 0. */
static int32_t get_step(const yops_filter_operand *o, int32_t axis)
{
    if (axis == o->dimensions - 1)
        return o->strides[axis] == 1 ? 1 : 0;
    int64_t channels = o->shape[axis + 1];
    bool packed = axis == o->dimensions - 2 && channels >= 1 && channels <= 4 && o->strides[axis] == channels &&
                  (channels == 1 || o->strides[axis + 1] == 1);
    return packed ? (int32_t)channels : 0;
}

static int32_t get_segment(int32_t step)
{
    return step == 3 ? 12 : 8;
}

/* Columns of a block's result, in elements. */
static int64_t get_width(int32_t step, int64_t taps)
{
    int32_t segment = get_segment(step);
    return (THREADS - (taps - 1) * step) / segment * segment;
}

bool yops_filter_fits_plane(const yops_filter *f, const yops_traits *traits, const yops_filter_operand *in,
                            const yops_filter_operand *out, const yops_filter_stage *stages)
{
    int32_t axis = stages[1].axis, step = get_step(in, axis);
    if (traits->is_cpu || yops_counts_rounds(traits) || yops_filter_force == 2 || f->computed != YOKE_F32 ||
        traits->max_block_threads < THREADS)
        return false;
    if (step == 0 || get_step(out, axis) != step || stages[0].taps > YOPS_FILTER_MOST_PLANE_TAPS ||
        stages[1].taps > YOPS_FILTER_MOST_PLANE_TAPS || get_width(step, stages[1].taps) < THREADS / 4)
        return false;
    if (out->shape[stages[0].axis] >= MOST_EXTENT || out->shape[axis] * step >= MOST_EXTENT)
        return false;
    return yops_filter_force == 1 || out->shape[axis] * step >= LEAST_WIDTH;
}

static bool has_vectors(const yops_filter_pass *pass)
{
    const yops_filter_operand *o = &pass->out;
    bool plain = !yops_is_reduced(o->dtype) && o->origin % 4 == 0 && yoke_buffer_get_misalignment(o->root) == 0;
    for (int32_t i = 0; i < o->dimensions; i++)
        plain = plain && (i >= pass->stage[1].axis || o->shape[i] == 1 || o->strides[i] % 4 == 0);
    return plain;
}

yoke_status yops_filter_prepare_plane(const yops_filter *f, yops_filter_pass *pass)
{
    char options[160];
    yops_write(options, sizeof options, "IN=%s OUT=%s ACC=f32 TAPS0=%d TAPS1=%d STEP=%d VECTOR=%d%s",
               yops_dtype_token(pass->in.dtype), yops_dtype_token(pass->out.dtype), (int)pass->stage[0].taps,
               (int)pass->stage[1].taps, (int)get_step(&pass->in, pass->stage[1].axis), (int)has_vectors(pass),
               yops_is_integer(pass->out.dtype) ? " OUT_INTEGER=1" : "");
    return yops_kernel(&f->call, "filter_plane", options, "filter_plane", &pass->kernel);
}

/* Strips so high that all blocks run at once, where there are enough of them. */
static void choose_strips(plane_shape *shape, uint64_t others, uint32_t compute_units)
{
    uint64_t at_once = (uint64_t)compute_units * BLOCKS_EACH, strips = at_once / ((uint64_t)shape->tiles * others);
    uint64_t rows = yops_divide_up((uint64_t)shape->rows, strips > 0 ? strips : 1);
    rows = yops_divide_up(rows < LEAST_STRIP ? LEAST_STRIP : rows, ROWS) * ROWS;
    shape->strip_rows = (int32_t)rows;
    shape->strips = (int32_t)yops_divide_up((uint64_t)shape->rows, rows);
}

static void set_weights(const yops_filter *f, const yops_filter_pass *pass, float *weights)
{
    for (int32_t s = 0; s < 2; s++)
        for (int64_t i = 0; i < pass->stage[s].taps; i++)
            *weights++ = f->is_box ? 1.0f : (float)f->weights[pass->stage[s].weights + (size_t)i];
}

yoke_status yops_filter_launch_plane(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass)
{
    int32_t axis0 = pass->stage[0].axis, axis1 = pass->stage[1].axis, step = get_step(&pass->in, axis1);
    plane_shape shape = { .in_origin = pass->in.origin, .out_origin = pass->out.origin };
    uint64_t others = 1;
    shape.in_stride = pass->in.strides[axis0];
    shape.out_stride = pass->out.strides[axis0];
    shape.rows = (int32_t)pass->out.shape[axis0];
    shape.pixels = (int32_t)pass->out.shape[axis1];
    shape.shift0 = (int32_t)pass->stage[0].shift;
    shape.shift1 = (int32_t)pass->stage[1].shift;
    shape.boundary = pass->boundary;
    shape.truncate = f->options.rounding == YOKE_ROUND_TRUNCATE;
    shape.value0 = (float)pass->value[0];
    shape.value1 = (float)pass->value[1];
    shape.divisor = (float)pass->divisor;
    shape.reciprocal = 1.0f / shape.divisor;
    for (int32_t i = axis1 - 1; i >= 0; i--) {
        if (i == axis0 || pass->out.shape[i] == 1)
            continue;
        shape.other_extents[shape.dimensions] = pass->out.shape[i];
        shape.other_in[shape.dimensions] = pass->in.strides[i];
        shape.other_out[shape.dimensions++] = pass->out.strides[i];
        others *= (uint64_t)pass->out.shape[i];
    }
    set_weights(f, pass, shape.weights);
    shape.tiles = (int32_t)yops_divide_up((uint64_t)shape.pixels * (uint64_t)step, (uint64_t)get_width(step, pass->stage[1].taps));
    choose_strips(&shape, others, traits->compute_units);
    size_t size = offsetof(plane_shape, weights) + (size_t)(pass->stage[0].taps + pass->stage[1].taps) * sizeof *shape.weights;
    size = (size + 7) / 8 * 8; /* as the kernel's struct is aligned */
    yoke_arg args[] = { yoke_arg_buffer(pass->in.root), yoke_arg_buffer(pass->out.root), yoke_arg_struct(&shape, size) };
    return yops_launch(&f->call, pass->kernel, (uint64_t)shape.tiles * (uint64_t)shape.strips * others, THREADS, args,
                       YOPS_COUNT_OF(args));
}
