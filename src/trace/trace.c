/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracing: each operation of a traced stream is enclosed by two events with time stamps. Complete events become times of the
 * host's clock and are written to the file: at waits, when the stream is destroyed, and at intervals by a thread, so that little is
 * missing from the trace of a program that a signal ends.
 *
 * The clocks are compared when a stream begins: an event is recorded in the empty stream, and its time lies between the call and
 * the driver's answer. Of several measurements the narrowest is used, a few microseconds wide. Two clocks do not run at the same
 * rate for long, so each operation compares them again: none begins before it was enqueued, or ends after it was seen to be
 * complete.
 */
#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "base/process/fork.h"
#include "base/process/thread.h"
#include "copy/staging.h"
#include "stream/event.h"
#include "stream/stream.h"
#include "stream/wait.h"

/* A submitted operation, not yet known to be complete. */
typedef struct pending {
    struct pending *next;
    yoke_event *begin, *end;
    yk_trace_slice slice;
} pending;

struct yk_trace {
    struct yk_trace *next, *previous; /* in all */
    yoke_stream *stream;
    unsigned number;
    bool timed;           /* the device has time stamps */
    pthread_mutex_t lock; /* protects the members below */
    yoke_event *zero;     /* if timed: its device time is zero_time on the host */
    uint64_t zero_time;
    pending *first, **last;
    unsigned count;
};

enum { MANY = 256, CLOCK_TRIES = 8 };

/* Nanoseconds: between writing, for a last event, of an allocation, and until the next event is zero. */
static const uint64_t interval = 20000000, patience = 200000000, parting = 50000000, noticeable = 50000, far = 1000000000;

static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER; /* protects the variables below; before any trace's lock */
static struct yk_trace *all;
static bool writing, ended; /* a thread writes at intervals; the program's exit handlers run */

/* ---- Complete operations ---- */

static uint64_t time_of(const struct yk_trace *trace, yoke_event *event)
{
    int64_t elapsed = 0;
    if (trace->stream->device->backend->event_elapsed(trace->zero, event, &elapsed) < 0)
        return 0;
    return trace->zero_time + (uint64_t)elapsed;
}

/* Moves what the clocks' difference has put before it was enqueued, or after now. */
static void compare_again(struct yk_trace *trace, yk_trace_slice *slice)
{
    uint64_t now = yk_now(), move = slice->end > now ? now - slice->end : 0;
    if (slice->begin + move < slice->enqueued)
        move = slice->enqueued - slice->begin;
    slice->begin += move;
    slice->end += move;
    trace->zero_time += move;
}

/* Both events are complete. */
static void write_out(struct yk_trace *trace, pending *done)
{
    yk_trace_slice *slice = &done->slice;
    slice->begin = time_of(trace, done->begin);
    slice->end = time_of(trace, done->end);
    slice->failed = slice->failed || slice->begin == 0 || slice->end < slice->begin;
    if (slice->failed)
        slice->begin = slice->end = slice->enqueued;
    else
        compare_again(trace, slice);
    /* CUDA tells the time between two events as a float of milliseconds, which is coarse for a long time. */
    if (!slice->failed && slice->begin > trace->zero_time + far) {
        yoke_event *last = trace->zero;
        trace->zero = done->begin;
        trace->zero_time = slice->begin;
        done->begin = last;
    }
    yk_trace_file_slice(trace->stream, trace->number, YK_ROW_DEVICE, slice);
    yk_event_recycle(done->begin);
    yk_event_recycle(done->end);
    free(done);
}

/* Wait until `deadline` for what is pending; 0: do not wait. `finished`: the stream has finished, so an operation that is still
 * pending then has failed; but an operation may finish a moment before the event behind it. With the lock held. */
static void write_done(struct yk_trace *trace, uint64_t deadline, bool finished)
{
    const yk_backend *backend = trace->stream->device->backend;
    yoke_error_info before = *yoke_error();
    while (trace->first) {
        pending *first = trace->first;
        yoke_status status;
        while ((status = backend->event_query(first->end)) == YOKE_PENDING && deadline && yk_now() < deadline)
            yk_pause();
        if (status == YOKE_PENDING && !finished)
            break;
        first->slice.failed = status != YOKE_OK;
        trace->first = first->next;
        if (!trace->first)
            trace->last = &trace->first;
        trace->count--;
        write_out(trace, first);
    }
    yk_error_restore(&before);
}

static void write_done_locked(struct yk_trace *trace, uint64_t deadline, bool finished)
{
    pthread_mutex_lock(&trace->lock);
    write_done(trace, deadline, finished);
    pthread_mutex_unlock(&trace->lock);
}

