/* SPDX-License-Identifier: Apache-2.0 */
/* Deferred destruction of objects that the device may still use. */
#ifndef YK_RETIRE_H
#define YK_RETIRE_H

#include "objects/objects.h"

/* Call destroy(object) once the streams that use the object have finished everything submitted so far: now if they have, else
 * later. `stream_id`: a stream's, YK_NO_STREAM, or YK_MANY_STREAMS for every stream of the device. `bytes`: the object's device
 * memory, which is then no longer in use. Does not keep the device alive. */
void yk_retire(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes);

/* The same where traits.releases_wait: destroy would wait, in the driver, for whatever kernels run by then, and block every thread
 * meanwhile. So it is put off until the device has nothing to do; or, if it is `memory`, until a thread waits for memory
 * (yk_reclaim_wait). */
void yk_retire_until_idle(yoke_device *device, void *object, void (*destroy)(void *object), bool memory, uint64_t bytes);

/* The same as yk_retire for a stream that will submit no more work. */
void yk_retire_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream));

/* Destroy the retired objects that are no longer in use. Does not wait: an item that another thread is checking is left to that
 * thread. */
void yk_reclaim_finished(yoke_device *device);

/* Wait until everything retired so far is destroyed, and other threads have ended their reclaims. Returns whether there was
 * anything to wait for. */
bool yk_reclaim_wait(yoke_device *device);

/* Around a reclaim by the calling thread: yk_reclaim_wait waits for its end. `gained`: memory was freed, so an allocation that
 * failed may succeed now. From any thread; yk_reclaim_begin with any lock held. */
void yk_reclaim_begin(yoke_device *device);
void yk_reclaim_end(yoke_device *device, bool gained);
/* How many reclaims gained memory. */
uint64_t yk_reclaim_gained(const yoke_device *device);

/* Whether the stream with this id has finished everything submitted to it. With device->lock held. */
bool yk_stream_id_is_done(const yoke_device *device, unsigned stream_id);

/* Whether the driver is known to have finished everything submitted to the device, and nothing is deferred. */
bool yk_device_is_idle(yoke_device *device);
/* The number of operations submitted to the device's current streams. */
uint64_t yk_device_submitted(yoke_device *device);

#endif
