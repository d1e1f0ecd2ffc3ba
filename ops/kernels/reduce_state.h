/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reduction carries from element to element, for each operation. The including text is compiled with these macros:
 *
 *   OP        the operation's number, as in <yoke/ops.h>
 *   IN, OUT   the dtypes of the elements and of the output
 *   ACC       the dtype that is computed with: i64 or u64 (both wrap), f32, f64, c64 or c128. Min and max have none
 *   KIND      of ACC: 0 integer, 1 real, 2 complex; IN_COMPLEX  1 where IN is complex
 *   KEY_BITS  of YOKE_REDUCE_ARGMIN and _ARGMAX: the bits of the type that IN is computed with
 *   QUOTIENT  of YOKE_REDUCE_MEAN: the dtype of the division, which is ACC unless that is an integer
 *   IN_BOOL   1 where IN is bool
 *
 * and gets:
 *
 *   state, lift(value, at)    what one element is; `at` is its position, from the start of the block's elements
 *   combine(a, b)             what both are together; `a` has the lower positions only where an operation says so
 *   absent()                  combine(x, absent()) is x, to the last bit
 *   wide, widen(x, base), wide_combine   the same with positions in 64 bits
 *   finish(x, n)              the output's value for n elements, and empty() for none
 *
 * Sums begin with -0, not with 0, so that a sum of -0 is -0. Min and max compare keys: unsigned integers in the order of the
 * values, -0 before 0, and NaN after all others. Of YOKE_REDUCE_MAX and _ARGMAX the keys are reversed, so that all four look for
 * the least.
 */
#ifndef YOPS_REDUCE_STATE_H
#define YOPS_REDUCE_STATE_H

#include "element.h"

#define OP_SUM 1
#define OP_PRODUCT 2
#define OP_MIN 3
#define OP_MAX 4
#define OP_ANY 5
#define OP_ALL 6
#define OP_ARGMIN 7
#define OP_ARGMAX 8
#define OP_MEAN 9
#define OP_VARIANCE 10
#define OP_NORM 11

#define YOPS_INFINITY yoke_uint_as_float(0x7f800000u)

#ifdef NEED_F64
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define BITS_OF_DOUBLE(x) as_ulong(x)
#define DOUBLE_OF_BITS(x) as_double(x)
#else
#define BITS_OF_DOUBLE(x) (yoke_u64) __double_as_longlong(x)
#define DOUBLE_OF_BITS(x) __longlong_as_double((long long)(x))
#endif
#endif

#if OP == OP_SUM || OP == OP_MEAN || OP == OP_PRODUCT

/* ---- Sums and products ---- */

typedef VALUE(ACC) number;

#if KIND == 0 && OP == OP_MEAN && KEY_BITS == 64

/* Means of integers of 64 bits have a place where their sum has none: it has 128 bits. */
typedef struct state {
    yoke_u64 low;
    yoke_i64 high;
} state;

YOKE_FUNCTION state lift_parts(yoke_u64 low, yoke_i64 high)
{
    state s;
    s.low = low;
    s.high = high;
    return s;
}
YOKE_FUNCTION state combine(state a, state b)
{
    b.low += a.low;
    b.high += a.high + (b.low < a.low ? 1 : 0);
    return b;
}
#define high_of_l(value) ((value) < 0 ? -1 : 0) /* signed */
#define high_of_m(value) 0
YOKE_FUNCTION state lift_integer(number value)
{
    return lift_parts((yoke_u64)value, JOIN(high_of_, CLASS(ACC))(value));
}
YOKE_FUNCTION VALUE(QUOTIENT) rounded_sum(state sum)
{
    if (sum.high == -1 && sum.low >> 63 != 0)
        return FROM(QUOTIENT, l)((yoke_i64)sum.low);
    return FROM(QUOTIENT, l)(sum.high) * 18446744073709551616.0f + FROM(QUOTIENT, m)(sum.low);
}
#define absent() lift_parts(0, 0)
#define empty() absent()
#define lift(value, at) lift_integer(FROM(ACC, CLASS(IN))(value))

#elif KIND == 0

typedef yoke_u64 state;
#if OP == OP_PRODUCT
#define absent() ((state)1)
#define combine(a, b) ((a) * (b))
#else
#define absent() ((state)0)
#define combine(a, b) ((a) + (b))
#endif
#define empty() absent()
#define lift(value, at) ((state)FROM(ACC, CLASS(IN))(value))
#define rounded_sum(sum) FROM(QUOTIENT, CLASS(ACC))((number)(sum))

#elif KIND == 1

#define rounded_sum(sum) FROM(QUOTIENT, CLASS(ACC))(sum)

