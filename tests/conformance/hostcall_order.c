/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions in a stream's order: they see what came before, what follows sees what they did, each runs exactly once, on a
 * thread of Yoke's. Between streams: hostcall_streams.c; failures: hostcall_failure.c; calls from inside: hostcall_inside.c.
 */
#include "suite.h"
#include "stand.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char *const kernels_cuda = SPIN_CUDA ADVANCE_CUDA;
static const char *const kernels_opencl = SPIN_OPENCL ADVANCE_OPENCL;

enum { N = 300 };

typedef struct seen {
    suite *t;
    uint32_t *host, wanted[N];
    yoke_event *before;
    uint32_t k;
} seen;

static void advance_host(uint32_t *x, uint32_t k)
{
    for (int i = 0; i < N; i++)
        x[i] = x[i] * 3u + k;
}

/* Compares what the stream read with what it should be by now, and goes on from there on the host. */
static yoke_status look_and_advance(yoke_status status, void *user)
{
    seen *s = user;

    CHECK_STATUS(YOKE_OK, status);
    if (s->before)
        CHECK_OK(yoke_event_query(s->before));
    CHECK_BYTES(s->host, s->wanted, sizeof s->wanted);
    advance_host(s->host, s->k);
    return YOKE_OK;
}

/* Device to host, function, host to device, kernel, and round again: pinned and pageable host memory. */
static void effects_both_ways(suite *t)
{
    enum { ROUNDS = 25 };
    yoke_buffer *pinned = NULL;
    guarded x = { 0 }, busy = { 0 };
    uint32_t *pageable = memory_new(N * sizeof *pageable), final[N];
    seen *rounds = calloc(ROUNDS, sizeof *rounds);

    NEED(rounds != NULL);
    NEED_OK(yoke_buffer_create_pinned(t->device, sizeof final, &pinned));
    NEED(guarded_create(t, sizeof final, &x) && guarded_create(t, 8, &busy));
    fill_random(final, sizeof final, 51);
    NEED(guarded_write(t, &x, final));
    for (uint32_t r = 0; r < ROUNDS; r++) {
        seen *s = &rounds[r];

        s->host = r % 2 ? yoke_buffer_get_host(pinned) : pageable;
        s->k = r;
        NEED(suite_spin(t, t->stream, busy.buffer, r, r % 5 == 0 ? 5 : 0, NULL));
        NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "advance"), N, YOKE_ARGS(x.buffer, (uint32_t)N, r + 1000)));
        advance_host(final, r + 1000);
        memcpy(s->wanted, final, sizeof final);
        NEED_OK(yoke_read(t->stream, s->host, x.buffer, 0, sizeof final));
        NEED_OK(yoke_event_record(t->stream, 0, &s->before));
        NEED_OK(yoke_host_call(t->stream, look_and_advance, s, NULL));
        advance_host(final, r);
        NEED_OK(yoke_write(t->stream, x.buffer, 0, s->host, sizeof final));
        if (r == ROUNDS / 2)
            NEED_OK(yoke_stream_wait(t->stream)); /* from here on the stream starts idle again */
    }
    NEED_OK(yoke_stream_wait(t->stream));
    guarded_check(t, &x, final);
out:
    yoke_stream_wait(t->stream);
    for (int r = 0; rounds && r < ROUNDS; r++)
        yoke_event_release(rounds[r].before);
    free(rounds);
    guarded_release(&busy);
    guarded_release(&x);
    yoke_buffer_release(pinned);
    memory_free(pageable);
}

/* While the function stands still, others look at the buffer that is written behind it: each kind of operation holds. */
static void nothing_behind_starts(suite *t)
{
    enum { KINDS = 5 };
    stand s = STAND_INIT;
    guarded x[KINDS] = { { 0 } };
    uint32_t first[N], data[N], wanted[N], value = 0x01020304;
    yoke_event *behind = NULL;

    fill_random(first, sizeof first, 52);
    fill_random(data, sizeof data, 53);
    for (int i = 0; i < KINDS; i++)
        NEED(guarded_create(t, sizeof first, &x[i]) && guarded_write(t, &x[i], i == 4 ? data : first));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    bool ok = CHECK_OK(yoke_launch_n(t->stream, suite_kernel(t, "advance"), N, YOKE_ARGS(x[0].buffer, (uint32_t)N, 5u))) &&
              CHECK_OK(yoke_write(t->stream, x[1].buffer, 0, data, sizeof data)) &&
              CHECK_OK(yoke_fill(t->stream, x[2].buffer, 0, sizeof data, &value, sizeof value)) &&
              CHECK_OK(yoke_copy(t->stream, x[3].buffer, 0, x[4].buffer, 0, sizeof data)) &&
              CHECK_OK(yoke_event_record(t->stream, 0, &behind));
    gate_wait(&s.inside, 1);
    for (int look = 0; look < 20; look++)
        for (int i = 0; i < KINDS; i++)
            ok = guarded_check(t, &x[i], i == 4 ? data : first) && ok;
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(behind));
    gate_open(&s.leave);
    CHECK_OK(yoke_event_wait(behind));
    memcpy(wanted, first, sizeof wanted);
    advance_host(wanted, 5);
    guarded_check(t, &x[0], wanted);
    guarded_check(t, &x[1], data);
    for (int i = 0; i < N; i++)
        wanted[i] = value;
    guarded_check(t, &x[2], wanted);
    guarded_check(t, &x[3], data);
