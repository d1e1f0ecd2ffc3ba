/* SPDX-License-Identifier: Apache-2.0 */
/* Stable grouping of elements by a 32-bit key, for sums in the elements' order. */
#ifndef YOPS_GROUP_H
#define YOPS_GROUP_H

#include "call/call.h"

enum { YOPS_GROUP_MOST = 1 << 30, YOPS_GROUP_LEVELS = 5 }; /* elements that are grouped at once */

typedef struct yops_group {
    yoke_buffer *keys, *positions; /* the caller writes both, for n elements; sorted after yops_group_sort */
    yoke_buffer *other_keys, *other_positions, *counts[YOPS_GROUP_LEVELS];
    yoke_kernel *count, *sum, *place, *move;
    uint32_t tile, passes;
} yops_group;

/* Get the kernels and the temporaries for up to `most` elements with keys 0 to `last`. Released also after a failure. */
yoke_status yops_group_create(const yops_call *call, const yops_traits *traits, uint32_t most, uint32_t last,
                              yops_group *out_group);
void yops_group_release(yops_group *group);

/* Sort the keys and positions of the first n elements. */
yoke_status yops_group_sort(const yops_call *call, yops_group *group, uint32_t n);

#endif
