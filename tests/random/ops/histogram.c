/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: histograms and counts of integers, with and without weights. */
#include "families.h"

#include <math.h>
#include <string.h>

/* Arrays: 0 the bins, 1 the elements, 2 the edges, 3 the weights. */

/* The dtype of the bins: of counts, or of the sums of weights. */
static void vary_bins(model *m, variant *v)
{
    v->d[3] = chance(m, 50) ? pick_real(m) : 0;
    if (!v->d[3])
        v->d[0] = pick_index(m);
    else if (is_integer(v->d[3]))
        v->d[0] = chance(m, 50) ? pick_index(m) : PICK(m, YOKE_F32, YOKE_F64);
    else
        v->d[0] = v->d[3];
}

static bool draw_bins(model *m, step *s, const yoke_array *shape)
{
    s->n[0] = draw_between(m, 1, chance(m, 70) ? 20 : 300);
    if (!m->exact) /* so that widths are exact */
        s->n[0] = INT64_C(1) << draw(m, 8);
    if (!add_out(m, s, 0, s->v->d[0], 1, s->n) || !add_in(m, s, 1, s->v->d[1], shape->dimensions, shape->shape))
        return false;
    return !s->v->d[3] || add_broadcast(m, s, 3, s->v->d[3], shape->dimensions, shape->shape);
}

/* What is summed, and in which order, <yoke/ops.h> says: tiles of 1024 elements are enough for these sizes. bin[i]: -1 is none. */
static void want_bins(step *s, const int64_t *bin)
{
    enum { TILE = 1024, GROUP = 64 };
    int32_t weight = s->v->d[3], type = !weight || is_integer(weight) ? YOKE_I64 : common_type(weight, weight);
    int64_t n = s->a[1].count, bins = s->a[0].count, tiles = (n + TILE - 1) / TILE;
    number *sums = memory_new((size_t)((tiles + 1) * bins) * sizeof *sums);
    operand weights = weight ? spread(&s->a[3], &s->a[1].array) : s->a[1];
    for (int64_t i = 0; i < n; i++) {
        if (bin[i] < 0)
            continue;
        number *sum = &sums[i / TILE * bins + bin[i]];
        *sum = arithmetic('+', type, *sum, weight ? convert(get(&weights, i), weight, type) : (number){ 1, 0 });
    }
    for (; tiles > 1; tiles = (tiles + GROUP - 1) / GROUP)
        for (int64_t i = 0; i < tiles; i++)
            for (int64_t j = 0; j < bins; j++) {
                number *to = &sums[i / GROUP * bins + j], x = sums[i * bins + j];
                *to = i % GROUP == 0 ? x : arithmetic('+', type, *to, x);
            }
    if (weight == YOKE_U64) /* the bits of unsigned sums */
        for (int64_t j = 0; j < bins; j++)
            sums[j].re = wrap(YOKE_U64, (wide_int)sums[j].re);
    for (int64_t j = 0; j < bins; j++)
        want_computed(s, 0, j, sums[j], weight == YOKE_U64 ? YOKE_U64 : type);
    memory_free(sums);
}

/* ---- Bins of equal width ---- */

static void vary_histogram(model *m, variant *v)
{
    vary_bins(m, v);
    v->d[1] = pick_real(m);
    v->d[1] = v->d[1] == YOKE_BOOL ? YOKE_U8 : v->d[1];
    v->flags = chance(m, 50); /* bounds of floating point, for integers too */
}

static bool draw_histogram(model *m, step *s)
{
    yoke_array shape;
    int32_t dtype = s->v->d[1];
    bool whole = is_integer(dtype) && !s->v->flags;
    int64_t low = whole && !is_signed(dtype) ? draw_between(m, 0, 50) : draw_between(m, -50, 50);
    int64_t range = m->exact ? draw_between(m, 1, 100) : INT64_C(1) << draw(m, 7);
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    s->low = whole ? yoke_number_i32((int)low) : yoke_number_f64((double)low / 4);
    s->high = whole ? yoke_number_i32((int)(low + range)) : yoke_number_f64((double)(low + range) / 4);
    return draw_bins(m, s, &shape);
}

static yoke_status call_histogram(yoke_stream *stream, const step *s)
{
    return yoke_histogram(stream, ARRAY(0), ARRAY(1), s->low, s->high, ARRAY(3));
}

