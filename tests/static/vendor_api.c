/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares our own declarations of the vendors' libraries with their headers: with -DCHECK_CUDA cuBLAS and cuFFT, with
 * -DCHECK_CLBLAST CLBlast, with -DCHECK_NCCL NCCL, with -DCHECK_OPENCL what libyoke-comm uses of OpenCL. It is
 * enough that this compiles; it runs nothing.
 */
#include <stddef.h>

#ifdef CHECK_CUDA
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#endif
#ifdef CHECK_CLBLAST
#include <clblast_c.h>
#endif

#ifdef CHECK_NCCL
#include <cuda.h>
#include <nccl.h>
#endif
#ifdef CHECK_OPENCL
#include <CL/cl.h>
#endif

#include "../../comm/transport/vendor/api.h"
#include "../../ops/library/api.h"

#define SAME_TYPE(ours, theirs) _Static_assert(__builtin_types_compatible_p(ours, theirs), #ours " is not " #theirs)
#define SAME_FUNCTION(result, name, parameters) \
    typedef result our_##name parameters;       \
    SAME_TYPE(our_##name, __typeof__(name));
#define SAME_VALUE(name, value) \
    _Static_assert((long long)(name) == (value) && (long long)YOPS_##name == (value), #name " is not " #value);

#ifdef CHECK_CUDA
#define YOPS_CUDA_SYMBOL SAME_FUNCTION
#define YOPS_CUBLAS_SYMBOL SAME_FUNCTION
#define YOPS_CUFFT_SYMBOL SAME_FUNCTION
#include "../../ops/library/symbols.def"
YOPS_CUBLAS_RESULTS(SAME_VALUE)
YOPS_CUBLAS_CONSTANTS(SAME_VALUE)
YOPS_CUFFT_RESULTS(SAME_VALUE)
YOPS_CUFFT_CONSTANTS(SAME_VALUE)
#endif

#ifdef CHECK_CLBLAST
/* Scalars of two numbers are passed by value, as structs of the same members: arrays of two. */
#define SAME_SCALAR(ours, theirs)                                                                                      \
    _Static_assert(sizeof(ours) == sizeof(theirs) && _Alignof(ours) == _Alignof(theirs) &&                             \
                       offsetof(ours, s) == offsetof(theirs, s) && sizeof(((theirs *)0)->s) == sizeof(((ours *)0)->s), \
                   #ours " is not as " #theirs)
SAME_SCALAR(yops_cl_float2, cl_float2);
SAME_SCALAR(yops_cl_double2, cl_double2);
#define yops_cl_float2 cl_float2
#define yops_cl_double2 cl_double2
#define YOPS_CLBLAST_SYMBOL SAME_FUNCTION
#include "../../ops/library/symbols.def"
YOPS_CLBLAST_RESULTS(SAME_VALUE)
YOPS_CLBLAST_CONSTANTS(SAME_VALUE)
#endif

#define SAME_COMM_VALUE(name, value) \
    _Static_assert((long long)(name) == (value) && (long long)YCOMM_##name == (value), #name " is not " #value);

#ifdef CHECK_NCCL
/* Passed by value: a struct of the same member. */
_Static_assert(sizeof(ycomm_ncclUniqueId) == sizeof(ncclUniqueId) && _Alignof(ycomm_ncclUniqueId) == _Alignof(ncclUniqueId),
               "ycomm_ncclUniqueId is not as ncclUniqueId");
#define ycomm_ncclUniqueId ncclUniqueId
#define YCOMM_CUDA_SYMBOL SAME_FUNCTION
#define YCOMM_NCCL_SYMBOL SAME_FUNCTION
#include "../../comm/transport/vendor/symbols.def"
YCOMM_CUDA_CONSTANTS(SAME_COMM_VALUE)
YCOMM_NCCL_RESULTS(SAME_COMM_VALUE)
YCOMM_NCCL_CONSTANTS(SAME_COMM_VALUE)
#endif

#ifdef CHECK_OPENCL
#define YCOMM_OPENCL_SYMBOL SAME_FUNCTION
#include "../../comm/transport/vendor/symbols.def"
YCOMM_OPENCL_CONSTANTS(SAME_COMM_VALUE)
#endif
