/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of streams when the driver answers as a case likes: waits that it was given, and what it says of their events;
 * pinned memory that it does not have; operations that it refuses. Each case puts its own functions in the place of some of the
 * backend's, for a device that it has opened for itself.
 */
#include <sched.h>
#include <string.h>

#include <yoke/graph.h>

#include "backend.h"
#include "stand.h"
#include "suite.h"

static const yk_backend *real;
static yk_backend doctored;
static atomic_bool pending;            /* events are, but for `failing` */
static _Atomic(yoke_event *) failing;  /* the event whose work has failed */
static _Atomic(yoke_event *) failing2; /* and another */
static yoke_status failure;            /* with this status */
static atomic_uint queries;

static yoke_status query(yoke_event *event)
{
    atomic_fetch_add(&queries, 1);
    if (event == atomic_load(&failing) || event == atomic_load(&failing2))
        return yk_fail(failure, "made up: the work before the event has failed");
    return atomic_load(&pending) ? YOKE_PENDING : real->event_query(event);
}

static yoke_device *begin(suite *t)
{
    yoke_device *device = NULL;

    if (!CHECK_OK(yoke_device_open(t->info.selector, &device)))
        return NULL;
    real = device->backend;
    doctored = *real;
    doctored.event_query = query;
    atomic_store(&failing, NULL);
    atomic_store(&failing2, NULL);
    atomic_store(&pending, false);
    atomic_store(&queries, 0);
    device->backend = &doctored;
    return device;
}

static void end(yoke_device *device)
{
    atomic_store(&pending, false);
    atomic_store(&failing, NULL);
    atomic_store(&failing2, NULL);
    if (device)
        device->backend = real;
    yoke_device_release(device);
}

/* An event behind work that the driver was given. */
static bool record(yoke_stream *stream, yoke_buffer *buffer, yoke_event **out_event)
{
    const uint32_t zero = 0;

    return CHECK_OK(yoke_fill(stream, buffer, 0, 4, &zero, sizeof zero)) && CHECK_OK(yoke_event_record(stream, 0, out_event));
}

/* ---- Waits for an event that fails ---- */

enum { BEFORE = 63, MORE = 200 };

/* A stream with many waits for an event gets more of them: that the event has failed is found there, and fails this stream too. */
static void more_waits(suite *t, yoke_status status, uint32_t depth, bool circle)
{
    yoke_device *device = begin(t);
    yoke_stream_desc desc = YOKE_STREAM_DESC_INIT;
    yoke_stream *producer = NULL, *stream = NULL;
    yoke_event *event = NULL, *first = NULL;
    yoke_buffer *buffer = NULL;
    yoke_status found = YOKE_OK;
    int waits = 0;

    desc.depth = depth;
    NEED(device);
    NEED_OK(yoke_stream_create(device, NULL, &producer));
    NEED_OK(yoke_stream_create(device, &desc, &stream));
    NEED_OK(yoke_buffer_create(device, 4, &buffer));
    atomic_store(&pending, true);
    if (circle) {
        NEED(record(stream, buffer, &first));
        NEED_OK(yoke_stream_wait_event(producer, first));
        waits++; /* the fill counts as well */
    }
    NEED(record(producer, buffer, &event));
    for (; waits < BEFORE; waits++)
        NEED_OK(yoke_stream_wait_event(stream, event));
    real->stream_finish(producer);
    real->stream_finish(stream);
    failure = status;
    atomic_store(&failing, event);
    atomic_store(&failing2, first);
    while (waits++ < MORE && (found = yoke_stream_wait_event(stream, event)) == YOKE_OK)
        continue;
    CHECK_STATUS(status, found);
    atomic_store(&pending, false);
    CHECK_STATUS(status, yoke_stream_wait(stream));
    CHECK_STATUS(status, yoke_event_query(event));
    atomic_store(&failing, NULL);
    atomic_store(&failing2, NULL);
    if (status == YOKE_E_DEVICE_LOST) {
        CHECK_STATUS(status, yoke_stream_recover(stream));
    } else {
        CHECK_OK(yoke_stream_recover(producer));
        CHECK_OK(yoke_stream_recover(stream));
        CHECK_OK(yoke_fill(stream, buffer, 0, 4, "abc", 4));
        CHECK_OK(yoke_stream_wait(stream));
    }
out:
    yoke_event_release(event);
    yoke_event_release(first);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_stream_release(producer);
    end(device);
}

/* ---- An answer that comes late ---- */

static _Atomic(yoke_event *) asked_twice;
static gate first_asks, first_goes;
static atomic_uint askers;

/* The first to ask gets the driver's failure long after the second. */
static yoke_status query_late(yoke_event *event)
{
    if (event != atomic_load(&asked_twice))
        return real->event_query(event);
    if (atomic_fetch_add(&askers, 1) == 0) {
        gate_open(&first_asks);
        gate_wait(&first_goes, 1);
    }
    return yk_fail(YOKE_E_EXECUTION, "made up: the work before the event has failed");
}

