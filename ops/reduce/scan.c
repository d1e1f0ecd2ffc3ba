/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scans. On NVIDIA's devices blocks scan tiles in a single pass (scan_blocks.yk); elsewhere, and where rows are short or lie side
 * by side, single threads walk through tiles, in three passes where a row has several (scan.yk). scan.yh says in which
 * order elements are combined, which is the same for both.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/reductions.h"
#include "call/call.h"
#include "combination.h"

/* scan.yh has the same numbers. */
enum { WARPS = 4, BLOCK = 32 * WARPS, MOST_OTHER_AXES = YOKE_MAX_DIMENSIONS - 1 };

static int64_t tile_of(int words)
{
    return (int64_t)BLOCK * 8 * (4 / words);
}

/* As in scan.yh. */
typedef struct scan_shape {
    int64_t extent, tiles, rows, dimensions, exclusive, by_warps;
    int64_t in_origin, out_origin, starts_origin;
    int64_t in_stride, out_stride, starts_stride;
    int64_t extents[MOST_OTHER_AXES], in_strides[MOST_OTHER_AXES], out_strides[MOST_OTHER_AXES];
    int64_t initial[2];
} scan_shape;

typedef struct scan {
    yops_call call;
    int32_t operation, mode, axis;
    const yoke_array *out, *a, *starts; /* starts: NULL unless segmented */
    yops_combination *own;              /* the operation, if that is the caller's own; else NULL */
    yops_place out_place, in_place, starts_place;
    int32_t computed;  /* the dtype that is computed with */
    int words;         /* of 32 bits, of `computed` */
    char options[160]; /* of the kernels */
    scan_shape shape;
} scan;

/* ---- Checks ---- */

static yoke_status check_operation(const scan *s)
{
    if (!s->own && !yk_reduction_is_scanned(s->operation))
        return yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT,
                         "operation is %d: a scan takes YOKE_REDUCE_SUM, YOKE_REDUCE_PRODUCT, YOKE_REDUCE_MIN or YOKE_REDUCE_MAX",
                         (int)s->operation);
    if (s->mode != YOKE_SCAN_INCLUSIVE && s->mode != YOKE_SCAN_EXCLUSIVE)
        return yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "mode is %d: it is YOKE_SCAN_INCLUSIVE or YOKE_SCAN_EXCLUSIVE",
                         (int)s->mode);
    return YOKE_OK;
}

static yoke_status check_arrays(scan *s)
{
    bool named[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_check_output(&s->call, "out", s->out, &s->out_place);
    if (status == YOKE_OK)
        status = yops_check_input(&s->call, "a", s->a, &s->in_place);
    if (status == YOKE_OK && s->starts)
        status = yops_check_input(&s->call, "starts", s->starts, &s->starts_place);
    if (status == YOKE_OK && s->starts && s->a->dimensions != 1)
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT,
                           "a has %d dimensions: segments are those of an array of one dimension", (int)s->a->dimensions);
    if (status == YOKE_OK)
        status = yops_check_same_shape(&s->call, "out", s->out, "a", s->a);
    if (status == YOKE_OK && s->starts)
        status = yops_check_same_shape(&s->call, "starts", s->starts, "a", s->a);
    if (status == YOKE_OK && s->starts && !yops_is_integer(s->starts->dtype))
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "starts has the dtype %s: it is bool or an integer",
                           yoke_dtype_get_name(s->starts->dtype));
    if (status == YOKE_OK && !s->own && yops_is_complex(s->a->dtype) && !yk_reduction_get(s->operation)->takes_complex)
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "a has the dtype %s: complex numbers have no order for %s",
                           yoke_dtype_get_name(s->a->dtype), yk_reduction_get(s->operation)->name);
    if (status == YOKE_OK)
        status = yops_check_axes(&s->call, s->a->dimensions, &s->axis, 1, named);
    if (status == YOKE_OK)
        status = yops_check_overlap(&s->call, "out", s->out, &s->out_place, "a", s->a, &s->in_place, true);
    if (status == YOKE_OK && s->starts)
        status = yops_check_overlap(&s->call, "out", s->out, &s->out_place, "starts", s->starts, &s->starts_place, false);
    return status;
}

/* ---- What the kernels are compiled for ---- */

