/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills beside the driver's own calls: from pinned and from pageable memory, behind long work, of rectangles, within a
 * device and between devices. Speeds count what arrives. Every way is checked for what it copies before it is timed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define BUSY 10e6 /* nanoseconds of the work that a copy stands behind */

static const size_t sizes[] = { 4 << 10, 64 << 10, 1 << 20, 16 << 20, MEASURE_LARGE };

enum { SIZES = sizeof sizes / sizeof sizes[0], NOT_LARGE = SIZES - 1 };

static const measure_rect image = { .width = 3000, .height = 20000, .buffer_pitch = 4096, .host_pitch = 4000 };

/* A device, and the same work on it by hand, unless that is left out, and through Yoke. */
typedef struct place {
    yoke_device_info info;
    measure_pair sides;
} place;

/* ---- Batches ---- */

MEASURE_RUN(write_behind, side->spin(self, batch->rounds), side->write(self, 0, batch->host, batch->size, batch->count))
MEASURE_RUN(read_behind, side->spin(self, batch->rounds), side->read(self, 0, batch->host, batch->size, batch->count))
MEASURE_RUN(write_rect, , (side->write_rect(self, batch->host, &image), side->wait(self, 0)))
MEASURE_RUN(read_rect, , (side->read_rect(self, batch->host, &image), side->wait(self, 0)))
MEASURE_RUN(launch_read, , {
    for (int i = 0; i < batch->count; i++) {
        side->launch(self, 1);
        side->read(self, 0, batch->host, batch->size, 1);
        side->wait(self, 0);
    }
})

/* From one buffer's host memory, and into the other's. */
MEASURE_RUN(both_ways, , {
    side->write(self, 0, batch->host, batch->size, 1);
    side->read(self, 1, batch->other, batch->size, 1);
    side->wait(self, 0);
    side->wait(self, 1);
})

static const unsigned char pattern[16] = "\xa1\xb2\xc3\xd4\xe5\xf6\x17\x28\x39\x4a\x5b\x6c\x7d\x8e\x9f\xb0";

/* Many at once, since the work of one is short beside the call and the wait. */
MEASURE_RUN(fills, , {
    for (int i = 0; i < batch->count; i++)
        side->fill(self, batch->size, pattern, batch->pattern_size);
    side->wait(self, 0);
})
MEASURE_RUN(peers, , {
    for (int i = 0; i < batch->count; i++)
        side->peer(self, batch->other, batch->size);
    side->wait(self, 0);
})

/* ---- What the parts share ---- */

static void open_place(place *p, yoke_device *device)
{
    p->info = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    measure_must(yoke_device_get_info(device, &p->info));
    bench_open(&p->sides, device);
}

static bool left_out(const place *p, size_t size)
{
    return size > bench_option.largest || size > p->info.max_buffer;
}

/* `bytes`: of one transfer. */
static void compare_speed(const place *p, const char *name, size_t bytes, const char *unit)
{
    bench_compare_speed(p->info.backend, name, &p->sides, (double)bytes * p->sides.batch[MEASURE_YOKE].count, unit);
}

/* In microseconds of one. */
static void compare_time(const place *p, const char *name)
{
    bench_compare(p->info.backend, name, &p->sides, p->sides.batch[MEASURE_YOKE].count, "us");
}

/* Pageable memory that is there. */
static void *touched(size_t size)
{
    void *host = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!host)
        measure_fail("transfer", "out of memory");
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
            measure_fail(what, which == MEASURE_RAW ? "wrong bytes have arrived by hand: --no-raw leaves that out"
                                                    : "wrong bytes have arrived through Yoke");
}

/* ---- Host memory, pinned and pageable ---- */

static void check_copies(const place *p, void *host, size_t size)
{
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++) {
        const measure_batch *j = &p->sides.batch[i];
        if (!j->self)
            continue;
        j->side->enter(j->self);
        scribble(host, size);
        j->side->write_wait(j->self, host, size, 1);
        memset(host, 0, size);
        j->side->read_wait(j->self, host, size, 1);
        j->side->leave(j->self);
        expect(host, size, i, "write, read");
    }
}

