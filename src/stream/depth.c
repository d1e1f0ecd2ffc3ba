/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Back-pressure: a stream with a depth has at most that many unfinished operations, deferred by Yoke and submitted to the driver
 * together. The gate of such a stream is always closed, so that every enqueue takes the stream's lock and checks the depth here;
 * streams without a depth never do.
 *
 * The driver's progress is known from checkpoints: events recorded behind every few operations. A full stream waits for the oldest.
 */
#include "stream/depth.h"

#include "base/process/error.h"
#include "stream/enqueue.h"
#include "stream/event.h"
#include "stream/wait.h"

enum { ASK_NANOSECONDS = 50000000 }; /* between two calls of on_full */

/* The stream in which this thread's current call has been admitted: a call may enqueue several operations, and some of these are
 * several again, which are admitted inside. */
static _Thread_local const yoke_stream *admitted;
static _Thread_local unsigned admissions;

/* With stream->lock held. */
static uint64_t unfinished(const yoke_stream *stream)
{
    uint64_t submitted = yk_stream_submitted(stream), done = atomic_load(&stream->done);
    return stream->deferred + (submitted > done ? submitted - done : 0);
}

/* With stream->lock held: whether this thread has to wait. A host function of the stream must not wait: it would wait for itself.
 */
static bool is_full(const yoke_stream *stream)
{
    return unfinished(stream) >= stream->depth && admitted != stream && !yk_stream_is_mine(stream) &&
           !yk_stream_has_failed(stream->state) && !stream->state.recording;
}

/* ---- Checkpoints ---- */

/* With stream->lock held. */
static void drop_oldest(yoke_stream *stream)
{
    yoke_event *oldest = stream->checkpoints[0];
    stream->checkpoint_count--;
    memmove(stream->checkpoints, stream->checkpoints + 1, stream->checkpoint_count * sizeof oldest);
    yoke_event_release(oldest); /* the stream is in use: this is not its last use */
}

/* With stream->lock held. */
static void drop_complete(yoke_stream *stream)
{
    while (stream->checkpoint_count > 0 && atomic_load(&stream->checkpoints[0]->state) == YK_EVENT_COMPLETE)
        drop_oldest(stream);
}

void yk_depth_note_submitted(yoke_stream *stream)
{
    uint64_t submitted = yk_stream_submitted(stream),
             step = stream->depth < YK_CHECKPOINTS / 2 ? 1 : stream->depth / (YK_CHECKPOINTS / 2);
    if (!stream->depth || submitted - stream->checked < step || stream->state.ended || yk_stream_has_failed(stream->state))
        return;
    drop_complete(stream);
    if (stream->checkpoint_count == YK_CHECKPOINTS)
        return;
    yoke_error_info before = *yoke_error();
    yoke_event *event = yk_event_take_counted(stream, 0);
    if (event && yk_event_submit(event) == YOKE_OK) {
        event->where = NULL;
        stream->checkpoints[stream->checkpoint_count++] = event;
        stream->checked = submitted;
    } else { /* a thread that finds the stream full then waits for the whole stream */
        if (event)
            yk_event_recycle(event);
        yk_error_restore(&before);
    }
}

void yk_depth_end(yoke_stream *stream)
{
    while (stream->checkpoint_count > 0)
        drop_oldest(stream);
}

/* The oldest checkpoint that is not complete, retained; NULL when there is none. */
static yoke_event *oldest_checkpoint(yoke_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    drop_complete(stream);
    yoke_event *oldest = stream->checkpoint_count > 0 ? yoke_event_retain(stream->checkpoints[0]) : NULL;
    pthread_mutex_unlock(&stream->lock);
    return oldest;
}

/* ---- Room ---- */

static void wait_for(yoke_stream *stream, yoke_event *event, uint64_t deadline)
{
    (void)yk_wait_any(&(yk_wait){ .events = &event, .count = 1, .deadline = deadline, .unless_failed = stream });
}

/* With stream->lock held. */
static bool has_progressed(yoke_stream *stream, void *ran)
{
    return stream->ran != *(const uint64_t *)ran || stream->checkpoint_count > 0 || !yk_is_deferring(stream) || !is_full(stream);
}

