/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms on the host in long double, and how far the device's are from them. */
#ifndef OPS_SPECTRUM_H
#define OPS_SPECTRUM_H

#include "../arrays.h"

#include <complex.h>

typedef long double complex point;

/* All elements in row-major order, which the caller frees with memory_free. */
point *spectrum_points(const test_array *a);

/* Transform along an axis, by the definition. `inverse`: without a division. */
void spectrum_transform(point *points, int32_t dimensions, const int64_t *shape, int32_t axis, bool inverse);

/* What numpy.fft makes of half a spectrum, which need not be one of real data: transforms back along all of `axes` but the last,
 * and then along that one to real elements, which reads no imaginary parts of the elements 0 and n / 2. `shape` is that of the real
 * data; `half` is written to, and `real` gets the result, divided by the number of elements. */
void spectrum_back(point *half, point *real, int32_t dimensions, const int64_t *shape, const int32_t *axes, size_t axis_count);

/* The relative error, root mean square, of an array whose elements should be `points`. */
double spectrum_error(const test_array *a, const point *points);

/* What errors have to stay below: 5e-8 * sqrt(log2 n) for complex64, and so on. */
double spectrum_limit(int32_t dtype, int64_t n);

/* FNV-1a of the elements' bytes. */
uint64_t spectrum_hash(const test_array *a);

#endif
