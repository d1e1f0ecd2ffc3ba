/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares our own declarations of CUDA and NVRTC with NVIDIA's headers. It is enough that this compiles; it runs nothing, and is
 * built only where the toolkit's headers are (12.8 or later, which declare everything that Yoke uses).
 */
#include <cuda.h>
#include <nvrtc.h>

#include "../../backends/cuda/api.h"

#if CUDA_VERSION < 12080
#error "this check needs the headers of CUDA 12.8 or later"
#endif

#define SAME_TYPE(ours, theirs) _Static_assert(__builtin_types_compatible_p(ours, theirs), #ours " is not " #theirs)

/* A name without a version, as cuEventElapsedTime, is a macro for the newest one there: its prototype has to be the same too. */
#define YK_CUDA_SYMBOL(need, name, parameters) \
    typedef yk_CUresult our_##name parameters; \
    SAME_TYPE(our_##name, __typeof__(name));
#define YK_NVRTC_SYMBOL(need, result, name, parameters) \
    typedef result our_##name parameters;               \
    SAME_TYPE(our_##name, __typeof__(name));
#include "../../backends/cuda/symbols.def"

#define SAME_VALUE(name, value) \
    _Static_assert((long long)(name) == (value) && (long long)YK_##name == (value), #name " is not " #value);
YK_CUDA_RESULTS(SAME_VALUE)
YK_CUDA_CONSTANTS(SAME_VALUE)
YK_NVRTC_RESULTS(SAME_VALUE)

SAME_TYPE(yk_CUresult, CUresult);
SAME_TYPE(yk_CUdevice, CUdevice);
SAME_TYPE(yk_CUdevice_attribute, CUdevice_attribute);
SAME_TYPE(yk_CUfunction_attribute, CUfunction_attribute);
SAME_TYPE(yk_CUjit_option, CUjit_option);
SAME_TYPE(yk_CUdeviceptr, CUdeviceptr);
SAME_TYPE(yk_CUuuid, CUuuid);
SAME_TYPE(yk_CUcontext, CUcontext);
SAME_TYPE(yk_CUstream, CUstream);
SAME_TYPE(yk_CUevent, CUevent);
SAME_TYPE(yk_CUmodule, CUmodule);
SAME_TYPE(yk_CUfunction, CUfunction);
SAME_TYPE(yk_CUhostFn, CUhostFn);
SAME_TYPE(yk_nvrtcResult, nvrtcResult);
SAME_TYPE(yk_nvrtcProgram, nvrtcProgram);

_Static_assert(sizeof(CUuuid) == 16, "a UUID has 16 bytes");
_Static_assert(sizeof(yk_CUdeviceptr) == 8, "kernels take the address of a buffer from a uint64_t");

int main(void)
{
    return 0;
}
