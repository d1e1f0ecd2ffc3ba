/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of any layout as kernels take them: struct strided of strided.yh. */
#ifndef YOPS_STRIDED_HOST_H
#define YOPS_STRIDED_HOST_H

#include "array.h"

typedef struct yops_strided {
    int64_t origin;
    int64_t shape[8], strides[8]; /* axis 0 is the innermost */
    int32_t dimensions;
    int32_t is_small; /* fewer than 2^32 elements */
} yops_strided;

/* The array without axes of extent 1, and with axes that lie behind each other joined: one dimension and a stride of 1 mean that
 * the elements are neighbours. At least one dimension. */
yops_strided yops_get_strided(const yoke_array *array, const yops_place *place);

/* Whether the elements, in order, are neighbours. */
bool yops_is_dense(const yops_strided *a);

#define YOPS_STRIDED_ARG(a) yoke_arg_struct(&(a), sizeof(yops_strided))

#endif
