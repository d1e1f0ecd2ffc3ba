/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a communicator of NCCL ends, and the operations in it before their time: the stream fails, and the communicator is aborted.
 */
#include <stdlib.h>

#include <yoke/native.h>
#include <yoke/library.h>

#include "ground/process.h"
#include "nccl.h"

/* ---- The end of a communicator ---- */

enum { PATIENCE = 100000000 }; /* nanoseconds */

/* A call that ends a communicator, and those who hold this: the thread that makes the call, and who waits for it. */
typedef struct ending {
    atomic_int owners;
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ended;
    ycomm_ncclResult_t (*call)(ycomm_ncclComm_t comm);
    ycomm_ncclComm_t handle;
    void *context;
    yoke_buffer *token; /* retained: what is under way may use it, and it keeps the context */
} ending;

static void leave(ending *e)
{
    if (atomic_fetch_sub(&e->owners, 1) != 1)
        return;
    yoke_buffer_release(e->token);
    pthread_cond_destroy(&e->end);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

static void *call_nccl(void *user)
{
    ending *e = user;
    if (ycomm_context_enter(e->context)) {
        (void)e->call(e->handle);
        ycomm_context_leave();
    }
    pthread_mutex_lock(&e->lock);
    e->ended = true;
    pthread_cond_signal(&e->end);
    pthread_mutex_unlock(&e->lock);
    leave(e);
    return NULL;
}

static ending *start_ending(ycomm_ncclComm_t handle, bool abort, void *context, yoke_buffer *token)
{
    pthread_attr_t attributes;
    pthread_t thread;
    ending *e = calloc(1, sizeof *e);
    if (!e)
        return NULL; /* the communicator stays: without memory, nothing better can be done */
    atomic_init(&e->owners, 2);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->end, NULL);
    e->call = abort ? ycomm_nccl.ncclCommAbort : ycomm_nccl.ncclCommDestroy;
    e->handle = handle;
    e->context = context;
    e->token = yoke_buffer_retain(token);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (pthread_create(&thread, &attributes, call_nccl, e) != 0)
        call_nccl(e);
    pthread_attr_destroy(&attributes);
    return e;
}

/* NCCL's call returns when the others of this host have ended theirs, too, and a rank may be late, or stand still: a thread makes
 * the call, which is left behind when that takes long. */
void ycomm_nccl_end_handle(ycomm_ncclComm_t handle, bool abort, void *context, yoke_buffer *token)
{
    struct timespec until = ycomm_from_now(abort ? 0 : PATIENCE);
    ending *e = start_ending(handle, abort, context, token);
    if (!e)
        return;
    pthread_mutex_lock(&e->lock);
    while (!abort && !e->ended && pthread_cond_timedwait(&e->end, &e->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&e->lock);
    leave(e);
}

/* ---- Of a channel ---- */

void ycomm_nccl_end_channel(struct ycomm_nccl *nccl, bool abort)
{
    struct timespec until = ycomm_from_now(50000000); /* a call may stand still inside NCCL: the abort is what ends it */
    bool locked = pthread_mutex_timedlock(&nccl->calls, &until) == 0;
    ycomm_ncclComm_t handle = atomic_exchange(&nccl->handle_ended, true) ? NULL : nccl->handle;
    if (locked)
        pthread_mutex_unlock(&nccl->calls);
    if (handle)
        ycomm_nccl_end_handle(handle, abort || atomic_load(&nccl->channel->failed), nccl->context, nccl->token);
}

yoke_status ycomm_nccl_fail_stream(struct ycomm_nccl *nccl, const char *where, yoke_status status, const char *text)
{
    if (text)
        yoke_fail(status, "%s", text);
    if (!atomic_exchange(&nccl->stream_failed, true))
        (void)yoke_native_fail_at(where, nccl->channel->stream, status);
    return status;
}
