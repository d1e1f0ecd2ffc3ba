/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the objects are made of, and the helpers that every room of src/ uses. Declarations marked [backends] are also for
 * backends/.
 *
 * Locks, in the order in which they may be taken: device->lock, then stream->lock, then the leaf locks (program->lock, a waiter's,
 * a stream's spare_lock, the object pool's, the log's). No lock is held while user code runs (but see log.h) or while an object is
 * released.
 */
#ifndef YK_CORE_H
#define YK_CORE_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <yoke/yoke.h>

typedef struct yk_backend yk_backend;
typedef struct yk_op yk_op;
typedef struct yk_waiter yk_waiter;
typedef struct yk_notice yk_notice;
typedef struct yk_block yk_block;
typedef struct yk_plan yk_plan;
typedef struct yk_thread yk_thread;

#define YK_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define YK_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* Finding out what is wrong with a call: kept out of the way of calls that are right. */
#define YK_COLD __attribute__((cold, noinline))
/* The few steps of a call that every operation takes; counted once, and not again in each function that takes them. */
#ifdef YK_COUNTS_RUNS
#define YK_HOT static inline
#else
#define YK_HOT static inline __attribute__((always_inline))
#endif

/* At the start of what may sleep, or takes a driver's locks: the thread is not cancelled before the end of the block, since what it
 * has begun would stay half done. A request that has come meanwhile counts at its next cancellation point. Enqueueing does without:
 * it never sleeps, and what a driver does in it is the driver's. */
#define YK_UNCANCELLED __attribute__((cleanup(yk_cancel_restore), unused)) int yk_cancel_state = yk_cancel_hold()

static inline int yk_cancel_hold(void)
{
    int before = PTHREAD_CANCEL_ENABLE;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}

static inline void yk_cancel_restore(const int *before)
{
    (void)pthread_setcancelstate(*before, &(int){ 0 });
}

/* A lock for a dozen instructions without a call: one exchange, where a mutex would cost more than all that it protects. */
YK_HOT void yk_light_lock(atomic_bool *lock)
{
    while (YK_UNLIKELY(atomic_exchange_explicit(lock, true, memory_order_acquire)))
        sched_yield();
}

YK_HOT void yk_light_unlock(atomic_bool *lock)
{
    atomic_store_explicit(lock, false, memory_order_release);
}

#include "text.h"

/* ---- Fork (fork.c) ---- */

/* Around the start of a driver in this process: a child that is forked in between cannot use it. */
yoke_status yk_fork_begin_start(void);
void yk_fork_end_start(void);
/* A device is open: from now on no child of this process can use Yoke. */
void yk_fork_arm(void);
/* For public functions that take no object: YOKE_OK, or YOKE_E_FORKED with its record. */
YK_COLD yoke_status yk_fork_check(const char *function);

#include "object.h"

/* ---- Devices (device.c, select.c, start.c, probe.c) ---- */

/* What drivers offered, and what was rejected. */
typedef struct yk_device_list {
    yoke_device_info *infos;
    size_t count;
    yk_text rejected; /* a line each */
} yk_device_list;

/* [backends] `info` is copied; selector, backend and index are set here. */
yoke_status yk_device_list_add(yk_device_list *list, const yk_backend *backend, const yoke_device_info *info);
/* [backends] A device or platform that cannot be used, and why: one line. */
void yk_device_list_reject(yk_device_list *list, const char *format, ...) YOKE_PRINTF(2, 3);

/* The kernel that fills memory where the driver is slow at it: fill.c. */
typedef struct yk_filler {
    atomic_int state; /* 0: not asked for yet */
    bool forced;      /* YOKE_FILL_KERNEL=1: also where the driver fills well */
    yoke_program *program;
    yoke_kernel *kernel;
} yk_filler;

/* Released memory of one kind that is kept to be used again: pool.c. */
enum { YK_CLASSES = 8 * 40 };
typedef struct yk_cache {
    yk_block *classes[YK_CLASSES]; /* by size, the last released first */
    yk_block *oldest, *newest;
    uint64_t bytes;
} yk_cache;

typedef struct yk_pool {
    atomic_bool lock; /* protects the caches, `leaving`, and that in_use grows; a leaf */
    yk_cache device, pinned;
    atomic_uint_fast64_t in_use, peak, pinned_in_use; /* bytes */
    uint64_t leaving;                                 /* of in_use, what is released and in the trash */
    atomic_uint_fast64_t in_use_limit, cached_limit;
    atomic_uint buffers;
} yk_pool;

/* Giving back what was released: trash.c. */
typedef struct yk_reclaim {
    atomic_uint_fast64_t begun, ended; /* how often a thread has been about it */
    atomic_uint_fast64_t gained;       /* of these, how often it gave something back */
    pthread_cond_t changed;            /* `ended` and `asking`; with device->lock, which protects what follows */
    uint64_t thrown;                   /* how many things have been in the trash */
    bool asking;                       /* a thread asks whether the first of them may go, and nobody else does */
} yk_reclaim;

struct yoke_device {
    yk_object object;
    const yk_backend *backend;
    yoke_device_info info;
    void *native;
    bool blocking;             /* YOKE_BLOCKING: every operation finishes before its call returns */
    unsigned traced;           /* its number in the trace that YOKE_TRACE orders; 0: there is none */
    atomic_int wait;           /* YOKE_WAIT_ of the streams that say nothing else */
    atomic_uint stream_number; /* of the last stream without a name */
    yoke_device *next_open;    /* watchdog.c */

    yk_pool pool;
    bool driver_pool;     /* [backends] the driver has a pool for ordered memory */
    bool staged;          /* [backends] it copies pageable memory slowly, so Yoke carries that where it pays: staging.c */
    bool captures_writes; /* [backends] a small write takes its bytes when it is enqueued, not in its turn */
    bool reads_end_late;  /* [backends] a read to pageable memory, unless its call waits: then transfer.sync is set */
    bool reads_block;     /* [backends] a read to pageable memory does not return before it has run */
    bool releases_wait;   /* [backends] its driver waits for running kernels when a program is released, and holds up all threads */
    bool fills_well[17];  /* [backends] patterns of so many bytes, as fast as memory is; else fill.c has a kernel */
    uint64_t fill_reach;  /* [backends] beyond this offset its own fills go wrong */
    bool stages_small;    /* carried also where that hardly pays (YOKE_STAGING=1) */
    int copiers;          /* threads that carry, with the stream's own */
    atomic_int idle_copiers; /* of those beside the stream's own */
    yk_filler filler;
    atomic_uint lent; /* so many of its references are not the user's, or last as long as what lies in the trash: of buffers in that
                       * of other devices, and of its streams that are torn down */

    pthread_mutex_t lock; /* protects what follows */
    yoke_stream *streams; /* every stream that the driver may still have work of */
    yoke_stream **users;  /* the stream whose `user` is i + 1, until it is destroyed */
    unsigned user_count;
    _Atomic(yk_failure *) lost;       /* why the device is gone for this process; set once */
    _Atomic(struct yk_trash *) trash; /* released while the device may still use it: trash.c */
    struct yk_trash *trash_last;
    yk_reclaim reclaim;
};

/* ---- Waiting (sleep.c, settle.c) ---- */

/* [backends] Wake all threads that sleep for an event. From any thread, at any time, any number of times: notices are recycled but
 * never freed. */
void yk_notice_post(yk_notice *notice);

uint64_t yk_now(void); /* nanoseconds, monotonic */

/* Told when a stream fails, recovers, or no longer holds anything: stream->listeners. */
typedef struct yk_listener {
    yk_waiter *waiter;
    struct yk_listener *next, *previous;
} yk_listener;

/* ---- Streams (stream.c), and the operations a stream holds (held.c) ---- */

typedef enum yk_op_kind {
    YK_OP_WRITE,
    YK_OP_READ,
    YK_OP_COPY,
    YK_OP_WRITE_BOX,
    YK_OP_READ_BOX,
    YK_OP_COPY_BOX,
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

/* How a box lies on both sides of a copy. Nothing is 0, and no pitch is smaller than what it steps over. */
typedef struct yk_box {
    size_t width, height, depth;
    size_t target_row, target_slice, source_row, source_slice; /* pitches */
} yk_box;

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
            yk_box box;       /* of a _BOX, whose size is that of all of its rows */
        } transfer;
        struct {
            yoke_buffer *target, *source; /* one of them may be another device's */
            size_t target_offset, source_offset, size;
            yk_box box;
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
            size_t shared_args; /* of shared, what came as an argument */
            bool shared_memory; /* an argument may be mapped or shared memory */
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
            yk_plan *plan;
            const char *name; /* lives for ever */
        } graph;
    } u;
};

