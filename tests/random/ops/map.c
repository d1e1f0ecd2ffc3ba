/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: maps, assignments, and transfers between arrays and the host. */
#include "families.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[MOST_ARRAYS] = { "x0", "x1", "x2", "x3", "x4" };

size_t list_vars(const step *s, yoke_var *vars, int first, int count)
{
    size_t found = 0;
    for (int k = first; k < first + count; k++)
        vars[found++] = yoke_var_array(names[k], s->a[k].array);
    vars[found++] = yoke_var_scalar("s", yoke_number_f32((float)s->f[0]));
    return found;
}

/* Element `position` of input k, which is broadcast to output 0's shape. */
static number input(const step *s, int k, int64_t position)
{
    operand wide = spread(&s->a[k], &s->a[0].array);
    return get(&wide, position);
}

/* In place, now and then: the very same array. */
static void alias(step *s, int k)
{
    operand *o = &s->a[k];
    if (o->array.dtype != s->a[0].array.dtype || !chance(s->m, 15))
        return;
    *o = s->a[0];
    o->is_out = false;
}

static bool draw_elementwise(model *m, step *s, int inputs)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    if (!add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape))
        return false;
    for (int k = 1; k <= inputs; k++) {
        if (!add_broadcast(m, s, k, s->v->d[k], shape.dimensions, shape.shape))
            return false;
        alias(s, k);
    }
    s->f[0] = ((double)draw(m, 41) - 20) / 4;
    return true;
}

/* ---- Maps ---- */

/* What a map does with the expression. */
enum { MAP_PLAIN, MAP_TWO, MAP_ADDED, MAP_FUNCTION, MAPS };

static void vary_map(model *m, variant *v)
{
    v->kind = 1 + (int32_t)draw(m, 3); /* arrays */
    v->flags = (int32_t)draw(m, MAPS);
    for (int k = 0; k < MOST_ARRAYS; k++)
        v->d[k] = pick_real(m);
    if (chance(m, 15)) {
        v->d[1] = v->d[2] = v->d[3] = pick_complex(m);
        v->d[0] = v->d[4] = v->d[1];
        v->flags = MAP_PLAIN;
    }
    if (!m->exact) /* each operation may be rounded in its own way */
        for (int k = 0; k < MOST_ARRAYS; k++)
            v->d[k] = pick_integer(m);
    expression_draw(m, &v->e, v->d, v->kind, true);
    if (is_complex(expression_type(&v->e))) /* not dropped in silence */
        v->d[0] = v->d[4] = expression_type(&v->e);
    if (is_complex(v->d[0]) || !m->exact)
        v->flags = MAP_PLAIN;
}

static bool draw_map(model *m, step *s)
{
    if (!draw_elementwise(m, s, s->v->kind))
        return false;
    if (s->v->flags == MAP_ADDED && s->a[0].array.dtype == YOKE_BOOL)
        return false;
    const yoke_array *out = &s->a[0].array;
    return s->v->flags != MAP_TWO || add_out(m, s, 4, s->v->d[4], out->dimensions, out->shape);
}

static yoke_status call_map(yoke_stream *stream, const step *s)
{
    static const char *const forms[MAPS] = { "x0 = %s", "t = %s; x0 = t; x4 = x0", "x0 += %s", "x0 = twice(%s)" };
    char text[MOST_TEXT], whole[MOST_TEXT + 64];
    yoke_var vars[MOST_ARRAYS + 2];
    expression_text(&s->v->e, text, sizeof text);
    snprintf(whole, sizeof whole, forms[s->v->flags], text);
    size_t count = list_vars(s, vars, 0, s->v->kind + 1);
    if (s->v->flags == MAP_TWO)
        vars[count++] = yoke_var_array("x4", s->a[4].array);
    if (s->v->flags == MAP_FUNCTION)
        vars[count++] = yoke_var_function("float twice(float x)", "YOKE_FUNCTION float twice(float x) { return x + x; }");
    return yoke_map(stream, whole, vars, count);
}

static number map_value(const step *s, int64_t position)
{
    number in[MOST_ARRAYS];
    for (int k = 1; k <= s->v->kind; k++)
        in[k] = input(s, k, position);
    return expression_value(&s->v->e, in, s->v->d, s->f[0], position);
}

