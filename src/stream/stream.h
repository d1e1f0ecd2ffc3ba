/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, as the other rooms of src/ use them: stream.c is the object, deferred.c the order of its operations. */
#ifndef YK_STREAM_H
#define YK_STREAM_H

#include "objects/objects.h"

/* stream.c */

/* Whether everything submitted is known to have finished, with its effects visible to this thread. */
static inline bool yk_stream_is_idle(const yoke_stream *stream)
{
    return yk_stream_submitted(stream) == atomic_load_explicit(&stream->done, memory_order_acquire);
}

/* So many of its operations are known to have finished. */
static inline void yk_stream_note_done(yoke_stream *stream, uint64_t count)
{
    uint_fast64_t done = atomic_load_explicit(&stream->done, memory_order_relaxed);
    while (done < count &&
           !atomic_compare_exchange_weak_explicit(&stream->done, &done, count, memory_order_release, memory_order_relaxed))
        continue;
}

/* Whether the driver would hardly block if it synchronized the stream: only allocations may be pending. */
static inline bool yk_stream_is_quiet(const yoke_stream *stream)
{
    return yk_stream_is_idle(stream) ||
           (yk_stream_submitted(stream) == atomic_load_explicit(&stream->allocations_end, memory_order_relaxed) &&
            atomic_load_explicit(&stream->allocations, memory_order_relaxed) <= atomic_load(&stream->done));
}

/* For a public function that waits: the stream is an object, this is not its own host function (YOKE_E_DEADLOCK), and it is not
 * being recorded. */
yoke_status yk_stream_check_wait(const char *function, yoke_stream *stream);
/* Wait for the event, which marks the end of what this thread has enqueued in the stream. `function` as for yk_begin_wait. */
yoke_status yk_stream_wait_for(const char *function, yoke_stream *stream, yoke_event *end);
/* Wait for everything in the stream; returns at once inside the stream's own host functions. Returns the stream's failure, if it
 * has failed. */
yoke_status yk_stream_finish(yoke_stream *stream);
/* The same, with `function` as for yk_begin_wait; *out_refused says whether YOKE_E_DEADLOCK is this call's. */
yoke_status yk_stream_finish_or_refuse(const char *function, yoke_stream *stream, bool *out_refused);
/* The same for YOKE_BLOCKING: YOKE_OK at once where this thread's host function would wait for itself, or might. */
yoke_status yk_stream_finish_blocking(yoke_stream *stream);

/* deadlock.c */

/* A function of the program that a thread runs for a stream: a host function, or a native section, which another function may have
 * enqueued and which is then inside of that. */
typedef struct yk_function {
    yoke_stream *stream;
    struct yk_function *outer; /* NULL: none */
    yoke_event *replaced[2];   /* what the stream no longer shows, to be released */
} yk_function;

/* Whether this thread runs such a function, and whether of that stream. */
bool yk_stream_in_function(void);
bool yk_stream_is_mine(const yoke_stream *stream);
/* From now on it does, until yk_leave_function. */
void yk_enter_function(yk_function *function, yoke_stream *stream);
void yk_leave_function(const yk_function *function);
/* The same for the stream that a graph was launched in, during a function in one of its branches. */
const yoke_stream *yk_stream_set_launched_in(const yoke_stream *stream);
/* This thread is about to wait for any of the events. In a host function: YOKE_E_DEADLOCK where all of them are behind that
 * function, in the same stream or by way of others; else the function's stream shows the wait, to others that look for a deadlock
 * and to the watchdog, until yk_end_wait. `may_give_up`: the wait has a time limit, or is for several events. A NULL `function`
 * cannot be refused. */
yoke_status yk_begin_wait(const char *function, yoke_event *const *events, size_t count, bool may_give_up);
void yk_end_wait(void);
/* Before an operation is enqueued that is waited for in any case: YOKE_E_DEADLOCK where the stream waits for this thread's host
 * function. */
yoke_status yk_stream_refuse_deadlock(const char *function, yoke_stream *stream);

/* stream_failure.c */

/* The stream fails with the thread's record, unless it has failed before. `where` is the enqueue site, used where the record has
 * none. YOKE_E_DEVICE_LOST fails every stream of the device. */
YK_COLD void yk_stream_fail(yoke_stream *stream, const char *where, yoke_status status);
/* The same for a status from elsewhere, of an event of another stream or of a function: YOKE_E_DEVICE_LOST says nothing of this
 * device then. */
YK_COLD void yk_stream_inherit(yoke_stream *stream, const char *where, yoke_status status);
/* The same for work of a certain epoch: when the stream has recovered since, the stream is unchanged. Returns the failure that
 * applies, which the caller releases. */
YK_COLD yk_failure *yk_stream_fail_in(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status);
/* The same for a status from elsewhere. */
YK_COLD yk_failure *yk_stream_inherit_in(yoke_stream *stream, unsigned epoch, const char *where, yoke_status status);
/* The user's last reference is gone: nothing more starts. */
void yk_stream_fail_torn_down(yoke_stream *stream);
/* The driver rejected an operation. A lost device is the fault of an earlier operation: then all streams of the device fail, and
 * the record names the suspects. Returns `status`. */
