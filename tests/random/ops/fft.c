/* SPDX-License-Identifier: Apache-2.0 */
/* Random operations: Fourier transforms and convolutions by them. The oracle takes the sums of the definition in long double. */
#include "families.h"

#include <complex.h>
#include <math.h>
#include <string.h>

typedef long double complex point;

/* Of finite parts; CMPLXL is not to be had with every compiler. */
static point point_of(long double re, long double im)
{
    return re + im * I;
}

/* What is transformed: v->kind. Lengths belong to the variant, since kernels are made for them: d[2] and d[3], or 0. */
enum { COMPLEX, FORWARD_REAL, INVERSE_REAL, KINDS };

/* ---- Transforms of the oracle ---- */

/* Along an axis, by the definition; the extent there may become another one, as that of half a spectrum. */
static void transform(point **points, yoke_array *shape, int32_t axis, int sign)
{
    const long double turn = 6.28318530717958647692528676655900577L;
    int64_t n = shape->shape[axis], inner = 1, all = size_of(shape->dimensions, shape->shape);
    for (int32_t i = axis + 1; i < shape->dimensions; i++)
        inner *= shape->shape[i];
    point *out = memory_new((size_t)(all + 1) * sizeof *out), *root = memory_new((size_t)(n + 1) * sizeof *root);
    for (int64_t i = 0; i < n; i++)
        root[i] = point_of(cosl(turn * (long double)i / (long double)n), sign * sinl(turn * (long double)i / (long double)n));
    for (int64_t i = 0; i < all; i++) {
        int64_t k = i / inner % n, first = i - k * inner;
        for (int64_t j = 0; j < n; j++)
            out[i] += (*points)[first + j * inner] * root[j * k % n];
    }
    memory_free(root);
    memory_free(*points);
    *points = out;
}

/* Keep or mirror: the extent of an axis becomes n / 2 + 1, or from that n. */
static void resize(point **points, yoke_array *shape, int32_t axis, int64_t extent)
{
    int64_t before = shape->shape[axis], inner = 1;
    for (int32_t i = axis + 1; i < shape->dimensions; i++)
        inner *= shape->shape[i];
    shape->shape[axis] = extent;
    int64_t all = size_of(shape->dimensions, shape->shape);
    point *out = memory_new((size_t)(all + 1) * sizeof *out);
    for (int64_t i = 0; i < all; i++) {
        int64_t k = i / inner % extent, outer = i / inner / extent * before * inner + i % inner;
        /* The mirror image along this axis alone: the other axes have been transformed. */
        out[i] = k < before ? (*points)[outer + k * inner] : conjl((*points)[outer + (extent - k) * inner]);
    }
    memory_free(*points);
    *points = out;
}

static point *points_of(const operand *o)
{
    point *points = memory_new((size_t)(o->count + 1) * sizeof *points);
    for (int64_t i = 0; i < o->count; i++) {
        number x = get(o, i);
        points[i] = point_of(x.re, x.im);
    }
    return points;
}

/* ---- Drawing ---- */

static int32_t pick_length(model *m)
{
    return PICK(m, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 22, 31, 32, 35, 48, 64, 67, 100, 128, 210);
}

static void vary_fft(model *m, variant *v)
{
    int32_t pair = pick_complex(m), part = pair == YOKE_C64 ? YOKE_F32 : YOKE_F64;
    v->kind = (int32_t)draw(m, KINDS);
    v->flags = chance(m, 50); /* YOKE_FFT_EXACT */
    v->d[0] = v->kind == INVERSE_REAL ? part : pair;
    v->d[1] = v->kind == FORWARD_REAL ? part : pair;
    v->d[2] = pick_length(m);
    v->d[3] = chance(m, 40) && v->d[2] < 40 ? 1 + (int32_t)draw(m, 16) : 0;
}

