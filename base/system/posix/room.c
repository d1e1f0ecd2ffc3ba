/* SPDX-License-Identifier: Apache-2.0 */
/* Looking for room: what is needed is taken for a moment, since limits are of many kinds and tell little. */
#include "base/system/room.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "base/system/memory.h"

enum { PIPES = 8 }; /* of two descriptors each; drivers open a dozen while they start */

bool yk_room_is_lack(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM || error == EAGAIN;
}

static bool has_files(void)
{
    int ends[PIPES][2], count = 0;
    while (count < PIPES && pipe2(ends[count], O_CLOEXEC) == 0)
        count++;
    for (int i = 0; i < count; i++) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
    return count == PIPES;
}

static void *do_nothing(void *unused)
{
    return unused;
}

static bool has_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0)
        return false;
    pthread_join(thread, NULL);
    return true;
}

const char *yk_room_lacks(size_t addresses)
{
    int before = errno;
    const char *lack = NULL;
    if (!has_files())
        lack = "this process has hardly a file descriptor left: raise the limit on open files (ulimit -n), or close some";
    else if (!yk_memory_has_addresses(addresses))
        lack = "this process can map hardly any memory: raise the limit on its addresses (ulimit -v), or free some";
    errno = before;
    return lack;
}

const char *yk_room_lacks_thread(void)
{
    return has_thread() ? NULL
                        : "this process cannot start a thread: raise the limit on processes and threads (ulimit -u), or end some";
}
