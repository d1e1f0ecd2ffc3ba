/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destroying what the device may still use. Nothing is noted when work is enqueued: only when something is retired away, the end of
 * every busy stream is marked, and it is destroyed when all those marks have been reached. First in, first out; a stream that is
 * retired away is marked for the last time then, so that it outlives the marks on it.
 *
 * No driver is asked and nothing is waited for with device->lock held, so that a thread which waits for memory holds up no other.
 * Whoever takes the first item keeps the others from it while its marks are asked (device->reclaim.asking); it leaves the list when
 * they have been reached, and is destroyed with the list free for others.
 */
#include "stream/retire.h"

#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/stream.h"

/* A point of a stream, which is in no older trash. */
typedef struct stream_end {
    yoke_stream *stream;
    yoke_event *end;    /* NULL: the driver has refused to record one */
    uint64_t submitted; /* how many operations the driver had been given then */
} stream_end;

struct yk_retired {
    struct yk_retired *next;
    void *object;
    void (*destroy)(void *object);
    uint64_t bytes;
    uint64_t number; /* counted from the device's first */
    size_t count;
    stream_end ends[];
};

/* What this thread is destroying, the innermost first: destroying something may throw other things away. */
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

/* ---- Marks ---- */

/* False: the driver refuses. */
static bool record(stream_end *m)
{
    m->end = yk_event_take(m->stream, 0);
    if (m->end && m->stream->device->backend->event_record(m->end) == YOKE_OK)
        return true;
    if (m->end)
        yk_event_recycle(m->end);
    m->end = NULL;
    return false;
}

/* With device->lock held. */
static stream_end mark_end(yoke_stream *stream)
{
    stream_end m = { .stream = stream, .submitted = yk_stream_submitted(stream) };
    if (!record(&m))
        yk_log(YOKE_LOG_WARNING,
               "objects that stream %s of %s uses may be kept longer, because no event can be recorded at its end: %s",
               stream->label, stream->device->info.selector, yoke_error()->text);
    return m;
}

/* Whether a mark is reached, or will never be: then the backend has waited for its stream. One that the driver has refused is tried
 * again: behind more than it has to be. */
static bool has_passed(stream_end *m, bool wait)
{
    const yk_backend *backend = m->stream->device->backend;
    if (!m->end && m->submitted <= atomic_load_explicit(&m->stream->done, memory_order_acquire))
        return true;
    if (!m->end && !record(m)) {
        if (wait)
            backend->stream_finish(m->stream);
        return wait;
    }
    yoke_status status = wait ? yk_wait_for_driver(m->end) : backend->event_query(m->end);
    if (status < 0)
        yk_log(YOKE_LOG_WARNING, "objects that stream %s of %s used are destroyed, although its work has failed: %s",
               m->stream->label, m->stream->device->info.selector, yoke_error()->text);
    return status != YOKE_PENDING;
}

/* By the thread that has the item. */
static bool is_reached(struct yk_retired *item, bool wait)
{
    while (item->count) {
        stream_end *m = &item->ends[item->count - 1];
        if (!has_passed(m, wait))
            return false;
        if (m->end)
            yk_event_recycle(m->end);
        item->count--;
    }
    return true;
}

/* ---- Taking out ---- */

/* So many bytes of the memory that counts as in use are released and retired: from now on, or no longer. */
static void count_leaving(yoke_device *device, uint64_t bytes, bool more)
{
    if (bytes == 0)
        return;
    yk_light_lock(&device->pool.lock);
    device->pool.leaving += more ? bytes : 0 - bytes;
    yk_light_unlock(&device->pool.lock);
}

/* With device->lock held, which is free meanwhile: the first item, which nobody has. Returns whether it is destroyed. */
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

