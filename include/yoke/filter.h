/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of arrays: Gaussian, box, Sobel, separable filters, correlation and convolution; and filters by rank, as the median. The
 * rules of <yoke/ops.h> apply, and these:
 *
 *  - A filter works along some axes, YOKE_AXES(0, 1), or YOKE_ALL_AXES; the other axes are channels, batches and the like. Sigmas,
 *    sizes, weights and origins have the order of the axes in that list. Axes are filtered in ascending order.
 *  - Names, boundaries, sizes and origins are those of scipy.ndimage. Results agree with SciPy's to a few units in the last place,
 *    except that integers are rounded to the nearest value (see yoke_filter_options.rounding).
 *  - `a` and `out` have the same shape and must not share memory. Their dtypes may differ, but of yoke_rank_filter: int8, uint8,
 * int16, uint16, float16, bfloat16, float and double.
 *  - Sums are computed in double where `a` or `out` is double, else in float; results between two axes are kept in the same type.
 *    Each sum begins with 0 and becomes fma(weight, element, sum) for one tap after the other, from the lowest position to the
 *    highest, so that a filter gives the same bits on every device.
 *  - Weights, sizes and sigmas are read during the call; a recorded call keeps a copy.
 *
 *     yoke_gaussian_filter(stream, &out, &picture, (const double[]){ 3, 3 }, YOKE_AXES(0, 1), NULL);
 */
#ifndef YOKE_FILTER_H
#define YOKE_FILTER_H

#include <yoke/array.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The elements beyond the ends of an axis of elements a b c d, with the names of scipy.ndimage. */
typedef int32_t yoke_boundary;
enum {
    YOKE_BOUNDARY_REFLECT = 0,  /* d c b a | a b c d | d c b a */
    YOKE_BOUNDARY_CONSTANT = 1, /* v v v v | a b c d | v v v v, with yoke_filter_options.value */
    YOKE_BOUNDARY_NEAREST = 2,  /* a a a a | a b c d | d d d d */
    YOKE_BOUNDARY_MIRROR = 3,   /* d c b | a b c d | c b a */
    YOKE_BOUNDARY_WRAP = 4      /* a b c d | a b c d | a b c d */
};

/* How sums are rounded to integers; values out of range become the nearest end of the range, and NaN becomes 0. */
typedef int32_t yoke_rounding;
enum {
    YOKE_ROUND_NEAREST = 0, /* once, at the end; ties to even */
    YOKE_ROUND_TRUNCATE = 1 /* towards 0, once, at the end; scipy.ndimage truncates after each axis */
};

/* Options of filters; begin with YOKE_FILTER_OPTIONS_INIT. */
typedef struct yoke_filter_options {
    size_t size;            /* sizeof(yoke_filter_options), or 0: see <yoke/ops.h> */
    yoke_boundary boundary; /* YOKE_BOUNDARY_ */
    yoke_rounding rounding; /* YOKE_ROUND_ */
    double value;           /* the v of YOKE_BOUNDARY_CONSTANT */
    double truncate;        /* the sigmas at which yoke_gaussian_filter is cut off; 0: 4 sigmas */
    const int32_t *origins; /* one for each axis of the list; NULL: 0. A positive origin moves the result to higher positions,
                               and that of yoke_convolve to lower positions. The centre of n taps is tap n / 2, and n / 2 + origin
                               must lie within 0 to n - 1 */
} yoke_filter_options;

#define YOKE_FILTER_OPTIONS_INIT                           \
    {                                                      \
        sizeof(yoke_filter_options), 0, 0, 0, 0, YOKE_NULL \
    }

/* The weights of one axis. Final. */
typedef struct yoke_weights {
    const double *values; /* in the order of positions */
    int64_t count;        /* 1 or more */
} yoke_weights;

/* Smooth with a Gaussian: along each axis, weights exp(-x^2 / (2 * sigma^2)), divided by their sum, for x from -r to r with
 * r = (int)(truncate * sigma + 0.5). A sigma of 0 leaves an axis as it is. The time grows with sigma. YOKE_E_INVALID_ARGUMENT: a
 * sigma is negative or not finite; an axis is out of range or named twice; the options are wrong. YOKE_E_RANGE: more than
 * 1,048,576 taps. */
#define yoke_gaussian_filter(...) yoke_gaussian_filter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_gaussian_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                             const double *sigmas, const int32_t *axes, size_t axis_count,
                                             const yoke_filter_options *options);

