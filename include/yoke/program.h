/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, kernels and launches. What the top of <yoke/yoke.h> says holds here too. Included by <yoke/yoke.h>.
 */
#ifndef YOKE_PROGRAM_H
#define YOKE_PROGRAM_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources ------------------------------------------------------------------------------------------------------------ */

enum {
    YOKE_MATH_EXACT = 0, /* IEEE single operations, never fused unless the source says fma: both backends agree to the last bit */
    YOKE_MATH_FAST = 1   /* the compiler may fuse, approximate and flush subnormals */
};

enum { YOKE_BUILD_DEBUG = 1 }; /* line information for debuggers and profilers, as far as the compiler has any */

/* A header that exists only as text. `#include "name"` and `#include <name>` find it. */
typedef struct yoke_header {
    const char *name; /* as "particle.h" or "lib/vec.h" */
    const char *text; /* ended by NUL */
} yoke_header;

/*
 * A program's source: the CUDA text, the OpenCL text, or both; each backend takes its own. All members are read during the call.
 *
 * Yoke itself puts in what #include names, so that it means the same to every compiler: the virtual headers first, then the include
 * folders in their order, then <yoke/types.h>, which is always there. With "" a header is looked for beside the one that includes
 * it first. `#pragma once` and include guards work. Names that are absolute or lead out of an include folder ("..", links) are
 * refused. What is not found is left to the CUDA compiler when it stands in <>, and is an error where it is really included
 * otherwise. An include folder that is not there is YOKE_E_INVALID_ARGUMENT.
 */
typedef struct yoke_source {
    size_t size;                        /* YOKE_SOURCE_INIT; 0 means the struct as it was in version 0.1 */
    const char *name;                   /* for messages, as "saxpy"; may be NULL */
    const char *cuda;                   /* CUDA C++ as NVRTC takes it; kernels are extern "C", or named in `name_expressions` */
    const char *opencl;                 /* OpenCL C */
    const char *const *defines;         /* "NAME" or "NAME=VALUE", each of one line, ended by NULL; may be NULL */
    int32_t math;                       /* YOKE_MATH_EXACT or YOKE_MATH_FAST */
    const char *opencl_std;             /* the OpenCL C version to ask for, as "2.0"; NULL means "1.2" */
    const char *cuda_std;               /* the C++ version to ask for, as "17"; NULL means "17" */
    size_t cuda_size, opencl_size;      /* bytes of the texts; 0: they end at their first NUL */
    uint32_t flags;                     /* YOKE_BUILD_ bits */
    const yoke_header *headers;         /* ended by one whose name is NULL; may be NULL */
    const char *const *include_folders; /* absolute paths, ended by NULL; may be NULL */
    /* Kernels in C++ that are no extern "C", as "scale<float>" or "ns::scale", ended by NULL; yoke_kernel_get takes the same
     * spelling. OpenCL C has none of that: there the kernel is the name with each run of other characters made an underscore and
     * those at the end left out, "scale_float" and "ns_scale". May be NULL. */
    const char *const *name_expressions;
} yoke_source;

#define YOKE_SOURCE_INIT                                                                                    \
    {                                                                                                       \
        sizeof(yoke_source), NULL, NULL, NULL, NULL, YOKE_MATH_EXACT, NULL, NULL, 0, 0, 0, NULL, NULL, NULL \
    }

/* The source of one of Yoke's own kernels, as "saxpy": static text, both twins. YOKE_E_NOT_FOUND names the nearest. */
YOKE_API yoke_status yoke_source_builtin(const char *name, yoke_source *out_source);

/* ---- Programs ----------------------------------------------------------------------------------------------------------- */

/* Compile a program for the device, or take it from the cache (see yoke_cache_get_info); blocks meanwhile. Of several threads that
 * build the same at once, one compiles and the others wait for it.
 * YOKE_E_INVALID_ARGUMENT: no text for the device's backend; an empty text, one with a NUL byte, or one that is no source (PTX,
 * say: the record names it); a define, header, folder or instance that is malformed. YOKE_E_BUILD: it does not compile; the record
 * has the first error and yoke_get_build_log() the whole log. YOKE_E_UNAVAILABLE: NVRTC is missing (the record says where it was
 * looked for), or makes nothing that this driver takes. YOKE_E_UNSUPPORTED: the compiler does not know this opencl_std or cuda_std.
 */
YOKE_API yoke_status yoke_program_build(yoke_device *device, const yoke_source *source, yoke_program **out_program);

/* The same without blocking: the program compiles on a thread of Yoke's, and `out_event` settles when it is done, with what
 * yoke_program_build would have returned. The source is copied during the call. Looking up a kernel waits for the build. Statuses
 * of this call: YOKE_E_INVALID_ARGUMENT as above, YOKE_E_OUT_OF_HOST_MEMORY. `out_event` may be NULL. */
