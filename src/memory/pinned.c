/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether host memory is pinned for a device, which decides how it is copied. Memory that Yoke pinned is in a search tree by
 * address, with its device; for any other memory the driver is queried. A pinned buffer and its bare pointer get the same answer.
 */
#include "memory/pinned.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"

typedef struct range {
    const char *start, *end;
    const yoke_device *device;
} range;

static atomic_bool lock; /* protects the tree; a leaf */
static void *tree;

/* Overlapping ranges compare as equal. */
static int compare(const void *left, const void *right)
{
    const range *a = left, *b = right;
    return a->end <= b->start ? -1 : a->start >= b->end;
}

yoke_status yk_pinned_add(const yoke_buffer *buffer)
{
    const char *start = buffer->host;
    range *added = malloc(sizeof *added);
    if (!added)
        return yk_no_memory("a pinned buffer");
    *added = (range){ start, start + buffer->capacity, buffer->device };
    yk_light_lock(&lock);
    range **entry = tsearch(added, &tree, compare);
    bool full = !entry, alone = entry && *entry == added;
    yk_light_unlock(&lock);
    if (alone)
        return YOKE_OK;
    free(added);
    if (full)
        return yk_no_memory("a pinned buffer");
    return yk_fail(YOKE_E_INVALID_ARGUMENT, "part of the memory is already pinned by another buffer");
}

void yk_pinned_forget(const yoke_buffer *buffer)
{
    const char *start = buffer->host;
    range wanted = { start, start + buffer->capacity, NULL }, *found = NULL;
    yk_light_lock(&lock);
    range **entry = tfind(&wanted, &tree, compare);
    if (entry) {
        found = *entry;
        tdelete(found, &tree, compare);
    }
    yk_light_unlock(&lock);
    free(found);
}

/* Whether memory that was pinned for one device is pinned for another. */
static bool counts_for(const yoke_device *device, const yoke_device *pinned_for)
{
    return device == pinned_for || (device->backend == pinned_for->backend && device->traits.pins_for_all_devices);
}

/* Whether the memory lies in one pinned buffer of any device; *out_pinned: whether the buffer is pinned for this device. */
static bool find(const yoke_device *device, const char *start, const char *end, bool *out_pinned)
{
    range wanted = { start, end, NULL };
    yk_light_lock(&lock);
    range **entry = tfind(&wanted, &tree, compare);
    bool covered = entry && (*entry)->start <= start && (*entry)->end >= end;
    *out_pinned = covered && counts_for(device, (*entry)->device);
    yk_light_unlock(&lock);
    return covered;
}

bool yk_is_pinned(const yoke_device *device, const void *host, size_t size)
{
    const char *start = host, *end = start + size;
    bool pinned;
    if (find(device, start, end, &pinned))
        return pinned; /* a driver may report another driver's pinned memory as its own */
    return device->backend->host_is_pinned(device, start) && device->backend->host_is_pinned(device, end - 1);
}

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
        char own[2];
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

bool yk_is_target(const yoke_device *device, const void *host, size_t size)
{
    const char *start = host;
    bool pinned;
    return find(device, start, start + size, &pinned) || yk_is_writable(host, size) || yk_is_pinned(device, host, size);
}
