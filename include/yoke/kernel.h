/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words for kernels that are one text in both languages: yoke_source.text, which is CUDA C++ on CUDA and OpenCL C elsewhere.
 * Kernels include this header as <yoke/kernel.h>, which Yoke always finds. Everything else of the text is what C99 and C++ have in
 * common. Words in capitals stand in declarations, the others are called; none of them is a word of either language.
 */
#ifndef YOKE_KERNEL_H
#define YOKE_KERNEL_H

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

/* ---- OpenCL C ---- */

#define YOKE_KERNEL __kernel
#define YOKE_FUNCTION static inline
/* For functions that take shared memory. Where all calls of one give it the same array, Clang makes the function name the array;
 * PoCL up to 3.1 then takes one there that all blocks share, and the block's own where the kernel names it. */
#define YOKE_INLINE_FUNCTION static inline __attribute__((always_inline))
#define YOKE_BLOCK_SIZE(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define YOKE_RESTRICT restrict

#define YOKE_GLOBAL __global
#define YOKE_CONSTANT __constant
#define YOKE_CONSTANT_PTR __constant
/* NVIDIA's driver (580) would place arrays 4 bytes off, and read them one word at a time. */
#define YOKE_SHARED __local __attribute__((aligned(16)))
#define YOKE_SHARED_PTR __local
/* A type of 16 bytes: drivers align such memory for the type that the kernel declares. */
#define YOKE_AND_DYNAMIC_SHARED , __local uint4 *yoke_dynamic
#define yoke_dynamic_shared(type) ((__local type *)yoke_dynamic)

#define yoke_thread_x() ((uint)get_local_id(0))
#define yoke_thread_y() ((uint)get_local_id(1))
#define yoke_thread_z() ((uint)get_local_id(2))
#define yoke_block_x() ((uint)get_group_id(0))
#define yoke_block_y() ((uint)get_group_id(1))
#define yoke_block_z() ((uint)get_group_id(2))
#define yoke_global_x() ((uint)get_global_id(0))
#define yoke_global_y() ((uint)get_global_id(1))
#define yoke_global_z() ((uint)get_global_id(2))
#define yoke_block_size_x() ((uint)get_local_size(0))
#define yoke_block_size_y() ((uint)get_local_size(1))
#define yoke_block_size_z() ((uint)get_local_size(2))
#define yoke_grid_size_x() ((uint)get_num_groups(0))
#define yoke_grid_size_y() ((uint)get_num_groups(1))
#define yoke_grid_size_z() ((uint)get_num_groups(2))
#define yoke_global_size_x() ((uint)get_global_size(0))
#define yoke_global_size_y() ((uint)get_global_size(1))
#define yoke_global_size_z() ((uint)get_global_size(2))

#define yoke_barrier() barrier(CLK_LOCAL_MEM_FENCE)
#define yoke_barrier_global() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)

#define yoke_atomic_add(p, value) atomic_add(p, value)
#define yoke_atomic_min(p, value) atomic_min(p, value)
#define yoke_atomic_max(p, value) atomic_max(p, value)
#define yoke_atomic_exchange(p, value) atomic_xchg(p, value)
#define yoke_atomic_cas(p, expected, value) atomic_cmpxchg(p, expected, value)

/* OpenCL C 1.2 adds integers only: repeat until no other thread came between. */
static inline float yoke_atomic_add_float(volatile __global float *p, float value)
{
    volatile __global uint *word = (volatile __global uint *)p;
    uint found = *word, expected;

    do {
        expected = found;
        found = atomic_cmpxchg(word, expected, as_uint(as_float(expected) + value));
    } while (found != expected);
    return as_float(found);
}

