/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills beside the driver's own calls: from pinned and from pageable memory, behind long work, of boxes, within a device
 * and between devices. Speeds count what arrives. Every way is checked for what it copies before it is timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define BUSY 10e6 /* nanoseconds of the work that a copy stands behind */

static const size_t sizes[] = { 4 << 10, 64 << 10, 1 << 20, 16 << 20, BENCH_LARGE };

enum { SIZES = sizeof sizes / sizeof sizes[0], NOT_LARGE = SIZES - 1 };

static const bench_box image = { .width = 3000, .height = 20000, .buffer_pitch = 4096, .host_pitch = 4000 };

/* A batch, and what else it takes. */
typedef struct job {
    bench_batch batch; /* the first member: bench_compare hands it back */
    const bench_memory *side;
    void *other;     /* of copies both ways: where to read to; of copies between devices: the other device's side */
    uint64_t rounds; /* of the long work */
    size_t pattern_size;
} job;

enum { RAW, YOKE };

/* The same job by hand, unless that is left out, and through Yoke. */
typedef struct pair {
    yoke_device_info info;
    job jobs[2];
} pair;

static void must(yoke_status status)
{
    if (status < 0)
        bench_fail("transfer", yoke_error()->text);
}

/* ---- Batches ---- */

/* A batch function that times `work`, and waits afterwards for what it has only given to the device. */
#define TIMED(name, before, work)                \
    static double name(const bench_batch *batch) \
    {                                            \
        const job *j = (const job *)batch;       \
        const bench_memory *side = j->side;      \
        void *self = batch->self;                \
        side->enter(self);                       \
        before;                                  \
        double start = bench_now();              \
        for (int i = 0; i < batch->count; i++) { \
            work;                                \
        }                                        \
        double time = bench_now() - start;       \
        side->wait(self, 0);                     \
        side->leave(self);                       \
        return time;                             \
    }

TIMED(write_wait, (void)0, side->write_wait(self, batch->host, batch->size))
TIMED(read_wait, (void)0, side->read_wait(self, batch->host, batch->size))
TIMED(write_behind, side->spin(self, j->rounds), side->write(self, 0, batch->host, batch->size))
TIMED(read_behind, side->spin(self, j->rounds), side->read(self, 0, batch->host, batch->size))
TIMED(launch_read, (void)0, side->launch(self); side->read(self, 0, batch->host, batch->size); side->wait(self, 0))
TIMED(write_box, (void)0, side->write_box(self, batch->host, &image); side->wait(self, 0))
TIMED(read_box, (void)0, side->read_box(self, batch->host, &image); side->wait(self, 0))

/* From one buffer's host memory, and into the other's. */
TIMED(both_ways, (void)0, side->write(self, 0, batch->host, batch->size); side->read(self, 1, j->other, batch->size);
      side->wait(self, 0); side->wait(self, 1))

/* Many at once, since the work of one is short beside the call and the wait. */
#define TIMED_TOGETHER(name, work)               \
    static double name(const bench_batch *batch) \
    {                                            \
        const job *j = (const job *)batch;       \
        const bench_memory *side = j->side;      \
        void *self = batch->self;                \
        side->enter(self);                       \
        double start = bench_now();              \
        for (int i = 0; i < batch->count; i++)   \
            work;                                \
        side->wait(self, 0);                     \
        double time = bench_now() - start;       \
        side->leave(self);                       \
        return time;                             \
    }

static const unsigned char pattern[16] = "\xa1\xb2\xc3\xd4\xe5\xf6\x17\x28\x39\x4a\x5b\x6c\x7d\x8e\x9f\xb0";

TIMED_TOGETHER(copies, side->copy(self, batch->size))
TIMED_TOGETHER(fills, side->fill(self, batch->size, pattern, j->pattern_size))
TIMED_TOGETHER(peers, side->peer(self, j->other, batch->size))

/* ---- What the parts share ---- */

