/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points of a sub-transform in global memory, for single threads.
 *
 * INPUT: 0 complex; 1 real; 2 the first half of a spectrum of real data, whose other half is its mirror image; 3 pairs of real
 * elements, half a step apart. OUTPUT: 0 complex; 1 the first half of a spectrum; 2 the real part; 3 pairs. Where a half is read,
 * the imaginary parts of its ends that have to be 0 count as 0.
 */
#ifndef YOPS_FFT_POINTS_H
#define YOPS_FFT_POINTS_H

#include "fft.h"

#if INPUT == 1 || INPUT == 3
typedef scalar in_type;
#else
typedef pair in_type;
#endif
#if OUTPUT == 2 || OUTPUT == 3
typedef scalar out_type;
#else
typedef pair out_type;
#endif

/* Read all of a kernel's parameter, before any branch: Mesa 22.3 reads parameters behind branches as if all threads agreed. */
#define READ_PASS(p, from)                                                                                                  \
    fft_pass p;                                                                                                             \
    p.in_origin = from.in_origin, p.in_outer = from.in_outer, p.in_step = from.in_step, p.in_inner = from.in_inner;         \
    p.out_origin = from.out_origin, p.out_outer = from.out_outer, p.out_step = from.out_step, p.out_inner = from.out_inner; \
    p.columns = from.columns, p.per_outer = from.per_outer, p.inner = from.inner, p.before = from.before;                   \
    p.length = from.length, p.inverse = from.inverse, p.in_rows = from.in_rows, p.out_rows = from.out_rows;                 \
    p.scale = from.scale, p.unused = from.unused, p.stage_high = from.stage_high, p.stage_low = from.stage_low;             \
    p.turn_high = from.turn_high, p.turn_low = from.turn_low;

/* Where a column lies. */
typedef struct fft_column {
    yoke_i64 in_at, out_at; /* elements from the buffer's start to the transform's first element */
    yoke_u32 j;             /* the column reads elements j + r * length / LENGTH */
    yoke_u32 k, to;         /* and writes to + k + r * before */
} fft_column;

YOKE_FUNCTION fft_column find_column(fft_pass p, yoke_u32 column)
{
    fft_column at;
    yoke_u32 outer = column / p.per_outer, rest = column - outer * p.per_outer, inner = 0;
    at.j = rest;
    if (p.inner > 1) {
        at.j = rest / p.inner;
        inner = rest - at.j * p.inner;
    }
    at.k = 0;
    at.to = at.j * LENGTH;
    if (p.before > 1) {
        yoke_u32 q = at.j / p.before;
        at.k = at.j - q * p.before;
        at.to = q * p.before * LENGTH;
    }
    at.in_at = p.in_origin + (yoke_i64)outer * p.in_outer + (yoke_i64)inner * p.in_inner;
    at.out_at = p.out_origin + (yoke_i64)outer * p.out_outer + (yoke_i64)inner * p.out_inner;
    return at;
}

/* An element of the transform, before parts change places. `step` is its distance from the element at `in_at`. */
YOKE_FUNCTION pair read_point(YOKE_GLOBAL const in_type *in, fft_pass p, yoke_i64 in_at, yoke_i64 step, yoke_u32 position)
{
#if INPUT == 0
    (void)p, (void)position;
    return in[in_at + step];
#elif INPUT == 1
    (void)p, (void)position;
    return make_pair(in[in_at + step], (scalar)0);
#elif INPUT == 3
    (void)position;
    return make_pair(in[in_at + step], in[in_at + step + p.in_step / 2]);
#else
    const yoke_u32 mirrored = p.length - position;
    pair z;
    (void)step;
    if (position > mirrored) {
        z = in[in_at + (yoke_i64)mirrored * p.in_step];
        return make_pair(z.x, -z.y);
    }
    z = in[in_at + (yoke_i64)position * p.in_step];
    return make_pair(z.x, position == 0 || position == mirrored ? (scalar)0 : z.y);
#endif
}

YOKE_FUNCTION void write_point(YOKE_GLOBAL out_type *out, fft_pass p, yoke_i64 out_at, yoke_u32 position, pair z)
{
#if OUTPUT == 0
    (void)p;
    (void)position;
    out[out_at] = z;
#elif OUTPUT == 1
    if (position <= p.length - position)
        out[out_at] = z;
#elif OUTPUT == 3
    (void)position;
    out[out_at] = z.x;
    out[out_at + p.out_step / 2] = z.y;
#else
    (void)p;
    (void)position;
    out[out_at] = z.x;
#endif
}

#endif
