/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of copies between two devices: behind events of either, behind host functions, from many threads, and what becomes of
 * them when a stream fails, is cancelled, or everything is released under them. Which bytes they move is in peer.c.
 */
#include "peer.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "stand.h"

static const yoke_source kernels = {
    .size = sizeof kernels,
    .name = "peer order test",
    .cuda = SPIN_CUDA ADVANCE_CUDA,
    .opencl = SPIN_OPENCL ADVANCE_OPENCL,
};
static const yoke_source *const peer_source = &kernels;

enum { WORDS = 65537, BYTES = WORDS * 4 };

static void step_host(uint32_t *x, uint32_t k)
{
    for (size_t i = 0; i < WORDS; i++)
        x[i] = x[i] * 3u + k;
}

/* A buffer on either side, with bytes of their own, and what each has to hold. */
typedef struct two {
    guarded on[2]; /* t's, p's */
    uint32_t *wanted[2];
    suite *of[2];
} two;

static bool two_open(suite *t, suite *p, two *b)
{
    *b = (two){ .of = { t, p } };
    for (int i = 0; i < 2; i++) {
        b->wanted[i] = memory_new(BYTES);
        fill_random(b->wanted[i], BYTES, (uint32_t)i + 1);
    }
    for (int i = 0; i < 2; i++)
        if (!guarded_create(b->of[i], BYTES, &b->on[i]) || !guarded_write(b->of[i], &b->on[i], b->wanted[i]))
            return false;
    return true;
}

static bool two_check(const two *b)
{
    return guarded_check(b->of[0], &b->on[0], b->wanted[0]) && guarded_check(b->of[1], &b->on[1], b->wanted[1]);
}

static void two_close(two *b)
{
    for (int i = 0; i < 2; i++) {
        guarded_release(&b->on[i]);
        memory_free(b->wanted[i]);
    }
}

/* What `waiter` gets from here on comes behind what `ahead` has got. */
static bool comes_behind(yoke_stream *waiter, yoke_stream *ahead)
{
    yoke_event *event = NULL;
    bool ok = CHECK_OK(yoke_event_record(ahead, 0, &event)) && CHECK_OK(yoke_stream_wait_event(waiter, event));

    yoke_event_release(event);
    return ok;
}

/* ---- Events across ---- */

/* A slow kernel, then a step, on one device; the other's stream copies that, and the first goes on only behind the copy. */
static void one_behind_the_other(suite *t, suite *p, bool puller)
{
    guarded busy = { 0 };
    two b;
    route r = { .from = p, .to = t, .on = puller ? t : p };
    yoke_stream *before = puller ? p->stream : t->stream;

    NEED(two_open(t, p, &b) && guarded_create(p, 8, &busy));
    NEED(suite_spin(p, p->stream, busy.buffer, 1, 20, NULL));
    NEED_OK(yoke_launch_n(p->stream, suite_kernel(p, "advance"), WORDS, YOKE_ARGS(b.on[1].buffer, (uint32_t)WORDS, (uint32_t)7)));
    step_host(b.wanted[1], 7);
    NEED(comes_behind(r.on->stream, before));
    NEED_OK(yoke_copy(r.on->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES));
    memcpy(b.wanted[0], b.wanted[1], BYTES);
    NEED(comes_behind(before, r.on->stream));
    NEED_OK(yoke_fill(p->stream, b.on[1].buffer, 0, BYTES, "\x77", 1));
    memset(b.wanted[1], 0x77, BYTES);
    NEED(comes_behind(t->stream, p->stream));
    NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "advance"), WORDS, YOKE_ARGS(b.on[0].buffer, (uint32_t)WORDS, (uint32_t)9)));
    step_host(b.wanted[0], 9);
    NEED_OK(yoke_stream_wait(t->stream)); /* which is behind everything */
    CHECK_OK(yoke_stream_wait(p->stream));
    two_check(&b);
out:
    yoke_stream_wait(t->stream);
    yoke_stream_wait(p->stream);
    guarded_release(&busy);
    two_close(&b);
}

static void behind_events(suite *t, suite *p)
{
    one_behind_the_other(t, p, true);
    one_behind_the_other(t, p, false);
}

