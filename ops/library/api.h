/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of cuBLAS, cuFFT and CLBlast that Yoke uses, declared here so that building needs none of them. Each type and constant
 * has the vendor's name with the prefix yops_ or YOPS_; tests/static/vendor_api.c compares them with the vendor's headers. The
 * functions are in symbols.def. Enumerations are int or unsigned int, as compilers represent them.
 */
#ifndef YOPS_VENDOR_API_H
#define YOPS_VENDOR_API_H

#include <stddef.h>

/* ---- The CUDA driver ---- */

typedef unsigned int yops_CUresult;
typedef struct CUctx_st *yops_CUcontext;
typedef struct CUstream_st *yops_cudaStream_t;

/* ---- cuBLAS ---- */

typedef struct cublasContext *yops_cublasHandle_t;
typedef unsigned int yops_cublasStatus_t;
typedef unsigned int yops_cublasOperation_t;
typedef unsigned int yops_cublasPointerMode_t;
typedef unsigned int yops_cublasMath_t;
typedef unsigned int yops_cublasComputeType_t;
typedef int yops_cublasGemmAlgo_t;
typedef unsigned int yops_cudaDataType;
typedef unsigned int yops_libraryPropertyType;

/* X(name, value): the codes that are told by name. */
#define YOPS_CUBLAS_RESULTS(X)            \
    X(CUBLAS_STATUS_SUCCESS, 0)           \
    X(CUBLAS_STATUS_NOT_INITIALIZED, 1)   \
    X(CUBLAS_STATUS_ALLOC_FAILED, 3)      \
    X(CUBLAS_STATUS_INVALID_VALUE, 7)     \
    X(CUBLAS_STATUS_ARCH_MISMATCH, 8)     \
    X(CUBLAS_STATUS_MAPPING_ERROR, 11)    \
    X(CUBLAS_STATUS_EXECUTION_FAILED, 13) \
    X(CUBLAS_STATUS_INTERNAL_ERROR, 14)   \
    X(CUBLAS_STATUS_NOT_SUPPORTED, 15)    \
    X(CUBLAS_STATUS_LICENSE_ERROR, 16)

#define YOPS_CUBLAS_CONSTANTS(X)                            \
    X(CUBLAS_OP_N, 0)                                       \
    X(CUBLAS_OP_T, 1)                                       \
    X(CUBLAS_POINTER_MODE_HOST, 0)                          \
    X(CUBLAS_GEMM_DEFAULT, -1)                              \
    X(CUBLAS_DEFAULT_MATH, 0)                               \
    X(CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION, 16) \
    X(CUBLAS_COMPUTE_32F, 68)                               \
    X(CUBLAS_COMPUTE_32F_FAST_TF32, 77)                     \
    X(CUBLAS_COMPUTE_64F, 70)                               \
    X(CUDA_R_16F, 2)                                        \
    X(CUDA_R_16BF, 14)                                      \
    X(CUDA_R_32F, 0)                                        \
    X(CUDA_C_32F, 4)                                        \
    X(CUDA_R_64F, 1)                                        \
    X(CUDA_C_64F, 5)                                        \
    X(MAJOR_VERSION, 0)                                     \
    X(MINOR_VERSION, 1)                                     \
    X(PATCH_LEVEL, 2)

/* ---- cuFFT ---- */

typedef int yops_cufftHandle;
typedef unsigned int yops_cufftResult;
typedef unsigned int yops_cufftType;
typedef float yops_cufftReal;
typedef double yops_cufftDoubleReal;
typedef struct float2 yops_cufftComplex;
typedef struct double2 yops_cufftDoubleComplex;

#define YOPS_CUFFT_RESULTS(X)    \
    X(CUFFT_SUCCESS, 0)          \
    X(CUFFT_INVALID_PLAN, 1)     \
    X(CUFFT_ALLOC_FAILED, 2)     \
    X(CUFFT_INVALID_TYPE, 3)     \
    X(CUFFT_INVALID_VALUE, 4)    \
    X(CUFFT_INTERNAL_ERROR, 5)   \
    X(CUFFT_EXEC_FAILED, 6)      \
    X(CUFFT_SETUP_FAILED, 7)     \
    X(CUFFT_INVALID_SIZE, 8)     \
    X(CUFFT_UNALIGNED_DATA, 9)   \
    X(CUFFT_INVALID_DEVICE, 11)  \
    X(CUFFT_NO_WORKSPACE, 13)    \
    X(CUFFT_NOT_IMPLEMENTED, 14) \
    X(CUFFT_NOT_SUPPORTED, 16)

