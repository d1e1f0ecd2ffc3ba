/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver beneath Yoke, called beside it. No vendor's header is needed for that: the few functions are looked up by name, and
 * the native_ functions make two drivers look like one.
 */
#ifndef DRIVER_H
#define DRIVER_H

#include <dlfcn.h>
#include <string.h>

#include <yoke/native.h>

#include "suite.h"

enum {
    CL_MEMORY_REFERENCES = 0x1105,
    CL_CONTEXT_DEVICES = 0x1081,
    CL_DEVICE_PLATFORM = 0x1031,
    CL_READ_WRITE = 1,
    CL_REGION = 0x1220
};

/* What is called of it. The left half is of CUDA, the right half of OpenCL. */
typedef struct native {
    bool cuda;
    yoke_native_device own;
    void *queue; /* a cl_command_queue of the test's */

    int (*cuMemAlloc_v2)(unsigned long long *address, size_t size);
    int (*cuMemFree_v2)(unsigned long long address);
    int (*cuMemcpyHtoD_v2)(unsigned long long target, const void *source, size_t size);
    int (*cuMemcpyDtoH_v2)(void *target, unsigned long long source, size_t size);
    int (*cuMemcpyDtoDAsync_v2)(unsigned long long target, unsigned long long source, size_t size, void *stream);
    int (*cuCtxSynchronize)(void);
    int (*cuCtxPushCurrent_v2)(void *context);
    int (*cuCtxPopCurrent_v2)(void **out_context);
    int (*cuDevicePrimaryCtxRetain)(void **out_context, int device);
    int (*cuDevicePrimaryCtxRelease_v2)(int device);

    void *(*clCreateContext)(const intptr_t *properties, uint32_t count, void *const *devices, void *notify, void *user, int *code);
    int (*clReleaseContext)(void *context);
    int (*clGetContextInfo)(void *context, uint32_t what, size_t size, void *value, size_t *out_size);
    int (*clGetDeviceInfo)(void *device, uint32_t what, size_t size, void *value, size_t *out_size);
    void *(*clCreateCommandQueue)(void *context, void *device, uint64_t properties, int *code);
    int (*clReleaseCommandQueue)(void *queue);
    void *(*clCreateBuffer)(void *context, uint64_t flags, size_t size, void *host, int *code);
    void *(*clCreateSubBuffer)(void *memory, uint64_t flags, uint32_t type, const void *region, int *code);
    int (*clReleaseMemObject)(void *memory);
    int (*clGetMemObjectInfo)(void *memory, uint32_t what, size_t size, void *value, size_t *out_size);
    int (*clEnqueueWriteBuffer)(void *queue, void *memory, uint32_t blocking, size_t offset, size_t size, const void *source,
                                uint32_t count, const void *events, void *event);
    int (*clEnqueueReadBuffer)(void *queue, void *memory, uint32_t blocking, size_t offset, size_t size, void *target,
                               uint32_t count, const void *events, void *event);
    int (*clEnqueueCopyBuffer)(void *queue, void *source, void *target, size_t source_offset, size_t target_offset, size_t size,
                               uint32_t count, const void *events, void *event);
} native;

/* A pointer to a function is no object pointer in C, but is one wherever there is dlsym. */
#define FIND(name) all = find(library, #name, &d->name, sizeof d->name) && all

static inline bool find(void *library, const char *name, void *function, size_t size)
{
    void *symbol = library ? dlsym(library, name) : NULL;

    if (!CHECK(symbol != NULL))
        tap_diag("%s: %s", name, dlerror());
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

static inline bool find_cuda(native *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW); /* it is open already: this is one more reference, kept */
    bool all = library != NULL;

    FIND(cuMemAlloc_v2);
    FIND(cuMemFree_v2);
    FIND(cuMemcpyHtoD_v2);
    FIND(cuMemcpyDtoH_v2);
    FIND(cuMemcpyDtoDAsync_v2);
    FIND(cuCtxSynchronize);
    FIND(cuCtxPushCurrent_v2);
    FIND(cuCtxPopCurrent_v2);
    FIND(cuDevicePrimaryCtxRetain);
    FIND(cuDevicePrimaryCtxRelease_v2);
    return all;
}