/* With all_lock held. */
static void write_all(uint64_t deadline)
{
    for (struct yk_trace *trace = all; trace; trace = trace->next)
        write_done_locked(trace, deadline, false);
}

/* At the program's exit, which may leave streams unreleased. Afterwards the driver may go, so nothing is polled. */
static void write_last(void)
{
    if (yk_forked)
        return;
    pthread_mutex_lock(&all_lock);
    ended = true;
    write_all(yk_now() + parting); /* a thread of Yoke may be ending the last streams */
    pthread_mutex_unlock(&all_lock);
    yk_trace_file_complete();
}

/* While there are streams. */
static void write_at_intervals(void *argument)
{
    (void)argument;
    for (;;) {
        yk_waiter_sleep(NULL, interval);
        pthread_mutex_lock(&all_lock);
        writing = all && !ended;
        if (writing)
            write_all(0);
        bool more = writing;
        pthread_mutex_unlock(&all_lock);
        if (!more)
            return;
    }
}

/* ---- Streams ---- */

static yoke_event *stamp(yoke_stream *stream)
{
    yoke_event *event = yk_event_take(stream, YOKE_EVENT_TIMED);
    if (event && stream->device->backend->event_record(event) == YOKE_OK)
        return event;
    if (event)
        yk_event_recycle(event);
    return NULL;
}

static void compare_clocks(struct yk_trace *trace)
{
    yoke_stream *stream = trace->stream;
    uint64_t narrowest = UINT64_MAX;
    for (int i = 0; i < CLOCK_TRIES; i++) {
        uint64_t before = yk_now();
        yoke_event *event = stamp(stream);
        if (!event)
            return;
        while (stream->device->backend->event_query(event) == YOKE_PENDING)
            yk_pause();
        uint64_t width = yk_now() - before;
        if (width < narrowest) {
            narrowest = width;
            trace->zero_time = before + width / 2;
            yoke_event *last = trace->zero;
            trace->zero = event;
            event = last;
        }
        if (event)
            yk_event_recycle(event);
    }
}

static void stream_begin(yoke_stream *stream)
{
    static atomic_uint numbers;
    yoke_error_info before = *yoke_error();
    struct yk_trace *trace = calloc(1, sizeof *trace);
    if (!trace || pthread_mutex_init(&trace->lock, NULL) != 0) {
        yk_log(YOKE_LOG_WARNING, "stream %s is not traced: host memory is exhausted", stream->label);
        free(trace);
        return;
    }
    trace->stream = stream;
    trace->number = atomic_fetch_add(&numbers, 1) + 1;
    trace->last = &trace->first;
    if (stream->flags & YOKE_STREAM_TIMED)
        compare_clocks(trace);
    trace->timed = trace->zero != NULL;
    yk_error_restore(&before);
    yk_trace_file_stream(stream, trace->number);
    stream->trace = trace;
    pthread_mutex_lock(&all_lock);
    trace->next = all;
    if (all)
        all->previous = trace;
    all = trace;
    bool first = !writing && !ended;
    writing = writing || first;
    pthread_mutex_unlock(&all_lock);
    if (first && yk_thread_run(write_at_intervals, NULL, "the trace") < 0) {
        yk_error_restore(&before);
        pthread_mutex_lock(&all_lock);
        writing = false;
        pthread_mutex_unlock(&all_lock);
    }
}

static void stream_end(yoke_stream *stream)
{
    struct yk_trace *trace = stream->trace;
    if (!trace)
        return;
    /* All is written before the stream leaves the list: the program may be exiting, and write_last then waits for this. */
    write_done_locked(trace, yk_now() + patience, true);
    pthread_mutex_lock(&all_lock);
    if (trace->next)
        trace->next->previous = trace->previous;
    if (trace->previous)
        trace->previous->next = trace->next;
    else
        all = trace->next;
    pthread_mutex_unlock(&all_lock);
    if (trace->zero)
        yk_event_recycle(trace->zero);
    pthread_mutex_destroy(&trace->lock);
    free(trace);
    stream->trace = NULL;
}

/* ---- Operations ---- */

