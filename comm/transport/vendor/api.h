/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of NCCL, CUDA's driver and OpenCL that libyoke-comm uses, declared here so that building needs none of them. Each type
 * and constant has the vendor's name with the prefix ycomm_ or YCOMM_; tests/static/vendor_api.c compares them with the vendors'
 * headers. The functions are in symbols.def.
 */
#ifndef YCOMM_VENDOR_API_H
#define YCOMM_VENDOR_API_H

#include <stddef.h>
#include <stdint.h>

/* ---- CUDA's driver ---- */

typedef unsigned int ycomm_CUresult;
typedef struct CUctx_st *ycomm_CUcontext;
typedef struct CUstream_st *ycomm_cudaStream_t;
typedef unsigned int ycomm_CUstreamCaptureStatus; /* 0: none */

#define YCOMM_CUDA_CONSTANTS(X) X(CUDA_ERROR_NOT_READY, 600)

/* ---- OpenCL ---- */

typedef struct _cl_mem *ycomm_cl_mem;
typedef struct _cl_command_queue *ycomm_cl_command_queue;
typedef struct _cl_event *ycomm_cl_event;
typedef int32_t ycomm_cl_int;
typedef uint32_t ycomm_cl_uint;
typedef uint64_t ycomm_cl_ulong;

#define YCOMM_OPENCL_CONSTANTS(X) \
    X(CL_SUCCESS, 0)              \
    X(CL_FALSE, 0)                \
    X(CL_MAP_READ, 1)             \
    X(CL_MAP_WRITE, 2)

/* ---- NCCL ---- */

typedef struct ncclComm *ycomm_ncclComm_t;
typedef unsigned int ycomm_ncclResult_t;
typedef unsigned int ycomm_ncclDataType_t;
typedef unsigned int ycomm_ncclRedOp_t;
typedef struct ycomm_ncclUniqueId {
    char internal[128];
} ycomm_ncclUniqueId;

/* X(name, value): the codes that are told by name. */
#define YCOMM_NCCL_RESULTS(X)    \
    X(ncclSuccess, 0)            \
    X(ncclUnhandledCudaError, 1) \
    X(ncclSystemError, 2)        \
    X(ncclInternalError, 3)      \
    X(ncclInvalidArgument, 4)    \
    X(ncclInvalidUsage, 5)       \
    X(ncclRemoteError, 6)        \
    X(ncclInProgress, 7)

#define YCOMM_NCCL_CONSTANTS(X) \
    X(ncclInt8, 0)              \
    X(ncclUint8, 1)             \
    X(ncclInt32, 2)             \
    X(ncclUint32, 3)            \
    X(ncclInt64, 4)             \
    X(ncclUint64, 5)            \
    X(ncclFloat16, 6)           \
    X(ncclFloat32, 7)           \
    X(ncclFloat64, 8)           \
    X(ncclBfloat16, 9)          \
    X(ncclSum, 0)               \
    X(ncclProd, 1)              \
    X(ncclMax, 2)               \
    X(ncclMin, 3)

/* YCOMM_ncclSuccess and so on. */
#define YCOMM_ENUMERATOR(name, value) YCOMM_##name = (value),
enum {
    YCOMM_CUDA_CONSTANTS(YCOMM_ENUMERATOR) YCOMM_OPENCL_CONSTANTS(YCOMM_ENUMERATOR) YCOMM_NCCL_RESULTS(YCOMM_ENUMERATOR)
        YCOMM_NCCL_CONSTANTS(YCOMM_ENUMERATOR)
};
#undef YCOMM_ENUMERATOR

#endif
