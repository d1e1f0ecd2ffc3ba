/* SPDX-License-Identifier: Apache-2.0 */
/* Two or three axes of few weights that are not separable, in one launch: filter_full.yk. */
#include "filter.h"

#include <string.h>

#include <yoke/library.h>

/* filter_full.yk has the same numbers. Bytes of weights: a kernel's parameters have room for 1,024 everywhere. */
enum { MOST_EACH = 9, MOST_WEIGHT_BYTES = 640, MOST_OTHER_AXES = 6 };
enum { GPU_COLUMNS = 128, GPU_THREADS = 128, GPU_WARPS = 4, CPU_COLUMNS = 256, CPU_ROWS = 8, FEW_TAPS = 49 };

/* Tuning: a GPU's kernel is compiled for the taps, and pictures of fewer elements take no time without it. */
enum { LEAST_ELEMENTS = 1 << 16 };

/* The kernel's positions are of 32 bits, and the next tile's too. */
enum { MOST_EXTENT = 1 << 29 };

/* As in filter_full.yk. */
typedef struct full_shape {
    int64_t in_origin, out_origin, in_strides[3], out_strides[3];
    int64_t other_extents[MOST_OTHER_AXES], other_in[MOST_OTHER_AXES], other_out[MOST_OTHER_AXES];
    int32_t extents[3], shift[3], taps[3];
    int32_t tiles, strips, dimensions, boundary, truncate;
    union {
        double wide[1 + MOST_WEIGHT_BYTES / sizeof(double)];
        float narrow[1 + MOST_WEIGHT_BYTES / sizeof(float)];
    } numbers; /* the constant, and the weights */
} full_shape;

bool yops_filter_fits_full(const yops_filter *f, const yops_traits *traits, const yops_filter_operand *in,
                           const yops_filter_operand *out)
{
    const yops_filter_stage *last = &f->stages[f->stage_count - 1];
    int64_t count = 1, elements = 1;
    if (yops_filter_force == 2 || yops_counts_rounds(traits) || !f->is_full || f->stage_count < 2)
        return false;
    if (yops_distance(in->strides[last->axis]) > 4 || yops_distance(out->strides[last->axis]) > 4)
        return false;
    for (int32_t i = 0; i < f->stage_count; i++) {
        if (f->stages[i].taps > MOST_EACH || out->shape[f->stages[i].axis] >= MOST_EXTENT)
            return false;
        count *= f->stages[i].taps;
    }
    for (int32_t i = 0; i < out->dimensions; i++)
        elements = elements > INT64_MAX / out->shape[i] ? INT64_MAX : elements * out->shape[i];
    if (count * (int64_t)yoke_dtype_get_size(f->computed) > MOST_WEIGHT_BYTES - 8)
        return false;
    return traits->is_cpu || yops_filter_force == 1 || elements >= LEAST_ELEMENTS;
}

/* Whether rows can be moved four elements at a time. */
static bool has_vectors(const yops_filter_operand *o, int32_t columns)
{
    bool plain = o->strides[columns] == 1 && o->origin % 4 == 0 && yoke_buffer_get_misalignment(o->root) == 0;
    for (int32_t i = 0; i < o->dimensions; i++)
        plain = plain && (i == columns || o->shape[i] == 1 || o->strides[i] % 4 == 0);
    return plain;
}

/* The stage of tapped axis 0, 1 or 2; NULL: it has none. */
static const yops_filter_stage *get_stage(const yops_filter_pass *pass, int32_t tapped)
{
    int32_t i = tapped - (3 - pass->stages);
    return i < 0 ? NULL : &pass->stage[i];
}

static int32_t get_taps(const yops_filter_pass *pass, int32_t tapped)
{
    const yops_filter_stage *stage = get_stage(pass, tapped);
    return stage ? (int32_t)stage->taps : 1;
}

