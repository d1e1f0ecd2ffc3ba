/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fourier transforms of a few points in registers, and roots of unity. Their operations, one by one, are part of the promise that
 * every device gives the same bits: products are combined by yoke_fma as written here, and roots are computed by fma alone, so that
 * no table has to be kept anywhere. A root's parts have an error below 0.8 ulp of 1.
 *
 * WIDE: 1 for double, 0 for float. LANES: so many transforms side by side in one thread, as a vector type of OpenCL; 1 elsewhere.
 */
#ifndef YOPS_FFT_H
#define YOPS_FFT_H

#include "element.h"

#if WIDE
typedef double scalar;
typedef double2 pair;
#define make_pair(x, y) double_pair(x, y)
#define SCALAR(x) (x)
#define NUMBER(x) ((real)(x))
#else
typedef float scalar;
typedef float2 pair;
#define make_pair(x, y) yoke_float2(x, y)
#define SCALAR(x) (x##f)
#define NUMBER(x) ((real)(x##f))
#endif

#if LANES == 8
typedef float8 real;
typedef int8 whole;
#define to_real(x) convert_float8(x)
#define to_whole(x) convert_int8(x)
#elif LANES == 4
typedef double4 real;
typedef long4 whole;
#define to_real(x) convert_double4(x)
#define to_whole(x) convert_long4(x)
#else
typedef scalar real;
typedef yoke_i32 whole;
#define to_real(x) ((real)(x))
#define to_whole(x) ((whole)(x))
#endif

#if LANES > 1
typedef struct complex_value {
    real x, y;
} complex_value;
#else
typedef pair complex_value; /* Mesa 22.3 mistakes arrays of structs of two floats */
#endif

/* One pass, as struct fft_pass of ops/fft_plan.h: transforms of LENGTH points, which are one factor of transforms of `length`
 * points. Those have their elements `step` apart, and lie in `outer` and `inner` directions. A column is a sub-transform: column
 * (outer, j, inner) reads the elements j + r * length / LENGTH, and writes the elements
 * j / before * before * LENGTH + j % before + r * before, where r is 0 to LENGTH - 1. */
typedef struct fft_pass {
    yoke_i64 in_origin, in_outer, in_step, in_inner; /* in elements */
    yoke_i64 out_origin, out_outer, out_step, out_inner;
    yoke_u32 columns;           /* all of them */
    yoke_u32 per_outer;         /* length / LENGTH * inner */
    yoke_u32 inner;             /* so many transforms side by side */
    yoke_u32 before;            /* the product of the LENGTHs of the passes before */
    yoke_u32 length;            /* points of the whole transform */
    yoke_u32 inverse;           /* 1: real and imaginary parts change places at the ends */
    yoke_u32 in_rows, out_rows; /* 1: neighbouring threads take neighbours in a column, 0: neighbouring columns */
    scalar scale;               /* of what is stored */
    scalar unused;
    scalar stage_high, stage_low; /* pi / 2 / LENGTH as the sum of two */
    scalar turn_high, turn_low;   /* pi / 2 / (before * LENGTH) */
} fft_pass;

/* ---- Roots of unity ---- */

/* A factor c - i s. */
typedef struct turn {
    real c, s;
} turn;
typedef struct scalar_turn {
    scalar c, s;
} scalar_turn;

#if WIDE
#define SIN_TAIL(z, R)                                                                                                     \
    yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, (R)(1.0 / 355687428096000.0),      \
    (R)(-1.0 / 1307674368000.0)), (R)(1.0 / 6227020800.0)), (R)(-1.0 / 39916800.0)), (R)(1.0 / 362880.0)),                 \
    (R)(-1.0 / 5040.0)), (R)(1.0 / 120.0)), (R)(-1.0 / 6.0))
#define COS_TAIL(z, R)                                                                                                     \
    yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, (R)(1.0 / 20922789888000.0),       \
    (R)(-1.0 / 87178291200.0)), (R)(1.0 / 479001600.0)), (R)(-1.0 / 3628800.0)), (R)(1.0 / 40320.0)), (R)(-1.0 / 720.0)), \
    (R)(1.0 / 24.0)), (R)(-0.5))
#else
#define SIN_TAIL(z, R)                                                                                               \
    yoke_fma(z, yoke_fma(z, yoke_fma(z, (R)2.7557319e-6f, (R)-1.9841270e-4f), (R)8.3333333e-3f), (R)-1.6666667e-1f)
