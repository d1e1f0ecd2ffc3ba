/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether memory can be written, on a system that answers for a device's memory as for memory that is read-only. A test can map no
 * device's memory: madvise is a stand-in here, which answers so for the pages that it is told of.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../tap/tap.h"
#include "memory/pinned.h"

#ifdef __linux__

static const char *special, *special_end;
static int asked;

int madvise(void *address, size_t size, int advice)
{
    asked++;
    if (advice == 23 && (const char *)address < special_end && (const char *)address + size > special) { /* MADV_POPULATE_WRITE */
        errno = EINVAL;
        return -1;
    }
    return (int)syscall(SYS_madvise, address, size, advice);
}

int main(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    tap_start(60);
    char *pages = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + 2 * page, 2 * page, PROT_READ) != 0)
        tap_bail("no memory");
    char *constant = pages + 2 * page;
    if (syscall(SYS_madvise, pages, page, 23) != 0)
        tap_skip_all("this system does not tell which memory can be written");
    tap_ok(yk_is_writable(pages, 2 * page), "memory that can be written");
    tap_ok(!yk_is_writable(constant, page), "memory that is read-only");
    tap_ok(!yk_is_writable(pages, 3 * page), "the last page is read-only");
    tap_ok(!yk_is_writable(constant - 1, 2), "the second of two pages is read-only");
    asked = 0;
    tap_ok(yk_is_writable(pages + page - 1, 2) && asked == 1, "two pages are asked about in one call");

    yoke_device device = { .native = NULL };
    yoke_buffer pinned = { .device = &device, .host = constant, .capacity = page };
    tap_is(yk_pinned_add(&pinned), YOKE_OK, "memory that Yoke has pinned");
    asked = 0;
    tap_ok(yk_is_target(&device, constant, page) && asked == 0, "is known, and the system is not asked");
    yk_pinned_forget(&pinned);

    special = pages;
    special_end = pages + 4 * page;
    errno = 12345;
    tap_ok(yk_is_writable(pages, 2 * page), "a device's memory that can be written");
    tap_is(errno, 12345, "errno stays as it was");
    tap_ok(yk_is_writable(pages + page - 1, 2), "the same across its pages");
    tap_ok(!yk_is_writable(constant, page), "a device's memory that is read-only");
    tap_ok(!yk_is_writable(pages, 3 * page), "the last page of it is");
    return tap_done();
}

#else

int main(void)
{
    tap_skip_all("only Linux tells which memory can be written");
}

#endif
