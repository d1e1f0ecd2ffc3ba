/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of several arrays: fewer axes, in the order that suits the memory. */
#include "layout.h"

#include <stdlib.h>

void yops_layout_begin(yops_layout *layout, int32_t dimensions, const int64_t *shape)
{
    layout->dimensions = dimensions;
    layout->operands = 0;
    layout->count = 1;
    for (int32_t i = 0; i < dimensions; i++) {
        layout->extents[i] = shape[i];
        layout->count *= shape[i];
    }
}

void yops_layout_add(yops_layout *layout, const int64_t *strides, int64_t origin)
{
    int32_t operand = layout->operands++;
    layout->origins[operand] = origin;
    for (int32_t i = 0; i < layout->dimensions; i++)
        layout->strides[operand][i] = strides[i];
}

void yops_layout_add_position(yops_layout *layout)
{
    int64_t strides[YOKE_MAX_DIMENSIONS], stride = 1;
    for (int32_t i = layout->dimensions - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= layout->extents[i];
    }
    yops_layout_add(layout, strides, 0);
}

static void move(yops_layout *layout, int32_t from, int32_t to)
{
    layout->extents[to] = layout->extents[from];
    for (int32_t k = 0; k < layout->operands; k++)
        layout->strides[k][to] = layout->strides[k][from];
}

static void drop_single(yops_layout *layout)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < layout->dimensions; i++)
        if (layout->extents[i] != 1) {
            if (kept != i)
                move(layout, i, kept);
            kept++;
        }
    layout->dimensions = kept;
}

/* The same elements, from the other end of the axis. */
static void flip(yops_layout *layout, int32_t axis)
{
    for (int32_t k = 0; k < layout->operands; k++) {
        layout->origins[k] += layout->strides[k][axis] * (layout->extents[axis] - 1);
        layout->strides[k][axis] = -layout->strides[k][axis];
    }
}

void yops_layout_swap(yops_layout *layout, int32_t axis, int32_t other)
{
    int64_t kept = layout->extents[axis];
    layout->extents[axis] = layout->extents[other];
    layout->extents[other] = kept;
    for (int32_t k = 0; k < layout->operands; k++) {
        kept = layout->strides[k][axis];
        layout->strides[k][axis] = layout->strides[k][other];
        layout->strides[k][other] = kept;
    }
}

/* By the leader's strides, the largest first; few axes, mostly in order already. */
static void sort(yops_layout *layout, int32_t leader)
{
    const int64_t *strides = layout->strides[leader];
    for (int32_t i = 1; i < layout->dimensions; i++)
        for (int32_t j = i; j > 0 && strides[j - 1] < strides[j]; j--)
            yops_layout_swap(layout, j - 1, j);
}

/* Whether an axis and the next are one in every array. */
static bool is_mergeable(const yops_layout *layout, int32_t outer, int32_t inner)
{
    for (int32_t k = 0; k < layout->operands; k++)
        if (!yops_continues(layout->strides[k][outer], layout->strides[k][inner], layout->extents[inner]))
            return false;
    return true;
}

static void merge(yops_layout *layout)
{
    int32_t last = 0;
    for (int32_t i = 1; i < layout->dimensions; i++)
        if (is_mergeable(layout, last, i)) {
            int64_t extent = layout->extents[last] * layout->extents[i];
            move(layout, i, last);
            layout->extents[last] = extent;
        } else if (++last != i) {
            move(layout, i, last);
        }
    layout->dimensions = last + 1;
}

void yops_layout_finish(yops_layout *layout, int32_t leader)
{
    drop_single(layout);
    if (layout->dimensions == 0) {
        layout->dimensions = 1;
        layout->extents[0] = 1;
        for (int32_t k = 0; k < layout->operands; k++)
            layout->strides[k][0] = 1;
        return;
    }
    for (int32_t i = 0; leader >= 0 && i < layout->dimensions; i++)
        if (layout->strides[leader][i] < 0)
            flip(layout, i);
    if (leader >= 0)
        sort(layout, leader);
    merge(layout);
}

bool yops_layout_is_small(const yops_layout *layout)
{
    if (layout->count > INT32_MAX)
        return false;
    for (int32_t k = 0; k < layout->operands; k++) {
        uint64_t reach = 0;
        for (int32_t i = 0; i < layout->dimensions; i++)
            reach += yops_distance(layout->strides[k][i]) * (uint64_t)(layout->extents[i] - 1);
        if (reach > INT32_MAX)
            return false;
    }
    return true;
}
