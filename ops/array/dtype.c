/* SPDX-License-Identifier: Apache-2.0 */
/* Data types: sizes, names, and what kind of number each is. */
#include "array.h"

static const struct dtype {
    const char *name, *token;
    uint8_t size, integer, is_signed, floating, is_complex, needs_f64;
} dtypes[] = {
    [YOKE_BOOL] = { "bool", "bool", 1, 1, 0, 0, 0, 0 },        [YOKE_I8] = { "int8", "i8", 1, 1, 1, 0, 0, 0 },
    [YOKE_U8] = { "uint8", "u8", 1, 1, 0, 0, 0, 0 },           [YOKE_I16] = { "int16", "i16", 2, 1, 1, 0, 0, 0 },
    [YOKE_U16] = { "uint16", "u16", 2, 1, 0, 0, 0, 0 },        [YOKE_I32] = { "int32", "i32", 4, 1, 1, 0, 0, 0 },
    [YOKE_U32] = { "uint32", "u32", 4, 1, 0, 0, 0, 0 },        [YOKE_I64] = { "int64", "i64", 8, 1, 1, 0, 0, 0 },
    [YOKE_U64] = { "uint64", "u64", 8, 1, 0, 0, 0, 0 },        [YOKE_F16] = { "float16", "f16", 2, 0, 1, 1, 0, 0 },
    [YOKE_BF16] = { "bfloat16", "bf16", 2, 0, 1, 1, 0, 0 },    [YOKE_F32] = { "float32", "f32", 4, 0, 1, 1, 0, 0 },
    [YOKE_F64] = { "float64", "f64", 8, 0, 1, 1, 0, 1 },       [YOKE_C64] = { "complex64", "c64", 8, 0, 1, 0, 1, 0 },
    [YOKE_C128] = { "complex128", "c128", 16, 0, 1, 0, 1, 1 },
};
_Static_assert(YOPS_COUNT_OF(dtypes) == YOPS_DTYPE_COUNT, "a row for each dtype");

bool yops_is_dtype(int32_t dtype)
{
    return dtype > 0 && dtype < YOPS_DTYPE_COUNT;
}

/* The entry of a number that is not a dtype is all zeros. */
static const struct dtype *entry(int32_t dtype)
{
    return &dtypes[yops_is_dtype(dtype) ? dtype : 0];
}

size_t yoke_dtype_get_size(int32_t dtype)
{
    return entry(dtype)->size;
}

const char *yoke_dtype_get_name(int32_t dtype)
{
    return yops_is_dtype(dtype) ? entry(dtype)->name : "unknown dtype";
}

bool yops_is_integer(int32_t dtype)
{
    return entry(dtype)->integer;
}

bool yops_is_signed(int32_t dtype)
{
    return entry(dtype)->is_signed;
}

bool yops_is_floating(int32_t dtype)
{
    return entry(dtype)->floating;
}

bool yops_is_complex(int32_t dtype)
{
    return entry(dtype)->is_complex;
}

bool yops_needs_f64(int32_t dtype)
{
    return entry(dtype)->needs_f64;
}

const char *yops_dtype_token(int32_t dtype)
{
    return yops_is_dtype(dtype) ? entry(dtype)->token : "none";
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
