/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL library for benchmarks that call it by hand: see raw_opencl.h. */
#include "raw_opencl.h"

#include <dlfcn.h>
#include <stdio.h>

measure_opencl_table cl;

void measure_opencl_load(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        measure_fail("opencl by hand", "no libOpenCL.so.1");
#define BIND(name)                              \
    *(void **)&cl.name = dlsym(library, #name); \
    if (!cl.name)                               \
        measure_fail("opencl by hand", "no " #name);
    MEASURE_OPENCL_FUNCTIONS(BIND)
#undef BIND
}

void measure_opencl_fail(cl_int code)
{
    char text[32];
    snprintf(text, sizeof text, "failure %d", (int)code);
    measure_fail("opencl by hand", text);
}
