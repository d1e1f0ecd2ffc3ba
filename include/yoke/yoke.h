/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yoke: GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver.
 *
 * This header is the contract. What holds for every function, unless its comment says otherwise:
 *
 *  - It returns a yoke_status: YOKE_OK (0), YOKE_PENDING (> 0), or a failure (< 0) with a record behind yoke_error().
 *  - It may be called from any thread, and from inside a host function. Calls on one object from several threads are safe.
 *  - A NULL object is YOKE_E_INVALID_ARGUMENT. Its record keeps the failure before it as its cause, so that a short program may
 * check once at its end. A released object is YOKE_E_INVALID_ARGUMENT until its memory serves another object, which the old handle
 * then names: a thread must not use an object that another thread may have released.
 *  - Out-parameters come last; they are set to NULL or 0 when the call fails. A function that fails has done nothing.
 *  - create, open, build and record give a reference that the caller releases; get borrows from its parent.
 *  - It never aborts, exits or prints (but see yoke_log_set), and leaves the thread's current CUDA context as it was. A driver that
 *    aborts, exits or prints in the middle of its work is beyond Yoke's reach; for one that does so when it is started, see
 *    yoke_device_open.
 *  - In a child that was forked from a process which had opened a device, or in which another thread was opening one, it is
 *    YOKE_E_FORKED; releasing there does nothing. A process that has only listed devices may fork and go on, also while other
 *    threads list or log.
 *  - It is no cancellation point: a thread that is cancelled (pthread_cancel) in it finishes the call first. Of functions that put
 *    work into a stream this holds as far as it does of the driver's own.
 *  - Device memory runs out as YOKE_E_OUT_OF_DEVICE_MEMORY, host memory as YOKE_E_OUT_OF_HOST_MEMORY, in any function that takes
 * some.
 *  - Sizes and offsets are bytes.
 *
 * Functions that put work into a stream are macros over functions whose names end in _at: the macro adds the caller's file and
 * line, a string constant, so that a failure that shows later can say where its work came from. Call the _at form from other
 * languages, with NULL or a string that lives as long as the program.
 *
 * Here are errors, devices, streams and events. This includes <yoke/memory.h>, for buffers and copies, and <yoke/program.h>, for
 * programs, kernels and launches. Beside it are <yoke/graph.h> for work that is recorded once and launched many times,
 * <yoke/types.h> for structs that host and kernels share, and <yoke/native.h> for the drivers' own handles.
 */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define YOKE_API __attribute__((visibility("default")))
#define YOKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define YOKE_API
#define YOKE_PRINTF(text, first)
#endif

/* In macros of these headers, for programs that want no casts of C in C++. */
#if defined(__cplusplus)
#define YOKE_CAST(type, value) static_cast<type>(value)
#define YOKE_NULL nullptr
#else
#define YOKE_CAST(type, value) ((type)(value))
#define YOKE_NULL NULL
#endif

#define YOKE_VERSION_MAJOR 0
#define YOKE_VERSION_MINOR 1
#define YOKE_VERSION_PATCH 0

/* The version of the library that is running, as "0.1.0". */
YOKE_API const char *yoke_version(void);

typedef struct yoke_device yoke_device;   /* an opened device with its context */
typedef struct yoke_stream yoke_stream;   /* an in-order queue of work on a device */
typedef struct yoke_event yoke_event;     /* a point in a stream */
typedef struct yoke_buffer yoke_buffer;   /* memory that a device works with: <yoke/memory.h> */
typedef struct yoke_program yoke_program; /* compiled code: <yoke/program.h> */
typedef struct yoke_kernel yoke_kernel;   /* an entry point of a program: <yoke/program.h> */

/* ---- Status ------------------------------------------------------------------------------------------------------------- */

