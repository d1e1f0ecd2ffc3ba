/* SPDX-License-Identifier: Apache-2.0 */
/* Host functions and callbacks of a world: what they do, how often they are called, and when they are released. */
#include <time.h>

#include "world.h"

enum { SECONDS = 60 };

/* Until something has changed, with the lock held; too long ends the program. */
static void wait_for_change(world *w)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += SECONDS;
    if (pthread_cond_timedwait(&w->changed, &w->lock, &limit) != 0) {
        pthread_mutex_unlock(&w->lock);
        disagree(__FILE__, __LINE__, "every function is called and released within 60 seconds", NULL, NULL);
        world_failed(w, true);
    }
}

bool is_documented(yoke_status status)
{
    switch (status) {
#define STATUS(name, value, meaning) \
    case value:                      \
        return true;
        YOKE_STATUS_LIST(STATUS)
#undef STATUS
    default:
        return status == OWN_STATUS;
    }
}

call *call_new(world *w, lane *l, unsigned flags)
{
    if (w->call_count == MOST_CALLS)
        return NULL;
    call *c = &w->calls[w->call_count++];
    c->world = w;
    atomic_init(&c->calls, 0);
    atomic_init(&c->releases, 0);
    atomic_init(&c->got, YOKE_PENDING);
    c->result = flags & 1 && !w->calm ? OWN_STATUS : (yoke_status)(flags >> 6 & 1); /* any that is not negative is fine */
    c->gate = flags & 2 && !w->blocking ? ++w->gates : 0;
    c->stream = l && !l->recording && flags & 4 ? yoke_stream_retain(l->stream) : NULL; /* its graph may run in another */
    c->site = l && flags & 8 ? l->site : NULL;
    return c;
}

/* What a function may do: wait for its own stream in vain, use the library. */
static void call_act(const call *c)
{
    yoke_buffer *buffer = NULL;
    yoke_event *event = NULL;
    if (c->stream) {
        yoke_status waited = yoke_stream_wait(c->stream);
        HOLDS(waited == YOKE_E_DEADLOCK || waited == YOKE_E_INVALID_ARGUMENT); /* it may be being recorded */
        if (yoke_event_record(c->stream, 0, &event) == YOKE_OK)
            yoke_event_query(event);
        yoke_event_release(event);
    }
    if (c->site && yoke_buffer_create(c->site->device, 64, &buffer) == YOKE_OK)
        yoke_buffer_release(buffer);
}

yoke_status call_run(yoke_status status, void *user)
{
    call *c = user;
    world *w = c->world, *before = world_here;
    world_here = w;
    HOLDS(is_documented(status) && status != YOKE_PENDING);
    HOLDS(status >= 0 || yoke_error()->status == status);
    HOLDS(atomic_load(&c->releases) == 0);
    pthread_mutex_lock(&w->lock);
    while (c->gate > w->opened)
        wait_for_change(w);
    pthread_mutex_unlock(&w->lock);
    call_act(c);
    for (size_t i = 0; c->bytes && i < c->count && status == YOKE_OK; i++)
        c->bytes[i] = (unsigned char)(3u * c->bytes[i] + c->value);
    atomic_store(&c->got, status);
    atomic_fetch_add(&c->calls, 1);
    world_here = before;
    return c->result < 0 ? yoke_fail(c->result, "the program's own") : c->result;
}

yoke_status call_run_native(yoke_status status, void *native, void *user)
{
    world *before = world_here;
    world_here = ((call *)user)->world;
    HOLDS(status < 0 || native);
    world_here = before;
    return call_run(status, user);
}

void call_complete(yoke_status status, void *user)
{
    call *c = user;
    world *before = world_here;
    world_here = c->world;
    HOLDS(is_documented(status) && status != YOKE_PENDING && atomic_load(&c->releases) == 0);
    atomic_store(&c->got, status);
    atomic_fetch_add(&c->calls, 1);
    world_here = before;
}

void call_release(void *user)
{
    call *c = user;
    world *w = c->world;
    yoke_stream_release(c->stream);
    pthread_mutex_lock(&w->lock);
    atomic_fetch_add(&c->releases, 1);
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void calls_end(world *w)
{
    for (unsigned i = 0; i < w->call_count; i++) {
        call *c = &w->calls[i];
        pthread_mutex_lock(&w->lock);
        while (c->accepted && atomic_load(&c->releases) == 0)
            wait_for_change(w);
        pthread_mutex_unlock(&w->lock);
        int got = atomic_load(&c->got);
        HOLDS(atomic_load(&c->calls) == c->wanted);
        HOLDS(atomic_load(&c->releases) == (c->accepted ? 1 : 0));
        HOLDS(c->wanted == 0 || c->fate != FINE || got == YOKE_OK);
        HOLDS(c->wanted == 0 || c->fate != FAILED || got < 0);
        if (!c->accepted)
            yoke_stream_release(c->stream);
    }
}
