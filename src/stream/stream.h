/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the other rooms of src/ use them: stream.c is the object, deferred.c the order of its operations. */
#ifndef YK_STREAM_H
#define YK_STREAM_H

#include "objects/objects.h"

/* stream.c */

/* Whether all that the driver was given is known to have finished, with its effects visible to this thread. */
static inline bool yk_stream_is_idle(const yoke_stream *stream)
{
    return yk_stream_submitted(stream) == atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* stream_failure.c */

/* The stream fails with the thread's record, unless it has failed before. `where` is the enqueue site, used where the record has
 * none. YOKE_E_DEVICE_LOST takes every stream of the device with it. */
YK_COLD void yk_stream_fail(yoke_stream *stream, const char *where, yoke_status status);
/* The same for work of a certain epoch: when the stream has recovered since, it is left alone. Returns the failure that counts,
 * which the caller releases. */
YK_COLD yk_failure *yk_stream_fail_in(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status);
/* When the stream has failed, set the thread's record and return the status; else YOKE_OK. The second with stream->lock held. */
YK_COLD yoke_status yk_stream_report(yoke_stream *stream);
YK_COLD yoke_status yk_stream_report_locked(yoke_stream *stream);
/* The driver says that something failed, not what: add to the thread's record which operations it can be, of those from number
 * `first` up to `end`. */
YK_COLD void yk_stream_name_suspects(yoke_stream *stream, uint64_t first, uint64_t end);
/* Have the driver wait for an event that it was given, and remember it: a failure of that is this stream's too. */
yoke_status yk_stream_submit_wait(yoke_stream *stream, yoke_event *event);
/* The driver has come to its operation number `end`, given in that epoch: a failure among the events that it has waited for in the
 * epoch until then, with its record; YOKE_OK when there is none. */
YK_COLD yoke_status yk_stream_check_waits(yoke_stream *stream, uint64_t end, unsigned epoch);
/* Nobody can ask for a failure any more. */
void yk_stream_forget_waits(yoke_stream *stream);
/* The user's last reference is gone and nothing is held: check the waits as soon as the driver is done with the stream. Until then
 * each keeps the stream of its event, and two streams may keep each other. */
void yk_stream_end_waits(yoke_stream *stream);
/* YOKE_OK, or YOKE_E_DEVICE_LOST with its record. */
yoke_status yk_device_check(yoke_device *device);
/* A driver's call for the device has failed: one that is lost takes its streams with it. Returns `status`. */
YK_COLD yoke_status yk_device_failed(yoke_device *device, yoke_status status);

/* For a public function that waits: YOKE_E_DEADLOCK inside a host function of this very stream. */
bool yk_stream_is_mine(const yoke_stream *stream);
void yk_stream_set_mine(yoke_stream *stream);
/* The same for the stream that a graph was launched in, during a host function in one of its branches; NULL: no longer. */
void yk_stream_set_launched_in(const yoke_stream *stream);
/* The host function of this thread, if it runs one, waits for the event; NULL: no longer. For the watchdog. `may_give_up`: it has a
 * time limit, or waits for others as well. */
void yk_stream_awaits(yoke_event *event, bool may_give_up);

/* The user's last reference is gone, so nothing further starts. */
void yk_stream_fail_torn_down(yoke_stream *stream);

/* deferred.c */

/* From now on no enqueue goes straight to the driver; those on their way are through on return. */
void yk_stream_close(yoke_stream *stream);
/* With stream->lock held and nothing held: let them again, unless the stream has failed or its device is blocking. */
void yk_stream_open(yoke_stream *stream);
/* Record a new event at the stream's end. `always`: also on a stream that has failed, to wait for what it still does. */
yoke_status yk_stream_record(yoke_stream *stream, yoke_event *event, bool always);
/* Hold a YK_OP_CALL, _NATIVE or _WAIT, and with it all that comes behind. */
yoke_status yk_stream_defer(yoke_stream *stream, const yk_op *op);
/* Also in a stream that has failed, where a host function is called with that failure. */
yoke_status yk_stream_defer_always(yoke_stream *stream, const yk_op *op);
/* With stream->lock held: a host function is running or the next to run, or a wait in software is. */
bool yk_stream_stops_now(const yoke_stream *stream);
/* Wait for everything in the stream; at once inside its own host functions. Its failure, if it has failed. */
yoke_status yk_stream_finish(yoke_stream *stream);

/* Take stream->lock to enqueue. Waits while another thread is between begin_launch and end_launch, which wait for nothing but that
 * and enqueues on their way: what is enqueued in a launch of several parts has nothing of others between them. */
void yk_stream_lock(yoke_stream *stream);
void yk_stream_begin_launch(yoke_stream *stream);
void yk_stream_end_launch(yoke_stream *stream);

/* Until unreserve, holding an operation does not fail for want of a thread. YOKE_E_OUT_OF_HOST_MEMORY: there is none. */
yoke_status yk_stream_reserve(yoke_stream *stream);
void yk_stream_unreserve(yoke_stream *stream);

/* As yk_stream_defer, but on the caller's thread where nothing is held: for a staged copy that the caller waits for, and for
 * graphs.
 */
yoke_status yk_stream_run_by_caller(yoke_stream *stream, const yk_op *op);

/* worker.c */

/* What a stream's thread does until nothing is held any more; the thread has a use of the stream, which it gives back. */
void yk_stream_work(void *argument);
/* Run one operation, held until now: give it to the driver, or do what it says here. What it fails with becomes the stream's. */
void yk_stream_run(yoke_stream *stream, const yk_op *op);

/* deferred.c */

/* With stream->lock held: post everyone who listens. */
void yk_stream_post_listeners(yoke_stream *stream);

/* Wait until reached(stream, context), which is asked with stream->lock held whenever the stream tells its listeners. */
void yk_stream_wait_until(yoke_stream *stream, bool (*reached)(yoke_stream *stream, void *context), void *context);

/* Post the listener's waiter when the stream fails or recovers, and when it no longer holds anything. */
void yk_stream_listen(yoke_stream *stream, yk_listener *listener);
void yk_stream_unlisten(yoke_stream *stream, yk_listener *listener);
void yk_stream_progress(yoke_stream *stream);

/* submit.c */

/* Give the driver its graph of a batch. */
yoke_status yk_batch_submit(yoke_stream *stream, const yk_batch *batch);

#endif
