/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: reductions of arrays, of expressions and of segments. */
#include "families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- One reduction, in higher precision ---- */

void total_begin(total *t, int32_t kind, int32_t dtype)
{
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->dtype = dtype;
    t->all = t->finite = true;
    if (kind == YOKE_REDUCE_PRODUCT) {
        t->bits = 1;
        t->sum.re = 1;
    }
}

static void add_float(total *t, number x)
{
    long double size = (isfinite(x.re) ? fabsl(x.re) : 0) + (isfinite(x.im) ? fabsl(x.im) : 0), delta = x.re - t->mean;
    if (t->kind == YOKE_REDUCE_PRODUCT) {
        number y = t->sum;
        t->sum.re = y.re * x.re - (is_complex(t->dtype) ? y.im * x.im : 0);
        t->sum.im = is_complex(t->dtype) ? y.re * x.im + y.im * x.re : 0;
    } else {
        t->sum.re += x.re;
        t->sum.im += x.im;
    }
    t->squares += x.re * x.re + x.im * x.im;
    t->mean += delta / (long double)t->count;
    t->distances += delta * (x.re - t->mean);
    t->finite &= isfinite(x.re) && isfinite(x.im);
    t->sizes += size;
    t->largest = size > t->largest ? size : t->largest;
    if (size > 0 && log2l(size) > 0)
        t->logs_up += log2l(size);
    else if (size > 0)
        t->logs_down -= log2l(size) - 1; /* a part may be smaller than the whole */
}

void total_add(total *t, number x)
{
    bool true_value = x.re != 0 || x.im != 0, largest = t->kind == YOKE_REDUCE_MAX || t->kind == YOKE_REDUCE_ARGMAX;
    t->count++;
    t->any |= true_value;
    t->all &= true_value;
    if (t->kind == YOKE_REDUCE_MIN || t->kind == YOKE_REDUCE_MAX || t->kind == YOKE_REDUCE_ARGMIN ||
        t->kind == YOKE_REDUCE_ARGMAX) {
        number best = t->has_value ? least(t->sum, x, largest) : x;
        if (isnan(x.re))
            return;
        if (!t->has_value || best.re != t->sum.re || !signbit(best.re) != !signbit(t->sum.re))
            t->at = t->count - 1;
        t->has_value = true;
        t->sum = best;
        return;
    }
    if (is_integer(t->dtype)) {
        t->bits = t->kind == YOKE_REDUCE_PRODUCT ? t->bits * to_bits(x.re) : t->bits + to_bits(x.re);
        t->whole += (wide_int)x.re;
    }
    add_float(t, x);
}

/* In the accumulator: float, or double where the elements are. */
static long double limit_of(int32_t dtype)
{
    return is_wide(dtype) ? 0x1p1000L : 0x1p120L;
}

static void want_float(const total *t, step *s, int k, int64_t position, long double roundings)
{
    int32_t out = s->a[k].array.dtype, type = is_integer(t->dtype) ? out : t->dtype;
    long double n = (long double)t->count, unit = is_wide(type) ? 0x1p-53L : 0x1p-24L, limit = limit_of(type);
    long double error = (log2l(n + 1) + 3 + roundings) * unit + n * 0x1p-64L;
    number x = t->sum;
    if (t->kind == YOKE_REDUCE_PRODUCT) {
        if (t->logs_up > log2l(limit) - 8 || t->logs_down > log2l(limit) - 8 || (is_complex(t->dtype) && !t->finite))
            want_anything(s, k, position);
        else
            want_near(s, k, position, x, (n + 2) * unit * (is_complex(t->dtype) ? 6 * exp2l(t->logs_up) : fabsl(x.re)));
        return;
    }
    if (t->sizes > limit ||
        ((t->kind == YOKE_REDUCE_VARIANCE || t->kind == YOKE_REDUCE_NORM) && t->largest > sqrtl(limit) / (n + 1))) {
        want_anything(s, k, position);
    } else if (t->kind == YOKE_REDUCE_MEAN && t->count > 0) {
        want_near(s, k, position, (number){ x.re / n, x.im / n }, error * t->sizes / n);
    } else if (t->kind == YOKE_REDUCE_VARIANCE && t->count > 0) {
        /* Chan's pairwise update: the means of parts have errors of their own, which enter times the distance, and squared. */
        long double variance = t->distances / n, drift = error * t->largest;
        want_near(s, k, position, (number){ t->finite ? variance : NAN, 0 },
                  2 * error * variance + 4 * drift * (sqrtl(fabsl(variance)) + drift) + 2 * drift * drift +
                      4 * smallest_of(is_wide(type)));
    } else if (t->kind == YOKE_REDUCE_NORM) {
        bool small = t->squares < 1 / limit && t->squares > 0; /* squares may be subnormal, or 0 */
        if (small || (!t->finite && is_complex(t->dtype)))
            want_anything(s, k, position);
        else
            want_near(s, k, position, (number){ sqrtl(t->squares), 0 }, error * sqrtl(t->squares) + 1 / sqrtl(limit));
    } else if (t->count == 0 && (t->kind == YOKE_REDUCE_MEAN || t->kind == YOKE_REDUCE_VARIANCE)) {
        want_near(s, k, position, (number){ NAN, is_complex(out) ? NAN : 0 }, 0);
    } else {
        want_near(s, k, position, x, error * t->sizes + roundings * n * smallest_of(is_wide(type)));
    }
}

