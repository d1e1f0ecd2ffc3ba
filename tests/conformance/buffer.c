/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers: device memory, views of it, pinned host memory, and what happens when they are released while the device uses them.
 * Which bytes a copy moves is in copy.c.
 */
#include "stand.h"

#include <stdlib.h>
#include <string.h>

#include <yoke/graph.h>
#include <yoke/library.h>

static const char *const kernels_cuda =
    SPIN_CUDA "extern \"C\" __global__ void negate(unsigned char *x, unsigned n)\n"
              "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = (unsigned char)~x[i]; }\n";
static const char *const kernels_opencl =
    SPIN_OPENCL "__kernel void negate(__global uchar *x, uint n) { uint i = get_global_id(0); if (i < n) x[i] = (uchar)~x[i]; }\n";

static void negate_host(unsigned char *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (unsigned char)~x[i];
}

static void any_size(suite *t)
{
    static const size_t sizes[] = { 1, 2, 3, 4, 5, 63, 64, 65, 127, 128, 129, 1000, 4096, 65537, 1048579 };

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        unsigned char *data = memory_new(sizes[s]), *back = memory_new(sizes[s]);
        yoke_buffer *buffer = NULL;

        fill_random(data, sizes[s], (uint32_t)sizes[s]);
        CHECK_OK(yoke_buffer_create(t->device, sizes[s], &buffer));
        CHECK(yoke_buffer_get_size(buffer) == sizes[s]);
        CHECK(yoke_buffer_get_host(buffer) == NULL);
        CHECK_OK(yoke_write(t->stream, buffer, 0, data, sizes[s]));
        CHECK_OK(yoke_read_sync(t->stream, back, buffer, 0, sizes[s]));
        CHECK_BYTES(back, data, sizes[s]);
        yoke_buffer_release(buffer);
        memory_free(back);
        memory_free(data);
    }
    CHECK(yoke_buffer_get_size(NULL) == 0);
    CHECK(yoke_buffer_get_host(NULL) == NULL);
}

/* `data` changes as soon as the call has returned; the copy runs behind all that was enqueued before. */
static void try_with_data(suite *t, size_t size)
{
    unsigned char *data = memory_new(size), *wanted = memory_new(size), *back = memory_new(size);
    yoke_buffer *buffer = NULL;

    fill_random(data, size, (uint32_t)size);
    memcpy(wanted, data, size);
    if (CHECK_OK(yoke_buffer_create_with_data(t->stream, data, size, &buffer))) {
        memset(data, 0xee, size);
        CHECK(yoke_buffer_get_size(buffer) == size && yoke_buffer_get_kind(buffer) == YOKE_MEMORY_DEVICE);
        CHECK_OK(yoke_read(t->stream, back, buffer, 0, size));
    }
    yoke_buffer_release(buffer);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, wanted, size);
    memory_free(back);
    memory_free(wanted);
    memory_free(data);
}

static void with_data(suite *t)
{
    static const size_t sizes[] = { 1, 3, 64, 1000, 65537, 5000001 };

    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        try_with_data(t, sizes[s]);
}

static void with_data_behind_a_host_function(suite *t)
{
    stand s = STAND_INIT;
    unsigned char data[1000], wanted[1000], back[1000] = { 0 };
    yoke_buffer *buffer = NULL;

    fill_random(data, sizeof data, 5);
    memcpy(wanted, data, sizeof data);
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    CHECK_OK(yoke_buffer_create_with_data(t->stream, data, sizeof data, &buffer));
    memset(data, 0xee, sizeof data);
    if (buffer)
        CHECK_OK(yoke_read(t->stream, back, buffer, 0, sizeof back));
    yoke_buffer_release(buffer);
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(back, wanted, sizeof wanted);
out:;
}

/* The graph keeps the bytes: each launch copies them again. */
static void with_data_in_a_graph(suite *t)
{
    unsigned char data[777], wanted[777], back[777];
    yoke_graph *graph = NULL;
    yoke_buffer *buffer = NULL;

    fill_random(data, sizeof data, 6);
    memcpy(wanted, data, sizeof data);
    NEED_OK(yoke_graph_create(t->device, "with data", &graph));
    NEED_OK(yoke_graph_begin(graph, t->stream));
    CHECK_OK(yoke_buffer_create_with_data(t->stream, data, sizeof data, &buffer));
    if (buffer)
        CHECK_OK(yoke_read(t->stream, back, buffer, 0, sizeof back));
    NEED_OK(yoke_graph_end(graph));
    yoke_buffer_release(buffer);
    memset(data, 0xee, sizeof data);
    for (int i = 0; i < 3; i++) {
        memset(back, 0, sizeof back);
        CHECK_OK(yoke_graph_launch(t->stream, graph));
        CHECK_OK(yoke_stream_wait(t->stream));
        CHECK_BYTES(back, wanted, sizeof wanted);
    }
out:
    yoke_graph_release(graph);
}

