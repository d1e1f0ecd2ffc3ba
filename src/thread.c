/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads on demand. Each job has a thread to itself, because it may block for as long as it likes; one that is done stays a second
 * for the next job. The last to become idle is the first to go on: its stack and its core are still warm.
 */
#include "thread.h"

#include <signal.h>
#include <stdlib.h>

#include "settle.h"

#define IDLE_NANOSECONDS 1000000000u

typedef struct thread {
    pthread_cond_t wake;
    void (*fn)(void *argument); /* NULL while idle */
    void *argument;
    struct thread *next; /* among the idle */
} thread;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects idle, and a thread's job while it is idle */
static thread *idle;

static void remove_idle(thread *self)
{
    thread **at = &idle;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
}

/* With the lock held. Whether a job has come. */
static bool wait_for_job(thread *self)
{
    uint64_t start = yk_now();
    self->fn = NULL;
    self->next = idle;
    idle = self;
    while (!self->fn && yk_now() - start < IDLE_NANOSECONDS)
        yk_cond_wait_for(&self->wake, &lock, IDLE_NANOSECONDS);
    if (self->fn)
        return true; /* who gave it has taken us from the list */
    remove_idle(self);
    return false;
}

static void *run(void *argument)
{
    thread *self = argument;
    bool more;
    do {
        yoke_error_clear();
        self->fn(self->argument);
        pthread_mutex_lock(&lock);
        more = wait_for_job(self);
        pthread_mutex_unlock(&lock);
    } while (more);
    pthread_cond_destroy(&self->wake);
    free(self);
    return NULL;
}

/* Threads of ours take no signals: they are the program's. Returns an errno value. */
static int start(thread *self)
{
    sigset_t all, before;
    pthread_t id;
    sigfillset(&all);
    int error = pthread_sigmask(SIG_SETMASK, &all, &before);
    if (error)
        return error;
    error = pthread_create(&id, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!error)
        pthread_detach(id);
    return error;
}

static bool give_to_idle(void (*fn)(void *argument), void *argument)
{
    pthread_mutex_lock(&lock);
    thread *warm = idle;
    if (warm) {
        idle = warm->next;
        warm->fn = fn;
        warm->argument = argument;
        pthread_cond_signal(&warm->wake);
    }
    pthread_mutex_unlock(&lock);
    return warm;
}

yoke_status yk_thread_run(void (*fn)(void *argument), void *argument, const char *what)
{
    if (give_to_idle(fn, argument))
        return YOKE_OK;
    thread *self = calloc(1, sizeof *self);
    if (!self)
        return yk_no_memory(what);
    self->fn = fn;
    self->argument = argument;
    int error = yk_cond_init(&self->wake);
    if (error)
        goto no_cond;
    error = start(self);
    if (error)
        goto no_thread;
    yk_log(YOKE_LOG_DEBUG, "a new thread for %s", what);
    return YOKE_OK;

no_thread:
    pthread_cond_destroy(&self->wake);
no_cond:
    free(self);
    return yk_fail(YOKE_E_OUT_OF_HOST_MEMORY, "no thread for %s (error %d): raise the limit on processes and threads", what, error);
}
