/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares our own declarations of CUDA and NVRTC with NVIDIA's headers. It is enough that this compiles; it runs nothing, and is
 * built only where the toolkit's headers are (12.8 or later, which declare everything that Yoke uses).
 */
#include <stddef.h>

#include <cuda.h>
#include <nvrtc.h>

#include "../../backends/cuda/api.h"

#if CUDA_VERSION < 12080
#error "this check needs the headers of CUDA 12.8 or later"
#endif

#define SAME_TYPE(ours, theirs) _Static_assert(__builtin_types_compatible_p(ours, theirs), #ours " is not " #theirs)

/* A name without a version, as cuEventElapsedTime, is a macro for the newest one there: its prototype has to be the same too. */
#define YK_CUDA_SYMBOL(need, name, parameters, ...) \
    typedef yk_CUresult our_##name parameters;      \
    SAME_TYPE(our_##name, __typeof__(name));
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) \
    typedef result our_##name parameters;                    \
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
SAME_TYPE(yk_CUoccupancyB2DSize, CUoccupancyB2DSize);
SAME_TYPE(yk_CUpointer_attribute, CUpointer_attribute);
SAME_TYPE(yk_CUmemPool_attribute, CUmemPool_attribute);
SAME_TYPE(yk_CUmemoryPool, CUmemoryPool);
SAME_TYPE(yk_CUgraph, CUgraph);
SAME_TYPE(yk_CUgraphNode, CUgraphNode);
SAME_TYPE(yk_CUgraphExec, CUgraphExec);
SAME_TYPE(yk_CUarray, CUarray);
SAME_TYPE(yk_CUtexObject, CUtexObject);
SAME_TYPE(yk_CUsurfObject, CUsurfObject);
SAME_TYPE(yk_nvrtcResult, nvrtcResult);
SAME_TYPE(yk_nvrtcProgram, nvrtcProgram);

_Static_assert(sizeof(CUuuid) == 16, "a UUID has 16 bytes");
_Static_assert(sizeof(yk_CUdeviceptr) == 8, "kernels take the address of a buffer from a uint64_t");

/* Structs: of the same size, and each member at its place. */
#define SAME_SIZE(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #ours " has another size than " #theirs);
#define SAME_PLACE(ours, our_member, theirs, their_member)                                     \
    _Static_assert(offsetof(ours, our_member) == offsetof(theirs, their_member) &&             \
                       sizeof(((ours *)0)->our_member) == sizeof(((theirs *)0)->their_member), \
                   #ours "." #our_member " is not where " #theirs "." #their_member " is");
SAME_SIZE(yk_CUmemPoolProps, CUmemPoolProps)
SAME_PLACE(yk_CUmemPoolProps, allocType, CUmemPoolProps, allocType)
SAME_PLACE(yk_CUmemPoolProps, handleTypes, CUmemPoolProps, handleTypes)
SAME_PLACE(yk_CUmemPoolProps, location, CUmemPoolProps, location)
SAME_PLACE(yk_CUmemPoolProps, location.id, CUmemPoolProps, location.id)
SAME_PLACE(yk_CUmemPoolProps, maxSize, CUmemPoolProps, maxSize)
SAME_SIZE(yk_CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, func, CUDA_KERNEL_NODE_PARAMS, func)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, gridDimX, CUDA_KERNEL_NODE_PARAMS, gridDimX)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, gridDimZ, CUDA_KERNEL_NODE_PARAMS, gridDimZ)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, blockDimX, CUDA_KERNEL_NODE_PARAMS, blockDimX)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, blockDimZ, CUDA_KERNEL_NODE_PARAMS, blockDimZ)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, sharedMemBytes, CUDA_KERNEL_NODE_PARAMS, sharedMemBytes)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, kernelParams, CUDA_KERNEL_NODE_PARAMS, kernelParams)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, extra, CUDA_KERNEL_NODE_PARAMS, extra)
SAME_PLACE(yk_CUDA_KERNEL_NODE_PARAMS, ctx, CUDA_KERNEL_NODE_PARAMS, ctx)
SAME_SIZE(yk_CUDA_MEMSET_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, dst, CUDA_MEMSET_NODE_PARAMS, dst)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, pitch, CUDA_MEMSET_NODE_PARAMS, pitch)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, value, CUDA_MEMSET_NODE_PARAMS, value)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, elementSize, CUDA_MEMSET_NODE_PARAMS, elementSize)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, width, CUDA_MEMSET_NODE_PARAMS, width)
SAME_PLACE(yk_CUDA_MEMSET_NODE_PARAMS, height, CUDA_MEMSET_NODE_PARAMS, height)
SAME_SIZE(yk_CUmemAccessDesc, CUmemAccessDesc)
SAME_PLACE(yk_CUmemAccessDesc, location, CUmemAccessDesc, location)
SAME_PLACE(yk_CUmemAccessDesc, flags, CUmemAccessDesc, flags)