/* What fails leaves no buffer; of a stream that has failed, its failure is the answer. */
static void with_data_in_a_failed_stream(suite *t)
{
    uint64_t data = 1;
    yoke_buffer *buffer = (yoke_buffer *)t;

    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create_with_data(t->stream, NULL, 8, &buffer));
    CHECK(buffer == NULL);
    CHECK_STATUS(YOKE_E_INVALID_ARGUMENT, yoke_buffer_create_with_data(t->stream, &data, 0, &buffer));
    NEED_OK(yoke_host_call(t->stream, fail_on_purpose, NULL, NULL));
    CHECK_STATUS(OWN_STATUS, yoke_stream_wait(t->stream));
    CHECK_STATUS(OWN_STATUS, yoke_buffer_create_with_data(t->stream, &data, sizeof data, &buffer));
    CHECK(buffer == NULL);
    CHECK_OK(yoke_stream_recover(t->stream));
out:;
}

static void buffers_do_not_overlap(suite *t)
{
    enum { BUFFERS = 200, SIZE = 777 };
    guarded buffers[BUFFERS] = { { 0 } };
    unsigned char data[SIZE];

    for (uint32_t i = 0; i < BUFFERS; i++) {
        NEED(guarded_create(t, SIZE, &buffers[i]));
        fill_random(data, SIZE, i);
        NEED(guarded_write(t, &buffers[i], data));
    }
    for (uint32_t i = 0; i < BUFFERS; i++) {
        fill_random(data, SIZE, i);
        guarded_check(t, &buffers[i], data);
    }
out:
    for (int i = 0; i < BUFFERS; i++)
        guarded_release(&buffers[i]);
}

static void pinned_memory(suite *t)
{
    enum { SIZE = 100003 };
    yoke_buffer *pinned = NULL;
    guarded device = { 0 };
    unsigned char *wanted = memory_new(SIZE);

    fill_random(wanted, SIZE, 9);
    NEED_OK(yoke_buffer_create_pinned(t->device, SIZE, &pinned));
    NEED(guarded_create(t, SIZE, &device));
    CHECK(yoke_buffer_get_size(pinned) == SIZE);
    unsigned char *host = yoke_buffer_get_host(pinned);
    NEED(host != NULL);
    CHECK((uintptr_t)host % 64 == 0);
    memcpy(host, wanted, SIZE);
    NEED_OK(yoke_write(t->stream, device.buffer, 0, host, SIZE)); /* by its address */
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &device, wanted);
    memset(host, 0, SIZE);
    NEED_OK(yoke_read(t->stream, host, device.buffer, 0, SIZE));
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK_BYTES(host, wanted, SIZE);

    negate_host(host, SIZE);
    negate_host(wanted, SIZE);
    NEED_OK(yoke_copy(t->stream, device.buffer, 0, pinned, 0, SIZE)); /* as a buffer */
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &device, wanted);
    memset(host, 0x55, SIZE);
    NEED_OK(yoke_copy_sync(t->stream, pinned, 3, device.buffer, 3, SIZE - 7));
    CHECK(host[0] == 0x55 && host[2] == 0x55 && host[SIZE - 4] == 0x55 && host[SIZE - 1] == 0x55);
    CHECK_BYTES(host + 3, wanted + 3, SIZE - 7);
    CHECK(yoke_buffer_get_host(pinned) == host);
out:
    guarded_release(&device);
    yoke_buffer_release(pinned);
    memory_free(wanted);
}

