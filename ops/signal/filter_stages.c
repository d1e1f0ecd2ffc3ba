/* SPDX-License-Identifier: Apache-2.0 */
/* From the stages of a filter to its passes, with the temporary arrays between them. */
#include "filter.h"

#include <string.h>

int yops_filter_force;

enum { MOST_TEMPORARIES = 4 };

typedef struct run_state {
    yops_filter *f;
    yops_traits traits;
    int32_t pass_count, temporary_count;
    yops_filter_pass passes[YOPS_FILTER_MOST_PASSES];
    uint64_t sizes[MOST_TEMPORARIES];                                                      /* in bytes; 0: not used */
    int32_t in_temporary[YOPS_FILTER_MOST_PASSES], out_temporary[YOPS_FILTER_MOST_PASSES]; /* -1: the call's own arrays */
    int32_t start_temporary[YOPS_FILTER_MOST_PASSES];                                      /* -1: none */
    size_t ones;                                                                           /* of a box: weights */
} run_state;

/* Temporaries: two in turn between stages, and the sums of parts and the rest of a large box. */
enum { TURN = 0, PARTS = 2, REST = 3 };

yops_filter_operand yops_filter_operand_of(const yoke_array *array, const yops_place *place)
{
    yops_filter_operand o = { .root = place->root, .origin = place->origin, .dtype = array->dtype };
    o.dimensions = array->dimensions;
    memcpy(o.shape, array->shape, sizeof o.shape);
    memcpy(o.strides, array->strides, sizeof o.strides);
    if (o.dimensions == 0)
        o.dimensions = 1, o.shape[0] = 1, o.strides[0] = 1;
    return o;
}

/* A contiguous temporary of the output's shape, but for `extent` along an axis. */
static yops_filter_operand temporary_operand(run_state *r, int32_t which, int32_t axis, int64_t extent)
{
    yops_filter_operand o = yops_filter_operand_of(r->f->out, &r->f->out_place);
    uint64_t size = yoke_dtype_get_size(r->f->computed);
    o.root = NULL;
    o.origin = 0;
    o.dtype = r->f->computed;
    o.shape[axis] = extent;
    for (int32_t i = o.dimensions - 1, first = 1; i >= 0; i--, first = 0)
        o.strides[i] = first ? 1 : o.strides[i + 1] * o.shape[i + 1];
    for (int32_t i = 0; i < o.dimensions; i++)
        if (__builtin_mul_overflow(size, (uint64_t)o.shape[i], &size))
            size = UINT64_MAX;
    if (size > r->sizes[which])
        r->sizes[which] = size;
    return o;
}

/* The arrays of the pass that is being added, and which temporaries they are. */
typedef struct ends {
    yops_filter_operand in, out;
    int32_t in_temporary, out_temporary;
} ends;

static yops_filter_pass *add_pass(run_state *r, const ends *e, const yops_filter_stage *stage, double value)
{
    int32_t i = r->pass_count++;
    yops_filter_pass *pass = &r->passes[i];
    *pass = (yops_filter_pass){ .in = e->in, .out = e->out, .stages = 1, .stage = { *stage }, .step = 1, .divisor = 1 };
    pass->boundary = r->f->options.boundary;
    pass->value[0] = pass->value[1] = value;
    r->in_temporary[i] = e->in_temporary;
    r->out_temporary[i] = e->out_temporary;
    r->start_temporary[i] = -1;
    if ((size_t)stage->taps > r->ones)
        r->ones = (size_t)stage->taps;
    return pass;
}

/* A large box along an axis: the first elements, taps modulo 32 of them, and then the sums of 32 that follow. */
static yops_filter_pass *add_large_box(run_state *r, const ends *e, const yops_filter_stage *stage, double value)
{
    int64_t rest = stage->taps % YOPS_FILTER_BOX_PART, parts = stage->taps / YOPS_FILTER_BOX_PART;
    int64_t extent = e->in.shape[stage->axis], wide = extent + (parts - 1) * YOPS_FILTER_BOX_PART;
    ends sums = *e, part = *e, last = *e;
    part.out = temporary_operand(r, PARTS, stage->axis, wide);
    part.out_temporary = PARTS;
    add_pass(r, &part, &(yops_filter_stage){ stage->axis, YOPS_FILTER_BOX_PART, stage->shift + rest, 0 }, value);
    if (rest > 0) {
        sums.out = temporary_operand(r, REST, stage->axis, extent);
        sums.out_temporary = REST;
        add_pass(r, &sums, &(yops_filter_stage){ stage->axis, rest, stage->shift, 0 }, value);
    }
    last.in = part.out;
    last.in_temporary = PARTS;
    yops_filter_pass *pass = add_pass(r, &last, &(yops_filter_stage){ stage->axis, parts, 0, 0 }, 0);
    pass->step = YOPS_FILTER_BOX_PART;
    pass->boundary = YOKE_BOUNDARY_NEAREST; /* all positions that count are inside */
    if (rest > 0) {
        pass->start = sums.out;
        r->start_temporary[r->pass_count - 1] = REST;
    }
    return pass;
}