#define YOPS_CUFFT_CONSTANTS(X) \
    X(CUFFT_FORWARD, -1)        \
    X(CUFFT_INVERSE, 1)         \
    X(CUFFT_R2C, 0x2a)          \
    X(CUFFT_C2R, 0x2c)          \
    X(CUFFT_C2C, 0x29)          \
    X(CUFFT_D2Z, 0x6a)          \
    X(CUFFT_Z2D, 0x6c)          \
    X(CUFFT_Z2Z, 0x69)

/* ---- CLBlast ---- */

typedef struct _cl_mem *yops_cl_mem;
typedef struct _cl_command_queue *yops_cl_command_queue;
typedef struct _cl_event *yops_cl_event;
typedef struct yops_cl_float2 {
    _Alignas(8) float s[2];
} yops_cl_float2;
typedef struct yops_cl_double2 {
    _Alignas(16) double s[2];
} yops_cl_double2;
typedef int yops_CLBlastStatusCode;
typedef unsigned int yops_CLBlastLayout;
typedef unsigned int yops_CLBlastTranspose;

#define YOPS_CLBLAST_RESULTS(X)              \
    X(CLBlastSuccess, 0)                     \
    X(CLBlastOpenCLCompilerNotAvailable, -3) \
    X(CLBlastTempBufferAllocFailure, -4)     \
    X(CLBlastOpenCLOutOfResources, -5)       \
    X(CLBlastOpenCLOutOfHostMemory, -6)      \
    X(CLBlastOpenCLBuildProgramFailure, -11) \
    X(CLBlastInvalidValue, -30)              \
    X(CLBlastInvalidCommandQueue, -36)       \
    X(CLBlastInvalidMemObject, -38)          \
    X(CLBlastInvalidLocalThreadsTotal, -54)  \
    X(CLBlastNotImplemented, -1024)          \
    X(CLBlastInvalidDimension, -1017)        \
    X(CLBlastInvalidLeadDimA, -1016)         \
    X(CLBlastInvalidLeadDimB, -1015)         \
    X(CLBlastInvalidLeadDimC, -1014)         \
    X(CLBlastInsufficientMemoryA, -1011)     \
    X(CLBlastInsufficientMemoryB, -1010)     \
    X(CLBlastInsufficientMemoryC, -1009)     \
    X(CLBlastInsufficientMemoryTemp, -2050)  \
    X(CLBlastInvalidBatchCount, -2049)       \
    X(CLBlastInvalidLocalMemUsage, -2046)    \
    X(CLBlastNoDoublePrecision, -2044)       \
    X(CLBlastDatabaseError, -2041)           \
    X(CLBlastUnknownError, -2040)            \
    X(CLBlastUnexpectedError, -2039)

#define YOPS_CLBLAST_CONSTANTS(X) \
    X(CLBlastLayoutRowMajor, 101) \
    X(CLBlastLayoutColMajor, 102) \
    X(CLBlastTransposeNo, 111)    \
    X(CLBlastTransposeYes, 112)

/* YOPS_CUBLAS_OP_N and so on. */
#define YOPS_ENUMERATOR(name, value) YOPS_##name = (value),
enum {
    YOPS_CUBLAS_RESULTS(YOPS_ENUMERATOR) YOPS_CUBLAS_CONSTANTS(YOPS_ENUMERATOR) YOPS_CUFFT_RESULTS(YOPS_ENUMERATOR)
        YOPS_CUFFT_CONSTANTS(YOPS_ENUMERATOR) YOPS_CLBLAST_RESULTS(YOPS_ENUMERATOR) YOPS_CLBLAST_CONSTANTS(YOPS_ENUMERATOR)
};
#undef YOPS_ENUMERATOR

#endif
