/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend's view of the driver: its table of functions, the structs behind the objects' `native` members, and the
 * prototypes of the slots. Every OpenCL call of Yoke goes through `yk_cl`, which is filled before the first call.
 */
#ifndef YK_OPENCL_DRIVER_H
#define YK_OPENCL_DRIVER_H

#define CL_TARGET_OPENCL_VERSION 210
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>

#include "backend.h"
#include "base/process/library.h"
#include "command_buffer.h"
#include "quirks.h"

/* ---- The table (driver.c) ---- */

struct yk_cl_table {
#define YK_CL_SYMBOL(need, result, name, ...) __typeof__(name) *name;
#include "symbols.def"
};

enum { YK_CL_OPTIONAL = 0, YK_CL_REQUIRED = 1 };

/* After the table is filled: wrap its functions so that faults can be injected (inject.c). */
#ifdef YK_FAULT_INJECTION
void yk_opencl_inject(void);
#else
static inline void yk_opencl_inject(void)
{
}
#endif

YK_DEFINED_HERE extern struct yk_cl_table yk_cl;

/* Open libOpenCL.so.1 and fill the table, once. YOKE_E_UNAVAILABLE when the library is missing or lacks functions. */
yoke_status yk_opencl_load(void);
/* In a forked child: reinitialize the lock of yk_opencl_load. */
void yk_opencl_load_forked(void);

/* ---- Behind `native` ---- */

/* A device as the driver lists it; lives as long as the process, so that the memory in use is counted across openings. */
typedef struct yk_opencl_slot {
    cl_platform_id platform;
    cl_device_id id;
    yoke_device_info info;
    char maker[64]; /* of the platform */
    yk_opencl_quirks quirks;
    uint64_t max_image[2][3];       /* of 2-D and 3-D images; 0: the device has no images */
    bool unified;                   /* the device shares the host's memory */
    cl_device_svm_capabilities svm; /* 0: none */
    bool takes_priorities;          /* of queues: cl_khr_priority_hints */
    bool rounds_correctly;          /* accepts -cl-fp32-correctly-rounded-divide-sqrt */
    char rejected[256];             /* why the device, or its whole platform, cannot be used; "" when it can */
    const char *replays;            /* why Yoke replays graphs, and not the device; NULL: the device has YOKE_CAP_GRAPHS */
    yk_cl_command_buffer_table command_buffers;
    atomic_uint_fast64_t used; /* bytes of buffers in the device's memory */
} yk_opencl_slot;

typedef struct yk_opencl_device {
    yk_opencl_slot *slot;
    cl_context context;
    cl_command_queue mapping;     /* only for maps and unmaps of buffers that are created and destroyed */
    pthread_mutex_t mapping_lock; /* locked for each call: in PoCL's basic device two concurrent calls wait for each other */
    pthread_mutex_t memory_lock;  /* protects the members of yk_opencl_memory other than `svm` */
} yk_opencl_device;

/* A sub-buffer, shared by the views of its range. */
typedef struct yk_opencl_sub {
    struct yk_opencl_sub *older;
    size_t offset, size;
    cl_mem handle;
    unsigned views;
} yk_opencl_sub;

/* A root's state beyond its cl_mem, created when needed: buffer->extra. */
typedef struct yk_opencl_memory {
    void *svm;        /* managed memory, which the cl_mem is an alias of */
    bool handed_over; /* mapped for the host and unmapped for the device by turns: shared.c */
    bool away;        /* still unmapped: the driver refused to map it for the host again */
    cl_event last;    /* the last map for the host */
    cl_mem whole;     /* the parent of a wrapped sub-buffer, which begins at `start`; else NULL */
    size_t start;
    yk_opencl_sub *newest; /* sub-buffers, newest first */
    unsigned unused;       /* number of sub-buffers without a view */
} yk_opencl_memory;

/* A lock that threads rarely contend for: one atomic exchange to lock and one to unlock, where a mutex costs a quarter of a
 * launch. Threads that have to wait do so in lock.c. */
typedef struct yk_opencl_lock {
    atomic_int state; /* YK_FREE and so on */
    pthread_mutex_t mutex;
    pthread_cond_t freed;
} yk_opencl_lock;

enum { YK_FREE, YK_TAKEN, YK_AWAITED };

yoke_status yk_opencl_lock_create(yk_opencl_lock *lock);
void yk_opencl_lock_destroy(yk_opencl_lock *lock);
YK_COLD void yk_opencl_lock_wait(yk_opencl_lock *lock);
YK_COLD void yk_opencl_lock_wake(yk_opencl_lock *lock);

