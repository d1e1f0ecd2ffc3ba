/* SPDX-License-Identifier: Apache-2.0 */
/* Windows has no fork, so there are no children: a driver that crashes when it is queried takes the program with it. */
#include "base/system/child.h"

#include <errno.h>

bool yk_child_works(void)
{
    return false;
}

int yk_child_start(yk_child *out_child, void (*fn)(int answer, void *user), void *user, unsigned seconds)
{
    (void)fn;
    (void)user;
    (void)seconds;
    *out_child = (yk_child){ .answer = -1 };
    return ENOSYS;
}

void yk_child_write(int answer, const void *bytes, size_t size)
{
    (void)answer;
    (void)bytes;
    (void)size;
}

bool yk_child_wait(const yk_child *child, uint64_t deadline)
{
    (void)child;
    (void)deadline;
    return true;
}

size_t yk_child_read(const yk_child *child, void *bytes, size_t size)
{
    (void)child;
    (void)bytes;
    (void)size;
    return 0;
}

yk_child_fate yk_child_end(yk_child *child, bool in_time)
{
    (void)child;
    (void)in_time;
    return (yk_child_fate){ YK_CHILD_UNKNOWN, 0 };
}
