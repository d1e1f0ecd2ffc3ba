/* SPDX-License-Identifier: Apache-2.0 */
/* What the stream engine knows of copies: which copies Yoke stages itself, which have to wait until the stream is idle, and which
 * objects they keep alive. Staging is device->stage, which copy/staging.c sets. */
#ifndef YK_STAGED_H
#define YK_STAGED_H

#include "objects/objects.h"

/* A write up to this size never blocks in a driver, whatever its source, and needs no further check. */
#define YK_QUICK_WRITE (64 << 10)

/* Whether a small write would capture its bytes now, while submitted work may still change them. */
YK_HOT bool yk_is_captured_early(const yoke_stream *stream)
{
    return stream->device->traits.captures_writes && atomic_load_explicit(&stream->writes_host, memory_order_relaxed) >
                                                         atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* Whether a deferred operation is staged (device->stage) instead of submitted. */
bool yk_is_staged(const yk_op *op);

/* Whether a deferred operation may be submitted only after the driver has completed everything before it. */
bool yk_needs_idle(const yoke_stream *stream, const yk_op *op);

/* A buffer of another device, in a copy or transfer that was submitted to this stream's driver, is kept alive until the stream has
 * passed that operation. */
void yk_keep_for_copy(yoke_stream *stream, const yk_op *op);

#endif