static inline void yk_opencl_lock_take(yk_opencl_lock *lock)
{
    int before = YK_FREE;
    if (YK_UNLIKELY(
            !atomic_compare_exchange_strong_explicit(&lock->state, &before, YK_TAKEN, memory_order_acquire, memory_order_relaxed)))
        yk_opencl_lock_wait(lock);
}

static inline void yk_opencl_lock_give_back(yk_opencl_lock *lock)
{
    if (YK_UNLIKELY(atomic_exchange_explicit(&lock->state, YK_FREE, memory_order_release) == YK_AWAITED))
        yk_opencl_lock_wake(lock);
}

/* How many memory objects have been released: a handle that was compared before may be another object's now. */
YK_DEFINED_HERE extern atomic_uint_fast64_t yk_opencl_released;

/* A program's native is its cl_program, a buffer's its cl_mem. */

/* Whether commands on this root need yk_opencl_hand_over. */
static inline bool yk_opencl_is_handed_over(const yoke_buffer *root)
{
    return yk_buffer_is_shared(root) && ((const yk_opencl_memory *)root->extra)->handed_over;
}

typedef struct yk_opencl_stream {
    _Atomic(cl_command_queue) queue;
    cl_command_queue *retired; /* queues in which work has failed: other threads may still use them */
    size_t retired_count;
    bool one_at_a_time;  /* all calls for the queue */
    bool keeps_newest;   /* its calls that enqueue are made one at a time */
    bool locked;         /* either */
    yk_opencl_lock lock; /* locked during such calls */
    cl_event newest;     /* where `keeps_newest`: of the queue's newest command, or NULL where it is not known */
    cl_event *unasked;   /* where a command stores its event that nobody asked for: `newest`, or NULL */
    cl_event older;      /* during a call: of the newest command before it */
} yk_opencl_stream;

/* What has been called since an event was recorded. */
enum {
    YK_RECORDED,
    YK_FLUSHED, /* a flush of its queue */
    YK_WAITED   /* a call that waits for its command: this flushes too, and makes the command's effects visible */
};

typedef struct yk_opencl_event {
    cl_event handle;          /* of the last recording, or NULL */
    _Atomic(cl_event) before; /* of the one before it, or NULL: released by a query that finds the device at work */
    atomic_int called;
} yk_opencl_event;

void yk_opencl_release_event(cl_event event); /* may be NULL */

/* The event is recorded anew. Nobody uses the recording before any more, but its release would delay a wait that has just ended. */
static inline void yk_opencl_begin_recording(yk_opencl_event *event, int called)
{
    cl_event oldest = atomic_load_explicit(&event->before, memory_order_relaxed);
    if (YK_UNLIKELY(oldest != NULL)) /* no query has found the device at work */
        yk_opencl_release_event(oldest);
    atomic_store_explicit(&event->before, event->handle, memory_order_relaxed);
    event->handle = NULL;
    atomic_store_explicit(&event->called, called, memory_order_relaxed);
}

/* An argument that a kernel object has: head YK_NO_HEAD where it is not known, the value of a buffer is its cl_mem. */
typedef struct yk_opencl_set {
    yk_arg_head head;
    uint64_t value;
} yk_opencl_set;

typedef struct yk_opencl_kernel {
    cl_kernel handle;
    cl_uint count;         /* number of parameters, including a __local parameter */
    uint32_t sure_threads; /* in a block: this many the driver never refuses */
    uint64_t released;     /* yk_opencl_released when `set` was last true */
    yk_opencl_set set[YOKE_MAX_ARGS + 1];
    /* Locked from the first clSetKernelArg to the enqueue, because a cl_kernel stores one set of arguments: kernel.c. */
    yk_opencl_lock lock;
} yk_opencl_kernel;

static inline yk_opencl_device *yk_opencl_device_of(const yoke_device *device)
{
    return device->native;
}

/* The stream's queue, for one call between these two that enqueues nothing, and may take long. */
static inline cl_command_queue yk_opencl_enter_quietly(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    if (YK_UNLIKELY(native->one_at_a_time))
        yk_opencl_lock_take(&native->lock);
    return atomic_load_explicit(&native->queue, memory_order_relaxed);
}

static inline void yk_opencl_leave_quietly(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    if (YK_UNLIKELY(native->one_at_a_time))
        yk_opencl_lock_give_back(&native->lock);
}

/* The same for calls that enqueue commands; the last of them may store its event in yk_opencl_end_of. */
static inline cl_command_queue yk_opencl_enter(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    if (YK_UNLIKELY(native->locked)) {
        yk_opencl_lock_take(&native->lock);
        if (native->keeps_newest) {
            native->older = native->newest;
            native->newest = NULL;
        }
    }
    return atomic_load_explicit(&native->queue, memory_order_relaxed);
}

