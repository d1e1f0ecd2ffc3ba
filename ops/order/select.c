/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Select, by flags or by an expression, partition and unique. On NVIDIA's devices blocks do all in a single pass
 * (select_blocks.yk), partition in two; elsewhere single threads walk through tiles, in three passes where there are several
 * (select.yk).
 */
#include <stdio.h>
#include <string.h>

#include "map/evaluation.h"

/* As in select.yh and select_blocks.yk. */
enum { TILE = 4096, BLOCK = 256 };

static int64_t block_tile(size_t bytes)
{
    const int64_t rows = bytes <= 4 ? 8 : bytes <= 8 ? 4 : 2;
    return rows * BLOCK * 4;
}

/* As in select.yh. */
typedef struct select_shape {
    int64_t extent, tiles;
    int64_t in_origin, flags_origin, out_origin, starts_origin, count_origin;
    int64_t in_stride, flags_stride, out_stride, starts_stride;
    int64_t room, starts_bytes, count_bytes, rest;
} select_shape;

typedef struct selection {
    yops_call call;
    const yoke_array *out, *count, *a, *flags, *starts; /* count, flags and starts may be NULL */
    yops_place out_place, count_place, in_place, flags_place, starts_place;
    yops_evaluation *values; /* an expression's, that take the place of flags; or NULL */
    bool partition;
    size_t bytes; /* of an element */
    char options[96];
    select_shape shape;
} selection;

/* ---- Checks ---- */

static yoke_status check_line(const selection *s, const char *name, const yoke_array *array)
{
    if (array->dimensions == 1)
        return YOKE_OK;
    return yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "%s has %d dimensions: it has one", name, (int)array->dimensions);
}

static yoke_status check_out(selection *s)
{
    yoke_status status = yops_check_output(&s->call, "out", s->out, &s->out_place);
    if (status == YOKE_OK)
        status = yops_check_input(&s->call, "a", s->a, &s->in_place);
    if (status == YOKE_OK)
        status = check_line(s, "out", s->out);
    if (status == YOKE_OK)
        status = check_line(s, "a", s->a);
    if (status == YOKE_OK && s->out->dtype != s->a->dtype)
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "out has the dtype %s, and a has %s: they must be the same",
                           yoke_dtype_get_name(s->out->dtype), yoke_dtype_get_name(s->a->dtype));
    if (status == YOKE_OK && s->partition)
        status = yops_check_same_shape(&s->call, "out", s->out, "a", s->a);
    return status < 0 ? status : yops_check_overlap(&s->call, "out", s->out, &s->out_place, "a", s->a, &s->in_place, false);
}

static yoke_status check_flags(selection *s)
{
    yoke_status status = yops_check_input(&s->call, "flags", s->flags, &s->flags_place);
    if (status == YOKE_OK)
        status = yops_check_same_shape(&s->call, "flags", s->flags, "a", s->a);
    if (status == YOKE_OK && !yops_is_integer(s->flags->dtype))
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "flags has the dtype %s: it is bool or an integer",
                           yoke_dtype_get_name(s->flags->dtype));
    if (status == YOKE_OK)
        status = yops_check_overlap(&s->call, "out", s->out, &s->out_place, "flags", s->flags, &s->flags_place, false);
    return status;
}

/* A further output, of positions or a count up to `most`: it shares no memory with the arrays before it. */
static yoke_status check_positions(selection *s, const char *name, const yoke_array *array, uint64_t most, yops_place *place)
{
    yoke_status status = yops_check_output(&s->call, name, array, place);
    if (status == YOKE_OK)
        status = yops_check_positions(&s->call, name, array->dtype, most);
    if (status == YOKE_OK)
        status = yops_check_overlap(&s->call, name, array, place, "a", s->a, &s->in_place, false);
    if (status == YOKE_OK)
        status = yops_check_overlap(&s->call, name, array, place, "out", s->out, &s->out_place, false);
    if (status == YOKE_OK && s->flags)
        status = yops_check_overlap(&s->call, name, array, place, "flags", s->flags, &s->flags_place, false);
    return status;
}

