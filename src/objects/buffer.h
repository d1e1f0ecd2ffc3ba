/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a buffer. */
#ifndef YK_OBJECTS_BUFFER_H
#define YK_OBJECTS_BUFFER_H

#include "objects/stream.h"

/* Where a buffer's memory came from. */
typedef enum yk_origin {
    YK_CREATED,
    YK_ORDERED,    /* in the order of the stream `owner_stream` */
    YK_REGISTERED, /* the caller's host memory */
    YK_WRAPPED,    /* the caller's device memory, or a program's */
    YK_IMAGED      /* an image's texels: the object is a yoke_image */
} yk_origin;

struct yoke_buffer {
    yk_object object;
    yoke_device *device;
    yoke_buffer *root; /* the allocation: the buffer itself, or what it is a view of (retained) */
    size_t size;
    size_t offset;            /* from the root's start */
    yoke_device *argument_of; /* the device whose kernels take the buffer without further checks, or NULL */
    union {
        void *pointer;    /* OpenCL: the cl_mem */
        uint64_t address; /* CUDA: the CUdeviceptr; kernels take the address of this member */
    } native;
    int32_t kind;        /* YOKE_MEMORY_ */
    bool misaligned;     /* a view that cannot be a kernel argument on this device */
    bool read_only;      /* a const view: then `argument_of` is NULL, so that launches check further */
    atomic_uint used_by; /* of a root: the stream that has used it, YK_NO_STREAM or YK_MANY_STREAMS */
    void *host;          /* of pinned, mapped and managed memory */
    void *extra;         /* the backend's, beside `native` */
    size_t capacity;     /* bytes that were allocated */
    yk_block *block;     /* the memory's entry in the cache after release; NULL for memory that is not cached */
    size_t misalignment; /* of the root (wrapped memory): its address modulo 16 */
    yk_origin origin;
    yoke_stream *owner_stream; /* of ordered memory; the stream's memory and queue are kept */
    yoke_program *program;     /* the program whose variable this root is, retained */
    struct yk_shadow *shadow;  /* of a root: validate/shadow.c's, or NULL */
};

enum { YK_NO_STREAM = 0, YK_MANY_STREAMS = 0xffffffff };

/* Whether the host accesses the memory in place, as kernels do. */
YK_HOT bool yk_buffer_is_shared(const yoke_buffer *buffer)
{
    return buffer->kind == YOKE_MEMORY_MAPPED || buffer->kind == YOKE_MEMORY_MANAGED;
}

/* Remember that another stream uses this root, or the first. Not inlined: a stream is new to a root only once. */
__attribute__((noinline)) static void yk_buffer_used_anew(yoke_buffer *root, unsigned id)
{
    unsigned nobody = YK_NO_STREAM;
    if (atomic_load_explicit(&root->used_by, memory_order_relaxed) != YK_MANY_STREAMS &&
        !atomic_compare_exchange_strong_explicit(&root->used_by, &nobody, id, memory_order_relaxed, memory_order_relaxed))
        atomic_store_explicit(&root->used_by, YK_MANY_STREAMS, memory_order_relaxed);
}

/* Remember that the stream uses this root, so that only this stream is waited for when the memory is released. */
YK_HOT void yk_buffer_used(yoke_buffer *root, const yoke_stream *stream)
{
    if (YK_UNLIKELY(atomic_load_explicit(&root->used_by, memory_order_relaxed) != stream->id))
        yk_buffer_used_anew(root, stream->id);
}

#endif
