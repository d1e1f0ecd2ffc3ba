/* SPDX-License-Identifier: Apache-2.0 */
/* What the generated part of kernels calls, to find and load the elements of any layout. */
#ifndef YOPS_OPERANDS_H
#define YOPS_OPERANDS_H

#include "element.h"

/* float16 in a thread's own memory. */
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define own_load_f16(array, index) vload_half(index, (const half *)(array))
#define own_store_f16(array, index, value) vstore_half_rte(value, index, (half *)(array))
#define multiply_high(a, b) mul_hi(a, b)
#else
#define own_load_f16(array, index) load_f16(array, index)
#define own_store_f16(array, index, value) store_f16(array, index, value)
#define multiply_high(a, b) __umulhi(a, b)
#endif

/* n / d for n below 2^31. */
YOKE_FUNCTION yoke_u32 divide(yoke_u32 n, yoke_u32 multiplier, yoke_u32 shift)
{
    return (multiply_high(n, multiplier) + n) >> shift;
}

#endif
