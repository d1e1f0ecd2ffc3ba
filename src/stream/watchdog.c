/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The watchdog: a thread that checks every stream a few times in the period of YOKE_WATCHDOG, and logs, once, each stream that has
 * work and has made no progress for that long: the operation at its front, where that was enqueued, and what it waits for, from
 * stream to stream, down to the stream that blocks all the others.
 *
 * Submitted work shows progress only when polled: an event at the stream's end, and a query.
 */
#include "stream/watchdog.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/op.h"
#include "stream/stream.h"
#include "base/process/thread.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows; taken before any device's */
static pthread_cond_t changed;                           /* signalled when the last device is being removed */
static yoke_device *devices;
static bool running; /* the thread */
static double limit; /* seconds; 0: off */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_environment(void)
{
    const char *ordered = getenv("YOKE_WATCHDOG");
    if (!ordered || !*ordered)
        return;
    if (!yk_read_decimal(ordered, &limit) || !(limit >= 0 && limit <= 1e6)) {
        yk_log_ordered(YOKE_LOG_WARNING,
                       "YOKE_WATCHDOG is '%.40s'; it must be a number of seconds, at most 1000000; the watchdog is off", ordered);
        limit = 0;
    }
    if (limit > 0 && yk_cond_init(&changed) != 0)
        limit = 0;
}

/* ---- What a stream waits for ---- */

/* One stream of a chain of waits. */
typedef struct link {
    const yoke_stream *stream;
    yoke_event *awaited; /* the event it waits for, retained, which keeps the event's stream in memory; NULL: none */
} link;

/* Describe a stream's running operation. */
static void describe_running(const yoke_stream *stream, const yk_op *op, yk_text *text)
{
    char what[160];
    const yoke_event *before = op->kind == YK_OP_CALL ? op->u.call.after : NULL; /* NULL in a graph, too */
    bool drains = before && atomic_load(&before->state) == YK_EVENT_SUBMITTED;
    yk_op_text(what, sizeof what, op->kind, yk_op_lasting_name(op->kind, op));
    yk_text_add(text, "stream %s of %s is at the %s%s%s%s", stream->label, stream->device->info.selector, what,
                op->where ? " enqueued at " : "", op->where ? op->where : "",
                drains ? ", which waits until the driver completes the work before it" : "");
}

static void describe_submitted(const yoke_stream *stream, yk_text *text)
{
    char what[160];
    uint64_t done = atomic_load(&stream->done), submitted = yk_stream_submitted(stream); /* in this order: done never overtakes */
    uint64_t rest = submitted - done;
    if (rest == 0) {
        yk_text_add(text, "stream %s of %s waits until one of Yoke's threads gets a processor", stream->label,
                    stream->device->info.selector);
        return;
    }
    const yk_submitted *last = &stream->recent[(yk_stream_submitted(stream) - 1) % YK_SUBMITTED_KEPT];
    const char *where = atomic_load(&last->where);
    yk_op_text(what, sizeof what, (yk_op_kind)atomic_load(&last->kind), atomic_load(&last->name));
    yk_text_add(text, "stream %s of %s waits for the driver, which still has %llu of its operations, the last a %s%s%s",
                stream->label, stream->device->info.selector, (unsigned long long)rest, what, where ? " at " : "",
                where ? where : "");
}

static link describe(yoke_stream *stream, yk_text *text)
{
    link found = { .stream = stream };
    pthread_mutex_lock(&stream->lock);
    const yk_op *op = stream->running;
    if (op && op->kind == YK_OP_WAIT)
        found.awaited = yoke_event_retain(op->u.wait.event);
    else
        found.awaited = yoke_event_retain(stream->awaited);
    if (op)
        describe_running(stream, op, text);
    else if (stream->releasing)
        yk_text_add(text, "stream %s of %s is in the release function of a graph", stream->label, stream->device->info.selector);
    else
        describe_submitted(stream, text);
    pthread_mutex_unlock(&stream->lock);
    return found;
}

/* The links were read one after another. If each event is still deferred after the last link was read, then all of them waited at
 * one moment. Nearly every cycle that cannot end was refused when it closed (deadlock.c): in this one a wait may have a limit. */
static void describe_circle(const link *links, size_t count, yk_text *text)
{
    for (size_t i = 0; i < count; i++)
        if (!yk_event_is_deferred(links[i].awaited))
            return;
    yk_text_add(text, "which is in stream %s again: a cycle, unless one of the waits gives up", links->stream->label);
}

/* Follow the waits from this stream, until a stream waits for nothing or was met before. Submitted work does not wait for the
 * deferred operations of its stream. */
