/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Yoke: GPU computing in C, the same on NVIDIA's CUDA driver and on any OpenCL driver.
 *
 * This header is the contract. The rules for every function, unless its comment says otherwise:
 *
 *  - The function returns a yoke_status: YOKE_OK (0), YOKE_PENDING (> 0), or a failure (< 0), whose record yoke_error() returns.
 *  - Any thread may call it, and so may a host function. Calls on one object from several threads are safe.
 *  - A NULL object is YOKE_E_INVALID_ARGUMENT. The record keeps the previous failure as the cause, so that a short program may
 *    check once, at its end. A released object is YOKE_E_INVALID_ARGUMENT until its memory is reused for another object, which the
 *    old handle then names: a thread must not use an object that another thread may have released.
 *  - Out-parameters come last; they are set to NULL or 0 when the call fails. A call that fails has no effect.
 *  - create, open, build and record return a reference that the caller releases; get returns a borrowed object, which lives as long
 *    as its parent.
 *  - The function never aborts, exits or prints (except as yoke_log_set describes), and leaves the thread's current CUDA context
 *    unchanged. Yoke cannot contain a driver that aborts, exits or prints in the middle of its work; yoke_device_open describes
 *    what happens when a driver does so while it starts.
 *  - In a child forked from a process that had opened a device, or in which another thread was opening a device, the call fails
 *    with YOKE_E_FORKED; releases there do nothing. A process that has only listed devices may fork and continue, even while
 *    other threads list devices or log.
 *  - The function is not a cancellation point: a thread that is cancelled (pthread_cancel) during a call finishes the call first.
 *    Functions that enqueue work keep this promise only as far as the driver's functions do.
 *  - A function that allocates memory may fail with YOKE_E_OUT_OF_DEVICE_MEMORY or YOKE_E_OUT_OF_HOST_MEMORY.
 *  - Sizes and offsets are in bytes. The type of an enum's constants, as yoke_wait_mode, is an integer of 32 bits.
 *  - Structs may grow in one of three ways, which the comment of each names. A struct that begins with `size` gets new members at
 *    its end. Its _INIT macro sets the size; 0 stands for the struct of version 0.1, and any other size for the members that lie
 *    within it: the library takes the others as the macro sets them, and fills only those that it and the program know, and leaves
 *    `size` as it is. Words that are reserved have to be 0, which is checked, until a later version gives them a meaning: zero
 *    such a struct, or use an initializer. A final struct stays as it is.
 *
 * Each function that enqueues work is a macro over a function whose name ends in _at. The macro adds the caller's file and line, a
 * string constant, so that a failure that is reported later names the line that enqueued the work. Other languages, C++ wrappers
 * and function pointers use the _at form, with NULL or with a string that lives as long as the program.
 *
 * This header declares errors, devices, streams and events. It includes <yoke/memory.h> for buffers and copies,
 * <yoke/image.h> for images, and <yoke/program.h> for programs, kernels and launches. Not included: <yoke/graph.h> for work that is
 * recorded once and launched many times, <yoke/types.h> for structs that host and kernels share, <yoke/native.h> for the drivers'
 * own handles, <yoke/library.h> for libraries on top of Yoke, <yoke/check.h> for small programs that end when a call fails, and
 * <yoke/yoke.hpp> for C++.
 */
#ifndef YOKE_YOKE_H
#define YOKE_YOKE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32) && defined(YOKE_EXPORTS) /* while Yoke itself is compiled; a program needs no such word */
#define YOKE_API __declspec(dllexport)
#elif defined(_WIN32) || !defined(__GNUC__)
#define YOKE_API
#else
#define YOKE_API __attribute__((visibility("default")))
#endif

#if defined(__MINGW32__)
#define YOKE_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define YOKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define YOKE_PRINTF(text, first)
#endif

/* For the macros of these headers: a C++ program may forbid casts in the style of C. */
#if defined(__cplusplus)
#define YOKE_CAST(type, value) static_cast<type>(value)
#define YOKE_NULL nullptr
#else
#define YOKE_CAST(type, value) ((type)(value))
#define YOKE_NULL NULL
#endif

/* ---- Version and objects ------------------------------------------------------------------------------------------------ */

#define YOKE_VERSION_MAJOR 0
#define YOKE_VERSION_MINOR 1
#define YOKE_VERSION_PATCH 0

/* The version of the library that is running, as "0.1.0". */
YOKE_API const char *yoke_version(void);

