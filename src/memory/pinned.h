/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of host memory: whether it is pinned, and whether it is writable. */
#ifndef YK_PINNED_H
#define YK_PINNED_H

#include "base/system/memory.h"
#include "objects/objects.h"

/* Register the memory of a pinned buffer, until yk_pinned_forget. YOKE_E_INVALID_ARGUMENT: part of the memory is registered
 * already. */
yoke_status yk_pinned_add(const yoke_buffer *buffer);
void yk_pinned_forget(const yoke_buffer *buffer);

/* Whether the whole range is pinned for this device: by Yoke, or by other code, as the driver reports. Memory that Yoke pinned for
 * another device is pageable, unless the backend pins for all of its devices. */
bool yk_is_pinned(const yoke_device *device, const void *host, size_t size);

/* Whether the device may write there. Memory pinned for any device counts as writable: the system may be unable to check it. What
 * Yoke has pinned costs no call of the system. */
bool yk_is_target(const yoke_device *device, const void *host, size_t size);

#endif
