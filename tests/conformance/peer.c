/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies between buffers of two devices: exactly the bytes that were asked for, whichever of the two the stream belongs to, and
 * everything else with a foreign buffer is refused. The order of such copies is in peer_order.c.
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

static const yoke_source kernels = {
    .size = sizeof kernels,
    .name = "peer test",
    .cuda = SET_CUDA,
    .opencl = SET_OPENCL,
};
static const yoke_source *const peer_source = &kernels;

enum { SIZE = 20000 };

/* ---- Rows of bytes ---- */

static const struct {
    size_t from, to, size;
} ranges[] = {
    { 0, 0, 1 },        { 0, 1, 2 },          { 1, SIZE - 1, 1 }, { 3, 7, 5 },          { 7, 3, 64 },       { 64, 128, 64 },
    { 127, 1, 129 },    { 255, 4095, 257 },   { 1000, 1, 999 },   { 4095, 8191, 4097 }, { 8192, 0, 4096 },  { 12345, 13, 6789 },
    { SIZE - 1, 0, 1 }, { SIZE - 3, 100, 3 }, { 0, 0, SIZE },     { 1, 0, SIZE - 1 },   { 0, 1, SIZE - 1 },
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

static void bytes_one_way(route r)
{
    unsigned char *data = memory_new(SIZE), *mirror = memory_new(SIZE);
    guarded source = { 0 }, target = { 0 };

    fill_random(data, SIZE, 1);
    NEED(guarded_create(r.from, SIZE, &source) && guarded_create(r.to, SIZE, &target));
    NEED(guarded_write(r.from, &source, data));
    for (uint32_t i = 0; i < 2 * RANGES; i++) {
        size_t from = ranges[i / 2].from, to = ranges[i / 2].to, size = ranges[i / 2].size;

        fill_random(mirror, SIZE, i + 2);
        NEED(guarded_write(r.to, &target, mirror));
        if (i % 2) {
            NEED_OK(yoke_copy_sync(r.on->stream, target.buffer, to, source.buffer, from, size));
        } else {
            NEED_OK(yoke_copy(r.on->stream, target.buffer, to, source.buffer, from, size));
            NEED_OK(yoke_stream_wait(r.on->stream));
        }
        memcpy(mirror + to, data + from, size);
        NEED(guarded_check(r.to, &target, mirror));
    }
    guarded_check(r.from, &source, data);
out:
    guarded_release(&target);
    guarded_release(&source);
    memory_free(mirror);
    memory_free(data);
}

static void bytes(suite *t, suite *p)
{
    for (unsigned way = 0; way < PEER_WAYS; way++)
        bytes_one_way(route_of(t, p, way));
}

/* Round the sizes at which a copy may go another way, and of several pieces. */
static bool large_one_way(route r, size_t size)
{
    enum { FROM = 3, TO = 5, REST = 7 };
    unsigned char *data = memory_new(FROM + size + REST), *mirror = memory_new(TO + size + REST);
    guarded source = { 0 }, target = { 0 };
    bool ok = false;

    fill_random(data, FROM + size + REST, (uint32_t)size);
    memset(mirror, 0x3d, TO + size + REST);
    NEED(guarded_create(r.from, FROM + size + REST, &source) && guarded_create(r.to, TO + size + REST, &target));
    NEED(guarded_write(r.from, &source, data) && guarded_write(r.to, &target, mirror));
    NEED_OK(yoke_copy(r.on->stream, target.buffer, TO, source.buffer, FROM, size));
    NEED_OK(yoke_stream_wait(r.on->stream));
    memcpy(mirror + TO, data + FROM, size);
    NEED(guarded_check(r.to, &target, mirror) && guarded_check(r.from, &source, data));
    ok = true;
out:
    guarded_release(&target);
    guarded_release(&source);
    memory_free(mirror);
    memory_free(data);
    return ok;
}

static void large(suite *t, suite *p)
{
    enum { MEBI = 1 << 20 };
    static const size_t sizes[] = { 65535, 65536, 65537, MEBI - 1, MEBI, MEBI + 1, 2 * MEBI, 2 * MEBI + 1, 4 * MEBI + 3, 9 * MEBI };

    for (unsigned way = 0; way < PEER_WAYS; way++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            if (!large_one_way(route_of(t, p, way), sizes[i]))
                return;
}

/* ---- Rects ---- */

typedef struct rect_case {
    yoke_rect rect;
    yoke_pitch to, from;
} rect_case;

static const rect_case rects[] = {
    { { 1, 1, 1 }, { 0, 0, 0 }, { 0, 0, 0 } },
    { { 100, 0, 0 }, { 1, 0, 0 }, { 3, 0, 0 } },
    { { 7, 5, 0 }, { 3, 9, 0 }, { 1, 7, 0 } },
    { { 64, 64, 1 }, { 64, 128, 0 }, { 0, 64, 0 } },
    { { 1, 5000, 1 }, { 2, 3, 0 }, { 1, 2, 0 } },
    { { 13, 1, 40 }, { 5, 13, 17 }, { 0, 20, 29 } },
    { { 3, 4, 5 }, { 1, 3, 12 }, { 7, 5, 33 } },
    { { 33, 17, 9 }, { 1001, 37, 641 }, { 77, 0, 0 } },
    { { 33, 17, 9 }, { 11, 0, 0 }, { 0, 64, 64 * 20 } },
    { { 1000, 13, 7 }, { 333, 1024, 1024 * 13 + 1 }, { 1, 1001, 1001 * 14 } },
    { { 2048, 512, 1 }, { 0, 2048, 0 }, { 2048, 4096, 0 } },
    { { 4095, 300, 2 }, { 17, 4097, 0 }, { 31, 4111, 4111 * 301 } },
    { { 120, 100, 90 }, { 9, 128, 128 * 101 }, { 5, 121, 0 } },
    { { 70000, 3, 11 }, { 0, 70001, 70001 * 4 }, { 1, 0, 0 } },
};

/* With the pitches that 0 stands for. */
static yoke_pitch layout_of(yoke_pitch layout, yoke_rect rect)
{
    layout.row_pitch = layout.row_pitch ? layout.row_pitch : rect.width;
    layout.slice_pitch = layout.slice_pitch ? layout.slice_pitch : layout.row_pitch * (rect.height ? rect.height : 1);
    return layout;
}

static size_t rect_end(yoke_pitch layout, yoke_rect rect)
{
    layout =
        yoke_pitch_from(layout_of(layout, rect), rect.width, rect.height ? rect.height - 1 : 0, rect.depth ? rect.depth - 1 : 0);
    return layout.offset;
}

static void copy_rect_host(unsigned char *to, yoke_pitch to_layout, const unsigned char *from, yoke_pitch from_layout,
                           yoke_rect rect)
{
    to_layout = layout_of(to_layout, rect);
    from_layout = layout_of(from_layout, rect);
    for (size_t z = 0; z < (rect.depth ? rect.depth : 1); z++)
        for (size_t y = 0; y < (rect.height ? rect.height : 1); y++)
            memcpy(to + yoke_pitch_from(to_layout, 0, y, z).offset, from + yoke_pitch_from(from_layout, 0, y, z).offset,
                   rect.width);
}

/* `more`: bytes that the buffers have behind the rect. */
static bool rect_one_way(route r, const rect_case *c, size_t more, bool sync)
{
    size_t from_size = rect_end(c->from, c->rect) + more, to_size = rect_end(c->to, c->rect) + more;
    unsigned char *data = memory_new(from_size), *mirror = memory_new(to_size);
    guarded source = { 0 }, target = { 0 };
    bool ok = false;

    fill_random(data, from_size, 4);
    fill_random(mirror, to_size, 5);
    NEED(guarded_create(r.from, from_size, &source) && guarded_create(r.to, to_size, &target));
    NEED(guarded_write(r.from, &source, data) && guarded_write(r.to, &target, mirror));
    if (sync) {
        NEED_OK(yoke_copy_rect_sync(r.on->stream, target.buffer, c->to, source.buffer, c->from, c->rect));
    } else {
        NEED_OK(yoke_copy_rect(r.on->stream, target.buffer, c->to, source.buffer, c->from, c->rect));
        NEED_OK(yoke_stream_wait(r.on->stream));
    }
    copy_rect_host(mirror, c->to, data, c->from, c->rect);
    NEED(guarded_check(r.to, &target, mirror) && guarded_check(r.from, &source, data));
    ok = true;
out:
    if (!ok)
        tap_diag("a rect of %zu x %zu x %zu bytes", c->rect.width, c->rect.height, c->rect.depth);
    guarded_release(&target);
    guarded_release(&source);
    memory_free(mirror);
    memory_free(data);
    return ok;
}

static void rects_of_all_shapes(suite *t, suite *p)
{
    for (unsigned way = 0; way < PEER_WAYS; way++)
        for (size_t i = 0; i < sizeof rects / sizeof rects[0]; i++)
            if (!rect_one_way(route_of(t, p, way), &rects[i], i % 3 ? 7 * i : 0, i % 2))
                return;
}

static void random_rects(suite *t, suite *p)
{
    uint32_t dice[10];

    for (uint32_t i = 0; i < 60; i++) {
        fill_random(dice, sizeof dice, i + 1000);
        rect_case c = { .rect = { dice[0] % 99 + 1, dice[1] % 19 + 1, dice[2] % 9 + 1 } };
        c.to = (yoke_pitch){ dice[3] % 50, c.rect.width + dice[4] % 13, 0 };
        c.to.slice_pitch = c.to.row_pitch * c.rect.height + dice[5] % 31;
        c.from = (yoke_pitch){ dice[6] % 50, c.rect.width + dice[7] % 13, 0 };
        c.from.slice_pitch = c.from.row_pitch * c.rect.height + dice[8] % 31;
        if (!rect_one_way(route_of(t, p, dice[9] >> 4), &c, dice[9] % 5, dice[9] >> 8 & 1))
            return;
    }
}

/* ---- Views, and other kinds of memory ---- */

static void views_one_way(route r)
{
    enum { AT = 1001, LENGTH = 9001, INNER = 77, INNER_LENGTH = 8000 };
    unsigned char *data = memory_new(SIZE), *mirror = memory_new(SIZE);
    yoke_buffer *from = NULL, *from_inner = NULL, *to = NULL, *to_inner = NULL;
    guarded source = { 0 }, target = { 0 };
    yoke_pitch to_layout = { 1, 61, 0 }, from_layout = { 5, 53, 53 * 12 };
    yoke_rect rect = { 51, 11, 9 };

    fill_random(data, SIZE, 6);
    fill_random(mirror, SIZE, 7);
    NEED(guarded_create(r.from, SIZE, &source) && guarded_create(r.to, SIZE, &target));
    NEED(guarded_write(r.from, &source, data) && guarded_write(r.to, &target, mirror));
    NEED_OK(yoke_buffer_create_view(source.buffer, AT, LENGTH, &from));
    NEED_OK(yoke_buffer_create_view(from, INNER, INNER_LENGTH, &from_inner));
    NEED_OK(yoke_buffer_create_view(target.buffer, SIZE - LENGTH, LENGTH, &to));
    NEED_OK(yoke_buffer_create_view(to, LENGTH - INNER_LENGTH, INNER_LENGTH, &to_inner));
    NEED_OK(yoke_copy(r.on->stream, to, 0, from, 1, 100));
    memcpy(mirror + SIZE - LENGTH, data + AT + 1, 100);
    NEED_OK(yoke_copy(r.on->stream, to_inner, INNER_LENGTH - 999, from_inner, INNER_LENGTH - 999, 999));
    memcpy(mirror + SIZE - 999, data + AT + INNER + INNER_LENGTH - 999, 999);
    NEED_OK(yoke_copy_rect(r.on->stream, to_inner, to_layout, from_inner, from_layout, rect));
    copy_rect_host(mirror + SIZE - INNER_LENGTH, to_layout, data + AT + INNER, from_layout, rect);
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy(r.on->stream, to_inner, 0, from_inner, 1, INNER_LENGTH));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy(r.on->stream, to_inner, 1, from, 0, INNER_LENGTH));
    NEED_OK(yoke_stream_wait(r.on->stream));
    guarded_check(r.to, &target, mirror);
    guarded_check(r.from, &source, data);
out:
    yoke_stream_wait(r.on->stream);
    yoke_buffer_release(to_inner);
    yoke_buffer_release(to);
    yoke_buffer_release(from_inner);
    yoke_buffer_release(from);
    guarded_release(&target);
    guarded_release(&source);
    memory_free(mirror);
    memory_free(data);
}

