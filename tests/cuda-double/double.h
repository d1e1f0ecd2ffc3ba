/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The double's two halves meet here: driver.c and its neighbours are the driver (memory, streams, events, graphs), module.c the
 * code (images, functions, running a grid on the CPU). Neither uses Yoke; both take its declarations of the driver from
 * backends/cuda/api.h and symbols.def.
 */
#ifndef DOUBLE_H
#define DOUBLE_H

#include "../../backends/cuda/api.h"

/* ---- Code (module.c, run.c, print.c, nvrtc.c) ---- */

typedef struct double_module double_module;
typedef struct double_function double_function;

/* `image` is what the double's NVRTC makes (PTX text or cubin), or anything else, which is refused as the driver does. `log` gets
 * what the driver's own compiler said, unless it is NULL. */
yk_CUresult double_module_load_log(const void *image, unsigned device, char *log, size_t size, double_module **out_module);
/* The same for device 0, without a log. */
yk_CUresult double_module_load(const void *image, double_module **out_module);
void double_module_unload(double_module *module);
yk_CUresult double_module_function(double_module *module, const char *name, double_function **out_function);
yk_CUresult double_module_global(double_module *module, const char *name, void **out_address, size_t *out_size);
yk_CUresult double_function_param(const double_function *function, size_t index, size_t *out_offset, size_t *out_size);
yk_CUresult double_function_attribute(const double_function *function, int attribute, int *out_value);
yk_CUresult double_function_set_attribute(double_function *function, int attribute, int value);
/* Bytes of its parameters, laid out at the offsets that double_function_param tells. */
size_t double_function_params_size(const double_function *function);

typedef struct double_grid {
    unsigned grid[3], block[3], shared;
    int cooperative;
} double_grid;

/* What the driver refuses at the launch: dimensions, shared memory, a cooperative grid too large. */
yk_CUresult double_function_check(const double_function *function, const double_grid *grid);
/* Run the whole grid, on the calling thread. Called in stream order by a stream's thread; several streams at once. A kernel that
 * fails (trap, an address that is nobody's, where that can be told) returns the driver's code for it. */
yk_CUresult double_function_run(double_function *function, const double_grid *grid, const void *params);

/* Write what the kernels of a device have printed since the last time to the standard output. */
void double_print_bring_out(unsigned device);

/* Its functions, for cuModuleGetFunctionCount, cuModuleEnumerateFunctions and cuFuncGetName. */
size_t double_module_count(const double_module *module);
double_function *double_module_at(double_module *module, size_t index);
const char *double_function_name(const double_function *function);

/* ---- The driver (driver.c and others) ---- */

/* How many blocks of so many threads, with so many bytes of shared memory each (static and dynamic), are on a multiprocessor at
 * once; a cooperative grid has at most so many times DOUBLE_MULTIPROCESSORS blocks. 0 when not even one is (launch.c). */
int double_occupancy(int block_threads, size_t shared);

/* How the device looks: chosen once, by the attributes that the driver half answers. */
enum {
    DOUBLE_DEVICES = 16, /* at most */
    DOUBLE_THREADS_PER_BLOCK = 1024,
    DOUBLE_SHARED_PER_BLOCK = 48 * 1024,
    DOUBLE_SHARED_OPTIN = 227 * 1024,
    DOUBLE_MULTIPROCESSORS = 4,
    DOUBLE_BLOCKS_PER_MULTIPROCESSOR = 16,
    DOUBLE_CAPABILITY_MAJOR = 9,
    DOUBLE_CAPABILITY_MINOR = 0
};

#endif
