/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order in which a reduction combines elements, which depends on their number alone.
 *
 * The reduced elements, in row-major order, are cut into tiles of 4096. Within a tile, elements whose positions differ in one bit
 * are combined, for one bit after the other: bits 11, 10, 0, 1, 9, 8, 7, 6, 5, 4, 3, 2. So the first step combines element i with
 * i + 2048, the second i with i + 1024, the third i with i + 1 for even i, and so on. Then neighbouring tiles are combined: tiles 0
 * and 1, 2 and 3, …, then those pairs, and so on. What has no partner, at the end of the last tile and of the list of tiles, is
 * passed on as it is.
 *
 * Why these bits: a thread of a block of 256 reads 4 x 4 elements of a tile with loads of up to 16 bytes and combines them alone
 * (bits 11, 10, 0, 1); what follows is halving, which a block does in shared memory, a CPU does with vectors, and a thread that has
 * a column to itself does by visiting the rows in another order. A group of four elements, 4 t to 4 t + 3, and those 1024, 2048 and
 * 3072 after it are leaf t of the tile.
 *
 * The elements come from the array `a`, and those of `b` are multiplied with them where IN2 is defined (with CONVERT, their dtype).
 * LAYOUT tells how a position leads to an element:
 *
 *   0   one after the other, aligned so that VECTOR of them can be read at once
 *   1   one after the other
 *   2   at equal distances
 *   3   along several axes
 *
 * The including text is compiled with the macros of reduce_state.h.
 */
#ifndef YOPS_REDUCE_TREE_H
#define YOPS_REDUCE_TREE_H

#include "reduce_state.h"

#define TILE 4096
#define LEAVES 256
#define MOST_DIMENSIONS 8

/* What the host tells of an array's shape; reduce.h has the same struct. */
typedef struct reduce_shape {
    yoke_i64 rows, n;       /* outputs, and elements of each */
    yoke_i32 kept, reduced; /* axes */
    yoke_i64 kept_extent[MOST_DIMENSIONS], kept_stride[MOST_DIMENSIONS], out_stride[MOST_DIMENSIONS];
    yoke_i64 extent[MOST_DIMENSIONS], stride[MOST_DIMENSIONS], stride_b[MOST_DIMENSIONS];
} reduce_shape;

YOKE_FUNCTION yoke_i64 along(yoke_i64 position, yoke_i32 axes, const yoke_i64 *extent, const yoke_i64 *stride)
{
    yoke_i64 offset = 0;
    yoke_i32 i;
    for (i = axes - 1; i > 0; i--) {
        yoke_i64 rest;
        if (((position | extent[i]) >> 32) == 0) /* GPUs divide 64 bits slowly */
            rest = (yoke_u32)position / (yoke_u32)extent[i];
        else
            rest = position / extent[i];
        offset += (position - rest * extent[i]) * stride[i];
        position = rest;
    }
    return axes > 0 ? offset + position * stride[0] : 0;
}

/* A row's elements, from a position on. */
typedef struct row_part {
    yoke_i64 a, b;  /* LAYOUT 0 to 2: the place of the element at `first`. 3: of the row's first */
    yoke_i64 first; /* position in the row */
} row_part;

#if LAYOUT <= 1
#define AT_A(part, i) ((part).a + (i))
#define AT_B(part, i) ((part).b + (i))
#elif LAYOUT == 2
#define AT_A(part, i) ((part).a + (i)*g->stride[0])
#define AT_B(part, i) ((part).b + (i)*g->stride_b[0])
#else
#define AT_A(part, i) ((part).a + along((part).first + (i), g->reduced, g->extent, g->stride))
#define AT_B(part, i) ((part).b + along((part).first + (i), g->reduced, g->extent, g->stride_b))
#endif

/* FIRST_PARAMETERS, of a kernel, ORIGIN_A and ORIGIN_B; ARRAYS, of a function, and what a call passes on: GIVEN. */
#ifndef MAPPED
#define FIRST_PARAMETERS                                                     \
    YOKE_GLOBAL const STORED(SOURCE) *YOKE_RESTRICT a, yoke_i64 origin_a,    \
        YOKE_GLOBAL const STORED(SOURCE2) *YOKE_RESTRICT b, yoke_i64 origin_b