static void views(suite *t, suite *p)
{
    for (unsigned way = 0; way < PEER_WAYS; way++)
        views_one_way(route_of(t, p, way));
}

/* Between `host`, of a kind that the host reaches itself, and device memory of the other, there and back. Pinned memory is taken
 * for the host's: the stream has to be of the other's device. */
static void kind_one_way(route r, int32_t kind)
{
    unsigned char *data = memory_new(SIZE), *mirror = memory_new(SIZE);
    yoke_buffer *host = NULL;
    guarded target = { 0 };

    fill_random(data, SIZE, 8);
    fill_random(mirror, SIZE, 9);
    NEED(guarded_create(r.to, SIZE, &target) && guarded_write(r.to, &target, mirror));
    NEED_OK(yoke_buffer_create_in(r.from->device, kind, SIZE, &host));
    unsigned char *at = yoke_buffer_get_host(host);
    NEED(at != NULL);
    memcpy(at, data, SIZE);
    if (kind == YOKE_MEMORY_PINNED && r.on == r.from) {
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, r.to->info.selector, yoke_copy(r.on->stream, target.buffer, 11, host, 3, SIZE - 100));
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, r.from->info.selector, yoke_copy(r.on->stream, host, 0, target.buffer, 1, SIZE - 1));
        goto out;
    }
    NEED_OK(yoke_copy(r.on->stream, target.buffer, 11, host, 3, SIZE - 100));
    memcpy(mirror + 11, data + 3, SIZE - 100);
    NEED_OK(yoke_copy(r.on->stream, host, 0, target.buffer, 1, SIZE - 1));
    memcpy(data, mirror + 1, SIZE - 1);
    NEED_OK(yoke_stream_wait(r.on->stream));
    guarded_check(r.to, &target, mirror);
    CHECK_BYTES(at, data, SIZE);
