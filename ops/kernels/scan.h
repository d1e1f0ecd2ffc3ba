/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernels of scans share: the operation, on items that may begin a segment, and the shape of the arrays.
 *
 * The order of the operations: a row is cut into tiles of TILE elements, a tile into warps, a warp into ROWS stretches, a stretch
 * into 32 lanes of LANE_ITEMS elements.
 *
 *   in a lane        from the left to the right: s[j] = s[j - 1] + x[j]
 *   lanes            a tree, as in <yoke/block_scan.h>; `before` is the sum of the lanes before
 *   stretches, warps, tiles   each level from the left to the right
 *
 * and then element = tiles + (warps + (stretches + lanes)) + s[j]. Sums of nothing are the neutral element, which changes no bit:
 * -0 for sums of floats, NaN for min and max of floats.
 *
 * Macros: IN, OUT and ACC are dtypes; ACC is computed with. OPERATION is YOKE_REDUCE_SUM to YOKE_REDUCE_MAX, KIND 0 for integers, 1
 * for floats, 2 for complex numbers, WORDS the 32-bit words of an ACC. `starts` are of the dtype STARTS; without it there are no
 * segments.
 */
#ifndef YOPS_SCAN_H
#define YOPS_SCAN_H

#include "element.h"
#include <yoke/block_scan.h>

/* ---- The order: ops/scan.c and tests/ops/scan.c have the same numbers ---- */

#define WARPS 4
#define LANE_ITEMS (4 / WORDS)
#define ROWS 8
#define WARP_ITEMS (ROWS * 32 * LANE_ITEMS)
#define TILE (WARPS * WARP_ITEMS)

/* Any order gives the same bits. */
#define EXACT (KIND == 0 || OPERATION >= 3)

#ifndef STARTS
#define STARTS u8
#define SEGMENTS 0
#else
#define SEGMENTS 1
#endif

/* Of 64-bit members only, as in ops/scan.c. */
typedef struct scan_shape {
    yoke_i64 extent, tiles, rows, dimensions, exclusive;
    yoke_i64 by_warps; /* 1: a row is no longer than WARP_ITEMS, and each warp of a block has a row */
    yoke_i64 in_origin, out_origin, starts_origin;
    yoke_i64 in_stride, out_stride, starts_stride; /* along the axis */
    yoke_i64 extents[7], in_strides[7], out_strides[7];
} scan_shape;

/* Add where a row begins in both arrays. All members are read first: Mesa's llvmpipe (22.3) takes an argument that is read behind a
 * branch for the same in all threads, and may then read nothing. */
#define FIND_ROW(shape, row, in_at, out_at)                                                                                 \
    const yoke_i64 dimensions_ = (shape).dimensions;                                                                        \
    yoke_i64 rest_ = (row);                                                                                                 \
    READ_AXIS(shape, 0)                                                                                                     \
    READ_AXIS(shape, 1) READ_AXIS(shape, 2) READ_AXIS(shape, 3) READ_AXIS(shape, 4) READ_AXIS(shape, 5) READ_AXIS(shape, 6) \
        ADD_AXIS(0, in_at, out_at) ADD_AXIS(1, in_at, out_at) ADD_AXIS(2, in_at, out_at) ADD_AXIS(3, in_at, out_at)         \
            ADD_AXIS(4, in_at, out_at) ADD_AXIS(5, in_at, out_at) ADD_AXIS(6, in_at, out_at)
#define READ_AXIS(shape, i) \
    const yoke_i64 extent_##i = (shape).extents[i], in_##i = (shape).in_strides[i], out_##i = (shape).out_strides[i];
#define ADD_AXIS(i, in_at, out_at)              \
    if (i < dimensions_) {                      \
        in_at += rest_ % extent_##i * in_##i;   \
        out_at += rest_ % extent_##i * out_##i; \
        rest_ /= extent_##i;                    \
    }

/* ---- The operation ---- */

typedef VALUE(ACC) number;

typedef struct item {
    number value;
#if SEGMENTS
    yoke_u32 head; /* 1: a segment begins within, and nothing from the left counts */
#endif
} item;

#define LEAST_i ((yoke_i32)0x80000000)
#define MOST_i ((yoke_i32)0x7fffffff)
#define LEAST_u 0u
#define MOST_u 0xffffffffu
#define LEAST_l ((yoke_i64)0x8000000000000000ul)
#define MOST_l ((yoke_i64)0x7ffffffffffffffful)
#define LEAST_m ((yoke_u64)0)
#define MOST_m ((yoke_u64)0xfffffffffffffffful)

