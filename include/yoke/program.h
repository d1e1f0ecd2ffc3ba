/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs, kernels and launches. The rules at the top of <yoke/yoke.h>, which includes this header, apply here too.
 */
#ifndef YOKE_PROGRAM_H
#define YOKE_PROGRAM_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Sources ------------------------------------------------------------------------------------------------------------ */

/* The arithmetic of kernels. */
typedef int32_t yoke_math_mode;
enum {
    YOKE_MATH_DEFAULT = 0, /* as the language's own compilers: products and sums may be fused, so that last bits may differ */
    YOKE_MATH_EXACT = 1,   /* IEEE operations, fused only where the source says fma: both backends agree to the last bit */
    YOKE_MATH_FAST = 2     /* the compiler may fuse, approximate and flush subnormals */
};

typedef uint32_t yoke_build_flags;
enum { YOKE_BUILD_DEBUG = 1 }; /* line information for debuggers and profilers, where the compiler supports it */

/* A virtual header, which exists only as text. `#include "name"` and `#include <name>` find it. Final. */
typedef struct yoke_header {
    const char *name; /* as "particle.h" or "lib/vec.h" */
    const char *text; /* NUL-terminated */
} yoke_header;

/* Compiled code of a program, as yoke_program_load takes it. Final. */
typedef struct yoke_code {
    const void *bytes;
    size_t size;
} yoke_code;

/*
 * A program's source: the CUDA text, the OpenCL text, or both; each backend uses its own. Or `text`, one text that is compiled as
 * CUDA C++ on CUDA and as OpenCL C on OpenCL; <yoke/kernel.h> has words for such texts. A backend whose own text is given uses
 * that, and not `text`. All members are read during the call.
 *
 * Yoke itself expands #include, so that the directive means the same to every compiler. Yoke searches the virtual headers first,
 * then the include folders in their order, then Yoke's own: <yoke/types.h>, <yoke/kernel.h>, and for CUDA texts stubs of host
 * headers that kernel files include (<stdio.h>, <math.h>, <stdint.h>, <float.h>, <limits.h>, <cuda_runtime.h> and the like). A
 * header in "" is first searched in the folder of the file that includes it; from a file, ".." may lead into another include
 * folder. `#pragma once` and include guards work. An absolute name is for a file in an include folder, or in a folder that a define
 * names ("DIR=/opt/kernels"); others, and names that lead out of every include folder ("..", links), are rejected.
 *
 * A header that a macro names (`#include HDR`) is expanded like others, and `__has_include` is answered, as far as the macros are
 * known: from the defines and from the text, whose conditions are followed. Where only the compiler knows, as for a macro that is
 * defined under `#if __OPENCL_VERSION__ >= 200`, the directive is YOKE_E_BUILD if it is certainly reached, and else an error of the
 * compiler's where it is; NVRTC opens such a header itself, in the include folders, and the program is not cached. #import, #embed
 * and trigraphs are refused in the same way.
 *
 * Headers of the CUDA Toolkit, CCCL included, are left to the CUDA compiler, which finds them in the include folders and in the
 * Toolkit that it belongs to (else in CUDA_HOME, CUDA_PATH or /usr/local/cuda); the cache's key covers these files, too. Any other
 * missing header is an error if the directive is really reached. An include folder that does not exist is
 * YOKE_E_INVALID_ARGUMENT.
 */
