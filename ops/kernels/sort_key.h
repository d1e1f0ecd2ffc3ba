/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and values of sorts. KEY is the token of a dtype: a raw_t is its bits as an unsigned number, moved as they are, and
 * key_order(key, flip) a number (code_t) that sorts as keys do: ascending for flip 0, descending for a flip of all ones. All NaNs
 * have one number, the last in both directions. VALUE_BYTES is the size of a value_t, which is never looked into; 0 where there is
 * none.
 */
#ifndef YOPS_SORT_KEY_H
#define YOPS_SORT_KEY_H

#include <yoke/kernel.h>
#include <yoke/types.h>

#define KEY_JOIN(a, b) KEY_JOIN_(a, b)
#define KEY_JOIN_(a, b) a##b

#define key_bits_bool 8
#define key_bits_i8 8
#define key_bits_u8 8
#define key_bits_i16 16
#define key_bits_u16 16
#define key_bits_i32 32
#define key_bits_u32 32
#define key_bits_i64 64
#define key_bits_u64 64
#define key_bits_f16 16
#define key_bits_bf16 16
#define key_bits_f32 32
#define key_bits_f64 64
#define KEY_BITS KEY_JOIN(key_bits_, KEY)
#define KEY_BYTES (KEY_BITS / 8)

/* 0: unsigned, 1: signed, 2: floating point, 3: bool */
#define key_kind_bool 3
#define key_kind_i8 1
#define key_kind_u8 0
#define key_kind_i16 1
#define key_kind_u16 0
#define key_kind_i32 1
#define key_kind_u32 0
#define key_kind_i64 1
#define key_kind_u64 0
#define key_kind_f16 2
#define key_kind_bf16 2
#define key_kind_f32 2
#define key_kind_f64 2
#define KEY_KIND KEY_JOIN(key_kind_, KEY)

/* The bits of infinity. */
#define key_infinity_f16 0x7c00u
#define key_infinity_bf16 0x7f80u
#define key_infinity_f32 0x7f800000u
#define key_infinity_f64 ((code_t)0x7ff00000u << 32)

#if KEY_BITS == 8
typedef yoke_u8 raw_t;
#elif KEY_BITS == 16
typedef yoke_u16 raw_t;
#elif KEY_BITS == 32
typedef yoke_u32 raw_t;
#else
typedef yoke_u64 raw_t;
#endif
#if KEY_BITS == 64
typedef yoke_u64 code_t;
#else
typedef yoke_u32 code_t;
#endif
#define KEY_SIGN ((code_t)1u << (KEY_BITS - 1))
#define KEY_ALL (KEY_SIGN | (KEY_SIGN - 1u))

YOKE_FUNCTION code_t key_order(raw_t key, code_t flip)
{
#if KEY_KIND == 3
    return (key != 0 ? 1u : 0u) ^ (flip & 1u);
#elif KEY_KIND == 2
    code_t bits = key, size = bits & (KEY_SIGN - 1u);
    code_t order = (bits & KEY_SIGN ? ~bits : bits | KEY_SIGN) ^ flip;
    return (size > KEY_JOIN(key_infinity_, KEY) ? KEY_ALL : order) & KEY_ALL;
#elif KEY_KIND == 1
    return (key ^ KEY_SIGN ^ flip) & KEY_ALL;
#else
    return (key ^ flip) & KEY_ALL;
#endif
}

#define KEY_DIGIT(key, flip, shift) ((yoke_u32)(key_order(key, flip) >> (shift)) & 255u)

#ifndef VALUE_BYTES
#define VALUE_BYTES 0
#endif
#ifndef INDEX
#define INDEX 0 /* 1: the values are the keys' positions */
#endif
#if VALUE_BYTES == 0 || VALUE_BYTES == 1
typedef yoke_u8 value_t;
#elif VALUE_BYTES == 2
typedef yoke_u16 value_t;
#elif VALUE_BYTES == 4
typedef yoke_u32 value_t;
#elif VALUE_BYTES == 8
typedef yoke_u64 value_t;
#else
typedef uint4 value_t;
#endif

#endif
