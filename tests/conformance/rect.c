/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rects: copies and fills of two and three dimensions move exactly their rows and leave what is between them alone, whatever the
 * pitches and whatever memory is on either side. Bad rects are in rect_misuse.c, random ones in transfer.c.
 */
#include "again.h"
#include "area.h"
#include "stand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SIZE = 24000 };

/* A rect with a layout for either side. */
typedef struct shape {
    yoke_pitch target, source;
    yoke_rect rect;
} shape;

static const shape shapes[] = {
    /* rows */
    { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 } },
    { { 5, 0, 0 }, { 7, 0, 0 }, { 1000, 0, 0 } },
    { { SIZE - 1, 9, 99 }, { SIZE - 1, 0, 0 }, { 1, 1, 1 } },
    { { 0, 0, 0 }, { 0, SIZE, SIZE }, { SIZE, 1, 1 } },
    /* two dimensions: without gaps, with gaps on one side or both, of width 1, a single column, the last byte at the very end */
    { { 0, 100, 0 }, { 0, 100, 0 }, { 100, 20, 0 } },
    { { 3, 0, 0 }, { 0, 100, 0 }, { 77, 20, 0 } },
    { { 0, 128, 0 }, { 9, 0, 0 }, { 77, 20, 1 } },
    { { 64, 128, 0 }, { 1, 79, 0 }, { 77, 30, 0 } },
    { { 10, 33, 0 }, { 0, 0, 0 }, { 1, 200, 0 } },
    { { 0, 1, 0 }, { 0, 2, 0 }, { 1, 500, 1 } },
    { { SIZE - 3 - 9 * 1000, 1000, 0 }, { 17, 4, 0 }, { 3, 10, 0 } },
    { { 11, 4000, 0 }, { SIZE - 5 * 12, 12, 0 }, { 12, 5, 0 } },
    /* rows with another pitch that are one piece each, in slices */
    { { 17, 0, 300 }, { 0, 0, 50 }, { 50, 1, 20 } },
    { { 0, 80, 0 }, { 5, 0, 81 }, { 60, 0, 5 } },
    /* three dimensions: without gaps, by row, by slice, slices that no number of rows makes up */
    { { 0, 0, 0 }, { 0, 0, 0 }, { 16, 16, 16 } },
    { { 100, 40, 40 * 12 }, { 7, 32, 32 * 9 }, { 25, 8, 6 } },
    { { 100, 40, 333 }, { 7, 32, 259 }, { 25, 8, 6 } },
    { { 100, 40, 40 * 9 }, { 7, 32, 259 }, { 25, 8, 6 } },
    { { 1, 16, 301 }, { 0, 0, 0 }, { 16, 16, 10 } },
    { { 0, 50, 0 }, { 0, 60, 0 }, { 50, 3, 4 } },
    { { 2, 64, 64 * 20 }, { 3, 67, 67 * 21 + 5 }, { 64, 20, 16 } },
    { { 0, 7, 7 * 31 }, { 0, 5, 5 * 41 + 1 }, { 1, 30, 40 } },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Every shape, from one side to the other, in a stream and at once. */
static void check_moves(suite *t, side target, side source)
{
    uint32_t seed = 1;

    for (unsigned sync = 0; sync < 2; sync++)
        for (size_t i = 0; i < SHAPES; i++) {
            move m = { target, source, shapes[i].rect, false, sync };
            m.target.layout = shapes[i].target;
            m.source.layout = shapes[i].source;
            bool ok = CHECK(layout_end(layout_full(shapes[i].target, m.rect), m.rect) <= SIZE) &&
                      CHECK(layout_end(layout_full(shapes[i].source, m.rect), m.rect) <= SIZE);
            ok = ok && area_set(t, target.area, seed) && area_set(t, source.area, seed + 1) && CHECK_OK(area_move(t->stream, &m));
            if (!sync)
                ok = CHECK_OK(yoke_stream_wait(t->stream)) && ok;
            area_move_mirror(&m);
            ok = ok && area_check(t, target.area) && area_check(t, source.area);
            if (!ok) {
                tap_diag("rect %zu%s, to %s%s, from %s%s", i, sync ? ", sync" : "", area_names[target.area->kind],
                         target.by_pointer ? " by its pointer" : "", area_names[source.area->kind],
                         source.by_pointer ? " by its pointer" : "");
                return;
            }
            seed += 2;
        }
}

