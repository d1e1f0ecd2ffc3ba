/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for room: a process has no limit of its own on files and threads here, but memory has an end. */
#include "base/system/room.h"

#include <errno.h>
#include <pthread.h>

#include "base/system/memory.h"

bool yk_room_is_lack(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN;
}

const char *yk_room_lacks(size_t addresses)
{
    return yk_memory_has_addresses(addresses) ? NULL : "this process can map hardly any memory: free some, or end other programs";
}

static void *do_nothing(void *unused)
{
    return unused;
}

const char *yk_room_lacks_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0)
        return "this process cannot start a thread: end some, or other programs";
    pthread_join(thread, NULL);
    return NULL;
}
