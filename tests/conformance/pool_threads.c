/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and several threads: what fits is never refused, however often it changes hands; and a thread that waits for memory holds
 * up none that does not.
 */
#include "account.h"
#include "parked.h"

#include <sched.h>
#include <stdatomic.h>

enum { PIECE = 4 << 20, ROUNDS = 4000 };

/* ---- Near a limit ---- */

static void share(suite *t, bool ordered, uint64_t cached)
{
    account a;

    NEED(account_open(t, &a));
    NEED_OK(yoke_device_limit_memory(a.device, 2 * PIECE + PIECE / 2, cached));
    two_take_and_give(&a, PIECE, ordered, ROUNDS);
    CHECK(look(&a).in_use == 0 && look(&a).peak <= 2 * PIECE + PIECE / 2);
out:
    account_close(&a);
}

static void two_that_fit(suite *t)
{
    share(t, false, YOKE_NO_LIMIT);
    share(t, false, 0);
    share(t, true, 0);
}

/* ---- One that waits ---- */

typedef struct waiter {
    yoke_device *device;
    gate begun;
    atomic_bool ended;
    pthread_t thread;
} waiter;

static void *wait_for_memory(void *argument)
{
    waiter *w = argument;
    yoke_buffer *buffer = NULL;

    gate_open(&w->begun);
    CHECK_OK(yoke_buffer_create(w->device, PIECE, &buffer));
    atomic_store(&w->ended, true);
    yoke_buffer_release(buffer);
    return NULL;
}

/* All that needs nothing which is in use. */
static void go_on(account *a, yoke_stream *idle)
{
    yoke_stream *stream = NULL;
    yoke_buffer *small = NULL;
    yoke_event *event = NULL;

    CHECK_OK(yoke_stream_wait(idle));
    CHECK_OK(yoke_stream_create(a->device, &stream));
    CHECK_OK(yoke_buffer_create(a->device, 4096, &small)); /* kept */
    CHECK_OK(yoke_fill(idle, small, 0, 4096, "y", 1));
    CHECK_OK(yoke_event_record(idle, 0, &event));
    CHECK_OK(yoke_event_wait(event));
    CHECK_OK(yoke_stream_wait(idle));
    look(a);
    yoke_event_release(event);
    yoke_buffer_release(small);
    yoke_stream_release(stream);
}

static void one_waits_and_others_do_not(suite *t)
{
    waiter w = { .begun = GATE_INIT };
    parked p = PARKED_INIT;
    rescue r;
    yoke_buffer *busy = NULL;
    yoke_stream *idle = NULL;
    bool waits = false, stands = false;
    account a;

    NEED(account_open(t, &a));
    NEED(spinning_stream(a.device, &idle));
    go_on(&a, idle); /* so that there is something kept */
    NEED_OK(yoke_buffer_create(a.device, PIECE, &busy));
    NEED_OK(yoke_device_limit_memory(a.device, PIECE + PIECE / 2, YOKE_NO_LIMIT));
    NEED(rescue_begin(&r, &p));
    stands = park(t, a.device, a.stream, NULL, &p);
    CHECK_OK(yoke_fill(a.stream, busy, 0, PIECE, "x", 1));
    yoke_buffer_release(busy);
    for (double start = suite_now(); look(&a).buffers > 0 && suite_now() - start < 10;) /* the stream may have deferred the fill */
        sched_yield();
    CHECK(look(&a).buffers == 0);
    w.device = a.device;
    waits = stands && CHECK(pthread_create(&w.thread, NULL, wait_for_memory, &w) == 0);
    if (waits)
        gate_wait(&w.begun, 1);
    for (double start = suite_now(); waits && suite_now() - start < 0.5;) /* it will wait by then */
        go_on(&a, idle);
    CHECK(!atomic_load(&w.ended));
    if (rescue_end(&r) && stands)
        parked_let_go(&p);
    if (waits)
        pthread_join(w.thread, NULL);
    CHECK(atomic_load(&w.ended));
out:
    yoke_stream_release(idle);
    account_close(&a);
    parked_end(&p);
}

int main(void)
{
    static const suite_case cases[] = {
        { "two threads that fit, near a limit", two_that_fit, false },
        { "one thread waits for memory, others do not", one_waits_and_others_do_not, false },
    };
    return SUITE_MAIN(cases, NULL);
}