typedef struct yoke_source {
    size_t size;                        /* YOKE_SOURCE_INIT, or 0: see <yoke/yoke.h> */
    const char *name;                   /* for messages, as "saxpy"; may be NULL */
    const char *cuda;                   /* CUDA C++ for NVRTC; `name_expressions` lists templates and overloads */
    const char *opencl;                 /* OpenCL C */
    const char *const *defines;         /* "NAME", "NAME=VALUE" or "MAX(a,b)=VALUE", each one line; NULL-terminated; may be NULL */
    yoke_math_mode math;                /* as the language's compiler, exact or fast */
    const char *opencl_std;             /* the OpenCL C version, as "2.0"; NULL means "1.2" */
    const char *cuda_std;               /* the C++ version, as "17"; NULL means "17" */
    size_t cuda_size, opencl_size;      /* bytes of the texts; 0: NUL-terminated */
    yoke_build_flags flags;             /* YOKE_BUILD_ bits */
    const yoke_header *headers;         /* terminated by an entry whose name is NULL; may be NULL */
    const char *const *include_folders; /* absolute paths; NULL-terminated; may be NULL */
    /* Templates and overloaded kernels in C++, as "scale<float>"; yoke_kernel_get takes the same spelling, but for blanks. OpenCL C
     * has no such names: the OpenCL kernel's name has each run of other characters replaced by an underscore and no underscore at
     * the end, as "scale_float" and "ns_scale". NULL-terminated; may be NULL. */
    const char *const *name_expressions;
    const char *text; /* one text for both languages, for each backend whose own text is NULL; may be NULL */
    size_t text_size; /* bytes; 0: NUL-terminated */
    /* Code that was compiled earlier, for several devices and backends. The first code that the device and its driver accept is
     * loaded, and no text is compiled; a text is needed only for the devices that none of the code fits. `yoke cc -o FILE.c`
     * writes such sources. Terminated by an entry whose bytes are NULL; may be NULL. */
    const yoke_code *compiled;
    const char *const *cuda_defines, *const *opencl_defines; /* as `defines`, for one language */
    /* More options for the compiler of one language, each as one word, as "--maxrregcount=32" and "-cl-opt-disable". They follow
     * Yoke's own. Options that another member stands for, as -D, -I and -std, are rejected. A saved program keeps those for OpenCL,
     * whose drivers may compile it further when it is loaded. NULL-terminated; may be NULL. */
    const char *const *cuda_options, *const *opencl_options;
    /* Files instead of the texts; a relative path begins at the working directory. The file's folder is searched for headers in ""
     * before the include folders, and for headers in <> after them. Without a name the source has the file's. */
    const char *cuda_file, *opencl_file, *text_file;
} yoke_source;

#define YOKE_SOURCE_INIT                                                                                                      \
    {                                                                                                                         \
        sizeof(yoke_source), NULL, NULL, NULL, NULL, YOKE_MATH_DEFAULT, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, NULL, 0, NULL, \
            NULL, NULL, NULL, NULL, NULL, NULL, NULL                                                                          \
    }

/* The source of a built-in kernel of Yoke, as "saxpy": static text for both backends, with YOKE_MATH_EXACT. YOKE_E_NOT_FOUND: no
 * such kernel; the record names the nearest. */
YOKE_API yoke_status yoke_source_builtin(const char *name, yoke_source *out_source);

/* Expand the includes of a source's text, which then needs no files. `language`: "cuda" or "opencl". `target`: `capacity` bytes, or
 * NULL when capacity is 0. `out_size` is the size of the text, which has no terminator; nothing is written when it exceeds
 * `capacity`. The source's other members still belong to the text: its defines have been followed. A header that Yoke does not
 * find fails where the directive is reached, when the text is compiled; in a CUDA text, a header in <> stays an #include.
 * YOKE_E_INVALID_ARGUMENT: the source is malformed, or lacks this text. YOKE_E_BUILD: a header cannot be read, includes itself
 * without end, or is named by a macro that only the compiler knows. */
YOKE_API yoke_status yoke_source_expand(const yoke_source *source, const char *language, char *target, size_t capacity,
                                        size_t *out_size);

typedef uint32_t yoke_compile_flags;
enum { YOKE_COMPILE_BARE = 1 }; /* the compiler's own file, a cubin or PTX, instead of a program binary */