static void judge_map(step *s)
{
    int32_t type = expression_type(&s->v->e);
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number x = map_value(s, i);
        if (s->v->flags == MAP_ADDED) {
            int32_t common = common_type(s->v->d[0], type);
            x = arithmetic('+', common, convert(get(&s->a[0], i), s->v->d[0], common), convert(x, type, common));
            want_exactly(s, 0, i, convert(x, common, s->v->d[0]));
            continue;
        }
        if (s->v->flags == MAP_FUNCTION) {
            x = convert(x, type, YOKE_F32);
            x = convert(arithmetic('+', YOKE_F32, x, x), YOKE_F32, s->v->d[0]);
            want_exactly(s, 0, i, x);
            continue;
        }
        want_exactly(s, 0, i, convert(x, type, s->v->d[0]));
        if (s->v->flags == MAP_TWO)
            want_exactly(s, 4, i, convert(convert(x, type, s->v->d[0]), s->v->d[0], s->v->d[4]));
    }
}

/* ---- Arithmetic of two arrays ---- */

static void vary_two(model *m, variant *v)
{
    v->d[1] = pick_any(m);
    v->d[2] = chance(m, 50) ? v->d[1] : is_complex(v->d[1]) ? v->d[1] : pick_real(m);
    v->d[0] = chance(m, 50) || is_complex(v->d[1]) ? v->d[1] : pick_real(m);
}

static bool draw_two(model *m, step *s)
{
    return draw_elementwise(m, s, 2);
}

/* Smith's method: within a few roundings, where nothing in between can be too large or too small. */
static void want_quotient(step *s, int64_t i, number a, number b, int32_t type)
{
    long double size = hypotl(b.re, b.im), above = hypotl(a.re, a.im), bound = is_wide(type) ? 0x1p250L : 0x1p30L;
    if (!(size > 1 / bound && size < bound && above < bound && (above > 1 / bound || above == 0))) {
        want_anything(s, 0, i);
        return;
    }
    number q = { (a.re * b.re + a.im * b.im) / (size * size), (a.im * b.re - a.re * b.im) / (size * size) };
    want_near(s, 0, i, q, 16 * unit_of(type) * above / size + 0x1p-120L);
}

static void judge_two(step *s, char kind)
{
    int32_t type = common_type(s->v->d[1], s->v->d[2]);
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number a = convert(input(s, 1, i), s->v->d[1], type), b = convert(input(s, 2, i), s->v->d[2], type);
        if (kind == '/' && is_complex(type)) {
            want_quotient(s, i, a, b, type);
            continue;
        }
        number x = arithmetic(kind, type, a, b);
        if (s->m->exact || is_integer(type))
            want_computed(s, 0, i, x, type);
        else
            want_near(s, 0, i, x, 16 * unit_of(type) * (fabsl(a.re) + fabsl(b.re) + fabsl(x.re)) + 0x1p-100L);
    }
}

#define TWO(name, kind)                                                \
    static yoke_status call_##name(yoke_stream *stream, const step *s) \
    {                                                                  \
        return yoke_##name(stream, ARRAY(0), ARRAY(1), ARRAY(2));      \
    }                                                                  \
    static void judge_##name(step *s)                                  \
    {                                                                  \
        judge_two(s, kind);                                            \
    }
TWO(add, '+')
TWO(subtract, '-')
TWO(multiply, '*')
TWO(divide, '/')
#define vary_add vary_two
#define draw_add draw_two
#define vary_subtract vary_two
#define draw_subtract draw_two
#define vary_multiply vary_two
#define draw_multiply draw_two
#define vary_divide vary_two
#define draw_divide draw_two

/* ---- Where and clamp ---- */

static void vary_where(model *m, variant *v)
{
    vary_two(m, v);
    v->d[3] = v->d[2];
    v->d[2] = v->d[1];
    v->d[1] = chance(m, 50) ? YOKE_BOOL : pick_real(m);
}

static bool draw_where(model *m, step *s)
{
    return draw_elementwise(m, s, 3);
}

static yoke_status call_where(yoke_stream *stream, const step *s)
{
    return yoke_where(stream, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3));
}

static void judge_where(step *s)
{
    for (int64_t i = 0; i < s->a[0].count; i++) {
        int k = input(s, 1, i).re != 0 ? 2 : 3;
        want_exactly(s, 0, i, convert(input(s, k, i), s->v->d[k], s->v->d[0]));
    }
}

static void vary_clamp(model *m, variant *v)
{
    v->d[1] = pick_real(m);
    v->d[0] = chance(m, 60) ? v->d[1] : pick_real(m);
}

static bool draw_clamp(model *m, step *s)
{
    int32_t dtype = s->v->d[1];
    number low = draw_value(m, dtype, SMALL_VALUES), high = draw_value(m, dtype, SMALL_VALUES);
    s->low = number_of(dtype, low.re);
    s->high = number_of(dtype, high.re > low.re ? high.re : low.re);
    return draw_elementwise(m, s, 1);
}

