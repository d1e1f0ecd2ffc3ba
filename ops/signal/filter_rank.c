/* SPDX-License-Identifier: Apache-2.0 */
/* Filters by rank: their checks, which passes they are made of, and the launches: filter_rank.yk. */
#include "filter.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yoke/half.h>

/* filter_rank.yk has the same numbers. */
enum { MOST_AXES = 8, LISTED = 32, OUTPUTS = 4, THREADS = 128, CPU_COLUMNS = 1024, LANES = 32, MOST_SELECTED = 32 };
enum { MOST_NEIGHBOURS = 1 << 20 };

/* Tuning: boxes of more neighbours are searched for their extremes one axis after the other; and a kernel is compiled for a number
 * of neighbours where there are so many elements. */
enum { DIRECT_BOX = 9, LEAST_SELECTED = 1 << 14 };

/* Both as in filter_rank.yk. */
typedef struct rank_shape {
    int64_t in_origin, out_origin, rows, columns, parts, lanes;
    int64_t extents[MOST_AXES], in_strides[MOST_AXES], lows[MOST_AXES], highs[MOST_AXES];
    int64_t other_extents[MOST_AXES], other_in[MOST_AXES], other_out[MOST_AXES];
    int64_t out_stride, count, rank;
    uint64_t value;
    int32_t axes, dimensions, boundary, extreme;
    int32_t tapped[MOST_AXES];
} rank_shape;

typedef struct rank_box {
    int64_t sizes[MOST_AXES], lows[MOST_AXES], strides[MOST_AXES];
    int64_t count, first, codes[LISTED];
    int32_t axes, listed;
} rank_box;

/* One launch over all elements: stages[0] to stages[stage_count - 1] of the filter are the axes of its window. */
typedef struct rank_pass {
    yops_filter_operand in, out;
    const yops_filter_stage *stages;
    int32_t stage_count;
    int64_t count, rank; /* of the neighbours */
    int32_t extreme;     /* -1: the smallest, 1: the largest, 0: another rank */
    bool is_selected;
    yoke_kernel *kernel, *set_neighbours;
    yoke_buffer *table;
} rank_pass;

/* A call. */
typedef struct rank_filter {
    yops_filter f;
    int64_t count, rank;
    int64_t *codes; /* the neighbours' places in the box, the axes ascending; NULL: the whole box */
    uint64_t value; /* the bits of the constant */
    yops_traits traits;
} rank_filter;

/* ---- Checks ---- */

/* The bits of a number in a dtype that holds it, with zeros above them. */
static yoke_status set_value(rank_filter *r, int32_t dtype)
{
    double value = r->f.options.value;
    if (r->f.options.boundary != YOKE_BOUNDARY_CONSTANT)
        return YOKE_OK;
    if (dtype == YOKE_F64) {
        memcpy(&r->value, &r->f.options.value, sizeof r->value);
    } else if (dtype == YOKE_F32) {
        r->value = yoke_float_bits((float)value);
    } else if (dtype == YOKE_F16) {
        r->value = yoke_half_from((float)value).bits;
    } else if (dtype == YOKE_BF16) {
        r->value = yoke_bfloat16_from((float)value).bits;
    } else {
        int bits = dtype == YOKE_BOOL ? 1 : 8 * (int)yoke_dtype_get_size(dtype);
        double low = yops_is_signed(dtype) ? -ldexp(1, bits - 1) : 0, end = ldexp(1, yops_is_signed(dtype) ? bits - 1 : bits);
        if (!(value >= low && value < end) || value != floor(value))
            return yops_fail(&r->f.call, YOKE_E_INVALID_ARGUMENT, "options->value is %s, and the elements are %s",
                             yops_write_number(value).text, yoke_dtype_get_name(dtype));
        r->value = value < 0 ? (uint64_t)(int64_t)value & UINT64_MAX >> (64 - bits) : (uint64_t)value;
    }
    return YOKE_OK;
}