static void open_pair(pair *p, yoke_device *device)
{
    *p = (pair){ .info = YOKE_DEVICE_INFO_INIT };
    must(yoke_device_get_info(device, &p->info));
    p->jobs[YOKE].side = &bench_memory_yoke;
    p->jobs[RAW].side = bench_memory_raw(device);
    for (int i = bench_option.no_raw ? YOKE : RAW; i <= YOKE; i++)
        p->jobs[i].batch.self = p->jobs[i].side->open(device);
}

static void close_pair(pair *p)
{
    for (int i = RAW; i <= YOKE; i++)
        if (p->jobs[i].batch.self)
            p->jobs[i].side->close(p->jobs[i].batch.self);
}

static void reserve(pair *p, size_t size0, size_t size1)
{
    for (int i = RAW; i <= YOKE; i++)
        if (p->jobs[i].batch.self)
            p->jobs[i].side->reserve(p->jobs[i].batch.self, size0, size1);
}

static bool left_out(const pair *p, size_t size)
{
    return size > bench_option.largest || size > p->info.max_buffer;
}

static void set(pair *p, double (*run)(const bench_batch *batch), void *host, size_t size, int count)
{
    for (int i = RAW; i <= YOKE; i++) {
        bench_batch *batch = &p->jobs[i].batch;
        batch->run = run;
        batch->host = host;
        batch->size = size;
        batch->count = count;
    }
}

/* `bytes`: of one transfer. */
static void compare_speed(const pair *p, const char *name, size_t bytes)
{
    const bench_batch *raw = &p->jobs[RAW].batch, *yoke = &p->jobs[YOKE].batch;
    bench_compare_speed(p->info.backend, name, raw, yoke, (double)bytes * yoke->count, "GB/s");
}

/* In microseconds of one. */
static void compare_time(const pair *p, const char *name)
{
    const bench_batch *raw = &p->jobs[RAW].batch, *yoke = &p->jobs[YOKE].batch;
    bench_compare(p->info.backend, name, raw, yoke, 1e3 * yoke->count, "us");
}

/* Pageable memory that is there. */
static void *touched(size_t size)
{
    void *host = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!host)
        bench_fail("transfer", "out of memory");
    return memset(host, 1, size);
}

/* What the checks look for: bytes that repeat nowhere near. */
static void scribble(void *host, size_t size)
{
    unsigned char *bytes = host;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 16));
}

static void expect(const void *host, size_t size, int which, const char *what)
{
    const unsigned char *bytes = host;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (unsigned char)(i * 31 + (i >> 8) * 7 + (i >> 16)))
            bench_fail(what, which == RAW ? "wrong bytes have arrived by hand: --no-raw leaves that out"
                                          : "wrong bytes have arrived through Yoke");
}

/* ---- Host memory, pinned and pageable ---- */

static void check_copies(const pair *p, void *host, size_t size)
{
    for (int i = RAW; i <= YOKE; i++) {
        const job *j = &p->jobs[i];
        if (!j->batch.self)
            continue;
        j->side->enter(j->batch.self);
        scribble(host, size);
        j->side->write_wait(j->batch.self, host, size);
        memset(host, 0, size);
        j->side->read_wait(j->batch.self, host, size);
        j->side->leave(j->batch.self);
        expect(host, size, i, "write, read");
    }
}

static void check_copy(const pair *p, void *host, size_t size)
{
    for (int i = RAW; i <= YOKE; i++) {
        const job *j = &p->jobs[i];
        if (!j->batch.self)
            continue;
        j->side->enter(j->batch.self);
        scribble(host, size);
        j->side->write_wait(j->batch.self, host, size);
        j->side->copy(j->batch.self, size);
        j->side->wait(j->batch.self, 0);
        memset(host, 0, size);
        j->side->read(j->batch.self, 1, host, size);
        j->side->wait(j->batch.self, 1);
        j->side->leave(j->batch.self);
        expect(host, size, i, "copy");
    }
}

