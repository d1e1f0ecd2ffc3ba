/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of random programs that ask for events and wait: once, in loops with limits of some microseconds as an event loop has
 * them, for one of many, on descriptors, and some hundred threads at once.
 */
#include "stress.h"

#include <poll.h>

enum { FEW = 3, MANY = 64, LOOPS = 400 };

/* Some tens of microseconds. */
static uint64_t brief(source *s)
{
    return 10000 + draw(s, 90000);
}

static void wait_for_any(source *s, yoke_event **events, point **points, size_t count, uint64_t nanoseconds)
{
    size_t index = 0;
    yoke_status status = yoke_event_wait_any(events, count, nanoseconds, &index);

    if (index < count)
        point_seen(s->round, points[index], status);
    else if (status != YOKE_PENDING || index > count)
        unexpected(s->round, "yoke_event_wait_any returned %d and event %zu of %zu", status, index, count);
}

/* Until it is complete, or for so many rounds. */
static void wait_in_a_loop(source *s, yoke_event *event, point *p)
{
    yoke_status status = YOKE_PENDING;

    for (unsigned i = draw(s, LOOPS); i > 0 && status == YOKE_PENDING; i--)
        status = yoke_event_wait_for(event, brief(s));
    point_seen(s->round, p, status);
}

void look_at(source *s)
{
    yoke_event *events[MANY] = { NULL };
    point *points[MANY] = { NULL };
    unsigned way = draw(s, 6);
    size_t count = 0, most = way == 5 ? FEW + draw(s, MANY - FEW) : FEW;

    while (count < most && (points[count] = point_take(s, &events[count], NULL)))
        count++;
    if (count > 0 && way == 0)
        point_seen(s->round, points[0], yoke_event_query(events[0]));
    else if (count > 0 && way == 1)
        point_seen(s->round, points[0], yoke_event_wait(events[0]));
    else if (count > 0 && way == 2)
        point_seen(s->round, points[0], yoke_event_wait_for(events[0], draw(s, 100000)));
    else if (count > 0 && way == 3)
        wait_in_a_loop(s, events[0], points[0]);
    else if (count > 0 && way == 4)
        wait_for_any(s, events, points, count, chance(s, 50) ? YOKE_FOREVER : draw(s, 100000));
    for (unsigned i = count > 0 && way == 5 ? draw(s, LOOPS / 4) : 0; i > 0; i--)
        wait_for_any(s, events, points, count, brief(s));
    while (count > 0)
        yoke_event_release(events[--count]);
}

void ask_for_fd(source *s)
{
    round *r = s->round;
    yoke_event *event;
    point *p = point_take(s, &event, NULL);
    struct pollfd ready = { .fd = -1, .events = POLLIN };

    if (!p)
        return;
    pthread_mutex_lock(&r->lock);
    unsigned index = r->fd_count < MAX_FDS ? r->fd_count++ : MAX_FDS;
    pthread_mutex_unlock(&r->lock);
    if (index < MAX_FDS && CHECK_OK(yoke_event_get_fd(event, &ready.fd))) {
        r->fds[index].fd = ready.fd;
        r->fds[index].point = p;
        if (chance(s, 50) && CHECK(poll(&ready, 1, -1) == 1) && CHECK(yoke_event_query(event) != YOKE_PENDING))
            point_seen(r, p, yoke_event_query(event));
    }
    yoke_event_release(event);
}

/* ---- A crowd ---- */

static void *wait_in_crowd(void *argument)
{
    source *s = argument;
    yoke_event *event;
    point *p = point_take(s, &event, NULL);

    if (!p)
        return NULL;
    if (chance(s, 50))
        point_seen(s->round, p, yoke_event_wait(event));
    else
        wait_in_a_loop(s, event, p);
    yoke_event_release(event);
    return NULL;
}

void crowd(source *s)
{
    enum { MOST = 300, STACK = 512 << 10 };
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    static pthread_t threads[MOST];
    static source sources[MOST];
    unsigned count = 100 + draw(s, MOST - 100), started = 0;
    pthread_attr_t small;

    if (pthread_mutex_trylock(&one_at_a_time))
        return;
    if (CHECK(pthread_attr_init(&small) == 0)) {
        CHECK(pthread_attr_setstacksize(&small, STACK) == 0);
        for (; started < count; started++) {
            sources[started] = (source){ .round = s->round, .random = draw(s, UINT32_MAX), .lane = s->lane };
            if (pthread_create(&threads[started], &small, wait_in_crowd, &sources[started]))
                break; /* the system has no more */
        }
        pthread_attr_destroy(&small);
    }
    while (started > 0)
        pthread_join(threads[--started], NULL);
    pthread_mutex_unlock(&one_at_a_time);
}