/* The axes of the box, as stages, and how many places it has. */
static yoke_status add_box(rank_filter *r, const int64_t *sizes, int64_t *out_count)
{
    yoke_status status = YOKE_OK;
    int64_t count = 1;
    if (!sizes && r->f.axis_count > 0)
        return yops_fail(&r->f.call, YOKE_E_INVALID_ARGUMENT, "sizes is NULL, and there are %d axes", (int)r->f.axis_count);
    for (int32_t i = 0; i < r->f.axis_count && status == YOKE_OK; i++) {
        int64_t size = sizes[r->f.places[i]];
        if (size < 1)
            return yops_fail(&r->f.call, YOKE_E_INVALID_ARGUMENT, "the size of axis %d is %" PRId64 ": it is 1 or more",
                             (int)r->f.axes[i], size);
        count = count > MOST_NEIGHBOURS / size ? MOST_NEIGHBOURS + 1 : count * size;
        status = yops_filter_add_stage(&r->f, i, size);
    }
    if (status == YOKE_OK && count > MOST_NEIGHBOURS)
        return yops_fail(&r->f.call, YOKE_E_RANGE, "there are more than %d neighbours", MOST_NEIGHBOURS);
    *out_count = count;
    return status;
}

/* The neighbours that the footprint, whose axes are in the caller's order, has in a box of so many. */
static yoke_status add_footprint(rank_filter *r, const uint8_t *footprint, int64_t box)
{
    yops_filter *f = &r->f;
    int64_t strides[YOKE_MAX_DIMENSIONS] = { 0 };
    r->count = box;
    if (!footprint)
        return YOKE_OK;
    r->codes = malloc((size_t)box * sizeof *r->codes);
    if (!r->codes)
        return yops_fail(&f->call, YOKE_E_OUT_OF_HOST_MEMORY, "no memory for %" PRId64 " neighbours", box);
    for (int32_t i = 0; i < f->axis_count; i++) {
        strides[i] = 1;
        for (int32_t j = 0; j < f->axis_count; j++)
            strides[i] *= f->places[j] > f->places[i] ? f->stages[j].taps : 1;
    }
    r->count = 0;
    for (int64_t code = 0; code < box; code++) {
        int64_t rest = code, at = 0;
        for (int32_t i = f->axis_count - 1; i >= 0; i--) {
            at += rest % f->stages[i].taps * strides[i];
            rest /= f->stages[i].taps;
        }
        if (footprint[at])
            r->codes[r->count++] = code;
    }
    if (r->count == 0)
        return yops_fail(&f->call, YOKE_E_INVALID_ARGUMENT, "the footprint has no neighbour");
    if (r->count == box) {
        free(r->codes);
        r->codes = NULL;
    }
    return YOKE_OK;
}

static yoke_status set_rank(rank_filter *r, int64_t rank)
{
    if (rank < -r->count || rank >= r->count)
        return yops_fail(&r->f.call, YOKE_E_INVALID_ARGUMENT,
                         "rank is %" PRId64 ", and there are %" PRId64 " neighbours: it is at least -%" PRId64
                         " and below %" PRId64,
                         rank, r->count, r->count, r->count);
    r->rank = rank < 0 ? rank + r->count : rank;
    return YOKE_OK;
}

/* ---- A pass ---- */

static const yops_filter_stage *find_stage(const rank_pass *pass, int32_t axis, int32_t *out_index)
{
    for (*out_index = 0; *out_index < pass->stage_count; ++*out_index)
        if (pass->stages[*out_index].axis == axis)
            return &pass->stages[*out_index];
    return NULL;
}

/* The columns: the axis whose elements are closest, of those that have more than one. */
static int32_t find_columns(const yops_filter_operand *o)
{
    int32_t best = o->dimensions - 1;
    for (int32_t i = o->dimensions - 1; i >= 0; i--)
        if (o->shape[i] > 1 && (o->shape[best] == 1 || yops_distance(o->strides[i]) < yops_distance(o->strides[best])))
            best = i;
    return best;
}