typedef number state;
#if OP == OP_PRODUCT
#define absent() ((state)1)
#define empty() ((state)1)
#define combine(a, b) ((a) * (b))
#else
#define absent() (-(state)0)
#define empty() ((state)0)
#define combine(a, b) ((a) + (b))
#endif

#define lift(value, at) FROM(ACC, CLASS(IN))(value)

#elif OP == OP_PRODUCT

/* Multiplying by 1 + 0i changes infinities, so that an absent number is marked. */
typedef struct state {
    number value;
    yoke_u32 present;
} state;

YOKE_FUNCTION state lift_number(number value, yoke_u32 present)
{
    state s;
    s.value = value;
    s.present = present;
    return s;
}

YOKE_FUNCTION state combine(state a, state b)
{
    number x = a.value, y = b.value;
    state s;
    if (a.present == 0)
        return b;
    if (b.present == 0)
        return a;
    s.present = 1;
    s.value.x = x.x * y.x - x.y * y.y;
    s.value.y = x.x * y.y + x.y * y.x;
    return s;
}
#define absent() lift_number(FROM(ACC, f)(1.0f), 0)
#define empty() absent()
#define lift(number, at) lift_number(FROM(ACC, CLASS(IN))(number), 1)

#else

typedef number state;
YOKE_FUNCTION state combine(state a, state b)
{
    a.x += b.x;
    a.y += b.y;
    return a;
}
YOKE_FUNCTION state absent(void)
{
    state s;
    s.x = -0.0f;
    s.y = -0.0f;
    return s;
}
#define empty() FROM(ACC, f)(0.0f)
#define lift(value, at) FROM(ACC, CLASS(IN))(value)

#endif

#if OP == OP_MEAN && KIND == 2
YOKE_FUNCTION VALUE(OUT) finish(state sum, yoke_i64 n)
{
    sum.x /= FROM(QUOTIENT, l)(n);
    sum.y /= FROM(QUOTIENT, l)(n);
    return FROM(OUT, CLASS(ACC))(sum);
}
#elif OP == OP_MEAN
YOKE_FUNCTION VALUE(OUT) finish(state sum, yoke_i64 n)
{
    VALUE(QUOTIENT) mean = rounded_sum(sum);
    mean /= FROM(QUOTIENT, l)(n);
    return FROM(OUT, CLASS(QUOTIENT))(mean);
}
#elif OP == OP_PRODUCT && KIND == 2
#define finish(x, n) FROM(OUT, CLASS(ACC))((x).value)
#else
#define finish(x, n) FROM(OUT, CLASS(ACC))((number)(x))
#endif

#elif OP == OP_ANY || OP == OP_ALL

/* ---- Any and all: whether an element is true, or is false ---- */

typedef yoke_u32 state;
#define absent() 0u
#define empty() 0u
#define combine(a, b) ((a) | (b))
#if OP == OP_ANY
#define lift(value, at) FROM(bool, CLASS(IN))(value)
#define finish(x, n) FROM(OUT, u)(x)
#else
#define lift(value, at) (FROM(bool, CLASS(IN))(value) ^ 1u)
#define finish(x, n) FROM(OUT, u)((x) ^ 1u)
#endif

#elif OP == OP_NORM

/* ---- Norm: the squares of small, of usual and of large numbers in sums of their own, so that none overflows or is lost ---- */

typedef VALUE(ACC) number;
typedef struct state {
    number small, usual, large;
} state;

/* Powers of two. A number from LARGE on is multiplied by DOWN before it is squared, and one below SMALL by UP = 1 / DOWN: squares
 * are normal numbers, and 2^40 of them have a place. */
#define POWER_f(exponent) yoke_uint_as_float((yoke_u32)(127 + (exponent)) << 23)
#define LARGE_f POWER_f(44)
#define SMALL_f POWER_f(-55)
#define UP_f POWER_f(88)
#define DOWN_f POWER_f(-88)
#define POWER_d(exponent) DOUBLE_OF_BITS((yoke_u64)(1023 + (exponent)) << 52)
#define LARGE_d POWER_d(460)
#define SMALL_d POWER_d(-500)
#define UP_d POWER_d(600)
#define DOWN_d POWER_d(-600)
#define LARGE JOIN(LARGE_, CLASS(ACC))
#define SMALL JOIN(SMALL_, CLASS(ACC))
#define UP JOIN(UP_, CLASS(ACC))
#define DOWN JOIN(DOWN_, CLASS(ACC))

/* NaN is a usual number, an infinity a large one. */
YOKE_FUNCTION state lift_real(number value)
{
    number size = fabs(value), scale = size >= LARGE ? DOWN : size < SMALL ? UP : (number)1, square;
    state s;
    size *= scale;
    square = size * size;
    s.small = scale == UP ? square : (number)0;
    s.usual = scale == (number)1 ? square : (number)0;
    s.large = scale == DOWN ? square : (number)0;
    return s;
}