SAME_SIZE(yk_CUDA_ARRAY3D_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR)
SAME_PLACE(yk_CUDA_ARRAY3D_DESCRIPTOR, Width, CUDA_ARRAY3D_DESCRIPTOR, Width)
SAME_PLACE(yk_CUDA_ARRAY3D_DESCRIPTOR, Depth, CUDA_ARRAY3D_DESCRIPTOR, Depth)
SAME_PLACE(yk_CUDA_ARRAY3D_DESCRIPTOR, Format, CUDA_ARRAY3D_DESCRIPTOR, Format)
SAME_PLACE(yk_CUDA_ARRAY3D_DESCRIPTOR, NumChannels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels)
SAME_PLACE(yk_CUDA_ARRAY3D_DESCRIPTOR, Flags, CUDA_ARRAY3D_DESCRIPTOR, Flags)
SAME_SIZE(yk_CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC)
SAME_PLACE(yk_CUDA_RESOURCE_DESC, resType, CUDA_RESOURCE_DESC, resType)
SAME_PLACE(yk_CUDA_RESOURCE_DESC, res.array.hArray, CUDA_RESOURCE_DESC, res.array.hArray)
SAME_PLACE(yk_CUDA_RESOURCE_DESC, flags, CUDA_RESOURCE_DESC, flags)
SAME_SIZE(yk_CUDA_TEXTURE_DESC, CUDA_TEXTURE_DESC)
SAME_PLACE(yk_CUDA_TEXTURE_DESC, addressMode, CUDA_TEXTURE_DESC, addressMode)
SAME_PLACE(yk_CUDA_TEXTURE_DESC, filterMode, CUDA_TEXTURE_DESC, filterMode)
SAME_PLACE(yk_CUDA_TEXTURE_DESC, flags, CUDA_TEXTURE_DESC, flags)
SAME_PLACE(yk_CUDA_TEXTURE_DESC, borderColor, CUDA_TEXTURE_DESC, borderColor)

#define SAME_SIDES(theirs, member, name)                        \
    SAME_PLACE(yk_CUDA_MEMCPY3D, src.member, theirs, src##name) \
    SAME_PLACE(yk_CUDA_MEMCPY3D, dst.member, theirs, dst##name)
#define SAME_COPY(theirs)                                            \
    SAME_SIZE(yk_CUDA_MEMCPY3D, theirs)                              \
    SAME_SIDES(theirs, XInBytes, XInBytes)                           \
    SAME_SIDES(theirs, Y, Y)                                         \
    SAME_SIDES(theirs, Z, Z)                                         \
    SAME_SIDES(theirs, LOD, LOD)                                     \
    SAME_SIDES(theirs, MemoryType, MemoryType)                       \
    SAME_SIDES(theirs, Host, Host)                                   \
    SAME_SIDES(theirs, Device, Device)                               \
    SAME_SIDES(theirs, Array, Array)                                 \
    SAME_SIDES(theirs, Pitch, Pitch)                                 \
    SAME_SIDES(theirs, Height, Height)                               \
    SAME_PLACE(yk_CUDA_MEMCPY3D, WidthInBytes, theirs, WidthInBytes) \
    SAME_PLACE(yk_CUDA_MEMCPY3D, Height, theirs, Height)             \
    SAME_PLACE(yk_CUDA_MEMCPY3D, Depth, theirs, Depth)
SAME_COPY(CUDA_MEMCPY3D)
SAME_COPY(CUDA_MEMCPY3D_PEER)
SAME_SIDES(CUDA_MEMCPY3D_PEER, Context, Context)
SAME_PLACE(yk_CUDA_MEMCPY3D, src.Context, CUDA_MEMCPY3D, reserved0)
SAME_PLACE(yk_CUDA_MEMCPY3D, dst.Context, CUDA_MEMCPY3D, reserved1)

int main(void)
{
    return 0;
}