typedef struct yoke_device yoke_device;   /* an open device and its context */
typedef struct yoke_stream yoke_stream;   /* an in-order queue of work on a device */
typedef struct yoke_event yoke_event;     /* a point in a stream */
typedef struct yoke_buffer yoke_buffer;   /* memory that a device can access: <yoke/memory.h> */
typedef struct yoke_image yoke_image;     /* texels that kernels sample and write: <yoke/image.h> */
typedef struct yoke_program yoke_program; /* compiled code: <yoke/program.h> */
typedef struct yoke_kernel yoke_kernel;   /* an entry point of a program: <yoke/program.h> */

/* ---- Status ------------------------------------------------------------------------------------------------------------- */

/* X(name, value, meaning). The hundreds digit is the group: see yoke_status_group. */
#define YOKE_STATUS_LIST(X)                                                                                            \
    X(YOKE_OK, 0, "done")                                                                                              \
    X(YOKE_PENDING, 1, "not finished yet")                                                                             \
    X(YOKE_E_INVALID_ARGUMENT, -101, "an argument is invalid")                                                         \
    X(YOKE_E_RANGE, -102, "outside a buffer, or beyond a limit or the last index")                                     \
    X(YOKE_E_KERNEL_ARGUMENT, -103, "a kernel argument does not match the compiled kernel")                            \
    X(YOKE_E_NOT_FOUND, -104, "no such device, kernel or source")                                                      \
    X(YOKE_E_UNSUPPORTED, -105, "the driver or the device cannot do this")                                             \
    X(YOKE_E_DEADLOCK, -106, "the call would wait for itself")                                                         \
    X(YOKE_E_UNAVAILABLE, -201, "a driver or compiler is missing or refuses to start")                                 \
    X(YOKE_E_BUILD, -202, "the source does not compile: yoke_program_get_build_log() has the compiler's log")          \
    X(YOKE_E_OUT_OF_DEVICE_MEMORY, -203, "the device's memory is exhausted")                                           \
    X(YOKE_E_OUT_OF_HOST_MEMORY, -204, "the host's memory or its limit of threads is exhausted")                       \
    X(YOKE_E_DRIVER, -205, "a driver call failed")                                                                     \
    X(YOKE_E_FORKED, -206, "the driver was started before this process was forked: call exec, or start it after fork") \
    X(YOKE_E_EXECUTION, -301, "work on the device failed")                                                             \
    X(YOKE_E_HOST_FUNCTION, -302, "a host function failed")                                                            \
    X(YOKE_E_CANCELLED, -303, "the stream was cancelled or released before this could run")                            \
    X(YOKE_E_DEVICE_LOST, -401, "the device is lost to this process: restart the process")

typedef int32_t yoke_status;

enum {
#define YOKE_STATUS_ENUM(name, value, meaning) name = value,
    YOKE_STATUS_LIST(YOKE_STATUS_ENUM)
#undef YOKE_STATUS_ENUM
};

/* What the caller must give up after a status: nothing, the operation, the stream, or the device. */
typedef int32_t yoke_error_group;
enum { YOKE_GROUP_NONE = 0, YOKE_GROUP_CALLER = 1, YOKE_GROUP_OPERATION = 2, YOKE_GROUP_STREAM = 3, YOKE_GROUP_DEVICE = 4 };

/* The name of a status, as "YOKE_E_RANGE"; "unknown status" for any other number. Never NULL. */
YOKE_API const char *yoke_status_name(yoke_status status);

/* The meaning of a status, in a few words. Never NULL. */
YOKE_API const char *yoke_status_meaning(yoke_status status);

/* The YOKE_GROUP_ of a status. A negative code of the program's own counts as YOKE_GROUP_STREAM, because only host functions return
 * such codes. */
YOKE_API yoke_error_group yoke_status_group(yoke_status status);

/* ---- Errors ------------------------------------------------------------------------------------------------------------- */

/* The record of a failure. Strings are never NULL; "" where a string does not apply. */
typedef struct yoke_error_info {
    size_t size;              /* sizeof(yoke_error_info) in the running library */
    yoke_status status;       /* YOKE_OK: nothing has failed on this thread */
    int32_t driver_code;      /* the driver's code; 0 when no driver call failed */
    const char *function;     /* the public function that failed, as "yoke_buffer_create"; "" for what yoke_fail reports */
    const char *driver_call;  /* as "cuMemAlloc_v2" */
    const char *driver_name;  /* the name of driver_code, as "CUDA_ERROR_OUT_OF_MEMORY" */
    const char *where;        /* "file:line" that enqueued the failed work; the first of several candidates */
    yoke_status cause_status; /* the previous failure, when this failure only says that an object is NULL */
    char text[768];           /* what failed, why, what to do about it: one line, but for the program's own lines (yoke_fail) */
    char cause[768];          /* the previous failure's text */
} yoke_error_info;

