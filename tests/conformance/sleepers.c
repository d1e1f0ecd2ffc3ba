/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep for an event: what they ask of the driver, and who wakes them. Each case puts its own functions in the place
 * of some of the backend's: one in which an event is pending for as long as the case likes, and one that keeps the driver's
 * notifications to itself; and of the driver's own wait, one that is over when the case likes.
 */
#include <sched.h>

#include "backend.h"
#include "stand.h"
#include "suite.h"

enum { MILLISECOND = 1000000 }; /* in nanoseconds */

static const yk_backend *real;
static yk_backend doctored;
static atomic_bool pending;
static atomic_uint queries, notifications;
static yoke_status answer;              /* of event_notify */
static _Atomic(yoke_event *) releasing; /* with the first question about this event nothing is pending any more */

static yoke_status query(yoke_event *event)
{
    atomic_fetch_add(&queries, 1);
    if (event == atomic_load(&releasing))
        atomic_store(&pending, false);
    return atomic_load(&pending) ? YOKE_PENDING : real->event_query(event);
}

static yoke_status notify(yoke_event *event, yk_notice *notice)
{
    (void)event, (void)notice;
    atomic_fetch_add(&notifications, 1);
    return answer;
}

/* From now on the device's events are pending, and its backend's functions are those of the table. */
static void begin_with(yk_backend *table, suite *t, yoke_status notified)
{
    real = t->device->backend;
    *table = *real;
    table->event_query = query;
    table->event_notify = notify;
    answer = notified;
    atomic_store(&queries, 0);
    atomic_store(&notifications, 0);
    atomic_store(&releasing, NULL);
    atomic_store(&pending, true);
    t->device->backend = table;
}

static void begin(suite *t, yoke_status notified)
{
    begin_with(&doctored, t, notified);
}

/* Nothing is pending any more. Once no other thread waits, the driver is asked again as ever. */
static void let_go(void)
{
    atomic_store(&pending, false);
}

static void end(suite *t)
{
    let_go();
    if (real)
        t->device->backend = real;
}

/* An event behind work that the driver was given. */
static bool record(yoke_stream *stream, yoke_buffer *buffer, yoke_event **out_event)
{
    const uint32_t zero = 0;

    return CHECK_OK(yoke_fill(stream, buffer, 0, 4, &zero, sizeof zero)) && CHECK_OK(yoke_event_record(stream, 0, out_event));
}

static bool sleepy_stream(suite *t, yoke_stream **out_stream)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;

    desc.wait = YOKE_WAIT_BLOCK;
    return CHECK_OK(yoke_stream_create(t->device, &desc, out_stream));
}

/* ---- Waits that give up ---- */

/* Each asked for a host function of its own in the stream, once, and they piled up in front of what came behind. */
static void giving_up(suite *t)
{
    static const yoke_status ways[] = { YOKE_OK, YOKE_PENDING, YOKE_E_UNSUPPORTED };
    yoke_buffer *buffer = NULL;
    yoke_event *events[3] = { NULL };
    size_t index;

    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    for (size_t way = 0; way < 3; way++) {
        begin(t, ways[way]);
        NEED(record(t->stream, buffer, &events[way]));
        for (int i = 0; i < 100; i++) {
            CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(events[way], 80000));
            CHECK_STATUS(YOKE_PENDING, yoke_event_wait_any(&events[way], 1, 80000, &index));
        }
        CHECK(atomic_load(&notifications) == 1);
        end(t);
        CHECK_OK(yoke_event_wait(events[way]));
    }
out:
    end(t);
    for (size_t way = 0; way < 3; way++)
        yoke_event_release(events[way]);
    yoke_buffer_release(buffer);
}

/* A driver that notifies late is asked for one event of a stream at a time, however many there are. */
static void one_notification_at_a_time(suite *t)
{
    enum { MANY = 200 };
    yoke_buffer *buffer = NULL;
    yoke_event *events[MANY] = { NULL };

    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    begin(t, YOKE_PENDING);
    for (int i = 0; i < MANY; i++) {
        NEED(record(t->stream, buffer, &events[i]));
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(events[i], 60000));
    }
    CHECK(atomic_load(&notifications) == 1);
out:
    end(t);
    for (int i = 0; i < MANY; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(buffer);
}

/* ---- Many threads ---- */