/* Compile a source's CUDA text with NVRTC, without a device and without a driver. `architecture`: "sm_90" for machine code,
 * "compute_90" for PTX, which the driver of a later device compiles further. The result is a program binary for yoke_program_load
 * and for yoke_source.compiled; unlike the binaries of yoke_program_save, it suits every device of the architecture.
 * `flags`: 0 or YOKE_COMPILE_BARE; a bare file lacks the parameters of the kernels and the name expressions. `target`, `capacity`
 * and `out_size`: as in yoke_program_save. yoke_program_get_build_log() has the compiler's log. YOKE_E_INVALID_ARGUMENT: the source
 * is malformed or lacks a CUDA text. YOKE_E_UNSUPPORTED: the compiler does not support the architecture; the record lists those
 * that it supports. YOKE_E_BUILD: the source does not compile. YOKE_E_UNAVAILABLE: NVRTC is missing. */
YOKE_API yoke_status yoke_source_compile(const yoke_source *source, const char *architecture, yoke_compile_flags flags,
                                         void *target, size_t capacity, size_t *out_size);

/* The languages of kernels. */
typedef int32_t yoke_language;
enum { YOKE_LANGUAGE_CUDA = 1, YOKE_LANGUAGE_OPENCL = 2 };

/* The language of the device's kernels, YOKE_LANGUAGE_: which text of a source runs there. Needed where the two texts are not
 * twins, but have kernels of other names, say. 0: device is NULL or has been released. */
YOKE_API yoke_language yoke_device_get_language(const yoke_device *device);

/* ---- Programs ----------------------------------------------------------------------------------------------------------- */

/* Compile a program for the device, or load it from the cache (see yoke_cache_get_info). Blocks. When several threads build the
 * same source at once, one thread compiles and the others wait for it. YOKE_E_INVALID_ARGUMENT: no text for the device's backend,
 * and no compiled code; an empty text, a text with a NUL byte, or a text that is not source code (PTX, say: the record names it); a
 * malformed define, option, header, folder, language version or name expression; a file that cannot be read. YOKE_E_NOT_FOUND:
 * the file does not exist. YOKE_E_BUILD: the source does not compile, or the compiler rejects an option; the record has the first
 * error, and yoke_program_get_build_log() the whole log. YOKE_E_UNAVAILABLE: NVRTC is missing (the record says where Yoke
 * searched), or cannot generate code that this driver accepts. YOKE_E_UNSUPPORTED: the compiler does not know this opencl_std or
 * cuda_std. */
YOKE_API yoke_status yoke_program_build(yoke_device *device, const yoke_source *source, yoke_program **out_program);

/* The same without blocking: one of Yoke's threads compiles the program, and `out_event` completes with the status that
 * yoke_program_build would have returned. `out_event` may be NULL. The source is copied during the call. Looking up a kernel waits
 * for the build. The call itself returns YOKE_E_INVALID_ARGUMENT as above, or YOKE_E_OUT_OF_HOST_MEMORY. */
YOKE_API yoke_status yoke_program_build_async(yoke_device *device, const yoke_source *source, yoke_program **out_program,
                                              yoke_event **out_event);

/* Load a program from compiled code: a program binary that yoke_program_save wrote; PTX, cubin or fatbin on CUDA; SPIR-V where
 * YOKE_CAP_SPIRV; the driver's own binary on OpenCL where YOKE_CAP_PROGRAM_BINARIES. The first bytes tell the kind; on OpenCL,
 * unknown code counts as the driver's own binary. `name` is for messages and may be NULL. `binary` is read during the call. SPIR-V
 * of either byte order is accepted. Only its framing is validated, instructions and functions; drivers trust the rest, and some
 * abort on an invalid module: run spirv-val on modules that you did not build. YOKE_E_INVALID_ARGUMENT: binary is NULL or size is
 * 0; source text; a damaged program binary. YOKE_E_UNSUPPORTED: code for another backend or another device; the record says which.
 * YOKE_E_UNAVAILABLE: the PTX is newer than the driver; the record has both versions. YOKE_E_BUILD: the driver rejects the code;
 * see yoke_program_get_build_log(). */
