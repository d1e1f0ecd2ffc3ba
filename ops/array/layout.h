/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of several arrays that one kernel goes through together: as few axes as describe all of them. Axes of one element are
 * dropped, axes that lie in all arrays as one are merged, and the axes are ordered so that the leading array's closest elements are
 * along the last one.
 *
 *     yops_layout layout;
 *     yops_layout_begin(&layout, out.dimensions, out.shape);
 *     yops_layout_add(&layout, out.strides, out_place.origin);          operand 0
 *     yops_layout_add(&layout, wide.strides, place.origin);             operand 1, broadcast to the shape
 *     yops_layout_finish(&layout, 0);
 */
#ifndef YOPS_LAYOUT_H
#define YOPS_LAYOUT_H

#include "array.h"

/* The variables of an expression, and the position as an operand of its own. */
enum { YOPS_MOST_OPERANDS = 33 };

typedef struct yops_layout {
    int32_t dimensions, operands;
    int64_t count;                        /* elements */
    int64_t extents[YOKE_MAX_DIMENSIONS]; /* at least one axis, once finished */
    int64_t origins[YOPS_MOST_OPERANDS];  /* in elements, from the root's start to indices 0 of the layout's axes */
    int64_t strides[YOPS_MOST_OPERANDS][YOKE_MAX_DIMENSIONS];
} yops_layout;

/* Begin with a shape that is not empty. */
void yops_layout_begin(yops_layout *layout, int32_t dimensions, const int64_t *shape);

/* Add an operand with a stride for each axis of the shape; 0 repeats. */
void yops_layout_add(yops_layout *layout, const int64_t *strides, int64_t origin);

/* Add the position in row-major order, as if it were an array. */
void yops_layout_add_position(yops_layout *layout);

/* Simplify. `leader`: the operand, without strides of 0, whose fastest axis becomes the last and runs forward; -1: axes keep their
 * order and their direction. */
void yops_layout_finish(yops_layout *layout, int32_t leader);

/* Whether all offsets of all operands, and the number of elements, are below 2^31. */
bool yops_layout_is_small(const yops_layout *layout);

/* Exchange two axes. */
void yops_layout_swap(yops_layout *layout, int32_t axis, int32_t other);

#endif