static void check_copy(const place *p, void *host, size_t size)
{
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++) {
        const measure_batch *j = &p->sides.batch[i];
        if (!j->self)
            continue;
        j->side->enter(j->self);
        scribble(host, size);
        j->side->write_wait(j->self, host, size, 1);
        j->side->copy(j->self, size);
        j->side->wait(j->self, 0);
        memset(host, 0, size);
        j->side->read(j->self, 1, host, size, 1);
        j->side->wait(j->self, 1);
        j->side->leave(j->self);
        expect(host, size, i, "copy");
    }
}

/* The copies of the table that use this kind of host memory, in this size. */
static void measure_cases_of(place *p, int way, void *host, size_t size, int count)
{
    char name[64], size_name[16];
    for (size_t i = 0; i < measure_case_count; i++) {
        const measure_case *which = &measure_cases[i];
        if (which->group != MEASURE_COPY || which->way != way)
            continue;
        measure_set(&p->sides, which->run, host, size, count);
        compare_speed(p, bench_name(which->program_name, bench_size_name(size, size_name), name), size, which->unit);
    }
}

static void measure_host_memory(place *p, int way, void *host)
{
    for (int i = 0; i < SIZES && !left_out(p, sizes[i]); i++) {
        size_t size = sizes[i], count = (16 << 20) / size;
        measure_reserve(&p->sides, size, 0);
        check_copies(p, host, size);
        measure_cases_of(p, way, host, size, count < 1 ? 1 : count > 100 ? 100 : (int)count);
    }
}

static void *pinned_memory(yoke_device *device, size_t size, yoke_buffer **out_buffer)
{
    measure_must(yoke_buffer_create_pinned(device, size, out_buffer));
    return memset(yoke_buffer_get_host(*out_buffer), 1, size);
}

static size_t largest_of_sizes(const place *p)
{
    int i = SIZES - 1;
    while (i > 0 && left_out(p, sizes[i]))
        i--;
    return sizes[i];
}

static void measure_pinned(place *p, yoke_device *device)
{
    char name[64], size_name[16];
    size_t size = largest_of_sizes(p);
    yoke_buffer *pinned, *more;
    void *host = pinned_memory(device, size, &pinned);
    measure_host_memory(p, MEASURE_PINNED, host);

    measure_reserve(&p->sides, size, size);
    void *target = pinned_memory(device, size, &more);
    p->sides.batch[MEASURE_RAW].other = p->sides.batch[MEASURE_YOKE].other = target;
    measure_set(&p->sides, both_ways, host, size, 1);
    snprintf(name, sizeof name, "pinned_both_ways_%s", bench_size_name(size, size_name));
    compare_speed(p, name, size, "GB/s"); /* of each way */

    check_copy(p, host, size);
    measure_cases_of(p, MEASURE_ORDERED, NULL, size, p->info.kind == YOKE_DEVICE_GPU ? 10 : 1);
    yoke_buffer_release(more);
    yoke_buffer_release(pinned);
}

static void measure_pageable(place *p, yoke_device *device)
{
    void *host = touched(largest_of_sizes(p));
    (void)device;
    measure_host_memory(p, MEASURE_PLAIN, host);
    free(host);
}

/* ---- Behind long work ---- */

