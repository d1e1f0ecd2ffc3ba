/* SPDX-License-Identifier: Apache-2.0 */
/* What the stream engine has to know of copies: which of them Yoke stages itself, which have to wait until nothing else is under
 * way, and what they keep alive. Staging is device->stage, which copy/staging.c sets. */
#ifndef YK_STAGED_H
#define YK_STAGED_H

#include "objects/objects.h"

/* A write of no more than this never blocks on a driver, wherever it comes from, and needs no closer look. */
#define YK_QUICK_WRITE (64 << 10)

/* Whether a small write would take its bytes now, while something that may still change them is under way. */
YK_HOT bool yk_is_captured_early(const yoke_stream *stream)
{
    return stream->device->traits.captures_writes && atomic_load_explicit(&stream->writes_host, memory_order_relaxed) >
                                                         atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* Whether a deferred operation is staged (device->stage) instead of submitted. */
bool yk_is_staged(const yk_op *op);

/* Whether a deferred operation may be submitted only when the driver has done all that came before. */
bool yk_needs_idle(const yoke_stream *stream, const yk_op *op);

/* A buffer of another device, in a copy or transfer that was submitted to this stream's driver, lives until the stream has passed
 * that operation. */
void yk_keep_for_copy(yoke_stream *stream, const yk_op *op);

#endif
