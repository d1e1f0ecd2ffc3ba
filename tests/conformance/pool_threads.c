/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and several threads: what fits is never refused, however often it changes hands; a thread that waits for memory holds up
 * none that does not; and memory that several streams use stays theirs until each of them has passed that point, whatever other
 * threads enqueue meanwhile.
 */
#include "account.h"
#include "parked.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

enum { PIECE = 4 << 20, ROUNDS = 4000 };

/* ---- Near a limit ---- */

static void share(suite *t, bool ordered, uint64_t cached)
{
    account a;

    NEED(account_open(t, &a));
    NEED_OK(yoke_device_set_memory_limits(a.device, 2 * PIECE + PIECE / 2, cached));
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

/* All that needs nothing which is in use. CUDA's driver cannot create a stream at any time: it gives its few hardware queues to
 * streams in turn, and waits when it comes to the queue of the stream that stands. */
static void go_on(suite *t, account *a, yoke_stream *idle)
{
    yoke_stream *stream = NULL;
    yoke_buffer *small = NULL;
    yoke_event *event = NULL;

    CHECK_OK(yoke_stream_wait(idle));
    if (strcmp(t->info.backend, "cuda") != 0)
        CHECK_OK(yoke_stream_create(a->device, NULL, &stream));
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

/* The same with memory that is not kept, so that the driver is asked for it. */
static void take_new(account *a, yoke_stream *idle, size_t size)
{
    yoke_buffer *fresh = NULL;

    CHECK_OK(yoke_buffer_create(a->device, size, &fresh));
    CHECK_OK(yoke_fill(idle, fresh, 0, size, "z", 1));
    CHECK_OK(yoke_stream_wait(idle));
    yoke_buffer_release(fresh);
}

/* Whether the driver allocates while a stream stands: behind an event of OpenCL's, or in the double of CUDA's driver. */
static bool may_allocate(const suite *t)
{
    return strcmp(t->info.backend, "cuda") != 0 || strstr(t->info.name, "double");
}

static bool stand_kernel(yoke_device *device, yoke_program **out_program, yoke_kernel **out_kernel)
{
    yoke_source source = YOKE_SOURCE_INIT;

    source.name = "stand";
    source.cuda = STAND_CUDA;
    source.opencl = STAND_OPENCL;
    return CHECK_OK(yoke_program_build(device, &source, out_program)) &&
           CHECK_OK(yoke_kernel_get(*out_program, "stand", out_kernel));
}

static void one_waits_and_others_do_not(suite *t)
{
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    waiter w = { .begun = GATE_INIT };
    parked p = PARKED_INIT;
    rescue r;
    yoke_buffer *busy = NULL;
    yoke_stream *idle = NULL;
    bool waits = false, stands = false;
    account a;

    NEED(account_open(t, &a));
    NEED(stand_kernel(a.device, &program, &kernel));
    NEED(spinning_stream(a.device, &idle));
    go_on(t, &a, idle); /* so that there is something kept */
    NEED_OK(yoke_buffer_create(a.device, PIECE, &busy));
    NEED_OK(yoke_device_set_memory_limits(a.device, PIECE + PIECE / 2, YOKE_NO_LIMIT));
    NEED(rescue_begin(&r, &p));
    stands = park(t, a.device, a.stream, kernel, &p);
    CHECK_OK(yoke_fill(a.stream, busy, 0, PIECE, "x", 1));
    yoke_buffer_release(busy);
    for (double start = suite_now(); look(&a).buffers > 0 && suite_now() - start < 40;) /* the stream may have deferred the fill */
        sched_yield();
    CHECK(look(&a).buffers == 0);
    w.device = a.device;
    waits = stands && CHECK(pthread_create(&w.thread, NULL, wait_for_memory, &w) == 0);
    if (waits)
        gate_wait(&w.begun, 1);
    for (double start = suite_now(); waits && suite_now() - start < 0.5;) /* it will wait by then */
        go_on(t, &a, idle);
    /* Each of a size class of its own; but while a kernel runs on a GPU, CUDA's driver may wait for it when it allocates. */
    for (size_t size = 64 << 10; waits && may_allocate(t) && size <= 1 << 20; size *= 2)
        take_new(&a, idle, size);
    CHECK(!atomic_load(&w.ended));
    if (rescue_end(&r) && stands)
        parked_let_go(&p);
    if (waits)
        pthread_join(w.thread, NULL);
    CHECK(atomic_load(&w.ended));
out:
    yoke_stream_release(idle);
    yoke_program_release(program);
    account_close(&a);
    parked_end(&p);
}

/* ---- Memory that several streams use ---- */

enum { TRIALS = 1000, SECONDS = 10, LOOKS = 20, SMALL = 4096, IDLE = 64 };

/* A thread whose stream is idle and busy by turns. */
typedef struct toggler {
    yoke_device *device;
    gate begun;
    atomic_bool stop;
    pthread_t thread;
} toggler;

static void *toggle(void *argument)
{
    toggler *k = argument;
    yoke_stream *stream = NULL;
    yoke_buffer *own = NULL;

    NEED(spinning_stream(k->device, &stream)); /* the device's last, so the first that is looked at */
    NEED_OK(yoke_buffer_create(k->device, SMALL, &own));
    NEED_OK(yoke_fill(stream, own, 0, 16, "x", 1));
    NEED_OK(yoke_stream_wait(stream));
    gate_open(&k->begun);
    while (!atomic_load(&k->stop)) {
        NEED_OK(yoke_fill(stream, own, 0, 16, "x", 1));
        NEED_OK(yoke_stream_wait(stream));
    }
out:
    gate_open(&k->begun);
    yoke_buffer_release(own);
    yoke_stream_release(stream);
    return NULL;
}

/* The stream that stands is the last that is looked at; the other has passed its use. What is released first is freed first, so
 * only the first buffer behind a stream can be lost. */
static bool use_and_release(suite *t, account *a, yoke_stream *passed, yoke_kernel *kernel)
{
    yoke_buffer *buffer = NULL;
    parked p = PARKED_INIT;
    bool stands = false, kept = false;

    while (look(a).in_use > SMALL) /* the buffer before this goes once the toggler has passed it */
        sched_yield();
    NEED_OK(yoke_buffer_create(a->device, SMALL, &buffer));
    NEED_OK(yoke_fill(passed, buffer, 0, 16, "y", 1));
    NEED_OK(yoke_stream_wait(passed));
    NEED((stands = park(t, a->device, a->stream, kernel, &p)));
    NEED_OK(yoke_fill(a->stream, buffer, 0, 16, "z", 1));
    yoke_buffer_release(buffer);
    buffer = NULL;
    kept = true;
    for (unsigned i = 0; i < LOOKS && kept; i++) {
        kept = look(a).in_use == 2 * SMALL;
        sched_yield();
    }
    CHECK(kept);
out:
    if (stands)
        parked_let_go(&p);
    yoke_buffer_release(buffer);
    CHECK_OK(yoke_stream_wait(a->stream));
    parked_end(&p);
    return kept;
}

static void kept_until_each_has_passed(suite *t)
{
    toggler k = { .begun = GATE_INIT };
    yoke_program *program = NULL;
    yoke_kernel *kernel = NULL;
    yoke_stream *passed = NULL, *idle[IDLE] = { NULL };
    bool toggles = false;
    account a;

    NEED(account_open(t, &a));
    for (unsigned i = 0; i < IDLE; i++) /* which take time to look at */
        NEED_OK(yoke_stream_create(a.device, NULL, &idle[i]));
    NEED(stand_kernel(a.device, &program, &kernel));
    NEED(spinning_stream(a.device, &passed));
    k.device = a.device;
    NEED((toggles = CHECK(pthread_create(&k.thread, NULL, toggle, &k) == 0)));
    gate_wait(&k.begun, 1);
    double end = suite_now() + SECONDS;
    for (unsigned i = 0; i < TRIALS && suite_now() < end && use_and_release(t, &a, passed, kernel); i++)
        continue;
out:
    atomic_store(&k.stop, true);
    if (toggles)
        pthread_join(k.thread, NULL);
    yoke_stream_release(passed);
    for (unsigned i = 0; i < IDLE; i++)
        yoke_stream_release(idle[i]);
    yoke_program_release(program);
    account_close(&a);
}

int main(void)
{
    static const suite_case cases[] = {
        { "two threads that fit, near a limit", two_that_fit, false },
        { "one thread waits for memory, others do not", one_waits_and_others_do_not, false },
        { "what several streams use is kept until each has passed it", kept_until_each_has_passed, false },
    };
    return SUITE_MAIN(cases, NULL);
}
