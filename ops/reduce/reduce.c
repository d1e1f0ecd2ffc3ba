/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions of arrays along axes, and the dot product. The kernels are in reduce.yk, which reduce spans of tiles, and
 * then the results of the spans where a row has several. How rows are shared among threads depends on the device and never changes
 * the result: reduce_tree.yh has the order in which elements are combined.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/library.h>

#include "reduce.h"

/* ---- Shapes ---- */

/* Put the axis whose elements are closest together last: outputs may be taken in any order. */
static void sort_kept(yops_reduce_shape *s)
{
    for (int32_t i = 1; i < s->kept; i++)
        for (int32_t j = i; j > 0 && yops_distance(s->kept_stride[j - 1]) < yops_distance(s->kept_stride[j]); j--) {
            int64_t *lists[] = { s->kept_extent, s->kept_stride, s->out_stride };
            for (int list = 0; list < 3; list++) {
                int64_t held = lists[list][j];
                lists[list][j] = lists[list][j - 1];
                lists[list][j - 1] = held;
            }
        }
}

/* Append an axis to lists of an extent and two strides, or merge it with the one before. */
static void add_axis(int32_t *count, int64_t *extents, int64_t *strides, int64_t *others, int64_t extent, int64_t stride,
                     int64_t other)
{
    int32_t last = *count - 1;
    if (extent == 1)
        return;
    if (last >= 0 && yops_continues(strides[last], stride, extent) && yops_continues(others[last], other, extent)) {
        extents[last] *= extent;
        strides[last] = stride;
        others[last] = other;
        return;
    }
    extents[*count] = extent;
    strides[*count] = stride;
    others[*count] = other;
    ++*count;
}

yoke_status yops_reduce_make_shape(const yops_call *call, const yoke_array *a, const int64_t *strides_b, const bool *reduced,
                                   const int64_t *out_strides, yops_reduce_shape *s)
{
    yops_reduce_shape kept = { 0 };
    *s = (yops_reduce_shape){ .rows = 1, .n = 1 };
    for (int32_t i = 0; i < a->dimensions; i++) /* what is empty is not too large */
        if (a->shape[i] == 0)
            *(reduced[i] ? &s->n : &s->rows) = 0;
    for (int32_t i = 0; i < a->dimensions; i++)
        if (__builtin_mul_overflow(reduced[i] ? s->n : s->rows, a->shape[i], reduced[i] ? &s->n : &s->rows))
            return yops_fail(call, YOKE_E_RANGE, "the input, of shape %s, has more elements than can be counted",
                             yops_shape(a->dimensions, a->shape).text);
    for (int32_t i = 0; i < a->dimensions; i++)
        if (s->rows > 0 && !reduced[i] && a->shape[i] != 1) {
            kept.kept_extent[kept.kept] = a->shape[i];
            kept.kept_stride[kept.kept] = a->strides[i];
            kept.out_stride[kept.kept++] = out_strides[i];
        }
    sort_kept(&kept);
    for (int32_t i = 0; i < kept.kept; i++)
        add_axis(&s->kept, s->kept_extent, s->kept_stride, s->out_stride, kept.kept_extent[i], kept.kept_stride[i],
                 kept.out_stride[i]);
    for (int32_t i = 0; i < a->dimensions; i++)
        if (s->n > 0 && reduced[i])
            add_axis(&s->reduced, s->extent, s->stride, s->stride_b, a->shape[i], a->strides[i], strides_b ? strides_b[i] : 0);
    if (s->reduced == 0) { /* one element each */
        s->reduced = 1;
        s->extent[0] = s->stride[0] = s->stride_b[0] = 1;
    }
    return YOKE_OK;
}

/* ---- Plans ---- */

typedef struct plan {
    int form, layout, groups, tiles; /* the macros of reduce.yk */
    bool columns, unit;
    int leaf_run, vector_bytes;
    uint32_t span, spans, rows_each; /* tiles of a span, spans of a row, rows of a block */
    uint64_t blocks;
    uint32_t final_threads;
} plan;

