/* SPDX-License-Identifier: Apache-2.0 */
/* Races between two streams. */
#include "scene.h"

#include <poll.h>
#include <unistd.h>

static void write_then_kernel(scene *s)
{
    CHECK_OK(yoke_write(s->a, s->x, 0, s->host, BYTES));
    scene_order(s);
    scene_move(s, s->b, s->z, s->x);
}

static void kernel_then_read(scene *s)
{
    scene_bump(s, s->a, s->x);
    scene_order(s);
    CHECK_OK(yoke_read(s->b, s->host, s->x, 0, BYTES));
}

static void kernel_then_kernel(scene *s)
{
    scene_move(s, s->a, s->z, s->x);
    scene_order(s);
    scene_move(s, s->b, s->y, s->z);
}

static void kernel_reads_then_write(scene *s)
{
    scene_move(s, s->a, s->z, s->x);
    scene_order(s);
    CHECK_OK(yoke_write(s->b, s->x, 0, s->host, BYTES));
}

static void two_kernels_write(scene *s)
{
    scene_bump(s, s->a, s->x);
    scene_order(s);
    scene_bump(s, s->b, s->x);
}

static void fill_then_copy(scene *s)
{
    scene_fill(s->a, s->x, 0, BYTES);
    scene_order(s);
    CHECK_OK(yoke_copy(s->b, s->z, 0, s->x, 0, BYTES));
}

static void copy_then_fill_of_target(scene *s)
{
    CHECK_OK(yoke_copy(s->a, s->z, 0, s->x, 0, BYTES));
    scene_order(s);
    scene_fill(s->b, s->z, 0, 4);
}

static void copy_then_fill_of_source(scene *s)
{
    CHECK_OK(yoke_copy(s->a, s->z, 0, s->x, 0, BYTES));
    scene_order(s);
    scene_fill(s->b, s->x, BYTES - 4, 4);
}

static void read_then_fill(scene *s)
{
    CHECK_OK(yoke_read(s->a, s->host, s->x, 0, BYTES));
    scene_order(s);
    scene_fill(s->b, s->x, 0, BYTES);
}

static void two_fills(scene *s)
{
    scene_fill(s->a, s->x, 0, BYTES);
    scene_order(s);
    scene_fill(s->b, s->x, 0, BYTES);
}

static void write_then_write(scene *s)
{
    CHECK_OK(yoke_write(s->a, s->x, 0, s->host, BYTES));
    scene_order(s);
    CHECK_OK(yoke_write(s->b, s->x, 0, s->other, BYTES));
}

static void one_byte_in_common(scene *s)
{
    CHECK_OK(yoke_write(s->a, s->x, 0, s->host, 100));
    CHECK_OK(yoke_read(s->b, s->other, s->x, s->right ? 100 : 99, 100));
}

static void views_that_overlap(scene *s)
{
    yoke_buffer *low = NULL, *high = NULL;
    CHECK_OK(yoke_buffer_create_view(s->x, 0, s->right ? HALF : HALF + 256, &low));
    CHECK_OK(yoke_buffer_create_view(s->x, HALF, HALF, &high));
    scene_bump(s, s->a, low);
    scene_bump(s, s->b, high);
    yoke_buffer_release(high);
    yoke_buffer_release(low);
}

static void view_of_a_view(scene *s)
{
    yoke_buffer *high = NULL, *inner = NULL;
    CHECK_OK(yoke_buffer_create_view(s->x, HALF, HALF, &high));
    CHECK_OK(yoke_buffer_create_view(high, 256, 256, &inner));
    scene_bump(s, s->a, inner);
    scene_fill(s->b, s->x, s->right ? HALF : HALF + 256, 256);
    yoke_buffer_release(inner);
    yoke_buffer_release(high);
}

static void const_is_missing(scene *s)
{
    yoke_kernel *kernel = suite_kernel(s->t, s->right ? "move" : "look");
    CHECK_OK(yoke_launch_n(s->a, kernel, WORDS, YOKE_ARGS(s->y, s->x)));
    CHECK_OK(yoke_launch_n(s->b, kernel, WORDS, YOKE_ARGS(s->z, s->x)));
}

static void columns(scene *s)
{
    const yoke_rect half = { 32, 64, 1 };
    const yoke_pitch left = { .row_pitch = 64 }, right = { .offset = s->right ? 32 : 31, .row_pitch = 64 };
    const yoke_pitch dense = { .row_pitch = 32 };
    CHECK_OK(yoke_write_rect(s->a, s->x, left, s->host, dense, half));
    CHECK_OK(yoke_read_rect(s->b, s->other, dense, s->x, right, half));
}

