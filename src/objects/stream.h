/* SPDX-License-Identifier: Apache-2.0 */
/* The struct of a stream. */
#ifndef YK_OBJECTS_STREAM_H
#define YK_OBJECTS_STREAM_H

#include "base/process/thread.h"
#include "base/process/waiter.h"
#include "objects/device.h"
#include "objects/op.h"
#include "objects/stream_state.h"

/* Posted when a stream fails, recovers, or has nothing deferred any more: stream->listeners. */
typedef struct yk_listener {
    yk_waiter *waiter;
    struct yk_listener *next, *previous;
} yk_listener;

typedef struct yk_recording yk_recording;

/* A submitted operation, remembered so that a failure can name it. The strings live as long as the process. */
typedef struct yk_submitted {
    _Atomic(const char *) where;
    _Atomic(const char *) name; /* a launch's kernel, where a wait's event was recorded, a graph's name; else NULL */
    atomic_int kind;
} yk_submitted;

enum { YK_SUBMITTED_KEPT = 16, YK_CHECKPOINTS = 8 };

/* With YOKE_STREAM_TIMED: set for the trace, not by the program. */
#define YK_STREAM_STAMPED 0x80000000u

struct yoke_stream {
    yk_object object;
    atomic_uint uses;                 /* what keeps this memory: the user's references together, the worker, every event */
    void (*end)(yoke_stream *stream); /* the last use is gone: stream/stream.c */
    yoke_device *device;
    void *native;
    uint32_t flags;
    uint32_t depth;               /* how many operations may be unfinished; 0: any number */
    unsigned id;                  /* the number by which buffers refer to it: device->streams_by_id */
    int32_t wait;                 /* YOKE_WAIT_ */
    int32_t priority;             /* 0: normal; more is more urgent */
    char label[YK_LABEL_SIZE];    /* "'upload'" or "3" */
    yoke_stream *next, *previous; /* in device->streams */
    bool retired;                 /* in device->retired instead; with device->lock held */

    atomic_uint_fast64_t gate;        /* whether enqueues may go straight to the driver, and the number submitted: enqueue.h */
    atomic_uint_fast64_t done;        /* how many submitted operations are known to have finished */
    atomic_uint_fast64_t copying;     /* bytes of copies since the last wait for the stream */
    atomic_uint_fast64_t writes_host; /* how many were submitted up to the last one that may write host memory */
    yk_submitted recent[YK_SUBMITTED_KEPT]; /* operation n is recent[n % YK_SUBMITTED_KEPT] */
    /* The newest consecutive allocations of ordered memory by the driver: the first one's number, and one past the last. */
    atomic_uint_fast64_t allocations, allocations_end;

    atomic_bool spare_lock; /* protects spares (events to be recorded again, event_pool.c) and waits */
    yoke_event *spares[2];  /* untimed and timed */
    unsigned spare_count[2];
    bool spares_uncounted; /* torn down: from now on no spare is among the uses */

    pthread_mutex_t lock; /* protects what follows; atomics may also be read without it */
    yk_stream_state state;
    bool worker;                       /* a thread runs what is deferred, or is about to */
    pthread_t launcher;                /* the only thread that may enqueue while the state is `launching` */
    unsigned reserved;                 /* how many callers rely on a thread for the worker */
    yk_thread *spare;                  /* that thread while there is no worker, or NULL */
    unsigned branch;                   /* the branch of the graph that it is recorded into */
    atomic_bool blocking_suppressed;   /* no YOKE_BLOCKING: its operations are part of a launch that is waited for as a whole */
    _Atomic(yk_recording *) recording; /* set while the state is `recording`; else NULL */
    atomic_uint epoch;                 /* how often the stream has recovered from a failure */
    yk_op *first, *last;
    uint64_t deferred;    /* operations in the list or running */
    uint64_t records;     /* how many records have been deferred: the number of the last one */
    const yk_op *running; /* the operation that the worker has taken from the list */
    yoke_event *awaited;  /* the event that the running host function waits for, retained; or NULL */
    bool releasing;       /* the worker runs the release functions of a graph, and no operation */
    bool may_give_up;     /* the wait has a time limit, or is for any of several events */
    uint64_t ran;         /* operations that the worker has finished */
    yk_listener *listeners;
    atomic_bool waits_long;                    /* the last wait that did not end at once: wait.c */
    atomic_uint posted;                        /* changes with each wake-up of the worker, for its short spin */
    _Atomic(struct yk_submitted_wait *) waits; /* submitted waits for events of other streams: submitted_waits.c */
    atomic_uint wait_count, thin_at;           /* of `waits`, with spare_lock held; how many are worth asking for */
    atomic_bool failed;                        /* the state's failure, for readers without the lock */
    yk_failure *failure;                       /* the first failure, once `failed` */
    atomic_bool lost_elsewhere;                /* which is YOKE_E_DEVICE_LOST of another device, or of a function */

    yoke_event *checkpoints[YK_CHECKPOINTS]; /* depth.c: the oldest first */
    unsigned checkpoint_count;
    struct { /* the newest point in it that a retired object waits for: retire.c, with device->lock held */
        uint64_t item, submitted;
        atomic_uint_fast64_t passed; /* operations before the newest point that it has passed */
    } last_point;
    uint64_t checked;     /* operations submitted before the newest checkpoint */
    yoke_full_fn on_full; /* whether to wait on for room; or NULL */
    void *on_full_user;

    struct yk_trace *trace;             /* trace.c's, or NULL */
    struct yk_order *order;             /* validate.c's, or NULL */
    atomic_uint_fast64_t notified_late; /* sleep.c: 1 + the position of the last event whose notification will come late */
    uint64_t polled, polled_position;   /* used only by sleep.c */
    struct {
        yoke_event *end; /* at the end of the work submitted when it was recorded */
        const yk_op *running;
        uint64_t ran, done, since;
        bool told;
    } watchdog; /* with device->lock held */
};

/* The number of operations submitted. [backends] */
static inline uint64_t yk_stream_submitted(const yoke_stream *stream)
{
    return atomic_load_explicit(&stream->gate, memory_order_relaxed) >> 16;
}

/* A use of the stream keeps its memory and its driver queue, but does not keep it from being torn down. */
static inline void yk_stream_use(yoke_stream *stream)
{
    atomic_fetch_add_explicit(&stream->uses, 1, memory_order_relaxed);
}

static inline void yk_stream_unuse(yoke_stream *stream)
{
    if (atomic_fetch_sub_explicit(&stream->uses, 1, memory_order_acq_rel) == 1)
        stream->end(stream);
}

/* False: the stream's last use is gone already. */
static inline bool yk_stream_use_if_used(yoke_stream *stream)
{
    unsigned uses = atomic_load(&stream->uses);
    while (uses > 0 && !atomic_compare_exchange_weak(&stream->uses, &uses, uses + 1))
        continue;
    return uses > 0;
}

/* With stream->lock held: the event happens to the stream. */
static inline void yk_stream_happens(yoke_stream *stream, yk_stream_event event)
{
    YK_ASSERT(yk_stream_can(stream->state, event));
    stream->state = yk_stream_next(stream->state, event);
    atomic_store_explicit(&stream->failed, yk_stream_has_failed(stream->state), memory_order_release);
    YK_ASSERT(!stream->state.recording == !atomic_load(&stream->recording));
}

static inline bool yk_is_deferring(const yoke_stream *stream)
{
    return yk_stream_is_deferring(stream->state);
}

#endif
