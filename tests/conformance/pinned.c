/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Page-locked host memory, of Yoke's and of the program's own: what it may not be used for, and that memory which was page-locked
 * by yoke_buffer_create_from_host is the program's as before, once it is released.
 */
#include "suite.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SPIN_CUDA SET_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL SET_OPENCL;

/* ---- What it is not for ---- */

static void refuse_as_device_memory(suite *t, yoke_buffer *pinned)
{
    yoke_kernel *set = suite_kernel(t, "set");
    yoke_buffer *view = (yoke_buffer *)t;
    yoke_dim one = YOKE_DIM(1);

    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|pinned", yoke_launch(t->stream, set, one, one, 0, YOKE_ARGS(pinned, 1u)));
    CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "set|pinned", yoke_launch_n(t->stream, set, 1, YOKE_ARGS(pinned, 1u)));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_fill(t->stream, pinned, 0, 4, "x", 1));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_view(pinned, 0, 4, &view));
    CHECK(view == NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
}

static void not_for_kernels(suite *t)
{
    unsigned char *memory = memory_new(4096), before[4096];
    yoke_buffer *pinned = NULL, *over = NULL;

    NEED_OK(yoke_buffer_create_pinned(t->device, 4096, &pinned));
    NEED_OK(yoke_buffer_create_from_host(t->device, memory, 4096, &over));
    fill_random(before, sizeof before, 1);
    memcpy(memory, before, sizeof before);
    memcpy(yoke_buffer_get_host(pinned), before, sizeof before);
    refuse_as_device_memory(t, pinned);
    refuse_as_device_memory(t, over);
    CHECK_BYTES(memory, before, sizeof before);
    CHECK_BYTES(yoke_buffer_get_host(pinned), before, sizeof before);
    suite_works(t);
out:
    yoke_buffer_release(over);
    yoke_buffer_release(pinned);
    memory_free(memory);
}

/* Memory that copies still use is given to nobody else, who would write to it at once. */
static void released_in_use(suite *t)
{
    enum { SIZE = 100000 };
    guarded device = { 0 }, busy = { 0 };
    yoke_buffer *pinned = NULL, *other = NULL;
    unsigned char *wanted = memory_new(SIZE);

    NEED(guarded_create(t, SIZE, &device) && guarded_create(t, 8, &busy));
    for (uint32_t i = 0; i < 8; i++) {
        fill_random(wanted, SIZE, i);
        NEED_OK(yoke_buffer_create_pinned(t->device, SIZE, &pinned));
        memcpy(yoke_buffer_get_host(pinned), wanted, SIZE);
        NEED(suite_spin(t, t->stream, busy.buffer, i, 5, NULL));
        NEED_OK(yoke_copy(t->stream, device.buffer, 0, pinned, 0, SIZE));
        yoke_buffer_release(pinned);
        pinned = NULL;
        NEED_OK(yoke_buffer_create_pinned(t->device, SIZE, &other));
        memset(yoke_buffer_get_host(other), 0x99, SIZE);
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &device, wanted));
        yoke_buffer_release(other);
        other = NULL;
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(other);
    yoke_buffer_release(pinned);
    guarded_release(&busy);
    guarded_release(&device);
    memory_free(wanted);
}

/* ---- Over memory of the program's own ---- */

