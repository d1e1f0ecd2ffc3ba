/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elements of arrays, for kernels in both languages. Each dtype T of bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32,
 * f64, c64 and c128 has:
 *
 *   stored_T               its type in memory
 *   value_T                the type that it is computed with: of 32 or 64 bits, float for the halves, a vector of two for complex
 *   class_T                a letter for that type: i, u, l, m (of 32 bits and 64 bits, signed and unsigned), f, d, e, g (complex)
 *   bytes_T                its size in memory, for the preprocessor too
 *   load_T(array, index)   the element as a value_T
 *   store_T(array, index, value)
 *   T_from_C(x)            for each class C: x converted to the dtype, as a value_T. Integers wrap; floating point to integer
 *                          truncates and saturates, NaN gives 0; complex to real takes the real part.
 *
 * A kernel takes the dtype as a macro, as -D IN=f32, and pastes: LOAD(IN)(x, i), FROM(OUT, class)(value). double and its complex
 * are declared only where NEED_F64 is defined.
 *
 * For the tests that compile texts without a device:
 * options: -
 * options: NEED_F64=1
 */
#ifndef YOPS_ELEMENT_H
#define YOPS_ELEMENT_H

#include "block_size.h"
#include <yoke/kernel.h>
#include <yoke/types.h>

/* Clang, which PoCL is made of, warns of each vector that an x86 without registers of its size hands to a function, and counts the
 * warnings on stderr. No function of these kernels is called from elsewhere. For GPUs its name is unknown, which is a warning. */
#if defined(__clang__) && defined(__x86_64__)
#pragma clang diagnostic ignored "-Wpsabi"
#endif

#if defined(NEED_F64) && (defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)) && __OPENCL_C_VERSION__ < 120
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define STORED(T) JOIN(stored_, T)
#define VALUE(T) JOIN(value_, T)
#define CLASS(T) JOIN(class_, T)
#define BYTES_OF(T) JOIN(bytes_, T)
#define LOAD(T) JOIN(load_, T)
#define STORE(T) JOIN(store_, T)
/* FROM(OUT, CLASS(IN)) is the conversion of an IN to an OUT. */
#define FROM(T, C) JOIN(JOIN(T, _from_), C)

/* ---- Types ---- */

typedef yoke_i32 type_i;
typedef yoke_u32 type_u;
typedef yoke_i64 type_l;
typedef yoke_u64 type_m;
typedef float type_f;
typedef float2 type_e;

typedef yoke_u8 stored_bool;
typedef yoke_i8 stored_i8;
typedef yoke_u8 stored_u8;
typedef yoke_i16 stored_i16;
typedef yoke_u16 stored_u16;
typedef yoke_i32 stored_i32;
typedef yoke_u32 stored_u32;
typedef yoke_i64 stored_i64;
typedef yoke_u64 stored_u64;
typedef yoke_u16 stored_f16;
typedef yoke_u16 stored_bf16;
typedef float stored_f32;
typedef float2 stored_c64;

#define bytes_bool 1
#define bytes_i8 1
#define bytes_u8 1
#define bytes_i16 2
#define bytes_u16 2
#define bytes_i32 4
#define bytes_u32 4
#define bytes_i64 8
#define bytes_u64 8
#define bytes_f16 2
#define bytes_bf16 2
#define bytes_f32 4
#define bytes_f64 8
#define bytes_c64 8
#define bytes_c128 16

#define class_bool u
#define class_i8 i
#define class_u8 u
#define class_i16 i
#define class_u16 u
#define class_i32 i
#define class_u32 u
#define class_i64 l
#define class_u64 m
#define class_f16 f
#define class_bf16 f
#define class_f32 f
#define class_c64 e

typedef yoke_u32 value_bool;
typedef yoke_i32 value_i8;
typedef yoke_u32 value_u8;
typedef yoke_i32 value_i16;
typedef yoke_u32 value_u16;
typedef yoke_i32 value_i32;
typedef yoke_u32 value_u32;
typedef yoke_i64 value_i64;
typedef yoke_u64 value_u64;
typedef float value_f16;
typedef float value_bf16;
typedef float value_f32;
typedef float2 value_c64;

#ifdef NEED_F64
typedef double type_d;
typedef double2 type_g;
typedef double stored_f64;
typedef double2 stored_c128;
typedef double value_f64;
typedef double2 value_c128;
#define class_f64 d
#define class_c128 g
#endif

/* ---- Half precision ---- */