/* The axes of the list, the last of which is halved of real data. */
static bool draw_transform(model *m, step *s)
{
    yoke_array shape, half;
    bool inverse = s->v->kind == COMPLEX ? chance(m, 50) : s->v->kind == INVERSE_REAL;
    s->axis_count = s->v->d[3] ? 2 : 1;
    draw_shape(m, s->axis_count, 5, &shape);
    for (int32_t i = 0; i < shape.dimensions; i++)
        shape.shape[i] = shape.shape[i] > 4 ? 1 + shape.shape[i] % 4 : shape.shape[i];
    s->axes[0] = (int32_t)draw(m, (uint32_t)shape.dimensions);
    do
        s->axes[1] = (int32_t)draw(m, (uint32_t)shape.dimensions);
    while (s->axis_count == 2 && s->axes[1] == s->axes[0]);
    for (int32_t i = 0; i < s->axis_count; i++)
        shape.shape[s->axes[i]] = s->v->d[2 + i];
    half = shape;
    int32_t last = s->axes[s->axis_count - 1];
    if (s->v->kind != COMPLEX)
        half.shape[last] = half.shape[last] / 2 + 1;
    s->mode = inverse ? YOKE_FFT_INVERSE : YOKE_FFT_FORWARD;
    s->axis = PICK(m, YOKE_FFT_SCALE_INVERSE, YOKE_FFT_SCALE_ORTHO, YOKE_FFT_SCALE_FORWARD, YOKE_FFT_SCALE_NONE);
    const yoke_array *in = s->v->kind == INVERSE_REAL ? &half : &shape, *out = s->v->kind == FORWARD_REAL ? &half : &shape;
    if (!add_fresh(m, s, 1, s->v->d[1], in->dimensions, in->shape))
        return false;
    /* Half a spectrum is that of real data, but for its rounding. */
    yoke_array whole = shape;
    point *points = memory_new((size_t)(size_of(shape.dimensions, shape.shape) + 1) * sizeof *points);
    for (int64_t i = 0; i < size_of(shape.dimensions, shape.shape); i++) {
        number x = draw_value(m, s->v->d[1], SMALL_VALUES);
        points[i] = point_of(x.re, s->v->kind == COMPLEX ? x.im : 0);
    }
    if (s->v->kind == INVERSE_REAL) {
        for (int32_t i = 0; i < s->axis_count; i++)
            transform(&points, &whole, s->axes[i], -1);
        resize(&points, &whole, last, half.shape[last]);
    }
    for (int64_t i = 0; i < s->a[1].count; i++)
        put(&s->a[1], i,
            convert((number){ creall(points[i]), cimagl(points[i]) }, s->v->d[1] == YOKE_C64 ? YOKE_C128 : YOKE_C64, s->v->d[1]));
    memory_free(points);
    if (s->v->kind == COMPLEX && chance(m, 25)) {
        s->a[0] = s->a[1];
        s->a[1].fresh = NULL;
        s->a[0].is_out = true;
        return true;
    }
    return add_out(m, s, 0, s->v->d[0], out->dimensions, out->shape);
}

/* ---- yoke_fft ---- */

static bool draw_fft(model *m, step *s)
{
    return draw_transform(m, s);
}

static yoke_status call_fft(yoke_stream *stream, const step *s)
{
    yoke_fft_options options = YOKE_FFT_OPTIONS_INIT;
    options.scaling = s->axis;
    options.flags = s->v->flags ? YOKE_FFT_EXACT : 0;
    bool usual = s->axis == YOKE_FFT_SCALE_INVERSE && !s->v->flags;
    return yoke_fft(stream, s->mode, ARRAY(0), ARRAY(1), s->axes, (size_t)s->axis_count, usual ? NULL : &options);
}

static long double scale_of(const step *s, int64_t n)
{
    if (s->axis == YOKE_FFT_SCALE_ORTHO)
        return 1 / sqrtl((long double)n);
    return (s->axis == YOKE_FFT_SCALE_INVERSE && s->mode == YOKE_FFT_INVERSE) ||
                   (s->axis == YOKE_FFT_SCALE_FORWARD && s->mode == YOKE_FFT_FORWARD)
               ? 1 / (long double)n
               : 1;
}