static void *ask(void *event)
{
    CHECK_STATUS(YOKE_E_EXECUTION, yoke_event_query(event));
    return NULL;
}

/* Two threads ask for an event. Until the first has the driver's answer, the stream has failed by the second's, and recovered. */
static void failure_that_is_found_late(suite *t)
{
    yoke_device *device = begin(t);
    yoke_stream *stream = NULL;
    yoke_event *event = NULL;
    yoke_buffer *buffer = NULL;
    pthread_t first;
    bool started = false;

    first_asks = first_goes = (gate)GATE_INIT;
    atomic_store(&askers, 0);
    NEED(device);
    doctored.event_query = query_late;
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, 4, &buffer));
    NEED(record(stream, buffer, &event));
    atomic_store(&asked_twice, event);
    started = CHECK(pthread_create(&first, NULL, ask, event) == 0);
    NEED(started);
    gate_wait(&first_asks, 1);
    ask(event);
    CHECK_STATUS(YOKE_E_EXECUTION, yoke_stream_wait(stream));
    CHECK_OK(yoke_stream_recover(stream));
    gate_open(&first_goes);
    pthread_join(first, NULL);
    started = false;
    CHECK_OK(yoke_fill(stream, buffer, 0, 4, "abc", 4));
    CHECK_OK(yoke_stream_wait(stream));
out:
    gate_open(&first_goes);
    if (started)
        pthread_join(first, NULL);
    atomic_store(&asked_twice, NULL);
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    end(device);
}

static void wait_for_a_lost_device(suite *t)
{
    more_waits(t, YOKE_E_DEVICE_LOST, 0, false);
    more_waits(t, YOKE_E_DEVICE_LOST, 1000, false);
}

static void wait_in_a_circle(suite *t)
{
    more_waits(t, YOKE_E_DRIVER, 0, true);
    more_waits(t, YOKE_E_DRIVER, 1000, true);
}

/* ---- Many waits ---- */

/* A stream that nobody waits for, each of whose waits is over soon: it forgets them, and their events with them. */
static void waits_are_forgotten(suite *t)
{
    enum { MANY = 1000, KEPT = 200 };
    static yoke_event *events[MANY];
    yoke_device *device = begin(t);
    yoke_stream *producer = NULL, *stream = NULL;
    yoke_buffer *x = NULL, *y = NULL;
    unsigned kept = 0;
    int recorded = 0;

    NEED(device);
    NEED_OK(yoke_stream_create(device, NULL, &producer));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, 4, &x));
    NEED_OK(yoke_buffer_create(device, 4, &y));
    for (; recorded < MANY; recorded++) {
        NEED(record(producer, x, &events[recorded]));
        NEED_OK(yoke_stream_wait_event(stream, events[recorded])); /* each is an operation with an even number */
        NEED_OK(yoke_fill(stream, y, 0, 4, "abc", 4));
        if (recorded % 50 == 49)
            NEED_OK(yoke_stream_wait(producer));
    }
    for (int i = 0; i < MANY; i++)
        kept += atomic_load(&events[i]->object.refs) > 1;
    if (!CHECK(kept <= KEPT))
        tap_diag("%u of %d events are kept", kept, (int)MANY);
out:
    for (int i = 0; i < recorded; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(x);
    yoke_buffer_release(y);
    yoke_stream_release(stream);
    yoke_stream_release(producer);
    end(device);
}

/* While none of its waits is over, the driver is not asked for all of them again and again. */
static void waits_are_rarely_asked_for(suite *t)
{
    enum { MANY = 2000 };
    static yoke_event *events[MANY];
    yoke_device *device = begin(t);
    yoke_stream *producer = NULL, *stream = NULL;
    yoke_buffer *buffer = NULL;
    int recorded = 0;

    NEED(device);
    NEED_OK(yoke_stream_create(device, NULL, &producer));
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, 4, &buffer));
    atomic_store(&pending, true);
    for (; recorded < MANY; recorded++) {
        NEED(record(producer, buffer, &events[recorded]));
        NEED_OK(yoke_stream_wait_event(stream, events[recorded]));
    }
    if (!CHECK(atomic_load(&queries) < 4 * MANY))
        tap_diag("%u queries for %d events", atomic_load(&queries), (int)MANY);
    atomic_store(&pending, false);
    CHECK_OK(yoke_stream_wait(stream));
    for (int i = 0; i < MANY; i++)
        CHECK(atomic_load(&events[i]->object.refs) == 1);
out:
    atomic_store(&pending, false);
    for (int i = 0; i < recorded; i++)
        yoke_event_release(events[i]);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    yoke_stream_release(producer);
    end(device);
}

/* ---- No pinned memory ---- */

static yoke_status create_unless_pinned(yoke_buffer *buffer)
{
    if (buffer->kind == YOKE_MEMORY_PINNED)
        return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "made up: no page-locked memory");
    return real->buffer_create(buffer);
}

static bool is_deferring(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    bool deferring = yk_is_deferring(stream);
    pthread_mutex_unlock(&stream->lock);
    return deferring;
}

