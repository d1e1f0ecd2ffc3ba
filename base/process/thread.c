/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads on demand. Each job has a thread to itself, because it may block for any time; an idle thread stays one second for the
 * next job. The thread that became idle last is used first: its stack and its core are still warm.
 */
#include "base/process/thread.h"

#include <stdlib.h>

#include "base/process/waiter.h"

#define IDLE_NANOSECONDS 1000000000u

struct yk_thread {
    pthread_cond_t wake;
    void (*fn)(void *argument); /* its next job, or NULL */
    void *argument;
    bool kept;        /* reserved by a caller for one job: not in the idle list */
    bool waits;       /* it waits for a job */
    uint64_t idle_at; /* when it became idle */
    yk_thread *next;  /* in the idle list */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects idle, and the members of all threads */
static yk_thread *idle;
static _Thread_local yk_thread *own; /* this thread, if it is Yoke's; else NULL */

/* ---- Threads, with the lock held ---- */

static void add_idle(yk_thread *self)
{
    self->idle_at = yk_now();
    self->next = idle;
    idle = self;
}

static void remove_idle(yk_thread *self)
{
    yk_thread **at = &idle;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
}

/* Wait for a job; false after a timeout. Submitting a job has removed the thread from the list. */
static bool wait_for_job(yk_thread *self)
{
    if (!self->fn && !self->kept)
        add_idle(self);
    self->waits = true;
    while (!self->fn && (self->kept || yk_now() - self->idle_at < IDLE_NANOSECONDS))
        yk_cond_wait_for(&self->wake, &lock, IDLE_NANOSECONDS);
    self->waits = false;
    if (!self->fn)
        remove_idle(self);
    return self->fn;
}

static void submit_job(yk_thread *to, void (*fn)(void *argument), void *argument)
{
    to->fn = fn;
    to->argument = argument;
    to->kept = false;
    pthread_cond_signal(&to->wake);
}

static yk_thread *take_idle(void)
{
    yk_thread *warm = idle;
    if (warm)
        idle = warm->next;
    return warm;
}

/* ---- The threads' function ---- */

static void *run(void *argument)
{
    yk_thread *self = own = argument;
    pthread_mutex_lock(&lock);
    while (wait_for_job(self)) {
        void (*fn)(void *argument) = self->fn;
        self->fn = NULL;
        pthread_mutex_unlock(&lock);
        yoke_error_clear();
        fn(self->argument);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    pthread_cond_destroy(&self->wake);
    free(self);
    return NULL;
}

/* A new thread, which has a job or is kept; NULL and a record on failure. */
static yk_thread *new_thread(void (*fn)(void *argument), void *argument, const char *what)
{
    yk_thread *self = calloc(1, sizeof *self);
    if (!self) {
        yk_no_memory(what);
        return NULL;
    }
    self->fn = fn;
    self->argument = argument;
    self->kept = !fn;
    int error = yk_cond_init(&self->wake);
    if (error)
        goto no_cond;
    error = yk_thread_begin(run, self);
    if (error)
        goto no_thread;
    yk_log(YOKE_LOG_DEBUG, "a new thread for %s", what);
    return self;

no_thread:
    pthread_cond_destroy(&self->wake);
no_cond:
    free(self);
    yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "cannot start a thread for %s (error %d): raise the limit on processes and threads", what,
            error);
    return NULL;
}

yoke_status yk_thread_run(void (*fn)(void *argument), void *argument, const char *what)
{
    pthread_mutex_lock(&lock);
    yk_thread *warm = take_idle();
    if (warm)
        submit_job(warm, fn, argument);
    pthread_mutex_unlock(&lock);
    return warm || new_thread(fn, argument, what) ? YOKE_OK : YOKE_E_OUT_OF_HOST_MEMORY;
}

/* ---- Kept threads ---- */

yk_thread *yk_thread_keep(const char *what)
{
    pthread_mutex_lock(&lock);
    yk_thread *warm = take_idle();
    if (warm)
        warm->kept = true;
    pthread_mutex_unlock(&lock);
    return warm ? warm : new_thread(NULL, NULL, what);
}

yk_thread *yk_thread_keep_own(void)
{
    pthread_mutex_lock(&lock);
    own->kept = true;
    pthread_mutex_unlock(&lock);
    return own;
}

void yk_thread_run_kept(yk_thread *kept, void (*fn)(void *argument), void *argument)
{
    pthread_mutex_lock(&lock);
    submit_job(kept, fn, argument);
    pthread_mutex_unlock(&lock);
}

void yk_thread_let_go(yk_thread *kept)
{
    pthread_mutex_lock(&lock);
    kept->kept = false;
    if (kept->waits)
        add_idle(kept);
    pthread_mutex_unlock(&lock);
}
