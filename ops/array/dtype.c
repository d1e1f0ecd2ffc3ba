/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: sizes, names, and what kind of number each is. */
#include "array.h"

bool yops_is_dtype(int32_t dtype)
{
    return dtype > 0 && dtype < YK_DTYPE_COUNT;
}

size_t yoke_dtype_get_size(int32_t dtype)
{
    static const uint8_t sizes[] = {
#define SIZE(name, value, text, bytes) [name] = bytes,
        YOKE_DTYPE_LIST(SIZE)
#undef SIZE
    };
    return sizes[yops_is_dtype(dtype) ? dtype : 0];
}

const char *yoke_dtype_get_name(int32_t dtype)
{
    static const char *const names[] = {
#define NAME(name, value, text, bytes) [name] = text,
        YOKE_DTYPE_LIST(NAME)
#undef NAME
    };
    return yops_is_dtype(dtype) ? names[dtype] : "unknown dtype";
}

bool yops_is_integer(int32_t dtype)
{
    return yk_dtype_is_integer(dtype);
}

bool yops_is_signed(int32_t dtype)
{
    return yops_is_dtype(dtype) && yk_dtype_get(dtype)->kind != YK_KIND_BOOL && yk_dtype_get(dtype)->kind != YK_KIND_UNSIGNED;
}

bool yops_is_floating(int32_t dtype)
{
    return yk_dtype_is_floating(dtype);
}

bool yops_is_reduced(int32_t dtype)
{
    return yk_dtype_get(dtype)->kind == YK_KIND_REDUCED;
}

bool yops_is_complex(int32_t dtype)
{
    return yk_dtype_is_complex(dtype);
}

bool yops_needs_f64(int32_t dtype)
{
    return yk_dtype_get(dtype)->part == YOKE_F64;
}

int32_t yops_get_sum_dtype(int32_t dtype)
{
    if (yops_is_integer(dtype))
        return yops_is_signed(dtype) ? YOKE_I64 : YOKE_U64;
    return yops_is_reduced(dtype) ? YOKE_F32 : dtype;
}

const char *yops_dtype_token(int32_t dtype)
{
    return yops_is_dtype(dtype) ? yk_dtype_get(dtype)->token : "none";
}

double yops_real(yoke_number value)
{
    if (yops_is_complex(value.dtype))
        return value.value.parts[0];
    if (yops_is_floating(value.dtype))
        return value.value.f64;
    return yops_is_signed(value.dtype) ? (double)value.value.i64 : (double)value.value.u64;
}

double yops_imaginary(yoke_number value)
{
    return yops_is_complex(value.dtype) ? value.value.parts[1] : 0;
}
