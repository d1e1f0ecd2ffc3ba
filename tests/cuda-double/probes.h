/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions to a CUDA driver, asked of itself and not through Yoke. Each answer is a line "# name: answer", so that those of two
 * drivers can be compared by diff, and a case of TAP, which tells where a driver answers otherwise than the double should.
 */
#ifndef PROBES_H
#define PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "../../backends/cuda/api.h"
#include "../tap/tap.h"

typedef struct probe_table {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) yk_CUresult(*name) parameters;
#include "../../backends/cuda/symbols.def"
    yk_CUresult (*cuCtxGetCurrent)(yk_CUcontext *out_context);
    yk_CUresult (*cuCtxSetCurrent)(yk_CUcontext context);
    yk_CUresult (*cuCtxSynchronize)(void);
    yk_CUresult (*cuMemcpyDtoH_v2)(void *target, yk_CUdeviceptr source, size_t size);
} probe_table;

extern probe_table cu;
extern bool probe_is_double;

/* The name of a result, without its CUDA_ERROR_. */
const char *probe_name(yk_CUresult result);
/* `answer` and `expected` are one line. */
void probe_text(const char *name, const char *answer, const char *expected);
void probe(const char *name, yk_CUresult result, const char *expected);
void probe_yes(const char *name, bool answer, bool expected);
/* Where the double is stricter than NVIDIA's driver (measured: 580, CUDA 13.0), or is another thing, on purpose. */
void probe_differs(const char *name, yk_CUresult result, const char *driver, const char *on_double);
/* What the probe itself needs has to work. */
void probe_need(yk_CUresult result, const char *call);
#define NEED(call) probe_need(call, #call)

/* A stream with a host function in it that stands until let go. */
typedef struct probe_gate probe_gate;
probe_gate *gate_close(yk_CUstream stream);
void gate_open(probe_gate *gate); /* once; the function may still be running when it returns */

yk_CUstream new_stream(void);
yk_CUevent new_event(unsigned flags);
void probe_pause(int milliseconds); /* for what is expected not to happen */

/* PTX for device 0, to be freed; NULL where there is no NVRTC. */
char *probe_compile(const char *source);

void probe_memory(void);
void probe_copies(void);
void probe_pools(void);
void probe_streams(void);
void probe_events(void);
void probe_functions(void);
void probe_channels(void);
void probe_graphs(void);
void probe_captures(void);
void probe_code(void);
void probe_numbers(void);
void probe_warps(void);
void probe_prints(void);
/* Last: the process is of no use any more. */
void probe_fault(void);

#endif
