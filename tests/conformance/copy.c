/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies and fills: exactly the bytes that were asked for, no other, at any offset and size, at once, in a stream's order, and held
 * behind a host function. Each case keeps a mirror on the host of what the buffer has to hold.
 */
#include "suite.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 20000 };

typedef struct range {
    size_t offset, size;
} range;

static const range ranges[] = {
    { 0, 1 },     { 0, 2 },        { 1, 1 },        { 3, 5 },          { 7, 64 },       { 64, 64 },      { 127, 129 },
    { 128, 128 }, { 255, 257 },    { 1000, 999 },   { 4095, 4097 },    { 8192, 4096 },  { 12345, 6789 }, { SIZE - 1, 1 },
    { 0, SIZE },  { 1, SIZE - 1 }, { 0, SIZE - 1 }, { SIZE - 64, 64 }, { SIZE - 3, 3 },
};
enum { RANGES = sizeof ranges / sizeof ranges[0] };

static void writes(suite *t)
{
    unsigned char *mirror = memory_new(SIZE), *data = memory_new(SIZE);
    guarded buffer = { 0 };

    NEED(guarded_create(t, SIZE, &buffer));
    for (uint32_t sync = 0; sync < 2; sync++)
        for (size_t r = 0; r < RANGES; r++) {
            size_t offset = ranges[r].offset, size = ranges[r].size;

            fill_random(mirror, SIZE, 1);
            NEED(guarded_write(t, &buffer, mirror));
            fill_random(data, SIZE, (uint32_t)r * 2 + sync + 2);
            if (sync)
                NEED_OK(yoke_write_sync(t->stream, buffer.buffer, offset, data, size));
            else
                NEED_OK(yoke_write(t->stream, buffer.buffer, offset, data, size));
            if (!sync)
                NEED_OK(yoke_stream_wait(t->stream));
            memcpy(mirror + offset, data, size);
            NEED(guarded_check(t, &buffer, mirror));
        }
out:
    guarded_release(&buffer);
    memory_free(data);
    memory_free(mirror);
}

static void reads(suite *t)
{
    unsigned char *mirror = memory_new(SIZE);
    guarded buffer = { 0 };

    fill_random(mirror, SIZE, 3);
    NEED(guarded_create(t, SIZE, &buffer));
    NEED(guarded_write(t, &buffer, mirror));
    for (int sync = 0; sync < 2; sync++)
        for (size_t r = 0; r < RANGES; r++) {
            unsigned char *back = memory_new(ranges[r].size); /* has guard bytes of its own */
            bool ok;

            if (sync)
                ok = CHECK_OK(yoke_read_sync(t->stream, back, buffer.buffer, ranges[r].offset, ranges[r].size));
            else
                ok = CHECK_OK(yoke_read(t->stream, back, buffer.buffer, ranges[r].offset, ranges[r].size)) &&
                     CHECK_OK(yoke_stream_wait(t->stream));
            ok = ok && CHECK_BYTES(back, mirror + ranges[r].offset, ranges[r].size);
            memory_free(back);
            NEED(ok);
        }
    guarded_check(t, &buffer, mirror);
out:
    guarded_release(&buffer);
    memory_free(mirror);
}

static void copies(suite *t)
{
    unsigned char *mirror = memory_new(SIZE), *data = memory_new(SIZE);
    guarded source = { 0 }, target = { 0 };

    fill_random(data, SIZE, 4);
    NEED(guarded_create(t, SIZE, &source) && guarded_create(t, SIZE, &target));
    NEED(guarded_write(t, &source, data));
    for (int sync = 0; sync < 2; sync++)
        for (size_t r = 0; r < RANGES; r++) {
            size_t size = ranges[r].size, from = ranges[r].offset, to = ranges[RANGES - 1 - r].offset;

            if (to + size > SIZE)
                to = SIZE - size;
            fill_random(mirror, SIZE, 5);
            NEED(guarded_write(t, &target, mirror));
            if (sync)
                NEED_OK(yoke_copy_sync(t->stream, target.buffer, to, source.buffer, from, size));
            else
                NEED_OK(yoke_copy(t->stream, target.buffer, to, source.buffer, from, size));
            if (!sync)
                NEED_OK(yoke_stream_wait(t->stream));
            memcpy(mirror + to, data + from, size);
            NEED(guarded_check(t, &target, mirror));
        }
    guarded_check(t, &source, data);
out:
    guarded_release(&target);
    guarded_release(&source);
    memory_free(data);
    memory_free(mirror);
}