/* The root mean square of the errors: <yoke/fft.h> says about how much, and few elements may have twice that by chance. */
static void judge_points(step *s, const point *wanted, long double limit)
{
    long double errors = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < s->a[0].count; i++) {
        number got = load(s->v->d[0], bytes_of(&s->a[0], s->a[0].found, i));
        long double error = hypotl(got.re - creall(wanted[i]), got.im - (is_complex(s->v->d[0]) ? cimagl(wanted[i]) : 0));
        errors += error * error;
        squares += cabsl(wanted[i]) * cabsl(wanted[i]);
        largest = error > largest || isnan(error) ? error : largest;
    }
    for (int64_t i = 0; i < s->a[0].count; i++)
        want_near(s, 0, i, (number){ creall(wanted[i]), cimagl(wanted[i]) }, limit * sqrtl(squares));
    if (!(sqrtl(errors) <= limit * sqrtl(squares)))
        disagreement(s, "the relative error is %.3Lg, and should be at most %.3Lg; the largest error is %.3Lg",
                     sqrtl(errors / squares), limit, largest);
}

static void judge_fft(step *s)
{
    yoke_array shape = s->a[1].array;
    point *points = points_of(&s->a[1]);
    int32_t last = s->axes[s->axis_count - 1];
    int64_t n = 1;
    bool simple = true, wide = is_wide(s->v->d[0]) || s->v->d[0] == YOKE_F64;
    for (int32_t i = 0; i < s->axis_count; i++) {
        int64_t length = s->v->d[2 + i];
        n *= length;
        for (int64_t prime = 2; prime <= 13; prime++)
            while (length % prime == 0)
                length /= prime;
        simple &= length == 1;
        if (s->axes[i] != last)
            transform(&points, &shape, s->axes[i], s->mode == YOKE_FFT_INVERSE ? 1 : -1);
    }
    if (s->v->kind == INVERSE_REAL)
        resize(&points, &shape, last, s->v->d[1 + s->axis_count]);
    transform(&points, &shape, last, s->mode == YOKE_FFT_INVERSE ? 1 : -1);
    if (s->v->kind == FORWARD_REAL)
        resize(&points, &shape, last, shape.shape[last] / 2 + 1);
    for (int64_t i = 0; i < s->a[0].count; i++)
        points[i] *= scale_of(s, n);
    long double limit = (wide ? 1e-16L : 5e-8L) * sqrtl(log2l((long double)n) + 1) * (simple ? 2 : 6);
    judge_points(s, points, limit);
    memory_free(points);
}

/* ---- Convolution: along the last one or two axes, behind a batch ---- */

static void vary_fft_convolve(model *m, variant *v)
{
    v->d[0] = v->d[1] = v->d[2] = chance(m, 40) ? pick_complex(m) : PICK(m, YOKE_F32, YOKE_F64);
    v->d[3] = 1 + (int32_t)draw(m, 60);
    v->d[4] = 1 + (int32_t)draw(m, 30);
    v->kind = 1 + (int32_t)draw(m, 2); /* axes */
    v->flags = (int32_t)draw(m, 3);    /* the mode */
    if (v->kind == 2) {
        v->d[3] = 1 + v->d[3] % 12;
        v->d[4] = 1 + v->d[4] % 8;
    }
}

static int64_t output_extent(int32_t mode, int64_t n, int64_t m)
{
    return mode == YOKE_CONVOLVE_FULL ? n + m - 1 : mode == YOKE_CONVOLVE_SAME ? n : (n > m ? n - m : m - n) + 1;
}

