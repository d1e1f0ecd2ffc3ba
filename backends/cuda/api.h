/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the CUDA driver API and of NVRTC that Yoke uses, declared here so that building needs no CUDA Toolkit. Every type
 * and constant has NVIDIA's name with the prefix yk_ or YK_, so that this header and NVIDIA's can be included together;
 * tests/static/cuda_api.c compares them. The functions are in symbols.def. Enumerations are unsigned int, as compilers represent
 * them.
 */
#ifndef YK_CUDA_API_H
#define YK_CUDA_API_H

#include <stddef.h>

/* ---- The driver ---- */

typedef unsigned int yk_CUresult;
typedef int yk_CUdevice; /* an ordinal */
typedef unsigned int yk_CUdevice_attribute;
typedef unsigned int yk_CUfunction_attribute;
typedef unsigned int yk_CUjit_option;
typedef unsigned int yk_CUpointer_attribute;
typedef unsigned int yk_CUmemPool_attribute;
typedef unsigned int yk_CUstreamCaptureMode;
typedef unsigned int yk_CUstreamCaptureStatus;
typedef unsigned long long yk_CUdeviceptr;
typedef struct CUuuid_st yk_CUuuid; /* 16 bytes */
typedef struct CUctx_st *yk_CUcontext;
typedef struct CUstream_st *yk_CUstream;
typedef struct CUevent_st *yk_CUevent;
typedef struct CUmod_st *yk_CUmodule;
typedef struct CUfunc_st *yk_CUfunction;
typedef struct CUmemPoolHandle_st *yk_CUmemoryPool;
typedef struct CUgraph_st *yk_CUgraph;
typedef struct CUgraphNode_st *yk_CUgraphNode;
typedef struct CUgraphExec_st *yk_CUgraphExec;
typedef struct CUarray_st *yk_CUarray;
typedef unsigned long long yk_CUtexObject;
typedef unsigned long long yk_CUsurfObject;
typedef void (*yk_CUhostFn)(void *user);
typedef size_t (*yk_CUoccupancyB2DSize)(int block_threads); /* dynamic shared memory of a block of that many threads */

/* Structs passed to the driver. Functions take them by NVIDIA's own tags, which are left incomplete here so that NVIDIA's header
 * may complete them. */
struct CUmemPoolProps_st;
struct CUmemAccessDesc_st;
struct CUDA_MEMCPY3D_st;
struct CUDA_MEMCPY3D_PEER_st;
struct CUDA_KERNEL_NODE_PARAMS_v2_st;
struct CUDA_MEMSET_NODE_PARAMS_st;
struct CUDA_ARRAY3D_DESCRIPTOR_st;
struct CUDA_RESOURCE_DESC_st;
struct CUDA_TEXTURE_DESC_st;
struct CUDA_RESOURCE_VIEW_DESC_st;

typedef struct yk_CUmemLocation {
    unsigned int type;
    int id;
} yk_CUmemLocation;

typedef struct yk_CUmemPoolProps {
    unsigned int allocType, handleTypes;
    yk_CUmemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize; /* maxSize and the members below were reserved before CUDA 12.2 */
    unsigned short usage;
    unsigned char reserved[54];
} yk_CUmemPoolProps;

typedef struct yk_CUmemAccessDesc {
    yk_CUmemLocation location;
    unsigned int flags;
} yk_CUmemAccessDesc;

/* One side of a copy between two devices; within one device the context is NULL. */
typedef struct yk_CUcopySide {
    size_t XInBytes, Y, Z, LOD;
    unsigned int MemoryType;
    void *Host;
    yk_CUdeviceptr Device;
    void *Array;
    yk_CUcontext Context;
    size_t Pitch, Height; /* Height: rows per slice */
} yk_CUcopySide;

/* CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER: they differ only in the names of the context members. */
typedef struct yk_CUDA_MEMCPY3D {
    yk_CUcopySide src, dst;
    size_t WidthInBytes, Height, Depth;
} yk_CUDA_MEMCPY3D;

typedef struct yk_CUDA_KERNEL_NODE_PARAMS {
    yk_CUfunction func;
    unsigned int gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    void *kern;
    yk_CUcontext ctx;
} yk_CUDA_KERNEL_NODE_PARAMS;

