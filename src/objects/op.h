/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a stream. */
#ifndef YK_OBJECTS_OP_H
#define YK_OBJECTS_OP_H

#include "base/process/process.h"

typedef struct yk_op yk_op;
typedef struct yk_exec yk_exec;

/* The properties of each kind are in op.def. */
typedef enum yk_op_kind {
#define YK_OP(kind, ...) YK_OP_##kind,
#include "objects/op.def"
} yk_op_kind;

/* Which member of op->u a kind uses. */
typedef enum yk_op_family {
    YK_FAMILY_TRANSFER,
    YK_FAMILY_COPY,
    YK_FAMILY_FILL,
    YK_FAMILY_IMAGE,
    YK_FAMILY_LAUNCH,
    YK_FAMILY_RECORD,
    YK_FAMILY_WAIT,
    YK_FAMILY_CALL,
    YK_FAMILY_NATIVE,
    YK_FAMILY_GRAPH,
    YK_FAMILY_NONE
} yk_op_family;

typedef enum yk_op_trait {
    YK_TRAIT_RECT = 1,           /* covers several rows: op->u has a rect */
    YK_TRAIT_TO_DEVICE = 2,      /* a transfer from the host; without it, to the host */
    YK_TRAIT_NOT_REPLAYED = 4,   /* no driver's graph can hold it */
    YK_TRAIT_AWAITS_PROGRAM = 8, /* the program determines when it ends */
    YK_TRAIT_FUNCTION = 16,      /* it calls a function of the program */
    YK_TRAIT_BY_DRIVER = 32,     /* set by its submit column: the backend has a slot for it */
    YK_TRAIT_BY_CALLER = 64      /* a function that only enqueues: with nothing deferred before it, the caller's thread calls it */
} yk_op_trait;

/* The slot or function matters only where operations are submitted: here, only whether it is a slot. */
#define YK_SUBMIT_SLOT(slot) YK_TRAIT_BY_DRIVER
#define YK_SUBMIT_CORE(function) 0
#define YK_SUBMIT_NEVER 0

static const struct {
    unsigned char family, traits;
} yk_op_kinds[] = {
#define YK_OP(kind, name, family, traits, writes, submit, run) \
    [YK_OP_##kind] = { YK_FAMILY_##family, (traits) | YK_SUBMIT_##submit },
#include "objects/op.def"
};

#undef YK_SUBMIT_SLOT
#undef YK_SUBMIT_CORE
#undef YK_SUBMIT_NEVER

static inline yk_op_family yk_family_of(yk_op_kind kind)
{
    return (yk_op_family)yk_op_kinds[kind].family;
}

static inline bool yk_op_has(yk_op_kind kind, yk_op_trait trait)
{
    return (yk_op_kinds[kind].traits & trait) != 0;
}

/* Whether the kind moves data between a buffer and the host. */
static inline bool yk_is_transfer(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_TRANSFER;
}

static inline bool yk_is_write(yk_op_kind kind)
{
    return yk_op_has(kind, YK_TRAIT_TO_DEVICE);
}

/* Whether the kind moves data between two buffers. */
static inline bool yk_is_copy(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_COPY;
}

static inline bool yk_is_launch(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_LAUNCH;
}

/* The layout of a rect on both sides of a copy. No extent is 0, and no pitch is smaller than the extent that it steps over. */
typedef struct yk_rect {
    size_t width, height, depth;
    size_t target_row, target_slice, source_row, source_slice; /* pitches */
} yk_rect;

/* One operation. Built on the caller's stack; submitted to the driver at once, or copied by value while the stream is deferring. */
struct yk_op {
    yk_op_kind kind;
    const char *where; /* "file:line" of the enqueue, or NULL */
    yk_op *next;       /* in a deferring stream's list */
    yoke_event *end;   /* recorded right behind the operation, for drivers that do both in one call; else NULL */
    union {
        struct {
            yoke_buffer *buffer;
            size_t offset, size;
            void *host;               /* read from by YK_OP_WRITE, written to by YK_OP_READ */
            yoke_buffer *host_buffer; /* the pinned buffer, of any device, that `host` points into; NULL: a bare pointer */
            bool sync;                /* the caller waits for it */
            bool staged;              /* copied by copy/staging.c: the driver is slow with it, or rejected it */
            yk_rect rect;             /* for a YK_TRAIT_RECT; `size` is then that of all of its rows */
        } transfer;
        struct {
            yoke_buffer *target, *source; /* one of the two may be another device's */
            size_t target_offset, source_offset, size;
            yk_rect rect;
        } copy;
        struct {
            yoke_buffer *buffer;
            size_t offset, width, height, pitch; /* rows of width bytes; a plain fill has one row */
            size_t pattern_size;
            unsigned char pattern[16];
        } fill;
        struct {
            yoke_image *texels;  /* the root */
            yoke_buffer *buffer; /* the root; its texels have no gaps */
            size_t offset;       /* of the buffer */
            size_t origin[3], region[3];
            size_t size; /* bytes */
        } image;
        struct {
            yoke_kernel *kernel;
            yoke_dim grid, block;
            size_t shared;
            const yoke_arg *args;
            size_t count;
            size_t shared_arg_bytes; /* the part of `shared` that came from an argument */
            bool touches_host;       /* an argument may be mapped or managed memory */
        } launch;
        struct {
            yoke_event *event;
            bool join;   /* a wait for a part of the stream: runs also after a failure */
            bool native; /* the event is the stream's own, and marks the end of a queue of other code's */
        } record, wait;
        struct {
            yoke_host_fn fn;
            void *user;
            yoke_release_fn release;
            yoke_event
                *after; /* for the worker: completes when the driver has completed everything before the call; NULL in a graph */
        } call;
        struct {
            yoke_status (*fn)(yoke_status status, void *native_stream, void *user);
            void *user;
            yoke_release_fn release;
            void *captured;              /* [backends] what a graph's driver has captured of it, instead of a call; or NULL */
            yoke_buffer *const *buffers; /* those that it names */
            size_t count;
        } native;
        struct {
            yk_exec *exec;
            const char *name; /* valid for the life of the process */
        } graph;
    } u;
};

#endif
