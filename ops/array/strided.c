/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of any layout, simplified for kernels. */
#include "strided.h"

yops_strided yops_get_strided(const yoke_array *array, const yops_place *place)
{
    yops_strided a = { .origin = place->origin };
    for (int32_t i = array->dimensions - 1; i >= 0; i--) {
        int32_t last = a.dimensions - 1;
        if (array->shape[i] == 1)
            continue;
        if (last >= 0 && yops_continues(array->strides[i], a.strides[last], a.shape[last])) {
            a.shape[last] = (int64_t)((uint64_t)a.shape[last] * (uint64_t)array->shape[i]); /* of an empty array, any */
            continue;
        }
        a.shape[a.dimensions] = array->shape[i];
        a.strides[a.dimensions++] = array->strides[i];
    }
    a.is_small = yoke_array_get_size(array) <= UINT32_MAX;
    if (a.dimensions == 0) {
        a.dimensions = 1;
        a.shape[0] = a.strides[0] = 1;
    }
    return a;
}

bool yops_is_dense(const yops_strided *a)
{
    return a->dimensions == 1 && a->strides[0] == 1;
}