/* The axes of the window in the kernel's order; the columns are the last. */
static int32_t order_window(const rank_pass *pass, int32_t columns, int32_t *out_axes)
{
    int32_t count = 0;
    for (int32_t i = 0; i < pass->stage_count; i++)
        if (pass->stages[i].axis != columns && pass->stages[i].taps > 1)
            out_axes[count++] = pass->stages[i].axis;
    out_axes[count++] = columns;
    return count;
}

static void set_window(const rank_pass *pass, rank_shape *shape, rank_box *box)
{
    int32_t axes[MOST_AXES + 1], index;
    shape->axes = order_window(pass, find_columns(&pass->in), axes);
    for (int32_t t = 0; t < shape->axes; t++) {
        const yops_filter_stage *stage = find_stage(pass, axes[t], &index);
        shape->extents[t] = pass->in.shape[axes[t]];
        shape->in_strides[t] = pass->in.strides[axes[t]];
        shape->lows[t] = stage ? stage->shift : 0;
        shape->highs[t] = stage ? stage->shift + stage->taps - 1 : 0;
        box->sizes[t] = stage ? stage->taps : 1;
        box->lows[t] = shape->lows[t];
        box->strides[t] = shape->in_strides[t];
    }
    box->axes = shape->axes;
    box->count = shape->count = pass->count;
}

static void set_rows(const rank_pass *pass, rank_shape *shape)
{
    int32_t columns = find_columns(&pass->in), axes[MOST_AXES + 1], count = order_window(pass, columns, axes);
    shape->rows = 1;
    for (int32_t i = pass->in.dimensions - 1; i >= 0; i--) {
        int32_t to = shape->dimensions, tapped = -1;
        for (int32_t t = 0; t + 1 < count; t++)
            if (axes[t] == i)
                tapped = t;
        if (i == columns || (pass->in.shape[i] == 1 && tapped < 0))
            continue;
        shape->dimensions++;
        shape->rows *= pass->in.shape[i];
        shape->other_extents[to] = pass->in.shape[i];
        shape->other_in[to] = pass->in.strides[i];
        shape->other_out[to] = pass->out.strides[i];
        shape->tapped[to] = tapped;
    }
    shape->columns = pass->in.shape[columns];
    shape->out_stride = pass->out.strides[columns];
}

static rank_shape make_shape(const rank_filter *r, const rank_pass *pass, rank_box *box)
{
    rank_shape shape = { .in_origin = pass->in.origin, .out_origin = pass->out.origin, .value = r->value };
    set_window(pass, &shape, box);
    set_rows(pass, &shape);
    shape.rank = pass->rank;
    shape.extreme = pass->extreme;
    shape.boundary = r->f.options.boundary;
    shape.lanes = shape.columns >= (int64_t)LANES * OUTPUTS ? LANES : 1;
    if (r->traits.is_cpu)
        shape.parts = (int64_t)yops_divide_up((uint64_t)shape.columns, CPU_COLUMNS);
    else
        shape.parts = (int64_t)yops_divide_up((uint64_t)shape.columns, (uint64_t)shape.lanes * OUTPUTS) * shape.lanes;
    return shape;
}

/* Of a thread of a GPU's kernel. */
static yoke_status check_rounds(const rank_filter *r, const rank_pass *pass)
{
    uint64_t looks = pass->extreme || pass->is_selected ? 1 : 8 * yoke_dtype_get_size(pass->in.dtype);
    if (r->traits.is_cpu)
        return YOKE_OK;
    return yops_check_rounds(&r->f.call, &r->traits, OUTPUTS * looks * (uint64_t)pass->count * (uint64_t)(pass->stage_count + 2),
                             "a rank of %" PRId64 " neighbours", pass->count);
}

