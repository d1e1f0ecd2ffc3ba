/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the caller: conversions as in kernels, and parameters of kernels. */
#include "number.h"

#include <math.h>
#include <string.h>

static yoke_arg complex_argument(yoke_number value, size_t part_size, yops_parts *parts)
{
    if (part_size == sizeof *parts->f64) {
        memcpy(parts->f64, value.value.parts, sizeof parts->f64);
        return yoke_arg_struct(parts->f64, sizeof parts->f64);
    }
    parts->f32[0] = (float)value.value.parts[0];
    parts->f32[1] = (float)value.value.parts[1];
    return yoke_arg_struct(parts->f32, sizeof parts->f32);
}

/* By the kind of the dtype: the number as its type has it, in a parameter of its class. */
#define ARGUMENT_i yoke_arg_i32
#define ARGUMENT_u yoke_arg_u32
#define ARGUMENT_l yoke_arg_i64
#define ARGUMENT_m yoke_arg_u64
#define ARGUMENT_f yoke_arg_f32
#define ARGUMENT_d yoke_arg_f64
#define MAKE_BOOL(letter, type) return ARGUMENT_##letter(value.value.u64 != 0);
#define MAKE_SIGNED(letter, type) return ARGUMENT_##letter((type)value.value.i64);
#define MAKE_UNSIGNED(letter, type) return ARGUMENT_##letter((type)value.value.u64);
#define MAKE_REDUCED(letter, type) return ARGUMENT_##letter(type##_to_float(type##_from((float)value.value.f64)));
#define MAKE_FLOATING(letter, type) return ARGUMENT_##letter((type)value.value.f64);
#define MAKE_COMPLEX(letter, type) return complex_argument(value, sizeof(type), parts);

yoke_arg yops_number_argument(yoke_number value, yops_parts *parts)
{
    switch (value.dtype) {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    case YOKE_##name:                                                                          \
        MAKE_##kind(letter, type)
#include "api/dtypes.def"
    }
    return yoke_arg_f64(value.value.f64);
}

/* ---- Conversions ---- */

static void saturate_signed(double x, int bits, int64_t *out_value)
{
    double end = ldexp(1, bits - 1);
    *out_value = x != x ? 0 : x <= -end ? -(INT64_MAX >> (64 - bits)) - 1 : x >= end ? INT64_MAX >> (64 - bits) : (int64_t)x;
}

static void saturate_unsigned(double x, int bits, uint64_t *out_value)
{
    *out_value = x != x || x <= 0 ? 0 : x >= ldexp(1, bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)x;
}

static yoke_number convert_complex(yoke_number value, int32_t dtype)
{
    const double *parts = value.value.parts;
    if (dtype == YOKE_BOOL)
        return yoke_number_bool(parts[0] != 0 || parts[1] != 0);
    return dtype == YOKE_C64 ? yoke_number_c64((float)parts[0], (float)parts[1]) : yoke_number_c128(parts[0], parts[1]);
}

yoke_number yops_number_convert(yoke_number value, int32_t dtype)
{
    yoke_number result = { dtype, { 0 } };
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    if (yops_is_complex(value.dtype))
        return convert_complex(value, dtype);
    bool floating = yops_is_floating(value.dtype);
    if (dtype == YOKE_BOOL)
        result.value.u64 = floating ? value.value.f64 != 0 : value.value.u64 != 0;
    else if (yops_is_integer(dtype) && floating && yops_is_signed(dtype))
        saturate_signed(value.value.f64, bits, &result.value.i64);
    else if (yops_is_integer(dtype) && floating)
        saturate_unsigned(value.value.f64, bits, &result.value.u64);
    else if (yops_is_integer(dtype))
        result.value.u64 = value.value.u64; /* wraps when it is made an argument */
    else {
        result.dtype = yk_dtype_get(dtype)->part;
        bool single = result.dtype != YOKE_F64;
        if (floating)
            result.value.f64 = single ? (float)value.value.f64 : value.value.f64;
        else if (yops_is_signed(value.dtype))
            result.value.f64 = single ? (float)value.value.i64 : (double)value.value.i64;
        else
            result.value.f64 = single ? (float)value.value.u64 : (double)value.value.u64;
    }
    return result;
}

yoke_number yops_number_complex(yoke_number value, int32_t dtype)
{
    yoke_number result = yops_number_convert(value, dtype);
    if (yops_is_complex(result.dtype))
        return result;
    return yops_number_convert(yoke_number_c128(result.value.f64, 0), dtype);
}

yoke_number yops_number_nearest(yoke_number value, int32_t dtype)
{
    bool outside = false, below = false;
    if (!yops_is_integer(dtype) || dtype == YOKE_BOOL || !yops_is_integer(value.dtype))
        return yops_number_convert(value, dtype);
    int bits = 8 * (int)yoke_dtype_get_size(dtype);
    yoke_number result = { dtype, { 0 } };
    uint64_t high = UINT64_MAX >> (64 - bits + (yops_is_signed(dtype) ? 1 : 0));
    int64_t low = yops_is_signed(dtype) ? -(int64_t)high - 1 : 0;
    below = yops_is_signed(value.dtype) && value.value.i64 < low;
    outside = !below && (!yops_is_signed(value.dtype) || value.value.i64 > 0) && value.value.u64 > high;
    if (below)
        result.value.i64 = low;
    else
        result.value.u64 = outside ? high : value.value.u64;
    return result;
}
