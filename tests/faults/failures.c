/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work that fails long after it was given, calls of the driver that fail themselves, and callbacks that claim success all the same.
 * A failure reaches everyone behind it, once, with the record that names the driver's call; the rest goes on.
 */
#include <string.h>

#include "line.h"

/* A line whose first stream is lied about. */
static void fails_with(suite *t, unsigned kind, liar_orders orders, outcome expected)
{
    suite own, *on;
    line l;

    if (!has_layer() || !(on = line_device(t, expected.status, &own)))
        return;
    if (!line_open(on, &l, kind, expected)) {
        line_leave_device(on, &own);
        return;
    }
    orders.queue = l.queue;
    liar->lie(&orders);
    if (line_enqueue(on, &l)) {
        line_check(on, &l);
        CHECK(orders.call ? told().refused > 0 : told().doomed > 0);
    }
    be_honest(t);
    line_called_once(&l);
    line_close(&l);
    line_leave_device(on, &own);
}

/* ---- Work that fails ---- */

/* What a failure of the device's is: NVIDIA's driver recovers from none. */
static yoke_status execution(const suite *t)
{
    return strstr(t->info.platform, "NVIDIA") ? YOKE_E_DEVICE_LOST : YOKE_E_EXECUTION;
}

/* The launch is the line's second command. */
#define CRASH .doom = OUT_OF_RESOURCES, .doom_from = 2