enum { THREADS = 200 };

typedef struct crowd {
    yoke_event *event;
    atomic_uint began;
    gate all_began;
    uint64_t nanoseconds;
} crowd;

static void *wait_in_crowd(void *user)
{
    crowd *c = user;

    if (atomic_fetch_add(&c->began, 1) + 1 == THREADS)
        gate_open(&c->all_began);
    yoke_status status = yoke_event_wait_for(c->event, c->nanoseconds);
    CHECK(status == YOKE_OK || (status == YOKE_PENDING && c->nanoseconds != YOKE_FOREVER));
    return NULL;
}

/* However many threads sleep, the driver is asked about as often as for one. */
static void many_threads(suite *t, yoke_status notified)
{
    crowd c = { .all_began = GATE_INIT, .nanoseconds = YOKE_FOREVER };
    pthread_t threads[THREADS];
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    unsigned started = 0;

    NEED(sleepy_stream(t, &stream));
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    begin(t, notified);
    NEED(record(stream, buffer, &c.event));
    while (started < THREADS && CHECK(pthread_create(&threads[started], NULL, wait_in_crowd, &c) == 0))
        started++;
    NEED(started == THREADS);
    gate_wait(&c.all_began, 1);
    unsigned before = atomic_load(&queries);
    double start = suite_now();
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(c.event, 300 * MILLISECOND));
    double took = suite_now() - start;
    unsigned asked = atomic_load(&queries) - before;
    /* Some for each thread that had yet to go to sleep, and one each 40 us of the wait. */
    if (!CHECK(asked < THREADS * 10 + took / 40e-6))
        tap_diag("the driver was asked %u times in %.3f s", asked, took);
    CHECK(atomic_load(&notifications) == 1);
out:
    let_go(); /* which nobody notifies of: the threads find it by themselves */
    while (started > 0)
        pthread_join(threads[--started], NULL);
    end(t);
    yoke_event_release(c.event);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

static void many_threads_notified(suite *t)
{
    many_threads(t, YOKE_OK);
}

static void many_threads_notified_late(suite *t)
{
    many_threads(t, YOKE_PENDING);
}

/* The thread that polls for all may give up first. */
static void the_first_gives_up(suite *t)
{
    crowd brief = { .began = THREADS, .nanoseconds = 20 * MILLISECOND }, patient = { .nanoseconds = YOKE_FOREVER };
    pthread_t threads[3];
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;

    NEED(sleepy_stream(t, &stream));
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    begin(t, YOKE_OK);
    NEED(record(stream, buffer, &event));
    brief.event = patient.event = event;
    for (int i = 0; i < 3; i++)
        if (!CHECK(pthread_create(&threads[i], NULL, wait_in_crowd, i == 0 ? &brief : &patient) == 0))
            tap_bail("no threads");
    pthread_join(threads[0], NULL);
    let_go();
    pthread_join(threads[1], NULL);
    pthread_join(threads[2], NULL);
out:
    end(t);
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* A driver that does not notify is asked by the clock, in a long wait less often: a poll takes some 4 to 10 us. */
static void long_waits_poll_less(suite *t)
{
    enum { WAIT = 300 * MILLISECOND, MOST = WAIT / 600000, BRIEF = 20 };
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;

    NEED(sleepy_stream(t, &stream));
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    begin(t, YOKE_E_UNSUPPORTED);
    NEED(record(stream, buffer, &event));
    unsigned begun = 0; /* how often a wait polls in its first millisecond, where no other thread interrupts it */
    for (int i = 0; i < BRIEF; i++) {
        atomic_store(&queries, 0);
        CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, MILLISECOND));
        begun = atomic_load(&queries) > begun ? atomic_load(&queries) : begun;
    }
    atomic_store(&queries, 0);
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(event, WAIT));
    tap_diag("%u polls in 1 ms, %u in 0.3 s", begun, atomic_load(&queries));
    CHECK(atomic_load(&queries) < begun + MOST);
out:
    end(t);
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
}

/* ---- Watched events ---- */

static void open_gate(yoke_status status, void *user)
{
    (void)status;
    gate_open(user);
}

/* Events that are watched share a sleeping thread: it sleeps as briefly as the event that has to be polled soonest wants, whichever
 * is watched first. The thread that polls for all meanwhile waits for an event that nobody can ask for yet. The case has a device
 * and a table of its own, which stay as they are: threads of the library's still let its streams go when the case is over. */
