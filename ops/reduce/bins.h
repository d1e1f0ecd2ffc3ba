/* SPDX-License-Identifier: Apache-2.0 */
/* How the bin of an element is found: the rule that kernels of histograms take, as bins.yh has it. */
#ifndef YOPS_BINS_HOST_H
#define YOPS_BINS_HOST_H

#include "call/call.h"

/* Bins of equal width between integers, for integers. */
typedef struct yops_whole_rule {
    int64_t first, last;
    uint64_t low, range;
    uint32_t count, factor, shift, unused;
} yops_whole_rule;

/* Bins of equal width, as floating-point numbers. */
typedef struct yops_real_rule {
    float low, high, width, scale;
    uint32_t count, unused;
} yops_real_rule;

typedef struct yops_double_rule {
    double low, high, width, scale;
    uint32_t count, unused;
} yops_double_rule;

/* Bins between edges. */
typedef struct yops_edges_rule {
    int64_t origin, stride;
    uint32_t count, unused;
} yops_edges_rule;

/* Integers that are indices. */
typedef struct yops_index_rule {
    uint32_t count, unused;
} yops_index_rule;

typedef struct yops_bins {
    const char *macro; /* "BINS_WHOLE=1": how the kernels find a bin */
    size_t size;
    union {
        yops_whole_rule whole;
        yops_real_rule real;
        yops_double_rule wide;
        yops_edges_rule edges;
        yops_index_rule index;
    } rule;
} yops_bins;

/* The rule for `count` bins of equal width from `low` to `high`, for elements of a dtype. */
yoke_status yops_bins_even(const yops_call *call, int32_t dtype, yoke_number low, yoke_number high, uint32_t count,
                           yops_bins *out_bins);

#endif