static void views(suite *t)
{
    enum { SIZE = 5000, AT = 1001, LENGTH = 2000, INNER = 300, INNER_LENGTH = 77 };
    guarded whole = { 0 };
    yoke_buffer *view = NULL, *inner = NULL, *all = NULL;
    unsigned char wanted[SIZE], part[LENGTH], back[LENGTH];

    fill_random(wanted, SIZE, 10);
    fill_random(part, LENGTH, 11);
    NEED(guarded_create(t, SIZE, &whole));
    NEED(guarded_write(t, &whole, wanted));
    NEED_OK(yoke_buffer_create_view(whole.buffer, AT, LENGTH, &view));
    CHECK(yoke_buffer_get_size(view) == LENGTH);
    CHECK(yoke_buffer_get_host(view) == NULL);
    CHECK_OK(yoke_read_sync(t->stream, back, view, 0, LENGTH));
    CHECK_BYTES(back, wanted + AT, LENGTH);
    CHECK_OK(yoke_write(t->stream, view, 0, part, LENGTH));
    memcpy(wanted + AT, part, LENGTH);

    NEED_OK(yoke_buffer_create_view(view, INNER, INNER_LENGTH, &inner));
    CHECK_OK(yoke_fill(t->stream, inner, 0, INNER_LENGTH, "z", 1));
    memset(wanted + AT + INNER, 'z', INNER_LENGTH);
    CHECK_OK(yoke_copy(t->stream, view, 0, inner, 5, 50)); /* two views of one allocation, apart from each other */
    memset(wanted + AT, 'z', 50);
    NEED_OK(yoke_buffer_create_view(whole.buffer, 0, SIZE, &all));
    CHECK_OK(yoke_write(t->stream, all, SIZE - 4, "last", 4));
    memcpy(wanted + SIZE - 4, "last", 4);
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &whole, wanted);
out:
    yoke_buffer_release(all);
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    guarded_release(&whole);
}

static void views_keep_the_memory(suite *t)
{
    enum { SIZE = 4096 };
    yoke_buffer *buffer = NULL, *view = NULL, *inner = NULL;
    unsigned char data[SIZE], back[100];

    fill_random(data, SIZE, 12);
    NEED_OK(yoke_buffer_create(t->device, SIZE, &buffer));
    NEED_OK(yoke_write_sync(t->stream, buffer, 0, data, SIZE));
    NEED_OK(yoke_buffer_create_view(buffer, 1000, 1000, &view));
    NEED_OK(yoke_buffer_create_view(view, 100, 100, &inner));
    yoke_buffer_release(buffer);
    yoke_buffer_release(view);
    buffer = view = NULL;
    CHECK_OK(yoke_read_sync(t->stream, back, inner, 0, sizeof back));
    CHECK_BYTES(back, data + 1100, sizeof back);
out:
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    yoke_buffer_release(buffer);
}

/* Of a buffer, of a view of it, and of a view of that, const or not. */
static void roots(suite *t)
{
    enum { FIRST = 1024, SECOND = 256 };
    yoke_buffer *buffer = NULL, *other = NULL, *view = NULL, *inner = NULL, *fixed = NULL, *within = NULL, *pinned = NULL;
    size_t offset = 99;

    NEED_OK(yoke_buffer_create(t->device, 4096, &buffer));
    NEED_OK(yoke_buffer_create(t->device, 4096, &other));
    NEED_OK(yoke_buffer_create_view(buffer, FIRST, 2048, &view));
    NEED_OK(yoke_buffer_create_view(view, SECOND, 512, &inner));
    NEED_OK(yoke_buffer_create_const_view(view, 0, 512, &fixed));
    NEED_OK(yoke_buffer_create_view(fixed, 8, 8, &within));
    NEED_OK(yoke_buffer_create_pinned(t->device, 100, &pinned));
    CHECK(yoke_buffer_get_root(buffer, &offset) == buffer && offset == 0);
    CHECK(yoke_buffer_get_root(other, NULL) == other);
    CHECK(yoke_buffer_get_root(pinned, NULL) == pinned);
    CHECK(yoke_buffer_get_root(view, &offset) == buffer && offset == FIRST);
    CHECK(yoke_buffer_get_root(inner, NULL) == buffer);
    CHECK(yoke_buffer_get_root(inner, &offset) == buffer && offset == FIRST + SECOND);
    CHECK(yoke_buffer_get_root(within, &offset) == buffer && offset == FIRST + 8);
    CHECK(yoke_buffer_get_device(buffer) == t->device && yoke_buffer_get_device(within) == t->device);
    CHECK(yoke_buffer_get_device(pinned) == t->device);
    CHECK(!yoke_buffer_is_read_only(buffer) && !yoke_buffer_is_read_only(view) && !yoke_buffer_is_read_only(inner));
    CHECK(yoke_buffer_get_misalignment(buffer) == 0 && yoke_buffer_get_misalignment(within) == (FIRST + 8) % 16);
    CHECK(yoke_buffer_is_read_only(fixed) == 1 && yoke_buffer_is_read_only(within) == 1);
    yoke_buffer_release(buffer);
    buffer = NULL; /* the views keep the root */
    CHECK(yoke_buffer_get_size(yoke_buffer_get_root(inner, NULL)) == 4096);
    offset = 99;
    CHECK(yoke_buffer_get_root(NULL, &offset) == NULL && offset == 0);
    CHECK(yoke_buffer_get_device(NULL) == NULL && yoke_buffer_is_read_only(NULL) == 0);
    CHECK(yoke_buffer_get_misalignment(NULL) == 0);
out:
    yoke_buffer_release(pinned);
    yoke_buffer_release(within);
    yoke_buffer_release(fixed);
    yoke_buffer_release(inner);
    yoke_buffer_release(view);
    yoke_buffer_release(other);
    yoke_buffer_release(buffer);
}

