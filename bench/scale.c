/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether Yoke slows down with the number of objects that are alive: what single operations take beside few and many buffers,
 * pinned buffers and streams; and the bytes of host memory that an object takes, the driver's share included.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define COUNT 200 /* operations of a batch */
#define SMALL 4096
#define TINY 256   /* bytes of a buffer that is only alive */
#define KERNELS 32 /* of a program */

/* What the operations are done with, beside whatever else is alive. */
typedef struct tools {
    const char *backend;
    yoke_device *device;
    yoke_stream *stream;
    yoke_buffer *buffer, *pinned;
    yoke_program *program;
    yoke_kernel *kernel;
} tools;

static void *array_of(size_t count, size_t size)
{
    void *array = calloc(count, size);
    if (!array)
        measure_fail("scale", "out of memory");
    return array;
}

/* ---- Operations ---- */

static void create_buffer(tools *t)
{
    yoke_buffer *buffer;
    measure_must(yoke_buffer_create(t->device, TINY, &buffer));
    yoke_buffer_release(buffer);
}

static void create_view(tools *t)
{
    yoke_buffer *view;
    measure_must(yoke_buffer_create_view(t->buffer, 0, TINY, &view));
    yoke_buffer_release(view);
}

static void launch(tools *t)
{
    measure_must(
        yoke_launch(t->stream, t->kernel, YOKE_DIM(1), YOKE_DIM(MEASURE_BLOCK), 0, YOKE_ARGS(t->buffer, 1.0f, (int32_t)1)));
}

static void write_pinned(tools *t)
{
    measure_must(yoke_write(t->stream, t->buffer, 0, yoke_buffer_get_host(t->pinned), SMALL));
}

static void record(tools *t)
{
    yoke_event *event;
    measure_must(yoke_event_record(t->stream, 0, &event));
    yoke_event_release(event);
}

static const struct {
    const char *name;
    void (*run)(tools *t);
} operations[] = {
    { "create_release_buffer", create_buffer }, { "create_release_view", create_view }, { "launch", launch },
    { "write_4k_pinned", write_pinned },        { "record_release_event", record },
};

enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* Nanoseconds of one call; what it gave to the device is waited for outside of that. */
static double time_operation(tools *t, void (*run)(tools *t))
{
    double *times = array_of((size_t)bench_option.rounds, sizeof *times);
    for (int i = -2; i < bench_option.rounds; i++) {
        double start = measure_now();
        for (int j = 0; j < COUNT; j++)
            run(t);
        if (i >= 0)
            times[i] = (measure_now() - start) / COUNT;
        measure_must(yoke_stream_wait(t->stream));
    }
    double median = measure_median(times, (size_t)bench_option.rounds);
    free(times);
    return median;
}

/* ---- Populations ---- */

static yoke_status populate_buffers(tools *t, void **out_object)
{
    return yoke_buffer_create(t->device, TINY, (yoke_buffer **)out_object);
}

static yoke_status populate_pinned(tools *t, void **out_object)
{
    return yoke_buffer_create_pinned(t->device, SMALL, (yoke_buffer **)out_object);
}

static yoke_status populate_streams(tools *t, void **out_object)
{
    return yoke_stream_create(t->device, NULL, (yoke_stream **)out_object);
}

static yoke_status populate_busy_streams(tools *t, void **out_object)
{
    yoke_status status = populate_streams(t, out_object);
    if (status < 0)
        return status;
    return yoke_launch(*out_object, t->kernel, YOKE_DIM(1), YOKE_DIM(MEASURE_BLOCK), 0, YOKE_ARGS(t->buffer, 1.0f, (int32_t)1));
}

static yoke_status wait_for_stream(void *object)
{
    return yoke_stream_wait(object);
}

static void release_buffer(void *object)
{
    yoke_buffer_release(object);
}

static void release_stream(void *object)
{
    yoke_stream_release(object);
}

static const struct {
    const char *name;
    size_t counts[3]; /* few first */
    yoke_status (*create)(tools *t, void **out_object);
    yoke_status (*settle)(void *object); /* after all of them have been created; or NULL */
    void (*release)(void *object);
} populations[] = {
    { "buffers", { 10, 1000, 100000 }, populate_buffers, NULL, release_buffer },
    { "pinned_buffers", { 10, 1000 }, populate_pinned, NULL, release_buffer },
    { "idle_streams", { 10, 1000 }, populate_streams, NULL, release_stream },
    { "used_streams", { 10, 1000 }, populate_busy_streams, wait_for_stream, release_stream },
};

enum { POPULATIONS = sizeof populations / sizeof populations[0] };