YK_COLD yoke_status yk_stream_not_submitted(yoke_stream *stream, yoke_status status);
/* If the stream has failed, set the thread's record and return the status; else YOKE_OK. The second with stream->lock held. */
YK_COLD yoke_status yk_stream_report(yoke_stream *stream);
YK_COLD yoke_status yk_stream_report_locked(yoke_stream *stream);
/* The driver reports that something failed, but not what: add to the thread's record the operations that may have failed, from
 * number `first` up to `end`. */
YK_COLD void yk_stream_name_suspects(yoke_stream *stream, uint64_t first, uint64_t end);
/* YOKE_OK, or YOKE_E_DEVICE_LOST with its record. */
yoke_status yk_device_check(yoke_device *device);
/* A driver's call for the device has failed: a lost device fails its streams. Returns `status`. */
YK_COLD yoke_status yk_device_failed(yoke_device *device, yoke_status status);

/* submitted_waits.c */

/* Forget the waits that have succeeded, once there are many. Asks the driver, and a failure that it tells fails streams: so neither
 * with a lock of a stream or device held, nor inside a gate. */
void yk_stream_thin_out_waits(yoke_stream *stream);
/* Submit a wait for a submitted event, and remember the wait: a failure of the event becomes this stream's too. */
yoke_status yk_stream_submit_wait(yoke_stream *stream, yoke_event *event);
/* The driver has reached operation number `end`, submitted in that epoch: a failure among the events that it waited for in the
 * epoch until then, with its record; YOKE_OK when there is none. */
YK_COLD yoke_status yk_stream_check_waits(yoke_stream *stream, uint64_t end, unsigned epoch);
/* The stream's failures can no longer be reported. */
void yk_stream_forget_waits(yoke_stream *stream);
/* The user's last reference is gone and nothing is deferred: check the waits as soon as the driver is done with the stream. Until
 * then each wait keeps the stream of its event, and two streams may keep each other. */
void yk_stream_end_waits(yoke_stream *stream);
/* The epoch is over: the failures of its waits are kept for events not queried yet, and keep no other stream. */
void yk_stream_end_epoch_of_waits(yoke_stream *stream);

/* gate.c */

/* From now on no enqueue goes straight to the driver; enqueues on their way have finished on return. */
void yk_stream_close(yoke_stream *stream);
/* With stream->lock held and nothing deferred: let enqueues through again, unless the stream has failed or submits under its
 * lock. */
void yk_stream_open(yoke_stream *stream);

/* With stream->lock held: post all listeners. */
void yk_stream_post_listeners(yoke_stream *stream);

/* Wait until reached(stream, context), which is called with stream->lock held whenever the stream posts its listeners; or until
 * the deadline, a time of yk_now, UINT64_MAX for never. */
void yk_stream_wait_until(yoke_stream *stream, bool (*reached)(yoke_stream *stream, void *context), void *context,
                          uint64_t deadline);

/* Post the listener's waiter when the stream fails or recovers, and when nothing is deferred any more. */
void yk_stream_listen(yoke_stream *stream, yk_listener *listener);
void yk_stream_unlisten(yoke_stream *stream, yk_listener *listener);
void yk_stream_progress(yoke_stream *stream);

/* deferred.c */

/* Defer an operation that the driver cannot be given now, and with it everything behind it. */
yoke_status yk_stream_defer(yoke_stream *stream, const yk_op *op);
/* The same also in a failed stream, where a host function is called with the failure. */
yoke_status yk_stream_defer_always(yoke_stream *stream, const yk_op *op);

/* Take stream->lock to enqueue. Waits while another thread is between begin_launch and end_launch, so that operations of other
 * threads do not come between the parts of a launch. Between the two, a launch waits only for this lock and for enqueues on their
 * way. begin_launch fails, and nothing has begun, where the stream has failed or is being recorded. */
void yk_stream_lock(yoke_stream *stream);
yoke_status yk_stream_begin_launch(const char *function, yoke_stream *stream);
void yk_stream_end_launch(yoke_stream *stream);

/* Until unreserve, deferring an operation cannot fail for want of a thread. YOKE_E_OUT_OF_HOST_MEMORY: no thread can be started. */
yoke_status yk_stream_reserve(yoke_stream *stream);
void yk_stream_unreserve(yoke_stream *stream);

/* As yk_stream_defer, but on the caller's thread where nothing is deferred: for graphs, and for a staged copy that the caller waits
 * for. */
yoke_status yk_stream_run_by_caller(yoke_stream *stream, const yk_op *op);

/* worker.c */

/* With stream->lock held: a host function or a wait in software is running or runs next. */
bool yk_stream_stops_now(const yoke_stream *stream);
/* The worker's function: runs until nothing is deferred, then returns the thread's use of the stream. */
void yk_stream_work(void *argument);
/* Run one deferred operation: submit it, or do it here. Its failure becomes the stream's. */
void yk_stream_run(yoke_stream *stream, const yk_op *op);
/* Set the thread's record: a function of the program that was called with `status` has returned `result`, which is negative. */
YK_COLD void yk_function_failed(yk_op_kind kind, yoke_status status, yoke_status result);

/* native.c */

struct yk_op_list;
/* Call the function of a native section now, if any thread may, to capture what it enqueues, so that a driver's graph can hold it.
 * Not captured: the function is called at each launch. Fails when the function does. */
yoke_status yk_native_capture(yoke_device *device, struct yk_op_list *list);

/* submit.c */

/* Submit the driver's graph of a batch. */
yoke_status yk_batch_submit(yoke_stream *stream, const yk_batch *batch);

#endif