/* A view whose offset the device accepts is a kernel argument; any other is refused, or works where the device has no such rule. */
static void views_as_arguments(suite *t)
{
    enum { LENGTH = 300 };
    size_t alignment = t->info.view_alignment, size = 4 * alignment + LENGTH;
    unsigned char *wanted = memory_new(size);
    yoke_kernel *negate = suite_kernel(t, "negate");
    guarded whole = { 0 };
    yoke_buffer *view = NULL;
    size_t offsets[] = { 0, alignment, 3 * alignment, alignment + 1, 1, 2 * alignment - 1 };

    fill_random(wanted, size, 13);
    NEED(guarded_create(t, size, &whole));
    NEED(guarded_write(t, &whole, wanted));
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        NEED_OK(yoke_buffer_create_view(whole.buffer, offsets[i], LENGTH, &view));
        yoke_status status = yoke_launch_n(t->stream, negate, LENGTH, YOKE_ARGS(view, (uint32_t)LENGTH));
        if (offsets[i] % alignment != 0 && status < 0)
            CHECK_FAILS(YOKE_E_KERNEL_ARGUMENT, "negate|multiple of", status);
        else if (CHECK_OK(status))
            negate_host(wanted + offsets[i], LENGTH);
        yoke_buffer_release(view); /* while the launch may still use it */
        view = NULL;
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &whole, wanted);
out:
    yoke_buffer_release(view);
    guarded_release(&whole);
    memory_free(wanted);
}

/* Released right behind the enqueue: the work that uses it still finds it whole. */
static void released_in_use(suite *t)
{
    enum { SIZE = 1 << 20, ROUNDS = 20 };
    guarded out = { 0 }, busy = { 0 };
    unsigned char *wanted = memory_new(SIZE);
    yoke_buffer *buffer = NULL, *other = NULL;
    yoke_kernel *negate = suite_kernel(t, "negate");

    NEED(guarded_create(t, SIZE, &out) && guarded_create(t, 8, &busy));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        fill_random(wanted, SIZE, i);
        NEED_OK(yoke_buffer_create(t->device, SIZE, &buffer));
        NEED_OK(yoke_write(t->stream, buffer, 0, wanted, SIZE));
        NEED(suite_spin(t, t->stream, busy.buffer, i, 4, NULL));
        NEED_OK(yoke_launch_n(t->stream, negate, SIZE, YOKE_ARGS(buffer, (uint32_t)SIZE)));
        NEED_OK(yoke_copy(t->stream, out.buffer, 0, buffer, 0, SIZE));
        yoke_buffer_release(buffer);
        buffer = NULL;
        NEED_OK(yoke_buffer_create(t->device, SIZE, &other)); /* must not get that memory yet */
        NEED_OK(yoke_fill(t->side, other, 0, SIZE, "\x99", 1));
        NEED_OK(yoke_stream_wait(t->side));
        NEED_OK(yoke_stream_wait(t->stream));
        yoke_buffer_release(other);
        other = NULL;
        negate_host(wanted, SIZE);
        NEED(guarded_check(t, &out, wanted));
    }
out:
    yoke_stream_wait(t->stream);
    yoke_buffer_release(other);
    yoke_buffer_release(buffer);
    guarded_release(&busy);
    guarded_release(&out);
    memory_free(wanted);
}