#define COS_TAIL(z, R)                                                                                            \
    yoke_fma(z, yoke_fma(z, yoke_fma(z, yoke_fma(z, (R)-2.7557319e-7f, (R)2.4801587e-5f), (R)-1.3888889e-3f), \
    (R)4.1666667e-2f), (R)-0.5f)
#endif

/* exp(-2 pi i m / order), where 0 <= m < order <= 2^29, and high + low is pi / 2 / order. The angle is folded to within pi / 4 of a
 * quarter turn in integers, and has more bits than a number holds: x + y. */
#define ROOT(name, W, R, T, convert, REST)                                                                \
    YOKE_FUNCTION T name(W m, W order, R high, R low)                                                     \
    {                                                                                                     \
        T t;                                                                                              \
        W mirrored = order - m, m1 = m > mirrored ? mirrored : m, rest = 4 * m1;                          \
        W is_first = rest < order - rest, is_last = rest - order > 2 * order - rest;                      \
        R f, g, x, y, z, c, s, none = (R)0;                                                               \
        rest -= is_first ? 0 * order : is_last ? 2 * order : order;                                       \
        f = convert(rest);                                                                                \
        g = REST(rest, f);                                                                                \
        x = f * high;                                                                                     \
        y = yoke_fma(g, high, yoke_fma(f, low, yoke_fma(f, high, -x)));                                   \
        z = x * x;                                                                                        \
        s = x + yoke_fma(x * z, SIN_TAIL(z, R), y);                                                       \
        c = (R)1 + yoke_fma(z, COS_TAIL(z, R), -(x * y));                                                 \
        t.c = is_first ? c : is_last ? none - c : none - s;                                               \
        t.s = is_first ? s : is_last ? none - s : c;                                                      \
        t.s = m > mirrored ? none - t.s : t.s;                                                            \
        return t;                                                                                         \
    }
#define to_scalar(x) ((scalar)(x))
/* What a float cannot hold of an order above 2^24; nothing, for the roots of a few points. */
#define NO_REST(rest, f) ((scalar)0)
#define SCALAR_REST(rest, f) to_scalar((rest) - (yoke_i32)(f))
#define LANES_REST(rest, f) to_real((rest) - to_whole(f))
ROOT(small_root, yoke_i32, scalar, scalar_turn, to_scalar, NO_REST)
ROOT(scalar_root, yoke_i32, scalar, scalar_turn, to_scalar, SCALAR_REST)
#if LANES > 1
ROOT(lanes_root, whole, real, turn, to_real, LANES_REST)
#endif

/* ---- Complex numbers ---- */

YOKE_FUNCTION complex_value c_add(complex_value a, complex_value b)
{
    a.x += b.x;
    a.y += b.y;
    return a;
}

YOKE_FUNCTION complex_value c_subtract(complex_value a, complex_value b)
{
    a.x -= b.x;
    a.y -= b.y;
    return a;
}

/* a * -i */
YOKE_FUNCTION complex_value c_quarter(complex_value a)
{
    complex_value b;
    b.x = a.y;
    b.y = -a.x;
    return b;
}

YOKE_FUNCTION complex_value c_turn(complex_value a, real c, real s)
{
    complex_value b;
    b.x = yoke_fma(a.x, c, a.y * s);
    b.y = yoke_fma(a.y, c, -(a.x * s));
    return b;
}

/* ---- Transforms of a few points, in place ---- */

YOKE_FUNCTION void fft_1(complex_value *v)
{
    (void)v;
}

YOKE_FUNCTION void fft_2(complex_value *v)
{
    complex_value a = v[0];
    v[0] = c_add(a, v[1]);
    v[1] = c_subtract(a, v[1]);
}

YOKE_FUNCTION void fft_4_of(complex_value *a, complex_value *b, complex_value *c, complex_value *d)
{
    complex_value even = c_add(*a, *c), odd = c_add(*b, *d);
    complex_value even_far = c_subtract(*a, *c), odd_far = c_quarter(c_subtract(*b, *d));
    *a = c_add(even, odd);
    *b = c_add(even_far, odd_far);
    *c = c_subtract(even, odd);
    *d = c_subtract(even_far, odd_far);
}

YOKE_FUNCTION void fft_4(complex_value *v)
{
    fft_4_of(&v[0], &v[1], &v[2], &v[3]);
}

YOKE_FUNCTION complex_value c_eighth(complex_value a)
{
    complex_value b;
    b.x = (a.x + a.y) * NUMBER(0.70710678118654752440);
    b.y = (a.y - a.x) * NUMBER(0.70710678118654752440);
    return b;
}

