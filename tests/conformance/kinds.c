/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of memory: who has them, and that host and kernels see each other's writes in those that both may touch. Then
 * page-locked memory, of Yoke's and of the program's own. Memory of the device alone is in buffer.c, and which bytes a copy moves
 * in copy.c.
 */
#include "suite.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda =
    SPIN_CUDA "extern \"C\" __global__ void advance(unsigned *x, unsigned n, unsigned k)\n"
              "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 5u * x[i] + k; }\n";
static const char *const kernels_opencl = SPIN_OPENCL
    "__kernel void advance(__global uint *x, uint n, uint k)\n{ uint i = get_global_id(0); if (i < n) x[i] = 5u * x[i] + k; }\n";

static void step_host(uint32_t *x, size_t n, uint32_t k)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 5u * x[i] + k;
}

static bool launch_step(suite *t, yoke_stream *stream, yoke_buffer *x, size_t n, uint32_t k)
{
    return CHECK_OK(yoke_launch_n(stream, suite_kernel(t, "advance"), n, YOKE_ARGS(x, (uint32_t)n, k)));
}

/* ---- Which there are ---- */

typedef struct kind {
    int32_t memory;
    const char *name;
    int capability; /* that a device needs for it; -1: every device has it */
    bool host;      /* the host has an address of it */
} kind;

static const kind kinds[] = {
    { YOKE_MEMORY_DEVICE, "device", -1, false },
    { YOKE_MEMORY_PINNED, "pinned", -1, true },
    { YOKE_MEMORY_MAPPED, "mapped", YOKE_CAP_MAPPED, true },
    { YOKE_MEMORY_MANAGED, "managed", YOKE_CAP_MANAGED, true },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool has(suite *t, const kind *k)
{
    return k->capability < 0 || suite_can(t, k->capability);
}

static void every_kind_or_a_reason(suite *t)
{
    for (size_t i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        yoke_buffer *buffer = (yoke_buffer *)t;
        bool can = has(t, k);
        yoke_status status = yoke_buffer_create_in(t->device, k->memory, 1000, &buffer);

        if (!can) {
            CHECK_FAILS(YOKE_E_UNSUPPORTED, k->name, status);
            CHECK_TEXT(yoke_error()->text, yoke_device_lacks(t->device, k->capability));
            CHECK(buffer == NULL);
            continue;
        }
        if (!CHECK_OK(status))
            continue;
        CHECK(yoke_buffer_get_kind(buffer) == k->memory);
        CHECK(yoke_buffer_get_size(buffer) == 1000);
        CHECK((yoke_buffer_get_host(buffer) != NULL) == k->host);
        CHECK((uintptr_t)yoke_buffer_get_host(buffer) % 64 == 0);
        yoke_buffer_release(buffer);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size|0", yoke_buffer_create_in(t->device, k->memory, 0, &buffer));
        CHECK(buffer == NULL);
        CHECK(yoke_buffer_create_in(t->device, k->memory, SIZE_MAX, &buffer) < 0);
        CHECK(yoke_buffer_create_in(t->device, k->memory, SIZE_MAX / 2 + 1, &buffer) < 0);
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_buffer", yoke_buffer_create_in(t->device, k->memory, 1, NULL));
    }
    suite_works(t);
}

static void what_is_no_kind(suite *t)
{
    static const int32_t none[] = { -1, 4, 5, 100, INT32_MIN, INT32_MAX };
    yoke_buffer *buffer = (yoke_buffer *)t;

    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "kind", yoke_buffer_create_in(t->device, none[i], 64, &buffer));
        CHECK(buffer == NULL);
    }
    CHECK(yoke_buffer_get_kind(NULL) == -1);
}

/* The other ways to make a buffer, too, say what they have made. */
static void kinds_of_other_calls(suite *t)
{
    yoke_buffer *plain = NULL, *ordered = NULL, *pinned = NULL;

    NEED_OK(yoke_buffer_create(t->device, 64, &plain));
    NEED_OK(yoke_buffer_create_ordered(t->stream, 64, &ordered));
    NEED_OK(yoke_buffer_create_pinned(t->device, 64, &pinned));
    CHECK(yoke_buffer_get_kind(plain) == YOKE_MEMORY_DEVICE && yoke_buffer_get_host(plain) == NULL);
    CHECK(yoke_buffer_get_kind(ordered) == YOKE_MEMORY_DEVICE && yoke_buffer_get_host(ordered) == NULL);
    CHECK(yoke_buffer_get_kind(pinned) == YOKE_MEMORY_PINNED && yoke_buffer_get_host(pinned) != NULL);
out:
    yoke_buffer_release(plain);
    yoke_buffer_release(ordered);
    yoke_buffer_release(pinned);
}

/* ---- Host and kernels on the same memory ---- */