#define ORIGIN_A origin_a
#define ORIGIN_B origin_b
#define ARRAYS YOKE_GLOBAL const STORED(SOURCE) *YOKE_RESTRICT a, YOKE_GLOBAL const STORED(SOURCE2) *YOKE_RESTRICT b
#define GIVEN a, b
#define FETCH(offset) LOAD(IN)(a, offset)
#endif

#ifdef MAPPED
/* yoke_map_reduce: the values of an expression, as if they lay in an array without gaps. */
#include "generated.h"
#define FIRST_PARAMETERS EVALUATE_PARAMETERS
#define ORIGIN_A 0
#define ORIGIN_B 0
#define ARRAYS EVALUATE_PARAMETERS
#define GIVEN EVALUATE_ARGUMENTS
#define FETCH(offset) evaluate(offset, EVALUATE_ARGUMENTS)
#define ELEMENT(part, i) FETCH(AT_A(part, i))
#elif defined(IN2)
/* yoke_dot: an element is a product in the dtype IN, which is ACC. */
#define SOURCE IN1
#define SOURCE2 IN2
YOKE_FUNCTION VALUE(IN) times(VALUE(IN) x, VALUE(IN) y)
{
#if KIND == 2
    VALUE(IN) product;
    product.x = x.x * y.x - x.y * y.y;
    product.y = x.x * y.y + x.y * y.x;
    return product;
#elif KIND == 0
    return (VALUE(IN))((yoke_u64)x * (yoke_u64)y);
#else
    return x * y;
#endif
}
#define ELEMENT(part, i) \
    times(FROM(IN, CLASS(IN1))(LOAD(IN1)(a, AT_A(part, i))), FROM(IN, CLASS(IN2))(LOAD(IN2)(b, AT_B(part, i))))
#else
#define SOURCE IN
#define SOURCE2 IN
#define ELEMENT(part, i) FETCH(AT_A(part, i))
#endif

/* The part `count` elements further on. */
YOKE_FUNCTION row_part part_after(const reduce_shape *g, row_part part, yoke_i64 count)
{
    part.first += count;
#if LAYOUT <= 1
    part.a += count;
    part.b += count;
#elif LAYOUT == 2
    part.a += count * g->stride[0];
    part.b += count * g->stride_b[0];
#endif
    return part;
}

YOKE_FUNCTION row_part part_of(const reduce_shape *g, yoke_i64 origin_a, yoke_i64 origin_b, yoke_i64 row, yoke_i64 first)
{
    row_part part;
    part.a = origin_a + along(row, g->kept, g->kept_extent, g->kept_stride);
    part.b = origin_b;
    part.first = 0;
    return part_after(g, part, first);
}

/* ---- Leaves ---- */

#if VECTOR_BYTES == 4
typedef yoke_u32 vector_part;
#define VECTOR_PARTS 1
#elif VECTOR_BYTES == 8
typedef uint2 vector_part;
#define VECTOR_PARTS 1
#else
typedef uint4 vector_part;
#define VECTOR_PARTS (VECTOR_BYTES / 16)
#endif

/* Stored elements of a vector, as values. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define held_f16(e, j) vload_half(0, (const half *)&(e)[j])
#else
#define held_f16(e, j) load_f16(e, j)
#endif
#define held_bool(e, j) load_bool(e, j)
#define held_i8(e, j) load_i8(e, j)
#define held_u8(e, j) load_u8(e, j)
#define held_i16(e, j) load_i16(e, j)
#define held_u16(e, j) load_u16(e, j)
#define held_i32(e, j) load_i32(e, j)
#define held_u32(e, j) load_u32(e, j)
#define held_i64(e, j) load_i64(e, j)
#define held_u64(e, j) load_u64(e, j)
#define held_bf16(e, j) load_bf16(e, j)
#define held_f32(e, j) load_f32(e, j)
#define held_f64(e, j) load_f64(e, j)
#define held_c64(e, j) load_c64(e, j)
#define held_c128(e, j) load_c128(e, j)
#define HELD(T) JOIN(held_, T)

/* `count` elements from element i of the part on, which is a multiple of the vector's length, into x. */
#define READ_VECTOR(T, array, place, count, x)                                                                   \
    do {                                                                                                         \
        union {                                                                                                  \
            vector_part parts[VECTOR_PARTS];                                                                     \
            STORED(T) elements[count];                                                                           \
        } vector_;                                                                                               \
        UNROLL for (yoke_u32 k_ = 0; k_ < VECTOR_PARTS; k_++) vector_.parts[k_] =                           \
            ((YOKE_GLOBAL const vector_part *)((array) + (place)))[k_];                                          \
        UNROLL for (yoke_u32 k_ = 0; k_ < (count); k_++)(x)[k_] = HELD(T)(vector_.elements, k_);            \
    } while (0)