static uint64_t power_above(uint64_t x)
{
    uint64_t power = 1;
    while (power < x)
        power *= 2;
    return power;
}

/* 0: vectors can be read; see reduce_tree.yh. */
static int choose_layout(const yops_reduction *r, const yops_reduce_shape *s, int64_t origin_a, int64_t origin_b, plan *p)
{
    int64_t size = (int64_t)yoke_dtype_get_size(r->in_a ? r->in_a : r->in);
    p->leaf_run = 4;
    p->vector_bytes = 4 * (int)size;
    if (s->reduced > 1)
        return 3;
    if (s->stride[0] != 1 || (r->in_a && s->stride_b[0] != 1))
        return 2;
    if (size == 1 && !r->in_a && r->operation != YOPS_OWN_OPERATION && r->operation != YOKE_REDUCE_NORM &&
        r->operation != YOKE_REDUCE_VARIANCE) { /* whose order cannot be seen */
        p->leaf_run = 16;
        p->vector_bytes = 16;
    }
    int64_t step = (p->vector_bytes < 16 ? p->vector_bytes : 16) / size;
    bool aligned = origin_a % step == 0 && (!r->in_a || (r->in_a == r->in_b && origin_b % step == 0));
    for (int32_t i = 0; i < s->kept; i++)
        aligned = aligned && s->kept_stride[i] % step == 0;
    if (!aligned)
        p->leaf_run = 4;
    return aligned ? 0 : 1;
}

/* Spans as long as leave enough blocks for the device. */
static void choose_span(plan *p, const yops_reduce_shape *s, uint64_t row_blocks, uint32_t most, uint64_t wanted)
{
    uint64_t tiles = yops_divide_up((uint64_t)s->n, YOPS_REDUCE_TILE);
    p->span = 1;
    while (p->span < most &&
           (tiles <= (uint64_t)p->span * 2 ? tiles <= 4 && p->span < tiles : row_blocks * (tiles / p->span / 2) >= wanted))
        p->span *= 2;
    p->spans = (uint32_t)yops_divide_up(tiles, p->span);
    p->blocks = row_blocks * yops_divide_up(tiles, p->span);
}

static void plan_blocks(const yops_reduction *r, const yops_reduce_shape *s, const yops_traits *traits, plan *p)
{
    uint64_t leaves = yops_divide_up((uint64_t)s->n < 1024 || p->leaf_run == 16 ? (uint64_t)s->n : 1024, (uint64_t)p->leaf_run);
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, groups = power_above(leaves > 256 ? 256 : leaves);
    size_t state = yops_reduction_get_state_size(r);
    if (p->columns) {
        uint64_t width = power_above((uint64_t)s->kept_extent[s->kept - 1]), most = 256 / (width < 32 ? width : 32);
        groups = groups < most ? groups : most;
    } else if (s->n <= 1024 && groups > 32 && (uint64_t)s->rows >= 64 * units) {
        groups = 32;
    } else if (groups == 128 || groups == 64) {
        groups = 256;
    }
    p->groups = (int)groups;
    p->tiles = state <= 8 ? 8 : state <= 16 ? 4 : 2;
    p->rows_each = (uint32_t)(256 / groups);
    choose_span(p, s, yops_divide_up((uint64_t)s->rows, p->rows_each), groups == 256 ? (uint32_t)p->tiles : YOPS_REDUCE_SPAN,
                16 * units);
}

/* The rounds, at most, of a thread that reduces m elements of a tile by reduce_tile.yh. With several axes, each element's
 * place takes a loop over them. */
static uint64_t count_rounds(const yops_reduce_shape *s, int64_t m)
{
    uint64_t axes = s->reduced > 1 ? (uint64_t)s->reduced : 0, elements = (uint64_t)m;
    uint64_t turns = m == YOPS_REDUCE_TILE ? elements / 4 + elements * axes : elements * (1 + axes);
    return turns + (elements < 1024 ? elements : 1024) / 2 + 160;
}

