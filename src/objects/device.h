/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a device. */
#ifndef YK_OBJECTS_DEVICE_H
#define YK_OBJECTS_DEVICE_H

#include "base/base.h"
#include "objects/traits.h"

typedef struct yk_backend yk_backend;
typedef struct yk_block yk_block;
typedef struct yk_op yk_op;
typedef struct yk_observer yk_observer;

/* The kernel that fills memory where the driver is slow at it: fill.c. */
typedef struct yk_filler {
    atomic_int state; /* 0: not asked for yet */
    bool forced;      /* YOKE_FILL_KERNEL=1: also where the driver fills well */
    yoke_program *program;
    yoke_kernel *kernel;
} yk_filler;

/* Released memory of one kind that is kept to be used again: pool.c. */
enum { YK_CLASSES = 8 * 40 };
typedef struct yk_memory_cache {
    yk_block *classes[YK_CLASSES]; /* by size, the last released first */
    yk_block *oldest, *newest;
    uint64_t bytes;
} yk_memory_cache;

typedef struct yk_pool {
    atomic_bool lock; /* protects the caches, `leaving`, and that in_use grows; a leaf */
    yk_memory_cache device, pinned;
    atomic_uint_fast64_t in_use, peak, pinned_in_use; /* bytes */
    uint64_t leaving;                                 /* of in_use, what is released and in the trash */
    atomic_uint_fast64_t in_use_limit, cached_limit;
    atomic_uint buffers;
} yk_pool;

/* Giving back what was released: retire.c. */
typedef struct yk_reclaim {
    atomic_uint_fast64_t begun, ended; /* how often a thread has been about it */
    atomic_uint_fast64_t gained;       /* of these, how often it gave something back */
    pthread_cond_t changed;            /* `ended` and `asking`; with device->lock, which protects what follows */
    uint64_t retired;                  /* how many things have been in the trash */
    bool asking;                       /* a thread asks whether the first of them may go, and nobody else does */
} yk_reclaim;

struct yoke_device {
    yk_object object;
    const yk_backend *backend;
    yoke_device_info info;
    void *native;               /* [backends] */
    void (*put)(yoke_device *); /* gives a reference back: device/device.c */
    /* Copies through pinned memory on the calling thread; everything has been copied on return: copy/staging.c. */
    yoke_status (*stage)(yoke_stream *stream, const yk_op *op);
    yk_traits traits;            /* [backends] what the driver is like */
    bool blocking;               /* YOKE_BLOCKING: every operation finishes before its call returns */
    const yk_observer *observer; /* of its streams; NULL: there is none */
    unsigned trace_number;       /* in the trace */
    atomic_int wait;             /* YOKE_WAIT_ of the streams that say nothing else */
    atomic_uint stream_number;   /* of the last stream without a name */
    yoke_device *next_open;      /* watchdog.c */

    yk_pool pool;
    bool staged;             /* large pageable transfers go through staging.c: traits.copies_pageable_slowly, or YOKE_STAGING */
    bool stages_small;       /* smaller transfers too (YOKE_STAGING=1) */
    int copiers;             /* threads that carry, with the stream's own */
    atomic_int idle_copiers; /* of those beside the stream's own */
    yk_filler filler;
    atomic_uint deferred_refs; /* so many of its references are not the user's, or last as long as what lies in the trash: of
                                * buffers in that of other devices, and of its streams that are torn down */

    pthread_mutex_t lock;        /* protects what follows */
    yoke_stream *streams;        /* every stream that the driver may still have work of */
    yoke_stream **streams_by_id; /* the stream whose id is i + 1, until it is destroyed */
    unsigned stream_id_count;
    _Atomic(yk_failure *) lost;           /* why the device is gone for this process; set once */
    _Atomic(struct yk_retired *) retired; /* released while the device may still use it: retire.c */
    struct yk_retired *retired_last;
    yk_reclaim reclaim;
};

/* For objects that keep their device: give their reference back. */
static inline void yk_device_put(yoke_device *device)
{
    device->put(device);
}

#endif
