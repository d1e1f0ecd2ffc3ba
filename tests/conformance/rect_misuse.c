/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bad rects: each is an error that names what is wrong with which numbers, moves nothing, and leaves the stream usable. Sizes that
 * size_t cannot add or multiply are among them: none may come out small.
 */
#include "area.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1000 };

/* Two areas that must not change, and a device that is not the stream's. */
typedef struct objects {
    area device, other, host, pinned, pinned_other;
    yoke_device *stranger;
    yoke_buffer *foreign, *foreign_pinned;
} objects;

static bool make_objects(suite *t, objects *o)
{
    memset(o, 0, sizeof *o);
    return area_create(t, AREA_DEVICE, SIZE, 1, &o->device) && area_create(t, AREA_DEVICE, SIZE, 2, &o->other) &&
           area_create(t, AREA_PAGEABLE, SIZE, 3, &o->host) && area_create(t, AREA_PINNED, SIZE, 4, &o->pinned) &&
           area_create(t, AREA_PINNED, SIZE, 5, &o->pinned_other) &&
           CHECK_OK(yoke_device_open(t->info.selector, &o->stranger)) && /* opened twice counts as two */
           CHECK_OK(yoke_buffer_create(o->stranger, SIZE, &o->foreign)) &&
           CHECK_OK(yoke_buffer_create_pinned(o->stranger, SIZE, &o->foreign_pinned));
}

/* Nothing has changed, and the stream works. */
static void check_objects(suite *t, objects *o)
{
    move m = { { .area = &o->other, .layout = { 10, 20, 0 } }, { .area = &o->host }, { 10, 5, 0 }, false, false };

    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(area_check(t, &o->device) && area_check(t, &o->other) && area_check(t, &o->host) && area_check(t, &o->pinned) &&
          area_check(t, &o->pinned_other));
    CHECK_OK(area_move(t->stream, &m));
    area_move_mirror(&m);
    CHECK_OK(yoke_stream_wait(t->stream));
    area_check(t, &o->other);
    suite_works(t);
}

static void release_objects(objects *o)
{
    area_release(&o->device);
    area_release(&o->other);
    area_release(&o->host);
    area_release(&o->pinned);
    area_release(&o->pinned_other);
    yoke_buffer_release(o->foreign);
    yoke_buffer_release(o->foreign_pinned);
    yoke_device_release(o->stranger);
}

/* What is wrong with a layout or rect. */
typedef struct fault {
    yoke_status status;
    const char *words; /* of every message */
    yoke_pitch layout;
    yoke_rect rect;
} fault;

