/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies from and to pageable memory, which may be given to the driver or be carried in pieces through pinned memory by threads of
 * the library's: the same bytes, the same order, calls that do not wait, whatever happens to the stream meanwhile. Each case runs
 * as the library finds best, and again with each way forced.
 */
#include "again.h"
#include "stand.h"

#include <stdlib.h>
#include <string.h>

enum { KI = 1 << 10, MI = 1 << 20, PIECE = 2 * MI };

/* ---- Bytes -------------------------------------------------------------------------------------------------------------- */

static void sizes(suite *t)
{
    enum { MOST = 40 * MI, GUARD = 300 };
    static const size_t tried[] = {
        1,
        2,
        63,
        64,
        65,
        4095,
        4096,
        4097,
        64 * KI - 1,
        64 * KI,
        64 * KI + 1,
        MI - 1,
        MI,
        MI + 1,
        PIECE - 1,
        PIECE,
        PIECE + 1,
        2 * PIECE - 1,
        2 * PIECE,
        2 * PIECE + 1,
        3 * PIECE + 12345,
        4 * PIECE - 1,
        4 * PIECE + 1,
        8 * PIECE - 1,
        8 * PIECE + 1,
        MOST,
    };
    unsigned char *data = memory_new(MOST + 64), *back = memory_new(MOST + 2 * GUARD), *guards = memory_new(GUARD), filler = 0x7E;
    yoke_buffer *buffer = NULL;

    fill_random(data, MOST + 64, 1);
    memset(guards, filler, GUARD);
    NEED_OK(yoke_buffer_create(t->device, MOST + 2 * GUARD, &buffer));
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        size_t size = tried[i], total = size + 2 * GUARD;
        unsigned char *source = data + i * 7 % 64, *target = memory_new(size);

        NEED_OK(yoke_fill(t->stream, buffer, 0, total, &filler, 1));
        if (i % 2) {
            NEED_OK(yoke_write_sync(t->stream, buffer, GUARD, source, size));
            NEED_OK(yoke_read_sync(t->stream, target, buffer, GUARD, size));
        } else {
            NEED_OK(yoke_write(t->stream, buffer, GUARD, source, size));
            NEED_OK(yoke_read(t->stream, target, buffer, GUARD, size));
        }
        NEED_OK(yoke_read(t->stream, back, buffer, 0, total));
        NEED_OK(yoke_stream_wait(t->stream));
        bool ok = CHECK_BYTES(target, source, size) && CHECK_BYTES(back, guards, GUARD) &&
                  CHECK_BYTES(back + GUARD, source, size) && CHECK_BYTES(back + GUARD + size, guards, GUARD);
        memory_free(target);
        if (!ok) {
            tap_diag("with %zu bytes", size);
            break;
        }
    }
out:
    yoke_buffer_release(buffer);
    memory_free(guards);
    memory_free(back);
    memory_free(data);
}

/* ---- Order -------------------------------------------------------------------------------------------------------------- */

static const size_t sizes_in_order[] = { 5, 64 * KI, MI, 2 * PIECE + 1 };
enum { SIZES_IN_ORDER = sizeof sizes_in_order / sizeof sizes_in_order[0], LARGEST = 2 * PIECE + 1 };

/* Large and small ones that go different ways, fills and copies, all on the same bytes. */
static void one_behind_the_other(suite *t)
{
    unsigned char *data = memory_new(LARGEST), *mirror = memory_new(LARGEST), *back = memory_new(LARGEST), seven = 7;
    guarded x = { 0 }, y = { 0 };

    fill_random(data, LARGEST, 2);
    NEED(guarded_create(t, LARGEST, &x) && guarded_create(t, LARGEST, &y));
    for (size_t i = 0; i < 3 * SIZES_IN_ORDER; i++) {
        size_t size = sizes_in_order[i % SIZES_IN_ORDER], next = sizes_in_order[(i + 1) % SIZES_IN_ORDER];
        size_t at = i * 1009 % (LARGEST - size + 1), half = next / 2;

        NEED_OK(yoke_write(t->stream, x.buffer, 0, data, LARGEST));
        NEED_OK(yoke_fill(t->stream, x.buffer, LARGEST / 3, LARGEST / 3, &seven, 1));
        NEED_OK(yoke_write(t->stream, x.buffer, at, data + LARGEST - size, size));
        NEED_OK(yoke_copy(t->stream, y.buffer, 0, x.buffer, 0, LARGEST));
        NEED_OK(yoke_write(t->stream, x.buffer, half, data, next - half));
        NEED_OK(yoke_write(t->stream, y.buffer, LARGEST - size, data + at, size));
        NEED_OK(yoke_read(t->stream, back, y.buffer, 0, LARGEST));
        NEED_OK(yoke_fill(t->stream, y.buffer, 0, LARGEST, &seven, 1)); /* must not come before the read */
        NEED_OK(yoke_stream_wait(t->stream));
        memcpy(mirror, data, LARGEST);
        memset(mirror + LARGEST / 3, seven, LARGEST / 3);
        memcpy(mirror + at, data + LARGEST - size, size);
        memcpy(mirror + LARGEST - size, data + at, size);
        NEED(CHECK_BYTES(back, mirror, LARGEST));
        memset(mirror, seven, LARGEST);
        NEED(guarded_check(t, &y, mirror));
    }
out:
    yoke_stream_wait(t->stream);
    guarded_release(&x);
    guarded_release(&y);
    memory_free(back);
    memory_free(mirror);
    memory_free(data);
}

