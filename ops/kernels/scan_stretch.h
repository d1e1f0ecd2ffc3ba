/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stretch of a scan by one thread, where it is whole and its elements are neighbours: 32 lanes of LANE_ITEMS elements, in the
 * order that scan.h tells. OpenCL C has vectors for what most scans are; the other form is of loops whose turns do not wait for
 * each other.
 */
#ifndef YOPS_SCAN_STRETCH_H
#define YOPS_SCAN_STRETCH_H

#include "scan.h"

#define STRETCH (32 * LANE_ITEMS)
#define HAS_STRETCHES !SEGMENTS

#if HAS_STRETCHES && WORDS == 1 && OPERATION <= 2 && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__))

#define vector_f32 float16
#define vector_i32 int16
#define vector_u32 uint16
typedef JOIN(vector_, ACC) vector;

/* Elements that are what is computed with. */
#define is_word_f32 (KIND == 1)
#define is_word_i32 (KIND == 0)
#define is_word_u32 (KIND == 0)
#define IS_WORD(T) JOIN(is_word_, T)

#if OPERATION == 1
#define COMBINE(a, b) ((a) + (b))
#else
#define COMBINE(a, b) ((a) * (b))
#endif

/* The second half of each two, four, eight or sixteen elements. */
#define MASK_1 (int16)(0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1)
#define MASK_2 (int16)(0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1, 0, 0, -1, -1)
#define MASK_4 (int16)(0, 0, 0, 0, -1, -1, -1, -1, 0, 0, 0, 0, -1, -1, -1, -1)
#define MASK_8 (int16)(0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1)
/* The place in the lane. */
#define PLACE_0 (int16)(-1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0)
#define PLACE_1 (int16)(0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0)
#define PLACE_2 (int16)(0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0)
#define PLACE_3 (int16)(0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1, 0, 0, 0, -1)
#define PREVIOUS(v) (v).s00124456889accde

YOKE_FUNCTION vector load_vector(YOKE_GLOBAL const STORED(IN) *in, int at)
{
#if IS_WORD(IN)
    return vload16(0, (YOKE_GLOBAL const number *)in + at);
#else
    number x[16];
#pragma unroll
    for (int i = 0; i < 16; i++)
        x[i] = FROM(ACC, CLASS(IN))(LOAD(IN)(in, at + i));
    return vload16(0, x);
#endif
}

YOKE_FUNCTION void store_vector(YOKE_GLOBAL STORED(OUT) *out, int at, vector v)
{
#if IS_WORD(OUT)
    vstore16(v, 0, (YOKE_GLOBAL number *)out + at);
#else
    number x[16];
    vstore16(v, 0, x);
#pragma unroll
    for (int i = 0; i < 16; i++)
        STORE(OUT)(out, at + i, TO_OUT(x[i]));
#endif
}

YOKE_FUNCTION vector scan_places(vector v)
{
    v = PLACE_1 ? COMBINE(PREVIOUS(v), v) : v;
    v = PLACE_2 ? COMBINE(PREVIOUS(v), v) : v;
    return PLACE_3 ? COMBINE(PREVIOUS(v), v) : v;
}

YOKE_FUNCTION vector scan_16_lanes(vector v)
{
    v = MASK_1 ? COMBINE(v.s0022446688aaccee, v) : v;
    v = MASK_2 ? COMBINE(v.s011145558999cddd, v) : v;
    v = MASK_4 ? COMBINE(v.s0123333389abbbbb, v) : v;
    return MASK_8 ? COMBINE(v.s0123456777777777, v) : v;
}

