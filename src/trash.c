/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Destroying what the device may still use. Nothing is noted when work is enqueued: only when something is thrown away, the end of
 * every busy stream is marked, and it is destroyed when all those marks have been reached. First in, first out; a stream that is
 * thrown away is marked for the last time then, so that it outlives the marks on it.
 */
#include "trash.h"

#include <stdlib.h>

#include "backend.h"
#include "event.h"
#include "settle.h"
#include "stream.h"

struct yk_trash {
    struct yk_trash *next;
    void *object;
    void (*destroy)(void *object);
    size_t count;
    yoke_event *ends[]; /* their streams are in no older trash */
};

/* With device->lock held. NULL when the stream cannot be marked: then it has been waited for. */
static yoke_event *mark(yoke_stream *stream)
{
    yoke_device *device = stream->device;
    yoke_event *end = yk_event_take(stream, 0);
    if (end && device->backend->event_record(end) == YOKE_OK)
        return end;
    yk_log(YOKE_LOG_WARNING, "stream %s of %s has to be waited for to release what it uses: %s", stream->label,
           device->info.selector, yoke_error()->text);
    if (end)
        yk_event_give_back(end);
    device->backend->stream_finish(stream);
    return NULL;
}

/* Whether a mark is reached, or will never be: then the backend has waited for its stream. */
static bool has_passed(yoke_event *end, bool wait)
{
    yoke_status status = wait ? yk_wait_for_mark(end) : end->stream->device->backend->event_query(end);
    if (status < 0)
        yk_log(YOKE_LOG_WARNING, "what stream %s of %s used is destroyed, though its work has failed: %s", end->stream->label,
               end->stream->device->info.selector, yoke_error()->text);
    return status != YOKE_PENDING;
}

/* With device->lock held: the first stream that may use what is thrown away, and the next one. One that is thrown away itself has
 * its place in the queue already. */
static yoke_stream *first_user(const yoke_device *device, unsigned user)
{
    if (user == YK_MANY)
        return device->streams;
    yoke_stream *stream = device->users[user - 1];
    return stream && !stream->thrown ? stream : NULL;
}

static yoke_stream *next_user(const yoke_stream *stream, unsigned user)
{
    return user == YK_MANY ? stream->next : NULL;
}

/* With device->lock held. NULL when out of memory. */
static struct yk_trash *mark_busy_streams(yoke_device *device, size_t busy, unsigned user)
{
    struct yk_trash *item = calloc(1, sizeof *item + busy * sizeof item->ends[0]);
    yoke_stream *stream = item ? first_user(device, user) : NULL;
    for (; stream && item->count < busy; stream = next_user(stream, user)) {
        yoke_event *end = !yk_stream_is_idle(stream) ? mark(stream) : NULL;
        if (end)
            item->ends[item->count++] = end;
    }
    return item;
}

/* With device->lock held: without memory to remember the marks by, wait for them here. */
static void wait_for_busy_streams(yoke_device *device, unsigned user)
{
    for (yoke_stream *stream = first_user(device, user); stream; stream = next_user(stream, user)) {
        yoke_event *end = !yk_stream_is_idle(stream) ? mark(stream) : NULL;
        if (end) {
            (void)has_passed(end, true);
            yk_event_give_back(end);
        }
    }
}

/* With device->lock held. */
static bool is_reached(struct yk_trash *item, bool wait)
{
    while (item->count) {
        yoke_event *end = item->ends[item->count - 1];
        if (!has_passed(end, wait))
            return false;
        yk_event_give_back(end);
        item->count--;
    }
    return true;
}

static bool empty(yoke_device *device, bool wait)
{
    YK_UNCANCELLED;
    bool any = false;
    yoke_error_info before = *yoke_error(); /* whatever is found here is no failure of the caller's */
    for (;;) {
        pthread_mutex_lock(&device->lock);
        struct yk_trash *item = atomic_load(&device->trash);
        if (!item || !is_reached(item, wait)) {
            pthread_mutex_unlock(&device->lock);
            break;
        }
        atomic_store(&device->trash, item->next);
        if (!item->next)
            device->trash_last = NULL;
        pthread_mutex_unlock(&device->lock);
        item->destroy(item->object);
        free(item);
        any = true;
    }
    yk_error_restore(&before);
    return any;
}

void yk_trash_empty(yoke_device *device)
{
    if (atomic_load_explicit(&device->trash, memory_order_relaxed))
        empty(device, false);
}

bool yk_trash_wait(yoke_device *device)
{
    return atomic_load_explicit(&device->trash, memory_order_relaxed) && empty(device, true);
}

bool yk_user_is_done(const yoke_device *device, unsigned user)
{
    const yoke_stream *stream = user != YK_NOBODY ? device->users[user - 1] : NULL;
    return !stream || (!stream->thrown && yk_stream_is_idle(stream));
}

/* With device->lock held. Whether it may be destroyed at once. */
static bool put_away(yoke_device *device, void *object, void (*destroy)(void *object), unsigned user)
{
    size_t busy = 0;
    for (yoke_stream *stream = first_user(device, user); stream; stream = next_user(stream, user))
        busy += !yk_stream_is_idle(stream);
    bool thrown = user == YK_MANY ? atomic_load(&device->trash) != NULL : !yk_user_is_done(device, user);
    if (busy == 0 && !thrown)
        return true;
    struct yk_trash *item = mark_busy_streams(device, busy, user);
    if (!item) {
        wait_for_busy_streams(device, user);
        return true;
    }
    item->object = object;
    item->destroy = destroy;
    if (device->trash_last)
        device->trash_last->next = item;
    else
        atomic_store(&device->trash, item);
    device->trash_last = item;
    return false;
}

static void throw_away(yoke_device *device, void *object, void (*destroy)(void *object), unsigned user, yoke_stream *unlink)
{
    yoke_error_info before = *yoke_error();
    pthread_mutex_lock(&device->lock);
    bool now = put_away(device, object, destroy, user);
    if (unlink)
        yk_stream_unlink(unlink);
    pthread_mutex_unlock(&device->lock);
    yk_error_restore(&before);
    if (now)
        destroy(object);
}

void yk_trash_throw(yoke_device *device, void *object, void (*destroy)(void *object), unsigned user)
{
    if (user == YK_NOBODY) {
        destroy(object);
        return;
    }
    yk_trash_empty(device);
    throw_away(device, object, destroy, user, NULL);
}

/* Empties nothing: what is being emptied may have used the stream last, one after the other. */
void yk_trash_throw_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream))
{
    throw_away(device, stream, destroy, YK_MANY, stream);
}
