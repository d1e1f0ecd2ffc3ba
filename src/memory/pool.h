/* SPDX-License-Identifier: Apache-2.0 */
/* Where the memory of buffers comes from and goes to. */
#ifndef YK_POOL_H
#define YK_POOL_H

#include "objects/objects.h"

void yk_pool_init(yoke_device *device);
/* Free all memory; the device is about to close. */
void yk_pool_end(yoke_device *device);

/* Memory for a new root, whose device, kind and size are set: released memory, or new memory from the driver. `stream`: whose order
 * the memory follows; or NULL. */
yoke_status yk_pool_take(yoke_buffer *buffer, yoke_stream *stream);

/* The root is destroyed: keep its memory, or free it. `user`: the stream that may still use the memory, in whose order the memory
 * is reused; YK_NO_STREAM when no stream does. */
void yk_pool_give_back(yoke_buffer *buffer, unsigned user);

/* Whether the pool would keep this buffer's memory now. */
bool yk_pool_keeps(const yoke_buffer *buffer);

#endif