static yoke_status call_clamp(yoke_stream *stream, const step *s)
{
    return yoke_clamp(stream, ARRAY(0), ARRAY(1), s->low, s->high);
}

static long double real_of(yoke_number x)
{
    return !is_integer(x.dtype) ? (long double)x.value.f64
           : is_signed(x.dtype) ? (long double)x.value.i64
                                : (long double)x.value.u64;
}

static void judge_clamp(step *s)
{
    number low = { real_of(s->low), 0 }, high = { real_of(s->high), 0 };
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number x = input(s, 1, i);
        x = x.re < low.re ? low : x.re > high.re ? high : x; /* -0 is not below 0, and NaN is neither below nor above */
        want_exactly(s, 0, i, convert(x, s->v->d[1], s->v->d[0]));
    }
}

/* ---- Assignments ---- */

static void vary_assign(model *m, variant *v)
{
    v->d[0] = pick_any(m);
    v->d[1] = pick_any(m);
}

static bool draw_assign(model *m, step *s)
{
    return draw_elementwise(m, s, 1);
}

static yoke_status call_assign(yoke_stream *stream, const step *s)
{
    return yoke_assign(stream, ARRAY(0), ARRAY(1));
}

static void judge_assign(step *s)
{
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_exactly(s, 0, i, convert(input(s, 1, i), s->v->d[1], s->v->d[0]));
}

static void vary_assign_value(model *m, variant *v)
{
    v->d[0] = pick_any(m);
}

static bool draw_assign_value(model *m, step *s)
{
    int32_t dtype = pick_real(m);
    s->low = number_of(dtype, draw_value(m, dtype, draw(m, STYLES)).re);
    return draw_elementwise(m, s, 0);
}

static yoke_status call_assign_value(yoke_stream *stream, const step *s)
{
    return yoke_assign_value(stream, ARRAY(0), s->low);
}

static void judge_assign_value(step *s)
{
    number x = { real_of(s->low), 0 };
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_exactly(s, 0, i, convert(x, s->low.dtype, s->v->d[0]));
}

/* ---- Transfers ---- */

static void vary_write_array(model *m, variant *v)
{
    v->d[0] = pick_any(m);
    v->d[0] = v->d[0] == YOKE_BOOL ? YOKE_U8 : v->d[0];
}

static bool draw_transfer(model *m, step *s)
{
    if (!draw_elementwise(m, s, 0))
        return false;
    s->host_size = (size_t)s->a[0].count * yoke_dtype_get_size(s->v->d[0]);
    s->host = remember(m, s->host_size + 1);
    fill_random(s->host, s->host_size, draw(m, UINT32_MAX));
    return true;
}

static bool draw_write_array(model *m, step *s)
{
    return draw_transfer(m, s);
}

static yoke_status call_write_array(yoke_stream *stream, const step *s)
{
    return yoke_write_array(stream, ARRAY(0), s->host);
}

/* Bits are moved, so that NaN keeps its payload. */
static void check_bytes(step *s, const unsigned char *whole)
{
    size_t size = yoke_dtype_get_size(s->v->d[0]);
    for (int64_t i = 0; i < s->a[0].count; i++)
        if (memcmp(bytes_of(&s->a[0], whole, i), s->host + (size_t)i * size, size) != 0) {
            disagreement(s, "element %lld has other bytes than in host memory", (long long)i);
            return;
        }
}

static void judge_write_array(step *s)
{
    size_t size = yoke_dtype_get_size(s->v->d[0]);
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_exactly(s, 0, i, load(s->v->d[0], s->host + (size_t)i * size));
    check_bytes(s, s->a[0].found);
}

static void vary_read_array(model *m, variant *v)
{
    vary_write_array(m, v);
}

static bool draw_read_array(model *m, step *s)
{
    if (!draw_transfer(m, s))
        return false;
    s->a[0].only_read = true;
    return true;
}

static yoke_status call_read_array(yoke_stream *stream, const step *s)
{
    return yoke_read_array(stream, s->host, ARRAY(0));
}

static void judge_read_array(step *s)
{
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_unchanged(s, 0, i);
    check_bytes(s, s->a[0].slab->shadow);
}

const operation operations_map[] = {
    OPERATION(map),   OPERATION(add),    OPERATION(subtract),     OPERATION(multiply),    OPERATION(divide),     OPERATION(where),
    OPERATION(clamp), OPERATION(assign), OPERATION(assign_value), OPERATION(write_array), OPERATION(read_array),
};
const size_t count_map = COUNT_OF(operations_map);
