/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deferred destruction of objects that the device may still use. Enqueueing notes nothing: when an object is retired, an event is
 * recorded at the end of every busy stream that may use it, unless an object before it waits for such an event already, and the
 * object is destroyed once all these events have completed. First in, first out; the last of these events on a stream are recorded
 * when the stream itself is retired, so that the stream outlives them.
 *
 * No driver is queried and nothing is waited for with device->lock held, so that a thread that waits for memory blocks no other. A
 * thread that checks the first item keeps other threads from that item (device->reclaim.asking). The item leaves the list when its
 * events have completed, and is destroyed while the list is free for other threads.
 */
#include "stream/retire.h"

#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/stream.h"

/* A point in a stream: the end of its submitted work when an object was retired. */
typedef struct stream_end {
    yoke_stream *stream;
    yoke_event *end;    /* NULL: the driver has refused to record an event */
    uint64_t submitted; /* operations submitted by then */
} stream_end;

struct yk_retired {
    struct yk_retired *next;
    void *object;
    void (*destroy)(void *object);
    uint64_t bytes;
    uint64_t number; /* position in the order of the device's retirements */
    size_t count;
    stream_end ends[];
};

/* What this thread is destroying, innermost first: destroying an object may retire others. */
typedef struct destroying {
    const yoke_device *device;
    const struct destroying *outer;
} destroying;

static _Thread_local const destroying *mine;

static bool is_destroying_of(const yoke_device *device)
{
    const destroying *at = mine;
    while (at && at->device != device)
        at = at->outer;
    return at != NULL;
}

/* ---- Ends of streams ---- */

/* False: the driver refuses to record an event. */
static bool record_point(stream_end *at)
{
    at->end = yk_event_take(at->stream, 0);
    if (at->end && at->stream->device->backend->event_record(at->end) == YOKE_OK)
        return true;
    if (at->end)
        yk_event_recycle(at->end);
    at->end = NULL;
    return false;
}

/* With device->lock held. */
static stream_end point_at_end(yoke_stream *stream)
{
    stream_end at = { .stream = stream, .submitted = yk_stream_submitted(stream) };
    if (!record_point(&at))
        yk_log(YOKE_LOG_WARNING,
               "objects that stream %s of %s uses may be kept longer, because no event can be recorded at its end: %s",
               stream->label, stream->device->info.selector, yoke_error()->text);
    return at;
}

/* Whether the stream has passed the point; also true when it never will, and the backend has waited for the stream. What a wait has
 * proven needs no question: the driver may tell of the point's own event later than of the one that was waited for. A point without
 * an event is recorded again, later in the stream than necessary. */
static bool has_completed(stream_end *at, bool wait)
{
    const yk_backend *backend = at->stream->device->backend;
    if (at->submitted <= atomic_load_explicit(&at->stream->done, memory_order_acquire))
        return true;
    if (!at->end && !record_point(at)) {
        if (wait)
            backend->stream_finish(at->stream);
        return wait;
    }
    yoke_status status = wait ? yk_wait_for_driver(at->end) : backend->event_query(at->end);
    if (status < 0)
        yk_log(YOKE_LOG_WARNING, "objects that stream %s of %s used are destroyed, although its work has failed: %s",
               at->stream->label, at->stream->device->info.selector, yoke_error()->text);
    return status != YOKE_PENDING;
}

/* Whether the stream has nothing left that a retired object would have to wait for: as far as is known from waits for the stream,
 * or from the points that objects before have waited for. */
static bool is_past(const yoke_stream *stream)
{
    return yk_stream_is_idle(stream) ||
           atomic_load_explicit(&stream->last_point.passed, memory_order_acquire) == yk_stream_submitted(stream);
}

/* Called by the thread that checks the item, which is the only one. */
static bool is_reached(struct yk_retired *item, bool wait)
{
    while (item->count) {
        stream_end *at = &item->ends[item->count - 1];
        if (!has_completed(at, wait))
            return false;
        atomic_store_explicit(&at->stream->last_point.passed, at->submitted, memory_order_release);
        if (at->end)
            yk_event_recycle(at->end);
        item->count--;
    }
    return true;
}

/* ---- Reclaiming ---- */

