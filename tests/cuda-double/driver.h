/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the double's driver half share. Every call enters by double_enter, which knows what the driver refuses at all:
 * before cuInit, after fork, inside a host function, after a kernel's fault. The locks are many and small on purpose: one for all
 * would order what Yoke has to order, and hide its races from the thread sanitizer.
 */
#ifndef DOUBLE_DRIVER_H
#define DOUBLE_DRIVER_H

#include "double.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define DOUBLE_API __attribute__((visibility("default")))

/* The functions that Yoke uses; then those that only its tests call. A definition that differs does not compile. */
#define YK_CUDA_SYMBOL(need, name, parameters, ...) DOUBLE_API yk_CUresult name parameters;
#include "../../backends/cuda/symbols.def"

DOUBLE_API yk_CUresult cuCtxCreate_v2(yk_CUcontext *out_context, unsigned int flags, yk_CUdevice ordinal);
DOUBLE_API yk_CUresult cuCtxDestroy_v2(yk_CUcontext context);
DOUBLE_API yk_CUresult cuCtxGetCurrent(yk_CUcontext *out_context);
DOUBLE_API yk_CUresult cuCtxSetCurrent(yk_CUcontext context);
DOUBLE_API yk_CUresult cuCtxSynchronize(void);
DOUBLE_API yk_CUresult cuStreamGetPriority(yk_CUstream stream, int *out_priority);
DOUBLE_API yk_CUresult cuMemcpyHtoD_v2(yk_CUdeviceptr target, const void *source, size_t size);
DOUBLE_API yk_CUresult cuMemcpyDtoH_v2(void *target, yk_CUdeviceptr source, size_t size);

/* ---- What every call asks first (driver.c) ---- */

enum {
    DOUBLE_START = 0,  /* cuInit has been called, and no fork */
    DOUBLE_USABLE = 1, /* and no kernel has failed */
    DOUBLE_CONTEXT = 2 /* and the thread has a current context */
};

yk_CUresult double_enter(int need);
#define ENTER(need)                               \
    do {                                          \
        yk_CUresult refused = double_enter(need); \
        if (refused != YK_CUDA_SUCCESS)           \
            return refused;                       \
    } while (0)

/* The code of the first kernel that failed, for ever; CUDA_SUCCESS until then. */
yk_CUresult double_lost(void);
void double_lose(yk_CUresult result);
extern _Thread_local bool double_inside_function; /* on the thread of the host functions */

/* What the environment orders; it is read once. */
typedef struct double_settings {
    int devices;
    bool peers;
    unsigned channels;
    double clock; /* percent of the host's rate */
    size_t memory; /* of each device */
} double_settings;
const double_settings *double_settings_get(void);
/* The double's own rules are broken, by the program or by itself: say it and abort. */
_Noreturn void double_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- Devices and contexts (context.c) ---- */

struct CUctx_st {
    int ordinal;
    atomic_uint retained; /* 0: gone, or not there yet */
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t changed;
    yk_CUstream streams;
    uint64_t legacy; /* the id of the legacy default stream; 0: not used yet */
    unsigned stream_count; /* with those that are destroyed and still work */
};

yk_CUcontext double_current(void);
bool double_context_alive(yk_CUcontext context);

/* ---- Streams (stream.c, host.c) ---- */

/* Something a stream does. `run`, which may be NULL, is left out once a kernel has failed; `end` is always called behind it, and
 * frees it. */
typedef struct double_op {
    struct double_op *next;
    uint64_t number; /* of all operations of all streams, in the order of the calls */
    yk_CUresult (*run)(struct double_op *op);
    void (*end)(struct double_op *op);
} double_op;

struct CUstream_st {
    yk_CUcontext context;
    uint64_t id; /* of no other stream, ever */
    int priority;
    yk_CUstream next;
    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t given_more, finished_more;
    double_op *first, *last;
    uint64_t given, finished;
    bool closing;
    yk_CUgraph captured; /* what follows is the capturing thread's */
    yk_CUgraphNode capture_last;
    bool capture_failed;
};

