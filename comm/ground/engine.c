/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The progress thread: one in the process, for the runs of all streams that have not been quick, and for what goes on beside NCCL.
 * It sleeps while there is nothing.
 * While none makes progress it asks MPI ever more rarely: an answer is seen at most an eighth later than it came, and a rank that
 * waits for long uses next to nothing of its core.
 */
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "transport/nccl/nccl.h"

/* Nanoseconds; BESIDE is beside NCCL alone. A question costs 15 to 20 us of a core, nearly all of it for the sleep before it. */
enum { POLL = 50000, SHORTEST = 10000, LONGEST = 2000000, BESIDE = 100000 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    bool started;
    ycomm_run *runs;                       /* handed over */
    struct ycomm_nccl *watched, *stepping; /* what NCCL does; the one that is stepped now */
    pthread_cond_t stepped;
    bool asleep; /* with nothing to do */
    bool fresh;  /* one has come since the last step: it is polled for at first */
} engine = { .lock = PTHREAD_MUTEX_INITIALIZER, .stepped = PTHREAD_COND_INITIALIZER };

uint64_t ycomm_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* With the lock: sleep for so long, or until there is another run. */
static void sleep_for(uint64_t nanoseconds)
{
    uint64_t until = ycomm_now() + nanoseconds;
    struct timespec end = { .tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000) };
    pthread_cond_timedwait(&engine.work, &engine.lock, &end);
}

/* Step all runs, and tell those that are complete. The lock is free meanwhile: only this thread takes runs off the list, and others
 * put theirs at its head. */
static bool step_all(void)
{
    ycomm_run *ended = NULL;
    bool moved = false;
    ycomm_run *first = engine.runs;
    pthread_mutex_unlock(&engine.lock);
    for (ycomm_run *run = first; run; run = run->next)
        moved |= ycomm_run_step(run);
    pthread_mutex_lock(&engine.lock);
    for (ycomm_run **at = &engine.runs; *at;)
        if ((*at)->complete) {
            ycomm_run *run = *at;
            *at = run->next;
            run->next = ended;
            ended = run;
        } else {
            at = &(*at)->next;
        }
    while (ended) {
        ycomm_run *run = ended;
        ended = run->next;
        run->ended = true;
        pthread_cond_signal(&run->end); /* with the lock, since it is gone once its thread has seen this */
    }
    return moved;
}

/* Whether one needs no more steps. Whoever has something for it after the second look finds that it is not listed. */
static bool stop_watching(struct ycomm_nccl *nccl)
{
    if (!ycomm_nccl_is_idle(nccl))
        return false;
    atomic_store(&nccl->listed, false);
    if (ycomm_nccl_is_idle(nccl))
        return true;
    atomic_store(&nccl->listed, true);
    return false;
}

/* The same for what NCCL does. Others may forget one that is not stepped. */
static bool watch_all(void)
{
    bool moved = false;
    for (struct ycomm_nccl **at = &engine.watched; *at;) {
        struct ycomm_nccl *nccl = engine.stepping = *at;
        pthread_mutex_unlock(&engine.lock);
        moved |= ycomm_nccl_step(nccl);
        pthread_mutex_lock(&engine.lock);
        engine.stepping = NULL;
        pthread_cond_broadcast(&engine.stepped);
        for (at = &engine.watched; *at && *at != nccl; at = &(*at)->next) /* new ones come first */
            continue;
        if (!*at)
            break;
        if (stop_watching(nccl))
            *at = nccl->next;
        else
            at = &nccl->next;
    }
    return moved;
}

void ycomm_engine_watch(struct ycomm_nccl *nccl)
{
    if (atomic_load(&nccl->listed))
        return;
    pthread_mutex_lock(&engine.lock);
    if (!atomic_exchange(&nccl->listed, true)) {
        nccl->next = engine.watched;
        engine.watched = nccl;
        if (engine.asleep)
            pthread_cond_signal(&engine.work);
    }
    pthread_mutex_unlock(&engine.lock);
}

void ycomm_engine_forget(struct ycomm_nccl *nccl)
{
    pthread_mutex_lock(&engine.lock);
    for (struct ycomm_nccl **at = &engine.watched; *at; at = &(*at)->next)
        if (*at == nccl) {
            *at = nccl->next;
            break;
        }
    atomic_store(&nccl->listed, false);
    while (engine.stepping == nccl)
        pthread_cond_wait(&engine.stepped, &engine.lock);
    pthread_mutex_unlock(&engine.lock);
}

static void *progress(void *unused)
{
    uint64_t last = ycomm_now();
    (void)unused;
    pthread_mutex_lock(&engine.lock);
    for (;;) {
        if (!engine.runs && !engine.watched) {
            engine.asleep = true;
            pthread_cond_wait(&engine.work, &engine.lock);
            engine.asleep = false;
            last = ycomm_now();
            continue;
        }
        bool fresh = engine.fresh;
        engine.fresh = false;
        bool moved = step_all();
        if (watch_all() || moved || fresh) {
            last = ycomm_now();
            continue;
        }
        uint64_t idle = ycomm_now() - last, shortest = engine.runs ? SHORTEST : BESIDE; /* no stream waits for the latter */
        if (idle < POLL && engine.runs) {
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

yoke_status ycomm_engine_start(void)
{
    pthread_attr_t attributes;
    pthread_condattr_t clock;
    sigset_t all, before;
    pthread_t thread;
    bool started = true;

    pthread_mutex_lock(&engine.lock);
    if (!engine.started) {
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&engine.work, &clock);
        pthread_condattr_destroy(&clock);
        pthread_attr_init(&attributes);
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        started = engine.started = pthread_create(&thread, &attributes, progress, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
        if (!started)
            pthread_cond_destroy(&engine.work);
    }
    pthread_mutex_unlock(&engine.lock);
    return started ? YOKE_OK : yoke_fail(YOKE_E_OUT_OF_HOST_MEMORY, "the progress thread of libyoke-comm cannot be started");
}

void ycomm_engine_carry(ycomm_run *run)
{
    pthread_mutex_lock(&engine.lock);
    run->next = engine.runs;
    engine.runs = run;
    engine.fresh = true;
    pthread_cond_signal(&engine.work);
    while (!run->ended)
        pthread_cond_wait(&run->end, &engine.lock);
    pthread_mutex_unlock(&engine.lock);
}
