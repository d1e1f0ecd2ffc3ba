/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gate of a stream, and the threads that wait for the stream's state to change: its listeners. Nothing here knows an operation
 * or an event.
 *
 * The gate lets any number of enqueues of a direct stream through at once, for two atomic additions each. The gate is closed while
 * the stream is deferring or has failed, and always where YOKE_BLOCKING, YOKE_TRACE or YOKE_VALIDATE is set or the stream has a
 * depth (depth.c). Closing the gate waits for the enqueues on their way, so that each enqueue is entirely before the closing or
 * after it.
 */
#include "stream/enqueue.h"

void yk_stream_close(yoke_stream *stream)
{
    if (atomic_fetch_or_explicit(&stream->gate, YK_GATE_CLOSED, memory_order_acq_rel) & YK_GATE_CLOSED)
        return;
    while (atomic_load_explicit(&stream->gate, memory_order_acquire) & YK_GATE_BUSY)
        sched_yield();
}

void yk_stream_open(yoke_stream *stream)
{
    if (yk_stream_gate_is_open(stream->state, yk_stream_submits_locked(stream)))
        atomic_fetch_and_explicit(&stream->gate, ~(uint_fast64_t)YK_GATE_CLOSED, memory_order_release);
}

/* ---- Listeners ---- */

void yk_stream_listen(yoke_stream *stream, yk_listener *listener)
{
    pthread_mutex_lock(&stream->lock);
    listener->previous = NULL;
    listener->next = stream->listeners;
    if (listener->next)
        listener->next->previous = listener;
    stream->listeners = listener;
    pthread_mutex_unlock(&stream->lock);
}

void yk_stream_unlisten(yoke_stream *stream, yk_listener *listener)
{
    pthread_mutex_lock(&stream->lock);
    if (listener->next)
        listener->next->previous = listener->previous;
    if (listener->previous)
        listener->previous->next = listener->next;
    else
        stream->listeners = listener->next;
    pthread_mutex_unlock(&stream->lock);
}

void yk_stream_post_listeners(yoke_stream *stream)
{
    for (yk_listener *listener = stream->listeners; listener; listener = listener->next)
        yk_waiter_post(listener->waiter);
}

void yk_stream_progress(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    yk_stream_post_listeners(stream);
    pthread_mutex_unlock(&stream->lock);
}

void yk_stream_wait_until(yoke_stream *stream, bool (*reached)(yoke_stream *stream, void *context), void *context,
                          uint64_t deadline)
{
    YK_UNCANCELLED;
    yk_waiter *waiter = yk_waiter_take();
    yk_listener listener = { .waiter = waiter };
    bool done = false;
    uint64_t left = UINT64_MAX;
    if (waiter)
        yk_stream_listen(stream, &listener);
    while (left > 0) {
        pthread_mutex_lock(&stream->lock);
        done = reached(stream, context);
        pthread_mutex_unlock(&stream->lock);
        if (done)
            break;
        if (deadline != UINT64_MAX) {
            uint64_t now = yk_now();
            left = now < deadline ? deadline - now : 0;
        }
        if (waiter)
            yk_waiter_sleep(waiter, left);
        else
            sched_yield();
    }
    if (waiter)
        yk_stream_unlisten(stream, &listener);
    yk_waiter_put(waiter);
}