/* Copies of all sorts between `size` bytes of host memory, the buffer over them, and the device. */
static void copy_over(suite *t, unsigned char *memory, size_t size)
{
    size_t most = size - 1, skip = size > 16 ? 7 : 0;
    unsigned char *wanted = memory_new(size);
    yoke_buffer *over = NULL;
    guarded device = { 0 };

    fill_random(wanted, size, (uint32_t)size);
    memcpy(memory, wanted, size);
    NEED(guarded_create(t, size, &device));
    NEED_OK(yoke_buffer_create_from_host(t->device, memory, size, &over));
    CHECK(yoke_buffer_get_kind(over) == YOKE_MEMORY_PINNED);
    CHECK(yoke_buffer_get_size(over) == size);
    CHECK(yoke_buffer_get_host(over) == memory);
    CHECK_BYTES(memory, wanted, size);

    NEED_OK(yoke_copy(t->stream, device.buffer, 0, over, 0, size)); /* as a buffer */
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &device, wanted));
    memset(memory, 0, size);
    NEED_OK(yoke_copy(t->stream, over, skip, device.buffer, skip, size - skip));
    NEED_OK(yoke_stream_wait(t->stream));
    memset(wanted, 0, skip);
    NEED(CHECK_BYTES(memory, wanted, size));

    fill_random(wanted, size, (uint32_t)size + 1); /* by its address, whole and from the middle */
    memcpy(memory, wanted, size);
    NEED_OK(yoke_write(t->stream, device.buffer, 0, memory, size));
    NEED_OK(yoke_stream_wait(t->stream));
    NEED(guarded_check(t, &device, wanted));
    NEED_OK(yoke_read(t->stream, memory + most / 2, device.buffer, 0, size - most / 2));
    NEED_OK(yoke_stream_wait(t->stream));
    memmove(wanted + most / 2, wanted, size - most / 2);
    NEED(CHECK_BYTES(memory, wanted, size));
    NEED_OK(yoke_write_sync(t->stream, device.buffer, skip, memory, size - skip));
    NEED_OK(yoke_read_sync(t->stream, memory, device.buffer, skip, size - skip));
    CHECK_BYTES(memory, wanted, size);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(over);
    CHECK_BYTES(memory, wanted, size); /* as it was, and the program's to write to */
    memset(memory, 0x77, size);
    guarded_release(&device);
    memory_free(wanted);
}

static void over_any_memory(suite *t)
{
    static const struct {
        size_t offset, size; /* from a page's start */
    } places[] = {
        { 0, 4096 }, { 0, 3 << 20 }, { 64, 65536 }, { 1, 100003 }, { 13, 4096 }, { 4095, 2 }, { 4095, 1 << 20 }, { 7, 1 },
    };

    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        size_t all = (places[i].offset + places[i].size + 4095) / 4096 * 4096 + 4096;
        unsigned char *pages = aligned_alloc(4096, all), *copy = memory_new(all);

        NEED(pages != NULL);
        fill_random(pages, all, 2);
        memcpy(copy, pages, all);
        copy_over(t, pages + places[i].offset, places[i].size);
        CHECK_BYTES(pages, copy, places[i].offset); /* and its neighbours are left alone */
        CHECK_BYTES(pages + places[i].offset + places[i].size, copy + places[i].offset + places[i].size,
                    all - places[i].offset - places[i].size);
        free(pages);
        memory_free(copy);
    }
out:
    suite_works(t);
}

static void what_over_refuses(suite *t)
{
    enum { SIZE = 1 << 20, MIDDLE = 256 << 10 };
    unsigned char *memory = memory_new(SIZE);
    yoke_buffer *middle = NULL, *pinned = NULL, *buffer = (yoke_buffer *)t;

    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "host", yoke_buffer_create_from_host(t->device, NULL, 64, &buffer));
    CHECK(buffer == NULL);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "size is 0|one byte", yoke_buffer_create_from_host(t->device, memory, 0, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "out_buffer", yoke_buffer_create_from_host(t->device, memory, 64, NULL));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "device", yoke_buffer_create_from_host(NULL, memory, 64, &buffer));
    CHECK(yoke_buffer_create_from_host(t->device, memory, SIZE_MAX, &buffer) < 0);
    CHECK(buffer == NULL);

    NEED_OK(yoke_buffer_create_from_host(t->device, memory + MIDDLE, 2 * MIDDLE, &middle));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_from_host(t->device, memory + MIDDLE, 2 * MIDDLE, &buffer));
    CHECK(buffer == NULL);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_from_host(t->device, memory + MIDDLE + 8192, 4096, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_from_host(t->device, memory, MIDDLE + 1, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned",
                yoke_buffer_create_from_host(t->device, memory + 3 * MIDDLE - 1, MIDDLE, &buffer));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_from_host(t->device, memory, SIZE, &buffer));
    NEED_OK(yoke_buffer_create_pinned(t->device, SIZE, &pinned));
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned",
                yoke_buffer_create_from_host(t->device, yoke_buffer_get_host(pinned), 8192, &buffer));
    CHECK(buffer == NULL);
    yoke_buffer_release(middle);
    middle = NULL;
    NEED_OK(yoke_buffer_create_from_host(t->device, memory, SIZE, &middle)); /* nothing of it is pinned any more */
    suite_works(t);
out:
    yoke_buffer_release(pinned);
    yoke_buffer_release(middle);
    memory_free(memory);
}