/* The kinds of one side are a range of area_kind, those of the other too. */
static void check_kinds(suite *t, const area_kind targets[2], bool target_by_pointer, const area_kind sources[2],
                        bool source_by_pointer)
{
    for (area_kind k = targets[0]; k <= targets[1]; k++)
        for (area_kind j = sources[0]; j <= sources[1]; j++) {
            side target = { .area = &(area){ 0 }, .by_pointer = target_by_pointer };
            side source = { .area = &(area){ 0 }, .by_pointer = source_by_pointer };
            if (area_can(t, k) && area_can(t, j) && area_create(t, k, SIZE, 1, target.area) &&
                area_create(t, j, SIZE, 2, source.area))
                check_moves(t, target, source);
            area_release(target.area);
            area_release(source.area);
        }
}

static const area_kind argument_kinds[2] = { AREA_DEVICE, AREA_SHARED }, host_kinds[2] = { AREA_PINNED, AREA_PAGEABLE },
                       pinned_kinds[2] = { AREA_PINNED, AREA_OVER }, managed_kinds[2] = { AREA_MAPPED, AREA_SHARED },
                       device_kind[2] = { AREA_DEVICE, AREA_DEVICE };

static void writes(suite *t)
{
    check_kinds(t, argument_kinds, false, host_kinds, true);
}

static void reads(suite *t)
{
    check_kinds(t, host_kinds, true, argument_kinds, false);
}

static void copies(suite *t)
{
    check_kinds(t, argument_kinds, false, argument_kinds, false);
}

static void pinned_buffers(suite *t)
{
    check_kinds(t, argument_kinds, false, pinned_kinds, false);
    check_kinds(t, pinned_kinds, false, argument_kinds, false);
}

/* Memory that host and device share is host memory as any other. */
static void managed_pointers(suite *t)
{
    if (!area_can(t, AREA_MAPPED) && !area_can(t, AREA_SHARED))
        suite_skip("the device has neither mapped nor shared memory");
    check_kinds(t, device_kind, false, managed_kinds, true);
    check_kinds(t, managed_kinds, true, device_kind, false);
}

/* Rects for patterns of up to 16 bytes: each size, offset and pitch is a multiple of that. */
static const shape fill_shapes[] = {
    { .target = { 0, 0, 0 }, .rect = { 16, 0, 0 } },
    { .target = { 48, 0, 0 }, .rect = { 4000, 0, 0 } },
    { .target = { 32, 0, 0 }, .rect = { 64, 50, 0 } },
    { .target = { 16, 80, 0 }, .rect = { 64, 50, 1 } },
    { .target = { 16, 80, 0 }, .rect = { 16, 200, 1 } },
    { .target = { 0, 64, 64 * 12 }, .rect = { 48, 10, 8 } },
    { .target = { 0, 64, 64 * 12 + 16 }, .rect = { 48, 10, 8 } },
    { .target = { 16, 0, 16 * 11 }, .rect = { 16, 10, 20 } },
    { .target = { 16, 0, 48 }, .rect = { 16, 1, 100 } },
    { .target = { SIZE - 16 - 7 * 1600, 1600, 0 }, .rect = { 16, 8, 0 } },
};

/* In units of the pattern: so with a pattern of 1 byte a width of 1 is among them too. */
static void fill_kind(suite *t, area_kind kind)
{
    area a = { 0 };

    if (!area_can(t, kind))
        return;
    NEED(area_create(t, kind, SIZE, 1, &a));
    for (size_t unit = 1; unit <= 16; unit *= 2)
        for (size_t i = 0; i < sizeof fill_shapes / sizeof fill_shapes[0]; i++) {
            yoke_pitch l = fill_shapes[i].target;
            yoke_rect b = fill_shapes[i].rect;
            filling f = { .target = { .area = &a }, .pattern_size = unit };
            f.target.layout = (yoke_pitch){ l.offset / 16 * unit, l.row_pitch / 16 * unit, l.slice_pitch / 16 * unit };
            f.rect = (yoke_rect){ b.width / 16 * unit, b.height, b.depth };
            fill_random(f.pattern, sizeof f.pattern, (uint32_t)(i * 32 + unit));
            NEED(area_set(t, &a, (uint32_t)(i + unit * 100)));
            NEED_OK(area_fill(t->stream, &f));
            area_fill_mirror(&f);
            memset(f.pattern, 0, sizeof f.pattern); /* was read at the call */
            NEED_OK(yoke_stream_wait(t->stream));
            if (!area_check(t, &a)) {
                tap_diag("fill %zu with a pattern of %zu", i, unit);
                goto out;
            }
        }
out:
    area_release(&a);
}

static void fills(suite *t)
{
    for (area_kind kind = argument_kinds[0]; kind <= argument_kinds[1]; kind++)
        fill_kind(t, kind);
}

