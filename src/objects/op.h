/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a stream. */
#ifndef YK_OBJECTS_OP_H
#define YK_OBJECTS_OP_H

#include "base/base.h"

typedef struct yk_op yk_op;
typedef struct yk_exec yk_exec;

typedef enum yk_op_kind {
    YK_OP_WRITE,
    YK_OP_READ,
    YK_OP_COPY,
    YK_OP_WRITE_RECT,
    YK_OP_READ_RECT,
    YK_OP_COPY_RECT,
    YK_OP_FILL,
    YK_OP_LAUNCH_COOPERATIVE, /* op->u.launch too */
    YK_OP_LAUNCH,
    YK_OP_RECORD,
    YK_OP_WAIT,
    YK_OP_CALL,
    YK_OP_NATIVE,
    YK_OP_GRAPH,
    YK_OP_ALLOCATION /* of ordered memory by the driver: only noted */
} yk_op_kind;

/* How a rect lies on both sides of a copy. Nothing is 0, and no pitch is smaller than what it steps over. */
typedef struct yk_rect {
    size_t width, height, depth;
    size_t target_row, target_slice, source_row, source_slice; /* pitches */
} yk_rect;

/* One operation. Built on the caller's stack; given to the driver at once, or copied by value while the stream is held. */
struct yk_op {
    yk_op_kind kind;
    const char *where; /* "file:line" of the enqueue, or NULL */
    yk_op *next;       /* in a held stream */
    yoke_event *end;   /* to be recorded behind it, for drivers that do both in one call; else NULL */
    union {
        struct {
            yoke_buffer *buffer;
            size_t offset, size;
            void *host; /* read from by YK_OP_WRITE, written to by YK_OP_READ */
            yoke_buffer
                *host_buffer; /* the pinned buffer, of any device, that `host` points into; NULL: a bare pointer was given */
            bool sync;        /* the caller waits for it */
            bool staged;      /* held, because the driver is slow with it or would block: staging.c */
            yk_rect rect;     /* of a _RECT, whose size is that of all of its rows */
        } transfer;
        struct {
            yoke_buffer *target, *source; /* one of them may be another device's */
            size_t target_offset, source_offset, size;
            yk_rect rect;
        } copy;
        struct {
            yoke_buffer *buffer;
            size_t offset, width, height, pitch; /* rows of width bytes; of a plain fill there is one */
            size_t pattern_size;
            unsigned char pattern[16];
        } fill;
        struct {
            yoke_kernel *kernel;
            yoke_dim grid, block;
            size_t shared;
            const yoke_arg *args;
            size_t count;
            size_t shared_arg_bytes; /* of shared, what came as an argument */
            bool touches_host;       /* an argument may be mapped or shared memory */
        } launch;
        struct {
            yoke_event *event;
            bool join; /* a wait for what is part of the stream: also after a failure */
        } record, wait;
        struct {
            yoke_host_fn fn;
            void *user;
            yoke_release_fn release;
            yoke_event *after; /* for the worker, to learn when the driver is done with what came before; NULL in a graph */
        } call;
        struct {
            yoke_status (*fn)(yoke_status status, void *native_stream, void *user);
            void *user;
            yoke_release_fn release;
        } native;
        struct {
            yk_exec *exec;
            const char *name; /* lives for ever */
        } graph;
    } u;
};

static inline bool yk_is_launch(yk_op_kind kind)
{
    return kind == YK_OP_LAUNCH || kind == YK_OP_LAUNCH_COOPERATIVE;
}

#endif
