/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, for the other rooms of src/. */
#ifndef YK_KERNEL_INTERNAL_H
#define YK_KERNEL_INTERNAL_H

#include "objects/objects.h"

/* As yoke_kernel_get, for a program that may still be building. */
yoke_status yk_kernel_find(yoke_program *program, const char *name, yoke_kernel **out_kernel);

/* YOKE_ARG_INTEGER or YOKE_ARG_FLOATING, where the parameter's type is a scalar that says so; YOKE_ARG_STRUCT for a vector; else 0:
 * every kind fits. */
uint32_t yk_param_value_kind(const yoke_kernel *kernel, const yk_param *param);

#endif