/* There and back, a kernel at each end. Nobody waits on the host before the end. */
static void ping_pong(suite *t, suite *p)
{
    enum { ROUNDS = 40 };
    yoke_kernel *steps[2] = { suite_kernel(t, "advance"), suite_kernel(p, "advance") };
    two b;

    NEED(two_open(t, p, &b) && steps[0] && steps[1]);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        suite *here = b.of[i % 2], *there = b.of[!(i % 2)];
        guarded *from = &b.on[i % 2], *to = &b.on[!(i % 2)];

        NEED_OK(yoke_launch_n(here->stream, steps[i % 2], WORDS, YOKE_ARGS(from->buffer, (uint32_t)WORDS, i)));
        if (i % 3) { /* pushed */
            NEED_OK(yoke_copy(here->stream, to->buffer, 0, from->buffer, 0, BYTES));
            NEED(comes_behind(there->stream, here->stream));
        } else { /* pulled */
            NEED(comes_behind(there->stream, here->stream));
            NEED_OK(yoke_copy(there->stream, to->buffer, 0, from->buffer, 0, BYTES));
            NEED(comes_behind(here->stream, there->stream));
        }
        step_host(b.wanted[0], i);
    }
    memcpy(b.wanted[1], b.wanted[0], BYTES);
    NEED_OK(yoke_stream_wait(b.of[ROUNDS % 2]->stream));
    NEED_OK(yoke_stream_wait(b.of[!(ROUNDS % 2)]->stream));
    two_check(&b);
out:
    yoke_stream_wait(t->stream);
    yoke_stream_wait(p->stream);
    two_close(&b);
}

/* ---- Behind host functions ---- */

/* The copy runs when its turn comes: then the source holds something else. */
static void held_on(suite *t, suite *p, suite *on)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    two b;

    if (!two_open(t, p, &b) || !record_held(on->stream, &s, &event))
        goto out;
    bool ok = CHECK_OK(yoke_copy(on->stream, b.on[0].buffer, 1, b.on[1].buffer, 3, BYTES - 5)) &&
              CHECK_OK(yoke_copy_rect(on->stream, b.on[1].buffer, (yoke_pitch){ 0, 64, 0 }, b.on[0].buffer,
                                      (yoke_pitch){ 1000, 100, 0 }, (yoke_rect){ 50, 33, 1 }));
    gate_wait(&s.inside, 1);
    fill_random(b.wanted[1], BYTES, 20);
    ok = ok && guarded_write(p, &b.on[1], b.wanted[1]) && guarded_check(t, &b.on[0], b.wanted[0]); /* not yet */
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(on->stream));
    unsigned char *to = (unsigned char *)b.wanted[0], *from = (unsigned char *)b.wanted[1];
    memcpy(to + 1, from + 3, BYTES - 5);
    for (size_t y = 0; y < 33; y++)
        memcpy(from + y * 64, to + 1000 + y * 100, 50);
    if (ok)
        two_check(&b);
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    two_close(&b);
}

static void held(suite *t, suite *p)
{
    held_on(t, p, t);
    held_on(t, p, p);
}

/* A host function copies between the devices itself, on a stream that is not its own, and waits. */
typedef struct courier {
    two *b;
    yoke_stream *own, *other;
    atomic_uint ran;
} courier;

static yoke_status carry(yoke_status status, void *user)
{
    courier *c = user;

    CHECK_STATUS(YOKE_OK, status);
    atomic_fetch_add(&c->ran, 1);
    CHECK_OK(yoke_copy_sync(c->other, c->b->on[0].buffer, 0, c->b->on[1].buffer, 0, BYTES));
    CHECK_FAILS(YOKE_E_DEADLOCK, "host function", yoke_copy_sync(c->own, c->b->on[0].buffer, 0, c->b->on[1].buffer, 0, 4));
    return YOKE_OK;
}