YOKE_API yoke_status yoke_program_build_async(yoke_device *device, const yoke_source *source, yoke_program **out_program,
                                              yoke_event **out_event);

/* Make a program of compiled code, whose kind is found by its first bytes: what yoke_program_save wrote; PTX, cubin or fatbin on
 * CUDA; SPIR-V where YOKE_CAP_SPIRV; a driver's own binary on OpenCL where YOKE_CAP_PROGRAM_BINARIES (taken as that when it is
 * nothing else that is known). `name` is for messages and may be NULL. `image` is read during the call. SPIR-V may have either byte
 * order; that its instructions and functions are whole is checked, and the rest drivers believe, some of which end the process when
 * it is wrong: let spirv-val look at what comes from elsewhere. YOKE_E_INVALID_ARGUMENT: image is NULL or size 0; source text; a
 * saved image that is damaged. YOKE_E_UNSUPPORTED: code of a kind for another backend, or for another device; the record says
 * which. YOKE_E_UNAVAILABLE: PTX that is newer than the driver; both versions are in the record. YOKE_E_BUILD: the driver does not
 * make sense of it; yoke_get_build_log(). */
YOKE_API yoke_status yoke_program_load(yoke_device *device, const char *name, const void *image, size_t size,
                                       yoke_program **out_program);

/* Write a program in a form that yoke_program_load takes, for this device and driver, with the signatures of its kernels. `target`:
 * `capacity` bytes, or NULL when capacity is 0; `out_size` is how many it takes, and nothing is written where that is more.
 * YOKE_E_UNSUPPORTED: no YOKE_CAP_PROGRAM_BINARIES. Or the failure of a build that is still running. */
YOKE_API yoke_status yoke_program_save(yoke_program *program, void *target, size_t capacity, size_t *out_size);

/* The compiler's log of the calling thread's last yoke_program_build or _load, failed or not. Never NULL; valid until that thread's
 * next. */
YOKE_API const char *yoke_get_build_log(void);

/* The compiler's log of this program, once it is built (a build that is still running is waited for); "" for NULL. Lives as long as
 * the program. */
YOKE_API const char *yoke_program_get_log(yoke_program *program);

/* The number of kernels in the program, once it is built: a build that is still running is waited for. 0 for NULL, for a program
 * that has failed, and where neither the driver nor the program's source tells. */
YOKE_API size_t yoke_program_get_kernel_count(yoke_program *program);

/* The name of a kernel of the program, by its index from 0, in no particular order. Kernels of C++ that have no extern "C" have the
 * compiler's names. Lives as long as the program. NULL when the index is not below yoke_program_get_kernel_count. */
YOKE_API const char *yoke_program_get_kernel_name(yoke_program *program, size_t index);

/* What compiles sources for a device. The caller sets `size` (YOKE_COMPILER_INFO_INIT). */
typedef struct yoke_compiler_info {
    size_t size;       /* sizeof(yoke_compiler_info) */
    char name[128];    /* with its version: "NVRTC 13.0", or what the OpenCL platform says of itself */
    char language[64]; /* "CUDA C++", or "OpenCL C 1.2" */
    char target[64];   /* "compute capability 9.0", or "" */
} yoke_compiler_info;

#define YOKE_COMPILER_INFO_INIT                   \
    {                                             \
        sizeof(yoke_compiler_info), { 0 }, { 0 }, \
        {                                         \
            0                                     \
        }                                         \
    }

/* Ask what compiles sources for a device. YOKE_E_INVALID_ARGUMENT: out_info is NULL or its size is 0. YOKE_E_UNAVAILABLE: NVRTC is
 * missing; the record says where it was looked for. */
YOKE_API yoke_status yoke_device_get_compiler(yoke_device *device, yoke_compiler_info *out_info);

/* Take another reference, or give one back. */
YOKE_API yoke_program *yoke_program_retain(yoke_program *program);
YOKE_API void yoke_program_release(yoke_program *program);

/* A variable of the program, __device__ or __constant__, as a buffer: for copies, fills and kernel arguments. It keeps the program
 * alive; the caller releases it. A name in C++ has to be one of the source's `name_expressions`, as "&ns::x". YOKE_E_NOT_FOUND:
 * there is none of this name. YOKE_E_INVALID_ARGUMENT: it has no bytes. YOKE_E_UNSUPPORTED: no YOKE_CAP_GLOBALS (OpenCL C lets
 * nobody ask where a variable is). */
YOKE_API yoke_status yoke_program_get_global(yoke_program *program, const char *name, yoke_buffer **out_buffer);

/* ---- The cache ---------------------------------------------------------------------------------------------------------- */

