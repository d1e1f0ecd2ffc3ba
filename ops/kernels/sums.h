/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums for kernels that add elements in their order. SUM is the dtype that is added in: i64 or u64 for integers, modulo 2^64; f32
 * for the halves and float; f64, c64 and c128. ADD(x, y) is x + y; TO_SUM(T)(x) converts a value of dtype T, FROM(T, CLASS(SUM))
 * converts back. ZERO is 0.
 */
#ifndef YOPS_SUMS_H
#define YOPS_SUMS_H

#include "element.h"

#define TO_SUM(T) FROM(SUM, CLASS(T))
#define ADD(x, y) JOIN(add_, SUM)(x, y)
#define ZERO FROM(SUM, u)(0u)

YOKE_FUNCTION yoke_i64 add_i64(yoke_i64 x, yoke_i64 y)
{
    return (yoke_i64)((yoke_u64)x + (yoke_u64)y);
}
#define add_u64(x, y) ((x) + (y))
#define add_f32(x, y) ((x) + (y))
#define add_f64(x, y) ((x) + (y))
YOKE_FUNCTION float2 add_c64(float2 x, float2 y)
{
    return yoke_float2(x.x + y.x, x.y + y.y);
}
#ifdef NEED_F64
YOKE_FUNCTION double2 add_c128(double2 x, double2 y)
{
    return double_pair(x.x + y.x, x.y + y.y);
}
#endif

#endif