/* From a buffer to host memory and from there to another buffer; then the host memory is read into while still a source. */
static void through_host_memory(suite *t)
{
    unsigned char *first = memory_new(LARGEST), *second = memory_new(LARGEST), *host = memory_new(LARGEST);
    guarded x = { 0 }, y = { 0 }, z = { 0 }, busy = { 0 };

    fill_random(first, LARGEST, 3);
    fill_random(second, LARGEST, 4);
    NEED(guarded_create(t, LARGEST, &x) && guarded_create(t, LARGEST, &y) && guarded_create(t, LARGEST, &z));
    NEED(guarded_create(t, 8, &busy));
    for (size_t i = 0; i < 4 * SIZES_IN_ORDER; i++) {
        size_t in = sizes_in_order[i % SIZES_IN_ORDER], out = sizes_in_order[i / SIZES_IN_ORDER];

        NEED(guarded_write(t, &x, first) && guarded_write(t, &y, second) && guarded_write(t, &z, second));
        memset(host, 0x11, LARGEST);
        NEED_OK(yoke_read(t->stream, host, x.buffer, 0, LARGEST));
        NEED_OK(yoke_write(t->stream, y.buffer, 0, host, in));              /* of x */
        NEED(suite_spin(t, t->stream, busy.buffer, (uint32_t)i, 10, NULL)); /* nobody may run ahead of the small ones */
        NEED_OK(yoke_read(t->stream, host, z.buffer, 0, out));              /* while that goes on */
        NEED_OK(yoke_write(t->stream, x.buffer, 0, host, LARGEST));         /* of z, then of x itself */
        NEED_OK(yoke_stream_wait(t->stream));
        unsigned char *mirror = memory_new(LARGEST);
        memcpy(mirror, second, LARGEST);
        memcpy(mirror, first, in);
        bool ok = guarded_check(t, &y, mirror);
        memcpy(mirror, first, LARGEST);
        memcpy(mirror, second, out);
        ok = guarded_check(t, &x, mirror) && CHECK_BYTES(host, mirror, LARGEST) && ok;
        memory_free(mirror);
        NEED(ok);
    }
out:
    yoke_stream_wait(t->stream);
    guarded_release(&x);
    guarded_release(&y);
    guarded_release(&z);
    guarded_release(&busy);
    memory_free(host);
    memory_free(second);
    memory_free(first);
}

typedef struct page {
    unsigned char *bytes, *wanted;
    size_t size;
    uint32_t seed;
} page;

static yoke_status write_page(yoke_status status, void *user)
{
    page *p = user;

    CHECK_STATUS(YOKE_OK, status);
    fill_random(p->bytes, p->size, p->seed);
    return YOKE_OK;
}

static yoke_status look_at_page(yoke_status status, void *user)
{
    page *p = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK_BYTES(p->bytes, p->wanted, p->size);
    memset(p->bytes, 0xEE, p->size); /* nobody writes there any more */
    return YOKE_OK;
}