void total_want(const total *t, step *s, int k, int64_t position, long double roundings)
{
    int32_t out = s->a[k].array.dtype, whole = is_signed(t->dtype) ? YOKE_I64 : YOKE_U64;
    number x = { 0, 0 };
    switch (t->kind) {
    case YOKE_REDUCE_SUM:
    case YOKE_REDUCE_PRODUCT:
        if (!is_integer(t->dtype)) {
            want_float(t, s, k, position, roundings);
            return;
        }
        x.re = wrap(whole, (wide_int)t->bits);
        want_exactly(s, k, position, convert(x, whole, out));
        return;
    case YOKE_REDUCE_MIN:
    case YOKE_REDUCE_MAX:
        x = t->sum;
        if (t->count == 0)
            x.re = t->kind == YOKE_REDUCE_MIN ? largest_of(t->dtype) : lowest_of(t->dtype);
        else if (!t->has_value)
            x.re = NAN;
        want_exactly(s, k, position, convert(x, t->dtype, out));
        return;
    case YOKE_REDUCE_ANY:
    case YOKE_REDUCE_ALL:
        x.re = t->kind == YOKE_REDUCE_ANY ? t->any : t->all;
        want_exactly(s, k, position, convert(x, YOKE_BOOL, out));
        return;
    case YOKE_REDUCE_ARGMIN:
    case YOKE_REDUCE_ARGMAX:
        x.re = t->count == 0 ? -1 : (long double)t->at;
        want_exactly(s, k, position, convert(x, YOKE_I64, out));
        return;
    default:
        want_float(t, s, k, position, roundings);
    }
}

/* ---- Dtypes ---- */

/* The dtype of the output for these elements. */
static int32_t pick_out(model *m, int32_t kind, int32_t in)
{
    switch (kind) {
    case YOKE_REDUCE_SUM:
    case YOKE_REDUCE_PRODUCT:
        if (is_complex(in))
            return in;
        if (is_integer(in))
            return chance(m, 60) ? PICK(m, YOKE_I64, YOKE_U64, YOKE_I32, YOKE_U8) : PICK(m, YOKE_F32, YOKE_F64);
        return chance(m, 80) ? in : PICK(m, YOKE_F32, YOKE_F64, YOKE_I32);
    case YOKE_REDUCE_MIN:
    case YOKE_REDUCE_MAX:
        return chance(m, 80) ? in : pick_real(m);
    case YOKE_REDUCE_ANY:
    case YOKE_REDUCE_ALL:
        return chance(m, 60) ? YOKE_BOOL : pick_real(m);
    case YOKE_REDUCE_ARGMIN:
    case YOKE_REDUCE_ARGMAX:
        return pick_index(m);
    default:
        return is_complex(in) && kind == YOKE_REDUCE_MEAN ? in : is_wide(in) ? YOKE_F64 : pick_float(m);
    }
}

