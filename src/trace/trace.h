/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that YOKE_TRACE requests. */
#ifndef YK_TRACE_H
#define YK_TRACE_H

#include "objects/objects.h"
#include "stream/observer.h"

/* ---- The operations (trace.c) ---- */

/* The device is being opened: its streams are traced if YOKE_TRACE is set. */
void yk_trace_init(yoke_device *device);

/* ---- The file (trace_file.c) ---- */

/* The row of the picture that a slice is in. */
typedef enum yk_trace_row {
    YK_ROW_DEVICE,   /* the stream's operations on the device */
    YK_ROW_FUNCTIONS /* host functions in stream order */
} yk_trace_row;

/* A complete entry of the trace. Times are yk_now's. */
typedef struct yk_trace_slice {
    yk_op_kind kind;
    const char *name, *where; /* of a kernel or graph, or where a wait's event was recorded; where enqueued; or NULL */
    const char *awaited;      /* the stream that a wait waits for, or NULL */
    size_t bytes;
    bool pageable, staged, failed;
    unsigned grid[3], block[3];
    uint64_t enqueued, begin, end;
} yk_trace_slice;

/* Open the file that YOKE_TRACE names, once. False: YOKE_TRACE is not set, or the file cannot be written, which the log reports. */
bool yk_trace_file_open(void);
void yk_trace_file_stream(const yoke_stream *stream, unsigned number);
void yk_trace_file_slice(const yoke_stream *stream, unsigned number, yk_trace_row row, const yk_trace_slice *slice);
/* The calling thread has waited for the stream. */
void yk_trace_file_wait(const yoke_stream *stream, const char *where, uint64_t begin, uint64_t end);

#endif