#define UNROLL _Pragma("unroll")

#define COMBINE4(x0, x1, x2, x3) combine(combine(x0, x1), combine(x2, x3))

#if LAYOUT == 0 && LEAF_RUN == 16

/* Elements of one byte, whose order cannot be seen: 16 in a row, leaf t being 16 t to 16 t + 15. */
#define LEAF_COUNT(m) (((m) + 15) / 16)
YOKE_FUNCTION state leaf(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 m, yoke_u32 t, yoke_u32 at)
{
    state sum;
    if (16 * t + 16 <= m) {
        VALUE(IN) x[16];
        READ_VECTOR(IN, a, part.a + 16 * t, 16, x);
        sum = lift(x[0], at + 16 * t);
        UNROLL for (yoke_u32 j = 1; j < 16; j++) sum = combine(sum, lift(x[j], at + 16 * t + j));
    } else {
        sum = absent();
        for (yoke_u32 i = 16 * t; i < m; i++)
            sum = combine(sum, lift(ELEMENT(part, i), at + i));
    }
    return sum;
}

#else

#define LEAF_COUNT(m) (((m) < 1024 ? (m) + 3 : 1024) / 4)

/* Four elements that are there. */
YOKE_FUNCTION void read_four(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 i, yoke_u32 at, state *x)
{
#if LAYOUT == 0 && !defined(IN2)
    VALUE(IN) values[4];
    READ_VECTOR(IN, a, part.a + i, 4, values);
    UNROLL for (yoke_u32 j = 0; j < 4; j++) x[j] = lift(values[j], at + i + j);
#elif LAYOUT == 0
    VALUE(IN1) values[4];
    VALUE(IN2) others[4];
    READ_VECTOR(IN1, a, part.a + i, 4, values);
    READ_VECTOR(IN2, b, part.b + i, 4, others);
    UNROLL for (yoke_u32 j = 0; j < 4; j++) x[j] =
        lift(times(FROM(IN, CLASS(IN1))(values[j]), FROM(IN, CLASS(IN2))(others[j])), at + i + j);
#else
    UNROLL for (yoke_u32 j = 0; j < 4; j++) x[j] = lift(ELEMENT(part, i + j), at + i + j);
#endif
}

YOKE_FUNCTION state leaf(ARRAYS, const reduce_shape *g, row_part part, yoke_u32 m, yoke_u32 t, yoke_u32 at)
{
    state x[16];
    if (m == TILE) {
        UNROLL for (yoke_u32 r = 0; r < 4; r++) read_four(GIVEN, g, part, 1024 * r + 4 * t, at, x + 4 * r);
    } else if (4 * t >= m) {
        return absent();
    } else {
        UNROLL for (yoke_u32 r = 0; r < 4; r++)
        {
            yoke_u32 i = 1024 * r + 4 * t;
            if (i + 4 <= m) {
                read_four(GIVEN, g, part, i, at, x + 4 * r);
            } else {
                UNROLL for (yoke_u32 j = 0; j < 4; j++)
                {
                    x[4 * r + j] = absent();
                    if (i + j < m)
                        x[4 * r + j] = lift(ELEMENT(part, i + j), at + i + j);
                }
            }
        }
        if (m <= 1024)
            return COMBINE4(x[0], x[1], x[2], x[3]);
    }
    UNROLL for (yoke_u32 j = 0; j < 4; j++) x[j] = COMBINE4(x[j], x[8 + j], x[4 + j], x[12 + j]);
    return COMBINE4(x[0], x[1], x[2], x[3]);
}

#endif

YOKE_FUNCTION yoke_u32 power_above(yoke_u32 x)
{
    yoke_u32 power = 1;
    while (power < x)
        power *= 2;
    return power;
}

#endif