/* Count bytes of in-use memory as retired (`more`), or no longer. */
static void count_leaving(yoke_device *device, uint64_t bytes, bool more)
{
    if (bytes == 0)
        return;
    yk_light_lock(&device->pool.lock);
    device->pool.leaving += more ? bytes : 0 - bytes;
    yk_light_unlock(&device->pool.lock);
}

/* With device->lock held, released meanwhile: reclaim the first item, which no other thread is checking. Returns whether it was
 * destroyed. */
static bool reclaim_first(yoke_device *device, bool wait)
{
    struct yk_retired *item = atomic_load(&device->retired);
    device->reclaim.asking = true;
    pthread_mutex_unlock(&device->lock);
    bool reached = is_reached(item, wait);
    pthread_mutex_lock(&device->lock);
    device->reclaim.asking = false;
    if (reached) {
        atomic_store(&device->retired, item->next);
        if (!item->next)
            device->retired_last = NULL;
        yk_reclaim_begin(device);
    }
    pthread_cond_broadcast(&device->reclaim.changed);
    if (!reached)
        return false;
    pthread_mutex_unlock(&device->lock);
    destroying inner = { .device = device, .outer = mine };
    mine = &inner;
    item->destroy(item->object);
    mine = inner.outer;
    count_leaving(device, item->bytes, false);
    free(item);
    yk_reclaim_end(device, true);
    pthread_mutex_lock(&device->lock);
    return true;
}

void yk_reclaim_begin(yoke_device *device)
{
    atomic_fetch_add(&device->reclaim.begun, 1);
}

void yk_reclaim_end(yoke_device *device, bool gained)
{
    pthread_mutex_lock(&device->lock);
    if (gained)
        atomic_fetch_add(&device->reclaim.gained, 1);
    atomic_fetch_add(&device->reclaim.ended, 1);
    pthread_cond_broadcast(&device->reclaim.changed);
    pthread_mutex_unlock(&device->lock);
}

uint64_t yk_reclaim_gained(const yoke_device *device)
{
    return atomic_load(&device->reclaim.gained);
}

/* While this thread destroys an object, its outer loop reclaims what this call leaves. */
void yk_reclaim_finished(yoke_device *device)
{
    if (!atomic_load_explicit(&device->retired, memory_order_relaxed) || is_destroying_of(device))
        return;
    YK_UNCANCELLED;
    yoke_error_info before = *yoke_error(); /* a failure found here is not the caller's */
    pthread_mutex_lock(&device->lock);
    while (atomic_load(&device->retired) && !device->reclaim.asking && reclaim_first(device, false))
        continue;
    pthread_mutex_unlock(&device->lock);
    yk_error_restore(&before);
}

/* With device->lock held, released meanwhile: reclaim all items up to this number. Returns whether there were any. */
static bool wait_for_items(yoke_device *device, uint64_t last)
{
    bool any = false;
    struct yk_retired *item;
    for (; (item = atomic_load(&device->retired)) && item->number <= last; any = true) {
        if (device->reclaim.asking)
            pthread_cond_wait(&device->reclaim.changed, &device->lock);
        else
            reclaim_first(device, true);
    }
    return any;
}

/* With device->lock held, released meanwhile: wait for the reclaims that other threads have begun. A thread that is destroying an
 * object does not wait: other threads may be waiting for it. */
static bool wait_for_others(yoke_device *device)
{
    uint64_t begun = atomic_load(&device->reclaim.begun);
    if (mine || atomic_load(&device->reclaim.ended) >= begun)
        return false;
    while (atomic_load(&device->reclaim.ended) < begun)
        pthread_cond_wait(&device->reclaim.changed, &device->lock);
    return true;
}

bool yk_reclaim_wait(yoke_device *device)
{
    YK_UNCANCELLED;
    yoke_error_info before = *yoke_error();
    atomic_fetch_add(&device->reclaim.wanted, 1);
    pthread_mutex_lock(&device->lock);
    bool any = wait_for_items(device, device->reclaim.retired);
    any = wait_for_others(device) || any;
    pthread_mutex_unlock(&device->lock);
    atomic_fetch_sub(&device->reclaim.wanted, 1);
    yk_error_restore(&before);
    return any;
}

/* ---- The streams that use a retired object ---- */

/* With device->lock held: the first stream that may use the retired object, and the next. Retired streams are skipped: they are in
 * the list already. */