/* Within one buffer, up to the very next byte. */
static void copies_within(suite *t)
{
    unsigned char *mirror = memory_new(SIZE);
    guarded buffer = { 0 };

    fill_random(mirror, SIZE, 6);
    NEED(guarded_create(t, SIZE, &buffer));
    NEED(guarded_write(t, &buffer, mirror));
    NEED_OK(yoke_copy(t->stream, buffer.buffer, 1001, buffer.buffer, 1, 1000));
    memcpy(mirror + 1001, mirror + 1, 1000);
    NEED_OK(yoke_copy(t->stream, buffer.buffer, 0, buffer.buffer, SIZE / 2, SIZE / 2));
    memcpy(mirror, mirror + SIZE / 2, SIZE / 2);
    NEED_OK(yoke_copy(t->stream, buffer.buffer, SIZE - 1, buffer.buffer, SIZE - 2, 1));
    mirror[SIZE - 1] = mirror[SIZE - 2];
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &buffer, mirror);
out:
    guarded_release(&buffer);
    memory_free(mirror);
}

static void large(suite *t)
{
    enum { LARGE = (8 << 20) + 3 };
    unsigned char *data = memory_new(LARGE), *back = memory_new(LARGE);
    guarded source = { 0 }, target = { 0 };

    fill_random(data, LARGE, 7);
    NEED(guarded_create(t, LARGE, &source) && guarded_create(t, LARGE, &target));
    NEED_OK(yoke_write(t->stream, source.buffer, 0, data, LARGE));
    NEED_OK(yoke_copy(t->stream, target.buffer, 0, source.buffer, 0, LARGE));
    NEED_OK(yoke_read(t->stream, back, target.buffer, 0, LARGE));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, data, LARGE);
    guarded_check(t, &target, data);
out:
    guarded_release(&target);
    guarded_release(&source);
    memory_free(back);
    memory_free(data);
}

static void fill_mirror(unsigned char *mirror, size_t offset, size_t size, const void *pattern, size_t pattern_size)
{
    for (size_t i = 0; i < size; i += pattern_size)
        memcpy(mirror + offset + i, pattern, pattern_size);
}

static void fills(suite *t)
{
    unsigned char *mirror = memory_new(SIZE), pattern[16];
    guarded buffer = { 0 };

    NEED(guarded_create(t, SIZE, &buffer));
    for (size_t width = 1; width <= 16; width *= 2)
        for (size_t r = 0; r < RANGES; r++) {
            size_t offset = ranges[r].offset / width * width, size = ranges[r].size / width * width;

            if (size == 0)
                size = width;
            if (offset + size > SIZE)
                offset = SIZE / width * width - size;
            fill_random(mirror, SIZE, 8);
            NEED(guarded_write(t, &buffer, mirror));
            fill_random(pattern, sizeof pattern, (uint32_t)(r * 32 + width));
            NEED_OK(yoke_fill(t->stream, buffer.buffer, offset, size, pattern, width));
            fill_mirror(mirror, offset, size, pattern, width);
            memset(pattern, 0, sizeof pattern); /* was read at the call */
            NEED_OK(yoke_stream_wait(t->stream));
            NEED(guarded_check(t, &buffer, mirror));
        }
out:
    guarded_release(&buffer);
    memory_free(mirror);
}

/* The offset has to fit the pattern within the view; where the view begins is another matter. */
static void fills_of_odd_views(suite *t)
{
    unsigned char *mirror = memory_new(SIZE), pattern[16];
    guarded buffer = { 0 };
    yoke_buffer *view = NULL;

    fill_random(mirror, SIZE, 9);
    NEED(guarded_create(t, SIZE, &buffer));
    NEED(guarded_write(t, &buffer, mirror));
    for (size_t width = 1; width <= 16; width *= 2) {
        fill_random(pattern, sizeof pattern, (uint32_t)width);
        NEED_OK(yoke_buffer_create_view(buffer.buffer, 1000 * width + 1, 20 * width, &view));
        NEED_OK(yoke_fill(t->stream, view, 2 * width, 11 * width, pattern, width));
        fill_mirror(mirror, 1000 * width + 1 + 2 * width, 11 * width, pattern, width);
        yoke_buffer_release(view);
        view = NULL;
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &buffer, mirror);
out:
    yoke_buffer_release(view);
    guarded_release(&buffer);
    memory_free(mirror);
}

