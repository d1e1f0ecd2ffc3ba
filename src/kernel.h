/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, as the other rooms of src/ use them. */
#ifndef YK_KERNEL_INTERNAL_H
#define YK_KERNEL_INTERNAL_H

#include "core.h"

/* For the kernel's program, when it ends. */
void yk_kernel_destroy(yoke_kernel *kernel);

#endif
