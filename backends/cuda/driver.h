/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA backend's own view of the driver: its table of functions, the structs behind the objects' `native` members, and the
 * prototypes of the slots. Every call of the driver goes through `yk_cu`, which is filled before the
 * first.
 *
 * Contexts: launches, copies, fills, events and waits use the context of their stream or event and need none to be current
 * (measured on driver 580). What does need one stands between yk_cuda_enter and yk_cuda_leave; ours is never left current.
 */
#ifndef YK_CUDA_DRIVER_H
#define YK_CUDA_DRIVER_H

#include "backend.h"
#include "base/library.h"
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

extern yk_cuda_table yk_cu;
extern yk_nvrtc_table yk_nvrtc;

/* Open libcuda.so.1, fill the table and start the driver, once. Creates no context. YOKE_E_UNAVAILABLE with the reason. */
yoke_status yk_cuda_load(void);
/* The same for NVRTC, which is looked for in several places; what the loader says of each goes to the log when there is none. */
yoke_status yk_nvrtc_load(yk_text *log);

enum { YK_CUDA_OPTIONAL = 0, YK_CUDA_REQUIRED = 1 };

/* Once a table is filled: put wrappers into it that fail on order (inject.c). */
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

/* ---- What is behind `native` ---- */

/* A stream that carries wake-ups past work which was enqueued behind their event. */
typedef struct yk_cuda_notifier {
    atomic_bool busy;   /* from being taken until its host function has run */
    yk_CUstream stream; /* created when first taken */
    yk_notice *notice;
} yk_cuda_notifier;

typedef struct yk_cuda_device {
    yk_CUdevice ordinal;
    yk_CUcontext context; /* the primary one */
    int architecture;     /* 90 for compute capability 9.0 */
    int warp_size;
    int max_shared_bytes; /* bytes of shared memory of a block whose kernel has asked for more than the usual limit */
    /* More than 7 streams that wait stall all others (driver 580 with its usual CUDA_DEVICE_MAX_CONNECTIONS of 8). */
    yk_cuda_notifier notifiers[4];
    yk_CUmemoryPool pool;       /* of ordered memory; NULL where the driver has none */
    atomic_uint_fast64_t peers; /* bit n: copies to and from the device with ordinal n go straight */
} yk_cuda_device;

/* A stream's native is its CUstream, an event's its CUevent, a program's its CUmodule, a kernel's its CUfunction; a buffer's is its
 * address. */

static inline yk_cuda_device *yk_cuda_device_of(const yoke_device *device)
{
    return device->native;
}

/* Make the device's context current, above whatever the thread had. Leave when, and only when, that has succeeded. */
yoke_status yk_cuda_enter(const yoke_device *device);
void yk_cuda_leave(void);
/* The same for what goes on without it, too: false, when it has failed, and has been told of in the log. */
bool yk_cuda_try_enter(const yoke_device *device);

/* The device's pool, where the driver has such (buffer.c). */
yoke_status yk_cuda_pool_create(yoke_device *device, yk_cuda_device *native);

/* ---- Programs (program.c, module.c) ---- */

/* The version of NVRTC into `text`, which is returned: "13.0". */
const char *yk_nvrtc_version(char *text, size_t size);
/* The line of a compiler's log that tells of the first error. */
void yk_cuda_find_error(const char *log, char *line, size_t size);
/* Load program->code, which NVRTC has just made. */
yoke_status yk_cuda_load_compiled(yoke_program *program, yk_text *log);

/* ---- Errors (error.c) ---- */

/* The name of a result, as "CUDA_ERROR_INVALID_VALUE". */
const char *yk_cuda_name(yk_CUresult result);
/* A driver call failed: the status follows from the result. `format`, which may be NULL, tells the circumstances. */
YK_COLD yoke_status yk_cuda_fail(const char *call, yk_CUresult result, const char *format, ...) YOKE_PRINTF(3, 4);
/* The same, with the status given. */
YK_COLD yoke_status yk_cuda_fail_as(yoke_status status, const char *call, yk_CUresult result, const char *format, ...)
    YOKE_PRINTF(4, 5);

/* For slots that are one call: YOKE_OK, or the failure of `call`. */
static inline yoke_status yk_cuda_check(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        return yk_cuda_fail(call, result, NULL);
    return YOKE_OK;
}

/* For what gives something back, and other calls whose failure is none of the caller's: it is told in the log. Whether the call has
 * succeeded. */
YK_COLD void yk_cuda_note_failure(const char *call, yk_CUresult result);
static inline bool yk_cuda_note(const char *call, yk_CUresult result)
{
    if (YK_UNLIKELY(result != YK_CUDA_SUCCESS))
        yk_cuda_note_failure(call, result);
    return result == YK_CUDA_SUCCESS;
}

/* ---- What launches and graphs share ---- */

/* The driver wants a pointer to each argument's bytes, as wide as the compiled kernel has it. */
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

/* A copy of any kind as the driver describes it (copy.c). */
yk_CUDA_MEMCPY3D yk_cuda_copy_of(const yk_op *op);

/* ---- The slots of backend.def ---- */

/* Destroying goes on whatever the driver answers: while the process ends it says CUDA_ERROR_DEINITIALIZED and has freed everything,
 * after a fault it repeats the fault, and in neither case is there anything left to do. What else it says is told in the log. */

#define YK_SLOT(result, name, parameters) YK_DEFINED_HERE result yk_cuda_##name parameters;
#include "backend.def"

#endif
