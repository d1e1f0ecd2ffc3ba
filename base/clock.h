/* SPDX-License-Identifier: Apache-2.0 */
/* A clock that never jumps, and spinning. base/system/thread.h, which this includes, has conditions that wait by it. */
#ifndef YK_CLOCK_H
#define YK_CLOCK_H

#include "base/macros.h"
#include "base/system/thread.h"

uint64_t yk_now(void); /* nanoseconds, monotonic */

/* Between two polls of a spin. */
void yk_pause(void);

#endif
