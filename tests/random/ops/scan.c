/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: scans along an axis and of segments. */
#include "families.h"

#include <math.h>

static void vary_scan(model *m, variant *v)
{
    v->kind = PICK(m, YOKE_REDUCE_SUM, YOKE_REDUCE_SUM, YOKE_REDUCE_PRODUCT, YOKE_REDUCE_MIN, YOKE_REDUCE_MAX);
    v->d[1] = v->kind == YOKE_REDUCE_MIN || v->kind == YOKE_REDUCE_MAX ? pick_real(m) : pick_any(m);
    v->d[0] = v->d[1];
    v->flags = draw(m, 2) ? YOKE_SCAN_INCLUSIVE : YOKE_SCAN_EXCLUSIVE;
    v->d[2] = chance(m, 40) ? YOKE_BOOL : pick_integer(m);
    if (v->kind == YOKE_REDUCE_SUM && is_integer(v->d[1]))
        v->d[0] = chance(m, 70) ? pick_integer(m) : PICK(m, YOKE_F32, YOKE_F64);
    else if (v->kind == YOKE_REDUCE_SUM && !is_complex(v->d[1]))
        v->d[0] = chance(m, 70) ? v->d[1] : pick_float(m);
}

/* The value behind so many elements, of output 0. */
static void want_scanned(step *s, int64_t position, const total *t)
{
    int32_t in = s->v->d[1], out = s->v->d[0];
    bool wide = is_wide(in) || is_wide(out);
    long double n = (long double)t->count, unit = wide ? 0x1p-53L : 0x1p-24L, limit = wide ? 0x1p1000L : 0x1p120L;
    if (is_integer(in) || s->v->kind == YOKE_REDUCE_MIN || s->v->kind == YOKE_REDUCE_MAX) {
        total_want(t, s, 0, position, 0);
    } else if (s->v->kind == YOKE_REDUCE_SUM) {
        if (t->sizes > limit)
            want_anything(s, 0, position);
        else
            want_near(s, 0, position, t->sum, ((15 + n / 2048) * unit + n * 0x1p-64L) * t->sizes);
    } else if (t->logs_up > log2l(limit) || t->logs_down > log2l(limit) - 8 || (is_complex(in) && !t->finite)) {
        want_anything(s, 0, position);
    } else {
        long double size = is_complex(in) ? 6 * exp2l(t->logs_up) : fabsl(t->sum.re);
        want_near(s, 0, position, t->sum, (n + 2) * unit * size);
    }
}

/* Elements first, first + stride, …; the segment begins anew where `starts` says so. */
static void scan_row(step *s, int64_t first, int64_t stride, int64_t n, const operand *starts)
{
    total t;
    total_begin(&t, s->v->kind, s->v->d[1]);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i * stride;
        number x = get(&s->a[1], at);
        if (starts && get(starts, i).re != 0)
            total_begin(&t, s->v->kind, s->v->d[1]);
        if (s->v->flags == YOKE_SCAN_EXCLUSIVE)
            want_scanned(s, at, &t);
        total_add(&t, x);
        if (s->v->flags == YOKE_SCAN_INCLUSIVE)
            want_scanned(s, at, &t);
    }
}

/* In place, now and then. */
static bool draw_output(model *m, step *s, const yoke_array *shape)
{
    if (s->v->d[0] == s->v->d[1] && chance(m, 25)) {
        s->a[0] = s->a[1];
        s->a[0].is_out = true;
        s->a[1].fresh = NULL;
        return true;
    }
    return add_out(m, s, 0, s->v->d[0], shape->dimensions, shape->shape);
}

static bool draw_scan(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, YOKE_MAX_DIMENSIONS, &shape);
    s->axis = (int32_t)draw(m, (uint32_t)shape.dimensions);
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) && draw_output(m, s, &shape);
}

static yoke_status call_scan(yoke_stream *stream, const step *s)
{
    return yoke_scan(stream, s->v->kind, s->v->flags, ARRAY(0), ARRAY(1), s->axis);
}

static void judge_scan(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = a->shape[s->axis], inner = 1;
    for (int32_t i = s->axis + 1; i < a->dimensions; i++)
        inner *= a->shape[i];
    for (int64_t row = 0; n > 0 && row < s->a[0].count / n; row++)
        scan_row(s, row / inner * inner * n + row % inner, inner, n, NULL);
}

static void vary_scan_with(model *m, variant *v)
{
    v->kind = (int32_t)draw(m, OWN_COUNT);
    v->d[1] = pick_integer(m);
    v->d[0] = pick_index(m);
    v->flags = draw(m, 2) ? YOKE_SCAN_INCLUSIVE : YOKE_SCAN_EXCLUSIVE;
}

static bool draw_scan_with(model *m, step *s)
{
    s->n[0] = (int64_t)draw(m, 100);
    return draw_scan(m, s);
}

static yoke_status call_scan_with(yoke_stream *stream, const step *s)
{
    return yoke_scan_with(stream, own_text(s->v->kind), s->v->flags, ARRAY(0), ARRAY(1), yoke_number_i64(s->n[0]), YOKE_NO_VARS,
                          s->axis);
}

static void judge_scan_with(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = a->shape[s->axis], inner = 1;
    for (int32_t i = s->axis + 1; i < a->dimensions; i++)
        inner *= a->shape[i];
    for (int64_t row = 0; n > 0 && row < s->a[0].count / n; row++) {
        number all = { (long double)s->n[0], 0 };
        for (int64_t i = 0; i < n; i++) {
            int64_t at = row / inner * inner * n + row % inner + i * inner;
            number before = all;
            all = own_value(s->v->kind, s->v->d[0], all, convert(get(&s->a[1], at), s->v->d[1], s->v->d[0]));
            want_exactly(s, 0, at, s->v->flags == YOKE_SCAN_EXCLUSIVE ? before : all);
        }
    }
}

static void vary_scan_segments(model *m, variant *v)
{
    vary_scan(m, v);
}

static bool draw_scan_segments(model *m, step *s)
{
    yoke_array shape;
    uint32_t often = 1 + draw(m, 40);
    draw_shape(m, 1, 1, &shape);
    if (!add_in(m, s, 1, s->v->d[1], 1, shape.shape) || !add_fresh(m, s, 2, s->v->d[2], 1, shape.shape))
        return false;
    for (int64_t i = 0; i < s->a[2].count; i++)
        put(&s->a[2], i, (number){ chance(m, often), 0 });
    return draw_output(m, s, &shape);
}

static yoke_status call_scan_segments(yoke_stream *stream, const step *s)
{
    return yoke_scan_segments(stream, s->v->kind, s->v->flags, ARRAY(0), ARRAY(1), ARRAY(2));
}

static void judge_scan_segments(step *s)
{
    scan_row(s, 0, 1, s->a[1].count, &s->a[2]);
}

const operation operations_scan[] = { OPERATION(scan), OPERATION(scan_with), OPERATION(scan_segments) };
const size_t count_scan = COUNT_OF(operations_scan);