static void inside_a_function(suite *t, suite *p)
{
    two b;
    courier c = { .b = &b };

    NEED(two_open(t, p, &b));
    for (int i = 0; i < 2; i++) {
        c.own = b.of[i]->stream;
        c.other = b.of[!i]->stream;
        NEED_OK(yoke_host_call(c.own, carry, &c, NULL));
        NEED_OK(yoke_stream_wait(c.own));
        NEED_OK(yoke_stream_wait(c.other));
        CHECK(atomic_load(&c.ran) == (unsigned)i + 1);
        memcpy(b.wanted[0], b.wanted[1], BYTES);
        NEED(two_check(&b));
        memset(b.wanted[0], 0x11, BYTES);
        NEED(guarded_write(t, &b.on[0], b.wanted[0]));
    }
out:
    two_close(&b);
}

/* ---- Many at once ---- */

enum { THREADS = 4, COPIES = 25, PIECE = 30011, WHOLE = THREADS * PIECE };

typedef struct copier {
    suite *t, *p;
    guarded *from[2], *to[2]; /* whole buffers, of which this thread has a piece: two of t's, two of p's */
    size_t offset;
    unsigned number;
    yoke_stream *streams[2];
} copier;

/* From t's source to p's target and from p's source to t's, on four streams, of which the suites' are shared by all. */
static void *copy_many(void *user)
{
    copier *c = user;

    for (unsigned i = 0; i < COPIES; i++) {
        size_t at = c->offset + i * (PIECE / COPIES), size = i + 1 < COPIES ? PIECE / COPIES : PIECE - i * (PIECE / COPIES);
        yoke_stream *some[4] = { c->streams[0], c->streams[1], c->t->stream, c->p->stream };

        CHECK_OK(yoke_copy(some[i % 4], c->to[1]->buffer, at, c->from[0]->buffer, at, size));
        CHECK_OK(yoke_copy(some[(i + c->number) % 4], c->to[0]->buffer, at, c->from[1]->buffer, at, size));
    }
    CHECK_OK(yoke_stream_wait(c->streams[0]));
    CHECK_OK(yoke_stream_wait(c->streams[1]));
    return NULL;
}