/* Replace each element by the mean of a box of sizes[0] x sizes[1] x … elements, as scipy.ndimage.uniform_filter does. Along an
 * axis the elements are added from the lowest position to the highest; where n > 64 elements are added, the first n % 32 are added
 * one by one, and then sums of 32 elements. The whole sum is divided once, at the end, and rounded once. Means of integers are
 * exact before they are rounded, where the sum of the box is below 2^23. YOKE_E_INVALID_ARGUMENT: a size is below 1; an axis is out
 * of range or named twice; the options are wrong. YOKE_E_RANGE: a size is above 2^31 - 1. */
#define yoke_box_filter(...) yoke_box_filter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_box_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                        const int64_t *sizes, const int32_t *axes, size_t axis_count,
                                        const yoke_filter_options *options);

/* Correlate each axis with its own weights, as scipy.ndimage.correlate1d does for one axis: yoke_separable_filter(stream, &out, &a,
 * (const yoke_weights[]){ { down, 5 }, { across, 3 } }, YOKE_AXES(0, 1), NULL). Weights are rounded to the type of the sums.
 * YOKE_E_INVALID_ARGUMENT: weights, or the values of one of them, are NULL, or a count is below 1; an axis is out of range or named
 * twice; the options are wrong. YOKE_E_RANGE: more than 1,048,576 taps. */
#define yoke_separable_filter(...) yoke_separable_filter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_separable_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                              const yoke_weights *weights, const int32_t *axes, size_t axis_count,
                                              const yoke_filter_options *options);

/* Sobel's derivative: -1 0 1 along `axis`, and 1 2 1 along the other axes of the list. Derivatives of uint8 fit into int16 for up
 * to four axes. Origins are not used. scipy.ndimage.sobel filters along `axis` first, which makes a difference only where the
 * boundary is a constant other than 0. YOKE_E_INVALID_ARGUMENT: `axis` is not in the list; an axis is out of range or named twice;
 * the options are wrong. */
#define yoke_sobel_filter(...) yoke_sobel_filter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_sobel_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                          int32_t axis, const int32_t *axes, size_t axis_count, const yoke_filter_options *options);

/* Correlate 1 to 3 axes with weights that need not be separable: `weights` are shape[0] x shape[1] x … numbers in row-major order,
 * with an extent for each axis in the order of the list. The weights are in host memory, because they are few, their shape decides
 * how the kernel runs, and a recorded call can keep a copy. Taps are added in row-major order of ascending axes.
 * YOKE_E_INVALID_ARGUMENT: weights or shape are NULL; an extent is below 1; there are more than 3 axes; an axis is out of range or
 * named twice; the options are wrong. YOKE_E_RANGE: more than 1,048,576 taps. */
#define yoke_correlate(...) yoke_correlate_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_correlate_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                       const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                                       const yoke_filter_options *options);

/* Convolve: yoke_correlate with the weights reversed along each axis. As in scipy.ndimage, the centre of an even number of taps is
 * tap n / 2 of the weights before they are reversed. Statuses as yoke_correlate. */
#define yoke_convolve(...) yoke_convolve_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_convolve_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                      const double *weights, const int64_t *shape, const int32_t *axes, size_t axis_count,
                                      const yoke_filter_options *options);

/* Replace each element by one of its neighbours: of those in a box of sizes[0] x sizes[1] x … elements around it, the one of this
 * rank in ascending order, so that 0 is the smallest, -1 the largest, and n / 2 of n neighbours the median. `footprint`: a byte for
 * each element of the box, in row-major order with the axes in the order of the list, which is not 0 where there is a neighbour;
 * NULL: all are. As scipy.ndimage.rank_filter does, and minimum_filter, maximum_filter and median_filter.
 *
 * `a` and `out` have the same dtype, which may be any but the complex ones, and the same shape. NaN is larger than every number,
 * and -0 smaller than +0; what results is an element of `a`, or the constant of the boundary, but that all NaNs are one. Nothing is
 * rounded: options->rounding and truncate say nothing here. Up to 32 neighbours are sorted in registers; of more, a smallest or
 * largest of a box takes time that grows with the sum of the sizes, another with the number of neighbours.
 *
 * YOKE_E_INVALID_ARGUMENT: a size is below 1; the footprint has no neighbour; there is no such rank; the constant is not a value of
 * the dtype; an axis is out of range or named twice; the options are wrong. YOKE_E_RANGE: more than 1,048,576 neighbours. */
#define yoke_rank_filter(...) yoke_rank_filter_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_rank_filter_at(const char *where, yoke_stream *stream, const yoke_array *out, const yoke_array *a,
                                         int64_t rank, const int64_t *sizes, const uint8_t *footprint, const int32_t *axes,
                                         size_t axis_count, const yoke_filter_options *options);

#ifdef __cplusplus
}
#endif

#endif
