/* SPDX-License-Identifier: Apache-2.0 */
/* Destroying what the device may still use. */
#ifndef YK_TRASH_H
#define YK_TRASH_H

#include "core.h"

/* Call destroy(object) once every stream of the device has finished what it has been given so far: now, when it has, else later.
 * Does not keep the device alive. */
void yk_trash_throw(yoke_device *device, void *object, void (*destroy)(void *object));

/* The same for a stream, of which no work can come any more. */
void yk_trash_throw_stream(yoke_device *device, yoke_stream *stream, void (*destroy)(void *stream));

/* Destroy what may be destroyed by now. Does not wait. */
void yk_trash_empty(yoke_device *device);

/* Wait for the device and destroy everything. Returns whether there was anything. */
bool yk_trash_wait(yoke_device *device);

#endif
