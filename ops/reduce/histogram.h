/* SPDX-License-Identifier: Apache-2.0 */
/* A call of a histogram, checked: shared by what counts and what adds weights. */
#ifndef YOPS_HISTOGRAM_H
#define YOPS_HISTOGRAM_H

#include "bins.h"
#include "array/strided.h"

typedef struct yops_histogram {
    yops_call call;
    yops_traits traits;
    yops_bins rule;
    uint32_t count; /* bins */
    uint64_t n;     /* elements */
    yoke_buffer *bins, *elements, *edges, *weights;
    yops_strided a, w;
    int64_t bins_origin, bins_stride;
    int32_t bins_dtype, dtype, weights_dtype; /* the last is 0 without weights */
} yops_histogram;

#define YOPS_RULE_ARG(h) yoke_arg_struct(&(h)->rule.rule, (h)->rule.size)

/* The rounds that a thread takes, at most, to find the bin of an element. */
uint64_t yops_histogram_get_rounds(const yops_histogram *h);

yoke_status yops_histogram_count(const yops_histogram *h);
yoke_status yops_histogram_weigh(const yops_histogram *h);

/* For tests: 1: kernels for GPUs on any device; 2: those for CPUs; 0, at first: as suits the device. */
extern int yops_histogram_kernels;

#endif