/* Behind a host function everything waits in Yoke's own list: by value, and keeping what it uses. */
static void held(suite *t)
{
    unsigned char *mirror = memory_new(SIZE), *data = memory_new(SIZE), *back = memory_new(SIZE), pattern[16];
    stand s = STAND_INIT;
    guarded buffer = { 0 };
    yoke_buffer *view = NULL, *scratch = NULL;

    fill_random(mirror, SIZE, 10);
    fill_random(data, SIZE, 11);
    fill_random(pattern, sizeof pattern, 12);
    NEED(guarded_create(t, SIZE, &buffer));
    NEED(guarded_write(t, &buffer, mirror));
    CHECK_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    bool ok = CHECK_OK(yoke_write(t->stream, buffer.buffer, 5, data, 3000)) &&
              CHECK_OK(yoke_buffer_create_view(buffer.buffer, 4001, 5000, &view)) &&
              CHECK_OK(yoke_fill(t->stream, view, 16, 1600, pattern, 16)) &&
              CHECK_OK(yoke_buffer_create(t->device, SIZE, &scratch)) &&
              CHECK_OK(yoke_copy(t->stream, scratch, 0, buffer.buffer, 0, SIZE)) &&
              CHECK_OK(yoke_copy(t->stream, view, 3000, scratch, 7, 1999)) &&
              CHECK_OK(yoke_read(t->stream, back, buffer.buffer, 0, SIZE));
    fill_mirror(data, 0, 16, pattern, 16); /* still on its way: the write reads it when its turn comes */
    fill_mirror(mirror, 4001 + 16, 1600, pattern, 16);
    memset(pattern, 0, sizeof pattern);
    yoke_buffer_release(view);
    yoke_buffer_release(scratch);
    CHECK(!gate_is_open(&s.leave, 1));
    unsigned char *before = memory_new(SIZE);
    if (guarded_read(t, &buffer, before))
        CHECK(memcmp(before + 4001 + 16, mirror + 4001 + 16, 1600) != 0);
    memory_free(before);
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    NEED(ok);
    memcpy(mirror + 5, data, 3000);
    memcpy(mirror + 4001 + 3000, mirror + 7, 1999);
    CHECK_BYTES(back, mirror, SIZE);
    guarded_check(t, &buffer, mirror);
out:
    guarded_release(&buffer);
    memory_free(back);
    memory_free(data);
    memory_free(mirror);
}

/* Random operations in one stream, then one look. */
static void thousand_in_a_row(suite *t)
{
    unsigned char *mirrors[2] = { memory_new(SIZE), memory_new(SIZE) }, *data = memory_new(1 << 16);
    guarded buffers[2] = { { 0 } };
    uint32_t dice[4];

    fill_random(data, 1 << 16, 14);
    for (int b = 0; b < 2; b++) {
        fill_random(mirrors[b], SIZE, 13);
        NEED(guarded_create(t, SIZE, &buffers[b]));
        NEED(guarded_write(t, &buffers[b], mirrors[b]));
    }
    for (uint32_t i = 0; i < 1000; i++) {
        fill_random(dice, sizeof dice, i + 100);
        size_t size = dice[0] % 999 + 1, from = dice[1] % (SIZE - size), to = dice[2] % (SIZE - size);
        unsigned b = dice[3] & 1;

        if (dice[3] >> 1 & 1) {
            NEED_OK(yoke_copy(t->stream, buffers[b].buffer, to, buffers[!b].buffer, from, size));
            memcpy(mirrors[b] + to, mirrors[!b] + from, size);
        } else if (dice[3] >> 2 & 1) {
            NEED_OK(yoke_write(t->stream, buffers[b].buffer, to, data + from, size));
            memcpy(mirrors[b] + to, data + from, size);
        } else {
            NEED_OK(yoke_fill(t->stream, buffers[b].buffer, to, size, &dice[2], 1));
            memset(mirrors[b] + to, ((unsigned char *)&dice[2])[0], size);
        }
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &buffers[0], mirrors[0]);
    guarded_check(t, &buffers[1], mirrors[1]);
out:
    for (int b = 0; b < 2; b++) {
        guarded_release(&buffers[b]);
        memory_free(mirrors[b]);
    }
    memory_free(data);
}

int main(void)
{
    static const suite_case cases[] = {
        { "writes move exactly their bytes", writes, false },
        { "reads move exactly their bytes", reads, false },
        { "copies move exactly their bytes", copies, false },
        { "copies within one buffer", copies_within, false },
        { "large copies", large, false },
        { "fills of every pattern size", fills, false },
        { "fills of views that begin anywhere", fills_of_odd_views, false },
        { "held behind a host function, by value", held, false },
        { "a thousand in a row", thousand_in_a_row, false },
    };
    return SUITE_MAIN(cases, NULL);
}