/* A pattern that is smaller than what offsets, widths and pitches are multiples of; and a large rect. */
static void large_fills(suite *t)
{
    enum { WIDTH = 8192, PITCH = WIDTH + 48, ROWS = 100, SLICES = 3, SLICE = PITCH * ROWS + 16 };
    area a = { 0 };

    for (area_kind kind = AREA_DEVICE; kind <= AREA_ODD_VIEW; kind++) {
        NEED(area_create(t, kind, SLICE * SLICES, 1, &a));
        for (size_t unit = 1; unit <= 16; unit *= 2) {
            filling f = { .target = { .area = &a, .layout = { 16, PITCH, SLICE } }, .pattern_size = unit };
            f.rect = (yoke_rect){ WIDTH, ROWS, SLICES };
            fill_random(f.pattern, sizeof f.pattern, (uint32_t)unit);
            NEED_OK(area_fill(t->stream, &f));
            area_fill_mirror(&f);
            f.target.layout = (yoke_pitch){ unit, 0, 0 };
            f.rect = (yoke_rect){ (SLICE - 16) / unit * unit, 1, 1 };
            fill_random(f.pattern, sizeof f.pattern, (uint32_t)unit + 100);
            NEED_OK(area_fill(t->stream, &f));
            area_fill_mirror(&f);
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(area_check(t, &a));
        }
        area_release(&a);
    }
out:
    area_release(&a);
}

/* Both sides in one buffer: halves of an image, its columns, its slices. `view`: each through a view of its own of all of it. */
static const shape interleaved[] = {
    { { 50, 100, 0 }, { 0, 100, 0 }, { 50, 200, 0 } },
    { { 0, 100, 0 }, { 50, 100, 0 }, { 50, 200, 0 } },
    { { 1, 2, 0 }, { 0, 2, 0 }, { 1, 1000, 0 } },
    { { 100, 200, 0 }, { 0, 200, 0 }, { 100, 50, 0 } },
    { { 40, 100, 1010 }, { 0, 100, 1010 }, { 40, 10, 20 } },
    { { 505, 50, 1010 }, { 0, 50, 1010 }, { 50, 10, 20 } },
    { { 0, 60, 0 }, { 12000, 40, 0 }, { 40, 100, 0 } },
    { { 10, 30, 0 }, { 0, 60, 0 }, { 10, 20, 0 } },
};

static void within_one_buffer(suite *t)
{
    yoke_buffer *all = NULL;
    area a = { 0 };

    for (area_kind kind = argument_kinds[0]; kind <= argument_kinds[1]; kind++) {
        if (!area_can(t, kind))
            continue;
        NEED(area_create(t, kind, SIZE, 1, &a));
        NEED_OK(yoke_buffer_create_view(a.view, 0, SIZE, &all));
        for (size_t i = 0; i < sizeof interleaved / sizeof interleaved[0]; i++) {
            move m = { { .area = &a, .layout = interleaved[i].target },
                       { .area = &a, .layout = interleaved[i].source },
                       interleaved[i].rect,
                       false,
                       i % 2 != 0 };
            m.source.through = i % 3 ? all : NULL;
            CHECK(!layouts_overlap(m.target.layout, m.source.layout, m.rect, SIZE));
            NEED_OK(area_move(t->stream, &m));
            area_move_mirror(&m);
            NEED_OK(yoke_stream_wait(t->stream));
            if (!area_check(t, &a)) {
                tap_diag("interleaved rect %zu, %s", i, area_names[kind]);
                goto out;
            }
        }
        yoke_buffer_release(all);
        all = NULL;
        area_release(&a);
    }
out:
    yoke_buffer_release(all);
    area_release(&a);
}