/* X(name, value, meaning). The hundreds say what must be torn down: see yoke_status_group. */
#define YOKE_STATUS_LIST(X)                                                                                            \
    X(YOKE_OK, 0, "done")                                                                                              \
    X(YOKE_PENDING, 1, "not finished yet")                                                                             \
    X(YOKE_E_INVALID_ARGUMENT, -101, "an argument is not usable")                                                      \
    X(YOKE_E_RANGE, -102, "beyond the end of a buffer or a limit of the device")                                       \
    X(YOKE_E_KERNEL_ARGUMENT, -103, "a kernel argument does not fit the compiled kernel")                              \
    X(YOKE_E_NOT_FOUND, -104, "no such device, kernel or source")                                                      \
    X(YOKE_E_UNSUPPORTED, -105, "the driver or the device cannot do this")                                             \
    X(YOKE_E_DEADLOCK, -106, "the call would wait for itself")                                                         \
    X(YOKE_E_UNAVAILABLE, -201, "a driver or compiler is missing or refuses to start")                                 \
    X(YOKE_E_BUILD, -202, "the source does not compile: yoke_get_build_log() has the compiler's log")                  \
    X(YOKE_E_OUT_OF_DEVICE_MEMORY, -203, "the device's memory is exhausted")                                           \
    X(YOKE_E_OUT_OF_HOST_MEMORY, -204, "the host's memory or threads are exhausted")                                   \
    X(YOKE_E_DRIVER, -205, "a driver call failed")                                                                     \
    X(YOKE_E_FORKED, -206, "the driver was started before this process was forked: call exec, or start it after fork") \
    X(YOKE_E_EXECUTION, -301, "work on the device failed")                                                             \
    X(YOKE_E_HOST_FUNCTION, -302, "a host function failed")                                                            \
    X(YOKE_E_CANCELLED, -303, "the stream was cancelled or released before this could run")                            \
    X(YOKE_E_DEVICE_LOST, -401, "the device is gone for this process: restart it")

typedef int32_t yoke_status;

enum {
#define YOKE_STATUS_ENUM(name, value, meaning) name = value,
    YOKE_STATUS_LIST(YOKE_STATUS_ENUM)
#undef YOKE_STATUS_ENUM
};

/* What a status asks the caller to give up: nothing, the operation, the stream, or the device. */
enum { YOKE_GROUP_NONE = 0, YOKE_GROUP_CALLER = 1, YOKE_GROUP_OPERATION = 2, YOKE_GROUP_STREAM = 3, YOKE_GROUP_DEVICE = 4 };

/* The name of a status, as "YOKE_E_RANGE"; "unknown status" for a number that is none. Never NULL. */
YOKE_API const char *yoke_status_name(yoke_status status);

/* What a status means, in a few words. Never NULL. */
YOKE_API const char *yoke_status_meaning(yoke_status status);

/* The YOKE_GROUP_ of a status. A program's own negative codes count as YOKE_GROUP_STREAM: they come from host functions. */
YOKE_API int yoke_status_group(yoke_status status);

/* ---- Errors ------------------------------------------------------------------------------------------------------------- */

/* The record of a failure. Strings are never NULL; "" where there is nothing to say. */
typedef struct yoke_error_info {
    size_t size;              /* sizeof(yoke_error_info) in the running library */
    yoke_status status;       /* YOKE_OK: nothing has failed on this thread */
    int32_t driver_code;      /* the driver's own code, 0 when no driver call failed */
    const char *function;     /* the public function that failed, as "yoke_buffer_create" */
    const char *driver_call;  /* as "cuMemAlloc_v2" */
    const char *driver_name;  /* the name of driver_code, as "CUDA_ERROR_OUT_OF_MEMORY" */
    const char *where;        /* "file:line" that enqueued the failed work; of several that it may have been, the first */
    yoke_status cause_status; /* the failure before this one, when this one only says that an object is NULL */
    char text[768];           /* one line: what failed, why, what to do about it */
    char cause[768];          /* the text of the failure before */
} yoke_error_info;

/* The calling thread's last failure. Never NULL; valid until the thread's next failure. A call that succeeds leaves it alone. */
YOKE_API const yoke_error_info *yoke_error(void);

/* Forget the calling thread's last failure. */
YOKE_API void yoke_error_clear(void);

/* Set the calling thread's record to `status` and a printf-style text, and return `status`: how a host function says why it failed,
 * as in `return yoke_fail(YOKE_E_HOST_FUNCTION, "cannot write %s", path)`. A `status` that is not negative counts as
 * YOKE_E_HOST_FUNCTION. The last text of a host function is kept until the function returns or calls yoke_error_clear: it is the
 * reason of a failure also when another call has failed meanwhile, or the function returns another negative status. */
