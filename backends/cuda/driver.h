/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA backend's view of the driver: its table of functions, the structs behind the objects' `native` members, and the
 * prototypes of the slots. Every driver call goes through `yk_cu`, which is filled before the first call.
 *
 * Contexts: launches, copies, fills, events and waits use the context of their stream or event and need no current context
 * (measured on driver 580). Other calls are made between yk_cuda_enter and yk_cuda_leave; Yoke's context is never left
 * current.
 */
#ifndef YK_CUDA_DRIVER_H
#define YK_CUDA_DRIVER_H

#include "backend.h"
#include "base/process/library.h"
#include "api.h"

/* ---- The tables (driver.c, nvrtc.c) ---- */

typedef struct yk_cuda_table {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) yk_CUresult(*name) parameters;
#include "symbols.def"
} yk_cuda_table;

typedef struct yk_nvrtc_table {
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) result(*name) parameters;
#include "symbols.def"
} yk_nvrtc_table;

YK_DEFINED_HERE extern yk_cuda_table yk_cu;
YK_DEFINED_HERE extern yk_nvrtc_table yk_nvrtc;

/* Open libcuda.so.1, fill the table and start the driver, once. Creates no context. YOKE_E_UNAVAILABLE with the reason. */
yoke_status yk_cuda_load(void);
/* The same for NVRTC, which is searched for in several places; if none has it, the loader's messages go to the log. */
yoke_status yk_nvrtc_load(yk_text *log);

enum { YK_CUDA_OPTIONAL = 0, YK_CUDA_REQUIRED = 1 };

/* After a table is filled: wrap its functions so that faults can be injected (inject.c). */
#ifdef YK_FAULT_INJECTION
void yk_cuda_inject(void);
void yk_nvrtc_inject(void);
#else
static inline void yk_cuda_inject(void)
{
}
static inline void yk_nvrtc_inject(void)
{
}
#endif

/* ---- Behind `native` ---- */

/* A stream for wake-ups whose event is followed by later work in its own stream. */
typedef struct yk_cuda_notifier {
    atomic_bool busy;   /* from when it is taken until its host function has run */
    yk_CUstream stream; /* created when the notifier is first taken */
    yk_notice *notice;
} yk_cuda_notifier;

typedef struct yk_cuda_device {
    yk_CUdevice ordinal;
    yk_CUcontext context; /* the primary context */
    int architecture;     /* 90 for compute capability 9.0 */
    int warp_size;
    int max_shared_bytes; /* the most shared memory per block that a kernel can opt in to */
    /* More than 7 waiting streams stall all others (driver 580 with the default CUDA_DEVICE_MAX_CONNECTIONS of 8). */
    yk_cuda_notifier notifiers[4];
    yk_CUmemoryPool pool;             /* for ordered memory; NULL where the driver has no pools */
    atomic_uint_fast64_t pool_in_use; /* bytes of it: the driver (580) goes on counting what cuMemFree has freed */
    atomic_uint_fast64_t peers;       /* bit n: the device with ordinal n is a peer */
    atomic_bool prints;               /* code that may use printf was loaded: event.c */
} yk_cuda_device;

/* A stream's native is its CUstream, an event's its CUevent, a program's its CUmodule, a kernel's its CUfunction, a buffer's its
 * address. */

static inline yk_cuda_device *yk_cuda_device_of(const yoke_device *device)
{
    return device->native;
}

/* Push the device's context onto the thread's stack. Call yk_cuda_leave if, and only if, this succeeded. */
yoke_status yk_cuda_enter(const yoke_device *device);
void yk_cuda_leave(void);
/* The same for work that also continues without the context: false when the push failed, which the log reports. */
bool yk_cuda_try_enter(const yoke_device *device);

/* The device's pool, where the driver has pools (buffer.c). */
yoke_status yk_cuda_pool_create(yoke_device *device, yk_cuda_device *native);

/* ---- Programs (program.c, module.c) ---- */

/* Write NVRTC's version into `text`, which is returned: "13.0". */
const char *yk_nvrtc_version(char *text, size_t size);
/* The line of a compiler's log that reports the first error. */
void yk_cuda_find_error(const char *log, char *line, size_t size);
/* Load program->code, which NVRTC has just compiled. */
yoke_status yk_cuda_load_compiled(yoke_program *program, yk_text *log);

/* ---- Errors (error.c) ---- */

/* The name of a result, as "CUDA_ERROR_INVALID_VALUE". */
const char *yk_cuda_name(yk_CUresult result);
/* A driver call failed: the status follows from the result. `format`, which may be NULL, describes the circumstances. */
YK_COLD yoke_status yk_cuda_fail(const char *call, yk_CUresult result, const char *format, ...) YOKE_PRINTF(3, 4);
/* The same, with an explicit status. */
YK_COLD yoke_status yk_cuda_fail_as(yoke_status status, const char *call, yk_CUresult result, const char *format, ...)
    YOKE_PRINTF(4, 5);

/* For slots that are one call: YOKE_OK, or the failure of `call`. */
static inline yoke_status yk_cuda_check(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        return yk_cuda_fail(call, result, NULL);
    return YOKE_OK;
}

/* For releases, and other calls whose failure does not concern the caller: the log reports it. Returns whether the call
 * succeeded. */
YK_COLD void yk_cuda_note_failure(const char *call, yk_CUresult result);
static inline bool yk_cuda_note(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        yk_cuda_note_failure(call, result);
    return result == YK_CUDA_SUCCESS;
}

/* ---- Shared by launches and graphs ---- */

/* The driver takes a pointer to each argument's bytes, as wide as the compiled kernel declares the parameter. */
static inline void yk_cuda_point_to_arguments(const yk_op *op, void *arguments[])
{
    for (size_t i = 0; i < op->u.launch.count; i++) {
        const yoke_arg *arg = &op->u.launch.args[i];
        switch (arg->kind) {
        case YOKE_ARG_BUFFER:
            arguments[i] = &arg->value.buffer->native.address;
            break;
        case YOKE_ARG_STRUCT:
            arguments[i] = (void *)arg->value.bytes;
            break;
        default:
            arguments[i] = (void *)&arg->value;
        }
    }
}

/* The driver's description of any copy (copy.c). */
yk_CUDA_MEMCPY3D yk_cuda_copy_of(const yk_op *op);

/* ---- The slots of backend.def ---- */

/* Destruction continues whatever the driver answers: at process exit the answer is CUDA_ERROR_DEINITIALIZED and everything is
 * already freed, after a fault the answer is the fault again, and in neither case is anything left to do. The log reports other
 * failures. */

#define YK_SLOT(result, name, parameters) YK_DEFINED_HERE result yk_cuda_##name parameters;
#include "backend.def"

#endif