/* The rows of a thread, and, a power of two, the tiles of a span, where the driver ends loops. */
static void bound_loops(const yops_reduce_shape *s, const yops_traits *traits, uint64_t *rows, uint32_t *span)
{
    int64_t tiles = s->n / YOPS_REDUCE_TILE, rest = s->n % YOPS_REDUCE_TILE;
    uint64_t last = rest ? count_rounds(s, rest) : 0;
    uint64_t most_rows = tiles ? 1 : yops_fit_rounds(traits, 64, last + 64);
    uint64_t most_tiles = yops_fit_rounds(traits, last + 64, count_rounds(s, YOPS_REDUCE_TILE));
    *rows = *rows < most_rows ? *rows : most_rows;
    while (*span > 1 && *span > most_tiles)
        *span /= 2;
}

static void plan_loops(const yops_reduce_shape *s, const yops_traits *traits, plan *p)
{
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, row_blocks;
    uint32_t most_span = YOPS_REDUCE_SPAN;
    p->groups = p->tiles = 1;
    p->leaf_run = 4;
    p->vector_bytes = 4;
    p->rows_each = 1;
    p->layout = p->layout == 0 ? 1 : p->layout;
    if (p->form == 2) {
        uint64_t line = (uint64_t)s->kept_extent[s->kept - 1];
        row_blocks = (uint64_t)s->rows / line * yops_divide_up(line, 64);
    } else {
        uint64_t most = UINT64_C(4) * YOPS_REDUCE_TILE, each = (uint64_t)s->n < most ? most / (uint64_t)(s->n > 0 ? s->n : 1) : 1;
        if (yops_counts_rounds(traits))
            bound_loops(s, traits, &each, &most_span);
        uint64_t fair = yops_divide_up((uint64_t)s->rows, 4 * units);
        p->rows_each = (uint32_t)(each < fair ? each : fair);
        row_blocks = yops_divide_up((uint64_t)s->rows, p->rows_each);
    }
    choose_span(p, s, row_blocks, most_span, 8 * units);
    if (p->form == 1 && p->spans > 1 && p->rows_each > 1) { /* a thread has several rows or a part of one */
        p->rows_each = 1;
        p->blocks = (uint64_t)s->rows * p->spans;
    }
}

/* The last kernel is one block for each row of a few: more threads take fewer turns. */
static uint32_t choose_final_threads(const yops_reduction *r, const yops_traits *traits, int form)
{
    bool many = traits->blocks_progress && traits->max_block_threads >= 1024 && yops_reduction_get_partial_size(r) <= 32;
    return form != 0 ? 1 : many ? 1024 : YOPS_REDUCE_THREADS;
}

static void make_plan(const yops_reduction *r, const yops_reduce_shape *s, const yops_traits *traits, int64_t origin_a,
                      int64_t origin_b, plan *p)
{
    *p = (plan){ 0 };
    p->layout = choose_layout(r, s, origin_a, origin_b, p);
    uint64_t across = s->kept > 0 ? yops_distance(s->kept_stride[s->kept - 1]) : 0, along = UINT64_MAX;
    for (int32_t i = 0; i < s->reduced; i++)
        along = yops_distance(s->stride[i]) < along ? yops_distance(s->stride[i]) : along;
    p->columns = s->kept > 0 && across < along && !r->in_a;
    if (p->columns && p->layout == 0)
        p->layout = 1;
    p->unit = across == 1 && s->kept > 0 && s->kept_stride[s->kept - 1] == 1;
    if (!traits->is_cpu) {
        plan_blocks(r, s, traits, p);
        p->final_threads = choose_final_threads(r, traits, p->form);
        return;
    }
    p->form = p->columns && s->kept_extent[s->kept - 1] >= 8 && !yops_counts_rounds(traits) ? 2 : 1;
    p->columns = p->form == 2;
    p->final_threads = 1;
    plan_loops(s, traits, p);
}

