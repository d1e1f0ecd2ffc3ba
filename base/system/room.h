/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this process has room for a driver: file descriptors, threads, memory. A library that is loaded, or a driver that starts,
 * without room does not say so: it finds no device, and many remember that for good. So room is looked for first, and whoever
 * remembers that something is not there asks whether it could look at all.
 */
#ifndef YK_SYSTEM_ROOM_H
#define YK_SYSTEM_ROOM_H

#include <stdbool.h>
#include <stddef.h>

#define YK_ROOM_OF_DRIVER ((size_t)256 << 20) /* addresses: drivers map hundreds of MiB of libraries */

/* What the process has too little of, with what to do about it; NULL: it has room. */
const char *yk_room_lacks(size_t addresses); /* descriptors, or that many addresses */
const char *yk_room_lacks_thread(void);

/* Whether the error says that the process or the system had no room, and not that something is not there. */
bool yk_room_is_lack(int error);

#endif
