/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms on the host, by the definition. */
#include "spectrum.h"

#include <math.h>
#include <stdlib.h>

point *spectrum_points(const test_array *a)
{
    point *points = memory_new((size_t)a->count * sizeof *points + 1);
    for (int64_t i = 0; i < a->count; i++)
        points[i] = test_get(a, i) + (yk_dtype_is_complex(a->array.dtype) ? I * test_get_imaginary(a, i) : 0);
    return points;
}

void spectrum_transform(point *points, int32_t dimensions, const int64_t *shape, int32_t axis, bool inverse)
{
    const long double turn = (inverse ? 2 : -2) * 3.14159265358979323846264338327950288L;
    int64_t n = shape[axis], inner = 1, outer = 1;
    for (int32_t i = 0; i < dimensions; i++) {
        outer *= i < axis ? shape[i] : 1;
        inner *= i > axis ? shape[i] : 1;
    }
    point *roots = memory_new((size_t)n * sizeof *roots), *line = memory_new((size_t)n * sizeof *line);
    for (int64_t k = 0; k < n; k++)
        roots[k] = cosl(turn * (long double)k / (long double)n) + I * sinl(turn * (long double)k / (long double)n);
    for (int64_t at = 0; at < outer * inner; at++) {
        point *first = points + at / inner * inner * n + at % inner;
        for (int64_t k = 0; k < n; k++) {
            line[k] = 0;
            for (int64_t j = 0; j < n; j++)
                line[k] += first[j * inner] * roots[j * k % n];
        }
        for (int64_t k = 0; k < n; k++)
            first[k * inner] = line[k];
    }
    memory_free(roots);
    memory_free(line);
}

/* One line back to n real elements, not divided. */
static void line_back(const point *half, point *real, int64_t n, int64_t step, const point *roots)
{
    for (int64_t j = 0; j < n; j++) {
        long double sum = creall(half[0]);
        for (int64_t k = 1; 2 * k < n; k++) {
            const point root = roots[j * k % n], x = half[k * step];
            sum += 2 * (creall(x) * creall(root) - cimagl(x) * cimagl(root));
        }
        if (n % 2 == 0)
            sum += creall(half[n / 2 * step]) * (j % 2 ? -1 : 1);
        real[j * step] = sum;
    }
}

void spectrum_back(point *half, point *real, int32_t dimensions, const int64_t *shape, const int32_t *axes, size_t axis_count)
{
    int64_t half_shape[YOKE_MAX_DIMENSIONS], last = axes[axis_count - 1], n = shape[last], inner = 1, outer = 1, all = n;
    for (int32_t i = 0; i < dimensions; i++) {
        half_shape[i] = i == last ? n / 2 + 1 : shape[i];
        outer *= i < last ? shape[i] : 1;
        inner *= i > last ? shape[i] : 1;
    }
    for (size_t i = 0; i + 1 < axis_count; i++) {
        spectrum_transform(half, dimensions, half_shape, axes[i], true);
        all *= shape[axes[i]];
    }
    point *roots = memory_new((size_t)n * sizeof *roots);
    for (int64_t k = 0; k < n; k++) {
        const long double angle = 2 * 3.14159265358979323846264338327950288L * (long double)k / (long double)n;
        roots[k] = cosl(angle) + I * sinl(angle);
    }
    for (int64_t at = 0; at < outer * inner; at++)
        line_back(half + at / inner * inner * (n / 2 + 1) + at % inner, real + at / inner * inner * n + at % inner, n, inner,
                  roots);
    memory_free(roots);
    for (int64_t i = 0; i < outer * inner * n; i++)
        real[i] /= (long double)all;
}

double spectrum_error(const test_array *a, const point *points)
{
    long double error = 0, all = 0;
    for (int64_t i = 0; i < a->count; i++) {
        point got = test_get(a, i) + (yk_dtype_is_complex(a->array.dtype) ? I * test_get_imaginary(a, i) : 0),
              wrong = got - points[i];
        error += creall(wrong) * creall(wrong) + cimagl(wrong) * cimagl(wrong);
        all += creall(points[i]) * creall(points[i]) + cimagl(points[i]) * cimagl(points[i]);
    }
    return all > 0 ? (double)sqrtl(error / all) : (double)error;
}

double spectrum_limit(int32_t dtype, int64_t n)
{
    double digits = n > 2 ? sqrt(log2((double)n)) : 1;
    return digits * (dtype == YOKE_F64 || dtype == YOKE_C128 ? 1e-16 : 5e-8);
}

uint64_t spectrum_hash(const test_array *a)
{
    uint64_t hash = 0xcbf29ce484222325u;
    size_t size = yoke_dtype_get_size(a->array.dtype);
    for (int64_t i = 0; i < a->count; i++)
        for (size_t b = 0; b < size; b++)
            hash = (hash ^ ((const unsigned char *)test_element(a, i))[b]) * 0x100000001b3u;
    return hash;
}