/* Of any side. */
static const fault bad_anywhere[] = {
    { YOKE_E_INVALID_ARGUMENT, "width|0", { 0, 0, 0 }, { 0, 0, 0 } },
    { YOKE_E_INVALID_ARGUMENT, "width|0", { 0, 10, 100 }, { 0, 5, 5 } },
    { YOKE_E_INVALID_ARGUMENT, "row_pitch|9|10", { 0, 9, 0 }, { 10, 2, 0 } },
    { YOKE_E_INVALID_ARGUMENT, "row_pitch|1|10", { 0, 1, 0 }, { 10, 5, 0 } },
    { YOKE_E_INVALID_ARGUMENT, "row_pitch|9|10", { 0, 9, 100 }, { 10, 2, 2 } },
    { YOKE_E_INVALID_ARGUMENT, "row_pitch|999|1000", { 0, SIZE - 1, 0 }, { SIZE, 2, 1 } },
    { YOKE_E_INVALID_ARGUMENT, "slice_pitch|54", { 0, 15, 54 }, { 10, 4, 2 } }, /* one byte less than the rows from first to last */
    { YOKE_E_INVALID_ARGUMENT, "slice_pitch|1", { 0, 15, 1 }, { 10, 4, 2 } },
    { YOKE_E_INVALID_ARGUMENT, "slice_pitch|39", { 0, 0, 39 }, { 10, 4, 3 } },
    { YOKE_E_INVALID_ARGUMENT, "slice_pitch|9", { 0, 0, 9 }, { 10, 1, 3 } },
    /* sums and products that wrap to something small */
    { YOKE_E_RANGE, "", { 0, SIZE_MAX, 0 }, { 1, 2, 1 } },
    { YOKE_E_RANGE, "", { 2, SIZE_MAX, 0 }, { 1, 2, 1 } },
    { YOKE_E_RANGE, "", { 0, SIZE_MAX / 2 + 1, 0 }, { 10, 3, 1 } },
    { YOKE_E_RANGE, "", { 0, SIZE_MAX / 4 + 1, 0 }, { 10, 5, 1 } },
    { YOKE_E_RANGE, "", { 5, SIZE_MAX / 16 + 1, 0 }, { 10, 33, 1 } },
    { YOKE_E_RANGE, "", { 0, SIZE_MAX / 2 + 1, 0 }, { 10, 2, 2 } },
    { YOKE_E_RANGE, "", { 0, 0, SIZE_MAX / 2 + 1 }, { 10, 2, 3 } },
    { YOKE_E_RANGE, "", { 0, 0, SIZE_MAX }, { 1, 1, 2 } },
    { YOKE_E_RANGE, "", { 1, 0, SIZE_MAX }, { 1, 1, 2 } },
    { YOKE_E_RANGE, "", { 0, SIZE_MAX / 4 + 1, 0 }, { 10, 4, 2 } },
    { YOKE_E_RANGE, "", { 0, 0, 0 }, { 1, SIZE_MAX / 2 + 1, 2 } },
    { YOKE_E_RANGE, "", { 0, 0, 0 }, { 1, SIZE_MAX, SIZE_MAX } },
    { YOKE_E_RANGE, "", { 0, 0, 0 }, { 2, SIZE_MAX / 2 + 1, 1 } },
    { YOKE_E_RANGE, "", { 0, 0, 0 }, { SIZE_MAX, SIZE_MAX, SIZE_MAX } },
    { YOKE_E_RANGE, "", { 0, 0, 0 }, { SIZE_MAX, 1, 1 } },
    { YOKE_E_RANGE, "", { 10, 0, 0 }, { SIZE_MAX - 5, 1, 1 } },
    { YOKE_E_RANGE, "", { 10, SIZE_MAX - 5, 0 }, { SIZE_MAX - 5, 2, 1 } },
    { YOKE_E_RANGE, "", { SIZE_MAX, 0, 0 }, { 1, 1, 1 } },
    { YOKE_E_RANGE, "", { SIZE_MAX - 3, 10, 0 }, { 10, 3, 1 } },
    { YOKE_E_RANGE, "", { 0, 1, 0 }, { 1, SIZE_MAX, 1 } },
    { YOKE_E_RANGE, "", { 0, 10, 100 }, { 10, 10, SIZE_MAX } },
};

/* Of a buffer: beyond its end, by one byte and by more. */
static const fault bad_in_buffer[] = {
    { YOKE_E_RANGE, "1000", { 0, 0, 0 }, { SIZE + 1, 0, 0 } },
    { YOKE_E_RANGE, "1000", { 1, 0, 0 }, { SIZE, 1, 1 } },
    { YOKE_E_RANGE, "1000", { SIZE, 0, 0 }, { 1, 0, 0 } },
    { YOKE_E_RANGE, "1000", { SIZE + 1, 0, 0 }, { 1, 0, 0 } },
    { YOKE_E_RANGE, "1000", { 1, 0, 0 }, { 100, 10, 0 } },
    { YOKE_E_RANGE, "1000", { 0, 101, 0 }, { 92, 10, 0 } },
    { YOKE_E_RANGE, "1000", { 0, 110, 0 }, { 11, 10, 0 } },
    { YOKE_E_RANGE, "1000", { 11, 99, 0 }, { 99, 10, 0 } },
    { YOKE_E_RANGE, "1000", { 2, 10, 101 }, { 10, 9, 10 } },
    { YOKE_E_RANGE, "1000", { 1, 10, 100 }, { 10, 10, 10 } },
    { YOKE_E_RANGE, "1000", { 0, 0, 300 }, { 100, 1, 5 } },
    { YOKE_E_RANGE, "1000", { SIZE_MAX - SIZE, 10, 0 }, { 10, 3, 1 } },
    { YOKE_E_RANGE, "1000", { 0, SIZE_MAX / 4, 0 }, { 10, 3, 1 } },
};

