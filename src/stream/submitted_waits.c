/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for events of other streams that were submitted to the driver. Drivers do not pass a failure on to work that waits for it,
 * or not with its reason. So the events are checked once the wait is over.
 */
#include <stdlib.h>

#include <yoke/native.h>
#include <yoke/library.h>

#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/retire.h"

struct yk_submitted_wait {
    struct yk_submitted_wait *next;
    yoke_event *event;
    yk_failure *failure; /* replaces the event once the event's stream has recovered from it: for events of that epoch */
    uint64_t number;     /* of the wait among the stream's operations, or of an earlier operation */
    unsigned epoch;
    bool older; /* stands for the failed waits of older epochs, too, and has the smallest of their numbers */
};

/* After this many recoveries, hardly any event is queried for the first time. All of those behind the first failure of these epochs
 * have failed, with the newest: which of them are between failures is no longer known, and no failure may be lost. */
enum { EPOCHS_KEPT = 16 };

static void free_wait(struct yk_submitted_wait *wait)
{
    yoke_event_release(wait->event);
    yk_failure_release(wait->failure);
    free(wait);
}

/* Whether the event is known to have succeeded; may be NULL. */
static bool has_succeeded(const yoke_event *event)
{
    return event && atomic_load_explicit(&event->state, memory_order_acquire) == YK_EVENT_COMPLETE &&
           !atomic_load_explicit(&event->failure, memory_order_relaxed);
}

/* Forget the waits of this event (may be NULL), the waits before operation `end`, those of old epochs, and, where `succeeded`,
 * those for events that have succeeded. */
static void forget(yoke_stream *stream, const yoke_event *event, uint64_t end, bool succeeded)
{
    unsigned epoch = atomic_load(&stream->epoch);
    struct yk_submitted_wait *forgotten = NULL, *kept = NULL, *wait, *next;
    struct yk_submitted_wait **last = &kept;
    unsigned gone = 0;
    struct yk_submitted_wait *old = NULL;
    yk_light_lock(&stream->spare_lock);
    for (wait = atomic_load(&stream->waits); wait; wait = next) {
        bool goes = (event && wait->event == event) || (succeeded && has_succeeded(wait->event)) || wait->number < end;
        next = wait->next;
        if (!goes && epoch - wait->epoch >= EPOCHS_KEPT) {
            goes = old || !wait->failure;
            if (!goes) {
                wait->older = true;
                old = wait;
            } else if (old && wait->failure && wait->number < old->number) {
                old->number = wait->number;
            }
        }
        if (goes) {
            wait->next = forgotten;
            forgotten = wait;
            gone++;
        } else { /* in the same order: a thread may be going through the list by index */
            *last = wait;
            last = &wait->next;
        }
    }
    *last = NULL;
    atomic_fetch_sub(&stream->wait_count, gone);
    if (!kept)
        atomic_store(&stream->thin_at, 0);
    atomic_store(&stream->waits, kept);
    yk_light_unlock(&stream->spare_lock);
    for (wait = forgotten; wait; wait = next) {
        next = wait->next;
        free_wait(wait);
    }
}

static void forget_waits(yoke_stream *stream, const yoke_event *event, uint64_t end)
{
    forget(stream, event, end, false);
}

static void keep_wait(yoke_stream *stream, struct yk_submitted_wait *wait)
{
    yk_light_lock(&stream->spare_lock);
    wait->next = atomic_load(&stream->waits);
    atomic_store(&stream->waits, wait);
    atomic_fetch_add(&stream->wait_count, 1);
    yk_light_unlock(&stream->spare_lock);
}