enum { COUNT = 50000, BYTES = COUNT * 4, ROUNDS = 20 };

/* A buffer of memory that both touch, and a mirror of what it has to hold. */
typedef struct both {
    suite *t;
    yoke_buffer *buffer;
    uint32_t *x, *wanted; /* the host's address of it, and the mirror */
} both;

static bool make_both(suite *t, const kind *k, both *b)
{
    *b = (both){ .t = t, .wanted = memory_new(BYTES) };
    if (!CHECK_OK(yoke_buffer_create_in(t->device, k->memory, BYTES, &b->buffer)))
        return false;
    b->x = yoke_buffer_get_host(b->buffer);
    if (!CHECK(b->x != NULL))
        return false;
    fill_random(b->wanted, BYTES, 21);
    memcpy(b->x, b->wanted, BYTES);
    return true;
}

static void release_both(both *b)
{
    yoke_buffer_release(b->buffer);
    memory_free(b->wanted);
}

/* The host changes all of it, or single words here and there. */
static void change(both *b, uint32_t round)
{
    for (size_t i = round % 3 ? 17 * round % 1000 : 0; i < COUNT; i += round % 3 ? 1013 : 1)
        b->x[i] = b->wanted[i] = b->wanted[i] ^ (uint32_t)i ^ round << 20;
}

static bool step(both *b, yoke_stream *stream, uint32_t k)
{
    step_host(b->wanted, COUNT, k);
    return launch_step(b->t, stream, b->buffer, COUNT, k);
}

static bool look(both *b)
{
    return CHECK_BYTES(b->x, b->wanted, BYTES);
}

/* Run it with each kind of memory that both may touch, in turn. */
static void with_each(suite *t, void (*run)(suite *t, both *b))
{
    bool any = false;

    for (size_t i = 0; i < KINDS; i++) {
        unsigned before = suite_failures();
        both b;

        if (kinds[i].capability < 0 || !has(t, &kinds[i]))
            continue;
        any = true;
        if (make_both(t, &kinds[i], &b))
            run(t, &b);
        release_both(&b);
        if (suite_failures() != before)
            tap_diag("that was with %s memory", kinds[i].name);
    }
    if (!any)
        suite_skip("neither mapped nor managed memory: %s", yoke_device_lacks(t->device, YOKE_CAP_MAPPED));
}

static void take_turns(suite *t, both *b)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        NEED(step(b, t->stream, round));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(look(b));
        change(b, round);
    }
    CHECK(yoke_buffer_get_host(b->buffer) == b->x);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
}

static void host_and_kernel_take_turns(suite *t)
{
    with_each(t, take_turns);
}

/* A host function that looks and changes; it keeps the mirror, in the stream's order. */
typedef struct visit {
    both *b;
    uint32_t round;
    unsigned *visits;
} visit;

static yoke_status look_and_change(yoke_status status, void *user)
{
    visit *v = user;

    CHECK_STATUS(YOKE_OK, status);
    step_host(v->b->wanted, COUNT, v->round);
    look(v->b);
    change(v->b, v->round);
    ++*v->visits;
    return YOKE_OK;
}

static void visit_between_kernels(suite *t, both *b)
{
    visit visits[ROUNDS];
    unsigned count = 0;

    for (uint32_t round = 0; round < ROUNDS; round++) {
        visits[round] = (visit){ b, round, &count };
        CHECK(launch_step(t, t->stream, b->buffer, COUNT, round));
        CHECK_OK(yoke_host_call(t->stream, look_and_change, &visits[round], NULL));
    }
    CHECK(launch_step(t, t->stream, b->buffer, COUNT, 77));
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK(count == ROUNDS);
    step_host(b->wanted, COUNT, 77);
    look(b);
}

static void host_functions_between_kernels(suite *t)
{
    with_each(t, visit_between_kernels);
}

/* ---- Two streams ---- */

/* What `to` gets from now on starts behind all that `from` has. */
static bool hand_over(yoke_stream *from, yoke_stream *to)
{
    yoke_event *event = NULL;
    bool ok = CHECK_OK(yoke_event_record(from, 0, &event)) && CHECK_OK(yoke_stream_wait_event(to, event));

    yoke_event_release(event);
    return ok;
}

/* Views for each stream's half, both of them where any device takes them. */
enum { HALF = 16384 };

static bool halves(suite *t, both *b, yoke_stream *const streams[2])
{
    yoke_buffer *views[2] = { NULL, NULL };
    bool ok = CHECK_OK(yoke_buffer_create_view(b->buffer, 0, 4 * HALF, &views[0])) &&
              CHECK_OK(yoke_buffer_create_view(b->buffer, 4 * HALF, 4 * HALF, &views[1]));

    for (uint32_t i = 0; ok && i < ROUNDS; i++) {
        ok = launch_step(t, streams[i & 1], views[i & 1], HALF, i);
        step_host(b->wanted + (i & 1) * HALF, HALF, i);
    }
    yoke_buffer_release(views[0]);
    yoke_buffer_release(views[1]);
    ok = CHECK_OK(yoke_stream_wait(streams[0])) && ok;
    return CHECK_OK(yoke_stream_wait(streams[1])) && ok;
}

