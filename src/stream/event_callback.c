/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion callbacks and file descriptors of events. One thread, the watcher, polls all watched events, and exists only while
 * there are any. The watcher never runs code of the program: other threads call the callbacks, so that none waits for another.
 */
#include <stdlib.h>

#include "backend.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/stream.h"
#include "stream/validator.h"
#include "base/process/thread.h"
#include "base/system/notice.h"

/* How long the watcher stays when nothing is left to watch. */
#define IDLE_NANOSECONDS 1000000000u

/* How long a due callback waits for those before it to return, until it gets a thread of its own; to start one takes some 20 us. */
#define PATIENCE_NANOSECONDS 100000u

typedef struct watch {
    struct watch *next;
    yoke_event *event;
    uint64_t since;
    yk_sleeper sleeper;
    yoke_complete_fn fn; /* NULL: write to fd */
    void *user;
    yoke_release_fn release;
    int fd;
} watch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static watch *arrived;                                   /* new watches, the newest first */
static yk_waiter *waiter;                                /* the watcher's; never freed */
static bool watching;                                    /* a watcher runs or is being started */

/* ---- A watched event has completed ---- */

static void free_watch(watch *done)
{
    yoke_event_release(done->event);
    free(done);
}

/* Callbacks that are due, the oldest first. Short ones are called one after another, which is quicker than starting a thread for
 * each. Any may block, so while some are due a thread stands by, and calls the next if none of the callers comes back in time. */
static pthread_mutex_t due_lock = PTHREAD_MUTEX_INITIALIZER; /* protects what follows */
static watch *due, **due_end = &due;
static unsigned callers;       /* threads that call what is due */
static uint64_t taken;         /* callbacks that callers have taken */
static bool standing_by;       /* a thread stands by, or is being started */
static yk_waiter *stand_by_at; /* where it waits; NULL: it does not, or without */

/* With due_lock held, which this unlocks: have a thread stand by if callbacks are due. False and a record: none can be started. */
static bool unlock_and_stand_by(void);

static void call_back(watch *done)
{
    yoke_error_clear();
    done->fn(yk_event_poll(done->event), done->user);
    if (done->release)
        done->release(done->user);
    free_watch(done);
}

/* With due_lock held, which this unlocks: call what is due. */
static void call_due(void)
{
    callers++;
    while (due) {
        watch *one = due;
        due = one->next;
        if (!due)
            due_end = &due;
        taken++;
        (void)unlock_and_stand_by(); /* else the next waits for this one */
        call_back(one);
        pthread_mutex_lock(&due_lock);
    }
    callers--;
    pthread_mutex_unlock(&due_lock);
}

/* Call what is due as soon as there is no caller, or all of them have been inside a callback for PATIENCE_NANOSECONDS. */
static void stand_by(void *unused)
{
    yk_waiter *own = yk_waiter_take();
    (void)unused;
    pthread_mutex_lock(&due_lock);
    stand_by_at = own;
    for (bool late = false; due && callers && !late;) {
        uint64_t before = taken;
        pthread_mutex_unlock(&due_lock);
        bool posted = yk_waiter_sleep(own, PATIENCE_NANOSECONDS);
        pthread_mutex_lock(&due_lock);
        late = !posted && taken == before;
    }
    stand_by_at = NULL;
    standing_by = false;
    yk_waiter_put(own);
    call_due();
}

static bool unlock_and_stand_by(void)
{
    bool wanted = due && !standing_by;
    standing_by |= wanted;
    if (due && !callers && stand_by_at)
        yk_waiter_post(stand_by_at);
    pthread_mutex_unlock(&due_lock);
    if (!wanted || yk_thread_run(stand_by, NULL, "completion callbacks") == YOKE_OK)
        return true;
    yk_log(YOKE_LOG_WARNING, "%s; callbacks run one after another until then", yoke_error()->text);
    pthread_mutex_lock(&due_lock);
    standing_by = false;
    pthread_mutex_unlock(&due_lock);
    return false;
}

static void add_due(watch *completed)
{
    pthread_mutex_lock(&due_lock);
    completed->next = NULL;
    *due_end = completed;
    due_end = &completed->next;
    if (unlock_and_stand_by())
        return;
    pthread_mutex_lock(&due_lock);
    call_due(); /* late calls are better than none */
}

static void fire(watch *completed)
{
    if (!completed->fn) {
        yk_notice_give(completed->fd);
        free_watch(completed);
    } else {
        add_due(completed);
    }
}

/* ---- The watcher ---- */