static void many_at_once(suite *t, suite *p)
{
    guarded from[2] = { { 0 } }, to[2] = { { 0 } };
    unsigned char *data[2] = { memory_new(WHOLE), memory_new(WHOLE) };
    copier copiers[THREADS] = { { 0 } };
    pthread_t threads[THREADS];
    suite *of[2] = { t, p };
    unsigned started = 0;

    for (int i = 0; i < 2; i++) {
        fill_random(data[i], WHOLE, (uint32_t)i + 30);
        NEED(guarded_create(of[i], WHOLE, &from[i]) && guarded_write(of[i], &from[i], data[i]));
        NEED(guarded_create(of[i], WHOLE, &to[i]));
    }
    for (unsigned n = 0; n < THREADS; n++) {
        copiers[n] = (copier){ t, p, { &from[0], &from[1] }, { &to[0], &to[1] }, n * (size_t)PIECE, n, { NULL, NULL } };
        NEED_OK(yoke_stream_create(t->device, NULL, &copiers[n].streams[0]));
        NEED_OK(yoke_stream_create(p->device, NULL, &copiers[n].streams[1]));
    }
    for (; started < THREADS; started++)
        if (!CHECK(pthread_create(&threads[started], NULL, copy_many, &copiers[started]) == 0))
            break;
    for (unsigned n = 0; n < started; n++)
        pthread_join(threads[n], NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    CHECK_OK(yoke_stream_wait(p->stream));
    guarded_check(p, &to[1], data[0]);
    guarded_check(t, &to[0], data[1]);
out:
    for (unsigned n = 0; n < THREADS; n++) {
        yoke_stream_release(copiers[n].streams[0]);
        yoke_stream_release(copiers[n].streams[1]);
    }
    for (int i = 0; i < 2; i++) {
        guarded_release(&from[i]);
        guarded_release(&to[i]);
        memory_free(data[i]);
    }
}

/* ---- Released under way ---- */

/* Both buffers of a copy, right behind it; new ones of their size must not get that memory yet. */
static void released(suite *t, suite *p)
{
    guarded busy[2] = { { 0 } }, out = { 0 };
    uint32_t *wanted = memory_new(BYTES);
    yoke_buffer *source = NULL, *middle = NULL, *others[2] = { NULL, NULL };
    suite *of[2] = { t, p };

    NEED(guarded_create(t, 8, &busy[0]) && guarded_create(p, 8, &busy[1]) && guarded_create(t, BYTES, &out));
    for (uint32_t i = 0; i < 8; i++) {
        suite *on = of[i % 2];

        fill_random(wanted, BYTES, i + 40);
        NEED_OK(yoke_buffer_create(p->device, BYTES, &source));
        NEED_OK(yoke_buffer_create(t->device, BYTES, &middle));
        NEED_OK(yoke_write_sync(p->side, source, 0, wanted, BYTES));
        NEED(suite_spin(on, on->stream, busy[i % 2].buffer, i, 5, NULL));
        NEED_OK(yoke_copy(on->stream, middle, 0, source, 0, BYTES));
        NEED_OK(yoke_copy(on->stream, out.buffer, 0, i % 2 ? source : middle, 0, BYTES)); /* on p's stream, middle is no source */
        yoke_buffer_release(source);
        yoke_buffer_release(middle);
        source = middle = NULL;
        for (int o = 0; o < 2; o++) {
            NEED_OK(yoke_buffer_create(of[o]->device, BYTES, &others[o]));
            NEED_OK(yoke_fill(of[o]->side, others[o], 0, BYTES, "\x99", 1));
            NEED_OK(yoke_stream_wait(of[o]->side));
        }
        NEED_OK(yoke_stream_wait(on->stream));
        NEED(guarded_check(t, &out, wanted));
        for (int o = 0; o < 2; o++) {
            yoke_buffer_release(others[o]);
            others[o] = NULL;
        }
    }
out:
    yoke_stream_wait(t->stream);
    yoke_stream_wait(p->stream);
    yoke_buffer_release(source);
    yoke_buffer_release(middle);
    yoke_buffer_release(others[0]);
    yoke_buffer_release(others[1]);
    guarded_release(&out);
    guarded_release(&busy[0]);
    guarded_release(&busy[1]);
    memory_free(wanted);
}

enum { BOTH_OPEN = 2 }; /* t and p */

/* The source, and with it the last reference to its device, while the copy is held, or under way. */
static void device_released(suite *t, const char *selector, bool hold)
{
    suite q = { 0 };
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    uint32_t *wanted = memory_new(BYTES);
    guarded target = { 0 }, source = { 0 };

    fill_random(wanted, BYTES, 50);
    NEED(suite_log_open(BOTH_OPEN)); /* those of cases before are closed */
    NEED_OK(yoke_device_open(selector, &q.device));
    NEED(peer_ready(&q, NULL) && guarded_create(t, BYTES, &target));
    NEED(guarded_create(&q, BYTES, &source) && guarded_write(&q, &source, wanted));
    NEED(!hold || record_held(t->stream, &s, &event));
    NEED_OK(yoke_copy(t->stream, target.buffer, 0, source.buffer, 0, BYTES));
    guarded_release(&source);
    peer_close(&q);
    if (hold)
        CHECK(suite_log_open(BOTH_OPEN + 1));
    gate_open(&s.leave);
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &target, wanted);
    CHECK(suite_log_open(BOTH_OPEN));
out:
    gate_open(&s.leave);
    yoke_stream_wait(t->stream);
    yoke_event_release(event);
    guarded_release(&source);
    guarded_release(&target);
    peer_close(&q);
    memory_free(wanted);
}

/* Everything of both devices, with copies in both directions under way: nobody is there to see where they go. Each stream has a
 * half of both buffers to itself. */
static void both_released(const char *first, const char *second)
{
    suite q[2] = { { 0 } };
    two b = { 0 };

    NEED_OK(yoke_device_open(first, &q[0].device));
    NEED_OK(yoke_device_open(second, &q[1].device));
    NEED(peer_ready(&q[0], NULL) && peer_ready(&q[1], NULL) && two_open(&q[0], &q[1], &b));
    for (int i = 0; i < 6; i++)
        NEED_OK(yoke_copy(q[i % 2].stream, b.on[i / 2 % 2].buffer, i % 2 ? BYTES / 2 : 0, b.on[!(i / 2 % 2)].buffer,
                          i % 2 ? BYTES / 2 : 0, BYTES / 2));
out:
    two_close(&b);
    peer_close(&q[0]);
    peer_close(&q[1]);
    CHECK(suite_log_open(BOTH_OPEN));
}

