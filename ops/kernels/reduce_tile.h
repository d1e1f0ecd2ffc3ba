/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of tiles for the kernels of reductions: how a thread goes through leaves, a block folds them, and a CPU reduces a tile.
 * They all keep to the order of reduce_tree.h.
 */
#ifndef YOPS_REDUCE_TILE_H
#define YOPS_REDUCE_TILE_H

#include "reduce_tree.h"

/* Add node `number` of a level, whose nodes come in order, to the ones before it that wait for a partner. */
#define LEVELS 8
YOKE_FUNCTION state carry(state *waiting, yoke_u32 number, state x)
{
    yoke_u32 done = 0;
    UNROLL for (yoke_u32 level = 0; level < LEVELS; level++)
    {
        if (done == 0 && (number >> level & 1u) == 0) {
            waiting[level] = x;
            done = 1;
        }
        if (done == 0)
            x = combine(waiting[level], x);
    }
    return x;
}

/* What the `count` nodes are together. */
YOKE_FUNCTION state collect(const state *waiting, yoke_u32 count)
{
    yoke_u32 some = 0;
    state x = absent();
    UNROLL for (yoke_u32 level = 0; level < LEVELS; level++)
    {
        if ((count >> level & 1u) != 0) {
            x = some ? combine(waiting[level], x) : waiting[level];
            some = 1;
        }
    }
    return x;
}

/* The leaf after t in the order that carry needs for halving `count` leaves, a power of two: the bits of t count backwards. */
YOKE_FUNCTION yoke_u32 next_leaf(yoke_u32 t, yoke_u32 count)
{
    yoke_u32 bit = count / 2;
    while ((t & bit) != 0) {
        t ^= bit;
        bit /= 2;
    }
    return t | bit;
}

/* Eight nodes that are `step` apart, by halving. */
#define FOLD8(s, step)                                                                               \
    combine(COMBINE4((s)[0], (s)[4 * (step)], (s)[2 * (step)], (s)[6 * (step)]),                     \
            COMBINE4((s)[step], (s)[5 * (step)], (s)[3 * (step)], (s)[7 * (step)]))

#if FORM > 0

/* A single thread's loops turn into vectors where they add numbers. The three sums of a norm do not depend on each other, so that
 * each is a part that is computed by itself, and the parts to which no element belongs are left out. All else is one part. */
#if OP == OP_NORM
#define PARTS 3
typedef number part_state;
#define PART_LIFT(value, at) lift_part(value, which, met)
#define PART_COMBINE(a, b) ((a) + (b))
#define PART_ABSENT ((number)0)
#define PART_SET(s, which, part)      \
    do {                              \
        if ((which) == USUAL_PART)    \
            (s).usual = (part);       \
        else if ((which) == SMALL_PART) \
            (s).small = (part);       \
        else                          \
            (s).large = (part);       \
    } while (0)
#define PART_IS_LEFT_OUT(which, met) ((which) != USUAL_PART && ((met) >> (which)&1u) == 0)
#else
#define PARTS 1
typedef state part_state;
#define PART_LIFT(value, at) lift(value, at)
#define PART_COMBINE(a, b) combine(a, b)
#define PART_ABSENT absent()
#define PART_SET(s, which, part) ((s) = (part))
#define PART_IS_LEFT_OUT(which, met) 0
#endif
#define PART_COMBINE4(x0, x1, x2, x3) PART_COMBINE(PART_COMBINE(x0, x1), PART_COMBINE(x2, x3))

#endif

#if FORM == 1

#define PART_AT(i) PART_LIFT(ELEMENT(part, i), at + (i))

/* A part of a tile of m elements. */
YOKE_FUNCTION part_state reduce_part(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 m, yoke_u32 at, part_state *u,
                                     part_state *v, yoke_u32 which, yoke_u32 *met)
{
    yoke_u32 i, count = m < 1024 ? m : 1024, fours = (count + 3) / 4, step;
    if (m == TILE) {
        for (i = 0; i < 1024; i++)
            u[i] = PART_COMBINE4(PART_AT(i), PART_AT(i + 2048), PART_AT(i + 1024), PART_AT(i + 3072));
    } else {
        for (i = 0; i < count; i++)
            u[i] = PART_AT(i);
        for (; i < 4 * fours; i++)
            u[i] = PART_ABSENT;
        for (i = 2048; i < m && i < 3072; i++)
            u[i - 2048] = PART_COMBINE(u[i - 2048], PART_AT(i));
        for (i = 1024; i < m && i < 2048; i++) {
            part_state x = PART_AT(i);
            if (i + 2048 < m)
                x = PART_COMBINE(x, PART_AT(i + 2048));
            u[i - 1024] = PART_COMBINE(u[i - 1024], x);
        }
    }
    for (i = 0; i < fours; i++)
        v[i] = PART_COMBINE4(u[4 * i], u[4 * i + 1], u[4 * i + 2], u[4 * i + 3]);
    for (step = power_above(fours) / 2; step > 0; step /= 2) {
        yoke_u32 pairs = fours - step;
        for (i = 0; i < pairs; i++)
            v[i] = PART_COMBINE(v[i], v[i + step]);
        fours = step;
    }
    return v[0];
}

/* A tile of m elements. */
YOKE_FUNCTION state reduce_tile(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 m, yoke_u32 at, part_state *u,
                                part_state *v)
{
    yoke_u32 which, met = 0;
    state sum = absent();
    for (which = 0; which < PARTS; which++)
        if (!PART_IS_LEFT_OUT(which, met))
            PART_SET(sum, which, reduce_part(GIVEN, g, part, m, at, u, v, which, &met));
    return sum;
}

#endif

#endif
