/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How streams fail. A stream keeps its first failure, which everything enqueued later, every event behind it and every host
 * function reports, until the stream recovers (recovery.c). Nothing here knows an event: who learns of a failure brings it here.
 */
#include "stream/enqueue.h"

/* ---- Reporting ---- */

yoke_status yk_stream_report_locked(yoke_stream *stream)
{
    return atomic_load(&stream->failed) ? yk_failure_report(stream->failure) : YOKE_OK;
}

yoke_status yk_stream_report(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    yoke_status status = yk_stream_report_locked(stream);
    pthread_mutex_unlock(&stream->lock);
    return status;
}

yoke_status yk_device_check(yoke_device *device)
{
    yk_failure *lost = atomic_load_explicit(&device->lost, memory_order_acquire);
    return YK_UNLIKELY(lost != NULL) ? yk_failure_report(lost) : YOKE_OK;
}

static bool is_harmless(const yk_submitted *submitted)
{
    return atomic_load_explicit(&submitted->kind, memory_order_relaxed) == YK_OP_ALLOCATION;
}

void yk_stream_name_suspects(yoke_stream *stream, uint64_t first, uint64_t end)
{
    char text[160];
    const char *origin = NULL, *separator = "";
    uint64_t count = end > first ? end - first : 0;
    if (count > YK_SUBMITTED_KEPT)
        first = end - YK_SUBMITTED_KEPT;
    for (uint64_t i = first; i < end; i++)
        count -= is_harmless(&stream->recent[i % YK_SUBMITTED_KEPT]);
    if (count == 0)
        return;
    yk_error_append(count == 1 ? "; the operation was the" : "; the operation was one of these %llu:", (unsigned long long)count);
    for (uint64_t i = first; i < end; i++) {
        const yk_submitted *submitted = &stream->recent[i % YK_SUBMITTED_KEPT];
        const char *where = atomic_load_explicit(&submitted->where, memory_order_relaxed);
        if (is_harmless(submitted))
            continue;
        yk_op_text(text, sizeof text, (yk_op_kind)atomic_load_explicit(&submitted->kind, memory_order_relaxed),
                   atomic_load_explicit(&submitted->name, memory_order_relaxed));
        yk_error_append("%s %s%s%s", separator, text, where ? " at " : "", where ? where : "");
        separator = ",";
        origin = origin ? origin : where;
    }
    yk_error_append(" on stream %s%s", stream->label, count == 1 ? "" : "; set YOKE_BLOCKING=1 to find out which");
    yk_attribute(NULL, origin, yoke_error()->status);
}

/* ---- Failing ---- */

/* Fail this stream alone. `elsewhere`: not its own device has told the status. */
static yk_failure *fail_alone(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status, bool elsewhere)
{
    yk_failure *failure;
    bool first = false;
    yk_attribute(NULL, where, status);
    pthread_mutex_lock(&stream->lock);
    if (epoch != atomic_load_explicit(&stream->epoch, memory_order_relaxed)) {
        failure = yk_failure_from_record();
    } else {
        if (!atomic_load(&stream->failed)) {
            first = true;
            stream->failure->info = *yoke_error();
            atomic_store(&stream->lost_elsewhere, elsewhere && status == YOKE_E_DEVICE_LOST);
            yk_stream_happens(stream, YK_STREAM_FAIL);
            yk_stream_close(stream);
        }
        failure = yk_failure_retain(stream->failure);
    }
    pthread_mutex_unlock(&stream->lock);
    if (first) {
        yk_stream_progress(stream);
        yk_log(status == YOKE_E_CANCELLED ? YOKE_LOG_INFO : YOKE_LOG_ERROR, "stream %s of %s has failed with %s: %s", stream->label,
               stream->device->info.selector, yk_status_word(status).text, yoke_error()->text);
    }
    return failure;
}

/* The device is lost for this process: fail all of its streams once, with one record. Any of them may be the cause. */
static void lose_device(yoke_device *device)
{
    pthread_mutex_lock(&device->lock);
    if (!atomic_load(&device->lost)) {
        for (yoke_stream *stream = device->streams; stream; stream = stream->next)
            yk_stream_name_suspects(stream, atomic_load(&stream->done), yk_stream_submitted(stream));
        atomic_store_explicit(&device->lost, yk_failure_from_record(), memory_order_release);
        for (yoke_stream *stream = device->streams; stream; stream = stream->next)
            yk_failure_release(fail_alone(stream, atomic_load(&stream->epoch), NULL, YOKE_E_DEVICE_LOST, false));
    }
    pthread_mutex_unlock(&device->lock);
    yk_device_check(device);
}

yoke_status yk_device_failed(yoke_device *device, yoke_status status)
{
    if (status == YOKE_E_DEVICE_LOST)
        lose_device(device);
    return status;
}

yk_failure *yk_stream_fail_in(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status)
{
    if (!atomic_load(&stream->lost_elsewhere))
        yk_device_failed(stream->device, status);
    return fail_alone(stream, epoch, where, status, false);
}

yk_failure *yk_stream_inherit_in(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status)
{
    return fail_alone(stream, epoch, where, status, true);
}

void yk_stream_inherit(yoke_stream *stream, const char *where, yoke_status status)
{
    yk_failure_release(yk_stream_inherit_in(stream, atomic_load(&stream->epoch), where, status));
}

void yk_stream_fail(yoke_stream *stream, const char *where, yoke_status status)
{
    yk_failure_release(yk_stream_fail_in(stream, atomic_load(&stream->epoch), where, status));
}

yoke_status yk_stream_not_submitted(yoke_stream *stream, yoke_status status)
{
    if (status != YOKE_E_DEVICE_LOST || atomic_load(&stream->lost_elsewhere))
        return status;
    yk_stream_fail(stream, NULL, status);
    stream->device->backend->stream_finish(stream); /* CUDA writes which assert has failed when a call waits, or not at all */
    return yk_stream_report(stream);
}

void yk_stream_fail_torn_down(yoke_stream *stream)
{
    yoke_error_info before = *yoke_error();
    if (atomic_load(&stream->failed))
        return;
    yk_fail(YOKE_E_CANCELLED, "stream %s was released before this could run: wait for the stream first", stream->label);
    yk_stream_fail(stream, NULL, YOKE_E_CANCELLED);
    yk_error_restore(&before);
}

yoke_status yoke_stream_cancel(yoke_stream *stream)
{
    YK_CHECK(stream, YK_STREAM, "yoke_stream_cancel", "stream");
    yoke_error_info before = *yoke_error();
    yk_fail(YOKE_E_CANCELLED, "stream %s was cancelled with yoke_stream_cancel before this could run", stream->label);
    yk_stream_fail(stream, NULL, YOKE_E_CANCELLED);
    yk_error_restore(&before);
    return YOKE_OK;
}
