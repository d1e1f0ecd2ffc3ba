/* SPDX-License-Identifier: Apache-2.0 */
/* What is done while one allocation fails: memory and copies. The other scenarios are in exhausted_work.c. */
#include <stdlib.h>
#include <string.h>

#include "exhausted.h"

/* ---- Devices ---- */

yoke_status scenario_listing(suite *t, suite *p)
{
    yoke_device_info infos[4] = { YOKE_DEVICE_INFO_INIT, YOKE_DEVICE_INFO_INIT, YOKE_DEVICE_INFO_INIT, YOKE_DEVICE_INFO_INIT };
    yoke_device *device = NULL, *none = NULL;
    size_t count = 0, listed = 0;
    yoke_status status;

    (void)p;
    DO(yoke_device_count(&count));
    CHECK(devices_may_hide() || count > 0);
    DO(yoke_device_list(infos, 4, &listed));
    CHECK(devices_may_hide() || listed == count);
    DO(yoke_device_open(t->info.selector, &device));
    (void)devices_may_hide();
    DO(yoke_device_list(infos, 4, &listed)); /* by this process itself now */
    CHECK(devices_may_hide() || listed == count);
    DO(yoke_device_get_info(device, &infos[0]));
    CHECK(strcmp(infos[0].selector, t->info.selector) == 0);
    FAILS_WITH(YOKE_E_NOT_FOUND, yoke_device_open("name~there is no such device", &none));
    CHECK(none == NULL);
    yoke_device_get_report();
    (void)devices_may_hide();
out:
    yoke_device_release(device);
    return status;
}

/* ---- Buffers ---- */

enum { SMALL = 5003 };

/* Bytes go in and come back. */
static yoke_status there_and_back(suite *t, yoke_buffer *buffer)
{
    size_t size = yoke_buffer_get_size(buffer);
    unsigned char *data = memory_new(size), *back = memory_new(size);
    yoke_status status;

    fill_random(data, size, 1);
    DO(yoke_write(t->stream, buffer, 0, data, size));
    DO(yoke_read(t->stream, back, buffer, 0, size));
    DO(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, data, size);
out:
    finish(t->stream);
    memory_free(back);
    memory_free(data);
    return status;
}

/* The kinds that the host reaches. */
static yoke_status host_kinds(suite *t)
{
    static const int capabilities[] = { [YOKE_MEMORY_MAPPED] = YOKE_CAP_MAPPED, [YOKE_MEMORY_MANAGED] = YOKE_CAP_MANAGED };
    yoke_buffer *buffer = NULL, *device = NULL;
    unsigned char *over = memory_new(SMALL);
    yoke_status status;

    DO(yoke_buffer_create(t->device, SMALL, &device));
    for (int32_t kind = YOKE_MEMORY_MAPPED; kind <= YOKE_MEMORY_MANAGED; kind++) {
        if (!suite_can(t, capabilities[kind]))
            continue;
        DO(yoke_buffer_create_in(t->device, kind, SMALL, &buffer));
        memset(yoke_buffer_get_host(buffer), (int)kind, SMALL);
        DO(yoke_copy(t->stream, device, 0, buffer, 0, SMALL));
        yoke_buffer_release(buffer);
        buffer = NULL;
    }
    DO(yoke_buffer_create_pinned(t->device, SMALL, &buffer));
    memset(yoke_buffer_get_host(buffer), 0x31, SMALL);
    DO(yoke_copy(t->stream, device, 0, buffer, 0, SMALL));
    yoke_buffer_release(buffer);
    buffer = NULL;
    DO(yoke_buffer_create_from_host(t->device, over, SMALL, &buffer));
    DO(yoke_write(t->stream, device, 0, over, SMALL));
    DO(yoke_copy(t->stream, buffer, 0, device, 0, SMALL));
    DO(yoke_stream_wait(t->stream));
out:
    finish(t->stream);
    yoke_buffer_release(buffer);
    yoke_buffer_release(device);
    memory_free(over);
    return status;
}