static inline bool yk_is_launch(yk_op_kind kind)
{
    return kind == YK_OP_LAUNCH || kind == YK_OP_LAUNCH_COOPERATIVE;
}

/* What is remembered of an operation that the driver was given, to name it when it has failed. The strings live for ever. */
typedef struct yk_given {
    _Atomic(const char *) where;
    _Atomic(const char *) name; /* a launch's kernel, where a wait's event was recorded, a graph's name; else NULL */
    atomic_int kind;
} yk_given;

enum { YK_GIVEN_KEPT = 16, YK_CHECKPOINTS = 8 };

/* Beside YOKE_STREAM_TIMED: that is for the trace, and nothing the program has asked for. */
#define YK_STREAM_STAMPED 0x80000000u

struct yoke_stream {
    yk_object object;
    atomic_uint uses; /* what needs this memory: the user's references together, the worker, every event */
    yoke_device *device;
    void *native;
    uint32_t flags;
    uint32_t depth;               /* how many operations may be unfinished; 0: any number */
    unsigned user;                /* by which buffers know it: device->users */
    int32_t wait;                 /* YOKE_WAIT_ */
    char label[YK_LABEL_SIZE];    /* "'upload'" or "3" */
    yoke_stream *next, *previous; /* in device->streams */
    bool thrown;                  /* in device->trash instead; with device->lock held */

