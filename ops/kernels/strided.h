/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of any layout in kernels: the place of an element by its position in row-major order. The host's side is ops/strided.h. */
#ifndef YOPS_STRIDED_H
#define YOPS_STRIDED_H

#include <yoke/kernel.h>
#include <yoke/types.h>

/* As yops_strided on the host. Axes that lie behind each other are one; axis 0 is the innermost. */
typedef struct strided {
    yoke_i64 origin; /* elements from the buffer's start */
    yoke_i64 shape[8], strides[8];
    yoke_i32 dimensions, is_small;
} strided;

/* Indices are constants: drivers are slow where a parameter is indexed by a variable, and some crash. */
#define STRIDED_STEP(type, i)                                     \
    if (i < a.dimensions) {                                       \
        type extent = (type)a.shape[i], next = rest / extent;     \
        place += (yoke_i64)(rest - next * extent) * a.strides[i]; \
        rest = next;                                              \
    }
#define STRIDED_STEPS(type) \
    STRIDED_STEP(type, 0)   \
    STRIDED_STEP(type, 1)   \
    STRIDED_STEP(type, 2)   \
    STRIDED_STEP(type, 3)   \
    STRIDED_STEP(type, 4)   \
    STRIDED_STEP(type, 5)   \
    STRIDED_STEP(type, 6)   \
    STRIDED_STEP(type, 7)

/* Elements from the buffer's start to the element at `position`. With up to 2^32 - 1 elements, 32-bit divisions do. */
YOKE_FUNCTION yoke_i64 strided_place(strided a, yoke_u64 position)
{
    yoke_i64 place = a.origin;
    if (a.dimensions == 1)
        return place + (yoke_i64)position * a.strides[0];
    if (a.is_small) {
        yoke_u32 rest = (yoke_u32)position;
        STRIDED_STEPS(yoke_u32)
        return place;
    }
    yoke_u64 rest = position;
    STRIDED_STEPS(yoke_u64)
    return place;
}

#endif