yoke_status scenario_buffers(suite *t, suite *p)
{
    yoke_buffer *buffer = NULL, *view = NULL, *inner = NULL, *ordered = NULL, *none = NULL;
    yoke_status status;

    (void)p;
    DO(host_kinds(t)); /* first: nothing is kept yet that could be given back to make room */
    DO(yoke_buffer_create(t->device, SMALL, &buffer));
    DO(yoke_buffer_create_view(buffer, 7, 4000, &view));
    DO(yoke_buffer_create_view(view, 9, 3001, &inner));
    yoke_buffer_release(buffer);
    buffer = NULL;
    DO(there_and_back(t, inner));
    DO(yoke_buffer_create_ordered(t->stream, SMALL, &ordered));
    DO(there_and_back(t, ordered));
    FAILS_WITH(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create(t->device, 0, &none));
    FAILS_WITH(YOKE_E_RANGE, yoke_buffer_create_view(view, 3000, 3000, &none));
out:
    finish(t->stream);
    yoke_buffer_release(none);
    yoke_buffer_release(ordered);
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
    return status;
}

/* Both ways of copying, and a view that outlives its image. */
yoke_status scenario_images(suite *t, suite *p)
{
    yoke_image_desc desc = { .format = YOKE_FORMAT_UNORM8, .channels = 4, .width = 16, .height = 8 };
    unsigned char texels[16 * 8 * 4], back[sizeof texels] = { 0 };
    yoke_image *image = NULL, *view = NULL;
    yoke_buffer *buffer = NULL;
    yoke_status status = YOKE_OK;

    (void)p;
    if (!yoke_device_supports(t->device, YOKE_CAP_IMAGES))
        return YOKE_OK;
    fill_random(texels, sizeof texels, 5);
    DO(yoke_buffer_create(t->device, sizeof texels, &buffer));
    DO(yoke_image_create(t->device, &desc, &image));
    DO(yoke_image_create_view(image, &(yoke_sampler){ .filter = YOKE_FILTER_LINEAR }, &view));
    DO(yoke_write_image(t->stream, image, NULL, texels, sizeof texels));
    yoke_image_release(image);
    image = NULL;
    DO(yoke_copy_from_image(t->stream, buffer, 0, view, NULL));
    DO(yoke_copy_to_image(t->stream, view, NULL, buffer, 0));
    DO(yoke_read_image(t->stream, back, view, NULL, sizeof texels));
    DO(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, texels, sizeof texels);
out:
    finish(t->stream);
    yoke_image_release(image);
    yoke_image_release(view);
    yoke_buffer_release(buffer);
    return status;
}

/* Released while in use, and had again; more than is kept; over the limit. */
yoke_status scenario_pool(suite *t, suite *p)
{
    enum { COUNT = 6, SIZE = 100000 };
    yoke_buffer *buffers[COUNT] = { NULL }, *busy = NULL, *none = NULL;
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    yoke_kernel *spin = NULL;
    yoke_status status;

    (void)p;
    DO(yoke_kernel_get(t->program, "spin", &spin));
    DO(yoke_buffer_create(t->device, 64, &busy));
    for (int round = 0; round < 2; round++) {
        DO(yoke_launch(t->side, spin, YOKE_DIM(1), YOKE_DIM(1), 0, YOKE_ARGS(busy, (uint32_t)1, (uint32_t)20)));
        for (int i = 0; i < COUNT; i++) {
            if (i % 2)
                DO(yoke_buffer_create(t->device, SIZE + (size_t)i * 10000, &buffers[i]));
            else
                DO(yoke_buffer_create_ordered(t->stream, SIZE + (size_t)i * 10000, &buffers[i]));
            DO(yoke_fill(t->stream, buffers[i], 0, SIZE, "ab", 2));
        }
        for (int i = 0; i < COUNT; i++) {
            yoke_buffer_release(buffers[i]);
            buffers[i] = NULL;
        }
        DO(yoke_device_limit_memory(t->device, 1 << 20, round ? 0 : 1 << 19));
    }
    FAILS_WITH(YOKE_E_OUT_OF_DEVICE_MEMORY, yoke_buffer_create(t->device, 3 << 20, &none));
    DO(yoke_device_trim(t->device, 1000));
    DO(yoke_device_get_memory(t->device, &info));
    CHECK(info.buffers == 1);
    DO(yoke_stream_wait(t->stream));
    DO(yoke_device_limit_memory(t->device, YOKE_NO_LIMIT, 1 << 20));
out:
    finish(t->stream);
    finish(t->side);
    for (int i = 0; i < COUNT; i++)
        yoke_buffer_release(buffers[i]);
    yoke_buffer_release(none);
    yoke_buffer_release(busy);
    return status;
}