/* The calling thread's last failure. Never NULL; valid until the thread's next failure. A successful call does not change the
 * record. */
YOKE_API const yoke_error_info *yoke_error(void);

/* Clear the calling thread's record. */
YOKE_API void yoke_error_clear(void);

/* Set the calling thread's record to `status` and a printf-style text, and return `status`. The text keeps its line breaks, as for
 * a mark below a part of the line above; other control characters become spaces. A host function reports its failure this way:
 * `return yoke_fail(YOKE_E_HOST_FUNCTION, "cannot write %s", path)`. A `status` that is not negative becomes YOKE_E_HOST_FUNCTION.
 * A host function's last text is kept until the function returns or calls yoke_error_clear: the text is the reason of the failure
 * even when another call has failed meanwhile, or when the function returns another negative status. */
YOKE_API yoke_status yoke_fail(yoke_status status, const char *format, ...) YOKE_PRINTF(2, 3);

/* ---- Logging ------------------------------------------------------------------------------------------------------------- */

/* Levels of the log. */
typedef int32_t yoke_log_level;
enum {
    YOKE_LOG_OFF = 0,     /* nothing */
    YOKE_LOG_ERROR = 1,   /* every call and every stream that fails */
    YOKE_LOG_WARNING = 2, /* suspicious but not fatal: a failure that no call has returned, a stream that makes no progress */
    YOKE_LOG_INFO = 3,    /* devices opened, programs built, features that a driver lacks and their replacements */
    YOKE_LOG_DEBUG = 4    /* streams, and Yoke's threads */
};

/* A log function. One thread at a time calls it, and it may be any thread; the function must not call Yoke. `text` is one line
 * without a newline (those of a text from yoke_fail have become " | "), valid during the call. */
typedef void (*yoke_log_fn)(yoke_log_level level, const char *text, void *user);

/* Send messages of `level` (YOKE_LOG_) and of more important levels to `fn`. NULL restores the setting of the environment:
 * YOKE_LOG=error, warning, info or debug writes messages to stderr; without YOKE_LOG, only the watchdog's messages are written,
 * where YOKE_WATCHDOG enables the watchdog, and why a trace that YOKE_TRACE orders is missing or not whole. When this call returns,
 * the previous function is no longer running. */
YOKE_API void yoke_log_set(yoke_log_level level, yoke_log_fn fn, void *user);

#define YOKE_TEXT_(x) #x
#define YOKE_TEXT(x) YOKE_TEXT_(x)
#define YOKE_HERE __FILE__ ":" YOKE_TEXT(__LINE__)

/* ---- Devices ------------------------------------------------------------------------------------------------------------ */

/* Kinds of devices. */
typedef int32_t yoke_device_kind;
enum { YOKE_DEVICE_GPU = 1, YOKE_DEVICE_ACCELERATOR = 2, YOKE_DEVICE_CPU = 3, YOKE_DEVICE_EMULATOR = 4 };

/* Optional capabilities of a device. */
typedef int32_t yoke_cap;
enum {
    YOKE_CAP_FP64 = 0,          /* double in kernels */
    YOKE_CAP_INT64_ATOMICS = 1, /* 64-bit atomics in kernels */
    YOKE_CAP_SIGNATURE = 2,  /* the number and widths of a kernel's parameters are known, and launches are checked against them; for
                                SPIR-V and driver binaries only the number, unless the driver reports more */
    YOKE_CAP_TIMING = 3,     /* timed events */
    YOKE_CAP_EXACT_FP32 = 4, /* float division and square root are correctly rounded, subnormals kept, with YOKE_MATH_EXACT */
    YOKE_CAP_MAPPED = 5,     /* buffers of YOKE_MEMORY_MAPPED */
    YOKE_CAP_MANAGED = 6,    /* buffers of YOKE_MEMORY_MANAGED */
    YOKE_CAP_PROGRAM_BINARIES = 7, /* programs can be saved, cached, and loaded again */
    YOKE_CAP_SPIRV = 8,            /* SPIR-V can be loaded */
    YOKE_CAP_GLOBALS = 9,          /* yoke_program_get_global */
    YOKE_CAP_COOPERATIVE = 10,     /* yoke_launch_cooperative */
    YOKE_CAP_GRAPHS = 11,          /* the driver replays graphs; without it Yoke does, at the cost of enqueueing each operation */
    YOKE_CAP_IMAGES = 12           /* yoke_image_create, and kernels with images */
};

