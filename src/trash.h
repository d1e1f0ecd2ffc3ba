/* SPDX-License-Identifier: Apache-2.0 */
/* Destroying what the device may still use. */
#ifndef YK_TRASH_H
#define YK_TRASH_H

#include "core.h"

/* Call destroy(object) once the streams that use it have finished what they have been given so far: now, when they have, else
 * later. `user`: a stream's, YK_NOBODY, or YK_MANY for every stream of the device. Does not keep the device alive. */
void yk_trash_throw(yoke_device *device, void *object, void (*destroy)(void *object), unsigned user);

/* The same for a stream, of which no work can come any more. */
void yk_trash_throw_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream));

/* Destroy what may be destroyed by now. Does not wait. */
void yk_trash_empty(yoke_device *device);

/* Wait for the device and destroy everything. Returns whether there was anything. */
bool yk_trash_wait(yoke_device *device);

/* Whether the stream that buffers know by this number has finished all that it was given. With device->lock held. */
bool yk_user_is_done(const yoke_device *device, unsigned user);

#endif
