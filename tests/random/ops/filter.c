/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: filters. The oracle takes the sums of each axis in long double, and carries the bound of their errors along.
 */
#include "families.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Taps belong to the variant, since on a GPU a kernel is made for them. v->kind is the number of axes. */
enum { MOST_AXES = 3, MOST_TAPS = 5 };

static int32_t pick_dtype(model *m)
{
    return PICK(m, YOKE_I8, YOKE_U8, YOKE_I16, YOKE_U16, YOKE_F16, YOKE_BF16, YOKE_F32, YOKE_F32, YOKE_F64);
}

static void vary_taps(model *m, variant *v)
{
    v->d[1] = pick_dtype(m);
    v->d[0] = chance(m, 60) ? v->d[1] : pick_dtype(m);
    v->kind = 1 + (int32_t)draw(m, MOST_AXES);
    for (int i = 0; i < MOST_AXES; i++)
        v->d[2 + i] = 1 + (int32_t)draw(m, MOST_TAPS);
}

static bool draw_filter(model *m, step *s)
{
    yoke_array shape;
    int32_t order[YOKE_MAX_DIMENSIONS];
    draw_shape(m, s->v->kind, YOKE_MAX_DIMENSIONS, &shape);
    for (int32_t i = 0; i < shape.dimensions; i++)
        order[i] = i;
    s->axis_count = s->v->kind;
    for (int32_t i = 0; i < s->axis_count; i++) {
        int32_t j = i + (int32_t)draw(m, (uint32_t)(shape.dimensions - i)), kept = order[i];
        s->axes[i] = order[j];
        order[j] = kept;
        int32_t taps = s->v->d[2 + i], reach = (taps - 1) / 2;
        s->origins[i] = chance(m, 30) && reach > 0 ? (int32_t)draw_between(m, -reach, reach) : 0;
    }
    s->mode =
        PICK(m, YOKE_BOUNDARY_REFLECT, YOKE_BOUNDARY_CONSTANT, YOKE_BOUNDARY_NEAREST, YOKE_BOUNDARY_MIRROR, YOKE_BOUNDARY_WRAP);
    s->axis = chance(m, 50) ? YOKE_ROUND_NEAREST : YOKE_ROUND_TRUNCATE;
    s->f[0] = (double)draw(m, 9) / 4;
    for (int i = 0; i < MOST_WEIGHTS; i++)
        s->weights[i] = ((double)draw(m, 33) - 16) / 8;
    if (!add_fresh(m, s, 1, s->v->d[1], shape.dimensions, shape.shape))
        return false;
    unsigned style = chance(m, 50) ? SMALL_VALUES : ANY_VALUES; /* finite */
    for (int64_t i = 0; i < s->a[1].count; i++)
        put(&s->a[1], i, draw_value(m, s->v->d[1], style));
    return add_out(m, s, 0, s->v->d[0], shape.dimensions, shape.shape);
}

static yoke_filter_options options_of(const step *s)
{
    yoke_filter_options options = YOKE_FILTER_OPTIONS_INIT;
    options.boundary = s->mode;
    options.rounding = s->axis;
    options.value = s->f[0];
    options.origins = s->origins;
    return options;
}

/* ---- In higher precision ---- */

/* An array of sums, and of how far each may be off. */
typedef struct sums {
    long double *value, *slack;
} sums;

/* The index of what is beyond an end; -1: the constant. */
static int64_t inside(int64_t i, int64_t n, int32_t boundary)
{
    int64_t period = boundary == YOKE_BOUNDARY_REFLECT ? 2 * n : boundary == YOKE_BOUNDARY_MIRROR ? 2 * n - 2 : n;
    if (i >= 0 && i < n)
        return i;
    if (boundary == YOKE_BOUNDARY_CONSTANT)
        return -1;
    if (boundary == YOKE_BOUNDARY_NEAREST || period == 0)
        return i < 0 || period == 0 ? 0 : n - 1;
    i = (i % period + period) % period;
    return i < n ? i : boundary == YOKE_BOUNDARY_REFLECT ? period - 1 - i : period - i;
}