/* Sums of integers wrap, so that 32 bits suffice for outputs of 32. */
static int32_t get_computed(const scan *s)
{
    int32_t in = s->a->dtype, out = s->out->dtype;
    bool wide = yops_needs_f64(in) || yops_needs_f64(out);
    if (s->own)
        return s->own->computed;
    if (yops_is_complex(in))
        return wide ? YOKE_C128 : YOKE_C64;
    if (yops_is_floating(in))
        return wide ? YOKE_F64 : YOKE_F32;
    if (yk_reduction_get(s->operation)->rule == YK_REDUCTION_ORDER)
        return yoke_dtype_get_size(in) == 8 ? in : yops_is_signed(in) ? YOKE_I32 : YOKE_U32;
    if (yops_is_integer(out) && out != YOKE_BOOL && yoke_dtype_get_size(out) <= 4)
        return yops_is_signed(out) ? YOKE_I32 : YOKE_U32;
    return yops_is_signed(in) ? YOKE_I64 : YOKE_U64;
}

static void make_options(scan *s)
{
    static const char *const by_size[] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" };
    s->computed = get_computed(s);
    s->words = (int)yops_combination_get_size(s->computed) / 4;
    int kind = yops_is_complex(s->computed) ? 2 : yops_is_floating(s->computed) ? 1 : 0;
    bool wide = yops_needs_f64(s->computed) || yops_needs_f64(s->out->dtype) || (s->own && s->own->needs_f64);
    yops_write(s->options, sizeof s->options, "IN=%s OUT=%s ACC=%s OPERATION=%d KIND=%d WORDS=%d%s%s%s",
               yops_dtype_token(s->a->dtype), yops_dtype_token(s->out->dtype), yops_dtype_token(s->computed), (int)s->operation,
               kind, s->words, wide ? " NEED_F64=1" : "", s->starts ? " STARTS=" : "",
               s->starts ? by_size[yoke_dtype_get_size(s->starts->dtype)] : "");
}

/* ---- The arrays' shape ---- */

static void add_axis(scan_shape *shape, int64_t extent, int64_t in_stride, int64_t out_stride)
{
    int64_t i = shape->dimensions++;
    for (; i > 0 && yops_distance(shape->out_strides[i - 1]) > yops_distance(out_stride); i--) {
        shape->extents[i] = shape->extents[i - 1];
        shape->in_strides[i] = shape->in_strides[i - 1];
        shape->out_strides[i] = shape->out_strides[i - 1];
    }
    shape->extents[i] = extent;
    shape->in_strides[i] = in_stride;
    shape->out_strides[i] = out_stride;
}

/* Join axes that are one in both arrays. */
static void join_axes(scan_shape *shape)
{
    int64_t kept = 0;
    for (int64_t i = 1; i < shape->dimensions; i++) {
        int64_t extent = shape->extents[kept];
        if (yops_continues(shape->in_strides[i], shape->in_strides[kept], extent) &&
            yops_continues(shape->out_strides[i], shape->out_strides[kept], extent)) {
            shape->extents[kept] *= shape->extents[i];
            continue;
        }
        kept++;
        shape->extents[kept] = shape->extents[i];
        shape->in_strides[kept] = shape->in_strides[i];
        shape->out_strides[kept] = shape->out_strides[i];
    }
    shape->dimensions = shape->dimensions > 0 ? kept + 1 : 0;
}

static void make_shape(scan *s)
{
    scan_shape *shape = &s->shape;
    int64_t tile = tile_of(s->words);
    *shape = (scan_shape){ .extent = s->a->shape[s->axis], .rows = 1, .exclusive = s->mode == YOKE_SCAN_EXCLUSIVE };
    shape->tiles = (shape->extent + tile - 1) / tile;
    shape->in_origin = s->in_place.origin;
    shape->out_origin = s->out_place.origin;
    shape->in_stride = s->a->strides[s->axis];
    shape->out_stride = s->out->strides[s->axis];
    if (s->own)
        memcpy(shape->initial, s->own->initial, sizeof shape->initial);
    if (s->starts) {
        shape->starts_origin = s->starts_place.origin;
        shape->starts_stride = s->starts->strides[0];
    }
    for (int32_t i = 0; i < s->a->dimensions; i++) {
        if (i == s->axis || s->a->shape[i] == 1)
            continue;
        shape->rows *= s->a->shape[i];
        add_axis(shape, s->a->shape[i], s->a->strides[i], s->out->strides[i]);
    }
    join_axes(shape);
}

/* ---- Launches ---- */