/* ---- Launches ---- */

typedef struct kernels {
    yoke_kernel *tiles, *final;
} kernels;

static const char tiles_name[] = "reduce_tiles", final_name[] = "reduce_final";

/* The kernels of blocks are one program; where kernels are slow to compile, each is one of its own. */
static bool is_apart(const plan *p)
{
    return p->form != 0;
}

/* What a kernel depends on, shorter than its options, which are written only to compile it. No byte is 0. */
static void make_key(const yops_reduction *r, const plan *p, const char *kernel, char *key)
{
    const int values[] = { r->operation,    r->in,
                           r->out,          r->acc,
                           r->wants_f64,    r->in_a,
                           r->in_b,         p->form,
                           p->layout,       p->columns,
                           p->tiles,        p->unit,
                           p->leaf_run,     p->groups,
                           p->vector_bytes, (int)p->final_threads,
                           r->nan_first,    is_apart(p) && strcmp(kernel, final_name) == 0 };
    static const char name[] = "yoke-ops reduce ";
    memcpy(key, name, sizeof name - 1);
    key += sizeof name - 1;
    for (size_t i = 0; i < YOPS_COUNT_OF(values); i++) {
        *key++ = (char)(1 + (values[i] & 63));
        *key++ = (char)(1 + (values[i] >> 6));
    }
    *key = '\0';
}

static void write_options(const yops_reduction *r, const plan *p, bool mapped, const char *name, char *all, size_t size)
{
    char options[512];
    int length = yops_reduction_get_options(r, options, sizeof options);
    yops_write(options + length, sizeof options - (size_t)length,
               " FORM=%d LAYOUT=%d GROUPS=%d COLUMNS=%d TILES=%d UNIT=%d LEAF_RUN=%d VECTOR_BYTES=%d FINAL_THREADS=%u%s", p->form,
               p->layout, p->groups, p->columns, p->tiles, p->form == 2 && p->unit, p->leaf_run, p->vector_bytes,
               (unsigned)p->final_threads, mapped ? " MAPPED=1" : "");
    if (is_apart(p))
        yops_only(all, size, options, name);
    else
        yops_write(all, size, "%s", options);
}

static yoke_status get_kernel(const yops_call *call, const yops_reduction *r, const plan *p, const yops_reduce_input *input,
                              const char *name, yoke_kernel **out_kernel)
{
    char key[64], options[512 + YOPS_ONLY_SIZE];
    yops_evaluation *values = p->spans > 0 && !input->own ? input->values : NULL;
    bool is_plain = !input->own && !values;
    if (is_plain) {
        make_key(r, p, name, key);
        if (yops_kernel_known(call, key, name, out_kernel))
            return YOKE_OK;
    }
    write_options(r, p, values != NULL, name, options, sizeof options);
    if (is_plain)
        return yops_kernel_generated(call, key, "reduce", options, NULL, NULL, name, out_kernel);
    return values ? yops_evaluation_get_kernel(values, "reduce", options, name, out_kernel)
                  : yops_combination_get_kernel(input->own, "reduce", options, name, out_kernel);
}

static yoke_status get_kernels(const yops_call *call, const yops_reduction *r, const plan *p, const yops_reduce_input *input,
                               bool wants_final, kernels *out)
{
    *out = (kernels){ NULL, NULL };
    yoke_status status = get_kernel(call, r, p, input, tiles_name, &out->tiles);
    return status < 0 || !wants_final ? status : get_kernel(call, r, p, input, final_name, &out->final);
}

