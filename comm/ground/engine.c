/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress thread: one in the process, for the tasks of all streams that have not been quick, and for what goes on beside
 * others. It sleeps while there is nothing. While none makes progress it asks MPI ever more rarely: an answer is seen at most an
 * eighth later than it came, and a rank that waits for long uses next to nothing of its core.
 */
#include <sched.h>
#include <signal.h>

#include "base/clock.h"
#include "engine.h"
#include "process.h"

/* Nanoseconds; BESIDE is where no thread waits. A question costs 15 to 20 us of a core, nearly all of it for the sleep before it.
 */
enum { POLL = 50000, SHORTEST = 10000, LONGEST = 2000000, BESIDE = 100000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    bool started;
    ycomm_task *tasks;               /* handed over */
    ycomm_watch *watched, *stepping; /* what goes on beside; the one that is stepped now */
    pthread_cond_t stepped;
    bool asleep; /* with nothing to do */
    bool fresh;  /* one has come since the last step: it is polled for at first */
} engine = { .lock = PTHREAD_MUTEX_INITIALIZER, .stepped = PTHREAD_COND_INITIALIZER };

/* With the lock: sleep for so long, or until there is another task. */
static void sleep_for(uint64_t nanoseconds)
{
    yk_cond_wait_for(&engine.work, &engine.lock, nanoseconds);
}

/* Step all tasks, and tell those that are complete. The lock is free meanwhile: only this thread takes tasks off the list, and
 * others put theirs at its head. */
static bool step_all(void)
{
    ycomm_task *ended = NULL;
    bool moved = false;
    ycomm_task *first = engine.tasks;
    pthread_mutex_unlock(&engine.lock);
    for (ycomm_task *task = first; task; task = task->next)
        moved |= task->step(task);
    pthread_mutex_lock(&engine.lock);
    for (ycomm_task **at = &engine.tasks; *at;)
        if ((*at)->complete) {
            ycomm_task *task = *at;
            *at = task->next;
            task->next = ended;
            ended = task;
        } else {
            at = &(*at)->next;
        }
    while (ended) {
        ycomm_task *task = ended;
        ended = task->next;
        task->ended = true;
        pthread_cond_signal(&task->end); /* with the lock, since it is gone once its thread has seen this */
    }
    return moved;
}

/* Whether one needs no more steps. Whoever has something for it after the second look finds that it is not listed. */
static bool stop_watching(ycomm_watch *watch)
{
    if (!watch->is_idle(watch))
        return false;
    atomic_store(&watch->listed, false);
    if (watch->is_idle(watch))
        return true;
    atomic_store(&watch->listed, true);
    return false;
}

/* The same for what goes on beside. Others may forget one that is not stepped. */
static bool watch_all(void)
{
    bool moved = false;
    for (ycomm_watch **at = &engine.watched; *at;) {
        ycomm_watch *watch = engine.stepping = *at;
        pthread_mutex_unlock(&engine.lock);
        moved |= watch->step(watch);
        pthread_mutex_lock(&engine.lock);
        engine.stepping = NULL;
        pthread_cond_broadcast(&engine.stepped);
        for (at = &engine.watched; *at && *at != watch; at = &(*at)->next) /* new ones come first */
            continue;
        if (!*at)
            break;
        if (stop_watching(watch))
            *at = watch->next;
        else
            at = &watch->next;
    }
    return moved;
}

void ycomm_engine_watch(ycomm_watch *watch)
{
    if (atomic_load(&watch->listed))
        return;
    pthread_mutex_lock(&engine.lock);
    if (!atomic_exchange(&watch->listed, true)) {
        watch->next = engine.watched;
        engine.watched = watch;
        if (engine.asleep)
            pthread_cond_signal(&engine.work);
    }
    pthread_mutex_unlock(&engine.lock);
}

void ycomm_engine_forget(ycomm_watch *watch)
{
    pthread_mutex_lock(&engine.lock);
    for (ycomm_watch **at = &engine.watched; *at; at = &(*at)->next)
        if (*at == watch) {
            *at = watch->next;
            break;
        }
    atomic_store(&watch->listed, false);
    while (engine.stepping == watch)
        pthread_cond_wait(&engine.stepped, &engine.lock);
    pthread_mutex_unlock(&engine.lock);
}

static void *progress(void *unused)
{
    uint64_t last = yk_now();
    (void)unused;
    pthread_mutex_lock(&engine.lock);
    for (;;) {
        if (!engine.tasks && !engine.watched) {
            engine.asleep = true;
            pthread_cond_wait(&engine.work, &engine.lock);
            engine.asleep = false;
            last = yk_now();
            continue;
        }
        bool fresh = engine.fresh;
        engine.fresh = false;
        bool moved = step_all();
        if (watch_all() || moved || fresh) {
            last = yk_now();
            continue;
        }
        uint64_t idle = yk_now() - last, shortest = engine.tasks ? SHORTEST : BESIDE; /* no stream waits for the latter */
        if (idle < POLL && engine.tasks) {
            pthread_mutex_unlock(&engine.lock);
            sched_yield();
            pthread_mutex_lock(&engine.lock);
        } else {
            uint64_t pause = idle / 8;
            sleep_for(pause < shortest ? shortest : pause > LONGEST ? LONGEST : pause);
        }
    }
    return NULL;
}

static bool start_thread(void)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, &attributes, progress, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

yoke_status ycomm_engine_start(void)
{
    pthread_mutex_lock(&engine.lock);
    if (!engine.started && yk_cond_init(&engine.work) == 0) {
        engine.started = start_thread();
        if (!engine.started)
            pthread_cond_destroy(&engine.work);
    }
    bool started = engine.started;
    pthread_mutex_unlock(&engine.lock);
    return started ? YOKE_OK : yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "the progress thread of libyoke-comm cannot be started");
}

void ycomm_engine_wait(ycomm_task *task)
{
    pthread_mutex_lock(&engine.lock);
    task->next = engine.tasks;
    engine.tasks = task;
    engine.fresh = true;
    pthread_cond_signal(&engine.work);
    while (!task->ended)
        pthread_cond_wait(&task->end, &engine.lock);
    pthread_mutex_unlock(&engine.lock);
}