/* The description of a device. The caller sets `size` (YOKE_DEVICE_INFO_INIT). */
typedef struct yoke_device_info {
    size_t size;                /* sizeof(yoke_device_info) */
    char selector[32];          /* a selector that opens this device, as "cuda:0" */
    char backend[16];           /* "cuda" or "opencl" */
    char name[128];             /* as the driver reports it */
    char vendor[64];            /* as the driver reports it */
    char platform[64];          /* the OpenCL platform, or "NVIDIA CUDA" */
    char driver[64];            /* driver version */
    char pci[16];               /* "0000:17:00.0", or "" */
    char uuid[40];              /* "68b8d1d4-5525-541e-965b-bc69d86e3b6f", or "" */
    int32_t index;              /* among its backend's devices, in PCI order */
    yoke_device_kind kind;      /* YOKE_DEVICE_ */
    uint64_t capabilities;      /* bit YOKE_CAP_x is set when the device has it: info.capabilities >> YOKE_CAP_FP64 & 1 */
    uint32_t compute_units;     /* multiprocessors or cores */
    uint64_t memory;            /* bytes of device memory */
    uint64_t max_buffer;        /* bytes of the largest single buffer */
    uint64_t max_shared_bytes;  /* bytes of shared (local) memory of one block */
    uint64_t max_grid[3];       /* blocks */
    uint64_t max_block[3];      /* threads per block, in each dimension */
    uint64_t max_block_threads; /* threads per block, in total */
    uint64_t view_alignment; /* a view whose offset is a multiple of this value can be a kernel argument; any other view only where
                                the driver accepts it, else the launch is YOKE_E_KERNEL_ARGUMENT */
    uint32_t compute_capability; /* of NVIDIA's devices, on either backend: 90 for 9.0; else 0 */
} yoke_device_info;

#define YOKE_DEVICE_INFO_INIT                                                                                            \
    {                                                                                                                    \
        sizeof(yoke_device_info), "", "", "", "", "", "", "", "", 0, 0, 0, 0, 0, 0, 0, { 0, 0, 0 }, { 0, 0, 0 }, 0, 0, 0 \
    }

/* Count the devices of all backends, or of the backend that YOKE_BACKEND names.
 * A child process queries each backend's drivers, unless this process has opened a device of that backend. A later fork is
 * therefore safe, and a driver that crashes, exits or hangs does no harm. The child is killed after 20 seconds. A program that
 * reaps all of its children may reap this child, too. A backend that does not answer has no devices; yoke_device_get_report says
 * why.
 *
 * One broken OpenCL driver hides all OpenCL devices, because the OpenCL loader starts either all drivers of a process or none.
 * Each OpenCL driver is then queried in a child of its own, for at most 20 seconds; the report names the broken drivers, how each
 * failed, and the environment variables that start only a working driver. While another thread of this process is starting a
 * backend's driver, the call waits for that thread, for at most 20 seconds. A thread cannot be cancelled (pthread_cancel) during
 * yoke_device_count, yoke_device_list and yoke_device_open. YOKE_E_INVALID_ARGUMENT: YOKE_BACKEND names no backend.
 * YOKE_E_OUT_OF_HOST_MEMORY: no child can be started, or it lacks descriptors, memory or threads. */
YOKE_API yoke_status yoke_device_count(size_t *out_count);

/* List the devices that yoke_device_count counts, best first. `infos`: `capacity` structs, each with its size set, or NULL when
 * capacity is 0. At most `capacity` structs are filled; `out_count` is the number of devices. Statuses as yoke_device_count.
 * yoke_device_get_report names missing drivers. */
YOKE_API yoke_status yoke_device_list(yoke_device_info *infos, size_t capacity, size_t *out_count);

/* Open a device.
 * `selector`: "cuda", "opencl", "cuda:0", "opencl:1", "opencl:gpu" (or accelerator, cpu, emulator), "uuid:…", "pci:0000:17:00.0",
 * "name~H200" (part of the name, in any case); a backend may precede the last three, as "opencl:name~H200". NULL: the selector in
 * the environment's YOKE_DEVICE; else the best device of the backend that YOKE_BACKEND names; else the best device of all: CUDA,
 * then OpenCL GPU, accelerator, CPU, emulator. A selector without a backend searches only the backend that YOKE_BACKEND names, if
 * set. An explicit choice that is not available is an error; Yoke never falls back to another device. yoke_device_get_report lists
 * the candidates.
 *
 * Before drivers are started in this process, a child process queries them, as in yoke_device_count; a backend whose drivers
 * crash, end the child or hang counts as missing. A successful query is remembered in the cache's folder (YOKE_CACHE): no child is
 * started again while the drivers, the libraries that they load, the environment variables that choose them and the running system
 * stay the same. A driver that begins to crash or hang without such a change therefore does so in this process. No child is
 * started, either, when the system cannot start one, when other code of the process has already started an OpenCL driver, or with
 * YOKE_TRUST_DRIVERS=1.
 *
 * YOKE_E_INVALID_ARGUMENT: the selector or variable is malformed. YOKE_E_NOT_FOUND: no such device. YOKE_E_UNAVAILABLE: the driver
 * is missing, refuses to start, has crashed, has not answered the child in 20 seconds, or another thread has been starting it for
 * 20 seconds. YOKE_E_OUT_OF_HOST_MEMORY: this process has too few descriptors, or too little memory, to start a driver. */
