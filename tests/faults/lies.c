/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers that lie about work that goes well: callbacks that come early, late, twice, in any order or never, and a status that is
 * late. Nothing of it may show: what the library is told by a callback is no truth, only a reason to ask.
 */
#include <sched.h>

#include "line.h"

static const outcome well = { YOKE_OK, "", 0 };

/* `lines` of them at once, under orders for every queue. */
static void all_is_well_with(suite *t, const liar_orders *orders, unsigned lines)
{
    line l[4];
    unsigned opened = 0;

    if (!has_layer())
        return;
    while (opened < lines && line_open(t, &l[opened], opened % 2 ? HELD : 0, well))
        opened++;
    NEED(opened == lines);
    liar->lie(orders);
    for (unsigned i = 0; i < lines; i++)
        NEED(line_enqueue(t, &l[i]));
    for (unsigned i = 0; i < lines; i++)
        gate_open(&l[i].stand.leave);
    for (unsigned i = 0; i < lines; i++)
        line_check(t, &l[i]);
    suite_works(t);
    liar_report report = told();
    CHECK(report.abandoned == 0); /* the library has polled until the outcome was known */
    CHECK(report.withheld > 0);
    if (orders->call)
        CHECK(report.refused > 0 && report.asked == 0);
    else if (orders->until_asked)
        CHECK(report.asked > 0);
    if (orders->callback == LIAR_NEVER)
        CHECK(report.called == 0);
    else if (orders->callback == LIAR_EARLY)
        CHECK(report.called == report.asked);
    else if (orders->callback == LIAR_TWICE)
        CHECK(report.called >= 2);
    else if (orders->callback == LIAR_LATE && !orders->late_calls)
        CHECK(report.called == 0 && report.pending == report.asked);
    else if (orders->callback == LIAR_LATE || orders->callback == LIAR_REVERSED)
        CHECK(report.called > 0);
out:
    be_honest(t);
    for (unsigned i = 0; i < opened; i++) {
        line_called_once(&l[i]);
        line_close(&l[i]);
    }
}

/* Whatever the driver's speed, every wait has to ask for a callback: only then does a finished event admit it, some queries later.
 */
#define ASK .until_asked = true, .late_queries = 50

static void never(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_NEVER }, 2);
}

static void early(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_EARLY }, 2);
}

static void twice(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_TWICE }, 2);
}

static void late(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_LATE }, 2);
}

/* So late that who waited is gone, and what it waited with serves another wait. */
static void late_in_another_wait(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_LATE, .late_calls = 80 }, 4);
}

static void reversed(suite *t)
{
    all_is_well_with(t, &(liar_orders){ ASK, .callback = LIAR_REVERSED, .together = 3 }, 4);
}

static void refused(suite *t)
{
    static const liar_orders orders = { ASK, .call = LIAR_SET_EVENT_CALLBACK, .code = OUT_OF_HOST_MEMORY, .fail_at = 1,
                                        .fail_times = ALWAYS };

    all_is_well_with(t, &orders, 2);
}

static void slow_status(suite *t)
{
    all_is_well_with(t, &(liar_orders){ .late_queries = 200 }, 2);
}

/* Asked without a wait, an event is pending until the driver says otherwise. */
static void slow_status_to_a_poll(suite *t)
{
    enum { QUERIES = 25 };
    guarded x = { 0 };
    yoke_event *event = NULL;
    yoke_status status;
    unsigned pending = 0;

    if (!has_layer())
        return;
    NEED(guarded_create(t, sizeof marks, &x));
    liar->lie(&(liar_orders){ .queue = liar->newest_queue(), .late_queries = QUERIES });
    NEED_OK(yoke_write(t->stream, x.buffer, 0, marks, sizeof marks));
    NEED_OK(yoke_event_record(t->stream, 0, &event));
    while ((status = yoke_event_query(event)) == YOKE_PENDING)
        pending++;
    CHECK_STATUS(YOKE_OK, status);
    CHECK(pending >= QUERIES && told().withheld == QUERIES);
    CHECK_OK(yoke_event_query(event));
    guarded_check(t, &x, marks);
out:
    yoke_event_release(event);
    guarded_release(&x);
    be_honest(t);
}

/* ---- Released during the lie ---- */

static yoke_status run_or_cancelled(yoke_status status, void *user)
{
    listener *l = user;

    CHECK(status == YOKE_OK || status == YOKE_E_CANCELLED);
    atomic_fetch_add(&l->ran, 1);
    return YOKE_OK;
}

