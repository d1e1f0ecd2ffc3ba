/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reductions on the host, in the order that ops/reduce/reduce_tree.yh describes: the bits that every device must give.
 */
#ifndef OPS_REDUCE_REFERENCE_H
#define OPS_REDUCE_REFERENCE_H

#include "../arrays.h"

/* What is reduced: element i of the row is at positions[i] of `a`, in row-major order; with `b`, it is multiplied with b's. */
typedef struct reference_row {
    const test_array *a, *b;
    const int64_t *positions; /* NULL: first, first + 1, … */
    int64_t first, n;
} reference_row;

/* Store the result as an element of the dtype `out`. */
void reference_reduce(int32_t operation, int32_t out, const reference_row *row, void *element);

/* All rows of a reduction of `a` along the axes of which bit i of `mask` is set, compared with `out`, whose elements are the rows
 * in row-major order. Checked. */
bool reference_check(int32_t operation, const test_array *a, uint32_t mask, const test_array *out, const char *what);

#endif
