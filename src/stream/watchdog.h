/* SPDX-License-Identifier: Apache-2.0 */
/* YOKE_WATCHDOG=seconds: stalled streams are reported in the log. */
#ifndef YK_WATCHDOG_H
#define YK_WATCHDOG_H

#include "objects/objects.h"

/* A device has been opened, or is about to be closed. Nothing happens where YOKE_WATCHDOG is not set. */
void yk_watchdog_watch(yoke_device *device);
void yk_watchdog_forget(yoke_device *device);

#endif