    atomic_uint_fast64_t gate;        /* whether an enqueue may go straight to the driver, and how many have gone: enqueue.h */
    atomic_uint_fast64_t done;        /* of those, known to have finished */
    atomic_uint_fast64_t copying;     /* bytes of large copies since somebody has waited for the stream */
    atomic_uint_fast64_t writes_host; /* of those, how many there were with the last that may write to host memory */
    yk_given recent[YK_GIVEN_KEPT];   /* operation n is recent[n % YK_GIVEN_KEPT] */
    /* The newest in a row that are allocations of ordered memory by the driver: the first's number, and behind the last. */
    atomic_uint_fast64_t allocations, allocations_end;

    atomic_bool spare_lock; /* protects spares (events to be recorded again, event.c) and waits */
    yoke_event *spares[2];  /* untimed and timed */
    unsigned spare_count[2];

    pthread_mutex_t lock; /* protects what follows; atomics may also be read without it */
    bool held;            /* operations go to the list instead of to the driver */
    bool worker;          /* a thread runs what is held, or is about to */
    bool torn_down;       /* the user's last reference is gone */
    bool recovering;      /* a thread is about it: failing.c */
    bool carrying;        /* a caller runs an operation himself; what is held waits for that */
    bool launching;       /* a graph of several streams is being enqueued in it, by this thread alone */
    pthread_t launcher;
    unsigned reserved;  /* so many callers rely on there being a thread for a worker */
    yk_thread *spare;   /* that thread while there is no worker, or NULL */
    unsigned lane;      /* of the graph that it is recorded into */
    atomic_bool spared; /* of YOKE_BLOCKING: what it is given is part of a launch that is waited for as a whole */
    _Atomic(struct yoke_graph *) recording; /* that graph, or NULL */
    atomic_uint epoch;                      /* how often it has recovered from a failure */
    yk_op *first, *last;
    uint64_t deferred;    /* how many are in the list or running */
    const yk_op *running; /* what the worker has taken from the list */
    yoke_event *awaited;  /* what the running host function waits for, retained; for the watchdog */
    bool may_give_up;     /* that wait has a time limit, or is for any of several events */
    uint64_t ran;         /* operations that the worker has done with */
    yk_listener *listeners;
    atomic_uint posted;                    /* changes with each wake-up of the worker, for its short spin */
    _Atomic(struct yk_given_wait *) waits; /* of the driver, for events of other streams: failing.c */
    atomic_bool failed;
    yk_failure *failure; /* the first failure, once `failed` */

    yoke_event *checkpoints[YK_CHECKPOINTS]; /* depth.c: the oldest first */
    unsigned checkpoint_count;
    uint64_t checked; /* operations that the driver had been given at the last of them */