static int32_t pick_in(model *m, int32_t kind)
{
    bool complex = kind == YOKE_REDUCE_SUM || kind == YOKE_REDUCE_PRODUCT || kind == YOKE_REDUCE_MEAN || kind == YOKE_REDUCE_NORM;
    return complex ? pick_any(m) : pick_real(m);
}

static void vary_reduce(model *m, variant *v)
{
    v->kind = 1 + (int32_t)draw(m, YOKE_REDUCE_NORM);
    v->d[1] = pick_in(m, v->kind);
    v->d[0] = pick_out(m, v->kind, v->d[1]);
}

static void vary_expression(model *m, variant *v)
{
    v->kind = 1 + (int32_t)draw(m, YOKE_REDUCE_NORM);
    v->d[1] = m->exact ? pick_real(m) : pick_integer(m);
    v->d[2] = chance(m, 50) ? v->d[1] : m->exact ? pick_real(m) : pick_integer(m);
    v->d[3] = PICK(m, YOKE_I32, YOKE_I64);
    do
        expression_draw(m, &v->e, v->d, 2, false);
    while (!m->exact && !is_integer(expression_type(&v->e)));
    v->d[0] = pick_out(m, v->kind, expression_type(&v->e));
}

/* ---- Along axes ---- */

/* Axes, and an output without them, or with extents of 1 there. */
static bool draw_axes(model *m, step *s, const yoke_array *shape)
{
    yoke_array out = { .dimensions = 0 };
    bool keeps = chance(m, 30);
    s->mask = chance(m, 25) ? (1u << shape->dimensions) - 1 : draw(m, 1u << shape->dimensions);
    s->axis_count = 0;
    for (int32_t i = 0; i < shape->dimensions; i++)
        if (s->mask >> i & 1)
            s->axes[s->axis_count++] = i;
    if (s->axis_count == 0)
        s->mask = (1u << shape->dimensions) - 1; /* all */
    for (int32_t i = s->axis_count - 1; i > 0; i--) {
        uint32_t j = draw(m, (uint32_t)i + 1);
        int32_t kept = s->axes[i];
        s->axes[i] = s->axes[j];
        s->axes[j] = kept;
    }
    for (int32_t i = 0; i < shape->dimensions; i++)
        if (!(s->mask >> i & 1) || keeps)
            out.shape[out.dimensions++] = s->mask >> i & 1 ? 1 : shape->shape[i];
    return add_out(m, s, 0, s->v->d[0], out.dimensions, out.shape);
}

/* Where element i of a row lies among the elements of the shape. */
static int64_t element_of(const yoke_array *shape, uint32_t mask, int64_t row, int64_t i)
{
    int64_t position = 0, stride = 1;
    for (int32_t axis = shape->dimensions - 1; axis >= 0; axis--) {
        int64_t *from = mask >> axis & 1 ? &i : &row, n = shape->shape[axis];
        position += *from % n * stride;
        *from /= n;
        stride *= n;
    }
    return position;
}

static int64_t row_length(const yoke_array *shape, uint32_t mask)
{
    int64_t n = 1;
    for (int32_t i = 0; i < shape->dimensions; i++)
        n *= mask >> i & 1 ? shape->shape[i] : 1;
    return n;
}

static bool draw_reduce(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) && draw_axes(m, s, &shape);
}

static yoke_status call_reduce(yoke_stream *stream, const step *s)
{
    return yoke_reduce(stream, s->v->kind, ARRAY(0), ARRAY(1), s->axes, (size_t)s->axis_count);
}

static void judge_reduce(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = row_length(a, s->mask);
    for (int64_t row = 0; row < s->a[0].count; row++) {
        total t;
        total_begin(&t, s->v->kind, s->v->d[1]);
        for (int64_t i = 0; i < n; i++)
            total_add(&t, get(&s->a[1], element_of(a, s->mask, row, i)));
        total_want(&t, s, 0, row, 0);
    }
}

/* ---- Quantiles that are elements ---- */

static void vary_quantile(model *m, variant *v)
{
    v->kind = PICK(m, YOKE_QUANTILE_LOWER, YOKE_QUANTILE_HIGHER, YOKE_QUANTILE_NEAREST);
    v->d[0] = v->d[1] = pick_real(m);
}