static void crash_with(suite *t, unsigned kind, liar_orders orders)
{
    fails_with(t, kind, orders, (outcome){ execution(t), "launch|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES });
}

static void crash(suite *t)
{
    crash_with(t, ALONE, (liar_orders){ CRASH });
}

static void crash_held(suite *t)
{
    crash_with(t, ALONE | HELD, (liar_orders){ CRASH });
}

static void crash_without_callback(suite *t)
{
    crash_with(t, ALONE, (liar_orders){ CRASH, .until_asked = true, .callback = LIAR_NEVER });
    crash_with(t, ALONE | HELD, (liar_orders){ CRASH, .until_asked = true, .callback = LIAR_NEVER });
}

static void crash_claimed_complete(suite *t)
{
    crash_with(t, ALONE, (liar_orders){ CRASH, .until_asked = true, .late_queries = 50, .callback = LIAR_CLAIM_COMPLETE });
}

static void crash_told_late(suite *t)
{
    crash_with(t, ALONE, (liar_orders){ CRASH, .until_asked = true, .late_queries = 50, .callback = LIAR_EARLY });
}

static void failed_before(suite *t)
{
    fails_with(t, ALONE, (liar_orders){ .doom = FAILED_BEFORE, .doom_from = 2 },
               (outcome){ execution(t), "launch|CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", FAILED_BEFORE });
}

static void queue_lost(suite *t)
{
    fails_with(t, ALONE, (liar_orders){ .doom = INVALID_QUEUE, .doom_from = 2 },
               (outcome){ YOKE_E_DEVICE_LOST, "launch|CL_INVALID_COMMAND_QUEUE", INVALID_QUEUE });
}

/* ---- Streams that wait for it ---- */

/* Their failure is the first one's: the same record, whatever the driver makes of it. */
static void crash_before_waiting_streams(suite *t)
{
    crash_with(t, 0, (liar_orders){ CRASH });
    crash_with(t, HELD, (liar_orders){ CRASH });
}

static void queue_lost_before_waiting_streams(suite *t)
{
    fails_with(t, 0, (liar_orders){ .doom = INVALID_QUEUE, .doom_from = 2 },
               (outcome){ YOKE_E_DEVICE_LOST, "launch|CL_INVALID_COMMAND_QUEUE", INVALID_QUEUE });
}

static void crash_not_passed_on(suite *t)
{
    crash_with(t, 0, (liar_orders){ CRASH, .spreads_not = true });
    crash_with(t, HELD, (liar_orders){ CRASH, .spreads_not = true });
}

/* ---- Nobody is behind it but the wait ---- */

static void crash_found_by_the_wait(suite *t)
{
    outcome expected = { execution(t), "launch|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES };
    suite own, *on;
    line l;

    if (!has_layer() || !(on = line_device(t, expected.status, &own)))
        return;
    if (!line_open(on, &l, ALONE, expected)) {
        line_leave_device(on, &own);
        return;
    }
    liar->lie(&(liar_orders){ CRASH, .queue = l.queue });
    CHECK_OK(yoke_write(l.first, l.out.buffer, 0, marks, sizeof marks));
    suite_spin(on, l.first, l.out.buffer, marks[0], 0, NULL);
    CHECK_OUTCOME(&expected, yoke_stream_wait(l.first));
    CHECK_OUTCOME(&expected, yoke_stream_wait(l.first));
    be_honest(t);
    line_close(&l);
    line_leave_device(on, &own);
}

/* ---- Nobody asked until the stream had recovered ---- */

/* `l->second` waits for a crash, which the driver does not pass on, and recovers. Events behind the wait have failed with it,
 * one in front of it has not, and what comes later is well. */
static void recover_from_wait(suite *t, line *l, yoke_event *front, yoke_event *behind[2])
{
    yoke_event *after = NULL;

    CHECK_OUTCOME(&l->expected, yoke_event_wait(behind[1]));
    CHECK_OK(yoke_stream_recover(l->second));
    CHECK_OK(yoke_stream_recover(l->first));
    NEED(suite_spin(t, l->second, l->mark.buffer, marks[0], 1, NULL));
    NEED_OK(yoke_event_record(l->second, 0, &after));
    CHECK_OK(yoke_event_wait(after));
    CHECK_OK(yoke_event_wait(front));
    CHECK_OUTCOME(&l->expected, yoke_event_wait(behind[0]));
    CHECK_OUTCOME(&l->expected, yoke_event_query(behind[0]));
    CHECK_OK(yoke_stream_wait(l->second));
out:
    yoke_event_release(after);
}

static bool wait_for_crash(suite *t, line *l, yoke_event **out_front, yoke_event *behind[2])
{
    liar->lie(&(liar_orders){ CRASH, .queue = l->queue, .spreads_not = true });
    NEED_OK(yoke_write(l->first, l->out.buffer, 0, marks, sizeof marks));
    NEED(suite_spin(t, l->first, l->out.buffer, marks[0], 20, NULL));
    NEED_OK(yoke_event_record(l->first, 0, &l->event));
    NEED(suite_spin(t, l->second, l->mark.buffer, marks[0], 20, NULL));
    NEED_OK(yoke_event_record(l->second, 0, out_front));
    NEED_OK(yoke_stream_wait_event(l->second, l->event));
    for (int i = 0; i < 2; i++) {
        NEED(suite_spin(t, l->second, l->mark.buffer, marks[0], 1, NULL));
        NEED_OK(yoke_event_record(l->second, 0, &behind[i]));
    }
    return true;
out:
    return false;
}

static void told_after_recovering(suite *t)
{
    yoke_event *front = NULL, *behind[2] = { NULL, NULL };
    line l;

    if (execution(t) == YOKE_E_DEVICE_LOST) {
        suite_skip("a device that has lost its work cannot be recovered here");
        return;
    }
    if (!has_layer() || !line_open(t, &l, 0, (outcome){ execution(t), "launch|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES }))
        return;
    if (wait_for_crash(t, &l, &front, behind))
        recover_from_wait(t, &l, front, behind);
    be_honest(t);
    for (int i = 0; i < 2; i++)
        yoke_event_release(behind[i]);
    yoke_event_release(front);
    line_close(&l);
}

/* ---- A question that fails once, while the work goes on ---- */

/* Neither the function nor the wait comes before the work has ended: the memory that it reads into may be gone then. */
static void comes_not_early(suite *t, enum liar_call call, int code, outcome expected)
{
    uint32_t rounds = 0;
    suite own, *on;
    line l;

    if (!(on = line_device(t, expected.status, &own)))
        return;
    if (!line_open(on, &l, ALONE, expected)) {
        line_leave_device(on, &own);
        return;
    }
    l.behind_first.got = l.got;
    l.behind_first.wanted = l.wanted;
    suite_spin(on, l.first, l.out.buffer, marks[0], 20, &rounds);
    l.wanted[0] = marks[0];
    l.wanted[1] = spin_result(marks[0], rounds);
    suite_spin(on, l.first, l.out.buffer, marks[0], 20, &rounds);
    CHECK_OK(yoke_read(l.first, l.got, l.out.buffer, 0, sizeof l.wanted));
    liar->lie(&(liar_orders){ .queue = l.queue, .call = call, .code = code, .fail_at = 1, .fail_times = 1 });
    CHECK_OK(yoke_host_call(l.first, hear, &l.behind_first, heard));
    CHECK_STATUS(l.expected.status, yoke_stream_wait(l.first));
    CHECK_BYTES(l.got, l.wanted, sizeof l.wanted);
    gate_wait(&l.behind_first.done, 1);
    liar->finish(l.queue); /* whatever the library thinks */
    be_honest(t);
    line_close(&l);
    line_leave_device(on, &own);
}

static void nothing_comes_early(suite *t)
{
    if (!has_layer())
        return;
    comes_not_early(t, LIAR_GET_EVENT_INFO, OUT_OF_RESOURCES, (outcome){ execution(t), "clGetEventInfo", OUT_OF_RESOURCES });
    comes_not_early(t, LIAR_FLUSH, OUT_OF_RESOURCES, (outcome){ execution(t), "clFlush", OUT_OF_RESOURCES });
    comes_not_early(t, LIAR_MARKER, ALLOCATION_FAILURE,
                    (outcome){ YOKE_E_OUT_OF_DEVICE_MEMORY, "clEnqueueMarkerWithWaitList", ALLOCATION_FAILURE });
}

/* ---- Asking fails ---- */

#define FROM(n) .code = OUT_OF_RESOURCES, .fail_at = (n), .fail_times = ALWAYS

static void query_fails(suite *t)
{
    outcome expected = { execution(t), "clGetEventInfo|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES };

    fails_with(t, ALONE, (liar_orders){ .call = LIAR_GET_EVENT_INFO, FROM(1) }, expected);
    fails_with(t, ALONE | HELD, (liar_orders){ .call = LIAR_GET_EVENT_INFO, FROM(1) }, expected);
}

static void wait_fails(suite *t)
{
    outcome expected = { execution(t), "clWaitForEvents|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES };

    fails_with(t, ALONE, (liar_orders){ .call = LIAR_WAIT_FOR_EVENTS, FROM(1) }, expected);
    fails_with(t, ALONE | HELD, (liar_orders){ .call = LIAR_WAIT_FOR_EVENTS, FROM(1) }, expected);
}

static void flush_fails(suite *t)
{
    outcome expected = { execution(t), "clFlush|CL_OUT_OF_RESOURCES", OUT_OF_RESOURCES };

    fails_with(t, ALONE, (liar_orders){ .call = LIAR_FLUSH, FROM(1) }, expected);
    fails_with(t, HELD, (liar_orders){ .call = LIAR_FLUSH, FROM(1) }, expected);
}

/* ---- Calls that the driver refuses ---- */

static const struct {
    int code;
    const char *name;
    yoke_status status; /* YOKE_OK: any that asks the caller to give up no more than the operation */
} refusals[] = { { ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", YOKE_E_OUT_OF_DEVICE_MEMORY },
                 { OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY", YOKE_E_OUT_OF_HOST_MEMORY },
                 { OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES", YOKE_OK } };

enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

/* The record that the call has left tells of refusals[r]. */
static void check_refusal(unsigned r, const char *call, yoke_status got, const char *where)
{
    const yoke_error_info *error = yoke_error();

    if (!suite_check(got < 0 && error->status == got, where, "the call has failed with a reason"))
        return;
    if (refusals[r].status != YOKE_OK)
        suite_check_status(refusals[r].status, got, where, call);
    suite_check(yoke_status_group(got) == YOKE_GROUP_OPERATION, where, "the status asks to give up the operation only");
    suite_check(error->driver_code == refusals[r].code, where, "the record has the driver's code");
    suite_check_text(error->driver_call, call, where);
    suite_check_text(error->text, call, where);
    suite_check_text(error->text, refusals[r].name, where);
    suite_check_text(error->where, "failures.c:", where);
}
#define CHECK_REFUSAL(r, name, call) check_refusal(r, name, call, YOKE_HERE)

/* A stream of its own and what is put there. */
typedef struct place {
    unsigned r; /* of the refusal */
    const char *name;
    yoke_stream *stream;
    guarded x, source; /* the source holds all values */
    uint32_t *got;
    stand stand;
    atomic_uint called;
} place;

static const uint32_t values[] = { 0xAAAA, 0xBBBB, 0xCCCC };

/* The at-th of these calls will be refused, and so many in all. */
static bool place_open(suite *t, place *p, enum liar_call call, unsigned r, unsigned at, unsigned times)
{
    static const uint32_t nothing[2] = { 0, 0 };

    *p = (place){ .r = r, .stand = STAND_INIT, .got = memory_new(sizeof *p->got) };
    NEED(guarded_create(t, sizeof nothing, &p->x) && guarded_write(t, &p->x, nothing));
    NEED(guarded_create(t, sizeof values, &p->source) && guarded_write(t, &p->source, values));
    NEED_OK(yoke_stream_create(t->device, NULL, &p->stream));
    liar->lie(&(liar_orders){
        .queue = liar->newest_queue(), .call = call, .code = refusals[r].code, .fail_at = at, .fail_times = times });
    return true;
out:
    return false;
}

static void place_close(place *p)
{
    liar->lie(NULL);
    yoke_stream_release(p->stream);
    guarded_release(&p->x);
    guarded_release(&p->source);
    memory_free(p->got);
}

/* Put values[i] into p->x, by the read into p->got. */
static yoke_status put(suite *t, place *p, enum liar_call call, unsigned i)
{
    const size_t size = sizeof values[i];
    yoke_buffer *x = p->x.buffer;

    switch (call) {
    case LIAR_KERNEL:
        return yoke_launch_n(p->stream, suite_kernel(t, "spin"), 1, YOKE_ARGS(x, values[i], (uint32_t)1));
    case LIAR_WRITE:
        return yoke_write(p->stream, x, 0, &values[i], size);
    case LIAR_READ:
        return yoke_read(p->stream, p->got, p->source.buffer, i * size, size);
    case LIAR_COPY:
        return yoke_copy(p->stream, x, 0, p->source.buffer, i * size, size);
    default:
        return yoke_fill(p->stream, x, 0, size, &values[i], size);
    }
}

static void check_put(suite *t, const place *p, enum liar_call call, unsigned i)
{
    uint32_t now[2] = { *p->got, 0 };

    if (call == LIAR_READ || guarded_read(t, &p->x, now))
        CHECK_BYTES(now, &values[i], sizeof values[i]);
}

/* At once: that operation has not been enqueued, and the stream goes on. */
static void refused_at_once(suite *t, place *p, enum liar_call call)
{
    CHECK_OK(put(t, p, call, 0));
    CHECK_REFUSAL(p->r, p->name, put(t, p, call, 1));
    CHECK_OK(yoke_stream_wait(p->stream));
    check_put(t, p, call, 0);
    CHECK_OK(put(t, p, call, 2));
    CHECK_OK(yoke_stream_wait(p->stream));
    check_put(t, p, call, 2);
}

static yoke_status hear_refusal(yoke_status status, void *user)
{
    place *p = user;

    CHECK_REFUSAL(p->r, p->name, status);
    atomic_fetch_add(&p->called, 1);
    return YOKE_OK;
}

/* Given by the worker: the caller has gone on long ago, so the stream fails, and what is behind does not run. */
static void refused_later(suite *t, place *p, enum liar_call call)
{
    yoke_event *event = NULL;
    yoke_stream *behind = NULL;

    NEED_OK(yoke_stream_create(t->device, NULL, &behind));
    NEED_OK(yoke_host_call(p->stream, stand_at_gate, &p->stand, NULL));
    for (unsigned i = 0; i < 3; i++)
        CHECK_OK(put(t, p, call, i));
    CHECK_OK(yoke_host_call(p->stream, hear_refusal, p, NULL));
    CHECK_OK(yoke_event_record(p->stream, 0, &event));
    CHECK_OK(yoke_stream_wait_event(behind, event));
    CHECK_OK(yoke_host_call(behind, hear_refusal, p, NULL));
    gate_open(&p->stand.leave);
    CHECK_REFUSAL(p->r, p->name, yoke_stream_wait(behind));
    CHECK_REFUSAL(p->r, p->name, yoke_event_wait(event));
    CHECK_REFUSAL(p->r, p->name, yoke_stream_wait(p->stream));
    CHECK_REFUSAL(p->r, p->name, put(t, p, call, 2));
    CHECK(atomic_load(&p->called) == 2);
    CHECK_OK(yoke_stream_wait(t->side));
    check_put(t, p, call, 0);
out:
    yoke_event_release(event);
    yoke_stream_release(behind);
}

static void commands_refused(suite *t, void (*try)(suite *t, place *p, enum liar_call call))
{
    static const struct {
        const char *name;
        enum liar_call call;
    } commands[] = { { "clEnqueueNDRangeKernel", LIAR_KERNEL },
                     { "clEnqueueWriteBuffer", LIAR_WRITE },
                     { "clEnqueueReadBuffer", LIAR_READ },
                     { "clEnqueueCopyBuffer", LIAR_COPY },
                     { "clEnqueueFillBuffer", LIAR_FILL } };
    place p;

    if (!has_layer())
        return;
    for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++)
        for (unsigned r = 0; r < REFUSALS; r++) {
            if (place_open(t, &p, commands[c].call, r, 2, 1)) {
                p.name = commands[c].name;
                try(t, &p, commands[c].call);
                CHECK(told().refused == 1);
            }
            place_close(&p);
        }
    be_honest(t);
}

static void commands_refused_at_once(suite *t)
{
    commands_refused(t, refused_at_once);
}

static void commands_refused_later(suite *t)
{
    commands_refused(t, refused_later);
}

/* ---- Markers and barriers that the driver refuses ---- */

/* Neither the event nor the wait can be had, but the work goes on. The first case of all: where streams with workers end, the
 * library marks those that are busy, and would get the refusal. */
static void marker_refused(suite *t)
{
    yoke_event *event = (yoke_event *)&event;
    place p;

    if (!has_layer())
        return;
    for (unsigned r = 0; r < REFUSALS; r++) {
        for (int wait = 0; wait < 2; wait++) {
            if (place_open(t, &p, LIAR_MARKER, r, 1, 1)) {
                p.name = "clEnqueueMarkerWithWaitList";
                CHECK_OK(put(t, &p, LIAR_COPY, 1));
                if (wait)
                    CHECK(yoke_stream_wait(p.stream) < 0 && strcmp(yoke_error()->driver_call, p.name) == 0);
                else
                    CHECK_REFUSAL(r, p.name, yoke_event_record(p.stream, 0, &event));
                CHECK(wait || event == NULL);
                CHECK_OK(yoke_stream_wait(p.stream));
                check_put(t, &p, LIAR_COPY, 1);
                CHECK(told().refused == 1);
            }
            place_close(&p);
        }
    }
    be_honest(t);
}

/* Before a host function: the function is called all the same, with the status. */
static void marker_refused_to_a_function(suite *t)
{
    place p;

    if (!has_layer())
        return;
    for (unsigned r = 0; r < REFUSALS; r++) {
        if (place_open(t, &p, LIAR_MARKER, r, 1, ALWAYS)) {
            p.name = "clEnqueueMarkerWithWaitList";
            CHECK_OK(put(t, &p, LIAR_COPY, 1));
            CHECK_OK(yoke_host_call(p.stream, hear_refusal, &p, NULL));
            CHECK_REFUSAL(r, p.name, yoke_stream_wait(p.stream));
            CHECK(atomic_load(&p.called) == 1);
            CHECK(told().refused > 0);
        }
        place_close(&p);
    }
    be_honest(t);
}

static void barrier_refused(suite *t)
{
    static const char name[] = "clEnqueueBarrierWithWaitList";
    yoke_event *event = NULL;
    place p;

    if (!has_layer())
        return;
    for (unsigned r = 0; r < REFUSALS; r++) {
        for (int held = 0; held < 2; held++) {
            if (place_open(t, &p, LIAR_BARRIER, r, 1, 1)) {
                p.name = name;
                CHECK_OK(yoke_fill(t->side, p.source.buffer, 4, 4, &values[2], 4));
                CHECK_OK(yoke_event_record(t->side, 0, &event));
                CHECK_OK(put(t, &p, LIAR_COPY, 0));
                if (held) {
                    CHECK_OK(yoke_host_call(p.stream, stand_at_gate, &p.stand, NULL));
                    CHECK_OK(yoke_stream_wait_event(p.stream, event));
                    CHECK_OK(put(t, &p, LIAR_COPY, 1));
                    CHECK_OK(yoke_host_call(p.stream, hear_refusal, &p, NULL));
                    gate_open(&p.stand.leave);
                    CHECK_REFUSAL(r, name, yoke_stream_wait(p.stream));
                    CHECK(atomic_load(&p.called) == 1);
                } else {
                    CHECK_REFUSAL(r, name, yoke_stream_wait_event(p.stream, event));
                    CHECK_OK(yoke_stream_wait(p.stream));
                }
                check_put(t, &p, LIAR_COPY, 0);
                CHECK(told().refused == 1);
            }
            yoke_event_release(event);
            event = NULL;
            place_close(&p);
        }
    }
    be_honest(t);
}

int main(void)
{
    static const suite_case cases[] = {
        { "a marker refused", marker_refused, false },
        { "a crash reaches everyone behind it", crash, false },
        { "a crash of work that a worker has submitted", crash_held, false },
        { "a crash without a callback", crash_without_callback, false },
        { "a crash whose callback claims success", crash_claimed_complete, false },
        { "a crash that is reported late, after its callback", crash_told_late, false },
        { "a failure that is another one's consequence", failed_before, false },
        { "a queue that is lost", queue_lost, false },
        { "a crash reaches streams that wait, with the same record", crash_before_waiting_streams, false },
        { "a lost queue reaches streams that wait, with the same record", queue_lost_before_waiting_streams, false },
        { "a crash that the driver does not pass on to streams that wait", crash_not_passed_on, false },
        { "a crash that nobody finds but the wait", crash_found_by_the_wait, false },
        { "a query after recovering reports the failure", told_after_recovering, false },
        { "a question that fails lets nothing come early", nothing_comes_early, false },
        { "asking for the status fails", query_fails, false },
        { "waiting for a finished event fails", wait_fails, false },
        { "flushing fails", flush_fails, false },
        { "commands refused at once", commands_refused_at_once, false },
        { "commands refused when a worker gives them", commands_refused_later, false },
        { "a marker refused before a host function", marker_refused_to_a_function, false },
        { "a barrier refused", barrier_refused, false },
    };

    return line_main(cases, sizeof cases / sizeof cases[0]);
}