static inline bool find_opencl(native *d)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    bool all = library != NULL;

    FIND(clCreateContext);
    FIND(clReleaseContext);
    FIND(clGetContextInfo);
    FIND(clGetDeviceInfo);
    FIND(clCreateCommandQueue);
    FIND(clReleaseCommandQueue);
    FIND(clCreateBuffer);
    FIND(clCreateSubBuffer);
    FIND(clReleaseMemObject);
    FIND(clGetMemObjectInfo);
    FIND(clEnqueueWriteBuffer);
    FIND(clEnqueueReadBuffer);
    FIND(clEnqueueCopyBuffer);
    return all;
}

static inline bool native_open(suite *t, native *d)
{
    int code = 0;

    memset(d, 0, sizeof *d);
    d->own = (yoke_native_device)YOKE_NATIVE_DEVICE_INIT;
    d->cuda = strcmp(t->info.backend, "cuda") == 0;
    if (!CHECK_OK(yoke_device_get_native(t->device, &d->own)) || !(d->cuda ? find_cuda(d) : find_opencl(d)))
        return false;
    if (!d->cuda)
        d->queue = d->clCreateCommandQueue(d->own.context, (void *)d->own.device, 0, &code);
    return d->cuda || CHECK(d->queue != NULL && code == 0);
}

static inline void native_close(native *d)
{
    if (d->queue)
        CHECK(d->clReleaseCommandQueue(d->queue) == 0);
}

/* Calls of the CUDA driver, in the device's context. */
#define IN_CONTEXT(d, call) (enter_context(d) && leave_context((d), (call) == 0, #call))

static inline bool enter_context(native *d)
{
    return CHECK(d->cuCtxPushCurrent_v2(d->own.context) == 0);
}

static inline bool leave_context(native *d, bool ok, const char *call)
{
    void *left = NULL;

    suite_check(ok, YOKE_HERE, call);
    return CHECK(d->cuCtxPopCurrent_v2(&left) == 0) && ok;
}

static inline bool native_new(native *d, size_t size, uintptr_t *out_memory)
{
    unsigned long long address = 0;
    int code = 0;

    *out_memory = 0;
    if (d->cuda) {
        if (IN_CONTEXT(d, d->cuMemAlloc_v2(&address, size)))
            *out_memory = (uintptr_t)address;
    } else {
        *out_memory = (uintptr_t)d->clCreateBuffer(d->own.context, CL_READ_WRITE, size, NULL, &code);
    }
    return CHECK(*out_memory != 0 && code == 0);
}

static inline void native_free(native *d, uintptr_t memory)
{
    if (memory && d->cuda)
        CHECK(IN_CONTEXT(d, d->cuMemFree_v2(memory)));
    else if (memory)
        CHECK(d->clReleaseMemObject((void *)memory) == 0);
}

/* Both wait until it is done; a copy to the device is not when CUDA's call returns. */
static inline bool native_put(native *d, uintptr_t memory, const void *source, size_t size)
{
    if (d->cuda)
        return IN_CONTEXT(d, d->cuMemcpyHtoD_v2(memory, source, size)) && IN_CONTEXT(d, d->cuCtxSynchronize());
    return CHECK(d->clEnqueueWriteBuffer(d->queue, (void *)memory, 1, 0, size, source, 0, NULL, NULL) == 0);
}

static inline bool native_get(native *d, uintptr_t memory, void *target, size_t size)
{
    memset(target, 0xDD, size);
    if (d->cuda)
        return IN_CONTEXT(d, d->cuMemcpyDtoH_v2(target, memory, size));
    return CHECK(d->clEnqueueReadBuffer(d->queue, (void *)memory, 1, 0, size, target, 0, NULL, NULL) == 0);
}

static inline bool native_holds(native *d, uintptr_t memory, const void *wanted, size_t size)
{
    void *got = memory_new(size);
    bool ok = native_get(d, memory, got, size) && CHECK_BYTES(got, wanted, size);

    memory_free(got);
    return ok;
}

/* References to a cl_mem, the loader's and the driver's alike. */
static inline uint32_t references(native *d, uintptr_t memory)
{
    uint32_t count = 0;

    CHECK(d->clGetMemObjectInfo((void *)memory, CL_MEMORY_REFERENCES, sizeof count, &count, NULL) == 0);
    return count;
}

#endif