#if defined(__NV_CL_C_VERSION)
/* NVIDIA's OpenCL runs on the same warps as CUDA but has no words for them; its compiler accepts PTX. */
#define YOKE_HAS_WARP 1
#define YOKE_HAS_SHUFFLE 1
#define yoke_warp_size() 32u
static inline uint yoke_lane(void)
{
    uint lane;
    __asm__("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
#define YOKE_SHUFFLE_WORD(name, mode, clamp)                                                                                  \
    static inline uint name##_word(uint value, uint lane)                                                                     \
    {                                                                                                                         \
        uint result;                                                                                                          \
        __asm__ volatile("shfl.sync." mode ".b32 %0, %1, %2, " clamp ", 0xffffffff;" : "=r"(result) : "r"(value), "r"(lane)); \
        return result;                                                                                                        \
    }
#define YOKE_SHUFFLE_TYPE(name, type, to, from)                                  \
    static inline __attribute__((overloadable)) type name(type value, uint lane) \
    {                                                                            \
        return from(name##_word(to(value), lane));                               \
    }
#define YOKE_SHUFFLE_WIDE(name, type, to, from)                                       \
    static inline __attribute__((overloadable)) type name(type value, uint lane)      \
    {                                                                                 \
        uint2 words = to(value);                                                      \
        return from((uint2)(name##_word(words.x, lane), name##_word(words.y, lane))); \
    }
#define YOKE_SHUFFLE_TYPES(name, mode, clamp)          \
    YOKE_SHUFFLE_WORD(name, mode, clamp)               \
    YOKE_SHUFFLE_TYPE(name, int, as_uint, as_int)      \
    YOKE_SHUFFLE_TYPE(name, uint, as_uint, as_uint)    \
    YOKE_SHUFFLE_TYPE(name, float, as_uint, as_float)  \
    YOKE_SHUFFLE_WIDE(name, long, as_uint2, as_long)   \
    YOKE_SHUFFLE_WIDE(name, ulong, as_uint2, as_ulong) \
    YOKE_SHUFFLE_WIDE(name, double, as_uint2, as_double)
YOKE_SHUFFLE_TYPES(yoke_shuffle, "idx", "0x1f")
YOKE_SHUFFLE_TYPES(yoke_shuffle_xor, "bfly", "0x1f")
YOKE_SHUFFLE_TYPES(yoke_shuffle_down, "down", "0x1f")
YOKE_SHUFFLE_TYPES(yoke_shuffle_up, "up", "0x0")
static inline uint yoke_ballot(int predicate)
{
    uint mask;
    __asm__ volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
                     : "=r"(mask)
                     : "r"(predicate));
    return mask;
}
static inline uint yoke_match_any(uint value)
{
    uint mask;
    __asm__ volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(mask) : "r"(value));
    return mask;
}
#define yoke_warp_sync() __asm__ volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define YOKE_HAS_LOOKBACK 1
static inline ulong yoke_load_relaxed_u64(volatile __global ulong *p)
{
    ulong value;
    __asm__ volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
static inline void yoke_store_relaxed_u64(volatile __global ulong *p, ulong value)
{
    __asm__ volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(value) : "memory");
}
#define yoke_pause(nanoseconds) __asm__ volatile("nanosleep.u32 %0;" ::"r"((uint)(nanoseconds)))
#define yoke_fence() __asm__ volatile("fence.acq_rel.gpu;" ::: "memory")
#elif defined(cl_khr_subgroups) && defined(cl_khr_subgroup_shuffle) && defined(cl_khr_subgroup_shuffle_relative)
#if __OPENCL_C_VERSION__ >= 200 || !defined(__clang__) /* to clang, it is one of OpenCL C 2.0, and a warning before */
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define YOKE_HAS_WARP 0
#define YOKE_HAS_LOOKBACK 0
#define YOKE_HAS_SHUFFLE 1
#define yoke_warp_size() get_max_sub_group_size()
#define yoke_lane() get_sub_group_local_id()
#define yoke_shuffle(value, lane) sub_group_shuffle(value, lane)
#define yoke_shuffle_xor(value, mask) sub_group_shuffle_xor(value, mask)
#define yoke_shuffle_down(value, distance) sub_group_shuffle_down(value, distance)
#define yoke_shuffle_up(value, distance) sub_group_shuffle_up(value, distance)
#define yoke_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#else
#define YOKE_HAS_WARP 0
#define YOKE_HAS_LOOKBACK 0
#define YOKE_HAS_SHUFFLE 0
#define yoke_fence() mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

#define yoke_int2(x, y) ((int2)(x, y))
#define yoke_int4(x, y, z, w) ((int4)(x, y, z, w))
#define yoke_uint2(x, y) ((uint2)(x, y))
#define yoke_uint4(x, y, z, w) ((uint4)(x, y, z, w))
#define yoke_float2(x, y) ((float2)(x, y))
#define yoke_float4(x, y, z, w) ((float4)(x, y, z, w))

#define yoke_fma(a, b, c) fma(a, b, c)
#define yoke_rsqrt(x) rsqrt(x)
#define yoke_popcount(x) ((int)popcount((uint)(x)))
#define yoke_clz(x) ((int)clz((uint)(x)))
#define yoke_float_as_uint(x) as_uint((float)(x))
#define yoke_uint_as_float(x) as_float((uint)(x))

#elif defined(__CUDACC__)

/* ---- CUDA C++ ---- */

#define YOKE_KERNEL extern "C" __global__
#define YOKE_FUNCTION static inline __device__
#define YOKE_INLINE_FUNCTION static inline __device__ __attribute__((always_inline))
#define YOKE_BLOCK_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))
#define YOKE_RESTRICT __restrict__

#define YOKE_GLOBAL
#define YOKE_CONSTANT __constant__ const
#define YOKE_CONSTANT_PTR const
#define YOKE_SHARED __shared__ __align__(16)
#define YOKE_SHARED_PTR
#define YOKE_AND_DYNAMIC_SHARED
extern __shared__ __align__(16) unsigned char yoke_dynamic[];
#define yoke_dynamic_shared(type) ((type *)yoke_dynamic)

#define yoke_thread_x() (threadIdx.x)
#define yoke_thread_y() (threadIdx.y)
#define yoke_thread_z() (threadIdx.z)
#define yoke_block_x() (blockIdx.x)
#define yoke_block_y() (blockIdx.y)
#define yoke_block_z() (blockIdx.z)
#define yoke_global_x() (blockIdx.x * blockDim.x + threadIdx.x)
#define yoke_global_y() (blockIdx.y * blockDim.y + threadIdx.y)
#define yoke_global_z() (blockIdx.z * blockDim.z + threadIdx.z)
#define yoke_block_size_x() (blockDim.x)
#define yoke_block_size_y() (blockDim.y)
#define yoke_block_size_z() (blockDim.z)
#define yoke_grid_size_x() (gridDim.x)
#define yoke_grid_size_y() (gridDim.y)
#define yoke_grid_size_z() (gridDim.z)
#define yoke_global_size_x() (gridDim.x * blockDim.x)
#define yoke_global_size_y() (gridDim.y * blockDim.y)
#define yoke_global_size_z() (gridDim.z * blockDim.z)

#define yoke_barrier() __syncthreads()
#define yoke_barrier_global() __syncthreads()

/* NVRTC 13.0, for devices of 9.0 and newer, crashes where it meets atomicAdd first behind a text's own function float2 or float4,
 * since overloads take these types: it meets it here. */
static inline __device__ unsigned int yoke_meet_atomics(unsigned int *p) { return atomicAdd(p, 0u); }

#define yoke_atomic_add(p, value) atomicAdd(p, value)
#define yoke_atomic_min(p, value) atomicMin(p, value)
#define yoke_atomic_max(p, value) atomicMax(p, value)
#define yoke_atomic_exchange(p, value) atomicExch(p, value)
#define yoke_atomic_cas(p, expected, value) atomicCAS(p, expected, value)
#define yoke_atomic_add_float(p, value) atomicAdd(p, value)

/* All threads of the warp take part. */
#define YOKE_HAS_WARP 1
#define YOKE_HAS_SHUFFLE 1
#define yoke_warp_size() ((unsigned int)warpSize)
#define yoke_lane() (((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) % warpSize)
#define yoke_shuffle(value, lane) __shfl_sync(0xffffffffu, value, lane)
#define yoke_shuffle_xor(value, mask) __shfl_xor_sync(0xffffffffu, value, mask)
#define yoke_shuffle_down(value, distance) __shfl_down_sync(0xffffffffu, value, distance)
#define yoke_shuffle_up(value, distance) __shfl_up_sync(0xffffffffu, value, distance)
#define yoke_ballot(predicate) __ballot_sync(0xffffffffu, predicate)
#define yoke_match_any(value) __match_any_sync(0xffffffffu, (unsigned int)(value))
#define yoke_warp_sync() __syncwarp()
#define YOKE_HAS_LOOKBACK 1
#define yoke_load_relaxed_u64(p) (*(volatile unsigned long long *)(p))
#define yoke_store_relaxed_u64(p, value) (*(volatile unsigned long long *)(p) = (value))
#define yoke_pause(nanoseconds) __nanosleep(nanoseconds)
#define yoke_fence() __threadfence()

#define yoke_int2(x, y) make_int2(x, y)
#define yoke_int4(x, y, z, w) make_int4(x, y, z, w)
#define yoke_uint2(x, y) make_uint2(x, y)
#define yoke_uint4(x, y, z, w) make_uint4(x, y, z, w)
#define yoke_float2(x, y) make_float2(x, y)
#define yoke_float4(x, y, z, w) make_float4(x, y, z, w)

#define yoke_fma(a, b, c) fma(a, b, c)
#define yoke_rsqrt(x) rsqrt(x)
#define yoke_popcount(x) __popc(x)
#define yoke_clz(x) __clz((int)(x))
#define yoke_float_as_uint(x) __float_as_uint(x)
#define yoke_uint_as_float(x) __uint_as_float(x)

#else
#error "<yoke/kernel.h> is for kernels, as CUDA C++ or as OpenCL C; programs include <yoke/yoke.h>"
#endif

#endif