    struct yk_trace *trace;             /* trace.c's, or NULL */
    atomic_uint_fast64_t notified_late; /* sleep.c: 1 + the mark of the last event that the driver will tell of, but late */
    uint64_t polled, polled_mark;       /* sleep.c's alone */
    struct {
        yoke_event *mark; /* at the end of what the driver had been given */
        uint64_t ran, done, since;
        bool told;
    } watchdog; /* with device->lock held */
};

/* How many operations the driver has been given. [backends] */
static inline uint64_t yk_stream_given(const yoke_stream *stream)
{
    return atomic_load_explicit(&stream->gate, memory_order_relaxed) >> 16;
}

enum yk_event_state {
    YK_EVENT_HELD,   /* recorded on a held stream: the driver does not know it yet */
    YK_EVENT_GIVEN,  /* recorded by the driver */
    YK_EVENT_SETTLED /* finished, or failed: then event->failure says why */
};

struct yoke_event {
    yk_object object;
    yoke_stream *stream; /* for good: events are recycled by their stream */
    void *native;
    uint32_t flags;                /* YOKE_EVENT_TIMED */
    unsigned epoch;                /* stream->epoch at the recording */
    atomic_int state;              /* enum yk_event_state */
    uint64_t mark;                 /* how many operations the driver had surely been given before */
    _Atomic(yk_failure *) failure; /* once settled, or NULL */
    _Atomic(yk_notice *) notice;   /* of those that sleep for it, or NULL */
    const char *where;
    yoke_event *next; /* in stream->spares */
};

/* ---- Buffers (buffer.c) ---- */

/* Where a buffer's memory came from. */
typedef enum yk_origin {
    YK_CREATED,
    YK_ORDERED,    /* in the order of its stream `home` */
    YK_REGISTERED, /* the caller's host memory */
    YK_WRAPPED     /* the caller's device memory, or a program's */
} yk_origin;

struct yoke_buffer {
    yk_object object;
    yoke_device *device;
    yoke_buffer *root; /* the allocation: the buffer itself, or what it is a view of (retained) */
    size_t size;
    size_t offset;            /* from the root's start */
    yoke_device *argument_of; /* the device whose kernels take it as it is; NULL: none, or only after a closer look */
    union {
        void *pointer;    /* OpenCL: the cl_mem */
        uint64_t address; /* CUDA: the CUdeviceptr; kernels take it by address, so it lives here */
    } native;
    int32_t kind;     /* YOKE_MEMORY_ */
    bool misaligned;  /* a view that cannot be a kernel argument on this device */
    bool read_only;   /* a const view: then `argument_of` is NULL, so that launches look closer */
    atomic_uint user; /* of a root: the stream that has used it, or YK_NOBODY, or YK_MANY */
    void *host;       /* of pinned, mapped and shared memory */
    void *extra;      /* the backend's, beside `native` */
    size_t capacity;  /* bytes that were allocated */
    yk_block *block;  /* what stands for the memory in the cache once it is released; NULL where it does not go there */
    size_t skew;      /* of the root: how far from a multiple of 16 it starts (wrapped memory) */
    yk_origin origin;
    yoke_stream *home;     /* of ordered memory; its memory and queue are kept */
    yoke_program *program; /* that this root is a variable of, retained */
};

enum { YK_NOBODY = 0, YK_MANY = 0xffffffff };

/* Remember that the stream uses this root, so that only its end is waited for when the memory is released. */
YK_HOT void yk_buffer_used(yoke_buffer *root, const yoke_stream *stream)
{
    unsigned user = atomic_load_explicit(&root->user, memory_order_relaxed), nobody = YK_NOBODY;
    if (YK_UNLIKELY(user != stream->user && user != YK_MANY) &&
        !atomic_compare_exchange_strong_explicit(&root->user, &nobody, stream->user, memory_order_relaxed, memory_order_relaxed))
        atomic_store_explicit(&root->user, YK_MANY, memory_order_relaxed);
}

/* ---- Programs and kernels (program.c, kernel.c) ---- */

/* The values are those of YOKE_PARAM_. */
typedef enum yk_param_kind {
    YK_PARAM_ANY,    /* only the width is known */
    YK_PARAM_SCALAR, /* a scalar, vector or struct by value */
    YK_PARAM_BUFFER,
    YK_PARAM_SHARED /* OpenCL: a __local pointer; the last parameter may stand for a launch's `shared` */
} yk_param_kind;