/* ---- Copies ---- */

static void copy_rows(unsigned char *to, size_t to_pitch, const unsigned char *from, size_t from_pitch, yoke_rect rect)
{
    for (size_t y = 0; y < rect.height; y++)
        memcpy(to + y * to_pitch, from + y * from_pitch, rect.width);
}

/* Every kind of copy and fill, one behind the other, and what they leave. */
static yoke_status enqueue_copies(yoke_stream *s, yoke_buffer *a, yoke_buffer *b, const unsigned char *data, unsigned char *back,
                                  size_t size)
{
    const yoke_rect rect = { 300, 7, 1 };
    const yoke_pitch wide = { 1000, 400, 0 }, narrow = { 3, 333, 0 };
    yoke_status status;

    DO(yoke_write(s, a, 0, data, size));
    DO(yoke_fill(s, a, 16, size / 32 * 16, "sixteen bytes ..", 16));
    DO(yoke_fill_rect(s, a, (yoke_pitch){ 2000, 48, 0 }, (yoke_rect){ 40, 9, 1 }, "eight ..", 8));
    DO(yoke_write_rect(s, a, wide, data, narrow, rect));
    DO(yoke_copy(s, b, 1, a, 0, size - 1));
    DO(yoke_copy_rect(s, b, narrow, a, wide, rect));
    DO(yoke_read(s, back, b, 0, size));
    DO(yoke_read_rect(s, back, wide, b, narrow, rect));
out:
    return status;
}

/* The same on the host. `back` has the byte that nobody writes. */
static void copies_on_host(unsigned char *a, unsigned char *b, const unsigned char *data, size_t size, unsigned char first)
{
    const yoke_rect rect = { 300, 7, 1 };

    memcpy(a, data, size);
    for (size_t i = 0; i < size / 32; i++)
        memcpy(a + 16 + i * 16, "sixteen bytes ..", 16);
    for (size_t y = 0; y < 9; y++)
        for (size_t x = 0; x < 40; x += 8)
            memcpy(a + 2000 + y * 48 + x, "eight ..", 8);
    copy_rows(a + 1000, 400, data + 3, 333, rect);
    b[0] = first;
    memcpy(b + 1, a, size - 1);
    copy_rows(b + 3, 333, a + 1000, 400, rect);
    memcpy(a, b, size);
    copy_rows(a + 1000, 400, b + 3, 333, rect);
}