YOKE_API yoke_status yoke_device_open(const char *selector, yoke_device **out_device);

/* Take another reference, which yoke_device_release releases. NULL for NULL. */
YOKE_API yoke_device *yoke_device_retain(yoke_device *device);
/* Release a reference. Streams, buffers and programs of the device keep the device alive; the programs of yoke_device_get_program
 * only while retained. The last release of all closes the device: before the call returns if no work is unfinished, else on one of
 * Yoke's threads once the work has completed; no release waits for work. Only when the system cannot start a thread does the
 * release wait, and the log says so. The process may exit meanwhile. NULL does nothing, as in every release. */
YOKE_API void yoke_device_release(yoke_device *device);

/* Get the description of an open device. The caller sets out_info->size. YOKE_E_INVALID_ARGUMENT: size is too small to hold the
 * selector. */
YOKE_API yoke_status yoke_device_get_info(const yoke_device *device, yoke_device_info *out_info);

/* The reason why the device lacks capability YOKE_CAP_x, in words; NULL when the device has it. Lives as long as the device. */
YOKE_API const char *yoke_device_lacks(const yoke_device *device, yoke_cap capability);

/* 1 when the device has capability YOKE_CAP_x, else 0: yoke_device_lacks gives the reason. 0 for NULL and other numbers. */
YOKE_API int32_t yoke_device_supports(const yoke_device *device, yoke_cap capability);

/* The report of the calling thread's last yoke_device_open, _list or _count: one line for each candidate, with the reason when it
 * was rejected. Never NULL; valid until the thread's next such call. */
YOKE_API const char *yoke_device_get_report(void);

/* ---- Streams and host functions ----------------------------------------------------------------------------------------- */

/* Flags of a stream. */
typedef uint32_t yoke_stream_flags;
enum {
    YOKE_STREAM_TIMED = 1,            /* events of the stream can be timed (on some drivers at a small cost per operation) */
    YOKE_STREAM_PENDING_WHEN_FULL = 2 /* an enqueue beyond the depth returns YOKE_PENDING and has no effect, instead of blocking */
};

/* How threads wait for a stream's work; the stream's own worker thread included. */
typedef int32_t yoke_wait_mode;
enum {
    YOKE_WAIT_AUTO = 0, /* a stream: as its device is set. A device: poll for 50 us, or on a GPU for up to 1 ms where the
                           last wait was that short, and then block; on PoCL, whose kernels need the core, block at once */
    YOKE_WAIT_SPIN = 1, /* busy-wait: the lowest latency, uses a whole core */
    YOKE_WAIT_BLOCK = 2 /* block at once, on a GPU after 20 us: some tens of us later, for at most a twentieth of a core in all
                           waiting threads, and a fiftieth in waits longer than 10 ms */
};

enum { YOKE_MAX_PRIORITY = 100 }; /* of a stream */

/* Asked by an enqueue that waits for room: a negative return value ends the wait. */
typedef yoke_status (*yoke_full_fn)(void *user);

/* The properties of a stream. */
typedef struct yoke_stream_desc {
    size_t size;             /* YOKE_STREAM_DESC_INIT, or 0: see above */
    yoke_stream_flags flags; /* YOKE_STREAM_ bits */
    yoke_wait_mode wait;     /* YOKE_WAIT_ */
    uint32_t depth;          /* the most operations that may be unfinished, see below; 0: no limit */
    int32_t priority; /* 0: normal; above 0: more urgent; below 0: less urgent; at most YOKE_MAX_PRIORITY either way, see below */
    const char *name; /* for messages, as "upload"; at most 31 bytes are kept; NULL: a number */
    yoke_full_fn on_full; /* asked while an enqueue waits for room, see below; NULL: the enqueue waits as long as it takes */
    void *user;           /* for on_full */
} yoke_stream_desc;

#define YOKE_STREAM_DESC_INIT                                  \
    {                                                          \
        sizeof(yoke_stream_desc), 0, 0, 0, 0, NULL, NULL, NULL \
    }

