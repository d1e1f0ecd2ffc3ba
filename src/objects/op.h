/* SPDX-License-Identifier: Apache-2.0 */
/* One operation of a stream. */
#ifndef YK_OBJECTS_OP_H
#define YK_OBJECTS_OP_H

#include "base/base.h"

typedef struct yk_op yk_op;
typedef struct yk_exec yk_exec;

/* What is known of each kind is in op.def. */
typedef enum yk_op_kind {
#define YK_OP(kind, ...) YK_OP_##kind,
#include "objects/op.def"
} yk_op_kind;

/* Which member of op->u a kind has. */
typedef enum yk_op_family {
    YK_FAMILY_TRANSFER,
    YK_FAMILY_COPY,
    YK_FAMILY_FILL,
    YK_FAMILY_LAUNCH,
    YK_FAMILY_RECORD,
    YK_FAMILY_WAIT,
    YK_FAMILY_CALL,
    YK_FAMILY_NATIVE,
    YK_FAMILY_GRAPH,
    YK_FAMILY_NONE
} yk_op_family;

typedef enum yk_op_trait {
    YK_TRAIT_RECT = 1,           /* of several rows: op->u has a rect */
    YK_TRAIT_TO_DEVICE = 2,      /* a transfer from the host; without it, to the host */
    YK_TRAIT_NOT_REPLAYED = 4,   /* no driver's graph takes it */
    YK_TRAIT_AWAITS_PROGRAM = 8, /* the program decides when it ends */
    YK_TRAIT_FUNCTION = 16,      /* it calls a function of the program */
    YK_TRAIT_BY_DRIVER = 32      /* from its submit: the backend has a slot for it */
} yk_op_trait;

/* Which slot, or function, is said where operations are submitted: here only whether it is a slot. */
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

/* Between a buffer and the host. */
static inline bool yk_is_transfer(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_TRANSFER;
}

static inline bool yk_is_write(yk_op_kind kind)
{
    return yk_op_has(kind, YK_TRAIT_TO_DEVICE);
}

/* Between two buffers. */
static inline bool yk_is_copy(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_COPY;
}

static inline bool yk_is_launch(yk_op_kind kind)
{
    return yk_family_of(kind) == YK_FAMILY_LAUNCH;
}

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
            yk_rect rect;     /* of a YK_TRAIT_RECT, whose size is that of all of its rows */
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

#endif