/* The scan of STRETCH elements behind before, warps and rows; returns their own total. */
YOKE_FUNCTION item walk_stretch(YOKE_GLOBAL const STORED(IN) *in, YOKE_GLOBAL STORED(OUT) *out, item before, item warps, item rows,
                                int first, int exclusive, int write)
{
    vector x[8], low, high, starts[2];
    item all;
#pragma unroll
    for (int i = 0; i < 8; i++)
        x[i] = scan_places(load_vector(in, 16 * i));
    low = scan_16_lanes((vector)(x[0].s37bf, x[1].s37bf, x[2].s37bf, x[3].s37bf));
    high = COMBINE((vector)(low.sf), scan_16_lanes((vector)(x[4].s37bf, x[5].s37bf, x[6].s37bf, x[7].s37bf)));
    all.value = high.sf;
    if (!write)
        return all;
    starts[0] = (vector)(neutral(), low.s01234567, low.s89ab, low.scd, low.se);
    starts[1] = (vector)(low.sf, high.s01234567, high.s89ab, high.scd, high.se);
#pragma unroll
    for (int i = 0; i < 2; i++)
        starts[i] = COMBINE((vector)(before.value), COMBINE((vector)(warps.value), COMBINE((vector)(rows.value), starts[i])));
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const vector four = starts[i / 4];
        const vector start = i % 4 == 0   ? four.s0000111122223333
                             : i % 4 == 1 ? four.s4444555566667777
                             : i % 4 == 2 ? four.s88889999aaaabbbb
                                          : four.sccccddddeeeeffff;
        store_vector(out, 16 * i, exclusive ? (PLACE_0 ? start : COMBINE(start, PREVIOUS(x[i]))) : COMBINE(start, x[i]));
    }
    if (exclusive && first)
        STORE(OUT)(out, 0, value_of_none());
    return all;
}

#elif HAS_STRETCHES

/* totals[l] becomes the combination of lanes 0 to l. */
YOKE_FUNCTION void scan_stretch_lanes(item *totals)
{
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
#pragma unroll
        for (int block = 0; block < 32; block += 2 * distance) {
            const item left = totals[block + distance - 1];
#pragma unroll
            for (int i = 0; i < distance; i++)
                totals[block + distance + i] = combine_items(left, totals[block + distance + i]);
        }
}

/* Of elements x[0] to x[STRETCH - 1] the running sums within each lane; returns the stretch's total, and its lanes' in `totals`. */
YOKE_FUNCTION item sum_stretch(YOKE_GLOBAL const STORED(IN) *in, item *x, item *totals)
{
    for (int i = 0; i < STRETCH; i++)
        x[i].value = FROM(ACC, CLASS(IN))(LOAD(IN)(in, i));
    for (int lane = 0; lane < 32; lane++) {
        item sum = x[lane * LANE_ITEMS];
#pragma unroll
        for (int j = 1; j < LANE_ITEMS; j++)
            x[lane * LANE_ITEMS + j] = sum = combine_items(sum, x[lane * LANE_ITEMS + j]);
        totals[lane] = sum;
    }
    scan_stretch_lanes(totals);
    return totals[31];
}

YOKE_FUNCTION item walk_stretch(YOKE_GLOBAL const STORED(IN) *in, YOKE_GLOBAL STORED(OUT) *out, item before, item warps, item rows,
                                int first, int exclusive, int write)
{
    item x[STRETCH], totals[32], starts[32];
    const item all = sum_stretch(in, x, totals);
    if (!write)
        return all;
    starts[0] = no_item();
    for (int lane = 1; lane < 32; lane++)
        starts[lane] = totals[lane - 1];
    for (int lane = 0; lane < 32; lane++)
        starts[lane] = combine_items(before, combine_items(warps, combine_items(rows, starts[lane])));
    if (exclusive)
        for (int lane = 0; lane < 32; lane++) {
#pragma unroll
            for (int j = LANE_ITEMS - 1; j > 0; j--)
                x[lane * LANE_ITEMS + j] = combine_items(starts[lane], x[lane * LANE_ITEMS + j - 1]);
            x[lane * LANE_ITEMS] = starts[lane];
        }
    else
        for (int lane = 0; lane < 32; lane++) {
#pragma unroll
            for (int j = 0; j < LANE_ITEMS; j++)
                x[lane * LANE_ITEMS + j] = combine_items(starts[lane], x[lane * LANE_ITEMS + j]);
        }
    for (int i = 0; i < STRETCH; i++)
        STORE(OUT)(out, i, TO_OUT(x[i].value));
    if (exclusive && first)
        STORE(OUT)(out, 0, value_of_none());
    return all;
}

#endif

#endif