static yoke_stream *first_user(const yoke_device *device, unsigned stream_id)
{
    if (stream_id == YK_MANY_STREAMS)
        return device->streams;
    yoke_stream *stream = device->streams_by_id[stream_id - 1];
    return stream && !stream->retired ? stream : NULL;
}

static yoke_stream *next_user(const yoke_stream *stream, unsigned stream_id)
{
    return stream_id == YK_MANY_STREAMS ? stream->next : NULL;
}

bool yk_stream_id_is_done(const yoke_device *device, unsigned stream_id)
{
    const yoke_stream *stream = stream_id != YK_NO_STREAM ? device->streams_by_id[stream_id - 1] : NULL;
    return !stream || (!stream->retired && yk_stream_is_idle(stream));
}

bool yk_device_is_idle(yoke_device *device)
{
    pthread_mutex_lock(&device->lock);
    bool idle = !atomic_load(&device->retired);
    for (yoke_stream *stream = device->streams; stream && idle; stream = stream->next) {
        pthread_mutex_lock(&stream->lock);
        idle = !yk_is_deferring(stream) && yk_stream_is_idle(stream); /* a worker may be submitting an operation now */
        pthread_mutex_unlock(&stream->lock);
    }
    pthread_mutex_unlock(&device->lock);
    return idle;
}

uint64_t yk_device_submitted(yoke_device *device)
{
    uint64_t submitted = 0;
    pthread_mutex_lock(&device->lock);
    for (yoke_stream *stream = device->streams; stream; stream = stream->next)
        submitted += yk_stream_submitted(stream);
    pthread_mutex_unlock(&device->lock);
    return submitted;
}

/* ---- Retiring ---- */

typedef enum place { NOWHERE, IN_THE_LIST, NO_MEMORY } place;

/* With device->lock held: whether an item before the new one waits for everything that the stream has submitted. The new item is
 * destroyed after that item, and needs no point of its own: so many objects retired beside many busy streams record one event for
 * each operation at most. */
static bool has_point(const yoke_device *device, const yoke_stream *stream)
{
    const struct yk_retired *first = atomic_load(&device->retired);
    return first && stream->last_point.item >= first->number && stream->last_point.submitted == yk_stream_submitted(stream);
}

/* With device->lock held: a new item with the ends of the busy streams. NULL when out of memory. Threads enqueue meanwhile, so
 * there has to be room for every stream: any of `users` may have become busy since it was last looked at. */
static struct yk_retired *new_item(yoke_device *device, size_t users, unsigned stream_id)
{
    struct yk_retired *item = calloc(1, sizeof *item + users * sizeof item->ends[0]);
    yoke_stream *stream = item ? first_user(device, stream_id) : NULL;
    for (; stream; stream = next_user(stream, stream_id)) {
        if (is_past(stream) || has_point(device, stream))
            continue;
        item->ends[item->count] = point_at_end(stream);
        stream->last_point.item = device->reclaim.retired + 1;
        stream->last_point.submitted = item->ends[item->count++].submitted;
    }
    return item;
}

/* With device->lock held. NOWHERE: the object may be destroyed at once. `last`: no earlier item may be left, since any may have a
 * point in the stream that is retired. */
static place append(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes, bool last)
{
    size_t users = 0;
    bool busy = false;
    for (yoke_stream *stream = first_user(device, stream_id); stream; stream = next_user(stream, stream_id)) {
        busy = busy || !is_past(stream);
        users++;
    }
    last = last || stream_id == YK_MANY_STREAMS;
    bool retired = last ? atomic_load(&device->retired) != NULL : !yk_stream_id_is_done(device, stream_id);
    if (!busy && !retired)
        return NOWHERE;
    struct yk_retired *item = new_item(device, users, stream_id);
    if (!item)
        return NO_MEMORY;
    item->object = object;
    item->destroy = destroy;
    item->bytes = bytes;
    item->number = ++device->reclaim.retired;
    count_leaving(device, bytes, true);
    if (device->retired_last)
        device->retired_last->next = item;
    else
        atomic_store(&device->retired, item);
    device->retired_last = item;
    return IN_THE_LIST;
}

