/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays as arithmetic on a struct, and their dtypes: the ground of all operations. Nothing in this room has a stream or a device,
 * and nothing here is exported.
 */
#ifndef YOPS_ARRAY_H
#define YOPS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <yoke/ops.h>

#include "api/dtypes.h"

#define YOPS_COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

static inline uint64_t yops_divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* The size of a stride, whatever a program has filled in. */
static inline uint64_t yops_distance(int64_t stride)
{
    return stride < 0 ? 0 - (uint64_t)stride : (uint64_t)stride;
}

/* Whether an axis continues the one inside it, so that both are one. Strides of empty arrays may be anything. */
static inline bool yops_continues(int64_t stride, int64_t inner_stride, int64_t inner_extent)
{
    int64_t reach;
    return !__builtin_mul_overflow(inner_stride, inner_extent, &reach) && stride == reach;
}

/* ---- Arrays: array.c ---- */

/* Where an array's elements lie: the allocation, and the elements from its start to the element whose indices are all 0. */
typedef struct yops_place {
    yoke_buffer *root;
    int64_t origin;       /* in elements of the array's dtype */
    uint64_t first, last; /* the bytes that the elements touch, from the root's start; first > last for an empty array */
} yops_place;

/* Why an array is none, its dtype 0: the thread's newest failure, if a constructor of arrays has made it, else NULL. */
const char *yops_why_no_array(void);

/* "(3, 4)" for messages. */
typedef struct yops_shape_text {
    char text[200];
} yops_shape_text;
yops_shape_text yops_shape(int32_t dimensions, const int64_t *shape);
/* Widen a shape so that the array broadcasts to it; axes are counted from the last one. False: it does not. */
bool yops_widen(int32_t *dimensions, int64_t *shape, const yoke_array *array);

/* ---- dtypes: dtype.c ---- */

bool yops_is_dtype(int32_t dtype);
bool yops_is_integer(int32_t dtype); /* bool included */
bool yops_is_signed(int32_t dtype);
bool yops_is_floating(int32_t dtype); /* f16, bf16, f32, f64 */
bool yops_is_reduced(int32_t dtype);  /* f16, bf16: floating point that is computed as float */
bool yops_is_complex(int32_t dtype);
bool yops_needs_f64(int32_t dtype); /* f64 and c128 */

/* The dtype that elements are added in: of 64 bits for integers, float for reduced precision. */
int32_t yops_get_sum_dtype(int32_t dtype);

/* The name in kernels: "f32", for "-D IN=f32". */
const char *yops_dtype_token(int32_t dtype);

/* The number as a double, the real part of a complex one; integers are rounded. */
double yops_real(yoke_number value);
double yops_imaginary(yoke_number value);

/* ---- Numbers as text: decimal.c ---- */

/* The number that the text is, as a double and as a float. False: the text is something else or more, or memory has run out. */
bool yops_read_number(const char *text, size_t length, double *out_wide, float *out_narrow);

typedef struct yops_number_text {
    char text[40];
} yops_number_text;
yops_number_text yops_write_number(double value);

#endif
