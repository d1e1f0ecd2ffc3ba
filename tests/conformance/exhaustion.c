/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory runs out: by a limit on any device, and really on a GPU. What is kept to be used again is given back first, work that
 * still uses some is waited for, the record says what was asked and what there is, and afterwards everything works.
 */
#include "suite.h"
#include "account.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SPIN_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL;

enum { MOST = 256, PIECE = 1 << 20 };

/* Take buffers of this size until there are no more, and the record holds these words. They are really there: work uses them. */
static size_t take_all(account *a, size_t size, const char *words, yoke_buffer **buffers)
{
    size_t count = 0;
    yoke_status status = YOKE_OK;

    while (count < MOST && (status = yoke_buffer_create(a->device, size, &buffers[count])) == YOKE_OK) {
        CHECK_OK(yoke_fill(a->stream, buffers[count], size - 4096, 4096, &(uint64_t){ count }, 8));
        count++;
    }
    CHECK_FAILS(YOKE_E_OUT_OF_DEVICE_MEMORY, words, status);
    CHECK(count > 0 && count < MOST && buffers[count] == NULL);
    CHECK_OK(yoke_stream_wait(a->stream));
    for (size_t i = 0; i < count; i++) {
        uint64_t back[512] = { 0 };

        CHECK_OK(yoke_read_sync(a->stream, back, buffers[i], size - sizeof back, sizeof back));
        CHECK(back[0] == i && back[511] == i);
    }
    return count;
}

static void exhaust(suite *t, account *a, size_t size, const char *words)
{
    yoke_buffer *buffers[MOST] = { NULL };
    size_t count = take_all(a, size, words, buffers), last = count > 0 ? count - 1 : 0;

    CHECK(look(a).in_use >= count * size && look(a).buffers == count);
    /* One that is still in use is waited for. */
    CHECK_OK(yoke_fill(a->stream, buffers[last], 0, size, "\x11", 1));
    yoke_buffer_release(buffers[last]);
    yoke_fail(-7001, "not of this call");
    CHECK_OK(yoke_buffer_create(a->device, size, &buffers[last]));
    CHECK(yoke_error()->status == -7001 && strcmp(yoke_error()->text, "not of this call") == 0);
    CHECK_OK(yoke_stream_wait(a->stream));
    for (size_t i = 0; i < count; i++)
        yoke_buffer_release(buffers[i]);
    suite_works(t);
    memset(buffers, 0, sizeof buffers);
    CHECK(take_all(a, size, words, buffers) == count); /* as many as before */
    for (size_t i = 0; i < count; i++)
        yoke_buffer_release(buffers[i]);
    suite_works(t);
}

static void exhaustion_by_a_limit(suite *t)
{
    account a;

    NEED(account_open(t, &a));
    CHECK_OK(yoke_device_set_memory_limits(a.device, 16 << 20, YOKE_NO_LIMIT));
    exhaust(t, &a, PIECE, "requested|limit|1.0 MiB");
out:
    account_close(&a);
}

static void exhaustion(suite *t)
{
    uint64_t size = (uint64_t)4 << 30;
    account a = { NULL, NULL };

    if (t->info.kind != YOKE_DEVICE_GPU) {
        suite_skip("the memory of this device is the machine's, so the limit has to stand for it");
        return;
    }
    NEED(account_open(t, &a));
    exhaust(t, &a, (size_t)(size < t->info.memory / 32 ? size : t->info.memory / 32), "requested|free|largest|iB");
out:
    account_close(&a);
}

/* What is kept to be used again stands in nobody's way, even where it is all there is. Never touched, so that a CPU device does
 * not use up the machine's. */
static void what_is_kept_is_given_back_first(suite *t)
{
    uint64_t size = t->info.memory / 8 < t->info.max_buffer ? t->info.memory / 8 : t->info.max_buffer, total = 0;
    yoke_buffer *buffers[MOST] = { NULL }, *others[4] = { NULL };
    yoke_status status = YOKE_OK;
    size_t count = 0;
    account a;

    NEED(account_open(t, &a));
    NEED_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, YOKE_NO_LIMIT));
    while (count < MOST && total <= t->info.memory / 4 * 3 && status == YOKE_OK) {
        status = yoke_buffer_create(a.device, (size_t)size, &buffers[count]);
        if (status == YOKE_OK) {
            total += size;
            count++;
        }
    }
    CHECK(count > 0);
    for (size_t i = 0; i < count; i++)
        yoke_buffer_release(buffers[i]);
    yoke_memory_info info = look(&a);
    CHECK(info.in_use == 0 && info.cached >= total);
    for (int i = 0; i < 4; i++) { /* of another size, so that none of them fits */
        NEED_OK(yoke_buffer_create(a.device, (size_t)(size / 4 * 3), &others[i]));
        info = look(&a);
        CHECK(info.in_use + info.cached <= info.total);
    }