static void use_two_streams(suite *t, both *b)
{
    yoke_stream *streams[2] = { t->stream, NULL };

    NEED_OK(yoke_stream_create(t->device, NULL, &streams[1]));
    for (uint32_t i = 0; i < ROUNDS; i++) { /* by turns, with events */
        NEED(step(b, streams[i & 1], i));
        NEED(hand_over(streams[i & 1], streams[!(i & 1)]));
    }
    NEED_OK(yoke_stream_wait(streams[0]));
    NEED(look(b));
    for (uint32_t i = 0; i < ROUNDS; i++) { /* by turns, with the host between them */
        change(b, i);
        NEED(step(b, streams[i & 1], i));
        NEED_OK(yoke_stream_wait(streams[i & 1]));
        NEED(look(b));
    }
    NEED(halves(t, b, streams)); /* at the same time, each in a half of its own */
    NEED(look(b));
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_stream_release(streams[1]);
}

static void two_streams(suite *t)
{
    with_each(t, use_two_streams);
}

/* ---- Copies, fills and views ---- */

static void copy_there_and_back(suite *t, both *b)
{
    unsigned char *back = memory_new(BYTES), *x = (unsigned char *)b->x, *wanted = (unsigned char *)b->wanted;
    guarded device = { 0 };
    yoke_buffer *pinned = NULL;

    NEED(guarded_create(t, BYTES, &device));
    NEED_OK(yoke_buffer_create_pinned(t->device, BYTES, &pinned));
    NEED_OK(yoke_copy(t->stream, device.buffer, 0, b->buffer, 0, BYTES)); /* what the host has just written */
    NEED(step(b, t->stream, 3));
    NEED_OK(yoke_copy(t->stream, device.buffer, 101, b->buffer, 7, 4999)); /* what the kernel writes */
    NEED_OK(yoke_copy(t->stream, pinned, 3, b->buffer, 1, 12345));
    NEED_OK(yoke_read(t->stream, back, b->buffer, 0, BYTES));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(look(b) && CHECK_BYTES(back, wanted, BYTES));
    CHECK_BYTES((unsigned char *)yoke_buffer_get_host(pinned) + 3, wanted + 1, 12345);
    NEED(guarded_read(t, &device, back));
    CHECK_BYTES(back + 101, wanted + 7, 4999);

    NEED_OK(yoke_copy(t->stream, b->buffer, 1, device.buffer, 50000, 60001));
    memcpy(wanted + 1, back + 50000, 60001);
    NEED_OK(yoke_copy(t->stream, b->buffer, 100000, pinned, 3, 12345));
    memcpy(wanted + 100000, (unsigned char *)yoke_buffer_get_host(pinned) + 3, 12345);
    NEED_OK(yoke_copy(t->stream, b->buffer, 150000, b->buffer, 2, 40000));
    memcpy(wanted + 150000, wanted + 2, 40000);
    NEED(step(b, t->stream, 4));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(look(b));

    fill_random(back, BYTES, 22);
    NEED_OK(yoke_write_sync(t->stream, b->buffer, 9, back, 70001));
    memcpy(wanted + 9, back, 70001);
    NEED(look(b));
    NEED_OK(yoke_write_sync(t->stream, device.buffer, 0, x, BYTES)); /* its address is host memory like any other */
    NEED(guarded_check(t, &device, wanted));
    NEED_OK(yoke_fill(t->stream, device.buffer, 0, BYTES, "\x5a", 1));
    NEED_OK(yoke_read_sync(t->stream, x + 11, device.buffer, 0, 30000));
    memset(wanted + 11, 0x5a, 30000);
    NEED(look(b));
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(pinned);
    guarded_release(&device);
    memory_free(back);
}

static void copies(suite *t)
{
    with_each(t, copy_there_and_back);
}

/* So large that copies of pageable memory are carried in pieces. */
static void copy_large(suite *t, both *b)
{
    enum { LARGE = (5 << 20) + 12 };
    unsigned char *data = memory_new(LARGE), *back = memory_new(LARGE);
    yoke_buffer *large = NULL;

    fill_random(data, LARGE, 23);
    NEED_OK(yoke_buffer_create_in(t->device, yoke_buffer_get_kind(b->buffer), LARGE, &large));
    NEED_OK(yoke_write(t->stream, large, 0, data, LARGE));
    NEED(launch_step(t, t->stream, large, LARGE / 4, 9));
    NEED_OK(yoke_read(t->stream, back, large, 0, LARGE));
    NEED_OK(yoke_stream_wait(t->stream));
    step_host((uint32_t *)(void *)data, LARGE / 4, 9);
    CHECK_BYTES(back, data, LARGE);
    CHECK_BYTES(yoke_buffer_get_host(large), data, LARGE);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(large);
    memory_free(back);
    memory_free(data);
}

