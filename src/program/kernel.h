/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, for the other rooms of src/. */
#ifndef YK_KERNEL_INTERNAL_H
#define YK_KERNEL_INTERNAL_H

#include "objects/objects.h"

/* As yoke_kernel_get, for a program that may still be building. */
yoke_status yk_kernel_find(yoke_program *program, const char *name, yoke_kernel **out_kernel);

#endif