static void report(yoke_stream *first, double seconds)
{
    enum { LONGEST = 16 };
    link links[LONGEST];
    yk_text text = { 0 }, time = { 0 };
    yoke_stream *stream = first;
    size_t length = 0;
    pthread_mutex_lock(&first->lock);
    bool deferring = yk_is_deferring(first);
    pthread_mutex_unlock(&first->lock);
    while (stream && length < LONGEST) {
        const link found = describe(stream, &text);
        links[length++] = found;
        stream = NULL;
        if (!found.awaited)
            break;
        yk_text_add(&text, ", waiting for the event recorded%s%s; ", found.awaited->where ? " at " : "",
                    found.awaited->where ? found.awaited->where : "");
        if (yk_event_is_deferred(found.awaited))
            stream = found.awaited->stream;
        else
            yk_text_add(&text, "submitted to the driver on stream %s", found.awaited->stream->label);
        for (size_t i = 0; i < length && stream; i++)
            if (links[i].stream == stream) {
                describe_circle(links + i, length - i, &text);
                stream = NULL;
            }
    }
    /* The end of the submitted work is all that can be polled: progress towards it is invisible. */
    yk_text_add_decimal(&time, seconds, 1);
    yk_log_ordered(YOKE_LOG_WARNING, "stream %s of %s has %s for %s s: %s", first->label, first->device->info.selector,
                   deferring ? "made no progress" : "not completed its submitted work", yk_text_get(&time), yk_text_get(&text));
    while (length > 0)
        yoke_event_release(links[--length].awaited);
    yk_text_free(&text);
    yk_text_free(&time);
}

/* ---- Progress ---- */

/* With device->lock held: whether the driver has made progress. An event at the end of the submitted work, polled in each round. */
static bool driver_has_progressed(yoke_stream *stream)
{
    const yk_backend *backend = stream->device->backend;
    yoke_event *end = stream->watchdog.end;
    if (!end) {
        end = yk_event_take(stream, 0);
        if (end && backend->event_record(end) < 0) {
            yk_event_recycle(end);
            end = NULL;
        }
        stream->watchdog.end = end;
        return !end;
    }
    if (backend->event_query(end) == YOKE_PENDING)
        return false;
    yk_event_recycle(end);
    stream->watchdog.end = NULL;
    return true;
}

/* With device->lock held: whether the stream has made no progress for the period, which has not been reported yet. */
static bool is_stalled(yoke_stream *stream, uint64_t now, double *out_seconds)
{
    pthread_mutex_lock(&stream->lock);
    bool deferring = yk_is_deferring(stream);
    bool progressed = stream->ran != stream->watchdog.ran || stream->running != stream->watchdog.running;
    stream->watchdog.ran = stream->ran;
    stream->watchdog.running = stream->running;
    pthread_mutex_unlock(&stream->lock);
    uint64_t done = atomic_load(&stream->done);
    progressed = progressed || done != stream->watchdog.done; /* another thread has polled the driver */
    stream->watchdog.done = done;
    if (!deferring && !progressed)
        progressed = (yk_stream_is_idle(stream) && !stream->watchdog.end) || driver_has_progressed(stream);
    if (progressed || stream->watchdog.since == 0) {
        stream->watchdog.since = now;
        stream->watchdog.told = false;
        return false;
    }
    *out_seconds = (double)(now - stream->watchdog.since) * 1e-9;
    if (stream->watchdog.told || *out_seconds < limit)
        return false;
    stream->watchdog.told = true;
    return true;
}

/* Returns the stream with a use, which the caller releases without device->lock. */
static yoke_stream *find_stalled(yoke_device *device, uint64_t now, double *out_seconds)
{
    yoke_stream *found = NULL;
    pthread_mutex_lock(&device->lock);
    for (yoke_stream *stream = device->streams; stream && !found; stream = stream->next)
        if (is_stalled(stream, now, out_seconds) && yk_stream_use_if_used(stream))
            found = stream;
    pthread_mutex_unlock(&device->lock);
    return found;
}

/* ---- The thread ---- */

/* With the lock held. */
static yoke_stream *find_stalled_anywhere(double *out_seconds)
{
    yoke_stream *found = NULL;
    for (yoke_device *device = devices; device && !found; device = device->next_open)
        found = find_stalled(device, yk_now(), out_seconds);
    return found;
}

/* Nothing is released with the lock held: it may be the device's last reference, and closing the device takes the lock. */
static void watch(void *unused)
{
    double seconds = 0;
    (void)unused;
    pthread_mutex_lock(&lock);
    while (devices) {
        yoke_stream *still = find_stalled_anywhere(&seconds);
        if (!still) {
            yk_cond_wait_for(&changed, &lock, (uint64_t)(limit * 1e9 / 4));
            continue;
        }
        pthread_mutex_unlock(&lock);
        report(still, seconds);
        yk_stream_unuse(still);
        pthread_mutex_lock(&lock);
    }
    running = false;
    pthread_mutex_unlock(&lock);
}

void yk_watchdog_watch(yoke_device *device)
{
    pthread_once(&once, read_environment);
    if (limit <= 0)
        return;
    pthread_mutex_lock(&lock);
    device->next_open = devices;
    devices = device;
    if (!running && yk_thread_run(watch, NULL, "the watchdog") == YOKE_OK)
        running = true;
    else if (!running)
        yk_log_ordered(YOKE_LOG_WARNING, "the watchdog cannot be started: %s", yoke_error()->text);
    pthread_mutex_unlock(&lock);
}

void yk_watchdog_forget(yoke_device *device)
{
    pthread_once(&once, read_environment);
    if (limit <= 0)
        return;
    pthread_mutex_lock(&lock);
    yoke_device **at = &devices;
    while (*at && *at != device)
        at = &(*at)->next_open;
    if (*at)
        *at = device->next_open;
    if (!devices)
        pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}