/* A host function writes what the next copy takes, and the next one sees what a copy has brought. */
static void between_host_functions(suite *t)
{
    unsigned char *host = memory_new(LARGEST), *back = memory_new(LARGEST), *wanted = memory_new(LARGEST);
    unsigned char *spoilt = memory_new(LARGEST);
    guarded x = { 0 };

    memset(spoilt, 0xEE, LARGEST);
    NEED(guarded_create(t, LARGEST, &x));
    for (uint32_t i = 0; i < 3 * SIZES_IN_ORDER; i++) {
        size_t size = sizes_in_order[i % SIZES_IN_ORDER];
        page source = { host, NULL, size, i + 10 }, target = { back, wanted, size, 0 };

        memset(host, 0, size);
        memset(back, 0, size);
        fill_random(wanted, size, i + 10);
        NEED_OK(yoke_host_call(t->stream, write_page, &source, NULL));
        bool ok = CHECK_OK(yoke_write(t->stream, x.buffer, 0, host, size)) &&
                  CHECK_OK(yoke_read(t->stream, back, x.buffer, 0, size)) &&
                  CHECK_OK(yoke_host_call(t->stream, look_at_page, &target, NULL));
        CHECK_OK(yoke_stream_wait(t->stream));
        NEED(ok && CHECK_BYTES(back, spoilt, size));
    }
out:
    guarded_release(&x);
    memory_free(spoilt);
    memory_free(wanted);
    memory_free(back);
    memory_free(host);
}

/* An event behind a copy means all of it, for another stream and for the host. */
static void events_mean_all_of_it(suite *t)
{
    unsigned char *data = memory_new(LARGEST), *back = memory_new(LARGEST), *third = memory_new(LARGEST);
    yoke_event *written = NULL, *read = NULL;
    guarded x = { 0 }, y = { 0 };

    NEED(guarded_create(t, LARGEST, &x) && guarded_create(t, LARGEST, &y));
    for (uint32_t i = 0; i < 3 * SIZES_IN_ORDER; i++) {
        size_t size = sizes_in_order[i % SIZES_IN_ORDER];

        fill_random(data, size, i + 30);
        NEED_OK(yoke_write(t->stream, x.buffer, 0, data, size));
        NEED_OK(yoke_event_record(t->stream, 0, &written));
        NEED_OK(yoke_stream_wait_event(t->side, written));
        NEED_OK(yoke_copy(t->side, y.buffer, 0, x.buffer, 0, size));
        NEED_OK(yoke_read(t->side, back, y.buffer, 0, size));
        NEED_OK(yoke_event_record(t->side, 0, &read));
        NEED_OK(yoke_stream_wait_event(t->stream, read));
        NEED_OK(yoke_write(t->stream, y.buffer, 0, back, size));
        NEED_OK(yoke_read(t->stream, third, y.buffer, 0, size));
        NEED_OK(yoke_event_wait(written));
        NEED_OK(yoke_event_wait(read));
        NEED(CHECK_BYTES(back, data, size));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(CHECK_BYTES(third, data, size));
        yoke_event_release(written);
        yoke_event_release(read);
        written = read = NULL;
    }
out:
    yoke_event_release(written);
    yoke_event_release(read);
    yoke_stream_wait(t->stream);
    yoke_stream_wait(t->side);
    guarded_release(&x);
    guarded_release(&y);
    memory_free(third);
    memory_free(back);
    memory_free(data);
}

/* ---- Threads ------------------------------------------------------------------------------------------------------------ */

enum { THREADS = 5, THREAD_ROUNDS = 8 };

typedef struct copier {
    suite *t;
    yoke_stream *stream;
    unsigned number;
    pthread_t thread;
} copier;

static void *copy_in_thread(void *user)
{
    copier *c = user;
    unsigned char *data = memory_new(LARGEST), *back = memory_new(LARGEST);
    yoke_buffer *x = NULL, *y = NULL;
    yoke_event *end = NULL;

    NEED_OK(yoke_buffer_create(c->t->device, LARGEST, &x));
    NEED_OK(yoke_buffer_create(c->t->device, LARGEST, &y));
    for (uint32_t i = 0; i < THREAD_ROUNDS; i++) {
        size_t size = sizes_in_order[(i + c->number) % SIZES_IN_ORDER];

        fill_random(data, size, i * THREADS + c->number);
        memset(back, 0, size);
        NEED_OK(yoke_write(c->stream, x, LARGEST - size, data, size));
        NEED_OK(yoke_copy(c->stream, y, 0, x, LARGEST - size, size));
        NEED_OK(yoke_read(c->stream, back, y, 0, size));
        NEED_OK(yoke_event_record(c->stream, 0, &end));
        NEED_OK(yoke_event_wait(end));
        NEED(CHECK_BYTES(back, data, size));
        yoke_event_release(end);
        end = NULL;
    }
out:
    yoke_event_release(end);
    yoke_stream_wait(c->stream);
    yoke_buffer_release(x);
    yoke_buffer_release(y);
    memory_free(back);
    memory_free(data);
    return NULL;
}