/* A part of an image of rows of 4 bytes times 40 to a place in a volume, and back to another. */
static void origins(suite *t)
{
    yoke_pitch image = { 100, 160, 0 }, volume = { 8, 128, 128 * 30 };
    area picture = { 0 }, body = { 0 };

    yoke_pitch there = yoke_pitch_from(image, 4 * 10, 20, 0), here = yoke_pitch_from(volume, 4 * 3, 5, 2);
    CHECK(there.offset == 100 + 40 + 20 * 160 && there.row_pitch == 160 && there.slice_pitch == 0);
    CHECK(here.offset == 8 + 12 + 5 * 128 + 2 * 128 * 30 && here.row_pitch == 128 && here.slice_pitch == 128 * 30);
    yoke_pitch same = yoke_pitch_from(volume, 0, 0, 0);
    CHECK(memcmp(&same, &volume, sizeof same) == 0);
    NEED(area_create(t, AREA_PAGEABLE, 100 + 160 * 100, 1, &picture) && area_create(t, AREA_DEVICE, 128 * 30 * 6, 2, &body));
    move in = { { .area = &body, .layout = here }, { .area = &picture, .layout = there }, { 4 * 20, 25, 1 }, false, false };
    move out = { { .area = &picture, .layout = yoke_pitch_from(image, 4 * 2, 50, 0) },
                 { .area = &body, .layout = yoke_pitch_from(here, 4 * 5, 1, 0) },
                 { 4 * 10, 15, 1 },
                 false,
                 false };
    NEED_OK(area_move(t->stream, &in));
    NEED_OK(area_move(t->stream, &out));
    NEED_OK(yoke_stream_wait(t->stream));
    area_move_mirror(&in);
    area_move_mirror(&out);
    area_check(t, &picture);
    area_check(t, &body);
out:
    area_release(&picture);
    area_release(&body);
}

/* Behind a host function everything waits in Yoke's own list: by value, and keeping what it uses. */
static void held(suite *t)
{
    area device = { 0 }, other = { 0 }, host = { 0 }, pinned = { 0 }, back = { 0 };
    stand s = STAND_INIT;
    yoke_buffer *view = NULL;

    NEED(area_create(t, AREA_DEVICE, SIZE, 1, &device) && area_create(t, AREA_DEVICE, SIZE, 2, &other));
    NEED(area_create(t, AREA_PAGEABLE, SIZE, 3, &host) && area_create(t, AREA_PINNED, SIZE, 4, &pinned));
    NEED(area_create(t, AREA_PAGEABLE, SIZE, 5, &back));
    NEED_OK(yoke_buffer_create_view(device.view, 1000, SIZE - 1000, &view));
    move moves[] = {
        { { .area = &device, .through = view, .through_at = 1000 }, { .area = &host }, { 0, 0, 0 }, false, false },
        { { .area = &other }, { .area = &device, .through = view, .through_at = 1000 }, { 0, 0, 0 }, false, false },
        { { .area = &pinned }, { .area = &other }, { 0, 0, 0 }, false, false },
        { { .area = &device }, { .area = &pinned }, { 0, 0, 0 }, false, false },
        { { .area = &back }, { .area = &device }, { 0, 0, 0 }, false, false },
    };
    filling f = { .target = { &device, { 1024, 96, 0 }, false, view, 1000 }, .rect = { 64, 40, 0 }, .pattern_size = 8 };
    fill_random(f.pattern, sizeof f.pattern, 6);
    bool ok = CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        moves[i].target.layout = (yoke_pitch){ 1100 + i * 100, 50, 907 };
        moves[i].source.layout = (yoke_pitch){ 1000 + i * 100, 60, 1013 };
        moves[i].rect = (yoke_rect){ 31, 15, 16 };
        ok = CHECK_OK(area_move(t->stream, &moves[i])) && ok;
        if (i == 0)
            ok = CHECK_OK(area_fill(t->stream, &f)) && ok;
    }
    yoke_buffer_release(view);
    ok = area_check(t, &device) && area_check(t, &other) && area_check(t, &back) && ok; /* as before */
    fill_random(area_host(&host), SIZE, 7); /* still on its way: the write reads it when its turn comes */
    fill_random(area_mirror(&host), SIZE, 7);
    for (size_t i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        area_move_mirror(&moves[i]);
        if (i == 0)
            area_fill_mirror(&f);
        memset(&moves[i], 0xFF, sizeof moves[i]);
    }
    memset(&f, 0xFF, sizeof f);
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    if (ok)
        CHECK(area_check(t, &device) && area_check(t, &other) && area_check(t, &pinned) && area_check(t, &back) &&
              area_check(t, &host));
out:
    area_release(&device);
    area_release(&other);
    area_release(&host);
    area_release(&pinned);
    area_release(&back);
}