static void watched_behind_a_held_event(suite *shared)
{
    static yk_backend table;
    suite own = *shared, *t = &own;
    enum { POLLS = 30 };
    crowd c = { .nanoseconds = YOKE_FOREVER };
    stand s = STAND_INIT;
    gate called = GATE_INIT;
    pthread_t thread;
    yoke_stream *held = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    unsigned watched = 0;
    bool started = false;

    own.device = NULL;
    own.stream = NULL;
    NEED_OK(yoke_device_open(shared->info.selector, &own.device));
    begin_with(&table, t, YOKE_E_UNSUPPORTED);
    NEED_OK(yoke_stream_create(own.device, NULL, &own.stream));
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    NEED(sleepy_stream(t, &held) && record_held(held, &s, &c.event));
    NEED(started = pthread_create(&thread, NULL, wait_in_crowd, &c) == 0);
    while (atomic_load(&c.began) == 0)
        sched_yield();
    NEED_OK(yoke_event_on_complete(c.event, open_gate, &called, NULL));
    watched++;
    NEED(record(t->stream, buffer, &event));
    atomic_store(&queries, 0);
    double start = suite_now();
    NEED_OK(yoke_event_on_complete(event, open_gate, &called, NULL));
    watched++;
    while (atomic_load(&queries) < POLLS && suite_now() - start < 60)
        sched_yield();
    double took = suite_now() - start;
    if (!CHECK(took < POLLS * 0.08)) /* and not once in 0.1 s */
        tap_diag("%u polls in %.3f s", atomic_load(&queries), took);
out:
    let_go();
    gate_open(&s.leave);
    if (started)
        pthread_join(thread, NULL);
    if (held)
        CHECK_OK(yoke_stream_wait(held));
    gate_wait(&called, watched); /* so that the watcher asks nothing any more */
    yoke_event_release(event);
    yoke_event_release(c.event);
    yoke_buffer_release(buffer);
    yoke_stream_release(held);
    yoke_stream_release(own.stream);
    yoke_device_release(own.device);
}

/* ---- Any of several ---- */