/* How the cache is used: not at all, for reading, or for reading and writing. */
enum { YOKE_CACHE_OFF = 0, YOKE_CACHE_READ = 1, YOKE_CACHE_ON = 2 };

/* Where compiled programs are kept between runs. The caller sets `size` (YOKE_CACHE_INFO_INIT). */
typedef struct yoke_cache_info {
    size_t size;       /* sizeof(yoke_cache_info) */
    int32_t mode;      /* YOKE_CACHE_ */
    uint32_t hits;     /* since the process began: builds that were served */
    uint32_t misses;   /* that were not */
    uint32_t stored;   /* entries written */
    uint32_t rejected; /* entries that were damaged, and replaced */
    uint64_t limit;    /* bytes, beyond which the oldest entries go */
    char folder[512];  /* "" when there is none */
    char reason[256];  /* why the mode is less than the environment asks for; else "" */
} yoke_cache_info;

#define YOKE_CACHE_INFO_INIT                              \
    {                                                     \
        sizeof(yoke_cache_info), 0, 0, 0, 0, 0, 0, { 0 }, \
        {                                                 \
            0                                             \
        }                                                 \
    }

/* Compiled programs are kept in the folder YOKE_CACHE_DIR, or $XDG_CACHE_HOME/yoke, or $HOME/.cache/yoke, by all that decides what
 * the compiler makes: the texts, all that they include, options, compiler, driver and device. YOKE_CACHE=off, read or on (the
 * default); YOKE_CACHE_SIZE=MiB (256 unless set). With a value that is none of these there is no cache, and nothing is counted. The
 * folder has to be the user's own and writable by nobody else; set-user-id programs have no cache. A cache that cannot be used is a
 * line in the log and never a failure. YOKE_E_INVALID_ARGUMENT: out_info is NULL or its size is 0. */
YOKE_API yoke_status yoke_cache_get_info(yoke_cache_info *out_info);

/* ---- Kernels ------------------------------------------------------------------------------------------------------------ */

/* Look up a kernel by name. It is borrowed: it lives as long as its program, which work in a stream keeps alive.
 * YOKE_E_NOT_FOUND: there is none of this name; the record lists those that are there, and the nearest. YOKE_E_UNSUPPORTED: a
 * parameter kind that Yoke cannot set (an image, say). Or the failure of a build that was still running. */
YOKE_API yoke_status yoke_kernel_get(yoke_program *program, const char *name, yoke_kernel **out_kernel);

/* What is known of a compiled kernel on its device. */
typedef struct yoke_kernel_info {
    size_t size;                  /* sizeof(yoke_kernel_info) */
    int32_t parameters;           /* that a launch has to give; -1 when the driver does not tell */
    uint32_t max_block_threads;   /* for this kernel */
    uint32_t preferred_multiple;  /* of threads in a block: the warp or SIMD width */
    uint64_t static_shared_bytes; /* bytes of shared memory that the source itself declares; 0 also when the driver does not tell */
    uint64_t max_dynamic_shared_bytes; /* bytes that a launch may ask for beside that */
    uint32_t automatic_block;          /* threads in a block of yoke_launch_n */
    int32_t registers;                 /* of a thread; -1 when the driver does not tell */
    int64_t local_bytes;               /* memory of a thread beside its registers: arrays, and what was spilled; -1 the same */
    int64_t constant_bytes;            /* constant memory of the kernel; -1 the same */
    uint32_t required_block[3];        /* the only block that the source allows, or 0 */
} yoke_kernel_info;