YOKE_FUNCTION number neutral(void)
{
#if KIND == 2
    number none;
    none.x = OPERATION == 1 ? -0.0f : 1.0f;
    none.y = OPERATION == 1 ? -0.0f : 0.0f;
    return none;
#elif KIND == 1
    return OPERATION == 1 ? -0.0f : OPERATION == 2 ? 1.0f : yoke_uint_as_float(0x7fc00000u);
#elif OPERATION == 3
    return JOIN(MOST_, CLASS(ACC));
#elif OPERATION == 4
    return JOIN(LEAST_, CLASS(ACC));
#else
    return OPERATION == 2;
#endif
}

YOKE_FUNCTION number combine(number a, number b)
{
#if KIND == 2
    number c;
#if OPERATION == 1
    c.x = a.x + b.x;
    c.y = a.y + b.y;
#else
    /* 1 is neutral also beside infinities. */
    if (a.x == 1 && a.y == 0)
        return b;
    if (b.x == 1 && b.y == 0)
        return a;
    c.x = a.x * b.x - a.y * b.y;
    c.y = a.x * b.y + a.y * b.x;
#endif
    return c;
#elif OPERATION == 1
    return a + b;
#elif OPERATION == 2
    return a * b;
#elif KIND == 0
    return OPERATION == 3 ? (b < a ? b : a) : (a < b ? b : a);
#else
    if (a == b) /* of zeros these are the smaller and the larger one */
        return a != 0 ? a : OPERATION == 3 ? -(-a + -b) : a + b;
    if (a != a)
        return b;
    return b != b || (OPERATION == 3 ? a < b : b < a) ? a : b;
#endif
}

YOKE_FUNCTION item no_item(void)
{
    item none;
    none.value = neutral();
#if SEGMENTS
    none.head = 0;
#endif
    return none;
}

/* Mesa's llvmpipe (22.3) does not copy structs that are passed by value: parameters stay as they are. */
YOKE_FUNCTION item combine_items(item a, item b)
{
    item c;
#if SEGMENTS
    c.value = b.head ? b.value : combine(a.value, b.value);
    c.head = a.head | b.head;
#else
    c.value = combine(a.value, b.value);
#endif
    return c;
}

/* ---- The value for no elements, which begins exclusive scans ---- */

#define most_bool 1
#define least_bool 0
#define most_i8 127
#define least_i8 (-128)
#define most_u8 255
#define least_u8 0
#define most_i16 32767
#define least_i16 (-32768)
#define most_u16 65535
#define least_u16 0
#define most_i32 MOST_i
#define least_i32 LEAST_i
#define most_u32 MOST_u
#define least_u32 LEAST_u
#define most_i64 MOST_l
#define least_i64 LEAST_l
#define most_u64 MOST_m
#define least_u64 LEAST_m
#define most_f16 yoke_uint_as_float(0x7f800000u)
#define least_f16 yoke_uint_as_float(0xff800000u)
#define most_bf16 most_f16
#define least_bf16 least_f16
#define most_f32 most_f16
#define least_f32 least_f16
#define most_f64 most_f16
#define least_f64 least_f16
#define most_c64 c64_from_f(most_f16)
#define least_c64 c64_from_f(least_f16)
#define most_c128 c128_from_f(most_f16)
#define least_c128 c128_from_f(least_f16)

YOKE_FUNCTION VALUE(OUT) value_of_none(void)
{
#if OPERATION == 3
    return JOIN(most_, OUT);
#elif OPERATION == 4
    return JOIN(least_, OUT);
#else
    return FROM(OUT, i)((yoke_i32)(OPERATION == 2));
#endif
}

/* ---- Elements ---- */

#define GET_ITEM(x, in, in_at, starts, starts_at)              \
    do {                                                       \
        (x).value = FROM(ACC, CLASS(IN))(LOAD(IN)(in, in_at)); \
        GET_HEAD(x, starts, starts_at)                         \
    } while (0)
#if SEGMENTS
#define GET_HEAD(x, starts, starts_at) (x).head = LOAD(STARTS)(starts, starts_at) != 0;
#define HEAD(x) (x).head
#else
#define GET_HEAD(x, starts, starts_at)
#define HEAD(x) 0
#endif

#define TO_OUT(value) FROM(OUT, CLASS(ACC))(value)

#endif
