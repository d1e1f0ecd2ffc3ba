/* SPDX-License-Identifier: Apache-2.0 */
/* Filters on the host: the documented order, bit by bit, and the same sums in higher precision. */
#ifndef OPS_FILTER_H
#define OPS_FILTER_H

#include "../arrays.h"

enum { FILTER_MOST_TAPS = 160, FILTER_MOST_FULL = 9 * 9 * 9 };

typedef struct filter_case {
    yoke_filter_options options;
    int32_t axis_count, axis; /* axis: of Sobel's derivative */
    int32_t axes[3], origins[3];
    int64_t taps[3];
    double sigmas[3], weights[3][FILTER_MOST_TAPS], full[FILTER_MOST_FULL];
    bool keeps_zeros, is_box, is_full, reversed; /* is_full: `full` has the weights, of taps[0] x taps[1] x … */
} filter_case;

/* scipy.ndimage's rule, one step after the other; -1: the constant. */
static inline int64_t filter_place(int64_t p, int64_t n, int32_t boundary)
{
    while (p < 0 || p >= n)
        switch (boundary) {
        case YOKE_BOUNDARY_CONSTANT:
            return -1;
        case YOKE_BOUNDARY_NEAREST:
            p = p < 0 ? 0 : n - 1;
            break;
        case YOKE_BOUNDARY_WRAP:
            p += p < 0 ? n : -n;
            break;
        case YOKE_BOUNDARY_MIRROR:
            p = n == 1 ? 0 : p < 0 ? -p : 2 * n - 2 - p;
            break;
        default:
            p = p < 0 ? -1 - p : 2 * n - 1 - p;
        }
    return p;
}

typedef struct filter_result {
    double *exact;        /* as it should be stored */
    long double *precise; /* in higher precision */
    long double *limit;   /* how far the two may be apart */
} filter_result;

/* Filter `a`, axes ascending, for an output of this dtype. */
filter_result filter_refer(const filter_case *c, const test_array *a, int32_t out_dtype);
void filter_result_free(filter_result *result);

#endif
