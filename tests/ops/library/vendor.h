/* SPDX-License-Identifier: Apache-2.0 */
/* The vendors' libraries in tests: on the CUDA double the stand-ins, which are found because they are in the process already. */
#ifndef OPS_VENDOR_H
#define OPS_VENDOR_H

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "ops/library/library.h"
#include "../../conformance/suite.h"

#define VENDOR_FOLDER "tests/cuda-double/vendor/.libs/"

/* Open the stand-ins where the device is the CUDA double. False: it is not, or they are not built. */
static inline bool vendor_open_double(const suite *t)
{
    return strstr(t->info.name, "CUDA double") && dlopen(VENDOR_FOLDER "libcublas.so.13", RTLD_NOW | RTLD_LOCAL) &&
           dlopen(VENDOR_FOLDER "libcufft.so.12", RTLD_NOW | RTLD_LOCAL);
}

/* Whether the device's matrix products can go to a library, which is then ordered; else the case is skipped. */
static inline bool vendor_is_there(suite *t)
{
    bool cuda = strcmp(t->info.backend, "cuda") == 0;
    bool stand_in = vendor_open_double(t);
    const yvendor_found *found = yops_library_open(cuda ? YOPS_CUBLAS : YOPS_CLBLAST);
    CHECK(!stand_in || (found->usable && strstr(found->path, VENDOR_FOLDER)) || getenv("YOKE_VENDOR_DOUBLE"));
    if (!found->usable)
        suite_skip("%s", found->reason);
    else if (!cuda)
        setenv("YOKE_BLAS", "clblast", 1);
    return found->usable;
}

#endif