typedef struct yk_CUDA_MEMSET_NODE_PARAMS {
    yk_CUdeviceptr dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height; /* width in elements, height in rows */
} yk_CUDA_MEMSET_NODE_PARAMS;

typedef struct yk_CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth; /* Depth 0: two dimensions */
    unsigned int Format, NumChannels, Flags;
} yk_CUDA_ARRAY3D_DESCRIPTOR;

typedef struct yk_CUDA_RESOURCE_DESC {
    unsigned int resType;
    union {
        struct {
            yk_CUarray hArray;
        } array;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int flags;
} yk_CUDA_RESOURCE_DESC;

typedef struct yk_CUDA_TEXTURE_DESC {
    unsigned int addressMode[3], filterMode, flags, maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} yk_CUDA_TEXTURE_DESC;

/* X(name, value): the results that Yoke distinguishes, or has advice for. */
#define YK_CUDA_RESULTS(X)                            \
    X(CUDA_SUCCESS, 0)                                \
    X(CUDA_ERROR_INVALID_VALUE, 1)                    \
    X(CUDA_ERROR_OUT_OF_MEMORY, 2)                    \
    X(CUDA_ERROR_NOT_INITIALIZED, 3)                  \
    X(CUDA_ERROR_DEINITIALIZED, 4)                    \
    X(CUDA_ERROR_STUB_LIBRARY, 34)                    \
    X(CUDA_ERROR_DEVICE_UNAVAILABLE, 46)              \
    X(CUDA_ERROR_NO_DEVICE, 100)                      \
    X(CUDA_ERROR_INVALID_DEVICE, 101)                 \
    X(CUDA_ERROR_DEVICE_NOT_LICENSED, 102)            \
    X(CUDA_ERROR_INVALID_IMAGE, 200)                  \
    X(CUDA_ERROR_INVALID_CONTEXT, 201)                \
    X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209)              \
    X(CUDA_ERROR_ECC_UNCORRECTABLE, 214)              \
    X(CUDA_ERROR_INVALID_PTX, 218)                    \
    X(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)           \
    X(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221)         \
    X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222)        \
    X(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223)       \
    X(CUDA_ERROR_CONTAINED, 226)                      \
    X(CUDA_ERROR_OPERATING_SYSTEM, 304)               \
    X(CUDA_ERROR_INVALID_HANDLE, 400)                 \
    X(CUDA_ERROR_ILLEGAL_STATE, 401)                  \
    X(CUDA_ERROR_NOT_FOUND, 500)                      \
    X(CUDA_ERROR_NOT_READY, 600)                      \
    X(CUDA_ERROR_ILLEGAL_ADDRESS, 700)                \
    X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)        \
    X(CUDA_ERROR_LAUNCH_TIMEOUT, 702)                 \
    X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704)    \
    X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)           \
    X(CUDA_ERROR_ASSERT, 710)                         \
    X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
    X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714)           \
    X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)            \
    X(CUDA_ERROR_MISALIGNED_ADDRESS, 716)             \
    X(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)          \
    X(CUDA_ERROR_INVALID_PC, 718)                     \
    X(CUDA_ERROR_LAUNCH_FAILED, 719)                  \
    X(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721)             \
    X(CUDA_ERROR_NOT_PERMITTED, 800)                  \
    X(CUDA_ERROR_NOT_SUPPORTED, 801)                  \
    X(CUDA_ERROR_SYSTEM_NOT_READY, 802)               \
    X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803)         \
    X(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804) \
    X(CUDA_ERROR_MPS_CONNECTION_FAILED, 805)          \
    X(CUDA_ERROR_MPS_RPC_FAILURE, 806)                \
    X(CUDA_ERROR_MPS_SERVER_NOT_READY, 807)           \
    X(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808)        \
    X(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809)    \
    X(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810)          \
    X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900)     \
    X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901)     \
    X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906)        \
    X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908)    \
    X(CUDA_ERROR_EXTERNAL_DEVICE, 911)                \
    X(CUDA_ERROR_UNKNOWN, 999)

