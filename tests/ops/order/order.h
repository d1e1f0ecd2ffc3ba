/* SPDX-License-Identifier: Apache-2.0 */
/* The order of sorts, on the host: NaN last, -0 before 0, equal elements in their order. */
#ifndef OPS_ORDER_H
#define OPS_ORDER_H

#include "../arrays.h"

/* The positions of the elements in sorted order, each row after the other. Give them back with memory_free. */
int64_t *order_of(const test_array *keys, int32_t order);

/* Below 0, 0 or above 0: element i of a is before, equal to or after element j of b, ascending. */
int order_compare(const test_array *a, int64_t i, const test_array *b, int64_t j);

#endif
