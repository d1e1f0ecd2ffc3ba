/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drivers' own handles, for programs in which other code calls the same driver. Handles are void pointers or integers of the
 * same width, so that this header needs no vendor's header: a CUstream (or cudaStream_t) on CUDA, a cl_command_queue on OpenCL, and
 * so on.
 */
#ifndef YOKE_NATIVE_H
#define YOKE_NATIVE_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The drivers' own handles ------------------------------------------------------------------------------------------- */

/* The function of a native section. `native_stream`: the driver's handle of the stream, valid during the call; NULL when `status`
 * is negative. A negative return value fails the stream. */
typedef yoke_status (*yoke_native_fn)(yoke_status status, void *native_stream, void *user);

/* Enqueue a native section: fn(status, native_stream, user) is called once, in the stream's order, and enqueues native work on the
 * driver's stream: a call of a vendor's library, say. All operations before the section have been submitted to the driver, but
 * need not have completed; the operations behind it are submitted after `fn` returns. `fn` runs on one of Yoke's threads, on CUDA
 * with the device's context current, and is called exactly once, as a host function is; but `fn` must only enqueue: it must
 * not use this stream or its events through Yoke, and must not create or release objects, since some drivers let one thread at a
 * time use a queue, and others may be waiting for the section. If this call fails, neither `fn` nor `release` is ever called.
 * Statuses as yoke_host_call. */
#define yoke_native_call(...) yoke_native_call_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_native_call_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                         yoke_release_fn release);

/* The driver's handles of a device, valid as long as the device. The caller sets `size` (YOKE_NATIVE_DEVICE_INIT). */
typedef struct yoke_native_device {
    size_t size;      /* sizeof(yoke_native_device) */
    void *context;    /* CUcontext (the primary one) or cl_context */
    uintptr_t device; /* CUdevice or cl_device_id */
    void *platform;   /* cl_platform_id; NULL on CUDA */
} yoke_native_device;

#define YOKE_NATIVE_DEVICE_INIT                   \
    {                                             \
        sizeof(yoke_native_device), NULL, 0, NULL \
    }

/* Get the driver's handles of a device. YOKE_E_INVALID_ARGUMENT: out_native is NULL or its size is 0. */
YOKE_API yoke_status yoke_device_get_native(yoke_device *device, yoke_native_device *out_native);

/* Get the driver's handle of a buffer or view, valid as long as the buffer or view: a CUdeviceptr, or a cl_mem (of a view, a
 * sub-buffer). YOKE_E_UNSUPPORTED: the buffer has no handle: a pinned buffer on CUDA, a view that is not aligned, or managed
 * memory on OpenCL; pinned and managed memory have their host pointer. */
YOKE_API yoke_status yoke_buffer_get_native(yoke_buffer *buffer, uintptr_t *out_native);

/* Create a buffer over device memory that other code owns: `size` bytes from a CUdeviceptr of the device's primary context, or of
 * a cl_mem of the device's context (yoke_device_get_native). A cl_mem is retained; CUDA memory must not be freed before the buffer
 * is released and the work that uses it has completed. YOKE_E_INVALID_ARGUMENT: native is 0, size is 0, or `native` is not memory
 * of this device. YOKE_E_RANGE: the memory is smaller than `size`. */
YOKE_API yoke_status yoke_buffer_wrap(yoke_device *device, uintptr_t native, size_t size, yoke_buffer **out_buffer);

#ifdef __cplusplus
}
#endif

#endif