/* Create an in-order stream: each operation starts when the operation before it has finished and its effects are visible. Streams
 * are independent of each other and of the driver's default streams. `desc` may be NULL.
 *
 * A `depth` bounds the stream: at most `depth` operations are unfinished, counting both the operations that Yoke defers behind a
 * host function and the operations that are submitted to the driver. An enqueue beyond the depth blocks until an operation has
 * finished or, with YOKE_STREAM_PENDING_WHEN_FULL, returns YOKE_PENDING and has no effect; the _sync calls always block. The depth
 * thus bounds the memory that the stream takes, and at most `depth` operations still run after a cancel. The launch of a graph
 * counts as one operation until it runs; an event counts while it is deferred. A call that Yoke splits into several operations
 * waits for room for one, and then counts as all of them. Operations that the stream's own host functions enqueue in it count, but
 * never wait. Each enqueue takes a lock, some tens of nanoseconds.
 * While an enqueue waits for room, its thread calls `on_full(user)` about 20 times a second: for Ctrl-C, a time limit, or an event
 * loop that must go on. A negative return value ends the wait: the enqueue has no effect and returns this status, with the text
 * that on_full passed to yoke_fail, and the stream has not failed. (A call of several enqueues, as in <yoke/ops.h>, may then have
 * done part of its work.) Any other value: the enqueue waits on. The function may call Yoke, but must not enqueue in a full stream.
 *
 * A `priority` is a hint: when blocks of several streams' kernels are ready, the device starts those of the most urgent stream
 * first. A priority changes no order that Yoke promises, and does not stop blocks that already run. The number is from
 * -YOKE_MAX_PRIORITY to YOKE_MAX_PRIORITY, on every device; a stream gets the nearest priority that the device has
 * (yoke_stream_get_priority): CUDA has some above normal (an H200 has five) and none below; OpenCL with cl_khr_priority_hints has
 * one above and one below; every other device has only 0, and ignores the hint. A graph that Yoke itself replays runs its parallel
 * branches with priority 0.
 * YOKE_E_UNSUPPORTED: YOKE_STREAM_TIMED on a device without YOKE_CAP_TIMING. YOKE_E_INVALID_ARGUMENT: unknown flags or YOKE_WAIT_
 * value, a priority out of range, or YOKE_STREAM_PENDING_WHEN_FULL without a depth. */
YOKE_API yoke_status yoke_stream_create(yoke_device *device, const yoke_stream_desc *desc, yoke_stream **out_stream);

/* Take another reference, which yoke_stream_release releases. NULL for NULL. */
YOKE_API yoke_stream *yoke_stream_retain(yoke_stream *stream);
/* Release a reference. The last release tears the stream down: operations already submitted to the driver still run, and so do
 * copies that Yoke carries out; host functions that have not started are called with YOKE_E_CANCELLED, and the operations behind
 * them do not run. The call waits for nothing, even where the stream is the last object of its device (see yoke_device_release). To
 * let everything run, call yoke_stream_wait first. */
YOKE_API void yoke_stream_release(yoke_stream *stream);

/* The stream's device, borrowed. NULL for a NULL stream. There is no getter of the name, which is for messages, and no query: an
 * event at the stream's end answers that without a race (yoke_event_record, yoke_event_query). */
YOKE_API yoke_device *yoke_stream_get_device(const yoke_stream *stream);

/* The stream's priority on its device: the requested priority, or the nearest that the device has; 0 on a device that ignores
 * priorities. Any thread may call this function. YOKE_E_INVALID_ARGUMENT: stream is NULL or not a stream, or out_priority is
 * NULL. */
YOKE_API yoke_status yoke_stream_get_priority(const yoke_stream *stream, int32_t *out_priority);

/* Wait until every operation that was in the stream at the time of the call has completed. What kernels have printed (printf) is
 * then in the standard output; so it is after every other wait, and where an event or a host function finds their work complete.
 * Returns the stream's first failure, whatever its code: YOKE_E_EXECUTION, a host function's status, YOKE_E_DEVICE_LOST. A failed
 * stream stays failed until yoke_stream_recover: later enqueues fail at once with the same record. YOKE_E_DEADLOCK: called from a
 * host function of this stream, or of one that this stream waits for, so that the function would wait for itself. */
YOKE_API yoke_status yoke_stream_wait(yoke_stream *stream);

/* Cancel a stream: no further operation starts, and the stream fails with YOKE_E_CANCELLED. Operations already submitted to the
 * driver, and a host function that has started, run to their end; host functions that have not started are called with
 * YOKE_E_CANCELLED. Does not wait. A stream that has already failed keeps its failure, which is not an error. */
