/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How streams recover. Recovering begins a new epoch: events of an older epoch still report their own failure, but can no longer
 * fail the stream.
 */
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/wait.h"
#include "stream/validator.h"

typedef struct claim {
    bool decided, ours; /* whether this thread recovers the stream, `ours`, or need not */
    unsigned epoch;     /* in which that was not decided */
} claim;

/* With stream->lock held: decide, unless the stream has deferred operations, or another thread recovers it. A failed stream without
 * deferred operations stays so until a thread recovers it; a stream that has not failed may change at any moment. */
static void decide(yoke_stream *stream, claim *c)
{
    c->ours = yk_stream_can(stream->state, YK_STREAM_RECOVER);
    if (c->ours)
        yk_stream_happens(stream, YK_STREAM_RECOVER);
    c->decided = c->ours || !yk_stream_has_failed(stream->state);
    c->epoch = atomic_load(&stream->epoch);
}

static bool is_decided(yoke_stream *stream, void *context)
{
    claim *c = context;
    unsigned epoch = c->epoch;
    decide(stream, c);
    return c->decided || c->epoch != epoch;
}

/* The stream's deferred operations, which the worker skips, may be host functions that wait for other streams, and so for the host
 * function that calls this: that wait is refused. Nothing is deferred behind them in the same epoch. */
static yoke_status wait_until_skipped(const char *function, yoke_stream *stream)
{
    bool refused = false;
    yoke_error_info before = *yoke_error();
    yoke_status status = yk_stream_in_function() ? yk_stream_finish_or_refuse(function, stream, &refused) : YOKE_OK;
    if (!refused)
        yk_error_restore(&before);
    return refused ? status : YOKE_OK;
}

/* Wait until nothing is deferred, and no other thread recovers the stream. Not *out_ours: the stream has not failed, or no
 * longer. */
static yoke_status begin_recovery(const char *function, yoke_stream *stream, bool *out_ours)
{
    yoke_status status = YOKE_OK;
    claim c;
    pthread_mutex_lock(&stream->lock);
    decide(stream, &c);
    pthread_mutex_unlock(&stream->lock);
    while (!c.decided && (status = wait_until_skipped(function, stream)) == YOKE_OK)
        yk_stream_wait_until(stream, is_decided, &c, UINT64_MAX);
    *out_ours = c.ours;
    return status;
}

static void abandon_recovery(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    yk_stream_happens(stream, YK_STREAM_RECOVERY_FAILED);
    pthread_mutex_unlock(&stream->lock);
}

/* Wait for the driver. Its answer says whether the queue can be used again. */
static yoke_status drain(yoke_stream *stream, yoke_event *end)
{
    yoke_status status = yk_event_submit(end);
    if (status == YOKE_OK && atomic_load(&end->state) == YK_EVENT_SUBMITTED) {
        end->epoch = atomic_load(&stream->epoch) - 1; /* its failure is not another event's */
        end->position = 0; /* and a failure of another stream, which this stream waited for, is not its own */
        status = yk_event_wait(end);
    }
    return status;
}

/* Drop the failure and begin an epoch without one. */
static void begin_epoch(yoke_stream *stream, yk_failure *fresh)
{
    yk_stream_end_epoch_of_waits(stream);
    pthread_mutex_lock(&stream->lock);
    yk_failure *old = stream->failure;
    stream->failure = fresh;
    atomic_store(&stream->lost_elsewhere, false);
    atomic_fetch_add(&stream->epoch, 1);
    atomic_store(&stream->done, yk_stream_submitted(stream)); /* after the epoch: event_completion.c reads them in reverse */
    yk_stream_happens(stream, YK_STREAM_RECOVERED);
    yk_stream_open(stream);
    pthread_mutex_unlock(&stream->lock);
    yk_failure_release(old);
}

/* By the thread that has claimed the recovery. */
static yoke_status recover(yoke_stream *stream)
{
    yoke_status status = yk_device_check(stream->device);
    if (status < 0)
        return status;
    yk_failure *fresh = yk_failure_new();
    yoke_event *end = fresh ? yk_event_new(stream, 0, NULL) : NULL;
    if (!end) {
        status = yoke_error()->status;
        yk_failure_release(fresh);
        return status;
    }
    status = drain(stream, end);
    yoke_event_release(end);
    if (status < 0 && status != YOKE_E_DEVICE_LOST && status != YOKE_E_OUT_OF_HOST_MEMORY)
        status = stream->device->backend->stream_renew(stream);
    if (status < 0)
        yk_failure_release(fresh);
    else
        begin_epoch(stream, fresh);
    if (status == YOKE_OK)
        YK_VALIDATE(stream->device, knows_all, stream);
    return status;
}

yoke_status yoke_stream_recover(yoke_stream *stream)
{
    YK_UNCANCELLED;
    YK_FUNCTION(yoke_stream_recover);
    yoke_status status = yk_stream_check_wait(function, stream);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    yoke_error_info before = *yoke_error();
    bool ours;
    status = begin_recovery(function, stream, &ours);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    if (!ours)
        return YOKE_OK;
    status = recover(stream);
    if (status < 0)
        abandon_recovery(stream);
    yk_stream_progress(stream);
    if (status < 0)
        return yk_attribute(function, NULL, status);
    yk_error_restore(&before);
    return YOKE_OK;
}
