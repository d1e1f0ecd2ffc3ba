/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of kernels that their declarations in a CUDA source tell, and the driver does not. */
#ifndef YK_CUDA_SIGNATURE_H
#define YK_CUDA_SIGNATURE_H

#include "backend_api.h"

/* Read the kernels that are extern "C" out of a source whose #includes are put in. `out` is empty before. What is not certain is
 * left out: the rest counts where it agrees with the compiled kernel. YOKE_E_OUT_OF_HOST_MEMORY, and nothing else. */
yoke_status yk_cuda_read_declarations(const char *text, size_t size, yk_kernel_table *out);

#endif