/* Reduce `count` partial results of each row. */
static yoke_status launch_final(const yops_call *call, yoke_kernel *kernel, const yops_reduce_shape *s, const plan *p,
                                const yops_traits *traits, yoke_buffer *partials, uint64_t count, const yops_place *out)
{
    uint64_t units = traits->compute_units > 0 ? traits->compute_units : 1, rows = (uint64_t)s->rows;
    uint64_t groups = p->form == 0 ? power_above(count > p->final_threads ? p->final_threads : count > 0 ? count : 1) : 1;
    while (groups > 1 && rows > units * 4096 / groups)
        groups /= 2;
    uint64_t chunk = power_above(yops_divide_up(count, groups)), threads = p->final_threads;
    int64_t row_stride = p->columns ? 1 : (int64_t)count, stride = p->columns ? s->rows : 1;
    return yops_launch(call, kernel, yops_divide_up(rows, threads / groups), (uint32_t)threads,
                       YOKE_ARGS(partials, row_stride, stride, (int64_t)count, (int64_t)chunk, (int32_t)groups, out->root,
                                 out->origin, yoke_arg_struct(s, sizeof *s)));
}

/* A driver that ends loops: those of reduce_final are not cut, and those of an expression are not known. */
static yoke_status check_rounds(const yops_call *call, const yops_reduce_shape *s, const plan *p, const yops_traits *traits,
                                const yops_reduce_input *input)
{
    uint64_t final = p->form == 0 ? p->spans / p->final_threads + 1 : p->spans;
    yoke_status status = yops_check_rounds(call, traits, final / 2 + 256, "a reduction of %lld elements to one", (long long)s->n);
    if (status == YOKE_OK && input->values)
        status = yops_evaluation_check_rounds(input->values, traits,
                                              (uint64_t)s->n < YOPS_REDUCE_TILE ? (uint64_t)s->n : YOPS_REDUCE_TILE);
    if (status == YOKE_OK && input->own)
        status = yops_combination_check_rounds(input->own, traits,
                                               (uint64_t)s->n < YOPS_REDUCE_TILE ? (uint64_t)s->n : YOPS_REDUCE_TILE);
    return status;
}

static yoke_status launch_tiles(const yops_call *call, yoke_kernel *kernel, const yops_reduce_shape *s, const plan *p,
                                const yops_reduce_input *input, yoke_buffer *partials, const yops_place *out)
{
    yoke_arg args[2 * YOPS_MOST_OPERANDS + 12];
    size_t count = 0;
    if (input->values) {
        count = input->values->arg_count;
        memcpy(args, input->values->args, count * sizeof *args);
    } else {
        args[count++] = yoke_arg_buffer(input->a->root);
        args[count++] = yoke_arg_i64(input->a->origin);
        args[count++] = yoke_arg_buffer(input->b->root);
        args[count++] = yoke_arg_i64(input->b->origin);
    }
    args[count++] = yoke_arg_buffer(partials);
    args[count++] = yoke_arg_buffer(out->root);
    args[count++] = yoke_arg_i64(out->origin);
    args[count++] = yoke_arg_struct(s, sizeof *s);
    args[count++] = yoke_arg_u32(p->spans);
    args[count++] = yoke_arg_u32(p->span);
    if (p->form == 1)
        args[count++] = yoke_arg_u32(p->rows_each);
    return yops_launch(call, kernel, p->blocks, p->form == 0 ? YOPS_REDUCE_THREADS : 1, args, count);
}

/* Where vectors would begin: nowhere, where the memory itself is not aligned for them. */
static int64_t find_origin(const yops_place *place)
{
    return place && yoke_buffer_get_misalignment(place->root) == 0 ? place->origin : 1;
}