/* How long the calls take: who gives work to a stream should not wait for what is before it. */
static void measure_async(place *p, yoke_device *device)
{
    char name[64], size_name[16];
    (void)device;
    void *host = touched(sizes[NOT_LARGE - 1]);
    measure_reserve(&p->sides, sizes[NOT_LARGE - 1], 0);
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++)
        if (p->sides.batch[i].self)
            p->sides.batch[i].rounds = measure_rounds(&p->sides.batch[i], BUSY);
    for (int i = 0; i < NOT_LARGE && !left_out(p, sizes[i]); i++) {
        bench_size_name(sizes[i], size_name);
        measure_set(&p->sides, write_behind, host, sizes[i], 1);
        snprintf(name, sizeof name, "pageable_write_%s_behind_10ms.call", size_name);
        compare_time(p, name);
        measure_set(&p->sides, read_behind, host, sizes[i], 1);
        snprintf(name, sizeof name, "pageable_read_%s_behind_10ms.call", size_name);
        compare_time(p, name);
    }
    measure_set(&p->sides, launch_read, host, sizes[0], 100);
    compare_time(p, "launch_pageable_read_4k_wait");
    free(host);
}

/* ---- Rectangles ---- */

static void check_rect(const place *p, char *host, size_t size)
{
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++) {
        const measure_batch *j = &p->sides.batch[i];
        if (!j->self)
            continue;
        j->side->enter(j->self);
        scribble(host, size);
        j->side->write_rect(j->self, host, &image);
        j->side->wait(j->self, 0);
        for (size_t y = 0; y < image.height; y++)
            memset(host + y * image.host_pitch, 0, image.width);
        j->side->read_rect(j->self, host, &image);
        j->side->wait(j->self, 0);
        j->side->leave(j->self);
        expect(host, size, i, "rect");
    }
}

static void measure_rects(place *p, yoke_device *device)
{
    static const char *const kinds[] = { "pinned", "pageable" };
    const size_t size = image.height * image.host_pitch, moved = image.height * image.width;
    char name[64];
    yoke_buffer *pinned;
    if (left_out(p, image.height * image.buffer_pitch))
        return;
    void *hosts[2] = { pinned_memory(device, size, &pinned), touched(size) };
    measure_reserve(&p->sides, image.height * image.buffer_pitch, 0);
    for (int i = 0; i < 2; i++) {
        check_rect(p, hosts[i], size);
        measure_set(&p->sides, write_rect, hosts[i], 0, 1);
        snprintf(name, sizeof name, "%s_write_rect", kinds[i]);
        compare_speed(p, name, moved, "GB/s");
        measure_set(&p->sides, read_rect, hosts[i], 0, 1);
        snprintf(name, sizeof name, "%s_read_rect", kinds[i]);
        compare_speed(p, name, moved, "GB/s");
    }
    free(hosts[1]);
    yoke_buffer_release(pinned);
}

/* ---- Fills ---- */

static void check_fill(const place *p, size_t size, size_t pattern_size, char *host)
{
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++) {
        const measure_batch *j = &p->sides.batch[i];
        if (!j->self)
            continue;
        j->side->enter(j->self);
        memset(host, 0, size);
        j->side->fill(j->self, size, pattern, pattern_size);
        j->side->read_wait(j->self, host, size, 1);
        j->side->leave(j->self);
        if (memcmp(host, pattern, pattern_size) != 0 || memcmp(host, host + pattern_size, size - pattern_size) != 0)
            measure_fail("fill", i == MEASURE_RAW ? "wrong bytes have arrived by hand: --no-raw leaves that out"
                                                  : "wrong bytes have arrived through Yoke");
    }
}

static void measure_fills(place *p, yoke_device *device)
{
    bool gpu = p->info.kind == YOKE_DEVICE_GPU;
    size_t size = gpu ? 1 << 30 : 256 << 20;
    char name[64], size_name[16];
    (void)device;
    while (left_out(p, size))
        size /= 2;
    bench_size_name(size, size_name);
    char *host = touched(size);
    measure_reserve(&p->sides, size, 0);
    measure_set(&p->sides, fills, NULL, size, gpu ? 10 : 1);
    for (size_t bytes = 1; bytes <= sizeof pattern; bytes *= 2) {
        p->sides.batch[MEASURE_RAW].pattern_size = p->sides.batch[MEASURE_YOKE].pattern_size = bytes;
        check_fill(p, size, bytes, host);
        snprintf(name, sizeof name, "fill_%zub_%s", bytes, size_name);
        compare_speed(p, name, size, "TB/s");
    }
    free(host);
}

