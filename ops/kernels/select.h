/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of selections share. Macros: IN is the elements' dtype; where only bytes are moved, one of u8, u16, u32, u64 and
 * w128, by their size. With UNIQUE=1 an element is kept if it differs from the one before it; with MAPPED=1 if the value of the
 * expression of "generated.h" is not 0, which gets the element itself if GIVEN is not 0; otherwise if its flag, of the dtype FLAG,
 * is not 0. KIND, of unique elements, is 0 for integers, 1 for floats, 2 for complex numbers.
 */
#ifndef YOPS_SELECT_H
#define YOPS_SELECT_H

#include "element.h"
#include <yoke/block_scan.h>

typedef uint4 stored_w128;

#ifndef UNIQUE
#define UNIQUE 0
#endif
#ifndef MAPPED
#define MAPPED 0
#endif
#ifndef GIVEN
#define GIVEN 0
#endif
#if UNIQUE || MAPPED
#define FLAG u8
#endif
#if MAPPED
#include "operands.h"
#include "generated.h"
#define FIRST_PARAMETERS EVALUATE_PARAMETERS,
#else
#define FIRST_PARAMETERS
#endif

/* ops/select.c has the same number. */
#define TILE 4096

/* Of 64-bit members only, as in ops/select.c. */
typedef struct select_shape {
    yoke_i64 extent, tiles;
    yoke_i64 in_origin, flags_origin, out_origin, starts_origin, count_origin;
    yoke_i64 in_stride, flags_stride, out_stride, starts_stride;
    yoke_i64 room;         /* elements of `out` */
    yoke_i64 starts_bytes; /* of an element of `starts`: 4, 8, or 0 without them */
    yoke_i64 count_bytes;  /* the same of the count */
    yoke_i64 rest;         /* 1: keep those whose flag is 0 instead, behind *kept; 2: keep both */
} select_shape;

/* Members are read before any branch: Mesa's llvmpipe (22.3) takes an argument that is read behind one for the same in all threads,
 * and may then read nothing. */
#define READ_INPUTS(selection)                                                                        \
    const yoke_i64 in_first = (selection).in_origin, in_stride = (selection).in_stride;                   \
    const yoke_i64 flags_first = (selection).flags_origin, flags_stride = (selection).flags_stride;       \
    (void)in_first, (void)in_stride, (void)flags_first, (void)flags_stride

#if UNIQUE
YOKE_FUNCTION int differ(VALUE(IN) a, VALUE(IN) b)
{
#if KIND == 2
    return (a.x != b.x && (a.x == a.x || b.x == b.x)) || (a.y != b.y && (a.y == a.y || b.y == b.y));
#elif KIND == 1
    return a != b && (a == a || b == b);
#else
    return a != b;
#endif
}
/* Whether the element at `at` is kept. */
#define IS_KEPT(in, flags, at, element)                                                                    \
    ((at) == 0 || differ(LOAD(IN)(in, in_first + (at) * in_stride),                                        \
                         LOAD(IN)(in, in_first + ((at)-1) * in_stride)))
#elif GIVEN
#define IS_KEPT(in, flags, at, element) (evaluate(at, element, EVALUATE_ARGUMENTS) != 0)
#elif MAPPED
#define IS_KEPT(in, flags, at, element) (evaluate(at, EVALUATE_ARGUMENTS) != 0)
#else
#define IS_KEPT(in, flags, at, element) (LOAD(FLAG)(flags, flags_first + (at) * flags_stride) != 0)
#endif

/* Positions and counts of 4 or 8 bytes, in words of 4, the lower one first. */
#define PUT_INTEGER(words, at, bytes, value)                                             \
    do {                                                                                 \
        (words)[(at) * ((bytes) / 4)] = (yoke_u32)(value);                               \
        if ((bytes) == 8)                                                                \
            (words)[(at) * 2 + 1] = (yoke_u32)((yoke_u64)(value) >> 32);                 \
    } while (0)

#endif