/* What so many products, whose sizes are these together, and their sum may be off by. */
static long double error_of_sums(const step *s, int64_t taps, long double sizes)
{
    bool wide = is_wide(s->v->d[0]) || is_wide(s->v->d[1]);
    return (long double)(taps + 4) * ((wide ? 0x1p-53L : 0x1p-24L) * sizes + smallest_of(wide));
}

static sums sums_new(const step *s)
{
    size_t size = (size_t)(s->a[1].count + 1) * sizeof(long double);
    return (sums){ memory_new(size), memory_new(size) };
}

static void sums_free(sums *x)
{
    memory_free(x->value);
    memory_free(x->slack);
}

static sums sums_of_input(const step *s)
{
    sums x = sums_new(s);
    for (int64_t i = 0; i < s->a[1].count; i++)
        x.value[i] = get(&s->a[1], i).re;
    return x;
}

/* Add the tap at `shift` along up to 3 axes. */
static void add_tap(const step *s, const sums *in, const int32_t *axes, const int64_t *shift, int32_t count, int64_t position,
                    long double weight, long double *value, long double *slack, long double *sizes)
{
    const yoke_array *a = &s->a[1].array;
    int64_t stride = 1, at = 0, rest = position;
    bool constant = false;
    for (int32_t i = a->dimensions - 1; i >= 0; i--) {
        int64_t index = rest % a->shape[i];
        rest /= a->shape[i];
        for (int32_t j = 0; j < count; j++)
            if (axes[j] == i)
                index = inside(index + shift[j], a->shape[i], s->mode);
        constant |= index < 0;
        at += index * stride;
        stride *= a->shape[i];
    }
    long double x = constant ? (long double)s->f[0] : in->value[at];
    *value += weight * x;
    *sizes += fabsl(weight * x);
    *slack += constant ? 0 : fabsl(weight) * in->slack[at];
}

/* One axis; centre: the tap over the element. */
static void pass(const step *s, sums *x, int32_t axis, const long double *weights, int64_t taps, int64_t centre)
{
    sums out = sums_new(s);
    for (int64_t i = 0; i < s->a[1].count; i++) {
        long double sizes = 0;
        for (int64_t t = 0; t < taps; t++) {
            int64_t shift = t - centre;
            add_tap(s, x, &axis, &shift, 1, i, weights[t], &out.value[i], &out.slack[i], &sizes);
        }
        out.slack[i] += error_of_sums(s, taps, sizes);
    }
    sums_free(x);
    *x = out;
}

/* The place in the list of the i-th axis in ascending order. */
static int32_t ascending(const step *s, int32_t i)
{
    for (int32_t j = 0; j < s->axis_count; j++) {
        int32_t before = 0;
        for (int32_t k = 0; k < s->axis_count; k++)
            before += s->axes[k] < s->axes[j];
        if (before == i)
            return j;
    }
    return 0;
}

static void want_sums(step *s, sums *x)
{
    for (int64_t i = 0; i < s->a[0].count; i++) {
        want_near(s, 0, i, (number){ x->value[i], 0 }, x->slack[i]);
        if (s->axis == YOKE_ROUND_NEAREST)
            s->a[0].want[i].how = NEAR_ROUNDED;
    }
    sums_free(x);
}

/* ---- Gaussian, box, separable and Sobel filters ---- */