/* Pinned memory, too, lives until the copies that were given the buffer are done. */
static void pinned_released_in_use(suite *t)
{
    enum { SIZE = 1 << 20 };
    guarded device = { 0 }, busy = { 0 };
    yoke_buffer *pinned = NULL;
    unsigned char *wanted = memory_new(SIZE);

    NEED(guarded_create(t, SIZE, &device) && guarded_create(t, 8, &busy));
    for (uint32_t i = 0; i < 5; i++) {
        fill_random(wanted, SIZE, i);
        NEED_OK(yoke_buffer_create_pinned(t->device, SIZE, &pinned));
        memcpy(yoke_buffer_get_host(pinned), wanted, SIZE);
        NEED(suite_spin(t, t->stream, busy.buffer, i, 5, NULL));
        NEED_OK(yoke_copy(t->stream, device.buffer, 0, pinned, 0, SIZE));
        yoke_buffer_release(pinned);
        pinned = NULL;
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(guarded_check(t, &device, wanted));
    }
out:
    yoke_stream_wait(t->stream);
    yoke_buffer_release(pinned);
    guarded_release(&busy);
    guarded_release(&device);
    memory_free(wanted);
}

static void released_without_a_wait(suite *t)
{
    yoke_buffer *buffer = NULL;

    for (int i = 0; i < 2000; i++) {
        NEED_OK(yoke_buffer_create(t->device, 65536, &buffer));
        if (i % 3 == 0)
            NEED_OK(yoke_fill(t->stream, buffer, 0, 4096, &(uint64_t){ 1 }, 8));
        yoke_buffer_release(buffer);
        buffer = NULL;
    }
    NEED_OK(yoke_stream_wait(t->stream));
out:
    yoke_buffer_release(buffer);
}

static void retain_counts(suite *t)
{
    yoke_buffer *buffer = NULL;

    NEED_OK(yoke_buffer_create(t->device, 10, &buffer));
    CHECK(yoke_buffer_retain(buffer) == buffer);
    yoke_buffer_release(buffer);
    CHECK(yoke_buffer_get_size(buffer) == 10);
    CHECK_OK(yoke_write_sync(t->stream, buffer, 0, "0123456789", 10));
    CHECK(yoke_buffer_retain(NULL) == NULL);
    yoke_buffer_release(NULL);
out:
    yoke_buffer_release(buffer);
}

/* Memory that is never touched, so that a CPU device does not use up the machine's. */
static void memory_runs_out(suite *t)
{
    enum { MOST = 4096 };
    yoke_buffer *buffers[MOST] = { NULL };
    uint64_t size = t->info.max_buffer, total = 0;
    yoke_status status = YOKE_OK;
    size_t count = 0;

    while (count < MOST && status == YOKE_OK && total <= t->info.memory) {
        status = yoke_buffer_create(t->device, size, &buffers[count]);
        if (status == YOKE_OK) {
            count++;
            total += size;
        } else if (size > 1 << 20 && total < t->info.memory / 4 * 3 && status == YOKE_E_OUT_OF_DEVICE_MEMORY) {
            size /= 2; /* part of the memory is in use elsewhere */
            status = YOKE_OK;
        }
    }
    CHECK(total <= t->info.memory);
    CHECK_STATUS(YOKE_E_OUT_OF_DEVICE_MEMORY, status);
    CHECK_TEXT(yoke_error()->text, "iB");
    CHECK(count < MOST && buffers[count] == NULL);
    for (size_t i = 0; i < count; i++)
        yoke_buffer_release(buffers[i]);
    CHECK_OK(yoke_stream_wait(t->stream));
    suite_works(t);
    CHECK_OK(yoke_buffer_create(t->device, size, &buffers[0]));
    yoke_buffer_release(buffers[0]);
}

int main(void)
{
    static const suite_case cases[] = {
        { "any size", any_size, false },
        { "with data, which may change at once", with_data, false },
        { "with data, behind a host function", with_data_behind_a_host_function, false },
        { "with data, in a graph", with_data_in_a_graph, false },
        { "with data, in a stream that has failed", with_data_in_a_failed_stream, false },
        { "200 buffers that do not overlap", buffers_do_not_overlap, false },
        { "pinned memory", pinned_memory, false },
        { "views, and views of views", views, false },
        { "a view keeps the memory alive", views_keep_the_memory, false },
        { "roots, devices, and what is read-only", roots, false },
        { "views as kernel arguments", views_as_arguments, false },
        { "released while work uses it", released_in_use, false },
        { "pinned, released while a copy uses it", pinned_released_in_use, false },
        { "2000 created and released without a wait", released_without_a_wait, false },
        { "references are counted", retain_counts, false },
        { "the device's memory runs out", memory_runs_out, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "buffer test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
