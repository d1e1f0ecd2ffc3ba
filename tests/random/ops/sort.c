/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: sorts, orders, largest elements, and the search in sorted arrays. */
#include "families.h"

#include <math.h>
#include <stdlib.h>

int compare_keys(number a, number b)
{
    if (isnan(a.re) || isnan(b.re))
        return !!isnan(a.re) - !!isnan(b.re);
    if (a.re == b.re)
        return !!signbit(b.re) - !!signbit(a.re);
    return a.re < b.re ? -1 : 1;
}

/* NaN is last in both directions, and equal keys keep their order. */
typedef struct sort_key {
    number x;
    int64_t at;
    int sign;
} sort_key;

static int compare_sort_keys(const void *a, const void *b)
{
    const sort_key *x = a, *y = b;
    int order = compare_keys(x->x, y->x);
    if (!isnan(x->x.re) && !isnan(y->x.re))
        order *= x->sign;
    return order ? order : x->at < y->at ? -1 : 1;
}

int64_t *sorted_positions(const operand *keys, int64_t first, int64_t stride, int64_t count, int32_t order)
{
    sort_key *list = memory_new((size_t)(count + 1) * sizeof *list);
    int64_t *positions = memory_new((size_t)(count + 1) * sizeof *positions);
    for (int64_t i = 0; i < count; i++)
        list[i] = (sort_key){ get(keys, first + i * stride), i, order == YOKE_SORT_DESCENDING ? -1 : 1 };
    qsort(list, (size_t)count, sizeof *list, compare_sort_keys);
    for (int64_t i = 0; i < count; i++)
        positions[i] = list[i].at;
    memory_free(list);
    return positions;
}

static int64_t last_extent(const operand *o)
{
    return o->array.shape[o->array.dimensions - 1];
}

static int32_t draw_order(model *m)
{
    return chance(m, 50) ? YOKE_SORT_ASCENDING : YOKE_SORT_DESCENDING;
}

/* ---- Sort ---- */

static void vary_sort(model *m, variant *v)
{
    v->d[0] = pick_real(m);
    v->d[1] = chance(m, 50) ? pick_any(m) : 0; /* values */
}

/* Sorted are the elements themselves, which get new values as often as inputs do. */
static bool add_both(model *m, step *s, int k, const yoke_array *shape)
{
    if (!add_in(m, s, k, s->v->d[k], shape->dimensions, shape->shape))
        return false;
    s->a[k].is_out = true;
    return true;
}

static bool draw_sort(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->mode = draw_order(m);
    return add_both(m, s, 0, &shape) && (!s->v->d[1] || add_both(m, s, 1, &shape));
}

static yoke_status call_sort(yoke_stream *stream, const step *s)
{
    return yoke_sort(stream, s->mode, ARRAY(0), ARRAY(1));
}

static void judge_sort(step *s)
{
    int64_t n = last_extent(&s->a[0]);
    for (int64_t row = 0; n > 0 && row < s->a[0].count / n; row++) {
        int64_t *order = sorted_positions(&s->a[0], row * n, 1, n, s->mode);
        for (int64_t i = 0; i < n; i++) {
            want_exactly(s, 0, row * n + i, get(&s->a[0], row * n + order[i]));
            if (s->a[1].slab)
                want_exactly(s, 1, row * n + i, get(&s->a[1], row * n + order[i]));
        }
        memory_free(order);
    }
}

static void vary_argsort(model *m, variant *v)
{
    v->d[0] = pick_index(m);
    v->d[1] = pick_real(m);
}

static bool draw_argsort(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->mode = draw_order(m);
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) &&
           add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_status call_argsort(yoke_stream *stream, const step *s)
{
    return yoke_argsort(stream, s->mode, ARRAY(0), ARRAY(1));
}