out:
    for (int i = 0; i < 4; i++)
        yoke_buffer_release(others[i]);
    account_close(&a);
}

/* Room is made by what is released while the device still works with it, too. */
static void limit_and_work_in_flight(suite *t)
{
    yoke_memory_info before = YOKE_MEMORY_INFO_INIT;
    yoke_buffer *buffer = NULL, *busy = NULL;

    CHECK_OK(yoke_device_get_memory(t->device, &before));
    NEED_OK(yoke_buffer_create(t->device, 8, &busy));
    NEED(suite_spin(t, t->stream, busy, 0, 1, NULL)); /* measures first, with memory of its own */
    NEED_OK(yoke_buffer_create(t->device, PIECE, &buffer));
    yoke_memory_info info = YOKE_MEMORY_INFO_INIT;
    CHECK_OK(yoke_device_get_memory(t->device, &info));
    yoke_buffer_release(buffer);
    NEED_OK(yoke_device_set_memory_limits(t->device, info.in_use, YOKE_NO_LIMIT));
    for (uint32_t i = 0; i < 10; i++) {
        NEED_OK(yoke_buffer_create(t->device, PIECE, &buffer));
        NEED(suite_spin(t, t->stream, busy, i, 5, NULL));
        NEED_OK(yoke_fill(t->stream, buffer, 0, PIECE, "x", 1));
        yoke_buffer_release(buffer);
        buffer = NULL;
    }
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_device_set_memory_limits(t->device, before.in_use_limit, before.cached_limit));
    yoke_buffer_release(buffer);
    yoke_buffer_release(busy);
}

static void two_threads_that_fit(suite *t)
{
    enum { ROUNDS = 300 };
    const uint64_t room = (uint64_t)2 << 30; /* a driver takes long for much more */
    yoke_buffer *rest = NULL;
    account a = { NULL, NULL };

    if (t->info.kind != YOKE_DEVICE_GPU) {
        suite_skip("the memory of this device is the machine's");
        return;
    }
    NEED(account_open(t, &a));
    NEED_OK(yoke_device_set_memory_limits(a.device, YOKE_NO_LIMIT, 0));
    uint64_t unused = look(&a).free, most = t->info.max_buffer;
    if (unused > 2 * room)
        NEED_OK(yoke_buffer_create(a.device, (size_t)(unused - room < most ? unused - room : most), &rest));
    uint64_t size = look(&a).free / 5 * 2;
    two_take_and_give(&a, (size_t)(size < most ? size : most), false, ROUNDS);
out:
    yoke_buffer_release(rest);
    account_close(&a);
}

/* A host function that asks for more than there is, while what would make room waits behind it. */
typedef struct asker {
    yoke_device *device;
    yoke_buffer *buffer; /* used and released behind the function */
    gate released;
    yoke_status status;
} asker;

static yoke_status ask_for_memory(yoke_status status, void *user)
{
    asker *k = user;
    yoke_buffer *buffer = NULL;

    CHECK_STATUS(YOKE_OK, status);
    gate_wait(&k->released, 1);
    k->status = yoke_buffer_create(k->device, PIECE, &buffer);
    CHECK(k->status == YOKE_OK || k->status == YOKE_E_OUT_OF_DEVICE_MEMORY);
    CHECK((k->status == YOKE_OK) == (buffer != NULL));
    yoke_buffer_release(buffer);
    return YOKE_OK;
}

static void limit_inside_a_host_function(suite *t)
{
    asker k = { .released = GATE_INIT };
    yoke_buffer *after = NULL;
    account a;

    NEED(account_open(t, &a));
    k.device = a.device;
    NEED_OK(yoke_buffer_create(a.device, PIECE, &k.buffer));
    NEED_OK(yoke_device_set_memory_limits(a.device, look(&a).in_use, YOKE_NO_LIMIT));
    NEED_OK(yoke_host_call(a.stream, ask_for_memory, &k, NULL));
    CHECK_OK(yoke_fill(a.stream, k.buffer, 0, PIECE, "x", 1));
    yoke_buffer_release(k.buffer);
    gate_open(&k.released);
    CHECK_OK(yoke_stream_wait(a.stream));
    CHECK_OK(yoke_buffer_create(a.device, PIECE, &after));
out:
    yoke_buffer_release(after);
    account_close(&a);
}

int main(void)
{
    static const suite_case cases[] = {
        { "exhaustion by a limit", exhaustion_by_a_limit, false },
        { "exhaustion of the device", exhaustion, false },
        { "two threads that fit", two_threads_that_fit, false },
        { "what is kept is given back first", what_is_kept_is_given_back_first, false },
        { "what is still in use makes room, too", limit_and_work_in_flight, false },
        { "a host function asks, and what would make room is behind it", limit_inside_a_host_function, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "exhaustion test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    suite_alone();
    return SUITE_MAIN(cases, &source);
}
