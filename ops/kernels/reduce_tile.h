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

#if FORM == 1

/* A tile of m elements. */
YOKE_FUNCTION state reduce_tile(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 m, yoke_u32 at, state *u,
                                state *v)
{
    yoke_u32 i, count = m < 1024 ? m : 1024, fours = (count + 3) / 4, step;
    if (m == TILE) {
        for (i = 0; i < 1024; i++)
            u[i] = COMBINE4(lift(ELEMENT(part, i), at + i), lift(ELEMENT(part, i + 2048), at + i + 2048),
                            lift(ELEMENT(part, i + 1024), at + i + 1024), lift(ELEMENT(part, i + 3072), at + i + 3072));
    } else {
        for (i = 0; i < count; i++)
            u[i] = lift(ELEMENT(part, i), at + i);
        for (; i < 4 * fours; i++)
            u[i] = absent();
        for (i = 2048; i < m && i < 3072; i++)
            u[i - 2048] = combine(u[i - 2048], lift(ELEMENT(part, i), at + i));
        for (i = 1024; i < m && i < 2048; i++) {
            state x = lift(ELEMENT(part, i), at + i);
            if (i + 2048 < m)
                x = combine(x, lift(ELEMENT(part, i + 2048), at + i + 2048));
            u[i - 1024] = combine(u[i - 1024], x);
        }
    }
    for (i = 0; i < fours; i++)
        v[i] = COMBINE4(u[4 * i], u[4 * i + 1], u[4 * i + 2], u[4 * i + 3]);
    for (step = power_above(fours) / 2; step > 0; step /= 2) {
        yoke_u32 pairs = fours - step;
        for (i = 0; i < pairs; i++)
            v[i] = combine(v[i], v[i + step]);
        fours = step;
    }
    return v[0];
}

#endif

#endif