static void columns_of_copies(scene *s)
{
    const yoke_rect half = { 32, 64, 1 };
    const yoke_pitch left = { .row_pitch = 64 }, right = { .offset = s->right ? 32 : 16, .row_pitch = 64 };
    CHECK_OK(yoke_copy_rect(s->a, s->x, left, s->y, left, half));
    CHECK_OK(yoke_copy_rect(s->b, s->x, right, s->y, right, half));
}

static void filled_columns(scene *s)
{
    const yoke_pitch left = { .row_pitch = 64 }, right = { .offset = s->right ? 32 : 28, .row_pitch = 64 };
    const yoke_rect half = { 32, 64, 1 };
    CHECK_OK(yoke_fill_rect(s->a, s->x, left, half, &(uint32_t){ 1 }, 4));
    CHECK_OK(yoke_fill_rect(s->b, s->x, right, half, &(uint32_t){ 2 }, 4));
}

static void event_before_the_write(scene *s)
{
    yoke_event *event = NULL;
    if (!s->right)
        CHECK_OK(yoke_event_record(s->a, 0, &event));
    scene_bump(s, s->a, s->x);
    if (s->right)
        CHECK_OK(yoke_event_record(s->a, 0, &event));
    CHECK_OK(yoke_stream_wait_event(s->b, event));
    scene_bump(s, s->b, s->x);
    yoke_event_release(event);
}

static void wait_after_the_read(scene *s)
{
    yoke_event *event = NULL;
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &event));
    if (s->right)
        CHECK_OK(yoke_stream_wait_event(s->b, event));
    scene_move(s, s->b, s->z, s->x);
    if (!s->right)
        CHECK_OK(yoke_stream_wait_event(s->b, event));
    yoke_event_release(event);
}

static void waits_for_the_wrong_stream(scene *s)
{
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_stream_wait(s->right ? s->a : s->b));
    scene_bump(s, s->b, s->x);
}

static void waits_for_nothing(scene *s)
{
    yoke_event *event = NULL;
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &event));
    if (s->right)
        CHECK_OK(yoke_event_wait(event));
    scene_bump(s, s->b, s->x);
    yoke_event_release(event);
}

static void asks_and_goes_on(scene *s)
{
    yoke_event *event = NULL;
    scene_hold(s, s->a);
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &event));
    if (s->right)
        scene_go(s);
    while (yoke_event_query(event) == YOKE_PENDING && s->right)
        continue;
    scene_bump(s, s->b, s->x);
    if (!s->right)
        scene_go(s);
    yoke_event_release(event);
}

static void waits_for_the_other_event(scene *s)
{
    yoke_event *events[2] = { NULL, NULL };
    size_t index;
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &events[0]));
    CHECK_OK(yoke_event_record(s->c, 0, &events[1]));
    CHECK_OK(yoke_event_wait_any(&events[s->right ? 0 : 1], 1, YOKE_FOREVER, &index));
    scene_bump(s, s->b, s->x);
    yoke_event_release(events[1]);
    yoke_event_release(events[0]);
}

static void descriptor_not_read(scene *s)
{
    yoke_event *event = NULL;
    struct pollfd readable = { .events = POLLIN };
    scene_hold(s, s->a);
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &event));
    CHECK_OK(yoke_event_get_fd(event, &readable.fd));
    if (s->right) {
        scene_go(s);
        CHECK(poll(&readable, 1, -1) == 1);
    }
    scene_bump(s, s->b, s->x);
    if (!s->right)
        scene_go(s);
    close(readable.fd);
    yoke_event_release(event);
}

static void tell(yoke_status status, void *user)
{
    scene *s = user;
    (void)status;
    sem_post(&s->told);
}

static void callback_not_awaited(scene *s)
{
    yoke_event *event = NULL;
    scene_hold(s, s->a);
    scene_bump(s, s->a, s->x);
    CHECK_OK(yoke_event_record(s->a, 0, &event));
    CHECK_OK(yoke_event_on_complete(event, tell, s, NULL));
    if (!s->right)
        scene_bump(s, s->b, s->x);
    scene_go(s);
    while (sem_wait(&s->told) != 0)
        continue;
    if (s->right)
        scene_bump(s, s->b, s->x);
    yoke_event_release(event);
}

