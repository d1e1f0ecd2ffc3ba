/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of filters share: sums, boundaries, and how results are stored.
 *
 * Each output is one sum: it begins with +0, and for each tap in ascending order becomes fma(weight, element, sum). So the bits
 * depend on the weights alone, whatever kernel computes them and however many outputs a thread has.
 */
#ifndef YOPS_FILTER_H
#define YOPS_FILTER_H

#include "element.h"

/* As in <yoke/filter.h>. */
#define REFLECT 0
#define CONSTANT 1
#define NEAREST 2
#define MIRROR 3
#define WRAP 4

/* ACC: f32 or f64. */
typedef VALUE(ACC) sum_type;

#define LOAD_SUM(in, i) FROM(ACC, CLASS(IN))(LOAD(IN)(in, i))

#if OUT_INTEGER
#define STORE_SUM(out, i, sum, truncate) STORE(OUT)(out, i, FROM(OUT, CLASS(ACC))((truncate) ? (sum) : rint(sum)))
#else
#define STORE_SUM(out, i, sum, truncate) STORE(OUT)(out, i, FROM(OUT, CLASS(ACC))(sum))
#endif

/* The position within 0 to extent - 1 whose element stands at `p`; -1: the constant does. */
#define BOUNDARY_POSITION(name, type)                                                                      \
    YOKE_FUNCTION type name(type p, type extent, int boundary)                                             \
    {                                                                                                      \
        type period = boundary == MIRROR ? 2 * extent - 2 : boundary == REFLECT ? 2 * extent : extent;     \
        if (p >= 0 && p < extent)                                                                          \
            return p;                                                                                      \
        if (boundary == CONSTANT)                                                                          \
            return -1;                                                                                     \
        if (boundary == NEAREST || extent == 1)                                                            \
            return p < 0 ? 0 : extent - 1;                                                                 \
        p %= period;                                                                                       \
        p = p < 0 ? p + period : p;                                                                        \
        return p < extent ? p : boundary == MIRROR ? period - p : period - 1 - p;                          \
    }
BOUNDARY_POSITION(boundary_position, yoke_i64)
BOUNDARY_POSITION(small_boundary_position, int) /* of an axis below 2^30 */

/* The quotient, rounded once: the error of the first one is exact in an fma, unless it overflows. */
YOKE_FUNCTION sum_type divide(sum_type sum, sum_type divisor, sum_type reciprocal)
{
    sum_type first = sum * reciprocal, rest = yoke_fma(-first, divisor, sum), second = yoke_fma(rest, reciprocal, first);
    return second == second ? second : first;
}

#endif