/* Each operation is rounded. */
static int64_t bin_of_float(number x, number low, number high, int64_t count, int32_t type)
{
    number n = convert((number){ count, 0 }, YOKE_I64, type);
    number width = arithmetic('/', type, arithmetic('-', type, high, low), n);
    if (!(x.re >= low.re && x.re <= high.re))
        return -1;
    for (int64_t i = count - 1; i > 0; i--) {
        number at = convert((number){ i, 0 }, YOKE_I64, type);
        if (arithmetic('+', type, low, arithmetic('*', type, at, width)).re <= x.re)
            return i;
    }
    return 0;
}

static void judge_histogram(step *s)
{
    int32_t dtype = s->v->d[1], type = dtype == YOKE_F64 ? YOKE_F64 : YOKE_F32;
    bool whole = is_integer(dtype) && is_integer(s->low.dtype);
    int64_t n = s->a[1].count, count = s->a[0].count, *bin = memory_new((size_t)(n + 1) * sizeof *bin);
    for (int64_t i = 0; i < n; i++) {
        number x = get(&s->a[1], i);
        if (!whole) {
            number low = convert((number){ s->low.value.f64, 0 }, YOKE_F64, type);
            number high = convert((number){ s->high.value.f64, 0 }, YOKE_F64, type);
            bin[i] = bin_of_float(convert(x, dtype, type), low, high, count, type);
            continue;
        }
        wide_int at = (wide_int)x.re - s->low.value.i64, range = s->high.value.i64 - s->low.value.i64;
        bin[i] = at < 0 || at > range ? -1 : at == range ? count - 1 : (int64_t)(at * count / range);
    }
    want_bins(s, bin);
    memory_free(bin);
}

/* ---- Bins between edges ---- */

static void vary_histogram_edges(model *m, variant *v)
{
    vary_histogram(m, v);
    v->d[2] = v->d[1];
}

static bool draw_histogram_edges(model *m, step *s)
{
    yoke_array shape;
    int32_t dtype = s->v->d[1];
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    if (!draw_bins(m, s, &shape) || !add_fresh(m, s, 2, dtype, 1, (const int64_t[]){ s->n[0] + 1 }))
        return false;
    long double at = is_signed(dtype) || !is_integer(dtype) ? -(long double)draw(m, 20) : 0;
    for (int64_t i = 0; i <= s->n[0]; i++) {
        put(&s->a[2], i, convert((number){ at < largest_of(dtype) ? at : largest_of(dtype), 0 }, YOKE_F64, dtype));
        at += is_integer(dtype) ? draw(m, 3) : (long double)draw(m, 9) / 8;
    }
    return true;
}

static yoke_status call_histogram_edges(yoke_stream *stream, const step *s)
{
    return yoke_histogram_edges(stream, ARRAY(0), ARRAY(1), ARRAY(2), ARRAY(3));
}

static void judge_histogram_edges(step *s)
{
    int64_t n = s->a[1].count, count = s->a[0].count, *bin = memory_new((size_t)(n + 1) * sizeof *bin);
    for (int64_t i = 0; i < n; i++) {
        long double x = get(&s->a[1], i).re;
        bin[i] = -1;
        for (int64_t j = 0; j < count && x <= get(&s->a[2], count).re; j++)
            if (get(&s->a[2], j).re <= x)
                bin[i] = j;
    }
    want_bins(s, bin);
    memory_free(bin);
}

/* ---- Counts of integers ---- */

static void vary_bincount(model *m, variant *v)
{
    vary_bins(m, v);
    v->d[1] = pick_integer(m);
}

static bool draw_bincount(model *m, step *s)
{
    yoke_array shape;
    draw_shape(m, 0, YOKE_MAX_DIMENSIONS, &shape);
    return draw_bins(m, s, &shape);
}

static yoke_status call_bincount(yoke_stream *stream, const step *s)
{
    return yoke_bincount(stream, ARRAY(0), ARRAY(1), ARRAY(3));
}

static void judge_bincount(step *s)
{
    int64_t n = s->a[1].count, *bin = memory_new((size_t)(n + 1) * sizeof *bin);
    for (int64_t i = 0; i < n; i++) {
        long double x = get(&s->a[1], i).re;
        bin[i] = x < 0 || x >= (long double)s->a[0].count ? -1 : (int64_t)x;
    }
    want_bins(s, bin);
    memory_free(bin);
}

const operation operations_histogram[] = { OPERATION(histogram), OPERATION(histogram_edges), OPERATION(bincount) };
const size_t count_histogram = COUNT_OF(operations_histogram);