out:
    yoke_stream_wait(r.on->stream);
    yoke_buffer_release(host);
    guarded_release(&target);
    memory_free(mirror);
    memory_free(data);
}

static void kinds(suite *t, suite *p)
{
    for (unsigned way = 0; way < PEER_WAYS; way++) {
        route r = route_of(t, p, way);

        kind_one_way(r, YOKE_MEMORY_PINNED);
        if (suite_can(r.from, YOKE_CAP_MAPPED))
            kind_one_way(r, YOKE_MEMORY_MAPPED);
        if (suite_can(r.from, YOKE_CAP_MANAGED))
            kind_one_way(r, YOKE_MEMORY_MANAGED);
    }
}

/* ---- What is refused ---- */

/* Nothing happens to the foreign buffer, nor to the stream. */
static void refused_there(suite *t, suite *p)
{
    unsigned char *data = memory_new(SIZE), *host = memory_new(SIZE);
    yoke_pitch layout = { 0, 64, 0 };
    yoke_rect rect = { 32, 9, 2 };
    yoke_kernel *set = suite_kernel(t, "set"), *theirs = suite_kernel(p, "set");
    guarded own = { 0 }, foreign = { 0 };
    char both[80];

    snprintf(both, sizeof both, "%s|%s", t->info.selector, p->info.selector);
    fill_random(data, SIZE, 10);
    NEED(set && theirs && guarded_create(t, SIZE, &own) && guarded_create(p, SIZE, &foreign));
    NEED(guarded_write(p, &foreign, data) && guarded_write(t, &own, data));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_launch_n(t->stream, set, 1, YOKE_ARGS(foreign.buffer, (uint32_t)1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_launch_n(t->stream, theirs, 1, YOKE_ARGS(own.buffer, (uint32_t)1)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_fill(t->stream, foreign.buffer, 0, 100, "x", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_fill_rect(t->stream, foreign.buffer, layout, rect, "x", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_write(t->stream, foreign.buffer, 0, host, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_write_sync(t->stream, foreign.buffer, 0, host, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_write_rect(t->stream, foreign.buffer, layout, host, layout, rect));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_read(t->stream, host, foreign.buffer, 0, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_read_rect(t->stream, host, layout, foreign.buffer, layout, rect));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_copy(t->stream, foreign.buffer, 0, foreign.buffer, 1000, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both, yoke_copy(t->stream, foreign.buffer, 0, foreign.whole, 10000, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, both,
                yoke_copy_rect(t->stream, foreign.buffer, layout, foreign.whole, (yoke_pitch){ 9999, 64, 0 }, rect));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "", yoke_copy(t->stream, own.buffer, 0, foreign.buffer, 0, 0));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy(t->stream, own.buffer, 1, foreign.buffer, 0, SIZE));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy(t->stream, foreign.buffer, 0, own.buffer, SIZE, 1));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy(t->stream, foreign.buffer, SIZE_MAX, own.buffer, 0, 2));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "",
                yoke_copy_rect(t->stream, own.buffer, (yoke_pitch){ 0, 31, 0 }, foreign.buffer, layout, rect));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy_rect(t->stream, own.buffer, layout, foreign.buffer, layout, (yoke_rect){ 64, 99, 99 }));
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(p, &foreign, data);
    guarded_check(t, &own, data);
out:
    guarded_release(&foreign);
    guarded_release(&own);
    memory_free(host);
    memory_free(data);
}

static void refused(suite *t, suite *p)
{
    refused_there(t, p);
    refused_there(p, t);
}

/* Two pinned buffers, and two of the other device's. */
static void refused_pinned(suite *t, suite *p)
{
    yoke_buffer *own = NULL, *foreign = NULL, *far = NULL;

    NEED_OK(yoke_buffer_create_pinned(t->device, 100, &own));
    NEED_OK(yoke_buffer_create_pinned(p->device, 100, &foreign));
    NEED_OK(yoke_buffer_create(p->device, 100, &far));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_copy(t->stream, own, 0, foreign, 0, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_copy(p->stream, own, 0, foreign, 0, 100));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "", yoke_copy(t->stream, foreign, 0, far, 0, 100));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(p->stream));
