/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL library for benchmarks that call it by hand: see raw_opencl.h. */
#include "raw_opencl.h"

#include <dlfcn.h>
#include <stdio.h>

bench_opencl_table cl;

void bench_opencl_load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        bench_fail("opencl by hand", "no libOpenCL.so.1");
#define BIND(name)                              \
    *(void **)&cl.name = dlsym(library, #name); \
    if (!cl.name)                               \
        bench_fail("opencl by hand", "no " #name);
    BENCH_OPENCL_FUNCTIONS(BIND)
#undef BIND
}

void bench_opencl_fail(cl_int code)
{
    char text[32];
    snprintf(text, sizeof text, "failure %d", (int)code);
    bench_fail("opencl by hand", text);
}