YOKE_API yoke_status yoke_stream_cancel(yoke_stream *stream);

/* Make a failed stream usable again: wait until its remaining operations have run or been skipped, then clear the failure. Events
 * recorded before keep their failure. On a stream that has not failed the call does nothing. YOKE_E_DEVICE_LOST: the device is
 * lost, and all of its streams with it; a stream that has this failure from another device, or from a host function, recovers.
 * YOKE_E_DEADLOCK: called from a host function of this stream; or of a failed stream, as yoke_stream_wait. Or the driver's failure
 * to create a new queue; the stream then stays failed. */
YOKE_API yoke_status yoke_stream_recover(yoke_stream *stream);

/* Set how the device's streams with YOKE_WAIT_AUTO wait from now on. YOKE_E_INVALID_ARGUMENT: `wait` is not a YOKE_WAIT_ value. */
YOKE_API yoke_status yoke_device_set_wait(yoke_device *device, yoke_wait_mode wait);

/* A host function. `status`: YOKE_OK, or why the work before the function failed (yoke_error() then returns the record). A negative
 * return value fails the stream; any other value means success. */
typedef yoke_status (*yoke_host_fn)(yoke_status status, void *user);
/* Called once with `user`, when nothing needs `user` any more. */
typedef void (*yoke_release_fn)(void *user);

/* Enqueue a host function: fn(status, user) runs on the host in the stream's order. It starts when all operations before it have
 * completed and their effects are visible to the host; no operation behind it starts before it returns, and its writes are visible
 * to those operations. If this call fails, neither `fn` nor `release` is ever called. Otherwise fn is called exactly once,
 * whatever happens, and then release(user) once, unless release is NULL; but the end of the process waits for neither: wait for the
 * stream before main returns. When fn returns a negative status, the stream fails with that status and with the last text that fn
 * passed to yoke_fail, if any.
 *
 * Both functions run on one of Yoke's threads, never on the driver's or the caller's; but the release of a recorded function runs
 * in the thread that ends the graph's last use, in yoke_graph_release, say. They may block and may call any Yoke function; waiting
 * for their own stream is YOKE_E_DEADLOCK, and so is waiting for work of another stream that waits for theirs.
 * Host functions of different streams never wait for each other. fn must return: after a pthread_exit, longjmp or exception out of
 * fn, or the cancellation of its thread, the stream never makes progress again. The thread blocks all signals, and a program that
 * fn starts inherits the mask: doc/host-functions.md has the remedy.
 *
 * Operations behind a function that has not returned are deferred in host memory, about 144 to 370 bytes each, without bound
 * unless the stream has a depth: a program that enqueues faster than its functions run grows until it waits.
 * YOKE_E_INVALID_ARGUMENT: fn is NULL. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started. Or the stream's failure. */
#define yoke_host_call(...) yoke_host_call_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_host_call_at(const char *where, yoke_stream *stream, yoke_host_fn fn, void *user,
                                       yoke_release_fn release);

/* Make the operations that follow in the stream wait for the event, which may belong to any stream of any device of any backend. If
 * the event completes with a failure, this stream fails with the same record. Never YOKE_E_DEADLOCK: an event marks only work that
 * was enqueued before it, so streams cannot wait in a cycle. */
#define yoke_stream_wait_event(...) yoke_stream_wait_event_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_stream_wait_event_at(const char *where, yoke_stream *stream, yoke_event *event);

/* ---- Events ------------------------------------------------------------------------------------------------------------- */

typedef uint32_t yoke_event_flags;
enum {
    YOKE_EVENT_TIMED = 1,       /* the event has a time stamp of the device */
    YOKE_EVENT_IGNORE_DEPTH = 2 /* the call does not wait for room in a full stream, nor return YOKE_PENDING: for an event loop */
};

/* Record an event: it completes when every operation before it in the stream has finished or failed.
 * `flags`: 0 or YOKE_EVENT_ bits. YOKE_E_INVALID_ARGUMENT: unknown flags, or YOKE_EVENT_TIMED on a stream without
 * YOKE_STREAM_TIMED. */
#define yoke_event_record(...) yoke_event_record_at(YOKE_HERE, __VA_ARGS__)
YOKE_API yoke_status yoke_event_record_at(const char *where, yoke_stream *stream, yoke_event_flags flags, yoke_event **out_event);

/* Take or release a reference. */
YOKE_API yoke_event *yoke_event_retain(yoke_event *event);
YOKE_API void yoke_event_release(yoke_event *event);

/* The event's device, borrowed: it lives as long as `event`. NULL for NULL, and for an event that was recorded into a graph. There
 * is no getter of the stream, which the event may outlive. */