yoke_status yops_reduce_run(const yops_call *call, const yops_reduction *r, const yops_reduce_shape *s,
                            const yops_reduce_input *input, const yops_place *out)
{
    yops_traits traits;
    kernels all = { 0 };
    plan p;
    yoke_buffer *partials = NULL;
    yoke_status status = yops_reduction_check_positions(call, r, s->n);
    if (status == YOKE_OK)
        status = yops_get_traits(call, &traits);
    if (status < 0 || s->rows == 0)
        return status;
    make_plan(r, s, &traits, find_origin(input->a), find_origin(input->b), &p);
    if (input->values && p.layout == 0) { /* values are computed, not read */
        p.layout = 1;
        p.leaf_run = 4;
    }
    status = check_rounds(call, s, &p, &traits, input);
    if (status == YOKE_OK)
        status = get_kernels(call, r, &p, input, p.spans != 1, &all);
    if (status < 0)
        return status;
    if (s->n == 0)
        return launch_final(call, all.final, s, &p, &traits, out->root, 0, out);
    if (p.blocks > INT32_MAX)
        return yops_fail(call, YOKE_E_RANGE, "the reduction needs more blocks than a grid holds");
    if (p.spans == 1)
        return launch_tiles(call, all.tiles, s, &p, input, out->root, out);
    status = yops_temporary(call, (uint64_t)s->rows * p.spans * yops_reduction_get_partial_size(r), &partials);
    if (status < 0)
        return status;
    status = launch_tiles(call, all.tiles, s, &p, input, partials, out);
    if (status >= 0)
        status = launch_final(call, all.final, s, &p, &traits, partials, p.spans, out);
    yoke_buffer_release(partials);
    return status;
}

/* Check the arrays of a reduction, and make its shape. */
static yoke_status check_arrays(const yops_call *call, const yoke_array *out, const yoke_array *a, const int32_t *axes,
                                size_t axis_count, yops_place *out_place, yops_place *place, yops_reduce_shape *shape)
{
    bool reduced[YOKE_MAX_DIMENSIONS];
    int64_t out_strides[YOKE_MAX_DIMENSIONS];
    yoke_status status = yops_reduce_check_axes(call, out, a->dimensions, a->shape, axes, axis_count, reduced, out_strides);
    if (status == YOKE_OK)
        status = yops_check_overlap(call, "out", out, out_place, "a", a, place, false);
    return status == YOKE_OK ? yops_reduce_make_shape(call, a, NULL, reduced, out_strides, shape) : status;
}

yoke_status yoke_reduce_at(const char *where, yoke_stream *stream, int32_t operation, const yoke_array *out, const yoke_array *a,
                           const int32_t *axes, size_t axis_count)
{
    yops_call call;
    yops_place place, out_place;
    yops_reduction reduction;
    yops_reduce_shape shape;
    yoke_status status = yops_begin(&call, "yoke_reduce", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &out_place)) < 0 ||
        (status = yops_check_input(&call, "a", a, &place)) < 0 ||
        (status = yops_reduction_check(&call, operation, a->dtype, out->dtype, &reduction)) < 0 ||
        (status = check_arrays(&call, out, a, axes, axis_count, &out_place, &place, &shape)) < 0)
        return status;
    return yops_reduce_run(&call, &reduction, &shape, &(yops_reduce_input){ .a = &place, .b = &place }, &out_place);
}

yoke_status yoke_reduce_with_at(const char *where, yoke_stream *stream, const char *combination, const yoke_array *out,
                                const yoke_array *a, yoke_number initial, const yoke_var *vars, size_t count, const int32_t *axes,
                                size_t axis_count)
{
    yops_call call;
    yops_place place, out_place;
    yops_reduce_shape shape;
    yops_combination own = { 0 };
    yoke_status status = yops_begin(&call, "yoke_reduce_with", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &out_place)) < 0 ||
        (status = yops_check_input(&call, "a", a, &place)) < 0 ||
        (status = check_arrays(&call, out, a, axes, axis_count, &out_place, &place, &shape)) < 0)
        return status;
    status = yops_combination_begin(&own, &call, combination, vars, count, a->dtype, out->dtype, initial);
    yops_reduction reduction = {
        .operation = YOPS_OWN_OPERATION, .in = a->dtype, .out = out->dtype, .acc = own.computed, .wants_f64 = own.needs_f64
    };
    memcpy(shape.initial, own.initial, sizeof shape.initial);
    if (status == YOKE_OK)
        status =
            yops_reduce_run(&call, &reduction, &shape, &(yops_reduce_input){ .a = &place, .b = &place, .own = &own }, &out_place);
    yops_combination_end(&own);
    return status;
}

