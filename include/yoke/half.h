/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Half precision for host code: the two 16-bit floating-point types that kernels call half (IEEE 754 binary16) and bfloat16 (the
 * upper half of a float), as types of their own, so that a kernel argument of either is never taken for an integer. Arrays of them
 * are what `half *` and `__nv_bfloat16 *` point to. Conversions from float round to the nearest value, ties to even; a NaN stays a
 * NaN. Any thread may call them.
 */
#ifndef YOKE_HALF_H
#define YOKE_HALF_H

#include <stdint.h>

/* A half: IEEE 754 binary16. Final. */
typedef struct yoke_half {
    uint16_t bits; /* 1 sign, 5 exponent, 10 fraction */
} yoke_half;

/* A bfloat16: the upper 16 bits of a float. Final. */
typedef struct yoke_bfloat16 {
    uint16_t bits; /* 1 sign, 8 exponent, 7 fraction */
} yoke_bfloat16;

#include <yoke/yoke.h> /* which includes <yoke/args.h>, which needs the types */

#include <string.h>

/* Shared by the functions below: the bits of a float. */
static inline uint32_t yoke_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Shared by the functions below: the float of these bits. */
static inline float yoke_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Shared by the functions below: shift right by 1 to 31, rounding to nearest, ties to even. */
static inline uint32_t yoke_shift_to_even(uint32_t bits, unsigned shift)
{
    uint32_t result = bits >> shift, rest = bits & ((UINT32_C(1) << shift) - 1), tie = UINT32_C(1) << (shift - 1);
    return result + (rest > tie || (rest == tie && (result & 1)) ? 1u : 0u);
}

/* The nearest half: infinity from 65520 on, a subnormal below 2^-14, 0 up to 2^-25. */
static inline yoke_half yoke_half_from(float value)
{
    uint32_t bits = yoke_float_bits(value), sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu, result;
    yoke_half half;
    if (magnitude > 0x7f800000u) /* NaN: quiet, with the upper bits of its payload */
        result = 0x7e00u | (magnitude >> 13 & 0x1ffu);
    else if (magnitude >= 0x477ff000u) /* 65520 */
        result = 0x7c00u;
    else if (magnitude >= 0x38800000u) /* 2^-14: the exponent's bias changes from 127 to 15 */
        result = yoke_shift_to_even(magnitude - 0x38000000u, 13);
    else if (magnitude >= 0x33000000u) /* 2^-25 */
        result = yoke_shift_to_even((magnitude & 0x7fffffu) | 0x800000u, 126u - (magnitude >> 23));
    else
        result = 0;
    half.bits = YOKE_CAST(uint16_t, sign | result);
    return half;
}

/* Exact. */
static inline float yoke_half_to_float(yoke_half half)
{
    uint32_t sign = YOKE_CAST(uint32_t, half.bits & 0x8000u) << 16, magnitude = half.bits & 0x7fffu;
    if (magnitude >= 0x7c00u) /* infinity or NaN */
        return yoke_float_of_bits(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
    if (magnitude >= 0x400u)
        return yoke_float_of_bits(sign | ((magnitude << 13) + 0x38000000u));
    float value = YOKE_CAST(float, magnitude) / 16777216.0f; /* a subnormal counts in units of 2^-24 */
    return sign ? -value : value;
}

/* The nearest bfloat16. */
static inline yoke_bfloat16 yoke_bfloat16_from(float value)
{
    uint32_t bits = yoke_float_bits(value);
    yoke_bfloat16 result;
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        result.bits = YOKE_CAST(uint16_t, bits >> 16 | 0x40u); /* quiet */
    else
        result.bits = YOKE_CAST(uint16_t, yoke_shift_to_even(bits, 16));
    return result;
}

/* Exact. */
static inline float yoke_bfloat16_to_float(yoke_bfloat16 value)
{
    return yoke_float_of_bits(YOKE_CAST(uint32_t, value.bits) << 16);
}

#endif