/* All that is behind what is known to be done fails as if it were behind a wait for an event that has failed. */
yoke_status yoke_native_fail_at(const char *where, yoke_stream *stream, yoke_status status)
{
    YK_FUNCTION(yoke_native_fail);
    YK_CHECK(stream, YK_STREAM, function, "stream");
    if (status >= 0)
        return yk_attribute(function, where,
                            yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: status is %d, which is no failure", function, (int)status));
    yoke_error_info record = *yoke_error();
    struct yk_submitted_wait *wait = calloc(1, sizeof *wait);
    unsigned epoch = atomic_load_explicit(&stream->epoch, memory_order_relaxed);
    if (record.status != status)
        yk_fail(status, "stream %s was failed with yoke_native_fail", stream->label);
    if (wait) {
        wait->number = atomic_load(&stream->done);
        wait->epoch = epoch;
        wait->failure = yk_stream_inherit_in(stream, epoch, where, status); /* a status from elsewhere: no device is lost by it */
        keep_wait(stream, wait);
    } else {
        yk_stream_inherit(stream, where, status);
    }
    yk_error_restore(&record);
    return wait ? YOKE_OK : yk_attribute(function, where, yk_no_memory("the failure of what has been submitted"));
}

void yk_stream_forget_waits(yoke_stream *stream)
{
    forget_waits(stream, NULL, UINT64_MAX);
}

/* A copy of the oldest wait before operation number `end` of that epoch: its event or failure is retained. False: there is none.
 * The oldest, because an event is polled with the waits before it: two streams that wait for each other many times would be as
 * many calls inside each other. */
static bool wait_before(yoke_stream *stream, uint64_t end, unsigned epoch, struct yk_submitted_wait *out_wait)
{
    yk_light_lock(&stream->spare_lock);
    struct yk_submitted_wait *wait = NULL;
    for (struct yk_submitted_wait *each = atomic_load(&stream->waits); each; each = each->next)
        if (each->number < end && (each->older ? each->epoch >= epoch : each->epoch == epoch))
            wait = each; /* the newest come first */
    if (wait) {
        *out_wait = *wait;
        yoke_event_retain(wait->event);
        if (wait->failure)
            yk_failure_retain(wait->failure);
    }
    yk_light_unlock(&stream->spare_lock);
    return wait != NULL;
}

/* A failed wait is kept: everything behind it has failed, and any number of threads may query that, in any order, before the stream
 * recovers and after. */
yoke_status yk_stream_check_waits(yoke_stream *stream, uint64_t end, unsigned epoch)
{
    yoke_status status = YOKE_OK;
    struct yk_submitted_wait wait;
    while (status >= 0 && wait_before(stream, end, epoch, &wait)) {
        status = wait.failure ? yk_failure_report(wait.failure) : yk_event_poll(wait.event);
        if (status >= 0)
            forget_waits(stream, wait.event, 0);
        if (wait.older)
            yk_error_append("; stream %s has recovered %d times and more since it had the event, which may have succeeded: query "
                            "events earlier",
                            stream->label, EPOCHS_KEPT);
        yk_failure_release(wait.failure);
        yoke_event_release(wait.event);
    }
    return status < 0 ? status : YOKE_OK;
}

static void end_waits(void *object)
{
    yoke_stream *stream = object;
    yoke_error_info before = *yoke_error();
    yoke_status status = yk_stream_check_waits(stream, UINT64_MAX, atomic_load(&stream->epoch));
    if (status < 0)
        yk_stream_inherit(stream, NULL, status);
    yk_stream_forget_waits(stream); /* or two streams would keep each other */
    yk_error_restore(&before);
    yk_stream_unuse(stream);
}

void yk_stream_end_waits(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    if (!atomic_load(&stream->waits))
        return;
    yk_object_retain(device);
    yk_stream_use(stream);
    yk_retire(device, stream, end_waits, stream->id, 0);
    yk_device_put(device); /* reclaims the retired objects when only they keep the device */
}

/* The event of the stream's wait with this index, retained; NULL: the index is out of range. */
static yoke_event *awaited(yoke_stream *stream, size_t index)
{
    yk_light_lock(&stream->spare_lock);
    struct yk_submitted_wait *wait = atomic_load(&stream->waits);
    while (wait && (!wait->event || index-- > 0))
        wait = wait->next;
    yoke_event *event = wait ? yoke_event_retain(wait->event) : NULL;
    yk_light_unlock(&stream->spare_lock);
    return event;
}

enum { WAITS_AT_ONCE = 64 };

/* The events of so many waits, from the one with this index on, retained. Returns how many there are. */
static size_t some_awaited(yoke_stream *stream, size_t index, yoke_event *events[WAITS_AT_ONCE])
{
    size_t count = 0;
    yk_light_lock(&stream->spare_lock);
    for (struct yk_submitted_wait *wait = atomic_load(&stream->waits); wait && count < WAITS_AT_ONCE; wait = wait->next)
        if (wait->event && (index == 0 || index-- == 0))
            events[count++] = yoke_event_retain(wait->event);
    yk_light_unlock(&stream->spare_lock);
    return count;
}

/* Poll these events and release them; returns how many have not succeeded. */
static size_t poll_awaited(yoke_event *const *events, size_t count)
{
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        left += yk_event_poll(events[i]) != YOKE_OK;
        yoke_event_release(events[i]);
    }
    return left;
}