/* Wait until at least one operation of the stream has finished, or until the deadline. */
static yoke_status wait_for_progress(yoke_stream *stream, uint64_t deadline)
{
    pthread_mutex_lock(&stream->lock);
    uint64_t ran = stream->ran;
    bool deferring = yk_is_deferring(stream);
    pthread_mutex_unlock(&stream->lock);
    yoke_event *event = oldest_checkpoint(stream);
    if (!event && deferring) {
        yk_stream_wait_until(stream, has_progressed, &ran, deadline);
        return YOKE_OK;
    }
    if (!event) {
        event = yk_event_new(stream, 0, NULL);
        yoke_status status = event ? yk_stream_record(stream, event, YK_RECORD_ALWAYS) : yoke_error()->status;
        if (status < 0) {
            yoke_event_release(event);
            return status;
        }
    }
    wait_for(stream, event, deadline);
    yoke_event_release(event);
    return YOKE_OK;
}

/* Poll the checkpoints, without waiting. */
static void poll_checkpoints(yoke_stream *stream)
{
    yoke_error_info before = *yoke_error();
    bool more = true;
    while (more) {
        yoke_event *oldest = oldest_checkpoint(stream);
        more = oldest && yk_event_poll(oldest) != YOKE_PENDING;
        yoke_event_release(oldest);
    }
    yk_error_restore(&before);
}

/* When the program is asked next whether to wait on. */
static uint64_t ask_at(const yoke_stream *stream)
{
    return stream->on_full ? yk_now() + ASK_NANOSECONDS : UINT64_MAX;
}

/* As for a host function, the reason is its yoke_fail, or its last failed call's; what the thread had before is not. */
static yoke_status ask(const yoke_stream *stream)
{
    yk_error_state before;
    yk_error_save(&before);
    yoke_error_clear();
    yoke_status status = stream->on_full(stream->on_full_user);
    if (status >= 0) {
        yk_error_return(&before);
        return YOKE_OK;
    }
    if (!yk_fail_as_said(status) && yoke_error()->status != status)
        yk_fail(status, "stream %s is full, and on_full has ended the wait", stream->label);
    yoke_error_info reason = *yoke_error();
    yk_error_return(&before); /* what was said is not the caller's */
    return yk_error_restore(&reason);
}

/* With stream->lock held; released while this waits. */
static yoke_status make_room(yoke_stream *stream, bool wait)
{
    yoke_status status = YOKE_OK;
    bool polled = false;
    uint64_t deadline = UINT64_MAX;
    while (status == YOKE_OK && is_full(stream)) {
        if (polled && !wait)
            return YOKE_PENDING;
        pthread_mutex_unlock(&stream->lock);
        if (!polled) {
            poll_checkpoints(stream);
            deadline = ask_at(stream);
        } else if (yk_now() < deadline) {
            status = wait_for_progress(stream, deadline);
        } else {
            status = ask(stream);
            deadline = ask_at(stream);
        }
        polled = true;
        yk_stream_lock(stream);
    }
    return status;
}

yoke_status yk_depth_make_room(yoke_stream *stream)
{
    return make_room(stream, !(stream->flags & YOKE_STREAM_PENDING_WHEN_FULL));
}

yoke_status yk_depth_admit(yoke_stream *stream, bool wait)
{
    if (!stream->depth)
        return YOKE_OK;
    yk_stream_lock(stream);
    yoke_status status = make_room(stream, wait || !(stream->flags & YOKE_STREAM_PENDING_WHEN_FULL));
    pthread_mutex_unlock(&stream->lock);
    if (status == YOKE_OK) {
        admissions = admitted == stream ? admissions + 1 : 1;
        admitted = stream;
    }
    return status;
}

void yk_depth_leave(const yoke_stream *stream)
{
    if (admitted == stream && --admissions == 0)
        admitted = NULL;
}

yk_admission yk_depth_set_aside(void)
{
    yk_admission before = { admitted, admissions };
    admitted = NULL;
    admissions = 0;
    return before;
}

void yk_depth_take_up(yk_admission before)
{
    admitted = before.stream;
    admissions = before.count;
}