static void judge_argsort(step *s)
{
    int64_t n = last_extent(&s->a[0]);
    for (int64_t row = 0; n > 0 && row < s->a[0].count / n; row++) {
        int64_t *order = sorted_positions(&s->a[1], row * n, 1, n, s->mode);
        for (int64_t i = 0; i < n; i++)
            want_exactly(s, 0, row * n + i, (number){ order[i], 0 });
        memory_free(order);
    }
}

/* ---- The first k ---- */

static void vary_top_k(model *m, variant *v)
{
    v->d[2] = v->d[0] = pick_real(m);
    v->d[1] = pick_index(m);
    v->flags = (int32_t)draw(m, 3); /* which outputs there are: both, values, indices */
}

static bool draw_top_k(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->mode = draw_order(m);
    if (!add_in(m, s, 2, s->v->d[2], shape.dimensions, shape.shape))
        return false;
    int64_t *n = &shape.shape[shape.dimensions - 1];
    *n = draw_between(m, 0, chance(m, 50) && *n > 16 ? 16 : *n);
    return (s->v->flags == 2 || add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape)) &&
           (s->v->flags == 1 || add_out(m, s, 1, s->v->d[1], shape.dimensions, shape.shape));
}

static yoke_status call_top_k(yoke_stream *stream, const step *s)
{
    return yoke_top_k(stream, s->mode, ARRAY(0), ARRAY(1), ARRAY(2));
}

static void judge_top_k(step *s)
{
    const operand *out = s->a[0].slab ? &s->a[0] : &s->a[1];
    int64_t n = last_extent(&s->a[2]), k = last_extent(out);
    for (int64_t row = 0; k > 0 && row < out->count / k; row++) {
        int64_t *order = sorted_positions(&s->a[2], row * n, 1, n, s->mode);
        for (int64_t i = 0; i < k; i++) {
            if (s->a[0].slab)
                want_exactly(s, 0, row * k + i, get(&s->a[2], row * n + order[i]));
            if (s->a[1].slab)
                want_exactly(s, 1, row * k + i, (number){ order[i], 0 });
        }
        memory_free(order);
    }
}

/* ---- Search ---- */

static void vary_searchsorted(model *m, variant *v)
{
    v->d[0] = pick_index(m);
    v->d[1] = v->d[2] = pick_real(m);
}

static int compare_numbers(const void *a, const void *b)
{
    return compare_keys(*(const number *)a, *(const number *)b);
}

/* New ascending values. */
static bool add_ascending(model *m, step *s, int k, int64_t n)
{
    unsigned style = draw(m, STYLES);
    if (!add_fresh(m, s, k, s->v->d[k], 1, &n))
        return false;
    number *list = memory_new((size_t)(n + 1) * sizeof *list);
    for (int64_t i = 0; i < n; i++)
        list[i] = draw_value(m, s->v->d[k], style);
    qsort(list, (size_t)n, sizeof *list, compare_numbers);
    for (int64_t i = 0; i < n; i++)
        put(&s->a[k], i, list[i]);
    memory_free(list);
    return true;
}

static bool draw_searchsorted(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    s->mode = chance(m, 50) ? YOKE_SEARCH_LEFT : YOKE_SEARCH_RIGHT;
    return add_ascending(m, s, 1, draw_between(m, 0, 200)) && add_in(m, s, 2, s->v->d[2], shape.dimensions, shape.shape) &&
           add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_status call_searchsorted(yoke_stream *stream, const step *s)
{
    return yoke_searchsorted(stream, s->mode, ARRAY(0), ARRAY(1), ARRAY(2));
}

static void judge_searchsorted(step *s)
{
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number query = get(&s->a[2], i);
        int64_t at = 0;
        while (at < s->a[1].count && compare_keys(get(&s->a[1], at), query) < (s->mode == YOKE_SEARCH_RIGHT))
            at++;
        want_exactly(s, 0, i, (number){ at, 0 });
    }
}

const operation operations_sort[] = { OPERATION(sort), OPERATION(argsort), OPERATION(top_k), OPERATION(searchsorted) };
const size_t count_sort = COUNT_OF(operations_sort);