/* One of the sums alone: what the number adds to it. The bit of the sum where a number belongs is set in *met, but not by 0. */
#define USUAL_PART 0
#define SMALL_PART 1
#define LARGE_PART 2
YOKE_FUNCTION number lift_real_part(number value, yoke_u32 which, yoke_u32 *met)
{
    number size = fabs(value), scaled = size * (which == LARGE_PART ? DOWN : which == SMALL_PART ? UP : (number)1);
    yoke_u32 mine = size >= LARGE ? LARGE_PART : size < SMALL ? SMALL_PART : USUAL_PART;
    *met |= size > 0 ? 1u << mine : 0u;
    return mine == which ? scaled * scaled : (number)0;
}

YOKE_FUNCTION state combine(state a, state b)
{
    a.small += b.small;
    a.usual += b.usual;
    a.large += b.large;
    return a;
}

#define absent() lift_real(0)
#define empty() absent()
#if IN_COMPLEX
YOKE_FUNCTION state lift_complex(VALUE(IN) value)
{
    return combine(lift_real(value.x), lift_real(value.y));
}
#define lift(value, at) lift_complex(value)
YOKE_FUNCTION number lift_part(VALUE(IN) value, yoke_u32 which, yoke_u32 *met)
{
    return lift_real_part(value.x, which, met) + lift_real_part(value.y, which, met);
}
#else
#define lift(value, at) lift_real(FROM(ACC, CLASS(IN))(value))
#define lift_part(value, which, met) lift_real_part(FROM(ACC, CLASS(IN))(value), which, met)
#endif

/* Beside a large number the small ones have no weight. */
YOKE_FUNCTION number root_of(state s)
{
    if (s.large > 0)
        return sqrt(s.large + s.usual * DOWN * DOWN) * UP;
    if (s.usual == 0)
        return sqrt(s.small) * DOWN;
    return sqrt(s.usual + s.small * DOWN * DOWN);
}
#define finish(x, n) FROM(OUT, CLASS(ACC))(root_of(x))

#elif OP == OP_VARIANCE

/* ---- Variance: means and sums of squared distances, merged pairwise ---- */

typedef VALUE(ACC) number;
typedef struct state {
    number mean, squares, count;
} state;

YOKE_FUNCTION state lift_number(number value, number count)
{
    state s;
    s.mean = value;
    s.squares = 0;
    s.count = count;
    return s;
}

/* mean = a.mean + d * share and squares = a.squares + b.squares + d * d * (a.count * share), where d = b.mean - a.mean and
 * share = b.count / (a.count + b.count). */
YOKE_FUNCTION state combine(state a, state b)
{
    number share, distance = b.mean - a.mean;
    state both;
    if (b.count == 0)
        return a;
    share = a.count == b.count ? (number)0.5f : b.count / (a.count + b.count);
    both.mean = a.mean + distance * share;
    both.squares = (a.squares + b.squares) + (distance * distance) * (a.count * share);
    both.count = a.count + b.count;
    return both;
}
#define absent() lift_number(0, 0)
#define empty() absent()
#define lift(value, at) lift_number(FROM(ACC, CLASS(IN))(value), 1)
/* The mean minus itself: NaN where an element is infinite, as its distance from the mean is, whatever the order. */
#define finish(x, n) FROM(OUT, CLASS(ACC))((x).squares / (x).count + ((x).mean - (x).mean))

#else

/* ---- The least and the largest ---- */

#define REVERSED (OP == OP_MAX || OP == OP_ARGMAX)

typedef yoke_u32 key_type_i;
typedef yoke_u32 key_type_u;
typedef yoke_u64 key_type_l;
typedef yoke_u64 key_type_m;
typedef yoke_u32 key_type_f;
#define LAST_i 0xffffffffu
#define LAST_u 0xffffffffu
#define LAST_f 0xffffffffu
#define LAST_l ((yoke_u64)0 - 1)
#define LAST_m ((yoke_u64)0 - 1)
#define TOP_64 ((yoke_u64)1 << 63)

#define REVERSE(key) (REVERSED ? ~(key) : (key))
#define key_of_i(x) REVERSE((yoke_u32)(x) ^ 0x80000000u)
#define key_of_u(x) REVERSE((yoke_u32)(x))
#define key_of_l(x) REVERSE((yoke_u64)(x) ^ TOP_64)
#define key_of_m(x) REVERSE((yoke_u64)(x))
#define value_of_i(key) ((yoke_i32)(REVERSE(key) ^ 0x80000000u))
#define value_of_u(key) REVERSE(key)
#define value_of_l(key) ((yoke_i64)(REVERSE(key) ^ TOP_64))
#define value_of_m(key) REVERSE(key)