/* Poll the events whose sleepers were posted, and fire the completed ones. */
static void poll_posted(watch **list)
{
    while (*list) {
        watch *one = *list;
        if (atomic_exchange(&one->sleeper.posted, false)) {
            yk_sleeper_ask(&one->sleeper);
            if (yk_event_poll(one->event) != YOKE_PENDING) {
                YK_VALIDATE(one->event->stream->device, knows, one->event);
                *list = one->next;
                yk_sleeper_end(&one->sleeper);
                fire(one);
                continue;
            }
        }
        list = &one->next;
    }
}

/* One watch of the list waits for all, since they share the waiter: one that has to be polled as soon as any. */
static watch *most_urgent(watch *list)
{
    watch *found = list;
    for (watch *one = list; one; one = one->next)
        if (yk_sleeper_urgency(&one->sleeper) > yk_sleeper_urgency(&found->sleeper))
            found = one;
    return found;
}

static void sleep_for(watch *list)
{
    const watch *one = most_urgent(list);
    uint64_t interval = one ? yk_sleepers_poll(&one->sleeper, 1, yk_now()) : IDLE_NANOSECONDS;
    if (yk_waiter_sleep(waiter, interval))
        return;
    for (; list; list = list->next)
        yk_sleepers_overslept(&list->sleeper, 1);
}

/* Append the new watches to the list, the oldest first. */
static void take_arrived(watch **list, watch *newest)
{
    watch *turned = NULL;
    while (newest) {
        watch *one = newest;
        newest = one->next;
        one->next = turned;
        turned = one;
        yk_sleeper_begin(&one->sleeper, one->event, waiter, one->since, yk_event_poll_and_release);
    }
    while (*list)
        list = &(*list)->next;
    *list = turned;
}

static void watch_all(void *unused)
{
    watch *list = NULL;
    bool more = true;
    int slack = yk_timer_slack(1);
    (void)unused;
    while (more) {
        poll_posted(&list);
        bool idle = !list;
        sleep_for(list);
        pthread_mutex_lock(&lock);
        watch *newest = arrived;
        arrived = NULL;
        more = watching = newest || !idle;
        pthread_mutex_unlock(&lock);
        take_arrived(&list, newest);
    }
    yk_timer_slack(slack);
}

/* Pass the watch to the watcher, and start a watcher if there is none. */
static yoke_status add(watch *fresh)
{
    yoke_status status = YOKE_OK;
    fresh->since = yk_now();
    pthread_mutex_lock(&lock);
    if (!waiter && !(waiter = yk_waiter_take()))
        status = yk_no_memory("the watcher of events");
    if (status == YOKE_OK && !watching)
        status = yk_thread_run(watch_all, NULL, "the watcher of events");
    if (status == YOKE_OK) {
        watching = true;
        fresh->next = arrived;
        arrived = fresh;
    }
    pthread_mutex_unlock(&lock);
    if (status == YOKE_OK)
        yk_waiter_post(waiter);
    return status;
}

static yoke_status watch_event(const watch *wanted)
{
    watch *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return yk_no_memory("an event's watch");
    *fresh = *wanted;
    fresh->event = yoke_event_retain(wanted->event);
    yoke_status status = add(fresh);
    if (status < 0)
        free_watch(fresh);
    return status;
}

/* ---- Public functions ---- */

yoke_status yoke_event_on_complete(yoke_event *event, yoke_complete_fn fn, void *user, yoke_release_fn release)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_event_on_complete);
    YK_CHECK(event, YK_EVENT, function, "event");
    if (!fn)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: fn is NULL", function));
    yoke_status status = watch_event(&(watch){ .event = event, .fn = fn, .user = user, .release = release });
    return status < 0 ? yk_attribute(function, event->where, status) : status;
}

static yoke_status open_pair(int ends[2])
{
    int error = yk_notice_open(ends);
    if (!error)
        return YOKE_OK;
    return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY,
                   "cannot create a file descriptor for an event (error %d): raise the limit on open files (ulimit -n)", error);
}

yoke_status yoke_event_get_fd(yoke_event *event, int *out_fd)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_event_get_fd);
    int ends[2];
    if (!out_fd)
        return yk_attribute(function, NULL, yk_fail(YOKE_E_INVALID_ARGUMENT, "%s: out_fd is NULL", function));
    *out_fd = -1;
    YK_CHECK(event, YK_EVENT, function, "event");
    yoke_status status = open_pair(ends);
    if (status < 0)
        return yk_attribute(function, event->where, status);
    status = watch_event(&(watch){ .event = event, .fd = ends[1] });
    if (status < 0) {
        yk_notice_close(ends[0]);
        yk_notice_close(ends[1]);
        return yk_attribute(function, event->where, status);
    }
    *out_fd = ends[0];
    return YOKE_OK;
}