/* ---- Between devices ---- */

static void check_peers(const place *p, const place *other, size_t size)
{
    char *host = touched(size);
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++) {
        const measure_batch *from = &p->sides.batch[i], *to = &other->sides.batch[i];
        if (!from->self)
            continue;
        scribble(host, size);
        from->side->enter(from->self);
        from->side->write_wait(from->self, host, size, 1);
        from->side->peer(from->self, to->self, size);
        from->side->wait(from->self, 0);
        from->side->leave(from->self);
        memset(host, 0, size);
        to->side->enter(to->self);
        to->side->read_wait(to->self, host, size, 1);
        to->side->leave(to->self);
        expect(host, size, i, "peer copy");
    }
    free(host);
}

/* From `device` to `target`, with the buffers of p and other. The way by hand is there for two devices of CUDA alone. */
static void measure_way(yoke_device *device, yoke_device *target, const char *what)
{
    place p, other;
    char name[64], size_name[16];
    size_t size = MEASURE_LARGE;
    open_place(&p, device);
    open_place(&other, target);
    fprintf(stderr, "# from %s to %s\n", p.info.selector, other.info.selector);
    while (left_out(&p, size) || left_out(&other, size))
        size /= 2;
    void **raw = &p.sides.batch[MEASURE_RAW].self, *opposite = other.sides.batch[MEASURE_RAW].self;
    const measure_side *side = p.sides.batch[MEASURE_RAW].side;
    bool by_hand = *raw && side == other.sides.batch[MEASURE_RAW].side && side->connect(*raw, opposite);
    if (*raw && !by_hand) {
        side->close(*raw);
        *raw = NULL;
    }
    measure_reserve(&p.sides, size, 0);
    measure_reserve(&other.sides, size, 0);
    for (int i = MEASURE_RAW; i <= MEASURE_YOKE; i++)
        p.sides.batch[i].other = other.sides.batch[i].self;
    check_peers(&p, &other, size);
    measure_set(&p.sides, peers, NULL, size, 2);
    snprintf(name, sizeof name, "%s_%s", what, bench_size_name(size, size_name));
    compare_speed(&p, name, size, "GB/s");
    measure_close(&other.sides);
    measure_close(&p.sides);
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
    measure_must(yoke_device_list(infos, sizeof infos / sizeof infos[0], &count));
    for (size_t i = 0; i < count && i < sizeof infos / sizeof infos[0]; i++) {
        const yoke_device_info *info = &infos[i];
        if (strcmp(info->backend, backend) != 0 || info->kind != kind || strcmp(info->selector, first->selector) == 0)
            continue;
        if (!found || (strcmp(found->pci, first->pci) == 0 && strcmp(info->pci, first->pci) != 0))
            found = info;
    }
    if (found)
        measure_must(yoke_device_open(found->selector, &device));
    return device;
}

static void measure_between(yoke_device *device)
{
    yoke_device_info info = YOKE_DEVICE_INFO_INIT;
    measure_must(yoke_device_get_info(device, &info));
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

static void measure(yoke_device *device, const yoke_device_info *info)
{
    static const struct {
        const char *name;
        void (*measure)(place *p, yoke_device *device);
    } parts[] = {
        { "pinned", measure_pinned }, { "pageable", measure_pageable }, { "async", measure_async },
        { "rect", measure_rects },     { "fill", measure_fills },
    };
    (void)info;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        place p;
        if (bench_option.part && strcmp(bench_option.part, parts[i].name) != 0)
            continue;
        open_place(&p, device);
        parts[i].measure(&p, device);
        measure_close(&p.sides);
    }
    if (!bench_option.part || strcmp(bench_option.part, "peer") == 0)
        measure_between(device);
}

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "transfer",
                      "Copies and fills. With --part NAME only one of: pinned, pageable, async, rect, fill, peer.", measure);
}