static void large_copies(suite *t)
{
    with_each(t, copy_large);
}

static void fill_and_look(suite *t, both *b)
{
    unsigned char *wanted = (unsigned char *)b->wanted, pattern[16];

    fill_random(pattern, sizeof pattern, 24);
    for (size_t width = 1; width <= 16; width *= 2) {
        size_t offset = 3 * width, size = 1000 * width;

        NEED_OK(yoke_fill(t->stream, b->buffer, offset, size, pattern, width));
        for (size_t i = 0; i < size; i += width)
            memcpy(wanted + offset + i, pattern, width);
        NEED(step(b, t->stream, (uint32_t)width));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(look(b));
        change(b, (uint32_t)width);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
}

static void fills(suite *t)
{
    with_each(t, fill_and_look);
}

static void look_through_views(suite *t, both *b)
{
    size_t offset = 4 * t->info.view_alignment;
    yoke_buffer *view = NULL, *inner = NULL, *odd = NULL;

    NEED_OK(yoke_buffer_create_view(b->buffer, offset, 40000, &view));
    NEED_OK(yoke_buffer_create_view(view, offset, 4000, &inner));
    NEED_OK(yoke_buffer_create_view(b->buffer, 13, 999, &odd));
    CHECK(yoke_buffer_get_host(view) == (char *)b->x + offset);
    CHECK(yoke_buffer_get_host(inner) == (char *)b->x + 2 * offset);
    CHECK(yoke_buffer_get_host(odd) == (char *)b->x + 13);
    CHECK(yoke_buffer_get_kind(view) == yoke_buffer_get_kind(b->buffer));
    CHECK(yoke_buffer_get_kind(inner) == yoke_buffer_get_kind(b->buffer));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        NEED(launch_step(t, t->stream, inner, 1000, i));
        step_host(b->wanted + 2 * offset / 4, 1000, i);
        NEED_OK(yoke_fill(t->stream, odd, i, 1, &i, 1));
        ((unsigned char *)b->wanted)[13 + i] = (unsigned char)i;
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(look(b));
        ((uint32_t *)yoke_buffer_get_host(inner))[5] = b->wanted[2 * offset / 4 + 5] = i;
    }
    yoke_buffer_release(b->buffer); /* the views keep it */
    b->buffer = NULL;
    NEED(launch_step(t, t->stream, view, 10000, 5));
    step_host(b->wanted + offset / 4, 10000, 5);
    NEED_OK(yoke_stream_wait(t->stream));
    look(b);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(odd);
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
}

static void views(suite *t)
{
    with_each(t, look_through_views);
}

/* Memory that is released while kernels use it is not handed out again before they are done. */
static void release_in_use(suite *t, both *b)
{
    int32_t memory = yoke_buffer_get_kind(b->buffer);
    guarded device = { 0 }, busy = { 0 };
    yoke_buffer *other = NULL;

    NEED(guarded_create(t, BYTES, &device) && guarded_create(t, 8, &busy));
    for (uint32_t i = 0; i < 5; i++) {
        NEED(suite_spin(t, t->stream, busy.buffer, i, 5, NULL));
        NEED(step(b, t->stream, i));
        NEED_OK(yoke_copy(t->stream, device.buffer, 0, b->buffer, 0, BYTES));
        yoke_buffer_release(b->buffer);
        b->buffer = NULL;
        NEED_OK(yoke_buffer_create_in(t->device, memory, BYTES, &other));
        memset(yoke_buffer_get_host(other), 0x99, BYTES);
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &device, b->wanted));
        b->buffer = other;
        other = NULL;
        b->x = yoke_buffer_get_host(b->buffer);
        memcpy(b->x, b->wanted, BYTES);
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(other);
    guarded_release(&busy);
    guarded_release(&device);
}

static void released_in_use(suite *t)
{
    with_each(t, release_in_use);
}

int main(void)
{
    static const suite_case cases[] = {
        { "every kind, or a reason why not", every_kind_or_a_reason, false },
        { "what is no kind", what_is_no_kind, false },
        { "the kinds that other calls make", kinds_of_other_calls, false },
        { "host and kernel take turns", host_and_kernel_take_turns, false },
        { "host functions between kernels", host_functions_between_kernels, false },
        { "two streams, with events and without", two_streams, false },
        { "copies there and back", copies, false },
        { "large copies", large_copies, false },
        { "fills", fills, false },
        { "views, and views of views", views, false },
        { "released while kernels use it", released_in_use, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "kinds test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