static void measure_population(tools *t, int which)
{
    double few[OPERATIONS] = { 0 };
    char name[96];
    for (int i = 0; i < 3 && populations[which].counts[i]; i++) {
        size_t count = populations[which].counts[i];
        void **objects = array_of(count, sizeof *objects);
        double start = measure_now();
        for (size_t j = 0; j < count; j++)
            measure_must(populations[which].create(t, &objects[j]));
        for (size_t j = 0; j < count && populations[which].settle; j++)
            measure_must(populations[which].settle(objects[j]));
        snprintf(name, sizeof name, "%zu_%s.create", count, populations[which].name);
        bench_print(t->backend, name, (measure_now() - start) / (double)count, "ns");
        for (int o = 0; o < OPERATIONS; o++) {
            double time = time_operation(t, operations[o].run);
            few[o] = i == 0 ? time : few[o];
            snprintf(name, sizeof name, "%zu_%s.%s", count, populations[which].name, operations[o].name);
            bench_print(t->backend, name, time, "ns");
            if (i > 0) {
                strcat(name, ".ratio");
                bench_print(t->backend, name, time / few[o], "of_10");
            }
        }
        start = measure_now();
        for (size_t j = 0; j < count; j++)
            populations[which].release(objects[j]);
        snprintf(name, sizeof name, "%zu_%s.release", count, populations[which].name);
        bench_print(t->backend, name, (measure_now() - start) / (double)count, "ns");
        free(objects);
    }
}

/* ---- Host memory ---- */

/* Bytes that are allocated, by whomever; 0 where the C library does not tell. */
static double allocated(void)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
#else
    return 0;
#endif
}

static yoke_status create_a_view(tools *t, void **out_object)
{
    return yoke_buffer_create_view(t->buffer, 0, TINY, (yoke_buffer **)out_object);
}

static yoke_status create_an_event(tools *t, void **out_object)
{
    return yoke_event_record(t->stream, 0, (yoke_event **)out_object);
}

static void release_event(void *object)
{
    yoke_event_release(object);
}

static void measure_host_memory(tools *t)
{
    static const struct {
        const char *name;
        size_t count;
        yoke_status (*create)(tools *t, void **out_object);
        void (*release)(void *object);
    } kinds[] = {
        { "buffer", 10000, populate_buffers, release_buffer },
        { "view", 10000, create_a_view, release_buffer },
        { "event", 1000, create_an_event, release_event },
        { "stream", 100, populate_streams, release_stream },
    };
    char name[64];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        void **objects = array_of(kinds[i].count, sizeof *objects);
        double before = allocated();
        for (size_t j = 0; j < kinds[i].count; j++)
            measure_must(kinds[i].create(t, &objects[j]));
        measure_must(yoke_stream_wait(t->stream));
        snprintf(name, sizeof name, "host_memory.%s", kinds[i].name);
        bench_print(t->backend, name, (allocated() - before) / (double)kinds[i].count, "bytes");
        for (size_t j = 0; j < kinds[i].count; j++)
            kinds[i].release(objects[j]);
        free(objects);
    }
}

/* Kernels live in their program, which therefore has many. */
static void measure_kernel_memory(tools *t)
{
    char cuda[KERNELS * 80] = "", opencl[KERNELS * 80] = "", name[32];
    yoke_source source = YOKE_SOURCE_INIT;
    yoke_program *program;
    yoke_kernel *kernel;
    for (int i = 0; i < KERNELS; i++) {
        snprintf(cuda + strlen(cuda), sizeof cuda - strlen(cuda), "extern \"C\" __global__ void k%d(int *x, int a) { x[0] = a; }\n",
                 i);
        snprintf(opencl + strlen(opencl), sizeof opencl - strlen(opencl),
                 "__kernel void k%d(__global int *x, int a) { x[0] = a; }\n", i);
    }
    source.name = "kernels";
    source.cuda = cuda;
    source.opencl = opencl;
    measure_must(yoke_program_build(t->device, &source, &program));
    measure_must(yoke_kernel_get(program, "k0", &kernel));
    double before = allocated();
    for (int i = 1; i < KERNELS; i++) {
        snprintf(name, sizeof name, "k%d", i);
        measure_must(yoke_kernel_get(program, name, &kernel));
    }
    bench_print(t->backend, "host_memory.kernel", (allocated() - before) / (KERNELS - 1), "bytes");
    yoke_program_release(program);
}

static void measure(yoke_device *device, const yoke_device_info *info)
{
    tools t = { .backend = info->backend, .device = device };
    measure_must(yoke_stream_create(device, NULL, &t.stream));
    measure_must(yoke_buffer_create(device, SMALL, &t.buffer));
    measure_must(yoke_buffer_create_pinned(device, SMALL, &t.pinned));
    measure_must(yoke_program_build(device, &measure_touch, &t.program));
    measure_must(yoke_kernel_get(t.program, "touch", &t.kernel));
    if (allocated() > 0 && (!bench_option.part || strcmp(bench_option.part, "memory") == 0)) {
        measure_host_memory(&t);
        measure_kernel_memory(&t);
    }
    for (int i = 0; i < OPERATIONS; i++) /* so that the first figures are not those of a cold start */
        time_operation(&t, operations[i].run);
    for (int i = 0; i < POPULATIONS; i++)
        if (!bench_option.part || strcmp(bench_option.part, populations[i].name) == 0)
            measure_population(&t, i);
    yoke_program_release(t.program);
    yoke_buffer_release(t.pinned);
    yoke_buffer_release(t.buffer);
    yoke_stream_release(t.stream);
}

int main(int argc, char **argv)
{
    char help[256] = "Operations beside few and many living objects, and their host memory. With --part NAME only one of: memory";
    for (int i = 0; i < POPULATIONS; i++)
        strcat(strcat(help, ", "), populations[i].name);
    return bench_main(argc, argv, "scale", strcat(help, "."), measure);
}
