/* SPDX-License-Identifier: Apache-2.0 */
/* Notices by eventfd, or by a pipe. */
#include "base/system/notice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/eventfd.h>
#endif

int yk_notice_open(int ends[2])
{
#ifdef __linux__
    ends[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ends[1] = ends[0] < 0 ? -1 : fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
    int error = errno;
    if (ends[0] >= 0 && ends[1] < 0)
        close(ends[0]);
    bool open = ends[0] >= 0 && ends[1] >= 0;
#else
    bool open = pipe(ends) == 0;
    int error = errno;
    for (int i = 0; open && i < 2; i++) {
        (void)fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        (void)fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
#endif
    return open ? 0 : error;
}

void yk_notice_give(int end)
{
    static const uint64_t one = 1;
    while (write(end, &one, sizeof one) < 0 && errno == EINTR)
        continue;
    close(end);
}

void yk_notice_close(int end)
{
    close(end);
}