static yoke_status prepare_pass(const rank_filter *r, rank_pass *pass)
{
    char options[96], select[48] = "SELECT=0";
    uint64_t elements = (uint64_t)yoke_array_get_size(r->f.a);
    pass->is_selected = !pass->extreme && pass->count <= MOST_SELECTED && (elements >= LEAST_SELECTED || yops_filter_force == 1);
    if (pass->is_selected)
        yops_write(select, sizeof select, "SELECT=%d RANK=%d", (int)pass->count, (int)pass->rank);
    yops_write(options, sizeof options, "KEY=%s CPU=%d %s", yops_dtype_token(pass->in.dtype), (int)r->traits.is_cpu, select);
    yoke_status status = check_rounds(r, pass);
    if (status == YOKE_OK)
        status = yops_kernel(&r->f.call, "filter_rank", options, "rank_filter", &pass->kernel);
    if (status == YOKE_OK)
        status = yops_kernel(&r->f.call, "filter_rank", options, "rank_neighbours", &pass->set_neighbours);
    if (status == YOKE_OK)
        status = yops_temporary(&r->f.call, (uint64_t)pass->count * (MOST_AXES + 2) * sizeof(int64_t), &pass->table);
    return status;
}

/* Codes by the kernel's order of axes, from those by ascending axes. */
static int64_t reorder(const rank_pass *pass, const rank_box *box, const int32_t *axes, int64_t code)
{
    int64_t places[YOKE_MAX_DIMENSIONS] = { 0 }, result = 0;
    for (int32_t i = pass->stage_count - 1; i >= 0; i--) {
        places[pass->stages[i].axis] = code % pass->stages[i].taps;
        code /= pass->stages[i].taps;
    }
    for (int32_t t = 0; t < box->axes; t++)
        result = result * box->sizes[t] + places[axes[t]];
    return result;
}

static yoke_status set_neighbours(const rank_filter *r, const rank_pass *pass, rank_box *box)
{
    yoke_status status = YOKE_OK;
    int32_t axes[MOST_AXES + 1];
    yoke_arg args[2] = { yoke_arg_buffer(pass->table) };
    order_window(pass, find_columns(&pass->in), axes);
    if (!r->codes) {
        args[1] = yoke_arg_struct(box, sizeof *box);
        return yops_launch(&r->f.call, pass->set_neighbours, yops_divide_up((uint64_t)pass->count, LISTED), LISTED, args, 2);
    }
    for (; box->first < pass->count && status == YOKE_OK; box->first += LISTED) {
        box->listed = (int32_t)(pass->count - box->first < LISTED ? pass->count - box->first : LISTED);
        for (int32_t i = 0; i < box->listed; i++)
            box->codes[i] = reorder(pass, box, axes, r->codes[box->first + i]);
        args[1] = yoke_arg_struct(box, sizeof *box);
        status = yops_launch(&r->f.call, pass->set_neighbours, 1, LISTED, args, 2);
    }
    return status;
}

static yoke_status launch_pass(const rank_filter *r, const rank_pass *pass)
{
    rank_box box = { .first = 0 };
    rank_shape shape = make_shape(r, pass, &box);
    uint64_t threads = (uint64_t)shape.rows * (uint64_t)shape.parts;
    yoke_status status = set_neighbours(r, pass, &box);
    yoke_arg args[] = { yoke_arg_buffer(pass->in.root), yoke_arg_buffer(pass->out.root), yoke_arg_buffer(pass->table),
                        yoke_arg_struct(&shape, sizeof shape) };
    if (status < 0)
        return status;
    if (r->traits.is_cpu)
        return yops_launch(&r->f.call, pass->kernel, threads, 1, args, YOPS_COUNT_OF(args));
    return yops_launch(&r->f.call, pass->kernel, yops_divide_up(threads, THREADS), THREADS, args, YOPS_COUNT_OF(args));
}