/* The nearest bfloat16, ties to even. */
YOKE_FUNCTION yoke_u16 bits_of_bf16(float x)
{
    yoke_u32 bits = yoke_float_as_uint(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (yoke_u16)(bits >> 16 | 0x40u); /* NaN stays NaN */
    return (yoke_u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define load_f16(array, index) vload_half(index, (const __global half *)(array))
#define store_f16(array, index, value) vstore_half_rte(value, index, (__global half *)(array))
#else
YOKE_FUNCTION float f16_value(yoke_u16 half)
{
    yoke_u32 sign = (yoke_u32)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u;
    if (exponent == 31u)
        return yoke_uint_as_float(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0u) {
        float small = (float)fraction * 5.9604644775390625e-8f; /* 2^-24: exact */
        return sign ? -small : small;
    }
    return yoke_uint_as_float(sign | (exponent + 112u) << 23 | fraction << 13);
}
/* The nearest float16, ties to even. */
YOKE_FUNCTION yoke_u16 bits_of_f16(float x)
{
    yoke_u32 bits = yoke_float_as_uint(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return (yoke_u16)(sign | 0x7e00u | (size >> 13 & 0x1ffu));
    if (size >= 0x477ff000u) /* 65520 and above: infinity */
        return (yoke_u16)(sign | 0x7c00u);
    if (size < 0x38800000u) { /* below 2^-14: adding 0.5 leaves the subnormal's bits at the end of the fraction */
        return (yoke_u16)(sign | (yoke_float_as_uint(yoke_uint_as_float(size) + 0.5f) - 0x3f000000u));
    }
    return (yoke_u16)(sign | (size + 0xc8000fffu + (size >> 13 & 1u)) >> 13);
}
#define load_f16(array, index) f16_value((array)[index])
#define store_f16(array, index, value) ((array)[index] = bits_of_f16(value))
#endif

/* ---- Loads and stores ---- */

#define load_bool(array, index) ((array)[index] != 0 ? 1u : 0u)
#define load_i8(array, index) ((yoke_i32)(array)[index])
#define load_u8(array, index) ((yoke_u32)(array)[index])
#define load_i16(array, index) ((yoke_i32)(array)[index])
#define load_u16(array, index) ((yoke_u32)(array)[index])
#define load_i32(array, index) ((array)[index])
#define load_u32(array, index) ((array)[index])
#define load_i64(array, index) ((array)[index])
#define load_u64(array, index) ((array)[index])
#define load_bf16(array, index) yoke_uint_as_float((yoke_u32)(array)[index] << 16)
#define load_f32(array, index) ((array)[index])
#define load_f64(array, index) ((array)[index])
#define load_c64(array, index) ((array)[index])
#define load_c128(array, index) ((array)[index])

#define store_bool(array, index, value) ((array)[index] = (value) != 0)
#define store_i8(array, index, value) ((array)[index] = (yoke_i8)(value))
#define store_u8(array, index, value) ((array)[index] = (yoke_u8)(value))
#define store_i16(array, index, value) ((array)[index] = (yoke_i16)(value))
#define store_u16(array, index, value) ((array)[index] = (yoke_u16)(value))
#define store_i32(array, index, value) ((array)[index] = (value))
#define store_u32(array, index, value) ((array)[index] = (value))
#define store_i64(array, index, value) ((array)[index] = (value))
#define store_u64(array, index, value) ((array)[index] = (value))
#define store_bf16(array, index, value) ((array)[index] = bits_of_bf16(value))
#define store_f32(array, index, value) ((array)[index] = (value))
#define store_f64(array, index, value) ((array)[index] = (value))
#define store_c64(array, index, value) ((array)[index] = (value))
#define store_c128(array, index, value) ((array)[index] = (value))

/* ---- Conversions ---- */

/* From each class of integers to each dtype of integers: the cast to the stored type wraps. */
#define YOPS_FROM_INTEGER(T, C)                   \
    YOKE_FUNCTION value_##T T##_from_##C(type_##C x) \
    {                                             \
        return (value_##T)(stored_##T)x;          \
    }
#define YOPS_FROM_INTEGERS(T) YOPS_FROM_INTEGER(T, i) YOPS_FROM_INTEGER(T, u) YOPS_FROM_INTEGER(T, l) YOPS_FROM_INTEGER(T, m)
YOPS_FROM_INTEGERS(i8)
YOPS_FROM_INTEGERS(u8)
YOPS_FROM_INTEGERS(i16)
YOPS_FROM_INTEGERS(u16)
YOPS_FROM_INTEGERS(i32)
YOPS_FROM_INTEGERS(u32)
YOPS_FROM_INTEGERS(i64)
YOPS_FROM_INTEGERS(u64)

/* `low` and `high` are the type's ends; `above` is high + 1 as a floating-point number, which is exact. */
#define YOPS_SATURATE(T, C, low, high, above)                                                           \
    YOKE_FUNCTION value_##T T##_from_##C(type_##C x)                                                    \
    {                                                                                                   \
        return x != x ? 0 : x <= (type_##C)(low) ? (low) : x >= (type_##C)(above) ? (high) : (value_##T)x; \
    }
#define YOPS_FROM_FLOATING(C)                                                                     \
    YOPS_SATURATE(i8, C, -128, 127, 128)                                                          \
    YOPS_SATURATE(u8, C, 0, 255, 256)                                                             \
    YOPS_SATURATE(i16, C, -32768, 32767, 32768)                                                   \
    YOPS_SATURATE(u16, C, 0, 65535, 65536)                                                        \
    YOPS_SATURATE(i32, C, (-2147483647 - 1), 2147483647, 2147483648.0f)                           \
    YOPS_SATURATE(u32, C, 0u, 4294967295u, 4294967296.0f)                                         \
    YOPS_SATURATE(i64, C, (yoke_i64)0x8000000000000000ul, (yoke_i64)0x7ffffffffffffffful, 9223372036854775808.0f) \
    YOPS_SATURATE(u64, C, (yoke_u64)0, (yoke_u64)0xfffffffffffffffful, 18446744073709551616.0f)
YOPS_FROM_FLOATING(f)

#define bool_from_i(x) ((x) != 0 ? 1u : 0u)
#define bool_from_u(x) ((x) != 0 ? 1u : 0u)
#define bool_from_l(x) ((x) != 0 ? 1u : 0u)
#define bool_from_m(x) ((x) != 0 ? 1u : 0u)
#define bool_from_f(x) ((x) != 0 ? 1u : 0u)
#define bool_from_d(x) ((x) != 0 ? 1u : 0u)
#define f32_from_i(x) ((float)(x))
#define f32_from_u(x) ((float)(x))
#define f32_from_l(x) ((float)(x))
#define f32_from_m(x) ((float)(x))
#define f32_from_f(x) ((float)(x))
#define f32_from_d(x) ((float)(x))
#define f32_from_e(value) ((value).x)
#define f32_from_g(value) ((float)(value).x)
#define f16_from_i(x) ((float)(x))
#define f16_from_u(x) ((float)(x))
#define f16_from_l(x) ((float)(x))
#define f16_from_m(x) ((float)(x))
#define f16_from_f(x) ((float)(x))
#define f16_from_d(x) ((float)(x))
#define f16_from_e(value) ((value).x)
#define f16_from_g(value) ((float)(value).x)
#define bf16_from_i(x) ((float)(x))
#define bf16_from_u(x) ((float)(x))
#define bf16_from_l(x) ((float)(x))
#define bf16_from_m(x) ((float)(x))
#define bf16_from_f(x) ((float)(x))
#define bf16_from_d(x) ((float)(x))
#define bf16_from_e(value) ((value).x)
#define bf16_from_g(value) ((float)(value).x)
#define c64_from_i(x) yoke_float2((float)(x), 0.0f)
#define c64_from_u(x) yoke_float2((float)(x), 0.0f)
#define c64_from_l(x) yoke_float2((float)(x), 0.0f)
#define c64_from_m(x) yoke_float2((float)(x), 0.0f)
#define c64_from_f(x) yoke_float2(x, 0.0f)
#define c64_from_d(x) yoke_float2((float)(x), 0.0f)
#define c64_from_e(x) (x)
#define c64_from_g(value) yoke_float2((float)(value).x, (float)(value).y)

#define YOPS_FROM_COMPLEX(T, C, part)             \
    YOKE_FUNCTION value_##T T##_from_##C(type_##C x) \
    {                                             \
        return T##_from_##part(x.x);              \
    }
#define YOPS_INTEGERS_FROM_COMPLEX(C, part)                                                          \
    YOPS_FROM_COMPLEX(i8, C, part)                                                                   \
    YOPS_FROM_COMPLEX(u8, C, part)                                                                   \
    YOPS_FROM_COMPLEX(i16, C, part)                                                                  \
    YOPS_FROM_COMPLEX(u16, C, part)                                                                  \
    YOPS_FROM_COMPLEX(i32, C, part)                                                                  \
    YOPS_FROM_COMPLEX(u32, C, part)                                                                  \
    YOPS_FROM_COMPLEX(i64, C, part)                                                                  \
    YOPS_FROM_COMPLEX(u64, C, part)
YOPS_INTEGERS_FROM_COMPLEX(e, f)
#define bool_from_e(value) ((value).x != 0 || (value).y != 0 ? 1u : 0u)

#ifdef NEED_F64
YOPS_FROM_FLOATING(d)
YOPS_INTEGERS_FROM_COMPLEX(g, d)
#define bool_from_g(value) ((value).x != 0 || (value).y != 0 ? 1u : 0u)
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define double_pair(x, y) ((double2)(x, y))
#else
#define double_pair(x, y) make_double2(x, y)
#endif
#define f64_from_i(x) ((double)(x))
#define f64_from_u(x) ((double)(x))
#define f64_from_l(x) ((double)(x))
#define f64_from_m(x) ((double)(x))
#define f64_from_f(x) ((double)(x))
#define f64_from_d(x) ((double)(x))
#define f64_from_e(value) ((double)(value).x)
#define f64_from_g(value) ((value).x)
#define c128_from_i(x) double_pair((double)(x), 0.0)
#define c128_from_u(x) double_pair((double)(x), 0.0)
#define c128_from_l(x) double_pair((double)(x), 0.0)
#define c128_from_m(x) double_pair((double)(x), 0.0)
#define c128_from_f(x) double_pair((double)(x), 0.0)
#define c128_from_d(x) double_pair(x, 0.0)
#define c128_from_e(value) double_pair((double)(value).x, (double)(value).y)
#define c128_from_g(x) (x)
#endif

#endif
