/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that YOKE_TRACE orders. The streams of a traced device keep their gate closed, so that every operation passes here and
 * one that is not traced pays nothing. */
#ifndef YK_TRACE_H
#define YK_TRACE_H

#include "objects/objects.h"
#include "stream/wait.h"

/* ---- The operations (trace.c) ---- */

/* A device is being opened: whether it is to be traced. */
bool yk_trace_is_ordered(void);
/* A stream of a traced device has its driver's queue; it has none any more, and all of its work is done. */
void yk_trace_stream_begin(yoke_stream *stream);
void yk_trace_stream_end(yoke_stream *stream);

/* What is given to the driver between these stands between two time stamps of the device's. */
typedef struct yk_pending yk_pending;
yk_pending *yk_trace_begin(yoke_stream *stream, const yk_op *op);
void yk_trace_end(yoke_stream *stream, yk_pending *fresh, yoke_status status);
/* As yk_submit, between these. */
yoke_status yk_trace_submit(yoke_stream *stream, const yk_op *op);

/* 0 for a stream that is not traced: what does not run on the device begins now. */
static inline uint64_t yk_trace_now(const yoke_stream *stream)
{
    return YK_UNLIKELY(stream->device->traced) ? yk_now() : 0;
}

YK_COLD void yk_trace_add_run(const yoke_stream *stream, const yk_op *op, uint64_t since);

/* What the stream's worker has done itself since then. */
static inline void yk_trace_ran(const yoke_stream *stream, const yk_op *op, uint64_t since)
{
    if (YK_UNLIKELY(since != 0))
        yk_trace_add_run(stream, op, since);
}

/* ---- The file (trace_file.c) ---- */

/* Whose line of the picture something is in. */
typedef enum yk_trace_row {
    YK_ROW_DEVICE,   /* what the device does of a stream */
    YK_ROW_FUNCTIONS /* what the host does in the stream's order */
} yk_trace_row;

/* What stands in the trace, all of it known. Times are yk_now's. */
typedef struct yk_trace_slice {
    yk_op_kind kind;
    const char *name, *where; /* of a kernel, a graph, where a wait's event was recorded; where it was enqueued; or NULL */
    const char *awaited;      /* the stream that is waited for, or NULL */
    size_t bytes;
    bool pageable, staged, failed;
    unsigned grid[3], block[3];
    uint64_t enqueued, begin, end;
} yk_trace_slice;

/* The file that YOKE_TRACE names, opened once. False: none is ordered, or it cannot be written, which the log tells. */
bool yk_trace_file_open(void);
void yk_trace_file_stream(const yoke_stream *stream, unsigned number);
void yk_trace_file_slice(const yoke_stream *stream, unsigned number, yk_trace_row row, const yk_trace_slice *slice);
YK_COLD void yk_trace_file_wait(const yoke_stream *stream, const char *where, uint64_t begin, uint64_t end);

/* The calling thread has waited for the stream since then. */
static inline void yk_trace_waited(const yoke_stream *stream, const char *where, uint64_t since)
{
    if (YK_UNLIKELY(since != 0))
        yk_trace_file_wait(stream, where, since, yk_now());
}

#endif