/* On a stream that is never waited for, waits would pile up: forget those that have succeeded. The others stay in place, for
 * threads that read the list now. They are asked for again once there are twice as many, so that a wait is asked for a few times at
 * most, however long it lasts. */
void yk_stream_thin_out_waits(yoke_stream *stream)
{
    unsigned count = atomic_load_explicit(&stream->wait_count, memory_order_relaxed);
    if (count < WAITS_AT_ONCE || count < atomic_load_explicit(&stream->thin_at, memory_order_relaxed))
        return;
    yoke_error_info before = *yoke_error(); /* a failure found here is told where it arrives */
    yoke_event *events[WAITS_AT_ONCE];
    size_t index = 0, some;
    do {
        some = some_awaited(stream, index, events);
        size_t left = poll_awaited(events, some);
        if (left < some)
            forget(stream, NULL, 0, true);
        index += left;
    } while (some == WAITS_AT_ONCE);
    atomic_store(&stream->thin_at, 2 * atomic_load(&stream->wait_count));
    yk_error_restore(&before);
}

yoke_status yk_stream_submit_wait(yoke_stream *stream, yoke_event *event)
{
    struct yk_submitted_wait *wait = calloc(1, sizeof *wait);
    if (!wait)
        return yk_no_memory("a wait for an event");
    wait->event = yoke_event_retain(event);
    wait->number = yk_stream_submitted(stream);
    wait->epoch = atomic_load_explicit(&stream->epoch, memory_order_relaxed);
    keep_wait(stream, wait);
    yoke_status status = stream->device->backend->stream_wait_event(stream, event);
    if (status < 0)
        forget_waits(stream, event, 0);
    return status;
}

/* ---- The end of an epoch ---- */

/* In the waits for this event, replace the event by its failure. */
static void keep_failure(yoke_stream *stream, yoke_event *event, yk_failure *failure)
{
    unsigned replaced = 0;
    yk_light_lock(&stream->spare_lock);
    for (struct yk_submitted_wait *wait = atomic_load(&stream->waits); wait; wait = wait->next)
        if (wait->event == event) {
            wait->failure = yk_failure_retain(failure);
            wait->event = NULL;
            replaced++;
        }
    yk_light_unlock(&stream->spare_lock);
    while (replaced-- > 0)
        yoke_event_release(event);
}

/* A failed wait stays visible throughout: other threads may be checking. */
void yk_stream_end_epoch_of_waits(yoke_stream *stream)
{
    yoke_event *event;
    while ((event = awaited(stream, 0))) {
        yk_failure *failure = yk_event_poll(event) < 0 ? atomic_load(&event->failure) : NULL;
        if (failure)
            keep_failure(stream, event, failure);
        else
            forget_waits(stream, event, 0);
        yoke_event_release(event);
    }
    forget_waits(stream, NULL, 0);
}