/* A thread that is destroying something has a loop further out, which goes on with what this leaves. */
void yk_reclaim_finished(yoke_device *device)
{
    if (!atomic_load_explicit(&device->retired, memory_order_relaxed) || is_destroying_of(device))
        return;
    YK_UNCANCELLED;
    yoke_error_info before = *yoke_error(); /* whatever is found here is no failure of the caller's */
    pthread_mutex_lock(&device->lock);
    while (atomic_load(&device->retired) && !device->reclaim.asking && reclaim_first(device, false))
        continue;
    pthread_mutex_unlock(&device->lock);
    yk_error_restore(&before);
}

/* With device->lock held, which is free meanwhile: everything up to this number. Returns whether there was anything. */
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

/* With device->lock held, which is free meanwhile: what others are about at the call. A thread that is destroying something itself
 * may be what they wait for, so it does not wait for them. */
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
    pthread_mutex_lock(&device->lock);
    bool any = wait_for_items(device, device->reclaim.retired);
    any = wait_for_others(device) || any;
    pthread_mutex_unlock(&device->lock);
    yk_error_restore(&before);
    return any;
}

/* ---- Who uses what is retired away ---- */

/* With device->lock held: the first stream that may use what is retired away, and the next one. One that is retired away itself has
 * its place in the queue already. */
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
        idle = !yk_is_deferring(stream) && yk_stream_is_idle(stream); /* a worker may be giving the driver something just now */
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

/* ---- Throwing away ---- */

typedef enum place { NOWHERE, IN_THE_LIST, NO_MEMORY } place;

/* With device->lock held. NULL when out of memory. */
static struct yk_retired *mark_busy_streams(yoke_device *device, size_t busy, unsigned stream_id)
{
    struct yk_retired *item = calloc(1, sizeof *item + busy * sizeof item->ends[0]);
    yoke_stream *stream = item ? first_user(device, stream_id) : NULL;
    for (; stream && item->count < busy; stream = next_user(stream, stream_id))
        if (!yk_stream_is_idle(stream))
            item->ends[item->count++] = mark_end(stream);
    return item;
}

/* With device->lock held. NOWHERE: it may be destroyed at once. */
static place put_away(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes)
{
    size_t busy = 0;
    for (yoke_stream *stream = first_user(device, stream_id); stream; stream = next_user(stream, stream_id))
        busy += !yk_stream_is_idle(stream);
    bool retired = stream_id == YK_MANY_STREAMS ? atomic_load(&device->retired) != NULL : !yk_stream_id_is_done(device, stream_id);
    if (busy == 0 && !retired)
        return NOWHERE;
    struct yk_retired *item = mark_busy_streams(device, busy, stream_id);
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

/* A stream that is busy, by its number, kept for the caller; `own` is his already. One that is on its way into the trash and cannot
 * be kept is waited for here, with device->lock held. False behind the last. */
static bool keep_busy(yoke_device *device, unsigned index, unsigned stream_id, const yoke_stream *own, yoke_stream **out_stream)
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

/* With device->lock held: take the stream from its device's streams. */
static void unlink_stream(yoke_stream *stream)
{
    stream->retired = true;
    if (stream->watchdog.mark)
        yk_event_recycle(stream->watchdog.mark);
    stream->watchdog.mark = NULL;
    if (stream->next)
        stream->next->previous = stream->previous;
    if (stream->previous)
        stream->previous->next = stream->next;
    else
        stream->device->streams = stream->next;
}

/* Without memory to remember its users by, wait for them here. `own`: the stream that is retired away, or NULL; it leaves its
 * device before the marks on it are waited for. */
static void finish_users(yoke_device *device, unsigned stream_id, yoke_stream *own)
{
    yoke_stream *stream;
    for (unsigned i = 0; keep_busy(device, i, stream_id, own, &stream); i++) {
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

static void throw_away(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes,
                       yoke_stream *unlink)
{
    yoke_error_info before = *yoke_error();
    pthread_mutex_lock(&device->lock);
    place where = put_away(device, object, destroy, stream_id, bytes);
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
    throw_away(device, object, destroy, stream_id, bytes, NULL);
}

/* Empties nothing: what is being emptied may have used the stream last, one after the other. */
void yk_retire_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream))
{
    throw_away(device, stream, destroy, YK_MANY_STREAMS, 0, stream);
}
