/* SPDX-License-Identifier: Apache-2.0 */
/* Whether elements of strided arrays share memory: the exact answer, where simple tests cannot tell. */
#ifndef YOPS_COLLIDE_H
#define YOPS_COLLIDE_H

#include "array.h"

/* UNKNOWN: the search was cut short. Three axes or fewer are always decided where one of them is short. */
typedef enum yops_collision { YOPS_APART, YOPS_COLLIDES, YOPS_UNKNOWN } yops_collision;

/* Whether two elements of a valid array that is not empty lie at one place. */
yops_collision yops_collides_with_itself(const yoke_array *array);

/* Whether an element of one valid array shares bytes with one of another in the same allocation. */
yops_collision yops_collide(const yoke_array *a, const yops_place *a_place, const yoke_array *b, const yops_place *b_place);

#endif