#define YOKE_KERNEL_INFO_INIT                                \
    {                                                        \
        sizeof(yoke_kernel_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        {                                                    \
            0, 0, 0                                          \
        }                                                    \
    }

/* Describe a kernel. The caller sets out_info->size. */
YOKE_API yoke_status yoke_kernel_get_info(const yoke_kernel *kernel, yoke_kernel_info *out_info);

enum {
    YOKE_PARAM_UNKNOWN = 0, /* only its width is known */
    YOKE_PARAM_VALUE = 1,   /* a scalar, vector or struct */
    YOKE_PARAM_BUFFER = 2,
    YOKE_PARAM_LOCAL = 3 /* a __local pointer of OpenCL that is not the last parameter: yoke_arg_local */
};

/* What is known of a kernel's parameter. The caller sets `size` (YOKE_PARAM_INFO_INIT). */
typedef struct yoke_param_info {
    size_t size;       /* sizeof(yoke_param_info) */
    int32_t kind;      /* YOKE_PARAM_ */
    int32_t read_only; /* 1: a buffer that the kernel only reads (const, or __constant); 0: it may write; -1: not known */
    uint32_t bytes;    /* of the value or pointer; 0 when not known */
    char name[40];     /* "" when not known, as is the type */
    char type[40];     /* as the source has it */
} yoke_param_info;

#define YOKE_PARAM_INFO_INIT                     \
    {                                            \
        sizeof(yoke_param_info), 0, 0, 0, { 0 }, \
        {                                        \
            0                                    \
        }                                        \
    }

/* Describe parameter `index`, from 0. YOKE_E_RANGE: there are not so many. YOKE_E_UNSUPPORTED: nothing is known of the kernel's
 * parameters. */
YOKE_API yoke_status yoke_kernel_get_param(const yoke_kernel *kernel, size_t index, yoke_param_info *out_info);

/* ---- Launches ----------------------------------------------------------------------------------------------------------- */

/* One kernel argument, with its kind and width. Made by YOKE_ARGS, or by the yoke_arg_ functions of <yoke/args.h>. */
typedef struct yoke_arg {
    uint32_t kind; /* YOKE_ARG_ */
    uint32_t size; /* bytes of the scalar or struct; of a pointer for a buffer */
    union {
        yoke_buffer *buffer;
        const void *bytes; /* a struct, read during the launch call */
        void *host;        /* an array of the host's */
        uint64_t u64;
        int64_t i64;
        double f64;
        float f32;
        uint32_t u32;
        int32_t i32;
        uint16_t u16;
        int16_t i16;
        uint8_t u8;
        int8_t i8;
    } value; /* as the kind says */
} yoke_arg;

enum {
    YOKE_ARG_BUFFER = 1,
    YOKE_ARG_SCALAR = 2,
    YOKE_ARG_STRUCT = 3,
    YOKE_ARG_NULL = 4,  /* a buffer parameter that is to be a null pointer */
    YOKE_ARG_LOCAL = 5, /* so many bytes of shared memory */
    YOKE_ARG_IN = 6,    /* an array of the host's, copied to the device before the launch, */
    YOKE_ARG_OUT = 7,   /* copied back behind it, */
    YOKE_ARG_INOUT = 8  /* or both */
};
enum { YOKE_MAX_ARGS = 128 }; /* of one launch */

/* Blocks in a grid, or threads in a block: YOKE_DIM(x), YOKE_DIM(x, y) or YOKE_DIM(x, y, z). */
typedef struct yoke_dim {
    uint32_t x, y, z; /* how many in each dimension */
} yoke_dim;

/* Launch a kernel over grid.x * grid.y * grid.z blocks of block.x * block.y * block.z threads, in the stream's order. The launch
 * carries all of its arguments and keeps what they refer to alive until it has run: nothing needs to outlive the call but the
 * host's arrays of yoke_in, yoke_out and yoke_inout, which have to stay until the stream has come so far. For those the launch
 * takes device memory in the stream's order, copies to it, and behind the kernel from it; the results are there once the stream is
 * waited for. `shared_bytes`: bytes of dynamic shared memory: `extern __shared__` in CUDA; in OpenCL the kernel's last parameter, a
 * __local pointer that is no part of `args`. It may be given as yoke_arg_local instead, in the place where OpenCL has the
 * parameter. `args`, `count`: YOKE_ARGS(…) gives both, in the order of the kernel's parameters. YOKE_E_KERNEL_ARGUMENT: count, kind
 * or width does not fit the compiled kernel, where YOKE_CAP_SIGNATURE; a view is not aligned; a buffer is pinned; a buffer is
 * read-only or a host array only comes out, and the kernel writes or only reads it. YOKE_E_INVALID_ARGUMENT: a dimension is 0;
 * kernel, stream or a buffer belong to different devices. YOKE_E_RANGE: grid, block or shared memory beyond what device or kernel
 * allow. Or the stream's failure, when it has failed. */
#define yoke_launch(...) yoke_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                                    size_t shared_bytes, const yoke_arg *args, size_t count);

/* Launch over at least `n` threads in one dimension, in blocks whose size Yoke chooses for this kernel on this device
 * (yoke_kernel_info.automatic_block); the kernel has to leave out threads beyond n. YOKE_E_INVALID_ARGUMENT: n is 0. YOKE_E_RANGE:
 * more blocks than a grid has. Else as yoke_launch. */
#define yoke_launch_n(...) yoke_launch_n_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_n_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, size_t n, const yoke_arg *args,
                                      size_t count);

/* As yoke_launch, with all blocks on the device at the same time, so that they may wait for each other. YOKE_E_UNSUPPORTED: no
 * YOKE_CAP_COOPERATIVE. YOKE_E_RANGE: more blocks than fit; the record says how many do. */
#define yoke_launch_cooperative(...) yoke_launch_cooperative_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_cooperative_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid,
                                                yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count);

#ifdef __cplusplus
}
#endif

#include <yoke/args.h>

#endif