static bool draw_quantile(model *m, step *s)
{
    s->f[0] = (double)draw(m, 101) / 100;
    if (!draw_reduce(m, s))
        return false;
    const bool has_nothing = s->a[0].count > 0 && row_length(&s->a[1].array, s->mask) == 0;
    return !has_nothing || !is_integer(s->v->d[0]); /* of no elements integers have no quantile */
}

static yoke_status call_quantile(yoke_stream *stream, const step *s)
{
    return yoke_quantile(stream, s->v->kind, ARRAY(0), ARRAY(1), s->f, 1, s->axes, (size_t)s->axis_count);
}

static int compare_numbers(const void *a, const void *b)
{
    return compare_keys(*(const number *)a, *(const number *)b);
}

static void judge_quantile(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = row_length(a, s->mask);
    double place = (double)(n - 1) * s->f[0];
    place = s->v->kind == YOKE_QUANTILE_LOWER ? floor(place) : s->v->kind == YOKE_QUANTILE_HIGHER ? ceil(place) : rint(place);
    number *sorted = memory_new((size_t)(n + 1) * sizeof *sorted);
    for (int64_t row = 0; row < s->a[0].count; row++) {
        number nan = { NAN, 0 };
        for (int64_t i = 0; i < n; i++)
            sorted[i] = get(&s->a[1], element_of(a, s->mask, row, i));
        qsort(sorted, (size_t)n, sizeof *sorted, compare_numbers);
        want_exactly(s, 0, row, n == 0 || isnan(sorted[n - 1].re) ? nan : sorted[(int64_t)place]);
    }
    memory_free(sorted);
}

/* ---- By a combination of the caller's own ---- */

const char *own_text(int32_t kind)
{
    static const char *const texts[] = { "a + b", "a * b", "a ^ b", "max(a, b)", "b != 0 ? b : a" };
    return texts[kind];
}

number own_value(int32_t kind, int32_t dtype, number a, number b)
{
    uint64_t x = to_bits(a.re), y = to_bits(b.re);
    if (kind == OWN_LARGEST)
        return a.re > b.re ? a : b;
    if (kind == OWN_LAST)
        return b.re != 0 ? b : a;
    return (number){ wrap(dtype, (wide_int)(kind == OWN_SUM ? x + y : kind == OWN_PRODUCT ? x * y : x ^ y)), 0 };
}

static void vary_reduce_with(model *m, variant *v)
{
    v->kind = (int32_t)draw(m, OWN_LAST);
    v->d[1] = pick_integer(m);
    v->d[0] = pick_index(m);
}

static bool draw_reduce_with(model *m, step *s)
{
    s->n[0] = (int64_t)draw(m, 100);
    return draw_reduce(m, s);
}

static yoke_status call_reduce_with(yoke_stream *stream, const step *s)
{
    return yoke_reduce_with(stream, own_text(s->v->kind), ARRAY(0), ARRAY(1), yoke_number_i64(s->n[0]), YOKE_NO_VARS, s->axes,
                            (size_t)s->axis_count);
}

static void judge_reduce_with(step *s)
{
    const yoke_array *a = &s->a[1].array;
    int64_t n = row_length(a, s->mask);
    for (int64_t row = 0; row < s->a[0].count; row++) {
        number all = { (long double)s->n[0], 0 };
        for (int64_t i = 0; i < n; i++)
            all = own_value(s->v->kind, s->v->d[0], all,
                            convert(get(&s->a[1], element_of(a, s->mask, row, i)), s->v->d[1], s->v->d[0]));
        want_exactly(s, 0, row, all);
    }
}

/* ---- Of expressions ---- */

static void vary_map_reduce(model *m, variant *v)
{
    vary_expression(m, v);
}

static bool draw_map_reduce(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    s->f[0] = ((double)draw(m, 41) - 20) / 4;
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) &&
           add_broadcast(m, s, 2, s->v->d[2], shape.dimensions, shape.shape) && draw_axes(m, s, &shape);
}

static yoke_status call_map_reduce(yoke_stream *stream, const step *s)
{
    char text[MOST_TEXT];
    yoke_var vars[MOST_ARRAYS];
    expression_text(&s->v->e, text, sizeof text);
    size_t count = list_vars(s, vars, 1, 2);
    return yoke_map_reduce(stream, s->v->kind, ARRAY(0), text, vars, count, s->axes, (size_t)s->axis_count);
}

