/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels, as the other rooms of src/ use them. */
#ifndef YK_KERNEL_INTERNAL_H
#define YK_KERNEL_INTERNAL_H

#include "core.h"

/* For the kernel's program, when it ends. */
void yk_kernel_destroy(yoke_kernel *kernel);

/* YOKE_OK when the arguments fit the kernel's signature and the stream's device, else YOKE_E_ARGUMENT or YOKE_E_INVALID saying
 * which one, what was expected and what was given. */
yoke_status yk_kernel_check_args(const yoke_kernel *kernel, const yoke_stream *stream, const char *function, const yoke_arg *args,
                                 size_t count);

#endif