static void measure_host_memory(pair *p, const char *kind, void *host)
{
    char name[64], size_name[16];
    for (int i = 0; i < SIZES && !left_out(p, sizes[i]); i++) {
        size_t size = sizes[i], count = (16 << 20) / size;
        count = count < 1 ? 1 : count > 100 ? 100 : count;
        reserve(p, size, 0);
        check_copies(p, host, size);
        snprintf(name, sizeof name, "%s_write_%s", kind, bench_size_name(size, size_name));
        set(p, write_wait, host, size, (int)count);
        compare_speed(p, name, size);
        snprintf(name, sizeof name, "%s_read_%s", kind, size_name);
        set(p, read_wait, host, size, (int)count);
        compare_speed(p, name, size);
    }
}

static void *pinned_memory(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    must(yoke_buffer_create_pinned(device, size, out_buffer));
    return memset(yoke_buffer_get_host(*out_buffer), 1, size);
}

static size_t largest_of_sizes(const pair *p)
{
    int i = SIZES - 1;
    while (i > 0 && left_out(p, sizes[i]))
        i--;
    return sizes[i];
}

static void measure_pinned(pair *p, yoke_device *device)
{
    char name[64], size_name[16];
    size_t size = largest_of_sizes(p);
    yoke_buffer *pinned, *more;
    void *host = pinned_memory(device, size, &pinned);
    measure_host_memory(p, "pinned", host);

    reserve(p, size, size);
    void *target = pinned_memory(device, size, &more);
    p->jobs[RAW].other = p->jobs[YOKE].other = target;
    set(p, both_ways, host, size, 1);
    snprintf(name, sizeof name, "pinned_both_ways_%s", bench_size_name(size, size_name));
    compare_speed(p, name, size); /* of each way */

    check_copy(p, host, size);
    set(p, copies, NULL, size, p->info.kind == YOKE_DEVICE_GPU ? 10 : 1);
    snprintf(name, sizeof name, "copy_%s", size_name);
    compare_speed(p, name, size);
    yoke_buffer_release(more);
    yoke_buffer_release(pinned);
}

static void measure_pageable(pair *p, yoke_device *device)
{
    void *host = touched(largest_of_sizes(p));
    (void)device;
    measure_host_memory(p, "pageable", host);
    free(host);
}

/* ---- Behind long work ---- */

/* How long the calls take: who gives work to a stream should not wait for what is before it. */
static void measure_async(pair *p, yoke_device *device)
{
    char name[64], size_name[16];
    (void)device;
    void *host = touched(sizes[NOT_LARGE - 1]);
    reserve(p, sizes[NOT_LARGE - 1], 0);
    for (int i = RAW; i <= YOKE; i++)
        if (p->jobs[i].batch.self)
            p->jobs[i].rounds = bench_memory_rounds(p->jobs[i].side, p->jobs[i].batch.self, BUSY);
    for (int i = 0; i < NOT_LARGE && !left_out(p, sizes[i]); i++) {
        bench_size_name(sizes[i], size_name);
        set(p, write_behind, host, sizes[i], 1);
        snprintf(name, sizeof name, "pageable_write_%s_behind_10ms.call", size_name);
        compare_time(p, name);
        set(p, read_behind, host, sizes[i], 1);
        snprintf(name, sizeof name, "pageable_read_%s_behind_10ms.call", size_name);
        compare_time(p, name);
    }
    set(p, launch_read, host, sizes[0], 100);
    compare_time(p, "launch_pageable_read_4k_wait");
    free(host);
}

/* ---- Boxes ---- */

