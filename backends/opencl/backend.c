/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL backend as the core sees it. What each slot promises is in src/backend.def; slot NAME is the function yk_opencl_NAME.
 */
#include "driver.h"

const yk_backend yk_backend_opencl = {
    .name = "opencl",
#define YK_SLOT(result, name, parameters) .name = yk_opencl_##name,
#include "backend.def"
};