out:
    yoke_event_release(behind);
    for (int i = 0; i < KINDS; i++)
        guarded_release(&x[i]);
}

static yoke_status look_at_event(yoke_status status, void *user)
{
    CHECK_STATUS(YOKE_OK, status);
    CHECK_STATUS(YOKE_OK, yoke_event_query(user));
    return YOKE_OK;
}

/* A wait for another stream, enqueued while this one is held, is something that comes before, too. */
static void what_came_before_waits(suite *t)
{
    stand s = STAND_INIT;
    guarded busy = { 0 };
    yoke_stream *other = NULL;
    yoke_event *event = NULL;

    NEED(guarded_create(t, 8, &busy));
    NEED_OK(yoke_stream_create(t->device, NULL, &other));
    NEED_OK(yoke_host_call(t->stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    bool ok = suite_spin(t, other, busy.buffer, 1, 30, NULL) && CHECK_OK(yoke_event_record(other, 0, &event)) &&
              CHECK_OK(yoke_stream_wait_event(t->stream, event)) && CHECK_OK(yoke_host_call(t->stream, look_at_event, event, NULL));
    gate_open(&s.leave);
    CHECK_OK(yoke_stream_wait(t->stream));
    NEED(ok);
out:
    yoke_event_release(event);
    yoke_stream_release(other);
    guarded_release(&busy);
}

/* ---- Exactly once ---- */

typedef struct lane {
    atomic_int inside;
    atomic_uint ran, released;
    pthread_t main_thread;
    yoke_stream *stream;
    struct call *calls;
} lane;

typedef struct call {
    lane *lane;
    unsigned turn;
    atomic_uint ran, released;
} call;

static yoke_status take_turn(yoke_status status, void *user)
{
    call *c = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK(atomic_fetch_add(&c->lane->inside, 1) == 0);    /* alone in its stream */
    CHECK(atomic_fetch_add(&c->lane->ran, 1) == c->turn); /* in order */
    CHECK(atomic_fetch_add(&c->ran, 1) == 0);             /* once */
    CHECK(atomic_load(&c->released) == 0);
    CHECK(!pthread_equal(pthread_self(), c->lane->main_thread));
    atomic_fetch_sub(&c->lane->inside, 1);
    return c->turn % 3 ? YOKE_OK : (yoke_status)c->turn; /* any status but a negative one is success */
}

static void give_back(void *user)
{
    call *c = user;

    CHECK(atomic_load(&c->ran) == 1);
    CHECK(atomic_fetch_add(&c->released, 1) == 0);
    CHECK(!pthread_equal(pthread_self(), c->lane->main_thread));
    atomic_fetch_add(&c->lane->released, 1);
}

static void exactly_once(suite *t)
{
    enum { LANES = 16, CALLS = 400 };
    lane *lanes = calloc(LANES, sizeof *lanes);
    guarded x = { 0 };

    NEED(lanes != NULL);
    NEED(guarded_create(t, 64, &x));
    for (int l = 0; l < LANES; l++) {
        lanes[l].main_thread = pthread_self();
        NEED((lanes[l].calls = calloc(CALLS, sizeof *lanes[l].calls)) != NULL);
        NEED_OK(yoke_stream_create(t->device, NULL, &lanes[l].stream));
    }
    for (unsigned i = 0; i < CALLS; i++)
        for (int l = 0; l < LANES; l++) {
            lanes[l].calls[i].lane = &lanes[l];
            lanes[l].calls[i].turn = i;
            if (i % 50 == 7)
                NEED_OK(yoke_fill(lanes[l].stream, x.whole, 4 * (size_t)l, 4, &i, 4));
            NEED_OK(yoke_host_call(lanes[l].stream, take_turn, &lanes[l].calls[i], i % 7 ? give_back : NULL));
        }
    for (int l = 0; l < LANES; l++) {
        CHECK_OK(yoke_stream_wait(lanes[l].stream));
        CHECK(atomic_load(&lanes[l].ran) == CALLS);
        CHECK(atomic_load(&lanes[l].released) == CALLS - (CALLS + 6) / 7);
    }
out:
    for (int l = 0; lanes && l < LANES; l++) {
        yoke_stream_wait(lanes[l].stream);
        yoke_stream_release(lanes[l].stream);
        free(lanes[l].calls);
    }
    free(lanes);
    guarded_release(&x);
}

/* The worker of an idle stream may come and go. */
static void one_after_the_other(suite *t)
{
    enum { CALLS = 500 };
    lane l = { .main_thread = pthread_self() };
    call *calls = calloc(CALLS, sizeof *calls);

    NEED(calls != NULL);
    for (unsigned i = 0; i < CALLS; i++) {
        calls[i].lane = &l;
        calls[i].turn = i;
        NEED_OK(yoke_host_call(t->stream, take_turn, &calls[i], give_back));
        NEED_OK(yoke_stream_wait(t->stream));
        NEED(CHECK(atomic_load(&l.ran) == i + 1));
    }
out:
    yoke_stream_wait(t->stream);
    CHECK(atomic_load(&l.released) == atomic_load(&l.ran));
    free(calls);
}

/* ---- From several threads ---- */

typedef struct sender {
    suite *t;
    unsigned id, *next; /* next[id]: which of this sender's numbers comes next; only ever touched in the stream's order */
} sender;

typedef struct message {
    sender *from;
    unsigned number;
} message;

static yoke_status receive(yoke_status status, void *user)
{
    message *m = user;

    CHECK_STATUS(YOKE_OK, status);
    CHECK(m->from->next[m->from->id]++ == m->number);
    return YOKE_OK;
}

static void *send(void *user)
{
    sender *s = user;

    for (unsigned i = 0; i < 300; i++) {
        message *m = malloc(sizeof *m);
        if (!CHECK(m != NULL))
            break;
        *m = (message){ s, i };
        if (!CHECK_OK(yoke_host_call(s->t->stream, receive, m, free)))
            break;
    }
    return NULL;
}

static void from_several_threads(suite *t)
{
    enum { THREADS = 8 };
    unsigned next[THREADS] = { 0 };
    sender senders[THREADS];
    pthread_t threads[THREADS];

    for (unsigned i = 0; i < THREADS; i++) {
        senders[i] = (sender){ t, i, next };
        CHECK(pthread_create(&threads[i], NULL, send, &senders[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_OK(yoke_stream_wait(t->stream));
    for (int i = 0; i < THREADS; i++)
        CHECK(next[i] == 300);
}

/* Kernel, function, kernel, function: what the function takes over from the device and hands back. */
static void ping_pong(suite *t)
{
    enum { ROUNDS = 300 };
    lane l = { .main_thread = pthread_self() };
    call *calls = calloc(ROUNDS, sizeof *calls);
    uint32_t wanted[N];
    guarded x = { 0 };

    NEED(calls != NULL);
    fill_random(wanted, sizeof wanted, 54);
    NEED(guarded_create(t, sizeof wanted, &x) && guarded_write(t, &x, wanted));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        calls[i].lane = &l;
        calls[i].turn = i;
        NEED_OK(yoke_launch_n(t->stream, suite_kernel(t, "advance"), N, YOKE_ARGS(x.buffer, (uint32_t)N, i)));
        advance_host(wanted, i);
        NEED_OK(yoke_host_call(t->stream, take_turn, &calls[i], NULL));
    }
    NEED_OK(yoke_stream_wait(t->stream));
    CHECK(atomic_load(&l.ran) == ROUNDS);
    guarded_check(t, &x, wanted);
out:
    yoke_stream_wait(t->stream);
    free(calls);
    guarded_release(&x);
}

int main(void)
{
    static const suite_case cases[] = {
        { "sees what came before, and what follows sees its effects", effects_both_ways, false },
        { "nothing behind it starts before it returns", nothing_behind_starts, false },
        { "waits for other streams that stand before it", what_came_before_waits, false },
        { "exactly once, in order, alone, on a thread of Yoke's: 6400 calls on 16 streams", exactly_once, false },
        { "one after the other on an idle stream", one_after_the_other, false },
        { "from 8 threads on one stream, each one's in its order", from_several_threads, false },
        { "in turns with kernels", ping_pong, false },
    };
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "hostcall test";
    source.cuda = kernels_cuda;
    source.opencl = kernels_opencl;
    return SUITE_MAIN(cases, &source);
}