static void check_box(const pair *p, char *host, size_t size)
{
    for (int i = RAW; i <= YOKE; i++) {
        const job *j = &p->jobs[i];
        if (!j->batch.self)
            continue;
        j->side->enter(j->batch.self);
        scribble(host, size);
        j->side->write_box(j->batch.self, host, &image);
        j->side->wait(j->batch.self, 0);
        for (size_t y = 0; y < image.height; y++)
            memset(host + y * image.host_pitch, 0, image.width);
        j->side->read_box(j->batch.self, host, &image);
        j->side->wait(j->batch.self, 0);
        j->side->leave(j->batch.self);
        expect(host, size, i, "box");
    }
}

static void measure_boxes(pair *p, yoke_device *device)
{
    static const char *const kinds[] = { "pinned", "pageable" };
    const size_t size = image.height * image.host_pitch, moved = image.height * image.width;
    char name[64];
    yoke_buffer *pinned;
    if (left_out(p, image.height * image.buffer_pitch))
        return;
    void *hosts[2] = { pinned_memory(device, size, &pinned), touched(size) };
    reserve(p, image.height * image.buffer_pitch, 0);
    for (int i = 0; i < 2; i++) {
        check_box(p, hosts[i], size);
        set(p, write_box, hosts[i], 0, 1);
        snprintf(name, sizeof name, "%s_write_box", kinds[i]);
        compare_speed(p, name, moved);
        set(p, read_box, hosts[i], 0, 1);
        snprintf(name, sizeof name, "%s_read_box", kinds[i]);
        compare_speed(p, name, moved);
    }
    free(hosts[1]);
    yoke_buffer_release(pinned);
}

/* ---- Fills ---- */

static void check_fill(const pair *p, size_t size, size_t pattern_size, char *host)
{
    for (int i = RAW; i <= YOKE; i++) {
        const job *j = &p->jobs[i];
        if (!j->batch.self)
            continue;
        j->side->enter(j->batch.self);
        memset(host, 0, size);
        j->side->fill(j->batch.self, size, pattern, pattern_size);
        j->side->read_wait(j->batch.self, host, size);
        j->side->leave(j->batch.self);
        if (memcmp(host, pattern, pattern_size) != 0 || memcmp(host, host + pattern_size, size - pattern_size) != 0)
            bench_fail("fill", i == RAW ? "wrong bytes have arrived by hand: --no-raw leaves that out"
                                        : "wrong bytes have arrived through Yoke");
    }
}

static void measure_fills(pair *p, yoke_device *device)
{
    bool gpu = p->info.kind == YOKE_DEVICE_GPU;
    size_t size = gpu ? 1 << 30 : 256 << 20;
    char name[64], size_name[16];
    (void)device;
    while (left_out(p, size))
        size /= 2;
    bench_size_name(size, size_name);
    char *host = touched(size);
    reserve(p, size, 0);
    set(p, fills, NULL, size, gpu ? 10 : 1);
    for (size_t bytes = 1; bytes <= sizeof pattern; bytes *= 2) {
        p->jobs[RAW].pattern_size = p->jobs[YOKE].pattern_size = bytes;
        check_fill(p, size, bytes, host);
        snprintf(name, sizeof name, "fill_%zub_%s", bytes, size_name);
        bench_compare_speed(p->info.backend, name, &p->jobs[RAW].batch, &p->jobs[YOKE].batch,
                            (double)size * p->jobs[YOKE].batch.count / 1e3, "TB/s");
    }
    free(host);
}

/* ---- Between devices ---- */

static void check_peers(const pair *p, const pair *other, size_t size)
{
    char *host = touched(size);
    for (int i = RAW; i <= YOKE; i++) {
        const job *from = &p->jobs[i], *to = &other->jobs[i];
        if (!from->batch.self)
            continue;
        scribble(host, size);
        from->side->enter(from->batch.self);
        from->side->write_wait(from->batch.self, host, size);
        from->side->peer(from->batch.self, to->batch.self, size);
        from->side->wait(from->batch.self, 0);
        from->side->leave(from->batch.self);
        memset(host, 0, size);
        to->side->enter(to->batch.self);
        to->side->read_wait(to->batch.self, host, size);
        to->side->leave(to->batch.self);
        expect(host, size, i, "peer copy");
    }
    free(host);
}