out:
    yoke_buffer_release(far);
    yoke_buffer_release(foreign);
    yoke_buffer_release(own);
}

/* ---- In other environments ---- */

static void environments(suite *t)
{
    static const char *const orders[] = { "YOKE_STAGING=1", "YOKE_STAGING=0", "YOKE_BLOCKING=1", "YOKE_COPY_THREADS=1" };
    yoke_device_info other = t->info;
    yoke_device *device = NULL;

    if (suite_open_other(t, &device))
        CHECK_OK(yoke_device_get_info(device, &other));
    yoke_device_release(device);
    if (strcmp(other.selector, t->info.selector) < 0) {
        suite_skip("%s has copied both ways", other.selector);
        return;
    }
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (!suite_again(other.selector, t->info.selector, (const char *const[]){ orders[i], NULL }, NULL, 0))
            tap_diag("with %s", orders[i]);
}

static int run_environment(const char *theirs, const char *ours)
{
    suite t = { 0 }, p = { 0 };

    if (CHECK_OK(yoke_device_open(ours, &t.device)) && peer_ready(&t, peer_source) &&
        CHECK_OK(yoke_device_open(theirs, &p.device)) && peer_ready(&p, peer_source)) {
        bytes(&t, &p);
        large(&t, &p);
        rects_of_all_shapes(&t, &p);
        kinds(&t, &p);
    }
    peer_close(&p);
    peer_close(&t);
    return suite_failures() != 0;
}