static void add_full_pass(run_state *r, const ends *e)
{
    const yops_filter *f = r->f;
    yops_filter_pass *pass = add_pass(r, e, &f->stages[0], f->options.value);
    pass->stages = f->stage_count;
    memcpy(pass->stage, f->stages, (size_t)f->stage_count * sizeof *f->stages);
    pass->is_few = yops_filter_fits_full(f, &r->traits, &e->in, &e->out);
}

static void add_passes(run_state *r)
{
    yops_filter *f = r->f;
    double value = f->options.value, divisor = 1;
    ends e = { yops_filter_operand_of(f->a, &f->in_place), yops_filter_operand_of(f->out, &f->out_place), -1, -1 };
    const yops_filter_operand out = e.out;
    if (f->is_full) {
        add_full_pass(r, &e);
        return;
    }
    for (int32_t i = 0; i < f->stage_count; i++) {
        const yops_filter_stage *stage = &f->stages[i];
        yops_filter_pass *pass;
        bool plane = i + 2 == f->stage_count && yops_filter_fits_plane(f, &r->traits, &e.in, &out, stage);
        bool last = plane || i + 1 == f->stage_count;
        const yops_filter_operand to = last ? out : temporary_operand(r, TURN + i % 2, 0, out.shape[0]);
        e.out = to;
        e.out_temporary = last ? -1 : TURN + i % 2;
        if (f->is_box && stage->taps > YOPS_FILTER_BOX_DIRECT)
            pass = add_large_box(r, &e, stage, value);
        else
            pass = add_pass(r, &e, stage, value);
        for (int32_t j = i; j < i + 1 + plane && f->is_box; j++) {
            divisor *= (double)f->stages[j].taps;
            value *= (double)f->stages[j].taps;
            pass->value[1] = j == i ? value : pass->value[1];
        }
        if (plane) {
            pass->is_plane = true;
            pass->stages = 2;
            pass->stage[1] = f->stages[++i];
        }
        pass->divisor = last ? divisor : 1;
        e.in = to;
        e.in_temporary = e.out_temporary;
    }
}

/* The first pass that takes weights from memory; NULL: none does. */
static const yops_filter_pass *needs_weights(const run_state *r)
{
    for (int32_t i = 0; i < r->pass_count; i++)
        if (!r->passes[i].is_plane && !r->passes[i].is_few)
            return &r->passes[i];
    return NULL;
}

/* All kernels and temporaries, before the launches. */
static yoke_status prepare(run_state *r, yoke_buffer **temporaries, yoke_buffer **weights)
{
    yops_filter *f = r->f;
    yoke_status status = YOKE_OK;
    uint64_t size = yoke_dtype_get_size(f->computed) * (uint64_t)(f->is_box ? r->ones : f->weight_count);
    for (int32_t i = 0; i < r->pass_count && status == YOKE_OK; i++) {
        yops_filter_pass *pass = &r->passes[i];
        if (pass->is_few)
            status = yops_filter_prepare_full(f, &r->traits, pass);
        else
            status = pass->is_plane ? yops_filter_prepare_plane(f, pass) : yops_filter_prepare(f, &r->traits, pass);
    }
    for (int32_t i = 0; i < MOST_TEMPORARIES && status == YOKE_OK; i++)
        if (r->sizes[i] > 0)
            status = yops_temporary(&f->call, r->sizes[i], &temporaries[i]);
    if (status == YOKE_OK && needs_weights(r))
        status = yops_temporary(&f->call, size, weights);
    return status;
}

static yoke_status launch(const run_state *r, const yops_filter_pass *pass, yoke_buffer *weights)
{
    if (pass->is_few)
        return yops_filter_launch_full(r->f, &r->traits, pass);
    if (pass->is_plane)
        return yops_filter_launch_plane(r->f, &r->traits, pass);
    return yops_filter_launch(r->f, &r->traits, pass, weights);
}

yoke_status yops_filter_run(yops_filter *f)
{
    run_state r = { .f = f };
    yoke_buffer *temporaries[MOST_TEMPORARIES] = { NULL }, *weights = NULL;
    yoke_status status = yops_get_traits(&f->call, &r.traits);
    if (status < 0)
        return status;
    if (yops_filter_force || yops_counts_rounds(&r.traits)) /* rusticl compiles the kernels of CPUs for half a minute */
        r.traits.is_cpu = false;
    add_passes(&r);
    status = prepare(&r, temporaries, &weights);
    if (status == YOKE_OK && weights)
        status = yops_filter_set_weights(f, needs_weights(&r)->set_weights, weights, f->is_box ? r.ones : f->weight_count);
    for (int32_t i = 0; i < r.pass_count && status == YOKE_OK; i++) {
        yops_filter_pass *pass = &r.passes[i];
        if (r.in_temporary[i] >= 0)
            pass->in.root = temporaries[r.in_temporary[i]];
        if (r.out_temporary[i] >= 0)
            pass->out.root = temporaries[r.out_temporary[i]];
        if (r.start_temporary[i] >= 0)
            pass->start.root = temporaries[r.start_temporary[i]];
        status = launch(&r, pass, weights);
    }
    for (int32_t i = MOST_TEMPORARIES - 1; i >= 0; i--)
        if (temporaries[i])
            yoke_buffer_release(temporaries[i]);
    if (weights)
        yoke_buffer_release(weights);
    return status;
}