YOKE_FUNCTION yoke_u32 key_of_f(float x)
{
    yoke_u32 bits = yoke_float_as_uint(x);
    yoke_u32 key = bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
    return (bits & 0x7fffffffu) > 0x7f800000u ? LAST_f : REVERSE(key);
}
YOKE_FUNCTION float value_of_f(yoke_u32 key)
{
    yoke_u32 bits = REVERSE(key);
    if (key == LAST_f)
        return yoke_uint_as_float(0x7fc00000u);
    return yoke_uint_as_float(bits ^ ((bits >> 31) != 0 ? 0x80000000u : 0xffffffffu));
}

#ifdef NEED_F64
typedef yoke_u64 key_type_d;
#define LAST_d ((yoke_u64)0 - 1)
YOKE_FUNCTION yoke_u64 key_of_d(double x)
{
    yoke_u64 bits = BITS_OF_DOUBLE(x);
    yoke_u64 key = bits ^ ((bits >> 63) != 0 ? LAST_d : TOP_64);
    return (bits & ~TOP_64) > ((yoke_u64)0x7ff << 52) ? LAST_d : REVERSE(key);
}
YOKE_FUNCTION double value_of_d(yoke_u64 key)
{
    yoke_u64 bits = REVERSE(key);
    if (key == LAST_d)
        return DOUBLE_OF_BITS((yoke_u64)0xfff << 51);
    return DOUBLE_OF_BITS(bits ^ ((bits >> 63) != 0 ? TOP_64 : LAST_d));
}
#endif

typedef JOIN(key_type_, CLASS(IN)) key_type;
#define KEY_OF(value) JOIN(key_of_, CLASS(IN))(value)
#define VALUE_OF(key) JOIN(value_of_, CLASS(IN))(key)
#define LAST JOIN(LAST_, CLASS(IN))

#if OP == OP_MIN || OP == OP_MAX

typedef key_type state;
#define absent() LAST
YOKE_FUNCTION state combine(state a, state b)
{
    return b < a ? b : a;
}
#define lift(value, at) KEY_OF(value)
#define finish(x, n) FROM(OUT, CLASS(IN))(VALUE_OF(x))
#if OP == OP_MIN
#define empty() KEY_OF(FROM(IN, f)(YOPS_INFINITY))
#elif IN_BOOL
#define empty() KEY_OF(0)
#else
#define empty() KEY_OF(FROM(IN, f)(-YOPS_INFINITY))
#endif

#else

/* Of equal keys the lower position counts. */
typedef struct wide {
    key_type key;
    yoke_i64 at;
} wide;
#define WIDE_DECLARED

YOKE_FUNCTION wide make_wide(key_type key, yoke_i64 at)
{
    wide w;
    w.key = key;
    w.at = at;
    return w;
}
YOKE_FUNCTION wide wide_combine(wide a, wide b)
{
    return b.key < a.key || (b.key == a.key && b.at < a.at) ? b : a;
}
#define moved(x, base) make_wide((x).key, (x).at + (base))
#define empty() make_wide(LAST, -1)
#define finish(x, n) FROM(OUT, l)((x).at)

#if KEY_BITS == 32
/* The key above the position, in one number. */
typedef yoke_u64 state;
#define absent() ((yoke_u64)0 - 1)
YOKE_FUNCTION state combine(state a, state b)
{
    return b < a ? b : a;
}
#define lift(value, at) ((yoke_u64)KEY_OF(value) << 32 | (yoke_u32)(at))
#define widen(x, base) make_wide((yoke_u32)((x) >> 32), (base) + (yoke_i64)((x)&0xffffffffu))
#else
typedef struct state {
    key_type key;
    yoke_u32 at;
} state;
YOKE_FUNCTION state lift_key(key_type key, yoke_u32 at)
{
    state s;
    s.key = key;
    s.at = at;
    return s;
}
YOKE_FUNCTION state combine(state a, state b)
{
    return b.key < a.key || (b.key == a.key && b.at < a.at) ? b : a;
}
#define absent() lift_key(LAST, 0xffffffffu)
#define lift(value, at) lift_key(KEY_OF(value), at)
#define widen(x, base) make_wide((x).key, (base) + (yoke_i64)(x).at)
#endif

#endif
#endif

/* moved(x, base): with positions that count from another start. */
#ifndef WIDE_DECLARED
typedef state wide;
#define moved(x, base) (x)
#define widen(x, base) (x)
#define wide_combine(a, b) combine(a, b)
#endif

#endif