YOKE_API yoke_status yoke_fail(yoke_status status, const char *format, ...) YOKE_PRINTF(2, 3);

/* ---- Logging ------------------------------------------------------------------------------------------------------------- */

/* How much is logged. */
enum {
    YOKE_LOG_OFF = 0,     /* nothing */
    YOKE_LOG_ERROR = 1,   /* every call that fails, and every stream */
    YOKE_LOG_WARNING = 2, /* what works but should be looked at: a failure nobody asked for, a stream that stands still */
    YOKE_LOG_INFO = 3,    /* devices opened, programs built, what a driver lacks and what is done instead */
    YOKE_LOG_DEBUG = 4    /* streams, and the threads of Yoke */
};

/* Called by one thread at a time, any of them: it must not call Yoke. `text` is one line without its end, valid during the call. */
typedef void (*yoke_log_fn)(int level, const char *text, void *user);

/* Hand every message of this level (YOKE_LOG_) and more important ones to `fn`; NULL: back to what the environment orders.
 * YOKE_LOG=error, warning, info or debug writes them to stderr; without it nothing is written but what the watchdog tells, where
 * YOKE_WATCHDOG asks for that. When this returns, the function that was set before is no longer running. */
YOKE_API void yoke_log_set(int level, yoke_log_fn fn, void *user);

#define YOKE_TEXT_(x) #x
#define YOKE_TEXT(x) YOKE_TEXT_(x)
#define YOKE_HERE __FILE__ ":" YOKE_TEXT(__LINE__)

/* ---- Devices ------------------------------------------------------------------------------------------------------------ */

/* Kinds of devices. */
enum { YOKE_DEVICE_GPU = 1, YOKE_DEVICE_ACCELERATOR = 2, YOKE_DEVICE_CPU = 3, YOKE_DEVICE_EMULATOR = 4 };

/* What a device can do beyond what every device can. */
enum {
    YOKE_CAP_FP64 = 0,          /* double in kernels */
    YOKE_CAP_INT64_ATOMICS = 1, /* 64-bit atomics in kernels */
    YOKE_CAP_SIGNATURE = 2,     /* the number and widths of a kernel's parameters are known, and launches are checked against them;
                                 * of SPIR-V and a driver's own binaries only the number, unless the driver tells more */
    YOKE_CAP_TIMING = 3,        /* timed events */
    YOKE_CAP_EXACT_FP32 = 4, /* float division and square root are correctly rounded, and subnormals kept, unless YOKE_MATH_FAST */
    YOKE_CAP_MAPPED = 5,     /* buffers of YOKE_MEMORY_MAPPED */
    YOKE_CAP_MANAGED = 6,    /* buffers of YOKE_MEMORY_MANAGED */
    YOKE_CAP_PROGRAM_BINARIES = 7, /* programs can be saved, kept in the cache, and loaded again */
    YOKE_CAP_SPIRV = 8,            /* SPIR-V can be loaded */
    YOKE_CAP_GLOBALS = 9,          /* yoke_program_get_global */
    YOKE_CAP_COOPERATIVE = 10,     /* yoke_launch_cooperative */
    YOKE_CAP_GRAPHS = 11,          /* the driver itself replays graphs; without it Yoke does, which costs as much as enqueueing */
    YOKE_CAP_COUNT = 12
};

/* What a device is. The caller sets `size` (YOKE_DEVICE_INFO_INIT) and gets as many fields as it knows. */
typedef struct yoke_device_info {
    size_t size;                /* sizeof(yoke_device_info) */
    char selector[32];          /* opens this device again, as "cuda:0" */
    char backend[16];           /* "cuda" or "opencl" */
    char name[128];             /* as the driver has it */
    char vendor[64];            /* the same */
    char platform[64];          /* the OpenCL platform, or "NVIDIA CUDA" */
    char driver[64];            /* driver version */
    char pci[16];               /* "0000:17:00.0", or "" */
    char uuid[40];              /* "68b8d1d4-5525-541e-965b-bc69d86e3b6f", or "" */
    int32_t index;              /* among its backend's devices, in PCI order */
    int32_t kind;               /* YOKE_DEVICE_ */
    uint32_t capabilities;      /* bit YOKE_CAP_x is set when the device has it */
    uint32_t compute_units;     /* multiprocessors or cores */
    uint64_t memory;            /* bytes of device memory */
    uint64_t max_buffer;        /* bytes of the largest single buffer */
    uint64_t max_shared_bytes;  /* bytes of shared (local) memory of one block */
    uint64_t max_grid[3];       /* blocks */
    uint64_t max_block[3];      /* threads per block in each dimension */
    uint64_t max_block_threads; /* threads per block in all */
    uint64_t view_alignment; /* a view whose offset is a multiple of this can be a kernel argument; another one only if the driver
                                takes it, else its launch is YOKE_E_KERNEL_ARGUMENT */
} yoke_device_info;

