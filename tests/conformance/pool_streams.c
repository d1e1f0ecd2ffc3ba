/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory in the order of a stream that works for a while, released and used again beside other streams: a stream that fails runs
 * none of its work, so that its end says nothing of the first stream's; and many streams find their own memory again.
 */
#include "account.h"
#include "stand.h"

static const char *const kernels_cuda = SPIN_CUDA, *const kernels_opencl = SPIN_OPENCL;

enum { SMALL_BYTES = 4096, LARGE_BYTES = 1 << 20, MILLISECONDS = 100, OLD = 0x07070707, NEW = 0x11111111 };

/* A kernel of the stream writes OLD, in a while, to memory that is released here and becomes *out_buffer, in the stream's order. */
static bool take_over(suite *t, size_t size, yoke_buffer **out_buffer)
{
    yoke_buffer *before;

    if (!CHECK_OK(yoke_buffer_create_ordered(t->stream, size, &before)))
        return false;
    bool ok = suite_spin(t, t->stream, before, OLD, MILLISECONDS, NULL);
    yoke_buffer_release(before);
    return ok && CHECK_OK(yoke_buffer_create_ordered(t->stream, size, out_buffer));
}

/* Another owner has memory of this size to itself, whatever the kernel writes. */
static void check_another_owner(suite *t, bool ordered, size_t size)
{
    static const uint32_t new = NEW;
    yoke_stream *another = NULL;
    yoke_buffer *mine = NULL;
    uint32_t back = 0;

    NEED_OK(yoke_stream_create(t->device, NULL, &another));
    NEED_OK(ordered ? yoke_buffer_create_ordered(another, size, &mine) : yoke_buffer_create(t->device, size, &mine));
    NEED_OK(yoke_fill(another, mine, 0, size, &new, sizeof new));
    NEED_OK(yoke_stream_wait(another));
    CHECK_OK(yoke_stream_wait(t->stream));
    NEED_OK(yoke_read_sync(another, &back, mine, 0, sizeof back));
    CHECK(back == NEW);
out:
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_buffer_release(mine);
    yoke_stream_release(another);
}

/* The other stream waits for the first, and fails before the wait: its wait and its work are skipped. */
static void hand_on(suite *t, size_t size, bool ordered, bool cancelled)
{
    static const uint32_t never = 9;
    yoke_stream *other = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *ready = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED(take_over(t, size, &buffer));
    NEED_OK(yoke_event_record(t->stream, 0, &ready));
    NEED_OK(cancelled ? yoke_stream_cancel(other) : yoke_host_call(other, fail_on_purpose, NULL, NULL));
    yoke_status waits = yoke_stream_wait_event(other, ready), fills = yoke_fill(other, buffer, 0, size, &never, sizeof never);
    if (cancelled)
        CHECK(waits == YOKE_E_CANCELLED && fills == YOKE_E_CANCELLED);
    yoke_buffer_release(buffer);
    buffer = NULL;
    CHECK_STATUS(cancelled ? YOKE_E_CANCELLED : OWN_STATUS, yoke_stream_wait(other));
    check_another_owner(t, ordered, size);
out:
    yoke_event_release(ready);
    yoke_buffer_release(buffer);
    yoke_stream_release(other);
}

static void handed_to_a_failed_stream(suite *t)
{
    for (int i = 0; i < 8; i++)
        hand_on(t, i & 1 ? SMALL_BYTES : LARGE_BYTES, i & 2, i & 4);
}

/* Nothing of the released memory is kept, and its last buffer has never been used. */
static void freed_without_use(suite *t)
{
    for (int i = 0; i < 2; i++) {
        const size_t size = i ? SMALL_BYTES : LARGE_BYTES;
        yoke_buffer *buffer = NULL;

        NEED(take_over(t, size, &buffer));
        CHECK_OK(yoke_device_set_memory_limits(t->device, YOKE_NO_LIMIT, 0));
        yoke_buffer_release(buffer);
        check_another_owner(t, false, size);
    out:
        CHECK_OK(yoke_device_set_memory_limits(t->device, YOKE_NO_LIMIT, t->info.memory / 16));
    }
}

/* More streams, and more buffers of one size in each, than a search looks at: each finds what it has released itself. */
static void many_find_their_own(suite *t)
{
    enum { STREAMS = 20, EACH = 20, ROUNDS = 6 };
    static const uint32_t value = NEW;
    yoke_stream *streams[STREAMS] = { NULL };
    yoke_buffer *busy = NULL;
    yoke_event *end = NULL;
    account a = { t->device, t->stream };

    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    NEED_OK(yoke_buffer_create(t->device, LARGE_BYTES, &busy));
    NEED(suite_spin(t, t->stream, busy, OLD, 3 * MILLISECONDS, NULL));
    NEED_OK(yoke_event_record(t->stream, 0, &end));
    uint64_t before = look(&a).cached;
    for (int i = 0; i < STREAMS; i++) {
        NEED_OK(yoke_stream_create(t->device, NULL, &streams[i]));
        NEED_OK(yoke_stream_wait_event(streams[i], end));
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < STREAMS; i++) {
            yoke_buffer *buffers[EACH] = { NULL };
            bool ok = true;

            for (int j = 0; j < EACH; j++)
                ok = CHECK_OK(yoke_buffer_create_ordered(streams[i], SMALL_BYTES, &buffers[j])) &&
                     CHECK_OK(yoke_fill(streams[i], buffers[j], 0, SMALL_BYTES, &value, sizeof value)) && ok;
            for (int j = 0; j < EACH; j++)
                yoke_buffer_release(buffers[j]);
            NEED(ok);
        }
    uint64_t kept = (look(&a).cached - before) / SMALL_BYTES;
    if (!CHECK(kept > 0 && kept <= STREAMS * EACH))
        tap_diag("the memory of %llu buffers is kept, of which there were %d at a time", (unsigned long long)kept, STREAMS * EACH);
out:
    for (int i = 0; i < STREAMS; i++) {
        if (streams[i])
            CHECK_OK(yoke_stream_wait(streams[i]));
        yoke_stream_release(streams[i]);
    }
    CHECK_OK(yoke_stream_wait(t->stream));
    yoke_event_release(end);
    yoke_buffer_release(busy);
}

int main(void)
{
    static const suite_case cases[] = {
        { "handed on to a stream that fails", handed_to_a_failed_stream, false },
        { "freed without use", freed_without_use, false },
        { "many streams find their own", many_find_their_own, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "pool streams test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