static yoke_status check_arrays(selection *s)
{
    yoke_status status = check_out(s);
    uint64_t n = status == YOKE_OK ? (uint64_t)s->a->shape[0] : 0;
    if (status == YOKE_OK && s->flags)
        status = check_flags(s);
    if (status == YOKE_OK && s->starts)
        status = check_positions(s, "starts", s->starts, n > 0 ? n - 1 : 0, &s->starts_place);
    if (status == YOKE_OK && s->starts)
        status = yops_check_same_shape(&s->call, "starts", s->starts, "out", s->out);
    if (status == YOKE_OK && s->count)
        status = check_positions(s, "count", s->count, n, &s->count_place);
    if (status == YOKE_OK && s->count && yoke_array_get_size(s->count) != 1)
        status = yops_fail(&s->call, YOKE_E_INVALID_ARGUMENT, "count has the shape %s: it is one element",
                           yops_shape(s->count->dimensions, s->count->shape).text);
    if (status == YOKE_OK && s->count && s->starts)
        status = yops_check_overlap(&s->call, "count", s->count, &s->count_place, "starts", s->starts, &s->starts_place, false);
    return status;
}

/* ---- What the kernels get ---- */

/* For NVIDIA's OpenCL: with 56 registers a multiprocessor takes four blocks of select_blocks.yk, which has measured best. */
#define FOUR_BLOCKS " MOST_REGISTERS=56"

static void make_options(selection *s, bool by_blocks)
{
    static const char *const by_size[] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64", [16] = "w128" };
    const uint32_t given = s->values ? yops_evaluation_give(s->values, s->a, &s->in_place) : 0;
    const bool moved_only = s->flags || (s->values && !given); /* no kernel needs to know what the elements are */
    s->bytes = yoke_dtype_get_size(s->a->dtype);
    size_t length = (size_t)yops_write(s->options, sizeof s->options, "IN=%s BYTES=%zu%s",
                                       moved_only ? by_size[s->bytes] : yops_dtype_token(s->a->dtype), s->bytes,
                                       by_blocks && (!s->values || given) ? FOUR_BLOCKS : "");
    char *more = s->options + length;
    size_t room = sizeof s->options - length;
    if (s->values)
        yops_write(more, room, " MAPPED=1 GIVEN=%uu", (unsigned)given);
    else if (s->flags)
        yops_write(more, room, " FLAG=%s", by_size[yoke_dtype_get_size(s->flags->dtype)]);
    else
        yops_write(more, room, " UNIQUE=1 KIND=%d%s",
                   yops_is_complex(s->a->dtype)    ? 2
                   : yops_is_floating(s->a->dtype) ? 1
                                                   : 0,
                   yops_needs_f64(s->a->dtype) ? " NEED_F64=1" : "");
}

static int64_t bytes_of(const yoke_array *array)
{
    return array ? (int64_t)yoke_dtype_get_size(array->dtype) : 0;
}

static void make_shape(selection *s, int64_t tile)
{
    s->shape = (select_shape){ .extent = s->a->shape[0],
                               .tiles = (s->a->shape[0] + tile - 1) / tile,
                               .in_origin = s->in_place.origin,
                               .out_origin = s->out_place.origin,
                               .in_stride = s->a->strides[0],
                               .out_stride = s->out->strides[0],
                               .room = s->out->shape[0],
                               .starts_bytes = bytes_of(s->starts),
                               .count_bytes = bytes_of(s->count) };
    if (s->flags) {
        s->shape.flags_origin = s->flags_place.origin;
        s->shape.flags_stride = s->flags->strides[0];
    }
    if (s->starts) {
        s->shape.starts_origin = s->starts_place.origin;
        s->shape.starts_stride = s->starts->strides[0];
    }
    if (s->count)
        s->shape.count_origin = s->count_place.origin;
}

/* A kernel's parameter that it does not use gets the output. */
static yoke_buffer *root_or(const selection *s, const yoke_array *array, const yops_place *place)
{
    return array ? place->root : s->out_place.root;
}

static yoke_status get_kernel(const selection *s, const char *text, const char *part, const char *name, yoke_kernel **out_kernel)
{
    char options[sizeof s->options + YOPS_ONLY_SIZE];
    yops_only(options, sizeof options, s->options, part);
    return s->values ? yops_evaluation_get_kernel(s->values, text, options, name, out_kernel)
                     : yops_kernel(&s->call, text, options, name, out_kernel);
}

/* A kernel's arguments: the expression's come first. */
typedef struct arg_list {
    yoke_arg args[2 * YOPS_MOST_OPERANDS + 8];
    size_t count;
} arg_list;

static void begin_args(const selection *s, arg_list *list, const yoke_arg *own, size_t count)
{
    list->count = s->values ? s->values->arg_count : 0;
    if (s->values)
        memcpy(list->args, s->values->args, list->count * sizeof *list->args);
    memcpy(list->args + list->count, own, count * sizeof *own);
    list->count += count;
}

/* ---- By blocks ---- */