/* ---- Every pair of devices that can be seen, of all backends ---- */

enum { MOST_DEVICES = 16 };

static int run_pairs(void)
{
    yoke_device_info infos[MOST_DEVICES];
    suite all[MOST_DEVICES] = { { 0 } };
    size_t count = 0, ready = 0;

    for (size_t i = 0; i < MOST_DEVICES; i++)
        infos[i] = (yoke_device_info)YOKE_DEVICE_INFO_INIT;
    NEED_OK(yoke_device_list(infos, MOST_DEVICES, &count));
    count = count < MOST_DEVICES ? count : MOST_DEVICES;
    for (; ready < count; ready++)
        if (!CHECK_OK(yoke_device_open(infos[ready].selector, &all[ready].device)) || !peer_ready(&all[ready], NULL))
            break;
    for (size_t a = 0; a < ready; a++)
        for (size_t b = 0; b < ready; b++)
            for (unsigned way = 0; a != b && way < PEER_WAYS; way += 2) { /* the other ways are b's and a's */
                route r = route_of(&all[a], &all[b], way);
                if (!rect_one_way(r, &(rect_case){ { 1, 0, 0 }, { 7, 0, 0 }, { 3, 0, 0 } }, 5, false) ||
                    !rect_one_way(r, &(rect_case){ { (1 << 21) + 77, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } }, 3, false) ||
                    !rect_one_way(r, &rects[sizeof rects / sizeof rects[0] - 4], 9, true))
                    tap_diag("from %s to %s, by %s", r.from->info.selector, r.to->info.selector, r.on->info.selector);
            }
    tap_diag("%zu devices, %zu pairs", ready, ready * ready - ready);
out:
    for (size_t i = 0; i < MOST_DEVICES; i++)
        peer_close(&all[i]);
    return suite_failures() != 0;
}