#define YOKE_DEVICE_INFO_INIT                                                                                         \
    {                                                                                                                 \
        sizeof(yoke_device_info), "", "", "", "", "", "", "", "", 0, 0, 0, 0, 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0 \
    }

/* How many devices there are through all backends, or through the one that YOKE_BACKEND orders.
 * Each backend's drivers are asked in a child process, unless this process has opened a device of that backend. So a later fork
 * stays safe, and a driver that crashes, ends its process or hangs does no harm. The child is killed after 20 seconds. A program
 * that reaps every child itself may reap this one, too. A backend that does not answer has no devices, and yoke_device_get_report
 * says why. One broken OpenCL driver takes all OpenCL devices with it, because the OpenCL loader starts all drivers of a process or
 * none. Then each OpenCL driver is asked in a child of its own, for 20 seconds at most; the report names the drivers that are
 * broken, what they did, and the variables of the environment that start only a driver that works. A backend whose driver another
 * thread is starting in this process is waited for, 20 seconds at most. The thread cannot be cancelled (pthread_cancel) during this
 * call, yoke_device_list and yoke_device_open. YOKE_E_INVALID_ARGUMENT: YOKE_BACKEND names no backend. YOKE_E_OUT_OF_HOST_MEMORY:
 * the child cannot be started, or it had no file descriptors left to open a driver with. */
YOKE_API yoke_status yoke_device_count(size_t *out_count);

/* List those devices, best first. `infos`: `capacity` structs, each with its size set, or NULL when capacity is 0. At most
 * `capacity` are filled; `out_count` is how many there are. Statuses as yoke_device_count. yoke_device_get_report tells of drivers
 * that are missing. */
YOKE_API yoke_status yoke_device_list(yoke_device_info *infos, size_t capacity, size_t *out_count);

/* Open a device.
 * `selector`: "cuda", "opencl", "cuda:0", "opencl:1", "opencl:gpu" (or accelerator, cpu, emulator), "uuid:…", "pci:0000:17:00.0",
 * "name~H200" (part of the name, any case); or NULL: what the environment's YOKE_DEVICE (such a selector) orders, else the best
 * device of the backend that YOKE_BACKEND orders, else the best there is: CUDA, then OpenCL GPU, accelerator, CPU, emulator. A
 * selector that names no backend looks only at the one that YOKE_BACKEND orders, when it does. An order that cannot be obeyed is an
 * error and never falls back. yoke_device_get_report says what was tried.
 * Before drivers are started in this process, a child process asks them, as in yoke_device_count, and a backend whose drivers
 * crash, end the child or hang is passed over as one that is missing. That the drivers have answered is remembered in the cache's
 * folder (YOKE_CACHE): as long as the drivers, the libraries that they load, the environment that chooses them and the running
 * system stay the same, no child is asked again. So a driver that begins to crash or hang without such a change does it in this
 * process. Nor is a child asked when none can be started, when other code of the process has started an OpenCL driver, or with
 * YOKE_TRUST_DRIVERS=1.
 * YOKE_E_INVALID_ARGUMENT: the selector or variable is malformed. YOKE_E_NOT_FOUND: no such device. YOKE_E_UNAVAILABLE: the driver
 * is missing, refuses to start, has crashed or not answered the child in 20 seconds, or another thread has been starting it for 20
 * seconds. */
YOKE_API yoke_status yoke_device_open(const char *selector, yoke_device **out_device);

