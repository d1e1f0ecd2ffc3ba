/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: gather and scatter. */
#include "families.h"

/* Indices from a little below 0 to a little beyond the axis. */
static bool draw_indices(model *m, step *s, int k, int64_t count, int64_t extent)
{
    bool wild = chance(m, 30);
    if (!add_fresh(m, s, k, s->v->d[k], 1, &count))
        return false;
    for (int64_t i = 0; i < count; i++) {
        bool outside = wild && chance(m, 20);
        int64_t low = !outside ? 0 : is_signed(s->v->d[k]) ? -3 : extent;
        int64_t x = extent < 1 || outside ? draw_between(m, low, extent + 3) : draw_between(m, 0, extent - 1);
        put(&s->a[k], i, (number){ x, 0 });
    }
    return true;
}

/* The position of an element whose index along the axis is another, in an array with that extent there. */
static int64_t moved(const yoke_array *from, int32_t axis, int64_t extent, int64_t position, int64_t *out_index)
{
    int64_t inner = 1, n = from->shape[axis];
    for (int32_t i = axis + 1; i < from->dimensions; i++)
        inner *= from->shape[i];
    *out_index = position / inner % n;
    return position / inner / n * extent * inner + position % inner; /* at index 0 */
}

static int64_t inner_of(const yoke_array *a, int32_t axis)
{
    int64_t inner = 1;
    for (int32_t i = axis + 1; i < a->dimensions; i++)
        inner *= a->shape[i];
    return inner;
}

/* ---- Gather ---- */

static void vary_gather(model *m, variant *v)
{
    v->d[0] = v->d[1] = pick_any(m);
    v->d[2] = pick_index(m);
}

static bool draw_gather(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->axis = (int32_t)draw(m, (uint32_t)shape.dimensions);
    if (!add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape))
        return false;
    int64_t extent = shape.shape[s->axis], count = draw_between(m, 0, 2 * extent + 2);
    shape.shape[s->axis] = count;
    return draw_indices(m, s, 2, count, extent) && add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_status call_gather(yoke_stream *stream, const step *s)
{
    return yoke_gather(stream, ARRAY(0), ARRAY(1), ARRAY(2), s->axis);
}

static void judge_gather(step *s)
{
    const yoke_array *out = &s->a[0].array, *a = &s->a[1].array;
    int64_t extent = a->shape[s->axis], inner = inner_of(a, s->axis), at;
    for (int64_t i = 0; i < s->a[0].count; i++) {
        int64_t base = moved(out, s->axis, extent, i, &at);
        long double index = get(&s->a[2], at).re;
        number zero = { 0, 0 };
        want_exactly(s, 0, i, index < 0 || index >= extent ? zero : get(&s->a[1], base + (int64_t)index * inner));
    }
}

/* ---- Scatter ---- */

static void vary_scatter(model *m, variant *v)
{
    v->d[0] = v->d[2] = pick_any(m);
    v->d[1] = pick_index(m);
    v->flags = chance(m, 50) ? YOKE_SCATTER_ADD : YOKE_SCATTER_SET;
    if (v->flags == YOKE_SCATTER_ADD && v->d[0] == YOKE_BOOL)
        v->d[0] = v->d[2] = YOKE_I32;
}

static bool draw_scatter(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->axis = (int32_t)draw(m, (uint32_t)shape.dimensions);
    if (!add_in(m, s, 2, s->v->d[2], shape.dimensions, shape.shape))
        return false;
    int64_t count = shape.shape[s->axis], extent = draw_between(m, 0, chance(m, 50) ? 2 * count + 1 : 4);
    shape.shape[s->axis] = extent;
    /* With new values: sums of anything at all would say little. */
    if (!draw_indices(m, s, 1, count, extent) || !add_fresh(m, s, 0, s->v->d[0], shape.dimensions, shape.shape))
        return false;
    for (int64_t i = 0; i < s->a[0].count; i++)
        put(&s->a[0], i, draw_value(m, s->v->d[0], SMALL_VALUES));
    s->a[0].is_out = true;
    return true;
}

static yoke_status call_scatter(yoke_stream *stream, const step *s)
{
    return yoke_scatter(stream, s->v->flags, ARRAY(0), ARRAY(2), ARRAY(1), s->axis);
}

static void judge_scatter(step *s)
{
    const yoke_array *out = &s->a[0].array, *a = &s->a[2].array;
    int32_t dtype = out->dtype, type = is_integer(dtype) ? YOKE_I64 : common_type(dtype, dtype);
    int64_t extent = out->shape[s->axis], inner = inner_of(a, s->axis), at;
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_exactly(s, 0, i, convert(get(&s->a[0], i), dtype, type));
    for (int64_t i = 0; i < s->a[2].count; i++) {
        int64_t base = moved(a, s->axis, extent, i, &at);
        long double index = get(&s->a[1], at).re;
        if (index < 0 || index >= extent)
            continue;
        number *x = &s->a[0].want[base + (int64_t)index * inner].value, y = convert(get(&s->a[2], i), dtype, type);
        *x = s->v->flags == YOKE_SCATTER_ADD ? arithmetic('+', type, *x, y) : y;
    }
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number x = s->a[0].want[i].value;
        if (s->v->flags == YOKE_SCATTER_ADD)
            want_computed(s, 0, i, x, type);
        else
            want_exactly(s, 0, i, convert(x, type, dtype));
    }
}

const operation operations_gather[] = { OPERATION(gather), OPERATION(scatter) };
const size_t count_gather = COUNT_OF(operations_gather);