void yk_opencl_leave_newest(yk_opencl_stream *native);

static inline void yk_opencl_leave(yoke_stream *stream)
{
    yk_opencl_stream *native = stream->native;
    if (!YK_UNLIKELY(native->locked))
        return;
    if (native->keeps_newest)
        yk_opencl_leave_newest(native);
    else
        yk_opencl_lock_give_back(&native->lock);
}

/* Where a command stores its event: that of op->end, or the stream's newest; NULL when no event is to be recorded. */
static inline cl_event *yk_opencl_end_of(yoke_stream *stream, const yk_op *op)
{
    yk_opencl_stream *native = stream->native;
    if (!op->end)
        return native->unasked;
    yk_opencl_event *event = op->end->native;
    yk_opencl_begin_recording(event, YK_RECORDED);
    return &event->handle;
}

/* A launch's grid and block in OpenCL's form; returns the number of dimensions. */
static inline cl_uint yk_opencl_shape_of(const yk_op *op, size_t global[3], size_t local[3])
{
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;

    global[0] = (size_t)grid->x * block->x;
    local[0] = block->x;
    if ((grid->y | grid->z | block->y | block->z) == 1)
        return 1;
    global[1] = (size_t)grid->y * block->y;
    global[2] = (size_t)grid->z * block->z;
    local[1] = block->y;
    local[2] = block->z;
    return 3;
}

/* An operation on handed-over memory (shared.c): unmap the memory, call submit(stream, op), map the memory again. */
YK_COLD yoke_status yk_opencl_hand_over(yoke_stream *stream, const yk_op *op,
                                        yoke_status (*submit)(yoke_stream *stream, const yk_op *op));
/* A separate kernel object for one launch, with the launch's arguments set. */
yoke_status yk_opencl_kernel_for(const yk_op *op, cl_kernel *out_handle);
/* Load the functions of slot->command_buffers; false when the driver lacks one of them. */
bool yk_opencl_bind_command_buffers(yk_opencl_slot *slot);
/* Count `size` bytes as in use; fails when the device has less memory left. */
yoke_status yk_opencl_reserve(yk_opencl_slot *slot, size_t size);
/* Allocate the memory behind buffer->native now, where the driver does so only on first use. */
yoke_status yk_opencl_take_now(yoke_buffer *buffer);
/* Map a new buffer for the host. */
yoke_status yk_opencl_map(yoke_buffer *buffer);
void yk_opencl_unmap(yoke_buffer *buffer);

/* Flush the queue in which the event was recorded, unless that has been done. */
yoke_status yk_opencl_event_flush(yoke_event *event);

/* ---- Describing (describe.c) ---- */

/* Fill a slot, whose device id is set, with the device's properties and capabilities, or with the reason why it is rejected.
 * *out_answered: false when the reason is that the driver did not answer. */
yoke_status yk_opencl_describe(yk_opencl_slot *slot, bool *out_answered);
/* Copy without the blanks and NULs that drivers leave around names. */
void yk_opencl_copy_trimmed(char *target, size_t size, const char *source);

/* ---- Errors (error.c) ---- */

/* The name of an OpenCL code, as "CL_INVALID_VALUE". */
const char *yk_opencl_code_name(cl_int code);
/* An OpenCL call failed: the status follows from the code. `format`, which may be NULL, describes the circumstances. */
YK_COLD yoke_status yk_opencl_fail(const char *call, cl_int code, const char *format, ...) YOKE_PRINTF(3, 4);
/* The same, with an explicit status. */
YK_COLD yoke_status yk_opencl_fail_as(yoke_status status, const char *call, cl_int code, const char *format, ...) YOKE_PRINTF(4, 5);
/* For releases, and other calls whose failure changes nothing: the log reports it. */
YK_COLD void yk_opencl_note_failure(const char *call, cl_int code);
static inline void yk_opencl_note(const char *call, cl_int code)
{
    if (YK_UNLIKELY(code != CL_SUCCESS))
        yk_opencl_note_failure(call, code);
}
/* Every release of a cl_mem, so that the count above is right. */
static inline void yk_opencl_release_memory(cl_mem handle)
{
    atomic_fetch_add(&yk_opencl_released, 1); /* first: no other object can have the handle yet */
    yk_opencl_note("clReleaseMemObject", yk_cl.clReleaseMemObject(handle));
}

/* A command that the driver had accepted failed, as `call` reported with `code`. */
YK_COLD yoke_status yk_opencl_fail_execution(const yoke_device *device, const char *call, cl_int code);

/* ---- The slots of backend.def ---- */

#define YK_SLOT(result, name, parameters) YK_DEFINED_HERE result yk_opencl_##name parameters;
#include "backend.def"

#endif