/* A new operation of so many bytes, whose first member is a double_op; NULL without memory. */
void *double_op_new(size_t size, yk_CUresult (*run)(double_op *op), void (*end)(double_op *op));
/* NULL, and the names of the default streams, are refused: Yoke must never use those. So is a stream that is captured, and its
 * capture has failed; but the second takes it, for work that can be captured. */
yk_CUresult double_stream_check(yk_CUstream stream);
yk_CUresult double_stream_check_for_work(yk_CUstream stream);
/* For the few calls by which other code's queues are tested: a default stream's name becomes a stream of the current context. It
 * is not ordered with blocking streams, of which there are none. */
yk_CUresult double_stream_named(yk_CUstream *stream);
/* The place of the operation in the stream. */
uint64_t double_stream_give(yk_CUstream stream, double_op *op);
yk_CUresult double_stream_wait(yk_CUstream stream, uint64_t place);
void double_context_wait(yk_CUcontext context);
void double_context_end_streams(yk_CUcontext context);

/* A stream that waits on the device has one of the few hardware channels for itself. */
typedef struct double_parking {
    uint64_t number;
    struct double_parking *next;
} double_parking;

void double_park(double_parking *parking, uint64_t number);
void double_unpark(double_parking *parking);
/* Before an operation starts: while waits that were given before it have all channels, it stalls. */
void double_channel_wait(uint64_t number);
void double_channels_wake(void);
/* While a host function runs, some calls stall. */
void double_function_stall(void);

/* ---- Events (event.c) ---- */

/* What one record of an event stands for. Waits keep hold of it: recording the event again changes nothing for them. */
typedef struct double_marker {
    atomic_uint references;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    int64_t nanoseconds;
} double_marker;

double_marker *double_marker_new(void);
double_marker *double_marker_retain(double_marker *marker);
void double_marker_release(double_marker *marker);
void double_marker_set(double_marker *marker);
bool double_marker_is_done(double_marker *marker, int64_t *out_nanoseconds);
/* Stands still until it is done. `op`: the operation of a stream that waits so, or NULL. */
void double_marker_wait(double_marker *marker, const double_op *op);
/* One that is done when all is that the stream has been given until now; NULL without memory. */
double_marker *double_stream_mark(yk_CUstream stream);

/* ---- Memory (memory.c, pool.c) ---- */

typedef enum double_kind {
    DOUBLE_DEVICE,
    DOUBLE_MANAGED,
    DOUBLE_HOST,
    DOUBLE_REGISTERED,
    DOUBLE_POOLED,
    DOUBLE_GLOBAL
} double_kind;

typedef struct double_range {
    uintptr_t base;
    size_t size;     /* that the program asked for */
    size_t capacity; /* that it can be accessed in */
    double_kind kind;
    yk_CUcontext context;
    void *mapping; /* with a page at each end that nobody may touch; NULL where the memory is another's */
    size_t mapped;
    struct double_block *block; /* of a pool */
    yk_CUmodule module;         /* of a global */
    bool given;                 /* to the program: set by the call that allocates */
    bool open;                  /* may be accessed: for memory of pools set in the order of the stream */
} double_range;

/* Below the lock of ranges; a copy holds it for reading while it works. */
void double_ranges_read(void);
void double_ranges_write(void);
void double_ranges_unlock(void);
/* The range with this address in it, or NULL. Below the lock. */
double_range *double_range_find(uintptr_t address);
/* The first range that has any of these bytes, or NULL. */
double_range *double_range_within(uintptr_t address, size_t size);
/* Any range that `which` is true of, or NULL. */
double_range *double_range_next(bool (*which)(const double_range *range, const void *whose), const void *whose);
bool double_range_add(double_range *range);
void double_range_remove(double_range *range);
/* Pages for a range, not yet in the list. `flush`: its end lies before the page that nobody may touch. */
bool double_range_map(double_range *range, size_t size, bool flush);
void double_range_unmap(double_range *range);
void double_range_poison(double_range *range);

