/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yoke beside other code that calls the same driver. Handles are void pointers, so that no vendor's header is needed here: a
 * CUstream (or cudaStream_t) on CUDA, a cl_command_queue on OpenCL.
 */
#ifndef YOKE_NATIVE_H
#define YOKE_NATIVE_H

#include <yoke/yoke.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `native_stream`: the driver's handle of the stream, valid during the call; NULL when `status` is negative. Returns a negative
 * status to fail the stream. */
typedef yoke_status (*yoke_native_fn)(yoke_status status, void *native_stream, void *user);

/* A native section: fn(status, native_stream, user) is called once when it is this stream's turn, and enqueues native work on the
 * driver's stream: a call of a vendor's library, say. Everything before it in the stream has been given to the driver, but need not
 * have finished; everything behind it is given after it returns. It runs on a thread of Yoke's, on CUDA with the device's context
 * current, and is called exactly once, as a host function is; but it should only enqueue, and must not use this stream or its
 * events through Yoke meanwhile. If this call fails, neither `fn` nor `release` is ever called. Statuses as yoke_stream_call. */
#define yoke_stream_native(...) yoke_stream_native_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_stream_native_at(const char *where, yoke_stream *stream, yoke_native_fn fn, void *user,
                                           yoke_release_fn release);

#ifdef __cplusplus
}
#endif

#endif
