/* SPDX-License-Identifier: Apache-2.0 */
/* Where the memory of buffers comes from and goes to. */
#ifndef YK_POOL_H
#define YK_POOL_H

#include "objects/objects.h"

void yk_pool_init(yoke_device *device);
/* Everything back to the driver; the device is about to close. */
void yk_pool_end(yoke_device *device);

/* Memory for a new root, whose device, kind and size are set: released memory, or the driver's. `stream`: in its order; or NULL. */
yoke_status yk_pool_take(yoke_buffer *buffer, yoke_stream *stream);

/* The root is gone, but not its memory: keep that, or give it to the driver. `user`: the stream that may still use it, in whose
 * order it is used again; YK_NO_STREAM when nobody does. */
void yk_pool_give_back(yoke_buffer *buffer, unsigned user);

/* Whether memory of this buffer would be kept, as things are. */
bool yk_pool_keeps(const yoke_buffer *buffer);

#endif
