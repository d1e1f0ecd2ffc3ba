/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types with the same size and layout on the host, in CUDA and in OpenCL: declare a struct once with these types, in a header that
 * all three include, and check the struct with yoke_struct_check. Kernels include this header as <yoke/types.h>, which Yoke always
 * finds. There is no vector of three: its size is 12 bytes in CUDA and 16 in OpenCL.
 */
#ifndef YOKE_TYPES_H
#define YOKE_TYPES_H

/* ---- Types shared with kernels ------------------------------------------------------------------------------------------ */

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)

typedef char yoke_i8;
typedef uchar yoke_u8;
typedef short yoke_i16;
typedef ushort yoke_u16;
typedef int yoke_i32;
typedef uint yoke_u32;
typedef long yoke_i64;
typedef ulong yoke_u64;
typedef float yoke_f32;
#if defined(cl_khr_fp64) || defined(__opencl_c_fp64)
typedef double yoke_f64; /* where the device has it: YOKE_CAP_FP64 */
#endif
typedef float2 yoke_vec2;
typedef float4 yoke_vec4;

#else

#if defined(__CUDACC_RTC__) /* NVRTC has no host headers */
typedef signed char yoke_i8;
typedef unsigned char yoke_u8;
typedef short yoke_i16;
typedef unsigned short yoke_u16;
typedef int yoke_i32;
typedef unsigned int yoke_u32;
typedef long long yoke_i64;
typedef unsigned long long yoke_u64;
#else
#include <stddef.h>

#include <yoke/yoke.h>

typedef int8_t yoke_i8;
typedef uint8_t yoke_u8;
typedef int16_t yoke_i16;
typedef uint16_t yoke_u16;
typedef int32_t yoke_i32;
typedef uint32_t yoke_u32;
typedef int64_t yoke_i64;
typedef uint64_t yoke_u64;
#endif
typedef float yoke_f32;
typedef double yoke_f64;

#if defined(__CUDACC__)
typedef float2 yoke_vec2;
typedef float4 yoke_vec4;
#else
#if defined(__GNUC__)
#define YOKE_ALIGNED(bytes) __attribute__((aligned(bytes)))
#elif defined(__cplusplus)
#define YOKE_ALIGNED(bytes) alignas(bytes)
#elif __STDC_VERSION__ >= 201112L
#define YOKE_ALIGNED(bytes) _Alignas(bytes)
#else
#error "yoke/types.h needs a compiler with C11, C++11 or GNU attributes to align its vectors"
#endif

/* float2 in both kernel languages. Final. */
typedef struct yoke_vec2 {
    YOKE_ALIGNED(8) float x;
    float y;
} yoke_vec2;

/* float4 in both kernel languages. Final. */
typedef struct yoke_vec4 {
    YOKE_ALIGNED(16) float x;
    float y, z, w;
} yoke_vec4;
#endif

#if !defined(__CUDACC_RTC__)
#ifdef __cplusplus
extern "C" {
#endif

/* A field of a struct in the host's layout: YOKE_FIELD(struct particle, mass). Final. */
typedef struct yoke_field {
    const char *name;    /* the field's name */
    size_t offset, size; /* bytes, on the host */
} yoke_field;

#define YOKE_FIELD(type, field)                                                    \
    {                                                                              \
#field, offsetof(type, field), sizeof(YOKE_CAST(type *, YOKE_NULL)->field) \
    }

/* Check that a struct has the same layout on the device and on the host, with a kernel that is compiled and run for this purpose.
 * `source`: as for yoke_program_build; its texts, or the headers that they include, declare the struct. `name`: as kernels spell
 * the type, "struct particle" or "particle". `size`: sizeof on the host. `fields`, `count`: an array of YOKE_FIELD, at most 64.
 * Blocks. YOKE_E_KERNEL_ARGUMENT: the layouts differ; the record names the first field that differs, with both offsets or sizes.
 * YOKE_E_INVALID_ARGUMENT: name or a field's name is not a name, count is 0 or above 64, or as yoke_program_build. YOKE_E_BUILD:
 * the source does not compile, or has no such struct or field. */
YOKE_API yoke_status yoke_struct_check(yoke_device *device, const yoke_source *source, const char *name, size_t size,
                                       const yoke_field *fields, size_t count);

#ifdef __cplusplus
}
#endif
#endif /* the host */

#endif

#endif