static void describe(const yoke_stream *stream, const yk_op *op, yk_trace_slice *slice)
{
    *slice =
        (yk_trace_slice){ .kind = op->kind, .where = op->where, .name = yk_op_lasting_name(op->kind, op), .enqueued = yk_now() };
    slice->bytes = yk_op_bytes(op);
    slice->deferred = stream->running != NULL;
    switch (yk_family_of(op->kind)) {
    case YK_FAMILY_LAUNCH:
        memcpy(slice->grid, (unsigned[]){ op->u.launch.grid.x, op->u.launch.grid.y, op->u.launch.grid.z }, sizeof slice->grid);
        memcpy(slice->block, (unsigned[]){ op->u.launch.block.x, op->u.launch.block.y, op->u.launch.block.z }, sizeof slice->block);
        break;
    case YK_FAMILY_TRANSFER:
        slice->pageable = !yk_transfer_is_pinned(stream->device, op);
        slice->staged = op->u.transfer.staged;
        break;
    case YK_FAMILY_WAIT:
        if (op->u.wait.native)
            break;
        slice->awaited = yk_intern(op->u.wait.event->stream->label);
        slice->awaited_device = op->u.wait.event->stream->device->trace_number;
        break;
    case YK_FAMILY_COPY:
        slice->between = op->u.copy.target->device != op->u.copy.source->device;
        break;
    case YK_FAMILY_FILL:
    case YK_FAMILY_IMAGE:
    case YK_FAMILY_RECORD:
    case YK_FAMILY_CALL:
    case YK_FAMILY_NATIVE:
    case YK_FAMILY_GRAPH:
    case YK_FAMILY_NONE:
        break;
    }
}

static void add_pending(struct yk_trace *trace, pending *fresh)
{
    pthread_mutex_lock(&trace->lock);
    *trace->last = fresh;
    trace->last = &fresh->next;
    if (++trace->count % MANY == 0)
        write_done(trace, 0, false);
    pthread_mutex_unlock(&trace->lock);
}

static void *submit_begin(yoke_stream *stream, const yk_op *op)
{
    struct yk_trace *trace = stream->trace;
    yk_trace_slice slice;
    if (!trace)
        return NULL;
    describe(stream, op, &slice);
    yk_trace_last_note(stream, &slice);
    pending *fresh = trace->timed ? calloc(1, sizeof *fresh) : NULL;
    if (!fresh)
        return NULL;
    fresh->slice = slice;
    fresh->begin = stamp(stream);
    return fresh;
}

static void submit_end(yoke_stream *stream, void *begun, yoke_status status)
{
    pending *fresh = begun;
    yoke_error_info record = *yoke_error();
    fresh->end = status == YOKE_OK && fresh->begin ? stamp(stream) : NULL;
    yk_error_restore(&record);
    if (fresh->end) {
        add_pending(stream->trace, fresh);
        return;
    }
    if (fresh->begin)
        yk_event_recycle(fresh->begin);
    free(fresh);
}

static void ran(const yoke_stream *stream, const yk_op *op, uint64_t since)
{
    yk_trace_slice slice;
    if (!stream->trace)
        return;
    describe(stream, op, &slice);
    slice.enqueued = slice.begin = since;
    slice.end = yk_now();
    yk_trace_file_slice(stream, stream->trace->number, yk_op_has(op->kind, YK_TRAIT_FUNCTION) ? YK_ROW_FUNCTIONS : YK_ROW_HOST,
                        &slice);
}

static void waited(const yoke_stream *stream, const char *where, uint64_t since)
{
    yk_trace_file_wait(stream, where, since, yk_now());
    if (stream->trace)
        write_done_locked(stream->trace, 0, false);
}

static void worked(const yoke_device *device, yk_host_work work, const char *name, const char *detail, size_t bytes, uint64_t since)
{
    uint64_t now = yk_now();
    if (work != YK_HOST_ALLOCATE || now - since >= noticeable)
        yk_trace_file_work(device, work, name, detail, bytes, since, now);
}

static const yk_observer observer = { .stream_begin = stream_begin,
                                      .stream_end = stream_end,
                                      .submit_begin = submit_begin,
                                      .submit_end = submit_end,
                                      .ran = ran,
                                      .waited = waited,
                                      .worked = worked };

static atomic_uint_fast64_t origin;

uint64_t yk_trace_begin(void)
{
    uint_fast64_t now = yk_now(), none = 0;
    atomic_compare_exchange_strong(&origin, &none, now);
    return now;
}

void yk_trace_init(yoke_device *device)
{
    static atomic_uint devices;
    if (!yk_trace_file_open(atomic_load(&origin)))
        return;
    device->trace_number = atomic_fetch_add(&devices, 1) + 1;
    if (device->trace_number == 1)
        atexit(write_last);
    device->observer = &observer;
}

void yk_trace_opened(const yoke_device *device, uint64_t since)
{
    if (device->observer != &observer)
        return;
    yk_trace_file_device(device);
    worked(device, YK_HOST_OPEN, NULL, NULL, 0, since);
}