/* Of the text's `part` alone; NULL: of the whole text as it is for CPUs. */
static yoke_status get_kernel(scan *s, const char *text, const char *part, const char *name, yoke_kernel **out_kernel)
{
    char options[sizeof s->options + YOPS_ONLY_SIZE];
    if (part)
        yops_only(options, sizeof options, s->options, part);
    else
        yops_write(options, sizeof options, "%s CPU=1", s->options);
    return s->own ? yops_combination_get_kernel(s->own, text, options, name, out_kernel)
                  : yops_kernel(&s->call, text, options, name, out_kernel);
}

static yoke_buffer *starts_root(const scan *s)
{
    return s->starts ? s->starts_place.root : s->in_place.root;
}

static yoke_status scan_by_blocks(scan *s)
{
    scan_shape *shape = &s->shape;
    shape->by_warps = shape->rows > 1 && shape->extent <= tile_of(s->words) / WARPS;
    yoke_kernel *kernel;
    yoke_buffer *states = NULL;
    uint64_t rows = (uint64_t)(shape->by_warps ? (shape->rows + WARPS - 1) / WARPS : shape->rows);
    uint64_t blocks = rows * (uint64_t)shape->tiles, size = 16 + blocks * (uint64_t)s->words * 8;
    yoke_status status = get_kernel(s, "scan_blocks", "scan_blocks", "scan_blocks", &kernel);
    if (status == YOKE_OK && shape->tiles > 1)
        status = yops_temporary(&s->call, size, &states);
    if (status == YOKE_OK && states)
        status = yoke_fill_at(s->call.where, s->call.stream, states, 0, size, &(uint64_t){ 0 }, 8);
    if (status == YOKE_OK) {
        /* The ticket is behind the states. */
        yoke_buffer *state = states ? states : s->out_place.root;
        yoke_arg args[] = { yoke_arg_buffer(s->in_place.root), yoke_arg_buffer(s->out_place.root), yoke_arg_buffer(starts_root(s)),
                            yoke_arg_buffer(state), yoke_arg_struct(shape, sizeof *shape) };
        status = yops_launch(&s->call, kernel, blocks, BLOCK, args, YOPS_COUNT_OF(args));
    }
    if (states)
        yoke_buffer_release(states);
    return status;
}

/* So many threads in a block that there are some blocks for each core. */
static uint32_t threads_for(const yops_traits *traits, uint64_t work)
{
    uint32_t threads = traits->is_cpu ? 1 : 32, most = traits->is_cpu ? 64 : 128;
    while (threads < most && work / threads > 16 * (uint64_t)traits->compute_units)
        threads *= 2;
    return threads;
}

static yoke_status launch_threads(const scan *s, const yops_traits *traits, yoke_kernel *kernel, uint64_t work,
                                  const yoke_arg *args, size_t count)
{
    uint32_t threads = threads_for(traits, work);
    return yops_launch(&s->call, kernel, (work + threads - 1) / threads, threads, args, count);
}

static yoke_status launch_walk(const scan *s, const yops_traits *traits, yoke_kernel *walk, uint64_t work, yoke_buffer *befores,
                               bool writes)
{
    yoke_arg args[] = {
        yoke_arg_buffer(s->in_place.root), yoke_arg_buffer(s->out_place.root),          yoke_arg_buffer(starts_root(s)),
        yoke_arg_buffer(befores),          yoke_arg_struct(&s->shape, sizeof s->shape), yoke_arg_i32(writes)
    };
    return launch_threads(s, traits, walk, work, args, YOPS_COUNT_OF(args));
}