/* Rows that follow each other at once: for a side that nothing is wrong with. */
static const yoke_pitch fine = { 0, 0, 0 };

/* Each call with this layout for one side, and for the other one that is fine with any rect. */
static void check_buffer_side(suite *t, objects *o, const fault *f)
{
    yoke_stream *s = t->stream;
    yoke_buffer *device = o->device.view, *other = o->other.view, *pinned = o->pinned.whole;
    unsigned char *host = area_host(&o->host);

    CHECK_FAILS(f->status, f->words, yoke_write_rect(s, device, f->layout, host, fine, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_write_rect_sync(s, device, f->layout, host, fine, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_read_rect(s, host, fine, device, f->layout, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_read_rect_sync(s, host, fine, device, f->layout, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_copy_rect(s, device, f->layout, pinned, f->layout, f->rect));
    /* which has room for a few more bytes, in its guards */
    CHECK_FAILS(f->status, f->status == YOKE_E_RANGE ? "" : f->words,
                yoke_copy_rect(s, pinned, f->layout, device, f->layout, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_copy_rect(s, device, f->layout, other, f->layout, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_copy_rect_sync(s, device, f->layout, other, f->layout, f->rect));
    CHECK_FAILS(f->status, f->words, yoke_fill_rect(s, device, f->layout, f->rect, "x", 1));
}

static void bad_rects(suite *t)
{
    objects o;

    NEED(make_objects(t, &o));
    for (size_t i = 0; i < sizeof bad_anywhere / sizeof bad_anywhere[0]; i++) {
        unsigned before = suite_failures();
        check_buffer_side(t, &o, &bad_anywhere[i]);
        if (suite_failures() != before)
            tap_diag("... for rect %zu", i);
    }
    check_objects(t, &o);
out:
    release_objects(&o);
}

/* The buffer's side is fine, as far as it can be; the host's is what is wrong. */
static void bad_host_layouts(suite *t)
{
    static const yoke_pitch column = { 0, 1, 0 };
    objects o;

    NEED(make_objects(t, &o));
    unsigned char *host = area_host(&o.host);
    for (size_t i = 0; i < sizeof bad_anywhere / sizeof bad_anywhere[0]; i++) {
        const fault *f = &bad_anywhere[i];
        unsigned before = suite_failures();
        if (f->rect.width * f->rect.height * f->rect.depth > SIZE || f->rect.height > SIZE || f->rect.depth > SIZE ||
            f->rect.width > SIZE)
            continue; /* wrong for the buffer too */
        CHECK_FAILS(f->status, f->words, yoke_write_rect(t->stream, o.device.view, fine, host, f->layout, f->rect));
        CHECK_FAILS(f->status, f->words, yoke_write_rect_sync(t->stream, o.device.view, fine, host, f->layout, f->rect));
        CHECK_FAILS(f->status, f->words, yoke_read_rect(t->stream, host, f->layout, o.device.view, fine, f->rect));
        CHECK_FAILS(f->status, f->words, yoke_read_rect_sync(t->stream, host, f->layout, o.device.view, fine, f->rect));
        if (suite_failures() != before)
            tap_diag("... for rect %zu", i);
    }
    yoke_rect tall = { 1, SIZE, 1 };
    CHECK_REFUSED("source", yoke_write_rect(t->stream, o.device.view, column, NULL, column, tall));
    CHECK_REFUSED("source", yoke_write_rect_sync(t->stream, o.device.view, column, NULL, column, tall));
    CHECK_REFUSED("target", yoke_read_rect(t->stream, NULL, column, o.device.view, column, tall));
    CHECK_REFUSED("target", yoke_read_rect_sync(t->stream, NULL, column, o.device.view, column, tall));
    /* an address that the pointer and the offset do not add up to */
    yoke_pitch around = { SIZE_MAX - 4096, 0, 0 };
    yoke_rect one = { 1, 1, 1 };
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_write_rect(t->stream, o.device.view, fine, host, around, one));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_read_rect(t->stream, host, around, o.device.view, fine, one));
    check_objects(t, &o);
out:
    release_objects(&o);
}

static void beyond_the_buffer(suite *t)
{
    yoke_buffer *view = NULL;
    objects o;

    NEED(make_objects(t, &o));
    for (size_t i = 0; i < sizeof bad_in_buffer / sizeof bad_in_buffer[0]; i++) {
        const fault *f = &bad_in_buffer[i];
        unsigned before = suite_failures();
        check_buffer_side(t, &o, f);
        if (suite_failures() != before)
            tap_diag("... for rect %zu", i);
    }
    /* a view is the end, where its buffer would have the room; and pinned memory has an end as well */
    yoke_pitch rows = { 0, 20, 0 };
    yoke_rect rect = { 10, 10, 1 };
    NEED_OK(yoke_buffer_create_view(o.device.view, 500, 189, &view));
    unsigned char *host = area_host(&o.host);
    CHECK_FAILS(YOKE_E_RANGE, "189", yoke_write_rect(t->stream, view, rows, host, rows, rect));
    CHECK_FAILS(YOKE_E_RANGE, "189", yoke_read_rect(t->stream, host, rows, view, rows, rect));
    CHECK_FAILS(YOKE_E_RANGE, "189", yoke_copy_rect(t->stream, view, rows, o.other.view, rows, rect));
    CHECK_FAILS(YOKE_E_RANGE, "189", yoke_fill_rect(t->stream, view, rows, rect, "x", 1));
    yoke_pitch at_end = { o.pinned.total - 189, 20, 0 };
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy_rect(t->stream, o.device.view, rows, o.pinned.whole, at_end, rect));
    CHECK_FAILS(YOKE_E_RANGE, "", yoke_copy_rect(t->stream, o.pinned.whole, at_end, o.device.view, rows, rect));
    check_objects(t, &o);
out:
    yoke_buffer_release(view);
    release_objects(&o);
}

static void rects_that_overlap(suite *t)
{
    static const struct {
        yoke_pitch target, source;
        yoke_rect rect;
    } bad[] = {
        { { 0, 0, 0 }, { 0, 0, 0 }, { 1, 1, 1 } },           { { 0, 20, 0 }, { 9, 20, 0 }, { 10, 20, 0 } }, /* a byte of each row */
        { { 0, 20, 0 }, { 9, 30, 0 }, { 10, 20, 0 } },   /* of the first row only */
        { { 0, 20, 0 }, { 189, 20, 0 }, { 10, 10, 0 } }, /* the last row of one and the first of the other */
        { { 10, 20, 0 }, { 0, 21, 0 }, { 10, 10, 0 } },  /* the pitches differ: not in the first row, but then */
        { { 0, 10, 100 }, { 405, 10, 100 }, { 10, 10, 5 } }, { { 0, 20, 200 }, { 409, 20, 200 }, { 10, 5, 3 } },
        { { 0, 20, 200 }, { 10, 20, 190 }, { 10, 5, 3 } },
    };
    yoke_buffer *left = NULL, *right = NULL;
    objects o;

    NEED(make_objects(t, &o));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        yoke_buffer *b = o.device.view;
        unsigned before = suite_failures();
        CHECK(layouts_overlap(bad[i].target, bad[i].source, bad[i].rect, SIZE + 100));
        CHECK_REFUSED("overlap", yoke_copy_rect(t->stream, b, bad[i].target, b, bad[i].source, bad[i].rect));
        CHECK_REFUSED("overlap", yoke_copy_rect(t->stream, b, bad[i].source, b, bad[i].target, bad[i].rect));
        CHECK_REFUSED("overlap", yoke_copy_rect_sync(t->stream, b, bad[i].target, b, bad[i].source, bad[i].rect));
        if (suite_failures() != before)
            tap_diag("... for pair %zu", i);
    }
    NEED_OK(yoke_buffer_create_view(o.device.view, 0, 600, &left)); /* bytes 400 to 599 belong to both */
    NEED_OK(yoke_buffer_create_view(o.device.view, 400, 600, &right));
    yoke_pitch rows = { 0, 20, 0 }, later = { 400 + 9, 20, 0 };
    CHECK_REFUSED("overlap", yoke_copy_rect(t->stream, left, later, right, rows, (yoke_rect){ 10, 5, 1 }));
    CHECK_REFUSED("overlap", yoke_copy_rect(t->stream, right, rows, left, later, (yoke_rect){ 10, 5, 1 }));
    check_objects(t, &o);
out:
    yoke_buffer_release(left);
    yoke_buffer_release(right);
    release_objects(&o);
}

static void wrong_buffers(suite *t)
{
    yoke_pitch l = { 0, 20, 0 };
    yoke_rect b = { 10, 5, 1 };
    yoke_stream *s = t->stream;
    objects o;

    NEED(make_objects(t, &o));
    unsigned char *host = area_host(&o.host);
    CHECK_REFUSED("pinned", yoke_copy_rect(s, o.pinned.whole, l, o.pinned_other.whole, l, b));
    CHECK_REFUSED("pinned", yoke_copy_rect(s, o.pinned.whole, l, o.pinned.whole, (yoke_pitch){ 500, 20, 0 }, b));
    CHECK_REFUSED("pinned", yoke_copy_rect_sync(s, o.pinned.whole, l, o.pinned_other.whole, l, b));
    CHECK_REFUSED("pinned", yoke_fill_rect(s, o.pinned.whole, l, b, "x", 1));
    CHECK_REFUSED("device", yoke_write_rect(s, o.foreign, l, host, l, b));
    CHECK_REFUSED("device", yoke_write_rect_sync(s, o.foreign, l, host, l, b));
    CHECK_REFUSED("device", yoke_read_rect(s, host, l, o.foreign, l, b));
    CHECK_REFUSED("device", yoke_fill_rect(s, o.foreign, l, b, "x", 1));
    CHECK_REFUSED("device", yoke_copy_rect(s, o.foreign, l, o.foreign, (yoke_pitch){ 500, 20, 0 }, b));
    CHECK_REFUSED("device", yoke_copy_rect(s, o.foreign, l, o.foreign_pinned, l, b));
    CHECK_REFUSED("device", yoke_copy_rect_sync(s, o.foreign_pinned, l, o.foreign, l, b));
    CHECK_REFUSED("stream is NULL", yoke_write_rect(NULL, o.device.view, l, host, l, b));
    CHECK_REFUSED("stream is NULL", yoke_read_rect_sync(NULL, host, l, o.device.view, l, b));
    CHECK_REFUSED("stream is NULL", yoke_copy_rect(NULL, o.device.view, l, o.other.view, l, b));
    CHECK_REFUSED("stream is NULL", yoke_fill_rect(NULL, o.device.view, l, b, "x", 1));
    CHECK_REFUSED("buffer is NULL", yoke_write_rect(s, NULL, l, host, l, b));
    CHECK_REFUSED("buffer is NULL", yoke_read_rect(s, host, l, NULL, l, b));
    CHECK_REFUSED("target is NULL", yoke_copy_rect(s, NULL, l, o.other.view, l, b));
    CHECK_REFUSED("source is NULL", yoke_copy_rect(s, o.device.view, l, NULL, l, b));
    CHECK_REFUSED("buffer is NULL", yoke_fill_rect(s, NULL, l, b, "x", 1));
    check_objects(t, &o);
out:
    release_objects(&o);
}

static void fill_patterns(suite *t)
{
    static const size_t bad_sizes[] = { 0, 3, 5, 6, 7, 9, 12, 15, 17, 32, 128, SIZE_MAX };
    unsigned char pattern[256] = { 0 };
    yoke_pitch l = { 16, 64, 64 * 3 };
    yoke_rect b = { 32, 3, 2 };
    yoke_stream *s = t->stream;
    objects o;

    NEED(make_objects(t, &o));
    yoke_buffer *x = o.device.view;
    for (size_t i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; i++) {
        char words[64];

        snprintf(words, sizeof words, "pattern_size|%zu|16", bad_sizes[i]);
        CHECK_REFUSED(words, yoke_fill_rect(s, x, l, b, pattern, bad_sizes[i]));
    }
    CHECK_REFUSED("pattern is NULL", yoke_fill_rect(s, x, l, b, NULL, 4));
    CHECK_REFUSED("18|4", yoke_fill_rect(s, x, (yoke_pitch){ 18, 64, 192 }, b, pattern, 4));
    CHECK_REFUSED("30|4", yoke_fill_rect(s, x, l, (yoke_rect){ 30, 3, 2 }, pattern, 4));
    CHECK_REFUSED("pitch|4", yoke_fill_rect(s, x, (yoke_pitch){ 16, 66, 192 * 2 }, b, pattern, 4));
    CHECK_REFUSED("pitch|4", yoke_fill_rect(s, x, (yoke_pitch){ 16, 64, 194 }, b, pattern, 4));
    CHECK_REFUSED("16", yoke_fill_rect(s, x, (yoke_pitch){ 8, 64, 192 }, b, pattern, 16));
    CHECK_REFUSED("2", yoke_fill_rect(s, x, l, (yoke_rect){ 1, 1, 1 }, pattern, 2));
    check_objects(t, &o);
out:
    release_objects(&o);
}

typedef struct inside {
    suite *t;
    objects *o;
} inside;

static yoke_status sync_inside(yoke_status status, void *user)
{
    yoke_pitch l = { 0, 20, 0 };
    yoke_rect b = { 10, 5, 1 };
    inside *in = user;
    yoke_stream *s = in->t->stream;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_write_rect_sync(s, in->o->device.view, l, area_host(&in->o->host), l, b));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_read_rect_sync(s, area_host(&in->o->host), l, in->o->device.view, l, b));
    CHECK_STATUS(YOKE_E_DEADLOCK, yoke_copy_rect_sync(s, in->o->device.view, l, in->o->other.view, l, b));
    return YOKE_OK;
}

static void deadlocks(suite *t)
{
    objects o;
    inside in = { t, &o };

    NEED(make_objects(t, &o));
    CHECK_OK(yoke_host_call(t->stream, sync_inside, &in, NULL));
    check_objects(t, &o);
out:
    release_objects(&o);
}

int main(void)
{
    static const suite_case cases[] = {
        { "rects that are none, on any side", bad_rects, false },
        { "layouts that are none, on the host's side", bad_host_layouts, false },
        { "rects beyond the buffer", beyond_the_buffer, false },
        { "rects of one buffer that overlap", rects_that_overlap, false },
        { "buffers that cannot be", wrong_buffers, false },
        { "patterns that do not fit the rect", fill_patterns, false },
        { "waiting forms inside a host function", deadlocks, false },
    };
    return SUITE_MAIN(cases, NULL);
}
