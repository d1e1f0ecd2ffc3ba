/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions: those of all streams on one thread, one after the other, as the driver does it. A stream whose function waits
 * for its turn or runs is parked.
 */
#include "driver.h"

#include <stdlib.h>

typedef struct function_op {
    double_op op;
    yk_CUhostFn function;
    void *user;
    unsigned device;
    bool done;
    struct function_op *next;
} function_op;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    function_op *first, **last;
    bool started;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .last = &host.first };

static pthread_mutex_t running = PTHREAD_MUTEX_INITIALIZER; /* held while a function runs */

void double_function_stall(void)
{
    pthread_mutex_lock(&running);
    pthread_mutex_unlock(&running);
}

static void *call_all(void *unused)
{
    (void)unused;
    double_inside_function = true;
    pthread_mutex_lock(&host.lock);
    for (;;) {
        function_op *f = host.first;
        if (!f) {
            pthread_cond_wait(&host.changed, &host.lock);
            continue;
        }
        host.first = f->next;
        if (!host.first)
            host.last = &host.first;
        pthread_mutex_unlock(&host.lock);
        if (double_lost() == YK_CUDA_SUCCESS) {
            double_print_bring_out(f->device);
            pthread_mutex_lock(&running);
            f->function(f->user);
            pthread_mutex_unlock(&running);
        }
        pthread_mutex_lock(&host.lock);
        f->done = true;
        pthread_cond_broadcast(&host.changed);
    }
    return NULL;
}

static yk_CUresult run(double_op *op)
{
    function_op *f = (function_op *)op;
    double_parking parking;

    double_park(&parking, op->number);
    pthread_mutex_lock(&host.lock);
    *host.last = f;
    host.last = &f->next;
    pthread_cond_broadcast(&host.changed);
    while (!f->done)
        pthread_cond_wait(&host.changed, &host.lock);
    pthread_mutex_unlock(&host.lock);
    double_unpark(&parking);
    return YK_CUDA_SUCCESS;
}

static void end(double_op *op)
{
    free(op);
}

/* At the first function. */
static bool start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_mutex_lock(&host.lock);
    if (!host.started && pthread_attr_init(&attributes) == 0) {
        host.started = pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) == 0 &&
                       pthread_create(&thread, &attributes, call_all, NULL) == 0;
        pthread_attr_destroy(&attributes);
    }
    bool started = host.started;
    pthread_mutex_unlock(&host.lock);
    return started;
}

yk_CUresult cuLaunchHostFunc(yk_CUstream stream, yk_CUhostFn function, void *user)
{
    yk_CUresult result;
    function_op *f;

    ENTER(DOUBLE_USABLE);
    result = double_stream_check(stream);
    if (result != YK_CUDA_SUCCESS)
        return result;
    if (!function)
        return YK_CUDA_ERROR_INVALID_VALUE;
    f = start() ? double_op_new(sizeof *f, run, end) : NULL;
    if (!f)
        return YK_CUDA_ERROR_OUT_OF_MEMORY;
    f->function = function;
    f->user = user;
    f->device = (unsigned)stream->context->ordinal;
    double_stream_give(stream, &f->op);
    return YK_CUDA_SUCCESS;
}