/* Released right behind the enqueue, by copies that were given the buffer; freed when they are waited for; and malloc may well
 * give the same memory to the next round. */
static void over_released_in_use(suite *t)
{
    enum { SIZE = 300000, ROUNDS = 30 };
    guarded device = { 0 }, busy = { 0 };
    unsigned char *wanted = memory_new(SIZE), *memory = NULL;
    yoke_buffer *over = NULL;

    NEED(guarded_create(t, SIZE, &device) && guarded_create(t, 8, &busy));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        memory = memory_new(SIZE);
        fill_random(memory, SIZE, i);
        memcpy(wanted, memory, SIZE);
        NEED_OK(yoke_buffer_create_from_host(t->device, memory, SIZE, &over));
        NEED(suite_spin(t, t->stream, busy.buffer, i, 2, NULL));
        NEED_OK(yoke_copy(t->stream, device.buffer, 0, over, 0, SIZE));
        NEED_OK(yoke_copy(t->stream, over, 0, device.buffer, SIZE / 2, SIZE / 2));
        yoke_buffer_release(over);
        over = NULL;
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &device, wanted));
        CHECK_BYTES(memory, wanted + SIZE / 2, SIZE / 2);
        memory_free(memory);
        memory = NULL;
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(over);
    guarded_release(&busy);
    guarded_release(&device);
    memory_free(memory);
    memory_free(wanted);
}

/* Behind a host function the copies wait in a list of Yoke's, which keeps what they use. */
static void over_released_while_held(suite *t)
{
    enum { SIZE = 100000 };
    unsigned char *memory = memory_new(SIZE), *wanted = memory_new(SIZE);
    stand s = STAND_INIT;
    guarded device = { 0 };
    yoke_buffer *over = NULL, *again = (yoke_buffer *)t;

    fill_random(wanted, SIZE, 3);
    memcpy(memory, wanted, SIZE);
    NEED(guarded_create(t, SIZE, &device));
    NEED_OK(yoke_buffer_create_from_host(t->device, memory, SIZE, &over));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_copy(t->stream, device.buffer, 0, over, 0, SIZE));
    yoke_buffer_release(over);
    CHECK_FAILS(YOKE_E_INVALID_ARGUMENT, "pinned", yoke_buffer_create_from_host(t->device, memory, SIZE, &again)); /* it still is */
    CHECK(again == NULL);
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &device, wanted);
    CHECK_OK(yoke_buffer_create_from_host(t->device, memory, SIZE, &again));
    yoke_buffer_release(again);
    suite_works(t);
out:
    guarded_release(&device);
    memory_free(memory);
    memory_free(wanted);
}

/* Several at once, released in another order. */
static void over_many(suite *t)
{
    enum { MANY = 40, SIZE = 20000 };
    unsigned char *memory[MANY] = { NULL };
    yoke_buffer *over[MANY] = { NULL };
    guarded device = { 0 };

    NEED(guarded_create(t, SIZE, &device));
    for (uint32_t i = 0; i < MANY; i++) {
        memory[i] = aligned_alloc(4096, 5 * 4096); /* no two in one page */
        NEED(memory[i] != NULL);
        fill_random(memory[i], SIZE, i);
        NEED_OK(yoke_buffer_create_from_host(t->device, memory[i], SIZE, &over[i]));
    }
    for (uint32_t i = 0, next = 0; i < MANY; i++, next = (next + 17) % MANY) {
        NEED_OK(yoke_copy_sync(t->stream, device.buffer, 0, over[next], 0, SIZE));
        NEED(guarded_check(t, &device, memory[next]));
        yoke_buffer_release(over[next]);
        over[next] = NULL;
        free(memory[next]);
        memory[next] = NULL;
    }
out:
    for (int i = 0; i < MANY; i++) {
        yoke_buffer_release(over[i]);
        free(memory[i]);
    }
    guarded_release(&device);
}

int main(void)
{
    static const suite_case cases[] = {
        { "no kernel works on it, no fill, no view", not_for_kernels, false },
        { "released while copies use it, and made anew", released_in_use, false },
        { "over memory that begins anywhere", over_any_memory, false },
        { "what cannot be page-locked", what_over_refuses, false },
        { "over memory, released while copies use it", over_released_in_use, false },
        { "over memory, released while copies are held", over_released_while_held, false },
        { "over many pieces of memory", over_many, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "pinned test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
