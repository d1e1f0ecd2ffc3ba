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

/* Enqueue a native section whose function may be called at once: fn(status, native_stream, user) enqueues native work on the
 * driver's stream, for the price of that work and little more. With nothing deferred before it in the stream, `fn` is called by
 * this thread before the call returns; else by one of Yoke's threads in the stream's order, as by yoke_native_call, once. The rules
 * for `fn` are those of yoke_native_call. A failure of `fn` fails the stream, but not this call, whichever thread it runs in.
 *
 * `fn` should not wait, allocate or synchronise: operations that other threads enqueue on the stream meanwhile are submitted after
 * `fn` returns. The section names no buffers (see yoke_native_enqueue_with), so the caller keeps those that it uses, and whatever
 * else `user` points to, until `release` is called, right after `fn`: a Yoke buffer may be released there. Events order the
 * section's work with other streams.
 *
 * In a stream that is recorded, `fn` is called by yoke_graph_end, once, with a stream of the driver's that captures what it
 * enqueues (CUDA): launches repeat this work as part of the driver's graph, and do not call `fn`. A failure of `fn` is that of
 * yoke_graph_end. Where the driver cannot capture (OpenCL; CUDA before 12.0; work that the driver refuses to capture, in
 * which case the return value of `fn` is ignored), `fn` is called once at each launch instead, by the launching thread or one of
 * Yoke's threads. Memory
 * that the captured work uses belongs to the graph: `release` is called once, when the graph is gone, and may release Yoke's
 * buffers although a launch is still running, but not memory of the program's own.
 *
 * If this call fails, neither `fn` nor `release` is ever called. Statuses as yoke_host_call. */
#define yoke_native_enqueue(...) yoke_native_enqueue_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_native_enqueue_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                            yoke_release_fn release);

/* The same for a section that names the buffers it uses, as a launch does: Yoke keeps them until `fn` has returned, or with the
 * graph, so that the caller may release them at once, and their memory becomes free in the stream's order. (The memory of a buffer
 * whose handle was taken with yoke_buffer_get_native waits for all streams instead, since other code may use it anywhere.)
 * out_natives[i] gets the driver's handle of buffers[i], as by yoke_buffer_get_native, before `fn` is called; so it is usually a
 * part of what `user` points to. The handles are valid for the work of this section only. Statuses as yoke_native_enqueue, and for
 * a buffer those of yoke_buffer_get_native. YOKE_E_INVALID_ARGUMENT: a buffer belongs to another device; count is not 0, and
 * buffers or out_natives is NULL. */
#define yoke_native_enqueue_with(...) yoke_native_enqueue_with_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_native_enqueue_with_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                                 yoke_release_fn release, yoke_buffer *const *buffers, size_t count,
                                                 uintptr_t *out_natives);

/* Make the operations that follow in the stream wait for all work that is in a queue of other code now. `native_stream`: on OpenCL
 * a cl_command_queue of the device's context; on CUDA a CUstream of the device's primary context (yoke_device_get_native), or
 * (void *)1, the legacy default stream, or (void *)2, the calling thread's default stream. The queue must exist until this returns.
 * Afterwards more work may be enqueued there, or the queue may be released: the stream waits only for the work that is in the queue
 * now. The host does not wait, and neither do other streams. How a failure of the other code's work reaches the stream depends on
 * the driver.
 *
 * YOKE_E_INVALID_ARGUMENT: native_stream is NULL, which means different streams to different code on CUDA; or it is of another
 * context; or the stream is being recorded, since a graph cannot repeat the queue's work. YOKE_E_UNSUPPORTED: the queue is itself
 * being captured. YOKE_PENDING: the stream is full (YOKE_STREAM_PENDING_WHEN_FULL). YOKE_E_OUT_OF_HOST_MEMORY, a failure of the
 * driver, or the stream's failure. After any of these the stream does not wait. */
#define yoke_stream_wait_native(...) yoke_stream_wait_native_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_stream_wait_native_at(const char *where, yoke_stream *stream, void *native_stream);

/* Make work that other code enqueues in its queue from now on wait for the event. `native_stream`: as for yoke_stream_wait_native,
 * of the event's device; on CUDA also a stream of another device. The host does not wait. The event may be released at once.
 *
 * YOKE_PENDING: the event is behind a host function, or behind another operation that has not been submitted to the driver yet, and
 * a queue can only wait for submitted work: the queue does not wait. Call this again later, or wait for the event
 * (yoke_event_wait). A failed event returns its failure, and the queue does not wait; a later failure reaches the queue only where
 * the driver passes it on. YOKE_E_INVALID_ARGUMENT: native_stream is NULL or of another context, or the event was
 * recorded into a graph. YOKE_E_UNSUPPORTED: the queue is being captured. Or a failure of the driver. */
YOKE_API yoke_status yoke_native_wait_event(void *native_stream, yoke_event *event);

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
