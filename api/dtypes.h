/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of dtypes.def, for whoever has to know what kind of number a dtype is. The order of dtypes means nothing. */
#ifndef YK_DTYPES_H
#define YK_DTYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <yoke/array.h>

/* One more than the last dtype, by the public list and by the rows of dtypes.def. Not public, since it changes with the library. */
#define YK_ONE(name, value, text, bytes) +1
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) +1
enum {
    YK_DTYPE_COUNT = 1 YOKE_DTYPE_LIST(YK_ONE),
    YK_DTYPE_ROWS = 1
#include "dtypes.def"
};
#undef YK_ONE

typedef enum yk_kind {
    YK_KIND_NONE, /* of a number that is not a dtype */
    YK_KIND_BOOL,
    YK_KIND_SIGNED,
    YK_KIND_UNSIGNED,
    YK_KIND_REDUCED,
    YK_KIND_FLOATING,
    YK_KIND_COMPLEX
} yk_kind;

typedef struct yk_dtype {
    const char *token;
    yk_kind kind;
    char letter[2];             /* of the class */
    uint8_t exponent, fraction; /* bits of a floating-point part */
    int32_t part;               /* the dtype itself, or of a complex number's parts */
} yk_dtype;

/* The row of a dtype; of a number that is not a dtype, zeros. */
static inline const yk_dtype *yk_dtype_get(int32_t dtype)
{
    static const yk_dtype rows[] = {
#define YK_DTYPE(name, token, kind, letter, part, type, exponent, fraction, dlpack, mpi, nccl) \
    [YOKE_##name] = { #token, YK_KIND_##kind, #letter, exponent, fraction, YOKE_##part },
#include "dtypes.def"
    };
    _Static_assert(YK_DTYPE_ROWS == YK_DTYPE_COUNT, "a row of dtypes.def for each of YOKE_DTYPE_LIST");
    return &rows[dtype > 0 && dtype < YK_DTYPE_COUNT ? dtype : 0];
}

static inline bool yk_dtype_is_integer(int32_t dtype) /* bool included */
{
    yk_kind kind = yk_dtype_get(dtype)->kind;
    return kind == YK_KIND_BOOL || kind == YK_KIND_SIGNED || kind == YK_KIND_UNSIGNED;
}

static inline bool yk_dtype_is_floating(int32_t dtype) /* not complex */
{
    yk_kind kind = yk_dtype_get(dtype)->kind;
    return kind == YK_KIND_REDUCED || kind == YK_KIND_FLOATING;
}

static inline bool yk_dtype_is_complex(int32_t dtype)
{
    return yk_dtype_get(dtype)->kind == YK_KIND_COMPLEX;
}

#endif