static void devices_released(suite *t, suite *p)
{
    for (int i = 0; i < 3; i++) {
        device_released(t, p->info.selector, true);
        device_released(t, p->info.selector, false);
        both_released(t->info.selector, p->info.selector);
    }
}

/* ---- Failures ---- */

/* A copy behind what fails or is cancelled does not run; the other device has nothing to do with it. */
static void not_run(suite *t, suite *p, suite *on, bool cancel)
{
    stand s = STAND_INIT;
    yoke_event *event = NULL;
    two b;

    if (!two_open(t, p, &b) || !record_held(on->stream, &s, &event))
        goto out;
    if (!cancel)
        CHECK_OK(yoke_host_call(on->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_copy(on->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES));
    CHECK_OK(yoke_copy(on->stream, b.on[1].buffer, 0, b.on[0].buffer, 5, BYTES - 5));
    gate_wait(&s.inside, 1);
    if (cancel)
        CHECK_OK(yoke_stream_cancel(on->stream));
    gate_open(&s.leave);
    if (cancel)
        CHECK_FAILS(YOKE_E_CANCELLED, "", yoke_stream_wait(on->stream));
    else
        CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(on->stream));
    CHECK(yoke_copy(on->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES) == yoke_stream_wait(on->stream));
    CHECK_OK(yoke_stream_wait((on == t ? p : t)->stream));
    two_check(&b);
    CHECK_OK(yoke_stream_recover(on->stream));
    CHECK_OK(yoke_copy_sync(on->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES));
    memcpy(b.wanted[0], b.wanted[1], BYTES);
    two_check(&b);
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    two_close(&b);
}

static void failures(suite *t, suite *p)
{
    for (int i = 0; i < 4; i++)
        not_run(t, p, i & 1 ? p : t, i & 2);
    suite_works(t);
    suite_works(p);
}

/* The other device's stream fails, and this one's waits for its event: the same record, and no copy. */
static void failure_across(suite *t, suite *p)
{
    yoke_event *event = NULL;
    stand s = STAND_INIT;
    two b;

    if (!two_open(t, p, &b) || !record_held(p->stream, &s, &event))
        goto out;
    yoke_event_release(event);
    event = NULL;
    CHECK_OK(yoke_host_call(p->stream, fail_on_purpose, NULL, NULL));
    CHECK_OK(yoke_event_record(p->stream, 0, &event));
    CHECK_OK(yoke_stream_wait_event(t->stream, event));
    CHECK_OK(yoke_copy(t->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES));
    gate_open(&s.leave);
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(t->stream));
    CHECK_FAILS(OWN_STATUS, OWN_TEXT, yoke_stream_wait(p->stream));
    two_check(&b);
    CHECK_OK(yoke_stream_recover(t->stream));
    /* A copy takes nothing over from the stream of its source: that would be for an event to tell. */
    CHECK_OK(yoke_copy_sync(t->stream, b.on[0].buffer, 0, b.on[1].buffer, 0, BYTES));
    memcpy(b.wanted[0], b.wanted[1], BYTES);
    two_check(&b);
    CHECK_OK(yoke_stream_recover(p->stream));
out:
    gate_open(&s.leave);
    yoke_event_release(event);
    two_close(&b);
}

#define PEER_CASES(X)                                                      \
    X(behind_events, "behind events of the other device")                  \
    X(ping_pong, "there and back 20 times, with kernels at both ends")     \
    X(held, "held behind host functions")                                  \
    X(inside_a_function, "inside a host function")                         \
    X(many_at_once, "many at once, in both directions, from four threads") \
    X(released, "buffers released right behind the copy")                  \
    X(devices_released, "devices released while copies are under way")     \
    X(failures, "behind a failure, and cancelled")                         \
    X(failure_across, "behind a failure of the other device's stream")

PEER_CASES(PEER_BOTH)

int main(void)
{
    static const suite_case cases[] = { PEER_CASES(PEER_ENTRIES) };

    return SUITE_MAIN(cases, peer_source);
}
