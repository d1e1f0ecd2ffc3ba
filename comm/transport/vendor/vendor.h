/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The vendors' libraries: opened at their first use, never closed. Tables of functions are filled before ycomm_library_open returns
 * a library that is usable, and never change again.
 */
#ifndef YCOMM_VENDOR_H
#define YCOMM_VENDOR_H

#include "base/library_search.h"
#include "api.h"

#define YCOMM_MEMBER(result, name, parameters) result(*name) parameters;
typedef struct ycomm_cuda_table {
#define YCOMM_CUDA_SYMBOL YCOMM_MEMBER
#include "symbols.def"
} ycomm_cuda_table;

typedef struct ycomm_opencl_table {
#define YCOMM_OPENCL_SYMBOL YCOMM_MEMBER
#include "symbols.def"
} ycomm_opencl_table;

typedef struct ycomm_nccl_table {
#define YCOMM_NCCL_SYMBOL YCOMM_MEMBER
#include "symbols.def"
} ycomm_nccl_table;

extern ycomm_cuda_table ycomm_cuda;
extern ycomm_opencl_table ycomm_opencl;
extern ycomm_nccl_table ycomm_nccl;

typedef enum ycomm_library_id { YCOMM_NCCL, YCOMM_CUDA_DRIVER, YCOMM_OPENCL, YCOMM_LIBRARY_END } ycomm_library_id;

/* Open a library once in the process. Returns what has come of it, which never changes. */
const yvendor_found *ycomm_library_open(ycomm_library_id id);

/* Make a CUDA context current on this thread, for calls that create or destroy something, and leave it again (drivers.c). */
bool ycomm_context_enter(void *context);
void ycomm_context_leave(void);
/* Whether CUDA refuses the stream, as it does for good once a kernel has failed. */
bool ycomm_stream_is_lost(void *native_stream);
/* Whether CUDA has completed all that has been enqueued there. */
bool ycomm_stream_is_complete(void *native_stream);
/* Whether what is enqueued there becomes a part of a graph. */
bool ycomm_stream_is_capturing(void *native_stream);
/* Where an OpenCL queue maps a part of a buffer, which it unmaps again; NULL: nowhere. */
void *ycomm_map_and_unmap(void *queue, uintptr_t buffer, size_t offset, size_t size);

/* Call this once, before the buffer's handle can become that of another one. */
bool ycomm_when_destroyed(uintptr_t buffer, void (*call)(ycomm_cl_mem buffer, void *user));

/* The name of a result, as "ncclSystemError"; "unknown code". */
const char *ycomm_nccl_result(ycomm_ncclResult_t result);

#endif
