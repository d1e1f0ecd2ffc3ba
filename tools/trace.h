/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that a program has left, for those who draw it and those who tell why it took so long. Times are microseconds since its
 * first slice began. */
#ifndef TRACE_H
#define TRACE_H

#include "tool.h"

typedef enum trace_kind {
    TRACE_LAUNCH,
    TRACE_TRANSFER, /* between host and device */
    TRACE_COPY,     /* within the device, and fills */
    TRACE_GRAPH,
    TRACE_FUNCTION, /* of the host, in a stream's order */
    TRACE_WAIT,     /* of a stream, for an event of another */
    TRACE_PROGRAM,  /* of the program, for a stream */
    TRACE_KINDS
} trace_kind;

typedef struct trace_slice {
    trace_kind kind;
    const char *name, *where; /* `where` may be NULL, as the next two */
    const char *awaited;      /* stream */
    const char *recorded;     /* where the event that is waited for was */
    double begin, end, enqueued;
    double bytes;
    bool pageable, failed;
} trace_slice;

typedef struct trace_row {
    long process, thread;
    const char *title, *device; /* "stream 2: host functions"; "" for the program itself */
    trace_slice *slices;        /* by their beginnings */
    size_t count;
} trace_row;

typedef struct trace {
    void *document; /* owns the strings */
    trace_row *rows;
    size_t count;
    double end;
} trace;

/* Whether the file could be read; else complains. */
bool trace_read(const tool_command *command, const char *path, trace *out_trace);
void trace_free(trace *self);

/* Whether rows of a device have it: what its stream does, not what the host does for it. */
bool trace_is_of_device(const trace_slice *slice);

/* Print how much of what there was, and what stood in the way of more at once. Returns how many such remarks there are. */
size_t trace_explain(const trace *self, FILE *stream);

/* The picture of the rows, as SVG. */
void trace_draw(const trace *self, const char *title, FILE *stream);

#endif
