/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions of segments: reduce_segments.yk has how long and short ones are shared out without knowing which are
 * where. */
#include <stdio.h>
#include <string.h>

#include "reduce.h"

enum { WINDOWS = 16 }; /* of a block of segment_tiles */

/* How many threads share a short segment: enough for segments of the average length. */
static int choose_groups(int64_t n, int64_t segments)
{
    int64_t average = n / (segments > 0 ? segments : 1);
    int groups = 1;
    if (average >= 1024)
        return 256;
    while (groups < 32 && (int64_t)groups * 16 < average)
        groups *= 2;
    return groups;
}

/* The elements are those of an array, or the values of an expression. */
typedef struct operands {
    const yoke_array *out, *a, *offsets;
    yops_evaluation *values;
    yops_place out_place, place, offsets_place;
    int64_t n, stride; /* of the elements */
} operands;

static yoke_status get_kernel(const yops_call *call, const operands *o, const char *options, bool is_apart, const char *name,
                              yoke_kernel **out_kernel)
{
    char only[512 + YOPS_ONLY_SIZE];
    if (is_apart) { /* where kernels are slow to compile */
        yops_only(only, sizeof only, options, name);
        options = only;
    }
    return o->values ? yops_evaluation_get_kernel(o->values, "reduce_segments", options, name, out_kernel)
                     : yops_kernel(call, "reduce_segments", options, name, out_kernel);
}

/* What both kernels have first. Returns the count. */
static size_t begin_args(const operands *o, yoke_arg *args)
{
    size_t count = 0;
    if (o->values) {
        count = o->values->arg_count;
        memcpy(args, o->values->args, count * sizeof *args);
    } else {
        args[count++] = yoke_arg_buffer(o->place.root);
        args[count++] = yoke_arg_i64(o->place.origin);
    }
    args[count++] = yoke_arg_buffer(o->offsets_place.root);
    args[count++] = yoke_arg_i64(o->offsets_place.origin);
    args[count++] = yoke_arg_i64(o->offsets->strides[0]);
    return count;
}

/* Where a driver ends the loops of threads, a segment may have more full tiles than a thread may reduce, should their sums not be
 * there: then `segments` is launched again and again, and goes on where it was. reduce_segments.yk has the same numbers. */
enum { TILE_ROUNDS = 1800, REST_ROUNDS = 9000, LEVELS = 40 };
static const uint64_t most_blocks = UINT64_C(1) << 24; /* of all these launches */

static uint64_t count_launches(const yops_reduce_shape *shape, const yops_traits *traits)
{
    return (uint64_t)shape->n / YOPS_REDUCE_TILE / yops_fit_rounds(traits, REST_ROUNDS, TILE_ROUNDS) + 1;
}

static yoke_status check_launches(const yops_call *call, const yops_reduce_shape *shape, uint64_t launches)
{
    if (launches == 1 || launches * (uint64_t)shape->rows <= most_blocks)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_UNSUPPORTED,
                     "the device's driver ends the loops of a thread after 65535 rounds in all, and %lld segments of %lld elements "
                     "would take %llu launches: take less at a time, or another device",
                     (long long)shape->rows, (long long)shape->n, (unsigned long long)launches);
}

