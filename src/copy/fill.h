/* SPDX-License-Identifier: Apache-2.0 */
/* The fill kernel of a device. */
#ifndef YK_FILL_H
#define YK_FILL_H

#include "objects/objects.h"

void yk_filler_init(yoke_device *device);
/* The device is about to close. */
void yk_filler_end(yoke_device *device);

#endif