yoke_status yops_filter_prepare_full(const yops_filter *f, const yops_traits *traits, yops_filter_pass *pass)
{
    char options[192], form[96] = "CPU=1";
    const yops_filter_stage *last = &pass->stage[pass->stages - 1];
    int32_t in = pass->in.dtype, out = pass->out.dtype;
    bool vector = f->computed == YOKE_F32 && has_vectors(&pass->in, last->axis);
    bool vector_out = f->computed == YOKE_F32 && !yops_is_reduced(out) && has_vectors(&pass->out, last->axis);
    if (!traits->is_cpu)
        yops_write(form, sizeof form, "CPU=0 TAPS0=%d TAPS1=%d TAPS2=%d LEAD=%d VECTOR=%d VECTOR_OUT=%d", (int)get_taps(pass, 0),
                   (int)get_taps(pass, 1), (int)get_taps(pass, 2), vector ? (int)(last->shift & 3) : 0, (int)vector,
                   (int)vector_out);
    yops_write(options, sizeof options, "IN=%s OUT=%s ACC=%s %s%s%s", yops_dtype_token(in), yops_dtype_token(out),
               yops_dtype_token(f->computed), form, yops_is_integer(out) ? " OUT_INTEGER=1" : "",
               f->computed == YOKE_F64 ? " NEED_F64=1" : "");
    return yops_kernel(&f->call, "filter_full", options, "filter_full", &pass->kernel);
}

static bool is_tapped(const yops_filter_pass *pass, int32_t axis)
{
    for (int32_t i = 0; i < pass->stages; i++)
        if (pass->stage[i].axis == axis)
            return true;
    return false;
}

/* The shape but for its tiles; returns how many pictures the axes that are not tapped make. */
static uint64_t set_axes(const yops_filter_pass *pass, full_shape *shape)
{
    uint64_t others = 1;
    for (int32_t tapped = 0; tapped < 3; tapped++) {
        const yops_filter_stage *stage = get_stage(pass, tapped);
        shape->taps[tapped] = shape->extents[tapped] = 1;
        if (!stage)
            continue;
        shape->taps[tapped] = (int32_t)stage->taps;
        shape->shift[tapped] = (int32_t)stage->shift;
        shape->extents[tapped] = (int32_t)pass->out.shape[stage->axis];
        shape->in_strides[tapped] = pass->in.strides[stage->axis];
        shape->out_strides[tapped] = pass->out.strides[stage->axis];
    }
    for (int32_t i = pass->out.dimensions - 1; i >= 0; i--) {
        if (is_tapped(pass, i) || pass->out.shape[i] == 1)
            continue;
        shape->other_extents[shape->dimensions] = pass->out.shape[i];
        shape->other_in[shape->dimensions] = pass->in.strides[i];
        shape->other_out[shape->dimensions++] = pass->out.strides[i];
        others *= (uint64_t)pass->out.shape[i];
    }
    return others;
}

/* Returns the size of the kernel's struct. */
static size_t set_numbers(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass, full_shape *shape)
{
    size_t width = yoke_dtype_get_size(f->computed), count = f->weight_count;
    shape->numbers.wide[0] = 0;
    if (f->computed == YOKE_F64)
        shape->numbers.wide[0] = pass->value[0];
    else
        shape->numbers.narrow[0] = (float)pass->value[0];
    for (size_t i = 0; i < f->weight_count; i++)
        if (f->computed == YOKE_F64)
            shape->numbers.wide[1 + i] = f->weights[i];
        else
            shape->numbers.narrow[1 + i] = (float)f->weights[i];
    if (traits->is_cpu)
        count = MOST_WEIGHT_BYTES / width;
    return (offsetof(full_shape, numbers) + (1 + count) * width + 7) / 8 * 8; /* as the kernel's struct is aligned */
}

yoke_status yops_filter_launch_full(const yops_filter *f, const yops_traits *traits, const yops_filter_pass *pass)
{
    full_shape shape = { .in_origin = pass->in.origin, .out_origin = pass->out.origin, .boundary = pass->boundary };
    uint64_t others = set_axes(pass, &shape);
    size_t size = set_numbers(f, traits, pass, &shape);
    int32_t columns = traits->is_cpu ? CPU_COLUMNS : GPU_COLUMNS;
    int32_t rows = traits->is_cpu ? CPU_ROWS : GPU_WARPS * (f->weight_count <= FEW_TAPS ? 8 : 4);
    shape.truncate = f->options.rounding == YOKE_ROUND_TRUNCATE;
    shape.tiles = (int32_t)yops_divide_up((uint64_t)shape.extents[2], (uint64_t)columns);
    shape.strips = (int32_t)yops_divide_up((uint64_t)shape.extents[1], (uint64_t)rows);
    uint64_t blocks = (uint64_t)shape.tiles * (uint64_t)shape.strips * (uint64_t)shape.extents[0] * others;
    yoke_arg args[] = { yoke_arg_buffer(pass->in.root), yoke_arg_buffer(pass->out.root), yoke_arg_struct(&shape, size) };
    return yops_launch(&f->call, pass->kernel, blocks, traits->is_cpu ? 1 : GPU_THREADS, args, YOPS_COUNT_OF(args));
}