typedef struct yk_param {
    yk_param_kind kind;
    uint32_t size;     /* 0: not known */
    int32_t read_only; /* as in yoke_param_info; -1 of anything but a buffer */
    char name[40];     /* "" when not known */
    char type[40];
} yk_param;

/* A kernel's parameters, as far as they are known from elsewhere than the driver. They count only where they agree with it. */
typedef struct yk_declaration {
    char *name;
    size_t count;
    yk_param *params;
} yk_declaration;

typedef struct yk_kernel_table {
    yk_declaration *kernels; /* each name once */
    size_t count;
} yk_kernel_table;

void yk_kernel_table_free(yk_kernel_table *table);

enum { YK_PROGRAM_BUILDING, YK_PROGRAM_READY, YK_PROGRAM_FAILED };

struct yoke_program {
    yk_object object;
    yoke_device *device;
    void *native;
    char name[64];
    yk_kernel_table declared; /* what the source tells beside the driver */
    atomic_int state;         /* YK_PROGRAM_; once it is ready, only what the lock protects changes */
    yk_failure *failure;      /* why it has failed */
    yk_text log;              /* the compiler's */
    yk_text instances;        /* names of the source and what the compiler made of them, by turns, each with its end */
    yk_text code;             /* [backends] what it was loaded of; or compiled to, by compilers that are not the driver */
    int code_kind;            /* [backends] of that: a yk_code_kind of image.h */
    pthread_mutex_t lock;     /* protects what follows, and changes of state */
    pthread_cond_t built;     /* no longer YK_PROGRAM_BUILDING */
    yoke_kernel *kernels;
    yk_text image;          /* the bytes that it was made of, or that were made of it to be saved; else empty */
    struct yk_image *saved; /* what is in the first of these */
};

/* [backends] The compiler calls this name of the source so. For program_build. */
yoke_status yk_program_add_instance(yoke_program *program, const char *name, const char *lowered);
/* [backends] What the compiler calls it, and the other way round: `name` itself where it is none of the instances. */
const char *yk_program_lowered(const yoke_program *program, const char *name);
const char *yk_program_spelled(const yoke_program *program, const char *lowered);

/* The head of a yoke_arg as one word: its kind and size. */
typedef uint64_t yk_arg_head;

struct yoke_kernel {
    yk_object object;
    yoke_program *program; /* not retained: the program owns its kernels */
    yoke_kernel *next;
    void *native;
    const char *lasting_name; /* kernel->name, but for the rest of the process */
    const char *native_name;  /* what the driver calls it */
    yoke_kernel_info info;
    yk_param *params;          /* a trailing shared one included */
    yk_arg_head (*heads)[2];   /* of each parameter, the one or two heads of arguments that fit without a closer look */
    int param_count;           /* without a trailing shared one; -1 when not known */
    bool takes_shared;         /* the last parameter is YK_PARAM_SHARED */
    bool signature_has_shared; /* whether takes_shared means anything: true where the driver tells address spaces */
    uint32_t line_blocks;      /* the most in a grid of one dimension */
    uint32_t line_threads;     /* and in a block of one */
    int glance_count;          /* param_count; or YK_NO_COUNT where a glance is not enough: it takes shared memory, or one block */
    char name[];
};

/* [backends] Append a parameter to kernel's signature. YOKE_E_UNSUPPORTED: there are too many. */
yoke_status yk_kernel_add_param(yoke_kernel *kernel, const yk_param *param);
/* [backends] Fail with that, where the driver tells only how many there are. */
YK_COLD yoke_status yk_kernel_has_too_many(const yoke_kernel *kernel);

/* ---- Graphs (graph.c, plan.c) ---- */

/* One operation of a graph, and the earlier ones that it follows. */
typedef struct yk_step {
    const yk_op *op;
    unsigned lane;       /* of the stream it was recorded in */
    const size_t *after; /* places among the steps of the segment, or of the plan */
    size_t after_count;
    void *native; /* [backends] */
} yk_step;

/* Steps that a driver can replay by itself. */
typedef struct yk_segment {
    yoke_device *device;
    yk_step *steps;
    size_t count;
    void *native; /* [backends] */
} yk_segment;

#endif