/* Get a busy stream by index, with a use for the caller; `own` already belongs to the caller. A stream whose last use is gone is
 * waited for here, with device->lock held. False: the index is out of range. */
static bool use_busy_stream(yoke_device *device, unsigned index, unsigned stream_id, const yoke_stream *own,
                            yoke_stream **out_stream)
{
    *out_stream = NULL;
    pthread_mutex_lock(&device->lock);
    bool more = index < device->stream_id_count;
    yoke_stream *stream = more && (stream_id == YK_MANY_STREAMS || stream_id == index + 1) ? device->streams_by_id[index] : NULL;
    if (stream && !stream->retired && !yk_stream_is_idle(stream)) {
        if (stream == own || yk_stream_use_if_used(stream))
            *out_stream = stream;
        else
            device->backend->stream_finish(stream);
    }
    pthread_mutex_unlock(&device->lock);
    return more;
}

/* With device->lock held: remove the stream from the device's list. */
static void unlink_stream(yoke_stream *stream)
{
    stream->retired = true;
    if (stream->watchdog.end)
        yk_event_recycle(stream->watchdog.end);
    stream->watchdog.end = NULL;
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        stream->device->streams = stream->next;
}

/* Without memory for an item, wait for the streams here. `own`: the stream being retired, or NULL; it leaves its device before the
 * items that may use it are waited for. */
static void finish_users(yoke_device *device, unsigned stream_id, yoke_stream *own)
{
    yoke_stream *stream;
    for (unsigned i = 0; use_busy_stream(device, i, stream_id, own, &stream); i++) {
        if (stream)
            device->backend->stream_finish(stream);
        if (stream && stream != own)
            yk_stream_unuse(stream);
    }
    pthread_mutex_lock(&device->lock);
    if (own)
        unlink_stream(own);
    wait_for_items(device, device->reclaim.retired);
    pthread_mutex_unlock(&device->lock);
}

static void retire(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes,
                   yoke_stream *unlink)
{
    yoke_error_info before = *yoke_error();
    pthread_mutex_lock(&device->lock);
    place where = append(device, object, destroy, stream_id, bytes, unlink != NULL);
    if (unlink && where != NO_MEMORY)
        unlink_stream(unlink);
    pthread_mutex_unlock(&device->lock);
    if (where == NO_MEMORY)
        finish_users(device, stream_id, unlink);
    yk_error_restore(&before);
    if (where != IN_THE_LIST)
        destroy(object);
}

void yk_retire(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes)
{
    if (stream_id == YK_NO_STREAM) {
        destroy(object);
        return;
    }
    yk_reclaim_finished(device);
    retire(device, object, destroy, stream_id, bytes, NULL);
}

/* ---- Until the device is idle ---- */

typedef struct put_off {
    yoke_device *device;
    void *object;
    void (*destroy)(void *object);
    bool memory;
    uint64_t bytes;
    uint64_t submitted; /* operations submitted to all streams of the device when it was last put off */
} put_off;

/* Everything submitted before has run. What has been submitted since may be running now: then put off again. */
static void destroy_if_idle(void *object)
{
    put_off *p = object;
    yoke_device *device = p->device;
    uint64_t submitted = yk_device_submitted(device);
    if (submitted != p->submitted && !(p->memory && atomic_load(&device->reclaim.wanted) > 0)) {
        p->submitted = submitted;
        yk_retire(device, p, destroy_if_idle, YK_MANY_STREAMS, p->bytes);
        return;
    }
    p->destroy(p->object);
    free(p);
}

void yk_retire_until_idle(yoke_device *device, void *object, void (*destroy)(void *object), bool memory, uint64_t bytes)
{
    put_off *p = malloc(sizeof *p);
    if (!p) {
        yk_retire(device, object, destroy, YK_MANY_STREAMS, bytes);
        return;
    }
    *p = (put_off){ device, object, destroy, memory, bytes, yk_device_submitted(device) };
    yk_retire(device, p, destroy_if_idle, YK_MANY_STREAMS, bytes);
}

/* ---- Streams ---- */

/* Only its own work keeps a stream: what other streams wait for are events, which keep what they need. Reclaims nothing: each
 * reclaimed object may have held the last use of the next stream, and this would recurse. */
void yk_retire_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream))
{
    retire(device, stream, destroy, stream->id, 0, stream);
}