static bool draw_fft_convolve(model *m, step *s)
{
    int64_t shapes[3][3] = { { 0 } };
    int32_t batch = chance(m, 50), dimensions = batch + s->v->kind;
    s->axis_count = s->v->kind;
    if (batch) {
        shapes[0][0] = shapes[1][0] = shapes[2][0] = draw_between(m, 1, 4);
        if (chance(m, 30))
            shapes[2][0] = 1;
    }
    for (int32_t i = 0; i < s->axis_count; i++) {
        s->axes[i] = batch + i;
        shapes[1][batch + i] = s->v->d[3];
        shapes[2][batch + i] = s->v->d[4];
        shapes[0][batch + i] = output_extent(s->v->flags, s->v->d[3], s->v->d[4]);
    }
    for (int k = 1; k <= 2; k++) {
        if (!add_fresh(m, s, k, s->v->d[k], dimensions, shapes[k]))
            return false;
        for (int64_t i = 0; i < s->a[k].count; i++)
            put(&s->a[k], i, draw_value(m, s->v->d[k], SMALL_VALUES));
    }
    return add_out(m, s, 0, s->v->d[0], dimensions, shapes[0]);
}

static yoke_status call_fft_convolve(yoke_stream *stream, const step *s)
{
    return yoke_fft_convolve(stream, s->v->flags, ARRAY(0), ARRAY(1), ARRAY(2), s->axes, (size_t)s->axis_count);
}

/* One element: the sum of a[j] * b[i - j]. */
static point convolved(const point *a, const point *b, const int64_t *n, const int64_t *m, const int64_t *at, long double *sizes)
{
    point sum = 0;
    for (int64_t j = 0; j < n[0]; j++)
        for (int64_t k = 0; k < n[1]; k++) {
            int64_t y = at[0] - j, x = at[1] - k;
            if (y < 0 || y >= m[0] || x < 0 || x >= m[1])
                continue;
            sum += a[j * n[1] + k] * b[y * m[1] + x];
            *sizes += cabsl(a[j * n[1] + k]) * cabsl(b[y * m[1] + x]);
        }
    return sum;
}

static void judge_fft_convolve(step *s)
{
    bool plane = s->axis_count == 2, wide = is_wide(s->v->d[0]);
    int64_t n[2] = { plane ? s->v->d[3] : 1, s->v->d[3] }, m[2] = { plane ? s->v->d[4] : 1, s->v->d[4] }, start[2], out[2];
    for (int i = 0; i < 2; i++) {
        int64_t shorter = n[i] < m[i] ? n[i] : m[i];
        out[i] = output_extent(s->v->flags, n[i], m[i]);
        start[i] = s->v->flags == YOKE_CONVOLVE_FULL ? 0 : s->v->flags == YOKE_CONVOLVE_SAME ? (m[i] - 1) / 2 : shorter - 1;
    }
    point *a = points_of(&s->a[1]), *b = points_of(&s->a[2]);
    int64_t count = out[0] * out[1];
    bool shared = s->a[2].count == m[0] * m[1];
    long double largest = 0;
    for (int64_t i = 0; i < s->a[0].count; i++) {
        int64_t batch = i / count, at[2] = { i % count / out[1] + start[0], i % out[1] + start[1] };
        long double sizes = 0;
        point x = convolved(a + batch * n[0] * n[1], b + (shared ? 0 : batch * m[0] * m[1]), n, m, at, &sizes);
        largest = sizes > largest ? sizes : largest;
        want_near(s, 0, i, (number){ creall(x), cimagl(x) }, 0);
    }
    /* Transforms of up to 256 points there and back: some roundings of the largest sums, which not every part of a spectrum meets.
     */
    long double all_a = 0, all_b = 0;
    for (int64_t i = 0; i < s->a[1].count; i++)
        all_a += cabsl(a[i]) * cabsl(a[i]);
    for (int64_t i = 0; i < s->a[2].count; i++)
        all_b += cabsl(b[i]) * cabsl(b[i]);
    long double norms = sqrtl(all_a * all_b);
    for (int64_t i = 0; i < s->a[0].count; i++)
        s->a[0].want[i].slack = 16 * (wide ? 0x1p-53L : 0x1p-24L) * (norms > largest ? norms : largest);
    memory_free(a);
    memory_free(b);
}

const operation operations_fft[] = { OPERATION(fft), OPERATION(fft_convolve) };
const size_t count_fft = COUNT_OF(operations_fft);