static void vary_gaussian_filter(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_gaussian_filter(model *m, step *s)
{
    return draw_filter(m, s);
}

/* So that there are as many taps as the variant says, or one more. */
static double sigma_of(const step *s, int i)
{
    return (s->v->d[2 + i] / 2) / 4.0;
}

static yoke_status call_gaussian_filter(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    double sigmas[MOST_AXES];
    for (int i = 0; i < MOST_AXES; i++)
        sigmas[i] = sigma_of(s, i);
    options.origins = NULL;
    return yoke_gaussian_filter(stream, ARRAY(0), ARRAY(1), sigmas, s->axes, (size_t)s->axis_count, &options);
}

static void judge_gaussian_filter(step *s)
{
    sums x = sums_of_input(s);
    for (int32_t i = 0; i < s->axis_count; i++) {
        int32_t j = ascending(s, i);
        long double weights[MOST_WEIGHTS], sigma = sigma_of(s, j), sum = 0;
        int64_t r = (int64_t)(4 * sigma + 0.5L);
        if (sigma == 0)
            continue;
        for (int64_t t = 0; t <= 2 * r; t++)
            sum += weights[t] = expl(-(long double)((t - r) * (t - r)) / (2 * sigma * sigma));
        for (int64_t t = 0; t <= 2 * r; t++)
            weights[t] /= sum;
        pass(s, &x, s->axes[j], weights, 2 * r + 1, r);
    }
    want_sums(s, &x);
}

static void vary_box_filter(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_box_filter(model *m, step *s)
{
    return draw_filter(m, s);
}

static yoke_status call_box_filter(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    int64_t sizes[] = { s->v->d[2], s->v->d[3], s->v->d[4] };
    return yoke_box_filter(stream, ARRAY(0), ARRAY(1), sizes, s->axes, (size_t)s->axis_count, &options);
}

static void judge_box_filter(step *s)
{
    sums x = sums_of_input(s);
    for (int32_t i = 0; i < s->axis_count; i++) {
        int32_t j = ascending(s, i), taps = s->v->d[2 + j];
        long double weights[MOST_TAPS];
        for (int32_t t = 0; t < taps; t++)
            weights[t] = 1.0L / taps;
        pass(s, &x, s->axes[j], weights, taps, taps / 2 + s->origins[j]);
    }
    want_sums(s, &x);
}

static void vary_separable_filter(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_separable_filter(model *m, step *s)
{
    return draw_filter(m, s);
}

static yoke_status call_separable_filter(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    yoke_weights weights[MOST_AXES];
    for (int i = 0; i < MOST_AXES; i++)
        weights[i] = (yoke_weights){ &s->weights[MOST_TAPS * i], s->v->d[2 + i] };
    return yoke_separable_filter(stream, ARRAY(0), ARRAY(1), weights, s->axes, (size_t)s->axis_count, &options);
}

static void judge_separable_filter(step *s)
{
    sums x = sums_of_input(s);
    for (int32_t i = 0; i < s->axis_count; i++) {
        int32_t j = ascending(s, i), taps = s->v->d[2 + j];
        long double weights[MOST_TAPS];
        for (int32_t t = 0; t < taps; t++)
            weights[t] = s->weights[MOST_TAPS * j + t];
        pass(s, &x, s->axes[j], weights, taps, taps / 2 + s->origins[j]);
    }
    want_sums(s, &x);
}

static void vary_sobel_filter(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_sobel_filter(model *m, step *s)
{
    s->n[0] = draw(m, (uint32_t)s->v->kind); /* the derivative's axis in the list */
    return draw_filter(m, s);
}

static yoke_status call_sobel_filter(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    options.origins = NULL;
    return yoke_sobel_filter(stream, ARRAY(0), ARRAY(1), s->axes[s->n[0]], s->axes, (size_t)s->axis_count, &options);
}

static void judge_sobel_filter(step *s)
{
    static const long double derivative[] = { -1, 0, 1 }, smooth[] = { 1, 2, 1 };
    sums x = sums_of_input(s);
    for (int32_t i = 0; i < s->axis_count; i++) {
        int32_t j = ascending(s, i);
        pass(s, &x, s->axes[j], j == s->n[0] ? derivative : smooth, 3, 1);
    }
    want_sums(s, &x);
}

/* ---- Correlation and convolution ---- */

static void vary_correlate(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_correlate(model *m, step *s)
{
    return draw_filter(m, s);
}

static yoke_status call_correlate(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    int64_t shape[] = { s->v->d[2], s->v->d[3], s->v->d[4] };
    return yoke_correlate(stream, ARRAY(0), ARRAY(1), s->weights, shape, s->axes, (size_t)s->axis_count, &options);
}

static void judge_full(step *s, bool reversed)
{
    sums in = sums_of_input(s), out = sums_new(s);
    int64_t taps = 1;
    for (int32_t i = 0; i < s->axis_count; i++)
        taps *= s->v->d[2 + i];
    for (int64_t i = 0; i < s->a[0].count; i++) {
        long double sizes = 0;
        for (int64_t t = 0; t < taps; t++) {
            int64_t shift[MOST_AXES], rest = t;
            for (int32_t j = s->axis_count - 1; j >= 0; j--) {
                int32_t n = s->v->d[2 + j];
                shift[j] = reversed ? n / 2 - rest % n + s->origins[j] : rest % n - n / 2 - s->origins[j];
                rest /= n;
            }
            add_tap(s, &in, s->axes, shift, s->axis_count, i, s->weights[t], &out.value[i], &out.slack[i], &sizes);
        }
        out.slack[i] += error_of_sums(s, taps, sizes);
    }
    sums_free(&in);
    want_sums(s, &out);
}

static void judge_correlate(step *s)
{
    judge_full(s, false);
}

static void vary_convolve(model *m, variant *v)
{
    vary_taps(m, v);
}

static bool draw_convolve(model *m, step *s)
{
    return draw_filter(m, s);
}

static yoke_status call_convolve(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    int64_t shape[] = { s->v->d[2], s->v->d[3], s->v->d[4] };
    return yoke_convolve(stream, ARRAY(0), ARRAY(1), s->weights, shape, s->axes, (size_t)s->axis_count, &options);
}

static void judge_convolve(step *s)
{
    judge_full(s, true);
}

/* ---- Ranks ---- */

static void vary_rank_filter(model *m, variant *v)
{
    vary_taps(m, v);
    v->d[0] = v->d[1] = PICK(m, YOKE_BOOL, YOKE_U8, YOKE_I16, YOKE_F16, YOKE_F32, YOKE_F32, YOKE_I64, YOKE_F64);
}

static bool draw_rank_filter(model *m, step *s)
{
    int64_t count = 1;
    if (!draw_filter(m, s))
        return false;
    for (int32_t i = 0; i < s->axis_count; i++)
        count *= s->v->d[2 + i];
    s->f[0] = 1; /* of every dtype */
    s->n[0] = chance(m, 30) ? (chance(m, 50) ? 0 : -1) : draw_between(m, -count, count - 1);
    return true;
}

static yoke_status call_rank_filter(yoke_stream *stream, const step *s)
{
    yoke_filter_options options = options_of(s);
    int64_t sizes[] = { s->v->d[2], s->v->d[3], s->v->d[4] };
    return yoke_rank_filter(stream, ARRAY(0), ARRAY(1), s->n[0], sizes, NULL, s->axes, (size_t)s->axis_count, &options);
}

static int compare_values(const void *a, const void *b)
{
    long double x = *(const long double *)a, y = *(const long double *)b;
    return x == y ? (signbit(y) != 0) - (signbit(x) != 0) : x < y ? -1 : 1;
}

static void judge_rank_filter(step *s)
{
    sums in = sums_of_input(s), out = sums_new(s);
    int64_t count = 1;
    for (int32_t i = 0; i < s->axis_count; i++)
        count *= s->v->d[2 + i];
    for (int64_t i = 0; i < s->a[0].count; i++) {
        long double values[MOST_TAPS * MOST_TAPS * MOST_TAPS] = { 0 }, slack = 0, sizes = 0;
        for (int64_t t = 0; t < count; t++) {
            int64_t shift[MOST_AXES], rest = t;
            for (int32_t j = s->axis_count - 1; j >= 0; j--) {
                int32_t n = s->v->d[2 + j];
                shift[j] = rest % n - n / 2 - s->origins[j];
                rest /= n;
            }
            add_tap(s, &in, s->axes, shift, s->axis_count, i, 1, &values[t], &slack, &sizes);
        }
        qsort(values, (size_t)count, sizeof *values, compare_values);
        out.value[i] = values[s->n[0] < 0 ? s->n[0] + count : s->n[0]];
    }
    sums_free(&in);
    want_sums(s, &out);
}

const operation operations_filter[] = {
    OPERATION(gaussian_filter), OPERATION(box_filter), OPERATION(separable_filter), OPERATION(sobel_filter),
    OPERATION(correlate),       OPERATION(convolve),   OPERATION(rank_filter),
};
const size_t count_filter = COUNT_OF(operations_filter);
