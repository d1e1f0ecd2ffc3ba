/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA backend as the core sees it. What each slot promises is in src/backend.def; slot NAME is the function yk_cuda_NAME. */
#include "driver.h"

const yk_backend yk_backend_cuda = {
    .name = "cuda",
#define YK_SLOT(result, name, parameters) .name = yk_cuda_##name,
#include "backend.def"
};