/* One pass. `base`: where those that are kept begin, read when shape->rest is 1; NULL else. */
static yoke_status pass_by_blocks(const selection *s, yoke_kernel *kernel, const select_shape *shape, yoke_buffer *count,
                                  yoke_buffer *base, yoke_buffer *states)
{
    yoke_status status = YOKE_OK;
    if (shape->tiles > 1)
        status = yoke_fill_at(s->call.where, s->call.stream, states, 0, 8 * (size_t)(shape->tiles + 1), &(uint64_t){ 0 }, 8);
    if (status < 0)
        return status;
    yoke_buffer *out = s->out_place.root;
    yoke_arg args[] = { yoke_arg_buffer(s->in_place.root),
                        yoke_arg_buffer(root_or(s, s->flags, &s->flags_place)),
                        yoke_arg_buffer(out),
                        yoke_arg_buffer(root_or(s, s->starts, &s->starts_place)),
                        yoke_arg_buffer(count),
                        yoke_arg_buffer(base ? base : out),
                        yoke_arg_buffer(states ? states : out),
                        yoke_arg_struct(shape, sizeof *shape) };
    arg_list list;
    begin_args(s, &list, args, YOPS_COUNT_OF(args));
    return yops_launch(&s->call, kernel, (uint64_t)shape->tiles, BLOCK, list.args, list.count);
}

/* Partition keeps those with a flag in the first pass, and puts the others behind them in the second. */
static yoke_status select_by_blocks(selection *s)
{
    yoke_kernel *kernel;
    yoke_buffer *states = NULL, *base = NULL, *count = root_or(s, s->count, &s->count_place);
    select_shape *shape = &s->shape;
    yoke_status status = get_kernel(s, "select_blocks", "select_blocks", "select_blocks", &kernel);
    if (status == YOKE_OK && shape->tiles > 1)
        status = yops_temporary(&s->call, 8 * (uint64_t)(shape->tiles + 1), &states);
    if (status == YOKE_OK && s->partition)
        status = yops_temporary(&s->call, 8, &base);
    if (status == YOKE_OK && s->partition) {
        select_shape first = *shape;
        first.count_bytes = 8;
        first.count_origin = 0;
        status = pass_by_blocks(s, kernel, &first, base, NULL, states);
        shape->rest = 1;
    }
    if (status == YOKE_OK)
        status = pass_by_blocks(s, kernel, shape, count, base, states);
    if (base)
        yoke_buffer_release(base);
    if (states)
        yoke_buffer_release(states);
    return status;
}

/* ---- By threads ---- */

static yoke_status launch_threads(const selection *s, const yops_traits *traits, yoke_kernel *kernel, const yoke_arg *args,
                                  size_t count)
{
    arg_list list;
    uint64_t work = (uint64_t)s->shape.tiles;
    uint32_t threads = traits->is_cpu ? 1 : 32;
    while (threads < 64 && work / threads > 16 * (uint64_t)traits->compute_units)
        threads *= 2;
    begin_args(s, &list, args, count);
    return yops_launch(&s->call, kernel, (work + threads - 1) / threads, threads, list.args, list.count);
}

static yoke_status select_by_threads(selection *s, const yops_traits *traits)
{
    yoke_kernel *count = NULL, *tiles = NULL, *elements;
    yoke_buffer *counts = NULL, *in = s->in_place.root, *flags = root_or(s, s->flags, &s->flags_place);
    bool several = s->shape.tiles > 1 || s->partition;
    s->shape.rest = s->partition ? 2 : 0;
    yoke_status status = yops_check_rounds(&s->call, traits, (uint64_t)s->shape.tiles + 16, "a selection of %lld elements",
                                           (long long)s->shape.extent); /* select_tiles */
    if (status == YOKE_OK && s->values)
        status = yops_evaluation_check_rounds(s->values, traits, TILE);
    if (status == YOKE_OK)
        status = get_kernel(s, "select", "select_elements", "select_elements", &elements);
    if (status == YOKE_OK && several)
        status = get_kernel(s, "select", "select_counts", "select_counts", &count);
    if (status == YOKE_OK && several)
        status = yops_kernel(&s->call, "select", "IN=u8 BYTES=1 FLAG=u8 ONLY=1 ONLY_select_tiles=1", "select_tiles",
                             &tiles); /* the same for all dtypes */
    if (status == YOKE_OK && several)
        status = yops_temporary(&s->call, 8 * (uint64_t)(s->shape.tiles + 1), &counts);
    if (status == YOKE_OK && several) {
        yoke_arg args[] = { yoke_arg_buffer(in), yoke_arg_buffer(flags), yoke_arg_buffer(counts),
                            yoke_arg_struct(&s->shape, sizeof s->shape) };
        yoke_arg fold[] = { yoke_arg_buffer(counts), yoke_arg_i64(s->shape.tiles) };
        status = launch_threads(s, traits, count, args, YOPS_COUNT_OF(args));
        if (status == YOKE_OK)
            status = yops_launch(&s->call, tiles, 1, 1, fold, YOPS_COUNT_OF(fold));
    }
    if (status == YOKE_OK) {
        yoke_buffer *out = s->out_place.root;
        yoke_arg args[] = { yoke_arg_buffer(in),
                            yoke_arg_buffer(flags),
                            yoke_arg_buffer(out),
                            yoke_arg_buffer(root_or(s, s->starts, &s->starts_place)),
                            yoke_arg_buffer(root_or(s, s->count, &s->count_place)),
                            yoke_arg_buffer(counts ? counts : out),
                            yoke_arg_struct(&s->shape, sizeof s->shape) };
        status = launch_threads(s, traits, elements, args, YOPS_COUNT_OF(args));
    }
    if (counts)
        yoke_buffer_release(counts);
    return status;
}

