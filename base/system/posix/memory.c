/* SPDX-License-Identifier: Apache-2.0 */
/* Memory as POSIX maps it, and as Linux lists it. */
#include "base/system/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
/* Linux since 5.14: fault in every page as a write would, without changing a byte. */
#define POPULATE_WRITE 23

static int populate(uintptr_t start, size_t size)
{
    return madvise((void *)start, size, POPULATE_WRITE) == 0 ? 0 : errno;
}

/* Whether the system lists the page as writable; true when the page is not listed. Slow, so only for pages that populate() cannot
 * decide. */
static bool is_listed_writable(uintptr_t address)
{
    char line[256], permissions[8];
    uintptr_t start, end;
    bool writable = true, begins = true;
    int descriptor = open("/proc/self/maps", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    FILE *maps = descriptor >= 0 ? fdopen(descriptor, "r") : NULL;
    if (!maps && descriptor >= 0)
        close(descriptor);
    while (maps && fgets(line, sizeof line, maps)) {
        bool whole = begins; /* the rest of a long line is read separately */
        begins = strchr(line, '\n');
        if (!whole || sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s", &start, &end, permissions) != 3)
            continue;
        if (address >= start && address < end) {
            writable = permissions[1] == 'w';
            break;
        }
    }
    if (maps)
        fclose(maps);
    return writable;
}

/* EINVAL means read-only memory, or mapped device memory (a frame buffer, a PCI BAR: VM_IO, VM_PFNMAP), which may be writable. */
static bool is_page_writable(uintptr_t start, uintptr_t page)
{
    int error = populate(start, page);
    return error == 0 || (error == EINVAL && is_listed_writable(start));
}

/* Older systems lack POPULATE_WRITE, and some others accept it without a check. */
static bool populate_works(uintptr_t page)
{
    static atomic_int known;
    int works = atomic_load_explicit(&known, memory_order_relaxed);
    if (works == 0) {
        char own[2] = { 0 };
        void *none = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uintptr_t stack = (uintptr_t)own / page * page;
        bool right = none != MAP_FAILED && populate((uintptr_t)none, page) != 0 && populate(stack, page) == 0;
        if (none != MAP_FAILED)
            munmap(none, page);
        works = right ? 1 : -1;
        atomic_store_explicit(&known, works, memory_order_relaxed);
    }
    return works > 0;
}

bool yk_is_writable(const void *host, size_t size)
{
    int before = errno;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), address = (uintptr_t)host, first = address / page * page;
    uintptr_t last = (address + size - 1) / page * page;
    bool writable = !populate_works(page) || (last - first == page && populate(first, 2 * page) == 0) || /* both in one call */
                    (is_page_writable(first, page) && (last == first || is_page_writable(last, page)));
    errno = before;
    return writable;
}
#else
bool yk_is_writable(const void *host, size_t size)
{
    (void)host;
    (void)size;
    return true;
}
#endif

bool yk_memory_has_addresses(size_t size)
{
    void *memory = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    munmap(memory, size);
    return true;
}

void *yk_memory_share(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *yk_memory_map(int file, size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void yk_memory_unmap(void *memory, size_t size)
{
    munmap(memory, size);
}