/* ---- The passes ---- */

/* The passes of a filter: one, or one for each axis of a box. Returns their number. */
static int32_t make_passes(const rank_filter *r, rank_pass *passes, yops_filter_operand *between)
{
    const yops_filter *f = &r->f;
    yops_filter_operand in = yops_filter_operand_of(f->a, &f->in_place), out = yops_filter_operand_of(f->out, &f->out_place);
    int32_t extreme = r->rank == 0 ? -1 : r->rank + 1 == r->count ? 1 : 0, count = 0;
    rank_pass whole = { .in = in, .out = out, .stages = f->stages, .stage_count = f->stage_count, .count = r->count };
    whole.rank = r->rank;
    whole.extreme = extreme;
    passes[0] = whole;
    if (!extreme || r->codes || r->count <= DIRECT_BOX)
        return 1;
    *between = out;
    between->origin = 0;
    for (int32_t i = out.dimensions - 1, first = 1; i >= 0; i--, first = 0)
        between->strides[i] = first ? 1 : between->strides[i + 1] * between->shape[i + 1];
    for (int32_t i = 0; i < f->stage_count; i++) {
        if (f->stages[i].taps == 1)
            continue;
        passes[count] = whole;
        passes[count].in = count > 0 ? *between : in;
        passes[count].out = *between;
        passes[count].stages = &f->stages[i];
        passes[count].stage_count = 1;
        passes[count++].count = f->stages[i].taps;
    }
    passes[count - 1].out = out;
    return count;
}

static yoke_status run(rank_filter *r)
{
    rank_pass passes[MOST_AXES];
    yops_filter_operand between;
    yoke_buffer *temporaries[2] = { NULL };
    uint64_t size = (uint64_t)yoke_array_get_size(r->f.a) * yoke_dtype_get_size(r->f.a->dtype);
    yoke_status status = yops_get_traits(&r->f.call, &r->traits);
    if (status < 0)
        return status;
    if (yops_filter_force || yops_counts_rounds(&r->traits))
        r->traits.is_cpu = false;
    int32_t count = make_passes(r, passes, &between);
    for (int32_t i = 0; i < count && status == YOKE_OK; i++)
        status = prepare_pass(r, &passes[i]);
    for (int32_t i = 0; i + 1 < count && i < 2 && status == YOKE_OK; i++)
        status = yops_temporary(&r->f.call, size, &temporaries[i]);
    for (int32_t i = 0; i < count && status == YOKE_OK; i++) {
        if (i > 0)
            passes[i].in.root = temporaries[(i - 1) % 2];
        if (i + 1 < count)
            passes[i].out.root = temporaries[i % 2];
        status = launch_pass(r, &passes[i]);
    }
    for (int32_t i = 0; i < 2; i++)
        if (temporaries[i])
            yoke_buffer_release(temporaries[i]);
    for (int32_t i = 0; i < count; i++)
        if (passes[i].table)
            yoke_buffer_release(passes[i].table);
    return status;
}

yoke_status yoke_rank_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a, int64_t rank,
                                const int64_t *sizes, const uint8_t *footprint, const int32_t *axes, size_t axis_count,
                                const yoke_filter_options *options)
{
    rank_filter r = { .f = { .out = out, .a = a, .is_rank = true } };
    int64_t box = 1;
    yoke_status status = yops_filter_begin(&r.f, "yoke_rank_filter", where, stream, axes, axis_count, options);
    if (status == YOKE_OK)
        status = set_value(&r, a->dtype);
    if (status == YOKE_OK)
        status = add_box(&r, sizes, &box);
    if (status == YOKE_OK)
        status = add_footprint(&r, footprint, box);
    if (status == YOKE_OK)
        status = set_rank(&r, rank);
    if (status == YOKE_OK && yoke_array_get_size(a) > 0)
        status = run(&r);
    free(r.codes);
    return status;
}