/* ---- The dot product ---- */

/* Products and their sum are computed in the dtype that the operands have in common, with integers in 64 bits. */
static int32_t choose_common(int32_t a, int32_t b, int32_t out)
{
    bool wide = yops_needs_f64(a) || yops_needs_f64(b) || yops_needs_f64(out);
    if (yops_is_complex(a) || yops_is_complex(b))
        return wide ? YOKE_C128 : YOKE_C64;
    if (!yops_is_integer(a) || !yops_is_integer(b))
        return wide ? YOKE_F64 : YOKE_F32;
    return yops_is_signed(a) || yops_is_signed(b) ? YOKE_I64 : YOKE_U64;
}

/* Broadcast both arrays to the shape that they have together. */
static yoke_status broadcast_both(const yops_call *call, const yoke_array *a, const yoke_array *b, yoke_array *out_a,
                                  yoke_array *out_b)
{
    int32_t dimensions = a->dimensions > b->dimensions ? a->dimensions : b->dimensions;
    int64_t shape[YOKE_MAX_DIMENSIONS];
    for (int32_t i = 0; i < dimensions; i++) {
        int32_t in_a = i - (dimensions - a->dimensions), in_b = i - (dimensions - b->dimensions);
        int64_t extent_a = in_a >= 0 ? a->shape[in_a] : 1, extent_b = in_b >= 0 ? b->shape[in_b] : 1;
        shape[i] = extent_a == 1 ? extent_b : extent_a;
    }
    yoke_status status = yops_broadcast(call, "a", a, dimensions, shape, out_a);
    return status < 0 ? status : yops_broadcast(call, "b", b, dimensions, shape, out_b);
}

yoke_status yoke_dot_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, const yoke_array *b)
{
    yops_call call;
    yops_place place_a, place_b, out_place;
    yops_reduction reduction;
    yops_reduce_shape shape;
    yoke_array wide_a, wide_b;
    bool reduced[YOKE_MAX_DIMENSIONS] = { true, true, true, true, true, true, true, true };
    int64_t out_strides[YOKE_MAX_DIMENSIONS] = { 0 };
    yoke_status status = yops_begin(&call, "yoke_dot", where, stream);
    if (status < 0 || (status = yops_check_output(&call, "out", out, &out_place)) < 0 ||
        (status = yops_check_input(&call, "a", a, &place_a)) < 0 || (status = yops_check_input(&call, "b", b, &place_b)) < 0)
        return status;
    if (yoke_array_get_size(out) != 1)
        return yops_fail(&call, YOKE_E_INVALID_ARGUMENT, "out has the shape %s: the dot product is one element",
                         yops_shape(out->dimensions, out->shape).text);
    int32_t common = choose_common(a->dtype, b->dtype, out->dtype);
    if ((status = yops_reduction_check(&call, YOKE_REDUCE_SUM, common, out->dtype, &reduction)) < 0 ||
        (status = broadcast_both(&call, a, b, &wide_a, &wide_b)) < 0 ||
        (status = yops_check_overlap(&call, "out", out, &out_place, "a", a, &place_a, false)) < 0 ||
        (status = yops_check_overlap(&call, "out", out, &out_place, "b", b, &place_b, false)) < 0 ||
        (status = yops_reduce_make_shape(&call, &wide_a, wide_b.strides, reduced, out_strides, &shape)) < 0)
        return status;
    reduction.in_a = a->dtype;
    reduction.in_b = b->dtype;
    return yops_reduce_run(&call, &reduction, &shape, &(yops_reduce_input){ .a = &place_a, .b = &place_b }, &out_place);
}