YOKE_API yoke_device *yoke_event_get_device(const yoke_event *event);

/* Query an event. YOKE_OK: complete, without a failure. YOKE_PENDING: not complete. Negative: the failure of the work before the
 * event; where the stream has recovered 16 times and more since it had the event and nobody has asked for it before, possibly the
 * failure of later work. Never blocks. */
YOKE_API yoke_status yoke_event_query(yoke_event *event);

/* Wait until the event is complete, in the way of its stream (YOKE_WAIT_). Returns as yoke_event_query, never YOKE_PENDING.
 * YOKE_E_DEADLOCK: called from a host function that the event is behind, in the same stream or because the event's stream waits for
 * work behind the function, by way of other streams and their host functions. Of functions that wait for each other, the last to
 * begin its wait is refused; none is where an earlier one waits with a limit, or for several events, and so may give up. */
YOKE_API yoke_status yoke_event_wait(yoke_event *event);

#define YOKE_FOREVER UINT64_MAX /* nanoseconds */

/* The same, for at most `nanoseconds`, or YOKE_FOREVER. YOKE_PENDING: the time has passed. 0 only queries. */
YOKE_API yoke_status yoke_event_wait_for(yoke_event *event, uint64_t nanoseconds);

/* Wait for at most `nanoseconds` until any of `count` events is complete. Returns as yoke_event_query of that event, whose index is
 * stored in `out_index`; the first, when several are complete. YOKE_PENDING: the time has passed, and out_index is `count`, as
 * after any failure of this call itself. YOKE_E_INVALID_ARGUMENT: count is 0, or an event is NULL or released. YOKE_E_DEADLOCK:
 * called from a host function that all of the events are behind, as for yoke_event_wait. */
YOKE_API yoke_status yoke_event_wait_any(yoke_event *const *events, size_t count, uint64_t nanoseconds, size_t *out_index);

/* Called once when an event is complete; `status` as yoke_event_query, and yoke_error() returns the record of a failure. */
typedef void (*yoke_complete_fn)(yoke_status status, void *user);

/* Call fn(status, user) once when the event is complete, and then release(user) once, unless release is NULL. The stream does not
 * wait for `fn`: the operations behind the event run meanwhile. Like a host function, `fn` runs on one of Yoke's threads, may
 * block, may call any Yoke function, and must return. Short ones share a thread; none waits for others that take longer than
 * 0.1 ms, as long as the system has threads. Several of one stream may run at once and in any order. If this call fails, neither
 * `fn` nor `release` is ever called. YOKE_E_INVALID_ARGUMENT: fn is NULL. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started. */
YOKE_API yoke_status yoke_event_on_complete(yoke_event *event, yoke_complete_fn fn, void *user, yoke_release_fn release);

/* Get a file descriptor that becomes readable when the event is complete, and stays readable until it is read: for poll, epoll,
 * libuv, asyncio. The caller owns the descriptor and may close it at any time; yoke_event_query tells how the work ended. Each call
 * returns a new descriptor, and keeps a second one until the event is complete: who waits for thousands of events at once had
 * better have yoke_event_on_complete write to one descriptor of the program. On Windows it is a socket, for select and WSAPoll, and
 * is closed by closesocket. out_fd is -1 when the call fails.
 * YOKE_E_OUT_OF_HOST_MEMORY: no descriptor or thread is available. */
YOKE_API yoke_status yoke_event_get_fd(yoke_event *event, int *out_fd);

/* Nanoseconds on the device's clock between two timed events of one device. YOKE_PENDING: an event is not complete yet.
 * YOKE_E_INVALID_ARGUMENT: an event is not timed, or the events belong to different devices. Or the failure of an event. */
YOKE_API yoke_status yoke_event_get_elapsed(yoke_event *start, yoke_event *end, int64_t *out_nanoseconds);

/* Time work on the device: wait until what is in the stream has completed, and get the nanoseconds on the device's clock from a
 * timed event to its end. The event stays as it is, so that several calls give several times from the same start.
 * YOKE_E_INVALID_ARGUMENT: the event is not timed, the stream was created without YOKE_STREAM_TIMED or is being recorded, or they
 * belong to different devices. YOKE_PENDING: the event is of another stream, and is not complete yet. Or the failure of the event
 * or of the stream. YOKE_E_DEADLOCK: as yoke_stream_wait. */
YOKE_API yoke_status yoke_stream_wait_elapsed(yoke_stream *stream, yoke_event *start, int64_t *out_nanoseconds);

#ifdef __cplusplus
}
#endif

#include <yoke/memory.h>

#include <yoke/image.h>

#include <yoke/program.h>

#endif