/* Take another reference, which yoke_device_release gives back. NULL for NULL. */
YOKE_API yoke_device *yoke_device_retain(yoke_device *device);
/* Give back a reference. Streams, buffers and programs of the device keep it alive. With the last of all these the device closes:
 * before this call returns where nothing is under way, else on a thread of Yoke's once the work has ended, which no release waits
 * for. Only where the system has no thread left does the release wait, and the log says so. A process may end meanwhile. NULL does
 * nothing, as in every release. */
YOKE_API void yoke_device_release(yoke_device *device);

/* Describe an opened device. The caller sets out_info->size. YOKE_E_INVALID_ARGUMENT: size is 0 or smaller than the selector's end.
 */
YOKE_API yoke_status yoke_device_get_info(const yoke_device *device, yoke_device_info *out_info);

/* NULL when the device has capability YOKE_CAP_x, else the reason why not, in words. Lives as long as the device. */
YOKE_API const char *yoke_device_lacks(const yoke_device *device, int capability);

/* 1 when the device has capability YOKE_CAP_x, else 0; then yoke_device_lacks says why not. 0 for NULL and for other numbers. */
YOKE_API int yoke_device_supports(const yoke_device *device, int capability);

/* What the calling thread's last yoke_device_open, _list or _count tried: one line a candidate, with the reason where it was
 * rejected. Never NULL; valid until the thread's next such call. */
YOKE_API const char *yoke_device_get_report(void);

/* ---- Streams and host functions ----------------------------------------------------------------------------------------- */

/* Flags of a stream. */
enum {
    YOKE_STREAM_TIMED = 1,            /* its events can be timed (costs some drivers a little per operation) */
    YOKE_STREAM_PENDING_WHEN_FULL = 2 /* an enqueue beyond its depth is YOKE_PENDING and has done nothing, instead of waiting */
};

/* How threads wait for a stream's work, its own worker included. */
enum {
    YOKE_WAIT_AUTO = 0, /* a stream: as its device says. A device: look again and again for 50 us, then sleep */
    YOKE_WAIT_SPIN = 1, /* look all the time: the shortest wait, for a whole core */
    YOKE_WAIT_BLOCK = 2 /* sleep at once: a twentieth of a core at most for all that wait, some tens of microseconds later */
};

/* What yoke_stream_create_with makes. */
typedef struct yoke_stream_desc {
    size_t size;      /* YOKE_STREAM_DESC_INIT; 0 means the struct as it was in version 0.1 */
    uint32_t flags;   /* YOKE_STREAM_ bits */
    int32_t wait;     /* YOKE_WAIT_ */
    uint32_t depth;   /* the most operations that may be unfinished, see below; 0: any number */
    const char *name; /* for messages, as "upload", of which at most 31 bytes are kept; NULL: a number */
} yoke_stream_desc;

#define YOKE_STREAM_DESC_INIT                   \
    {                                           \
        sizeof(yoke_stream_desc), 0, 0, 0, NULL \
    }

/* Create an in-order stream: each operation starts when the one before it has finished and its effects are visible. Streams are
 * independent of each other and of any default stream of the driver. */
YOKE_API yoke_status yoke_stream_create(yoke_device *device, yoke_stream **out_stream);

/* The same, with flags; `desc` may be NULL.
 * A stream with a `depth` is bounded: of all that was enqueued at most so many operations are unfinished, those that Yoke holds
 * behind a host function and those that the driver has been given together. An enqueue beyond that waits until one has finished,
 * or, with YOKE_STREAM_PENDING_WHEN_FULL, returns YOKE_PENDING and has done nothing; the _sync calls always wait. So the memory
 * that the stream takes is bounded, and when it is cancelled no more than `depth` operations still run. The launch of a graph
 * counts as one operation until it runs; an event counts while it is held. A call that Yoke carries out by several operations
 * counts as one before it and as all of them behind it. What the stream's own host functions enqueue in it does not wait, and
 * counts. Each enqueue takes a lock, some tens of nanoseconds. YOKE_E_UNSUPPORTED: YOKE_STREAM_TIMED on a device without
 * YOKE_CAP_TIMING. YOKE_E_INVALID_ARGUMENT: unknown flags or way to wait, or YOKE_STREAM_PENDING_WHEN_FULL without a depth. */