/* Work in two streams of a device of its own, all of which is released at once. The functions are called all the same. */
static void release_everything(suite *t, listener *first, listener *second)
{
    yoke_device *device = NULL;
    yoke_stream *streams[2] = { NULL };
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    unsigned calls = 0;

    NEED_OK(yoke_device_open(t->info.selector, &device));
    for (int i = 0; i < 2; i++)
        NEED_OK(yoke_stream_create(device, NULL, &streams[i]));
    NEED_OK(yoke_buffer_create(device, sizeof marks, &buffer));
    NEED_OK(yoke_write(streams[0], buffer, 0, marks, sizeof marks));
    NEED_OK(yoke_event_record(streams[0], 0, &event));
    NEED_OK(yoke_stream_wait_event(streams[1], event));
    NEED_OK(yoke_fill(streams[1], buffer, 0, sizeof marks, marks, sizeof marks));
    if (CHECK_OK(yoke_host_call(streams[0], run_or_cancelled, first, heard)))
        calls++;
    if (CHECK_OK(yoke_host_call(streams[1], run_or_cancelled, second, heard)))
        calls++;
out:
    yoke_event_release(event);
    yoke_buffer_release(buffer);
    yoke_stream_release(streams[0]);
    yoke_stream_release(streams[1]);
    yoke_device_release(device);
    if (calls > 0)
        gate_wait(&first->done, 1);
    if (calls > 1)
        gate_wait(&second->done, 1);
}

/* The driver's objects are given back, by threads that may still be about it, and late callbacks find nobody. It comes first, when
 * nothing else is there that could come or go. */
static void release(suite *t)
{
    static const liar_orders orders[] = { { 0 },
                                          { ASK, .callback = LIAR_NEVER },
                                          { ASK, .callback = LIAR_EARLY },
                                          { ASK, .callback = LIAR_LATE },
                                          { ASK, .callback = LIAR_LATE, .late_calls = 40 },
                                          { .doom = OUT_OF_RESOURCES, .doom_from = 1000 } };

    if (!has_layer())
        return;
    CHECK_OK(yoke_stream_wait(t->side));
    unsigned before = told().objects;
    CHECK(before > 0);
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        listener first = LISTENER_INIT(&well), second = LISTENER_INIT(&well);
        double start = suite_now();

        liar->lie(&orders[i]);
        release_everything(t, &first, &second);
        while (told().objects != before && suite_now() - start < 60)
            sched_yield();
        liar->deliver();
        CHECK(atomic_load(&first.ran) == 1 && atomic_load(&first.released) == 1);
        CHECK(atomic_load(&second.ran) == 1 && atomic_load(&second.released) == 1);
        if (!CHECK(told().objects == before)) {
            tap_diag("under order %zu: %u objects before, %u after", i, before, told().objects);
            break;
        }
    }
    be_honest(t);
}

/* ---- The end ---- */

/* Buffers are unmapped without a wait, but not when the device closes: the process may end right behind that, and with it the
 * driver under its own threads. */
static void unmapped_to_the_end(suite *t)
{
    yoke_device *device = NULL;
    yoke_buffer *buffer = NULL;

    if (!has_layer())
        return;
    CHECK_OK(yoke_device_trim_memory(t->device, 0));
    NEED_OK(yoke_device_open(t->info.selector, &device));
    NEED_OK(yoke_buffer_create_pinned(device, sizeof marks, &buffer));
    CHECK_OK(yoke_device_trim_memory(device, 0));
    unsigned before = told().unmapped;
    yoke_buffer_release(buffer);
    buffer = NULL;
    CHECK_OK(yoke_device_trim_memory(device, 0));
    CHECK(told().unmapped == before + 1);
out:
    yoke_buffer_release(buffer);
    yoke_device_release(device);
    CHECK(told().unmapped == 0);
    be_honest(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "released during the lie, everything is returned", release, false },
        { "callbacks that never come", never, false },
        { "callbacks that come early, inside the registering call", early, false },
        { "callbacks that come twice", twice, false },
        { "callbacks that come when all is over", late, false },
        { "callbacks that come into another wait", late_in_another_wait, false },
        { "callbacks in reversed order", reversed, false },
        { "callbacks that cannot be registered", refused, false },
        { "a status that is late", slow_status, false },
        { "a status that is late, polled", slow_status_to_a_poll, false },
        { "a device that closes waits for its unmappings", unmapped_to_the_end, false },
    };

    return line_main(cases, sizeof cases / sizeof cases[0]);
}