/* Streams of their own, but for the last two threads, which share one. */
static void several_threads(suite *t)
{
    copier copiers[THREADS] = { { .t = t } };
    int started = 0;

    for (unsigned i = 0; i < THREADS; i++) {
        copiers[i] = (copier){ .t = t, .number = i };
        if (i == THREADS - 1)
            copiers[i].stream = yoke_stream_retain(copiers[i - 1].stream);
        else
            NEED_OK(yoke_stream_create(t->device, &copiers[i].stream));
    }
    while (started < THREADS && CHECK(pthread_create(&copiers[started].thread, NULL, copy_in_thread, &copiers[started]) == 0))
        started++;
out:
    while (started > 0)
        pthread_join(copiers[--started].thread, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        yoke_stream_release(copiers[i].stream);
}

/* More streams than the library has pinned memory for, all enqueued to before any is waited for. */
static void many_streams(suite *t)
{
    enum { STREAMS = 12 };
    unsigned char *data = memory_new(LARGEST), *backs[STREAMS] = { NULL };
    yoke_stream *streams[STREAMS] = { NULL };
    guarded x = { 0 };

    fill_random(data, LARGEST, 50);
    NEED(guarded_create(t, LARGEST, &x) && guarded_write(t, &x, data));
    for (unsigned i = 0; i < STREAMS; i++) {
        backs[i] = memory_new(LARGEST);
        NEED_OK(yoke_stream_create(t->device, &streams[i]));
        NEED_OK(yoke_read(streams[i], backs[i], x.buffer, 0, LARGEST));
    }
    for (unsigned i = STREAMS; i-- > 0;) {
        NEED_OK(yoke_stream_wait(streams[i]));
        NEED(CHECK_BYTES(backs[i], data, LARGEST));
    }
out:
    for (unsigned i = 0; i < STREAMS; i++) {
        if (streams[i])
            yoke_stream_wait(streams[i]);
        yoke_stream_release(streams[i]);
        memory_free(backs[i]);
    }
    guarded_release(&x);
    memory_free(data);
}

/* ---- Calls do not wait -------------------------------------------------------------------------------------------------- */

/* Everything is enqueued while a host function stands at a gate that is opened only afterwards: a call that waited would never
 * return. */
static void behind_a_gate(suite *t)
{
    enum { AT_ONCE = 40 * MI };
    static const size_t tried[] = { 1, 1000, 64 * KI, MI - 1, MI, PIECE + 1, AT_ONCE };
    unsigned char *data = memory_new(AT_ONCE), *back = memory_new(AT_ONCE);
    yoke_pitch rows = { 0, 1000, 0 };
    yoke_rect rect = { 999, 5000, 1 };
    guarded x = { 0 };

    fill_random(data, AT_ONCE, 60);
    NEED(guarded_create(t, AT_ONCE, &x));
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        stand s = STAND_INIT;

        memset(back, 0, tried[i]);
        NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
        gate_wait(&s.inside, 1);
        bool ok = CHECK_OK(yoke_write(t->stream, x.buffer, 0, data, tried[i])) &&
                  CHECK_OK(yoke_read(t->stream, back, x.buffer, 0, tried[i])) &&
                  CHECK_OK(yoke_write_rect(t->stream, x.buffer, rows, data, rows, rect)) &&
                  CHECK_OK(yoke_read_rect(t->stream, data, rows, x.buffer, rows, rect));
        gate_open(&s.leave);
        CHECK_OK(yoke_stream_wait(t->stream));
        NEED(ok && CHECK_BYTES(back, data, tried[i]));
    }
out:
    guarded_release(&x);
    memory_free(back);
    memory_free(data);
}

/* Behind a kernel that runs for a while, each time for longer, since other processes may have been in the way when its speed was
 * measured: in one of some tries the call has to be back before it is done. */