YOKE_API yoke_status yoke_stream_create_with(yoke_device *device, const yoke_stream_desc *desc, yoke_stream **out_stream);

/* Take another reference, which yoke_stream_release gives back. NULL for NULL. */
YOKE_API yoke_stream *yoke_stream_retain(yoke_stream *stream);
/* Give back a reference. With the last one the stream is torn down: what the driver has already been given still runs, and so do
 * copies that Yoke carries; host functions that have not started are called with YOKE_E_CANCELLED, and what was enqueued behind
 * them does not run. Does not wait for any of that, nor where the stream is the last of its device (see yoke_device_release). To
 * let everything run, call yoke_stream_wait first. */
YOKE_API void yoke_stream_release(yoke_stream *stream);

/* The stream's device, borrowed. NULL for a NULL stream. */
YOKE_API yoke_device *yoke_stream_get_device(const yoke_stream *stream);

/* Wait until everything that was in the stream at the call has finished.
 * Returns the stream's first failure, whatever its code: YOKE_E_EXECUTION, a host function's status, YOKE_E_DEVICE_LOST. A stream
 * that has failed stays failed until yoke_stream_recover: what is enqueued later fails at once with the same record.
 * YOKE_E_DEADLOCK: called from a host function of this stream. */
YOKE_API yoke_status yoke_stream_wait(yoke_stream *stream);

/* Start nothing further of this stream: it fails with YOKE_E_CANCELLED. What the driver has already been given, and a host function
 * that has started, still run to their end; host functions that have not started are called with YOKE_E_CANCELLED. Does not wait.
 * A stream that has failed already stays as it is, which is no error. */
YOKE_API yoke_status yoke_stream_cancel(yoke_stream *stream);

/* Make a stream that has failed usable again: wait until what it still had has run or been skipped, and forget the failure. Events
 * recorded before keep theirs. Nothing happens to a stream that has not failed. YOKE_E_DEVICE_LOST: the device is gone, and with it
 * all of its streams. YOKE_E_DEADLOCK: called from a host function of this stream. Or the driver's failure when it gives no new
 * queue; the stream then stays failed. */
YOKE_API yoke_status yoke_stream_recover(yoke_stream *stream);

/* How the device's streams with YOKE_WAIT_AUTO wait from now on. YOKE_E_INVALID_ARGUMENT: no YOKE_WAIT_ value. */
YOKE_API yoke_status yoke_device_set_wait(yoke_device *device, int32_t wait);

/* A host function. `status`: YOKE_OK, or why the work before it did not succeed (yoke_error() then holds the record). Returns a
 * negative status to fail the stream; any other means success. */
typedef yoke_status (*yoke_host_fn)(yoke_status status, void *user);
/* Called once with `user` when nothing needs it any more. */
typedef void (*yoke_release_fn)(void *user);

/* Run fn(status, user) on the host in the stream's order: it starts when everything before it has finished and its effects are
 * visible to the host; nothing behind it starts before it returns, and what it wrote is visible to what follows. If this call
 * fails, neither `fn` nor `release` is ever called. Otherwise fn is called exactly once, whatever happens, and then release(user)
 * once, unless release is NULL. Both run on a thread of Yoke's, never on the driver's or the caller's. They may block and may call
 * any Yoke function; waiting for their own stream is YOKE_E_DEADLOCK. Host functions of different streams never wait for each
 * other. When fn returns a negative status the stream fails with it, and with the last text that fn gave to yoke_fail, if any.
 * fn has to return: pthread_exit in it, a longjmp or an exception out of it, or the cancellation of its thread leave the stream
 * standing for good. The thread blocks all signals, and so does a program that fn starts: doc/host-functions.md has the remedy.
 * What stands behind a function that has not returned is kept in host memory, about 144 to 370 bytes for each operation, without a
 * bound unless the stream has a depth: a program that enqueues faster than its functions run grows, until it waits.
 * YOKE_E_INVALID_ARGUMENT: fn is NULL. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started. Or the stream's failure, when it has
 * failed. */
#define yoke_host_call(...) yoke_host_call_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_host_call_at(const char *where, yoke_stream *stream, yoke_host_fn fn, void *user,
                                       yoke_release_fn release);

