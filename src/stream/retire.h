/* SPDX-License-Identifier: Apache-2.0 */
/* Destroying what the device may still use. */
#ifndef YK_RETIRE_H
#define YK_RETIRE_H

#include "objects/objects.h"

/* Call destroy(object) once the streams that use it have finished what they have been given so far: now, when they have, else
 * later. `stream_id`: a stream's, YK_NO_STREAM, or YK_MANY_STREAMS for every stream of the device. `bytes`: of device memory, which
 * are no longer in use then. Does not keep the device alive. */
void yk_retire(yoke_device *device, void *object, void (*destroy)(void *object), unsigned stream_id, uint64_t bytes);

/* The same for a stream, of which no work can come any more. */
void yk_retire_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream));

/* Destroy what may be destroyed by now. Does not wait: what another thread is asking the driver for is left to that thread. */
void yk_reclaim_finished(yoke_device *device);

/* Wait until all that is in the trash now is destroyed, and other threads have ended what they were giving back. Returns whether
 * there was anything. */
bool yk_reclaim_wait(yoke_device *device);

/* The calling thread gives something back on its own: it is waited for by yk_reclaim_wait until it has ended. `gained`: there was
 * something, so who has found no memory may find some now. From any thread; the first with any lock held. */
void yk_reclaim_begin(yoke_device *device);
void yk_reclaim_end(yoke_device *device, bool gained);
/* How often something was gained. */
uint64_t yk_reclaim_gained(const yoke_device *device);

/* Whether the stream that buffers know by this number has finished all that it was given. With device->lock held. */
bool yk_stream_id_is_done(const yoke_device *device, unsigned stream_id);

/* Whether the driver is known to have finished all that the device was given, and nothing is held that it may be given next. */
bool yk_device_is_idle(yoke_device *device);
/* How many operations the streams of the device have been given, those that are there. */
uint64_t yk_device_submitted(yoke_device *device);

#endif
