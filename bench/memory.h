/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and transfers, through Yoke or by hand on the driver below it. A side has two streams and two buffers, numbered 0 and 1;
 * what names none uses the first. Functions only give work to the device, unless their comment says that they wait.
 */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include "bench.h"

/* Rows of `width` bytes, `buffer_pitch` apart in the buffer and `host_pitch` in host memory. */
typedef struct bench_box {
    size_t width, height, buffer_pitch, host_pitch;
} bench_box;

/* How memory is allocated, with the best that each driver has for it; PINNED is host memory. */
enum {
    BENCH_PLAIN,   /* yoke_buffer_create; cuMemAlloc; clCreateBuffer, which OpenCL drivers put off until the first use */
    BENCH_PRESENT, /* the same, and on OpenCL by hand it is moved to the device at once */
    BENCH_ORDERED, /* yoke_buffer_create_ordered; cuMemAllocFromPoolAsync from a pool of its own; clCreateBuffer */
    BENCH_PINNED,
    BENCH_WAYS
};

typedef struct bench_memory {
    void *(*open)(yoke_device *device); /* beside a device that Yoke has opened, in the same context; without buffers */
    void (*close)(void *self);
    void (*reserve)(void *self, size_t size0, size_t size1); /* the buffers, instead of those before; 0 for none */
    void (*enter)(void *self); /* what a program that uses this driver alone has done long ago; around everything that follows */
    void (*leave)(void *self);
    void (*wait)(void *self, int which); /* for a stream */
    void (*launch)(void *self);          /* a small kernel that writes buffer 0 */
    void (*spin)(void *self, uint64_t rounds);
    void (*write)(void *self, int which, const void *host, size_t size);
    void (*read)(void *self, int which, void *host, size_t size);
    void (*write_wait)(void *self, const void *host, size_t size); /* finished when it returns, as read_wait */
    void (*read_wait)(void *self, void *host, size_t size);
    void (*write_box)(void *self, const void *host, const bench_box *box);
    void (*read_box)(void *self, void *host, const bench_box *box);
    void (*copy)(void *self, size_t size); /* from buffer 0 to buffer 1 */
    void (*fill)(void *self, size_t size, const void *pattern, size_t pattern_size);
    bool (*connect)(void *self, void *other);           /* for `peer`; false when there is no direct way, or none by hand */
    void (*peer)(void *self, void *other, size_t size); /* from buffer 0 to buffer 0 of the same side of another device */
    void (*alloc_free)(void *self, int way, size_t size);
    void (*alloc_launch_free)(void *self, int way, size_t size); /* a kernel that writes it between the two; not for PINNED */
} bench_memory;

extern const bench_memory bench_memory_yoke, bench_memory_cuda, bench_memory_opencl;

/* The side by hand for a device's backend. */
const bench_memory *bench_memory_raw(yoke_device *device);

/* Rounds of `spin` that take so many nanoseconds on a side's device. */
uint64_t bench_memory_rounds(const bench_memory *memory, void *self, double nanoseconds);

#endif
