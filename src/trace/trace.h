/* SPDX-License-Identifier: Apache-2.0 */
/* The trace that YOKE_TRACE requests. */
#ifndef YK_TRACE_H
#define YK_TRACE_H

#include "objects/objects.h"
#include "stream/observer.h"

/* ---- The operations (trace.c) ---- */

/* A device is about to be searched for: returns the time. A trace counts from the first such moment. */
uint64_t yk_trace_begin(void);
/* The device is being opened: it is traced if YOKE_TRACE is set. */
void yk_trace_init(yoke_device *device);
/* It is open; the search for it began at `since`. */
void yk_trace_opened(const yoke_device *device, uint64_t since);

/* ---- The file (trace_file.c) ---- */

/* The row of the picture that a slice is in. */
typedef enum yk_trace_row {
    YK_ROW_DEVICE,    /* the stream's operations on the device */
    YK_ROW_FUNCTIONS, /* host functions in stream order */
    YK_ROW_HOST,      /* what Yoke does on the host: staged copies, copies between devices, waits */
    YK_ROWS
} yk_trace_row;

/* A complete entry of the trace. Times are yk_now's. */
typedef struct yk_trace_slice {
    yk_op_kind kind;
    const char *name, *where; /* of a kernel or graph, or where a wait's event was recorded; where enqueued; or NULL */
    const char *awaited;      /* the stream that a wait waits for, or NULL */
    unsigned awaited_device;  /* its device's number */
    size_t bytes;
    bool pageable, staged, failed;
    bool between;  /* a copy between two devices */
    bool deferred; /* the stream's worker submitted it: it was enqueued before `enqueued` */
    unsigned grid[3], block[3];
    uint64_t enqueued, begin, end;
} yk_trace_slice;

/* Open the file that YOKE_TRACE names, once; times count from `origin`. False: YOKE_TRACE is not set, or the file cannot be
 * written, which the log reports. */
bool yk_trace_file_open(uint64_t origin);
/* The program ends in order, and what has finished is written. */
void yk_trace_file_complete(void);
void yk_trace_file_device(const yoke_device *device);
void yk_trace_file_stream(const yoke_stream *stream, unsigned number);
void yk_trace_file_slice(const yoke_stream *stream, unsigned number, yk_trace_row row, const yk_trace_slice *slice);
/* The calling thread has waited for the stream; or has opened the device, or worked for it. */
void yk_trace_file_wait(const yoke_stream *stream, const char *where, uint64_t begin, uint64_t end);
void yk_trace_file_work(const yoke_device *device, yk_host_work work, const char *name, const char *detail, size_t bytes,
                        uint64_t begin, uint64_t end);

/* ---- The last operation (trace_last.c) ---- */

/* Its entry, which names none yet; then, once that is in the file. */
void yk_trace_last_entry(yk_text *line);
void yk_trace_last_map(int file);
/* The operation is about to be given to its device. */
void yk_trace_last_note(const yoke_stream *stream, const yk_trace_slice *slice);

#endif