/* From `device` to `target`, with the buffers of p and other. The way by hand is there for two devices of CUDA alone. */
static void measure_way(yoke_device *device, yoke_device *target, const char *what)
{
    pair p, other;
    char name[64], size_name[16];
    size_t size = BENCH_LARGE;
    open_pair(&p, device);
    open_pair(&other, target);
    fprintf(stderr, "# from %s to %s\n", p.info.selector, other.info.selector);
    while (left_out(&p, size) || left_out(&other, size))
        size /= 2;
    void **raw = &p.jobs[RAW].batch.self, *opposite = other.jobs[RAW].batch.self;
    bool by_hand = *raw && p.jobs[RAW].side == other.jobs[RAW].side && p.jobs[RAW].side->connect(*raw, opposite);
    if (*raw && !by_hand) {
        p.jobs[RAW].side->close(*raw);
        *raw = NULL;
    }
    reserve(&p, size, 0);
    reserve(&other, size, 0);
    for (int i = RAW; i <= YOKE; i++)
        p.jobs[i].other = other.jobs[i].batch.self;
    check_peers(&p, &other, size);
    set(&p, peers, NULL, size, 2);
    snprintf(name, sizeof name, "%s_%s", what, bench_size_name(size, size_name));
    compare_speed(&p, name, size);
    close_pair(&other);
    close_pair(&p);
}

/* A device of `backend` and `kind` (0 for any) that is not `first`, best one at another place; NULL when there is none. */
static yoke_device *another(const char *backend, int32_t kind, const yoke_device_info *first)
{
    yoke_device_info infos[64];
    const yoke_device_info *found = NULL;
    yoke_device *device = NULL;
    size_t count = 0;
    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    must(yoke_device_list(infos, sizeof infos / sizeof infos[0], &count));
    for (size_t i = 0; i < count && i < sizeof infos / sizeof infos[0]; i++) {
        const yoke_device_info *info = &infos[i];
        if (strcmp(info->backend, backend) != 0 || info->kind != kind || strcmp(info->selector, first->selector) == 0)
            continue;
        if (!found || (strcmp(found->pci, first->pci) == 0 && strcmp(info->pci, first->pci) != 0))
            found = info;
    }
    if (found)
        must(yoke_device_open(found->selector, &device));
    return device;
}

static void measure_between(yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    must(yoke_device_get_info(device, &info));
    const char *backends[] = { info.backend, strcmp(info.backend, "cuda") == 0 ? "opencl" : "cuda" };
    for (int i = 0; i < 2; i++) {
        yoke_device *target = another(backends[i], info.kind, &info);
        char what[32];
        if (target)
            snprintf(what, sizeof what, i == 0 ? "to_another" : "to_%s", backends[i]);
        if (target)
            measure_way(device, target, what);
        else
            fprintf(stderr, "# %s: no other such device of %s to copy to\n", info.selector, backends[i]);
        yoke_device_release(target);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*measure)(pair *p, yoke_device *device);
    } parts[] = {
        { "pinned", measure_pinned }, { "pageable", measure_pageable }, { "async", measure_async },
        { "box", measure_boxes },     { "fill", measure_fills },
    };
    yoke_device *device;
    bench_begin(argc, argv, "transfer",
                "Copies and fills. With --part NAME only one of: pinned, pageable, async, box, fill, peer.");
    while ((device = bench_next_device())) {
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            pair p;
            if (bench_option.part && strcmp(bench_option.part, parts[i].name) != 0)
                continue;
            open_pair(&p, device);
            parts[i].measure(&p, device);
            close_pair(&p);
        }
        if (!bench_option.part || strcmp(bench_option.part, "peer") == 0)
            measure_between(device);
        yoke_device_release(device);
    }
    return bench_end();
}
