/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the caller, on their way to a kernel. */
#ifndef YOPS_NUMBER_H
#define YOPS_NUMBER_H

#include "array.h"

/* The number as kernels would convert it: integers wrap, floating point to integer saturates. A real number gets the dtype of the
 * parts for a complex dtype; a complex number goes to complex dtypes and bool only. */
yoke_number yops_number_convert(yoke_number value, int32_t dtype);

/* The number in a complex dtype. */
yoke_number yops_number_complex(yoke_number value, int32_t dtype);

/* The number of the dtype that is nearest: as yops_number_convert, but an integer out of range gives the range's end too. */
yoke_number yops_number_nearest(yoke_number value, int32_t dtype);

/* A complex number's bytes, for a kernel. */
typedef union yops_parts {
    float f32[2];
    double f64[2];
} yops_parts;

/* The number as a kernel's parameter of its dtype's value type. That of a complex one lies in `parts` until the launch. */
yoke_arg yops_number_argument(yoke_number value, yops_parts *parts);

#endif