YOKE_FUNCTION complex_value c_three_eighths(complex_value a)
{
    complex_value b;
    b.x = (a.y - a.x) * NUMBER(0.70710678118654752440);
    b.y = (a.x + a.y) * NUMBER(-0.70710678118654752440);
    return b;
}

YOKE_FUNCTION void fft_8(complex_value *v)
{
    complex_value a, b, c, d;
    fft_4_of(&v[0], &v[2], &v[4], &v[6]);
    fft_4_of(&v[1], &v[3], &v[5], &v[7]);
    a = v[1];
    b = c_eighth(v[3]);
    c = c_quarter(v[5]);
    d = c_three_eighths(v[7]);
    v[1] = c_add(v[2], b);
    v[5] = c_subtract(v[2], b);
    v[3] = c_add(v[6], d);
    v[7] = c_subtract(v[6], d);
    v[2] = c_add(v[4], c);
    v[6] = c_subtract(v[4], c);
    v[4] = c_subtract(v[0], a);
    v[0] = c_add(v[0], a);
}

YOKE_FUNCTION void fft_16(complex_value *v)
{
    const real c = NUMBER(0.92387953251128675613), s = NUMBER(0.38268343236508977173);
    complex_value t;
    fft_4_of(&v[0], &v[4], &v[8], &v[12]);
    fft_4_of(&v[1], &v[5], &v[9], &v[13]);
    fft_4_of(&v[2], &v[6], &v[10], &v[14]);
    fft_4_of(&v[3], &v[7], &v[11], &v[15]);
    v[5] = c_turn(v[5], c, s);
    v[6] = c_eighth(v[6]);
    v[7] = c_turn(v[7], s, c);
    v[9] = c_eighth(v[9]);
    v[10] = c_quarter(v[10]);
    v[11] = c_three_eighths(v[11]);
    v[13] = c_turn(v[13], s, c);
    v[14] = c_three_eighths(v[14]);
    v[15] = c_turn(v[15], -c, -s);
    fft_4_of(&v[0], &v[1], &v[2], &v[3]);
    fft_4_of(&v[4], &v[5], &v[6], &v[7]);
    fft_4_of(&v[8], &v[9], &v[10], &v[11]);
    fft_4_of(&v[12], &v[13], &v[14], &v[15]);
    /* Result m + 4 k lies at 4 m + k. */
#define EXCHANGE(i, j) t = v[i], v[i] = v[j], v[j] = t
    EXCHANGE(1, 4);
    EXCHANGE(2, 8);
    EXCHANGE(3, 12);
    EXCHANGE(6, 9);
    EXCHANGE(7, 13);
    EXCHANGE(11, 14);
#undef EXCHANGE
}

#define PRIME 3
#define COSINES SCALAR(-0.5)
#define SINES SCALAR(0.86602540378443864676)
#include "fft_prime.h"

#define PRIME 5
#define COSINES SCALAR(0.3090169943749474241), SCALAR(-0.8090169943749474241)
#define SINES SCALAR(0.95105651629515357212), SCALAR(0.58778525229247312917)
#include "fft_prime.h"

#define PRIME 7
#define COSINES SCALAR(0.62348980185873353053), SCALAR(-0.22252093395631440429), SCALAR(-0.90096886790241912624)
#define SINES SCALAR(0.78183148246802980871), SCALAR(0.97492791218182360702), SCALAR(0.43388373911755812048)
#include "fft_prime.h"

#define PRIME 11
#define COSINES \
    SCALAR(0.84125353283118116886), SCALAR(0.41541501300188642553), SCALAR(-0.14231483827328514044), \
    SCALAR(-0.65486073394528506406), SCALAR(-0.95949297361449738989)
#define SINES \
    SCALAR(0.54064081745559758211), SCALAR(0.90963199535451837141), SCALAR(0.98982144188093273238), \
    SCALAR(0.75574957435425828377), SCALAR(0.28173255684142969771)
#include "fft_prime.h"

#define PRIME 13
#define COSINES \
    SCALAR(0.8854560256532098959), SCALAR(0.56806474673115580251), SCALAR(0.12053668025532305335), \
    SCALAR(-0.35460488704253562597), SCALAR(-0.74851074817110109863), SCALAR(-0.97094181742605202716)
#define SINES \
    SCALAR(0.46472317204376854566), SCALAR(0.82298386589365639458), SCALAR(0.9927088740980539928), \
    SCALAR(0.93501624268541482344), SCALAR(0.66312265824079520238), SCALAR(0.23931566428755776715)
#include "fft_prime.h"

#endif