static number value_at(const step *s, const operand *second, int64_t position)
{
    number in[3] = { { 0, 0 }, get(&s->a[1], position), get(second, position) };
    return expression_value(&s->v->e, in, s->v->d, s->f[0], position);
}

static void judge_map_reduce(step *s)
{
    const yoke_array *a = &s->a[1].array;
    operand second = spread(&s->a[2], a);
    int64_t n = row_length(a, s->mask);
    for (int64_t row = 0; row < s->a[0].count; row++) {
        total t;
        total_begin(&t, s->v->kind, expression_type(&s->v->e));
        for (int64_t i = 0; i < n; i++)
            total_add(&t, value_at(s, &second, element_of(a, s->mask, row, i)));
        total_want(&t, s, 0, row, 0);
    }
}

/* Results that are exact, by the dtype that an expression gives them. */
static void vary_map_rows(model *m, variant *v)
{
    v->kind = PICK(m, YOKE_REDUCE_SUM, YOKE_REDUCE_MIN, YOKE_REDUCE_MAX, YOKE_REDUCE_ANY, YOKE_REDUCE_ALL);
    v->d[1] = PICK(m, YOKE_I32, YOKE_I64);
    v->d[0] = v->kind == YOKE_REDUCE_SUM                                 ? YOKE_I64
              : v->kind == YOKE_REDUCE_MIN || v->kind == YOKE_REDUCE_MAX ? v->d[1]
                                                                         : YOKE_BOOL;
}

static bool draw_map_rows(model *m, step *s)
{
    return draw_reduce(m, s);
}

static yoke_status call_map_rows(yoke_stream *stream, const step *s)
{
    const char *text = s->v->kind == YOKE_REDUCE_SUM   ? "out = sum(a)"
                       : s->v->kind == YOKE_REDUCE_MIN ? "out = min(a)"
                       : s->v->kind == YOKE_REDUCE_MAX ? "out = max(a)"
                       : s->v->kind == YOKE_REDUCE_ANY ? "out = any(a)"
                                                       : "out = all(a)";
    yoke_array out = *ARRAY(0), a = *ARRAY(1);
    return yoke_map_rows(stream, text, YOKE_VARS(out, a), s->axes, (size_t)s->axis_count);
}

static void judge_map_rows(step *s)
{
    judge_reduce(s);
}

static void vary_dot(model *m, variant *v)
{
    v->d[1] = pick_any(m);
    v->d[2] = chance(m, 60) ? v->d[1] : is_complex(v->d[1]) ? v->d[1] : pick_real(m);
    v->d[0] = pick_out(m, YOKE_REDUCE_SUM, common_type(v->d[1], v->d[2]));
}

static bool draw_dot(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, 4, &shape);
    return add_in(m, s, 1, s->v->d[1], shape.dimensions, shape.shape) &&
           add_in(m, s, 2, s->v->d[2], shape.dimensions, shape.shape) && add_out(m, s, 0, s->v->d[0], 0, NULL);
}

static yoke_status call_dot(yoke_stream *stream, const step *s)
{
    return yoke_dot(stream, ARRAY(0), ARRAY(1), ARRAY(2));
}

static void judge_dot(step *s)
{
    int32_t type = common_type(s->v->d[1], s->v->d[2]);
    bool complex = is_complex(type);
    if (is_integer(type))
        type = is_signed(s->v->d[1]) || is_signed(s->v->d[2]) ? YOKE_I64 : YOKE_U64;
    total t;
    total_begin(&t, YOKE_REDUCE_SUM, type);
    for (int64_t i = 0; i < s->a[1].count; i++) {
        number x = convert(get(&s->a[1], i), s->v->d[1], type), y = convert(get(&s->a[2], i), s->v->d[2], type);
        number product = { x.re * y.re - (complex ? x.im * y.im : 0), complex ? x.re * y.im + x.im * y.re : 0 };
        if (is_integer(type))
            product = arithmetic('*', type, x, y);
        total_add(&t, product);
        t.finite &= isfinite(x.re) && isfinite(x.im) && isfinite(y.re) && isfinite(y.im);
        if (complex) /* parts may cancel */
            t.sizes += (fabsl(x.re) + fabsl(x.im)) * (fabsl(y.re) + fabsl(y.im));
    }
    if (complex && !t.finite)
        want_anything(s, 0, 0);
    else
        total_want(&t, s, 0, 0, 2);
}