YOKE_API yoke_status yoke_program_load(yoke_device *device, const char *name, const void *binary, size_t size,
                                       yoke_program **out_program);

/* Save a program as a binary that yoke_program_load accepts, for this device and driver, with the signatures of its kernels.
 * `target`: `capacity` bytes, or NULL when capacity is 0. `out_size` is the size of the binary; nothing is written when it exceeds
 * `capacity`. YOKE_E_UNSUPPORTED: the device lacks YOKE_CAP_PROGRAM_BINARIES. Or the failure of a build that was still running. */
YOKE_API yoke_status yoke_program_save(yoke_program *program, void *target, size_t capacity, size_t *out_size);

/* The compiler's log of the calling thread's last yoke_program_build or _load, whether it failed or not. Never NULL; valid until
 * that thread's next build or load. */
YOKE_API const char *yoke_program_get_build_log(void);

/* The compiler's log of this program; waits for a build that is still running. "" for NULL. Lives as long as the program. */
YOKE_API const char *yoke_program_get_log(yoke_program *program);

/* The number of kernels in the program; waits for a build that is still running. 0 for NULL, for a program that failed to build,
 * and where neither the driver nor the program's source tells. */
YOKE_API size_t yoke_program_get_kernel_count(yoke_program *program);

/* The name of a kernel of the program; indices begin at 0, in no particular order. A C++ kernel that is
 * neither a template nor overloaded has its plain name, as "ns::scale"; other C++ kernels have the name expression, or the
 * compiler's mangled name. Lives as long as the program. NULL: the index is out of range. */
YOKE_API const char *yoke_program_get_kernel_name(yoke_program *program, size_t index);