/* Both kernels, with `sums` and `starts` between them; without full tiles, the first is left out. */
static yoke_status launch(const yops_call *call, yoke_kernel *tiles, yoke_kernel *segments, const operands *o,
                          const yops_reduce_shape *shape, const yops_traits *traits, int groups, yoke_buffer *sums,
                          yoke_buffer *starts, yoke_buffer *kept, size_t node_bytes)
{
    uint64_t windows = (uint64_t)shape->n / YOPS_REDUCE_TILE, threads = traits->is_cpu ? 1 : YOPS_REDUCE_THREADS;
    uint32_t each = YOPS_REDUCE_THREADS / (uint32_t)groups;
    if (traits->is_cpu)
        each = yops_counts_rounds(traits) ? 1 : (uint32_t)(1 + 16384 * shape->rows / (shape->n + shape->rows));
    yoke_arg args[2 * YOPS_MOST_OPERANDS + 12];
    const size_t first = begin_args(o, args);
    yoke_status status = YOKE_OK;
    size_t count = first;
    args[count++] = yoke_arg_i64(shape->rows);
    args[count++] = yoke_arg_buffer(sums);
    args[count++] = yoke_arg_buffer(starts);
    args[count++] = yoke_arg_struct(shape, sizeof *shape);
    if (windows > 0)
        status = yops_launch(call, tiles, (windows + WINDOWS - 1) / WINDOWS, (uint32_t)threads, args, count);
    if (status < 0)
        return status;
    count = first;
    args[count++] = yoke_arg_buffer(sums);
    args[count++] = yoke_arg_buffer(starts);
    args[count++] = yoke_arg_buffer(o->out_place.root);
    args[count++] = yoke_arg_i64(o->out_place.origin);
    args[count++] = yoke_arg_i64(o->out->strides[0]);
    args[count++] = yoke_arg_struct(shape, sizeof *shape);
    if (!kept) {
        args[count++] = yoke_arg_u32(each);
        return yops_launch(call, segments, ((uint64_t)shape->rows + each - 1) / each, (uint32_t)threads, args, count);
    }
    /* `kept`: behind the nodes of all rows, where each of them is. */
    uint64_t budget = traits->most_rounds > REST_ROUNDS ? traits->most_rounds - REST_ROUNDS : 1;
    args[count++] = yoke_arg_buffer(kept);
    args[count++] = yoke_arg_buffer(kept);
    args[count++] = yoke_arg_i64((int64_t)((uint64_t)shape->rows * LEVELS * node_bytes / sizeof(int64_t)));
    args[count++] = yoke_arg_u32((uint32_t)budget);
    args[count++] = yoke_arg_u32(1);
    for (uint64_t left = count_launches(shape, traits); left > 0 && status == YOKE_OK; left--) {
        status = yops_launch(call, segments, (uint64_t)shape->rows, 1, args, count);
        args[count - 1] = yoke_arg_u32(0);
    }
    return status;
}

static yoke_status run(const yops_call *call, const yops_reduction *r, const operands *o)
{
    yops_reduce_shape shape = { .rows = o->out->shape[0], .n = o->n, .reduced = 1 };
    uint64_t windows = (uint64_t)shape.n / YOPS_REDUCE_TILE;
    yoke_buffer *sums = o->out_place.root, *starts = o->out_place.root, *kept = NULL;
    yoke_kernel *tiles = NULL, *segments;
    yops_traits traits;
    char options[512];
    shape.extent[0] = shape.n;
    shape.stride[0] = o->stride;
    size_t node_bytes = yops_reduction_get_partial_size(r);
    yoke_status status = yops_get_traits(call, &traits);
    if (status < 0)
        return status;
    uint64_t launches = traits.is_cpu ? count_launches(&shape, &traits) : 1;
    if ((status = check_launches(call, &shape, launches)) < 0 ||
        (o->values && traits.is_cpu && (status = yops_evaluation_check_rounds(o->values, &traits, YOPS_REDUCE_TILE)) < 0))
        return status;
    int groups = traits.is_cpu ? 1 : choose_groups(shape.n, shape.rows),
        length = yops_reduction_get_options(r, options, sizeof options);
    yops_write(options + length, sizeof options - (size_t)length,
               " FORM=%d LAYOUT=%d GROUPS=%d LEAF_RUN=4 VECTOR_BYTES=4 OFFSET=%s%s", traits.is_cpu, shape.stride[0] == 1 ? 1 : 2,
               groups, yops_dtype_token(o->offsets->dtype), o->values ? " MAPPED=1" : "");
    if (launches > 1)
        yops_write(options + strlen(options), sizeof options - strlen(options), " RESUMED=1");
    if ((status = get_kernel(call, o, options, traits.is_cpu, "segments", &segments)) < 0 ||
        (windows > 0 && (status = get_kernel(call, o, options, traits.is_cpu, "segment_tiles", &tiles)) < 0))
        return status;
    if (windows > 0 && (status = yops_temporary(call, windows * yops_reduction_get_partial_size(r), &sums)) < 0)
        return status;
    if (windows > 0 && (status = yops_temporary(call, windows * sizeof(int64_t), &starts)) < 0) {
        yoke_buffer_release(sums);
        return status;
    }
    if (launches > 1)
        status = yops_temporary(call, (uint64_t)shape.rows * (LEVELS * node_bytes + sizeof(int64_t)), &kept);
    if (status == YOKE_OK)
        status = launch(call, tiles, segments, o, &shape, &traits, groups, sums, starts, kept, node_bytes);
    yoke_buffer_release(kept);
    if (windows > 0) {
        yoke_buffer_release(starts);
        yoke_buffer_release(sums);
    }
    return status;
}