/* Larger than what is carried in one piece: many rows, few long rows, rows longer than a piece. */
static void large(suite *t)
{
    enum { LARGE = 13 << 20 };
    static const shape many[] = {
        { { 3, 1024, 0 }, { 5, 1003, 0 }, { 1000, 6000, 0 } },
        { { 0, 0, 0 }, { 1, 1 << 20, 0 }, { (1 << 20) - 3, 7, 0 } },
        { { 7, (3 << 20) + 1, 0 }, { 0, (3 << 20) + 100, 0 }, { 3 << 20, 4, 0 } },
        { { 1, 256, 256 * 101 + 3 }, { 0, 0, 0 }, { 255, 100, 300 } },
        { { 0, 0, 0 }, { 0, 13, 13 * 1000 + 7 }, { 8, 1000, 400 } },
        { { 0, 128, 0 }, { 0, 0, 0 }, { 1, 100000, 0 } },
    };
    area device = { 0 }, host = { 0 }, back = { 0 };

    NEED(area_create(t, AREA_DEVICE, LARGE, 1, &device) && area_create(t, AREA_PAGEABLE, LARGE, 2, &host));
    NEED(area_create(t, AREA_PAGEABLE, LARGE, 3, &back));
    for (size_t i = 0; i < sizeof many / sizeof many[0]; i++) {
        move in = {
            { .area = &device, .layout = many[i].target }, { .area = &host, .layout = many[i].source }, many[i].rect, false, false
        };
        move out = {
            { .area = &back, .layout = many[i].source }, { .area = &device, .layout = many[i].target }, many[i].rect, 0, 0
        };
        NEED_OK(area_move(t->stream, &in));
        NEED_OK(area_move(t->stream, &out));
        NEED_OK(yoke_stream_wait(t->stream));
        area_move_mirror(&in);
        area_move_mirror(&out);
        if (!area_check(t, &back) || !area_check(t, &device)) {
            tap_diag("large rect %zu", i);
            goto out;
        }
    }
    area_check(t, &host);
out:
    area_release(&device);
    area_release(&host);
    area_release(&back);
}

/* Between rows there may be memory that cannot be written, and even memory that cannot be read. */
static void nothing_between_rows(suite *t)
{
    enum { PAGE = 4096, PAGES = 13, SPAN = PAGE * PAGES, STEP = 3 * PAGE, WIDTH = 1000, ROWS = 5 };
    unsigned char *memory = mmap(NULL, SPAN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    yoke_pitch host = { 100, STEP, 0 };
    area device = { 0 };

    if (!CHECK(memory != MAP_FAILED))
        return;
    for (int i = 1; i + 1 < PAGES; i += 3)
        NEED(mprotect(memory + i * PAGE, PAGE, PROT_READ) == 0 && mprotect(memory + (i + 1) * PAGE, PAGE, PROT_NONE) == 0);
    NEED(area_create(t, AREA_DEVICE, SIZE, 1, &device));
    NEED_OK(yoke_read_rect_sync(t->stream, memory, host, device.view, (yoke_pitch){ 7, 1003, 0 }, (yoke_rect){ WIDTH, ROWS, 1 }));
    for (size_t y = 0; y < ROWS; y++)
        CHECK_BYTES(memory + 100 + y * STEP, area_mirror(&device) + 7 + y * 1003, WIDTH);
    NEED_OK(yoke_write_rect_sync(t->stream, device.view, (yoke_pitch){ 0, 1005, 0 }, memory, host, (yoke_rect){ WIDTH, ROWS, 1 }));
    for (size_t y = 0; y < ROWS; y++)
        memcpy(area_mirror(&device) + y * 1005, memory + 100 + y * STEP, WIDTH);
    area_check(t, &device);
out:
    area_release(&device);
    munmap(memory, SPAN);
}

/* ---- The same with other settings --------------------------------------------------------------------------------------- */

static const suite_case in_pieces[] = {
    { "writes", writes, false },
    { "reads", reads, false },
    { "large", large, false },
    { "nothing between rows", nothing_between_rows, false },
};
static const suite_case by_kernel[] = { { "fills", fills, false }, { "large fills", large_fills, false } };

static void staged(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", NULL }));
}

static void fill_kernel(suite *t)
{
    AGAIN(t, by_kernel, ((const char *const[]){ "YOKE_FILL_KERNEL=1", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        { "writes move exactly their rows", writes, false },
        { "reads move exactly their rows", reads, false },
        { "copies move exactly their rows", copies, false },
        { "copies from and to pinned buffers", pinned_buffers, false },
        { "pointers into mapped and shared memory", managed_pointers, false },
        { "fills of every pattern size", fills, false },
        { "large fills", large_fills, false },
        { "rects that interleave in one buffer", within_one_buffer, false },
        { "from one origin to another", origins, false },
        { "held behind a host function, by value", held, false },
        { "large rects", large, false },
        { "what is between rows is not touched", nothing_between_rows, false },
        { "pageable memory carried through pinned", staged, false },
        { "fills by a kernel", fill_kernel, false },
    };

    if (argc == 3)
        return strstr(argv[1], "fills") ? AGAIN_MAIN(by_kernel, NULL, argv) : AGAIN_MAIN(in_pieces, NULL, argv);
    return SUITE_MAIN(cases, NULL);
}