static yoke_status scan_by_threads(scan *s, const yops_traits *traits)
{
    const scan_shape *shape = &s->shape;
    yoke_status status = yops_check_rounds(&s->call, traits, (uint64_t)shape->tiles + 16, "a scan of %" PRId64 " elements",
                                           shape->extent); /* scan_tiles */
    if (status == YOKE_OK && s->own)
        status = yops_combination_check_rounds(s->own, traits, (uint64_t)tile_of(s->words) + (uint64_t)shape->tiles);
    if (status < 0)
        return status;
    yoke_kernel *totals = NULL, *tiles = NULL, *elements;
    const char *before_part = traits->is_cpu ? NULL : "scan_totals", *part = traits->is_cpu ? NULL : "scan_elements";
    yoke_buffer *befores = NULL;
    uint64_t work = (uint64_t)shape->rows * (uint64_t)shape->tiles, item = (uint64_t)s->words * (s->starts || s->own ? 8 : 4);
    status = get_kernel(s, "scan", part, part ? "scan_elements" : "scan_walk", &elements);
    if (status == YOKE_OK && shape->tiles > 1)
        status = get_kernel(s, "scan", before_part, part ? "scan_totals" : "scan_walk", &totals);
    if (status == YOKE_OK && shape->tiles > 1)
        status = get_kernel(s, "scan", before_part, "scan_tiles", &tiles);
    if (status == YOKE_OK && shape->tiles > 1)
        status = yops_temporary(&s->call, work * item, &befores);
    if (status == YOKE_OK && befores)
        status = launch_walk(s, traits, totals, work, befores, false);
    if (status == YOKE_OK && befores) {
        yoke_arg args[] = { yoke_arg_buffer(befores), yoke_arg_i64(shape->rows), yoke_arg_i64(shape->tiles),
                            yoke_arg_i64(shape->initial[0]), yoke_arg_i64(shape->initial[1]) };
        status = launch_threads(s, traits, tiles, (uint64_t)shape->rows, args, YOPS_COUNT_OF(args));
    }
    if (status == YOKE_OK) /* one tile has nothing before it, and does not look at the buffer */
        status = launch_walk(s, traits, elements, work, befores ? befores : s->out_place.root, true);
    if (befores)
        yoke_buffer_release(befores);
    return status;
}

/* Blocks suit long rows; but rows that lie side by side are better read by a thread each, once there are enough of them. */
static bool by_blocks(const scan_shape *shape, const yops_traits *traits)
{
    if (!traits->blocks_progress)
        return false;
    if (shape->in_stride == 1 && shape->out_stride == 1)
        return shape->rows == 1 || shape->extent > 32;
    return (shape->rows == 1 || shape->extent > 32) && shape->rows * shape->tiles < 64 * (int64_t)traits->compute_units;
}

static yoke_status check(scan *s)
{
    yoke_status status = check_operation(s);
    return status == YOKE_OK ? check_arrays(s) : status;
}

/* Of what has been checked. */
static yoke_status launch(scan *s)
{
    yops_traits traits;
    if (yoke_array_get_size(s->a) == 0)
        return YOKE_OK;
    make_options(s);
    make_shape(s);
    yoke_status status = yops_get_traits(&s->call, &traits);
    if (status < 0)
        return status;
    return by_blocks(&s->shape, &traits) ? scan_by_blocks(s) : scan_by_threads(s, &traits);
}

/* ---- The operations ---- */

static yoke_status run(scan *s)
{
    yoke_status status = check(s);
    return status == YOKE_OK ? launch(s) : status;
}

yoke_status yoke_scan_at(const char *where, yoke_stream *stream, int32_t operation, int32_t mode, const yoke_array *out,
                         const yoke_array *a, int32_t axis)
{
    scan s = { .operation = operation, .mode = mode, .axis = axis, .out = out, .a = a };
    yoke_status status = yops_begin(&s.call, "yoke_scan", where, stream);
    return status < 0 ? status : run(&s);
}

static yoke_status run_own(scan *s, const char *combination, yoke_number initial, const yoke_var *vars, size_t count)
{
    yoke_status status = check(s);
    if (status == YOKE_OK)
        status = yops_combination_begin(s->own, &s->call, combination, vars, count, s->a->dtype, s->out->dtype, initial);
    if (status == YOKE_OK)
        status = launch(s);
    yops_combination_end(s->own);
    return status;
}

yoke_status yoke_scan_with_at(const char *where, yoke_stream *stream, const char *combination, int32_t mode, const yoke_array *out,
                              const yoke_array *a, yoke_number initial, const yoke_var *vars, size_t count, int32_t axis)
{
    yops_combination own = { 0 };
    scan s = { .mode = mode, .axis = axis, .out = out, .a = a, .own = &own };
    yoke_status status = yops_begin(&s.call, "yoke_scan_with", where, stream);
    return status < 0 ? status : run_own(&s, combination, initial, vars, count);
}

yoke_status yoke_scan_segments_at(const char *where, yoke_stream *stream, int32_t operation, int32_t mode, const yoke_array *out,
                                  const yoke_array *a, const yoke_array *starts)
{
    scan s = { .operation = operation, .mode = mode, .out = out, .a = a, .starts = starts };
    yoke_status status = yops_begin(&s.call, "yoke_scan_segments", where, stream);
    if (status == YOKE_OK && !starts)
        status = yops_fail(&s.call, YOKE_E_INVALID_ARGUMENT, "starts is NULL");
    return status < 0 ? status : run(&s);
}
