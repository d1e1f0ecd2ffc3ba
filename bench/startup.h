/* SPDX-License-Identifier: Apache-2.0 */
/* From the start of a process to the end of its first kernel, by hand on each driver: what startup.c runs in child processes. */
#ifndef BENCH_STARTUP_H
#define BENCH_STARTUP_H

#include "bench.h"

/* How the process comes by its kernel. */
typedef enum bench_start {
    BENCH_COMPILE, /* from source */
    BENCH_LOAD,    /* from a file with the driver's own image */
    BENCH_SAVE     /* from source; and it writes that file, for others */
} bench_start;

/* `device`: its PCI address on CUDA, its name on OpenCL. */
void bench_start_cuda(bench_start how, const char *device, const char *path);
void bench_start_opencl(bench_start how, const char *device, const char *path);

/* A whole file, to be freed. */
void *bench_file_read(const char *path, size_t *out_size);
void bench_file_write(const char *path, const void *bytes, size_t size);

#endif