/* A staged copy that the driver makes after all is work of the stream's, which may still run when the stream defers nothing. */
static void copies_without_pinned_memory(suite *t, bool write)
{
    enum { SIZE = 1 << 20 };
    yoke_device *device = begin(t);
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_event *behind = NULL, *after = NULL;
    unsigned char *bytes = memory_new(SIZE), *back = memory_new(SIZE);
    stand s = STAND_INIT;

    NEED(device);
    suite_expect_log(); /* of copiers without memory */
    device->staged = device->stages_small = true;
    doctored.buffer_create = create_unless_pinned;
    fill_random(bytes, SIZE, 5);
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, SIZE, &buffer));
    NEED_OK(yoke_write_sync(stream, buffer, 0, bytes, SIZE));
    NEED_OK(yoke_host_call(stream, stand_at_gate, &s, NULL));
    gate_wait(&s.inside, 1);
    if (write)
        NEED_OK(yoke_write(stream, buffer, 0, bytes, SIZE));
    else
        NEED_OK(yoke_read(stream, back, buffer, 0, SIZE));
    NEED_OK(yoke_event_record(stream, 0, &behind)); /* which the driver may record with the copy */
    atomic_store(&pending, true);
    gate_open(&s.leave);
    while (is_deferring(stream))
        sched_yield();
    NEED_OK(yoke_event_record(stream, 0, &after));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(behind));
    CHECK_STATUS(YOKE_PENDING, yoke_event_query(after));
    CHECK_STATUS(YOKE_PENDING, yoke_event_wait_for(after, 1000));
    atomic_store(&pending, false);
    CHECK_OK(yoke_event_wait(behind));
    CHECK_OK(yoke_stream_wait(stream));
    NEED_OK(yoke_read_sync(stream, back, buffer, 0, SIZE));
    CHECK_BYTES(back, bytes, SIZE);
out:
    atomic_store(&pending, false);
    gate_open(&s.leave);
    yoke_event_release(behind);
    yoke_event_release(after);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    end(device);
    memory_free(bytes);
    memory_free(back);
}

static void without_pinned_memory(suite *t)
{
    copies_without_pinned_memory(t, false);
    copies_without_pinned_memory(t, true);
}

/* ---- Operations that are refused ---- */

static atomic_bool refuses;

static yoke_status fill_unless_refused(yoke_stream *stream, const yk_op *op)
{
    if (atomic_load(&refuses))
        return yk_fail(YOKE_E_DRIVER, "made up: no fills");
    return real->fill(stream, op);
}

static yoke_status no_graphs(yk_batch *batch)
{
    (void)batch;
    return yk_fail(YOKE_E_UNSUPPORTED, "made up: no graphs");
}

/* A launch step by step, on the caller's thread, has a step that fails: that is the stream's failure, and the call is none. */
static void launch_that_fails_later(suite *t)
{
    yoke_device *device = begin(t);
    yoke_stream *stream = NULL;
    yoke_buffer *buffer = NULL;
    yoke_graph *graph = NULL;

    atomic_store(&refuses, false);
    NEED(device);
    doctored.fill = fill_unless_refused;
    doctored.graph_create = no_graphs;
    NEED_OK(yoke_stream_create(device, NULL, &stream));
    NEED_OK(yoke_buffer_create(device, 64, &buffer));
    NEED_OK(yoke_graph_create(device, "refused", &graph));
    NEED_OK(yoke_graph_begin(graph, stream));
    NEED_OK(yoke_fill(stream, buffer, 0, 64, "abc", 4));
    NEED_OK(yoke_graph_end(graph));
    NEED_OK(yoke_graph_launch(stream, graph));
    NEED_OK(yoke_stream_wait(stream));
    yoke_error_clear();
    atomic_store(&refuses, true);
    CHECK_OK(yoke_graph_launch(stream, graph));
    CHECK(yoke_error()->status == YOKE_OK);
    CHECK_FAILS(YOKE_E_DRIVER, "no fills|the fill at", yoke_stream_wait(stream));
    atomic_store(&refuses, false);
    CHECK_OK(yoke_stream_recover(stream));
    CHECK_OK(yoke_graph_launch(stream, graph));
    CHECK_OK(yoke_stream_wait(stream));
out:
    yoke_graph_release(graph);
    yoke_buffer_release(buffer);
    yoke_stream_release(stream);
    end(device);
}

int main(void)
{
    static const suite_case cases[] = {
        { "a stream with many waits for an event of a lost device", wait_for_a_lost_device, false },
        { "and for one that fails, behind an event of the stream itself", wait_in_a_circle, false },
        { "a failure that one thread finds after the stream has recovered from it", failure_that_is_found_late, false },
        { "waits that are over are forgotten", waits_are_forgotten, false },
        { "waits that are not are rarely asked for", waits_are_rarely_asked_for, false },
        { "a staged copy without pinned memory is work of its stream", without_pinned_memory, false },
        { "a launch that fails later leaves the caller's record alone", launch_that_fails_later, false },
    };

    return SUITE_MAIN(cases, NULL);
}