/* While the events are asked one by one they may complete: of those that have, the first counts. */
static void the_first_of_several(suite *t)
{
    enum { MANY = 40, DECIDES = 17 };
    yoke_buffer *buffer = NULL;
    yoke_event *events[MANY] = { NULL };
    size_t index = MANY;

    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    begin(t, YOKE_E_UNSUPPORTED);
    for (int i = 0; i < MANY; i++)
        NEED(record(t->stream, buffer, &events[i]));
    real->stream_finish(t->stream);
    atomic_store(&releasing, events[DECIDES]);
    CHECK_OK(yoke_event_wait_any(events, MANY, 0, &index));
    CHECK(index == 0);
out:
    end(t);
    for (int i = 0; i < MANY; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(buffer);
}

/* ---- Blocking in the driver ---- */

static atomic_uint blocked;
static bool wakes; /* the driver's wait ends with the event; otherwise at once */

static void block(yoke_event *event)
{
    atomic_fetch_add(&blocked, 1);
    if (!wakes)
        return;
    real->stream_finish(event->stream);
    let_go();
}

static bool wait_in_driver(suite *t, yoke_buffer *buffer, int32_t policy, unsigned wanted)
{
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *stream = NULL;
    bool good = false;

    desc.wait = policy;
    NEED_OK(yoke_stream_create(t->device, &desc, &stream));
    begin(t, YOKE_OK);
    doctored.event_wait = block;
    atomic_store(&blocked, 0);
    NEED_OK(yoke_fill(stream, buffer, 0, 4, &wanted, sizeof wanted));
    NEED_OK(yoke_stream_wait(stream));
    good = CHECK(atomic_load(&blocked) == wanted && atomic_load(&queries) <= 4);
out:
    end(t);
    yoke_stream_release(stream);
    return good;
}

static void *let_go_soon(void *user)
{
    (void)user;
    while (atomic_load(&notifications) == 0) /* the waiting thread is about to sleep */
        sched_yield();
    let_go();
    return NULL;
}

/* Where that wakes a thread soonest; and a driver that returns early is believed as little as any other. */
static void blocking_in_driver(suite *t)
{
    bool before = t->device->traits.waits_well;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    yoke_stream *stream = NULL;
    pthread_t thread;

    t->device->traits.waits_well = wakes = true;
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    NEED(wait_in_driver(t, buffer, YOKE_WAIT_AUTO, 1));
    NEED(wait_in_driver(t, buffer, YOKE_WAIT_BLOCK, 1));
    wakes = false;
    NEED(sleepy_stream(t, &stream));
    begin(t, YOKE_OK);
    doctored.event_wait = block;
    atomic_store(&blocked, 0);
    NEED(record(stream, buffer, &event));
    if (!CHECK(pthread_create(&thread, NULL, let_go_soon, NULL) == 0))
        tap_bail("no threads");
    CHECK_OK(yoke_event_wait(event));
    CHECK(atomic_load(&blocked) == 1 && !atomic_load(&pending));
    pthread_join(thread, NULL);
out:
    end(t);
    t->device->traits.waits_well = before;
    yoke_event_release(event);
    yoke_stream_release(stream);
    yoke_buffer_release(buffer);
}

/* ---- Reads for which the driver waits ---- */

static yoke_stream *counted;
static atomic_uint records; /* in that stream */
static bool finished;       /* what the driver says of it */

static yoke_status record_counted(yoke_event *event)
{
    if (event->stream == counted)
        atomic_fetch_add(&records, 1);
    return real->event_record(event);
}

static bool has_finished(yoke_stream *stream)
{
    if (finished)
        real->stream_finish(stream);
    return finished;
}

static unsigned records_of_read(yoke_buffer *buffer)
{
    uint32_t value = 0;

    atomic_store(&records, 0);
    CHECK_OK(yoke_read_sync(counted, &value, buffer, 0, sizeof value));
    CHECK(value == 7);
    return atomic_load(&records);
}

/* Such a wait takes no event, unless the driver has not finished, or a failure of another stream may have to be told. */
static void read_that_waits(suite *t)
{
    enum { TRIES = 5 };
    const uint32_t seven = 7;
    yk_traits before = t->device->traits;
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;

    counted = NULL;
    NEED_OK(yoke_buffer_create(t->device, 4, &buffer));
    NEED_OK(yoke_write_sync(t->stream, buffer, 0, &seven, sizeof seven));
    NEED_OK(yoke_stream_create(t->device, NULL, &counted));
    t->device->traits.reads_block = true;
    t->device->traits.records_with_operations = false;
    begin(t, YOKE_OK);
    doctored.event_record = record_counted;
    doctored.stream_has_finished = has_finished;
    NEED_OK(yoke_fill(t->stream, buffer, 0, 4, &seven, sizeof seven));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    NEED_OK(yoke_stream_wait_event(counted, event)); /* which is pending, so that the driver waits */
    let_go();
    finished = true;
    CHECK(records_of_read(buffer) >= 1); /* more, where a slow machine lets the wait become long */
    CHECK(records_of_read(buffer) == 0);
    finished = false;
    unsigned taken = 0;
    for (int i = 0; i < TRIES && taken == 0; i++) /* another thread of the library's may have seen the end of the read before */
        taken = records_of_read(buffer);
    CHECK(taken >= 1);
out:
    end(t);
    t->device->traits = before;
    yoke_event_release(event);
    yoke_stream_release(counted);
    yoke_buffer_release(buffer);
}

static const suite_case cases[] = {
    { "waits that give up ask for one notification in all", giving_up, false },
    { "a driver that notifies late is asked for one event of a stream at a time", one_notification_at_a_time, false },
    { "200 threads ask the driver about as often as one", many_threads_notified, false },
    { "200 threads ask a driver that notifies late about as often as one", many_threads_notified_late, false },
    { "when the thread that polls for all gives up, another does", the_first_gives_up, false },
    { "a thread blocks in a driver that wakes it soonest", blocking_in_driver, false },
    { "a long wait polls less often", long_waits_poll_less, false },
    { "an event that is watched behind one that is held", watched_behind_a_held_event, false },
    { "of several events the first that is complete", the_first_of_several, false },
    { "a wait behind a read for which the driver has waited takes no event", read_that_waits, false },
};

int main(void)
{
    return SUITE_MAIN(cases, NULL);
}