/* The compiler of a device. The caller sets `size` (YOKE_COMPILER_INFO_INIT). */
typedef struct yoke_compiler_info {
    size_t size;       /* sizeof(yoke_compiler_info) */
    char name[128];    /* with its version: "NVRTC 13.0", or the OpenCL platform's description */
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

/* Get the compiler of a device. YOKE_E_INVALID_ARGUMENT: out_info is NULL. YOKE_E_UNAVAILABLE: NVRTC is missing;
 * the record says where Yoke searched. */
YOKE_API yoke_status yoke_device_get_compiler(yoke_device *device, yoke_compiler_info *out_info);

/* Take or release a reference. */
YOKE_API yoke_program *yoke_program_retain(yoke_program *program);
YOKE_API void yoke_program_release(yoke_program *program);

/* The program's device, borrowed: it lives as long as `program`. NULL for NULL. */
YOKE_API yoke_device *yoke_program_get_device(const yoke_program *program);

/* Get a variable of the program, __device__ or __constant__, as a buffer for copies, fills and kernel arguments. The buffer keeps
 * the program alive; the caller releases it. A C++ name must be in the source's `name_expressions`, as "&ns::x". YOKE_E_NOT_FOUND:
 * no variable of this name. YOKE_E_INVALID_ARGUMENT: the variable has no bytes. YOKE_E_UNSUPPORTED: the device lacks
 * YOKE_CAP_GLOBALS (OpenCL cannot query the address of a program's variable). */
YOKE_API yoke_status yoke_program_get_global(yoke_program *program, const char *name, yoke_buffer **out_buffer);

/* ---- The cache ---------------------------------------------------------------------------------------------------------- */

/* Modes of the cache: unused, read only, or read and written. */
typedef int32_t yoke_cache_mode;
enum { YOKE_CACHE_OFF = 0, YOKE_CACHE_READ = 1, YOKE_CACHE_ON = 2 };

/* The cache of compiled programs. The caller sets `size` (YOKE_CACHE_INFO_INIT). */
typedef struct yoke_cache_info {
    size_t size;          /* sizeof(yoke_cache_info) */
    yoke_cache_mode mode; /* YOKE_CACHE_ */
    uint32_t hits;        /* builds served from the cache since the process began */
    uint32_t misses;      /* builds not served */
    uint32_t stored;      /* entries written */
    uint32_t rejected;    /* damaged entries, which were replaced */
    uint64_t limit;       /* bytes; above this limit the oldest entries are deleted */
    char folder[512];     /* "" when there is no cache */
    char reason[256];     /* why the mode is less than the environment requests; else "" */
} yoke_cache_info;

#define YOKE_CACHE_INFO_INIT                              \
    {                                                     \
        sizeof(yoke_cache_info), 0, 0, 0, 0, 0, 0, { 0 }, \
        {                                                 \
            0                                             \
        }                                                 \
    }

/* Get the state of the cache. Compiled programs are cached in the folder YOKE_CACHE_DIR, or $XDG_CACHE_HOME/yoke, or
 * $HOME/.cache/yoke. The key covers everything that determines the compiler's result: the texts, all headers that they include,
 * options, compiler, driver and device. YOKE_CACHE=off, read or on; unset, it is on, but a program of a driver that would have to
 * compile once more to hand it out (PoCL) is stored only when it has been missed eight times. YOKE_CACHE_SIZE=MiB (default 256).
 * With any other value the cache is off, and nothing is counted. The folder must belong to the user, and no other user may have
 * write permission; set-user-id programs have no cache. An unusable cache is logged, and is never a failure.
 * YOKE_E_INVALID_ARGUMENT: out_info is NULL. */
YOKE_API yoke_status yoke_cache_get_info(yoke_cache_info *out_info);

/* ---- Kernels ------------------------------------------------------------------------------------------------------------ */

/* Look up a kernel by name. The kernel is borrowed: it lives as long as its program, which work in a stream keeps alive.
 * YOKE_E_NOT_FOUND: no kernel of this name; the record lists the program's kernels and the nearest name. YOKE_E_UNSUPPORTED: a
 * parameter is of a kind that Yoke cannot set (a pipe, say), or there are more than YOKE_MAX_ARGS. Or the failure of a build that
 * was still running. */
YOKE_API yoke_status yoke_kernel_get(yoke_program *program, const char *name, yoke_kernel **out_kernel);

/* The kernel's program, borrowed. NULL for NULL. */
YOKE_API yoke_program *yoke_kernel_get_program(const yoke_kernel *kernel);

/* The kernel's name, as yoke_kernel_get has found it; lives as long as the process. "" for NULL. */
YOKE_API const char *yoke_kernel_get_name(const yoke_kernel *kernel);

/* The properties of a compiled kernel on its device. The caller sets `size` (YOKE_KERNEL_INFO_INIT). */
typedef struct yoke_kernel_info {
    size_t size;                  /* sizeof(yoke_kernel_info) */
    int32_t parameters;           /* the number of arguments of a launch; -1 when the driver does not report it */
    uint32_t max_block_threads;   /* the largest block of this kernel; NVIDIA's OpenCL refuses it at the launch when the kernel
                                   * needs too many registers */
    uint32_t preferred_multiple;  /* best divisor of the number of threads in a block: the warp or SIMD width */
    uint64_t static_shared_bytes; /* bytes of shared memory that the source declares; 0 also when the driver does not report it */
    uint64_t max_dynamic_shared_bytes; /* bytes of dynamic shared memory that a launch may request besides */
    uint32_t automatic_block;          /* threads in a block of yoke_launch_n */
    int32_t registers;                 /* per thread; -1 when the driver does not report it */
    int64_t local_bytes;               /* per thread: arrays and spilled registers; -1 when not reported */
    int64_t constant_bytes;            /* constant memory of the kernel; -1 when not reported */
    uint32_t required_block[3];        /* the only block size that the source allows; else 0 */
} yoke_kernel_info;

#define YOKE_KERNEL_INFO_INIT                                \
    {                                                        \
        sizeof(yoke_kernel_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        {                                                    \
            0, 0, 0                                          \
        }                                                    \
    }

/* Get the properties of a kernel. The caller sets out_info->size. */
YOKE_API yoke_status yoke_kernel_get_info(const yoke_kernel *kernel, yoke_kernel_info *out_info);

/* Kinds of parameters. */
typedef int32_t yoke_param_kind;
enum {
    YOKE_PARAM_UNKNOWN = 0, /* the width is known, but not whether it is a value or a pointer */
    YOKE_PARAM_VALUE = 1,   /* a scalar, vector or struct */
    YOKE_PARAM_BUFFER = 2,
    YOKE_PARAM_LOCAL = 3, /* an OpenCL __local pointer that is not the last parameter: yoke_arg_local */
    YOKE_PARAM_IMAGE = 4  /* a texture or surface object, or an OpenCL image */
};

/* Kinds of numbers in parameters. */
typedef int32_t yoke_scalar_kind;
enum {
    YOKE_SCALAR_UNKNOWN = 0, /* a vector, a struct, a pointer to pointers, a type of the source's own */
    YOKE_SCALAR_BOOL = 1,
    YOKE_SCALAR_SIGNED = 2, /* an integer */
    YOKE_SCALAR_UNSIGNED = 3,
    YOKE_SCALAR_FLOATING = 4
};

/* The properties of a kernel's parameter. The caller sets `size` (YOKE_PARAM_INFO_INIT). */
typedef struct yoke_param_info {
    size_t size;             /* sizeof(yoke_param_info) */
    yoke_param_kind kind;    /* YOKE_PARAM_ */
    int32_t read_only;       /* 1: the kernel only reads the buffer or image; 0: the kernel may write it; -1: unknown */
    uint32_t bytes;          /* of the value or pointer; 0 when unknown */
    char name[40];           /* "" when unknown */
    char type[40];           /* as the source spells it; "" when unknown */
    yoke_scalar_kind scalar; /* YOKE_SCALAR_: the number that the type is, or that the pointer points to */
    uint32_t scalar_bytes;   /* of one such number; 0 when unknown */
} yoke_param_info;

#define YOKE_PARAM_INFO_INIT                                  \
    {                                                         \
        sizeof(yoke_param_info), 0, 0, 0, { 0 }, { 0 }, 0, 0, \
    }

/* Get the properties of parameter `index`, counted from 0. YOKE_E_RANGE: the index is out of range. YOKE_E_UNSUPPORTED: the
 * kernel's parameters are unknown. */
YOKE_API yoke_status yoke_kernel_get_param(const yoke_kernel *kernel, size_t index, yoke_param_info *out_info);

/* ---- Launches ----------------------------------------------------------------------------------------------------------- */

/* Kinds of arguments. */
typedef uint32_t yoke_arg_kind;
enum {
    YOKE_ARG_BUFFER = 1,
    YOKE_ARG_INTEGER = 2,  /* an integer, bool or char by value */
    YOKE_ARG_FLOATING = 3, /* a half, bfloat16, float or double by value */
    YOKE_ARG_STRUCT = 4,   /* any bytes by value: a struct or a vector */
    YOKE_ARG_NULL = 5,     /* a null pointer for a buffer parameter */
    YOKE_ARG_LOCAL = 6,    /* bytes of shared memory */
    YOKE_ARG_IN = 7,       /* a host array, copied to the device before the kernel runs, */
    YOKE_ARG_OUT = 8,      /* copied back after it, */
    YOKE_ARG_INOUT = 9,    /* or both */
    YOKE_ARG_IMAGE = 16,   /* an image that the kernel reads through its sampler */
    YOKE_ARG_SURFACE = 17  /* an image that the kernel writes, or reads without a sampler */
};

/* A kernel argument with its kind and width, made by YOKE_ARGS or by the yoke_arg_ functions of <yoke/args.h>. Final: what
 * comes later is another kind, and a kind that the library does not know is refused. */
typedef struct yoke_arg {
    yoke_arg_kind kind; /* YOKE_ARG_ */
    uint32_t size;      /* bytes of the scalar or struct; of a pointer for a buffer */
    union {
        yoke_buffer *buffer;
        yoke_image *image;
        const void *bytes; /* a struct, read during the launch call */
        void *host;        /* a host array */
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
    } value; /* selected by the kind */
} yoke_arg;

/* Added to a kind: the argument is for kernels in this language only (yoke_arg_cuda_only, yoke_arg_opencl_only). */
enum { YOKE_ARG_CUDA_ONLY = 0x40, YOKE_ARG_OPENCL_ONLY = 0x80 };
enum { YOKE_MAX_ARGS = 128 }; /* in one launch, and parameters of a kernel; more values go into a struct */

/* Blocks in a grid, or threads in a block: YOKE_DIM(x), YOKE_DIM(x, y) or YOKE_DIM(x, y, z). Final. */
typedef struct yoke_dim {
    uint32_t x, y, z; /* the number in each dimension */
} yoke_dim;

/* Launch a kernel over grid.x * grid.y * grid.z blocks of block.x * block.y * block.z threads, in the stream's order. The launch
 * copies all of its arguments and keeps the objects that they name alive until it has run. Only the host arrays of yoke_in,
 * yoke_out and yoke_inout must outlive the call, until the launch is complete: the launch allocates device memory for them in the
 * stream's order, copies input arrays to it before the kernel and output arrays from it afterwards; the results are ready when the
 * launch is complete. `args`, `count`: YOKE_ARGS(…) gives both, in the order of the kernel's parameters. `shared_bytes`: bytes of
 * dynamic shared memory: `extern __shared__` in CUDA; in OpenCL the kernel's last parameter, a __local pointer that is not part of
 * `args`. yoke_arg_local may be used instead, at the position of the OpenCL parameter.
 *
 * YOKE_E_KERNEL_ARGUMENT: count, kind or width does not match the compiled kernel, where YOKE_CAP_SIGNATURE; an integer for a
 * floating-point parameter, or the reverse, where the parameter's type is known; a view is not aligned; a buffer is pinned; the
 * kernel writes a read-only buffer, or only reads a yoke_out array; an image for a buffer, or the reverse, where the parameter's
 * type is known; an image of two dimensions for three.
 * YOKE_E_INVALID_ARGUMENT: a dimension is 0; kernel, stream or a buffer belong to different devices. YOKE_E_RANGE: grid, block or
 * shared memory exceeds the limits of the device or kernel. Or the stream's failure. */
#define yoke_launch(...) yoke_launch_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid, yoke_dim block,
                                    size_t shared_bytes, const yoke_arg *args, size_t count);

/* Launch over at least `n` threads in one dimension, in blocks whose size Yoke chooses for this kernel on this device
 * (yoke_kernel_info.automatic_block). The kernel must skip threads whose index is not below n. YOKE_E_INVALID_ARGUMENT: n is 0.
 * YOKE_E_RANGE: more blocks than a grid may have. Else as yoke_launch. */
#define yoke_launch_n(...) yoke_launch_n_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_n_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, size_t n, const yoke_arg *args,
                                      size_t count);

/* Launch as yoke_launch does, with all blocks on the device at the same time, so that blocks may wait for each other.
 * YOKE_E_UNSUPPORTED: the device lacks YOKE_CAP_COOPERATIVE. YOKE_E_RANGE: more blocks than fit; the record says how many fit. */
#define yoke_launch_cooperative(...) yoke_launch_cooperative_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_launch_cooperative_at(const char *where, yoke_stream *stream, yoke_kernel *kernel, yoke_dim grid,
                                                yoke_dim block, size_t shared_bytes, const yoke_arg *args, size_t count);

#ifdef __cplusplus
}
#endif

#include <yoke/args.h>

#endif
