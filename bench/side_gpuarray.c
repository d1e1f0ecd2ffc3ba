/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work through libgpuarray's OpenCL backend, a library of Yoke's size: for bench/instructions only, so it has no
 * host functions and no events.
 */
#include "bench.h"

#ifdef HAVE_GPUARRAY

#include <gpuarray/buffer.h>
#include <gpuarray/error.h>
#include <gpuarray/types.h>
#include <stdlib.h>
#include <string.h>

typedef struct side {
    gpucontext *context;
    gpukernel *kernel;
    gpudata *buffer;
} side;

static void must(side *self, int code)
{
    if (code != GA_NO_ERROR)
        measure_fail("libgpuarray", gpucontext_error(self->context, code));
}

/* The platform whose device has the name of Yoke's: libgpuarray counts those without devices too. */
static gpucontext *open_context(const char *name)
{
    char found[256];
    for (int platform = 0; platform < 16; platform++) {
        gpucontext_props *props = NULL;
        gpucontext *context = NULL;
        if (gpucontext_props_new(&props) != GA_NO_ERROR)
            return NULL;
        gpucontext_props_opencl_dev(props, platform, 0);
        if (gpucontext_init(&context, "opencl", props) != GA_NO_ERROR) /* takes the props in any case */
            continue;
        if (gpucontext_property(context, GA_CTX_PROP_DEVNAME, found) == GA_NO_ERROR && strcmp(found, name) == 0)
            return context;
        gpucontext_deref(context);
    }
    return NULL;
}

static void *gpuarray_open(yoke_device *device)
{
    static const int types[] = { GA_BUFFER, GA_FLOAT, GA_INT };
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    const char *source = measure_touch.opencl;
    int code = GA_NO_ERROR;
    side *self = calloc(1, sizeof *self);
    if (!self || yoke_device_get_info(device, &info) < 0)
        measure_fail("libgpuarray", "cannot start");
    self->context = open_context(info.name);
    if (!self->context) {
        free(self);
        return NULL;
    }
    self->kernel = gpukernel_init(self->context, 1, &source, NULL, "touch", 3, types, 0, &code, NULL);
    must(self, code);
    return self;
}

static void gpuarray_close(void *object)
{
    side *self = object;
    gpukernel_release(self->kernel);
    if (self->buffer)
        gpudata_release(self->buffer);
    gpucontext_deref(self->context);
    free(self);
}

static void gpuarray_reserve(void *object, size_t size0, size_t size1)
{
    side *self = object;
    int code = GA_NO_ERROR;
    (void)size1;
    self->buffer = gpudata_alloc(self->context, size0, NULL, 0, &code);
    must(self, code);
}

static void gpuarray_wait(void *object, int which)
{
    side *self = object;
    (void)which;
    must(self, gpudata_sync(self->buffer));
}

static void gpuarray_launches(void *object, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++) {
        float a = 1.0f;
        int n = 1;
        size_t grid = 1, block = MEASURE_BLOCK;
        void *arguments[] = { self->buffer, &a, &n };
        must(self, gpukernel_call(self->kernel, 1, &grid, &block, 0, arguments));
    }
}

static void gpuarray_launches_wait(void *object, int count)
{
    for (int i = 0; i < count; i++) {
        gpuarray_launches(object, 1);
        gpuarray_wait(object, 0);
    }
}

/* Always waits for the copy. */
static void gpuarray_writes_wait(void *object, const void *host, size_t size, int count)
{
    side *self = object;
    for (int i = 0; i < count; i++)
        must(self, gpudata_write(self->buffer, 0, host, size));
}

static void gpuarray_alloc_free(void *object, int way, size_t size, int count)
{
    (void)way;
    side *self = object;
    for (int i = 0; i < count; i++) {
        int code = GA_NO_ERROR;
        gpudata *buffer = gpudata_alloc(self->context, size, NULL, 0, &code);
        must(self, code);
        gpudata_release(buffer);
    }
}

const measure_side bench_gpuarray = {
    .name = "libgpuarray",
    .open = gpuarray_open,
    .close = gpuarray_close,
    .reserve = gpuarray_reserve,
    .wait = gpuarray_wait,
    .launch = gpuarray_launches,
    .launch_wait = gpuarray_launches_wait,
    .write_wait = gpuarray_writes_wait,
    .alloc_free = gpuarray_alloc_free,
};

#else

static void *not_there(yoke_device *device)
{
    (void)device;
    return NULL;
}

const measure_side bench_gpuarray = { .name = "libgpuarray", .open = not_there };

#endif