/* What follows in the stream waits for the event, which may belong to any stream of any device of any backend. If what the event
 * stands for failed, this stream fails with the same record. YOKE_E_DEADLOCK is not reported here: an event always stands for work
 * that was enqueued before, so streams cannot wait in a circle. */
#define yoke_stream_wait_event(...) yoke_stream_wait_event_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_stream_wait_event_at(const char *where, yoke_stream *stream, yoke_event *event);

/* ---- Events ------------------------------------------------------------------------------------------------------------- */

enum { YOKE_EVENT_TIMED = 1 }; /* the event carries a device time stamp */

/* Mark the present end of the stream: the event settles when everything before it has finished or failed.
 * `flags`: 0 or YOKE_EVENT_TIMED. YOKE_E_INVALID_ARGUMENT: unknown flags, or YOKE_EVENT_TIMED on a stream without
 * YOKE_STREAM_TIMED. */
#define yoke_event_record(...) yoke_event_record_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_event_record_at(const char *where, yoke_stream *stream, uint32_t flags, yoke_event **out_event);

/* Take another reference, or give one back. */
YOKE_API yoke_event *yoke_event_retain(yoke_event *event);
YOKE_API void yoke_event_release(yoke_event *event);

/* How the work before the event stands. YOKE_OK: settled, all well. YOKE_PENDING: not yet. Negative: the failure of the work before
 * the event. Never blocks. */
YOKE_API yoke_status yoke_event_query(yoke_event *event);

/* Wait until the event has settled, in the way of its stream (YOKE_WAIT_). Returns as yoke_event_query, never YOKE_PENDING.
 * YOKE_E_DEADLOCK: called from a host function that stands before the event in its own stream. */
YOKE_API yoke_status yoke_event_wait(yoke_event *event);

#define YOKE_FOREVER UINT64_MAX /* nanoseconds */

/* The same for at most so many nanoseconds, or YOKE_FOREVER. YOKE_PENDING: they have passed. With 0 it only asks. */
YOKE_API yoke_status yoke_event_wait_for(yoke_event *event, uint64_t nanoseconds);

/* Wait for at most so many nanoseconds until any of `count` events has settled, and return what yoke_event_query says of it, with
 * its place in `out_index`; of several the first. YOKE_PENDING: the time has passed, and out_index is `count`.
 * YOKE_E_INVALID_ARGUMENT: count is 0, or one of the events is NULL or released. YOKE_E_DEADLOCK: all of them stand behind the host
 * function that waits. */
YOKE_API yoke_status yoke_event_wait_any(yoke_event *const *events, size_t count, uint64_t nanoseconds, size_t *out_index);

/* Called once when an event has settled; `status` as yoke_event_query, and yoke_error() holds the record of a failure. */
typedef void (*yoke_complete_fn)(yoke_status status, void *user);

/* Call fn(status, user) once when the event has settled, and then release(user) once, unless release is NULL. It does not hold the
 * stream: what follows the event goes on meanwhile. Like host functions it runs on a thread of Yoke's, may block and call anything,
 * and has to return. Each takes a thread while it runs, so that none waits for another as long as the system has threads; several
 * of one stream may run at once and in any order. If this call fails, neither is ever called.
 * YOKE_E_INVALID_ARGUMENT: fn is NULL. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started. */
YOKE_API yoke_status yoke_event_on_complete(yoke_event *event, yoke_complete_fn fn, void *user, yoke_release_fn release);

/* A file descriptor that becomes readable, and stays so until it is read, when the event has settled: for poll, epoll, libuv,
 * asyncio. The caller owns it and closes it when he likes; ask yoke_event_query how the work ended. Each call gives another one;
 * out_fd is -1 when the call fails. YOKE_E_OUT_OF_HOST_MEMORY: no descriptor or thread is to be had. */
YOKE_API yoke_status yoke_event_get_fd(yoke_event *event, int *out_fd);

/* Nanoseconds on the device's clock between two timed events of one device. YOKE_PENDING: one has not settled yet.
 * YOKE_E_INVALID_ARGUMENT: one is not timed, or they belong to different devices. Or the failure of one of them. */
YOKE_API yoke_status yoke_event_get_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds);

#ifdef __cplusplus
}
#endif

#include <yoke/memory.h>

#include <yoke/program.h>

#endif