static bool comes_back(suite *t, const guarded *busy, const guarded *x, unsigned char *host, size_t size, bool write)
{
    yoke_event *done = NULL;
    bool early = false;

    for (uint32_t tries = 0; tries < 5 && !early; tries++) {
        for (uint32_t i = 0; i < 4; i++)
            NEED(suite_spin(t, t->stream, busy->buffer, tries, 50u << tries, NULL));
        NEED_OK(yoke_event_record(t->stream, 0, &done));
        if (write)
            NEED_OK(yoke_write(t->stream, x->buffer, 0, host, size));
        else
            NEED_OK(yoke_read(t->stream, host, x->buffer, 0, size));
        early = yoke_event_query(done) == YOKE_PENDING;
        yoke_event_release(done);
        done = NULL;
        NEED_OK(yoke_stream_wait(t->stream));
    }
out:
    yoke_event_release(done);
    return early;
}

/* Whether a kernel can be enqueued and is not done when that call, and the question for it, come back. */
static bool runs_aside(suite *t, const guarded *busy)
{
    yoke_event *done = NULL;
    bool aside = false;

    for (uint32_t tries = 0; tries < 5 && !aside; tries++) {
        NEED(suite_spin(t, t->stream, busy->buffer, tries, 50u << tries, NULL));
        NEED_OK(yoke_event_record(t->stream, 0, &done));
        aside = yoke_event_query(done) == YOKE_PENDING && yoke_event_query(done) == YOKE_PENDING;
        yoke_event_release(done);
        done = NULL;
        NEED_OK(yoke_stream_wait(t->stream));
    }
out:
    yoke_event_release(done);
    return aside;
}

static void behind_a_kernel(suite *t)
{
    static const size_t tried[] = { 1, 1000, 64 * KI, 65 * KI, MI - 1, MI, LARGEST };
    unsigned char *data = memory_new(LARGEST), *back = memory_new(LARGEST);
    guarded x = { 0 }, busy = { 0 };

    fill_random(data, LARGEST, 61);
    NEED(guarded_create(t, LARGEST, &x) && guarded_create(t, 8, &busy));
    if (!runs_aside(t, &busy)) {
        suite_skip("the driver runs kernels inside its calls");
        goto out;
    }
    for (size_t i = 0; i < sizeof tried / sizeof tried[0]; i++) {
        memset(back, 0, tried[i]);
        if (!CHECK(comes_back(t, &busy, &x, data, tried[i], true)) || !CHECK(comes_back(t, &busy, &x, back, tried[i], false)))
            tap_diag("with %zu bytes", tried[i]);
        NEED(CHECK_BYTES(back, data, tried[i]));
    }
out:
    guarded_release(&busy);
    guarded_release(&x);
    memory_free(back);
    memory_free(data);
}

/* ---- All of it, each way ------------------------------------------------------------------------------------------------ */

#define EACH_WAY                                                                                                              \
    { "from 1 byte to 40 MiB", sizes, false }, { "large and small ones, one behind the other", one_behind_the_other, false }, \
        { "through the same host memory, in and out", through_host_memory, false },                                           \
        { "between host functions that write and look", between_host_functions, false },                                      \
        { "an event behind a copy means all of it", events_mean_all_of_it, false },                                           \
        { "several streams at once from several threads", several_threads, false },                                           \
        { "many streams at once", many_streams, false },                                                                      \
    {                                                                                                                         \
        "calls behind a host function at a gate return", behind_a_gate, false                                                 \
    }

/* What a driver is given may make it wait for a kernel: some do, and that is why there is another way. */
static const suite_case each_way[] = { EACH_WAY };
static const suite_case in_pieces[] = { EACH_WAY, { "calls behind a kernel return", behind_a_kernel, false } };

static void staged(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", NULL }));
}

static void staged_by_one_thread(suite *t)
{
    AGAIN(t, in_pieces, ((const char *const[]){ "YOKE_STAGING=1", "YOKE_COPY_THREADS=1", NULL }));
}

static void never_staged(suite *t)
{
    AGAIN(t, each_way, ((const char *const[]){ "YOKE_STAGING=0", NULL }));
}

int main(int argc, char **argv)
{
    static const suite_case cases[] = {
        EACH_WAY,
        { "calls behind a kernel return", behind_a_kernel, false },
        { "all of it, carried through pinned memory", staged, false },
        { "the same, by one thread", staged_by_one_thread, false },
        { "all of it, given to the driver", never_staged, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "transfer test";
    source.cuda = SPIN_CUDA;
    source.opencl = SPIN_OPENCL;
    if (argc == 3)
        return AGAIN_MAIN(cases, &source, argv);
    return SUITE_MAIN(cases, &source);
}