static void all_pairs(suite *t)
{
    size_t count = 0;

    (void)t;
    NEED_OK(yoke_device_count(&count));
    if (count == 0)
        suite_skip("no device");
    else
        suite_again("pairs", "all", (const char *const[]){ "YOKE_BACKEND", NULL }, NULL, 0);
out:;
}

#define PEER_CASES(X)                                         \
    X(bytes, "copies move exactly their bytes")               \
    X(large, "copies up to 9 MiB")                            \
    X(rects_of_all_shapes, "rects of all shapes")             \
    X(random_rects, "random rects")                           \
    X(views, "views")                                         \
    X(kinds, "pinned, mapped and shared memory")              \
    X(refused, "foreign buffers are refused everywhere else") \
    X(refused_pinned, "two pinned buffers, and none of the stream's device")

PEER_CASES(PEER_BOTH)

int main(int argc, char **argv)
{
    static const suite_case cases[] = { { "every pair of devices, of all backends", all_pairs, true },
                                        { "copies in other environments", environments, false },
                                        PEER_CASES(PEER_ENTRIES) };

    if (argc == 3)
        return strcmp(argv[1], "pairs") == 0 ? run_pairs() : run_environment(argv[1], argv[2]);
    return SUITE_MAIN(cases, peer_source);
}
