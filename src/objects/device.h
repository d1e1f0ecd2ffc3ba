/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a device. */
#ifndef YK_OBJECTS_DEVICE_H
#define YK_OBJECTS_DEVICE_H

#include "base/process/process.h"
#include "objects/traits.h"

typedef struct yk_backend yk_backend;
typedef struct yk_block yk_block;
typedef struct yk_op yk_op;
typedef struct yk_observer yk_observer;
typedef struct yk_validator yk_validator;

/* The kernel that fills memory where the driver's fills are slow: copy/fill.c. */
typedef struct yk_filler {
    atomic_int state; /* 0: not requested yet */
    bool forced;      /* YOKE_FILL_KERNEL=1: also where the driver fills well */
    yoke_program *program;
    yoke_kernel *kernel;
} yk_filler;

/* Released memory of one kind, cached for reuse: memory/pool.c. */
enum { YK_CLASSES = 8 * 40, YK_CACHE_LISTS = 1024 };
typedef struct yk_memory_cache {
    yk_block *lists[YK_CACHE_LISTS]; /* by size and user, the most recently released first */
    yk_block *oldest, *newest;
    uint64_t bytes;
} yk_memory_cache;

typedef struct yk_pool {
    atomic_bool lock; /* protects the caches, `leaving` and increases of in_use; a leaf */
    yk_memory_cache device, pinned;
    atomic_uint_fast64_t in_use, peak, pinned_in_use; /* bytes */
    uint64_t leaving;                                 /* the retired part of in_use */
    atomic_uint_fast64_t in_use_limit, cached_limit;
    atomic_uint buffers;
} yk_pool;

/* Reclaiming: stream/retire.c. */
typedef struct yk_reclaim {
    atomic_uint_fast64_t begun, ended; /* how many reclaims threads have begun and ended */
    atomic_uint_fast64_t gained;       /* how many of them gained memory */
    pthread_cond_t changed;            /* signals `ended` and `asking`; with device->lock, which protects what follows */
    uint64_t retired;                  /* how many objects have been retired */
    bool asking;                       /* a thread checks the first retired item, and no other thread does */
    atomic_uint wanted;                /* how many threads wait for all retired objects: for their memory, or to close the device */
} yk_reclaim;

/* The programs that a device keeps, by key: program/device_programs.c. Any thread reads and adds to them without a lock. */
typedef struct yk_kept_program yk_kept_program;
typedef struct yk_kept_programs {
    _Atomic(yk_kept_program *) root;   /* the search tree */
    _Atomic(yk_kept_program *) newest; /* the list of all of them */
} yk_kept_programs;

/* A value of a library on top of Yoke: device/attach.c. */
typedef struct yk_attachment yk_attachment;

struct yoke_device {
    yk_object object;
    const yk_backend *backend;
    yoke_device_info info;
    void *native;               /* [backends] */
    void (*put)(yoke_device *); /* drops a reference: device/device.c */
    /* Copies through pinned memory: copy/staging.c. On the thread that calls this, which is the stream's worker, or the caller of a
     * copy that waits, and on its helpers. The copy is complete on return, or, where no pinned memory can be had, submitted to the
     * driver as any other operation. */
    yoke_status (*stage)(yoke_stream *stream, const yk_op *op);
    yk_traits traits;              /* [backends] the driver's properties */
    bool blocking;                 /* YOKE_BLOCKING: every operation finishes before its call returns */
    const yk_observer *observer;   /* of the device's streams; NULL: none */
    unsigned trace_number;         /* in the trace */
    const yk_validator *validator; /* of the same streams; NULL: none */
    atomic_int wait;               /* YOKE_WAIT_ of streams that set no policy */
    atomic_uint stream_number;     /* the number of the last stream without a name */
    yoke_device *next_open;        /* watchdog.c */

    yk_pool pool;
    bool staged;             /* large pageable transfers go through staging.c: traits.copies_pageable_slowly, or YOKE_STAGING */
    bool stages_small;       /* smaller transfers too (YOKE_STAGING=1) */
    int copiers;             /* threads that stage, including the stream's own */
    atomic_int idle_copiers; /* idle ones among the threads beside the stream's own */
    yk_filler filler;
    yk_kept_programs programs;
    _Atomic(yk_attachment *) attachments; /* the newest one; only added to until the device ends */
    /* References that are not the user's, or that last as long as a retired object: those of buffers retired on other devices, and
     * of the device's own torn-down streams. */
    atomic_uint deferred_refs;

    pthread_mutex_t lock;        /* protects what follows */
    yoke_stream *streams;        /* every stream that may still have work in the driver */
    yoke_stream **streams_by_id; /* the stream whose id is i + 1, until it is destroyed */
    unsigned stream_id_count;
    _Atomic(yk_failure *) lost;           /* why the device is lost for this process; set once */
    _Atomic(struct yk_retired *) retired; /* retired objects: stream/retire.c */
    struct yk_retired *retired_last;
    yk_reclaim reclaim;
};

/* For objects that keep their device: drop their reference. */
static inline void yk_device_put(yoke_device *device)
{
    device->put(device);
}

#endif