/* The device's memory, by accounting. */
bool double_account(int ordinal, size_t size);
void double_unaccount(int ordinal, size_t size);

/* At the call: memory that the device can reach, all of it in one piece. */
yk_CUresult double_reachable(uintptr_t address, size_t size);
/* In the stream, below the lock: is it still, or already, there? */
bool double_accessible(uintptr_t address, size_t size);
/* CUDA_ERROR_INVALID_VALUE: pinned only in part. */
yk_CUresult double_host_kind(const void *host, size_t size, bool *out_pinned);
void double_context_end_memory(yk_CUcontext context);
void double_module_end_memory(yk_CUmodule module);
yk_CUresult double_global_add(yk_CUmodule module, yk_CUcontext context, void *address, size_t size);

/* The host has synchronized with a stream, or with all (0): the pool notices what it freed, and what exceeds the threshold goes. */
void double_pools_settle(int ordinal, uint64_t stream);
void double_pools_end(int ordinal);
/* cuMemFree. False: the address is not that of an allocation of a pool. */
bool double_pool_take_back(uintptr_t address);

/* ---- Work of streams and graphs (work.c, launch.c) ---- */

typedef struct double_fill {
    uintptr_t target;
    size_t pitch, width, height; /* bytes, elements, rows */
    uint32_t value;
    unsigned unit;
} double_fill;

typedef struct double_work {
    enum { DOUBLE_KERNEL, DOUBLE_COPY, DOUBLE_FILL, DOUBLE_NOTHING } kind;
    double_function *function;
    double_grid grid;
    yk_CUDA_MEMCPY3D copy;
    double_fill fill;
    void *owned; /* a kernel's parameters, a copy's staged bytes */
    size_t owned_size;
} double_work;

/* Check what is asked for and put it into `out`. */
yk_CUresult double_work_kernel(double_work *out, double_function *function, const double_grid *grid, void **parameters);
yk_CUresult double_work_copy(double_work *out, const yk_CUDA_MEMCPY3D *copy);
/* A side that is an array, as the memory that it is. */
yk_CUresult double_array_side(const yk_CUDA_MEMCPY3D *copy, yk_CUcopySide *side);
yk_CUresult double_work_fill(double_work *out, const double_fill *fill);
bool double_work_clone(double_work *out, const double_work *work);
void double_work_free(double_work *work);
yk_CUresult double_work_run(const double_work *work);
/* Give it to the stream, which frees it, also when that fails. `wait`: until it is done. */
yk_CUresult double_work_give(yk_CUstream stream, double_work *work, bool wait);

/* A node with this work, which is taken over, also on failure (graph.c). */
yk_CUresult double_graph_add(yk_CUgraphNode *out_node, yk_CUgraph graph, const yk_CUgraphNode *after, size_t count,
                             double_work *work);

/* ---- Capturing (capture.c) ---- */

/* CUDA_SUCCESS where the stream is not captured, or is by this thread and well. */
yk_CUresult double_capture_check(yk_CUstream stream);
/* The same, but a capture fails. */
yk_CUresult double_capture_refuse(yk_CUstream stream);
/* For what a thread may not do while it captures: its capture fails. */
yk_CUresult double_capture_forbid(void);
#define MAY_NOT_CAPTURE                                  \
    do {                                                 \
        yk_CUresult forbidden = double_capture_forbid(); \
        if (forbidden != YK_CUDA_SUCCESS)                \
            return forbidden;                            \
    } while (0)
/* Work for a stream that is captured; it is taken over. */
yk_CUresult double_capture_work(yk_CUstream stream, double_work *work);

#endif
