/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CUDA driver for benchmarks that call it by hand: a table of the functions that Yoke uses too, and what else a benchmark needs
 * of it. Every failure ends the program.
 */
#ifndef MEASURE_RAW_CUDA_H
#define MEASURE_RAW_CUDA_H

#include "measure.h"

#include "../../backends/cuda/api.h"

typedef struct measure_cuda_table {
#define YK_CUDA_SYMBOL(need, name, parameters, ...) yk_CUresult(*name) parameters;
#define YK_NVRTC_SYMBOL(need, result, name, parameters, ...) result(*name) parameters;
#include "../../backends/cuda/symbols.def"
} measure_cuda_table;

extern measure_cuda_table cu;

/* Fill the table; what is NVRTC's, when something is compiled. */
void measure_cuda_load(void);

/* A function that is not in the table; where the driver lacks it, one that ends the program. */
void *measure_cuda_symbol(const char *name);

void measure_cuda_fail(yk_CUresult result);

static inline void must(yk_CUresult result)
{
    if (result != YK_CUDA_SUCCESS)
        measure_cuda_fail(result);
}

/* Compile for the device: an image to be freed. */
void *measure_cuda_compile(yk_CUdevice device, const yoke_source *source, size_t *out_size);

/* The same, and load it into the current context. */
yk_CUmodule measure_cuda_build(yk_CUdevice device, const yoke_source *source);

#endif