static yoke_status check_dimensions(const yops_call *call, const char *name, const yoke_array *array)
{
    if (array->dimensions == 1)
        return YOKE_OK;
    return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "%s has the shape %s: segments are of arrays of one dimension", name,
                     yops_shape(array->dimensions, array->shape).text);
}

/* An expression has no array `a`. */
static yoke_status check_shapes(const yops_call *call, const operands *o)
{
    yoke_status status = check_dimensions(call, "out", o->out);
    if (status == YOKE_OK && o->a)
        status = check_dimensions(call, "a", o->a);
    if (status == YOKE_OK)
        status = check_dimensions(call, "offsets", o->offsets);
    if (status < 0)
        return status;
    if (o->offsets->dtype != YOKE_I32 && o->offsets->dtype != YOKE_I64)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "offsets has the dtype %s: int32 and int64 are possible",
                         yoke_dtype_get_name(o->offsets->dtype));
    if (o->offsets->shape[0] - 1 != o->out->shape[0])
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT,
                         "out has %lld elements, and offsets has %lld: it must have one more, the end of the last segment",
                         (long long)o->out->shape[0], (long long)o->offsets->shape[0]);
    return YOKE_OK;
}

yoke_status yoke_reduce_segments_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                    const yoke_array *a, const yoke_array *offsets)
{
    yops_call call;
    operands o = { .out = out, .a = a, .offsets = offsets };
    yops_reduction reduction;
    yoke_status status = yops_begin(&call, "yoke_reduce_segments", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &o.out_place)) < 0 ||
        (status = yops_check_input(&call, "a", a, &o.place)) < 0 ||
        (status = yops_check_input(&call, "offsets", offsets, &o.offsets_place)) < 0 || (status = check_shapes(&call, &o)) < 0 ||
        (status = yops_reduction_check(&call, operation, a->dtype, out->dtype, &reduction)) < 0 ||
        (status = yops_check_overlap(&call, "out", out, &o.out_place, "a", a, &o.place, false)) < 0 ||
        (status = yops_check_overlap(&call, "out", out, &o.out_place, "offsets", offsets, &o.offsets_place, false)) < 0)
        return status;
    o.n = a->shape[0];
    o.stride = a->strides[0];
    if ((status = yops_reduction_check_positions(&call, &reduction, o.n)) < 0)
        return status;
    return out->shape[0] == 0 ? YOKE_OK : run(&call, &reduction, &o);
}

static yoke_status reduce_values(const yops_call *call, int32_t operation, operands *o, yops_evaluation *values)
{
    yops_reduction reduction;
    if (values->dimensions != 1)
        return yops_fail(call, YOKE_E_INVALID_ARGUMENT, "the expression has the shape %s: segments are of one dimension",
                         yops_shape(values->dimensions, values->shape).text);
    yoke_status status = yops_reduction_check(call, operation, values->dtype, o->out->dtype, &reduction);
    if (status == YOKE_OK)
        status = yops_evaluation_check_overlap(values, "out", o->out, &o->out_place);
    if (status == YOKE_OK)
        status = yops_reduction_check_positions(call, &reduction, values->count);
    if (status < 0 || o->out->shape[0] == 0)
        return status;
    o->n = values->count;
    o->stride = 1;
    o->values = values->count > 0 ? values : NULL;
    o->place = o->out_place; /* of an empty array, where there are no values */
    return run(call, &reduction, o);
}

yoke_status yoke_map_reduce_segments_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out,
                                        const char *expression, const yoke_var *vars, size_t count, const yoke_array *offsets)
{
    yops_call call;
    operands o = { .out = out, .offsets = offsets };
    yops_evaluation values;
    yoke_status status = yops_begin(&call, "yoke_map_reduce_segments", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &o.out_place)) < 0 ||
        (status = yops_check_input(&call, "offsets", offsets, &o.offsets_place)) < 0 || (status = check_shapes(&call, &o)) < 0 ||
        (status = yops_check_overlap(&call, "out", out, &o.out_place, "offsets", offsets, &o.offsets_place, false)) < 0)
        return status;
    status = yops_evaluation_begin(&values, &call, expression, vars, count, 0, NULL);
    if (status == YOKE_OK)
        status = reduce_values(&call, operation, &o, &values);
    yops_evaluation_end(&values);
    return status;
}
