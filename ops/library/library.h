/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendors' libraries: opened at their first use, never closed. What is absent, or cannot be used, is a reason in words and no
 * failure. Tables of functions are filled before yops_library_open returns true, and never change again.
 */
#ifndef YOPS_VENDOR_H
#define YOPS_VENDOR_H

#include "base/library_search.h"
#include "call/call.h"
#include "api.h"

/* ---- Tables ---- */

#define YOPS_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct yops_cuda_table {
#define YOPS_CUDA_SYMBOL YOPS_MEMBER
#include "symbols.def"
} yops_cuda_table;

typedef struct yops_cublas_table {
#define YOPS_CUBLAS_SYMBOL YOPS_MEMBER
#include "symbols.def"
} yops_cublas_table;

typedef struct yops_cufft_table {
#define YOPS_CUFFT_SYMBOL YOPS_MEMBER
#include "symbols.def"
} yops_cufft_table;

typedef struct yops_clblast_table {
#define YOPS_CLBLAST_SYMBOL YOPS_MEMBER
#include "symbols.def"
} yops_clblast_table;

extern yops_cuda_table yops_cuda;
extern yops_cublas_table yops_cublas;
extern yops_cufft_table yops_cufft;
extern yops_clblast_table yops_clblast;

/* ---- Libraries (libraries.c) ---- */

typedef enum yops_library_id {
    YOPS_CUBLAS = YOKE_OPS_LIBRARY_CUBLAS,
    YOPS_CUFFT = YOKE_OPS_LIBRARY_CUFFT,
    YOPS_CLBLAST = YOKE_OPS_LIBRARY_CLBLAST,
    YOPS_CUDA_DRIVER, /* of which users are told elsewhere */
    YOPS_LIBRARY_END
} yops_library_id;
enum { YOPS_PUBLIC_LIBRARIES = YOPS_CUDA_DRIVER }; /* those that yoke_ops_get_library tells of */

/* Open a library once in the process. Returns what has come of it, which never changes. */
const yvendor_found *yops_library_open(yops_library_id id);
const char *yops_library_name(yops_library_id id);


/* Whether YOKE_OPS_EXACT keeps the vendors' libraries out of this process. */
bool yops_vendor_is_exact(void);

/* The name of a result, as "CUBLAS_STATUS_EXECUTION_FAILED"; "unknown code". */
const char *yops_cublas_result(yops_cublasStatus_t result);
const char *yops_cufft_result(yops_cufftResult result);
const char *yops_clblast_result(yops_CLBlastStatusCode result);

/* ---- Native sections (section.c) ---- */

enum { YOPS_MOST_SECTION_BUFFERS = 4 };

/* What a native section needs; the first member of its user data. */
typedef struct yops_section {
    /* Give the library its work. A failure becomes the stream's. */
    yoke_status (*run)(struct yops_section *section, void *native_stream);
    void (*end)(struct yops_section *section);    /* before it is freed; may be NULL */
    const char *function;                         /* the public function */
    uintptr_t handles[YOPS_MOST_SECTION_BUFFERS]; /* the driver's, of the buffers that it is enqueued with */
} yops_section;

/* Allocate user data of `size` bytes, which begins with a section. */
yoke_status yops_section_create(const yops_call *call, size_t size,
                                yoke_status (*run)(struct yops_section *section, void *native_stream), yops_section **out_section);
/* Enqueue the section with the buffers that it uses, which the caller may then release. The section owns itself from here on, also
 * when this fails. */
yoke_status yops_section_enqueue(const yops_call *call, yops_section *section, yoke_buffer *const *buffers, size_t count);

/* ---- Devices (device.c) ---- */

/* What a library keeps for a device, such as handles: the first member of the library's own struct. It is destroyed when the device
 * ends, with the device's CUDA context current. */
typedef struct yops_pool {
    void (*destroy)(struct yops_pool *pool);
} yops_pool;

/* What is kept for a device until it ends, attached to it. */
typedef struct yops_vendor_device {
    bool is_cuda;
    bool likes_clblast; /* by default: a GPU without a compute capability, on which Yoke's tiles are measured */
    void *context;      /* CUDA's */
    size_t workspace;   /* bytes, of cuBLAS */
    _Atomic(yops_pool *) pools[YOPS_LIBRARY_END]; /* NULL until the library's first use on a CUDA device */
} yops_vendor_device;

/* The call's device. */
yoke_status yops_vendor_device_get(const yops_call *call, yops_vendor_device **out_device);

/* Make the device's CUDA context current on this thread, for calls that create or destroy something, and leave it again. */
bool yops_context_enter(const yops_vendor_device *device);
void yops_context_leave(void);

/* The library's pool on a CUDA device, which `create` makes at the first call: it returns NULL without memory. NULL: then the call
 * has failed. */
yops_pool *yops_vendor_device_get_pool(const yops_call *call, yops_vendor_device *device, yops_library_id id,
                                       yops_pool *(*create)(void));

#endif
