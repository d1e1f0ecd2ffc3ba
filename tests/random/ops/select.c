/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: selections, partitions, and the first of equal neighbours. */
#include "families.h"

#include <math.h>

/* Arrays: 0 the output, 1 the count, 2 the elements, 3 the flags or the arrays of an expression, 4 positions. */

/* An output that may be shorter than the elements, and the count, where it is wanted. */
static bool draw_kept(model *m, step *s, int64_t n)
{
    int64_t kept = chance(m, 70) ? n : draw_between(m, 0, n);
    return add_out(m, s, 0, s->v->d[0], 1, &kept) &&
           (!s->v->d[1] || add_out(m, s, 1, s->v->d[1], chance(m, 50) ? 1 : 0, (const int64_t[]){ 1 }));
}

static void vary_elements(model *m, variant *v)
{
    v->d[0] = v->d[2] = pick_any(m);
    v->d[1] = chance(m, 70) ? pick_index(m) : 0;
    v->d[3] = chance(m, 50) ? YOKE_BOOL : pick_integer(m);
}

static bool draw_elements(model *m, step *s, int64_t *out_n)
{
    yoke_array shape;
    draw_shape(m, 1, 1, &shape);
    *out_n = shape.shape[0];
    return add_in(m, s, 2, s->v->d[2], 1, shape.shape);
}

static bool draw_flags(model *m, step *s, int64_t n)
{
    uint32_t often = draw(m, 101);
    if (!add_fresh(m, s, 3, s->v->d[3], 1, &n))
        return false;
    for (int64_t i = 0; i < n; i++)
        put(&s->a[3], i, (number){ chance(m, often) ? (s->v->d[3] == YOKE_BOOL ? 1 : (long double)draw_between(m, 1, 99)) : 0, 0 });
    return true;
}

/* Behind the elements that were kept, the output is unchanged. */
static void finish(step *s, int64_t kept)
{
    for (int64_t i = kept; i < s->a[0].count; i++)
        want_unchanged(s, 0, i);
    if (s->a[1].slab)
        want_exactly(s, 1, 0, (number){ kept, 0 });
}

static bool keep(step *s, int64_t *kept, int64_t i)
{
    if (*kept < s->a[0].count)
        want_exactly(s, 0, *kept, get(&s->a[2], i));
    ++*kept;
    return true;
}

/* ---- By flags ---- */

static void vary_select(model *m, variant *v)
{
    vary_elements(m, v);
}

static bool draw_select(model *m, step *s)
{
    int64_t n;
    return draw_elements(m, s, &n) && draw_flags(m, s, n) && draw_kept(m, s, n);
}

static yoke_status call_select(yoke_stream *stream, const step *s)
{
    return yoke_select(stream, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3));
}

static void judge_select(step *s)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->a[2].count; i++)
        if (get(&s->a[3], i).re != 0)
            keep(s, &kept, i);
    finish(s, kept);
}

static void vary_partition(model *m, variant *v)
{
    vary_elements(m, v);
}

static bool draw_partition(model *m, step *s)
{
    int64_t n;
    return draw_elements(m, s, &n) && draw_flags(m, s, n) && add_out(m, s, 0, s->v->d[0], 1, &n) &&
           (!s->v->d[1] || add_out(m, s, 1, s->v->d[1], 0, NULL));
}

static yoke_status call_partition(yoke_stream *stream, const step *s)
{
    return yoke_partition(stream, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3));
}

static void judge_partition(step *s)
{
    int64_t kept = 0, first = 0;
    for (int pass = 1; pass >= 0; pass--) {
        for (int64_t i = 0; i < s->a[2].count; i++)
            if ((get(&s->a[3], i).re != 0) == pass)
                keep(s, &kept, i);
        first = pass ? kept : first;
    }
    if (s->a[1].slab)
        want_exactly(s, 1, 0, (number){ first, 0 });
}

/* ---- By an expression ---- */

static void vary_select_where(model *m, variant *v)
{
    vary_elements(m, v);
    v->d[3] = m->exact ? pick_real(m) : pick_integer(m);
    v->d[4] = m->exact ? pick_real(m) : pick_integer(m);
    const int32_t dtypes[] = { 0, v->d[3], v->d[4] };
    do
        expression_draw(m, &v->e, dtypes, 2, false);
    while (!m->exact && !is_integer(expression_type(&v->e)));
}

static bool draw_select_where(model *m, step *s)
{
    int64_t n;
    s->f[0] = ((double)draw(m, 41) - 20) / 4;
    return draw_elements(m, s, &n) && add_broadcast(m, s, 3, s->v->d[3], 1, &n) && add_broadcast(m, s, 4, s->v->d[4], 1, &n) &&
           draw_kept(m, s, n);
}

static yoke_status call_select_where(yoke_stream *stream, const step *s)
{
    char text[MOST_TEXT];
    expression_text(&s->v->e, text, sizeof text);
    const yoke_var vars[] = { yoke_var_array("x1", s->a[3].array), yoke_var_array("x2", s->a[4].array),
                              yoke_var_scalar("s", yoke_number_f32((float)s->f[0])) };
    return yoke_select_where(stream, ARRAY(0), ARRAY(1), ARRAY(2), text, vars, COUNT_OF(vars));
}

static void judge_select_where(step *s)
{
    int64_t kept = 0;
    const int32_t dtypes[] = { 0, s->v->d[3], s->v->d[4] };
    operand first = spread(&s->a[3], &s->a[2].array), second = spread(&s->a[4], &s->a[2].array);
    for (int64_t i = 0; i < s->a[2].count; i++) {
        number in[] = { { 0, 0 }, get(&first, i), get(&second, i) };
        number x = expression_value(&s->v->e, in, dtypes, s->f[0], i);
        if (x.re != 0 || x.im != 0)
            keep(s, &kept, i);
    }
    finish(s, kept);
}

/* ---- Equal neighbours ---- */

static void vary_unique(model *m, variant *v)
{
    vary_elements(m, v);
    v->d[4] = chance(m, 60) ? pick_index(m) : 0;
}

static bool draw_unique(model *m, step *s)
{
    int64_t n;
    return draw_elements(m, s, &n) && draw_kept(m, s, n) && (!s->v->d[4] || add_out(m, s, 4, s->v->d[4], 1, s->a[0].array.shape));
}

static yoke_status call_unique(yoke_stream *stream, const step *s)
{
    return yoke_unique(stream, ARRAY(0), ARRAY(4), ARRAY(1), ARRAY(2));
}

static bool same_part(long double a, long double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void judge_unique(step *s)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->a[2].count; i++) {
        number x = get(&s->a[2], i), before = i > 0 ? get(&s->a[2], i - 1) : x;
        if (i > 0 && same_part(x.re, before.re) && same_part(x.im, before.im))
            continue;
        if (s->a[4].slab && kept < s->a[4].count)
            want_exactly(s, 4, kept, (number){ i, 0 });
        keep(s, &kept, i);
    }
    for (int64_t i = kept; s->a[4].slab && i < s->a[4].count; i++)
        want_unchanged(s, 4, i);
    finish(s, kept);
}

const operation operations_select[] = { OPERATION(select), OPERATION(select_where), OPERATION(partition), OPERATION(unique) };
const size_t count_select = COUNT_OF(operations_select);