static void not_synchronous(scene *s)
{
    if (s->right)
        CHECK_OK(yoke_write_sync(s->a, s->x, 0, s->host, BYTES));
    else
        CHECK_OK(yoke_write(s->a, s->x, 0, s->host, BYTES));
    scene_move(s, s->b, s->z, s->x);
}

static void by_way_of_a_third(scene *s)
{
    scene_bump(s, s->a, s->x);
    scene_follow(s->c, s->a);
    if (s->right)
        scene_follow(s->b, s->c);
    scene_bump(s, s->b, s->x);
}

static void behind_one_of_two(scene *s)
{
    scene_move(s, s->a, s->z, s->x);
    scene_move(s, s->c, s->y, s->x);
    scene_follow(s->b, s->a);
    if (s->right)
        scene_follow(s->b, s->c);
    scene_bump(s, s->b, s->x);
}

static void back_and_forth(scene *s)
{
    for (int i = 0; i < 10; i++) {
        scene_bump(s, s->a, s->x);
        scene_follow(s->b, s->a);
        scene_bump(s, s->b, s->x);
        if (s->right || i != 5)
            scene_follow(s->a, s->b);
    }
}

static void next_round_too_early(scene *s)
{
    for (int i = 0; i < 3; i++) {
        CHECK_OK(yoke_write(s->a, s->x, 0, s->host, BYTES));
        scene_follow(s->b, s->a);
        scene_move(s, s->b, s->z, s->x);
        if (s->right)
            scene_follow(s->a, s->b);
    }
}

static void texels(scene *s)
{
    yoke_image *image = NULL;
    yoke_image_desc desc = YOKE_IMAGE_DESC_INIT;
    desc.format = YOKE_FORMAT_FLOAT;
    desc.channels = 1;
    desc.width = desc.height = 32;
    NEED_OK(yoke_image_create(s->t->device, &desc, &image));
    NEED_OK(yoke_copy_to_image(s->a, image, &(yoke_region){ .width = 16, .height = 32 }, s->x, 0));
    NEED_OK(yoke_copy_from_image(s->b, s->z, 0, image, &(yoke_region){ .x = s->right ? 16 : 15, .width = 16, .height = 32 }));
out:
    yoke_image_release(image);
}

static const mistake list[] = {
    { "a kernel reads what is being written", "races", write_then_kernel, -1 },
    { "a read of what a kernel writes", "races", kernel_then_read, -1 },
    { "a kernel reads another's result", "races", kernel_then_kernel, -1 },
    { "a write of what a kernel reads", "races", kernel_reads_then_write, -1 },
    { "two kernels write", "races", two_kernels_write, -1 },
    { "a copy of what is being filled", "races", fill_then_copy, -1 },
    { "a fill of a copy's target", "races", copy_then_fill_of_target, -1 },
    { "a fill of a copy's source", "races", copy_then_fill_of_source, -1 },
    { "a fill of what is being read", "races", read_then_fill, -1 },
    { "two fills", "races", two_fills, -1 },
    { "two writes", "races", write_then_write, -1 },
    { "one byte in common", "races", one_byte_in_common, -1 },
    { "views that overlap", "races", views_that_overlap, -1 },
    { "a view of a view", "races", view_of_a_view, -1 },
    { "a kernel that does not say const", "races", const_is_missing, -1 },
    { "columns that overlap", "races", columns, -1 },
    { "columns that overlap, in copies", "races", columns_of_copies, -1 },
    { "columns that overlap, filled", "races", filled_columns, -1 },
    { "an event recorded too early", "races", event_before_the_write, -1 },
    { "a wait enqueued too late", "races", wait_after_the_read, -1 },
    { "the program waits for the wrong stream", "races", waits_for_the_wrong_stream, -1 },
    { "the program does not wait for its event", "races", waits_for_nothing, -1 },
    { "the program asks an event, and does not heed the answer", "races", asks_and_goes_on, -1 },
    { "the program waits for another event", "races", waits_for_the_other_event, -1 },
    { "the program does not wait for a descriptor", "races", descriptor_not_read, -1 },
    { "the program does not wait for a callback", "races", callback_not_awaited, -1 },
    { "a write that is not synchronous", "races", not_synchronous, -1 },
    { "no order by way of a third stream", "races", by_way_of_a_third, -1 },
    { "behind one reader of two", "races", behind_one_of_two, -1 },
    { "one missing link of a chain", "races", back_and_forth, -1 },
    { "the next round begins too early", "races", next_round_too_early, -1 },
    { "texels that are being written", "races", texels, YOKE_CAP_IMAGES },
};
const mistakes race_mistakes = { list, sizeof list / sizeof list[0] };