/* X(name, value): all other constants. */
#define YK_CUDA_CONSTANTS(X)                                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)              \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2)                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3)                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4)                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5)                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6)                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7)                     \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)        \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                         \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)              \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 20)                      \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)          \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)          \
    X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
    X(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 83)                    \
    X(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 89)         \
    X(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 115)           \
    X(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 19)               \
    X(CU_COMPUTEMODE_PROHIBITED, 2)                              \
    X(CU_STREAM_NON_BLOCKING, 1)                                 \
    X(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                    \
    X(CU_STREAM_CAPTURE_STATUS_NONE, 0)                          \
    X(CU_STREAM_CAPTURE_STATUS_ACTIVE, 1)                        \
    X(CU_EVENT_DEFAULT, 0)                                       \
    X(CU_EVENT_DISABLE_TIMING, 2)                                \
    X(CU_EVENT_WAIT_DEFAULT, 0)                                  \
    X(CU_MEMHOSTALLOC_PORTABLE, 1)                               \
    X(CU_MEMHOSTALLOC_DEVICEMAP, 2)                              \
    X(CU_MEMHOSTREGISTER_PORTABLE, 1)                            \
    X(CU_MEM_ATTACH_GLOBAL, 1)                                   \
    X(CU_MEMORYTYPE_HOST, 1)                                     \
    X(CU_MEMORYTYPE_DEVICE, 2)                                   \
    X(CU_MEMORYTYPE_ARRAY, 3)                                    \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, 22)           \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT, 23)          \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH, 24)           \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT, 25)          \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH, 26)           \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, 56)           \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT, 57)          \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH, 58)           \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT, 59)          \
    X(CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH, 60)           \
    X(CU_AD_FORMAT_UNSIGNED_INT8, 1)                             \
    X(CU_AD_FORMAT_UNSIGNED_INT16, 2)                            \
    X(CU_AD_FORMAT_UNSIGNED_INT32, 3)                            \
    X(CU_AD_FORMAT_SIGNED_INT8, 8)                               \
    X(CU_AD_FORMAT_SIGNED_INT16, 9)                              \
    X(CU_AD_FORMAT_SIGNED_INT32, 10)                             \
    X(CU_AD_FORMAT_HALF, 16)                                     \
    X(CU_AD_FORMAT_FLOAT, 32)                                    \
    X(CU_TR_ADDRESS_MODE_WRAP, 0)                                \
    X(CU_TR_ADDRESS_MODE_CLAMP, 1)                               \
    X(CU_TR_ADDRESS_MODE_MIRROR, 2)                              \
    X(CU_TR_ADDRESS_MODE_BORDER, 3)                              \
    X(CU_TR_FILTER_MODE_POINT, 0)                                \
    X(CU_TR_FILTER_MODE_LINEAR, 1)                               \
    X(CU_TRSF_READ_AS_INTEGER, 1)                                \
    X(CU_TRSF_NORMALIZED_COORDINATES, 2)                         \
    X(CU_RESOURCE_TYPE_ARRAY, 0)                                 \
    X(CUDA_ARRAY3D_SURFACE_LDST, 2)                              \
    X(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2)                       \
    X(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9)                    \
    X(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                          \
    X(CU_MEM_HANDLE_TYPE_NONE, 0)                                \
    X(CU_MEM_LOCATION_TYPE_DEVICE, 1)                            \
    X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                     \
    X(CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, 4)                      \
    X(CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, 5)                   \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                \
    X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                    \
    X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2)                     \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                     \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                             \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)        \
    X(CU_JIT_ERROR_LOG_BUFFER, 5)                                \
    X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6)

/* ---- NVRTC ---- */

typedef unsigned int yk_nvrtcResult;
typedef struct _nvrtcProgram *yk_nvrtcProgram;

/* X(name, value) */
#define YK_NVRTC_RESULTS(X)          \
    X(NVRTC_SUCCESS, 0)              \
    X(NVRTC_ERROR_OUT_OF_MEMORY, 1)  \
    X(NVRTC_ERROR_INVALID_OPTION, 5) \
    X(NVRTC_ERROR_COMPILATION, 6)    \
    X(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7)

enum {
#define YK_CUDA_ENUM(name, value) YK_##name = value,
    YK_CUDA_RESULTS(YK_CUDA_ENUM) YK_CUDA_CONSTANTS(YK_CUDA_ENUM) YK_NVRTC_RESULTS(YK_CUDA_ENUM)
#undef YK_CUDA_ENUM
};

#endif
