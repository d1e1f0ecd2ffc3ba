/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fourier transforms, and convolutions by them. Part of libyoke-ops: what <yoke/ops.h> says of all operations holds here too.
 *
 * The transform of n elements is X[k] = sum of x[j] * exp(-2 pi i j k / n), forward; the inverse has exp(+2 pi i j k / n), and is
 * divided by n. The dtypes of the arrays say what is transformed:
 *
 *     a complex64, out complex64      forward or inverse; out has the shape of a, and may be a itself
 *     a float, out complex64          forward: the last of the axes has n / 2 + 1 elements in out; the rest is its mirror image
 *     a complex64, out float          inverse of that: the last of the axes has n elements in out, n / 2 + 1 in a
 *
 * and the same of double and complex128. Shapes, and what is halved, are those of numpy.fft. So is what is made of half a spectrum
 * that is none of real data: the transforms along the other axes come first, and then of the elements 0 and, if n is even, n / 2 of
 * the last axis only the real parts are read. That holds for libraries, too.
 *
 * Lengths whose prime factors are 2, 3, 5, 7, 11 and 13 are transformed by these; any other length, up to 2^28, as a convolution of
 * the next power of 2 above twice the length. Real data of an even length, but where one pass over memory is enough, is transformed
 * as complex numbers of half the length. Each device gives the same bits, which depend on the shape, the dtypes and the axes alone,
 * but where a library computes (below). doc/numerics.md has the error.
 *
 * On a CUDA device yoke_fft gives a transform to cuFFT, where it is installed and knows the strides: its results are as near, but
 * not the same bits, and may change with its version and the device. YOKE_FFT_EXACT keeps a call to Yoke's own kernels, and
 * YOKE_OPS_EXACT=1 in the environment all of them. yoke_fft_convolve always takes Yoke's own.
 */
#ifndef YOKE_FFT_H
#define YOKE_FFT_H

#include <yoke/array.h>
#include <yoke/vars.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Directions. */
typedef int32_t yoke_fft_direction;
enum { YOKE_FFT_FORWARD = 0, YOKE_FFT_INVERSE = 1 };

/* What is divided. */
typedef int32_t yoke_fft_scaling;
enum {
    YOKE_FFT_SCALE_INVERSE = 0, /* the inverse is divided by the number of elements */
    YOKE_FFT_SCALE_ORTHO = 1,   /* both directions are divided by the square root of that number */
    YOKE_FFT_SCALE_FORWARD = 2, /* the forward transform is divided by the number of elements */
    YOKE_FFT_SCALE_NONE = 3     /* nothing is divided */
};

typedef uint32_t yoke_fft_flags;
enum { YOKE_FFT_EXACT = 1 }; /* Yoke's own kernels, whose bits are the same everywhere, also where a vendor's library is faster */

/* How to transform; begin with YOKE_FFT_OPTIONS_INIT. */
typedef struct yoke_fft_options {
    size_t size;              /* sizeof(yoke_fft_options), or 0: see <yoke/ops.h> */
    yoke_fft_scaling scaling; /* YOKE_FFT_SCALE_ */
    yoke_fft_flags flags;     /* YOKE_FFT_EXACT */
} yoke_fft_options;

#define YOKE_FFT_OPTIONS_INIT          \
    {                                  \
        sizeof(yoke_fft_options), 0, 0 \
    }

/* Transform along 1 to 3 axes: yoke_fft(stream, YOKE_FFT_FORWARD, &out, &a, YOKE_AXES(0, 1), NULL); the other axes are batches.
 * YOKE_ALL_AXES are all axes of an array of up to 3 dimensions. `options` may be NULL. YOKE_E_INVALID_ARGUMENT: the dtypes are none
 * of those above, or real data meets the other direction; the shapes do not fit; an axis is out of range or named twice, or there
 * are more than 3; an axis of no elements is to be transformed; an option is unknown. YOKE_E_RANGE: an axis has more than 2^29
 * elements, or more than 2^28 and a prime factor above 13 (of real data of an even length, half of it counts); more than 2^31 - 1
 * transforms lie side by side, or with a prime factor above 13 as many points, of up to 4 times the length. */
#define yoke_fft(...) yoke_fft_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fft_at(const char *where, yoke_stream *stream, yoke_fft_direction direction, const yoke_array *out,
                                 const yoke_array *a, const int32_t *axes, size_t axis_count, const yoke_fft_options *options);

/* Which part of a convolution. */
typedef int32_t yoke_convolve_mode;
enum {
    YOKE_CONVOLVE_FULL = 0, /* wherever both overlap: n + m - 1 elements */
    YOKE_CONVOLVE_SAME = 1, /* the middle of that, with the shape of a */
    YOKE_CONVOLVE_VALID = 2 /* where the smaller lies within the larger: |n - m| + 1 elements */
};

/* Convolve two arrays along 1 to 3 axes, as a rule through their transforms: out[i] = sum of a[j] * b[i - j]. Shapes are those of
 * scipy.signal.fftconvolve: along the axes as `mode`, one of YOKE_CONVOLVE_FULL, _SAME and _VALID, says; along other axes `a` and
 * `b` are broadcast to each other. All three arrays have one dtype, of float, double, complex64 and complex128. Where one of them
 * is small (doc/numerics.md says when), the sums are taken as they are written. The elements of the smaller (of `b`,
 * if they are equal) are then taken in row-major order, each by a fused multiply-add, beginning with 0. The error is relative to
 * the largest sums. `out` may be `a` or `b` itself. YOKE_E_INVALID_ARGUMENT: the dtypes differ or are others; the shapes do not
 * fit; the mode is unknown; for YOKE_CONVOLVE_VALID, neither array is the larger along all axes; or as yoke_fft, but axes of no
 * elements are allowed. YOKE_E_RANGE: as yoke_fft, of n + m - 1 elements, rounded up to a length without prime factors above 7.
 * YOKE_E_UNSUPPORTED: sums that are taken as they are written have more than 65,000 products, and the driver ends a thread's loops
 * sooner (Mesa's rusticl on llvmpipe). */
#define yoke_fft_convolve(...) yoke_fft_convolve_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_fft_convolve_at(const char *where, yoke_stream *stream, yoke_convolve_mode mode, const yoke_array *out,
                                          const yoke_array *a, const yoke_array *b, const int32_t *axes, size_t axis_count);

#ifdef __cplusplus
}
#endif

#endif