/* ---- The operations ---- */

/* Nothing is kept of an empty array. */
static yoke_status count_nothing(const selection *s)
{
    size_t size = (size_t)bytes_of(s->count);
    if (!s->count)
        return YOKE_OK;
    return yoke_fill_at(s->call.where, s->call.stream, s->count_place.root, (size_t)s->count_place.origin * size, size,
                        &(uint8_t){ 0 }, 1);
}

static yoke_status enqueue(selection *s)
{
    yops_traits traits;
    if (s->a->shape[0] == 0)
        return count_nothing(s);
    yoke_status status = yops_get_traits(&s->call, &traits);
    if (status < 0)
        return status;
    make_options(s, traits.blocks_progress);
    make_shape(s, traits.blocks_progress ? block_tile(s->bytes) : TILE);
    return traits.blocks_progress ? select_by_blocks(s) : select_by_threads(s, &traits);
}

static yoke_status run(selection *s)
{
    yoke_status status = check_arrays(s);
    return status < 0 ? status : enqueue(s);
}

yoke_status yoke_select_where_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                                 const yoke_array *a, const char *expression, const yoke_var *vars, size_t var_count)
{
    yops_evaluation values;
    selection s = { .out = out, .count = count, .a = a, .values = &values };
    yoke_status status = yops_begin(&s.call, "yoke_select_where", where, stream);
    if (status == YOKE_OK)
        status = check_arrays(&s);
    if (status < 0)
        return status;
    status = yops_evaluation_begin(&values, &s.call, expression, vars, var_count, 1, a->shape);
    if (status == YOKE_OK && yops_is_complex(values.dtype))
        status = yops_fail(&s.call, YOKE_E_INVALID_ARGUMENT, "the expression's value is complex: compare it with something");
    if (status == YOKE_OK)
        status = yops_evaluation_check_overlap(&values, "out", out, &s.out_place);
    if (status == YOKE_OK && count)
        status = yops_evaluation_check_overlap(&values, "count", count, &s.count_place);
    if (status == YOKE_OK)
        status = enqueue(&s);
    yops_evaluation_end(&values);
    return status;
}

yoke_status yoke_select_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                           const yoke_array *a, const yoke_array *flags)
{
    selection s = { .out = out, .count = count, .a = a, .flags = flags };
    yoke_status status = yops_begin(&s.call, "yoke_select", where, stream);
    if (status == YOKE_OK && !flags)
        status = yops_fail(&s.call, YOKE_E_INVALID_ARGUMENT, "flags is NULL");
    return status < 0 ? status : run(&s);
}

yoke_status yoke_partition_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *count,
                              const yoke_array *a, const yoke_array *flags)
{
    selection s = { .out = out, .count = count, .a = a, .flags = flags, .partition = true };
    yoke_status status = yops_begin(&s.call, "yoke_partition", where, stream);
    if (status == YOKE_OK && !flags)
        status = yops_fail(&s.call, YOKE_E_INVALID_ARGUMENT, "flags is NULL");
    return status < 0 ? status : run(&s);
}

yoke_status yoke_unique_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *starts,
                           const yoke_array *count, const yoke_array *a)
{
    selection s = { .out = out, .count = count, .a = a, .starts = starts };
    yoke_status status = yops_begin(&s.call, "yoke_unique", where, stream);
    return status < 0 ? status : run(&s);
}