/* ---- Of segments ---- */

static bool draw_offsets(model *m, step *s, int k, int64_t n)
{
    int64_t segments = draw_between(m, 0, chance(m, 80) ? 20 : 300), shape[] = { segments + 1 }, at = 0;
    if (!add_out(m, s, 0, s->v->d[0], 1, &segments) || !add_fresh(m, s, k, s->v->d[3], 1, shape))
        return false;
    for (int64_t i = 0; i <= segments; i++) {
        bool wild = chance(m, 5);
        at = wild ? at : at + draw_between(m, 0, 2 * n / (segments + 1));
        at = at > n ? n : at;
        put(&s->a[k], i, (number){ wild ? (long double)draw_between(m, -5, n + 5) : (long double)at, 0 });
    }
    return true;
}

static void segment_of(const step *s, int k, int64_t i, int64_t n, int64_t *out_first, int64_t *out_end)
{
    int64_t ends[2];
    for (int j = 0; j < 2; j++) {
        long double x = get(&s->a[k], i + j).re;
        ends[j] = x < 0 ? 0 : x > n ? n : (int64_t)x;
    }
    *out_first = ends[0];
    *out_end = ends[1] > ends[0] ? ends[1] : ends[0];
}

static void vary_reduce_segments(model *m, variant *v)
{
    vary_reduce(m, v);
    v->d[3] = PICK(m, YOKE_I32, YOKE_I64);
}

static bool draw_reduce_segments(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, 1, &shape);
    return add_in(m, s, 1, s->v->d[1], 1, shape.shape) && draw_offsets(m, s, 3, shape.shape[0]);
}

static yoke_status call_reduce_segments(yoke_stream *stream, const step *s)
{
    return yoke_reduce_segments(stream, s->v->kind, ARRAY(0), ARRAY(1), ARRAY(3));
}

static void judge_segments(step *s, bool is_expression)
{
    int64_t first, end, n = s->a[1].count;
    operand second = is_expression ? spread(&s->a[2], &s->a[1].array) : s->a[1];
    for (int64_t i = 0; i < s->a[0].count; i++) {
        total t;
        total_begin(&t, s->v->kind, is_expression ? expression_type(&s->v->e) : s->v->d[1]);
        segment_of(s, 3, i, n, &first, &end);
        for (; first < end; first++)
            total_add(&t, is_expression ? value_at(s, &second, first) : get(&s->a[1], first));
        total_want(&t, s, 0, i, 0);
    }
}

static void judge_reduce_segments(step *s)
{
    judge_segments(s, false);
}

static void vary_map_reduce_segments(model *m, variant *v)
{
    vary_expression(m, v);
}

static bool draw_map_reduce_segments(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 1, 1, &shape);
    s->f[0] = ((double)draw(m, 41) - 20) / 4;
    return add_in(m, s, 1, s->v->d[1], 1, shape.shape) && add_broadcast(m, s, 2, s->v->d[2], 1, shape.shape) &&
           draw_offsets(m, s, 3, shape.shape[0]);
}

static yoke_status call_map_reduce_segments(yoke_stream *stream, const step *s)
{
    char text[MOST_TEXT];
    yoke_var vars[MOST_ARRAYS];
    expression_text(&s->v->e, text, sizeof text);
    size_t count = list_vars(s, vars, 1, 2);
    return yoke_map_reduce_segments(stream, s->v->kind, ARRAY(0), text, vars, count, ARRAY(3));
}

static void judge_map_reduce_segments(step *s)
{
    judge_segments(s, true);
}

const operation operations_reduce[] = {
    OPERATION(reduce),          OPERATION(reduce_with),         OPERATION(map_reduce), OPERATION(dot),
    OPERATION(reduce_segments), OPERATION(map_reduce_segments), OPERATION(map_rows),   OPERATION(quantile),
};
const size_t count_reduce = COUNT_OF(operations_reduce);