/* `target` gives the second buffer its device, the first stream the order. */
static yoke_status copies_of(suite *t, suite *target, size_t size, bool hold)
{
    unsigned char *data = memory_new(size), *back = memory_new(size), *a_host = memory_new(size), *b_host = memory_new(size);
    yoke_buffer *a = NULL, *b = NULL;
    stand s = { .inside = GATE_INIT, .leave = GATE_INIT, .may_fail = true };
    yoke_status status;

    fill_random(data, size, 2);
    DO(yoke_buffer_create(t->device, size, &a));
    DO(yoke_buffer_create(target->device, size, &b));
    DO(yoke_fill(target->side, b, 0, 16, "*", 1));
    DO(yoke_stream_wait(target->side));
    if (hold)
        DO(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    DO(enqueue_copies(t->stream, a, b, data, back, size));
    yoke_buffer_release(a);
    yoke_buffer_release(b);
    a = b = NULL;
    gate_open(&s.leave);
    DO(yoke_stream_wait(t->stream));
    copies_on_host(a_host, b_host, data, size, '*');
    CHECK_BYTES(back, a_host, size);
out:
    gate_open(&s.leave);
    finish(t->stream);
    yoke_buffer_release(a);
    yoke_buffer_release(b);
    memory_free(b_host);
    memory_free(a_host);
    memory_free(back);
    memory_free(data);
    return status;
}

yoke_status scenario_copies(suite *t, suite *p)
{
    (void)p;
    return copies_of(t, t, SMALL, false);
}

yoke_status scenario_held_copies(suite *t, suite *p)
{
    (void)p;
    return copies_of(t, t, SMALL, true);
}

yoke_status scenario_blocking_copies(suite *t, suite *p)
{
    (void)p;
    return copies_of(t, t, SMALL, false);
}

enum { LARGE = (5 << 20) + 77 };

yoke_status scenario_staged_copies(suite *t, suite *p)
{
    yoke_status status;

    (void)p;
    DO(copies_of(t, t, LARGE, false));
    DO(copies_of(t, t, LARGE, true));
out:
    return status;
}

yoke_status scenario_kernel_fills(suite *t, suite *p)
{
    (void)p;
    return copies_of(t, t, 1 << 20, false);
}

/* The second buffer is the other device's: the copies are between two, and it cannot be read or written in this stream. */
static yoke_status copies_across(suite *t, suite *p, size_t size, bool hold)
{
    unsigned char *data = memory_new(size), *back = memory_new(size), *wanted = memory_new(size);
    yoke_buffer *a = NULL, *b = NULL, *c = NULL;
    const yoke_rect rect = { 300, 7, 1 };
    const yoke_pitch wide = { 1000, 400, 0 }, narrow = { 3, 333, 0 };
    yoke_event *event = NULL;
    stand s = { .inside = GATE_INIT, .leave = GATE_INIT, .may_fail = true };
    yoke_status status;

    fill_random(data, size, 3);
    DO(yoke_buffer_create(t->device, size, &a));
    DO(yoke_buffer_create(p->device, size, &b));
    DO(yoke_buffer_create(t->device, size, &c));
    if (hold)
        DO(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    DO(yoke_write(t->stream, a, 0, data, size));
    DO(yoke_copy(t->stream, b, 0, a, 0, size));
    DO(yoke_copy_rect(t->stream, b, wide, a, narrow, rect));
    DO(yoke_event_record(t->stream, 0, &event));
    DO(yoke_stream_wait_event(p->stream, event));
    DO(yoke_copy(p->stream, c, 0, b, 0, size));
    DO(yoke_copy_rect(p->stream, c, narrow, b, wide, rect));
    yoke_event_release(event);
    event = NULL;
    DO(yoke_event_record(p->stream, 0, &event));
    DO(yoke_stream_wait_event(t->stream, event));
    DO(yoke_read(t->stream, back, c, 0, size));
    yoke_buffer_release(a);
    yoke_buffer_release(b);
    a = b = NULL;
    gate_open(&s.leave);
    DO(yoke_stream_wait(t->stream));
    memcpy(wanted, data, size);
    copy_rows(wanted + 1000, 400, data + 3, 333, rect);
    unsigned char rows[300 * 7];
    copy_rows(rows, 300, wanted + 1000, 400, rect);
    copy_rows(wanted + 3, 333, rows, 300, rect);
    CHECK_BYTES(back, wanted, size);
out:
    gate_open(&s.leave);
    finish(t->stream);
    finish(p->stream);
    yoke_event_release(event);
    yoke_buffer_release(a);
    yoke_buffer_release(b);
    yoke_buffer_release(c);
    memory_free(wanted);
    memory_free(back);
    memory_free(data);
    return status;
}

yoke_status scenario_peer_copies(suite *t, suite *p)
{
    yoke_status status;

    DO(copies_across(t, p, SMALL, false));
    DO(copies_across(t, p, SMALL, true));
out:
    return status;
}

yoke_status scenario_staged_peer_copies(suite *t, suite *p)
{
    return copies_across(t, p, LARGE, false);
}
