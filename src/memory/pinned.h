/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of host memory: whether it is pinned, and whether it is writable. */
#ifndef YK_PINNED_H
#define YK_PINNED_H

#include "objects/objects.h"

/* The memory of this pinned buffer is known as such from now on, until it is forgotten. YOKE_E_INVALID_ARGUMENT: some of it is
 * already. */
yoke_status yk_pinned_add(const yoke_buffer *buffer);
void yk_pinned_forget(const yoke_buffer *buffer);

/* Whether all of it is pinned for this device: by Yoke, or by somebody else, which the driver knows. Memory that Yoke pinned for
 * another device is pageable, unless the backend pins for all of its devices. */
bool yk_is_pinned(const yoke_device *device, const void *host, size_t size);

/* False where the system says that the memory cannot be written, or does not answer for memory of this kind. Only its ends are
 * looked at. */
bool yk_is_writable(const void *host, size_t size);

/* Whether the device may be told to write there. The system may not answer for pinned memory, whichever device's it is. */
bool yk_is_target(const yoke_device *device, const void *host, size_t size);

#endif
