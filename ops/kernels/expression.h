/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the statements of expressions call, in both languages: operations that C leaves undefined, or that the languages have under
 * different names or with different meanings. yops_NAME_CLASS, with the classes of element.h.
 */
#ifndef YOPS_KERNELS_EXPRESSION_H
#define YOPS_KERNELS_EXPRESSION_H

#include "element.h"

/* ---- Integers ---- */

/* Division by 0 gives 0; the lowest number divided by -1 wraps. Processors trap in both cases, and compilers for CPUs divide in all
 * lanes, so that the divisor has to be another one, and not only the result. */
#define YOPS_SIGNED(C, U, bits)                                                     \
    YOKE_FUNCTION type_##C yops_divide_##C(type_##C a, type_##C b)                  \
    {                                                                               \
        type_##C quotient = a / (b == 0 || b == -1 ? (type_##C)1 : b);              \
        return b == -1 ? (type_##C)((type_##U)0 - (type_##U)a) : b == 0 ? (type_##C)0 : quotient; \
    }                                                                               \
    YOKE_FUNCTION type_##C yops_remainder_##C(type_##C a, type_##C b)               \
    {                                                                               \
        return a % (b == 0 || b == -1 ? (type_##C)1 : b);                           \
    }                                                                               \
    YOKE_FUNCTION type_##C yops_shift_left_##C(type_##C a, yoke_u32 amount)         \
    {                                                                               \
        return amount < bits##u ? (type_##C)((type_##U)a << amount) : (type_##C)0;  \
    }                                                                               \
    YOKE_FUNCTION type_##C yops_shift_right_##C(type_##C a, yoke_u32 amount)        \
    {                                                                               \
        return a >> (amount < bits##u ? amount : bits##u - 1u);                     \
    }                                                                               \
    YOKE_FUNCTION type_##C yops_abs_##C(type_##C a)                                 \
    {                                                                               \
        return a < 0 ? (type_##C)((type_##U)0 - (type_##U)a) : a;                   \
    }
YOPS_SIGNED(i, u, 32)
YOPS_SIGNED(l, m, 64)

#define YOPS_UNSIGNED(C, bits)                                               \
    YOKE_FUNCTION type_##C yops_divide_##C(type_##C a, type_##C b)           \
    {                                                                        \
        type_##C quotient = a / (b == 0 ? (type_##C)1 : b);                  \
        return b == 0 ? (type_##C)0 : quotient;                              \
    }                                                                        \
    YOKE_FUNCTION type_##C yops_remainder_##C(type_##C a, type_##C b)        \
    {                                                                        \
        return a % (b == 0 ? (type_##C)1 : b);                               \
    }                                                                        \
    YOKE_FUNCTION type_##C yops_shift_left_##C(type_##C a, yoke_u32 amount)  \
    {                                                                        \
        return amount < bits##u ? a << amount : (type_##C)0;                 \
    }                                                                        \
    YOKE_FUNCTION type_##C yops_shift_right_##C(type_##C a, yoke_u32 amount) \
    {                                                                        \
        return amount < bits##u ? a >> amount : (type_##C)0;                 \
    }                                                                        \
    YOKE_FUNCTION type_##C yops_abs_##C(type_##C a)                          \
    {                                                                        \
        return a;                                                            \
    }
YOPS_UNSIGNED(u, 32)
YOPS_UNSIGNED(m, 64)

/* An amount of 64 bits for the shifts, which take all above 63, and so negative ones, for too many. */
#define yops_amount(amount) ((yoke_u64)(amount) < 64u ? (yoke_u32)(amount) : 64u)

#define YOPS_INTEGER_ORDER(C)                                                              \
    YOKE_FUNCTION type_##C yops_min_##C(type_##C a, type_##C b)                            \
    {                                                                                      \
        return b < a ? b : a;                                                              \
    }                                                                                      \
    YOKE_FUNCTION type_##C yops_max_##C(type_##C a, type_##C b)                            \
    {                                                                                      \
        return b > a ? b : a;                                                              \
    }                                                                                      \
    YOKE_FUNCTION type_##C yops_clamp_##C(type_##C x, type_##C low, type_##C high)         \
    {                                                                                      \
        return yops_min_##C(yops_max_##C(x, low), high);                                   \
    }
YOPS_INTEGER_ORDER(i)
YOPS_INTEGER_ORDER(u)
YOPS_INTEGER_ORDER(l)
YOPS_INTEGER_ORDER(m)

/* ---- Floating point ---- */

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define yops_double(bits) as_double((ulong)(bits))
#define yops_bits_d(x) as_ulong(x)
#else
#define yops_double(bits) __longlong_as_double((long long)(bits))
#define yops_bits_d(x) ((yoke_u64)__double_as_longlong(x))
#endif
#define yops_bits_f(x) yoke_float_as_uint(x)
#define yops_from_bits_f(bits) yoke_uint_as_float(bits)
#define yops_from_bits_d(bits) yops_double(bits)

/* min and max are minimumNumber and maximumNumber of IEEE 754: a NaN loses, and -0 is below 0, the only two that are equal but have
 * different bits. clamp keeps NaN. rint adds and takes away the number from which on all are whole: with the language's own rint of
 * a constant, PoCL 3.1 runs nothing of the kernel. */
#define YOPS_REAL(C, bits_type, infinity, sign, whole)                                          \
    YOKE_FUNCTION type_##C yops_min_##C(type_##C a, type_##C b)                          \
    {                                                                                    \
        if (a == b)                                                                      \
            return yops_from_bits_##C(yops_bits_##C(a) | yops_bits_##C(b));                   \
        return b < a || a != a ? b : a;                                                  \
    }                                                                                    \
    YOKE_FUNCTION type_##C yops_max_##C(type_##C a, type_##C b)                          \
    {                                                                                    \
        if (a == b)                                                                      \
            return yops_from_bits_##C(yops_bits_##C(a) & yops_bits_##C(b));                   \
        return b > a || a != a ? b : a;                                                  \
    }                                                                                    \
    YOKE_FUNCTION type_##C yops_clamp_##C(type_##C x, type_##C low, type_##C high)       \
    {                                                                                    \
        return x != x ? x : yops_min_##C(yops_max_##C(x, low), high);                    \
    }                                                                                    \
    YOKE_FUNCTION type_##C yops_abs_##C(type_##C a)                                      \
    {                                                                                    \
        return fabs(a);                                                                  \
    }                                                                                    \
    YOKE_FUNCTION type_##C yops_fdim_##C(type_##C a, type_##C b)                         \
    {                                                                                    \
        return a != a ? a : b != b ? b : a > b ? a - b : (type_##C)0;                    \
    }                                                                                    \
    YOKE_FUNCTION type_##C yops_rint_##C(type_##C a)                                     \
    {                                                                                    \
        type_##C size = fabs(a);                                                         \
        return size < (type_##C)(whole) ? copysign(size + (type_##C)(whole) - (type_##C)(whole), a) : a; \
    }                                                                                    \
    YOKE_FUNCTION value_bool yops_isnan_##C(type_##C a)                                  \
    {                                                                                    \
        return (yops_bits_##C(a) & ~(bits_type)(sign)) > (bits_type)(infinity) ? 1u : 0u; \
    }                                                                                    \
    YOKE_FUNCTION value_bool yops_isinf_##C(type_##C a)                                  \
    {                                                                                    \
        return (yops_bits_##C(a) & ~(bits_type)(sign)) == (bits_type)(infinity) ? 1u : 0u; \
    }                                                                                    \
    YOKE_FUNCTION value_bool yops_isfinite_##C(type_##C a)                               \
    {                                                                                    \
        return (yops_bits_##C(a) & ~(bits_type)(sign)) < (bits_type)(infinity) ? 1u : 0u; \
    }                                                                                    \
    YOKE_FUNCTION value_bool yops_signbit_##C(type_##C a)                                \
    {                                                                                    \
        return (yops_bits_##C(a) & (bits_type)(sign)) != 0 ? 1u : 0u;                    \
    }
YOPS_REAL(f, yoke_u32, 0x7f800000u, 0x80000000u, 8388608.0f)
#define yops_fmin_f yops_min_f
#define yops_fmax_f yops_max_f
#ifdef NEED_F64
YOPS_REAL(d, yoke_u64, 0x7ff0000000000000ul, 0x8000000000000000ul, 4503599627370496.0)
#define yops_fmin_d yops_min_d
#define yops_fmax_d yops_max_d
#endif

/* ---- Comparisons of two classes ---- */

/* How an integer lies to a number of another class: 1 below it, 2 equal, 4 above, 8 where that is NaN, or has an imaginary part.
 * The integer rounded to the other class is on the right side of the number unless it is the number itself: then the number is
 * whole, and integers are compared. `above` is what follows the highest integer. */
#define YOPS_ORDER(C, R, E, above)                                                              \
    YOKE_FUNCTION yoke_u32 yops_order_##C##_##R(type_##C a, type_##R b)                         \
    {                                                                                           \
        type_##R rounded = (type_##R)a;                                                         \
        type_##C whole;                                                                         \
        if (rounded != b)                                                                       \
            return b != b ? 8u : rounded < b ? 1u : 4u;                                         \
        if (b >= (type_##R)(above))                                                             \
            return 1u;                                                                          \
        whole = (type_##C)b;                                                                    \
        return a < whole ? 1u : a > whole ? 4u : 2u;                                            \
    }                                                                                           \
    YOKE_FUNCTION yoke_u32 yops_order_##C##_##E(type_##C a, type_##E b)                         \
    {                                                                                           \
        return b.y == 0 ? yops_order_##C##_##R(a, b.x) : 8u;                                    \
    }
YOPS_ORDER(i, f, e, 2147483648.0f)
YOPS_ORDER(u, f, e, 4294967296.0f)
YOPS_ORDER(l, f, e, 9223372036854775808.0f)
YOPS_ORDER(m, f, e, 18446744073709551616.0f)
#ifdef NEED_F64
YOPS_ORDER(l, d, g, 9223372036854775808.0f)
YOPS_ORDER(m, d, g, 18446744073709551616.0f)
#endif

YOKE_FUNCTION yoke_u32 yops_order_i_m(type_i a, type_m b)
{
    return a < 0 || (yoke_u32)a < b ? 1u : (yoke_u32)a > b ? 4u : 2u;
}
YOKE_FUNCTION yoke_u32 yops_order_l_m(type_l a, type_m b)
{
    return a < 0 || (yoke_u64)a < b ? 1u : (yoke_u64)a > b ? 4u : 2u;
}

/* ---- Rounding to halves ---- */

/* Rounded to bfloat16 and back. */
YOKE_FUNCTION float yops_round_bf16(float x)
{
    return yoke_uint_as_float((yoke_u32)bits_of_bf16(x) << 16);
}

/* Rounded to float16 and back: to a multiple of the last place of float16, which is 2^13 of float's, and of 2^-24 below 2^-14. */
YOKE_FUNCTION float yops_round_f16(float x)
{
    yoke_u32 bits = yoke_float_as_uint(x), sign = bits & 0x80000000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return x;
    if (size >= 0x477ff000u) /* 65520 and above: infinity */
        return yoke_uint_as_float(sign | 0x7f800000u);
    if (size < 0x38800000u) /* adding 0.5 rounds at 2^-24 */
        return yoke_uint_as_float(sign | yoke_float_as_uint(yoke_uint_as_float(size) + 0.5f - 0.5f));
    return yoke_uint_as_float(sign | ((size + 0xfffu + (size >> 13 & 1u)) & 0xffffe000u));
}

/* ---- Complex numbers ---- */

#define yops_pair_e(x, y) yoke_float2(x, y)
#define yops_pair_g(x, y) double_pair(x, y)

/* Division scales by the larger part of the divisor (Smith), in this order of operations. */
#define YOPS_COMPLEX(C, R)                                                                             \
    YOKE_FUNCTION type_##C yops_add_##C(type_##C a, type_##C b)                                        \
    {                                                                                                  \
        return yops_pair_##C(a.x + b.x, a.y + b.y);                                                    \
    }                                                                                                  \
    YOKE_FUNCTION type_##C yops_subtract_##C(type_##C a, type_##C b)                                   \
    {                                                                                                  \
        return yops_pair_##C(a.x - b.x, a.y - b.y);                                                    \
    }                                                                                                  \
    YOKE_FUNCTION type_##C yops_multiply_##C(type_##C a, type_##C b)                                   \
    {                                                                                                  \
        return yops_pair_##C(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);                            \
    }                                                                                                  \
    YOKE_FUNCTION type_##C yops_divide_##C(type_##C a, type_##C b)                                     \
    {                                                                                                  \
        type_##R ratio, scale;                                                                         \
        if (fabs(b.x) >= fabs(b.y)) {                                                                  \
            if (b.x == 0 && b.y == 0)                                                                  \
                return yops_pair_##C(a.x / fabs(b.x), a.y / fabs(b.x));                                \
            ratio = b.y / b.x;                                                                         \
            scale = b.x + b.y * ratio;                                                                 \
            return yops_pair_##C((a.x + a.y * ratio) / scale, (a.y - a.x * ratio) / scale);            \
        }                                                                                              \
        ratio = b.x / b.y;                                                                             \
        scale = b.x * ratio + b.y;                                                                     \
        return yops_pair_##C((a.x * ratio + a.y) / scale, (a.y * ratio - a.x) / scale);                \
    }                                                                                                  \
    YOKE_FUNCTION type_##C yops_negate_##C(type_##C a)                                                 \
    {                                                                                                  \
        return yops_pair_##C(-a.x, -a.y);                                                              \
    }                                                                                                  \
    YOKE_FUNCTION value_bool yops_equal_##C(type_##C a, type_##C b)                                    \
    {                                                                                                  \
        return a.x == b.x && a.y == b.y ? 1u : 0u;                                                     \
    }                                                                                                  \
    YOKE_FUNCTION value_bool yops_unequal_##C(type_##C a, type_##C b)                                  \
    {                                                                                                  \
        return a.x == b.x && a.y == b.y ? 0u : 1u;                                                     \
    }                                                                                                  \
    YOKE_FUNCTION type_##C yops_conj_##C(type_##C a)                                                   \
    {                                                                                                  \
        return yops_pair_##C(a.x, -a.y);                                                               \
    }

/* abs is hypot, with the same bits on every device: infinite where a part is, even beside NaN. Before parts are squared they are
 * multiplied by a power of two, unless the longer one lies from `small` up to `large`. */
#define YOPS_COMPLEX_ABS(C, R, large, small, up, down)                                                 \
    YOKE_FUNCTION type_##R yops_abs_##C(type_##C a)                                                    \
    {                                                                                                  \
        type_##R x = fabs(a.x), y = fabs(a.y), longer = x < y ? y : x, shorter = x < y ? x : y, before, after; \
        if (yops_isinf_##R(x) || yops_isinf_##R(y))                                                    \
            return yops_isinf_##R(x) ? x : y;                                                          \
        before = longer >= (large) ? (down) : longer < (small) ? (up) : (type_##R)1;                   \
        after = longer >= (large) ? (up) : longer < (small) ? (down) : (type_##R)1;                    \
        longer *= before;                                                                              \
        shorter *= before;                                                                             \
        return sqrt(yoke_fma(longer, longer, shorter * shorter)) * after;                              \
    }
#define YOPS_POWER_F(exponent) yoke_uint_as_float((yoke_u32)(127 + (exponent)) << 23)
#define YOPS_POWER_D(exponent) yops_double((yoke_u64)(1023 + (exponent)) << 52)
YOPS_COMPLEX(e, f)
YOPS_COMPLEX_ABS(e, f, YOPS_POWER_F(44), YOPS_POWER_F(-55), YOPS_POWER_F(88), YOPS_POWER_F(-88))
#define yops_real_e(a) ((a).x)
#define yops_imag_e(a) ((a).y)
#define yops_complex_f(x, y) yoke_float2(x, y)
#ifdef NEED_F64
YOPS_COMPLEX(g, d)
YOPS_COMPLEX_ABS(g, d, YOPS_POWER_D(460), YOPS_POWER_D(-500), YOPS_POWER_D(600), YOPS_POWER_D(-600))
#define yops_real_g(a) ((a).x)
#define yops_imag_g(a) ((a).y)
#define yops_complex_d(x, y) double_pair(x, y)
#endif

#endif
